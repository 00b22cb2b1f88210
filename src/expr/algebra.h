/* expr/algebra.h - non-commutative polynomials: sums of words over letters.
 *
 * A letter is an operator, its adjoint, a variable, or an inverse or a root of
 * which nothing more is known. A word is a product of letters, made once, so that
 * equality is ==; the empty word is the identity. A polynomial is a sum of
 * multiples of words, the greatest first: by weight, then length, then letters; the numbers in a word commute.
 *
 * Everything lives until the algebra is freed. What cannot be made (no memory,
 * too much) sets the status of the algebra, which then stays: one check at the
 * end is enough. */
#ifndef SOA_EXPR_ALGEBRA_H
#define SOA_EXPR_ALGEBRA_H

#include <string.h>

#include "expr/term.h"

typedef unsigned short soa_letter;

typedef struct soa_word {
    unsigned hash;
    int length, weight;
    const soa_letter *at;
    const struct soa_word *commuted; /* see soa_word_commuted; NULL: not known yet */
} soa_word;

typedef struct soa_monomial {
    soa_ratio factor;
    const soa_word *word;
} soa_monomial;

typedef struct soa_poly {
    int count, capacity;
    soa_monomial *at;
} soa_poly;

typedef struct soa_letter_info {
    soa_letter adjoint; /* itself if symmetric */
    int weight;
    const soa_term *term;
    int first, last; /* rule + 1: of a theory, the first and last rule that begins with the letter; 0: none */
} soa_letter_info;

/* Most words, and most letters of a word, that an algebra makes. */
enum { SOA_ALGEBRA_WORDS = 1 << 18, SOA_WORD_LENGTH = 4096 };

typedef struct soa_algebra {
    soa_terms *terms; /* where the terms of letters are */
    soa_allocator allocator;
    soa_arena arena;
    soa_status status;
    soa_array letters;   /* of soa_letter_info */
    soa_once table;      /* of all words */
    unsigned asked;      /* words asked for: now and then time is looked at */
    soa_letter *scratch; /* SOA_WORD_LENGTH of them */
    const soa_word *one; /* the empty word */
} soa_algebra;

/* status is SOA_E_MEMORY if there is none; free it all the same. */
void soa_algebra_init(soa_algebra *algebra, soa_terms *terms);
void soa_algebra_clear(soa_algebra *algebra);
static inline bool soa_algebra_ok(const soa_algebra *algebra)
{
    return algebra->status == SOA_OK;
}

/* Keeps the first thing that went wrong; NULL. */
void *soa_algebra_fail(soa_algebra *algebra, soa_status status);

/* Room of the algebra, zeroed; a copy of a text in it. NULL: the algebra has failed. */
static inline void *soa_algebra_take(soa_algebra *algebra, size_t count, size_t size)
{
    void *room = soa_arena_take(&algebra->arena, count, size);
    return room ? room : soa_algebra_fail(algebra, SOA_E_MEMORY);
}

const char *soa_algebra_text(soa_algebra *algebra, const char *text);

/* A copy of an item of that size at the end of a list, which is zero in the beginning and lives as long as the algebra. false:
 * the algebra has failed, and nothing was added. */
bool soa_algebra_add(soa_algebra *algebra, soa_array *list, const void *item, size_t size);

/* The term of which something is made. NULL: the algebra has failed as its pool did. */
const soa_term *soa_algebra_made(soa_algebra *algebra, const soa_term *term);

/* ---- letters ---------------------------------------------------------------------------- */

/* The letter of this term and, made with it, that of its adjoint; one letter if it is symmetric. */
soa_letter soa_algebra_letter(soa_algebra *algebra, const soa_term *term, int weight, bool symmetric);
const soa_letter_info *soa_algebra_about(const soa_algebra *algebra, soa_letter letter);

/* ---- words ------------------------------------------------------------------------------ */

/* NULL when there is no room. */
const soa_word *soa_word_of(soa_algebra *algebra, int length, const soa_letter *at);

/* before + middle + after; any may be NULL: nothing there. */
const soa_word *soa_word_join(
    soa_algebra *algebra, const soa_word *before, const soa_word *middle, const soa_word *after);
const soa_word *soa_word_part(soa_algebra *algebra, const soa_word *word, int from, int length);
const soa_word *soa_word_adjoint(soa_algebra *algebra, const soa_word *word);

/* The word in which numbers stand in one order: a number commutes with a number, and is its own adjoint. What goes from
 * ONE to ONE is a number: x' A y z' B w is z' B w x' A y, and y' A' x z' B w. */
const soa_word *soa_word_commuted(soa_algebra *algebra, const soa_word *word);

/* Whether the letters of the part stand in the word from place `at` on. */
static inline bool soa_word_fits(const soa_word *part, const soa_word *word, int at)
{
    return part->length <= word->length - at &&
           memcmp(part->at, word->at + at, (size_t)part->length * sizeof *part->at) == 0;
}

/* < 0: a is less. */
int soa_word_compare(const soa_word *a, const soa_word *b);

/* ---- polynomials ------------------------------------------------------------------------ */

/* *to += factor word. */
void soa_poly_add(soa_algebra *algebra, soa_poly *to, soa_ratio factor, const soa_word *word);

/* *to += factor before a after; before and after may be NULL. */
void soa_poly_add_times(
    soa_algebra *algebra, soa_poly *to, soa_ratio factor, const soa_word *before, soa_poly a, const soa_word *after);

/* The factor of a word; 0 if it is not there. */
soa_ratio soa_poly_coefficient(soa_poly a, const soa_word *word);
soa_poly soa_poly_one(soa_algebra *algebra);
soa_poly soa_poly_letter(soa_algebra *algebra, soa_letter letter);
soa_poly soa_poly_scaled(soa_algebra *algebra, soa_ratio factor, soa_poly a);
soa_poly soa_poly_minus(soa_algebra *algebra, soa_poly a, soa_poly b);
soa_poly soa_poly_multiply(soa_algebra *algebra, soa_poly a, soa_poly b);
soa_poly soa_poly_adjoint(soa_algebra *algebra, soa_poly a);

/* Whether a = *ratio b for some number. */
bool soa_poly_proportional(soa_poly a, soa_poly b, soa_ratio *ratio);
bool soa_poly_equal(soa_poly a, soa_poly b);

#endif
