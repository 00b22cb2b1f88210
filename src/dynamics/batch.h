/* dynamics/batch.h - functions on many states by several threads, made from the lists of their arguments. */
#ifndef SOA_DYNAMICS_BATCH_H
#define SOA_DYNAMICS_BATCH_H

#include <stddef.h>

#include "dynamics/kernels.h"
#include "soa/batch.h"

/* A row of the list expands to a struct of its arguments, to the task that calls the function for some states, and to the
 * function on batches. */
#define BATCH_NOTHING(name, numbers)
#define BATCH_NO_STATES
#define BATCH_FIELD(type, name)         type name;
#define BATCH_FIELD_IN(name, numbers)   const double *name;
#define BATCH_FIELD_OUT(name, numbers)  double *name;
#define BATCH_LOCAL(type, name)         type name = c->name;
#define BATCH_PASS(type, name)          name,
#define BATCH_PASS_STATES               count,
#define BATCH_PASS_ARRAY(name, numbers) soa_batch_from(c->name, first, (ptrdiff_t)(numbers)),
#define BATCH_ARGUMENT(type, name)      type name,
#define BATCH_STATES                    int states,
#define BATCH_INPUT(name, numbers)      const double *name,
#define BATCH_OUTPUT(name, numbers)     double *name,
#define BATCH_ARGUMENTS(name)           SOA_BATCH_##name(BATCH_ARGUMENT, BATCH_STATES, BATCH_INPUT, BATCH_OUTPUT)
#define BATCH_KEEP(type, name)          .name = name,
#define BATCH_KEEP_ARRAY(name, numbers) .name = name,

/* The numbers of the states from `first` on; also in blocks, because first is a multiple of the lanes. NULL: none are given. */
double *soa_batch_from(const double *array, int first, ptrdiff_t numbers);

#define SOA_BATCH_FUNCTION(name)                                                                                      \
    typedef struct call_##name {                                                                                      \
        SOA_BATCH_##name(BATCH_FIELD, BATCH_NO_STATES, BATCH_FIELD_IN, BATCH_FIELD_OUT)                               \
    } call_##name;                                                                                                    \
    static soa_status task_##name(void *context, soa_workspace *workspace, int first, int count, soa_error *error)    \
    {                                                                                                                 \
        const call_##name *c = context;                                                                               \
        const soa_model *m = workspace->model;                                                                        \
        const ptrdiff_t nq = m->nq, nv = m->nv, bodies = m->bodies, links = m->description.link.count;                \
        SOA_BATCH_##name(BATCH_LOCAL, BATCH_NO_STATES, BATCH_NOTHING, BATCH_NOTHING);                                 \
        (void)nq, (void)nv, (void)bodies, (void)links;                                                                \
        return soa_##name(                                                                                            \
            m, workspace, SOA_BATCH_##name(BATCH_PASS, BATCH_PASS_STATES, BATCH_PASS_ARRAY, BATCH_PASS_ARRAY) error); \
    }                                                                                                                 \
    soa_status soa_batch_##name(soa_batch *batch, BATCH_ARGUMENTS(name) soa_error *error)                             \
    {                                                                                                                 \
        call_##name c = { SOA_BATCH_##name(BATCH_KEEP, BATCH_NO_STATES, BATCH_KEEP_ARRAY, BATCH_KEEP_ARRAY) };        \
        return soa_batch_run(batch, states, task_##name, &c, error);                                                  \
    }

#endif
