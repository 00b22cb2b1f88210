/* expr/traits.c - what can be said of a term without evaluating it: its type, its kind, and more. */
#include "expr/step_table.h"

/* ---- places, types, and how kinds of operators combine ----------------------------------------------- */

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

/* ---- numbers ----------------------------------------------------------------------------------------- */

bool soa_term_is_number(const soa_term *term, soa_ratio *number)
{
    const bool multiple = term->kind == SOA_TERM_SUM && term->count == 1 && term->child[0]->kind == SOA_TERM_IDENTITY;
    *number = multiple ? term->ratio[0] : soa_ratio_of(term->kind == SOA_TERM_IDENTITY);
    return multiple || term->kind == SOA_TERM_IDENTITY || term->kind == SOA_TERM_ZERO;
}

/* ---- adjoints at the atoms ------------------------------------------------------------------- */

/* A sum or product of what its parts become; an adjoint turns a product around. */
static const soa_term *push_parts(soa_terms *pool, const soa_term *term, bool adjoint)
{
    const soa_term **child = soa_allocate(&pool->allocator, (size_t)term->count, sizeof *child);
    const bool turned = adjoint && term->kind == SOA_TERM_PRODUCT;
    for (int i = 0; child && i < term->count; i++) {
        child[turned ? term->count - 1 - i : i] = soa_term_push_adjoint(pool, term->child[i], adjoint);
    }
    const soa_term *made = child ? soa_term_with(pool, term, child) : NULL;
    soa_release(&pool->allocator, (void *)child);
    return made;
}

const soa_term *soa_term_push_adjoint(soa_terms *pool, const soa_term *term, bool adjoint)
{
    const soa_term_kind kind = term->kind;
    return kind == SOA_TERM_ADJOINT   ? soa_term_push_adjoint(pool, term->child[0], !adjoint)
           : kind == SOA_TERM_INVERSE ? soa_term_inverse(pool, soa_term_push_adjoint(pool, term->child[0], adjoint))
           : kind == SOA_TERM_SUM || kind == SOA_TERM_PRODUCT ? push_parts(pool, term, adjoint)
           : adjoint                                          ? soa_term_adjoint(pool, term)
                                                              : term;
}

/* ---- atoms ------------------------------------------------------------------------------------- */

/* The adjoint of an injective square operator is injective; H' is, though H is not. */
static bool adjoint_injective(const soa_term *term, soa_traits traits)
{
    const bool square = term->type.from.space == term->type.to.space;
    return (square && traits.injective) || (term->kind == SOA_TERM_OPERATOR && term->op == SOA_OP_H);
}

/* ---- sums -------------------------------------------------------------------------------------- */

/* A number times I, and only strictly causal or only strictly anticausal terms besides it. */
static bool is_unit_triangular(const soa_term *term)
{
    soa_ratio units = soa_ratio_of(0), number;
    soa_kind kind = SOA_KIND_MEMORYLESS;
    for (int i = 0; i < term->count; i++) {
        if (soa_term_is_number(term->child[i], &number)) {
            units = soa_ratio_add(units, soa_ratio_multiply(term->ratio[i], number));
        } else if (!soa_kind_is_strict(term->child[i]->causality) ||
                   (kind != SOA_KIND_MEMORYLESS && kind != term->child[i]->causality)) {
            return false;
        } else {
            kind = term->child[i]->causality;
        }
    }
    return soa_ratio_is_number(units) && !soa_ratio_is_zero(units);
}

/* Larger terms are not looked into: that they are symmetric stays open. */
enum { LARGE = 1000 };

/* Sums of the same terms in whatever order. */
static bool same_parts(const soa_term *a, const soa_term *b)
{
    for (int i = 0; i < a->count; i++) {
        int balance = 0;
        for (int j = 0; j < a->count; j++) {
            balance += a->child[j] == a->child[i] && soa_ratio_equal(a->ratio[j], a->ratio[i]);
            balance -= b->child[j] == a->child[i] && soa_ratio_equal(b->ratio[j], a->ratio[i]);
        }
        if (balance != 0) {
            return false;
        }
    }
    return true;
}

static bool is_own_adjoint(soa_terms *pool, const soa_term *term)
{
    const soa_term *here = term->size < LARGE ? soa_term_push_adjoint(pool, term, false) : NULL;
    const soa_term *there = here ? soa_term_push_adjoint(pool, term, true) : NULL;
    return there && (here == there || (here->kind == SOA_TERM_SUM && there->kind == SOA_TERM_SUM &&
                                          here->count == there->count && same_parts(here, there)));
}

static soa_traits of_sum(soa_terms *pool, const soa_term *term)
{
    soa_traits all = { .number = true, .symmetric = true, .semidefinite = true };
    for (int i = 0; i < term->count; i++) {
        const soa_traits part = soa_term_traits(pool, term->child[i]);
        all.number = all.number && part.number;
        all.symmetric = all.symmetric && part.symmetric;
        all.semidefinite = all.semidefinite && part.semidefinite && term->ratio[i].num > 0;
        all.positive = all.positive || part.positive;
        all.singular = term->count == 1 && part.singular;
        all.injective = term->count == 1 && part.injective;
    }
    all.positive = all.positive && all.semidefinite;
    all.injective = all.injective || all.positive || is_unit_triangular(term);
    all.singular = all.singular || soa_kind_is_strict(term->causality);
    all.symmetric = all.symmetric || is_own_adjoint(pool, term);
    return all;
}

/* ---- products ------------------------------------------------------------------------------------ */

/* Whether it goes from the bodies through the joints to the bodies: then its rank is that of the joints. */
static bool passes_joints(const soa_term *term)
{
    bool joint = false;
    for (int i = 1; i < term->count; i++) {
        joint = joint || term->child[i]->type.to.space == SOA_SPACE_JOINT;
    }
    return joint && term->type.from.space == SOA_SPACE_BODY && term->type.to.space == SOA_SPACE_BODY;
}

/* Whether child i of the pushed product is the adjoint of its mirror image. */
static bool is_mirrored(soa_terms *pool, const soa_term *term, int i)
{
    const soa_term *image =
        term->size < LARGE ? soa_term_push_adjoint(pool, term->child[term->count - 1 - i], true) : NULL;
    return image && image == soa_term_push_adjoint(pool, term->child[i], false);
}

static soa_traits of_product(soa_terms *pool, const soa_term *term)
{
    soa_traits all = { .injective = true };
    bool mirrored = true, invertible = true;
    const int half = term->count / 2;
    for (int i = 0; i < term->count; i++) {
        const soa_traits part = soa_term_traits(pool, term->child[i]);
        all.injective = all.injective && part.injective;
        all.singular = all.singular || (part.singular && term->type.from.space == term->child[i]->type.from.space);
        mirrored = mirrored && (i >= half || is_mirrored(pool, term, i));
        invertible = invertible && (i < term->count - half || part.injective);
    }
    all.singular = all.singular || soa_kind_is_strict(term->causality) || passes_joints(term);
    all.symmetric = is_own_adjoint(pool, term);
    if (mirrored && term->count % 2 == 1) {
        const soa_traits middle = soa_term_traits(pool, term->child[half]);
        all.semidefinite = middle.semidefinite;
        all.positive = middle.positive && invertible;
    } else if (mirrored) {
        /* A' A maps between dual spaces only through the middle of a root */
        all.semidefinite = term->child[half]->type.to.side == SOA_SIDE_ANY;
        all.positive = all.semidefinite && invertible;
    }
    return all;
}

/* ---- all -------------------------------------------------------------------------------------------- */

static soa_traits of_variable(const soa_terms *pool, const soa_term *term)
{
    const soa_variable *about = soa_terms_about(pool, term->variable);
    return (soa_traits){ .symmetric = about->symmetric,
        .semidefinite = about->positive,
        .positive = about->positive,
        .injective = about->positive,
        .singular = soa_kind_is_strict(about->causality) || about->body };
}

soa_traits soa_term_traits(soa_terms *pool, const soa_term *term)
{
    soa_traits of = { 0 };
    switch (term->kind) {
    case SOA_TERM_ZERO:
        return (soa_traits){ .number = true, .singular = true };
    case SOA_TERM_IDENTITY:
        return (soa_traits){ .number = true, .injective = true };
    case SOA_TERM_OPERATOR:
        of = soa_operator_step_of(term->op)->traits;
        of.symmetric = soa_operator_about(term->op, false).symmetric;
        break;
    case SOA_TERM_VARIABLE:
        return of_variable(pool, term);
    case SOA_TERM_SUM:
        return of_sum(pool, term);
    case SOA_TERM_PRODUCT:
        return of_product(pool, term);
    case SOA_TERM_ROOT:
        return (soa_traits){ .symmetric = true, .semidefinite = true, .positive = true, .injective = true };
    case SOA_TERM_INVERSE:
        of = soa_term_traits(pool, term->child[0]);
        of.injective = true;
        of.positive = of.semidefinite; /* an inverse that exists has no zero */
        return of;
    case SOA_TERM_ADJOINT:
        of = soa_term_traits(pool, term->child[0]);
        of.injective = adjoint_injective(term->child[0], of);
        return of;
    case SOA_TERM_DERIVATIVE:
        of.symmetric = soa_term_traits(pool, term->child[0]).symmetric;
        return of;
    }
    of.singular = of.singular || soa_kind_is_strict(term->causality);
    return of;
}

const char *soa_term_no_inverse(soa_terms *pool, const soa_term *term)
{
    const bool vector = soa_term_is_vector(term) && term->type.to.space != SOA_SPACE_ONE;
    return term->kind == SOA_TERM_ZERO                    ? "0 has no inverse"
           : vector                                       ? "a vector has no inverse"
           : term->type.from.space != term->type.to.space ? "it is not square: it goes from one space to another"
           : soa_kind_is_strict(term->causality)          ? "it is nilpotent (strictly causal): it has no inverse"
           : soa_term_traits(pool, term).singular         ? "it has no inverse: what it gives does not fill the space"
                                                          : NULL;
}
