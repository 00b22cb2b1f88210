/* dynamics/inverse_columns.kernel.h - the inverse of the mass matrix.
 *
 *     Mass^-1 = (I - H psi K)* D^-1 (I - H psi K)                              [I6] [MINV]
 *
 * The articulated quantities are those of one state; lanes hold columns: filter
 * and smoother run on LANES unit vectors at once. Column c needs the rows up to
 * c only, that is the bodies up to its own; the other triangle is its mirror
 * image. */
#ifndef SOA_DYNAMICS_INVERSE_COLUMNS_KERNEL_H
#define SOA_DYNAMICS_INVERSE_COLUMNS_KERNEL_H

#include "dynamics/fast.kernel.h"

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
    const double *l = body->joint_class == SOA_CLASS_REVOLUTE ? body->at.position : X + 9;
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

/* phi z + K eps */
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

/* The unit vectors of the columns first .. first + LANES - 1, component v. */
KERNEL real unit_component(int first, int v)
{
    real x = real_set(0.0);
    return v >= first && v < first + LANES ? real_put(x, v - first, 1.0) : x;
}

/* Inward from body `last`: eps = e - H z. w->path: whether anything arrived at a body. */
static inline void columns_filter(
    const soa_call *call, const soa_articulated_state *s, const vars *w, int first, int last)
{
    for (int k = 0; k <= last; k++) {
        w->path[k] = 0;
    }
    for (int k = last; k >= 0; k--) {
        const column_body b = column_body_of(call, s, k);
        const int v = b.body->v, p = b.body->parent;
        real *eps = w->eps + v;
        const bool arrived = w->path[k] != 0;
        for (int i = 0; i < b.body->nv; i++) {
            eps[i] = unit_component(first, v + i);
            eps[i] = arrived ? eps[i] - column_force(&b, w->b[k], i) : eps[i];
        }
        const bool own = v + b.body->nv > first && v < first + LANES;
        if (p >= 0 && (arrived || own)) {
            const force z = column_filter(&b, arrived ? w->b[k] : force_zero(), eps);
            w->b[p] = w->path[p] ? force_add(w->b[p], z) : z;
            w->path[p] = 1;
        }
    }
}

/* Row `row` of the columns. Those left of the diagonal are overwritten by mirror(). */
KERNEL void put_columns(const soa_call *call, int first, int row, real y)
{
    double *to = call->y.at + (size_t)row * (size_t)call->model->nv + (size_t)first;
    if (first + LANES <= call->model->nv) {
        real_store(to, y);
        return;
    }
    for (int c = first; c < call->model->nv; c++) {
        to[c - first] = real_get(y, c - first);
    }
}

/* The lower triangle from the upper one. */
static inline void mirror(double *y, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            y[i * n + j] = y[j * n + i];
        }
    }
}

/* Outward to body `last`: y = D^-1 eps - K* alpha(p), alpha = phi* alpha(p) + H* y. */
static inline void columns_smoother(
    const soa_call *call, const soa_articulated_state *s, const vars *w, int first, int last)
{
    for (int k = 0; k <= last; k++) {
        const column_body b = column_body_of(call, s, k);
        const int v = b.body->v, p = b.body->parent, r = b.body->nv;
        const motion at_child = p < 0 ? motion_zero() : column_outward(&b, w->alpha[p]);
        real y[SOA_JOINT_MAX_NV];
        for (int i = 0; i < r; i++) {
            y[i] = real_set(b.D_inv[6 * i]) * w->eps[v];
            for (int j = 1; j < r; j++) {
                y[i] = real_fma(real_set(b.D_inv[6 * i + j]), w->eps[v + j], y[i]);
            }
            if (p >= 0 && b.body->geared) {
                y[i] = real_fnma(real_set(b.D_inv[0]), power(force_of(b.U), w->alpha[p]), y[i]);
            } else if (p >= 0) {
                y[i] = y[i] - power(force_of(b.G + 6 * i), at_child);
            }
            put_columns(call, first, v + i, y[i]);
        }
        if (!b.body->leaf) {
            w->alpha[k] = column_motion(&b, at_child, y);
        }
    }
}

static void inverse_columns(const soa_call *call, const soa_articulated_state *s, void *work)
{
    const soa_model *m = call->model;
    const vars w = *(const vars *)work;
    int last = 0;
    for (int first = 0; first < m->nv; first += LANES) {
        while (last + 1 < m->bodies && m->body[last + 1].v < first + LANES) {
            last++;
        }
        columns_filter(call, s, &w, first, last);
        columns_smoother(call, s, &w, first, last);
    }
    mirror(call->y.at, (size_t)m->nv);
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

/* q; y = Mass^-1, nv x nv, symmetric to the bit. */
static void mass_inverse(soa_call *call)
{
    const vars w = vars_of(call);
    call_begin(call);
    articulated_only(call, &w);
    const soa_articulated_state state = articulated_state(&w);
    call->lanes->inverse_columns(call, &state, call->work_columns);
}
#endif

#endif
