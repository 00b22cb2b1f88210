/* points.c - points of interest: --at LINK[:x,y,z]. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"

static void points_new(int count, tool_points *points)
{
    *points = (tool_points){ .count = count };
    points->point = tool_take((size_t)count + 1, sizeof *points->point);
    points->text = tool_take((size_t)count + 1, sizeof *points->text);
}

/* "x,y,z" */
static bool read_offset(const char *text, double offset[3])
{
    for (int i = 0; i < 3; i++) {
        char *end;
        offset[i] = strtod(text, &end);
        if (end == text || !isfinite(offset[i]) || *end != (i < 2 ? ',' : '\0')) {
            return false;
        }
        text = end + 1;
    }
    return true;
}

static void get_point(const soa_model *model, const char *text, soa_point *point)
{
    soa_error error;
    if (soa_model_find_point(model, text, point, &error) == SOA_OK) {
        return;
    }
    const char *colon = strrchr(text, ':');
    if (colon == NULL) {
        tool_fail("%s", error.text);
    }
    char *name = tool_copy(text);
    soa_pose offset = soa_pose_identity();
    name[colon - text] = '\0';
    if (soa_model_find_point(model, name, point, &error) != SOA_OK) {
        tool_fail("%s", error.text);
    }
    if (!read_offset(colon + 1, offset.position)) {
        tool_fail("--at '%s': '%s' is not an offset; write three numbers such as 0,0,0.1", text, colon + 1);
    }
    point->at = soa_pose_compose(&point->at, &offset);
}

void tool_points_get(const tool_call *call, const soa_model *model, tool_points *points)
{
    int count = 0;
    while (tool_value_at(call, "at", count) != NULL) {
        count++;
    }
    points_new(count, points);
    for (int i = 0; i < count; i++) {
        points->text[i] = tool_value_at(call, "at", i);
        get_point(model, points->text[i], &points->point[i]);
        for (int j = 0; j < i; j++) {
            if (strcmp(points->text[i], points->text[j]) == 0) {
                tool_fail("--at '%s' is given twice; give each point once", points->text[i]);
            }
        }
    }
}

void tool_points_links(const soa_model *model, tool_points *points)
{
    points_new(soa_model_links(model), points);
    points->all_links = true;
    points->count = 0;
    for (int k = 0; k < soa_model_links(model); k++) {
        if (!tool_is_virtual(model, k)) {
            points->point[points->count] = (soa_point){ k, soa_pose_identity() };
            points->text[points->count++] = soa_model_link(model, k)->name;
        }
    }
}
