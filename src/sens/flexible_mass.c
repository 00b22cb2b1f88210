/* sens/flexible_mass.c - how the mass matrix of models with flexible links changes, and Christoffel symbols.
 *
 *     dMass/dq_i   by the mass matrix with slopes
 *     C_i(j,k)     is the Coriolis matrix at v = e_j */
#include <string.h>

#include "model/model.h"
#include "sens/flexible_sens.h"
#include "soa/christoffel.h"

/* dMass along x, nv x nv; the matrix with slopes is made in the squares of the workspace. */
void soa_flexible_mass_along(soa_dual_scene *s, const double *x, double *out)
{
    const size_t n = (size_t)s->m->nv;
    soa_dual_along(s, SOA_DUAL_BY_Q, x);
    soa_dual_run(s, SOA_KERNEL_mass_matrix, (soa_call){ .y.at = s->w->squares });
    for (size_t i = 0; i < n * n; i++) {
        /* The caller has refused NULL. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
        out[i] = soa_dual_slope(s->w->squares, i);
    }
}

void soa_flexible_mass_along_one(soa_dual_scene *s, size_t i, double *out)
{
    memset(s->unit, 0, (size_t)s->m->nv * sizeof *s->unit);
    s->unit[i] = 1.0;
    soa_flexible_mass_along(s, s->unit, out);
}

/* The Coriolis matrix at v, in the squares of the workspace. */
static soa_status coriolis(soa_dual_scene *s, const double *v, soa_error *error)
{
    return soa_coriolis_matrix(s->m, s->w, 1, s->q, v, s->w->squares, error);
}

soa_status soa_flexible_symbols(soa_dual_scene *s, bool packed, double *out, soa_error *error)
{
    const size_t n = (size_t)s->m->nv;
    soa_status status = SOA_OK;
    for (size_t j = 0; status == SOA_OK && j < n; j++) {
        memset(s->unit, 0, n * sizeof *s->unit);
        s->unit[j] = 1.0;
        status = coriolis(s, s->unit, error);
        for (size_t i = 0; i < n * n; i++) {
            const size_t row = i / n, column = i % n;
            const long long at = packed ? soa_christoffel_index(s->m, (int)row, (int)j, (int)column)
                                        : (long long)((row * n + j) * n + column);
            if (at >= 0) {
                /* The caller has refused NULL. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
                out[at] = s->w->squares[i];
            }
        }
    }
    return status;
}

soa_status soa_flexible_symbols_product(
    soa_dual_scene *s, const double *x, const double *y, double *out, soa_error *error)
{
    const size_t n = (size_t)s->m->nv;
    const soa_status status = coriolis(s, x, error);
    for (size_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < n; k++) {
            sum += y ? s->w->squares[i * n + k] * y[k] : 0.0;
        }
        /* The caller has refused NULL. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
        out[i] = sum;
    }
    return status;
}
