/* sweep.c - soa sweep: many runs of a scenario with parameters drawn at random. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compute.h"
#include "vary.h"

const tool_option TOOL_SWEEP_OPTIONS[] = {
    { "vary", 0, "PATH=DIST", "a parameter and its distribution; may be repeated" },
    { "runs", 'n', "N", "how many runs" },
    { "seed", 0, "S", "with which the numbers begin; 1 if not given" },
    { "threads", 't', "N", "threads; as many as there are processors if not given" },
    { "only", 0, "RUN", "this run alone: its numbers and how it ends" },
    { "out", 'o', "DIR", "where to write runs.csv and statistics.json" },
    { NULL, 0, NULL, NULL },
};

enum { MOST_VARIED = 64, CHUNK = 1024 };

typedef struct job {
    tool_call *call;
    soa_scenario *scenario;
    int parameters;
    vary parameter[MOST_VARIED];
    long runs, first, chunk; /* runs of this chunk: first, first + 1, ... */
    unsigned long long seed;
    int threads;
    int columns; /* parameters, then signals at the end, then the time at the end */
    int *signal;
    int signals;
    char **name;                     /* of the signals */
    double *number;                  /* of this chunk, run after run */
    char (*failure)[SOA_ERROR_TEXT]; /* of this chunk; "" if the run was good */
    double *kept;                    /* of all runs, column after column */
    long failed;
    json_t *failures;
    pthread_mutex_t lock;
    long next;
} job;

/* ---- one run ------------------------------------------------------------------------------------- */

static double *row_of(const job *j, long run)
{
    return j->number + (size_t)(run - j->first) * (size_t)j->columns;
}

static soa_status simulate(const job *j, varied *v, double *row, soa_error *error)
{
    soa_sim *sim = NULL;
    const soa_model *model = soa_scenario_model(j->scenario);
    soa_status status = varied_set(j->scenario, j->parameters, j->parameter, row, v, error);
    status = status == SOA_OK ? soa_sim_new(v->model != NULL ? v->model : model, &v->setup, NULL, &sim, error) : status;
    status = status == SOA_OK ? soa_sim_advance(sim, soa_scenario_duration(j->scenario), error) : status;
    const double *value = status == SOA_OK ? soa_sim_signal_values(sim, error) : NULL;
    for (int i = 0; i < j->signals && value != NULL; i++) {
        row[j->parameters + i] = value[j->signal[i]];
    }
    if (status == SOA_OK && value == NULL) {
        status = error->status;
    }
    if (status == SOA_OK) {
        row[j->columns - 1] = soa_sim_time(sim);
    }
    soa_sim_free(sim);
    return status;
}

static void draw_numbers(const job *j, long run, double *row)
{
    for (int i = 0; i < j->parameters; i++) {
        row[i] = vary_number(&j->parameter[i], j->seed, run, i);
    }
}

static void *work(void *context)
{
    job *j = context;
    varied v;
    const bool room = varied_new(j->scenario, &v);
    for (;;) {
        pthread_mutex_lock(&j->lock);
        const long run = j->next++;
        pthread_mutex_unlock(&j->lock);
        if (run >= j->first + j->chunk) {
            break;
        }
        soa_error error;
        soa_error_clear(&error);
        double *row = row_of(j, run);
        char *failure = j->failure[run - j->first];
        for (int i = 0; i < j->columns; i++) {
            row[i] = NAN;
        }
        draw_numbers(j, run, row);
        failure[0] = '\0';
        if (!room || simulate(j, &v, row, &error) != SOA_OK) {
            snprintf(failure, SOA_ERROR_TEXT, "%s", room && error.text[0] != '\0' ? error.text : "out of memory");
        }
    }
    varied_free(&v);
    return NULL;
}

/* The runs of a chunk by all threads; the same numbers whoever does them. */
static void run_chunk(job *j)
{
    enum { MOST = 256 };
    pthread_t thread[MOST];
    int started = 0;
    j->next = j->first;
    while (started < j->threads - 1 && started < MOST && pthread_create(&thread[started], NULL, work, j) == 0) {
        started++;
    }
    work(j);
    for (int i = 0; i < started; i++) {
        pthread_join(thread[i], NULL);
    }
}

/* ---- results ------------------------------------------------------------------------------------- */

static void put_name(FILE *out, const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        fputc(name[i] == ',' || name[i] == '"' || (unsigned char)name[i] < ' ' ? '_' : name[i], out);
    }
}

static void put_header(const job *j, FILE *out)
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

static int note_failure(job *j, long run, const char *why)
{
    json_t *item =
        json_pack("{s:I, s:I, s:o}", "run", (json_int_t)run, "seed", (json_int_t)j->seed, "error", json_text(why));
    j->failed++;
    return item != NULL && json_array_append_new(j->failures, item) == 0 ? TOOL_OK : tool_fail_memory();
}

static int keep_chunk(job *j, FILE *out)
{
    int status = TOOL_OK;
    for (long run = j->first; run < j->first + j->chunk && status == TOOL_OK; run++) {
        const double *row = row_of(j, run);
        const char *failure = j->failure[run - j->first];
        fprintf(out, "%ld", run);
        for (int i = 0; i < j->columns; i++) {
            j->kept[(size_t)i * (size_t)j->runs + (size_t)run] = row[i];
            fprintf(out, failure[0] == '\0' || i < j->parameters ? ",%.17g" : ",", row[i]);
        }
        fputc('\n', out);
        status = failure[0] != '\0' ? note_failure(j, run, failure) : TOOL_OK;
    }
    return status;
}

static int write_runs(void *context, FILE *out)
{
    job *j = context;
    int status = TOOL_OK;
    put_header(j, out);
    for (j->first = 0; j->first < j->runs && status == TOOL_OK; j->first += j->chunk) {
        j->chunk = j->runs - j->first < CHUNK ? j->runs - j->first : CHUNK;
        run_chunk(j);
        status = keep_chunk(j, out);
        if (isatty(STDERR_FILENO)) {
            fprintf(stderr, "\r%ld of %ld runs ", j->first + j->chunk, j->runs);
        }
    }
    if (isatty(STDERR_FILENO)) {
        fputs("\r\033[K", stderr);
    }
    return status;
}

/* ---- statistics -------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between the sorted numbers, by straight lines. */
static double quantile(const double *x, long n, double part)
{
    const double at = part * (double)(n - 1);
    const long low = (long)at;
    return low + 1 < n ? x[low] + (x[low + 1] - x[low]) * (at - (double)low) : x[n - 1];
}

static json_t *column_json(const job *j, int column, double *sorted)
{
    static const double part[] = { 0.05, 0.25, 0.5, 0.75, 0.95 };
    static const char *const word[] = { "q05", "q25", "median", "q75", "q95" };
    const double *x = j->kept + (size_t)column * (size_t)j->runs;
    double mean = 0.0, square = 0.0;
    long n = 0, least = -1, most = -1;
    for (long run = 0; run < j->runs; run++) {
        if (isfinite(x[run])) {
            const double change = x[run] - mean;
            mean += change / (double)(n + 1);
            square += change * (x[run] - mean);
            least = least < 0 || x[run] < x[least] ? run : least;
            most = most < 0 || x[run] > x[most] ? run : most;
            sorted[n++] = x[run];
        }
    }
    json_t *object = json_object();
    json_set(&object, "runs", json_integer(n));
    if (n == 0) {
        return object;
    }
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    json_set(&object, "mean", json_number(mean));
    json_set(&object, "deviation", json_number(n > 1 ? sqrt(square / (double)(n - 1)) : 0.0));
    json_set(&object, "min", json_number(x[least]));
    json_set(&object, "min_run", json_integer(least));
    json_set(&object, "max", json_number(x[most]));
    json_set(&object, "max_run", json_integer(most));
    for (int i = 0; i < 5; i++) {
        json_set(&object, word[i], json_number(quantile(sorted, n, part[i])));
    }
    return object;
}

static int write_statistics(void *context, FILE *out)
{
    const job *j = context;
    double *sorted = calloc((size_t)j->runs + 1, sizeof *sorted);
    json_t *signals = json_object();
    if (sorted == NULL) {
        return tool_fail_memory();
    }
    for (int i = 0; i < j->signals; i++) {
        json_set(&signals, j->name[i], column_json(j, j->parameters + i, sorted));
    }
    free(sorted);
    json_writer w = json_begin(out);
    json_field(&w, "scenario", json_text(soa_scenario_name(j->scenario)));
    json_field(&w, "runs", json_integer(j->runs));
    json_field(&w, "seed", json_integer((json_int_t)j->seed));
    json_field(&w, "failed", json_integer(j->failed));
    json_field(&w, "signals", signals);
    json_field(&w, "failures", json_incref(j->failures));
    return json_end(&w) ? TOOL_OK : tool_fail_memory();
}

/* ---- arguments ------------------------------------------------------------------------------------------ */

static int read_number(const tool_call *call, const char *option, long least, long most, long *out)
{
    const char *text = tool_value(call, option);
    char *end;
    if (text == NULL) {
        return TOOL_OK;
    }
    errno = 0;
    *out = strtol(text, &end, 10);
    return end != text && *end == '\0' && errno == 0 && *out >= least && *out <= most
               ? TOOL_OK
               : tool_wrong_usage(
                     call->command, "--%s '%s': give a whole number from %ld to %ld", option, text, least, most);
}

static int read_arguments(job *j)
{
    const char *text;
    long seed = 1, threads = sysconf(_SC_NPROCESSORS_ONLN);
    int status = read_number(j->call, "runs", 1, 100000000, &j->runs);
    status = status == TOOL_OK ? read_number(j->call, "seed", 0, 0x7fffffffffffffffl, &seed) : status;
    status = status == TOOL_OK ? read_number(j->call, "threads", 1, 256, &threads) : status;
    j->seed = (unsigned long long)seed;
    j->threads = threads < 1 ? 1 : (int)threads;
    for (int i = 0; status == TOOL_OK && (text = tool_value_at(j->call, "vary", i)) != NULL; i++) {
        if (j->parameters == MOST_VARIED) {
            return tool_wrong_usage(j->call->command, "more than %d parameters vary", MOST_VARIED);
        }
        status = vary_read(j->call, j->scenario, text, &j->parameter[j->parameters++]);
    }
    if (status == TOOL_OK && tool_value(j->call, "runs") == NULL && tool_value(j->call, "only") == NULL) {
        return tool_wrong_usage(j->call->command, "say how many runs: -n 1000");
    }
    return status;
}

/* The signals that the scenario records, without the time. */
static int choose_signals(job *j)
{
    soa_sim *sim = NULL;
    soa_error error;
    if (soa_sim_new(soa_scenario_model(j->scenario), soa_scenario_setup(j->scenario), NULL, &sim, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    const int all = soa_sim_signals(sim);
    j->signal = calloc((size_t)all + 1, sizeof *j->signal);
    j->name = calloc((size_t)all + 1, sizeof *j->name);
    bool good = j->signal != NULL && j->name != NULL;
    for (int i = 1; i < all && good; i++) {
        const char *name = soa_sim_signal_name(sim, i);
        if (tool_is_recorded(j->scenario, name)) {
            j->signal[j->signals] = i;
            j->name[j->signals] = strdup(name);
            good = j->name[j->signals++] != NULL;
        }
    }
    soa_sim_free(sim);
    j->columns = j->parameters + j->signals + 1;
    return good ? TOOL_OK : tool_fail_memory();
}

/* ---- the command -------------------------------------------------------------------------------------------- */

/* One run of many, again. */
static int run_one(job *j)
{
    long run = 0;
    soa_error error;
    varied v;
    int status = read_number(j->call, "only", 0, 100000000, &run);
    double *row = calloc((size_t)j->columns, sizeof *row);
    if (row == NULL || !varied_new(j->scenario, &v)) {
        free(row);
        return tool_fail_memory();
    }
    if (status == TOOL_OK) {
        draw_numbers(j, run, row);
        for (int i = 0; i < j->parameters; i++) {
            fprintf(j->call->out, "%-32.*s %.17g\n", (int)j->parameter[i].length, j->parameter[i].text, row[i]);
        }
        if (simulate(j, &v, row, &error) != SOA_OK) {
            status = tool_fail("run %ld: %s", run, error.text);
        }
        for (int i = 0; i < j->signals && status == TOOL_OK; i++) {
            char name[TOOL_CELL];
            fprintf(j->call->out, "%-32s %.17g\n", tool_clean(name, sizeof name, j->name[i]), row[j->parameters + i]);
        }
    }
    varied_free(&v);
    free(row);
    return status;
}

static int make_room(job *j)
{
    j->number = calloc((size_t)CHUNK * (size_t)j->columns, sizeof *j->number);
    j->failure = calloc(CHUNK, sizeof *j->failure);
    j->kept = calloc((size_t)j->runs * (size_t)j->columns, sizeof *j->kept);
    j->failures = json_array();
    return j->number != NULL && j->failure != NULL && j->kept != NULL && j->failures != NULL ? TOOL_OK
                                                                                             : tool_fail_memory();
}

static int run_all(job *j)
{
    const char *out = tool_value(j->call, "out");
    char path[4096];
    if (out == NULL) {
        return tool_wrong_usage(j->call->command, "say where to write: --out DIR");
    }
    int status = make_room(j);
    if (status == TOOL_OK && mkdir(out, 0777) != 0 && errno != EEXIST) {
        status = tool_fail("%s: the folder cannot be made: %s", out, strerror(errno));
    }
    const double begin = tool_clock();
    snprintf(path, sizeof path, "%s/runs.csv", out);
    status = status == TOOL_OK ? tool_file_write(path, write_runs, j) : status;
    const double seconds = tool_clock() - begin;
    snprintf(path, sizeof path, "%s/statistics.json", out);
    status = status == TOOL_OK ? tool_file_write(path, write_statistics, j) : status;
    if (status == TOOL_OK) {
        fprintf(j->call->out, "%ld runs in %.3g s, %.3g a second, by %d thread%s; %ld failed\n", j->runs, seconds,
            (double)j->runs / fmax(seconds, 1e-9), j->threads, j->threads == 1 ? "" : "s", j->failed);
        fprintf(j->call->out, "wrote %s/runs.csv and %s/statistics.json\n", out, out);
    }
    return status;
}

int tool_sweep(tool_call *call)
{
    soa_error error;
    job j = { .call = call };
    if (soa_scenario_load(call->operand[0], NULL, &j.scenario, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    pthread_mutex_init(&j.lock, NULL);
    int status = read_arguments(&j);
    status = status == TOOL_OK ? choose_signals(&j) : status;
    if (status == TOOL_OK) {
        status = tool_value(call, "only") != NULL ? run_one(&j) : run_all(&j);
    }
    for (int i = 0; i < j.signals && j.name != NULL; i++) {
        free(j.name[i]);
    }
    free(j.name);
    free(j.signal);
    free(j.number);
    free(j.failure);
    free(j.kept);
    json_decref(j.failures);
    pthread_mutex_destroy(&j.lock);
    soa_scenario_free(j.scenario);
    return status;
}
