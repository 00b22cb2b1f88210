/* dynamics/columns.kernel.h - lanes that hold columns of a matrix.
 *
 * The sweeps' results are those of one state, plain numbers that all lanes share;
 * each lane carries one column of the result inward or outward. */
#ifndef SOA_DYNAMICS_COLUMNS_KERNEL_H
#define SOA_DYNAMICS_COLUMNS_KERNEL_H

#include "sweep/screw.kernel.h"

/* Joints crossed by plane rotations and without a rotor. */
KERNEL bool is_plain(const soa_body_data *body)
{
    return soa_is_screw(body) && !body->motor;
}

KERNEL force force_of(const double x[6])
{
    return (force){ vec3_set(x), vec3_set(x + 3) };
}

KERNEL motion motion_of(const double x[6])
{
    return (motion){ vec3_set(x), vec3_set(x + 3) };
}

KERNEL pose pose_of(const double x[12])
{
    return (pose){
        { real_set(x[0]), real_set(x[1]), real_set(x[2]), real_set(x[3]), real_set(x[4]), real_set(x[5]),
            real_set(x[6]), real_set(x[7]), real_set(x[8]) },
        vec3_set(x + 9),
    };
}

/* One body of the state. */
typedef struct column_body {
    const soa_body_data *body;
    const double *X, *H, *U, *G, *D_inv;
    crossing x;
} column_body;

KERNEL column_body column_body_of(const soa_call *call, const soa_articulated_state *s, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const size_t i = 6 * (size_t)body->v;
    const double *X = s->X + 12 * (size_t)k, *turn = s->crossing + 2 * (size_t)k;
    const double *l = body->joint_class == SOA_CLASS_REVOLUTE ? body->screw.l : X + 9;
    return (column_body){ body, X, s->H + i, s->U + i, s->G + i, s->D_inv + i,
        { real_set(turn[0]), real_set(turn[1]), vec3_set(l) } };
}

KERNEL force column_inward(const column_body *b, force f)
{
    return is_plain(b->body) ? cross_inward(b->body, b->x, f) : phi(pose_of(b->X), f);
}

KERNEL motion column_outward(const column_body *b, motion V)
{
    return is_plain(b->body) ? cross_outward(b->body, b->x, V) : phi_t(pose_of(b->X), V);
}

/* H f, component i */
KERNEL real column_force(const column_body *b, force f, int i)
{
    switch (b->body->joint_class) {
    case SOA_CLASS_REVOLUTE:
        return f.n.z;
    case SOA_CLASS_PRISMATIC:
        return f.f.z;
    default:
        return power(f, motion_of(b->H + 6 * i));
    }
}

/* H* y */
KERNEL motion column_motion(const column_body *b, motion V, const real *y)
{
    switch (b->body->joint_class) {
    case SOA_CLASS_REVOLUTE:
        V.w.z = V.w.z + y[0];
        return V;
    case SOA_CLASS_PRISMATIC:
        V.v.z = V.v.z + y[0];
        return V;
    default:
        for (int i = 0; i < b->body->nv; i++) {
            V = motion_scale_add(y[i], motion_of(b->H + 6 * i), V);
        }
        return V;
    }
}

/* The lower triangle from the upper one, numbers `step` apart. */
static inline void mirror(double *y, size_t n, size_t step)
{
    if (step == 1) {
        for (size_t i = 1; i < n; i++) {
            double *row = y + i * n;
            const double *column = y + i;
            for (size_t j = 0; j < i; j++, column += n) {
                row[j] = *column;
            }
        }
        return;
    }
    for (size_t i = 1; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            y[(i * n + j) * step] = y[(j * n + i) * step];
        }
    }
}

/* z(p) = phi z + K eps: what a body leaves to its parent. */
KERNEL force column_filter(const column_body *b, force z, const real *eps)
{
    if (b->body->geared) {
        return force_scale_add(real_set(b->D_inv[0]) * eps[0], force_of(b->U), column_inward(b, z));
    }
    for (int i = 0; i < b->body->nv; i++) {
        z = force_scale_add(eps[i], force_of(b->G + 6 * i), z);
    }
    return column_inward(b, z);
}

/* y = D^-1 eps - K* alpha(p), component i; at_child = phi* alpha(p), at_parent NULL: alpha(p) is zero. */
KERNEL real column_entry(const column_body *b, const real *eps, int i, motion at_child, const motion *at_parent)
{
    real y = real_set(b->D_inv[6 * i]) * eps[0];
    for (int j = 1; j < b->body->nv; j++) {
        y = real_fma(real_set(b->D_inv[6 * i + j]), eps[j], y);
    }
    if (at_parent && b->body->geared) {
        return real_fnma(real_set(b->D_inv[0]), power(force_of(b->U), *at_parent), y);
    }
    return at_parent ? y - power(force_of(b->G + 6 * i), at_child) : y;
}

#if LANES == 1
static inline soa_articulated_state articulated_state(const vars *w)
{
    return (soa_articulated_state){
        .crossing = &w->crossing[0][0],
        .X = &w->X[0].R.xx,
        .H = &w->H[0].w.x,
        .U = &w->U[0].n.x,
        .G = &w->G[0].n.x,
        .D_inv = &w->D_inv[0][0],
    };
}
#endif

#endif
