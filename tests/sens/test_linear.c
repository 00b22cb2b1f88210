/* Linear state-space models against differences of motions, and the matrix exponential. */
#include "sens/differences.h"

#include "soa/linear.h"

/* ---- the model ---------------------------------------------------------------------------------------- */

static void acceleration(kit *k, const double *q, const double *v, const double *u, double *vdot)
{
    OK(k, soa_forward_dynamics(k->m, k->w, 1, q, v, u, k->f, vdot, &k->error));
}

/* How far a displaced copy of the state along velocity j is off after time t, v as it is. */
typedef struct drift {
    kit *k;
    int j;
} drift;

static void drifted(void *context, double t, double *x)
{
    const drift *d = context;
    kit *k = d->k;
    const double small = 1e-4;
    double *q = numbers(k->nq), *p = numbers(k->nq), *step = numbers(k->nv), *y = numbers(k->nv);
    soa_integrate(k->m, k->q, k->v, t, q);
    step[d->j] = 1.0;
    soa_integrate(k->m, k->q, step, small, p);
    soa_integrate(k->m, p, k->v, t, p);
    soa_difference(k->m, q, p, x);
    soa_integrate(k->m, k->q, step, -small, p);
    soa_integrate(k->m, p, k->v, t, p);
    soa_difference(k->m, q, p, y);
    for (int i = 0; i < k->nv; i++) {
        x[i] = (x[i] - y[i]) / (2.0 * small);
    }
    free(q);
    free(p);
    free(step);
    free(y);
}

static void check_rows(int n, const double *whole, int columns, int row, int column, const double *block, double near)
{
    double *part = numbers(n * n);
    for (int e = 0; e < n * n; e++) {
        part[e] = whole[(row + e / n) * columns + column + e % n];
    }
    NEAR(n * n, part, block, near);
    free(part);
}

static void check_model(kit *k)
{
    const int n = k->nv;
    double *A = numbers(4 * n * n), *B = numbers(2 * n * n), *C = numbers(6 * n * n), *D = numbers(3 * n * n);
    OK(k, soa_linear_model(k->m, k->w, 1, k->q, k->v, k->T, k->f, A, B, C, D, &k->error));
    for (int by = 0; by < 3; by++) {
        double *d = differences(k, acceleration, (moves)by, k->T, n);
        check_rows(n, by == BY_U ? B : A, by == BY_U ? n : 2 * n, n, by == BY_V ? n : 0, d, 1e-9);
        check_rows(n, by == BY_U ? D : C, by == BY_U ? n : 2 * n, 2 * n, by == BY_V ? n : 0, d, 1e-9);
        free(d);
    }
    double *turn = numbers(n * n), *one = numbers(n * n), *zero = numbers(n * n), *column = numbers(n);
    for (drift d = { k, 0 }; d.j < n; d.j++) {
        rate_of(drifted, &d, 0.02, n, column);
        for (int i = 0; i < n; i++) {
            turn[i * n + d.j] = column[i];
            one[i * n + d.j] = i == d.j ? 1.0 : 0.0;
        }
    }
    check_rows(n, A, 2 * n, 0, 0, turn, 1e-6);
    check_rows(n, A, 2 * n, 0, n, one, 0.0);
    check_rows(n, B, n, 0, 0, zero, 0.0);
    check_rows(n, C, 2 * n, 0, 0, one, 0.0);
    check_rows(n, C, 2 * n, n, n, one, 0.0);
    check_rows(n, C, 2 * n, n, 0, zero, 0.0);
    check_rows(n, D, n, n, 0, zero, 0.0);
    double *all[] = { A, B, C, D, turn, one, zero, column };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

static void follows_the_motion(void **state)
{
    (void)state;
    for (int seed = 0; seed < 60; seed++) {
        kit k = kit_random_tree(seed);
        check_model(&k);
        kit_close(&k);
    }
    kit k = kit_open("quadruped", 2);
    check_model(&k);
    kit_close(&k);
}

/* Of states in blocks: number i of `lanes` states side by side, then number i + 1. */
static int in_block(int state, int n, int i, int lanes)
{
    return state / lanes * lanes * n + i * lanes + state % lanes;
}

static void is_the_same_in_blocks(void **state)
{
    (void)state;
    enum { STATES = 3 };
    kit k = kit_open("quadruped", 2);
    const int n = k.nv, lanes = soa_workspace_lanes(k.w), room = (STATES + lanes - 1) / lanes * lanes;
    double *q = numbers(k.nq * room), *v = numbers(n * room), *A = numbers(4 * n * n), *B = numbers(2 * n * n);
    double *blocks = numbers(4 * n * n * room), *others = numbers(2 * n * n * room);
    OK(&k, soa_workspace_set_layout(k.w, SOA_LAYOUT_BLOCKED, &k.error));
    soa_workspace *plain;
    OK(&k, soa_workspace_new(k.m, NULL, &plain, &k.error));
    double *at[STATES], *rate[STATES];
    for (int s = 0; s < STATES; s++) {
        at[s] = numbers(k.nq);
        rate[s] = numbers(n);
        soa_random_configuration(k.m, &k.seed, at[s]);
        random_numbers(&k.seed, n, rate[s]);
        for (int i = 0; i < k.nq; i++) {
            q[in_block(s, k.nq, i, lanes)] = at[s][i];
        }
        for (int i = 0; i < n; i++) {
            v[in_block(s, n, i, lanes)] = rate[s][i];
        }
    }
    OK(&k, soa_linear_model(k.m, k.w, STATES, q, v, NULL, NULL, blocks, others, NULL, NULL, &k.error));
    for (int s = 0; s < STATES; s++) {
        OK(&k, soa_linear_model(k.m, plain, 1, at[s], rate[s], NULL, NULL, A, B, NULL, NULL, &k.error));
        for (int i = 0; i < 4 * n * n; i++) {
            SAME(1, blocks + in_block(s, 4 * n * n, i, lanes), A + i);
        }
        free(at[s]);
        free(rate[s]);
    }
    soa_workspace_free(plain);
    double *all[] = { q, v, A, B, blocks, others };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
    kit_close(&k);
}

/* ---- exponential ------------------------------------------------------------------------------------------ */

/* exp(A) by its series after halving A so often, in long double. */
static void series(int n, const double *A, double *E)
{
    enum { HALVINGS = 12, TERMS = 24, MOST = 12 };
    long double x[MOST * MOST], sum[MOST * MOST], term[MOST * MOST], next[MOST * MOST];
    assert_true(n <= MOST);
    for (int i = 0; i < n * n; i++) {
        x[i] = ldexpl((long double)A[i], -HALVINGS);
        sum[i] = term[i] = i % (n + 1) == 0 ? 1.0L : 0.0L;
    }
    for (int t = 1; t <= TERMS + HALVINGS; t++) {
        const long double *a = t <= TERMS ? term : sum, *b = t <= TERMS ? x : sum;
        for (int i = 0; i < n * n; i++) {
            next[i] = 0.0L;
            for (int l = 0; l < n; l++) {
                next[i] += a[i / n * n + l] * b[l * n + i % n];
            }
        }
        for (int i = 0; i < n * n; i++) {
            term[i] = t <= TERMS ? next[i] / t : term[i];
            sum[i] = t <= TERMS ? sum[i] + term[i] : next[i];
        }
    }
    for (int i = 0; i < n * n; i++) {
        E[i] = (double)sum[i];
    }
}

static soa_linear_workspace *workspace(int rows)
{
    soa_linear_workspace *w = NULL;
    assert_int_equal(soa_linear_workspace_new(rows, NULL, &w, NULL), SOA_OK);
    return w;
}

static void exponentiates(void **state)
{
    (void)state;
    unsigned long long seed = 9;
    for (int n = 1; n <= 12; n++) {
        const double scale[4] = { 1e-3, 0.5, 3.0, 20.0 };
        for (int s = 0; s < 4; s++) {
            double A[144], E[144], expected[144];
            soa_linear_workspace *w = workspace(n);
            random_numbers(&seed, n * n, A);
            for (int i = 0; i < n * n; i++) {
                A[i] *= scale[s] / n;
            }
            assert_int_equal(soa_linear_exponential(w, n, A, E, NULL), SOA_OK);
            series(n, A, expected);
            NEAR(n * n, E, expected, 1e-13 * (1.0 + scale[s]));
            assert_int_equal(soa_linear_exponential(w, n, A, A, NULL), SOA_OK); /* in place */
            SAME(n * n, A, E);
            soa_linear_workspace_free(w);
        }
    }
}

/* A mass pushed by u: x = t^2 / 2. */
static void steps_in_time(void **state)
{
    (void)state;
    const double A[4] = { 0.0, 1.0, 0.0, 0.0 }, B[2] = { 0.0, 1.0 }, dt = 0.25;
    double Ad[4], Bd[2];
    soa_linear_workspace *w = workspace(3);
    soa_error error;
    assert_int_equal(soa_linear_discrete(w, 2, 1, A, B, dt, Ad, Bd, &error), SOA_OK);
    const double expected[6] = { 1.0, dt, 0.0, 1.0, 0.5 * dt * dt, dt };
    NEAR(4, Ad, expected, 1e-15);
    NEAR(2, Bd, expected + 4, 1e-15);
    assert_int_equal(soa_linear_discrete(w, 2, 1, A, B, NAN, Ad, Bd, &error), SOA_E_NUMBER);
    const double large[4] = { 1e4, 0.0, 0.0, 1.0 }, bad[4] = { 1.0, NAN, 0.0, 0.0 };
    assert_int_equal(soa_linear_exponential(w, 2, large, Ad, &error), SOA_E_NUMBER);
    assert_int_equal(soa_linear_exponential(w, 2, bad, Ad, &error), SOA_E_NUMBER);
    assert_int_equal(soa_linear_exponential(w, 2, NULL, Ad, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_linear_discrete(w, 2, 1, A, B, 0.0, Ad, Bd, &error), SOA_OK); /* no time: nothing moves */
    NEAR(4, Ad, ((double[]){ 1.0, 0.0, 0.0, 1.0 }), 0.0);
    NEAR(2, Bd, ((double[]){ 0.0, 0.0 }), 0.0);
    soa_linear_workspace_free(w);
}

/* What is larger than the workspace, or missing, is refused. */
static void refuses_larger(void **state)
{
    (void)state;
    double A[9] = { 0.0 }, E[9];
    soa_linear_workspace *w = workspace(2);
    soa_error error;
    assert_int_equal(soa_linear_exponential(w, 3, A, E, &error), SOA_E_LIMIT);
    assert_int_equal(soa_linear_discrete(w, 2, 1, A, A, 0.1, E, E + 4, &error), SOA_E_LIMIT);
    assert_int_equal(soa_linear_exponential(w, 2, A, E, &error), SOA_OK);
    assert_int_equal(soa_linear_exponential(w, 0, NULL, NULL, &error), SOA_OK); /* nothing is a matrix too */
    assert_int_equal(soa_linear_discrete(w, 0, 0, NULL, NULL, 0.1, NULL, NULL, &error), SOA_OK);
    assert_int_equal(soa_linear_exponential(NULL, 2, A, E, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_linear_discrete(w, 1, -1, NULL, NULL, 0.1, NULL, NULL, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_linear_workspace_new(-1, NULL, &w, &error), SOA_E_ARGUMENT);
    soa_linear_workspace_free(w);
    soa_linear_workspace_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_motion),
        cmocka_unit_test(is_the_same_in_blocks),
        cmocka_unit_test(exponentiates),
        cmocka_unit_test(steps_in_time),
        cmocka_unit_test(refuses_larger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
