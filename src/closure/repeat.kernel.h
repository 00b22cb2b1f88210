/* closure/repeat.kernel.h - rows that repeat others.
 *
 * Where fronts hold bodies, rows that no joint has yielded to may be as many as there are loops: of the rows of rungs that
 * hold two rails in one plane those of the last rung say all that those before it say. So these are dropped early. */
#ifndef SOA_CLOSURE_REPEAT_KERNEL_H
#define SOA_CLOSURE_REPEAT_KERNEL_H

#include "closure/block.kernel.h"

/* Fewer are left alone. */
enum { MANY_ROWS = 6 };

#define REPEATED 1e-24 /* a square: what is left of a row that others repeat */

/* Rows as vectors y = (Y; columns of held bodies), made orthogonal: r = sum t_j y_j. */
typedef struct repeating {
    int *column; /* of the front, newest first */
    int rows, dim, basis;
    double *r, *t; /* rows x dim, rows x rows: those of the basis come first */
} repeating;

/* When a row came in: the turn of that of its bodies that is left behind first. */
static int came_at(const soa_closures *set, int row)
{
    const soa_tie *tie = &set->tie[set->row[row].tie];
    const int a = tie->end[0].node, b = tie->end[1].node;
    if (a == SOA_NO_NODE || b == SOA_NO_NODE) {
        return set->node[a == SOA_NO_NODE ? b : a].turn;
    }
    return set->node[a].turn < set->node[b].turn ? set->node[a].turn : set->node[b].turn;
}

/* Puts a column into the list, before those that are older. */
static void list_column(const soa_closures *set, const soa_front *front, int column, const repeating *x)
{
    int at = x->rows;
    for (; at > 0 && came_at(set, front->row[x->column[at - 1]]) < came_at(set, front->row[column]); at--) {
        x->column[at] = x->column[at - 1];
    }
    x->column[at] = column;
}

/* Rows with both ends in and no compliance. */
static bool find_repeating(soa_closures *set, const soa_front *front, const solving *s, repeating *x)
{
    int held = 0;
    x->column = soa_stack_borrow(&set->stack, (size_t)front->rows, sizeof *x->column);
    x->rows = x->basis = 0;
    for (int j = 0; x->column && j < front->rows; j++) {
        const double d = front->L[(size_t)j * (size_t)front->width + (size_t)j];
        held += soa_is_held(set, front->row[j]);
        if (!s->gone[j] && front->missing[j] == 0 && d <= set->least_pivot * front->scale[j]) {
            list_column(set, front, j, x);
            x->rows++;
        }
    }
    if (x->rows <= MANY_ROWS) {
        return false;
    }
    x->dim = 6 + held;
    x->r = soa_stack_borrow(&set->stack, (size_t)x->rows * (size_t)(x->dim + x->rows), sizeof *x->r);
    x->t = x->r + (x->r ? x->rows * x->dim : 0);
    return x->r != NULL;
}

/* Row i of the list as a vector, in units in which free bodies yield alike, into the place behind the basis. */
static void put_repeating(
    const soa_closures *set, const soa_front *front, const node_load *load, const repeating *x, int i)
{
    const int j = x->column[i];
    double *r = x->r + x->basis * x->dim, *t = x->t + x->basis * x->rows;
    const double *L = front->L + (size_t)j * (size_t)front->width;
    for (int c = 0; c < 6; c++) {
        *r++ = front->Y[c * front->width + j] * sqrt(c < 3 ? load->by.turn : load->by.shift);
    }
    for (int c = 0; c < front->rows; c++) {
        if (soa_is_held(set, front->row[c])) {
            *r++ = L[c] * sqrt(held_yielding(set, front->row[c]));
        }
    }
    memset(t, 0, (size_t)x->rows * sizeof *t);
    t[i] = 1.0;
}

static double dot_of(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* Takes the basis out of the vector behind it, twice; whether nothing is left. */
static bool repeats(const repeating *x)
{
    double *r = x->r + x->basis * x->dim, *t = x->t + x->basis * x->rows;
    const double before = dot_of(x->dim, r, r);
    for (int k = 0; k < 2 * x->basis; k++) {
        const double *b = x->r + k % x->basis * x->dim, *u = x->t + k % x->basis * x->rows;
        const double f = dot_of(x->dim, r, b) / dot_of(x->dim, b, b);
        for (int i = 0; i < x->dim; i++) {
            r[i] -= f * b[i];
        }
        for (int i = 0; i < x->rows; i++) {
            t[i] -= f * u[i];
        }
    }
    return !(dot_of(x->dim, r, r) > REPEATED * before);
}

/* Notes the row as one that depends on others: sum t_j row_j is nothing. */
static void drop_row(soa_closures *set, const soa_front *front, const solving *s, const repeating *x, soa_pivot *pivot)
{
    const double *t = x->t + x->basis * x->rows;
    double c = 0.0;
    for (int i = 0; i < x->rows; i++) {
        c += t[i] * front->c[x->column[i]];
    }
    for (int i = 0; i < x->rows; i++) {
        pivot->L[x->column[i]] = t[i];
    }
    pivot->c = c;
    pivot->L[pivot->at] = 0.0;
    s->stays[pivot->at] = 0.0;
    s->gone[pivot->at] = true;
    set->last.dependent++;
}

static void drop_repeated(
    soa_closures *set, int node, const soa_front *front, const solving *s, const node_load *load, soa_block **block)
{
    repeating x;
    if (!find_repeating(set, front, s, &x)) {
        return;
    }
    for (int i = 0; i < x.rows; i++) {
        put_repeating(set, front, load, &x, i);
        if (!repeats(&x)) {
            x.basis++;
            continue;
        }
        *block = *block ? *block : block_with_room(set, node, front);
        if (!*block) {
            return;
        }
        soa_pivot *pivot = &(*block)->pivot[(*block)->pivots++];
        make_pivot(set, front, x.column[i], true, s, pivot);
        drop_row(set, front, s, &x, pivot);
    }
}

#endif
