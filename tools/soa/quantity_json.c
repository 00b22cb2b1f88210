/* quantity_json.c - a computed quantity of one state as JSON. */
#include <math.h>

#include "compute.h"

json_t *tool_matrix_json(const double *value, int rows, int cols)
{
    json_t *list = json_array();
    for (int i = 0; i < rows; i++) {
        json_add(list, json_numbers(value + (size_t)i * (size_t)cols, cols));
    }
    return list;
}

/* Names are those of the file: whatever their bytes. */
static void set_named(json_t *object, const char *name, json_t *value)
{
    json_t *text = json_text(name);
    json_set(object, text != NULL ? json_string_value(text) : "", value);
    json_decref(text);
}

static json_t *bodies_json(const tool_batch *b, int state, const double *value)
{
    json_t *object = json_object();
    const size_t links = (size_t)b->links, s = (size_t)state, n = (size_t)b->states;
    const double *pose = value + 12 * links * s;
    const double *velocity = value + 12 * links * n + 6 * links * s;
    const double *acceleration = value + 18 * links * n + 6 * links * s;
    for (int k = 0; k < b->links; k++) {
        if (tool_is_virtual(b->model, k)) {
            continue;
        }
        json_t *body = json_object();
        json_set(body, "rotation", tool_matrix_json(pose + 12 * k, 3, 3));
        json_set(body, "position", json_numbers(pose + 12 * k + 9, 3));
        json_set(body, "velocity", json_numbers(velocity + 6 * k, 6));
        json_set(body, "acceleration", json_numbers(acceleration + 6 * k, 6));
        set_named(object, soa_model_link(b->model, k)->name, body);
    }
    return object;
}

static json_t *jacobian_json(const tool_batch *b, int n, const double *value)
{
    json_t *object = json_object();
    for (int i = 0; i < b->jacobian_points.count; i++) {
        const double *J = value + 6 * (size_t)n * (size_t)i;
        set_named(object, b->jacobian_points.text[i], tool_matrix_json(J, 6, n));
    }
    return object;
}

static json_t *osim_json(const tool_batch *b, int state, const double *value)
{
    const int n = 6 * b->points.count;
    const size_t size = (size_t)n * (size_t)n;
    const double *lambda = value + size * (size_t)state;
    const double *inertia = value + size * (size_t)(b->states + state);
    json_t *object = json_object();
    json_set(object, "inverse", tool_matrix_json(lambda, n, n));
    json_set(object, "inertia", n > 0 && isnan(inertia[0]) ? json_null() : tool_matrix_json(inertia, n, n));
    return object;
}

static json_t *energy_json(const double *value)
{
    json_t *object = json_object();
    json_set(object, "kinetic", json_number(value[0]));
    json_set(object, "potential", json_number(value[1]));
    return object;
}

static json_t *momentum_json(const double *value)
{
    json_t *object = json_object();
    json_set(object, "com", json_numbers(value, 3));
    json_set(object, "velocity", json_numbers(value + 3, 3));
    json_set(object, "spatial", json_numbers(value + 6, 6));
    return object;
}

static json_t *tensor_json(const double *value, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++) {
        json_add(list, tool_matrix_json(value + (size_t)i * (size_t)n * (size_t)n, n, n));
    }
    return list;
}

json_t *tool_quantity_json(const tool_batch *batch, const tool_quantity *quantity, int state, const double *value)
{
    const double *own = value + tool_quantity_size(batch, quantity) * (size_t)state;
    const int n = tool_batch_dofs(batch, state);
    switch (quantity->shape) {
    case SHAPE_JOINTS:
        return json_numbers(own, batch->nv);
    case SHAPE_VECTOR:
        return json_numbers(own, n);
    case SHAPE_MATRIX:
        return tool_matrix_json(own, n, n);
    case SHAPE_TENSOR:
        return tensor_json(own, n);
    case SHAPE_LINEAR: /* has several fields: tool_linear_json */
        return NULL;
    case SHAPE_BODIES:
        return bodies_json(batch, state, value);
    case SHAPE_JACOBIAN:
        return jacobian_json(batch, n, own);
    case SHAPE_OSIM:
        return osim_json(batch, state, value);
    case SHAPE_ENERGY:
        return energy_json(own);
    case SHAPE_MOMENTUM:
        return momentum_json(own);
    case SHAPE_GRASP:
        return tool_grasp_json(batch, own);
    }
    return NULL;
}
