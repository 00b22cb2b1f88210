/* emit/kernel_sweeps.c - expressions as kernels of the library, in lanes.
 *
 * The name of a definition is that of the function, which is a whole recursion (kernel_recursions.c). */
#include "expr/program.h"

#include <string.h>

#include "core/error.h"
#include "emit/sweeps.h"

/* Whether a statement goes on with the name of another: it is the second result of that kernel. */
static bool goes_on(const char *name, const char *first)
{
    const size_t n = strlen(first);
    return strncmp(name, first, n) == 0 && name[n] == '_';
}

/* A function of the statements from `first` to `end`. */
static void put_statements(text *to, const module_emit_request *request, int first, int end, char *why, size_t size)
{
    static const char *const OUTPUT[] = { "y", "y2" };
    const soa_statement *s = soa_program_at(request->program, first);
    soa_error error;
    soa_error_clear(&error);
    soa_arena arena = soa_arena_on(&request->program->terms->allocator);
    soa_graph graph = soa_graph_begin(request->program->terms, &arena, &error);
    graph.rotors = true;
    text what = { NULL, 0, 0, false };
    bool good = end - first <= 2;
    for (int i = first; good && i < end; i++) {
        good = soa_graph_add(&graph, OUTPUT[i - first], soa_program_at(request->program, i)->term) == SOA_OK;
        put(&what, "%s%s", i > first ? "\n * " : "", soa_program_at(request->program, i)->text);
    }
    good = good && soa_graph_plan(&graph) == SOA_OK;
    if (good) {
        sweep_writer w = { to, &graph, soa_recursions_of(&graph, SOA_ASCII), s->name, why, size, NULL, NULL };
        to->failed = to->failed || w.lines.failed || what.failed;
        if (!to->failed && soa_graph_compile(&graph) == SOA_OK) {
            kernel_recursion_put(&w, what.at);
        }
    }
    free(what.at);
    soa_arena_free(&arena);
    if (!good && why[0] == '\0') {
        snprintf(
            why, size, "'%s': %s", s->name, error.text[0] != '\0' ? error.text : "a kernel has at most two results");
    }
}

char *kernel_sweeps_emit(const module_emit_request *request, char *why, size_t size)
{
    text to = { NULL, 0, 0, false };
    const int count = soa_program_statements(request->program);
    put(&to, "/* Written by soa emit --kernel from expressions. Change those, not this file.\n"
             " *\n * k is a body, p its parent, j a body on it. Vectors are in body frames. */\n\n");
    for (int i = request->first; why[0] == '\0' && i < count; i++) {
        const soa_statement *s = soa_program_at(request->program, i);
        if (s->kind == SOA_STATEMENT_DECLARATION) {
            continue;
        }
        if (s->right != NULL || s->name == NULL || s->name[0] == '\0') {
            snprintf(why, size, "--kernel takes definitions: the name of the function, = and an expression");
            break;
        }
        int end = i + 1;
        while (end < count && goes_on(soa_program_at(request->program, end)->name, s->name)) {
            end++;
        }
        put_statements(&to, request, i, end, why, size);
        i = end - 1;
    }
    if (to.failed && why[0] == '\0') {
        snprintf(why, size, "out of memory");
    }
    if (why[0] != '\0') {
        free(to.at);
        return NULL;
    }
    to.at[--to.length] = '\0'; /* one empty line less */
    return to.at;
}
