/* io/scenario_path.c - gains and references of controllers and servos: targets, waypoints, tables. */
#include <string.h>

#include "io/scenario.h"

bool soa_scenario_gains(soa_scenario *s, const soa_yaml *node, const char *key, int joints, const double **out)
{
    const soa_yaml *value = soa_yaml_get(node, key);
    double *gain = value ? soa_scenario_take(s, node, (size_t)joints, sizeof *gain) : NULL;
    if (!gain) {
        return !value;
    }
    *out = gain;
    if (value->kind != SOA_YAML_SCALAR) {
        return soa_yaml_as_numbers(value, joints, gain);
    }
    double one = 0.0;
    const bool ok = soa_yaml_as_number(value, &one);
    for (int i = 0; i < joints; i++) {
        gain[i] = one;
    }
    return ok;
}

bool soa_scenario_own_joint(
    const soa_scenario *s, const soa_controller *c, const soa_yaml *node, const char *name, int *joint)
{
    soa_body body;
    *joint = -1;
    if (!soa_yaml_place(node, soa_model_find_body(s->model, name, &body, node->file->error))) {
        return false;
    }
    for (int i = 0; i < c->joints; i++) {
        *joint = c->link[i] == body.link ? i : *joint;
    }
    return *joint >= 0 ||
           soa_yaml_fail(node, SOA_E_NAME, "joint '%.80s' is not among 'joints' of the controller", name);
}

/* Paths that stay where the joints begin. */
static soa_path *still_paths(soa_scenario *s, const soa_yaml *node, soa_controller *c)
{
    soa_path *path = soa_scenario_take(s, node, (size_t)c->joints, sizeof *path);
    double *number = soa_scenario_take(s, node, 2 * (size_t)c->joints, sizeof *number);
    if (!path || !number) {
        return NULL;
    }
    for (int i = 0; i < c->joints; i++) {
        for (int k = 0; k < soa_model_bodies(s->model); k++) {
            const soa_body body = soa_model_body(s->model, k);
            number[2 * i + 1] = body.link == c->link[i] ? s->setup.q[body.q] : number[2 * i + 1];
        }
        path[i] = (soa_path){ { 1, &number[2 * i], &number[2 * i + 1] }, SOA_TIMING_LINEAR };
    }
    c->reference = path;
    return path;
}

/* target: {JOINT: number}. */
static bool read_target(soa_scenario *s, const soa_yaml *target, const soa_controller *c, soa_path *path)
{
    bool ok = soa_yaml_as_mapping(target, "{JOINT: number}");
    for (const soa_yaml *n = target->child; n && ok; n = n->next) {
        int joint = 0;
        double *number = soa_scenario_take(s, target, 2, sizeof *number);
        ok = number && soa_scenario_own_joint(s, c, n, n->key, &joint) && soa_yaml_as_number(n, &number[1]);
        if (ok) {
            path[joint].points = (soa_series){ 1, number, number + 1 };
        }
    }
    return ok;
}

/* timing: how a path goes between its points. */
static bool read_timing(const soa_yaml *node, soa_timing *timing)
{
    int index = (int)*timing;
    const bool ok = soa_yaml_word(node, "timing", soa_form_words(SOA_FORM_TIMING), &index);
    *timing = (soa_timing)index;
    return ok;
}

/* A list of numbers of any length. */
static bool read_list(soa_scenario *s, const soa_yaml *mapping, const char *key, int *count, double **x)
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    if (!value || value->kind != SOA_YAML_SEQUENCE || value->count < 1) {
        return soa_yaml_fail(value ? value : mapping, SOA_E_SYNTAX, "'%s' must be a list of numbers", key);
    }
    *count = value->count;
    *x = soa_scenario_take(s, mapping, (size_t)*count, sizeof **x);
    return *x && soa_yaml_as_numbers(value, *count, *x);
}

bool soa_scenario_lists(soa_scenario *s, const soa_yaml *node, const char *key, soa_path_finder *find, void *context)
{
    const soa_yaml *points = soa_yaml_get(node, key);
    soa_timing timing = SOA_TIMING_QUINTIC;
    int count = 0, own = 0;
    double *t = NULL, *x = NULL;
    bool ok = soa_yaml_as_mapping(points, "{t: [...], NAME: [...]}") && read_timing(node, &timing) &&
              read_list(s, points, "t", &count, &t);
    for (int i = 1; i < count && ok; i++) {
        ok = t[i] > t[i - 1] || soa_yaml_fail(soa_yaml_get(points, "t"), SOA_E_NUMBER, "times must rise");
    }
    for (const soa_yaml *n = points->child; n && ok; n = n->next) {
        soa_path *path = strcmp(n->key, "t") != 0 ? find(context, n, n->key) : NULL;
        if (!path) {
            ok = strcmp(n->key, "t") == 0;
            continue;
        }
        ok = read_list(s, points, n->key, &own, &x) &&
             (own == count || soa_yaml_fail(n, SOA_E_SYNTAX, "it has %d numbers, 't' has %d", own, count));
        *path = (soa_path){ { count, t, x }, timing };
    }
    return ok;
}

/* The paths of a controller, by its joints. */
typedef struct joint_paths {
    const soa_scenario *scenario;
    const soa_controller *controller;
    soa_path *path;
} joint_paths;

static soa_path *path_of_joint(void *context, const soa_yaml *node, const char *name)
{
    const joint_paths *p = context;
    int joint;
    return soa_scenario_own_joint(p->scenario, p->controller, node, name, &joint) ? &p->path[joint] : NULL;
}

/* table: a CSV file with the columns t, JOINT, ... */
static bool read_path_table(soa_scenario *s, const soa_yaml *node, const soa_controller *c, soa_path *path)
{
    const soa_yaml *file = soa_yaml_get(node, "table");
    soa_table table;
    soa_timing timing = SOA_TIMING_LINEAR;
    if (!soa_scenario_table(s, file, true, &table) || !read_timing(node, &timing)) {
        return false;
    }
    if (!table.name || strcmp(table.name[0], "t") != 0) {
        return soa_yaml_fail(file, SOA_E_SYNTAX, "its table must begin with a line of names: t, then joints");
    }
    bool ok = true;
    for (int i = 1; ok && i < table.columns; i++) {
        int joint;
        ok = soa_scenario_own_joint(s, c, file, table.name[i], &joint);
        if (ok) {
            const double *x = table.number + (size_t)i * (size_t)table.stride;
            path[joint] = (soa_path){ { table.rows, table.number, x }, timing };
        }
    }
    return ok;
}

bool soa_scenario_reference(soa_scenario *s, const soa_yaml *node, soa_controller *c)
{
    const soa_yaml *target = soa_yaml_get(node, "target");
    joint_paths paths = { s, c, still_paths(s, node, c) };
    return paths.path && (!target || read_target(s, target, c, paths.path)) &&
           (!soa_yaml_get(node, "waypoints") || soa_scenario_lists(s, node, "waypoints", path_of_joint, &paths)) &&
           (!soa_yaml_get(node, "table") || read_path_table(s, node, c, paths.path));
}
