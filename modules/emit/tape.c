/* emit/tape.c - nodes, made once, simplified as they are made. */
#include "emit/tape.h"

#include <math.h>
#include <stdlib.h>

#define PI 0x1.921fb54442d18p+1

int tape_operands(int op)
{
    static const int OPERANDS[TAPE_OPS] = {
#define TAPE_ROW(name, operands, count) [TAPE_##name] = (operands),
        TAPE_LIST(TAPE_ROW)
#undef TAPE_ROW
    };
    return OPERANDS[op];
}

int tape_count_of(int op)
{
    static const int COUNT[TAPE_OPS] = {
#define TAPE_ROW(name, operands, count) [TAPE_##name] = (count),
        TAPE_LIST(TAPE_ROW)
#undef TAPE_ROW
    };
    return COUNT[op];
}

/* ---- nodes ------------------------------------------------------------------------------ */

static bool grow(tape *t, int room)
{
    tape_node *node = realloc(t->node, (size_t)room * sizeof *node);
    t->node = node != NULL ? node : t->node;
    int *bucket = malloc(2 * (size_t)room * sizeof *bucket);
    if (node == NULL || bucket == NULL) {
        free(bucket);
        return false;
    }
    free(t->bucket);
    t->bucket = bucket;
    t->room = room;
    memset(bucket, -1, 2 * (size_t)room * sizeof *bucket);
    return true;
}

static size_t hash_of(const tape *t, const tape_node *n)
{
    uint64_t h = (uint64_t)n->op * UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < 3; i++) {
        h = (h ^ tape_bits(n->x[i])) * UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    return (size_t)(h % (2 * (uint64_t)t->room));
}

/* The bucket of an equal node, or the empty one where it goes. */
static int *find(const tape *t, const tape_node *n)
{
    size_t i = hash_of(t, n);
    while (t->bucket[i] >= 0 && memcmp(&t->node[t->bucket[i]], n, sizeof *n) != 0) {
        i = (i + 1) % (2 * (size_t)t->room);
    }
    return &t->bucket[i];
}

bool tape_begin(tape *t, bool literal, int limit)
{
    *t = (tape){ .literal = literal, .limit = limit };
    t->full = !grow(t, 1024);
    return !t->full;
}

void tape_end(tape *t)
{
    free(t->node);
    free(t->bucket);
    *t = (tape){ .full = true };
}

static bool make_room(tape *t)
{
    if (t->count < t->room) {
        return true;
    }
    if (t->count >= t->limit || !grow(t, 2 * t->room)) {
        return false;
    }
    for (int i = 0; i < t->count; i++) {
        *find(t, &t->node[i]) = i;
    }
    return true;
}

static double make(tape *t, int op, double a, double b, double c)
{
    tape_node n;
    memset(&n, 0, sizeof n); /* nodes are compared as bytes */
    n.op = op;
    n.x[0] = a, n.x[1] = b, n.x[2] = c;
    if (t->full) {
        return 0.0;
    }
    int *at = find(t, &n);
    if (*at < 0) {
        if (!make_room(t)) {
            t->full = true;
            return 0.0;
        }
        at = find(t, &n);
        t->node[t->count] = n;
        *at = t->count++;
    }
    return tape_value(*at);
}

double tape_input(tape *t, int array, int i)
{
    return make(t, TAPE_INPUT, array, i, 0.0);
}

/* ---- rules ---------------------------------------------------------------------------------- */

static bool is(const tape *t, double x, int op)
{
    return tape_is_node(x) && t->node[tape_node_of(x)].op == op;
}

static double operand(const tape *t, double x, int i)
{
    return t->node[tape_node_of(x)].x[i];
}

static bool before(double a, double b)
{
    return !tape_is_node(a) || (tape_is_node(b) && tape_node_of(a) < tape_node_of(b));
}

/* x = c y with a number c: c, and y in *rest. */
static bool is_scaled(const tape *t, double x, double *rest)
{
    if (is(t, x, TAPE_MUL) && !tape_is_node(operand(t, x, 0))) {
        *rest = operand(t, x, 1);
        return true;
    }
    return false;
}

static double negative(tape *t, double a)
{
    if (is(t, a, TAPE_NEG)) {
        return operand(t, a, 0);
    }
    if (is(t, a, TAPE_SUB)) {
        return tape_apply(t, TAPE_SUB, operand(t, a, 1), operand(t, a, 0), 0.0);
    }
    double rest;
    if (is_scaled(t, a, &rest)) {
        return make(t, TAPE_MUL, -operand(t, a, 0), rest, 0.0);
    }
    return make(t, TAPE_NEG, a, 0.0, 0.0);
}

static double sum(tape *t, double a, double b)
{
    if (!before(a, b)) {
        const double c = a;
        a = b, b = c;
    }
    if (!tape_is_node(a) && a == 0.0) {
        return b;
    }
    if (is(t, b, TAPE_NEG)) {
        return tape_apply(t, TAPE_SUB, a, operand(t, b, 0), 0.0);
    }
    if (is(t, a, TAPE_NEG)) {
        return tape_apply(t, TAPE_SUB, b, operand(t, a, 0), 0.0);
    }
    if (tape_bits(a) == tape_bits(b)) {
        return tape_apply(t, TAPE_MUL, 2.0, a, 0.0);
    }
    return make(t, TAPE_ADD, a, b, 0.0);
}

static double difference(tape *t, double a, double b)
{
    if (!tape_is_node(b) && b == 0.0) {
        return a;
    }
    if (!tape_is_node(a) && a == 0.0) {
        return negative(t, b);
    }
    if (tape_bits(a) == tape_bits(b)) {
        return 0.0;
    }
    if (is(t, b, TAPE_NEG)) {
        return sum(t, a, operand(t, b, 0));
    }
    if (is(t, a, TAPE_NEG)) {
        return negative(t, sum(t, operand(t, a, 0), b));
    }
    return make(t, TAPE_SUB, a, b, 0.0);
}

static double product(tape *t, double a, double b)
{
    double rest;
    if (!before(a, b)) {
        const double c = a;
        a = b, b = c;
    }
    if (!tape_is_node(a)) {
        if (a == 0.0) {
            return 0.0;
        }
        if (a == 1.0) {
            return b;
        }
        if (a == -1.0) {
            return negative(t, b);
        }
        if (is(t, b, TAPE_NEG)) {
            return product(t, -a, operand(t, b, 0));
        }
        if (is_scaled(t, b, &rest)) {
            return product(t, a * operand(t, b, 0), rest);
        }
        return make(t, TAPE_MUL, a, b, 0.0);
    }
    if (is(t, a, TAPE_NEG)) {
        return negative(t, product(t, operand(t, a, 0), b));
    }
    if (is(t, b, TAPE_NEG)) {
        return negative(t, product(t, a, operand(t, b, 0)));
    }
    return make(t, TAPE_MUL, a, b, 0.0);
}

static double quotient(tape *t, double a, double b)
{
    if (!tape_is_node(b)) {
        return product(t, 1.0 / b, a);
    }
    if (!tape_is_node(a) && a == 0.0) {
        return 0.0;
    }
    return make(t, TAPE_DIV, a, b, 0.0);
}

/* sin or cos of x + n pi/2 is that of x, turned; the sum would cost an operation and a rounding. */
static double sine(tape *t, tape_op op, double x)
{
    if (is(t, x, TAPE_ADD) && !tape_is_node(operand(t, x, 0))) {
        const double turns = operand(t, x, 0) / (0.5 * PI), n = round(turns);
        if (fabs(turns - n) <= 4e-16 * fabs(n) && fabs(n) <= 4.0) {
            const int quarter = ((int)n + (op == TAPE_COS ? 1 : 0) + 8) % 4;
            const double y = make(t, quarter % 2 == 1 ? TAPE_COS : TAPE_SIN, operand(t, x, 1), 0.0, 0.0);
            return quarter >= 2 ? negative(t, y) : y;
        }
    }
    return make(t, (int)op, x, 0.0, 0.0);
}

/* The result of an operation on numbers alone; false: it is not the same in every numeric profile. */
static bool fold(tape_op op, double a, double b, double c, double *y)
{
    switch (op) {
    case TAPE_NEG:
        *y = -a;
        return true;
    case TAPE_ADD:
        *y = a + b;
        return true;
    case TAPE_SUB:
        *y = a - b;
        return true;
    case TAPE_MUL:
        *y = a * b;
        return true;
    case TAPE_DIV:
        *y = a / b;
        return true;
    case TAPE_FMA:
        *y = a * b + c;
        return *y == fma(a, b, c) && *y != 0.0;
    case TAPE_SQRT:
        *y = sqrt(a);
        return true;
    case TAPE_ABS:
        *y = fabs(a);
        return true;
    case TAPE_LESS:
        *y = a < b ? 1.0 : 0.0;
        return true;
    default:
        return false;
    }
}

static double apply_literally(tape *t, tape_op op, double a, double b, double c)
{
    if ((op == TAPE_ADD || op == TAPE_MUL) && !before(a, b)) {
        return make(t, (int)op, b, a, 0.0);
    }
    return make(t, (int)op, a, b, c);
}

double tape_apply(tape *t, tape_op op, double a, double b, double c)
{
    const int n = tape_operands((int)op);
    double y;
    b = n > 1 ? b : 0.0;
    c = n > 2 ? c : 0.0;
    if (op == TAPE_SELECT) {
        return !tape_is_node(a) ? (a != 0.0 ? b : c) : tape_bits(b) == tape_bits(c) ? b : make(t, (int)op, a, b, c);
    }
    if (!tape_is_node(a) && !tape_is_node(b) && !tape_is_node(c) && fold(op, a, b, c, &y)) {
        return y;
    }
    if (t->literal) {
        return apply_literally(t, op, a, b, c);
    }
    switch (op) {
    case TAPE_NEG:
        return negative(t, a);
    case TAPE_ADD:
        return sum(t, a, b);
    case TAPE_SUB:
        return difference(t, a, b);
    case TAPE_MUL:
        return product(t, a, b);
    case TAPE_DIV:
        return quotient(t, a, b);
    case TAPE_FMA:
        a = tape_apply(t, TAPE_MUL, a, b, 0.0);
        return tape_apply(t, TAPE_ADD, a, c, 0.0);
    case TAPE_SIN:
    case TAPE_COS:
        return sine(t, op, a);
    default:
        return make(t, (int)op, a, b, c);
    }
}
