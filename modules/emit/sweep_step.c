/* emit/sweep_step.c - one step of a sweep at body k as C, in the words of the spatial kernels.
 *
 * In the text k is the body in turn, body its data, p its parent, j a body on it, i a point on it. */
#include "emit/sweeps.h"

/* ---- statements: where they put it ------------------------------------------------------------- */

/* "f[k] = " */
static void put_body_begin(const sweep_writer *w, int step)
{
    put(w->to, "%s", SWEEP_ON_BODY);
    sweep_put_name(w, step);
    put(w->to, "[k] = ");
}

/* "force_add(f[k], " of a sum that is begun. */
static void put_add(const sweep_writer *w, int step)
{
    put(w->to, "%s", SWEEP_INSIDE);
    sweep_put_name(w, step);
    put(w->to, "[k] = force_add(");
    sweep_put_name(w, step);
    put(w->to, "[k], ");
}

static void put_joint_begin(const sweep_writer *w, int step)
{
    if (sweep_is_local(w, step)) {
        put(w->to, "%sreal ", SWEEP_ON_BODY);
        sweep_put_name(w, step);
        put(w->to, "[SOA_JOINT_MAX_NV];\n");
    }
}

/* name(at, body, X, y); with the text of X already there or to come. */
static void put_joint_call(sweep_writer *w, int step, const char *function)
{
    const soa_step *s = sweep_step(w, step);
    put_joint_begin(w, step);
    put(w->to, "%s%s", SWEEP_ON_BODY, function);
    if (sweep_step(w, s->input[0])->place.space == SOA_SPACE_JOINT) {
        sweep_put_joint(w, s->input[0], "body");
    } else {
        sweep_put_value(w, s->input[0]);
    }
    put(w->to, ", ");
    sweep_put_joint(w, step, "body");
    put(w->to, ");\n");
}

/* One number of a joint's. */
static void put_number(const sweep_writer *w, int step)
{
    sweep_put_name(w, step);
    put(w->to, sweep_is_local(w, step) ? "[n]" : "[body->v + n]");
}

static void put_joint_loop(const sweep_writer *w, int step)
{
    put_joint_begin(w, step);
    put(w->to, "%sfor (int n = 0; n < body->nv; n++) {\n%s", SWEEP_ON_BODY, SWEEP_INSIDE);
    put_number(w, step);
    put(w->to, " = ");
}

static void put_loop_end(const sweep_writer *w)
{
    put(w->to, ";\n%s}\n", SWEEP_ON_BODY);
}

/* factor a + factor b ... of plain numbers, each written by `number`. */
void sweep_put_number_sum(sweep_writer *w, const soa_step *s, void (*number)(const sweep_writer *, int))
{
    for (int i = 0; i < s->count; i++) {
        const double f = s->factor[i], size = f < 0.0 ? -f : f;
        put(w->to, "%s", i == 0 ? f < 0.0 ? "-" : "" : f < 0.0 ? " - " : " + ");
        if (size != 1.0) {
            sweep_put_factor(w, size);
            put(w->to, " * ");
        }
        number(w, s->input[i]);
    }
}

/* ---- joints --------------------------------------------------------------------------------------- */

static void put_joint_apply(sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    switch ((int)s->op) {
    case SOA_OP_H:
        put_joint_call(w, step, "joint_force(at, body, ");
        return;
    case SOA_OP_D:
        put_joint_call(w, step, "D_mul(at, body, ");
        return;
    case SOA_OP_D_INV:
        put_joint_call(w, step, "D_inv_mul(at, body, ");
        return;
    case SOA_OP_G:
        put_joint_call(w, step, "G_t_mul(at, body, ");
        return;
    case SOA_OP_K:
        put_joint_begin(w, step);
        put(w->to, "%sK_t_mul(at, body, k, p < 0 ? motion_zero() : ", SWEEP_ON_BODY);
        sweep_put_name(w, s->input[0]);
        put(w->to, "[p], ");
        sweep_put_joint(w, step, "body");
        put(w->to, ");\n");
        return;
    case SOA_OP_ARM:
        put_joint_loop(w, step);
        put(w->to, "body->armature * ");
        put_number(w, s->input[0]);
        put_loop_end(w);
        return;
    case SOA_OP_GAMMA:
        put_joint_loop(w, step);
        put(w->to, "body->geared ? vec3_dot(vec3_set(body->rest->gear), ");
        sweep_put_name(w, s->input[0]);
        put(w->to, "[p].w) : 0.0");
        put_loop_end(w);
        return;
    default:
        sweep_refuse(w, "a step of joints has no kernel");
    }
}

static void put_joint_step(sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    if (s->kind == SOA_STEP_SUM) {
        put_joint_loop(w, step);
        sweep_put_number_sum(w, s, put_number);
        put_loop_end(w);
    } else if (s->kind == SOA_STEP_SCALE) {
        put_joint_loop(w, step);
        sweep_put_name(w, s->input[1]);
        put(w->to, "[0] * ");
        put_number(w, s->input[0]);
        put_loop_end(w);
    } else if (s->kind == SOA_STEP_STATE) { /* b_Arm: added to zeros */
        put(w->to, "%sarmature_bias(&call, body, 1.0, ", SWEEP_ON_BODY);
        sweep_put_joint(w, step, "body");
        put(w->to, ");\n");
    } else {
        put_joint_apply(w, step);
    }
}

/* ---- bodies ------------------------------------------------------------------------------------------ */

static void put_children(const sweep_writer *w)
{
    put(w->to, "%sfor (int j = child[k]; j >= 0; j = sibling[j]) {\n", SWEEP_ON_BODY);
}

/* y(k) = sum_j of something, or with x(k) in front. */
static void put_inward(sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    const bool run = s->op == SOA_OP_PHI || s->op == SOA_OP_PSI;
    const int from = run ? step : s->input[0];
    put_body_begin(w, step);
    if (run) {
        sweep_put_value(w, s->input[0]);
    } else {
        put(w->to, "force_zero()");
    }
    put(w->to, ";\n");
    put_children(w);
    put_add(w, step);
    if (s->op == SOA_OP_K) {
        put(w->to, "K_mul(at, &model->body[j], j, ");
        sweep_put_name(w, from);
        put(w->to, " + model->body[j].v)");
    } else if (s->op == SOA_OP_GAMMA) {
        put(w->to, "gear_force(&model->body[j], ");
        sweep_put_name(w, from);
        put(w->to, " + model->body[j].v)");
    } else {
        const bool rigid = s->op == SOA_OP_PHI || s->op == SOA_OP_E_PHI;
        put(w->to, rigid ? "phi(at->X[j], " : "psi(at, &model->body[j], j, ");
        sweep_put_name(w, from);
        put(w->to, "[j])");
    }
    put(w->to, ");\n%s}\n", SWEEP_ON_BODY);
}

/* y(k) = phi*(p,k) x(p), or phi*(p,k) y(p) + x(k). */
static void put_outward(sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    const bool run = s->op == SOA_OP_PHI || s->op == SOA_OP_PSI;
    const bool rigid = s->op == SOA_OP_PHI || s->op == SOA_OP_E_PHI;
    put_body_begin(w, step);
    put(w->to, run ? "motion_add(p < 0 ? motion_zero() : " : "p < 0 ? motion_zero() : ");
    put(w->to, rigid ? "phi_t(at->X[k], " : "psi_t(at, body, k, ");
    sweep_put_name(w, run ? step : s->input[0]);
    put(w->to, "[p])");
    if (run) {
        put(w->to, ", ");
        sweep_put_value(w, s->input[0]);
        put(w->to, ")");
    }
    put(w->to, ";\n");
}

/* tau = G H, and I - tau: by way of a joint. */
static void put_across(sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    const char *type = sweep_type(s);
    put(w->to, "%sreal across%d[SOA_JOINT_MAX_NV];\n%s%s(at, body, ", SWEEP_ON_BODY, step, SWEEP_ON_BODY,
        s->adjoint ? "G_t_mul" : "joint_force");
    sweep_put_value(w, s->input[0]);
    put(w->to, ", across%d);\n", step);
    put_body_begin(w, step);
    if (s->op == SOA_OP_TAUBAR) {
        put(w->to, "%s_sub(", type);
        sweep_put_value(w, s->input[0]);
        put(w->to, ", ");
    }
    put(w->to, "%s(at, body, across%d)%s;\n", s->adjoint ? "joint_motion" : "G_mul", step,
        s->op == SOA_OP_TAUBAR ? ")" : "");
}

/* V(k) = psi*(p,k) [V(p) + Ups(p) (others(p) - psi(p,k) z(k))]  [I11] */
static void put_branch(sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    put_body_begin(w, step);
    put(w->to, "motion_zero();\n%sif (p >= 0) {\n%sconst force others = force_sub(", SWEEP_ON_BODY, SWEEP_INSIDE);
    sweep_put_name(w, s->input[1]);
    put(w->to, "[p], psi(at, body, k, ");
    sweep_put_name(w, s->input[0]);
    put(w->to, "[k]));\n%s", SWEEP_INSIDE);
    sweep_put_name(w, step);
    put(w->to, "[k] = psi_t(at, body, k, motion_add(");
    sweep_put_name(w, step);
    put(w->to, "[p], Ups_mul(at->Y[p], others)));\n%s}\n", SWEEP_ON_BODY);
}

/* ---- the state ---------------------------------------------------------------------------------------- */

static void put_state(sweep_writer *w, int step)
{
    static const char *const STATEMENT[SOA_STATE_PARTS] = {
        [SOA_STATE_V] = "        body_velocity(&call, at, k);\n",
        [SOA_STATE_ARTICULATED] = "        articulated_step(&call, at, k);\n",
        [SOA_STATE_COMPOSITE] = "        at->R[k] = rigid_set(body->inertia);\n"
                                "        for (int j = child[k]; j >= 0; j = sibling[j]) {\n"
                                "            at->R[k] = rigid_add(at->R[k], rigid_shift(at->X[j], at->R[j]));\n"
                                "        }\n",
        [SOA_STATE_UPSILON] =
            "        for (int n = 0; n < 6; n++) {\n"
            "            const motion e = motion_unit(n);\n"
            "            Ups_set_column(&at->Y[k], n, Ups_image(&call, at, k, (force){ e.w, e.v }));\n"
            "        }\n",
    };
    const soa_step *s = sweep_step(w, step);
    if (STATEMENT[s->state] != NULL) {
        put(w->to, "%s", STATEMENT[s->state]);
        return;
    }
    put_body_begin(w, step);
    if (s->state == SOA_STATE_A) {
        put(w->to, "p < 0 ? motion_add(phi_t(at->X[k], base_acceleration(&call)), at->a[k]) : at->a[k];\n");
    } else if (s->state == SOA_STATE_G) {
        put(w->to, "p < 0 ? phi_t(at->X[k], base_acceleration(&call)) : motion_zero();\n");
    } else {
        put(w->to, "body_bias(&call, at, k);\n");
        put_children(w);
        put(w->to, "%sif (model->body[j].geared) {\n    ", SWEEP_INSIDE);
        put_add(w, step);
        put(w->to, "gear_bias(&call, at, &model->body[j]));\n%s}\n%s}\n", SWEEP_INSIDE, SWEEP_ON_BODY);
    }
}

/* ---- all ------------------------------------------------------------------------------------------------ */

static void put_body_step(sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    const bool across = s->kind == SOA_STEP_APPLY && (s->op == SOA_OP_TAU || s->op == SOA_OP_TAUBAR);
    if (s->kind == SOA_STEP_BRANCH) {
        put_branch(w, step);
    } else if (across) {
        put_across(w, step);
    } else if (s->kind == SOA_STEP_APPLY && s->op == SOA_OP_B) {
        sweep_put_from_points(w, step);
    } else if (sweep_is_expression(s)) {
        put_body_begin(w, step);
        sweep_put_expression(w, step);
        put(w->to, ";\n");
    } else if (s->kind != SOA_STEP_APPLY) {
        sweep_refuse(w, "a step of bodies has no kernel");
    } else if (s->adjoint) {
        put_outward(w, step);
    } else {
        put_inward(w, step);
    }
}

void sweep_put_step(sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    if (s->along.count > 0) {
        sweep_refuse(w, "derivatives along a coordinate are written for one robot");
    } else if (s->kind == SOA_STEP_MATRIX) {
        sweep_refuse(w, "a product with a matrix that is inverted or given is written for one robot");
    } else if (s->kind == SOA_STEP_STATE && s->place.space != SOA_SPACE_JOINT) {
        put_state(w, step);
    } else if (s->place.space == SOA_SPACE_JOINT) {
        put_joint_step(w, step);
    } else if (sweep_is_point_sum(s)) {
        sweep_put_point_sum(w, step, "== k");
    } else if (s->place.space == SOA_SPACE_POINT) {
        sweep_put_to_points(w, step);
    } else {
        put_body_step(w, step);
    }
}
