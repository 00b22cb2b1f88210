/* closure/operational.c - what forces at points do to the closed system.
 *
 * Column by column: a unit force at a point, the closed system at rest without gravity, and how the points
 * accelerate: six solutions in O(n) per point, as many at a time as there are lanes. */
#include <string.h>

#include "closure/closure.h"
#include "core/dense.h"
#include "core/error.h"

/* What is asked for at one state. */
typedef struct asked {
    int points;
    const soa_closed_point *point;
    const double *q;
    double *lambda;
} asked;

/* How the points accelerate by vdot: column `at` of Lambda. */
static void put_column(soa_closures *set, const asked *a, const soa_closed_input *in, int at)
{
    const size_t n = 6 * (size_t)a->points;
    for (int j = 0; j < a->points; j++) {
        const soa_part *part = &set->part[a->point[j].system];
        double acceleration[6];
        (void)soa_point_kinematics(part->model, part->workspace, 1, &a->point[j].point, 1, in->q + part->q, NULL,
            in->vdot + part->v, NULL, NULL, acceleration, NULL);
        for (size_t i = 0; i < 6; i++) {
            a->lambda[(6 * (size_t)j + i) * n + (size_t)at] = acceleration[i];
        }
    }
}

/* Six columns of T = J* of the unit wrenches at a point; J: 6 nv numbers of scratch. */
static soa_status unit_forces(
    const soa_closures *set, const soa_closed_point *point, const double *q, double *J, double *T, soa_error *error)
{
    const soa_part *part = &set->part[point->system];
    const size_t n = (size_t)part->model->nv, nv = (size_t)set->nv;
    const soa_status status =
        soa_jacobian(part->model, part->workspace, 1, &point->point, SOA_AXES_MIXED, 1, q + part->q, J, error);
    memset(T, 0, 6 * nv * sizeof *T);
    for (size_t i = 0; i < 6; i++) {
        memcpy(T + i * nv + (size_t)part->v, J + i * n, n * sizeof *T);
    }
    return status;
}

/* Where numbers of a state are: by velocity, six times each. soa_solve_closed may overwrite them. */
typedef struct six_columns {
    double *vdot, *T, *J;
} six_columns;

static six_columns scratch_of(const soa_closures *set)
{
    double *at = set->scratch.vector + set->max_rows + 1;
    return (six_columns){ at, at + 6 * set->nv, at + 12 * set->nv };
}

/* The columns of Lambda from `at` on that the unit wrenches of its point make, as many as there are lanes; *count: how many. */
static soa_status solve_columns(soa_closures *set, const asked *a, int at, int *count, soa_error *error)
{
    const six_columns z = scratch_of(set);
    const int first = at % 6 * set->nv;
    soa_closed_input in = {
        .q = a->q, .mode = SOA_SOLVE_STEP, .one_q = true, .T = z.T + first, .vdot = z.vdot + first
    };
    unsigned solved = 0;
    soa_status status = unit_forces(set, &a->point[at / 6], a->q, z.J, z.T, error);
    *count = status == SOA_OK ? soa_solve_lanes(set, &in, 6 - at % 6, &solved) : 1;
    for (int lane = 0; status == SOA_OK && lane < *count; lane++, in.T += set->nv, in.vdot += set->nv) {
        if (!(solved >> lane & 1u) || !soa_take_lane(set, &in, lane, false)) {
            status = soa_solve_closed(set, &in, error);
            *count = lane + 1; /* the ranks may be known now */
        }
        if (status == SOA_OK) {
            put_column(set, a, &in, at + lane);
        }
    }
    return status;
}

static soa_status check(
    soa_closures *set, int points, const soa_closed_point *point, const double *q, double *lambda, soa_error *error)
{
    const soa_closed_input in = { .q = q };
    const soa_status status = soa_check_closed(set, &in, error);
    if (status != SOA_OK) {
        return status;
    }
    bool good = points > 0 && point && lambda;
    for (int i = 0; good && i < points; i++) {
        good = point[i].system >= 0 && point[i].system < set->systems && point[i].point.link >= SOA_WORLD &&
               point[i].point.link < soa_model_links(set->part[point[i].system].model) &&
               soa_pose_valid(&point[i].point.at);
    }
    return good ? SOA_OK : soa_fail(error, SOA_E_ARGUMENT, -1, "a point or the result is missing or not valid");
}

/* Lambda at one state. */
static soa_status lambda_at(
    soa_closures *set, int points, const soa_closed_point *point, const double *q, double *lambda, soa_error *error)
{
    soa_status status = check(set, points, point, q, lambda, error);
    if (status != SOA_OK) {
        return status;
    }
    const int n = 6 * points;
    const asked a = { points, point, q, lambda };
    memset(lambda, 0, (size_t)n * (size_t)n * sizeof *lambda);
    for (int at = 0, count = 0; status == SOA_OK && at < n; at += count) {
        count = 6;
        if (point[at / 6].point.link != SOA_WORLD) {
            status = solve_columns(set, &a, at, &count, error);
        }
    }
    for (int i = 0; i < n; i++) { /* symmetric but for rounding */
        for (int j = 0; j < i; j++) {
            lambda[i * n + j] = lambda[j * n + i] = 0.5 * (lambda[i * n + j] + lambda[j * n + i]);
        }
    }
    return status;
}

/* inertia = Lambda^-1, n x n. */
static soa_status invert(size_t n, const double *lambda, double *inertia, soa_error *error)
{
    return soa_cholesky_inverse(n, 1, lambda, inertia, SOA_COMPUTED).rank == n
               ? SOA_OK
               : soa_fail(error, SOA_E_SINGULAR, -1,
                     "the points cannot be accelerated in every direction: no inertia there; use lambda");
}

soa_status soa_closed_operational_inertia(soa_closures *set, int points, const soa_closed_point *point, int states,
    const double *q, double *lambda, double *inertia, soa_error *error)
{
    const int square = points > 0 ? 36 * points * points : 0;
    soa_each each = soa_each_state(set, states, (soa_closed_input){ .q = q }, error);
    while (soa_each_next(&each)) {
        const soa_closed_result y[] = { { "Lambda", soa_result_at(lambda, square, each.state), (size_t)square,
                                            SOA_IN_ALL },
            { "inertia", soa_result_at(inertia, square, each.state), (size_t)square, SOA_IN_ALL } };
        soa_status status = lambda_at(set, points, point, each.in.q, y[0].at, each.error);
        status = soa_closed_done(set, status, 1, &y[0], each.error);
        status = status == SOA_OK && inertia ? invert(6 * (size_t)points, y[0].at, y[1].at, each.error) : status;
        soa_each_done(&each, soa_closed_done(set, status, 1, &y[1], each.error));
    }
    return each.status;
}
