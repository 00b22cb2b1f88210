/* expr/compile.h - what is run for a list of expressions on a model: plans, and matrices by
 * structured algorithms.
 *
 * A unit is a plan with the matrices that it uses. A maker says how the matrix of an
 * operator comes about: by a kernel of dynamics/ where there is one, else column by column
 * with a unit of its own. Constant once made. */
#ifndef SOA_EXPR_COMPILE_H
#define SOA_EXPR_COMPILE_H

#include "expr/plan.h"
#include "expr/program.h"
#include "expr/recognise.h"
#include "soa/model.h"

typedef enum soa_maker_kind {
    SOA_MAKE_KERNEL,      /* soa_expr_kernel */
    SOA_MAKE_CONSTRAINTS, /* A */
    SOA_MAKE_GIVEN,       /* bound by name */
    SOA_MAKE_COLUMNS,     /* unit, on unit vectors */
    SOA_MAKE_BLOCKS,      /* unit, on six vectors: unit i of every body */
    SOA_MAKE_PRODUCT,
    SOA_MAKE_SUM,
} soa_maker_kind;

typedef struct soa_unit soa_unit;

typedef struct soa_maker {
    soa_maker_kind kind;
    soa_expr_kernel kernel;
    bool adjoint;
    const soa_term *term;
    soa_unit *unit;          /* COLUMNS, BLOCKS */
    const char *name;        /* GIVEN */
    int velocity;            /* of SOA_BY_MASS_RATE */
    int count;               /* PRODUCT, SUM */
    struct soa_maker **part; /* count of them */
    const double *factor;    /* SUM */
} soa_maker;

struct soa_unit {
    soa_plan plan;
    soa_maker **matrix; /* by matrix of the plan's flow: of the term that it is made from */
};

typedef struct soa_compiled_input {
    const char *name;
    soa_type type;
    const double *value; /* given in the program, or NULL */
    int values;
} soa_compiled_input;

typedef struct soa_compiled_output {
    const char *name;
    soa_type type;
    const soa_term *term;   /* that is run */
    soa_expr_kernel kernel; /* of a vector that a kernel computes */
    int call;               /* and its number among the calls of the plan */
    soa_maker *maker;       /* of an operator */
    int vector;             /* of a vector that steps compute: its number in the plan; else -1 */
} soa_compiled_output;

struct soa_compiled {
    soa_allocator allocator;
    soa_arena arena;
    const soa_model *model;
    soa_terms *terms;
    const soa_program *program;
    soa_unit main;
    soa_array units;            /* soa_unit *: all but main */
    soa_array inputs;           /* soa_compiled_input */
    soa_array outputs;          /* soa_compiled_output */
    soa_recogniser *recogniser; /* while it is made */
};

/* How the matrix of a term is made (maker.c); NULL: the error says why. */
soa_maker *soa_maker_of(soa_compiled *compiled, const soa_term *term, soa_error *error);
soa_maker *soa_maker_blocks(soa_compiled *compiled, const soa_term *term, soa_error *error);

/* Takes cheaper expressions that are equal to those of the outputs (cheaper.c). */
soa_status soa_compiled_simplify(soa_compiled *compiled, soa_error *error);

/* The makers of the matrices of a unit's plan, and the inputs that it reads (compile.c). */
soa_status soa_unit_complete(soa_compiled *compiled, soa_unit *unit, soa_error *error);
soa_status soa_compiled_needs(soa_compiled *compiled, const char *name, soa_type type, soa_error *error);
soa_flow soa_compiled_flow(const soa_compiled *compiled, soa_error *error);

static inline const soa_compiled_input *soa_compiled_input_at(const soa_compiled *compiled, int input)
{
    return (const soa_compiled_input *)compiled->inputs.items + input;
}

static inline const soa_compiled_output *soa_compiled_output_at(const soa_compiled *compiled, int output)
{
    return (const soa_compiled_output *)compiled->outputs.items + output;
}

#endif
