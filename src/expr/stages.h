/* expr/stages.h - rewriting in steps that can be read. */
#ifndef SOA_EXPR_STAGES_H
#define SOA_EXPR_STAGES_H

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

#endif
