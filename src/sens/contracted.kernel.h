/* sens/contracted.kernel.h - derivatives of the mass matrix and Christoffel symbols, summed with vectors.
 *
 *     (dMass/dq) x    = sum of x_i dMass/dq_i = C(q, x) + C(q, x)*
 *     C_i(j,k) x_j y_k                          in O(n): the Coriolis matrix for v = x, times y
 * One state, one lane. */
#ifndef SOA_SENS_CONTRACTED_KERNEL_H
#define SOA_SENS_CONTRACTED_KERNEL_H

#include <math.h>

#include "sens/christoffel.kernel.h"
#include "sens/forward_derivatives.kernel.h"
#include "sens/turning.h"

#if LANES == 1

/* ---- (dMass/dq) x ---------------------------------------------------------------------------- */

/* q, v = x; y = C(q, x) + C(q, x)*, nv x nv. */
static void mass_rate(soa_call *call)
{
    const vars w = fields_begin(call);
    fields_outward(call, &w);
    call->lanes->coriolis(call, w.turning);
    add_transposed((size_t)call->model->nv, call->spacing, call->y.at);
}

/* q, option: a velocity i; y = dMass/dq_i, nv x nv: the rate along x = e_i. */
static void mass_derivative(soa_call *call)
{
    fields_begin(call);
    double *unit = call->fields + (FIELDS + PATH_PLACE) * soa_places(call->model);
    memset(unit, 0, (size_t)call->model->nv * sizeof *unit);
    unit[call->option] = 1.0;
    call->v.at = unit;
    mass_rate(call);
    call->v.at = NULL;
}

/* ---- C_i(j,k) x_j y_k ---------------------------------------------------------------------------
 *
 * With c(v) the quadratic part of the bias forces, and [x, y] the bracket of velocities that turn with their joints,
 *     C(x) y = (c(x + y) - c(x - y)) / 4 + Mass [x, y] / 2. */

static inline double largest_of(int n, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fabs(x[i]) > most ? fabs(x[i]) : most;
    }
    return most;
}

/* b = [x, y] / 2 of all joints; whether it is not zero for all x and y. */
static inline bool half_bracket(const soa_model *m, const double *x, const double *y, double *b)
{
    bool turns = false;
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        joint_bracket(body->rest->shape.kind, body->nv, false, x + body->v, y + body->v, b + body->v);
        turns = turns || body->nv > 1;
        for (int i = body->v; i < body->v + body->nv; i++) {
            b[i] *= 0.5;
        }
    }
    return turns;
}

/* q, v = x, u = y; y = nv numbers. x and y are first made 1 at their largest number. */
static void christoffel_product(soa_call *call)
{
    fields_begin(call);
    const int n = call->model->nv;
    const soa_in x = call->v;
    const double *y = call->u.at, size_x = largest_of(n, x.at), size_y = largest_of(n, y), size = size_x * size_y;
    double *row[4];
    for (int i = 0; i < 4; i++) {
        row[i] = call->fields + (FIELDS + (size_t)i) * soa_places(call->model);
    }
    bool good = true;
    for (int run = 0; run < 2 && good; run++) {
        for (int i = 0; i < n; i++) {
            const double part = size > 0.0 ? y[i] / size_y : 0.0;
            row[0][i] = (size > 0.0 ? x.at[i] / size_x : 0.0) + (run == 0 ? part : -part);
        }
        call->v.at = row[0];
        good = run_plain(call, SOA_KERNEL_inverse_dynamics, NULL, row[1 + run]);
    }
    call->v = x;
    memset(row[3], 0, (size_t)n * sizeof *row[3]);
    if (good && half_bracket(call->model, x.at, y, row[0])) {
        run_plain(call, SOA_KERNEL_mass_multiply, row[0], row[3]);
    }
    for (int i = 0; i < n; i++) {
        out_put(call, call->y, (size_t)i * call->spacing, 0.25 * size * (row[1][i] - row[2][i]) + row[3][i]);
    }
}

#endif

#endif
