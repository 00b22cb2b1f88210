/* emit/kernel_steps.c - one step of a recursion at body k, in the words of the kernels of the library. */
#include "emit/kernel_writer.h"

/* ---- values ------------------------------------------------------------------------------------------------ */

static void put_name(sweep_writer *w, int step)
{
    const char *name = w->lines.name[step];
    if (name != NULL) {
        put(w->to, "%s", name);
    } else {
        put(w->to, "t%d", step);
    }
}

static void put_value(sweep_writer *w, int step);

const sweep_words kernel_words = { put_name, put_value, kernel_is_variable };

/* a + b - c by calls, of the parts that are wanted: all, those of earlier sweeps, or those of this one. */
typedef enum parts { ALL_PARTS, EARLIER_PARTS, LATE_PARTS } parts;

static bool is_wanted(const sweep_writer *w, int part, parts wanted, int sweep)
{
    return !soa_step_is(sweep_step(w, part), SOA_OP_GAMMA, false) &&
           (wanted == ALL_PARTS || (kernel_sweep_at(w, part) < sweep) == (wanted == EARLIER_PARTS));
}

/* The parts of a sum that are wanted, added to `head` (NULL: to nothing); false: there are none, nor a head. */
static bool put_sum(sweep_writer *w, const soa_step *s, int count, parts wanted, int sweep, const char *head)
{
    while (count > 0 && !is_wanted(w, s->input[count - 1], wanted, sweep)) {
        count--;
    }
    if (count == 0) {
        put(w->to, "%s", head != NULL ? head : "");
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
        put(w->to, "%s_%s(", sweep_type(s), factor < 0.0 ? "sub" : "add");
        put_sum(w, s, count - 1, wanted, sweep, head);
        put(w->to, ", ");
    }
    sweep_say(w, first ? "$v" : "$v)", s->input[count - 1]);
    return true;
}

/* A vector of a body at k. */
static void put_value(sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    if (!kernel_is_inside(w, step)) {
        sweep_say(w, "$n[k]", step);
    } else if (soa_step_is_state(s, SOA_STATE_B)) {
        put(w->to, "body_bias(call, at, k)");
    } else if (soa_step_is_state(s, SOA_STATE_G)) {
        put(w->to, "base_gravity(call, at, k)");
    } else if (s->kind == SOA_STEP_SUM) {
        put_sum(w, s, s->count, ALL_PARTS, 0, NULL);
    } else if (s->kind == SOA_STEP_APPLY && sweep_function_of(s) != NULL) {
        sweep_say(w, "$s$v)", sweep_function_of(s), s->input[0]);
    } else {
        kernel_refuse(w, "a vector of bodies in it has no kernel");
    }
}

/* ---- gathered sums ------------------------------------------------------------------------------------------- */

/* External forces and what the rotors of the joints on a body add to its part of the sum, where b or Gamma x is in it. */
static void put_rotors(sweep_writer *w, int step, int part)
{
    const soa_step *s = sweep_step(w, part);
    if (s->kind == SOA_STEP_SUM && kernel_is_inside(w, part)) {
        for (int i = 0; i < s->count; i++) {
            put_rotors(w, step, s->input[i]);
        }
    } else if (soa_step_is_state(s, SOA_STATE_B)) {
        sweep_say(w, LINE "external_off(call, at, k, $n);\n" LINE "gear_bias_add(call, at, body, $n);\n", step, step);
    } else if (soa_step_is(s, SOA_OP_GAMMA, false)) {
        sweep_say(w, LINE "Gamma_add(body, $v, $n);\n", s->input[0], step);
    }
}

/* What of its own part is known in these sweeps; false: nothing. */
static bool put_own(sweep_writer *w, int step, parts wanted)
{
    const int own = kernel_own_part(sweep_step(w, step)), sweep = kernel_sweep_at(w, step);
    if (own < 0) {
        return false;
    }
    const soa_step *s = sweep_step(w, own);
    if (s->kind == SOA_STEP_SUM && kernel_is_inside(w, own)) {
        return put_sum(w, s, s->count, wanted, sweep, NULL);
    }
    if (!is_wanted(w, own, wanted, sweep)) {
        return false;
    }
    sweep_say(w, "$v", own);
    return true;
}

/* In the sweep before: f[k] = what is known of k alone. */
void kernel_put_begun(sweep_writer *w, int step)
{
    sweep_say(w, LINE "$n[k] = ", step);
    put(w->to, put_own(w, step, EARLIER_PARTS) ? ";\n" : "force_zero();\n");
    if (kernel_own_part(sweep_step(w, step)) >= 0) {
        put_rotors(w, step, kernel_own_part(sweep_step(w, step)));
    }
}

/* f[k] gets what is known now, and is handed to the parent. */
static void put_handed(sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    text *to = w->to, late = { NULL, 0, 0, false };
    w->to = &late;
    const bool any = put_own(w, step, LATE_PARTS);
    put(&late, "%s", "");
    w->to = to;
    if (any) {
        sweep_say(w, LINE "$n[k] = force_add($n[k], $s);\n", step, step, late.failed ? "" : late.at);
    }
    to->failed = to->failed || late.failed;
    free(late.at);
    if (s->code == SOA_CODE_filter) {
        sweep_say(w,
            LINE "innovation(at, body, $n[k], $v, $v);\n" LINE "if (p >= 0) {\n" INSIDE
                 "$n[p] = force_add($n[p], filter_step(call, at, k, $n[k], $v));\n" LINE "}\n",
            step, s->input[0], s->y2, step, step, step, s->y2);
    } else {
        sweep_say(w, LINE "if (p >= 0) {\n" INSIDE "$n[p] = force_add($n[p], $s$n[k]));\n" LINE "}\n", step, step,
            s->op == SOA_OP_PHI ? "phi(at->X[k], " : "psi(at, body, k, ", step);
    }
}

/* ---- steps ------------------------------------------------------------------------------------------------------ */

/* lambda = phi* lambda(p) + H* y, y = D^-1 eps - K* lambda(p) */
static void put_smoother(sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    sweep_say(w,
        LINE "const motion at_parent = p < 0 ? motion_zero() : $n[p], at_child = phi_t(at->X[k], at_parent);\n" LINE
             "smoother_step(call, at, k, $v, at_child, &at_parent, $v);\n" LINE
             "$n[k] = motion_add(at_child, joint_motion(at, body, $v));\n",
        step, s->input[0], s->y2, step, s->y2);
}

/* y(k) = phi*(p,k) y(p) + x(k), or by psi* */
static void put_carried(sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step), *x = sweep_step(w, s->input[0]);
    char head[32];
    snprintf(head, sizeof head, "%s_p", w->lines.name[step] != NULL ? w->lines.name[step] : "carried");
    sweep_say(w, LINE "const motion $s = p < 0 ? motion_zero() : $s$n[p]);\n" LINE "$n[k] = ", head,
        s->op == SOA_OP_PHI ? "phi_t(at->X[k], " : "psi_t(at, body, k, ", step, step);
    if (x->kind == SOA_STEP_SUM && kernel_is_inside(w, s->input[0])) {
        put_sum(w, x, x->count, ALL_PARTS, 0, head);
        put(w->to, ";\n");
    } else {
        sweep_say(w, "motion_add($s, $v);\n", head, s->input[0]);
    }
}

static void put_state(sweep_writer *w, int step)
{
    switch (sweep_step(w, step)->state) {
    case SOA_STATE_V:
        put(w->to, LINE "body_velocity_given(call, at, k);\n");
        return;
    case SOA_STATE_A:
        put(w->to, LINE "if (p < 0) {\n" INSIDE "a[k] = motion_add(base_gravity(call, at, k), a[k]);\n" LINE "}\n");
        return;
    case SOA_STATE_ARTICULATED:
        put(w->to, LINE "articulated_step(call, at, k);\n");
        return;
    case SOA_STATE_ARMATURE:
        put(w->to, LINE "armature_bias(call, body, 1.0, b_Arm);\n");
        return;
    default:
        kernel_refuse(w, "a part of the state in it has no kernel");
    }
}

static void put_joint_step(sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
    const bool apply = s->kind == SOA_STEP_APPLY;
    if (s->kind == SOA_STEP_SUM) {
        sweep_put_joint_sum(w, step);
    } else if (apply && s->op == SOA_OP_H) {
        sweep_say(w, LINE "joint_force(at, body, $v, $v);\n", s->input[0], step);
    } else if (apply && s->op == SOA_OP_D_INV) {
        sweep_say(w, LINE "D_inv_mul(at, body, $v, $v);\n", s->input[0], step);
    } else if (apply && s->adjoint && s->op == SOA_OP_K) {
        sweep_say(w, LINE "K_t_mul(at, body, k, p < 0 ? motion_zero() : $n[p], $v);\n", s->input[0], step);
    } else if (apply && s->adjoint && s->op == SOA_OP_GAMMA) {
        sweep_say(w, LINE "Gamma_t_mul(body, p < 0 ? motion_zero() : $n[p], $v);\n", s->input[0], step);
    } else {
        kernel_refuse(w, "a vector of joints in it has no kernel");
    }
}

static void put_equation(sweep_writer *w, int step)
{
    sweep_put_equations(w, step, LINE "/* ", " */");
}

/* nu, which the smoother does not keep. */
static void put_unkept(sweep_writer *w)
{
    for (int i = 0; i < w->graph->steps.count; i++) {
        if (!kernel_is_demanded(w, i) && soa_step_is(sweep_step(w, i), SOA_OP_D_INV, false)) {
            put_equation(w, i);
        }
    }
}

void kernel_put_step(sweep_writer *w, int step)
{
    const soa_step *s = sweep_step(w, step);
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
