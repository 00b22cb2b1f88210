/* force/force_derivatives.c - exact derivatives of force elements.
 *
 * An element at points has wrenches W of the poses and velocities of its points, and Q = J* W. Along velocity k
 *     dQ/dq_k = J* dW + d(J*) W,     dQ/dv_k = J* dW.
 * What poses and velocities change by (sens/point_change.h) gives dW by the complex step; d(J*) W is that of any forces at
 * points that keep their numbers. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "force/force_set.h"
#include "sens/point_change.h"
#include "soa/sens.h"

#define LAW(name)     dual_##name
#define num           double complex
#define num_sqrt(x)   csqrt(x)
#define num_pow(x, y) cpow(x, y)
#define num_asin(x)   casin(x)
#define num_tan(x)    ctan(x)
#define num_real(x)   creal(x)
#include "force/laws.kernel.h"

#define STEP 1e-100

/* ---- joints -------------------------------------------------------------------------- */

static void joint_derivatives(
    const soa_forces *s, const soa_element *e, double t, const double *q, const double *v, double *dQ_dq, double *dQ_dv)
{
    const soa_body body = soa_model_body(s->model, e->body);
    const size_t nv = (size_t)soa_model_nv(s->model);
    const double value = e->force.table.count > 0 ? soa_series_at(&e->force.table, t) : e->force.value;
    if (e->force.kind == SOA_FORCE_ELASTIC) {
        const soa_flexible *f = soa_model_link(s->model, body.link)->flexible;
        for (int i = 0; i < body.nv * body.nv; i++) {
            const size_t at = (size_t)(body.v + i / body.nv) * nv + (size_t)(body.v + i % body.nv);
            dQ_dq[at] -= f->stiffness[i];
            dQ_dv[at] -= f->damping ? f->damping[i] : 0.0;
        }
        return;
    }
    double x[SOA_JOINT_MAX_NQ], rate[SOA_JOINT_MAX_NV * SOA_JOINT_MAX_NV];
    double complex energy;
    soa_joint_displacement(s, e, q, x, rate);
    for (int i = 0; i < body.nv; i++) {
        const double u = v[body.v + i];
        const size_t row = (size_t)(body.v + i) * nv + (size_t)body.v;
        const double by_x = cimag(dual_joint_law(&e->force, value, x[i] + STEP * I, u, &energy)) / STEP;
        const double by_v = cimag(dual_joint_law(&e->force, value, x[i], u + STEP * I, &energy)) / STEP;
        dQ_dv[row + (size_t)i] += by_v;
        for (int j = 0; j < body.nv; j++) {
            dQ_dq[row + (size_t)j] += by_x * rate[body.nv * i + j];
        }
    }
}

/* ---- points -------------------------------------------------------------------------- */

/* The ends of an element. */
typedef struct ends {
    const soa_element *element;
    int point[2];
    soa_moving_point at[2];
} ends;

static ends ends_of(const soa_forces *s, const soa_element *e)
{
    ends x = { .element = e, .point = { e->point_a, e->point_b } };
    for (int side = 0; side < 2; side++) {
        memcpy(x.at[side].number, s->pose + 12 * x.point[side], 12 * sizeof(double));
        memcpy(x.at[side].number + 12, s->velocity + 6 * x.point[side], 6 * sizeof(double));
    }
    return x;
}

static dual_frame dual_frame_of(const soa_moving_point *x)
{
    double complex number[18];
    dual_frame frame;
    for (int i = 0; i < 18; i++) {
        number[i] = x->number[i] + STEP * I * x->slope[i];
    }
    memcpy(frame.R, number, sizeof frame.R);
    memcpy(frame.p, number + 9, sizeof frame.p);
    memcpy(frame.w, number + 12, sizeof frame.w);
    memcpy(frame.v, number + 15, sizeof frame.v);
    return frame;
}

/* W at both ends, or its slope. */
static void wrenches_of(const ends *x, bool slope, double W[2][6])
{
    const dual_frame a = dual_frame_of(&x->at[0]), b = dual_frame_of(&x->at[1]);
    dual_wrench on[2];
    dual_point_law(&x->element->force, &a, &b, &on[0], &on[1]);
    for (int i = 0; i < 12; i++) {
        const dual_wrench *w = &on[i / 6];
        const double complex number = i % 6 < 3 ? w->moment[i % 3] : w->force[i % 3];
        W[i / 6][i % 6] = slope ? cimag(number) / STEP : creal(number);
    }
}

/* Column c of dQ gains J* dW, for the slopes that the ends have. */
static void add_column(const soa_forces *s, const ends *x, int c, double *dQ)
{
    const size_t nv = (size_t)soa_model_nv(s->model);
    double dW[2][6];
    wrenches_of(x, true, dW);
    for (int side = 0; side < 2; side++) {
        const double *J = s->J + 6 * (size_t)x->point[side] * nv;
        for (size_t i = 0; i < 6 * nv; i++) {
            dQ[i % nv * nv + (size_t)c] += J[i] * dW[side][i / nv];
        }
    }
}

/* The columns of the joints that move an end. */
static void point_derivatives(
    const soa_forces *s, const soa_element *e, const soa_moving_system *moving, double *dQ_dq, double *dQ_dv)
{
    ends x = ends_of(s, e);
    int next[2]; /* by end: the outermost body that moves it and has not come yet */
    for (int side = 0; side < 2; side++) {
        next[side] = s->place[x.point[side]].body;
    }
    for (int k = soa_model_bodies(s->model) - 1; k >= 0; k--) {
        const soa_body body = soa_model_body(s->model, k);
        const bool moves[2] = { next[0] == k, next[1] == k };
        for (int i = 0; (moves[0] || moves[1]) && i < 2 * body.nv; i++) {
            const soa_change_by by = i < body.nv ? SOA_CHANGE_BY_Q : SOA_CHANGE_BY_V;
            for (int side = 0; side < 2; side++) {
                memset(x.at[side].slope, 0, sizeof x.at[side].slope);
                if (moves[side]) {
                    soa_moving_change(moving, &s->point[x.point[side]], by, k, i % body.nv, &x.at[side]);
                }
            }
            add_column(s, &x, body.v + i % body.nv, by == SOA_CHANGE_BY_Q ? dQ_dq : dQ_dv);
        }
        next[0] = moves[0] ? body.parent : next[0];
        next[1] = moves[1] ? body.parent : next[1];
    }
}

/* dQ_dq = d(J*) W of all elements at points. */
static soa_status turn_of_forces(soa_forces *s, double t, const double *q, double *dQ_dq, soa_error *error)
{
    const int nv = soa_model_nv(s->model);
    memset(s->wrench, 0, 6 * (size_t)s->points * sizeof *s->wrench);
    for (int i = 0; i < s->count; i++) {
        const soa_element *e = &s->element[i];
        if (soa_element_acts(s, e, t) && e->body < 0) {
            double W[2][6];
            const ends x = ends_of(s, e);
            wrenches_of(&x, false, W);
            memcpy(s->wrench + 6 * e->point_a, W[0], sizeof W[0]);
            memcpy(s->wrench + 6 * e->point_b, W[1], sizeof W[1]);
        }
    }
    const soa_status status =
        soa_point_force_derivatives(s->model, s->workspace, s->points, s->point, 1, q, s->wrench, dQ_dq, NULL, error);
    for (int i = 0; i < nv * nv; i++) {
        dQ_dq[i] = -dQ_dq[i];
    }
    return status;
}

/* ---- all of them ------------------------------------------------------------------------ */

/* Poses, velocities and Jacobians of all points, and d(J*) W. */
static soa_status place_points(
    soa_forces *s, double t, const soa_moving_system *moving, double *dQ_dq, soa_error *error)
{
    soa_status status = soa_forces_place(s, moving->q, moving->v, error);
    SOA_NEXT(
        status, soa_jacobian(s->model, s->workspace, s->points, s->point, SOA_AXES_MIXED, 1, moving->q, s->J, error));
    SOA_NEXT(status, turn_of_forces(s, t, moving->q, dQ_dq, error));
    SOA_NEXT(status, soa_moving_begin(moving, error));
    return status;
}

soa_status soa_forces_derivatives(
    soa_forces *forces, double t, const double *q, const double *v, double *dQ_dq, double *dQ_dv, soa_error *error)
{
    soa_error_clear(error);
    if (!forces || !q || !v || !dQ_dq || !dQ_dv) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "forces, q, v or an output is missing");
    }
    const size_t nv = (size_t)soa_model_nv(forces->model);
    const soa_moving_system moving = { forces->model, forces->workspace, q, v, NULL, forces->column,
        forces->column + SOA_MOVING_COLUMN * nv };
    memset(dQ_dq, 0, nv * nv * sizeof *dQ_dq);
    memset(dQ_dv, 0, nv * nv * sizeof *dQ_dv);
    const soa_status status = forces->points > 0 ? place_points(forces, t, &moving, dQ_dq, error) : SOA_OK;
    for (int i = 0; i < forces->count && status == SOA_OK; i++) {
        const soa_element *e = &forces->element[i];
        if (soa_element_acts(forces, e, t) && e->body >= 0) {
            joint_derivatives(forces, e, t, q, v, dQ_dq, dQ_dv);
        } else if (soa_element_acts(forces, e, t)) {
            point_derivatives(forces, e, &moving, dQ_dq, dQ_dv);
        }
    }
    return status;
}

soa_status soa_forces_linear(soa_forces *forces, double t, const double *q, const double *v, double *A, const double *B,
    double *C, double *dQ, soa_error *error)
{
    if (!forces || !A || !B || !dQ) {
        return soa_fail_null(error, "the forces, A, B or dQ");
    }
    const size_t nv = (size_t)soa_model_nv(forces->model);
    double *A_v = A + 2 * nv * nv;
    const double *B_v = B + nv * nv;
    const soa_status status = soa_forces_derivatives(forces, t, q, v, dQ, dQ + nv * nv, error);
    for (size_t i = 0; i < nv && status == SOA_OK; i++) {
        for (size_t k = 0; k < nv; k++) {
            const double b = B_v[i * nv + k];
            for (size_t j = 0; j < nv && b != 0.0; j++) {
                A_v[i * 2 * nv + j] += b * dQ[k * nv + j];
                A_v[i * 2 * nv + nv + j] += b * dQ[(nv + k) * nv + j];
            }
        }
    }
    if (C && status == SOA_OK) {
        memcpy(C + 4 * nv * nv, A_v, 2 * nv * nv * sizeof *C);
    }
    return status;
}
