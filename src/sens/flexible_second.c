/* sens/flexible_second.c - second derivatives of inverse dynamics of models with flexible links, exact to rounding.
 *
 * With L = x . T the kernel on numbers with two slopes (spatial/twice.h) gives d(dL/da)/db for a pair of directions a and b
 * in one run. Where T is a polynomial one slope will do:
 *     vv(j,k) = slope of L along v_j at v = e_k, since what v adds to T is a quadratic form
 *     aq(j,k) = slope of (Mass x)_j along q_k */
#include <string.h>

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

/* Whether the order of derivatives by q_j and q_k counts: axes of one joint turn with it, modes do not. */
static bool order_counts(const soa_model *m, size_t j, size_t k)
{
    const int body = soa_body_of_number(m, (int)j, false);
    return body == soa_body_of_number(m, (int)k, false) && m->body[body].joint_class != SOA_CLASS_MODAL;
}

/* out(j,k) = d(dL/da_j)/dq_k */
static void by_both(soa_dual_scene *s, const double *x, soa_dual_by a, double *out)
{
    const size_t n = (size_t)s->m->nv;
    s->twice = true;
    soa_dual_begin(s);
    double *first = s->y + 4 * n, *second = first + n; /* behind what the kernel writes */
    memset(first, 0, 2 * n * sizeof *first);
    for (size_t e = 0; e < n * n; e++) {
        const size_t j = e / n, k = e % n;
        if (a == SOA_DUAL_BY_Q && k < j && !order_counts(s->m, j, k)) {
            out[e] = out[k * n + j];
            continue;
        }
        first[j] = second[k] = 1.0;
        soa_twice_along(s, a, first, SOA_DUAL_BY_Q, second);
        first[j] = second[k] = 0.0;
        soa_dual_run(s, SOA_KERNEL_inverse_dynamics, (soa_call){ .y.at = s->y });
        out[e] = 0.0;
        for (size_t i = 0; i < n; i++) {
            out[e] += x[i] * soa_twice_slope(s->y, i);
        }
    }
}

static void by_velocities(soa_dual_scene *s, const double *x, double *vv)
{
    const size_t n = (size_t)s->m->nv;
    s->twice = false;
    soa_dual_begin(s);
    double *v = s->y + 2 * n; /* behind what the kernel writes */
    s->v = v;
    s->u = NULL;
    for (size_t k = 0; k < n; k++) {
        memset(v, 0, n * sizeof *v);
        v[k] = 1.0;
        soa_dual_begin(s);
        for (size_t j = 0; j <= k; j++) {
            double sum = 0.0;
            soa_dual_along_one(s, SOA_DUAL_BY_V, j);
            soa_dual_run(s, SOA_KERNEL_inverse_dynamics, (soa_call){ .y.at = s->y });
            for (size_t i = 0; i < n; i++) {
                sum += x[i] * soa_dual_slope(s->y, i);
            }
            vv[j * n + k] = vv[k * n + j] = sum;
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
    const soa_status known = y[0] || y[1] ? soa_twice_known(error) : SOA_OK;
    for (int i = 0; i < 2 && known == SOA_OK; i++) {
        if (y[i]) {
            by_both(s, x, i == 0 ? SOA_DUAL_BY_Q : SOA_DUAL_BY_V, y[i]);
        }
    }
    if (y[2] && known == SOA_OK) {
        by_velocities(s, x, y[2]);
    }
    if (y[3] && known == SOA_OK) {
        by_accelerations(s, x, y[3]);
    }
    return known;
}
