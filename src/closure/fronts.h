/* closure/fronts.h - what the kernels of closures make on their way inward at one state: fronts, and rows that are solved.
 *
 * Only the kernels and least_norm.c touch what is here; plan.c and hold_bodies.c fill the part of soa_node that says where fronts go. */
#ifndef SOA_CLOSURE_FRONTS_H
#define SOA_CLOSURE_FRONTS_H

#include "dynamics/kernels.h"

enum { SOA_NO_NODE = -1 };

/* Rows that wait at a node to be solved. Columns are rows of the closures; numbers of one
 * component of all columns lie side by side, `width` apart. Each is one double, or as many as there are lanes of states.
 *     Y_j alpha + c_j + sum_i L_ji lambda_i = 0                  alpha of the node */
typedef struct soa_front {
    int rows, width;
    int *row;     /* which rows of the set */
    int *missing; /* ends that have not come in */
    double *Y;    /* 6 x width */
    double *L;    /* rows x width */
    double *c;
    double *scale;           /* compliance that the row would have, were its bodies free */
    double *came;            /* size of what was added up in Y */
    int from;                /* the first node whose joint is yet to be crossed */
    struct soa_front *other; /* next that came to the same node */
    double *stays;           /* lanes of states: by column 1, or 0 in lanes in which the row is solved; NULL: 1 */
    size_t numbers;          /* how many there are from Y on, as doubles */
} soa_front;

/* A row solved at a node, in terms of alpha and of rows solved later:
 *     lambda = -inverse (Y alpha + c + sum_j L_j lambda_j)
 * at: its column of the block; inverse: 0 of dependent rows; sum: of what makes lambda, while it is gathered; pitch: from one
 * component of Y to the next. */
#define SOA_PIVOT_OF(number)    \
    {                           \
        int at;                 \
        number inverse, c, sum; \
        const number *Y;        \
        size_t pitch;           \
        number *L;              \
    }
typedef struct soa_pivot SOA_PIVOT_OF(double) soa_pivot;

/* All rows solved at one node. */
typedef struct soa_block {
    int node, rows, pivots;
    const int *row;
    soa_pivot *pivot; /* of lanes of states: with their numbers, block.kernel.h */
    int before;       /* the block before at the same node, or -1 */
    double *lane; /* lanes of states: by pivot, the column that it is in each lane, or -1; NULL: all have the same */
} soa_block;

/* A vector of multipliers that does nothing, unit length; rows that it has. */
typedef struct soa_null_vector {
    int rows;
    int first; /* the first vector that shares a row with it */
    int *row;
    double *x;
} soa_null_vector;

typedef struct soa_node {
    int part, body;
    int root;     /* of its branch: the node on the world */
    int parent;   /* node, or SOA_NO_NODE */
    int next;     /* the node to which its front goes, or SOA_NO_NODE */
    int end;      /* first end here: 2 tie + side, or -1 */
    int meet;     /* the next node inward of which `meets` is true, or SOA_NO_NODE */
    int loop;     /* the loop system that its joint belongs to, or -1: soa_find_loops */
    int joints;   /* to be crossed on the way there, its own too */
    int turn;     /* its run, if fronts hold several bodies */
    bool placed;  /* on the way to an end */
    bool coupled; /* a coupling has its joint */
    bool carries; /* rows may cross its joint */
    bool meets;   /* rows may have to be looked at here: an end, several fronts, a joint that is not plain */
    bool begins;  /* a plain leaf where the rows of one closure begin: these are made after its run */
    /* at a state */
    soa_front *came;
    int block; /* last block here, or -1 */
    int rows;  /* that crossed the joint */
    int width;
    const int *row;                   /* which */
    double *N;                        /* velocities x width */
    const double *stays;              /* soa_front.stays */
    double yields_turn, yields_shift; /* about how its body yields, were it free; where fronts hold bodies */
} soa_node;

/* Nodes that follow each other inward, each the parent of the one before it; one alone where rows may meet. */
typedef struct soa_node_run {
    int node; /* the outermost; the others have the numbers before it */
    int count;
} soa_node_run;

/* The fronts of one solution. */
typedef struct soa_fronts {
    int *where;       /* by row, held ones too: column of the front being made, or -1 */
    int *first_block; /* by row, held ones too: the first block in which it was, or -1 */
    soa_block *block; /* in the order in which they were made */
    int blocks, most_blocks;
    soa_front *leaving;     /* that has crossed all joints of the branch at hand, but for the last ones */
    soa_front *final_front; /* those whose rows no body could solve */
    double *held_P;         /* by node: P that has come in, as the kernels keep it; where fronts hold bodies */
    void *states;           /* the solution of lanes of states: solution.kernel.h */
    double *null;           /* by row, held ones too: null vector being made; zeros outside least_norm.c */
    int *null_first;        /* by row: the first null vector that has it, or -1 */
} soa_fronts;

/* How columns of a front cross joints of one system, for one width of lanes. */
typedef struct soa_cross_call {
    const soa_call *call;
    soa_articulated_state state;
    soa_front *front;
    soa_node *node;     /* whose joint it is; of several in a row the first */
    const double *nu;   /* D^-1 eps, by velocity */
    const double *a;    /* 6 per body */
    const double *gear; /* with a rotor: the column of K D, at the parent */
    bool projected;     /* N is made already */
} soa_cross_call;

/* Rows of a closure that come into a front at one of its ends, side by side. */
typedef struct soa_insertion {
    const double *W, *bias; /* 6 x SOA_MAX_LANES, SOA_MAX_LANES */
    const double *R, *l;    /* the body in the world: rotation by rows, position */
    const double *p;        /* origin of frame a */
    const double *base;     /* gravity as an acceleration */
    const double *yields;   /* about how the body yields, were it free: turn, shift */
    double sign;
    int at, rows; /* first column, and how many */
    bool alone;   /* the front has no other rows, and nothing has been written to it */
} soa_insertion;

/* How small fronts are solved in order. */
typedef struct soa_ordered {
    const double *yields;             /* about how the node yields, were it free: turn, shift */
    double tolerance, early, down_to; /* how large pivots must be: pivot.kernel.h */
    double *inverse;                  /* out: 1 / pivot, by row */
} soa_ordered;

/* The crossing of joints, for one width of lanes. */
typedef struct soa_cross_table {
    void (*project)(const soa_cross_call *call); /* N = H Y */
    void (*cross)(const soa_cross_call *call);
    /* Plain joints in a row, from the call's node by parents; N: of all of them. */
    void (*row)(const soa_cross_call *call, soa_node *nodes, int count, double *N);
    /* At the base alpha is known: Y goes into c. */
    void (*to_base)(soa_front *front, const double *base);
    /* Rows of a closure into SOA_MAX_LANES columns that follow each other. */
    void (*insert)(soa_front *front, const soa_insertion *from);
    /* A row out of the others; stays: by column 1, or 0 if it is gone: as is the pivot's then. */
    void (*subtract)(soa_front *front, const soa_pivot *pivot, double *stays);
    /* All rows of a front as wide as SOA_MAX_LANES, in order; false, and nothing changed: some pivot is too small. */
    bool (*solve_ordered)(soa_front *front, const soa_ordered *how);
} soa_cross_table;

const soa_cross_table *soa_closure_cross(soa_cpu cpu);

#endif
