/* sim.c - soa sim: a scenario simulated, recorded and summed up. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compute.h"
#include "vary.h"

const tool_option TOOL_SIM_OPTIONS[] = {
    { "out", 'o', "DIR", "where to write result.csv and summary.json" },
    { "check", 0, NULL, "read and check the scenario only" },
    { "json", 0, NULL, "the summary as JSON on standard output" },
    { NULL, 0, NULL, NULL },
};

/* Rows on their way to a file. A row is written whole; if there is no room for the rest, the file ends with a row. */
typedef struct recording {
    char *path;
    int file;
    char *text;
    size_t length, room;
    off_t whole; /* bytes of whole rows in the file */
} recording;

typedef struct job {
    tool_call *call;
    const char *out;
    soa_scenario *scenario;
    soa_sim *sim;
    int columns;
    int *column; /* numbers of signals */
    recording rows;
    soa_sim_report report;
    double began; /* by the clock */
    double wall;
    const char *status;
} job;

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
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

static int choose_columns(job *j)
{
    const int signals = soa_sim_signals(j->sim);
    j->column = calloc((size_t)signals + 1, sizeof *j->column);
    if (j->column == NULL) {
        return tool_fail_memory();
    }
    for (int i = 0; i < signals; i++) { /* the first signal is the time */
        if (i == 0 || tool_is_recorded(j->scenario, soa_sim_signal_name(j->sim, i))) {
            j->column[j->columns++] = i;
        }
    }
    return TOOL_OK;
}

/* ---- recording ------------------------------------------------------------------------------------ */

static char *join(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL) {
        snprintf(path, size, "%s/%s", folder, name);
    }
    return path;
}

static int begin_rows(job *j)
{
    recording *r = &j->rows;
    r->file = -1;
    if (j->out == NULL) {
        return TOOL_OK;
    }
    r->path = join(j->out, "result.csv");
    r->room = 1 << 16;
    r->text = malloc(r->room);
    if (r->path == NULL || r->text == NULL) {
        return tool_fail_memory();
    }
    if (mkdir(j->out, 0777) != 0 && errno != EEXIST) {
        return tool_fail("%s: the folder cannot be made: %s", j->out, strerror(errno));
    }
    r->file = open(r->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return r->file >= 0 ? TOOL_OK : tool_fail("%s: the file cannot be written: %s", r->path, strerror(errno));
}

/* Everything that waits goes to the file; after a failure the file ends with its last whole row. */
static int flush_rows(recording *r)
{
    size_t done = 0;
    while (r->file >= 0 && done < r->length) {
        const ssize_t n = write(r->file, r->text + done, r->length - done);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            const int why = errno;
            const bool cut = ftruncate(r->file, r->whole) == 0;
            return tool_fail("%s: the file cannot be written: %s; it holds what was recorded before%s", r->path,
                strerror(why), cut ? "" : ", and part of a row");
        }
        done += (size_t)n;
    }
    r->whole += (off_t)done;
    r->length = 0;
    return TOOL_OK;
}

/* Room for one row of that many columns. */
static int reserve(recording *r, size_t bytes)
{
    if (r->length + bytes <= r->room) {
        return TOOL_OK;
    }
    const int status = flush_rows(r);
    if (status == TOOL_OK && bytes > r->room) {
        char *text = realloc(r->text, bytes);
        if (text == NULL) {
            return tool_fail_memory();
        }
        r->text = text;
        r->room = bytes;
    }
    return status;
}

static int write_header(job *j)
{
    recording *r = &j->rows;
    size_t bytes = 2;
    for (int i = 0; i < j->columns; i++) {
        bytes += strlen(soa_sim_signal_name(j->sim, j->column[i])) + 4;
    }
    const int status = j->out != NULL ? reserve(r, bytes) : TOOL_OK;
    for (int i = 0; status == TOOL_OK && j->out != NULL && i < j->columns; i++) {
        const char *name = soa_sim_signal_name(j->sim, j->column[i]);
        const bool quoted = strpbrk(name, ",\"\n\r") != NULL;
        r->text[r->length++] = quoted ? '"' : ' ';
        r->length -= quoted ? 0 : 1;
        for (const char *c = name; *c != '\0'; c++) {
            r->text[r->length++] = *c == '"' || (unsigned char)*c < ' ' ? '_' : *c;
        }
        r->text[r->length] = '"';
        r->length += quoted ? 1 : 0;
        r->text[r->length++] = i + 1 < j->columns ? ',' : '\n';
    }
    return status;
}

static int write_row(job *j)
{
    enum { NUMBER = 26 };
    soa_error error;
    recording *r = &j->rows;
    if (j->out == NULL) {
        return TOOL_OK;
    }
    const double *value = soa_sim_signal_values(j->sim, &error);
    if (value == NULL) {
        return tool_fail("at t = %g: %s", soa_sim_time(j->sim), error.text);
    }
    const int status = reserve(r, (size_t)j->columns * NUMBER + 1);
    for (int i = 0; status == TOOL_OK && i < j->columns; i++) {
        r->length += (size_t)snprintf(r->text + r->length, NUMBER, "%.17g", value[j->column[i]]);
        r->text[r->length++] = i + 1 < j->columns ? ',' : '\n';
    }
    return status;
}

/* ---- the run ------------------------------------------------------------------------------------- */

static void show_progress(const job *j, bool last)
{
    static double shown;
    const double t = soa_sim_time(j->sim), end = soa_scenario_duration(j->scenario), wall = tool_clock() - j->began;
    if (!isatty(STDERR_FILENO) || (!last && tool_clock() - shown < 0.1)) {
        return;
    }
    shown = tool_clock();
    const int bar = 30, full = (int)(bar * fmin(t / end, 1.0));
    fprintf(stderr, "\r[%.*s%*s] t = %.3f s, %.3g times real time, %.0f s left ", full,
        "##############################", bar - full, "", t, t / fmax(wall, 1e-9),
        t > 0.0 ? wall * (end - t) / t : 0.0);
    fputs(last ? "\r\033[K" : "", stderr);
}

static int run_rows(job *j)
{
    const double end = soa_scenario_duration(j->scenario), every = soa_scenario_every(j->scenario);
    soa_error error;
    int status = write_row(j);
    double flushed = tool_clock();
    for (long i = 1; status == TOOL_OK && soa_sim_time(j->sim) < end; i++) {
        const double next = (double)i * every;
        const double t = next < end * (1.0 - 1e-12) ? next : end;
        if (soa_sim_advance(j->sim, t, &error) != SOA_OK) {
            flush_rows(&j->rows);
            return tool_fail("at t = %.9g: %s", soa_sim_time(j->sim), error.text);
        }
        status = write_row(j);
        show_progress(j, false);
        if (soa_sim_stopped(j->sim) || interrupted) {
            j->status = interrupted ? "interrupted" : "stopped";
            break;
        }
        if (status == TOOL_OK && tool_clock() - flushed > 0.5) {
            status = flush_rows(&j->rows);
            flushed = tool_clock();
        }
    }
    show_progress(j, true);
    return status == TOOL_OK ? flush_rows(&j->rows) : status;
}

/* ---- the summary ---------------------------------------------------------------------------------- */

static json_t *events_json(const job *j)
{
    json_t *list = json_array();
    for (int i = 0; i < j->report.events; i++) {
        const soa_event_record *e = &j->report.event[i];
        json_t *item = json_object();
        json_set(&item, "t", json_number(e->t));
        json_set(&item, "name", json_text(soa_scenario_event_name(j->scenario, e->event)));
        json_set(&item, "energy", json_number(e->energy));
        if (json_array_append_new(list, item) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static int write_summary(void *context, FILE *out)
{
    const job *j = context;
    const soa_sim_report *r = &j->report;
    const double t = soa_sim_time(j->sim);
    json_writer w = json_begin(out);
    json_t *energy = json_object(), *violation = json_object();
    json_set(&energy, "initial", json_number(r->initial));
    json_set(&energy, "final", json_number(r->final));
    json_set(&energy, "work", json_number(r->work));
    json_set(&energy, "drift", json_number(r->drift));
    json_set(&energy, "exchanged", json_number(r->exchanged));
    json_set(&violation, "position", json_number(r->position));
    json_set(&violation, "velocity", json_number(r->velocity));
    json_set(&violation, "branches_kept", json_integer(r->branches_kept));
    json_set(&violation, "branches_changed", json_integer(r->branches_changed));
    json_field(&w, "scenario", json_text(soa_scenario_name(j->scenario)));
    json_field(&w, "model", json_text(soa_model_name(soa_scenario_model(j->scenario))));
    json_field(&w, "method", json_text(soa_sim_method_text(soa_scenario_setup(j->scenario)->method)));
    json_field(&w, "t", json_number(t));
    json_field(&w, "steps", json_integer(r->steps));
    json_field(&w, "rejected", json_integer(r->rejected));
    json_field(&w, "evaluations", json_integer(r->evaluations));
    json_field(&w, "wall_s", json_number(j->wall));
    json_field(&w, "real_time_factor", json_number(t / fmax(j->wall, 1e-9)));
    json_field(&w, "energy", energy);
    json_field(&w, "violation", violation);
    json_field(&w, "events", events_json(j));
    json_field(&w, "status", json_text(j->status));
    return json_end(&w) ? TOOL_OK : tool_fail_memory();
}

static void put_summary(const job *j)
{
    const soa_sim_report *r = &j->report;
    const double t = soa_sim_time(j->sim);
    FILE *out = j->call->out;
    char name[TOOL_CELL];
    fprintf(
        out, "%s: %s at t = %.9g s\n\n", tool_clean(name, sizeof name, soa_scenario_name(j->scenario)), j->status, t);
    fprintf(out, "steps        %ld by %s, %ld rejected, %ld evaluations\n", r->steps,
        soa_sim_method_text(soa_scenario_setup(j->scenario)->method), r->rejected, r->evaluations);
    fprintf(out, "time         %.3g s, %.4g times real time\n", j->wall, t / fmax(j->wall, 1e-9));
    fprintf(out, "energy       %.9g J at first, %.9g J at last, work %.9g J\n", r->initial, r->final, r->work);
    fprintf(out, "drift        %.2e J, %.1e of the %.3g J in play\n", r->drift,
        fabs(r->drift) / fmax(r->exchanged, 1e-300), r->exchanged);
    if (soa_sim_closures(j->sim) != NULL) {
        fprintf(out, "closures     at most %.1e open, %.1e per second\n", r->position, r->velocity);
    }
    if (r->branches_changed > 0) {
        fprintf(out, "branch       changed %d times: a dead point was passed too fast; take shorter steps\n",
            r->branches_changed);
    }
    for (int i = 0; i < r->events; i++) {
        const soa_event_record *e = &r->event[i];
        fprintf(out, "event        t = %.9f s  %s", e->t,
            tool_clean(name, sizeof name, soa_scenario_event_name(j->scenario, e->event)));
        fprintf(out, fabs(e->energy) > 1e-12 * r->exchanged ? "  (%+.6g J)\n" : "\n", e->energy);
    }
    if (j->out != NULL) {
        fprintf(out, "\nwrote %s/result.csv and %s/summary.json; 'soa plot %s q' draws it\n", j->out, j->out, j->out);
    } else {
        fputs("\n--out DIR writes the recording\n", out);
    }
}

static int finish(job *j)
{
    soa_error error;
    j->wall = tool_clock() - j->began;
    if (soa_sim_report_get(j->sim, &j->report, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    int status = TOOL_OK;
    if (j->out != NULL) {
        char *path = join(j->out, "summary.json");
        status = path == NULL ? tool_fail_memory() : tool_file_write(path, write_summary, j);
        free(path);
    }
    if (status == TOOL_OK && tool_value(j->call, "json") != NULL) {
        return write_summary(j, j->call->out);
    }
    if (status == TOOL_OK) {
        put_summary(j);
    }
    return status;
}

static int run_job(job *j)
{
    soa_error error;
    if (soa_sim_new(soa_scenario_model(j->scenario), soa_scenario_setup(j->scenario), NULL, &j->sim, &error) !=
        SOA_OK) {
        return tool_fail_error(&error);
    }
    int status = choose_columns(j);
    status = status == TOOL_OK ? begin_rows(j) : status;
    status = status == TOOL_OK ? write_header(j) : status;
    if (status != TOOL_OK) {
        return status;
    }
    signal(SIGINT, interrupt);
    signal(SIGTERM, interrupt);
    j->began = tool_clock();
    j->status = "finished";
    status = run_rows(j);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    return status == TOOL_OK ? finish(j) : status;
}

int tool_sim(tool_call *call)
{
    soa_error error;
    job j = { .call = call, .out = tool_value(call, "out"), .rows = { .file = -1 } };
    int status = TOOL_OK;
    if (soa_scenario_load(call->operand[0], NULL, &j.scenario, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    if (tool_value(call, "check") != NULL) {
        fprintf(call->out, "%s: the scenario is valid: %g s by %s\n", call->operand[0],
            soa_scenario_duration(j.scenario), soa_sim_method_text(soa_scenario_setup(j.scenario)->method));
    } else {
        status = run_job(&j);
    }
    if (j.rows.file >= 0) {
        close(j.rows.file);
    }
    free(j.rows.path);
    free(j.rows.text);
    free(j.column);
    soa_sim_free(j.sim);
    soa_scenario_free(j.scenario);
    return status;
}
