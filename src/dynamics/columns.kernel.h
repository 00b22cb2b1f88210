/* dynamics/columns.kernel.h - lanes that hold columns of a matrix.
 *
 * The sweeps' results are those of one state, plain numbers that all lanes share;
 * each lane carries one column of the result inward or outward. A unit that defines
 * STATES has it the other way round: lanes hold states, and columns go one by one. */
#ifndef SOA_DYNAMICS_COLUMNS_KERNEL_H
#define SOA_DYNAMICS_COLUMNS_KERNEL_H

#include "sweep/screw.kernel.h"

/* A number of a column, and of what the sweeps left, as it is in memory; columns that go at once. */
#if defined(STATES)
typedef real cell;
enum { COLUMNS = 1, HAS_STATES = true };
#else
typedef double cell;
enum { COLUMNS = LANES, HAS_STATES = false };
#endif

/* Numbers of columns from and to memory. */
KERNEL real cell_load(const cell *from)
{
#if defined(STATES)
    return *from;
#else
    return real_load(from);
#endif
}

KERNEL void cell_store(cell *to, real x)
{
#if defined(STATES)
    *to = x;
#else
    real_store(to, x);
#endif
}

/* A number that all columns share. */
KERNEL real shared(cell x)
{
#if defined(STATES)
    return x;
#else
    return real_set(x);
#endif
}

KERNEL vec3 vec3_shared(const cell x[3])
{
    return (vec3){ shared(x[0]), shared(x[1]), shared(x[2]) };
}

/* Numbers whose kind the tables of functions do not tell. */
KERNEL cell *cells(double *x)
{
    return (cell *)(void *)x;
}

KERNEL const cell *cells_in(const double *x)
{
    return (const cell *)(const void *)x;
}

/* Joints crossed by plane rotations and without a rotor. */
KERNEL bool is_plain(const soa_body_data *body)
{
    return soa_is_screw(body) && !body->motor;
}

KERNEL force force_of(const cell x[6])
{
    return (force){ vec3_shared(x), vec3_shared(x + 3) };
}

KERNEL motion motion_of(const cell x[6])
{
    return (motion){ vec3_shared(x), vec3_shared(x + 3) };
}

KERNEL mat3 rotation_of(const cell x[9])
{
    return (mat3){ shared(x[0]), shared(x[1]), shared(x[2]), shared(x[3]), shared(x[4]), shared(x[5]), shared(x[6]),
        shared(x[7]), shared(x[8]) };
}

KERNEL pose pose_of(const cell x[12])
{
    return (pose){ rotation_of(x), vec3_shared(x + 9) };
}

/* One body of the state. */
typedef struct column_body {
    const soa_body_data *body;
    const cell *X, *H, *U, *G, *D_inv;
    crossing x;
} column_body;

KERNEL column_body column_body_of(const soa_call *call, const soa_articulated_state *s, int k)
{
    const soa_body_data *body = &call->model->body[k];
    const size_t i = 6 * (size_t)body->v;
    const cell *X = cells_in(s->X) + 12 * (size_t)k, *turn = cells_in(s->crossing) + 2 * (size_t)k;
#if defined(STATES)
    const vec3 l = body->joint_class == SOA_CLASS_REVOLUTE ? vec3_set(body->screw.l) : vec3_shared(X + 9);
#else
    const vec3 l = vec3_set(body->joint_class == SOA_CLASS_REVOLUTE ? body->screw.l : X + 9);
#endif
    return (column_body){ body, X, cells_in(s->H) + i, cells_in(s->U) + i, cells_in(s->G) + i, cells_in(s->D_inv) + i,
        { shared(turn[0]), shared(turn[1]), l } };
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
        return force_scale_add(shared(b->D_inv[0]) * eps[0], force_of(b->U), column_inward(b, z));
    }
    for (int i = 0; i < b->body->nv; i++) {
        z = force_scale_add(eps[i], force_of(b->G + 6 * i), z);
    }
    return column_inward(b, z);
}

/* y = D^-1 eps - K* alpha(p), component i; at_child = phi* alpha(p), at_parent NULL: alpha(p) is zero. */
KERNEL real column_entry(const column_body *b, const real *eps, int i, motion at_child, const motion *at_parent)
{
    real y = shared(b->D_inv[6 * i]) * eps[0];
    for (int j = 1; j < b->body->nv; j++) {
        y = real_fma(shared(b->D_inv[6 * i + j]), eps[j], y);
    }
    if (at_parent && b->body->geared) {
        return real_fnma(shared(b->D_inv[0]), power(force_of(b->U), *at_parent), y);
    }
    return at_parent ? y - power(force_of(b->G + 6 * i), at_child) : y;
}

#if LANES == 1 || defined(STATES)
/* Numbers of the sweeps for those who do not know their kind. */
KERNEL const double *plain_numbers(const real *x)
{
    return (const double *)(const void *)x;
}

static inline soa_articulated_state articulated_state(const vars *w)
{
    return (soa_articulated_state){
        .crossing = plain_numbers(&w->crossing[0][0]),
        .X = plain_numbers(&w->X[0].R.xx),
        .H = plain_numbers(&w->H[0].w.x),
        .U = plain_numbers(&w->U[0].n.x),
        .G = plain_numbers(&w->G[0].n.x),
        .D_inv = plain_numbers(&w->D_inv[0][0]),
    };
}
#endif

#endif
