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
    { "format", 0, "LIST", "of the recording: csv (if not given), npz, hdf5, or several with commas" },
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

static int choose_columns(sim_job *j)
{
    const size_t signals = (size_t)soa_sim_signals(j->sim);
    j->column = calloc(signals + 1, sizeof *j->column);
    j->name = calloc(signals + 1, sizeof *j->name);
    j->row = calloc(signals + 1, sizeof *j->row);
    if (j->column == NULL || j->name == NULL || j->row == NULL) {
        return tool_fail_memory();
    }
    for (int i = 0; i < (int)signals; i++) { /* the first signal is the time */
        const char *name = soa_sim_signal_name(j->sim, i);
        if (i == 0 || tool_is_recorded(j->scenario, name)) {
            j->name[j->columns] = name;
            j->column[j->columns++] = i;
        }
    }
    return TOOL_OK;
}

/* The contacts: closures with a margin. */
static int choose_margins(sim_job *j)
{
    const soa_closures *set = soa_sim_closures(j->sim);
    const int count = set != NULL ? soa_closures_count(set) : 0;
    j->margin = calloc((size_t)count + 1, sizeof *j->margin);
    for (int i = 0; j->margin != NULL && i < count; i++) {
        char name[SOA_MAX_NAME + 32];
        snprintf(name, sizeof name, "closure.%s.margin", soa_closure_name(set, i));
        const int signal = soa_sim_signal_find(j->sim, name);
        if (signal >= 0) {
            j->margin[j->margins++] = (sim_margin){ .closure = i, .signal = signal, .least = HUGE_VAL };
        }
    }
    return j->margin != NULL ? TOOL_OK : tool_fail_memory();
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

static int write_row(sim_job *j)
{
    soa_error error;
    if (j->out == NULL && j->margins == 0) {
        return TOOL_OK;
    }
    const double *value = soa_sim_signal_values(j->sim, &error);
    if (value == NULL) {
        return tool_fail("at t = %g: %s", soa_sim_time(j->sim), error.text);
    }
    look_at_margins(j, value);
    for (int i = 0; i < j->columns; i++) {
        j->row[i] = value[j->column[i]];
    }
    return record_row(&j->rows, j->row);
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
static int look_at_clock(sim_job *j, double interval)
{
    static double flushed, saved;
    const double now = tool_clock();
    flushed = fmax(flushed, j->began);
    saved = fmax(saved, j->began);
    show_progress(j, false);
    if (j->out != NULL && interval > 0.0 && now - saved > interval) {
        const int status = sim_checkpoint_write(j);
        saved = flushed = tool_clock();
        return status;
    }
    if (now - flushed > 0.5) {
        flushed = now;
        return record_flush(&j->rows, false);
    }
    return TOOL_OK;
}

static int run_rows(sim_job *j, double interval)
{
    const double end = soa_scenario_duration(j->scenario), every = soa_scenario_every(j->scenario);
    soa_error error;
    int status = j->next == 0 ? write_row(j) : TOOL_OK;
    j->next = j->next == 0 ? 1 : j->next;
    while (status == TOOL_OK && soa_sim_time(j->sim) < end) {
        const double next = (double)j->next * every;
        const double t = next < end * (1.0 - 1e-12) ? next : end;
        if (soa_sim_advance(j->sim, t, &error) != SOA_OK) {
            record_flush(&j->rows, false);
            return tool_fail("at t = %.9g: %s", soa_sim_time(j->sim), error.text);
        }
        status = write_row(j);
        j->next++;
        if (soa_sim_stopped(j->sim) || interrupted) {
            j->status = interrupted && soa_sim_time(j->sim) < end ? "interrupted" : j->status;
            j->status = soa_sim_stopped(j->sim) ? "stopped" : j->status;
            break;
        }
        status = status == TOOL_OK ? look_at_clock(j, interval) : status;
    }
    show_progress(j, true);
    return status == TOOL_OK ? record_flush(&j->rows, false) : status;
}

/* The files of the run; a run that is interrupted can be resumed, of a finished one nothing but results stays. */
static int finish(sim_job *j)
{
    const bool interrupted_here = strcmp(j->status, "interrupted") == 0;
    int status = TOOL_OK;
    if (j->out != NULL && interrupted_here) {
        status = sim_checkpoint_write(j);
    }
    status = status == TOOL_OK ? record_finish(&j->rows, interrupted_here) : status;
    status = status == TOOL_OK ? sim_summarize(j) : status;
    if (status == TOOL_OK && !interrupted_here) {
        sim_checkpoint_remove(j);
    }
    return status;
}

/* ---- the command ---------------------------------------------------------------------------------------- */

/* A new run leaves nothing of one before that could be taken for its own. */
static void clear_folder(const sim_job *j)
{
    static const char *const name[] = { "summary.json", "checkpoint", "result.csv", "result.npy", "result.npz",
        "result.h5", "view.html" };
    for (size_t i = 0; j->out != NULL && i < sizeof name / sizeof name[0]; i++) {
        char *path = record_path(j->out, name[i]);
        if (path != NULL) {
            unlink(path);
        }
        free(path);
    }
}

/* Whether the folder holds a run that has come to its end. */
static bool is_finished(const sim_job *j)
{
    struct stat about;
    char *summary = record_path(j->out, "summary.json"), *checkpoint = record_path(j->out, "checkpoint");
    const bool finished =
        summary != NULL && checkpoint != NULL && stat(summary, &about) == 0 && stat(checkpoint, &about) != 0;
    free(summary);
    free(checkpoint);
    return finished;
}

static int open_rows(sim_job *j, bool resume)
{
    bool found = false;
    off_t csv_bytes = 0;
    j->rows.folder = j->out;
    j->rows.columns = j->columns;
    j->rows.name = j->name;
    int status = sim_find_origin(j);
    if (status == TOOL_OK && resume) {
        status = sim_checkpoint_read(j, &found, &csv_bytes);
        if (status == TOOL_OK && !found) {
            tool_note(j->call, "%s holds no checkpoint: the run starts from the beginning", j->out);
        }
    }
    if (status == TOOL_OK && !found) {
        clear_folder(j);
    }
    return status == TOOL_OK ? record_open(&j->rows, found, csv_bytes) : status;
}

static int run_job(sim_job *j, bool resume, double interval)
{
    soa_error error;
    soa_sim_setup setup = *soa_scenario_setup(j->scenario);
    char why[SOA_ERROR_TEXT];
    if (tool_value(j->call, "jit") != NULL) {
        setup.forward = module_compile_forward(soa_scenario_model(j->scenario), why, sizeof why);
        j->compiled = setup.forward != NULL;
    }
    if (soa_sim_new(soa_scenario_model(j->scenario), &setup, NULL, &j->sim, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    int status = choose_columns(j);
    status = status == TOOL_OK ? choose_margins(j) : status;
    status = status == TOOL_OK ? sim_momentum(j, j->momentum) : status;
    status = status == TOOL_OK ? open_rows(j, resume) : status;
    if (status != TOOL_OK) {
        return status;
    }
    catch_interrupts(interrupt);
    j->began = tool_clock();
    j->status = "finished";
    status = run_rows(j, interval);
    catch_interrupts(SIG_DFL);
    return status == TOOL_OK ? finish(j) : status;
}

static int read_options(sim_job *j, double *interval)
{
    const char *format = tool_value(j->call, "format"), *text = tool_value(j->call, "checkpoint");
    j->out = tool_value(j->call, "out");
    if (j->out == NULL && tool_value(j->call, "view") != NULL) {
        j->out = j->made = view_folder();
        if (j->out == NULL) {
            return TOOL_FAILED;
        }
    }
    *interval = 10.0;
    if (text != NULL) {
        char *end;
        *interval = strtod(text, &end);
        if (end == text || *end != '\0' || !(*interval >= 0.0 && *interval <= 1e9)) {
            return tool_wrong_usage(j->call->command, "--checkpoint '%s': give seconds, or 0 for none", text);
        }
    }
    if (j->out == NULL && (format != NULL || text != NULL || tool_value(j->call, "resume") != NULL)) {
        return tool_wrong_usage(j->call->command, "--format, --checkpoint and --resume need --out DIR");
    }
    return record_formats(format != NULL ? format : "csv", &j->rows.formats);
}

static int put_schema(const tool_call *call)
{
    soa_error error;
    char *schema = NULL;
    if (soa_scenario_schema(NULL, &schema, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    fputs(schema, call->out);
    soa_text_free(NULL, schema);
    return TOOL_OK;
}

int tool_sim(tool_call *call)
{
    double interval;
    if (tool_value(call, "schema") != NULL && call->operands == 0) {
        return put_schema(call);
    }
    if (call->operands == 0 || tool_value(call, "schema") != NULL) {
        return tool_wrong_usage(call->command, "give a SCENARIO.yaml, or --schema alone");
    }
    sim_job j = { .call = call };
    const bool resume = tool_value(call, "resume") != NULL;
    int status = read_options(&j, &interval);
    if (status != TOOL_OK) {
        return status;
    }
    status = module_scenario(call->operand[0], &j.scenario);
    if (status == TOOL_OK && resume && soa_sim_method_outside(soa_scenario_setup(j.scenario)->method)) {
        status = tool_fail("%s: method %s cannot be resumed: its history is not saved", call->operand[0],
            soa_sim_method_text(soa_scenario_setup(j.scenario)->method));
    }
    if (status != TOOL_OK) {
        soa_scenario_free(j.scenario);
        return status;
    }
    if (tool_value(call, "check") != NULL) {
        fprintf(call->out, "%s: the scenario is valid: %g s by %s\n", call->operand[0],
            soa_scenario_duration(j.scenario), soa_sim_method_text(soa_scenario_setup(j.scenario)->method));
    } else if (resume && is_finished(&j)) {
        fprintf(call->out, "%s: the run has finished; there is nothing to resume\n", j.out);
    } else {
        status = run_job(&j, resume, interval);
        if (status == TOOL_OK && tool_value(call, "view") != NULL) {
            record_close(&j.rows);
            status = view_recording(call, soa_scenario_model(j.scenario), j.out);
        }
    }
    record_close(&j.rows);
    free(j.column);
    free(j.name);
    free(j.row);
    free(j.margin);
    free(j.made);
    soa_sim_free(j.sim);
    soa_scenario_free(j.scenario);
    return status;
}
