/* sim/implicit.c - a linearly implicit step with exact derivatives, for stiff forces.
 *
 * Rodas3 (Sandu and others 1997): four stages, order 3, L-stable, stiffly accurate. In the coordinates
 * x = (Delta; v), q = q0 moved by Delta,
 *     dDelta/dt = v + [Delta, v]/2 + [Delta, [Delta, v]]/12 - ...,    dv/dt = vdot(q, v),
 *     (I/(h g) - A) K_i = F(x + sum a_ij K_j) + sum c_ij K_j / h + h g_i dF/dt,   g = 1/2,
 * with A = (G I; vdot_q vdot_v), G = [., v]/2. The upper half is eliminated:
 *     K_q = W (r_q + K_v),  W = (I/(h g) - G)^-1,    (I/(h g) - vdot_v - vdot_q W) K_v = r_v + vdot_q W r_q.
 * Torques m of motors with a lag stand in x after v. With m' = U (q; v) - m/lag they are eliminated first:
 *     K_m = c (r_m + U_q K_q + U_v K_v),  c = 1/(1/(h g) + 1/lag),    vdot_q += vdot_m c U_q,  r_v += vdot_m c r_m. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "core/error.h"
#include "sim/group.h"
#include "sim/sim_system.h"

enum { STAGES = 4 };
static const double G = 0.5;
static const double A_[STAGES][3] = { { 0 }, { 0 }, { 2 }, { 2, 0, 1 } };
static const double C_[STAGES][3] = { { 0 }, { 4 }, { 1, -1 }, { 1, -1, -8.0 / 3 } };
static const double M_[STAGES] = { 2, 0, 1, 1 }, AT[STAGES] = { 0, 0, 1, 1 }, RATE[STAGES] = { 0.5, 1.5, 0, 0 };

/* ---- motors with a lag ----------------------------------------------------------------------------- */

/* c of lag l. */
static double part_of(const soa_sim *sim, double hg, size_t l)
{
    return 1.0 / (1.0 / hg + 1.0 / sim_lag_of(sim, (int)l));
}

static const double *lag_columns(const soa_sim *sim)
{
    return sim->lag_rows + 2 * (size_t)sim->nv * (size_t)sim->lags;
}

/* vdot_q += vdot_m c U_q, vdot_v += vdot_m c U_v */
static void fold_lags(soa_sim *sim, double hg)
{
    const size_t n = (size_t)sim->nv, lags = (size_t)sim->lags;
    for (size_t l = 0; l < lags; l++) {
        for (size_t i = 0; i < n; i++) {
            const double by_m = lag_columns(sim)[i * lags + l] * part_of(sim, hg, l);
            for (size_t k = 0; k < n; k++) {
                sim->A[i * n + k] += by_m * sim->lag_rows[l * n + k];
                sim->A[(n + i) * n + k] += by_m * sim->lag_rows[(lags + l) * n + k];
            }
        }
    }
}

/* r_v += vdot_m c r_m */
static void push_lags(const soa_sim *sim, double hg, double *r)
{
    const size_t n = (size_t)sim->nv, lags = (size_t)sim->lags;
    for (size_t l = 0; l < lags; l++) {
        for (size_t i = 0; i < n; i++) {
            r[n + i] += lag_columns(sim)[i * lags + l] * part_of(sim, hg, l) * r[2 * n + l];
        }
    }
}

/* K_m from K_q and K_v. */
static void pull_lags(const soa_sim *sim, double hg, double *K)
{
    const size_t n = (size_t)sim->nv, lags = (size_t)sim->lags;
    for (size_t l = 0; l < lags; l++) {
        for (size_t k = 0; k < n; k++) {
            K[2 * n + l] += sim->lag_rows[l * n + k] * K[k] + sim->lag_rows[(lags + l) * n + k] * K[n + k];
        }
        K[2 * n + l] *= part_of(sim, hg, l);
    }
}

/* ---- the matrix of the stages -------------------------------------------------------------------- */

/* I/(h g) - vdot_v - vdot_q W, factored. */
static soa_status factor(soa_sim *sim, double hg, const double *v, soa_error *error)
{
    const size_t n = (size_t)sim->nv;
    const double *vdot_q = sim->A, *vdot_v = vdot_q + n * n;
    double *unit = sim->y_stage, *column = sim->y_try;
    fold_lags(sim, hg);
    memset(unit, 0, n * sizeof *unit);
    for (size_t k = 0; k < n; k++) {
        unit[k] = 1.0;
        sim_chart_solve(sim->model, hg, v, unit, column);
        unit[k] = 0.0;
        for (size_t i = 0; i < n; i++) {
            double sum = (i == k ? 1.0 / hg : 0.0) - vdot_v[i * n + k];
            for (size_t j = 0; j < n; j++) {
                sum -= vdot_q[i * n + j] * column[j];
            }
            sim->lu[i * n + k] = sum;
        }
    }
    return soa_lu(n, sim->lu, sim->pivot, SOA_ROUNDED).rank == n
               ? SOA_OK
               : soa_fail(error, SOA_E_SINGULAR, -1,
                     "at t = %.9g the implicit step has no solution; take a shorter one", sim->step.t);
}

/* K of the right sides r = (r_q; r_v; r_m), in place. */
static void solve(soa_sim *sim, double hg, const double *v, double *r)
{
    const size_t n = (size_t)sim->nv;
    double *r_v = r + n, *turned = sim->y_try, *right = sim->y_stage;
    push_lags(sim, hg, r);
    sim_chart_solve(sim->model, hg, v, r, turned);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            r_v[i] += sim->A[i * n + j] * turned[j];
        }
    }
    memcpy(right, r_v, n * sizeof *right);
    soa_lu_solve(n, sim->lu, sim->pivot, 1, right, r_v);
    for (size_t i = 0; i < n; i++) {
        r[i] += r_v[i];
    }
    sim_chart_solve(sim->model, hg, v, r, turned);
    memcpy(r, turned, n * sizeof *r);
    pull_lags(sim, hg, r);
}

/* ---- the step ---------------------------------------------------------------------------------------- */

/* x at the start of the step. */
static void begin(const soa_sim *sim, double *x)
{
    const sim_step *s = &sim->step;
    const size_t n = (size_t)sim->nv, lags = (size_t)sim->lags;
    memset(x, 0, n * sizeof *x);
    memcpy(x + n, s->y0 + sim->nq, n * sizeof *x);
    memcpy(x + 2 * n, s->y0 + (size_t)sim->ny - lags, lags * sizeof *x);
}

/* F at x = (Delta; v; m), relative to y0; the rest of z goes on with its first rate. */
static soa_status rate_at(soa_sim *sim, double t, const double *x, double *F, soa_error *error)
{
    const sim_step *s = &sim->step;
    const size_t n = (size_t)sim->nv;
    double *y = sim->y_stage, *z = y + sim->nq + n;
    soa_integrate(sim->model, s->y0, x, 1.0, y);
    memcpy(y + sim->nq, x + n, n * sizeof *y);
    for (int i = 0; i < sim->nz; i++) {
        z[i] = s->y0[sim->nq + sim->nv + i] + (t - s->t) * s->k[0][sim->nq + sim->nv + i];
    }
    const size_t lags = (size_t)sim->lags, at = (size_t)sim->ny - lags;
    memcpy(y + at, x + 2 * n, lags * sizeof *y);
    const soa_status status = sim_rate(sim, t, y, sim->y_try, error);
    sim_chart_rate(sim->model, x, x + n, F);
    memcpy(F + n, sim->y_try + sim->nq, n * sizeof *F);
    memcpy(F + 2 * n, sim->y_try + at, lags * sizeof *F);
    return status;
}

/* K_i, into k[2 + i]; x is scratch. */
static soa_status stage(soa_sim *sim, int i, const double *F_t, double *x, double *F, soa_error *error)
{
    const sim_step *s = &sim->step;
    const size_t n = (size_t)sim->nv, size = 2 * n + (size_t)sim->lags;
    double *K = s->k[2 + i];
    soa_status status = SOA_OK;
    if (i != 1) { /* the second stage is where the first was */
        begin(sim, x);
        for (int j = 0; j < i; j++) {
            for (size_t r = 0; r < size; r++) {
                x[r] += A_[i][j] * s->k[2 + j][r];
            }
        }
        status = rate_at(sim, s->t + AT[i] * s->h, x, F, error);
    }
    for (size_t r = 0; r < size; r++) {
        K[r] = F[r] + (r < n ? 0.0 : s->h * RATE[i] * F_t[r - n]);
        for (int j = 0; j < i; j++) {
            K[r] += C_[i][j] / s->h * s->k[2 + j][r];
        }
    }
    if (status == SOA_OK) {
        solve(sim, G * s->h, s->y0 + sim->nq, K);
    }
    return status;
}

/* dF/dt of v and m at fixed q, v and m: of forces that depend on time and on the rest of z. */
static soa_status time_rate(soa_sim *sim, double *F_t, soa_error *error)
{
    const sim_step *s = &sim->step;
    const double dt = 1e-4 * s->h;
    double *y = sim->y_try;
    memcpy(y, s->y0, (size_t)sim->ny * sizeof *y);
    for (int i = sim->nq + sim->nv; i < sim->ny - sim->lags; i++) {
        y[i] += dt * s->k[0][i];
    }
    const soa_status status = sim_rate(sim, s->t + dt, y, sim->y_stage, error);
    for (int i = 0; i < sim->nv; i++) {
        F_t[i] = (sim->y_stage[sim->nq + i] - s->k[0][sim->nq + i]) / dt;
    }
    for (int i = 0; i < sim->lags; i++) {
        const int at = sim->ny - sim->lags + i;
        F_t[sim->nv + i] = (sim->y_stage[at] - s->k[0][at]) / dt;
    }
    return status;
}

soa_status sim_finish_account(soa_sim *sim, soa_error *error)
{
    sim_step *s = &sim->step;
    const int from = sim->nq + sim->nv, lags = sim->ny - sim->lags;
    const bool known = sim_is_implicit(sim); /* m at the end of the step */
    for (int i = from; i < lags; i++) {
        s->y1[i] = s->y0[i] + s->h * s->k[0][i];
    }
    if (!known) {
        sim_lags_ahead(sim, s->y0, s->k[0], s->h, s->y1);
    }
    soa_status status = sim_rate(sim, s->t + s->h, s->y1, s->k[1], error);
    for (int i = 0; i < sim->ny; i++) {
        sim->y_stage[i] = 0.5 * (s->y0[i] + s->y1[i]) + s->h / 8.0 * (s->k[0][i] - s->k[1][i]);
    }
    for (int i = from; i < lags; i++) {
        sim->y_stage[i] = s->y0[i] + s->h / 8.0 * (3.0 * s->k[0][i] + s->k[1][i]);
    }
    if (!known) {
        sim_lags_ahead(sim, s->y0, s->k[0], 0.5 * s->h, sim->y_stage);
    }
    SOA_NEXT(status, sim_rate(sim, s->t + 0.5 * s->h, sim->y_stage, s->k[2], error));
    if (!known) {
        sim_lags_finish(sim, sim->y_stage);
    }
    for (int i = from; i < lags; i++) {
        s->y1[i] = s->y0[i] + s->h / 6.0 * (s->k[0][i] + 4.0 * s->k[2][i] + s->k[1][i]);
    }
    return status;
}

soa_status sim_step_implicit(soa_sim *sim, soa_error *error)
{
    sim_step *s = &sim->step;
    const size_t n = (size_t)sim->nv;
    double *F_t = s->k[7], *x = s->k[8], *F = s->k[9];
    memcpy(s->k[0], sim->f_front, (size_t)sim->ny * sizeof(double));
    soa_status status = sim_derivatives(sim, s->t, s->y0, error);
    SOA_NEXT(status, time_rate(sim, F_t, error));
    SOA_NEXT(status, factor(sim, G * s->h, s->y0 + sim->nq, error));
    for (int i = 0; i < STAGES && status == SOA_OK; i++) {
        status = stage(sim, i, F_t, x, F, error);
    }
    if (status != SOA_OK) {
        return status;
    }
    begin(sim, x);
    for (int i = 0; i < STAGES; i++) {
        for (size_t r = 0; r < 2 * n + (size_t)sim->lags; r++) {
            x[r] += M_[i] * s->k[2 + i][r];
        }
    }
    soa_integrate(sim->model, s->y0, x, 1.0, s->y1);
    memcpy(s->y1 + sim->nq, x + n, n * sizeof *x);
    memcpy(s->y1 + sim->ny - sim->lags, x + 2 * n, (size_t)sim->lags * sizeof *x);
    return sim_finish_account(sim, error);
}

/* The method of order 2 inside differs by K_4. Displacements count beside a radian or a metre. */
double sim_error_implicit(const soa_sim *sim)
{
    const sim_step *s = &sim->step;
    const size_t n = (size_t)sim->nv;
    const double *K = s->k[2 + STAGES - 1], *v0 = s->y0 + sim->nq, *v1 = s->y1 + sim->nq;
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double size = fmax(fabs(v0[i]), fabs(v1[i]));
        const double q = K[i] / (sim->setup.atol + sim->setup.rtol);
        const double v = K[n + i] / (sim->setup.atol + sim->setup.rtol * size);
        sum += q * q + v * v;
    }
    return n > 0 ? sqrt(sum / (double)(2 * n)) : 0.0;
}
