/* expr/run.h - running graphs: what a run works on, and the tables of its kernels. */
#ifndef SOA_EXPR_RUN_H
#define SOA_EXPR_RUN_H

#include "expr/graph.h"
#include "operator/body_numbers.h"
#include "sweep/call.h"

/* A matrix, or a block on the diagonal of one. */
typedef struct soa_square {
    int rows, cols, stride; /* stride: how far rows are apart */
    double *at;
} soa_square;

/* How the joint that a coordinate moves and a body lie: flags. */
enum {
    SOA_CARRIES = 1, /* the joint is the body's, or outboard of it */
    SOA_MOVES = 2,   /* the body moves with it */
};

/* The tree with its points, and the constraints: the same for all graphs of a runner. */
typedef struct soa_run_tree {
    int *child;         /* by body: the last body on it; -1: none */
    int *sibling;       /* by body: the one before it on the same parent */
    int *point;         /* by body + 1: the first point on it (0: on the world); -1: none */
    int *next_point;    /* by point */
    double *constraint; /* A, row by row */
    int constraints;    /* its rows */
} soa_run_tree;

/* Room for the tree of a model with so many points at most, false: there is no memory; then the points (run_tree.c). */
bool soa_run_tree_new(soa_run_tree *tree, soa_arena *arena, const soa_model *model, int points);
void soa_run_tree_points(soa_run_tree *tree, const soa_model *model, int points, const soa_point *point);

/* Copies the matrix A: rows by 6 points numbers. */
soa_status soa_run_tree_constrain(
    soa_run_tree *tree, const soa_allocator *allocator, int rows, int points, const double *matrix, soa_error *error);

/* A graph at work: its numbers, and the matrices it multiplies by. */
typedef struct soa_graph_run {
    const soa_graph *graph;
    const soa_run_tree *tree;
    void *work;      /* for any lanes; of soa_allocate */
    size_t *at;      /* by step: where its numbers begin, in reals */
    size_t reals;    /* of all steps */
    soa_in *input;   /* by step: of inputs, their numbers */
    int *bound;      /* by step: the input of the runner that it is; -1: none, or the argument; -2 - i: output i */
    int beta;        /* the input beta of the runner, if the graph reads it; else -1 */
    int argument;    /* step; -1: none */
    soa_out *output; /* by output: where its numbers go */
    struct soa_matrix_run **made; /* by matrix */
    soa_square *matrix;           /* by matrix: its numbers; of blocks, at is where that of the first body begins */
    unsigned char *lies;          /* by coordinate and body: SOA_CARRIES, SOA_MOVES */
    bool again;                   /* positions, and what does not look at the argument, are those of the run before */
} soa_graph_run;

/* What one unit offers. */
typedef struct soa_run_table {
    int lanes;
    size_t (*size)(const soa_model *model, int points, size_t reals); /* bytes of soa_call.work */
    void (*run)(soa_call *call, const soa_graph_run *run);
} soa_run_table;

extern const soa_run_table soa_run_dual; /* for numbers with slopes; of models with flexible links */
const soa_run_table *soa_run_for_twice(
    void); /* for numbers with two slopes; NULL: the library was built without them */

const soa_run_table *soa_run_kernels(soa_cpu cpu, int lanes); /* NULL: no such lanes */

/* How many numbers a vector of a space has. */
static inline int soa_space_numbers(const soa_model *m, int points, int constraints, soa_space space)
{
    switch (space) {
    case SOA_SPACE_JOINT:
        return m->nv;
    case SOA_SPACE_BODY:
        return soa_all_body_numbers(m);
    case SOA_SPACE_POINT:
        return 6 * points;
    case SOA_SPACE_CONSTRAINT:
        return constraints;
    case SOA_SPACE_ONE:
        return 1;
    case SOA_SPACE_ANY:
        break;
    }
    return 0;
}

/* How many numbers a step has of each body that are no vector: a symmetric 6 x 6 matrix of derivatives. */
enum { SOA_INERTIA_NUMBERS = 21 };

static inline int soa_step_numbers(const soa_model *m, int points, int constraints, const soa_step *step)
{
    const bool inertia = step->kind == SOA_STEP_STATE && step->place.space == SOA_SPACE_ANY && step->along.count > 0;
    return inertia ? SOA_INERTIA_NUMBERS * m->bodies : soa_space_numbers(m, points, constraints, step->place.space);
}

#endif
