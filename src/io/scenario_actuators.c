/* io/scenario_actuators.c - the motors of a scenario. */
#include <string.h>

#include "core/error.h"
#include "io/scenario.h"

static soa_status read_kind(const soa_yaml *node, soa_actuator_kind *kind, soa_error *error)
{
    const char *text;
    const soa_status status = soa_yaml_need_text(node, "kind", &text, error);
    *kind = status == SOA_OK ? soa_actuator_kind_find(text) : SOA_ACTUATOR_KINDS;
    return status != SOA_OK || *kind < SOA_ACTUATOR_KINDS
               ? status
               : soa_yaml_fail(soa_yaml_get(node, "kind"), SOA_E_NAME, error,
                     "actuator kind '%.40s' does not exist; take torque, velocity or position", text);
}

/* A servo follows a path as a controller of one joint does. */
static soa_status read_reference(soa_scenario *s, const soa_yaml *node, soa_actuator *a, soa_error *error)
{
    soa_controller path = { .joints = 1, .link = &a->link };
    if (!soa_yaml_get(node, "target") && !soa_yaml_get(node, "waypoints") && !soa_yaml_get(node, "table")) {
        return SOA_OK;
    }
    const soa_status status = soa_scenario_reference(s, node, &path, error);
    a->reference = path.reference;
    return status;
}

static soa_status read_numbers(const soa_yaml *node, soa_actuator *a, soa_error *error)
{
    const struct {
        const char *key;
        double *x;
    } number[] = { { "gear", &a->gear }, { "limit", &a->limit }, { "speed", &a->speed }, { "lag", &a->lag },
        { "kp", &a->kp }, { "kd", &a->kd } };
    soa_status status = SOA_OK;
    for (size_t i = 0; i < sizeof number / sizeof *number && status == SOA_OK; i++) {
        status = soa_yaml_number(node, number[i].key, number[i].x, error);
    }
    return status;
}

static soa_status read_actuator(soa_scenario *s, soa_yaml *node, soa_actuator *a, soa_error *error)
{
    soa_actuator_kind kind = SOA_ACTUATOR_KINDS;
    soa_body body;
    soa_status status = node->kind == SOA_YAML_MAPPING
                            ? read_kind(node, &kind, error)
                            : soa_yaml_fail(node, SOA_E_SYNTAX, error,
                                  "an actuator is a mapping such as {kind: position, joint: elbow, kp: 100, kd: 5}");
    if (status != SOA_OK) {
        return status;
    }
    *a = soa_actuator_default(NULL, kind);
    status = soa_scenario_expect(node, SOA_SECTION_ACTUATOR, (int)kind, error);
    status = status == SOA_OK ? soa_yaml_text(node, "name", &a->name, error) : status;
    if (status == SOA_OK && !soa_yaml_get(node, "joint")) {
        return soa_yaml_fail(node, SOA_E_SYNTAX, error, "'joint' is missing; name the joint that it drives");
    }
    status = status == SOA_OK ? soa_scenario_joint(s, soa_yaml_get(node, "joint"), &body, error) : status;
    a->link = status == SOA_OK ? body.link : a->link;
    a->name = a->name || status != SOA_OK ? a->name : soa_yaml_get(node, "joint")->text;
    status = status == SOA_OK ? read_numbers(node, a, error) : status;
    return status == SOA_OK ? read_reference(s, node, a, error) : status;
}

/* Makes a simulation with the actuators so far: what it refuses is refused here, with the line. */
static soa_status try_actuators(soa_scenario *s, const soa_yaml *node, soa_error *error)
{
    soa_sim_setup setup = soa_sim_setup_default();
    setup.q = s->setup.q;
    setup.open = true;
    setup.method = s->setup.method;
    setup.step = s->setup.step;
    setup.actuators = s->setup.actuators;
    setup.actuator = s->setup.actuator;
    return soa_scenario_try(s, node, setup, NULL, error);
}

soa_status soa_scenario_actuators(soa_scenario *scenario, const soa_yaml *root, soa_error *error)
{
    soa_yaml *first;
    soa_status status = soa_yaml_items(root, "actuators", &first, error);
    const int count = first ? first->parent->count : 0;
    soa_actuator *actuator = soa_scenario_take(scenario, (size_t)count, sizeof *actuator, error);
    if (status != SOA_OK || !actuator) {
        return status != SOA_OK ? status : SOA_E_MEMORY;
    }
    scenario->setup.actuator = actuator;
    for (soa_yaml *node = first; node && status == SOA_OK; node = node->next) {
        status = read_actuator(scenario, node, &actuator[scenario->setup.actuators++], error);
        status = status == SOA_OK ? try_actuators(scenario, node, error) : status;
    }
    return status;
}
