/* sweep_statistics.c - statistics of many runs, taken run by run in their order.
 *
 * Quantiles are exact as long as all rows can be kept. When there is no more room, the rows of every second run that is kept
 * go, so that what stays is the rows of every second, fourth, ... run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

enum { MOST_KEPT = 1 << 18 };

typedef struct column {
    long n, least_run, most_run;
    double mean, square, least, most;
} column;

struct sweep_statistics {
    const sweep_job *job;
    column *column;
    long runs, failed;
    long every, kept, room; /* rows kept: those of runs 0, every, 2 every, ... */
    double *row;
    json_t *failures;
};

sweep_statistics *sweep_statistics_new(const sweep_job *j)
{
    sweep_statistics *s = tool_take(1, sizeof *s);
    *s = (sweep_statistics){ .job = j, .every = 1, .failures = json_array() };
    s->column = tool_take((size_t)j->signals, sizeof *s->column);
    return s;
}

long sweep_statistics_failed(const sweep_statistics *s)
{
    return s->failed;
}

const char *sweep_statistics_first_failure(const sweep_statistics *s)
{
    const char *words = json_string_value(json_object_get(json_array_get(s->failures, 0), "error"));
    return words != NULL ? words : "";
}

/* ---- run by run ----------------------------------------------------------------------------------- */

static void add_number(column *c, long run, double x)
{
    if (!isfinite(x)) {
        return;
    }
    const double change = x - c->mean;
    c->mean += change / (double)(c->n + 1);
    c->square += change * (x - c->mean);
    if (c->n == 0 || x < c->least) {
        c->least = x;
        c->least_run = run;
    }
    if (c->n == 0 || x > c->most) {
        c->most = x;
        c->most_run = run;
    }
    c->n++;
}

static void keep_row(sweep_statistics *s, long run, const double *x)
{
    const size_t n = (size_t)s->job->signals;
    if (run % s->every != 0) {
        return;
    }
    if (s->kept == MOST_KEPT) {
        for (long i = 1; 2 * i < s->kept; i++) {
            memcpy(s->row + (size_t)i * n, s->row + 2 * (size_t)i * n, n * sizeof *s->row);
        }
        s->kept /= 2;
        s->every *= 2;
        keep_row(s, run, x);
        return;
    }
    if (s->kept == s->room) {
        s->room = s->room == 0 ? 1024 : 2 * s->room;
        s->row = tool_grow(s->row, (size_t)s->room * (n + 1) * sizeof *s->row);
    }
    memcpy(s->row + (size_t)s->kept++ * n, x, n * sizeof *x);
}

void sweep_statistics_add(sweep_statistics *s, long run, const double *row, const char *failure)
{
    const sweep_job *j = s->job;
    const double *x = row + j->parameters;
    s->runs++;
    for (int i = 0; i < j->signals; i++) {
        add_number(&s->column[i], run, x[i]);
    }
    if (failure[0] != '\0') {
        s->failed++;
        json_add(s->failures, json_pack("{s:I, s:I, s:o}", "run", (json_int_t)run, "seed", (json_int_t)j->seed, "error",
                                  json_text(failure)));
    }
    keep_row(s, run, x);
}

/* ---- written ---------------------------------------------------------------------------------------- */

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

static void set_quantiles(const sweep_statistics *s, int signal, double *sorted, json_t *object)
{
    static const double part[] = { 0.05, 0.25, 0.5, 0.75, 0.95 };
    static const char *const word[] = { "q05", "q25", "median", "q75", "q95" };
    const size_t signals = (size_t)s->job->signals;
    long n = 0;
    for (long i = 0; i < s->kept; i++) {
        const double x = s->row[(size_t)i * signals + (size_t)signal];
        if (isfinite(x)) {
            sorted[n++] = x;
        }
    }
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    for (int i = 0; i < 5 && n > 0; i++) {
        json_set(object, word[i], json_number(quantile(sorted, n, part[i])));
    }
}

static json_t *column_json(const sweep_statistics *s, int i, double *sorted)
{
    const column *c = &s->column[i];
    json_t *object = json_object();
    json_set(object, "runs", json_integer(c->n));
    if (c->n > 0) {
        json_set(object, "mean", json_number(c->mean));
        json_set(object, "deviation", json_number(c->n > 1 ? sqrt(c->square / (double)(c->n - 1)) : 0.0));
        json_set(object, "min", json_number(c->least));
        json_set(object, "min_run", json_integer(c->least_run));
        json_set(object, "max", json_number(c->most));
        json_set(object, "max_run", json_integer(c->most_run));
        set_quantiles(s, i, sorted, object);
    }
    return object;
}

void sweep_statistics_write(void *statistics, FILE *out)
{
    const sweep_statistics *s = statistics;
    const sweep_job *j = s->job;
    double *sorted = tool_take((size_t)s->kept, sizeof *sorted);
    json_t *signals = json_object();
    for (int i = 0; i < j->signals; i++) {
        json_set(signals, j->name[i], column_json(s, i, sorted));
    }
    tool_return(sorted);
    json_writer w = json_begin(out);
    json_field(&w, "scenario", json_text(soa_scenario_name(j->scenario)));
    json_field(&w, "runs", json_integer(s->runs));
    json_field(&w, "seed", json_integer((json_int_t)j->seed));
    json_field(&w, "dynamics", json_text(j->forward != NULL ? "compiled" : "library"));
    json_field(&w, "failed", json_integer(s->failed));
    json_field(&w, "quantiles_of_every", json_integer(s->every));
    json_field(&w, "status", json_text(s->runs < j->runs ? "interrupted" : "finished"));
    json_field(&w, "signals", signals);
    json_field(&w, "failures", json_incref(s->failures));
    json_end(&w);
}
