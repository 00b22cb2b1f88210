/* closure/partition.c - primary and secondary systems: steps (A) to (F), each by itself.
 *
 *     (D)  [sum over systems of A Lambda A*] lambda = -(sum of A alpha_f + bias)
 * A of a row at an end is its W as a wrench at that end's frame, for a with +, for b with -. */
#include <math.h>
#include <string.h>

#include "closure/closure.h"
#include "core/dense.h"
#include "core/error.h"

/* A part of A Lambda A* below this counts as zero: the row depends on others. */
#define RANK 1e-12

/* A system: its ends of closures are its points. */
typedef struct partition_part {
    int points;
    soa_point *point;
    int *end; /* by point: 2 tie + side */
    double *q, *vdot, *pose, *velocity, *acceleration, *lambda, *force, *change;
    bool known;
} partition_part;

struct soa_partition {
    soa_closures *set;
    soa_allocator allocator;
    soa_arena arena;
    int ties;
    partition_part *part;
    int *point_of; /* by 2 tie + side: point in its system, or -1 */
    double *A;     /* 12 per row: the wrench at a, and at b */
    double *L, *c, *x, *work;
    soa_partition_work done;
};

/* ---- making ------------------------------------------------------------------------------------------- */

static bool take_part(soa_partition *p, int s)
{
    partition_part *part = &p->part[s];
    const soa_model *m = p->set->part[s].model;
    const size_t n = (size_t)part->points + 1, nv = (size_t)m->nv + 1;
    soa_arena *arena = &p->arena;
    part->point = soa_arena_take(arena, n, sizeof *part->point);
    part->end = soa_arena_take(arena, n, sizeof *part->end);
    part->q = soa_arena_take(arena, (size_t)m->nq + 1, sizeof(double));
    part->vdot = soa_arena_take(arena, nv, sizeof(double));
    part->change = soa_arena_take(arena, nv, sizeof(double));
    part->pose = soa_arena_take(arena, 12 * n, sizeof(double));
    part->velocity = soa_arena_take(arena, 6 * n, sizeof(double));
    part->acceleration = soa_arena_take(arena, 6 * n, sizeof(double));
    part->force = soa_arena_take(arena, 6 * n, sizeof(double));
    part->lambda = soa_arena_take(arena, 36 * n * n, sizeof(double));
    return part->point && part->end && part->q && part->vdot && part->change && part->pose && part->velocity &&
           part->acceleration && part->force && part->lambda;
}

static bool take_rows(soa_partition *p)
{
    const size_t rows = (size_t)p->set->max_rows + 1;
    p->A = soa_arena_take(&p->arena, 12 * rows, sizeof(double));
    p->L = soa_arena_take(&p->arena, rows * rows, sizeof(double));
    p->c = soa_arena_take(&p->arena, rows, sizeof(double));
    p->x = soa_arena_take(&p->arena, rows, sizeof(double));
    p->work = soa_arena_take(&p->arena, rows * (rows + 4), sizeof(double));
    return p->A && p->L && p->c && p->x && p->work;
}

/* Ends of the closures become points of their systems. */
static soa_status make_points(soa_partition *p, soa_error *error)
{
    const soa_closures *set = p->set;
    for (int i = 0; i < 2 * p->ties; i++) {
        const soa_tie *tie = &set->tie[i / 2];
        const soa_end *end = i % 2 == 0 ? &tie->a : &tie->b;
        p->point_of[i] = tie->used && end->node != SOA_NO_NODE ? p->part[end->system].points++ : -1;
        if (tie->used && tie->coupling) {
            return soa_fail(error, SOA_E_UNSUPPORTED, -1,
                "coupling '%s' joins velocities, not points; use soa_closed_forward_dynamics",
                soa_closure_name(set, i / 2));
        }
    }
    for (int s = 0; s < set->systems; s++) {
        if (!take_part(p, s)) {
            return soa_fail_memory(error);
        }
        const soa_status status = soa_workspace_reserve(set->part[s].workspace, p->part[s].points + 4, error);
        if (status != SOA_OK) {
            return status;
        }
        set->part[s].call.work = set->part[s].workspace->work_one;
        set->part[s].call.lanes = &set->part[s].workspace->work;
    }
    for (int i = 0; i < 2 * p->ties; i++) {
        const soa_tie *tie = &set->tie[i / 2];
        if (p->point_of[i] >= 0) {
            partition_part *part = &p->part[i % 2 == 0 ? tie->a.system : tie->b.system];
            part->point[p->point_of[i]] = soa_end_point(set, i);
            part->end[p->point_of[i]] = i;
        }
    }
    return SOA_OK;
}

soa_status soa_partition_new(soa_closures *set, soa_partition **out, soa_error *error)
{
    if (!set || !out) {
        return soa_fail_null(error, "the set of closures");
    }
    *out = NULL;
    soa_partition *p = soa_allocate(&set->allocator, 1, sizeof *p);
    if (!p) {
        return soa_fail_memory(error);
    }
    *p = (soa_partition){ .set = set, .allocator = set->allocator, .ties = set->ties };
    p->arena = soa_arena_on(&p->allocator);
    p->part = soa_arena_take(&p->arena, (size_t)set->systems, sizeof *p->part);
    p->point_of = soa_arena_take(&p->arena, 2 * (size_t)p->ties + 1, sizeof *p->point_of);
    soa_status status = p->part && p->point_of && take_rows(p) ? SOA_OK : soa_fail_memory(error);
    status = status == SOA_OK ? make_points(p, error) : status;
    if (status != SOA_OK) {
        soa_partition_free(p);
        return status;
    }
    *out = p;
    return SOA_OK;
}

void soa_partition_free(soa_partition *p)
{
    if (p) {
        const soa_allocator allocator = p->allocator;
        soa_arena_free(&p->arena);
        soa_release(&allocator, p);
    }
}

soa_partition_work soa_partition_work_done(const soa_partition *p)
{
    return p->done;
}

/* ---- (A), (B), (C) ------------------------------------------------------------------------------------------ */

soa_status soa_partition_system(
    soa_partition *p, int system, const double *q, const double *v, const double *T, const double *f, soa_error *error)
{
    if (!p || system < 0 || system >= p->set->systems) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the partition has no system %d", system);
    }
    partition_part *part = &p->part[system];
    const soa_model *m = p->set->part[system].model;
    soa_workspace *w = p->set->part[system].workspace;
    part->known = false;
    soa_status status = soa_forward_dynamics(m, w, 1, q, v, T, f, part->vdot, error);
    if (status == SOA_OK && part->points > 0) {
        status = soa_point_kinematics(m, w, part->points, part->point, 1, q, v, part->vdot, part->pose, part->velocity,
            part->acceleration, error);
        if (status == SOA_OK) {
            status = soa_operational_inertia(m, w, part->points, part->point, 1, q, part->lambda, NULL, error);
        }
    }
    if (status == SOA_OK) {
        memcpy(part->q, q, (size_t)m->nq * sizeof *q);
        part->known = true;
        p->done.systems++;
    }
    return status;
}

/* ---- (D) -------------------------------------------------------------------------------------------------------- */

/* The pose and velocity of an end. */
static void end_state(const soa_partition *p, int i, double pose[12], double V[6])
{
    const soa_end *end = i % 2 == 0 ? &p->set->tie[i / 2].a : &p->set->tie[i / 2].b;
    const int point = p->point_of[i];
    if (point >= 0) {
        memcpy(pose, p->part[end->system].pose + 12 * point, 12 * sizeof *pose);
        memcpy(V, p->part[end->system].velocity + 6 * point, 6 * sizeof *V);
        return;
    }
    memcpy(pose, end->at.rotation, 9 * sizeof *pose);
    memcpy(pose + 9, end->at.position, 3 * sizeof *pose);
    memset(V, 0, 6 * sizeof *V);
}

/* Free acceleration of a row. */
static double row_acceleration(const soa_partition *p, int r)
{
    const soa_closures *set = p->set;
    const int tie = set->row[r].tie;
    double sum = set->row[r].bias;
    for (int side = 0; side < 2; side++) {
        const int point = p->point_of[2 * tie + side];
        const soa_end *end = side == 0 ? &set->tie[tie].a : &set->tie[tie].b;
        if (point < 0) {
            continue;
        }
        const partition_part *part = &p->part[end->system];
        sum +=
            soa_end_acceleration(p->A + 12 * r + 6 * side, part->velocity + 6 * point, part->acceleration + 6 * point);
    }
    return sum;
}

/* A_i Lambda(x, y) A_j* of points x, y of one system. */
static double block_product(const partition_part *part, int x, int y, const double *A_i, const double *A_j)
{
    const int n = 6 * part->points;
    double sum = 0.0;
    for (int r = 0; r < 6; r++) {
        const double *row = part->lambda + (6 * x + r) * n + 6 * y;
        double inner = 0.0;
        for (int c = 0; c < 6; c++) {
            inner += row[c] * A_j[c];
        }
        sum += A_i[r] * inner;
    }
    return sum;
}

static double compliance(const soa_partition *p, int i, int j)
{
    const soa_closures *set = p->set;
    const int a = set->row[i].tie, b = set->row[j].tie;
    double sum = 0.0;
    for (int s = 0; s < 4; s++) {
        const int side = s / 2, other = s % 2;
        const int x = p->point_of[2 * a + side], y = p->point_of[2 * b + other];
        const soa_end *end = side == 0 ? &set->tie[a].a : &set->tie[a].b;
        const soa_end *end_2 = other == 0 ? &set->tie[b].a : &set->tie[b].b;
        if (x >= 0 && y >= 0 && end->system == end_2->system) {
            sum += block_product(&p->part[end->system], x, y, p->A + 12 * i + 6 * side, p->A + 12 * j + 6 * other);
        }
    }
    return sum;
}

static soa_status check_closures(const soa_partition *p, soa_error *error)
{
    if (!p) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the partition is missing");
    }
    const soa_closures *set = p->set;
    for (int s = 0; s < set->systems; s++) {
        if (!p->part[s].known) {
            return soa_fail(
                error, SOA_E_ARGUMENT, -1, "system %d has no state yet; call soa_partition_system first", s);
        }
    }
    for (int i = p->ties; i < set->ties; i++) {
        if (set->tie[i].enabled) {
            return soa_fail_tie(error, set, i, "was added after the partition was made");
        }
    }
    return SOA_OK;
}

/* A Lambda A* has the rows as they are written: it cannot take as one what depends on each other but for rounding. */
static soa_status check_rounding(soa_closures *set, soa_error *error)
{
    soa_redundancy found;
    const soa_status status = soa_closures_redundancy(set, &found, error);
    if (status != SOA_OK || (!found.rounded && !found.undecided)) {
        return status;
    }
    return found.undecided
               ? soa_fail_undecided(set, error)
               : soa_fail(error, SOA_E_UNSUPPORTED, -1,
                     "rows of closures %s depend on each other but for rounding; a partition takes them as they "
                     "are, so use soa_closed_forward_dynamics",
                     found.closures);
}

soa_status soa_partition_closures(soa_partition *p, soa_closed *closed, soa_error *error)
{
    if (!p) {
        return soa_fail_null(error, "the partition");
    }
    soa_status status = check_closures(p, error);
    if (status != SOA_OK) {
        return status;
    }
    soa_closures *set = p->set;
    const int rows = set->rows;
    status = check_rounding(set, error);
    if (status != SOA_OK) {
        return status;
    }
    for (int i = 0; i < p->ties; i++) {
        double pose[2][12], V[2][6];
        if (set->tie[i].enabled) {
            end_state(p, 2 * i, pose[0], V[0]);
            end_state(p, 2 * i + 1, pose[1], V[1]);
            set->table->rows_at(set, i, pose[0], V[0], pose[1], V[1]);
        }
    }
    for (int i = 0; i < rows; i++) {
        for (int side = 0; side < 2; side++) {
            soa_row_at_end(set->row[i].W, set->place[set->row[i].tie].r, side, p->A + 12 * i + 6 * side);
        }
        p->c[i] = -row_acceleration(p, i);
    }
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j <= i; j++) {
            p->L[i * rows + j] = p->L[j * rows + i] = compliance(p, i, j);
            p->done.blocks += set->row[i].tie != set->row[j].tie || i == j;
        }
    }
    const int rank = rows > 0 ? (int)soa_least_squares((size_t)rows, (size_t)rows, p->L, p->c, p->x, p->work, RANK) : 0;
    memcpy(set->lambda, p->x, (size_t)rows * sizeof *p->x);
    set->solved = true;
    p->done.solutions++;
    double left = 0.0, scale = 1.0;
    for (int i = 0; i < rows; i++) {
        scale = fmax(scale, fabs(p->c[i]));
        left = i >= rank ? fmax(left, fabs(p->c[i])) : left;
    }
    if (closed) {
        *closed = (soa_closed){ .rows = rows, .rank = rank, .condition = NAN, .inconsistency = left };
        for (int i = 0; i < rows; i++) {
            closed->position = fmax(closed->position, fabs(set->row[i].position));
            closed->velocity = fmax(closed->velocity, fabs(set->row[i].velocity));
        }
        closed->condition = rank > 0 ? fabs(p->L[0] / p->L[(rank - 1) * rows + rank - 1]) : 1.0;
    }
    const soa_status finite =
        soa_closed_finite(set, (soa_closed_result){ "lambda", set->lambda, 1, SOA_BY_ROW }, error);
    if (finite != SOA_OK) {
        return finite;
    }
    if (left > 1e-6 * scale) {
        return soa_fail(error, SOA_E_CLOSURE, -1, "the enabled closures contradict each other by %.3g", left);
    }
    return SOA_OK;
}

/* ---- (E), (F) -------------------------------------------------------------------------------------------------------- */

soa_status soa_partition_correct(soa_partition *p, int system, double *vdot, soa_error *error)
{
    if (!p || !vdot || system < 0 || system >= p->set->systems || !p->part[system].known) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "system %d has no state; call soa_partition_system first", system);
    }
    const soa_closures *set = p->set;
    partition_part *part = &p->part[system];
    const soa_model *m = set->part[system].model;
    memset(part->force, 0, 6 * (size_t)part->points * sizeof *part->force);
    for (int k = 0; k < part->points; k++) {
        const soa_tie *tie = &set->tie[part->end[k] / 2];
        for (int r = 0; tie->enabled && r < tie->rows; r++) { /* what the system exerts: minus what acts on it */
            for (int i = 0; i < 6; i++) {
                part->force[6 * k + i] -=
                    set->lambda[tie->first + r] * p->A[12 * (tie->first + r) + 6 * (part->end[k] % 2) + i];
            }
        }
    }
    memcpy(vdot, part->vdot, (size_t)m->nv * sizeof *vdot);
    if (part->points == 0) {
        return SOA_OK;
    }
    const soa_status status = soa_point_correction(
        m, set->part[system].workspace, part->points, part->point, 1, part->q, part->force, part->change, error);
    for (int i = 0; status == SOA_OK && i < m->nv; i++) {
        vdot[i] += part->change[i];
    }
    p->done.corrections++;
    const soa_result result = { "vdot", SOA_PER_VELOCITY, false };
    const soa_state_out y = { vdot, 1 };
    return status == SOA_OK ? soa_check_result(set->part[system].workspace, result, y, (size_t)m->nv, 0, error)
                            : status;
}
