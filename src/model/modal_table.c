/* model/modal_table.c - constant matrices of flexible links as kernels read them: without what is zero. */
#include <stdint.h>

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
    return i >= a->head && (i - a->head) % soa_modal_step(a->columns) >= a->columns;
}

/* The rows that have numbers in these columns and no others, or (every) all rows, as a block whose columns are `apart` numbers
 * from each other, or (0) one behind the other. false: no memory. */
static bool make_block(
    soa_model *m, const soa_modal_source *a, uint64_t columns, bool every, size_t apart, soa_modal_block *b)
{
    unsigned short *row = soa_arena_take(&m->arena, a->rows + 1, sizeof *row);
    unsigned char *column = soa_arena_take(&m->arena, SOA_MAX_MODES + 1, sizeof *column);
    *b = (soa_modal_block){ .row = row, .column = column };
    for (size_t i = 0; row && i < a->rows; i++) {
        if (every || (columns_of(a, i) == columns && !is_filling(a, i))) {
            row[b->rows++] = (unsigned short)i;
        }
    }
    for (unsigned j = 0; column && j < SOA_MAX_MODES; j++) {
        if ((columns >> j & 1u) != 0) {
            column[b->columns++] = (unsigned char)j;
        }
    }
    apart = apart > 0 ? apart : (size_t)b->rows;
    double *x = soa_arena_take(&m->arena, (size_t)(b->columns + 1) * apart + 1, sizeof *x);
    b->x = x;
    for (size_t at = 0; row && column && x && at < (size_t)b->columns * (size_t)b->rows; at++) {
        const size_t j = at / (size_t)b->rows, i = at % (size_t)b->rows;
        x[j * apart + i] = a->x[row[i] * a->row + column[j] * a->column];
    }
    if (every && column && b->columns % 2 != 0) { /* a column of zeros: they are read in pairs */
        column[b->columns] = column[b->columns - 1];
        b->columns++;
    }
    return row && column && x;
}

bool soa_make_modal_table(soa_model *m, soa_modal_source a, soa_modal_table *to)
{
    uint64_t all = 0;
    soa_modal_block *block = soa_arena_take(&m->arena, a.rows + 1, sizeof *block);
    *to = (soa_modal_table){ .block = block };
    for (size_t i = 0; i < a.rows; i++) {
        all |= columns_of(&a, i);
    }
    bool done = block && make_block(m, &a, all, true, soa_modal_step(a.rows), &to->whole);
    for (size_t i = 0; done && i < a.rows; i++) {
        const uint64_t columns = columns_of(&a, i);
        bool first = !is_filling(&a, i);
        for (size_t before = 0; first && before < i; before++) {
            first = columns_of(&a, before) != columns || is_filling(&a, before);
        }
        if (first) {
            done = make_block(m, &a, columns, false, 0, &block[to->blocks++]);
        }
    }
    return done;
}
