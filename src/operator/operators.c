/* operator/operators.c - the operators of a model at one configuration. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "operator/body_numbers.h"
#include "operator/operator_kernels.h"
#include "operator/operator_matrices.h"

/* What can be applied. */
typedef enum readiness {
    NOTHING, /* no configuration was set */
    WITHOUT_JOINTS /* some D is singular: what needs no D */,
    EVERYTHING,
} readiness;

struct soa_operators {
    soa_allocator allocator;
    const soa_model *model;
    const soa_operator_table *table;
    void *work;
    soa_point *point;
    int points, room;
    double *constraint; /* A: rows by 6 columns of points; NULL before it is given */
    int rows, columns;
    readiness ready;
    int singular; /* body, where WITHOUT_JOINTS */
};

#define SOA_TABLE(unit) extern const soa_operator_table soa_operator_##unit;
SOA_TABLE(x1)
#if defined(__x86_64__)
SOA_TABLE(x1_fma)
#endif
#undef SOA_TABLE

const soa_operator_table *soa_operator_kernels(soa_cpu cpu)
{
#if defined(__x86_64__)
    return cpu.fma && cpu.avx2 ? &soa_operator_x1_fma : &soa_operator_x1;
#else
    (void)cpu;
    return &soa_operator_x1;
#endif
}

/* ---- new, free -------------------------------------------------------------------------- */

soa_status soa_operators_new(
    const soa_model *model, int points, const soa_allocator *allocator, soa_operators **operators, soa_error *error)
{
    if (!model || !operators) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "operators need a model, and a place where they are put");
    }
    *operators = NULL;
    if (points < 0) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "%d points: give how many there will be at most", points);
    }
    const soa_allocator *from = allocator ? allocator : &model->allocator;
    soa_operators *ops = soa_allocate(from, 1, sizeof *ops);
    if (!ops) {
        return soa_fail_memory(error);
    }
    *ops = (soa_operators){ .allocator = *from, .model = model, .room = points };
    ops->table = soa_operator_kernels(soa_cpu_features());
    ops->work = soa_allocate(from, 1, ops->table->size(model, points) + SOA_ALIGNMENT);
    ops->point = soa_allocate(from, (size_t)points + 1, sizeof *ops->point);
    if (!ops->work || !ops->point) {
        soa_operators_free(ops);
        return soa_fail_memory(error);
    }
    *operators = ops;
    return SOA_OK;
}

void soa_operators_free(soa_operators *operators)
{
    if (operators) {
        const soa_allocator allocator = operators->allocator;
        soa_release(&allocator, operators->work);
        soa_release(&allocator, operators->point);
        soa_release(&allocator, operators->constraint);
        soa_release(&allocator, operators);
    }
}

/* ---- set --------------------------------------------------------------------------------- */

soa_status soa_check_points(const soa_model *model, int points, const soa_point *point, soa_error *error)
{
    if (points < 0 || (points > 0 && !point)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "%d points given, or the array is missing", points);
    }
    for (int i = 0; i < points; i++) {
        const int link = point[i].link;
        if (link < SOA_WORLD || link >= model->description.link.count) {
            return soa_fail(error, SOA_E_ARGUMENT, -1, "point %d: there is no link %d", i, link);
        }
        if (!soa_pose_valid(&point[i].at)) {
            return soa_fail(error, SOA_E_NUMBER, -1, "point %d: its pose is not finite or not a rotation", i);
        }
        char item[32];
        snprintf(item, sizeof item, "point %d", i);
        const soa_source nowhere = { NULL, 0 };
        const soa_status status = point[i].node == 0
                                      ? SOA_OK
                                      : soa_check_node(&model->description, link, point[i].node, item, nowhere, error);
        if (status != SOA_OK) {
            return status;
        }
    }
    return SOA_OK;
}

static soa_status set_points(soa_operators *ops, int points, const soa_point *point, soa_error *error)
{
    const soa_status status = soa_check_points(ops->model, points, point, error);
    if (status != SOA_OK) {
        return status;
    }
    if (points > ops->room) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "%d points given; there is room for %d", points, ops->room);
    }
    if (points > 0) {
        memcpy(ops->point, point, (size_t)points * sizeof *point);
    }
    ops->points = points;
    return SOA_OK;
}

static soa_status fail_missing(soa_error *error)
{
    return soa_fail(error, SOA_E_ARGUMENT, -1, "the operators are missing; make some by soa_operators_new");
}

static soa_status fail_singular(const soa_operators *ops, soa_error *error)
{
    const soa_link *link = soa_description_link(&ops->model->description, ops->model->body[ops->singular].rest->link);
    return soa_fail(error, SOA_E_SINGULAR, ops->singular,
        "some motion of the joint of link '%s' moves nothing that has inertia; give the link mass or armature",
        link->name);
}

soa_status soa_operators_set(
    soa_operators *operators, const double *q, int points, const soa_point *point, soa_error *error)
{
    if (!operators) {
        return fail_missing(error);
    }
    const soa_model *m = operators->model;
    operators->ready = NOTHING;
    if (!q && m->nq > 0) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "q is missing; give %d numbers", m->nq);
    }
    soa_status status = soa_check_configuration(m, q, error);
    status = status == SOA_OK ? set_points(operators, points, point, error) : status;
    if (status != SOA_OK) {
        return status;
    }
    soa_call call = { .model = m, .work = operators->work, .count = 1, .q = { q, (size_t)m->nq } };
    call.point = operators->point;
    call.points = operators->points;
    operators->table->set(&call);
    operators->singular = call.failed[0];
    operators->ready = call.failed[0] < 0 ? EVERYTHING : WITHOUT_JOINTS;
    return operators->ready == EVERYTHING ? SOA_OK : fail_singular(operators, error);
}

/* ---- A ------------------------------------------------------------------------------------- */

soa_status soa_operators_set_constraints(
    soa_operators *operators, int rows, int points, const double *matrix, soa_error *error)
{
    if (!operators) {
        return fail_missing(error);
    }
    if (rows < 0 || points < 0 || (rows > 0 && points > 0 && !matrix)) {
        return soa_fail(
            error, SOA_E_ARGUMENT, -1, "A has %d rows for %d points, or its matrix is missing", rows, points);
    }
    const size_t numbers = (size_t)rows * 6 * (size_t)points;
    for (size_t i = 0; i < numbers; i++) {
        if (!isfinite(matrix[i])) {
            return soa_fail(error, SOA_E_NUMBER, -1, "row %d of A: %g is not finite; give finite numbers",
                (int)(i / (6 * (size_t)points)), matrix[i]);
        }
    }
    double *copy = soa_allocate(&operators->allocator, numbers + 1, sizeof *copy);
    if (!copy) {
        return soa_fail_memory(error);
    }
    if (numbers > 0) {
        memcpy(copy, matrix, numbers * sizeof *copy);
    }
    soa_release(&operators->allocator, operators->constraint);
    operators->constraint = copy;
    operators->rows = rows;
    operators->columns = 6 * points;
    return SOA_OK;
}

/* y = A x, or A* x. */
static soa_status apply_constraints(
    const soa_operators *ops, bool adjoint, const double *x, double *y, soa_error *error)
{
    const int rows = ops->rows, columns = 6 * ops->points;
    if (rows > 0 && ops->columns != columns) {
        return soa_fail(
            error, SOA_E_ARGUMENT, -1, "A was given for %d points, but there are %d", ops->columns / 6, ops->points);
    }
    for (int i = 0; i < (adjoint ? columns : rows); i++) {
        y[i] = 0.0;
    }
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) {
            y[adjoint ? c : r] += ops->constraint[r * columns + c] * x[adjoint ? r : c];
        }
    }
    return SOA_OK;
}

/* ---- sizes -------------------------------------------------------------------------------- */

static int size_of(const soa_operators *ops, soa_space space)
{
    switch (space) {
    case SOA_SPACE_JOINT:
        return ops->model->nv;
    case SOA_SPACE_BODY:
        return soa_all_body_numbers(ops->model);
    case SOA_SPACE_POINT:
        return 6 * ops->points;
    case SOA_SPACE_CONSTRAINT:
        return ops->rows;
    case SOA_SPACE_ONE:
    case SOA_SPACE_ANY:
        break;
    }
    return -1;
}

int soa_operator_rows(const soa_operators *operators, soa_operator op, bool adjoint)
{
    return !operators ? -1 : size_of(operators, soa_operator_about(op, adjoint).codomain_space);
}

int soa_operator_cols(const soa_operators *operators, soa_operator op, bool adjoint)
{
    return !operators ? -1 : size_of(operators, soa_operator_about(op, adjoint).domain_space);
}

/* ---- apply --------------------------------------------------------------------------------- */

/* Whether an operator follows from the positions and inertias alone. */
static bool needs_no_D(soa_operator op)
{
    switch (op) {
    case SOA_OP_H:
    case SOA_OP_M:
    case SOA_OP_E_PHI:
    case SOA_OP_PHI:
    case SOA_OP_PHI_STRICT:
    case SOA_OP_B:
    case SOA_OP_J:
    case SOA_OP_R:
    case SOA_OP_MASS:
    case SOA_OP_ARM:
    case SOA_OP_GAMMA:
    case SOA_OP_A:
        return true;
    default:
        return false;
    }
}

/* n numbers x, and that they are finite. */
static soa_status check_numbers(const char *name, int n, const double *x, soa_error *error)
{
    if (n > 0 && !x) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "%s is missing; give %d numbers", name, n);
    }
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            return soa_fail(error, SOA_E_NUMBER, -1, "%s[%d] = %g is not finite; give finite numbers%s", name, i, x[i],
                name[0] == 'y' ? " that are not so large" : "");
        }
    }
    return SOA_OK;
}

static soa_status check_apply(
    const soa_operators *ops, soa_operator op, bool adjoint, const double *x, const double *y, soa_error *error)
{
    if (!ops) {
        return fail_missing(error);
    }
    if ((unsigned)op >= SOA_OPERATORS || op == SOA_OP_I) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "operator %d cannot be applied; name one other than I", (int)op);
    }
    if (ops->ready == NOTHING) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the operators have no configuration; call soa_operators_set first");
    }
    if (ops->ready == WITHOUT_JOINTS && !needs_no_D(op)) {
        return fail_singular(ops, error);
    }
    if (!y && soa_operator_rows(ops, op, adjoint) > 0) {
        return check_numbers("y", soa_operator_rows(ops, op, adjoint), y, error);
    }
    return check_numbers("x", soa_operator_cols(ops, op, adjoint), x, error);
}

soa_status soa_operators_apply(
    soa_operators *operators, soa_operator op, bool adjoint, const double *x, double *y, soa_error *error)
{
    soa_status status = check_apply(operators, op, adjoint, x, y, error);
    if (status != SOA_OK) {
        return status;
    }
    if (op == SOA_OP_A) {
        status = apply_constraints(operators, adjoint, x, y, error);
        return status == SOA_OK ? check_numbers("y", soa_operator_rows(operators, op, adjoint), y, error) : status;
    }
    soa_call call = { .model = operators->model, .work = operators->work, .count = 1 };
    call.u.at = x;
    call.y.at = y;
    call.point = operators->point;
    call.points = operators->points;
    call.option = 2 * (int)op + adjoint;
    operators->table->apply(&call);
    return check_numbers("y", soa_operator_rows(operators, op, adjoint), y, error);
}
