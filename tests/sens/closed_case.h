/* tests/sens/closed_case.h - closed systems that can be made again of other models, and differences of their dynamics. */
#ifndef SOA_TESTS_SENS_CLOSED_CASE_H
#define SOA_TESTS_SENS_CLOSED_CASE_H

#include "closure/kinds.h"
#include "soa/parameters.h"

enum { MOST_CLOSURES = 3 };

/* A closed system that can be made again of other models. */
typedef struct closed_case {
    closed_kit kit;
    int closures;
    soa_closure closure[MOST_CLOSURES];
    int a[MOST_CLOSURES], b[MOST_CLOSURES];
    double motion[MOST_CLOSURES][3][6];
    double *f; /* on all bodies */
} closed_case;

static inline double *numbers(int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

/* ---- cases ---------------------------------------------------------------------------------- */

static inline bool add_again(closed_case *c, soa_closures *set, int i)
{
    int index;
    if (soa_closure_add(set, &c->closure[i], c->a[i], c->b[i], &index, &c->kit.error) != SOA_OK) {
        return false;
    }
    OK(&c->kit, soa_closure_set_motion(set, index, c->motion[i][0], c->motion[i][1], c->motion[i][2], &c->kit.error));
    return true;
}

/* A closure of the kind, if two links that can move apart are found. */
static inline void add_kind(closed_case *c, soa_closure_kind kind)
{
    const int i = c->closures;
    for (int tries = 0; tries < 20 && c->closures == i; tries++) {
        c->closure[i] = some_closure(&c->kit, kind, &c->a[i], &c->b[i]);
        c->closure[i].slip[1] = some(&c->kit);
        c->closure[i].nonholonomic = some(&c->kit) > 0.0;
        for (int k = 0; k < 18; k++) {
            c->motion[i][k / 6][k % 6] = some(&c->kit);
        }
        c->closures += add_again(c, c->kit.set, i);
    }
}

static inline closed_case case_of(int n)
{
    closed_case c = { .kit = { .seed = 300ull + (unsigned)n, .systems = 1 + n % 3 } };
    for (int s = 0; s < c.kit.systems; s++) {
        make_tree(&c.kit, s, 2 + some_of(&c.kit, 12 / c.kit.systems));
    }
    kit_begin(&c.kit, NULL);
    kit_state(&c.kit);
    int bodies = 0;
    for (int s = 0; s < c.kit.systems; s++) {
        bodies += soa_model_bodies(c.kit.model[s]);
    }
    c.f = numbers(6 * bodies);
    for (int i = 0; i < 6 * bodies; i++) {
        c.f[i] = some(&c.kit);
    }
    for (int i = 0; i < 1 + n % 2; i++) {
        if (soa_closures_rows(c.kit.set) + 7 < c.kit.nv) {
            add_kind(&c, (soa_closure_kind)((n + i) % SOA_CLOSURE_KINDS));
        }
    }
    return c;
}

/* Whether the rows are independent, and friction does not nearly jam. */
static inline bool is_plain(closed_case *c)
{
    soa_closed closed;
    c->kit.rows = soa_closures_rows(c->kit.set);
    return soa_closed_forward_dynamics(c->kit.set, 1, c->kit.q, c->kit.v, c->kit.T, c->f, c->kit.vdot, NULL, &closed,
               &c->kit.error) == SOA_OK &&
           closed.rows > 0 && closed.rank == closed.rows && closed.condition < 1e4 &&
           largest(c->kit.nv, c->kit.vdot) < 1e3;
}

/* ---- differences -------------------------------------------------------------------------------- */

typedef enum moves { BY_Q, BY_V, BY_T, BY_GRAVITY, BY_PARAMETER, BY_PLACE, BY_FORCE, MOVES } moves;

typedef struct change {
    closed_case *c;
    moves by;
    int j;            /* which number */
    int system, item; /* link, body or point */
} change;

/* Of an inertial parameter for t = 1, so that inertias stay physical. */
#define SMALL 2e-3

static inline soa_pose displacement(int number, double t)
{
    double at[3] = { 0.0 }, axis[3] = { number >= 3, 0.0, 0.0 };
    (number < 3 ? axis : at)[number % 3] = number < 3 ? 1.0 : t;
    return soa_pose_from_axis_angle(at, axis, number < 3 ? t : 0.0);
}

/* The model of a system as it is after time t. */
static inline soa_model *changed_model(const change *x, int system, double t)
{
    const soa_model *from = x->c->kit.model[system];
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model = NULL;
    soa_error error;
    double gravity[3];
    soa_model_gravity(from, gravity);
    gravity[x->j % 3] += x->by == BY_GRAVITY ? t : 0.0;
    soa_builder_set_gravity(b, gravity);
    for (int l = 0; l < soa_model_links(from); l++) {
        soa_link link = *soa_model_link(from, l);
        if (x->by == BY_PARAMETER && system == x->system && l == x->item) {
            double p[SOA_PARAMETERS];
            soa_inertia_parameters(&link.inertia, p);
            p[x->j] += SMALL * t;
            link.inertia = soa_inertia_from_parameters(p);
        }
        if (x->by == BY_PLACE && system == x->system && l == x->item) {
            const soa_pose by = displacement(x->j, t);
            link.joint.at = soa_pose_compose(&link.joint.at, &by);
        }
        kit_ok(__FILE__, __LINE__, soa_builder_add_link(b, &link, NULL, &error), &error);
    }
    kit_ok(__FILE__, __LINE__, soa_builder_finish(b, &model, &error), &error);
    soa_builder_free(b);
    return model;
}

/* vdot and lambda of the set. */
static inline void solve(closed_kit *kit, soa_closures *set, const double *const in[4], double *out)
{
    OK(kit, soa_closed_forward_dynamics(set, 1, in[0], in[1], in[2], in[3], out, NULL, NULL, &kit->error));
    memcpy(out + kit->nv, soa_closure_multipliers(set), (size_t)kit->rows * sizeof *out);
}

static inline void with_other_models(const change *x, double t, double *out)
{
    closed_kit *kit = &x->c->kit;
    soa_model *model[MOST_SYSTEMS];
    soa_closures *set;
    for (int s = 0; s < kit->systems; s++) {
        model[s] = changed_model(x, s, t);
    }
    OK(kit, soa_closures_new(kit->systems, (const soa_model *const *)model, NULL, NULL, &set, &kit->error));
    for (int i = 0; i < x->c->closures; i++) {
        assert_true(add_again(x->c, set, i));
    }
    solve(kit, set, (const double *const[]){ kit->q, kit->v, kit->T, x->c->f }, out);
    soa_closures_free(set);
    for (int s = 0; s < kit->systems; s++) {
        soa_model_free(model[s]);
    }
}

/* Some point of a link, and the joint forces of a force there. */
static inline soa_closed_point point_of(const change *x)
{
    const double p[3] = { 0.1, -0.2, 0.3 };
    return (soa_closed_point){ x->system, { x->item, soa_pose_from_axis_angle(p, (double[]){ 0, 0, 1 }, 0.4) } };
}

static inline void add_point_force(const change *x, double t, double *T)
{
    const soa_closed_point point = point_of(x);
    closed_kit *kit = &x->c->kit;
    const soa_model *m = kit->model[x->system];
    const int nv = soa_model_nv(m);
    int q = 0, v = 0;
    for (int s = 0; s < x->system; s++) {
        q += soa_model_nq(kit->model[s]);
        v += soa_model_nv(kit->model[s]);
    }
    soa_workspace *w;
    double *J = numbers(6 * nv);
    OK(kit, soa_workspace_new(m, NULL, &w, &kit->error));
    OK(kit, soa_workspace_reserve(w, 1, &kit->error));
    OK(kit, soa_jacobian(m, w, 1, &point.point, SOA_AXES_MIXED, 1, kit->q + q, J, &kit->error));
    for (int i = 0; i < nv; i++) {
        T[v + i] += t * J[x->j * nv + i];
    }
    soa_workspace_free(w);
    free(J);
}

/* vdot, then lambda, after time t. */
static inline void at_time(const change *x, double t, double *out)
{
    closed_kit *kit = &x->c->kit;
    double *q = numbers(kit->nq), *v = numbers(kit->nv), *T = numbers(kit->nv), *e = numbers(kit->nv);
    if (x->by == BY_GRAVITY || x->by == BY_PARAMETER || x->by == BY_PLACE) {
        with_other_models(x, t, out);
    } else {
        memcpy(v, kit->v, (size_t)kit->nv * sizeof *v);
        memcpy(T, kit->T, (size_t)kit->nv * sizeof *T);
        e[x->by == BY_Q ? x->j : 0] = x->by == BY_Q ? 1.0 : 0.0;
        for (int s = 0, at = 0, to = 0; s < kit->systems; s++) {
            soa_integrate(kit->model[s], kit->q + at, e + to, t, q + at);
            at += soa_model_nq(kit->model[s]);
            to += soa_model_nv(kit->model[s]);
        }
        v[x->j] += x->by == BY_V ? t : 0.0;
        T[x->j] += x->by == BY_T ? t : 0.0;
        if (x->by == BY_FORCE) {
            add_point_force(x, t, T);
        }
        solve(kit, kit->set, (const double *const[]){ q, v, T, x->c->f }, out);
    }
    free(q);
    free(v);
    free(T);
    free(e);
}

static inline void difference(const change *x, double h, double *slope)
{
    const double weight[4] = { 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280 };
    const int n = x->c->kit.nv + x->c->kit.rows;
    double *plus = numbers(n), *minus = numbers(n);
    memset(slope, 0, (size_t)n * sizeof *slope);
    for (int s = 1; s <= 4; s++) {
        at_time(x, s * h, plus);
        at_time(x, -s * h, minus);
        for (int i = 0; i < n; i++) {
            slope[i] += weight[s - 1] * (plus[i] - minus[i]) / h;
        }
    }
    free(plus);
    free(minus);
}

/* With three steps: the last that still agrees with a larger one, and how far both are apart at most. Rounding, which
 * nearly dependent rows magnify, is divided by the step; the rest of the series is multiplied by it. Single numbers may
 * agree by chance, so all of them choose the step. */
static inline double best_difference(const change *x, double *slope)
{
    const int n = x->c->kit.nv + x->c->kit.rows;
    double *large = numbers(n), *small = numbers(n), by_small = 0.0, by_large = 0.0;
    difference(x, 1.2e-2, large);
    difference(x, 4e-3, slope);
    difference(x, 4e-3 / 3.0, small);
    for (int i = 0; i < n; i++) {
        by_small = fmax(by_small, fabs(small[i] - slope[i]));
        by_large = fmax(by_large, fabs(slope[i] - large[i]));
    }
    if (by_small < by_large) {
        memcpy(slope, small, (size_t)n * sizeof *slope);
    }
    free(large);
    free(small);
    return fmin(by_small, by_large);
}

#endif
