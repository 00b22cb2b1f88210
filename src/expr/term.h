/* expr/term.h - expressions as typed terms, shared and immutable.
 *
 * A term is made once: equal terms of one pool are the same pointer, so a term is a
 * graph in which common parts appear once and equality is ==. Terms keep the shape
 * in which they were written (an adjoint stays around its parentheses); only
 * what has no meaning of its own goes: A'' is A, 1 A is A, products and sums are
 * flat. What else is equal is for rules to say.
 *
 *     ZERO  IDENTITY      of the type that fits
 *     OPERATOR            of the list in soa/operator.h (D^-1 and Mass^-1 among them)
 *     VARIABLE            a vector, or an operator known by its type alone
 *     SUM                 factor[0] child[0] + factor[1] child[1] + ...; 3 A is a sum of one
 *     PRODUCT             child[0] child[1] ...
 *     ADJOINT INVERSE     of child[0], when no simpler term says it
 *     ROOT                child[0]^(1/2), of a memoryless positive definite one
 *     DERIVATIVE          d child[0] / dq_i; child[1] names the coordinate */
#ifndef SOA_EXPR_TERM_H
#define SOA_EXPR_TERM_H

#include "core/ratio.h"
#include "expr/once.h"
#include "soa/expr.h"

typedef enum soa_term_kind {
    SOA_TERM_ZERO,
    SOA_TERM_IDENTITY,
    SOA_TERM_OPERATOR,
    SOA_TERM_VARIABLE,
    SOA_TERM_SUM,
    SOA_TERM_PRODUCT,
    SOA_TERM_ADJOINT,
    SOA_TERM_INVERSE,
    SOA_TERM_ROOT,
    SOA_TERM_DERIVATIVE,
} soa_term_kind;

/* A space with its side; of a plain number: ONE, ANY. */
typedef struct soa_place {
    soa_space space;
    soa_side side;
} soa_place;

/* What a term goes from and to; a vector comes from ONE. */
typedef struct soa_type {
    soa_place from, to;
} soa_type;

typedef struct soa_term soa_term;
struct soa_term {
    unsigned hash;
    soa_term_kind kind;
    soa_type type;
    soa_kind causality;           /* of what it does to the bodies */
    soa_operator op;              /* OPERATOR */
    int variable;                 /* VARIABLE: its number in the pool */
    int count;                    /* children */
    const soa_term *const *child; /* count of them */
    const soa_ratio *ratio;       /* SUM: one per child, exact */
    const double *factor;         /* the same as doubles */
    int number;                   /* order in which terms were made; parts before wholes */
    int depth;                    /* 0 for an atom */
    int size;                     /* how many terms it is when written out as a tree; INT_MAX: many */
    bool derived;                 /* a DERIVATIVE is in it */
};

/* What can be made of an operator, name by name: SOA_MEASURE_TRACE is written trace(A). */
#define SOA_MEASURE_LIST(X) \
    X(TRACE, "trace")       \
    X(DIAGONAL, "diag")     \
    X(LOGDET, "logdet")     \
    X(PSEUDO, "pinv")

typedef enum soa_measure {
    SOA_MEASURE_NONE,
#define SOA_MEASURE(name, text) SOA_MEASURE_##name,
    SOA_MEASURE_LIST(SOA_MEASURE)
#undef SOA_MEASURE
        SOA_MEASURES
} soa_measure;

/* What a VARIABLE stands for. */
typedef struct soa_variable {
    const char *name; /* as typed */
    soa_type type;
    soa_kind causality;
    bool symmetric, positive; /* its own adjoint; positive definite */
    const char *body;    /* I where the body (or point) of this name is, 0 elsewhere; NULL: it is no such selector */
    soa_measure measure; /* it is made of the operator `of` */
    const struct soa_term *of; /* NULL: it is given */
} soa_variable;

/* What is done with a pool is to end: after so many seconds, or when stop says so (NULL: it never does). */
typedef struct soa_limits {
    double seconds;
    soa_stop *stop;
    void *context;
} soa_limits;

typedef struct soa_terms {
    soa_allocator given;
    soa_allocator allocator; /* the given one, watched */
    bool refused;            /* it had no block since soa_terms_settle */
    soa_arena arena;
    soa_once table;               /* of all terms */
    int most;                     /* that there may be */
    soa_array variables;          /* of soa_variable */
    soa_limits limits;            /* seconds: when, not how many; 0: never */
    const soa_array *assumptions; /* of soa_assumption: what proofs may take for granted; NULL: nothing */
    soa_status status; /* why the last term was NULL: SOA_E_MEMORY, SOA_E_LIMIT for too many terms, SOA_E_NUMBER for a
                        * number that has too many digits to be exact */
} soa_terms;

/* The most terms of a pool unless it is told otherwise: an expression that needs more is refused. */
enum { SOA_TERMS_MOST = 1 << 20 };

soa_status soa_terms_new(const soa_allocator *allocator, int most, soa_terms **pool, soa_error *error);
void soa_terms_free(soa_terms *pool);

/* The status of what was done with the pool's allocator since it was settled last: SOA_E_MEMORY if a block was refused,
 * whatever became of it, else the status given. Who answers a user settles. */
soa_status soa_terms_settle(soa_terms *pool, soa_status status, soa_error *error);

/* Seconds count from now; NULL: no limits. */
void soa_terms_limit(soa_terms *pool, const soa_limits *limits);

/* What proofs may take for granted besides the definitions: left = right; left is constant if right is NULL; if both are, the
 * system has no rotors. */
typedef struct soa_assumption {
    const soa_term *left, *right;
    const char *label; /* "assumption 1" */
    const char *text;  /* as written */
} soa_assumption;

int soa_terms_assumptions(const soa_terms *pool);
const soa_assumption *soa_terms_assumption(const soa_terms *pool, int i);
bool soa_terms_without_rotors(const soa_terms *pool); /* assumed */

/* Whether to end: the time is over, it is to stop, or a block was refused, of which soa_terms_settle tells. */
bool soa_terms_expired(soa_terms *pool);

/* Variables: the number of one of this name, made if there is none (then it takes
 * the type given); -1 when there is no memory. */
int soa_terms_variable(soa_terms *pool, const soa_variable *about);
int soa_terms_find_variable(const soa_terms *pool, const char *name); /* -1: none */
const soa_variable *soa_terms_about(const soa_terms *pool, int variable);

/* ---- how terms get into a pool ---------------------------------------------------------- */

/* The term in the pool that is like this one; its children and factors are copied,
 * its number, depth and hash made. NULL, with the pool's status, when there is no room. */
const soa_term *soa_terms_intern(soa_terms *pool, soa_term like);

/* NULL, and why. */
const soa_term *soa_terms_none(soa_terms *pool, soa_status why);

/* ---- making terms -------------------------------------------------------------------
 * NULL when there is no memory or no room, and whenever a child is NULL: test the
 * last one only. Types of the children must fit; who makes terms sees to it. */
const soa_term *soa_term_zero(soa_terms *pool, soa_type type);
const soa_term *soa_term_identity(soa_terms *pool, soa_place place);
const soa_term *soa_term_number(soa_terms *pool, soa_ratio number, soa_type type); /* times the identity */
const soa_term *soa_term_operator(soa_terms *pool, soa_operator op);
const soa_term *soa_term_variable(soa_terms *pool, int variable);
const soa_term *soa_term_sum(soa_terms *pool, int count, const soa_ratio *ratio, const soa_term *const *child);
const soa_term *soa_term_product(soa_terms *pool, int count, const soa_term *const *child);
const soa_term *soa_term_adjoint(soa_terms *pool, const soa_term *term);
const soa_term *soa_term_inverse(soa_terms *pool, const soa_term *term);
/* The root of S: X -> Y goes from X to the middle space (X without a side), or from
 * the middle to Y: S = (S^1/2 from the middle) (S^1/2 to the middle). */
const soa_term *soa_term_root(soa_terms *pool, const soa_term *term, bool to_middle);
const soa_term *soa_term_derivative(soa_terms *pool, const soa_term *term, const soa_term *coordinate);

/* ---- part.c ---------------------------------------------------------------------------
 * Selectors are projections: S S = S, and S A = A S for a memoryless A, which puts them as far right as they go. */

/* I of the body or point in that space and on that side, 0 elsewhere. */
const soa_term *soa_term_selector(soa_terms *pool, soa_place place, const char *body);

/* The name of the body that a selector (or the adjoint of one) picks; NULL: the term is none. */
const char *soa_term_selects(const soa_terms *pool, const soa_term *term);

/* Whether a selector may pass the factor of a product: each of its blocks is of one body. */
bool soa_term_passes(const soa_term *factor);

/* The block of an operator (row and column) or of a vector (row alone); NULL: all rows, or columns. */
const soa_term *soa_term_block(soa_terms *pool, const soa_term *term, const char *row, const char *col);

/* Whether all but one block of the term is zero: the body of its row and of its column, NULL if all rows or columns count. */
typedef struct soa_block {
    const char *row, *col;
} soa_block;
soa_block soa_term_is_block(const soa_terms *pool, const soa_term *term);

/* Whether a part of the term goes from or to the space. */
bool soa_term_has_space(const soa_terms *pool, const soa_term *term, soa_space space);

const char *soa_measure_text(soa_measure measure); /* "trace"; measure.c */

/* trace(A), diag(A), logdet(A), pinv(A), by their laws: trace is linear, logdet of a product a sum. */
const soa_term *soa_term_measure(soa_terms *pool, soa_measure measure, const soa_term *of);

/* The sum over all bodies k; refused: a part of it is no product that k is in once. */
const soa_term *soa_term_over_bodies(soa_terms *pool, const soa_term *term, const char *k, bool *refused);

/* Moves selectors right, joins equal ones: `count` factors become fewer, 0 if the product is zero. (term.c) */
int soa_selectors_move(soa_terms *pool, const soa_term **factor, int count);

/* A term like this one with other children; itself if it has none. */
const soa_term *soa_term_with(soa_terms *pool, const soa_term *term, const soa_term *const *child);

/* A term like this one with the images of its children; NULL: one of them is NULL, or there is no room. */
typedef const soa_term *soa_term_image(void *context, const soa_term *child);
const soa_term *soa_term_mapped(soa_terms *pool, const soa_term *term, soa_term_image *image, void *context);

/* Whether the test is true of the term, of a part of it, or of what a trace or the like in it is made of. */
typedef bool soa_term_test(const soa_terms *pool, const soa_term *part, const void *context);
bool soa_term_any(const soa_terms *pool, const soa_term *term, soa_term_test *test, const void *context);

/* The usual short ones. */
const soa_term *soa_term_add(soa_terms *pool, const soa_term *a, const soa_term *b);
const soa_term *soa_term_subtract(soa_terms *pool, const soa_term *a, const soa_term *b);
const soa_term *soa_term_scale(soa_terms *pool, soa_ratio ratio, const soa_term *a);
const soa_term *soa_term_multiply(soa_terms *pool, const soa_term *a, const soa_term *b);

/* ---- types --------------------------------------------------------------------------- */
soa_place soa_place_dual(soa_place place);
bool soa_place_equal(soa_place a, soa_place b);
bool soa_type_equal(soa_type a, soa_type b);
bool soa_term_is_vector(const soa_term *term); /* it comes from ONE */
bool soa_kind_is_blocks(
    soa_kind kind, soa_type type); /* one square block per body, or per joint, is all there is of it */

/* A kind as the set of bodies j whose x(j) enters y(k): k itself, those outboard or inboard of it, others. */
enum { SOA_SELF = 1, SOA_OUTBOARD = 2, SOA_INBOARD = 4, SOA_ELSEWHERE = 8 };

unsigned soa_kind_sees(soa_kind kind);

/* How kinds combine in a product and in a sum. */
soa_kind soa_kind_product(soa_kind a, soa_kind b);
soa_kind soa_kind_sum(soa_kind a, soa_kind b);
soa_kind soa_kind_adjoint(soa_kind kind);

static inline bool soa_kind_is_strict(soa_kind kind)
{
    return kind == SOA_KIND_STRICTLY_CAUSAL || kind == SOA_KIND_STRICTLY_ANTICAUSAL;
}

static inline bool soa_term_is(const soa_term *term, soa_operator op)
{
    return term->kind == SOA_TERM_OPERATOR && term->op == op;
}

/* What it is the adjoint of, or itself. */
static inline const soa_term *soa_term_upright(const soa_term *term)
{
    return term->kind == SOA_TERM_ADJOINT ? term->child[0] : term;
}

/* The operator of the list that is the inverse of this one: of D, D^-1, Mass, Mass^-1; SOA_OPERATORS: none. */
soa_operator soa_operator_inverse(soa_operator op);

/* The number of a body or point that is written in digits, 0 if it is too large; -1: it is a name. */
int soa_body_number(const char *body);

/* ---- what can be said of a term without evaluating it (traits.c) ----------------------------------- */

/* Each is certain when true, and open when false. Inertias are those of bodies with mass. */
typedef struct soa_traits {
    bool number;       /* a number times the identity, or 0 */
    bool symmetric;    /* its own adjoint */
    bool semidefinite; /* x' A x >= 0, and symmetric */
    bool positive;     /* x' A x > 0 for x other than 0, and symmetric */
    bool injective;    /* A x = 0 only for x = 0 */
    bool singular;     /* it has no inverse, whatever the model */
} soa_traits;

soa_traits soa_term_traits(soa_terms *pool, const soa_term *term);

/* Whether it is a number times the identity (0 for zero), and which. */
bool soa_term_is_number(const soa_term *term, soa_ratio *number);

/* The term, or its adjoint, with adjoints only at atoms, roots, derivatives and inverses. NULL: no room. */
const soa_term *soa_term_push_adjoint(soa_terms *pool, const soa_term *term, bool adjoint);

/* What is wrong with inverting it, in words; NULL: nothing that is known. */
const char *soa_term_no_inverse(soa_terms *pool, const soa_term *term);

#endif
