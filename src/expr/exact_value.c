/* expr/exact_value.c - the two sides of a statement on a system in exact arithmetic. */
#include <string.h>

#include "expr/exact.h"
#include "expr/parse.h"

static soa_exact value_of(soa_exact_system *s, const soa_term *term);

/* ---- names ------------------------------------------------------------------------------------------- */

/* The trace, or the diagonal; logarithms and pseudo-inverses are no fractions. */
static soa_exact measured(soa_exact_system *s, const soa_variable *about)
{
    soa_field *f = &s->field;
    const bool trace = about->measure == SOA_MEASURE_TRACE;
    if (!trace && about->measure != SOA_MEASURE_DIAGONAL) {
        f->status = SOA_E_UNSUPPORTED;
        return (soa_exact){ 0 };
    }
    const soa_exact of = value_of(s, about->of);
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
static soa_exact variable_value(soa_exact_system *s, const soa_term *term)
{
    const soa_variable *about = soa_terms_about(s->field.terms, term->variable);
    if (about->body || about->of) {
        const soa_variable of = *about; /* variables may be added meanwhile */
        return of.body ? soa_exact_selector(s, &of) : measured(s, &of);
    }
    const soa_vector_id vector = soa_vector_find(about->name);
    const char *definition = soa_vector_definition(vector, s->choice.rotors);
    if (vector == SOA_VECTORS) {
        return soa_exact_declared(s, about);
    }
    if (!definition[0] || vector == SOA_VECTOR_V) {
        return soa_exact_vector(s, vector);
    }
    const soa_term *meaning = NULL;
    const soa_status status = soa_parse_term(s->field.terms, definition, &meaning, NULL);
    if (status != SOA_OK) {
        s->field.status = status;
        return (soa_exact){ 0 };
    }
    return value_of(s, meaning);
}

/* ---- derivatives ----------------------------------------------------------------------------------------- */

/* The system, moved along one coordinate more; NULL: no memory. */
static soa_exact_system *moved_along(soa_exact_system *s, int motion)
{
    soa_exact_choice choice = s->choice;
    soa_exact_system *made = s->moved;
    while (made && made->choice.moved[choice.order] != motion) {
        made = made->next;
    }
    if (!made && (made = soa_arena_take(s->field.arena, 1, sizeof *made)) != NULL) {
        choice.moved[choice.order++] = motion;
        *made = soa_exact_system_of(s->field.arena, s->field.terms, &choice);
        made->next = s->moved;
        s->moved = made;
    }
    return made;
}

static soa_exact derivative_value(soa_exact_system *s, const soa_term *term)
{
    soa_field *f = &s->field;
    const int motion = soa_exact_motion(s, term->child[1]);
    if (f->order == SOA_EXACT_ORDER || motion < 0) {
        f->status = SOA_E_UNSUPPORTED;
        return (soa_exact){ 0 };
    }
    soa_exact_system *there = moved_along(s, motion);
    const soa_exact value = there ? value_of(there, term->child[0]) : (soa_exact){ 0 };
    const soa_exact made = soa_exact_zero(f, value.rows, value.cols);
    if (!there || there->field.status != SOA_OK) {
        f->status = there ? there->field.status : SOA_E_MEMORY;
        return made;
    }
    const size_t size = (size_t)value.rows * (size_t)value.cols << f->order; /* the planes with the new e */
    if (f->status == SOA_OK) {
        memcpy(made.at, value.at + size, size * sizeof *made.at);
    }
    return made;
}

/* ---- terms ------------------------------------------------------------------------------------------------ */

static soa_exact zero_of(soa_exact_system *s, const soa_term *term)
{
    return soa_exact_zero(&s->field, soa_exact_size(s, term->type.to.space), soa_exact_size(s, term->type.from.space));
}

/* The sum of the parts, or their product: from the right, where vectors are, short. */
static soa_exact combined(soa_exact_system *s, const soa_term *term, bool sum)
{
    soa_field *f = &s->field;
    soa_exact made = sum ? zero_of(s, term) : value_of(s, term->child[term->count - 1]);
    for (int i = term->count - (sum ? 1 : 2); i >= 0 && f->status == SOA_OK; i--) {
        const soa_exact part = value_of(s, term->child[i]);
        made =
            sum ? soa_exact_add(f, made, soa_field_ratio(f, term->ratio[i]), part) : soa_exact_multiply(f, part, made);
    }
    return made;
}

static soa_exact made_of(soa_exact_system *s, const soa_term *term)
{
    soa_field *f = &s->field;
    switch (term->kind) {
    case SOA_TERM_ZERO:
        return zero_of(s, term);
    case SOA_TERM_IDENTITY:
        return soa_exact_identity(f, soa_exact_size(s, term->type.to.space));
    case SOA_TERM_OPERATOR:
        return soa_exact_operator(s, term->op);
    case SOA_TERM_VARIABLE:
        return variable_value(s, term);
    case SOA_TERM_SUM:
    case SOA_TERM_PRODUCT:
        return combined(s, term, term->kind == SOA_TERM_SUM);
    case SOA_TERM_ADJOINT:
        return soa_exact_transpose(f, value_of(s, term->child[0]));
    case SOA_TERM_INVERSE:
        return soa_exact_inverse(f, value_of(s, term->child[0]));
    case SOA_TERM_DERIVATIVE:
        return derivative_value(s, term);
    case SOA_TERM_ROOT:
        return soa_exact_root(f, value_of(s, term->child[0]));
    }
    return (soa_exact){ 0 };
}

static soa_exact value_of(soa_exact_system *s, const soa_term *term)
{
    soa_field *f = &s->field;
    if (f->status != SOA_OK) {
        return (soa_exact){ 0 };
    }
    if (term->number < s->terms && s->known[term->number].at) {
        return s->known[term->number];
    }
    const soa_exact value = made_of(s, term);
    if (f->status == SOA_OK && term->number < s->terms) {
        s->known[term->number] = value;
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
    int i = 0;
    while (i < a.rows * a.cols && a.at[i] == 0) {
        i++;
    }
    return i == a.rows * a.cols;
}

/* Whether the difference is zero on the system; right NULL: whether left is. */
static bool vanishes(soa_exact_system *s, const soa_term *left, const soa_term *right)
{
    soa_field *f = &s->field;
    soa_exact rest = value_of(s, left);
    rest = right && f->status == SOA_OK ? soa_exact_add(f, rest, (uint32_t)f->prime - 1, value_of(s, right)) : rest;
    return f->status == SOA_OK && is_zero(rest);
}

static bool assumptions_hold(soa_exact_system *s)
{
    bool hold = true;
    for (int i = 0; i < soa_terms_assumptions(s->field.terms) && hold; i++) {
        const soa_assumption *assumed = soa_terms_assumption(s->field.terms, i);
        if (assumed->right) {
            hold = vanishes(s, assumed->left, assumed->right);
        }
        for (int v = 0; assumed->left && !assumed->right && v < s->field.terms->variables.count && hold; v++) {
            if (soa_derivative_moves(soa_terms_about(s->field.terms, v)->name)) {
                const soa_term *q = soa_term_variable(s->field.terms, v),
                               *d = soa_term_derivative(s->field.terms, assumed->left, q);
                hold = d && vanishes(s, d, NULL);
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
    soa_exact_system s = soa_exact_system_of(&arena, terms, choice);
    const bool zero = vanishes(&s, left, right);
    const soa_status status = s.field.status;
    answer->evaluated = status == SOA_OK || status == SOA_E_SINGULAR;
    answer->exists = status == SOA_OK && assumptions_hold(&s);
    answer->differs = answer->exists && !zero;
    soa_arena_free(&arena);
    return status;
}

/* How many systems are tried until all roots in a statement exist modulo the prime: half of all numbers have one. */
enum { ROOTS_TRIED = 500 };

soa_exact_answer soa_exact_compare(
    soa_terms *terms, const soa_term *left, const soa_term *right, unsigned long long seed, bool rotors)
{
    soa_exact_answer answer = { 0 };
    const int a = shifts(left), b = shifts(right), deep = (a > b ? a : b) + 3;
    answer.roots = soa_term_any(terms, left, is_irrational, NULL) || soa_term_any(terms, right, is_irrational, NULL);
    const int least = answer.roots ? 2 : 3 + largest_body(terms);
    soa_exact_choice choice = { .seed = seed, .depth = deep < least ? least : deep, .rotors = rotors };
    choice.single = answer.roots;
    choice.depth = choice.depth < SOA_EXACT_BODIES - 2 ? choice.depth : SOA_EXACT_BODIES - 2;
    answer.bodies = choice.depth + 2;
    soa_status status = compare(terms, left, right, &choice, &answer);
    for (int i = 1; status == SOA_E_NUMBER && i < ROOTS_TRIED && !soa_terms_expired(terms); i++) {
        choice.seed = seed + (unsigned long long)i * 1000;
        status = compare(terms, left, right, &choice, &answer);
    }
    return answer;
}
