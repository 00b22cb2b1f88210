/* tests/listed.h - every function that takes states behind one signature, expanded from the lists of soa/batch.h and
 * soa/sens_batch.h: a new function is here by itself. */
#ifndef SOA_TESTS_LISTED_H
#define SOA_TESTS_LISTED_H

#include <stdbool.h>
#include <stddef.h>

#include "soa/soa.h"

enum { LISTED_POINTS = 3, LISTED_OUTPUTS = 4 };

/* The arrays of numbers that functions read, by their names. */
typedef enum listed_input {
    INPUT_q,
    INPUT_v,
    INPUT_vdot,
    INPUT_f,
    INPUT_T,
    INPUT_x,
    INPUT_y,
    INPUT_inertia,
    INPUTS
} listed_input;

/* One call: what it is given, and what it asks for. */
typedef struct listed_call {
    const soa_model *m;
    soa_workspace *w;
    soa_batch *batch; /* NULL: by the workspace */
    soa_error error;
    int first, states;           /* inputs are read from state `first` on */
    const double *input[INPUTS]; /* NULL: left out */
    double *output[LISTED_OUTPUTS];
    /* what the function asks for, once it was measured: numbers per state, 0 where there is none */
    size_t reads[INPUTS], writes[LISTED_OUTPUTS];
    int outputs;
    int variants; /* values of method, axes or velocity worth trying */
    /* other arguments */
    soa_method method;
    soa_axes axes;
    int velocity, points;
    const soa_point *point;
    const bool *prescribed;
} listed_call;

enum {
    VARIANTS_method = 5,
    VARIANTS_axes = 3,
    VARIANTS_velocity = 3,
    VARIANTS_points = 1,
    VARIANTS_point = 1,
    VARIANTS_prescribed = 1
};

static inline const double *listed_from(const listed_call *x, listed_input id, size_t numbers)
{
    return x->input[id] ? x->input[id] + (size_t)x->first * numbers : NULL;
}

#define LISTED_NO_STATES
#define LISTED_NOTHING(a, b)
#define LISTED_VARY(type, name)       x->variants = x->variants > VARIANTS_##name ? x->variants : VARIANTS_##name;
#define LISTED_READ(name, numbers)    x->reads[INPUT_##name] = (size_t)(numbers);
#define LISTED_WRITE(name, numbers)   x->writes[x->outputs++] = (size_t)(numbers);
#define LISTED_AIM(name, numbers)     double *const out_##name = x->output[o++];
#define LISTED_PASS(type, name)       x->name,
#define LISTED_PASS_STATES            x->states,
#define LISTED_PASS_IN(name, numbers) listed_from(x, INPUT_##name, (size_t)(numbers)),
#define LISTED_PASS_OUT(name, n)      out_##name,
#define LISTED_ARGUMENTS(name)        SOA_BATCH_##name(LISTED_PASS, LISTED_PASS_STATES, LISTED_PASS_IN, LISTED_PASS_OUT)
#define LISTED_SIZES(x)                                                                                            \
    const soa_model *const m = x->m;                                                                               \
    const size_t nq = (size_t)soa_model_nq(m), nv = (size_t)soa_model_nv(m), bodies = (size_t)soa_model_bodies(m), \
                 links = (size_t)soa_model_links(m), points = LISTED_POINTS;                                       \
    (void)m, (void)nq, (void)nv, (void)bodies, (void)links, (void)points

#define LISTED_FUNCTION(name)                                                           \
    static void measure_##name(listed_call *x)                                          \
    {                                                                                   \
        LISTED_SIZES(x);                                                                \
        for (int i = 0; i < INPUTS; i++) {                                              \
            x->reads[i] = 0;                                                            \
        }                                                                               \
        x->outputs = 0, x->variants = 1;                                                \
        SOA_BATCH_##name(LISTED_VARY, LISTED_NO_STATES, LISTED_READ, LISTED_WRITE)      \
    }                                                                                   \
    static soa_status run_##name(listed_call *x)                                        \
    {                                                                                   \
        LISTED_SIZES(x);                                                                \
        int o = 0;                                                                      \
        SOA_BATCH_##name(LISTED_NOTHING, LISTED_NO_STATES, LISTED_NOTHING, LISTED_AIM); \
        return x->batch ? soa_batch_##name(x->batch, LISTED_ARGUMENTS(name) & x->error) \
                        : soa_##name(m, x->w, LISTED_ARGUMENTS(name) & x->error);       \
    }
SOA_BATCH_LIST(LISTED_FUNCTION)
SOA_SENS_BATCH_LIST(LISTED_FUNCTION)

typedef struct listed_function {
    const char *name;
    void (*measure)(listed_call *x); /* sets reads, writes, outputs, variants */
    soa_status (*run)(listed_call *x);
} listed_function;

static const listed_function LISTED[] = {
#define LISTED_ENTRY(name) { #name, measure_##name, run_##name },
    SOA_BATCH_LIST(LISTED_ENTRY) SOA_SENS_BATCH_LIST(LISTED_ENTRY)
};
enum { LISTED_COUNT = sizeof LISTED / sizeof LISTED[0] };

/* How many of them are of soa/batch.h: they come first. */
enum {
#define LISTED_PLACE(name) LISTED_PLACE_##name,
    SOA_BATCH_LIST(LISTED_PLACE) LISTED_DYNAMICS
};

#endif
