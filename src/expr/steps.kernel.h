/* expr/steps.kernel.h - the instructions of a graph at one body that are no expression: sums, and what is memoryless.
 *
 * All vectors are in body frames; those of points in world axes. Instructions that look
 * at other bodies: recursions.kernel.h. */
#ifndef SOA_EXPR_STEPS_KERNEL_H
#define SOA_EXPR_STEPS_KERNEL_H

#include "dynamics/fast.kernel.h"
#include "expr/run.h"
#include "operator/vectors.kernel.h"

struct blocks;

typedef struct machine {
    soa_call *call;
    const vars *w;
    const soa_graph_run *run;
    const soa_run_tree *tree;
    const soa_instructions *list;
    real *base;               /* the numbers of the steps */
    const struct blocks *all; /* of models with flexible links, for one state: flexible_steps.kernel.h */
} machine;

#define STEP(name) static void step_##name(const machine *m, const soa_step *i, int k)

typedef void step_function(const machine *m, const soa_step *i, int k);

KERNEL real *numbers_of(const machine *m, int step)
{
    return m->base + m->run->at[step];
}

KERNEL force *forces_of(const machine *m, int step)
{
    return (force *)(void *)numbers_of(m, step);
}

KERNEL motion *motions_of(const machine *m, int step)
{
    return (motion *)(void *)numbers_of(m, step);
}

KERNEL real *joint_of(const machine *m, int step, const soa_body_data *body)
{
    return numbers_of(m, step) + body->v;
}

#define BODY const soa_body_data *body = &m->call->model->body[k]
#define CHILDREN               \
    int j = m->tree->child[k]; \
    j >= 0;                    \
    j = m->tree->sibling[j]
#define POINTS_AT                  \
    int p = m->tree->point[k + 1]; \
    p >= 0;                        \
    p = m->tree->next_point[p]

/* A step of bodies alone: not of what points on the world need. Not all need all of what they are given. */
#define BODY_STEP_OF(name)                                                        \
    static inline void body_step_##name(const machine *m __attribute__((unused)), \
        const soa_step *i __attribute__((unused)), int k __attribute__((unused)), \
        const soa_body_data *body __attribute__((unused)))

#define BODY_STEP(name)                                          \
    BODY_STEP_OF(name);                                          \
    STEP(name)                                                   \
    {                                                            \
        if (k >= 0) {                                            \
            body_step_##name(m, i, k, &m->call->model->body[k]); \
        }                                                        \
    }                                                            \
    BODY_STEP_OF(name)

/* ---- sums --------------------------------------------------------------------------------------- */

/* y = x0 + x1, or x0 - x1: most sums. */
KERNEL void sum_two(const real *x0, const real *x1, bool minus, size_t count, real *y)
{
    for (size_t n = 0; n < count; n++) {
        y[n] = minus ? x0[n] - x1[n] : x0[n] + x1[n];
    }
}

KERNEL void sum_numbers(const machine *m, const soa_step *i, size_t first, size_t count)
{
    real *y = numbers_of(m, i->y) + first;
    const real *x = numbers_of(m, i->input[0]) + first;
    if (i->count == 2 && i->factor[0] == 1.0 && (i->factor[1] == 1.0 || i->factor[1] == -1.0)) {
        sum_two(x, numbers_of(m, i->input[1]) + first, i->factor[1] < 0.0, count, y);
        return;
    }
    for (size_t n = 0; n < count; n++) {
        y[n] = i->factor[0] == 1.0 ? x[n] : i->factor[0] * x[n];
    }
    for (int c = 1; c < i->count; c++) {
        const double factor = i->factor[c];
        x = numbers_of(m, i->input[c]) + first;
        for (size_t n = 0; n < count; n++) {
            y[n] = factor == 1.0 ? y[n] + x[n] : factor == -1.0 ? y[n] - x[n] : real_fma(real_set(factor), x[n], y[n]);
        }
    }
}

KERNEL void scale_numbers(const machine *m, const soa_step *i, size_t first, size_t count)
{
    const real s = numbers_of(m, i->x2)[0];
    for (size_t n = first; n < first + count; n++) {
        numbers_of(m, i->y)[n] = s * numbers_of(m, i->x)[n];
    }
}

/* What is done to numbers one by one: of a joint, a body, the points of a body. */
#define STEPS_ON_NUMBERS(name, function)                   \
    BODY_STEP(name##_joint)                                \
    {                                                      \
        function(m, i, (size_t)body->v, (size_t)body->nv); \
    }                                                      \
    BODY_STEP(name##_body)                                 \
    {                                                      \
        function(m, i, 6 * (size_t)k, 6);                  \
    }                                                      \
    STEP(name##_point)                                     \
    {                                                      \
        for (POINTS_AT) {                                  \
            function(m, i, 6 * (size_t)p, 6);              \
        }                                                  \
    }

STEPS_ON_NUMBERS(sum, sum_numbers)
STEPS_ON_NUMBERS(scale, scale_numbers)

/* ---- memoryless ----------------------------------------------------------------------------------- */

BODY_STEP(Arm)
{
    for (int n = 0; n < body->nv; n++) {
        joint_of(m, i->y, body)[n] = body->armature * joint_of(m, i->x, body)[n];
    }
}

/* G H f and H* G* V */
KERNEL force tau_mul(const vars *w, const soa_body_data *body, force f)
{
    real Hf[SOA_JOINT_MAX_NV];
    joint_force(w, body, f, Hf);
    return G_mul(w, body, Hf);
}

KERNEL motion tau_t_mul(const vars *w, const soa_body_data *body, motion V)
{
    real GV[SOA_JOINT_MAX_NV];
    G_t_mul(w, body, V, GV);
    return joint_motion(w, body, GV);
}

/* -g as an acceleration of the base, at a body on it. */
KERNEL motion base_motion(const machine *m, int k)
{
    return phi_t(m->w->X[k], base_acceleration(m->call));
}

/* ---- points ------------------------------------------------------------------------------------------ */

BODY_STEP(B)
{
    force f = force_zero();
    for (POINTS_AT) {
        f = force_add(f, phi(point_pose(m->call, m->w, p, k), forces_of(m, i->x)[p]));
    }
    forces_of(m, i->y)[k] = f;
}

STEP(B_t)
{
    for (POINTS_AT) {
        motions_of(m, i->y)[p] = k < 0 ? motion_zero() : phi_t(point_pose(m->call, m->w, p, k), motions_of(m, i->x)[k]);
    }
}

#endif
