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
/* What changes with the state: name, how many numbers. */
#define SOA_FIELD_LIST(X)                                                       \
    X(R, 9)        /* body axes in the world, row by row */                     \
    X(l, 3)        /* the body's origin */                                      \
    X(beta, 1)     /* joint velocity */                                         \
    X(J, 6)        /* column of the joint: V = sum of J beta */                 \
    X(V, 6)        /* velocity of the body */                                   \
    X(V_turn, 6)   /* velocity of the body in which the column is fixed */      \
    X(J_dot, 6)    /* rate of J */                                              \
    X(inertia, 10) /* composite: m, h, J */                                     \
    X(K, 9)        /* K and p of coriolis.kernel.h, composite */                \
    X(p, 3)                                                                     \
    X(F, 6)        /* what the joint makes felt inboard of it: struct carried */\
    X(U, 6)                                                                     \
    X(B_h, 3)                                                                   \
    X(own, 1)      /* the entry on the diagonal, joints with a rotor */
/* clang-format on */

enum {
#define SOA_FIELD(name, numbers) FIELD_##name, FIELD_##name##_end = FIELD_##name + (numbers)-1,
    SOA_FIELD_LIST(SOA_FIELD)
#undef SOA_FIELD
        FIELDS
};

/* What does not. */
enum {
    CONSTANT_INERTIA = 0, /* ten: of the body, zero at all but its first velocity */
    CONSTANT_ENTER = 10,  /* bodies numbered branch by branch: that of the body, ... */
    CONSTANT_LEAVE = 11,  /* ... and the first one that is not outboard of it */
    CONSTANT_TURNS = 12,  /* 1: revolute about z, -1: prismatic along z, 0: another joint */
    CONSTANTS = 13
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
