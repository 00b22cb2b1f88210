/* io/mjcf_mesh_file.c - the triangles of a mesh file: OBJ, STL (binary or text).
 *
 * Faces of OBJ with more than three corners are cut into a fan, which is exact
 * for the plane faces they should be. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/error.h"
#include "core/number.h"
#include "io/mjcf.h"

/* Where we are in a text. */
typedef struct scan {
    mjcf *m;
    const soa_xml *element; /* that names the file */
    const char *path;
    const char *at;
    int line; /* 0: of a file without lines */
    soa_array *triangles;
} scan;

static bool fail(scan *s, const char *what)
{
    char line[32] = "";
    if (s->line > 0) {
        snprintf(line, sizeof line, ", line %d", s->line);
    }
    return soa_mjcf_ok(
        s->m, soa_xml_fail(s->element, SOA_E_SYNTAX, s->m->error, "the mesh file %.200s%s: %s", s->path, line, what));
}

static double *push(scan *s)
{
    double *corners = soa_array_push(s->triangles, s->m->allocator);
    if (!corners) {
        soa_mjcf_ok(s->m, soa_fail_memory(s->m->error));
    }
    return corners;
}

static void skip_blanks(scan *s)
{
    s->at += strspn(s->at, " \t\r");
}

static void next_line(scan *s)
{
    s->at += strcspn(s->at, "\n");
    s->at += *s->at == '\n';
    s->line++;
}

static bool starts_with(const scan *s, const char *word)
{
    const size_t n = strlen(word);
    return strncasecmp(s->at, word, n) == 0 && s->at[n] != '\0' && strchr(" \t\r\n", s->at[n]) != NULL;
}

static bool read_point(scan *s, double point[3])
{
    for (int i = 0; i < 3; i++) {
        skip_blanks(s);
        const char *end = soa_number_read(s->at, &point[i]);
        if (!end) {
            return fail(s, "three numbers wanted after v or vertex");
        }
        s->at = end;
    }
    return true;
}

/* ---- OBJ ---------------------------------------------------------------------------- */

/* "7", "7/1", "7//2", "-1/..": the point's index, from 0. */
static bool read_corner(scan *s, int points, int *index)
{
    char *end;
    const long n = strtol(s->at, &end, 10);
    if (end == s->at || n == 0 || n > points || n < -(long)points) {
        return fail(s, "a face names a point that is not there");
    }
    *index = (int)(n > 0 ? n - 1 : points + n);
    s->at += strcspn(s->at, " \t\r\n");
    skip_blanks(s);
    return true;
}

static bool read_face(scan *s, const soa_array *points)
{
    int corner[3] = { 0, 0, 0 };
    int n = 0;
    for (skip_blanks(s); *s->at && *s->at != '\n' && *s->at != '#'; n++) {
        corner[1] = corner[2];
        if (!read_corner(s, points->count, &corner[2])) {
            return false;
        }
        corner[0] = n == 0 ? corner[2] : corner[0];
        if (n < 2) {
            continue;
        }
        double *triangle = push(s);
        if (!triangle) {
            return false;
        }
        for (int i = 0; i < 3; i++) {
            memcpy(triangle + 3 * i, soa_array_at(points, corner[i]), 3 * sizeof(double));
        }
    }
    return n >= 3 || fail(s, "a face has fewer than three points");
}

static bool read_obj_lines(scan *s, soa_array *points)
{
    for (; *s->at; next_line(s)) {
        skip_blanks(s);
        if (starts_with(s, "v")) {
            s->at++;
            double *point = soa_array_push(points, s->m->allocator);
            if (!point) {
                return soa_mjcf_ok(s->m, soa_fail_memory(s->m->error));
            }
            if (!read_point(s, point)) {
                return false;
            }
        } else if (starts_with(s, "f")) {
            s->at++;
            if (!read_face(s, points)) {
                return false;
            }
        }
    }
    return true;
}

static bool read_obj(scan *s)
{
    soa_array points = soa_array_of(3 * sizeof(double));
    const bool ok = read_obj_lines(s, &points);
    soa_array_free(&points, s->m->allocator);
    return ok;
}

/* ---- STL ---------------------------------------------------------------------------- */

enum { STL_HEADER = 84, STL_FACET = 50, STL_NORMAL = 12 };

static uint32_t little_endian(const unsigned char b[4])
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static bool is_binary_stl(const char *text, size_t length)
{
    return length >= STL_HEADER &&
           length == STL_HEADER + (size_t)STL_FACET * little_endian((const unsigned char *)text + STL_HEADER - 4);
}

static bool read_stl_binary(scan *s, size_t length)
{
    const unsigned char *end = (const unsigned char *)s->at + length;
    for (const unsigned char *b = (const unsigned char *)s->at + STL_HEADER; b < end; b += STL_FACET) {
        double *triangle = push(s);
        if (!triangle) {
            return false;
        }
        for (int i = 0; i < 9; i++) {
            const uint32_t bits = little_endian(b + STL_NORMAL + 4 * i);
            float value;
            memcpy(&value, &bits, sizeof value);
            if ((bits & 0x7f800000u) == 0x7f800000u) {
                return fail(s, "a coordinate is not a finite number");
            }
            triangle[i] = value;
        }
    }
    return true;
}

static bool read_stl_text(scan *s)
{
    int corner = 0;
    double *triangle = NULL;
    for (; *s->at; next_line(s)) {
        skip_blanks(s);
        if (!starts_with(s, "vertex")) {
            continue;
        }
        s->at += strlen("vertex");
        triangle = corner == 0 ? push(s) : triangle;
        if (!triangle || !read_point(s, triangle + 3 * corner)) {
            return false;
        }
        corner = (corner + 1) % 3;
    }
    return corner == 0 || fail(s, "the last facet has fewer than three points");
}

static bool read_stl(scan *s, const char *text, size_t length)
{
    if (is_binary_stl(text, length)) {
        s->line = 0;
        return read_stl_binary(s, length);
    }
    if (length >= 5 && strncasecmp(text, "solid", 5) == 0 && !memchr(text, '\0', length)) {
        return read_stl_text(s);
    }
    s->line = 0;
    return fail(s, "this is no STL file: its length does not agree with its number of facets");
}

bool soa_mjcf_mesh_file(mjcf *m, const soa_xml *element, const char *path, soa_array *triangles)
{
    char *text;
    size_t length;
    soa_arena arena = soa_arena_on(m->allocator);
    if (!soa_mjcf_ok(m, soa_file_read(&arena, path, &text, &length, m->error))) {
        soa_arena_free(&arena);
        return false;
    }
    scan s = { m, element, path, text, 1, triangles };
    const size_t n = strlen(path);
    const bool ok = n > 4 && strcasecmp(path + n - 4, ".obj") == 0 ? read_obj(&s) : read_stl(&s, text, length);
    soa_arena_free(&arena);
    if (ok && triangles->count == 0) {
        return soa_mjcf_ok(
            m, soa_xml_fail(element, SOA_E_INERTIA, m->error, "the mesh file %.200s has no faces", path));
    }
    return ok;
}
