/* closure/closure.h - the inside of a set of closures.
 *
 * Bodies of all systems are nodes, numbered system after system. A closure has rows
 * W (world axes, at the origin of its frame a); row j says
 *     W_j (alpha_a - alpha_b) + bias_j = 0
 * and its multiplier lambda_j pushes a along W_j and b against it. */
#ifndef SOA_CLOSURE_CLOSURE_H
#define SOA_CLOSURE_CLOSURE_H

#include "closure/each_state.h"
#include "closure/fronts.h"
#include "closure/ranks.h"
#include "closure/stack.h"
#include "core/state.h"

enum { SOA_CLOSURE_MAX_ROWS = 6 };

/* One end of a closure: a frame on a body, or for a coupling a joint velocity. */
typedef struct soa_end {
    int system;
    int body; /* in its system, or SOA_WORLD */
    int node; /* the number of the body among those of all systems, or SOA_NO_NODE */
    int v;    /* coupling: the velocity in its system */
    soa_pose at;
} soa_end;

/* A closure or coupling of the set. */
typedef struct soa_tie {
    bool used, enabled, coupling;
    int rows, first; /* first among the rows of the set; -1 while disabled */
    soa_closure closure;
    soa_coupling joint;
    soa_end end[2]; /* of frames a and b */
    double position[SOA_CLOSURE_MAX_ROWS], velocity[SOA_CLOSURE_MAX_ROWS], acceleration[SOA_CLOSURE_MAX_ROWS];
} soa_tie;

/* Bodies that it has, other than the world. */
static inline int soa_tie_ends(const soa_tie *tie)
{
    return (tie->end[0].node != SOA_NO_NODE) + (tie->end[1].node != SOA_NO_NODE);
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
    int node, q, v;      /* the first of each among those of all systems */
    soa_call call, many; /* of one state, of lanes of states */
} soa_part;

/* Kernels of one profile. */
typedef struct soa_closure_table {
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
} soa_closure_table;

const soa_closure_table *soa_closure_kernels(soa_cpu cpu);

/* Kernels for lanes of states, of one profile. */
typedef struct soa_states_table {
    int lanes;
    /* Bytes that soa_fronts.states takes. */
    size_t (*size)(const soa_closures *set);
    /* Forward dynamics of count states, of which `in` is the first: a bit for each that came out as it would alone. */
    unsigned (*solve)(soa_closures *set, const soa_closed_input *in, int count);
    /* What came out at one of them, into set->last and in->vdot; with its rows and places, if these are asked for. */
    void (*take)(soa_closures *set, const soa_closed_input *in, int lane, bool rows);
} soa_states_table;

/* NULL: the processor has not so many lanes, or it is one. */
const soa_states_table *soa_states_kernels(soa_cpu cpu, int lanes);

/* The order of elimination. plan.c and hold_bodies.c make it when closures have changed; the kernels read it. */
typedef struct soa_closure_plan {
    bool made;
    int *next_end;     /* by 2 tie + side: the next end at the same node, or -1 */
    int branches;      /* trees on the world */
    int *order;        /* their roots, in the order in which they are done */
    soa_node_run *run; /* all nodes in the order in which they are left behind: branch after branch, inward */
    int runs;
    int *first_run;    /* by place in the order, and one more: the first run of the branch */
    int *by_branch;    /* nodes by branch, inside a branch inward */
    int *branch_count; /* by root: nodes in its branch */
    int *branch_first; /* by root: the first of them in by_branch */
    bool holds;        /* fronts hold several bodies: hold_bodies.c */
    int left_out;      /* blocks of states that are not tried in lanes: states.c */
    int hold_above;    /* they may if more rows than this are at one joint; 0: they do */
} soa_closure_plan;

/* What came out at the last state. The solvers write it: kernels with least_norm.c, nullspace.c, inverse.c, partitions. */
typedef struct soa_closed_solution {
    soa_solve_mode mode;
    double *lambda; /* by row, held ones too */
    bool dense;     /* by nullspace.c */
    bool *depends;  /* by row, if dense: it depends on others */
    bool *contrary; /* by row: it contradicts others */
    int dependent, eliminated;
    bool contradiction;
    double largest_pivot, smallest_pivot, dropped_pivot, inconsistency;
    double kept, dropped; /* singular values, or their estimates */
} soa_closed_solution;

/* Numbers that mean nothing between calls. */
typedef struct soa_closed_scratch_room {
    double *vector;      /* 32 nv + 8 rows */
    double *located;     /* of models with flexible links: the q of the last locate, and 6 nv numbers */
    double *derivatives; /* of sens/closed.c and sens/closed_linear.c, or NULL: not reserved */
    int *ints;           /* 8 per node + 2 per tie: plan.c, spectrum.c */
} soa_closed_scratch_room;

struct soa_closures {
    /* the systems, which stay: set.c */
    soa_allocator allocator;
    soa_arena arena;
    const soa_closure_table *table;
    soa_closure_table by_points; /* the table, if some model has flexible links: flexible_rows.c */
    const soa_cross_table *cross;
    const soa_states_table *states; /* NULL: states are solved one by one */
    bool flexible;
    int systems, nodes, nq, nv;
    soa_part *part;
    /* the closures as they are described: add.c, rank.c (tolerances) */
    int capacity, max_rows;
    int ties; /* numbers in use */
    int gaps; /* of them, those of closures that were removed */
    int rows;
    soa_closure_tolerances tolerance;
    double least_pivot; /* a pivot below this part of its row's compliance counts as zero: the row depends on others */
    soa_tie *tie;
    /* where they are at a state: kernels and flexible_rows.c */
    soa_row *row;
    soa_tie_place *place;
    soa_node *node; /* and how fronts pass: plan.c, hold_bodies.c */
    soa_closure_plan plan;
    soa_ranks ranks;
    soa_fronts fronts;
    soa_stack stack; /* memory of fronts and dense matrices */
    soa_closed_solution last;
    soa_closed_scratch_room scratch;
};

/* ---- kinds --------------------------------------------------------------------------- */

/* Which of the six velocities in axes of b the kind holds, bit i for component i; 0: special. */
unsigned soa_kind_mask(soa_closure_kind kind);
bool soa_kind_contact(const soa_closure *closure);
int soa_closure_row_count(const soa_closure *closure);
/* Where what slides goes in frame b, unit length; zero: it rests. */
void soa_slip_direction(const soa_closure *closure, double along[3]);

/* ---- the set ---------------------------------------------------------------------------- */

/* Makes the plan; called before a solution if closures have changed. */
void soa_plan_closures(soa_closures *set);

/* Plans fronts that hold several bodies; false: they are not worth it, and nothing has changed. */
bool soa_plan_hold(soa_closures *set);

/* Numbers the rows of the enabled closures. */
void soa_number_rows(soa_closures *set);

/* What changes after soa_closures_new: keep.c. */
void soa_closures_pass(soa_closures *set, soa_state *state);

/* Columns of bodies that fronts hold are named like rows: six behind those of the set, for each node. */
static inline int soa_held_row(const soa_closures *set, int node)
{
    return set->max_rows + 1 + 6 * node;
}

static inline bool soa_is_held(const soa_closures *set, int row)
{
    return row > set->max_rows;
}

/* NULL: the set has none of this number. */
soa_tie *soa_tie_at(const soa_closures *set, int closure);

/* q_out = q moved by so many times d, nv numbers, on the manifold; q_out may be q. */
void soa_closures_move(const soa_closures *set, const double *q, const double *d, double by, double *q_out);

/* The body nearest to the base among two nodes of one branch and what both hang on. */
static inline int soa_common_node(const soa_closures *set, int a, int b)
{
    while (a != b) {
        int *further = a > b ? &a : &b; /* parents have lower numbers */
        *further = set->node[*further].parent;
    }
    return a;
}

/* The first of those to which i belongs, in[i] being i itself or one before it. */
static inline int soa_first_of(int *in, int i)
{
    while (in[i] != i) {
        in[i] = in[in[i]];
        i = in[i];
    }
    return i;
}

/* Adds to closed by how much rows are missed at the state that was located. */
void soa_tell_missed(const soa_closures *set, soa_closed *closed);

/* Writes the name of a closure, or the links that it joins, into text, and returns text. */
enum { SOA_CLOSURE_LABEL = 160 };
const char *soa_closure_label(const soa_closures *set, int closure, char *text, size_t size);
/* "'a', 'b' and 2 more": the closures with marked rows; how many they are. */
int soa_list_closures(const soa_closures *set, const bool *marked, char *text, size_t size);
soa_status soa_fail_room(const soa_closures *set, const char *what, soa_error *error);
soa_status soa_fail_undecided(const soa_closures *set, soa_error *error);
soa_status soa_fail_contradiction(const soa_closures *set, soa_error *error);
soa_status soa_fail_tie(soa_error *error, const soa_closures *set, int closure, const char *what);

/* soa_closed_inverse_dynamics where in->T acts already: the smallest T that, with it, gives vdot. */
soa_status soa_closed_drive(soa_closures *set, const soa_closed_input *in, const double *vdot, const double *weight,
    double *T, soa_error *error);

/* For models with flexible links: a table that goes by points, and the solution as a whole. */
void soa_closures_by_points(soa_closures *set);
soa_status soa_solve_flexible(soa_closures *set, const soa_closed_input *in, soa_error *error);

/* The frame of an end, 2 tie + side. */
soa_point soa_end_point(const soa_closures *set, int end);

/* A row, or wrench, W at the origin of frame a as it acts on the frame of one end; r: from the origin of b to that of a. */
void soa_row_at_end(const double W[6], const double r[3], int side, double A[6]);

/* A alpha of an end that moves with V, whose origin accelerates by a: alpha is w x v less than that. */
double soa_end_acceleration(const double A[6], const double V[6], const double a[6]);

/* States in lanes: states.c. Solves as many of count states, of which `in` is the first, as there are lanes: how many that
 * were, and in solved a bit for each that came out as it would alone. */
int soa_solve_lanes(soa_closures *set, const soa_closed_input *in, int count, unsigned *solved);

/* Whether one of them is to be used; if so, set->last and in->vdot are what soa_solve_closed leaves, and so are rows and
 * places if they are asked for. */
bool soa_take_lane(soa_closures *set, const soa_closed_input *in, int lane, bool rows);

/* Whether what the tree has solved can be gone by: no pivot raises the question of ranks, nor is one too rough. forward.c */
bool soa_pivots_clear(soa_closures *set);

/* A solution in the mode of the input, with the least norm of lambda. */
soa_status soa_solve_closed(soa_closures *set, const soa_closed_input *in, soa_error *error);

/* Solves the whole densely, by the motions that the rows leave free; singular values decide what counts: nullspace.c. */
typedef enum soa_dense_result { SOA_DENSE_SOLVED, SOA_DENSE_NO_ROOM, SOA_DENSE_SINGULAR } soa_dense_result;
size_t soa_dense_bytes(size_t rows, size_t nv, size_t nq); /* what that takes at most, and soa_find_ranks */
soa_dense_result soa_solve_dense(soa_closures *set, const soa_closed_input *in, soa_error *error);

/* Scaled pivots are squares of singular values, about. Where rows depend on each other but for rounding pivots are below the
 * first; those that are dropped for nothing below the second. */
#define SOA_UNCLEAR_PIVOT 1e-8
#define SOA_DROPPED_PIVOT 1e-14

/* set->least_pivot if no tolerance of the rank is given. */
#define SOA_LEAST_PIVOT 1e-12

/* Below this many rows at one joint nothing is to be gained by fronts that hold several bodies. */
#define SOA_HOLD_ABOVE 24

/* Accelerations of dependent rows may differ by this part of those that meet in them. */
#define SOA_CONTRADICTION 1e-6

/* Whether each loop system is allowed most of its own part of the motion d; t: what the closures leave of d. */
bool soa_loops_allow(soa_closures *set, const double *d, const double *t);

/* What friction does to frame a of a closure that slides and is pressed by `push`; after locate. */
void soa_friction_wrench(const soa_closures *set, int tie, double push, double wrench[6]);

/* Which rows the last solution found to depend on others, set->rows answers. */
void soa_dependent_rows(const soa_closures *set, bool *depends);

/* lambda's part in the null space of the dependent rows is taken off; fills in inconsistency. */
void soa_least_norm(soa_closures *set);

#endif
