/* closure/partition.c - primary and secondary systems: steps (A) to (F), each by itself.
 *
 *     (D)  [sum over systems of A Lambda A*] lambda = -(sum of A alpha_f + bias)
 * A of a row at an end is its W as a wrench at that end's frame, for a with +, for b with -. */
#include <string.h>

#include "closure/partition.h"
#include "core/dense.h"
#include "core/error.h"

/* ---- making ------------------------------------------------------------------------------------------- */

static double *numbers(soa_partition *p, size_t count)
{
    return soa_arena_take(&p->arena, count, sizeof(double));
}

static bool take_part(soa_partition *p, int s)
{
    partition_part *part = &p->part[s];
    const soa_model *m = p->set->part[s].model;
    const size_t n = (size_t)part->points + 1, nv = (size_t)m->nv + 1;
    part->point = soa_arena_take(&p->arena, n, sizeof *part->point);
    part->end = soa_arena_take(&p->arena, n, sizeof *part->end);
    part->q = numbers(p, (size_t)m->nq + 1);
    part->vdot = numbers(p, nv);
    part->change = numbers(p, nv);
    part->pose = numbers(p, 12 * n);
    part->velocity = numbers(p, 6 * n);
    part->acceleration = numbers(p, 6 * n);
    part->force = numbers(p, 6 * n);
    part->lambda = numbers(p, 36 * n * n);
    return !p->arena.failed;
}

static bool take_rows(soa_partition *p)
{
    const size_t rows = (size_t)p->set->max_rows + 1;
    p->A = numbers(p, 12 * rows);
    p->L = numbers(p, rows * rows);
    p->c = numbers(p, rows);
    p->x = numbers(p, rows);
    p->work = numbers(p, soa_least_squares_work(rows));
    p->q = numbers(p, (size_t)p->set->nq + 1);
    p->U = numbers(p, rows * rows);
    p->LU = numbers(p, rows * rows);
    return !p->arena.failed;
}

/* Ends of the closures become points of their systems. */
static soa_status make_points(soa_partition *p, soa_error *error)
{
    const soa_closures *set = p->set;
    for (int i = 0; i < 2 * p->ties; i++) {
        const soa_tie *tie = &set->tie[i / 2];
        const soa_end *end = &tie->end[i % 2];
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
            partition_part *part = &p->part[i % 2 == 0 ? tie->end[0].system : tie->end[1].system];
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
    soa_status status = take_rows(p) ? SOA_OK : soa_fail_memory(error);
    SOA_NEXT(status, make_points(p, error));
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
        SOA_NEXT(status, soa_operational_inertia(m, w, part->points, part->point, 1, q, part->lambda, NULL, error));
    }
    if (status == SOA_OK) {
        memcpy(part->q, q, (size_t)m->nq * sizeof *q);
        part->known = true;
        p->done.systems++;
    }
    return status;
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
                    set->last.lambda[tie->first + r] * p->A[12 * (tie->first + r) + 6 * (part->end[k] % 2) + i];
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
