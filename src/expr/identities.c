/* expr/identities.c - the identities, and how well a model fulfils them: both sides are parsed and applied to vectors. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/random.h"
#include "expr/parse.h"
#include "expr/recognise.h"
#include "operator/body_numbers.h"
#include "operator/operator_matrices.h"

/* ---- the list ------------------------------------------------------------------------------ */

typedef enum rotors {
    ANY,
    WITHOUT,
} rotors;

static const struct {
    const char *label;
    rotors needs;
    const char *text;
} list[] = {
#define X(label, needs, role, text) { label, needs, text },
#include "operator/identities.def"
#undef X
};

enum { IDENTITIES = sizeof list / sizeof list[0] };

int soa_identities(void)
{
    return IDENTITIES;
}

const char *soa_identity_label(int identity)
{
    return identity >= 0 && identity < IDENTITIES ? list[identity].label : "";
}

const char *soa_identity_text(int identity)
{
    return identity >= 0 && identity < IDENTITIES ? list[identity].text : "";
}

/* ---- vectors ----------------------------------------------------------------------------------- */

/* How many vectors of the largest size may be alive at once: an equation that needs more is nested too deeply. The random
 * vectors that stand for all columns of a large model, and those on which rounding is tried. */
enum { VECTORS = 48, RANDOM_VECTORS = 8, ROUNDED_VECTORS = 2 };

/* Relative changes that stand for rounding: far above it, and small enough that their squares do not count. */
#define DISTURBED 0x1p-26

/* What applies operators, and what it found. */
typedef struct checker {
    soa_allocator allocator;
    soa_terms *terms;
    soa_operators *operators; /* by sweeps, or */
    soa_dense *dense;         /* by matrices from the definitions */
    bool whole;               /* every column, not random vectors */
    int size[SOA_SPACE_ONE + 1];
    double *room;
    int room_size, used;
    soa_place place; /* of both sides' results */
    double largest;  /* number met there */
    bool disturb;    /* what operators give */
    unsigned long long seed;
    soa_error *error;
} checker;

static double *take(checker *c)
{
    return c->room + (size_t)c->used++ * (size_t)c->room_size;
}

/* The largest number of the vectors that live where the result does, as they are. */
static void meet(checker *c, soa_place place, const double *x)
{
    const int size = soa_place_equal(place, c->place) && !c->disturb ? c->size[place.space] : 0;
    for (int i = 0; i < size; i++) {
        c->largest = fabs(x[i]) <= c->largest ? c->largest : fabs(x[i]);
    }
}

/* ---- terms on vectors --------------------------------------------------------------------------- */

static soa_status apply(checker *c, const soa_term *term, bool adjoint, const double *x, double *y);

static soa_status apply_operator(checker *c, soa_operator op, bool adjoint, const double *x, double *y, int size)
{
    soa_status status = SOA_OK;
    if (c->operators) {
        status = soa_operators_apply(c->operators, op, adjoint, x, y, c->error);
    } else {
        soa_dense_apply(c->dense, op, adjoint, x, y);
    }
    for (int i = 0; c->disturb && status == SOA_OK && i < size; i++) {
        y[i] += DISTURBED * soa_random_next(&c->seed) * y[i];
    }
    return status;
}

static soa_status apply_product(checker *c, const soa_term *term, bool adjoint, const double *x, double *y)
{
    double *const between[] = { take(c), take(c) };
    soa_status status = SOA_OK;
    for (int i = 0; i < term->count && status == SOA_OK; i++) {
        double *to = i + 1 < term->count ? between[i % 2] : y;
        status = apply(c, term->child[adjoint ? i : term->count - 1 - i], adjoint, x, to);
        x = to;
    }
    c->used -= 2;
    return status;
}

static soa_status apply_sum(checker *c, const soa_term *term, bool adjoint, const double *x, double *y, int size)
{
    double *part = take(c);
    soa_status status = SOA_OK;
    memset(y, 0, (size_t)size * sizeof *y);
    for (int i = 0; i < term->count && status == SOA_OK; i++) {
        status = apply(c, term->child[i], adjoint, x, part);
        for (int j = 0; j < size && status == SOA_OK; j++) {
            y[j] += term->factor[i] * part[j];
        }
    }
    c->used--;
    return status;
}

/* y = A x, or A* x. */
static soa_status apply(checker *c, const soa_term *term, bool adjoint, const double *x, double *y)
{
    const soa_place from = adjoint ? soa_place_dual(term->type.to) : term->type.from;
    const soa_place to = adjoint ? soa_place_dual(term->type.from) : term->type.to;
    const int size = c->size[to.space];
    soa_status status = SOA_OK;
    meet(c, from, x);
    if (c->used + 2 > VECTORS) {
        return soa_fail(c->error, SOA_E_LIMIT, -1, "the equation is nested too deeply");
    }
    if (term->kind == SOA_TERM_OPERATOR) {
        status = apply_operator(c, term->op, adjoint, x, y, size);
    } else if (term->kind == SOA_TERM_ADJOINT) {
        status = apply(c, term->child[0], !adjoint, x, y);
    } else if (term->kind == SOA_TERM_PRODUCT) {
        status = apply_product(c, term, adjoint, x, y);
    } else if (term->kind == SOA_TERM_SUM) {
        status = apply_sum(c, term, adjoint, x, y, size);
    } else if (term->kind == SOA_TERM_IDENTITY || term->kind == SOA_TERM_ZERO) {
        for (int i = 0; i < size; i++) {
            y[i] = term->kind == SOA_TERM_ZERO ? 0.0 : x[i];
        }
    } else {
        status = soa_fail(
            c->error, SOA_E_SYNTAX, -1, "only sums, products and adjoints of operators are checked on a model");
    }
    if (status == SOA_OK) {
        meet(c, to, y);
    }
    return status;
}

/* ---- one equation --------------------------------------------------------------------------------- */

/* Parses both sides of an equation; an operator that is unknown is an error of the text too. */
static soa_status parse(checker *c, const char *text, const soa_term **left, const soa_term **right)
{
    soa_error said;
    soa_status status = soa_parse_equation(c->terms, text, left, right, &said);
    status = soa_terms_settle(c->terms, status, &said);
    if (status == SOA_OK || status == SOA_E_MEMORY) {
        return status == SOA_OK ? SOA_OK : soa_fail_memory(c->error);
    }
    status = status == SOA_E_LIMIT ? SOA_E_LIMIT : SOA_E_SYNTAX;
    (void)soa_fail(c->error, status, -1, "column %d of \"%.100s\": %s", said.column, text, said.text);
    if (c->error) {
        c->error->column = said.column;
    }
    return status;
}

/* *off becomes the largest difference of left x and right x if that is more; y is room for both. */
static soa_status compare(
    checker *c, const soa_term *left, const soa_term *right, const double *x, double *const y[2], double *off)
{
    const int rows = c->size[left->type.to.space];
    soa_status status = apply(c, left, false, x, y[0]);
    status = status == SOA_OK ? apply(c, right, false, x, y[1]) : status;
    for (int j = 0; j < rows && status == SOA_OK; j++) {
        const double d = fabs(y[0][j] - y[1][j]);
        *off = d <= *off ? *off : d;
    }
    return status;
}

static void random_vector(int n, unsigned long long *seed, double *x)
{
    for (int i = 0; i < n; i++) {
        x[i] = soa_random_next(seed);
    }
}

/* The largest difference of both sides over all columns or random vectors, relative. */
static soa_status find_error(checker *c, const soa_term *left, const soa_term *right, double *error)
{
    double *x = take(c), *const y[2] = { take(c), take(c) }, off = 0.0;
    const int columns = c->size[left->type.from.space];
    unsigned long long seed = 1;
    soa_status status = SOA_OK;
    c->largest = 0.0;
    for (int i = 0; status == SOA_OK && i < (c->whole ? columns : RANDOM_VECTORS); i++) {
        random_vector(columns, &seed, x);
        for (int j = 0; c->whole && j < columns; j++) {
            x[j] = i == j ? 1.0 : 0.0;
        }
        status = compare(c, left, right, x, y, &off);
    }
    c->used -= 3;
    *error = c->largest > 0.0 ? off / c->largest : off;
    return status;
}

/* What find_error may find where both sides are equal: how far they part, relative, if what each operator gives is changed in its
 * last digit. */
static soa_status find_rounding(checker *c, const soa_term *left, const soa_term *right, double *rounding)
{
    double *x = take(c), *const y[2] = { take(c), take(c) }, off[2] = { 0.0, 0.0 };
    unsigned long long seed = 2;
    soa_status status = SOA_OK;
    c->largest = 0.0;
    c->seed = 3;
    for (int i = 0; status == SOA_OK && i < 2 * ROUNDED_VECTORS; i++) {
        c->disturb = i % 2 == 1;
        if (!c->disturb) {
            random_vector(c->size[left->type.from.space], &seed, x);
        }
        status = compare(c, left, right, x, y, &off[i % 2]);
    }
    c->disturb = false;
    c->used -= 3;
    *rounding = (c->largest > 0.0 ? off[1] / c->largest : off[1]) * DBL_EPSILON / DISTURBED;
    return status;
}

/* rounding NULL: not wanted */
static soa_status check_equation(checker *c, const char *text, double *error, double *rounding)
{
    const soa_term *left, *right;
    soa_status status = parse(c, text, &left, &right);
    if (status != SOA_OK) {
        return status;
    }
    if (left->type.from.space == SOA_SPACE_ANY || left->type.to.space == SOA_SPACE_ANY) {
        return soa_fail(c->error, SOA_E_SYNTAX, -1, "\"%s\" says nothing about any operator", text);
    }
    c->used = 0;
    c->place = left->type.to;
    status = find_error(c, left, right, error);
    return status == SOA_OK && rounding ? find_rounding(c, left, right, rounding) : status;
}

/* ---- the checker -------------------------------------------------------------------------------------- */

static void checker_free(checker *c)
{
    soa_operators_free(c->operators);
    soa_dense_free(c->dense);
    soa_release(&c->allocator, c->room);
    soa_terms_free(c->terms);
}

static soa_status checker_new(checker *c, const soa_model *model, const double *q, int points, const soa_point *point,
    soa_evaluation evaluation, soa_error *error)
{
    const bool dense = evaluation == SOA_BY_DENSE;
    if ((unsigned)evaluation > SOA_BY_DENSE) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "there is no such evaluation");
    }
    *c =
        (checker){ .allocator = model->allocator, .whole = dense || model->bodies <= SOA_WHOLE_BODIES, .error = error };
    c->size[SOA_SPACE_JOINT] = model->nv;
    c->size[SOA_SPACE_BODY] = soa_all_body_numbers(model);
    c->size[SOA_SPACE_POINT] = 6 * points;
    c->size[SOA_SPACE_ONE] = 1;
    c->room_size = soa_all_body_numbers(model) + 6 * points + 1; /* nv is at most 6 per body, and the modes */
    soa_status status = soa_check_points(model, points, point, error);
    if (status == SOA_OK && dense) {
        status = soa_dense_new(model, q, points, point, &model->allocator, &c->dense, error);
    } else if (status == SOA_OK) {
        status = soa_operators_new(model, points, NULL, &c->operators, error);
        status = status == SOA_OK ? soa_operators_set(c->operators, q, points, point, error) : status;
    }
    status = status == SOA_OK ? soa_terms_new(&model->allocator, SOA_TERMS_MOST, &c->terms, error) : status;
    if (status == SOA_OK) {
        c->room = soa_allocate(&c->allocator, (size_t)c->room_size * VECTORS, sizeof *c->room);
        status = c->room ? SOA_OK : soa_fail_memory(error);
    }
    if (status != SOA_OK) {
        checker_free(c);
    }
    return status;
}

/* ---- API --------------------------------------------------------------------------------------------- */

soa_status soa_check_identities(const soa_model *model, const double *q, int points, const soa_point *point,
    soa_evaluation evaluation, soa_identity_result *results, soa_error *error)
{
    if (!model || !results) {
        return soa_fail_null(error, "the model or the results");
    }
    checker c;
    soa_status status = checker_new(&c, model, q, points, point, evaluation, error);
    if (status != SOA_OK) {
        return status;
    }
    const bool spinning = soa_has_rotors(model);
    for (int i = 0; status == SOA_OK && i < IDENTITIES; i++) {
        results[i] = (soa_identity_result){ list[i].label, list[i].text, list[i].needs == ANY || !spinning, 0.0, 0.0 };
        if (results[i].applies) {
            status = check_equation(&c, list[i].text, &results[i].error, &results[i].rounding);
        }
    }
    checker_free(&c);
    return status;
}

soa_status soa_check_equation(const soa_model *model, const double *q, int points, const soa_point *point,
    soa_evaluation evaluation, const char *equation, double *relative_error, soa_error *error)
{
    if (!model || !equation) {
        return soa_fail_null(error, "the model or the equation");
    }
    checker c;
    soa_status status = checker_new(&c, model, q, points, point, evaluation, error);
    if (status == SOA_OK) {
        status = check_equation(&c, equation, relative_error, NULL);
        checker_free(&c);
    }
    return status;
}
