/* io/scenario_forces.c - the forces of a scenario. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "io/reader.h"
#include "io/scenario.h"

soa_status soa_scenario_point(
    soa_scenario *s, const soa_yaml *node, const char *key, soa_point *point, soa_error *error)
{
    soa_yaml *value = soa_yaml_get(node, key);
    const char *name;
    double at[3] = { 0.0 }, rpy[3] = { 0.0 };
    if (!value) {
        return soa_yaml_fail(node, SOA_E_SYNTAX, error, "'%s' is missing; give {link: NAME, at: [x, y, z]}", key);
    }
    soa_status status = SOA_OK;
    if (value->kind == SOA_YAML_SCALAR) {
        status = soa_yaml_as_text(value, &name, error);
    } else {
        status = soa_scenario_expect(value, SOA_SECTION_PLACE, 0, error);
        status = status == SOA_OK ? soa_yaml_need_text(value, "link", &name, error) : status;
        status = status == SOA_OK ? soa_yaml_numbers(value, "at", 3, at, error) : status;
        status = status == SOA_OK ? soa_yaml_numbers(value, "rpy", 3, rpy, error) : status;
    }
    if (status == SOA_OK) {
        status = soa_scenario_place(value, soa_model_find_point(s->model, name, point, error), error);
    }
    if (status == SOA_OK) {
        const soa_pose in_frame = soa_pose_from_rpy(at, rpy);
        point->at = soa_pose_compose(&point->at, &in_frame);
    }
    return status;
}

/* {link: NAME, at: [...]} of elements with one point stands in the element itself. */
static soa_status read_own_point(soa_scenario *s, const soa_yaml *node, soa_point *point, soa_error *error)
{
    const char *name;
    double at[3] = { 0.0 };
    soa_status status = soa_yaml_need_text(node, "link", &name, error);
    status = status == SOA_OK ? soa_yaml_numbers(node, "at", 3, at, error) : status;
    if (status == SOA_OK) {
        status =
            soa_scenario_place(soa_yaml_get(node, "link"), soa_model_find_point(s->model, name, point, error), error);
    }
    if (status == SOA_OK) {
        const double level[3] = { 0.0 };
        const soa_pose in_frame = soa_pose_from_rpy(at, level);
        point->at = soa_pose_compose(&point->at, &in_frame);
    }
    return status;
}

static soa_status read_place(soa_scenario *s, const soa_yaml *node, soa_force *e, soa_error *error)
{
    if (soa_force_kind_at_joint(e->kind)) {
        const soa_yaml *joint = soa_yaml_get(node, "joint");
        soa_body body;
        if (!joint) {
            return soa_yaml_fail(node, SOA_E_SYNTAX, error, "'joint' is missing; name the joint it acts at");
        }
        const soa_status status = soa_scenario_joint(s, joint, &body, error);
        if (status == SOA_OK) { /* limits that are not given are those of the joint */
            const soa_joint *own = &soa_model_link(s->model, body.link)->joint;
            e->link = body.link;
            e->lower = own->lower[0];
            e->upper = own->upper[0];
        }
        return status;
    }
    if (!soa_force_kind_pair(e->kind)) {
        return read_own_point(s, node, &e->a, error);
    }
    const soa_status status = soa_scenario_point(s, node, "a", &e->a, error);
    return status == SOA_OK ? soa_scenario_point(s, node, "b", &e->b, error) : status;
}

/* Where the numbers of each key go, and which kinds have it. */
static const struct {
    const char *key;
    size_t offset;
    int count;
    unsigned kinds;
} NUMBER[] = {
#define COUNT_NUMBER                          1
#define COUNT_THREE                           3
#define ROW(key, form, field, kinds, meaning) { key, offsetof(soa_force, field), COUNT_##form, kinds },
    SOA_FORCE_KEY_LIST(ROW)
#undef ROW
};

static soa_status read_numbers(const soa_yaml *node, soa_force *e, soa_error *error)
{
    soa_status status = SOA_OK;
    for (size_t i = 0; i < sizeof NUMBER / sizeof *NUMBER && status == SOA_OK; i++) {
        double *x = (double *)(void *)((char *)e + NUMBER[i].offset);
        if (NUMBER[i].kinds >> e->kind & 1u) {
            status = NUMBER[i].count == 1 ? soa_yaml_number(node, NUMBER[i].key, x, error)
                                          : soa_yaml_numbers(node, NUMBER[i].key, NUMBER[i].count, x, error);
        }
    }
    return status;
}

static soa_status read_shape(const soa_yaml *node, soa_force *e, soa_error *error)
{
    const char *text = soa_shape_text(e->shape);
    const soa_status status = soa_yaml_text(node, "shape", &text, error);
    e->shape = soa_shape_find(text);
    return status != SOA_OK || e->shape == SOA_SHAPE_SPHERE || e->shape == SOA_SHAPE_CAPSULE ||
                   e->shape == SOA_SHAPE_BOX
               ? status
               : soa_yaml_fail(soa_yaml_get(node, "shape"), SOA_E_NAME, error,
                     "'shape' is '%.40s'; write sphere, capsule or box", text);
}

/* field: a CSV file of heights, spacing apart, that lies about the origin of b. */
static soa_status read_field(soa_scenario *s, const soa_yaml *node, soa_force *e, soa_error *error)
{
    const soa_yaml *file = soa_yaml_get(node, "field");
    double spacing[2] = { 0.0 };
    soa_table table;
    soa_status status = soa_yaml_numbers(node, "spacing", 2, spacing, error);
    if (status != SOA_OK || !file) {
        return status;
    }
    if (!(spacing[0] > 0.0 && spacing[1] > 0.0)) {
        return soa_yaml_fail(node, SOA_E_NUMBER, error, "a field needs its positive 'spacing: [x, y]' in metres");
    }
    status = soa_scenario_table(s, file, false, &table, error);
    if (status != SOA_OK) {
        return status;
    }
    soa_height_field *field = soa_scenario_take(s, 1, sizeof *field, error);
    double *height = soa_scenario_take(s, (size_t)table.rows * (size_t)table.columns, sizeof *height, error);
    if (!field || !height) {
        return SOA_E_MEMORY;
    }
    for (int i = 0; i < table.rows * table.columns; i++) {
        height[i] = table.number[(size_t)(i % table.columns) * (size_t)table.stride + (size_t)(i / table.columns)];
    }
    *field = (soa_height_field){ table.columns, table.rows, -0.5 * spacing[0] * (table.columns - 1),
        -0.5 * spacing[1] * (table.rows - 1), spacing[0], spacing[1], height };
    e->field = field;
    return SOA_OK;
}

static soa_status read_words(soa_scenario *s, const soa_yaml *node, soa_force *e, soa_error *error)
{
    const char *axes = "world";
    bool active = true;
    const soa_yaml *file = soa_yaml_get(node, "table");
    soa_table table;
    soa_status status = soa_yaml_text(node, "axes", &axes, error);
    status = status == SOA_OK ? soa_yaml_boolean(node, "active", &active, error) : status;
    status = status == SOA_OK ? soa_yaml_boolean(node, "stick", &e->stick, error) : status;
    e->inactive = !active;
    e->in_body = strcmp(axes, "body") == 0;
    if (status == SOA_OK && !e->in_body && strcmp(axes, "world") != 0) {
        return soa_yaml_fail(
            soa_yaml_get(node, "axes"), SOA_E_SYNTAX, error, "'axes' is '%.40s'; write world or body", axes);
    }
    status = status == SOA_OK && file ? soa_scenario_table(s, file, true, &table, error) : status;
    if (status == SOA_OK && file) {
        if (table.columns != 2) {
            return soa_yaml_fail(file, SOA_E_SYNTAX, error, "its table must have two columns: time and force");
        }
        e->table = (soa_series){ table.rows, table.number, table.number + table.stride };
    }
    return status;
}

static soa_status read_kind(const soa_yaml *node, soa_force_kind *kind, soa_error *error)
{
    const char *text, *list[SOA_FORCE_KINDS + 1] = { NULL };
    const soa_status status = soa_yaml_need_text(node, "kind", &text, error);
    for (int i = 0; i < SOA_FORCE_KINDS; i++) {
        list[i] = soa_force_kind_text((soa_force_kind)i);
    }
    *kind = status == SOA_OK ? soa_force_kind_find(text) : SOA_FORCE_KINDS;
    if (status == SOA_OK && *kind == SOA_FORCE_KINDS) {
        const char *near = soa_yaml_nearest(text, list);
        return soa_yaml_fail(soa_yaml_get(node, "kind"), SOA_E_NAME, error, "force kind '%.40s' does not exist; %s%s",
            text, near ? "did you mean " : "see docs/scenario-format.md", near ? near : "");
    }
    return status;
}

static soa_status read_force(soa_scenario *s, soa_yaml *node, soa_force *e, soa_error *error)
{
    soa_force_kind kind;
    soa_forces *checked = NULL;
    if (node->kind != SOA_YAML_MAPPING) {
        return soa_yaml_fail(
            node, SOA_E_SYNTAX, error, "a force is a mapping such as {kind: torque, joint: elbow, value: 1}");
    }
    soa_status status = read_kind(node, &kind, error);
    if (status != SOA_OK) {
        return status;
    }
    *e = soa_force_default(NULL, kind);
    status = soa_scenario_expect(node, SOA_SECTION_FORCE, (int)kind, error);
    status = status == SOA_OK ? soa_yaml_text(node, "name", &e->name, error) : status;
    status = status == SOA_OK ? read_place(s, node, e, error) : status;
    status = status == SOA_OK ? read_numbers(node, e, error) : status;
    status = status == SOA_OK ? read_words(s, node, e, error) : status;
    status = status == SOA_OK && kind == SOA_FORCE_CONTACT ? read_shape(node, e, error) : status;
    status = status == SOA_OK && kind == SOA_FORCE_CONTACT ? read_field(s, node, e, error) : status;
    if (status == SOA_OK) {
        status = soa_scenario_place(node, soa_forces_new(s->model, 1, e, &s->allocator, &checked, error), error);
        soa_forces_free(checked);
    }
    if (status == SOA_OK && e->kind == SOA_FORCE_JOINT_STOP) {
        soa_sim_setup setup = soa_sim_setup_default();
        setup.q = s->setup.q;
        setup.open = setup.bare = true;
        setup.forces = 1;
        setup.force = e;
        status = soa_scenario_try(s, node, setup, NULL, error);
    }
    return status;
}

soa_status soa_scenario_forces(soa_scenario *scenario, const soa_yaml *root, soa_error *error)
{
    soa_yaml *first;
    soa_status status = soa_yaml_items(root, "forces", &first, error);
    const int count = first ? first->parent->count : 0;
    soa_force *force = soa_scenario_take(scenario, (size_t)count, sizeof *force, error);
    if (status != SOA_OK || !force) {
        return status != SOA_OK ? status : SOA_E_MEMORY;
    }
    scenario->setup.force = force;
    for (soa_yaml *node = first; node && status == SOA_OK; node = node->next) {
        status = read_force(scenario, node, &force[scenario->setup.forces++], error);
    }
    return status;
}
