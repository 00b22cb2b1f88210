/* emit/layout.c - what stands where: statements, their order, the functions they are dealt to. */
#include "emit/printer.h"

enum {
    MOST_STATEMENTS = 2000, /* of one function: compilers take longer than in proportion */
    MOST_NESTED = 6         /* operations in one expression */
};

static bool may_stand_inside(const printer *p, int k)
{
    const int op = p->t->node[k].op;
    return p->uses[k] == 1 && (op == TAPE_NEG || op == TAPE_ADD || op == TAPE_SUB || op == TAPE_MUL || op == TAPE_FMA);
}

/* Where a node stands: inputs and what angles are made of, then sines, which are taken of all at once, then the others. */
static int rank_of(const printer *p, const bool *early, int k)
{
    const int op = p->t->node[k].op;
    return op == TAPE_SIN || op == TAPE_COS ? 1 : early[k] ? 0 : 2;
}

static void angles_first(printer *p, const bool *early, int *room)
{
    int n = 0;
    for (int rank = 0; rank < 3; rank++) {
        for (int i = 0; i < p->count; i++) {
            if (rank_of(p, early, p->order[i]) == rank) {
                room[n++] = p->order[i];
            }
        }
    }
    memcpy(p->order, room, (size_t)n * sizeof *room);
}

static void find_angles(printer *p)
{
    for (int i = 0; i < p->count; i++) {
        const int k = p->order[i];
        const tape_node *n = &p->t->node[k];
        if (n->op != TAPE_SIN && n->op != TAPE_COS) {
            continue;
        }
        int a = 0;
        while (a < p->angles && tape_bits(p->argument[a]) != tape_bits(n->x[0])) {
            a++;
        }
        p->argument[a] = n->x[0];
        p->angles += a == p->angles;
        p->angle[k] = a;
    }
}

static void mark_early(const printer *p, bool *early)
{
    for (int i = 0; i < p->count; i++) { /* outputs may lie over inputs, which the first function reads */
        early[p->order[i]] = p->t->node[p->order[i]].op == TAPE_INPUT;
    }
    for (int a = 0; a < p->angles; a++) {
        if (tape_is_node(p->argument[a])) {
            early[tape_node_of(p->argument[a])] = true;
            p->uses[tape_node_of(p->argument[a])] += 2; /* it is a statement */
        }
    }
    for (int k = p->t->count - 1; k >= 0; k--) {
        for (int i = 0; early[k] && i < tape_operands(p->t->node[k].op); i++) {
            if (tape_is_node(p->t->node[k].x[i])) {
                early[tape_node_of(p->t->node[k].x[i])] = true;
            }
        }
    }
}

/* Statements, numbered, and dealt to functions. */
static void make_statements(printer *p)
{
    int statements = 0;
    for (int i = 0; i < p->values; i++) { /* an output is a statement */
        if (tape_is_node(p->value[i])) {
            p->nested[tape_node_of(p->value[i])] = MOST_NESTED;
        }
    }
    for (int i = 0; i < p->count; i++) {
        const int k = p->order[i];
        const bool output = p->nested[k] == MOST_NESTED;
        int nested = 1;
        for (int j = 0; j < tape_operands(p->t->node[k].op); j++) {
            const double x = p->t->node[k].x[j];
            nested += is_inside(p, x) ? p->nested[tape_node_of(x)] : 0;
        }
        const bool mask = p->t->node[k].op == TAPE_LESS; /* which is no real that could be handed on */
        const bool inside = mask || (!output && nested < MOST_NESTED && may_stand_inside(p, k));
        p->nested[k] = nested;
        p->statement[k] = inside ? -1 : statements++;
        p->part[k] = inside ? -1 : p->statement[k] / MOST_STATEMENTS;
        p->parts = inside ? p->parts : p->part[k] + 1;
    }
}

void each_named(printer *p, const tape_node *n, int part, void (*use)(printer *, int, int))
{
    for (int i = 0; i < tape_operands(n->op); i++) {
        if (is_inside(p, n->x[i])) {
            each_named(p, node_at(p, n->x[i]), part, use);
        } else if (tape_is_node(n->x[i])) {
            use(p, tape_node_of(n->x[i]), part);
        }
    }
}

static void note_last(printer *p, int k, int part)
{
    p->slot[k] = part > p->part[k] && part > p->slot[k] ? part : p->slot[k];
}

/* slot: first the last part that needs the value, then its place. A place is free again after that part. */
static bool make_slots(printer *p)
{
    for (int i = 0; i < p->count; i++) {
        const int k = p->order[i];
        if (p->statement[k] >= 0) {
            each_named(p, &p->t->node[k], p->part[k], note_last);
        }
    }
    int *until = calloc((size_t)p->count + 1, sizeof *until), first = 0;
    for (int i = 0; until != NULL && i < p->count; i++) {
        const int k = p->order[i];
        if (p->slot[k] < 0) {
            continue;
        }
        int s = first;
        while (s < p->slots && until[s] >= p->part[k]) {
            s++;
        }
        first = s; /* places before are taken, until the next part */
        if (i + 1 < p->count && p->part[p->order[i + 1]] > p->part[k]) {
            first = 0;
        }
        until[s] = p->slot[k];
        p->slots = s < p->slots ? p->slots : s + 1;
        p->slot[k] = s;
    }
    const bool done = until != NULL;
    free(until);
    return done;
}

bool make_layout(printer *p, int *room, bool *early)
{
    find_angles(p);
    mark_early(p, early);
    angles_first(p, early, room);
    make_statements(p);
    return make_slots(p);
}
