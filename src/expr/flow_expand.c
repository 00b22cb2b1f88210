/* expr/flow_expand.c - operators that are products of others, opened. */
#include "expr/flow.h"

static int one(soa_flow *flow, soa_operator op, bool adjoint, int x)
{
    return x < 0 ? -1 : soa_flow_apply_one(flow, op, adjoint, x);
}

static int combined(soa_flow *flow, int count, const double *factor, const int *x)
{
    for (int i = 0; i < count; i++) {
        if (x[i] < 0) {
            return -1;
        }
    }
    return soa_flow_sum(flow, soa_flow_step(flow, x[0])->place, count, factor, x);
}

/* (I - H psi K) x */
static int innovations(soa_flow *flow, int x)
{
    const int e = one(flow, SOA_OP_H, false, one(flow, SOA_OP_PSI, false, one(flow, SOA_OP_K, false, x)));
    return combined(flow, 2, (const double[]){ 1.0, -1.0 }, (const int[]){ x, e });
}

/* (I - H psi K)* x */
static int smoothed(soa_flow *flow, int x)
{
    const int e = one(flow, SOA_OP_K, true, one(flow, SOA_OP_PSI, true, one(flow, SOA_OP_H, true, x)));
    return combined(flow, 2, (const double[]){ 1.0, -1.0 }, (const int[]){ x, e });
}

/* (I - H psi K)* D^-1 (I - H psi K) x  [I6] */
static int mass_inverse(soa_flow *flow, int x)
{
    if (!flow->literal) {
        return smoothed(flow, one(flow, SOA_OP_D_INV, false, innovations(flow, x)));
    }
    const soa_term *mass = soa_term_operator(flow->terms, SOA_OP_MASS);
    if (!mass) {
        return soa_flow_fail(flow, SOA_E_MEMORY, NULL);
    }
    const soa_place to = { SOA_SPACE_JOINT, SOA_SIDE_MOTION };
    return soa_flow_multiply(flow, (soa_flow_matrix){ SOA_MATRIX_INVERSE, mass, false }, to, false, x);
}

/* H phi M phi* H* x, and with rotors H phi Gamma x + Gamma* phi* H* x + Arm x.  [I1] [GEAR] */
static int mass(soa_flow *flow, int x)
{
    const int V = one(flow, SOA_OP_PHI, true, one(flow, SOA_OP_H, true, x));
    int f = one(flow, SOA_OP_M, false, V);
    if (!flow->rotors) {
        return one(flow, SOA_OP_H, false, one(flow, SOA_OP_PHI, false, f));
    }
    f = combined(flow, 2, (const double[]){ 1.0, 1.0 }, (const int[]){ f, one(flow, SOA_OP_GAMMA, false, x) });
    const int part[] = { one(flow, SOA_OP_H, false, one(flow, SOA_OP_PHI, false, f)), one(flow, SOA_OP_GAMMA, true, V),
        one(flow, SOA_OP_ARM, false, x) };
    return combined(flow, 3, (const double[]){ 1.0, 1.0, 1.0 }, part);
}

/* psi* H* D^-1 H psi x */
static int omega(soa_flow *flow, int x)
{
    const int nu = one(flow, SOA_OP_D_INV, false, one(flow, SOA_OP_H, false, one(flow, SOA_OP_PSI, false, x)));
    return one(flow, SOA_OP_PSI, true, one(flow, SOA_OP_H, true, nu));
}

static int jacobian(soa_flow *flow, bool adjoint, int x)
{
    if (adjoint) {
        return one(flow, SOA_OP_H, false, one(flow, SOA_OP_PHI, false, one(flow, SOA_OP_B, false, x)));
    }
    return one(flow, SOA_OP_B, true, one(flow, SOA_OP_PHI, true, one(flow, SOA_OP_H, true, x)));
}

/* J Mass^-1 J* = B* Omega B  [I12] */
static int lambda(soa_flow *flow, int x)
{
    if (flow->literal) {
        return jacobian(flow, false, mass_inverse(flow, jacobian(flow, true, x)));
    }
    return one(flow, SOA_OP_B, true, omega(flow, one(flow, SOA_OP_B, false, x)));
}

/* X x: the blocks of Omega between branches.  [I11] */
static int branch(soa_flow *flow, int x)
{
    const int z = one(flow, SOA_OP_PSI, false, x), others = one(flow, SOA_OP_E_PSI, false, z);
    if (others < 0) {
        return -1;
    }
    return soa_flow_make(flow, (soa_step){ .kind = SOA_STEP_BRANCH,
                                   .place = { SOA_SPACE_BODY, SOA_SIDE_MOTION },
                                   .need = soa_flow_state(flow, SOA_STATE_UPSILON),
                                   .count = 2,
                                   .input = (const int[]){ z, others } });
}

/* phi~ = phi E_phi, psi~ = psi E_psi */
static int strict(soa_flow *flow, soa_operator whole, soa_operator shift, bool adjoint, int x)
{
    return adjoint ? one(flow, shift, true, one(flow, whole, true, x))
                   : one(flow, whole, false, one(flow, shift, false, x));
}

int soa_flow_operator(soa_flow *flow, soa_operator op, bool adjoint, int x)
{
    switch (op) {
    case SOA_OP_I:
        return x;
    case SOA_OP_PHI_STRICT:
        return strict(flow, SOA_OP_PHI, SOA_OP_E_PHI, adjoint, x);
    case SOA_OP_PSI_STRICT:
        return strict(flow, SOA_OP_PSI, SOA_OP_E_PSI, adjoint, x);
    case SOA_OP_J:
        return jacobian(flow, adjoint, x);
    case SOA_OP_OMEGA:
        return omega(flow, x);
    case SOA_OP_BRANCH:
        return branch(flow, x);
    case SOA_OP_LAMBDA:
        return lambda(flow, x);
    case SOA_OP_MASS:
        return mass(flow, x);
    case SOA_OP_MASS_INV:
        return mass_inverse(flow, x);
    default:
        return one(flow, op, adjoint, x);
    }
}
