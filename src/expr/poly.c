/* expr/poly.c - sums of words. */
#include <string.h>

#include "expr/algebra.h"

/* Where the word is, or belongs: the greatest come first. */
static int place_of(const soa_poly *poly, const soa_word *word, bool *there)
{
    int low = 0, high = poly->count;
    while (low < high) {
        const int middle = (low + high) / 2;
        const int order = soa_word_compare(poly->at[middle].word, word);
        if (order == 0) {
            *there = true;
            return middle;
        }
        if (order > 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *there = false;
    return low;
}

static bool make_room(soa_algebra *algebra, soa_poly *poly)
{
    if (poly->count < poly->capacity) {
        return true;
    }
    const int capacity = poly->capacity ? 2 * poly->capacity : 4;
    soa_monomial *at = soa_algebra_take(algebra, (size_t)capacity, sizeof *at);
    if (!at) {
        return false;
    }
    if (poly->count) {
        memcpy(at, poly->at, (size_t)poly->count * sizeof *at);
    }
    poly->at = at;
    poly->capacity = capacity;
    return true;
}

void soa_poly_add(soa_algebra *algebra, soa_poly *to, soa_ratio factor, const soa_word *word)
{
    if (!soa_ratio_is_number(factor)) {
        soa_algebra_fail(algebra, SOA_E_LIMIT); /* more digits than are kept */
    }
    word = soa_algebra_ok(algebra) && !soa_ratio_is_zero(factor) ? soa_word_commuted(algebra, word) : NULL;
    if (!word) {
        return;
    }
    bool there;
    const int i = place_of(to, word, &there);
    soa_monomial *at = to->at ? to->at + i : NULL;
    if (there) {
        at->factor = soa_ratio_add(at->factor, factor);
        if (!soa_ratio_is_number(at->factor)) {
            soa_algebra_fail(algebra, SOA_E_LIMIT);
        } else if (soa_ratio_is_zero(at->factor)) {
            memmove(at, at + 1, (size_t)(--to->count - i) * sizeof *at);
        }
    } else if (make_room(algebra, to)) {
        at = to->at + i;
        memmove(at + 1, at, (size_t)(to->count++ - i) * sizeof *at);
        *at = (soa_monomial){ factor, word };
    }
}

void soa_poly_add_times(
    soa_algebra *algebra, soa_poly *to, soa_ratio factor, const soa_word *before, soa_poly a, const soa_word *after)
{
    for (int i = 0; i < a.count && soa_algebra_ok(algebra); i++) {
        const soa_word *word = before || after ? soa_word_join(algebra, before, a.at[i].word, after) : a.at[i].word;
        soa_poly_add(algebra, to, soa_ratio_multiply(factor, a.at[i].factor), word);
    }
}

soa_ratio soa_poly_coefficient(soa_poly a, const soa_word *word)
{
    bool there = false;
    const int i = word ? place_of(&a, word, &there) : 0;
    return there ? a.at[i].factor : soa_ratio_of(0);
}

soa_poly soa_poly_one(soa_algebra *algebra)
{
    soa_poly made = { 0 };
    soa_poly_add(algebra, &made, soa_ratio_of(1), algebra->one);
    return made;
}

soa_poly soa_poly_letter(soa_algebra *algebra, soa_letter letter)
{
    soa_poly made = { 0 };
    soa_poly_add(algebra, &made, soa_ratio_of(1), soa_word_of(algebra, 1, &letter));
    return made;
}

soa_poly soa_poly_scaled(soa_algebra *algebra, soa_ratio factor, soa_poly a)
{
    soa_poly made = { 0 };
    soa_poly_add_times(algebra, &made, factor, NULL, a, NULL);
    return made;
}

soa_poly soa_poly_minus(soa_algebra *algebra, soa_poly a, soa_poly b)
{
    soa_poly made = soa_poly_scaled(algebra, soa_ratio_of(1), a);
    soa_poly_add_times(algebra, &made, soa_ratio_of(-1), NULL, b, NULL);
    return made;
}

soa_poly soa_poly_multiply(soa_algebra *algebra, soa_poly a, soa_poly b)
{
    soa_poly made = { 0 };
    for (int i = 0; i < a.count && soa_algebra_ok(algebra); i++) {
        soa_poly_add_times(algebra, &made, a.at[i].factor, a.at[i].word, b, NULL);
    }
    return made;
}

soa_poly soa_poly_adjoint(soa_algebra *algebra, soa_poly a)
{
    soa_poly made = { 0 };
    for (int i = 0; i < a.count && soa_algebra_ok(algebra); i++) {
        soa_poly_add(algebra, &made, a.at[i].factor, soa_word_adjoint(algebra, a.at[i].word));
    }
    return made;
}

bool soa_poly_proportional(soa_poly a, soa_poly b, soa_ratio *ratio)
{
    if (a.count != b.count || a.count == 0) {
        return false;
    }
    *ratio = soa_ratio_divide(a.at[0].factor, b.at[0].factor);
    for (int i = 0; i < a.count; i++) {
        if (a.at[i].word != b.at[i].word ||
            !soa_ratio_equal(a.at[i].factor, soa_ratio_multiply(*ratio, b.at[i].factor))) {
            return false;
        }
    }
    return true;
}

bool soa_poly_equal(soa_poly a, soa_poly b)
{
    soa_ratio ratio;
    return (a.count == 0 && b.count == 0) || (soa_poly_proportional(a, b, &ratio) && soa_ratio_is(ratio, 1));
}
