/* emit/kernel_recursions.c - vectors of expressions as kernels of the library: whole recursions, in lanes.
 *
 * A kernel takes a soa_call: T or betadot is call->u, beta call->v, external forces are in b; what is not given is zero. */
#include <string.h>

#include "emit/kernel_writer.h"

/* What a kernel of the library cannot do. */
void kernel_refuse(kernel_writer *w, const char *what)
{
    if (w->base.refused[0] == '\0') {
        snprintf(w->base.refused, w->base.room, "'%s': %s", w->base.name, what);
    }
}

/* ---- sweeps -------------------------------------------------------------------------------------------------------- */

/* Whether a step is written at the bodies of a sweep. */
static bool is_in(const kernel_writer *w, int step, int sweep)
{
    const soa_step *s = kernel_step(w, step);
    return kernel_is_demanded(w, step) && kernel_sweep_at(w, step) == sweep && s->kind != SOA_STEP_INPUT &&
           !kernel_is_second(s) && !kernel_is_inside(w, step);
}

/* Whether something that is written in a sweep reads the given numbers of joints. */
static bool is_read_in(const kernel_writer *w, int input, int sweep)
{
    for (int i = 0; i < w->base.graph->steps.count; i++) {
        for (int j = 0; kernel_is_demanded(w, i) && j < kernel_step(w, i)->count; j++) {
            if (kernel_step(w, i)->input[j] == input && kernel_written_in(w, i) == sweep) {
                return true;
            }
        }
    }
    return false;
}

/* Variables of the loop: what is given, and numbers of joints that stay in it. */
static void put_variables(kernel_writer *w, int sweep)
{
    for (int i = 0; i < w->base.graph->steps.count; i++) {
        const soa_step *s = kernel_step(w, i);
        const bool given = s->kind == SOA_STEP_INPUT && is_read_in(w, i, sweep);
        if (!kernel_is_demanded(w, i) || !kernel_is_joint(s) || !kernel_is_variable(w, i) ||
            !(given || (s->kind != SOA_STEP_INPUT && kernel_sweep_at(w, i) == sweep))) {
            continue;
        }
        const bool zero = s->kind == SOA_STEP_STATE;
        put(w->base.to, KERNEL_LINE "real ");
        kernel_put_name(w, i);
        put(w->base.to, "[SOA_JOINT_MAX_NV]%s;\n", zero ? " = { real_set(0.0) }" : "");
        if (given) {
            put(w->base.to, KERNEL_LINE "joint_given(call, call->%s, body, ", strcmp(s->name, "beta") == 0 ? "v" : "u");
            kernel_put_name(w, i);
            put(w->base.to, ");\n");
        }
    }
}

static void put_result(const kernel_writer *w, int step)
{
    static const char *const OUT[] = { "y", "y2" };
    const int output = sweep_output_of(&w->base, step);
    if (output >= 0 && kernel_is_joint(kernel_step(w, step))) {
        put(w->base.to, KERNEL_LINE "joint_out(call, call->%s, body->v, body->nv, ", OUT[output]);
        kernel_put_joint(w, step);
        put(w->base.to, ");\n");
    }
}

/* What a sweep leaves for sums of the next one: their beginnings, and P = M. */
static void put_beginnings(kernel_writer *w, int next)
{
    for (int i = 0; i < w->base.graph->steps.count; i++) {
        const soa_step *s = kernel_step(w, i);
        if (kernel_is_demanded(w, i) && kernel_sweep_at(w, i) == next && soa_step_is_state(s, SOA_STATE_ARTICULATED)) {
            put(w->base.to, KERNEL_LINE "at->P[k] = articulated_from_rigid(rigid_set(body->inertia));\n");
        } else if (kernel_is_demanded(w, i) && kernel_sweep_at(w, i) == next && kernel_is_gathered(s)) {
            kernel_put_begun(w, i);
        }
    }
}

static void put_sweep(kernel_writer *w, int sweep)
{
    const soa_schedule *plan = &w->base.graph->schedule;
    const bool inward = sweep >= 0 && soa_sweep_inward(plan, sweep);
    text *to = w->base.to, body = { NULL, 0, 0, false };
    w->base.to = &body;
    if (sweep >= 0) {
        put_variables(w, sweep);
    }
    for (int i = 0; sweep >= 0 && i < w->base.graph->steps.count; i++) {
        if (is_in(w, i, sweep)) {
            kernel_put_step(w, i);
            put_result(w, i);
            if (kernel_step(w, i)->code == SOA_CODE_smoother) {
                put_result(w, kernel_step(w, i)->y2);
            }
        }
    }
    put_beginnings(w, sweep + 1);
    w->base.to = to;
    to->failed = to->failed || body.failed;
    if (body.length > 0 && !body.failed) {
        put(to, "    for (int k = %s) {%s\n" KERNEL_LINE "const soa_body_data *body = &call->model->body[k];\n",
            inward ? "call->model->bodies - 1; k >= 0; k--" : "0; k < call->model->bodies; k++",
            inward       ? " /* inward */"
            : sweep >= 0 ? " /* outward */"
                         : "");
        put(to, "%s%s    }\n",
            strstr(body.at, "p >= 0") || strstr(body.at, "p < 0") ? KERNEL_LINE "const int p = body->parent;\n" : "",
            body.at);
    }
    free(body.at);
}

/* ---- functions ------------------------------------------------------------------------------------------------------ */

static void put_arrays(const kernel_writer *w)
{
    for (int i = 0; i < w->base.graph->steps.count; i++) {
        const char *array = w->kept[i].array;
        const bool unread = soa_step_is_state(kernel_step(w, i), SOA_STATE_V);
        if (array != NULL && !unread) {
            put(w->base.to, "    %s *", sweep_type(kernel_step(w, i)));
            kernel_put_name(w, i);
            put(w->base.to, " = at->%s;\n", array);
        }
    }
}

static void put_body_results(const kernel_writer *w)
{
    for (int i = 0; i < w->base.graph->outputs.count; i++) {
        const int step = soa_graph_output_at(w->base.graph, i)->step;
        const soa_step *s = kernel_step(w, step);
        if (!kernel_is_joint(s)) {
            put(w->base.to,
                "    for (int k = 0; %sk < call->model->bodies; k++) {\n" KERNEL_LINE "body_%s_out(call, call->%s, k, ",
                i > 0 ? "call->y2.at && " : "", sweep_type(s), i > 0 ? "y2" : "y");
            kernel_put_name(w, step);
            put(w->base.to, "[k]);\n    }\n");
        }
    }
}

static bool has_state(const kernel_writer *w, soa_state_part part)
{
    for (int i = 0; i < w->base.graph->steps.count; i++) {
        if (kernel_is_demanded(w, i) && soa_step_is_state(kernel_step(w, i), part)) {
            return true;
        }
    }
    return false;
}

/* Whether T, or betadot, and beta are all that is given. */
static bool takes_known(const kernel_writer *w)
{
    const char *u = NULL;
    for (int i = 0; i < w->base.graph->steps.count; i++) {
        const soa_step *s = kernel_step(w, i);
        if (!kernel_is_demanded(w, i) || s->kind != SOA_STEP_INPUT || strcmp(s->name, "beta") == 0) {
            continue;
        }
        if ((strcmp(s->name, "T") != 0 && strcmp(s->name, "betadot") != 0) || (u != NULL && strcmp(u, s->name) != 0)) {
            return false;
        }
        u = s->name;
    }
    return true;
}

void kernel_recursion_put(text *to, const soa_graph *graph, const soa_recursions *lines, const char *name,
    const char *what, char *why, size_t size)
{
    kernel_writer w = { .base = { to, graph, *lines, name, why, size } };
    if (!takes_known(&w)) {
        kernel_refuse(&w, "a kernel takes T or betadot, and beta");
        return;
    }
    for (int i = 0; i < graph->outputs.count; i++) {
        const soa_step_kind kind = kernel_step(&w, soa_graph_output_at(graph, i)->step)->kind;
        if (kind == SOA_STEP_INPUT || kind == SOA_STEP_ZERO) {
            kernel_refuse(&w, "there is nothing to compute");
            return;
        }
    }
    if (graph->steps.count > KERNEL_STEPS || !kernel_keep(&w)) {
        kernel_refuse(&w, "more vectors are kept than a kernel of the library has arrays for");
        return;
    }
    put(to, "/* %s */\nstatic void %s(soa_call *call)\n{\n    const vars w = vars_of(call), *at = &w;\n", what, name);
    put_arrays(&w);
    put(to, "    call_begin(call);\n    position_sweep(call, at);\n");
    if (has_state(&w, SOA_STATE_B)) {
        put(to, "    if (call->f.at) {\n" KERNEL_LINE "placement_sweep(call, at);\n    }\n");
    }
    for (int sweep = SOA_BEFORE; sweep < graph->schedule.sweeps; sweep++) {
        put_sweep(&w, sweep);
    }
    put_body_results(&w);
    put(to, "}\n\n");
}
