/* tests/bits/rows.c - hashes, and the tables of them. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"

/* ---- hashes ----------------------------------------------------------------------------------- */

/* FNV-1a over the bytes of the number, lowest first. */
static hash hash_word(hash h, uint64_t word)
{
    for (int i = 0; i < 8; i++) {
        h = (h ^ (word >> (8 * i) & 0xff)) * 0x100000001b3ull;
    }
    return h;
}

hash hash_begin(soa_status status)
{
    return hash_word(0xcbf29ce484222325ull, (uint64_t)status);
}

hash hash_numbers(hash h, size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t word = 0x7ff8000000000000ull;
        if (!isnan(x[i])) {
            memcpy(&word, &x[i], sizeof word);
        }
        h = hash_word(h, word);
    }
    return h;
}

hash hash_rounded(hash h, size_t n, const double *x)
{
    double largest = 1e-3;
    int exponent;
    for (size_t i = 0; i < n; i++) {
        largest = isfinite(x[i]) ? fmax(largest, fabs(x[i])) : largest;
    }
    (void)frexp(largest, &exponent);
    for (size_t i = 0; i < n; i++) {
        const double whole = isfinite(x[i]) ? nearbyint(ldexp(x[i], 20 - exponent)) + 0.0 : x[i];
        h = hash_numbers(h, 1, &whole);
    }
    return h;
}

/* ---- rows ------------------------------------------------------------------------------------- */

enum { LINES = 400, NAME = 80 };

/* What the rows of one model or of one algorithm are together. */
typedef struct line {
    char name[NAME];
    hash h;
    bool met; /* in the file that it is compared with */
} line;

static struct {
    const char *area;
    bool shown;
    int rows, lines, differ;
    line line[LINES];
} table;

void rows_begin(const char *area, bool shown)
{
    table.area = area, table.shown = shown, table.rows = table.lines = table.differ = 0;
}

int rows_count(void)
{
    return table.rows;
}

static line *find(const char *name)
{
    int i = 0;
    while (i < table.lines && strcmp(table.line[i].name, name) != 0) {
        i++;
    }
    if (i == LINES) {
        bits_fail("too many models and algorithms");
    }
    if (i == table.lines) {
        table.line[i].h = hash_begin(SOA_OK), table.line[i].met = false;
        (void)snprintf(table.line[i].name, NAME, "%s", name);
        table.lines++;
    }
    return &table.line[i];
}

/* Adds a row to the line of its model or algorithm. What stands in brackets is a variant of the algorithm. */
static void note(const char *kind, const char *name, hash h)
{
    char text[NAME] = "";
    (void)snprintf(text, sizeof text, "%s%s", kind, name);
    char *variant = *kind ? NULL : strstr(text, " [");
    if (variant) {
        *variant = 0;
    }
    line *x = find(text);
    x->h = hash_word(x->h, h);
}

void print_row(const char *model, const char *algorithm, const bool *done, const hash *h, soa_status status)
{
    const bool result = status == SOA_OK || status == SOA_E_SINGULAR || status == SOA_E_CLOSURE;
    const hash first = hash_word(h[0], (uint64_t)status);
    table.rows++;
    note("model ", model, first);
    note("", algorithm, first);
    if (table.shown && result) {
        (void)printf("%-11s %-14s %-44s %016llx\n", table.area, model, algorithm, first);
    } else if (table.shown) {
        (void)printf("%-11s %-14s %-44s %s\n", table.area, model, algorithm, soa_status_text(status));
    }
    for (int i = 1; i < WAYS; i++) {
        if (done[i] && h[i] != h[0]) {
            (void)printf("%-11s %-14s %-44s DIFFERS: %s\n", table.area, model, algorithm, WAY[i].name);
            table.differ++;
        }
    }
}

void print_single(const char *model, const char *algorithm, soa_status status, hash h)
{
    const bool done[WAYS] = { true };
    const hash hashes[WAYS] = { h };
    print_row(model, algorithm, done, hashes, status);
}

/* ---- tables ------------------------------------------------------------------------------------- */

void rows_write(void *file)
{
    for (int i = 0; i < table.lines; i++) {
        (void)fprintf(file, "%-11s %016llx %s\n", table.area, table.line[i].h, table.line[i].name);
    }
}

/* One line of the file. */
static void compare_line(const char *text)
{
    char area[32], name[NAME];
    hash h;
    if (sscanf(text, "%31s %llx %79[^\n]", area, &h, name) != 3 || strcmp(area, table.area) != 0) {
        return;
    }
    const int lines = table.lines;
    line *x = find(name);
    x->met = true;
    if (table.lines > lines) {
        (void)printf("%-11s %s: has no rows any more\n", area, name);
        table.differ++;
    } else if (x->h != h) {
        (void)printf("%-11s %s: other numbers\n", area, name);
        table.differ++;
    }
}

int rows_compare(void *file)
{
    char text[200];
    rewind(file);
    while (fgets(text, sizeof text, file)) {
        compare_line(text);
    }
    for (int i = 0; i < table.lines; i++) {
        if (!table.line[i].met) {
            (void)printf("%-11s %s: is not in the table\n", table.area, table.line[i].name);
            table.differ++;
        }
    }
    return table.differ;
}
