/* system_print.c - what the couplings and closures of a system do in a state, as JSON and for people. */
#include <string.h>

#include "compute.h"

/* ---- JSON ------------------------------------------------------------------------------------- */

static const double *multipliers_of(const tool_system *s, const tool_loads *loads, int number, int closure)
{
    return loads->multiplier + (size_t)number * (size_t)s->rows + soa_closure_first_row(s->set, closure);
}

static json_t *closure_json(const tool_system *s, const tool_loads *loads, int number, int closure)
{
    const soa_closure_load *load = loads->load + (size_t)number * (size_t)s->count + closure;
    const soa_closure *c = soa_closure_get(s->set, closure);
    json_t *object = json_object();
    json_set(object, "name", json_text(soa_closure_name(s->set, closure)));
    json_set(object, "a", json_text(tool_link_name(s->model, c->a)));
    json_set(object, "b", json_text(tool_link_name(s->model, c->b)));
    json_set(object, "wrench_on_a", json_numbers(load->wrench_on_a, 6));
    json_set(object, "multipliers",
        json_numbers(multipliers_of(s, loads, number, closure), soa_closure_rows(s->set, closure)));
    json_set(object, "normal", load->contact ? json_number(load->normal) : json_null());
    json_set(object, "cone_margin", load->contact ? json_number(load->cone_margin) : json_null());
    json_set(object, "holds", json_boolean(!load->contact || load->holds));
    json_set(object, "point", json_numbers(load->point, 3));
    return object;
}

/* Coupling i of the model stands after its closures. */
static int tie_of(const tool_system *s, int coupling)
{
    return soa_model_closures(s->model) + coupling;
}

static const char *driver_name(const tool_system *s, const soa_coupling *c)
{
    return c->driver >= 0 ? tool_joint_name(s->model, c->driver) : NULL;
}

static json_t *coupling_json(const tool_system *s, const tool_loads *loads, int number, int coupling)
{
    const soa_coupling *c = soa_model_coupling(s->model, coupling);
    json_t *object = json_object();
    json_set(object, "joint", json_text(tool_joint_name(s->model, c->link)));
    json_set(object, "driver", json_text(driver_name(s, c)));
    json_set(object, "force", json_number(multipliers_of(s, loads, number, tie_of(s, coupling))[0]));
    return object;
}

static void loads_json(
    const tool_system *s, const tool_loads *loads, int number, const char *const field[2], json_t *object)
{
    json_t *closures = json_array(), *couplings = json_array();
    for (int i = 0; i < s->count; i++) {
        if (tool_system_has_wrench(s, i)) {
            json_add(closures, closure_json(s, loads, number, i));
        }
    }
    for (int i = 0; i < soa_model_couplings(s->model); i++) {
        json_add(couplings, coupling_json(s, loads, number, i));
    }
    json_set(object, field[0], closures);
    json_set(object, field[1], couplings);
}

void tool_system_json(const tool_system *s, int number, json_t *object)
{
    static const char *const FD[] = { "closures", "couplings" }, *const ID[] = { "tau_closures", "tau_couplings" };
    const tool_system_state *state = &s->state[number];
    json_t *list = json_array(), *violation = json_object();
    for (int i = 0; i < state->dofs; i++) {
        json_add(list, json_integer(tool_system_independent(s, number)[i]));
    }
    json_set(violation, "position", json_number(state->position));
    json_set(violation, "velocity", json_number(state->velocity));
    json_set(object, "independent", list);
    if (s->fd.made) {
        loads_json(s, &s->fd, number, FD, object);
        json_set(object, "condition", json_number(state->solved.condition));
        json_set(object, "singular_values",
            json_pack("{s:o, s:o}", "smallest_kept", json_number(state->solved.kept), "largest_dropped",
                json_number(state->solved.dropped)));
        json_set(object, "rounded", json_boolean(state->solved.rounded));
    }
    if (s->id.made) {
        loads_json(s, &s->id, number, ID, object);
    }
    json_set(object, "rank", json_integer(s->nv - state->dofs));
    json_set(object, "rows", json_integer(s->rows));
    json_set(object, "violation", violation);
}

/* ---- for people ---------------------------------------------------------------------------------- */

const char *tool_closure_label(const soa_model *model, const soa_closure *c)
{
    const char *a = tool_clean(tool_link_name(model, c->a)), *b = tool_clean(tool_link_name(model, c->b));
    return c->name != NULL && c->name[0] != '\0' ? tool_clean(c->name) : tool_text("%.40s - %.40s", a, b);
}

static const char *label_of(const tool_system *s, int closure)
{
    return tool_closure_label(s->model, soa_closure_get(s->set, closure));
}

/* Columns of the longest label. */
static int label_width(const tool_system *s)
{
    int width = 22;
    for (int i = 0; i < s->count; i++) {
        const int needed = tool_system_has_wrench(s, i) ? tool_width(label_of(s, i)) : 0;
        width = needed > width ? needed : width;
    }
    return width;
}

static void put_closure(const tool_call *call, const tool_system *s, const tool_loads *loads, int number, int closure)
{
    const soa_closure_load *load = loads->load + (size_t)number * (size_t)s->count + closure;
    fputs("  ", call->out);
    tool_put(call, INK_PLAIN, label_of(s, closure), label_width(s));
    for (int i = 0; i < 6; i++) {
        fprintf(call->out, " %11.5g", tool_tidy(load->wrench_on_a[i], tool_largest(6, load->wrench_on_a)));
    }
    if (load->contact) {
        fprintf(call->out, "   normal %.6g, cone margin %.6g%s", load->normal, load->cone_margin,
            load->holds ? "" : ": would not hold");
    }
    fputc('\n', call->out);
}

static void put_loads(const tool_call *call, const tool_system *s, const tool_loads *loads, int number, const char *of)
{
    if (tool_closures_on(s->model) > 0) {
        tool_put_title(call, tool_text("wrench on a of each closure, for %s", of));
        tool_put(call, INK_FAINT, "  world axes", label_width(s) + 2);
        tool_put(call, INK_FAINT, " moment x [N m]      y           z    force x [N]      y           z\n", 0);
    }
    for (int i = 0; i < s->count; i++) {
        if (tool_system_has_wrench(s, i)) {
            put_closure(call, s, loads, number, i);
        }
    }
    if (soa_model_couplings(s->model) > 0) {
        tool_put_title(call, tool_text("force of each coupling on its follower [N m, N], for %s", of));
    }
    for (int i = 0; i < soa_model_couplings(s->model); i++) {
        fputs("  ", call->out);
        tool_put(call, INK_PLAIN, tool_clean(tool_joint_name(s->model, soa_model_coupling(s->model, i)->link)), 24);
        fprintf(call->out, " %11.5g\n", tool_tidy(multipliers_of(s, loads, number, tie_of(s, i))[0], 0.0));
    }
}

void tool_system_put(const tool_call *call, const tool_system *s, int number)
{
    const tool_system_state *state = &s->state[number];
    tool_put_title(call, tool_constraints_text(s->model));
    fprintf(call->out, "  rank %d of %d rows, off by %.3g in position and %.3g in velocity\n", s->nv - state->dofs,
        s->rows, state->position, state->velocity);
    if (s->fd.made) {
        const double dropped = tool_tidy(state->solved.dropped, 1.0);
        fprintf(
            call->out, "  condition %.3g, smallest singular value %.3g", state->solved.condition, state->solved.kept);
        fprintf(call->out, dropped > 0.0 ? "; %.3g does not count\n" : "\n", dropped);
    }
    fputs("  independent:", call->out);
    for (int i = 0; i < state->dofs; i++) {
        const char *name = tool_velocity_name(s->model, tool_system_independent(s, number)[i]);
        fprintf(call->out, "%s %s", i > 0 ? "," : "", tool_clean(name));
    }
    fputs(state->dofs == 0 ? " none, nothing can move\n" : "\n", call->out);
    if (tool_system_misses(s, number)) {
        fputs("  the state does not satisfy them: 'soa project' finds one that does\n", call->out);
    }
    if (s->fd.made) {
        put_loads(call, s, &s->fd, number, "vdot");
    }
    if (s->id.made) {
        put_loads(call, s, &s->id, number, "tau");
    }
}

void tool_system_note(tool_call *call, const tool_system *s)
{
    if (s->far > 0) {
        tool_note(call,
            "state %d does not satisfy the closures and couplings%s: they are missed by up to %.3g; "
            "'soa project' finds states that do",
            s->first_far, s->far > 1 ? ", and others do not" : "", s->farthest);
    }
    if (s->odd > 0) {
        tool_note(call,
            "state %d: v or vdot as given does not satisfy the closures and couplings%s; the independent "
            "numbers were taken, the others follow from them",
            s->first_odd, s->odd > 1 ? ", nor in others" : "");
    }
}
