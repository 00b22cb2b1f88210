/* expr/picture.c - the steps as a graph for dot, and as a picture.
 *
 * One box per sweep with its equations; arrows for what passes from one to the next. */
#include <string.h>

#include "expr/explain.h"

/* ---- which lines use which -------------------------------------------------------------------------- */

static bool uses_step(const soa_recursions *r, int step, int what)
{
    const soa_step *s = soa_graph_step(r->graph, step);
    for (int i = 0; i < s->count; i++) {
        const int input = s->input[i];
        if (input == what || (!r->name[input] && uses_step(r, input, what))) {
            return true;
        }
    }
    return s->need == what || (s->need >= 0 && uses_step(r, s->need, what));
}

/* A text as dot and SVG want it; & < > " are written out. */
static void put_escaped(soa_page *text, const char *from, bool xml)
{
    for (; *from; from++) {
        const char one[2] = { *from, '\0' };
        if (xml) {
            soa_page_put(text, *from == '&' ? "&amp;" : *from == '<' ? "&lt;" : *from == '>' ? "&gt;" : one);
        } else {
            soa_page_put(text, *from == '"' ? "\\\"" : *from == '\\' ? "\\\\" : one);
        }
    }
}

/* left = right of a line. */
static void put_equation(const soa_line *line, bool xml, soa_page *text)
{
    put_escaped(text, line->left, xml);
    soa_page_put(text, " = ");
    put_escaped(text, line->right, xml);
}

/* Whether a line is the first of its step: P, D and G have several. */
static bool is_first(const soa_recursions *r, int line)
{
    return line == 0 || soa_line_at(r, line - 1)->step != soa_line_at(r, line)->step;
}

static const char *title(const soa_recursions *r, int sweep)
{
    return r->graph->cost.sweeps == 0                     ? "each body"
           : soa_sweep_inward(&r->graph->schedule, sweep) ? "inward: tips .. base"
                                                          : "outward: base .. tips";
}

/* ---- dot ------------------------------------------------------------------------------------------------ */

void soa_put_dot(const soa_recursions *r, soa_page *text)
{
    const soa_graph *graph = r->graph;
    soa_page_put(text, "digraph plan {\n  rankdir=LR;\n  node [shape=box, fontname=\"monospace\"];\n");
    for (int i = 0; i < graph->steps.count; i++) {
        const soa_step *s = soa_graph_step(graph, i);
        if (s->kind == SOA_STEP_INPUT && s->uses > 0) {
            soa_page_format(text, "  s%d [shape=plaintext, label=\"%s\"];\n", i, r->name[i]);
        }
    }
    for (int sweep = SOA_BEFORE; sweep < r->graph->schedule.sweeps; sweep++) {
        if (sweep >= 0) {
            soa_page_format(text, "  subgraph cluster_%d {\n    label=\"%s\";\n", sweep, title(r, sweep));
        }
        for (int i = 0; i < r->lines.count; i++) {
            const soa_line *line = soa_line_at(r, i);
            if (line->sweep == sweep) {
                if (is_first(r, i)) {
                    soa_page_format(text, "    s%d [label=\"", line->step);
                }
                put_equation(line, false, text);
                soa_page_put(text, i + 1 < r->lines.count && !is_first(r, i + 1) ? "\\n" : "\"];\n");
            }
        }
        soa_page_put(text, sweep >= 0 ? "  }\n" : "");
    }
    for (int i = 0; i < r->lines.count; i++) {
        for (int j = 0; j < graph->steps.count; j++) {
            const int to = soa_line_at(r, i)->step;
            if (is_first(r, i) && r->name[j] && j != to && uses_step(r, to, j)) {
                soa_page_format(text, "  s%d -> s%d;\n", j, to);
            }
        }
    }
    soa_page_put(text, "}\n");
}

/* ---- SVG -------------------------------------------------------------------------------------------------- */

enum { CHARACTER = 8, LINE = 20, MARGIN = 16, GAP = 110, TOP = 60 };

typedef struct box {
    int x, width, lines;
} box;

static box measure(const soa_recursions *r, int sweep, int x)
{
    box b = { .x = x, .width = CHARACTER * soa_text_width(title(r, sweep)) };
    for (int i = 0; i < r->lines.count; i++) {
        const soa_line *line = soa_line_at(r, i);
        if (line->sweep == sweep) {
            const int width = CHARACTER * (soa_text_width(line->left) + 3 + soa_text_width(line->right));
            b.width = width > b.width ? width : b.width;
            b.lines++;
        }
    }
    b.width += 2 * MARGIN;
    return b;
}

static void put_box(const soa_recursions *r, int sweep, box b, int height, soa_page *text)
{
    soa_page_format(text,
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"%s\" stroke=\"#444\"/>\n"
        "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>\n",
        b.x, TOP, b.width, height - TOP - MARGIN, soa_sweep_inward(&r->graph->schedule, sweep) ? "#eef4fb" : "#fbf4ee",
        b.x + MARGIN, TOP + LINE + 4, title(r, sweep));
    int row = 2;
    for (int i = 0; i < r->lines.count; i++) {
        const soa_line *line = soa_line_at(r, i);
        if (line->sweep == sweep) {
            soa_page_format(
                text, "<text x=\"%d\" y=\"%d\" xml:space=\"preserve\">", b.x + MARGIN, TOP + 8 + LINE * row++);
            put_equation(line, true, text);
            soa_page_put(text, "</text>\n");
        }
    }
}

/* Whether a step has a value made before the sweep (of the first: given) that lines of it or of later ones use. */
static bool is_passed(const soa_recursions *r, int step, int sweep)
{
    const soa_step *s = soa_graph_step(r->graph, step);
    const bool understood = soa_step_is_state(s, SOA_STATE_ARTICULATED), input = s->kind == SOA_STEP_INPUT;
    const bool made =
        r->name[step] && !understood && (sweep == 0) == input && (input || r->graph->schedule.sweep[step] < sweep);
    for (int i = 0; made && i < r->lines.count; i++) {
        if (soa_line_at(r, i)->sweep >= sweep && uses_step(r, soa_line_at(r, i)->step, step)) {
            return true;
        }
    }
    return false;
}

/* What comes into a sweep; behind the last one, the outputs. */
static void put_passed(const soa_recursions *r, int sweep, soa_page *text)
{
    const soa_graph *graph = r->graph;
    soa_page names = soa_page_on(r->graph->arena->allocator);
    if (sweep < graph->schedule.sweeps) {
        soa_page_put(&names, sweep == 0 && graph->velocities ? "beta" : "");
        for (int j = 0; j < graph->steps.count; j++) {
            if (is_passed(r, j, sweep)) {
                soa_page_put(&names, soa_page_text(&names)[0] ? " " : "");
                soa_put_value(r, j, &names);
            }
        }
    }
    for (int i = 0; sweep == graph->schedule.sweeps && i < graph->outputs.count; i++) {
        soa_page_format(&names, "%s%s", i ? " " : "", soa_graph_output_at(graph, i)->name);
    }
    text->failed = text->failed || names.failed;
    soa_put_formula(soa_page_text(&names), r->notation, text);
    soa_page_clear(&names);
}

static void put_arrow(const soa_recursions *r, int from, int to, int y, int sweep, soa_page *text)
{
    soa_page_format(text,
        "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#444\" marker-end=\"url(#tip)\"/>\n"
        "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-size=\"12\">",
        from, y, to - 6, y, (from + to) / 2, y - 8);
    put_passed(r, sweep, text);
    soa_page_put(text, "</text>\n");
}

void soa_put_svg(const soa_recursions *r, soa_page *text)
{
    const int sweeps = r->graph->schedule.sweeps;
    int x = GAP, most = 1;
    for (int sweep = 0; sweep < sweeps; sweep++) {
        const box b = measure(r, sweep, x);
        most = b.lines > most ? b.lines : most;
        x += b.width + GAP;
    }
    const int height = TOP + LINE * (most + 2) + 2 * MARGIN, y = TOP + (height - TOP - MARGIN) / 2;
    soa_page_format(text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
        "font-family=\"monospace\" font-size=\"13\">\n",
        x, height, x, height);
    soa_page_put(text,
        "<defs><marker id=\"tip\" viewBox=\"0 0 10 10\" refX=\"6\" refY=\"5\" markerWidth=\"8\" "
        "markerHeight=\"8\" orient=\"auto\"><path d=\"M0,0 L10,5 L0,10 z\" fill=\"#444\"/></marker></defs>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    soa_page_format(text, "<text x=\"%d\" y=\"32\">", MARGIN);
    for (int i = 0; i < r->graph->outputs.count; i++) {
        const soa_graph_output *out = soa_graph_output_at(r->graph, i);
        soa_page expression = soa_page_on(r->graph->arena->allocator);
        soa_print_term(r->graph->terms, out->term, r->notation, &expression);
        soa_page_put(text, i ? "; " : "");
        soa_page_put(text, out->name);
        soa_page_put(text, " = ");
        put_escaped(text, soa_page_text(&expression), true);
        soa_page_clear(&expression);
    }
    soa_page_put(text, "</text>\n");
    x = GAP;
    for (int sweep = 0; sweep < sweeps; sweep++) {
        const box b = measure(r, sweep, x);
        put_box(r, sweep, b, height, text);
        put_arrow(r, x - GAP, x, y, sweep, text);
        x += b.width + GAP;
    }
    put_arrow(r, x - GAP, x, y, sweeps, text);
    soa_page_put(text, "</svg>\n");
}
