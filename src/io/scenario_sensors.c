/* io/scenario_sensors.c - the sensors of a scenario. */
#include "io/scenario.h"

/* The key that says where a sensor is. */
static const char *place_of(soa_sensor_kind kind)
{
    static const char *const key[] = { "joint", "at", "joint", "closure", "force" };
    return key[kind];
}

static bool read_place(const soa_scenario *s, const soa_yaml *node, soa_sensor *x)
{
    const char *key = place_of(x->kind);
    const soa_yaml *value = soa_yaml_get(node, key);
    soa_body body = { .link = x->link };
    if (!value) {
        return soa_yaml_fail(node, SOA_E_SYNTAX, "'%s' is missing; say where the sensor is", key);
    }
    if (x->kind == SOA_SENSOR_IMU) {
        return soa_scenario_point(s, node, "at", &x->at);
    }
    if (x->kind == SOA_SENSOR_CLOSURE || x->kind == SOA_SENSOR_CONTACT) {
        return soa_scenario_find(s, value, key, x->kind == SOA_SENSOR_CLOSURE ? &x->closure : &x->force);
    }
    const bool ok = soa_scenario_joint(s, node, value, &body);
    x->link = body.link;
    return ok;
}

static bool read_seed(const soa_yaml *node, soa_sensor *x)
{
    double seed = 0.0;
    if (!soa_yaml_number(node, "seed", &seed)) {
        return false;
    }
    if (!(seed >= 0.0 && seed <= 9007199254740992.0 && seed == (double)(long long)seed)) {
        return soa_yaml_fail(soa_yaml_get(node, "seed"), SOA_E_NUMBER, "'seed' must be a whole number from 0 to 2^53");
    }
    x->seed = (unsigned long long)seed;
    return true;
}

bool soa_scenario_sensor(soa_scenario *s, soa_yaml *node, void *to)
{
    soa_sensor *x = to;
    int kind;
    if (!soa_scenario_kind(node, SOA_SECTION_SENSOR, &kind)) {
        return false;
    }
    *x = soa_sensor_default(NULL, (soa_sensor_kind)kind);
    return soa_scenario_read(node, SOA_SECTION_SENSOR, kind, x) && read_place(s, node, x) && read_seed(node, x);
}
