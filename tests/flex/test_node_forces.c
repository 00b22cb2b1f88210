/* Force elements at nodes of flexible links: beside the same elements on massless links that are welded to the nodes, and
 * beside the mechanics of particles. */
#include <stdio.h>

#include "flex/sample.h"
#include "flex/slopes.h"
#include "soa/sim.h"

enum { TREES = 40, FIRST = SOA_FORCE_SPRING, LAST = SOA_FORCE_CONTACT, ELEMENTS = LAST - FIRST + 1 };

/* A random tree whose flexible links carry a pad on one node each, at a random state. */
typedef struct scene {
    sample s;
    soa_model *model;
    soa_workspace *w;
    int pad[LINKS], node[LINKS]; /* by link; -1: rigid */
    int link, other;             /* flexible ones: the last, and the first or the world */
} scene;

static soa_status add_pad(soa_builder *b, int link, int node, int *pad)
{
    char name[] = "pad?";
    name[3] = (char)('0' + link);
    soa_link on = soa_link_default(name, link, SOA_FIXED);
    on.node = node;
    return soa_builder_add_link(b, &on, pad, NULL);
}

static scene scene_open(unsigned long long seed)
{
    scene x = { .s = sample_open(seed, seed % 3 == 0), .link = SOA_WORLD, .other = SOA_WORLD };
    soa_builder *b = soa_builder_new(NULL);
    OK(soa_builder_attach(
        b, x.s.t.model, NULL, SOA_WORLD, &(soa_pose){ .rotation = { { 1 }, { 0, 1 }, { 0, 0, 1 } } }, &x.s.error));
    for (int l = 0; l < x.s.t.links; l++) {
        x.pad[l] = -1;
        if (soa_model_link(x.s.t.model, l)->flexible) {
            x.node[l] = 1 + l % NODES;
            OK(add_pad(b, l, x.node[l], &x.pad[l]));
            x.other = x.other == SOA_WORLD && x.link != SOA_WORLD ? x.link : x.other;
            x.link = l;
        }
    }
    OK(soa_builder_finish(b, &x.model, &x.s.error));
    OK(soa_workspace_new(x.model, NULL, &x.w, &x.s.error));
    assert_int_equal(soa_model_nv(x.model), x.s.nv);
    soa_builder_free(b);
    return x;
}

static void scene_close(scene *x)
{
    soa_workspace_free(x->w);
    soa_model_free(x->model);
    sample_close(&x->s);
}

static soa_point point_on(const scene *x, int link, bool pads, unsigned long long *seed)
{
    const soa_pose at = random_pose(seed, 0.3);
    return link == SOA_WORLD ? (soa_point){ SOA_WORLD, at }
           : pads            ? (soa_point){ x->pad[link], at }
                             : (soa_point){ link, at, x->node[link] };
}

/* An element of every kind at points: at nodes, or at the pads there. */
static void make_forces(const scene *x, bool pads, unsigned long long seed, soa_force *force)
{
    for (int i = 0; i < ELEMENTS; i++) {
        soa_force *e = &force[i];
        *e = soa_force_default(NULL, (soa_force_kind)(FIRST + i));
        e->a = point_on(x, x->link, pads, &seed);
        e->b = point_on(x, i % 2 == 0 ? x->other : SOA_WORLD, pads, &seed);
        e->stiffness = 20.0;
        e->damping = 0.3;
        e->length = e->kind == SOA_FORCE_CONTACT ? 30.0 : 0.2; /* so large that it touches */
        e->value = 0.4;
        e->speed = 0.5;
        e->in_body = true;
        for (int k = 0; k < 6; k++) {
            e->wrench[k] = 3.0 * rnd(&seed);
            e->hold[k] = 10.0 + 5.0 * rnd(&seed);
            e->damp[k] = 1.0 + 0.5 * rnd(&seed);
        }
    }
}

/* What a set does: Q = T + J* f and vdot, then energy, power, wrenches and depths of the elements. */
typedef struct deed {
    double Q[MOST], vdot[MOST], energy[ELEMENTS], power[ELEMENTS], wrench[6 * ELEMENTS], depth[ELEMENTS];
} deed;

static void done_by(
    soa_forces *set, const soa_model *m, soa_workspace *w, const double *q, const double *v, deed *d, soa_error *error)
{
    double T[MOST] = { 0 }, f[6 * MOST] = { 0 }, with[MOST], without[MOST];
    const soa_force_report report = { d->energy, d->power, d->wrench, d->depth };
    OK(soa_forces_apply(set, 0.0, q, v, T, f, &report, error));
    OK(soa_inverse_dynamics(m, w, 1, q, NULL, NULL, f, with, error));
    OK(soa_inverse_dynamics(m, w, 1, q, NULL, NULL, NULL, without, error));
    OK(soa_forward_dynamics(m, w, 1, q, v, T, f, d->vdot, error));
    for (int i = 0; i < soa_model_nv(m); i++) {
        d->Q[i] = T[i] + without[i] - with[i];
    }
}

/* One element after the other. */
static void nodes_do_what_links_on_them_do(void **state)
{
    (void)state;
    for (int number = 0; number < TREES; number++) {
        scene x = scene_open(700u + (unsigned)number);
        sample *s = &x.s;
        const int n = s->nv;
        soa_force force[2][ELEMENTS];
        make_forces(&x, false, 5, force[0]);
        make_forces(&x, true, 5, force[1]);
        for (int i = 0; i < ELEMENTS; i++) {
            deed d[2];
            double by_q[2][MOST * MOST], by_v[2][MOST * MOST];
            for (int pads = 0; pads < 2; pads++) {
                soa_forces *set = NULL;
                OK(soa_forces_new(x.model, 1, &force[pads][i], NULL, &set, &s->error));
                done_by(set, x.model, x.w, s->q, s->v, &d[pads], &s->error);
                OK(soa_forces_derivatives(set, 0.0, s->q, s->v, by_q[pads], by_v[pads], &s->error));
                soa_forces_free(set);
            }
            near_all("Q", number, n, d[0].Q, d[1].Q, 1e-12);
            near_all("vdot", number, n, d[0].vdot, d[1].vdot, 1e-12);
            near_all("wrench", number, 6, d[0].wrench, d[1].wrench, 1e-12);
            near_all("by q", number, n * n, by_q[0], by_q[1], 1e-12);
            near_all("by v", number, n * n, by_v[0], by_v[1], 1e-12);
            const double a[] = { d[0].energy[0], d[0].power[0], d[0].depth[0] };
            const double b[] = { d[1].energy[0], d[1].power[0], d[1].depth[0] };
            near_all("energy, power, depth", number, 3, a, b, 1e-12);
        }
        scene_close(&x);
    }
}

/* Q of a wrench, from how jets say that the point moves with each velocity. */
static void particle_force(const scene *x, const soa_point *point, const double *wrench, double *Q)
{
    const tree *t = &x->s.t;
    double unit[MOST] = { 0 }, none[MOST] = { 0 };
    const place3 at = place_of(&point->at);
    for (int i = 0; i < x->s.nv; i++) {
        unit[i] = 1.0;
        const motionless by = { x->s.q, unit, none };
        const place3 link = link_place(t, point->link, &by), node = node_place3(t, point->link, point->node, &by);
        place3 y = place_then(&link, &node);
        y = place_then(&y, &at);
        Q[i] = 0.0;
        for (int e = 0; e < 3; e++) { /* w~ = R' R* */
            const int j = (e + 1) % 3, k = (e + 2) % 3;
            double w = 0.0;
            for (int c = 0; c < 3; c++) {
                w += y.R[k][c].d * y.R[j][c].x;
            }
            Q[i] += wrench[e] * w + wrench[3 + e] * y.p[e].d;
        }
        unit[i] = 0.0;
    }
}

static void forces_are_those_of_particles(void **state)
{
    (void)state;
    for (int number = 0; number < TREES; number++) {
        scene x = scene_open(900u + (unsigned)number);
        soa_force force[ELEMENTS];
        make_forces(&x, false, 7, force);
        for (int i = SOA_FORCE_WRENCH - FIRST; i <= SOA_FORCE_DRAG - FIRST; i++) {
            soa_forces *set = NULL;
            deed d;
            double Q[MOST], power = 0.0;
            OK(soa_forces_new(x.s.t.model, 1, &force[i], NULL, &set, &x.s.error));
            done_by(set, x.s.t.model, x.s.w, x.s.q, x.s.v, &d, &x.s.error);
            particle_force(&x, &force[i].a, d.wrench, Q);
            near_all("Q", number, x.s.nv, d.Q, Q, 1e-12);
            for (int k = 0; k < x.s.nv; k++) {
                power += Q[k] * x.s.v[k];
            }
            near_all("power", number, 1, d.power, &power, 1e-12);
            soa_forces_free(set);
        }
        scene_close(&x);
    }
}

typedef struct slopes {
    soa_forces *set;
    scene *x;
} slopes;

static void forces_at(void *context, const double *q, const double *v, double *y)
{
    const slopes *s = context;
    deed d;
    done_by(s->set, s->x->model, s->x->w, q, v, &d, NULL);
    memcpy(y, d.Q, (size_t)s->x->s.nv * sizeof *y);
}

/* All elements at once, beside differences. */
static void derivatives_are_exact(void **state)
{
    (void)state;
    for (int number = 0; number < 12; number++) {
        scene x = scene_open(1100u + (unsigned)number);
        const int n = x.s.nv;
        soa_force force[ELEMENTS];
        slopes s = { .x = &x };
        double by[2][MOST * MOST], slope[2][MOST * MOST], column[MOST];
        make_forces(&x, false, 9, force);
        OK(soa_forces_new(x.model, ELEMENTS, force, NULL, &s.set, &x.s.error));
        OK(soa_forces_derivatives(s.set, 0.0, x.s.q, x.s.v, by[0], by[1], &x.s.error));
        for (int k = 0; k < 2 * n; k++) {
            slope_column(x.model, forces_at, &s, n, x.s.q, x.s.v, k >= n, k % n, column);
            for (int r = 0; r < n; r++) {
                slope[k / n][r * n + k % n] = column[r];
            }
        }
        near_all("by q", number, n * n, by[0], slope[0], 1e-8);
        near_all("by v", number, n * n, by[1], slope[1], 1e-8);
        soa_forces_free(s.set);
        scene_close(&x);
    }
}

/* A spring and a bushing from nodes to the world and to each other, without damping, keep energy; implicit steps, which take
 * their derivatives, go the same way. */
static void energy_is_kept(void **state)
{
    (void)state;
    for (int number = 0; number < 3; number++) {
        scene x = scene_open(1304u + 6u * (unsigned)number);
        soa_force force[ELEMENTS];
        double end[2][MOST];
        make_forces(&x, false, 11, force);
        force[0].damping = force[1].damping = 0.0;
        memset(force[1].damp, 0, sizeof force[1].damp);
        soa_sim_setup setup = soa_sim_setup_default();
        setup.q = x.s.q;
        setup.forces = 2;
        setup.force = force;
        setup.step = 2e-4;
        for (int method = 0; method < 2; method++) {
            soa_sim *sim = NULL;
            soa_sim_report report;
            setup.method = method == 0 ? SOA_RK45 : SOA_IMPLICIT;
            OK(soa_sim_new(x.s.t.model, &setup, NULL, &sim, &x.s.error));
            OK(soa_sim_advance(sim, 0.1, &x.s.error));
            OK(soa_sim_report_get(sim, &report, &x.s.error));
            memcpy(end[method], soa_sim_q(sim), (size_t)x.s.nq * sizeof(double));
            print_message("tree %d, method %d: drift %g of %g\n", number, method, report.drift, report.exchanged);
            assert_true(report.exchanged > 0.1 && fabs(report.drift) < (method == 0 ? 1e-8 : 1e-5) * report.exchanged);
            assert_true(report.work == 0.0);
            soa_sim_free(sim);
        }
        near_all("q", number, x.s.nq, end[1], end[0], 1e-5);
        scene_close(&x);
    }
}

/* What was computed before does not come back. */
static void disabled_elements_do_nothing(void **state)
{
    (void)state;
    scene x = scene_open(700);
    soa_force force[ELEMENTS];
    soa_forces *set = NULL;
    double T[MOST] = { 0 }, f[6 * MOST] = { 0 }, by_q[MOST * MOST], by_v[MOST * MOST];
    make_forces(&x, false, 5, force);
    OK(soa_forces_new(x.model, ELEMENTS, force, NULL, &set, &x.s.error));
    OK(soa_forces_derivatives(set, 0.0, x.s.q, x.s.v, by_q, by_v, &x.s.error));
    for (int i = 0; i < ELEMENTS; i++) {
        OK(soa_forces_enable(set, i, false, &x.s.error));
    }
    OK(soa_forces_apply(set, 0.0, x.s.q, x.s.v, T, f, NULL, &x.s.error));
    for (int i = 0; i < x.s.nv; i++) {
        assert_true(T[i] == 0.0);
    }
    soa_forces_free(set);
    scene_close(&x);
}

static void refuse(const scene *x, soa_point a, const char *said)
{
    soa_force e = soa_force_default("push", SOA_FORCE_WRENCH);
    soa_forces *set = NULL;
    soa_error error;
    e.a = a;
    assert_int_equal(soa_forces_new(x->model, 1, &e, NULL, &set, &error), SOA_E_NAME);
    assert_null(set);
    assert_non_null(strstr(error.text, said));
}

static void wrong_nodes_are_refused(void **state)
{
    (void)state;
    scene x = scene_open(700);
    char said[80];
    const char *name = soa_model_link(x.model, x.link)->name;
    snprintf(said, sizeof said, "force 'push' (wrench): link '%s' has no node 4; it has 3", name);
    refuse(&x, (soa_point){ x.link, soa_pose_identity(), NODES + 1 }, said);
    refuse(&x, (soa_point){ x.link, soa_pose_identity(), -1 }, "has no node -1; it has 3");
    refuse(&x, (soa_point){ x.pad[x.link], soa_pose_identity(), 1 }, "has no node 1; it has 0");
    refuse(&x, (soa_point){ SOA_WORLD, soa_pose_identity(), 1 }, "link 'world' has no node 1; it has 0");
    scene_close(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_do_what_links_on_them_do),
        cmocka_unit_test(forces_are_those_of_particles),
        cmocka_unit_test(derivatives_are_exact),
        cmocka_unit_test(energy_is_kept),
        cmocka_unit_test(disabled_elements_do_nothing),
        cmocka_unit_test(wrong_nodes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
