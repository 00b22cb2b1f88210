/* dynamics/check.c - the arguments of a call, and the inputs of a state: finite numbers, unit quaternions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/finite.h"
#include "dynamics/kernels.h"

/* ---- arguments --------------------------------------------------------------------------- */

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
        "the model or the workspace is missing, the workspace is not of this model, the number of states is negative, "
        "or q "
        "or the result is missing");
}

const double *soa_state_numbers(const soa_call *call, soa_in in, int state, int n, double *copy)
{
    const double *from = in.at ? in.at + soa_state_at(call->spacing, in.stride, state) : NULL;
    if (!from || (call->spacing == 1 && !call->aliased)) {
        return from;
    }
    for (int i = 0; i < n; i++) {
        copy[i] = from[(size_t)i * call->spacing];
    }
    return copy;
}

soa_status soa_check_call_points(const soa_workspace *w, soa_call *call, soa_error *error)
{
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
        if (point->node != 0) {
            char item[32];
            snprintf(item, sizeof item, "point %d", i);
            const soa_status status =
                soa_check_node(&w->model->description, point->link, point->node, item, (soa_source){ NULL, 0 }, error);
            if (status != SOA_OK) {
                return status;
            }
        }
        call->small = call->small && soa_all_small(point->at.position, 3);
    }
    return SOA_OK;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Whether n numbers, spacing apart, are finite: x - x is zero for a finite x and NaN for any other, and NaN stays. */
static bool all_finite_by(const double *x, int n, size_t spacing)
{
    double a = 0.0;
    for (int i = 0; i < n; i++) {
        a += x[(size_t)i * spacing] - x[(size_t)i * spacing];
    }
    return a == 0.0;
}

static inline bool state_finite(const soa_call *call, soa_in in, int state, int n)
{
    if (!in.at) {
        return true;
    }
    const double *x = in.at + soa_state_at(call->spacing, in.stride, state);
    return __builtin_expect(call->spacing == 1, 1) ? soa_all_finite(x, (size_t)n) : all_finite_by(x, n, call->spacing);
}

/* ---- what is wrong -------------------------------------------------------------------- */

int soa_body_of_number(const soa_model *m, int i, bool coordinates)
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
    const double *x = in.at + soa_state_at(call->spacing, in.stride, state);
    int i = 0;
    while (isfinite(*x)) {
        x += call->spacing;
        i++;
    }
    const int body = what[0] == 'f' ? i / 6 : soa_body_of_number(w->model, i, what[0] == 'q');
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

/* Hybrid dynamics reads the given numbers of T and vdot alone, so only these must be finite. */
static soa_status check_prescribed_numbers(const soa_workspace *w, const soa_call *call, int state, soa_error *error)
{
    const double *T = call->y.at + soa_state_at(call->spacing, call->y.stride, state);
    const double *vdot = call->y2.at + soa_state_at(call->spacing, call->y2.stride, state);
    for (int i = 0; i < w->model->nv; i++) {
        const bool given = call->prescribed[i];
        const double x = (given ? vdot : T)[(size_t)i * call->spacing];
        if (!isfinite(x)) {
            return fail_number(w, state, given ? "vdot" : "T", x, soa_body_of_number(w->model, i, false), i, error);
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

/* The test of soa_check_configuration for the quaternions of a state, its numbers spacing apart; tighter than what is
 * refused, which the slow test decides. The positions of free bodies must be finite too: no force tells where they
 * are. */
static inline bool quaternions_valid(const soa_model *m, const double *of_state, size_t spacing)
{
    for (int i = 0; i < m->quaternions; i++) {
        const soa_body_data *body = &m->body[m->quaternion[i]];
        const double *q = of_state + (size_t)body->q * spacing;
        double n =
            q[0] * q[0] + q[spacing] * q[spacing] + q[2 * spacing] * q[2 * spacing] + q[3 * spacing] * q[3 * spacing];
        if (body->nv == 6) {
            n += 0.0 * (q[4 * spacing] + q[5 * spacing] + q[6 * spacing]);
        }
        if (!(fabs(n - 1.0) < 1e-6)) {
            return false;
        }
    }
    return true;
}

soa_status soa_check_quaternions(const soa_workspace *w, const soa_call *call, int state, soa_error *error)
{
    if (w->model->quaternions == 0 ||
        quaternions_valid(w->model, call->q.at + soa_state_at(call->spacing, call->q.stride, state), call->spacing)) {
        return SOA_OK;
    }
    if (!state_finite(call, call->q, state, w->model->nq)) {
        return find_number(w, call, state, "q", call->q, error);
    }
    const soa_status status =
        soa_check_configuration(w->model, soa_state_numbers(call, call->q, state, w->model->nq, w->state), error);
    return status == SOA_OK ? SOA_OK : soa_at_state(status, w, state, error);
}

soa_status soa_check_state(const soa_workspace *w, const soa_call *call, int state, soa_error *error)
{
    const soa_status status = check_numbers(w, call, state, error);
    return status == SOA_OK ? soa_check_quaternions(w, call, state, error) : status;
}

/* ---- small numbers ---------------------------------------------------------------------------- */

static bool small_by(const double *x, int n, size_t spacing)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[(size_t)i * spacing] * x[(size_t)i * spacing];
    }
    return sum < SOA_SMALL * SOA_SMALL;
}

static inline bool input_small(const soa_call *call, soa_in in, int state, int n)
{
    if (!in.at) {
        return true;
    }
    const double *x = in.at + soa_state_at(call->spacing, in.stride, state);
    return __builtin_expect(call->spacing == 1, 1) ? soa_all_small(x, (size_t)n) : small_by(x, n, call->spacing);
}

bool soa_state_small(const soa_workspace *w, const soa_call *call, int state)
{
    const soa_model *m = w->model;
    return input_small(call, call->q, state, m->nq) && input_small(call, call->v, state, m->nv) &&
           input_small(call, call->u, state, m->nv) && input_small(call, call->x, state, m->nv) &&
           input_small(call, call->f, state, 6 * m->bodies) && input_small(call, call->g, state, 6 * call->points) &&
           !call->prescribed &&
           (m->quaternions == 0 ||
               quaternions_valid(m, call->q.at + soa_state_at(call->spacing, call->q.stride, state), call->spacing));
}

bool soa_block_small(const soa_call *call, int first, int count)
{
    const int lanes = (int)call->spacing;
    bool small = lanes > 1 && count == lanes && !call->prescribed;
    for (int i = 0; i < SOA_INPUTS && small; i++) {
        const soa_in in = call->in[i];
        small = !in.at || soa_all_small(in.at + (size_t)first * in.stride, (size_t)lanes * in.stride);
    }
    return small;
}

static bool small_body(const soa_body_data *body)
{
    const double single[] = { body->armature, body->pitch };
    return soa_all_small(body->inertia, 10) && soa_all_small(body->axis, 3) && soa_all_small(single, 2) &&
           soa_all_small(soa_is_screw(body) ? body->screw.l : body->at.position, 3) &&
           soa_all_small(body->rest->gear, 3) && soa_all_small(body->rest->at.position, 3) &&
           soa_all_small(body->rest->frame.position, 3);
}

bool soa_model_small(const soa_model *m)
{
    bool small = soa_all_small(m->description.gravity, 3);
    for (int k = 0; k < m->bodies; k++) {
        small = small && small_body(&m->body[k]);
    }
    for (int i = 0; i < m->description.link.count; i++) {
        small = small && soa_all_small(m->place[i].at.position, 3);
    }
    return small;
}
