/* closure/least_norm.c - multipliers of redundant rows: of all that fit, the smallest.
 *
 * A row r that depends on others has a vector n of multipliers, n_r = 1, that does nothing:
 *     n_e = -(L_e n) / L_ee    of the rows e solved where r was in the front.
 * These vectors, made orthogonal, span all that may be added; their part is taken off. */
#include <math.h>
#include <string.h>

#include "closure/closure.h"

/* n over the pivots of a block, those before `from`; the lowest block that has a row of n, so far `lowest`. */
static int spread_block(soa_closures *set, int b, int from, int lowest)
{
    const soa_block *block = &set->block[b];
    for (int i = from - 1; i >= 0; i--) {
        const soa_pivot *p = &block->pivot[i];
        double sum = 0.0;
        for (int j = 0; p->inverse != 0.0 && j < block->rows; j++) {
            sum += p->L[j] * set->null[block->row[j]];
        }
        const int row = block->row[p->at];
        set->null[row] = sum != 0.0 ? -(p->inverse * sum) : set->null[row];
        lowest = sum != 0.0 && set->first_block[row] < lowest ? set->first_block[row] : lowest;
    }
    return lowest;
}

/* Takes the part along another vector off n. */
static void orthogonalize(soa_closures *set, const soa_null_vector *other)
{
    double along = 0.0;
    for (int i = 0; i < other->rows; i++) {
        along += other->x[i] * set->null[other->row[i]];
    }
    for (int i = 0; i < other->rows; i++) {
        set->null[other->row[i]] -= along * other->x[i];
    }
}

/* Numbers of rows of the blocks lowest .. highest, in `row`; where marks them. */
static int gather_rows(soa_closures *set, int lowest, int highest, int *row)
{
    int count = 0;
    for (int b = lowest; b <= highest; b++) {
        for (int j = 0; j < set->block[b].rows; j++) {
            const int r = set->block[b].row[j];
            if (set->where[r] < 0 && set->null[r] != 0.0) {
                set->where[r] = count;
                row[count++] = r;
            }
        }
    }
    return count;
}

/* n against the vectors made before that share a row with it. Their rows join those of n. */
static int orthogonalize_all(soa_closures *set, int count, int *row, int mark)
{
    for (int i = 0; i < count; i++) {
        for (const soa_null_entry *e = set->null_list[row[i]]; e; e = e->next) {
            soa_null_vector *other = e->vector;
            if (other->mark == mark) {
                continue;
            }
            other->mark = mark;
            orthogonalize(set, other);
            for (int j = 0; j < other->rows; j++) {
                const int r = other->row[j];
                if (set->where[r] < 0) {
                    set->where[r] = count;
                    row[count++] = r;
                }
            }
        }
    }
    return count;
}

/* Keeps n, at unit length, and takes lambda's part along it off. */
static void use_vector(soa_closures *set, int count, const int *row, int mark)
{
    soa_null_vector *vector = soa_stack_take(&set->stack, 1, sizeof *vector);
    int *rows = soa_stack_take(&set->stack, (size_t)count, sizeof *rows);
    double *x = soa_stack_take(&set->stack, (size_t)count, sizeof *x);
    soa_null_entry *entry = soa_stack_take(&set->stack, (size_t)count, sizeof *entry);
    if (set->stack.overflow) {
        return;
    }
    double square = 0.0, along = 0.0;
    for (int i = 0; i < count; i++) {
        square += set->null[row[i]] * set->null[row[i]];
    }
    *vector = (soa_null_vector){ .rows = count, .mark = mark, .row = rows, .x = x };
    for (int i = 0; i < count; i++) {
        rows[i] = row[i];
        x[i] = square > 0.0 ? set->null[row[i]] / sqrt(square) : 0.0;
        along += x[i] * set->lambda[row[i]];
        entry[i] = (soa_null_entry){ vector, set->null_list[row[i]] };
        set->null_list[row[i]] = &entry[i];
    }
    for (int i = 0; i < count; i++) {
        set->lambda[rows[i]] -= along * x[i];
    }
}

/* Whether the row is missed by too much; then so are those that it depends on. */
static void judge(soa_closures *set, double missed, int count, const int *row)
{
    double scale = 0.0, largest = 0.0;
    for (int i = 0; i < count; i++) {
        const double n = fabs(set->null[row[i]]);
        scale = fmax(scale, n * set->row[row[i]].weight);
        largest = fmax(largest, n);
    }
    set->inconsistency = fmax(set->inconsistency, missed);
    if (missed > SOA_CONTRADICTION * scale) {
        set->contradiction = true;
        for (int i = 0; i < count; i++) {
            set->contrary[row[i]] = set->contrary[row[i]] || fabs(set->null[row[i]]) > 1e-6 * largest;
        }
    }
}

/* One dependent row: pivot i of block b. */
static void treat(soa_closures *set, int b, int i, int mark)
{
    const soa_pivot *pivot = &set->block[b].pivot[i];
    const int dependent = set->block[b].row[pivot->at];
    int *row = (int *)(void *)set->vector; /* room for 8 numbers per row */
    set->null[dependent] = 1.0;
    int lowest = spread_block(set, b, i, set->first_block[dependent]);
    for (int at = b - 1; at >= lowest; at--) {
        lowest = spread_block(set, at, set->block[at].pivots, lowest);
    }
    int count = gather_rows(set, lowest, b, row);
    judge(set, fabs(pivot->c), count, row);
    count = orthogonalize_all(set, count, row, mark);
    use_vector(set, count, row, mark);
    for (int j = 0; j < count; j++) {
        set->where[row[j]] = -1;
        set->null[row[j]] = 0.0;
    }
}

void soa_dependent_rows(const soa_closures *set, bool *depends)
{
    if (set->dense) {
        memcpy(depends, set->depends, (size_t)set->rows * sizeof *depends);
        return;
    }
    memset(depends, 0, (size_t)set->rows * sizeof *depends);
    for (int b = 0; b < set->blocks; b++) {
        const soa_block *block = &set->block[b];
        for (int i = 0; i < block->pivots; i++) {
            depends[block->row[block->pivot[i].at]] = block->pivot[i].inverse == 0.0;
        }
    }
}

void soa_least_norm(soa_closures *set)
{
    set->inconsistency = 0.0;
    set->contradiction = false;
    if (set->dependent == 0) {
        return;
    }
    for (int i = 0; i < set->rows; i++) {
        set->null_list[i] = NULL;
        set->contrary[i] = false;
    }
    int mark = 0;
    for (int b = 0; b < set->blocks && !set->stack.overflow; b++) {
        for (int i = 0; i < set->block[b].pivots && !set->stack.overflow; i++) {
            if (set->block[b].pivot[i].inverse == 0.0) {
                treat(set, b, i, ++mark);
            }
        }
    }
}
