/* file.c - files that are written whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compute.h"

/* What an interrupt must remove; there is one output at a time. */
static const char *volatile unfinished;

enum { ENDS = 3 };
static const int END[ENDS] = { SIGINT, SIGTERM, SIGHUP };
static struct sigaction before[ENDS]; /* who was told before the output was begun */

/* Whoever has a handler of his own is told, and the output goes on; else it is removed and the program ends. */
static void on_interrupt(int number)
{
    for (int i = 0; i < ENDS; i++) {
        if (END[i] == number && before[i].sa_handler != SIG_DFL && before[i].sa_handler != SIG_IGN) {
            before[i].sa_handler(number);
            return;
        }
    }
    if (unfinished != NULL) {
        unlink(unfinished);
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void guard(const char *temporary)
{
    const bool begins = unfinished == NULL && temporary != NULL, ends = unfinished != NULL && temporary == NULL;
    unfinished = temporary;
    for (int i = 0; i < ENDS && (begins || ends); i++) {
        const struct sigaction action = { .sa_handler = on_interrupt };
        if (begins && sigaction(END[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN) {
            sigaction(END[i], &action, NULL);
        } else if (ends) {
            sigaction(END[i], &before[i], NULL);
        }
    }
}

static void fail_file(const char *path, int why)
{
    tool_fail("%s: the file cannot be written: %s", path, strerror(why));
}

/* What is written, beside the path it is to have. */
typedef struct tool_file {
    FILE *out;
    const char *path;
    char *temporary;
    tool_writer *write;
    void *context;
} tool_file;

static void open_file(tool_file *file)
{
    enum { SUFFIX = 40, TRIES = 100 };
    struct stat about;
    const bool there = stat(file->path, &about) == 0;
    if (there && !S_ISREG(about.st_mode)) {
        tool_fail("%s: this is not a regular file; it is not replaced", file->path);
    }
    const size_t size = strlen(file->path) + SUFFIX;
    file->temporary = tool_take(size, 1);
    int descriptor = -1;
    for (int i = 0; i < TRIES && descriptor < 0; i++) {
        snprintf(file->temporary, size, "%s.%ld-%d", file->path, (long)getpid(), i);
        guard(file->temporary);
        descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno != EEXIST) {
            break;
        }
    }
    const bool kept = descriptor < 0 || !there || fchmod(descriptor, about.st_mode & 0777) == 0;
    file->out = descriptor < 0 || !kept ? NULL : fdopen(descriptor, "w");
    if (file->out == NULL) {
        const int why = errno;
        if (descriptor >= 0) {
            close(descriptor);
            unlink(file->temporary);
        }
        guard(NULL);
        fail_file(file->path, why);
    }
}

static void write_all(void *context)
{
    const tool_file *file = context;
    file->write(file->context, file->out);
}

/* Moves it to its path, or (keep false) removes it. */
static void close_file(const tool_file *file, bool keep)
{
    bool good = keep && fflush(file->out) == 0 && ferror(file->out) == 0 && fsync(fileno(file->out)) == 0;
    int why = errno;
    if (fclose(file->out) != 0 && good) {
        good = false;
        why = errno;
    }
    if (good && rename(file->temporary, file->path) != 0) {
        good = false;
        why = errno;
    }
    if (!good) {
        unlink(file->temporary);
    }
    guard(NULL);
    tool_return(file->temporary);
    if (keep && !good) {
        fail_file(file->path, why);
    }
}

void tool_file_write(const char *path, tool_writer *write, void *context)
{
    tool_file file = { .path = path, .write = write, .context = context };
    open_file(&file);
    const int status = tool_try(write_all, &file);
    close_file(&file, status == TOOL_OK);
    if (status != TOOL_OK) {
        tool_end(status);
    }
}
