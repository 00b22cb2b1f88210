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

/* The beginning of a call of one function that gives a value of a body; NULL: it takes more. */
const char *sweep_function_of(const soa_step *step);

/* Whether a value of a body is one expression of C. */
bool sweep_is_expression(const soa_step *step);

/* Where and how a value is kept; the comments are at the functions (sweep_names.c). */
void sweep_put_clean(const sweep_writer *w, const char *prefix, const char *name, int step);
int sweep_output_of(const sweep_writer *w, int step);
bool sweep_is_nested(const sweep_writer *w, int step);
int sweep_of_step(const sweep_writer *w, int step);
bool sweep_is_used(const sweep_writer *w, int step);
bool sweep_is_copied(const sweep_writer *w, int output);
bool sweep_is_array(const sweep_writer *w, int step);

/* What an array is called. */
void sweep_put_name(const sweep_writer *w, int step);

/* "force", "motion" or "real": what an array of the step is made of. */
const char *sweep_type(const soa_step *step);

/* Lines in the loop over bodies, and inside a loop of theirs, begin with so many blanks. */
#define SWEEP_ON_BODY "        "
#define SWEEP_INSIDE  "            "

/* Parts of steps: a number, a vector of a body at k, a sum of numbers. */
void sweep_refuse(sweep_writer *w, const char *what);
void sweep_put_factor(sweep_writer *w, double x);
void sweep_put_value(sweep_writer *w, int step);
void sweep_put_joint(const sweep_writer *w, int step, const char *body); /* numbers of a joint: a pointer to them */
void sweep_put_expression(sweep_writer *w, int step);
void sweep_put_number_sum(sweep_writer *w, const soa_step *s, void (*number)(const sweep_writer *, int));

/* B x and B* x at body k. */
void sweep_put_from_points(sweep_writer *w, int step);
void sweep_put_to_points(sweep_writer *w, int step);

/* What a step does at body k, and of all bodies at once. */
void sweep_put_step(sweep_writer *w, int step);
void sweep_put_whole(sweep_writer *w, int step);

/* Sums of points that are on the world. */
bool sweep_is_point_sum(const soa_step *step);
void sweep_put_point_sum(sweep_writer *w, int step, const char *body);

/* The whole file; NULL: why says what went wrong. */
char *sweeps_emit(const module_emit_request *request, char *why, size_t size);

/* The same of kernels of the library, one function per definition. */
char *kernel_sweeps_emit(const module_emit_request *request, char *why, size_t size);

/* One of them that is a whole recursion, of a compiled graph; lines: the equations of its steps, what: the expressions. */
void kernel_recursion_put(text *to, const soa_graph *graph, const soa_recursions *lines, const char *name,
    const char *what, char *why, size_t size);

#endif
