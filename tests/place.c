/* tests/place.c - test programs write beside themselves, in the build folder.
 *
 * Tests write files into the folder in which they run. This is the folder of the program, whatever folder it was started from, so
 * that none is written into the sources. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((constructor)) static void go_to_program(void)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash) {
        return; /* a system that does not tell: the folder of ctest is the build folder too */
    }
    *slash = '\0';
    if (chdir(path) != 0) {
        abort();
    }
}
