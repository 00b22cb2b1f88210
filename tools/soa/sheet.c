/* sheet.c - recordings read back. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "module.h"
#include "record.h"
#include "soa/scenario.h"
#include "tool.h"

void sheet_make(sheet *s, int columns, int rows)
{
    s->columns = columns;
    s->rows = rows;
    s->name = tool_take((size_t)columns, sizeof *s->name);
    s->number = tool_take((size_t)columns * (size_t)rows, sizeof *s->number);
}

/* ---- CSV ---------------------------------------------------------------------------------------- */

static void read_csv(const char *path, sheet *s)
{
    soa_recording *table;
    tool_must(soa_recording_load(path, &TOOL_MEMORY, &table, tool_error()));
    const size_t rows = (size_t)soa_recording_rows(table);
    sheet_make(s, soa_recording_columns(table), (int)rows);
    for (int i = 0; i < s->columns; i++) {
        s->name[i] = tool_copy(soa_recording_name(table, i));
        memcpy(s->number + (size_t)i * rows, soa_recording_column(table, i), rows * sizeof *s->number);
    }
}

/* ---- any ------------------------------------------------------------------------------------------- */

static void read_hdf5(const char *path, sheet *s)
{
    char why[256] = "", **name;
    double *number;
    int columns, rows;
    if (!module_hdf5()->read(path, &columns, &name, &rows, &number, why, sizeof why)) {
        tool_fail("%s: this is not a recording of 'soa sim': %s", path, why);
    }
    sheet_make(s, columns, rows);
    memcpy(s->number, number, (size_t)columns * (size_t)rows * sizeof *number);
    for (int i = 0; i < columns; i++) {
        s->name[i] = tool_copy(name[i]);
        free(name[i]);
    }
    free(name);
    free(number);
}

static bool ends_in(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

static void read_file(const char *path, sheet *s)
{
    if (ends_in(path, ".npz")) {
        npz_read(path, s);
    } else if (ends_in(path, ".npy")) {
        npy_read(path, s);
    } else if (ends_in(path, ".h5") || ends_in(path, ".hdf5")) {
        read_hdf5(path, s);
    } else {
        read_csv(path, s);
    }
}

void sheet_read(const char *path, sheet *s)
{
    static const char *const name[] = { "result.csv", "result.npz", "result.h5", "result.npy", "runs.csv" };
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) {
        read_file(path, s);
        return;
    }
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        const char *file = record_path(path, name[i]);
        if (stat(file, &about) == 0) {
            read_file(file, s);
            return;
        }
    }
    tool_fail("%s: the folder holds no recording: result.csv, result.npz, result.h5 or result.npy", path);
}
