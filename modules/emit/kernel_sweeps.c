/* emit/kernel_sweeps.c - expressions as kernels of the library, in lanes.
 *
 * The name of a definition is that of the function. One operator, or its adjoint, on a declared vector is a sweep in place:
 * a vector of joints is x, forces of bodies are f, motions of bodies are V; what is of the same type as the argument takes its
 * place. Anything else is a whole recursion (kernel_recursions.c). */
#include "expr/program.h"

#include <string.h>

#include "core/error.h"
#include "emit/sweeps.h"

/* What a vector is called. */
static const char *letter_of(const soa_step *s)
{
    return s->place.space == SOA_SPACE_JOINT ? "x" : s->place.side == SOA_SIDE_FORCE ? "f" : "V";
}

/* "f[k]", or of a joint "x + body->v". */
static void put_at(text *to, const soa_step *s)
{
    put(to, s->place.space == SOA_SPACE_JOINT ? "%s + body->v" : "%s[k]", letter_of(s));
}

#define LINE "        "

/* ---- steps that look at the same body alone --------------------------------------------------------------- */

/* By way of the numbers of a joint: tau = G H, and I - tau. */
static void put_across(text *to, const soa_step *s, const char *type)
{
    const char *y = letter_of(s);
    put(to, LINE "real y[SOA_JOINT_MAX_NV];\n" LINE "%s(at, body, %s[k], y);\n" LINE "%s[k] = ",
        s->adjoint ? "G_t_mul" : "joint_force", y, y);
    const char *back = s->adjoint ? "joint_motion(at, body, y)" : "G_mul(at, body, y)";
    if (s->op == SOA_OP_TAUBAR) {
        put(to, "%s_sub(%s[k], %s);\n", type, y, back);
    } else {
        put(to, "%s;\n", back);
    }
}

static void put_local(text *to, const soa_step *x, const soa_step *s)
{
    if (s->op == SOA_OP_TAU || s->op == SOA_OP_TAUBAR) {
        put_across(to, s, sweep_type(s));
    } else if (s->op == SOA_OP_D || s->op == SOA_OP_D_INV) {
        put(to,
            LINE "real y[SOA_JOINT_MAX_NV];\n" LINE "%s(at, body, x + body->v, y);\n" LINE
                 "memcpy(x + body->v, y, (size_t)body->nv * sizeof *y);\n",
            s->op == SOA_OP_D ? "D_mul" : "D_inv_mul");
    } else if (s->op == SOA_OP_ARM) {
        put(to, LINE "for (int i = 0; i < body->nv; i++) {\n" LINE
                     "    x[body->v + i] = body->armature * x[body->v + i];\n" LINE "}\n");
    } else if (sweep_function_of(s) != NULL) {
        put(to, LINE "%s[k] = %s", letter_of(s), sweep_function_of(s));
        put_at(to, x);
        put(to, ");\n");
    } else { /* H f, G* V */
        put(to, LINE "%s(at, body, %s[k], x + body->v);\n", s->op == SOA_OP_H ? "joint_force" : "G_t_mul",
            letter_of(x));
    }
}

/* ---- steps from body to body -------------------------------------------------------------------------------- */

/* What body k hands to its parent, or takes from it. */
static void put_crossing(text *to, const soa_step *s, const char *vector)
{
    const bool rigid = s->op == SOA_OP_PHI || s->op == SOA_OP_E_PHI;
    if (rigid) {
        put(to, s->adjoint ? "phi_t(at->X[k], %s)" : "phi(at->X[k], %s)", vector);
    } else {
        put(to, s->adjoint ? "psi_t(at, body, k, %s)" : "psi(at, body, k, %s)", vector);
    }
}

static void put_run(text *to, const soa_step *s)
{
    put(to, LINE "if (p >= 0) {\n" LINE "    ");
    put(to, s->adjoint ? "V[k] = motion_add(V[k], " : "f[p] = force_add(f[p], ");
    put_crossing(to, s, s->adjoint ? "V[p]" : "f[k]");
    put(to, ");\n" LINE "}\n");
}

/* Of the parent alone, or to it: what a body has is given away first. */
static void put_near(text *to, const soa_step *s)
{
    if (s->op == SOA_OP_GAMMA) {
        put(to, s->adjoint ? LINE "Gamma_t_mul(body, p < 0 ? motion_zero() : V[p], x + body->v);\n"
                           : LINE "f[k] = force_zero();\n" LINE "Gamma_add(body, x + body->v, f);\n");
    } else if (s->op == SOA_OP_K) {
        put(to, s->adjoint ? LINE "K_t_mul(at, body, k, p < 0 ? motion_zero() : V[p], x + body->v);\n"
                           : LINE "f[k] = force_zero();\n" LINE "if (p >= 0) {\n" LINE
                                  "    f[p] = force_add(f[p], K_mul(at, body, k, x + body->v));\n" LINE "}\n");
    } else if (s->adjoint) {
        put(to, LINE "V[k] = p < 0 ? motion_zero() : ");
        put_crossing(to, s, "V[p]");
        put(to, ";\n");
    } else {
        put(to, LINE "const force own = f[k];\n" LINE "f[k] = force_zero();\n" LINE "if (p >= 0) {\n" LINE
                     "    f[p] = force_add(f[p], ");
        put_crossing(to, s, "own");
        put(to, ");\n" LINE "}\n");
    }
}

/* ---- functions ------------------------------------------------------------------------------------------------ */

/* Sums over the bodies on a body run inward; in place, what is handed on once runs the other way. */
static bool is_inward(soa_reach reach)
{
    return reach == SOA_REACH_RUN_IN || reach == SOA_REACH_NEAR_OUT;
}

static void put_loop(text *to, const soa_step *x, const soa_step *s, soa_reach reach)
{
    text body = { NULL, 0, 0, false };
    if (reach == SOA_REACH_LOCAL) {
        put_local(&body, x, s);
    } else if (reach == SOA_REACH_RUN_IN || reach == SOA_REACH_RUN_OUT) {
        put_run(&body, s);
    } else {
        put_near(&body, s);
    }
    to->failed = to->failed || body.failed;
    const char *in = body.failed ? "" : body.at;
    put(to, "%s", strstr(in, "at->") == NULL && strstr(in, "(at") == NULL ? "    (void)at;\n" : "");
    put(to, is_inward(reach) ? "    for (int k = call->model->bodies - 1; k >= 0; k--) { /* inward */\n"
                             : "    for (int k = 0; k < call->model->bodies; k++) {\n");
    const bool parent = strstr(in, "p]") != NULL;
    if (strstr(in, "body") != NULL) {
        put(to, LINE "const soa_body_data *body = &call->model->body[k];\n");
        put(to, parent ? LINE "const int p = body->parent;\n" : "");
    } else if (parent) {
        put(to, LINE "const int p = call->model->body[k].parent;\n");
    }
    put(to, "%s    }\n", in);
    free(body.at);
}

static void put_function(text *to, const sweep_writer *w, const char *name, int step)
{
    const soa_step *s = sweep_step(w, step), *x = sweep_step(w, s->input[0]);
    for (int i = 0; i < w->lines.lines.count; i++) {
        const soa_line *line = soa_line_at(&w->lines, i);
        if (line->step == step) {
            put(to, "/* %s = %s */\n", line->left, line->right);
        }
    }
    put(to, "static inline void %s(const soa_call *call, const vars *at, ", name);
    if (strcmp(letter_of(x), letter_of(s)) != 0) {
        put(to, "const %s *%s, ", sweep_type(x), letter_of(x));
    }
    put(to, "%s *%s)\n{\n", sweep_type(s), letter_of(s));
    put_loop(to, x, s, soa_step_reach(w->graph, step));
    put(to, "}\n\n");
}

/* One operator on a declared vector. */
static bool is_one_operator(const soa_graph *graph)
{
    const int step = soa_graph_output_at(graph, 0)->step;
    const soa_step *y = soa_graph_step(graph, step);
    return graph->outputs.count == 1 && y->kind == SOA_STEP_APPLY && y->place.space != SOA_SPACE_POINT &&
           soa_graph_step(graph, y->input[0])->kind == SOA_STEP_INPUT && soa_step_reach(graph, step) != SOA_REACH_WHOLE;
}

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
    soa_graph graph = soa_graph_begin(request->program->terms, &error);
    graph.rotors = true;
    text what = { NULL, 0, 0, false };
    bool good = end - first <= 2;
    for (int i = first; good && i < end; i++) {
        good = soa_graph_add(&graph, OUTPUT[i - first], soa_program_at(request->program, i)->term) == SOA_OK;
        put(&what, "%s%s", i > first ? "\n * " : "", soa_program_at(request->program, i)->text);
    }
    good = good && soa_graph_plan(&graph) == SOA_OK;
    sweep_writer w = { to, &graph, { 0 }, s->name, why, size };
    if (good) {
        w.lines = soa_recursions_of(&graph, SOA_ASCII);
        to->failed = to->failed || w.lines.failed || what.failed;
        if (!to->failed && is_one_operator(&graph)) {
            put_function(to, &w, s->name, soa_graph_output_at(&graph, 0)->step);
        } else if (!to->failed && soa_graph_compile(&graph) == SOA_OK) {
            kernel_recursion_put(to, &graph, &w.lines, s->name, what.at, why, size);
        }
        soa_recursions_free(&w.lines);
    }
    free(what.at);
    soa_graph_free(&graph);
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
