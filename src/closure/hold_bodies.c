/* closure/hold_bodies.c - whether fronts hold several bodies, and in which order joints are then crossed.
 *
 * Rows that go inward alone are many where loops reach far inward side by side: two rails joined by rungs carry the rows of
 * all rungs to the base. A front may instead hold the bodies that its rows join (hold_bodies.kernel.h). Then a body can be left
 * behind when all bodies on it are and the closures that end at it have come in; the front that is left has the bodies
 * that it had to do with, and its parent. Of the bodies that can be left the one with the smallest front goes first. */
#include "closure/closure.h"

enum { COLUMNS = 6 };

/* A front that holds a body. */
typedef struct holding {
    int front; /* named by the node whose joint it has crossed last */
    struct holding *next;
} holding;

/* What is known of every node while they are left behind one by one. */
typedef struct elimination {
    int *turn;    /* place in the order, or -1 */
    int *waits;   /* bodies on it that have not been left behind */
    int *size;    /* of the front if it were next, or -1: to be counted */
    int *heir;    /* the node at which its front is taken up again, or SOA_NO_NODE */
    int *mark;    /* the count in which it was seen */
    int **body;   /* what its front holds */
    int *bodies;  /* how many */
    holding **in; /* fronts that hold it, those taken up again too */
    int *ready;   /* nodes with nothing left on them */
    int *order;   /* nodes by turn */
    int count, marks;
} elimination;

static bool take_elimination(soa_closures *set, elimination *e)
{
    const size_t n = (size_t)set->nodes;
    soa_stack *stack = &set->stack;
    soa_stack_begin(stack);
    int *ints = soa_stack_take(stack, 8 * n, sizeof *ints);
    e->body = soa_stack_take(stack, n, sizeof(int *));
    e->in = soa_stack_take(stack, n, sizeof(holding *));
    if (stack->overflow) {
        return false;
    }
    e->turn = ints, e->waits = ints + n, e->size = ints + 2 * n, e->heir = ints + 3 * n, e->mark = ints + 4 * n;
    e->bodies = ints + 5 * n, e->ready = ints + 6 * n, e->order = ints + 7 * n;
    e->count = e->marks = 0;
    for (size_t k = 0; k < n; k++) {
        e->turn[k] = e->size[k] = e->heir[k] = -1;
        e->waits[k] = e->mark[k] = 0;
        e->in[k] = NULL;
    }
    return true;
}

/* ---- what rows that go inward alone cost -------------------------------------------------------------- */

/* Rows of a tie are open from its end up to where the other end comes in. */
static void open_rows(const soa_closures *set, const soa_end *end, const soa_end *other, int rows, int *open)
{
    if (end->node == SOA_NO_NODE) {
        return;
    }
    const int root = set->node[end->node].root;
    int until = other->node;
    if (until != SOA_NO_NODE && set->node[until].root != root) { /* where the front of the other branch comes in */
        const int to = set->node[set->node[until].root].next;
        until = to != SOA_NO_NODE && set->node[to].root == root ? to : SOA_NO_NODE;
    }
    until = until == SOA_NO_NODE ? SOA_NO_NODE : soa_common_node(set, end->node, until);
    open[end->node] += rows;
    if (until != SOA_NO_NODE) {
        open[until] -= rows;
    }
}

/* The squares of the rows at all joints, or 0: they are few everywhere. open: scratch, zeros. */
static double cost_of_rows(const soa_closures *set, int *open)
{
    double cost = 0.0;
    int most = 0;
    for (int i = 0; i < set->ties; i++) {
        const soa_tie *tie = &set->tie[i];
        if (tie->enabled && !tie->coupling) {
            open_rows(set, &tie->end[0], &tie->end[1], tie->rows, open);
            open_rows(set, &tie->end[1], &tie->end[0], tie->rows, open);
        }
    }
    for (int k = set->nodes - 1; k >= 0; k--) {
        const int parent = set->node[k].parent;
        most = open[k] > most ? open[k] : most;
        cost += (double)open[k] * open[k];
        if (parent != SOA_NO_NODE) {
            open[parent] += open[k];
        }
        open[k] = 0;
    }
    return most > set->plan.hold_above ? cost : 0.0;
}

/* ---- which body is next ------------------------------------------------------------------------------ */

static void see(elimination *e, int node, int *list, int *count)
{
    if (node != SOA_NO_NODE && e->mark[node] != e->marks) {
        e->mark[node] = e->marks;
        if (list) {
            list[*count] = node;
        }
        (*count)++;
    }
}

/* The bodies of the front that is left when node k is left behind, into list (NULL: counted alone). */
static int front_of(const soa_closures *set, elimination *e, int k, int *list)
{
    int count = 0;
    e->marks++;
    e->mark[k] = e->marks;
    for (const holding *h = e->in[k]; h; h = h->next) {
        for (int i = 0; e->heir[h->front] < 0 && i < e->bodies[h->front]; i++) {
            see(e, e->body[h->front][i], list, &count);
        }
    }
    for (int end = set->node[k].end; end >= 0; end = set->plan.next_end[end]) {
        const soa_tie *tie = &set->tie[end / 2];
        const int other = tie->end[1 - end % 2].node;
        if (other != SOA_NO_NODE && e->turn[other] < 0) {
            see(e, other, list, &count);
        }
    }
    if (e->in[k] || set->node[k].end >= 0) { /* else no row crosses its joint */
        see(e, set->node[k].parent, list, &count);
    }
    return count;
}

/* The node that is ready and whose front would be smallest; then the outermost. */
static int next_node(const soa_closures *set, elimination *e)
{
    int best = 0;
    for (int i = 0; i < e->count; i++) {
        const int k = e->ready[i];
        if (e->size[k] < 0) {
            e->size[k] = front_of(set, e, k, NULL);
        }
        const int than = e->size[e->ready[best]];
        best = e->size[k] < than || (e->size[k] == than && k > e->ready[best]) ? i : best;
    }
    const int node = e->ready[best];
    e->ready[best] = e->ready[--e->count];
    return node;
}

/* Leaves node k behind, the turn-th; how many bodies its front holds, or -1: no room. */
static int leave(soa_closures *set, elimination *e, int k, int turn)
{
    const int parent = set->node[k].parent;
    e->body[k] = soa_stack_take(&set->stack, (size_t)(e->size[k] > 0 ? e->size[k] : 1), sizeof(int));
    holding *held = soa_stack_take(&set->stack, (size_t)(e->size[k] > 0 ? e->size[k] : 1), sizeof *held);
    if (set->stack.overflow) {
        return -1;
    }
    e->bodies[k] = front_of(set, e, k, e->body[k]);
    for (const holding *h = e->in[k]; h; h = h->next) {
        e->heir[h->front] = e->heir[h->front] < 0 ? k : e->heir[h->front];
    }
    for (int i = 0; i < e->bodies[k]; i++) {
        const int b = e->body[k][i];
        held[i] = (holding){ k, e->in[b] };
        e->in[b] = &held[i];
        e->size[b] = -1;
    }
    e->turn[k] = turn;
    e->order[turn] = k;
    if (parent != SOA_NO_NODE && --e->waits[parent] == 0) {
        e->ready[e->count++] = parent;
    }
    return e->bodies[k];
}

bool soa_plan_hold(soa_closures *set)
{
    elimination e;
    if (set->rows <= set->plan.hold_above || !take_elimination(set, &e)) {
        return false;
    }
    const double alone = cost_of_rows(set, e.waits);
    double cost = 0.0;
    if (alone == 0.0) {
        return false;
    }
    for (int k = 0; k < set->nodes; k++) {
        if (set->node[k].parent != SOA_NO_NODE) {
            e.waits[set->node[k].parent]++;
        }
    }
    for (int k = 0; k < set->nodes; k++) {
        if (e.waits[k] == 0) {
            e.ready[e.count++] = k;
        }
    }
    for (int turn = 0; turn < set->nodes; turn++) {
        const int held = leave(set, &e, next_node(set, &e), turn);
        cost += COLUMNS * COLUMNS * (double)held * held;
        if (held < 0 || (cost > 0.5 * alone && set->plan.hold_above > 0)) {
            return false;
        }
    }
    for (int k = 0; k < set->nodes; k++) {
        set->node[k].next = e.heir[k];
        set->node[k].turn = e.turn[k];
        set->plan.run[k] = (soa_node_run){ e.order[k], 1 };
    }
    set->plan.runs = set->nodes;
    return true;
}
