/* closed.c - forward dynamics of a model with closures and its derivatives, state by state. */
#include "closed.h"

#include <stdlib.h>
#include <string.h>

#include "soa/linear.h"

/* Violations beyond this are worth a word. */
#define FAR_OFF 1e-6

static const char WRENCH[] = "wrench on a";

int tool_closures_on(const soa_model *model)
{
    int on = 0;
    for (int i = 0; i < soa_model_closures(model); i++) {
        on += !soa_model_closure(model, i)->inactive;
    }
    return on;
}

int tool_closed_begin(const soa_model *model, int room, tool_closed *closed)
{
    soa_error error;
    *closed = (tool_closed){ .model = model, .room = room };
    if (soa_closures_new(1, &model, NULL, NULL, &closed->set, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    closed->count = soa_closures_count(closed->set);
    closed->rows = soa_closures_rows(closed->set);
    const size_t states = (size_t)room;
    closed->solved = calloc(states, sizeof *closed->solved);
    closed->load = calloc(states * (size_t)closed->count + 1, sizeof *closed->load);
    closed->multiplier = calloc(states * (size_t)closed->rows + 1, sizeof *closed->multiplier);
    if (closed->solved == NULL || closed->load == NULL || closed->multiplier == NULL) {
        return tool_fail("out of memory");
    }
    return TOOL_OK;
}

void tool_closed_end(tool_closed *closed)
{
    soa_closures_free(closed->set);
    free(closed->solved);
    free(closed->load);
    free(closed->multiplier);
    free(closed->work);
    *closed = (tool_closed){ 0 };
}

/* ---- computing ------------------------------------------------------------------------- */

/* A coupling has no wrench of its own. */
static bool is_shown(const tool_closed *closed, int closure)
{
    return soa_closure_get(closed->set, closure) != NULL && soa_closure_enabled(closed->set, closure);
}

static soa_status keep_loads(tool_closed *closed, int state, soa_error *error)
{
    soa_closure_load *load = closed->load + (size_t)state * (size_t)closed->count;
    if (closed->rows > 0) {
        memcpy(closed->multiplier + (size_t)state * (size_t)closed->rows, soa_closure_multipliers(closed->set),
            (size_t)closed->rows * sizeof *closed->multiplier);
    }
    soa_status status = SOA_OK;
    for (int i = 0; i < closed->count && status == SOA_OK; i++) {
        status = is_shown(closed, i) ? soa_closure_force(closed->set, i, &load[i], error) : SOA_OK;
    }
    return status;
}

soa_status tool_closed_run(tool_closed *closed, int states, const double *q, const double *v, const double *tau,
    double *vdot, soa_error *error)
{
    const size_t nq = (size_t)soa_closures_nq(closed->set), nv = (size_t)soa_closures_nv(closed->set);
    for (int s = 0; s < states; s++) {
        const size_t at = (size_t)s * nv;
        soa_status status = soa_closed_forward_dynamics(
            closed->set, q + (size_t)s * nq, v + at, tau + at, NULL, vdot + at, &closed->solved[s], error);
        status = status == SOA_OK ? keep_loads(closed, s, error) : status;
        if (status != SOA_OK) {
            error->state = s;
            return status;
        }
    }
    return SOA_OK;
}

soa_status tool_closed_linear(tool_closed *closed, int states, const double *q, const double *v, const double *tau,
    const tool_linear_model *out, soa_error *error)
{
    const size_t nq = (size_t)soa_closures_nq(closed->set), nv = (size_t)soa_closures_nv(closed->set), square = nv * nv;
    if (closed->work == NULL) {
        closed->work = malloc((soa_closed_linear_work(closed->set) + (size_t)closed->room * nv) * sizeof *closed->work);
    }
    if (closed->work == NULL) {
        snprintf(error->text, sizeof error->text, "out of memory");
        return SOA_E_MEMORY;
    }
    double *vdot = closed->work, *work = vdot + (size_t)closed->room * nv;
    soa_status status = tool_closed_run(closed, states, q, v, tau, vdot, error);
    for (size_t s = 0; s < (size_t)states && status == SOA_OK; s++) {
        status =
            soa_closed_linear_model(closed->set, q + s * nq, v + s * nv, tau + s * nv, NULL, out->A + 4 * s * square,
                out->B + 2 * s * square, out->C + 6 * s * square, out->D + 3 * s * square, work, error);
        error->state = status == SOA_OK ? error->state : (int)s;
    }
    return status;
}

/* ---- output -------------------------------------------------------------------------------- */

static const soa_closure_load *load_at(const tool_closed *closed, int state, int closure)
{
    return closed->load + (size_t)state * (size_t)closed->count + closure;
}

static json_t *closure_json(const tool_closed *closed, int state, int closure)
{
    const soa_closure_load *load = load_at(closed, state, closure);
    const double *multiplier = closed->multiplier + (size_t)state * (size_t)closed->rows;
    json_t *object = json_object();
    const soa_closure *c = soa_closure_get(closed->set, closure);
    json_set(&object, "name", json_text(soa_closure_name(closed->set, closure)));
    json_set(&object, "a", json_text(tool_link_name(closed->model, c->a)));
    json_set(&object, "b", json_text(tool_link_name(closed->model, c->b)));
    json_set(&object, "wrench_on_a", json_numbers(load->wrench_on_a, 6));
    json_set(&object, "multipliers",
        json_numbers(multiplier + soa_closure_first_row(closed->set, closure), soa_closure_rows(closed->set, closure)));
    json_set(&object, "normal", load->contact ? json_number(load->normal) : json_null());
    json_set(&object, "cone_margin", load->contact ? json_number(load->cone_margin) : json_null());
    json_set(&object, "holds", json_boolean(!load->contact || load->holds));
    json_set(&object, "point", json_numbers(load->point, 3));
    return object;
}

void tool_closed_json(const tool_closed *closed, int state, json_t **object)
{
    const soa_closed *solved = &closed->solved[state];
    json_t *list = json_array();
    for (int i = 0; i < closed->count; i++) {
        if (is_shown(closed, i) && json_array_append_new(list, closure_json(closed, state, i)) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    json_t *violation = json_object();
    json_set(&violation, "position", json_number(solved->position));
    json_set(&violation, "velocity", json_number(solved->velocity));
    json_set(object, "closures", list);
    json_set(object, "rank", json_integer(solved->rank));
    json_set(object, "rows", json_integer(solved->rows));
    json_set(object, "violation", violation);
}

/* Its name, or the links that it joins. */
static const char *label_of(const tool_closed *closed, int closure, char *text, size_t size)
{
    const char *name = soa_closure_name(closed->set, closure);
    const soa_closure *c = soa_closure_get(closed->set, closure);
    char a[TOOL_CELL], b[TOOL_CELL];
    if (name[0] != '\0') {
        return tool_clean(text, size, name);
    }
    tool_clean(a, sizeof a, tool_link_name(closed->model, c->a));
    tool_clean(b, sizeof b, tool_link_name(closed->model, c->b));
    snprintf(text, size, "%.40s - %.40s", a, b);
    return text;
}

static void put_load(const tool_call *call, const tool_closed *closed, int state, int closure, int width)
{
    const soa_closure_load *load = load_at(closed, state, closure);
    char name[TOOL_CELL];
    fputs("  ", call->out);
    tool_put(call, INK_PLAIN, label_of(closed, closure, name, sizeof name), width);
    for (int i = 0; i < 6; i++) {
        fprintf(call->out, " %12.6g", load->wrench_on_a[i]);
    }
    if (load->contact) {
        fprintf(call->out, "   normal %.6g, cone margin %.6g%s", load->normal, load->cone_margin,
            load->holds ? "" : ": would not hold");
    }
    fputc('\n', call->out);
}

/* Of the first column. */
static int label_width(const tool_closed *closed)
{
    int width = (int)strlen(WRENCH);
    for (int i = 0; i < closed->count; i++) {
        char text[TOOL_CELL];
        const int needed = is_shown(closed, i) ? tool_width(label_of(closed, i, text, sizeof text)) : 0;
        width = needed > width ? needed : width;
    }
    return width;
}

void tool_closed_put(const tool_call *call, const tool_closed *closed, int state)
{
    const soa_closed *solved = &closed->solved[state];
    const int width = label_width(closed);
    tool_put(call, INK_BOLD, "closures", 0);
    fprintf(call->out, "  rank %d of %d rows, off by %.3g in position and %.3g in velocity\n", solved->rank,
        solved->rows, solved->position, solved->velocity);
    if (solved->position > FAR_OFF || solved->velocity > FAR_OFF) {
        fputs("  the state does not satisfy them: 'soa project' finds one that does\n", call->out);
    }
    fputs("  ", call->out);
    tool_put(call, INK_FAINT, WRENCH, width);
    tool_put(call, INK_FAINT, "     moment x            y            z      force x            y            z", 0);
    fputc('\n', call->out);
    for (int i = 0; i < closed->count; i++) {
        if (is_shown(closed, i)) {
            put_load(call, closed, state, i, width);
        }
    }
}
