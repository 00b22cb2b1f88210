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
#define EARLY_PIVOT   1e-5
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

/* The front at a node from what came in and what ends there; NULL: none. */
static soa_front *front_at(soa_closures *set, soa_node *node, const articulated *P, motion base)
{
    if (!node->came || (!node->came->other && node->end < 0)) {
        if (!node->came && node->end < 0) {
            return NULL;
        }
        if (node->came) {
            return node->came;
        }
    }
    int rows = 0;
    for (const soa_front *f = node->came; f; f = f->other) {
        rows += f->rows;
    }
    for (int e = node->end; e >= 0; e = set->next_end[e]) {
        rows += set->tie[e / 2].rows;
    }
    soa_front *front = front_new(set, rows);
    if (!front) {
        return NULL;
    }
    for (const soa_front *f = node->came; f; f = f->other) {
        front_add(set, front, f);
    }
    for (int e = node->end; e >= 0; e = set->next_end[e]) {
        front_insert(set, front, e, P, base);
    }
    for (int j = 0; j < front->rows; j++) {
        set->where[front->row[j]] = -1;
    }
    return front;
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

/* How good a pivot of a row would be, 0: none; *drop: there never will be one. */
static double pivot_quality(
    const soa_closures *set, const soa_front *front, int j, double first, const articulated *P, bool *drop)
{
    const double d = front->L[(size_t)j * (size_t)front->width + (size_t)j], scale = front->scale[j];
    *drop = false;
    if (front->missing[j] > 0) {
        return 0.0;
    }
    const double here = P ? free_compliance(P, front_get(front, j)) : 0.0;
    if (here <= NOTHING_LEFT * front->came[j]) { /* nothing inward will change it */
        *drop = !(d > set->tolerance * scale);
        return *drop ? 0.0 : d / scale;
    }
    return d > EARLY_PIVOT * here && d > EARLY_DOWN_TO * first && d > set->tolerance * scale ? d / scale : 0.0;
}

/* Takes row p out of the others and adds it to the node. */
static void eliminate_row(soa_front *front, const soa_pivot *pivot, const bool *gone, node_load load)
{
    const size_t width = (size_t)front->width;
    const force Y = { { pivot->Y[0], pivot->Y[1], pivot->Y[2] }, { pivot->Y[3], pivot->Y[4], pivot->Y[5] } };
    if (load.P) {
        *load.P = articulated_add_outer(*load.P, Y, pivot->inverse);
        *load.z = force_scale_add(pivot->inverse * pivot->c, Y, *load.z);
    }
    for (int j = 0; j < front->rows; j++) {
        const double l = pivot->inverse * pivot->L[j];
        if (gone[j] || l == 0.0) {
            continue;
        }
        for (size_t i = 0; i < 6; i++) {
            front->Y[i * width + (size_t)j] -= l * pivot->Y[i];
        }
        front->c[j] -= l * pivot->c;
        double *L = front->L + (size_t)j * width;
        for (int i = 0; i < front->rows; i++) {
            L[i] -= l * pivot->L[i];
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
    for (int j = 0; j < front->rows; j++) {
        pivot->L[j] = gone[j] || j == p ? 0.0 : L[j];
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

/* The best row to solve next; -1: none. Those that depend on others, none being better, come last. */
static int next_row(const soa_closures *set, const soa_front *front, const bool *gone, const double *first,
    const articulated *P, bool *dependent)
{
    int best = -1, dropped = -1;
    double quality = 0.0;
    for (int j = 0; j < front->rows; j++) {
        bool drop = false;
        const double x = gone[j] ? 0.0 : pivot_quality(set, front, j, first[j], P, &drop);
        if (x > quality) {
            quality = x;
            best = j;
        }
        dropped = drop && !gone[j] ? j : dropped;
    }
    *dependent = best < 0;
    return best >= 0 ? best : dropped;
}

/* Solves all rows of a front that can be solved at the node. */
static void front_solve(soa_closures *set, int node, soa_front *front, node_load load)
{
    const int rows = front->rows;
    bool *gone = soa_stack_take(&set->stack, (size_t)rows, sizeof *gone);
    double *first = soa_stack_take(&set->stack, (size_t)rows, sizeof *first);
    if (set->stack.overflow) {
        return;
    }
    for (int j = 0; j < rows; j++) {
        gone[j] = false;
        first[j] = front->L[(size_t)j * (size_t)front->width + (size_t)j];
    }
    bool dependent = false;
    int p = next_row(set, front, gone, first, load.P, &dependent);
    if (p < 0) {
        return;
    }
    soa_block *block = &set->block[set->blocks];
    *block = (soa_block){ .node = node, .rows = rows };
    block->row = soa_stack_take(&set->stack, (size_t)rows, sizeof *block->row);
    block->pivot = soa_stack_take(&set->stack, (size_t)rows, sizeof *block->pivot);
    if (set->stack.overflow) {
        return;
    }
    memcpy(block->row, front->row, (size_t)rows * sizeof *block->row);
    for (int j = 0; j < rows; j++) {
        int *before = &set->first_block[front->row[j]];
        *before = *before < 0 ? set->blocks : *before;
    }
    for (; p >= 0; p = next_row(set, front, gone, first, load.P, &dependent)) {
        soa_pivot *pivot = &block->pivot[block->pivots++];
        make_pivot(set, front, p, dependent, gone, pivot);
        if (set->stack.overflow) {
            return;
        }
        gone[p] = true;
        if (dependent) {
            set->dependent++;
        } else {
            eliminate_row(front, pivot, gone, load);
        }
    }
    block->before = node == SOA_NO_NODE ? -1 : set->node[node].block;
    if (node != SOA_NO_NODE) {
        set->node[node].block = set->blocks;
        set->eliminated += block->pivots;
    }
    set->blocks++;
    compact(front, gone);
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
