/* flex/reduce_model.c - a flexible link from matrices of finite elements. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "flex/fe.h"

/* ---- is it a model? ---------------------------------------------------------------------------------------- */

static soa_status check_entries(const soa_fe *fe, const soa_fe_matrix *matrix, const char *what, soa_error *error)
{
    for (int i = 0; i < matrix->entries; i++) {
        const int r = matrix->row[i], c = matrix->column[i];
        if (r < 0 || r >= fe->dofs || c < 0 || c >= fe->dofs) {
            return soa_fail(error, SOA_E_ARGUMENT, -1,
                "the %s matrix has row %d, column %d; the model has %d degrees of freedom", what, r + 1, c + 1,
                fe->dofs);
        }
        if (!isfinite(matrix->value[i])) {
            return soa_fail(
                error, SOA_E_NUMBER, -1, "the %s matrix is not finite at row %d, column %d", what, r + 1, c + 1);
        }
    }
    return SOA_OK;
}

static soa_status check_model(const soa_fe *fe, soa_error *error)
{
    if (fe->nodes < 1 || fe->nodes > SOA_MAX_NODES || fe->dofs < 1 || fe->dofs > 6 * fe->nodes) {
        return soa_fail(error, SOA_E_ARGUMENT, -1,
            "a model of %d nodes has %d degrees of freedom; each node has at most six", fe->nodes, fe->dofs);
    }
    for (int i = 0; i < 3 * fe->nodes; i++) {
        if (!isfinite(fe->position[i])) {
            return soa_fail(error, SOA_E_NUMBER, -1, "the position of node %d is not finite", i / 3 + 1);
        }
    }
    for (int i = 0; i < fe->dofs; i++) {
        if (fe->node[i] < 0 || fe->node[i] >= fe->nodes || fe->direction[i] < 0 || fe->direction[i] > 5) {
            return soa_fail(error, SOA_E_ARGUMENT, -1,
                "degree of freedom %d moves node %d in direction %d, which is none", i + 1, fe->node[i] + 1,
                fe->direction[i]);
        }
    }
    const soa_status status = check_entries(fe, &fe->stiffness, "stiffness", error);
    return status == SOA_OK ? check_entries(fe, &fe->mass, "mass", error) : status;
}

/* The six rigid motions of the dofs: 6 x dofs. */
static void rigid_motions(const soa_fe *fe, double *R)
{
    for (int i = 0; i < fe->dofs; i++) {
        const double *r = fe->position + 3 * (size_t)fe->node[i];
        const int d = fe->direction[i] - 3;
        for (int q = 0; q < 3; q++) {
            double *turn = R + (size_t)q * (size_t)fe->dofs, *move = R + (size_t)(q + 3) * (size_t)fe->dofs;
            move[i] = d == q;
            turn[i] = d < 0 ? d + 3 == q : d == (q + 1) % 3 ? -r[(q + 2) % 3] : d == (q + 2) % 3 ? r[(q + 1) % 3] : 0.0;
        }
    }
}

/* Rigid motions take no force, to this much of the stiffness they go through: K R = 0. */
#define NO_FORCE 1e-6

static soa_status check_rigid(soa_arena *arena, const soa_fe *fe, const soa_sparse *K, soa_error *error)
{
    static const char *const motion[6] = { "turns about x", "turns about y", "turns about z", "moves along x",
        "moves along y", "moves along z" };
    double *R = soa_arena_take(arena, 6 * (size_t)fe->dofs, sizeof *R);
    if (!R) {
        return soa_fail_memory(error);
    }
    rigid_motions(fe, R);
    for (int q = 0; q < 6; q++) {
        const double *x = R + (size_t)q * (size_t)fe->dofs;
        for (int r = 0; r < K->n; r++) {
            double force = 0.0, size = 0.0;
            for (int i = K->start[r]; i < K->start[r + 1]; i++) {
                force += K->value[i] * x[K->column[i]];
                size += fabs(K->value[i] * x[K->column[i]]);
            }
            if (!(fabs(force) <= NO_FORCE * size)) {
                return soa_fail(error, SOA_E_ARGUMENT, -1,
                    "the model resists when it %s as a whole, at degree of freedom %d; export it free of supports, "
                    "then name what to clamp",
                    motion[q], r + 1);
            }
        }
    }
    return SOA_OK;
}

/* ---- the reduction ------------------------------------------------------------------------------------------ */

typedef struct reduction {
    soa_arena arena;
    const soa_fe *fe;
    const soa_reduction *wish;
    int *dof;               /* nodes x 6 */
    int *place;             /* of each dof among those that are not clamped, or -1 */
    int left;               /* how many are not clamped */
    soa_fe_interface *rows; /* interfaces, then outputs */
    int count;              /* of them */
    int m;
    double *value, *Pi; /* omega^2; m x left */
} reduction;

/* dof[6 node + direction] is the degree of freedom that moves the node in that direction, or -1. */
static soa_status index_dofs(soa_arena *arena, const soa_fe *fe, int **dof, soa_error *error)
{
    *dof = soa_arena_take(arena, 6 * (size_t)fe->nodes, sizeof **dof);
    if (!*dof) {
        return soa_fail_memory(error);
    }
    memset(*dof, 0xff, 6 * (size_t)fe->nodes * sizeof **dof);
    for (int i = 0; i < fe->dofs; i++) {
        int *at = &(*dof)[6 * (size_t)fe->node[i] + (size_t)fe->direction[i]];
        if (*at >= 0) {
            return soa_fail(error, SOA_E_ARGUMENT, -1, "degrees of freedom %d and %d are the same", *at + 1, i + 1);
        }
        *at = i;
    }
    return SOA_OK;
}

static soa_status clamp(reduction *r, soa_error *error)
{
    soa_fe_group g;
    r->place = soa_arena_take(&r->arena, (size_t)r->fe->dofs, sizeof *r->place);
    if (!r->place) {
        return soa_fail_memory(error);
    }
    const soa_status status = r->wish->clamp ? soa_fe_group_find(r->fe, r->wish->clamp, &g, error) : SOA_OK;
    if (status != SOA_OK) {
        return status;
    }
    for (int i = 0; r->wish->clamp && i < g.count; i++) {
        for (int d = 0; d < 6; d++) {
            const int at = r->dof[6 * (size_t)soa_fe_group_node(&g, i) + (size_t)d];
            if (at >= 0) {
                r->place[at] = -1;
            }
        }
    }
    for (int i = 0; i < r->fe->dofs; i++) {
        r->place[i] = r->place[i] < 0 ? -1 : r->left++;
    }
    return r->left > 0 ? SOA_OK : soa_fail(error, SOA_E_ARGUMENT, -1, "'%.80s' clamps all nodes", r->wish->clamp);
}

/* Interface i or, after them, an output. */
static const char *name_of(const soa_reduction *wish, int i)
{
    return i < wish->interfaces ? wish->interface[i] : wish->output[i - wish->interfaces];
}

static soa_status find_interfaces(reduction *r, soa_error *error)
{
    const soa_reduction *wish = r->wish;
    r->rows = soa_arena_take(&r->arena, (size_t)wish->interfaces + (size_t)wish->outputs, sizeof *r->rows);
    soa_status status = r->rows ? SOA_OK : soa_fail_memory(error);
    for (int i = 0; status == SOA_OK && i < wish->interfaces + wish->outputs; i++, r->count++) {
        soa_fe_group g;
        status = soa_fe_group_find(r->fe, name_of(wish, i), &g, error);
        SOA_NEXT(status, soa_fe_interface_make(&r->arena, r->fe, r->dof, &g, &r->rows[i], error));
    }
    return status;
}

/* Forces and moments at the interfaces: the transposed rows. Those that only press on clamped nodes are left out. */
static soa_status interface_loads(reduction *r, soa_clamped *clamped, soa_error *error)
{
    const size_t n = (size_t)r->left;
    clamped->load = soa_arena_take(&r->arena, 6 * (size_t)r->wish->interfaces * n, sizeof(double));
    if (!clamped->load) {
        return soa_fail_memory(error);
    }
    for (int row = 0; row < 6 * r->wish->interfaces; row++) {
        const double *from = r->rows[row / 6].row + (size_t)(row % 6) * (size_t)r->fe->dofs;
        double *to = clamped->load + (size_t)clamped->loads * n;
        bool any = false;
        for (int i = 0; i < r->fe->dofs; i++) {
            if (r->place[i] >= 0) {
                to[r->place[i]] = from[i];
                any = any || from[i] != 0.0;
            }
        }
        clamped->loads += any;
    }
    return SOA_OK;
}

static soa_status find_modes(reduction *r, soa_error *error)
{
    soa_clamped clamped = { .modes = r->wish->modes, .solver = r->wish->solver };
    soa_sparse whole;
    soa_status status = soa_sparse_make(&r->arena, &r->fe->stiffness, NULL, r->fe->dofs, "stiffness", &whole, error);
    status = status == SOA_OK && r->wish->clamp ? check_rigid(&r->arena, r->fe, &whole, error) : status;
    SOA_NEXT(status, soa_sparse_make(&r->arena, &r->fe->stiffness, r->place, r->left, "stiffness", &clamped.K, error));
    SOA_NEXT(status, soa_sparse_make(&r->arena, &r->fe->mass, r->place, r->left, "mass", &clamped.M, error));
    SOA_NEXT(status, interface_loads(r, &clamped, error));
    return status == SOA_OK ? soa_clamped_modes(&r->arena, &clamped, &r->m, &r->value, &r->Pi, error) : status;
}

/* Nodes of a link are counted, so one whose name is a number gets a letter: 105 is n105. */
static const char *node_name(soa_arena *arena, const char *name)
{
    const bool number = name[strspn(name, "0123456789")] == '\0';
    const size_t length = strlen(name);
    char *text = soa_arena_take(arena, length + 2, 1);
    if (text) {
        text[0] = 'n';
        memcpy(text + number, name, length + 1);
    }
    return text;
}

static soa_status fill_link(reduction *r, soa_flexible_block *block, soa_error *error)
{
    const soa_fe *fe = r->fe;
    const size_t m = (size_t)r->m, dofs = (size_t)fe->dofs;
    const char **names = soa_arena_take(&block->arena, (size_t)r->count, sizeof *names);
    double *U = soa_arena_take(&r->arena, dofs * m, sizeof *U);
    soa_mass_points points = { fe->nodes, fe->dofs, r->m, fe->position, fe->node, fe->direction, { 0 }, U, NULL };
    if (!U || !names) {
        return soa_fail_memory(error);
    }
    for (size_t i = 0; i < dofs; i++) {
        for (size_t k = 0; k < m && r->place[i] >= 0; k++) {
            U[i * m + k] = r->Pi[k * (size_t)r->left + (size_t)r->place[i]];
        }
    }
    block->data.node_name = names;
    for (int i = 0; i < r->count; i++) {
        if (!(names[i] = node_name(&block->arena, name_of(r->wish, i)))) {
            return soa_fail_memory(error);
        }
        memcpy(soa_numbers_of(block->data.position) + 3 * i, r->rows[i].centre, 3 * sizeof(double));
        for (size_t k = 0; k < 6 * m * dofs; k++) {
            const size_t q = k / (m * dofs), mode = k / dofs % m, at = k % dofs;
            soa_numbers_of(block->data.shape)[((size_t)i * m + mode) * 6 + q] +=
                r->rows[i].row[q * dofs + at] * U[at * m + mode];
        }
    }
    soa_flexible_springs(block, r->value, r->wish->damping);
    const soa_status status = soa_sparse_make(&r->arena, &fe->mass, NULL, fe->dofs, "mass", &points.M, error);
    return status == SOA_OK ? soa_modal_integrals(&r->arena, &points, block, error) : status;
}

static soa_status reduce(reduction *r, const soa_allocator *allocator, soa_flexible **flexible, soa_error *error)
{
    soa_status status = index_dofs(&r->arena, r->fe, &r->dof, error);
    SOA_NEXT(status, clamp(r, error));
    SOA_NEXT(status, find_interfaces(r, error));
    SOA_NEXT(status, find_modes(r, error));
    if (status != SOA_OK) {
        return status;
    }
    soa_flexible_block *block = soa_flexible_new(allocator, r->m, r->count, false);
    return soa_flexible_give(block, block ? fill_link(r, block, error) : SOA_OK, flexible, error);
}

soa_status soa_flexible_reduce(const soa_fe *fe, const soa_reduction *wish, const soa_allocator *allocator,
    soa_flexible **flexible, soa_error *error)
{
    const soa_allocator usual = soa_allocator_default();
    soa_error_clear(error);
    if (!fe || !wish || !flexible) {
        return soa_fail_null(error, !fe ? "the model" : !wish ? "the reduction" : "the place of the link");
    }
    *flexible = NULL;
    reduction r = { .arena = soa_arena_on(allocator ? allocator : &usual), .fe = fe, .wish = wish };
    soa_status status = soa_reduction_check(wish, error);
    SOA_NEXT(status, check_model(fe, error));
    SOA_NEXT(status, reduce(&r, allocator, flexible, error));
    soa_arena_free(&r.arena);
    return status;
}
