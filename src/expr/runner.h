/* expr/runner.h - what a runner has inside. */
#ifndef SOA_EXPR_RUNNER_H
#define SOA_EXPR_RUNNER_H

#include "dynamics/kernels.h"
#include "expr/compile.h"
#include "expr/run.h"

/* Some of the numbers of a vector: those of a body or point, or all. */
typedef struct soa_slice {
    int part; /* -1: all */
    int count;
} soa_slice;

/* A matrix at work. */
typedef struct soa_matrix_run {
    const soa_graph_matrix *matrix;
    int rows, cols;
    soa_slice row, col; /* COLUMNS: what is shown of them, and asked with */
    double *at;         /* row by row, or blocks, rows soa_block_stride apart */
    struct soa_matrix_run **part;
    soa_graph_run *graph;
    double *columns, *results; /* COLUMNS; results also of the transpose of J */
    double *room;              /* for what comes between */
} soa_matrix_run;

struct soa_runner {
    soa_allocator allocator;
    soa_arena arena; /* what is made anew with the points and constraints */
    soa_arena bound; /* the points, and where numbers are bound */
    const soa_compiled *compiled;
    soa_workspace *workspace;
    soa_point *point;
    int points;
    soa_run_tree tree;
    const double **input; /* by input of the compiled */
    double **output;      /* by output */
    double **value;       /* by output: of vectors by kernels, for as many states as there are lanes */
    soa_graph_run *main;
    soa_matrix_run **result; /* by output: of operators; NULL for vectors */
    int lanes;
    const soa_run_table *one, *many; /* kernels for one state, and for lanes of them */
    bool single;                     /* one state at a time: there are matrices */
    soa_array blocks;                /* void *: of soa_allocate */
};

/* ---- runner_bind.c: names and numbers ------------------------------------------------------------ */

int soa_runner_size(const soa_runner *runner, soa_space space);

/* The numbers of a body or point in a vector of the space; name NULL: all. */
soa_slice soa_runner_slice(const soa_runner *runner, soa_space space, const char *name);

/* The place of number i of a slice in the vector. */
static inline int soa_slice_at(const soa_runner *runner, soa_space space, soa_slice slice, int i)
{
    return slice.part < 0             ? i
           : space == SOA_SPACE_POINT ? 6 * slice.part + i
                                      : soa_block_index(runner->compiled->model, space, slice.part, i);
}

/* The input of that name; -1: none. */
int soa_runner_find(const soa_runner *runner, const char *name);
int soa_runner_count_of(const soa_runner *runner, soa_type type); /* numbers of a vector or a whole matrix */
int soa_runner_count(const soa_runner *runner, const soa_compiled_input *input); /* its numbers */
int soa_runner_output_count(const soa_runner *runner, int output);               /* all its numbers */

/* The numbers of an input at a state; per state stride of them. */
soa_in soa_runner_input(const soa_runner *runner, int input, int state);

/* Checks that all inputs have numbers, and that those of a state are finite. */
soa_status soa_runner_check_bound(const soa_runner *runner, soa_error *error);
soa_status soa_runner_check_state(const soa_runner *runner, int state, const double *q, soa_error *error);

/* Checks that the numbers of that name at a state are finite; the error names the first that is not, and gives the advice. */
soa_status soa_runner_check_numbers(const soa_runner *runner, int state, const char *name, size_t count,
    const double *x, const char *advice, soa_error *error);

/* ---- runner_new.c: room ------------------------------------------------------------------------ */

/* Makes room for the points and constraints there are. */
soa_status soa_runner_build(soa_runner *runner, soa_error *error);

/* ---- runner_make.c: matrices of one state ------------------------------------------------------ */

/* The matrices that a graph multiplies by at that state; then it may run. */
soa_status soa_runner_prepare(soa_runner *runner, soa_graph_run *run, const double *q, int state, soa_error *error);
soa_status soa_runner_make(soa_runner *runner, soa_matrix_run *run, const double *q, int state, soa_error *error);

/* A matrix by columns from its results: the rows that are shown; a matrix that is there, or its transpose. */
void soa_matrix_run_pick(const soa_runner *runner, soa_matrix_run *run);
void soa_matrix_run_copy(soa_matrix_run *run, const double *from, bool transpose);

/* The slopes of a matrix by columns, to its results. (runner_slopes.c) */
soa_status soa_runner_slopes(soa_runner *runner, soa_matrix_run *run, const double *q, int state, soa_error *error);

/* ---- runner.c ------------------------------------------------------------------------------------ */

/* Binds the inputs of a graph to the numbers of the states from `state` on. */
void soa_runner_bind_inputs(const soa_runner *runner, soa_graph_run *run, int state);

/* Runs a graph on call->count states, as many as lanes at most. The call has q and v. */
void soa_runner_call(const soa_runner *runner, const soa_graph_run *run, int lanes, soa_call *call);

/* ---- runner_blocks.c: square blocks ----------------------------------------------------------------- */

/* How many blocks a matrix has on its diagonal, and block k; of one that is not made of blocks, all of it. */
int soa_matrix_run_blocks(const soa_runner *runner, const soa_matrix_run *run);
soa_square soa_matrix_run_block(const soa_runner *runner, const soa_matrix_run *run, int k);

/* The inverse, root, inverse root, pseudo-inverse, or a number or diagonal, of part[0]. SOA_E_SINGULAR: there is none. */
soa_status soa_matrix_run_power(const soa_runner *runner, soa_matrix_run *run, soa_error *error);

/* How many numbers that needs between, of matrices with so many rows and columns at most. */
static inline size_t soa_matrix_run_room(size_t n)
{
    return 3 * n * (n + 3);
}

#endif
