/* io/scenario_control.c - the controllers of a scenario. */
#include <string.h>

#include "core/error.h"
#include "io/scenario.h"

static soa_status read_joints(soa_scenario *s, const soa_yaml *node, soa_controller *c, soa_error *error)
{
    const soa_yaml *list = soa_yaml_get(node, "joints");
    soa_status status = list ? soa_yaml_as_sequence(list, error) : SOA_OK;
    int *link = soa_scenario_take(s, list && status == SOA_OK ? (size_t)list->count : 0, sizeof *link, error);
    if (status != SOA_OK || !link) {
        return status != SOA_OK ? status : SOA_E_MEMORY;
    }
    c->link = link;
    for (const soa_yaml *n = list ? list->child : NULL; n && status == SOA_OK; n = n->next) {
        soa_body body;
        status = soa_scenario_joint(s, n, &body, error);
        if (status == SOA_OK && body.nv != 1) {
            return soa_yaml_fail(n, SOA_E_JOINT, error,
                "joint '%.80s' has several coordinates; controllers take joints with one", n->text);
        }
        link[c->joints++] = status == SOA_OK ? body.link : 0;
    }
    return status;
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
static soa_status read_measured(soa_scenario *s, const soa_yaml *node, soa_controller *c, soa_error *error)
{
    const soa_yaml *measured = soa_yaml_get(node, "measured");
    int *sensor = measured ? soa_scenario_take(s, (size_t)c->joints, sizeof *sensor, error) : NULL;
    if (!measured || !sensor) {
        return measured ? SOA_E_MEMORY : SOA_OK;
    }
    soa_status status = measured->kind == SOA_YAML_MAPPING ? SOA_OK
                                                           : soa_yaml_fail(measured, SOA_E_SYNTAX, error,
                                                                 "'measured' must be a mapping {JOINT: SENSOR}");
    c->sensor = sensor;
    for (int i = 0; i < c->joints; i++) {
        sensor[i] = -1;
    }
    for (const soa_yaml *n = measured->child; n && status == SOA_OK; n = n->next) {
        const char *name;
        int joint = 0;
        status = soa_scenario_own_joint(s, c, n, n->key, &joint, error);
        status = status == SOA_OK ? soa_yaml_as_text(n, &name, error) : status;
        if (status == SOA_OK && (sensor[joint] = find_sensor(s, name)) < 0) {
            return soa_yaml_fail(n, SOA_E_NAME, error, "there is no sensor named '%.80s'", name);
        }
    }
    return status;
}

/* Makes a simulation with this controller alone: what it refuses is refused here, with the line. */
static soa_status try_controller(soa_scenario *s, const soa_yaml *node, const soa_controller *c, soa_error *error)
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
    return soa_scenario_try(s, node, setup, NULL, error);
}

static soa_status read_controller_kind(const soa_yaml *node, soa_controller *c, soa_error *error)
{
    const char *text;
    soa_status status = soa_yaml_need_text(node, "kind", &text, error);
    if (status != SOA_OK) {
        return status;
    }
    c->kind = soa_controller_kind_find(text);
    if (c->kind >= SOA_CONTROL_CALLBACK) {
        return soa_yaml_fail(soa_yaml_get(node, "kind"), SOA_E_NAME, error,
            "controller kind '%.40s' does not exist; take pd, pid, gravity, computed-torque, operational-space, "
            "prescribed or expression",
            text);
    }
    if (c->kind == SOA_CONTROL_EXPRESSION) {
        status = soa_yaml_need_text(node, "torque", &c->expression, error);
    }
    return status;
}

/* ---- a point that is led ------------------------------------------------------------------------ */

static soa_path *path_of_point(void *context, const soa_yaml *node, const char *name, soa_error *error)
{
    static const char *const word[] = { "x", "y", "z", "roll", "pitch", "yaw" };
    soa_path *path = context;
    for (int i = 0; i < 6; i++) {
        if (strcmp(word[i], name) == 0) {
            return &path[i];
        }
    }
    soa_yaml_fail(node, SOA_E_NAME, error, "a path has t and some of x, y, z, roll, pitch, yaw");
    return NULL;
}

/* position and rpy: three constant paths. */
static soa_status read_still(soa_scenario *s, const soa_yaml *node, const char *key, soa_path *path, soa_error *error)
{
    double *number = soa_yaml_get(node, key) ? soa_scenario_take(s, 4, sizeof *number, error) : NULL;
    if (!soa_yaml_get(node, key) || !number) {
        return soa_yaml_get(node, key) ? SOA_E_MEMORY : SOA_OK;
    }
    for (int i = 0; i < 3; i++) {
        path[i].points = (soa_series){ 1, &number[3], &number[i] };
    }
    return soa_yaml_numbers(node, key, 3, number, error);
}

static soa_status read_led_point(soa_scenario *s, const soa_yaml *node, soa_controller *c, soa_error *error)
{
    soa_led_point *point = soa_scenario_take(s, 1, sizeof *point, error);
    soa_path *path = soa_scenario_take(s, 6, sizeof *path, error);
    if (!point || !path) {
        return SOA_E_MEMORY;
    }
    point->path = path;
    c->point = point;
    soa_status status = soa_scenario_point(s, node, "at", &point->at, error);
    status = status == SOA_OK ? soa_yaml_number(node, "point_kp", &point->kp, error) : status;
    status = status == SOA_OK ? soa_yaml_number(node, "point_kd", &point->kd, error) : status;
    status = status == SOA_OK ? soa_yaml_number(node, "turn_kp", &point->turn_kp, error) : status;
    status = status == SOA_OK ? soa_yaml_number(node, "turn_kd", &point->turn_kd, error) : status;
    status = status == SOA_OK ? read_still(s, node, "position", path, error) : status;
    status = status == SOA_OK ? read_still(s, node, "rpy", path + 3, error) : status;
    return status == SOA_OK && soa_yaml_get(node, "path")
               ? soa_scenario_lists(s, node, "path", path_of_point, path, error)
               : status;
}

/* ---- all ---------------------------------------------------------------------------------------- */

static soa_status read_numbers(soa_scenario *s, const soa_yaml *node, soa_controller *c, soa_error *error)
{
    soa_status status = soa_scenario_gains(s, node, "kp", c->joints, &c->kp, error);
    status = status == SOA_OK ? soa_scenario_gains(s, node, "ki", c->joints, &c->ki, error) : status;
    status = status == SOA_OK ? soa_scenario_gains(s, node, "kd", c->joints, &c->kd, error) : status;
    status = status == SOA_OK ? soa_scenario_gains(s, node, "limit", c->joints, &c->limit, error) : status;
    status = status == SOA_OK ? soa_scenario_reference(s, node, c, error) : status;
    return status == SOA_OK && c->kind == SOA_CONTROL_POINT ? read_led_point(s, node, c, error) : status;
}

static soa_status read_controller(soa_scenario *s, soa_yaml *node, soa_controller *c, soa_error *error)
{
    bool active = true;
    *c = (soa_controller){ 0 };
    soa_status status = node->kind == SOA_YAML_MAPPING
                            ? read_controller_kind(node, c, error)
                            : soa_yaml_fail(node, SOA_E_SYNTAX, error,
                                  "a controller is a mapping such as {kind: pd, joints: [elbow], kp: 100, kd: 5}");
    status = status == SOA_OK ? soa_scenario_expect(node, SOA_SECTION_CONTROLLER, (int)c->kind, error) : status;
    status = status == SOA_OK ? soa_yaml_text(node, "name", &c->name, error) : status;
    status = status == SOA_OK ? read_joints(s, node, c, error) : status;
    status = status == SOA_OK ? read_numbers(s, node, c, error) : status;
    status = status == SOA_OK ? read_measured(s, node, c, error) : status;
    status = status == SOA_OK ? soa_yaml_boolean(node, "active", &active, error) : status;
    if (status == SOA_OK && c->joints == 0 && c->kind != SOA_CONTROL_EXPRESSION) {
        return soa_yaml_fail(node, SOA_E_SYNTAX, error, "'joints' is missing; list the joints that it drives");
    }
    c->inactive = !active;
    return status == SOA_OK ? try_controller(s, node, c, error) : status;
}

soa_status soa_scenario_controllers(soa_scenario *scenario, const soa_yaml *root, soa_error *error)
{
    soa_yaml *first;
    soa_status status = soa_yaml_items(root, "controllers", &first, error);
    const int count = first ? first->parent->count : 0;
    soa_controller *controller = soa_scenario_take(scenario, (size_t)count, sizeof *controller, error);
    if (status != SOA_OK || !controller) {
        return status != SOA_OK ? status : SOA_E_MEMORY;
    }
    scenario->setup.controller = controller;
    for (soa_yaml *node = first; node && status == SOA_OK; node = node->next) {
        status = read_controller(scenario, node, &controller[scenario->setup.controllers++], error);
    }
    return status;
}
