/* closed.h - forward dynamics of a model with closures and its derivatives, state by state. */
#ifndef SOA_TOOL_CLOSED_H
#define SOA_TOOL_CLOSED_H

#include "json.h"
#include "tool.h"

/* The closures of a model and what they do in each state of a batch. */
typedef struct tool_closed {
    const soa_model *model;
    soa_closures *set;
    int count;              /* closures of the set */
    int rows;               /* of all closures that are on */
    int room;               /* states there is memory for */
    soa_closed *solved;     /* one per state */
    soa_closure_load *load; /* count per state */
    double *multiplier;     /* rows per state */
    double *work;           /* of derivatives; made when they are wanted */
} tool_closed;

/* How many closures of the model are on. */
int tool_closures_on(const soa_model *model);

/* Memory for `room` states. TOOL_FAILED after a message; tool_closed_end also then. */
int tool_closed_begin(const soa_model *model, int room, tool_closed *closed);
void tool_closed_end(tool_closed *closed);

/* vdot of the states, and the loads of the closures. error->state: the first that failed. */
soa_status tool_closed_run(tool_closed *closed, int states, const double *q, const double *v, const double *tau,
    double *vdot, soa_error *error);

/* A and B, C and D of the states (soa/linear.h), and the loads. */
typedef struct tool_linear_model {
    double *A, *B, *C, *D;
} tool_linear_model;

soa_status tool_closed_linear(tool_closed *closed, int states, const double *q, const double *v, const double *tau,
    const tool_linear_model *out, soa_error *error);

/* Adds "closures", "rank", "rows" and "violation" of a state. */
void tool_closed_json(const tool_closed *closed, int state, json_t **object);

/* The same as a table. */
void tool_closed_put(const tool_call *call, const tool_closed *closed, int state);

#endif
