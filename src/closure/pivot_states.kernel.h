/* closure/pivot_states.kernel.h - solving the rows of a front, states in lanes.
 *
 * Each lane solves the rows that it would solve alone, in the order in which it would: in the order in which they stand where
 * that can be, else by size, so that a pivot may be another row in each lane. Rows that some lanes have solved go on with the
 * others; their columns are zeros there (soa_front.stays), which changes nothing but for the order of sums. Where that would
 * count, at bodies where rows meet and at joints that are not plain, lanes agree: those that have solved other rows than most
 * are no longer good, and are solved one by one in the end. */
#ifndef SOA_CLOSURE_PIVOT_STATES_KERNEL_H
#define SOA_CLOSURE_PIVOT_STATES_KERNEL_H

#include "closure/block_states.kernel.h"

/* Fronts with more rows are solved one state at a time. */
enum { MOST_ROWS = 64 };

/* ---- in order ------------------------------------------------------------------------------------------------ */

static verdict try_in_order(const soa_front *front, const soa_ordered *how, small_front *f)
{
    const int rows = front->rows;
    f->stays = front->stays ? cells(front->stays) : NULL;
    switch (rows) { /* known numbers: loops are unrolled */
    case 1:
        return try_ordered(front, how, 1, f);
    case 2:
        return try_ordered(front, how, 2, f);
    case 3:
        return try_ordered(front, how, 3, f);
    case 4:
        return try_ordered(front, how, 4, f);
    case 5:
        return try_ordered(front, how, 5, f);
    case 6:
        return try_ordered(front, how, 6, f);
    default:
        return real_less(real_set(1.0), real_set(0.0));
    }
}

/* Notes the pivots of rows solved in order, scaled, in the lanes of the mask. */
static void note_ordered(soa_closures *set, int node, const soa_front *front, const real *inverse, real_int mask)
{
    states_solution *x = solution_of(set);
    real least = real_set(INFINITY), most = real_set(0.0), count = real_set(0.0);
    for (int j = 0; j < front->rows; j++) {
        const real part = inverse[j] * cells(front->scale)[j], stays = stays_of(front, j);
        least = real_select(is_there(stays) & real_less(part, least), part, least);
        most = real_select(is_there(stays) & real_less(most, part), part, most);
        count = count + stays;
    }
    mask &= is_there(count);
    note_pivots(set, real_select(mask, 1.0 / least, real_set(0.0)), real_select(mask, 1.0 / most, real_set(INFINITY)));
    x->eliminated = x->eliminated + (node == SOA_NO_NODE ? real_set(0.0) : real_select(mask, count, real_set(0.0)));
}

/* The pivots of lanes in which rows were solved in order, where that is not so in all of them. */
static soa_block *ordered_lanes(
    soa_closures *set, int node, const soa_front *front, const small_front *f, const real *inverse, real_int mask)
{
    soa_block *block = lanes_block(set, node, front);
    for (int j = 0; block && j < front->rows; j++) {
        pivot_numbers *p = &pivots_of(block)[j];
        const real_int has = mask & is_there(stays_of(front, j));
        real *Y = p->L + front->width;
        cells(block->lane)[j] = real_select(has, real_set((double)j), real_set(-1.0));
        p->at = j;
        p->inverse = inverse[j];
        p->c = f->c.v[j] + 0.0;
        for (int i = 0; i < 6; i++) {
            Y[i] = f->Y[i].v[j] + 0.0;
        }
        spare_lanes(p, Y, has);
        for (int i = j + 1; i < front->rows; i++) {
            p->L[i] = f->L[j].v[i];
        }
        for (int i = 0; i <= j; i++) {
            p->L[i] = real_set(0.0);
        }
    }
    if (block) {
        block->pivots = front->rows;
        cells(block->lane)[front->rows] = real_set(0.0);
    }
    return block;
}

/* ---- by size ------------------------------------------------------------------------------------------------- */

/* What is known of the rows of a front while they are solved, by column: struct solving. */
typedef struct solving {
    real *first, *per_scale, *stays;
} solving;

/* The next row to solve in each lane, -1: none; depends: lanes with rows that depend on others. fate_of, next_row. */
static real pick(
    const soa_closures *set, const soa_front *front, const solving *s, const node_load *load, real_int *depends)
{
    real best = real_set(-INFINITY), at = real_set(-1.0);
    *depends = real_less(real_set(1.0), real_set(0.0));
    for (int j = 0; j < front->rows; j++) {
        if (front->missing[j] > 0) {
            continue;
        }
        const real_int there = is_there(s->stays[j]);
        if (!real_any(there)) {
            continue;
        }
        const real d = cells(front->L)[(size_t)j * (size_t)front->width + (size_t)j];
        const real here = load->P ? free_compliance(load->by, front_load(front, j)) : real_set(0.0);
        const real_int counts = real_less(set->least_pivot * cells(front->scale)[j], d);
        const real_int nothing = real_less_equal(here, NOTHING_LEFT * cells(front->came)[j]);
        const real_int early = real_less(EARLY_PIVOT * here, d) & real_less(EARLY_DOWN_TO * s->first[j], d);
        const real quality = d * s->per_scale[j];
        const real_int better = there & counts & (nothing | early) & real_less(best, quality);
        *depends |= there & nothing & ~counts;
        best = real_select(better, quality, best);
        at = real_select(better, real_set((double)j), at);
    }
    return at;
}

/* Row `at` of each lane becomes a pivot. */
static void make_pivot(soa_closures *set, const soa_front *front, real at, const solving *s, pivot_numbers *p)
{
    const size_t w = (size_t)front->width;
    const real_int has = real_less_equal(real_set(0.0), at);
    real *L = p->L, *Y = L + w, d = real_set(1.0), per_scale = real_set(0.0);
    p->at = -1;
    p->c = real_set(0.0);
    for (size_t i = 0; i < w + 6; i++) {
        L[i] = real_set(0.0);
    }
    for (int j = 0; j < front->rows; j++) {
        const real_int here = is_column(at, j);
        const real *own = cells(front->L) + (size_t)j * w;
        if (!real_any(here)) {
            continue;
        }
        for (int i = 0; i < front->rows; i++) {
            L[i] = real_select(here, own[i], L[i]);
        }
        for (size_t i = 0; i < 6; i++) {
            Y[i] = real_select(here, cells(front->Y)[i * w + (size_t)j], Y[i]);
        }
        p->c = real_select(here, cells(front->c)[j], p->c);
        d = real_select(here, own[j], d);
        per_scale = real_select(here, s->per_scale[j], per_scale);
        s->stays[j] = real_select(here, real_set(0.0), s->stays[j]);
    }
    for (int i = 0; i < front->rows; i++) {
        L[i] = real_select(has, s->stays[i] * L[i], real_set(-0.0));
    }
    p->inverse = 1.0 / d;
    spare_lanes(p, Y, has);
    const real part = d * per_scale;
    note_pivots(set, real_select(has, part, real_set(0.0)), real_select(has, part, real_set(INFINITY)));
}

/* Takes the pivot's row out of Y, c and L of the others: subtract_columns. */
static void subtract(const soa_front *front, const solving *s, const pivot_numbers *p)
{
    const size_t w = (size_t)front->width;
    for (int at = 0; at < front->rows; at++) {
        if (!real_any(is_there(s->stays[at]))) {
            continue; /* gone */
        }
        const real L = p->inverse * p->L[at];
        for (size_t i = 0; i < 6; i++) {
            cell *Y = cells(front->Y) + i * w + (size_t)at;
            *Y = real_fnma(p->Y[i], L, *Y);
        }
        cells(front->c)[at] = real_fnma(p->c, L, cells(front->c)[at]);
        for (int j = 0; j < front->rows; j++) {
            cell *row = cells(front->L) + (size_t)j * w + (size_t)at;
            *row = real_fnma(p->L[j], L, *row);
        }
    }
}

/* Rows that are gone in all good lanes leave the front; those that are gone in some become zeros there. */
static void settle(soa_closures *set, soa_front *front, real *stays)
{
    const size_t w = (size_t)front->width;
    const real_int good = solution_of(set)->good;
    bool gone[MOST_ROWS], all = true;
    int left = 0;
    for (int j = 0; j < front->rows; j++) {
        const real_int there = is_there(stays[j]);
        gone[j] = !real_any(there & good);
        all = all && (gone[j] || real_all(there | ~good));
        stays[left] = stays[j];
        left += !gone[j];
    }
    if (left < front->rows) {
        compact(set, front, gone);
    }
    front->stays = all ? NULL : plain(stays);
    for (int j = 0; !all && j < left; j++) {
        const real_int there = is_there(stays[j]);
        for (size_t i = 0; i < 6; i++) {
            cell *Y = cells(front->Y) + i * w + (size_t)j;
            *Y = real_select(there, *Y, real_set(0.0));
        }
        cells(front->c)[j] = real_select(there, cells(front->c)[j], real_set(0.0));
        for (int i = 0; i < left; i++) {
            cell *L = cells(front->L) + (size_t)i * w + (size_t)j;
            *L = real_select(there & is_there(stays[i]), *L, real_set(0.0));
        }
    }
}

/* Rows by size in the lanes of `open`; in the others all are gone. */
static void solve_by_size(soa_closures *set, int node, soa_front *front, const node_load *load, real_int open)
{
    const size_t rows = (size_t)front->rows, width = (size_t)front->width;
    states_solution *x = solution_of(set);
    real *room = soa_stack_take(&set->stack, 3 * rows, sizeof *room);
    if (!room || rows > MOST_ROWS) {
        set->stack.overflow = true; /* each state by itself, then */
        return;
    }
    const solving s = { room, room + rows, room + 2 * rows };
    for (size_t j = 0; j < rows; j++) {
        const real scale = cells(front->scale)[j];
        s.first[j] = cells(front->L)[j * width + j];
        s.per_scale[j] = real_select(real_less(real_set(0.0), scale), 1.0 / scale, real_set(0.0));
        s.stays[j] = real_select(open, stays_of(front, (int)j), real_set(0.0));
    }
    soa_block *block = NULL;
    real_int depends;
    real at = pick(set, front, &s, load, &depends);
    while (real_any(real_less_equal(real_set(0.0), at) & x->good)) {
        block = block ? block : lanes_block(set, node, front);
        if (!block) {
            return;
        }
        cells(block->lane)[block->pivots] = at;
        pivot_numbers *p = &pivots_of(block)[block->pivots++];
        make_pivot(set, front, at, &s, p);
        subtract(front, &s, p);
        x->eliminated =
            x->eliminated + (node == SOA_NO_NODE ? real_set(0.0) : as_number(real_less_equal(real_set(0.0), at)));
        at = pick(set, front, &s, load, &depends);
    }
    x->good &= ~depends;
    if (block) {
        real left = real_set(0.0);
        for (size_t j = 0; j < rows; j++) {
            left = left + s.stays[j];
        }
        cells(block->lane)[rows] = left;
        if (load->P) {
            load_node(block, load);
        }
    }
    settle(set, front, s.stays);
}

/* ---- all ------------------------------------------------------------------------------------------------------ */

static bool some_complete(const soa_front *front)
{
    bool some = false;
    for (int j = 0; j < front->rows; j++) {
        some = some || front->missing[j] == 0;
    }
    return some;
}

/* Solves all rows of a front that can be solved at the node, in each lane. */
static void front_solve(soa_closures *set, int node, soa_front *front, const node_load *load)
{
    real inverse[SOA_MAX_LANES];
    states_solution *x = solution_of(set);
    const soa_ordered how = { plain_numbers(&load->by.turn), set->least_pivot, EARLY_PIVOT, EARLY_DOWN_TO,
        plain(inverse) };
    real_int done = real_less(real_set(1.0), real_set(0.0));
    if (!some_complete(front)) {
        return;
    }
    if (front->width == SOA_MAX_LANES && complete(front)) {
        small_front f;
        done = try_in_order(front, &how, &f);
        const bool all = real_all(done | ~x->good);
        if (real_any(done & x->good)) {
            if (all && !front->stays) {
                keep_ordered(front, &f, front->rows);
            }
            const soa_block *block = all && !front->stays ? ordered_block(set, node, front, inverse)
                                                          : ordered_lanes(set, node, front, &f, inverse, done);
            note_ordered(set, node, front, inverse, done);
            if (block && load->P) {
                load_node(block, load);
            }
        }
        if (all) {
            front->rows = 0;
            return;
        }
    }
    solve_by_size(set, node, front, load, ~done);
}

/* lambda of the rows of a block, alpha of its node known. */
static void solved_back(soa_closures *set, const soa_block *block, const motion *alpha)
{
    (block->lane ? lanes_back : block_back)(set, block, alpha);
}

/* ---- agreement -------------------------------------------------------------------------------------------------- */

/* Whether two lanes have the same rows in the front. */
static bool are_alike(const soa_front *front, int a, int b)
{
    bool same = true;
    for (int j = 0; j < front->rows; j++) {
        const real stays = cells(front->stays)[j];
        same = same && real_get(stays, a) == real_get(stays, b);
    }
    return same;
}

/* Lanes that have other rows in the front than most are good no longer; afterwards all have the same. */
static void agree(soa_closures *set, soa_front *front)
{
    states_solution *x = solution_of(set);
    int best = -1, most = 0;
    if (!front->stays) {
        return;
    }
    const real good = as_number(x->good);
    for (int a = 0; a < LANES; a++) {
        int count = 0;
        for (int b = 0; b < LANES; b++) {
            count += real_get(good, a) > 0.0 && real_get(good, b) > 0.0 && are_alike(front, a, b);
        }
        best = count > most ? a : best;
        most = count > most ? count : most;
    }
    real stay = real_set(0.0);
    for (int a = 0; best >= 0 && a < LANES; a++) {
        stay = real_put(stay, a, are_alike(front, a, best) ? 1.0 : 0.0);
    }
    x->good &= is_there(stay);
    real *stays =
        soa_stack_take(&set->stack, (size_t)front->rows, sizeof *stays); /* joints that were crossed have the other */
    if (stays) {
        memcpy(stays, front->stays, (size_t)front->rows * sizeof *stays);
        settle(set, front, stays);
    }
}

#endif
