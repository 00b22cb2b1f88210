/* sim/hold_switch.c - impacts on stops, and modes of holds chosen anew.
 *
 * Of the joints that are at rest, the forces x in their boxes are found with
 *     a = a0 + Y x,   a = 0 inside the box, a pushing outward at its bounds;
 * joints at a bound slip or leave their stop. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "sim/hold.h"

/* ---- impacts ------------------------------------------------------------------------------------------ */

/* How fast the joint moves into the stop that it is at; 0: it does not. *outward: the direction of that. */
static double into_stop(const soa_sim *sim, int i, double *outward)
{
    const sim_hold *h = &sim->hold[i];
    const soa_force *e = sim_force_of(sim, i);
    const double q = sim->y_front[h->at_q], v = sim->y_front[sim->nq + h->at_v];
    if (!h->stop || sim->hold_on[i] == 0.0) {
        return 0.0;
    }
    *outward = q - e->upper > -SIM_AT_REST ? 1.0 : e->lower - q > -SIM_AT_REST ? -1.0 : 0.0;
    return fmax(v * *outward, 0.0);
}

/* v_i leaves the stop with -restitution v_i; slower than `speed` it stays. */
static soa_status strike(soa_sim *sim, int i, double speed, soa_error *error)
{
    const soa_force *e = sim_force_of(sim, i);
    const int at = sim->hold[i].at_v;
    double *v = sim->y_front + sim->nq;
    const double rebound = speed > e->speed ? e->restitution : 0.0, wanted = -(1.0 + rebound) * v[at];
    const soa_status status = sim_strike(sim, at, 1.0, sim->change, error);
    const double part = wanted / (sim->change[at] - v[at]);
    if (status != SOA_OK || !isfinite(part)) {
        return status != SOA_OK ? status : soa_fail(error, SOA_E_SINGULAR, -1, "a joint at its stop cannot move");
    }
    const double after = v[at] + wanted;
    for (int j = 0; j < sim->nv; j++) {
        v[j] += part * (sim->change[j] - v[j]);
    }
    v[at] = rebound == 0.0 ? 0.0 : after;
    sim->report.impacts++;
    return SOA_OK;
}

/* Impacts one after another until no joint moves into its stop. Joints that hang together and stand between stops without
 * play never end if they lose nothing. */
static soa_status strike_all(soa_sim *sim, soa_error *error)
{
    enum { TURNS = 10000 };
    for (int turn = 0; turn < TURNS; turn++) {
        bool again = false;
        for (int i = 0; i < sim->holds; i++) {
            double outward = 0.0;
            const double speed = into_stop(sim, i, &outward);
            if (speed > 0.0 && (speed > SIM_AT_REST || sim->hold_mode[i] == 0.0)) {
                again = true;
                const soa_status status = strike(sim, i, speed, error);
                if (status != SOA_OK) {
                    return status;
                }
            }
        }
        if (!again) {
            return SOA_OK;
        }
    }
    return soa_fail(error, SOA_E_NUMBER, -1,
        "impacts at t = %.9g do not end: joints bounce between their stops; give less restitution", sim->front);
}

/* ---- modes -------------------------------------------------------------------------------------------- */

/* Candidates are at rest: hold_mode NAN until it is chosen. Others slip or are free. */
static void sort_out(soa_sim *sim)
{
    for (int i = 0; i < sim->holds; i++) {
        const sim_hold *h = &sim->hold[i];
        double outward = 0.0, *v = &sim->y_front[sim->nq + h->at_v];
        const bool rests = fabs(*v) <= SIM_AT_REST;
        (void)into_stop(sim, i, &outward);
        if (h->stop) {
            sim->hold_mode[i] = rests && outward != 0.0 ? outward : 0.0;
        } else {
            sim->hold_mode[i] = rests ? 0.0 : copysign(1.0, *v);
        }
    }
}

typedef struct box {
    double low, high;
} box;

static box box_of(const soa_sim *sim, int i)
{
    const double mode = sim->hold_mode[i], holding = sim->hold[i].stop ? 0.0 : sim_holding_of(sim_force_of(sim, i));
    return sim->hold[i].stop ? (box){ mode > 0.0 ? -HUGE_VAL : 0.0, mode > 0.0 ? 0.0 : HUGE_VAL }
                             : (box){ -holding, holding };
}

/* x in the boxes with a0 + Y x zero inside them and outward at bounds, by projected Gauss-Seidel. Y: rows of holds, the
 * columns of their velocities. A hold that is not held has x = 0. */
static void solve_boxes(const soa_sim *sim, const double *a0, const double *Y, double *x)
{
    const int n = sim->holds;
    double change = 1.0, size = 1.0;
    memset(x, 0, (size_t)n * sizeof *x);
    for (int sweep = 0; sweep < 20000 && change > 1e-15 * size; sweep++) {
        change = 0.0;
        for (int i = 0; i < n; i++) {
            const double own = Y[i * n + i];
            if (!sim_is_held(sim, i) || !(own > 0.0)) {
                continue;
            }
            double a = a0[i];
            for (int j = 0; j < n; j++) {
                a += Y[i * n + j] * x[j];
            }
            const box b = box_of(sim, i);
            const double next = fmin(fmax(x[i] - a / own, b.low), b.high);
            change = fmax(change, fabs(next - x[i]));
            size = fmax(size, fabs(next));
            x[i] = next;
        }
    }
}

/* Accelerations of all holds without the forces of those that are held, and what unit forces of these do. */
static soa_status responses(soa_sim *sim, double *a0, double *Y, soa_error *error)
{
    const double *q = sim->y_front, *v = q + sim->nq, *z = v + sim->nv;
    const int n = sim->holds;
    soa_status status = sim_forces(sim, sim->front, q, v, z, NULL, error);
    const int rows = status == SOA_OK ? sim_hold_rows(sim, sim->front) : 0;
    SOA_NEXT(status, sim_accelerate_free(sim, q, v, sim->vdot, error));
    status = sim_is_hard(status) ? status : sim_hold_columns(sim, q, v, sim->vdot, rows, error);
    for (int i = 0; i < n && status == SOA_OK; i++) {
        a0[i] = sim->vdot[sim->hold[i].at_v];
        for (int j = 0; j < n; j++) {
            Y[i * n + j] = 0.0;
            for (int r = 0; r < rows; r++) {
                Y[i * n + j] += sim->hold_row[r] == sim->hold[j].at_v
                                    ? sim->hold_columns[(size_t)r * (size_t)sim->nv + (size_t)sim->hold[i].at_v]
                                    : 0.0;
            }
        }
    }
    return status;
}

/* Lets go what cannot be held; whether there was something. */
static bool let_go(soa_sim *sim, const double *x)
{
    bool any = false;
    for (int i = 0; i < sim->holds; i++) {
        const box b = box_of(sim, i);
        if (!sim_is_held(sim, i)) {
            continue;
        }
        if (sim->hold[i].stop && x[i] == 0.0) {
            sim->hold_mode[i] = 0.0;
        } else if (!sim->hold[i].stop && (x[i] <= b.low || x[i] >= b.high)) {
            sim->hold_mode[i] = x[i] <= b.low ? 1.0 : -1.0;
            any = any || sim_force_of(sim, i)->value < sim_holding_of(sim_force_of(sim, i));
        }
    }
    return any;
}

/* Friction that slips is weaker than that which holds: what it no longer bears may make others slip. */
static soa_status choose(soa_sim *sim, soa_error *error)
{
    const size_t n = (size_t)sim->holds;
    double *Y = sim->hold_work, *a0 = Y + n * n, *x = a0 + n;
    soa_status status = SOA_OK;
    bool again = true;
    for (size_t turn = 0; turn <= n && again && status == SOA_OK; turn++) {
        status = responses(sim, a0, Y, error);
        if (status == SOA_OK) {
            solve_boxes(sim, a0, Y, x);
            again = let_go(sim, x);
        }
    }
    return status;
}

/* Velocities that came to zero are zero, joints that hit a stop are at it. */
static void round_off(soa_sim *sim, const double *side)
{
    for (int i = 0; i < sim->holds && side; i++) {
        const sim_hold *h = &sim->hold[i];
        const soa_force *e = sim_force_of(sim, i);
        double *q = &sim->y_front[h->at_q];
        if (!sim_hold_crosses(sim->hold_before[i], side[i]) || sim->hold_on[i] == 0.0) {
            continue;
        }
        if (h->stop && sim->hold_mode[i] == 0.0) {
            *q = *q > 0.5 * (fmax(e->lower, -1e300) + fmin(e->upper, 1e300)) ? e->upper : e->lower;
        } else if (!h->stop && sim->hold_mode[i] != 0.0) {
            sim->y_front[sim->nq + h->at_v] = 0.0;
        }
    }
}

/* The sides at the front, into hold_before. */
static soa_status look(soa_sim *sim, soa_error *error)
{
    if (sim->holds == 0) {
        return SOA_OK;
    }
    const soa_status status = sim_accelerate_at(sim, sim->front, sim->y_front, error);
    sim_hold_sides(sim, sim->y_front, sim->hold_before);
    return sim_is_hard(status) ? status : SOA_OK;
}

soa_status sim_holds_switch(soa_sim *sim, const double *side, soa_error *error)
{
    if (sim->holds == 0) {
        return SOA_OK;
    }
    double before[2], after[2];
    sim_hold_forces(sim, sim->front, sim->y_front + sim->nq);
    round_off(sim, side);
    soa_status status = sim_energy(sim, sim->front, sim->y_front, before, error);
    SOA_NEXT(status, strike_all(sim, error));
    SOA_NEXT(status, sim_energy(sim, sim->front, sim->y_front, after, error));
    if (status != SOA_OK) {
        return status;
    }
    sim->report.work += after[0] - before[0];
    sim->report.impact_energy += after[0] - before[0];
    sort_out(sim);
    status = choose(sim, error);
    sim->f_ready = false;
    sim->h = 0.0;
    return status == SOA_OK ? look(sim, error) : status;
}

soa_status sim_holds_start(soa_sim *sim, soa_error *error)
{
    for (int i = 0; i < sim->holds; i++) {
        const soa_force *e = sim_force_of(sim, i);
        const double q = sim->y_front[sim->hold[i].at_q];
        if (sim->hold[i].stop && fmax(q - e->upper, e->lower - q) > SIM_AT_REST) {
            return soa_fail(error, SOA_E_NUMBER, -1,
                "force '%s' (joint-stop): the joint begins at %g, beyond its stops %g and %g", e->name ? e->name : "",
                q, e->lower, e->upper);
        }
    }
    return sim_holds_switch(sim, NULL, error);
}
