/* compute_write.c - what soa compute writes: JSON, CSV, or tables for people. */
#include <string.h>
#include <unistd.h>

#include "compute_job.h"

enum { SHOWN_STATES = 5 };

static void show_progress(int done, int all)
{
    if (isatty(STDERR_FILENO) == 1) {
        fprintf(stderr, done < all ? "\r%3d %% of %d states" : "\r\033[K", (int)(100.0 * done / all), all);
    }
}

/* ---- output ----------------------------------------------------------------------------------- */

static json_t *state_json(const compute_job *j, int state)
{
    const tool_batch *b = &j->batch;
    const size_t v = (size_t)state * (size_t)b->nv;
    json_t *object = json_object();
    json_set(object, "q", json_numbers(b->q + (size_t)state * (size_t)b->nq, b->nq));
    json_set(object, "v", json_numbers(b->v + v, b->nv));
    json_set(object, "tau_in", json_numbers(b->tau + v, b->nv));
    json_set(object, "vdot_in", json_numbers(b->vdot + v, b->nv));
    for (int i = 0; i < j->count; i++) {
        if (j->quantity[i]->shape == SHAPE_LINEAR) {
            tool_linear_json(b, state, j->value[i], object);
            continue;
        }
        json_set(object, j->quantity[i]->field, tool_quantity_json(b, j->quantity[i], state, j->value[i]));
    }
    if (b->system != NULL) {
        tool_system_json(b->system, state, object);
    }
    return object;
}

/* Which system the numbers are those of. */
static const char *what_of(const compute_job *j)
{
    const char *list = tool_constraints_text(j->batch.model);
    return list[0] == '\0'           ? "the tree"
           : j->batch.system == NULL ? tool_text("the open tree, without %s", list)
                                     : tool_text("the system with %s: forces, masses and symbols are those of the "
                                                 "independent velocities",
                                           list);
}

/* Computes all states; each result goes to `put`. */
static void each_result(compute_job *j, void (*put)(void *to, json_t *result), void *to, FILE *out)
{
    const bool progress = tool_value(j->call, "out") != NULL;
    for (int first = 0; first < j->states.count && ferror(out) == 0; first += j->chunk) {
        compute_batch(j, first);
        for (int s = 0; s < j->batch.states; s++) {
            put(to, state_json(j, s));
        }
        if (progress) {
            show_progress(first + j->batch.states, j->states.count);
        }
    }
}

/* What is to be said of all results. */
static void note_results(compute_job *j)
{
    if (j->batch.system != NULL) {
        tool_system_note(j->call, &j->system);
    }
    if (j->batch.singular > 0) {
        tool_note(j->call,
            "%d of %d states have no operational-space inertia (first: state %d): the points cannot be "
            "accelerated in every direction",
            j->batch.singular, j->states.count, j->batch.first_singular);
    }
}

static void put_json(void *to, json_t *result)
{
    json_item(to, result);
}

static void write_json(void *context, FILE *out)
{
    compute_job *j = context;
    const soa_model *model = j->batch.model;
    double gravity[3];
    soa_model_gravity(model, gravity);
    json_writer writer = json_begin(out);
    json_field(&writer, "model", json_text(soa_model_name(model)));
    json_field(&writer, "of", json_text(what_of(j)));
    json_field(&writer, "nq", json_integer(j->batch.nq));
    json_field(&writer, "nv", json_integer(j->batch.nv));
    json_field(&writer, "gravity", json_numbers(gravity, 3));
    json_field(&writer, "joints", tool_joints_json(model));
    json_list(&writer, "results");
    each_result(j, put_json, &writer, out);
    json_list_end(&writer);
    note_results(j);
    json_field(&writer, "notes", tool_notes_json(j->call));
    json_end(&writer);
}

static void put_csv(void *to, json_t *result)
{
    tool_csv_row(to, result);
}

static void write_csv(void *context, FILE *out)
{
    compute_job *j = context;
    tool_csv csv = { .out = out, .model = j->batch.model };
    each_result(j, put_csv, &csv, out);
    note_results(j);
}

static void write_text(compute_job *j)
{
    const bool every = tool_value(j->call, "all") != NULL;
    const int all = j->states.count;
    j->states.count = all < SHOWN_STATES || every ? all : SHOWN_STATES;
    if (tool_constraints_text(j->batch.model)[0] != '\0') {
        fprintf(j->call->out, "of %s\n\n", what_of(j));
    }
    for (int first = 0; first < j->states.count; first += j->chunk) {
        compute_batch(j, first);
        for (int s = 0; s < j->batch.states; s++) {
            tool_put_state(j->call, &j->batch, s, j->count, j->quantity, j->value);
            if (j->batch.system != NULL) {
                tool_system_put(j->call, &j->system, s);
            }
            fputc('\n', j->call->out);
        }
    }
    if (all > j->states.count) {
        fprintf(
            j->call->out, "... and %d more states; --all shows them, --out FILE writes them\n", all - j->states.count);
    }
    note_results(j);
}

static bool ends_in(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    return n >= m && strcmp(path + n - m, ending) == 0;
}

void compute_write(compute_job *j)
{
    const char *path = tool_value(j->call, "out");
    const bool csv = tool_value(j->call, "csv") != NULL || (path != NULL && ends_in(path, ".csv"));
    tool_writer *const write = csv ? write_csv : write_json;
    if (path != NULL) {
        tool_file_write(path, write, j);
    } else if (csv || tool_value(j->call, "json") != NULL) {
        write(j, j->call->out);
    } else {
        write_text(j);
    }
}
