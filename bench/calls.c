/* calls.c - the time of forward dynamics called from C, for bench/python.py to compare with.
 *
 * Prints nanoseconds of processor time: of a call with one state, and per state of a call with a million. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "soa/soa.h"

enum { CALLS = 20000, STATES = 1000000 };

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Nanoseconds per state of `calls` calls with `states` each; negative: a call failed. */
static double measure(const soa_model *m, soa_workspace *w, int calls, int states, double *const *a)
{
    const double start = cpu_ns();
    for (int i = 0; i < calls; i++) {
        if (soa_forward_dynamics(m, w, states, a[0], a[1], a[2], NULL, a[3], NULL) != SOA_OK) {
            return -1.0;
        }
    }
    return (cpu_ns() - start) / calls / states;
}

int main(void)
{
    soa_model *m;
    soa_workspace *w;
    soa_model_builtin("arm7", NULL, &m, NULL);
    soa_workspace_new(m, NULL, &w, NULL);
    const int nv = soa_model_nv(m);
    double *a[4];
    unsigned long long seed = 1;
    for (int k = 0; k < 4; k++) {
        a[k] = calloc((size_t)STATES * (size_t)nv, sizeof *a[k]);
        if (!a[k]) {
            return 1;
        }
    }
    for (int s = 0; s < STATES; s++) {
        soa_random_configuration(m, &seed, a[0] + (size_t)s * (size_t)nv);
        for (int i = 0; i < nv; i++) {
            a[1][(size_t)s * (size_t)nv + (size_t)i] = soa_model_random_number(&seed);
        }
    }
    measure(m, w, CALLS, 1, a);
    measure(m, w, 1, STATES, a); /* pages that were never touched are not measured */
    printf("%.1f %.2f\n", measure(m, w, CALLS, 1, a), measure(m, w, 1, STATES, a));
    for (int k = 0; k < 4; k++) {
        free(a[k]);
    }
    soa_workspace_free(w);
    soa_model_free(m);
    return 0;
}
