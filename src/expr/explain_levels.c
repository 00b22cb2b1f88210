/* expr/explain_levels.c - the seven levels from an expression down to coordinates (S1, Fig. 3). */
#include <string.h>

#include "expr/explain.h"

/* Which operators the steps of a graph use. */
static void operators_used(const soa_graph *graph, bool *used)
{
    for (int i = 0; i < SOA_OPERATORS; i++) {
        used[i] = false;
    }
    for (int i = 0; i < graph->steps.count; i++) {
        const soa_step *s = soa_graph_step(graph, i);
        if (s->kind == SOA_STEP_APPLY) {
            used[s->op] = true;
        }
    }
}

static void put_level(const soa_recursions *r, soa_page *text, int level, const char *title)
{
    soa_page_format(text, r->notation == SOA_LATEX ? "\\paragraph{Level %d: %s}\n" : "level %d  %s\n", level, title);
}

static void begin_line(const soa_recursions *r, soa_page *text)
{
    soa_page_put(text, r->notation == SOA_LATEX ? "\\par\\noindent " : "          ");
}

/* In LaTeX, mathematics stands between dollars. */
static void put_math(const soa_recursions *r, soa_page *text)
{
    soa_page_put(text, r->notation == SOA_LATEX ? "$" : "");
}

/* Words that may hold signs of LaTeX. */
static void put_words(const soa_recursions *r, const char *words, soa_page *text)
{
    for (; *words; words++) {
        const char one[2] = { *words, '\0' };
        const bool sign = r->notation == SOA_LATEX && (*words == '_' || *words == '^' || *words == '~');
        soa_page_put(text, !sign ? one : *words == '_' ? "\\_" : *words == '^' ? "\\^{}" : "\\~{}");
    }
}

/* What the outputs are called and are: level 1. */
static void put_expressions(const soa_recursions *r, soa_page *text)
{
    const soa_graph *graph = r->graph;
    for (int i = 0; i < graph->outputs.count; i++) {
        const soa_graph_output *out = soa_graph_output_at(graph, i);
        begin_line(r, text);
        put_math(r, text);
        soa_put_name(out->name, r->notation, text);
        soa_page_put(text, " = ");
        soa_print_term(graph->terms, out->term, r->notation, text);
        if (!soa_term_is_vector(out->term)) {
            soa_page_put(text, r->notation == SOA_LATEX ? " \\, x" : " x");
        }
        put_math(r, text);
        soa_page_put(text, "\n");
    }
}

static void put_operators(const soa_recursions *r, const bool *used, soa_page *text)
{
    for (int op = 0; op < SOA_OPERATORS; op++) {
        if (used[op]) {
            const soa_operator_info about = soa_operator_about((soa_operator)op, false);
            begin_line(r, text);
            put_math(r, text);
            soa_print_term(r->graph->terms, soa_term_operator(r->graph->terms, (soa_operator)op), r->notation, text);
            put_math(r, text);
            soa_page_put(text, ": ");
            put_words(r, about.meaning, text);
            soa_page_put(text, "\n");
        }
    }
}

/* What the operators are as systems: level 3. */
static void put_kinds(const soa_recursions *r, const bool *used, soa_page *text)
{
    static const struct {
        soa_operator op;
        const char *what;
    } kind[] = {
        { SOA_OP_PHI, "transition of the rigid links: causal, mechanized by a recursion inward; its adjoint outward" },
        { SOA_OP_PSI,
            "transition of the Kalman filter: causal, mechanized by filtering inward; its adjoint smooths outward" },
        { SOA_OP_E_PHI, "shift to the parent: strictly causal, one link" },
        { SOA_OP_E_PSI, "shift to the parent across a free joint: strictly causal, one link" },
        { SOA_OP_K, "Kalman gain, shifted to the parent: strictly causal, one link" },
        { SOA_OP_A, "couples the points: all of them at once" },
    };
    bool any = false;
    for (size_t i = 0; i < sizeof kind / sizeof kind[0]; i++) {
        if (used[kind[i].op]) {
            any = true;
            begin_line(r, text);
            put_math(r, text);
            soa_put_name(soa_operator_text(kind[i].op), r->notation, text);
            put_math(r, text);
            soa_page_format(text, ": %s\n", kind[i].what);
        }
    }
    begin_line(r, text);
    soa_page_put(
        text, any ? "all others are memoryless: body by body\n" : "all operators are memoryless: body by body\n");
}

/* A line of words and formulas; in LaTeX formulas stand between dollars. */
static void put_line(const soa_recursions *r, const char *words, const char *formula, soa_page *text)
{
    begin_line(r, text);
    soa_page_put(text, words);
    put_math(r, text);
    soa_put_formula(formula, r->notation, text);
    put_math(r, text);
    soa_page_put(text, "\n");
}

/* The equations of the filter: of one link, or across a joint. */
static void put_filter(const soa_recursions *r, bool of_link, soa_page *text)
{
    const soa_filter_line *line;
    for (int i = 0; (line = soa_filter_line_of(r->graph, i)) != NULL; i++) {
        if ((strchr(line->left, ',') != NULL) == of_link) {
            begin_line(r, text);
            put_math(r, text);
            soa_put_formula(line->left, r->notation, text);
            soa_page_put(text, " = ");
            soa_put_formula(line->right, r->notation, text);
            put_math(r, text);
            soa_page_put(text, "\n");
        }
    }
}

static void put_coordinates(const soa_recursions *r, soa_page *text)
{
    if (r->graph->coordinates.count > 0) {
        put_line(r, "",
            "{along} q_i{:} d(phi(k,j), q_i) = phi(k,j) S[h_i]{,} h_i {the column of} q_i {in} H*(j){; 0 for other "
            "joints}",
            text);
        put_line(r, "", "d(h, q_i) = -h_i~ h {for a column h of the same joint that is fixed inboard, else 0}", text);
    }
}

void soa_put_levels(const soa_recursions *r, soa_page *text)
{
    bool used[SOA_OPERATORS], filter = false;
    operators_used(r->graph, used);
    for (int i = 0; i < r->graph->steps.count; i++) {
        filter = filter || soa_step_is_state(soa_graph_step(r->graph, i), SOA_STATE_ARTICULATED);
    }
    put_level(r, text, 1, "the expression");
    put_expressions(r, text);
    put_level(r, text, 2, "its operators");
    put_operators(r, used, text);
    put_level(r, text, 3, "what they are");
    put_kinds(r, used, text);
    put_level(r, text, 4, "the recursions");
    soa_put_sweeps(r, text);
    put_level(r, text, 5, "the transition of one link");
    put_line(r, "", "phi(k,j){: a force of body} j{, seen at body} k", text);
    if (filter) {
        put_filter(r, true, text);
    }
    if (filter || used[SOA_OP_GAMMA]) {
        put_line(r, "", "Gamma(k,j){: momentum of the rotor of joint} j{, on body} k{; 0 without rotors}", text);
    }
    put_level(r, text, 6, "within a link, and across a joint");
    put_line(r, "within link k: ", "phi(k,j) = [ I  l~ ; 0  I ], l {from} O(k) {to} O(j)", text);
    if (filter) {
        put_filter(r, false, text);
    }
    if (filter || used[SOA_OP_ARM]) {
        put_line(r, "", "Arm(k){: inertia of the rotor about its axis; 0 without rotors}", text);
    }
    put_coordinates(r, text);
    put_level(r, text, 7, "coordinates");
    put_line(
        r, "", "phi(k,j) = [ I  l~ ; 0  I ] diag(R, R), R(q) {from the axes of body} j {to those of body} k", text);
    put_line(r, "", "{a joint about or along z: two plane rotations that are constant, one that is q}", text);
}
