/* Blocks, traces, determinants, pseudo-inverses, sums over bodies, rates, and derivatives by velocities and forces: against
 * what whole matrices, differences and sums give. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "expr/run_job.h"

enum { MOST = 1 << 16 };

static const char *const MODELS[] = { "tree:6,3", "tree:5,8", "arm7", "humanoid" };
enum { TREES = sizeof MODELS / sizeof MODELS[0] };

/* The value of the last statement at a state, with points on the last link; how many numbers it has. */
static int value(const soa_model *model, const char *text, const states *s, double *y)
{
    const soa_point point = { soa_model_links(model) - 1,
        { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0.1, 0.2, 0.3 } } };
    job j = job_new(model, text, false, 1, &point);
    for (int i = 0; i < soa_compiled_inputs(j.compiled); i++) {
        const char *name = soa_compiled_input_info(j.compiled, i).name;
        if (soa_vector_find(name) != SOA_VECTORS) {
            OK(soa_runner_bind(j.runner, name, strcmp(name, "beta") == 0 ? s->v : s->T, &job_error));
        }
    }
    const char *output = soa_compiled_output_info(j.compiled, 0).name;
    const int n = soa_runner_numbers(j.runner, output);
    assert_in_range(n, 1, MOST);
    OK(soa_runner_bind_output(j.runner, output, y, &job_error));
    OK(soa_runner_run(j.runner, 1, s->q, &job_error));
    job_free(&j);
    return n;
}

static double a[MOST], b[MOST];

static void same(const char *model, const char *text, int n, double size)
{
    for (int i = 0; i < n; i++) {
        if (!(fabs(a[i] - b[i]) <= 1e-10 * (1.0 + size))) {
            fail_msg("%s: %s: number %d is %.17g, not %.17g", model, text, i, a[i], b[i]);
        }
    }
}

/* Equal values of two texts. */
static void equal(const char *left, const char *right)
{
    for (int i = 0; i < TREES; i++) {
        soa_model *model = model_of(MODELS[i]);
        states s = states_new(model, 1, 7);
        const int n = value(model, left, &s, a);
        double size = 0.0;
        assert_int_equal(value(model, right, &s, b), n);
        for (int k = 0; k < n; k++) {
            size = fmax(size, fabs(b[k]));
        }
        same(MODELS[i], left, n, size);
        states_free(&s);
        soa_model_free(model);
    }
}

static void blocks_are_those_of_the_matrix(void **state)
{
    static const char *const text[][2] = { { "P(3)", "P" }, { "phi[2,4]", "phi" },
        { "(phi M phi')[4,2]", "phi M phi'" }, { "(P + 2 R)[4]", "P + 2 R" }, { "psi'[4,1]", "psi'" } };
    static const int at[][2] = { { 3, 3 }, { 2, 4 }, { 4, 2 }, { 4, 4 }, { 4, 1 } };
    (void)state;
    for (int i = 0; i < TREES; i++) {
        soa_model *model = model_of(MODELS[i]);
        states s = states_new(model, 1, 3);
        for (size_t t = 0; t < sizeof text / sizeof text[0]; t++) {
            const int n = value(model, text[t][1], &s, b), size = (int)lround(sqrt(n));
            assert_int_equal(value(model, text[t][0], &s, a), 36);
            for (int e = 0; e < 36; e++) {
                b[e] = b[(6 * (at[t][0] - 1) + e / 6) * size + 6 * (at[t][1] - 1) + e % 6];
            }
            same(MODELS[i], text[t][0], 36, 10.0);
        }
        assert_int_equal(value(model, "V[2]", &s, a), 6);
        value(model, "V", &s, b);
        memmove(b, b + 6, 6 * sizeof *b);
        same(MODELS[i], "V[2]", 6, 1.0);
        states_free(&s);
        soa_model_free(model);
    }
}

static void parts_stand_anywhere(void **state)
{
    (void)state;
    equal("sum(k, V[k]' M[k] V[k])", "V' M V");
    equal("sum(k, trace(P[k])) T", "trace(P) T");
    equal("sum(i, sum(j, phi[i,j])) b", "phi b");
    equal("sum(k, trace(2 Mass[k] - H[k] phi M phi' H[k]')) T", "trace(2 Mass - H phi M phi' H') T");
    equal("sum(k, diag(Mass[k]))", "diag(Mass)");
    equal("T + 2 trace(D) T - T", "trace(D + H P H') T + trace(Arm) T");
    equal("(D[2] D^-1[2]) T", "T[2] + 0 T");
    equal("trace(Mass^-1 Mass) T", "trace(I[joint force]) T");
    equal("H phi (M[3] phi' H') beta", "H phi M (V[3])");
    equal("J_1 beta", "J beta");
    equal("I[point force][1]' J beta", "J beta");
    equal("let twice(x) = x + x; y = twice(T); y", "2 T");
    equal("let energy(k) = 0.5 V[k]' M[k] V[k]; energy(2) + energy(3)", "0.5 (V[2] + V[3])' M (V[2] + V[3])");
    equal("diag(D) + diag(Arm)", "diag(D + Arm)");
}

static void pseudo_inverses_are_least(void **state)
{
    (void)state;
    equal("J pinv(J) J", "J");
    equal("pinv(J) J pinv(J)", "pinv(J)");
    equal("pinv(Mass) T", "Mass^-1 T");
    equal("pinv(P)[2]", "P^-1[2]");
    soa_model *model = model_of("arm7"); /* J pinv(J) and pinv(J) J are symmetric matrices */
    states s = states_new(model, 1, 5);
    for (int which = 0; which < 2; which++) {
        const int n = (int)lround(sqrt(value(model, which ? "pinv(J) J" : "J pinv(J)", &s, a)));
        for (int i = 0; i < n * n; i++) {
            b[i] = a[i % n * n + i / n];
        }
        same("arm7", "symmetric", n * n, 1.0);
    }
    states_free(&s);
    soa_model_free(model);
}

/* log det by elimination of the whole matrix. */
static double log_determinant(int n, double *m)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
        sum += log(m[k * n + k]);
        for (int i = k + 1; i < n; i++) {
            for (int j = n - 1; j >= k; j--) {
                m[i * n + j] -= m[i * n + k] / m[k * n + k] * m[k * n + j];
            }
        }
    }
    return sum;
}

static void determinants_are_those_of_matrices(void **state)
{
    static const char *const text[] = { "logdet(Mass)", "logdet(D)", "logdet(Mass + D)", "-logdet(Mass^-1)",
        "sum(k, logdet(D[k]))", "logdet(D[1]) + logdet(D) - logdet(D[1])" };
    (void)state;
    for (int i = 0; i < TREES; i++) {
        soa_model *model = model_of(MODELS[i]);
        states s = states_new(model, 1, 9);
        const int n = soa_model_nv(model);
        value(model, "Mass", &s, b);
        const double mass = log_determinant(n, b);
        value(model, "Mass + D", &s, b);
        const double more = log_determinant(n, b);
        for (size_t t = 0; t < sizeof text / sizeof text[0]; t++) {
            assert_int_equal(value(model, text[t], &s, a), 1);
            b[0] = strcmp(text[t], "logdet(Mass + D)") == 0 ? more : mass;
            same(MODELS[i], text[t], 1, fabs(mass));
        }
        states_free(&s);
        soa_model_free(model);
    }
}

/* dot(A) x = sum of d(A, q_i) x beta_i, and of vectors besides d(A, beta_i) betadot_i. */
static void rates_are_sums_of_derivatives(void **state)
{
    static const char *const text[] = { "Mass", "J'", "P", "phi", "psi", "R", "Ups", "Mass^-1", "H psi K", "Lambda",
        "V", "J beta", "beta' Mass beta" };
    (void)state;
    for (int i = 0; i < TREES - 1; i++) {
        soa_model *model = model_of(MODELS[i]);
        states s = states_new(model, 1, 4);
        const int nv = soa_model_nv(model);
        for (size_t t = 0; t < sizeof text / sizeof text[0]; t++) {
            char long_text[256];
            snprintf(long_text, sizeof long_text, "dot(%s)", text[t]);
            const int n = value(model, long_text, &s, a);
            double *sum = calloc((size_t)n + 1, sizeof *sum);
            for (int v = 0; v < nv; v++) {
                for (int by = 0; by < 2; by++) {
                    snprintf(long_text, sizeof long_text, "d(%s, %s_%d)", text[t], by ? "beta" : "q", v + 1);
                    value(model, long_text, &s, b);
                    for (int e = 0; e < n; e++) {
                        sum[e] += b[e] * (by ? s.T[v] : s.v[v]); /* betadot is bound to T here */
                    }
                }
            }
            memcpy(b, sum, (size_t)n * sizeof *b);
            free(sum);
            same(MODELS[i], text[t], n, 100.0);
        }
        states_free(&s);
        soa_model_free(model);
    }
}

/* What is quadratic in beta has the derivative (y(beta + e) - y(beta - e)) / 2, exact but for rounding. */
static void velocities_and_forces_count(void **state)
{
    static const char *const text[] = { "C", "a", "b", "H phi (M phi' a + b)", "alpha", "Mass^-1 (T - C)", "0.5 V' M V",
        "d(C, q_2)" };
    (void)state;
    for (int i = 0; i < TREES - 1; i++) {
        soa_model *model = model_of(MODELS[i]);
        states s = states_new(model, 1, 6);
        for (size_t t = 0; t < sizeof text / sizeof text[0]; t++) {
            for (int v = 1; v < soa_model_nv(model); v += 3) {
                char along[128];
                snprintf(along, sizeof along, "d(%s, beta_%d)", text[t], v + 1);
                const double beta = s.v[v];
                double *plus = calloc(MOST, sizeof *plus);
                s.v[v] = beta + 1.0;
                const int n = value(model, text[t], &s, plus);
                s.v[v] = beta - 1.0;
                value(model, text[t], &s, b);
                s.v[v] = beta;
                for (int e = 0; e < n; e++) {
                    b[e] = (plus[e] - b[e]) / 2.0;
                }
                free(plus);
                assert_int_equal(value(model, along, &s, a), n);
                same(MODELS[i], along, n, 1e3);
            }
        }
        states_free(&s);
        soa_model_free(model);
    }
    equal("d(Mass^-1 (T - C), T_2)", "e: joint force; Mass^-1 d(T, T_2)");
    equal("d(d(C, beta_1), beta_2)", "d(d(C, beta_2), beta_1)");
    equal("d(d(C, beta_1), q_2)", "d(d(C, q_2), beta_1)");
    equal("d(Mass, beta_1)", "Mass - Mass");
    equal("d(V, T_1)", "V - V");
}

/* A model, what is wrong, and words of the message. */
static void what_is_not_known_is_refused(void **state)
{
    static const char *const text[][2] = { { "dot(T)", "next moment" }, { "dot(a)", "next moment" },
        { "P[99]", "bodies count from 1 to 7" }, { "P[nowhere]", "nowhere" }, { "d(C, beta_99)", "beta_1 to beta_7" },
        { "d(dot(Mass), q_1)", "rates" }, { "d(pinv(Mass), q_1)", "pseudo-inverse" },
        { "logdet(-Mass) T", "not positive" } };
    soa_model *model = model_of("arm7");
    (void)state;
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        soa_program *program;
        soa_compiled *compiled = NULL;
        soa_runner *runner = NULL;
        soa_error error = { 0 };
        const double zero[64] = { 0 };
        OK(soa_program_new(NULL, &program, &job_error));
        OK(soa_program_read(program, text[i][0], SOA_READ_PROGRAM, &job_error));
        soa_status status = soa_compile(model, program, SOA_SIMPLIFIED, 0, NULL, &compiled, &error);
        if (status == SOA_OK) {
            OK(soa_runner_new(compiled, 0, NULL, NULL, &runner, &job_error));
            OK(soa_runner_bind(runner, "T", zero, &job_error));
            OK(soa_runner_bind_output(runner, "y", a, &job_error));
            status = soa_runner_run(runner, 1, zero, &error);
        }
        if (status == SOA_OK || !strstr(error.text, text[i][1])) {
            fail_msg("%s: %s", text[i][0], error.text);
        }
        soa_runner_free(runner);
        soa_compiled_free(compiled);
        soa_program_free(program);
    }
    soa_model_free(model);
}

static soa_status all_of_it(const soa_allocator *allocator, const soa_model *model, soa_error *error)
{
    soa_program *program = NULL;
    soa_compiled *compiled = NULL;
    soa_runner *runner = NULL;
    soa_status status = soa_program_new(allocator, &program, error);
    status = status == SOA_OK
                 ? soa_program_read(program,
                       "sum(k, trace(P[k])) D pinv(Mass) T + dot(Mass)[1,2] beta - logdet(D[2]) d(C, beta_1)",
                       SOA_READ_PROGRAM, error)
                 : status;
    status = status == SOA_OK ? soa_compile(model, program, SOA_AS_WRITTEN, 0, NULL, &compiled, error) : status;
    status = status == SOA_OK ? soa_runner_new(compiled, 0, NULL, allocator, &runner, error) : status;
    soa_runner_free(runner);
    soa_compiled_free(compiled);
    soa_program_free(program);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    soa_model *model = model_of("double-pendulum");
    soa_status status = SOA_E_MEMORY;
    (void)state;
    for (int allowed = 0; status == SOA_E_MEMORY; allowed++) {
        soa_error error;
        counting c;
        const soa_allocator allocator = counting_on(&c, allowed);
        status = all_of_it(&allocator, model, &error);
        assert_int_equal(c.open, 0);
    }
    assert_int_equal(status, SOA_OK);
    soa_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_those_of_the_matrix),
        cmocka_unit_test(parts_stand_anywhere),
        cmocka_unit_test(pseudo_inverses_are_least),
        cmocka_unit_test(determinants_are_those_of_matrices),
        cmocka_unit_test(rates_are_sums_of_derivatives),
        cmocka_unit_test(velocities_and_forces_count),
        cmocka_unit_test(what_is_not_known_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
