/* closure/front.kernel.h - fronts: rows that came to a node, and closures that end there. */
#ifndef SOA_CLOSURE_FRONT_KERNEL_H
#define SOA_CLOSURE_FRONT_KERNEL_H

#include "closure/rows.kernel.h"

/* ---- making fronts -------------------------------------------------------------------------------- */

/* A front with room for so many rows, whose numbers are to be written. */
static soa_front *front_take(soa_closures *set, int rows)
{
    const int width = (rows + SOA_MAX_LANES - 1) / SOA_MAX_LANES * SOA_MAX_LANES;
    const size_t w = (size_t)width;
    soa_front *front = soa_stack_take(&set->stack, 1, sizeof *front);
    int *ints = soa_stack_take(&set->stack, 2 * w, sizeof *ints);
    const size_t n = w * DOUBLES, count = n * (9 + (size_t)rows);
    double *first = soa_stack_numbers(&set->stack, count);
    if (set->stack.overflow) {
        return NULL;
    }
    *front = (soa_front){ .rows = 0,
        .width = width,
        .row = ints,
        .missing = ints + w,
        .Y = first,
        .c = first + 6 * n,
        .scale = first + 7 * n,
        .came = first + 8 * n,
        .L = first + 9 * n,
        .numbers = count };
    return front;
}

/* A front with room for so many rows, whose numbers are zero. */
static soa_front *front_new(soa_closures *set, int rows)
{
    soa_front *front = front_take(set, rows);
    if (front) {
        memset(front->Y, 0, front->numbers * sizeof *front->Y);
    }
    return front;
}

/* Gives the numbers of a front back; the list of its rows stays in use. */
static void front_end(soa_closures *set, soa_front *front)
{
    soa_stack_spare(&set->stack, front->Y, front->numbers);
}

/* Ends of a row that have to come in, and its part without accelerations. The columns of a held body wait for one. */
static int row_ends(const soa_closures *set, int row)
{
    return soa_is_held(set, row) ? 1 : soa_tie_ends(&set->tie[set->row[row].tie]);
}

static real row_bias(const soa_closures *set, int row)
{
    return soa_is_held(set, row) ? real_set(0.0) : row_at_hand(set, row)->bias;
}

/* The column of a row of the set, made if it is new. */
static int front_column(soa_closures *set, soa_front *front, int row)
{
    if (set->fronts.where[row] < 0) {
        const int at = front->rows++;
        set->fronts.where[row] = at;
        front->row[at] = row;
        front->missing[at] = row_ends(set, row);
        cells(front->c)[at] = row_bias(set, row);
    }
    return set->fronts.where[row];
}

/* Adds a front that came in, which ends so. */
static void front_add(soa_closures *set, soa_front *to, soa_front *from)
{
    for (int j = 0; j < from->rows; j++) {
        const int row = from->row[j], at = front_column(set, to, row);
        to->missing[at] -= row_ends(set, row) - from->missing[j];
        cells(to->c)[at] += cells(from->c)[j] - row_bias(set, row);
        cells(to->scale)[at] += cells(from->scale)[j];
        cells(to->came)[at] += cells(from->came)[j];
        for (int i = 0; i < 6; i++) {
            cells(to->Y)[i * to->width + at] += cells(from->Y)[i * from->width + j];
        }
    }
    for (int i = 0; i < from->rows; i++) {
        cell *L = cells(to->L) + (size_t)set->fronts.where[from->row[i]] * (size_t)to->width;
        for (int j = 0; j < from->rows; j++) {
            L[set->fronts.where[from->row[j]]] += cells(from->L)[(size_t)i * (size_t)from->width + (size_t)j];
        }
    }
    front_end(set, from);
}

/* About how a body yields to forces at it, were it free: y* P^-1 y, moments and forces apart. */
typedef struct yielding {
    real turn, shift;
} yielding;

/* 3 / x, or 0 if x is not positive. */
KERNEL real yields(real x)
{
    return real_select(real_less(real_set(0.0), x), 3.0 / x, real_set(0.0));
}

static yielding yielding_of(const articulated *P)
{
    return (yielding){ yields(P->A.xx + P->A.yy + P->A.zz), yields(P->C.xx + P->C.yy + P->C.zz) };
}

KERNEL real free_compliance(yielding by, force y)
{
    return by.turn * vec3_dot(y.n, y.n) + by.shift * vec3_dot(y.f, y.f);
}

/* About how a held body yields along one of its columns, were it free. */
static double held_yielding(const soa_closures *set, int row)
{
    const int held = row - soa_held_row(set, 0);
    const soa_node *node = &set->node[held / 6];
    return held % 6 < 3 ? node->yields_turn : node->yields_shift;
}

/* A front of the rows of one tie without L, on 10 SOA_MAX_LANES numbers. */
static soa_front front_of_numbers(int rows, real *first)
{
    return (soa_front){ .rows = rows,
        .width = SOA_MAX_LANES,
        .Y = plain(first),
        .c = plain(first + 6 * SOA_MAX_LANES),
        .scale = plain(first + 7 * SOA_MAX_LANES),
        .came = plain(first + 8 * SOA_MAX_LANES) };
}

/* Rows that do not stand side by side, one by one. */
static void insert_apart(soa_closures *set, soa_front *front, const soa_tie *tie, const soa_insertion *from)
{
    real room[10 * SOA_MAX_LANES];
    memset(room, 0, sizeof room);
    soa_front one = front_of_numbers(tie->rows, room);
    cross_of(set)->insert(&one, from);
    for (int r = 0; r < tie->rows; r++) {
        const int at = set->fronts.where[tie->first + r];
        for (int i = 0; i < 6; i++) {
            cells(front->Y)[i * front->width + at] += cells(one.Y)[i * SOA_MAX_LANES + r];
        }
        cells(front->c)[at] += cells(one.c)[r];
        cells(front->scale)[at] += cells(one.scale)[r];
        cells(front->came)[at] += cells(one.came)[r];
    }
}

/* The columns of the rows of a tie, of which one more end has come in; whether they follow each other from *at on. */
static bool tie_columns(soa_closures *set, soa_front *front, const soa_tie *tie, int *at)
{
    const bool fresh = set->fronts.where[tie->first] < 0;
    const int first = fresh ? front->rows : set->fronts.where[tie->first];
    bool together = first + SOA_MAX_LANES <= front->width;
    *at = first;
    if (fresh) {
        front->rows += tie->rows;
    }
    for (int r = 0; r < tie->rows; r++) {
        const int row = tie->first + r;
        if (fresh) {
            set->fronts.where[row] = first + r;
            front->row[first + r] = row;
            front->missing[first + r] = soa_tie_ends(tie);
            cells(front->c)[first + r] = row_at_hand(set, row)->bias;
        }
        front->missing[set->fronts.where[row]]--;
        together = together && set->fronts.where[row] == first + r;
    }
    return together;
}

static soa_insertion insertion_of(const soa_closures *set, int end, const yielding *by, const motion *base)
{
    const soa_tie *tie = &set->tie[end / 2];
    const soa_end *here = &tie->end[end % 2];
    const pose *X = &part_vars(call_of(set, here->system))->W[here->body];
    const place_numbers *place = place_at_hand(set, end / 2);
    return (soa_insertion){ .W = plain_numbers(&place->W[0][0]),
        .bias = plain_numbers(place->bias),
        .R = plain_numbers(&X->R.xx),
        .l = plain_numbers(&X->l.x),
        .p = plain_numbers(place->p),
        .base = plain_numbers(&base->v.x),
        .yields = plain_numbers(&by->turn),
        .sign = end % 2 == 0 ? 1.0 : -1.0,
        .rows = tie->rows };
}

/* The rows of a tie with an end at the node. */
static void front_insert(soa_closures *set, soa_front *front, int end, const yielding *by, const motion *base)
{
    const soa_tie *tie = &set->tie[end / 2];
    if (tie->coupling) {
        (void)front_column(set, front, tie->first);
        return; /* it acts while the joint is crossed */
    }
    soa_insertion from = insertion_of(set, end, by, base);
    if (tie_columns(set, front, tie, &from.at)) {
        cross_of(set)->insert(front, &from);
    } else {
        from.at = 0;
        insert_apart(set, front, tie, &from);
    }
}

/* A front of the rows of one tie, the first end of which is at the node. */
static soa_front *front_begin(soa_closures *set, int end, const yielding *by, const motion *base)
{
    const soa_tie *tie = &set->tie[end / 2];
    soa_front *front = front_take(set, tie->rows);
    if (!front) {
        return NULL;
    }
    front->rows = tie->rows;
    for (int r = 0; r < tie->rows; r++) {
        front->row[r] = tie->first + r;
        front->missing[r] = soa_tie_ends(tie) - 1;
    }
    soa_insertion from = insertion_of(set, end, by, base);
    from.alone = true;
    cross_of(set)->insert(front, &from);
    return front;
}

#endif
