/* expr/operator_kind.c - places, types, and how kinds of operators combine. */
#include "expr/term.h"

soa_place soa_place_dual(soa_place place)
{
    static const soa_side dual[] = {
        [SOA_SIDE_ANY] = SOA_SIDE_ANY, [SOA_SIDE_MOTION] = SOA_SIDE_FORCE, [SOA_SIDE_FORCE] = SOA_SIDE_MOTION
    };
    return (soa_place){ place.space, dual[place.side] };
}

bool soa_place_equal(soa_place a, soa_place b)
{
    return a.space == b.space && a.side == b.side;
}

bool soa_type_equal(soa_type a, soa_type b)
{
    return soa_place_equal(a.from, b.from) && soa_place_equal(a.to, b.to);
}

bool soa_term_is_vector(const soa_term *term)
{
    return term->type.from.space == SOA_SPACE_ONE;
}

bool soa_kind_is_blocks(soa_kind kind, soa_type type)
{
    return kind == SOA_KIND_MEMORYLESS && type.from.space == type.to.space &&
           (type.from.space == SOA_SPACE_BODY || type.from.space == SOA_SPACE_JOINT);
}

/* A kind as the set of bodies j whose x(j) enters y(k): itself, outboard, inboard, elsewhere. */
enum { SELF = 1, OUTBOARD = 2, INBOARD = 4, ELSEWHERE = 8 };

static unsigned reach(soa_kind kind)
{
    static const unsigned of[] = {
        [SOA_KIND_MEMORYLESS] = SELF,
        [SOA_KIND_CAUSAL] = SELF | OUTBOARD,
        [SOA_KIND_STRICTLY_CAUSAL] = OUTBOARD,
        [SOA_KIND_ANTICAUSAL] = SELF | INBOARD,
        [SOA_KIND_STRICTLY_ANTICAUSAL] = INBOARD,
        [SOA_KIND_FULL] = SELF | OUTBOARD | INBOARD | ELSEWHERE,
    };
    return of[kind];
}

static soa_kind kind_of(unsigned reach_)
{
    if (reach_ & ELSEWHERE || (reach_ & OUTBOARD && reach_ & INBOARD)) {
        return SOA_KIND_FULL;
    }
    if (reach_ & OUTBOARD) {
        return reach_ & SELF ? SOA_KIND_CAUSAL : SOA_KIND_STRICTLY_CAUSAL;
    }
    if (reach_ & INBOARD) {
        return reach_ & SELF ? SOA_KIND_ANTICAUSAL : SOA_KIND_STRICTLY_ANTICAUSAL;
    }
    return SOA_KIND_MEMORYLESS;
}

soa_kind soa_kind_product(soa_kind a, soa_kind b)
{
    const unsigned x = reach(a), y = reach(b);
    const unsigned both = (x | y) & ~(unsigned)SELF;
    return kind_of(both | (x & y & SELF));
}

soa_kind soa_kind_sum(soa_kind a, soa_kind b)
{
    return kind_of(reach(a) | reach(b));
}

soa_kind soa_kind_adjoint(soa_kind kind)
{
    const unsigned x = reach(kind);
    return kind_of((x & (SELF | ELSEWHERE)) | (x & OUTBOARD ? INBOARD : 0U) | (x & INBOARD ? OUTBOARD : 0U));
}
