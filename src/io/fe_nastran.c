/* io/fe_nastran.c - NASTRAN bulk data: GRID, SET1 and DMIG cards, in fields of 8, of 16 (*) or free (with commas).
 *
 * DMIG, NAME, 0, IFO, TIN, ... heads a matrix (IFO 6: symmetric, one triangle; 1: square, both); DMIG, NAME, GJ, CJ, , G1, C1, A1
 * and lines of G, C, A after it are a column. Matrices whose names begin with K are the stiffness, with M the mass. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/error.h"
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
        if (sign && i > 0 && !strchr("eEdD", text[i - 1])) {
            copy[n++] = 'e';
        }
        copy[n++] = text[i];
    }
    copy[n] = '\0';
    return soa_word_number(copy, value);
}

/* ---- cards ----------------------------------------------------------------------------------------------------------- */

static soa_status read_grid(soa_fe_block *block, const soa_lines *lines, card *c)
{
    double x[3];
    if ((field(c, 2)[0] && strcmp(field(c, 2), "0") != 0) || (field(c, 6)[0] && strcmp(field(c, 6), "0") != 0)) {
        return soa_lines_fail(
            block, lines, "GRID %s has axes of its own; give the model in the basic axes", field(c, 1));
    }
    if (!real(field(c, 3), &x[0]) || !real(field(c, 4), &x[1]) || !real(field(c, 5), &x[2])) {
        return soa_lines_fail(block, lines, "GRID %s: its coordinates are no numbers", field(c, 1));
    }
    const soa_status status = soa_fe_add_node(block, field(c, 1), x);
    return status == SOA_E_NAME ? soa_lines_fail(block, lines, "GRID %s is there twice", field(c, 1)) : status;
}

static int find_node(const soa_fe_block *block, const char *name)
{
    return soa_names_find(&block->index, name);
}

static soa_status read_set(soa_fe_block *block, const soa_lines *lines, card *c)
{
    soa_status status = SOA_OK;
    char set[FIELD + 8];
    snprintf(set, sizeof set, "SET%s", field(c, 1));
    for (int i = 2; i < c->fields.count && status == SOA_OK; i++) {
        if (field(c, i)[0]) {
            const int node = find_node(block, field(c, i));
            status = node >= 0
                         ? soa_fe_add_to_set(block, set, node)
                         : soa_lines_fail(block, lines, "SET1 %s: there is no GRID %s above", field(c, 1), field(c, i));
        }
    }
    return status;
}

/* The dof of a grid and component 1 to 6; made when it is first named. -1: there is none. */
static soa_status find_dof(soa_fe_block *block, soa_array *dofs, const char *grid, const char *component, int *dof)
{
    const int node = find_node(block, grid);
    int c = 0;
    *dof = -1;
    if (node < 0 || !soa_word_integer(component, &c) || c < 1 || c > 6) {
        return SOA_OK;
    }
    while (dofs->count < 6 * (node + 1)) {
        int *at = soa_array_push(dofs, &block->allocator);
        if (!at) {
            return soa_fail_memory(block->error);
        }
        *at = -1;
    }
    int *at = soa_array_at(dofs, 6 * node + c - 1);
    if (*at < 0) {
        *at = block->node.count;
        const soa_status status = soa_fe_add_dof(block, node, c <= 3 ? 2 + c : c - 4);
        if (status != SOA_OK) {
            return status;
        }
    }
    *dof = *at;
    return SOA_OK;
}

static soa_status read_column(
    soa_fe_block *block, const soa_lines *lines, card *c, soa_array *dofs, soa_fe_entries *matrix)
{
    int row, column;
    soa_status status = find_dof(block, dofs, field(c, 2), field(c, 3), &column);
    for (int i = 5; i < c->fields.count && status == SOA_OK; i += 4) {
        double value;
        if (!field(c, i)[0]) {
            continue;
        }
        status = find_dof(block, dofs, field(c, i), field(c, i + 1), &row);
        if (status == SOA_OK && (row < 0 || column < 0 || !real(field(c, i + 2), &value))) {
            return soa_lines_fail(block, lines,
                "DMIG %s: '%s %s %s' is not a GRID above, a component 1 to 6 and a number", field(c, 1), field(c, i),
                field(c, i + 1), field(c, i + 2));
        }
        status = status == SOA_OK && value != 0.0 ? soa_fe_add_entry(block, matrix, row, column, value) : status;
    }
    return status;
}

static soa_status read_dmig(soa_fe_block *block, const soa_lines *lines, card *c, soa_array *dofs)
{
    const int kind = toupper((unsigned char)field(c, 1)[0]);
    soa_fe_entries *matrix = kind == 'K' ? &block->stiffness : kind == 'M' ? &block->mass : NULL;
    if (!matrix) {
        return SOA_OK;
    }
    if (strcmp(field(c, 2), "0") != 0) {
        return read_column(block, lines, c, dofs, matrix);
    }
    if (strcmp(field(c, 3), "6") != 0 && strcmp(field(c, 3), "1") != 0) {
        return soa_lines_fail(
            block, lines, "DMIG %s has form %s; 6 (symmetric) and 1 (square) can be read", field(c, 1), field(c, 3));
    }
    *(kind == 'K' ? &block->data.stiffness.both : &block->data.mass.both) = field(c, 3)[0] == '1';
    return SOA_OK;
}

soa_status soa_fe_read_nastran(soa_fe_block *block, const char *path)
{
    soa_lines lines;
    soa_array dofs = soa_array_of(sizeof(int));
    card c = { soa_array_of(FIELD), &block->allocator, false };
    soa_status status = soa_lines_open(block, path, &lines);
    while (status == SOA_OK && next_card(&lines, &c)) {
        if (c.failed) {
            status = soa_fail_memory(block->error);
        } else if (strcasecmp(field(&c, 0), "GRID") == 0) {
            status = read_grid(block, &lines, &c);
        } else if (strcasecmp(field(&c, 0), "SET1") == 0) {
            status = read_set(block, &lines, &c);
        } else if (strcasecmp(field(&c, 0), "DMIG") == 0) {
            status = read_dmig(block, &lines, &c, &dofs);
        }
    }
    soa_array_free(&c.fields, &block->allocator);
    soa_array_free(&dofs, &block->allocator);
    if (status == SOA_OK && (block->stiffness.row.count == 0 || block->mass.row.count == 0)) {
        return soa_fail_at(block->error, SOA_E_FILE, path, 0,
            "DMIG matrices K... (stiffness) and M... (mass) are needed; %s is missing",
            block->stiffness.row.count == 0 ? "the first" : "the second");
    }
    return status;
}
