/* closure/block.kernel.h - what is noted of the rows that are solved at a node, and what they add to it.
 *
 *     P += Y Y* / L,   z += Y c / L,   lambda = -(Y alpha + c + sum_j L_j lambda_j) / L */
#ifndef SOA_CLOSURE_BLOCK_KERNEL_H
#define SOA_CLOSURE_BLOCK_KERNEL_H

#include "closure/front.kernel.h"

/* ---- solving rows ----------------------------------------------------------------------------------- */

/* The inertia and force of the node to which solved rows add; NULL at the end, where alpha is known. */
typedef struct node_load {
    articulated *P;
    force *z;
    yielding by;
    motion base; /* gravity as an acceleration */
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

KERNEL force pivot_force(const pivot_numbers *p)
{
    const real *Y = p->Y;
    const size_t n = p->pitch;
    return (force){ { Y[0], Y[n], Y[2 * n] }, { Y[3 * n], Y[4 * n], Y[5 * n] } };
}

/* What the rows of a block add to the node. */
static void load_node(const soa_block *block, const node_load *load)
{
    articulated P = *load->P;
    force z = *load->z;
    for (int i = 0; i < block->pivots; i++) {
        const pivot_numbers *p = &pivots_of(block)[i];
        const force Y = pivot_force(p);
        P = articulated_add_outer(P, Y, p->inverse);
        z = force_scale_add(p->inverse * p->c, Y, z);
    }
    *load->P = P;
    *load->z = z;
}

/* Scaled ones, for the condition. */
#if defined(STATES)
static void note_pivots(soa_closures *set, real largest, real smallest)
{
    states_solution *x = solution_of(set);
    x->largest_pivot = real_select(real_less(x->largest_pivot, largest), largest, x->largest_pivot);
    x->smallest_pivot = real_select(real_less(smallest, x->smallest_pivot), smallest, x->smallest_pivot);
}
#else
static void note_pivots(soa_closures *set, double largest, double smallest)
{
    set->last.largest_pivot = largest > set->last.largest_pivot ? largest : set->last.largest_pivot;
    set->last.smallest_pivot = smallest < set->last.smallest_pivot ? smallest : set->last.smallest_pivot;
}
#endif

/* What is left of a front moves together; the list of its rows stays for those who know it. */
static void compact(soa_closures *set, soa_front *front, const bool *gone)
{
    int *row = soa_stack_take(&set->stack, (size_t)front->width, sizeof *row);
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
        cells(front->c)[to] = cells(front->c)[j];
        cells(front->scale)[to] = cells(front->scale)[j];
        cells(front->came)[to] = cells(front->came)[j];
        for (int i = 0; i < 6; i++) {
            cells(front->Y)[i * width + to] = cells(front->Y)[i * width + j];
        }
        cell *L = cells(front->L) + (size_t)to * (size_t)width, *from = cells(front->L) + (size_t)j * (size_t)width;
        int at = 0;
        for (int i = 0; i < old; i++) {
            if (!gone[i]) {
                L[at++] = from[i];
            }
        }
        for (int i = at; i < old; i++) {
            L[i] = real_set(0.0);
        }
        to++;
    }
    for (int j = to; j < old; j++) {
        cells(front->c)[j] = real_set(0.0);
        for (int i = 0; i < 6; i++) {
            cells(front->Y)[i * width + j] = real_set(0.0);
        }
    }
    front->rows = to;
    front->row = row;
}

static soa_block *block_new(soa_closures *set, int node, const soa_front *front)
{
    if (set->fronts.blocks == set->fronts.most_blocks) { /* each has a pivot; with states in lanes, in some lane */
        set->stack.overflow = true;
        return NULL;
    }
    soa_block *block = &set->fronts.block[set->fronts.blocks];
    *block = (soa_block){ .node = node, .rows = front->rows, .before = -1 };
    block->row = front->row;
    block->pivot = soa_stack_take(&set->stack, (size_t)front->rows, sizeof(pivot_numbers));
    if (!block->pivot) {
        return NULL;
    }
    for (int j = 0; j < front->rows; j++) {
        int *before = &set->fronts.first_block[front->row[j]];
        *before = *before < 0 ? set->fronts.blocks : *before;
    }
    if (node != SOA_NO_NODE) {
        block->before = set->node[node].block;
        set->node[node].block = set->fronts.blocks;
    }
    set->fronts.blocks++;
    return block;
}

#if !defined(STATES)

/* A block for the rows of a front, with room for L and Y of its pivots. */
static soa_block *block_with_room(soa_closures *set, int node, const soa_front *front)
{
    const size_t each = (size_t)front->width + SOA_MAX_LANES;
    double *L = soa_stack_take(&set->stack, (size_t)front->rows * each, sizeof *L);
    soa_block *block = L ? block_new(set, node, front) : NULL;
    for (int j = 0; block && j < front->rows; j++) {
        block->pivot[j].L = L + (size_t)j * each;
    }
    return block;
}

/* What is known of the rows of a front while they are solved. */
typedef struct solving {
    bool *gone;  /* solved, or dependent */
    int *passed; /* the round in which it was looked at and left for later */
    int *round;
    double *first;     /* L_jj at first */
    double *per_scale; /* 1 / scale */
    double *quality;   /* L_jj / scale; -infinity when gone */
    double *stays;     /* 1, or 0 when gone; as wide as the front */
} solving;

/* Notes row p as solved, or as depending on others. */
static void make_pivot(
    soa_closures *set, const soa_front *front, int p, bool dependent, const solving *s, soa_pivot *pivot)
{
    const double *L = front->L + (size_t)p * (size_t)front->width, d = L[p];
    pivot->at = p;
    pivot->inverse = dependent ? 0.0 : 1.0 / d;
    pivot->c = front->c[p];
    if (dependent) { /* else subtract() notes it */
        memset(pivot->L, 0, (size_t)front->width * sizeof *pivot->L);
    }
    double *Y = pivot->L + front->width;
    for (int i = 0; i < 6; i++) {
        Y[i] = dependent ? 0.0 : front->Y[i * front->width + p];
    }
    pivot->Y = Y;
    pivot->pitch = 1;
    const double part = d * s->per_scale[p];
    if (!dependent) {
        note_pivots(set, part, part);
    } else if (fabs(part) > set->last.dropped_pivot) {
        set->last.dropped_pivot = fabs(part);
    }
}

#endif

#endif
