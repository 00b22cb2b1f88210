/* expr/build.c - terms of a checked syntax tree. */
#include <math.h>

#include "expr/parse.h"
#include "expr/syntax.h"
#include "expr/traits.h"

static const soa_term *fail_room(soa_parser *p, int node)
{
    const soa_status status = soa_terms_status(p->pool);
    (void)soa_parser_fail(p, status == SOA_OK ? SOA_E_LIMIT : status, soa_parser_node(p, node)->begin,
        status == SOA_E_MEMORY   ? "out of memory"
        : status == SOA_E_NUMBER ? "a number here has too many digits to be exact"
                                 : "the expression is too large");
    return NULL;
}

/* ---- children ------------------------------------------------------------------------------ */

typedef struct children {
    int count;
    const soa_term **term;
    soa_ratio *factor;
} children;

static bool build_children(soa_parser *p, int node, children *made)
{
    int count = 0;
    for (int i = soa_parser_node(p, node)->first; i >= 0; i = soa_parser_node(p, i)->next) {
        count++;
    }
    made->term = soa_arena_take(&p->arena, (size_t)count, sizeof(void *));
    made->factor = soa_arena_take(&p->arena, (size_t)count, sizeof *made->factor);
    if (!made->term || !made->factor) {
        (void)soa_parser_fail(p, SOA_E_MEMORY, 0, "out of memory");
        return false;
    }
    made->count = 0;
    for (int i = soa_parser_node(p, node)->first; i >= 0; i = soa_parser_node(p, i)->next) {
        const soa_term *term = soa_parser_build(p, i);
        if (!term) {
            return false;
        }
        made->factor[made->count] = soa_ratio_of(soa_parser_node(p, i)->sign);
        made->term[made->count++] = term;
    }
    return true;
}

/* Numbers that scale stand where they fit: behind a vector, or before the adjoint of one. */
static const soa_term *build_product(soa_parser *p, int index, const children *of)
{
    const soa_syntax *node = soa_parser_node(p, index);
    const bool behind = node->type.from.space == SOA_SPACE_ONE;
    const soa_term **factor = soa_arena_take(&p->arena, (size_t)of->count, sizeof(void *));
    int count = 0;
    for (int pass = 0; factor && pass < 2; pass++) {
        int child = 0;
        for (int i = node->first; i >= 0 && child < of->count; i = soa_parser_node(p, i)->next, child++) {
            if (soa_parser_node(p, i)->scales == (behind == (pass == 1))) {
                factor[count++] = of->term[child];
            }
        }
    }
    return factor ? soa_term_product(p->pool, count, factor) : NULL;
}

/* ---- one node -------------------------------------------------------------------------------- */

static const soa_term *build_number(soa_parser *p, const soa_syntax *node)
{
    if (soa_ratio_is_zero(node->value)) {
        return soa_term_zero(p->pool, node->type);
    }
    const soa_term *identity = soa_term_identity(p->pool, node->type.to);
    return soa_ratio_is(node->value, 1) ? identity : soa_term_scale(p->pool, node->value, identity);
}

static const soa_term *build_power(soa_parser *p, soa_ratio power, const soa_term *base)
{
    const soa_term *factor[32];
    const int count = (int)soa_ratio_double(power);
    for (int i = 0; i < count; i++) {
        factor[i] = base;
    }
    return soa_term_product(p->pool, count, factor);
}

static const soa_term *build_root(soa_parser *p, int index, const soa_term *of)
{
    const soa_syntax *node = soa_parser_node(p, index);
    soa_ratio number;
    if (soa_term_is_number(of, &number) && number.num > 0) {
        const soa_ratio root = soa_ratio_root(number);
        if (!soa_ratio_is_number(root)) {
            (void)soa_parser_fail(p, SOA_E_NUMBER, node->begin, "the root of this number is no fraction");
            return NULL;
        }
        return soa_term_scale(p->pool, root, soa_term_identity(p->pool, node->type.to));
    }
    const soa_traits traits = soa_term_traits(p->pool, of);
    if (of->causality != SOA_KIND_MEMORYLESS || !traits.positive) {
        (void)soa_parser_fail(
            p, SOA_E_SYNTAX, node->begin, "only a memoryless positive definite operator has a root, such as D^(1/2)");
        return NULL;
    }
    return soa_term_root(p->pool, of, soa_place_equal(node->type.from, of->type.from));
}

static const soa_term *fail_part(soa_parser *p, const soa_syntax *node, const char *why)
{
    (void)soa_parser_fail(p, SOA_E_SYNTAX, node->begin, "%s", why);
    return NULL;
}

static const soa_term *build_measure(soa_parser *p, const soa_syntax *node, const soa_term *of)
{
    if (of->type.from.space == SOA_SPACE_ANY || of->type.to.space == SOA_SPACE_ANY) {
        return fail_part(p, node, "this could have any type; say which, as in I[joint force]");
    }
    if (node->measure != SOA_MEASURE_PSEUDO && of->type.from.space != of->type.to.space) {
        return fail_part(p, node, "only an operator from joints to joints, bodies to bodies or alike has a diagonal");
    }
    return soa_term_measure(p->pool, node->measure, of);
}

static bool has_blocks(soa_space space)
{
    return space == SOA_SPACE_BODY || space == SOA_SPACE_JOINT;
}

static const soa_term *build_block(soa_parser *p, const soa_syntax *node, const soa_term *of)
{
    const bool vector = soa_term_is_vector(of);
    const bool points =
        of->type.to.space == SOA_SPACE_POINT && (vector || of->type.from.space == SOA_SPACE_POINT); /* Lambda[2] */
    if (!points && (!has_blocks(of->type.to.space) || !(vector || has_blocks(of->type.from.space)))) {
        return fail_part(p, node, "only what is of bodies or joints has a block at a body; of points write J_2");
    }
    if (vector && node->row != node->col) {
        return fail_part(p, node, "a vector has blocks of one body: V[2]");
    }
    return soa_term_block(p->pool, of, node->row, node->col);
}

static const soa_term *build_over_bodies(soa_parser *p, const soa_syntax *node, const soa_term *of)
{
    bool refused = false;
    const soa_term *sum = soa_term_over_bodies(p->pool, of, node->row, &refused);
    return !refused
               ? sum
               : fail_part(p, node, "each part of a sum over bodies is a product with one block of the body in turn");
}

/* Of a node with one child. */
static const soa_term *build_unary(soa_parser *p, int index, const soa_term *of)
{
    const soa_syntax *node = soa_parser_node(p, index);
    switch (node->kind) {
    case SOA_SYNTAX_ADJOINT:
        return soa_term_adjoint(p->pool, of);
    case SOA_SYNTAX_POWER:
        return build_power(p, node->value, of);
    case SOA_SYNTAX_ROOT:
        return build_root(p, index, of);
    case SOA_SYNTAX_DERIVATIVE:
        return soa_term_derivative(p->pool, of, node->term);
    case SOA_SYNTAX_MEASURE:
        return build_measure(p, node, of);
    case SOA_SYNTAX_BLOCK:
        return build_block(p, node, of);
    case SOA_SYNTAX_OVER_BODIES:
        return build_over_bodies(p, node, of);
    default:
        return soa_parser_invertible(p, index, of) ? soa_term_inverse(p->pool, of) : NULL;
    }
}

static const soa_term *build_one(soa_parser *p, int index, const children *of)
{
    const soa_syntax *node = soa_parser_node(p, index);
    switch (node->kind) {
    case SOA_SYNTAX_NUMBER:
        return build_number(p, node);
    case SOA_SYNTAX_IDENTITY:
        return soa_term_identity(p->pool, node->type.to);
    case SOA_SYNTAX_ATOM:
        return node->term;
    case SOA_SYNTAX_SUM:
        return soa_term_sum(p->pool, of->count, of->factor, of->term);
    case SOA_SYNTAX_PRODUCT:
        return build_product(p, index, of);
    default:
        return of->term ? build_unary(p, index, of->term[0]) : NULL;
    }
}

static bool finite_factors(const soa_term *term)
{
    for (int i = 0; term->factor && i < term->count; i++) {
        if (!isfinite(term->factor[i]) || term->factor[i] == 0.0) {
            return false;
        }
    }
    return true;
}

const soa_term *soa_parser_build(soa_parser *p, int node)
{
    children of = { 0 };
    const int first = soa_parser_node(p, node)->first;
    if (first >= 0 && !build_children(p, node, &of)) {
        return NULL;
    }
    const soa_term *term = build_one(p, node, &of);
    if (!term) {
        return p->status == SOA_OK ? fail_room(p, node) : NULL;
    }
    if (!finite_factors(term)) {
        (void)soa_parser_fail(
            p, SOA_E_NUMBER, soa_parser_node(p, node)->begin, "a number here becomes too large or too small");
        return NULL;
    }
    if (term->size > SOA_PARSE_SIZE || term->depth > SOA_PARSE_DEPTH) {
        (void)soa_parser_fail(p, SOA_E_LIMIT, soa_parser_node(p, node)->begin, "the expression is too %s",
            term->size > SOA_PARSE_SIZE ? "large" : "deep");
        return NULL;
    }
    return term;
}
