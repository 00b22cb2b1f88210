/* expr/report_simpler.c - the cheapest equal expression, what it costs and why it is equal, as text. */
#include "expr/report.h"

#include "core/error.h"
#include "expr/simplify.h"

void soa_report_cost(const soa_cost *cost, soa_page *out)
{
    soa_page_format(out, cost->order > 1 ? "O(N^%d)" : "O(N)", cost->order);
    soa_page_format(out, ", %d sweep%s", cost->sweeps, cost->sweeps == 1 ? "" : "s");
    if (cost->sweeps_written > cost->sweeps) {
        soa_page_format(out, " (%d as written)", cost->sweeps_written);
    }
    soa_page_format(out, ", %.0f flops per body", cost->flops);
}

static void put_report(
    soa_terms *pool, const soa_term *given, const soa_simplified *s, soa_notation notation, soa_page *out)
{
    const char *comment = notation == SOA_LATEX ? "% " : "";
    soa_page_format(out, "%scost    before  ", comment);
    soa_report_cost(&s->before, out);
    soa_page_format(out, "\n%s        after   ", comment);
    soa_report_cost(&s->after, out);
    soa_page_put(out, "\n");
    if (s->steps == 0) {
        soa_report_line(notation, out, "Nothing cheaper was found.");
    } else {
        soa_report_line(notation, out, "steps   %d", s->steps);
        soa_report_steps(pool, given, s->steps, s->step, notation, out);
        if (!s->with_rotors) {
            soa_report_line(notation, out, "They are equal for systems without rotors (Arm, Gamma).");
        }
    }
    if (s->inverses) {
        soa_report_line(notation, out, "It takes for granted that the inverses in it exist.");
    }
    if (s->budget_spent) {
        soa_report_line(notation, out, "The search ended with its budget.");
    }
}

soa_status soa_program_simplify(
    soa_program *program, int statement, soa_notation notation, char **cheapest, char **report, soa_error *error)
{
    if (!program || !cheapest || !report) {
        return soa_fail_null(error, "the program, the cheapest or the report");
    }
    const soa_statement *s;
    soa_simplified simpler;
    soa_terms *pool = soa_program_terms(program);
    *cheapest = *report = NULL;
    soa_status status = soa_program_find(program, statement, &s, error);
    if (status == SOA_OK && s->right) {
        status = soa_fail(error, SOA_E_ARGUMENT, -1, "this is an equation; give an expression");
    }
    soa_program_begin(program);
    status = status == SOA_OK ? soa_simplify(pool, s->term, false, &simpler, error) : status;
    soa_program_end(program);
    if (status != SOA_OK) {
        return status;
    }
    soa_page first = soa_page_on(soa_terms_allocator(pool)), rest = soa_page_on(soa_terms_allocator(pool));
    soa_print_term(pool, simpler.term, notation, &first);
    put_report(pool, s->term, &simpler, notation, &rest);
    soa_simplified_free(&simpler);
    status = soa_program_give(program, SOA_OK, &first, cheapest, error);
    status = soa_program_give(program, status, &rest, report, error);
    if (status != SOA_OK) {
        soa_program_text_free(program, *cheapest);
        *cheapest = NULL;
    }
    return status;
}
