/* main.c - bench_peers: the speed of soa and of other libraries, on the same robots and states, in one run.
 *
 * Usage: bench_peers [--seconds S] [--json FILE] [--svg FILE] [ROBOT...] */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "modules.h"
#include "robot.h"
#include "soa/dynamics.h"

/* Of the modules that were built, ended by NULL: made by CMake. */
static const char *const modules[] = { BENCH_MODULES NULL };

static const char *const usual_robots[] = { "builtin:arm7", "builtin:quadruped", "builtin:humanoid",
    BENCH_JOINED_ARMS };

/* ---- machine --------------------------------------------------------------------------- */

static void read_cpu(char *text, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(text, size, "unknown processor");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (colon != NULL && strncmp(line, "model name", 10) == 0) {
            snprintf(text, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

bench_machine bench_machine_of(void)
{
    bench_machine machine = { .cores = (int)sysconf(_SC_NPROCESSORS_ONLN) };
    const soa_cpu cpu = soa_cpu_features();
    const time_t now = time(NULL);
    struct tm utc;
    read_cpu(machine.cpu, sizeof machine.cpu);
    FILE *file = fopen("/proc/loadavg", "r");
    if (file != NULL) {
        if (fscanf(file, "%lf", &machine.load) != 1) {
            machine.load = 0.0;
        }
        fclose(file);
    }
    if (gmtime_r(&now, &utc) != NULL) {
        strftime(machine.date, sizeof machine.date, "%Y-%m-%d", &utc);
    }
    machine.lanes = cpu.avx512 ? 8 : cpu.avx2 ? 4 : 1;
    return machine;
}

/* ---- peers ----------------------------------------------------------------------------- */

/* Each module keeps its symbols to itself: libraries of the same templates, built
 * with different flags, live side by side. */
static const bench_peer_info *load_peer(const char *path)
{
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module == NULL) {
        fprintf(stderr, "bench_peers: %s\n", dlerror());
        return NULL;
    }
    bench_peer_function *function;
    void *symbol = dlsym(module, "bench_peer");
    memcpy(&function, &symbol, sizeof function);
    return symbol != NULL ? function() : NULL;
}

static void find_peers(bench_run *run)
{
    run->peer[BENCH_SOA] = bench_soa();
    run->peer[BENCH_BATCH] = bench_soa_batch();
    run->peers = BENCH_FIRST_PEER;
    for (int i = 0; modules[i] != NULL && run->peers < BENCH_MOST_PEERS; i++) {
        const bench_peer_info *peer = load_peer(modules[i]);
        if (peer != NULL) {
            run->peer[run->peers++] = peer;
        }
    }
}

/* ---- run ------------------------------------------------------------------------------- */

static bool run_robot(bench_run *run, const char *source)
{
    soa_model *model;
    bench_robot robot;
    if (run->tables == BENCH_MOST_ROBOTS || !bench_robot_open(source, &model, &robot)) {
        return false;
    }
    bench_table *table = &run->table[run->tables++];
    snprintf(table->robot, sizeof table->robot, "%.60s", robot.name);
    table->bodies = robot.bodies;
    table->nv = robot.nv;
    table->closed = robot.closures > 0;
    bench_contest(run, &robot, table);
    bench_robot_close(model, &robot);
    return true;
}

typedef struct request {
    const char *json, *svg;
    int robots;
    const char *const *robot;
} request;

static bool read_arguments(int argc, char **argv, bench_run *run, request *r)
{
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        if (i + 1 == argc) {
            return false;
        }
        if (strcmp(argv[i], "--seconds") == 0) {
            run->seconds = strtod(argv[i + 1], NULL);
        } else if (strcmp(argv[i], "--json") == 0) {
            r->json = argv[i + 1];
        } else if (strcmp(argv[i], "--svg") == 0) {
            r->svg = argv[i + 1];
        } else {
            return false;
        }
    }
    if (i < argc) {
        r->robots = argc - i;
        r->robot = (const char *const *)argv + i;
    }
    return run->seconds > 0.0;
}

int main(int argc, char **argv)
{
    static bench_run run = { .seconds = 0.1 };
    request r = { .robots = (int)(sizeof usual_robots / sizeof usual_robots[0]), .robot = usual_robots };
    if (!read_arguments(argc, argv, &run, &r)) {
        fprintf(stderr, "usage: bench_peers [--seconds S] [--json FILE] [--svg FILE] [ROBOT...]\n"
                        "ROBOT: builtin:NAME or a file; S: for each library and algorithm (0.1)\n");
        return 2;
    }
    run.machine = bench_machine_of();
    find_peers(&run);
    for (int i = 0; i < r.robots; i++) {
        if (!run_robot(&run, r.robot[i])) {
            return 1;
        }
    }
    bench_print(&run, stdout);
    const bool written =
        (r.json == NULL || bench_write_json(&run, r.json)) && (r.svg == NULL || bench_write_chart(&run, r.svg));
    return written ? 0 : 1;
}
