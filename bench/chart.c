/* chart.c - the ratios as an SVG: one panel per robot, one line per algorithm, one dot per library. */
#include <math.h>
#include <string.h>

#include "bench.h"

enum {
    LEFT = 230,
    PANEL = 250,
    GAP = 18,
    TOP = 86,
    LINE = 40,
    BOTTOM = 56,
    DOT = 5,
    MOST_LINES = 2 * BENCH_ALGORITHMS
};

#define SMALLEST 0.3
#define LARGEST  300.0

/* Told apart with impaired colour vision as well (Okabe and Ito). */
static const char *const colours[] = { "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8a8a00",
    "#555555" };

static const char *colour(int peer)
{
    return colours[(peer - BENCH_FIRST_PEER) % (int)(sizeof colours / sizeof colours[0])];
}

/* What the lines of the panels show: the algorithms, then those with a batch. */
typedef struct line {
    bench_algorithm algorithm;
    bool batch;
} line;

static int list_lines(const bench_run *run, line *lines)
{
    int n = 0;
    for (int batch = 0; batch < 2; batch++) {
        for (int a = 0; a < BENCH_ALGORITHMS; a++) {
            if (run->table[0].row[a].cell[batch == 0 ? BENCH_SOA : BENCH_BATCH].verdict == BENCH_TIMED) {
                lines[n++] = (line){ (bench_algorithm)a, batch != 0 };
            }
        }
    }
    return n;
}

static double panel_x(int table)
{
    return LEFT + table * (PANEL + GAP);
}

static double ratio_x(int table, double ratio)
{
    const double r = fmin(fmax(ratio, SMALLEST), LARGEST);
    return panel_x(table) + PANEL * log(r / SMALLEST) / log(LARGEST / SMALLEST);
}

static void draw_text(FILE *out, double x, double y, const char *anchor, const char *style, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" %s>", x, y, anchor, style);
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        default:
            fputc(*text, out);
        }
    }
    fputs("</text>\n", out);
}

static void draw_scale(const bench_run *run, FILE *out, int table, int lines)
{
    static const double ticks[] = { 1.0, 3.0, 10.0, 30.0, 100.0 };
    const double bottom = TOP + lines * LINE;
    char text[96];
    for (size_t i = 0; i < sizeof ticks / sizeof ticks[0]; i++) {
        const double x = ratio_x(table, ticks[i]);
        fprintf(out, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x, TOP - 4, x, bottom,
            ticks[i] == 1.0 ? "#333" : "#e4e4e4");
        snprintf(text, sizeof text, "%g", ticks[i]);
        draw_text(out, x, bottom + 16, "middle", "font-size=\"11\" fill=\"#555\"", text);
    }
    snprintf(text, sizeof text, "%s, %d dofs", run->table[table].robot, run->table[table].nv);
    draw_text(out, panel_x(table) + PANEL / 2.0, TOP - 12, "middle", "font-size=\"14\" font-weight=\"600\"", text);
}

static void draw_dots(const bench_run *run, FILE *out, int table, const line *l, double y)
{
    const bench_row *row = &run->table[table].row[l->algorithm];
    const int peers = run->peers - BENCH_FIRST_PEER;
    for (int p = BENCH_FIRST_PEER; p < run->peers; p++) {
        const bench_cell *cell = &row->cell[p];
        if (cell->verdict != BENCH_TIMED) {
            continue;
        }
        const double ratio = l->batch ? cell->batch_ratio : cell->ratio;
        const double rise = (p - BENCH_FIRST_PEER - (peers - 1) / 2.0) * (LINE - 4 * DOT) / fmax(peers - 1, 1);
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\"><title>%s: %.2f</title></circle>\n",
            ratio_x(table, ratio), y + rise, DOT, colour(p), run->peer[p]->name, ratio);
    }
}

static void draw_legend(const bench_run *run, FILE *out)
{
    double x = LEFT;
    for (int p = BENCH_FIRST_PEER; p < run->peers; p++) {
        char text[96];
        snprintf(text, sizeof text, "%s %s", run->peer[p]->name, run->peer[p]->version);
        fprintf(out, "<circle cx=\"%.1f\" cy=\"46\" r=\"%d\" fill=\"%s\"/>\n", x + DOT, DOT, colour(p));
        draw_text(out, x + 3 * DOT, 50, "start", "font-size=\"12\"", text);
        x += 34 + 6.6 * (double)strlen(text);
    }
}

static void draw_line(const bench_run *run, FILE *out, const line *l, double y)
{
    char text[64];
    snprintf(text, sizeof text, "%s%s", bench_algorithm_text(l->algorithm), l->batch ? ", batch" : "");
    for (char *c = text; *c != '\0'; c++) {
        *c = *c == '-' ? ' ' : *c;
    }
    draw_text(out, LEFT - 14, y + 4, "end", "font-size=\"13\"", text);
    for (int t = 0; t < run->tables; t++) {
        fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#f0f0f0\"/>\n", panel_x(t),
            y + LINE / 2.0, panel_x(t) + PANEL, y + LINE / 2.0);
        draw_dots(run, out, t, l, y);
    }
}

static void draw(const bench_run *run, FILE *out)
{
    line lines[MOST_LINES];
    const int n = list_lines(run, lines);
    const double width = panel_x(run->tables), height = TOP + n * LINE + BOTTOM;
    char text[384];
    fprintf(out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
        "font-family=\"Helvetica, Arial, sans-serif\" fill=\"#222\">\n<rect width=\"100%%\" height=\"100%%\" "
        "fill=\"#fff\"/>\n",
        width, height, width, height);
    draw_text(out, LEFT, 26, "start", "font-size=\"16\" font-weight=\"600\"",
        "Time of other libraries over time of soa (right of 1: soa is faster)");
    draw_legend(run, out);
    for (int t = 0; t < run->tables; t++) {
        draw_scale(run, out, t, n);
    }
    for (int i = 0; i < n; i++) {
        draw_line(run, out, &lines[i], TOP + (i + 0.5) * LINE);
    }
    snprintf(text, sizeof text, "%s, one core, %s; soa %s, %s; batch: soa computes %d states per call, %d at a time",
        run->machine.cpu, run->machine.date, run->peer[BENCH_SOA]->version, BENCH_C_COMPILER, BENCH_BATCH_STATES,
        run->machine.lanes);
    draw_text(out, LEFT, height - 14, "start", "font-size=\"11\" fill=\"#555\"", text);
    fputs("</svg>\n", out);
}

/* The robots without closures, which share most lines; all, if there are none such. */
static const bench_run *trees_of(const bench_run *run)
{
    static bench_run trees;
    trees = *run;
    trees.tables = 0;
    for (int t = 0; t < run->tables; t++) {
        if (!run->table[t].closed) {
            trees.table[trees.tables++] = run->table[t];
        }
    }
    return trees.tables > 0 ? &trees : run;
}

bool bench_write_chart(const bench_run *run, const char *path)
{
    FILE *out = fopen(path, "w");
    if (out != NULL) {
        draw(trees_of(run), out);
    }
    if (out == NULL || fclose(out) != 0) {
        fprintf(stderr, "bench_peers: cannot write %s\n", path);
        return false;
    }
    return true;
}
