/* expr/part.c - parts of operators: blocks at bodies and points, and what is made of an operator: trace, diagonal, log det,
 * pseudo-inverse.
 *
 * A block is the operator between two projections that are I at one body and 0 elsewhere, so it has the type of the
 * operator and stands wherever that fits:
 *     P[4] = S_4 P S_4',  V[2] = S_2' V,  sum over k of S_k = I */
#include <stdlib.h>
#include <string.h>

#include "expr/print.h"
#include "expr/term.h"

/* ---- selectors ------------------------------------------------------------------------------------ */

static bool has_blocks(soa_space space)
{
    return space == SOA_SPACE_BODY || space == SOA_SPACE_JOINT || space == SOA_SPACE_POINT;
}

/* A variable of that name, text put together on a page. */
static const soa_term *variable_called(soa_terms *pool, soa_page *name, soa_variable about)
{
    char *text = NULL;
    const soa_term *made = NULL;
    if (soa_page_give(name, &text, NULL) == SOA_OK) {
        about.name = text;
        made = soa_term_variable(pool, soa_terms_variable(pool, &about));
        soa_release(&pool->allocator, text);
    } else {
        soa_terms_none(pool, SOA_E_MEMORY);
    }
    soa_page_clear(name);
    return made;
}

/* That of motions is the adjoint of that of forces. */
const soa_term *soa_term_selector(soa_terms *pool, soa_place place, const char *body)
{
    const soa_place force = { place.space, place.side == SOA_SIDE_MOTION ? SOA_SIDE_FORCE : place.side };
    soa_page name = soa_page_on(&pool->allocator);
    char words[SOA_WORDS];
    soa_page_format(&name, "I[%s][%s]", soa_words_place(words, force, NULL), body);
    const soa_variable about = { .type = { force, force },
        .causality = place.space == SOA_SPACE_POINT ? SOA_KIND_FULL : SOA_KIND_MEMORYLESS,
        .body = body };
    const soa_term *made = variable_called(pool, &name, about);
    return place.side == SOA_SIDE_MOTION ? soa_term_adjoint(pool, made) : made;
}

const char *soa_term_selects(const soa_terms *pool, const soa_term *term)
{
    const soa_term *of = soa_term_upright(term);
    return of->kind == SOA_TERM_VARIABLE ? soa_terms_about(pool, of->variable)->body : NULL;
}

const soa_term *soa_term_block(soa_terms *pool, const soa_term *term, const char *row, const char *col)
{
    const soa_place to = term->type.to, from = term->type.from;
    const soa_term *left = row && has_blocks(to.space) ? soa_term_selector(pool, to, row) : soa_term_identity(pool, to);
    const soa_term *right =
        col && has_blocks(from.space) ? soa_term_selector(pool, from, col) : soa_term_identity(pool, from);
    const soa_term *factor[] = { left, term, right };
    return left && right ? soa_term_product(pool, soa_term_is_vector(term) ? 2 : 3, factor) : NULL;
}

int soa_body_number(const char *body)
{
    const size_t length = strlen(body);
    return strspn(body, "0123456789") < length ? -1 : length < 9 ? (int)strtol(body, NULL, 10) : 0;
}

bool soa_term_passes(const soa_term *factor)
{
    const soa_space from = factor->type.from.space, to = factor->type.to.space;
    return factor->causality == SOA_KIND_MEMORYLESS && (from == SOA_SPACE_BODY || from == SOA_SPACE_JOINT) &&
           (to == SOA_SPACE_BODY || to == SOA_SPACE_JOINT);
}

int soa_selectors_move(soa_terms *pool, const soa_term **factor, int count)
{
    for (int i = count - 2; i >= 0; i--) {
        const char *body = soa_term_selects(pool, factor[i]);
        for (int at = i; body && at + 1 < count; at++) {
            const char *other = soa_term_selects(pool, factor[at + 1]);
            if (other) {
                if (strcmp(body, other) == 0) {
                    memmove((void *)(factor + at), (const void *)(factor + at + 1),
                        (size_t)(--count - at) * sizeof *factor);
                } else if (soa_body_number(body) >= 0 && soa_body_number(other) >= 0) {
                    return 0;
                }
                break;
            }
            if (!soa_term_passes(factor[at + 1])) {
                break;
            }
            const soa_term *moved = soa_term_selector(pool, factor[at + 1]->type.from, body);
            if (!moved) {
                break;
            }
            factor[at] = factor[at + 1];
            factor[at + 1] = moved;
        }
    }
    return count;
}

soa_block soa_term_is_block(const soa_terms *pool, const soa_term *term)
{
    soa_block is = { 0 };
    if (term->kind == SOA_TERM_SUM && term->count > 0) {
        is = soa_term_is_block(pool, term->child[0]);
        for (int i = 1; i < term->count; i++) {
            const soa_block other = soa_term_is_block(pool, term->child[i]);
            const bool row = is.row && other.row && strcmp(is.row, other.row) == 0;
            const bool col = is.col && other.col && strcmp(is.col, other.col) == 0;
            is = (soa_block){ row ? is.row : NULL, col ? is.col : NULL };
        }
        return is;
    }
    if (term->kind == SOA_TERM_DERIVATIVE) {
        return soa_term_is_block(pool, term->child[0]);
    }
    if (term->kind != SOA_TERM_PRODUCT) {
        is.row = is.col = soa_term_selects(pool, term);
        return is;
    }
    int first = 0, last = term->count - 1;
    while (first < last && !soa_term_selects(pool, term->child[first]) && soa_term_passes(term->child[first])) {
        first++;
    }
    is.row = soa_term_selects(pool, term->child[first]);
    is.col = soa_term_selects(pool, term->child[last]);
    return is;
}

static bool touches(const soa_terms *pool, const soa_term *term, const void *context)
{
    const soa_space space = *(const soa_space *)context;
    return (void)pool, term->type.from.space == space || term->type.to.space == space;
}

bool soa_term_has_space(const soa_terms *pool, const soa_term *term, soa_space space)
{
    return soa_term_any(pool, term, touches, &space);
}

/* ---- measures ---------------------------------------------------------------------------------------- */

static const char *const measure_text[] = { "",
#define TEXT(name, text) text,
    SOA_MEASURE_LIST(TEXT)
#undef TEXT
};

const char *soa_measure_text(soa_measure measure)
{
    return measure_text[measure];
}

static const soa_place ONE = { SOA_SPACE_ONE, SOA_SIDE_ANY };

/* A variable that stands for what is made of the operator. */
static const soa_term *opaque(soa_terms *pool, soa_measure measure, const soa_term *of)
{
    soa_page name = soa_page_on(&pool->allocator);
    soa_variable about = { .type = { ONE, ONE }, .causality = SOA_KIND_MEMORYLESS, .measure = measure, .of = of };
    about.symmetric = measure == SOA_MEASURE_TRACE || measure == SOA_MEASURE_LOGDET;
    if (measure == SOA_MEASURE_DIAGONAL) {
        about.type.to = of->type.to;
    } else if (measure == SOA_MEASURE_PSEUDO) {
        about.type = (soa_type){ of->type.to, of->type.from };
        about.causality = soa_kind_is_blocks(of->causality, of->type) ? SOA_KIND_MEMORYLESS : SOA_KIND_FULL;
    }
    soa_page_format(&name, "%s(", measure_text[measure]);
    soa_print_term(pool, of, SOA_ASCII, &name);
    soa_page_put(&name, ")");
    return variable_called(pool, &name, about);
}

/* The sum of the measures of the parts. */
static const soa_term *linear(soa_terms *pool, soa_measure measure, const soa_term *sum)
{
    const soa_term *made = NULL;
    for (int i = 0; i < sum->count; i++) {
        const soa_term *part = soa_term_measure(pool, measure, sum->child[i]);
        const soa_term *scaled = soa_term_scale(pool, sum->ratio[i], part);
        made = made ? soa_term_add(pool, made, scaled) : scaled;
    }
    return made;
}

/* The rotation of a product that takes what it gives whose factors were made first. */
static const soa_term *rotated(soa_terms *pool, const soa_term *product)
{
    const soa_term *best = product;
    for (int first = 1; first < product->count && best; first++) {
        const soa_term *right = soa_term_product(pool, product->count - first, product->child + first);
        const soa_term *left = soa_term_product(pool, first, product->child);
        const soa_term *other = soa_term_multiply(pool, right, left);
        best = !other || other->number < best->number ? other : best;
    }
    return best;
}

static const soa_term *trace_of(soa_terms *pool, const soa_term *of)
{
    if (of->type.to.space == SOA_SPACE_ONE) {
        return of;
    }
    if (of->kind == SOA_TERM_ADJOINT) {
        return soa_term_measure(pool, SOA_MEASURE_TRACE, of->child[0]);
    }
    const bool turns = of->kind == SOA_TERM_PRODUCT && soa_place_equal(of->type.from, of->type.to);
    const soa_term *is = turns ? rotated(pool, of) : of;
    return !is || is->type.to.space == SOA_SPACE_ONE ? is : opaque(pool, SOA_MEASURE_TRACE, is);
}

/* Whether it is I and something strictly causal: its determinant is 1. */
static bool is_unipotent(const soa_term *term)
{
    int identities = 0;
    for (int i = 0; term->kind == SOA_TERM_SUM && i < term->count; i++) {
        const bool one = term->child[i]->kind == SOA_TERM_IDENTITY && soa_ratio_is(term->ratio[i], 1);
        identities += one;
        if (!one && !soa_kind_is_strict(term->child[i]->causality)) {
            return false;
        }
    }
    return identities == 1 && term->causality != SOA_KIND_FULL;
}

/* det(A B) = det A det B, of factors, or of products of some, that go from one space to itself. */
static const soa_term *logdet_of_product(soa_terms *pool, const soa_term *of)
{
    const soa_term *sum = NULL;
    bool selects = false;
    for (int first = 0, i = 0; i < of->count; i++) {
        selects = selects || soa_term_selects(pool, of->child[i]);
        if (of->child[i]->type.from.space == of->type.to.space && i - first + 1 < of->count && !selects) {
            const soa_term *factor = soa_term_product(pool, i - first + 1, of->child + first);
            const soa_term *part = soa_term_measure(pool, SOA_MEASURE_LOGDET, factor);
            sum = first > 0 ? soa_term_add(pool, sum, part) : part;
            first = i + 1;
        }
    }
    return sum && !selects ? sum : opaque(pool, SOA_MEASURE_LOGDET, of);
}

static const soa_term *logdet_of(soa_terms *pool, const soa_term *of)
{
    const bool one = of->kind == SOA_TERM_IDENTITY || soa_term_is(of, SOA_OP_PHI) || soa_term_is(of, SOA_OP_PSI);
    const bool inverse = of->kind == SOA_TERM_INVERSE;
    if (one || is_unipotent(of)) {
        return soa_term_zero(pool, (soa_type){ ONE, ONE });
    }
    if (soa_term_is(of, SOA_OP_MASS)) { /* [I4]: the other factors are unipotent */
        return opaque(pool, SOA_MEASURE_LOGDET, soa_term_operator(pool, SOA_OP_D));
    }
    if (inverse || soa_term_is(of, SOA_OP_MASS_INV) || soa_term_is(of, SOA_OP_D_INV)) {
        const soa_term *inner = soa_term_measure(pool, SOA_MEASURE_LOGDET, soa_term_inverse(pool, of));
        return soa_term_scale(pool, soa_ratio_of(-1), inner);
    }
    if (of->kind == SOA_TERM_ADJOINT) {
        return soa_term_measure(pool, SOA_MEASURE_LOGDET, of->child[0]);
    }
    return of->kind == SOA_TERM_PRODUCT ? logdet_of_product(pool, of) : opaque(pool, SOA_MEASURE_LOGDET, of);
}

const soa_term *soa_term_measure(soa_terms *pool, soa_measure measure, const soa_term *of)
{
    if (!of) {
        return NULL;
    }
    const bool pseudo = measure == SOA_MEASURE_PSEUDO, trace = measure == SOA_MEASURE_TRACE;
    const bool adds = trace || measure == SOA_MEASURE_DIAGONAL;
    /* derivatives keep each of their traces, so that certificates show where they come from */
    const bool strict = of->causality == SOA_KIND_STRICTLY_CAUSAL || of->causality == SOA_KIND_STRICTLY_ANTICAUSAL;
    if ((of->kind == SOA_TERM_ZERO && measure != SOA_MEASURE_LOGDET) || (strict && adds && !of->derived)) {
        const soa_type type = { pseudo ? of->type.to : ONE, pseudo ? of->type.from : trace ? ONE : of->type.to };
        return soa_term_zero(pool, type);
    }
    if (of->kind == SOA_TERM_SUM && adds) {
        return linear(pool, measure, of);
    }
    if (pseudo && of->kind == SOA_TERM_ADJOINT) {
        return soa_term_adjoint(pool, opaque(pool, measure, of->child[0]));
    }
    return trace ? trace_of(pool, of) : measure == SOA_MEASURE_LOGDET ? logdet_of(pool, of) : opaque(pool, measure, of);
}

/* ---- sums over bodies ------------------------------------------------------------------------------------ */

static bool selects(const soa_terms *pool, const soa_term *term, const void *k)
{
    const char *body = soa_term_selects(pool, term);
    return body && strcmp(body, k) == 0;
}

static bool speaks_of(const soa_terms *pool, const soa_term *term, const char *k)
{
    return soa_term_any(pool, term, selects, k);
}

/* The one part that k is in; -1: there are others, or none. */
static int only_part(const soa_terms *pool, const soa_term *term, const char *k)
{
    int only = -1;
    for (int i = 0; i < term->count; i++) {
        if (speaks_of(pool, term->child[i], k)) {
            if (only >= 0) {
                return -1;
            }
            only = i;
        }
    }
    return only;
}

static const soa_term *refuse(bool *refused)
{
    *refused = true;
    return NULL;
}

/* The product without the first of its selectors. */
static const soa_term *less_a_selector(soa_terms *pool, const soa_term *product)
{
    int first = 0;
    while (!soa_term_selects(pool, product->child[first])) {
        first++;
    }
    const soa_term *rest = soa_term_product(pool, product->count - first - 1, product->child + first + 1);
    return first == 0 ? rest : soa_term_multiply(pool, soa_term_product(pool, first, product->child), rest);
}

/* Of a whole block S A S' trace and diagonal are those of A S', as S' is diagonal. */
static const soa_term *measured_over_bodies(soa_terms *pool, soa_variable about, const char *k, bool *refused)
{
    const soa_block block = soa_term_is_block(pool, about.of);
    const bool whole = block.row && block.col && strcmp(block.row, k) == 0 && strcmp(block.col, k) == 0;
    const bool linear = about.measure == SOA_MEASURE_TRACE || about.measure == SOA_MEASURE_DIAGONAL;
    if (!linear && !(about.measure == SOA_MEASURE_LOGDET && whole && soa_term_passes(about.of))) {
        return refuse(refused);
    }
    const bool twice = whole && !soa_term_passes(about.of) && about.of->kind == SOA_TERM_PRODUCT;
    const soa_term *of = twice ? less_a_selector(pool, about.of) : about.of;
    return soa_term_measure(pool, about.measure, soa_term_over_bodies(pool, of, k, refused));
}

const soa_term *soa_term_over_bodies(soa_terms *pool, const soa_term *term, const char *k, bool *refused)
{
    if (!term || soa_term_selects(pool, term)) {
        return !term                                          ? NULL
               : strcmp(soa_term_selects(pool, term), k) == 0 ? soa_term_identity(pool, term->type.to)
                                                              : refuse(refused);
    }
    const soa_variable *about = term->kind == SOA_TERM_VARIABLE ? soa_terms_about(pool, term->variable) : NULL;
    if (about && about->of && speaks_of(pool, term, k)) {
        return measured_over_bodies(pool, *about, k, refused);
    }
    const bool sum = term->kind == SOA_TERM_SUM;
    const int only = term->kind == SOA_TERM_PRODUCT || term->kind == SOA_TERM_ADJOINT ? only_part(pool, term, k) : -1;
    const soa_term **child = soa_allocate(&pool->allocator, (size_t)term->count + 1, sizeof *child);
    bool made = child && (sum || only >= 0);
    for (int i = 0; made && i < term->count; i++) {
        child[i] = sum || i == only ? soa_term_over_bodies(pool, term->child[i], k, refused) : term->child[i];
        made = child[i] != NULL;
    }
    const soa_term *is = made ? soa_term_with(pool, term, child) : child && !sum && only < 0 ? refuse(refused) : NULL;
    soa_release(&pool->allocator, (void *)child);
    return is;
}
