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

/* `part`, a copy of the call, becomes that for count states from `first` on; with a step, first is a multiple of it. */
static void take_part(soa_call *part, const soa_call *call, int first, int count)
{
    part->count = count;
    part->q = in_from(call->q, first);
    part->v = in_from(call->v, first);
    part->u = in_from(call->u, first);
    part->x = in_from(call->x, first);
    part->f = in_from(call->f, first);
    part->g = in_from(call->g, first);
    part->y = out_from(call->y, first);
    part->y2 = out_from(call->y2, first);
    part->y3 = out_from(call->y3, first);
    part->y4 = out_from(call->y4, first);
}

/* Of a state of a block. */
static soa_out out_of_state(const soa_call *call, soa_out out, int state)
{
    return (soa_out){ out.at ? out.at + soa_state_at(call->step, out.stride, state) : NULL, out.stride };
}

/* The same for one state by a kernel for one state. */
static void take_single(const soa_workspace *w, soa_call *part, const soa_call *call, int state)
{
    if (call->step == 1) {
        take_part(part, call, state, 1);
        return;
    }
    const soa_model *m = w->model;
    double *copy = w->state;
    part->count = 1;
    part->q.at = soa_state_numbers(call, call->q, state, m->nq, copy);
    part->v.at = soa_state_numbers(call, call->v, state, m->nv, copy + m->nq);
    part->u.at = soa_state_numbers(call, call->u, state, m->nv, copy + m->nq + m->nv);
    part->x.at = soa_state_numbers(call, call->x, state, m->nv, copy + m->nq + 2 * m->nv);
    copy += m->nq + 3 * m->nv;
    part->f.at = soa_state_numbers(call, call->f, state, 6 * m->bodies, copy);
    copy += 6 * m->bodies;
    part->g.at = soa_state_numbers(call, call->g, state, 6 * call->points, copy);
    part->y = out_of_state(call, call->y, state);
    part->y2 = out_of_state(call, call->y2, state);
    part->y3 = out_of_state(call, call->y3, state);
    part->y4 = out_of_state(call, call->y4, state);
}

/* Whether every input reaches an output by sums and products alone, so that the outputs tell if
 * something was not finite, and the inputs are still there to be asked what. */
static bool outputs_tell(const soa_workspace *w, soa_kernel_pair pair, const soa_call *call)
{
    soa_kernel *const *one = w->one->kernel;
    const double *y = call->y.at;
    return (pair.one == one[SOA_KERNEL_forward_dynamics] || pair.one == one[SOA_KERNEL_inverse_dynamics] ||
               pair.one == one[SOA_KERNEL_mass_multiply]) &&
           y && !call->f.at && y != call->q.at && y != call->v.at && y != call->u.at;
}

/* What is wrong with the inputs of some states. */
typedef struct findings {
    soa_status status[SOA_MAX_LANES];
    bool any;
    soa_error first; /* of the first state whose inputs are bad; a state before it may still be singular */
} findings;

static void find(findings *found, int i, soa_status status)
{
    found->status[i] = status;
    found->any = found->any || status != SOA_OK;
}

/* Before the kernel runs: all of the inputs, or but the quaternions if the outputs tell the rest. */
static void check_before(const soa_workspace *w, const soa_call *call, int first, int count, bool tell, findings *found)
{
    const bool finite = tell || soa_block_finite(call, first, count);
    for (int i = 0; i < count; i++) {
        soa_error *to = found->any ? NULL : &found->first;
        find(
            found, i, finite ? soa_check_quaternions(w, call, first + i, to) : soa_check_state(w, call, first + i, to));
    }
}

/* After it has run: the states whose outputs tell that something is wrong. */
static void check_after(const soa_workspace *w, const soa_call *call, const soa_call *part, int first, findings *found)
{
    found->any = false;
    for (int i = 0; i < part->count; i++) {
        soa_error *to = found->any ? NULL : &found->first;
        if (part->rest[i] == 0.0 && part->failed[i] < 0 && found->status[i] == SOA_OK) {
            continue;
        }
        find(found, i, soa_check_state(w, call, first + i, to));
    }
}

/* Whether all went well, in one look. */
static bool all_well(const soa_call *part, bool tell, const findings *found)
{
    /* cppcheck-suppress ctuuninitvar ; any and status are written, the error only if there is one */
    bool well = !found->any;
    for (int i = 0; i < part->count; i++) {
        well = well && part->failed[i] < 0 && (!tell || part->rest[i] == 0.0);
    }
    return well;
}

/* Runs the states first .. first + count - 1; *status keeps the failure of the first state that fails.
 * part: a copy of call. */
static void run_part(const soa_workspace *w, soa_kernel_pair pair, const soa_call *call, soa_call *part, int first,
    soa_status *status, soa_error *error)
{
    const bool single = part->work == w->work_one, tell = outputs_tell(w, pair, call);
    const int count = part->count;
    findings found;
    found.any = false;
    for (int i = 0; i < count; i++) {
        found.status[i] = SOA_OK;
    }
    if (single) {
        take_single(w, part, call, first);
        part->unit = w->model->quaternions == 0;
    } else {
        take_part(part, call, first, count);
        part->plain = part->step == 1 && count == w->lanes;
        w->many->gather(part);
    }
    if (!tell || !part->unit) {
        check_before(w, call, first, count, tell, &found);
    }
    (single ? pair.one : pair.many)(part);
    if (all_well(part, tell, &found)) {
        return;
    }
    if (tell) {
        check_after(w, call, part, first, &found);
    }
    for (int i = 0; i < count; i++) {
        const bool good = found.status[i] == SOA_OK, singular = good && part->failed[i] >= 0;
        if (good && !singular) {
            continue;
        }
        if (*status == SOA_OK && singular) {
            *status = fail_singular(w, first + i, part->failed[i], error);
        } else if (*status == SOA_OK) {
            *status = found.status[i];
            if (error) {
                *error = found.first;
            }
        }
        spoil_state(call, first + i);
    }
}

/* One state: nothing to divide, nothing to copy. */
static soa_status run_one(const soa_workspace *w, soa_kernel_pair pair, soa_call *call, soa_error *error)
{
    const bool tell = outputs_tell(w, pair, call);
    call->step = 1;
    soa_status status = tell ? soa_check_quaternions(w, call, 0, error) : soa_check_state(w, call, 0, error);
    call->model = w->model;
    call->lanes_above = pair.lanes;
    call->squares = w->squares;
    call->factors = w->factors;
    call->work = w->work_one;
    call->prepared = true;
    call->lanes = &w->work;
    call->work_columns = w->work_many;
    call->count = 1;
    if (status == SOA_OK) {
        pair.one(call);
        if (tell && (call->rest[0] != 0.0 || call->failed[0] >= 0)) {
            status = soa_check_state(w, call, 0, error);
        }
    }
    if (status == SOA_OK && call->failed[0] >= 0) {
        status = fail_singular(w, 0, call->failed[0], error);
    }
    if (status != SOA_OK) {
        spoil_state(call, 0);
    }
    return status;
}

/* Points on links that exist, at places that are poses, and room for them. */
static soa_status check_points(const soa_workspace *w, const soa_call *call, soa_error *error)
{
    if (call->points == 0) {
        return SOA_OK;
    }
    if (call->points < 0 || !call->point) {
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
    all.lanes = &w->work;
    all.work_columns = w->work_many;
    all.lanes_above = pair.lanes;
    all.squares = w->squares;
    all.factors = w->factors;
    const bool single = w->lanes == 1 || !pair.many;
    soa_call part = all;
    for (int state = 0, count; state < states; state += count) {
        const int left = states - state;
        const bool one = single || (left == 1 && step == 1);
        count = one ? 1 : left < w->lanes ? left : w->lanes;
        part.work = one ? w->work_one : w->work_many;
        part.count = count;
        part.more = left >= 2 * w->lanes;
        run_part(w, pair, &all, &part, state, &status, error);
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
