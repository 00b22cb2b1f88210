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
#define EARLY_PIVOT   1e-6
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
    const pose X = vars_at(&set->part[here->system].call)->W[here->body];
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

/* ---- solving rows ----------------------------------------------------------------------------------- */

/* The inertia and force of the node to which solved rows add; NULL at the end, where alpha is known. */
typedef struct node_load {
    articulated *P;
    force *z;
    yielding by;
} node_load;

KERNEL articulated articulated_add_outer(articulated P, force u, real s)
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

static row_fate fate_of(const soa_closures *set, const soa_front *front, int j, double first, const node_load *load)
{
    const double d = front->L[(size_t)j * (size_t)front->width + (size_t)j], scale = front->scale[j];
    if (front->missing[j] > 0) {
        return ROW_GOES_ON;
    }
    const double here = load->P ? free_compliance(load->by, front_get(front, j)) : 0.0;
    if (here <= NOTHING_LEFT * front->came[j]) { /* nothing inward will change it */
        return d > set->tolerance * scale ? ROW_SOLVED : ROW_DEPENDS;
    }
    return d > EARLY_PIVOT * here && d > EARLY_DOWN_TO * first && d > set->tolerance * scale ? ROW_SOLVED : ROW_GOES_ON;
}

/* What the rows of a block add to the node. */
static void load_node(const soa_block *block, const node_load *load)
{
    articulated P = *load->P;
    force z = *load->z;
    for (int i = 0; i < block->pivots; i++) {
        const soa_pivot *p = &block->pivot[i];
        const force Y = { { p->Y[0], p->Y[1], p->Y[2] }, { p->Y[3], p->Y[4], p->Y[5] } };
        P = articulated_add_outer(P, Y, p->inverse);
        z = force_scale_add(p->inverse * p->c, Y, z);
    }
    *load->P = P;
    *load->z = z;
}

/* What is known of the rows of a front while they are solved. */
typedef struct solving {
    bool *gone;  /* solved, or dependent */
    int *passed; /* the round in which it was looked at and left for later */
    int *round;
    double *first;     /* L_jj at first */
    double *per_scale; /* 1 / scale */
    double *quality; /* L_jj / scale; -infinity when gone */
    double *stays;   /* 1, or 0 when gone; as wide as the front */
} solving;

/* Notes row p as solved, or as depending on others. */
static void make_pivot(
    soa_closures *set, const soa_front *front, int p, bool dependent, const solving *s, soa_pivot *pivot)
{
    const double *L = front->L + (size_t)p * (size_t)front->width, d = L[p];
    pivot->at = p;
    pivot->inverse = dependent ? 0.0 : 1.0 / d;
    pivot->c = front->c[p];
    for (int j = 0; dependent && j < front->width; j++) { /* else subtract() notes it */
        pivot->L[j] = s->stays[j] * L[j];
    }
    for (int i = 0; i < 6; i++) {
        pivot->Y[i] = dependent ? 0.0 : front->Y[i * front->width + p];
    }
    const double relative = d * s->per_scale[p];
    if (!dependent && relative > set->largest_pivot) {
        set->largest_pivot = relative;
    }
    if (!dependent && relative < set->smallest_pivot) {
        set->smallest_pivot = relative;
    }
}

/* What is left of a front moves together; the list of its rows stays for those who know it. */
static void compact(soa_closures *set, soa_front *front, const bool *gone)
{
    int *row = soa_stack_take(&set->stack, (size_t)front->rows, sizeof *row);
    if (!row) {
        return;
    }
    const int old = front->rows, width = front->width;
    int to = 0;
    for (int j = 0; j < old; j++) {
        if (gone[j]) {
            continue;
        }
        row[to] = front->row[j];
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
    front->row = row;
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

static soa_block *block_new(soa_closures *set, int node, const soa_front *front)
{
    const size_t rows = (size_t)front->rows;
    soa_block *block = &set->block[set->blocks];
    *block = (soa_block){ .node = node, .rows = front->rows, .before = -1 };
    block->row = front->row;
    block->pivot = soa_stack_take(&set->stack, rows, sizeof *block->pivot);
    double *L = soa_stack_take(&set->stack, rows * (size_t)front->width, sizeof *L);
    if (set->stack.overflow) {
        return NULL;
    }
    for (int j = 0; j < front->rows; j++) {
        block->pivot[j].L = L + (size_t)j * (size_t)front->width;
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
static void front_solve(soa_closures *set, int node, soa_front *front, const node_load *load)
{
    const size_t rows = (size_t)front->rows;
    double *stays = soa_stack_take(&set->stack, (size_t)front->width, sizeof *stays);
    double *first = soa_stack_take(&set->stack, 3 * rows, sizeof *first);
    int *passed = soa_stack_take(&set->stack, rows, sizeof *passed), round = 1;
    bool *gone = soa_stack_take(&set->stack, rows, sizeof *gone);
    if (set->stack.overflow) {
        return;
    }
    const solving s = { gone, passed, &round, first, first + rows, first + 2 * rows, stays };
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
    soa_block *block = p < 0 ? NULL : block_new(set, node, front);
    for (; p >= 0 && block; p = next_row(set, front, &s, load, &depends)) {
        soa_pivot *pivot = &block->pivot[block->pivots++];
        stays[p] = 0.0;
        make_pivot(set, front, p, depends, &s, pivot);
        s.gone[p] = true;
        if (depends) {
            set->dependent++;
        } else {
            set->cross->subtract(front, pivot, stays);
        }
        rate_rows(front, &s);
        round++;
    }
    if (block && load->P) {
        load_node(block, load);
    }
    if (block) {
        set->eliminated += node == SOA_NO_NODE ? 0 : block->pivots;
        if (block->pivots == (int)rows) {
            front->rows = 0;
        } else {
            compact(set, front, gone);
        }
    }
}

/* lambda of the rows of a block, alpha of its node known. First what rows solved later do, then row by row inwards
 * in the block: each, once known, is taken into those before it. */
static void block_back(soa_closures *set, const soa_block *block, motion alpha)
{
    for (int i = 0; i < block->pivots; i++) {
        set->lambda[block->row[block->pivot[i].at]] = 0.0;
    }
    for (int i = 0; i < block->pivots; i++) {
        soa_pivot *p = &block->pivot[i];
        const force Y = { { p->Y[0], p->Y[1], p->Y[2] }, { p->Y[3], p->Y[4], p->Y[5] } };
        p->sum = p->c + power(Y, alpha);
        for (int j = 0; block->pivots < block->rows && j < block->rows; j++) {
            p->sum = real_fma(p->L[j], set->lambda[block->row[j]], p->sum);
        }
    }
    for (int i = block->pivots - 1; i >= 0; i--) {
        const soa_pivot *p = &block->pivot[i];
        const double lambda = -(p->inverse * p->sum);
        set->lambda[block->row[p->at]] = lambda;
        for (int k = 0; k < i; k++) {
            block->pivot[k].sum = real_fma(block->pivot[k].L[p->at], lambda, block->pivot[k].sum);
        }
    }
}

#endif
