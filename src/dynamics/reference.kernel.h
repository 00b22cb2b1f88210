/* Written by soa emit --kernel from expressions. Change those, not this file.
 *
 * k is a body, p its parent, j a body on it. Vectors are in body frames. */

/* forward_dynamics_1 = (I - H psi K)' D^-1 (I - H psi K) (T - C) */
static void forward_dynamics_1(soa_call *call)
{
    const vars w = vars_of(call), *at = &w;
    motion *a = at->a;
    motion *alpha = at->alpha;
    force *f = at->b;
    real *t10 = at->x;
    force *z = at->z;
    real *eps2 = at->eps;
    motion *lambda = at->alpha;
    call_begin(call);
    position_sweep(call, at);
    if (call->f.at) {
        placement_sweep(call, at);
    }
    for (int k = 0; k < call->model->bodies; k++) { /* outward */
        const soa_body_data *body = &call->model->body[k];
        const int p = body->parent;
        /* V(k) = phi*(p,k) V(p) + H*(k) beta(k) */
        body_velocity_given(call, at, k);
        /* a(k) = dphi*(p,k)/dt V(p) + dH*(k)/dt beta(k), and -g at the base */
        if (p < 0) {
            a[k] = motion_add(base_gravity(call, at, k), a[k]);
        }
        /* alpha(k) = phi*(p,k) alpha(p) + a(k) */
        const motion alpha_p = p < 0 ? motion_zero() : phi_t(at->X[k], alpha[p]);
        alpha[k] = motion_add(alpha_p, a[k]);
        Gamma_t_mul(body, p < 0 ? motion_zero() : alpha[p], t10 + body->v);
        at->P[k] = articulated_from_rigid(rigid_set(body->inertia));
        f[k] = force_add(rigid_mul(rigid_set(body->inertia), alpha[k]), body_bias(call, at, k));
        external_off(call, at, k, f);
        gear_bias_add(call, at, body, f);
        z[k] = force_zero();
    }
    for (int k = call->model->bodies - 1; k >= 0; k--) { /* inward */
        const soa_body_data *body = &call->model->body[k];
        const int p = body->parent;
        real T[SOA_JOINT_MAX_NV];
        joint_given(call, call->u, body, T);
        real t9[SOA_JOINT_MAX_NV];
        real b_Arm[SOA_JOINT_MAX_NV] = { real_set(0.0) };
        real eps[SOA_JOINT_MAX_NV];
        /* K(k,j) = [phi(k,j) P(j) H*(j) + Gamma(k,j)] D(j)^-1 */
        /* psi(k,j) = phi(k,j) - K(k,j) H(j) */
        /* P(k) = M(k) + sum_j [phi(k,j) P(j) phi*(k,j) - K(k,j) D(j) K*(k,j)] */
        /* D(k) = H(k) P(k) H*(k) + Arm(k) */
        articulated_step(call, at, k);
        /* f(k) = sum_j phi(k,j) f(j) + M(k) alpha(k) + b(k) */
        if (p >= 0) {
            f[p] = force_add(f[p], phi(at->X[k], f[k]));
        }
        joint_force(at, body, f[k], t9);
        /* b_Arm(k) = Arm(k) w(k) x v(k) of beta(k) = (w; v) */
        armature_bias(call, body, 1.0, b_Arm);
        /* eps(k) = T(k) - H(k) f(k) - Gamma*(p,k) alpha(p) - b_Arm(k) */
        for (int n = 0; n < body->nv; n++) {
            eps[n] = T[n] - t9[n] - t10[body->v + n] - b_Arm[n];
        }
        /* z(k) = sum_j psi(k,j) z(j) + K(k,j) eps(j) */
        /* eps2(k) = eps(k) - H(k) z(k) */
        innovation(at, body, z[k], eps, eps2 + body->v);
        if (p >= 0) {
            z[p] = force_add(z[p], filter_step(call, at, k, z[k], eps2 + body->v));
        }
    }
    for (int k = 0; k < call->model->bodies; k++) { /* outward */
        const soa_body_data *body = &call->model->body[k];
        const int p = body->parent;
        real y[SOA_JOINT_MAX_NV];
        /* nu(k) = D(k)^-1 eps2(k) */
        /* lambda(k) = psi*(p,k) lambda(p) + H*(k) nu(k) */
        /* y(k) = nu(k) - K*(p,k) lambda(p) */
        const motion at_parent = p < 0 ? motion_zero() : lambda[p], at_child = phi_t(at->X[k], at_parent);
        smoother_step(call, at, k, eps2 + body->v, at_child, &at_parent, y);
        lambda[k] = motion_add(at_child, joint_motion(at, body, y));
        joint_out(call, call->y, body->v, body->nv, y);
    }
}

/* forward_dynamics_2 = (I - H psi K)' D^-1 (I - H psi K) (T - C)
 * forward_dynamics_2_alpha = phi' (H' forward_dynamics_2 + a - g) */
static void forward_dynamics_2(soa_call *call)
{
    const vars w = vars_of(call), *at = &w;
    motion *a = at->a;
    motion *alpha = at->alpha;
    force *f = at->b;
    real *t10 = at->x;
    force *z = at->z;
    real *eps2 = at->eps;
    motion *lambda = at->alpha;
    motion *y2 = at->V;
    call_begin(call);
    position_sweep(call, at);
    if (call->f.at) {
        placement_sweep(call, at);
    }
    for (int k = 0; k < call->model->bodies; k++) { /* outward */
        const soa_body_data *body = &call->model->body[k];
        const int p = body->parent;
        /* V(k) = phi*(p,k) V(p) + H*(k) beta(k) */
        body_velocity_given(call, at, k);
        /* a(k) = dphi*(p,k)/dt V(p) + dH*(k)/dt beta(k), and -g at the base */
        if (p < 0) {
            a[k] = motion_add(base_gravity(call, at, k), a[k]);
        }
        /* alpha(k) = phi*(p,k) alpha(p) + a(k) */
        const motion alpha_p = p < 0 ? motion_zero() : phi_t(at->X[k], alpha[p]);
        alpha[k] = motion_add(alpha_p, a[k]);
        Gamma_t_mul(body, p < 0 ? motion_zero() : alpha[p], t10 + body->v);
        at->P[k] = articulated_from_rigid(rigid_set(body->inertia));
        f[k] = force_add(rigid_mul(rigid_set(body->inertia), alpha[k]), body_bias(call, at, k));
        external_off(call, at, k, f);
        gear_bias_add(call, at, body, f);
        z[k] = force_zero();
    }
    for (int k = call->model->bodies - 1; k >= 0; k--) { /* inward */
        const soa_body_data *body = &call->model->body[k];
        const int p = body->parent;
        real T[SOA_JOINT_MAX_NV];
        joint_given(call, call->u, body, T);
        real t9[SOA_JOINT_MAX_NV];
        real b_Arm[SOA_JOINT_MAX_NV] = { real_set(0.0) };
        real eps[SOA_JOINT_MAX_NV];
        /* K(k,j) = [phi(k,j) P(j) H*(j) + Gamma(k,j)] D(j)^-1 */
        /* psi(k,j) = phi(k,j) - K(k,j) H(j) */
        /* P(k) = M(k) + sum_j [phi(k,j) P(j) phi*(k,j) - K(k,j) D(j) K*(k,j)] */
        /* D(k) = H(k) P(k) H*(k) + Arm(k) */
        articulated_step(call, at, k);
        /* f(k) = sum_j phi(k,j) f(j) + M(k) alpha(k) + b(k) */
        if (p >= 0) {
            f[p] = force_add(f[p], phi(at->X[k], f[k]));
        }
        joint_force(at, body, f[k], t9);
        /* b_Arm(k) = Arm(k) w(k) x v(k) of beta(k) = (w; v) */
        armature_bias(call, body, 1.0, b_Arm);
        /* eps(k) = T(k) - H(k) f(k) - Gamma*(p,k) alpha(p) - b_Arm(k) */
        for (int n = 0; n < body->nv; n++) {
            eps[n] = T[n] - t9[n] - t10[body->v + n] - b_Arm[n];
        }
        /* z(k) = sum_j psi(k,j) z(j) + K(k,j) eps(j) */
        /* eps2(k) = eps(k) - H(k) z(k) */
        innovation(at, body, z[k], eps, eps2 + body->v);
        if (p >= 0) {
            z[p] = force_add(z[p], filter_step(call, at, k, z[k], eps2 + body->v));
        }
    }
    for (int k = 0; k < call->model->bodies; k++) { /* outward */
        const soa_body_data *body = &call->model->body[k];
        const int p = body->parent;
        real y[SOA_JOINT_MAX_NV];
        /* nu(k) = D(k)^-1 eps2(k) */
        /* lambda(k) = psi*(p,k) lambda(p) + H*(k) nu(k) */
        /* y(k) = nu(k) - K*(p,k) lambda(p) */
        const motion at_parent = p < 0 ? motion_zero() : lambda[p], at_child = phi_t(at->X[k], at_parent);
        smoother_step(call, at, k, eps2 + body->v, at_child, &at_parent, y);
        lambda[k] = motion_add(at_child, joint_motion(at, body, y));
        joint_out(call, call->y, body->v, body->nv, y);
        /* y2(k) = phi*(p,k) y2(p) + H*(k) y(k) + a(k) - g(k) */
        const motion y2_p = p < 0 ? motion_zero() : phi_t(at->X[k], y2[p]);
        y2[k] = motion_sub(motion_add(motion_add(y2_p, joint_motion(at, body, y)), a[k]), base_gravity(call, at, k));
    }
    for (int k = 0; call->y2.at && k < call->model->bodies; k++) {
        body_motion_out(call, call->y2, k, y2[k]);
    }
}

/* forward_dynamics_3 = (I - H psi K)' D^-1 ((I - H psi K) (T - b_Arm - Gamma' phi' a) - H psi (M phi' a + b)) */
static void forward_dynamics_3(soa_call *call)
{
    const vars w = vars_of(call), *at = &w;
    motion *a = at->a;
    motion *alpha = at->alpha;
    real *eps = at->x;
    force *z = at->b;
    real *eps2 = at->eps;
    motion *lambda = at->alpha;
    call_begin(call);
    position_sweep(call, at);
    if (call->f.at) {
        placement_sweep(call, at);
    }
    for (int k = 0; k < call->model->bodies; k++) { /* outward */
        const soa_body_data *body = &call->model->body[k];
        const int p = body->parent;
        real T[SOA_JOINT_MAX_NV];
        joint_given(call, call->u, body, T);
        real b_Arm[SOA_JOINT_MAX_NV] = { real_set(0.0) };
        real t6[SOA_JOINT_MAX_NV];
        /* b_Arm(k) = Arm(k) w(k) x v(k) of beta(k) = (w; v) */
        armature_bias(call, body, 1.0, b_Arm);
        /* V(k) = phi*(p,k) V(p) + H*(k) beta(k) */
        body_velocity_given(call, at, k);
        /* a(k) = dphi*(p,k)/dt V(p) + dH*(k)/dt beta(k), and -g at the base */
        if (p < 0) {
            a[k] = motion_add(base_gravity(call, at, k), a[k]);
        }
        /* alpha(k) = phi*(p,k) alpha(p) + a(k) */
        const motion alpha_p = p < 0 ? motion_zero() : phi_t(at->X[k], alpha[p]);
        alpha[k] = motion_add(alpha_p, a[k]);
        Gamma_t_mul(body, p < 0 ? motion_zero() : alpha[p], t6);
        /* eps(k) = T(k) - b_Arm(k) - Gamma*(p,k) alpha(p) */
        for (int n = 0; n < body->nv; n++) {
            eps[body->v + n] = T[n] - b_Arm[n] - t6[n];
        }
        at->P[k] = articulated_from_rigid(rigid_set(body->inertia));
        z[k] = force_add(rigid_mul(rigid_set(body->inertia), alpha[k]), body_bias(call, at, k));
        external_off(call, at, k, z);
        gear_bias_add(call, at, body, z);
    }
    for (int k = call->model->bodies - 1; k >= 0; k--) { /* inward */
        const soa_body_data *body = &call->model->body[k];
        const int p = body->parent;
        /* K(k,j) = [phi(k,j) P(j) H*(j) + Gamma(k,j)] D(j)^-1 */
        /* psi(k,j) = phi(k,j) - K(k,j) H(j) */
        /* P(k) = M(k) + sum_j [phi(k,j) P(j) phi*(k,j) - K(k,j) D(j) K*(k,j)] */
        /* D(k) = H(k) P(k) H*(k) + Arm(k) */
        articulated_step(call, at, k);
        /* z(k) = sum_j psi(k,j) z(j) + K(k,j) eps(j) + M(k) alpha(k) + b(k) */
        /* eps2(k) = eps(k) - H(k) z(k) */
        innovation(at, body, z[k], eps + body->v, eps2 + body->v);
        if (p >= 0) {
            z[p] = force_add(z[p], filter_step(call, at, k, z[k], eps2 + body->v));
        }
    }
    for (int k = 0; k < call->model->bodies; k++) { /* outward */
        const soa_body_data *body = &call->model->body[k];
        const int p = body->parent;
        real y[SOA_JOINT_MAX_NV];
        /* nu(k) = D(k)^-1 eps2(k) */
        /* lambda(k) = psi*(p,k) lambda(p) + H*(k) nu(k) */
        /* y(k) = nu(k) - K*(p,k) lambda(p) */
        const motion at_parent = p < 0 ? motion_zero() : lambda[p], at_child = phi_t(at->X[k], at_parent);
        smoother_step(call, at, k, eps2 + body->v, at_child, &at_parent, y);
        lambda[k] = motion_add(at_child, joint_motion(at, body, y));
        joint_out(call, call->y, body->v, body->nv, y);
    }
}

/* forward_dynamics_4 = (I - H psi K)' D^-1 ((I - H psi K) (T - b_Arm) - H psi (b + P a)) - K' psi' a */
static void forward_dynamics_4(soa_call *call)
{
    const vars w = vars_of(call), *at = &w;
    motion *a = at->a;
    force *z = at->b;
    real *nu = at->x;
    motion *lambda = at->alpha;
    call_begin(call);
    position_sweep(call, at);
    if (call->f.at) {
        placement_sweep(call, at);
    }
    for (int k = 0; k < call->model->bodies; k++) { /* outward */
        const soa_body_data *body = &call->model->body[k];
        const int p = body->parent;
        /* V(k) = phi*(p,k) V(p) + H*(k) beta(k) */
        body_velocity_given(call, at, k);
        /* a(k) = dphi*(p,k)/dt V(p) + dH*(k)/dt beta(k), and -g at the base */
        if (p < 0) {
            a[k] = motion_add(base_gravity(call, at, k), a[k]);
        }
        at->P[k] = articulated_from_rigid(rigid_set(body->inertia));
        z[k] = body_bias(call, at, k);
        external_off(call, at, k, z);
        gear_bias_add(call, at, body, z);
    }
    for (int k = call->model->bodies - 1; k >= 0; k--) { /* inward */
        const soa_body_data *body = &call->model->body[k];
        const int p = body->parent;
        real T[SOA_JOINT_MAX_NV];
        joint_given(call, call->u, body, T);
        real b_Arm[SOA_JOINT_MAX_NV] = { real_set(0.0) };
        real eps[SOA_JOINT_MAX_NV];
        real eps2[SOA_JOINT_MAX_NV];
        /* K(k,j) = [phi(k,j) P(j) H*(j) + Gamma(k,j)] D(j)^-1 */
        /* psi(k,j) = phi(k,j) - K(k,j) H(j) */
        /* P(k) = M(k) + sum_j [phi(k,j) P(j) phi*(k,j) - K(k,j) D(j) K*(k,j)] */
        /* D(k) = H(k) P(k) H*(k) + Arm(k) */
        articulated_step(call, at, k);
        /* b_Arm(k) = Arm(k) w(k) x v(k) of beta(k) = (w; v) */
        armature_bias(call, body, 1.0, b_Arm);
        /* eps(k) = T(k) - b_Arm(k) */
        for (int n = 0; n < body->nv; n++) {
            eps[n] = T[n] - b_Arm[n];
        }
        /* z(k) = sum_j psi(k,j) z(j) + K(k,j) eps(j) + b(k) + P(k) a(k) */
        /* eps2(k) = eps(k) - H(k) z(k) */
        z[k] = force_add(z[k], articulated_mul(at->P[k], a[k]));
        innovation(at, body, z[k], eps, eps2);
        if (p >= 0) {
            z[p] = force_add(z[p], filter_step(call, at, k, z[k], eps2));
        }
        /* nu(k) = D(k)^-1 eps2(k) */
        D_inv_mul(at, body, eps2, nu + body->v);
    }
    for (int k = 0; k < call->model->bodies; k++) { /* outward */
        const soa_body_data *body = &call->model->body[k];
        const int p = body->parent;
        real t17[SOA_JOINT_MAX_NV];
        real y[SOA_JOINT_MAX_NV];
        /* lambda(k) = psi*(p,k) lambda(p) + H*(k) nu(k) + a(k) */
        const motion lambda_p = p < 0 ? motion_zero() : psi_t(at, body, k, lambda[p]);
        lambda[k] = motion_add(motion_add(lambda_p, joint_motion(at, body, nu + body->v)), a[k]);
        K_t_mul(at, body, k, p < 0 ? motion_zero() : lambda[p], t17);
        /* y(k) = nu(k) - K*(p,k) lambda(p) */
        for (int n = 0; n < body->nv; n++) {
            y[n] = nu[body->v + n] - t17[n];
        }
        joint_out(call, call->y, body->v, body->nv, y);
    }
}

/* joint_forces = phi (M phi' (a + H' betadot) + b + Gamma betadot) */
static void joint_forces(soa_call *call)
{
    const vars w = vars_of(call), *at = &w;
    motion *a = at->a;
    motion *alpha = at->alpha;
    force *y = at->b;
    call_begin(call);
    position_sweep(call, at);
    if (call->f.at) {
        placement_sweep(call, at);
    }
    for (int k = 0; k < call->model->bodies; k++) { /* outward */
        const soa_body_data *body = &call->model->body[k];
        const int p = body->parent;
        real betadot[SOA_JOINT_MAX_NV];
        joint_given(call, call->u, body, betadot);
        /* V(k) = phi*(p,k) V(p) + H*(k) beta(k) */
        body_velocity_given(call, at, k);
        /* a(k) = dphi*(p,k)/dt V(p) + dH*(k)/dt beta(k), and -g at the base */
        if (p < 0) {
            a[k] = motion_add(base_gravity(call, at, k), a[k]);
        }
        /* alpha(k) = phi*(p,k) alpha(p) + a(k) + H*(k) betadot(k) */
        const motion alpha_p = p < 0 ? motion_zero() : phi_t(at->X[k], alpha[p]);
        alpha[k] = motion_add(motion_add(alpha_p, a[k]), joint_motion(at, body, betadot));
        y[k] = force_add(rigid_mul(rigid_set(body->inertia), alpha[k]), body_bias(call, at, k));
        external_off(call, at, k, y);
        gear_bias_add(call, at, body, y);
        Gamma_add(body, betadot, y);
    }
    for (int k = call->model->bodies - 1; k >= 0; k--) { /* inward */
        const soa_body_data *body = &call->model->body[k];
        const int p = body->parent;
        /* y(k) = sum_j phi(k,j) y(j) + Gamma(k,j) betadot(j) + M(k) alpha(k) + b(k) */
        if (p >= 0) {
            y[p] = force_add(y[p], phi(at->X[k], y[k]));
        }
    }
    for (int k = 0; k < call->model->bodies; k++) {
        body_force_out(call, call->y, k, y[k]);
    }
}
