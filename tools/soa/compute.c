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
    { "no-forces", 0, NULL, "leave out springs, damping and dry friction of the joints, and elastic forces" },
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

static void make_room(compute_job *j)
{
    tool_batch *b = &j->batch;
    const size_t size = state_size(j);
    const size_t states = (size_t)(j->chunk > 0 ? j->chunk : 1);
    double *at = TOOL_MEMORY.allocate(NULL, states * size * sizeof *at);
    if (at == NULL) {
        tool_fail("out of memory: one state takes %zu numbers; ask for less", size);
    }
    b->q = memset(at, 0, states * size * sizeof *at);
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

static void make_points(compute_job *j)
{
    tool_batch *b = &j->batch;
    tool_points_get(j->call, b->model, &b->points);
    if (b->points.count == 0 && asks_for(j, SHAPE_OSIM)) {
        tool_wrong_usage(j->call->command, "'osim' needs the points; give '--at LINK' for each");
    }
    b->jacobian_points = b->points;
    if (b->points.count == 0 && asks_for(j, SHAPE_JACOBIAN)) {
        tool_points_links(b->model, &b->jacobian_points);
    }
}

static void make_workspace(compute_job *j)
{
    tool_batch *b = &j->batch;
    tool_must(soa_workspace_new(b->model, &TOOL_MEMORY, &b->workspace, tool_error()));
    tool_must(soa_workspace_reserve(b->workspace, b->points.count, tool_error()));
}

/* ---- the system ----------------------------------------------------------------------------- */

/* Couplings and closures act unless they are to be left out. */
static void make_system(compute_job *j)
{
    tool_batch *b = &j->batch;
    const bool constrained = soa_model_couplings(b->model) + tool_closures_on(b->model) > 0;
    const bool open = tool_value(j->call, "open") != NULL;
    for (int i = 0; i < j->count; i++) {
        if (constrained && !open && j->quantity[i]->method != SOA_FD_FASTEST) {
            tool_wrong_usage(j->call->command,
                "'%s' is an algorithm of trees and the model has closures or couplings; ask for 'fd', or give '--open'",
                j->quantity[i]->word);
        }
        if ((!constrained || open) && j->quantity[i]->run == NULL) {
            tool_wrong_usage(
                j->call->command, "'%s' needs closures%s", j->quantity[i]->word, open ? "; leave out --open" : "");
        }
    }
    if (open) {
        tool_note_open(j->call, b->model, "every quantity");
    }
    if (!constrained || open) {
        return;
    }
    b->system = &j->system;
    j->states.follow = true;
    j->states.missing = true;
    tool_system_begin(j->call, b->model, j->chunk > 0 ? j->chunk : 1, &j->system);
    for (int i = 0; i < j->count; i++) {
        const tool_quantity *quantity = j->quantity[i];
        j->system.minds_vdot = j->system.minds_vdot || strcmp(quantity->word, "id") == 0 ||
                               quantity->shape == SHAPE_BODIES || quantity->shape == SHAPE_LINEAR;
    }
}

/* --held and --wrench */
static void read_grasp(compute_job *j)
{
    tool_batch *b = &j->batch;
    const char *link = tool_value(j->call, "held"), *wrench = tool_value(j->call, "wrench");
    if (!asks_for(j, SHAPE_GRASP) && link == NULL && wrench == NULL) {
        return;
    }
    if (!asks_for(j, SHAPE_GRASP)) {
        tool_wrong_usage(j->call->command, "--held and --wrench go with --what grasp");
    }
    if (link == NULL) {
        tool_wrong_usage(j->call->command, "'grasp' needs the link that is held: '--held LINK'");
    }
    b->held = soa_model_find_link(b->model, link);
    if (b->held < 0) {
        tool_fail("--held: there is no link '%s'; 'soa info MODEL' lists them", link);
    }
    const int n = wrench != NULL ? tool_read_numbers("wrench", wrench, 6, j->wrench) : 6;
    if (n != 6) {
        tool_fail("--wrench has %d numbers; give moment and force, 6", n);
    }
    b->wrench = wrench != NULL ? j->wrench : NULL;
}

/* ---- computing ----------------------------------------------------------------------------- */

/* Numbers beyond the range of doubles do not pass silently; a missing inertia has its own note. */
static void check_finite(const compute_job *j, int quantity)
{
    const tool_batch *b = &j->batch;
    size_t size = tool_quantity_size(b, j->quantity[quantity]);
    if (j->quantity[quantity]->shape == SHAPE_OSIM) {
        size /= 2;
    }
    for (size_t i = 0; i < size * (size_t)b->states; i++) {
        if (!isfinite(j->value[quantity][i])) {
            tool_fail("'%s' has no finite value in the states %d to %d; look for huge numbers, or for a model "
                      "without mass",
                j->quantity[quantity]->word, b->first, b->first + b->states - 1);
        }
    }
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
static void read_state(compute_job *j, int s)
{
    enum { TRIES = 20 };
    tool_batch *b = &j->batch;
    double *to[TOOL_ARRAYS];
    arrays_of(b, s, to);
    for (int i = 0; i < TRIES; i++) {
        tool_states_next(&j->states, b->first + s, to);
        if (b->system == NULL || !j->states.random || tool_close_state(b->model, b->system->set, to[TOOL_Q], NULL)) {
            return;
        }
    }
    tool_fail("state %d: no random state was found that satisfies the closures; give one by --states or --from",
        b->first + s);
}

/* All quantities of a system, state after state. */
static void compute_system(compute_job *j)
{
    tool_batch *b = &j->batch;
    b->system->first = b->first;
    for (int s = 0; s < b->states; s++) {
        double *to[TOOL_ARRAYS];
        arrays_of(b, s, to);
        tool_system_set(b->system, s, !j->states.random, to);
        for (int i = 0; i < j->count; i++) {
            const tool_quantity *quantity = j->quantity[i];
            const size_t before = (size_t)s * tool_quantity_size(b, quantity);
            if (quantity->system != NULL) {
                quantity->system(b, s, j->value[i] + (quantity->shape == SHAPE_OSIM ? before / 2 : before));
            }
        }
    }
}

/* The states from `first` on, as many as fit. */
void compute_batch(compute_job *j, int first)
{
    tool_batch *b = &j->batch;
    const int left = j->states.count - first;
    b->first = first;
    b->states = left < j->chunk ? left : j->chunk;
    for (int s = 0; s < b->states; s++) {
        read_state(j, s);
    }
    if (b->system != NULL) {
        compute_system(j);
    }
    tool_forces_place(b);
    for (int i = 0; i < j->count; i++) {
        const tool_quantity *quantity = j->quantity[i];
        if (b->system == NULL || quantity->system == NULL) {
            quantity->run(b, quantity->method, j->value[i]);
        }
        check_finite(j, i);
    }
}

/* ---- the command ------------------------------------------------------------------------------- */

/* --step */
static void read_step(compute_job *j)
{
    const char *text = tool_value(j->call, "step");
    char *end = NULL;
    if (text == NULL) {
        return;
    }
    if (!asks_for(j, SHAPE_LINEAR)) {
        tool_wrong_usage(j->call->command, "--step goes with --what linear");
    }
    j->batch.step = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(j->batch.step) || j->batch.step <= 0.0) {
        tool_wrong_usage(j->call->command, "--step '%s': give a time in seconds, above 0", text);
    }
}

static void run_job(compute_job *j)
{
    read_step(j);
    j->batch.minimal = tool_value(j->call, "minimal") != NULL;
    if (j->batch.minimal && !asks_for(j, SHAPE_LINEAR)) {
        tool_wrong_usage(j->call->command, "--minimal goes with --what linear");
    }
    read_grasp(j);
    make_points(j);
    make_chunk(j);
    make_system(j);
    make_room(j);
    make_workspace(j);
    tool_forces_begin(j->call, &j->batch);
    compute_write(j);
}

void tool_compute(tool_call *call)
{
    compute_job j = { .call = call };
    tool_quantities_get(call, tool_value(call, "what"), j.quantity, &j.count);
    soa_model *model = tool_load_based(call, call->operand[0]);
    tool_states_open(call, model, false, &j.states);
    j.batch.model = model;
    j.batch.nq = soa_model_nq(model);
    j.batch.nv = soa_model_nv(model);
    j.batch.links = soa_model_links(model);
    run_job(&j);
}
