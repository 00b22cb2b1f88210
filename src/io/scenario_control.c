/* io/scenario_control.c - the controllers and events of a scenario. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "io/scenario.h"

/* ---- controllers --------------------------------------------------------------------------- */

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

/* A number for all joints, or a list with one for each; *out stays NULL if the key is not there. */
static soa_status read_gains(
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

/* Which joint of the controller a key names. */
static soa_status find_own_joint(const soa_scenario *s, const soa_controller *c, const soa_yaml *node, const char *name,
    int *joint, soa_error *error)
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
        status = number ? find_own_joint(s, c, n, n->key, &joint, error) : SOA_E_MEMORY;
        status = status == SOA_OK ? soa_yaml_as_number(n, &number[1], error) : status;
        if (status == SOA_OK) {
            path[joint].points = (soa_series){ 1, number, number + 1 };
        }
    }
    return status;
}

static soa_status read_timing(const soa_yaml *node, soa_timing *timing, soa_error *error)
{
    static const char *const word[] = { "linear", "quintic", "trapezoidal" };
    const char *text = "quintic";
    const soa_status status = soa_yaml_text(node, "timing", &text, error);
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, word[i]) == 0) {
            *timing = (soa_timing)i;
            return status;
        }
    }
    return status != SOA_OK ? status
                            : soa_yaml_fail(soa_yaml_get(node, "timing"), SOA_E_NAME, error,
                                  "timing '%.40s' does not exist; take linear, quintic or trapezoidal", text);
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

/* waypoints: {t: [...], JOINT: [...], ...}. */
static soa_status read_waypoints(
    soa_scenario *s, const soa_yaml *node, const soa_controller *c, soa_path *path, soa_error *error)
{
    const soa_yaml *points = soa_yaml_get(node, "waypoints");
    soa_timing timing = SOA_TIMING_QUINTIC;
    int count = 0, own = 0;
    double *t = NULL, *x = NULL;
    soa_status status =
        points->kind == SOA_YAML_MAPPING
            ? read_timing(node, &timing, error)
            : soa_yaml_fail(points, SOA_E_SYNTAX, error, "'waypoints' must be a mapping {t: [...], JOINT: [...]}");
    status = status == SOA_OK ? read_list(s, points, "t", &count, &t, error) : status;
    for (int i = 1; i < count && status == SOA_OK; i++) {
        if (!(t[i] > t[i - 1])) {
            return soa_yaml_fail(soa_yaml_get(points, "t"), SOA_E_NUMBER, error, "times must rise");
        }
    }
    for (const soa_yaml *n = points->child; n && status == SOA_OK; n = n->next) {
        int joint;
        if (strcmp(n->key, "t") == 0) {
            continue;
        }
        status = find_own_joint(s, c, n, n->key, &joint, error);
        status = status == SOA_OK ? read_list(s, points, n->key, &own, &x, error) : status;
        if (status == SOA_OK && own != count) {
            return soa_yaml_fail(n, SOA_E_SYNTAX, error, "it has %d numbers, 't' has %d", own, count);
        }
        if (status == SOA_OK) {
            path[joint] = (soa_path){ { count, t, x }, timing };
        }
    }
    return status;
}

/* table: a CSV file with the columns t, JOINT, ... */
static soa_status read_path_table(
    soa_scenario *s, const soa_yaml *node, const soa_controller *c, soa_path *path, soa_error *error)
{
    const soa_yaml *file = soa_yaml_get(node, "table");
    soa_table table;
    soa_timing timing = SOA_TIMING_LINEAR;
    soa_status status = soa_scenario_table(s, file, &table, error);
    status = status == SOA_OK && soa_yaml_get(node, "timing") ? read_timing(node, &timing, error) : status;
    if (status == SOA_OK && (!table.name || strcmp(table.name[0], "t") != 0)) {
        return soa_yaml_fail(file, SOA_E_SYNTAX, error, "its table must begin with a line of names: t, then joints");
    }
    for (int i = 1; status == SOA_OK && i < table.columns; i++) {
        int joint;
        status = find_own_joint(s, c, file, table.name[i], &joint, error);
        if (status == SOA_OK) {
            const double *x = table.number + (size_t)i * (size_t)table.stride;
            path[joint] = (soa_path){ { table.rows, table.number, x }, timing };
        }
    }
    return status;
}

static soa_status read_reference(soa_scenario *s, const soa_yaml *node, soa_controller *c, soa_error *error)
{
    const soa_yaml *target = soa_yaml_get(node, "target");
    soa_path *path = NULL;
    soa_status status = still_paths(s, c, &path, error);
    status = status == SOA_OK && target ? read_target(s, target, c, path, error) : status;
    status = status == SOA_OK && soa_yaml_get(node, "waypoints") ? read_waypoints(s, node, c, path, error) : status;
    return status == SOA_OK && soa_yaml_get(node, "table") ? read_path_table(s, node, c, path, error) : status;
}

/* Makes a simulation with this controller alone: what it refuses is refused here, with the line. */
static soa_status try_controller(soa_scenario *s, const soa_yaml *node, const soa_controller *c, soa_error *error)
{
    soa_sim_setup setup = soa_sim_setup_default();
    soa_sim *sim = NULL;
    setup.q = s->setup.q;
    setup.open = true;
    setup.controllers = 1;
    setup.controller = c;
    const soa_status status =
        soa_scenario_place(node, soa_sim_new(s->model, &setup, &s->allocator, &sim, error), error);
    soa_sim_free(sim);
    return status;
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
            "controller kind '%.40s' does not exist; take pd, pid, gravity, computed-torque or expression", text);
    }
    if (c->kind == SOA_CONTROL_EXPRESSION) {
        status = soa_yaml_need_text(node, "torque", &c->expression, error);
    }
    return status;
}

static soa_status read_controller(soa_scenario *s, soa_yaml *node, soa_controller *c, soa_error *error)
{
    static const char *const keys[] = { "kind", "name", "joints", "kp", "ki", "kd", "limit", "target", "waypoints",
        "table", "timing", "torque", "active", NULL };
    bool active = true;
    *c = (soa_controller){ 0 };
    soa_status status = soa_yaml_expect(node, "controller", keys, error);
    status = status == SOA_OK ? soa_yaml_text(node, "name", &c->name, error) : status;
    status = status == SOA_OK ? read_controller_kind(node, c, error) : status;
    status = status == SOA_OK ? read_joints(s, node, c, error) : status;
    status = status == SOA_OK ? read_gains(s, node, "kp", c->joints, &c->kp, error) : status;
    status = status == SOA_OK ? read_gains(s, node, "ki", c->joints, &c->ki, error) : status;
    status = status == SOA_OK ? read_gains(s, node, "kd", c->joints, &c->kd, error) : status;
    status = status == SOA_OK ? read_gains(s, node, "limit", c->joints, &c->limit, error) : status;
    status = status == SOA_OK ? read_reference(s, node, c, error) : status;
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

/* ---- events ---------------------------------------------------------------------------------- */

static soa_status read_direction(const soa_yaml *when, int *direction, soa_error *error)
{
    const char *text = "both";
    const soa_status status = soa_yaml_text(when, "direction", &text, error);
    *direction = strcmp(text, "rising") == 0 ? 1 : strcmp(text, "falling") == 0 ? -1 : 0;
    return status != SOA_OK || *direction != 0 || strcmp(text, "both") == 0
               ? status
               : soa_yaml_fail(soa_yaml_get(when, "direction"), SOA_E_SYNTAX, error,
                     "direction '%.40s' does not exist; take rising, falling or both", text);
}

static soa_status read_when(const soa_yaml *node, soa_event *e, soa_error *error)
{
    static const char *const keys[] = { "time", "signal", "crosses", "direction", NULL };
    soa_yaml *when = soa_yaml_get(node, "when");
    if (!when) {
        return soa_yaml_fail(
            node, SOA_E_SYNTAX, error, "'when' is missing; give {time: 3.0} or {signal: q.elbow, crosses: 1.2}");
    }
    soa_status status = soa_yaml_expect(when, NULL, keys, error);
    if (status == SOA_OK && !soa_yaml_get(when, "time") == !soa_yaml_get(when, "signal")) {
        return soa_yaml_fail(when, SOA_E_SYNTAX, error, "'when' needs either 'time' or 'signal' with 'crosses'");
    }
    status = status == SOA_OK ? soa_yaml_number(when, "time", &e->value, error) : status;
    status = status == SOA_OK ? soa_yaml_text(when, "signal", &e->signal, error) : status;
    status = status == SOA_OK ? soa_yaml_number(when, "crosses", &e->value, error) : status;
    return status == SOA_OK ? read_direction(when, &e->direction, error) : status;
}

/* The number of the closure, force, controller or joint that an action names. */
static soa_status find_target(const soa_scenario *s, const soa_yaml *value, soa_event *e, soa_error *error)
{
    const char *name;
    const soa_status status = soa_yaml_as_text(value, &name, error);
    const char *what = "closure";
    e->target = -1;
    if (status != SOA_OK) {
        return status;
    }
    if (e->action == SOA_ACTION_IMPULSE) {
        soa_body body;
        const soa_status found = soa_scenario_joint(s, value, &body, error);
        e->target = found == SOA_OK ? body.link : -1;
        return found;
    }
    if (e->action <= SOA_ACTION_DETACH) {
        for (int i = 0; i < soa_model_closures(s->model); i++) {
            const char *own = soa_model_closure(s->model, i)->name;
            e->target = own && strcmp(own, name) == 0 ? i : e->target;
        }
    } else if (e->action <= SOA_ACTION_DISABLE) {
        what = "force";
        for (int i = 0; i < s->setup.forces; i++) {
            const char *own = s->setup.force[i].name;
            e->target = own && strcmp(own, name) == 0 ? i : e->target;
        }
    } else {
        what = "controller";
        for (int i = 0; i < s->setup.controllers; i++) {
            const char *own = s->setup.controller[i].name;
            e->target = own && strcmp(own, name) == 0 ? i : e->target;
        }
    }
    return e->target >= 0 ? SOA_OK
                          : soa_yaml_fail(value, SOA_E_NAME, error, "there is no %s named '%.80s'", what, name);
}

static soa_status read_action(const soa_scenario *s, const soa_yaml *node, soa_event *e, soa_error *error)
{
    soa_yaml *action = soa_yaml_get(node, "do");
    const char *keys[SOA_ACTIONS + 2] = { NULL };
    for (int i = 0; i < SOA_ACTIONS; i++) {
        keys[i] = soa_action_text((soa_action_kind)i);
    }
    keys[SOA_ACTIONS] = "value";
    if (!action) {
        return soa_yaml_fail(node, SOA_E_SYNTAX, error, "'do' is missing; give {stop: true} or {detach: CLOSURE}");
    }
    soa_status status = soa_yaml_expect(action, NULL, keys, error);
    const soa_yaml *value = status == SOA_OK ? action->child : NULL;
    while (value && strcmp(value->key, "value") == 0) {
        value = value->next;
    }
    if (status != SOA_OK || !value) {
        return status != SOA_OK ? status : soa_yaml_fail(action, SOA_E_SYNTAX, error, "'do' names no action");
    }
    e->action = soa_action_find(value->key);
    if (e->action == SOA_ACTION_STOP || e->action == SOA_ACTION_RECORD) {
        return SOA_OK;
    }
    status = soa_yaml_number(action, "value", &e->impulse, error);
    return status == SOA_OK ? find_target(s, value, e, error) : status;
}

/* Its name, or what it waits for. */
static const char *event_name(soa_scenario *s, const soa_event *e, soa_error *error)
{
    char text[160];
    if (e->name) {
        return e->name;
    }
    if (e->signal) {
        snprintf(text, sizeof text, "%.100s crosses %g", e->signal, e->value);
    } else {
        snprintf(text, sizeof text, "time %g", e->value);
    }
    char *name = soa_scenario_take(s, strlen(text) + 1, 1, error);
    return name ? strcpy(name, text) : NULL;
}

static soa_status read_event(soa_scenario *s, soa_yaml *node, int i, soa_event *e, soa_error *error)
{
    static const char *const keys[] = { "name", "when", "do", "once", NULL };
    *e = (soa_event){ 0 };
    soa_status status = soa_yaml_expect(node, "event", keys, error);
    status = status == SOA_OK ? soa_yaml_text(node, "name", &e->name, error) : status;
    status = status == SOA_OK ? soa_yaml_boolean(node, "once", &e->once, error) : status;
    status = status == SOA_OK ? read_when(node, e, error) : status;
    status = status == SOA_OK ? read_action(s, node, e, error) : status;
    if (status == SOA_OK) {
        s->event_name[i] = event_name(s, e, error);
        status = s->event_name[i] ? SOA_OK : SOA_E_MEMORY;
    }
    return status;
}

soa_status soa_scenario_events(soa_scenario *scenario, const soa_yaml *root, soa_error *error)
{
    soa_yaml *first;
    soa_status status = soa_yaml_items(root, "events", &first, error);
    const int count = first ? first->parent->count : 0;
    soa_event *event = soa_scenario_take(scenario, (size_t)count, sizeof *event, error);
    scenario->event_name = soa_scenario_take(scenario, (size_t)count, sizeof *scenario->event_name, error);
    if (status != SOA_OK || !event || !scenario->event_name) {
        return status != SOA_OK ? status : SOA_E_MEMORY;
    }
    scenario->setup.event = event;
    for (soa_yaml *node = first; node && status == SOA_OK; node = node->next) {
        status = read_event(scenario, node, scenario->setup.events, &event[scenario->setup.events], error);
        scenario->setup.events++;
        soa_sim *sim = NULL;
        if (status == SOA_OK) {
            status = soa_scenario_place(
                node, soa_sim_new(scenario->model, &scenario->setup, &scenario->allocator, &sim, error), error);
        }
        soa_sim_free(sim);
    }
    return status;
}
