/* sheet.c - recordings read back. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "module.h"
#include "record.h"
#include "soa/scenario.h"
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

static int read_csv(const char *path, sheet *s)
{
    soa_recording *table;
    soa_error error;
    if (soa_recording_load(path, NULL, &table, &error) != SOA_OK) {
        return tool_fail_error(&error);
    }
    const size_t rows = (size_t)soa_recording_rows(table);
    int status = sheet_make(s, soa_recording_columns(table), (int)rows);
    for (int i = 0; i < s->columns && status == TOOL_OK; i++) {
        s->name[i] = strdup(soa_recording_name(table, i));
        memcpy(s->number + (size_t)i * rows, soa_recording_column(table, i), rows * sizeof *s->number);
    }
    soa_recording_free(table);
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
