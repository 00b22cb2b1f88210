/* expr/explain_name.c - which steps have a line of their own, and what they are called. */
#include <stdio.h>
#include <string.h>

#include "expr/explain.h"

int soa_step_consumer(const soa_graph *graph, int step)
{
    for (int i = step + 1; i < graph->steps.count; i++) {
        const soa_step *s = soa_graph_step(graph, i);
        for (int j = 0; s->uses > 0 && j < s->count; j++) {
            if (s->input[j] == step) {
                return i;
            }
        }
    }
    return -1;
}

/* Whether a step is written where it is used: what is used once and is no recursion. */
static bool is_inline(const soa_graph *graph, int step)
{
    const soa_step *s = soa_graph_step(graph, step);
    const soa_reach reach = soa_step_reach(graph, step);
    const int consumer = s->uses == 1 ? soa_step_consumer(graph, step) : -1;
    if (consumer < 0 || s->kind == SOA_STEP_STATE || soa_graph_step(graph, consumer)->kind == SOA_STEP_BRANCH) {
        return false;
    }
    const soa_reach by = soa_step_reach(graph, consumer);
    if (s->kind == SOA_STEP_SUM) {
        return s->place.space == SOA_SPACE_BODY && reach == SOA_REACH_LOCAL &&
               (by == SOA_REACH_RUN_IN || by == SOA_REACH_RUN_OUT);
    }
    if (reach == SOA_REACH_NEAR_IN ||
        reach == SOA_REACH_NEAR_OUT) { /* behind another factor it would need its own index */
        return soa_graph_step(graph, consumer)->kind == SOA_STEP_SUM || by == SOA_REACH_RUN_IN ||
               by == SOA_REACH_RUN_OUT;
    }
    return reach == SOA_REACH_LOCAL && s->kind != SOA_STEP_BRANCH && by != SOA_REACH_WHOLE;
}

/* The papers' letters for what a step is. */
static const char *const letters[] = { "z", "lambda", "f", "alpha", "eps", "nu", "zeta", "mu", "F", "w", "r", "s" };
enum { LETTERS = sizeof letters / sizeof letters[0] };

/* The number of a step's letter. */
static int letter_of(const soa_step *s)
{
    static const int by_space[] = { [SOA_SPACE_JOINT] = 4, [SOA_SPACE_BODY] = 6, [SOA_SPACE_POINT] = 8 };
    const soa_space space = s->place.space;
    if (s->kind == SOA_STEP_APPLY && (s->op == SOA_OP_PSI || s->op == SOA_OP_PHI)) {
        return (s->op == SOA_OP_PSI ? 0 : 2) + s->adjoint;
    }
    return space == SOA_SPACE_JOINT || space == SOA_SPACE_BODY || space == SOA_SPACE_POINT
               ? by_space[space] + (s->place.side != SOA_SIDE_FORCE)
               : (space == SOA_SPACE_CONSTRAINT ? LETTERS - 2 : LETTERS - 1);
}

static bool is_taken(const soa_recursions *r, const char *name)
{
    bool taken = soa_operator_find(name) != SOA_OPERATORS || (strlen(name) == 1 && strchr("Vabg", name[0]));
    for (int i = 0; i < r->graph->steps.count && !taken; i++) {
        taken = r->name[i] && strcmp(r->name[i], name) == 0;
    }
    return taken;
}

/* z, z2, z3, ...: the next that nothing else is called; given: how often each letter was. */
static const char *free_name(soa_recursions *r, int letter, int *given)
{
    char name[64];
    do {
        const int count = ++given[letter];
        (void)snprintf(name, sizeof name, count > 1 ? "%s%d" : "%s", letters[letter], count);
    } while (is_taken(r, name));
    return soa_arena_text(r->graph->arena, name);
}

static const char *given_name(const soa_step *s)
{
    static const char *const state[] = { "V", "a", "b", "g", "P", "R", "Ups", "b_Arm" };
    if (s->kind == SOA_STEP_STATE) {
        return state[s->state];
    }
    return s->kind == SOA_STEP_INPUT ? s->name[0] == '\0' ? "x" : s->name : NULL;
}

/* Steps written inside each other at most: a longer chain gets names on the way. */
enum { INLINE_MOST = 40 };

/* How many steps are written inside each other where a step is written; inner: of those before it. */
static int depth_inside(const soa_recursions *r, const soa_step *s, const int *inner)
{
    int depth = 0;
    for (int i = 0; i < s->count; i++) {
        const int input = s->input[i];
        depth = !r->name[input] && inner[input] >= depth ? inner[input] + 1 : depth;
    }
    return depth;
}

bool soa_recursions_name(soa_recursions *r)
{
    const soa_graph *graph = r->graph;
    int given[LETTERS] = { 0 };
    r->name = soa_arena_take(r->graph->arena, (size_t)graph->steps.count + 1, sizeof *r->name);
    int *inner = soa_arena_take(r->graph->arena, (size_t)graph->steps.count + 1, sizeof *inner);
    if (!r->name || !inner) {
        return false;
    }
    for (int i = 0; i < graph->steps.count; i++) {
        r->name[i] = given_name(soa_graph_step(graph, i));
    }
    for (int i = 0; i < graph->outputs.count; i++) {
        const soa_graph_output *out = soa_graph_output_at(graph, i);
        r->name[out->step] = r->name[out->step] ? r->name[out->step] : out->name;
    }
    bool fine = true;
    for (int i = 0; i < graph->steps.count && fine; i++) {
        const soa_step *s = soa_graph_step(graph, i);
        inner[i] = depth_inside(r, s, inner);
        if (!r->name[i] && s->uses > 0 && s->kind != SOA_STEP_ZERO &&
            (!is_inline(graph, i) || inner[i] > INLINE_MOST)) {
            r->name[i] = free_name(r, letter_of(s), given);
            fine = r->name[i] != NULL;
        }
    }
    return fine;
}
