/* emit/trace_closure.cc - the rows of closures run on a tape instead of numbers. */
#include <stdio.h>
#include <stdlib.h>

#include "emit/trace_real.h"

#define _Alignas alignas
extern "C" {
#include "closure/row_forms.kernel.h"
#include "spatial/pose.h"

unsigned soa_kind_mask(soa_closure_kind kind);
}
#include "emit/trace_closure.h"

static vec3 vec3_at(const double *x)
{
    return vec3{ real_set(x[0]), real_set(x[1]), real_set(x[2]) };
}

/* A motion of an end at the origin of its frame. */
static motion motion_at(const double *x)
{
    return motion{ vec3_at(x), vec3_at(x + 3) };
}

static mat3 rotation_at(const double *x)
{
    real y[9];
    for (int i = 0; i < 9; i++) {
        y[i] = real_set(x[i]);
    }
    return mat3{ y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7], y[8] };
}

static vec3 column(mat3 R, int i)
{
    return i == 0 ? mat3_column_x(R) : i == 1 ? mat3_column_y(R) : mat3_column_z(R);
}

static void put_six(double *to, motion x)
{
    const real y[6] = { x.w.x, x.w.y, x.w.z, x.v.x, x.v.y, x.v.z };
    for (int i = 0; i < 6; i++) {
        to[i] = real_get(y[i], 0);
    }
}

static real dot(motion a, motion b)
{
    return vec3_dot(a.w, b.w) + vec3_dot(a.v, b.v);
}

/* alpha of a frame whose origin accelerates by x and moves with V: w x v less than that. */
static motion alpha_of(const trace_end *end)
{
    const motion V = motion_at(end->velocity), x = motion_at(end->acceleration);
    return motion{ x.w, vec3_sub(x.v, vec3_cross(V.w, V.v)) };
}

/* A closure while its rows are made. */
struct tie {
    ends_motion m;
    vec3 r; /* from the origin of b to that of a */
    mat3 R_a, R_b;
    motion alpha[2];
    trace_rows *to;
    int rows;
};

/* One more row: W on a, and -W as seen from the origin of b. */
static void put_row(tie *t, motion W, real bias)
{
    const motion on_b = motion_neg(motion{ vec3_cross_add(t->r, W.v, W.w), W.v });
    put_six(t->to->on[0][t->rows], W);
    put_six(t->to->on[1][t->rows], on_b);
    t->to->bias[t->rows++] = real_get(bias + dot(W, t->alpha[0]) + dot(on_b, t->alpha[1]), 0);
}

static void put_axes(tie *t, unsigned mask)
{
    const motion bias = axis_bias(&t->m, t->R_b);
    const real part[6] = { bias.w.x, bias.w.y, bias.w.z, bias.v.x, bias.v.y, bias.v.z };
    for (int j = 0; j < 6; j++) {
        if (mask >> j & 1u) {
            const vec3 c = column(t->R_b, j % 3);
            put_row(t, j < 3 ? motion{ c, vec3_zero() } : motion{ vec3_zero(), c }, part[j]);
        }
    }
}

static void put_kind(tie *t, const soa_closure *c, int rows)
{
    motion W_dot;
    if (c->kind == SOA_CLOSE_DISTANCE) {
        const motion W = distance_row(&t->m, t->r, real_sqrt(vec3_dot(t->r, t->r)), &W_dot);
        put_row(t, W, form_bias(&t->m, W, W_dot));
        return;
    }
    if (c->kind == SOA_CLOSE_UNIVERSAL) {
        const motion W = universal_row(&t->m, mat3_column_x(t->R_a), mat3_column_z(t->R_b), &W_dot);
        put_row(t, W, form_bias(&t->m, W, W_dot));
    }
    for (int i = 0; c->kind == SOA_CLOSE_GENERAL && i < rows; i++) {
        const motion Q = motion_at(c->Q[i]), W = { mat3_mul_vec(t->R_b, Q.w), mat3_mul_vec(t->R_b, Q.v) };
        put_row(t, W, form_bias(&t->m, W, fixed_rate(&t->m, W)));
    }
    put_axes(t, c->kind == SOA_CLOSE_GENERAL ? 0 : soa_kind_mask(c->kind));
}

void trace_closure(tape *tape, const soa_closure *closure, int rows, const trace_end end[2], trace_rows *to)
{
    tracing = tape;
    const motion a = motion_at(end[0].velocity), b = motion_at(end[1].velocity);
    tie t;
    t.r = vec3_sub(vec3_at(end[0].pose + 9), vec3_at(end[1].pose + 9));
    t.R_a = rotation_at(end[0].pose), t.R_b = rotation_at(end[1].pose);
    t.m = ends_motion_of(a.w, a.v, b.w, vec3_cross_add(b.w, t.r, b.v));
    t.alpha[0] = alpha_of(&end[0]), t.alpha[1] = alpha_of(&end[1]);
    t.to = to;
    t.rows = 0;
    put_kind(&t, closure, rows);
    tracing = NULL;
}

void trace_coupling(tape *t, const double *coefficient, double q, double beta, double *slope, double *bias)
{
    tracing = t;
    const coupling_value y = coupling_at_driver(coefficient, real_set(q));
    const real rate = real_set(beta);
    *slope = real_get(y.slope, 0);
    *bias = real_get(-y.curve * rate * rate, 0);
    tracing = NULL;
}
