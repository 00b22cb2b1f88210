/* A beam that is spun up: Kane, Ryan and Banerjee, J. Guidance 10 (1987), 139-151, showed that it must lag, stiffen and come
 * back, and that data without second-order displacements make it diverge instead. The numbers are those of the beam of Simo and
 * Vu-Quoc, J. Applied Mechanics 53 (1986), 855-863: length 10, EI 1.4e4, EA 2.8e7, 1.2 kg/m, from rest to 6 rad/s in 15 s;
 * its tip lags by 0.57 at most (read from their figure), shortly before half of the time. The recursions must follow the same
 * course, and a simulation must warn of the other.
 *
 * The equations of motion are Lagrange's of the polynomials of soa/flexible.h, with the rotation Omega about z prescribed:
 *
 *     eta'' + Omega' (en + en1 eta) + Omega (en1 - en1*) eta' - Omega^2 / 2 (second1 + second2 eta) + K eta = 0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "soa/flex.h"
#include "soa/soa.h"

enum { MOST = 8, ZZ = 5 };

static soa_flexible *make_beam(bool stiffening)
{
    soa_beam beam = soa_beam_default();
    const soa_reduction wish = { .modes = 4 };
    soa_flexible *f;
    soa_error error;
    beam.length = 10.0;
    beam.elements = 10;
    beam.E = 2.8e10;
    beam.G = 1.0e10;
    beam.rho = 1200.0;
    beam.section[0] = (soa_beam_section){ 1.0e-3, 5.0e-5, 5.0e-7, 1.0e-4 }; /* it bends about z alone */
    beam.stiffening = stiffening;
    assert_int_equal(soa_flexible_beam(&beam, &wish, NULL, &f, &error), SOA_OK);
    return f;
}

static void spin(double t, double *Omega, double *rate)
{
    const double T = 15.0, end = 6.0, w = 2.0 * acos(-1.0) / T;
    *Omega = t < T ? end / T * (t - sin(w * t) / w) : end;
    *rate = t < T ? end / T * (1.0 - cos(w * t)) : 0.0;
}

/* x: eta, eta'. */
static void rates(const soa_flexible *f, double t, const double *x, double *dx)
{
    const int m = f->modes;
    double Omega, rate;
    spin(t, &Omega, &rate);
    for (int i = 0; i < m; i++) {
        double force = rate * f->en[3 * i + 2] - 0.5 * Omega * Omega * f->second1[6 * i + ZZ];
        for (int j = 0; j < m; j++) {
            const double en_ij = f->en1[3 * (i * m + j) + 2], en_ji = f->en1[3 * (j * m + i) + 2];
            force += rate * en_ij * x[j] + Omega * (en_ij - en_ji) * x[m + j] + f->stiffness[i * m + j] * x[j] -
                     0.5 * Omega * Omega * f->second2[6 * (i * m + j) + ZZ] * x[j];
        }
        dx[i] = x[m + i];
        dx[m + i] = -force;
    }
}

static void step(const soa_flexible *f, double t, double h, double *x)
{
    static const double at[4] = { 0.0, 0.5, 0.5, 1.0 }, weight[4] = { 1.0, 2.0, 2.0, 1.0 };
    const int n = 2 * f->modes;
    double k[2 * MOST] = { 0.0 }, y[2 * MOST], sum[2 * MOST] = { 0.0 };
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < n; i++) {
            y[i] = x[i] + h * at[stage] * k[i];
        }
        rates(f, t + h * at[stage], y, k);
        for (int i = 0; i < n; i++) {
            sum[i] += weight[stage] * k[i];
        }
    }
    for (int i = 0; i < n; i++) {
        x[i] += h / 6.0 * sum[i];
    }
}

typedef struct course {
    double lowest, when, highest, last; /* of the tip's deflection */
} course;

static course run(bool stiffening)
{
    soa_flexible *f = make_beam(stiffening);
    double x[2 * MOST] = { 0.0 };
    course c = { 0.0, 0.0, 0.0, 0.0 };
    const double h = 2e-4;
    for (int n = 0; n < 100000 && fabs(c.last) < 1e3; n++) {
        step(f, n * h, h, x);
        c.last = 0.0;
        for (int i = 0; i < f->modes; i++) {
            c.last += f->shape[(10 * f->modes + i) * 6 + 4] * x[i];
        }
        c.when = c.last < c.lowest ? n * h : c.when;
        c.lowest = fmin(c.lowest, c.last);
        c.highest = fmax(c.highest, c.last);
    }
    soa_flexible_free(NULL, f);
    return c;
}

/* ---- the same by the library -------------------------------------------------------------------------------- */

static soa_model *make_model(bool stiffening)
{
    soa_error error;
    soa_model *model = NULL;
    soa_builder *b = soa_builder_new(NULL);
    soa_flexible *f = make_beam(stiffening);
    soa_link link = soa_link_default("blade", SOA_WORLD, SOA_REVOLUTE);
    link.flexible = f;
    soa_builder_set_gravity(b, (double[3]){ 0.0, 0.0, 0.0 });
    assert_int_equal(soa_builder_add_link(b, &link, NULL, &error), SOA_OK);
    assert_int_equal(soa_builder_finish(b, &model, &error), SOA_OK);
    soa_builder_free(b);
    soa_flexible_free(NULL, f);
    return model;
}

typedef struct machine {
    soa_model *model;
    soa_workspace *w;
    const soa_flexible *f;
} machine;

/* x: eta, eta'. The hinge follows Omega, whatever torque that takes. */
static void library_rates(const machine *a, double t, const double *x, double *dx)
{
    const int m = a->f->modes;
    const bool prescribed[1 + MOST] = { true };
    double q[1 + MOST] = { 0.0 }, v[1 + MOST], T[1 + MOST] = { 0.0 }, vdot[1 + MOST] = { 0.0 };
    soa_error error;
    spin(t, &v[0], &vdot[0]);
    memcpy(q + 1, x, (size_t)m * sizeof *q);
    memcpy(v + 1, x + m, (size_t)m * sizeof *v);
    for (int i = 0; i < m * m; i++) {
        T[1 + i / m] -= a->f->stiffness[i] * x[i % m];
    }
    assert_int_equal(soa_hybrid_dynamics(a->model, a->w, prescribed, 1, q, v, NULL, T, vdot, &error), SOA_OK);
    memcpy(dx, v + 1, (size_t)m * sizeof *dx);
    memcpy(dx + m, vdot + 1, (size_t)m * sizeof *dx);
}

/* The accelerations along the whole course are those of Lagrange's equations. */
static void recursions_follow(void **state)
{
    (void)state;
    machine a = { .model = make_model(true) };
    assert_int_equal(soa_workspace_new(a.model, NULL, &a.w, NULL), SOA_OK);
    a.f = soa_model_link(a.model, 0)->flexible;
    double x[2 * MOST] = { 0.0 }, y[2 * MOST], z[2 * MOST];
    for (int n = 0; n < 8000; n++) {
        const double h = 2e-3;
        step(a.f, n * h, h, x);
        if (n % 40 == 0) {
            rates(a.f, n * h, x, y);
            library_rates(&a, n * h, x, z);
            for (int i = 0; i < 2 * a.f->modes; i++) {
                assert_true(fabs(y[i] - z[i]) < 1e-9 * fmax(1.0, fabs(y[i])));
            }
        }
    }
    soa_workspace_free(a.w);
    soa_model_free(a.model);
}

/* Its lowest frequency is 3.8 rad/s. */
static void simulation_warns(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        soa_model *model = make_model(i == 2);
        const double q[1 + MOST] = { 0.0 }, v[1 + MOST] = { i == 0 ? 3.7 : 6.0 };
        soa_sim_setup setup = soa_sim_setup_default();
        setup.q = q;
        setup.v = v;
        soa_sim *sim = NULL;
        soa_sim_report report;
        assert_int_equal(soa_sim_new(model, &setup, NULL, &sim, NULL), SOA_OK);
        assert_int_equal(soa_sim_advance(sim, 0.01, NULL), SOA_OK);
        assert_int_equal(soa_sim_report_get(sim, &report, NULL), SOA_OK);
        assert_int_equal(report.spun_link, i == 1 ? 1 : 0);
        assert_true(i != 1 || (fabs(report.spun_rate - 6.0) < 0.1 && report.spun_time > 0.0));
        soa_sim_free(sim);
        soa_model_free(model);
    }
}

static void stiffened_beam_comes_back(void **state)
{
    (void)state;
    const course c = run(true);
    if (!(c.lowest < -0.54 && c.lowest > -0.60 && c.when > 6.0 && c.when < 7.5 && c.highest < 0.02 &&
            fabs(c.last) < 0.02)) {
        fail_msg("lowest %g at %g, highest %g, last %g", c.lowest, c.when, c.highest, c.last);
    }
}

static void other_beam_diverges(void **state)
{
    (void)state;
    assert_true(fabs(run(false).last) > 100.0);
}

/* ---- loads along the beam ----------------------------------------------------------------------------------------- */

/* Whether the beam stands upright under a load that presses on its tip with `times` Euler's pi^2 EI / (4 L^2), or pulls: whether the
 * stiffness with that of the load has positive pivots. */
static bool stands(bool stiffening, double times)
{
    const double g = 1e-3, pi = acos(-1.0);
    soa_error error;
    soa_model *model;
    soa_workspace *w;
    soa_builder *b = soa_builder_new(NULL);
    soa_flexible *f = make_beam(stiffening);
    soa_link beam = soa_link_default("beam", SOA_WORLD, SOA_FIXED), load = soa_link_default("load", 0, SOA_FIXED);
    beam.flexible = f;
    load.node = f->nodes;
    load.inertia = (soa_inertia){ .mass = fabs(times) * pi * pi * 1.4e4 / 400.0 / g };
    soa_builder_set_gravity(b, (double[3]){ times > 0.0 ? -g : g, 0.0, 0.0 });
    assert_int_equal(soa_builder_add_link(b, &beam, NULL, &error), SOA_OK);
    assert_int_equal(soa_builder_add_link(b, &load, NULL, &error), SOA_OK);
    assert_int_equal(soa_builder_finish(b, &model, &error), SOA_OK);
    assert_int_equal(soa_workspace_new(model, NULL, &w, &error), SOA_OK);
    const int m = f->modes;
    double none[MOST] = { 0.0 }, K[MOST * MOST];
    assert_int_equal(
        soa_inverse_dynamics_derivatives(model, w, 1, none, none, none, NULL, K, NULL, NULL, &error), SOA_OK);
    bool positive = true;
    for (int i = 0; i < m * m; i++) {
        K[i] += f->stiffness[i];
    }
    for (int k = 0; k < m; k++) {
        positive = positive && K[k * m + k] > 0.0;
        for (int i = (k + 1) * m; i < m * m; i++) {
            K[i] -= i % m > k ? K[i / m * m + k] * K[k * m + i % m] / K[k * m + k] : 0.0;
        }
    }
    soa_workspace_free(w);
    soa_model_free(model);
    soa_builder_free(b);
    soa_flexible_free(NULL, f);
    return positive;
}

static void loads_along_the_beam_buckle_it(void **state)
{
    (void)state;
    assert_true(stands(true, 0.99));
    assert_false(stands(true, 1.01));
    assert_true(stands(true, -20.0));
    assert_true(stands(false, 20.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_along_the_beam_buckle_it),
        cmocka_unit_test(stiffened_beam_comes_back),
        cmocka_unit_test(other_beam_diverges),
        cmocka_unit_test(recursions_follow),
        cmocka_unit_test(simulation_warns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
