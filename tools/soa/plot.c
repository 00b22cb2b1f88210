/* plot.c - soa plot: columns of a recording drawn as SVG or on the terminal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"
#include "record.h"

const tool_option TOOL_PLOT_OPTIONS[] = {
    { "out", 'o', "FILE", "where to write the plot as SVG; the terminal if not given" },
    { NULL, 0, NULL, NULL },
};

enum { MOST_CURVES = 24, TERMINAL_WIDTH = 72, TERMINAL_HEIGHT = 18 };

typedef struct job {
    tool_call *call;
    sheet sheet;
    int curves;
    int curve[MOST_CURVES];
    double low, high; /* of all curves */
} job;

static const double *column(const sheet *s, int i)
{
    return s->number + (size_t)i * (size_t)s->rows;
}

/* ---- which curves -------------------------------------------------------------------------------- */

static int add_curves(job *j, const char *word)
{
    const size_t n = strlen(word);
    int found = 0;
    for (int i = 1; i < j->sheet.columns; i++) {
        const char *name = j->sheet.name[i];
        if (strncmp(name, word, n) == 0 && (name[n] == '\0' || name[n] == '.')) {
            found++;
            if (j->curves == MOST_CURVES) {
                return tool_fail("'%s': more than %d curves; name fewer signals", word, MOST_CURVES);
            }
            j->curve[j->curves++] = i;
        }
    }
    return found > 0 ? TOOL_OK : tool_fail("'%s' is not a column of the recording; its first line names them", word);
}

static void find_range(job *j)
{
    j->low = HUGE_VAL;
    j->high = -HUGE_VAL;
    for (int c = 0; c < j->curves; c++) {
        const double *y = column(&j->sheet, j->curve[c]);
        for (int i = 0; i < j->sheet.rows; i++) {
            j->low = fmin(j->low, y[i]);
            j->high = fmax(j->high, y[i]);
        }
    }
    const double least = 1e-12 * fmax(fabs(j->low), fabs(j->high)) + 1e-300;
    if (!(j->high - j->low > least)) {
        const double half = fmax(0.5 * fabs(j->high), 0.5);
        j->low -= half;
        j->high += half;
    }
}

/* 1, 2 or 5 times a power of ten, so that about `count` of them span the range. */
static double tick_of(double range, int count)
{
    const double raw = range / count, power = pow(10.0, floor(log10(raw))), part = raw / power;
    return power * (part < 1.5 ? 1.0 : part < 3.5 ? 2.0 : part < 7.5 ? 5.0 : 10.0);
}

/* The unit of a signal, from its first word. */
static const char *unit_of(const char *name)
{
    static const char *const table[][2] = { { "q.", "rad or m" }, { "v.", "rad/s or m/s" },
        { "vdot.", "rad/s² or m/s²" }, { "tau.", "N m or N" }, { "energy.", "J" }, { "work.", "J" }, { "power.", "W" },
        { "closure.", "N or N m" } };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strncmp(name, table[i][0], strlen(table[i][0])) == 0) {
            return table[i][1];
        }
    }
    return "";
}

/* ---- SVG ------------------------------------------------------------------------------------------- */

static const char *const INK[] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7f3c8d",
    "#666666" };
enum { INKS = sizeof INK / sizeof INK[0], LEFT = 80, TOP = 20, WIDTH = 640, HEIGHT = 360 };

static void put_escaped(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        default:
            fputc((unsigned char)*text < ' ' ? '?' : *text, out);
        }
    }
}

static double x_at(const job *j, double t)
{
    const double *time = column(&j->sheet, 0), begin = time[0], span = time[j->sheet.rows - 1] - begin;
    return LEFT + WIDTH * (t - begin) / (span > 0.0 ? span : 1.0);
}

static double y_at(const job *j, double y)
{
    return TOP + HEIGHT * (j->high - y) / (j->high - j->low);
}

static void put_axes(const job *j, FILE *out)
{
    const double *time = column(&j->sheet, 0), begin = time[0], end = time[j->sheet.rows - 1];
    const double dt = tick_of(end - begin, 8), dy = tick_of(j->high - j->low, 6);
    const long t0 = lround(ceil(begin / dt)), t1 = lround(floor(end / dt + 1e-9));
    const long y0 = lround(ceil(j->low / dy)), y1 = lround(floor(j->high / dy));
    fprintf(out, "<g stroke=\"#ccc\" stroke-width=\"1\">\n");
    for (long i = t0; i <= t1; i++) {
        fprintf(out, "<path d=\"M%.1f %d V%d\"/>\n", x_at(j, (double)i * dt), TOP, TOP + HEIGHT);
    }
    for (long i = y0; i <= y1; i++) {
        fprintf(out, "<path d=\"M%d %.1f H%d\"/>\n", LEFT, y_at(j, (double)i * dy), LEFT + WIDTH);
    }
    fprintf(out, "</g>\n<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#444\"/>\n", LEFT,
        TOP, WIDTH, HEIGHT);
    fputs("<g font-size=\"12\" fill=\"#222\">\n", out);
    for (long i = t0; i <= t1; i++) {
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n", x_at(j, (double)i * dt),
            TOP + HEIGHT + 18, (double)i * dt);
    }
    for (long i = y0; i <= y1; i++) {
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", LEFT - 6, y_at(j, (double)i * dy) + 4,
            (double)i * dy);
    }
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">t in s</text>\n", LEFT + WIDTH / 2, TOP + HEIGHT + 38);
    fprintf(out, "<text x=\"16\" y=\"%d\" text-anchor=\"middle\" transform=\"rotate(-90 16 %d)\">%s</text>\n</g>\n",
        TOP + HEIGHT / 2, TOP + HEIGHT / 2, unit_of(j->sheet.name[j->curve[0]]));
}

/* A curve, thinned to what the eye can tell apart. */
static void put_curve(const job *j, int c, FILE *out)
{
    const double *t = column(&j->sheet, 0), *y = column(&j->sheet, j->curve[c]);
    double x_last = -1.0, y_last = -1.0;
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s points=\"", INK[c % INKS],
        c >= INKS ? " stroke-dasharray=\"6 3\"" : "");
    for (int i = 0; i < j->sheet.rows; i++) {
        const double px = x_at(j, t[i]), py = y_at(j, y[i]);
        if (i == 0 || i + 1 == j->sheet.rows || fabs(px - x_last) > 0.5 || fabs(py - y_last) > 0.5) {
            fprintf(out, "%.1f,%.1f ", px, py);
            x_last = px;
            y_last = py;
        }
    }
    fputs("\"/>\n", out);
}

static int write_svg(void *context, FILE *out)
{
    const job *j = context;
    int longest = 0;
    for (int c = 0; c < j->curves; c++) {
        const int width = tool_width(j->sheet.name[j->curve[c]]);
        longest = width > longest ? width : longest;
    }
    const int width = LEFT + WIDTH + 50 + 8 * longest, height = TOP + HEIGHT + 50;
    fprintf(out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
        "font-family=\"sans-serif\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
        width, height, width, height);
    put_axes(j, out);
    for (int c = 0; c < j->curves; c++) {
        put_curve(j, c, out);
        fprintf(out,
            "<path d=\"M%d %d h20\" stroke=\"%s\" stroke-width=\"3\"/>\n<text x=\"%d\" y=\"%d\" font-size=\"12\">",
            LEFT + WIDTH + 12, TOP + 10 + 18 * c, INK[c % INKS], LEFT + WIDTH + 38, TOP + 14 + 18 * c);
        put_escaped(out, j->sheet.name[j->curve[c]]);
        fputs("</text>\n", out);
    }
    fputs("</svg>\n", out);
    return TOOL_OK;
}

/* ---- terminal ------------------------------------------------------------------------------------------ */

static void put_terminal(const job *j)
{
    static const char mark[] = "*o+x#@%&$=~^";
    char grid[TERMINAL_HEIGHT][TERMINAL_WIDTH];
    const double *t = column(&j->sheet, 0), begin = t[0], span = t[j->sheet.rows - 1] - begin;
    FILE *out = j->call->out;
    memset(grid, ' ', sizeof grid);
    for (int c = 0; c < j->curves; c++) {
        const double *y = column(&j->sheet, j->curve[c]);
        for (int i = 0; i < j->sheet.rows; i++) {
            const int x = (int)((TERMINAL_WIDTH - 1) * (span > 0.0 ? (t[i] - begin) / span : 0.0) + 0.5);
            const int row = (int)((TERMINAL_HEIGHT - 1) * (j->high - y[i]) / (j->high - j->low) + 0.5);
            grid[row][x] = mark[c % (int)(sizeof mark - 1)];
        }
    }
    for (int row = 0; row < TERMINAL_HEIGHT; row++) {
        const double y = j->high - (j->high - j->low) * row / (TERMINAL_HEIGHT - 1);
        if (row % 4 == 0 || row + 1 == TERMINAL_HEIGHT) {
            fprintf(out, "%10.4g |", y);
        } else {
            fputs("           |", out);
        }
        fprintf(out, "%.*s\n", TERMINAL_WIDTH, grid[row]);
    }
    fprintf(out, "           +%.*s\n%12g%*s%g s\n\n", TERMINAL_WIDTH,
        "------------------------------------------------------------------------", begin, TERMINAL_WIDTH - 8, "",
        begin + span);
    for (int c = 0; c < j->curves; c++) {
        char name[TOOL_CELL];
        fprintf(out, "  %c %s %s\n", mark[c % (int)(sizeof mark - 1)],
            tool_clean(name, sizeof name, j->sheet.name[j->curve[c]]), unit_of(j->sheet.name[j->curve[c]]));
    }
}

static int draw(job *j)
{
    const char *path = tool_value(j->call, "out");
    int status = TOOL_OK;
    for (int i = 1; i < j->call->operands && status == TOOL_OK; i++) {
        status = add_curves(j, j->call->operand[i]);
    }
    if (status != TOOL_OK) {
        return status;
    }
    find_range(j);
    if (path == NULL) {
        put_terminal(j);
        return TOOL_OK;
    }
    const size_t n = strlen(path);
    if (n < 4 || strcmp(path + n - 4, ".svg") != 0) {
        return tool_fail("%s: plots are written as SVG; give a name that ends in .svg", path);
    }
    status = tool_file_write(path, write_svg, j);
    if (status == TOOL_OK) {
        fprintf(j->call->out, "wrote %s\n", path);
    }
    return status;
}

int tool_plot(tool_call *call)
{
    job j = { .call = call };
    int status = sheet_read(call->operand[0], &j.sheet);
    if (status == TOOL_OK && j.sheet.rows < 2) {
        status = tool_fail("%s: it holds fewer than two rows", call->operand[0]);
    }
    status = status == TOOL_OK ? draw(&j) : status;
    sheet_free(&j.sheet);
    return status;
}
