/* sim/stepper.c - steps of the explicit Runge-Kutta methods, and the state inside a step.
 *
 * Quaternions are integrated as numbers and made unit at the end of a step: the rate of their extension off the sphere is
 * smooth, so every method keeps its order. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "force/force_set.h"
#include "sim/dead_point.h"
#include "sim/tableaus.h"

/* y + h sum of a[j] k_j over `count` stages */
static void combine(const soa_sim *sim, const double *y, double h, int count, const double *a, double *out)
{
    for (int i = 0; i < sim->ny; i++) {
        double sum = 0.0;
        for (int j = 0; j < count; j++) {
            sum += a[j] * sim->step.k[j][i];
        }
        out[i] = y[i] + h * sum;
    }
}

/* ---- the methods ------------------------------------------------------------------------ */

static const double RK4_A[4][4] = { { 0 }, { 0.5 }, { 0, 0.5 }, { 0, 0, 1 } };
static const double RK4_B[4] = { 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 };
static const double RK4_C[4] = { 0, 0.5, 0.5, 1 };

typedef struct tableau {
    int stages, width;
    const double *A, *B, *C;
} tableau;

static tableau tableau_of(soa_sim_method method)
{
    switch (method) {
    case SOA_RK853:
        return (tableau){ 12, 16, DP8_A[0], DP8_A[12], DP8_C };
    case SOA_RK4:
        return (tableau){ 4, 4, RK4_A[0], RK4_B, RK4_C };
    default:
        return (tableau){ 6, 6, DP5_A[0], DP5_B, DP5_C };
    }
}

/* What an error counts as 1. */
static double scale_of(const soa_sim *sim, int i)
{
    const double size = fmax(fabs(sim->step.y0[i]), fabs(sim->step.y1[i]));
    return sim->setup.atol + sim->setup.rtol * size;
}

static double error_sum(const soa_sim *sim, int count, const double *E)
{
    double square = 0.0;
    for (int i = 0; i < sim->ny; i++) {
        double sum = 0.0;
        for (int j = 0; j < count; j++) {
            sum += E[j] * sim->step.k[j][i];
        }
        square += sum / scale_of(sim, i) * (sum / scale_of(sim, i));
    }
    return square;
}

static double error_of_rk45(const soa_sim *sim)
{
    return fabs(sim->step.h) * sqrt(error_sum(sim, 7, DP5_E) / fmax(sim->ny, 1));
}

/* The error of the step beside what is allowed: up to 1 is good. */
static double error_of(const soa_sim *sim)
{
    const double h = fabs(sim->step.h), n = fmax(sim->ny, 1);
    if (sim_is_implicit(sim)) {
        return sim_error_implicit(sim);
    }
    if (sim->setup.method == SOA_RK45) {
        return error_of_rk45(sim);
    }
    const double fifth = error_sum(sim, 13, DP8_E5), third = error_sum(sim, 13, DP8_E3);
    const double below = fifth + 0.01 * third;
    return below == 0.0 ? 0.0 : h * fifth / sqrt(below * n);
}

/* All stages but the first, the new state in y1, and the rate there. */
static soa_status run_stages(soa_sim *sim, tableau m, soa_error *error)
{
    sim_step *s = &sim->step;
    soa_status status = SOA_OK;
    for (int i = 1; i < m.stages && status == SOA_OK; i++) {
        combine(sim, s->y0, s->h, i, m.A + i * m.width, sim->y_stage);
        status = sim_rate(sim, s->t + m.C[i] * s->h, sim->y_stage, s->k[i], error);
    }
    combine(sim, s->y0, s->h, m.stages, m.B, s->y1);
    SOA_NEXT(status, soa_normalize(sim->model, s->y1, error));
    return status == SOA_OK ? sim_rate(sim, s->t + s->h, s->y1, s->k[m.stages], error) : status;
}

static soa_status try_step(soa_sim *sim, soa_error *error)
{
    if (sim_is_implicit(sim)) {
        return sim_step_implicit(sim, error);
    }
    memcpy(sim->step.k[0], sim->f_front, (size_t)sim->ny * sizeof(double));
    return run_stages(sim, tableau_of(sim->setup.method), error);
}

soa_status sim_step_explicit(soa_sim *sim, double *off, soa_error *error)
{
    const soa_status status = run_stages(sim, tableau_of(SOA_RK45), error);
    *off = status == SOA_OK ? error_of_rk45(sim) : HUGE_VAL;
    return status;
}

static int last_stage(const soa_sim *sim)
{
    const soa_sim_method method = sim->setup.method;
    if (sim->step.coasted) {
        return SIM_COASTED;
    }
    return sim_is_implicit(sim) || method == SOA_VARIATIONAL ? 1 : tableau_of(method).stages;
}

/* Hairer's guess of a first step. */
static double first_step(const soa_sim *sim)
{
    double size = 0.0, rate = 0.0;
    for (int i = 0; i < sim->ny; i++) {
        const double scale = sim->setup.atol + sim->setup.rtol * fabs(sim->y_front[i]);
        size += sim->y_front[i] / scale * (sim->y_front[i] / scale);
        rate += sim->f_front[i] / scale * (sim->f_front[i] / scale);
    }
    const double guess = size > 1e-10 && rate > 1e-10 ? 0.01 * sqrt(size / rate) : 1e-6;
    return fmin(fmax(guess, 1e-9), 0.1);
}

/* How much longer or shorter the next step is. */
static double growth(const soa_sim *sim, double error)
{
    const double order = sim->setup.method == SOA_RK45 ? 5.0 : sim_is_implicit(sim) ? 3.0 : 8.0;
    return error > 0.0 ? fmin(fmax(0.9 * pow(error, -1.0 / order), 0.2), 6.0) : 6.0;
}

static soa_status adaptive_step(soa_sim *sim, double most, soa_error *error)
{
    sim_step *s = &sim->step;
    const double least = 1e-14 * fmax(1.0, fabs(s->t));
    sim->h = sim->h > 0.0 ? sim->h : first_step(sim);
    for (bool again = false;; again = true) {
        const double wanted = sim->setup.largest > 0.0 ? fmin(sim->h, sim->setup.largest) : sim->h;
        s->h = fmin(wanted, most);
        const soa_status status = try_step(sim, error);
        const double off = status == SOA_OK ? error_of(sim) : HUGE_VAL;
        const bool near = off <= 1.0 && sim_comes_near(sim);
        if (off <= 1.0 && !near) {
            sim->passage.point->nears *= again;
            const double factor = growth(sim, off);
            sim->h = s->h < wanted && factor >= 1.0 ? fmax(sim->h, s->h * factor)
                                                    : s->h * (again ? fmin(factor, 1.0) : factor);
            return SOA_OK;
        }
        sim->report.rejected++;
        sim->h = s->h * (near ? 0.5 : isfinite(off) ? fmin(growth(sim, off), 0.9) : 0.25);
        sim->passage.point->least = HUGE_VAL;
        if (!(sim->h > least)) {
            return status != SOA_OK
                       ? status
                       : soa_fail(error, SOA_E_NUMBER, -1,
                             "at t = %.9g the step falls below %.1e: forces are too stiff for an explicit method or "
                             "not smooth; try method stiff, or larger tolerances",
                             s->t, least);
        }
    }
}

static soa_status rate_at_front(soa_sim *sim, soa_error *error)
{
    if (sim->f_ready) {
        return SOA_OK;
    }
    const soa_status status = sim_rate(sim, sim->front, sim->y_front, sim->f_front, error);
    sim->f_ready = status == SOA_OK;
    return status;
}

static soa_status fixed_step(soa_sim *sim, soa_error *error)
{
    return sim->setup.method == SOA_VARIATIONAL ? sim_step_variational(sim, error) : try_step(sim, error);
}

static soa_status step_from(soa_sim *sim, double most, soa_error *error)
{
    sim_step *s = &sim->step;
    s->coasted = false;
    if (!soa_sim_method_adaptive(sim->setup.method)) {
        s->h = sim_fixed_step(sim, most);
        return fixed_step(sim, error);
    }
    const double ahead = sim_time_to_dead_point(sim);
    if (isfinite(ahead) && sim_coast(sim, ahead, most)) {
        return SOA_OK;
    }
    return sim->outer ? sim_outer_step(sim, fmin(most, 0.6 * ahead), error) : adaptive_step(sim, most, error);
}

soa_status sim_step_once(soa_sim *sim, double most, soa_error *error)
{
    sim_step *s = &sim->step;
    s->t = sim->front;
    s->dense_ready = false;
    soa_forces_judge(sim->forces, s->t);
    soa_status status = sim->at_break ? sim_holds_switch(sim, NULL, error) : SOA_OK;
    sim->f_ready = sim->f_ready && !sim->at_break;
    sim->at_break = false;
    status = status == SOA_OK && !sim->outer ? rate_at_front(sim, error) : status;
    SOA_NEXT(status, sim_pass_dead_point(sim, error));
    memcpy(s->y0, sim->y_front, (size_t)sim->ny * sizeof(double));
    SOA_NEXT(status, step_from(sim, most, error));
    if (status == SOA_E_NUMBER && !soa_sim_method_adaptive(sim->setup.method)) {
        return soa_fail(error, SOA_E_NUMBER, -1,
            "the motion grows without bound after t = %.9g: the step is too long for its forces; take a shorter one or "
            "method stiff",
            s->t);
    }
    if (status != SOA_OK) {
        return status;
    }
    bool moved;
    sim->report.steps++;
    sim->front = s->t + s->h;
    memcpy(sim->y_front, s->y1, (size_t)sim->ny * sizeof(double));
    memcpy(sim->f_front, s->k[last_stage(sim)], (size_t)sim->ny * sizeof(double));
    status = sim_settle(sim, sim->y_front, &moved, error);
    sim->f_ready = sim->outer ? !s->coasted && sim_outer_agrees(sim, sim->y_front) : !moved;
    return status;
}

/* ---- inside a step ---------------------------------------------------------------------------- */

/* y(x) = y0 + h x (d0 + x (d1 + x (d2 + x d3))) */
static void dense_of_rk45(soa_sim *sim)
{
    for (int i = 0; i < sim->ny; i++) {
        for (int p = 0; p < 4; p++) {
            double sum = 0.0;
            for (int j = 0; j < 7; j++) {
                sum += DP5_P[j][p] * sim->step.k[j][i];
            }
            sim->step.dense[p][i] = sum * sim->step.h;
        }
    }
}

/* The cubic of Hermite through both ends, y(x) = y0 + x (d0 + x (d1 + x d2)). */
static void dense_of_ends(soa_sim *sim)
{
    const sim_step *s = &sim->step;
    const double *end = s->k[last_stage(sim)];
    for (int i = 0; i < sim->ny; i++) {
        const double change = s->y1[i] - s->y0[i], f0 = s->h * s->k[0][i], f1 = s->h * end[i];
        s->dense[0][i] = f0;
        s->dense[1][i] = 3.0 * change - 2.0 * f0 - f1;
        s->dense[2][i] = f0 + f1 - 2.0 * change;
        s->dense[3][i] = 0.0;
    }
}

/* Three stages more; then y(x) = y0 + x (d0 + (1-x) (d1 + x (d2 + (1-x) (d3 + ...)))). */
static soa_status dense_of_rk853(soa_sim *sim, soa_error *error)
{
    sim_step *s = &sim->step;
    soa_status status = SOA_OK;
    for (int i = 13; i < 16 && status == SOA_OK; i++) {
        combine(sim, s->y0, s->h, i, DP8_A[i], sim->y_stage);
        status = sim_rate(sim, s->t + DP8_C[i] * s->h, sim->y_stage, s->k[i], error);
    }
    for (int i = 0; i < sim->ny; i++) {
        const double change = s->y1[i] - s->y0[i], f0 = s->h * s->k[0][i], f1 = s->h * s->k[12][i];
        s->dense[0][i] = change;
        s->dense[1][i] = f0 - change;
        s->dense[2][i] = 2.0 * change - f0 - f1;
        for (int p = 0; p < 4; p++) {
            double sum = 0.0;
            for (int j = 0; j < 16; j++) {
                sum += DP8_D[p][j] * s->k[j][i];
            }
            s->dense[3 + p][i] = s->h * sum;
        }
    }
    return status;
}

static soa_status make_dense(soa_sim *sim, soa_error *error)
{
    soa_status status = SOA_OK;
    if (sim->step.dense_ready) {
        return SOA_OK;
    }
    if (sim->setup.method == SOA_RK45 && !sim->step.coasted) {
        dense_of_rk45(sim);
    } else if (sim->setup.method == SOA_RK853 && !sim->step.coasted) {
        status = dense_of_rk853(sim, error);
    } else {
        dense_of_ends(sim);
    }
    sim->step.dense_ready = status == SOA_OK;
    return status;
}

static void interpolate(const soa_sim *sim, double x, double *y)
{
    double *const *d = sim->step.dense;
    const bool nested = sim->setup.method == SOA_RK853 && !sim->step.coasted;
    for (int i = 0; i < sim->ny; i++) {
        double sum = 0.0;
        for (int p = nested ? SIM_DENSE - 1 : 3; p >= 0; p--) {
            sum = (sum + d[p][i]) * (nested && p % 2 == 1 ? 1.0 - x : x);
        }
        y[i] = sim->step.y0[i] + sum;
    }
}

soa_status sim_interpolate(soa_sim *sim, double t, double *y, soa_error *error)
{
    if (t == sim->front) {
        memcpy(y, sim->y_front, (size_t)sim->ny * sizeof *y);
        return SOA_OK;
    }
    const bool outside = sim->outer && !sim->step.coasted;
    soa_status status = outside ? sim->setup.integrator->at(sim->outer, t, y, error) : make_dense(sim, error);
    if (status != SOA_OK) {
        return status;
    }
    if (!outside) {
        interpolate(sim, (t - sim->step.t) / sim->step.h, y);
    }
    return soa_normalize(sim->model, y, error);
}
