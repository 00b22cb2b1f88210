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

/* ---- [FD4] ------------------------------------------------------------------------------------ */

static bool is_state(const soa_flow *flow, int step, soa_state_part part)
{
    return soa_step_is_state(soa_flow_step(flow, step), part);
}

/* z = psi (K T + b + E_psi P a + rest) */
static bool forward_inward(const soa_flow *flow, int z, int T, int a, int *rest)
{
    const soa_step *s = soa_flow_step(flow, z);
    if (!soa_step_is(s, SOA_OP_PSI, false) || !used(flow, s->input[0], 1)) {
        return false;
    }
    const soa_step *sum = soa_flow_step(flow, s->input[0]);
    if (sum->kind != SOA_STEP_SUM || sum->count < 3 || sum->count > 4) {
        return false;
    }
    const int K = find_applied(flow, sum, 1.0, SOA_OP_K, false, T);
    const int E = find_applied(flow, sum, 1.0, SOA_OP_E_PSI, false, -1);
    if (!used(flow, K, 1) || !used(flow, E, 1)) {
        return false;
    }
    const int P = soa_flow_step(flow, E)->input[0];
    int b = -1;
    *rest = -1;
    for (int i = 0; i < sum->count; i++) {
        const int input = sum->input[i];
        if (is_state(flow, input, SOA_STATE_B) && sum->factor[i] == 1.0) {
            b = input;
        } else if (input != K && input != E) {
            *rest = sum->factor[i] == 1.0 ? input : -1;
        }
    }
    return b >= 0 && soa_step_is(soa_flow_step(flow, P), SOA_OP_P, false) && used(flow, P, 1) &&
           soa_flow_step(flow, P)->input[0] == a && (sum->count == 3 || *rest >= 0);
}

/* lambda = psi* (H* nu + taubar* a) */
static bool forward_outward(const soa_flow *flow, int lambda, int nu, int a)
{
    const soa_step *s = soa_flow_step(flow, lambda);
    if (!soa_step_is(s, SOA_OP_PSI, true) || !used(flow, s->input[0], 1)) {
        return false;
    }
    const soa_step *sum = soa_flow_step(flow, s->input[0]);
    return sum->kind == SOA_STEP_SUM && sum->count == 2 &&
           used(flow, find_applied(flow, sum, 1.0, SOA_OP_H, true, nu), 1) &&
           used(flow, find_applied(flow, sum, 1.0, SOA_OP_TAUBAR, true, a), 1);
}

/* y = nu - K* lambda - G* a */
bool soa_match_forward(const soa_flow *flow, int y, soa_forward_match *match)
{
    const soa_step *s = soa_flow_step(flow, y);
    if (s->kind != SOA_STEP_SUM || s->count != 3) {
        return false;
    }
    const int K = find_applied(flow, s, -1.0, SOA_OP_K, true, -1), G = find_applied(flow, s, -1.0, SOA_OP_G, true, -1);
    const int nu = find_applied(flow, s, 1.0, SOA_OP_D_INV, false, -1);
    if (!used(flow, K, 1) || !used(flow, G, 1) || !used(flow, nu, 2)) {
        return false;
    }
    const int a = soa_flow_step(flow, G)->input[0], lambda = soa_flow_step(flow, K)->input[0];
    const int eps = soa_flow_step(flow, nu)->input[0];
    const soa_step *e = soa_flow_step(flow, eps);
    const int H = find_applied(flow, e, -1.0, SOA_OP_H, false, -1);
    if (!is_state(flow, a, SOA_STATE_A) || !used(flow, lambda, 1) || !used(flow, eps, 1) || e->kind != SOA_STEP_SUM ||
        e->count != 2 || !used(flow, H, 1) || !used(flow, soa_flow_step(flow, H)->input[0], 1)) {
        return false;
    }
    const int T = e->input[e->input[0] == H ? 1 : 0];
    if (soa_flow_step(flow, T)->kind != SOA_STEP_INPUT || find_input(e, 1.0, T) < 0 ||
        !forward_outward(flow, lambda, nu, a) ||
        !forward_inward(flow, soa_flow_step(flow, H)->input[0], T, a, &match->rest)) {
        return false;
    }
    match->y = y;
    match->T = T;
    return true;
}
