/* expr/measure.c - what is made of an operator: trace, diagonal, log det, pseudo-inverse. What their laws do not tell is a
 * variable of that name, such as trace(D). */
#include "expr/print.h"
#include "expr/term.h"

const soa_term *soa_term_called(soa_terms *pool, soa_page *name, soa_variable about)
{
    about.name = soa_page_text(name);
    const soa_term *made =
        name->failed ? soa_terms_none(pool, SOA_E_MEMORY) : soa_term_variable(pool, soa_terms_variable(pool, &about));
    soa_page_clear(name);
    return made;
}

static const char *const measure_text[] = { "",
#define TEXT(name, text) text,
    SOA_MEASURE_LIST(TEXT)
#undef TEXT
};

const char *soa_measure_text(soa_measure measure)
{
    return measure_text[measure];
}

static const soa_place ONE = { SOA_SPACE_ONE, SOA_SIDE_ANY };

/* A variable that stands for what is made of the operator. */
static const soa_term *opaque(soa_terms *pool, soa_measure measure, const soa_term *of)
{
    soa_page name = soa_page_on(&pool->allocator);
    soa_variable about = { .type = { ONE, ONE }, .causality = SOA_KIND_MEMORYLESS, .measure = measure, .of = of };
    about.symmetric = measure == SOA_MEASURE_TRACE || measure == SOA_MEASURE_LOGDET;
    if (measure == SOA_MEASURE_DIAGONAL) {
        about.type.to = of->type.to;
    } else if (measure == SOA_MEASURE_PSEUDO) {
        about.type = (soa_type){ of->type.to, of->type.from };
        about.causality = soa_kind_is_blocks(of->causality, of->type) ? SOA_KIND_MEMORYLESS : SOA_KIND_FULL;
    }
    soa_page_format(&name, "%s(", measure_text[measure]);
    soa_print_term(pool, of, SOA_ASCII, &name);
    soa_page_put(&name, ")");
    return soa_term_called(pool, &name, about);
}

/* The sum of the measures of the parts. */
static const soa_term *linear(soa_terms *pool, soa_measure measure, const soa_term *sum)
{
    const soa_term *made = NULL;
    for (int i = 0; i < sum->count; i++) {
        const soa_term *part = soa_term_measure(pool, measure, sum->child[i]);
        const soa_term *scaled = soa_term_scale(pool, sum->ratio[i], part);
        made = made ? soa_term_add(pool, made, scaled) : scaled;
    }
    return made;
}

/* The rotation of a product that takes what it gives whose factors were made first. */
static const soa_term *rotated(soa_terms *pool, const soa_term *product)
{
    const soa_term *best = product;
    for (int first = 1; first < product->count && best; first++) {
        const soa_term *right = soa_term_product(pool, product->count - first, product->child + first);
        const soa_term *left = soa_term_product(pool, first, product->child);
        const soa_term *other = soa_term_multiply(pool, right, left);
        best = !other || other->number < best->number ? other : best;
    }
    return best;
}

static const soa_term *trace_of(soa_terms *pool, const soa_term *of)
{
    if (of->type.to.space == SOA_SPACE_ONE) {
        return of;
    }
    if (of->kind == SOA_TERM_ADJOINT) {
        return soa_term_measure(pool, SOA_MEASURE_TRACE, of->child[0]);
    }
    const bool turns = of->kind == SOA_TERM_PRODUCT && soa_place_equal(of->type.from, of->type.to);
    const soa_term *is = turns ? rotated(pool, of) : of;
    return !is || is->type.to.space == SOA_SPACE_ONE ? is : opaque(pool, SOA_MEASURE_TRACE, is);
}

/* Whether it is I and something strictly causal: its determinant is 1. */
static bool is_unipotent(const soa_term *term)
{
    int identities = 0;
    for (int i = 0; term->kind == SOA_TERM_SUM && i < term->count; i++) {
        const bool one = term->child[i]->kind == SOA_TERM_IDENTITY && soa_ratio_is(term->ratio[i], 1);
        identities += one;
        if (!one && !soa_kind_is_strict(term->child[i]->causality)) {
            return false;
        }
    }
    return identities == 1 && term->causality != SOA_KIND_FULL;
}

/* det(A B) = det A det B, of factors, or of products of some, that go from one space to itself. */
static const soa_term *logdet_of_product(soa_terms *pool, const soa_term *of)
{
    const soa_term *sum = NULL;
    bool selects = false;
    for (int first = 0, i = 0; i < of->count; i++) {
        selects = selects || soa_term_selects(pool, of->child[i]);
        if (of->child[i]->type.from.space == of->type.to.space && i - first + 1 < of->count && !selects) {
            const soa_term *factor = soa_term_product(pool, i - first + 1, of->child + first);
            const soa_term *part = soa_term_measure(pool, SOA_MEASURE_LOGDET, factor);
            sum = first > 0 ? soa_term_add(pool, sum, part) : part;
            first = i + 1;
        }
    }
    return sum && !selects ? sum : opaque(pool, SOA_MEASURE_LOGDET, of);
}

static const soa_term *logdet_of(soa_terms *pool, const soa_term *of)
{
    const bool one = of->kind == SOA_TERM_IDENTITY || soa_term_is(of, SOA_OP_PHI) || soa_term_is(of, SOA_OP_PSI);
    const bool inverse = of->kind == SOA_TERM_INVERSE;
    if (one || is_unipotent(of)) {
        return soa_term_zero(pool, (soa_type){ ONE, ONE });
    }
    if (soa_term_is(of, SOA_OP_MASS)) { /* [I4]: the other factors are unipotent */
        return opaque(pool, SOA_MEASURE_LOGDET, soa_term_operator(pool, SOA_OP_D));
    }
    if (inverse || soa_term_is(of, SOA_OP_MASS_INV) || soa_term_is(of, SOA_OP_D_INV)) {
        const soa_term *inner = soa_term_measure(pool, SOA_MEASURE_LOGDET, soa_term_inverse(pool, of));
        return soa_term_scale(pool, soa_ratio_of(-1), inner);
    }
    if (of->kind == SOA_TERM_ADJOINT) {
        return soa_term_measure(pool, SOA_MEASURE_LOGDET, of->child[0]);
    }
    return of->kind == SOA_TERM_PRODUCT ? logdet_of_product(pool, of) : opaque(pool, SOA_MEASURE_LOGDET, of);
}

const soa_term *soa_term_measure(soa_terms *pool, soa_measure measure, const soa_term *of)
{
    if (!of) {
        return NULL;
    }
    const bool pseudo = measure == SOA_MEASURE_PSEUDO, trace = measure == SOA_MEASURE_TRACE;
    const bool adds = trace || measure == SOA_MEASURE_DIAGONAL;
    /* derivatives keep each of their traces, so that certificates show where they come from */
    const bool strict = of->causality == SOA_KIND_STRICTLY_CAUSAL || of->causality == SOA_KIND_STRICTLY_ANTICAUSAL;
    if ((of->kind == SOA_TERM_ZERO && measure != SOA_MEASURE_LOGDET) || (strict && adds && !of->derived)) {
        const soa_type type = { pseudo ? of->type.to : ONE, pseudo ? of->type.from : trace ? ONE : of->type.to };
        return soa_term_zero(pool, type);
    }
    if (of->kind == SOA_TERM_SUM && adds) {
        return linear(pool, measure, of);
    }
    if (pseudo && of->kind == SOA_TERM_ADJOINT) {
        return soa_term_adjoint(pool, opaque(pool, measure, of->child[0]));
    }
    return trace ? trace_of(pool, of) : measure == SOA_MEASURE_LOGDET ? logdet_of(pool, of) : opaque(pool, measure, of);
}
