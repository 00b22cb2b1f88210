/* bench.c - soa bench: the speed of every algorithm. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "soa/dynamics.h"

const tool_option TOOL_BENCH_OPTIONS[] = {
    { "json", 0, NULL, "the figures as JSON" },
    { "only", 0, "ALGORITHM", "only this one, or several: a,b,c" },
    { "lanes", 0, "N", "only with N states at a time: 1, 4 or 8" },
    { "threads", 0, "N", "also batches over N threads" },
    { "states", 0, "N", "batches of N states instead of as many as stay in the caches" },
    { "growth", 0, NULL, "chains and random trees of 10 to 1000000 bodies" },
    { "seconds", 's', "S", "time for each figure; 0.1 if not given" },
    { "seed", 0, "N", "the seed of the random states; 1 if not given" },
    { NULL, 0, NULL, NULL },
};

#define BUILTIN "builtin:"

static const char *const MODEL[] = { BUILTIN "arm6", BUILTIN "arm7", BUILTIN "quadruped", BUILTIN "humanoid",
    BUILTIN "dual-arm", BUILTIN "hexapod", BUILTIN "chain:1000", BUILTIN "tree:1000,1",
    BUILTIN "flexible-chain:20,10" };
static const char *const GROWTH[] = { BUILTIN "chain:10", BUILTIN "chain:100", BUILTIN "chain:1000",
    BUILTIN "chain:10000", BUILTIN "chain:100000", BUILTIN "chain:1000000", BUILTIN "tree:10,1", BUILTIN "tree:100,1",
    BUILTIN "tree:1000,1", BUILTIN "tree:10000,1", BUILTIN "tree:100000,1", BUILTIN "tree:1000000,1" };
static const char *const GROWTH_ALGORITHM = "inverse-dynamics,forward-dynamics";

/* What one body needs of memory, at most, while its model is made and run. */
#define BODY_BYTES 4096.0

enum { MOST_LANES = 8, LANE_CHOICES = 4, MOST_ALGORITHMS = 32, MOST_THREADS = 1024, MOST_STATES = 100000000 };

typedef struct bench_plan {
    const char *const *model;
    int models;
    const bench_algorithm *algorithm[MOST_ALGORITHMS];
    int algorithms;
    int lanes;  /* 0: all that are to be had */
    int states; /* of a batch; 0: not said */
    double seconds;
    int done; /* models, for the progress */
} bench_plan;

/* ---- arguments --------------------------------------------------------------------------- */

static bool is_file(const char *source)
{
    return strncmp(source, BUILTIN, strlen(BUILTIN)) != 0;
}

TOOL_ENDS static void wrong_algorithm(const tool_call *call, const char *name, size_t length)
{
    char names[480] = "";
    for (int i = 0; i < bench_algorithms(); i++) {
        strncat(names, i == 0 ? "" : " ", sizeof names - strlen(names) - 1);
        strncat(names, bench_algorithm_at(i)->name, sizeof names - strlen(names) - 1);
    }
    tool_wrong_usage(
        call->command, "'%.*s' is not an algorithm; choose from %s", (int)(length > 80 ? 80 : length), name, names);
}

/* Each algorithm of the comma list once, in the order of the table. */
static void choose_algorithms(const tool_call *call, const char *list, bench_plan *plan)
{
    bool chosen[MOST_ALGORITHMS] = { false };
    for (const char *name = list; name != NULL;) {
        const size_t length = strcspn(name, ",");
        bool found = false;
        for (int i = 0; i < bench_algorithms(); i++) {
            const char *known = bench_algorithm_at(i)->name;
            if (strlen(known) == length && strncmp(known, name, length) == 0) {
                chosen[i] = found = true;
            }
        }
        if (!found) {
            wrong_algorithm(call, name, length);
        }
        name = name[length] == ',' ? name + length + 1 : NULL;
    }
    for (int i = 0; i < bench_algorithms(); i++) {
        if (list == NULL || chosen[i]) {
            plan->algorithm[plan->algorithms++] = bench_algorithm_at(i);
        }
    }
}

/* A number of the option, or what it is without it. */
static double read_number(const tool_call *call, const char *option, double least, double most, double usual)
{
    const char *text = tool_value(call, option);
    char *end = NULL;
    const double value = text != NULL ? strtod(text, &end) : usual;
    if (text != NULL && (end == text || *end != '\0' || !(value >= least && value <= most))) {
        tool_wrong_usage(call->command, "--%s: '%s' is not a number from %g to %g", option, text, least, most);
    }
    return value;
}

static double read_whole(const tool_call *call, const char *option, double least, double most, double usual)
{
    const double value = read_number(call, option, least, most, usual);
    if (value != floor(value)) {
        tool_wrong_usage(call->command, "--%s: '%s' is not a whole number", option, tool_value(call, option));
    }
    return value;
}

static int read_lanes(const tool_call *call)
{
    const char *text = tool_value(call, "lanes");
    int lanes = 0;
    for (int n = 1; n <= MOST_LANES && text != NULL; n *= 2) {
        const char digit[] = { (char)('0' + n), '\0' };
        lanes = strcmp(text, digit) == 0 ? n : lanes;
    }
    if (text != NULL && lanes == 0) {
        tool_wrong_usage(call->command, "--lanes: '%s' is not 1, 4 or 8", text);
    }
    return lanes;
}

static void make_plan(const tool_call *call, bench_plan *plan, bench_report *report)
{
    report->growth = tool_value(call, "growth") != NULL;
    if (report->growth && call->operands > 0) {
        tool_wrong_usage(call->command, "--growth brings its own models; leave out '%s'", call->operand[0]);
    }
    if (report->growth && tool_value(call, "threads") != NULL) {
        tool_wrong_usage(call->command, "--growth is measured by one thread; leave out --threads");
    }
    if (report->growth) {
        plan->model = GROWTH;
        plan->models = (int)(sizeof GROWTH / sizeof GROWTH[0]);
    } else if (call->operands > 0) {
        plan->model = (const char *const *)call->operand;
        plan->models = call->operands;
    } else {
        plan->model = MODEL;
        plan->models = (int)(sizeof MODEL / sizeof MODEL[0]);
    }
    const char *only = tool_value(call, "only");
    choose_algorithms(call, only == NULL && report->growth ? GROWTH_ALGORITHM : only, plan);
    plan->lanes = read_lanes(call);
    report->threads = (int)read_whole(call, "threads", 1.0, MOST_THREADS, 1.0);
    plan->states = (int)read_whole(call, "states", 1.0, MOST_STATES, 0.0);
    plan->seconds = read_number(call, "seconds", 1e-6, 3600.0, 0.1);
    report->seed = (unsigned long long)read_whole(call, "seed", 0.0, 9007199254740991.0, 1.0);
    if (report->growth && plan->lanes == 0) {
        plan->lanes = 1;
    }
}

/* ---- measuring --------------------------------------------------------------------------- */

/* On a terminal, what is being measured; NULL: nothing any more. */
static void show_progress(const bench_plan *plan, const bench_result *r)
{
    if (isatty(STDERR_FILENO) != 1) {
        return;
    }
    if (r == NULL) {
        fputs("\r\033[K", stderr);
    } else {
        fprintf(stderr, "\r\033[K%d/%d %s: %s, %d lane%s, %d thread%s", plan->done + 1, plan->models,
            tool_clean(r->model), r->algorithm->name, r->lanes, r->lanes == 1 ? "" : "s", r->threads,
            r->threads == 1 ? "" : "s");
    }
    fflush(stderr);
}

/* Which lanes are measured: those asked for, or all there are. */
static bool wants_lanes(const bench_plan *plan, const bench_case *c, const bench_algorithm *algorithm, int lanes)
{
    if (algorithm->needs == BENCH_FILE) {
        return lanes == 1 && is_file(c->source);
    }
    if (algorithm->needs == BENCH_LOOPS && c->closures == NULL) {
        return false;
    }
    if (plan->lanes != 0) {
        return lanes == plan->lanes;
    }
    if (algorithm->needs == BENCH_LOOPS) {
        return soa_closures_set_lanes(c->closures, lanes, NULL) == SOA_OK;
    }
    return soa_workspace_set_lanes(c->workspace, lanes, NULL) == SOA_OK;
}

static void measure_one(const bench_plan *plan, bench_case *c, const bench_algorithm *algorithm, int lanes, int threads,
    bench_report *report)
{
    bench_result *r = &report->result[report->results++];
    *r = (bench_result){
        .model = is_file(c->source) ? c->source : c->source + strlen(BUILTIN),
        .bodies = soa_model_bodies(c->model),
        .nv = soa_model_nv(c->model),
        .algorithm = algorithm,
        .lanes = lanes,
        .threads = threads,
    };
    show_progress(plan, r);
    bench_measure(c, plan->seconds, r);
}

/* One thread with each number of lanes, then all threads with the most of them. */
static void measure_algorithm(
    const bench_plan *plan, bench_case *c, const bench_algorithm *algorithm, bench_report *report)
{
    int most = 0;
    for (int lanes = 1; lanes <= MOST_LANES; lanes *= 2) {
        if (wants_lanes(plan, c, algorithm, lanes)) {
            measure_one(plan, c, algorithm, lanes, 1, report);
            most = lanes;
        }
    }
    if (c->batch != NULL && most > 0 && algorithm->needs != BENCH_FILE && algorithm->needs != BENCH_LOOPS) {
        measure_one(plan, c, algorithm, most, report->threads, report);
    }
}

static void measure_model(const bench_plan *plan, bench_case *c, bench_report *report)
{
    for (int a = 0; a < plan->algorithms; a++) {
        measure_algorithm(plan, c, plan->algorithm[a], report);
    }
}

/* A model of --growth that is too large for this machine gets reasons, no figures. */
static bool lacks_memory(const bench_plan *plan, const char *source, bench_report *report)
{
    const char *name = source + strlen(BUILTIN);
    const double bodies = strtod(strchr(name, ':') + 1, NULL), memory = bench_memory();
    if (memory == 0.0 || BODY_BYTES * bodies <= memory) {
        return false;
    }
    for (int a = 0; a < plan->algorithms; a++) {
        bench_result *r = &report->result[report->results++];
        *r = (bench_result){
            .model = name, .bodies = (int)bodies, .algorithm = plan->algorithm[a], .lanes = plan->lanes, .threads = 1
        };
        snprintf(r->reason, sizeof r->reason, "it may need %.1f GB of memory, %.1f are free", BODY_BYTES * bodies / 1e9,
            memory / 1e9);
    }
    return true;
}

static void measure_all(bench_plan *plan, bench_report *report)
{
    for (; plan->done < plan->models; plan->done++) {
        const char *source = plan->model[plan->done];
        bench_case c;
        if (report->growth && lacks_memory(plan, source, report)) {
            continue;
        }
        bench_open(source, report->seed, report->threads, plan->states, &c);
        measure_model(plan, &c, report);
        bench_close(&c);
    }
    show_progress(plan, NULL);
}

/* A request that gave no figure at all has failed. */
static void check_results(const bench_report *report)
{
    for (int i = 0; i < report->results; i++) {
        if (report->result[i].reason[0] == '\0') {
            return;
        }
    }
    if (report->results == 0) {
        tool_fail("nothing to measure: 'loading' needs a file, 'closed-forward-dynamics' a model with closures");
    }
    tool_fail("%s: %s", report->result[0].model, report->result[0].reason);
}

void tool_bench(tool_call *call)
{
    bench_plan plan = { 0 };
    bench_report report = { 0 };
    make_plan(call, &plan, &report);
    const size_t most = (size_t)plan.models * (size_t)plan.algorithms * (LANE_CHOICES + 1);
    report.result = tool_take(most, sizeof *report.result);
    measure_all(&plan, &report);
    check_results(&report);
    if (tool_value(call, "json") != NULL) {
        bench_print_json(call, &report);
    } else {
        bench_print(call, &report);
    }
}
