/* bench_measure.c - states of a model, and timing an algorithm on them.
 *
 * Time is that of the processor, not of the clock on the wall: other programs on
 * the machine disturb it less. Of several threads it is that of the wall. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "soa/dynamics.h"

enum {
    MOST_STATES = 256,
    STATES_PER_THREAD = 8,  /* times those of one thread alone: threads are for many states */
    STATE_BODIES = 16384,   /* states times bodies, about */
    MOST_OUTPUTS = 1 << 22, /* numbers of output in a batch, about */
    SAMPLES = 21,           /* unless it is slow */
    FEWEST_SAMPLES = 3,
    MOST_SAMPLES = 2001,
    PATIENCE = 4, /* times the seconds asked for, to reach SAMPLES */
};

#define SAMPLE_NS 2e6

static double now_ns(const bench_result *r)
{
    struct timespec t;
    clock_gettime(r->threads > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* ---- case ------------------------------------------------------------------------------ */

/* The origin of the link of the last body among those with the most bodies inboard. */
static void find_tip(const soa_model *model, soa_point *tip)
{
    const int n = soa_model_bodies(model);
    int *depth = tool_take((size_t)n + 1, sizeof *depth);
    int deepest = 0;
    *tip = (soa_point){ SOA_WORLD, { .rotation = { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } } } };
    for (int k = 0; k < n; k++) {
        const soa_body body = soa_model_body(model, k);
        depth[k] = body.parent == SOA_WORLD ? 1 : depth[body.parent] + 1;
        if (depth[k] >= deepest) {
            deepest = depth[k];
            tip->link = body.link;
        }
    }
    tool_return(depth);
}

/* Whether so many numbers fit into the memory that is free. */
static bool fits(double numbers)
{
    const double memory = bench_memory();
    return memory == 0.0 || numbers * sizeof(double) < memory;
}

static void make_states(bench_case *c, unsigned long long seed)
{
    const size_t nq = (size_t)soa_model_nq(c->model), nv = (size_t)soa_model_nv(c->model), n = (size_t)c->batch_states;
    const size_t numbers = n * (nq + 2 * nv) + 1;
    c->q = fits((double)numbers) ? TOOL_MEMORY.allocate(NULL, numbers * sizeof *c->q) : NULL;
    if (c->q == NULL) {
        tool_fail("out of memory: %d states of '%s' do not fit; ask for fewer", c->batch_states, c->source);
    }
    c->v = c->q + n * nq;
    c->u = c->v + n * nv;
    for (size_t s = 0; s < n; s++) {
        soa_random_configuration(c->model, &seed, c->q + s * nq);
    }
    for (size_t i = 0; i < n * nv; i++) {
        c->v[i] = soa_model_random_number(&seed);
        c->u[i] = soa_model_random_number(&seed);
    }
}

/* How many states one thread, and all threads together, run on. */
static void choose_states(bench_case *c, int asked, int threads)
{
    const int most = soa_workspace_lanes(c->workspace), bodies = soa_model_bodies(c->model);
    const int fit = bodies > 0 ? STATE_BODIES / bodies / most * most : MOST_STATES;
    const int few = fit > MOST_STATES ? MOST_STATES : fit < most ? most : fit;
    c->many = asked > 0;
    c->states = c->many ? asked : few;
    c->batch_states = c->many || threads == 1 ? c->states : STATES_PER_THREAD * threads * c->states;
}

void bench_open(const char *source, unsigned long long seed, int threads, int states, bench_case *c)
{
    *c = (bench_case){ .source = source, .model = tool_load(source) };
    tool_must(soa_workspace_new(c->model, &TOOL_MEMORY, &c->workspace, tool_error()));
    if (threads > 1) {
        tool_must(soa_batch_new(c->model, threads, &TOOL_MEMORY, &c->batch, tool_error()));
    }
    choose_states(c, states, threads);
    find_tip(c->model, &c->tip);
    make_states(c, seed);
    bench_close_loops(c, seed);
}

void bench_close(bench_case *c)
{
    tool_return(c->q);
    tool_return(c->closed_q);
    soa_closures_free(c->closures);
    soa_batch_free(c->batch);
    soa_workspace_free(c->workspace);
    soa_model_free(c->model);
}

/* ---- time ------------------------------------------------------------------------------ */

/* States of one pass: those asked for, or a multiple of the lanes. */
static int pass_states(const bench_case *c, const bench_result *r)
{
    const size_t outputs = r->algorithm->outputs(c->model);
    if (r->algorithm->needs == BENCH_FILE) {
        return 1;
    }
    if (c->many) {
        return c->states;
    }
    const int most = r->threads > 1 ? c->batch_states : c->states, block = r->lanes * r->threads;
    const size_t room = outputs > 0 ? MOST_OUTPUTS / outputs : (size_t)most;
    const int states = room < (size_t)most ? (int)room : most;
    return states < block ? block : states / block * block;
}

typedef struct batch_pass {
    const bench_case *c;
    const bench_algorithm *algorithm;
} batch_pass;

static soa_status run_part(void *context, soa_workspace *workspace, int first, int count, soa_error *error)
{
    const batch_pass *pass = context;
    bench_case part = *pass->c;
    part.workspace = workspace;
    part.y += (size_t)first * pass->algorithm->outputs(part.model);
    return pass->algorithm->run(&part, first, count, error);
}

/* Every state once, one at a time or as a batch. */
static soa_status run_pass(const bench_case *c, const bench_result *r, int states, soa_error *error)
{
    if (r->threads > 1) {
        batch_pass pass = { c, r->algorithm };
        return soa_batch_run(c->batch, states, run_part, &pass, error);
    }
    if (r->lanes > 1) {
        return r->algorithm->run(c, 0, states, error);
    }
    soa_status status = SOA_OK;
    for (int s = 0; s < states && status == SOA_OK; s++) {
        status = r->algorithm->run(c, s, 1, error);
    }
    return status;
}

/* Nanoseconds of so many passes. */
static double time_passes(const bench_case *c, const bench_result *r, int states, int passes)
{
    const double start = now_ns(r);
    for (int i = 0; i < passes; i++) {
        run_pass(c, r, states, NULL);
    }
    return now_ns(r) - start;
}

/* How many passes a sample needs to last long enough; the first ones warm up. */
static int choose_passes(const bench_case *c, const bench_result *r, int states, double wanted)
{
    int passes = 1;
    double ns = time_passes(c, r, states, passes);
    while (ns < wanted && passes < 1 << 24) {
        const double more = ns > 0.0 ? 1.2 * wanted / ns : 10.0;
        passes = (int)((double)passes * (more > 10.0 ? 10.0 : more)) + 1;
        ns = time_passes(c, r, states, passes);
    }
    return passes;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_ns(const bench_case *c, const bench_result *r, int states, double seconds)
{
    double sample[MOST_SAMPLES], spent = 0.0;
    const double short_one = 1e9 * seconds / SAMPLES;
    const int passes = choose_passes(c, r, states, short_one < SAMPLE_NS ? short_one : SAMPLE_NS);
    int n = 0;
    while (n < MOST_SAMPLES) {
        const bool enough = n >= SAMPLES && spent >= 1e9 * seconds;
        const bool slow = n >= FEWEST_SAMPLES && spent >= PATIENCE * 1e9 * seconds;
        if (enough || slow) {
            break;
        }
        sample[n] = time_passes(c, r, states, passes);
        spent += sample[n++];
    }
    qsort(sample, (size_t)n, sizeof sample[0], by_size);
    return sample[n / 2] / ((double)passes * (double)states);
}

/* One state at a time leaves the lanes to the algorithms: some use them for columns of a matrix. */
static soa_status set_lanes(const bench_case *c, const bench_result *r, soa_error *error)
{
    if (r->algorithm->needs == BENCH_LOOPS) {
        return soa_closures_set_lanes(c->closures, r->lanes, error);
    }
    if (r->lanes == 1 && r->threads == 1) {
        for (int most = 8; most > 1; most /= 2) {
            if (soa_workspace_set_lanes(c->workspace, most, NULL) == SOA_OK) {
                return SOA_OK;
            }
        }
    }
    return r->threads > 1 ? soa_batch_set_lanes(c->batch, r->lanes, error)
                          : soa_workspace_set_lanes(c->workspace, r->lanes, error);
}

void bench_measure(bench_case *c, double seconds, bench_result *result)
{
    const bench_algorithm *algorithm = result->algorithm;
    const int most = algorithm->needs == BENCH_DENSE  ? BENCH_DENSE_NV
                     : algorithm->needs == BENCH_CUBE ? BENCH_CUBE_NV
                                                      : result->nv;
    if (result->nv > most) {
        snprintf(result->reason, sizeof result->reason, "nv %d is beyond %d, where no dense output is made", result->nv,
            most);
        return;
    }
    if (algorithm->needs == BENCH_LOOPS && c->closed_states == 0) {
        snprintf(result->reason, sizeof result->reason, "no state that satisfies the closures was found");
        return;
    }
    if (result->threads > 1 && soa_batch_threads(c->batch) != result->threads) {
        snprintf(result->reason, sizeof result->reason, "the library was built without threads");
        return;
    }
    soa_error error;
    soa_error_clear(&error);
    if (set_lanes(c, result, &error) != SOA_OK) {
        soa_error_message(&error, result->reason, sizeof result->reason);
        return;
    }
    result->states = pass_states(c, result);
    const size_t kept = result->lanes > 1 || result->threads > 1 ? (size_t)result->states : 1;
    const size_t numbers = algorithm->outputs(c->model) * kept + 1;
    if (!fits((double)numbers)) {
        snprintf(result->reason, sizeof result->reason, "the results of %d states do not fit into the memory",
            result->states);
        return;
    }
    c->y = tool_take(numbers, sizeof *c->y);
    if (run_pass(c, result, result->states, &error) == SOA_OK) {
        result->ns = median_ns(c, result, result->states, seconds);
    } else {
        soa_error_message(&error, result->reason, sizeof result->reason);
    }
    tool_return(c->y);
    c->y = NULL;
}
