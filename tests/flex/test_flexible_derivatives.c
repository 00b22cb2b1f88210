/* Exact derivatives of models with flexible links against differences of the mechanics of particles, which share no code
 * with the library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flex/particles.h"
#include "flex/slopes.h"

enum { MOST = 120, TREES = 100 };

#define OK(call) assert_int_equal(call, SOA_OK)

typedef struct sample {
    tree t;
    soa_workspace *w;
    int n;
    double q[MOST], v[MOST], u[MOST];
    soa_error error;
} sample;

static sample sample_open(unsigned long long seed)
{
    sample s = { .t = tree_make(seed, seed % 3 == 0, 20.0) };
    s.n = soa_model_nv(s.t.model);
    assert_true(s.n <= MOST && soa_model_nq(s.t.model) <= MOST);
    OK(soa_workspace_new(s.t.model, NULL, &s.w, &s.error));
    soa_random_configuration(s.t.model, &seed, s.q);
    for (int i = 0; i < s.n; i++) {
        s.v[i] = rnd(&seed);
        s.u[i] = rnd(&seed);
    }
    return s;
}

static void sample_close(sample *s)
{
    soa_workspace_free(s->w);
    soa_model_free(s->t.model);
}

static void near_all(const char *what, int number, int n, const double *x, const double *y, double tolerance)
{
    double size = 1.0, worst = 0.0;
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(y[i]));
        worst = !(fabs(x[i] - y[i]) <= worst) ? fabs(x[i] - y[i]) : worst;
    }
    if (!(worst <= tolerance * size)) {
        fail_msg("case %d: %s is off by %g of %g", number, what, worst, size);
    }
}

/* T, then Mass, at the accelerations of the sample. */
static void particles_at(void *context, const double *q, const double *v, double *y)
{
    const sample *s = context;
    particle_mechanics(&s->t, q, v, s->u, y + s->n, y);
}

/* dT/dq, dT/dv, dMass/dq by particles; all derivatives of the library follow from these. */
static void derivatives_are_those_of_particles(void **state)
{
    (void)state;
    for (int i = 0; i < TREES; i++) {
        sample s = sample_open(4000u + (unsigned)i);
        const soa_model *m = s.t.model;
        const size_t n = (size_t)s.n, square = n * n;
        double *column = calloc(n + square, sizeof *column),
               *block = calloc(9 * square + 2 * n * square, sizeof *block);
        double *T_q = block, *T_v = T_q + square, *by_q = T_v + square, *by_v = by_q + square, *mass = by_v + square;
        double *A = mass + square, *dmass = A + 4 * square, *symbols = dmass + n * square;
        OK(soa_inverse_dynamics_derivatives(m, s.w, 1, s.q, s.v, s.u, NULL, by_q, by_v, mass, &s.error));
        OK(soa_mass_derivatives(m, s.w, 1, s.q, dmass, &s.error));
        for (size_t c = 0; c < n; c++) {
            for (int by = 0; by < 2; by++) {
                slope_column(m, particles_at, &s, (int)(n + square), s.q, s.v, by == 1, (int)c, column);
                for (size_t r = 0; r < n; r++) {
                    (by == 0 ? T_q : T_v)[r * n + c] = column[r];
                }
                if (by == 0) {
                    near_all("dMass/dq", i, (int)square, dmass + c * square, column + n, 1e-9);
                }
            }
        }
        near_all("dT/dq", i, (int)square, by_q, T_q, 1e-9);
        near_all("dT/dv", i, (int)square, by_v, T_v, 1e-9);
        /* Mass dvdot = -dT at the same accelerations, T = T(q, v, u) */
        double T[MOST], B[2 * MOST * MOST];
        OK(soa_inverse_dynamics(m, s.w, 1, s.q, s.v, s.u, NULL, T, &s.error));
        OK(soa_linear_model(m, s.w, 1, s.q, s.v, T, NULL, A, B, NULL, NULL, &s.error));
        for (size_t r = 0; r < n; r++) {
            for (size_t c = 0; c < 2 * n; c++) {
                double sum = 0.0;
                for (size_t k = 0; k < n; k++) {
                    sum -= mass[r * n + k] * A[(n + k) * 2 * n + c];
                }
                (c < n ? by_q : by_v)[r * n + c % n] = sum;
            }
        }
        near_all("Mass dvdot/dq", i, (int)square, by_q, T_q, 1e-9);
        near_all("Mass dvdot/dv", i, (int)square, by_v, T_v, 1e-9);
        /* dMass(a,c)/dq_b = C_a(b,c) + C_c(b,a), and the sum of C x y */
        OK(soa_christoffel(m, s.w, 1, s.q, symbols, &s.error));
        for (size_t a = 0; a < n; a++) {
            for (size_t b = 0; b < n; b++) {
                for (size_t c = 0; c < n; c++) {
                    mass[b * n + c] = symbols[(a * n + b) * n + c] + symbols[(c * n + b) * n + a];
                    by_q[b * n + c] = dmass[b * square + a * n + c];
                }
            }
            near_all("symbols", i, (int)square, mass, by_q, 1e-9);
        }
        double none[MOST] = { 0.0 }, product[MOST], T0[MOST];
        OK(soa_christoffel_product(m, s.w, 1, s.q, s.v, s.v, product, &s.error));
        particle_mechanics(&s.t, s.q, s.v, none, mass, T);
        particle_mechanics(&s.t, s.q, none, none, mass, T0);
        for (size_t k = 0; k < n; k++) {
            T[k] -= T0[k];
        }
        near_all("Coriolis force", i, (int)n, product, T, 1e-9);
        free(column);
        free(block);
        sample_close(&s);
    }
}

/* Along x, of products, packed: each is a sum of what is known. */
static void contractions_agree(void **state)
{
    (void)state;
    sample s = sample_open(4004u);
    const soa_model *m = s.t.model;
    const size_t n = (size_t)s.n, square = n * n;
    double *block = calloc(2 * n * square + 4 * square, sizeof *block);
    double *dmass = block, *symbols = dmass + n * square, *rate = symbols + n * square, *sum = rate + square;
    double *product = sum + square, *one = product + square;
    const long long size = soa_christoffel_size(m);
    double *packed = calloc((size_t)size, sizeof *packed);
    OK(soa_mass_derivatives(m, s.w, 1, s.q, dmass, &s.error));
    OK(soa_mass_rate(m, s.w, 1, s.q, s.v, rate, &s.error));
    OK(soa_mass_product_derivative(m, s.w, 1, s.q, s.v, product, &s.error));
    OK(soa_christoffel(m, s.w, 1, s.q, symbols, &s.error));
    OK(soa_christoffel_packed(m, s.w, 1, s.q, packed, &s.error));
    for (size_t i = 0; i < n * square; i++) {
        const long long at = soa_christoffel_index(m, (int)(i / square), (int)(i / n % n), (int)(i % n));
        assert_true(at >= 0 ? packed[at] == symbols[i] : fabs(symbols[i]) < 1e-12);
        sum[i % square] += s.v[i / square] * dmass[i];
    }
    near_all("rate", 0, (int)square, rate, sum, 1e-13);
    memset(sum, 0, square * sizeof *sum);
    for (size_t i = 0; i < n * square; i++) {
        sum[i / n % n * n + i / square] += dmass[i] * s.v[i % n];
    }
    near_all("product", 0, (int)square, product, sum, 1e-13);
    OK(soa_mass_derivative(m, s.w, s.n - 1, 1, s.q, one, &s.error));
    near_all("one", 0, (int)square, one, dmass + (n - 1) * square, 1e-15);
    free(packed);
    free(block);
    sample_close(&s);
}

typedef struct pushed {
    sample *s;
    soa_point point[2];
    double f[12];
} pushed;

/* -J* f of the points. */
static void push(void *context, const double *q, const double *v, double *y)
{
    const pushed *p = context;
    (void)v;
    double J[12 * MOST];
    OK(soa_jacobian(p->s->t.model, p->s->w, 2, p->point, SOA_AXES_MIXED, 1, q, J, NULL));
    memset(y, 0, (size_t)p->s->n * sizeof *y);
    for (int i = 0; i < 12 * p->s->n; i++) {
        y[i % p->s->n] -= J[i] * p->f[i / p->s->n];
    }
}

/* Forces at nodes, and gravity. */
static void loads_have_derivatives(void **state)
{
    (void)state;
    sample s = sample_open(4005u);
    const soa_model *m = s.t.model;
    const size_t n = (size_t)s.n;
    pushed p = { .s = &s, .point = { { 1, soa_pose_identity(), 2 }, { 1, soa_pose_identity(), 3 } } };
    unsigned long long seed = 3;
    for (int i = 0; i < 12; i++) {
        p.f[i] = rnd(&seed);
    }
    double by_q[MOST * MOST], column[MOST], by_f[12 * MOST], vdot_f[12 * MOST], minv[MOST * MOST];
    double slope[MOST * MOST] = { 0.0 };
    OK(soa_point_force_derivatives(m, s.w, 2, p.point, 1, s.q, p.f, by_q, by_f, &s.error));
    OK(soa_point_acceleration_derivatives(m, s.w, 2, p.point, 1, s.q, vdot_f, &s.error));
    OK(soa_mass_inverse(m, s.w, 1, s.q, minv, &s.error));
    for (size_t c = 0; c < n; c++) {
        slope_column(m, push, &p, s.n, s.q, s.v, false, (int)c, column);
        for (size_t r = 0; r < n; r++) {
            slope[r * n + c] = column[r];
        }
    }
    near_all("by q", 0, (int)(n * n), by_q, slope, 1e-9);
    double J[12 * MOST], expected[12 * MOST] = { 0.0 };
    OK(soa_jacobian(m, s.w, 2, p.point, SOA_AXES_MIXED, 1, s.q, J, &s.error));
    for (size_t r = 0; r < n; r++) {
        for (size_t c = 0; c < 12; c++) {
            assert_true(fabs(by_f[r * 12 + c] + J[c * n + r]) < 1e-13);
            for (size_t k = 0; k < n; k++) {
                expected[r * 12 + c] += minv[r * n + k] * J[c * n + k];
            }
        }
    }
    near_all("by f", 0, (int)(12 * n), vdot_f, expected, 1e-11);
    double T_g[3 * MOST], vdot_g[3 * MOST], T[2][MOST];
    OK(soa_gravity_derivatives(m, s.w, 1, s.q, T_g, vdot_g, &s.error));
    for (int e = 0; e < 3; e++) {
        double gravity[3] = { 0.0 }, a[MOST];
        gravity[e] = 1.0;
        soa_model *pulled;
        OK(soa_model_with_gravity(m, gravity, &pulled, &s.error));
        soa_workspace *w;
        OK(soa_workspace_new(pulled, NULL, &w, &s.error));
        OK(soa_inverse_dynamics(pulled, w, 1, s.q, NULL, NULL, NULL, T[0], &s.error));
        OK(soa_forward_dynamics(pulled, w, 1, s.q, NULL, NULL, NULL, a, &s.error));
        for (size_t r = 0; r < n; r++) {
            assert_true(fabs(T_g[3 * r + (size_t)e] - T[0][r]) < 1e-12);
            assert_true(fabs(vdot_g[3 * r + (size_t)e] - a[r]) < 1e-11);
        }
        soa_workspace_free(w);
        soa_model_free(pulled);
    }
    sample_close(&s);
}

/* A state that fails spoils its own results alone. */
static void bad_states_are_refused(void **state)
{
    (void)state;
    sample s = sample_open(4001u);
    const soa_model *m = s.t.model;
    const int n = s.n, nq = soa_model_nq(m);
    double q[3 * MOST], *y = calloc((size_t)(3 * n * n), sizeof *y);
    for (int i = 0; i < 3; i++) {
        memcpy(q + i * nq, s.q, (size_t)nq * sizeof *q);
    }
    q[nq + soa_model_body(m, soa_model_link_body(m, 1, NULL)).q] = NAN;
    assert_int_equal(soa_mass_rate(m, s.w, 3, q, (double[3 * MOST]){ 1.0 }, y, &s.error), SOA_E_NUMBER);
    assert_int_equal(s.error.state, 1);
    assert_true(isfinite(y[0]) && isnan(y[n * n]) && isfinite(y[2 * n * n]));
    assert_int_equal(
        soa_inverse_dynamics_derivatives(m, s.w, 3, q, NULL, NULL, NULL, y, NULL, NULL, &s.error), SOA_E_NUMBER);
    free(y);
    sample_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_of_particles),
        cmocka_unit_test(contractions_agree),
        cmocka_unit_test(loads_have_derivatives),
        cmocka_unit_test(bad_states_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
