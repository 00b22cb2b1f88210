/* soa/flexible.h - a flexible link, reduced to modes.
 *
 *     soa_link boom = soa_link_default("boom", hub, SOA_REVOLUTE);
 *     boom.flexible = &data;      the builder copies it whole
 *     tip.node = 4;               a frame, joint or closure at the fourth node
 *
 * A flexible link is clamped to its joint at the link frame. All data are in the axes of the link frame, at its origin.
 * With modal coordinates eta, a particle that stands at x0 when the link is not deformed stands at
 *
 *     x(eta) = x0 + U eta + 1/2 sum_ij S_ij eta_i eta_j
 *
 * S is the second-order displacement (foreshortening): with it the link stiffens when it spins. The data are sums over the
 * particles, mass dm each. The kinetic energy of the link is that of the polynomials
 *
 *     T = 1/2 (etadot; V)* [ ee  er(eta) ; er(eta)*  Mrr(eta) ] (etadot; V),   V = (w; v) of the link frame
 *     er_i(eta)* V  = en_i(eta) . w + ef_i(eta) . v
 *     en_i(eta)     = en_i + sum_j en1_ij eta_j           sum of dm x cross dx/deta_i
 *     ef_i(eta)     = ef_i + sum_j ef1_ij eta_j           sum of dm dx/deta_i
 *     first(eta)    = first + sum_i ef_i eta_i + 1/2 sum_ij ef1_ij eta_i eta_j
 *     second(eta)   = second + sum_i second1_i eta_i + 1/2 sum_ij second2_ij eta_i eta_j
 *
 * and energy and momentum are those of this T exactly. Node t stands at x(eta) of its position and is turned by the
 * rotation vector sum_i of the rotations of its shape times eta_i. The link's elastic forces are
 * -stiffness eta - damping etadot.
 *
 * The modal coordinates are q and v of a joint called "LINK/flex", after those of the link's own joint. */
#ifndef SOA_FLEXIBLE_H
#define SOA_FLEXIBLE_H

#include "soa/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most modes and nodes of a link. */
#define SOA_MAX_MODES 64
#define SOA_MAX_NODES 1000000

/* The node of what is fixed to the link frame itself. Nodes are counted from 1. */
#define SOA_LINK_FRAME 0

typedef struct soa_flexible {
    int modes, nodes;
    const char *const *node_name; /* nodes names, each may be NULL; or NULL */
    const double *position;       /* nodes x 3, not deformed */
    const double *shape;          /* nodes x modes x 6: rotation, displacement */
    const double *shape2;         /* nodes x modes x modes x 3: S at the nodes, symmetric; or NULL */
    double mass;                  /* of the link when it is not deformed: mass, */
    double first[3];              /* first moment, */
    double second[6];             /* moments of inertia about the origin of the link frame: xx xy xz yy yz zz */
    const double *ee;             /* modes x modes: modal mass */
    const double *ef;             /* modes x 3 */
    const double *en;             /* modes x 3 */
    const double *en1;            /* modes x modes x 3; or NULL */
    const double *ef1;            /* modes x modes x 3, symmetric; or NULL */
    const double *second1;        /* modes x 6; or NULL */
    const double *second2;        /* modes x modes x 6, symmetric; or NULL */
    const double *stiffness;      /* modes x modes, symmetric */
    const double *damping;        /* modes x modes, symmetric; or NULL */
} soa_flexible;

#ifdef __cplusplus
}
#endif
#endif
