/* io/scenario_actuators.c - the motors of a scenario. */
#include "io/scenario.h"

/* A servo follows a path as a controller of one joint does. */
static void read_reference(soa_scenario *s, const soa_yaml *node, soa_actuator *a)
{
    soa_controller path = { .joints = 1, .link = &a->link };
    if (soa_yaml_get(node, "target") || soa_yaml_get(node, "waypoints") || soa_yaml_get(node, "table")) {
        soa_scenario_reference(s, node, &path);
        a->reference = path.reference;
    }
}

void soa_scenario_actuator(soa_scenario *s, soa_yaml *node, void *to)
{
    soa_actuator *a = to;
    const int kind = soa_scenario_kind(node, SOA_SECTION_ACTUATOR);
    const soa_yaml *joint = soa_yaml_get(node, "joint");
    *a = soa_actuator_default(NULL, (soa_actuator_kind)kind);
    soa_scenario_read(node, SOA_SECTION_ACTUATOR, kind, a);
    a->link = soa_scenario_joint(s, node, joint).link;
    if (soa_yaml_ok(node)) {
        a->name = a->name ? a->name : joint->text;
        read_reference(s, node, a);
    }
}
