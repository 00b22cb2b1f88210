/* expr/report_explain.c - type, cost and recursions of an expression, as text. */
#include "core/error.h"
#include "expr/report.h"

static soa_status put_cost(soa_terms *pool, const soa_term *term, soa_page *out, soa_error *error)
{
    soa_cost cost;
    const soa_status status = soa_cost_of(pool, term, &cost, error);
    if (status == SOA_OK) {
        soa_page_put(out, "cost    ");
        soa_report_cost(&cost, out);
        soa_page_put(out, "\n");
    }
    return status;
}

soa_status soa_program_explain(
    soa_program *program, int statement, soa_notation notation, unsigned detail, char **text, soa_error *error)
{
    const soa_statement *s;
    char *type = NULL;
    soa_terms *pool = soa_program_terms(program);
    *text = NULL;
    soa_status status = soa_program_find(program, statement, &s, error);
    if (status == SOA_OK && s->right) {
        status = soa_fail(error, SOA_E_ARGUMENT, -1, "this is an equation; give an expression");
    }
    status = status == SOA_OK ? soa_program_type(program, statement, &type, error) : status;
    if (status != SOA_OK) {
        return status;
    }
    (void)notation;
    (void)detail;
    soa_page out = soa_page_on(soa_terms_allocator(pool));
    soa_page_put(&out, "type    ");
    soa_page_put(&out, type);
    soa_page_put(&out, "\n");
    soa_program_text_free(program, type);
    status = put_cost(pool, s->term, &out, error);
    if (status != SOA_OK) {
        soa_page_clear(&out);
        return status;
    }
    return soa_page_give(&out, text, error);
}
