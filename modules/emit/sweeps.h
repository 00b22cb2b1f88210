/* emit/sweeps.h - expressions without a model: their sweeps as C on the spatial kernels. */
#ifndef SOA_EMIT_SWEEPS_H
#define SOA_EMIT_SWEEPS_H

#include "emit/text.h"
#include "expr/explain.h"
#include "module.h"

typedef struct sweep_writer sweep_writer;

/* The words of a writer: what it calls a step, a vector of a body at k, and which numbers of joints are variables of the
 * loop over bodies. */
typedef struct sweep_words {
    void (*name)(sweep_writer *w, int step);
    void (*value)(sweep_writer *w, int step);
    bool (*is_variable)(const sweep_writer *w, int step);
} sweep_words;

struct sweep_writer {
    text *to;
    const soa_graph *graph;
    soa_recursions lines;
    const char *name; /* of the function */
    char *refused;    /* why it is not written; "" so far */
    size_t room;
    const sweep_words *words;
    struct kernel_kept *kept; /* by step, of a kernel of the library (kernel_writer.h) */
};

static inline const soa_step *sweep_step(const sweep_writer *w, int step)
{
    return soa_graph_step(w->graph, step);
}

/* Writes C. In the format there stand for the arguments, one after another,
 *     $n   a step: its name
 *     $v   a step: its value at k, which is a vector of the body or a pointer to the numbers of the joint
 *     $i   a step: number n of the joint
 *     $f   a factor, $s a text, $d a whole number */
void sweep_say(sweep_writer *w, const char *format, ...);

/* Lines in the loop over bodies, and inside a loop of theirs, begin with so many blanks. */
#define LINE   "        "
#define INSIDE "            "

extern const sweep_words sweep_own_words;

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
void sweep_put_name(sweep_writer *w, int step);

/* "force", "motion" or "real": what an array of the step is made of. */
const char *sweep_type(const soa_step *step);

/* The equations of a step as comments: what stands before and after each of them. */
void sweep_put_equations(sweep_writer *w, int step, const char *before, const char *after);

void sweep_refuse(sweep_writer *w, const char *what);
void sweep_put_expression(sweep_writer *w, int step);

/* The sum of a step, each part written as the format says. */
void sweep_put_number_sum(sweep_writer *w, const soa_step *s, const char *number);

/* A sum of numbers of a joint: a loop over them. */
void sweep_put_joint_sum(sweep_writer *w, int step);

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

/* The whole file of kernels of the library, one function per definition; NULL: why says what went wrong. */
char *kernel_sweeps_emit(const module_emit_request *request, char *why, size_t size);

/* One kernel, a whole recursion, of a compiled graph; what: the expressions. */
void kernel_recursion_put(sweep_writer *w, const char *what);

#endif
