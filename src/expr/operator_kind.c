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

unsigned soa_kind_sees(soa_kind kind)
{
    static const unsigned of[] = {
        [SOA_KIND_MEMORYLESS] = SOA_SELF,
        [SOA_KIND_CAUSAL] = SOA_SELF | SOA_OUTBOARD,
        [SOA_KIND_STRICTLY_CAUSAL] = SOA_OUTBOARD,
        [SOA_KIND_ANTICAUSAL] = SOA_SELF | SOA_INBOARD,
        [SOA_KIND_STRICTLY_ANTICAUSAL] = SOA_INBOARD,
        [SOA_KIND_FULL] = SOA_SELF | SOA_OUTBOARD | SOA_INBOARD | SOA_ELSEWHERE,
    };
    return of[kind];
}

static soa_kind kind_of(unsigned seen)
{
    const bool self = seen & SOA_SELF, outboard = seen & SOA_OUTBOARD, inboard = seen & SOA_INBOARD;
    return seen & SOA_ELSEWHERE || (outboard && inboard) ? SOA_KIND_FULL
           : outboard                                    ? self ? SOA_KIND_CAUSAL : SOA_KIND_STRICTLY_CAUSAL
           : inboard                                     ? self ? SOA_KIND_ANTICAUSAL : SOA_KIND_STRICTLY_ANTICAUSAL
                                                         : SOA_KIND_MEMORYLESS;
}

soa_kind soa_kind_product(soa_kind a, soa_kind b)
{
    const unsigned x = soa_kind_sees(a), y = soa_kind_sees(b);
    const unsigned both = (x | y) & ~(unsigned)SOA_SELF;
    return kind_of(both | (x & y & SOA_SELF));
}

soa_kind soa_kind_sum(soa_kind a, soa_kind b)
{
    return kind_of(soa_kind_sees(a) | soa_kind_sees(b));
}

soa_kind soa_kind_adjoint(soa_kind kind)
{
    const unsigned x = soa_kind_sees(kind);
    return kind_of((x & (SOA_SELF | SOA_ELSEWHERE)) | (x & SOA_OUTBOARD ? SOA_INBOARD : 0U) |
                   (x & SOA_INBOARD ? SOA_OUTBOARD : 0U));
}
