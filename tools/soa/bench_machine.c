/* bench_machine.c - where and with what a measurement was made. */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

/* The rest of the first line of the file that begins with `key`, after a colon. */
static bool read_line(const char *path, const char *key, char *value, size_t size)
{
    char line[256];
    bool found = false;
    FILE *file = fopen(path, "r");
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        found = colon != NULL && strncmp(line, key, strlen(key)) == 0;
        if (found) {
            colon += 1 + strspn(colon + 1, " \t");
            snprintf(value, size, "%.*s", (int)strcspn(colon, "\n"), colon);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

bench_machine bench_machine_of(void)
{
    bench_machine machine = { .cores = (int)sysconf(_SC_NPROCESSORS_ONLN) };
    struct utsname name;
    if (!read_line("/proc/cpuinfo", "model name", machine.cpu, sizeof machine.cpu) && uname(&name) >= 0) {
        snprintf(machine.cpu, sizeof machine.cpu, "%.100s", name.machine);
    }
#if defined(__clang__)
    snprintf(machine.compiler, sizeof machine.compiler, "clang %.50s", __clang_version__);
#elif defined(__GNUC__)
    snprintf(machine.compiler, sizeof machine.compiler, "gcc %.50s", __VERSION__);
#endif
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) != NULL) {
        strftime(machine.date, sizeof machine.date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    return machine;
}

double bench_memory(void)
{
    char text[64];
    return read_line("/proc/meminfo", "MemAvailable", text, sizeof text) ? 1024.0 * strtod(text, NULL) : 0.0;
}
