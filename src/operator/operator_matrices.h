/* operator/operator_matrices.h - every operator of a small model as a matrix, from its definition.
 *
 * Shares nothing with the sweeps: poses, joint maps and inertias follow from the
 * description of the links, in the link frames; phi and psi are inverses of
 * matrices; P(k) is what is left of the inertia felt at body k when all outboard
 * joints give way: a Schur complement. */
#ifndef SOA_OPERATOR_OPERATOR_MATRICES_H
#define SOA_OPERATOR_OPERATOR_MATRICES_H

#include "operator/matrix.h"
#include "soa/operator.h"

/* A frame in another, as in soa_pose. */
typedef struct soa_dense_frame {
    soa_number R[3][3];
    soa_number p[3];
} soa_dense_frame;

typedef struct soa_dense {
    soa_allocator allocator;
    soa_arena arena;
    const soa_model *model;
    const double *q;
    int n, nv, points;
    int size;           /* numbers of a vector of bodies */
    int *owner;         /* by number: its body */
    soa_dense_frame *W; /* link frames in the world */
    soa_matrix op[SOA_OPERATORS];
} soa_dense;

/* All operators at q. q and point are read only here. allocator NULL: that of the C library. */
soa_status soa_dense_new(const soa_model *model, const double *q, int points, const soa_point *point,
    const soa_allocator *allocator, soa_dense **dense, soa_error *error);
void soa_dense_free(soa_dense *dense);

/* y = A x */
void soa_dense_apply(const soa_dense *dense, soa_operator op, bool adjoint, const double *x, double *y);

/* Links in range and poses valid. */
soa_status soa_check_points(const soa_model *model, int points, const soa_point *point, soa_error *error);

/* ---- from the description (operator_links.c): owner, H, M, E_phi, B, Arm, Gamma and W; false: no memory ---- */
bool soa_dense_links(soa_dense *dense, const soa_point *point);

#endif
