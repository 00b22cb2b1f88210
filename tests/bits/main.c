/* tests/bits/main.c - tables of hashes.
 *
 *     soa_bits [AREA...]               prints a row per model and algorithm
 *     soa_bits write FOLDER            writes the table of this processor's numeric profile: FOLDER/fma.txt or plain.txt
 *     soa_bits check FOLDER [AREA...]  compares with it
 *
 * Results keep their bits on every machine of a profile, so a difference is a mistake, or a change that is wanted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"

const way WAY[WAYS] = {
    { "lanes 1", 1, false, false },
    { "lanes 2", 2, false, false }, /* WebAssembly */
    { "lanes 4", 4, false, false },
    { "lanes 8", 8, false, false },
    { "singly", 0, true, false },
    { "threads", 0, false, true },
};

bool way_counts(const soa_model *model, const way *w, int widest)
{
    return soa_model_bodies(model) <= 20 || !(w->threads || (w->lanes > 1 && w->lanes < widest));
}

/* ---- areas ---------------------------------------------------------------------------------------- */

enum { MODELS = 16 };

/* Rows of some models, or all rows by one function. */
typedef struct area {
    const char *name;
    void (*all)(void);
    void (*one)(const char *name, const soa_model *model);
    const char *model[MODELS];
} area;

#define TREES "tree:9,2", "tree:14,1", "tree:25,6"

static const area AREA[] = {
    { "spatial", bits_spatial, NULL, { NULL } },
    { "models", NULL, bits_models,
        { "pendulum", "arm6", "arm7", "dual-arm", "quadruped", "humanoid", "satellite", "hexapod", "coupled-arm", "odd",
            "flexible-chain:3,4", TREES, "particles:5", "ladder:3,1" } },
    { "dynamics", NULL, bits_dynamics,
        { "arm7", "quadruped", "humanoid", "satellite", "coupled-arm", "odd", "chain:40", TREES, "tree:40,7" } },
    { "derivatives", NULL, bits_derivatives, { "arm7", "quadruped", "coupled-arm", "odd", "chain:12", TREES } },
    { "operators", NULL, bits_operators,
        { "arm7", "quadruped", "odd", "chain:40", TREES, "flexible-chain:3,4", "particles:8", "particles:9" } },
    { "language", NULL, bits_expressions,
        { "arm7", "quadruped", "odd", "tree:9,2", "tree:14,1", "flexible-chain:2,2", "particles:6" } },
    { "flexible", NULL, bits_dynamics,
        { "flexible-chain:1,1", "flexible-chain:3,4", "flexible-chain:4,7", "particles:5", "particles:8", "particles:9",
            "particles:10", "particles:12" } },
    { "slopes", NULL, bits_derivatives, { "flexible-chain:2,3", "particles:2", "particles:3" } },
    { "forces", NULL, bits_forces, { "odd", "tree:14,1", "arm7", "flexible-chain:2,3" } },
    { "systems", NULL, bits_system,
        { "arm7", "odd", "coupled-arm", "hexapod", "ladder:1,1", "ladder:3,5", "flexible-chain:2,2" } },
    { "links", bits_flex, NULL, { NULL } },
    { "simulation", bits_simulation, NULL, { NULL } },
    { "events", bits_events, NULL, { NULL } },
    { "control", bits_control, NULL, { NULL } },
    { "closures", bits_closures, NULL, { NULL } },
    { "ties", bits_flexible_closures, NULL, { NULL } },
    { "large", NULL, bits_dynamics, { "chain:4100", "tree:4100,3" } },
    { "errors", bits_errors, NULL, { NULL } },
    { "singular", bits_singular, NULL, { NULL } },
};

enum { AREAS = sizeof AREA / sizeof AREA[0] };

static void run(const area *a, bool shown)
{
    rows_begin(a->name, shown);
    for (int i = 0; i < MODELS && a->model[i]; i++) {
        soa_model *model = bits_model(a->model[i]);
        a->one(a->model[i], model);
        soa_model_free(model);
    }
    if (a->all) {
        a->all();
    }
}

/* The place of an area; the program ends if there is none. */
static const area *named(const char *name)
{
    int i = 0;
    while (i < AREAS && strcmp(AREA[i].name, name) != 0) {
        i++;
    }
    if (i == AREAS) {
        bits_fail("there is no such area");
    }
    return &AREA[i];
}

/* ---- the program ------------------------------------------------------------------------------------ */

static FILE *open_table(const char *folder, const char *mode)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s.txt", folder, soa_cpu_features().fma ? "fma" : "plain");
    FILE *file = fopen(path, mode);
    if (!file) {
        bits_fail(path);
    }
    return file;
}

int main(int argc, char **argv)
{
    const bool checks = argc > 2 && strcmp(argv[1], "check") == 0, writes = argc > 2 && strcmp(argv[1], "write") == 0;
    FILE *file = checks || writes ? open_table(argv[2], checks ? "r" : "w") : NULL;
    const int first = file ? 3 : 1;
    int differ = 0, rows = 0;
    for (int i = 0; i < (argc > first ? argc - first : AREAS); i++) {
        run(argc > first ? named(argv[first + i]) : &AREA[i], !file);
        rows += rows_count();
        differ += checks ? rows_compare(file) : 0;
        if (writes) {
            rows_write(file);
        }
    }
    if (checks) {
        (void)printf("%d rows, %d differences\n", rows, differ);
        (void)fputs(differ > 0 ? "If results are to change, `make bits` writes the tables anew.\n" : "", stdout);
    }
    return (file && fclose(file) != 0) || differ > 0;
}
