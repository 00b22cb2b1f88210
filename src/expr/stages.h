/* expr/stages.h - rewriting in steps that can be read. */
#ifndef SOA_EXPR_STAGES_H
#define SOA_EXPR_STAGES_H

#include "expr/prove.h"
#include "expr/theory.h"

/* A polynomial on the way to its normal form, and the label of the rules that led to it. */
typedef struct soa_stage {
    const char *label;
    soa_poly poly;
} soa_stage;

/* From a to its normal form, one label at a time: definitions first, each by itself. The
 * stages after a (of soa_stage). keep, if not NULL: letters (by number, keep_count of them) whose
 * definitions are left alone; then the end is not a normal form. */
void soa_theory_stages(soa_theory *theory, soa_poly a, const bool *keep, int keep_count, soa_array *stages);

/* Stages one after another. */
typedef struct soa_chain {
    int count;
    const soa_stage *at;
} soa_chain;

/* first = ... = last as steps, which live in the arena: what is too long to read, or written as before, is one step with the
 * next. NULL: the status of the theory says why. */
const soa_proof_step *soa_theory_steps(
    soa_theory *theory, soa_chain chain, const soa_term *first, const soa_term *last, soa_arena *arena, int *steps);

#endif
