/* sens/dual_scene.c - one state as numbers with slopes, and kernels on it. */
#include <string.h>

#include "joint/joint.h"
#include "model/model.h"
#include "sens/flexible_sens.h"
#include "sens/turning.h"

enum { STATE_INPUTS = 4 }; /* q, v, u, f */

static size_t lanes_of(const soa_dual_scene *s)
{
    return s->twice ? 4 : 2;
}

static const soa_kernel_table *kernels_of(const soa_dual_scene *s)
{
    return s->twice ? soa_kernels_twice() : &soa_flexible_dual;
}

static size_t input_size(const soa_model *m, int input)
{
    return input == 0 ? (size_t)m->nq : input < 3 ? (size_t)m->nv : 6 * (size_t)m->bodies;
}

void soa_dual_begin(soa_dual_scene *s)
{
    const double *in[STATE_INPUTS] = { s->q, s->v, s->u, s->f };
    const size_t lanes = lanes_of(s);
    double *at = s->w->dual;
    s->m = s->w->model;
    s->displaced = -1;
    for (int k = 0; k < STATE_INPUTS; k++) {
        const size_t n = input_size(s->m, k);
        const bool present = in[k] || (s->twice && k == 1); /* v without numbers has slopes */
        for (size_t i = 0; present && i < n; i++) {
            memset(at + lanes * i, 0, lanes * sizeof *at);
            at[lanes * i] = in[k] ? in[k][i] : 0.0;
        }
        s->number[k] = present ? at : NULL;
        at += lanes * n;
    }
    kernels_of(s)->prepare(s->m, 0, s->w->work_dual);
    s->unit = at;
    s->rate = s->unit + s->m->nv;
    s->y = s->rate + s->m->nq;
}

/* One lane of the inputs: the slope of q, v or u times step, that of the others zero. */
static void set_lane(soa_dual_scene *s, size_t lane, soa_dual_by by, const double *slope, double step)
{
    const size_t lanes = lanes_of(s);
    for (int k = 0; k < STATE_INPUTS; k++) {
        for (size_t i = 0; s->number[k] && i < input_size(s->m, k); i++) {
            s->number[k][lanes * i + lane] = (int)by == k ? step * slope[i] : 0.0;
        }
    }
}

/* x as a slope of the numbers of that input. */
static const double *slope_along(soa_dual_scene *s, soa_dual_by by, const double *x)
{
    if (by == SOA_DUAL_BY_Q) {
        soa_model_rates(s->m, s->q, x, s->rate);
    }
    return by == SOA_DUAL_BY_Q ? s->rate : x;
}

void soa_dual_along(soa_dual_scene *s, soa_dual_by by, const double *x)
{
    s->displaced = -1;
    set_lane(s, 1, by, slope_along(s, by, x), SOA_DUAL_STEP);
}

static const double *unit_of(soa_dual_scene *s, size_t i)
{
    memset(s->unit, 0, (size_t)s->m->nv * sizeof *s->unit);
    s->unit[i] = 1.0;
    return s->unit;
}

/* The identity, its slopes those of motion e of the frame of the joint of body k. */
static void displace(soa_dual_scene *s, int k, int e)
{
    const motion S = motion_of_frame(joint_in_carrier(s->m, k), e);
    const double slope[12] = { 0.0, -S.w.z, S.w.y, S.w.z, 0.0, -S.w.x, -S.w.y, S.w.x, 0.0, S.v.x, S.v.y, S.v.z };
    for (int i = 0; i < 12; i++) {
        s->place[2 * i] = i == 0 || i == 4 || i == 8 ? 1.0 : 0.0;
        s->place[2 * i + 1] = SOA_DUAL_STEP * slope[i];
    }
    s->displaced = s->m->body[k].rest->in_place || soa_holds_rotor(&s->m->body[k]) ? -1 : k;
}

void soa_dual_along_one(soa_dual_scene *s, soa_dual_by by, size_t i)
{
    if (by == SOA_DUAL_BY_PLACE) {
        set_lane(s, 1, by, NULL, 0.0);
        displace(s, (int)(i / 6), (int)(i % 6));
    } else {
        soa_dual_along(s, by, unit_of(s, i));
    }
}

void soa_twice_along(soa_dual_scene *s, soa_dual_by by, const double *x, soa_dual_by then_by, const double *then)
{
    set_lane(s, 1, by, slope_along(s, by, x), 1.0);
    set_lane(s, 2, then_by, slope_along(s, then_by, then), 1.0);
    const bool turns = by == SOA_DUAL_BY_Q && then_by == SOA_DUAL_BY_Q;
    memset(s->rate, 0, (size_t)s->m->nq * sizeof *s->rate);
    for (int k = 0; turns && k < s->m->bodies; k++) {
        const soa_body_data *body = &s->m->body[k];
        soa_joint_rates_change(&body->rest->shape, s->q + body->q, x + body->v, then + body->v, s->rate + body->q);
    }
    set_lane(s, 3, SOA_DUAL_BY_Q, s->rate, 1.0);
}

void soa_dual_run(const soa_dual_scene *s, soa_kernel_id kernel, soa_call call)
{
    call.q.at = s->number[0];
    call.v.at = s->number[1];
    call.u.at = s->number[2];
    call.f.at = s->number[3];
    call.displaced = s->displaced < 0 ? NULL : s->place;
    call.displaced_body = s->displaced;
    call.model = s->m;
    call.work = s->w->work_dual;
    call.prepared = true;
    call.count = (int)lanes_of(s);
    call.spacing = lanes_of(s);
    kernels_of(s)->kernel[kernel](&call);
}

double soa_dual_slope(const double *y, size_t i)
{
    return y[2 * i + 1] / SOA_DUAL_STEP;
}

double soa_twice_slope(const double *y, size_t i)
{
    return y[4 * i + 3];
}
