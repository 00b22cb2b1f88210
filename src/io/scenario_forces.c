/* io/scenario_forces.c - the forces of a scenario. */
#include <string.h>

#include "io/scenario.h"
#include "io/yaml_flexible.h"

/* A point of the link or frame that a value names, at a place in its axes, or in those of the `node` of a mapping. */
static soa_point find_point(
    const soa_scenario *s, const soa_yaml *mapping, const soa_yaml *value, const char *name, const soa_pose *in_frame)
{
    soa_point point = { .at = soa_pose_identity() };
    soa_yaml_place(value, soa_model_find_point(s->model, name, &point, soa_yaml_error(value)));
    const soa_yaml *node = soa_yaml_ok(value) ? soa_yaml_get(mapping, "node") : NULL;
    if (node && point.link >= 0 && soa_model_find_link(s->model, name) != point.link) {
        soa_yaml_fail(node, SOA_E_ARGUMENT, "'node' goes with a link, but '%.80s' is a frame; leave it out", name);
    } else if (node) {
        soa_yaml_node(mapping, "node", soa_model_link(s->model, point.link), &point.node);
    }
    point.at = soa_pose_compose(&point.at, in_frame);
    return point;
}

soa_point soa_scenario_point(const soa_scenario *s, const soa_yaml *node, const char *key)
{
    soa_yaml *value = soa_yaml_get(node, key);
    const char *name = "";
    double at[3] = { 0.0 }, rpy[3] = { 0.0 };
    if (!value) {
        soa_yaml_fail(node, SOA_E_SYNTAX, "'%s' is missing; give {link: NAME, at: [x, y, z]}", key);
        return (soa_point){ .link = SOA_WORLD };
    }
    if (value->kind == SOA_YAML_SCALAR) {
        name = soa_yaml_as_text(value);
    } else {
        soa_scenario_expect(value, SOA_SECTION_PLACE, 0);
        name = soa_yaml_need_text(value, "link");
        soa_yaml_numbers(value, "at", 3, at);
        soa_yaml_numbers(value, "rpy", 3, rpy);
    }
    const soa_pose in_frame = soa_pose_from_rpy(at, rpy);
    return find_point(s, value, value, name, &in_frame);
}

static void read_place(const soa_scenario *s, const soa_yaml *node, soa_force *e)
{
    if (soa_force_kind_at_joint(e->kind)) {
        const soa_yaml *joint = soa_yaml_get(node, "joint");
        const soa_body body = e->kind == SOA_FORCE_ELASTIC ? soa_scenario_coordinates(s, node, joint)
                                                           : soa_scenario_joint(s, node, joint);
        const soa_link *link = soa_model_link(s->model, body.link);
        e->link = body.link;
        e->lower = link ? link->joint.lower[0] : 0.0; /* unless limits are given */
        e->upper = link ? link->joint.upper[0] : 0.0;
    } else if (soa_force_kind_pair(e->kind)) {
        e->a = soa_scenario_point(s, node, "a");
        e->b = soa_scenario_point(s, node, "b");
    } else { /* {link: NAME, node: NODE, at: [...]} of elements with one point stands in the element itself */
        soa_pose in_frame = soa_pose_identity();
        const char *name = soa_yaml_need_text(node, "link");
        soa_yaml_numbers(node, "at", 3, in_frame.position);
        if (soa_yaml_ok(node)) {
            e->a = find_point(s, node, soa_yaml_get(node, "link"), name, &in_frame);
        }
    }
}

/* field: a CSV file of heights, spacing apart, that lies about the origin of b. */
static void read_field(soa_scenario *s, const soa_yaml *node, soa_force *e)
{
    const soa_yaml *file = soa_yaml_get(node, "field");
    double spacing[2] = { 0.0 };
    if (!file) {
        return;
    }
    soa_yaml_numbers(node, "spacing", 2, spacing);
    if (!(spacing[0] > 0.0 && spacing[1] > 0.0)) {
        soa_yaml_fail(node, SOA_E_NUMBER, "a field needs its positive 'spacing: [x, y]' in metres");
    }
    const soa_table table = soa_scenario_table(s, file, false);
    soa_height_field *field = soa_scenario_take(s, node, 1, sizeof *field);
    double *height = soa_scenario_take(s, node, (size_t)table.rows * (size_t)table.columns, sizeof *height);
    if (!soa_yaml_ok(node)) {
        return;
    }
    for (int i = 0; i < table.rows * table.columns; i++) {
        height[i] = table.number[(size_t)(i % table.columns) * (size_t)table.stride + (size_t)(i / table.columns)];
    }
    *field = (soa_height_field){ table.columns, table.rows, -0.5 * spacing[0] * (table.columns - 1),
        -0.5 * spacing[1] * (table.rows - 1), spacing[0], spacing[1], height };
    e->field = field;
}

/* table: a CSV file of the force over time. */
static void read_table(soa_scenario *s, const soa_yaml *node, soa_force *e)
{
    const soa_yaml *file = soa_yaml_get(node, "table");
    const soa_table table = file ? soa_scenario_table(s, file, true) : (soa_table){ 0 };
    if (file && table.columns != 2) {
        soa_yaml_fail(file, SOA_E_SYNTAX, "its table must have two columns: time and force");
    } else if (file && soa_yaml_ok(file)) {
        e->table = (soa_series){ table.rows, table.number, table.number + table.stride };
    }
}

static void read_words(const soa_yaml *node, soa_force *e)
{
    static const soa_shape shapes[] = { SOA_SHAPE_SPHERE, SOA_SHAPE_CAPSULE, SOA_SHAPE_BOX };
    bool active = true;
    e->in_body = soa_yaml_word(node, "axes", soa_form_words(SOA_FORM_AXES), 0) == 1;
    const int shape = soa_yaml_word(node, "shape", soa_form_words(SOA_FORM_SHAPE), 0);
    soa_yaml_boolean(node, "active", &active);
    e->inactive = !active;
    e->shape = soa_yaml_get(node, "shape") ? shapes[shape] : e->shape;
}

/* What the element and, of a stop, a simulation with it refuses is refused here, with the line. */
static void try_force(const soa_scenario *s, const soa_yaml *node, const soa_force *e)
{
    soa_forces *checked = NULL;
    if (!soa_yaml_ok(node)) {
        return;
    }
    soa_yaml_place(node, soa_forces_new(s->model, 1, e, &s->allocator, &checked, soa_yaml_error(node)));
    soa_forces_free(checked);
    soa_sim_setup setup = soa_sim_setup_default();
    setup.q = s->setup.q;
    setup.open = setup.bare = true;
    setup.forces = 1;
    setup.force = e;
    if (e->kind == SOA_FORCE_JOINT_STOP) {
        soa_scenario_try(s, node, setup, NULL);
    }
}

void soa_scenario_force(soa_scenario *s, soa_yaml *node, void *to)
{
    soa_force *e = to;
    const int kind = soa_scenario_kind(node, SOA_SECTION_FORCE);
    soa_scenario_expect(node, SOA_SECTION_FORCE, kind);
    *e = soa_force_default(NULL, (soa_force_kind)kind);
    read_place(s, node, e);
    soa_scenario_read(node, SOA_SECTION_FORCE, kind, e);
    read_words(node, e);
    read_table(s, node, e);
    read_field(s, node, e);
    try_force(s, node, e);
}
