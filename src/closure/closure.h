/* closure/closure.h - the inside of a set of closures.
 *
 * Bodies of all systems are nodes, numbered system after system. A closure has rows
 * W (world axes, at the origin of its frame a); row j says
 *     W_j (alpha_a - alpha_b) + bias_j = 0
 * and its multiplier lambda_j pushes a along W_j and b against it. */
#ifndef SOA_CLOSURE_CLOSURE_H
#define SOA_CLOSURE_CLOSURE_H

#include "core/state.h"
#include "dynamics/kernels.h"
#include "soa/closure.h"

enum { SOA_CLOSURE_MAX_ROWS = 6, SOA_NO_NODE = -1 };

/* One end of a closure: a frame on a body, or for a coupling a joint velocity. */
typedef struct soa_end {
    int system;
    int body; /* in its system, or SOA_WORLD */
    int node; /* the same among all, or SOA_NO_NODE */
    int v;    /* coupling: the velocity in its system */
    soa_pose at;
} soa_end;

/* A closure or coupling of the set. */
typedef struct soa_tie {
    bool used, enabled, coupling;
    int rows, first; /* first among the rows of the set; -1 while disabled */
    soa_closure closure;
    soa_coupling joint;
    soa_end a, b;
    double position[SOA_CLOSURE_MAX_ROWS], velocity[SOA_CLOSURE_MAX_ROWS], acceleration[SOA_CLOSURE_MAX_ROWS];
} soa_tie;

/* Bodies that it has, other than the world. */
static inline int soa_tie_ends(const soa_tie *tie)
{
    return (tie->a.node != SOA_NO_NODE) + (tie->b.node != SOA_NO_NODE);
}

/* A row at a state. Of a coupling, W holds the coefficients of its two velocities. */
typedef struct soa_row {
    double W[6];               /* (angular; linear), world axes */
    double W_dot[6];           /* its rate, after locate */
    double bias;               /* what is left of the acceleration of the row without alpha, less dU/dt */
    double position, velocity; /* by how much it is missed */
    double weight;             /* accelerations that meet in it, where rows depend on others */
    bool rolls;                /* has no position */
    int tie;
} soa_row;

/* Where a closure is at a state, world axes. */
typedef struct soa_tie_place {
    double p[3], r[3];                               /* origin of a, and from the origin of b to it */
    double R_b[3][3];                                /* frame b */
    double w_a[3], v_a[3];                           /* velocity of a at p */
    double w_b[3], v_b[3];                           /* velocity of b at p */
    double wrench[6];                                /* applied to a at p besides the rows, to b against it */
    double W[6][SOA_MAX_LANES], bias[SOA_MAX_LANES]; /* of its rows, side by side, while solved; zeros beyond them */
} soa_tie_place;

/* A system of the set. */
typedef struct soa_part {
    const soa_model *model;
    soa_workspace *workspace;
    int node, q, v; /* the first of each among those of all systems */
    soa_call call;
} soa_part;

/* Rows that wait at a node to be solved. Columns are rows of the closures; numbers of one
 * component of all columns lie side by side, `width` apart.
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
    size_t numbers;          /* how many there are from Y on */
} soa_front;

/* A row solved at a node, in terms of alpha and of rows solved later:
 *     lambda = -inverse (Y alpha + c + sum_j L_j lambda_j) */
typedef struct soa_pivot {
    int at; /* column of the block; dependent rows: inverse is 0 */
    double inverse, c;
    double sum; /* of what makes lambda, while it is gathered */
    const double *Y;
    size_t pitch; /* from one component of Y to the next */
    double *L;
} soa_pivot;

/* All rows solved at one node. */
typedef struct soa_block {
    int node, rows, pivots;
    const int *row;
    soa_pivot *pivot;
    int before; /* the block before at the same node, or -1 */
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
    int turn;     /* its place in held_order */
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
    double D_inv;                     /* plain joints */
    double yields_turn, yields_shift; /* about how its body yields, were it free; where fronts hold bodies */
} soa_node;

/* Nodes that follow each other inward, each the parent of the one before it; one alone where rows may meet. */
typedef struct soa_node_run {
    int node; /* the outermost; the others have the numbers before it */
    int count;
} soa_node_run;

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
    const double (*W)[SOA_MAX_LANES], *bias;
    const double *R, *l; /* the body in the world: rotation by rows, position */
    const double *p;     /* origin of frame a */
    const double *base;  /* gravity as an acceleration */
    double sign;
    double turn, shift; /* about how the body yields, were it free */
    int at;             /* first column */
    bool alone;         /* the front has no other rows, and nothing has been written to it */
} soa_insertion;

/* How small fronts are solved in order. */
typedef struct soa_ordered {
    double turn, shift;               /* about how the node yields, were it free */
    double tolerance, early, down_to; /* how large pivots must be: pivot.kernel.h */
    double *inverse;                  /* out: 1 / pivot, by row */
} soa_ordered;

/* Numbers of a front that is no more, to be used again. */
typedef struct soa_spare {
    struct soa_spare *next;
} soa_spare;

enum { SOA_SPARE_SIZES = 48 };

/* Memory for the fronts of one solution. What is taken stays, but for the numbers of fronts; what is borrowed, from the
 * other end, is given back. */
typedef struct soa_stack {
    char *at;
    size_t size, used, borrowed;
    bool overflow;
    soa_spare *spare[SOA_SPARE_SIZES]; /* by soa_spare_class */
} soa_stack;

/* Closures that share joints, and what is known of their rows wherever they are: soa_find_ranks. */
typedef struct soa_loop {
    int rank;             /* of the rows at a general configuration that satisfies them */
    double kept, dropped; /* smallest and largest singular value there of what counts and of what does not */
    double limit;         /* a direction beyond the rank counts above this */
} soa_loop;

/* The same of a choice of enabled closures, kept for when it comes again. */
enum { SOA_RANK_NOTES = 8, SOA_NOTE_LOOPS = 32 };
typedef struct soa_rank_note {
    unsigned long long key; /* 0: none */
    bool rounded, undecided, unmet, large, clear;
    soa_loop loop[SOA_NOTE_LOOPS];
    char nearly[SOA_CLOSURE_NOTE];
} soa_rank_note;

typedef struct soa_closure_table soa_closure_table;
typedef struct soa_cross_table soa_cross_table;

/* What is asked of the solver: of the real motion, or of a step in which neither velocities nor gravity
 * count and row i is to change by -target[i]. */
typedef enum soa_solve_mode { SOA_SOLVE_MOTION, SOA_SOLVE_STEP } soa_solve_mode;

/* What a state is given. */
typedef struct soa_closed_input {
    const double *q, *v, *T, *f;
    double *vdot;
    soa_solve_mode mode;
    const double *target; /* NULL: zeros */
    bool positions;       /* a step in positions: rows that have none do not count */
    bool identity;        /* a step that is short in the numbers of v; the tree alone gives that in kinetic energy */
} soa_closed_input;

/* Kernels of one profile. */
struct soa_closure_table {
    /* W, V of the bodies at ends, then place and row of all enabled closures. v NULL: rest. */
    void (*locate)(soa_closures *set, const soa_closed_input *in);
    /* row of one coupling */
    void (*coupling_at)(soa_closures *set, int tie, const soa_closed_input *in);
    /* place and row of one closure from the poses (12 numbers) and velocities (6) of its frames. */
    void (*rows_at)(
        soa_closures *set, int tie, const double *pose_a, const double *V_a, const double *pose_b, const double *V_b);
    /* The bodies' accelerations at vdot (NULL: zero) without gravity: rows' acceleration less dU/dt into out. */
    void (*accelerate)(soa_closures *set, const soa_closed_input *in, const double *vdot, double *out);
    /* How much one unit of each velocity turns, and moves, after locate. */
    void (*joint_sizes)(const soa_closures *set, double *turn, double *shift);
    /* J, rows x nv; locate first. */
    void (*jacobian)(soa_closures *set, double *J);
    /* y += J* x (transposed), or y = J x; after locate. `row`: nv numbers of scratch. */
    void (*multiply)(soa_closures *set, bool transposed, const double *x, double *row, double *y);
    /* y (nv) += what the wrench at a closure does to the joints, on a and against it on b; after locate. */
    void (*pull)(const soa_closures *set, int tie, const double wrench[6], double *y);
    /* Forward dynamics; the system and body that failed, or -1. */
    int (*solve)(soa_closures *set, const soa_closed_input *in, int *body);
};

struct soa_closures {
    soa_allocator allocator;
    const soa_closure_table *table;
    soa_closure_table by_points; /* the table, if some model has flexible links: flexible.c */
    bool flexible;
    double *located; /* then: the q of the last locate, and 6 nv of scratch */
    const soa_cross_table *cross;
    soa_arena arena;
    int systems, nodes, nq, nv;
    soa_part *part;
    int capacity, max_rows;
    int ties; /* numbers in use */
    int gaps; /* of them, those of closures that were removed */
    int rows;
    soa_closure_tolerances tolerance;
    double least_pivot; /* a pivot below this part of its row's compliance counts as zero: the row depends on others */
    soa_tie *tie;
    soa_row *row;
    soa_tie_place *place;
    int *next_end; /* by 2 tie + side */
    soa_node *node;
    int branches;      /* trees on the world */
    int *order;        /* their roots, in the order in which they are done */
    soa_node_run *run; /* all nodes, branch after branch in this order, inward */
    int *first_run;    /* by place in the order, and one more: the first run of the branch */
    int *by_branch;    /* nodes by branch, inside a branch inward */
    int *branch_count; /* by root: nodes in its branch */
    int *branch_first; /* by root: the first of them in by_branch */
    int *scratch;      /* 8 per node + 2 per tie: plan.c */
    bool planned;
    bool holds;      /* fronts hold several bodies: hold.c */
    int hold_above;  /* they may if more rows than this are at one joint; 0: they do */
    int *held_order; /* nodes as their joints are then crossed */
    double *held_P;  /* by node: P that has come in, as the kernels keep it */
    /* rank.c, spectrum.c */
    int loops;
    int *loop_of;   /* by tie: the loop system that it belongs to */
    soa_loop *loop; /* by loop system */
    bool ranked;    /* loop is made */
    bool rounded;   /* rows depend on each other but for the rounding of the numbers that describe them */
    bool undecided; /* whether they do cannot be told */
    bool unmet;     /* no configuration that satisfies them was found */
    bool large;     /* loop systems are too large for their singular values */
    bool clear;     /* if large: pivots tell, all the same, that no row depends on others nearly */
    soa_rank_note note[SOA_RANK_NOTES];
    unsigned long long geometry; /* changes with closures and tolerances */
    unsigned next_note;
    char nearly[SOA_CLOSURE_NOTE]; /* the closures whose rows do, or may */
    bool *depends;                 /* by row, if rounded or dense: it depends on others */
    bool dense;                    /* the last solution is that of dense.c */
    double *lambda;                /* by row, held ones too */
    int *where;                    /* the same: column of the front being made, or -1 */
    int *first_block;              /* the same: the first block in which it was, or -1 */
    double *null;                  /* the same: null vector being made; zeros outside least_norm.c */
    int *null_first;               /* by row: the first null vector that has it, or -1 */
    bool *contrary;                /* by row: it contradicts others */
    soa_front *leaving;            /* that have crossed all joints of the branch at hand, but for the last ones */
    soa_front *final_front;
    soa_stack stack;
    soa_block *block;
    int blocks, max_blocks;
    /* of the last solution */
    soa_solve_mode mode;
    bool solved;
    int rank, dependent, eliminated;
    bool contradiction;
    double largest_pivot, smallest_pivot, dropped_pivot, inconsistency;
    double kept, dropped; /* singular values of the last solution, or their estimates */
    double *forces;       /* 6 per node, zeros between calls */
    double *vector;       /* scratch: 32 nv + 8 rows */
    double *derivatives;  /* scratch of sens/closed.c and sens/closed_linear.c, or NULL: not reserved */
};

/* The crossing of joints, for one width of lanes. */
struct soa_cross_table {
    void (*project)(const soa_cross_call *call); /* N = H Y */
    void (*cross)(const soa_cross_call *call);
    /* Plain joints in a row, from the call's node by parents; N: of all of them. */
    void (*row)(const soa_cross_call *call, soa_node *nodes, int count, double *N);
    /* At the base alpha is known: Y goes into c. */
    void (*to_base)(soa_front *front, const double base[3]);
    /* Rows of a closure into SOA_MAX_LANES columns that follow each other. */
    void (*insert)(soa_front *front, const soa_insertion *from);
    /* A row out of the others; stays: by column 1, or 0 if it is gone: as is the pivot's then. */
    void (*subtract)(soa_front *front, const soa_pivot *pivot, double *stays);
    /* All rows of a front as wide as SOA_MAX_LANES, in order; false, and nothing changed: some pivot is too small. */
    bool (*solve_ordered)(soa_front *front, const soa_ordered *how);
};

const soa_closure_table *soa_closure_kernels(soa_cpu cpu);
const soa_cross_table *soa_closure_cross(soa_cpu cpu);

/* ---- kinds --------------------------------------------------------------------------- */

/* Which of the six velocities in axes of b the kind holds, bit i for component i; 0: special. */
unsigned soa_kind_mask(soa_closure_kind kind);
bool soa_kind_contact(const soa_closure *closure);
int soa_closure_row_count(const soa_closure *closure);

/* ---- the set ---------------------------------------------------------------------------- */

/* Numbers the rows of the enabled closures. */
void soa_number_rows(soa_closures *set);

/* What changes after soa_closures_new: keep.c. */
void soa_closures_pass(soa_closures *set, soa_state *state);

/* The order of elimination; called before a solution if closures changed. */
void soa_plan(soa_closures *set);

/* The same for fronts that hold several bodies, if they are worth it: true. */
bool soa_plan_hold(soa_closures *set);

/* Columns of bodies that fronts hold are named like rows: six behind those of the set, for each node. */
static inline int soa_held_row(const soa_closures *set, int node)
{
    return set->max_rows + 1 + 6 * node;
}

static inline bool soa_is_held(const soa_closures *set, int row)
{
    return row > set->max_rows;
}

soa_tie *soa_tie_at(const soa_closures *set, int closure);

/* Its name, or the links that it joins, into text; returns text. */
enum { SOA_CLOSURE_LABEL = 160 };
const char *soa_closure_label(const soa_closures *set, int closure, char *text, size_t size);
/* "'a', 'b' and 2 more": the closures with marked rows; how many they are. */
int soa_list_closures(const soa_closures *set, const bool *marked, char *text, size_t size);
soa_status soa_fail_undecided(const soa_closures *set, soa_error *error);
soa_status soa_fail_contradiction(const soa_closures *set, soa_error *error);
soa_status soa_fail_tie(soa_error *error, const soa_closures *set, int closure, const char *what);

/* n numbers of an input are finite; NULL is. */
soa_status soa_check_numbers(const double *x, size_t n, const char *name, soa_error *error);

/* A result: that many numbers for each velocity of all systems, for each row, or in all. */
typedef enum soa_closed_items { SOA_BY_VELOCITY, SOA_BY_ROW, SOA_IN_ALL } soa_closed_items;
typedef struct soa_closed_result {
    const char *name;
    double *at; /* NULL: not asked for */
    size_t columns;
    soa_closed_items by;
} soa_closed_result;

/* SOA_E_NUMBER, and the result becomes NaN, if one of its numbers is not finite. */
soa_status soa_closed_finite(const soa_closures *set, soa_closed_result y, soa_error *error);

/* The status of a state, or SOA_E_NUMBER if a result is not finite; all results become NaN unless it is SOA_OK. */
soa_status soa_closed_done(
    const soa_closures *set, soa_status status, int count, const soa_closed_result *y, soa_error *error);

/* The numbers of a state in an array that has n of them for each; NULL stays. */
static inline const double *soa_given_at(const double *x, int n, int state)
{
    return x ? x + (size_t)n * (size_t)state : NULL;
}

static inline double *soa_result_at(double *y, int n, int state)
{
    return y ? y + (size_t)n * (size_t)state : NULL;
}

/* States of a call, one after another:
 *     soa_each each = soa_each_state(set, states, all, error);
 *     while (soa_each_next(&each)) { soa_each_done(&each, solve(set, &each.in, each.error)); }
 *     return each.status;                                                                         of the first that failed */
typedef struct soa_each {
    int states, state;    /* how many there are, and which one is at hand */
    int nq, nv, bodies;   /* in one state */
    soa_closed_input all; /* arrays of all states */
    soa_closed_input in;  /* the state at hand */
    soa_status status;
    soa_error *error; /* for the state at hand; NULL after one has failed */
} soa_each;

soa_each soa_each_state(const soa_closures *set, int states, soa_closed_input all, soa_error *error);
bool soa_each_next(soa_each *each);
void soa_each_done(soa_each *each, soa_status status);

/* Inputs are finite, quaternions of unit length; T named in messages. */
soa_status soa_check_closed(soa_closures *set, const soa_closed_input *in, soa_error *error);

/* soa_closed_inverse_dynamics where in->T acts already: the smallest T that, with it, gives vdot. */
soa_status soa_closed_drive(soa_closures *set, const soa_closed_input *in, const double *vdot, const double *weight,
    double *T, soa_error *error);

/* Models with flexible links: the table goes by points, and the same solution. */
void soa_closures_by_points(soa_closures *set);
soa_status soa_solve_flexible(soa_closures *set, const soa_closed_input *in, soa_error *error);

/* The frame of an end, 2 tie + side. */
soa_point soa_end_point(const soa_closures *set, int end);

/* A row, or wrench, W at the origin of frame a as it acts on the frame of one end; r: from the origin of b to that of a. */
void soa_row_at_end(const double W[6], const double r[3], int side, double A[6]);

/* A alpha of an end that moves with V, whose origin accelerates by a: alpha is w x v less than that. */
double soa_end_acceleration(const double A[6], const double V[6], const double a[6]);

/* A solution in the mode of the input, with the least norm of lambda. */
soa_status soa_solve_closed(soa_closures *set, const soa_closed_input *in, soa_error *error);

/* The same by what the rows leave free, dense; the sizes of singular values decide what counts: nullspace.c. */
typedef enum soa_dense_result { SOA_DENSE_SOLVED, SOA_DENSE_NO_ROOM, SOA_DENSE_SINGULAR } soa_dense_result;
size_t soa_dense_bytes(size_t rows, size_t nv, size_t nq); /* what that takes at most, and soa_find_ranks */
soa_dense_result soa_solve_dense(soa_closures *set, const soa_closed_input *in, soa_error *error);

/* Closures are others, or changed themselves. */
void soa_forget_ranks(soa_closures *set, bool changed);

/* Finds out, once after closures have changed, which rows depend on each other but for rounding: rank.c. */
void soa_find_ranks(soa_closures *set);

/* The largest singular value that does not count in general configurations; 0 if none is known. */
double soa_rounding(const soa_closures *set);

/* Scaled pivots are squares of singular values, about. Where rows depend on each other but for rounding pivots are below the
 * first; those that are dropped for nothing below the second. */
#define SOA_UNCLEAR_PIVOT 1e-8
#define SOA_DROPPED_PIVOT 1e-14

/* Without a tolerance of the rank. */
#define SOA_LEAST_PIVOT 1e-12

/* Below this many rows at one joint nothing is to be gained by fronts that hold several bodies. */
#define SOA_HOLD_ABOVE 24

/* Accelerations of dependent rows may differ by this part of those that meet in them. */
#define SOA_CONTRADICTION 1e-6

/* Whether each loop system is allowed most of its own part of the motion d; t: what the closures leave of d. */
bool soa_loops_allow(soa_closures *set, const double *d, const double *t);

/* All free again. */
void soa_stack_begin(soa_stack *stack);

/* NULL: no more room. */
void *soa_stack_take(soa_stack *stack, size_t count, size_t size);

/* From the other end; given back by setting stack->borrowed to what it was. */
void *soa_stack_borrow(soa_stack *stack, size_t count, size_t size);

/* Room for that many numbers of a front, and the end of it. */
double *soa_stack_numbers(soa_stack *stack, size_t count);
void soa_stack_spare(soa_stack *stack, double *numbers, size_t count);

/* Which rows the last solution found to depend on others, set->rows answers. */
void soa_dependent_rows(const soa_closures *set, bool *depends);

/* lambda's part in the null space of the dependent rows is taken off; fills in inconsistency. */
void soa_least_norm(soa_closures *set);

#endif
