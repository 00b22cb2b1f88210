/* tests/io/robots.h - published robots, where the folder SOA_ROBOTS is: its table INDEX.md and its files. */
#ifndef SOA_TESTS_IO_ROBOTS_H
#define SOA_TESTS_IO_ROBOTS_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "soa/io.h"

/* ROBOTS_SKIP: what a program returns that has nothing to test; ctest then says so. */
enum { ROBOTS_SKIP = 77, ROBOTS_COLUMNS = 11, ROBOTS_LINE = 4096, ROBOTS_PATH = 1024 };

static inline bool robots_missing(void)
{
    FILE *file = fopen(SOA_ROBOTS "/INDEX.md", "r");
    if (!file) {
        printf("skipped: there is no " SOA_ROBOTS "/INDEX.md\n");
        return true;
    }
    fclose(file);
    return false;
}

static inline FILE *robots_open(const char *name)
{
    char path[ROBOTS_PATH];
    snprintf(path, sizeof path, SOA_ROBOTS "/%s", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    return file;
}

static inline soa_model *robots_load(const char *name)
{
    char path[ROBOTS_PATH];
    soa_model *model;
    soa_error error;
    snprintf(path, sizeof path, SOA_ROBOTS "/%s", name);
    if (soa_load(path, NULL, &model, &error) != SOA_OK) {
        fail_msg("%s:%d: %s", error.file, error.line, error.text);
    }
    return model;
}

static inline bool robots_ends_with(const char *text, const char *ending)
{
    const size_t n = strlen(text), m = strlen(ending);
    return n > m && strcmp(text + n - m, ending) == 0;
}

/* Visits every file of a folder that loads, and returns how many do; parts of others that do not are no matter here. */
static inline int robots_visit(const char *folder, void (*visit)(const soa_model *model, const char *path))
{
    int loaded = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        char path[ROBOTS_PATH];
        soa_model *model;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if ((robots_ends_with(path, ".urdf") || robots_ends_with(path, ".xml")) &&
            soa_load(path, NULL, &model, NULL) == SOA_OK) {
            visit(model, path);
            soa_model_free(model);
            loaded++;
        }
    }
    if (dir) {
        closedir(dir);
    }
    return loaded;
}

/* Visits the robots of all folders but the one named `without`. */
static inline int robots_visit_all(const char *without, void (*visit)(const soa_model *model, const char *path))
{
    int loaded = 0;
    DIR *dir = opendir(SOA_ROBOTS);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        char folder[512];
        snprintf(folder, sizeof folder, "%s/%s", SOA_ROBOTS, entry->d_name);
        loaded += entry->d_name[0] == '.' || strcmp(entry->d_name, without) == 0 ? 0 : robots_visit(folder, visit);
    }
    if (dir) {
        closedir(dir);
    }
    return loaded;
}

/* One robot of the table. */
typedef struct robots_row {
    char file[256];
    int links, joints, dofs, couplings, closures;
    int unknown; /* links whose mass is in a mesh that is not there */
    double mass; /* of the others; four digits */
} robots_row;

/* The next row of the table whose file has this ending. */
static inline bool robots_next(FILE *table, const char *ending, robots_row *r)
{
    char line[ROBOTS_LINE];
    while (fgets(line, sizeof line, table)) {
        char *cell[ROBOTS_COLUMNS];
        int n = 0;
        if (strncmp(line, "| `", 3) != 0) {
            continue;
        }
        for (char *s = strtok(line, "|"); s && n < ROBOTS_COLUMNS; s = strtok(NULL, "|")) {
            cell[n++] = s;
        }
        if (n < 10 || sscanf(cell[0], " `%255[^`]`", r->file) != 1 || !strstr(r->file, ending)) {
            continue;
        }
        assert_int_equal(sscanf(cell[5], "%d / %d / %d", &r->links, &r->joints, &r->dofs), 3);
        r->couplings = atoi(cell[7]);
        r->closures = atoi(cell[8]);
        r->unknown = 0;
        if (sscanf(cell[9], " (%lf + %d mesh", &r->mass, &r->unknown) != 2) {
            assert_int_equal(sscanf(cell[9], "%lf", &r->mass), 1);
        }
        return true;
    }
    return false;
}

#endif
