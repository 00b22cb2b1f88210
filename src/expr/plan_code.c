/* expr/plan_code.c - which instruction a step is. */
#include "expr/plan.h"

static soa_code operator_code(soa_operator op, bool adjoint)
{
    static const soa_code code[SOA_OPERATORS][2] = {
        [SOA_OP_H] = { SOA_CODE_H, SOA_CODE_H_t },
        [SOA_OP_M] = { SOA_CODE_M, SOA_CODE_M },
        [SOA_OP_E_PHI] = { SOA_CODE_E_phi, SOA_CODE_E_phi_t },
        [SOA_OP_PHI] = { SOA_CODE_phi, SOA_CODE_phi_t },
        [SOA_OP_B] = { SOA_CODE_B, SOA_CODE_B_t },
        [SOA_OP_R] = { SOA_CODE_R, SOA_CODE_R },
        [SOA_OP_P] = { SOA_CODE_P, SOA_CODE_P },
        [SOA_OP_D] = { SOA_CODE_D, SOA_CODE_D },
        [SOA_OP_D_INV] = { SOA_CODE_D_inv, SOA_CODE_D_inv },
        [SOA_OP_G] = { SOA_CODE_G, SOA_CODE_G_t },
        [SOA_OP_K] = { SOA_CODE_K, SOA_CODE_K_t },
        [SOA_OP_TAU] = { SOA_CODE_tau, SOA_CODE_tau_t },
        [SOA_OP_TAUBAR] = { SOA_CODE_taubar, SOA_CODE_taubar_t },
        [SOA_OP_E_PSI] = { SOA_CODE_E_psi, SOA_CODE_E_psi_t },
        [SOA_OP_PSI] = { SOA_CODE_psi, SOA_CODE_psi_t },
        [SOA_OP_UPS] = { SOA_CODE_Ups, SOA_CODE_Ups },
        [SOA_OP_ARM] = { SOA_CODE_Arm, SOA_CODE_Arm },
        [SOA_OP_GAMMA] = { SOA_CODE_Gamma, SOA_CODE_Gamma_t },
        [SOA_OP_A] = { SOA_WHOLE_A, SOA_WHOLE_A_t },
    };
    return code[op][adjoint];
}

/* The same of its derivative. */
static soa_code derivative_code(soa_operator op, bool adjoint)
{
    switch (op) {
    case SOA_OP_H:
        return adjoint ? SOA_CODE_dH_t : SOA_CODE_dH;
    case SOA_OP_E_PHI:
        return adjoint ? SOA_CODE_dE_phi_t : SOA_CODE_dE_phi;
    case SOA_OP_B:
        return adjoint ? SOA_CODE_dB_t : SOA_CODE_dB;
    case SOA_OP_UPS:
        return SOA_CODE_dUps;
    default:
        return SOA_CODE_dInertia;
    }
}

static soa_code by_space(soa_space space, soa_code joint, soa_code body, soa_code point, soa_code whole)
{
    switch (space) {
    case SOA_SPACE_JOINT:
        return joint;
    case SOA_SPACE_BODY:
        return body;
    case SOA_SPACE_POINT:
        return point;
    default:
        return whole;
    }
}

/* A part of the state, or its derivative. */
static soa_code state_code(soa_state_part part, bool derivative)
{
    static const soa_code code[][2] = {
        [SOA_STATE_V] = { SOA_CODE_state_V, SOA_CODES },
        [SOA_STATE_A] = { SOA_CODE_state_a, SOA_CODE_rate_a },
        [SOA_STATE_B] = { SOA_CODE_state_b, SOA_CODE_rate_b },
        [SOA_STATE_G] = { SOA_CODE_state_g, SOA_CODE_rate_g },
        [SOA_STATE_ARTICULATED] = { SOA_CODE_articulated, SOA_CODE_rate_P },
        [SOA_STATE_COMPOSITE] = { SOA_CODE_composite, SOA_CODE_rate_R },
        [SOA_STATE_UPSILON] = { SOA_CODE_upsilon, SOA_CODE_rate_Ups },
        [SOA_STATE_ARMATURE] = { SOA_CODE_state_b_Arm, SOA_CODES },
    };
    return code[part][derivative];
}

soa_code soa_step_code(const soa_flow *flow, const soa_step *s)
{
    const soa_space space = s->place.space;
    switch (s->kind) {
    case SOA_STEP_STATE:
        return state_code(s->state, s->along.count > 0);
    case SOA_STEP_SUM:
        return by_space(space, SOA_CODE_sum_joint, SOA_CODE_sum_body, SOA_CODE_sum_point, SOA_WHOLE_sum);
    case SOA_STEP_SCALE:
        return by_space(space, SOA_CODE_scale_joint, SOA_CODE_scale_body, SOA_CODE_scale_point, SOA_WHOLE_scale);
    case SOA_STEP_APPLY:
        return s->along.count > 0 ? derivative_code(s->op, s->adjoint) : operator_code(s->op, s->adjoint);
    case SOA_STEP_BRANCH:
        return SOA_CODE_branch;
    case SOA_STEP_MATRIX:
        return !soa_flow_matrix_at(flow, s->matrix)->blocks ? SOA_WHOLE_matrix
               : space == SOA_SPACE_JOINT                   ? SOA_CODE_blocks_joint
                                                            : SOA_CODE_blocks_body;
    case SOA_STEP_DOT:
        return SOA_WHOLE_dot;
    case SOA_STEP_ZERO:
    case SOA_STEP_INPUT:
        break;
    }
    return SOA_CODES;
}
