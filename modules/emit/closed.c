/* emit/closed.c - forward dynamics with closures and couplings: rows are solved in an order chosen beforehand.
 *
 *     Mass vdot + C = tau + J* lambda,   J vdot + bias = 0,   S = J Mass^-1 J*
 *     vdot = free + Mass^-1 J* lambda,   free = Mass^-1 (tau - C),   S lambda = -(J free + bias) */
#include "emit/closed.h"
#include "closure/closure.h"
#include "emit/trace_closure.h"

typedef struct closed {
    emit_job *job;
    soa_closures *set;
    int rows, nv;
    soa_point *point;
    double *pose, *velocity, *acceleration, *J_points; /* of the frames that closures join */
    double *J, *bias;                                  /* rows x nv, rows */
    double *X;                                         /* Mass^-1 J*, nv x rows */
    double *S, *scale, *right; /* the equations, rows in their order; S as it was, on its diagonal */
} closed;

static double apply(const closed *c, tape_op op, double a, double b)
{
    return tape_apply(&c->job->t, op, a, b, 0.0);
}

/* sum + a b */
static double add_product(const closed *c, double sum, double a, double b)
{
    return apply(c, TAPE_ADD, sum, apply(c, TAPE_MUL, a, b));
}

/* sum - a b */
static double subtract_product(const closed *c, double sum, double a, double b)
{
    return apply(c, TAPE_SUB, sum, apply(c, TAPE_MUL, a, b));
}

/* ---- rows --------------------------------------------------------------------------------------- */

/* The frames of a closure; *point: the next of the set, moved on. Returns which point each end is, -1: on the world. */
static void take_ends(const closed *c, const soa_tie *tie, int *point, trace_end end[2], int at[2])
{
    const soa_end *of[2] = { &tie->end[0], &tie->end[1] };
    memset(end, 0, 2 * sizeof *end);
    for (int side = 0; side < 2; side++) {
        at[side] = -1;
        if (of[side]->body == SOA_WORLD) {
            memcpy(end[side].pose, &of[side]->at, sizeof end[side].pose);
            continue;
        }
        const int i = at[side] = (*point)++;
        memcpy(end[side].pose, c->pose + 12 * i, sizeof end[side].pose);
        memcpy(end[side].velocity, c->velocity + 6 * i, sizeof end[side].velocity);
        memcpy(end[side].acceleration, c->acceleration + 6 * i, sizeof end[side].acceleration);
    }
}

static void put_closure(closed *c, const soa_tie *tie, int *point)
{
    trace_end end[2];
    trace_rows rows;
    int at[2];
    take_ends(c, tie, point, end, at);
    trace_closure(&c->job->t, &tie->closure, tie->rows, end, &rows);
    for (int r = 0; r < tie->rows; r++) {
        c->bias[tie->first + r] = rows.bias[r];
        for (int i = 0; i < 12; i++) {
            const int side = i / 6;
            for (int k = 0; at[side] >= 0 && k < c->nv; k++) {
                double *to = &c->J[(tie->first + r) * c->nv + k];
                *to = add_product(c, *to, rows.on[side][r][i % 6], c->J_points[(6 * at[side] + i % 6) * c->nv + k]);
            }
        }
    }
}

static void put_coupling(closed *c, const soa_tie *tie)
{
    double *J = c->J + tie->first * c->nv, slope = 0.0;
    J[tie->end[0].v] = 1.0;
    if (tie->end[1].node != SOA_NO_NODE) {
        const int q = c->job->model->body[tie->end[1].body].q;
        trace_coupling(&c->job->t, tie->joint.coefficient, c->job->in[IN_Q][q], c->job->in[IN_V][tie->end[1].v], &slope,
            &c->bias[tie->first]);
        J[tie->end[1].v] = apply(c, TAPE_SUB, J[tie->end[1].v], slope);
    }
}

static bool put_rows(closed *c)
{
    soa_call call = { .q.at = c->job->in[IN_Q], .v.at = c->job->in[IN_V], .model = c->job->model };
    const int points = soa_closure_points(c->set, c->point);
    int point = 0;
    if (points > 0) {
        call.point = c->point, call.points = points;
        call.y.at = c->pose, call.y2.at = c->velocity, call.y3.at = c->acceleration;
        soa_call jacobian = { .q = call.q, .model = call.model, .y.at = c->J_points, .point = c->point };
        jacobian.points = points;
        if (!trace_kernel(&c->job->t, SOA_KERNEL_kinematics, &call) ||
            !trace_kernel(&c->job->t, SOA_KERNEL_jacobian, &jacobian)) {
            return false;
        }
    }
    for (int i = 0; i < c->set->ties; i++) {
        const soa_tie *tie = &c->set->tie[i];
        if (tie->used && tie->enabled && tie->coupling) {
            put_coupling(c, tie);
        } else if (tie->used && tie->enabled) {
            put_closure(c, tie, &point);
        }
    }
    return true;
}

/* ---- equations -------------------------------------------------------------------------------------- */

/* S, rows in their order. */
static void put_compliance(closed *c, const closed_pivot *order)
{
    const int n = c->rows;
    for (int i = 0; i < n; i++) {
        const double *row = c->J + order[i].row * c->nv;
        for (int j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int k = 0; k < c->nv; k++) {
                sum = add_product(c, sum, row[k], c->X[k * n + order[j].row]);
            }
            c->S[i * n + j] = sum;
        }
        c->scale[i] = c->S[i * n + i];
    }
}

/* 1 unless a < b. */
static void require_less(const closed *c, double a, double b, double *status)
{
    *status = tape_apply(&c->job->t, TAPE_SELECT, apply(c, TAPE_LESS, a, b), *status, 1.0);
}

/* L D L* of the first `rank` rows, without a search for pivots; 1 / D into the scale. The others must depend on them: nothing
 * may be left of their compliance. */
static void factor(closed *c, int rank, const closed_pivot *order, double *status)
{
    const int n = c->rows;
    for (int p = 0; p < rank; p++) {
        const double pivot = c->S[p * n + p], inverse = apply(c, TAPE_DIV, 1.0, pivot);
        const double all = apply(c, TAPE_ADD, order[p].typical, c->scale[p]);
        require_less(c, apply(c, TAPE_MUL, CLOSED_LEAST, all), pivot, status);
        for (int i = p + 1; i < n; i++) {
            const double L = apply(c, TAPE_MUL, c->S[i * n + p], inverse);
            for (int j = p + 1; j <= i; j++) {
                c->S[i * n + j] = subtract_product(c, c->S[i * n + j], L, c->S[j * n + p]);
            }
        }
        c->scale[p] = inverse;
    }
    for (int i = rank; i < n; i++) {
        if (tape_is_node(c->scale[i])) {
            const double all = apply(c, TAPE_ADD, order[0].typical, c->scale[i]);
            require_less(c, c->S[i * n + i],
                apply(c, TAPE_MUL, c->job->request->single ? CLOSED_DEPENDENT_FLOAT : CLOSED_DEPENDENT, all), status);
        }
    }
}

/* lambda of the first `rank` rows, in place of their right sides. */
static void substitute(closed *c, int rank)
{
    const int n = c->rows;
    for (int p = 0; p < rank; p++) {
        c->right[p] = apply(c, TAPE_MUL, c->right[p], c->scale[p]);
        for (int i = p + 1; i < rank; i++) {
            c->right[i] = subtract_product(c, c->right[i], c->S[i * n + p], c->right[p]);
        }
    }
    for (int p = rank - 1; p >= 0; p--) {
        double sum = 0.0;
        for (int i = p + 1; i < rank; i++) {
            sum = add_product(c, sum, c->S[i * n + p], c->right[i]);
        }
        c->right[p] = subtract_product(c, c->right[p], c->scale[p], sum);
    }
}

/* vdot moved by forces along the rows so that these are met. */
static void correct(closed *c, int rank, const closed_pivot *order, double *vdot)
{
    for (int i = 0; i < rank; i++) {
        double sum = c->bias[order[i].row];
        for (int k = 0; k < c->nv; k++) {
            sum = add_product(c, sum, c->J[order[i].row * c->nv + k], vdot[k]);
        }
        c->right[i] = apply(c, TAPE_NEG, sum, 0.0);
    }
    substitute(c, rank);
    for (int i = 0; i < rank; i++) {
        for (int k = 0; k < c->nv; k++) {
            vdot[k] = add_product(c, vdot[k], c->X[k * c->rows + order[i].row], c->right[i]);
        }
    }
}

static bool solve(closed *c, double *vdot, double *status)
{
    const int n = c->rows;
    closed_pivot *order = calloc((size_t)n + 1, sizeof *order);
    int rank = 0;
    soa_call call = emit_call(c->job);
    call.y.at = vdot;
    bool good = order != NULL && closed_order(c->job, c->set, order, &rank) && put_rows(c) &&
                trace_kernel(&c->job->t, SOA_KERNEL_forward_dynamics, &call);
    for (int i = 0; good && i < n * c->nv; i++) {
        c->X[i % c->nv * n + i / c->nv] = c->J[i];
    }
    good = good && emit_solve_columns(c->job, n, c->X);
    if (good) {
        put_compliance(c, order);
        factor(c, rank, order, status);
        correct(c, rank, order, vdot);
        correct(c, rank, order,
            vdot); /* S is as rough as J squared; what it missed is small, and so is the error of that */
    }
    free(order);
    return good && !c->job->t.full;
}

bool trace_closed_fd(emit_job *job)
{
    closed c = { .job = job, .set = closed_set(job), .nv = job->model->nv };
    if (c.set == NULL) {
        return false;
    }
    const size_t rows = (size_t)soa_closures_rows(c.set), nv = (size_t)c.nv;
    const size_t points = (size_t)soa_closure_points(c.set, NULL);
    double *vdot = emit_output(job, "vdot", c.nv), *status = emit_output(job, "status", 1);
    double *numbers = calloc(points * (24 + 6 * nv) + rows * (2 * nv + rows + 3) + 1, sizeof *numbers), *next = numbers;
    c.rows = (int)rows;
    c.point = calloc(points + 1, sizeof *c.point);
    double **const part[] = { &c.pose, &c.velocity, &c.acceleration, &c.J_points, &c.J, &c.X, &c.bias, &c.S, &c.scale,
        &c.right };
    const size_t size[] = { 12 * points, 6 * points, 6 * points, 6 * points * nv, rows * nv, rows * nv, rows,
        rows * rows, rows, rows };
    for (size_t i = 0; numbers != NULL && i < sizeof part / sizeof part[0]; i++) {
        *part[i] = next;
        next += size[i];
    }
    const bool good =
        vdot && status && numbers && c.point && emit_regroup(job) && emit_push(job) && solve(&c, vdot, status);
    free(c.point);
    free(numbers);
    soa_closures_free(c.set);
    return good;
}
