/* sim/coast.c - over a dead point by what the motion was before it.
 *
 * With x the way to a dead point and e what positions miss of the closures, accelerations are wrong by e v^2 / x^3: no
 * integrator can go there with small steps. The motion of a branch is smooth there. So the way over the dead point is one
 * step h, twice the time to it, from the rates at t, t - h, ... t - 5 h on the way back:
 *     y(t + h) = y(t) + h sum over j of b_j f(t - j h)                      (Adams, Bashforth)
 * The difference of the formulas of orders 6 and 5 is its error. Where branches come near each other but do not cross, the
 * motion turns within x, the difference is large, and the integrator goes on with steps that fit. */
#include <math.h>
#include <string.h>

#include "closure/closure.h"
#include "sim/dead_point.h"

/* Singular values below this are near a dead point if they fall; one step takes them down to this part at most. */
#define NEAR  0.1
#define FALLS 0.4
/* Nearer than this what positions miss is all that would be seen. */
#define NEAREST 1e-5
/* A try costs as much as five steps; the next one is worth it where the way is shorter by this. */
#define SHORTER 0.6
/* If so many have failed, steps are as long as their error allows, again. */
#define MOST_TRIES 6
/* How often steps are made shorter, one after the other: estimates of singular values may jump, and no step is short then. */
#define MOST_NEARS 16
/* The largest error, as part of the numbers, that rounding is taken for, of positions or of the lengths of links. Where it is
 * not taken for that, steps go around the corner, and what is lost there is a thousand times as much. */
#define ROUNDING 1e-6
/* Behind the dead point singular values are this part of those before it at least. */
#define BEHIND 0.3

static const double ORDER_6[SIM_COAST_NODES] = { 4277.0 / 1440.0, -7923.0 / 1440.0, 9982.0 / 1440.0, -7298.0 / 1440.0,
    2877.0 / 1440.0, -475.0 / 1440.0 };
static const double ORDER_5[SIM_COAST_NODES] = { 1901.0 / 720.0, -2774.0 / 720.0, 2616.0 / 720.0, -1274.0 / 720.0,
    251.0 / 720.0, 0.0 };

/* Beside the closures redundant rows may count, and then singular values are those of rounding. */
static double rank_of(const soa_sim *sim)
{
    return sim->closures->rows - sim->closures->last.dependent;
}

void sim_note_closures(soa_sim *sim)
{
    sim_dead_point *point = sim->passage.point;
    if (sim->closures && point && rank_of(sim) == point->falls_rank) {
        point->least = fmin(point->least, sim->closures->last.kept);
    }
}

double sim_time_to_dead_point(soa_sim *sim)
{
    sim_dead_point *point = sim->passage.point;
    if (!sim_is_closed(sim)) {
        return HUGE_VAL;
    }
    const double now = sim->closures->last.kept, before = point->falls;
    const double dt = sim->front - point->falls_at;
    const bool falls = now < before && dt > 0.0 && rank_of(sim) == point->falls_rank;
    point->falls_rank = rank_of(sim);
    point->falls = now;
    point->falls_at = sim->front;
    point->least = HUGE_VAL;
    point->tried = falls ? point->tried : 0.0;
    point->tries = falls ? point->tries : 0.0;
    return falls && now < NEAR ? now * dt / (before - now) : HUGE_VAL;
}

bool sim_comes_near(soa_sim *sim)
{
    sim_dead_point *point = sim->passage.point;
    const double now = point->falls, least = point->least;
    const bool tries = now > NEAREST && point->tries < MOST_TRIES;
    const bool near = sim->closures && tries && least < NEAR && least < FALLS * now;
    point->nears += near;
    return near && point->nears <= MOST_NEARS;
}

double sim_shut_tightly(const soa_sim *sim)
{
    const double now = sim->closures->last.kept;
    return now < NEAR ? 1e-16 : sim->setup.shut;
}

/* What an error counts as 1: closures are held to `shut`, so that no position near a dead point is more exact. */
static double scale_of(const soa_sim *sim, int i)
{
    const double size = fmax(fabs(sim->step.y0[i]), fabs(sim->step.y1[i]));
    return fmax(sim->setup.atol + sim->setup.rtol * size, sim->setup.shut);
}

/* The rates at t, t - h, ...: steps of rk45 backward; their largest error beside what is allowed. y0, k and h of the step
 * are its scratch. */
static double go_back(soa_sim *sim, double h)
{
    sim_step *s = &sim->step;
    const size_t ny = (size_t)sim->ny, bytes = ny * sizeof(double);
    const double t = s->t;
    double *rates = sim->passage.rates;
    double most = 0.0;
    s->h = -h;
    memcpy(rates, sim->f_front, bytes);
    for (int j = 1; j < SIM_COAST_NODES && isfinite(most); j++) {
        double off = HUGE_VAL;
        memcpy(s->k[0], rates + (size_t)(j - 1) * ny, bytes);
        most = sim_step_explicit(sim, &off, NULL) == SOA_OK ? fmax(most, off) : HUGE_VAL;
        memcpy(s->y0, s->y1, bytes);
        memcpy(rates + (size_t)j * ny, s->k[6], bytes);
        s->t -= h;
    }
    s->t = t;
    s->h = h;
    memcpy(s->y0, sim->y_front, bytes);
    return most;
}

/* y1 by the formula of order 6; its error beside what is allowed. */
static double go_over(soa_sim *sim, double h)
{
    const sim_step *s = &sim->step;
    double square = 0.0;
    for (int i = 0; i < sim->ny; i++) {
        double sixth = 0.0, fifth = 0.0;
        for (int j = 0; j < SIM_COAST_NODES; j++) {
            const double f = sim->passage.rates[j * sim->ny + i];
            sixth += ORDER_6[j] * f;
            fifth += ORDER_5[j] * f;
        }
        s->y1[i] = s->y0[i] + h * sixth;
        const double off = h * (sixth - fifth) / scale_of(sim, i);
        square += off * off;
    }
    return sqrt(square / fmax(1.0, sim->ny));
}

/* y1 onto the closures, which moves it by little more than the error may be. */
static bool close_behind(soa_sim *sim)
{
    const sim_step *s = &sim->step;
    double *on = sim->passage.on, square = 0.0;
    memcpy(on, s->y1, (size_t)sim->ny * sizeof *on);
    if (soa_normalize(sim->model, on, NULL) != SOA_OK ||
        soa_closure_project(sim->closures, SOA_METRIC_MASS, sim->setup.shut, 1, on, on + sim->nq, NULL, NULL) !=
            SOA_OK) {
        return false;
    }
    for (int i = 0; i < sim->ny; i++) {
        const double moved = (on[i] - s->y1[i]) / scale_of(sim, i);
        square += moved * moved;
    }
    memcpy(s->y1, on, (size_t)sim->ny * sizeof *on);
    const double most = fmax(10.0, ROUNDING / sim->setup.rtol);
    return square <= most * most * sim->ny;
}

/* Errors that no longer fall as the way becomes shorter are those of rounding: less cannot be had. */
static bool is_good(const soa_sim *sim, double off)
{
    const sim_dead_point *point = sim->passage.point;
    const bool rounding = point->tried > 0.0 && off > 0.5 * point->off;
    return off <= (rounding ? fmax(1.0, ROUNDING / sim->setup.rtol) : 1.0);
}

bool sim_coast(soa_sim *sim, double ahead, double most)
{
    sim_step *s = &sim->step;
    sim_dead_point *point = sim->passage.point;
    const double h = 2.0 * ahead, before = point->falls, tried = point->tried;
    s->coasted = false;
    if (!(h < most) || before < NEAREST || (tried > 0.0 && before > SHORTER * tried)) {
        return false;
    }
    const double back = go_back(sim, h), off = isfinite(back) ? fmax(back, go_over(sim, h)) : HUGE_VAL;
    const bool good = is_good(sim, off) && close_behind(sim) &&
                      sim_rate(sim, s->t + h, s->y1, s->k[SIM_COASTED], NULL) == SOA_OK &&
                      sim->closures->last.kept >= BEHIND * before;
    memcpy(s->k[0], sim->f_front, (size_t)sim->ny * sizeof(double));
    point->falls = good ? 0.0 : before;
    point->tried = good ? 0.0 : before;
    point->off = good ? 0.0 : off;
    point->tries = good ? 0.0 : point->tries + 1.0;
    point->nears = good ? 0.0 : point->nears;
    s->coasted = good;
    sim->report.branches_kept += good;
    return good;
}
