/* eval.h - the values of expressions on a model. */
#ifndef SOA_TOOL_EVAL_H
#define SOA_TOOL_EVAL_H

#include "compute.h"
#include "soa/closure.h"

/* Vectors that come with the state. */
enum { TOOL_GIVEN_BETA, TOOL_GIVEN_T, TOOL_GIVEN_BETADOT, TOOL_GIVEN_F_C, TOOL_GIVEN };

/* What stands alone: a part of an operator, or a number made of it. */
typedef enum tool_part_kind {
    TOOL_PART_NONE,
    TOOL_PART_BLOCK,
    TOOL_PART_TRACE,
    TOOL_PART_DIAGONAL,
    TOOL_PART_LOGDET,
    TOOL_PART_DOT,
} tool_part_kind;

typedef struct tool_part {
    tool_part_kind kind;
    char *text, *shown;       /* what is read in its place; as it was written */
    const char *operand;      /* in text: the operator */
    char body[2][128];        /* BLOCK: row and column, as written */
    int row, col;             /* their bodies */
    soa_statement_info about; /* the operator */
    bool blocks;              /* its blocks on the diagonal are enough */
    int first;                /* statements from this one on are evaluated */
} tool_part;

/* How the vector is called that an operator is asked with; its type follows. */
#define TOOL_PROBE "x_probe_"

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
    double **value;           /* by output: in the order of the statements */
    const tool_part *part;    /* NULL: the values are shown as they are; else what follows */
    double *probe, *shown;    /* what the operator is asked with, and what is shown */
    soa_statement_info about; /* of what is shown */
    int rows, cols;
} tool_evaluation;

/* Reads a text as it is written or, if that fails, without the part that its last statement is. TOOL_FAILED after a message. */
int tool_part_read(const char *text, soa_reading reading, soa_program *program, tool_part *part);
void tool_part_free(tool_part *part);

/* Adds the statements that a part needs; nothing if there is none. */
int tool_part_open(const soa_model *model, soa_program *program, tool_part *part);

/* The numbers that are shown, when the first run is done. */
int tool_part_numbers(tool_evaluation *e);

/* At one of the states, by --at, --force, ... of e->program from e->first on, or of e->part. TOOL_FAILED after a message; to be
 * freed in any case. */
int tool_evaluate(tool_call *call, tool_states *states, int state, tool_evaluation *e);
void tool_evaluation_free(tool_evaluation *e);

/* All values, for people or as JSON. */
int tool_evaluation_print(const tool_evaluation *e);

#endif
