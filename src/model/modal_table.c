/* model/modal_table.c - constant matrices of flexible links as kernels read them: without what is zero. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "model/model.h"

/* The columns in which a row has numbers, as bits. */
static uint64_t columns_of(const soa_modal_source *a, size_t i)
{
    uint64_t set = 0;
    for (size_t j = 0; j < a->columns; j++) {
        set |= (uint64_t)(a->x[i * a->row + j * a->column] != 0.0) << j;
    }
    return set;
}

/* Whether row i is there to fill up the one before it. */
static bool is_filling(const soa_modal_source *a, size_t i)
{
    return i >= a->head && (i - a->head) % soa_modal_stride(a->columns) >= a->columns;
}

/* Where number i stands among others, in bytes. Tables have fewer than 1000 rows (soa_modal_ports.by_eta), so it fits. */
static unsigned short place_of(size_t i)
{
    return (unsigned short)(i * sizeof(double));
}

/* Rows from `first` on that have numbers in these columns and no others, SOA_BLOCK_ROWS of them at most, or (done NULL) all
 * rows, as a block whose columns are `apart` numbers from each other, or (0) one behind the other. done: which rows are in a
 * block. false: no memory. */
static bool make_block(soa_model *m, const soa_modal_source *a, uint64_t columns, size_t first, bool *done,
    size_t apart, soa_modal_block *b)
{
    unsigned short *row = soa_arena_take(&m->arena, a->rows + 1, sizeof *row);
    unsigned short *column = soa_arena_take(&m->arena, SOA_MAX_MODES + 1, sizeof *column);
    *b = (soa_modal_block){ .row = row, .column = column };
    for (size_t i = first; row && i < a->rows && (!done || b->rows < SOA_BLOCK_ROWS); i++) {
        if (!done) {
            row[b->rows++] = place_of(i);
        } else if (columns_of(a, i) == columns && !is_filling(a, i)) {
            row[b->rows++] = place_of(i);
            done[i] = true;
        }
    }
    for (unsigned j = 0; column && j < SOA_MAX_MODES; j++) {
        if ((columns >> j & 1u) != 0) {
            column[b->columns++] = place_of(j);
        }
    }
    apart = apart > 0 ? apart : (size_t)b->rows;
    double *x = soa_arena_take(&m->arena, (size_t)(b->columns + 1) * apart + 1, sizeof *x);
    b->x = x;
    for (size_t at = 0; row && column && x && at < (size_t)b->columns * (size_t)b->rows; at++) {
        const size_t j = at / (size_t)b->rows, i = at % (size_t)b->rows;
        x[j * apart + i] = a->x[(row[i] * a->row + column[j] * a->column) / sizeof *x];
    }
    if (!done && column && b->columns % 2 != 0) { /* a column of zeros: they are read in pairs */
        column[b->columns] = column[b->columns - 1];
        b->columns++;
    }
    return row && column && x;
}

bool soa_make_modal_table(soa_model *m, soa_modal_source a, soa_modal_table *to)
{
    uint64_t all = 0;
    soa_modal_block *block = soa_arena_take(&m->arena, a.rows + 1, sizeof *block);
    bool *in_block = soa_arena_take(&m->arena, a.rows + 1, sizeof *in_block);
    *to = (soa_modal_table){ .block = block };
    for (size_t i = 0; i < a.rows; i++) {
        all |= columns_of(&a, i);
    }
    bool done = block && in_block && make_block(m, &a, all, 0, NULL, soa_modal_stride(a.rows), &to->whole);
    for (size_t i = 0; done && i < a.rows; i++) {
        if (!in_block[i] && !is_filling(&a, i)) {
            done = make_block(m, &a, columns_of(&a, i), i, in_block, 0, &block[to->blocks++]);
        }
    }
    return done;
}

static double entry(const soa_modal_pairs *t, size_t n, size_t i, size_t j, size_t e)
{
    const double ij = t->x[(i * n + j) * t->width + e], ji = t->x[(j * n + i) * t->width + e];
    return t->how == SOA_MODAL_PLAIN ? ij : t->how == SOA_MODAL_SKEW ? ij - ji : 0.5 * (ij + ji);
}

/* Component e as a matrix; numbers that are but rounding of their vector, or of its bound, are zero. false: all are. */
static bool read_part(const soa_modal_pairs *t, size_t n, size_t e, double *x)
{
    const size_t stride = soa_modal_stride(n);
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double size = t->ee ? sqrt(fabs(t->ee[i * n + i] * t->ee[j * n + j])) : 0.0;
            for (size_t other = 0; other < t->width; other++) {
                size = fmax(size, fabs(t->x[(i * n + j) * t->width + other]));
            }
            const double y = entry(t, n, i, j, e);
            x[j * stride + i] = fabs(y) > SOA_MODAL_ROUNDING * size ? y : 0.0;
            any = any || x[j * stride + i] != 0.0;
        }
    }
    return any;
}

bool soa_make_modal_parts(soa_model *m, size_t n, soa_modal_pairs t, soa_modal_parts *to)
{
    const size_t stride = soa_modal_stride(n);
    bool done = true;
    for (size_t e = 0; t.x && done && e < t.width; e++) {
        double *part = soa_arena_take(&m->arena, n * stride, sizeof *part);
        done = part != NULL;
        if (done && read_part(&t, n, e, part)) { /* if not, its room is lost: it is rare that a link has many modes */
            done = soa_make_modal_table(m, (soa_modal_source){ part, n, n, 1, stride, n }, &to->x[to->count]);
            to->part[to->count++] = t.first + (int)e;
        }
    }
    return done;
}

bool soa_make_modal_stack(soa_model *m, size_t n, int count, const double *const *matrix, soa_modal_table *to)
{
    const size_t stride = soa_modal_stride(n), rows = (size_t)count * stride;
    double *all = soa_arena_take(&m->arena, rows * n + 1, sizeof *all);
    for (size_t j = 0; all && j < n; j++) {
        for (size_t c = 0; c < (size_t)count; c++) {
            memcpy(all + j * rows + c * stride, matrix[c] + j * stride, stride * sizeof *all);
        }
    }
    return all && soa_make_modal_table(m, (soa_modal_source){ all, rows, n, 1, rows, 0 }, to);
}

double *soa_make_modal_rows(soa_model *m, size_t n, const double *x, size_t width)
{
    const size_t stride = soa_modal_stride(n);
    double *made = soa_arena_take(&m->arena, width * stride, sizeof *made);
    for (size_t i = 0; made && i < n * width; i++) {
        /* Checked links have it. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
        made[i % width * stride + i / width] = x[i];
    }
    return made;
}

void soa_clear_rounding(size_t count, double bound, double *x)
{
    double size = bound;
    for (size_t i = 0; i < count; i++) {
        size = fmax(size, fabs(x[i]));
    }
    for (size_t i = 0; i < count; i++) {
        x[i] = fabs(x[i]) > SOA_MODAL_ROUNDING * size ? x[i] : 0.0;
    }
}
