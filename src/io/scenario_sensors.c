/* io/scenario_sensors.c - the sensors of a scenario. */
#include <string.h>

#include "core/error.h"
#include "io/scenario.h"

static soa_status read_kind(const soa_yaml *node, soa_sensor_kind *kind, soa_error *error)
{
    const char *text, *list[SOA_SENSOR_KINDS + 1] = { NULL };
    const soa_status status = soa_yaml_need_text(node, "kind", &text, error);
    for (int i = 0; i < SOA_SENSOR_KINDS; i++) {
        list[i] = soa_sensor_kind_text((soa_sensor_kind)i);
    }
    *kind = status == SOA_OK ? soa_sensor_kind_find(text) : SOA_SENSOR_KINDS;
    if (status == SOA_OK && *kind == SOA_SENSOR_KINDS) {
        const char *near = soa_yaml_nearest(text, list);
        return soa_yaml_fail(soa_yaml_get(node, "kind"), SOA_E_NAME, error, "sensor kind '%.40s' does not exist; %s%s",
            text, near ? "did you mean " : "take encoder, imu, joint-force, closure-force or contact-force",
            near ? near : "");
    }
    return status;
}

/* The key that says where a sensor is. */
static const char *place_of(soa_sensor_kind kind)
{
    static const char *const key[] = { "joint", "at", "joint", "closure", "force" };
    return key[kind];
}

static int find_named(const soa_scenario *s, soa_sensor_kind kind, const char *name)
{
    int found = -1;
    for (int i = 0; kind == SOA_SENSOR_CLOSURE && i < soa_model_closures(s->model); i++) {
        const char *own = soa_model_closure(s->model, i)->name;
        found = own && strcmp(own, name) == 0 ? i : found;
    }
    for (int i = 0; kind == SOA_SENSOR_CONTACT && i < s->setup.forces; i++) {
        const char *own = s->setup.force[i].name;
        found = own && strcmp(own, name) == 0 ? i : found;
    }
    return found;
}

static soa_status read_place(soa_scenario *s, const soa_yaml *node, soa_sensor *x, soa_error *error)
{
    const char *key = place_of(x->kind), *name;
    const soa_yaml *value = soa_yaml_get(node, key);
    if (!value) {
        return soa_yaml_fail(node, SOA_E_SYNTAX, error, "'%s' is missing; say where the sensor is", key);
    }
    if (x->kind == SOA_SENSOR_IMU) {
        return soa_scenario_point(s, node, "at", &x->at, error);
    }
    if (x->kind == SOA_SENSOR_ENCODER || x->kind == SOA_SENSOR_JOINT) {
        soa_body body;
        const soa_status status = soa_scenario_joint(s, value, &body, error);
        x->link = status == SOA_OK ? body.link : x->link;
        return status;
    }
    const soa_status status = soa_yaml_as_text(value, &name, error);
    const int found = status == SOA_OK ? find_named(s, x->kind, name) : -1;
    x->closure = x->force = found;
    return status != SOA_OK || found >= 0
               ? status
               : soa_yaml_fail(value, SOA_E_NAME, error, "there is no %s named '%.80s'", key, name);
}

/* A number for all channels, or one for each half. */
static soa_status read_pair(const soa_yaml *node, const char *key, double x[2], soa_error *error)
{
    const soa_yaml *value = soa_yaml_get(node, key);
    if (!value || value->kind != SOA_YAML_SCALAR) {
        return soa_yaml_numbers(node, key, 2, x, error);
    }
    const soa_status status = soa_yaml_as_number(value, &x[0], error);
    x[1] = x[0];
    return status;
}

static soa_status read_numbers(const soa_yaml *node, soa_sensor *x, soa_error *error)
{
    double seed = 0.0;
    soa_status status = soa_yaml_number(node, "rate", &x->rate, error);
    status = status == SOA_OK ? soa_yaml_number(node, "delay", &x->delay, error) : status;
    status = status == SOA_OK ? soa_yaml_number(node, "resolution", &x->resolution, error) : status;
    status = status == SOA_OK ? soa_yaml_number(node, "seed", &seed, error) : status;
    status = status == SOA_OK ? read_pair(node, "noise", x->noise, error) : status;
    status = status == SOA_OK ? read_pair(node, "bias", x->bias, error) : status;
    if (status == SOA_OK && !(seed >= 0.0 && seed <= 9007199254740992.0 && seed == (double)(long long)seed)) {
        return soa_yaml_fail(
            soa_yaml_get(node, "seed"), SOA_E_NUMBER, error, "'seed' must be a whole number from 0 to 2^53");
    }
    x->seed = (unsigned long long)seed;
    return status;
}

static soa_status read_sensor(soa_scenario *s, soa_yaml *node, soa_sensor *x, soa_error *error)
{
    soa_sensor_kind kind = SOA_SENSOR_KINDS;
    soa_status status = node->kind == SOA_YAML_MAPPING
                            ? read_kind(node, &kind, error)
                            : soa_yaml_fail(node, SOA_E_SYNTAX, error,
                                  "a sensor is a mapping such as {kind: encoder, joint: elbow, rate: 500}");
    if (status != SOA_OK) {
        return status;
    }
    *x = soa_sensor_default(NULL, kind);
    status = soa_scenario_expect(node, SOA_SECTION_SENSOR, (int)kind, error);
    status = status == SOA_OK ? soa_yaml_need_text(node, "name", &x->name, error) : status;
    status = status == SOA_OK ? read_place(s, node, x, error) : status;
    return status == SOA_OK ? read_numbers(node, x, error) : status;
}

soa_status soa_scenario_sensors(soa_scenario *scenario, const soa_yaml *root, soa_error *error)
{
    soa_yaml *first;
    soa_status status = soa_yaml_items(root, "sensors", &first, error);
    const int count = first ? first->parent->count : 0;
    soa_sensor *sensor = soa_scenario_take(scenario, (size_t)count, sizeof *sensor, error);
    if (status != SOA_OK || !sensor) {
        return status != SOA_OK ? status : SOA_E_MEMORY;
    }
    scenario->setup.sensor = sensor;
    for (soa_yaml *node = first; node && status == SOA_OK; node = node->next) {
        status = read_sensor(scenario, node, &sensor[scenario->setup.sensors++], error);
        status = status == SOA_OK ? soa_scenario_try(scenario, node, scenario->setup, NULL, error) : status;
    }
    return status;
}
