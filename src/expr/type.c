/* expr/type.c - inference of types by unification.
 *
 * Every node goes from one end to another; an end is a variable or its dual. I takes
 * any end to itself, 0 any to any, an adjoint goes between the duals. A root of
 * S: X -> Y, where Y is dual to X, goes from X to the middle N or from N to Y; which
 * of them follows from what stands beside it. */
#include <string.h>

#include "core/error.h"
#include "expr/syntax.h"
#include "expr/type.h"

/* A variable: bound to a place, or the same as (the dual of) another, or free. */
typedef struct variable {
    bool bound;
    soa_place place;
    int parent; /* -1: none */
    bool dual;
} variable;

typedef struct checker {
    soa_parser *p;
    soa_array variables;
    soa_array roots; /* of int: nodes whose direction is open */
    bool failed;
} checker;

/* ---- ends --------------------------------------------------------------------------------- */

static soa_end new_end(checker *c)
{
    variable *made = soa_array_push(&c->variables, c->p->arena.allocator);
    if (!made) {
        (void)soa_parser_fail(c->p, SOA_E_MEMORY, 0, "out of memory");
        c->failed = true;
        return (soa_end){ 0, false };
    }
    made->parent = -1;
    return (soa_end){ c->variables.count - 1, false };
}

/* An end at a place; a free one if the place is ANY. */
static soa_end bound_end(checker *c, soa_place place)
{
    const soa_end end = new_end(c);
    if (!c->failed && place.space != SOA_SPACE_ANY) {
        variable *v = soa_array_at(&c->variables, end.variable);
        v->bound = true;
        v->place = place;
    }
    return end;
}

static soa_end dual_end(soa_end end)
{
    return (soa_end){ end.variable, !end.dual };
}

static soa_end find(const checker *c, soa_end end)
{
    const variable *v = soa_array_at(&c->variables, end.variable);
    while (v->parent >= 0) {
        end = (soa_end){ v->parent, end.dual != v->dual };
        v = soa_array_at(&c->variables, end.variable);
    }
    return end;
}

/* The place of an end; false while it is free. */
static bool place_of(const checker *c, soa_end end, soa_place *place)
{
    const soa_end root = find(c, end);
    const variable *v = soa_array_at(&c->variables, root.variable);
    *place = root.dual ? soa_place_dual(v->place) : v->place;
    return v->bound;
}

static bool unify(checker *c, soa_end a, soa_end b)
{
    soa_place x, y;
    const bool x_bound = place_of(c, a, &x), y_bound = place_of(c, b, &y);
    if (x_bound && y_bound) {
        return soa_place_equal(x, y);
    }
    const soa_end ra = find(c, a), rb = find(c, b);
    if (ra.variable == rb.variable) {
        return ra.dual == rb.dual;
    }
    const soa_end child = x_bound ? rb : ra, parent = x_bound ? ra : rb;
    variable *v = soa_array_at(&c->variables, child.variable);
    v->parent = parent.variable;
    v->dual = child.dual != parent.dual;
    return true;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static bool check_node(checker *c, int index);

static bool check_atom(checker *c, soa_syntax *node)
{
    const soa_type type = node->term->type;
    node->from = bound_end(c, type.from);
    node->to = bound_end(c, type.to);
    return !c->failed;
}

/* I, a number, 0. */
static bool check_constant(checker *c, soa_syntax *node)
{
    const bool zero = node->kind == SOA_SYNTAX_NUMBER && soa_ratio_is_zero(node->value);
    node->from = node->typed ? bound_end(c, node->type.from) : new_end(c);
    node->to = node->typed && zero ? bound_end(c, node->type.to) : zero ? new_end(c) : node->from;
    return !c->failed;
}

static bool check_children(checker *c, int index)
{
    for (int i = soa_parser_node(c->p, index)->first; i >= 0; i = soa_parser_node(c->p, i)->next) {
        if (!check_node(c, i)) {
            return false;
        }
    }
    return true;
}

static soa_ends ends_of(const checker *c, int index)
{
    const soa_syntax *node = soa_parser_node(c->p, index);
    soa_ends ends = { 0 };
    ends.from_known = place_of(c, node->from, &ends.type.from);
    ends.to_known = place_of(c, node->to, &ends.type.to);
    return ends;
}

static bool check_sum(checker *c, int index)
{
    const int first = soa_parser_node(c->p, index)->first;
    for (int i = soa_parser_node(c->p, first)->next; i >= 0; i = soa_parser_node(c->p, i)->next) {
        const soa_syntax *a = soa_parser_node(c->p, first), *b = soa_parser_node(c->p, i);
        const soa_ends left = ends_of(c, first), right = ends_of(c, i);
        if (!unify(c, a->to, b->to) || !unify(c, a->from, b->from)) {
            soa_explain_sum(c->p, first, &left, i, &right);
            return false;
        }
    }
    soa_syntax *node = soa_parser_node(c->p, index);
    node->from = soa_parser_node(c->p, first)->from;
    node->to = soa_parser_node(c->p, first)->to;
    return true;
}

static bool is_number(const soa_ends *ends)
{
    return ends->from_known && ends->to_known && ends->type.from.space == SOA_SPACE_ONE &&
           ends->type.to.space == SOA_SPACE_ONE;
}

/* The factor behind i (-1: the first) that is no number; -1: none. Numbers are marked. */
static int next_factor(const checker *c, int product, int i)
{
    int next = i < 0 ? soa_parser_node(c->p, product)->first : soa_parser_node(c->p, i)->next;
    for (; next >= 0; next = soa_parser_node(c->p, next)->next) {
        const soa_ends ends = ends_of(c, next);
        soa_parser_node(c->p, next)->scales = is_number(&ends);
        if (!is_number(&ends)) {
            break;
        }
    }
    return next;
}

/* Numbers scale what the others make, which is a vector or a number. */
static bool check_scaled(checker *c, int index)
{
    soa_syntax *node = soa_parser_node(c->p, index);
    const soa_ends ends = ends_of(c, index);
    const soa_place one = { SOA_SPACE_ONE, SOA_SIDE_ANY };
    if (!ends.from_known && !ends.to_known) { /* 2 c */
        const soa_end number = bound_end(c, one);
        return !c->failed && unify(c, node->from, number) && unify(c, node->to, number);
    }
    return ends.type.from.space == SOA_SPACE_ONE || ends.type.to.space == SOA_SPACE_ONE ||
           soa_parser_fail(c->p, SOA_E_SYNTAX, node->begin,
               "a number that has no digits multiplies vectors, not operators; apply the operator first: c Mass x") > 0;
}

static bool check_product(checker *c, int index)
{
    soa_syntax *node = soa_parser_node(c->p, index);
    int i = next_factor(c, index, -1);
    if (i < 0) { /* all are numbers, and fit as they stand */
        node->from = node->to = soa_parser_node(c->p, node->first)->from;
        return true;
    }
    bool scaled = i != node->first;
    node->to = soa_parser_node(c->p, i)->to;
    for (int next = next_factor(c, index, i); next >= 0; i = next, next = next_factor(c, index, i)) {
        const soa_ends left = ends_of(c, i), right = ends_of(c, next);
        scaled = scaled || soa_parser_node(c->p, i)->next != next;
        if (!unify(c, soa_parser_node(c->p, i)->from, soa_parser_node(c->p, next)->to)) {
            soa_explain_product(c->p, i, &left, next, &right);
            return false;
        }
    }
    node->from = soa_parser_node(c->p, i)->from;
    return !(scaled || soa_parser_node(c->p, i)->next >= 0) || check_scaled(c, index);
}

static bool check_root(checker *c, int index)
{
    soa_syntax *node = soa_parser_node(c->p, index);
    int *open = soa_array_push(&c->roots, c->p->arena.allocator);
    if (!open) {
        return soa_parser_fail(c->p, SOA_E_MEMORY, node->begin, "out of memory") > 0;
    }
    *open = index;
    node->from = new_end(c);
    node->to = new_end(c);
    return !c->failed;
}

/* A number; of diag( ) what the operator gives, of pinv( ) what an inverse goes between. */
static bool check_measure(checker *c, soa_syntax *node, const soa_syntax *child)
{
    const soa_place one = { SOA_SPACE_ONE, SOA_SIDE_ANY };
    const bool pseudo = node->measure == SOA_MEASURE_PSEUDO;
    node->from = pseudo ? child->to : bound_end(c, one);
    node->to = pseudo ? child->from : node->measure == SOA_MEASURE_DIAGONAL ? child->to : node->from;
    return !c->failed;
}

static bool check_node(checker *c, int index)
{
    soa_syntax *node = soa_parser_node(c->p, index);
    if (!check_children(c, index)) {
        return false;
    }
    const soa_syntax *child = soa_parser_node(c->p, node->first >= 0 ? node->first : index);
    switch (node->kind) {
    case SOA_SYNTAX_ATOM:
        return check_atom(c, node);
    case SOA_SYNTAX_NUMBER:
    case SOA_SYNTAX_IDENTITY:
        return check_constant(c, node);
    case SOA_SYNTAX_SUM:
        return check_sum(c, index);
    case SOA_SYNTAX_PRODUCT:
        return check_product(c, index);
    case SOA_SYNTAX_ROOT:
        return check_root(c, index);
    case SOA_SYNTAX_ADJOINT:
        node->from = dual_end(child->to);
        node->to = dual_end(child->from);
        return true;
    case SOA_SYNTAX_INVERSE:
        node->from = child->to;
        node->to = child->from;
        return true;
    case SOA_SYNTAX_MEASURE:
        return check_measure(c, node, child);
    case SOA_SYNTAX_POWER:
    case SOA_SYNTAX_DERIVATIVE:
    case SOA_SYNTAX_BLOCK:
    case SOA_SYNTAX_OVER_BODIES:
        break;
    }
    node->from = child->from;
    node->to = child->to;
    if (node->kind == SOA_SYNTAX_POWER && !unify(c, child->from, child->to)) {
        return soa_parser_fail(c->p, SOA_E_SYNTAX, node->begin, "a power needs an operator that takes what it gives") >
               0;
    }
    return true;
}

/* ---- roots -------------------------------------------------------------------------------------- */

/* Whether the end can be that place; then it is. */
static bool is_place(checker *c, soa_end end, soa_place place)
{
    soa_place known;
    return place_of(c, end, &known) && soa_place_equal(known, place);
}

static bool bind(checker *c, soa_end end, soa_place place)
{
    const soa_end bound = bound_end(c, place);
    return !c->failed && unify(c, end, bound);
}

/* Settles a root whose one end is known, or with `anyway` from X to the middle. -1: cannot be; 0: open; 1: done. */
static int settle_root(checker *c, int index, bool anyway)
{
    soa_syntax *node = soa_parser_node(c->p, index);
    const soa_syntax *child = soa_parser_node(c->p, node->first);
    soa_place x, y, known;
    const bool x_known = place_of(c, child->from, &x), y_known = place_of(c, child->to, &y);
    if (!x_known || !y_known) {
        return anyway ? (unify(c, node->from, child->from) && unify(c, node->to, child->to) ? 1 : -1) : 0;
    }
    const soa_place middle = { x.space, SOA_SIDE_ANY };
    if (soa_place_equal(x, middle)) {
        return unify(c, node->from, child->from) && unify(c, node->to, child->to) ? 1 : -1;
    }
    if (is_place(c, node->from, x) || is_place(c, node->to, middle)) {
        return bind(c, node->from, x) && bind(c, node->to, middle) ? 1 : -1;
    }
    if (is_place(c, node->from, middle) || is_place(c, node->to, y)) {
        return bind(c, node->from, middle) && bind(c, node->to, y) ? 1 : -1;
    }
    if (place_of(c, node->from, &known) || place_of(c, node->to, &known)) {
        return -1;
    }
    return anyway ? (bind(c, node->from, x) && bind(c, node->to, middle) ? 1 : -1) : 0;
}

static bool settle_roots(checker *c)
{
    bool anyway = false;
    for (int left = c->roots.count; left > 0;) {
        bool any = false;
        for (int i = 0; i < c->roots.count && !(any && anyway); i++) {
            int *open = soa_array_at(&c->roots, i);
            const int result = *open >= 0 ? settle_root(c, *open, anyway) : 0;
            if (result < 0) {
                const soa_syntax *node = soa_parser_node(c->p, *open);
                return soa_parser_fail(
                           c->p, SOA_E_SYNTAX, node->begin, "this root does not fit between what stands beside it") > 0;
            }
            if (result > 0) {
                *open = -1;
                left--;
                any = true;
            }
        }
        anyway = !any;
    }
    return true;
}

/* ---- all -------------------------------------------------------------------------------------------- */

static void keep_types(checker *c)
{
    for (int i = 0; i < c->p->nodes.count; i++) {
        soa_syntax *node = soa_parser_node(c->p, i);
        const soa_ends ends = ends_of(c, i);
        node->type.from = ends.from_known ? ends.type.from : (soa_place){ SOA_SPACE_ANY, SOA_SIDE_ANY };
        node->type.to = ends.to_known ? ends.type.to : (soa_place){ SOA_SPACE_ANY, SOA_SIDE_ANY };
    }
}

static bool check_sides(checker *c, int left, int right)
{
    if (!check_node(c, left) || (right >= 0 && !check_node(c, right))) {
        return false;
    }
    if (right >= 0) {
        const soa_ends a = ends_of(c, left), b = ends_of(c, right);
        const soa_syntax *l = soa_parser_node(c->p, left), *r = soa_parser_node(c->p, right);
        if (!unify(c, l->to, r->to) || !unify(c, l->from, r->from)) {
            soa_explain_sides(c->p, left, &a, right, &b);
            return false;
        }
    }
    return settle_roots(c);
}

bool soa_parser_check(soa_parser *p, int left, int right)
{
    checker c = { .p = p, .variables = soa_array_of(sizeof(variable)), .roots = soa_array_of(sizeof(int)) };
    const bool fits = check_sides(&c, left, right) && !c.failed;
    if (fits) {
        keep_types(&c);
    }
    soa_array_free(&c.variables, p->arena.allocator);
    soa_array_free(&c.roots, p->arena.allocator);
    return fits;
}
