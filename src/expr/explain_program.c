/* expr/explain_program.c - a statement of a program explained. */
#include "core/error.h"
#include "expr/explain.h"
#include "expr/program.h"

static void put_explanation(const soa_graph *graph, soa_notation notation, soa_explanation what, soa_page *text)
{
    soa_recursions r = soa_recursions_of(graph, notation);
    text->failed = text->failed || r.failed;
    switch (r.failed ? SOA_EXPLANATIONS : what) {
    case SOA_EXPLAIN_SWEEPS:
        if (notation == SOA_LATEX) {
            soa_page_put(text, "% ");
        }
        soa_put_cost(graph, text);
        soa_put_sweeps(&r, text);
        break;
    case SOA_EXPLAIN_LEVELS:
        soa_put_levels(&r, text);
        break;
    case SOA_EXPLAIN_DOT:
        soa_put_dot(&r, text);
        break;
    case SOA_EXPLAIN_SVG:
        soa_put_svg(&r, text);
        break;
    case SOA_EXPLANATIONS:
        break;
    }
    soa_recursions_free(&r);
}

soa_status soa_program_explain(
    soa_program *program, int statement, soa_notation notation, soa_explanation what, char **text, soa_error *error)
{
    if (!program || !text) {
        return soa_fail_null(error, "the program or the text");
    }
    *text = NULL;
    const bool there = statement >= 0 && statement < soa_program_statements(program);
    const soa_statement *s = there ? soa_program_at(program, statement) : NULL;
    if (!s || !s->term || s->right || (unsigned)what >= SOA_EXPLANATIONS || (unsigned)notation > SOA_LATEX) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "statement %d is no expression that can be explained", statement);
    }
    soa_graph graph = soa_graph_begin(soa_program_terms(program), error);
    graph.rotors = graph.turning = what == SOA_EXPLAIN_LEVELS; /* all levels speak of systems with rotors */
    soa_status status = soa_graph_add(&graph, s->name && s->name[0] ? s->name : "y", s->term);
    status = status == SOA_OK ? soa_graph_plan(&graph) : status;
    if (status != SOA_OK) {
        soa_graph_free(&graph);
        return soa_terms_settle(soa_program_terms(program), status, error);
    }
    soa_page out = soa_page_on(soa_terms_allocator(soa_program_terms(program)));
    put_explanation(&graph, what >= SOA_EXPLAIN_DOT && notation == SOA_LATEX ? SOA_ASCII : notation, what, &out);
    soa_graph_free(&graph);
    return soa_program_give(program, SOA_OK, &out, text, error);
}
