/* sweep/fields.h - one state as tiles of numbers, so that lanes can hold bodies and joints.
 *
 * A field has a number for each joint velocity. Numbers of a body stand at the first velocity
 * of its joint, and are copied to the others where those need them. A tile holds all fields
 * of SOA_MAX_LANES velocities, one field after another. All vectors are in world axes about one
 * point, the origin of the body that the tree hangs on. */
#ifndef SOA_SWEEP_FIELDS_H
#define SOA_SWEEP_FIELDS_H

#include "sweep/call.h"

/* clang-format off */
/* What changes with the state: name, how many numbers. What Coriolis forces and derivatives call alike is here once. */
#define SOA_FIELD_LIST(X)                                                               \
    X(R, 9)        /* body axes in the world, row by row */                             \
    X(l, 3)        /* the body's origin */                                              \
    X(beta, 1)     /* joint velocity */                                                 \
    X(V, 6)        /* velocity of the body */                                           \
    X(alpha, 6)    /* its acceleration, -g at the base */                               \
    X(external, 6) /* the external force on it */                                       \
    X(J, 6)        /* column of the joint, S in derivatives: V = sum of J beta */       \
    X(S1, 6)       /* V(b) x S, b what moves with what S turns about */                 \
    X(S2, 6)       /* alpha(b) x S + V(b) x S1 */                                       \
    X(S3, 6)       /* S1 + rate of S */                                                 \
    X(Y, 6)        /* second derivatives: as V, v replaced by the weights x */          \
    X(Y1, 6)       /* Y(b) x S */                                                       \
    X(Z, 6)        /* composites, up to e: M Y, ... */                                  \
    X(Q, 6)        /* ... [N 0; -p~ 0]* Y, ... */                                       \
    X(NY, 9)       /* ... N with Y in place of V, ... */                                \
    X(inertia, 10) /* ... R: m, h, J, ... */                                            \
    X(N, 9)        /* ... [N 0; -p~ 0] = S[V] M - M V~ - Q[M V], ... */                 \
    X(p, 3)                                                                             \
    X(F, 6)        /* ... the force across the joint, ... */                            \
    X(E, 9)        /* ... [E 0; -e~ 0]: what turning does not do to external forces */  \
    X(e, 3)                                                                             \
    X(U, 6)        /* R S */                                                            \
    X(B, 3)        /* the moment of [N 0; -p~ 0]* S (its force is zero) */              \
    X(FV, 6)       /* R S3 + [N 0; -p~ 0] S */                                          \
    X(FQ, 6)       /* R S2 + [N 0; -p~ 0] S1 + S[S] F, with forces + [E 0; -e~ 0] S */  \
    X(EB, 3)       /* the moment of [E 0; -e~ 0]* S */                                  \
    X(own, 2)      /* entries on the diagonal, joints with a rotor */                   \
    X(ZQ, 6)       /* second derivatives: dZ/dq, ... */                                 \
    X(QQ, 6)       /* ... dQ/dq, ... */                                                 \
    X(BY, 6)       /* ... and the moment of -dQ/dv */
/* clang-format on */

enum {
#define SOA_FIELD(name, numbers) FIELD_##name, FIELD_##name##_end = FIELD_##name + (numbers)-1,
    SOA_FIELD_LIST(SOA_FIELD)
#undef SOA_FIELD
        FIELDS_USED,
    FIELDS = FIELDS_USED | 1, /* odd, so that the same field of many tiles is spread over the cache */
    /* Coriolis forces, in places that only derivatives use else. */
    FIELD_V_turn = FIELD_S1, /* velocity of the body in which the column is fixed */
    /* Derivatives of forward dynamics. */
    FIELD_A1 = FIELD_ZQ, /* what vdot adds to the acceleration of the body ... */
    FIELD_A2 = FIELD_QQ, /* ... and of what S is fixed in ... */
    FIELD_G = FIELD_BY,  /* ... and sum of U vdot of the joints outboard of the body */
    /* From a field to the next. */
    FIELD_STEP = SOA_MAX_LANES
};

/* What does not. */
enum {
    CONSTANT_INERTIA = 0, /* ten: of the body, zero at all but its first velocity */
    CONSTANT_ENTER = 10,  /* bodies numbered branch by branch: that of the body, ... */
    CONSTANT_LEAVE = 11,  /* ... and the first one that is not outboard of it */
    CONSTANT_TURNS = 12,  /* 1: revolute about z, -1: prismatic along z, 0: another joint */
    CONSTANT_HIGH = 13,   /* one more than the last velocity outboard of it */
    CONSTANTS = 14
};

/* Behind the fields: rows of numbers by place on the path from the base to a joint. */
enum { SOA_PATH_ROWS = 24 };

/* How many velocities there are places for. */
static inline size_t soa_places(const soa_model *m)
{
    return ((size_t)m->nv + SOA_MAX_LANES - 1) / SOA_MAX_LANES * SOA_MAX_LANES;
}

/* Field 0 of velocity i; the next field is SOA_MAX_LANES on. */
static inline double *soa_field(double *fields, size_t i)
{
    return fields + (i - i % SOA_MAX_LANES) * FIELDS + i % SOA_MAX_LANES;
}

static inline const double *soa_constant(const double *constants, size_t i)
{
    return constants + (i - i % SOA_MAX_LANES) * CONSTANTS + i % SOA_MAX_LANES;
}

#endif
