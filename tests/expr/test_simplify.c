/* The simplifier finds the forms of the papers from the naive ones, and what it finds is equal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/random.h"
#include "expr/parse.h"
#include "expr/print.h"
#include "expr/simplify.h"

static const soa_term *read(soa_terms *terms, const char *text)
{
    const soa_term *term = NULL;
    soa_error error = { 0 };
    if (soa_parse_term(terms, text, &term, &error) != SOA_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    return term;
}

static soa_terms *new_terms(void)
{
    soa_terms *terms = NULL;
    assert_int_equal(soa_terms_new(NULL, SOA_TERMS_MOST, &terms, NULL), SOA_OK);
    return terms;
}

/* Both are equal on random systems. */
static void agree(soa_terms *terms, const char *text, const soa_term *a, const soa_term *b, int systems)
{
    soa_proof numbers = { 0 };
    const bool rotors = soa_term_has_rotors(terms, a);
    soa_refute(terms, a, b, systems, rotors, &numbers);
    if (numbers.verdict != SOA_OPEN) {
        fail_msg("%s: the result differs", text);
    }
}

static void check_steps(soa_terms *terms, const char *text, const soa_term *given, const soa_simplified *result)
{
    const soa_term *before = given;
    for (int i = 0; i < result->steps; i++) {
        agree(terms, text, before, result->step[i].term, 1);
        before = result->step[i].term;
    }
    assert_ptr_equal(before, result->term);
}

/* label, what is given, what must come out, order and sweeps after, rules that lead there */
typedef struct form {
    const char *label, *given, *cheapest;
    int order, sweeps;
    const char *by;
} form;

static const form forms[] = {
    { "I6", "Mass^-1 T", "(I - H psi K)' D^-1 (I - H psi K) T", 1, 2, "I6" },
    { "I6", "(H phi M phi' H')^-1 T", "(I - H psi K)' D^-1 (I - H psi K) T", 1, 2, "I6" },
    { "I12", "J Mass^-1 J'", "B' psi' H' D^-1 H psi B", 1, 2, "I8" },
    { "I12", "B' phi' H' (H phi M phi' H')^-1 H phi B", "B' psi' H' D^-1 H psi B", 1, 2, "I8" },
    { "I13", "J Mass^-1", "B' psi' H' D^-1 (I - H psi K)", 1, 2, "I8" },
    { "I14", "phi' H' Mass^-1", "psi' H' D^-1 (I - H psi K)", 1, 2, "I8" },
    { "I15", "Mass^-1 J' f_c", "(I - H psi K)' D^-1 H psi B f_c", 1, 2, "I8" },
    { "TIP", "-Mass^-1 J' f_c", "-(I - H psi K)' D^-1 H psi B f_c", 1, 2, "I8" },
    { "I5", "(I + H phi K)^-1 T", "(I - H psi K) T", 1, 1, "I5" },
    { "OSI", "phi' H' Mass^-1 H phi", "psi' H' D^-1 H psi", 1, 2, "I8" },
    { "MINV", "Mass^-1 Mass betadot", "betadot", 1, 0, "I5" },
    { "I8", "(I - H psi K) H phi b", "H psi b", 1, -1, "I8" },
    { "I10", "taubar G T", "0[body force]", 1, 0, "P" },
    { "CC", "Mass^-1 T - Mass^-1 J' A' (A J Mass^-1 J' A')^-1 A J Mass^-1 T",
        "(I - H psi K)' D^-1 (I - H psi B A' (A B' psi' H' D^-1 H psi B A')^-1 A B' psi' H' D^-1) (I - H psi K) T", 1,
        -1, "I8" },
    { "I1", "Mass beta", "Mass beta", 1, 2, NULL },
    { "ID", "H phi (M phi' (H' betadot + a) + b + B f_c)", "H phi (M phi' (H' betadot + a) + b + B f_c)", 1, 2, NULL },
};

static void papers_forms_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        const form *f = &forms[i];
        soa_terms *terms = new_terms();
        const soa_term *given = read(terms, f->given), *want = read(terms, f->cheapest);
        soa_simplified result;
        soa_error error = { 0 };
        assert_int_equal(soa_simplify(terms, given, false, &result, &error), SOA_OK);
        if (result.term != want) {
            soa_page page = soa_page_on(&terms->allocator);
            soa_print_term(terms, result.term, SOA_ASCII, &page);
            fail_msg("[%s] %s gives %s", f->label, f->given, soa_page_text(&page));
        }
        assert_int_equal(result.after.order, f->order);
        assert_true(f->sweeps < 0 || result.after.sweeps == f->sweeps);
        assert_true(soa_cost_compare(&result.after, &result.before) <= 0);
        assert_int_equal(result.steps > 0, f->by != NULL);
        if (f->by) {
            assert_string_equal(result.step[result.steps - 1].label, f->by);
        }
        agree(terms, f->given, given, result.term, 3);
        check_steps(terms, f->given, given, &result);
        soa_terms_free(terms);
    }
}

/* FD1's text becomes a form of three sweeps, counting the one that makes a and b, and costs no
 * more than FD3 and FD4 as they are written.  [FD1] [FD3] [FD4] */
static void forward_dynamics_in_three_sweeps(void **state)
{
    (void)state;
    static const char *const others[] = {
        "(I - H psi K)' D^-1 (T - H psi (K T + M phi' a + b + B f_c))",
        "(I - H psi K)' D^-1 ((I - H psi K) T - H psi (b + B f_c) - H psi~ P a) - K' psi' taubar' a - G' a",
    };
    soa_terms *terms = new_terms();
    const soa_term *given = read(terms, "Mass^-1 (T - H phi (M phi' a + b + B f_c))");
    soa_simplified result;
    soa_error error = { 0 };
    assert_int_equal(soa_simplify(terms, given, false, &result, &error), SOA_OK);
    assert_int_equal(result.after.order, 1);
    assert_true(result.after.sweeps <= 3);
    agree(terms, "FD1", given, result.term, 5);
    check_steps(terms, "FD1", given, &result);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        soa_cost cost;
        assert_int_equal(soa_cost_of(terms, read(terms, others[i]), &cost, &error), SOA_OK);
        assert_true(soa_cost_compare(&result.after, &cost) <= 0);
        agree(terms, others[i], given, read(terms, others[i]), 3);
    }
    soa_terms_free(terms);
}

/* What is found is not made cheaper by doing it again. */
static void results_stay(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        soa_terms *terms = new_terms();
        soa_simplified once, twice;
        soa_error error = { 0 };
        assert_int_equal(soa_simplify(terms, read(terms, forms[i].given), false, &once, &error), SOA_OK);
        assert_int_equal(soa_simplify(terms, once.term, false, &twice, &error), SOA_OK);
        assert_int_equal(soa_cost_compare(&once.after, &twice.after), 0);
        soa_terms_free(terms);
    }
}

/* ---- random expressions ---------------------------------------------------------------------- */

/* What may stand where, by what it takes and gives: j joint, b body; m motion, f force. */
static const struct {
    const char *text, *type;
} parts[] = { { "phi", "bfbf" }, { "psi", "bfbf" }, { "phi~", "bfbf" }, { "psi~", "bfbf" }, { "E_phi", "bfbf" },
    { "E_psi", "bfbf" }, { "taubar", "bfbf" }, { "tau", "bfbf" }, { "phi'", "bmbm" }, { "psi'", "bmbm" },
    { "E_phi'", "bmbm" }, { "taubar'", "bmbm" }, { "H", "bfjf" }, { "H'", "jmbm" }, { "K", "jfbf" }, { "G", "jfbf" },
    { "K'", "bmjm" }, { "G'", "bmjm" }, { "M", "bmbf" }, { "P", "bmbf" }, { "R", "bmbf" }, { "D", "jmjf" },
    { "D^-1", "jfjm" }, { "Mass", "jmjf" }, { "Mass^-1", "jfjm" }, { "Omega", "bfbm" }, { "Ups", "bfbm" },
    { "X", "bfbm" } };

/* A product that begins from a type, of at most `most` factors; where it ends. */
static void random_product(unsigned long long *seed, const char *from, int most, char *text, char end[3])
{
    char at[3] = { from[0], from[1], '\0' };
    text[0] = '\0';
    for (int n = 0; n < most;) {
        const int i = (int)(soa_random_bits(seed) % (sizeof parts / sizeof parts[0]));
        if (strncmp(parts[i].type, at, 2) == 0) {
            char before[128];
            snprintf(before, sizeof before, "%.127s", text);
            snprintf(text, 256, "%s %.127s", parts[i].text, before);
            memcpy(at, parts[i].type + 2, 2);
            n++;
        }
    }
    memcpy(end, at, 3);
}

/* A sum of two products with equal ends; false if none turned up. */
static bool random_sum(unsigned long long *seed, char *text, size_t size)
{
    static const char *const starts[] = { "jf", "jm", "bf", "bm" };
    const char *from = starts[soa_random_bits(seed) % 4];
    char first[256], second[256], end[3], other[3];
    random_product(seed, from, 1 + (int)(soa_random_bits(seed) % 5), first, end);
    for (int i = 0; i < 20; i++) {
        random_product(seed, from, 1 + (int)(soa_random_bits(seed) % 5), second, other);
        if (strcmp(end, other) == 0) {
            snprintf(text, size, "%s %s %s", first, soa_random_bits(seed) % 2 ? "+" : "-", second);
            return true;
        }
    }
    return false;
}

static void random_expressions_stay_equal(void **state)
{
    (void)state;
    unsigned long long seed = 5;
    int tried = 0, cheaper = 0;
    while (tried < 150) {
        char text[600];
        if (!random_sum(&seed, text, sizeof text)) {
            continue;
        }
        soa_terms *terms = new_terms();
        const soa_term *given = read(terms, text);
        soa_simplified result;
        soa_error error = { 0 };
        if (soa_simplify(terms, given, false, &result, &error) != SOA_OK) {
            fail_msg("%s: %s", text, error.text);
        }
        assert_true(soa_cost_compare(&result.after, &result.before) <= 0);
        agree(terms, text, given, result.term, 1);
        cheaper += soa_cost_compare(&result.after, &result.before) < 0;
        tried++;
        soa_terms_free(terms);
    }
    assert_true(cheaper > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(papers_forms_are_found),
        cmocka_unit_test(forward_dynamics_in_three_sweeps),
        cmocka_unit_test(results_stay),
        cmocka_unit_test(random_expressions_stay_equal),
    };
    return cmocka_run_group_tests_name("simplify", tests, NULL, NULL);
}
