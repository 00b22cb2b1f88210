/* io/scenario_path.c - gains and references of controllers and servos: targets, waypoints, tables. */
#include <string.h>

#include "io/scenario.h"

const double *soa_scenario_gains(soa_scenario *s, const soa_yaml *node, const char *key, int joints)
{
    const soa_yaml *value = soa_yaml_get(node, key);
    double one = 0.0, *gain = value ? soa_scenario_take(s, node, (size_t)joints, sizeof *gain) : NULL;
    if (gain && value->kind != SOA_YAML_SCALAR) {
        soa_yaml_as_numbers(value, joints, gain);
    } else if (gain) {
        soa_yaml_as_number(value, &one);
        for (int i = 0; i < joints; i++) {
            gain[i] = one;
        }
    }
    return gain;
}

int soa_scenario_own_joint(const soa_scenario *s, const soa_controller *c, const soa_yaml *node, const char *name)
{
    soa_body body = soa_model_body(NULL, SOA_NONE);
    int joint = -1;
    soa_yaml_place(node, soa_model_find_body(s->model, name, &body, soa_yaml_error(node)));
    for (int i = 0; i < c->joints; i++) {
        joint = c->link[i] == body.link ? i : joint;
    }
    if (joint < 0) {
        soa_yaml_fail(node, SOA_E_NAME, "joint '%.80s' is not among 'joints' of the controller", name);
    }
    return joint;
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
        const int body = soa_model_joint_body(s->model, c->link[i]);
        number[2 * i + 1] = body >= 0 ? s->setup.q[soa_model_body(s->model, body).q] : 0.0;
        path[i] = (soa_path){ { 1, &number[2 * i], &number[2 * i + 1] }, SOA_TIMING_LINEAR };
    }
    c->reference = path;
    return path;
}

/* target: {JOINT: number}. */
static void read_target(soa_scenario *s, const soa_yaml *target, const soa_controller *c, soa_path *path)
{
    soa_yaml_as_mapping(target, "{JOINT: number}");
    for (const soa_yaml *n = target->child; n && soa_yaml_ok(n); n = n->next) {
        double *number = soa_scenario_take(s, target, 2, sizeof *number);
        const int joint = soa_scenario_own_joint(s, c, n, n->key);
        if (number && joint >= 0) {
            soa_yaml_as_number(n, &number[1]);
            path[joint].points = (soa_series){ 1, number, number + 1 };
        }
    }
}

/* timing: how a path goes between its points. */
static soa_timing read_timing(const soa_yaml *node, soa_timing usual)
{
    return (soa_timing)soa_yaml_word(node, "timing", soa_form_words(SOA_FORM_TIMING), (int)usual);
}

/* A list of numbers of any length; NULL after a failure. */
static double *read_list(soa_scenario *s, const soa_yaml *mapping, const char *key, int *count)
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    *count = 0;
    if (!value || value->kind != SOA_YAML_SEQUENCE || value->count < 1) {
        soa_yaml_fail(value ? value : mapping, SOA_E_SYNTAX, "'%s' must be a list of numbers", key);
        return NULL;
    }
    double *x = soa_scenario_take(s, mapping, (size_t)value->count, sizeof *x);
    if (x) {
        *count = value->count;
        soa_yaml_as_numbers(value, *count, x);
    }
    return x;
}

void soa_scenario_lists(soa_scenario *s, const soa_yaml *node, const char *key, soa_path_finder *find, void *context)
{
    const soa_yaml *points = soa_yaml_get(node, key);
    int count, own;
    if (!soa_yaml_as_mapping(points, "{t: [...], NAME: [...]}")) {
        return;
    }
    const soa_timing timing = read_timing(node, SOA_TIMING_QUINTIC);
    const double *t = read_list(s, points, "t", &count);
    for (int i = 1; i < count; i++) {
        if (!(t[i] > t[i - 1])) {
            soa_yaml_fail(soa_yaml_get(points, "t"), SOA_E_NUMBER, "times must rise");
        }
    }
    for (const soa_yaml *n = points->child; n && soa_yaml_ok(n); n = n->next) {
        soa_path *path = strcmp(n->key, "t") != 0 ? find(context, n, n->key) : NULL;
        if (path) {
            const double *x = read_list(s, points, n->key, &own);
            if (own != count) {
                soa_yaml_fail(n, SOA_E_SYNTAX, "it has %d numbers, 't' has %d", own, count);
            }
            *path = (soa_path){ { count, t, x }, timing };
        }
    }
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
    const int joint = soa_scenario_own_joint(p->scenario, p->controller, node, name);
    return joint >= 0 ? &p->path[joint] : NULL;
}

/* table: a CSV file with the columns t, JOINT, ... */
static void read_path_table(soa_scenario *s, const soa_yaml *node, const soa_controller *c, soa_path *path)
{
    const soa_yaml *file = soa_yaml_get(node, "table");
    const soa_table table = soa_scenario_table(s, file, true);
    const soa_timing timing = read_timing(node, SOA_TIMING_LINEAR);
    if (!table.name || strcmp(table.name[0], "t") != 0) {
        soa_yaml_fail(file, SOA_E_SYNTAX, "its table must begin with a line of names: t, then joints");
    }
    for (int i = 1; soa_yaml_ok(file) && i < table.columns; i++) {
        const int joint = soa_scenario_own_joint(s, c, file, table.name[i]);
        if (joint >= 0) {
            const double *x = table.number + (size_t)i * (size_t)table.stride;
            path[joint] = (soa_path){ { table.rows, table.number, x }, timing };
        }
    }
}

void soa_scenario_reference(soa_scenario *s, const soa_yaml *node, soa_controller *c)
{
    const soa_yaml *target = soa_yaml_get(node, "target");
    joint_paths paths = { s, c, still_paths(s, node, c) };
    if (!paths.path) {
        return;
    }
    if (target) {
        read_target(s, target, c, paths.path);
    }
    if (soa_yaml_get(node, "waypoints")) {
        soa_scenario_lists(s, node, "waypoints", path_of_joint, &paths);
    }
    if (soa_yaml_get(node, "table")) {
        read_path_table(s, node, c, paths.path);
    }
}
