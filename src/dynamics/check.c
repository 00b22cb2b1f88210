/* dynamics/check.c - the inputs of a state: finite numbers, unit quaternions. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "dynamics/kernels.h"

typedef double two __attribute__((vector_size(16)));

static inline two load_two(const double *x)
{
    two y;
    memcpy(&y, x, sizeof y);
    return y;
}

/* x - x is zero for a finite x and NaN for any other, and NaN stays. */
static inline bool all_finite(const double *x, int n)
{
    two a = { 0.0, 0.0 }, b = a;
    int i = 0;
    for (; i + 3 < n; i += 4) {
        const two y = load_two(x + i), z = load_two(x + i + 2);
        a += y - y;
        b += z - z;
    }
    a += b;
    double rest = a[0] + a[1];
    for (; i < n; i++) {
        rest += x[i] - x[i];
    }
    return rest == 0.0;
}

/* The same for every step-th number. */
static bool all_finite_by(const double *x, int n, size_t step)
{
    double a = 0.0;
    for (int i = 0; i < n; i++) {
        a += x[(size_t)i * step] - x[(size_t)i * step];
    }
    return a == 0.0;
}

static inline bool state_finite(const soa_call *call, soa_in in, int state, int n)
{
    if (!in.at) {
        return true;
    }
    const double *x = in.at + soa_state_at(call->step, in.stride, state);
    return __builtin_expect(call->step == 1, 1) ? all_finite(x, n) : all_finite_by(x, n, call->step);
}

/* ---- what is wrong -------------------------------------------------------------------- */

/* The body to which number i of an array belongs. */
static int body_of(const soa_model *m, int i, bool coordinates)
{
    int k = m->bodies - 1;
    while (k > 0 && (coordinates ? m->body[k].q : m->body[k].v) > i) {
        k--;
    }
    return k;
}

/* Number i of the array `what` is x. */
static soa_status fail_number(
    const soa_workspace *w, int state, const char *what, double x, int body, int i, soa_error *error)
{
    const soa_model *m = w->model;
    const soa_link *link = soa_description_link(&m->description, m->body[body].rest->link);
    return soa_at_state(
        soa_fail(error, SOA_E_NUMBER, body, "state %d: %s[%d] = %g at link '%s' is not finite; give finite numbers",
            w->first + state, what, i, x, link->name),
        w, state, error);
}

static soa_status find_number(
    const soa_workspace *w, const soa_call *call, int state, const char *what, soa_in in, soa_error *error)
{
    const double *x = in.at + soa_state_at(call->step, in.stride, state);
    int i = 0;
    while (isfinite(*x)) {
        x += call->step;
        i++;
    }
    const int body = what[0] == 'f' ? i / 6 : body_of(w->model, i, what[0] == 'q');
    return fail_number(w, state, what, *x, body, i, error);
}

static soa_status check_points_array(const soa_workspace *w, const soa_call *call, int state, soa_error *error)
{
    if (state_finite(call, call->g, state, 6 * call->points)) {
        return SOA_OK;
    }
    return soa_at_state(soa_fail(error, SOA_E_NUMBER, -1,
                            "state %d: a force at a point is not finite; give finite numbers", w->first + state),
        w, state, error);
}

/* Of hybrid dynamics: what is given must be finite; the rest of T and vdot is not read. */
static soa_status check_prescribed_numbers(const soa_workspace *w, const soa_call *call, int state, soa_error *error)
{
    const double *T = call->y.at + soa_state_at(call->step, call->y.stride, state);
    const double *vdot = call->y2.at + soa_state_at(call->step, call->y2.stride, state);
    for (int i = 0; i < w->model->nv; i++) {
        const bool given = call->prescribed[i];
        const double x = (given ? vdot : T)[(size_t)i * call->step];
        if (!isfinite(x)) {
            return fail_number(w, state, given ? "vdot" : "T", x, body_of(w->model, i, false), i, error);
        }
    }
    return SOA_OK;
}

/* ---- the checks ------------------------------------------------------------------------ */

static soa_status check_numbers(const soa_workspace *w, const soa_call *call, int state, soa_error *error)
{
    const soa_model *m = w->model;
    if (!state_finite(call, call->q, state, m->nq)) {
        return find_number(w, call, state, "q", call->q, error);
    }
    if (!state_finite(call, call->v, state, m->nv)) {
        return find_number(w, call, state, "v", call->v, error);
    }
    if (!state_finite(call, call->u, state, m->nv)) {
        return find_number(w, call, state, call->u_name ? call->u_name : "u", call->u, error);
    }
    if (!state_finite(call, call->x, state, m->nv)) {
        return find_number(w, call, state, "x", call->x, error);
    }
    if (!state_finite(call, call->f, state, 6 * m->bodies)) {
        return find_number(w, call, state, "f", call->f, error);
    }
    if (call->g.at) {
        return check_points_array(w, call, state, error);
    }
    return call->prescribed ? check_prescribed_numbers(w, call, state, error) : SOA_OK;
}

/* The test of soa_check_configuration, for finite numbers of a state, step apart; tighter than what is refused, which
 * the slow test decides. */
static inline bool quaternions_valid(const soa_model *m, const double *of_state, size_t step)
{
    for (int i = 0; i < m->quaternions; i++) {
        const double *q = of_state + (size_t)m->body[m->quaternion[i]].q * step;
        const double n = q[0] * q[0] + q[step] * q[step] + q[2 * step] * q[2 * step] + q[3 * step] * q[3 * step];
        if (!(fabs(n - 1.0) < 1e-6)) {
            return false;
        }
    }
    return true;
}

soa_status soa_check_quaternions(const soa_workspace *w, const soa_call *call, int state, soa_error *error)
{
    if (w->model->quaternions == 0 ||
        quaternions_valid(w->model, call->q.at + soa_state_at(call->step, call->q.stride, state), call->step)) {
        return SOA_OK;
    }
    const soa_status status =
        soa_check_configuration(w->model, soa_state_numbers(call, call->q, state, w->model->nq, w->state), error);
    return status == SOA_OK ? SOA_OK : soa_at_state(status, w, state, error);
}

static __attribute__((noinline)) soa_status check_any_state(
    const soa_workspace *w, const soa_call *call, int state, soa_error *error)
{
    const soa_status status = check_numbers(w, call, state, error);
    return status == SOA_OK ? soa_check_quaternions(w, call, state, error) : status;
}

/* q is all that there is, one state after another. */
static inline bool is_q_alone(const soa_call *call)
{
    return call->step == 1 && call->q.at && !call->v.at && !call->u.at && !call->x.at && !call->f.at && !call->g.at &&
           !call->prescribed;
}

soa_status soa_check_state(const soa_workspace *w, const soa_call *call, int state, soa_error *error)
{
    if (is_q_alone(call)) {
        const double *q = call->q.at + (size_t)state * call->q.stride;
        if (all_finite(q, w->model->nq) && quaternions_valid(w->model, q, 1)) {
            return SOA_OK;
        }
    }
    return check_any_state(w, call, state, error);
}

static bool block_finite(soa_in in, int first, int lanes)
{
    return !in.at || all_finite(in.at + (size_t)first * in.stride, lanes * (int)in.stride);
}

bool soa_block_finite(const soa_call *call, int first, int count)
{
    const int lanes = (int)call->step;
    return lanes > 1 && count == lanes && !call->prescribed && block_finite(call->q, first, lanes) &&
           block_finite(call->v, first, lanes) && block_finite(call->u, first, lanes) &&
           block_finite(call->x, first, lanes) && block_finite(call->f, first, lanes) &&
           block_finite(call->g, first, lanes);
}
