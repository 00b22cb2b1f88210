/* sim/together.c - many simulations of one model, or of models that differ in inertias and gravity alone, moved by the
 * classical Runge-Kutta method at once, in lanes.
 *
 * Numbers are blocked as soa/dynamics.h says: number i of all states of a block side by side. What a step adds up is then one
 * loop over all numbers, and forward dynamics is one call for all states. The operations of one state are those of
 * stepper.c in the same order, so that its bits are the same. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "dynamics/kernels.h"
#include "force/force_set.h"
#include "sim/sim_system.h"

enum { STAGES = 5 }; /* four, and the rate at the end, which is the first of the next step */

/* q, v and z of all states, or their rates. */
typedef struct blocks {
    double *part[3];
} blocks;

typedef struct crowd {
    int count, lanes;
    soa_sim *const *sim;
    const soa_model *model;
    soa_workspace *workspace;
    int numbers[3];  /* nq, nv, nz */
    size_t total[3]; /* of all states, with the places of those that the last block lacks */
    bool q_dot_is_v; /* every rate of q is a velocity */
    bool pushed;     /* there are elements or controllers */
    bool loaded;     /* some of them act at points */
    blocks y, stage, k[STAGES];
    double *T, *f;
    double *M;   /* soa_call.M, if there are several models; else NULL */
    double *one; /* of one state: q, v, z and their rates */
} crowd;

/* ---- whether it can be done ------------------------------------------------------------------------- */

/* Nothing is to be looked for inside a step, and nothing begins or ends. */
static bool is_smooth(const soa_sim *sim, double t)
{
    return sim->events == 0 && sim->holds == 0 && sim->leads == 0 && !sim->stopped && !sim_is_closed(sim) &&
           sim_next_break(sim, t) == t;
}

static bool is_alike(const soa_sim *a, const soa_sim *b)
{
    return soa_model_alike(a->model, b->model) && !b->setup.forward && a->loaded == b->loaded &&
           a->setup.method == b->setup.method && a->setup.step == b->setup.step && a->front == b->front &&
           a->ny == b->ny && a->nz == b->nz && (a->f_ready && !a->at_break) == (b->f_ready && !b->at_break);
}

static bool can_go(int count, soa_sim *const *sim, double t)
{
    bool good = count > 1 && sim[0]->setup.method == SOA_RK4 && sim[0]->front < t;
    for (int i = 0; i < count && good; i++) {
        good = is_alike(sim[0], sim[i]) && is_smooth(sim[i], t);
    }
    return good && soa_workspace_lanes(sim[0]->workspace) > 1;
}

/* ---- one state in and out of its block ----------------------------------------------------------------- */

static size_t place(const crowd *c, int n, int state, int i)
{
    return ((size_t)(state / c->lanes) * (size_t)n + (size_t)i) * (size_t)c->lanes + (size_t)(state % c->lanes);
}

static void take_out(const crowd *c, const blocks *from, int state, double *y)
{
    for (int p = 0; p < 3; p++) {
        for (int i = 0; i < c->numbers[p]; i++) {
            *y++ = from->part[p][place(c, c->numbers[p], state, i)];
        }
    }
}

static void put_in(const crowd *c, blocks *to, int state, const double *y)
{
    for (int p = 0; p < 3; p++) {
        for (int i = 0; i < c->numbers[p]; i++) {
            to->part[p][place(c, c->numbers[p], state, i)] = *y++;
        }
    }
}

static void put_numbers(const crowd *c, double *to, int n, int state, const double *x)
{
    for (int i = 0; i < n; i++) {
        to[place(c, n, state, i)] = x[i];
    }
}

/* ---- rates ---------------------------------------------------------------------------------------------- */

/* The rates, but for those of v, of one state whose rates of q are not its velocities, or on which forces act; q becomes of unit length. */
static soa_status rate_of_one(crowd *c, int state, double t, const blocks *y, blocks *k)
{
    soa_sim *sim = c->sim[state];
    double *q = c->one, *v = q + sim->nq, *z = v + sim->nv, *rate = z + sim->nz;
    double *z_rate = rate + sim->nq + sim->nv;
    take_out(c, y, state, q);
    memset(rate, 0, (size_t)sim->ny * sizeof *rate);
    soa_model_rates(sim->model, q, v, rate);
    soa_status status = soa_normalize(sim->model, q, NULL);
    if (status == SOA_OK && c->pushed) {
        status = sim_forces(sim, t, q, v, z, z_rate, NULL);
        put_numbers(c, c->T, sim->nv, state, sim->T);
    }
    if (status == SOA_OK && c->loaded) {
        put_numbers(c, c->f, 6 * soa_model_bodies(sim->model), state, sim->f);
    }
    put_numbers(c, y->part[0], sim->nq, state, q);
    put_in(c, k, state, rate);
    return status;
}

/* Rates at y. Quaternions of y become of unit length. */
static soa_status rate(crowd *c, double t, const blocks *y, blocks *k)
{
    soa_status status = SOA_OK;
    if (c->q_dot_is_v && !c->pushed) {
        memcpy(k->part[0], y->part[1], c->total[0] * sizeof(double));
    }
    for (int i = 0; i < c->count && status == SOA_OK && !(c->q_dot_is_v && !c->pushed); i++) {
        status = rate_of_one(c, i, t, y, k);
    }
    soa_call call = { .q.at = y->part[0], .v.at = y->part[1], .u.at = c->T, .f.at = c->f, .M.at = c->M };
    call.y.at = k->part[1];
    return status == SOA_OK ? soa_run(c->workspace, c->model, SOA_KERNEL_forward_dynamics, c->count, &call, NULL)
                            : status;
}

/* ---- a step ----------------------------------------------------------------------------------------------- */

/* stage = y + h (a k) */
static void advance(const crowd *c, double h, double a, const blocks *k)
{
    for (int p = 0; p < 3; p++) {
        const double *y = c->y.part[p], *x = k->part[p];
        double *to = c->stage.part[p];
        for (size_t i = 0; i < c->total[p]; i++) {
            to[i] = y[i] + h * (0.0 + a * x[i]);
        }
    }
}

/* y = y + h (k0/6 + k1/3 + k2/3 + k3/6) */
static void go_on(crowd *c, double h)
{
    const double sixth = 1.0 / 6, third = 1.0 / 3;
    for (int p = 0; p < 3; p++) {
        const double *k0 = c->k[0].part[p], *k1 = c->k[1].part[p], *k2 = c->k[2].part[p], *k3 = c->k[3].part[p];
        double *y = c->y.part[p];
        for (size_t i = 0; i < c->total[p]; i++) {
            y[i] = y[i] + h * (((0.0 + sixth * k0[i]) + third * k1[i]) + third * k2[i] + sixth * k3[i]);
        }
    }
}

/* Quaternions become of unit length, as stepper.c makes them before it asks for the rate at the end of a step. */
static soa_status make_unit(crowd *c)
{
    soa_status status = SOA_OK;
    for (int i = 0; i < c->count && status == SOA_OK && !c->q_dot_is_v; i++) {
        take_out(c, &c->y, i, c->one);
        status = soa_normalize(c->model, c->one, NULL);
        put_in(c, &c->y, i, c->one);
    }
    return status;
}

static soa_status step(crowd *c, double t, double h)
{
    for (int i = 0; i < c->count; i++) {
        soa_forces_judge(c->sim[i]->forces, t);
    }
    advance(c, h, 0.5, &c->k[0]);
    soa_status status = rate(c, t + 0.5 * h, &c->stage, &c->k[1]);
    if (status == SOA_OK) {
        advance(c, h, 0.5, &c->k[1]);
        status = rate(c, t + 0.5 * h, &c->stage, &c->k[2]);
    }
    if (status == SOA_OK) {
        advance(c, h, 1.0, &c->k[2]);
        status = rate(c, t + h, &c->stage, &c->k[3]);
    }
    if (status != SOA_OK) {
        return status;
    }
    go_on(c, h);
    status = make_unit(c);
    SOA_NEXT(status, rate(c, t + h, &c->y, &c->k[4]));
    const blocks next = c->k[4];
    c->k[4] = c->k[0];
    c->k[0] = next;
    return status;
}

/* Steps until t, as soa_sim_advance makes them; *steps counts. */
static soa_status go_to(crowd *c, double t, long *steps)
{
    const soa_sim *first = c->sim[0];
    double front = first->front;
    soa_status status = SOA_OK;
    if (!first->f_ready || first->at_break) {
        for (int i = 0; i < c->count; i++) {
            soa_forces_judge(c->sim[i]->forces, front);
        }
        advance(c, 0.0, 0.0, &c->k[0]); /* a copy: y keeps its bits */
        status = rate(c, front, &c->stage, &c->k[0]);
    }
    while (t - front > sim_rounding(t) && status == SOA_OK) {
        const double h = sim_fixed_step(first, t - front);
        status = step(c, front, h);
        front = front + h;
        ++*steps;
    }
    return status;
}

/* ---- made and ended ------------------------------------------------------------------------------------------- */

static bool rates_are_velocities(const soa_model *model)
{
    bool all = true;
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_joint_kind kind = soa_model_body(model, k).kind;
        all = all && kind != SOA_PLANAR && kind != SOA_SPHERICAL && kind != SOA_FREE;
    }
    return all;
}

/* What the model of each state has of its own; places without a state repeat the last. */
static void put_models(crowd *c)
{
    const int n = soa_varied_numbers(c->model), places = (c->count + c->lanes - 1) / c->lanes * c->lanes;
    for (int i = 0; c->M && i < places; i++) {
        const soa_model *m = c->sim[i < c->count ? i : c->count - 1]->model;
        for (int k = 0; k < m->bodies; k++) {
            for (int j = 0; j < 10; j++) {
                c->M[place(c, n, i, 10 * k + j)] = m->body[k].inertia[j];
            }
        }
        for (int j = 0; j < 3; j++) {
            c->M[place(c, n, i, 10 * m->bodies + j)] = m->description.gravity[j];
        }
    }
}

static soa_status make(crowd *c, int count, soa_sim *const *sim, soa_arena *arena, soa_error *error)
{
    const soa_sim *s = sim[0];
    *c = (crowd){ .count = count,
        .sim = sim,
        .model = s->model,
        .lanes = soa_workspace_lanes(s->workspace),
        .numbers = { s->nq, s->nv, s->nz },
        .q_dot_is_v = rates_are_velocities(s->model),
        .pushed = s->nz > 0,
        .loaded = s->loaded };
    const size_t places = (size_t)((count + c->lanes - 1) / c->lanes) * (size_t)c->lanes;
    bool several = false;
    for (int i = 0; i < count; i++) {
        several = several || sim[i]->model != s->model;
    }
    blocks *const each[] = { &c->y, &c->stage, &c->k[0], &c->k[1], &c->k[2], &c->k[3], &c->k[4] };
    for (int p = 0; p < 3; p++) {
        c->total[p] = places * (size_t)c->numbers[p];
        for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
            each[i]->part[p] = soa_arena_take(arena, c->total[p], sizeof(double));
        }
    }
    c->T = soa_arena_take(arena, c->total[1], sizeof(double));
    c->f = c->loaded ? soa_arena_take(arena, 6 * places * (size_t)soa_model_bodies(s->model), sizeof(double)) : NULL;
    c->M = several ? soa_arena_take(arena, places * (size_t)soa_varied_numbers(s->model), sizeof(double)) : NULL;
    c->one = soa_arena_take(arena, 2 * (size_t)s->ny, sizeof(double));
    if (arena->failed) {
        return soa_fail_memory(error);
    }
    put_models(c);
    const soa_status status = soa_workspace_new(s->model, &s->allocator, &c->workspace, error);
    for (int i = 0; i < count; i++) {
        put_in(c, &c->y, i, sim[i]->y_front);
        put_in(c, &c->k[0], i, sim[i]->f_front);
    }
    return status == SOA_OK ? soa_workspace_set_layout(c->workspace, SOA_LAYOUT_BLOCKED, error) : status;
}

/* Every simulation is where soa_sim_advance would have brought it. */
static void give_back(crowd *c, double t, long steps)
{
    for (int i = 0; i < c->count; i++) {
        soa_sim *sim = c->sim[i];
        take_out(c, &c->k[0], i, sim->f_front);
        take_out(c, &c->y, i, sim->y_front);
        memcpy(sim->y, sim->y_front, (size_t)sim->ny * sizeof(double));
        sim->report.evaluations += 4 * steps + (!sim->f_ready || sim->at_break);
        sim->report.steps += steps;
        sim->front = sim->t = t;
        sim->f_ready = sim->at_break = true;
    }
}

/* False: nothing has changed, and each must go alone. */
static bool went_together(int count, soa_sim *const *sim, double t)
{
    crowd c;
    long steps = 0;
    soa_error error;
    soa_arena arena = soa_arena_on(&sim[0]->allocator);
    soa_status status = make(&c, count, sim, &arena, &error);
    SOA_NEXT(status, go_to(&c, t, &steps));
    if (status == SOA_OK) {
        give_back(&c, t, steps);
    }
    soa_workspace_free(c.workspace);
    soa_arena_free(&arena);
    return status == SOA_OK;
}

soa_status soa_sim_advance_all(int count, soa_sim *const *sim, double t, soa_status *status, soa_error *error)
{
    if (count < 0 || (count > 0 && (!sim || !status))) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the simulations or the place of their statuses are missing");
    }
    for (int i = 0; i < count; i++) {
        if (!sim[i]) {
            return soa_fail_null(error, "a simulation");
        }
    }
    if (isfinite(t) && can_go(count, sim, t) && went_together(count, sim, t)) {
        for (int i = 0; i < count; i++) {
            status[i] = SOA_OK;
            soa_error_clear(error ? &error[i] : NULL);
        }
        return SOA_OK;
    }
    soa_status first = SOA_OK;
    for (int i = 0; i < count; i++) {
        status[i] = soa_sim_advance(sim[i], t, error ? &error[i] : NULL);
        first = first == SOA_OK ? status[i] : first;
    }
    return first;
}
