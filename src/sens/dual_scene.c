/* sens/dual_scene.c - one state as numbers with slopes, and kernels on it. */
#include <string.h>

#include "sens/flexible_sens.h"

static size_t input_size(const soa_model *m, int input)
{
    return input == 0 ? (size_t)m->nq : input < 3 ? (size_t)m->nv : 6 * (size_t)m->bodies;
}

void soa_dual_begin(soa_dual_scene *s)
{
    const double *in[4] = { s->q, s->v, s->u, s->f };
    double *at = s->w->dual;
    s->m = s->w->model;
    for (int k = 0; k < 4; k++) {
        const size_t n = input_size(s->m, k);
        for (size_t i = 0; in[k] && i < n; i++) {
            at[2 * i] = in[k][i];
            at[2 * i + 1] = 0.0;
        }
        s->number[k] = in[k] ? at : NULL;
        at += 2 * n;
    }
    s->unit = at;
    s->rate = s->unit + s->m->nv;
    s->y = s->rate + s->m->nq;
}

void soa_dual_along(soa_dual_scene *s, soa_dual_by by, const double *x)
{
    if (by == SOA_DUAL_BY_Q) {
        soa_model_rates(s->m, s->q, x, s->rate);
    }
    for (int k = 0; k < 2; k++) {
        const double *slope = (int)by != k ? NULL : k == 0 ? s->rate : x;
        for (size_t i = 0; s->number[k] && i < input_size(s->m, k); i++) {
            s->number[k][2 * i + 1] = slope ? SOA_DUAL_STEP * slope[i] : 0.0;
        }
    }
}

void soa_dual_along_one(soa_dual_scene *s, soa_dual_by by, size_t i)
{
    memset(s->unit, 0, (size_t)s->m->nv * sizeof *s->unit);
    s->unit[i] = 1.0;
    soa_dual_along(s, by, s->unit);
}

void soa_dual_run(const soa_dual_scene *s, soa_kernel_id kernel, soa_call call)
{
    call.q.at = s->number[0];
    call.v.at = s->number[1];
    call.u.at = s->number[2];
    call.f.at = s->number[3];
    call.model = s->m;
    call.work = s->w->work_dual;
    call.prepared = true;
    call.count = 2;
    call.spacing = 2;
    soa_flexible_dual.kernel[kernel](&call);
}

double soa_dual_slope(const double *y, size_t i)
{
    return y[2 * i + 1] / SOA_DUAL_STEP;
}
