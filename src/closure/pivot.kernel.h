/* closure/pivot.kernel.h - solving the rows of a front that can be solved at a node.
 *
 * A row is solved where both its ends have come in and what lies outboard yields along it: then
 *     lambda_p = -(Y_p alpha + c_p + L_pj lambda_j) / L_pp
 * adds Y_p Y_p* / L_pp to the inertia of the node and Y_p c_p / L_pp to its force. A row whose
 * pivot is small beside the compliance of the node goes on inward: the joints there add to it. */
#ifndef SOA_CLOSURE_PIVOT_KERNEL_H
#define SOA_CLOSURE_PIVOT_KERNEL_H

#include "closure/block.kernel.h"
#if !defined(STATES)
#include "closure/repeat.kernel.h"
#endif

/* Solved here if the pivot exceeds this part of the compliance of the node, and of its own first value. Errors grow by its
 * inverse, so 1e-3 keeps 12 digits; with 0.1 only half of the rows of many arms are solved at the object they hold. */
#define EARLY_PIVOT   1e-3
#define EARLY_DOWN_TO 1e-3
/* Y has cancelled if its compliance is below this part of what was added. */
#define NOTHING_LEFT 1e-22

static bool complete(const soa_front *front)
{
    int missing = 0;
    for (int j = 0; j < front->rows; j++) {
        missing |= front->missing[j];
    }
    return missing == 0;
}

/* The rows of a front that have been solved in order, with what they add to the node. What is solved stays where it was. */
static soa_block *ordered_block(soa_closures *set, int node, const soa_front *front, const real *inverse)
{
    soa_block *block = block_new(set, node, front);
    for (int j = 0; block && j < front->rows; j++) {
        pivot_numbers *p = &pivots_of(block)[j];
        p->at = j;
        p->inverse = inverse[j];
        p->c = cells(front->c)[j];
        p->Y = cells(front->Y) + j;
        p->pitch = SOA_MAX_LANES;
        p->L = cells(front->L) + j * SOA_MAX_LANES;
    }
    if (block) {
        block->pivots = front->rows;
    }
    return block;
}

/* lambda of the rows of a block, alpha of its node known. First what rows solved later do, then row by row inwards
 * in the block: each, once known, is taken into those before it. */
static void block_back(soa_closures *set, const soa_block *block, const motion *alpha)
{
    pivot_numbers *pivots = pivots_of(block);
    real *all = lambda_at_hand(set);
    for (int i = 0; i < block->pivots; i++) {
        all[block->row[pivots[i].at]] = real_set(0.0);
    }
    for (int i = 0; i < block->pivots; i++) {
        pivot_numbers *p = &pivots[i];
        p->sum = p->c + power(pivot_force(p), *alpha);
        for (int j = 0; block->pivots < block->rows && j < block->rows; j++) {
            p->sum = real_fma(p->L[j], all[block->row[j]], p->sum);
        }
    }
    for (int i = block->pivots - 1; i >= 0; i--) {
        const pivot_numbers *p = &pivots[i];
        const real lambda = -(p->inverse * p->sum);
        all[block->row[p->at]] = lambda;
        for (int k = 0; k < i; k++) {
            pivots[k].sum = real_fma(pivots[k].L[p->at], lambda, pivots[k].sum);
        }
    }
}

#if !defined(STATES)

/* What may become of a row at a node. */
typedef enum row_fate { ROW_GOES_ON, ROW_SOLVED, ROW_DEPENDS } row_fate;

/* What bodies that the front holds add to the compliance that row j has, were they free. */
static double held_compliance(const soa_closures *set, const soa_front *front, int j)
{
    const double *L = front->L + (size_t)j * (size_t)front->width;
    double sum = 0.0;
    for (int i = 0; i < front->rows; i++) {
        if (soa_is_held(set, front->row[i])) {
            sum += L[i] * L[i] * held_yielding(set, front->row[i]);
        }
    }
    return sum;
}

static row_fate fate_of(const soa_closures *set, const soa_front *front, int j, double first, const node_load *load)
{
    const double d = front->L[(size_t)j * (size_t)front->width + (size_t)j], scale = front->scale[j];
    if (front->missing[j] > 0) {
        return ROW_GOES_ON;
    }
    double here = load->P ? free_compliance(load->by, front_load(front, j)) : 0.0;
    here += set->plan.holds ? held_compliance(set, front, j) : 0.0;
    if (here <= NOTHING_LEFT * front->came[j]) { /* nothing inward will change it */
        return d > set->least_pivot * scale ? ROW_SOLVED : ROW_DEPENDS;
    }
    return d > EARLY_PIVOT * here && d > EARLY_DOWN_TO * first && d > set->least_pivot * scale ? ROW_SOLVED
                                                                                               : ROW_GOES_ON;
}

/* The row with the largest pivot of those not yet looked at; -1: none. */
static int largest_row(const soa_front *front, const solving *s)
{
    int best = -1;
    double most = -INFINITY;
    for (int j = 0; j < front->rows; j++) {
        if (s->quality[j] > most && s->passed[j] != *s->round) {
            best = j;
            most = s->quality[j];
        }
    }
    return best;
}

/* Qualities of the pivots, after a row is gone. */
static void rate_rows(const soa_front *front, const solving *s)
{
    for (int j = 0; j < front->rows; j++) {
        const double d = front->L[(size_t)j * (size_t)front->width + (size_t)j];
        s->quality[j] = s->gone[j] ? -INFINITY : d * s->per_scale[j];
    }
}

/* The next row to solve, or one that depends on others when there is none to solve; -1: neither. */
static int next_row(
    const soa_closures *set, const soa_front *front, const solving *s, const node_load *load, bool *depends)
{
    int dependent = -1;
    for (int j = largest_row(front, s); j >= 0; j = largest_row(front, s)) {
        const row_fate fate = fate_of(set, front, j, s->first[j], load);
        if (fate == ROW_SOLVED) {
            *depends = false;
            return j;
        }
        s->passed[j] = *s->round;
        dependent = fate == ROW_DEPENDS ? j : dependent;
    }
    *depends = dependent >= 0;
    return dependent;
}

/* All rows in the order in which they are, if that can be: true. */
static bool solve_in_order(soa_closures *set, int node, soa_front *front, const node_load *load)
{
    double inverse[SOA_MAX_LANES];
    const int rows = front->rows;
    const soa_ordered how = { &load->by.turn, set->least_pivot, EARLY_PIVOT, EARLY_DOWN_TO, inverse };
    if (front->width != SOA_MAX_LANES || !complete(front) || !set->cross->solve_ordered(front, &how)) {
        return false;
    }
    const soa_block *block = ordered_block(set, node, front, inverse);
    double least = INFINITY, most = 0.0;
    for (int j = 0; block && j < rows; j++) {
        const double part = inverse[j] * front->scale[j]; /* the scale over the pivot */
        least = part < least ? part : least;
        most = part > most ? part : most;
    }
    if (block) {
        front->rows = 0;
        note_pivots(set, 1.0 / least, 1.0 / most);
        set->last.eliminated += node == SOA_NO_NODE ? 0 : rows;
        if (load->P) {
            load_node(block, load);
        }
    }
    return true;
}

static void solved_back(soa_closures *set, const soa_block *block, const motion *alpha)
{
    block_back(set, block, alpha);
}

/* One state has no others to agree with. */
static void agree(soa_closures *set, soa_front *front)
{
    (void)set, (void)front;
}

/* Solves all rows of a front that can be solved at the node. */
static void front_solve(soa_closures *set, int node, soa_front *front, const node_load *load)
{
    const size_t rows = (size_t)front->rows;
    const size_t width = (size_t)front->width;
    if (solve_in_order(set, node, front, load)) {
        return;
    }
    const size_t borrowed = set->stack.borrowed;
    double *stays = soa_stack_borrow(&set->stack, 5 * width, sizeof *stays), *first = stays + width;
    if (set->stack.overflow) {
        return;
    }
    int *passed = (int *)(void *)(first + 3 * width), round = 1; /* and flags: within as many doubles */
    bool *gone = (bool *)(void *)(passed + width);
    const solving s = { gone, passed, &round, first, first + width, first + 2 * width, stays };
    for (size_t j = 0; j < rows; j++) {
        gone[j] = false;
        stays[j] = 1.0;
        passed[j] = 0;
        first[j] = front->L[j * (size_t)front->width + j];
        s.per_scale[j] = front->scale[j] > 0.0 ? 1.0 / front->scale[j] : 0.0;
        s.quality[j] = first[j] * s.per_scale[j];
    }
    for (int j = (int)rows; j < front->width; j++) {
        stays[j] = 0.0;
    }
    bool depends = false;
    int p = next_row(set, front, &s, load, &depends);
    soa_block *block = p < 0 ? NULL : block_with_room(set, node, front);
    for (; p >= 0 && block; p = next_row(set, front, &s, load, &depends)) {
        soa_pivot *pivot = &block->pivot[block->pivots++];
        if (depends) {
            stays[p] = 0.0;
        }
        make_pivot(set, front, p, depends, &s, pivot);
        s.gone[p] = true;
        if (depends) {
            set->last.dependent++;
        } else {
            set->cross->subtract(front, pivot, stays);
        }
        rate_rows(front, &s);
        round++;
    }
    if (set->plan.holds && load->P) {
        drop_repeated(set, node, front, &s, load, &block);
    }
    if (block && load->P) {
        load_node(block, load);
    }
    if (block) {
        set->last.eliminated += node == SOA_NO_NODE ? 0 : block->pivots;
        if (block->pivots == (int)rows) {
            front->rows = 0;
            front_end(set, front);
        } else {
            compact(set, front, gone);
        }
    }
    set->stack.borrowed = borrowed;
}

#endif

#endif
