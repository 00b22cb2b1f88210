/* plot_png.c - a pen that paints pixels, and PNG files.
 *
 * The picture has two pixels for each unit of the drawing. Letters are five columns of bits; the lowest bit is on top. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "plot.h"

static const unsigned char LETTER[95][5] = {
    { 0x00, 0x00, 0x00, 0x00, 0x00 },
    { 0x00, 0x00, 0x5f, 0x00, 0x00 },
    { 0x00, 0x07, 0x00, 0x07, 0x00 },
    { 0x14, 0x7f, 0x14, 0x7f, 0x14 },
    { 0x24, 0x2a, 0x7f, 0x2a, 0x12 },
    { 0x23, 0x13, 0x08, 0x64, 0x62 },
    { 0x36, 0x49, 0x56, 0x20, 0x50 },
    { 0x00, 0x08, 0x07, 0x03, 0x00 },
    { 0x00, 0x1c, 0x22, 0x41, 0x00 },
    { 0x00, 0x41, 0x22, 0x1c, 0x00 },
    { 0x2a, 0x1c, 0x7f, 0x1c, 0x2a },
    { 0x08, 0x08, 0x3e, 0x08, 0x08 },
    { 0x00, 0x80, 0x70, 0x30, 0x00 },
    { 0x08, 0x08, 0x08, 0x08, 0x08 },
    { 0x00, 0x00, 0x60, 0x60, 0x00 },
    { 0x20, 0x10, 0x08, 0x04, 0x02 },
    { 0x3e, 0x51, 0x49, 0x45, 0x3e },
    { 0x00, 0x42, 0x7f, 0x40, 0x00 },
    { 0x72, 0x49, 0x49, 0x49, 0x46 },
    { 0x21, 0x41, 0x49, 0x4d, 0x33 },
    { 0x18, 0x14, 0x12, 0x7f, 0x10 },
    { 0x27, 0x45, 0x45, 0x45, 0x39 },
    { 0x3c, 0x4a, 0x49, 0x49, 0x31 },
    { 0x41, 0x21, 0x11, 0x09, 0x07 },
    { 0x36, 0x49, 0x49, 0x49, 0x36 },
    { 0x46, 0x49, 0x49, 0x29, 0x1e },
    { 0x00, 0x00, 0x14, 0x00, 0x00 },
    { 0x00, 0x40, 0x34, 0x00, 0x00 },
    { 0x00, 0x08, 0x14, 0x22, 0x41 },
    { 0x14, 0x14, 0x14, 0x14, 0x14 },
    { 0x00, 0x41, 0x22, 0x14, 0x08 },
    { 0x02, 0x01, 0x59, 0x09, 0x06 },
    { 0x3e, 0x41, 0x5d, 0x59, 0x4e },
    { 0x7c, 0x12, 0x11, 0x12, 0x7c },
    { 0x7f, 0x49, 0x49, 0x49, 0x36 },
    { 0x3e, 0x41, 0x41, 0x41, 0x22 },
    { 0x7f, 0x41, 0x41, 0x41, 0x3e },
    { 0x7f, 0x49, 0x49, 0x49, 0x41 },
    { 0x7f, 0x09, 0x09, 0x09, 0x01 },
    { 0x3e, 0x41, 0x41, 0x51, 0x73 },
    { 0x7f, 0x08, 0x08, 0x08, 0x7f },
    { 0x00, 0x41, 0x7f, 0x41, 0x00 },
    { 0x20, 0x40, 0x41, 0x3f, 0x01 },
    { 0x7f, 0x08, 0x14, 0x22, 0x41 },
    { 0x7f, 0x40, 0x40, 0x40, 0x40 },
    { 0x7f, 0x02, 0x1c, 0x02, 0x7f },
    { 0x7f, 0x04, 0x08, 0x10, 0x7f },
    { 0x3e, 0x41, 0x41, 0x41, 0x3e },
    { 0x7f, 0x09, 0x09, 0x09, 0x06 },
    { 0x3e, 0x41, 0x51, 0x21, 0x5e },
    { 0x7f, 0x09, 0x19, 0x29, 0x46 },
    { 0x26, 0x49, 0x49, 0x49, 0x32 },
    { 0x03, 0x01, 0x7f, 0x01, 0x03 },
    { 0x3f, 0x40, 0x40, 0x40, 0x3f },
    { 0x1f, 0x20, 0x40, 0x20, 0x1f },
    { 0x3f, 0x40, 0x38, 0x40, 0x3f },
    { 0x63, 0x14, 0x08, 0x14, 0x63 },
    { 0x03, 0x04, 0x78, 0x04, 0x03 },
    { 0x61, 0x59, 0x49, 0x4d, 0x43 },
    { 0x00, 0x7f, 0x41, 0x41, 0x41 },
    { 0x02, 0x04, 0x08, 0x10, 0x20 },
    { 0x00, 0x41, 0x41, 0x41, 0x7f },
    { 0x04, 0x02, 0x01, 0x02, 0x04 },
    { 0x40, 0x40, 0x40, 0x40, 0x40 },
    { 0x00, 0x03, 0x07, 0x08, 0x00 },
    { 0x20, 0x54, 0x54, 0x78, 0x40 },
    { 0x7f, 0x28, 0x44, 0x44, 0x38 },
    { 0x38, 0x44, 0x44, 0x44, 0x28 },
    { 0x38, 0x44, 0x44, 0x28, 0x7f },
    { 0x38, 0x54, 0x54, 0x54, 0x18 },
    { 0x00, 0x08, 0x7e, 0x09, 0x02 },
    { 0x18, 0xa4, 0xa4, 0x9c, 0x78 },
    { 0x7f, 0x08, 0x04, 0x04, 0x78 },
    { 0x00, 0x44, 0x7d, 0x40, 0x00 },
    { 0x20, 0x40, 0x40, 0x3d, 0x00 },
    { 0x7f, 0x10, 0x28, 0x44, 0x00 },
    { 0x00, 0x41, 0x7f, 0x40, 0x00 },
    { 0x7c, 0x04, 0x78, 0x04, 0x78 },
    { 0x7c, 0x08, 0x04, 0x04, 0x78 },
    { 0x38, 0x44, 0x44, 0x44, 0x38 },
    { 0xfc, 0x18, 0x24, 0x24, 0x18 },
    { 0x18, 0x24, 0x24, 0x18, 0xfc },
    { 0x7c, 0x08, 0x04, 0x04, 0x08 },
    { 0x48, 0x54, 0x54, 0x54, 0x24 },
    { 0x04, 0x04, 0x3f, 0x44, 0x24 },
    { 0x3c, 0x40, 0x40, 0x20, 0x7c },
    { 0x1c, 0x20, 0x40, 0x20, 0x1c },
    { 0x3c, 0x40, 0x30, 0x40, 0x3c },
    { 0x44, 0x28, 0x10, 0x28, 0x44 },
    { 0x4c, 0x90, 0x90, 0x90, 0x7c },
    { 0x44, 0x64, 0x54, 0x4c, 0x44 },
    { 0x00, 0x08, 0x36, 0x41, 0x00 },
    { 0x00, 0x00, 0x77, 0x00, 0x00 },
    { 0x00, 0x41, 0x36, 0x08, 0x00 },
    { 0x02, 0x01, 0x02, 0x04, 0x02 },
};

enum { SCALE = 2 };

typedef struct canvas {
    int width, height;
    unsigned char *pixel; /* red, green, blue, row by row */
} canvas;

/* ---- painting ----------------------------------------------------------------------------------- */

/* Covers part of a pixel with a colour. */
static void blend(const canvas *c, int x, int y, unsigned colour, double part)
{
    if (x < 0 || y < 0 || x >= c->width || y >= c->height || !(part > 0.0)) {
        return;
    }
    unsigned char *p = c->pixel + 3 * ((size_t)y * (size_t)c->width + (size_t)x);
    const double a = fmin(part, 1.0);
    for (int i = 0; i < 3; i++) {
        const double ink = (double)(colour >> (16 - 8 * i) & 0xffu);
        p[i] = (unsigned char)lround((1.0 - a) * p[i] + a * ink);
    }
}

/* A straight piece from a to b; pixels are covered by how near to it they are. */
static void stroke(const canvas *c, const double *a, const double *b, unsigned colour, double width)
{
    const double dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy, half = 0.5 * width;
    const int x0 = (int)floor(fmin(a[0], b[0]) - half - 1), x1 = (int)ceil(fmax(a[0], b[0]) + half + 1);
    const int y0 = (int)floor(fmin(a[1], b[1]) - half - 1), y1 = (int)ceil(fmax(a[1], b[1]) + half + 1);
    for (int y = y0; y <= y1; y++) {
        for (int x = x0; x <= x1; x++) {
            const double px = x + 0.5 - a[0], py = y + 0.5 - a[1];
            const double s = square > 0.0 ? fmin(fmax((px * dx + py * dy) / square, 0.0), 1.0) : 0.0;
            blend(c, x, y, colour, half + 0.5 - hypot(px - s * dx, py - s * dy));
        }
    }
}

static void line(void *context, int count, const double *xy, unsigned colour, double width, bool dashed)
{
    double way = 0.0;
    for (int i = 0; i + 1 < count; i++) {
        const double a[2] = { SCALE * xy[2 * i], SCALE * xy[2 * i + 1] };
        const double b[2] = { SCALE * xy[2 * i + 2], SCALE * xy[2 * i + 3] };
        const double length = hypot(b[0] - a[0], b[1] - a[1]);
        const int pieces = dashed ? 1 + (int)(length / 6.0) : 1;
        for (int k = 0; k < pieces; k++) {
            const double from = (double)k / pieces, to = (k + 1.0) / pieces;
            const double p[2] = { a[0] + from * (b[0] - a[0]), a[1] + from * (b[1] - a[1]) };
            const double q[2] = { a[0] + to * (b[0] - a[0]), a[1] + to * (b[1] - a[1]) };
            if (!dashed || fmod(way, 18.0) < 12.0) {
                stroke(context, p, q, colour, SCALE * width);
            }
            way += length / pieces;
        }
    }
}

/* A letter has 6 x 8 dots; x, y: the upper left of the word, along its own direction. */
static void put_letter(const canvas *c, int letter, int x, int y, bool upright)
{
    for (int column = 0; column < 5; column++) {
        for (int row = 0; row < 8; row++) {
            if ((LETTER[letter][column] >> row & 1) == 0) {
                continue;
            }
            for (int k = 0; k < SCALE * SCALE; k++) {
                const int along = SCALE * column + k % SCALE, down = SCALE * row + k / SCALE;
                blend(c, upright ? x + down : x + along, upright ? y - along : y + down, 0x222222, 1.0);
            }
        }
    }
}

static void text(void *context, double x, double y, plot_anchor anchor, bool upright, const char *words)
{
    const canvas *c = context;
    const int count = tool_width(words), length = 6 * SCALE * count;
    const int back = anchor == PLOT_START ? 0 : anchor == PLOT_MIDDLE ? length / 2 : length;
    int px = (int)(SCALE * x) - (upright ? 7 * SCALE : back), py = (int)(SCALE * y) + (upright ? back : -7 * SCALE);
    for (; *words != '\0'; words++) {
        const unsigned char byte = (unsigned char)*words;
        if ((byte & 0xc0u) == 0x80u) { /* goes on with the character before */
            continue;
        }
        put_letter(c, byte >= ' ' && byte < 127 ? byte - ' ' : byte == 0xc2u ? '2' - ' ' : '?' - ' ', px, py, upright);
        px += upright ? 0 : 6 * SCALE;
        py -= upright ? 6 * SCALE : 0;
    }
}

/* ---- the file: ISO/IEC 15948 ------------------------------------------- */

static void put_32(unsigned char *at, uint32_t x)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (unsigned char)(x >> (24 - 8 * i));
    }
}

static uint32_t checksum(const unsigned char *at, size_t size)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= at[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1u ? 0xedb88320u : 0u);
        }
    }
    return ~crc;
}

/* A chunk whose data stand at chunk + 8; there is room for the sum behind them. */
static void put_chunk(FILE *out, unsigned char *chunk, const char *type, size_t size)
{
    put_32(chunk, (uint32_t)size);
    memcpy(chunk + 4, type, 4);
    put_32(chunk + 8 + size, checksum(chunk + 4, size + 4));
    fwrite(chunk, 1, size + 12, out);
}

/* ---- deflate (RFC 1951) with the fixed codes, and of all matches runs of one byte alone ------------- */

typedef struct stream {
    unsigned char *at;
    uint32_t held; /* bits that do not yet fill a byte, and how many */
    int count;
} stream;

static void put_bits(stream *s, uint32_t bits, int count)
{
    s->held |= bits << s->count;
    for (s->count += count; s->count >= 8; s->count -= 8) {
        *s->at++ = (unsigned char)s->held;
        s->held >>= 8;
    }
}

/* A byte, or from 257 on a length; codes go with their highest bit first. */
static void put_symbol(stream *s, uint32_t symbol)
{
    const uint32_t code = symbol < 144   ? 0x30 + symbol
                          : symbol < 256 ? 0x190 + symbol - 144
                          : symbol < 280 ? symbol - 256
                                         : 0xc0 + symbol - 280;
    for (int bit = symbol < 144 || symbol >= 280 ? 7 : symbol < 256 ? 8 : 6; bit >= 0; bit--) {
        put_bits(s, code >> bit & 1u, 1);
    }
}

/* The byte before, so many times more: by lengths 258 and 3 to 10, which have no further bits, at distance 1. */
static void put_run(stream *s, unsigned char byte, size_t count)
{
    while (count > 0) {
        const size_t most = count >= 258 ? 258 : count > 10 ? 10 : count;
        if (most < 3) {
            put_symbol(s, byte);
            count--;
        } else {
            put_symbol(s, most == 258 ? 285 : (uint32_t)(254 + most));
            put_bits(s, 0, 5);
            count -= most;
        }
    }
}

/* The rows as a zlib stream, each as its difference from the one above, which mostly is zero; how many bytes. */
static size_t pack(const canvas *c, unsigned char *at)
{
    const size_t row = 3 * (size_t)c->width;
    uint32_t a = 1, b = 0;
    stream s = { .at = at };
    put_bits(&s, 0x0178, 16);
    put_bits(&s, 3, 3); /* the last block, with fixed codes */
    for (size_t y = 0; y < (size_t)c->height; y++) {
        const unsigned char *pixel = c->pixel + y * row;
        int last = -1;
        size_t run = 0;
        for (size_t i = 0; i <= row; i++) {
            const unsigned char up = i > 0 && y > 0 ? pixel[i - 1 - row] : 0;
            const unsigned char byte = i == 0 ? 2 : (unsigned char)(pixel[i - 1] - up);
            a = (a + byte) % 65521u;
            b = (b + a) % 65521u;
            if (byte == last) {
                run++;
                continue;
            }
            put_run(&s, (unsigned char)last, run);
            put_symbol(&s, byte);
            last = byte;
            run = 0;
        }
        put_run(&s, (unsigned char)last, run);
    }
    put_symbol(&s, 256);
    put_bits(&s, 0, 7); /* fills the last byte */
    put_32(s.at, b << 16 | a);
    return (size_t)(s.at + 4 - at);
}

static void put_png(const canvas *c, unsigned char *room, FILE *out)
{
    static const unsigned char mark[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
    unsigned char head[8 + 13 + 4] = { 0 }, end[12] = { 0 };
    fwrite(mark, 1, sizeof mark, out);
    put_32(head + 8, (uint32_t)c->width);
    put_32(head + 12, (uint32_t)c->height);
    head[16] = 8; /* bits of a colour */
    head[17] = 2; /* red, green, blue */
    put_chunk(out, head, "IHDR", 13);
    put_chunk(out, room, "IDAT", pack(c, room + 8));
    put_chunk(out, end, "IEND", 0);
}

void plot_write_png(void *context, FILE *out)
{
    const plot *p = context;
    canvas c = { SCALE * p->width, SCALE * p->height, NULL };
    const size_t pixels = 3 * (size_t)c.width * (size_t)c.height;
    c.pixel = tool_take(pixels, 1);
    unsigned char *room =
        tool_take(pixels + pixels / 8 + 2 * (size_t)c.height + 64, 1); /* a code has up to nine bits */
    const plot_pen pen = { &c, line, text };
    memset(c.pixel, 0xff, pixels);
    plot_draw(p, &pen);
    put_png(&c, room, out);
}
