/* system/system.c - the motions that couplings and closures allow at a state.
 *
 *     J v = U,   v = S v_independent (independent.c) */
#include "system/system.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "model/model.h"
#include "soa/linear.h"

/* ---- memory ------------------------------------------------------------------------------- */

/* Gives every matrix its place in the block; how many numbers they have. at NULL: only counts. */
static size_t place(soa_system *s, double *at)
{
    const size_t nv = s->nv, rows = s->rows, square = nv * (nv + 8); /* also for a few vectors */
    size_t used = 0;
#define PLACE(field, count)         \
    s->field = at ? at + used : at; \
    used += (count)
    PLACE(S, square);
    PLACE(dS, square);
    PLACE(J, rows * nv);
    PLACE(J_dot, rows * nv);
    PLACE(R, rows * nv);
    PLACE(Z, rows * nv);
    PLACE(E, rows * rows);
    PLACE(M, square);
    PLACE(N, square);
    PLACE(W, square);
    PLACE(A, 4 * square);
    PLACE(B, 2 * square);
    PLACE(AX, 4 * square);
    PLACE(X, 4 * square);
#undef PLACE
    return used;
}

/* Vectors are pieces of an arena. Matrices are many numbers: nothing writes to them before they are used. */
static bool take_memory(soa_system *s)
{
    const size_t nv = s->nv;
    double **const vector[] = { &s->q, &s->v, &s->x, &s->y, &s->Q, &s->T, &s->weight };
    const size_t count[] = { s->nq, nv, nv + s->rows, nv + s->rows, nv, nv, nv };
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
        *vector[i] = soa_arena_take(&s->arena, count[i], sizeof **vector[i]);
    }
    s->independent = soa_arena_take(&s->arena, nv, sizeof *s->independent);
    s->solved_by = soa_arena_take(&s->arena, nv, sizeof *s->solved_by);
    s->preferred = soa_arena_take(&s->arena, nv, sizeof *s->preferred);
    s->block = soa_allocate(&s->allocator, place(s, NULL) + 1, sizeof *s->block);
    (void)place(s, s->block);
    return s->block && !s->arena.failed;
}

/* Followers of couplings have no motor of their own. */
static void set_weights(soa_system *s)
{
    for (size_t i = 0; i < s->nv; i++) {
        s->weight[i] = 1.0;
    }
    for (int i = 0; i < soa_model_couplings(s->model); i++) {
        const int body = soa_model_joint_body(s->model, soa_model_coupling(s->model, i)->link);
        s->weight[soa_model_body(s->model, body).v] = (double)INFINITY;
    }
}

static soa_status make_forces(soa_system *s, soa_error *error)
{
    const int count = soa_forces_of_model(s->model, 0, NULL);
    soa_force *force = soa_allocate(&s->allocator, (size_t)count + 1, sizeof *force);
    if (!force) {
        return soa_fail_memory(error);
    }
    (void)soa_forces_of_model(s->model, count, force);
    const soa_status status = soa_forces_new(s->model, count, force, &s->allocator, &s->forces, error);
    soa_release(&s->allocator, force);
    return status;
}

static soa_status make(soa_system *s, soa_error *error)
{
    soa_status status = soa_closures_new(1, &s->model, NULL, &s->allocator, &s->set, error);
    SOA_NEXT(status, soa_closures_reserve_derivatives(s->set, error));
    SOA_NEXT(status, make_forces(s, error));
    SOA_NEXT(status, soa_workspace_new(s->model, &s->allocator, &s->workspace, error));
    if (status != SOA_OK) {
        return status;
    }
    s->rows = (size_t)soa_closures_rows(s->set);
    if (!take_memory(s)) {
        return soa_fail_memory(error);
    }
    set_weights(s);
    soa_model_neutral(s->model, s->q);
    status = soa_system_set(s, s->q, NULL, error);
    return status == SOA_E_CLOSURE ? SOA_OK : status; /* tolerances may yet be set */
}

soa_status soa_system_new(const soa_model *model, const soa_allocator *allocator, soa_system **system, soa_error *error)
{
    if (!model || !system) {
        return soa_fail_null(error, "the model or the system");
    }
    *system = NULL;
    const int nv = soa_model_nv(model);
    if (nv > SOA_SYSTEM_MAX_NV) {
        return soa_fail(error, SOA_E_LIMIT, -1, "%d velocities; a system has at most %d; use soa_closures_new", nv,
            SOA_SYSTEM_MAX_NV);
    }
    const soa_allocator from = allocator ? *allocator : model->allocator;
    soa_system *s = soa_allocate(&from, 1, sizeof *s);
    if (!s) {
        return soa_fail_memory(error);
    }
    *s = (soa_system){ .allocator = from, .model = model, .nq = (size_t)soa_model_nq(model), .nv = (size_t)nv };
    s->arena = soa_arena_on(&s->allocator);
    const soa_status status = make(s, error);
    if (status != SOA_OK) {
        soa_system_free(s);
        return status;
    }
    *system = s;
    return SOA_OK;
}

void soa_system_free(soa_system *s)
{
    if (!s) {
        return;
    }
    const soa_allocator from = s->allocator;
    soa_closures_free(s->set);
    soa_forces_free(s->forces);
    soa_workspace_free(s->workspace);
    soa_arena_free(&s->arena);
    soa_release(&from, s->block);
    soa_release(&from, s);
}

/* ---- products ------------------------------------------------------------------------------- */

void soa_system_project(const soa_system *s, const double *x, double *y)
{
    for (size_t j = 0; j < s->dofs; j++) { /* y may be NULL where there are none */
        y[j] = 0.0;
    }
    soa_add_transposed(s->nv, s->dofs, 1.0, s->S, x, y);
}

void soa_system_column(const soa_system *s, size_t j, double *x)
{
    for (size_t i = 0; i < s->nv; i++) {
        x[i] = s->S[i * s->dofs + j];
    }
}

/* ---- velocities and accelerations ----------------------------------------------------------------- */

void soa_system_follow(const soa_system *s, const double *r, double *y)
{
    const size_t rows = (size_t)soa_closures_rows(s->set);
    for (size_t i = 0; i < s->nv; i++) {
        for (size_t k = 0; k < rows && s->solved_by[i] >= 0; k++) {
            y[i] -= s->E[(size_t)s->solved_by[i] * rows + k] * r[k];
        }
    }
}

soa_status soa_system_set(soa_system *s, const double *q, const double *v, soa_error *error)
{
    if (!s || !q) {
        return soa_fail_null(error, "the system or q");
    }
    memmove(s->q, q, s->nq * sizeof *q);
    soa_status status = soa_closure_jacobian(s->set, 1, s->q, s->J, error);
    SOA_NEXT(status, soa_system_find_motion(s, error));
    if (status != SOA_OK) {
        return status;
    }
    for (size_t i = 0; i < s->nv; i++) {
        s->v[i] = v && s->solved_by[i] < 0 ? v[i] : 0.0;
    }
    const soa_status placed = soa_closure_violation(s->set, 1, s->q, s->v, NULL, s->x, error);
    if (placed != SOA_OK) {
        return placed;
    }
    soa_system_follow(s, s->x, s->v);
    memset(s->Q, 0, s->nv * sizeof *s->Q);
    const soa_status moves = soa_system_result(s, placed, "v", s->v, s->nv, error);
    return moves == SOA_OK ? soa_forces_apply(s->forces, 0.0, s->q, s->v, s->Q, NULL, NULL, error) : moves;
}

const double *soa_system_total(soa_system *s, const double *T)
{
    for (size_t i = 0; i < s->nv; i++) {
        s->T[i] = (T ? T[i] : 0.0) + s->Q[i];
    }
    return s->T;
}

soa_status soa_system_acceleration(soa_system *s, const double *vdot, double *all, soa_error *error)
{
    if (!s || (!all && s->nv > 0)) {
        return soa_fail_null(error, "the system or a result");
    }
    const size_t rows = (size_t)soa_closures_rows(s->set);
    for (size_t i = 0; i < s->nv; i++) {
        all[i] = vdot && s->solved_by[i] < 0 ? vdot[i] : 0.0;
    }
    const soa_status status = soa_closure_bias(s->set, 1, s->q, s->v, s->x, error);
    soa_multiply(rows, s->nv, s->J, all, s->y);
    for (size_t k = 0; k < rows; k++) {
        s->x[k] += s->y[k];
    }
    soa_system_follow(s, s->x, all);
    return soa_system_result(s, status, "vdot", all, s->nv, error);
}

soa_status soa_system_rate(soa_system *s, const double *x, soa_error *error)
{
    return soa_closure_jacobian_rate(s->set, 1, s->q, x, s->J_dot, error);
}

void soa_system_motion_rate(soa_system *s)
{
    const size_t rows = (size_t)soa_closures_rows(s->set);
    for (size_t j = 0; j < s->dofs; j++) {
        for (size_t k = 0; k < rows; k++) {
            s->x[k] = 0.0;
            for (size_t i = 0; i < s->nv; i++) {
                s->x[k] += s->J_dot[k * s->nv + i] * s->S[i * s->dofs + j];
            }
        }
        memset(s->y, 0, s->nv * sizeof *s->y);
        soa_system_follow(s, s->x, s->y);
        for (size_t i = 0; i < s->nv; i++) {
            s->dS[i * s->dofs + j] = s->y[i];
        }
    }
}

void soa_system_prefer(soa_system *s, const bool *preferred)
{
    for (size_t i = 0; i < s->nv; i++) {
        s->preferred[i] = preferred && preferred[i];
    }
}

/* ---- what it is --------------------------------------------------------------------------------------- */

soa_closures *soa_system_closures(soa_system *s)
{
    return s->set;
}

soa_forces *soa_system_forces(soa_system *s)
{
    return s->forces;
}

const double *soa_system_joint_forces(const soa_system *s)
{
    return s->Q;
}

int soa_system_dofs(const soa_system *s)
{
    return (int)s->dofs;
}

const int *soa_system_independent(const soa_system *s)
{
    return s->independent;
}

const double *soa_system_velocity(const soa_system *s)
{
    return s->v;
}

void soa_system_motion(const soa_system *s, double *S)
{
    memcpy(S, s->S, s->nv * s->dofs * sizeof *S);
}
