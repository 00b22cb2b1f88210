/* expr/recursions.kernel.h - the instructions of a graph that look at other bodies.
 *
 * A recursion inward gathers from the bodies on body k in falling order, as the sweeps
 * that scatter to parents do, so that the bits are theirs. */
#ifndef SOA_EXPR_RECURSIONS_KERNEL_H
#define SOA_EXPR_RECURSIONS_KERNEL_H

#include "expr/steps.kernel.h"

/* ---- from the bodies on it, and from the parent --------------------------------------------------------- */

BODY_STEP(Gamma)
{
    force y = force_zero();
    for (CHILDREN) {
        const soa_body_data *child = &m->call->model->body[j];
        if (child->geared) {
            y.n = vec3_scale_add(joint_of(m, i->x, child)[0], vec3_set(child->rest->gear), y.n);
        }
    }
    forces_of(m, i->y)[k] = y;
}

/* ---- recursions ------------------------------------------------------------------------------------------ */

/* V(k) = psi*(m,k) { V(m) + Ups(m) (others(m) - psi(m,k) z(k)) }  [I11] */
BODY_STEP(branch)
{
    const int p = body->parent;
    motion V = motion_zero();
    if (p >= 0) {
        const force rest = force_sub(forces_of(m, i->x2)[p], psi(m->w, body, k, forces_of(m, i->x)[k]));
        V = psi_t(m->w, body, k, motion_add(motions_of(m, i->y)[p], Ups_mul(m->w->Y[p], rest)));
    }
    motions_of(m, i->y)[k] = V;
}

/* ---- the state --------------------------------------------------------------------------------------------- */

BODY_STEP(state_V)
{
    body_velocity(m->call, m->w, k);
    motions_of(m, i->y)[k] = m->w->V[k];
}

BODY_STEP(state_b)
{
    force b = body_bias(m->call, m->w, k);
    for (CHILDREN) {
        const soa_body_data *child = &m->call->model->body[j];
        if (child->geared) {
            b = force_add(b, gear_bias(m->call, m->w, child));
        }
    }
    forces_of(m, i->y)[k] = b;
}

/* What armature adds to C where velocities turn with the link. */
BODY_STEP(state_b_Arm)
{
    real *y = joint_of(m, i->y, body);
    for (int n = 0; n < body->nv; n++) {
        y[n] = real_set(0.0);
    }
    armature_bias(m->call, body, 1.0, y);
}

/* P, D, G; as articulated_sweep, the own inertia coming with the first body on it. */
BODY_STEP(articulated)
{
    if (body->leaf) {
        m->w->P[k] = articulated_from_rigid(rigid_set(body->inertia));
    }
    if (body->parent >= 0 && body->last) {
        m->w->P[body->parent] = articulated_from_rigid(rigid_set(m->call->model->body[body->parent].inertia));
    }
    articulated_step(m->call, m->w, k);
}

BODY_STEP(composite)
{
    rigid R = rigid_set(body->inertia);
    for (CHILDREN) {
        R = rigid_add(R, rigid_shift(m->w->X[j], m->w->R[j]));
    }
    m->w->R[k] = R;
}

BODY_STEP(upsilon)
{
    for (int n = 0; n < 6; n++) {
        const motion e = motion_unit(n);
        Ups_set_column(&m->w->Y[k], n, Ups_image(m->call, m->w, k, (force){ e.w, e.v }));
    }
}

/* ---- blocks of a matrix -------------------------------------------------------------------------------------- */

KERNEL void matrix_block_mul(const machine *m, const soa_step *i, int k, int n, const real *x, real *y)
{
    const int rows = soa_block_stride(m->call->model);
    const double *A = m->run->matrix[i->matrix].at + (size_t)(rows * rows) * (size_t)k;
    for (int r = 0; r < n; r++) {
        y[r] = real_set(0.0);
        for (int c = 0; c < n; c++) {
            y[r] = real_fma(real_set(i->adjoint ? A[rows * c + r] : A[rows * r + c]), x[c], y[r]);
        }
    }
}

BODY_STEP(blocks_body)
{
    const pose link = pose_set(&body->rest->frame);
    real x[6];
    memcpy(x, numbers_of(m, i->x) + 6 * (size_t)k, sizeof x);
    turn_frame(true, soa_graph_step(m->run->graph, i->x)->place.side, link, x);
    real *y = numbers_of(m, i->y) + 6 * (size_t)k;
    matrix_block_mul(m, i, k, 6, x, y);
    turn_frame(false, i->place.side, link, y);
}

/* ---- filter and smoother ---------------------------------------------------------------------------------------- */

/* z = psi (K x + rest), eps = x - H z: y = z, y2 = eps. */
BODY_STEP(filter)
{
    force z = i->x2 < 0 ? force_zero() : forces_of(m, i->x2)[k];
    for (CHILDREN) {
        const soa_body_data *child = &m->call->model->body[j];
        z = force_add(z, filter_step(m->call, m->w, j, forces_of(m, i->y)[j], joint_of(m, i->y2, child)));
    }
    forces_of(m, i->y)[k] = z;
    innovation(m->w, body, z, joint_of(m, i->x, body), joint_of(m, i->y2, body));
}

/* y = lambda = psi* H* nu, y2 = nu - K* lambda, nu = D^-1 eps. */
BODY_STEP(smoother)
{
    const motion zero = motion_zero();
    motion *lambda = motions_of(m, i->y);
    const motion *at_parent = body->parent < 0 ? &zero : &lambda[body->parent];
    const motion at_child = phi_t(m->w->X[k], *at_parent);
    real *y = joint_of(m, i->y2, body);
    smoother_step(m->call, m->w, k, joint_of(m, i->x, body), at_child, at_parent, y);
    lambda[k] = motion_add(at_child, joint_motion(m->w, body, y));
}

#endif
