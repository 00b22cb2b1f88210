/* expr/dense_value.c - the value of a term on a small system, as a matrix. */
#include "expr/dense_value.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "expr/graph.h"
#include "expr/parse.h"

enum { DEPTH_MOST = 400 };

typedef struct evaluation {
    const soa_sample *sample;
    soa_terms *terms;
    soa_arena *arena;
    soa_matrix *known; /* by number of the term */
    soa_number *bound; /* of each: what its rounding is relative to */
    int count;
    soa_type type; /* of the whole */
    soa_number largest;
    soa_status status;
} evaluation;

/* How much larger the rounding of the oracle's operators is than one unit; and how far
 * off a derivative by differences may be. */
static const soa_number ORACLE = 1e3L, DIFFERENCES = 1e-9L;

static const soa_matrix none = { 0, 0, NULL };

static soa_matrix fail(evaluation *e, soa_status status)
{
    e->status = e->status == SOA_OK ? status : e->status;
    return none;
}

static int size_of(const evaluation *e, soa_space space)
{
    const int size[] = { [SOA_SPACE_ANY] = 1,
        [SOA_SPACE_JOINT] = e->sample->dense->nv,
        [SOA_SPACE_BODY] = 6 * e->sample->dense->n,
        [SOA_SPACE_POINT] = 6 * SOA_SAMPLE_POINTS,
        [SOA_SPACE_CONSTRAINT] = SOA_SAMPLE_CONSTRAINTS,
        [SOA_SPACE_ONE] = 1 };
    return size[space];
}

/* ---- random values -------------------------------------------------------------------------------- */

/* Whether row i and column j belong to one body. */
static bool same_body(const evaluation *e, soa_space space, int i, int j)
{
    if (space == SOA_SPACE_BODY || space == SOA_SPACE_POINT) {
        return i / 6 == j / 6;
    }
    int body[2] = { 0, 0 };
    for (int k = 0; space == SOA_SPACE_JOINT && k < e->sample->dense->n; k++) {
        const int first = soa_model_body(e->sample->model, k).v;
        body[0] = first <= i ? k : body[0];
        body[1] = first <= j ? k : body[1];
    }
    return body[0] == body[1];
}

static soa_matrix random_matrix(evaluation *e, const char *name, soa_type type, const soa_variable *about)
{
    unsigned long long seed = 88172645463325252ULL;
    for (const char *c = name; *c; c++) {
        seed = seed * 31 + (unsigned char)*c;
    }
    soa_matrix a = soa_matrix_zero(e->arena, size_of(e, type.to.space), size_of(e, type.from.space));
    const bool square = type.to.space == type.from.space;
    const bool local = square && about && about->causality == SOA_KIND_MEMORYLESS;
    for (int i = 0; a.at && i < a.rows * a.cols; i++) {
        const double x = soa_random_next(&seed);
        a.at[i] = !local || same_body(e, type.to.space, i / a.cols, i % a.cols) ? (soa_number)x : 0.0L;
    }
    if (square && about && about->positive) { /* A A* + I */
        a = soa_matrix_mul(e->arena, a, soa_matrix_transpose(e->arena, a));
        return soa_matrix_add(e->arena, a, 1.0L, soa_matrix_identity(e->arena, a.rows));
    }
    return square && about && about->symmetric ? soa_matrix_add(e->arena, a, 1.0L, soa_matrix_transpose(e->arena, a))
                                               : a;
}

/* ---- parts ------------------------------------------------------------------------------------------ */

static soa_matrix value_of(evaluation *e, const soa_term *term);

static soa_number norm_of(soa_matrix a)
{
    soa_number most = 0.0L;
    for (int i = 0; a.at && i < a.rows; i++) {
        soa_number row = 0.0L;
        for (int j = 0; j < a.cols; j++) {
            row += fabsl(*soa_matrix_entry(a, i, j));
        }
        most = fmaxl(most, row);
    }
    return most;
}

static soa_matrix operator_value(evaluation *e, const soa_term *term)
{
    const soa_operator_info about = soa_operator_about(term->op, false);
    if (about.domain_space == SOA_SPACE_CONSTRAINT || about.codomain_space == SOA_SPACE_CONSTRAINT) {
        return random_matrix(e, about.text, term->type, NULL);
    }
    return e->sample->dense->op[term->op];
}

/* A vector that is defined by others takes its definition. */
static soa_matrix variable_value(evaluation *e, const soa_term *term)
{
    const soa_variable *about = soa_terms_about(e->terms, term->variable);
    const soa_vector_id vector = soa_vector_find(about->name);
    const char *definition = soa_vector_definition(vector, soa_has_rotors(e->sample->model));
    if (!definition[0]) {
        return random_matrix(e, about->name, term->type, about);
    }
    const soa_term *meaning = NULL;
    const soa_status status = soa_parse_term(e->terms, definition, &meaning, NULL);
    if (status != SOA_OK) {
        return fail(e, status);
    }
    const int count = meaning->number + 1;
    evaluation inner = { .count = count,
        .known = soa_arena_take(e->arena, (size_t)count, sizeof *e->known),
        .bound = soa_arena_take(e->arena, (size_t)count, sizeof *e->bound),
        .sample = e->sample,
        .terms = e->terms,
        .arena = e->arena,
        .type = e->type };
    if (!inner.known || !inner.bound) {
        return fail(e, SOA_E_MEMORY);
    }
    const soa_matrix value = value_of(&inner, meaning);
    e->status = e->status == SOA_OK ? inner.status : e->status;
    return value;
}

static soa_matrix sum_value(evaluation *e, const soa_term *term)
{
    soa_matrix sum = soa_matrix_zero(e->arena, size_of(e, term->type.to.space), size_of(e, term->type.from.space));
    for (int i = 0; i < term->count && e->status == SOA_OK; i++) {
        sum = soa_matrix_add(e->arena, sum, (soa_number)term->factor[i], value_of(e, term->child[i]));
    }
    return sum;
}

/* From the right, where vectors are: short. A number stands before anything. */
static soa_matrix product_value(evaluation *e, const soa_term *term)
{
    soa_matrix product = value_of(e, term->child[term->count - 1]);
    for (int i = term->count - 2; i >= 0 && e->status == SOA_OK; i--) {
        const soa_matrix a = value_of(e, term->child[i]);
        if (a.at && product.at && a.cols != product.rows && a.rows == 1 && a.cols == 1) {
            const soa_matrix zero = soa_matrix_zero(e->arena, product.rows, product.cols);
            product = soa_matrix_add(e->arena, zero, a.at[0], product);
        } else {
            product = soa_matrix_mul(e->arena, a, product);
        }
    }
    return product;
}

static soa_matrix inverse_value(evaluation *e, soa_matrix of)
{
    bool singular = false;
    if (of.rows != of.cols) {
        return fail(e, SOA_E_SINGULAR);
    }
    const soa_matrix inverse = soa_matrix_inverse(e->arena, of, &singular);
    return singular ? fail(e, SOA_E_SINGULAR) : inverse;
}

/* The root by Newton's method in its stable form (Denman and Beavers): Y -> A^1/2, Z -> A^-1/2. */
static soa_matrix root_value(evaluation *e, soa_matrix of)
{
    soa_matrix Y = of, Z = soa_matrix_identity(e->arena, of.rows);
    for (int i = 0; i < 60 && e->status == SOA_OK && Y.at && Z.at; i++) {
        const soa_matrix Y_inv = inverse_value(e, Y), Z_inv = inverse_value(e, Z);
        const soa_matrix zero = soa_matrix_zero(e->arena, of.rows, of.cols);
        const soa_matrix next = soa_matrix_add(e->arena, zero, 0.5L, soa_matrix_add(e->arena, Y, 1.0L, Z_inv));
        Z = soa_matrix_add(e->arena, zero, 0.5L, soa_matrix_add(e->arena, Z, 1.0L, Y_inv));
        soa_number change = 0.0L, size = 0.0L;
        for (int j = 0; next.at && j < of.rows * of.cols; j++) {
            change = fmaxl(change, fabsl(next.at[j] - Y.at[j]));
            size = fmaxl(size, fabsl(next.at[j]));
        }
        Y = next;
        if (change <= 1e-18L * size) {
            break;
        }
    }
    return Y;
}

/* ---- derivatives ------------------------------------------------------------------------------------------ */

/* The number of a coordinate "q_3", from 0; -1: it is none. */
static int coordinate_of(const evaluation *e, const soa_term *term)
{
    const char *name = term->kind == SOA_TERM_VARIABLE ? soa_terms_about(e->terms, term->variable)->name : "";
    return strncmp(name, "q_", 2) == 0 ? (int)strtol(name + 2, NULL, 10) - 1 : -1;
}

/* The value where the coordinate has moved on by h. */
static soa_matrix moved_value(evaluation *e, const soa_term *term, int coordinate, double h)
{
    const soa_sample *at = e->sample;
    const size_t nv = (size_t)at->dense->nv, nq = (size_t)soa_model_nq(at->model);
    double *v = soa_arena_take(e->arena, nv, sizeof *v), *q = soa_arena_take(e->arena, nq, sizeof *q);
    const size_t count = (size_t)term->number + 1;
    soa_sample moved = *at;
    evaluation inner = {
        .sample = &moved, .terms = e->terms, .arena = e->arena, .type = term->type, .count = (int)count
    };
    inner.known = soa_arena_take(e->arena, count, sizeof *inner.known);
    inner.bound = soa_arena_take(e->arena, count, sizeof *inner.bound);
    if (!v || !q || !inner.known || !inner.bound) {
        return fail(e, SOA_E_MEMORY);
    }
    if (soa_terms_expired(e->terms)) {
        return fail(e, SOA_E_LIMIT);
    }
    v[coordinate] = 1.0;
    soa_integrate(at->model, at->q, v, h, q);
    moved.q = q;
    inner.status = soa_dense_new(at->model, q, SOA_SAMPLE_POINTS, at->point, &at->dense->allocator, &moved.dense, NULL);
    if (inner.status != SOA_OK) {
        return fail(e, inner.status);
    }
    const soa_matrix value = value_of(&inner, term);
    /* an atom's value lives in the dense operators: keep a copy */
    const soa_matrix copy =
        value.at ? soa_matrix_add(e->arena, soa_matrix_zero(e->arena, value.rows, value.cols), 1.0L, value) : none;
    soa_dense_free(moved.dense);
    return inner.status == SOA_OK ? copy : fail(e, inner.status);
}

/* Central differences over six points: the error is of sixth order in h. A system without this
 * coordinate is left out. */
static soa_matrix derivative_value(evaluation *e, const soa_term *term)
{
    static const soa_number weight[] = { 45.0L / 60.0L, -9.0L / 60.0L, 1.0L / 60.0L };
    const double h = 0.01;
    const int coordinate = coordinate_of(e, term->child[1]);
    if (coordinate < 0 || coordinate >= e->sample->dense->nv) {
        return fail(e, SOA_E_SINGULAR);
    }
    soa_matrix sum = soa_matrix_zero(e->arena, size_of(e, term->type.to.space), size_of(e, term->type.from.space));
    for (int i = 0; i < 3 && e->status == SOA_OK; i++) {
        const soa_number w = weight[i] / (soa_number)h;
        sum = soa_matrix_add(e->arena, sum, w, moved_value(e, term->child[0], coordinate, (i + 1) * h));
        sum = soa_matrix_add(e->arena, sum, -w, moved_value(e, term->child[0], coordinate, -(i + 1) * h));
    }
    return sum;
}

/* ---- the whole ---------------------------------------------------------------------------------------- */

static soa_matrix made_of(evaluation *e, const soa_term *term)
{
    switch (term->kind) {
    case SOA_TERM_ZERO:
        return soa_matrix_zero(e->arena, size_of(e, term->type.to.space), size_of(e, term->type.from.space));
    case SOA_TERM_IDENTITY:
        return soa_matrix_identity(e->arena, size_of(e, term->type.to.space));
    case SOA_TERM_OPERATOR:
        return operator_value(e, term);
    case SOA_TERM_VARIABLE:
        return variable_value(e, term);
    case SOA_TERM_SUM:
        return sum_value(e, term);
    case SOA_TERM_PRODUCT:
        return product_value(e, term);
    case SOA_TERM_ADJOINT:
        return soa_matrix_transpose(e->arena, value_of(e, term->child[0]));
    case SOA_TERM_INVERSE:
        return inverse_value(e, value_of(e, term->child[0]));
    case SOA_TERM_ROOT:
        return root_value(e, value_of(e, term->child[0]));
    case SOA_TERM_DERIVATIVE:
        return derivative_value(e, term);
    }
    return fail(e, SOA_E_UNSUPPORTED);
}

static soa_number bound_of(const evaluation *e, const soa_term *term)
{
    return term->number < e->count ? e->bound[term->number] : 0.0L;
}

/* The size of the numbers whose rounding enters the value: of a sum those of all its parts, of a
 * product all products; an inverse multiplies by the condition of what is inverted. */
static soa_number rounding_of(const evaluation *e, const soa_term *term, soa_matrix value)
{
    soa_number bound = term->kind == SOA_TERM_PRODUCT ? 1.0L : 0.0L;
    for (int i = 0; i < term->count; i++) {
        const soa_number part = bound_of(e, term->child[i]);
        bound = term->kind == SOA_TERM_PRODUCT ? bound * part
                : term->kind == SOA_TERM_SUM   ? bound + fabsl((soa_number)term->factor[i]) * part
                                               : part;
    }
    const soa_number norm = norm_of(value);
    if (term->kind == SOA_TERM_DERIVATIVE) {
        return (1.0L + norm) * DIFFERENCES / (ORACLE * LDBL_EPSILON);
    }
    if (term->kind == SOA_TERM_INVERSE || term->kind == SOA_TERM_ROOT) {
        bound *= norm * norm;
    }
    return fmaxl(bound, norm);
}

static soa_matrix value_of(evaluation *e, const soa_term *term)
{
    if (e->status != SOA_OK || term->depth > DEPTH_MOST) {
        return fail(e, SOA_E_LIMIT);
    }
    if (term->number < e->count && e->known[term->number].at) {
        return e->known[term->number];
    }
    const soa_matrix value = made_of(e, term);
    if (e->status == SOA_OK && !value.at) {
        return fail(e, SOA_E_MEMORY);
    }
    if (term->number < e->count) {
        e->known[term->number] = value;
        e->bound[term->number] = rounding_of(e, term, value);
    }
    for (int i = 0; value.at && soa_type_equal(term->type, e->type) && i < value.rows * value.cols; i++) {
        e->largest = fmaxl(e->largest, fabsl(value.at[i]));
    }
    return value;
}

soa_status soa_dense_value(const soa_sample *sample, soa_terms *terms, const soa_term *term, soa_arena *arena,
    soa_matrix *value, soa_number *largest, soa_number *rounding)
{
    evaluation e = { .sample = sample, .terms = terms, .arena = arena, .type = term->type, .count = term->number + 1 };
    e.known = soa_arena_take(arena, (size_t)e.count, sizeof *e.known);
    e.bound = soa_arena_take(arena, (size_t)e.count, sizeof *e.bound);
    if (!e.known || !e.bound) {
        return SOA_E_MEMORY;
    }
    *value = value_of(&e, term);
    *largest = e.largest;
    *rounding = ORACLE * LDBL_EPSILON * bound_of(&e, term);
    return e.status;
}
