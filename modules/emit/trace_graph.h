/* emit/trace_graph.h - a graph of the language run on a tape. */
#ifndef SOA_EMIT_TRACE_GRAPH_H
#define SOA_EMIT_TRACE_GRAPH_H

#include "emit/tape.h"

#ifndef __cplusplus
#include "expr/run.h"
#else
extern "C" {
#endif

/* On the inputs and outputs of the call and of the run, which hold values of the tape. */
bool trace_graph(tape *t, soa_call *call, const soa_graph_run *run);

#ifdef __cplusplus
}
#endif
#endif
