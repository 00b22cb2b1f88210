/* emit/trace_plan.cc - the graphs of the language run on a tape instead of numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "emit/trace_real.h"

#define _Alignas alignas
#define UNIT trace
extern "C" {
#include "expr/run_unit.kernel.h"
}
#include "emit/trace_graph.h"

bool trace_graph(tape *t, soa_call *call, const soa_graph_run *run)
{
    void *work = aligned_alloc(SOA_ALIGNMENT, (run_size(call->model, call->points, run->reals) / SOA_ALIGNMENT + 1) * SOA_ALIGNMENT);
    if (work == NULL) {
        t->full = true;
        return false;
    }
    memset(work, 0, run_size(call->model, call->points, run->reals));
    call->work = work;
    call->count = 1;
    call->spacing = 1;
    call->keeps = true;
    tracing = t;
    run_graph(call, run);
    tracing = NULL;
    free(work);
    return !t->full;
}
