/* record.c - rows of numbers on their way to files. */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "module.h"
#include "tool.h"

static const struct {
    const char *word;
    unsigned bit;
} FORMAT[] = { { "csv", RECORD_CSV }, { "npz", RECORD_NPZ }, { "hdf5", RECORD_HDF5 } };

unsigned record_formats(const char *text)
{
    const char *all = text;
    unsigned formats = 0;
    for (bool more = true; more;) {
        const size_t length = strcspn(text, ",");
        unsigned bit = 0;
        for (size_t i = 0; i < sizeof FORMAT / sizeof FORMAT[0]; i++) {
            bit |= strlen(FORMAT[i].word) == length && strncmp(FORMAT[i].word, text, length) == 0 ? FORMAT[i].bit : 0;
        }
        if (bit == 0) {
            tool_wrong_usage(NULL, "--format '%s': take csv, npz, hdf5, or several with commas", all);
        }
        formats |= bit;
        more = text[length] == ',';
        text += length + more;
    }
    if ((formats & RECORD_HDF5) != 0) {
        (void)module_hdf5();
    }
    return formats;
}

char *record_path(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = tool_take(size, 1);
    snprintf(path, size, "%s/%s", folder, name);
    return path;
}

/* ---- streams ------------------------------------------------------------------------------------ */

static void fail_stream(const record_stream *s)
{
    tool_fail("%s: the file cannot be written: %s", s->path, strerror(errno));
}

static void open_stream(record_stream *s, const char *folder, const char *name, bool resumed)
{
    s->path = record_path(folder, name);
    s->room = 1 << 16;
    s->text = tool_take(s->room, 1);
    s->file = open(s->path, O_RDWR | O_CLOEXEC | (resumed ? 0 : O_CREAT | O_TRUNC), 0666);
    if (s->file < 0) {
        fail_stream(s);
    }
}

/* The file ends after its first `bytes`; there must be as many. */
static void cut_stream(record_stream *s, off_t bytes)
{
    struct stat about;
    if (fstat(s->file, &about) != 0 || about.st_size < bytes) {
        tool_fail("%s: it holds less than when its checkpoint was written; run without --resume", s->path);
    }
    s->whole = bytes;
    if (ftruncate(s->file, bytes) != 0 || lseek(s->file, 0, SEEK_END) != bytes) {
        fail_stream(s);
    }
}

/* Everything that waits goes to the file; after a failure the file ends with its last whole row. Whether it went well. */
static bool flush_stream(record_stream *s, bool quiet)
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
            if (!quiet) {
                tool_say("%s: the file cannot be written: %s; it holds what was recorded before%s", s->path,
                    strerror(why), cut ? "" : ", and part of a row");
            }
            return false;
        }
        done += (size_t)n;
    }
    s->whole += (off_t)done;
    s->length = 0;
    return true;
}

/* The heading of result.npy says how many rows are in the file. Its length does not depend on that. */
static void put_heading(recording *r)
{
    size_t length = 0;
    const long rows = (long)((r->binary.whole - r->heading) / (off_t)((size_t)r->columns * sizeof(double)));
    if (r->binary.file < 0) {
        return;
    }
    char *text = npy_heading(r->columns, r->name, r->binary.whole == 0 ? 0 : rows, &length);
    if (pwrite(r->binary.file, text, length, 0) != (ssize_t)length) {
        fail_stream(&r->binary);
    }
    r->heading = (off_t)length;
    tool_return(text);
}

/* Room for one row of that many bytes. If what waits cannot be written, the other file still gets what waits for it. */
static void reserve(recording *r, record_stream *s, size_t bytes)
{
    if (s->length + bytes <= s->room) {
        return;
    }
    if (!flush_stream(s, false)) {
        (void)flush_stream(&r->csv, true);
        (void)flush_stream(&r->binary, true);
        put_heading(r);
        tool_end(TOOL_FAILED);
    }
    if (bytes > s->room) {
        s->text = tool_grow(s->text, bytes);
        s->room = bytes;
    }
}

static void close_stream(record_stream *s)
{
    if (s->file >= 0) {
        close(s->file);
    }
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

static void put_names(recording *r)
{
    size_t bytes = 0;
    for (int i = 0; i < r->columns; i++) {
        bytes += strlen(r->name[i]) + 3;
    }
    reserve(r, &r->csv, bytes);
    for (int i = 0; i < r->columns; i++) {
        put_name(&r->csv, r->name[i]);
        r->csv.text[r->csv.length++] = i + 1 < r->columns ? ',' : '\n';
    }
}

static void put_numbers(recording *r, const double *value)
{
    enum { NUMBER = 26 };
    record_stream *s = &r->csv;
    reserve(r, s, (size_t)r->columns * NUMBER + 1);
    for (int i = 0; i < r->columns; i++) {
        s->length += (size_t)snprintf(s->text + s->length, NUMBER, "%.17g", value[i]);
        s->text[s->length++] = i + 1 < r->columns ? ',' : '\n';
    }
}

/* ---- the binary file -------------------------------------------------------------------------------- */

static void open_binary(recording *r, bool resumed)
{
    open_stream(&r->binary, r->folder, "result.npy", resumed);
    if (!resumed) {
        put_heading(r);
        cut_stream(&r->binary, r->heading);
        return;
    }
    size_t length = 0;
    tool_return(npy_heading(r->columns, r->name, 0, &length));
    r->heading = (off_t)length;
    cut_stream(&r->binary, r->heading + (off_t)((size_t)r->rows * (size_t)r->columns * sizeof(double)));
}

/* ---- all of it -------------------------------------------------------------------------------------- */

void record_open(recording *r, bool resumed, off_t csv_bytes)
{
    r->csv.file = r->binary.file = -1;
    if (r->folder == NULL) {
        return;
    }
    if (mkdir(r->folder, 0777) != 0 && errno != EEXIST) {
        tool_fail("%s: the folder cannot be made: %s", r->folder, strerror(errno));
    }
    if ((r->formats & RECORD_CSV) != 0) {
        open_stream(&r->csv, r->folder, "result.csv", resumed);
        if (resumed) {
            cut_stream(&r->csv, csv_bytes);
        } else {
            put_names(r);
        }
    }
    if ((r->formats & (RECORD_NPZ | RECORD_HDF5)) != 0) {
        open_binary(r, resumed);
    }
}

void record_row(recording *r, const double *value)
{
    const size_t bytes = (size_t)r->columns * sizeof *value;
    if (r->csv.file >= 0) {
        put_numbers(r, value);
    }
    if (r->binary.file >= 0) {
        reserve(r, &r->binary, bytes);
        memcpy(r->binary.text + r->binary.length, value, bytes);
        r->binary.length += bytes;
    }
    r->rows++;
}

void record_flush(recording *r, bool sure)
{
    const bool csv = flush_stream(&r->csv, false), binary = flush_stream(&r->binary, false);
    put_heading(r);
    if (!csv || !binary) {
        tool_end(TOOL_FAILED);
    }
    if (sure) {
        (void)(r->csv.file >= 0 && fsync(r->csv.file));
        (void)(r->binary.file >= 0 && fsync(r->binary.file));
    }
}

void record_finish(recording *r, bool keep)
{
    sheet s = { 0 };
    if (r->binary.file < 0) {
        return;
    }
    npy_read(r->binary.path, &s);
    if ((r->formats & RECORD_NPZ) != 0) {
        npz_write(record_path(r->folder, "result.npz"), &s);
    }
    if ((r->formats & RECORD_HDF5) != 0) {
        char why[256] = "", *path = record_path(r->folder, "result.h5");
        if (!module_hdf5()->write(path, s.columns, s.name, s.rows, s.number, why, sizeof why)) {
            tool_fail("%s: the file cannot be written: %s; result.npy beside it holds the recording", path, why);
        }
    }
    if (!keep) {
        unlink(r->binary.path);
    }
}

void record_close(recording *r)
{
    if (r->folder != NULL) {
        close_stream(&r->csv);
        close_stream(&r->binary);
    }
}
