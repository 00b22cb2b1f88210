/* dynamics/run.c - running a kernel on many states: lanes, failures. */
#include "core/error.h"
#include "core/finite.h"
#include "dynamics/kernels.h"

/* ---- failure ----------------------------------------------------------------------------- */

soa_status soa_fail_singular(const soa_workspace *w, int state, int body, soa_error *error)
{
    const soa_model *m = w->model;
    if (body == m->bodies) {
        return soa_at_state(soa_fail(error, SOA_E_SINGULAR, -1,
                                "state %d: nothing that moves has mass, so there is no centre of mass; give a link "
                                "that moves a mass",
                                w->first + state),
            w, state, error);
    }
    const soa_link *link = soa_description_link(&m->description, m->body[body].rest->link);
    return soa_at_state(soa_fail(error, SOA_E_SINGULAR, body,
                            "state %d: some motion of the joint of link '%s' moves nothing that has inertia; give the "
                            "link mass or armature",
                            w->first + state, link->name),
        w, state, error);
}

/* ---- run -------------------------------------------------------------------------------- */

/* `part`, a copy of the call, becomes that for count states from `first` on; first is a multiple of the spacing. */
static void take_part(soa_call *part, const soa_call *call, int first, int count)
{
    part->count = count;
    for (int i = 0; i < SOA_INPUTS; i++) {
        const soa_in in = call->in[i];
        part->in[i].at = in.at ? in.at + (size_t)first * in.stride : NULL;
    }
    for (int i = 0; i < SOA_OUTPUTS; i++) {
        const soa_out out = call->out[i];
        part->out[i].at = out.at ? out.at + (size_t)first * out.stride : NULL;
    }
}

/* `part` becomes that for one state by a kernel for one state; its inputs are copied if they are not next to each other
 * or would be overwritten. */
static void take_single(const soa_workspace *w, soa_call *part, const soa_call *call, int state)
{
    if (call->spacing == 1 && !call->aliased) {
        take_part(part, call, state, 1);
        return;
    }
    const soa_model *m = w->model;
    const int numbers[SOA_INPUTS] = { m->nq, m->nv, m->nv, m->nv, 6 * m->bodies, 6 * call->points, 0 };
    double *copy = w->state;
    part->count = 1;
    for (int i = 0; i < SOA_INPUTS; i++) {
        part->in[i].at = soa_state_numbers(call, call->in[i], state, numbers[i], copy);
        copy += numbers[i];
    }
    for (int i = 0; i < SOA_OUTPUTS; i++) {
        const soa_out out = call->out[i];
        part->out[i].at = out.at ? out.at + soa_state_at(call->spacing, out.stride, state) : NULL;
    }
}

/* Whether an output is an input too. */
static inline bool is_input(const soa_call *call, const double *y)
{
    return y && (y == call->q.at || y == call->v.at || y == call->u.at || y == call->x.at || y == call->f.at ||
                    y == call->g.at);
}

static inline __attribute__((always_inline)) bool is_aliased(const soa_call *call)
{
    return is_input(call, call->y.at) || is_input(call, call->y2.at) || is_input(call, call->y3.at) ||
           is_input(call, call->y4.at);
}

/* Whether the inputs need not be looked at before the kernel runs: its outputs tell if something was not finite, and
 * the inputs are still there to be asked what. External forces, and the
 * velocity of a joint that slides on the world, need not reach an output. */
static bool outputs_tell(const soa_workspace *w, const soa_kernel_info *info, const soa_call *call)
{
    return info && info->tells && call->y.at && !call->f.at && !call->aliased && !(w->slides && call->v.at);
}

/* What is wrong with the inputs of some states. */
typedef struct findings {
    soa_status status[SOA_MAX_LANES];
    bool any;
    bool small;      /* all inputs are */
    soa_error first; /* of the first state whose inputs are bad; a state before it may still be singular */
} findings;

static void find(findings *found, int i, soa_status status)
{
    found->status[i] = status;
    found->any = found->any || status != SOA_OK;
}

/* Before the kernel runs: all of the inputs, or the quaternions alone if the outputs tell the rest. */
static void check_before(const soa_workspace *w, const soa_call *call, int first, int count, bool tell, findings *found)
{
    const bool look = tell || (found->small && soa_block_small(call, first, count));
    for (int i = 0; i < count; i++) {
        soa_error *to = found->any ? NULL : &found->first;
        if (look) {
            find(found, i, soa_check_quaternions(w, call, first + i, to));
        } else if (!soa_state_small(w, call, first + i)) {
            found->small = false;
            find(found, i, soa_check_state(w, call, first + i, to));
        }
    }
}

/* After it has run: the inputs of the states whose outputs tell that something is wrong. */
static void check_after(const soa_workspace *w, const soa_call *call, const soa_call *part, int first, findings *found)
{
    found->any = false;
    for (int i = 0; i < part->count; i++) {
        soa_error *to = found->any ? NULL : &found->first;
        /* run_part has set all of status. NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
        if (part->taint[i] == 0.0 && part->failed[i] < 0 && found->status[i] == SOA_OK) {
            continue;
        }
        find(found, i, soa_check_state(w, call, first + i, to));
    }
}

/* Whether the kernel did not fail at any of `count` states and its outputs are finite, in one look. */
static inline bool all_well(const soa_workspace *w, const soa_kernel_info *info, const soa_call *part, int count)
{
    const bool tells = info && info->tells;
    for (int i = 0; i < count; i++) {
        if (part->failed[i] >= 0 || (tells && part->taint[i] != 0.0)) {
            return false;
        }
    }
    return tells || soa_outputs_finite(w, info ? info->bound : SOA_UNBOUNDED, part);
}

/* The kernel failed at state number i of a part that begins at `first`, or a number that it made is not finite. */
static soa_status check_run(const soa_workspace *w, const soa_kernel_info *info, const soa_call *call,
    const soa_call *part, int first, int i, soa_error *error)
{
    return part->failed[i] >= 0 ? soa_fail_singular(w, first + i, part->failed[i], error)
                                : soa_check_outputs(w, info, call, first + i, error);
}

/* Runs the states first .. first + count - 1; *status keeps the failure of the first state that fails.
 * part: a copy of call. */
static void run_part(const soa_workspace *w, const soa_kernel_pair *pair, const soa_call *call, soa_call *part,
    int first, soa_status *status, soa_error *error)
{
    const bool single = part->work == w->work_one, tell = outputs_tell(w, pair->info, call);
    const int count = part->count;
    findings found; /* its error is written only if there is one */
    found.any = false;
    found.small = call->small;
    for (int i = 0; i < count; i++) {
        found.status[i] = SOA_OK;
    }
    if (single) {
        take_single(w, part, call, first);
        part->unit = w->model->quaternions == 0;
    } else {
        take_part(part, call, first, count);
        part->whole = part->spacing == 1 && count == w->lanes;
        w->many->gather(part);
    }
    if (!tell || !part->unit) {
        check_before(w, call, first, count, tell, &found);
    }
    part->small = found.small;
    (single ? pair->one : pair->many)(part);
    /* cppcheck-suppress ctuuninitvar ; any and status are written, the error only if there is one */
    if (all_well(w, pair->info, part, count) && !found.any) {
        return;
    }
    if (tell) {
        check_after(w, call, part, first, &found);
    }
    for (int i = 0; i < count; i++) {
        soa_error *to = *status == SOA_OK ? error : NULL;
        soa_status failed = found.status[i];
        if (failed == SOA_OK) {
            failed = check_run(w, pair->info, call, part, first, i, to);
        } else if (to) {
            *to = found.first;
        }
        if (failed != SOA_OK) {
            soa_spoil_state(call, first + i);
        }
        *status = *status == SOA_OK ? failed : *status;
    }
}

/* What of a call is the same for all states. */
static inline void set_context(const soa_workspace *w, const soa_kernel_pair *pair, int spacing, soa_call *call)
{
    call->spacing = (size_t)spacing;
    call->model = w->model;
    call->prepared = true;
    call->lanes = &w->work;
    call->lanes_above = pair->lanes;
    call->work = w->work_one;
    call->work_columns = w->work_many;
    call->squares = w->squares;
    call->factors = w->factors;
    call->count = 1;
}

/* One state: nothing to divide, nothing to copy. */
static inline __attribute__((always_inline)) soa_status run_one(
    const soa_workspace *w, const soa_kernel_pair *pair, soa_call *call, soa_error *error)
{
    const bool tell = outputs_tell(w, pair->info, call);
    set_context(w, pair, 1, call);
    soa_status status = SOA_OK;
    if (tell) {
        status = w->model->quaternions == 0 ? SOA_OK : soa_check_quaternions(w, call, 0, error);
    } else if (!soa_state_small(w, call, 0)) {
        call->small = false;
        status = soa_check_state(w, call, 0, error);
    }
    if (status == SOA_OK) {
        pair->one(call);
        if (all_well(w, pair->info, call, 1)) {
            return SOA_OK;
        }
        status = tell ? soa_check_state(w, call, 0, error) : SOA_OK;
        status = status == SOA_OK ? check_run(w, pair->info, call, call, 0, 0, error) : status;
    }
    if (status != SOA_OK) {
        soa_spoil_state(call, 0);
    }
    return status;
}

/* All states of a call; spacing: 1 or the lanes. */
static soa_status run_states(
    const soa_workspace *w, const soa_kernel_pair *pair, int states, int spacing, soa_call *call, soa_error *error)
{
    soa_status status = SOA_OK;
    set_context(w, pair, spacing, call);
    const bool single = w->lanes == 1 || !pair->many;
    soa_call part = *call;
    for (int state = 0, count; state < states; state += count) {
        const int left = states - state;
        const bool one = single || (left == 1 && spacing == 1);
        count = one ? 1 : left < w->lanes ? left : w->lanes;
        part.work = one ? w->work_one : w->work_many;
        part.count = count;
        part.more = left >= 2 * w->lanes;
        run_part(w, pair, call, &part, state, &status, error);
    }
    return status;
}

/* Inlined: for one state of a small model what is around the kernel counts. */
static inline __attribute__((always_inline)) soa_status run(
    const soa_workspace *w, const soa_kernel_pair *pair, int states, int spacing, soa_call *call, soa_error *error)
{
    if (states < 0 || (states > 0 && w->model->nq > 0 && !call->q.at)) {
        return soa_fail_states(error);
    }
    call->small = w->small;
    const soa_status status = call->points == 0 ? SOA_OK : soa_check_call_points(w, call, error);
    if (status != SOA_OK) {
        return status;
    }
    double none = 0.0; /* where outputs without numbers are: a model may have no velocity */
    for (int i = 0; w->model->nv == 0 && i < SOA_OUTPUTS - 1; i++) {
        call->out[i].at = !call->out[i].at && call->out[i].stride == 0 ? &none : call->out[i].at;
    }
    call->aliased = is_aliased(call);
    return states == 1 && spacing == 1 && !call->aliased ? run_one(w, pair, call, error)
                                                         : run_states(w, pair, states, spacing, call, error);
}

soa_status soa_run_pair(soa_workspace *workspace, const soa_model *model, const soa_kernel_pair *pair, int states,
    soa_call *call, soa_error *error)
{
    return model && workspace && workspace->model == model
               ? run(workspace, pair, states, workspace->spacing, call, error)
               : soa_fail_states(error);
}

static const soa_kernel_info INFO[SOA_KERNELS] = {
#define KERNEL_INFO(name, ...) [SOA_KERNEL_##name] = { __VA_ARGS__ },
    SOA_KERNEL_LIST(KERNEL_INFO) SOA_SINGLE_KERNEL_LIST(KERNEL_INFO) SOA_FLEXIBLE_KERNEL_LIST(KERNEL_INFO)
#undef KERNEL_INFO
};

static inline soa_kernel_pair pair_of(const soa_workspace *w, soa_kernel_id kernel)
{
    return (soa_kernel_pair){ w->one->kernel[kernel], w->many->kernel[kernel], NULL, &INFO[kernel] };
}

/* The numbers per state of every array of the call. SOA_E_ARGUMENT: an output that must be there is not, or none is. */
static inline soa_status set_strides(
    const soa_model *m, const soa_kernel_info *info, int states, soa_call *call, soa_error *error)
{
    const size_t nv = (size_t)m->nv;
    bool any = states == 0;
    if (states != 1) { /* of a single state the inputs begin where they are */
        call->q.stride = (size_t)m->nq;
        call->v.stride = call->u.stride = call->x.stride = nv;
        call->f.stride = 6 * (size_t)m->bodies;
        call->g.stride = 6 * (size_t)(call->points > 0 ? call->points : 0);
        call->M.stride = (size_t)soa_varied_numbers(m);
    }
    for (int i = 0; i < SOA_OUTPUTS && info->y[i].shape != SOA_NO_OUTPUT; i++) {
        const soa_result *y = &info->y[i];
        const size_t n = y->shape == SOA_PER_VELOCITY ? nv : soa_shape_numbers(m, call, y->shape);
        call->out[i].stride = n;
        any = any || call->out[i].at || !y->optional;
        if (!call->out[i].at && !y->optional && n > 0 && states > 0) {
            return soa_fail(error, SOA_E_ARGUMENT, -1, "the result %s is missing; give an array for it", y->name);
        }
    }
    return any ? SOA_OK : soa_fail(error, SOA_E_ARGUMENT, -1, "no result is asked for; give an array for one");
}

soa_status soa_run(soa_workspace *workspace, const soa_model *model, soa_kernel_id kernel, int states, soa_call *call,
    soa_error *error)
{
    if (!model || !workspace || workspace->model != model) {
        return soa_fail_states(error);
    }
    const soa_status status = set_strides(model, &INFO[kernel], states, call, error);
    if (status != SOA_OK) {
        return status;
    }
    const soa_kernel_pair pair = pair_of(workspace, kernel);
    return run(workspace, &pair, states, workspace->spacing, call, error);
}

soa_status soa_run_inside(soa_workspace *workspace, soa_kernel_id kernel, int states, soa_call *call)
{
    const soa_kernel_pair pair = pair_of(workspace, kernel);
    return run(workspace, &pair, states, 1, call, NULL);
}
