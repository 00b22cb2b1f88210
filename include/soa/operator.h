/* soa/operator.h - the spatial operators of a model at one configuration.
 *
 * Operators map between three spaces, each with a side:
 *     joint   nv numbers, in the order of the model
 *     body    6 numbers per body, (angular; linear), in the axes and at the origin
 *             of the frame of the body's link (soa_body.link); behind those of all bodies
 *             a number per mode of the flexible links, in the order of their velocities
 *     point   6 numbers per point, (angular; linear), in world axes at the point
 *     constraint  a number per row of the closures
 *     motion  velocities and accelerations;  force  forces and momenta
 * The adjoint of A: X -> Y maps the dual of Y to the dual of X, the dual of a
 * motion being a force. No operator is ever a matrix here: y = A x is one or two
 * recursions over the bodies, in O(n).
 *
 * A body of modes (soa_body.flexible) has a block of 6 + modes numbers, and every operator has such
 * blocks: H picks the forces on the modes, M has the modal inertia, phi passes forces on a node to
 * the modes. So names, definitions and identities are those of rigid links.
 *
 * Rotors (soa_rotor) enter through two operators that are zero without them: Arm,
 * the inertia added at the joints, and Gamma, the moment on the parent of a rotor
 * that spins with the joint. Then
 *     D = H P H* + Arm,  G = P H* D^-1,  K = E_phi G + Gamma D^-1,  E_psi = E_phi - K H
 *     Mass = H phi M phi* H* + H phi Gamma + Gamma* phi* H* + Arm
 * and P is what makes M = P - E_phi P E_phi* + K D K*. With these the factorizations
 * of Mass and of its inverse hold unchanged; H G = I, K = E_phi G and
 * E_psi = E_phi taubar hold only where there are no rotors. */
#ifndef SOA_OPERATOR_H
#define SOA_OPERATOR_H

#include "soa/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the list ------------------------------------------------------------------------ */

typedef enum soa_space {
    SOA_SPACE_ANY, /* of the identity: whatever it stands beside */
    SOA_SPACE_JOINT,
    SOA_SPACE_BODY,
    SOA_SPACE_POINT,
    SOA_SPACE_CONSTRAINT, /* rows of closures */
    SOA_SPACE_ONE,        /* plain numbers: where vectors come from */
} soa_space;

typedef enum soa_side {
    SOA_SIDE_ANY,
    SOA_SIDE_MOTION,
    SOA_SIDE_FORCE,
} soa_side;

/* Which x(j) contribute to y(k): those of the same body, of the bodies outboard of it (causal, from the tips inward), of
 * the bodies inboard of it (anticausal), or of all bodies. */
typedef enum soa_kind {
    SOA_KIND_MEMORYLESS,
    SOA_KIND_CAUSAL,
    SOA_KIND_STRICTLY_CAUSAL,
    SOA_KIND_ANTICAUSAL,
    SOA_KIND_STRICTLY_ANTICAUSAL,
    SOA_KIND_FULL,
} soa_kind;

/* Every operator: its name, how it is typed, its domain (space, side) and codomain (space, side), its kind, whether it is
 * its own adjoint, its label and its meaning. */
#define SOA_OPERATOR_LIST(X)                                                                                           \
    X(I, "I", ANY, ANY, ANY, ANY, MEMORYLESS, true, "", "the identity")                                                \
    X(H, "H", BODY, FORCE, JOINT, FORCE, MEMORYLESS, false, "ID", "what of a body force works along the joint")        \
    X(M, "M", BODY, MOTION, BODY, FORCE, MEMORYLESS, true, "FRC", "inertia of each body")                              \
    X(E_PHI, "E_phi", BODY, FORCE, BODY, FORCE, STRICTLY_CAUSAL, false, "", "shift of forces to the parents")          \
    X(PHI, "phi", BODY, FORCE, BODY, FORCE, CAUSAL, false, "FRC", "(I - E_phi)^-1: forces gathered from the tips")     \
    X(PHI_STRICT, "phi~", BODY, FORCE, BODY, FORCE, STRICTLY_CAUSAL, false, "", "phi - I")                             \
    X(B, "B", POINT, FORCE, BODY, FORCE, MEMORYLESS, false, "FRC", "forces at the points, seen at their bodies")       \
    X(J, "J", JOINT, MOTION, POINT, MOTION, ANTICAUSAL, false, "", "B* phi* H*: Jacobian of the points")               \
    X(R, "R", BODY, MOTION, BODY, FORCE, MEMORYLESS, true, "R", "composite inertia: all joints outboard locked")       \
    X(P, "P", BODY, MOTION, BODY, FORCE, MEMORYLESS, true, "P", "articulated inertia: all joints outboard free")       \
    X(D, "D", JOINT, MOTION, JOINT, FORCE, MEMORYLESS, true, "P", "H P H* + Arm: articulated inertia at the joints")   \
    X(D_INV, "D^-1", JOINT, FORCE, JOINT, MOTION, MEMORYLESS, true, "P", "inverse of D")                               \
    X(G, "G", JOINT, FORCE, BODY, FORCE, MEMORYLESS, false, "P", "P H* D^-1: gain of the filter")                      \
    X(K, "K", JOINT, FORCE, BODY, FORCE, STRICTLY_CAUSAL, false, "P", "E_phi G + Gamma D^-1: gain, at the parents")    \
    X(TAU, "tau", BODY, FORCE, BODY, FORCE, MEMORYLESS, false, "P", "G H: what of a force the joint takes")            \
    X(TAUBAR, "taubar", BODY, FORCE, BODY, FORCE, MEMORYLESS, false, "P", "I - G H: what it passes on")                \
    X(E_PSI, "E_psi", BODY, FORCE, BODY, FORCE, STRICTLY_CAUSAL, false, "P", "E_phi - K H: shift across free joints")  \
    X(PSI, "psi", BODY, FORCE, BODY, FORCE, CAUSAL, false, "P", "(I - E_psi)^-1: forces gathered across free joints")  \
    X(PSI_STRICT, "psi~", BODY, FORCE, BODY, FORCE, STRICTLY_CAUSAL, false, "P", "psi - I")                            \
    X(UPS, "Ups", BODY, FORCE, BODY, MOTION, MEMORYLESS, true, "UPS", "acceleration of a body by a force on it")       \
    X(OMEGA, "Omega", BODY, FORCE, BODY, MOTION, FULL, true, "I11", "psi* H* D^-1 H psi: accelerations by forces")     \
    X(BRANCH, "X", BODY, FORCE, BODY, MOTION, FULL, true, "I11", "the blocks of Omega between branches")               \
    X(LAMBDA, "Lambda", POINT, FORCE, POINT, MOTION, FULL, true, "OSI", "J Mass^-1 J*: inverse inertia at the points") \
    X(MASS, "Mass", JOINT, MOTION, JOINT, FORCE, FULL, true, "I1", "mass matrix")                                      \
    X(MASS_INV, "Mass^-1", JOINT, FORCE, JOINT, MOTION, FULL, true, "MINV", "inverse of Mass")                         \
    X(ARM, "Arm", JOINT, MOTION, JOINT, FORCE, MEMORYLESS, true, "GEAR", "inertia that rotors add at the joints")      \
    X(GAMMA, "Gamma", JOINT, MOTION, BODY, FORCE, STRICTLY_CAUSAL, false, "GEAR", "moment of rotors on the parents")   \
    X(A, "A", POINT, MOTION, CONSTRAINT, MOTION, FULL, false, "CC", "what of the motion of the points is constrained")

typedef enum soa_operator {
#define SOA_OPERATOR_NAME(name, text, space, side, to_space, to_side, kind, symmetric, label, meaning) SOA_OP_##name,
    SOA_OPERATOR_LIST(SOA_OPERATOR_NAME)
#undef SOA_OPERATOR_NAME
        SOA_OPERATORS
} soa_operator;

typedef struct soa_operator_info {
    const char *text; /* as typed */
    soa_space domain_space;
    soa_side domain_side;
    soa_space codomain_space;
    soa_side codomain_side;
    soa_kind kind;
    bool symmetric; /* its own adjoint */
    const char *label;
    const char *meaning;
} soa_operator_info;

/* Returns what the list tells about an operator or its adjoint; text, label and meaning are those of the operator. A
 * number that is no operator gives the identity. */
SOA_API soa_operator_info soa_operator_about(soa_operator op, bool adjoint);

/* Finds the operator that is typed like this, or SOA_OPERATORS, and tells how an operator is typed. */
SOA_API soa_operator soa_operator_find(const char *text);
SOA_API const char *soa_operator_text(soa_operator op);

SOA_API const char *soa_space_text(soa_space space); /* "joint" */
SOA_API const char *soa_side_text(soa_side side);    /* "motion" */
SOA_API const char *soa_kind_text(soa_kind kind);    /* "strictly causal" */

/* ---- operators of a model ---------------------------------------------------------------- */

typedef struct soa_operators soa_operators;

/* Makes room for the operators of a model with up to `points` points. allocator NULL means that of the model. The model
 * must outlive them. */
SOA_API soa_status soa_operators_new(
    const soa_model *model, int points, const soa_allocator *allocator, soa_operators **operators, soa_error *error);
SOA_API void soa_operators_free(soa_operators *operators);

/* Sets the configuration and the points, and computes P, D, G, K, R and Ups. Allocates nothing. SOA_E_SINGULAR: some D
 * is not positive definite, and only the operators that do not need it can be applied. After any other failure none can. */
SOA_API soa_status soa_operators_set(
    soa_operators *operators, const double *q, int points, const soa_point *point, soa_error *error);

/* Sets the operator A and copies its matrix: rows by 6 points numbers, row by row. Without this call A has no rows.
 * Allocates. SOA_E_NUMBER: a number is not finite. */
SOA_API soa_status soa_operators_set_constraints(
    soa_operators *operators, int rows, int points, const double *matrix, soa_error *error);

/* Return how many numbers y and x have in y = A x; -1 for the identity, which takes any number. */
SOA_API int soa_operator_rows(const soa_operators *operators, soa_operator op, bool adjoint);
SOA_API int soa_operator_cols(const soa_operators *operators, soa_operator op, bool adjoint);

/* Computes y = A x or A* x in O(n) and allocates nothing; x and y must not overlap. The identity is refused, because it
 * has no size of its own. SOA_E_NUMBER: x is not finite and y is unchanged, or y is not finite. */
SOA_API soa_status soa_operators_apply(
    soa_operators *operators, soa_operator op, bool adjoint, const double *x, double *y, soa_error *error);

/* ---- dense matrices, from the definitions -------------------------------------------------- */

/* The largest number of bodies of a model whose operators can be written out. */
#define SOA_DENSE_BODIES 128

/* Computes the matrix of an operator or its adjoint, row by row. It follows from the definition of the operator and the
 * description of the model, by dense inverses and Schur complements and without any recursion. It serves to check the
 * recursions; it is slow, and it allocates. A is refused, because the user gives it. */
SOA_API soa_status soa_dense_operator(const soa_model *model, const double *q, int points, const soa_point *point,
    soa_operator op, bool adjoint, double *matrix, soa_error *error);

/* ---- identities ----------------------------------------------------------------------------- */

/* How the operators of an identity are evaluated. */
typedef enum soa_evaluation {
    SOA_BY_SWEEPS, /* soa_operators_apply; all columns for small models, else on random vectors */
    SOA_BY_DENSE,  /* matrices from the definitions, at most SOA_DENSE_BODIES bodies */
} soa_evaluation;

/* SOA_BY_SWEEPS compares whole matrices of models with up to this many bodies. */
#define SOA_WHOLE_BODIES 60

typedef struct soa_identity_result {
    const char *label; /* "I6" */
    const char *text;  /* "Mass^-1 = (I - H psi K)* D^-1 (I - H psi K)" */
    bool applies;      /* false: holds only without rotors, and the model has some */
    double error;      /* largest difference of the two sides, relative to the largest number met */
    double rounding; /* what this error becomes if all that operators give is changed in its last digit: ill-conditioned
                          operators make it large, and an error of many times this much is a false identity */
} soa_identity_result;

/* Tell how many identities there are, and the label and text of each. */
SOA_API int soa_identities(void);
SOA_API const char *soa_identity_label(int identity);
SOA_API const char *soa_identity_text(int identity);

/* Evaluates both sides of every identity on the model at q. results has room for soa_identities() of them. Allocates. */
SOA_API soa_status soa_check_identities(const soa_model *model, const double *q, int points, const soa_point *point,
    soa_evaluation evaluation, soa_identity_result *results, soa_error *error);

/* Evaluates one equation that is written like the identities: sums and products of operators with parentheses, and * for
 * the adjoint. SOA_E_SYNTAX: the text is no such equation. */
SOA_API soa_status soa_check_equation(const soa_model *model, const double *q, int points, const soa_point *point,
    soa_evaluation evaluation, const char *equation, double *relative_error, soa_error *error);

#ifdef __cplusplus
}
#endif
#endif
