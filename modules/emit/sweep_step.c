/* emit/sweep_step.c - one step of a sweep at body k as C, in the words of the spatial kernels.
 *
 * In the text k is the body in turn, body its data, p its parent, j a body on it, i a point on it. */
#include "emit/sweeps.h"

/* ---- joints --------------------------------------------------------------------------------------- */

/* Numbers of a joint that stay in the loop over bodies are declared where they are made. */
static void put_declaration(sweep_writer *w, int step)
{
    if (sweep_is_local(w, step)) {
        sweep_say(w, LINE "real $n[SOA_JOINT_MAX_NV];\n", step);
    }
}

#define ON_NUMBERS  LINE "for (int n = 0; n < body->nv; n++) {\n" INSIDE
#define END_NUMBERS ";\n" LINE "}\n"

static void put_joint_apply(sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    const int x = s->input[0];
    put_declaration(w, step);
    switch ((int)s->op) {
    case SOA_OP_H:
        sweep_say(w, LINE "joint_force(at, body, $v, $v);\n", x, step);
        return;
    case SOA_OP_D:
        sweep_say(w, LINE "D_mul(at, body, $v, $v);\n", x, step);
        return;
    case SOA_OP_D_INV:
        sweep_say(w, LINE "D_inv_mul(at, body, $v, $v);\n", x, step);
        return;
    case SOA_OP_G:
        sweep_say(w, LINE "G_t_mul(at, body, $v, $v);\n", x, step);
        return;
    case SOA_OP_K:
        sweep_say(w, LINE "K_t_mul(at, body, k, p < 0 ? motion_zero() : $n[p], $v);\n", x, step);
        return;
    case SOA_OP_ARM:
        sweep_say(w, ON_NUMBERS "$i = body->armature * $i" END_NUMBERS, step, x);
        return;
    case SOA_OP_GAMMA:
        sweep_say(w, ON_NUMBERS "$i = body->geared ? vec3_dot(vec3_set(body->rest->gear), $n[p].w) : 0.0" END_NUMBERS,
            step, x);
        return;
    default:
        sweep_refuse(w, "a step of joints has no kernel");
    }
}

static void put_joint_step(sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    if (s->kind == SOA_STEP_SUM) {
        put_declaration(w, step);
        sweep_put_joint_sum(w, step);
    } else if (s->kind == SOA_STEP_SCALE) {
        put_declaration(w, step);
        sweep_say(w, ON_NUMBERS "$i = $n[0] * $i" END_NUMBERS, step, s->input[1], s->input[0]);
    } else if (s->kind == SOA_STEP_STATE) { /* b_Arm: added to zeros */
        sweep_say(w, LINE "armature_bias(&call, body, 1.0, $v);\n", step);
    } else {
        put_joint_apply(w, step);
    }
}

/* ---- bodies ------------------------------------------------------------------------------------------ */

#define ON_CHILDREN LINE "for (int j = child[k]; j >= 0; j = sibling[j]) {\n" INSIDE

static bool is_rigid(const soa_step *s)
{
    return s->op == SOA_OP_PHI || s->op == SOA_OP_E_PHI;
}

/* y(k) = sum_j of something, or with x(k) in front. */
static void put_inward(sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    const int x = s->input[0];
    const bool run = s->op == SOA_OP_PHI || s->op == SOA_OP_PSI;
    sweep_say(w, run ? LINE "$n[k] = $v;\n" : LINE "$n[k] = force_zero();\n", step, x);
    sweep_say(w, ON_CHILDREN "$n[k] = force_add($n[k], ", step, step);
    if (s->op == SOA_OP_K) {
        sweep_say(w, "K_mul(at, &model->body[j], j, $n + model->body[j].v)", x);
    } else if (s->op == SOA_OP_GAMMA) {
        sweep_say(w, "gear_force(&model->body[j], $n + model->body[j].v)", x);
    } else {
        sweep_say(w, is_rigid(s) ? "phi(at->X[j], $n[j])" : "psi(at, &model->body[j], j, $n[j])", run ? step : x);
    }
    put(w->to, ");\n" LINE "}\n");
}

/* y(k) = phi*(p,k) x(p), or phi*(p,k) y(p) + x(k). */
static void put_outward(sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    const char *over = is_rigid(s) ? "phi_t(at->X[k], " : "psi_t(at, body, k, ";
    if (s->op == SOA_OP_PHI || s->op == SOA_OP_PSI) {
        sweep_say(w, LINE "$n[k] = motion_add(p < 0 ? motion_zero() : $s$n[p]), $v);\n", step, over, step, s->input[0]);
    } else {
        sweep_say(w, LINE "$n[k] = p < 0 ? motion_zero() : $s$n[p]);\n", step, over, s->input[0]);
    }
}

/* tau = G H, and I - tau: by way of a joint. */
static void put_across(sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    const char *in = s->adjoint ? "G_t_mul" : "joint_force", *out = s->adjoint ? "joint_motion" : "G_mul";
    sweep_say(w, LINE "real across$d[SOA_JOINT_MAX_NV];\n" LINE "$s(at, body, $v, across$d);\n" LINE "$n[k] = ", step,
        in, s->input[0], step, step);
    if (s->op == SOA_OP_TAUBAR) {
        sweep_say(w, "$s_sub($v, $s(at, body, across$d));\n", sweep_type(s), s->input[0], out, step);
    } else {
        sweep_say(w, "$s(at, body, across$d);\n", out, step);
    }
}

/* V(k) = psi*(p,k) [V(p) + Ups(p) (others(p) - psi(p,k) z(k))]  [I11] */
static void put_branch(sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    sweep_say(w,
        LINE "$n[k] = motion_zero();\n" LINE "if (p >= 0) {\n" INSIDE
             "const force others = force_sub($n[p], psi(at, body, k, $n[k]));\n" INSIDE
             "$n[k] = psi_t(at, body, k, motion_add($n[p], Ups_mul(at->Y[p], others)));\n" LINE "}\n",
        step, s->input[1], s->input[0], step, step);
}

/* ---- the state ---------------------------------------------------------------------------------------- */

static void put_state(sweep_writer *w, int step)
{
    static const char *const STATEMENT[SOA_STATE_PARTS] = {
        [SOA_STATE_V] = LINE "body_velocity(&call, at, k);\n",
        [SOA_STATE_ARTICULATED] = LINE "articulated_step(&call, at, k);\n",
        [SOA_STATE_COMPOSITE] = LINE "at->R[k] = rigid_set(body->inertia);\n" ON_CHILDREN
                                     "at->R[k] = rigid_add(at->R[k], rigid_shift(at->X[j], at->R[j]));\n" LINE "}\n",
        [SOA_STATE_UPSILON] =
            LINE "for (int n = 0; n < 6; n++) {\n" INSIDE "const motion e = motion_unit(n);\n" INSIDE
                 "Ups_set_column(&at->Y[k], n, Ups_image(&call, at, k, (force){ e.w, e.v }));\n" LINE "}\n",
    };
    const soa_step *s = sweep_step(w, step);
    if (STATEMENT[s->state] != NULL) {
        put(w->to, "%s", STATEMENT[s->state]);
    } else if (s->state == SOA_STATE_A) {
        sweep_say(w,
            LINE "$n[k] = p < 0 ? motion_add(phi_t(at->X[k], base_acceleration(&call)), at->a[k]) : at->a[k];\n", step);
    } else if (s->state == SOA_STATE_G) {
        sweep_say(w, LINE "$n[k] = p < 0 ? phi_t(at->X[k], base_acceleration(&call)) : motion_zero();\n", step);
    } else {
        sweep_say(w,
            LINE "$n[k] = body_bias(&call, at, k);\n" ON_CHILDREN "if (model->body[j].geared) {\n    " INSIDE
                 "$n[k] = force_add($n[k], gear_bias(&call, at, &model->body[j]));\n" INSIDE "}\n" LINE "}\n",
            step, step, step);
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
        sweep_say(w, LINE "$n[k] = ", step);
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
