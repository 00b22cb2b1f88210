/* closure/gather.kernel.h - what comes to a node: fronts of other nodes, and closures that end there.
 *
 * Fronts that share no row have nothing to do with each other: each is solved by itself, together with the
 * closures that end here, before what is left of them goes on as one. So of many arms that hold an
 * object each costs the object the same. */
#ifndef SOA_CLOSURE_GATHER_KERNEL_H
#define SOA_CLOSURE_GATHER_KERNEL_H

#if defined(STATES)
#include "closure/pivot_states.kernel.h"
#else
#include "closure/pivot.kernel.h"
#endif

/* Fronts at a node, in groups that share rows. */
typedef struct gathering {
    int fronts;
    soa_front **front;
    int *group;    /* by front: another of its group, itself if it is the first */
    int *end;      /* by front: first end here that belongs to the group of which it is the first, or -1 */
    int lone;      /* first end whose rows are in no front, or -1 */
    int *next_end; /* by 2 tie + side is too long: by place in the list of ends of the node */
    int *ends;     /* place in the list -> 2 tie + side */
} gathering;

static int first_of(const gathering *g, int i)
{
    while (g->group[i] != i) {
        i = g->group[i];
    }
    return i;
}

/* Notes in set->fronts.where which front has a row; joins fronts that have the same. */
static void group_fronts(soa_closures *set, gathering *g)
{
    for (int i = 0; i < g->fronts; i++) {
        for (int j = 0; j < g->front[i]->rows; j++) {
            int *owner = &set->fronts.where[g->front[i]->row[j]];
            if (*owner < 0) {
                *owner = i;
                continue;
            }
            const int a = first_of(g, *owner), b = first_of(g, i);
            g->group[a < b ? b : a] = a < b ? a : b;
        }
    }
}

static void group_ends(soa_closures *set, const soa_node *node, gathering *g)
{
    int at = 0;
    for (int e = node->end; e >= 0; e = set->plan.next_end[e], at++) {
        const int owner = set->fronts.where[set->tie[e / 2].first];
        int *list = owner < 0 ? &g->lone : &g->end[first_of(g, owner)];
        g->ends[at] = e;
        g->next_end[at] = *list;
        *list = at;
    }
    for (int i = 0; i < g->fronts; i++) {
        for (int j = 0; j < g->front[i]->rows; j++) {
            set->fronts.where[g->front[i]->row[j]] = -1;
        }
    }
}

/* Lists and groups what has come to a node; false: no room. */
static bool gathering_new(soa_closures *set, const soa_node *node, gathering *g)
{
    int fronts = 0, ends = 0;
    for (const soa_front *f = node->came; f; f = f->other) {
        fronts++;
    }
    for (int e = node->end; e >= 0; e = set->plan.next_end[e]) {
        ends++;
    }
    int *ints = soa_stack_borrow(&set->stack, 2 * (size_t)fronts + 2 * (size_t)ends, sizeof *ints);
    soa_front **list = soa_stack_borrow(&set->stack, (size_t)fronts, sizeof(soa_front *));
    if (set->stack.overflow) {
        return false;
    }
    *g = (gathering){ .fronts = fronts, .front = list, .group = ints, .end = ints + fronts, .lone = -1 };
    g->next_end = ints + 2 * fronts;
    g->ends = g->next_end + ends;
    fronts = 0;
    for (soa_front *f = node->came; f; f = f->other, fronts++) {
        g->front[fronts] = f;
        g->group[fronts] = fronts;
        g->end[fronts] = -1;
    }
    group_fronts(set, g);
    group_ends(set, node, g);
    return true;
}

static void forget_columns(const soa_closures *set, const soa_front *front)
{
    for (int j = 0; j < front->rows; j++) {
        set->fronts.where[front->row[j]] = -1;
    }
}

/* Ends whose rows are all in the front. */
static soa_front *join_ends(soa_closures *set, const gathering *g, soa_front *front, int list, const node_load *load)
{
    for (int j = 0; list >= 0 && j < front->rows; j++) {
        set->fronts.where[front->row[j]] = j;
    }
    for (int at = list; at >= 0; at = g->next_end[at]) {
        front_insert(set, front, g->ends[at], &load->by, &load->base);
    }
    if (list >= 0) {
        forget_columns(set, front);
    }
    return front;
}

/* One front of the fronts of a group and the ends of a list; group -1: of ends alone. */
static soa_front *join(soa_closures *set, const gathering *g, int group, int list, const node_load *load)
{
    int rows = 0, fronts = 0;
    for (int i = group < 0 ? g->fronts : group; i < g->fronts; i++) {
        rows += first_of(g, i) == group ? g->front[i]->rows : 0;
        fronts += first_of(g, i) == group;
    }
    if (fronts == 1) { /* the ends of a group are of rows that it has */
        return join_ends(set, g, g->front[group], list, load);
    }
    for (int at = list; at >= 0; at = g->next_end[at]) {
        rows += set->tie[g->ends[at] / 2].rows;
    }
    soa_front *front = front_new(set, rows);
    for (int i = group < 0 ? g->fronts : group; front && i < g->fronts; i++) {
        if (first_of(g, i) == group) {
            front_add(set, front, g->front[i]);
        }
    }
    for (int at = list; front && at >= 0; at = g->next_end[at]) {
        front_insert(set, front, g->ends[at], &load->by, &load->base);
    }
    if (front) {
        forget_columns(set, front);
    }
    return front;
}

/* What is left of several fronts, as one. */
static soa_front *merge(soa_closures *set, int count, soa_front **front)
{
    int rows = 0, left = 0;
    for (int i = 0; i < count; i++) {
        if (count > 1) {
            agree(set, front[i]);
        }
        rows += front[i]->rows;
        front[left] = front[i];
        left += front[i]->rows > 0;
    }
    if (left <= 1) {
        return left == 1 ? front[0] : NULL;
    }
    soa_front *all = front_new(set, rows);
    for (int i = 0; all && i < left; i++) {
        front_add(set, all, front[i]);
    }
    if (all) {
        forget_columns(set, all);
    }
    return all;
}

/* Several fronts: group by group. */
static soa_front *gather_many(soa_closures *set, int at, const node_load *load)
{
    gathering g;
    if (!gathering_new(set, &set->node[at], &g)) {
        return NULL;
    }
    int left = 0;
    for (int i = 0; i < g.fronts; i++) { /* places below i are free once their groups are done */
        if (g.group[i] != i) {
            continue;
        }
        soa_front *front = join(set, &g, i, g.end[i], load);
        if (!front) {
            return NULL;
        }
        front_solve(set, at, front, load);
        if (front->rows > 0) {
            g.front[left++] = front;
        }
    }
    if (g.lone >= 0) {
        soa_front *front = join(set, &g, -1, g.lone, load);
        if (!front) {
            return NULL;
        }
        soa_front *both[2] = { front, merge(set, left, g.front) };
        return merge(set, both[1] ? 2 : 1, both);
    }
    return merge(set, left, g.front);
}

/* The front of a node after what can be solved there is solved; NULL: nothing is left. */
static soa_front *gather_rows(soa_closures *set, int at, const node_load *load)
{
    soa_node *node = &set->node[at];
    if (node->came && node->came->other) {
        const size_t borrowed = set->stack.borrowed;
        soa_front *left = gather_many(set, at, load);
        set->stack.borrowed = borrowed;
        return left;
    }
    if (!node->came && set->plan.next_end[node->end] < 0 && !node->coupled) {
        return front_begin(set, node->end, &load->by, &load->base);
    }
    soa_front *front = node->came;
    int rows = 0;
    for (int j = 0; front && j < front->rows; j++) {
        set->fronts.where[front->row[j]] = j;
    }
    for (int e = node->end; e >= 0; e = set->plan.next_end[e]) {
        rows += set->fronts.where[set->tie[e / 2].first] < 0 ? set->tie[e / 2].rows : 0;
    }
    if (rows > 0) { /* there are rows that did not come */
        if (front) {
            forget_columns(set, front);
        }
        front = front_new(set, rows + (front ? front->rows : 0));
        if (!front) {
            return NULL;
        }
        if (node->came) {
            front_add(set, front, node->came);
        }
    }
    for (int e = node->end; e >= 0; e = set->plan.next_end[e]) {
        front_insert(set, front, e, &load->by, &load->base);
    }
    forget_columns(set, front);
    if (node->came) { /* else nothing yields yet */
        front_solve(set, at, front, load);
    }
    return front->rows > 0 ? front : NULL;
}

#endif
