/* modules/hdf5.c - recordings as HDF5 files: one list of numbers for each signal, under the signal's name.
 *
 * When memory or the disk ends, libhdf5 crashes inside, whatever its caller checks: H5E_printf_stack and H5I_inc_ref call each
 * other without end, H5CX_pop takes from an empty stack, H5SL_insert hashes what is not there, and H5_term_library meets the
 * remains when the program ends. So libhdf5 is called in a process of its own, which ends without H5_term_library; what it
 * has to say or has read comes back through a pipe. */
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "module.h"

#define NO_ROOM "there is not enough memory, or no room on the disk"

typedef struct sheet {
    int columns, rows;
    char **name;
    double *number; /* one column after another */
} sheet;

static bool fail(char *why, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(why, size, format, list);
    va_end(list);
    return false;
}

static hid_t name_type(void)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

/* ---- writing ------------------------------------------------------------------------------------- */

/* A list under a name; a '/' in the name makes groups of what stands before it, as in a path. */
static bool write_list(hid_t file, const char *name, hid_t in_file, hid_t in_memory, int length, const void *data)
{
    const hsize_t size = (hsize_t)length;
    const hid_t space = H5Screate_simple(1, &size, NULL), links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    const hid_t set = H5Dcreate2(file, name, in_file, space, links, H5P_DEFAULT, H5P_DEFAULT);
    return set >= 0 && H5Dwrite(set, in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0 && H5Dclose(set) >= 0;
}

/* The list 'signals' has the names in the order of the columns, so that a reader finds the order again. */
static bool write_all(const char *path, sheet *s, char *why, size_t size)
{
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), type = name_type();
    if (file < 0 || !write_list(file, "signals", type, type, s->columns, s->name)) {
        return fail(why, size, NO_ROOM);
    }
    for (int i = 0; i < s->columns; i++) {
        const double *column = s->number + (size_t)i * (size_t)s->rows;
        if (!write_list(file, s->name[i], H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, s->rows, column)) {
            return fail(why, size, NO_ROOM ", or another signal has the name of '%s' as a folder", s->name[i]);
        }
    }
    return (H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0 && H5Fclose(file) >= 0) || fail(why, size, NO_ROOM);
}

/* ---- reading -------------------------------------------------------------------------------------- */

static hssize_t length_of(hid_t set)
{
    return set >= 0 ? H5Sget_simple_extent_npoints(H5Dget_space(set)) : -1;
}

static bool read_column(hid_t file, int i, sheet *s)
{
    const hid_t set = s->name[i] != NULL ? H5Dopen2(file, s->name[i], H5P_DEFAULT) : -1;
    const hssize_t length = length_of(set);
    if (i == 0 && length >= 0 && length < 0x7fffffff) {
        s->rows = (int)length;
        s->number = calloc((size_t)s->columns * (size_t)length + 1, sizeof *s->number);
    }
    return s->number != NULL && length == s->rows &&
           H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, s->number + (size_t)i * (size_t)s->rows) >= 0;
}

static bool read_all(const char *path, sheet *s, char *why, size_t size)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) {
        return fail(why, size, "HDF5 cannot open it, or there is not enough memory");
    }
    const hid_t set = H5Dopen2(file, "signals", H5P_DEFAULT);
    const hssize_t count = length_of(set);
    s->columns = count > 0 && count < 1000000 ? (int)count : 0;
    s->name = calloc((size_t)s->columns + 1, sizeof *s->name);
    if (s->columns == 0 || s->name == NULL || H5Dread(set, name_type(), H5S_ALL, H5S_ALL, H5P_DEFAULT, s->name) < 0) {
        return fail(why, size, "it has no list 'signals' of names, or there is not enough memory");
    }
    for (int i = 0; i < s->columns; i++) {
        if (!read_column(file, i, s)) {
            return fail(why, size, "signal '%s' is missing or has another length, or there is not enough memory",
                s->name[i] != NULL ? s->name[i] : "");
        }
    }
    return true;
}

/* ---- in a process of its own ----------------------------------------------------------------------- */

typedef bool task(const char *path, sheet *s, char *why, size_t size);

/* What comes through the pipe; behind it, of a file that was read, each name with its length, and the numbers. */
typedef struct outcome {
    bool good;
    int columns, rows;
    char why[256];
} outcome;

static bool put(int pipe, const void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = write(pipe, (const char *)data + done, size - done);
        if (n <= 0 && errno != EINTR) {
            return false;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool take(int pipe, void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = read(pipe, (char *)data + done, size - done);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return false;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* The process that calls libhdf5. What libhdf5 itself prints goes nowhere. */
static void work(int pipe, task *call, const char *path, sheet *s)
{
    outcome o = { 0 };
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    o.good = H5Eset_auto2(H5E_DEFAULT, NULL, NULL) >= 0 ? call(path, s, o.why, sizeof o.why)
                                                        : fail(o.why, sizeof o.why, NO_ROOM);
    o.columns = s->columns;
    o.rows = s->rows;
    bool sent = put(pipe, &o, sizeof o) && o.good && call == read_all;
    for (int i = 0; sent && i < s->columns; i++) {
        const size_t length = strlen(s->name[i]);
        sent = put(pipe, &length, sizeof length) && put(pipe, s->name[i], length);
    }
    sent = sent && put(pipe, s->number, (size_t)s->columns * (size_t)s->rows * sizeof *s->number);
    _exit(0);
}

/* The names and numbers that the other process has read. */
static bool take_sheet(int pipe, sheet *s)
{
    const size_t numbers = (size_t)s->columns * (size_t)s->rows;
    s->name = calloc((size_t)s->columns, sizeof *s->name);
    s->number = malloc(numbers * sizeof *s->number + 1);
    bool good = s->name != NULL && s->number != NULL;
    for (int i = 0; good && i < s->columns; i++) {
        size_t length;
        good = take(pipe, &length, sizeof length) && (s->name[i] = calloc(length + 1, 1)) != NULL &&
               take(pipe, s->name[i], length);
    }
    return good && take(pipe, s->number, numbers * sizeof *s->number);
}

static bool apart(task *call, const char *path, sheet *s, char *why, size_t size)
{
    int ends[2];
    outcome o = { .why = NO_ROOM };
    if (pipe(ends) != 0) {
        return fail(why, size, "%s", strerror(errno));
    }
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        work(ends[1], call, path, s);
    }
    close(ends[1]);
    if (child > 0 && !take(ends[0], &o, sizeof o)) {
        o = (outcome){ .why = "libhdf5 crashed: " NO_ROOM };
    }
    if (o.good && call == read_all) {
        *s = (sheet){ .columns = o.columns, .rows = o.rows };
        o.good = take_sheet(ends[0], s) || fail(o.why, sizeof o.why, NO_ROOM);
    }
    close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    return o.good || fail(why, size, "%s", o.why);
}

/* By way of a file beside it, which takes its name when all is written. */
static bool write_file(
    const char *path, int columns, char *const *name, int rows, const double *number, char *why, size_t size)
{
    char beside[4096];
    sheet s = { columns, rows, (char **)name, (double *)number };
    if (snprintf(beside, sizeof beside, "%s.%ld", path, (long)getpid()) >= (int)sizeof beside) {
        return fail(why, size, "its name is too long");
    }
    const bool good = apart(write_all, beside, &s, why, size) &&
                      (rename(beside, path) == 0 || fail(why, size, "%s", strerror(errno)));
    if (!good) {
        unlink(beside);
    }
    return good;
}

static bool read_file(const char *path, int *columns, char ***name, int *rows, double **number, char *why, size_t size)
{
    sheet s = { 0 };
    const bool good = apart(read_all, path, &s, why, size);
    *columns = s.columns;
    *rows = s.rows;
    *name = s.name;
    *number = s.number;
    return good;
}

__attribute__((visibility("default"))) extern const module_hdf5_table soa_module;
const module_hdf5_table soa_module = { write_file, read_file };
