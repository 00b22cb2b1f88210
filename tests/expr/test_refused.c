/* Every entry point of soa/expr.h with one of its allocations refused: that is always SOA_E_MEMORY, never a
 * result that lacks something, and nothing leaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "soa/soa.h"

typedef struct job {
    soa_model *model;
    soa_program *program;
    const char *text;
    char *out[2];
} job;

typedef soa_status action(job *j, int variant);

static soa_status do_read(job *j, int variant)
{
    const bool equation = strstr(j->text, " = ") && !strpbrk(j->text, ":;");
    return soa_program_read(j->program, j->text, variant || !equation ? SOA_READ_AGAIN : SOA_READ_EQUATION, NULL);
}

static int last(const job *j)
{
    return soa_program_statements(j->program) - 1;
}

static soa_status do_print(job *j, int variant)
{
    return soa_program_print(j->program, last(j), (soa_notation)variant, &j->out[0], NULL);
}

static soa_status do_type(job *j, int variant)
{
    (void)variant;
    return soa_program_type(j->program, last(j), &j->out[0], NULL);
}

static soa_status do_explain(job *j, int variant)
{
    return soa_program_explain(
        j->program, last(j), (soa_notation)(variant % 3), (soa_explanation)(variant / 3), &j->out[0], NULL);
}

static soa_status do_prove(job *j, int variant)
{
    soa_verdict verdict;
    const soa_status status = soa_program_prove(j->program, last(j), (soa_notation)variant, &verdict, &j->out[0], NULL);
    assert_true(status == SOA_OK || verdict == SOA_OPEN);
    return status;
}

static soa_status do_simplify(job *j, int variant)
{
    return soa_program_simplify(j->program, last(j), (soa_notation)variant, &j->out[0], &j->out[1], NULL);
}

static soa_status do_compile(job *j, int variant)
{
    (void)variant;
    soa_compiled *compiled = NULL;
    const soa_status status = soa_compile(j->model, j->program, SOA_SIMPLIFIED, 0, NULL, &compiled, NULL);
    assert_true((status == SOA_OK) == (compiled != NULL));
    soa_compiled_free(compiled);
    return status;
}

/* A program that has read the text, and then the action with allocation n refused; how many it asked for. */
static int refuse(job *j, action *act, int variant, int n)
{
    counting c;
    const soa_allocator allocator = counting_on(&c, COUNTING_PLENTY);
    assert_int_equal(soa_program_new(&allocator, &j->program, NULL), SOA_OK);
    if (act != do_read) {
        assert_int_equal(do_read(j, 0), SOA_OK);
    }
    c.left = n;
    c.once = true;
    j->out[0] = j->out[1] = NULL;
    const soa_status status = act(j, variant);
    const bool refused = c.left > n;
    if (status != (refused ? SOA_E_MEMORY : SOA_OK)) {
        fail_msg("%s, allocation %d: %s", j->text, n, soa_status_text(status));
    }
    for (int i = 0; i < 2; i++) {
        assert_true(status == SOA_OK || !j->out[i]);
        soa_program_text_free(j->program, j->out[i]);
    }
    if (refused && act == do_read) {
        assert_int_equal(soa_program_statements(j->program), 0);
    }
    if (refused) { /* the program works on */
        assert_int_equal(act(j, variant), SOA_OK);
        for (int i = 0; i < 2; i++) {
            soa_program_text_free(j->program, j->out[i]);
        }
    }
    soa_program_free(j->program);
    assert_int_equal(c.open, 0);
    return refused;
}

/* Each of the first allocations, and of the thousands that follow one in a few. */
static void each(const char *text, action *act, int variants, int least)
{
    job j = { .text = text };
    assert_int_equal(soa_model_builtin("arm7", NULL, &j.model, NULL), SOA_OK);
    for (int variant = 0; variant < variants; variant++) {
        int n = 0;
        while (refuse(&j, act, variant, n)) {
            n += 1 + n / 16;
        }
        if (n < least) {
            fail_msg("%s: only %d allocations were refused", text, n);
        }
    }
    soa_model_free(j.model);
}

static void reading(void **state)
{
    (void)state;
    each("x: joint force = 1, 2; S: joint motion -> joint force, symmetric; y = (S + Mass)^-1 x", do_read, 1, 10);
    each("J Mass^-1 J' = Lambda", do_read, 1, 5);
}

static void texts(void **state)
{
    (void)state;
    each("Mass^-1 T + d((I - H psi K)' D^-1, q_1) T", do_print, 3, 1);
    each("J Mass^-1 J' = Lambda", do_print, 3, 1);
    each("Mass^-1 (T - C)", do_type, 1, 1);
}

static void explaining(void **state)
{
    (void)state;
    each("Mass^-1 (T - C + d(C, q_1))", do_explain, 3 * SOA_EXPLANATIONS, 30);
}

static void proving(void **state)
{
    (void)state;
    each("J Mass^-1 J' = B' psi' H' D^-1 H psi B", do_prove, 1, 40);
    each("phi = psi", do_prove, 1, 40);
    each("V' b = 0", do_prove, 1, 40);
    each("D^(1/2) (Mass + D)^-1 D^(1/2) = I", do_prove, 1, 40);
}

static void simplifying(void **state)
{
    (void)state;
    each("J Mass^-1 J'", do_simplify, 2, 100);
    each("(Mass + D)^-1 d(Mass, q_1) beta", do_simplify, 1, 100);
}

static void compiling(void **state)
{
    (void)state;
    each("x = (Mass + D)^-1 (T - C); d(Mass, q_1) betadot; D^(1/2)", do_compile, 1, 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading),
        cmocka_unit_test(texts),
        cmocka_unit_test(explaining),
        cmocka_unit_test(proving),
        cmocka_unit_test(simplifying),
        cmocka_unit_test(compiling),
    };
    return cmocka_run_group_tests_name("refused", tests, NULL, NULL);
}
