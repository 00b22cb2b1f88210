/* measure.c - timing the contestants in turn.
 *
 * Time is that of the processor, not of the clock on the wall. A round takes one
 * sample of every contestant, so that what disturbs the machine for longer than a
 * round disturbs all alike; ratios are taken within rounds. */
#include <stdlib.h>
#include <time.h>

#include "bench.h"

#define SAMPLE_NS 2e5 /* short enough that few are interrupted */

enum { FEWEST_STATES = 8, FEWEST_ROUNDS = 31 };

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Nanoseconds per state of the next states, cycling through all. */
static double take_sample(bench_entry *e)
{
    int left = e->sample;
    const double start = cpu_ns();
    while (left > 0) {
        const int room = e->states - e->next, count = left < room ? left : room;
        e->peer->run(e->self, e->algorithm, e->next, count);
        e->next = (e->next + count) % e->states;
        left -= count;
    }
    return (cpu_ns() - start) / (double)e->sample;
}

/* The first cycles warm up and tell how many states a sample needs. */
static void choose_sample(bench_entry *e)
{
    e->next = 0;
    e->sample = e->states;
    take_sample(e);
    const double ns = take_sample(e);
    if (e->peer == bench_soa_batch()) {
        return; /* always the whole batch */
    }
    const double wanted = SAMPLE_NS / (ns > 1.0 ? ns : 1.0);
    e->sample = wanted < FEWEST_STATES ? FEWEST_STATES : (int)wanted;
}

int bench_rounds(int entries, bench_entry *entry, double seconds)
{
    for (int i = 0; i < entries; i++) {
        choose_sample(&entry[i]);
    }
    const double start = cpu_ns();
    int n = 0;
    while (n < BENCH_MOST_ROUNDS && (n < FEWEST_ROUNDS || cpu_ns() - start < 1e9 * seconds * entries)) {
        for (int i = 0; i < entries; i++) {
            entry[i].ns[n] = take_sample(&entry[i]);
        }
        n++;
    }
    return n;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(int n, double *x)
{
    qsort(x, (size_t)n, sizeof *x, by_size);
    return x[n / 2];
}

double bench_median_ratio(int n, const double *x, const double *y, double *scratch)
{
    for (int i = 0; i < n; i++) {
        scratch[i] = x[i] / y[i];
    }
    return bench_median(n, scratch);
}
