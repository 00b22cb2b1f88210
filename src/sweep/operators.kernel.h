/* Written by soa emit --kernel from expressions. Change those, not this file.
 *
 * k is a body, p its parent, j a body on it. Vectors are in body frames. */

/* y(k) = H(k) F(k) */
static inline void H_sweep(const soa_call *call, const vars *at, const force *f, real *x)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        joint_force(at, body, f[k], x + body->v);
    }
}

/* y(k) = H*(k) u(k) */
static inline void H_t_sweep(const soa_call *call, const vars *at, const real *x, motion *V)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        V[k] = joint_motion(at, body, x + body->v);
    }
}

/* y(k) = M(k) W(k) */
static inline void M_sweep(const soa_call *call, const vars *at, const motion *V, force *f)
{
    (void)at;
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        f[k] = rigid_mul(rigid_set(body->inertia), V[k]);
    }
}

/* y(k) = R(k) W(k) */
static inline void R_sweep(const soa_call *call, const vars *at, const motion *V, force *f)
{
    for (int k = 0; k < call->model->bodies; k++) {
        f[k] = rigid_mul(at->R[k], V[k]);
    }
}

/* y(k) = P(k) W(k) */
static inline void P_sweep(const soa_call *call, const vars *at, const motion *V, force *f)
{
    for (int k = 0; k < call->model->bodies; k++) {
        f[k] = articulated_mul(at->P[k], V[k]);
    }
}

/* y(k) = Ups(k) F(k) */
static inline void Ups_sweep(const soa_call *call, const vars *at, const force *f, motion *V)
{
    for (int k = 0; k < call->model->bodies; k++) {
        V[k] = Ups_mul(at->Y[k], f[k]);
    }
}

/* y(k) = D(k) u(k) */
static inline void D_sweep(const soa_call *call, const vars *at, real *x)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        real y[SOA_JOINT_MAX_NV];
        D_mul(at, body, x + body->v, y);
        memcpy(x + body->v, y, (size_t)body->nv * sizeof *y);
    }
}

/* y(k) = D(k)^-1 T(k) */
static inline void D_inv_sweep(const soa_call *call, const vars *at, real *x)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        real y[SOA_JOINT_MAX_NV];
        D_inv_mul(at, body, x + body->v, y);
        memcpy(x + body->v, y, (size_t)body->nv * sizeof *y);
    }
}

/* y(k) = Arm(k) u(k) */
static inline void Arm_sweep(const soa_call *call, const vars *at, real *x)
{
    (void)at;
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        for (int i = 0; i < body->nv; i++) {
            x[body->v + i] = body->armature * x[body->v + i];
        }
    }
}

/* y(k) = G(k) T(k) */
static inline void G_sweep(const soa_call *call, const vars *at, const real *x, force *f)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        f[k] = G_mul(at, body, x + body->v);
    }
}

/* y(k) = G*(k) W(k) */
static inline void G_t_sweep(const soa_call *call, const vars *at, const motion *V, real *x)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        G_t_mul(at, body, V[k], x + body->v);
    }
}

/* y(k) = tau(k) F(k) */
static inline void tau_sweep(const soa_call *call, const vars *at, force *f)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        real y[SOA_JOINT_MAX_NV];
        joint_force(at, body, f[k], y);
        f[k] = G_mul(at, body, y);
    }
}

/* y(k) = tau*(k) W(k) */
static inline void tau_t_sweep(const soa_call *call, const vars *at, motion *V)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        real y[SOA_JOINT_MAX_NV];
        G_t_mul(at, body, V[k], y);
        V[k] = joint_motion(at, body, y);
    }
}

/* y(k) = taubar(k) F(k) */
static inline void taubar_sweep(const soa_call *call, const vars *at, force *f)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        real y[SOA_JOINT_MAX_NV];
        joint_force(at, body, f[k], y);
        f[k] = force_sub(f[k], G_mul(at, body, y));
    }
}

/* y(k) = taubar*(k) W(k) */
static inline void taubar_t_sweep(const soa_call *call, const vars *at, motion *V)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        real y[SOA_JOINT_MAX_NV];
        G_t_mul(at, body, V[k], y);
        V[k] = motion_sub(V[k], joint_motion(at, body, y));
    }
}

/* y(k) = sum_j phi(k,j) y(j) + F(k) */
static inline void phi_sweep(const soa_call *call, const vars *at, force *f)
{
    for (int k = call->model->bodies - 1; k >= 0; k--) { /* inward */
        const int p = call->model->body[k].parent;
        if (p >= 0) {
            f[p] = force_add(f[p], phi(at->X[k], f[k]));
        }
    }
}

/* y(k) = phi*(p,k) y(p) + W(k) */
static inline void phi_t_sweep(const soa_call *call, const vars *at, motion *V)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const int p = call->model->body[k].parent;
        if (p >= 0) {
            V[k] = motion_add(V[k], phi_t(at->X[k], V[p]));
        }
    }
}

/* y(k) = sum_j phi(k,j) F(j) */
static inline void E_phi_sweep(const soa_call *call, const vars *at, force *f)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const int p = call->model->body[k].parent;
        const force own = f[k];
        f[k] = force_zero();
        if (p >= 0) {
            f[p] = force_add(f[p], phi(at->X[k], own));
        }
    }
}

/* y(k) = phi*(p,k) W(p) */
static inline void E_phi_t_sweep(const soa_call *call, const vars *at, motion *V)
{
    for (int k = call->model->bodies - 1; k >= 0; k--) { /* inward */
        const int p = call->model->body[k].parent;
        V[k] = p < 0 ? motion_zero() : phi_t(at->X[k], V[p]);
    }
}

/* y(k) = sum_j psi(k,j) y(j) + F(k) */
static inline void psi_sweep(const soa_call *call, const vars *at, force *f)
{
    for (int k = call->model->bodies - 1; k >= 0; k--) { /* inward */
        const soa_body_data *body = &call->model->body[k];
        const int p = body->parent;
        if (p >= 0) {
            f[p] = force_add(f[p], psi(at, body, k, f[k]));
        }
    }
}

/* y(k) = psi*(p,k) y(p) + W(k) */
static inline void psi_t_sweep(const soa_call *call, const vars *at, motion *V)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        const int p = body->parent;
        if (p >= 0) {
            V[k] = motion_add(V[k], psi_t(at, body, k, V[p]));
        }
    }
}

/* y(k) = sum_j psi(k,j) F(j) */
static inline void E_psi_sweep(const soa_call *call, const vars *at, force *f)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        const int p = body->parent;
        const force own = f[k];
        f[k] = force_zero();
        if (p >= 0) {
            f[p] = force_add(f[p], psi(at, body, k, own));
        }
    }
}

/* y(k) = psi*(p,k) W(p) */
static inline void E_psi_t_sweep(const soa_call *call, const vars *at, motion *V)
{
    for (int k = call->model->bodies - 1; k >= 0; k--) { /* inward */
        const soa_body_data *body = &call->model->body[k];
        const int p = body->parent;
        V[k] = p < 0 ? motion_zero() : psi_t(at, body, k, V[p]);
    }
}

/* y(k) = sum_j K(k,j) T(j) */
static inline void K_sweep(const soa_call *call, const vars *at, const real *x, force *f)
{
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        const int p = body->parent;
        f[k] = force_zero();
        if (p >= 0) {
            f[p] = force_add(f[p], K_mul(at, body, k, x + body->v));
        }
    }
}

/* y(k) = K*(p,k) W(p) */
static inline void K_t_sweep(const soa_call *call, const vars *at, const motion *V, real *x)
{
    for (int k = call->model->bodies - 1; k >= 0; k--) { /* inward */
        const soa_body_data *body = &call->model->body[k];
        const int p = body->parent;
        K_t_mul(at, body, k, p < 0 ? motion_zero() : V[p], x + body->v);
    }
}

/* y(k) = sum_j Gamma(k,j) u(j) */
static inline void Gamma_sweep(const soa_call *call, const vars *at, const real *x, force *f)
{
    (void)at;
    for (int k = 0; k < call->model->bodies; k++) {
        const soa_body_data *body = &call->model->body[k];
        f[k] = force_zero();
        Gamma_add(body, x + body->v, f);
    }
}

/* y(k) = Gamma*(p,k) W(p) */
static inline void Gamma_t_sweep(const soa_call *call, const vars *at, const motion *V, real *x)
{
    (void)at;
    for (int k = call->model->bodies - 1; k >= 0; k--) { /* inward */
        const soa_body_data *body = &call->model->body[k];
        const int p = body->parent;
        Gamma_t_mul(body, p < 0 ? motion_zero() : V[p], x + body->v);
    }
}
