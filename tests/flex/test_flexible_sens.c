/* Derivatives, elastic forces, lanes, simulation and failing allocations of models with flexible links. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "counting.h"
#include "flex/particles.h"

enum { MOST = 120, STATES = 11 };

#define OK(call) assert_int_equal(call, SOA_OK)

static void near_all(const char *what, int number, int n, const double *x, const double *y, double tolerance)
{
    double size = 1e-3, worst = 0.0;
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(y[i]));
        worst = !(fabs(x[i] - y[i]) <= worst) ? fabs(x[i] - y[i]) : worst;
    }
    if (!(worst <= tolerance * size)) {
        fail_msg("case %d: %s is off by %g of %g", number, what, worst, size);
    }
}

typedef struct sample {
    tree t;
    soa_workspace *w;
    int nq, nv;
    double q[STATES * MOST], v[STATES * MOST], u[STATES * MOST];
    soa_error error;
} sample;

static sample sample_open(unsigned long long seed, bool floating, double stiffness)
{
    sample s = { .t = tree_make(seed, floating, stiffness) };
    s.nq = soa_model_nq(s.t.model);
    s.nv = soa_model_nv(s.t.model);
    OK(soa_workspace_new(s.t.model, NULL, &s.w, &s.error));
    for (int i = 0; i < STATES; i++) {
        soa_random_configuration(s.t.model, &seed, s.q + i * s.nq);
    }
    for (int i = 0; i < STATES * s.nv; i++) {
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

/* dT/dq, dT/dv against plain differences; those of forward dynamics by dvdot = -Mass^-1 dT; A of the linear model. */
static void derivatives_are_slopes(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        sample s = sample_open(4000u + (unsigned)i, i % 3 == 0, 20.0);
        soa_model *m = s.t.model;
        const int n = s.nv;
        double *a = calloc((size_t)(8 * n * n), sizeof *a), *slope = calloc((size_t)(n * n), sizeof *slope);
        double *by_q = a, *by_v = a + n * n, *A = a + 2 * n * n, *B = a + 6 * n * n;
        for (int kind = 0; kind < 2; kind++) {
            if (kind == 0) {
                OK(soa_inverse_dynamics_derivatives(m, s.w, 1, s.q, s.v, s.u, NULL, by_q, by_v, NULL, &s.error));
            } else {
                OK(soa_forward_dynamics_derivatives(m, s.w, 1, s.q, s.v, s.u, NULL, by_q, by_v, NULL, NULL, &s.error));
            }
            for (int by = 0; by < 2; by++) {
                const double h = 1e-6;
                for (int c = 0; c < n; c++) {
                    double unit[MOST] = { 0.0 }, q[MOST], v[MOST], y[2][MOST];
                    for (int side = 0; side < 2; side++) {
                        unit[c] = side == 0 ? h : -h;
                        memcpy(q, s.q, sizeof q);
                        memcpy(v, s.v, sizeof v);
                        if (by == 0) {
                            soa_integrate(m, s.q, unit, 1.0, q);
                        } else {
                            v[c] += unit[c];
                        }
                        OK(kind == 0 ? soa_inverse_dynamics(m, s.w, 1, q, v, s.u, NULL, y[side], &s.error)
                                     : soa_forward_dynamics(m, s.w, 1, q, v, s.u, NULL, y[side], &s.error));
                    }
                    for (int r = 0; r < n; r++) {
                        slope[r * n + c] = (y[0][r] - y[1][r]) / (2.0 * h);
                    }
                }
                near_all(by == 0 ? "by q" : "by v", i, n * n, by == 0 ? by_q : by_v, slope, 1e-6);
            }
        }
        OK(soa_linear_model(m, s.w, 1, s.q, s.v, s.u, NULL, A, B, NULL, NULL, &s.error));
        for (int r = 0; r < n; r++) {
            near_all("A by q", i, n, A + (n + r) * 2 * n, by_q + r * n, 1e-12);
            near_all("A by v", i, n, A + (n + r) * 2 * n + n, by_v + r * n, 1e-12);
        }
        free(a);
        free(slope);
        sample_close(&s);
    }
}

/* Many states give the bits of one, whatever the lanes. */
static void lanes_have_the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        sample s = sample_open(5000u + (unsigned)i, i % 2 == 0, 20.0);
        soa_model *m = s.t.model;
        const soa_point point = { 1, soa_pose_identity(), 2 };
        double y[STATES * MOST], one[MOST], J[STATES * 6 * MOST], J1[6 * MOST];
        for (int lanes = 1; lanes <= 8; lanes *= 2) {
            if (soa_workspace_set_lanes(s.w, lanes, &s.error) != SOA_OK) {
                continue;
            }
            for (int kind = 0; kind < 2; kind++) {
                OK(kind == 0 ? soa_inverse_dynamics(m, s.w, STATES, s.q, s.v, s.u, NULL, y, &s.error)
                             : soa_forward_dynamics(m, s.w, STATES, s.q, s.v, s.u, NULL, y, &s.error));
                OK(soa_jacobian(m, s.w, 1, &point, SOA_AXES_MIXED, STATES, s.q, J, &s.error));
                for (int k = 0; k < STATES; k++) {
                    const double *q = s.q + k * s.nq, *v = s.v + k * s.nv, *u = s.u + k * s.nv;
                    OK(kind == 0 ? soa_inverse_dynamics(m, s.w, 1, q, v, u, NULL, one, &s.error)
                                 : soa_forward_dynamics(m, s.w, 1, q, v, u, NULL, one, &s.error));
                    assert_memory_equal(y + k * s.nv, one, (size_t)s.nv * sizeof *one);
                    OK(soa_jacobian(m, s.w, 1, &point, SOA_AXES_MIXED, 1, q, J1, &s.error));
                    assert_memory_equal(J + k * 6 * s.nv, J1, 6 * (size_t)s.nv * sizeof *J1);
                }
            }
        }
        sample_close(&s);
    }
}

/* Energy with that of the elastic forces, and momentum of a free system, over 10 s without damping and gravity. */
static void motion_keeps_energy_and_momentum(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        sample s = sample_open(6000u + 7u * (unsigned)i, true, 20.0);
        const double none[3] = { 0.0 };
        soa_model *m;
        OK(soa_model_with_gravity(s.t.model, none, &m, &s.error));
        soa_workspace *w;
        OK(soa_workspace_new(m, NULL, &w, &s.error));
        soa_force force[LINKS];
        const int count = soa_forces_of_model(m, LINKS, force);
        soa_forces *forces;
        OK(soa_forces_new(m, count, force, NULL, &forces, &s.error));
        soa_sim_setup setup = soa_sim_setup_default();
        setup.method = SOA_RK853;
        setup.rtol = 1e-12;
        setup.atol = 1e-12;
        setup.q = s.q;
        setup.v = s.v;
        soa_sim *sim;
        OK(soa_sim_new(m, &setup, NULL, &sim, &s.error));
        double total[2], momentum[2][12];
        for (int end = 0; end < 2; end++) {
            double energy[2], stored[LINKS], T[MOST] = { 0.0 }, f[6 * MOST] = { 0.0 };
            if (end == 1) {
                OK(soa_sim_advance(sim, 10.0, &s.error));
            }
            const double *q = soa_sim_q(sim), *v = soa_sim_v(sim);
            OK(soa_energy(m, w, 1, q, v, energy, &s.error));
            OK(soa_forces_apply(forces, 0.0, q, v, T, f, &(soa_force_report){ .energy = stored }, &s.error));
            OK(soa_momentum(m, w, 1, q, v, momentum[end], NULL, &s.error));
            total[end] = energy[0];
            for (int k = 0; k < count; k++) {
                total[end] += stored[k];
            }
        }
        near_all("energy", i, 1, &total[1], &total[0], 1e-8);
        near_all("momentum", i, 6, momentum[1] + 6, momentum[0] + 6, 1e-8);
        soa_sim_free(sim);
        soa_forces_free(forces);
        soa_workspace_free(w);
        soa_model_free(m);
        sample_close(&s);
    }
}

/* With modes a million times as stiff, joints accelerate as those of rigid links. */
static void stiff_modes_tend_to_rigid(void **state)
{
    (void)state;
    tree t = tree_make(7003, true, 1e9);
    soa_error error;
    soa_builder *b = soa_builder_new(NULL);
    for (int l = 0; l < t.links; l++) {
        soa_link link = *soa_model_link(t.model, l);
        if (link.node > 0) { /* the node where it stands undeformed */
            soa_pose node = soa_pose_identity();
            memcpy(node.position, t.part[link.parent].position[link.node - 1], sizeof node.position);
            link.joint.at = soa_pose_compose(&node, &link.joint.at);
        }
        link.node = 0;
        link.flexible = NULL;
        OK(soa_builder_add_link(b, &link, NULL, &error));
    }
    soa_model *rigid;
    OK(soa_builder_finish(b, &rigid, &error));
    soa_builder_free(b);
    soa_workspace *w, *w_rigid;
    OK(soa_workspace_new(t.model, NULL, &w, &error));
    OK(soa_workspace_new(rigid, NULL, &w_rigid, &error));
    /* static deflection: K eta = -(force of the modes at eta = 0 and the rigid accelerations); its effect is of order 1/K */
    const int nv = soa_model_nv(t.model), nv_rigid = soa_model_nv(rigid);
    double q[MOST] = { 0.0 }, qr[MOST], vr[MOST], ar[MOST], T[MOST], v[MOST] = { 0.0 }, a[MOST] = { 0.0 }, rest[MOST];
    unsigned long long seed = 5;
    soa_random_configuration(rigid, &seed, qr);
    soa_model_neutral(t.model, q);
    for (int i = 0; i < nv_rigid; i++) {
        vr[i] = rnd(&seed);
    }
    OK(soa_forward_dynamics(rigid, w_rigid, 1, qr, vr, NULL, NULL, ar, &error));
    for (int k = 0; k < soa_model_bodies(t.model); k++) {
        const soa_body body = soa_model_body(t.model, k);
        if (!body.flexible) {
            soa_body other;
            OK(soa_model_find_body(rigid, soa_model_link(rigid, body.link)->joint.name, &other, &error));
            memcpy(q + body.q, qr + other.q, (size_t)body.nq * sizeof *q);
            memcpy(v + body.v, vr + other.v, (size_t)body.nv * sizeof *v);
            memcpy(a + body.v, ar + other.v, (size_t)body.nv * sizeof *a);
        }
    }
    OK(soa_inverse_dynamics(t.model, w, 1, q, v, a, NULL, T, &error));
    memset(rest, 0, sizeof rest);
    double largest = 0.0;
    for (int k = 0; k < soa_model_bodies(t.model); k++) {
        const soa_body body = soa_model_body(t.model, k);
        for (int i = 0; i < body.nv; i++) { /* joints need no force: only modes are held, by their stiffness */
            rest[body.v + i] = body.flexible ? T[body.v + i] : 0.0;
            largest = fmax(largest, fabs(T[body.v + i]));
        }
    }
    near_all("T", 0, nv, T, rest, 1e-10);
    assert_true(largest / 1e9 < 1e-6); /* so small is eta then */
    soa_workspace_free(w);
    soa_workspace_free(w_rigid);
    soa_model_free(rigid);
    soa_model_free(t.model);
}

/* ---- refusals and memory ------------------------------------------------------------------------------- */

static soa_status build_all(const soa_allocator *allocator)
{
    part p;
    unsigned long long seed = 3;
    soa_error error;
    make_part(&p, 3, 0.2, 10.0, &seed);
    soa_link link = soa_link_default("boom", SOA_WORLD, SOA_REVOLUTE);
    link.flexible = &p.data;
    soa_builder *b = soa_builder_new(allocator);
    soa_model *m = NULL;
    soa_workspace *w = NULL;
    soa_operators *ops = NULL;
    soa_program *program = NULL;
    soa_compiled *compiled = NULL;
    soa_runner *runner = NULL;
    soa_status status = b ? soa_builder_add_link(b, &link, NULL, &error) : SOA_E_MEMORY;
    status = status == SOA_OK ? soa_builder_finish(b, &m, &error) : status;
    status = status == SOA_OK ? soa_workspace_new(m, allocator, &w, &error) : status;
    status = status == SOA_OK ? soa_operators_new(m, 1, allocator, &ops, &error) : status;
    status = status == SOA_OK ? soa_program_new(allocator, &program, &error) : status;
    status = status == SOA_OK ? soa_program_read(program, "D^(1/2); H psi K T", SOA_READ_PROGRAM, &error) : status;
    status = status == SOA_OK ? soa_compile(m, program, SOA_AS_WRITTEN, 0, NULL, &compiled, &error) : status;
    status = status == SOA_OK ? soa_runner_new(compiled, 0, NULL, allocator, &runner, &error) : status;
    soa_runner_free(runner);
    soa_compiled_free(compiled);
    soa_program_free(program);
    soa_operators_free(ops);
    soa_workspace_free(w);
    soa_model_free(m);
    soa_builder_free(b);
    return status;
}

static void allocations_may_fail(void **state)
{
    (void)state;
    int n = 0;
    for (soa_status status = SOA_E_MEMORY; status != SOA_OK; n += 1 + n / 64) { /* there are thousands */
        counting c;
        const soa_allocator failing = counting_lack(&c, n);
        status = build_all(&failing);
        assert_int_equal(status, c.refused == 0 ? SOA_OK : SOA_E_MEMORY);
        assert_int_equal(c.open, 0);
    }
    assert_true(n > 5);
}

static soa_status finish_with(const soa_link *link, int node)
{
    soa_error error;
    soa_model *m = NULL;
    soa_builder *b = soa_builder_new(NULL);
    soa_link child = soa_link_default("child", 0, SOA_REVOLUTE);
    child.inertia.mass = 1.0;
    child.node = node;
    OK(soa_builder_add_link(b, link, NULL, &error));
    OK(soa_builder_add_link(b, &child, NULL, &error));
    const soa_status status = soa_builder_finish(b, &m, &error);
    soa_model_free(m);
    soa_builder_free(b);
    return status;
}

static void bad_data_are_refused(void **state)
{
    (void)state;
    part p;
    unsigned long long seed = 3;
    make_part(&p, 2, 0.2, 10.0, &seed);
    soa_link link = soa_link_default("boom", SOA_WORLD, SOA_REVOLUTE);
    link.flexible = &p.data;
    assert_int_equal(finish_with(&link, 3), SOA_OK);
    assert_int_equal(finish_with(&link, 4), SOA_E_NAME);
    assert_int_equal(finish_with(&link, -1), SOA_E_NAME);
    const soa_flexible good = p.data;
    p.data.modes = SOA_MAX_MODES + 1;
    assert_int_equal(finish_with(&link, 0), SOA_E_LIMIT);
    p.data = good;
    p.data.ee = NULL;
    assert_int_equal(finish_with(&link, 0), SOA_E_ARGUMENT);
    p.data = good;
    p.ee[1] += 0.1;
    assert_int_equal(finish_with(&link, 0), SOA_E_INERTIA);
    p.ee[1] -= 0.1;
    p.stiffness[0] = -1.0;
    assert_int_equal(finish_with(&link, 0), SOA_E_ARGUMENT);
    p.stiffness[0] = NAN;
    assert_int_equal(finish_with(&link, 0), SOA_E_NUMBER);
    p.stiffness[0] = 1.0;
    p.data.mass *= 0.1;
    assert_int_equal(finish_with(&link, 0), SOA_E_INERTIA);
    p.data = good;
    link.inertia.mass = 1.0;
    assert_int_equal(finish_with(&link, 0), SOA_E_INERTIA);
}

/* Derivatives in the layout of blocks are refused; closed dynamics without closures are those of the tree. */
static void the_rest_refuses(void **state)
{
    (void)state;
    sample s = sample_open(4001u, false, 20.0);
    soa_model *m = s.t.model;
    double y[MOST * MOST];
    OK(soa_workspace_set_layout(s.w, SOA_LAYOUT_BLOCKED, &s.error));
    if (soa_workspace_lanes(s.w) > 1) {
        assert_int_equal(soa_mass_rate(m, s.w, 1, s.q, s.v, y, &s.error), SOA_E_UNSUPPORTED);
        assert_non_null(strstr(s.error.text, "flexible"));
    }
    OK(soa_workspace_set_layout(s.w, SOA_LAYOUT_STATES, &s.error));
    soa_closures *set = NULL;
    OK(soa_closures_new(1, (const soa_model *const *)&m, NULL, NULL, &set, &s.error));
    double one[MOST];
    OK(soa_closed_forward_dynamics(set, 1, s.q, s.v, s.u, NULL, y, NULL, NULL, &s.error));
    OK(soa_forward_dynamics(m, s.w, 1, s.q, s.v, s.u, NULL, one, &s.error));
    assert_memory_equal(y, one, (size_t)s.nv * sizeof *one);
    soa_closures_free(set);
    s.q[soa_model_body(m, soa_model_link_body(m, 1, NULL)).q] = 1e3;
    assert_int_equal(soa_check_configuration(m, s.q, &s.error), SOA_E_CONFIGURATION);
    sample_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_slopes),
        cmocka_unit_test(lanes_have_the_same_bits),
        cmocka_unit_test(motion_keeps_energy_and_momentum),
        cmocka_unit_test(stiff_modes_tend_to_rigid),
        cmocka_unit_test(allocations_may_fail),
        cmocka_unit_test(bad_data_are_refused),
        cmocka_unit_test(the_rest_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
