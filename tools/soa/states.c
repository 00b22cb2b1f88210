/* states.c - the states of a command: from a JSON file, from the command line, or random. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"

const char *const TOOL_ARRAY[TOOL_ARRAYS] = { "q", "v", "tau", "vdot" };

/* How many numbers an array has: coordinates of q, velocities of the others. */
int tool_states_size(const tool_states *s, int array)
{
    return array == TOOL_Q ? soa_model_nq(s->model) : soa_model_nv(s->model);
}

/* An item of the file, for messages: a member of a state, a joint in it, a number of a list. */
typedef struct item {
    int state;
    const char *member, *name;
    int index;
} item;

TOOL_ENDS static void fail_item(const tool_states *s, const item *at, const char *format, ...) SOA_PRINTF(3, 4);

static void fail_item(const tool_states *s, const item *at, const char *format, ...)
{
    char text[SOA_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const int line = s->text != NULL ? tool_state_line(s->text, at->state, at->member, at->name, at->index) : 0;
    if (s->file == NULL) {
        tool_fail("state %d: %s", at->state, text);
    }
    if (line > 0) {
        tool_fail("%s:%d: state %d: %s", s->file, line, at->state, text);
    }
    tool_fail("%s: state %d: %s", s->file, at->state, text);
}

/* ---- opening ----------------------------------------------------------------------- */

/* A whole number up to most. */
static bool read_whole(const char *text, unsigned long long most, unsigned long long *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *value <= most;
}

static void open_random(const tool_call *call, const char *number, tool_states *s)
{
    const char *seed = tool_value(call, "seed");
    unsigned long long count;
    if (!read_whole(number, INT_MAX, &count) || count == 0) {
        tool_wrong_usage(call->command, "--random '%s': give the number of states, at least 1", number);
    }
    s->random = true;
    s->count = (int)count;
    s->seed = 1;
    if (seed != NULL && !read_whole(seed, ULLONG_MAX, &s->seed)) {
        tool_wrong_usage(call->command, "--seed '%s': give a whole number, at least 0", seed);
    }
}

/* All of a file, ended by a zero. */
static void read_file(const char *path, tool_states *s, size_t *length)
{
    const bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : fopen(path, "rb");
    size_t room = 1 << 16;
    s->file = standard ? "standard input" : path;
    if (file == NULL) {
        tool_fail("%s: the file cannot be opened: %s", path, strerror(errno));
    }
    *length = 0;
    s->text = TOOL_MEMORY.allocate(NULL, room);
    while (s->text != NULL) {
        *length += fread(s->text + *length, 1, room - *length - 1, file);
        if (*length + 1 < room) {
            break;
        }
        char *more = TOOL_MEMORY.allocate(NULL, room *= 2);
        if (more != NULL) {
            memcpy(more, s->text, *length);
        }
        tool_return(s->text);
        s->text = more;
    }
    const bool failed = ferror(file) != 0;
    if (!standard) {
        fclose(file);
    }
    if (s->text == NULL) {
        tool_fail("%s: out of memory; split the file", s->file);
    }
    if (failed) {
        tool_fail("%s: the file cannot be read: %s", s->file, strerror(errno));
    }
    s->text[*length] = '\0';
}

static void open_file(const char *path, tool_states *s)
{
    json_error_t error;
    size_t length = 0;
    read_file(path, s, &length);
    json_watch_memory();
    s->root = json_loadb(s->text, length, JSON_REJECT_DUPLICATES, &error);
    if (json_out_of_memory() && s->root == NULL) {
        tool_fail("%s: out of memory; split the file", s->file);
    }
    if (s->root == NULL) {
        tool_fail("%s:%d: %s; the file must be JSON", s->file, error.line > 0 ? error.line : 1, error.text);
    }
    s->list = json_object_get(s->root, "states");
    if (!json_is_array(s->list)) {
        tool_fail("%s: there is no list \"states\"; write {\"states\": [{\"q\": [...], \"v\": [...]}]}", s->file);
    }
    if (json_array_size(s->list) > INT_MAX) {
        tool_fail("%s: more than %d states; split the file", s->file, INT_MAX);
    }
    s->count = (int)json_array_size(s->list);
}

/* The one state of the command line, from a named configuration if one is given. */
static void open_line(const char *name, tool_states *s)
{
    s->count = 1;
    s->configuration = name != NULL ? tool_find_configuration(s->model, name) : NULL;
    if (name != NULL && s->configuration == NULL && strcmp(name, "neutral") != 0) {
        tool_fail("the model has no configuration '%s'; 'soa info MODEL --frames' lists them", name);
    }
}

void tool_states_open(const tool_call *call, const soa_model *model, bool by_default, tool_states *states)
{
    const char *file = tool_value(call, "states"), *number = tool_value(call, "random");
    const char *name = tool_value(call, "from");
    bool numbers = false;
    *states = (tool_states){ .call = call, .model = model };
    for (int i = 0; i < TOOL_ARRAYS; i++) {
        numbers = numbers || tool_value(call, TOOL_ARRAY[i]) != NULL;
    }
    if ((file != NULL) + (number != NULL) + (name != NULL || numbers || by_default) != 1 &&
        !((file != NULL) != (number != NULL) && name == NULL && !numbers)) {
        tool_wrong_usage(call->command, "give either '--states FILE', '--random N' or '--from CONFIGURATION', "
                                        "or numbers by --q, --v, --tau, --vdot");
    }
    if (number == NULL && tool_value(call, "seed") != NULL) {
        tool_wrong_usage(call->command, "--seed goes with --random");
    }
    if (file != NULL) {
        open_file(file, states);
    } else if (number != NULL) {
        open_random(call, number, states);
    } else {
        open_line(name, states);
    }
}

void tool_states_close(tool_states *states)
{
    json_decref(states->root);
    tool_return(states->text);
}

/* ---- one state ------------------------------------------------------------------------ */

static void read_list(const tool_states *s, item at, const char *what, const json_t *list, int size, double *to)
{
    if ((int)json_array_size(list) != size) {
        fail_item(s, &at, "%s has %zu numbers; give %d", what, json_array_size(list), size);
    }
    for (int i = 0; i < size; i++) {
        const json_t *number = json_array_get(list, (size_t)i);
        if (!json_is_number(number)) {
            at.index = i;
            fail_item(s, &at, "%s[%d] is not a number; give a number", what, i);
        }
        to[i] = json_number_value(number);
    }
}

static void read_object(const tool_states *s, item at, int array, json_t *object, double *to)
{
    json_t *value;
    json_object_foreach(object, at.name, value)
    {
        soa_error error;
        soa_body body;
        if (soa_model_find_body(s->model, at.name, &body, &error) != SOA_OK) {
            fail_item(s, &at, "%s: %s", TOOL_ARRAY[array], error.text);
        }
        const int size = array == TOOL_Q ? body.nq : body.nv;
        double *place = to + (array == TOOL_Q ? body.q : body.v);
        const char *what = tool_text("%s of '%s'", TOOL_ARRAY[array], at.name);
        if (size == 1 && json_is_number(value)) {
            *place = json_number_value(value);
        } else if (!json_is_array(value)) {
            fail_item(s, &at, "%s is not a %s; give %d", what, size == 1 ? "number" : "list of numbers", size);
        } else {
            read_list(s, at, what, value, size, place);
        }
    }
}

static void read_state(const tool_states *s, int state, double *const to[TOOL_ARRAYS])
{
    json_t *object = json_array_get(s->list, (size_t)state), *value;
    item at = { state, NULL, NULL, -1 };
    if (!json_is_object(object)) {
        fail_item(s, &at, "this is not an object; write {\"q\": [...], \"v\": [...]}");
    }
    json_object_foreach(object, at.member, value)
    {
        int array = 0;
        while (array < TOOL_ARRAYS && strcmp(at.member, TOOL_ARRAY[array]) != 0) {
            array++;
        }
        if (array == TOOL_ARRAYS) {
            fail_item(s, &at, "'%s' is not known; give q, v, tau and vdot", at.member);
        }
        if (!json_is_object(value) && !json_is_array(value)) {
            fail_item(s, &at, "%s is neither a list nor an object; give a list of %d numbers", TOOL_ARRAY[array],
                tool_states_size(s, array));
        }
        if (json_is_object(value)) {
            read_object(s, at, array, value, to[array]);
        } else {
            read_list(s, at, TOOL_ARRAY[array], value, tool_states_size(s, array), to[array]);
        }
    }
}

/* Random coordinates, velocities, forces and accelerations. */
static void make_random(tool_states *s, double *const to[TOOL_ARRAYS])
{
    soa_random_configuration(s->model, &s->seed, to[TOOL_Q]);
    for (int array = TOOL_V; array < TOOL_ARRAYS; array++) {
        for (int i = 0; i < soa_model_nv(s->model); i++) {
            to[array][i] = soa_model_random_number(&s->seed);
        }
    }
}

/* The state of the command line. */
static void read_line(const tool_states *s, double *const to[TOOL_ARRAYS])
{
    if (s->configuration != NULL) {
        memcpy(to[TOOL_Q], s->configuration->q, (size_t)soa_model_nq(s->model) * sizeof(double));
    }
    if (s->configuration != NULL && s->configuration->v != NULL) {
        memcpy(to[TOOL_V], s->configuration->v, (size_t)soa_model_nv(s->model) * sizeof(double));
    }
    for (int array = 0; array < TOOL_ARRAYS; array++) {
        tool_read_option(s, array, to[array]);
    }
}

/* Gives what was left out its number: q is neutral, or follows its driver; the others are zero. */
static void fill_missing(const tool_states *s, double *const to[TOOL_ARRAYS])
{
    const int nq = soa_model_nq(s->model), nv = soa_model_nv(s->model);
    double *neutral = tool_take((size_t)nq + 1, sizeof *neutral);
    soa_model_neutral(s->model, neutral);
    for (int i = 0; i < nq; i++) {
        neutral[i] = isnan(to[TOOL_Q][i]) ? neutral[i] : to[TOOL_Q][i];
    }
    if (s->follow) {
        soa_couple(s->model, neutral, NULL);
    }
    for (int i = 0; i < nq; i++) {
        to[TOOL_Q][i] = isnan(to[TOOL_Q][i]) ? neutral[i] : to[TOOL_Q][i];
    }
    tool_return(neutral);
    for (int array = TOOL_V; array < TOOL_ARRAYS; array++) {
        for (int i = 0; i < nv && !(s->missing && array != TOOL_TAU); i++) {
            to[array][i] = isnan(to[array][i]) ? 0.0 : to[array][i];
        }
    }
}

void tool_states_next(tool_states *states, int state, double *const to[TOOL_ARRAYS])
{
    const item at = { state, "q", NULL, -1 };
    soa_error error;
    if (states->random) {
        make_random(states, to);
        return;
    }
    for (int array = 0; array < TOOL_ARRAYS; array++) {
        for (int i = 0; i < tool_states_size(states, array); i++) {
            to[array][i] = (double)NAN;
        }
    }
    if (states->list != NULL) {
        read_state(states, state, to);
    } else {
        read_line(states, to);
    }
    fill_missing(states, to);
    const bool good = soa_check_configuration(states->model, to[TOOL_Q], &error) == SOA_OK;
    if (!good && states->list != NULL) {
        fail_item(states, &at, "%s", error.text);
    } else if (!good) {
        tool_fail("--q: %s", error.text);
    }
}
