/* emit/sweeps.h - expressions without a model: their sweeps as C on the spatial kernels. */
#ifndef SOA_EMIT_SWEEPS_H
#define SOA_EMIT_SWEEPS_H

#include "emit/text.h"
#include "expr/explain.h"
#include "module.h"

typedef struct sweep_writer {
    text *to;
    const soa_graph *graph;
    soa_recursions lines;
    const char *name; /* of the function */
    char *refused;    /* why it is not written; "" so far */
    size_t room;
} sweep_writer;

static inline const soa_step *sweep_step(const sweep_writer *w, int step)
{
    return soa_graph_step(w->graph, step);
}

/* Whether a value is a variable of the loop over bodies, not an array. */
bool sweep_is_local(const sweep_writer *w, int step);

/* Whether a value of a body is one expression of C. */
bool sweep_is_expression(const soa_step *step);

/* What an array is called. */
void sweep_put_name(const sweep_writer *w, int step);

/* "force", "motion" or "real": what an array of the step is made of. */
const char *sweep_type(const soa_step *step);

/* What a step does at body k, and of all bodies at once. */
void sweep_put_step(sweep_writer *w, int step);
void sweep_put_whole(sweep_writer *w, int step);

/* Sums of points that are on the world. */
bool sweep_is_point_sum(const soa_step *step);
void sweep_put_point_sum(sweep_writer *w, int step, const char *body);

/* The whole file; NULL: why says what went wrong. */
char *sweeps_emit(const module_emit_request *request, char *why, size_t size);

#endif
