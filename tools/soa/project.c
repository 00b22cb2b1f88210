/* project.c - soa project: the nearest states that satisfy the closures of a model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"

const tool_option TOOL_PROJECT_OPTIONS[] = {
    TOOL_STATE_OPTIONS,
    { "base", 'b', "BASE", "fixed: as in the file; free: on a free joint 'base'" },
    { "metric", 0, "METRIC", "mass: nearest in kinetic energy; identity: in the numbers of v" },
    { "tolerance", 0, "X", "the largest violation left, in metres and radians; 1e-12 if not given" },
    TOOL_CLOSURE_OPTIONS,
    { "out", 'o', "FILE", "where to write JSON, whole or not at all" },
    { "json", 0, NULL, "JSON on standard output" },
    { NULL, 0, NULL, NULL },
};

enum { SHOWN_STATES = 20 };

typedef struct job {
    tool_call *call;
    soa_model *model;
    soa_closures *set;
    tool_states states;
    soa_metric metric;
    double tolerance;
    double *number[TOOL_ARRAYS]; /* of one state */
    soa_projection *done;        /* of every state */
    bool *failed;                /* likewise */
    int failures;
    char first_failure[SOA_ERROR_TEXT + 32];
} job;

/* ---- arguments ---------------------------------------------------------------------------- */

static void read_metric(job *j)
{
    const char *metric = tool_value(j->call, "metric");
    j->metric = metric != NULL && strcmp(metric, "identity") == 0 ? SOA_METRIC_IDENTITY : SOA_METRIC_MASS;
    if (metric != NULL && strcmp(metric, "mass") != 0 && j->metric == SOA_METRIC_MASS) {
        tool_wrong_usage(j->call->command, "--metric '%s' is not known; write mass or identity", metric);
    }
}

static void read_tolerance(job *j)
{
    const char *text = tool_value(j->call, "tolerance");
    char *end;
    if (text == NULL) {
        return;
    }
    j->tolerance = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(j->tolerance) || j->tolerance <= 0.0) {
        tool_wrong_usage(j->call->command, "--tolerance '%s': give a positive number, such as 1e-10", text);
    }
}

static void make_room(job *j)
{
    const soa_model *model = j->model;
    const size_t nq = (size_t)soa_model_nq(model), nv = (size_t)soa_model_nv(model);
    tool_must(soa_closures_new(1, &model, NULL, &TOOL_MEMORY, &j->set, tool_error()));
    tool_closures_tolerances(j->call, j->set);
    (void)tool_note_rounded(j->call, j->set);
    j->number[TOOL_Q] = tool_take(nq + 3 * nv, sizeof **j->number);
    j->done = tool_take((size_t)j->states.count + 1, sizeof *j->done);
    j->failed = tool_take((size_t)j->states.count + 1, sizeof *j->failed);
    for (int i = TOOL_V; i < TOOL_ARRAYS; i++) {
        j->number[i] = j->number[TOOL_Q] + nq + (size_t)(i - TOOL_V) * nv;
    }
}

/* ---- one state ------------------------------------------------------------------------------- */

/* A state that cannot be reached is counted, not fatal: the others are written all the same. */
static void project_state(job *j, int state)
{
    soa_error error;
    soa_error_clear(&error);
    tool_states_next(&j->states, state, j->number);
    const soa_status done = soa_closure_project(
        j->set, j->metric, j->tolerance, 1, j->number[TOOL_Q], j->number[TOOL_V], &j->done[state], &error);
    j->failed[state] = done != SOA_OK;
    if (done != SOA_OK && j->failures++ == 0) {
        snprintf(j->first_failure, sizeof j->first_failure, "state %d: %s", state, error.text);
    }
}

/* Says which states could not be reached. */
static void end_with_failures(const job *j)
{
    const int good = j->states.count - j->failures;
    if (j->failures == 0) {
        return;
    }
    if (j->states.count == 1) {
        tool_fail("%s", j->first_failure);
    }
    if (j->failures == 1) {
        tool_fail("%s (the other %d are as they should be)", j->first_failure, good);
    }
    tool_fail("%s (and %d others; %d are as they should be)", j->first_failure, j->failures - 1, good);
}

static json_t *state_json(const job *j)
{
    static const char *const NAME[TOOL_ARRAYS] = { "q", "v", "tau", "vdot" };
    json_t *object = json_object();
    for (int i = 0; i < TOOL_ARRAYS; i++) {
        json_set(
            object, NAME[i], json_numbers(j->number[i], i == TOOL_Q ? soa_model_nq(j->model) : soa_model_nv(j->model)));
    }
    return object;
}

static json_t *projection_json(const job *j, int state)
{
    const soa_projection *done = &j->done[state];
    json_t *object = json_object();
    json_t *violation = json_object();
    json_set(violation, "position", json_number(done->position));
    json_set(violation, "velocity", json_number(done->velocity));
    json_set(object, "state", json_integer(state));
    json_set(object, "reached", json_boolean(!j->failed[state]));
    json_set(object, "iterations", json_integer(done->iterations));
    json_set(object, "rank", json_integer(done->rank));
    json_set(object, "rounded", json_boolean(done->rounded));
    json_set(object, "violation", violation);
    return object;
}

/* ---- output ------------------------------------------------------------------------------------ */

static void write_json(void *context, FILE *out)
{
    job *j = context;
    json_writer writer = json_begin(out);
    json_field(&writer, "model", json_text(soa_model_name(j->model)));
    json_field(&writer, "rows", json_integer(soa_closures_rows(j->set)));
    json_list(&writer, "states");
    for (int s = 0; s < j->states.count; s++) {
        project_state(j, s);
        if (!j->failed[s]) {
            json_item(&writer, state_json(j));
        }
    }
    json_list_end(&writer);
    json_list(&writer, "projections");
    for (int s = 0; s < j->states.count; s++) {
        json_item(&writer, projection_json(j, s));
    }
    json_list_end(&writer);
    json_field(&writer, "failures", json_integer(j->failures));
    json_field(&writer, "notes", tool_notes_json(j->call));
    json_end(&writer);
}

static void write_text(job *j)
{
    const int rows = soa_closures_rows(j->set);
    fprintf(j->call->out, "%d row%s of closures\n\n", rows, rows == 1 ? "" : "s");
    tool_put(j->call, INK_BOLD, "state  iterations  rank    position    velocity", 0);
    fputc('\n', j->call->out);
    for (int s = 0; s < j->states.count; s++) {
        project_state(j, s);
        const soa_projection *done = &j->done[s];
        if (s < SHOWN_STATES) {
            fprintf(j->call->out, "%5d  %10d  %4d  %10.2e  %10.2e%s\n", s, done->iterations, done->rank, done->position,
                done->velocity, j->failed[s] ? "  not reached" : "");
        }
    }
    if (j->states.count > SHOWN_STATES) {
        fprintf(j->call->out, "... and %d more states\n", j->states.count - SHOWN_STATES);
    }
    fputs("\n--out FILE writes the states\n", j->call->out);
}

static void run_job(job *j)
{
    const char *path = tool_value(j->call, "out");
    make_room(j);
    if (soa_closures_rows(j->set) == 0) {
        tool_note(j->call, "the model has no closures: its states are as they are");
    }
    j->states.follow = true;
    if (path != NULL) {
        tool_file_write(path, write_json, j);
    } else if (tool_value(j->call, "json") != NULL) {
        write_json(j, j->call->out);
    } else {
        write_text(j);
    }
    j->call->keep = true;
    end_with_failures(j);
}

void tool_project(tool_call *call)
{
    job j = { .call = call };
    read_metric(&j);
    read_tolerance(&j);
    j.model = tool_load_based(call, call->operand[0]);
    tool_states_open(call, j.model, false, &j.states);
    run_job(&j);
}
