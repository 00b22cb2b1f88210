/* expr/graph_fuse.c - steps that one instruction computes: the filter and the smoother of Mass^-1  [I6].
 *
 * What is fused keeps its place in the graph; the steps between are not demanded any more. */
#include <string.h>

#include "expr/graph.h"
#include "model/model.h"

/* The part of a sum, with that factor, that is this operator on x (-1: on anything), or with SOA_OP_I x itself; -1: none. */
static int find_part(const soa_graph *graph, const soa_step *sum, double factor, soa_operator op, bool adjoint, int x)
{
    for (int i = 0; sum->kind == SOA_STEP_SUM && i < sum->count; i++) {
        const int part = sum->input[i];
        const soa_step *s = soa_graph_step(graph, part);
        const bool is = op == SOA_OP_I ? part == x : soa_step_is(s, op, adjoint) && (x < 0 || s->input[0] == x);
        if (is && sum->factor[i] == factor) {
            return part;
        }
    }
    return -1;
}

static bool used_once(const soa_graph *graph, int step)
{
    return step >= 0 && soa_graph_step(graph, step)->uses == 1;
}

/* The step x - op on `inner`: a sum of two. */
static int find_difference(const soa_graph *graph, int x, soa_operator op, bool adjoint, int inner)
{
    for (int i = inner + 1; i < graph->steps.count; i++) {
        const soa_step *s = soa_graph_step(graph, i);
        if (s->code != SOA_CODE_NONE && s->count == 2 && find_part(graph, s, 1.0, SOA_OP_I, false, x) >= 0 &&
            find_part(graph, s, -1.0, op, adjoint, inner) >= 0) {
            return i;
        }
    }
    return -1;
}

/* What K works on in an input of psi: K x, or K x + rest; -1: K is not there. */
static int gain_input(const soa_graph *graph, int step, int *sum)
{
    const soa_step *s = soa_graph_step(graph, step);
    *sum = -1;
    if (soa_step_is(s, SOA_OP_K, false)) {
        return used_once(graph, step) ? s->input[0] : -1;
    }
    const int K = find_part(graph, s, 1.0, SOA_OP_K, false, -1);
    if (K < 0 || !used_once(graph, step) || !used_once(graph, K)) {
        return -1;
    }
    *sum = step;
    return soa_graph_step(graph, K)->input[0];
}

/* Makes `first` compute `other` too, from these inputs. */
static void fuse(soa_graph *graph, soa_code code, int first, int other, int count, const int *from)
{
    int *input = soa_graph_take(graph, (size_t)count, sizeof *input);
    if (!input) {
        return;
    }
    memcpy(input, from, (size_t)count * sizeof *input);
    input[count] = first;
    soa_step *s = soa_graph_step(graph, first), *second = soa_graph_step(graph, other);
    s->code = code;
    s->y2 = other;
    s->count = count;
    s->input = input;
    second->code = SOA_CODE_NONE;
    second->count = 1;
    second->input = input + count;
}

/* The sum without the part K x, in its own place; what it comes to. */
static int without_gain(soa_graph *graph, int sum, int x)
{
    soa_step *s = soa_graph_step(graph, sum);
    int *input = soa_graph_take(graph, (size_t)s->count, sizeof *input);
    double *factor = soa_graph_take(graph, (size_t)s->count, sizeof *factor);
    if (!input || !factor) {
        return -1;
    }
    const int K = find_part(graph, s, 1.0, SOA_OP_K, false, x);
    int n = 0;
    for (int i = 0; i < s->count; i++) {
        if (s->input[i] != K) {
            input[n] = s->input[i];
            factor[n++] = s->factor[i];
        }
    }
    s->count = n;
    s->input = input;
    s->factor = factor;
    return n == 1 && factor[0] == 1.0 ? input[0] : sum;
}

/* z = psi (K x + rest), eps = x - H z */
static void fuse_filter(soa_graph *graph, int z)
{
    const soa_step *s = soa_graph_step(graph, z);
    if (!soa_step_is(s, SOA_OP_PSI, false)) {
        return;
    }
    int sum;
    const int x = gain_input(graph, s->input[0], &sum);
    const int eps = x < 0 ? -1 : find_difference(graph, x, SOA_OP_H, false, z);
    if (eps >= 0 && graph->schedule.sweep[eps] == graph->schedule.sweep[z]) {
        const int rest = sum < 0 ? -1 : without_gain(graph, sum, x);
        fuse(graph, SOA_CODE_filter, z, eps, rest < 0 ? 1 : 2, (const int[]){ x, rest });
    }
}

/* lambda = psi* H* nu, y = nu - K* lambda, nu = D^-1 eps */
static void fuse_smoother(soa_graph *graph, int lambda)
{
    const soa_step *s = soa_graph_step(graph, lambda);
    if (!soa_step_is(s, SOA_OP_PSI, true) || !soa_step_is(soa_graph_step(graph, s->input[0]), SOA_OP_H, true)) {
        return;
    }
    const int nu = soa_graph_step(graph, s->input[0])->input[0];
    const int y = find_difference(graph, nu, SOA_OP_K, true, lambda);
    if (y >= 0 && soa_step_is(soa_graph_step(graph, nu), SOA_OP_D_INV, false) &&
        graph->schedule.sweep[y] == graph->schedule.sweep[lambda]) {
        fuse(graph, SOA_CODE_smoother, lambda, y, 1, soa_graph_step(graph, nu)->input);
    }
}

void soa_graph_fuse(soa_graph *graph)
{
    const bool flexible = graph->model && graph->model->flexible; /* its blocks are applied one by one */
    for (int i = 0; !flexible && i < graph->steps.count && graph->status == SOA_OK; i++) {
        fuse_filter(graph, i);
        fuse_smoother(graph, i);
    }
}
