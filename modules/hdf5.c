/* modules/hdf5.c - recordings as HDF5 files: one list of numbers for each signal, under the signal's name. */
#include <errno.h>
#include <hdf5.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "module.h"

static bool fail(char *why, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(why, size, format, list);
    va_end(list);
    return false;
}

/* ---- writing ------------------------------------------------------------------------------------- */

/* A '/' in a name makes groups of what stands before it, as in a path. */
static bool write_column(hid_t file, const char *name, int rows, const double *number)
{
    const hsize_t size = (hsize_t)rows;
    const hid_t space = H5Screate_simple(1, &size, NULL), links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    const hid_t set = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, links, H5P_DEFAULT, H5P_DEFAULT);
    const bool good = set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, number) >= 0;
    if (set >= 0) {
        H5Dclose(set);
    }
    H5Pclose(links);
    H5Sclose(space);
    return good;
}

/* The names in the order of the columns, so that a reader finds the order again. */
static bool write_names(hid_t file, int columns, char *const *name)
{
    const hsize_t size = (hsize_t)columns;
    const hid_t space = H5Screate_simple(1, &size, NULL), type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const hid_t set = H5Dcreate2(file, "signals", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, name) >= 0;
    if (set >= 0) {
        H5Dclose(set);
    }
    H5Tclose(type);
    H5Sclose(space);
    return good;
}

/* The file as HDF5 makes it in memory. HDF5 itself must not meet a full disk: it then crashes when the program ends. */
static void *make_image(
    int columns, char *const *name, int rows, const double *number, size_t *bytes, char *why, size_t size)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 1 << 20, 0);
    const hid_t file = H5Fcreate("recording.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    if (file < 0) {
        fail(why, size, "HDF5 cannot make it");
        return NULL;
    }
    bool good = write_names(file, columns, name) || fail(why, size, "there is no room for the names");
    for (int i = 0; i < columns && good; i++) {
        good = write_column(file, name[i], rows, number + (size_t)i * (size_t)rows) ||
               fail(why, size, "there is no room for signal '%s', or another has its name as a folder", name[i]);
    }
    good = good && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
    const ssize_t length = good ? H5Fget_file_image(file, NULL, 0) : -1;
    void *image = length > 0 ? malloc((size_t)length) : NULL;
    if (image != NULL && H5Fget_file_image(file, image, (size_t)length) != length) {
        free(image);
        image = NULL;
    }
    H5Fclose(file);
    *bytes = image != NULL ? (size_t)length : 0;
    return image;
}

/* By way of a file beside it, which takes its name when all is written. */
static bool write_file(
    const char *path, int columns, char *const *name, int rows, const double *number, char *why, size_t size)
{
    char beside[4096];
    size_t bytes = 0;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (snprintf(beside, sizeof beside, "%s.%ld", path, (long)getpid()) >= (int)sizeof beside) {
        return fail(why, size, "its name is too long");
    }
    void *image = make_image(columns, name, rows, number, &bytes, why, size);
    FILE *file = image != NULL ? fopen(beside, "wb") : NULL;
    bool good = file != NULL && fwrite(image, 1, bytes, file) == bytes;
    good = file != NULL && fclose(file) == 0 && good;
    good = good && rename(beside, path) == 0;
    if (!good && why[0] == '\0') {
        fail(why, size, "%s", image != NULL ? strerror(errno) : "there is not enough memory");
    }
    if (!good && file != NULL) {
        unlink(beside);
    }
    free(image);
    return good;
}

/* ---- reading -------------------------------------------------------------------------------------- */

static hssize_t length_of(hid_t set)
{
    const hid_t space = H5Dget_space(set);
    const hssize_t length = H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    return length;
}

static bool read_column(hid_t file, const char *name, int i, int *rows, double **number, int columns)
{
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    if (set < 0) {
        return false;
    }
    const hssize_t length = length_of(set);
    if (i == 0 && length >= 0 && length < 0x7fffffff) {
        *rows = (int)length;
        *number = calloc((size_t)columns * (size_t)length + 1, sizeof **number);
    }
    const bool good =
        *number != NULL && length == *rows &&
        H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, *number + (size_t)i * (size_t)*rows) >= 0;
    H5Dclose(set);
    return good;
}

static bool read_names(hid_t file, int *columns, char ***name)
{
    const hid_t set = H5Dopen2(file, "signals", H5P_DEFAULT), type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const hssize_t count = set >= 0 ? length_of(set) : 0;
    *columns = count > 0 && count < 1000000 ? (int)count : 0;
    *name = calloc((size_t)*columns + 1, sizeof **name);
    const bool good = *columns > 0 && *name != NULL && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *name) >= 0;
    H5Tclose(type);
    if (set >= 0) {
        H5Dclose(set);
    }
    return good;
}

static bool read_file(const char *path, int *columns, char ***name, int *rows, double **number, char *why, size_t size)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) {
        return fail(why, size, "HDF5 cannot open it");
    }
    bool good = read_names(file, columns, name) || fail(why, size, "it has no list 'signals' of names");
    for (int i = 0; good && *name && i < *columns; i++) {
        good = read_column(file, (*name)[i], i, rows, number, *columns) ||
               fail(why, size, "signal '%s' is missing or has another length", (*name)[i]);
    }
    H5Fclose(file);
    return good;
}

__attribute__((visibility("default"))) extern const module_hdf5_table soa_module;
const module_hdf5_table soa_module = { write_file, read_file };
