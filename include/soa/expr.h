/* soa/expr.h - the operator language: expressions of the spatial operator algebra.
 *
 *     betadot = Mass^-1 (T - H phi (M phi' a + b + B f_c))
 *
 * An expression is made of the operators of soa/operator.h, the vectors below,
 * numbers, + - * and juxtaposition, ' (or ^T, or * after a symbol) for the adjoint,
 * ^-1, ^(1/2) and parentheses; docs/tutorial-operators.md shows it. Everything has a
 * type, from a space and side to a space and side, and is refused if it does not fit. */
#ifndef SOA_EXPR_H
#define SOA_EXPR_H

#include "soa/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- vectors ------------------------------------------------------------------------- */

/* Where the numbers of a vector come from. */
typedef enum soa_origin {
    SOA_ORIGIN_STATE, /* given with the state: velocity, force, ... */
    SOA_ORIGIN_MODEL, /* computed from the model and the state */
} soa_origin;

/* Every vector known by name: name, as typed, space, side, what it is called, source,
 * what it is, meaning. User-given vectors are declared: x: joint force. */
#define SOA_VECTOR_LIST(X)                                                                                             \
    X(T, "T", JOINT, FORCE, "force", STATE, "", "joint forces")                                                        \
    X(BETA, "beta", JOINT, MOTION, "velocity", STATE, "", "joint velocities")                                          \
    X(BETADOT, "betadot", JOINT, MOTION, "acceleration", STATE, "", "joint accelerations")                             \
    X(F_C, "f_c", POINT, FORCE, "force", STATE, "", "forces that the system exerts at the points")                     \
    X(V, "V", BODY, MOTION, "velocity", MODEL, "phi' H' beta", "velocities of the bodies")                             \
    X(A, "a", BODY, MOTION, "acceleration", MODEL, "", "accelerations by velocities, and -g at the base")              \
    X(B, "b", BODY, FORCE, "force", MODEL, "", "gyroscopic forces of the bodies")                                      \
    X(G, "g", BODY, MOTION, "acceleration", MODEL, "", "what of a is gravity: -g at the bodies on the base")           \
    X(ALPHA, "alpha", BODY, MOTION, "acceleration", MODEL, "phi' (H' betadot + a)", "accelerations of the bodies, -g") \
    X(F, "f", BODY, FORCE, "force", MODEL, "phi (M alpha + b + B f_c)", "forces across the joints")                    \
    X(C, "C", JOINT, FORCE, "force", MODEL, "H phi (M phi' a + b)", "joint forces by velocities and gravity")

typedef enum soa_vector_id {
#define SOA_VECTOR_NAME(name, text, space, side, noun, source, definition, meaning) SOA_VECTOR_##name,
    SOA_VECTOR_LIST(SOA_VECTOR_NAME)
#undef SOA_VECTOR_NAME
        SOA_VECTORS
} soa_vector_id;

typedef struct soa_vector_info {
    const char *text; /* as typed */
    soa_space space;
    soa_side side;
    const char *noun; /* "velocity": what a motion it is */
    soa_origin origin;
    const char *definition; /* in other vectors; "" if it has none */
    const char *meaning;
} soa_vector_info;

/* What the list says of a vector; of one that is none, as of T. */
SOA_API soa_vector_info soa_vector_about(soa_vector_id vector);

/* The vector typed so; SOA_VECTORS: none. */
SOA_API soa_vector_id soa_vector_find(const char *text);

/* ---- text ---------------------------------------------------------------------------- */

/* How expressions are written. */
typedef enum soa_notation {
    SOA_ASCII,   /* (I - H psi K)' D^-1 */
    SOA_UNICODE, /* (I - H ψ K)* D⁻¹ */
    SOA_LATEX,   /* \left(I - H \psi K\right)^{*} D^{-1} */
} soa_notation;

/* ---- programs ------------------------------------------------------------------------- */

/* Statements one after another, ended by ; or the end of a line (a line that ends or
 * begins with a sign, and parentheses, go on). # begins a comment.
 *
 *     x: joint force                      # a vector of the user's
 *     w: joint velocity = 0.1, 0, -2      # with its numbers
 *     S: point motion -> point force, symmetric, positive    # numbers of a matrix: row by row
 *     Tp = T - H phi (M phi' a + b)       # a definition: later statements may use Tp
 *     Mass^-1 Tp                          # an expression
 *
 * A name is defined once. T, beta and the other vectors may be defined too, by
 * something of their type: later statements then use that. */
typedef struct soa_program soa_program;

typedef enum soa_statement_kind {
    SOA_STATEMENT_DECLARATION,
    SOA_STATEMENT_DEFINITION,
    SOA_STATEMENT_EXPRESSION,
    SOA_STATEMENT_EQUATION,
} soa_statement_kind;

/* How a text is to be read. */
typedef enum soa_reading {
    SOA_READ_PROGRAM,
    SOA_READ_EQUATION, /* its last statement is an equation A = B */
    SOA_READ_AGAIN,    /* a program; names may be defined anew */
} soa_reading;

typedef struct soa_statement_info {
    soa_statement_kind kind;
    const char *name; /* of a declaration or a definition, else "" */
    const char *text; /* as written */
    int line;
    soa_space from_space, to_space; /* from_space SOA_SPACE_ONE: a vector */
    soa_side from_side, to_side;
    soa_kind causality;
    bool number, symmetric, semidefinite, positive; /* where they can be derived */
    bool points, constraints;                       /* it speaks of the points of B, the rows of A */
    int values;                                     /* numbers of a declaration */
    const double *value;
} soa_statement_info;

/* An empty program. allocator NULL: the default one. */
SOA_API soa_status soa_program_new(const soa_allocator *allocator, soa_program **program, soa_error *error);
SOA_API void soa_program_free(soa_program *program);

/* Reads statements and adds them; after a failure none of them is there, and the error
 * has line and column (in characters) of the text. SOA_E_SYNTAX also for types that
 * do not fit, SOA_E_NAME for unknown names, SOA_E_LIMIT for what is too deep or too large. */
SOA_API soa_status soa_program_read(soa_program *program, const char *text, soa_reading reading, soa_error *error);

SOA_API int soa_program_statements(const soa_program *program);

/* About a statement; of a number that is none, of no kind: name and text are "". */
SOA_API soa_statement_info soa_program_statement(const soa_program *program, int statement);

/* The line of the text where the error is, and ^ under the place; "" if it has none. Returns buffer. */
SOA_API char *soa_error_caret(const soa_error *error, const char *text, char *buffer, size_t size);

/* ---- what can be said of a statement ------------------------------------------------------ */

/* Each makes a text, to be freed with soa_program_text_free. */

/* The expression (of an equation: both sides), its type in words with its kind and
 * what else is known: "joint force -> joint acceleration, full, symmetric positive definite". */
SOA_API soa_status soa_program_print(
    soa_program *program, int statement, soa_notation notation, char **text, soa_error *error);
SOA_API soa_status soa_program_type(soa_program *program, int statement, char **text, soa_error *error);
SOA_API void soa_program_text_free(soa_program *program, char *text);

/* ---- proofs ------------------------------------------------------------------------------ */

typedef enum soa_verdict {
    SOA_PROVED,
    SOA_REFUTED, /* false: there is a system on which the sides differ */
    SOA_OPEN,    /* not proved; holds on every system tried */
} soa_verdict;

/* Whether the equation holds for every system: derived from the defining relations of
 * the operators, or refuted by a counterexample. The text says so in its first line,
 *     proved in N steps | false: ... | not proved; ...
 * and then shows the steps with their labels, or the system. Ends within a fixed budget. */
SOA_API soa_status soa_program_prove(
    soa_program *program, int statement, soa_notation notation, soa_verdict *verdict, char **text, soa_error *error);

/* ---- simpler ------------------------------------------------------------------------------- */

/* The cheapest equal expression: fewest in order, sweeps and flops per body. The report
 * has the cost before and after and the steps with their labels. */
SOA_API soa_status soa_program_simplify(
    soa_program *program, int statement, soa_notation notation, char **cheapest, char **report, soa_error *error);

#ifdef __cplusplus
}
#endif
#endif
