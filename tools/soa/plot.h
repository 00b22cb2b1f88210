/* plot.h - pictures of recordings: what is drawn, and the pens that draw it. */
#ifndef SOA_TOOL_PLOT_H
#define SOA_TOOL_PLOT_H

#include "compute.h"
#include "record.h"

enum { MOST_CURVES = 24, PLOT_LEFT = 80, PLOT_TOP = 20, PLOT_WIDTH = 640, PLOT_HEIGHT = 360 };

typedef struct plot {
    tool_call *call;
    sheet sheet;
    int curves;
    int curve[MOST_CURVES];
    double low, high;  /* of all curves */
    int width, height; /* of the picture */
} plot;

typedef enum plot_anchor { PLOT_START, PLOT_MIDDLE, PLOT_END } plot_anchor;

/* A way to draw: points in pixels from the upper left corner, colours 0xrrggbb. */
typedef struct plot_pen {
    void *context;
    void (*line)(void *context, int count, const double *xy, unsigned colour, double width, bool dashed);
    void (*text)(void *context, double x, double y, plot_anchor anchor, bool upright, const char *text);
} plot_pen;

static inline const double *plot_column(const plot *p, int i)
{
    return p->sheet.number + (size_t)i * (size_t)p->sheet.rows;
}

/* The unit of a signal, from its first word. */
const char *plot_unit(const char *name);

/* What the legend says of curve c. */
const char *plot_label(const plot *p, int c);

/* Axes, curves and legend. */
void plot_draw(const plot *p, const plot_pen *pen);

/* Writers for tool_file_write; context is the plot. */
void plot_write_svg(void *context, FILE *out);
void plot_write_png(void *context, FILE *out);

#endif
