/* plot_draw.c - axes, curves and legend, drawn with a pen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"

static const unsigned INK[] = { 0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xe69f00, 0x7f3c8d, 0x666666 };
enum { INKS = sizeof INK / sizeof INK[0], GRID = 0xcccccc, FRAME = 0x444444 };

/* 1, 2 or 5 times a power of ten, so that about `count` of them span the range. */
static double tick_of(double range, int count)
{
    const double raw = range / count, power = pow(10.0, floor(log10(raw))), part = raw / power;
    return power * (part < 1.5 ? 1.0 : part < 3.5 ? 2.0 : part < 7.5 ? 5.0 : 10.0);
}

static double x_at(const plot *p, double t)
{
    const double *time = plot_column(p, 0), begin = time[0], span = time[p->sheet.rows - 1] - begin;
    return PLOT_LEFT + PLOT_WIDTH * (t - begin) / (span > 0.0 ? span : 1.0);
}

static double y_at(const plot *p, double y)
{
    return PLOT_TOP + PLOT_HEIGHT * (p->high - y) / (p->high - p->low);
}

/* The unit after the last word of a signal, which some have. */
static const char *last_unit(const char *name)
{
    static const char *const table[][2] = { { ".depth", "m" }, { ".force", "N" }, { ".normal", "N" },
        { ".moment", "N m" }, { ".torque", "N m" }, { ".command", "N m" } };
    const size_t n = strlen(name);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const size_t m = strlen(table[i][0]);
        if (n > m && strcmp(name + n - m, table[i][0]) == 0) {
            return table[i][1];
        }
    }
    return "";
}

const char *plot_unit(const char *name)
{
    if (strncmp(name, "closure.", 8) == 0 || strncmp(name, "contact.", 8) == 0 || strncmp(name, "actuator.", 9) == 0) {
        return last_unit(name);
    }
    static const char *const table[][2] = { { "q.", "rad or m" }, { "v.", "rad/s or m/s" },
        { "vdot.", "rad/s² or m/s²" }, { "tau.", "N m or N" }, { "energy.", "J" }, { "work.", "J" },
        { "power.", "W" } };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strncmp(name, table[i][0], strlen(table[i][0])) == 0) {
            return table[i][1];
        }
    }
    return "";
}

/* Whether the curves have several units: then each has its own in the legend, and the axis none. */
static bool is_mixed(const plot *p)
{
    bool mixed = false;
    for (int c = 1; c < p->curves; c++) {
        const char *unit = plot_unit(p->sheet.name[p->curve[c]]);
        mixed = mixed || strcmp(unit, plot_unit(p->sheet.name[p->curve[0]])) != 0;
    }
    return mixed;
}

const char *plot_label(const plot *p, int c)
{
    const char *name = p->sheet.name[p->curve[c]], *unit = is_mixed(p) ? plot_unit(name) : "";
    return tool_text("%s%s%s", name, unit[0] != '\0' ? " in " : "", unit);
}

static void put_ticks(const plot *p, const plot_pen *pen, bool across)
{
    const double *time = plot_column(p, 0), low = across ? time[0] : p->low;
    const double high = across ? time[p->sheet.rows - 1] : p->high, step = tick_of(high - low, across ? 8 : 6);
    for (long i = lround(ceil(low / step)); i <= lround(floor(high / step + 1e-9)); i++) {
        const char *text = tool_text("%g", (double)i * step);
        const double at = across ? x_at(p, (double)i * step) : y_at(p, (double)i * step);
        const double line[4] = { across ? at : PLOT_LEFT, across ? PLOT_TOP : at, across ? at : PLOT_LEFT + PLOT_WIDTH,
            across ? PLOT_TOP + PLOT_HEIGHT : at };
        pen->line(pen->context, 2, line, GRID, 1.0, false);
        if (across) {
            pen->text(pen->context, at, PLOT_TOP + PLOT_HEIGHT + 18, PLOT_MIDDLE, false, text);
        } else {
            pen->text(pen->context, PLOT_LEFT - 6, at + 4, PLOT_END, false, text);
        }
    }
}

static void put_axes(const plot *p, const plot_pen *pen)
{
    const double right = PLOT_LEFT + PLOT_WIDTH, low = PLOT_TOP + PLOT_HEIGHT;
    const double frame[10] = { PLOT_LEFT, PLOT_TOP, right, PLOT_TOP, right, low, PLOT_LEFT, low, PLOT_LEFT, PLOT_TOP };
    put_ticks(p, pen, true);
    put_ticks(p, pen, false);
    pen->line(pen->context, 5, frame, FRAME, 1.0, false);
    pen->text(pen->context, PLOT_LEFT + PLOT_WIDTH / 2.0, low + 38, PLOT_MIDDLE, false, "t in s");
    pen->text(pen->context, 16, PLOT_TOP + PLOT_HEIGHT / 2.0, PLOT_MIDDLE, true,
        is_mixed(p) ? "" : plot_unit(p->sheet.name[p->curve[0]]));
}

/* A curve, thinned to what the eye can tell apart. */
static void put_curve(const plot *p, const plot_pen *pen, int c, double *xy)
{
    const double *t = plot_column(p, 0), *y = plot_column(p, p->curve[c]);
    int count = 0;
    for (int i = 0; i < p->sheet.rows; i++) {
        const double at[2] = { x_at(p, t[i]), y_at(p, y[i]) };
        const double *last = xy + 2 * (count > 0 ? count - 1 : 0);
        if (count == 0 || i + 1 == p->sheet.rows || fabs(at[0] - last[0]) > 0.5 || fabs(at[1] - last[1]) > 0.5) {
            memcpy(xy + 2 * (size_t)count++, at, sizeof at);
        }
    }
    pen->line(pen->context, count, xy, INK[c % INKS], 1.6, c >= INKS);
}

void plot_draw(const plot *p, const plot_pen *pen)
{
    double *xy = tool_take(2 * (size_t)p->sheet.rows, sizeof *xy);
    put_axes(p, pen);
    for (int c = 0; c < p->curves; c++) {
        const double x = PLOT_LEFT + PLOT_WIDTH + 12, y = PLOT_TOP + 10 + 18 * c, key[4] = { x, y, x + 20, y };
        put_curve(p, pen, c, xy);
        pen->line(pen->context, 2, key, INK[c % INKS], 3.0, c >= INKS);
        pen->text(pen->context, x + 26, y + 4, PLOT_START, false, plot_label(p, c));
    }
}
