/* operator/equation.c - equations between operators: parsed, applied to vectors. */
#include "operator/equation.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "core/error.h"

/* ---- parse ------------------------------------------------------------------------------ */

typedef struct parser {
    const char *text, *at;
    soa_equation *equation;
    int depth;
    soa_error *error;
    bool failed;
} parser;

enum { MAX_DEPTH = 16 };

static int fail(parser *p, const char *what)
{
    if (!p->failed) {
        p->failed = true;
        (void)soa_fail(
            p->error, SOA_E_SYNTAX, -1, "column %d of \"%s\": %s", (int)(p->at - p->text) + 1, p->text, what);
        if (p->error) {
            p->error->column = (int)(p->at - p->text) + 1;
        }
    }
    return 0;
}

static char peek(parser *p)
{
    while (*p->at == ' ') {
        p->at++;
    }
    return *p->at;
}

static int new_node(parser *p, soa_node node)
{
    if (p->equation->nodes == SOA_EQUATION_NODES) {
        return fail(p, "the equation is too long");
    }
    p->equation->node[p->equation->nodes] = node;
    return p->equation->nodes++;
}

/* The longest operator that the text begins with; SOA_OPERATORS: none. */
static soa_operator longest_operator(const char *text, size_t *length)
{
    soa_operator found = SOA_OPERATORS;
    *length = 0;
    for (int op = 0; op < SOA_OPERATORS; op++) {
        const char *name = soa_operator_text((soa_operator)op);
        const size_t n = strlen(name);
        if (n > *length && strncmp(text, name, n) == 0 && !isalnum((unsigned char)text[n]) && text[n] != '_') {
            found = (soa_operator)op;
            *length = n;
        }
    }
    return found;
}

static int parse_sum(parser *p);

/* factor = ( operator | "(" sum ")" ) { "*" } */
static int parse_factor(parser *p)
{
    int node;
    if (peek(p) == '(') {
        p->at++;
        node = p->depth < MAX_DEPTH ? (p->depth++, parse_sum(p)) : fail(p, "too many parentheses");
        p->depth--;
        if (peek(p) != ')') {
            return fail(p, "a parenthesis is not closed");
        }
        p->at++;
    } else {
        size_t length;
        const soa_operator op = longest_operator(p->at, &length);
        if (op == SOA_OPERATORS) {
            return fail(p, "this is no operator");
        }
        p->at += length;
        node = new_node(p, (soa_node){ SOA_NODE_OPERATOR, op, false, 0, 0 });
    }
    for (; peek(p) == '*' && !p->failed; p->at++) {
        p->equation->node[node].adjoint = !p->equation->node[node].adjoint;
    }
    return node;
}

/* product = factor { factor } */
static int parse_product(parser *p)
{
    int node = parse_factor(p);
    while (!p->failed && peek(p) && !strchr("+-=)", peek(p))) {
        const int right = parse_factor(p);
        node = new_node(p, (soa_node){ SOA_NODE_MULTIPLY, SOA_OP_I, false, node, right });
    }
    return node;
}

/* sum = product { ("+" | "-") product } */
static int parse_sum(parser *p)
{
    int node = parse_product(p);
    while (!p->failed && (peek(p) == '+' || peek(p) == '-')) {
        const soa_node_kind kind = *p->at++ == '+' ? SOA_NODE_ADD : SOA_NODE_SUBTRACT;
        const int right = parse_product(p);
        node = new_node(p, (soa_node){ kind, SOA_OP_I, false, node, right });
    }
    return node;
}

soa_status soa_equation_parse(const char *text, soa_equation *equation, soa_error *error)
{
    parser p = { .text = text, .at = text, .equation = equation, .error = error };
    equation->nodes = 0;
    equation->left = parse_sum(&p);
    if (!p.failed && peek(&p) != '=') {
        fail(&p, "an equation needs a = here");
    } else if (!p.failed) {
        p.at++;
        equation->right = parse_sum(&p);
        if (!p.failed && peek(&p) != '\0') {
            fail(&p, "the equation should end here");
        }
    }
    return p.failed ? SOA_E_SYNTAX : SOA_OK;
}

/* ---- spaces ------------------------------------------------------------------------------- */

/* Of the argument, or with `result` of the result; ANY if the node is but identities. */
static soa_vector space_of(const soa_equation *e, int node, bool adjoint, bool result)
{
    const soa_node *n = &e->node[node];
    const bool a = adjoint != n->adjoint;
    if (n->kind == SOA_NODE_OPERATOR) {
        const soa_operator_info about = soa_operator_about(n->op, a);
        return result ? (soa_vector){ about.codomain_space, about.codomain_side, 0, NULL }
                      : (soa_vector){ about.domain_space, about.domain_side, 0, NULL };
    }
    /* of a product the factor at that end, of a sum any */
    const int first = n->kind == SOA_NODE_MULTIPLY && a == result ? n->right : n->left;
    const soa_vector space = space_of(e, first, a, result);
    return space.space != SOA_SPACE_ANY ? space : space_of(e, first == n->left ? n->right : n->left, a, result);
}

static soa_vector of_either_side(const soa_equation *e, bool result)
{
    const soa_vector left = space_of(e, e->left, false, result);
    return left.space != SOA_SPACE_ANY ? left : space_of(e, e->right, false, result);
}

soa_vector soa_equation_domain(const soa_equation *equation)
{
    return of_either_side(equation, false);
}

soa_vector soa_equation_codomain(const soa_equation *equation)
{
    return of_either_side(equation, true);
}

/* ---- apply --------------------------------------------------------------------------------- */

static soa_status fail_spaces(soa_error *error, const char *what, const soa_vector *x, soa_space space, soa_side side)
{
    return soa_fail(error, SOA_E_SYNTAX, -1, "%s takes a %s %s and is given a %s %s", what, soa_space_text(space),
        soa_side_text(side), soa_space_text(x->space), soa_side_text(x->side));
}

/* The largest number of the vectors that live where the result does. */
static void meet(soa_evaluator *v, const soa_vector *y)
{
    for (int i = 0; y->space == v->space && y->side == v->side && i < y->size; i++) {
        v->largest = fabs(y->at[i]) <= v->largest ? v->largest : fabs(y->at[i]);
    }
}

static soa_status apply_operator(
    soa_evaluator *v, soa_operator op, bool adjoint, const soa_vector *x, soa_vector *y, soa_error *error)
{
    const soa_operator_info about = soa_operator_about(op, adjoint);
    if (op == SOA_OP_I) {
        memcpy(y->at, x->at, (size_t)x->size * sizeof *x->at);
        *y = (soa_vector){ x->space, x->side, x->size, y->at };
        return SOA_OK;
    }
    if (about.domain_space != x->space || about.domain_side != x->side) {
        return fail_spaces(error, about.text, x, about.domain_space, about.domain_side);
    }
    *y = (soa_vector){ about.codomain_space, about.codomain_side, v->size[about.codomain_space], y->at };
    return v->apply(v->context, op, adjoint, x->at, y->at, error);
}

/* y = left x +- right x, or with first, second of a product y = second (first x). */
static soa_status apply_pair(const soa_equation *e, const soa_node *n, bool adjoint, soa_evaluator *v,
    const soa_vector *x, soa_vector *y, soa_error *error)
{
    if (v->used == SOA_EVALUATOR_VECTORS) {
        return soa_fail(error, SOA_E_LIMIT, -1, "the equation is nested too deeply");
    }
    soa_vector t = { SOA_SPACE_ANY, SOA_SIDE_ANY, 0, v->pool + (size_t)v->used++ * (size_t)v->pool_size };
    const bool product = n->kind == SOA_NODE_MULTIPLY;
    const int first = product && !adjoint ? n->right : n->left, second = first == n->left ? n->right : n->left;
    soa_status status = soa_node_apply(e, first, adjoint, v, x, &t, error);
    status = status == SOA_OK ? soa_node_apply(e, second, adjoint, v, product ? &t : x, y, error) : status;
    v->used--;
    if (status != SOA_OK || product) {
        return status;
    }
    if (t.space != y->space || t.side != y->side) {
        return fail_spaces(error, "a sum", y, t.space, t.side);
    }
    const double sign = n->kind == SOA_NODE_SUBTRACT ? -1.0 : 1.0;
    for (int i = 0; i < y->size; i++) {
        y->at[i] = t.at[i] + sign * y->at[i];
    }
    return SOA_OK;
}

soa_status soa_node_apply(const soa_equation *equation, int node, bool adjoint, soa_evaluator *evaluator,
    const soa_vector *x, soa_vector *y, soa_error *error)
{
    const soa_node *n = &equation->node[node];
    const bool a = adjoint != n->adjoint;
    meet(evaluator, x);
    const soa_status status = n->kind == SOA_NODE_OPERATOR ? apply_operator(evaluator, n->op, a, x, y, error)
                                                           : apply_pair(equation, n, a, evaluator, x, y, error);
    if (status == SOA_OK) {
        meet(evaluator, y);
    }
    return status;
}
