/* compute.c - soa compute: numbers of many states. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compute.h"

const tool_option TOOL_COMPUTE_OPTIONS[] = {
    { "what", 'w', "LIST", "what to compute, words with commas between them" },
    { "states", 's', "FILE", "states as JSON" },
    { "random", 'r', "N", "N random states instead" },
    { "seed", 0, "S", "with which the random states begin; 1 if not given" },
    { "from", 0, "NAME", "a named configuration of the model instead, without forces" },
    { "base", 'b', "BASE", "fixed: as in the file; free: on a free joint 'base'" },
    { "at", 0, "LINK[:x,y,z]", "a point, on a link or frame; may be repeated" },
    { "step", 0, "DT", "linear models also in steps of DT seconds" },
    { "open", 0, NULL, "leave the closures of the model open: the tree alone" },
    { "out", 'o', "FILE", "where to write JSON, whole or not at all" },
    { "json", 0, NULL, "JSON on standard output" },
    { NULL, 0, NULL, NULL },
};

enum { MOST_STATES = 1024, MOST_NUMBERS = 8 << 20, SHOWN_STATES = 5 };

typedef struct job {
    tool_call *call;
    tool_batch batch;
    tool_states states;
    tool_closed closed;
    int count; /* quantities */
    const tool_quantity *quantity[TOOL_MAX_QUANTITIES];
    double *value[TOOL_MAX_QUANTITIES]; /* of a batch */
    int chunk;                          /* states of a batch */
    double *block;
} job;

/* ---- memory ------------------------------------------------------------------------------ */

static int make_room(job *j)
{
    tool_batch *b = &j->batch;
    size_t size = (size_t)b->nq + 3 * (size_t)b->nv + 1;
    for (int i = 0; i < j->count; i++) {
        size += tool_quantity_size(b, j->quantity[i]);
    }
    const size_t fitting = MOST_NUMBERS / size;
    j->chunk = fitting < 1 ? 1 : fitting < MOST_STATES ? (int)fitting : MOST_STATES;
    j->chunk = j->chunk < j->states.count ? j->chunk : j->states.count;
    const size_t states = (size_t)(j->chunk > 0 ? j->chunk : 1);
    double *at = j->block = malloc(states * size * sizeof *at);
    if (at == NULL) {
        return tool_fail("out of memory: one state takes %zu numbers; ask for less", size);
    }
    b->q = at;
    b->v = b->q + states * (size_t)b->nq;
    b->tau = b->v + states * (size_t)b->nv;
    b->vdot = b->tau + states * (size_t)b->nv;
    at = b->vdot + states * (size_t)b->nv;
    for (int i = 0; i < j->count; i++) {
        j->value[i] = at;
        at += states * tool_quantity_size(b, j->quantity[i]);
    }
    return TOOL_OK;
}

static bool asks_for(const job *j, tool_shape shape)
{
    for (int i = 0; i < j->count; i++) {
        if (j->quantity[i]->shape == shape) {
            return true;
        }
    }
    return false;
}

static int make_points(job *j)
{
    tool_batch *b = &j->batch;
    int status = tool_points_get(j->call, b->model, &b->points);
    if (status == TOOL_OK && b->points.count == 0 && asks_for(j, SHAPE_OSIM)) {
        return tool_wrong_usage(j->call->command, "'osim' needs the points; give '--at LINK' for each");
    }
    b->jacobian_points = b->points;
    if (status == TOOL_OK && b->points.count == 0 && asks_for(j, SHAPE_JACOBIAN)) {
        status = tool_points_links(b->model, &b->jacobian_points);
    }
    return status;
}

static int make_workspace(job *j)
{
    tool_batch *b = &j->batch;
    soa_error error;
    if (soa_workspace_new(b->model, NULL, &b->workspace, &error) != SOA_OK ||
        soa_workspace_reserve(b->workspace, b->points.count, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    return TOOL_OK;
}

/* ---- closures ----------------------------------------------------------------------------- */

/* What respects the closures: forward dynamics and its derivatives. */
static bool is_closed(const tool_quantity *quantity)
{
    return strncmp(quantity->word, "fd", 2) == 0 || quantity->shape == SHAPE_LINEAR;
}

/* It would be another one with the closures closed. */
static bool minds_closures(const tool_quantity *quantity)
{
    static const char *const WORD[] = { "id", "massinv", "osim" };
    for (size_t i = 0; i < sizeof WORD / sizeof WORD[0]; i++) {
        if (strcmp(quantity->word, WORD[i]) == 0) {
            return true;
        }
    }
    return is_closed(quantity);
}

/* Says of which quantities the closures and couplings are left open. */
static void note_open(const job *j, bool closed)
{
    char list[TOOL_CELL] = "";
    for (int i = 0; i < j->count; i++) {
        if (minds_closures(j->quantity[i]) && !(closed && is_closed(j->quantity[i]))) {
            const size_t used = strlen(list);
            snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? "," : "", j->quantity[i]->word);
        }
    }
    if (list[0] != '\0') {
        tool_note_open(j->batch.model, list);
    }
}

/* Forward dynamics and its derivatives respect the closures of the model unless they are to stay open. */
static int make_closed(job *j)
{
    const bool closed = tool_closures_on(j->batch.model) > 0 && tool_value(j->call, "open") == NULL;
    int status = TOOL_OK;
    for (int i = 0; i < j->count && closed && status == TOOL_OK; i++) {
        const tool_quantity *quantity = j->quantity[i];
        if (!is_closed(quantity)) {
            continue;
        }
        if (quantity->method != SOA_FD_FASTEST) {
            return tool_wrong_usage(j->call->command,
                "'%s' is an algorithm of trees and the model has closures; ask for 'fd', or give '--open'",
                quantity->word);
        }
        if (j->batch.closed == NULL) {
            j->batch.closed = &j->closed;
            status = tool_closed_begin(j->batch.model, j->chunk > 0 ? j->chunk : 1, &j->closed);
        }
    }
    if (status == TOOL_OK) {
        note_open(j, closed);
    }
    return status;
}

static void end_job(job *j)
{
    tool_closed_end(&j->closed);
    if (j->batch.jacobian_points.all_links) {
        tool_points_free(&j->batch.jacobian_points);
    }
    tool_points_free(&j->batch.points);
    tool_states_close(&j->states);
    soa_workspace_free(j->batch.workspace);
    free(j->block);
}

/* ---- computing ----------------------------------------------------------------------------- */

/* The library counts the states of a batch, the user those of the file. */
static int fail_batch(const job *j, const soa_error *error)
{
    const char *text = error->text;
    if (error->state >= 0 && strncmp(text, "state ", 6) == 0 && strchr(text, ':') != NULL) {
        text = strchr(text, ':') + 1;
        text += *text == ' ';
    }
    if (error->state < 0) {
        return tool_fail("%s", text);
    }
    return tool_fail("state %d: %s", j->batch.first + error->state, text);
}

/* Numbers beyond the range of doubles do not pass silently; a missing inertia has its own note. */
static int check_finite(const job *j, int quantity)
{
    const tool_batch *b = &j->batch;
    size_t size = tool_quantity_size(b, j->quantity[quantity]);
    if (j->quantity[quantity]->shape == SHAPE_OSIM) {
        size /= 2;
    }
    for (size_t i = 0; i < size * (size_t)b->states; i++) {
        if (!isfinite(j->value[quantity][i])) {
            return tool_fail("'%s' has no finite value in the states %d to %d; look for huge numbers, or for a model "
                             "without mass",
                j->quantity[quantity]->word, b->first, b->first + b->states - 1);
        }
    }
    return TOOL_OK;
}

/* The states from `first` on, as many as fit. */
static int compute_batch(job *j, int first)
{
    tool_batch *b = &j->batch;
    const int left = j->states.count - first;
    b->first = first;
    b->states = left < j->chunk ? left : j->chunk;
    for (int s = 0; s < b->states; s++) {
        const size_t v = (size_t)s * (size_t)b->nv;
        const int status = tool_states_next(
            &j->states, first + s, b->q + (size_t)s * (size_t)b->nq, b->v + v, b->tau + v, b->vdot + v);
        if (status != TOOL_OK) {
            return status;
        }
    }
    for (int i = 0; i < j->count; i++) {
        soa_error error;
        soa_error_clear(&error);
        if (j->quantity[i]->run(b, j->quantity[i]->method, j->value[i], &error) != SOA_OK) {
            return fail_batch(j, &error);
        }
        const int status = check_finite(j, i);
        if (status != TOOL_OK) {
            return status;
        }
    }
    return TOOL_OK;
}

static void show_progress(int done, int all)
{
    if (isatty(STDERR_FILENO) == 1) {
        fprintf(stderr, done < all ? "\r%3d %% of %d states" : "\r\033[K", (int)(100.0 * done / all), all);
    }
}

/* ---- output ----------------------------------------------------------------------------------- */

static json_t *state_json(const job *j, int state)
{
    const tool_batch *b = &j->batch;
    const size_t v = (size_t)state * (size_t)b->nv;
    json_t *object = json_object();
    json_set(&object, "q", json_numbers(b->q + (size_t)state * (size_t)b->nq, b->nq));
    json_set(&object, "v", json_numbers(b->v + v, b->nv));
    json_set(&object, "tau_in", json_numbers(b->tau + v, b->nv));
    json_set(&object, "vdot_in", json_numbers(b->vdot + v, b->nv));
    for (int i = 0; i < j->count; i++) {
        if (j->quantity[i]->shape == SHAPE_LINEAR) {
            tool_linear_json(b, state, j->value[i], &object);
            continue;
        }
        json_set(&object, j->quantity[i]->field, tool_quantity_json(b, j->quantity[i], state, j->value[i]));
    }
    if (b->closed != NULL) {
        tool_closed_json(b->closed, state, &object);
    }
    return object;
}

static int write_json(void *context, FILE *out)
{
    job *j = context;
    const bool progress = tool_value(j->call, "out") != NULL;
    const soa_model *model = j->batch.model;
    double gravity[3];
    soa_model_gravity(model, gravity);
    json_writer writer = json_begin(out);
    json_field(&writer, "model", json_text(soa_model_name(model)));
    json_field(&writer, "nq", json_integer(j->batch.nq));
    json_field(&writer, "nv", json_integer(j->batch.nv));
    json_field(&writer, "gravity", json_numbers(gravity, 3));
    json_field(&writer, "joints", tool_joints_json(model));
    json_list(&writer, "results");
    for (int first = 0; first < j->states.count; first += j->chunk) {
        const int status = compute_batch(j, first);
        if (status != TOOL_OK) {
            return status;
        }
        for (int s = 0; s < j->batch.states; s++) {
            json_item(&writer, state_json(j, s));
        }
        if (progress) {
            show_progress(first + j->batch.states, j->states.count);
        }
        if (writer.failed || ferror(out) != 0) {
            break;
        }
    }
    json_list_end(&writer);
    return json_end(&writer) ? TOOL_OK : tool_fail("out of memory, or no room to write");
}

static int write_text(job *j)
{
    const int all = j->states.count;
    j->states.count = all < SHOWN_STATES ? all : SHOWN_STATES;
    for (int first = 0; first < j->states.count; first += j->chunk) {
        const int status = compute_batch(j, first);
        if (status != TOOL_OK) {
            return status;
        }
        for (int s = 0; s < j->batch.states; s++) {
            tool_put_state(j->call, &j->batch, s, j->count, j->quantity, j->value);
            if (j->batch.closed != NULL) {
                tool_closed_put(j->call, j->batch.closed, s);
                fputc('\n', j->call->out);
            }
        }
    }
    if (all > SHOWN_STATES) {
        fprintf(j->call->out, "... and %d more states; --out FILE or --json gives all\n", all - SHOWN_STATES);
    }
    return TOOL_OK;
}

/* --step */
static int read_step(job *j)
{
    const char *text = tool_value(j->call, "step");
    char *end = NULL;
    if (text == NULL) {
        return TOOL_OK;
    }
    if (!asks_for(j, SHAPE_LINEAR)) {
        return tool_wrong_usage(j->call->command, "--step goes with --what linear");
    }
    j->batch.step = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(j->batch.step) || j->batch.step <= 0.0) {
        return tool_wrong_usage(j->call->command, "--step '%s': give a time in seconds, above 0", text);
    }
    return TOOL_OK;
}

static int run_job(job *j)
{
    const char *path = tool_value(j->call, "out");
    int status = read_step(j);
    status = status == TOOL_OK ? make_points(j) : status;
    status = status == TOOL_OK ? make_room(j) : status;
    status = status == TOOL_OK ? make_closed(j) : status;
    status = status == TOOL_OK ? make_workspace(j) : status;
    if (status != TOOL_OK) {
        return status;
    }
    if (path != NULL) {
        status = tool_file_write(path, write_json, j);
    } else if (tool_value(j->call, "json") != NULL) {
        status = write_json(j, j->call->out);
    } else {
        status = write_text(j);
    }
    if (status == TOOL_OK && j->batch.singular > 0) {
        tool_note("%d of %d states have no operational-space inertia (first: state %d): the points cannot be "
                  "accelerated in every direction",
            j->batch.singular, j->states.count, j->batch.first_singular);
    }
    return status;
}

int tool_compute(tool_call *call)
{
    job j = { .call = call };
    soa_model *model = NULL;
    int status = tool_quantities_get(call, tool_value(call, "what"), j.quantity, &j.count);
    status = status == TOOL_OK ? tool_load_based(call, &model) : status;
    status = status == TOOL_OK ? tool_states_open(call, model, &j.states) : status;
    if (status == TOOL_OK) {
        j.batch.model = model;
        j.batch.nq = soa_model_nq(model);
        j.batch.nv = soa_model_nv(model);
        j.batch.links = soa_model_links(model);
        status = run_job(&j);
    }
    end_job(&j);
    soa_model_free(model);
    return status;
}
