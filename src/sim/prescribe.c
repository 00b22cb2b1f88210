/* sim/prescribe.c - joints that move as they are told, whatever force it takes.
 *
 * They are rows of the holds (hold.c) whose acceleration is that of their reference instead of zero. After each step they are
 * put where their reference is, so that errors do not grow. */
#include <math.h>

#include "core/error.h"
#include "sim/hold.h"

static bool leads(const sim_controller *c)
{
    return c->setup.kind == SOA_CONTROL_PRESCRIBED;
}

soa_status sim_leads_count(soa_sim *sim, soa_error *error)
{
    for (int i = 0; i < sim->setup.controllers; i++) {
        const soa_controller *c = &sim->setup.controller[i];
        const sim_controller made = { .setup = *c };
        if (!leads(&made)) {
            continue;
        }
        for (int j = 0; j < c->joints && c->reference; j++) {
            if (c->reference[j].points.count > 1 && c->reference[j].timing == SOA_TIMING_LINEAR) {
                return sim_control_refuse(&made, SOA_E_ARGUMENT, error,
                    "velocities of a path of straight lines jump; take timing quintic, trapezoidal or smooth");
            }
        }
        if (sim->holds > 0) {
            return sim_control_refuse(&made, SOA_E_UNSUPPORTED, error,
                "joints are not prescribed where others stick or have stops; take smooth friction and joint-limit");
        }
        sim->leads += c->joints;
    }
    return SOA_OK;
}

soa_status sim_lead_check(const soa_sim *sim, const sim_controller *c, double t, const double *y, soa_error *error)
{
    for (int i = 0; leads(c) && i < c->setup.joints; i++) {
        double x[3];
        sim_reference_at(c, i, t, x);
        const double q = y[c->at_q[i]], v = y[sim->nq + c->at_v[i]];
        if (!(fabs(x[0] - q) <= 1e-6 && fabs(x[1] - v) <= 1e-6)) {
            return soa_fail(error, SOA_E_NUMBER, -1,
                "controller '%s' (prescribed): at t = %g joint %d is at %g with velocity %g, but is to be at %g with "
                "%g; let it begin there",
                c->setup.name ? c->setup.name : "", t, i + 1, q, v, x[0], x[1]);
        }
    }
    return SOA_OK;
}

bool sim_leads_pin(const soa_sim *sim, double *y)
{
    bool moved = false;
    for (int k = 0; k < sim->controllers && sim->leads > 0; k++) {
        const sim_controller *c = &sim->controller[k];
        for (int i = 0; leads(c) && c->enabled && i < c->setup.joints; i++) {
            double x[3], *q = &y[c->at_q[i]], *v = &y[sim->nq + c->at_v[i]];
            sim_reference_at(c, i, sim->front, x);
            moved = moved || *q != x[0] || *v != x[1];
            *q = x[0];
            *v = x[1];
        }
    }
    return moved;
}

int sim_lead_rows(soa_sim *sim, double t, int rows)
{
    for (int k = 0; k < sim->controllers && sim->leads > 0; k++) {
        const sim_controller *c = &sim->controller[k];
        for (int i = 0; leads(c) && c->enabled && i < c->setup.joints; i++) {
            double x[3];
            if (!sim->prescribed[c->at_v[i]]) {
                sim_reference_at(c, i, t, x);
                sim->prescribed[c->at_v[i]] = true;
                sim->hold_goal[rows] = x[2];
                sim->hold_row[rows++] = c->at_v[i];
            }
        }
    }
    return rows;
}

void sim_lead_powers(const soa_sim *sim, const double *v, const double *force, double *z_rate)
{
    const int elements = soa_forces_count(sim->forces);
    for (int k = 0; k < sim->controllers && sim->leads > 0; k++) {
        const sim_controller *c = &sim->controller[k];
        for (int i = 0; leads(c) && c->enabled && i < c->setup.joints; i++) {
            z_rate[elements + k] += force[c->at_v[i]] * v[c->at_v[i]];
        }
    }
}
