/* Statements that researchers would make: at least 97 of 100 true ones are proved, half of them within 10 ms and all within
 * 10 s of the processor's time, and no false one. Doubles on random trees, which share nothing with the prover, tell what
 * is true. */
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

#include "expr/dense_value.h"
#include "expr/program.h"

static const char *const stated_true[] = {
#define STATED(text) text,
#include "expr/stated_true.def"
};

static const char *const stated_false[] = {
#include "expr/stated_false.def"
#undef STATED
};

enum {
    TRUE_ONES = sizeof stated_true / sizeof stated_true[0],
    FALSE_ONES = sizeof stated_false / sizeof stated_false[0]
};

static bool has_variable(const soa_term *term)
{
    bool found = term->kind == SOA_TERM_VARIABLE;
    for (int i = 0; i < term->count && !found; i++) {
        found = has_variable(term->child[i]);
    }
    return found;
}

/* Whether doubles tell the sides apart on a random tree; the oracle knows operators, and neither vectors nor parts. */
static bool differ(soa_terms *terms, const soa_statement *s)
{
    bool found = false;
    const soa_allocator allocator = soa_allocator_default();
    unsigned long long seed = 7;
    const bool known = !has_variable(s->term) && !has_variable(s->right);
    for (int i = 0; known && i < 2 && !found; i++) {
        soa_sample sample;
        soa_error error;
        soa_arena arena = soa_arena_on(&allocator);
        soa_matrix a, b;
        soa_number largest, rounding, most = 0;
        assert_int_equal(soa_sample_new(&sample, &seed, false, &allocator, &error), SOA_OK);
        if (soa_dense_value(&sample, terms, s->term, &arena, &a, &largest, &rounding) == SOA_OK &&
            soa_dense_value(&sample, terms, s->right, &arena, &b, &largest, &rounding) == SOA_OK) {
            for (int e = 0; e < a.rows * a.cols; e++) {
                most = fmaxl(most, fabsl(a.at[e] - b.at[e]));
            }
            found = most > 1e-6L * (1 + largest);
        }
        soa_arena_free(&arena);
        soa_sample_free(&sample);
    }
    return found;
}

/* The verdict, the milliseconds that it took, and whether doubles contradict a proof. */
static soa_verdict verdict_of(const char *text, double *ms, bool *contradicted)
{
    soa_program *program = NULL;
    soa_error error;
    soa_verdict verdict = SOA_OPEN;
    char *report = NULL;
    const clock_t before = clock();
    assert_int_equal(soa_program_new(NULL, &program, &error), SOA_OK);
    soa_program_limit(program, 0.0, NULL, NULL); /* whatever else the machine does */
    if (soa_program_read(program, text, SOA_READ_EQUATION, &error) != SOA_OK ||
        soa_program_prove(program, soa_program_statements(program) - 1, SOA_ASCII, &verdict, &report, &error) !=
            SOA_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    *ms = 1e3 * (double)(clock() - before) / CLOCKS_PER_SEC;
    const soa_statement *s = soa_program_at(program, soa_program_statements(program) - 1);
    *contradicted = verdict == SOA_PROVED && differ(program->terms, s);
    soa_program_text_free(program, report);
    soa_program_free(program);
    return verdict;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void true_ones_are_proved(void **state)
{
    (void)state;
    static double ms[TRUE_ONES];
    int proved = 0;
    for (int i = 0; i < TRUE_ONES; i++) {
        bool contradicted;
        const soa_verdict verdict = verdict_of(stated_true[i], &ms[i], &contradicted);
        if (verdict != SOA_PROVED) {
            print_message("%s: %s\n", stated_true[i], verdict == SOA_REFUTED ? "called false" : "left open");
        }
        if (contradicted || verdict == SOA_REFUTED) {
            fail_msg("%s: %s", stated_true[i], contradicted ? "doubles disagree" : "called false");
        }
        proved += verdict == SOA_PROVED;
    }
    qsort(ms, TRUE_ONES, sizeof *ms, by_size);
    print_message("%d of %d proved; median %.1f ms, most %.0f ms\n", proved, (int)TRUE_ONES, ms[TRUE_ONES / 2],
        ms[TRUE_ONES - 1]);
    assert_true(100 * proved >= 97 * TRUE_ONES);
}

static void false_ones_are_not(void **state)
{
    (void)state;
    for (int i = 0; i < FALSE_ONES; i++) {
        double ms;
        bool contradicted;
        const soa_verdict verdict = verdict_of(stated_false[i], &ms, &contradicted);
        if (verdict != SOA_REFUTED) {
            fail_msg("%s: %s", stated_false[i], verdict == SOA_PROVED ? "proved" : "left open");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(true_ones_are_proved),
        cmocka_unit_test(false_ones_are_not),
    };
    return cmocka_run_group_tests_name("stated", tests, NULL, NULL);
}
