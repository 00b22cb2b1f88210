/* tests/expr/run_job.h - a program compiled, bound and run, and states to run it on. */
#ifndef SOA_TESTS_EXPR_RUN_JOB_H
#define SOA_TESTS_EXPR_RUN_JOB_H

#include "random_run.h"

#include <stdlib.h>

#include "expr/compile.h"
#include "expr/dense_value.h"
#include "expr/parse.h"
#include "model/model.h"
#include "soa/soa.h"
#include "spatial/check.h"

/* ---- a program at work ---------------------------------------------------------------------------------- */

typedef struct job {
    soa_program *program;
    soa_compiled *compiled;
    soa_runner *runner;
} job;

#define OK(call)                                       \
    do {                                               \
        if ((call) != SOA_OK) {                        \
            fail_msg("%s: %s", #call, job_error.text); \
        }                                              \
    } while (0)

static soa_error job_error;
static soa_writing job_writing = SOA_AS_WRITTEN;

/* The last statement of a text, or all of them. */
static inline job job_new(const soa_model *model, const char *text, bool all, int points, const soa_point *point)
{
    job j;
    OK(soa_program_new(NULL, &j.program, &job_error));
    soa_program_limit(j.program, 0.0, NULL, NULL); /* whatever else the machine does */
    OK(soa_program_read(j.program, text, SOA_READ_PROGRAM, &job_error));
    const int last = soa_program_statements(j.program) - 1;
    OK(soa_compile(model, j.program, job_writing, all ? 0 : 1, all ? NULL : &last, &j.compiled, &job_error));
    OK(soa_runner_new(j.compiled, points, point, NULL, &j.runner, &job_error));
    return j;
}

static inline void job_free(job *j)
{
    soa_runner_free(j->runner);
    soa_compiled_free(j->compiled);
    soa_program_free(j->program);
}

typedef struct states {
    int count, nq, nv;
    double *q, *v, *T, *y, *z;
} states;

static inline states states_new(const soa_model *model, int count, unsigned long long seed)
{
    states s = { count, soa_model_nq(model), soa_model_nv(model), NULL, NULL, NULL, NULL, NULL };
    const size_t n = (size_t)count * (size_t)s.nv + 1;
    s.q = calloc((size_t)count * (size_t)s.nq + 1, sizeof(double));
    s.v = calloc(n, sizeof(double));
    s.T = calloc(n, sizeof(double));
    s.y = calloc(n, sizeof(double));
    s.z = calloc(n, sizeof(double));
    for (int i = 0; i < count; i++) {
        soa_random_configuration(model, &seed, s.q + i * s.nq);
    }
    random_fill(&seed, count * s.nv, s.v);
    random_fill(&seed, count * s.nv, s.T);
    return s;
}

static inline void states_free(states *s)
{
    free(s->q), free(s->v), free(s->T), free(s->y), free(s->z);
}

static inline soa_model *model_of(const char *name)
{
    soa_model *model;
    OK(soa_model_builtin(name, NULL, &model, &job_error));
    return model;
}

static inline void bind_state(const job *j, const states *s)
{
    OK(soa_runner_bind(j->runner, "T", s->T, &job_error));
    OK(soa_runner_bind(j->runner, "beta", s->v, &job_error));
    OK(soa_runner_bind_output(j->runner, "betadot", s->y, &job_error));
}

/* The output y has the same bits in any lanes. */
static inline void same_in_lanes(const job *j, int count, const double *q, const char *text)
{
    const size_t n = (size_t)(count * soa_runner_numbers(j->runner, "y"));
    double *one = calloc(n + 1, sizeof *one), *many = calloc(n + 1, sizeof *many);
    OK(soa_runner_set_lanes(j->runner, 1, &job_error));
    OK(soa_runner_bind_output(j->runner, "y", one, &job_error));
    OK(soa_runner_run(j->runner, count, q, &job_error));
    for (int lanes = 4; lanes <= 8; lanes *= 2) {
        if (soa_runner_set_lanes(j->runner, lanes, NULL) == SOA_OK) {
            OK(soa_runner_bind_output(j->runner, "y", many, &job_error));
            OK(soa_runner_run(j->runner, count, q, &job_error));
            if (memcmp(one, many, n * sizeof(double)) != 0) {
                fail_msg("%d lanes differ: %s", lanes, text);
            }
        }
    }
    free(one);
    free(many);
}

#endif
