/* expr/part.c - parts of operators: blocks at bodies and points, and sums over bodies.
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

/* The selector of motions is the adjoint of the selector of forces. */
const soa_term *soa_term_selector(soa_terms *pool, soa_place place, const char *body)
{
    const soa_place force = { place.space, place.side == SOA_SIDE_MOTION ? SOA_SIDE_FORCE : place.side };
    soa_page name = soa_page_on(&pool->allocator);
    char words[SOA_WORDS];
    soa_page_format(&name, "I[%s][%s]", soa_words_place(words, force, NULL), body);
    const soa_variable about = { .type = { force, force },
        .causality = place.space == SOA_SPACE_POINT ? SOA_KIND_FULL : SOA_KIND_MEMORYLESS,
        .body = body };
    const soa_term *made = soa_term_called(pool, &name, about);
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

/* The measure as a sum over bodies. The trace and diagonal of a whole block S A S' are those of A S', as S' is diagonal. */
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
