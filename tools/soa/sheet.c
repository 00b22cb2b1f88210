/* sheet.c - recordings read back. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "module.h"
#include "record.h"
#include "tool.h"

int sheet_make(sheet *s, int columns, int rows)
{
    s->columns = columns;
    s->rows = rows;
    s->name = calloc((size_t)columns + 1, sizeof *s->name);
    s->number = calloc((size_t)columns * (size_t)rows + 1, sizeof *s->number);
    return s->name != NULL && s->number != NULL ? TOOL_OK : tool_fail_memory();
}

void sheet_free(sheet *s)
{
    for (int i = 0; s->name != NULL && i < s->columns; i++) {
        free(s->name[i]);
    }
    free(s->name);
    free(s->number);
    *s = (sheet){ 0 };
}

/* ---- CSV ---------------------------------------------------------------------------------------- */

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t length = 0, room = 0;
    while (file != NULL && !feof(file) && !ferror(file)) {
        if (length + 65536 > room) {
            room = 2 * room + 131072;
            char *larger = realloc(text, room);
            if (larger == NULL) {
                break;
            }
            text = larger;
        }
        length += fread(text + length, 1, 65535, file);
    }
    if (file == NULL || !feof(file)) {
        tool_fail("%s: the file cannot be read: %s", path, strerror(file == NULL ? errno : EIO));
        free(text);
        text = NULL;
    } else if (text != NULL) {
        text[length] = '\0';
    }
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

/* The cell at *at, ended in place; *at moves behind it. Quoted cells lose their quotes. */
static char *next_cell(char **at, bool *last)
{
    char *cell = *at + (**at == '"'), *end = **at == '"' ? strchr(cell, '"') : cell + strcspn(cell, ",\r\n");
    if (end == NULL) {
        end = cell + strlen(cell);
    }
    char *after = end + (*end == '"');
    *last = *after != ',';
    *at = after + strcspn(after, *last ? "\n" : ",") + (*after != '\0');
    *end = '\0';
    return cell;
}

/* What follows the last line end is a row that a killed run has left half written: it does not count. */
static int read_csv(const char *path, sheet *s)
{
    char *text = read_text(path), *at = text;
    int columns = 1, lines = 0, status = TOOL_OK;
    if (text == NULL) {
        return TOOL_FAILED;
    }
    for (const char *c = text; *c != '\0'; c++) {
        columns += lines == 0 && *c == ',';
        lines += *c == '\n';
    }
    if (columns < 2 || lines < 1) {
        status = tool_fail("%s:1: this is not a recording: it needs a line of names", path);
    }
    status = status == TOOL_OK ? sheet_make(s, columns, lines - 1) : status;
    bool last = false;
    for (int i = 0; i < columns && status == TOOL_OK && !last; i++) {
        s->name[i] = strdup(next_cell(&at, &last));
    }
    for (int row = 0; status == TOOL_OK && row < s->rows; row++) {
        for (int i = 0; i < columns && status == TOOL_OK; i++) {
            char *end, *cell = next_cell(&at, &last);
            s->number[(size_t)i * (size_t)s->rows + (size_t)row] = strtod(cell, &end);
            if (*end != '\0' || last != (i + 1 == columns)) {
                status = tool_fail(
                    "%s:%d: cell %d is not a number, or the row does not have %d cells", path, row + 2, i + 1, columns);
            } else if (*cell == '\0') { /* a run of a sweep that failed */
                s->number[(size_t)i * (size_t)s->rows + (size_t)row] = NAN;
            }
        }
    }
    free(text);
    return status;
}

/* ---- any ------------------------------------------------------------------------------------------- */

static int read_hdf5(const char *path, sheet *s)
{
    char why[256] = "";
    const module_hdf5_table *table = module_hdf5();
    if (table == NULL) {
        return TOOL_FAILED;
    }
    return table->read(path, &s->columns, &s->name, &s->rows, &s->number, why, sizeof why)
               ? TOOL_OK
               : tool_fail("%s: this is not a recording of 'soa sim': %s", path, why);
}

static bool ends_in(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

static int read_file(const char *path, sheet *s)
{
    const int status = ends_in(path, ".npz")                            ? npz_read(path, s)
                       : ends_in(path, ".npy")                          ? npy_read(path, s)
                       : ends_in(path, ".h5") || ends_in(path, ".hdf5") ? read_hdf5(path, s)
                                                                        : read_csv(path, s);
    for (int i = 0; status == TOOL_OK && i < s->columns; i++) {
        if (s->name[i] == NULL) {
            return tool_fail_memory();
        }
    }
    return status;
}

int sheet_read(const char *path, sheet *s)
{
    static const char *const name[] = { "result.csv", "result.npz", "result.h5", "result.npy", "runs.csv" };
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) {
        return read_file(path, s);
    }
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        char *file = record_path(path, name[i]);
        if (file == NULL) {
            return tool_fail_memory();
        }
        const bool there = stat(file, &about) == 0;
        const int status = there ? read_file(file, s) : TOOL_OK;
        free(file);
        if (there) {
            return status;
        }
    }
    return tool_fail("%s: the folder holds no recording: result.csv, result.npz, result.h5 or result.npy", path);
}
