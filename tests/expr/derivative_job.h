/* tests/expr/derivative_job.h - an expression on a random tree, its derivatives as run and by differences. */
#ifndef SOA_TESTS_EXPR_DERIVATIVE_JOB_H
#define SOA_TESTS_EXPR_DERIVATIVE_JOB_H

#include "expr/run_job.h"
#include "operator/random_tree.h"

enum { ROWS = 3, GIVEN = RANDOM_VECTORS + 4 };

/* The numbers of everything that an expression may name, the same for all that are run on the tree. */
typedef struct bench {
    tree t;
    double A[ROWS * 6 * TREE_MAX_POINTS];
    double number[GIVEN][6 * TREE_MAX_LINKS];
} bench;

static const char *const given_name[] = { "T", "beta", "betadot", "f_c" };

static inline bench *bench_new(int bodies, bool rotors, unsigned long long seed)
{
    bench *b = calloc(1, sizeof *b);
    b->t = tree_new(bodies, seed % 5 == 0 ? TREE_CHAIN : TREE_BUSHY, rotors, seed);
    random_fill(&seed, ROWS * 6 * TREE_MAX_POINTS, b->A);
    for (int i = 0; i < GIVEN; i++) {
        random_fill(&seed, 6 * TREE_MAX_LINKS, b->number[i]);
    }
    return b;
}

static inline void bench_free(bench *b)
{
    soa_model_free(b->t.model);
    free(b);
}

/* One whose joints are not all welds. */
static inline bench *bench_moving(int bodies, bool rotors, unsigned long long seed)
{
    bench *b = bench_new(bodies, rotors, seed);
    while (soa_model_nv(b->t.model) == 0) {
        bench_free(b);
        seed += 100000;
        b = bench_new(bodies, rotors, seed);
    }
    return b;
}

static inline job bench_job(const bench *b, const char *expression)
{
    static random_text text;
    text.used = 0;
    random_declarations(&text);
    random_put(&text, expression);
    job j = job_new(b->t.model, text.text, false, b->t.points, b->t.point);
    OK(soa_runner_set_constraints(j.runner, ROWS, b->A, &job_error));
    for (int i = 0; i < GIVEN; i++) {
        const char *name = i < RANDOM_VECTORS ? random_vector[i].name : given_name[i - RANDOM_VECTORS];
        (void)soa_runner_bind(j.runner, name, b->number[i], NULL);
    }
    return j;
}

/* The value at a configuration; false: some inverse does not exist there. */
static inline bool bench_run(const job *j, const double *q, double *y)
{
    OK(soa_runner_bind_output(j->runner, "y", y, &job_error));
    const soa_status status = soa_runner_run(j->runner, 1, q, &job_error);
    assert_true(status == SOA_OK || status == SOA_E_SINGULAR);
    return status == SOA_OK;
}

/* Differences of eighth order along a velocity, over steps h. */
static inline bool bench_differences(const bench *b, const job *j, int velocity, double h, int n, double *rate)
{
    static const double weight[4] = { 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280 };
    double v[TREE_MAX_LINKS * SOA_JOINT_MAX_NV] = { 0 }, q[TREE_MAX_LINKS * SOA_JOINT_MAX_NQ];
    double *y = calloc((size_t)n + 1, sizeof *y);
    bool found = true;
    v[velocity] = 1.0;
    memset(rate, 0, (size_t)n * sizeof *rate);
    for (int s = -4; s <= 4 && found; s++) {
        if (s != 0) {
            soa_integrate(b->t.model, b->t.q, v, s * h, q);
            found = bench_run(j, q, y);
            for (int i = 0; i < n; i++) {
                rate[i] += (s < 0 ? -1.0 : 1.0) * weight[abs(s) - 1] * y[i] / h;
            }
        }
    }
    free(y);
    return found;
}

/* How far y is from differences, relative to the larger of them, of what they are of, and of 1, as what
 * expressions are given is; -1: no value there. */
static inline double bench_distance(
    const bench *b, const job *of, int velocity, double h, int n, const double *y, const double *at)
{
    double *rate = calloc((size_t)n + 1, sizeof *rate);
    const bool found = bench_differences(b, of, velocity, h, n, rate);
    double error = 0.0, size = 1.0;
    for (int i = 0; i < n; i++) {
        size = fmax(size, fmax(fabs(rate[i]), fabs(at[i])));
        error = fabs(y[i] - rate[i]) <= error ? error : fabs(y[i] - rate[i]);
    }
    free(rate);
    return found ? error / size : -1.0;
}

/* How far d(expression, q_i) is from differences of the expression, over steps as small as they need (rounding grows
 * as they shrink); -1: it has no value here. */
static inline double bench_error(const bench *b, const char *expression, int velocity)
{
    static char text[RANDOM_TEXT + 32];
    snprintf(text, sizeof text, "d(%.65000s, q_%d)", expression, velocity + 1);
    job of = bench_job(b, expression), d = bench_job(b, text);
    const int n = soa_runner_numbers(of.runner, "y");
    assert_int_equal(n, soa_runner_numbers(d.runner, "y"));
    double *y = calloc((size_t)n + 1, sizeof *y), *at = calloc((size_t)n + 1, sizeof *at);
    double error = -1.0;
    if (bench_run(&of, b->t.q, at) && bench_run(&d, b->t.q, y)) {
        error = bench_distance(b, &of, velocity, 0.02, n, y, at);
        for (double h = 0.006; error >= 1e-10 && h > 1e-3; h *= 0.3) {
            error = fmin(error, bench_distance(b, &of, velocity, h, n, y, at));
        }
    }
    free(y), free(at);
    job_free(&of);
    job_free(&d);
    return error;
}

#endif
