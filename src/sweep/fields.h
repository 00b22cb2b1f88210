/* sweep/fields.h - one state as rows of numbers, so that lanes can hold bodies and joints.
 *
 * A row has a number for each velocity. Numbers of a body stand at the first velocity of its
 * joint, and are copied to the others where those need them; the rows are as long as a whole
 * number of vectors. All vectors are in world axes about one point, the origin of the body
 * that the tree hangs on. */
#ifndef SOA_SWEEP_FIELDS_H
#define SOA_SWEEP_FIELDS_H

#include "sweep/call.h"

/* Rows that change with the state: name, how many. */
#define SOA_FIELD_LIST(X)                                                 \
    X(R, 9)        /* body axes in the world, row by row */               \
    X(l, 3)        /* the body's origin */                                \
    X(V, 6)        /* velocity of the body */                             \
    X(V_turn, 6)   /* that of the body in which the column is fixed */    \
    X(J, 6)        /* column of the joint: V = sum of J beta */           \
    X(J_dot, 6)    /* its rate */                                         \
    X(inertia, 10) /* composite: m, h, J */                               \
    X(K, 9)        /* K and p of coriolis.kernel.h, composite */          \
    X(p, 3)                                                               \
    X(F, 6) /* what the joint makes felt inboard of it: struct carried */ \
    X(U, 6)                                                               \
    X(B_h, 3)                                                             \
    X(own, 1) /* the entry on the diagonal, joints with a rotor */

enum {
#define SOA_FIELD(name, rows) FIELD_##name, FIELD_##name##_end = FIELD_##name + (rows)-1,
    SOA_FIELD_LIST(SOA_FIELD)
#undef SOA_FIELD
        FIELDS
};

/* Rows that do not. */
enum {
    CONSTANT_INERTIA = 0, /* ten: of the body, zero at all but its first velocity */
    CONSTANT_ENTER = 10,  /* bodies numbered branch by branch: that of the body, ... */
    CONSTANT_LEAVE = 11,  /* ... and the first one that is not outboard of it */
    CONSTANTS = 12
};

/* How long a row is. */
static inline size_t soa_row(const soa_model *m)
{
    return ((size_t)m->nv + SOA_MAX_LANES - 1) / SOA_MAX_LANES * SOA_MAX_LANES;
}

#endif
