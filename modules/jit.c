/* jit.c - the module: C compiled by the system's compiler and loaded, kept in the user's cache folder.
 *
 * A text is kept beside what was made of it and compared before that is used again. The folder belongs to the user and nobody
 * else may write to it, or nothing is loaded from it. No shell runs: the compiler is started by its name and a list of words. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "module.h"

extern char **environ;

enum { PLACE = PATH_MAX - 64 }; /* of a folder: file names come behind */

static void *fail(char *why, size_t size, const char *what, const char *path)
{
    snprintf(why, size, "%s: %s: %s", path, what, strerror(errno));
    return NULL;
}

/* A folder of the user's own that nobody else can write to; made if it is not there. */
static bool own_folder(const char *path)
{
    struct stat s;
    (void)mkdir(path, 0700);
    if (lstat(path, &s) != 0) {
        return false;
    }
    errno = EPERM;
    return S_ISDIR(s.st_mode) && s.st_uid == geteuid() && (s.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* $XDG_CACHE_HOME/soa, or ~/.cache/soa */
static bool find_folder(char folder[PLACE])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;
    if (cache != NULL && cache[0] == '/') {
        (void)mkdir(cache, 0700);
        n = snprintf(folder, PLACE, "%s/soa", cache);
    } else if (home != NULL && home[0] == '/') {
        n = snprintf(folder, PLACE, "%s/.cache", home);
        (void)mkdir(folder, 0700);
        n = n > 0 && n < PLACE ? snprintf(folder, PLACE, "%s/.cache/soa", home) : -1;
    }
    errno = ENOENT;
    return n > 0 && n < PLACE && own_folder(folder);
}

static unsigned long long hash_of(const char *text)
{
    unsigned long long hash = 0xcbf29ce484222325ull;
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
    }
    return hash;
}

/* Whether a file holds the text, and nothing else. */
static bool holds(const char *path, const char *text)
{
    FILE *file = fopen(path, "r");
    bool same = file != NULL;
    while (same && *text != '\0') {
        same = getc(file) == (unsigned char)*text++;
    }
    same = same && getc(file) == EOF;
    if (file != NULL) {
        fclose(file);
    }
    return same;
}

static bool write_file(const char *path, const char *text)
{
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    const size_t length = strlen(text);
    const bool written = descriptor >= 0 && write(descriptor, text, length) == (ssize_t)length;
    return (descriptor < 0 || close(descriptor) == 0) && written;
}

/* cc -O2 -shared -fPIC -o TO FROM, its messages to nowhere. */
static bool compile(char *from, char *to)
{
    char *const words[] = { "cc", "-O2", "-shared", "-fPIC", "-w", "-o", to, from, "-lm", NULL };
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return false;
    }
    const bool started = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) == 0 &&
                         posix_spawnp(&child, words[0], &actions, NULL, words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    while (started && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return started && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The text compiled into FOLDER/HASH.so, by files of this process's own that are renamed when they are whole. */
static bool make(const char *folder, const char *text, const char *source, const char *object)
{
    char c[PATH_MAX], so[PATH_MAX];
    snprintf(c, sizeof c, "%s/%ld.c", folder, (long)getpid());
    snprintf(so, sizeof so, "%s/%ld.so", folder, (long)getpid());
    const bool good = write_file(c, text) && compile(c, so) && rename(so, object) == 0 && rename(c, source) == 0;
    if (!good) {
        (void)unlink(c);
        (void)unlink(so);
    }
    return good;
}

static void *load(const char *text, const char *name, char *why, size_t size)
{
    char folder[PLACE], source[PATH_MAX], object[PATH_MAX];
    if (!find_folder(folder)) {
        return fail(why, size, "no folder of your own to keep compiled code in", "the cache");
    }
    const unsigned long long hash = hash_of(text);
    snprintf(source, sizeof source, "%s/%016llx.c", folder, hash);
    snprintf(object, sizeof object, "%s/%016llx.so", folder, hash);
    if ((!holds(source, text) || access(object, R_OK) != 0) && !make(folder, text, source, object)) {
        snprintf(why, size, "the compiler cc does not make a library of it in %s", folder);
        return NULL;
    }
    void *library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library != NULL ? dlsym(library, name) : NULL;
    if (symbol == NULL) {
        snprintf(why, size, "%s cannot be loaded", object);
    }
    return symbol;
}

extern const module_jit_table soa_module;
__attribute__((visibility("default"))) const module_jit_table soa_module = { load };
