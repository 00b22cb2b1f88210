/* The theory: every derived rule has a certificate over the defining relations, and every word
 * has one normal form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "expr/parse.h"
#include "expr/theory.h"

typedef struct fixture {
    soa_terms *terms;
    soa_theory theory;
} fixture;

static void fixture_init(fixture *f, soa_theory_kind kind)
{
    soa_error error;
    assert_int_equal(soa_terms_new(NULL, SOA_TERMS_MOST, &f->terms, &error), SOA_OK);
    assert_int_equal(soa_theory_init(&f->theory, kind, f->terms, &error), SOA_OK);
}

static void fixture_clear(fixture *f)
{
    soa_theory_clear(&f->theory);
    soa_terms_free(f->terms);
}

static soa_poly poly(fixture *f, const char *text)
{
    const soa_term *term;
    soa_error error;
    if (soa_parse_term(f->terms, text, &term, &error) != SOA_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    return soa_theory_poly(&f->theory, term);
}

static soa_poly left_less_right(fixture *f, const soa_rule *rule)
{
    soa_poly zero = { 0 };
    soa_poly_add(&f->theory.algebra, &zero, soa_ratio_of(1), rule->left);
    soa_poly_add_times(&f->theory.algebra, &zero, soa_ratio_of(-1), NULL, rule->right, NULL);
    return zero;
}

static soa_poly expanded(soa_theory *theory, soa_trace trace, int *relations)
{
    soa_array uses;
    soa_theory_expand(theory, trace, &uses);
    const soa_poly sum = soa_theory_sum(theory, &uses, relations);
    return sum;
}

/* left - right = sum of multiples of basic relations, multiplied out in the free algebra. */
static void derived_rules_have_certificates(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        fixture f;
        fixture_init(&f, (soa_theory_kind)kind);
        (void)poly(&f, "(A Lambda A')^-1"); /* one more letter, with its relations */
        (void)poly(&f, "D^(1/2)");
        int derived = 0;
        for (int i = 0; i < f.theory.rules.count; i++) {
            const soa_rule *rule = soa_theory_rule(&f.theory, i);
            if (!rule->basic) {
                int relations = 0;
                const soa_poly sum = expanded(&f.theory, rule->because, &relations);
                assert_true(soa_poly_equal(sum, left_less_right(&f, rule)));
                assert_true(relations > 0);
                derived++;
            }
        }
        assert_true(soa_theory_ok(&f.theory) && derived > 10);
        fixture_clear(&f);
    }
}

/* A certificate that is changed is found out. */
static void wrong_certificates_are_found_out(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, SOA_THEORY_PLAIN);
    for (int i = 0; i < f.theory.rules.count; i++) {
        const soa_rule *rule = soa_theory_rule(&f.theory, i);
        if (!rule->basic) {
            soa_trace trace = rule->because;
            const soa_ratio was = trace.at[0].factor;
            trace.at[0].factor = soa_ratio_add(was, was);
            int relations;
            const soa_poly sum = expanded(&f.theory, trace, &relations);
            trace.at[0].factor = was;
            assert_false(soa_poly_equal(sum, left_less_right(&f, rule)));
        }
    }
    fixture_clear(&f);
}

/* The word that two rules share at an end, rewritten in both ways, has one normal form. */
static void check_overlap(fixture *f, const soa_rule *a, const soa_rule *b, int shared)
{
    soa_algebra *algebra = &f->theory.algebra;
    const soa_word *u = soa_word_part(algebra, a->left, 0, a->left->length - shared);
    const soa_word *z = soa_word_part(algebra, b->left, shared, b->left->length - shared);
    soa_poly first = { 0 }, second = { 0 };
    soa_poly_add_times(algebra, &first, soa_ratio_of(1), NULL, a->right, z);
    soa_poly_add_times(algebra, &second, soa_ratio_of(1), u, b->right, NULL);
    assert_true(
        soa_poly_equal(soa_theory_reduce(&f->theory, first, NULL), soa_theory_reduce(&f->theory, second, NULL)));
}

static void rules_are_confluent(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        fixture f;
        fixture_init(&f, (soa_theory_kind)kind);
        int overlaps = 0;
        for (int n = 0; n < f.theory.rules.count * f.theory.rules.count; n++) {
            const soa_rule a = *soa_theory_rule(&f.theory, n / f.theory.rules.count);
            const soa_rule b = *soa_theory_rule(&f.theory, n % f.theory.rules.count);
            const int most = a.left->length < b.left->length ? a.left->length : b.left->length;
            for (int shared = 1; a.active && b.active && shared < most; shared++) {
                const soa_letter *end = a.left->at + a.left->length - shared;
                if (memcmp(end, b.left->at, (size_t)shared * sizeof *end) == 0) {
                    check_overlap(&f, &a, &b, shared);
                    overlaps++;
                }
            }
        }
        assert_true(overlaps > 40);
        assert_true(soa_theory_ok(&f.theory));
        fixture_clear(&f);
    }
}

/* Rules go down: the left side is greater than every word of the right, and no rule rewrites another. */
static void rules_go_down(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, SOA_THEORY_PLAIN);
    for (int i = 0; i < f.theory.rules.count; i++) {
        const soa_rule *rule = soa_theory_rule(&f.theory, i);
        for (int j = 0; j < rule->right.count; j++) {
            assert_true(soa_word_compare(rule->left, rule->right.at[j].word) > 0);
        }
        int by = -1;
        if (rule->active) {
            assert_int_equal(soa_theory_match(&f.theory, rule->left, &by), 0);
            assert_int_equal(by, i);
        }
    }
    fixture_clear(&f);
}

/* Basic are the defining relations of the sheet and nothing else; none is an identity to be proved. */
static void only_defining_relations_are_basic(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, SOA_THEORY_PLAIN);
    int basic = 0;
    for (int i = 0; i < f.theory.rules.count; i++) {
        const soa_rule *rule = soa_theory_rule(&f.theory, i);
        static const char *const labels[] = { "V", "P", "R", "GEAR", "J", "OSI", "I1", "I6", "I11", "I12", "UPS" };
        bool known = !rule->basic;
        for (size_t j = 0; j < sizeof labels / sizeof labels[0]; j++) {
            known = known || strcmp(rule->label, labels[j]) == 0;
        }
        assert_true(known);
        if (rule->basic && strcmp(rule->label, "I6") == 0) { /* of [I6] only Mass^-1 Mass = I */
            assert_int_equal(rule->left->length, 2);
            assert_true(rule->right.count == 1 && rule->right.at[0].word->length == 0);
        }
        basic += rule->basic;
    }
    assert_int_equal(basic, 22 + 16 + 1); /* definitions, relations, Mass^-1 Mass = I; with adjoints that differ */
    fixture_clear(&f);
}

/* Factoring uses no relation: multiplied out again it is the same polynomial. */
static void factors_multiply_out(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "(I - H psi K)' D^-1 (I - H psi K) T",
        "Mass^-1 (T - H phi (M phi' a + b + B f_c))",
        "2 H phi - 3 H psi + 0.5 H",
        "phi M phi' - R - phi~ R - R phi~'",
        "(phi - I) M (psi - I)'",
        "3 (I + H phi K) D - 3 D",
    };
    fixture f;
    fixture_init(&f, SOA_THEORY_PLAIN);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const soa_term *term;
        soa_error error;
        assert_int_equal(soa_parse_term(f.terms, texts[i], &term, &error), SOA_OK);
        for (int normal = 0; normal < 2; normal++) {
            soa_poly p = soa_theory_poly(&f.theory, term);
            p = normal ? soa_theory_reduce(&f.theory, p, NULL) : p;
            for (int how = 0; how < SOA_FACTORINGS; how++) {
                const soa_term *factored = soa_theory_factor(&f.theory, p, term->type, (soa_factoring)how);
                assert_non_null(factored);
                assert_true(soa_type_equal(factored->type, term->type));
                soa_poly again = soa_theory_poly(&f.theory, factored);
                if (!soa_poly_equal(again, p)) { /* but for phi~ = phi - I */
                    soa_poly_add_times(&f.theory.algebra, &again, soa_ratio_of(-1), NULL, p, NULL);
                    assert_int_equal(soa_theory_reduce(&f.theory, again, NULL).count, 0);
                }
            }
        }
    }
    fixture_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derived_rules_have_certificates),
        cmocka_unit_test(wrong_certificates_are_found_out),
        cmocka_unit_test(rules_are_confluent),
        cmocka_unit_test(rules_go_down),
        cmocka_unit_test(only_defining_relations_are_basic),
        cmocka_unit_test(factors_multiply_out),
    };
    return cmocka_run_group_tests_name("theory", tests, NULL, NULL);
}
