/* expr/run_tree.c - the tree that graphs run on: the bodies on each body, the points, and the constraints. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "expr/run.h"

bool soa_run_tree_new(soa_run_tree *tree, soa_arena *arena, const soa_model *m, int points)
{
    const size_t n = (size_t)m->bodies;
    tree->child = soa_arena_take(arena, n + 1, sizeof *tree->child);
    tree->sibling = soa_arena_take(arena, n + 1, sizeof *tree->sibling);
    tree->point = soa_arena_take(arena, n + 1, sizeof *tree->point);
    tree->next_point = soa_arena_take(arena, (size_t)points + 1, sizeof *tree->next_point);
    if (!tree->child || !tree->sibling || !tree->point || !tree->next_point) {
        return false;
    }
    memset(tree->child, -1, n * sizeof *tree->child);
    memset(tree->sibling, -1, n * sizeof *tree->sibling);
    for (int k = 0; k < m->bodies; k++) {
        const int p = m->body[k].parent;
        if (p >= 0) {
            tree->sibling[k] = tree->child[p];
            tree->child[p] = k;
        }
    }
    return true;
}

void soa_run_tree_points(soa_run_tree *tree, const soa_model *m, int points, const soa_point *point)
{
    memset(tree->point, -1, ((size_t)m->bodies + 1) * sizeof *tree->point);
    for (int i = points - 1; i >= 0; i--) {
        int *first = &tree->point[point[i].link == SOA_WORLD ? 0 : m->place[point[i].link].body + 1];
        tree->next_point[i] = *first;
        *first = i;
    }
}

soa_status soa_run_tree_constrain(
    soa_run_tree *tree, const soa_allocator *allocator, int rows, int points, const double *matrix, soa_error *error)
{
    const size_t n = (size_t)(rows > 0 ? rows : 0) * 6 * (size_t)(points > 0 ? points : 0);
    if (rows < 0 || points < 0 || (n > 0 && !matrix)) {
        return soa_fail(
            error, SOA_E_ARGUMENT, -1, "A has %d rows for %d points, or its matrix is missing", rows, points);
    }
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(matrix[i])) {
            return soa_fail(error, SOA_E_NUMBER, -1, "row %d of A: %g is not finite; give finite numbers",
                (int)(i / (6 * (size_t)points)), matrix[i]);
        }
    }
    double *copy = soa_allocate(allocator, n + 1, sizeof *copy);
    if (!copy) {
        return soa_fail_memory(error);
    }
    if (n > 0) {
        memcpy(copy, matrix, n * sizeof *copy);
    }
    soa_release(allocator, tree->constraint);
    tree->constraint = copy;
    tree->constraints = rows;
    return SOA_OK;
}
