/* io/scenario_path.c - gains and references of controllers and servos: targets, waypoints, tables. */
#include <string.h>

#include "core/error.h"
#include "io/scenario.h"

soa_status soa_scenario_gains(
    soa_scenario *s, const soa_yaml *node, const char *key, int joints, const double **out, soa_error *error)
{
    const soa_yaml *value = soa_yaml_get(node, key);
    double *gain = value ? soa_scenario_take(s, (size_t)joints, sizeof *gain, error) : NULL;
    if (!value || !gain) {
        return value ? SOA_E_MEMORY : SOA_OK;
    }
    *out = gain;
    if (value->kind != SOA_YAML_SCALAR) {
        return soa_yaml_numbers(node, key, joints, gain, error);
    }
    double one = 0.0;
    const soa_status status = soa_yaml_as_number(value, &one, error);
    for (int i = 0; i < joints; i++) {
        gain[i] = one;
    }
    return status;
}

soa_status soa_scenario_own_joint(const soa_scenario *s, const soa_controller *c, const soa_yaml *node,
    const char *name, int *joint, soa_error *error)
{
    soa_body body;
    const soa_status status = soa_scenario_place(node, soa_model_find_body(s->model, name, &body, error), error);
    *joint = -1;
    for (int i = 0; i < c->joints && status == SOA_OK; i++) {
        *joint = c->link[i] == body.link ? i : *joint;
    }
    return status != SOA_OK || *joint >= 0
               ? status
               : soa_yaml_fail(node, SOA_E_NAME, error, "joint '%.80s' is not among 'joints' of the controller", name);
}

/* A path that stays where the joint begins. */
static soa_status still_paths(soa_scenario *s, soa_controller *c, soa_path **path, soa_error *error)
{
    *path = soa_scenario_take(s, (size_t)c->joints, sizeof **path, error);
    double *number = soa_scenario_take(s, 2 * (size_t)c->joints, sizeof *number, error);
    if (!*path || !number) {
        return SOA_E_MEMORY;
    }
    for (int i = 0; i < c->joints; i++) {
        for (int k = 0; k < soa_model_bodies(s->model); k++) {
            const soa_body body = soa_model_body(s->model, k);
            number[2 * i + 1] = body.link == c->link[i] ? s->setup.q[body.q] : number[2 * i + 1];
        }
        (*path)[i] = (soa_path){ { 1, &number[2 * i], &number[2 * i + 1] }, SOA_TIMING_LINEAR };
    }
    c->reference = *path;
    return SOA_OK;
}

/* target: {JOINT: number}. */
static soa_status read_target(
    soa_scenario *s, const soa_yaml *target, const soa_controller *c, soa_path *path, soa_error *error)
{
    soa_status status = target->kind == SOA_YAML_MAPPING
                            ? SOA_OK
                            : soa_yaml_fail(target, SOA_E_SYNTAX, error, "'target' must be a mapping {JOINT: number}");
    for (const soa_yaml *n = target->child; n && status == SOA_OK; n = n->next) {
        int joint;
        double *number = soa_scenario_take(s, 2, sizeof *number, error);
        status = number ? soa_scenario_own_joint(s, c, n, n->key, &joint, error) : SOA_E_MEMORY;
        status = status == SOA_OK ? soa_yaml_as_number(n, &number[1], error) : status;
        if (status == SOA_OK) {
            path[joint].points = (soa_series){ 1, number, number + 1 };
        }
    }
    return status;
}

static soa_status read_timing(const soa_yaml *node, soa_timing *timing, soa_error *error)
{
    static const char *const word[] = { "linear", "quintic", "trapezoidal", "smooth" };
    const char *text = "quintic";
    const soa_status status = soa_yaml_text(node, "timing", &text, error);
    for (int i = 0; i < 4; i++) {
        if (strcmp(text, word[i]) == 0) {
            *timing = (soa_timing)i;
            return status;
        }
    }
    return status != SOA_OK ? status
                            : soa_yaml_fail(soa_yaml_get(node, "timing"), SOA_E_NAME, error,
                                  "timing '%.40s' does not exist; take linear, quintic, trapezoidal or smooth", text);
}

/* A list of numbers of any length. */
static soa_status read_list(
    soa_scenario *s, const soa_yaml *mapping, const char *key, int *count, double **x, soa_error *error)
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    if (!value || value->kind != SOA_YAML_SEQUENCE || value->count < 1) {
        return soa_yaml_fail(value ? value : mapping, SOA_E_SYNTAX, error, "'%s' must be a list of numbers", key);
    }
    *count = value->count;
    *x = soa_scenario_take(s, (size_t)*count, sizeof **x, error);
    return *x ? soa_yaml_numbers(mapping, key, *count, *x, error) : SOA_E_MEMORY;
}

soa_status soa_scenario_lists(
    soa_scenario *s, const soa_yaml *node, const char *key, soa_path_finder *find, void *context, soa_error *error)
{
    const soa_yaml *points = soa_yaml_get(node, key);
    soa_timing timing = SOA_TIMING_QUINTIC;
    int count = 0, own = 0;
    double *t = NULL, *x = NULL;
    soa_status status = points->kind == SOA_YAML_MAPPING ? read_timing(node, &timing, error)
                                                         : soa_yaml_fail(points, SOA_E_SYNTAX, error,
                                                               "'%s' must be a mapping {t: [...], NAME: [...]}", key);
    status = status == SOA_OK ? read_list(s, points, "t", &count, &t, error) : status;
    for (int i = 1; i < count && status == SOA_OK; i++) {
        if (!(t[i] > t[i - 1])) {
            return soa_yaml_fail(soa_yaml_get(points, "t"), SOA_E_NUMBER, error, "times must rise");
        }
    }
    for (const soa_yaml *n = points->child; n && status == SOA_OK; n = n->next) {
        if (strcmp(n->key, "t") == 0) {
            continue;
        }
        soa_path *path = find(context, n, n->key, error);
        status = path ? read_list(s, points, n->key, &own, &x, error) : SOA_E_NAME;
        if (status == SOA_OK && own != count) {
            return soa_yaml_fail(n, SOA_E_SYNTAX, error, "it has %d numbers, 't' has %d", own, count);
        }
        if (status == SOA_OK) {
            *path = (soa_path){ { count, t, x }, timing };
        }
    }
    return status;
}

/* The paths of a controller, by its joints. */
typedef struct joint_paths {
    const soa_scenario *scenario;
    const soa_controller *controller;
    soa_path *path;
} joint_paths;

static soa_path *path_of_joint(void *context, const soa_yaml *node, const char *name, soa_error *error)
{
    const joint_paths *p = context;
    int joint;
    return soa_scenario_own_joint(p->scenario, p->controller, node, name, &joint, error) == SOA_OK ? &p->path[joint]
                                                                                                   : NULL;
}

/* table: a CSV file with the columns t, JOINT, ... */
static soa_status read_path_table(
    soa_scenario *s, const soa_yaml *node, const soa_controller *c, soa_path *path, soa_error *error)
{
    const soa_yaml *file = soa_yaml_get(node, "table");
    soa_table table;
    soa_timing timing = SOA_TIMING_LINEAR;
    soa_status status = soa_scenario_table(s, file, true, &table, error);
    status = status == SOA_OK && soa_yaml_get(node, "timing") ? read_timing(node, &timing, error) : status;
    if (status == SOA_OK && (!table.name || strcmp(table.name[0], "t") != 0)) {
        return soa_yaml_fail(file, SOA_E_SYNTAX, error, "its table must begin with a line of names: t, then joints");
    }
    for (int i = 1; status == SOA_OK && i < table.columns; i++) {
        int joint;
        status = soa_scenario_own_joint(s, c, file, table.name[i], &joint, error);
        if (status == SOA_OK) {
            const double *x = table.number + (size_t)i * (size_t)table.stride;
            path[joint] = (soa_path){ { table.rows, table.number, x }, timing };
        }
    }
    return status;
}

soa_status soa_scenario_reference(soa_scenario *s, const soa_yaml *node, soa_controller *c, soa_error *error)
{
    const soa_yaml *target = soa_yaml_get(node, "target");
    soa_path *path = NULL;
    soa_status status = still_paths(s, c, &path, error);
    joint_paths paths = { s, c, path };
    status = status == SOA_OK && target ? read_target(s, target, c, path, error) : status;
    status = status == SOA_OK && soa_yaml_get(node, "waypoints")
                 ? soa_scenario_lists(s, node, "waypoints", path_of_joint, &paths, error)
                 : status;
    return status == SOA_OK && soa_yaml_get(node, "table") ? read_path_table(s, node, c, path, error) : status;
}
