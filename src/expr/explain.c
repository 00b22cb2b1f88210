/* expr/explain.c - the recursions of a graph, sweep by sweep. */
#include "expr/explain.h"

/* ---- lines -------------------------------------------------------------------------------------------------- */

/* Characters, not bytes; marks over letters count for nothing. */
static int characters(const char *text)
{
    int n = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        n += (*at & 0xc0) != 0x80 && *at != 0xcc;
    }
    return n;
}

static void push_line(soa_recursions *r, int step, int sweep, const soa_page *left, const soa_page *right)
{
    soa_line *line = soa_array_push(&r->lines, r->arena.allocator);
    const char *left_copy = soa_arena_text(&r->arena, soa_page_text(left));
    const char *right_copy = soa_arena_text(&r->arena, soa_page_text(right));
    r->failed = r->failed || !line || !left_copy || !right_copy || left->failed || right->failed;
    if (line && !r->failed) {
        *line = (soa_line){ .sweep = sweep,
            .behind = soa_step_reach(r->graph, step) == SOA_REACH_WHOLE,
            .step = step,
            .left = left_copy,
            .right = right_copy,
            .width = characters(left_copy) };
    }
}

/* The line of a step; of P, D and G those of the filter. */
static void add_lines(soa_recursions *r, int step, int sweep)
{
    const bool filter = soa_step_is_state(soa_graph_step(r->graph, step), SOA_STATE_ARTICULATED);
    const soa_filter_line *line = NULL;
    for (int i = 0; !r->failed && (filter ? (line = soa_filter_line_of(r->graph, i)) != NULL : i == 0); i++) {
        soa_page left = soa_page_on(r->arena.allocator), right = soa_page_on(r->arena.allocator);
        if (line) {
            soa_put_formula(line->left, r->notation, &left);
            soa_put_formula(line->right, r->notation, &right);
        } else {
            soa_put_step(r, step, &left, &right);
        }
        push_line(r, step, sweep, &left, &right);
        soa_page_clear(&left);
        soa_page_clear(&right);
    }
}

/* Whether a step has a line: it has a name, and is not given. */
static bool has_line(const soa_recursions *r, int step)
{
    return r->name[step] && soa_graph_step(r->graph, step)->kind != SOA_STEP_INPUT;
}

soa_recursions soa_recursions_of(const soa_graph *graph, soa_notation notation)
{
    soa_recursions r = { .graph = graph, .notation = notation, .lines = soa_array_of(sizeof(soa_line)) };
    r.arena = soa_arena_on(soa_terms_allocator(graph->terms));
    r.failed = !soa_recursions_name(&r);
    for (int sweep = SOA_BEFORE; !r.failed && sweep < graph->schedule.sweeps; sweep++) {
        for (int behind = 0; behind < 2; behind++) {
            for (int i = 0; i < graph->steps.count; i++) {
                const bool whole = soa_step_reach(graph, i) == SOA_REACH_WHOLE;
                if (!r.failed && graph->schedule.sweep[i] == sweep && whole == behind && has_line(&r, i)) {
                    add_lines(&r, i, sweep);
                }
            }
        }
    }
    return r;
}

void soa_recursions_free(soa_recursions *recursions)
{
    soa_array_free(&recursions->lines, recursions->arena.allocator);
    soa_arena_free(&recursions->arena);
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
    soa_page_format(text, "\n");
}

static const char *heading(const soa_recursions *r, const soa_line *line)
{
    if (line->behind) {
        return "then";
    }
    if (r->graph->cost.sweeps == 0) {
        return "each    k";
    }
    return soa_sweep_inward(&r->graph->schedule, line->sweep) ? "inward  for k = tips .. base"
                                                              : "outward for k = base .. tips";
}

static int widest(const soa_recursions *r, int first)
{
    const soa_line *head = soa_line_at(r, first);
    int width = 0;
    for (int i = first; i < r->lines.count; i++) {
        const soa_line *line = soa_line_at(r, i);
        if (line->sweep != head->sweep || line->behind != head->behind) {
            break;
        }
        width = line->width > width ? line->width : width;
    }
    return width;
}

static void put_latex(const soa_recursions *r, soa_page *text)
{
    soa_page_put(text, "\\begin{align*}\n");
    for (int i = 0; i < r->lines.count; i++) {
        const soa_line *line = soa_line_at(r, i), *before = i > 0 ? soa_line_at(r, i - 1) : NULL;
        if (!before || before->sweep != line->sweep || before->behind != line->behind) {
            soa_page_format(text, "  & \\textbf{%s} \\\\\n", heading(r, line));
        }
        soa_page_put(text, "  ");
        soa_page_put(text, line->left);
        soa_page_put(text, " &= ");
        soa_page_put(text, line->right);
        soa_page_put(text, i + 1 < r->lines.count ? " \\\\\n" : "\n");
    }
    soa_page_put(text, "\\end{align*}\n");
}

void soa_put_sweeps(const soa_recursions *r, soa_page *text)
{
    if (r->notation == SOA_LATEX) {
        put_latex(r, text);
        return;
    }
    int width = 0;
    for (int i = 0; i < r->lines.count; i++) {
        const soa_line *line = soa_line_at(r, i), *before = i > 0 ? soa_line_at(r, i - 1) : NULL;
        if (!before || before->sweep != line->sweep || before->behind != line->behind) {
            soa_page_format(text, "%s\n", heading(r, line));
            width = widest(r, i);
        }
        soa_page_put(text, "          ");
        soa_page_put(text, line->left);
        soa_page_format(text, "%*s = ", width - line->width, "");
        soa_page_put(text, line->right);
        soa_page_put(text, "\n");
    }
}
