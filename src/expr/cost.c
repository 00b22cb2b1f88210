/* expr/cost.c - orders, sweeps and flops. */
#include "expr/cost.h"

#include "expr/schedule.h"

/* ---- flops per body -------------------------------------------------------------------------
 * A joint with one number, crossed by plane rotations; a multiply-add is two. */
enum {
    SIX = 6,           /* a sum of two vectors */
    CROSS = 44,        /* phi(p,k) f */
    RIGID = 48,        /* M V */
    INERTIA = 66,      /* P V */
    JOINT = 1,         /* H f, H* x, D^-1 x */
    GAIN = 12,         /* G x, G* V */
    ARTICULATED = 300, /* P, D, G of a body */
    COMPOSITE = 110,   /* R */
    UPSILON = 620,     /* Ups, six columns */
    VELOCITY = 50,
};

static double operator_flops(soa_operator op)
{
    switch (op) {
    case SOA_OP_E_PHI:
    case SOA_OP_GAMMA:
    case SOA_OP_B:
        return CROSS;
    case SOA_OP_PHI:
        return CROSS + SIX;
    case SOA_OP_E_PSI:
        return CROSS + JOINT + GAIN;
    case SOA_OP_PSI:
        return CROSS + JOINT + GAIN + SIX;
    case SOA_OP_K:
        return CROSS + GAIN;
    case SOA_OP_M:
    case SOA_OP_R:
        return RIGID;
    case SOA_OP_P:
    case SOA_OP_UPS:
        return INERTIA;
    case SOA_OP_G:
        return GAIN;
    case SOA_OP_TAU:
    case SOA_OP_TAUBAR:
        return GAIN + SIX;
    default:
        return JOINT;
    }
}

/* How much more a derivative of the state takes: each product of three becomes as many. */
static const double derivative_work[SOA_ALONG + 1] = { 1.0, 3.0, 9.0 };

/* Of its derivative: that of E_phi and H is at one body. */
static double derivative_flops(soa_operator op)
{
    return op == SOA_OP_B ? CROSS : op == SOA_OP_E_PHI || op == SOA_OP_H ? 0.0 : INERTIA;
}

static double state_flops(soa_state_part part)
{
    static const double flops[] = {
        [SOA_STATE_V] = VELOCITY,
        [SOA_STATE_A] = SIX,
        [SOA_STATE_B] = RIGID + CROSS,
        [SOA_STATE_G] = 0,
        [SOA_STATE_ARTICULATED] = ARTICULATED,
        [SOA_STATE_COMPOSITE] = COMPOSITE,
        [SOA_STATE_UPSILON] = UPSILON,
        [SOA_STATE_ARMATURE] = JOINT,
    };
    return flops[part];
}

static double width(soa_place place)
{
    return place.space == SOA_SPACE_JOINT || place.space == SOA_SPACE_ONE ? 1.0 : 6.0;
}

static double step_flops(const soa_flow *flow, int step)
{
    const soa_step *s = soa_flow_step(flow, step);
    switch (s->kind) {
    case SOA_STEP_ZERO:
    case SOA_STEP_INPUT:
        return 0.0;
    case SOA_STEP_STATE:
        return derivative_work[s->along.count] * state_flops(s->state);
    case SOA_STEP_SUM: {
        double flops = -width(s->place);
        for (int i = 0; i < s->count; i++) {
            flops += width(s->place) * (s->factor[i] == 1.0 || s->factor[i] == -1.0 ? 1.0 : 2.0);
        }
        return flops;
    }
    case SOA_STEP_APPLY:
        return s->along.count > 0 ? derivative_flops(s->op) : operator_flops(s->op);
    case SOA_STEP_BRANCH:
        return 2 * operator_flops(SOA_OP_PSI) + INERTIA + SIX;
    case SOA_STEP_MATRIX:
        return 2.0 * width(s->place) * width(s->place);
    case SOA_STEP_DOT:
    case SOA_STEP_SCALE:
        break;
    }
    return 2.0 * width(s->place);
}

/* A dense inverse costs the cube of its size: of the bodies, or of a few points. */
static int matrix_order(const soa_flow_matrix *matrix)
{
    const soa_space space = matrix->term->type.from.space;
    const bool grows = space == SOA_SPACE_BODY || space == SOA_SPACE_JOINT;
    if (!grows || matrix->blocks) {
        return 1;
    }
    return matrix->use == SOA_MATRIX_GIVEN ? 2 : 3;
}

soa_cost soa_cost_of_flow(const soa_flow *flow, const soa_schedule *schedule, int written)
{
    soa_cost cost = { .order = 1, .sweeps = schedule->counted, .sweeps_written = written };
    for (int i = 0; i < flow->steps.count; i++) {
        cost.flops += step_flops(flow, i);
    }
    for (int i = 0; i < flow->matrices.count; i++) {
        const int order = matrix_order(soa_flow_matrix_at(flow, i));
        cost.order = order > cost.order ? order : cost.order;
    }
    cost.steps = flow->steps.count;
    return cost;
}

soa_status soa_cost_of(soa_terms *pool, const soa_term *term, soa_cost *cost, soa_error *error)
{
    soa_flow flow = soa_flow_begin(pool, error);
    soa_schedule schedule;
    flow.literal = true;
    soa_status status = soa_flow_add(&flow, "y", term);
    const int written = status == SOA_OK ? soa_schedule_written(&flow) : 0;
    status = status == SOA_OK ? soa_flow_merge(&flow) : status;
    status = status == SOA_OK ? soa_schedule_make(&flow, &schedule) : status;
    if (status == SOA_OK) {
        *cost = soa_cost_of_flow(&flow, &schedule, written);
        /* a matrix to be inverted is made first: its own sweeps, column by column */
        for (int i = 0; i < flow.matrices.count && status == SOA_OK; i++) {
            const soa_flow_matrix *m = soa_flow_matrix_at(&flow, i);
            soa_cost inner = { .order = 1 };
            if (m->use != SOA_MATRIX_GIVEN) {
                status = soa_cost_of(pool, m->term, &inner, error);
            }
            cost->order = inner.order > cost->order ? inner.order : cost->order;
            cost->flops += inner.flops;
        }
    }
    soa_flow_free(&flow);
    return status;
}

int soa_cost_compare(const soa_cost *a, const soa_cost *b)
{
    if (a->order != b->order) {
        return a->order - b->order;
    }
    if (a->sweeps != b->sweeps) {
        return a->sweeps - b->sweeps;
    }
    if (a->flops < b->flops || a->flops > b->flops) {
        return a->flops < b->flops ? -1 : 1;
    }
    return a->steps - b->steps;
}
