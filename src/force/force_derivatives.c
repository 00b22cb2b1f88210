/* force/force_derivatives.c - exact derivatives of force elements.
 *
 * An element at points has wrenches W(x, V) of the displacements x and velocities V = J v of its points. With
 * Q = J* W, along velocity k
 *     dQ_i/dq_k = J_i* (W_x J_k + W_V dV/dq_k) + (dJ_i/dq_k)* W,     dQ_i/dv_k = J_i* W_V J_k.
 * With (w_i; l_i) column i of J, in world axes at the point,
 *     dJ_i/dq_k = (w_k x w_i; w_k x l_i)   if joint k is inboard of joint i or the same,
 *               = (0; w_i x l_k)           if it is outboard,
 * and dV/dq_k = sum_i dJ_i/dq_k v_i. W_x and W_V are taken by the complex step. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "force/force_set.h"

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

/* W of both points by 24 directions: displacements (turn; shift) and velocities of a, then of b. */
typedef struct slopes {
    double value[12];
    double by[24][12];
} slopes;

static dual_frame dual_frame_of(const soa_forces *s, int point)
{
    dual_frame frame;
    const double *pose = s->pose + 12 * point, *V = s->velocity + 6 * point;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            frame.R[i][j] = pose[3 * i + j];
        }
        frame.p[i] = pose[9 + i];
        frame.w[i] = V[i];
        frame.v[i] = V[i + 3];
    }
    return frame;
}

/* The frame moved by i STEP in one of 12 directions. */
static dual_frame moved(dual_frame frame, int direction)
{
    const double complex step = STEP * I;
    const int axis = direction % 3;
    if (direction < 3) { /* R + i STEP e~ R */
        const int y = (axis + 1) % 3, z = (axis + 2) % 3;
        for (int j = 0; j < 3; j++) {
            const double complex upper = frame.R[y][j] - step * frame.R[z][j];
            frame.R[z][j] += step * frame.R[y][j];
            frame.R[y][j] = upper;
        }
    } else {
        double complex *part = direction < 6 ? frame.p : direction < 9 ? frame.w : frame.v;
        part[axis] += step;
    }
    return frame;
}

static void pack(const dual_wrench *on_a, const dual_wrench *on_b, bool imaginary, double *w)
{
    for (int i = 0; i < 3; i++) {
        const double complex number[] = { on_a->moment[i], on_a->force[i], on_b->moment[i], on_b->force[i] };
        for (int j = 0; j < 4; j++) {
            w[3 * j + i] = imaginary ? cimag(number[j]) / STEP : creal(number[j]);
        }
    }
}

static slopes slopes_of(const soa_forces *s, const soa_element *e)
{
    const dual_frame a = dual_frame_of(s, e->point_a), b = dual_frame_of(s, e->point_b);
    dual_wrench on_a, on_b;
    slopes out = { { 0.0 }, { { 0.0 } } };
    dual_point_law(&e->force, &a, &b, &on_a, &on_b);
    pack(&on_a, &on_b, false, out.value);
    for (int d = 0; d < 24; d++) {
        const dual_frame near_a = d < 12 ? moved(a, d) : a, near_b = d < 12 ? b : moved(b, d - 12);
        dual_point_law(&e->force, &near_a, &near_b, &on_a, &on_b);
        pack(&on_a, &on_b, true, out.by[d]);
    }
    return out;
}

static void cross_of(const double *J, size_t nv, size_t i, size_t k, int from, double r[3])
{
    /* w_i x (rows `from` of column k) */
    const double w[3] = { J[i], J[nv + i], J[2 * nv + i] };
    const double *c = J + (size_t)from * nv + k, l[3] = { c[0], c[nv], c[2 * nv] };
    r[0] = w[1] * l[2] - w[2] * l[1];
    r[1] = w[2] * l[0] - w[0] * l[2];
    r[2] = w[0] * l[1] - w[1] * l[0];
}

/* dJ_i/dq_k at one point; zero where a joint does not move it. */
static void column_rate(const soa_forces *s, const double *J, size_t i, size_t k, double rate[6])
{
    const size_t nv = (size_t)soa_model_nv(s->model);
    const bool same = s->body_of[i] == s->body_of[k];
    const bool universal = same && soa_model_body(s->model, s->body_of[i]).kind == SOA_UNIVERSAL;
    const bool inboard = universal ? k <= i : s->body_of[k] <= s->body_of[i];
    if (inboard) {
        cross_of(J, nv, k, i, 0, rate);
        cross_of(J, nv, k, i, 3, rate + 3);
    } else {
        memset(rate, 0, 3 * sizeof *rate);
        cross_of(J, nv, i, k, 3, rate + 3);
    }
}

/* Columns of J that are zero belong to joints which do not move the point. */
static bool moves(const double *J, size_t nv, size_t i)
{
    bool any = false;
    for (size_t r = 0; r < 6; r++) {
        any = any || J[r * nv + i] != 0.0;
    }
    return any;
}

/* dV/dq of one point into V_rate (6 x nv), and (dJ_i/dq_k)* W added to dQ_dq. */
static void curvature(
    const soa_forces *s, const double *J, const double *v, const double *W, double *V_rate, double *dQ_dq)
{
    const size_t nv = (size_t)soa_model_nv(s->model);
    memset(V_rate, 0, 6 * nv * sizeof *V_rate);
    for (size_t k = 0; k < nv; k++) {
        for (size_t i = 0; moves(J, nv, k) && i < nv; i++) {
            double rate[6], sum = 0.0;
            if (!moves(J, nv, i)) {
                continue;
            }
            column_rate(s, J, i, k, rate);
            for (size_t r = 0; r < 6; r++) {
                V_rate[r * nv + k] += rate[r] * v[i];
                sum += rate[r] * W[r];
            }
            dQ_dq[i * nv + k] += sum;
        }
    }
}

static double *jacobian_of(const soa_forces *s, double *all, int point)
{
    return all + 6 * (size_t)point * (size_t)soa_model_nv(s->model);
}

static void point_derivatives(soa_forces *s, const soa_element *e, const double *v, double *dQ_dq, double *dQ_dv)
{
    const size_t nv = (size_t)soa_model_nv(s->model);
    const slopes W = slopes_of(s, e);
    const int point[2] = { e->point_a, e->point_b };
    for (int end = 0; end < 2; end++) {
        curvature(
            s, jacobian_of(s, s->J, point[end]), v, W.value + 6 * end, jacobian_of(s, s->J_rate, point[end]), dQ_dq);
    }
    for (size_t k = 0; k < nv; k++) {
        double by_q[12] = { 0.0 }, by_v[12] = { 0.0 };
        for (int d = 0; d < 24; d++) {
            const size_t at = (size_t)(d % 6) * nv + k;
            const double *J = jacobian_of(s, s->J, point[d / 12]), *rate = jacobian_of(s, s->J_rate, point[d / 12]);
            const bool velocity = d % 12 >= 6;
            for (int r = 0; r < 12; r++) {
                by_q[r] += W.by[d][r] * (velocity ? rate[at] : J[at]);
                by_v[r] += velocity ? W.by[d][r] * J[at] : 0.0;
            }
        }
        for (size_t i = 0; i < nv; i++) {
            for (size_t r = 0; r < 12; r++) {
                const double J_i = jacobian_of(s, s->J, point[r / 6])[r % 6 * nv + i];
                dQ_dq[i * nv + k] += J_i * by_q[r];
                dQ_dv[i * nv + k] += J_i * by_v[r];
            }
        }
    }
}

/* ---- all of them ------------------------------------------------------------------------ */

static soa_status prepare(soa_forces *s, const double *q, const double *v, soa_error *error)
{
    const soa_status status = soa_forces_place(s, q, v, error);
    return status != SOA_OK || s->points == 0
               ? status
               : soa_jacobian(s->model, s->workspace, s->points, s->point, SOA_AXES_MIXED, 1, q, s->J, error);
}

soa_status soa_forces_derivatives(
    soa_forces *forces, double t, const double *q, const double *v, double *dQ_dq, double *dQ_dv, soa_error *error)
{
    soa_error_clear(error);
    if (!forces || !q || !v || !dQ_dq || !dQ_dv) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "forces, q, v or an output is missing");
    }
    const size_t nv = (size_t)soa_model_nv(forces->model);
    const soa_status status = prepare(forces, q, v, error);
    memset(dQ_dq, 0, nv * nv * sizeof *dQ_dq);
    memset(dQ_dv, 0, nv * nv * sizeof *dQ_dv);
    for (int i = 0; i < forces->count && status == SOA_OK; i++) {
        const soa_element *e = &forces->element[i];
        if (soa_element_acts(forces, e, t) && e->body >= 0) {
            joint_derivatives(forces, e, t, q, v, dQ_dq, dQ_dv);
        } else if (soa_element_acts(forces, e, t)) {
            point_derivatives(forces, e, v, dQ_dq, dQ_dv);
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
