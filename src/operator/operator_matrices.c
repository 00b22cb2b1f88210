/* operator/operator_matrices.c - every operator as a matrix, from its definition. */
#include "operator/operator_matrices.h"

#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "operator/body_numbers.h"

/* ---- the algebra, short ------------------------------------------------------------------ */

static soa_matrix mul(soa_dense *d, soa_matrix a, soa_matrix b)
{
    return soa_matrix_mul(&d->arena, a, b);
}

static soa_matrix add(soa_dense *d, soa_matrix a, soa_matrix b)
{
    return soa_matrix_add(&d->arena, a, 1.0L, b);
}

static soa_matrix sub(soa_dense *d, soa_matrix a, soa_matrix b)
{
    return soa_matrix_add(&d->arena, a, -1.0L, b);
}

static soa_matrix adjoint_of(soa_dense *d, soa_matrix a)
{
    return soa_matrix_transpose(&d->arena, a);
}

/* a b a* */
static soa_matrix congruence(soa_dense *d, soa_matrix a, soa_matrix b)
{
    return mul(d, mul(d, a, b), adjoint_of(d, a));
}

/* The blocks (k,k). */
static soa_matrix diagonal_blocks(soa_dense *d, soa_matrix a)
{
    const soa_matrix blocks = soa_matrix_zero(&d->arena, d->size, d->size);
    for (int e = 0; blocks.at && a.at && e < d->size * d->size; e++) {
        blocks.at[e] = d->owner[e / d->size] == d->owner[e % d->size] ? a.at[e] : 0;
    }
    return a.at ? blocks : a;
}

/* ---- tree ---------------------------------------------------------------------------------- */

/* Whether body j is outboard of body k, or is k. */
static bool outboard(const soa_dense *d, int k, int j)
{
    while (j > k) {
        j = soa_model_body(d->model, j).parent;
    }
    return j == k;
}

static int common_ancestor(const soa_dense *d, int i, int j)
{
    while (i != SOA_WORLD && !outboard(d, i, j)) {
        i = soa_model_body(d->model, i).parent;
    }
    return i;
}

/* ---- P --------------------------------------------------------------------------------------- */

/* The velocities of all joints outboard of body k; how many. */
static int outboard_velocities(const soa_dense *d, int k, int *index)
{
    int count = 0;
    for (int j = k + 1; j < d->n; j++) {
        if (outboard(d, k, j)) {
            const soa_body body = soa_model_body(d->model, j);
            for (int i = 0; i < body.nv; i++) {
                index[count++] = body.v + i;
            }
        }
    }
    return count;
}

/* P(k) = R(k) - C Mass(o,o)^-1 C*, o the velocities outboard of k and C(i,o) the
 * force they need of body k per acceleration: the inertia of the subtree at k,
 * its joints without force. F = phi M phi* H* + phi Gamma. */
static bool put_P(soa_dense *d, int k, soa_matrix F, int *index, soa_matrix P, bool *singular)
{
    int rows[6 + SOA_MAX_MODES];
    const int n = soa_body_numbers(d->model, k);
    for (int i = 0; i < n; i++) {
        rows[i] = soa_body_index(d->model, k, i);
    }
    const int count = outboard_velocities(d, k, index);
    const soa_matrix C = soa_matrix_part(&d->arena, F, n, rows, count, index);
    const soa_matrix mass = soa_matrix_part(&d->arena, d->op[SOA_OP_MASS], count, index, count, index);
    const soa_matrix yielding = congruence(d, C, soa_matrix_inverse(&d->arena, mass, singular));
    const soa_matrix R = soa_matrix_part(&d->arena, d->op[SOA_OP_R], n, rows, n, rows);
    const soa_matrix P_k = sub(d, R, yielding);
    for (int i = 0; P_k.at && i < n * n; i++) {
        *soa_matrix_entry(P, rows[i / n], rows[i % n]) = P_k.at[i];
    }
    return P_k.at != NULL;
}

static soa_matrix articulated_inertias(soa_dense *d, soa_matrix F, bool *singular)
{
    int *index = soa_arena_take(&d->arena, (size_t)d->nv, sizeof *index);
    soa_matrix P = soa_matrix_zero(&d->arena, d->size, d->size);
    bool made = index && F.at && P.at;
    for (int k = 0; made && k < d->n; k++) {
        made = put_P(d, k, F, index, P, singular);
    }
    P.at = made ? P.at : NULL;
    return P;
}

/* ---- X --------------------------------------------------------------------------------------- */

/* X(i,j) = psi*(m,i) Ups(m) psi(m,j) for i, j on different branches of m, else 0.  [I11] */
static soa_matrix between_branches(soa_dense *d)
{
    const soa_matrix X = soa_matrix_zero(&d->arena, d->size, d->size);
    const soa_matrix psi = d->op[SOA_OP_PSI], Ups = d->op[SOA_OP_UPS];
    if (!X.at || !psi.at || !Ups.at) {
        return (soa_matrix){ 0, 0, NULL };
    }
    for (int e = 0; e < X.rows * X.cols; e++) {
        const int row = e / X.cols, col = e % X.cols;
        const int m = common_ancestor(d, d->owner[row], d->owner[col]);
        if (m == SOA_WORLD || m == d->owner[row] || m == d->owner[col]) {
            continue;
        }
        const int n = soa_body_numbers(d->model, m);
        for (int i = 0; i < n * n; i++) {
            const int a = soa_body_index(d->model, m, i / n), b = soa_body_index(d->model, m, i % n);
            X.at[e] += *soa_matrix_entry(psi, a, row) * *soa_matrix_entry(Ups, a, b) * *soa_matrix_entry(psi, b, col);
        }
    }
    return X;
}

/* ---- all --------------------------------------------------------------------------------------- */

/* phi, phi~, R, J, Mass, Mass^-1, P. */
static void rigid_operators(soa_dense *d, bool *singular)
{
    soa_matrix *op = d->op;
    const soa_matrix I = soa_matrix_identity(&d->arena, d->size);
    op[SOA_OP_PHI] = soa_matrix_inverse(&d->arena, sub(d, I, op[SOA_OP_E_PHI]), singular);
    op[SOA_OP_PHI_STRICT] = sub(d, op[SOA_OP_PHI], I);
    const soa_matrix H_t = adjoint_of(d, op[SOA_OP_H]), phi_t = adjoint_of(d, op[SOA_OP_PHI]);
    const soa_matrix inertia = congruence(d, op[SOA_OP_PHI], op[SOA_OP_M]);
    op[SOA_OP_R] = diagonal_blocks(d, inertia);
    op[SOA_OP_J] = mul(d, mul(d, adjoint_of(d, op[SOA_OP_B]), phi_t), H_t);
    const soa_matrix phi_Gamma = mul(d, op[SOA_OP_PHI], op[SOA_OP_GAMMA]);
    const soa_matrix F = add(d, mul(d, inertia, H_t), phi_Gamma);
    const soa_matrix rotors = add(d, adjoint_of(d, mul(d, op[SOA_OP_H], phi_Gamma)), op[SOA_OP_ARM]);
    op[SOA_OP_MASS] = add(d, mul(d, op[SOA_OP_H], F), rotors);
    op[SOA_OP_MASS_INV] = soa_matrix_inverse(&d->arena, op[SOA_OP_MASS], singular);
    op[SOA_OP_P] = articulated_inertias(d, F, singular);
}

/* D, G, K, tau, psi, Omega, Ups, X, Lambda. */
static void articulated_operators(soa_dense *d, bool *singular)
{
    soa_matrix *op = d->op;
    const soa_matrix I = soa_matrix_identity(&d->arena, d->size);
    op[SOA_OP_D] = add(d, congruence(d, op[SOA_OP_H], op[SOA_OP_P]), op[SOA_OP_ARM]);
    op[SOA_OP_D_INV] = soa_matrix_inverse(&d->arena, op[SOA_OP_D], singular);
    op[SOA_OP_G] = mul(d, mul(d, op[SOA_OP_P], adjoint_of(d, op[SOA_OP_H])), op[SOA_OP_D_INV]);
    op[SOA_OP_K] = add(d, mul(d, op[SOA_OP_E_PHI], op[SOA_OP_G]), mul(d, op[SOA_OP_GAMMA], op[SOA_OP_D_INV]));
    op[SOA_OP_TAU] = mul(d, op[SOA_OP_G], op[SOA_OP_H]);
    op[SOA_OP_TAUBAR] = sub(d, I, op[SOA_OP_TAU]);
    op[SOA_OP_E_PSI] = sub(d, op[SOA_OP_E_PHI], mul(d, op[SOA_OP_K], op[SOA_OP_H]));
    op[SOA_OP_PSI] = soa_matrix_inverse(&d->arena, sub(d, I, op[SOA_OP_E_PSI]), singular);
    op[SOA_OP_PSI_STRICT] = sub(d, op[SOA_OP_PSI], I);
    const soa_matrix H_phi = mul(d, op[SOA_OP_H], op[SOA_OP_PHI]);
    op[SOA_OP_OMEGA] = congruence(d, adjoint_of(d, H_phi), op[SOA_OP_MASS_INV]);
    op[SOA_OP_UPS] = diagonal_blocks(d, op[SOA_OP_OMEGA]);
    op[SOA_OP_BRANCH] = between_branches(d);
    op[SOA_OP_LAMBDA] = congruence(d, op[SOA_OP_J], op[SOA_OP_MASS_INV]);
}

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

static soa_status check(const soa_model *m, const double *q, int points, const soa_point *point, soa_error *error)
{
    if (!m) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the model is missing");
    }
    if (soa_model_bodies(m) > SOA_DENSE_BODIES || points > SOA_DENSE_BODIES) {
        return soa_fail(error, SOA_E_LIMIT, -1, "%d bodies and %d points: dense operators take at most %d",
            soa_model_bodies(m), points, SOA_DENSE_BODIES);
    }
    if (!q && soa_model_nq(m) > 0) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "q is missing; give %d numbers", soa_model_nq(m));
    }
    const soa_status status = soa_check_configuration(m, q, error);
    return status == SOA_OK ? soa_check_points(m, points, point, error) : status;
}

soa_status soa_dense_new(const soa_model *model, const double *q, int points, const soa_point *point,
    const soa_allocator *allocator, soa_dense **dense, soa_error *error)
{
    *dense = NULL;
    const soa_status status = check(model, q, points, point, error);
    if (status != SOA_OK) {
        return status;
    }
    const soa_allocator from = allocator ? *allocator : soa_allocator_default();
    soa_dense *d = soa_allocate(&from, 1, sizeof *d);
    if (!d) {
        return soa_fail_memory(error);
    }
    *d = (soa_dense){ .allocator = from, .model = model, .q = q, .points = points };
    d->arena = soa_arena_on(&d->allocator);
    d->n = soa_model_bodies(model);
    d->nv = soa_model_nv(model);
    d->size = soa_all_body_numbers(model);
    bool singular = false, made = soa_dense_links(d, point);
    if (made) {
        rigid_operators(d, &singular);
        articulated_operators(d, &singular);
    }
    d->op[SOA_OP_A] = soa_matrix_zero(&d->arena, 0, 6 * points); /* until it is given */
    for (int op = SOA_OP_I + 1; op < SOA_OPERATORS; op++) {
        made = made && d->op[op].at;
    }
    if (!made) {
        soa_dense_free(d);
        return singular ? soa_fail(error, SOA_E_SINGULAR, -1,
                              "the mass matrix is singular; give every moving link mass or its joint armature")
                        : soa_fail_memory(error);
    }
    *dense = d;
    return SOA_OK;
}

void soa_dense_free(soa_dense *dense)
{
    if (dense) {
        const soa_allocator allocator = dense->allocator;
        soa_arena_free(&dense->arena);
        soa_release(&allocator, dense);
    }
}

void soa_dense_apply(const soa_dense *dense, soa_operator op, bool adjoint, const double *x, double *y)
{
    const soa_matrix A = dense->op[op];
    const int rows = adjoint ? A.cols : A.rows, cols = adjoint ? A.rows : A.cols;
    const int down = adjoint ? 1 : A.cols, across = adjoint ? A.cols : 1; /* steps to the next row and column */
    memset(y, 0, (size_t)rows * sizeof *y);
    for (int j = 0; j < cols; j++) {
        for (int i = 0; x[j] != 0.0 && i < rows; i++) {
            y[i] += (double)A.at[i * down + j * across] * x[j];
        }
    }
}

soa_status soa_dense_operator(const soa_model *model, const double *q, int points, const soa_point *point,
    soa_operator op, bool adjoint, double *matrix, soa_error *error)
{
    if (!matrix) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the matrix is missing");
    }
    if ((unsigned)op >= SOA_OPERATORS || op == SOA_OP_I || op == SOA_OP_A) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "operator %d has no matrix; name one other than I and A", (int)op);
    }
    soa_dense *dense;
    const soa_status status = soa_dense_new(model, q, points, point, NULL, &dense, error);
    if (status != SOA_OK) {
        return status;
    }
    const soa_matrix A = dense->op[op];
    for (int i = 0; i < A.rows; i++) {
        for (int j = 0; j < A.cols; j++) {
            matrix[adjoint ? j * A.rows + i : i * A.cols + j] = (double)*soa_matrix_entry(A, i, j);
        }
    }
    soa_dense_free(dense);
    return SOA_OK;
}
