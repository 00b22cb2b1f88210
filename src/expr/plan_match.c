/* expr/plan_match.c - steps that are together a named recursion. */
#include "expr/plan.h"

/* The place of `step` with that factor among the inputs of a sum; -1: it is not there. */
static int find_input(const soa_step *sum, double factor, int step)
{
    for (int i = 0; i < sum->count; i++) {
        if (sum->input[i] == step && sum->factor[i] == factor) {
            return i;
        }
    }
    return -1;
}

/* The input of a sum, with that factor, that is this operator on `x` (-1: on anything); -1: none. */
static int find_applied(const soa_flow *flow, const soa_step *sum, double factor, soa_operator op, bool adjoint, int x)
{
    for (int i = 0; sum->kind == SOA_STEP_SUM && i < sum->count; i++) {
        const soa_step *s = soa_flow_step(flow, sum->input[i]);
        if (sum->factor[i] == factor && soa_step_is(s, op, adjoint) && (x < 0 || s->input[0] == x)) {
            return sum->input[i];
        }
    }
    return -1;
}

static bool used(const soa_flow *flow, int step, int times)
{
    return step >= 0 && soa_flow_step(flow, step)->uses == times;
}

/* The step x - op on `inner`: a sum of two. */
static int find_difference(const soa_flow *flow, int x, soa_operator op, bool adjoint, int inner)
{
    for (int i = inner + 1; i < flow->steps.count; i++) {
        const soa_step *s = soa_flow_step(flow, i);
        if (s->kind != SOA_STEP_SUM || s->count != 2 || find_input(s, 1.0, x) < 0) {
            continue;
        }
        const int applied = find_applied(flow, s, -1.0, op, adjoint, inner);
        if (applied >= 0) {
            return i;
        }
    }
    return -1;
}

/* What K works on in an input of psi: K x, or K x + rest; -1: K is not there. */
static int gain_input(const soa_flow *flow, int step, int *sum)
{
    const soa_step *s = soa_flow_step(flow, step);
    *sum = -1;
    if (soa_step_is(s, SOA_OP_K, false)) {
        return used(flow, step, 1) ? s->input[0] : -1;
    }
    const int K = find_applied(flow, s, 1.0, SOA_OP_K, false, -1);
    if (K < 0 || !used(flow, step, 1) || !used(flow, K, 1)) {
        return -1;
    }
    *sum = step;
    return soa_flow_step(flow, K)->input[0];
}

bool soa_match_filter(const soa_flow *flow, const soa_schedule *schedule, int z, soa_filter_match *match)
{
    const soa_step *s = soa_flow_step(flow, z);
    if (!soa_step_is(s, SOA_OP_PSI, false)) {
        return false;
    }
    int sum;
    const int x = gain_input(flow, s->input[0], &sum);
    const int eps = x < 0 ? -1 : find_difference(flow, x, SOA_OP_H, false, z);
    if (eps < 0 || schedule->sweep[eps] != schedule->sweep[z]) {
        return false;
    }
    *match = (soa_filter_match){ .z = z, .eps = eps, .x = x, .sum = sum };
    return true;
}

bool soa_match_smoother(const soa_flow *flow, const soa_schedule *schedule, int lambda, soa_smoother_match *match)
{
    const soa_step *s = soa_flow_step(flow, lambda);
    if (!soa_step_is(s, SOA_OP_PSI, true) || !soa_step_is(soa_flow_step(flow, s->input[0]), SOA_OP_H, true)) {
        return false;
    }
    const int nu = soa_flow_step(flow, s->input[0])->input[0];
    const int y = find_difference(flow, nu, SOA_OP_K, true, lambda);
    if (y < 0 || !soa_step_is(soa_flow_step(flow, nu), SOA_OP_D_INV, false) ||
        schedule->sweep[y] != schedule->sweep[lambda]) {
        return false;
    }
    *match = (soa_smoother_match){ .lambda = lambda, .y = y, .eps = soa_flow_step(flow, nu)->input[0] };
    return true;
}
