/* sim/variational.c - a variational step: symplectic, of order 2, it keeps momenta that symmetry keeps.
 *
 * The discrete Lagrangian is h L(q_m, v), q_m the middle of the step: q1 = q_m exp(x), q0 = q_m exp(-x), x = h v/2. Its
 * stationarity gives, with the momenta m = Mass v of both ends and F the force on q_m that is not Lagrangian,
 *     h G = Ad(exp -x)* m1 - Ad(exp x)* m0,            G = dL/dq + F = Mass vdot + Mass' v - ad_v* Mass v,
 *     2 Mass v = dexp(-x)* m1 + dexp(x)* m0 = dexp(x)* (h G + m0 + Ad(exp x)* m0),
 * vdot at (q_m, v). The second line is iterated for v: the error shrinks by (h w/2)^2 for a frequency w. Forces of
 * closures come with vdot; what they leave is projected as after every step. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "sim/group.h"
#include "sim/sim_system.h"
#include "soa/christoffel.h"

enum { ITERATIONS = 100 };

/* Vectors of a step, all of nv numbers but y (ny). */
typedef struct middle {
    double *y, *rate;        /* at the middle */
    double *x, *m0, *moved;  /* x, m0, Ad(exp x)* m0 */
    double *hG, *sum, *next; /* h G, the right side, the new v */
} middle;

static middle vectors_of(soa_sim *sim)
{
    double *const *k = sim->step.k + 2;
    return (middle){ k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7] };
}

/* hG at the middle for the v there. */
static soa_status impulse(soa_sim *sim, const middle *m, soa_error *error)
{
    const size_t n = (size_t)sim->nv;
    const double *v = m->y + sim->nq, h = sim->step.h;
    double *p = m->sum, *turned = m->next, *rate_of_mass = sim->A;
    soa_status status = sim_rate(sim, sim->step.t + 0.5 * h, m->y, m->rate, error);
    SOA_NEXT(status, soa_mass_rate(sim->model, sim->workspace, 1, m->y, v, rate_of_mass, error));
    SOA_NEXT(status, soa_mass_multiply(sim->model, sim->workspace, 1, m->y, m->rate + sim->nq, m->hG, error));
    SOA_NEXT(status, soa_mass_multiply(sim->model, sim->workspace, 1, m->y, v, p, error));
    if (status != SOA_OK) {
        return status;
    }
    sim_dual_bracket(sim->model, v, p, turned);
    for (size_t i = 0; i < n; i++) {
        double sum = m->hG[i] - turned[i];
        for (size_t j = 0; j < n; j++) {
            sum += rate_of_mass[i * n + j] * v[j];
        }
        m->hG[i] = h * sum;
    }
    return SOA_OK;
}

/* The middle from its v, then the next v. *change: its largest difference, beside the largest velocity. */
static soa_status iterate(soa_sim *sim, const middle *m, double *change, soa_error *error)
{
    const size_t n = (size_t)sim->nv;
    double *v = m->y + sim->nq, largest = 0.0, difference = 0.0;
    for (size_t i = 0; i < n; i++) {
        m->x[i] = 0.5 * sim->step.h * v[i];
    }
    soa_integrate(sim->model, sim->step.y0, m->x, 1.0, m->y);
    soa_status status = impulse(sim, m, error);
    sim_dual_series(sim->model, 0, m->x, m->m0, m->moved);
    for (size_t i = 0; i < n; i++) {
        m->sum[i] = m->hG[i] + m->m0[i] + m->moved[i];
    }
    sim_dual_series(sim->model, 1, m->x, m->sum, m->next);
    SOA_NEXT(status, soa_mass_solve(sim->model, sim->workspace, 1, m->y, m->next, m->sum, error));
    for (size_t i = 0; i < n && status == SOA_OK; i++) {
        const double next = 0.5 * m->sum[i];
        difference = fmax(difference, fabs(next - v[i]));
        largest = fmax(largest, fabs(next));
        v[i] = next;
    }
    *change = difference > 0.0 ? difference / largest : 0.0;
    return status;
}

/* v of the middle to the last digits. */
static soa_status find_middle(soa_sim *sim, const middle *m, soa_error *error)
{
    const double good = 1e-15, bearable = 1e-11;
    double change = HUGE_VAL, before;
    soa_status status = SOA_OK;
    int count = 0;
    do {
        before = change;
        status = iterate(sim, m, &change, error);
        count++;
    } while (status == SOA_OK && change > good && (change > bearable || change < before) && count < ITERATIONS);
    return status != SOA_OK || change <= bearable
               ? status
               : soa_fail(error, SOA_E_NUMBER, -1, "the variational step does not converge");
}

soa_status sim_step_variational(soa_sim *sim, soa_error *error)
{
    sim_step *s = &sim->step;
    const size_t n = (size_t)sim->nv;
    const middle m = vectors_of(sim);
    const double *v0 = s->y0 + sim->nq;
    memcpy(s->k[0], sim->f_front, (size_t)sim->ny * sizeof(double));
    for (int i = sim->nq; i < sim->ny; i++) {
        m.y[i] = s->y0[i] + 0.5 * s->h * s->k[0][i];
    }
    sim_lags_ahead(sim, s->y0, s->k[0], 0.5 * s->h, m.y); /* a lag may be far shorter than the step */
    soa_status status = soa_mass_multiply(sim->model, sim->workspace, 1, s->y0, v0, m.m0, error);
    SOA_NEXT(status, find_middle(sim, &m, error));
    for (size_t i = 0; i < n; i++) {
        m.sum[i] = m.hG[i] + m.moved[i];
    }
    sim_dual_series(sim->model, 0, m.x, m.sum, m.next);
    soa_integrate(sim->model, m.y, m.x, 1.0, s->y1);
    SOA_NEXT(status, soa_mass_solve(sim->model, sim->workspace, 1, s->y1, m.next, s->y1 + sim->nq, error));
    return status == SOA_OK ? sim_finish_account(sim, error) : status;
}
