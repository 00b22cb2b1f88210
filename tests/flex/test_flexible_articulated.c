/* The changes of articulated quantities, and the diagonal equations, of models with flexible links: against matrices from the
 * definitions and against the motion itself. */
#include "flex/sample.h"
#include "operator/body_numbers.h"
#include "operator/operator_matrices.h"
#include "soa/sens_batch.h"

enum { TREES = 6 };

/* n numbers at a time t of the motion q' = v, v' = vd. */
typedef void timed(sample *s, double t, double *y);

/* Their rate at t = 0, by differences of the eighth order. */
static void rate_of(sample *s, timed *f, double h, int n, double *rate)
{
    static const double weight[4] = { 4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0 };
    double *y = calloc((size_t)n, sizeof *y);
    memset(rate, 0, (size_t)n * sizeof *rate);
    for (int p = 0; p < 8; p++) {
        const double sign = p % 2 == 0 ? 1.0 : -1.0;
        f(s, sign * h * (p / 2 + 1), y);
        for (int i = 0; i < n; i++) {
            rate[i] += sign * weight[p / 2] * y[i] / h;
        }
    }
    free(y);
}

static double entry(const soa_dense *d, soa_operator op, int row, int column)
{
    return (double)*soa_matrix_entry(d->op[op], row, column);
}

/* ---- rates ---------------------------------------------------------------------------------------------- */

/* P, D and G in the layout of soa_articulated_rates. */
static void articulated_at(sample *s, double t, double *y)
{
    const soa_model *m = s->t.model;
    const int stride = soa_articulated_stride(m);
    double q[MOST], *D = y + stride * stride * m->bodies, *G = D + stride * m->nv;
    soa_dense *d;
    soa_integrate(m, s->q, s->v, t, q);
    OK(soa_dense_new(m, q, 0, NULL, NULL, &d, &s->error));
    memset(y, 0, (size_t)(stride * (stride * m->bodies + 2 * m->nv)) * sizeof *y);
    for (int k = 0; k < m->bodies; k++) {
        const int n = soa_body_numbers(m, k), r = m->body[k].nv, v = m->body[k].v;
        for (int e = 0; e < n * n; e++) {
            const int i = e / n, j = e % n;
            y[stride * (stride * k + i) + j] = entry(d, SOA_OP_P, soa_body_index(m, k, i), soa_body_index(m, k, j));
        }
        for (int e = 0; e < r * r; e++) {
            D[stride * (v + e / r) + e % r] = entry(d, SOA_OP_D, v + e / r, v + e % r);
        }
        for (int e = 0; e < r * n; e++) {
            G[stride * (v + e / n) + e % n] = entry(d, SOA_OP_G, soa_body_index(m, k, e % n), v + e / n);
        }
    }
    soa_dense_free(d);
}

static void rates_are_differences(void **state)
{
    (void)state;
    for (int i = 0; i < TREES; i++) {
        sample s = sample_open(7100u + (unsigned)i, i % 3 == 0);
        const soa_model *m = s.t.model;
        const int stride = soa_articulated_stride(m), P = stride * stride * m->bodies, D = stride * m->nv;
        const size_t n = (size_t)(P + 2 * D);
        double *made = calloc(n, sizeof *made), *rate = calloc(n, sizeof *rate);
        assert_int_equal(stride, 6 + m->most_modes);
        OK(soa_articulated_rates(m, s.w, 1, s.q, s.v, made, made + P, made + P + D, &s.error));
        rate_of(&s, articulated_at, 0.004, (int)n, rate);
        near_all("P", i, P, made, rate, 1e-9);
        near_all("D", i, D, made + P, rate + P, 1e-9);
        near_all("G", i, D, made + P + D, rate + P + D, 1e-9);
        free(made), free(rate);
        sample_close(&s);
    }
}

/* ---- diagonal equations ------------------------------------------------------------------------------------ */

static double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* y = x + s A x of a square matrix of velocities, or with A*. */
static void add_product(int n, const double *A, bool adjoint, double s, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = x[i];
        for (int j = 0; j < n; j++) {
            y[i] += s * A[adjoint ? j * n + i : i * n + j] * x[j];
        }
    }
}

/* H phi K, or H psi K. */
static void gains(const soa_dense *d, soa_operator shift, double *A)
{
    for (int e = 0; e < d->nv * d->nv; e++) {
        long double sum = 0.0L;
        for (int i = 0; i < d->size; i++) {
            long double inner = 0.0L;
            for (int j = 0; j < d->size; j++) {
                inner += *soa_matrix_entry(d->op[shift], i, j) * *soa_matrix_entry(d->op[SOA_OP_K], j, e % d->nv);
            }
            sum += *soa_matrix_entry(d->op[SOA_OP_H], e / d->nv, i) * inner;
        }
        A[e] = (double)sum;
    }
}

/* The lower triangular factor of D, block by block: off its blocks D is zero. */
static void factor(const soa_dense *d, double *L)
{
    const int n = d->nv;
    memset(L, 0, (size_t)(n * n) * sizeof *L);
    for (int e = 0; e < n * n; e++) {
        const int i = e / n, j = e % n;
        double sum = entry(d, SOA_OP_D, i, j);
        for (int c = 0; c < j; c++) {
            sum -= L[i * n + c] * L[j * n + c];
        }
        L[e] = j > i ? 0.0 : i == j ? sqrt(sum) : sum / L[j * n + j];
    }
}

/* nu = L* (I + H phi K)* v and eps = L^-1 (I - H psi K) T, from the definitions. */
static void diagonal_by_matrices(sample *s, double *nu, double *eps)
{
    const int n = s->nv;
    static double A[MOST * MOST], L[MOST * MOST];
    double x[MOST];
    soa_dense *d;
    OK(soa_dense_new(s->t.model, s->q, 0, NULL, NULL, &d, &s->error));
    factor(d, L);
    gains(d, SOA_OP_PHI, A);
    add_product(n, A, true, 1.0, s->v, x);
    for (int i = 0; i < n; i++) {
        nu[i] = 0.0;
        for (int j = i; j < n; j++) {
            nu[i] += L[j * n + i] * x[j];
        }
    }
    gains(d, SOA_OP_PSI, A);
    add_product(n, A, false, -1.0, s->T, eps);
    for (int i = 0; i < n; i++) {
        eps[i] = (eps[i] - dot(i, L + i * n, eps)) / L[i * n + i];
    }
    soa_dense_free(d);
}

static void nu_at(sample *s, double t, double *nu)
{
    double q[MOST], v[MOST];
    soa_integrate(s->t.model, s->q, s->v, t, q);
    for (int i = 0; i < s->nv; i++) {
        v[i] = s->v[i] + t * s->vd[i];
    }
    OK(soa_diagonal_equations(s->t.model, s->w, 1, q, v, NULL, nu, NULL, NULL, &s->error));
}

/* nu and eps are those of the definitions, and nu' + mu = eps along the motion of the particles, whose T the sample has. */
static void equations_are_diagonal(void **state)
{
    (void)state;
    for (int i = 0; i < TREES; i++) {
        sample s = sample_open(7200u + (unsigned)i, i % 3 == 0);
        const int n = s.nv;
        double nu[MOST], eps[MOST], mu[MOST], expected[2][MOST], rate[MOST], Mv[MOST];
        OK(soa_diagonal_equations(s.t.model, s.w, 1, s.q, s.v, s.T, nu, eps, mu, &s.error));
        diagonal_by_matrices(&s, expected[0], expected[1]);
        near_all("nu", i, n, nu, expected[0], 1e-10);
        near_all("eps", i, n, eps, expected[1], 1e-10);
        for (int j = 0; j < n; j++) {
            Mv[j] = dot(n, s.mass + j * n, s.v);
        }
        const double energy[2] = { dot(n, nu, nu), dot(n, s.v, Mv) };
        near_all("nu . nu", i, 1, energy, energy + 1, 1e-10);
        rate_of(&s, nu_at, 0.004, n, rate);
        for (int j = 0; j < n; j++) {
            rate[j] += mu[j];
        }
        near_all("nu' + mu", i, n, rate, eps, 1e-9);
        OK(soa_diagonal_equations(s.t.model, s.w, 1, s.q, s.v, s.T, s.T, s.v, rate, &s.error));
        near_all("nu in the place of T", i, n, s.T, nu, 0.0);
        near_all("eps in the place of v", i, n, s.v, eps, 0.0);
        sample_close(&s);
    }
}

/* The outputs of a state that is not finite are spoiled; the others keep their bits. */
static void states_fail_alone(void **state)
{
    (void)state;
    sample s = sample_open(7300u, false);
    double q[3 * MOST], v[3 * MOST] = { 0.0 }, T[3 * MOST] = { 0.0 }, nu[3 * MOST], one[MOST];
    for (int i = 0; i < 3; i++) {
        memcpy(q + i * s.nq, s.q, (size_t)s.nq * sizeof *q);
        memcpy(v + i * s.nv, s.v, (size_t)s.nv * sizeof *v);
    }
    v[s.nv] = NAN;
    assert_int_equal(soa_diagonal_equations(s.t.model, s.w, 3, q, v, T, nu, NULL, NULL, &s.error), SOA_E_NUMBER);
    OK(soa_diagonal_equations(s.t.model, s.w, 1, s.q, s.v, NULL, one, NULL, NULL, &s.error));
    assert_memory_equal(nu, one, (size_t)s.nv * sizeof *one);
    assert_memory_equal(nu + 2 * s.nv, one, (size_t)s.nv * sizeof *one);
    assert_true(isnan(nu[s.nv]));
    sample_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_differences),
        cmocka_unit_test(equations_are_diagonal),
        cmocka_unit_test(states_fail_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
