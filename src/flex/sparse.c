/* flex/sparse.c - sparse symmetric matrices from entries. */
#include <math.h>

#include "core/error.h"
#include "flex/fe.h"

/* Entries to be sorted: those that stay, at their new places, mirrored if each pair was given once. */
typedef struct entries {
    int count;
    int *row, *column;
    double *value;
} entries;

static bool take_entries(soa_arena *arena, size_t count, entries *e)
{
    e->row = soa_arena_take(arena, count, sizeof *e->row);
    e->column = soa_arena_take(arena, count, sizeof *e->column);
    e->value = soa_arena_take(arena, count, sizeof *e->value);
    return e->row && e->column && e->value;
}

static void put(entries *e, int row, int column, double value)
{
    e->row[e->count] = row;
    e->column[e->count] = column;
    e->value[e->count++] = value;
}

static void gather(const soa_fe_matrix *matrix, const int *place, entries *e)
{
    for (int i = 0; i < matrix->entries; i++) {
        const int r = place ? place[matrix->row[i]] : matrix->row[i];
        const int c = place ? place[matrix->column[i]] : matrix->column[i];
        if (r >= 0 && c >= 0) {
            put(e, r, c, matrix->value[i]);
            if (r != c && !matrix->both) {
                put(e, c, r, matrix->value[i]);
            }
        }
    }
}

/* `to` gets the entries in the order of their key, equal keys in the order they had. start: n + 1 numbers. */
static void sort_by(const entries *from, const int *key, int n, int *start, entries *to)
{
    for (int i = 0; i <= n; i++) {
        start[i] = 0;
    }
    for (int i = 0; i < from->count; i++) {
        start[key[i] + 1]++;
    }
    for (int i = 0; i < n; i++) {
        start[i + 1] += start[i];
    }
    for (int i = 0; i < from->count; i++) {
        const int at = start[key[i]]++;
        to->row[at] = from->row[i];
        to->column[at] = from->column[i];
        to->value[at] = from->value[i];
    }
    to->count = from->count;
}

/* Entries that are sorted by row, then column: those at one place become one. */
static void merge(const entries *e, soa_sparse *s)
{
    int count = 0, i = 0;
    for (int r = 0; r < s->n; r++) {
        s->start[r] = count;
        for (; i < e->count && e->row[i] == r; i++) {
            if (count > s->start[r] && s->column[count - 1] == e->column[i]) {
                s->value[count - 1] += e->value[i];
            } else {
                s->column[count] = e->column[i];
                s->value[count++] = e->value[i];
            }
        }
    }
    s->start[s->n] = count;
}

/* The place of (row, column), or -1. */
static int find(const soa_sparse *s, int row, int column)
{
    int low = s->start[row], high = s->start[row + 1] - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (s->column[middle] < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == high && s->column[low] == column ? low : -1;
}

/* Files have rounded numbers: both halves must agree to this much of the larger diagonal. Their mean is taken. */
#define AGREE 1e-6

static soa_status make_symmetric(soa_sparse *s, const char *what, soa_error *error)
{
    for (int r = 0; r < s->n; r++) {
        for (int i = s->start[r]; i < s->start[r + 1]; i++) {
            const int c = s->column[i], other = find(s, c, r), rr = find(s, r, r), cc = find(s, c, c);
            const double mirrored = other < 0 ? 0.0 : s->value[other];
            const double scale = fmax(rr < 0 ? 0.0 : fabs(s->value[rr]), cc < 0 ? 0.0 : fabs(s->value[cc]));
            if (!(fabs(s->value[i] - mirrored) <= AGREE * scale)) {
                return soa_fail(error, SOA_E_ARGUMENT, -1,
                    "the %s matrix is not symmetric: %g at row %d, column %d, but %g mirrored; export it symmetric",
                    what, s->value[i], r + 1, c + 1, mirrored);
            }
            if (other >= 0 && c > r) {
                s->value[i] = s->value[other] = 0.5 * (s->value[i] + mirrored);
            }
        }
    }
    return SOA_OK;
}

soa_status soa_sparse_make(soa_arena *arena, const soa_fe_matrix *matrix, const int *place, int n, const char *what,
    soa_sparse *sparse, soa_error *error)
{
    const size_t most = (size_t)matrix->entries * (matrix->both ? 1 : 2);
    entries given = { 0 }, by_column = { 0 }, by_row = { 0 };
    sparse->n = n;
    sparse->start = soa_arena_take(arena, (size_t)n + 1, sizeof *sparse->start);
    sparse->column = soa_arena_take(arena, most, sizeof *sparse->column);
    sparse->value = soa_arena_take(arena, most, sizeof *sparse->value);
    if (!sparse->start || !sparse->column || !sparse->value || !take_entries(arena, most, &given) ||
        !take_entries(arena, most, &by_column) || !take_entries(arena, most, &by_row)) {
        return soa_fail_memory(error);
    }
    gather(matrix, place, &given);
    sort_by(&given, given.column, n, sparse->start, &by_column);
    sort_by(&by_column, by_column.row, n, sparse->start, &by_row);
    merge(&by_row, sparse);
    return matrix->both ? make_symmetric(sparse, what, error) : SOA_OK;
}

void soa_sparse_apply(const soa_sparse *A, const double *x, double *y)
{
    for (int r = 0; r < A->n; r++) {
        double sum = 0.0;
        for (int i = A->start[r]; i < A->start[r + 1]; i++) {
            sum += A->value[i] * x[A->column[i]];
        }
        y[r] = sum;
    }
}
