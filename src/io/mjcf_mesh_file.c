/* io/mjcf_mesh_file.c - the triangles of a mesh file: OBJ, STL (binary or text).
 *
 * Faces of OBJ with more than three corners are cut into a fan, which is exact
 * for the plane faces they should be. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

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

static void fail(scan *s, const char *what)
{
    char line[32] = "";
    if (s->line > 0) {
        snprintf(line, sizeof line, ", line %d", s->line);
    }
    soa_xml_fail(s->element, SOA_E_SYNTAX, "the mesh file %.200s%s: %s", s->path, line, what);
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

static void read_point(scan *s, double point[3])
{
    for (int i = 0; i < 3; i++) {
        skip_blanks(s);
        const char *end = soa_number_read(s->at, &point[i]);
        if (!end) {
            fail(s, "three numbers wanted after v or vertex");
            return;
        }
        s->at = end;
    }
}

/* ---- OBJ ---------------------------------------------------------------------------- */

/* "7", "7/1", "7//2", "-1/..": the point's index, from 0. */
static int read_corner(scan *s, int points)
{
    char *end;
    const long n = strtol(s->at, &end, 10);
    const bool there = end != s->at && n != 0 && n <= points && n >= -(long)points;
    if (!there) {
        fail(s, "a face names a point that is not there");
    }
    s->at += strcspn(s->at, " \t\r\n");
    skip_blanks(s);
    return there ? (int)(n > 0 ? n - 1 : points + n) : 0;
}

static void read_face(scan *s, const soa_array *points)
{
    int corner[3] = { 0, 0, 0 };
    int n = 0;
    for (skip_blanks(s); *s->at && *s->at != '\n' && *s->at != '#'; n++) {
        corner[1] = corner[2];
        corner[2] = read_corner(s, points->count);
        corner[0] = n == 0 ? corner[2] : corner[0];
        double *triangle = n < 2 ? NULL : soa_kit_push(&s->m->kit, s->triangles);
        for (int i = 0; triangle && i < 3; i++) {
            memcpy(triangle + 3 * i, soa_array_at(points, corner[i]), 3 * sizeof(double));
        }
    }
    if (n < 3) {
        fail(s, "a face has fewer than three points");
    }
}

static void read_obj(scan *s)
{
    soa_array points = soa_array_of(3 * sizeof(double));
    for (; *s->at && soa_mjcf_ok(s->m); next_line(s)) {
        skip_blanks(s);
        if (starts_with(s, "v")) {
            s->at++;
            double *point = soa_kit_push(&s->m->kit, &points);
            if (point) {
                read_point(s, point);
            }
        } else if (starts_with(s, "f")) {
            s->at++;
            read_face(s, &points);
        }
    }
    soa_array_free(&points, s->m->kit.allocator);
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

static void read_stl_binary(scan *s, size_t length)
{
    const unsigned char *end = (const unsigned char *)s->at + length;
    double *triangle;
    for (const unsigned char *b = (const unsigned char *)s->at + STL_HEADER;
         b < end && (triangle = soa_kit_push(&s->m->kit, s->triangles)); b += STL_FACET) {
        for (int i = 0; i < 9; i++) {
            const uint32_t bits = little_endian(b + STL_NORMAL + 4 * i);
            float value;
            memcpy(&value, &bits, sizeof value);
            if ((bits & 0x7f800000u) == 0x7f800000u) {
                fail(s, "a coordinate is not a finite number");
            }
            triangle[i] = value;
        }
    }
}

static void read_stl_text(scan *s)
{
    int corner = 0;
    double *triangle = NULL;
    for (; *s->at && soa_mjcf_ok(s->m); next_line(s)) {
        skip_blanks(s);
        if (!starts_with(s, "vertex")) {
            continue;
        }
        s->at += strlen("vertex");
        triangle = corner == 0 ? soa_kit_push(&s->m->kit, s->triangles) : triangle;
        if (triangle) {
            read_point(s, triangle + 3 * corner);
        }
        corner = (corner + 1) % 3;
    }
    if (corner != 0) {
        fail(s, "the last facet has fewer than three points");
    }
}

static void read_stl(scan *s, const char *text, size_t length)
{
    const bool binary = is_binary_stl(text, length);
    if (!binary && length >= 5 && strncasecmp(text, "solid", 5) == 0 && !memchr(text, '\0', length)) {
        read_stl_text(s);
        return;
    }
    s->line = 0;
    if (binary) {
        read_stl_binary(s, length);
    } else {
        fail(s, "this is no STL file: its length does not agree with its number of facets");
    }
}

void soa_mjcf_mesh_file(mjcf *m, const soa_xml *element, const char *path, soa_array *triangles)
{
    char *text;
    size_t length;
    soa_arena arena = soa_arena_on(m->kit.allocator);
    if (soa_mjcf_ok(m) &&
        soa_keep(&m->kit.outcome, soa_file_read(&arena, path, &text, &length, m->kit.outcome.error))) {
        scan s = { m, element, path, text, 1, triangles };
        const size_t n = strlen(path);
        if (n > 4 && strcasecmp(path + n - 4, ".obj") == 0) {
            read_obj(&s);
        } else {
            read_stl(&s, text, length);
        }
        if (triangles->count == 0) {
            soa_xml_fail(element, SOA_E_INERTIA, "the mesh file %.200s has no faces", path);
        }
    }
    soa_arena_free(&arena);
}
