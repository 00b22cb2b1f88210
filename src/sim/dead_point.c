/* sim/dead_point.c - a mechanism that passes a dead point stays on its branch.
 *
 * Branches of positions cross at a dead point like the lines of x y = 0. What steps leave of a violation e makes the
 * hyperbola x y = e of them, which short steps follow from one branch onto the other: the velocity turns on a way of
 * sqrt(e), and no single step shows it. Velocities of a branch satisfy its closures at every position near by, those of
 * the other one do not. So the last state before the dead point is remembered, and the first one behind it is judged there:
 *     v - P(q_before) v = 0   on the same branch, of the size of v on the other; P projects onto what closures allow.
 * Where the branch has changed, the motion goes on from q_before along its branch, with the energy that it had. */
#include <math.h>
#include <string.h>

#include "closure/closure.h"
#include "core/error.h"
#include "sim/dead_point.h"

/* Near a dead point singular values are below this, or below this many times the size of the hyperbola. */
#define NEAR_DEAD_POINT 1e-3
#define HYPERBOLAS      30.0
/* Longest way past a dead point, and the largest change of speed, over which the motion is continued. */
#define LONGEST_WAY 0.2
#define SPEED       0.2

static double largest(int n, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

void sim_passage_make(soa_sim *sim)
{
    const size_t ny = (size_t)sim->ny, nv = (size_t)sim->nv;
    sim_passage *p = &sim->passage;
    p->point = (void *)sim_numbers_take(sim, sizeof *p->point / sizeof(double));
    p->y = sim_numbers_take(sim, ny);
    p->a = sim_numbers_take(sim, nv);
    p->jerk = sim_numbers_take(sim, nv);
    p->on = sim_numbers_take(sim, ny);
    p->w = sim_numbers_take(sim, nv);
    p->rates = sim_numbers_take(sim, SIM_COAST_NODES * ny);
}

void sim_passage_forget(soa_sim *sim)
{
    sim->passage.point->known = 0.0;
    sim->passage.point->falls = 0.0;
}

/* The state at the front is the last one before a dead point, for all that is known. */
static void remember(soa_sim *sim, int rank)
{
    sim_passage *p = &sim->passage;
    const double *a = sim->f_front + sim->nq, h = sim->front - p->point->time;
    const bool smooth = p->point->known > 0.0 && p->point->inside == 0.0 && h > 0.0;
    for (int i = 0; i < sim->nv; i++) {
        p->jerk[i] = smooth ? (a[i] - p->a[i]) / h : 0.0;
        p->a[i] = a[i];
    }
    memcpy(p->y, sim->y_front, (size_t)sim->ny * sizeof *p->y);
    p->point->known = 1.0;
    p->point->inside = 0.0;
    p->point->time = sim->front;
    p->point->rank = rank;
}

/* Whether the closures where the passage began allow v. What cannot be judged (prescribed motions) is allowed. */
static bool allows(soa_sim *sim, const double *v)
{
    const sim_passage *p = &sim->passage;
    memcpy(p->w, v, (size_t)sim->nv * sizeof *v);
    if (soa_closure_project_velocity(sim->closures, SOA_METRIC_MASS, 1, p->y, p->w, NULL, NULL) != SOA_OK) {
        return true;
    }
    return soa_loops_allow(sim->closures, v, p->w);
}

/* on: q and v after dt along the branch,
 *     q = q_before + dt (v + dt a / 2 + dt^2 jerk / 6),  v = v_before + dt a + dt^2 jerk / 2,  both onto the closures. */
static bool go_on(soa_sim *sim, double dt)
{
    const sim_passage *p = &sim->passage;
    double *v = p->on + sim->nq;
    for (int i = 0; i < sim->nv; i++) {
        const double v0 = p->y[sim->nq + i];
        p->w[i] = v0 + dt * (p->a[i] / 2.0 + dt * p->jerk[i] / 6.0);
        v[i] = v0 + dt * (p->a[i] + dt * p->jerk[i] / 2.0);
    }
    if (!(dt * largest(sim->nv, p->w) <= LONGEST_WAY)) {
        return false;
    }
    soa_integrate(sim->model, p->y, p->w, dt, p->on);
    return soa_closure_project(sim->closures, SOA_METRIC_MASS, sim->setup.shut, 1, p->on, v, NULL, NULL) == SOA_OK &&
           allows(sim, v);
}

/* v of `on` becomes as fast as the energy at the front asks. */
static bool keep_energy(soa_sim *sim)
{
    double *y = sim->passage.on, has[2] = { 0.0 }, new[2] = { 0.0 };
    memcpy(y + sim->nq + sim->nv, sim->y_front + sim->nq + sim->nv, (size_t)sim->nz * sizeof *y);
    if (sim_energy(sim, sim->front, sim->y_front, has, NULL) != SOA_OK ||
        sim_energy(sim, sim->front, y, new, NULL) != SOA_OK) {
        return false;
    }
    const double speed = sqrt(fmax(0.0, has[0] + has[1] - new[1]) / new[0]);
    for (int i = 0; i < sim->nv; i++) {
        y[sim->nq + i] *= speed;
    }
    return fabs(speed - 1.0) < SPEED;
}

soa_status sim_pass_dead_point(soa_sim *sim, soa_error *error)
{
    const sim_passage *p = &sim->passage;
    if (!sim_is_closed(sim)) {
        return SOA_OK;
    }
    soa_status status = sim->outer ? sim_rate(sim, sim->front, sim->y_front, sim->f_front, error) : SOA_OK;
    const double near = fmax(NEAR_DEAD_POINT, HYPERBOLAS * sqrt(sim->setup.shut));
    const double dt = sim->front - p->point->time;
    const int rank = sim->closures->rows - sim->closures->last.dependent;
    const bool known = p->point->known > 0.0 && dt >= 0.0;
    if (sim->closures->last.kept < near || (known && rank < (int)p->point->rank)) {
        p->point->inside = 1.0;
        return status;
    }
    const bool passed = known && p->point->inside > 0.0 && rank == (int)p->point->rank;
    if (status == SOA_OK && passed && !allows(sim, sim->y_front + sim->nq)) {
        const bool kept = go_on(sim, dt) && keep_energy(sim);
        sim->report.branches_kept += kept;
        sim->report.branches_changed += !kept;
        memcpy(sim->y_front, kept ? p->on : sim->y_front, (size_t)sim->ny * sizeof *p->on);
        status = sim_rate(sim, sim->front, sim->y_front, sim->f_front, error);
        sim->f_ready = sim->f_ready && !sim->outer; /* which begins anew */
    }
    remember(sim, rank);
    return status;
}
