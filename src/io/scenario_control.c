/* io/scenario_control.c - the controllers of a scenario. */
#include <string.h>

#include "io/scenario.h"

static void read_joints(soa_scenario *s, const soa_yaml *node, soa_controller *c)
{
    const soa_yaml *list = soa_yaml_get(node, "joints"), *first = soa_yaml_items(node, "joints");
    int *link = soa_scenario_take(s, node, list ? (size_t)list->count : 0, sizeof *link);
    c->link = link;
    for (const soa_yaml *n = first; link && n; n = n->next) {
        const soa_body body = soa_scenario_joint(s, node, n);
        if (body.nv != 1) {
            soa_yaml_fail(n, SOA_E_JOINT, "joint '%.80s' has several coordinates; controllers take joints with one",
                soa_yaml_as_text(n));
        }
        link[c->joints++] = body.link;
    }
}

static int find_sensor(const soa_scenario *s, const char *name)
{
    int found = -1;
    for (int i = 0; i < s->setup.sensors; i++) {
        found = strcmp(s->setup.sensor[i].name, name) == 0 ? i : found;
    }
    return found;
}

/* measured: {JOINT: SENSOR}. */
static void read_measured(soa_scenario *s, const soa_yaml *node, soa_controller *c)
{
    const soa_yaml *measured = soa_yaml_get(node, "measured");
    int *sensor = measured ? soa_scenario_take(s, node, (size_t)c->joints, sizeof *sensor) : NULL;
    if (!sensor || !soa_yaml_as_mapping(measured, "{JOINT: SENSOR}")) {
        return;
    }
    c->sensor = sensor;
    for (int i = 0; i < c->joints; i++) {
        sensor[i] = -1;
    }
    for (const soa_yaml *n = measured->child; n; n = n->next) {
        const int joint = soa_scenario_own_joint(s, c, n, n->key);
        const char *name = soa_yaml_as_text(n);
        const int found = find_sensor(s, name);
        if (found < 0) {
            soa_yaml_fail(n, SOA_E_NAME, "there is no sensor named '%.80s'", name);
        } else if (joint >= 0) {
            sensor[joint] = found;
        }
    }
}

/* Makes a simulation with this controller alone: what it refuses is refused here, with the line. */
static void try_controller(const soa_scenario *s, const soa_yaml *node, const soa_controller *c)
{
    soa_sim_setup setup = soa_sim_setup_default();
    setup.q = s->setup.q;
    setup.v = s->setup.v;
    setup.open = true;
    if (c->sensor) {
        setup = s->setup;
    }
    setup.controllers = 1;
    setup.controller = c;
    soa_scenario_try(s, node, setup, NULL);
}

/* ---- a point that is led ------------------------------------------------------------------------ */

static soa_path *path_of_point(void *context, const soa_yaml *node, const char *name)
{
    static const char *const word[] = { "x", "y", "z", "roll", "pitch", "yaw" };
    soa_path *path = context;
    for (int i = 0; i < 6; i++) {
        if (strcmp(word[i], name) == 0) {
            return &path[i];
        }
    }
    soa_yaml_fail(node, SOA_E_NAME, "a path has t and some of x, y, z, roll, pitch, yaw");
    return NULL;
}

/* position and rpy: three constant paths. */
static void read_still(soa_scenario *s, const soa_yaml *node, const char *key, soa_path *path)
{
    const soa_yaml *value = soa_yaml_get(node, key);
    double *number = value ? soa_scenario_take(s, node, 4, sizeof *number) : NULL;
    for (int i = 0; number && i < 3; i++) {
        path[i].points = (soa_series){ 1, &number[3], &number[i] };
    }
    if (number) {
        soa_yaml_as_numbers(value, 3, number);
    }
}

static void read_led_point(soa_scenario *s, const soa_yaml *node, soa_controller *c)
{
    soa_led_point *point = soa_scenario_take(s, node, 1, sizeof *point);
    soa_path *path = soa_scenario_take(s, node, 6, sizeof *path);
    if (!point || !path) {
        return;
    }
    point->path = path;
    c->point = point;
    point->at = soa_scenario_point(s, node, "at");
    soa_yaml_number(node, "point_kp", &point->kp);
    soa_yaml_number(node, "point_kd", &point->kd);
    soa_yaml_number(node, "turn_kp", &point->turn_kp);
    soa_yaml_number(node, "turn_kd", &point->turn_kd);
    read_still(s, node, "position", path);
    read_still(s, node, "rpy", path + 3);
    if (soa_yaml_get(node, "path")) {
        soa_scenario_lists(s, node, "path", path_of_point, path);
    }
}

/* ---- all ---------------------------------------------------------------------------------------- */

void soa_scenario_controller(soa_scenario *s, soa_yaml *node, void *to)
{
    soa_controller *c = to;
    bool active = true;
    const int kind = soa_scenario_kind(node, SOA_SECTION_CONTROLLER);
    *c = (soa_controller){ .kind = (soa_controller_kind)kind };
    soa_scenario_read(node, SOA_SECTION_CONTROLLER, kind, c);
    read_joints(s, node, c);
    if (!soa_yaml_ok(node)) {
        return;
    }
    c->kp = soa_scenario_gains(s, node, "kp", c->joints);
    c->ki = soa_scenario_gains(s, node, "ki", c->joints);
    c->kd = soa_scenario_gains(s, node, "kd", c->joints);
    c->limit = soa_scenario_gains(s, node, "limit", c->joints);
    soa_scenario_reference(s, node, c);
    if (c->kind == SOA_CONTROL_POINT) {
        read_led_point(s, node, c);
    }
    read_measured(s, node, c);
    soa_yaml_boolean(node, "active", &active);
    if (c->joints == 0 && c->kind != SOA_CONTROL_EXPRESSION) {
        soa_yaml_fail(node, SOA_E_SYNTAX, "'joints' is missing; list the joints that it drives");
    }
    c->inactive = !active;
    try_controller(s, node, c);
}
