/* sens/flexible_sens.c - derivatives of models with flexible links.
 *
 * By v the forces are quadratic and by vdot linear, so
 *     dT/dv e = (T(v + e) - T(v - e)) / 2,   dT/dvdot = Mass
 * to rounding. By q, along a displacement that is one velocity e for a time h,
 *     dT/dq e = 4/5 d(h) - 1/5 d(2h) + 4/105 d(3h) - 1/280 d(4h),   d(x) = (T(x) - T(-x)) / h
 * whose error is of the order h^9 / 630: with h = 0.015 rad or as much of a mode it is below that of rounding, some 1e-13.
 *     dvdot/dx = -Mass^-1 dT/dx at vdot(T) */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "model/model.h"
#include "sens/sens_kernels.h"
#include "sens/turning.h"

enum { PAIRS = 4, STATES = 2 * PAIRS };

#define STEP 0.015

/* One state, and scratch memory in soa_workspace.squares. */
typedef struct scene {
    soa_workspace *w;
    const soa_model *m;
    size_t nq, nv;
    const double *q, *v, *vdot, *f;
    double *Q, *T, *unit, *own_vdot; /* STATES x nq, STATES x nv, nv, nv */
    double *A, *B;                   /* nv x nv */
} scene;

static soa_status place(soa_workspace *w, scene *s, soa_error *error)
{
    *s = (scene){ .w = w, .m = w->model, .nq = (size_t)w->model->nq, .nv = (size_t)w->model->nv };
    if (s->nv > SOA_SQUARE_MOST) {
        return soa_fail(error, SOA_E_LIMIT, -1,
            "%d velocities; derivatives of models with flexible links are made with at most %d", w->model->nv,
            SOA_SQUARE_MOST);
    }
    const size_t stride = soa_square_stride(s->m);
    double *at = w->squares;
    s->unit = at;
    s->own_vdot = at + stride;
    s->A = at + (SOA_SQUARE_ROWS + SOA_SQUARE_PANELS * SOA_MAX_LANES) * stride;
    s->B = s->A + s->nv * stride;
    s->T = at + SOA_SQUARE_ROWS * stride; /* STATES rows; those of Q do not fit behind them if there are quaternions */
    s->Q = w->flexible;
    return SOA_OK;
}

/* T of so many states: q in s->Q, or v in s->Q; what is not there is that of the scene. */
static soa_status forces(scene *s, int states, bool by_v, soa_error *error)
{
    soa_call call = { .q = { by_v ? s->q : s->Q, by_v ? 0 : s->nq },
        .v = { by_v ? s->Q : s->v, by_v ? s->nv : 0 },
        .u = { s->vdot, 0 },
        .u_name = "vdot",
        .f = { s->f, 0 },
        .y = { s->T, s->nv } };
    (void)error;
    return soa_run_inside(s->w, SOA_KERNEL_inverse_dynamics, states, &call);
}

/* How far a velocity of a body goes in one unit of its own size. */
static double size_of(const soa_body_data *body, int i)
{
    return body->rest->modal ? 50.0 * body->rest->modal->scale[i] * body->nv : 1.0;
}

/* Column `c` of dT/dq into out (nv apart). */
static soa_status column_q(scene *s, int k, int i, double *out, soa_error *error)
{
    static const double weight[PAIRS] = { 4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0 };
    const soa_body_data *body = &s->m->body[k];
    const double h = STEP * size_of(body, i);
    memset(s->unit, 0, s->nv * sizeof *s->unit);
    s->unit[body->v + i] = 1.0;
    for (int p = 0; p < STATES; p++) {
        soa_integrate(s->m, s->q, s->unit, (p % 2 == 0 ? h : -h) * (double)(p / 2 + 1), s->Q + (size_t)p * s->nq);
    }
    const soa_status status = forces(s, STATES, false, error);
    for (size_t r = 0; r < s->nv; r++) {
        double sum = 0.0;
        for (int p = 0; p < PAIRS; p++) {
            sum += weight[p] * (s->T[(size_t)(2 * p) * s->nv + r] - s->T[(size_t)(2 * p + 1) * s->nv + r]);
        }
        out[r * s->nv] = sum / h;
    }
    return status;
}

static soa_status column_v(scene *s, size_t c, double *out, soa_error *error)
{
    for (size_t i = 0; i < s->nv; i++) {
        const double v = s->v ? s->v[i] : 0.0;
        s->Q[i] = i == c ? v + 1.0 : v;
        s->Q[s->nv + i] = i == c ? v - 1.0 : v;
    }
    const soa_status status = forces(s, 2, true, error);
    for (size_t r = 0; r < s->nv; r++) {
        out[r * s->nv] = 0.5 * (s->T[r] - s->T[s->nv + r]);
    }
    return status;
}

/* dT/dq or dT/dv, nv x nv, into out. */
static soa_status matrix(scene *s, bool by_v, double *out, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int k = 0; k < s->m->bodies; k++) {
        for (int i = 0; status == SOA_OK && i < s->m->body[k].nv; i++) {
            const size_t c = (size_t)(s->m->body[k].v + i);
            status = by_v ? column_v(s, c, out + c, error) : column_q(s, k, i, out + c, error);
        }
    }
    return status;
}

/* out = -A B */
static void minus_product(size_t n, const double *A, const double *B, double *out)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < n; k++) {
                sum -= A[i * n + k] * B[k * n + j];
            }
            out[i * n + j] = sum;
        }
    }
}

typedef struct outputs {
    double *by_q, *by_v, *by_u, *vdot;
} outputs;

static soa_status inverse(scene *s, outputs y, soa_error *error)
{
    soa_status status = y.by_q ? matrix(s, false, y.by_q, error) : SOA_OK;
    status = status == SOA_OK && y.by_v ? matrix(s, true, y.by_v, error) : status;
    return status == SOA_OK && y.by_u ? soa_mass_matrix(s->m, s->w, 1, s->q, y.by_u, error) : status;
}

static soa_status forward(scene *s, const double *T, outputs y, soa_error *error)
{
    soa_status status = soa_forward_dynamics(s->m, s->w, 1, s->q, s->v, T, s->f, s->own_vdot, error);
    s->vdot = s->own_vdot;
    status = status == SOA_OK ? soa_mass_inverse(s->m, s->w, 1, s->q, s->A, error) : status;
    for (int i = 0; status == SOA_OK && i < 2; i++) {
        double *out = i == 0 ? y.by_q : y.by_v;
        if (out) {
            status = matrix(s, i == 1, s->B, error);
            minus_product(s->nv, s->A, s->B, out);
        }
    }
    if (status == SOA_OK && y.by_u) {
        memcpy(y.by_u, s->A, s->nv * s->nv * sizeof *y.by_u);
    }
    if (status == SOA_OK && y.vdot) {
        memcpy(y.vdot, s->own_vdot, s->nv * sizeof *y.vdot);
    }
    return status;
}

/* A, B, C, D from the derivatives, which stand at the beginning of A and B.  [LIN] */
static void linear(const scene *s, double *A, double *B, double *C, double *D)
{
    const size_t n = s->nv;
    double *rows = s->A; /* both squares lie side by side */
    for (size_t i = 0; i < n; i++) {
        memcpy(rows + 2 * i * n, A + i * n, n * sizeof *A);
        memcpy(rows + 2 * i * n + n, A + n * n + i * n, n * sizeof *A);
    }
    memcpy(A + 2 * n * n, rows, 2 * n * n * sizeof *A);
    memmove(B + n * n, B, n * n * sizeof *B);
    memset(B, 0, n * n * sizeof *B);
    for (size_t i = 0; i < 2 * n * n; i++) {
        A[i] = i % (2 * n) == n + i / (2 * n) ? 1.0 : 0.0;
    }
    for (int k = 0; s->v && k < s->m->bodies; k++) {
        const soa_body_data *body = &s->m->body[k];
        const size_t at = (size_t)body->v;
        if (body->joint_class != SOA_CLASS_MODAL) {
            turning_of_joint(body->rest->shape.kind, s->v + at, A + at * (2 * n + 1), 2 * n, 1);
        }
    }
    for (size_t i = 0; C && i < 6 * n * n; i++) {
        const size_t row = i / (2 * n), column = i % (2 * n);
        C[i] = row < 2 * n ? (row == column ? 1.0 : 0.0) : A[i - 2 * n * n];
    }
    for (size_t i = 0; D && i < 3 * n * n; i++) {
        D[i] = i < 2 * n * n ? 0.0 : B[i - n * n];
    }
}

static double *out_of(soa_out out, int state)
{
    return out.at ? out.at + (size_t)state * out.stride : NULL;
}

static const double *in_of(soa_in in, int state)
{
    return in.at ? in.at + (size_t)state * in.stride : NULL;
}

static soa_status run_state(scene *s, soa_sens_id kernel, int i, const soa_call *call, soa_error *error)
{
    const double *u = in_of(call->u, i);
    s->q = in_of(call->q, i);
    s->v = in_of(call->v, i);
    s->f = in_of(call->f, i);
    s->vdot = u;
    outputs y = { out_of(call->y, i), out_of(call->y2, i), out_of(call->y3, i), out_of(call->y4, i) };
    soa_status status = soa_check_configuration(s->m, s->q, error);
    if (status != SOA_OK) {
        return status;
    }
    if (kernel == SOA_SENS_inverse_dynamics_derivatives) {
        return inverse(s, y, error);
    }
    if (kernel == SOA_SENS_forward_dynamics_derivatives) {
        return forward(s, u, y, error);
    }
    double *A = y.by_q, *B = y.by_v;
    if (!A || !B) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "A and B are needed, but one is NULL");
    }
    status = forward(s, u, (outputs){ A, A + s->nv * s->nv, B, NULL }, error);
    if (status == SOA_OK) {
        linear(s, A, B, y.by_u, y.vdot);
    }
    return status;
}

soa_status soa_flexible_sens(soa_workspace *w, soa_sens_id kernel, int states, const soa_call *call, soa_error *error)
{
    const bool known = kernel == SOA_SENS_inverse_dynamics_derivatives ||
                       kernel == SOA_SENS_forward_dynamics_derivatives || kernel == SOA_SENS_linear_model;
    if (!known || w->step != 1) {
        return soa_refuse_flexible(w->model, known ? "derivatives in the layout of blocks" : "this derivative", error);
    }
    if (states < 0 || (states > 0 && w->model->nq > 0 && !call->q.at)) {
        return soa_fail_states(error);
    }
    scene s;
    soa_status status = place(w, &s, error);
    for (int i = 0; status == SOA_OK && i < states; i++) {
        status = run_state(&s, kernel, i, call, error);
        if (status != SOA_OK) {
            soa_at_state(status, w, i, error);
            for (int y = 0; y < SOA_OUTPUTS; y++) {
                soa_spoil((soa_state_out){ out_of(call->out[y], i), 1 }, call->out[y].at ? call->out[y].stride : 0);
            }
        }
    }
    return status;
}
