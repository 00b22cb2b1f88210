/* operator/identities.c - the identities, and how well a model fulfils them. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/random.h"
#include "operator/body_numbers.h"
#include "operator/equation.h"
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

static bool has_rotors(const soa_model *model)
{
    bool found = false;
    for (int k = 0; k < model->bodies; k++) {
        found = found || model->body[k].armature != 0.0 || model->body[k].geared;
    }
    return found;
}

/* ---- who applies the operators ---------------------------------------------------------------- */

static soa_status by_sweeps(void *context, soa_operator op, bool adjoint, const double *x, double *y, soa_error *error)
{
    return soa_operators_apply(context, op, adjoint, x, y, error);
}

static soa_status by_dense(void *context, soa_operator op, bool adjoint, const double *x, double *y, soa_error *error)
{
    (void)error;
    soa_dense_apply(context, op, adjoint, x, y);
    return SOA_OK;
}

typedef struct checker {
    const soa_allocator *allocator;
    soa_operators *operators;
    soa_dense *dense;
    soa_evaluator evaluator;
    bool whole; /* every column, not random vectors */
} checker;

static void checker_free(checker *c)
{
    soa_operators_free(c->operators);
    soa_dense_free(c->dense);
    soa_release(c->allocator, c->evaluator.pool);
}

static soa_status checker_operators(
    checker *c, const soa_model *model, const double *q, int points, const soa_point *point, soa_error *error)
{
    c->evaluator.apply = by_sweeps;
    c->whole = model->bodies <= SOA_WHOLE_BODIES;
    const soa_status status = soa_operators_new(model, points, NULL, &c->operators, error);
    c->evaluator.context = c->operators;
    return status == SOA_OK ? soa_operators_set(c->operators, q, points, point, error) : status;
}

static soa_status checker_dense(
    checker *c, const soa_model *model, const double *q, int points, const soa_point *point, soa_error *error)
{
    c->evaluator.apply = by_dense;
    c->whole = true;
    const soa_status status = soa_dense_new(model, q, points, point, &model->allocator, &c->dense, error);
    c->evaluator.context = c->dense;
    return status;
}

static soa_status checker_new(checker *c, const soa_model *model, const double *q, int points, const soa_point *point,
    soa_evaluation evaluation, soa_error *error)
{
    *c = (checker){ .allocator = &model->allocator };
    soa_status status = soa_check_points(model, points, point, error);
    if (status == SOA_OK) {
        status = (evaluation == SOA_BY_DENSE ? checker_dense : checker_operators)(c, model, q, points, point, error);
    }
    soa_evaluator *v = &c->evaluator;
    v->size[SOA_SPACE_JOINT] = model->nv;
    v->size[SOA_SPACE_BODY] = soa_all_body_numbers(model);
    v->size[SOA_SPACE_POINT] = 6 * points;
    v->pool_size = soa_all_body_numbers(model) + 6 * points + 1; /* nv is at most 6 per body, and the modes */
    if (status == SOA_OK) {
        v->pool = soa_allocate(c->allocator, (size_t)v->pool_size * SOA_EVALUATOR_VECTORS, sizeof *v->pool);
        status = v->pool ? SOA_OK : soa_fail_memory(error);
    }
    if (status != SOA_OK) {
        checker_free(c);
    }
    return status;
}

/* ---- one equation --------------------------------------------------------------------------------- */

/* The random vectors that stand for all columns of a large model. */
enum { RANDOM_VECTORS = 8 };

static void fill(const checker *c, int column, unsigned long long *seed, soa_vector *x)
{
    for (int i = 0; i < x->size; i++) {
        x->at[i] = c->whole ? (i == column ? 1.0 : 0.0) : soa_random_next(seed);
    }
}

/* Largest difference of the two sides on the vector x; NaN if there is one. */
static soa_status difference(
    checker *c, const soa_equation *equation, const soa_vector *x, soa_vector y[2], double *largest, soa_error *error)
{
    soa_status status = soa_node_apply(equation, equation->left, false, &c->evaluator, x, &y[0], error);
    if (status == SOA_OK) {
        status = soa_node_apply(equation, equation->right, false, &c->evaluator, x, &y[1], error);
    }
    if (status == SOA_OK && (y[0].space != y[1].space || y[0].side != y[1].side)) {
        return soa_fail(error, SOA_E_SYNTAX, -1, "the left side is a %s %s, the right side a %s %s",
            soa_space_text(y[0].space), soa_side_text(y[0].side), soa_space_text(y[1].space), soa_side_text(y[1].side));
    }
    for (int i = 0; status == SOA_OK && i < y[0].size; i++) {
        const double d = fabs(y[0].at[i] - y[1].at[i]);
        *largest = d <= *largest ? *largest : d;
    }
    return status;
}

static soa_status check_equation(checker *c, const char *text, double *relative_error, soa_error *error)
{
    soa_equation equation;
    const soa_status parsed = soa_equation_parse(text, &equation, error);
    if (parsed != SOA_OK) {
        return parsed;
    }
    soa_evaluator *v = &c->evaluator;
    const soa_vector codomain = soa_equation_codomain(&equation);
    soa_vector x = soa_equation_domain(&equation), y[2] = { { .at = v->pool }, { .at = v->pool + v->pool_size } };
    if (x.space == SOA_SPACE_ANY || codomain.space == SOA_SPACE_ANY) {
        return soa_fail(error, SOA_E_SYNTAX, -1, "\"%s\" says nothing about any operator", text);
    }
    x.size = v->size[x.space];
    x.at = v->pool + 2 * (size_t)v->pool_size;
    v->used = 3;
    v->space = codomain.space;
    v->side = codomain.side;
    v->largest = 0.0;
    unsigned long long seed = 1;
    double largest = 0.0;
    soa_status status = SOA_OK;
    for (int i = 0; status == SOA_OK && i < (c->whole ? x.size : RANDOM_VECTORS); i++) {
        fill(c, i, &seed, &x);
        status = difference(c, &equation, &x, y, &largest, error);
    }
    *relative_error = v->largest > 0.0 ? largest / v->largest : largest;
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
    const bool spinning = has_rotors(model);
    for (int i = 0; status == SOA_OK && i < IDENTITIES; i++) {
        results[i] = (soa_identity_result){ list[i].label, list[i].text, list[i].needs == ANY || !spinning, 0.0 };
        if (results[i].applies) {
            status = check_equation(&c, list[i].text, &results[i].error, error);
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
        status = check_equation(&c, equation, relative_error, error);
        checker_free(&c);
    }
    return status;
}
