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

#ifdef __cplusplus
}
#endif
#endif
