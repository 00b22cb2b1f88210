/* soa/expr.h - the operator language: expressions of the spatial operator algebra.
 *
 *     betadot = Mass^-1 (T - H phi (M phi' a + b + B f_c))
 *
 * An expression is made of the operators of soa/operator.h, the vectors below,
 * numbers, + - * and juxtaposition, ' (or ^T, or * after a symbol) for the adjoint,
 * ^-1, ^(1/2), d(A, q_2) and parentheses; docs/tutorial-operators.md shows it. Everything has a
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
 * what it is, what it is where there are rotors if that is more, meaning. User-given vectors are declared: x: joint
 * force. */
/* clang-format off */
#define SOA_VECTOR_LIST(X)                                                                                             \
    X(T, "T", JOINT, FORCE, "force", STATE, "", "", "joint forces")                                                    \
    X(BETA, "beta", JOINT, MOTION, "velocity", STATE, "", "", "joint velocities")                                      \
    X(BETADOT, "betadot", JOINT, MOTION, "acceleration", STATE, "", "", "joint accelerations")                         \
    X(F_C, "f_c", POINT, FORCE, "force", STATE, "", "", "forces that the system exerts at the points")                 \
    X(V, "V", BODY, MOTION, "velocity", MODEL, "phi' H' beta", "", "velocities of the bodies")                         \
    X(A, "a", BODY, MOTION, "acceleration", MODEL, "", "", "accelerations by velocities, and -g at the base")          \
    X(B, "b", BODY, FORCE, "force", MODEL, "", "", "gyroscopic forces of the bodies")                                  \
    X(G, "g", BODY, MOTION, "acceleration", MODEL, "", "", "what of a is gravity: -g at the bodies on the base")       \
    X(B_ARM, "b_Arm", JOINT, FORCE, "force", MODEL, "", "", "what armature adds to C where velocities turn")           \
    X(ALPHA, "alpha", BODY, MOTION, "acceleration", MODEL, "phi' (H' betadot + a)", "",                                \
        "accelerations of the bodies, -g")                                                                             \
    X(F, "f", BODY, FORCE, "force", MODEL, "phi (M alpha + b + B f_c)", "", "forces across the joints")                \
    X(C, "C", JOINT, FORCE, "force", MODEL, "H phi (M phi' a + b)", "H phi (M phi' a + b) + Gamma' phi' a + b_Arm",    \
        "joint forces by velocities and gravity")
/* clang-format on */

typedef enum soa_vector_id {
#define SOA_VECTOR_NAME(name, text, space, side, noun, source, definition, with_rotors, meaning) SOA_VECTOR_##name,
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
    const char *definition;  /* in other vectors; "" if it has none */
    const char *with_rotors; /* the definition where there are rotors; "" if it is the same */
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
 *     Q: joint motion -> joint force, memoryless             # of each joint its block, row by row
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
    bool block;                                     /* it is one block, and a runner gives that block alone */
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

/* ---- explained ----------------------------------------------------------------------------- */

/* What is to be said about how a statement is computed. */
typedef enum soa_explanation {
    SOA_EXPLAIN_SWEEPS, /* cost, and the recursions sweep by sweep; in LaTeX an align* (amsmath) */
    SOA_EXPLAIN_LEVELS, /* from the expression down to coordinates, in seven levels */
    SOA_EXPLAIN_DOT,    /* a graph for dot */
    SOA_EXPLAIN_SVG,    /* a picture */
    SOA_EXPLANATIONS
} soa_explanation;

SOA_API soa_status soa_program_explain(
    soa_program *program, int statement, soa_notation notation, soa_explanation what, char **text, soa_error *error);

/* ---- limits ------------------------------------------------------------------------------ */

/* Asked now and then: true ends what is being done. */
typedef bool soa_stop(void *context);

/* Proofs and simplifications give up after so many seconds (10 unless told otherwise; 0: never), or when stop
 * says so (NULL: it never does); their reports then say so. */
SOA_API void soa_program_limit(soa_program *program, double seconds, soa_stop *stop, void *context);

/* ---- proofs ------------------------------------------------------------------------------ */

typedef enum soa_verdict {
    SOA_PROVED,
    SOA_REFUTED, /* false: there is a system on which the sides differ */
    SOA_OPEN,    /* not proved; holds on every system tried */
} soa_verdict;

/* Whether the equation holds for every system: derived from the defining relations of
 * the operators, or refuted by a counterexample. The text says so in its first line,
 *     proved in N steps | false: ... | not proved; ...
 * and then shows the steps with their labels, or the system; in LaTeX words are comments and the
 * steps an align* (amsmath). Ends within a fixed budget. */
SOA_API soa_status soa_program_prove(
    soa_program *program, int statement, soa_notation notation, soa_verdict *verdict, char **text, soa_error *error);

/* The certificate of a statement that is proved: the sum of multiples of defining relations that its two sides differ by,
 * as text (src/expr/certificate.c says how); scripts/check_certificate.py, which shares nothing with the prover, checks it.
 * SOA_E_ARGUMENT: it is not proved; SOA_E_LIMIT: the certificate is too long. */
SOA_API soa_status soa_program_certificate(soa_program *program, int statement, char **text, soa_error *error);

/* ---- simpler ------------------------------------------------------------------------------- */

/* The cheapest equal expression: fewest in order, sweeps and flops per body. The report
 * has the cost before and after and the steps with their labels; in LaTeX as that of a proof. */
SOA_API soa_status soa_program_simplify(
    soa_program *program, int statement, soa_notation notation, char **cheapest, char **report, soa_error *error);

/* Every distinct form in O(N) that the search finds, the cheapest first, with its sweeps, flops per body and the labels by which
 * it is equal: a table of text, or in LaTeX a tabular. */
SOA_API soa_status soa_program_derive(
    soa_program *program, int statement, soa_notation notation, char **table, soa_error *error);

/* ---- running ------------------------------------------------------------------------------- */

/* Statements of a program made ready to run on a model: each operator expression applied to
 * vectors becomes the fewest sweeps over the bodies, each operator that is a result
 * itself a matrix by the algorithm that its structure allows. Constant: threads share it. */
typedef struct soa_compiled soa_compiled;

/* What is bound by name. Vectors of bodies and points are as in soa/operator.h; a matrix
 * (an operator) is given and returned row by row. */
typedef struct soa_bound_info {
    const char *name;
    soa_space from_space, to_space; /* from_space SOA_SPACE_ONE: a vector */
    soa_side from_side, to_side;
} soa_bound_info;

/* What may become of an expression before it is run. */
typedef enum soa_writing {
    SOA_SIMPLIFIED, /* the cheapest equal one runs: Mass^-1 (T - C) is soa_forward_dynamics */
    SOA_AS_WRITTEN, /* the recursions are those of the text */
} soa_writing;

/* Makes statements ready: count numbers of statement, or NULL and 0 for all definitions and
 * expressions. What is simplified equals what is written wherever the inverses in it exist. An expression without a name is called "y", and "y2", "y3", ... if there
 * are several. The program and the model must outlive the result; the program must not be
 * read into meanwhile. SOA_E_NAME: a coordinate that the model has not; SOA_E_UNSUPPORTED: derivatives of third
 * order, or second ones of roots; SOA_E_LIMIT: too large. */
SOA_API soa_status soa_compile(const soa_model *model, soa_program *program, soa_writing writing, int count,
    const int *statement, soa_compiled **compiled, soa_error *error);
SOA_API void soa_compiled_free(soa_compiled *compiled);

/* Inputs are T, beta, f_c, ... as far as they are needed, and what the program declares. */
SOA_API int soa_compiled_inputs(const soa_compiled *compiled);
SOA_API soa_bound_info soa_compiled_input_info(const soa_compiled *compiled, int input);
SOA_API int soa_compiled_outputs(const soa_compiled *compiled);
SOA_API soa_bound_info soa_compiled_output_info(const soa_compiled *compiled, int output);

/* Sweeps after fusion, and as the expressions are written. */
SOA_API int soa_compiled_sweeps(const soa_compiled *compiled);
SOA_API int soa_compiled_sweeps_written(const soa_compiled *compiled);

/* The scratch memory of one thread, its points, and where its numbers are. */
typedef struct soa_runner soa_runner;

/* points: where B and J look; they are copied. allocator NULL: that of the model. */
SOA_API soa_status soa_runner_new(const soa_compiled *compiled, int points, const soa_point *point,
    const soa_allocator *allocator, soa_runner **runner, soa_error *error);
SOA_API void soa_runner_free(soa_runner *runner);

/* The rows of A: rows by 6 points numbers, copied. Allocates; needed before a run that uses A. */
SOA_API soa_status soa_runner_set_constraints(soa_runner *runner, int rows, const double *matrix, soa_error *error);

/* How many numbers an input or an output of that name has per state, and of a matrix its rows;
 * -1: there is none. */
SOA_API int soa_runner_numbers(const soa_runner *runner, const char *name);
SOA_API int soa_runner_rows(const soa_runner *runner, const char *name);

/* Where the numbers of an input are, one state after another (an operator: one matrix for
 * all states), and where those of an output go. The arrays must be there when it runs.
 * f_c that is not bound is zero; outputs that are not bound are not written. SOA_E_NAME: no such name. */
SOA_API soa_status soa_runner_bind(soa_runner *runner, const char *name, const double *numbers, soa_error *error);
SOA_API soa_status soa_runner_bind_output(soa_runner *runner, const char *name, double *numbers, soa_error *error);

/* Lanes of states at a time: 1, or what soa_workspace_lanes offers (the default). */
SOA_API soa_status soa_runner_set_lanes(soa_runner *runner, int lanes, soa_error *error);

/* Runs the expressions at that many states. Allocates nothing. SOA_E_ARGUMENT: an input is not
 * bound; SOA_E_NUMBER, SOA_E_SINGULAR: error->state is the first state that failed; outputs of states that
 * failed are NaN, those of the others valid. */
SOA_API soa_status soa_runner_run(soa_runner *runner, int states, const double *q, soa_error *error);

#ifdef __cplusplus
}
#endif
#endif
