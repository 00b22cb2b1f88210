/* project.c - soa project: the nearest states that satisfy the closures of a model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"

const tool_option TOOL_PROJECT_OPTIONS[] = {
    { "states", 's', "FILE", "states as JSON" },
    { "random", 'r', "N", "N random states instead" },
    { "seed", 0, "S", "with which the random states begin; 1 if not given" },
    { "from", 0, "NAME", "a named configuration of the model instead, without forces" },
    { "base", 'b', "BASE", "fixed: as in the file; free: on a free joint 'base'" },
    { "metric", 0, "METRIC", "mass: nearest in kinetic energy; identity: in the numbers of v" },
    { "tolerance", 0, "X", "the largest violation left, in metres and radians; 1e-12 if not given" },
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
    double *q, *v, *tau, *vdot; /* of one state */
    soa_projection *done;       /* of every state */
} job;

/* ---- arguments ---------------------------------------------------------------------------- */

static int read_metric(job *j)
{
    const char *metric = tool_value(j->call, "metric");
    j->metric = metric != NULL && strcmp(metric, "identity") == 0 ? SOA_METRIC_IDENTITY : SOA_METRIC_MASS;
    if (metric != NULL && strcmp(metric, "mass") != 0 && j->metric == SOA_METRIC_MASS) {
        return tool_wrong_usage(j->call->command, "--metric '%s' is not known; write mass or identity", metric);
    }
    return TOOL_OK;
}

static int read_tolerance(job *j)
{
    const char *text = tool_value(j->call, "tolerance");
    char *end;
    if (text == NULL) {
        return TOOL_OK;
    }
    j->tolerance = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(j->tolerance) || j->tolerance <= 0.0) {
        return tool_wrong_usage(j->call->command, "--tolerance '%s': give a positive number, such as 1e-10", text);
    }
    return TOOL_OK;
}

static int make_room(job *j)
{
    const soa_model *model = j->model;
    const size_t nq = (size_t)soa_model_nq(model), nv = (size_t)soa_model_nv(model);
    soa_error error;
    if (soa_closures_new(1, &model, NULL, NULL, &j->set, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    j->q = calloc(nq + 3 * nv + 1, sizeof *j->q);
    j->done = calloc((size_t)j->states.count + 1, sizeof *j->done);
    if (j->q == NULL || j->done == NULL) {
        return tool_fail("out of memory");
    }
    j->v = j->q + nq;
    j->tau = j->v + nv;
    j->vdot = j->tau + nv;
    return TOOL_OK;
}

/* ---- one state ------------------------------------------------------------------------------- */

static int project_state(job *j, int state)
{
    soa_error error;
    soa_error_clear(&error);
    const int status = tool_states_next(&j->states, state, j->q, j->v, j->tau, j->vdot);
    if (status != TOOL_OK) {
        return status;
    }
    if (soa_closure_project(j->set, j->metric, j->tolerance, j->q, j->v, &j->done[state], &error) != SOA_OK) {
        return tool_fail("state %d: %s", state, error.text);
    }
    return TOOL_OK;
}

static json_t *state_json(const job *j)
{
    const int nv = soa_model_nv(j->model);
    json_t *object = json_object();
    json_set(&object, "q", json_numbers(j->q, soa_model_nq(j->model)));
    json_set(&object, "v", json_numbers(j->v, nv));
    json_set(&object, "tau", json_numbers(j->tau, nv));
    json_set(&object, "vdot", json_numbers(j->vdot, nv));
    return object;
}

static json_t *projection_json(const soa_projection *done)
{
    json_t *object = json_object();
    json_t *violation = json_object();
    json_set(&violation, "position", json_number(done->position));
    json_set(&violation, "velocity", json_number(done->velocity));
    json_set(&object, "iterations", json_integer(done->iterations));
    json_set(&object, "rank", json_integer(done->rank));
    json_set(&object, "violation", violation);
    return object;
}

/* ---- output ------------------------------------------------------------------------------------ */

static int write_json(void *context, FILE *out)
{
    job *j = context;
    json_writer writer = json_begin(out);
    json_field(&writer, "model", json_text(soa_model_name(j->model)));
    json_field(&writer, "rows", json_integer(soa_closures_rows(j->set)));
    json_list(&writer, "states");
    for (int s = 0; s < j->states.count; s++) {
        const int status = project_state(j, s);
        if (status != TOOL_OK) {
            return status;
        }
        json_item(&writer, state_json(j));
    }
    json_list_end(&writer);
    json_list(&writer, "projections");
    for (int s = 0; s < j->states.count; s++) {
        json_item(&writer, projection_json(&j->done[s]));
    }
    json_list_end(&writer);
    return json_end(&writer) ? TOOL_OK : tool_fail("out of memory, or no room to write");
}

static int write_text(job *j)
{
    const int rows = soa_closures_rows(j->set);
    fprintf(j->call->out, "%d row%s of closures\n\n", rows, rows == 1 ? "" : "s");
    tool_put(j->call, INK_BOLD, "state  iterations  rank    position    velocity", 0);
    fputc('\n', j->call->out);
    for (int s = 0; s < j->states.count; s++) {
        const int status = project_state(j, s);
        if (status != TOOL_OK) {
            return status;
        }
        const soa_projection *done = &j->done[s];
        if (s < SHOWN_STATES) {
            fprintf(j->call->out, "%5d  %10d  %4d  %10.2e  %10.2e\n", s, done->iterations, done->rank, done->position,
                done->velocity);
        }
    }
    if (j->states.count > SHOWN_STATES) {
        fprintf(j->call->out, "... and %d more states\n", j->states.count - SHOWN_STATES);
    }
    fputs("\n--out FILE writes the states\n", j->call->out);
    return TOOL_OK;
}

static int run_job(job *j)
{
    const char *path = tool_value(j->call, "out");
    const int status = make_room(j);
    if (status != TOOL_OK) {
        return status;
    }
    if (soa_closures_rows(j->set) == 0) {
        tool_note("the model has no closures: its states are as they are");
    }
    if (path != NULL) {
        return tool_file_write(path, write_json, j);
    }
    return tool_value(j->call, "json") != NULL ? write_json(j, j->call->out) : write_text(j);
}

int tool_project(tool_call *call)
{
    job j = { .call = call };
    int status = read_metric(&j);
    status = status == TOOL_OK ? read_tolerance(&j) : status;
    status = status == TOOL_OK ? tool_load_based(call, &j.model) : status;
    status = status == TOOL_OK ? tool_states_open(call, j.model, &j.states) : status;
    status = status == TOOL_OK ? run_job(&j) : status;
    tool_states_close(&j.states);
    soa_closures_free(j.set);
    free(j.q);
    free(j.done);
    soa_model_free(j.model);
    return status;
}
