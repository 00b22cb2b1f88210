/* closure/kinematics.c - violation, Jacobian, rate and bias of the rows. */
#include <string.h>

#include "closure/closure.h"
#include "core/error.h"
#include "spatial/vec3.h"

/* What makes a result of one state, after its inputs have been checked and there is a place for it. */
typedef soa_status make_result(soa_closures *set, const soa_closed_input *in, double *y, soa_error *error);

/* A result with so many numbers for each row, at all states. */
static soa_status make_rows(soa_closures *set, int states, soa_closed_input all, const char *name, int columns,
    make_result *make, double *y, soa_error *error)
{
    soa_each each = soa_each_state(set, states, all, error);
    while (soa_each_next(&each)) {
        const soa_closed_result to = { name, soa_result_at(y, set->rows * columns, each.state), (size_t)columns,
            SOA_BY_ROW };
        soa_status status = soa_check_closed(set, &each.in, each.error);
        if (status == SOA_OK && !to.at && set->rows > 0) {
            status = soa_fail(each.error, SOA_E_ARGUMENT, -1, "there is no place for the result");
        }
        status = status == SOA_OK && to.at ? make(set, &each.in, to.at, each.error) : status;
        soa_each_done(&each, soa_closed_done(set, status, 1, &to, each.error));
    }
    return each.status;
}

soa_status soa_closure_violation(soa_closures *set, int states, const double *q, const double *v, double *position,
    double *velocity, soa_error *error)
{
    soa_each each = soa_each_state(set, states, (soa_closed_input){ .q = q, .v = v }, error);
    while (soa_each_next(&each)) {
        const soa_closed_result y[] = { { "position", soa_result_at(position, set->rows, each.state), 1, SOA_BY_ROW },
            { "velocity", soa_result_at(velocity, set->rows, each.state), 1, SOA_BY_ROW } };
        const soa_status status = soa_check_closed(set, &each.in, each.error);
        if (status == SOA_OK) {
            set->table->locate(set, &each.in);
        }
        for (int i = 0; position && i < set->rows; i++) {
            y[0].at[i] = set->row[i].position;
        }
        for (int i = 0; velocity && i < set->rows; i++) {
            y[1].at[i] = set->row[i].velocity;
        }
        soa_each_done(&each, soa_closed_done(set, status, 2, y, each.error));
    }
    return each.status;
}

static soa_status jacobian_at(soa_closures *set, const soa_closed_input *in, double *J, soa_error *error)
{
    (void)error;
    set->table->locate(set, in);
    set->table->jacobian(set, J);
    return SOA_OK;
}

soa_status soa_closure_jacobian(soa_closures *set, int states, const double *q, double *J, soa_error *error)
{
    return make_rows(set, states, (soa_closed_input){ .q = q }, "J", set ? set->nv : 0, jacobian_at, J, error);
}

/* ---- as an operator on points ---------------------------------------------------------------------- */

/* Whether an end, 2 tie + side, is a point of the operator: a frame on a body that an enabled closure joins. */
static bool is_point(const soa_closures *set, int end)
{
    const soa_tie *tie = &set->tie[end / 2];
    return tie->used && tie->enabled && !tie->coupling && tie->end[end % 2].body != SOA_WORLD;
}

int soa_closure_points(const soa_closures *set, soa_point *point)
{
    int count = 0;
    for (int i = 0; set && i < 2 * set->ties; i++) {
        if (is_point(set, i)) {
            if (point) {
                point[count] = soa_end_point(set, i);
            }
            count++;
        }
    }
    return count;
}

/* V_b at the origin of a is (w; v + w x r), so -W V_b = -(W_w + r x W_v; W_v) (w; v). */
void soa_row_at_end(const double W[6], const double r[3], int side, double A[6])
{
    if (side == 0) {
        memcpy(A, W, 6 * sizeof *A);
        return;
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        A[k] = -(W[k] + r[i] * W[3 + j] - r[j] * W[3 + i]);
        A[3 + k] = -W[3 + k];
    }
}

double soa_end_acceleration(const double A[6], const double V[6], const double a[6])
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        sum += A[i] * a[i] + A[3 + i] * (a[3 + i] - (V[j] * V[3 + k] - V[k] * V[3 + j]));
    }
    return sum;
}

/* A at one state: rows, and six columns for each point. */
static soa_status operator_at(soa_closures *set, const soa_closed_input *in, double *A, soa_error *error)
{
    const int cols = 6 * soa_closure_points(set, NULL);
    if (set->rows == 0) {
        return SOA_OK;
    }
    for (int i = 0; i < set->ties; i++) {
        if (set->systems > 1 || (set->tie[i].used && set->tie[i].enabled && set->tie[i].coupling)) {
            return soa_fail(error, SOA_E_UNSUPPORTED, -1,
                "closures of several systems, and couplings of joints, are no operator on points");
        }
    }
    set->table->locate(set, in);
    memset(A, 0, (size_t)set->rows * (size_t)cols * sizeof *A);
    for (int i = 0, at = 0; i < 2 * set->ties; i++) {
        const soa_tie *tie = &set->tie[i / 2];
        for (int row = tie->first; is_point(set, i) && row < tie->first + tie->rows; row++) {
            double *to = A + (size_t)row * (size_t)cols + at;
            soa_row_at_end(set->row[row].W, set->place[i / 2].r, i % 2, to);
        }
        at += is_point(set, i) ? 6 : 0;
    }
    return SOA_OK;
}

soa_status soa_closure_operator(soa_closures *set, int states, const double *q, double *A, soa_error *error)
{
    const int cols = 6 * soa_closure_points(set, NULL);
    return make_rows(set, states, (soa_closed_input){ .q = q }, "A", cols, operator_at, A, error);
}

static soa_status bias_at(soa_closures *set, const soa_closed_input *in, double *bias, soa_error *error)
{
    (void)error;
    set->table->locate(set, in);
    set->table->accelerate(set, in, NULL, bias);
    return SOA_OK;
}

soa_status soa_closure_bias(
    soa_closures *set, int states, const double *q, const double *v, double *bias, soa_error *error)
{
    return make_rows(set, states, (soa_closed_input){ .q = q, .v = v }, "bias", 1, bias_at, bias, error);
}

/* ---- rate ---------------------------------------------------------------------------------- */

/* J and dJ/dt (6 x nv) of the point of an end's body at p, mixed axes. r_dot: the point moves over the body with the
 * velocity `over`, so that dJ/dt of the linear rows gains w x over. */
static soa_status point_rates(const soa_part *part, soa_point frame, const double p[3], const double *q,
    const double *v, double *J, double *J_dot, soa_error *error)
{
    const soa_model *m = part->model;
    const soa_point origin = { frame.link, soa_pose_identity(), frame.node };
    soa_pose world;
    soa_status status = soa_point_kinematics(
        m, part->workspace, 1, &origin, 1, q, NULL, NULL, &world.rotation[0][0], NULL, NULL, error);
    if (status != SOA_OK) {
        return status;
    }
    const soa_pose there = { { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } }, { p[0], p[1], p[2] } };
    const soa_pose inverse = soa_pose_inverse(&world);
    const soa_point point = { frame.link, soa_pose_compose(&inverse, &there), frame.node };
    status = soa_jacobian(m, part->workspace, 1, &point, SOA_AXES_MIXED, 1, q, J, error);
    return status == SOA_OK ? soa_jacobian_rate(m, part->workspace, 1, &point, SOA_AXES_MIXED, 1, q, v, J_dot, error)
                            : status;
}

/* Adds sign (W_dot J + W dJ/dt) of one end to the rows. The point at which b is taken moves over b with `over`. */
static void add_rates(const soa_closures *set, const soa_tie *tie, const soa_part *part, double sign, vec3 over,
    const double *J, const double *J_dot, double *out)
{
    const size_t n = (size_t)part->model->nv;
    for (size_t c = 0; c < n; c++) {
        const vec3 w = { J[c], J[n + c], J[2 * n + c] }, across = vec3_cross(w, over);
        const double moved[6] = { 0.0, 0.0, 0.0, across.x, across.y, across.z };
        for (int r = 0; r < tie->rows; r++) {
            const soa_row *row = &set->row[tie->first + r];
            double sum = 0.0;
            for (size_t i = 0; i < 6; i++) {
                sum += row->W_dot[i] * J[i * n + c] + row->W[i] * (J_dot[i * n + c] + moved[i]);
            }
            out[(size_t)(tie->first + r) * (size_t)set->nv + (size_t)part->v + c] += sign * sum;
        }
    }
}

static soa_status tie_rates(soa_closures *set, int i, const double *q, const double *v, double *J_dot, soa_error *error)
{
    const soa_tie *tie = &set->tie[i];
    const soa_tie_place *p = &set->place[i];
    for (int side = 0; side < 2; side++) {
        const soa_end *end = &tie->end[side];
        if (end->node == SOA_NO_NODE) {
            continue;
        }
        const soa_part *part = &set->part[end->system];
        if (tie->coupling) {
            J_dot[(size_t)tie->first * (size_t)set->nv + (size_t)(part->v + end->v)] +=
                set->row[tie->first].W_dot[side];
            continue;
        }
        double *J = set->scratch.vector, *rate = set->scratch.vector + 6 * part->model->nv;
        const soa_status status =
            point_rates(part, soa_end_point(set, 2 * i + side), p->p, q + part->q, v + part->v, J, rate, error);
        if (status != SOA_OK) {
            return status;
        }
        const vec3 over = side == 1 ? vec3_sub(vec3_set(p->v_a), vec3_set(p->v_b)) : vec3_zero();
        add_rates(set, tie, part, side == 0 ? 1.0 : -1.0, over, J, rate, J_dot);
    }
    return SOA_OK;
}

static soa_status rate_at(soa_closures *set, const soa_closed_input *in, double *J_dot, soa_error *error)
{
    soa_status status = SOA_OK;
    memset(J_dot, 0, (size_t)set->rows * (size_t)set->nv * sizeof *J_dot);
    set->table->locate(set, in);
    for (int i = 0; in->v && status == SOA_OK && i < set->ties; i++) { /* at rest J does not change */
        if (set->tie[i].enabled) {
            status = tie_rates(set, i, in->q, in->v, J_dot, error);
        }
    }
    return status;
}

soa_status soa_closure_jacobian_rate(
    soa_closures *set, int states, const double *q, const double *v, double *J_dot, soa_error *error)
{
    const soa_closed_input all = { .q = q, .v = v };
    return make_rows(set, states, all, "J_dot", set ? set->nv : 0, rate_at, J_dot, error);
}
