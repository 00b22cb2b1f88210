/* io/fe_matrix_market.c - a pair of Matrix Market files, NAME.stiffness.mtx and NAME.mass.mtx, and NAME.nodes. */
#include <string.h>
#include <strings.h>

#include "io/fe_file.h"

typedef struct shape {
    int rows, columns, entries;
    bool array;     /* dense, column by column */
    bool symmetric; /* one triangle is given */
} shape;

/* "%%MatrixMarket matrix coordinate real symmetric", comments, then the sizes. */
static void read_head(soa_lines *lines, shape *s)
{
    char *word[5] = { NULL };
    if (!soa_lines_next(lines)) {
        soa_lines_fail(lines, "the file is empty");
        return;
    }
    char *at = lines->line;
    for (int i = 0; i < 5; i++) {
        word[i] = soa_word(&at);
    }
    if (!word[4] || strcasecmp(word[0], "%%MatrixMarket") != 0 || strcasecmp(word[1], "matrix") != 0 ||
        (strcasecmp(word[2], "coordinate") != 0 && strcasecmp(word[2], "array") != 0) ||
        (strcasecmp(word[3], "real") != 0 && strcasecmp(word[3], "integer") != 0) ||
        (strcasecmp(word[4], "symmetric") != 0 && strcasecmp(word[4], "general") != 0)) {
        soa_lines_fail(lines, "begin with '%%%%MatrixMarket matrix coordinate real symmetric' (or array, general)");
        return;
    }
    s->array = strcasecmp(word[2], "array") == 0;
    s->symmetric = strcasecmp(word[4], "symmetric") == 0;
    do {
        if (!soa_lines_next(lines)) {
            soa_lines_fail(lines, "the sizes are missing");
            return;
        }
        at = lines->line;
    } while (*at == '%' || at[strspn(at, " \t")] == '\0');
    if (!soa_word_integer(soa_word(&at), &s->rows) || !soa_word_integer(soa_word(&at), &s->columns) ||
        (!s->array && !soa_word_integer(soa_word(&at), &s->entries)) || s->rows < 1 || s->rows != s->columns) {
        soa_lines_fail(lines, "the sizes must be those of a square matrix: rows columns entries");
    }
}

static void read_entry(soa_lines *lines, const shape *s, int index, soa_fe_entries *matrix)
{
    char *at = lines->line;
    const int rows = s->rows > 0 ? s->rows : 1; /* the head was checked */
    int row = 1 + index % rows, column = 1 + index / rows;
    double value;
    if ((!s->array && (!soa_word_integer(soa_word(&at), &row) || !soa_word_integer(soa_word(&at), &column))) ||
        !soa_word_number(soa_word(&at), &value) || row < 1 || row > s->rows || column < 1 || column > s->columns) {
        soa_lines_fail(
            lines, "this is not %s of a matrix of %d rows", s->array ? "a number" : "'row column value'", s->rows);
        return;
    }
    soa_fe_add_entry(lines->block, matrix, row - 1, column - 1, value);
}

/* The index in the whole square. A symmetric array has its lower triangle alone, column by column. */
static int square_index(const shape *s, int index)
{
    for (int c = 0; s->symmetric && c < s->columns; c++) {
        if (index < s->rows - c) {
            return c * s->rows + c + index;
        }
        index -= s->rows - c;
    }
    return index;
}

static shape read_file(soa_fe_block *block, const char *path, soa_fe_entries *matrix)
{
    soa_lines lines = soa_lines_open(block, path);
    shape s = { 0 };
    int count = 0;
    if (soa_ok(&block->outcome)) {
        read_head(&lines, &s);
    }
    while (soa_lines_next(&lines)) {
        if (lines.line[strspn(lines.line, " \t")] && lines.line[0] != '%') {
            read_entry(&lines, &s, s.array ? square_index(&s, count) : 0, matrix);
            count++;
        }
    }
    const long long n = s.rows, expected = !s.array ? s.entries : s.symmetric ? n * (n + 1) / 2 : n * n;
    if (count != expected) {
        soa_lines_fail(&lines, "%lld entries are announced, %d are there", expected, count);
    }
    return s;
}

void soa_fe_read_matrix_market(soa_fe_block *block, const char *path)
{
    static const char ending[] = ".stiffness.mtx";
    const size_t length = strlen(path);
    if (length <= strlen(ending) || strcasecmp(path + length - strlen(ending), ending) != 0) {
        soa_halt(&block->outcome, SOA_E_FILE, path, 0,
            "name the pair NAME.stiffness.mtx and NAME.mass.mtx, with NAME.nodes beside, and give the first");
        return;
    }
    const size_t stem = length - strlen(ending);
    const char *mass = soa_fe_beside(block, path, stem, ".mass.mtx");
    const char *nodes = soa_fe_beside(block, path, stem, ".nodes");
    const shape K = read_file(block, path, &block->stiffness), M = read_file(block, mass, &block->mass);
    if (K.rows != M.rows) {
        soa_halt(&block->outcome, SOA_E_FILE, mass, 0, "the mass matrix has %d rows, the stiffness %d", M.rows, K.rows);
    }
    block->data.stiffness.both = !K.symmetric;
    block->data.mass.both = !M.symmetric;
    soa_fe_read_nodes(block, nodes, K.rows);
}
