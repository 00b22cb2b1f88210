/* plot_svg.c - a pen that writes SVG. */
#include "plot.h"

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

static void line(void *context, int count, const double *xy, unsigned colour, double width, bool dashed)
{
    FILE *out = context;
    fprintf(out, "<polyline fill=\"none\" stroke=\"#%06x\" stroke-width=\"%g\"%s points=\"", colour, width,
        dashed ? " stroke-dasharray=\"6 3\"" : "");
    for (int i = 0; i < count; i++) {
        fprintf(out, "%.1f,%.1f ", xy[2 * i], xy[2 * i + 1]);
    }
    fputs("\"/>\n", out);
}

static void text(void *context, double x, double y, plot_anchor anchor, bool upright, const char *words)
{
    static const char *const word[] = { "start", "middle", "end" };
    FILE *out = context;
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"12\" fill=\"#222\" text-anchor=\"%s\"", x, y, word[anchor]);
    if (upright) {
        fprintf(out, " transform=\"rotate(-90 %.1f %.1f)\"", x, y);
    }
    fputc('>', out);
    put_escaped(out, words);
    fputs("</text>\n", out);
}

void plot_write_svg(void *context, FILE *out)
{
    const plot *p = context;
    const plot_pen pen = { out, line, text };
    fprintf(out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
        "font-family=\"sans-serif\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
        p->width, p->height, p->width, p->height);
    plot_draw(p, &pen);
    fputs("</svg>\n", out);
}
