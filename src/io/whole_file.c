/* io/whole_file.c - reading and writing whole files, and names of files beside others. */
#include "io/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "io/reader.h"

/* "PATH: cannot be ACTION: reason of errno". */
static soa_status fail_errno(soa_error *error, const char *path, const char *action)
{
    char reason[128];
    (void)strerror_r(errno, reason, sizeof reason); /* of a number that it does not know it says so */
    return soa_fail_at(error, SOA_E_FILE, path, 0, "the file cannot be %s: %s", action, reason);
}

/* ---- reading ---------------------------------------------------------------------- */

/* Only what has an end is read: no folder, pipe or device. */
static soa_status check_readable(const char *path, size_t *size, soa_error *error)
{
    struct stat about;
    if (stat(path, &about) != 0) {
        return fail_errno(error, path, "opened");
    }
    if (S_ISDIR(about.st_mode)) {
        return soa_fail_at(error, SOA_E_FILE, path, 0, "this is a folder; name a file in it");
    }
    if (!S_ISREG(about.st_mode)) {
        return soa_fail_at(error, SOA_E_FILE, path, 0, "this is not a regular file");
    }
    if (about.st_size > (off_t)SOA_MAX_FILE_BYTES) {
        return soa_fail_at(error, SOA_E_FILE, path, 0, "the file is larger than %u MiB, the most that is read",
            SOA_MAX_FILE_BYTES >> 20);
    }
    *size = (size_t)about.st_size;
    return SOA_OK;
}

soa_status soa_file_read(soa_arena *arena, const char *path, char **text, size_t *length, soa_error *error)
{
    const soa_status status = check_readable(path, length, error);
    if (status != SOA_OK) {
        return status;
    }
    FILE *file = fopen(path, "rb");
    if (!file) {
        return fail_errno(error, path, "opened");
    }
    *text = soa_arena_take(arena, *length + 1, 1);
    const size_t got = *text ? fread(*text, 1, *length, file) : 0;
    const bool failed = ferror(file) != 0;
    fclose(file);
    if (!*text) {
        return soa_fail_memory(error);
    }
    if (failed || got != *length) {
        return soa_fail_at(error, SOA_E_FILE, path, 0, "the file cannot be read to its end");
    }
    return SOA_OK;
}

bool soa_file_exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

bool soa_file_leaves(const char *name)
{
    const char *part = name;
    bool leaves = name[0] == '/';
    while (part && !leaves) {
        leaves = strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0');
        part = strchr(part, '/');
        part = part ? part + 1 : NULL;
    }
    return leaves;
}

void soa_file_hide(soa_error *error)
{
    char file[SOA_ERROR_FILE];
    memcpy(file, error->file, sizeof file);
    soa_fail_at(error, error->status, file, error->line,
        "%s; the file is outside of the model's folder, so nothing of it is quoted: load it by itself to see more",
        soa_status_text(error->status));
}

char *soa_file_beside(soa_arena *arena, const char *from, const char *name)
{
    const char *slash = from ? strrchr(from, '/') : NULL;
    if (!slash || name[0] == '/') {
        return soa_arena_text(arena, name);
    }
    const size_t folder = (size_t)(slash - from) + 1;
    const size_t size = strlen(name) + 1;
    char *path = soa_arena_take(arena, folder + size, 1);
    if (path) {
        memcpy(path, from, folder);
        memcpy(path + folder, name, size);
    }
    return path;
}

/* ---- writing ---------------------------------------------------------------------- */

/* A new file beside path, its name in `name`; -1 if there can be none. */
static int open_temporary(const char *path, char *name, size_t size)
{
    enum { TRIES = 100 };
    for (int i = 0; i < TRIES; i++) {
        snprintf(name, size, "%s.%ld-%d", path, (long)getpid(), i);
        const int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST) {
            return file;
        }
    }
    return -1;
}

static bool write_all(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t n = write(file, bytes, length);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return false;
        }
        bytes += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
    return fsync(file) == 0;
}

/* A file that is replaced keeps its permissions. */
static soa_status check_writable(const char *path, mode_t *mode, soa_error *error)
{
    struct stat about;
    *mode = 0;
    if (stat(path, &about) != 0) {
        return SOA_OK;
    }
    *mode = about.st_mode & 0777;
    return S_ISREG(about.st_mode)
               ? SOA_OK
               : soa_fail_at(error, SOA_E_FILE, path, 0, "this is not a regular file; it is not replaced");
}

static bool set_mode(int file, mode_t mode)
{
#if defined(__wasi__) /* its files have no permissions */
    (void)file, (void)mode;
    return true;
#else
    return mode == 0 || fchmod(file, mode) == 0;
#endif
}

static soa_status replace(
    const char *path, char *temporary, size_t size, const char *bytes, size_t length, soa_error *error)
{
    mode_t mode;
    const soa_status status = check_writable(path, &mode, error);
    if (status != SOA_OK) {
        return status;
    }
    const int file = open_temporary(path, temporary, size);
    if (file < 0) {
        return fail_errno(error, path, "written");
    }
    bool ok = set_mode(file, mode) && write_all(file, bytes, length);
    int code = errno;
    if (close(file) != 0 && ok) {
        ok = false;
        code = errno;
    }
    if (ok && rename(temporary, path) == 0) {
        return SOA_OK;
    }
    code = ok ? errno : code;
    unlink(temporary);
    errno = code;
    return fail_errno(error, path, "written");
}

soa_status soa_file_write(
    const char *path, const char *bytes, size_t length, const soa_allocator *allocator, soa_error *error)
{
    enum { SUFFIX = 40 };
    const size_t size = strlen(path) + SUFFIX;
    char *temporary = soa_allocate(allocator, size, 1);
    if (!temporary) {
        return soa_fail_memory(error);
    }
    const soa_status status = replace(path, temporary, size, bytes, length, error);
    soa_release(allocator, temporary);
    return status;
}
