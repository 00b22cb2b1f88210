/* model/tree.c - the order of links: parents before children, otherwise as given.
 *
 * The links whose parent is placed stand in a heap; the one with the lowest
 * number is placed next. What is never placed hangs on a cycle. */
#include "core/error.h"
#include "model/model.h"

typedef struct heap {
    int *item;
    int count;
} heap;

static void heap_push(heap *h, int value)
{
    int i = h->count++;
    for (; i > 0 && h->item[(i - 1) / 2] > value; i = (i - 1) / 2) {
        h->item[i] = h->item[(i - 1) / 2];
    }
    h->item[i] = value;
}

static int heap_pop(heap *h)
{
    const int top = h->item[0];
    const int last = h->item[--h->count];
    int i = 0;
    for (int child = 1; child < h->count; child = 2 * i + 1) {
        child += child + 1 < h->count && h->item[child + 1] < h->item[child];
        if (h->item[child] >= last) {
            break;
        }
        h->item[i] = h->item[child];
        i = child;
    }
    h->item[i] = last;
    return top;
}

static soa_source source_of(const soa_link *link)
{
    return link->joint.source.line > 0 ? link->joint.source : link->source;
}

static soa_status check_parents(const soa_description *d, soa_error *error)
{
    for (int i = 0; i < d->link.count; i++) {
        const soa_link *link = soa_description_link(d, i);
        if (link->parent < SOA_WORLD || link->parent >= d->link.count) {
            return soa_fail_source(error, SOA_E_TREE, source_of(link),
                "link '%s': its parent, link %d, does not exist; add it or hang the link on the world", link->name,
                link->parent);
        }
        if (link->parent == i) {
            return soa_fail_source(error, SOA_E_TREE, source_of(link),
                "link '%s': is its own parent; hang it on another link or the world", link->name);
        }
    }
    return SOA_OK;
}

/* Children of each link as linked lists, lowest number first. */
static void list_children(const soa_description *d, int *first, int *next)
{
    const int n = d->link.count;
    for (int i = 0; i <= n; i++) {
        first[i] = -1;
    }
    for (int i = n - 1; i >= 0; i--) {
        const int parent = soa_description_link(d, i)->parent;
        const int list = parent == SOA_WORLD ? n : parent;
        next[i] = first[list];
        first[list] = i;
    }
}

static soa_status fail_cycle(const soa_description *d, const int *order, int placed, bool *seen, soa_error *error)
{
    for (int i = 0; i < placed; i++) {
        seen[order[i]] = true;
    }
    int link = 0;
    while (seen[link]) {
        link++;
    }
    while (!seen[link]) { /* inboard from any link left, until one comes twice: that one is on the cycle */
        seen[link] = true;
        link = soa_description_link(d, link)->parent;
    }
    const soa_link *on_cycle = soa_description_link(d, link);
    return soa_fail_source(error, SOA_E_TREE, source_of(on_cycle),
        "link '%s': hangs on itself through its parents; cut the loop and describe it as a closure", on_cycle->name);
}

soa_status soa_tree_order(const soa_model *model, int *order, soa_error *error)
{
    const soa_description *d = &model->description;
    const int n = d->link.count;
    const soa_status status = check_parents(d, error);
    if (status != SOA_OK) {
        return status;
    }
    int *memory = soa_allocate(&model->allocator, 3 * (size_t)n + 1, sizeof *memory);
    if (!memory) {
        return soa_fail_memory(error);
    }
    int *first = memory, *next = memory + n + 1;
    heap ready = { next + n, 0 };
    list_children(d, first, next);
    int placed = 0;
    for (int i = first[n]; i >= 0; i = next[i]) {
        heap_push(&ready, i);
    }
    while (ready.count > 0) {
        order[placed] = heap_pop(&ready);
        for (int i = first[order[placed]]; i >= 0; i = next[i]) {
            heap_push(&ready, i);
        }
        placed++;
    }
    soa_release(&model->allocator, memory);
    if (placed == n) {
        return SOA_OK;
    }
    bool *seen = soa_allocate(&model->allocator, (size_t)n, sizeof *seen);
    if (!seen) {
        return soa_fail_memory(error);
    }
    for (int i = 0; i < n; i++) {
        seen[i] = false;
    }
    const soa_status cycle = fail_cycle(d, order, placed, seen, error);
    soa_release(&model->allocator, seen);
    return cycle;
}
