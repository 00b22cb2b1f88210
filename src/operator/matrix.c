/* operator/matrix.c - dense matrices for the oracle. */
#include "operator/matrix.h"

#include <math.h>
#include <string.h>

/* A pivot below this part of the largest number of the matrix is none. */
#define PIVOT_TOLERANCE 1e-17L

static const soa_matrix none = { 0, 0, NULL };

soa_matrix soa_matrix_zero(soa_arena *arena, int rows, int cols)
{
    soa_number *at = soa_arena_take(arena, (size_t)rows * (size_t)cols, sizeof *at);
    return at ? (soa_matrix){ rows, cols, at } : none;
}

soa_matrix soa_matrix_identity(soa_arena *arena, int n)
{
    const soa_matrix a = soa_matrix_zero(arena, n, n);
    for (int i = 0; a.at && i < n; i++) {
        *soa_matrix_entry(a, i, i) = 1.0L;
    }
    return a;
}

soa_matrix soa_matrix_transpose(soa_arena *arena, soa_matrix a)
{
    const soa_matrix t = a.at ? soa_matrix_zero(arena, a.cols, a.rows) : none;
    for (int i = 0; t.at && i < a.rows; i++) {
        for (int j = 0; j < a.cols; j++) {
            *soa_matrix_entry(t, j, i) = *soa_matrix_entry(a, i, j);
        }
    }
    return t;
}

/* row += s other */
static void add_row(soa_number *row, soa_number s, const soa_number *other, int n)
{
    for (int j = 0; j < n; j++) {
        row[j] += s * other[j];
    }
}

soa_matrix soa_matrix_mul(soa_arena *arena, soa_matrix a, soa_matrix b)
{
    const soa_matrix c = a.at && b.at ? soa_matrix_zero(arena, a.rows, b.cols) : none;
    for (int i = 0; c.at && i < a.rows; i++) {
        for (int k = 0; k < a.cols; k++) {
            const soa_number s = *soa_matrix_entry(a, i, k);
            if (s != 0.0L) {
                add_row(soa_matrix_entry(c, i, 0), s, soa_matrix_entry(b, k, 0), b.cols);
            }
        }
    }
    return c;
}

soa_matrix soa_matrix_add(soa_arena *arena, soa_matrix a, soa_number s, soa_matrix b)
{
    const soa_matrix c = a.at && b.at ? soa_matrix_zero(arena, a.rows, a.cols) : none;
    for (int i = 0; c.at && i < a.rows * a.cols; i++) {
        c.at[i] = a.at[i] + s * b.at[i];
    }
    return c;
}

static void swap_rows(soa_matrix a, int i, int j)
{
    for (int c = 0; i != j && c < a.cols; c++) {
        const soa_number x = *soa_matrix_entry(a, i, c);
        *soa_matrix_entry(a, i, c) = *soa_matrix_entry(a, j, c);
        *soa_matrix_entry(a, j, c) = x;
    }
}

static soa_number largest(soa_matrix a)
{
    soa_number big = 0.0L;
    for (int i = 0; i < a.rows * a.cols; i++) {
        big = fmaxl(big, fabsl(a.at[i]));
    }
    return big;
}

/* The row from k on with the largest number in column k. */
static int pivot_row(soa_matrix a, int k)
{
    int best = k;
    for (int i = k + 1; i < a.rows; i++) {
        if (fabsl(*soa_matrix_entry(a, i, k)) > fabsl(*soa_matrix_entry(a, best, k))) {
            best = i;
        }
    }
    return best;
}

/* Gauss-Jordan: a becomes I, the identity beside it the inverse. */
soa_matrix soa_matrix_inverse(soa_arena *arena, soa_matrix given, bool *singular)
{
    const int n = given.rows;
    const soa_matrix a = given.at ? soa_matrix_zero(arena, n, n) : none;
    const soa_matrix inverse = a.at ? soa_matrix_identity(arena, n) : none;
    if (!inverse.at) {
        return none;
    }
    memcpy(a.at, given.at, (size_t)n * (size_t)n * sizeof *a.at);
    const soa_number smallest = PIVOT_TOLERANCE * largest(a);
    for (int k = 0; k < n; k++) {
        const int row = pivot_row(a, k);
        swap_rows(a, k, row);
        swap_rows(inverse, k, row);
        const soa_number pivot = *soa_matrix_entry(a, k, k);
        if (!(fabsl(pivot) > smallest)) {
            *singular = true;
            return none;
        }
        for (int j = 0; j < n; j++) {
            *soa_matrix_entry(a, k, j) /= pivot;
            *soa_matrix_entry(inverse, k, j) /= pivot;
        }
        for (int i = 0; i < n; i++) {
            const soa_number s = *soa_matrix_entry(a, i, k);
            if (i != k && s != 0.0L) {
                add_row(soa_matrix_entry(a, i, 0), -s, soa_matrix_entry(a, k, 0), n);
                add_row(soa_matrix_entry(inverse, i, 0), -s, soa_matrix_entry(inverse, k, 0), n);
            }
        }
    }
    return inverse;
}

soa_matrix soa_matrix_part(soa_arena *arena, soa_matrix a, int rows, const int *row, int cols, const int *col)
{
    const soa_matrix part = a.at ? soa_matrix_zero(arena, rows, cols) : none;
    for (int i = 0; part.at && i < rows; i++) {
        for (int j = 0; j < cols; j++) {
            *soa_matrix_entry(part, i, j) = *soa_matrix_entry(a, row[i], col[j]);
        }
    }
    return part;
}
