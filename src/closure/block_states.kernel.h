/* closure/block_states.kernel.h - rows that are solved at a node, where lanes of states have other rows or another order.
 *
 * Pivot i is a column of its own in each lane, or none: soa_block.lane. */
#ifndef SOA_CLOSURE_BLOCK_STATES_KERNEL_H
#define SOA_CLOSURE_BLOCK_STATES_KERNEL_H

#include "closure/pivot.kernel.h"

KERNEL real_int is_there(real stays)
{
    return real_less(real_set(0.5), stays);
}

KERNEL real_int is_column(real at, int j)
{
    return real_less(real_abs(at - (double)j), real_set(0.5));
}

KERNEL real as_number(real_int mask)
{
    return real_select(mask, real_set(1.0), real_set(0.0));
}

KERNEL real stays_of(const soa_front *front, int j)
{
    return front->stays ? cells(front->stays)[j] : real_set(1.0);
}

/* ---- blocks whose pivots are other rows in each lane ------------------------------------------------------- */

/* Columns of the pivots by lane, and behind them whether rows of the lane are left, are in block->lane. */
static soa_block *lanes_block(soa_closures *set, int node, const soa_front *front)
{
    const size_t rows = (size_t)front->rows, each = (size_t)front->width + SOA_MAX_LANES;
    real *lane = soa_stack_take(&set->stack, rows + 1 + rows * each, sizeof *lane);
    soa_block *block = lane ? block_new(set, node, front) : NULL;
    if (block) {
        block->lane = plain(lane);
    }
    for (size_t j = 0; block && j < rows; j++) {
        pivot_numbers *p = &pivots_of(block)[j];
        p->L = lane + rows + 1 + j * each;
        p->Y = p->L + front->width;
        p->pitch = 1;
    }
    return block;
}

/* A pivot does nothing in lanes that do not have it: with Y, c = 0 and inverse = -0 not even the sign of a zero changes. */
KERNEL void spare_lanes(pivot_numbers *p, real *Y, real_int has)
{
    for (int i = 0; i < 6; i++) {
        Y[i] = real_select(has, Y[i], real_set(0.0));
    }
    p->c = real_select(has, p->c, real_set(0.0));
    p->inverse = real_select(has, p->inverse, real_set(-0.0));
}

/* lambda_i of the lanes that have pivot i in column j, taken into the pivots before it. */
KERNEL void put_lambda(const soa_block *block, pivot_numbers *pivots, int i, int j, real_int here, real *all)
{
    const real lambda = -(pivots[i].inverse * pivots[i].sum);
    all[block->row[j]] = real_select(here, lambda, all[block->row[j]]);
    for (int k = 0; k < i; k++) {
        pivots[k].sum = real_select(here, real_fma(pivots[k].L[j], lambda, pivots[k].sum), pivots[k].sum);
    }
}

/* block_back, each lane by its own pivots. Where they are in order, pivot i is column i. */
static void lanes_back(soa_closures *set, const soa_block *block, const motion *alpha)
{
    pivot_numbers *pivots = pivots_of(block);
    real *all = lambda_at_hand(set);
    const real *at = cells(block->lane);
    const real_int left = is_there(at[block->rows]);
    const bool ordered = pivots[0].at >= 0, some = real_any(left);
    for (int i = 0; i < block->pivots && some; i++) {
        for (int j = 0; j < block->rows; j++) {
            all[block->row[j]] = real_select(is_column(at[i], j), real_set(0.0), all[block->row[j]]);
        }
    }
    for (int i = 0; i < block->pivots; i++) {
        pivot_numbers *p = &pivots[i];
        p->sum = p->c + power(pivot_force(p), *alpha);
        for (int j = 0; j < block->rows && some; j++) {
            p->sum = real_select(left, real_fma(p->L[j], all[block->row[j]], p->sum), p->sum);
        }
    }
    for (int i = block->pivots - 1; i >= 0; i--) {
        for (int j = ordered ? i : 0; j < (ordered ? i + 1 : block->rows); j++) {
            const real_int here = is_column(at[i], j);
            if (ordered || real_any(here)) {
                put_lambda(block, pivots, i, j, here, all);
            }
        }
    }
}

#endif
