/* sim/sim_system.c - the rate of the state of a simulation.
 *
 *     dq/dt = Q(q) v,   dv/dt = (closed) forward dynamics of T and f,   dz/dt = powers, and errors of controllers. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "force/force_set.h"
#include "sim/dead_point.h"

soa_status sim_forces(
    soa_sim *sim, double t, const double *q, const double *v, const double *z, double *z_rate, soa_error *error)
{
    const soa_force_report report = { sim->energy, sim->power, sim->wrench, sim->depth };
    memset(sim->T, 0, (size_t)sim->nv * sizeof *sim->T);
    memset(sim->f, 0, 6 * (size_t)soa_model_bodies(sim->model) * sizeof *sim->f);
    soa_status status = soa_forces_apply(sim->forces, t, q, v, sim->T, sim->f, &report, error);
    const int elements = soa_forces_count(sim->forces);
    sim_hold_forces(sim, t, v);
    for (int i = 0; z_rate && i < elements; i++) {
        z_rate[i] = soa_forces_work_rate(sim->forces, i, v, sim->power[i]);
    }
    memset(sim->command, 0, (size_t)sim->nv * sizeof *sim->command);
    for (int i = 0; i < sim->controllers && status == SOA_OK; i++) {
        const sim_controller *c = &sim->controller[i];
        double power = 0.0;
        if (c->enabled) {
            memset(sim->control, 0, (size_t)sim->nv * sizeof *sim->control);
            status = sim_control(sim, c, t, q, v, z, z_rate, error);
            for (int j = 0; j < sim->nv; j++) {
                if (sim->driven[j]) {
                    sim->command[j] += sim->control[j];
                    continue;
                }
                sim->T[j] += sim->control[j];
                power += sim->control[j] * v[j];
            }
        }
        if (z_rate) {
            z_rate[elements + i] = power;
        }
    }
    sim_actuate(sim, t, q, v, z, z_rate);
    return status;
}

/* How many rows count beside the closures: at the front moved by about a thousandth. 0: it cannot be said. */
static int rank_beside(soa_sim *sim)
{
    soa_closed closed = { 0 };
    for (int i = 0; i < sim->nv; i++) {
        sim->change[i] = 1e-3 * sin(1.0 + 2.0 * i);
    }
    soa_integrate(sim->model, sim->y_front, sim->change, 1.0, sim->q);
    const soa_status status =
        soa_closed_forward_dynamics(sim->closures, 1, sim->q, NULL, NULL, NULL, sim->vdot, NULL, &closed, NULL);
    return status == SOA_OK || status == SOA_E_CLOSURE ? closed.rank : 0;
}

/* Some loops (Bricard's) have a row that is redundant on the closures alone. Beside them, where stages lie, its pivot is as
 * large as they are far away, and taken for a row that counts it asks for accelerations beyond bound. Then directions below
 * this part of the smallest singular value that counts in general positions are none. */
#define REDUNDANT 1e-4

soa_status sim_judge_redundancy(soa_sim *sim, soa_error *error)
{
    soa_redundancy found;
    soa_closures *set = sim->closures;
    soa_status status = set ? soa_closures_set_tolerances(set, NULL, error) : SOA_OK;
    if (status != SOA_OK || !set || soa_closures_rows(set) == 0) {
        return status;
    }
    const int beside = rank_beside(sim);
    soa_closed closed = { 0 };
    if (soa_closed_forward_dynamics(set, 1, sim->y_front, NULL, NULL, NULL, sim->vdot, NULL, &closed, NULL) != SOA_OK ||
        closed.rank >= beside) {
        return SOA_OK; /* what cannot be solved is refused where it is asked for */
    }
    status = soa_closures_redundancy(set, &found, error);
    if (status != SOA_OK || found.rank >= beside || found.rounded) {
        return status;
    }
    const soa_closure_tolerances tolerances = { .rank = REDUNDANT * found.kept };
    return soa_closures_set_tolerances(set, &tolerances, error);
}

soa_status sim_accelerate_near(soa_sim *sim, double t, const double *q, const double *v, double *vdot, soa_error *error)
{
    const soa_status status = sim_accelerate(sim, t, q, v, vdot, error);
    if (status != SOA_E_CLOSURE) {
        return status;
    }
    bool finite = true;
    for (int i = 0; i < sim->nv; i++) {
        finite = finite && isfinite(vdot[i]);
    }
    return finite ? SOA_OK : status;
}

soa_status sim_accelerate_at(soa_sim *sim, double t, const double *y, soa_error *error)
{
    const double *v = y + sim->nq;
    soa_status status = sim_forces(sim, t, y, v, v + sim->nv, NULL, error);
    SOA_NEXT(status, sim_accelerate(sim, t, y, v, sim->vdot, error));
    return status;
}

soa_status sim_strike(soa_sim *sim, int at, double impulse, double *out, soa_error *error)
{
    const double *v = sim->y_front + sim->nq;
    soa_projection done;
    memset(sim->control, 0, (size_t)sim->nv * sizeof *sim->control);
    sim->control[at] = impulse;
    soa_status status = soa_mass_solve(sim->model, sim->workspace, 1, sim->y_front, sim->control, sim->change, error);
    for (int i = 0; i < sim->nv && status == SOA_OK; i++) {
        out[i] = v[i] + sim->change[i];
    }
    return status == SOA_OK && sim_is_closed(sim)
               ? soa_closure_project_velocity(sim->closures, SOA_METRIC_MASS, 1, sim->y_front, out, &done, error)
               : status;
}

int sim_joint_of(const soa_sim *sim, int link)
{
    for (int k = 0; k < soa_model_bodies(sim->model); k++) {
        const soa_body body = soa_model_body(sim->model, k);
        if (body.link == link && body.links + body.nv > 0) { /* else it holds the rotor of the joint */
            return body.nv == 1 ? k : -1;
        }
    }
    return -1;
}

soa_status sim_rate(soa_sim *sim, double t, const double *y, double *rate, soa_error *error)
{
    const double *v = y + sim->nq, *z = v + sim->nv;
    double *z_rate = rate + sim->nq + sim->nv;
    sim->report.evaluations++;
    memcpy(sim->q, y, (size_t)sim->nq * sizeof *y);
    memset(z_rate, 0, (size_t)sim->nz * sizeof *z_rate);
    soa_model_rates(sim->model, y, v, rate);
    soa_status status = soa_normalize(sim->model, sim->q, error);
    SOA_NEXT(status, sim_forces(sim, t, sim->q, v, z, z_rate, error));
    SOA_NEXT(status, sim_accelerate_near(sim, t, sim->q, v, rate + sim->nq, error));
    sim_note_closures(sim);
    if (sim->leads > 0) {
        sim_lead_powers(sim, v, sim->hold_columns + (size_t)(sim->holds + sim->leads) * (size_t)sim->nv, z_rate);
    }
    return status;
}

soa_status sim_energy(soa_sim *sim, double t, const double *y, double energy[2], soa_error *error)
{
    const double *v = y + sim->nq;
    soa_status status = soa_energy(sim->model, sim->workspace, 1, y, v, energy, error);
    const soa_force_report report = { sim->energy, sim->power, sim->wrench, sim->depth };
    SOA_NEXT(status, soa_forces_apply(sim->forces, t, y, v, sim->T, sim->f, &report, error));
    for (int i = 0; i < soa_forces_count(sim->forces) && status == SOA_OK; i++) {
        energy[1] += soa_forces_stores(sim->forces, i) ? sim->energy[i] : 0.0;
    }
    return status;
}

soa_status sim_settle(soa_sim *sim, double *y, bool *moved, soa_error *error)
{
    soa_status status = soa_normalize(sim->model, y, error);
    *moved = sim_holds_pin(sim, y);
    *moved = sim_leads_pin(sim, y) || *moved;
    if (status != SOA_OK || !sim_is_closed(sim)) {
        return status;
    }
    soa_projection done;
    *moved = true;
    const double tight = sim_shut_tightly(sim);
    if (tight < sim->setup.shut) {
        (void)soa_closure_project(sim->closures, SOA_METRIC_MASS, tight, 1, y, NULL, NULL, NULL);
    }
    status = soa_closure_project_from(
        sim->closures, SOA_METRIC_MASS, sim->setup.shut, 1, sim->step.y0, y, y + sim->nq, &done, error);
    sim->report.branches_kept += done.branch_kept;
    sim->report.branches_changed += done.branch_changed;
    sim->report.position = fmax(sim->report.position, done.position);
    sim->report.velocity = fmax(sim->report.velocity, done.velocity);
    (void)sim_holds_pin(sim, y);
    return status;
}
