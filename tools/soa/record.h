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
    bool quiet;  /* why recording has failed has been said */
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

/* "csv,npz,hdf5" to bits. TOOL_USAGE or TOOL_FAILED after a message: unknown, or the module is not there. */
int record_formats(const char *text, unsigned *formats);

/* Opens the files of folder, formats, columns and name. resumed: they are there, with `rows` rows, result.csv with
 * `csv_bytes` bytes; what follows these is cut off. TOOL_FAILED after a message. */
int record_open(recording *r, bool resumed, off_t csv_bytes);
int record_row(recording *r, const double *value);

/* All rows are in the files; sure: on the disk. */
int record_flush(recording *r, bool sure);

/* Makes result.npz and result.h5 of the rows. keep: result.npy stays. */
int record_finish(recording *r, bool keep);
void record_close(recording *r);

/* "FOLDER/NAME"; NULL: no memory. */
char *record_path(const char *folder, const char *name);

/* ---- files read back ------------------------------------------------------------------------ */

/* A recording in memory: names and numbers, column after column. */
typedef struct sheet {
    int columns, rows;
    char **name;
    double *number;
} sheet;

/* A CSV, .npy, .npz or .h5 file, or a folder with one. TOOL_FAILED after a message. */
int sheet_read(const char *path, sheet *s);
void sheet_free(sheet *s);

/* Room for rows of these columns; names are copied. */
int sheet_make(sheet *s, int columns, int rows);

/* ---- NumPy ------------------------------------------------------------------------------------ */

/* The heading of result.npy for so many rows; free it. NULL: no memory. */
char *npy_heading(int columns, const char *const *name, long rows, size_t *length);
int npy_read(const char *path, sheet *s);
int npz_write(const char *path, const sheet *s);
int npz_read(const char *path, sheet *s);

#endif
