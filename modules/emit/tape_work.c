/* emit/tape_work.c - what is made of a tape: derivatives, substitution, linear equations, an order. */
#include <stdlib.h>

#include "emit/tape.h"

static double add(tape *t, double a, double b)
{
    return tape_apply(t, TAPE_ADD, a, b, 0.0);
}

static double sub(tape *t, double a, double b)
{
    return tape_apply(t, TAPE_SUB, a, b, 0.0);
}

static double mul(tape *t, double a, double b)
{
    return tape_apply(t, TAPE_MUL, a, b, 0.0);
}

/* ---- derivatives -------------------------------------------------------------------------- */

/* dy of y = op(x), dx given. */
static double node_derivative(tape *t, double y, const tape_node *n, const double dx[3])
{
    const double *x = n->x;
    switch (n->op) {
    case TAPE_NEG:
        return tape_apply(t, TAPE_NEG, dx[0], 0.0, 0.0);
    case TAPE_ADD:
        return add(t, dx[0], dx[1]);
    case TAPE_SUB:
        return sub(t, dx[0], dx[1]);
    case TAPE_MUL:
        return add(t, mul(t, dx[0], x[1]), mul(t, x[0], dx[1]));
    case TAPE_FMA:
        return add(t, add(t, mul(t, dx[0], x[1]), mul(t, x[0], dx[1])), dx[2]);
    case TAPE_DIV: /* (dx - y dz) / z */
        return tape_apply(t, TAPE_DIV, sub(t, dx[0], mul(t, y, dx[1])), x[1], 0.0);
    case TAPE_SQRT:
        return tape_apply(t, TAPE_DIV, dx[0], mul(t, 2.0, y), 0.0);
    case TAPE_SIN:
        return mul(t, tape_apply(t, TAPE_COS, x[0], 0.0, 0.0), dx[0]);
    case TAPE_COS:
        return mul(t, tape_apply(t, TAPE_NEG, tape_apply(t, TAPE_SIN, x[0], 0.0, 0.0), 0.0, 0.0), dx[0]);
    case TAPE_ABS: {
        const double less = tape_apply(t, TAPE_LESS, x[0], 0.0, 0.0);
        return tape_apply(t, TAPE_SELECT, less, tape_apply(t, TAPE_NEG, dx[0], 0.0, 0.0), dx[0]);
    }
    case TAPE_SELECT:
        return tape_apply(t, TAPE_SELECT, x[0], dx[1], dx[2]);
    default:
        return 0.0;
    }
}

/* The nodes below n values: those that the values need, and no others. */
static bool *needed_by(const tape *t, int n, const double *value)
{
    bool *needed = calloc((size_t)t->count + 1, sizeof *needed);
    for (int i = 0; needed != NULL && i < n; i++) {
        if (tape_is_node(value[i])) {
            needed[tape_node_of(value[i])] = true;
        }
    }
    for (int k = t->count - 1; needed != NULL && k >= 0; k--) {
        for (int i = 0; needed[k] && i < tape_operands(t->node[k].op); i++) {
            if (tape_is_node(t->node[k].x[i])) {
                needed[tape_node_of(t->node[k].x[i])] = true;
            }
        }
    }
    return needed;
}

static double made_of(const double *made, double x)
{
    return tape_is_node(x) ? made[tape_node_of(x)] : 0.0;
}

bool tape_derive(tape *t, int n, const double *value, tape_tangent *tangent, void *context, double *derivative)
{
    const int count = t->count;
    bool *needed = needed_by(t, n, value);
    double *d = calloc((size_t)count + 1, sizeof *d);
    for (int k = 0; needed != NULL && d != NULL && k < count; k++) {
        const tape_node node = t->node[k]; /* the tape may move */
        if (!needed[k]) {
            continue;
        }
        if (node.op == TAPE_INPUT) {
            d[k] = tangent(context, (int)node.x[0], (int)node.x[1]);
            continue;
        }
        double dx[3] = { 0.0, 0.0, 0.0 };
        for (int i = 0; i < tape_operands(node.op); i++) {
            dx[i] = made_of(d, node.x[i]);
        }
        if (tape_bits(dx[0]) != 0 || tape_bits(dx[1]) != 0 || tape_bits(dx[2]) != 0) {
            d[k] = node_derivative(t, tape_value(k), &node, dx);
        }
    }
    const bool done = needed != NULL && d != NULL;
    for (int i = 0; done && i < n; i++) {
        derivative[i] = made_of(d, value[i]);
    }
    free(needed);
    free(d);
    return done && !t->full;
}

/* ---- inputs replaced -------------------------------------------------------------------------- */

bool tape_substitute(tape *t, int n, double *value, int array, const double *by)
{
    const int count = t->count;
    bool *needed = needed_by(t, n, value);
    double *made = calloc((size_t)count + 1, sizeof *made);
    for (int k = 0; needed != NULL && made != NULL && k < count; k++) {
        const tape_node node = t->node[k];
        if (!needed[k]) {
            continue;
        }
        made[k] = tape_value(k);
        if (node.op == TAPE_INPUT) {
            made[k] = (int)node.x[0] == array ? by[(int)node.x[1]] : made[k];
            continue;
        }
        double x[3] = { node.x[0], node.x[1], node.x[2] };
        for (int i = 0; i < tape_operands(node.op); i++) {
            x[i] = tape_is_node(x[i]) ? made[tape_node_of(x[i])] : x[i];
        }
        if (memcmp(x, node.x, sizeof x) != 0) {
            made[k] = tape_apply(t, (tape_op)node.op, x[0], x[1], x[2]);
        }
    }
    const bool done = needed != NULL && made != NULL;
    for (int i = 0; done && i < n; i++) {
        value[i] = tape_is_node(value[i]) ? made[tape_node_of(value[i])] : value[i];
    }
    free(needed);
    free(made);
    return done && !t->full;
}

/* ---- linear equations ----------------------------------------------------------------------------- */

/* A = L D L*; D stays on the diagonal, inverted, L below it. */
static void factor(tape *t, int n, double *A)
{
    for (int j = 0; j < n; j++) {
        const double D = A[j * n + j], D_inv = tape_apply(t, TAPE_DIV, 1.0, D, 0.0);
        for (int i = j + 1; i < n; i++) {
            const double L = mul(t, A[i * n + j], D_inv);
            for (int k = j + 1; k <= i; k++) {
                A[i * n + k] = sub(t, A[i * n + k], mul(t, L, A[k * n + j]));
            }
        }
        for (int i = j + 1; i < n; i++) {
            A[i * n + j] = mul(t, A[i * n + j], D_inv);
        }
        A[j * n + j] = D_inv;
    }
}

void tape_solve(tape *t, int n, double *A, int m, double *b)
{
    factor(t, n, A);
    for (int c = 0; c < m; c++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < i; j++) {
                b[i * m + c] = sub(t, b[i * m + c], mul(t, A[i * n + j], b[j * m + c]));
            }
        }
        for (int i = n - 1; i >= 0; i--) {
            b[i * m + c] = mul(t, b[i * m + c], A[i * n + i]);
            for (int j = i + 1; j < n; j++) {
                b[i * m + c] = sub(t, b[i * m + c], mul(t, A[j * n + i], b[j * m + c]));
            }
        }
    }
}

/* ---- order -------------------------------------------------------------------------------------------- */

/* Depth first from the values; mark: 0 not seen, 1 entered, 2 done. */
static int depth_first(const tape *t, int root, unsigned char *mark, int *stack, int *order, int count)
{
    int depth = 0;
    stack[depth++] = root;
    while (depth > 0) {
        const int k = stack[depth - 1];
        const tape_node *n = &t->node[k];
        if (mark[k] != 0) {
            depth--;
            if (mark[k] == 1) {
                mark[k] = 2;
                order[count++] = k;
            }
            continue;
        }
        mark[k] = 1;
        for (int i = tape_operands(n->op) - 1; i >= 0; i--) {
            const int x = tape_is_node(n->x[i]) ? tape_node_of(n->x[i]) : -1;
            if (x >= 0 && mark[x] == 0) {
                stack[depth++] = x;
            }
        }
    }
    return count;
}

/* The sum over all places of how many values are alive there. */
static double alive(const tape *t, int count, const int *order, int *last)
{
    double total = 0.0;
    for (int i = 0; i < count; i++) {
        const tape_node *n = &t->node[order[i]];
        for (int j = 0; j < tape_operands(n->op); j++) {
            if (tape_is_node(n->x[j])) {
                last[tape_node_of(n->x[j])] = i;
            }
        }
        last[order[i]] = i;
    }
    for (int i = 0; i < count; i++) {
        total += last[order[i]] - i;
    }
    return total;
}

static void count_uses(const tape *t, int n, const double *value, int count, const int *order, int *uses)
{
    memset(uses, 0, (size_t)t->count * sizeof *uses);
    for (int i = 0; i < n; i++) {
        if (tape_is_node(value[i])) {
            uses[tape_node_of(value[i])]++;
        }
    }
    for (int i = 0; i < count; i++) {
        const tape_node *node = &t->node[order[i]];
        for (int j = 0; j < tape_operands(node->op); j++) {
            if (tape_is_node(node->x[j])) {
                uses[tape_node_of(node->x[j])]++;
            }
        }
    }
}

int tape_order(const tape *t, int n, const double *value, int *order, int *uses)
{
    const size_t size = (size_t)t->count + 1;
    bool *needed = needed_by(t, n, value);
    unsigned char *mark = calloc(size, sizeof *mark);
    int *stack = malloc(4 * size * sizeof *stack), *other = calloc(size, sizeof *other);
    int count = -1;
    if (needed != NULL && mark != NULL && stack != NULL && other != NULL) {
        count = 0;
        for (int k = 0; k < t->count; k++) {
            if (needed[k]) {
                order[count++] = k;
            }
        }
        int also = 0;
        for (int i = 0; i < n; i++) {
            also = tape_is_node(value[i]) ? depth_first(t, tape_node_of(value[i]), mark, stack, other, also) : also;
        }
        if (alive(t, count, other, uses) < alive(t, count, order, stack)) {
            memcpy(order, other, (size_t)count * sizeof *order);
        }
        count_uses(t, n, value, count, order, uses);
    }
    free(needed);
    free(mark);
    free(stack);
    free(other);
    return count;
}
