/* states.c - the states of soa compute: from a JSON file, or random. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"

static const char *const ARRAY[] = { "q", "v", "tau", "vdot" };

#define ARRAYS 4

/* Which joint numbers an array holds: coordinates of q, velocities of the others. */
static int size_of(const tool_states *s, int array)
{
    return array == 0 ? soa_model_nq(s->model) : soa_model_nv(s->model);
}

static int fail_state(const tool_states *s, int state, const char *format, ...) SOA_PRINTF(3, 4);

static int fail_state(const tool_states *s, int state, const char *format, ...)
{
    char text[SOA_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return tool_fail("%s: state %d: %s", s->file, state, text);
}

/* ---- opening ----------------------------------------------------------------------- */

/* A whole number from 0 (or least) to most. */
static bool read_whole(const char *text, unsigned long long most, unsigned long long *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *value <= most;
}

static int open_random(const tool_call *call, const char *number, tool_states *s)
{
    const char *seed = tool_value(call, "seed");
    unsigned long long count;
    if (!read_whole(number, INT_MAX, &count) || count == 0) {
        return tool_wrong_usage(call->command, "--random '%s': give the number of states, at least 1", number);
    }
    s->count = (int)count;
    s->seed = 1;
    if (seed != NULL && !read_whole(seed, ULLONG_MAX, &s->seed)) {
        return tool_wrong_usage(call->command, "--seed '%s': give a whole number, at least 0", seed);
    }
    return TOOL_OK;
}

static int open_file(const char *path, tool_states *s)
{
    json_error_t error;
    FILE *file = fopen(path, "rb");
    s->file = path;
    if (file == NULL) {
        return tool_fail("%s: the file cannot be opened: %s", path, strerror(errno));
    }
    s->root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    fclose(file);
    if (s->root == NULL) {
        return tool_fail("%s:%d: %s; the file must be JSON", path, error.line > 0 ? error.line : 1, error.text);
    }
    s->list = json_object_get(s->root, "states");
    if (!json_is_array(s->list)) {
        tool_states_close(s);
        return tool_fail("%s: there is no list \"states\"; write {\"states\": [{\"q\": [...], \"v\": [...]}]}", path);
    }
    if (json_array_size(s->list) > INT_MAX) {
        tool_states_close(s);
        return tool_fail("%s: more than %d states; split the file", path, INT_MAX);
    }
    s->count = (int)json_array_size(s->list);
    return TOOL_OK;
}

/* A named configuration of the model as the one state. */
static int open_configuration(const char *name, tool_states *s)
{
    for (int i = 0; i < soa_model_configurations(s->model); i++) {
        if (strcmp(soa_model_configuration(s->model, i)->name, name) == 0) {
            s->configuration = soa_model_configuration(s->model, i);
            s->count = 1;
            return TOOL_OK;
        }
    }
    return tool_fail("the model has no configuration '%s'; 'soa info MODEL --frames' lists them", name);
}

int tool_states_open(const tool_call *call, const soa_model *model, tool_states *states)
{
    const char *file = tool_value(call, "states"), *number = tool_value(call, "random");
    const char *name = tool_value(call, "from");
    *states = (tool_states){ .model = model };
    if ((file != NULL) + (number != NULL) + (name != NULL) != 1) {
        return tool_wrong_usage(call->command, "give either '--states FILE', '--random N' or '--from CONFIGURATION'");
    }
    if (number == NULL && tool_value(call, "seed") != NULL) {
        return tool_wrong_usage(call->command, "--seed goes with --random");
    }
    if (name != NULL) {
        return open_configuration(name, states);
    }
    return file != NULL ? open_file(file, states) : open_random(call, number, states);
}

void tool_states_close(tool_states *states)
{
    json_decref(states->root);
    states->root = NULL;
}

/* ---- one state ------------------------------------------------------------------------ */

static int read_list(const tool_states *s, int state, const char *what, const json_t *list, int size, double *to)
{
    if ((int)json_array_size(list) != size) {
        return fail_state(s, state, "%s has %zu numbers; give %d", what, json_array_size(list), size);
    }
    for (int i = 0; i < size; i++) {
        const json_t *item = json_array_get(list, (size_t)i);
        if (!json_is_number(item)) {
            return fail_state(s, state, "%s[%d] is no number; give a number", what, i);
        }
        to[i] = json_number_value(item);
    }
    return TOOL_OK;
}

static int read_object(const tool_states *s, int state, int array, json_t *object, double *to)
{
    const char *name;
    json_t *item;
    json_object_foreach(object, name, item)
    {
        soa_error error;
        soa_body body;
        if (soa_model_find_body(s->model, name, &body, &error) != SOA_OK) {
            return fail_state(s, state, "%s: %s", ARRAY[array], error.text);
        }
        const int size = array == 0 ? body.nq : body.nv;
        double *at = to + (array == 0 ? body.q : body.v);
        char what[TOOL_CELL];
        snprintf(what, sizeof what, "%s of '%s'", ARRAY[array], name);
        if (size == 1 && json_is_number(item)) {
            *at = json_number_value(item);
        } else if (!json_is_array(item)) {
            return fail_state(s, state, "%s is no %s; give %d", what, size == 1 ? "number" : "list of numbers", size);
        } else if (read_list(s, state, what, item, size, at) != TOOL_OK) {
            return TOOL_FAILED;
        }
    }
    return TOOL_OK;
}

static int read_array(const tool_states *s, int state, int array, json_t *value, double *to)
{
    if (json_is_object(value)) {
        return read_object(s, state, array, value, to);
    }
    if (!json_is_array(value)) {
        return fail_state(
            s, state, "%s is neither a list nor an object; give a list of %d numbers", ARRAY[array], size_of(s, array));
    }
    return read_list(s, state, ARRAY[array], value, size_of(s, array), to);
}

static int read_state(const tool_states *s, int state, double *const to[ARRAYS])
{
    json_t *object = json_array_get(s->list, (size_t)state), *value;
    const char *name;
    if (!json_is_object(object)) {
        return fail_state(s, state, "this is no object; write {\"q\": [...], \"v\": [...]}");
    }
    json_object_foreach(object, name, value)
    {
        int array = 0;
        while (array < ARRAYS && strcmp(name, ARRAY[array]) != 0) {
            array++;
        }
        if (array == ARRAYS) {
            return fail_state(s, state, "'%s' is not known; give q, v, tau and vdot", name);
        }
        if (read_array(s, state, array, value, to[array]) != TOOL_OK) {
            return TOOL_FAILED;
        }
    }
    soa_error error;
    if (soa_check_configuration(s->model, to[0], &error) != SOA_OK) {
        return fail_state(s, state, "%s", error.text);
    }
    return TOOL_OK;
}

static int copy_configuration(const tool_states *s, double *q, double *v, double *tau, double *vdot)
{
    const size_t nv = (size_t)soa_model_nv(s->model);
    memcpy(q, s->configuration->q, (size_t)soa_model_nq(s->model) * sizeof *q);
    memset(v, 0, nv * sizeof *v);
    if (s->configuration->v != NULL) {
        memcpy(v, s->configuration->v, nv * sizeof *v);
    }
    memset(tau, 0, nv * sizeof *tau);
    memset(vdot, 0, nv * sizeof *vdot);
    return TOOL_OK;
}

int tool_states_next(tool_states *states, int state, double *q, double *v, double *tau, double *vdot)
{
    double *const to[ARRAYS] = { q, v, tau, vdot };
    const int nv = soa_model_nv(states->model);
    if (states->configuration != NULL) {
        return copy_configuration(states, q, v, tau, vdot);
    }
    if (states->list == NULL) {
        soa_random_configuration(states->model, &states->seed, q);
        for (int array = 1; array < ARRAYS; array++) {
            for (int i = 0; i < nv; i++) {
                to[array][i] = soa_model_random_number(&states->seed);
            }
        }
        return TOOL_OK;
    }
    soa_model_neutral(states->model, q);
    for (int array = 1; array < ARRAYS; array++) {
        memset(to[array], 0, (size_t)nv * sizeof(double));
    }
    return read_state(states, state, to);
}
