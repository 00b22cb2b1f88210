/* The operators of a model: names, sizes, refusals, memory, large models. */
#include "counting.h"
#include "operator/operator_matrices.h"
#include "random_tree.h"

#include <stdlib.h>
#include <string.h>

/* ---- the list --------------------------------------------------------------------------- */

static void names_are_found(void **state)
{
    (void)state;
    for (int i = 0; i < SOA_OPERATORS; i++) {
        assert_int_equal(soa_operator_find(soa_operator_text((soa_operator)i)), i);
    }
    assert_int_equal(soa_operator_find("phi~"), SOA_OP_PHI_STRICT);
    assert_int_equal(soa_operator_find("Phi"), SOA_OPERATORS);
    assert_int_equal(soa_operator_find(NULL), SOA_OPERATORS);
    assert_string_equal(soa_operator_text(SOA_OPERATORS), "unknown operator");
}

/* The adjoint maps the dual of the codomain to the dual of the domain; a symmetric
 * operator maps as its adjoint does. */
static void adjoints_are_dual(void **state)
{
    (void)state;
    for (int i = 0; i < SOA_OPERATORS; i++) {
        const soa_operator_info a = soa_operator_about((soa_operator)i, false);
        const soa_operator_info t = soa_operator_about((soa_operator)i, true);
        assert_int_equal(a.domain_space, t.codomain_space);
        assert_int_equal(a.codomain_space, t.domain_space);
        if (i != SOA_OP_I) {
            assert_int_not_equal(a.domain_side, t.codomain_side);
            assert_int_not_equal(a.codomain_side, t.domain_side);
        }
        if (a.symmetric) {
            assert_int_equal(a.domain_side, t.domain_side);
            assert_int_equal(a.kind, t.kind);
        }
    }
    assert_int_equal(soa_operator_about(SOA_OP_PHI, true).kind, SOA_KIND_ANTICAUSAL);
    assert_int_equal(soa_operator_about(SOA_OP_J, true).kind, SOA_KIND_CAUSAL);
    assert_string_equal(soa_kind_text(SOA_KIND_STRICTLY_CAUSAL), "strictly causal");
}

/* What is missing is a status. */
static void missing_arguments(void **state)
{
    (void)state;
    tree t = tree_new(6, TREE_BUSHY, false, 31);
    soa_operators *ops;
    double x[64] = { 0 };
    assert_int_equal(soa_operators_new(NULL, 0, NULL, &ops, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_operators_new(t.model, 0, NULL, NULL, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_operators_set(NULL, t.q, 0, NULL, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_operators_set_constraints(NULL, 0, 0, NULL, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_operators_apply(NULL, SOA_OP_PHI, false, x, x, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_operator_rows(NULL, SOA_OP_PHI, false), -1);
    assert_int_equal(soa_operator_cols(NULL, SOA_OP_PHI, false), -1);
    assert_int_equal(soa_dense_operator(NULL, t.q, 0, NULL, SOA_OP_MASS, false, x, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_dense_operator(t.model, t.q, 0, NULL, SOA_OP_MASS, false, NULL, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_operators_new(t.model, 0, NULL, &ops, NULL), SOA_OK);
    assert_int_equal(soa_operators_set(ops, t.q, 0, NULL, NULL), SOA_OK);
    assert_int_equal(soa_operators_apply(ops, SOA_OP_PHI, false, NULL, x, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_operators_apply(ops, SOA_OP_PHI, false, x, NULL, NULL), SOA_E_ARGUMENT);
    soa_operators_free(ops);
    soa_model_free(t.model);
}

/* ---- refusals ----------------------------------------------------------------------------- */

static void refusals(void **state)
{
    (void)state;
    tree t = tree_new(6, TREE_BUSHY, false, 31);
    soa_operators *ops;
    soa_error error;
    double x[64] = { 0 }, y[64];
    assert_int_equal(soa_operators_new(t.model, -1, NULL, &ops, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_operators_new(t.model, 1, NULL, &ops, &error), SOA_OK);
    assert_int_equal(soa_operators_apply(ops, SOA_OP_PHI, false, x, y, &error), SOA_E_ARGUMENT); /* not set */
    assert_int_equal(soa_operators_set(ops, t.q, 2, t.point, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_operators_set(ops, NULL, 0, NULL, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_operators_set(ops, t.q, 1, NULL, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_dense_operator(t.model, NULL, 0, NULL, SOA_OP_MASS, false, y, &error), SOA_E_ARGUMENT);
    soa_point bad = { 99, soa_pose_identity() };
    assert_int_equal(soa_operators_set(ops, t.q, 1, &bad, &error), SOA_E_ARGUMENT);
    bad = (soa_point){ 0, soa_pose_identity() };
    bad.at.position[1] = NAN;
    assert_int_equal(soa_operators_set(ops, t.q, 1, &bad, &error), SOA_E_NUMBER);
    assert_int_equal(soa_operators_set(ops, t.q, 1, t.point, &error), SOA_OK);
    assert_int_equal(soa_operators_apply(ops, SOA_OP_I, false, x, y, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_operators_apply(ops, SOA_OPERATORS, false, x, y, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_operator_rows(ops, SOA_OP_I, false), -1);
    x[2] = INFINITY;
    y[0] = 7.0;
    assert_int_equal(soa_operators_apply(ops, SOA_OP_PHI, false, x, y, &error), SOA_E_NUMBER);
    assert_true(y[0] == 7.0);
    t.q[0] = NAN;
    assert_int_equal(soa_operators_set(ops, t.q, 1, t.point, &error), SOA_E_NUMBER);
    x[2] = 0.0;
    assert_int_equal(soa_operators_apply(ops, SOA_OP_PHI, false, x, y, &error), SOA_E_ARGUMENT); /* none is left */
    t.q[0] = 0.1;
    assert_int_equal(soa_operators_set(ops, t.q, 1, t.point, &error), SOA_OK);
    for (int i = 0; i < 64; i++) {
        x[i] = 1.7e308;
    }
    assert_int_equal(soa_operators_apply(ops, SOA_OP_PHI, false, x, y, &error), SOA_E_NUMBER); /* what comes out */
    soa_operators_free(ops);
    soa_operators_free(NULL);
    soa_model_free(t.model);
}

static void equations_that_are_none(void **state)
{
    (void)state;
    static const char *const text[] = { "", "phi", "phi = ", "= phi", "phi = psi)", "(phi = psi", "phi + = psi",
        "phi = chi", "phi psi = H", "phi = phi*", "I = I", "H + phi = H", "Phi = phi", "phi ** = phi +" };
    const tree t = tree_new(4, TREE_BUSHY, false, 32);
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        double e;
        soa_error error;
        assert_int_equal(soa_check_equation(t.model, t.q, 0, NULL, SOA_BY_SWEEPS, text[i], &e, &error), SOA_E_SYNTAX);
        assert_true(error.text[0] != '\0');
    }
    soa_model_free(t.model);
}

/* Equations have a longest length and a deepest nesting. */
static void equations_too_large(void **state)
{
    (void)state;
    enum { LONG = 200000 };
    const tree t = tree_new(4, TREE_BUSHY, false, 32);
    char *text = malloc(LONG + 32);
    soa_error error;
    double e;
    for (int deep = 0; deep < 2; deep++) {
        for (int i = 0; i < LONG / 4; i++) {
            memcpy(text + 4 * i, deep ? "((((" : "phi ", 4);
        }
        strcpy(text + LONG, "phi = psi");
        const soa_status status = soa_check_equation(t.model, t.q, 0, NULL, SOA_BY_SWEEPS, text, &e, &error);
        assert_true(status == SOA_E_LIMIT || status == SOA_E_SYNTAX);
        assert_true(error.text[0] != '\0');
    }
    free(text);
    soa_model_free(t.model);
}

static void identities_are_listed(void **state)
{
    (void)state;
    assert_true(soa_identities() > 10);
    for (int i = 0; i < soa_identities(); i++) {
        assert_true(soa_identity_label(i)[0] != '\0');
        assert_non_null(strchr(soa_identity_text(i), '='));
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(soa_identity_text(i), soa_identity_text(j));
        }
    }
    for (int i = -1; i <= soa_identities(); i += soa_identities() + 1) {
        assert_string_equal(soa_identity_label(i), "");
        assert_string_equal(soa_identity_text(i), "");
    }
}

/* A massless last link: what needs no D can be applied, the rest names the body. */
static void singular_models(void **state)
{
    (void)state;
    soa_error error;
    soa_builder *builder = soa_builder_new(NULL);
    soa_link link = soa_link_default("heavy", SOA_WORLD, SOA_REVOLUTE);
    unsigned long long seed = 2;
    link.inertia = tree_inertia(&seed);
    assert_int_equal(soa_builder_add_link(builder, &link, NULL, &error), SOA_OK);
    link = soa_link_default("light", 0, SOA_REVOLUTE);
    assert_int_equal(soa_builder_add_link(builder, &link, NULL, &error), SOA_OK);
    soa_model *model;
    soa_operators *ops;
    assert_int_equal(soa_builder_finish(builder, &model, &error), SOA_OK);
    assert_int_equal(soa_operators_new(model, 0, NULL, &ops, &error), SOA_OK);
    const double q[2] = { 0.1, 0.2 }, x[2] = { 1.0, 1.0 };
    double y[12], matrix[4];
    assert_int_equal(soa_operators_set(ops, q, 0, NULL, &error), SOA_E_SINGULAR);
    assert_int_equal(error.body, 1);
    assert_int_equal(soa_operators_apply(ops, SOA_OP_MASS, false, x, y, &error), SOA_OK);
    assert_true(y[0] > 0.0 && y[1] == 0.0);
    assert_int_equal(soa_operators_apply(ops, SOA_OP_MASS_INV, false, x, y, &error), SOA_E_SINGULAR);
    assert_int_equal(soa_dense_operator(model, q, 0, NULL, SOA_OP_MASS, false, matrix, &error), SOA_E_SINGULAR);
    soa_operators_free(ops);
    soa_model_free(model);
    soa_builder_free(builder);
}

/* ---- memory --------------------------------------------------------------------------------- */

static void nothing_is_allocated_when_running(void **state)
{
    (void)state;
    const tree t = tree_new(12, TREE_BUSHY, true, 33);
    counting c;
    const soa_allocator allocator = counting_on(&c, COUNTING_PLENTY);
    soa_operators *ops;
    soa_error error;
    double x[256], y[256];
    unsigned long long seed = 1;
    random_fill(&seed, 256, x);
    assert_int_equal(soa_operators_new(t.model, t.points, &allocator, &ops, &error), SOA_OK);
    const int taken = c.taken;
    c.left = 0;
    assert_int_equal(soa_operators_set(ops, t.q, t.points, t.point, &error), SOA_OK);
    for (int i = SOA_OP_I + 1; i < SOA_OPERATORS; i++) {
        assert_int_equal(soa_operators_apply(ops, (soa_operator)i, false, x, y, &error), SOA_OK);
        assert_int_equal(soa_operators_apply(ops, (soa_operator)i, true, x, y, &error), SOA_OK);
    }
    assert_int_equal(c.taken, taken);
    soa_operators_free(ops);
    assert_int_equal(c.open, 0);
    soa_model_free(t.model);
}

/* A is the matrix given: y = A x, its adjoint the transpose. */
static void constraints_are_what_was_given(void **state)
{
    (void)state;
    const tree t = tree_new(8, TREE_BUSHY, false, 3);
    soa_operators *ops;
    soa_error error;
    enum { ROWS = 5 };
    const int columns = 6 * t.points;
    double matrix[ROWS * 6 * TREE_MAX_POINTS], x[6 * TREE_MAX_POINTS], y[6 * TREE_MAX_POINTS];
    unsigned long long seed = 5;
    random_fill(&seed, ROWS * columns, matrix);
    random_fill(&seed, columns, x);
    assert_int_equal(soa_operators_new(t.model, t.points, NULL, &ops, &error), SOA_OK);
    assert_int_equal(soa_operators_set(ops, t.q, t.points, t.point, &error), SOA_OK);
    assert_int_equal(soa_operator_rows(ops, SOA_OP_A, false), 0);
    assert_int_equal(soa_operators_set_constraints(ops, ROWS, t.points, matrix, &error), SOA_OK);
    assert_int_equal(soa_operator_rows(ops, SOA_OP_A, false), ROWS);
    assert_int_equal(soa_operator_cols(ops, SOA_OP_A, false), columns);
    assert_int_equal(soa_operators_apply(ops, SOA_OP_A, false, x, y, &error), SOA_OK);
    for (int r = 0; r < ROWS; r++) {
        double sum = 0.0;
        for (int c = 0; c < columns; c++) {
            sum += matrix[r * columns + c] * x[c];
        }
        assert_true(fabs(y[r] - sum) < 1e-14);
    }
    assert_int_equal(soa_operators_apply(ops, SOA_OP_A, true, x, y, &error), SOA_OK);
    for (int c = 0; c < columns; c++) {
        double sum = 0.0;
        for (int r = 0; r < ROWS; r++) {
            sum += matrix[r * columns + c] * x[r];
        }
        assert_true(fabs(y[c] - sum) < 1e-14);
    }
    matrix[3] = NAN;
    assert_int_equal(soa_operators_set_constraints(ops, ROWS, t.points, matrix, &error), SOA_E_NUMBER);
    assert_int_equal(soa_operators_set_constraints(ops, -1, t.points, matrix, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_operators_set_constraints(ops, ROWS, t.points - 1, matrix + 4, &error), SOA_OK);
    assert_int_equal(soa_operators_apply(ops, SOA_OP_A, false, x, y, &error), SOA_E_ARGUMENT);
    soa_operators_free(ops);
    soa_model_free(t.model);
}

/* Every allocation fails once: SOA_E_MEMORY, and nothing leaks. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    counting c;
    const soa_allocator allocator = counting_on(&c, COUNTING_PLENTY);
    soa_model *model;
    soa_error error;
    soa_status status = SOA_E_MEMORY;
    double q[32];
    assert_int_equal(soa_model_builtin("tree:3,5", &allocator, &model, &error), SOA_OK);
    soa_model_neutral(model, q);
    soa_identity_result *results = calloc((size_t)soa_identities(), sizeof *results);
    for (int evaluation = SOA_BY_SWEEPS; evaluation <= SOA_BY_DENSE; evaluation++) {
        const int open = c.open;
        int n = 0;
        for (status = SOA_E_MEMORY; status == SOA_E_MEMORY; n++) {
            c.left = n;
            status = soa_check_identities(model, q, 0, NULL, (soa_evaluation)evaluation, results, &error);
            assert_int_equal(c.open, open);
        }
        assert_int_equal(status, SOA_OK);
        assert_true(n > 3);
    }
    free(results);
    soa_model_free(model);
    assert_int_equal(c.open, 0);
}

/* Dense operators without any one block, or without all after it too. */
static void dense_without_memory(void **state)
{
    (void)state;
    soa_model *model;
    soa_dense *dense;
    soa_error error;
    double q[32];
    assert_int_equal(soa_model_builtin("tree:3,5", NULL, &model, &error), SOA_OK);
    soa_model_neutral(model, q);
    int n = 0;
    for (soa_status status = SOA_E_MEMORY; status != SOA_OK; n++) {
        counting c;
        const soa_allocator allocator = counting_lack(&c, n);
        status = soa_dense_new(model, q, 0, NULL, &allocator, &dense, &error);
        assert_int_equal(status, c.refused == 0 ? SOA_OK : SOA_E_MEMORY);
        soa_dense_free(dense);
        assert_int_equal(c.open, 0);
    }
    assert_true(n > 100);
    soa_model_free(model);
}

/* ---- models --------------------------------------------------------------------------------- */

static void check_model(const char *name, int links_with_points, soa_evaluation evaluation, double tolerance)
{
    soa_model *model;
    soa_error error;
    assert_int_equal(soa_model_builtin(name, NULL, &model, &error), SOA_OK);
    double *q = malloc((size_t)(soa_model_nq(model) + 1) * sizeof *q);
    unsigned long long seed = 8;
    soa_random_configuration(model, &seed, q);
    soa_point point[2] = { { soa_model_links(model) - 1, soa_pose_identity() }, { 0, soa_pose_identity() } };
    soa_identity_result *results = calloc((size_t)soa_identities(), sizeof *results);
    const soa_status status = soa_check_identities(model, q, links_with_points, point, evaluation, results, &error);
    if (status != SOA_OK) {
        fail_msg("%s: %s", name, error.text);
    }
    for (int i = 0; i < soa_identities(); i++) {
        if (!(results[i].error <= tolerance)) {
            fail_msg("%s: [%s] %s: relative error %g", name, results[i].label, results[i].text, results[i].error);
        }
    }
    free(results);
    free(q);
    soa_model_free(model);
}

static void large_models_on_random_vectors(void **state)
{
    (void)state;
    check_model("tree:400,7", 2, SOA_BY_SWEEPS, 1e-10);
    check_model("chain:100", 1, SOA_BY_SWEEPS, 1e-9);
}

static void dense_has_a_limit(void **state)
{
    (void)state;
    soa_model *model;
    soa_error error;
    soa_identity_result *results = calloc((size_t)soa_identities(), sizeof *results);
    assert_int_equal(soa_model_builtin("chain:129", NULL, &model, &error), SOA_OK);
    double q[129];
    soa_model_neutral(model, q);
    assert_int_equal(soa_check_identities(model, q, 0, NULL, SOA_BY_DENSE, results, &error), SOA_E_LIMIT);
    soa_model_free(model);
    free(results);
}

/* The matrix of an operator and that of its adjoint are transposes. */
static void dense_operators_are_matrices(void **state)
{
    (void)state;
    const tree t = tree_new(7, TREE_CHAIN, false, 34);
    const int nv = soa_model_nv(t.model), rows = 6 * t.points;
    double *J = malloc((size_t)(rows * nv) * sizeof *J), *J_t = malloc((size_t)(rows * nv) * sizeof *J_t);
    soa_error error;
    assert_int_equal(soa_dense_operator(t.model, t.q, t.points, t.point, SOA_OP_J, false, J, &error), SOA_OK);
    assert_int_equal(soa_dense_operator(t.model, t.q, t.points, t.point, SOA_OP_J, true, J_t, &error), SOA_OK);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < nv; j++) {
            assert_true(J[i * nv + j] == J_t[j * rows + i]);
        }
    }
    assert_int_equal(soa_dense_operator(t.model, t.q, t.points, t.point, SOA_OP_I, false, J, &error), SOA_E_ARGUMENT);
    free(J);
    free(J_t);
    soa_model_free(t.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(adjoints_are_dual),
        cmocka_unit_test(missing_arguments),
        cmocka_unit_test(refusals),
        cmocka_unit_test(equations_that_are_none),
        cmocka_unit_test(equations_too_large),
        cmocka_unit_test(identities_are_listed),
        cmocka_unit_test(singular_models),
        cmocka_unit_test(nothing_is_allocated_when_running),
        cmocka_unit_test(constraints_are_what_was_given),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(dense_without_memory),
        cmocka_unit_test(large_models_on_random_vectors),
        cmocka_unit_test(dense_has_a_limit),
        cmocka_unit_test(dense_operators_are_matrices),
    };
    return cmocka_run_group_tests_name("operator api", tests, NULL, NULL);
}
