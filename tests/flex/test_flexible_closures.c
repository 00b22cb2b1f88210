/* Closed loops through flexible links against the dense equations. Of random trees Mass and C are those of particles:
 *
 *     [ Mass  -J* ] [ vdot   ]   [ T - C ]
 *     [ J      0  ] [ lambda ] = [ -bias ] */
#include "closure/kit.h"
#include "flex/particles.h"
#include "flex/slopes.h"

enum { MOST = 130, TREES = 120 };

typedef struct loop {
    soa_model *model;
    const tree *particles; /* NULL: the model has none */
    soa_workspace *w;
    soa_closures *set;
    int nv;
    double q[MOST], v[MOST], T[MOST], vdot[MOST];
    soa_error error;
} loop;

static void loop_open(loop *l, soa_model *model)
{
    memset(l, 0, sizeof *l);
    l->model = model;
    l->nv = soa_model_nv(model);
    assert_true(soa_model_nq(model) <= MOST);
    OK(l, soa_workspace_new(model, NULL, &l->w, &l->error));
    OK(l, soa_closures_new(1, (const soa_model *const *)&l->model, NULL, NULL, &l->set, &l->error));
    soa_model_neutral(model, l->q);
}

static void loop_close(loop *l)
{
    soa_closures_free(l->set);
    soa_workspace_free(l->w);
    soa_model_free(l->model);
}

/* vdot of the dense equations; the rank of the rows. */
static int dense_rows(loop *l, int rows, const double *J, const double *bias, double *vdot)
{
    const int nv = l->nv, n = nv + rows;
    static double M[MOST * MOST], C[MOST];
    wide *A = calloc((size_t)(n * n + n), sizeof *A), *x = A + n * n;
    const double still[MOST] = { 0.0 };
    if (l->particles) {
        particle_mechanics(l->particles, l->q, l->v, still, M, C);
    } else {
        OK(l, soa_mass_matrix(l->model, l->w, 1, l->q, M, &l->error));
        OK(l, soa_inverse_dynamics(l->model, l->w, 1, l->q, l->v, still, NULL, C, &l->error));
    }
    for (int i = 0; i < nv; i++) {
        for (int j = 0; j < nv; j++) {
            A[i * n + j] = M[i * nv + j];
        }
        for (int r = 0; r < rows; r++) {
            A[i * n + nv + r] = -J[r * nv + i];
            A[(nv + r) * n + i] = J[r * nv + i];
        }
        x[i] = l->T[i] - C[i];
    }
    for (int r = 0; r < rows; r++) {
        x[nv + r] = -bias[r];
    }
    const int rank = wide_solve(n, A, x, 1e-12L) - nv;
    for (int i = 0; i < nv; i++) {
        vdot[i] = (double)x[i];
    }
    free(A);
    return rank;
}

/* The rows of two points that stay together: the difference of their linear rows. */
static int dense_points(loop *l, soa_point a, soa_point b, double *vdot)
{
    static double J[12 * MOST];
    double bias[12] = { 0.0 };
    const soa_point both[2] = { a, b };
    OK(l, soa_jacobian(l->model, l->w, 2, both, SOA_AXES_MIXED, 1, l->q, J, &l->error));
    OK(l, soa_jacobian_bias(l->model, l->w, 2, both, 1, l->q, l->v, bias, &l->error));
    for (int i = 0; i < 3 * l->nv; i++) {
        J[3 * l->nv + i] -= J[9 * l->nv + i];
    }
    for (int i = 0; i < 3; i++) {
        bias[3 + i] -= bias[9 + i];
    }
    return dense_rows(l, 3, J + 3 * l->nv, bias + 3, vdot);
}

static void random_state(loop *l, unsigned long long *seed)
{
    soa_random_configuration(l->model, seed, l->q);
    for (int k = 0; k < soa_model_bodies(l->model); k++) {
        const soa_body body = soa_model_body(l->model, k);
        for (int i = 0; body.flexible && i < body.nv; i++) {
            l->q[body.q + i] = 0.3 * rnd(seed);
        }
    }
    for (int i = 0; i < l->nv; i++) {
        l->v[i] = rnd(seed);
        l->T[i] = rnd(seed);
    }
}

static bool flexible_link(const soa_model *model, int link)
{
    const soa_link *l = link == SOA_WORLD ? NULL : soa_model_link(model, link);
    return l && l->flexible;
}

/* A ball joint between nodes of two links, or a node and the world, closed where they are. */
static void random_loops(void **state)
{
    (void)state;
    int compared = 0, between = 0;
    for (unsigned n = 0; n < TREES; n++) {
        unsigned long long seed = 77u + n;
        tree t = tree_make(4000u + n, n % 3 == 0, 20.0);
        loop l;
        loop_open(&l, t.model);
        l.particles = &t;
        random_state(&l, &seed);
        const int a = t.links - 1, b = n % 2 == 0 ? SOA_WORLD : 0;
        soa_closure c = soa_closure_default("ball", SOA_CLOSE_SPHERICAL, a, b);
        c.at_b = random_pose(&seed, 0.3);
        c.node_a = flexible_link(t.model, a) ? 1 + (int)n % NODES : 0;
        c.node_b = flexible_link(t.model, b) ? NODES - (int)n % NODES : 0;
        int index = -1;
        if (soa_closure_add(l.set, &c, 0, 0, &index, &l.error) != SOA_OK) { /* both on one body */
            loop_close(&l);
            continue;
        }
        OK(&l, soa_closure_hold_here(l.set, index, l.q, &l.error));
        c = *soa_closure_get(l.set, index);
        double vdot[MOST], position[3], velocity[3];
        OK(&l, soa_closure_violation(l.set, 1, l.q, NULL, position, NULL, &l.error));
        assert_true(largest(3, position) < 1e-12);
        const soa_point pa = { c.a, c.at_a, c.node_a }, pb = { c.b, c.at_b, c.node_b };
        if (dense_points(&l, pa, pb, vdot) == 3) {
            soa_closed closed;
            OK(&l, soa_closure_project_velocity(l.set, SOA_METRIC_MASS, 1, l.q, l.v, NULL, &l.error));
            OK(&l, soa_closure_violation(l.set, 1, l.q, l.v, NULL, velocity, &l.error));
            assert_true(largest(3, velocity) < 1e-9);
            (void)dense_points(&l, pa, pb, vdot);
            OK(&l, soa_closed_forward_dynamics(l.set, 1, l.q, l.v, l.T, NULL, l.vdot, NULL, &closed, &l.error));
            assert_int_equal(closed.rank, 3);
            NEAR(l.nv, l.vdot, vdot, 1e-9);
            compared++;
            between += b != SOA_WORLD;
        }
        loop_close(&l);
    }
    assert_true(compared >= 100 && between >= 30);
}

/* ---- four bars ------------------------------------------------------------------------------------------ */

enum { BARS = 3, BEAM_MODES = 4 };

/* Crank, coupler and rocker in the x-z plane, closed to the world; all of them beams, or rigid with the same mass. */
static soa_model *four_bar(bool flexible)
{
    static const double length[BARS] = { 0.3, 0.8, 0.6 };
    soa_builder *b = soa_builder_new(NULL);
    soa_error error;
    soa_model *model = NULL;
    for (int i = 0; i < BARS; i++) {
        char name[] = "bar?", joint[] = "pin?";
        name[3] = joint[3] = (char)('0' + i);
        soa_beam beam = soa_beam_default();
        beam.length = length[i];
        beam.elements = 4;
        beam.E = 7.0e10, beam.G = 2.7e10, beam.rho = 2700.0;
        beam.section[0] = (soa_beam_section){ 1e-4, 8e-10, 9e-10, 1.4e-9 };
        soa_flexible *data = NULL;
        const soa_reduction keep = { .modes = BEAM_MODES };
        assert_int_equal(soa_flexible_beam(&beam, &keep, NULL, &data, &error), SOA_OK);
        soa_link link = soa_link_default(name, i - 1, SOA_REVOLUTE);
        link.joint.name = joint;
        link.joint.axis[1] = 1.0, link.joint.axis[2] = 0.0;
        link.joint.at.position[0] = i == 0 || flexible ? 0.0 : length[i - 1];
        link.node = i == 0 || !flexible ? 0 : 5;
        part p = { .data = *data };
        link.flexible = flexible ? data : NULL;
        link.inertia = flexible ? link.inertia : rigid_inertia(&p);
        assert_int_equal(soa_builder_add_link(b, &link, NULL, &error), SOA_OK);
        soa_flexible_free(NULL, data);
    }
    soa_closure c = soa_closure_default("ground", SOA_CLOSE_REVOLUTE, BARS - 1, SOA_WORLD);
    const double turn[3] = { 1.0, 0.0, 0.0 }, at[3] = { 0.7, 0.0, 0.0 };
    const double end[3] = { flexible ? 0.0 : length[BARS - 1], 0.0, 0.0 };
    c.at_a = soa_pose_from_axis_angle(end, turn, -1.5707963267948966);
    c.at_b = soa_pose_from_axis_angle(at, turn, -1.5707963267948966);
    c.node_a = flexible ? 5 : 0;
    assert_int_equal(soa_builder_add_closure(b, &c, NULL, &error), SOA_OK);
    assert_int_equal(soa_builder_finish(b, &model, &error), SOA_OK);
    soa_builder_free(b);
    return model;
}

static int pin(const loop *l, int bar)
{
    char joint[] = "pin?";
    soa_body body;
    joint[3] = (char)('0' + bar);
    assert_int_equal(soa_model_find_body(l->model, joint, &body, NULL), SOA_OK);
    return body.v;
}

/* Modal forces that keep the beams straight make the flexible four-bar the rigid one: what stiffness tends to. */
static void straight_is_rigid(void **state)
{
    (void)state;
    static const double start[BARS] = { -0.9, 0.6, 1.9 };
    loop r, f;
    loop_open(&r, four_bar(false));
    loop_open(&f, four_bar(true));
    for (int i = 0; i < BARS; i++) {
        r.q[pin(&r, i)] = start[i];
        r.v[pin(&r, i)] = 1.0;
        r.T[pin(&r, i)] = i == 0 ? 0.7 : 0.0;
    }
    OK(&r, soa_closure_project(r.set, SOA_METRIC_MASS, 0.0, 1, r.q, r.v, NULL, &r.error));
    OK(&r, soa_closed_forward_dynamics(r.set, 1, r.q, r.v, r.T, NULL, r.vdot, NULL, NULL, &r.error));
    int mode[MOST], modes = 0;
    for (int i = 0; i < BARS; i++) {
        f.q[pin(&f, i)] = r.q[pin(&r, i)];
        f.v[pin(&f, i)] = r.v[pin(&r, i)];
        f.T[pin(&f, i)] = r.T[pin(&r, i)];
    }
    for (int k = 0; k < soa_model_bodies(f.model); k++) {
        const soa_body body = soa_model_body(f.model, k);
        for (int i = 0; body.flexible && i < body.nv; i++) {
            mode[modes++] = body.v + i;
        }
    }
    assert_int_equal(modes, BARS * BEAM_MODES);
    /* etaddot is affine in the modal forces */
    wide A[MOST * MOST / 4], x[MOST];
    OK(&f, soa_closed_forward_dynamics(f.set, 1, f.q, f.v, f.T, NULL, f.vdot, NULL, NULL, &f.error));
    double free[MOST];
    memcpy(free, f.vdot, sizeof free);
    for (int j = 0; j < modes; j++) {
        f.T[mode[j]] = 1.0;
        OK(&f, soa_closed_forward_dynamics(f.set, 1, f.q, f.v, f.T, NULL, f.vdot, NULL, NULL, &f.error));
        f.T[mode[j]] = 0.0;
        for (int i = 0; i < modes; i++) {
            A[i * modes + j] = f.vdot[mode[i]] - free[mode[i]];
        }
        x[j] = -free[mode[j]];
    }
    /* forces that the closure takes change nothing: least of them is not needed, any will do */
    (void)wide_solve(modes, A, x, 1e-11L);
    for (int j = 0; j < modes; j++) {
        f.T[mode[j]] = (double)x[j];
    }
    OK(&f, soa_closed_forward_dynamics(f.set, 1, f.q, f.v, f.T, NULL, f.vdot, NULL, NULL, &f.error));
    for (int j = 0; j < modes; j++) {
        assert_true(fabs(f.vdot[mode[j]]) < 1e-7 * largest(f.nv, free));
    }
    for (int i = 0; i < BARS; i++) {
        assert_true(fabs(f.vdot[pin(&f, i)] - r.vdot[pin(&r, i)]) < 1e-7 * largest(r.nv, r.vdot));
    }
    loop_close(&r);
    loop_close(&f);
}

/* From bent beams and open ends to a closed loop. */
static void projects(void **state)
{
    (void)state;
    for (int metric = SOA_METRIC_MASS; metric <= SOA_METRIC_IDENTITY; metric++) {
        loop l;
        unsigned long long seed = 5;
        loop_open(&l, four_bar(true));
        for (int i = 0; i < l.nv; i++) {
            l.q[i] = 0.002 * rnd(&seed);
            l.v[i] = 0.01 * rnd(&seed);
        }
        l.q[pin(&l, 0)] = -0.9, l.q[pin(&l, 1)] = 0.6, l.q[pin(&l, 2)] = 1.9;
        soa_projection p;
        double position[6], velocity[6];
        OK(&l, soa_closure_project(l.set, (soa_metric)metric, 0.0, 1, l.q, l.v, &p, &l.error));
        OK(&l, soa_closure_violation(l.set, 1, l.q, l.v, position, velocity, &l.error));
        assert_true(largest(5, position) < 1e-11 && largest(5, velocity) < 1e-9);
        assert_true(p.iterations > 0 && p.iterations < 30);
        loop_close(&l);
    }
}

/* q(pin1) = 0.1 - 0.5 q(pin0) + 0.2 q(pin0)^2 of joints that carry flexible links, at a state that satisfies it. */
static void couple_pins(loop *l, double spread)
{
    unsigned long long seed = 9;
    loop_open(l, four_bar(true));
    OK(l, soa_closure_enable(l->set, 0, false, &l->error));
    const soa_coupling c = { .name = "gear", .link = 1, .driver = 0, .coefficient = { 0.1, -0.5, 0.2 } };
    OK(l, soa_closure_add_coupling(l->set, &c, 0, 0, NULL, &l->error));
    for (int i = 0; i < l->nv; i++) {
        l->q[i] = spread * rnd(&seed), l->v[i] = 0.1 * rnd(&seed), l->T[i] = rnd(&seed);
    }
    OK(l, soa_closure_project(l->set, SOA_METRIC_MASS, 0.0, 1, l->q, l->v, NULL, &l->error));
}

/* The coupled joints move as their row says. */
static void couples(void **state)
{
    (void)state;
    loop l;
    couple_pins(&l, 0.01);
    const double q = l.q[pin(&l, 0)], rate = l.v[pin(&l, 0)], bias = -0.4 * rate * rate;
    double J[MOST] = { 0.0 }, vdot[MOST];
    assert_true(fabs(l.q[pin(&l, 1)] - (0.1 - 0.5 * q + 0.2 * q * q)) < 1e-12);
    J[pin(&l, 1)] = 1.0;
    J[pin(&l, 0)] = 0.5 - 0.4 * q;
    assert_int_equal(dense_rows(&l, 1, J, &bias, vdot), 1);
    OK(&l, soa_closed_forward_dynamics(l.set, 1, l.q, l.v, l.T, NULL, l.vdot, NULL, NULL, &l.error));
    NEAR(l.nv, l.vdot, vdot, 1e-9);
    loop_close(&l);
}

/* ---- derivatives ---------------------------------------------------------------------------------------- */

/* vdot, then lambda. */
static void closed_at(void *context, const double *q, const double *v, double *y)
{
    loop *l = context;
    OK(l, soa_closed_forward_dynamics(l->set, 1, q, v, l->T, NULL, y, NULL, NULL, &l->error));
    memcpy(y + l->nv, soa_closure_multipliers(l->set), (size_t)soa_closures_rows(l->set) * sizeof *y);
}

/* All derivatives against differences of the eighth order. */
static void check_derivatives(loop *l)
{
    const int n = l->nv, rows = soa_closures_rows(l->set);
    const size_t square = (size_t)(n * n), across = (size_t)(n * rows);
    double *block = calloc(4 * square + 4 * across + (size_t)(n + rows), sizeof *block);
    OK(l, soa_closures_reserve_derivatives(l->set, &l->error));
    double *vdot[2] = { block, block + square }, *lambda[2] = { block + 2 * square, block + 2 * square + across };
    double *slope = lambda[1] + across, *slope_l = slope + square, *column = slope_l + across;
    const soa_closed_derivatives out = {
        .vdot_q = vdot[0], .vdot_v = vdot[1], .lambda_q = lambda[0], .lambda_v = lambda[1]
    };
    OK(l, soa_closed_forward_dynamics_derivatives(l->set, 1, l->q, l->v, l->T, NULL, &out, &l->error));
    for (int by = 0; by < 2; by++) {
        for (int c = 0; c < n; c++) {
            slope_column(l->model, closed_at, l, n + rows, l->q, l->v, by == 1, c, column);
            for (int r = 0; r < n; r++) {
                slope[r * n + c] = column[r];
            }
            for (int r = 0; r < rows; r++) {
                slope_l[r * n + c] = column[n + r];
            }
        }
        NEAR(n * n, vdot[by], slope, 1e-9 * fmax(1.0, largest(n * n, slope)));
        NEAR(n * rows, lambda[by], slope_l, 1e-9 * fmax(1.0, largest(n * rows, slope_l)));
    }
    free(block);
}

/* Closures of every kind on nodes of random trees, closed where they are. */
static void loops_have_derivatives(void **state)
{
    (void)state;
    static const soa_closure_kind kind[] = { SOA_CLOSE_SPHERICAL, SOA_CLOSE_DISTANCE, SOA_CLOSE_UNIVERSAL,
        SOA_CLOSE_REVOLUTE };
    int compared = 0;
    for (unsigned n = 0; n < 12; n++) {
        unsigned long long seed = 177u + n;
        tree t = tree_make(4003u + 6u * n, true, 20.0);
        loop l;
        loop_open(&l, t.model);
        l.particles = &t;
        random_state(&l, &seed);
        const int a = t.links - 1, b = n % 3 == 0 ? SOA_WORLD : 0;
        soa_closure c = soa_closure_default("tie", kind[n % 4], a, b);
        c.at_a = random_pose(&seed, 0.3);
        c.at_b = random_pose(&seed, 0.3);
        c.distance = 1.0;
        c.node_a = flexible_link(t.model, a) ? 1 + (int)n % NODES : 0;
        c.node_b = flexible_link(t.model, b) ? NODES - (int)n % NODES : 0;
        int index = -1;
        if (soa_closure_add(l.set, &c, 0, 0, &index, &l.error) == SOA_OK) {
            if (c.kind != SOA_CLOSE_DISTANCE) { /* there the ends stay apart */
                OK(&l, soa_closure_hold_here(l.set, index, l.q, &l.error));
            }
            soa_closed closed = { 0 };
            (void)soa_closed_forward_dynamics(l.set, 1, l.q, l.v, l.T, NULL, l.vdot, NULL, &closed, &l.error);
            if (closed.rank == soa_closures_rows(l.set)) {
                check_derivatives(&l);
                compared++;
            }
        }
        loop_close(&l);
    }
    assert_true(compared >= 8);
}

/* The four bar, whose rows repeat each other, has derivatives of accelerations; a coupling of joints too. */
static void coupled_joints_have_derivatives(void **state)
{
    (void)state;
    loop l;
    couple_pins(&l, 0.001);
    const int n = l.nv;
    double *A = calloc((size_t)(6 * n * n), sizeof *A), *B = A + 4 * n * n;
    OK(&l, soa_closures_reserve_derivatives(l.set, &l.error));
    OK(&l, soa_closed_linear_model(l.set, 1, l.q, l.v, l.T, NULL, A, B, NULL, NULL, &l.error));
    for (int c0 = 0; c0 < n;
         c0++) { /* the row vdot1 + 0.5 vdot0 - 0.4 (q0 vdot0 + v0^2) = 0 holds for what is linear */
        const int p0 = pin(&l, 0), p1 = pin(&l, 1);
        OK(&l, soa_closed_forward_dynamics(l.set, 1, l.q, l.v, l.T, NULL, l.vdot, NULL, NULL, &l.error));
        const double row = A[(n + p1) * 2 * n + c0] + (0.5 - 0.4 * l.q[p0]) * A[(n + p0) * 2 * n + c0];
        assert_true(fabs(row - (c0 == p0 ? 0.4 * l.vdot[p0] : 0.0)) < 1e-8 * fmax(1.0, fabs(A[(n + p1) * 2 * n + c0])));
    }
    free(A);
    loop_close(&l);
}

/* A block with a beam on it slides on three feet: friction is mu times the normal force of each, and what the feet and
 * gravity do is all that changes the momentum:  A vdot + A' v = force. */
static void slides(void **state)
{
    (void)state;
    soa_model *chain, *model;
    soa_error error;
    soa_builder *b = soa_builder_new(NULL);
    soa_link block = soa_link_default("block", SOA_WORLD, SOA_FREE);
    block.inertia = (soa_inertia){ 2.0, { 0.0, 0.0, 0.0 }, { 0.02, 0.0, 0.0, 0.02, 0.0, 0.02 } };
    assert_int_equal(soa_model_builtin("flexible-chain:1,3", NULL, &chain, &error), SOA_OK);
    assert_int_equal(soa_builder_add_link(b, &block, NULL, &error), SOA_OK);
    assert_int_equal(soa_builder_attach(b, chain, "beam", 0, NULL, &error), SOA_OK);
    assert_int_equal(soa_builder_finish(b, &model, &error), SOA_OK);
    soa_builder_free(b);
    soa_model_free(chain);
    loop l;
    loop_open(&l, model);
    const double corner[3][2] = { { 0.4, 0.0 }, { -0.4, 0.25 }, { -0.4, -0.25 } };
    for (int i = 0; i < 3; i++) {
        soa_closure c = soa_closure_default("foot", SOA_CLOSE_SLIDING, 0, SOA_WORLD);
        c.at_a.position[0] = corner[i][0], c.at_a.position[1] = corner[i][1], c.at_a.position[2] = -0.05;
        c.at_b.position[2] = -0.05;
        c.friction = 0.3;
        c.slip[0] = 2.0;
        OK(&l, soa_closure_add(l.set, &c, 0, 0, NULL, &l.error));
    }
    l.v[3] = 0.5, l.v[6] = 0.2, l.v[7] = 0.1;
    OK(&l, soa_closed_forward_dynamics(l.set, 1, l.q, l.v, NULL, NULL, l.vdot, NULL, NULL, &l.error));
    double A[6 * MOST], momentum[12], rate[6], feet[2] = { 0.0, -soa_model_mass(model) * 9.81 };
    OK(&l, soa_centroidal_matrix(model, l.w, 1, l.q, A, &l.error));
    OK(&l, soa_momentum(model, l.w, 1, l.q, l.v, momentum, rate, &l.error));
    for (int i = 0; i < 6 * l.nv; i++) {
        rate[i / l.nv] += A[i] * l.vdot[i % l.nv];
    }
    for (int i = 0; i < 3; i++) {
        soa_closure_load load;
        OK(&l, soa_closure_force(l.set, i, &load, &l.error));
        assert_true(load.normal > 0.0 && fabs(load.wrench_on_a[3] + 0.3 * load.normal) < 1e-10);
        feet[0] += load.wrench_on_a[3], feet[1] += load.wrench_on_a[5];
    }
    assert_true(fabs(rate[3] - feet[0]) < 1e-9 && fabs(rate[5] - feet[1]) < 1e-9);
    loop_close(&l);
}

/* A unit wrench at a point changes the acceleration of the point by a column of Lambda, with a loop and without. */
static void wrenches_move_points(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 12; n++) {
        unsigned long long seed = 177u + n;
        tree t = tree_make(4000u + n, n % 3 == 0, 20.0);
        loop l;
        loop_open(&l, t.model);
        random_state(&l, &seed);
        const int tip = t.links - 1;
        soa_closure c = soa_closure_default("ball", SOA_CLOSE_SPHERICAL, tip, SOA_WORLD);
        int index = -1;
        if (n % 2 == 0 && soa_closure_add(l.set, &c, 0, 0, &index, &l.error) == SOA_OK) {
            OK(&l, soa_closure_hold_here(l.set, index, l.q, &l.error));
            OK(&l, soa_closure_project_velocity(l.set, SOA_METRIC_MASS, 1, l.q, l.v, NULL, &l.error));
        }
        const soa_closed_point at = { 0, { tip, random_pose(&seed, 0.3), flexible_link(t.model, tip) ? 1 : 0 } };
        double lambda[36], J[6 * MOST], with[MOST], T[MOST], scale = 0.0;
        OK(&l, soa_closed_operational_inertia(l.set, 1, &at, 1, l.q, lambda, NULL, &l.error));
        OK(&l, soa_jacobian(l.model, l.w, 1, &at.point, SOA_AXES_MIXED, 1, l.q, J, &l.error));
        OK(&l, soa_closed_forward_dynamics(l.set, 1, l.q, l.v, l.T, NULL, l.vdot, NULL, NULL, &l.error));
        for (int i = 0; i < 36; i++) {
            scale = fmax(scale, fabs(lambda[i]));
        }
        for (int i = 0; i < 6; i++) {
            for (int k = 0; k < l.nv; k++) {
                T[k] = l.T[k] + J[i * l.nv + k];
            }
            OK(&l, soa_closed_forward_dynamics(l.set, 1, l.q, l.v, T, NULL, with, NULL, NULL, &l.error));
            for (int r = 0; r < 6; r++) {
                double a = 0.0;
                for (int k = 0; k < l.nv; k++) {
                    a += J[r * l.nv + k] * (with[k] - l.vdot[k]);
                }
                assert_true(fabs(a - lambda[6 * r + i]) < 1e-8 * (scale + 1.0));
            }
        }
        loop_close(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_loops),
        cmocka_unit_test(straight_is_rigid),
        cmocka_unit_test(projects),
        cmocka_unit_test(couples),
        cmocka_unit_test(loops_have_derivatives),
        cmocka_unit_test(coupled_joints_have_derivatives),
        cmocka_unit_test(slides),
        cmocka_unit_test(wrenches_move_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
