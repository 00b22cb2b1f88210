/* expr/exact_value.c - the two sides of a statement on a system in exact arithmetic. */
#include <string.h>

#include "core/random.h"
#include "expr/exact.h"
#include "expr/parse.h"

/* A system moved along some coordinates, and the values of terms on it. */
typedef struct level {
    soa_exact_system system;
    soa_exact *known; /* by number of the term */
    int count;
    struct level *next; /* another, with more coordinates */
} level;

typedef struct evaluation {
    soa_terms *terms;
    soa_arena *arena;
    soa_exact_choice choice; /* not moved */
    int terms_most;
    level *first;
} evaluation;

static soa_exact value_of(evaluation *e, level *at, const soa_term *term);

/* ---- names ------------------------------------------------------------------------------------------- */

static unsigned long long seed_of(const evaluation *e, const char *name)
{
    unsigned long long seed = e->choice.seed;
    for (; *name; name++) {
        seed = seed * 31 + (unsigned char)*name;
    }
    return seed;
}

/* Whether numbers of body j enter those of body k. */
static bool reaches(const soa_exact_system *s, soa_kind kind, int k, int j)
{
    return soa_kind_sees(kind) & (k == j                           ? SOA_SELF
                                     : soa_exact_outboard(s, k, j) ? SOA_OUTBOARD
                                     : soa_exact_outboard(s, j, k) ? SOA_INBOARD
                                                                   : SOA_ELSEWHERE);
}

/* The body of number i of a space; points are on no body that a kind could tell. */
static int body_of(const soa_exact_system *s, soa_space space, int i)
{
    int k = space == SOA_SPACE_BODY ? i / 6 : 0;
    while (space == SOA_SPACE_JOINT && k + 1 < s->bodies && s->body[k + 1].v <= i) {
        k++;
    }
    return k;
}

/* An operator or a vector of the user's, of its type, kind and symmetry; positive: A A* + I. */
static soa_exact declared(evaluation *e, level *at, const soa_variable *about)
{
    soa_exact_system *s = &at->system;
    soa_field *f = &s->field;
    unsigned long long seed = seed_of(e, about->name);
    const soa_space to = about->type.to.space, from = about->type.from.space;
    soa_exact a = soa_exact_random_matrix(f, &seed, soa_exact_size(s, to), soa_exact_size(s, from));
    const bool bodies =
        (to == SOA_SPACE_BODY || to == SOA_SPACE_JOINT) && (from == SOA_SPACE_BODY || from == SOA_SPACE_JOINT);
    for (int i = 0; bodies && f->status == SOA_OK && i < a.rows * a.cols; i++) {
        a.at[i] = reaches(s, about->causality, body_of(s, to, i / a.cols), body_of(s, from, i % a.cols)) ? a.at[i] : 0;
    }
    if (about->positive) {
        a = soa_exact_multiply(f, a, soa_exact_transpose(f, a));
        return soa_exact_add(f, a, 1, soa_exact_identity(f, a.rows));
    }
    return about->symmetric ? soa_exact_add(f, a, 1, soa_exact_transpose(f, a)) : a;
}

/* I where the body is: the one of that number, or any for a name; 0 elsewhere. Points alike. */
static soa_exact selector(evaluation *e, level *at, const soa_variable *about)
{
    soa_exact_system *s = &at->system;
    const soa_space space = about->type.to.space;
    const int size = soa_exact_size(s, space), parts = space == SOA_SPACE_POINT ? size / 6 : s->bodies;
    unsigned long long seed = seed_of(e, about->body);
    const int number = soa_body_number(about->body);
    const int part = number >= 0 ? number - 1 : (int)(soa_random_bits(&seed) % (unsigned)parts);
    const soa_exact made = soa_exact_zero(&s->field, size, size);
    if (part < 0 || part >= parts) {
        s->field.status = SOA_E_UNSUPPORTED;
    }
    for (int i = 0; i < size && s->field.status == SOA_OK; i++) {
        *soa_exact_entry(made, 0, i, i) = (space == SOA_SPACE_POINT ? i / 6 : body_of(s, space, i)) == part;
    }
    return made;
}

/* The trace, or the diagonal; logarithms and pseudo-inverses are no fractions. */
static soa_exact measured(evaluation *e, level *at, const soa_variable *about)
{
    soa_field *f = &at->system.field;
    const bool trace = about->measure == SOA_MEASURE_TRACE;
    if (!trace && about->measure != SOA_MEASURE_DIAGONAL) {
        f->status = SOA_E_UNSUPPORTED;
        return (soa_exact){ 0 };
    }
    const soa_exact of = value_of(e, at, about->of);
    const soa_exact made = soa_exact_zero(f, trace ? 1 : of.rows, 1);
    for (int plane = 0; f->status == SOA_OK && plane < 1 << f->order; plane++) {
        for (int i = 0; i < of.rows; i++) {
            uint32_t *to = soa_exact_entry(made, plane, trace ? 0 : i, 0);
            *to = (uint32_t)(((uint64_t)*to + *soa_exact_entry(of, plane, i, i)) % f->prime);
        }
    }
    return made;
}

/* A vector that is defined by others takes its definition; V, a, b, g are the system's. */
static soa_exact variable_value(evaluation *e, level *at, const soa_term *term)
{
    const soa_variable *about = soa_terms_about(e->terms, term->variable);
    if (about->body || about->of) {
        const soa_variable of = *about; /* variables may be added meanwhile */
        return of.body ? selector(e, at, &of) : measured(e, at, &of);
    }
    const soa_vector_id vector = soa_vector_find(about->name);
    const char *definition = soa_vector_definition(vector, e->choice.rotors);
    if (vector == SOA_VECTORS) {
        return declared(e, at, about);
    }
    if (!definition[0] || vector == SOA_VECTOR_V) {
        return soa_exact_vector(&at->system, vector);
    }
    const soa_term *meaning = NULL;
    const soa_status status = soa_parse_term(e->terms, definition, &meaning, NULL);
    if (status != SOA_OK) {
        at->system.field.status = status;
        return (soa_exact){ 0 };
    }
    return value_of(e, at, meaning);
}

/* ---- derivatives ----------------------------------------------------------------------------------------- */

static level *level_of(evaluation *e, int order, const int moved[SOA_EXACT_ORDER])
{
    soa_exact_choice choice = e->choice;
    choice.order = order;
    memcpy(choice.moved, moved, sizeof choice.moved);
    for (level *l = e->first; l; l = l->next) {
        if (l->system.choice.order == order && memcmp(l->system.choice.moved, moved, sizeof choice.moved) == 0) {
            return l;
        }
    }
    level *made = soa_arena_take(e->arena, 1, sizeof *made);
    soa_exact *known = soa_arena_take(e->arena, (size_t)e->terms_most, sizeof *known);
    if (made && known) {
        *made = (level){ .known = known, .count = e->terms_most, .next = e->first };
        made->system = soa_exact_system_of(e->arena, e->terms, &choice);
        e->first = made;
    }
    return known ? made : NULL;
}

static soa_exact derivative_value(evaluation *e, level *at, const soa_term *term)
{
    soa_field *f = &at->system.field;
    const int order = f->order, motion = soa_exact_motion(&at->system, term->child[1]);
    int moved[SOA_EXACT_ORDER];
    if (order == SOA_EXACT_ORDER || motion < 0) {
        f->status = SOA_E_UNSUPPORTED;
        return (soa_exact){ 0 };
    }
    memcpy(moved, at->system.choice.moved, sizeof moved);
    moved[order] = motion;
    level *there = level_of(e, order + 1, moved);
    const soa_exact value = there ? value_of(e, there, term->child[0]) : (soa_exact){ 0 };
    const soa_exact made = soa_exact_zero(f, value.rows, value.cols);
    if (!there || there->system.field.status != SOA_OK) {
        f->status = there ? there->system.field.status : SOA_E_MEMORY;
        return made;
    }
    const size_t size = (size_t)value.rows * (size_t)value.cols << order; /* the planes with the new e */
    if (f->status == SOA_OK) {
        memcpy(made.at, value.at + size, size * sizeof *made.at);
    }
    return made;
}

/* ---- terms ------------------------------------------------------------------------------------------------ */

static soa_exact sum_value(evaluation *e, level *at, const soa_term *term)
{
    soa_exact_system *s = &at->system;
    soa_exact sum =
        soa_exact_zero(&s->field, soa_exact_size(s, term->type.to.space), soa_exact_size(s, term->type.from.space));
    for (int i = 0; i < term->count && s->field.status == SOA_OK; i++) {
        sum =
            soa_exact_add(&s->field, sum, soa_field_ratio(&s->field, term->ratio[i]), value_of(e, at, term->child[i]));
    }
    return sum;
}

/* From the right, where vectors are: short. */
static soa_exact product_value(evaluation *e, level *at, const soa_term *term)
{
    soa_exact product = value_of(e, at, term->child[term->count - 1]);
    for (int i = term->count - 2; i >= 0 && at->system.field.status == SOA_OK; i--) {
        product = soa_exact_multiply(&at->system.field, value_of(e, at, term->child[i]), product);
    }
    return product;
}

static soa_exact made_of(evaluation *e, level *at, const soa_term *term)
{
    soa_exact_system *s = &at->system;
    soa_field *f = &s->field;
    switch (term->kind) {
    case SOA_TERM_ZERO:
        return soa_exact_zero(f, soa_exact_size(s, term->type.to.space), soa_exact_size(s, term->type.from.space));
    case SOA_TERM_IDENTITY:
        return soa_exact_identity(f, soa_exact_size(s, term->type.to.space));
    case SOA_TERM_OPERATOR:
        return soa_exact_operator(s, term->op);
    case SOA_TERM_VARIABLE:
        return variable_value(e, at, term);
    case SOA_TERM_SUM:
        return sum_value(e, at, term);
    case SOA_TERM_PRODUCT:
        return product_value(e, at, term);
    case SOA_TERM_ADJOINT:
        return soa_exact_transpose(f, value_of(e, at, term->child[0]));
    case SOA_TERM_INVERSE:
        return soa_exact_inverse(f, value_of(e, at, term->child[0]));
    case SOA_TERM_DERIVATIVE:
        return derivative_value(e, at, term);
    case SOA_TERM_ROOT:
        return soa_exact_root(f, value_of(e, at, term->child[0]));
    }
    return (soa_exact){ 0 };
}

static soa_exact value_of(evaluation *e, level *at, const soa_term *term)
{
    soa_field *f = &at->system.field;
    if (f->status != SOA_OK) {
        return (soa_exact){ 0 };
    }
    if (term->number < at->count && at->known[term->number].at) {
        return at->known[term->number];
    }
    const soa_exact value = made_of(e, at, term);
    if (f->status == SOA_OK && term->number < at->count) {
        at->known[term->number] = value;
    }
    return value;
}

/* ---- both sides ------------------------------------------------------------------------------------------- */

/* The longest product of shifts to the parent: a system that deep does not make it zero. */
static int shifts(const soa_term *term)
{
    int most = term->kind == SOA_TERM_OPERATOR && (term->causality == SOA_KIND_STRICTLY_CAUSAL);
    for (int i = 0; i < term->count && most < SOA_EXACT_BODIES; i++) {
        const int part = shifts(term->child[i]);
        most = term->kind == SOA_TERM_PRODUCT ? most + part : part > most ? part : most;
    }
    return most;
}

/* The largest number of a body that was written, 1 if there is none: bodies are to be outboard of it. */
static int largest_body(const soa_terms *terms)
{
    int most = 1;
    for (int i = 0; i < terms->variables.count; i++) {
        const char *body = soa_terms_about(terms, i)->body;
        const int number = body && strlen(body) < 3 ? soa_body_number(body) : 0;
        most = number > most ? number : most;
    }
    return most;
}

/* Roots, logarithms and pseudo-inverses are no fractions. */
static bool is_irrational(const soa_terms *terms, const soa_term *term, const void *unused)
{
    const soa_measure measure =
        term->kind == SOA_TERM_VARIABLE ? soa_terms_about(terms, term->variable)->measure : SOA_MEASURE_NONE;
    return (void)unused, term->kind == SOA_TERM_ROOT || measure == SOA_MEASURE_LOGDET || measure == SOA_MEASURE_PSEUDO;
}

static bool is_zero(soa_exact a)
{
    bool zero = true;
    for (int i = 0; i < a.rows * a.cols && zero; i++) {
        zero = a.at[i] == 0;
    }
    return zero;
}

/* Whether the difference is zero on the system; right NULL: whether left is. */
static bool vanishes(evaluation *e, level *at, const soa_term *left, const soa_term *right)
{
    soa_field *f = &at->system.field;
    soa_exact rest = value_of(e, at, left);
    rest = right && f->status == SOA_OK ? soa_exact_add(f, rest, (uint32_t)f->prime - 1, value_of(e, at, right)) : rest;
    return f->status == SOA_OK && is_zero(rest);
}

static bool assumptions_hold(evaluation *e, level *at)
{
    bool hold = true;
    for (int i = 0; i < soa_terms_assumptions(e->terms) && hold; i++) {
        const soa_assumption *assumed = soa_terms_assumption(e->terms, i);
        if (assumed->right) {
            hold = vanishes(e, at, assumed->left, assumed->right);
        }
        for (int v = 0; assumed->left && !assumed->right && v < e->terms->variables.count && hold; v++) {
            if (soa_derivative_moves(soa_terms_about(e->terms, v)->name)) {
                const soa_term *q = soa_term_variable(e->terms, v),
                               *d = soa_term_derivative(e->terms, assumed->left, q);
                hold = d && vanishes(e, at, d, NULL);
            }
        }
    }
    return hold;
}

/* On one system; SOA_E_NUMBER: a root does not exist modulo the prime. */
static soa_status compare(soa_terms *terms, const soa_term *left, const soa_term *right, const soa_exact_choice *choice,
    soa_exact_answer *answer)
{
    soa_arena arena = soa_arena_on(&terms->allocator);
    evaluation e = { .terms = terms, .arena = &arena, .choice = *choice, .terms_most = terms->count };
    level *at = level_of(&e, 0, e.choice.moved);
    soa_status status = at ? SOA_OK : SOA_E_MEMORY;
    if (at) {
        soa_field *f = &at->system.field;
        const bool zero = vanishes(&e, at, left, right);
        status = f->status;
        answer->exists = status != SOA_E_SINGULAR;
        answer->evaluated = status == SOA_OK || status == SOA_E_SINGULAR;
        answer->exists = answer->exists && assumptions_hold(&e, at);
        answer->differs = status == SOA_OK && answer->exists && !zero;
    }
    soa_arena_free(&arena);
    return status;
}

/* How many systems are tried until all roots in a statement exist modulo the prime: half of all numbers have one. */
enum { ROOTS_TRIED = 500 };

soa_status soa_exact_compare(soa_terms *terms, const soa_term *left, const soa_term *right, unsigned long long seed,
    bool rotors, soa_exact_answer *answer)
{
    *answer = (soa_exact_answer){ 0 };
    const int a = shifts(left), b = shifts(right), deep = (a > b ? a : b) + 3;
    answer->roots = soa_term_any(terms, left, is_irrational, NULL) || soa_term_any(terms, right, is_irrational, NULL);
    const int least = answer->roots ? 2 : 3 + largest_body(terms);
    soa_exact_choice choice = { .seed = seed, .depth = deep < least ? least : deep, .rotors = rotors };
    choice.single = answer->roots;
    choice.depth = choice.depth < SOA_EXACT_BODIES - 2 ? choice.depth : SOA_EXACT_BODIES - 2;
    answer->bodies = choice.depth + 2;
    soa_status status = compare(terms, left, right, &choice, answer);
    for (int i = 1; status == SOA_E_NUMBER && i < ROOTS_TRIED && !soa_terms_expired(terms); i++) {
        choice.seed = seed + (unsigned long long)i * 1000;
        status = compare(terms, left, right, &choice, answer);
    }
    return status == SOA_E_MEMORY ? status : SOA_OK; /* others: it was not evaluated */
}
