/* sens/closed.c - derivatives of closed systems: constrained accelerations and multipliers.
 *
 *     Mass vdot + C = T + J* lambda,   J vdot + bias = 0
 *
 * dJ/dq_j is dJ/dt along v = e_j. With A = Mass^-1, S = J A J* and right-hand sides r1, r2 (one column per number)
 *     S dlambda = r2 - J A r1,   dvdot = A (r1 + J* dlambda). */
#include <math.h>
#include <string.h>

#include "closure/closure.h"
#include "core/error.h"
#include "soa/sens.h"

/* Scratch, n velocities and r rows. */
typedef struct scratch {
    size_t n, r;
    double *inverse;        /* Mass^-1 of all systems, n x n */
    double *dq, *dv;        /* r1: n x n */
    double *x;              /* A r1: n x n */
    double *block, *block2; /* of one system, n x n */
    double *J, *J_dot, *AJ; /* r x n, and A J* by rows of J */
    double *rq, *rv, *rT;   /* r2: r x n */
    double *S;              /* r x r, factored; its pivots */
    double *vdot, *e, *q;   /* q: at most two numbers per velocity */
    double *lambda, *bias, *sum, *pivot;
    bool *depends; /* on others, as the solution found; in r numbers */
} scratch;

static size_t place(scratch *s, double *at)
{
    const size_t n = s->n, r = s->r;
    size_t used = 0;
#define PLACE(field, count)         \
    s->field = at ? at + used : at; \
    used += (count)
    PLACE(inverse, n * n);
    PLACE(dq, n * n);
    PLACE(dv, n * n);
    PLACE(x, n * n);
    PLACE(block, n * n);
    PLACE(block2, n * n);
    PLACE(J, r * n);
    PLACE(J_dot, r * n);
    PLACE(AJ, r * n);
    PLACE(rq, r * n);
    PLACE(rv, r * n);
    PLACE(rT, r * n);
    PLACE(S, r * r);
    PLACE(vdot, n);
    PLACE(e, n);
    PLACE(q, 2 * n);
    PLACE(lambda, r);
    PLACE(bias, r);
    PLACE(sum, r);
    PLACE(pivot, r);
#undef PLACE
    s->depends = at ? (bool *)(void *)(at + used) : NULL;
    used += r;
    return used;
}

static scratch scratch_of(const soa_closures *set, double *at)
{
    scratch s = { .n = (size_t)set->nv, .r = (size_t)set->rows };
    place(&s, at);
    return s;
}

size_t soa_closed_derivatives_work(const soa_closures *set)
{
    scratch s = { .n = (size_t)set->nv, .r = (size_t)set->rows };
    return place(&s, NULL) + 1;
}

/* ---- right-hand sides -------------------------------------------------------------------- */

/* A square of one system, times the factor, into that of all. */
static void put_block(const scratch *s, const soa_part *part, double factor, const double *from, double *to)
{
    const size_t nv = (size_t)part->model->nv, v = (size_t)part->v;
    for (size_t i = 0; i < nv; i++) {
        for (size_t j = 0; j < nv; j++) {
            to[(v + i) * s->n + v + j] = factor * from[i * nv + j];
        }
    }
}

/* Mass^-1 and -dT_dq, -dT_dv of all systems at vdot. */
static soa_status trees(
    soa_closures *set, const scratch *s, const double *q, const double *v, const double *f, soa_error *error)
{
    soa_status status = SOA_OK;
    memset(s->inverse, 0, 3 * s->n * s->n * sizeof *s->inverse);
    for (int i = 0; i < set->systems && status == SOA_OK; i++) {
        const soa_part *part = &set->part[i];
        const double *q_i = q + part->q, *v_i = v ? v + part->v : NULL, *f_i = f ? f + 6 * part->node : NULL;
        status = soa_mass_inverse(part->model, part->workspace, 1, q_i, s->block, error);
        put_block(s, part, 1.0, s->block, s->inverse);
        if (status == SOA_OK) {
            status = soa_inverse_dynamics_derivatives(
                part->model, part->workspace, 1, q_i, v_i, s->vdot + part->v, f_i, s->block, s->block2, NULL, error);
            put_block(s, part, -1.0, s->block, s->dq);
            put_block(s, part, -1.0, s->block2, s->dv);
        }
    }
    return status;
}

/* The configuration after velocity j alone has gone on for time h. */
static void step_along(const soa_closures *set, const scratch *s, const double *q, double h)
{
    for (int i = 0; i < set->systems; i++) {
        const soa_part *part = &set->part[i];
        soa_integrate(part->model, q + part->q, s->e + part->v, h, s->q + part->q);
    }
}

/* d bias / dq_j into s->sum. */
static soa_status bias_slope(soa_closures *set, const scratch *s, const double *q, const double *v, soa_error *error)
{
    static const double weight[4] = { 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280 };
    const double h = 0.01;
    soa_status status = SOA_OK;
    memset(s->sum, 0, s->r * sizeof *s->sum);
    for (int i = 0; v && i < 8 && status == SOA_OK; i++) {
        const double side = i % 2 == 0 ? 1.0 : -1.0;
        const int far = 1 + i / 2;
        step_along(set, s, q, side * h * far);
        status = soa_closure_bias(set, s->q, v, s->bias, error);
        for (size_t row = 0; row < s->r; row++) {
            s->sum[row] += side * weight[i / 2] / h * s->bias[row];
        }
    }
    return status;
}

static double dot(size_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* Column j of r2, and what J* lambda adds to r1. */
static soa_status closure_column(
    soa_closures *set, const scratch *s, const double *q, const double *v, size_t j, soa_error *error)
{
    memset(s->e, 0, s->n * sizeof *s->e);
    s->e[j] = 1.0;
    soa_status status = soa_closure_jacobian_rate(set, q, s->e, s->J_dot, error);
    if (status == SOA_OK) {
        status = bias_slope(set, s, q, v, error);
    }
    for (size_t row = 0; status == SOA_OK && row < s->r; row++) {
        const double *J_row = s->J_dot + row * s->n;
        s->rq[row * s->n + j] = -(dot(s->n, J_row, s->vdot) + s->sum[row]);
        s->rv[row * s->n + j] -= v ? dot(s->n, J_row, v) : 0.0;
        for (size_t i = 0; i < s->n; i++) {
            s->dq[i * s->n + j] += J_row[i] * s->lambda[row];
        }
    }
    return status;
}

static soa_status closure_columns(
    soa_closures *set, const scratch *s, const double *q, const double *v, soa_error *error)
{
    memset(s->rv, 0, 2 * s->r * s->n * sizeof *s->rv);
    soa_status status = soa_closure_jacobian(set, q, s->J, error);
    if (status == SOA_OK && v) { /* bias is quadratic in v: dJ/dt v, and dJ/dt is linear in v */
        status = soa_closure_jacobian_rate(set, q, v, s->J_dot, error);
        for (size_t i = 0; i < s->r * s->n; i++) {
            s->rv[i] = -s->J_dot[i];
        }
    }
    for (size_t j = 0; j < s->n && status == SOA_OK; j++) {
        status = closure_column(set, s, q, v, j, error);
    }
    return status;
}

/* ---- solution ------------------------------------------------------------------------------ */

/* S = J A J* = L D L* in place, rows that depend on others left out: their pivot is 0. */
static void factor(const scratch *s)
{
    const size_t r = s->r, n = s->n;
    for (size_t i = 0; i < r; i++) {
        for (size_t c = 0; c < n; c++) {
            s->AJ[i * n + c] = dot(n, s->J + i * n, s->inverse + c * n);
        }
    }
    for (size_t i = 0; i < r; i++) {
        for (size_t j = 0; j <= i; j++) {
            double x = dot(n, s->J + j * n, s->AJ + i * n);
            for (size_t c = 0; c < j; c++) {
                x -= s->S[i * r + c] * s->S[j * r + c] * s->pivot[c];
            }
            if (j == i) {
                s->pivot[i] = s->depends[i] ? 0.0 : x;
            } else {
                s->S[i * r + j] = s->pivot[j] > 0.0 ? x / s->pivot[j] : 0.0;
            }
        }
    }
}

/* x = S^-1 x, x every n-th number; zero for rows that were left out. */
static void solve(const scratch *s, double *x)
{
    const size_t r = s->r, n = s->n;
    for (size_t i = 0; i < r; i++) {
        for (size_t c = 0; c < i; c++) {
            x[i * n] -= s->pivot[c] > 0.0 ? s->S[i * r + c] * x[c * n] : 0.0;
        }
    }
    for (size_t i = r; i-- > 0;) {
        x[i * n] = s->pivot[i] > 0.0 ? x[i * n] / s->pivot[i] : 0.0;
        for (size_t c = i + 1; c < r; c++) {
            x[i * n] -= s->pivot[i] > 0.0 ? s->S[c * r + i] * x[c * n] : 0.0;
        }
    }
}

/* From r1 (NULL: the identity) and r2, in place of it dlambda; what is wanted goes out. */
static void eliminate(const scratch *s, const double *r1, double *r2, double *vdot, double *lambda)
{
    const size_t n = s->n, r = s->r;
    for (size_t i = 0; i < n * n; i++) {
        s->x[i] = r1 ? 0.0 : s->inverse[i];
    }
    for (size_t i = 0; r1 && i < n; i++) {
        for (size_t c = 0; c < n; c++) {
            for (size_t j = 0; j < n; j++) {
                s->x[i * n + j] += s->inverse[i * n + c] * r1[c * n + j];
            }
        }
    }
    for (size_t row = 0; row < r; row++) {
        for (size_t c = 0; c < n; c++) {
            for (size_t j = 0; j < n; j++) {
                r2[row * n + j] -= s->J[row * n + c] * s->x[c * n + j];
            }
        }
    }
    for (size_t j = 0; j < n; j++) {
        solve(s, r2 + j);
    }
    for (size_t i = 0; vdot && i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            vdot[i * n + j] = s->x[i * n + j];
            for (size_t row = 0; row < r; row++) {
                vdot[i * n + j] += s->AJ[row * n + i] * r2[row * n + j];
            }
        }
    }
    if (lambda) {
        memcpy(lambda, r2, r * n * sizeof *lambda);
    }
}

static soa_status check_kinds(const soa_closures *set, soa_error *error)
{
    for (int i = 0; i < set->ties; i++) {
        const soa_tie *tie = &set->tie[i];
        if (tie->used && tie->enabled && !tie->coupling && tie->closure.kind == SOA_CLOSE_SLIDING) {
            return soa_fail(error, SOA_E_UNSUPPORTED, -1,
                "closure '%s' (number %d) slides: the derivatives of its friction are not made; disable it",
                soa_closure_name(set, i), i);
        }
    }
    return SOA_OK;
}

soa_status soa_closed_forward_dynamics_derivatives(soa_closures *set, const double *q, const double *v, const double *T,
    const double *f, const soa_closed_derivatives *out, soa_error *error)
{
    if (!out || !out->work) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "give arrays, and soa_closed_derivatives_work numbers of scratch");
    }
    const scratch s = scratch_of(set, out->work);
    soa_status status = check_kinds(set, error);
    if (status == SOA_OK) {
        status = soa_closed_forward_dynamics(set, q, v, T, f, s.vdot, NULL, error);
    }
    if (status != SOA_OK) {
        return status;
    }
    memcpy(s.lambda, soa_closure_multipliers(set), s.r * sizeof *s.lambda);
    soa_dependent_rows(set, s.depends);
    status = trees(set, &s, q, v, f, error);
    if (status == SOA_OK) {
        status = closure_columns(set, &s, q, v, error);
    }
    if (status == SOA_OK) {
        factor(&s);
        eliminate(&s, s.dq, s.rq, out->vdot_q, out->lambda_q);
        eliminate(&s, s.dv, s.rv, out->vdot_v, out->lambda_v);
        eliminate(&s, NULL, s.rT, out->vdot_T, out->lambda_T);
    }
    return status;
}
