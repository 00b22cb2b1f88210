/* expr/flow.h - what expressions compute, step by step: a graph of vectors.
 *
 * A step is a vector per body (or per joint, point, row). Each is made once; steps
 * that others need come before them. Operators that are products of others are
 * opened: Mass, Mass^-1 [I6], Omega, Lambda, J. What the state of the model gives (V, a, b,
 * P with D and G, R, Ups) are steps too, so that they find a sweep like all others. */
#ifndef SOA_EXPR_FLOW_H
#define SOA_EXPR_FLOW_H

#include "expr/term.h"
#include "soa/model.h"

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

typedef enum soa_state_part {
    SOA_STATE_V,           /* phi* H* beta */
    SOA_STATE_A,           /* velocity-dependent acceleration, gravity at the base */
    SOA_STATE_B,           /* velocity-dependent force */
    SOA_STATE_G,           /* the acceleration -g of the base, at the bodies on it */
    SOA_STATE_ARTICULATED, /* P, D, G */
    SOA_STATE_COMPOSITE,   /* R */
    SOA_STATE_UPSILON,     /* Ups */
    SOA_STATE_ARMATURE,    /* b_Arm: what armature adds to C */
} soa_state_part;

/* The most derivatives of one operator: d(d(A, q_i), q_j). */
enum { SOA_ALONG = 2 };

/* Which coordinates something is the derivative along, that taken first in front: numbers in the
 * flow's list. */
typedef struct soa_along {
    int count;
    int at[SOA_ALONG];
} soa_along;

static inline bool soa_along_equal(soa_along a, soa_along b)
{
    return a.count == b.count && a.at[0] == b.at[0] && a.at[1] == b.at[1];
}

/* A coordinate q_3, q_elbow, and what it is in the model (-1 without one). */
typedef struct soa_flow_coordinate {
    const soa_term *term;
    int velocity, body;
} soa_flow_coordinate;

typedef struct soa_step {
    soa_step_kind kind;
    soa_place place;
    soa_operator op;
    bool adjoint;
    soa_state_part state;
    soa_along along;  /* APPLY, STATE: the derivative of that */
    const char *name; /* INPUT */
    int matrix;
    int need; /* the step of the state that it uses besides its inputs, or -1 */
    int count;
    const int *input;
    const double *factor; /* SUM */
    int uses;             /* by other steps and outputs */
} soa_step;

/* An operator that is used as a matrix, made from q before the sweeps. */
typedef enum soa_matrix_use {
    SOA_MATRIX_GIVEN,        /* an operator known by name: its matrix is bound */
    SOA_MATRIX_INVERSE,      /* of the term */
    SOA_MATRIX_ROOT,         /* of the term, block by block */
    SOA_MATRIX_INVERSE_ROOT, /* of the term, block by block */
} soa_matrix_use;

typedef struct soa_flow_matrix {
    soa_matrix_use use;
    const soa_term *term;
    bool blocks; /* memoryless: one block per body */
} soa_flow_matrix;

typedef struct soa_flow_output {
    const char *name;
    const soa_term *term;
    int step;
} soa_flow_output;

/* A vector that a kernel computes whole, before all steps: the step that stands for it is an input. */
typedef struct soa_flow_call {
    const char *name;
    const soa_term *term;
    int step;
} soa_flow_call;

typedef struct soa_flow {
    soa_allocator allocator;
    soa_arena arena;
    soa_terms *terms;
    const soa_model *model; /* NULL: none, and any coordinate will do */
    bool rotors;            /* Mass has the parts of rotors */
    bool literal;           /* Mass^-1 stays the inverse of a matrix */
    bool turning;           /* b_Arm is not zero */
    soa_array steps;        /* soa_step */
    soa_array matrices;     /* soa_flow_matrix */
    soa_array outputs;      /* soa_flow_output */
    soa_array coordinates;  /* soa_flow_coordinate */
    soa_array calls;        /* soa_flow_call */
    bool defining;          /* a definition is lowered: names in it are those of outputs */
    int visits;             /* of terms */
    soa_status status;      /* of the first failure */
    soa_error *error;
} soa_flow;

/* The most steps of a flow: an expression that needs more is refused. */
enum { SOA_FLOW_STEPS = 4096 };

/* What decides which definitions hold: rotors, and armature of joints whose velocities turn with the link. */
bool soa_has_rotors(const soa_model *model);
bool soa_has_turning_armature(const soa_model *model);

/* The input that an operator-valued term is applied to. */
#define SOA_FLOW_ARGUMENT ""

soa_flow soa_flow_begin(soa_terms *terms, soa_error *error);
void soa_flow_free(soa_flow *flow);

/* Lowers a term as the output of that name; later terms that name it use its value. */
soa_status soa_flow_add(soa_flow *flow, const char *name, const soa_term *term);

/* Takes a term as computed by a kernel: where it occurs in terms added later, the value is used. */
soa_status soa_flow_add_call(soa_flow *flow, const char *name, const soa_term *term);

/* A x + A y becomes A (x + y) where nothing else uses A x and A y; then unused
 * steps go, and steps have their number of uses. After all outputs. */
soa_status soa_flow_merge(soa_flow *flow);

static inline soa_step *soa_flow_step(const soa_flow *flow, int step)
{
    return (soa_step *)flow->steps.items + step;
}

static inline soa_flow_output *soa_flow_output_at(const soa_flow *flow, int output)
{
    return (soa_flow_output *)flow->outputs.items + output;
}

static inline soa_flow_matrix *soa_flow_matrix_at(const soa_flow *flow, int matrix)
{
    return (soa_flow_matrix *)flow->matrices.items + matrix;
}

static inline soa_flow_call *soa_flow_call_at(const soa_flow *flow, int call)
{
    return (soa_flow_call *)flow->calls.items + call;
}

static inline const soa_flow_coordinate *soa_flow_coordinate_at(const soa_flow *flow, int coordinate)
{
    return (const soa_flow_coordinate *)flow->coordinates.items + coordinate;
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

/* ---- making steps (flow.c); -1: the flow has failed ------------------------------------ */

int soa_flow_make(soa_flow *flow, soa_step like);
int soa_flow_fail(soa_flow *flow, soa_status status, const char *text);
int soa_flow_input(soa_flow *flow, const char *name, soa_place place);
int soa_flow_state(soa_flow *flow, soa_state_part part);
int soa_flow_sum(soa_flow *flow, soa_place place, int count, const double *factor, const int *input);
int soa_flow_apply_one(soa_flow *flow, soa_operator op, bool adjoint, int x);
int soa_flow_zero(soa_flow *flow, soa_place place);
int soa_flow_multiply(soa_flow *flow, soa_flow_matrix like, soa_place to, bool adjoint, int x); /* by a matrix */
int soa_flow_matrix_use(soa_flow *flow, soa_flow_matrix like);

/* ---- lowering (flow_lower.c) ------------------------------------------------------------------ */

int soa_flow_vector(soa_flow *flow, const soa_term *term);
int soa_flow_apply(soa_flow *flow, const soa_term *term, bool adjoint, int x);
int soa_flow_operator(soa_flow *flow, soa_operator op, bool adjoint, int x);     /* flow_expand.c */
int soa_flow_inverse(soa_flow *flow, const soa_term *term, bool adjoint, int x); /* flow_inverse.c */

/* Counts a call on the term; true: there were too many, or it is too deep, and the flow has failed. */
bool soa_flow_too_long(soa_flow *flow, const soa_term *term);

/* The term of an output of that name; NULL: there is none. */
const soa_term *soa_flow_defined(const soa_flow *flow, const char *name);

/* ---- derivatives (flow_derive.c: terms; flow_along.c: steps) ----------------------------------------- */

/* The term with no derivatives but elementary ones: of operators of the list derivatives.def, and of
 * a, b, g. NULL: the flow has failed. */
const soa_term *soa_flow_expanded(soa_flow *flow, const soa_term *term);

/* The same, and Mass^-1 in its factors [I6]. */
const soa_term *soa_flow_factored(soa_flow *flow, const soa_term *term);

/* An elementary derivative on a vector, and as a vector. */
int soa_flow_apply_derivative(soa_flow *flow, const soa_term *term, bool adjoint, int x);
int soa_flow_vector_derivative(soa_flow *flow, const soa_term *term);

/* The velocity of the model that a coordinate q_3, q_elbow is; -1: the flow has failed. */
int soa_flow_velocity(soa_flow *flow, const soa_term *coordinate);

#endif
