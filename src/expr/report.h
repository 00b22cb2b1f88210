/* expr/report.h - what reports share. */
#ifndef SOA_EXPR_REPORT_H
#define SOA_EXPR_REPORT_H

#include "expr/cost.h"
#include "expr/print.h"
#include "expr/program.h"
#include "expr/prove.h"

/* "O(N), 2 sweeps (4 as written), 300 flops per body" */
void soa_report_cost(const soa_cost *cost, soa_page *out);

/* Words: in LaTeX a comment. */
void soa_report_line(soa_notation notation, soa_page *out, const char *format, ...) SOA_PRINTF(3, 4);

/* The given term, and below it each step with its labels; in LaTeX an align* (amsmath). */
void soa_report_steps(soa_terms *pool, const soa_term *given, int steps, const soa_proof_step *step,
    soa_notation notation, soa_page *out);

#endif
