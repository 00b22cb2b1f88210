/* emit/kernel_steps.c - one step of a recursion at body k, in the words of the kernels of the library. */
#include "emit/kernel_writer.h"

/* ---- values ------------------------------------------------------------------------------------------------ */

void kernel_put_name(const kernel_writer *w, int step)
{
    const char *name = w->base.lines.name[step];
    if (name != NULL) {
        put(w->base.to, "%s", name);
    } else {
        put(w->base.to, "t%d", step);
    }
}

/* The numbers of a joint: a pointer to them. */
void kernel_put_joint(const kernel_writer *w, int step)
{
    kernel_put_name(w, step);
    put(w->base.to, kernel_is_variable(w, step) ? "" : " + body->v");
}

static void put_number(const sweep_writer *base, int step)
{
    const kernel_writer *w = (const kernel_writer *)base;
    kernel_put_name(w, step);
    put(base->to, kernel_is_variable(w, step) ? "[n]" : "[body->v + n]");
}

static void put_value(kernel_writer *w, int step);

/* a + b - c by calls, of the parts that are wanted: all, those of earlier sweeps, or those of this one. */
typedef enum parts { ALL_PARTS, EARLIER_PARTS, LATE_PARTS } parts;

static bool is_wanted(const kernel_writer *w, int part, parts wanted, int sweep)
{
    return !soa_step_is(kernel_step(w, part), SOA_OP_GAMMA, false) &&
           (wanted == ALL_PARTS || (kernel_sweep_at(w, part) < sweep) == (wanted == EARLIER_PARTS));
}

/* The parts of a sum that are wanted, added to `head` (NULL: to nothing); false: there are none, nor a head. */
static bool put_sum(kernel_writer *w, const soa_step *s, int count, parts wanted, int sweep, const char *head)
{
    while (count > 0 && !is_wanted(w, s->input[count - 1], wanted, sweep)) {
        count--;
    }
    if (count == 0) {
        put(w->base.to, "%s", head != NULL ? head : "");
        return head != NULL;
    }
    const double factor = s->factor[count - 1];
    bool first = head == NULL;
    for (int i = 0; i < count - 1; i++) {
        first = first && !is_wanted(w, s->input[i], wanted, sweep);
    }
    if ((factor != 1.0 && factor != -1.0) || (first && factor < 0.0)) {
        kernel_refuse(w, "a sum in a kernel has no factors but 1 and -1");
        return true;
    }
    if (!first) {
        put(w->base.to, "%s_%s(", sweep_type(s), factor < 0.0 ? "sub" : "add");
        put_sum(w, s, count - 1, wanted, sweep, head);
        put(w->base.to, ", ");
    }
    put_value(w, s->input[count - 1]);
    put(w->base.to, first ? "" : ")");
    return true;
}

/* A vector of a body at k. */
static void put_value(kernel_writer *w, int step)
{
    const soa_step *s = kernel_step(w, step);
    if (!kernel_is_inside(w, step)) {
        kernel_put_name(w, step);
        put(w->base.to, "[k]");
    } else if (soa_step_is_state(s, SOA_STATE_B)) {
        put(w->base.to, "body_bias(call, at, k)");
    } else if (soa_step_is_state(s, SOA_STATE_G)) {
        put(w->base.to, "base_gravity(call, at, k)");
    } else if (s->kind == SOA_STEP_SUM) {
        put_sum(w, s, s->count, ALL_PARTS, 0, NULL);
    } else if (s->kind == SOA_STEP_APPLY && sweep_function_of(s) != NULL) {
        put(w->base.to, "%s", sweep_function_of(s));
        if (kernel_is_joint(kernel_step(w, s->input[0]))) {
            kernel_put_joint(w, s->input[0]);
        } else {
            put_value(w, s->input[0]);
        }
        put(w->base.to, ")");
    } else {
        kernel_refuse(w, "a vector of bodies in it has no kernel");
    }
}

/* ---- gathered sums ------------------------------------------------------------------------------------------- */

/* External forces and what the rotors of the joints on a body add to its part of the sum, where b or Gamma x is in it. */
static void put_rotors(kernel_writer *w, int step, int part)
{
    const soa_step *s = kernel_step(w, part);
    if (s->kind == SOA_STEP_SUM && kernel_is_inside(w, part)) {
        for (int i = 0; i < s->count; i++) {
            put_rotors(w, step, s->input[i]);
        }
    } else if (soa_step_is_state(s, SOA_STATE_B)) {
        put(w->base.to, KERNEL_LINE "external_off(call, at, k, ");
        kernel_put_name(w, step);
        put(w->base.to, ");\n" KERNEL_LINE "gear_bias_add(call, at, body, ");
        kernel_put_name(w, step);
        put(w->base.to, ");\n");
    } else if (soa_step_is(s, SOA_OP_GAMMA, false)) {
        put(w->base.to, KERNEL_LINE "Gamma_add(body, ");
        kernel_put_joint(w, s->input[0]);
        put(w->base.to, ", ");
        kernel_put_name(w, step);
        put(w->base.to, ");\n");
    }
}

/* What of its own part is known in these sweeps; false: nothing. */
static bool put_own(kernel_writer *w, int step, parts wanted)
{
    const int own = kernel_own_part(kernel_step(w, step)), sweep = kernel_sweep_at(w, step);
    if (own < 0) {
        return false;
    }
    const soa_step *s = kernel_step(w, own);
    if (s->kind == SOA_STEP_SUM && kernel_is_inside(w, own)) {
        return put_sum(w, s, s->count, wanted, sweep, NULL);
    }
    if (!is_wanted(w, own, wanted, sweep)) {
        return false;
    }
    put_value(w, own);
    return true;
}

/* In the sweep before: f[k] = what is known of k alone. */
void kernel_put_begun(kernel_writer *w, int step)
{
    put(w->base.to, KERNEL_LINE);
    kernel_put_name(w, step);
    put(w->base.to, "[k] = ");
    put(w->base.to, put_own(w, step, EARLIER_PARTS) ? ";\n" : "force_zero();\n");
    if (kernel_own_part(kernel_step(w, step)) >= 0) {
        put_rotors(w, step, kernel_own_part(kernel_step(w, step)));
    }
}

/* f[k] gets what is known now, and is handed to the parent. */
static void put_handed(kernel_writer *w, int step)
{
    const soa_step *s = kernel_step(w, step);
    text *to = w->base.to, late = { NULL, 0, 0, false };
    w->base.to = &late;
    const bool any = put_own(w, step, LATE_PARTS);
    put(&late, "%s", "");
    w->base.to = to;
    if (any) {
        put(to, KERNEL_LINE);
        kernel_put_name(w, step);
        put(to, "[k] = force_add(");
        kernel_put_name(w, step);
        put(to, "[k], %s);\n", late.failed ? "" : late.at);
    }
    to->failed = to->failed || late.failed;
    free(late.at);
    const bool filter = s->code == SOA_CODE_filter;
    if (filter) {
        put(to, KERNEL_LINE "innovation(at, body, ");
        kernel_put_name(w, step);
        put(to, "[k], ");
        kernel_put_joint(w, s->input[0]);
        put(to, ", ");
        kernel_put_joint(w, s->y2);
        put(to, ");\n");
    }
    put(to, KERNEL_LINE "if (p >= 0) {\n" KERNEL_INSIDE);
    kernel_put_name(w, step);
    put(to, "[p] = force_add(");
    kernel_put_name(w, step);
    put(to, "[p], %s",
        filter                ? "filter_step(call, at, k, "
        : s->op == SOA_OP_PHI ? "phi(at->X[k], "
                              : "psi(at, body, k, ");
    kernel_put_name(w, step);
    put(to, "[k]%s", filter ? ", " : "");
    if (filter) {
        kernel_put_joint(w, s->y2);
    }
    put(to, "));\n" KERNEL_LINE "}\n");
}

/* ---- steps ------------------------------------------------------------------------------------------------------ */

/* "lambda[p]", or zero at the base. */
static void put_parent(const kernel_writer *w, int step)
{
    put(w->base.to, "p < 0 ? motion_zero() : ");
    kernel_put_name(w, step);
    put(w->base.to, "[p]");
}

/* lambda = phi* lambda(p) + H* y, y = D^-1 eps - K* lambda(p) */
static void put_smoother(kernel_writer *w, int step)
{
    const soa_step *s = kernel_step(w, step);
    put(w->base.to, KERNEL_LINE "const motion at_parent = ");
    put_parent(w, step);
    put(w->base.to, ", at_child = phi_t(at->X[k], at_parent);\n" KERNEL_LINE "smoother_step(call, at, k, ");
    kernel_put_joint(w, s->input[0]);
    put(w->base.to, ", at_child, &at_parent, ");
    kernel_put_joint(w, s->y2);
    put(w->base.to, ");\n" KERNEL_LINE);
    kernel_put_name(w, step);
    put(w->base.to, "[k] = motion_add(at_child, joint_motion(at, body, ");
    kernel_put_joint(w, s->y2);
    put(w->base.to, "));\n");
}

/* y(k) = phi*(p,k) y(p) + x(k), or by psi* */
static void put_carried(kernel_writer *w, int step)
{
    const soa_step *s = kernel_step(w, step), *x = kernel_step(w, s->input[0]);
    char head[32];
    snprintf(head, sizeof head, "%s_p", w->base.lines.name[step] != NULL ? w->base.lines.name[step] : "carried");
    put(w->base.to, KERNEL_LINE "const motion %s = p < 0 ? motion_zero() : %s", head,
        s->op == SOA_OP_PHI ? "phi_t(at->X[k], " : "psi_t(at, body, k, ");
    kernel_put_name(w, step);
    put(w->base.to, "[p]);\n" KERNEL_LINE);
    kernel_put_name(w, step);
    put(w->base.to, "[k] = ");
    if (x->kind == SOA_STEP_SUM && kernel_is_inside(w, s->input[0])) {
        put_sum(w, x, x->count, ALL_PARTS, 0, head);
        put(w->base.to, ";\n");
        return;
    }
    put(w->base.to, "motion_add(%s, ", head);
    put_value(w, s->input[0]);
    put(w->base.to, ");\n");
}

static void put_state(kernel_writer *w, int step)
{
    switch (kernel_step(w, step)->state) {
    case SOA_STATE_V:
        put(w->base.to, KERNEL_LINE "body_velocity_given(call, at, k);\n");
        return;
    case SOA_STATE_A:
        put(w->base.to, KERNEL_LINE "if (p < 0) {\n" KERNEL_INSIDE
                                    "a[k] = motion_add(base_gravity(call, at, k), a[k]);\n" KERNEL_LINE "}\n");
        return;
    case SOA_STATE_ARTICULATED:
        put(w->base.to, KERNEL_LINE "articulated_step(call, at, k);\n");
        return;
    case SOA_STATE_ARMATURE:
        put(w->base.to, KERNEL_LINE "armature_bias(call, body, 1.0, b_Arm);\n");
        return;
    default:
        kernel_refuse(w, "a part of the state in it has no kernel");
    }
}

static void put_joint_step(kernel_writer *w, int step)
{
    const soa_step *s = kernel_step(w, step);
    if (s->kind == SOA_STEP_SUM) {
        put(w->base.to, KERNEL_LINE "for (int n = 0; n < body->nv; n++) {\n" KERNEL_INSIDE);
        put_number(&w->base, step);
        put(w->base.to, " = ");
        sweep_put_number_sum(&w->base, s, put_number);
        put(w->base.to, ";\n" KERNEL_LINE "}\n");
        return;
    }
    const bool inner = s->kind == SOA_STEP_APPLY && (s->op == SOA_OP_H || s->op == SOA_OP_D_INV);
    const bool outer = s->kind == SOA_STEP_APPLY && s->adjoint && (s->op == SOA_OP_K || s->op == SOA_OP_GAMMA);
    if (!inner && !outer) {
        kernel_refuse(w, "a vector of joints in it has no kernel");
        return;
    }
    put(w->base.to, KERNEL_LINE "%s",
        s->op == SOA_OP_H       ? "joint_force(at, body, "
        : s->op == SOA_OP_D_INV ? "D_inv_mul(at, body, "
        : s->op == SOA_OP_K     ? "K_t_mul(at, body, k, "
                                : "Gamma_t_mul(body, ");
    if (outer) {
        put_parent(w, s->input[0]);
    } else if (kernel_is_joint(kernel_step(w, s->input[0]))) {
        kernel_put_joint(w, s->input[0]);
    } else {
        put_value(w, s->input[0]);
    }
    put(w->base.to, ", ");
    kernel_put_joint(w, step);
    put(w->base.to, ");\n");
}

static void put_equation(const kernel_writer *w, int step)
{
    for (int i = 0; i < w->base.lines.lines.count; i++) {
        const soa_line *line = soa_line_at(&w->base.lines, i);
        if (line->step == step) {
            put(w->base.to, KERNEL_LINE "/* %s = %s */\n", line->left, line->right);
        }
    }
}

/* nu, which the smoother does not keep. */
static void put_unkept(const kernel_writer *w)
{
    for (int i = 0; i < w->base.graph->steps.count; i++) {
        if (!kernel_is_demanded(w, i) && soa_step_is(kernel_step(w, i), SOA_OP_D_INV, false)) {
            put_equation(w, i);
        }
    }
}

void kernel_put_step(kernel_writer *w, int step)
{
    const soa_step *s = kernel_step(w, step);
    if (s->code == SOA_CODE_smoother) {
        put_unkept(w);
    }
    put_equation(w, step);
    if (kernel_is_pair(s)) {
        put_equation(w, s->y2);
    }
    if (s->along.count > 0) {
        kernel_refuse(w, "derivatives along a coordinate have no kernel");
    } else if (s->code == SOA_CODE_smoother) {
        put_smoother(w, step);
    } else if (kernel_is_gathered(s)) {
        put_handed(w, step);
    } else if (s->kind == SOA_STEP_STATE) {
        put_state(w, step);
    } else if (kernel_is_joint(s)) {
        put_joint_step(w, step);
    } else if (soa_step_is(s, SOA_OP_PHI, true) || soa_step_is(s, SOA_OP_PSI, true)) {
        put_carried(w, step);
    } else {
        kernel_refuse(w, "a vector of bodies in it has no kernel");
    }
}
