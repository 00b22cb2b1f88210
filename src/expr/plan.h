/* expr/plan.h - a flow as instructions, sweep by sweep.
 *
 * An instruction computes one step (or a few that belong together) at one body; those of
 * a sweep run one after another at each body before the next body has its turn.
 * Two of them are the filter and the smoother of Mass^-1 [I6], by the kernels of sweep/. */
#ifndef SOA_EXPR_PLAN_H
#define SOA_EXPR_PLAN_H

#include "expr/cost.h"
#include "expr/schedule.h"

/* Every instruction at a body; each is a function of steps.kernel.h. */
/* clang-format off */
#define SOA_CODE_LIST(X) \
    X(sum_joint) X(sum_body) X(sum_point) X(scale_joint) X(scale_body) X(scale_point) X(H) X(H_t) X(M) X(R) \
    X(P) X(Ups) X(D) X(D_inv) X(Arm) X(G) X(G_t) X(tau) X(tau_t) X(taubar) X(taubar_t) X(B) X(B_t) X(E_phi) \
    X(E_phi_t) X(E_psi) X(E_psi_t) X(K) X(K_t) X(Gamma) X(Gamma_t) X(phi) X(phi_t) X(psi) X(psi_t) X(branch) \
    X(state_V) X(state_a) X(state_b) X(state_g) X(articulated) X(composite) X(upsilon) X(blocks_joint) \
    X(blocks_body) X(filter) X(smoother) X(state_b_Arm) \
    X(dH) X(dH_t) X(dE_phi) X(dE_phi_t) X(dB) X(dB_t) X(dInertia) X(dUps) X(rate_a) X(rate_b) X(rate_g) \
    X(rate_P) X(rate_R) X(rate_Ups)
/* clang-format on */

/* And of all bodies at once. */
#define SOA_WHOLE_LIST(X) X(A) X(A_t) X(matrix) X(dot) X(sum) X(scale)

typedef enum soa_code {
#define SOA_CODE_NAME(name) SOA_CODE_##name,
    SOA_CODE_LIST(SOA_CODE_NAME)
#undef SOA_CODE_NAME
#define SOA_CODE_NAME(name) SOA_WHOLE_##name,
        SOA_WHOLE_LIST(SOA_CODE_NAME)
#undef SOA_CODE_NAME
            SOA_CODES
} soa_code;

typedef struct soa_instruction {
    soa_code code;
    int y, y2; /* steps written */
    int x, x2; /* steps read; -1: none; x2 of a derivative: the part of the state that it is made of */
    int count; /* sums; derivatives of the state */
    const int *input;
    const double *factor;
    int matrix;
    bool adjoint;      /* of the matrix */
    soa_side from, to; /* blocks of bodies */
    soa_along along;   /* of derivatives */
} soa_instruction;

typedef struct soa_plan {
    soa_flow flow;
    soa_schedule schedule;
    soa_cost cost;
    soa_array code;  /* soa_instruction, sweep after sweep */
    int *first;      /* by sweep + 1: its first instruction at bodies; 0: before all sweeps */
    int *whole;      /* by sweep + 1: its first instruction behind it */
    bool *demanded;  /* by step: has a value of its own */
    bool points;     /* and their frames in the world */
    bool velocities; /* beta is read */
} soa_plan;

/* Plans outputs that were added to the flow. The plan takes the flow over, also when it fails. */
soa_status soa_plan_make(soa_flow flow, soa_plan *plan, soa_error *error);
void soa_plan_free(soa_plan *plan);

static inline const soa_instruction *soa_plan_at(const soa_plan *plan, int i)
{
    return (const soa_instruction *)plan->code.items + i;
}

/* The instruction of a step by itself (plan_code.c); SOA_CODES: it needs none. */
soa_code soa_step_code(const soa_flow *flow, const soa_step *step);

/* ---- what belongs together (plan_match.c) ------------------------------------------------- */

/* eps = x - H z, z = psi (K x + rest) */
typedef struct soa_filter_match {
    int z, eps, x;
    int sum; /* K x + rest; -1: there is no rest */
} soa_filter_match;

/* y = nu - K* lambda, lambda = psi* H* nu, nu = D^-1 eps */
typedef struct soa_smoother_match {
    int lambda, y, eps;
} soa_smoother_match;

bool soa_match_filter(const soa_flow *flow, const soa_schedule *schedule, int z, soa_filter_match *match);
bool soa_match_smoother(const soa_flow *flow, const soa_schedule *schedule, int lambda, soa_smoother_match *match);

#endif
