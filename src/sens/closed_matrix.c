/* sens/closed_matrix.c - the equations that all derivatives of a closed system solve.
 *
 *     [ Mass  -F* ] [ dvdot   ]   [ r1 ]
 *     [ J      0  ] [ dlambda ] = [ r2 ]
 *
 * F is J, but where something slides: its normal force brings friction with it. The matrix is regular also where a joint
 * moves no inertia by itself (a follower without mass). */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "sens/closed.h"
#include "soa/dynamics.h"

/* A block of one system, times the factor, at its velocities and from a column on. */
void soa_closed_put_block(const soa_part *part, double factor, soa_matrix_view from, size_t column, soa_matrix_view to)
{
    for (size_t i = 0; i < (size_t)part->model->nv; i++) {
        for (size_t j = 0; j < from.columns; j++) {
            to.at[((size_t)part->v + i) * to.columns + column + j] = factor * from.at[i * from.columns + j];
        }
    }
}

/* Mass of the trees, -F* and J into K. */
static soa_status fill(soa_closures *set, const soa_closed_matrix *s, const soa_closed_input *in, double *J, double *F,
    double *block, soa_error *error)
{
    const size_t n = s->n, m = n + s->rows;
    soa_status status = SOA_OK;
    set->table->locate(set, in);
    set->table->jacobian(set, J);
    memcpy(F, J, s->rows * n * sizeof *F);
    for (int i = 0; i < set->ties; i++) {
        const soa_tie *tie = &set->tie[i];
        double wrench[6];
        if (tie->enabled && !tie->coupling && tie->closure.kind == SOA_CLOSE_SLIDING) {
            soa_friction_wrench(set, i, 1.0, wrench);
            set->table->pull(set, i, wrench, F + (size_t)tie->first * n);
        }
    }
    memset(s->K, 0, m * m * sizeof *s->K);
    for (size_t i = 0; i < s->rows * n; i++) {
        const size_t row = n + i / n, v = i % n;
        s->K[row * m + v] = s->depends[i / n] ? 0.0 : J[i];
        s->K[v * m + row] = s->depends[i / n] ? 0.0 : -F[i];
    }
    for (int i = 0; i < set->systems && status == SOA_OK; i++) {
        const soa_part *part = &set->part[i];
        status = soa_mass_matrix(part->model, part->workspace, 1, in->q + part->q, block, error);
        soa_closed_put_block(part, 1.0, (soa_matrix_view){ block, (size_t)part->model->nv }, (size_t)part->v,
            (soa_matrix_view){ s->K, m });
    }
    return status;
}

/* Units in which the diagonal of Mass is 1, and the largest number of each row of J. */
static void find_units(const soa_closed_matrix *s)
{
    const size_t n = s->n, m = n + s->rows;
    double heaviest = 0.0;
    for (size_t i = 0; i < n; i++) {
        heaviest = fmax(heaviest, s->K[i * m + i]);
    }
    for (size_t i = 0; i < m; i++) {
        double size = i < n ? s->K[i * m + i] : 0.0;
        for (size_t v = 0; i >= n && v < n; v++) {
            size = fmax(size, fabs(s->K[i * m + v]) * s->unit[v]);
        }
        size = i >= n ? size * size : size > 0.0 ? size : heaviest;
        s->unit[i] = size > 0.0 ? 1.0 / sqrt(size) : i < n ? 1.0 : 0.0;
    }
}

/* A pivot below this is lost. */
#define LOST 1e-15

static bool factor(const soa_closed_matrix *s)
{
    const size_t m = s->n + s->rows;
    find_units(s);
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < m; j++) {
            s->K[i * m + j] *= s->unit[i] * s->unit[j];
        }
    }
    for (size_t i = s->n; i < m; i++) {
        s->K[i * m + i] = s->unit[i] > 0.0 ? 0.0 : 1.0;
    }
    return soa_lu(m, s->K, s->order, LOST).rank == m;
}

/* Which joint moves no inertia, or that rows cannot be told apart. */
static soa_status fail_singular(soa_closures *set, const double *q, double *block, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int i = 0; i < set->systems && status == SOA_OK; i++) {
        const soa_part *part = &set->part[i];
        status = soa_mass_inverse(part->model, part->workspace, 1, q + part->q, block, error);
    }
    return status != SOA_OK
               ? status
               : soa_fail(error, SOA_E_SINGULAR, -1, "the rows of the closures cannot be told apart; remove some");
}

soa_status soa_closed_matrix_make(soa_closures *set, const soa_closed_matrix *s, const soa_closed_input *in, double *J,
    double *F, double *block, soa_error *error)
{
    soa_dependent_rows(set, s->depends);
    soa_status status = fill(set, s, in, J, F, block, error);
    if (status == SOA_OK && !factor(s)) {
        status = fail_singular(set, in->q, block, error);
    }
    return status;
}

void soa_closed_matrix_solve(const soa_closed_matrix *s, size_t columns, double *R, double *X)
{
    const size_t m = s->n + s->rows;
    for (size_t i = 0; i < m * columns; i++) {
        R[i] *= s->unit[i / columns];
    }
    soa_lu_solve(m, s->K, s->order, columns, R, X);
    for (size_t i = 0; i < m * columns; i++) {
        X[i] *= s->unit[i / columns];
    }
}
