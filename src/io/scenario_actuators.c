/* io/scenario_actuators.c - the motors of a scenario. */
#include "io/scenario.h"

/* A servo follows a path as a controller of one joint does. */
static bool read_reference(soa_scenario *s, const soa_yaml *node, soa_actuator *a)
{
    soa_controller path = { .joints = 1, .link = &a->link };
    if (!soa_yaml_get(node, "target") && !soa_yaml_get(node, "waypoints") && !soa_yaml_get(node, "table")) {
        return true;
    }
    const bool ok = soa_scenario_reference(s, node, &path);
    a->reference = path.reference;
    return ok;
}

bool soa_scenario_actuator(soa_scenario *s, soa_yaml *node, void *to)
{
    const soa_yaml *joint;
    soa_actuator *a = to;
    soa_body body;
    int kind;
    if (!soa_scenario_kind(node, SOA_SECTION_ACTUATOR, &kind)) {
        return false;
    }
    *a = soa_actuator_default(NULL, (soa_actuator_kind)kind);
    joint = soa_yaml_get(node, "joint");
    if (!soa_scenario_read(node, SOA_SECTION_ACTUATOR, kind, a) || !soa_scenario_joint(s, node, joint, &body)) {
        return false;
    }
    a->link = body.link;
    a->name = a->name ? a->name : joint->text;
    return read_reference(s, node, a);
}
