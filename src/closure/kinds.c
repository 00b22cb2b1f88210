/* closure/kinds.c - which motions the kinds of closures hold. */
#include <math.h>

#include "closure/closure.h"

/* Components of a motion in axes of frame b. */
enum { RX = 1, RY = 2, RZ = 4, TX = 8, TY = 16, TZ = 32, TURNS = RX | RY | RZ, SHIFTS = TX | TY | TZ };

/* kind, held components in axes of b (0: special), one-sided. The rest of a kind is in SOA_CLOSURE_LIST. */
#define KIND_LIST(X)                                       \
    X(SOA_CLOSE_RIGID, TURNS | SHIFTS, false)              \
    X(SOA_CLOSE_REVOLUTE, RX | RY | SHIFTS, false)         \
    X(SOA_CLOSE_PRISMATIC, TURNS | TX | TY, false)         \
    X(SOA_CLOSE_CYLINDRICAL, RX | RY | TX | TY, false)     \
    X(SOA_CLOSE_UNIVERSAL, SHIFTS, false) /* and a turn */ \
    X(SOA_CLOSE_SPHERICAL, SHIFTS, false)                  \
    X(SOA_CLOSE_SOFT_FINGER, RZ | SHIFTS, true)            \
    X(SOA_CLOSE_POINT, SHIFTS, true)                       \
    X(SOA_CLOSE_PLANE, TZ, false)                          \
    X(SOA_CLOSE_DISTANCE, 0, false)                        \
    X(SOA_CLOSE_LINE, RY | RZ | SHIFTS, false)             \
    X(SOA_CLOSE_SLIDING, TZ, true)                         \
    X(SOA_CLOSE_GENERAL, 0, false)

unsigned soa_kind_mask(soa_closure_kind kind)
{
    static const unsigned mask[SOA_CLOSURE_KINDS] = {
#define KIND_MASK(kind, held, one_sided) [kind] = (held),
        KIND_LIST(KIND_MASK)
#undef KIND_MASK
    };
    return mask[kind];
}

bool soa_kind_contact(const soa_closure *c)
{
    static const bool one_sided[SOA_CLOSURE_KINDS] = {
#define KIND_SIDE(kind, held, side) [kind] = (side),
        KIND_LIST(KIND_SIDE)
#undef KIND_SIDE
    };
    return one_sided[c->kind] || (c->one_sided && (c->kind == SOA_CLOSE_RIGID || c->kind == SOA_CLOSE_LINE));
}

int soa_closure_row_count(const soa_closure *c)
{
    return c->kind == SOA_CLOSE_GENERAL ? c->rows : soa_closure_kind_rows(c->kind);
}

void soa_slip_direction(const soa_closure *c, double along[3])
{
    const double length = hypot(c->slip[0], c->slip[1]);
    for (int i = 0; i < 3; i++) {
        along[i] = i < 2 && length > 0.0 ? c->slip[i] / length : 0.0;
    }
}
