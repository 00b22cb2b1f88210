/* expr/factor.c - polynomials as products of sums again.
 *
 * A word t s of the polynomial p, cut in two, proposes the factors
 *     A = the words before s in p,   B = the words after t in p;
 * where A B is part of p, p = A B + C. The cut that saves the most letters is taken. */
#include "expr/theory.h"

#include <string.h>

/* Longer polynomials stay sums; more words are not tried; words looked at in all. */
enum { WORDS_MOST = 200, TRIES_MOST = 48, NESTED_MOST = 100, WORK_MOST = 400000 };

typedef struct factorizer {
    soa_theory *theory;
    soa_algebra *algebra;
    soa_factoring how;
    int depth;
    int work; /* words looked at */
} factorizer;

typedef struct split {
    soa_poly A, B;
    int gain;
} split;

static const soa_term *factor(factorizer *f, soa_poly p, soa_type type);

/* ---- letters ------------------------------------------------------------------------------------ */

static int letters_of(soa_poly p)
{
    int letters = 0;
    for (int i = 0; i < p.count; i++) {
        letters += p.at[i].word->length + 1;
    }
    return letters;
}

/* Whether a word begins, or ends, with these letters. */
static bool has_at(const soa_word *word, const soa_letter *with, int length, bool at_end)
{
    const int from = at_end ? word->length - length : 0;
    return word->length >= length && (length == 0 || memcmp(word->at + from, with, (size_t)length * sizeof *with) == 0);
}

/* How many letters all words share at the beginning, or at the end. */
static int shared_letters(soa_poly p, bool at_end)
{
    const soa_word *first = p.at[0].word;
    int length = first->length;
    for (int i = 1; i < p.count; i++) {
        while (!has_at(p.at[i].word, first->at + (at_end ? first->length - length : 0), length, at_end)) {
            length--;
        }
    }
    return length;
}

/* ---- splits ----------------------------------------------------------------------------------------- */

/* The words of p that begin with t (then without it), or end with s. */
static soa_poly cofactor(factorizer *f, soa_poly p, const soa_letter *at, int length, bool at_end)
{
    soa_poly made = { 0 };
    f->work += p.count;
    for (int i = 0; i < p.count; i++) {
        const soa_word *word = p.at[i].word;
        if (has_at(word, at, length, at_end)) {
            const int from = at_end ? 0 : length;
            soa_poly_add(
                f->algebra, &made, p.at[i].factor, soa_word_part(f->algebra, word, from, word->length - length));
        }
    }
    return made;
}

/* Whether a B is part of p, for one word a with its factor. */
static bool part_of(factorizer *f, soa_monomial a, soa_poly B, soa_poly p)
{
    f->work += B.count;
    for (int i = 0; i < B.count; i++) {
        const soa_word *word = soa_word_join(f->algebra, a.word, B.at[i].word, NULL);
        soa_poly want = { 0 }, have = { 0 };
        soa_poly_add(f->algebra, &want, soa_ratio_multiply(a.factor, B.at[i].factor), word);
        soa_poly_add(f->algebra, &have, soa_poly_coefficient(p, word), word);
        if (!soa_theory_ok(f->theory) || !soa_poly_equal(want, have)) {
            return false;
        }
    }
    return true;
}

/* The split at letter k of word number i. */
static split split_at(factorizer *f, soa_poly p, int i, int k)
{
    const soa_word *word = p.at[i].word;
    const bool single = f->how == SOA_FACTOR_LEFT;
    split s = { .gain = 0 };
    const soa_poly A = cofactor(f, p, word->at + k, word->length - k, true);
    s.B = cofactor(f, p, word->at, k, false);
    const soa_word *t = soa_word_part(f->algebra, word, 0, k);
    for (int j = 0; j < A.count && soa_theory_ok(f->theory); j++) {
        const soa_monomial a = { soa_ratio_divide(A.at[j].factor, p.at[i].factor), A.at[j].word };
        if ((!single || a.word == t) && part_of(f, a, s.B, p)) {
            soa_poly_add(f->algebra, &s.A, a.factor, a.word);
        }
    }
    if (f->how == SOA_FACTOR_RIGHT) { /* one word to the right, all before it */
        s.A = A;
        s.B = (soa_poly){ 0 };
        soa_poly_add(f->algebra, &s.B, soa_ratio_of(1), soa_word_part(f->algebra, word, k, word->length - k));
    }
    const int pairs = s.A.count * s.B.count;
    if (pairs >= 2) {
        const int whole = s.B.count * (letters_of(s.A) - s.A.count) + s.A.count * (letters_of(s.B) - s.B.count) + pairs;
        s.gain = whole - letters_of(s.A) - letters_of(s.B) + 1;
    }
    return s;
}

static split best_split(factorizer *f, soa_poly p)
{
    split best = { .gain = 0 };
    for (int i = 0; i < p.count && i < TRIES_MOST && soa_theory_ok(f->theory); i++) {
        for (int k = 1; k < p.at[i].word->length && f->work < WORK_MOST; k++) {
            const split s = split_at(f, p, i, k);
            const bool allowed = f->how == SOA_FACTOR_LEFT    ? s.A.count == 1
                                 : f->how == SOA_FACTOR_RIGHT ? s.B.count == 1
                                                              : true;
            best = allowed && s.gain > best.gain ? s : best;
        }
    }
    return best;
}

/* ---- terms ------------------------------------------------------------------------------------------- */

static soa_place middle_of(const factorizer *f, soa_poly A, soa_poly B)
{
    for (int i = 0; i < B.count; i++) {
        if (B.at[i].word->length) {
            return soa_algebra_about(f->algebra, B.at[i].word->at[0])->term->type.to;
        }
    }
    for (int i = 0; i < A.count; i++) {
        const soa_word *word = A.at[i].word;
        if (word->length) {
            return soa_algebra_about(f->algebra, word->at[word->length - 1])->term->type.from;
        }
    }
    return (soa_place){ SOA_SPACE_ANY, SOA_SIDE_ANY };
}

/* phi - I and psi - I have names. */
static const soa_term *strict(const factorizer *f, soa_poly p)
{
    static const soa_operator pair[][2] = { { SOA_OP_PHI, SOA_OP_PHI_STRICT }, { SOA_OP_PSI, SOA_OP_PSI_STRICT } };
    if (p.count != 2 || p.at[0].word->length != 1 || p.at[1].word->length != 0 || !soa_ratio_is(p.at[0].factor, 1) ||
        !soa_ratio_is(p.at[1].factor, -1)) {
        return NULL;
    }
    const soa_term *term = soa_algebra_about(f->algebra, p.at[0].word->at[0])->term;
    for (int i = 0; i < 2; i++) {
        const soa_term *whole = soa_term_operator(f->algebra->terms, pair[i][0]);
        const soa_term *name = soa_term_operator(f->algebra->terms, pair[i][1]);
        if (term == whole) {
            return name;
        }
        if (term == soa_term_adjoint(f->algebra->terms, whole)) {
            return soa_term_adjoint(f->algebra->terms, name);
        }
    }
    return NULL;
}

/* What a factor of a product is divided by: the sign of its shortest word, which is written first,
 * and the number that all its words share. */
static soa_ratio number_of(const factorizer *f, soa_poly p)
{
    if (p.count < 2 || strict(f, p)) {
        return soa_ratio_of(1);
    }
    const soa_ratio last = p.at[p.count - 1].factor;
    for (int i = 0; i < p.count; i++) {
        if (!soa_ratio_equal(p.at[i].factor, last) && !soa_ratio_equal(p.at[i].factor, soa_ratio_negative(last))) {
            return soa_ratio_of(last.num < 0 ? -1 : 1);
        }
    }
    return last;
}

static const soa_term *product_of(factorizer *f, soa_poly A, soa_poly B, soa_type type)
{
    const soa_place middle = middle_of(f, A, B);
    const soa_ratio one = soa_ratio_of(1), a = number_of(f, A), b = number_of(f, B);
    const soa_term *left =
        factor(f, soa_poly_scaled(f->algebra, soa_ratio_divide(one, a), A), (soa_type){ middle, type.to });
    const soa_term *right =
        factor(f, soa_poly_scaled(f->algebra, soa_ratio_divide(one, b), B), (soa_type){ type.from, middle });
    return soa_term_scale(
        f->algebra->terms, soa_ratio_multiply(a, b), soa_term_multiply(f->algebra->terms, left, right));
}

/* Whether a sum reads better as an adjoint: all letters that have one are adjoints. */
static bool better_adjoint(const factorizer *f, soa_poly p, soa_type type)
{
    int adjoints = 0, others = 0;
    for (int i = 0; i < p.count; i++) {
        for (int j = 0; j < p.at[i].word->length; j++) {
            const soa_letter itself = p.at[i].word->at[j];
            const soa_letter_info *about = soa_algebra_about(f->algebra, itself);
            adjoints += about->adjoint != itself && about->term->kind == SOA_TERM_ADJOINT;
            others += about->adjoint != itself && about->term->kind != SOA_TERM_ADJOINT;
        }
    }
    return adjoints > 0 && others == 0 && type.from.space != SOA_SPACE_ONE && type.to.space != SOA_SPACE_ONE;
}

static const soa_term *sum_of(factorizer *f, soa_poly p, soa_type type)
{
    const soa_term *name = strict(f, p);
    if (name) {
        return name;
    }
    if (p.count > 1 && better_adjoint(f, p, type)) {
        const soa_type dual = { soa_place_dual(type.to), soa_place_dual(type.from) };
        const soa_term *sum = soa_theory_term(f->theory, soa_poly_adjoint(f->algebra, p), dual);
        return soa_term_adjoint(f->algebra->terms, sum);
    }
    return soa_theory_term(f->theory, p, type);
}

/* t p, or p t, without the letters t that all words share. */
static const soa_term *without_shared(factorizer *f, soa_poly p, int length, bool at_end, soa_type type)
{
    const soa_word *word = p.at[0].word;
    const int from = at_end ? word->length - length : 0;
    const soa_poly rest = cofactor(f, p, word->at + from, length, at_end);
    soa_poly shared = { 0 };
    soa_poly_add(f->algebra, &shared, soa_ratio_of(1), soa_word_part(f->algebra, word, from, length));
    return at_end ? product_of(f, rest, shared, type) : product_of(f, shared, rest, type);
}

static const soa_term *split_up(factorizer *f, soa_poly p, soa_type type)
{
    const split s = best_split(f, p);
    if (s.gain <= 0 || !soa_theory_ok(f->theory)) {
        return sum_of(f, p, type);
    }
    const soa_poly C = soa_poly_minus(f->algebra, p, soa_poly_multiply(f->algebra, s.A, s.B));
    const soa_term *product = product_of(f, s.A, s.B, type);
    if (C.count == 0) {
        return product;
    }
    const soa_term *rest = factor(f, C, type);
    const bool last = C.at[C.count - 1].factor.num < 0; /* a sum does not begin with a minus */
    return soa_term_add(f->algebra->terms, last ? product : rest, last ? rest : product);
}

static const soa_term *factor(factorizer *f, soa_poly p, soa_type type)
{
    if (!soa_theory_ok(f->theory)) {
        return NULL;
    }
    if (p.count <= 1 || p.count > WORDS_MOST || f->depth > NESTED_MOST) {
        return soa_theory_term(f->theory, p, type);
    }
    f->depth++;
    const int left = shared_letters(p, false), right = left ? 0 : shared_letters(p, true);
    const soa_term *made = left    ? without_shared(f, p, left, false, type)
                           : right ? without_shared(f, p, right, true, type)
                                   : split_up(f, p, type);
    f->depth--;
    return made;
}

const soa_term *soa_theory_factor(soa_theory *theory, soa_poly a, soa_type type, soa_factoring how)
{
    factorizer f = { theory, &theory->algebra, how, 0, 0 };
    return factor(&f, a, type);
}
