/* dynamics/run.c - running a kernel on many states: checks, lanes, failures. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/error.h"
#include "dynamics/kernels.h"

/* ---- inputs --------------------------------------------------------------------------- */

/* x - x is zero for a finite x and NaN for any other, and NaN stays. */
static inline bool all_finite(const double *x, int n)
{
    double a = 0.0, b = 0.0;
    int i = 0;
    for (; i + 1 < n; i += 2) {
        a += x[i] - x[i];
        b += x[i + 1] - x[i + 1];
    }
    if (i < n) {
        a += x[i] - x[i];
    }
    return a + b == 0.0;
}

/* The body to which number i of an array belongs. */
static int body_of(const soa_model *m, int i, bool coordinates)
{
    int k = m->bodies - 1;
    while (k > 0 && (coordinates ? m->body[k].q : m->body[k].v) > i) {
        k--;
    }
    return k;
}

static soa_status fail_number(
    const soa_model *m, int state, const char *what, const double *x, int body, int i, soa_error *error)
{
    const soa_link *link = soa_description_link(&m->description, m->body[body].rest->link);
    const soa_status status = soa_fail(error, SOA_E_NUMBER, body,
        "state %d: %s[%d] = %g at link '%s' is not finite; give finite numbers", state, what, i, x[i], link->name);
    if (error) {
        error->state = state;
    }
    return status;
}

static soa_status find_number(const soa_model *m, int state, const char *what, soa_in in, soa_error *error)
{
    const double *x = in.at + (size_t)state * in.stride;
    int i = 0;
    while (isfinite(x[i])) {
        i++;
    }
    const int body = what[0] == 'f' ? i / 6 : body_of(m, i, what[0] == 'q');
    return fail_number(m, state, what, x, body, i, error);
}

static soa_status check_points_array(const soa_call *call, int state, soa_error *error)
{
    const double *x = call->g.at ? call->g.at + (size_t)state * call->g.stride : NULL;
    if (!x || all_finite(x, 6 * call->points)) {
        return SOA_OK;
    }
    const soa_status status =
        soa_fail(error, SOA_E_NUMBER, -1, "state %d: a force at a point is not finite; give finite numbers", state);
    if (error) {
        error->state = state;
    }
    return status;
}

static inline bool state_finite(soa_in in, int state, int n)
{
    return !in.at || all_finite(in.at + (size_t)state * in.stride, n);
}

/* Of hybrid dynamics: what is given must be finite; the rest of T and vdot is not read. */
static soa_status check_prescribed_numbers(const soa_model *m, const soa_call *call, int state, soa_error *error)
{
    const double *T = call->y.at + (size_t)state * call->y.stride;
    const double *vdot = call->y2.at + (size_t)state * call->y2.stride;
    for (int i = 0; i < m->nv; i++) {
        const bool given = call->prescribed[i];
        const double *x = given ? vdot : T;
        if (!isfinite(x[i])) {
            return fail_number(m, state, given ? "vdot" : "T", x, body_of(m, i, false), i, error);
        }
    }
    return SOA_OK;
}

/* The test of soa_check_configuration, for numbers known to be finite. */
static inline bool quaternions_valid(const soa_model *m, soa_in in, int state)
{
    for (int i = 0; i < m->quaternions; i++) {
        const double *q = in.at + (size_t)state * in.stride + m->body[m->quaternion[i]].q;
        const double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        if (!(fabs(n - 1.0) < 1e-6)) { /* tighter than what is refused, which the slow test decides */
            return false;
        }
    }
    return true;
}

/* Finite numbers and unit quaternions of one state. */
soa_status soa_check_state(const soa_model *m, const soa_call *call, int state, soa_error *error)
{
    soa_status status = SOA_OK;
    if (!state_finite(call->q, state, m->nq)) {
        status = find_number(m, state, "q", call->q, error);
    } else if (!state_finite(call->v, state, m->nv)) {
        status = find_number(m, state, "v", call->v, error);
    } else if (!state_finite(call->u, state, m->nv)) {
        status = find_number(m, state, call->u_name ? call->u_name : "u", call->u, error);
    } else if (!state_finite(call->f, state, 6 * m->bodies)) {
        status = find_number(m, state, "f", call->f, error);
    } else if (call->g.at) {
        status = check_points_array(call, state, error);
    } else if (call->prescribed) {
        status = check_prescribed_numbers(m, call, state, error);
    }
    if (status == SOA_OK && !quaternions_valid(m, call->q, state)) {
        status = soa_check_configuration(m, call->q.at + (size_t)state * call->q.stride, error);
        if (status != SOA_OK && error) {
            error->state = state;
        }
    }
    return status;
}

/* ---- outputs of states that failed ------------------------------------------------------ */

static void spoil(soa_out out, int state)
{
    for (size_t i = 0; out.at && i < out.stride; i++) {
        out.at[(size_t)state * out.stride + i] = NAN;
    }
}

static void spoil_state(const soa_call *call, int state)
{
    spoil(call->y, state);
    spoil(call->y2, state);
    spoil(call->y3, state);
    spoil(call->y4, state);
}

static soa_status fail_singular(const soa_model *m, int state, int body, soa_error *error)
{
    const soa_link *link = soa_description_link(&m->description, m->body[body].rest->link);
    const soa_status status = soa_fail(error, SOA_E_SINGULAR, body,
        "state %d: some motion of the joint of link '%s' moves nothing that has inertia; give the link mass or "
        "armature",
        state, link->name);
    if (error) {
        error->state = state;
    }
    return status;
}

/* ---- run -------------------------------------------------------------------------------- */

static soa_in in_from(soa_in in, int state)
{
    return (soa_in){ in.at ? in.at + (size_t)state * in.stride : NULL, in.stride };
}

static soa_out out_from(soa_out out, int state)
{
    return (soa_out){ out.at ? out.at + (size_t)state * out.stride : NULL, out.stride };
}

/* The call for count states from `first` on. */
static soa_call part_of(const soa_call *call, int first, int count)
{
    soa_call part = *call;
    part.count = count;
    part.q = in_from(call->q, first);
    part.v = in_from(call->v, first);
    part.u = in_from(call->u, first);
    part.f = in_from(call->f, first);
    part.g = in_from(call->g, first);
    part.y = out_from(call->y, first);
    part.y2 = out_from(call->y2, first);
    part.y3 = out_from(call->y3, first);
    part.y4 = out_from(call->y4, first);
    return part;
}

/* Runs the states first .. first + count - 1; *status keeps the failure of the first state that fails. */
static void run_part(const soa_workspace *w, soa_kernel *kernel, const soa_call *call, int first, int count,
    soa_status *status, soa_error *error)
{
    soa_status checked[SOA_MAX_LANES];
    soa_error found; /* of the first state whose inputs are bad; a state before it may still be singular */
    bool bad = *status != SOA_OK;
    for (int i = 0; i < count; i++) {
        checked[i] = soa_check_state(w->model, call, first + i, bad ? NULL : &found);
        bad = bad || checked[i] != SOA_OK;
    }
    soa_call part = part_of(call, first, count);
    kernel(&part);
    for (int i = 0; i < count; i++) {
        const bool singular = checked[i] == SOA_OK && part.failed[i] >= 0;
        if (checked[i] == SOA_OK && !singular) {
            continue;
        }
        if (*status == SOA_OK && singular) {
            *status = fail_singular(w->model, first + i, part.failed[i], error);
        } else if (*status == SOA_OK) {
            *status = checked[i];
            if (error) {
                *error = found;
            }
        }
        spoil_state(call, first + i);
    }
}

/* One state: nothing to divide, nothing to copy. */
static soa_status run_one(const soa_workspace *w, soa_kernel_id kernel, soa_call *call, soa_error *error)
{
    soa_status status = soa_check_state(w->model, call, 0, error);
    call->model = w->model;
    call->work = w->work_one;
    call->prepared = true;
    call->lanes = &w->many->work;
    call->work_columns = w->work_many;
    call->count = 1;
    if (status == SOA_OK) {
        w->one->kernel[kernel](call);
        status = call->failed[0] < 0 ? SOA_OK : fail_singular(w->model, 0, call->failed[0], error);
    }
    if (status != SOA_OK) {
        spoil_state(call, 0);
    }
    return status;
}

/* Points on links that exist, at places that are poses, and room for them. */
static soa_status check_points(const soa_workspace *w, const soa_call *call, soa_error *error)
{
    if (call->points < 0 || (call->points > 0 && !call->point)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the points are missing or their number is negative");
    }
    if (call->points > w->points) {
        return soa_fail(error, SOA_E_LIMIT, -1,
            "%d points, but the workspace has room for %d; call soa_workspace_reserve", call->points, w->points);
    }
    for (int i = 0; i < call->points; i++) {
        const soa_point *point = &call->point[i];
        if (point->link < SOA_WORLD || point->link >= w->model->description.link.count || !soa_pose_valid(&point->at)) {
            return soa_fail(error, SOA_E_ARGUMENT, -1,
                "point %d: its link %d does not exist or its placement is not a position and a rotation", i,
                point->link);
        }
    }
    return SOA_OK;
}

soa_status soa_run(soa_workspace *workspace, const soa_model *model, soa_kernel_id kernel, int states, soa_call *call,
    soa_error *error)
{
    if (workspace->model != model || states < 0 || (states > 0 && model->nq > 0 && !call->q.at)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1,
            "the workspace is not of this model, the number of states is negative or q is missing");
    }
    soa_status status = check_points(workspace, call, error);
    if (status != SOA_OK) {
        return status;
    }
    if (states == 1) {
        return run_one(workspace, kernel, call, error);
    }
    soa_call all = *call;
    all.model = model;
    all.prepared = true;
    all.lanes = &workspace->many->work;
    all.work_columns = workspace->work_many;
    int state = 0;
    while (state < states) {
        const int left = states - state;
        const bool one = left == 1 || workspace->lanes == 1 || !workspace->many->kernel[kernel];
        const soa_kernel_table *table = one ? workspace->one : workspace->many;
        const int count = one ? 1 : left < workspace->lanes ? left : workspace->lanes;
        all.work = one ? workspace->work_one : workspace->work_many;
        run_part(workspace, table->kernel[kernel], &all, state, count, &status, error);
        state += count;
    }
    return status;
}
