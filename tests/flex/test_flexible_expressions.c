/* Derivatives in expressions on models with flexible links: against differences of what they are of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flex/sample.h"

enum { TREES = 6, POINTS = 2, ROWS = 3, INPUTS = 8 };

/* An expression at work; its inputs have numbers that follow from their names. */
typedef struct job {
    soa_program *program;
    soa_compiled *compiled;
    soa_runner *runner;
    double *input[INPUTS];
    int n;
} job;

static double *numbers_of(const char *name, int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    for (int i = 0; i < n; i++) {
        x[i] = sin(1.0 + 1.7 * i + name[0] + 3.0 * (double)strlen(name));
    }
    return x;
}

static job job_open(sample *s, const char *text)
{
    job j = { NULL };
    soa_point point[POINTS] = { { s->t.links - 1, soa_pose_identity() }, { 1, soa_pose_identity(), 1 } };
    double rows[ROWS * 6 * POINTS];
    for (int i = 0; i < ROWS * 6 * POINTS; i++) {
        rows[i] = cos(2.0 * i);
    }
    soa_status status = soa_program_new(NULL, &j.program, &s->error);
    status = status == SOA_OK ? soa_program_read(j.program, text, SOA_READ_PROGRAM, &s->error) : status;
    status =
        status == SOA_OK ? soa_compile(s->t.model, j.program, SOA_SIMPLIFIED, 0, NULL, &j.compiled, &s->error) : status;
    status = status == SOA_OK ? soa_runner_new(j.compiled, POINTS, point, NULL, &j.runner, &s->error) : status;
    if (status != SOA_OK || soa_runner_set_constraints(j.runner, ROWS, rows, &s->error) != SOA_OK) {
        fail_msg("%s: %s", text, s->error.text);
    }
    for (int i = 0; i < soa_compiled_inputs(j.compiled); i++) {
        const char *name = soa_compiled_input_info(j.compiled, i).name;
        assert_true(i < INPUTS);
        j.input[i] = numbers_of(name, soa_runner_numbers(j.runner, name));
        OK(soa_runner_bind(j.runner, name, j.input[i], &s->error));
    }
    j.n = soa_runner_numbers(j.runner, "y");
    return j;
}

static void job_close(job *j)
{
    for (int i = 0; i < INPUTS; i++) {
        free(j->input[i]);
    }
    soa_runner_free(j->runner);
    soa_compiled_free(j->compiled);
    soa_program_free(j->program);
}

static void job_run(sample *s, const job *j, const double *q, double *y)
{
    OK(soa_runner_bind_output(j->runner, "y", y, &s->error));
    if (soa_runner_run(j->runner, 1, q, &s->error) != SOA_OK) {
        fail_msg("%s", s->error.text);
    }
}

/* Differences of eighth order along velocities v. */
static void differences(sample *s, const job *j, const double *v, double h, double *rate)
{
    static const double weight[] = { 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280 };
    double q[MOST], *y = calloc((size_t)j->n + 1, sizeof *y);
    memset(rate, 0, (size_t)j->n * sizeof *rate);
    for (int step = -4; step <= 4; step++) {
        if (step != 0) {
            soa_integrate(s->t.model, s->q, v, step * h, q);
            job_run(s, j, q, y);
            for (int i = 0; i < j->n; i++) {
                rate[i] += (step < 0 ? -1.0 : 1.0) * weight[abs(step) - 1] * y[i] / h;
            }
        }
    }
    free(y);
}

/* That the derivative `text` of `of` along v is what the differences are, relative to the largest number. Returns by how
 * much it is off. */
static double compare(sample *s, const char *of, const char *text, const double *v)
{
    job value = job_open(s, of), derivative = job_open(s, text);
    assert_int_equal(value.n, derivative.n);
    const size_t n = (size_t)value.n + 1;
    double *d = calloc(n, sizeof *d), *rate = calloc(n, sizeof *rate), best = INFINITY;
    job_run(s, &derivative, s->q, d);
    for (double h = 0.02; best > 1e-10 && h > 1e-3; h *= 0.3) {
        double error = 0.0, size = 1.0;
        differences(s, &value, v, h, rate);
        for (int i = 0; i < value.n; i++) {
            size = fmax(size, fabs(rate[i]));
            error = fabs(d[i] - rate[i]) <= error ? error : fabs(d[i] - rate[i]);
        }
        best = fmin(best, error / size);
    }
    if (!(best <= 1e-8)) {
        fail_msg("%s: relative error %g", text, best);
    }
    free(d), free(rate);
    job_close(&value);
    job_close(&derivative);
    return best;
}

/* d(expression, q_i), or with velocity -1 the rate dot(A) x. */
static double check_derivative(sample *s, const char *declared, const char *expression, int velocity)
{
    char of[256], text[256];
    double *v = numbers_of("beta", s->nv);
    snprintf(of, sizeof of, "%s %s", declared, expression);
    if (velocity < 0) {
        snprintf(text, sizeof text, "%s dot(%.*s) x", declared, (int)strlen(expression) - 2, expression);
    } else {
        snprintf(text, sizeof text, "%s d(%s, q_%d)", declared, expression, velocity + 1);
        memset(v, 0, (size_t)s->nv * sizeof *v);
        v[velocity] = 1.0;
    }
    const double off = compare(s, of, text, v);
    free(v);
    return off;
}

static void of_every_operator(void **state)
{
    (void)state;
    static const char *const space[] = { [SOA_SPACE_JOINT] = "joint",
        [SOA_SPACE_BODY] = "body",
        [SOA_SPACE_POINT] = "point",
        [SOA_SPACE_CONSTRAINT] = "constraint" };
    double worst = 0.0;
    for (int number = 0; number < TREES; number++) {
        sample s = sample_open(9100u + (unsigned)number, number % 3 == 0);
        for (int op = SOA_OP_I + 1; op < 2 * SOA_OPERATORS; op++) {
            const soa_operator_info about = soa_operator_about((soa_operator)(op % SOA_OPERATORS), op >= SOA_OPERATORS);
            char declared[64], text[64];
            if (op == SOA_OPERATORS) {
                continue;
            }
            snprintf(declared, sizeof declared, "x: %s %s;", space[about.domain_space],
                about.domain_side == SOA_SIDE_FORCE ? "force" : "motion");
            snprintf(text, sizeof text, "%s%s x", about.text, op >= SOA_OPERATORS ? "'" : "");
            worst = fmax(worst, check_derivative(&s, declared, text, (7 * number + op) % s.nv));
            worst = fmax(worst, check_derivative(&s, declared, text, -1));
        }
        sample_close(&s);
    }
    print_message("operators: worst relative error %.1e\n", worst);
}

/* d(d(A, q_i), q_j) of operators; where i and j are velocities of one joint the order counts. */
static void twice_of_every_operator(void **state)
{
    (void)state;
    double worst = 0.0;
    for (int number = 0; number < TREES; number++) {
        sample s = sample_open(9500u + (unsigned)number, number % 3 == 0);
        for (int op = SOA_OP_I + 1; op < SOA_OPERATORS; op++) {
            char of[64];
            snprintf(of, sizeof of, "d(%s, q_%d)", soa_operator_about((soa_operator)op, false).text, 1 + op % s.nv);
            worst = fmax(worst, check_derivative(&s, "", of, (2 * op + 5 * number) % s.nv));
        }
        sample_close(&s);
    }
    print_message("operators twice: worst relative error %.1e\n", worst);
}

static void twice_of_vectors(void **state)
{
    (void)state;
    static const char *const texts[] = { "d(V, q_1)", "d(C, q_3)", "d(C, q_2)", "d(a, q_2)", "d(b, q_4)",
        "d(C, beta_2)", "d(C, q_5)", "d(Mass^-1 (T - C), q_4)", "d(Mass^-1 (T - C), beta_3)", "d(Mass^-1 (T - C), T_2)",
        "d(inv(Mass + Arm) T, q_2)", "d(beta' Mass beta, q_1)", "d(trace(Mass), q_3)", "d(logdet(D), q_2)" };
    double worst = 0.0;
    for (int number = 0; number < TREES; number++) {
        sample s = sample_open(9600u + (unsigned)number, number % 3 == 0);
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
            worst = fmax(worst, check_derivative(&s, "", texts[i], (5 * number + (int)i) % s.nv));
            worst = fmax(worst, check_derivative(&s, "", texts[i], (5 * number + (int)i + s.nv / 2) % s.nv));
        }
        sample_close(&s);
    }
    print_message("vectors twice: worst relative error %.1e\n", worst);
}

/* dot(d(A, q_i)) along beta, and d(dot(A), q_i) along q_i. */
static void derivatives_of_rates(void **state)
{
    (void)state;
    static const char *const name[] = { "Mass", "M", "P", "psi", "J", "Mass^-1" };
    for (int number = 0; number < TREES; number++) {
        sample s = sample_open(9700u + (unsigned)number, number % 3 == 0);
        double *beta = numbers_of("beta", s.nv), unit[MOST] = { 0.0 };
        const int i = (7 * number) % s.nv;
        unit[i] = 1.0;
        for (size_t e = 0; e < sizeof name / sizeof name[0]; e++) {
            char of[64], text[64];
            snprintf(of, sizeof of, "d(%s, q_%d)", name[e], i + 1);
            snprintf(text, sizeof text, "dot(d(%s, q_%d))", name[e], i + 1);
            (void)compare(&s, of, text, beta);
            snprintf(of, sizeof of, "dot(%s)", name[e]);
            snprintf(text, sizeof text, "d(dot(%s), q_%d)", name[e], i + 1);
            (void)compare(&s, of, text, unit);
        }
        free(beta);
        sample_close(&s);
    }
}

static void of_vectors_and_matrices(void **state)
{
    (void)state;
    static const char *const texts[] = { "V", "a", "b", "g", "alpha", "f", "C", "beta' Mass beta",
        "Mass^-1 (T - C - J' f_c)", "inv(Mass + Arm) T", "inv(I + H phi K) T", "Mass^-1", "M", "trace(Mass)",
        "2 C - 3 T", "H phi M phi' H'", "D^(1/2) beta", "D^(1/2)", "D^(-1/2)", "D^(-1/2) (I - H psi K) T",
        "(D + 2 Arm)^(1/2)" };
    double worst = 0.0;
    for (int number = 0; number < TREES; number++) {
        sample s = sample_open(9200u + (unsigned)number, number % 3 == 0);
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
            worst = fmax(worst, check_derivative(&s, "", texts[i], (5 * number + (int)i) % s.nv));
        }
        worst = fmax(worst, check_derivative(&s, "betadot = D^-1 T;", "alpha", (5 * number) % s.nv));
        worst = fmax(worst, check_derivative(&s, "betadot = D^-1 T;", "f", (5 * number + 1) % s.nv));
        sample_close(&s);
    }
    print_message("vectors: worst relative error %.1e\n", worst);
}

/* Of what is quadratic in beta, and linear in T, differences are exact. */
static void by_velocities_and_forces(void **state)
{
    (void)state;
    static const struct {
        const char *text, *by;
    } list[] = { { "C", "beta" }, { "V", "beta" }, { "H' beta", "beta" }, { "Mass^-1 (T - C)", "T" } };
    for (int number = 0; number < TREES; number++) {
        sample s = sample_open(9300u + (unsigned)number, number % 3 == 0);
        for (size_t l = 0; l < sizeof list / sizeof list[0]; l++) {
            char text[96];
            const int velocity = (5 * number + (int)l) % s.nv;
            snprintf(text, sizeof text, "d(%s, %s_%d)", list[l].text, list[l].by, velocity + 1);
            job value = job_open(&s, list[l].text), derivative = job_open(&s, text);
            const size_t n = (size_t)value.n + 1;
            double *d = calloc(n, sizeof *d), *up = calloc(n, sizeof *up), *down = calloc(n, sizeof *down);
            double *x = numbers_of(list[l].by, s.nv);
            job_run(&s, &derivative, s.q, d);
            OK(soa_runner_bind(value.runner, list[l].by, x, &s.error));
            x[velocity] += 1.0;
            job_run(&s, &value, s.q, up);
            x[velocity] -= 2.0;
            job_run(&s, &value, s.q, down);
            for (int i = 0; i < value.n; i++) {
                up[i] = 0.5 * (up[i] - down[i]);
            }
            near_all(text, number, value.n, d, up, 1e-9);
            free(d), free(up), free(down), free(x);
            job_close(&value);
            job_close(&derivative);
        }
        sample_close(&s);
    }
}

/* What is not known is refused in one line that names the link. */
static void others_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = { "d(d(d(Mass, q_1), q_1), q_1)", "dot(C)", "dot(d(C, q_1))",
        "d(dot(Mass), beta_1)", "dot(dot(Mass))", "d(d(D^(1/2), q_1), q_1)", "d(d(D^(1/2) beta, q_1), q_2)",
        "d(Mass, q_999)", "d(d(Mass, q_1), q_999)" };
    sample s = sample_open(9400u, false);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        soa_program *program;
        soa_compiled *compiled = NULL;
        OK(soa_program_new(NULL, &program, &s.error));
        const soa_status read = soa_program_read(program, texts[i], SOA_READ_PROGRAM, &s.error);
        const soa_status status =
            read != SOA_OK ? read : soa_compile(s.t.model, program, SOA_SIMPLIFIED, 0, NULL, &compiled, &s.error);
        print_message("%s: %s\n", texts[i], s.error.text);
        assert_true(status == SOA_E_UNSUPPORTED || status == SOA_E_NAME);
        assert_null(compiled);
        soa_program_free(program);
    }
    sample_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_every_operator),
        cmocka_unit_test(of_vectors_and_matrices),
        cmocka_unit_test(twice_of_every_operator),
        cmocka_unit_test(twice_of_vectors),
        cmocka_unit_test(derivatives_of_rates),
        cmocka_unit_test(by_velocities_and_forces),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
