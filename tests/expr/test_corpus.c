/* Random statements about products of operators: all that are true by substituting equals are proved, and none that is
 * false. Whether a changed statement is true is told by doubles on random trees, which share nothing with the prover. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "core/random.h"
#include "expr/dense_value.h"
#include "expr/parse.h"
#include "expr/prove.h"

enum { STATEMENTS = 1000, LENGTH = 4, TEXT = 600 };

/* Operators, and what each is equal to where there are no rotors. */
static const struct {
    soa_operator op;
    const char *equal[3];
} pick[] = {
    { SOA_OP_H, { "H tau" } },
    { SOA_OP_M, { "R - E_phi R E_phi'", "P - E_psi P E_psi'" } },
    { SOA_OP_E_PHI, { "I - phi^-1" } },
    { SOA_OP_PHI, { "psi + phi K H psi", "psi + psi K H phi", "(I - E_phi)^-1" } },
    { SOA_OP_PHI_STRICT, { "phi E_phi", "phi - I" } },
    { SOA_OP_R, { "M + E_phi R E_phi'" } },
    { SOA_OP_P, { "M + E_psi P E_psi'" } },
    { SOA_OP_D, { "H P H'" } },
    { SOA_OP_D_INV, { "(H P H')^-1" } },
    { SOA_OP_G, { "P H' D^-1", "tau G" } },
    { SOA_OP_K, { "E_phi G", "E_phi P H' D^-1" } },
    { SOA_OP_TAU, { "G H", "tau tau" } },
    { SOA_OP_TAUBAR, { "I - G H", "taubar taubar" } },
    { SOA_OP_E_PSI, { "E_phi taubar", "E_phi - K H" } },
    { SOA_OP_PSI, { "phi - phi K H psi", "phi - psi K H phi", "(I - E_phi + K H)^-1" } },
    { SOA_OP_PSI_STRICT, { "psi E_psi", "psi - I" } },
    { SOA_OP_UPS, { "Ups taubar + H' D^-1 H" } },
    { SOA_OP_OMEGA, { "psi' H' D^-1 H psi", "phi' H' Mass^-1 H phi" } },
    { SOA_OP_BRANCH, { "Omega - Ups - psi~' Ups - Ups psi~" } },
    { SOA_OP_MASS, { "H phi M phi' H'", "(I + H phi K) D (I + H phi K)'" } },
    { SOA_OP_MASS_INV, { "(I - H psi K)' D^-1 (I - H psi K)" } },
};

enum { PICK = sizeof pick / sizeof pick[0] };

typedef struct factor {
    int at; /* in pick */
    bool adjoint;
} factor;

static soa_operator_info about(factor f)
{
    return soa_operator_about(pick[f.at].op, f.adjoint);
}

static int below(unsigned long long *seed, int most)
{
    return (int)(soa_random_bits(seed) % (unsigned)most);
}

static factor any(unsigned long long *seed)
{
    factor f = { .at = below(seed, PICK) };
    f.adjoint = below(seed, 2) == 1 && !about(f).symmetric;
    return f;
}

static bool fits(soa_operator_info left, soa_operator_info right)
{
    return right.codomain_space == left.domain_space && right.codomain_side == left.domain_side;
}

static int random_product(unsigned long long *seed, factor product[LENGTH])
{
    const int length = 1 + below(seed, LENGTH);
    int count = 0;
    while (count < length) {
        const factor f = any(seed);
        if (count == 0 || fits(about(product[count - 1]), about(f))) {
            product[count++] = f;
        }
    }
    return length;
}

/* Another operator of the same type. */
static factor other(unsigned long long *seed, factor f)
{
    for (int tries = 0; tries < 1000; tries++) {
        const factor g = any(seed);
        const soa_operator_info a = about(f), b = about(g);
        if (g.at != f.at && a.domain_space == b.domain_space && a.domain_side == b.domain_side &&
            a.codomain_space == b.codomain_space && a.codomain_side == b.codomain_side) {
            return g;
        }
    }
    return f;
}

/* The product as text, each operator as it is or, one in `rare`, by what it is equal to. */
static void put(unsigned long long *seed, const factor *product, int length, int rare, char *text)
{
    size_t used = strlen(text);
    for (int i = 0; i < length; i++) {
        const char *name = soa_operator_text(pick[product[i].at].op), *equal = NULL;
        if (rare > 0 && below(seed, rare) == 0) {
            equal = pick[product[i].at].equal[below(seed, 3)];
        }
        used += (size_t)snprintf(text + used, TEXT - used, " %s%s%s%s", equal ? "(" : "", equal ? equal : name,
            equal ? ")" : "", product[i].adjoint ? "'" : "");
        assert_true(used < TEXT);
    }
}

static void statement(unsigned long long *seed, bool changed, char text[TEXT])
{
    factor product[LENGTH];
    const int length = random_product(seed, product);
    text[0] = '\0';
    put(seed, product, length, 0, text);
    strcat(text, " =");
    if (changed) {
        const int i = below(seed, length);
        product[i] = other(seed, product[i]);
    }
    put(seed, product, length, changed ? 3 : 2, text);
}

/* Whether doubles tell the sides apart on some random tree. */
static bool differ(soa_terms *terms, const soa_term *left, const soa_term *right)
{
    bool found = false;
    const soa_allocator allocator = soa_allocator_default();
    unsigned long long seed = 1;
    for (int i = 0; i < 5 && !found; i++) {
        soa_sample sample;
        soa_error error;
        soa_arena arena = soa_arena_on(&allocator);
        soa_matrix a, b;
        soa_number largest, rounding, most = 0;
        assert_int_equal(soa_sample_new(&sample, &seed, false, &allocator, &error), SOA_OK);
        assert_int_equal(soa_dense_value(&sample, terms, left, &arena, &a, &largest, &rounding), SOA_OK);
        assert_int_equal(soa_dense_value(&sample, terms, right, &arena, &b, &largest, &rounding), SOA_OK);
        for (int e = 0; e < a.rows * a.cols; e++) {
            most = fmaxl(most, fabsl(a.at[e] - b.at[e]));
        }
        found = most > 1e-6L * (1 + largest);
        soa_arena_free(&arena);
        soa_sample_free(&sample);
    }
    return found;
}

static soa_verdict verdict_of(const char *text, bool *apart)
{
    soa_terms *terms = NULL;
    const soa_term *left, *right;
    soa_error error;
    soa_proof proof;
    assert_int_equal(soa_terms_new(NULL, SOA_TERMS_MOST, &terms, NULL), SOA_OK);
    if (soa_parse_equation(terms, text, &left, &right, &error) != SOA_OK ||
        soa_prove(terms, left, right, &proof, &error) != SOA_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    const soa_verdict verdict = proof.verdict;
    *apart = verdict == SOA_PROVED && differ(terms, left, right);
    soa_terms_free(terms);
    return verdict;
}

static int by_size(const void *a, const void *b)
{
    const clock_t x = *(const clock_t *)a, y = *(const clock_t *)b;
    return (x > y) - (x < y);
}

static void true_statements_are_proved(void **state)
{
    (void)state;
    static clock_t took[STATEMENTS]; /* the evaluation in doubles included */
    unsigned long long seed = 1;
    for (int i = 0; i < STATEMENTS; i++) {
        char text[TEXT];
        bool apart;
        statement(&seed, false, text);
        const clock_t before = clock();
        const soa_verdict verdict = verdict_of(text, &apart);
        took[i] = clock() - before;
        if (verdict != SOA_PROVED || apart) {
            fail_msg("%s: %s", text,
                verdict == SOA_REFUTED ? "called false"
                : apart                ? "doubles disagree"
                                       : "left open");
        }
    }
    qsort(took, STATEMENTS, sizeof *took, by_size);
    print_message("median %.1f ms, most %.0f ms\n", 1e3 * (double)took[STATEMENTS / 2] / CLOCKS_PER_SEC,
        1e3 * (double)took[STATEMENTS - 1] / CLOCKS_PER_SEC);
}

static void false_statements_are_not_proved(void **state)
{
    (void)state;
    unsigned long long seed = 2;
    int refuted = 0;
    for (int i = 0; i < STATEMENTS; i++) {
        char text[TEXT];
        bool apart;
        statement(&seed, true, text);
        const soa_verdict verdict = verdict_of(text, &apart);
        if (apart || verdict == SOA_OPEN) {
            fail_msg("%s: %s", text, apart ? "proved, and doubles disagree" : "left open");
        }
        refuted += verdict == SOA_REFUTED;
    }
    assert_true(refuted > 9 * STATEMENTS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(true_statements_are_proved),
        cmocka_unit_test(false_statements_are_not_proved),
    };
    return cmocka_run_group_tests_name("corpus", tests, NULL, NULL);
}
