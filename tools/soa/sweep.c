/* sweep.c - soa sweep: many runs of a scenario with parameters drawn at random. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "module.h"
#include "record.h"
#include "sweep.h"
#include "sweep_ranks.h"

const tool_option TOOL_SWEEP_OPTIONS[] = {
    { "vary", 0, "PATH=DIST", "a parameter and its distribution; may be repeated" },
    { "runs", 'n', "N", "how many runs" },
    { "seed", 0, "S", "the seed of the random numbers; 1 if not given" },
    { "threads", 't', "N", "threads of each process; as many as there are processors if not given" },
    { "jit", 0, NULL, "forward dynamics as code for the model, compiled with cc, where that is faster than lanes" },
    { "only", 0, "RUN", "this run alone: its numbers and how it ends" },
    { "out", 'o', "DIR", "where to write runs.csv and statistics.json" },
    { NULL, 0, NULL, NULL },
};

/* ---- arguments ------------------------------------------------------------------------------------------ */

static long read_number(const tool_call *call, const char *option, long least, long most, long usual)
{
    const char *text = tool_value(call, option);
    char *end;
    if (text == NULL) {
        return usual;
    }
    errno = 0;
    const long number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || number < least || number > most) {
        tool_wrong_usage(call->command, "--%s '%s': give a whole number from %ld to %ld", option, text, least, most);
    }
    return number;
}

static void read_arguments(sweep_job *j)
{
    const char *text;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN) / sweep_ranks_local();
    j->runs = read_number(j->call, "runs", 1, 100000000, 0);
    j->seed = (unsigned long long)read_number(j->call, "seed", 0, 0x7fffffffffffffffl, 1);
    j->threads = (int)read_number(j->call, "threads", 1, 256, cores < 1 ? 1 : cores);
    for (int i = 0; (text = tool_value_at(j->call, "vary", i)) != NULL; i++) {
        if (j->parameters == MOST_VARIED) {
            tool_wrong_usage(j->call->command, "more than %d parameters vary", MOST_VARIED);
        }
        vary *last = &j->parameter[j->parameters++];
        vary_read(j->call, j->scenario, text, last);
        for (const vary *v = j->parameter; v < last; v++) {
            if (v->length == last->length && strncmp(v->text, text, v->length) == 0) {
                tool_wrong_usage(j->call->command, "--vary %s: it varies already by '%s'", text, v->text);
            }
        }
    }
    if (tool_value(j->call, "runs") == NULL && tool_value(j->call, "only") == NULL) {
        tool_wrong_usage(j->call->command, "say how many runs: -n 1000");
    }
}

/* The signals that the scenario records, without the time. */
static void choose_signals(sweep_job *j)
{
    soa_sim *sim = NULL;
    const soa_model *model = soa_scenario_model(j->scenario);
    tool_must(soa_sim_new(model, soa_scenario_setup(j->scenario), &TOOL_MEMORY, &sim, tool_error()));
    const int all = soa_sim_signals(sim);
    j->signal = tool_take((size_t)all, sizeof *j->signal);
    j->name = tool_take((size_t)all, sizeof *j->name);
    for (int i = 1; i < all; i++) {
        const char *name = soa_sim_signal_name(sim, i);
        if (tool_is_recorded(j->scenario, name)) {
            j->signal[j->signals] = i;
            j->name[j->signals++] = tool_copy(name);
        }
    }
    soa_sim_free(sim);
    j->columns = j->parameters + j->signals + 1;
}

/* ---- rows --------------------------------------------------------------------------------------------------- */

/* runs.csv, which grows block by block, and the statistics, written now and then. */
typedef struct book {
    const sweep_job *job;
    FILE *out;
    char *runs_path, *statistics_path;
    sweep_statistics *statistics;
    long whole; /* bytes of whole rows */
    long taken;
    double began, shown, saved;
} book;

static void put_name(FILE *out, const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        fputc(name[i] == ',' || name[i] == '"' || (unsigned char)name[i] < ' ' ? '_' : name[i], out);
    }
}

static void put_header(const sweep_job *j, FILE *out)
{
    fputs("run", out);
    for (int i = 0; i < j->parameters; i++) {
        fputs(",vary.", out);
        put_name(out, j->parameter[i].text, j->parameter[i].length);
    }
    for (int i = 0; i < j->signals; i++) {
        fputc(',', out);
        put_name(out, j->name[i], strlen(j->name[i]));
    }
    fputs(",t\n", out);
}

static void show_progress(book *b, bool last)
{
    const double now = tool_clock(), part = (double)b->taken / (double)b->job->runs, wall = now - b->began;
    if (!isatty(STDERR_FILENO) || (!last && now - b->shown < 0.1)) {
        return;
    }
    b->shown = now;
    const int bar = 30, full = (int)(bar * part);
    fprintf(stderr, "\r[%.*s%*s] %ld of %ld runs, %.3g a second, %.0f s left \033[K", full,
        "##############################", bar - full, "", b->taken, b->job->runs, (double)b->taken / fmax(wall, 1e-9),
        b->taken > 0 ? wall * (1.0 - part) / part : 0.0);
    fputs(last ? "\r\033[K" : "", stderr);
}

/* After a failure runs.csv ends with its last whole row. */
static void flush_rows(book *b)
{
    if (fflush(b->out) != 0 || ferror(b->out)) {
        const int why = errno;
        const bool cut = ftruncate(fileno(b->out), b->whole) == 0;
        tool_fail("%s: the file cannot be written: %s; it holds the runs before%s", b->runs_path, strerror(why),
            cut ? "" : ", and part of a row");
    }
    b->whole = ftell(b->out);
}

static void take(void *context, const sweep_block *block)
{
    book *b = context;
    const sweep_job *j = b->job;
    for (long i = 0; i < block->count; i++) {
        const double *row = block->number + (size_t)i * (size_t)j->columns;
        const bool good = block->failure[i][0] == '\0';
        fprintf(b->out, "%ld", block->first + i);
        for (int k = 0; k < j->columns; k++) {
            fprintf(b->out, good || k < j->parameters ? ",%.17g" : ",", row[k]);
        }
        fputc('\n', b->out);
        sweep_statistics_add(b->statistics, block->first + i, row, block->failure[i]);
    }
    b->taken += block->count;
    show_progress(b, false);
    flush_rows(b);
    if (tool_clock() - b->saved > 10.0) {
        tool_file_write(b->statistics_path, sweep_statistics_write, b->statistics);
        b->saved = tool_clock();
    }
}

/* ---- the command -------------------------------------------------------------------------------------------- */

/* One run of many, again. */
static void run_one(const sweep_job *j)
{
    const long run = read_number(j->call, "only", 0, 100000000, 0);
    sweep_block block;
    if (!sweep_block_make(j, run, 1, &block)) {
        sweep_block_free(&block);
        tool_fail_memory();
    }
    sweep_block_run(j, &block);
    for (int i = 0; i < j->parameters; i++) {
        fprintf(j->call->out, "%-32.*s %.17g\n", (int)j->parameter[i].length, j->parameter[i].text, block.number[i]);
    }
    for (int i = 0; i < j->signals; i++) {
        fprintf(j->call->out, "%-32s %.17g\n", tool_clean(j->name[i]), block.number[j->parameters + i]);
    }
    const char *failure = tool_copy(block.failure[0]);
    sweep_block_free(&block);
    if (failure[0] != '\0') {
        tool_fail("run %ld: %s", run, failure);
    }
}

static void open_book(book *b, const char *out)
{
    if (mkdir(out, 0777) != 0 && errno != EEXIST) {
        tool_fail("%s: the folder cannot be made: %s", out, strerror(errno));
    }
    b->runs_path = record_path(out, "runs.csv");
    b->statistics_path = record_path(out, "statistics.json");
    b->statistics = sweep_statistics_new(b->job);
    (void)unlink(b->statistics_path);
    b->out = fopen(b->runs_path, "w");
    if (b->out == NULL) {
        tool_fail("%s: the file cannot be written: %s", b->runs_path, strerror(errno));
    }
    put_header(b->job, b->out);
    flush_rows(b);
}

static void run_all(const sweep_job *j, const sweep_ranks *ranks, int *died)
{
    const char *out = tool_value(j->call, "out");
    book b = { .job = j, .began = tool_clock(), .saved = tool_clock() };
    open_book(&b, out);
    sweep_hand_out(j, ranks->size - 1, ranks->socket, take, &b, died);
    const double seconds = tool_clock() - b.began;
    if (b.taken > 0) {
        show_progress(&b, true);
        tool_file_write(b.statistics_path, sweep_statistics_write, b.statistics);
    }
    const long failed = sweep_statistics_failed(b.statistics);
    if (b.taken > 0 && failed == b.taken) {
        tool_fail("%s: all %ld runs failed, the first because of: %s; %s lists them", j->call->operand[0], b.taken,
            sweep_statistics_first_failure(b.statistics), b.statistics_path);
    }
    fprintf(j->call->out, "%ld%s runs in %.3g s, %.3g a second, by %d rank%s of %d thread%s; %ld failed\n", b.taken,
        b.taken < j->runs ? " (interrupted)" : "", seconds, (double)b.taken / fmax(seconds, 1e-9), ranks->size,
        ranks->size == 1 ? "" : "s", j->threads, j->threads == 1 ? "" : "s", failed);
    if (*died > 0) {
        fprintf(j->call->out, "%d rank%s died; the others did the work\n", *died, *died == 1 ? "" : "s");
    }
    fprintf(j->call->out, "wrote %s/runs.csv and %s/statistics.json\n", out, out);
    (void)fclose(b.out);
}

/* A sweep on all ranks. */
typedef struct shared {
    const sweep_job *job;
    sweep_ranks ranks;
    int died;
} shared;

/* On rank 0 hands the work out, on another does what it is given. */
static void work(void *context)
{
    shared *s = context;
    sweep_ranks_begin(&s->ranks);
    if (s->ranks.rank == 0) {
        run_all(s->job, &s->ranks, &s->died);
    } else if (!sweep_serve(s->job, s->ranks.master, &s->died)) {
        tool_end(TOOL_FAILED);
    }
}

static void run_ranks(const sweep_job *j)
{
    shared s = { .job = j };
    if (tool_value(j->call, "out") == NULL) {
        tool_wrong_usage(j->call->command, "say where to write: --out DIR");
    }
    const int status = tool_try(work, &s);
    sweep_ranks_end(&s.ranks, status == TOOL_OK && s.died == 0);
    if (status != TOOL_OK) {
        tool_end(status);
    }
}

void tool_sweep(tool_call *call)
{
    sweep_job j = { .call = call, .scenario = module_scenario(call->operand[0]) };
    char why[SOA_ERROR_TEXT];
    if (tool_value(call, "jit") != NULL && soa_scenario_setup(j.scenario)->method != SOA_RK4) {
        j.forward = module_compile_forward(soa_scenario_model(j.scenario), why, sizeof why); /* rk4 goes in lanes */
    }
    read_arguments(&j);
    choose_signals(&j);
    if (tool_value(call, "only") != NULL) {
        run_one(&j);
    } else {
        run_ranks(&j);
    }
}
