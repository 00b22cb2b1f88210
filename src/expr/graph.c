/* expr/graph.c - the steps of a graph, each made once. */
#include "expr/graph.h"

#include <string.h>

#include "core/error.h"

soa_graph soa_graph_begin(soa_terms *terms, soa_arena *arena, soa_error *error)
{
    return (soa_graph){ .arena = arena, .terms = terms, .turning = true, .error = error };
}

int soa_graph_fail(soa_graph *graph, soa_status status, const char *text)
{
    if (graph->status == SOA_OK) {
        graph->status = text ? soa_fail(graph->error, status, -1, "%s", text) : soa_fail_memory(graph->error);
    }
    return -1;
}

/* ---- steps ------------------------------------------------------------------------------- */

static bool same(const soa_step *a, const soa_step *b)
{
    const size_t n = (size_t)a->count;
    return a->kind == b->kind && a->op == b->op && a->adjoint == b->adjoint && a->state == b->state &&
           a->matrix == b->matrix && a->count == b->count && !a->factor == !b->factor &&
           soa_along_equal(a->along, b->along) && soa_place_equal(a->place, b->place) &&
           (a->name == b->name || (a->name && b->name && strcmp(a->name, b->name) == 0)) &&
           (n == 0 || memcmp(a->input, b->input, n * sizeof *a->input) == 0) &&
           (!a->factor || !b->factor || memcmp(a->factor, b->factor, n * sizeof *a->factor) == 0);
}

void *soa_graph_take(soa_graph *graph, size_t count, size_t size)
{
    void *room = soa_arena_take(graph->arena, count + 1, size);
    if (!room) {
        soa_graph_fail(graph, SOA_E_MEMORY, NULL);
    }
    return room;
}

static void *copied(soa_graph *graph, const void *from, size_t count, size_t size)
{
    void *to = soa_graph_take(graph, count, size);
    if (to && count > 0) {
        memcpy(to, from, count * size);
    }
    return to;
}

int soa_graph_make(soa_graph *graph, soa_step like)
{
    for (int i = 0; i < like.count; i++) {
        if (like.input[i] < 0) {
            return -1;
        }
    }
    for (int i = 0; i < graph->steps.count; i++) {
        if (same(soa_graph_step(graph, i), &like)) {
            return i;
        }
    }
    if (graph->steps.count >= SOA_GRAPH_STEPS) {
        return soa_graph_fail(graph, SOA_E_LIMIT, "the expression needs too many steps; break it up or simplify it");
    }
    const size_t n = (size_t)like.count;
    const bool sum = like.factor != NULL;
    like.input = copied(graph, like.input, n, sizeof *like.input);
    like.factor = sum ? copied(graph, like.factor, n, sizeof *like.factor) : NULL;
    const char *name = like.name ? soa_arena_text(graph->arena, like.name) : NULL;
    const bool copies = like.input && (!sum || like.factor) && (!like.name || name);
    like.name = name;
    return copies && soa_arena_add(graph->arena, &graph->steps, &like, sizeof like)
               ? graph->steps.count - 1
               : soa_graph_fail(graph, SOA_E_MEMORY, NULL);
}

int soa_graph_input(soa_graph *graph, const char *name, soa_place place)
{
    return soa_graph_make(graph, (soa_step){ .kind = SOA_STEP_INPUT, .place = place, .name = name, .need = -1 });
}

int soa_graph_zero(soa_graph *graph, soa_place place)
{
    return soa_graph_make(graph, (soa_step){ .kind = SOA_STEP_ZERO, .place = place, .need = -1 });
}

int soa_graph_state(soa_graph *graph, soa_state_part part)
{
    const soa_part_step *about = soa_part_step_of(part);
    if (part == SOA_STATE_ARMATURE && !graph->turning) {
        return soa_graph_zero(graph, about->place);
    }
    const int need = about->need < 0 ? -1 : soa_graph_state(graph, (soa_state_part)about->need);
    return soa_graph_make(
        graph, (soa_step){ .kind = SOA_STEP_STATE, .place = about->place, .state = part, .need = need });
}

/* Zeros go, equal inputs become one; a sum of one with factor 1 is that one. */
int soa_graph_sum(soa_graph *graph, soa_place place, int count, const double *factor, const int *input)
{
    double *f = soa_graph_take(graph, (size_t)count, sizeof *f);
    int *x = soa_graph_take(graph, (size_t)count, sizeof *x);
    if (!f || !x) {
        return -1;
    }
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (input[i] < 0) {
            return -1;
        }
        if (soa_graph_step(graph, input[i])->kind == SOA_STEP_ZERO || factor[i] == 0.0) {
            continue;
        }
        int at = 0;
        while (at < n && x[at] != input[i]) {
            at++;
        }
        x[at] = input[i];
        f[at] = (at < n ? f[at] : 0.0) + factor[i];
        n = at < n ? n : n + 1;
    }
    if (n == 0) {
        return soa_graph_zero(graph, place);
    }
    if (n == 1 && f[0] == 1.0) {
        return x[0];
    }
    return soa_graph_make(
        graph, (soa_step){ .kind = SOA_STEP_SUM, .place = place, .need = -1, .count = n, .input = x, .factor = f });
}

int soa_graph_apply_one(soa_graph *graph, soa_operator op, bool adjoint, int x)
{
    const soa_operator_info about = soa_operator_about(op, adjoint);
    const soa_place place = { about.codomain_space, about.codomain_side };
    if (x >= 0 && soa_graph_step(graph, x)->kind == SOA_STEP_ZERO) {
        return soa_graph_zero(graph, place);
    }
    const bool adjoint_differs = adjoint && !about.symmetric;
    const int part = soa_operator_step_of(op)->need,
              need = part < 0 ? -1 : soa_graph_state(graph, (soa_state_part)part);
    const soa_step step = { .kind = SOA_STEP_APPLY,
        .place = place,
        .op = op,
        .adjoint = adjoint_differs,
        .need = need,
        .count = 1,
        .input = &x };
    return soa_graph_make(graph, step);
}

/* The number of a matrix of the graph that is like this one, which is added if there is none. */
static int matrix_like(soa_graph *graph, soa_graph_matrix like)
{
    for (int i = 0; i < graph->matrices.count; i++) {
        const soa_graph_matrix *m = soa_graph_matrix_at(graph, i);
        if (m->kind == like.kind && m->term == like.term && m->rate == like.rate && m->measure == like.measure) {
            return i;
        }
    }
    return soa_arena_add(graph->arena, &graph->matrices, &like, sizeof like)
               ? graph->matrices.count - 1
               : soa_graph_fail(graph, SOA_E_MEMORY, NULL);
}

int soa_graph_multiply(soa_graph *graph, soa_graph_matrix like, soa_place to, bool adjoint, int x)
{
    const int matrix = x < 0 ? -1 : matrix_like(graph, like);
    const soa_step step = {
        .kind = SOA_STEP_MATRIX, .place = to, .adjoint = adjoint, .matrix = matrix, .need = -1, .count = 1, .input = &x
    };
    return matrix < 0 ? -1 : soa_graph_make(graph, step);
}

int soa_graph_measured(soa_graph *graph, soa_graph_matrix like, const char *name, soa_place place)
{
    const bool measure = like.kind == SOA_MATRIX_MEASURE;
    like.block = measure ? soa_term_is_block(graph->terms, like.term) : (soa_block){ 0 };
    like.blocks = measure && soa_kind_is_blocks(like.term->causality, like.term->type);
    const int matrix = matrix_like(graph, like);
    const soa_step step = { .kind = SOA_STEP_INPUT, .place = place, .name = name, .matrix = matrix + 1, .need = -1 };
    return matrix < 0 ? -1 : soa_graph_make(graph, step);
}

/* ---- outputs ------------------------------------------------------------------------------ */

/* Adds a step that is made to one of the lists. */
static soa_status push(soa_graph *graph, soa_array *list, const char *name, const soa_term *term, int step)
{
    const soa_graph_output made = { step < 0 ? NULL : soa_arena_text(graph->arena, name), term, step };
    if (!made.name || !soa_arena_add(graph->arena, list, &made, sizeof made)) {
        soa_graph_fail(graph, SOA_E_MEMORY, NULL);
    }
    return graph->status;
}

soa_status soa_graph_add_call(soa_graph *graph, const char *name, const soa_term *term)
{
    const size_t size = strlen(name) + 2;
    char *given = soa_graph_take(graph, size, 1);
    if (given) {
        given[0] = '='; /* a name that nobody can declare */
        memcpy(given + 1, name, size - 1);
    }
    return push(graph, &graph->calls, name, term, given ? soa_graph_input(graph, given, term->type.to) : -1);
}

soa_status soa_graph_add(soa_graph *graph, const char *name, const soa_term *term)
{
    const soa_term *open = soa_graph_expanded(graph, term);
    if (!open) {
        return graph->status;
    }
    const int x =
        soa_term_is_vector(open) ? SOA_GRAPH_ONE : soa_graph_input(graph, SOA_GRAPH_ARGUMENT, open->type.from);
    return push(graph, &graph->outputs, name, term, soa_graph_apply(graph, open, false, x));
}
