/* emit/tape_factor.c - a b + a c becomes a (b + c): a multiplication less, and no rounding more. */
#include <stdlib.h>

#include "emit/tape.h"

enum { MOST_TERMS = 32 };

/* A term of a sum: sign a b; b is 1 if it is no product. */
typedef struct term {
    bool minus;
    double a, b;
} term;

typedef struct factoring {
    tape *t;
    const int *uses;
    const double *made; /* by node: what it has become */
    int count;
    term term[MOST_TERMS];
    bool full;
} factoring;

static double now(const factoring *f, double x)
{
    return tape_is_node(x) ? f->made[tape_node_of(x)] : x;
}

/* Whether a value is a node of that operation that nobody else needs. */
static bool is_own(const factoring *f, double x, int op)
{
    return tape_is_node(x) && f->t->node[tape_node_of(x)].op == op && f->uses[tape_node_of(x)] == 1;
}

/* The terms of x, as far as nobody else needs what lies between. */
static void collect(factoring *f, double x, bool minus, bool whole)
{
    if (tape_is_node(x) && (whole || is_own(f, x, TAPE_ADD) || is_own(f, x, TAPE_SUB))) {
        const tape_node *n = &f->t->node[tape_node_of(x)];
        const double first = n->x[0], second = n->x[1];
        const bool difference = n->op == TAPE_SUB;
        collect(f, first, minus, false);
        collect(f, second, minus != difference, false);
        return;
    }
    if (f->count == MOST_TERMS) {
        f->full = true;
        return;
    }
    const bool product = is_own(f, x, TAPE_MUL);
    const tape_node *n = product ? &f->t->node[tape_node_of(x)] : NULL;
    f->term[f->count++] = product ? (term){ minus, now(f, n->x[0]), now(f, n->x[1]) } : (term){ minus, now(f, x), 1.0 };
}

static bool is_one(double x)
{
    return !tape_is_node(x) && x == 1.0;
}

static bool same(double x, double y)
{
    return tape_bits(x) == tape_bits(y);
}

/* Whether a product has the factor; *other: what it is multiplied with. */
static bool has_factor(const term *x, double factor, double *other)
{
    if (is_one(x->b)) {
        return false;
    }
    *other = same(x->a, factor) ? x->b : x->a;
    return same(x->a, factor) || same(x->b, factor);
}

static int count_factor(const factoring *f, double factor)
{
    int count = 0;
    double other;
    for (int i = 0; i < f->count; i++) {
        count += has_factor(&f->term[i], factor, &other);
    }
    return count;
}

static double add_signed(tape *t, double sum, double x, bool minus)
{
    return tape_apply(t, minus ? TAPE_SUB : TAPE_ADD, sum, x, 0.0);
}

/* All terms with the factor become one, in the place of the first. */
static void gather(factoring *f, double factor)
{
    int kept = 0, at = -1;
    double sum = 0.0, other;
    for (int i = 0; i < f->count; i++) {
        const term x = f->term[i];
        if (!has_factor(&x, factor, &other)) {
            f->term[kept++] = x;
            continue;
        }
        at = at < 0 ? kept++ : at;
        sum = add_signed(f->t, sum, other, x.minus);
    }
    f->term[at] = (term){ false, factor, sum };
    f->count = kept;
}

/* The factor that most products have; false: none has two. */
static bool common_factor(const factoring *f, double *factor)
{
    int most = 1;
    for (int i = 0; i < 2 * f->count; i++) {
        const term *x = &f->term[i / 2];
        const double candidate = i % 2 == 0 ? x->a : x->b;
        const int count = is_one(x->b) ? 0 : count_factor(f, candidate);
        if (count > most) {
            most = count;
            *factor = candidate;
        }
    }
    return most > 1;
}

/* The sum of node k with common factors outside; its value as it is if there are none. */
static double factored(factoring *f, int k, double plain)
{
    double factor, sum = 0.0;
    f->count = 0;
    f->full = false;
    collect(f, tape_value(k), false, true);
    if (f->full || !common_factor(f, &factor)) {
        return plain;
    }
    do {
        gather(f, factor);
    } while (common_factor(f, &factor));
    for (int i = 0; i < f->count; i++) {
        const term *x = &f->term[i];
        const double value = is_one(x->b) ? x->a : tape_apply(f->t, TAPE_MUL, x->a, x->b, 0.0);
        sum = add_signed(f->t, sum, value, x->minus);
    }
    return sum;
}

bool tape_factor(tape *t, int n, double *value)
{
    const int count = t->count;
    int *order = malloc(((size_t)count + 1) * sizeof *order), *uses = malloc(((size_t)count + 1) * sizeof *uses);
    double *made = calloc((size_t)count + 1, sizeof *made);
    const bool ready = order != NULL && uses != NULL && made != NULL;
    const int needed = ready ? tape_order(t, n, value, order, uses) : -1;
    factoring f = { .t = t, .uses = uses, .made = made };
    for (int i = 0; i < needed; i++) {
        const int k = order[i];
        const tape_node node = t->node[k]; /* the tape may move */
        double x[3] = { node.x[0], node.x[1], node.x[2] };
        for (int j = 0; j < 3; j++) {
            x[j] = j < tape_operands(node.op) ? now(&f, x[j]) : x[j];
        }
        const bool changed = memcmp(x, node.x, sizeof x) != 0;
        made[k] = changed ? tape_apply(t, (tape_op)node.op, x[0], x[1], x[2]) : tape_value(k);
        if (node.op == TAPE_ADD || node.op == TAPE_SUB) {
            made[k] = factored(&f, k, made[k]);
        }
    }
    for (int i = 0; needed >= 0 && i < n; i++) {
        value[i] = now(&f, value[i]);
    }
    free(order);
    free(uses);
    free(made);
    return needed >= 0 && !t->full;
}
