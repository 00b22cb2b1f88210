/* expr/explain_levels.c - the seven levels from an expression down to coordinates (S1, Fig. 3). */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "expr/explain.h"

/* What is written, and what is known of the graph. */
typedef struct levels {
    const soa_recursions *r;
    soa_page *text;
    int level;
    bool used[SOA_OPERATORS]; /* by the steps */
    bool filter;
} levels;

static bool is_latex(const levels *l)
{
    return l->r->notation == SOA_LATEX;
}

static void begin_level(levels *l, const char *title)
{
    soa_page_format(l->text, is_latex(l) ? "\\paragraph{Level %d: %s}\n" : "level %d  %s\n", ++l->level, title);
}

static void begin_line(const levels *l)
{
    soa_page_put(l->text, is_latex(l) ? "\\par\\noindent " : "          ");
}

/* Words that may hold signs of LaTeX. */
static void put_words(const levels *l, const char *words)
{
    for (; *words; words++) {
        const char one[2] = { *words, '\0' };
        const bool sign = is_latex(l) && (*words == '_' || *words == '^' || *words == '~');
        soa_page_put(l->text, !sign ? one : *words == '_' ? "\\_" : *words == '^' ? "\\^{}" : "\\~{}");
    }
}

/* A line of words and, between dollars, formulas. */
static void put_line(const levels *l, const char *format, ...) SOA_PRINTF(2, 3);

static void put_line(const levels *l, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    begin_line(l);
    bool words = true;
    for (char *at = line, *end; at; at = end, words = !words) {
        end = strchr(at, '$');
        if (end) {
            *end++ = '\0';
        }
        if (words) {
            put_words(l, at);
        } else {
            soa_put_formula(at, l->r->notation, l->text);
        }
        soa_page_put(l->text, end && is_latex(l) ? "$" : "");
    }
    soa_page_put(l->text, "\n");
}

/* What the outputs are called and are: level 1. */
static void put_expressions(const levels *l)
{
    const soa_graph *graph = l->r->graph;
    for (int i = 0; i < graph->outputs.count; i++) {
        const soa_graph_output *out = soa_graph_output_at(graph, i);
        begin_line(l);
        soa_page_put(l->text, is_latex(l) ? "$" : "");
        soa_put_formula(out->name, l->r->notation, l->text);
        soa_page_put(l->text, " = ");
        soa_print_term(graph->terms, out->term, l->r->notation, l->text);
        soa_page_put(l->text, soa_term_is_vector(out->term) ? "" : is_latex(l) ? " \\, x" : " x");
        soa_page_put(l->text, is_latex(l) ? "$\n" : "\n");
    }
}

/* What the operators are as systems: level 3. */
static void put_kinds(const levels *l)
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
        if (l->used[kind[i].op]) {
            any = true;
            put_line(l, "$%s$: %s", soa_operator_text(kind[i].op), kind[i].what);
        }
    }
    put_line(l, "all %s are memoryless: body by body", any ? "others" : "operators");
}

/* The equations of the filter: of one link, or across a joint. */
static void put_filter(const levels *l, bool of_link)
{
    const soa_filter_line *line;
    for (int i = 0; l->filter && (line = soa_filter_line_of(l->r->graph, i)) != NULL; i++) {
        if ((strchr(line->left, ',') != NULL) == of_link) {
            put_line(l, "$%s = %s$", line->left, line->right);
        }
    }
}

static void put_coordinates(const levels *l)
{
    if (l->r->graph->coordinates.count > 0) {
        put_line(l, "${along} q_i{:} d(phi(k,j), q_i) = phi(k,j) S[h_i]{,} h_i {the column of} q_i {in} H*(j){; 0 for "
                    "other joints}$");
        put_line(l, "$d(h, q_i) = -h_i~ h {for a column h of the same joint that is fixed inboard, else 0}$");
    }
}

void soa_put_levels(const soa_recursions *r, soa_page *text)
{
    levels l = { .r = r, .text = text };
    for (int i = 0; i < r->graph->steps.count; i++) {
        const soa_step *s = soa_graph_step(r->graph, i);
        l.filter = l.filter || soa_step_is_state(s, SOA_STATE_ARTICULATED);
        if (s->kind == SOA_STEP_APPLY) {
            l.used[s->op] = true;
        }
    }
    begin_level(&l, "the expression");
    put_expressions(&l);
    begin_level(&l, "its operators");
    for (int op = 0; op < SOA_OPERATORS; op++) {
        if (l.used[op]) {
            const soa_operator_info about = soa_operator_about((soa_operator)op, false);
            put_line(&l, "$%s$: %s", about.text, about.meaning);
        }
    }
    begin_level(&l, "what they are");
    put_kinds(&l);
    begin_level(&l, "the recursions");
    soa_put_sweeps(r, text);
    begin_level(&l, "the transition of one link");
    put_line(&l, "$phi(k,j){: a force of body} j{, seen at body} k$");
    put_filter(&l, true);
    if (l.filter || l.used[SOA_OP_GAMMA]) {
        put_line(&l, "$Gamma(k,j){: momentum of the rotor of joint} j{, on body} k{; 0 without rotors}$");
    }
    begin_level(&l, "within a link, and across a joint");
    put_line(&l, "within link k: $phi(k,j) = [ I  l~ ; 0  I ], l {from} O(k) {to} O(j)$");
    put_filter(&l, false);
    if (l.filter || l.used[SOA_OP_ARM]) {
        put_line(&l, "$Arm(k){: inertia of the rotor about its axis; 0 without rotors}$");
    }
    put_coordinates(&l);
    begin_level(&l, "coordinates");
    put_line(&l, "$phi(k,j) = [ I  l~ ; 0  I ] diag(R, R), R(q) {from the axes of body} j {to those of body} k$");
    put_line(&l, "${a joint about or along z: two plane rotations that are constant, one that is q}$");
}
