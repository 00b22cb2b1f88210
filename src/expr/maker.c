/* expr/maker.c - how the matrix of an operator is made.
 *
 * A product of operators is read as a word, J and Omega opened; words of which a
 * structured algorithm makes the matrix are known. Factors that are matrices themselves
 * (A, operators given by name) are split off at both ends. */
#include "expr/compile.h"

#include "core/error.h"

enum { WORD = 24 };

/* Operators and their adjoints one after another. */
typedef struct word {
    int count;
    soa_operator op[WORD];
    bool adjoint[WORD];
} word;

static bool word_add(word *w, soa_operator op, bool adjoint)
{
    static const soa_operator omega[] = { SOA_OP_PSI, SOA_OP_H, SOA_OP_D_INV, SOA_OP_H, SOA_OP_PSI };
    static const soa_operator jacobian[] = { SOA_OP_B, SOA_OP_PHI, SOA_OP_H };
    if (w->count + 5 > WORD) {
        return false;
    }
    if (op == SOA_OP_OMEGA) {
        for (int i = 0; i < 5; i++) {
            w->adjoint[w->count] = i < 2;
            w->op[w->count++] = omega[i];
        }
    } else if (op == SOA_OP_J) {
        for (int i = 0; i < 3; i++) {
            w->adjoint[w->count] = !adjoint;
            w->op[w->count++] = jacobian[adjoint ? 2 - i : i];
        }
    } else {
        w->adjoint[w->count] = adjoint && !soa_operator_about(op, false).symmetric;
        w->op[w->count++] = op;
    }
    return true;
}

/* false: the term is not a product of operators, or too long. */
static bool word_of(const soa_term *term, bool adjoint, word *w)
{
    switch (term->kind) {
    case SOA_TERM_OPERATOR:
        return word_add(w, term->op, adjoint);
    case SOA_TERM_ADJOINT:
        return word_of(term->child[0], !adjoint, w);
    case SOA_TERM_PRODUCT:
        for (int i = 0; i < term->count; i++) {
            if (!word_of(term->child[adjoint ? term->count - 1 - i : i], adjoint, w)) {
                return false;
            }
        }
        return true;
    default:
        return false;
    }
}

typedef struct known {
    soa_maker_kind kind;
    bool adjoint, rotors; /* rotors: also true with them */
    int count;
    soa_operator op[7];
    int first; /* how many of the first operators are adjoints */
    int last;  /* and how many of the last */
} known;

static const known list[] = {
    { SOA_MAKE_MASS, false, true, 1, { SOA_OP_MASS }, 0, 0 },
    { SOA_MAKE_MASS, false, false, 5, { SOA_OP_H, SOA_OP_PHI, SOA_OP_M, SOA_OP_PHI, SOA_OP_H }, 0, 2 },
    { SOA_MAKE_MASS_INV, false, true, 1, { SOA_OP_MASS_INV }, 0, 0 },
    { SOA_MAKE_LAMBDA, false, true, 1, { SOA_OP_LAMBDA }, 0, 0 },
    { SOA_MAKE_RIGID, false, true, 3, { SOA_OP_PHI, SOA_OP_M, SOA_OP_PHI }, 0, 1 },
    { SOA_MAKE_OMEGA, false, true, 5, { SOA_OP_PSI, SOA_OP_H, SOA_OP_D_INV, SOA_OP_H, SOA_OP_PSI }, 2, 0 },
    { SOA_MAKE_JACOBIAN, false, true, 3, { SOA_OP_B, SOA_OP_PHI, SOA_OP_H }, 3, 0 },
    { SOA_MAKE_JACOBIAN, true, true, 3, { SOA_OP_H, SOA_OP_PHI, SOA_OP_B }, 0, 0 },
    { SOA_MAKE_LAMBDA, false, true, 7,
        { SOA_OP_B, SOA_OP_PHI, SOA_OP_H, SOA_OP_MASS_INV, SOA_OP_H, SOA_OP_PHI, SOA_OP_B }, 3, 0 },
    { SOA_MAKE_LAMBDA, false, true, 7, { SOA_OP_B, SOA_OP_PSI, SOA_OP_H, SOA_OP_D_INV, SOA_OP_H, SOA_OP_PSI, SOA_OP_B },
        3, 0 },
};

static bool is_known(const word *w, const known *k, bool rotors)
{
    if (w->count != k->count || (rotors && !k->rotors)) {
        return false;
    }
    for (int i = 0; i < w->count; i++) {
        const bool adjoint = i < k->first || i >= k->count - k->last;
        if (w->op[i] != k->op[i] || (w->adjoint[i] != adjoint && !soa_operator_about(k->op[i], false).symmetric)) {
            return false;
        }
    }
    return true;
}

static soa_maker *new_maker(soa_compiled *c, soa_maker like, soa_error *error)
{
    soa_maker *made = soa_arena_take(&c->arena, 1, sizeof *made);
    if (!made) {
        soa_fail_memory(error);
        return NULL;
    }
    *made = like;
    return made;
}

/* (I - H psi K)* D^-1 (I - H psi K)  [I6] */
static bool is_mass_inverse(soa_terms *terms, const soa_term *term)
{
    static const soa_operator gain[] = { SOA_OP_H, SOA_OP_PSI, SOA_OP_K };
    const soa_term *factor[3];
    for (int i = 0; i < 3; i++) {
        factor[i] = soa_term_operator(terms, gain[i]);
    }
    const soa_term *HpsiK = soa_term_product(terms, 3, factor);
    const soa_term *I = soa_term_identity(terms, (soa_place){ SOA_SPACE_JOINT, SOA_SIDE_FORCE });
    const soa_term *L = soa_term_subtract(terms, I, HpsiK);
    const soa_term *whole[] = { soa_term_adjoint(terms, L), soa_term_operator(terms, SOA_OP_D_INV), L };
    return term == soa_term_product(terms, 3, whole);
}

/* d(Mass, q_i), if the term is that; NULL: it is not, or the error says why. */
static soa_maker *mass_rate(soa_compiled *c, const soa_term *term, soa_error *error)
{
    const bool rotors = c->main.plan.flow.rotors;
    word w = { 0 };
    if (term->kind != SOA_TERM_DERIVATIVE || !c->model || !word_of(term->child[0], false, &w) ||
        !(is_known(&w, &list[0], rotors) || is_known(&w, &list[1], rotors))) {
        return NULL;
    }
    soa_flow flow = soa_compiled_flow(c, error);
    const int velocity = soa_flow_velocity(&flow, term->child[1]);
    soa_flow_free(&flow);
    return velocity < 0
               ? NULL
               : new_maker(c, (soa_maker){ .kind = SOA_MAKE_MASS_RATE, .term = term, .velocity = velocity }, error);
}

static soa_maker *structured(soa_compiled *c, const soa_term *term, soa_error *error)
{
    const bool rotors = c->main.plan.flow.rotors;
    word w = { 0 };
    if (term->kind == SOA_TERM_DERIVATIVE) {
        return mass_rate(c, term, error);
    }
    if (is_mass_inverse(c->terms, term)) {
        return new_maker(c, (soa_maker){ .kind = SOA_MAKE_MASS_INV, .term = term }, error);
    }
    if (!word_of(term, false, &w)) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        if (is_known(&w, &list[i], rotors)) {
            return new_maker(c, (soa_maker){ .kind = list[i].kind, .adjoint = list[i].adjoint, .term = term }, error);
        }
    }
    return NULL;
}

/* ---- column by column ------------------------------------------------------------------------------- */

static soa_unit *unit_of(soa_compiled *c, const soa_term *term, soa_error *error)
{
    soa_unit **place = soa_array_push(&c->units, &c->allocator);
    soa_unit *unit = soa_arena_take(&c->arena, 1, sizeof *unit);
    if (!place || !unit) {
        c->units.count -= place != NULL;
        soa_fail_memory(error);
        return NULL;
    }
    soa_flow flow = soa_compiled_flow(c, error);
    if (soa_flow_add(&flow, "y", term) != SOA_OK) {
        soa_flow_free(&flow);
        c->units.count--;
        return NULL;
    }
    if (soa_plan_make(flow, &unit->plan, error) != SOA_OK) {
        c->units.count--;
        return NULL;
    }
    *place = unit;
    return soa_unit_complete(c, unit, error) == SOA_OK ? unit : NULL;
}

static soa_maker *by_unit(soa_compiled *c, soa_maker_kind kind, const soa_term *term, soa_error *error)
{
    soa_unit *unit = unit_of(c, term, error);
    return unit ? new_maker(c, (soa_maker){ .kind = kind, .term = term, .unit = unit }, error) : NULL;
}

soa_maker *soa_maker_blocks(soa_compiled *compiled, const soa_term *term, soa_error *error)
{
    return by_unit(compiled, SOA_MAKE_BLOCKS, term, error);
}

/* ---- products and sums ---------------------------------------------------------------------------------- */

/* A matrix by itself: A, or an operator given by name, or the adjoint of one. */
static soa_maker *given(soa_compiled *c, const soa_term *term, soa_error *error)
{
    const bool adjoint = term->kind == SOA_TERM_ADJOINT;
    const soa_term *inner = adjoint ? term->child[0] : term;
    if (inner->kind == SOA_TERM_OPERATOR && inner->op == SOA_OP_A) {
        return new_maker(c, (soa_maker){ .kind = SOA_MAKE_CONSTRAINTS, .adjoint = adjoint, .term = term }, error);
    }
    if (inner->kind != SOA_TERM_VARIABLE || soa_term_is_vector(inner)) {
        return NULL;
    }
    const char *name = soa_terms_about(c->terms, inner->variable)->name;
    if (soa_compiled_needs(c, name, inner->type, error) != SOA_OK) {
        return NULL;
    }
    return new_maker(c, (soa_maker){ .kind = SOA_MAKE_GIVEN, .adjoint = adjoint, .term = term, .name = name }, error);
}

static bool is_given(const soa_term *term)
{
    const soa_term *inner = term->kind == SOA_TERM_ADJOINT ? term->child[0] : term;
    return (inner->kind == SOA_TERM_OPERATOR && inner->op == SOA_OP_A) ||
           (inner->kind == SOA_TERM_VARIABLE && !soa_term_is_vector(inner));
}

static soa_maker *product(soa_compiled *c, const soa_term *term, soa_error *error)
{
    int left = 0, right = term->count;
    while (left < right && is_given(term->child[left])) {
        left++;
    }
    while (right > left && is_given(term->child[right - 1])) {
        right--;
    }
    if (left == 0 && right == term->count) {
        return by_unit(c, SOA_MAKE_COLUMNS, term, error);
    }
    soa_maker **part = soa_arena_take(&c->arena, (size_t)term->count, sizeof *part);
    if (!part) {
        soa_fail_memory(error);
        return NULL;
    }
    int n = 0;
    for (int i = 0; i < term->count; i++) {
        const bool middle = i == left && right > left;
        if (i > left && i < right) {
            continue;
        }
        const soa_term *inner = middle ? soa_term_product(c->terms, right - left, term->child + left) : NULL;
        part[n] = middle ? inner ? soa_maker_of(c, inner, error) : NULL : given(c, term->child[i], error);
        if (!part[n++]) {
            return NULL;
        }
    }
    return new_maker(c, (soa_maker){ .kind = SOA_MAKE_PRODUCT, .term = term, .count = n, .part = part }, error);
}

/* A sum is made part by part if each part has a structured algorithm. */
static bool all_structured(const soa_compiled *c, const soa_term *sum)
{
    for (int i = 0; i < sum->count; i++) {
        word w = { 0 };
        bool found =
            is_given(sum->child[i]) || (sum->child[i]->kind == SOA_TERM_PRODUCT && is_given(sum->child[i]->child[0]));
        for (size_t j = 0; !found && word_of(sum->child[i], false, &w) && j < sizeof list / sizeof list[0]; j++) {
            found = is_known(&w, &list[j], c->main.plan.flow.rotors);
            w = (word){ 0 };
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

static soa_maker *sum(soa_compiled *c, const soa_term *term, soa_error *error)
{
    soa_maker **part = soa_arena_take(&c->arena, (size_t)term->count, sizeof *part);
    if (!part) {
        soa_fail_memory(error);
        return NULL;
    }
    for (int i = 0; i < term->count; i++) {
        part[i] = soa_maker_of(c, term->child[i], error);
        if (!part[i]) {
            return NULL;
        }
    }
    return new_maker(c,
        (soa_maker){ .kind = SOA_MAKE_SUM, .term = term, .count = term->count, .part = part, .factor = term->factor },
        error);
}

/* Of the term with its derivatives expanded, so that what is given is split off from them too. */
static soa_maker *expanded(soa_compiled *c, const soa_term *term, soa_error *error)
{
    soa_flow flow = soa_compiled_flow(c, error);
    const soa_term *open = soa_flow_expanded(&flow, term);
    soa_flow_free(&flow);
    if (!open) {
        return NULL;
    }
    return open->kind == SOA_TERM_DERIVATIVE ? by_unit(c, SOA_MAKE_COLUMNS, open, error) : soa_maker_of(c, open, error);
}

soa_maker *soa_maker_of(soa_compiled *compiled, const soa_term *term, soa_error *error)
{
    soa_maker *made = structured(compiled, term, error);
    if (made) {
        return made;
    }
    if (term->kind == SOA_TERM_DERIVATIVE) {
        return expanded(compiled, term, error);
    }
    if (is_given(term)) {
        return given(compiled, term, error);
    }
    if (term->kind == SOA_TERM_PRODUCT) {
        return product(compiled, term, error);
    }
    if (term->kind == SOA_TERM_SUM && all_structured(compiled, term)) {
        return sum(compiled, term, error);
    }
    return by_unit(compiled, SOA_MAKE_COLUMNS, term, error);
}
