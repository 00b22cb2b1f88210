/* tests/peers/mujoco_load.c - MJCF into MuJoCo, with amendments.
 *
 * Everything happens in MuJoCo's virtual file system, where files are known by
 * their names without folders. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers/mujoco_peer.h"

enum { NAME = 256, PATH = 1024, TRIES = 1000 };

static mjVFS *new_files(void)
{
    mjVFS *files = malloc(sizeof *files);
    assert_non_null(files);
    mj_defaultVFS(files);
    return files;
}

static void free_files(mjVFS *files)
{
    mj_deleteVFS(files);
    free(files);
}

static bool add_file(mjVFS *files, const char *name, const void *data, size_t length)
{
    if (mj_makeEmptyFileVFS(files, name, (int)length) != 0) {
        return false;
    }
    memcpy(files->filedata[mj_findFileVFS(files, name)], data, length);
    return true;
}

mjModel *mujoco_load_text(const char *text, size_t length, char *reason, int size)
{
    mjVFS *files = new_files();
    assert_true(add_file(files, "model.xml", text, length));
    mjModel *model = mj_loadXML("model.xml", files, reason, size);
    free_files(files);
    return model;
}

/* ---- amendments ---------------------------------------------------------------------- */

/* The text between is overwritten by spaces. */
static void blank(char *from, const char *to)
{
    for (; from < to; from++) {
        *from = *from == '\n' ? '\n' : ' ';
    }
}

/* <name ...> ... </name>, wherever it is. */
static void blank_elements(char *text, const char *name)
{
    char open[NAME], close[NAME];
    snprintf(open, sizeof open, "<%s", name);
    snprintf(close, sizeof close, "</%s>", name);
    for (char *from = strstr(text, open); from; from = strstr(from + 1, open)) {
        char *end = strchr(from, '>');
        if (!end || !strchr(" >\n", from[strlen(open)])) {
            continue;
        }
        char *last = end[-1] == '/' ? NULL : strstr(end, close);
        blank(from, last ? last + strlen(close) : end + 1);
    }
}

/* name="...", wherever it is. */
static bool blank_attribute(char *text, const char *name)
{
    char start[NAME + 4];
    bool found = false;
    snprintf(start, sizeof start, " %s=\"", name);
    for (char *from = strstr(text, start); from; from = strstr(from, start)) {
        const char *end = strchr(from + strlen(start), '"');
        blank(from, end ? end + 1 : from + 1);
        found = true;
    }
    return found;
}

/* None of these bears on rigid bodies that move freely. */
static const char *const blanked[] = { "actuator", "sensor", "tendon", "contact", "keyframe", "skin", "texture" };

static const char *const unknown[] = { "actuatorfrcrange", "actuatorfrclimited", "content_type", "dampratio",
    "inheritrange" };

static bool blank_in_all(mjVFS *files, const char *attribute)
{
    bool found = false;
    for (int i = 0; i < files->nfile; i++) {
        found = (strstr(files->filename[i], ".xml") && blank_attribute(files->filedata[i], attribute)) || found;
    }
    return found;
}

/* What the reason says this release does not understand. */
static bool amend_unknown(mjVFS *files, const char *reason)
{
    if (strstr(reason, "'implicitfast'")) {
        return blank_in_all(files, "integrator");
    }
    if (strstr(reason, "has `range` but not `limited`")) {
        return blank_in_all(files, "range");
    }
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        char quoted[NAME];
        snprintf(quoted, sizeof quoted, "unrecognized attribute: '%s'", unknown[i]);
        if (strstr(reason, quoted)) {
            return blank_in_all(files, unknown[i]);
        }
    }
    return false;
}

static const char tetrahedron_obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/* The same as binary STL: 80 bytes, the number of faces, per face a normal, three corners, two bytes. */
static size_t write_stl(unsigned char *stl)
{
    static const int face[4][3] = { { 0, 2, 1 }, { 0, 1, 3 }, { 0, 3, 2 }, { 1, 2, 3 } };
    const uint32_t faces = 4;
    memset(stl, 0, 284);
    memcpy(stl + 80, &faces, 4);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 3; j++) {
            float corner[3] = { 0.0F, 0.0F, 0.0F };
            if (face[i][j] > 0) {
                corner[face[i][j] - 1] = 1.0F;
            }
            memcpy(stl + 84 + 50 * i + 12 * (j + 1), corner, sizeof corner);
        }
    }
    return 284;
}

/* A stand-in for the file that the reason names in quotes and says could not be had. */
static bool stand_in(mjVFS *files, const char *reason)
{
    unsigned char stl[284];
    char path[PATH];
    const char *quote = strchr(reason, '\'');
    if (!strstr(reason, "could not") || !quote || sscanf(quote, "'%1023[^']'", path) != 1) {
        return false;
    }
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const char *ending = strrchr(name, '.');
    if (ending && (strcmp(ending, ".obj") == 0 || strcmp(ending, ".OBJ") == 0)) {
        return add_file(files, name, tetrahedron_obj, strlen(tetrahedron_obj));
    }
    return ending && (strcmp(ending, ".stl") == 0 || strcmp(ending, ".STL") == 0) &&
           add_file(files, name, stl, write_stl(stl));
}

/* ---- files ---------------------------------------------------------------------------- */

static char *read_text(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = calloc(*length + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *length, file), *length);
    fclose(file);
    return text;
}

/* With the NUL, so that it is a string; MuJoCo does not mind. */
static void add_amended(mjVFS *files, const char *folder, const char *name)
{
    char path[PATH + NAME + 1];
    size_t length;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *text = read_text(path, &length);
    for (size_t i = 0; i < sizeof blanked / sizeof blanked[0]; i++) {
        blank_elements(text, blanked[i]);
        blank_attribute(text, blanked[i]);
    }
    assert_true(add_file(files, name, text, length + 1));
    free(text);
}

static void add_folder(mjVFS *files, const char *folder)
{
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        const char *ending = strrchr(entry->d_name, '.');
        if (ending && strcmp(ending, ".xml") == 0) {
            add_amended(files, folder, entry->d_name);
        }
    }
    closedir(directory);
}

mjModel *mujoco_load_file(const char *path, char *reason, int size)
{
    char folder[PATH];
    mjModel *model = NULL;
    mjVFS *files = new_files();
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    add_folder(files, folder);
    for (int i = 0; i < TRIES && !model; i++) {
        reason[0] = '\0';
        model = mj_loadXML(path, files, reason, size);
        if (!model && !amend_unknown(files, reason) && !stand_in(files, reason)) {
            break;
        }
    }
    free_files(files);
    return model;
}
