/* expr/graph.h - what expressions compute, step by step: a graph of vectors and matrices.
 *
 * A step is a vector per body (or per joint, point, row). Each is made once; steps
 * that others need come before them. Operators that are products of others are
 * opened: Mass, Mass^-1 [I6], Omega, Lambda, J. What the state of the model gives (V, a, b,
 * P with D and G, R, Ups) are steps too, so that they find a sweep like all others.
 * An operator that is inverted, or is a result, is a matrix: made by a kernel, from other matrices, or
 * column by column with a graph of its own.
 *
 * A graph goes through three stages: steps are added (soa_graph_add), merged and dealt to sweeps
 * (soa_graph_plan), and turned into instructions (soa_graph_compile). */
#ifndef SOA_EXPR_FLOW_H
#define SOA_EXPR_FLOW_H

#include "expr/parse.h"
#include "expr/recognise.h"
#include "expr/step_table.h"

/* What an expression costs when it is run. */
typedef struct soa_cost {
    int order;          /* 1: O(N), 2: O(N^2), 3: O(N^3) */
    int sweeps;         /* after fusion */
    int sweeps_written; /* as the expression is written: the papers' count */
    double flops;       /* per body, of one-dof joints; of the sweeps alone */
    int steps;          /* of the graph */
} soa_cost;

/* The cost of a vector, or of an operator applied to one. What is written is counted: Mass^-1 is
 * the inverse of a matrix, in O(N^3), until it is written by its factors. (graph_code.c) */
soa_status soa_cost_of(soa_terms *pool, const soa_term *term, soa_cost *cost, soa_error *error);

/* Negative: a is cheaper. Order, sweeps, flops, steps. */
int soa_cost_compare(const soa_cost *a, const soa_cost *b);

typedef enum soa_step_kind {
    SOA_STEP_ZERO,
    SOA_STEP_INPUT,  /* given by name */
    SOA_STEP_STATE,  /* soa_state_part */
    SOA_STEP_SUM,    /* factor[0] input[0] + ... */
    SOA_STEP_APPLY,  /* op, or its adjoint, on input[0] */
    SOA_STEP_BRANCH, /* X y: input[0] = psi y, input[1] = E_psi psi y  [I11] */
    SOA_STEP_MATRIX, /* matrices[matrix], or its adjoint, on input[0] */
    SOA_STEP_DOT,    /* input[0]* input[1], a number */
    SOA_STEP_SCALE,  /* input[0] times the number input[1] */
} soa_step_kind;

/* The most derivatives of one operator: d(d(A, q_i), q_j). */
enum { SOA_ALONG = 2 };

/* Which coordinates something is the derivative along, that taken first in front: numbers in the
 * graph's list. */
typedef struct soa_along {
    int count;
    int at[SOA_ALONG];
} soa_along;

static inline bool soa_along_equal(soa_along a, soa_along b)
{
    return a.count == b.count && a.at[0] == b.at[0] && a.at[1] == b.at[1];
}

/* A coordinate q_3, beta_elbow, t, and what it is in the model (-1 without one, and for t). */
typedef struct soa_graph_coordinate {
    const soa_term *term;
    soa_by by;
    int velocity, body;
} soa_graph_coordinate;

typedef struct soa_step {
    soa_step_kind kind;
    soa_place place;
    soa_operator op;
    bool adjoint;
    soa_state_part state;
    soa_along along;  /* APPLY, STATE: the derivative of that */
    const char *name; /* INPUT */
    int matrix;       /* INPUT: matrix + 1 is where its numbers are, 0: they are bound by name */
    int need;         /* the step of the state that it uses besides its inputs, or -1 */
    int count;
    const int *input;
    const double *factor; /* SUM */
    int uses;             /* by other steps and outputs */
    /* compiled: its instruction (instructions.def), and the steps that this reads and writes */
    soa_code code; /* SOA_CODE_NONE: it needs none, or the step input[0] computes it too */
    int y, y2;     /* itself; what it computes too */
    int x, x2;     /* -1: none; x2 of a derivative: the part of the state that it is made of */
} soa_step;

/* What a step is to the schedule, to its cost and to the kernels (step_table.c). */
typedef struct soa_step_info {
    soa_reach reach;
    double flops; /* per body, of a joint with one velocity */
    soa_code code;
} soa_step_info;

/* A direction of slopes on models with flexible links: what changes, and along which velocity (-1: with the time). */
typedef struct soa_direction {
    soa_by by;
    int velocity;
} soa_direction;

/* How a matrix comes about. */
typedef enum soa_matrix_kind {
    SOA_MATRIX_GIVEN,        /* bound by name */
    SOA_MATRIX_INVERSE,      /* of part[0] */
    SOA_MATRIX_ROOT,         /* of part[0], block by block; its derivative if that of part[0] is part[1] */
    SOA_MATRIX_INVERSE_ROOT, /* of part[0], block by block */
    SOA_MATRIX_SELECT,       /* I at the body or point `index`, 0 elsewhere */
    SOA_MATRIX_PSEUDO,       /* the pseudo-inverse of part[0] */
    SOA_MATRIX_MEASURE,      /* trace, diagonal or log det of part[0]: what an input is bound to */
    SOA_MATRIX_UNIT,         /* the unit vector of velocity `index`, alike */
    SOA_MATRIX_KERNEL,
    SOA_MATRIX_CONSTRAINTS, /* A */
    SOA_MATRIX_COLUMNS,     /* graph on unit vectors; of blocks: on six vectors, unit i of every body */
    SOA_MATRIX_PRODUCT,     /* part[0] part[1] ... */
    SOA_MATRIX_SUM,         /* factor[0] part[0] + ... */
} soa_matrix_kind;

typedef struct soa_graph_matrix {
    soa_matrix_kind kind;
    const soa_term *term; /* that it is, or is the inverse or root of */
    const soa_term *rate; /* ROOT: the derivative of the term; NULL: it is the root itself */
    bool blocks;          /* memoryless: one block per body, 6 x 6 numbers */
    bool adjoint;         /* GIVEN, CONSTRAINTS: the transpose */
    soa_expr_kernel kernel;
    soa_measure measure;
    int index;                      /* of a body, a point, or (UNIT, SOA_BY_MASS_RATE) a velocity */
    soa_direction slope[SOA_ALONG]; /* COLUMNS: their slope along the first, and how that changes along the second; of
                                     * SOA_BY_NOTHING: there is none */
    soa_block block; /* COLUMNS of one block alone, its bodies by name; of a measured operator that is one */
    int count;
    struct soa_graph_matrix **part; /* count of them */
    const double *factor;
    struct soa_graph *graph;
} soa_graph_matrix;

/* A vector by name, and the step that is it. */
typedef struct soa_graph_output {
    const char *name;
    const soa_term *term;
    int step;
} soa_graph_output;

/* Which sweep computes what.
 *
 * Sweeps alternate between inward and outward. A step at body k needs its inputs at k
 * (local), at the bodies on it (near inward) or at its parent (near outward), or
 * itself there too (a recursion). So it fits into a sweep in which its inputs are
 * ready at k when k's turn comes; taking each step as early as possible gives the
 * fewest sweeps. */
/* Vectors that stand for themselves: read anywhere, computed nowhere. */
enum { SOA_BEFORE = -1 };

typedef struct soa_schedule {
    int sweeps;  /* that run */
    int counted; /* those with a recursion: what a cost counts */
    bool inward_first;
    int *sweep; /* by step: where it is computed; SOA_BEFORE: before all; WHOLE: behind that sweep */
} soa_schedule;

static inline bool soa_sweep_inward(const soa_schedule *schedule, int sweep)
{
    return schedule->inward_first == (sweep % 2 == 0);
}

/* Steps with instructions, sweep after sweep. */
typedef struct soa_instructions {
    soa_array code; /* soa_step * */
    int *first;     /* by sweep + 1: its first instruction at bodies; 0: before all sweeps */
    int *whole;     /* by sweep + 1: its first instruction behind it */
} soa_instructions;

typedef struct soa_graph {
    soa_arena *arena; /* of all that it has */
    soa_terms *terms;
    const soa_model *model; /* NULL: none, and any coordinate will do */
    bool rotors;            /* Mass has the parts of rotors */
    bool literal;           /* Mass^-1 stays the inverse of a matrix */
    bool turning;           /* b_Arm is not zero */
    soa_array steps;        /* soa_step */
    soa_array matrices;     /* soa_graph_matrix */
    soa_array outputs;      /* soa_graph_output */
    soa_array coordinates;  /* soa_graph_coordinate */
    soa_array calls;        /* soa_graph_output: computed by kernels before all steps; inputs stand for them */
    int visits;             /* of terms */
    soa_status status;      /* of the first failure */
    soa_error *error;
    /* planned */
    soa_schedule schedule;
    soa_cost cost;
    bool points;     /* the frames of the bodies in the world are read */
    bool velocities; /* beta is read */
    /* compiled */
    bool *demanded;              /* by step: has a value of its own */
    soa_instructions all, again; /* again: those alone that look at the argument, where the others were run before */
} soa_graph;

/* The most steps of a graph: an expression that needs more is refused. */
enum { SOA_GRAPH_STEPS = 4096 };

/* The input that an operator-valued term is applied to. */
#define SOA_GRAPH_ARGUMENT ""

soa_graph soa_graph_begin(soa_terms *terms, soa_arena *arena, soa_error *error);

/* Lowers a term as the output of that name; later terms that name it use its value. */
soa_status soa_graph_add(soa_graph *graph, const char *name, const soa_term *term);

/* Takes a term as computed by a kernel: where it occurs in terms added later, the value is used. */
soa_status soa_graph_add_call(soa_graph *graph, const char *name, const soa_term *term);

/* After all outputs. A x + A y becomes A (x + y) where nothing else uses A x and A y, unused steps go, steps have their
 * number of uses (graph_merge.c); then all are dealt to the fewest sweeps. */
soa_status soa_graph_plan(soa_graph *graph);
void soa_graph_merge(soa_graph *graph);

/* The instructions of a planned graph (graph_code.c). */
soa_status soa_graph_compile(soa_graph *graph);
void soa_graph_fuse(soa_graph *graph); /* graph_fuse.c: what one instruction does together */

soa_step_info soa_step_about(const soa_graph *graph, int step);

static inline soa_step *soa_graph_step(const soa_graph *graph, int step)
{
    return (soa_step *)graph->steps.items + step;
}

static inline soa_graph_output *soa_graph_output_at(const soa_graph *graph, int output)
{
    return (soa_graph_output *)graph->outputs.items + output;
}

static inline soa_graph_matrix *soa_graph_matrix_at(const soa_graph *graph, int matrix)
{
    return (soa_graph_matrix *)graph->matrices.items + matrix;
}

static inline const soa_graph_coordinate *soa_graph_coordinate_at(const soa_graph *graph, int coordinate)
{
    return (const soa_graph_coordinate *)graph->coordinates.items + coordinate;
}

/* Whether a step is this operator (or adjoint) on something, and no derivative. */
static inline bool soa_step_is(const soa_step *step, soa_operator op, bool adjoint)
{
    return step->kind == SOA_STEP_APPLY && step->op == op && step->adjoint == adjoint && step->along.count == 0;
}

/* Whether a step is this part of the state, and no derivative. */
static inline bool soa_step_is_state(const soa_step *step, soa_state_part part)
{
    return step->kind == SOA_STEP_STATE && step->state == part && step->along.count == 0;
}

/* ---- the schedule (schedule.c) -------------------------------------------------------------------- */

soa_reach soa_step_reach(const soa_graph *graph, int step);

/* Makes the schedule of a merged graph; it lives in the graph's arena. */
void soa_schedule_make(soa_graph *graph);

/* Sweeps as the expression is written: each recursion in it is a sweep of its own if it
 * works on the result of another one; V, P and their like go with the others. */
int soa_schedule_written(soa_graph *graph);

/* ---- making steps (graph.c); -1: the graph has failed ------------------------------------ */

int soa_graph_make(soa_graph *graph, soa_step like);
int soa_graph_fail(soa_graph *graph, soa_status status, const char *text);
int soa_graph_input(soa_graph *graph, const char *name, soa_place place);
int soa_graph_state(soa_graph *graph, soa_state_part part);
int soa_graph_sum(soa_graph *graph, soa_place place, int count, const double *factor, const int *input);
int soa_graph_apply_one(soa_graph *graph, soa_operator op, bool adjoint, int x);
int soa_graph_zero(soa_graph *graph, soa_place place);
int soa_graph_multiply(soa_graph *graph, soa_graph_matrix like, soa_place to, bool adjoint, int x); /* by a matrix */

/* An input whose numbers are those of the matrix. */
int soa_graph_measured(soa_graph *graph, soa_graph_matrix like, const char *name, soa_place place);

/* Zeroed room for count items and one; NULL: the graph has failed. */
void *soa_graph_take(soa_graph *graph, size_t count, size_t size);

/* ---- terms into steps (graph_lower.c) ---------------------------------------------------------- */

/* What a vector is applied to to be itself: the number 1, which is no step. */
enum { SOA_GRAPH_ONE = -2 };

/* The step of a term, or of its adjoint, on step x; -1: the graph has failed. */
int soa_graph_apply(soa_graph *graph, const soa_term *term, bool adjoint, int x);

/* Counts a call on the term; true: there were too many, or it is too deep, and the graph has failed. */
bool soa_graph_too_long(soa_graph *graph, const soa_term *term);

/* The term of a text of a list; NULL: the graph has failed. */
const soa_term *soa_graph_parse(soa_graph *graph, const char *text);

/* The number of the body, or point, of that name; -1: the error says why. */
int soa_model_find_part(const soa_model *model, soa_space space, const char *name, soa_error *error);

/* ---- derivatives (graph_derive.c: terms; graph_along.c: steps) ----------------------------------------- */

/* The term with no derivatives but elementary ones: of operators of the list operators.def, and of
 * a, b, g. NULL: the graph has failed. */
const soa_term *soa_graph_expanded(soa_graph *graph, const soa_term *term);

/* The term with its derivatives expanded, and Mass^-1 in its factors [I6]. */
const soa_term *soa_graph_factored(soa_graph *graph, const soa_term *term);

/* An elementary derivative of an operator, or of its adjoint, on a step; of a vector, x being SOA_GRAPH_ONE. */
int soa_graph_apply_derivative(soa_graph *graph, const soa_term *term, bool adjoint, int x);

/* The velocity of the model that a coordinate q_3, q_elbow is; -1: the graph has failed. */
int soa_graph_velocity(soa_graph *graph, const soa_term *coordinate);

/* What an elementary derivative is of, and along what; NULL: the graph has failed. */
const soa_term *soa_graph_along(soa_graph *graph, const soa_term *derivative, soa_along *along);

#endif
