/* emit/tape.h - a tape of scalar operations: what a kernel did to its inputs, written down.
 *
 * A value is a double. A plain number stands for itself; a NaN of our own making holds the number of a node, so that the
 * arrays of the kernels, which are arrays of double, hold nodes as well. Equal operations on equal values are one node. */
#ifndef SOA_EMIT_TAPE_H
#define SOA_EMIT_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every operation: its name, how many operands it has, and under which count it falls. */
#define TAPE_LIST(X)         \
    X(INPUT, 0, COUNT_NONE)  \
    X(NEG, 1, COUNT_NONE)    \
    X(ADD, 2, COUNT_ADD)     \
    X(SUB, 2, COUNT_ADD)     \
    X(MUL, 2, COUNT_MUL)     \
    X(DIV, 2, COUNT_DIV)     \
    X(FMA, 3, COUNT_NONE)    \
    X(SQRT, 1, COUNT_SQRT)   \
    X(ABS, 1, COUNT_NONE)    \
    X(SIN, 1, COUNT_SINE)    \
    X(COS, 1, COUNT_SINE)    \
    X(LESS, 2, COUNT_SELECT) \
    X(SELECT, 3, COUNT_SELECT)

enum { COUNT_NONE, COUNT_ADD, COUNT_MUL, COUNT_DIV, COUNT_SQRT, COUNT_SINE, COUNT_SELECT, COUNTS };

typedef enum tape_op {
#define TAPE_OP(name, operands, count) TAPE_##name,
    TAPE_LIST(TAPE_OP)
#undef TAPE_OP
        TAPE_OPS
} tape_op;

typedef struct tape_node {
    int op;
    double x[3]; /* operands; of an input its array and its place there, as numbers */
} tape_node;

typedef struct tape {
    tape_node *node;
    int count, room;
    int *bucket;  /* of a hash table, twice as large as room; -1: empty */
    bool literal; /* no rule but those that keep every bit */
    bool full;    /* out of memory, or more nodes than the limit: what comes after is worthless */
    int limit;
} tape;

bool tape_begin(tape *t, bool literal, int limit);
void tape_end(tape *t);

static inline uint64_t tape_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Whether a value is a node, and which. */
static inline bool tape_is_node(double x)
{
    return tape_bits(x) >> 32 == UINT64_C(0xfffa5a5a);
}

static inline int tape_node_of(double x)
{
    return (int)(uint32_t)tape_bits(x);
}

/* The value of a node. */
static inline double tape_value(int node)
{
    const uint64_t bits = UINT64_C(0xfffa5a5a00000000) | (uint32_t)node;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Number i of an input array. */
double tape_input(tape *t, int array, int i);

/* The value of an operation, simplified; operands that it does not have are not looked at. */
double tape_apply(tape *t, tape_op op, double a, double b, double c);

int tape_operands(int op);
int tape_count_of(int op);

/* ---- what is made of a tape ---------------------------------------------------------- */

/* d value[i] along the tangents of the inputs, tangent(array, place); in the place of the values. */
typedef double tape_tangent(void *context, int array, int i);
bool tape_derive(tape *t, int n, const double *value, tape_tangent *tangent, void *context, double *derivative);

/* The inputs of an array replaced by other values, in n values. */
bool tape_substitute(tape *t, int n, double *value, int array, const double *by);

/* Common factors of sums in n values outside: a b + a c becomes a (b + c). */
bool tape_factor(tape *t, int n, double *value);

/* The nodes that n values need, each after its operands, in an order of short live ranges; uses: how often each node is
 * an operand or an output. order and uses have room for t->count; returns how many, or -1: no memory. */
int tape_order(const tape *t, int n, const double *value, int *order, int *uses);

/* A x = b for a symmetric positive definite A, n x n by rows; columns of b side by side, n x m by rows. In place. */
void tape_solve(tape *t, int n, double *A, int m, double *b);

#ifdef __cplusplus
}
#endif
#endif
