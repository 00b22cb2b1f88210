/* 500 random well-typed expressions: what the compiled program gives is what the dense
 * matrices of the definitions give, to 1e-10. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "expr/dense_value.h"
#include "expr/program.h"
#include "expr/random_text.h"

enum { COUNT = 500, PER_SYSTEM = 10 };

static const char DECLARED[] = "x_jm: joint motion; x_jf: joint force; x_bm: body motion; x_bf: body force\n"
                               "x_pm: point motion; x_pf: point force";

static const char *const VECTOR[PLACES] = { "x_jm", "x_jf", "x_bm", "x_bf", "x_pm", "x_pf" };

/* The next system whose operators all exist. */
static void next_system(soa_sample *sample, unsigned long long *seed)
{
    const soa_allocator allocator = soa_allocator_default();
    soa_error error;
    soa_sample_free(sample);
    assert_int_equal(soa_sample_new(sample, seed, *seed % 3 == 0, &allocator, &error), SOA_OK);
}

/* The numbers that the oracle takes for a declared vector. */
static double *numbers_of(const soa_sample *sample, soa_program *program, const char *name, soa_arena *arena)
{
    soa_matrix value;
    soa_number largest, rounding;
    soa_terms *terms = program->terms;
    const soa_term *term = soa_term_variable(terms, soa_terms_find_variable(terms, name));
    assert_int_equal(soa_dense_value(sample, terms, term, arena, &value, &largest, &rounding), SOA_OK);
    double *numbers = soa_arena_take(arena, (size_t)value.rows + 1, sizeof *numbers);
    for (int i = 0; i < value.rows; i++) {
        numbers[i] = (double)value.at[i];
    }
    return numbers;
}

static void bind(
    soa_runner *runner, const soa_compiled *compiled, const soa_sample *sample, soa_program *program, soa_arena *arena)
{
    for (int i = 0; i < soa_compiled_inputs(compiled); i++) {
        const char *name = soa_compiled_input_info(compiled, i).name;
        assert_int_equal(soa_runner_bind(runner, name, numbers_of(sample, program, name, arena), NULL), SOA_OK);
    }
}

/* Runs the last statement on the system; the status of the run. */
static soa_status run_last(const soa_sample *sample, soa_program *program, soa_arena *arena, double *out, int room)
{
    soa_compiled *compiled = NULL;
    soa_runner *runner = NULL;
    soa_error error;
    const int last = soa_program_statements(program) - 1;
    if (soa_compile(sample->model, program, SOA_AS_WRITTEN, 1, &last, &compiled, &error) != SOA_OK) {
        print_error("%s: %s\n", soa_program_statement(program, last).text, error.text);
        fail();
    }
    assert_int_equal(soa_runner_new(compiled, SOA_SAMPLE_POINTS, sample->point, NULL, &runner, &error), SOA_OK);
    assert_true(soa_runner_numbers(runner, "y") <= room);
    bind(runner, compiled, sample, program, arena);
    assert_int_equal(soa_runner_bind_output(runner, "y", out, &error), SOA_OK);
    const soa_status status = soa_runner_run(runner, 1, sample->q, &error);
    soa_runner_free(runner);
    soa_compiled_free(compiled);
    return status;
}

/* 1: agree, 0: singular for both or badly conditioned. */
static int compare(const soa_sample *sample, soa_program *program, const char *text)
{
    static double out[10000];
    soa_arena arena = soa_arena_on(&program->terms->allocator);
    soa_matrix value;
    soa_number largest, rounding;
    soa_error error;
    assert_int_equal(soa_program_read(program, text, SOA_READ_PROGRAM, &error), SOA_OK);
    const soa_term *term = soa_program_at(program, soa_program_statements(program) - 1)->term;
    const soa_status dense = soa_dense_value(sample, program->terms, term, &arena, &value, &largest, &rounding);
    const soa_status status = run_last(sample, program, &arena, out, 10000);
    const int agree = dense == SOA_OK && status == SOA_OK;
    if (dense != SOA_OK || status != SOA_OK) {
        assert_true(dense == SOA_E_SINGULAR || status == SOA_E_SINGULAR);
    }
    for (int i = 0; agree && i < value.rows * value.cols; i++) {
        if (!(fabs(out[i] - (double)value.at[i]) <= 1e-10 * (1.0 + (double)largest))) {
            print_error("%s on %s: number %d is %.17g, not %.17g (largest %.3g)\n", text, sample->name, i, out[i],
                (double)value.at[i], (double)largest);
            fail();
        }
    }
    soa_arena_free(&arena);
    return agree;
}

static void put_identity(random_text *r, soa_place place)
{
    put_text(r, "I[");
    put_text(r, soa_space_text(place.space));
    put_text(r, place.side == SOA_SIDE_FORCE ? " force]" : " motion]");
}

static const char *make_text(random_text *r, int i)
{
    r->seed = (unsigned long long)i;
    r->length = 0;
    r->text[0] = '\0';
    const soa_place from = random_place(r), to = random_place(r);
    put_identity(r, to);
    put_text(r, " (");
    random_between(r, from, to, 3);
    put_text(r, ") ");
    if (i % 2) {
        put_text(r, VECTOR[number_of_place(from)]);
    } else {
        put_identity(r, from);
    }
    return r->text;
}

static void programs_give_what_matrices_give(void **state)
{
    (void)state;
    static random_text r = { .points = true, .inverses = true };
    soa_sample sample = { 0 };
    unsigned long long seed = 1;
    int agree = 0;
    for (int i = 0; i < COUNT; i++) {
        soa_program *program = NULL;
        if (i % PER_SYSTEM == 0) {
            next_system(&sample, &seed);
        }
        assert_int_equal(soa_program_new(NULL, &program, NULL), SOA_OK);
        assert_int_equal(soa_program_read(program, DECLARED, SOA_READ_PROGRAM, NULL), SOA_OK);
        agree += compare(&sample, program, make_text(&r, i));
        soa_program_free(program);
    }
    soa_sample_free(&sample);
    print_message("%d of %d agree, the others have no value there\n", agree, COUNT);
    assert_true(agree > COUNT * 9 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(programs_give_what_matrices_give) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
