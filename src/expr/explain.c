/* expr/explain.c - the recursions of a graph, sweep by sweep; a statement of a program explained. */
#include "expr/explain.h"

#include "core/error.h"
#include "expr/program.h"

/* ---- the filter -------------------------------------------------------------------------------------------- */

/* Whether a graph applies one of two operators; psi is in Ups too. */
static bool uses(const soa_graph *graph, soa_operator a, soa_operator b)
{
    bool found = false;
    for (int i = 0; i < graph->steps.count && !found; i++) {
        const soa_step *s = soa_graph_step(graph, i);
        found = (s->kind == SOA_STEP_APPLY && (s->op == a || s->op == b)) ||
                (a == SOA_OP_PSI && soa_step_is_state(s, SOA_STATE_UPSILON));
    }
    return found;
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
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        if ((list[i].by[0] == SOA_OP_I || uses(graph, list[i].by[0], list[i].by[1])) && line-- == 0) {
            return &list[i].line;
        }
    }
    return NULL;
}

/* ---- lines -------------------------------------------------------------------------------------------------- */

int soa_text_width(const char *text)
{
    int n = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        n += (*at & 0xc0) != 0x80 && *at != 0xcc;
    }
    return n;
}

/* A formula in the notation, kept; NULL: no memory. */
static const char *kept(soa_recursions *r, const char *formula)
{
    soa_page text = soa_page_on(r->graph->arena->allocator);
    soa_put_formula(formula, r->notation, &text);
    const char *copy = text.failed ? NULL : soa_arena_text(r->graph->arena, soa_page_text(&text));
    soa_page_clear(&text);
    return copy;
}

static void push_line(soa_recursions *r, int step, const char *left, const char *right)
{
    const bool behind = soa_step_reach(r->graph, step) == SOA_REACH_WHOLE;
    const soa_line line = { r->graph->schedule.sweep[step], behind, step, kept(r, left), kept(r, right) };
    r->failed =
        r->failed || !line.left || !line.right || !soa_arena_add(r->graph->arena, &r->lines, &line, sizeof line);
}

/* The line of a step; of P, D and G those of the filter. */
static void add_lines(soa_recursions *r, int step)
{
    if (soa_step_is_state(soa_graph_step(r->graph, step), SOA_STATE_ARTICULATED)) {
        const soa_filter_line *line;
        for (int i = 0; (line = soa_filter_line_of(r->graph, i)) != NULL; i++) {
            push_line(r, step, line->left, line->right);
        }
        return;
    }
    soa_page left = soa_page_on(r->graph->arena->allocator), right = soa_page_on(r->graph->arena->allocator);
    soa_put_step(r, step, &left, &right);
    r->failed = r->failed || left.failed || right.failed;
    push_line(r, step, soa_page_text(&left), soa_page_text(&right));
    soa_page_clear(&left);
    soa_page_clear(&right);
}

soa_recursions soa_recursions_of(const soa_graph *graph, soa_notation notation)
{
    soa_recursions r = { .graph = graph, .notation = notation };
    r.failed = !soa_recursions_name(&r);
    for (int sweep = SOA_BEFORE; sweep < graph->schedule.sweeps; sweep++) {
        for (int behind = 0; behind < 2; behind++) {
            for (int i = 0; i < graph->steps.count && !r.failed; i++) {
                const bool whole = soa_step_reach(graph, i) == SOA_REACH_WHOLE;
                const bool made = r.name[i] && soa_graph_step(graph, i)->kind != SOA_STEP_INPUT;
                if (made && graph->schedule.sweep[i] == sweep && whole == behind) {
                    add_lines(&r, i);
                }
            }
        }
    }
    return r;
}

/* ---- text ------------------------------------------------------------------------------------------------------ */

void soa_put_cost(const soa_graph *graph, soa_page *text)
{
    static const char *const order[] = { "O(1)", "O(N)", "O(N^2)", "O(N^3)" };
    const soa_cost *cost = &graph->cost;
    soa_page_format(text, "cost    %d sweep%s, %s", cost->sweeps, cost->sweeps == 1 ? "" : "s", order[cost->order]);
    if (cost->sweeps_written != cost->sweeps) {
        soa_page_format(text, " (%d as written)", cost->sweeps_written);
    }
    soa_page_put(text, "\n");
}

static const char *heading(const soa_recursions *r, const soa_line *line)
{
    return line->behind                                         ? "then"
           : r->graph->cost.sweeps == 0                         ? "each    k"
           : soa_sweep_inward(&r->graph->schedule, line->sweep) ? "inward  for k = tips .. base"
                                                                : "outward for k = base .. tips";
}

static bool one_heading(const soa_line *a, const soa_line *b)
{
    return a->sweep == b->sweep && a->behind == b->behind;
}

/* The width of the widest left side below one heading. */
static int widest(const soa_recursions *r, int first)
{
    int width = 0;
    for (int i = first; i < r->lines.count && one_heading(soa_line_at(r, i), soa_line_at(r, first)); i++) {
        const int here = soa_text_width(soa_line_at(r, i)->left);
        width = here > width ? here : width;
    }
    return width;
}

void soa_put_sweeps(const soa_recursions *r, soa_page *text)
{
    const bool latex = r->notation == SOA_LATEX;
    int width = 0;
    soa_page_put(text, latex ? "\\begin{align*}\n" : "");
    for (int i = 0; i < r->lines.count; i++) {
        const soa_line *line = soa_line_at(r, i);
        if (i == 0 || !one_heading(line, soa_line_at(r, i - 1))) {
            soa_page_format(text, latex ? "  & \\textbf{%s} \\\\\n" : "%s\n", heading(r, line));
            width = latex ? 0 : widest(r, i);
        }
        soa_page_put(text, latex ? "  " : "          ");
        soa_page_put(text, line->left);
        soa_page_format(text, latex ? " &= " : "%*s = ", width - soa_text_width(line->left), "");
        soa_page_put(text, line->right);
        soa_page_put(text, latex && i + 1 < r->lines.count ? " \\\\\n" : "\n");
    }
    soa_page_put(text, latex ? "\\end{align*}\n" : "");
}

static void put_explanation(const soa_graph *graph, soa_notation notation, soa_explanation what, soa_page *text)
{
    soa_recursions r = soa_recursions_of(graph, notation);
    text->failed = text->failed || r.failed;
    if (!r.failed && what == SOA_EXPLAIN_SWEEPS) {
        soa_page_put(text, notation == SOA_LATEX ? "% " : "");
        soa_put_cost(graph, text);
        soa_put_sweeps(&r, text);
    } else if (!r.failed) {
        (what == SOA_EXPLAIN_LEVELS ? soa_put_levels : what == SOA_EXPLAIN_DOT ? soa_put_dot : soa_put_svg)(&r, text);
    }
}

soa_status soa_program_explain(
    soa_program *program, int statement, soa_notation notation, soa_explanation what, char **text, soa_error *error)
{
    soa_telling t = soa_telling_begin(program, statement, SOA_AN_EXPRESSION, notation, text, error);
    if (t.status == SOA_OK && (unsigned)what >= SOA_EXPLANATIONS) {
        t.status = soa_fail(error, SOA_E_ARGUMENT, -1, "there is no such explanation");
    }
    if (t.status == SOA_OK) {
        soa_arena arena = soa_arena_on(&t.pool->allocator);
        soa_graph graph = soa_graph_begin(t.pool, &arena, error);
        graph.rotors = graph.turning = what == SOA_EXPLAIN_LEVELS; /* all levels speak of systems with rotors */
        t.status = soa_graph_add(&graph, t.s->name[0] ? t.s->name : "y", t.s->term);
        t.status = t.status == SOA_OK ? soa_graph_plan(&graph) : t.status;
        if (t.status == SOA_OK) {
            put_explanation(
                &graph, what >= SOA_EXPLAIN_DOT && notation == SOA_LATEX ? SOA_ASCII : notation, what, &t.out);
        }
        soa_arena_free(&arena);
    }
    return soa_telling_end(&t);
}
