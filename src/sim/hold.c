/* sim/hold.c - joints that stick or rest on a stop: modes, forces that hold them, impacts.
 *
 * Dry friction with a stick mode and hard stops are holds. A hold has a mode:
 *     friction   0: sticks, vdot = 0 with |force| <= holding;   -1, 1: slips that way, T = -value mode
 *     stop       0: free;   -1, 1: rests on the lower or upper stop, vdot = 0 with a force that pushes inward
 * Modes stay during a step. Where a velocity comes to zero, a force reaches its bound or a stop is hit, events.c finds the
 * time and sim_holds_switch (hold_switch.c) chooses the modes anew. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "core/error.h"
#include "sim/hold.h"

/* ---- made ---------------------------------------------------------------------------------- */

static bool is_hold(const soa_force *e)
{
    return e->kind == SOA_FORCE_JOINT_STOP || (e->kind == SOA_FORCE_JOINT_FRICTION && e->stick);
}

static bool make_room(soa_sim *sim)
{
    const size_t n = (size_t)(sim->holds + sim->leads), nv = (size_t)sim->nv;
    sim->hold = soa_arena_take(&sim->arena, n, sizeof *sim->hold);
    sim->hold_row = soa_arena_take(&sim->arena, n, sizeof *sim->hold_row);
    sim->prescribed = soa_arena_take(&sim->arena, nv, sizeof *sim->prescribed);
    sim->hold_mode = sim_numbers_take(sim, n);
    sim->hold_before = sim_numbers_take(sim, n);
    sim->hold_on = sim_numbers_take(sim, n);
    sim->hold_force = sim_numbers_take(sim, n);
    sim->hold_goal = sim_numbers_take(sim, n);
    sim->hold_columns = sim_numbers_take(sim, n * nv + nv);
    sim->hold_work = sim_numbers_take(sim, n * (2 * n + 10));
    return !sim->arena.failed;
}

soa_status sim_holds_make(soa_sim *sim, soa_error *error)
{
    const int elements = soa_forces_count(sim->forces);
    for (int i = 0; i < elements; i++) {
        sim->holds += is_hold(soa_forces_get(sim->forces, i));
    }
    const soa_status status = sim_leads_count(sim, error);
    if (status != SOA_OK || sim->holds + sim->leads == 0) {
        return status;
    }
    if (!make_room(sim)) {
        return soa_fail_memory(error);
    }
    int at = 0;
    for (int i = 0; i < elements; i++) {
        const soa_force *e = soa_forces_get(sim->forces, i);
        if (is_hold(e)) {
            const soa_body body = soa_model_body(sim->model, soa_model_joint_body(sim->model, e->link));
            sim->hold[at++] = (sim_hold){ i, body.q, body.v, e->kind == SOA_FORCE_JOINT_STOP };
            soa_forces_leave(sim->forces, i);
        }
    }
    return SOA_OK;
}

/* ---- forces and accelerations ------------------------------------------------------------------- */

void sim_hold_forces(soa_sim *sim, double t, const double *v)
{
    for (int i = 0; i < sim->holds; i++) {
        const sim_hold *h = &sim->hold[i];
        sim->hold_on[i] = soa_forces_acts(sim->forces, h->element, t) ? 1.0 : 0.0;
        if (!h->stop && sim->hold_on[i] != 0.0) {
            const double T = -sim_force_of(sim, i)->value * sim->hold_mode[i];
            sim->T[h->at_v] += T;
            sim->power[h->element] = T * v[h->at_v];
        }
    }
}

int sim_hold_rows(soa_sim *sim, double t)
{
    int rows = 0;
    memset(sim->prescribed, 0, (size_t)sim->nv * sizeof *sim->prescribed);
    for (int i = 0; i < sim->holds; i++) {
        const int at = sim->hold[i].at_v;
        if (sim_is_held(sim, i) && !sim->prescribed[at]) {
            sim->prescribed[at] = true;
            sim->hold_goal[rows] = 0.0;
            sim->hold_row[rows++] = at;
        }
    }
    return sim_lead_rows(sim, t, rows);
}

/* By the code for the one model; false: it has no answer, and the library says why. */
static bool accelerate_compiled(const soa_sim *sim, const double *q, const double *v, double *vdot)
{
    double rest = 0.0;
    sim->setup.forward(q, v, sim->T, vdot);
    for (int i = 0; i < sim->nv; i++) {
        rest += vdot[i] - vdot[i];
    }
    return rest == 0.0;
}

soa_status sim_accelerate_free(soa_sim *sim, const double *q, const double *v, double *vdot, soa_error *error)
{
    const double *f = sim->loaded ? sim->f : NULL;
    if (sim_is_closed(sim)) {
        return soa_closed_forward_dynamics(sim->closures, 1, q, v, sim->T, f, vdot, NULL, NULL, error);
    }
    if (sim->setup.forward && !f && accelerate_compiled(sim, q, v, vdot)) {
        return SOA_OK;
    }
    return soa_forward_dynamics(sim->model, sim->workspace, 1, q, v, sim->T, f, vdot, error);
}

soa_status sim_hold_columns(
    soa_sim *sim, const double *q, const double *v, const double *vdot, int rows, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int r = 0; r < rows && !sim_is_hard(status); r++) {
        double *column = sim->hold_columns + (size_t)r * (size_t)sim->nv;
        sim->T[sim->hold_row[r]] += 1.0;
        status = sim_accelerate_free(sim, q, v, column, error);
        sim->T[sim->hold_row[r]] -= 1.0;
        for (int i = 0; i < sim->nv; i++) {
            column[i] -= vdot[i];
        }
    }
    return sim_is_hard(status) ? status : SOA_OK;
}

/* Adds the forces that hold the rows of a closed system to T. */
static soa_status hold_closed(soa_sim *sim, const double *q, const double *v, double *vdot, int rows, soa_error *error)
{
    const size_t n = (size_t)rows;
    double *Y = sim->hold_work, *b = Y + n * n, *x = b + n, *work = x + n;
    soa_status status = sim_accelerate_free(sim, q, v, vdot, error);
    status = sim_is_hard(status) ? status : sim_hold_columns(sim, q, v, vdot, rows, error);
    if (sim_is_hard(status)) {
        return status;
    }
    for (size_t i = 0; i < n; i++) {
        b[i] = sim->hold_goal[i] - vdot[sim->hold_row[i]];
        for (size_t j = 0; j < n; j++) {
            Y[i * n + j] = sim->hold_columns[j * (size_t)sim->nv + (size_t)sim->hold_row[i]];
        }
    }
    soa_least_squares(n, n, Y, b, x, work, SOA_COMPUTED);
    for (size_t i = 0; i < n; i++) {
        sim->T[sim->hold_row[i]] += x[i];
    }
    return sim_accelerate_free(sim, q, v, vdot, error);
}

/* Friction bears what it can of the force at a velocity, the stop the rest. */
static void share(soa_sim *sim, int at, double force)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < sim->holds; i++) {
            const bool friction = !sim->hold[i].stop;
            if (sim->hold[i].at_v != at || !sim_is_held(sim, i) || friction != (pass == 0)) {
                continue;
            }
            bool stopped = false;
            for (int j = 0; j < sim->holds && friction; j++) {
                stopped = stopped || (sim->hold[j].stop && sim->hold[j].at_v == at && sim_is_held(sim, j));
            }
            const double most = stopped ? sim_holding_of(sim_force_of(sim, i)) : HUGE_VAL;
            sim->hold_force[i] = fmin(fmax(force, -most), most);
            force -= sim->hold_force[i];
        }
    }
}

soa_status sim_accelerate(soa_sim *sim, double t, const double *q, const double *v, double *vdot, soa_error *error)
{
    const int rows = sim->holds + sim->leads > 0 ? sim_hold_rows(sim, t) : 0;
    if (rows == 0) {
        return sim_accelerate_free(sim, q, v, vdot, error);
    }
    double *before = sim->hold_columns + (size_t)(sim->holds + sim->leads) * (size_t)sim->nv;
    memcpy(before, sim->T, (size_t)sim->nv * sizeof *before);
    for (int r = 0; r < rows; r++) {
        vdot[sim->hold_row[r]] = sim->hold_goal[r];
    }
    const soa_status status = sim_is_closed(sim) ? hold_closed(sim, q, v, vdot, rows, error)
                                                 : soa_hybrid_dynamics(sim->model, sim->workspace, sim->prescribed, 1,
                                                       q, v, sim->f, sim->T, vdot, error);
    for (int r = 0; r < rows; r++) {
        const int at = sim->hold_row[r];
        vdot[at] = sim->hold_goal[r];
        share(sim, at, sim->T[at] - before[at]);
    }
    for (int i = 0; i < sim->nv; i++) { /* what holds them, for sim_lead_powers */
        before[i] = sim->T[i] - before[i];
    }
    return status;
}

/* vdot_x += vdot_T x with x such that the rows of vdot_x that are held become zero. */
static void hold_rows(soa_sim *sim, int rows, const double *vdot_T, size_t columns, double *vdot_x)
{
    const size_t n = (size_t)rows, nv = (size_t)sim->nv;
    double *Y = sim->hold_work, *b = Y + n * n, *x = b + n, *work = x + n;
    for (size_t c = 0; c < columns; c++) {
        for (size_t i = 0; i < n; i++) {
            const size_t row = (size_t)sim->hold_row[i];
            b[i] = -vdot_x[row * columns + c];
            for (size_t j = 0; j < n; j++) {
                Y[i * n + j] = vdot_T[row * nv + (size_t)sim->hold_row[j]];
            }
        }
        soa_least_squares(n, n, Y, b, x, work, SOA_COMPUTED);
        for (size_t k = 0; k < nv * n; k++) {
            const size_t row = k / n, j = k % n;
            vdot_x[row * columns + c] += vdot_T[row * nv + (size_t)sim->hold_row[j]] * x[j];
        }
    }
}

void sim_hold_derivatives(soa_sim *sim, const double *vdot_T, size_t columns, double *vdot_x)
{
    const int rows = sim->holds + sim->leads > 0 ? sim_hold_rows(sim, sim->step.t) : 0;
    if (rows > 0) {
        hold_rows(sim, rows, vdot_T, columns, vdot_x);
    }
}

/* ---- when modes end ----------------------------------------------------------------------------------- */

void sim_hold_sides(const soa_sim *sim, const double *y, double *side)
{
    for (int i = 0; i < sim->holds; i++) {
        const sim_hold *h = &sim->hold[i];
        const soa_force *e = sim_force_of(sim, i);
        const double q = y[h->at_q], v = y[sim->nq + h->at_v], mode = sim->hold_mode[i], force = sim->hold_force[i];
        if (sim->hold_on[i] == 0.0) {
            side[i] = -1.0;
        } else if (h->stop) {
            side[i] = mode != 0.0 ? force * mode : fmax(q - e->upper, e->lower - q);
        } else {
            side[i] = mode != 0.0 ? -v * mode : fabs(force) - sim_holding_of(e);
        }
    }
}

bool sim_hold_crosses(double before, double after)
{
    return (before < 0.0 && after >= 0.0) || (before >= 0.0 && after > SIM_AT_REST);
}

bool sim_holds_pin(const soa_sim *sim, double *y)
{
    bool moved = false;
    for (int i = 0; i < sim->holds; i++) {
        double *v = &y[sim->nq + sim->hold[i].at_v];
        if (sim_is_held(sim, i) && *v != 0.0) {
            *v = 0.0;
            moved = true;
        }
    }
    return moved;
}
