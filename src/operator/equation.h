/* operator/equation.h - equations between operators as small trees, applied to vectors.
 *
 *     equation = sum "=" sum
 *     sum      = product { ("+" | "-") product }
 *     product  = factor { factor }
 *     factor   = ( operator | "(" sum ")" ) { "*" }
 *
 * Just enough to check identities: nothing is simplified or planned. */
#ifndef SOA_OPERATOR_EQUATION_H
#define SOA_OPERATOR_EQUATION_H

#include "soa/operator.h"

enum { SOA_EQUATION_NODES = 64 };

typedef enum soa_node_kind {
    SOA_NODE_OPERATOR,
    SOA_NODE_ADD,
    SOA_NODE_SUBTRACT,
    SOA_NODE_MULTIPLY,
} soa_node_kind;

typedef struct soa_node {
    soa_node_kind kind;
    soa_operator op;
    bool adjoint; /* of all of it */
    int left, right;
} soa_node;

typedef struct soa_equation {
    soa_node node[SOA_EQUATION_NODES];
    int nodes;
    int left, right; /* the two sides */
} soa_equation;

/* SOA_E_SYNTAX with the column where the text is not understood. */
soa_status soa_equation_parse(const char *text, soa_equation *equation, soa_error *error);

/* A vector with the space it lives in. */
typedef struct soa_vector {
    soa_space space;
    soa_side side;
    int size;
    double *at;
} soa_vector;

/* What applies operators: y = A x, the sizes of the spaces, and room for vectors. */
typedef struct soa_evaluator {
    soa_status (*apply)(void *context, soa_operator op, bool adjoint, const double *x, double *y, soa_error *error);
    void *context;
    int size[SOA_SPACE_ONE + 1]; /* by soa_space */
    double *pool;
    int pool_size, used;
    soa_side side; /* in: of the result; largest counts vectors of this space and side */
    soa_space space;
    double largest; /* number met */
} soa_evaluator;

/* How many vectors of the largest size the pool must have room for. */
enum { SOA_EVALUATOR_VECTORS = 48 };

/* Where the vectors come from that a side (or both, ANY if it is but I) takes, and where they go. */
soa_vector soa_equation_domain(const soa_equation *equation);
soa_vector soa_equation_codomain(const soa_equation *equation);

/* y = (node) x; y->at has room for the largest size. SOA_E_SYNTAX: spaces do not fit. */
soa_status soa_node_apply(const soa_equation *equation, int node, bool adjoint, soa_evaluator *evaluator,
    const soa_vector *x, soa_vector *y, soa_error *error);

#endif
