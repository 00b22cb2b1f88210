/* expr/step_table.h - what operators, parts of the state and vectors are to graph and prover: the list operators.def. */
#ifndef SOA_EXPR_STEP_TABLE_H
#define SOA_EXPR_STEP_TABLE_H

#include "expr/term.h"
#include "soa/expr.h"

/* What a step at body k looks at. */
typedef enum soa_reach {
    SOA_REACH_GIVEN,    /* known before */
    SOA_REACH_LOCAL,    /* of the same body */
    SOA_REACH_NEAR_IN,  /* of the bodies on it */
    SOA_REACH_NEAR_OUT, /* of the parent */
    SOA_REACH_RUN_IN,   /* recursions */
    SOA_REACH_RUN_OUT,
    SOA_REACH_WHOLE, /* of all bodies at once */
} soa_reach;

/* Instructions: instructions.def. */
typedef enum soa_code {
#define INSTRUCTION(name) SOA_CODE_##name,
#include "expr/instructions.def"
#undef INSTRUCTION
    SOA_CODES_AT_BODIES,
    SOA_CODES_BEFORE_WHOLE = SOA_CODES_AT_BODIES - 1,
#define WHOLE_INSTRUCTION(name) SOA_CODE_##name,
#include "expr/instructions.def"
#undef WHOLE_INSTRUCTION
    SOA_CODE_NONE
} soa_code;

/* What the state of the model gives. */
typedef enum soa_state_part {
#define PART(name, vector, space, side, reach, need, flops, code, rate) SOA_STATE_##name,
#include "expr/operators.def"
#undef PART
    SOA_STATE_PARTS,
    SOA_STATE_NOTHING = -1
} soa_state_part;

typedef struct soa_operator_step {
    int weight;        /* in words of the prover */
    soa_traits traits; /* all but symmetric */
    int need;          /* soa_state_part, or -1 */
    double flops;      /* per body, of a joint with one velocity */
    soa_code code[2];
    double rate_flops;
    soa_code rate[2];
    const char *open[2];       /* NULL: it is a step; with rotors, if not "" */
    const char *derivative[2]; /* NULL: it is constant; with rotors, if not "" */
} soa_operator_step;

typedef struct soa_part_step {
    soa_vector_id vector; /* SOA_VECTORS: it is no vector */
    soa_place place;
    soa_reach reach;
    int need;
    double flops;
    soa_code code, rate;
} soa_part_step;

const soa_operator_step *soa_operator_step_of(soa_operator op);

/* What the derivative of an operator is, or of a vector if op is SOA_OPERATORS: "0", "" if it is elementary, or what it
 * expands to, with derivatives of others by q_i in it. Those of vectors of the user's (SOA_VECTORS) are "0". */
const char *soa_derivative_text(soa_operator op, soa_vector_id vector, bool rotors);
const soa_part_step *soa_part_step_of(soa_state_part part);

#endif
