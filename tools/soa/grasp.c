/* grasp.c - the grasp of soa compute: how the closures of one link load it, and whether they can hold it.
 *
 * The numbers of a state: whether force closure holds, the resultant (6), then by rows of the closures the part of
 * their forces that moves the link, the internal part, a squeeze that presses every contact, and the
 * forces that give it the resultant of --wrench. */
#include <stdlib.h>
#include <string.h>

#include "compute.h"

enum { CLOSED = 0, WRENCH = 1, ROWS = 7, LISTS = 4, EDGES = 8 };

size_t tool_grasp_size(const tool_batch *b)
{
    return ROWS + LISTS * (size_t)(b->system != NULL ? b->system->rows : 0);
}

void tool_grasp_system(tool_batch *b, int state, double *out)
{
    tool_system *s = b->system;
    const size_t rows = (size_t)s->rows;
    const double *q = b->q + (size_t)state * (size_t)b->nq, *tau = b->tau + (size_t)state * (size_t)b->nv;
    const double *lambda = s->fd.multiplier + (size_t)state * rows;
    double *motion = out + ROWS, *internal = motion + rows, *squeeze = internal + rows;
    bool closed = false;
    memset(out, 0, tool_grasp_size(b) * sizeof *out);
    tool_must_for(b->first, state,
        soa_system_forward_dynamics(s->system, tau, NULL, s->given, &s->state[state].solved, tool_error()));
    tool_system_keep(s, state, &s->fd);
    tool_must_for(b->first, state,
        soa_grasp_split(s->set, 0, b->held, 1, q, NULL, lambda, motion, internal, out + WRENCH, tool_error()));
    tool_must_for(b->first, state, soa_force_closure(s->set, 0, b->held, EDGES, 1, q, &closed, squeeze, tool_error()));
    if (b->wrench != NULL) {
        tool_must_for(b->first, state,
            soa_grasp_balance(s->set, 0, b->held, 1, q, NULL, b->wrench, squeeze + rows, tool_error()));
    }
    out[CLOSED] = closed ? 1.0 : 0.0;
}

/* Whether a closure touches the link that is held. */
static bool holds_it(const tool_batch *b, int closure)
{
    const soa_closure *c = soa_closure_get(b->system->set, closure);
    return c != NULL && soa_closure_enabled(b->system->set, closure) && (c->a == b->held || c->b == b->held);
}

json_t *tool_grasp_json(const tool_batch *b, const double *value)
{
    const tool_system *s = b->system;
    json_t *object = json_object(), *list = json_array();
    for (int i = 0; i < s->count; i++) {
        if (holds_it(b, i)) {
            const double *motion = value + ROWS + soa_closure_first_row(s->set, i);
            const int rows = soa_closure_rows(s->set, i);
            json_t *closure = json_object();
            json_set(closure, "name", json_text(soa_closure_name(s->set, i)));
            json_set(closure, "motion", json_numbers(motion, rows));
            json_set(closure, "internal", json_numbers(motion + s->rows, rows));
            json_set(closure, "squeeze",
                value[CLOSED] != 0.0 ? json_numbers(motion + 2 * (size_t)s->rows, rows) : json_null());
            if (b->wrench != NULL) {
                json_set(closure, "balance", json_numbers(motion + 3 * (size_t)s->rows, rows));
            }
            json_add(list, closure);
        }
    }
    json_set(object, "link", json_text(tool_link_name(b->model, b->held)));
    json_set(object, "wrench", json_numbers(value + WRENCH, 6));
    json_set(object, "force_closure", json_boolean(value[CLOSED] != 0.0));
    json_set(object, "closures", list);
    return object;
}

static void put_list(const tool_call *call, const char *label, const double *value, int count)
{
    fprintf(call->out, "    %-10s", label);
    for (int i = 0; i < count; i++) {
        fprintf(call->out, " %11.5g", value[i]);
    }
    fputc('\n', call->out);
}

void tool_grasp_put(const tool_call *call, const tool_batch *b, const double *value)
{
    const tool_system *s = b->system;
    tool_put_title(call, tool_text("grasp of %.80s: %s", tool_clean(tool_link_name(b->model, b->held)),
                             value[CLOSED] != 0.0 ? "force closure" : "no force closure"));
    put_list(call, "wrench", value + WRENCH, 6);
    for (int i = 0; i < s->count; i++) {
        if (holds_it(b, i)) {
            const double *motion = value + ROWS + soa_closure_first_row(s->set, i);
            const int rows = soa_closure_rows(s->set, i);
            fprintf(call->out, "  %s\n", tool_closure_label(s->model, soa_closure_get(s->set, i)));
            put_list(call, "motion", motion, rows);
            put_list(call, "internal", motion + s->rows, rows);
            if (value[CLOSED] != 0.0) {
                put_list(call, "squeeze", motion + 2 * (size_t)s->rows, rows);
            }
            if (b->wrench != NULL) {
                put_list(call, "balance", motion + 3 * (size_t)s->rows, rows);
            }
        }
    }
}
