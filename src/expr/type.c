/* expr/type.c - inference of types by unification.
 *
 * Every node goes from one end to another; an end is an unknown place or its dual. I takes
 * any end to itself, 0 any to any, an adjoint goes between the duals. A root of
 * S: X -> Y, where Y is dual to X, goes from X to the middle N or from N to Y; which
 * of them follows from what stands beside it. */
#include "expr/syntax.h"

static const soa_place ANY = { SOA_SPACE_ANY, SOA_SIDE_ANY }, ONE = { SOA_SPACE_ONE, SOA_SIDE_ANY };

typedef struct checker {
    soa_parser *p;
    soa_syntax *roots, **last; /* those whose direction is open */
} checker;

/* ---- ends --------------------------------------------------------------------------------- */

static soa_end dual_end(soa_end end)
{
    return (soa_end){ end.at, !end.dual };
}

static soa_end find(soa_end end)
{
    while (end.at->same) {
        end = (soa_end){ end.at->same, end.dual != end.at->dual };
    }
    return end;
}

/* The place of an end; false while it is free. */
static bool place_of(soa_end end, soa_place *place)
{
    const soa_end root = find(end);
    *place = root.dual ? soa_place_dual(root.at->place) : root.at->place;
    return root.at->found;
}

static bool is_place(soa_end end, soa_place place)
{
    soa_place known;
    return place_of(end, &known) && soa_place_equal(known, place);
}

/* Puts an end at a place; false if it is at another one. */
static bool bind(soa_end end, soa_place place)
{
    const soa_end root = find(end);
    if (!root.at->found && place.space != SOA_SPACE_ANY) {
        root.at->found = true;
        root.at->place = root.dual ? soa_place_dual(place) : place;
    }
    return place.space == SOA_SPACE_ANY || is_place(end, place);
}

/* An end of a node that nothing is known of but its place, if that is not ANY. */
static soa_end own_end(soa_syntax *node, int which, soa_place place)
{
    const soa_end end = { &node->own[which], false };
    (void)bind(end, place);
    return end;
}

static bool unify(soa_end a, soa_end b)
{
    soa_place x, y;
    const bool x_found = place_of(a, &x), y_found = place_of(b, &y);
    if (x_found && y_found) {
        return soa_place_equal(x, y);
    }
    const soa_end ra = find(a), rb = find(b), child = x_found ? rb : ra, parent = x_found ? ra : rb;
    if (ra.at == rb.at) {
        return ra.dual == rb.dual;
    }
    child.at->same = parent.at;
    child.at->dual = child.dual != parent.dual;
    return true;
}

static soa_typed typed(const soa_syntax *node)
{
    soa_typed is = { .node = node };
    is.from_known = place_of(node->from, &is.type.from);
    is.to_known = place_of(node->to, &is.type.to);
    return is;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* What has a term; I, a number, 0. */
static bool check_leaf(soa_syntax *node)
{
    const bool atom = node->kind == SOA_SYNTAX_ATOM;
    const bool zero = node->kind == SOA_SYNTAX_NUMBER && soa_ratio_is_zero(node->value);
    const soa_type any = { ANY, ANY }, type = atom ? node->term->type : node->typed ? node->type : any;
    node->from = own_end(node, 0, type.from);
    node->to = atom || zero ? own_end(node, 1, type.to) : node->from;
    return true;
}

/* Whether both go between the same ends; if not, that is explained. */
static bool check_alike(checker *c, const soa_syntax *a, const soa_syntax *b, const char *conclusion)
{
    const soa_typed left = typed(a), right = typed(b);
    return (unify(a->to, b->to) && unify(a->from, b->from)) || soa_explain_pair(c->p, left, right, conclusion);
}

static bool check_sum(checker *c, soa_syntax *node)
{
    node->from = node->first->from;
    node->to = node->first->to;
    for (const soa_syntax *i = node->first->next; i; i = i->next) {
        if (!check_alike(c, node->first, i, "they cannot be added")) {
            return false;
        }
    }
    return true;
}

/* The factor from i on that is no number; NULL: none. Numbers are marked. */
static soa_syntax *next_factor(soa_syntax *i)
{
    for (; i; i = i->next) {
        i->scales = is_place(i->from, ONE) && is_place(i->to, ONE);
        if (!i->scales) {
            break;
        }
    }
    return i;
}

/* Numbers scale what the others make, which is a vector or a number. */
static bool check_scaled(checker *c, const soa_syntax *node)
{
    const soa_typed is = typed(node);
    if (!is.from_known && !is.to_known) { /* 2 c */
        return bind(node->from, ONE) && bind(node->to, ONE);
    }
    return is.type.from.space == SOA_SPACE_ONE || is.type.to.space == SOA_SPACE_ONE ||
           soa_parser_fail(c->p, SOA_E_SYNTAX, node->begin,
               "a number that has no digits multiplies vectors, not operators; apply the operator first: c Mass x");
}

static bool check_product(checker *c, soa_syntax *node)
{
    soa_syntax *i = next_factor(node->first);
    if (!i) { /* all are numbers, and fit as they stand */
        node->from = node->to = node->first->from;
        return true;
    }
    bool scaled = i != node->first;
    node->to = i->to;
    for (soa_syntax *next = next_factor(i->next); next; i = next, next = next_factor(i->next)) {
        const soa_typed left = typed(i), right = typed(next);
        scaled = scaled || i->next != next;
        if (!unify(i->from, next->to)) {
            return soa_explain_product(c->p, left, right);
        }
    }
    node->from = i->from;
    return !(scaled || i->next) || check_scaled(c, node);
}

static void check_root(checker *c, soa_syntax *node)
{
    *c->last = node;
    c->last = &node->next_root;
    node->from = own_end(node, 0, ANY);
    node->to = own_end(node, 1, ANY);
}

static bool check_node(checker *c, soa_syntax *node)
{
    const soa_syntax *child = node->first;
    if (!child) {
        return check_leaf(node);
    }
    for (soa_syntax *i = node->first; i; i = i->next) {
        if (!check_node(c, i)) {
            return false;
        }
    }
    switch (node->kind) {
    case SOA_SYNTAX_SUM:
        return check_sum(c, node);
    case SOA_SYNTAX_PRODUCT:
        return check_product(c, node);
    case SOA_SYNTAX_ROOT:
        check_root(c, node);
        return true;
    case SOA_SYNTAX_ADJOINT:
        node->from = dual_end(child->to);
        node->to = dual_end(child->from);
        return true;
    case SOA_SYNTAX_INVERSE:
        node->from = child->to;
        node->to = child->from;
        return true;
    case SOA_SYNTAX_MEASURE: /* a number; of diag( ) what the operator gives, of pinv( ) what an inverse goes between */
        node->from = node->measure == SOA_MEASURE_PSEUDO ? child->to : own_end(node, 0, ONE);
        node->to = node->measure == SOA_MEASURE_PSEUDO     ? child->from
                   : node->measure == SOA_MEASURE_DIAGONAL ? child->to
                                                           : node->from;
        return true;
    default: /* powers, derivatives, blocks, sums over bodies */
        node->from = child->from;
        node->to = child->to;
    }
    return node->kind != SOA_SYNTAX_POWER || unify(child->from, child->to) ||
           soa_parser_fail(c->p, SOA_E_SYNTAX, node->begin, "a power needs an operator that takes what it gives");
}

/* ---- roots -------------------------------------------------------------------------------------- */

typedef enum settled { CANNOT_BE, OPEN, DONE } settled;

/* Settles a root whose one end is known, or with `anyway` from X to the middle. */
static settled settle_root(const soa_syntax *node, bool anyway)
{
    const soa_syntax *child = node->first;
    soa_place x, y, known;
    const bool x_known = place_of(child->from, &x), y_known = place_of(child->to, &y);
    const soa_place middle = { x.space, SOA_SIDE_ANY };
    if (!x_known || !y_known || soa_place_equal(x, middle)) {
        return !(anyway || (x_known && y_known))                              ? OPEN
               : unify(node->from, child->from) && unify(node->to, child->to) ? DONE
                                                                              : CANNOT_BE;
    }
    const bool inner = is_place(node->from, middle) || is_place(node->to, y);
    const bool outer = is_place(node->from, x) || is_place(node->to, middle);
    const bool told = place_of(node->from, &known) || place_of(node->to, &known);
    if (!outer && !inner && (told || !anyway)) {
        return told ? CANNOT_BE : OPEN;
    }
    const bool behind = inner && !outer;
    return bind(node->from, behind ? middle : x) && bind(node->to, behind ? y : middle) ? DONE : CANNOT_BE;
}

static bool settle_roots(checker *c)
{
    for (bool anyway = false; c->roots;) {
        bool any = false;
        for (soa_syntax **at = &c->roots; *at && !(any && anyway);) {
            const settled is = settle_root(*at, anyway);
            if (is == CANNOT_BE) {
                return soa_parser_fail(
                    c->p, SOA_E_SYNTAX, (*at)->begin, "this root does not fit between what stands beside it");
            }
            any = any || is == DONE;
            if (is == DONE) {
                *at = (*at)->next_root;
            } else {
                at = &(*at)->next_root;
            }
        }
        anyway = !any;
    }
    return true;
}

/* ---- all -------------------------------------------------------------------------------------------- */

static void keep_types(soa_syntax *node)
{
    const soa_typed is = typed(node);
    node->type.from = is.from_known ? is.type.from : ANY;
    node->type.to = is.to_known ? is.type.to : ANY;
    for (soa_syntax *i = node->first; i; i = i->next) {
        keep_types(i);
    }
}

bool soa_parser_check(soa_parser *p, soa_syntax *left, soa_syntax *right)
{
    checker c = { .p = p };
    c.last = &c.roots;
    if (!check_node(&c, left) || (right && !check_node(&c, right)) ||
        (right && !check_alike(&c, left, right, "they cannot be equal")) || !settle_roots(&c)) {
        return false;
    }
    keep_types(left);
    if (right) {
        keep_types(right);
    }
    return true;
}
