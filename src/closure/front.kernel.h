/* closure/front.kernel.h - fronts: rows that came to a node, and closures that end there. */
#ifndef SOA_CLOSURE_FRONT_KERNEL_H
#define SOA_CLOSURE_FRONT_KERNEL_H

#include "closure/locate.kernel.h"

/* ---- making fronts -------------------------------------------------------------------------------- */

static soa_front *front_new(soa_closures *set, int rows)
{
    const int width = (rows + SOA_MAX_LANES - 1) / SOA_MAX_LANES * SOA_MAX_LANES;
    const size_t w = (size_t)width;
    soa_front *front = soa_stack_take(&set->stack, 1, sizeof *front);
    int *ints = soa_stack_take(&set->stack, 2 * w, sizeof *ints);
    double *numbers = soa_stack_take(&set->stack, w * (9 + (size_t)rows), sizeof *numbers);
    if (set->stack.overflow) {
        return NULL;
    }
    memset(numbers, 0, w * (9 + (size_t)rows) * sizeof *numbers);
    *front = (soa_front){ .rows = 0,
        .width = width,
        .row = ints,
        .missing = ints + w,
        .Y = numbers,
        .c = numbers + 6 * w,
        .scale = numbers + 7 * w,
        .came = numbers + 8 * w,
        .L = numbers + 9 * w };
    return front;
}

/* The column of a row of the set, made if it is new. */
static int front_column(soa_closures *set, soa_front *front, int row)
{
    if (set->where[row] < 0) {
        const soa_tie *tie = &set->tie[set->row[row].tie];
        const int at = front->rows++;
        set->where[row] = at;
        front->row[at] = row;
        front->missing[at] = (tie->a.node != SOA_NO_NODE) + (tie->b.node != SOA_NO_NODE);
        front->c[at] = set->row[row].bias;
    }
    return set->where[row];
}

/* Adds a front that came in. */
static void front_add(soa_closures *set, soa_front *to, const soa_front *from)
{
    for (int j = 0; j < from->rows; j++) {
        const int row = from->row[j], at = front_column(set, to, row);
        const soa_tie *tie = &set->tie[set->row[row].tie];
        const int all = (tie->a.node != SOA_NO_NODE) + (tie->b.node != SOA_NO_NODE);
        to->missing[at] -= all - from->missing[j];
        to->c[at] += from->c[j] - set->row[row].bias;
        to->scale[at] += from->scale[j];
        to->came[at] += from->came[j];
        for (int i = 0; i < 6; i++) {
            to->Y[i * to->width + at] += from->Y[i * from->width + j];
        }
    }
    for (int i = 0; i < from->rows; i++) {
        double *L = to->L + (size_t)set->where[from->row[i]] * (size_t)to->width;
        for (int j = 0; j < from->rows; j++) {
            L[set->where[from->row[j]]] += from->L[(size_t)i * (size_t)from->width + (size_t)j];
        }
    }
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

static void front_put(soa_front *front, int at, force y)
{
    const double x[6] = { y.n.x, y.n.y, y.n.z, y.f.x, y.f.y, y.f.z };
    for (int i = 0; i < 6; i++) {
        front->Y[i * front->width + at] += x[i];
    }
}

static force front_get(const soa_front *front, int at)
{
    const double *Y = front->Y + at;
    const int w = front->width;
    return (force){ { Y[0], Y[w], Y[2 * w] }, { Y[3 * w], Y[4 * w], Y[5 * w] } };
}

/* The rows of a tie with an end at the node. */
static void front_insert(soa_closures *set, soa_front *front, int end, yielding by, motion base)
{
    const soa_tie *tie = &set->tie[end / 2];
    const double sign = end % 2 == 0 ? 1.0 : -1.0;
    if (tie->coupling) {
        (void)front_column(set, front, tie->first);
        return; /* it acts while the joint is crossed */
    }
    const soa_end *here = end % 2 == 0 ? &tie->a : &tie->b;
    const pose X = part_vars(&set->part[here->system].call)->W[here->body];
    const vec3 p = vec3_set(set->place[end / 2].p);
    const vec3 l = mat3_t_mul_vec(X.R, vec3_sub(p, X.l)); /* as row_at does it, what rows share once */
    for (int r = 0; r < tie->rows; r++) {
        const soa_row *row = &set->row[tie->first + r];
        const int at = front_column(set, front, tie->first + r);
        force y = { vec3_zero(), vec3_zero() };
        if (!row->turns) {
            y.f = mat3_t_mul_vec(X.R, vec3_scale(sign, vec3_set(row->W + 3)));
            y.n = vec3_cross(l, y.f);
        }
        if (!row->shifts) {
            y.n = vec3_add(y.n, mat3_t_mul_vec(X.R, vec3_scale(sign, vec3_set(row->W))));
        }
        const double compliance = free_compliance(by, y);
        front_put(front, at, y);
        front->missing[at]--;
        front->scale[at] += compliance;
        front->came[at] += compliance;
        /* alpha counts gravity as an acceleration of the base: take it off */
        front->c[at] -= sign * vec3_dot(vec3_set(row->W + 3), base.v);
    }
}

#endif
