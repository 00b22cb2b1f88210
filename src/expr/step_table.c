/* expr/step_table.c - what operators and parts of the state are to the graph. */
#include "expr/graph.h"

/* Flops per body: a joint with one velocity, crossed by plane rotations; a multiply-add is two. */
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

#define POSITIVE              .semidefinite = true, .positive = true, .injective = true
#define SEMIDEFINITE          .semidefinite = true
#define SINGULAR_SEMIDEFINITE .semidefinite = true, .singular = true
#define INJECTIVE             .injective = true
#define SINGULAR              .singular = true
#define UNKNOWN               .number = false

static const soa_operator_step operators[SOA_OPERATORS] = {
#define STEP(op, weight, traits, need, flops, code, code_t, derivative)                                       \
    [SOA_OP_##op] = { weight, { traits }, SOA_STATE_##need, flops, { SOA_CODE_##code, SOA_CODE_##code_t }, 0, \
        { SOA_CODE_NONE, SOA_CODE_NONE }, { NULL, "" }, { derivative, "" } },
#define ELEMENTARY(op, weight, traits, need, flops, code, code_t, rate_flops, rate, rate_t)                            \
    [SOA_OP_##op] = { weight, { traits }, SOA_STATE_##need, flops, { SOA_CODE_##code, SOA_CODE_##code_t }, rate_flops, \
        { SOA_CODE_##rate, SOA_CODE_##rate_t }, { NULL, "" }, { "", "" } },
#define OPENED(op, weight, traits, text, with_rotors, derivative, derivative_with_rotors) \
    [SOA_OP_##op] = { weight, { traits }, -1, 0, { SOA_CODE_NONE, SOA_CODE_NONE }, 0,     \
        { SOA_CODE_NONE, SOA_CODE_NONE }, { text, with_rotors }, { derivative, derivative_with_rotors } },
#include "expr/operators.def"
#undef STEP
#undef ELEMENTARY
#undef OPENED
};

static const char *const vectors[SOA_VECTORS + 1][2] = {
#define VECTOR(vector, derivative, with_rotors) [SOA_VECTOR_##vector] = { derivative, with_rotors },
#include "expr/operators.def"
#undef VECTOR
};

static const soa_part_step parts[] = {
#define PART(name, vector, space, side, reach, need, flops, code, rate)                                            \
    { vector, { SOA_SPACE_##space, SOA_SIDE_##side }, SOA_REACH_##reach, SOA_STATE_##need, flops, SOA_CODE_##code, \
        SOA_CODE_##rate },
#include "expr/operators.def"
#undef PART
};

const soa_operator_step *soa_operator_step_of(soa_operator op)
{
    return &operators[op];
}

const soa_part_step *soa_part_step_of(soa_state_part part)
{
    return &parts[part];
}

const char *soa_derivative_text(soa_operator op, soa_vector_id vector, bool rotors)
{
    const char *const *text = op == SOA_OPERATORS ? vectors[vector] : operators[op].derivative;
    return !text[0] ? "0" : rotors && text[1][0] ? text[1] : text[0];
}

/* What a step that applies an operator of that kind looks at. */
static soa_reach reach_of(soa_kind kind)
{
    static const soa_reach reach[] = { [SOA_KIND_MEMORYLESS] = SOA_REACH_LOCAL,
        [SOA_KIND_CAUSAL] = SOA_REACH_RUN_IN,
        [SOA_KIND_STRICTLY_CAUSAL] = SOA_REACH_NEAR_IN,
        [SOA_KIND_ANTICAUSAL] = SOA_REACH_RUN_OUT,
        [SOA_KIND_STRICTLY_ANTICAUSAL] = SOA_REACH_NEAR_OUT,
        [SOA_KIND_FULL] = SOA_REACH_WHOLE };
    return reach[kind];
}

/* ---- steps -------------------------------------------------------------------------------------- */

/* How much more a derivative of the state takes: each product of three becomes as many. */
static const double derivative_work[SOA_ALONG + 1] = { 1.0, 3.0, 9.0 };

static double width(soa_place place)
{
    return place.space == SOA_SPACE_JOINT || place.space == SOA_SPACE_ONE ? 1.0 : 6.0;
}

static double sum_flops(const soa_step *s)
{
    double flops = -width(s->place);
    for (int i = 0; i < s->count; i++) {
        flops += width(s->place) * (s->factor[i] == 1.0 || s->factor[i] == -1.0 ? 1.0 : 2.0);
    }
    return flops;
}

static soa_step_info of_operator(const soa_step *s)
{
    const soa_operator_step *op = &operators[s->op];
    const bool rate = s->along.count > 0;
    const soa_reach reach = reach_of(soa_operator_about(s->op, s->adjoint).kind);
    return (soa_step_info){ reach, rate ? op->rate_flops : op->flops, (rate ? op->rate : op->code)[s->adjoint] };
}

/* What is done to numbers one by one; of rows and numbers, when they are there. */
static soa_step_info of_numbers(const soa_step *s, double flops, soa_code joint, soa_code whole)
{
    const soa_space space = s->place.space;
    return space == SOA_SPACE_CONSTRAINT || space == SOA_SPACE_ONE
               ? (soa_step_info){ SOA_REACH_WHOLE, flops, whole }
               : (soa_step_info){ SOA_REACH_LOCAL, flops, (soa_code)(joint + (space - SOA_SPACE_JOINT)) };
}

soa_step_info soa_step_about(const soa_graph *graph, int step)
{
    const soa_step *s = soa_graph_step(graph, step);
    const double six = width(s->place);
    switch (s->kind) {
    case SOA_STEP_ZERO:
    case SOA_STEP_INPUT:
        break;
    case SOA_STEP_STATE: {
        const soa_part_step *part = &parts[s->state];
        const double flops = derivative_work[s->along.count] * part->flops;
        return (soa_step_info){ part->reach, flops, s->along.count > 0 ? part->rate : part->code };
    }
    case SOA_STEP_SUM:
        return of_numbers(s, sum_flops(s), SOA_CODE_sum_joint, SOA_CODE_sum);
    case SOA_STEP_SCALE:
        return of_numbers(s, 2.0 * six, SOA_CODE_scale_joint, SOA_CODE_scale);
    case SOA_STEP_APPLY:
        return of_operator(s);
    case SOA_STEP_BRANCH:
        return (soa_step_info){ SOA_REACH_RUN_OUT,
            2.0 * operators[SOA_OP_PSI].flops + operators[SOA_OP_UPS].flops + six, SOA_CODE_branch };
    case SOA_STEP_MATRIX:
        return !soa_graph_matrix_at(graph, s->matrix)->blocks
                   ? (soa_step_info){ SOA_REACH_WHOLE, 2.0 * six * six, SOA_CODE_matrix }
                   : of_numbers(s, 2.0 * six * six, SOA_CODE_blocks_joint, SOA_CODE_matrix);
    case SOA_STEP_DOT:
        return (soa_step_info){ SOA_REACH_WHOLE, 2.0 * six, SOA_CODE_dot };
    }
    return (soa_step_info){ SOA_REACH_GIVEN, 0.0, SOA_CODE_NONE };
}
