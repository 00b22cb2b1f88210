/* bench_closed.c - states on which closed systems are measured: those that satisfy the closures. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "compute.h"

enum { MOST_STATES = 256 };

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
    c->closed_q = malloc((n * (nq + nv) + 1) * sizeof *c->closed_q);
    if (c->closed_q == NULL) {
        return tool_fail_memory();
    }
    c->closed_v = c->closed_q + n * nq;
    for (bool found = true; found && (size_t)c->closed_states < n;) {
        double *q = c->closed_q + (size_t)c->closed_states * nq, *v = c->closed_v + (size_t)c->closed_states * nv;
        soa_random_configuration(c->model, &seed, q);
        for (size_t i = 0; i < nv; i++) {
            v[i] = soa_model_random_number(&seed);
        }
        found = tool_close_state(c->model, c->closures, q, v);
        c->closed_states += found;
    }
    return TOOL_OK;
}
