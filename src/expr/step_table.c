/* expr/step_table.c - what operators and parts of the state are to the graph. */
#include "expr/step_table.h"

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

/* The reach of an operator itself. */
enum {
    LOCAL = SOA_REACH_LOCAL,
    NEAR = SOA_REACH_NEAR_IN,
    RUN = SOA_REACH_RUN_IN,
    WHOLE = SOA_REACH_WHOLE,
};

static const soa_operator_step operators[SOA_OPERATORS] = {
#define STEP(op, reach, need, flops, code, code_t, rate_flops, rate, rate_t)                                           \
    [SOA_OP_##op] = { (soa_reach)(reach), SOA_STATE_##need, flops, { SOA_CODE_##code, SOA_CODE_##code_t }, rate_flops, \
        { SOA_CODE_##rate, SOA_CODE_##rate_t }, NULL, "" },
#define OPENED(op, text, with_rotors) \
    [SOA_OP_##op] = { SOA_REACH_LOCAL, -1, 0, { SOA_CODE_NONE, SOA_CODE_NONE }, 0, { 0 }, text, with_rotors },
#include "expr/step_table.def"
#undef STEP
#undef OPENED
};

static const soa_part_step parts[] = {
#define PART(name, vector, space, side, reach, need, flops, code, rate)                                            \
    { vector, { SOA_SPACE_##space, SOA_SIDE_##side }, SOA_REACH_##reach, SOA_STATE_##need, flops, SOA_CODE_##code, \
        SOA_CODE_##rate },
#include "expr/step_table.def"
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
