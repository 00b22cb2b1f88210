/* dynamics/run.c - running a kernel on many states: lanes, failures. */
#include <math.h>

#include "core/error.h"
#include "dynamics/kernels.h"

soa_status soa_at_state(soa_status status, const soa_workspace *w, int state, soa_error *error)
{
    if (error) {
        error->state = w->first + state;
    }
    return status;
}

soa_status soa_fail_states(soa_error *error)
{
    return soa_fail(error, SOA_E_ARGUMENT, -1,
        "the workspace is not of this model, the number of states is negative or q is missing");
}

const double *soa_state_numbers(const soa_call *call, soa_in in, int state, int n, double *copy)
{
    const double *from = in.at ? in.at + soa_state_at(call->step, in.stride, state) : NULL;
    if (!from || call->step == 1) {
        return from;
    }
    for (int i = 0; i < n; i++) {
        copy[i] = from[(size_t)i * call->step];
    }
    return copy;
}

soa_state_out soa_state_out_of(const soa_workspace *w, double *y, size_t size, int state)
{
    const size_t step = (size_t)w->step;
    return (soa_state_out){ y ? y + soa_state_at(step, size, state) : NULL, step };
}

void soa_spoil(soa_state_out y, size_t n)
{
    for (size_t i = 0; y.at && i < n; i++) {
        y.at[i * y.step] = NAN;
    }
}

/* ---- outputs of states that failed ------------------------------------------------------ */

static void spoil(const soa_call *call, soa_out out, int state)
{
    if (out.at) {
        soa_spoil((soa_state_out){ out.at + soa_state_at(call->step, out.stride, state), call->step }, out.stride);
    }
}

static void spoil_state(const soa_call *call, int state)
{
    spoil(call, call->y, state);
    spoil(call, call->y2, state);
    spoil(call, call->y3, state);
    spoil(call, call->y4, state);
}

static soa_status fail_singular(const soa_workspace *w, int state, int body, soa_error *error)
{
    const soa_model *m = w->model;
    const soa_link *link = soa_description_link(&m->description, m->body[body].rest->link);
    return soa_at_state(soa_fail(error, SOA_E_SINGULAR, body,
                            "state %d: some motion of the joint of link '%s' moves nothing that has inertia; give the "
                            "link mass or armature",
                            w->first + state, link->name),
        w, state, error);
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

/* The call for count states from `first` on; with a step, first is a multiple of it. */
static soa_call part_of(const soa_call *call, int first, int count)
{
    soa_call part = *call;
    part.count = count;
    part.q = in_from(call->q, first);
    part.v = in_from(call->v, first);
    part.u = in_from(call->u, first);
    part.x = in_from(call->x, first);
    part.f = in_from(call->f, first);
    part.g = in_from(call->g, first);
    part.y = out_from(call->y, first);
    part.y2 = out_from(call->y2, first);
    part.y3 = out_from(call->y3, first);
    part.y4 = out_from(call->y4, first);
    return part;
}

static void out_at_state(const soa_call *call, soa_out *out, int state)
{
    out->at = out->at ? out->at + soa_state_at(call->step, out->stride, state) : NULL;
}

/* The call for one state by a kernel for one state. */
static soa_call single_of(const soa_workspace *w, const soa_call *call, int state)
{
    if (call->step == 1) {
        return part_of(call, state, 1);
    }
    const soa_model *m = w->model;
    double *copy = w->state;
    soa_call part = *call;
    part.count = 1;
    part.q.at = soa_state_numbers(call, call->q, state, m->nq, copy);
    part.v.at = soa_state_numbers(call, call->v, state, m->nv, copy + m->nq);
    part.u.at = soa_state_numbers(call, call->u, state, m->nv, copy + m->nq + m->nv);
    part.x.at = soa_state_numbers(call, call->x, state, m->nv, copy + m->nq + 2 * m->nv);
    copy += m->nq + 3 * m->nv;
    part.f.at = soa_state_numbers(call, call->f, state, 6 * m->bodies, copy);
    copy += 6 * m->bodies;
    part.g.at = soa_state_numbers(call, call->g, state, 6 * call->points, copy);
    out_at_state(call, &part.y, state);
    out_at_state(call, &part.y2, state);
    out_at_state(call, &part.y3, state);
    out_at_state(call, &part.y4, state);
    return part;
}

/* Runs the states first .. first + count - 1; *status keeps the failure of the first state that fails. */
static void run_part(const soa_workspace *w, soa_kernel *kernel, const soa_call *call, int first, int count,
    soa_status *status, soa_error *error)
{
    soa_status checked[SOA_MAX_LANES];
    soa_error found; /* of the first state whose inputs are bad; a state before it may still be singular */
    bool bad = *status != SOA_OK;
    const bool finite = soa_block_finite(call, first, count);
    for (int i = 0; i < count; i++) {
        /* cppcheck-suppress uninitvar ; it is written there */
        soa_error *to = bad ? NULL : &found;
        checked[i] = finite ? soa_check_quaternions(w, call, first + i, to) : soa_check_state(w, call, first + i, to);
        bad = bad || checked[i] != SOA_OK;
    }
    soa_call part = call->work == w->work_one ? single_of(w, call, first) : part_of(call, first, count);
    part.plain = part.step == 1 && count == w->lanes;
    kernel(&part);
    for (int i = 0; i < count; i++) {
        const bool singular = checked[i] == SOA_OK && part.failed[i] >= 0;
        if (checked[i] == SOA_OK && !singular) {
            continue;
        }
        if (*status == SOA_OK && singular) {
            *status = fail_singular(w, first + i, part.failed[i], error);
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
static soa_status run_one(const soa_workspace *w, soa_kernel_pair pair, soa_call *call, soa_error *error)
{
    call->step = 1;
    soa_status status = soa_check_state(w, call, 0, error);
    call->model = w->model;
    call->lanes_above = pair.lanes;
    call->wide = w->wide;
    call->work = w->work_one;
    call->prepared = true;
    call->lanes = &w->many->work;
    call->work_columns = w->work_many;
    call->count = 1;
    if (status == SOA_OK) {
        pair.one(call);
        status = call->failed[0] < 0 ? SOA_OK : fail_singular(w, 0, call->failed[0], error);
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

/* States in steps of that many: 1 or the lanes. */
static soa_status run_states(
    const soa_workspace *w, soa_kernel_pair pair, int states, int step, const soa_call *call, soa_error *error)
{
    soa_call all = *call;
    soa_status status = SOA_OK;
    all.step = (size_t)step;
    all.model = w->model;
    all.prepared = true;
    all.lanes = &w->many->work;
    all.work_columns = w->work_many;
    all.lanes_above = pair.lanes;
    all.wide = w->wide;
    const bool single = w->lanes == 1 || !pair.many;
    for (int state = 0, count; state < states; state += count) {
        const int left = states - state;
        const bool one = single || (left == 1 && step == 1);
        count = one ? 1 : left < w->lanes ? left : w->lanes;
        all.work = one ? w->work_one : w->work_many;
        run_part(w, one ? pair.one : pair.many, &all, state, count, &status, error);
    }
    return status;
}

static soa_status run(
    const soa_workspace *w, soa_kernel_pair pair, int states, int step, soa_call *call, soa_error *error)
{
    if (states < 0 || (states > 0 && w->model->nq > 0 && !call->q.at)) {
        return soa_fail_states(error);
    }
    const soa_status status = check_points(w, call, error);
    if (status != SOA_OK) {
        return status;
    }
    return states == 1 && step == 1 ? run_one(w, pair, call, error) : run_states(w, pair, states, step, call, error);
}

soa_status soa_run_pair(soa_workspace *workspace, const soa_model *model, soa_kernel_pair pair, int states,
    soa_call *call, soa_error *error)
{
    return workspace->model == model ? run(workspace, pair, states, workspace->step, call, error)
                                     : soa_fail_states(error);
}

static soa_kernel_pair pair_of(const soa_workspace *w, soa_kernel_id kernel)
{
    return (soa_kernel_pair){ w->one->kernel[kernel], w->many->kernel[kernel], NULL };
}

soa_status soa_run(soa_workspace *workspace, const soa_model *model, soa_kernel_id kernel, int states, soa_call *call,
    soa_error *error)
{
    return soa_run_pair(workspace, model, pair_of(workspace, kernel), states, call, error);
}

soa_status soa_run_inside(soa_workspace *workspace, soa_kernel_id kernel, int states, soa_call *call)
{
    return run(workspace, pair_of(workspace, kernel), states, 1, call, NULL);
}
