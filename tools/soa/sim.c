/* sim.c - soa sim: a scenario simulated and recorded. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "module.h"
#include "sim_job.h"
#include "soa/io.h"
#include "vary.h"
#include "view.h"

const tool_option TOOL_SIM_OPTIONS[] = {
    { "out", 'o', "DIR", "where to write the recording and summary.json" },
    { "format", 0, "LIST", "formats of the recording, with commas: csv, npz, hdf5; csv if not given" },
    { "checkpoint", 0, "S", "seconds by the clock between checkpoints in DIR; 10 if not given, 0: none" },
    { "resume", 0, NULL, "go on from the checkpoint in DIR, if there is one" },
    { "check", 0, NULL, "read and check the scenario only" },
    { "json", 0, NULL, "the summary as JSON on standard output" },
    { "schema", 0, NULL, "a JSON schema of scenario files, for editors, on standard output" },
    { "jit", 0, NULL, "forward dynamics as code for this model, compiled with cc; equal to 1e-13, not to the bit" },
    { "view", 0, NULL, "show the motion in a browser; the page is DIR/view.html" },
    { NULL, 0, NULL, NULL },
};

static volatile sig_atomic_t interrupted;

/* The run ends at its next row; asked once more, at once. */
static void interrupt(int number)
{
    interrupted = 1;
    signal(number, SIG_DFL);
}

static void catch_interrupts(void (*handler)(int))
{
    signal(SIGINT, handler);
    signal(SIGTERM, handler);
    signal(SIGHUP, handler);
}

double tool_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- which signals ---------------------------------------------------------------------------- */

bool tool_is_recorded(const soa_scenario *scenario, const char *name)
{
    for (int i = 0; i < soa_scenario_signals(scenario); i++) {
        const char *word = soa_scenario_signal(scenario, i);
        const size_t n = strlen(word);
        if (strncmp(name, word, n) == 0 && (name[n] == '\0' || name[n] == '.')) {
            return true;
        }
    }
    return false;
}

static void choose_columns(sim_job *j)
{
    const size_t signals = (size_t)soa_sim_signals(j->sim);
    j->column = tool_take(signals + 1, sizeof *j->column);
    j->name = tool_take(signals + 1, sizeof *j->name);
    j->row = tool_take(signals + 1, sizeof *j->row);
    for (int i = 0; i < (int)signals; i++) { /* the first signal is the time */
        const char *name = soa_sim_signal_name(j->sim, i);
        if (i == 0 || tool_is_recorded(j->scenario, name)) {
            j->name[j->columns] = name;
            j->column[j->columns++] = i;
        }
    }
}

/* The contacts: closures with a margin. */
static void choose_margins(sim_job *j)
{
    const soa_closures *set = soa_sim_closures(j->sim);
    const int count = set != NULL ? soa_closures_count(set) : 0;
    j->margin = tool_take((size_t)count + 1, sizeof *j->margin);
    for (int i = 0; i < count; i++) {
        const int signal = soa_sim_signal_find(j->sim, tool_text("closure.%s.margin", soa_closure_name(set, i)));
        if (signal >= 0) {
            j->margin[j->margins++] = (sim_margin){ .closure = i, .signal = signal, .least = HUGE_VAL };
        }
    }
}

/* After the signals of a row were asked for. */
static void look_at_margins(sim_job *j, const double *value)
{
    const soa_closures *set = soa_sim_closures(j->sim);
    for (int i = 0; i < j->margins; i++) {
        soa_closure_load load;
        sim_margin *m = &j->margin[i];
        if (value[m->signal] < m->least && soa_closure_enabled(set, m->closure) &&
            soa_closure_force(set, m->closure, &load, NULL) == SOA_OK && load.contact) {
            m->least = value[m->signal];
            m->t = soa_sim_time(j->sim);
        }
    }
}

/* ---- the run ------------------------------------------------------------------------------------- */

static void write_row(sim_job *j)
{
    soa_error error;
    if (j->out == NULL && j->margins == 0) {
        return;
    }
    const double *value = soa_sim_signal_values(j->sim, &error);
    if (value == NULL) {
        tool_fail("at t = %g: %s", soa_sim_time(j->sim), error.text);
    }
    look_at_margins(j, value);
    for (int i = 0; i < j->columns; i++) {
        j->row[i] = value[j->column[i]];
    }
    record_row(&j->rows, j->row);
}

static void show_progress(const sim_job *j, bool last)
{
    static double shown, first;
    const double t = soa_sim_time(j->sim), end = soa_scenario_duration(j->scenario), wall = tool_clock() - j->began;
    if (!isatty(STDERR_FILENO) || (!last && tool_clock() - shown < 0.1)) {
        return;
    }
    first = shown == 0.0 ? t : first; /* where a resumed run begins */
    shown = tool_clock();
    const int bar = 30, full = (int)(bar * fmin(t / end, 1.0));
    fprintf(stderr, "\r[%.*s%*s] %3.0f %%, t = %.3f s, %.3g times real time, %.0f s left \033[K", full,
        "##############################", bar - full, "", 100.0 * fmin(t / end, 1.0), t, (t - first) / fmax(wall, 1e-9),
        t > first ? wall * (end - t) / (t - first) : 0.0);
    fputs(last ? "\r\033[K" : "", stderr);
}

/* What happens between rows, by the clock: the file gets what waits, and now and then a checkpoint. */
static void look_at_clock(sim_job *j)
{
    static double flushed, saved;
    const double now = tool_clock();
    flushed = fmax(flushed, j->began);
    saved = fmax(saved, j->began);
    show_progress(j, false);
    if (j->out != NULL && j->interval > 0.0 && now - saved > j->interval) {
        sim_checkpoint_write(j);
        saved = flushed = tool_clock();
    } else if (now - flushed > 0.5) {
        flushed = now;
        record_flush(&j->rows, false);
    }
}

static void run_rows(sim_job *j)
{
    const double end = soa_scenario_duration(j->scenario), every = soa_scenario_every(j->scenario);
    soa_error error;
    if (j->next == 0) {
        write_row(j);
        j->next = 1;
    }
    while (soa_sim_time(j->sim) < end) {
        const double next = (double)j->next * every;
        const double t = next < end * (1.0 - 1e-12) ? next : end;
        if (soa_sim_advance(j->sim, t, &error) != SOA_OK) {
            tool_say("at t = %.9g: %s", soa_sim_time(j->sim), error.text);
            record_flush(&j->rows, false);
            tool_end(TOOL_FAILED);
        }
        write_row(j);
        j->next++;
        if (soa_sim_stopped(j->sim) || interrupted) {
            j->status = interrupted && soa_sim_time(j->sim) < end ? "interrupted" : j->status;
            j->status = soa_sim_stopped(j->sim) ? "stopped" : j->status;
            break;
        }
        look_at_clock(j);
    }
    show_progress(j, true);
    record_flush(&j->rows, false);
}

/* The files of the run; a run that is interrupted can be resumed, of a finished one nothing but results stays. */
static void finish(sim_job *j)
{
    const bool interrupted_here = strcmp(j->status, "interrupted") == 0;
    if (j->out != NULL && interrupted_here) {
        sim_checkpoint_write(j);
    }
    record_finish(&j->rows, interrupted_here);
    sim_summarize(j);
    if (!interrupted_here) {
        sim_checkpoint_remove(j);
    }
}

/* ---- the command ---------------------------------------------------------------------------------------- */

/* A new run leaves nothing of one before that could be taken for its own. */
static void clear_folder(const sim_job *j)
{
    static const char *const name[] = { "summary.json", "checkpoint", "result.csv", "result.npy", "result.npz",
        "result.h5", "view.html" };
    for (size_t i = 0; j->out != NULL && i < sizeof name / sizeof name[0]; i++) {
        unlink(record_path(j->out, name[i]));
    }
}

/* Whether the folder holds a run that has come to its end. */
static bool is_finished(const sim_job *j)
{
    struct stat about;
    return stat(record_path(j->out, "summary.json"), &about) == 0 &&
           stat(record_path(j->out, "checkpoint"), &about) != 0;
}

static void open_rows(sim_job *j)
{
    bool found = false;
    off_t csv_bytes = 0;
    j->rows.folder = j->out;
    j->rows.columns = j->columns;
    j->rows.name = j->name;
    sim_find_origin(j);
    if (j->resume) {
        found = sim_checkpoint_read(j, &csv_bytes);
        if (!found) {
            tool_note(j->call, "%s holds no checkpoint: the run starts from the beginning", j->out);
        }
    }
    if (!found) {
        clear_folder(j);
    }
    record_open(&j->rows, found, csv_bytes);
}

static void run_job(void *context)
{
    sim_job *j = context;
    soa_sim_setup setup = *soa_scenario_setup(j->scenario);
    char why[SOA_ERROR_TEXT];
    if (tool_value(j->call, "jit") != NULL) {
        setup.forward = module_compile_forward(soa_scenario_model(j->scenario), why, sizeof why);
        j->compiled = setup.forward != NULL;
    }
    tool_must(soa_sim_new(soa_scenario_model(j->scenario), &setup, &TOOL_MEMORY, &j->sim, tool_error()));
    choose_columns(j);
    choose_margins(j);
    sim_momentum(j, j->momentum);
    open_rows(j);
    catch_interrupts(interrupt);
    j->began = tool_clock();
    j->status = "finished";
    run_rows(j);
    catch_interrupts(SIG_DFL);
    finish(j);
}

static void read_options(sim_job *j)
{
    const char *format = tool_value(j->call, "format"), *text = tool_value(j->call, "checkpoint");
    j->interval = 10.0;
    j->resume = tool_value(j->call, "resume") != NULL;
    j->out = tool_value(j->call, "out");
    if (j->out == NULL && tool_value(j->call, "view") != NULL) {
        j->out = view_folder();
    }
    if (text != NULL) {
        char *end;
        j->interval = strtod(text, &end);
        if (end == text || *end != '\0' || !(j->interval >= 0.0 && j->interval <= 1e9)) {
            tool_wrong_usage(j->call->command, "--checkpoint '%s': give seconds, or 0 for none", text);
        }
    }
    if (j->out == NULL && (format != NULL || text != NULL || j->resume)) {
        tool_wrong_usage(j->call->command, "--format, --checkpoint and --resume need --out DIR");
    }
    j->rows.formats = record_formats(format != NULL ? format : "csv");
}

static void put_schema(const tool_call *call)
{
    char *schema = NULL;
    tool_must(soa_scenario_schema(&TOOL_MEMORY, &schema, tool_error()));
    fputs(schema, call->out);
}

void tool_sim(tool_call *call)
{
    const bool schema = tool_value(call, "schema") != NULL;
    sim_job j = { .call = call };
    if (schema && call->operands == 0) {
        put_schema(call);
        return;
    }
    if (call->operands == 0 || schema) {
        tool_wrong_usage(call->command, "give a SCENARIO.yaml, or --schema alone");
    }
    read_options(&j);
    j.scenario = module_scenario(call->operand[0]);
    const soa_sim_method method = soa_scenario_setup(j.scenario)->method;
    if (j.resume && soa_sim_method_outside(method)) {
        tool_fail(
            "%s: method %s cannot be resumed: its history is not saved", call->operand[0], soa_sim_method_text(method));
    }
    if (tool_value(call, "check") != NULL) {
        fprintf(call->out, "%s: the scenario is valid: %g s by %s\n", call->operand[0],
            soa_scenario_duration(j.scenario), soa_sim_method_text(method));
    } else if (j.resume && is_finished(&j)) {
        fprintf(call->out, "%s: the run has finished; there is nothing to resume\n", j.out);
    } else {
        const int status = tool_try(run_job, &j);
        soa_sim_free(j.sim); /* an integrator from outside has memory of its own */
        if (status != TOOL_OK) {
            tool_end(status);
        }
        record_close(&j.rows);
        if (tool_value(call, "view") != NULL) {
            view_recording(call, soa_scenario_model(j.scenario), j.out);
        }
    }
}
