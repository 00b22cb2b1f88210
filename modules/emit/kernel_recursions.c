/* emit/kernel_recursions.c - vectors of expressions as kernels of the library: whole recursions, in lanes.
 *
 * A kernel takes a soa_call: T or betadot is call->u, beta call->v, external forces are in b; what is not given is zero. */
#include <string.h>

#include "emit/kernel_writer.h"

/* What a kernel of the library cannot do. */
void kernel_refuse(sweep_writer *w, const char *what)
{
    if (w->refused[0] == '\0') {
        snprintf(w->refused, w->room, "'%s': %s", w->name, what);
    }
}

/* ---- sweeps -------------------------------------------------------------------------------------------------------- */

/* Whether a step is written at the bodies of a sweep. */
static bool is_in(const sweep_writer *w, int step, int sweep)
{
    const soa_step *s = sweep_step(w, step);
    return kernel_is_demanded(w, step) && kernel_sweep_at(w, step) == sweep && s->kind != SOA_STEP_INPUT &&
           !kernel_is_second(s) && !kernel_is_inside(w, step);
}

/* Whether something that is written in a sweep reads the given numbers of joints. */
static bool is_read_in(const sweep_writer *w, int input, int sweep)
{
    for (int i = 0; i < w->graph->steps.count; i++) {
        for (int j = 0; kernel_is_demanded(w, i) && j < sweep_step(w, i)->count; j++) {
            if (sweep_step(w, i)->input[j] == input && kernel_written_in(w, i) == sweep) {
                return true;
            }
        }
    }
    return false;
}

/* Variables of the loop: what is given, and numbers of joints that stay in it. */
static void put_variables(sweep_writer *w, int sweep)
{
    for (int i = 0; i < w->graph->steps.count; i++) {
        const soa_step *s = sweep_step(w, i);
        const bool given = s->kind == SOA_STEP_INPUT && is_read_in(w, i, sweep);
        if (!kernel_is_demanded(w, i) || !kernel_is_joint(s) || !kernel_is_variable(w, i) ||
            !(given || (s->kind != SOA_STEP_INPUT && kernel_sweep_at(w, i) == sweep))) {
            continue;
        }
        const bool zero = s->kind == SOA_STEP_STATE;
        sweep_say(w, LINE "real $n[SOA_JOINT_MAX_NV]$s;\n", i, zero ? " = { real_set(0.0) }" : "");
        if (given) {
            sweep_say(w, LINE "joint_given(call, call->$s, body, $n);\n", strcmp(s->name, "beta") == 0 ? "v" : "u", i);
        }
    }
}

static void put_result(sweep_writer *w, int step)
{
    static const char *const OUT[] = { "y", "y2" };
    const int output = sweep_output_of(w, step);
    if (output >= 0 && kernel_is_joint(sweep_step(w, step))) {
        sweep_say(w, LINE "joint_out(call, call->$s, body->v, body->nv, $v);\n", OUT[output], step);
    }
}

/* What a sweep leaves for sums of the next one: their beginnings, and P = M. */
static void put_beginnings(sweep_writer *w, int next)
{
    for (int i = 0; i < w->graph->steps.count; i++) {
        const soa_step *s = sweep_step(w, i);
        if (kernel_is_demanded(w, i) && kernel_sweep_at(w, i) == next && soa_step_is_state(s, SOA_STATE_ARTICULATED)) {
            put(w->to, LINE "at->P[k] = articulated_from_rigid(rigid_set(body->inertia));\n");
        } else if (kernel_is_demanded(w, i) && kernel_sweep_at(w, i) == next && kernel_is_gathered(s)) {
            kernel_put_begun(w, i);
        }
    }
}

static void put_sweep(sweep_writer *w, int sweep)
{
    const soa_schedule *plan = &w->graph->schedule;
    const bool inward = sweep >= 0 && soa_sweep_inward(plan, sweep);
    text *to = w->to, body = { NULL, 0, 0, false };
    w->to = &body;
    if (sweep >= 0) {
        put_variables(w, sweep);
    }
    for (int i = 0; sweep >= 0 && i < w->graph->steps.count; i++) {
        if (is_in(w, i, sweep)) {
            kernel_put_step(w, i);
            put_result(w, i);
            if (sweep_step(w, i)->code == SOA_CODE_smoother) {
                put_result(w, sweep_step(w, i)->y2);
            }
        }
    }
    put_beginnings(w, sweep + 1);
    w->to = to;
    to->failed = to->failed || body.failed;
    if (body.length > 0 && !body.failed) {
        put(to, "    for (int k = %s) {%s\n" LINE "const soa_body_data *body = &call->model->body[k];\n",
            inward ? "call->model->bodies - 1; k >= 0; k--" : "0; k < call->model->bodies; k++",
            inward       ? " /* inward */"
            : sweep >= 0 ? " /* outward */"
                         : "");
        put(to, "%s%s    }\n",
            strstr(body.at, "p >= 0") || strstr(body.at, "p < 0") ? LINE "const int p = body->parent;\n" : "", body.at);
    }
    free(body.at);
}

/* ---- functions ------------------------------------------------------------------------------------------------------ */

static void put_arrays(sweep_writer *w)
{
    for (int i = 0; i < w->graph->steps.count; i++) {
        const char *array = w->kept[i].array;
        const bool unread = soa_step_is_state(sweep_step(w, i), SOA_STATE_V);
        if (array != NULL && !unread) {
            sweep_say(w, "    $s *$n = at->$s;\n", sweep_type(sweep_step(w, i)), i, array);
        }
    }
}

static void put_body_results(sweep_writer *w)
{
    for (int i = 0; i < w->graph->outputs.count; i++) {
        const int step = soa_graph_output_at(w->graph, i)->step;
        const soa_step *s = sweep_step(w, step);
        if (!kernel_is_joint(s)) {
            sweep_say(w,
                "    for (int k = 0; $sk < call->model->bodies; k++) {\n" LINE
                "body_$s_out(call, call->$s, k, $n[k]);\n    }\n",
                i > 0 ? "call->y2.at && " : "", sweep_type(s), i > 0 ? "y2" : "y", step);
        }
    }
}

static bool has_state(const sweep_writer *w, soa_state_part part)
{
    for (int i = 0; i < w->graph->steps.count; i++) {
        if (kernel_is_demanded(w, i) && soa_step_is_state(sweep_step(w, i), part)) {
            return true;
        }
    }
    return false;
}

/* Whether T, or betadot, and beta are all that is given. */
static bool takes_known(const sweep_writer *w)
{
    const char *u = NULL;
    for (int i = 0; i < w->graph->steps.count; i++) {
        const soa_step *s = sweep_step(w, i);
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

void kernel_recursion_put(sweep_writer *w, const char *what)
{
    const soa_graph *graph = w->graph;
    kernel_kept kept[KERNEL_STEPS] = { { NULL, 0, 0 } };
    w->kept = kept;
    w->words = &kernel_words;
    if (!takes_known(w)) {
        kernel_refuse(w, "a kernel takes T or betadot, and beta");
        return;
    }
    for (int i = 0; i < graph->outputs.count; i++) {
        const soa_step_kind kind = sweep_step(w, soa_graph_output_at(graph, i)->step)->kind;
        if (kind == SOA_STEP_INPUT || kind == SOA_STEP_ZERO) {
            kernel_refuse(w, "there is nothing to compute");
            return;
        }
    }
    if (graph->steps.count > KERNEL_STEPS || !kernel_keep(w)) {
        kernel_refuse(w, "more vectors are kept than a kernel of the library has arrays for");
        return;
    }
    put(w->to, "/* %s */\nstatic void %s(soa_call *call)\n{\n    const vars w = vars_of(call), *at = &w;\n", what,
        w->name);
    put_arrays(w);
    put(w->to, "    call_begin(call);\n    position_sweep(call, at);\n");
    if (has_state(w, SOA_STATE_B)) {
        put(w->to, "    if (call->f.at) {\n" LINE "placement_sweep(call, at);\n    }\n");
    }
    for (int sweep = SOA_BEFORE; sweep < graph->schedule.sweeps; sweep++) {
        put_sweep(w, sweep);
    }
    put_body_results(w);
    put(w->to, "}\n\n");
}
