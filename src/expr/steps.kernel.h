/* expr/steps.kernel.h - the instructions of a plan at one body.
 *
 * All vectors are in body frames; those of points in world axes. A recursion inward
 * gathers from the bodies on body k in falling order, as the sweeps that scatter to
 * parents do, so that the bits are theirs. */
#ifndef SOA_EXPR_STEPS_KERNEL_H
#define SOA_EXPR_STEPS_KERNEL_H

#include "dynamics/fast.kernel.h"
#include "expr/run.h"
#include "operator/vectors.kernel.h"

typedef struct machine {
    soa_call *call;
    const vars *w;
    const soa_run_frame *frame;
    real *base; /* the numbers of the steps */
} machine;

#define STEP(name) static void step_##name(const machine *m, const soa_instruction *i, int k)

typedef void step_function(const machine *m, const soa_instruction *i, int k);

KERNEL real *numbers_of(const machine *m, int step)
{
    return m->base + m->frame->at[step];
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
#define CHILDREN                \
    int j = m->frame->child[k]; \
    j >= 0;                     \
    j = m->frame->sibling[j]
#define POINTS_AT                   \
    int p = m->frame->point[k + 1]; \
    p >= 0;                         \
    p = m->frame->next_point[p]
#define ONLY_BODIES \
    if (k < 0) {    \
        return;     \
    }

/* ---- sums --------------------------------------------------------------------------------------- */

KERNEL void sum_numbers(const machine *m, const soa_instruction *i, size_t first, size_t count)
{
    real *y = numbers_of(m, i->y) + first;
    for (size_t n = 0; n < count; n++) {
        const real x = numbers_of(m, i->input[0])[first + n];
        real sum = i->factor[0] == 1.0 ? x : i->factor[0] * x;
        for (int c = 1; c < i->count; c++) {
            const real more = numbers_of(m, i->input[c])[first + n];
            const double factor = i->factor[c];
            sum = factor == 1.0 ? sum + more : factor == -1.0 ? sum - more : real_fma(real_set(factor), more, sum);
        }
        y[n] = sum;
    }
}

KERNEL void scale_numbers(const machine *m, const soa_instruction *i, size_t first, size_t count)
{
    const real s = numbers_of(m, i->x2)[0];
    for (size_t n = first; n < first + count; n++) {
        numbers_of(m, i->y)[n] = s * numbers_of(m, i->x)[n];
    }
}

STEP(sum_joint)
{
    ONLY_BODIES
    BODY;
    sum_numbers(m, i, (size_t)body->v, (size_t)body->nv);
}

STEP(sum_body)
{
    ONLY_BODIES
    sum_numbers(m, i, 6 * (size_t)k, 6);
}

STEP(sum_point)
{
    for (POINTS_AT) {
        sum_numbers(m, i, 6 * (size_t)p, 6);
    }
}

STEP(scale_joint)
{
    ONLY_BODIES
    BODY;
    scale_numbers(m, i, (size_t)body->v, (size_t)body->nv);
}

STEP(scale_body)
{
    ONLY_BODIES
    scale_numbers(m, i, 6 * (size_t)k, 6);
}

STEP(scale_point)
{
    for (POINTS_AT) {
        scale_numbers(m, i, 6 * (size_t)p, 6);
    }
}

/* ---- memoryless ----------------------------------------------------------------------------------- */

STEP(H)
{
    ONLY_BODIES
    BODY;
    joint_force(m->w, body, forces_of(m, i->x)[k], joint_of(m, i->y, body));
}

STEP(H_t)
{
    ONLY_BODIES
    BODY;
    motions_of(m, i->y)[k] = joint_motion(m->w, body, joint_of(m, i->x, body));
}

STEP(M)
{
    ONLY_BODIES
    BODY;
    forces_of(m, i->y)[k] = rigid_mul(rigid_set(body->inertia), motions_of(m, i->x)[k]);
}

STEP(R)
{
    ONLY_BODIES
    forces_of(m, i->y)[k] = rigid_mul(m->w->R[k], motions_of(m, i->x)[k]);
}

STEP(P)
{
    ONLY_BODIES
    forces_of(m, i->y)[k] = articulated_mul(m->w->P[k], motions_of(m, i->x)[k]);
}

STEP(Ups)
{
    ONLY_BODIES
    motions_of(m, i->y)[k] = Ups_mul(m->w->Y[k], forces_of(m, i->x)[k]);
}

STEP(D)
{
    ONLY_BODIES
    BODY;
    D_mul(m->w, body, joint_of(m, i->x, body), joint_of(m, i->y, body));
}

STEP(D_inv)
{
    ONLY_BODIES
    BODY;
    D_inv_mul(m->w, body, joint_of(m, i->x, body), joint_of(m, i->y, body));
}

STEP(Arm)
{
    ONLY_BODIES
    BODY;
    for (int n = 0; n < body->nv; n++) {
        joint_of(m, i->y, body)[n] = body->armature * joint_of(m, i->x, body)[n];
    }
}

STEP(G)
{
    ONLY_BODIES
    BODY;
    forces_of(m, i->y)[k] = G_mul(m->w, body, joint_of(m, i->x, body));
}

STEP(G_t)
{
    ONLY_BODIES
    BODY;
    G_t_mul(m->w, body, motions_of(m, i->x)[k], joint_of(m, i->y, body));
}

STEP(tau)
{
    ONLY_BODIES
    BODY;
    real Hf[SOA_JOINT_MAX_NV];
    joint_force(m->w, body, forces_of(m, i->x)[k], Hf);
    forces_of(m, i->y)[k] = G_mul(m->w, body, Hf);
}

STEP(tau_t)
{
    ONLY_BODIES
    BODY;
    real GV[SOA_JOINT_MAX_NV];
    G_t_mul(m->w, body, motions_of(m, i->x)[k], GV);
    motions_of(m, i->y)[k] = joint_motion(m->w, body, GV);
}

STEP(taubar)
{
    ONLY_BODIES
    BODY;
    const force f = forces_of(m, i->x)[k];
    real Hf[SOA_JOINT_MAX_NV];
    joint_force(m->w, body, f, Hf);
    forces_of(m, i->y)[k] = force_sub(f, G_mul(m->w, body, Hf));
}

STEP(taubar_t)
{
    ONLY_BODIES
    BODY;
    const motion V = motions_of(m, i->x)[k];
    real GV[SOA_JOINT_MAX_NV];
    G_t_mul(m->w, body, V, GV);
    motions_of(m, i->y)[k] = motion_sub(V, joint_motion(m->w, body, GV));
}

/* ---- points ------------------------------------------------------------------------------------------ */

STEP(B)
{
    ONLY_BODIES
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

/* ---- from the bodies on it, and from the parent --------------------------------------------------------- */

STEP(E_phi)
{
    ONLY_BODIES
    force y = force_zero();
    for (CHILDREN) {
        y = force_add(y, phi(m->w->X[j], forces_of(m, i->x)[j]));
    }
    forces_of(m, i->y)[k] = y;
}

STEP(E_phi_t)
{
    ONLY_BODIES
    BODY;
    motions_of(m, i->y)[k] = body->parent < 0 ? motion_zero() : phi_t(m->w->X[k], motions_of(m, i->x)[body->parent]);
}

STEP(E_psi)
{
    ONLY_BODIES
    force y = force_zero();
    for (CHILDREN) {
        y = force_add(y, psi(m->w, &m->call->model->body[j], j, forces_of(m, i->x)[j]));
    }
    forces_of(m, i->y)[k] = y;
}

STEP(E_psi_t)
{
    ONLY_BODIES
    BODY;
    motions_of(m, i->y)[k] = body->parent < 0 ? motion_zero() : psi_t(m->w, body, k, motions_of(m, i->x)[body->parent]);
}

STEP(K)
{
    ONLY_BODIES
    force y = force_zero();
    for (CHILDREN) {
        const soa_body_data *child = &m->call->model->body[j];
        y = force_add(y, K_mul(m->w, child, j, joint_of(m, i->x, child)));
    }
    forces_of(m, i->y)[k] = y;
}

STEP(K_t)
{
    ONLY_BODIES
    BODY;
    K_t_mul(
        m->w, body, k, body->parent < 0 ? motion_zero() : motions_of(m, i->x)[body->parent], joint_of(m, i->y, body));
}

STEP(Gamma)
{
    ONLY_BODIES
    force y = force_zero();
    for (CHILDREN) {
        const soa_body_data *child = &m->call->model->body[j];
        if (child->geared) {
            y.n = vec3_scale_add(joint_of(m, i->x, child)[0], vec3_set(child->rest->gear), y.n);
        }
    }
    forces_of(m, i->y)[k] = y;
}

STEP(Gamma_t)
{
    ONLY_BODIES
    BODY;
    for (int n = 0; n < body->nv; n++) {
        joint_of(m, i->y, body)[n] =
            body->geared ? vec3_dot(vec3_set(body->rest->gear), motions_of(m, i->x)[body->parent].w) : real_set(0.0);
    }
}

/* ---- recursions ------------------------------------------------------------------------------------------ */

STEP(phi)
{
    ONLY_BODIES
    force y = forces_of(m, i->x)[k];
    for (CHILDREN) {
        y = force_add(y, phi(m->w->X[j], forces_of(m, i->y)[j]));
    }
    forces_of(m, i->y)[k] = y;
}

STEP(phi_t)
{
    ONLY_BODIES
    BODY;
    motion y = motions_of(m, i->x)[k];
    if (body->parent >= 0) {
        y = motion_add(phi_t(m->w->X[k], motions_of(m, i->y)[body->parent]), y);
    }
    motions_of(m, i->y)[k] = y;
}

STEP(psi)
{
    ONLY_BODIES
    force y = forces_of(m, i->x)[k];
    for (CHILDREN) {
        y = force_add(y, psi(m->w, &m->call->model->body[j], j, forces_of(m, i->y)[j]));
    }
    forces_of(m, i->y)[k] = y;
}

STEP(psi_t)
{
    ONLY_BODIES
    BODY;
    motion y = motions_of(m, i->x)[k];
    if (body->parent >= 0) {
        y = motion_add(y, psi_t(m->w, body, k, motions_of(m, i->y)[body->parent]));
    }
    motions_of(m, i->y)[k] = y;
}

/* V(k) = psi*(m,k) { V(m) + Ups(m) (others(m) - psi(m,k) z(k)) }  [I11] */
STEP(branch)
{
    ONLY_BODIES
    BODY;
    const int p = body->parent;
    motion V = motion_zero();
    if (p >= 0) {
        const force rest = force_sub(forces_of(m, i->x2)[p], psi(m->w, body, k, forces_of(m, i->x)[k]));
        V = psi_t(m->w, body, k, motion_add(motions_of(m, i->y)[p], Ups_mul(m->w->Y[p], rest)));
    }
    motions_of(m, i->y)[k] = V;
}

/* ---- the state --------------------------------------------------------------------------------------------- */

STEP(state_V)
{
    ONLY_BODIES
    body_velocity(m->call, m->w, k);
    motions_of(m, i->y)[k] = m->w->V[k];
}

STEP(state_a)
{
    ONLY_BODIES
    BODY;
    const motion a = m->w->a[k];
    motions_of(m, i->y)[k] = body->parent < 0 ? motion_add(phi_t(m->w->X[k], base_acceleration(m->call)), a) : a;
}

STEP(state_b)
{
    ONLY_BODIES
    force b = body_bias(m->call, m->w, k);
    for (CHILDREN) {
        const soa_body_data *child = &m->call->model->body[j];
        if (child->geared) {
            b = force_add(b, gear_bias(m->call, m->w, child));
        }
    }
    forces_of(m, i->y)[k] = b;
}

STEP(state_g)
{
    ONLY_BODIES
    BODY;
    motions_of(m, i->y)[k] = body->parent < 0 ? phi_t(m->w->X[k], base_acceleration(m->call)) : motion_zero();
}

/* P, D, G; as articulated_sweep, the own inertia coming with the first body on it. */
STEP(articulated)
{
    (void)i;
    ONLY_BODIES
    BODY;
    if (body->leaf) {
        m->w->P[k] = articulated_from_rigid(rigid_set(body->inertia));
    }
    if (body->parent >= 0 && body->last) {
        m->w->P[body->parent] = articulated_from_rigid(rigid_set(m->call->model->body[body->parent].inertia));
    }
    articulated_step(m->call, m->w, k);
}

STEP(composite)
{
    (void)i;
    ONLY_BODIES
    BODY;
    rigid R = rigid_set(body->inertia);
    for (CHILDREN) {
        R = rigid_add(R, rigid_shift(m->w->X[j], m->w->R[j]));
    }
    m->w->R[k] = R;
}

STEP(upsilon)
{
    (void)i;
    ONLY_BODIES
    for (int n = 0; n < 6; n++) {
        const motion e = motion_unit(n);
        Ups_set_column(&m->w->Y[k], n, Ups_image(m->call, m->w, k, (force){ e.w, e.v }));
    }
}

/* ---- blocks of a matrix -------------------------------------------------------------------------------------- */

KERNEL void block_mul(const machine *m, const soa_instruction *i, int k, int n, const real *x, real *y)
{
    const double *A = m->frame->matrix[i->matrix] + 36 * (size_t)k;
    for (int r = 0; r < n; r++) {
        y[r] = real_set(0.0);
        for (int c = 0; c < n; c++) {
            y[r] = real_fma(real_set(i->adjoint ? A[6 * c + r] : A[6 * r + c]), x[c], y[r]);
        }
    }
}

STEP(blocks_joint)
{
    ONLY_BODIES
    BODY;
    block_mul(m, i, k, body->nv, joint_of(m, i->x, body), joint_of(m, i->y, body));
}

/* A body's vector in its link frame, and back; one without a side is in the link frame. */
KERNEL void to_link_frame(soa_side side, pose link, real *x)
{
    force *f = (force *)(void *)x;
    motion *V = (motion *)(void *)x;
    if (side == SOA_SIDE_FORCE) {
        *f = phi_inv(link, *f);
    } else if (side == SOA_SIDE_MOTION) {
        *V = phi_t(link, *V);
    }
}

KERNEL void from_link_frame(soa_side side, pose link, real *x)
{
    force *f = (force *)(void *)x;
    motion *V = (motion *)(void *)x;
    if (side == SOA_SIDE_FORCE) {
        *f = phi(link, *f);
    } else if (side == SOA_SIDE_MOTION) {
        *V = phi_t_inv(link, *V);
    }
}

STEP(blocks_body)
{
    ONLY_BODIES
    BODY;
    const pose link = pose_set(&body->rest->frame);
    real x[6];
    memcpy(x, numbers_of(m, i->x) + 6 * (size_t)k, sizeof x);
    to_link_frame(i->from, link, x);
    real *y = numbers_of(m, i->y) + 6 * (size_t)k;
    block_mul(m, i, k, 6, x, y);
    from_link_frame(i->to, link, y);
}

/* ---- filter and smoother ---------------------------------------------------------------------------------------- */

/* z = psi (K x + rest), eps = x - H z: y = z, y2 = eps. */
STEP(filter)
{
    ONLY_BODIES
    BODY;
    force z = i->x2 < 0 ? force_zero() : forces_of(m, i->x2)[k];
    for (CHILDREN) {
        const soa_body_data *child = &m->call->model->body[j];
        z = force_add(z, filter_step(m->call, m->w, j, forces_of(m, i->y)[j], joint_of(m, i->y2, child)));
    }
    forces_of(m, i->y)[k] = z;
    innovation(m->w, body, z, joint_of(m, i->x, body), joint_of(m, i->y2, body));
}

/* y = lambda = psi* H* nu, y2 = nu - K* lambda, nu = D^-1 eps. */
STEP(smoother)
{
    ONLY_BODIES
    BODY;
    const motion zero = motion_zero();
    motion *lambda = motions_of(m, i->y);
    const motion *at_parent = body->parent < 0 ? &zero : &lambda[body->parent];
    const motion at_child = phi_t(m->w->X[k], *at_parent);
    real *y = joint_of(m, i->y2, body);
    smoother_step(m->call, m->w, k, joint_of(m, i->x, body), at_child, at_parent, y);
    lambda[k] = motion_add(at_child, joint_motion(m->w, body, y));
}

/* ---- forward dynamics -------------------------------------------------------------------------------------------- */

STEP(forward_velocity)
{
    (void)i;
    ONLY_BODIES
    forward_outward_at(m->call, m->w, k);
}

STEP(forward_filter)
{
    ONLY_BODIES
    if (i->x2 >= 0) {
        m->w->b[k] = force_add(m->w->b[k], forces_of(m, i->x2)[k]);
    }
    forward_inward_at(m->call, m->w, k);
}

/* betadot goes to the caller, and from there to the steps that use it: count of them. */
STEP(forward_smoother)
{
    ONLY_BODIES
    BODY;
    const motion base = base_acceleration(m->call);
    forward_smoother_at(m->call, m->w, k, &base);
    if (i->count == 0) {
        return;
    }
    joint_in(m->call, (soa_in){ m->call->y.at, m->call->y.stride }, body->v, body->nv, joint_of(m, i->y, body));
}

#undef STEP

#endif
