/* eval.h - the values of expressions on a model. */
#ifndef SOA_TOOL_EVAL_H
#define SOA_TOOL_EVAL_H

#include "compute.h"
#include "soa/closure.h"

/* Vectors that come with the state. */
enum { TOOL_GIVEN_BETA, TOOL_GIVEN_T, TOOL_GIVEN_BETADOT, TOOL_GIVEN_F_C, TOOL_GIVEN };

/* The largest value that is written out. */
enum { TOOL_MOST_NUMBERS = 16 << 20 };

typedef struct tool_evaluation {
    tool_call *call;
    const soa_model *model;
    soa_program *program;
    int first; /* statements from this one on are evaluated */
    tool_points points;
    soa_closures *closures; /* those of the model, where no points are given and some are spoken of; else NULL */
    double *block, *q, *given[TOOL_GIVEN];
    int statements, *statement;
    soa_compiled *compiled;
    soa_runner *runner;
    double **value; /* by output: in the order of the statements */
} tool_evaluation;

/* At one of the states, by --at, --force, ... of e->program from e->first on. To be freed. */
void tool_evaluate(tool_call *call, tool_states *states, int state, tool_evaluation *e);
void tool_evaluation_free(tool_evaluation *e);

/* The numbers of an input, from the state or from a declaration. */
const double *tool_evaluation_input(const tool_evaluation *e, const char *name);

/* Gives the runner A, the inputs and room for the outputs. */
void tool_evaluation_bind(tool_evaluation *e);

/* Prints all values, for people or as JSON. */
void tool_evaluation_print(const tool_evaluation *e);

#endif
