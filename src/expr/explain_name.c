/* expr/explain_name.c - which steps have a line of their own, and what they are called. */
#include <stdio.h>
#include <string.h>

#include "expr/explain.h"

static int consumer_of(const soa_graph *graph, int step)
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
    const int consumer = s->uses == 1 ? consumer_of(graph, step) : -1;
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

/* The papers' letter for what a step is. */
static const char *letter(const soa_step *s)
{
    if (s->kind == SOA_STEP_APPLY && s->op == SOA_OP_PSI) {
        return s->adjoint ? "lambda" : "z";
    }
    if (s->kind == SOA_STEP_APPLY && s->op == SOA_OP_PHI) {
        return s->adjoint ? "alpha" : "f";
    }
    const bool force = s->place.side == SOA_SIDE_FORCE;
    switch (s->place.space) {
    case SOA_SPACE_JOINT:
        return force ? "eps" : "nu";
    case SOA_SPACE_BODY:
        return force ? "zeta" : "mu";
    case SOA_SPACE_POINT:
        return force ? "F" : "w";
    case SOA_SPACE_CONSTRAINT:
        return "r";
    default:
        return "s";
    }
}

static bool is_taken(const soa_recursions *r, const char *name)
{
    static const char *const state[] = { "V", "a", "b", "g" };
    for (int i = 0; i < r->graph->steps.count; i++) {
        if (r->name[i] && strcmp(r->name[i], name) == 0) {
            return true;
        }
    }
    for (int i = 0; i < 4; i++) {
        if (strcmp(state[i], name) == 0) {
            return true;
        }
    }
    return soa_operator_find(name) != SOA_OPERATORS;
}

/* How often each letter was given. */
typedef struct letters {
    const char *letter[16];
    int given[16];
} letters;

static int *given_of(letters *l, const char *letter)
{
    int i = 0;
    while (l->letter[i] && strcmp(l->letter[i], letter) != 0) {
        i++;
    }
    l->letter[i] = letter;
    return &l->given[i];
}

/* z, z2, z3, ...: the next that nothing else is called. */
static const char *free_name(soa_recursions *r, letters *l, const char *like)
{
    char name[64];
    int *given = given_of(l, like);
    do {
        snprintf(name, sizeof name, "%s", like);
        if (++*given > 1) {
            snprintf(name, sizeof name, "%s%d", like, *given);
        }
    } while (is_taken(r, name));
    return soa_arena_text(&r->arena, name);
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
    letters l = { 0 };
    r->name = soa_arena_take(&r->arena, (size_t)graph->steps.count + 1, sizeof *r->name);
    int *inner = soa_arena_take(&r->arena, (size_t)graph->steps.count + 1, sizeof *inner);
    if (!r->name || !inner) {
        return false;
    }
    for (int i = 0; i < graph->steps.count; i++) {
        r->name[i] = given_name(soa_graph_step(graph, i));
    }
    for (int i = 0; i < graph->outputs.count; i++) {
        const soa_graph_output *out = soa_graph_output_at(graph, i);
        if (!r->name[out->step]) {
            r->name[out->step] = out->name;
        }
    }
    for (int i = 0; i < graph->steps.count; i++) {
        const soa_step *s = soa_graph_step(graph, i);
        inner[i] = depth_inside(r, s, inner);
        if (!r->name[i] && s->uses > 0 && s->kind != SOA_STEP_ZERO &&
            (!is_inline(graph, i) || inner[i] > INLINE_MOST)) {
            r->name[i] = free_name(r, &l, letter(s));
            if (!r->name[i]) {
                return false;
            }
        }
    }
    return true;
}

/* Digits as an index: _{2}, or ₂. */
static void put_digits(const char *digits, soa_notation notation, soa_page *text)
{
    if (notation == SOA_LATEX && digits[0]) {
        soa_page_format(text, "_{%s}", digits);
        return;
    }
    for (; *digits; digits++) {
        const char sign[] = { '\xe2', '\x82', (char)(0x80 + (*digits - '0')), '\0' };
        soa_page_put(text, sign);
    }
}

void soa_put_name(const char *name, soa_notation notation, soa_page *text)
{
    char stem[64];
    size_t length = strlen(name);
    while (length > 1 && name[length - 1] >= '0' && name[length - 1] <= '9' && !strchr(name, '_')) {
        length--;
    }
    if (notation == SOA_ASCII || length >= sizeof stem) {
        soa_print_name(name, notation, text);
        return;
    }
    memcpy(stem, name, length);
    stem[length] = '\0';
    soa_print_name(strcmp(stem, "eps") == 0 ? "epsilon" : stem, notation, text);
    put_digits(name + length, notation, text);
}

void soa_put_along_open(const soa_recursions *r, soa_along along, soa_page *text)
{
    for (int i = 0; i < along.count; i++) {
        soa_page_put(text, r->notation == SOA_LATEX ? "d\\left(" : "d(");
    }
}

void soa_put_along_close(const soa_recursions *r, soa_along along, soa_page *text)
{
    for (int i = 0; i < along.count; i++) {
        soa_page_put(text, ", ");
        soa_print_term(r->graph->terms, soa_graph_coordinate_at(r->graph, along.at[i])->term, r->notation, text);
        soa_page_put(text, r->notation == SOA_LATEX ? "\\right)" : ")");
    }
}
