/* compute.c - soa compute: numbers of many states. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute_job.h"

const tool_option TOOL_COMPUTE_OPTIONS[] = {
    { "what", 'w', "LIST", "what to compute, words with commas between them" },
    TOOL_STATE_OPTIONS,
    { "base", 'b', "BASE", "fixed: as in the file; free: on a free joint 'base'" },
    { "at", 0, "LINK[:x,y,z]", "a point, on a link or frame; may be repeated" },
    { "step", 0, "DT", "linear models also in steps of DT seconds" },
    { "minimal", 0, NULL, "linear models in the independent q and v" },
    { "independent", 0, "JOINTS", "joints whose velocities are to be independent, with commas" },
    { "weight", 0, "JOINT=W", "id of closed systems: the cost of a joint's force, or JOINT=passive" },
    { "held", 0, "LINK", "grasp: the link that the closures hold" },
    { "wrench", 0, "NUMBERS", "grasp: six numbers; 'balance' is what the closures then carry" },
    TOOL_CLOSURE_OPTIONS,
    { "open", 0, NULL, "the bare tree: leave out closures, couplings and forces of joints" },
    { "no-forces", 0, NULL, "leave out springs, damping and dry friction of the joints" },
    { "out", 'o', "FILE", "where to write JSON, or CSV if FILE ends in .csv" },
    { "json", 0, NULL, "JSON on standard output" },
    { "csv", 0, NULL, "CSV on standard output: a line per state" },
    { "all", 'a', NULL, "all states, and matrices of any size" },
    { NULL, 0, NULL, NULL },
};

enum { MOST_STATES = 1024, MOST_NUMBERS = 8 << 20 };

/* ---- memory ------------------------------------------------------------------------------ */

/* Numbers of a state, its quantities included. */
static size_t state_size(const compute_job *j)
{
    const tool_batch *b = &j->batch;
    size_t size = (size_t)b->nq + 5 * (size_t)b->nv + 1;
    for (int i = 0; i < j->count; i++) {
        size += tool_quantity_size(b, j->quantity[i]);
    }
    return size;
}

static void make_chunk(compute_job *j)
{
    const size_t fitting = MOST_NUMBERS / state_size(j);
    j->chunk = fitting < 1 ? 1 : fitting < MOST_STATES ? (int)fitting : MOST_STATES;
    j->chunk = j->chunk < j->states.count ? j->chunk : j->states.count;
}

static int make_room(compute_job *j)
{
    tool_batch *b = &j->batch;
    const size_t size = state_size(j);
    const size_t states = (size_t)(j->chunk > 0 ? j->chunk : 1);
    double *at = j->block = calloc(states * size, sizeof *at);
    if (at == NULL) {
        return tool_fail("out of memory: one state takes %zu numbers; ask for less", size);
    }
    b->q = at;
    b->v = b->q + states * (size_t)b->nq;
    b->tau = b->v + states * (size_t)b->nv;
    b->vdot = b->tau + states * (size_t)b->nv;
    b->push = b->vdot + states * (size_t)b->nv;
    b->all = b->push + states * (size_t)b->nv;
    at = b->all + states * (size_t)b->nv;
    for (int i = 0; i < j->count; i++) {
        j->value[i] = at;
        at += states * tool_quantity_size(b, j->quantity[i]);
    }
    return TOOL_OK;
}

static bool asks_for(const compute_job *j, tool_shape shape)
{
    for (int i = 0; i < j->count; i++) {
        if (j->quantity[i]->shape == shape) {
            return true;
        }
    }
    return false;
}

static int make_points(compute_job *j)
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

static int make_workspace(compute_job *j)
{
    tool_batch *b = &j->batch;
    soa_error error;
    if (soa_workspace_new(b->model, NULL, &b->workspace, &error) != SOA_OK ||
        soa_workspace_reserve(b->workspace, b->points.count, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    return TOOL_OK;
}

/* ---- the system ----------------------------------------------------------------------------- */

/* Couplings and closures act unless they are to be left out. */
static int make_system(compute_job *j)
{
    tool_batch *b = &j->batch;
    const bool constrained = soa_model_couplings(b->model) + tool_closures_on(b->model) > 0;
    const bool open = tool_value(j->call, "open") != NULL;
    for (int i = 0; i < j->count; i++) {
        if (constrained && !open && j->quantity[i]->method != SOA_FD_FASTEST) {
            return tool_wrong_usage(j->call->command,
                "'%s' is an algorithm of trees and the model has closures or couplings; ask for 'fd', or give '--open'",
                j->quantity[i]->word);
        }
        if ((!constrained || open) && j->quantity[i]->run == NULL) {
            return tool_wrong_usage(
                j->call->command, "'%s' needs closures%s", j->quantity[i]->word, open ? "; leave out --open" : "");
        }
    }
    if (open) {
        tool_note_open(j->call, b->model, "every quantity");
    }
    if (!constrained || open) {
        return TOOL_OK;
    }
    b->system = &j->system;
    j->states.follow = true;
    j->states.missing = true;
    const int status = tool_system_begin(j->call, b->model, j->chunk > 0 ? j->chunk : 1, &j->system);
    for (int i = 0; i < j->count; i++) {
        const tool_quantity *quantity = j->quantity[i];
        j->system.minds_vdot = j->system.minds_vdot || strcmp(quantity->word, "id") == 0 ||
                               quantity->shape == SHAPE_BODIES || quantity->shape == SHAPE_LINEAR;
    }
    return status;
}

/* --held and --wrench */
static int read_grasp(compute_job *j)
{
    tool_batch *b = &j->batch;
    const char *link = tool_value(j->call, "held"), *wrench = tool_value(j->call, "wrench");
    if (!asks_for(j, SHAPE_GRASP)) {
        return link == NULL && wrench == NULL
                   ? TOOL_OK
                   : tool_wrong_usage(j->call->command, "--held and --wrench go with --what grasp");
    }
    b->held = link != NULL ? soa_model_find_link(b->model, link) : -1;
    if (b->held < 0) {
        return link == NULL ? tool_wrong_usage(j->call->command, "'grasp' needs the link that is held: '--held LINK'")
                            : tool_fail("--held: there is no link '%s'; 'soa info MODEL' lists them", link);
    }
    if (wrench != NULL) {
        const int n = tool_read_numbers("wrench", wrench, 6, j->wrench);
        b->wrench = j->wrench;
        return n == 6  ? TOOL_OK
               : n < 0 ? TOOL_FAILED
                       : tool_fail("--wrench has %d numbers; give moment and force, 6", n);
    }
    return TOOL_OK;
}

static void end_job(compute_job *j)
{
    tool_system_end(&j->system);
    if (j->batch.jacobian_points.all_links) {
        tool_points_free(&j->batch.jacobian_points);
    }
    tool_points_free(&j->batch.points);
    tool_states_close(&j->states);
    soa_workspace_free(j->batch.workspace);
    soa_forces_free(j->batch.forces);
    free(j->block);
}

/* ---- computing ----------------------------------------------------------------------------- */

/* The library counts the states of a batch, the user those of the file. */
static int fail_batch(const compute_job *j, const soa_error *error)
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
static int check_finite(const compute_job *j, int quantity)
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

/* Where the numbers of a state of the batch are. */
static void arrays_of(const tool_batch *b, int s, double *to[TOOL_ARRAYS])
{
    const size_t v = (size_t)s * (size_t)b->nv;
    to[TOOL_Q] = b->q + (size_t)s * (size_t)b->nq;
    to[TOOL_V] = b->v + v;
    to[TOOL_TAU] = b->tau + v;
    to[TOOL_VDOT] = b->vdot + v;
}

/* Reads a state. Random ones of a system are made to satisfy its closures; some cannot be. */
static int read_state(compute_job *j, int s)
{
    enum { TRIES = 20 };
    tool_batch *b = &j->batch;
    double *to[TOOL_ARRAYS];
    arrays_of(b, s, to);
    for (int i = 0; i < TRIES; i++) {
        const int status = tool_states_next(&j->states, b->first + s, to);
        if (status != TOOL_OK || b->system == NULL || !j->states.random ||
            tool_close_state(b->model, b->system->set, to[TOOL_Q], NULL)) {
            return status;
        }
    }
    return tool_fail("state %d: no random state was found that satisfies the closures; give one by --states or --from",
        b->first + s);
}

/* All quantities of a system, state after state. */
static soa_status compute_system(compute_job *j, int *failed, soa_error *error)
{
    tool_batch *b = &j->batch;
    soa_status status = SOA_OK;
    b->system->first = b->first;
    for (int s = 0; s < b->states && status == SOA_OK; s++) {
        double *to[TOOL_ARRAYS];
        arrays_of(b, s, to);
        *failed = s;
        status = tool_system_set(b->system, s, !j->states.random, to, error);
        for (int i = 0; i < j->count && status == SOA_OK; i++) {
            const tool_quantity *quantity = j->quantity[i];
            double *own = j->value[i] + (quantity->shape == SHAPE_OSIM ? (size_t)s * tool_quantity_size(b, quantity) / 2
                                                                       : (size_t)s * tool_quantity_size(b, quantity));
            status = quantity->system != NULL ? quantity->system(b, s, own, error) : SOA_OK;
        }
    }
    return status;
}

/* The states from `first` on, as many as fit. */
int compute_batch(compute_job *j, int first)
{
    tool_batch *b = &j->batch;
    const int left = j->states.count - first;
    soa_error error;
    b->first = first;
    b->states = left < j->chunk ? left : j->chunk;
    for (int s = 0; s < b->states; s++) {
        const int status = read_state(j, s);
        if (status != TOOL_OK) {
            return status;
        }
    }
    soa_error_clear(&error);
    int failed = 0;
    if (b->system != NULL && compute_system(j, &failed, &error) != SOA_OK) {
        error.state = failed;
        return fail_batch(j, &error);
    }
    if (tool_forces_place(b, &error) != SOA_OK) {
        return fail_batch(j, &error);
    }
    for (int i = 0; i < j->count; i++) {
        const tool_quantity *quantity = j->quantity[i];
        if ((b->system == NULL || quantity->system == NULL) &&
            quantity->run(b, quantity->method, j->value[i], &error) != SOA_OK) {
            return fail_batch(j, &error);
        }
        const int status = check_finite(j, i);
        if (status != TOOL_OK) {
            return status;
        }
    }
    return TOOL_OK;
}

/* ---- the command ------------------------------------------------------------------------------- */

/* --step */
static int read_step(compute_job *j)
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

static int run_job(compute_job *j)
{
    int status = read_step(j);
    j->batch.minimal = tool_value(j->call, "minimal") != NULL;
    if (status == TOOL_OK && j->batch.minimal && !asks_for(j, SHAPE_LINEAR)) {
        return tool_wrong_usage(j->call->command, "--minimal goes with --what linear");
    }
    status = status == TOOL_OK ? read_grasp(j) : status;
    status = status == TOOL_OK ? make_points(j) : status;
    make_chunk(j);
    status = status == TOOL_OK ? make_system(j) : status;
    status = status == TOOL_OK ? make_room(j) : status;
    status = status == TOOL_OK ? make_workspace(j) : status;
    if (status != TOOL_OK) {
        return status;
    }
    status = tool_forces_begin(j->call, &j->batch);
    return status == TOOL_OK ? compute_write(j) : status;
}

int tool_compute(tool_call *call)
{
    compute_job j = { .call = call };
    soa_model *model = NULL;
    int status = tool_quantities_get(call, tool_value(call, "what"), j.quantity, &j.count);
    status = status == TOOL_OK ? tool_load_based(call, call->operand[0], &model) : status;
    status = status == TOOL_OK ? tool_states_open(call, model, false, &j.states) : status;
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
