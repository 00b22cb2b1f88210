/* record.c - rows of numbers on their way to files. */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "module.h"
#include "tool.h"

static const struct {
    const char *word;
    unsigned bit;
} FORMAT[] = { { "csv", RECORD_CSV }, { "npz", RECORD_NPZ }, { "hdf5", RECORD_HDF5 } };

int record_formats(const char *text, unsigned *formats)
{
    const char *all = text;
    *formats = 0;
    for (bool more = true; more;) {
        const size_t length = strcspn(text, ",");
        unsigned bit = 0;
        for (size_t i = 0; i < sizeof FORMAT / sizeof FORMAT[0]; i++) {
            bit |= strlen(FORMAT[i].word) == length && strncmp(FORMAT[i].word, text, length) == 0 ? FORMAT[i].bit : 0;
        }
        if (bit == 0) {
            return tool_wrong_usage(NULL, "--format '%s': take csv, npz, hdf5, or several with commas", all);
        }
        *formats |= bit;
        more = text[length] == ',';
        text += length + more;
    }
    return (*formats & RECORD_HDF5) != 0 && module_hdf5() == NULL ? TOOL_FAILED : TOOL_OK;
}

char *record_path(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL) {
        snprintf(path, size, "%s/%s", folder, name);
    }
    return path;
}

/* ---- streams ------------------------------------------------------------------------------------ */

static int open_stream(record_stream *s, const char *folder, const char *name, bool resumed)
{
    s->path = record_path(folder, name);
    s->room = 1 << 16;
    s->text = malloc(s->room);
    if (s->path == NULL || s->text == NULL) {
        return tool_fail_memory();
    }
    s->file = open(s->path, O_RDWR | O_CLOEXEC | (resumed ? 0 : O_CREAT | O_TRUNC), 0666);
    return s->file >= 0 ? TOOL_OK : tool_fail("%s: the file cannot be written: %s", s->path, strerror(errno));
}

/* The file ends after its first `bytes`; there must be as many. */
static int cut_stream(record_stream *s, off_t bytes)
{
    struct stat about;
    if (fstat(s->file, &about) != 0 || about.st_size < bytes) {
        return tool_fail("%s: it holds less than when its checkpoint was written; run without --resume", s->path);
    }
    s->whole = bytes;
    return ftruncate(s->file, bytes) == 0 && lseek(s->file, 0, SEEK_END) == bytes
               ? TOOL_OK
               : tool_fail("%s: the file cannot be written: %s", s->path, strerror(errno));
}

/* Everything that waits goes to the file; after a failure the file ends with its last whole row. */
static int flush_stream(record_stream *s)
{
    size_t done = 0;
    while (s->file >= 0 && done < s->length) {
        const ssize_t n = write(s->file, s->text + done, s->length - done);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            const int why = errno;
            const bool cut = ftruncate(s->file, s->whole) == 0;
            s->length = 0;
            return s->quiet ? TOOL_FAILED
                            : tool_fail("%s: the file cannot be written: %s; it holds what was recorded before%s",
                                  s->path, strerror(why), cut ? "" : ", and part of a row");
        }
        done += (size_t)n;
    }
    s->whole += (off_t)done;
    s->length = 0;
    return TOOL_OK;
}

/* Room for one row of that many bytes. */
static int reserve(record_stream *s, size_t bytes)
{
    if (s->length + bytes <= s->room) {
        return TOOL_OK;
    }
    const int status = flush_stream(s);
    if (status == TOOL_OK && bytes > s->room) {
        char *text = realloc(s->text, bytes);
        if (text == NULL) {
            return tool_fail_memory();
        }
        s->text = text;
        s->room = bytes;
    }
    return status;
}

static void close_stream(record_stream *s)
{
    if (s->file >= 0) {
        close(s->file);
    }
    free(s->path);
    free(s->text);
    *s = (record_stream){ .file = -1 };
}

/* ---- CSV ------------------------------------------------------------------------------------------ */

/* A name in quotes where it needs them. */
static void put_name(record_stream *s, const char *name)
{
    const bool quoted = strpbrk(name, ",\"\n\r") != NULL;
    if (quoted) {
        s->text[s->length++] = '"';
    }
    for (; *name != '\0'; name++) {
        s->text[s->length++] = *name == '"' || (unsigned char)*name < ' ' ? '_' : *name;
    }
    if (quoted) {
        s->text[s->length++] = '"';
    }
}

static int put_names(recording *r)
{
    size_t bytes = 0;
    for (int i = 0; i < r->columns; i++) {
        bytes += strlen(r->name[i]) + 3;
    }
    const int status = reserve(&r->csv, bytes);
    for (int i = 0; status == TOOL_OK && i < r->columns; i++) {
        put_name(&r->csv, r->name[i]);
        r->csv.text[r->csv.length++] = i + 1 < r->columns ? ',' : '\n';
    }
    return status;
}

static int put_numbers(recording *r, const double *value)
{
    enum { NUMBER = 26 };
    record_stream *s = &r->csv;
    const int status = reserve(s, (size_t)r->columns * NUMBER + 1);
    for (int i = 0; status == TOOL_OK && i < r->columns; i++) {
        s->length += (size_t)snprintf(s->text + s->length, NUMBER, "%.17g", value[i]);
        s->text[s->length++] = i + 1 < r->columns ? ',' : '\n';
    }
    return status;
}

/* ---- the binary file -------------------------------------------------------------------------------- */

/* The heading says how many rows are in the file. Its length does not depend on that. */
static int put_heading(recording *r)
{
    size_t length = 0;
    const long rows = (long)((r->binary.whole - r->heading) / (off_t)((size_t)r->columns * sizeof(double)));
    char *text = npy_heading(r->columns, r->name, r->binary.whole == 0 ? 0 : rows, &length);
    const bool good = text != NULL && pwrite(r->binary.file, text, length, 0) == (ssize_t)length;
    r->heading = (off_t)length;
    free(text);
    return good           ? TOOL_OK
           : text == NULL ? tool_fail_memory()
                          : tool_fail("%s: the file cannot be written: %s", r->binary.path, strerror(errno));
}

static int open_binary(recording *r, bool resumed)
{
    int status = open_stream(&r->binary, r->folder, "result.npy", resumed);
    if (status == TOOL_OK && !resumed) {
        status = put_heading(r);
        return status == TOOL_OK ? cut_stream(&r->binary, r->heading) : status;
    }
    size_t length = 0;
    free(npy_heading(r->columns, r->name, 0, &length));
    r->heading = (off_t)length;
    return status == TOOL_OK
               ? cut_stream(&r->binary, r->heading + (off_t)((size_t)r->rows * (size_t)r->columns * sizeof(double)))
               : status;
}

/* ---- all of it -------------------------------------------------------------------------------------- */

int record_open(recording *r, bool resumed, off_t csv_bytes)
{
    r->csv.file = r->binary.file = -1;
    if (r->folder == NULL) {
        return TOOL_OK;
    }
    if (mkdir(r->folder, 0777) != 0 && errno != EEXIST) {
        return tool_fail("%s: the folder cannot be made: %s", r->folder, strerror(errno));
    }
    int status = TOOL_OK;
    if ((r->formats & RECORD_CSV) != 0) {
        status = open_stream(&r->csv, r->folder, "result.csv", resumed);
        if (status == TOOL_OK) {
            status = resumed ? cut_stream(&r->csv, csv_bytes) : put_names(r);
        }
    }
    if (status == TOOL_OK && (r->formats & (RECORD_NPZ | RECORD_HDF5)) != 0) {
        status = open_binary(r, resumed);
    }
    return status;
}

int record_row(recording *r, const double *value)
{
    const size_t bytes = (size_t)r->columns * sizeof *value;
    int status = r->csv.file >= 0 ? put_numbers(r, value) : TOOL_OK;
    if (status == TOOL_OK && r->binary.file >= 0) {
        status = reserve(&r->binary, bytes);
        if (status == TOOL_OK) {
            memcpy(r->binary.text + r->binary.length, value, bytes);
            r->binary.length += bytes;
        }
    }
    r->rows++;
    if (status != TOOL_OK) { /* the other file gets what waits for it */
        r->csv.quiet = r->binary.quiet = true;
        (void)record_flush(r, false);
    }
    return status;
}

int record_flush(recording *r, bool sure)
{
    const int csv = flush_stream(&r->csv);
    int status = flush_stream(&r->binary);
    status = r->binary.file >= 0 && put_heading(r) != TOOL_OK ? TOOL_FAILED : status;
    status = csv != TOOL_OK ? csv : status;
    if (sure && status == TOOL_OK) {
        (void)(r->csv.file >= 0 && fsync(r->csv.file));
        (void)(r->binary.file >= 0 && fsync(r->binary.file));
    }
    return status;
}

int record_finish(recording *r, bool keep)
{
    sheet s = { 0 };
    if (r->binary.file < 0) {
        return TOOL_OK;
    }
    int status = npy_read(r->binary.path, &s);
    char *npz = record_path(r->folder, "result.npz"), *hdf5 = record_path(r->folder, "result.h5");
    if (status == TOOL_OK && (npz == NULL || hdf5 == NULL)) {
        status = tool_fail_memory();
    }
    if (status == TOOL_OK && (r->formats & RECORD_NPZ) != 0) {
        status = npz_write(npz, &s);
    }
    if (status == TOOL_OK && (r->formats & RECORD_HDF5) != 0) {
        char why[256] = "";
        const module_hdf5_table *table = module_hdf5();
        if (table == NULL || !table->write(hdf5, s.columns, s.name, s.rows, s.number, why, sizeof why)) {
            status =
                tool_fail("%s: the file cannot be written: %s; result.npy beside it holds the recording", hdf5, why);
        }
    }
    if (status == TOOL_OK && !keep) {
        unlink(r->binary.path);
    }
    free(npz);
    free(hdf5);
    sheet_free(&s);
    return status;
}

void record_close(recording *r)
{
    if (r->folder != NULL) {
        close_stream(&r->csv);
        close_stream(&r->binary);
    }
}
