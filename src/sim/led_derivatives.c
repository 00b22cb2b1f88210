/* sim/led_derivatives.c - exact derivatives of operational-space control and of computed torque, which leads no point.
 *
 * With y of led_point.c and w = Mass^-1 J* y_m, along a change d of q or v
 *     Mass dw = -(d(Mass) w - d(J*) y_m) + J* dy_m =: R + J* dy_m
 *     dvdot   = dw + dvdot_0 + E_u dy_u
 *     J dvdot = da - dA,    A = J vdot + J' v, dA at fixed vdot
 *     E_u* (Mass dvdot + dID) = 0,    dT = Mass dvdot + dID,   dID of inverse dynamics at fixed vdot,
 * so dy solves the equations of y with another right side:
 *     A Mass^-1 A* dy = (da - dA - J dvdot_0 - X R;  -(dID + R + Mass dvdot_0)_u).
 * Where J loses rank the directions that y leaves out are left out here as well. */
#include <string.h>

#include "core/dense.h"
#include "core/error.h"
#include "joint/rotation.h"
#include "model/model.h"
#include "sens/point_change.h"
#include "sim/led_point.h"
#include "soa/sens.h"
#include "spatial/cross.h"

/* ---- the point ----------------------------------------------------------------------------- */

/* What stays the same along all directions. */
typedef struct led_work {
    soa_sim *sim;
    const sim_controller *c;
    const sim_led *led;
    const double *q, *v;
    double *ID_q, *ID_v, *Mass, *R; /* nv x nv */
    double *column;                 /* nv */
} led_work;

static motion motion_at(const double *x, size_t apart)
{
    return (motion){ { x[0], x[apart], x[2 * apart] }, { x[3 * apart], x[4 * apart], x[5 * apart] } };
}

/* The rate of the rotation that is missed, e = log(goal R*), while the point turns with w:
 *     de = -(w + e x w / 2 + c e x (e x w)). */
static vec3 turn_rate(const double e[3], vec3 w)
{
    const vec3 x = vec3_set(e), once = vec3_cross(x, w), twice = vec3_cross(x, once);
    return vec3_neg(vec3_add(w, vec3_add(vec3_scale(0.5, once), vec3_scale(soa_log_curve(x), twice))));
}

/* da of what is asked for while the point moves by S and its velocity changes by dV. */
static motion asked_rate(const led_work *s, motion S, motion dV)
{
    const soa_led_point *p = s->c->setup.point;
    const motion by_place = { vec3_scale(p->turn_kp, turn_rate(s->led->e, S.w)), vec3_scale(-p->kp, S.v) };
    const motion by_speed = { vec3_scale(-p->turn_kd, dV.w), vec3_scale(-p->kd, dV.v) };
    return motion_add(by_place, by_speed);
}

/* ---- a direction ----------------------------------------------------------------------------- */

/* The rate of vdot_0: that of the gains of joint k, if it is driven and its state is known. */
static double free_rate(const led_work *s, int k, bool position)
{
    const soa_controller *c = &s->c->setup;
    for (int i = 0; i < c->joints; i++) {
        if (s->c->at_v[i] == k && sim_controller_knows(s->c, i)) {
            return -sim_gain(position ? c->kp : c->kd, i);
        }
    }
    return 0.0;
}

/* dT along q_k or v_k into column k of `out`. goal: da - dA. */
static soa_status along(const led_work *s, int k, bool position, motion goal, double *out, soa_error *error)
{
    const sim_led *led = s->led;
    const size_t nv = (size_t)s->sim->nv, m = (size_t)led->rows, at = (size_t)k;
    const double g[6] = { goal.w.x, goal.w.y, goal.w.z, goal.v.x, goal.v.y, goal.v.z };
    const double *ID = position ? s->ID_q : s->ID_v, *J = led->J + (size_t)led->first * nv;
    const double own = free_rate(s, k, position);
    const bool turns = position && m > 0; /* R is not zero */
    double *dvdot = s->column;
    for (size_t i = 0; i < m; i++) {
        led->r[i] = g[(size_t)led->first + i] - J[i * nv + at] * own;
        for (size_t j = 0; turns && j < nv; j++) {
            led->r[i] -= led->X[i * nv + j] * s->R[j * nv + at];
        }
    }
    for (int u = 0; u < led->others; u++) {
        const size_t row = (size_t)led->other[u] * nv + at;
        led->r[m + (size_t)u] = -(ID[row] + (turns ? s->R[row] : 0.0) + s->Mass[row] * own);
    }
    sim_led_matrix(s->sim, led);
    soa_least_squares(
        m + (size_t)led->others, m + (size_t)led->others, led->S, led->r, led->y, led->work, SOA_COMPUTED);
    soa_status status = SOA_OK;
    memset(dvdot, 0, nv * sizeof *dvdot);
    if (turns) {
        for (size_t j = 0; j < nv; j++) {
            led->T[j] = s->R[j * nv + at];
        }
        status = soa_mass_solve(s->sim->model, s->sim->workspace, 1, s->q, led->T, dvdot, error);
    }
    dvdot[at] += own;
    sim_led_add(s->sim, led, dvdot);
    for (int i = 0; i < s->c->setup.joints; i++) {
        const size_t row = (size_t)s->c->at_v[i];
        double sum = ID[row * nv + at];
        for (size_t j = 0; j < nv; j++) {
            sum += s->Mass[row * nv + j] * dvdot[j];
        }
        out[row * nv + at] = sum;
    }
    return status;
}

/* ---- all of them ------------------------------------------------------------------------------ */

/* R = -(d(Mass w) - d(J* y_m)) by q. */
static soa_status turn_of_forces(const led_work *s, soa_error *error)
{
    soa_sim *sim = s->sim;
    const size_t nv = (size_t)sim->nv;
    const sim_led *led = s->led;
    double f[6] = { 0.0 }, *w = s->column, *without = s->Mass, *by_f = s->ID_q;
    memset(w, 0, nv * sizeof *w);
    for (int i = 0; i < led->rows; i++) {
        f[led->first + i] = led->y[i];
        for (size_t j = 0; j < nv; j++) {
            w[j] += led->X[(size_t)i * nv + j] * led->y[i];
        }
    }
    soa_status status =
        soa_inverse_dynamics_derivatives(sim->model, sim->workspace, 1, s->q, NULL, w, NULL, s->R, NULL, NULL, error);
    SOA_NEXT(status, soa_inverse_dynamics_derivatives(
                         sim->model, sim->workspace, 1, s->q, NULL, NULL, NULL, without, NULL, NULL, error));
    SOA_NEXT(status, soa_point_force_derivatives(
                         sim->model, sim->workspace, 1, &s->c->setup.point->at, 1, s->q, f, by_f, NULL, error));
    for (size_t i = 0; i < nv * nv; i++) {
        s->R[i] = without[i] - s->R[i] - by_f[i];
    }
    return status;
}

/* da - dA along q_k and v_k of the joint of body b, if it moves the point. */
static void goals_of(
    const led_work *s, const soa_moving_system *m, soa_moving_point *x, int b, int i, bool moves, motion goal[2])
{
    const motion S = motion_at(s->led->J + m->model->body[b].v + i, (size_t)s->sim->nv);
    for (int by = 0; by < 2; by++) {
        goal[by] = motion_zero();
        if (moves) {
            soa_moving_change(m, &s->c->setup.point->at, (soa_change_by)by, b, i, x);
            const motion dV = motion_at(x->slope + 12, 1), dA = motion_at(x->slope + 18, 1);
            goal[by] = motion_sub(asked_rate(s, by == 0 ? S : motion_zero(), dV), dA);
        }
    }
}

soa_status sim_led_derivatives(soa_sim *sim, const sim_controller *c, const double *q, const double *v, double *by_q,
    double *by_v, soa_error *error)
{
    const size_t nn = (size_t)sim->nv * (size_t)sim->nv;
    double *work = sim->control_work;
    led_work s = { .sim = sim,
        .c = c,
        .led = c->led,
        .q = q,
        .v = v,
        .ID_q = work,
        .ID_v = work + nn,
        .Mass = work + 2 * nn,
        .R = work + 3 * nn,
        .column = work + 6 * nn };
    soa_status status = c->led->rows > 0 ? turn_of_forces(&s, error) : SOA_OK;
    SOA_NEXT(status, soa_inverse_dynamics_derivatives(
                         sim->model, sim->workspace, 1, q, v, c->led->vdot, NULL, s.ID_q, s.ID_v, s.Mass, error));
    memcpy(c->led->Mass, s.Mass, nn * sizeof *s.Mass);
    const soa_model *model = sim->model;
    const soa_moving_system moving = { model, sim->workspace, q, v, c->led->vdot, work + 6 * nn + sim->nv,
        work + 6 * nn + (1 + SOA_MOVING_COLUMN) * sim->nv };
    soa_moving_point x;
    int next = -1; /* the outermost body that moves the point and has not come yet */
    if (status == SOA_OK && c->setup.point) {
        status = soa_moving_begin(&moving, error);
        SOA_NEXT(status, soa_moving_place(&moving, &c->setup.point->at, &x, error));
        next = c->setup.point->at.link == SOA_WORLD ? -1 : model->place[c->setup.point->at.link].body;
    }
    for (int b = model->bodies - 1; b >= 0 && status == SOA_OK; b--) {
        const soa_body_data *body = &model->body[b];
        for (int i = 0; i < body->nv && status == SOA_OK; i++) {
            motion goal[2];
            goals_of(&s, &moving, &x, b, i, b == next, goal);
            status = along(&s, body->v + i, true, goal[0], by_q, error);
            SOA_NEXT(status, along(&s, body->v + i, false, goal[1], by_v, error));
        }
        next = b == next ? body->parent : next;
    }
    return status;
}
