/* expr/compile.h - what is run for a list of expressions on a model: one graph for all vectors, matrices for
 * operators. Constant once made. */
#ifndef SOA_EXPR_COMPILE_H
#define SOA_EXPR_COMPILE_H

#include "expr/graph.h"
#include "expr/program.h"

typedef struct soa_compiled_input {
    const char *name;
    soa_type type;
    bool blocks;         /* a memoryless operator: its blocks, one after another, each row by row */
    const double *value; /* given in the program, or NULL */
    int values;
} soa_compiled_input;

typedef struct soa_compiled_output {
    const char *name;
    soa_type type;
    const soa_term *term;     /* that is run */
    soa_expr_kernel kernel;   /* of a vector that a kernel computes */
    soa_graph_matrix *matrix; /* of an operator */
    soa_block block;          /* all that there is of it: the rest is zero */
    int vector;               /* of a vector that steps compute: its number among the outputs of the graph; else -1 */
} soa_compiled_output;

struct soa_compiled {
    soa_allocator allocator;
    soa_arena arena;
    const soa_model *model;
    soa_terms *terms;
    const soa_program *program;
    soa_graph graph;   /* of all vectors */
    soa_array inputs;  /* soa_compiled_input */
    soa_array outputs; /* soa_compiled_output */
    /* while it is made */
    soa_recogniser *recogniser;
    soa_error *error;
};

/* What follows is false, or NULL, if it fails: the error says why, unless there is no memory. */

/* How the matrix of a term is made; of one block of it; how the matrices that a graph multiplies by are (graph_matrix.c). */
soa_graph_matrix *soa_matrix_of(soa_compiled *compiled, const soa_term *term);
soa_graph_matrix *soa_matrix_of_block(soa_compiled *compiled, const soa_term *term, soa_block block);
bool soa_matrices_of(soa_compiled *compiled, soa_graph *graph);

/* Takes cheaper expressions that are equal to those of the outputs (cheaper.c). */
bool soa_compiled_simplify(soa_compiled *compiled);

/* A graph for the model; all vectors, or one operator (-1: none), as its steps; and for one with outputs its instructions, its
 * matrices and the inputs that it reads (compile.c). */
soa_graph soa_compiled_graph(soa_compiled *compiled);
bool soa_compiled_lower(const soa_compiled *compiled, soa_graph *graph, int operator_output);
bool soa_compiled_complete(soa_compiled *compiled, soa_graph *graph);
bool soa_compiled_needs(soa_compiled *compiled, const char *name, soa_type type);
bool soa_compiled_needs_beta(soa_compiled *compiled);

static inline const soa_compiled_input *soa_compiled_input_at(const soa_compiled *compiled, int input)
{
    return (const soa_compiled_input *)compiled->inputs.items + input;
}

static inline const soa_compiled_output *soa_compiled_output_at(const soa_compiled *compiled, int output)
{
    return (const soa_compiled_output *)compiled->outputs.items + output;
}

#endif
