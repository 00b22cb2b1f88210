/* expr/explain_formula.c - formulas that are the same for every expression: written once, in ASCII. */
#include <ctype.h>
#include <string.h>

#include "expr/explain.h"

/* ---- notations ------------------------------------------------------------------------------------------- */

static const char *either(soa_notation notation, const char *unicode, const char *latex)
{
    return notation == SOA_LATEX ? latex : unicode;
}

/* Words between braces: plain text. */
static const char *put_words(const char *at, soa_notation notation, soa_page *text)
{
    const int length = (int)strcspn(at, "}");
    soa_page_format(text, notation == SOA_LATEX ? "\\text{ %.*s }" : "%.*s", length, at);
    return at + length + (at[length] == '}');
}

/* The name at the start, or "dot name". */
static const char *put_name(const char *at, soa_notation notation, soa_page *text)
{
    char name[16] = "";
    const bool rate = strncmp(at, "dot ", 4) == 0;
    at += rate ? 4 : 0;
    size_t length = 0;
    while ((isalpha((unsigned char)at[length]) || at[length] == '_' || at[length] == '~') && length < sizeof name - 1) {
        name[length] = at[length];
        length++;
    }
    const bool latex = notation == SOA_LATEX, tilde = latex && length > 1 && name[length - 1] == '~';
    name[length - tilde] = '\0';
    soa_page_put(text, rate ? latex ? "\\dot{" : "d" : tilde ? "\\tilde{" : "");
    soa_put_name(name, notation, text);
    soa_page_put(text, latex && (rate || tilde) ? "}" : "");
    return at + length;
}

/* One sign that is neither a name nor words. */
static const char *put_sign(const char *at, const char *from, soa_notation notation, soa_page *text)
{
    const bool factor =
        *at == ' ' && at > from && strchr(")]", at[-1]) && (isalpha((unsigned char)at[1]) || at[1] == '[');
    if (strncmp(at, "^-1", 3) == 0) {
        soa_page_put(text, notation == SOA_ASCII ? "^-1" : either(notation, "⁻¹", "^{-1}"));
        return at + 3;
    }
    if (strncmp(at, "/dt", 3) == 0) { /* LaTeX has the dot */
        soa_page_put(text, notation == SOA_LATEX ? "" : "/dt");
        return at + 3;
    }
    const char one[] = { *at, '\0' };
    soa_page_put(text, notation != SOA_LATEX ? one : *at == '*' ? "^{*}" : factor ? " \\, " : one);
    return at + 1;
}

void soa_put_formula(const char *formula, soa_notation notation, soa_page *text)
{
    for (const char *at = formula; *at;) {
        if (strncmp(at, "sum_j ", 6) == 0) {
            soa_page_put(text, notation == SOA_ASCII ? "sum_j " : either(notation, "Σ_j ", "\\sum_{j} "));
            at += 6;
        } else if (*at == '{') {
            at = put_words(at + 1, notation, text);
        } else {
            at = isalpha((unsigned char)*at) ? put_name(at, notation, text) : put_sign(at, formula, notation, text);
        }
    }
}

/* ---- the filter -------------------------------------------------------------------------------------------- */

static bool uses(const soa_graph *graph, soa_operator a, soa_operator b)
{
    for (int i = 0; i < graph->steps.count; i++) {
        const soa_step *s = soa_graph_step(graph, i);
        if (s->kind == SOA_STEP_APPLY && (s->op == a || s->op == b)) {
            return true;
        }
    }
    return false;
}

const soa_filter_line *soa_filter_line_of(const soa_graph *graph, int line)
{
    static const struct {
        soa_filter_line line;
        soa_operator by[2]; /* it is there if one of them is used; SOA_OP_I: always */
    } list[] = {
        { { "K(k,j)", "[phi(k,j) P(j) H*(j) + Gamma(k,j)] D(j)^-1" }, { SOA_OP_I, SOA_OP_I } },
        { { "psi(k,j)", "phi(k,j) - K(k,j) H(j)" }, { SOA_OP_PSI, SOA_OP_E_PSI } },
        { { "P(k)", "M(k) + sum_j [phi(k,j) P(j) phi*(k,j) - K(k,j) D(j) K*(k,j)]" }, { SOA_OP_I, SOA_OP_I } },
        { { "D(k)", "H(k) P(k) H*(k) + Arm(k)" }, { SOA_OP_I, SOA_OP_I } },
        { { "G(k)", "P(k) H*(k) D(k)^-1" }, { SOA_OP_G, SOA_OP_G } },
        { { "tau(k)", "P(k) H*(k) D(k)^-1 H(k)" }, { SOA_OP_TAU, SOA_OP_TAU } },
        { { "taubar(k)", "I - P(k) H*(k) D(k)^-1 H(k)" }, { SOA_OP_TAUBAR, SOA_OP_TAUBAR } },
    };
    bool upsilon = false;
    for (int i = 0; i < graph->steps.count; i++) {
        upsilon = upsilon || soa_step_is_state(soa_graph_step(graph, i), SOA_STATE_UPSILON);
    }
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        const bool always = list[i].by[0] == SOA_OP_I || (upsilon && list[i].by[0] == SOA_OP_PSI);
        if ((always || uses(graph, list[i].by[0], list[i].by[1])) && line-- == 0) {
            return &list[i].line;
        }
    }
    return NULL;
}
