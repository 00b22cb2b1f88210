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
            const bool again = i > 0 && soa_line_at(r, i - 1)->step == line->step;
            if (line->sweep == sweep) {
                if (!again) {
                    soa_page_format(text, "    s%d [label=\"", line->step);
                }
                put_escaped(text, line->left, false);
                soa_page_put(text, " = ");
                put_escaped(text, line->right, false);
                const bool more = i + 1 < r->lines.count && soa_line_at(r, i + 1)->step == line->step;
                soa_page_put(text, more ? "\\n" : "\"];\n");
            }
        }
        soa_page_put(text, sweep >= 0 ? "  }\n" : "");
    }
    for (int i = 0; i < r->lines.count; i++) {
        for (int j = 0; j < graph->steps.count; j++) {
            const int to = soa_line_at(r, i)->step;
            const bool first = i == 0 || soa_line_at(r, i - 1)->step != to;
            if (r->name[j] && j != to && first && uses_step(r, to, j)) {
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

static int text_width(const char *text)
{
    int n = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        n += (*at & 0xc0) != 0x80 && *at != 0xcc;
    }
    return n;
}

static box measure(const soa_recursions *r, int sweep, int x)
{
    box b = { .x = x, .width = CHARACTER * text_width(title(r, sweep)) };
    for (int i = 0; i < r->lines.count; i++) {
        const soa_line *line = soa_line_at(r, i);
        if (line->sweep == sweep) {
            const int width = CHARACTER * (line->width + 3 + text_width(line->right));
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
            put_escaped(text, line->left, true);
            soa_page_put(text, " = ");
            put_escaped(text, line->right, true);
            soa_page_put(text, "</text>\n");
        }
    }
}

/* The values made before `sweep` that lines of it or of later sweeps use; before = -1: what is given. */
static void put_passed(const soa_recursions *r, int sweep, soa_page *text)
{
    const soa_graph *graph = r->graph;
    bool first = sweep > 0 || !r->graph->velocities;
    soa_put_name(first ? "" : "beta", r->notation, text);
    for (int j = 0; j < graph->steps.count; j++) {
        const soa_step *s = soa_graph_step(graph, j);
        const bool understood = soa_step_is_state(s, SOA_STATE_ARTICULATED);
        const bool input = s->kind == SOA_STEP_INPUT;
        if (!r->name[j] || understood || (sweep == 0) != input || (!input && r->graph->schedule.sweep[j] >= sweep)) {
            continue;
        }
        bool needed = false;
        for (int i = 0; i < r->lines.count; i++) {
            const soa_line *line = soa_line_at(r, i);
            needed = needed || (line->sweep >= sweep && uses_step(r, line->step, j));
        }
        if (needed) {
            soa_page_put(text, first ? "" : " ");
            const soa_along along = s->kind == SOA_STEP_STATE ? s->along : (soa_along){ 0 };
            soa_put_along_open(r, along, text);
            soa_put_name(r->name[j], r->notation, text);
            soa_put_along_close(r, along, text);
            first = false;
        }
    }
}

static void put_arrow(const soa_recursions *r, int from, int to, int y, int sweep, soa_page *text)
{
    soa_page_format(text,
        "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#444\" marker-end=\"url(#tip)\"/>\n"
        "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-size=\"12\">",
        from, y, to - 6, y, (from + to) / 2, y - 8);
    if (sweep < r->graph->schedule.sweeps) {
        put_passed(r, sweep, text);
    } else {
        for (int i = 0; i < r->graph->outputs.count; i++) {
            soa_page_put(text, i ? " " : "");
            soa_put_name(soa_graph_output_at(r->graph, i)->name, r->notation, text);
        }
    }
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
        soa_page expression = soa_page_on(r->arena.allocator);
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
