/* closure/front.kernel.h - fronts: rows that came to a node, and solving those that can be.
 *
 * A row is solved where both its ends have come in and what lies outboard yields along it: then
 *     lambda_p = -(Y_p alpha + c_p + L_pj lambda_j) / L_pp
 * adds Y_p Y_p* / L_pp to the inertia of the node and Y_p c_p / L_pp to its force. A row whose
 * pivot is small beside the compliance of the node goes on inward: the joints there add to it. */
#ifndef SOA_CLOSURE_FRONT_KERNEL_H
#define SOA_CLOSURE_FRONT_KERNEL_H

#include "closure/rows.kernel.h"

/* Solved here if the pivot exceeds this part of the compliance of the node, and of its own first value. */
#define EARLY_PIVOT   1e-3
#define EARLY_DOWN_TO 1e-7
/* Y has cancelled if its compliance is below this part of what was added. */
#define NOTHING_LEFT 1e-22

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

/* What a force y at a body does to it, were it free: about y* P^-1 y, moments and forces apart. */
static double free_compliance(const articulated *P, force y)
{
    const double turn = P->A.xx + P->A.yy + P->A.zz, shift = P->C.xx + P->C.yy + P->C.zz;
    const double by_turn = turn > 0.0 ? 3.0 * vec3_dot(y.n, y.n) / turn : 0.0;
    return by_turn + (shift > 0.0 ? 3.0 * vec3_dot(y.f, y.f) / shift : 0.0);
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
static void front_insert(soa_closures *set, soa_front *front, int end, const articulated *P, motion base)
{
    const soa_tie *tie = &set->tie[end / 2];
    for (int r = 0; r < tie->rows; r++) {
        const soa_row *row = &set->row[tie->first + r];
        const int at = front_column(set, front, tie->first + r);
        if (tie->coupling) {
            continue; /* it acts while the joint is crossed */
        }
        const force y = row_on_body(set, tie, row, end % 2);
        const double compliance = free_compliance(P, y);
        front_put(front, at, y);
        front->missing[at]--;
        front->scale[at] += compliance;
        front->came[at] += compliance;
        /* alpha counts gravity as an acceleration of the base: take it off */
        const double sign = end % 2 == 0 ? -1.0 : 1.0;
        front->c[at] += sign * vec3_dot(vec3_set(row->W + 3), base.v);
    }
}

/* ---- solving rows ----------------------------------------------------------------------------------- */

/* The inertia and force of the node to which solved rows add; NULL at the end, where alpha is known. */
typedef struct node_load {
    articulated *P;
    force *z;
} node_load;

static articulated articulated_add_outer(articulated P, force u, real s)
{
    const force g = force_scale(-s, u);
    return (articulated){
        sym3_sub_outer(P.A, g.n, u.n),
        mat3_sub_outer(P.B, g.n, u.f),
        sym3_sub_outer(P.C, g.f, u.f),
    };
}

/* What may become of a row at a node. */
typedef enum row_fate { ROW_GOES_ON, ROW_SOLVED, ROW_DEPENDS } row_fate;

static row_fate fate_of(const soa_closures *set, const soa_front *front, int j, double first, const articulated *P)
{
    const double d = front->L[(size_t)j * (size_t)front->width + (size_t)j], scale = front->scale[j];
    if (front->missing[j] > 0) {
        return ROW_GOES_ON;
    }
    const double here = P ? free_compliance(P, front_get(front, j)) : 0.0;
    if (here <= NOTHING_LEFT * front->came[j]) { /* nothing inward will change it */
        return d > set->tolerance * scale ? ROW_SOLVED : ROW_DEPENDS;
    }
    return d > EARLY_PIVOT * here && d > EARLY_DOWN_TO * first && d > set->tolerance * scale ? ROW_SOLVED : ROW_GOES_ON;
}

/* x -= s y, width numbers: a multiple of eight. */
static inline void subtract_row(int width, double s, const double *restrict y, double *restrict x)
{
    for (int at = 0; at < width; at += SOA_MAX_LANES) {
        for (int i = at; i < at + SOA_MAX_LANES; i++) {
            x[i] = real_fma(-s, y[i], x[i]);
        }
    }
}

/* Takes row p out of the others and adds it to the node. pivot->L is zero for rows that are gone. */
static void eliminate_row(soa_front *front, const soa_pivot *pivot, node_load load)
{
    const int width = front->width;
    const force Y = { { pivot->Y[0], pivot->Y[1], pivot->Y[2] }, { pivot->Y[3], pivot->Y[4], pivot->Y[5] } };
    if (load.P) {
        *load.P = articulated_add_outer(*load.P, Y, pivot->inverse);
        *load.z = force_scale_add(pivot->inverse * pivot->c, Y, *load.z);
    }
    for (int i = 0; i < 6; i++) {
        subtract_row(width, pivot->inverse * pivot->Y[i], pivot->L, front->Y + i * width);
    }
    subtract_row(width, pivot->inverse * pivot->c, pivot->L, front->c);
    for (int j = 0; j < front->rows; j++) {
        if (pivot->L[j] != 0.0) {
            subtract_row(width, pivot->inverse * pivot->L[j], pivot->L, front->L + (size_t)j * (size_t)width);
        }
    }
}

/* Notes row p as solved, or as depending on others. */
static void make_pivot(
    soa_closures *set, const soa_front *front, int p, bool dependent, const bool *gone, soa_pivot *pivot)
{
    const double *L = front->L + (size_t)p * (size_t)front->width, d = L[p];
    *pivot = (soa_pivot){ .at = p, .inverse = dependent ? 0.0 : 1.0 / d, .c = front->c[p], .scale = front->scale[p] };
    pivot->L = soa_stack_take(&set->stack, (size_t)front->width, sizeof *pivot->L);
    if (!pivot->L) {
        return;
    }
    for (int j = 0; j < front->width; j++) {
        pivot->L[j] = j >= front->rows || gone[j] || j == p ? 0.0 : L[j];
    }
    for (int i = 0; i < 6; i++) {
        pivot->Y[i] = dependent ? 0.0 : front->Y[i * front->width + p];
    }
    const double relative = front->scale[p] > 0.0 ? d / front->scale[p] : 1.0;
    if (!dependent) {
        set->largest_pivot = fmax(set->largest_pivot, relative);
        set->smallest_pivot = fmin(set->smallest_pivot, relative);
    }
}

/* What is left of a front moves together. */
static void compact(soa_front *front, const bool *gone)
{
    const int old = front->rows, width = front->width;
    int to = 0;
    for (int j = 0; j < old; j++) {
        if (gone[j]) {
            continue;
        }
        front->row[to] = front->row[j];
        front->missing[to] = front->missing[j];
        front->c[to] = front->c[j];
        front->scale[to] = front->scale[j];
        front->came[to] = front->came[j];
        for (int i = 0; i < 6; i++) {
            front->Y[i * width + to] = front->Y[i * width + j];
        }
        double *L = front->L + (size_t)to * (size_t)width, *from = front->L + (size_t)j * (size_t)width;
        int at = 0;
        for (int i = 0; i < old; i++) {
            if (!gone[i]) {
                L[at++] = from[i];
            }
        }
        for (int i = at; i < old; i++) {
            L[i] = 0.0;
        }
        to++;
    }
    for (int j = to; j < old; j++) {
        front->c[j] = 0.0;
        for (int i = 0; i < 6; i++) {
            front->Y[i * width + j] = 0.0;
        }
    }
    front->rows = to;
}

/* What is known of the rows of a front while they are solved. */
typedef struct solving {
    bool *gone, *passed; /* solved or dependent; looked at and left for later */
    double *first;       /* L_jj at first */
} solving;

/* The row with the largest pivot of those not yet looked at; -1: none. */
static int largest_row(const soa_front *front, const solving *s)
{
    int best = -1;
    double quality = -1.0;
    for (int j = 0; j < front->rows; j++) {
        const double d = front->L[(size_t)j * (size_t)front->width + (size_t)j];
        if (!s->gone[j] && !s->passed[j] && (best < 0 || d > quality * front->scale[j])) {
            best = j;
            quality = front->scale[j] > 0.0 ? d / front->scale[j] : 0.0;
        }
    }
    return best;
}

/* The next row to solve, or one that depends on others when there is none to solve; -1: neither. */
static int next_row(
    const soa_closures *set, const soa_front *front, const solving *s, const articulated *P, bool *depends)
{
    int dependent = -1;
    for (int j = largest_row(front, s); j >= 0; j = largest_row(front, s)) {
        const row_fate fate = fate_of(set, front, j, s->first[j], P);
        if (fate == ROW_SOLVED) {
            *depends = false;
            return j;
        }
        s->passed[j] = true;
        dependent = fate == ROW_DEPENDS ? j : dependent;
    }
    *depends = dependent >= 0;
    return dependent;
}

static soa_block *block_new(soa_closures *set, int node, const soa_front *front)
{
    const size_t rows = (size_t)front->rows;
    soa_block *block = &set->block[set->blocks];
    *block = (soa_block){ .node = node, .rows = front->rows, .before = -1 };
    block->row = soa_stack_take(&set->stack, rows, sizeof *block->row);
    block->pivot = soa_stack_take(&set->stack, rows, sizeof *block->pivot);
    if (set->stack.overflow) {
        return NULL;
    }
    memcpy(block->row, front->row, rows * sizeof *block->row);
    for (int j = 0; j < front->rows; j++) {
        int *before = &set->first_block[front->row[j]];
        *before = *before < 0 ? set->blocks : *before;
    }
    if (node != SOA_NO_NODE) {
        block->before = set->node[node].block;
        set->node[node].block = set->blocks;
    }
    set->blocks++;
    return block;
}

/* Solves all rows of a front that can be solved at the node. */
static void front_solve(soa_closures *set, int node, soa_front *front, node_load load)
{
    const size_t rows = (size_t)front->rows;
    double *first = soa_stack_take(&set->stack, rows, sizeof *first);
    bool *flags = soa_stack_take(&set->stack, 2 * rows, sizeof *flags);
    if (set->stack.overflow) {
        return;
    }
    const solving s = { flags, flags + rows, first };
    for (size_t j = 0; j < rows; j++) {
        s.gone[j] = s.passed[j] = false;
        first[j] = front->L[j * (size_t)front->width + j];
    }
    bool depends = false;
    int p = next_row(set, front, &s, load.P, &depends);
    soa_block *block = p < 0 ? NULL : block_new(set, node, front);
    for (; p >= 0 && block; p = next_row(set, front, &s, load.P, &depends)) {
        soa_pivot *pivot = &block->pivot[block->pivots++];
        make_pivot(set, front, p, depends, s.gone, pivot);
        if (set->stack.overflow) {
            return;
        }
        s.gone[p] = true;
        if (depends) {
            set->dependent++;
        } else {
            eliminate_row(front, pivot, load);
        }
        memset(s.passed, 0, rows * sizeof *s.passed);
    }
    if (block) {
        set->eliminated += node == SOA_NO_NODE ? 0 : block->pivots;
        compact(front, s.gone);
    }
}

/* lambda of the rows of a block, alpha of its node known. */
static void block_back(soa_closures *set, const soa_block *block, motion alpha)
{
    for (int i = block->pivots - 1; i >= 0; i--) {
        const soa_pivot *p = &block->pivot[i];
        const force Y = { { p->Y[0], p->Y[1], p->Y[2] }, { p->Y[3], p->Y[4], p->Y[5] } };
        double sum = p->c + power(Y, alpha);
        for (int j = 0; j < block->rows; j++) {
            if (p->L[j] != 0.0) {
                sum += p->L[j] * set->lambda[block->row[j]];
            }
        }
        set->lambda[block->row[p->at]] = -(p->inverse * sum);
    }
}

#endif
