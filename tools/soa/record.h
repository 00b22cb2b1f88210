/* record.h - recordings: rows of numbers on their way to files, and files read back.
 *
 * Rows go to result.csv, or to result.npy, a table of named columns. Both can be read at any moment, so a run that is
 * killed leaves what it has recorded. When the run ends, result.npy becomes result.npz or result.h5, which hold one list of
 * numbers for each signal. */
#ifndef SOA_TOOL_RECORD_H
#define SOA_TOOL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { RECORD_CSV = 1, RECORD_NPZ = 2, RECORD_HDF5 = 4 };

/* A file that grows by whole rows. */
typedef struct record_stream {
    char *path;
    int file; /* -1: none */
    char *text;
    size_t length, room;
    off_t whole; /* bytes of whole rows in the file */
} record_stream;

typedef struct recording {
    const char *folder; /* NULL: nothing is recorded */
    unsigned formats;
    int columns;
    const char *const *name;
    long rows;                 /* so far */
    record_stream csv, binary; /* binary: result.npy */
    off_t heading;             /* bytes of the heading of result.npy */
} recording;

/* "csv,npz,hdf5" to bits. */
unsigned record_formats(const char *text);

/* Opens the files of folder, formats, columns and name. resumed: they are there, with `rows` rows, result.csv with
 * `csv_bytes` bytes; what follows these is cut off. */
void record_open(recording *r, bool resumed, off_t csv_bytes);
void record_row(recording *r, const double *value);

/* All rows are in the files; sure: on the disk. */
void record_flush(recording *r, bool sure);

/* Makes result.npz and result.h5 of the rows. keep: result.npy stays. */
void record_finish(recording *r, bool keep);
void record_close(recording *r);

/* "FOLDER/NAME". */
char *record_path(const char *folder, const char *name);

/* ---- files read back ------------------------------------------------------------------------ */

/* A recording in memory: names and numbers, column after column. */
typedef struct sheet {
    int columns, rows;
    char **name;
    double *number;
} sheet;

/* A CSV, .npy, .npz or .h5 file, or a folder with one. */
void sheet_read(const char *path, sheet *s);

/* Room for rows of these columns. */
void sheet_make(sheet *s, int columns, int rows);

/* ---- NumPy ------------------------------------------------------------------------------------ */

/* The heading of result.npy for so many rows. */
char *npy_heading(int columns, const char *const *name, long rows, size_t *length);
void npy_read(const char *path, sheet *s);
void npz_write(const char *path, const sheet *s);
void npz_read(const char *path, sheet *s);

#endif
