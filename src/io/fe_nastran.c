/* io/fe_nastran.c - NASTRAN bulk data: GRID, SET1 and DMIG cards, in fields of 8, of 16 (*) or free (with commas).
 *
 * DMIG, NAME, 0, IFO, TIN, ... heads a matrix (IFO 6: symmetric, one triangle; 1: square, both); DMIG, NAME, GJ, CJ, , G1, C1, A1
 * and lines of G, C, A after it are a column. Matrices whose names begin with K are the stiffness, with M the mass. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "io/fe_file.h"

enum { FIELD = 24 };

/* A card with the lines that continue it. field[0] is its name; fields past the end are empty. */
typedef struct card {
    soa_array fields; /* char[FIELD] */
    const soa_allocator *allocator;
    bool failed; /* no memory */
} card;

static const char *field(const card *c, int i)
{
    return i < c->fields.count ? soa_array_at(&c->fields, i) : "";
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t")] == '\0' || text[0] == '$';
}

static void put_field(card *c, const char *from, size_t length)
{
    char *to = soa_array_push(&c->fields, c->allocator);
    while (length > 0 && (*from == ' ' || *from == '\t')) {
        from++;
        length--;
    }
    while (length > 0 && (from[length - 1] == ' ' || from[length - 1] == '*')) {
        length--;
    }
    if (to) {
        snprintf(to, FIELD, "%.*s", (int)(length < FIELD - 1 ? length : FIELD - 1), from);
    }
    c->failed = c->failed || !to;
}

/* The fields of a line without the last one, which only says that the card goes on. first: the name is one of them. */
static void split_line(card *c, const char *line, bool first)
{
    const size_t length = strlen(line);
    if (strchr(line, ',')) {
        for (int i = 0; i < 9; i++) {
            const size_t n = strcspn(line, ",");
            if (first || i > 0) {
                put_field(c, line, n);
            }
            if (!line[n]) {
                line += n;
                continue;
            }
            line += n + 1;
        }
        return;
    }
    const bool wide = memchr(line, '*', length < 8 ? length : 8) != NULL;
    const size_t size = wide ? 16 : 8;
    if (first) {
        put_field(c, line, length < 8 ? length : 8);
    }
    for (size_t i = 0; i < (wide ? 4u : 8u); i++) {
        const size_t from = 8 + i * size;
        put_field(c, from < length ? line + from : "",
            from >= length         ? 0
            : length - from < size ? length - from
                                   : size);
    }
}

static bool continues(const char *line)
{
    return line[0] == '+' || line[0] == '*' || line[0] == ' ' || line[0] == ',' || line[0] == '\t';
}

/* The next card of interest; false: none is left. */
static bool next_card(soa_lines *lines, card *c)
{
    do {
        if (!soa_lines_next(lines)) {
            return false;
        }
    } while (is_blank(lines->line) || continues(lines->line));
    c->fields.count = 0;
    split_line(c, lines->line, true);
    while (lines->next && continues(lines->next) && !c->failed) {
        soa_lines_next(lines);
        if (!is_blank(lines->line)) {
            split_line(c, lines->line, false);
        }
    }
    return true;
}

/* A real, which may leave the E out: 1.5-3. An empty field is 0. */
static bool real(const char *text, double *value)
{
    char copy[FIELD + 2];
    size_t n = 0;
    *value = 0.0;
    if (!*text) {
        return true;
    }
    for (size_t i = 0; text[i]; i++) {
        const bool sign = text[i] == '-' || text[i] == '+';
        if (sign && n > 0 && !strchr("eEdD", copy[n - 1])) {
            copy[n++] = 'e';
        }
        copy[n++] = text[i];
    }
    copy[n] = '\0';
    return soa_word_number(copy, value);
}

/* ---- cards ----------------------------------------------------------------------------------------------------------- */

static void read_grid(const soa_lines *lines, const card *c)
{
    double x[3];
    if ((field(c, 2)[0] && strcmp(field(c, 2), "0") != 0) || (field(c, 6)[0] && strcmp(field(c, 6), "0") != 0)) {
        soa_lines_fail(lines, "GRID %s has axes of its own; give the model in the basic axes", field(c, 1));
    } else if (!real(field(c, 3), &x[0]) || !real(field(c, 4), &x[1]) || !real(field(c, 5), &x[2])) {
        soa_lines_fail(lines, "GRID %s: its coordinates are no numbers", field(c, 1));
    } else if (!soa_fe_add_node(lines->block, field(c, 1), x)) {
        soa_lines_fail(lines, "GRID %s is there twice", field(c, 1));
    }
}

static void read_set(const soa_lines *lines, const card *c)
{
    char set[FIELD + 8];
    snprintf(set, sizeof set, "SET%s", field(c, 1));
    for (int i = 2; i < c->fields.count; i++) {
        const int node = soa_names_find(&lines->block->index, field(c, i));
        if (node >= 0) {
            soa_fe_add_to_set(lines->block, set, node);
        } else if (field(c, i)[0]) {
            soa_lines_fail(lines, "SET1 %s: there is no GRID %s above", field(c, 1), field(c, i));
        }
    }
}

/* The dof of a grid and component 1 to 6; made when it is first named. -1: there is none. */
static int find_dof(soa_fe_block *block, soa_array *dofs, const char *grid, const char *component)
{
    const int node = soa_names_find(&block->index, grid);
    int c = 0;
    if (node < 0 || !soa_word_integer(component, &c) || c < 1 || c > 6) {
        return -1;
    }
    while (dofs->count < 6 * (node + 1)) {
        int *at = soa_array_push(dofs, &block->allocator);
        if (!soa_got(&block->outcome, at)) {
            return -1;
        }
        *at = -1;
    }
    int *at = soa_array_at(dofs, 6 * node + c - 1);
    if (*at < 0) {
        *at = block->node.count;
        soa_fe_add_dof(block, node, c <= 3 ? 2 + c : c - 4);
    }
    return *at;
}

static void read_column(const soa_lines *lines, const card *c, soa_array *dofs, soa_fe_entries *matrix)
{
    const int column = find_dof(lines->block, dofs, field(c, 2), field(c, 3));
    for (int i = 5; i < c->fields.count && soa_ok(&lines->block->outcome); i += 4) {
        double value;
        if (!field(c, i)[0]) {
            continue;
        }
        const int row = find_dof(lines->block, dofs, field(c, i), field(c, i + 1));
        if (row < 0 || column < 0 || !real(field(c, i + 2), &value)) {
            soa_lines_fail(lines, "DMIG %s: '%s %s %s' is not a GRID above, a component 1 to 6 and a number",
                field(c, 1), field(c, i), field(c, i + 1), field(c, i + 2));
            return;
        }
        soa_fe_add_entry(lines->block, matrix, row, column, value);
    }
}

static void read_dmig(const soa_lines *lines, const card *c, soa_array *dofs)
{
    const int kind = toupper((unsigned char)field(c, 1)[0]);
    soa_fe_block *block = lines->block;
    soa_fe_entries *matrix = kind == 'K' ? &block->stiffness : kind == 'M' ? &block->mass : NULL;
    if (!matrix) {
        return;
    }
    if (strcmp(field(c, 2), "0") != 0) {
        read_column(lines, c, dofs, matrix);
        return;
    }
    if (strcmp(field(c, 3), "6") != 0 && strcmp(field(c, 3), "1") != 0) {
        soa_lines_fail(
            lines, "DMIG %s has form %s; 6 (symmetric) and 1 (square) can be read", field(c, 1), field(c, 3));
    }
    *(kind == 'K' ? &block->data.stiffness.both : &block->data.mass.both) = field(c, 3)[0] == '1';
}

void soa_fe_read_nastran(soa_fe_block *block, const char *path)
{
    soa_lines lines = soa_lines_open(block, path);
    soa_array dofs = soa_array_of(sizeof(int));
    card c = { soa_array_of(FIELD), &block->allocator, false };
    while (next_card(&lines, &c)) {
        if (c.failed) {
            soa_halt_memory(&block->outcome);
        } else if (strcasecmp(field(&c, 0), "GRID") == 0) {
            read_grid(&lines, &c);
        } else if (strcasecmp(field(&c, 0), "SET1") == 0) {
            read_set(&lines, &c);
        } else if (strcasecmp(field(&c, 0), "DMIG") == 0) {
            read_dmig(&lines, &c, &dofs);
        }
    }
    soa_array_free(&c.fields, &block->allocator);
    soa_array_free(&dofs, &block->allocator);
    if (block->stiffness.row.count == 0 || block->mass.row.count == 0) {
        soa_halt(&block->outcome, SOA_E_FILE, path, 0,
            "DMIG matrices K... (stiffness) and M... (mass) are needed; %s is missing",
            block->stiffness.row.count == 0 ? "the first" : "the second");
    }
}
