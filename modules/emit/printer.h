/* emit/printer.h - a function while it is printed. */
#ifndef SOA_EMIT_PRINTER_H
#define SOA_EMIT_PRINTER_H

#include "emit/print.h"

typedef struct printer {
    const emit_function *f;
    const tape *t;
    text *to;
    int count, *order, *uses;
    int *statement; /* of each node: its number among the statements; -1: inside another */
    int *nested;    /* operations of a node's expression */
    int *part;      /* of each statement node: in which function it stands */
    int *slot;      /* of each node: where it is handed on, or -1 */
    int *name;      /* of each node: its number in the part that is printed, or -1 */
    int *angle;     /* of SIN and COS: which angle */
    int angles, parts, slots, names;
    double *argument; /* of each angle */
    int values;
    double *value; /* all outputs, one after another */
} printer;

/* A node whose expression stands inside that of another. */
static inline bool is_inside(const printer *p, double x)
{
    return tape_is_node(x) && p->statement[tape_node_of(x)] < 0;
}

static inline const tape_node *node_at(const printer *p, double x)
{
    return &p->t->node[tape_node_of(x)];
}

/* ---- layout.c: what stands where ------------------------------------------------------ */

/* Which values are statements, in which order, in which function, and what functions hand on; room and early: as many as
 * there are nodes, early all false. false: no memory. */
bool make_layout(printer *p, int *room, bool *early);

/* Calls use(p, node, part) for each statement that the expression of a node names. */
void each_named(printer *p, const tape_node *n, int part, void (*use)(printer *, int, int));

/* ---- expression.c ------------------------------------------------------------------------ */

void put_number(printer *p, double x);
void put_expression(printer *p, const tape_node *n);
void put_value(printer *p, double x, bool brackets);

#endif
