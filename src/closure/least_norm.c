/* closure/least_norm.c - multipliers of redundant rows: of all that fit, the smallest.
 *
 * A row r that depends on others has a vector n of multipliers, n_r = 1, that does nothing:
 *     n_e = -(L_e n) / L_ee    of the rows e solved where r was in the front.
 * These vectors, rows of N at unit length, span all that may be added; their part is taken off,
 *     lambda -= N* (N N*)^-1 N lambda
 * N N* is factored inside its envelope: vectors that share no rows have nothing to do with each other, so a chain of
 * loops costs each the same. */
#include <math.h>
#include <string.h>

#include "closure/closure.h"

/* Smaller parts of n are rounding. */
#define NO_PART 1e-14

/* n over the pivots of a block, those before `from`; the lowest block that has a row of n, so far `lowest`. */
static int spread_block(soa_closures *set, int b, int from, int lowest)
{
    const soa_block *block = &set->fronts.block[b];
    for (int i = from - 1; i >= 0; i--) {
        const soa_pivot *p = &block->pivot[i];
        double sum = 0.0;
        for (int j = 0; p->inverse != 0.0 && j < block->rows; j++) {
            sum += p->L[j] * set->fronts.null[block->row[j]];
        }
        const int row = block->row[p->at];
        const double n = p->inverse * sum;
        if (fabs(n) > NO_PART) {
            set->fronts.null[row] = -n;
            lowest = set->fronts.first_block[row] < lowest ? set->fronts.first_block[row] : lowest;
        }
    }
    return lowest;
}

/* Numbers of rows of the blocks lowest .. highest, in `row`; where marks them. */
static int gather_rows(soa_closures *set, int lowest, int highest, int *row)
{
    int count = 0;
    for (int b = lowest; b <= highest; b++) {
        for (int j = 0; j < set->fronts.block[b].rows; j++) {
            const int r = set->fronts.block[b].row[j];
            if (set->fronts.where[r] < 0 && set->fronts.null[r] != 0.0) {
                set->fronts.where[r] = count;
                row[count++] = r;
            }
        }
    }
    return count;
}

/* Keeps n at unit length, the vector number `index`; NULL: no room. */
static soa_null_vector *keep_vector(soa_closures *set, int count, const int *row, int index)
{
    soa_null_vector *vector = soa_stack_take(&set->stack, 1, sizeof *vector);
    int *rows = soa_stack_take(&set->stack, (size_t)count, sizeof *rows);
    double *x = soa_stack_take(&set->stack, (size_t)count, sizeof *x), square = 0.0;
    if (set->stack.overflow) {
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        square += set->fronts.null[row[i]] * set->fronts.null[row[i]];
    }
    *vector = (soa_null_vector){ .rows = count, .first = index, .row = rows, .x = x };
    for (int i = 0; i < count; i++) {
        int *first = &set->fronts.null_first[row[i]];
        *first = *first < 0 ? index : *first;
        vector->first = *first < vector->first ? *first : vector->first;
        rows[i] = row[i];
        x[i] = set->fronts.null[row[i]] / sqrt(square);
    }
    return vector;
}

/* Whether the row is missed by too much; then so are those that it depends on. */
static void judge(soa_closures *set, double missed, int count, const int *row)
{
    double scale = 0.0, largest = 0.0;
    for (int i = 0; i < count; i++) {
        const double n = fabs(set->fronts.null[row[i]]);
        scale = fmax(scale, n * set->row[row[i]].weight);
        largest = fmax(largest, n);
    }
    set->last.inconsistency = fmax(set->last.inconsistency, missed);
    if (missed > SOA_CONTRADICTION * scale) {
        set->last.contradiction = true;
        for (int i = 0; i < count; i++) {
            set->last.contrary[row[i]] = set->last.contrary[row[i]] || fabs(set->fronts.null[row[i]]) > 1e-6 * largest;
        }
    }
}

/* The vector of one dependent row: pivot i of block b. */
static soa_null_vector *treat(soa_closures *set, int b, int i, int index)
{
    const soa_block *block = &set->fronts.block[b];
    const soa_pivot *pivot = &block->pivot[i];
    int lowest = set->fronts.first_block[block->row[pivot->at]];
    int *row = (int *)(void *)set->scratch.vector; /* room for 8 numbers per row */
    for (int j = 0; j < block->rows; j++) {        /* rows that are not solved yet, on which it depends */
        if (fabs(pivot->L[j]) > NO_PART) {
            set->fronts.null[block->row[j]] = pivot->L[j];
            lowest = set->fronts.first_block[block->row[j]] < lowest ? set->fronts.first_block[block->row[j]] : lowest;
        }
    }
    set->fronts.null[block->row[pivot->at]] = 1.0;
    lowest = spread_block(set, b, i, lowest);
    for (int at = b - 1; at >= lowest; at--) {
        lowest = spread_block(set, at, set->fronts.block[at].pivots, lowest);
    }
    const int count = gather_rows(set, lowest, b, row);
    judge(set, fabs(pivot->c), count, row);
    soa_null_vector *vector = keep_vector(set, count, row, index);
    for (int j = 0; j < count; j++) {
        set->fronts.where[row[j]] = -1;
        set->fronts.null[row[j]] = 0.0;
    }
    return vector;
}

void soa_dependent_rows(const soa_closures *set, bool *depends)
{
    if (set->last.dense) {
        memcpy(depends, set->last.depends, (size_t)set->rows * sizeof *depends);
        return;
    }
    memset(depends, 0, (size_t)set->rows * sizeof *depends);
    for (int b = 0; b < set->fronts.blocks; b++) {
        const soa_block *block = &set->fronts.block[b];
        for (int i = 0; i < block->pivots; i++) {
            depends[block->row[block->pivot[i].at]] = block->pivot[i].inverse == 0.0;
        }
    }
}

static double along(const soa_null_vector *n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n->rows; i++) {
        sum += n->x[i] * x[n->row[i]];
    }
    return sum;
}

/* x (by row) += by n */
static void add_vector(const soa_null_vector *n, double by, double *x)
{
    for (int i = 0; i < n->rows; i++) {
        x[n->row[i]] += by * n->x[i];
    }
}

/* The lower factor of N N*, row i from column first on, diagonal included; *row[i] is where column 0 would be. */
static bool factor_vectors(soa_closures *set, int count, soa_null_vector *const *n, double **row)
{
    for (int i = 0; i < count; i++) {
        double *G = soa_stack_take(&set->stack, (size_t)(i - n[i]->first + 1), sizeof *G);
        if (!G) {
            return false;
        }
        row[i] = G;
        add_vector(n[i], 1.0, set->fronts.null);
        for (int j = n[i]->first; j <= i; j++) {
            double sum = along(n[j], set->fronts.null);
            const int from = n[j]->first > n[i]->first ? n[j]->first : n[i]->first;
            for (int k = from; k < j; k++) {
                sum -= G[k - n[i]->first] * row[j][k - n[j]->first];
            }
            G[j - n[i]->first] = j < i ? sum / row[j][j - n[j]->first] : sqrt(fmax(sum, 1e-30));
        }
        for (int k = 0; k < n[i]->rows; k++) {
            set->fronts.null[n[i]->row[k]] = 0.0;
        }
    }
    return true;
}

/* Takes off lambda's part along the vectors. y: scratch. */
static void shorten(const soa_closures *set, int count, soa_null_vector *const *n, double *const *row, double *y)
{
    for (int i = 0; i < count; i++) {
        y[i] = along(n[i], set->last.lambda);
        for (int k = n[i]->first; k < i; k++) {
            y[i] -= row[i][k - n[i]->first] * y[k];
        }
        y[i] /= row[i][i - n[i]->first];
    }
    for (int i = count - 1; i >= 0; i--) {
        y[i] /= row[i][i - n[i]->first];
        for (int k = n[i]->first; k < i; k++) {
            y[k] -= row[i][k - n[i]->first] * y[i];
        }
        add_vector(n[i], -y[i], set->last.lambda);
    }
}

void soa_least_norm(soa_closures *set)
{
    set->last.inconsistency = 0.0;
    set->last.contradiction = false;
    if (set->last.dependent == 0) {
        return;
    }
    soa_null_vector **n = soa_stack_take(&set->stack, (size_t)set->last.dependent, sizeof(soa_null_vector *));
    double **row = soa_stack_take(&set->stack, (size_t)set->last.dependent, sizeof(double *));
    double *y = soa_stack_take(&set->stack, (size_t)set->last.dependent, sizeof *y);
    for (int i = 0; i < set->rows; i++) {
        set->fronts.null_first[i] = -1;
        set->last.contrary[i] = false;
    }
    int count = 0;
    for (int b = 0; b < set->fronts.blocks && !set->stack.overflow; b++) {
        for (int i = 0; i < set->fronts.block[b].pivots && !set->stack.overflow; i++) {
            if (set->fronts.block[b].pivot[i].inverse == 0.0) {
                n[count] = treat(set, b, i, count);
                count++;
            }
        }
    }
    if (!set->stack.overflow && factor_vectors(set, count, n, row)) {
        shorten(set, count, n, row, y);
        shorten(set, count, n, row, y); /* what the first left of rounding */
    }
}
