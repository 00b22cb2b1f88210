/* Proving and simplifying end, whatever is asked, and survive the failure of any allocation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "counting.h"
#include "expr/parse.h"
#include "expr/prove.h"
#include "expr/simplify.h"

/* ---- large statements -------------------------------------------------------------------------- */

enum { TEXT_MOST = 1 << 16 };

/* count copies of a part, and what stands between them. */
static void repeat(char *text, int count, const char *part, const char *between)
{
    size_t used = strlen(text);
    for (int i = 0; i < count && used + strlen(part) + strlen(between) + 1 < TEXT_MOST; i++) {
        used += (size_t)snprintf(text + used, TEXT_MOST - used, "%s%s", i ? between : "", part);
    }
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Ends in seconds with an answer or with SOA_E_LIMIT; which verdict is for the caller to say (-1: any). */
static void ends(const char *text, int verdict)
{
    soa_terms *terms = NULL;
    const soa_term *left, *right;
    soa_error error = { 0 };
    soa_proof proof;
    soa_simplified simple;
    assert_int_equal(soa_terms_new(NULL, SOA_TERMS_MOST, &terms, NULL), SOA_OK);
    const double start = seconds();
    const soa_status status = soa_parse_equation(terms, text, &left, &right, &error);
    if (status == SOA_OK) {
        const soa_status proved = soa_prove(terms, left, right, &proof, &error);
        assert_true(proved == SOA_OK || proved == SOA_E_LIMIT);
        assert_true(verdict < 0 || (proved == SOA_OK && (int)proof.verdict == verdict));
        if (proved == SOA_OK) {
        }
        const soa_status made = soa_simplify(terms, left, false, &simple, &error);
        assert_true(made == SOA_OK || made == SOA_E_LIMIT || made == SOA_E_UNSUPPORTED);
        if (made == SOA_OK) {
        }
    } else if (status != SOA_E_LIMIT) {
        fail_msg("%.60s...: %s", text, error.text);
    }
    if (!(seconds() - start < 240.0)) { /* sanitizers take ten times as long */
        fail_msg("%.60s...: %g s", text, seconds() - start);
    }
    soa_terms_free(terms);
}

static void large_statements_end(void **state)
{
    (void)state;
    static char text[TEXT_MOST];
    static const struct {
        int count;
        const char *part, *between, *rest;
        int verdict;
    } large[] = {
        { 12, "(I + H phi K)", " ", " = I + H phi K", SOA_REFUTED },
        { 60, "(I + H phi K) (I - H psi K)", " ", " = I", SOA_PROVED },
        { 40, "(phi + psi + E_phi)", " ", " = phi", -1 },
        { 500, "phi", " ", " = phi", -1 },
        { 500, "phi", " + ", " = 500 phi", SOA_PROVED },
        { 90, "(phi + (", "", "psi", -1 },
        { 8, "(I + phi K H)^-1 (I + phi)^-1", " ", " = I", -1 },
        { 20, "(Mass + D)^-1 Mass", " ", " = I", -1 },
        { 30, "Mass^-1 Mass", " ", " = I", SOA_PROVED },
    };
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        text[0] = '\0';
        repeat(text, large[i].count, large[i].part, large[i].between);
        strcat(text, large[i].rest);
        if (strstr(large[i].part, "(phi + (")) {
            repeat(text, large[i].count, "))", "");
            strcat(text, " = phi");
        }
        ends(text, large[i].verdict);
    }
}

/* Inverses of inverses, of sums, of products: opaque ones with relations among them. */
static void inverses_end(void **state)
{
    (void)state;
    ends("((phi + psi)^-1 + (phi - 2 psi)^-1)^-1 = phi", -1);
    ends("(phi + psi)^-1 (phi - 2 psi)^-1 (I + (phi + psi) E_phi)^-1 = phi", -1);
    ends("(Mass + D + D (Mass + 2 D)^-1 Mass (Mass + D)^-1 D)^-1 = Mass^-1", -1);
    ends("((A Lambda A')^-1 + (A Lambda A' + A Lambda A')^-1)^-1 = A Lambda A'", -1);
    ends("(D^(1/2) D^(1/2) + Mass)^-1 = (D + Mass)^-1", SOA_PROVED);
}

/* Terms nested more deeply than any text could be are refused, not followed. */
static void deep_terms_are_refused(void **state)
{
    (void)state;
    soa_terms *terms = NULL;
    assert_int_equal(soa_terms_new(NULL, SOA_TERMS_MOST, &terms, NULL), SOA_OK);
    const soa_term *phi = soa_term_operator(terms, SOA_OP_PHI), *deep = phi;
    for (int i = 0; i < 100000; i++) {
        deep = soa_term_inverse(terms, soa_term_add(terms, phi, deep));
    }
    assert_non_null(deep);
    soa_proof proof;
    soa_error error = { 0 };
    assert_int_equal(soa_prove(terms, deep, phi, &proof, &error), SOA_E_LIMIT);
    assert_true(error.text[0] != '\0');
    soa_terms_free(terms);
}

/* Operations that act on each other are counted, whether parentheses show them or not. */
static void postfix_chains_are_refused(void **state)
{
    (void)state;
    static char text[TEXT_MOST];
    static const char *const chain[] = { "'", "^-1", "^T", "^1", "^(1/2)", "^-1'", "^2" };
    for (size_t i = 0; i < sizeof chain / sizeof chain[0]; i++) {
        soa_terms *terms = NULL;
        const soa_term *term = NULL;
        soa_error error = { 0 };
        assert_int_equal(soa_terms_new(NULL, SOA_TERMS_MOST, &terms, NULL), SOA_OK);
        strcpy(text, "D");
        repeat(text, 16000, chain[i], "");
        const soa_status status = soa_parse_term(terms, text, &term, &error);
        assert_int_equal(status, strcmp(chain[i], "^1") == 0 ? SOA_OK : SOA_E_LIMIT);
        assert_true(status == SOA_OK || error.column > 0);
        soa_terms_free(terms);
    }
}

/* ---- allocation failure ----------------------------------------------------------------------------- */

/* Proves or simplifies with an allocator that fails once. */
static soa_status attempt(const soa_allocator *allocator, const char *text, bool simplify)
{
    soa_terms *terms = NULL;
    const soa_term *left = NULL, *right = NULL;
    soa_error error;
    soa_status status = soa_terms_new(allocator, SOA_TERMS_MOST, &terms, &error);
    if (status == SOA_OK) {
        status = simplify ? soa_parse_term(terms, text, &left, &error)
                          : soa_parse_equation(terms, text, &left, &right, &error);
    }
    if (status == SOA_OK && simplify) {
        soa_simplified simple;
        status = soa_simplify(terms, left, false, &simple, &error);
        if (status == SOA_OK) {
        }
    } else if (status == SOA_OK) {
        soa_proof proof;
        status = soa_prove(terms, left, right, &proof, &error);
        if (status == SOA_OK) {
        }
    }
    soa_terms_free(terms);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool simplify;
    } work[] = {
        { "J Mass^-1 J' = B' psi' H' D^-1 H psi B", false },
        { "(A Lambda A')^-1 A J betadot = (A B' Omega B A')^-1 A J betadot", false },
        { "phi = psi", false },
        { "D^(1/2) D^(1/2) = D", false },
        { "trace(tau) = trace(H G)", false },
        { "J Mass^-1 J'", true },
    };
    for (size_t i = 0; i < sizeof work / sizeof work[0]; i++) {
        soa_status status = SOA_E_MEMORY;
        int fail_at = 0;
        for (; status == SOA_E_MEMORY; fail_at += 1 + fail_at / 16) { /* there are thousands */
            counting c;
            const soa_allocator allocator = counting_on(&c, fail_at);
            c.once = true;
            status = attempt(&allocator, work[i].text, work[i].simplify);
            assert_int_equal(c.open, 0);
        }
        assert_int_equal(status, SOA_OK);
        assert_true(fail_at > 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_statements_end),
        cmocka_unit_test(inverses_end),
        cmocka_unit_test(deep_terms_are_refused),
        cmocka_unit_test(postfix_chains_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
