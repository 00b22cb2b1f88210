/* expr/operators.c - the operators of a model at one configuration: each is a plan of the language on one vector. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "core/error.h"
#include "expr/run.h"
#include "operator/operator_matrices.h"

/* What can be applied. */
typedef enum readiness {
    NOTHING, /* no configuration was set */
    WITHOUT_JOINTS /* some D is singular: what needs no D */,
    EVERYTHING,
} readiness;

/* An operator on the argument of its graph, and where the numbers of its steps are. */
typedef struct applied {
    soa_graph graph;
    size_t *at;
} applied;

struct soa_operators {
    soa_allocator allocator;
    soa_arena arena;
    const soa_model *model;
    soa_terms *terms;
    const soa_run_table *table;
    applied of[SOA_OPERATORS][2]; /* and adjoints that are others; of I: what makes R, P and Ups for all */
    soa_run_tree tree;            /* its constraint is A: rows by `columns`; NULL before it is given */
    int columns;
    soa_in *input; /* by step */
    void *work;
    soa_point *point;
    int points, room;
    readiness ready;
    int singular; /* body, where WITHOUT_JOINTS */
};

/* ---- new, free -------------------------------------------------------------------------- */

/* The graph of operators, ready to run; *reals: the most numbers that steps of one graph have so far. */
static soa_status make_graph(
    soa_operators *ops, applied *a, int count, const soa_term *const *term, size_t *reals, soa_error *error)
{
    a->graph = soa_graph_begin(ops->terms, &ops->arena, error);
    a->graph.model = ops->model;
    a->graph.rotors = soa_has_rotors(ops->model);
    soa_status status = SOA_OK;
    for (int i = 0; i < count && status == SOA_OK; i++) {
        status = term[i] ? soa_graph_add(&a->graph, "y", term[i]) : soa_fail_memory(error);
    }
    status = status == SOA_OK ? soa_graph_plan(&a->graph) : status;
    status = status == SOA_OK ? soa_graph_compile(&a->graph) : status;
    a->graph.error = NULL;
    a->at = status == SOA_OK ? soa_arena_take(&ops->arena, (size_t)a->graph.steps.count, sizeof *a->at) : NULL;
    size_t used = 0;
    for (int i = 0; a->at && i < a->graph.steps.count; i++) {
        a->at[i] = used;
        used += (size_t)soa_step_numbers(ops->model, ops->room, 0, soa_graph_step(&a->graph, i));
    }
    *reals = used > *reals ? used : *reals;
    return status == SOA_OK && !a->at ? soa_fail_memory(error) : status;
}

static soa_status make_graphs(soa_operators *ops, size_t *reals, soa_error *error)
{
    soa_terms *terms = ops->terms;
    const soa_term *kept[] = { soa_term_operator(terms, SOA_OP_R), soa_term_operator(terms, SOA_OP_UPS) };
    soa_status status = make_graph(ops, &ops->of[SOA_OP_I][0], 2, kept, reals, error);
    ops->of[SOA_OP_I][0].graph.points = true;
    for (int op = SOA_OP_I + 1; op < SOA_OP_A && status == SOA_OK; op++) {
        const soa_term *term = soa_term_operator(terms, (soa_operator)op), *adjoint = soa_term_adjoint(terms, term);
        status = make_graph(ops, &ops->of[op][0], 1, &term, reals, error);
        status =
            status == SOA_OK && adjoint != term ? make_graph(ops, &ops->of[op][1], 1, &adjoint, reals, error) : status;
    }
    return status;
}

static soa_status make_room(soa_operators *ops, soa_error *error)
{
    size_t reals = 0;
    int steps = 0;
    soa_status status = soa_terms_new(&ops->allocator, SOA_TERMS_MOST, &ops->terms, error);
    status = status == SOA_OK ? make_graphs(ops, &reals, error) : status;
    for (int i = 0; i < 2 * SOA_OPERATORS; i++) {
        const int count = ops->of[i / 2][i % 2].graph.steps.count;
        steps = count > steps ? count : steps;
    }
    ops->table = soa_run_kernels(soa_cpu_features(), 1);
    ops->work = soa_allocate(&ops->allocator, 1, ops->table->size(ops->model, ops->room, reals) + SOA_ALIGNMENT);
    ops->point = soa_arena_take(&ops->arena, (size_t)ops->room + 1, sizeof *ops->point);
    ops->input = soa_arena_take(&ops->arena, (size_t)steps, sizeof *ops->input);
    const bool made =
        soa_run_tree_new(&ops->tree, &ops->arena, ops->model, ops->room) && ops->work && ops->point && ops->input;
    return status == SOA_OK && !made ? soa_fail_memory(error) : status;
}

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
    ops->arena = soa_arena_on(&ops->allocator);
    const soa_status status = make_room(ops, error);
    if (status != SOA_OK) {
        soa_operators_free(ops);
        return status;
    }
    *operators = ops;
    return SOA_OK;
}

void soa_operators_free(soa_operators *operators)
{
    if (operators) {
        const soa_allocator allocator = operators->allocator;
        soa_terms_free(operators->terms);
        soa_arena_free(&operators->arena);
        soa_release(&allocator, operators->work);
        soa_release(&allocator, operators->tree.constraint);
        soa_release(&allocator, operators);
    }
}

/* ---- set --------------------------------------------------------------------------------- */

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
    soa_run_tree_points(&ops->tree, ops->model, points, point);
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

/* Runs a graph on x at the configuration that is set, which the graph of R and Ups does; where D is singular, or -1. */
static int run_graph(soa_operators *ops, const applied *a, const double *q, const double *x, double *y)
{
    soa_out output[] = { { y, 0 }, { NULL, 0 } };
    soa_graph_run run = { .graph = &a->graph, .tree = &ops->tree, .at = a->at, .input = ops->input, .output = output };
    soa_call call = { .model = ops->model, .work = ops->work, .count = 1, .spacing = 1, .q.at = q };
    run.again = a != &ops->of[SOA_OP_I][0];
    call.point = ops->point;
    call.points = ops->points;
    for (int i = 0; i < a->graph.steps.count; i++) {
        ops->input[i].at = soa_graph_step(&a->graph, i)->kind == SOA_STEP_INPUT ? x : NULL;
    }
    ops->table->run(&call, &run);
    return call.failed[0];
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
    operators->singular = run_graph(operators, &operators->of[SOA_OP_I][0], q, NULL, NULL);
    operators->ready = operators->singular < 0 ? EVERYTHING : WITHOUT_JOINTS;
    return operators->ready == EVERYTHING ? SOA_OK : fail_singular(operators, error);
}

/* ---- A ------------------------------------------------------------------------------------- */

soa_status soa_operators_set_constraints(
    soa_operators *operators, int rows, int points, const double *matrix, soa_error *error)
{
    if (!operators) {
        return fail_missing(error);
    }
    const soa_status status =
        soa_run_tree_constrain(&operators->tree, &operators->allocator, rows, points, matrix, error);
    operators->columns = status == SOA_OK ? 6 * points : operators->columns;
    return status;
}

/* y = A x, or A* x. */
static soa_status apply_constraints(
    const soa_operators *ops, bool adjoint, const double *x, double *y, soa_error *error)
{
    const int rows = ops->tree.constraints, columns = 6 * ops->points;
    if (rows > 0 && ops->columns != columns) {
        return soa_fail(
            error, SOA_E_ARGUMENT, -1, "A was given for %d points, but there are %d", ops->columns / 6, ops->points);
    }
    if (adjoint) {
        memset(y, 0, (size_t)columns * sizeof *y);
        soa_add_transposed((size_t)rows, (size_t)columns, 1.0, ops->tree.constraint, x, y);
    } else {
        soa_multiply((size_t)rows, (size_t)columns, ops->tree.constraint, x, y);
    }
    return SOA_OK;
}

/* ---- sizes -------------------------------------------------------------------------------- */

static int size_of(const soa_operators *ops, soa_space space)
{
    return space == SOA_SPACE_ANY ? -1 : soa_space_numbers(ops->model, ops->points, ops->tree.constraints, space);
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

/* The graph of an operator, or of its adjoint; that of A has no steps. */
static const applied *graph_of(const soa_operators *ops, soa_operator op, bool adjoint)
{
    return &ops->of[op][adjoint && !soa_operator_about(op, false).symmetric];
}

/* Whether D is needed, which follows from P. */
static bool needs_D(const soa_operators *ops, soa_operator op)
{
    const soa_graph *graph = &graph_of(ops, op, false)->graph;
    bool found = false;
    for (int i = 0; i < graph->steps.count && !found; i++) {
        found = soa_step_is_state(soa_graph_step(graph, i), SOA_STATE_ARTICULATED);
    }
    return found;
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
    if (ops->ready == WITHOUT_JOINTS && needs_D(ops, op)) {
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
    } else {
        (void)run_graph(operators, graph_of(operators, op, adjoint), NULL, x, y);
    }
    return status == SOA_OK ? check_numbers("y", soa_operator_rows(operators, op, adjoint), y, error) : status;
}
