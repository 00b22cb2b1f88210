/* bench_closed.c - states on which closed systems are measured: those that satisfy the closures. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "compute.h"

enum { TRIES = 6, MOST_STATES = 256 };

/* Nearer and nearer to the neutral configuration until the projection succeeds. */
static bool find_state(const bench_case *c, unsigned long long *seed, const double *neutral, double *q, double *v)
{
    const int nv = soa_model_nv(c->model);
    double reach = 1.0;
    for (int i = 0; i < TRIES; i++, reach *= 0.3) {
        for (int j = 0; j < nv; j++) {
            v[j] = reach * soa_model_random_number(seed);
        }
        soa_integrate(c->model, neutral, v, 1.0, q);
        for (int j = 0; j < nv; j++) {
            v[j] = soa_model_random_number(seed);
        }
        if (soa_closure_project(c->closures, SOA_METRIC_MASS, 0.0, q, v, NULL, NULL) == SOA_OK) {
            return true;
        }
    }
    return false;
}

int bench_close_loops(bench_case *c, unsigned long long seed)
{
    const size_t nq = (size_t)soa_model_nq(c->model), nv = (size_t)soa_model_nv(c->model),
                 n = c->states < MOST_STATES ? (size_t)c->states : MOST_STATES;
    soa_error error;
    if (tool_closures_on(c->model) == 0) {
        return TOOL_OK;
    }
    if (soa_closures_new(1, (const soa_model *const *)&c->model, NULL, NULL, &c->closures, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    c->closed_q = malloc((n * (nq + nv) + nq + 1) * sizeof *c->closed_q);
    if (c->closed_q == NULL) {
        return tool_fail_memory();
    }
    c->closed_v = c->closed_q + n * nq;
    double *neutral = c->closed_v + n * nv;
    soa_model_neutral(c->model, neutral);
    for (size_t at = 0; at < n; at++) {
        if (!find_state(c, &seed, neutral, c->closed_q + at * nq, c->closed_v + at * nv)) {
            break;
        }
        c->closed_states++;
    }
    return TOOL_OK;
}
