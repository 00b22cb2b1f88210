/* io/fe_op4.c - NASTRAN OUTPUT4 in text: matrices whose names begin with K (stiffness) and M (mass), and NAME.nodes.
 *
 * A matrix begins with columns, rows, form, type, name and the format of its numbers; each column with its number, its first
 * row (0: the sparse form, which is refused) and how many numbers there are; a last column, one more than there are, ends it. */
#include <stdlib.h>
#include <string.h>

#include "io/fe_file.h"

typedef struct matrix {
    char name[9];
    int columns, rows;
    int width; /* characters of a number */
    int each;  /* numbers of a line */
    soa_fe_entries *to;
} matrix;

/* Fields of eight characters. */
static bool field(const char *line, int index, int *value)
{
    char text[9] = "";
    const size_t length = strlen(line), from = 8 * (size_t)index;
    if (from >= length) {
        return false;
    }
    strncat(text, line + from, 8);
    char *at = text, *word = soa_word(&at);
    return soa_word_integer(word, value) && !soa_word(&at);
}

/* "1P,3E23.16": three numbers of 23 characters in a line. Default 5E16.9. */
static void number_format(const char *line, matrix *m)
{
    const char *format = strlen(line) > 40 ? line + 40 : "";
    const char *e = strchr(format, 'E');
    m->each = 5;
    m->width = 16;
    if (e) {
        const char *start = e;
        while (start > format && start[-1] >= '0' && start[-1] <= '9') {
            start--;
        }
        const long each = strtol(start, NULL, 10), width = strtol(e + 1, NULL, 10);
        m->each = each > 0 && each < 100 ? (int)each : 1;
        m->width = width > 0 && width < 100 ? (int)width : 16;
    }
}

static matrix read_head(soa_lines *lines)
{
    matrix m = { .columns = 0 };
    soa_fe_block *block = lines->block;
    int form, type = 0;
    if (!field(lines->line, 0, &m.columns) || !field(lines->line, 1, &m.rows) || !field(lines->line, 2, &form) ||
        !field(lines->line, 3, &type)) {
        soa_lines_fail(lines, "no matrix begins here: columns, rows, form, type, name are expected");
    }
    m.rows = abs(m.rows); /* negative: another kind of sparse form */
    if (type != 1 && type != 2) {
        soa_lines_fail(lines, "the matrix has type %d; real ones (1, 2) can be read", type);
    }
    if (strlen(lines->line) > 32) {
        strncat(m.name, lines->line + 32, 8);
        m.name[strcspn(m.name, " ")] = '\0';
    }
    number_format(lines->line, &m);
    m.to = m.name[0] == 'K' || m.name[0] == 'k'   ? &block->stiffness
           : m.name[0] == 'M' || m.name[0] == 'm' ? &block->mass
                                                  : NULL;
    if (m.to && (m.columns < 1 || m.columns != m.rows)) {
        soa_lines_fail(lines, "matrix %s is not square: %d rows, %d columns", m.name, m.rows, m.columns);
    }
    return m;
}

/* count numbers of a column from row on, over as many lines as they need. */
static void read_numbers(soa_lines *lines, const matrix *m, int column, int row, int count)
{
    char text[64];
    for (int i = 0; i < count && soa_ok(&lines->block->outcome); i++) {
        if (i % m->each == 0 && !soa_lines_next(lines)) {
            soa_lines_fail(lines, "matrix %s ends early", m->name);
            return;
        }
        const size_t from = (size_t)(i % m->each) * (size_t)m->width, length = strlen(lines->line);
        double value;
        text[0] = '\0';
        if (from < length && m->width < (int)sizeof text) {
            strncat(text, lines->line + from, (size_t)m->width);
        }
        char *at = text;
        if (!soa_word_number(soa_word(&at), &value) || row + i < 1 || row + i > m->rows) {
            soa_lines_fail(lines, "matrix %s, column %d: number %d is missing or not in a row", m->name, column, i + 1);
        } else if (m->to) {
            soa_fe_add_entry(lines->block, m->to, row + i - 1, column - 1, value);
        }
    }
}

static void read_columns(soa_lines *lines, const matrix *m)
{
    while (soa_lines_next(lines)) {
        int column, row, words;
        if (!field(lines->line, 0, &column) || !field(lines->line, 1, &row) || !field(lines->line, 2, &words)) {
            soa_lines_fail(lines, "matrix %s: a column is expected: number, first row, words", m->name);
        } else if (column > m->columns) { /* the end, with a number that says nothing */
            soa_lines_next(lines);
            return;
        } else if (column < 1) {
            soa_lines_fail(lines, "matrix %s has a column %d", m->name, column);
        } else if (row == 0) {
            soa_lines_fail(lines,
                "matrix %s is in the sparse form of OUTPUT4; write it dense (OUTPUT4 with a positive unit)", m->name);
        } else {
            read_numbers(lines, m, column, row, words);
        }
    }
    soa_lines_fail(lines, "matrix %s has no end", m->name);
}

void soa_fe_read_op4(soa_fe_block *block, const char *path)
{
    const char *nodes = soa_fe_beside(block, path, strlen(path) - strlen(".op4"), ".nodes");
    soa_lines lines = soa_lines_open(block, path);
    int rows[2] = { 0, 0 };
    while (soa_lines_next(&lines)) {
        if (!lines.line[strspn(lines.line, " \t")]) {
            continue;
        }
        const matrix m = read_head(&lines);
        if (m.to) {
            rows[m.to == &block->mass] = m.rows;
        }
        read_columns(&lines, &m);
    }
    if (rows[0] == 0 || rows[0] != rows[1]) {
        soa_halt(&block->outcome, SOA_E_FILE, path, 0,
            "a stiffness matrix K... and a mass matrix M... of the same size are needed; they have %d and %d rows",
            rows[0], rows[1]);
    }
    block->data.stiffness.both = block->data.mass.both = true;
    soa_fe_read_nodes(block, nodes, rows[0]);
}
