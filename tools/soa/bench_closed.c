/* bench_closed.c - states on which closed systems are measured: those that satisfy the closures. */
#include <string.h>

#include "bench.h"
#include "compute.h"

enum { MOST_STATES = 256 };

void bench_close_loops(bench_case *c, unsigned long long seed)
{
    const size_t nq = (size_t)soa_model_nq(c->model), nv = (size_t)soa_model_nv(c->model),
                 n = c->states < MOST_STATES ? (size_t)c->states : MOST_STATES;
    if (tool_closures_on(c->model) == 0) {
        return;
    }
    tool_must(soa_closures_new(1, (const soa_model *const *)&c->model, NULL, &TOOL_MEMORY, &c->closures, tool_error()));
    c->closed_q = tool_take(n * (nq + nv) + 1, sizeof *c->closed_q);
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
}
