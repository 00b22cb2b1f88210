/* io/scenario_sensors.c - the sensors of a scenario. */
#include "io/scenario.h"

static void read_place(const soa_scenario *s, const soa_yaml *node, soa_sensor *x)
{
    static const char *const keys[] = { "joint", "at", "joint", "closure", "force" }; /* by kind: where it is */
    const char *key = keys[x->kind];
    const soa_yaml *value = soa_yaml_get(node, key);
    if (!value) {
        soa_yaml_fail(node, SOA_E_SYNTAX, "'%s' is missing; say where the sensor is", key);
    } else if (x->kind == SOA_SENSOR_IMU) {
        x->at = soa_scenario_point(s, node, "at");
    } else if (x->kind == SOA_SENSOR_CLOSURE) {
        x->closure = soa_scenario_find(s, value, key);
    } else if (x->kind == SOA_SENSOR_CONTACT) {
        x->force = soa_scenario_find(s, value, key);
    } else {
        x->link = soa_scenario_joint(s, node, value).link;
    }
}

void soa_scenario_sensor(soa_scenario *s, soa_yaml *node, void *to)
{
    soa_sensor *x = to;
    double seed = 0.0;
    const int kind = soa_scenario_kind(node, SOA_SECTION_SENSOR);
    *x = soa_sensor_default(NULL, (soa_sensor_kind)kind);
    soa_scenario_read(node, SOA_SECTION_SENSOR, kind, x);
    read_place(s, node, x);
    soa_yaml_number(node, "seed", &seed);
    if (seed >= 0.0 && seed <= 9007199254740992.0 && seed == (double)(long long)seed) {
        x->seed = (unsigned long long)seed;
    } else {
        soa_yaml_fail(soa_yaml_get(node, "seed"), SOA_E_NUMBER, "'seed' must be a whole number from 0 to 2^53");
    }
}
