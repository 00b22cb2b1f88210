/* Random expressions: 500 well-typed ones are read, have the type they were made with,
 * and what is printed of them in each notation reads back to the same term; 500 ill-typed
 * ones are refused at a place within them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "expr/parse.h"
#include "expr/print.h"
#include "expr/random_text.h"
#include "expr/term.h"

enum { COUNT = 500 };

static soa_terms *pool_of(void)
{
    soa_terms *pool = NULL;
    assert_int_equal(soa_terms_new(NULL, SOA_TERMS_MOST, &pool, NULL), SOA_OK);
    return pool;
}

static const soa_term *parse(soa_terms *pool, const char *text)
{
    const soa_term *term = NULL;
    soa_error error;
    if (soa_parse_term(pool, text, &term, &error) != SOA_OK) {
        print_error("%s\n%d: %s\n", text, error.column, error.text);
        fail();
    }
    return term;
}

static void reads_back(soa_terms *pool, const soa_term *term, soa_notation notation)
{
    soa_page text = soa_page_on(&pool->allocator);
    soa_print_term(pool, term, notation, &text);
    assert_false(text.failed);
    if (parse(pool, soa_page_text(&text)) != term) {
        print_error("%s\n", soa_page_text(&text));
        fail();
    }
    soa_page_clear(&text);
}

static void well_typed_are_read(void **state)
{
    (void)state;
    static random_text r = { .points = true, .inverses = true };
    soa_terms *pool = pool_of();
    for (int i = 0; i < COUNT; i++) {
        const soa_term *term = parse(pool, random_expression(&r, (unsigned long long)i, i % 2));
        for (soa_notation notation = SOA_ASCII; notation <= SOA_LATEX; notation++) {
            reads_back(pool, term, notation);
        }
    }
    soa_terms_free(pool);
}

/* Blocks of random expressions read back; those of names are printed as they are typed. */
static void blocks_are_printed_as_typed(void **state)
{
    static const char *const typed[] = { "P[4]", "phi[3,5]", "phi[3,5]'", "V[2]' b", "H[2]' beta", "D^-1[2] T",
        "Mass[2]", "(P + M)[link4]", "d(P, q_1)[2] V", "trace(Mass[2])", "Lambda[1,2]", "f_c[2]", "M^-1[2] b" };
    (void)state;
    static random_text r = { .points = true, .inverses = true };
    soa_terms *pool = pool_of();
    for (size_t i = 0; i < sizeof typed / sizeof typed[0]; i++) {
        soa_page text = soa_page_on(&pool->allocator);
        soa_print_term(pool, parse(pool, typed[i]), SOA_ASCII, &text);
        assert_string_equal(soa_page_text(&text), typed[i]);
        soa_page_clear(&text);
    }
    for (int i = 0; i < COUNT; i++) {
        const soa_term *of = parse(pool, random_expression(&r, (unsigned long long)i, i % 2));
        const soa_term *term = soa_term_block(pool, of, i % 3 ? "2" : "hip", i % 4 ? "3" : "2");
        for (soa_notation notation = SOA_ASCII; notation <= SOA_LATEX; notation++) {
            reads_back(pool, term, notation);
            reads_back(pool, soa_term_adjoint(pool, term), notation);
        }
    }
    soa_terms_free(pool);
}

/* One superscript per base and balanced braces: what TeX asks for. */
static void latex_is_well_formed(void **state)
{
    (void)state;
    static random_text r = { .points = true, .inverses = true };
    soa_terms *pool = pool_of();
    for (int i = 0; i < COUNT; i++) {
        soa_page text = soa_page_on(&pool->allocator);
        soa_print_term(pool, parse(pool, random_expression(&r, (unsigned long long)i, true)), SOA_LATEX, &text);
        int depth = 0;
        for (const char *at = soa_page_text(&text); *at; at++) {
            depth += (*at == '{') - (*at == '}');
            assert_true(depth >= 0);
            assert_true((unsigned char)*at < 0x80);
        }
        assert_int_equal(depth, 0);
        assert_null(strstr(soa_page_text(&text), "}^{-1}^"));
        assert_null(strstr(soa_page_text(&text), "^{*}^"));
        soa_page_clear(&text);
    }
    soa_terms_free(pool);
}

static void ill_typed_are_refused(void **state)
{
    (void)state;
    static random_text r = { .points = true };
    soa_terms *pool = pool_of();
    for (int i = 0; i < COUNT; i++) {
        const soa_term *term;
        soa_error error;
        const char *text = wrong_expression(&r, (unsigned long long)i);
        const soa_status status = soa_parse_term(pool, text, &term, &error);
        if (status != SOA_E_SYNTAX || error.column < 1 || error.column > (int)strlen(text)) {
            print_error("%s: %d, column %d: %s\n", text, (int)status, error.column, error.text);
            fail();
        }
        assert_true(strstr(error.text, "takes") || strstr(error.text, "cannot be added"));
    }
    soa_terms_free(pool);
}

/* The adjoint at the atoms of an adjoint at the atoms is the term, if it was at the atoms. */
static void adjoints_are_pushed(void **state)
{
    (void)state;
    static random_text r = { .points = true, .inverses = true };
    soa_terms *pool = pool_of();
    for (int i = 0; i < COUNT; i++) {
        const soa_term *term = parse(pool, random_expression(&r, (unsigned long long)i, false));
        const soa_term *once = soa_term_push_adjoint(pool, term, false);
        const soa_term *there = soa_term_push_adjoint(pool, once, true);
        assert_ptr_equal(soa_term_push_adjoint(pool, once, false), once);
        assert_ptr_equal(soa_term_push_adjoint(pool, soa_term_adjoint(pool, there), false), once);
        assert_true(soa_type_equal(once->type, term->type));
    }
    soa_terms_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(well_typed_are_read),
        cmocka_unit_test(blocks_are_printed_as_typed),
        cmocka_unit_test(latex_is_well_formed),
        cmocka_unit_test(ill_typed_are_refused),
        cmocka_unit_test(adjoints_are_pushed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
