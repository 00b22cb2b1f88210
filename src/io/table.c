/* io/table.c - tables of numbers in CSV files: those that scenarios name, and recordings. */
#include "io/table.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/number.h"
#include "io/reader.h"

/* Where a reader is in a text. */
typedef struct cursor {
    char *next; /* NULL: at the end */
    int line;
} cursor;

/* The next line that is neither blank nor a comment, ended in place; NULL: none. */
static char *next_line(cursor *c)
{
    while (c->next && *c->next) {
        char *begin = c->next, *end = strchr(begin, '\n');
        c->next = end ? end + 1 : NULL;
        c->line++;
        if (end) {
            *end = '\0';
        }
        if (begin[strspn(begin, " \t\r")] != '\0' && begin[0] != '#') {
            return begin;
        }
    }
    return NULL;
}

/* The cell at *at, ended in place and without the blanks and quotes around it; *at moves behind it, NULL: it was the last. */
static char *next_cell(char **at)
{
    char *cell = *at + strspn(*at, " \t");
    const bool quoted = *cell == '"';
    cell += quoted;
    char *end = quoted ? strchr(cell, '"') : NULL;
    end = end ? end : cell + strcspn(cell, ",");
    char *comma = strchr(end, ',');
    *at = comma ? comma + 1 : NULL;
    while (!quoted && end > cell && strchr(" \t\r", end[-1])) {
        end--;
    }
    *end = '\0';
    return cell;
}

static int count_cells(char *line)
{
    int count = 0;
    bool quoted = false;
    for (const char *c = line; *c; c++) {
        quoted = quoted != (*c == '"');
        count += *c == ',' && !quoted;
    }
    return count + 1;
}

static bool is_number(const char *cell, double *x)
{
    const char *end = soa_number_read(cell, x);
    return end && *end == '\0';
}

/* The first line, which may hold names: then it is used up. */
static soa_status read_names(soa_arena *arena, char **line, soa_table *table, soa_error *error)
{
    double x;
    char first[SOA_NUMBER_SIZE], *at = first;
    table->columns = count_cells(*line);
    strncpy(first, *line, sizeof first - 1);
    first[sizeof first - 1] = '\0';
    if (is_number(next_cell(&at), &x)) {
        return SOA_OK;
    }
    const char **name = soa_arena_take(arena, (size_t)table->columns + 1, sizeof *name);
    at = *line;
    for (int i = 0; name && i < table->columns && at; i++) {
        name[i] = next_cell(&at);
    }
    table->name = name;
    *line = NULL;
    return name ? SOA_OK : soa_fail_memory(error);
}

static soa_status read_row(char *line, int number, const char *path, bool recording, soa_table *table, soa_error *error)
{
    const int count = count_cells(line);
    if (count != table->columns) {
        return soa_fail_at(
            error, SOA_E_SYNTAX, path, number, "this row has %d cells, the first line %d", count, table->columns);
    }
    char *at = line;
    for (int i = 0; i < count && at; i++) {
        double *x = &table->number[(size_t)i * (size_t)table->stride + (size_t)table->rows];
        const char *cell = next_cell(&at);
        if (recording && *cell == '\0') {
            *x = NAN; /* a run of a sweep that failed */
        } else if (!is_number(cell, x)) {
            return soa_fail_at(error, SOA_E_NUMBER, path, number, "cell %d is not a finite number", i + 1);
        }
    }
    table->line[table->rows++] = number;
    return SOA_OK;
}

soa_status soa_table_read(soa_arena *arena, const char *path, bool recording, soa_table *table, soa_error *error)
{
    char *text;
    size_t length;
    *table = (soa_table){ 0 };
    soa_status status = soa_file_read(arena, path, &text, &length, error);
    if (status != SOA_OK) {
        return status;
    }
    while (recording && length > 0 && text[length - 1] != '\n') {
        text[--length] = '\0'; /* a row that a killed run has left half written */
    }
    table->stride = 1;
    for (const char *c = text; *c; c++) {
        table->stride += *c == '\n';
    }
    cursor c = { .next = text };
    char *line = next_line(&c);
    if (!line) {
        return soa_fail_at(error, SOA_E_SYNTAX, path, 0, "the table is empty");
    }
    status = read_names(arena, &line, table, error);
    table->number = soa_arena_take(arena, (size_t)table->stride * (size_t)table->columns, sizeof *table->number);
    table->line = soa_arena_take(arena, (size_t)table->stride, sizeof *table->line);
    if (status == SOA_OK && (!table->number || !table->line)) {
        status = soa_fail_memory(error);
    }
    for (line = line ? line : next_line(&c); line && status == SOA_OK; line = next_line(&c)) {
        status = read_row(line, c.line, path, recording, table, error);
    }
    return status;
}

/* ---- recordings -------------------------------------------------------------------------------- */

struct soa_recording {
    soa_allocator allocator;
    soa_arena arena;
    soa_table table;
};

soa_status soa_recording_load(
    const char *path, const soa_allocator *allocator, soa_recording **recording, soa_error *error)
{
    soa_error_clear(error);
    if (!path || !recording) {
        return soa_fail_null(error, "the path or the recording");
    }
    const soa_allocator memory = allocator ? *allocator : soa_allocator_default();
    soa_recording *r = soa_allocate(&memory, 1, sizeof *r);
    *recording = NULL;
    if (!r) {
        return soa_fail_memory(error);
    }
    *r = (soa_recording){ .allocator = memory };
    r->arena = soa_arena_on(&r->allocator);
    soa_status status = soa_table_read(&r->arena, path, true, &r->table, error);
    if (status == SOA_OK && !r->table.name) {
        status = soa_fail_at(error, SOA_E_SYNTAX, path, 1, "this is not a recording: it needs a line of names");
    }
    if (status != SOA_OK) {
        soa_recording_free(r);
        return status;
    }
    *recording = r;
    return SOA_OK;
}

void soa_recording_free(soa_recording *recording)
{
    if (recording) {
        const soa_allocator allocator = recording->allocator;
        soa_arena_free(&recording->arena);
        soa_release(&allocator, recording);
    }
}

int soa_recording_rows(const soa_recording *recording)
{
    return recording->table.rows;
}

int soa_recording_columns(const soa_recording *recording)
{
    return recording->table.columns;
}

const char *soa_recording_name(const soa_recording *recording, int column)
{
    return column >= 0 && column < recording->table.columns ? recording->table.name[column] : "";
}

const double *soa_recording_column(const soa_recording *recording, int column)
{
    const soa_table *t = &recording->table;
    return column >= 0 && column < t->columns ? t->number + (size_t)column * (size_t)t->stride : NULL;
}
