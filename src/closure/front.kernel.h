/* closure/front.kernel.h - fronts: rows that came to a node, and closures that end there. */
#ifndef SOA_CLOSURE_FRONT_KERNEL_H
#define SOA_CLOSURE_FRONT_KERNEL_H

#include "closure/locate.kernel.h"

/* ---- making fronts -------------------------------------------------------------------------------- */

/* A front with room for so many rows, whose numbers are to be written. */
static soa_front *front_take(soa_closures *set, int rows)
{
    const int width = (rows + SOA_MAX_LANES - 1) / SOA_MAX_LANES * SOA_MAX_LANES;
    const size_t w = (size_t)width;
    soa_front *front = soa_stack_take(&set->stack, 1, sizeof *front);
    int *ints = soa_stack_take(&set->stack, 2 * w, sizeof *ints);
    const size_t count = w * (9 + (size_t)rows);
    double *numbers = soa_stack_numbers(&set->stack, count);
    if (set->stack.overflow) {
        return NULL;
    }
    *front = (soa_front){ .rows = 0,
        .width = width,
        .row = ints,
        .missing = ints + w,
        .Y = numbers,
        .c = numbers + 6 * w,
        .scale = numbers + 7 * w,
        .came = numbers + 8 * w,
        .L = numbers + 9 * w,
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

static double row_bias(const soa_closures *set, int row)
{
    return soa_is_held(set, row) ? 0.0 : set->row[row].bias;
}

/* The column of a row of the set, made if it is new. */
static int front_column(soa_closures *set, soa_front *front, int row)
{
    if (set->fronts.where[row] < 0) {
        const int at = front->rows++;
        set->fronts.where[row] = at;
        front->row[at] = row;
        front->missing[at] = row_ends(set, row);
        front->c[at] = row_bias(set, row);
    }
    return set->fronts.where[row];
}

/* Adds a front that came in, which ends so. */
static void front_add(soa_closures *set, soa_front *to, soa_front *from)
{
    for (int j = 0; j < from->rows; j++) {
        const int row = from->row[j], at = front_column(set, to, row);
        to->missing[at] -= row_ends(set, row) - from->missing[j];
        to->c[at] += from->c[j] - row_bias(set, row);
        to->scale[at] += from->scale[j];
        to->came[at] += from->came[j];
        for (int i = 0; i < 6; i++) {
            to->Y[i * to->width + at] += from->Y[i * from->width + j];
        }
    }
    for (int i = 0; i < from->rows; i++) {
        double *L = to->L + (size_t)set->fronts.where[from->row[i]] * (size_t)to->width;
        for (int j = 0; j < from->rows; j++) {
            L[set->fronts.where[from->row[j]]] += from->L[(size_t)i * (size_t)from->width + (size_t)j];
        }
    }
    front_end(set, from);
}

/* About how a body yields to forces at it, were it free: y* P^-1 y, moments and forces apart. */
typedef struct yielding {
    double turn, shift;
} yielding;

static yielding yielding_of(const articulated *P)
{
    const double turn = P->A.xx + P->A.yy + P->A.zz, shift = P->C.xx + P->C.yy + P->C.zz;
    return (yielding){ turn > 0.0 ? 3.0 / turn : 0.0, shift > 0.0 ? 3.0 / shift : 0.0 };
}

KERNEL double free_compliance(yielding by, force y)
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

static force front_get(const soa_front *front, int at)
{
    const double *Y = front->Y + at;
    const int w = front->width;
    return (force){ { Y[0], Y[w], Y[2 * w] }, { Y[3 * w], Y[4 * w], Y[5 * w] } };
}

/* A front of the rows of one tie without L, on 10 SOA_MAX_LANES numbers. */
static soa_front front_of_numbers(int rows, double *numbers)
{
    return (soa_front){ .rows = rows,
        .width = SOA_MAX_LANES,
        .Y = numbers,
        .c = numbers + 6 * SOA_MAX_LANES,
        .scale = numbers + 7 * SOA_MAX_LANES,
        .came = numbers + 8 * SOA_MAX_LANES };
}

/* Rows that do not stand side by side, one by one. */
static void insert_apart(soa_closures *set, soa_front *front, const soa_tie *tie, const soa_insertion *from)
{
    double numbers[10 * SOA_MAX_LANES] = { 0.0 };
    soa_front one = front_of_numbers(tie->rows, numbers);
    set->cross->insert(&one, from);
    for (int r = 0; r < tie->rows; r++) {
        const int at = set->fronts.where[tie->first + r];
        for (int i = 0; i < 6; i++) {
            front->Y[i * front->width + at] += one.Y[i * SOA_MAX_LANES + r];
        }
        front->c[at] += one.c[r];
        front->scale[at] += one.scale[r];
        front->came[at] += one.came[r];
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
            front->c[first + r] = set->row[row].bias;
        }
        front->missing[set->fronts.where[row]]--;
        together = together && set->fronts.where[row] == first + r;
    }
    return together;
}

static soa_insertion insertion_of(const soa_closures *set, int end, yielding by, const motion *base)
{
    const soa_tie *tie = &set->tie[end / 2];
    const soa_end *here = &tie->end[end % 2];
    const pose *X = &part_vars(&set->part[here->system].call)->W[here->body];
    const soa_tie_place *place = &set->place[end / 2];
    return (soa_insertion){ .W = place->W,
        .bias = place->bias,
        .R = &X->R.xx,
        .l = &X->l.x,
        .p = place->p,
        .base = &base->v.x,
        .sign = end % 2 == 0 ? 1.0 : -1.0,
        .turn = by.turn,
        .shift = by.shift };
}

/* The rows of a tie with an end at the node. */
static void front_insert(soa_closures *set, soa_front *front, int end, yielding by, const motion *base)
{
    const soa_tie *tie = &set->tie[end / 2];
    if (tie->coupling) {
        (void)front_column(set, front, tie->first);
        return; /* it acts while the joint is crossed */
    }
    soa_insertion from = insertion_of(set, end, by, base);
    if (tie_columns(set, front, tie, &from.at)) {
        set->cross->insert(front, &from);
    } else {
        from.at = 0;
        insert_apart(set, front, tie, &from);
    }
}

/* A front of the rows of one tie, the first end of which is at the node. */
static soa_front *front_begin(soa_closures *set, int end, yielding by, const motion *base)
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
    set->cross->insert(front, &from);
    return front;
}

#endif
