/* sens/flexible_second.c - second derivatives of inverse dynamics of models with flexible links.
 *
 * With L = x . T and kernels on numbers with slopes:
 *     aq(j,k) = slope of (Mass x)_j along q_k
 *     vv(j,k) = slope of L along v_j at v = e_k, since what v adds to T is a quadratic form
 *     vq(j,k) = slope of (L(v + e_j) - L(v - e_j)) / 2 along q_k, for the same reason
 *     qq(j,k) = the slope of L along q_j, by differences of the eighth order along q_k
 * The first three are exact to rounding, qq to some 1e-11 of its largest number. */
#include <string.h>

#include "model/model.h"
#include "sens/flexible_sens.h"

#define JOINT_STEP 0.02 /* rad or m; of modes it is soa_modal.scale */

/* Slope of x . T along velocity j. */
static double weighted_slope(soa_dual_scene *s, const double *x, soa_dual_by by, size_t j)
{
    double sum = 0.0;
    soa_dual_along_one(s, by, j);
    soa_dual_run(s, SOA_KERNEL_inverse_dynamics, (soa_call){ .y.at = s->y });
    for (size_t i = 0; i < (size_t)s->m->nv; i++) {
        sum += x[i] * soa_dual_slope(s->y, i);
    }
    return sum;
}

/* Room behind the numbers that inverse dynamics writes: nv numbers, and nq. */
static double *spare_velocities(const soa_dual_scene *s)
{
    return s->y + 2 * s->m->nv;
}

static double *spare_positions(const soa_dual_scene *s)
{
    return s->y + 3 * s->m->nv;
}

static void by_velocities(soa_dual_scene *s, const double *x, double *vv)
{
    const size_t n = (size_t)s->m->nv;
    double *v = spare_velocities(s);
    s->v = v;
    s->u = NULL;
    for (size_t k = 0; k < n; k++) {
        memset(v, 0, n * sizeof *v);
        v[k] = 1.0;
        soa_dual_begin(s);
        for (size_t j = 0; j <= k; j++) {
            vv[j * n + k] = vv[k * n + j] = weighted_slope(s, x, SOA_DUAL_BY_V, j);
        }
    }
}

static void by_velocity_and_position(soa_dual_scene *s, const double *x, const double *given, double *vq)
{
    const size_t n = (size_t)s->m->nv;
    double *v = spare_velocities(s);
    s->v = v;
    s->u = NULL;
    memset(vq, 0, n * n * sizeof *vq);
    for (size_t i = 0; i < 2 * n; i++) {
        const size_t j = i / 2;
        const double side = i % 2 == 0 ? 1.0 : -1.0;
        memset(v, 0, n * sizeof *v);
        if (given) {
            memcpy(v, given, n * sizeof *v);
        }
        v[j] += side;
        soa_dual_begin(s);
        for (size_t k = 0; k < n; k++) {
            vq[j * n + k] += 0.5 * side * weighted_slope(s, x, SOA_DUAL_BY_Q, k);
        }
    }
}

/* Column k of qq: the gradient of L at eight places along velocity k. */
static void by_position_column(soa_dual_scene *s, const double *x, size_t k, double step, double *qq)
{
    static const double weight[5] = { 0.0, 4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0 };
    const size_t n = (size_t)s->m->nv;
    const double *q = s->q;
    double *moved = spare_positions(s), *along = spare_velocities(s);
    for (int at = -4; at <= 4; at++) {
        if (at == 0) {
            continue;
        }
        memset(along, 0, n * sizeof *along);
        along[k] = 1.0;
        soa_integrate(s->m, q, along, at * step, moved);
        s->q = moved;
        soa_dual_begin(s);
        for (size_t j = 0; j < n; j++) {
            const double slope = weighted_slope(s, x, SOA_DUAL_BY_Q, j);
            qq[j * n + k] += (at > 0 ? weight[at] : -weight[-at]) / step * slope;
        }
        s->q = q;
    }
}

static void by_positions(soa_dual_scene *s, const double *x, double *qq)
{
    const soa_model *m = s->m;
    memset(qq, 0, (size_t)m->nv * (size_t)m->nv * sizeof *qq);
    for (int b = 0; b < m->bodies; b++) {
        const soa_body_data *body = &m->body[b];
        for (int i = 0; i < body->nv; i++) {
            const bool mode = body->joint_class == SOA_CLASS_MODAL;
            by_position_column(s, x, (size_t)(body->v + i), mode ? body->rest->modal->scale[i] : JOINT_STEP, qq);
        }
    }
}

static void by_accelerations(soa_dual_scene *s, const double *x, double *aq)
{
    const size_t n = (size_t)s->m->nv;
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

void soa_flexible_second(soa_dual_scene *s, const double *x, double *const y[SOA_OUTPUTS])
{
    const double *v = s->v;
    if (y[0]) {
        by_positions(s, x, y[0]);
    }
    if (y[1]) {
        by_velocity_and_position(s, x, v, y[1]);
    }
    if (y[2]) {
        by_velocities(s, x, y[2]);
    }
    if (y[3]) {
        by_accelerations(s, x, y[3]);
    }
}
