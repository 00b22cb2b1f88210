/* closure/plan.c - in which order bodies are left behind, and where their fronts go.
 *
 * The tree gives the order inside a branch (a tree on the world): inward. Branches that
 * closures join are put in a row, those with fewest rows to others first: arms before the
 * object that they hold. The front of a branch that is done goes to the first later branch
 * that one of its closures reaches, there to the body nearest to the base under which all its ends are;
 * so arms are solved at the object and the object never sees more than one front at a time. */
#include <string.h>

#include "closure/closure.h"

/* What is known of branches, by their roots; in the scratch of the set. */
typedef struct branches {
    int *degree; /* rows to other branches */
    int *rank;   /* place in the order */
    int *order;  /* roots, by place */
    int *into;   /* root of the branch it has been merged into, or itself */
    int *list;   /* first tie of those of its merged set, -1 */
    int *tail;
    int *next; /* by tie: next in the list of the set of its first end, of its second end */
    int count;
} branches;

static branches branches_of(const soa_closures *set)
{
    int *at = set->scratch.ints;
    const int n = set->nodes;
    return (branches){ at, at + n, at + 2 * n, at + 3 * n, at + 4 * n, at + 5 * n, at + 6 * n, 0 };
}

static int root_of(const soa_closures *set, const soa_end *end)
{
    return end->node == SOA_NO_NODE ? SOA_NO_NODE : set->node[end->node].root;
}

static bool joins_branches(const soa_closures *set, const soa_tie *tie)
{
    const int a = root_of(set, &tie->end[0]), b = root_of(set, &tie->end[1]);
    return tie->enabled && a != b && a != SOA_NO_NODE && b != SOA_NO_NODE;
}

static void count_degrees(const soa_closures *set, branches *b)
{
    for (int k = 0; k < set->nodes; k++) {
        b->degree[k] = 0;
        b->into[k] = k;
        b->list[k] = b->tail[k] = -1;
        if (set->node[k].root == k) {
            b->order[b->count++] = k;
        }
    }
    for (int i = 0; i < set->ties; i++) {
        const soa_tie *tie = &set->tie[i];
        if (joins_branches(set, tie)) {
            b->degree[root_of(set, &tie->end[0])] += tie->rows;
            b->degree[root_of(set, &tie->end[1])] += tie->rows;
        }
    }
}

/* Fewest rows first, then fewest bodies, then lowest number. */
static bool comes_before(const soa_closures *set, const branches *b, int x, int y)
{
    if (b->degree[x] != b->degree[y]) {
        return b->degree[x] < b->degree[y];
    }
    const int n_x = set->plan.branch_count[x], n_y = set->plan.branch_count[y];
    return n_x != n_y ? n_x < n_y : x < y;
}

/* b->order by comes_before: heap sort, in place. */
static void sort_branches(const soa_closures *set, branches *b)
{
    int *order = b->order;
    for (int n = b->count, start = b->count / 2; n > 1;) {
        if (start > 0) {
            start--;
        } else {
            n--;
            const int last = order[n];
            order[n] = order[0];
            order[0] = last;
        }
        for (int at = start, child; (child = 2 * at + 1) < n; at = child) {
            if (child + 1 < n && comes_before(set, b, order[child], order[child + 1])) {
                child++;
            }
            if (!comes_before(set, b, order[at], order[child])) {
                break;
            }
            const int lower = order[at];
            order[at] = order[child];
            order[child] = lower;
        }
    }
    for (int i = 0; i < b->count; i++) {
        b->rank[order[i]] = i;
    }
}

static void append(branches *b, int root, int tie)
{
    b->next[tie] = -1;
    if (b->list[root] < 0) {
        b->list[root] = tie;
    } else {
        b->next[b->tail[root]] = tie;
    }
    b->tail[root] = tie;
}

/* Each tie belongs to the list of the branch that is done first. */
static void list_ties(const soa_closures *set, branches *b)
{
    for (int i = 0; i < set->ties; i++) {
        const soa_tie *tie = &set->tie[i];
        if (joins_branches(set, tie)) {
            const int x = root_of(set, &tie->end[0]), y = root_of(set, &tie->end[1]);
            append(b, b->rank[x] < b->rank[y] ? x : y, i);
        }
    }
}

/* The end of a tie that is not in the merged set of root, or SOA_NO_NODE. */
static int open_end(const soa_closures *set, const branches *b, const soa_tie *tie, int root)
{
    const bool a = soa_first_of(b->into, root_of(set, &tie->end[0])) == root,
               c = soa_first_of(b->into, root_of(set, &tie->end[1])) == root;
    return a && c ? SOA_NO_NODE : a ? tie->end[1].node : tie->end[0].node;
}

/* Where the front of a branch goes; merges the two. */
static void send_on(soa_closures *set, branches *b, int root)
{
    int to = SOA_NO_NODE;
    for (int i = b->list[root]; i >= 0; i = b->next[i]) {
        const int node = open_end(set, b, &set->tie[i], root);
        if (node != SOA_NO_NODE) {
            const int other = set->node[node].root;
            to = to == SOA_NO_NODE || b->rank[other] < b->rank[to] ? other : to;
        }
    }
    set->node[root].next = SOA_NO_NODE;
    if (to == SOA_NO_NODE) {
        return;
    }
    int at = SOA_NO_NODE;
    for (int i = b->list[root], next; i >= 0; i = next) {
        const int node = open_end(set, b, &set->tie[i], root);
        next = b->next[i];
        if (node != SOA_NO_NODE) {
            at = set->node[node].root == to ? (at == SOA_NO_NODE ? node : soa_common_node(set, at, node)) : at;
            append(b, to, i);
        }
    }
    b->into[root] = to;
    set->node[root].next = at;
}

/* Lists of ends by node, and which bodies need a place in the world. */
static void list_ends(soa_closures *set)
{
    for (int k = 0; k < set->nodes; k++) {
        set->node[k].end = -1;
        set->node[k].placed = set->node[k].coupled = set->node[k].carries = false;
    }
    for (int i = 2 * set->ties - 1; i >= 0; i--) {
        const soa_tie *tie = &set->tie[i / 2];
        const soa_end *end = &tie->end[i % 2];
        if (!tie->enabled || end->node == SOA_NO_NODE) {
            continue;
        }
        set->plan.next_end[i] = set->node[end->node].end;
        set->node[end->node].end = i;
        set->node[end->node].coupled = set->node[end->node].coupled || tie->coupling;
        for (int k = end->node; !tie->coupling && k != SOA_NO_NODE && !set->node[k].placed; k = set->node[k].parent) {
            set->node[k].placed = true;
        }
        for (int k = end->node; k != SOA_NO_NODE && !set->node[k].carries; k = set->node[k].parent) {
            set->node[k].carries = true;
        }
    }
}

/* Where fronts may meet; count: scratch, by node. */
static void find_meetings(soa_closures *set, int *count)
{
    memset(count, 0, (size_t)set->nodes * sizeof *count);
    for (int k = 0; k < set->nodes; k++) {
        const soa_node *node = &set->node[k];
        if (node->next != SOA_NO_NODE && node->carries) {
            count[node->next]++;
        }
    }
    for (int k = 0; k < set->nodes; k++) {
        soa_node *node = &set->node[k];
        const soa_body_data *body = &set->part[node->part].model->body[node->body];
        const bool plain = soa_is_screw(body) && body->armature == 0.0;
        node->begins = plain && body->leaf && node->end >= 0 && set->plan.next_end[node->end] < 0 && !node->coupled &&
                       count[k] == 0;
        node->meets = !plain || count[k] > 1 || (node->end >= 0 && !node->begins);
        node->meet = node->parent;
        node->joints = 1;
        if (node->parent != SOA_NO_NODE && !set->node[node->parent].meets) {
            node->meet = set->node[node->parent].meet;
            node->joints = set->node[node->parent].joints + 1;
        }
    }
}

/* How many nodes of a list follow each other, from its first. */
static int run_length(const soa_closures *set, const int *list, int count)
{
    int n = 1;
    while (n < count && !set->node[list[0]].meets && !set->node[list[n]].meets && !set->node[list[n]].begins &&
           list[n] == list[0] - n && set->node[list[n - 1]].parent == list[n]) {
        n++;
    }
    return n;
}

static void find_runs(soa_closures *set)
{
    int runs = 0;
    for (int b = 0; b < set->plan.branches; b++) {
        const int root = set->plan.order[b], count = set->plan.branch_count[root];
        const int *list = set->plan.by_branch + set->plan.branch_first[root];
        set->plan.first_run[b] = runs;
        for (int i = 0, n = 0; i < count; i += n) {
            n = run_length(set, list + i, count - i);
            set->plan.run[runs++] = (soa_node_run){ list[i], n };
        }
    }
    set->plan.first_run[set->plan.branches] = set->plan.runs = runs;
}

void soa_plan_closures(soa_closures *set)
{
    branches b = branches_of(set);
    list_ends(set);
    count_degrees(set, &b);
    sort_branches(set, &b);
    list_ties(set, &b);
    set->plan.branches = b.count;
    for (int i = 0; i < b.count; i++) {
        const int root = b.order[i], first = set->plan.branch_first[root];
        for (int k = first; k < first + set->plan.branch_count[root]; k++) {
            const int node = set->plan.by_branch[k];
            set->node[node].next = set->node[node].parent;
        }
        send_on(set, &b, root);
        set->plan.order[i] = root;
    }
    find_meetings(set, b.degree);
    find_runs(set);
    set->plan.holds = soa_plan_hold(set);
    set->plan.left_out = 0;
    set->plan.made = true;
}
