/* points.c - points of interest: --at LINK[:x,y,z]. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"

static int points_new(int count, tool_points *points)
{
    *points = (tool_points){ .count = count };
    points->point = calloc((size_t)count + 1, sizeof *points->point);
    points->text = calloc((size_t)count + 1, sizeof *points->text);
    if (points->point == NULL || points->text == NULL) {
        tool_points_free(points);
        return tool_fail_memory();
    }
    return TOOL_OK;
}

void tool_points_free(tool_points *points)
{
    free(points->point);
    free(points->text);
    *points = (tool_points){ 0 };
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

static int get_point(const soa_model *model, const char *text, soa_point *point)
{
    soa_error error;
    if (soa_model_find_point(model, text, point, &error) == SOA_OK) {
        return TOOL_OK;
    }
    const char *colon = strrchr(text, ':');
    if (colon == NULL) {
        return tool_fail("%s", error.text);
    }
    char *name = strndup(text, (size_t)(colon - text));
    if (name == NULL) {
        return tool_fail_memory();
    }
    soa_pose offset = soa_pose_identity();
    int status = TOOL_OK;
    if (soa_model_find_point(model, name, point, &error) != SOA_OK) {
        status = tool_fail("%s", error.text);
    } else if (!read_offset(colon + 1, offset.position)) {
        status = tool_fail("--at '%s': '%s' is not an offset; write three numbers such as 0,0,0.1", text, colon + 1);
    }
    point->at = soa_pose_compose(&point->at, &offset);
    free(name);
    return status;
}

int tool_points_get(const tool_call *call, const soa_model *model, tool_points *points)
{
    int count = 0;
    while (tool_value_at(call, "at", count) != NULL) {
        count++;
    }
    int status = points_new(count, points);
    for (int i = 0; i < count && status == TOOL_OK; i++) {
        points->text[i] = tool_value_at(call, "at", i);
        status = get_point(model, points->text[i], &points->point[i]);
        for (int j = 0; j < i && status == TOOL_OK; j++) {
            if (strcmp(points->text[i], points->text[j]) == 0) {
                status = tool_fail("--at '%s' is given twice; give each point once", points->text[i]);
            }
        }
    }
    if (status != TOOL_OK) {
        tool_points_free(points);
    }
    return status;
}

int tool_points_links(const soa_model *model, tool_points *points)
{
    const int status = points_new(soa_model_links(model), points);
    if (status != TOOL_OK) {
        return status;
    }
    points->all_links = true;
    points->count = 0;
    for (int k = 0; k < soa_model_links(model); k++) {
        if (!tool_is_virtual(model, k)) {
            points->point[points->count] = (soa_point){ k, soa_pose_identity() };
            points->text[points->count++] = soa_model_link(model, k)->name;
        }
    }
    return TOOL_OK;
}
