/* plot.c - soa plot: columns of a recording drawn as SVG or PNG or on the terminal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"

const tool_option TOOL_PLOT_OPTIONS[] = {
    { "out", 'o', "FILE", "where to write the plot, .svg or .png; the terminal if not given" },
    { NULL, 0, NULL, NULL },
};

enum { TERMINAL_WIDTH = 72, TERMINAL_HEIGHT = 18 };

/* ---- which curves -------------------------------------------------------------------------------- */

static void add_curves(plot *j, const char *word)
{
    const size_t n = strlen(word);
    int found = 0;
    for (int i = 1; i < j->sheet.columns; i++) {
        const char *name = j->sheet.name[i];
        if (strncmp(name, word, n) == 0 && strchr("./", name[n]) != NULL) { /* or name[n] ends it */
            found++;
            if (j->curves == MOST_CURVES) {
                tool_fail("'%s': more than %d curves; name fewer signals", word, MOST_CURVES);
            }
            j->curve[j->curves++] = i;
        }
    }
    if (found == 0) {
        tool_fail("'%s' is not a column of the recording; its first line names all %d, such as '%s'", word,
            j->sheet.columns, j->sheet.columns > 1 ? j->sheet.name[1] : j->sheet.name[0]);
    }
}

/* Differences of two numbers of a column must be numbers, too. */
static void check_column(const plot *j, int column)
{
    const double *y = plot_column(j, column);
    for (int i = 0; i < j->sheet.rows; i++) {
        if (!(fabs(y[i]) <= 1e300)) {
            tool_fail("%s: row %d: '%s' is %g; a plot needs finite numbers up to 1e300", j->call->operand[0], i + 1,
                j->sheet.name[column], y[i]);
        }
        if (column == 0 && i > 0 && y[i] < y[i - 1]) {
            tool_fail("%s: row %d: the first column is the time and must not fall", j->call->operand[0], i + 1);
        }
    }
}

static void check_numbers(const plot *j)
{
    const double *t = plot_column(j, 0), begin = t[0], end = t[j->sheet.rows - 1];
    check_column(j, 0);
    if (!(end - begin > 1e-12 * fmax(fabs(begin), fabs(end)) + 1e-300)) {
        tool_fail("%s: the first column is the time and must rise", j->call->operand[0]);
    }
    for (int c = 0; c < j->curves; c++) {
        check_column(j, j->curve[c]);
    }
}

static void find_range(plot *j)
{
    j->low = HUGE_VAL;
    j->high = -HUGE_VAL;
    for (int c = 0; c < j->curves; c++) {
        const double *y = plot_column(j, j->curve[c]);
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

/* ---- terminal ------------------------------------------------------------------------------------------ */

static void put_terminal(const plot *j)
{
    static const char mark[] = "*o+x#@%&$=~^";
    char grid[TERMINAL_HEIGHT][TERMINAL_WIDTH];
    const double *t = plot_column(j, 0), begin = t[0], span = t[j->sheet.rows - 1] - begin;
    FILE *out = j->call->out;
    memset(grid, ' ', sizeof grid);
    for (int c = 0; c < j->curves; c++) {
        const double *y = plot_column(j, j->curve[c]);
        for (int i = 0; i < j->sheet.rows; i++) {
            const int x = (int)((TERMINAL_WIDTH - 1) * (t[i] - begin) / span + 0.5);
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
        fprintf(out, "  %c %s %s\n", mark[c % (int)(sizeof mark - 1)], tool_clean(j->sheet.name[j->curve[c]]),
            plot_unit(j->sheet.name[j->curve[c]]));
    }
}

/* The picture has room for the longest name beside the curves. */
static void measure(plot *j)
{
    int longest = 0;
    for (int c = 0; c < j->curves; c++) {
        const int width = tool_width(plot_label(j, c));
        longest = width > longest ? width : longest;
    }
    const int legend = PLOT_TOP + 10 + 18 * j->curves, axes = PLOT_TOP + PLOT_HEIGHT + 50;
    j->width = PLOT_LEFT + PLOT_WIDTH + 50 + 8 * longest;
    j->height = legend > axes ? legend : axes;
}

static void draw(plot *j)
{
    const char *path = tool_value(j->call, "out");
    for (int i = 1; i < j->call->operands; i++) {
        add_curves(j, j->call->operand[i]);
    }
    check_numbers(j);
    find_range(j);
    if (path == NULL) {
        put_terminal(j);
        return;
    }
    const size_t n = strlen(path);
    const bool svg = n >= 4 && strcmp(path + n - 4, ".svg") == 0, png = n >= 4 && strcmp(path + n - 4, ".png") == 0;
    if (!svg && !png) {
        tool_fail("%s: plots are written as SVG or PNG; give a name that ends in .svg or .png", path);
    }
    measure(j);
    tool_file_write(path, svg ? plot_write_svg : plot_write_png, j);
    fprintf(j->call->out, "wrote %s\n", path);
}

void tool_plot(tool_call *call)
{
    plot j = { .call = call };
    sheet_read(call->operand[0], &j.sheet);
    if (j.sheet.rows < 2) {
        tool_fail("%s: it holds fewer than two rows", call->operand[0]);
    }
    draw(&j);
}
