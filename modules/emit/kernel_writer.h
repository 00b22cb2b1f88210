/* emit/kernel_writer.h - the writer of recursions that are kernels of the library.
 *
 * In the text k is the body in turn, body its data, p its parent. A body hands what it has to its parent, so a sum over the
 * bodies on k begins with what is of k alone, in the sweep before. Arrays are those of the struct vars; quantities share one if
 * the first is over when the second begins. What steps the library needs is here, other ones are refused. */
#ifndef SOA_EMIT_KERNEL_WRITER_H
#define SOA_EMIT_KERNEL_WRITER_H

#include "emit/sweeps.h"

enum { KERNEL_STEPS = 64 };

/* Where a vector is: the array of struct vars, and the sweeps in which it is in use. */
typedef struct kernel_kept {
    const char *array; /* NULL: nowhere */
    int first, last;
} kernel_kept;

static inline int kernel_sweep_at(const sweep_writer *w, int step)
{
    return w->graph->schedule.sweep[step];
}

static inline bool kernel_is_demanded(const sweep_writer *w, int step)
{
    return w->graph->demanded[step];
}

static inline bool kernel_is_joint(const soa_step *s)
{
    return s->place.space == SOA_SPACE_JOINT;
}

/* A step that computes two vectors, the other being y2; and the second of the two. */
static inline bool kernel_is_pair(const soa_step *s)
{
    return s->code == SOA_CODE_filter || s->code == SOA_CODE_smoother;
}

static inline bool kernel_is_second(const soa_step *s)
{
    return s->code == SOA_CODE_NONE && s->kind != SOA_STEP_INPUT && s->kind != SOA_STEP_ZERO;
}

/* A sum over the bodies on a body, with or without K x in it. */
static inline bool kernel_is_gathered(const soa_step *s)
{
    return s->code == SOA_CODE_filter || soa_step_is(s, SOA_OP_PHI, false) || soa_step_is(s, SOA_OP_PSI, false);
}

/* What a gathered sum has of the body itself; -1: nothing. */
static inline int kernel_own_part(const soa_step *s)
{
    return s->code != SOA_CODE_filter ? s->input[0] : s->count > 1 ? s->input[1] : -1;
}

/* What a kernel of the library cannot do. */
void kernel_refuse(sweep_writer *w, const char *what);

/* ---- where vectors are (kernel_arrays.c) ---- */

/* A vector of a body that stands inside the expression of its only user, at the same body. */
bool kernel_is_inside(const sweep_writer *w, int step);

/* The sweep in which a step is written. What a gathered sum has of the body itself is written in the sweep before. */
int kernel_written_in(const sweep_writer *w, int step);

/* Numbers of a joint that no later sweep reads are variables of the loop. */
bool kernel_is_variable(const sweep_writer *w, int step);

/* Gives every vector that is kept an array; false: there are too few. */
bool kernel_keep(sweep_writer *w);

/* ---- what is written (kernel_steps.c) ---- */

extern const sweep_words kernel_words;

/* What a sum that is gathered in the next sweep has of the body itself. */
void kernel_put_begun(sweep_writer *w, int step);

/* A step at body k, with its equations. */
void kernel_put_step(sweep_writer *w, int step);

#endif
