/* expr/build.c - terms of a checked syntax tree. */
#include <math.h>

#include "expr/syntax.h"
#include "expr/term.h"

static const soa_term *fail(soa_parser *p, const soa_syntax *node, soa_status status, const char *why)
{
    return soa_parser_fail(p, status, node->begin, "%s", why);
}

static const soa_term *fail_room(soa_parser *p, const soa_syntax *node)
{
    const soa_status status = p->pool->status;
    return fail(p, node, status == SOA_OK ? SOA_E_LIMIT : status,
        status == SOA_E_MEMORY   ? "out of memory"
        : status == SOA_E_NUMBER ? "a number here has too many digits to be exact"
                                 : "the expression is too large");
}

/* ---- sums and products ----------------------------------------------------------------------- */

/* Takes the terms of the children. Factors that are numbers stand where they fit: behind a vector, or before the adjoint
 * of one. */
static const soa_term *build_children(soa_parser *p, const soa_syntax *node)
{
    int count = 0;
    for (soa_syntax *i = node->first; i; i = i->next, count++) {
        i->term = soa_parser_build(p, i);
        if (!i->term) {
            return NULL;
        }
    }
    const soa_term **term = soa_arena_take(&p->tree, (size_t)count, sizeof(void *));
    soa_ratio *factor = soa_arena_take(&p->tree, (size_t)count, sizeof *factor);
    if (!term || !factor) {
        return soa_parser_given(p, NULL);
    }
    const bool product = node->kind == SOA_SYNTAX_PRODUCT, behind = node->type.from.space == SOA_SPACE_ONE;
    count = 0;
    for (int pass = product ? 0 : 1; pass < 2; pass++) {
        for (const soa_syntax *i = node->first; i; i = i->next) {
            if (!product || i->scales == (behind == (pass == 1))) {
                factor[count] = soa_ratio_of(i->sign);
                term[count++] = i->term;
            }
        }
    }
    return product ? soa_term_product(p->pool, count, term) : soa_term_sum(p->pool, count, factor, term);
}

/* ---- one node -------------------------------------------------------------------------------- */

static const soa_term *build_power(soa_parser *p, soa_ratio power, const soa_term *base)
{
    const soa_term *factor[32];
    const int count = (int)soa_ratio_double(power);
    for (int i = 0; i < count; i++) {
        factor[i] = base;
    }
    return soa_term_product(p->pool, count, factor);
}

static const soa_term *build_root(soa_parser *p, const soa_syntax *node, const soa_term *of)
{
    soa_ratio number;
    if (soa_term_is_number(of, &number) && number.num > 0) {
        const soa_ratio root = soa_ratio_root(number);
        if (!soa_ratio_is_number(root)) {
            return fail(p, node, SOA_E_NUMBER, "the root of this number is no fraction");
        }
        return soa_term_scale(p->pool, root, soa_term_identity(p->pool, node->type.to));
    }
    const soa_traits traits = soa_term_traits(p->pool, of);
    if (of->causality != SOA_KIND_MEMORYLESS || !traits.positive) {
        return fail(p, node, SOA_E_SYNTAX, "only a memoryless positive definite operator has a root, such as D^(1/2)");
    }
    return soa_term_root(p->pool, of, soa_place_equal(node->type.from, of->type.from));
}

static const soa_term *build_measure(soa_parser *p, const soa_syntax *node, const soa_term *of)
{
    if (of->type.from.space == SOA_SPACE_ANY || of->type.to.space == SOA_SPACE_ANY) {
        return fail(p, node, SOA_E_SYNTAX, "this could have any type; say which, as in I[joint force]");
    }
    if (node->measure != SOA_MEASURE_PSEUDO && of->type.from.space != of->type.to.space) {
        return fail(
            p, node, SOA_E_SYNTAX, "only an operator from joints to joints, bodies to bodies or alike has a diagonal");
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
        return fail(
            p, node, SOA_E_SYNTAX, "only what is of bodies or joints has a block at a body; of points write J_2");
    }
    if (vector && node->row != node->col) {
        return fail(p, node, SOA_E_SYNTAX, "a vector has blocks of one body: V[2]");
    }
    return soa_term_block(p->pool, of, node->row, node->col);
}

static const soa_term *build_over_bodies(soa_parser *p, const soa_syntax *node, const soa_term *of)
{
    bool refused = false;
    const soa_term *sum = soa_term_over_bodies(p->pool, of, node->row, &refused);
    return !refused ? sum
                    : fail(p, node, SOA_E_SYNTAX,
                          "each part of a sum over bodies is a product with one block of the body in turn");
}

static const soa_term *build_inverse(soa_parser *p, const soa_syntax *node, const soa_term *of)
{
    const char *why = soa_term_no_inverse(p->pool, of);
    const int begin = node->first->begin, length = node->first->end - begin;
    return why ? soa_parser_fail(p, SOA_E_SYNTAX, begin, "%.*s cannot be inverted: %s", length < 40 ? length : 40,
                     p->text + begin, why)
               : soa_term_inverse(p->pool, of);
}

static const soa_term *build_one(soa_parser *p, const soa_syntax *node)
{
    if (!node->first) {
        return node->kind == SOA_SYNTAX_ATOM       ? node->term
               : node->kind == SOA_SYNTAX_IDENTITY ? soa_term_identity(p->pool, node->type.to)
                                                   : soa_term_number(p->pool, node->value, node->type);
    }
    if (node->kind == SOA_SYNTAX_SUM || node->kind == SOA_SYNTAX_PRODUCT) {
        return build_children(p, node);
    }
    const soa_term *of = soa_parser_build(p, node->first);
    if (!of) {
        return NULL;
    }
    switch (node->kind) {
    case SOA_SYNTAX_ADJOINT:
        return soa_term_adjoint(p->pool, of);
    case SOA_SYNTAX_POWER:
        return build_power(p, node->value, of);
    case SOA_SYNTAX_ROOT:
        return build_root(p, node, of);
    case SOA_SYNTAX_DERIVATIVE:
        return soa_term_derivative(p->pool, of, node->term);
    case SOA_SYNTAX_MEASURE:
        return build_measure(p, node, of);
    case SOA_SYNTAX_BLOCK:
        return build_block(p, node, of);
    case SOA_SYNTAX_OVER_BODIES:
        return build_over_bodies(p, node, of);
    default:
        return build_inverse(p, node, of);
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

const soa_term *soa_parser_build(soa_parser *p, const soa_syntax *node)
{
    const soa_term *term = build_one(p, node);
    if (!term) {
        return p->status == SOA_OK ? fail_room(p, node) : NULL;
    }
    if (!finite_factors(term)) {
        return fail(p, node, SOA_E_NUMBER, "a number here becomes too large or too small");
    }
    return term->size > SOA_PARSE_SIZE     ? fail(p, node, SOA_E_LIMIT, "the expression is too large")
           : term->depth > SOA_PARSE_DEPTH ? fail(p, node, SOA_E_LIMIT, "the expression is too deep")
                                           : term;
}
