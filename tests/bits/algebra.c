/* tests/bits/algebra.c - operators applied to vectors, expressions of the language. */
#include "bits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 11, POINTS = 2, ROWS = 3, DENSE_BODIES = 9 };

/* ---- operators ------------------------------------------------------------------------------------ */

static void operator_row(const char *name, soa_operators *ops, soa_operator op, bool adjoint)
{
    unsigned long long seed = 9;
    char text[80];
    const int rows = soa_operator_rows(ops, op, adjoint), cols = soa_operator_cols(ops, op, adjoint);
    if (rows < 0 || cols < 0) {
        return;
    }
    double *x = bits_numbers((size_t)cols), *y = bits_numbers((size_t)rows);
    bits_random(&seed, (size_t)cols, x);
    const soa_status status = soa_operators_apply(ops, op, adjoint, x, y, NULL);
    (void)snprintf(text, sizeof text, "%s%s", soa_operator_text(op), adjoint ? " [adjoint]" : "");
    print_single(name, text, status, hash_numbers(hash_begin(status), (size_t)rows, y));
    bits_free(x);
    bits_free(y);
}

/* Matrices from the definitions, and whether the identities hold. They are computed in long doubles, which machines differ in. */
static void dense_rows(
    const char *name, const soa_model *model, soa_operators *ops, const double *q, const soa_point *point)
{
    soa_identity_result *result = calloc((size_t)soa_identities() + 1, sizeof *result);
    hash h = hash_begin(SOA_OK);
    for (int i = 0; i < 2 * SOA_OPERATORS; i++) {
        const soa_operator op = (soa_operator)(i / 2);
        const int numbers = soa_operator_rows(ops, op, i % 2) * soa_operator_cols(ops, op, i % 2);
        double *matrix = bits_numbers(numbers > 1 ? (size_t)numbers : 0);
        if (numbers > 1) {
            h += (hash)soa_dense_operator(model, q, POINTS, point, op, i % 2, matrix, NULL);
            h = hash_rounded(h, (size_t)numbers, matrix);
        }
        bits_free(matrix);
    }
    print_single(name, "dense_operator", SOA_OK, h);
    for (int by = SOA_BY_SWEEPS; by <= SOA_BY_DENSE; by++) {
        const soa_status status = soa_check_identities(model, q, POINTS, point, (soa_evaluation)by, result, NULL);
        h = hash_begin(status);
        for (int i = 0; i < soa_identities(); i++) {
            h = hash_numbers(h, 2, (double[2]){ result[i].applies, result[i].error < 1e-9 });
        }
        print_single(name, "check_identities", status, h);
    }
    free(result);
}

void bits_operators(const char *name, const soa_model *model)
{
    unsigned long long seed = 8;
    soa_point point[POINTS];
    double matrix[ROWS * 6 * POINTS], *q = bits_numbers((size_t)soa_model_nq(model));
    soa_operators *ops = NULL;
    bits_points(model, &seed, POINTS, point);
    bits_random(&seed, ROWS * 6 * POINTS, matrix);
    soa_random_configuration(model, &seed, q);
    soa_status status = soa_operators_new(model, POINTS, NULL, &ops, NULL);
    status = status == SOA_OK ? soa_operators_set(ops, q, POINTS, point, NULL) : status;
    status = status == SOA_OK ? soa_operators_set_constraints(ops, ROWS, POINTS, matrix, NULL) : status;
    print_single(name, "operators", status, hash_begin(status));
    for (int op = 0; status == SOA_OK && op < SOA_OPERATORS; op++) {
        operator_row(name, ops, (soa_operator)op, false);
        operator_row(name, ops, (soa_operator)op, true);
    }
    if (status == SOA_OK && soa_model_bodies(model) <= DENSE_BODIES) {
        dense_rows(name, model, ops, q, point);
    }
    soa_operators_free(ops);
    bits_free(q);
}

/* ---- expressions ------------------------------------------------------------------------------------ */

/* A program with all that its inputs are bound to. */
typedef struct bound {
    soa_program *program;
    soa_compiled *compiled;
    soa_runner *runner;
    const double *q;
    double **input, **output;
} bound;

/* Inputs get random numbers, outputs their arrays. */
static soa_status bind_all(bound *b)
{
    unsigned long long seed = 10;
    const int inputs = soa_compiled_inputs(b->compiled), outputs = soa_compiled_outputs(b->compiled);
    soa_status status = SOA_OK;
    b->input = calloc((size_t)inputs + 1, sizeof *b->input);
    b->output = calloc((size_t)outputs + 1, sizeof *b->output);
    for (int i = 0; status == SOA_OK && i < inputs; i++) {
        const char *name = soa_compiled_input_info(b->compiled, i).name;
        const size_t n = STATES * (size_t)soa_runner_numbers(b->runner, name);
        b->input[i] = bits_numbers(n);
        bits_random(&seed, n, b->input[i]);
        status = soa_runner_bind(b->runner, name, b->input[i], NULL);
    }
    for (int i = 0; status == SOA_OK && i < outputs; i++) {
        const char *name = soa_compiled_output_info(b->compiled, i).name;
        b->output[i] = bits_numbers(STATES * (size_t)soa_runner_numbers(b->runner, name));
        status = soa_runner_bind_output(b->runner, name, b->output[i], NULL);
    }
    return status;
}

static void unbind(bound *b)
{
    for (int i = 0; b->input && i < soa_compiled_inputs(b->compiled); i++) {
        bits_free(b->input[i]);
    }
    for (int i = 0; b->output && i < soa_compiled_outputs(b->compiled); i++) {
        bits_free(b->output[i]);
    }
    free(b->input);
    free(b->output);
    soa_runner_free(b->runner);
    soa_compiled_free(b->compiled);
    soa_program_free(b->program);
}

/* Runs all states, in one call or one by one. */
static soa_status run_bound(const bound *b, const way *w, int nq, hash *h)
{
    soa_status status = SOA_OK;
    if (!w->singly) {
        status = soa_runner_run(b->runner, STATES, b->q, NULL);
    }
    for (int s = 0; w->singly && s < STATES; s++) {
        for (int i = 0; i < soa_compiled_inputs(b->compiled); i++) {
            const soa_bound_info info = soa_compiled_input_info(b->compiled, i);
            const int n = info.from_space == SOA_SPACE_ONE ? soa_runner_numbers(b->runner, info.name) : 0;
            (void)soa_runner_bind(b->runner, info.name, b->input[i] + s * n, NULL);
        }
        for (int i = 0; i < soa_compiled_outputs(b->compiled); i++) {
            const char *name = soa_compiled_output_info(b->compiled, i).name;
            (void)soa_runner_bind_output(b->runner, name, b->output[i] + s * soa_runner_numbers(b->runner, name), NULL);
        }
        const soa_status one = soa_runner_run(b->runner, 1, b->q + s * nq, NULL);
        status = status == SOA_OK ? one : status;
    }
    *h = hash_begin(status);
    for (int i = 0; i < soa_compiled_outputs(b->compiled); i++) {
        const char *name = soa_compiled_output_info(b->compiled, i).name;
        *h = hash_numbers(*h, STATES * (size_t)soa_runner_numbers(b->runner, name), b->output[i]);
    }
    return status;
}

static void expression_row(
    const char *name, const soa_model *model, const double *q, const soa_point *point, bool alone, const char *text)
{
    unsigned long long seed = 11;
    char row[80];
    bound b = { .q = q };
    double matrix[ROWS * 6 * POINTS];
    hash h[WAYS] = { 0 };
    bool done[WAYS] = { true };
    bits_random(&seed, ROWS * 6 * POINTS, matrix);
    soa_status status = soa_program_new(NULL, &b.program, NULL);
    status = status == SOA_OK ? soa_program_read(b.program, text, SOA_READ_PROGRAM, NULL) : status;
    status = status == SOA_OK ? soa_compile(model, b.program, SOA_AS_WRITTEN, 0, NULL, &b.compiled, NULL) : status;
    status = status == SOA_OK ? soa_runner_new(b.compiled, POINTS, point, NULL, &b.runner, NULL) : status;
    status = status == SOA_OK ? soa_runner_set_constraints(b.runner, ROWS, matrix, NULL) : status;
    status = status == SOA_OK ? bind_all(&b) : status;
    soa_workspace *w = NULL;
    (void)soa_workspace_new(model, NULL, &w, NULL);
    const int widest = soa_workspace_lanes(w);
    for (int i = 0; status == SOA_OK && i < WAYS; i++) {
        done[i] = !WAY[i].threads && way_counts(model, &WAY[i], widest) &&
                  soa_runner_set_lanes(b.runner, WAY[i].lanes ? WAY[i].lanes : widest, NULL) == SOA_OK;
        if (done[i]) {
            const soa_status one = run_bound(&b, &WAY[i], soa_model_nq(model), &h[i]);
            status = i == 0 && one != SOA_E_SINGULAR ? one : status;
        }
    }
    (void)snprintf(row, sizeof row, alone ? "operator [%s]" : "%s", text);
    print_row(name, row, done, h, status);
    soa_workspace_free(w);
    unbind(&b);
}

void bits_expressions(const char *name, const soa_model *model)
{
    static const char *const texts[] = { "Mass^-1 (T - C)", "(I - H psi K)' D^-1 (I - H psi K) (T - C)",
        "H phi M phi' H' betadot + C", "phi (M alpha + b + B f_c)", "(I - H psi K)' D^-1 H psi B f_c",
        "(I + H phi K) D (I + H phi K)'", "B' psi' H' D^-1 H psi B", "Lambda^-1", "(A Lambda A')^-1",
        "(A Lambda A')^-1 A B' phi' (H' Mass^-1 (T - C) + a)", "Mass + Mass", "Mass^-1 H phi B", "J Mass^-1 J'",
        "phi' g", "J beta", "J' f_c", "V", "f", "alpha", "D^(1/2)", "P phi' H' beta", "d(Mass, q_1)",
        "d(Mass, q_1) beta", "d(Mass^-1, q_1) T", "d(d(Mass, q_1), q_1) beta", "d(C, q_1)", "d(Lambda, q_1)",
        "d(psi, q_1) b", "d(Mass^-1 (T - C), q_1)", "x: joint force; Mass^-1 x + 2 Mass^-1 (x - T)" };
    unsigned long long seed = 12;
    soa_point point[POINTS];
    const int nq = soa_model_nq(model);
    double *q = bits_numbers(STATES * (size_t)nq);
    for (int s = 0; s < STATES; s++) {
        soa_random_configuration(model, &seed, q + s * nq);
    }
    bits_points(model, &seed, POINTS, point);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        expression_row(name, model, q, point, false, texts[i]);
    }
    for (int op = 0; op < SOA_OPERATORS; op++) {
        if (op != SOA_OP_I) {
            expression_row(name, model, q, point, true, soa_operator_text((soa_operator)op));
        }
    }
    bits_free(q);
}
