/* sens/flexible_second.c - second derivatives of inverse dynamics of models with flexible links.
 *
 * With L = x . T the kernel on numbers with two slopes (spatial/twice.h) gives d(dL/da)/db for a pair of directions a and b
 * in one run, exact to rounding. What is linear in vdot needs one slope alone:
 *     aq(j,k) = slope of (Mass x)_j along q_k */
#include "core/error.h"
#include "model/model.h"
#include "sens/flexible_sens.h"

soa_status soa_twice_known(soa_error *error)
{
    return soa_kernels_twice()
               ? SOA_OK
               : soa_fail(error, SOA_E_UNSUPPORTED, -1,
                     "second derivatives of models with flexible links are not in this library; build it "
                     "with a compiler that knows C++, too");
}

/* out(j,k) = d(dL/da_j)/db_k */
static void by_both(soa_dual_scene *s, const double *x, soa_dual_by a, soa_dual_by b, double *out)
{
    const size_t n = (size_t)s->m->nv;
    double *first = s->y + 4 * n, *second = first + n;
    for (size_t e = 0; e < 2 * n; e++) {
        first[e] = 0.0;
    }
    for (size_t e = 0; e < n * n; e++) {
        const size_t j = e / n, k = e % n;
        first[j] = second[k] = 1.0;
        soa_twice_along(s, a, first, b, second);
        first[j] = second[k] = 0.0;
        soa_dual_run(s, SOA_KERNEL_inverse_dynamics, (soa_call){ .y.at = s->y });
        out[e] = 0.0;
        for (size_t i = 0; i < n; i++) {
            out[e] += x[i] * soa_twice_slope(s->y, i);
        }
    }
}

static void by_accelerations(soa_dual_scene *s, const double *x, double *aq)
{
    const size_t n = (size_t)s->m->nv;
    s->twice = false;
    s->v = NULL;
    s->u = x;
    soa_dual_begin(s);
    for (size_t k = 0; k < n; k++) {
        soa_dual_along_one(s, SOA_DUAL_BY_Q, k);
        soa_dual_run(s, SOA_KERNEL_mass_multiply, (soa_call){ .y.at = s->y });
        for (size_t j = 0; j < n; j++) {
            aq[j * n + k] = soa_dual_slope(s->y, j);
        }
    }
}

soa_status soa_flexible_second(soa_dual_scene *s, const double *x, double *const y[SOA_OUTPUTS], soa_error *error)
{
    const soa_status known = soa_twice_known(error);
    if (known != SOA_OK) {
        return known;
    }
    s->twice = true;
    soa_dual_begin(s);
    if (y[0]) {
        by_both(s, x, SOA_DUAL_BY_Q, SOA_DUAL_BY_Q, y[0]);
    }
    if (y[1]) {
        by_both(s, x, SOA_DUAL_BY_V, SOA_DUAL_BY_Q, y[1]);
    }
    if (y[2]) {
        by_both(s, x, SOA_DUAL_BY_V, SOA_DUAL_BY_V, y[2]);
    }
    if (y[3]) {
        by_accelerations(s, x, y[3]);
    }
    return SOA_OK;
}
