/* io/scenario_forces.c - the forces of a scenario, and tables of numbers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/number.h"
#include "io/reader.h"
#include "io/scenario.h"

/* ---- tables ------------------------------------------------------------------------------ */

/* Cuts the line at commas; the cells stay in its text. */
static int cut(char *line, char **cell, int most)
{
    int count = 0;
    for (char *c = line; c && count < most; count++) {
        char *comma = strchr(c, ',');
        cell[count] = c + strspn(c, " \t");
        if (comma) {
            *comma++ = '\0';
        }
        c = comma;
    }
    return count;
}

static bool is_number(const char *text, double *x)
{
    const char *end = soa_number_read(text, x);
    return end && end[strspn(end, " \t\r")] == '\0';
}

static void trim(char *cell)
{
    size_t n = strlen(cell);
    while (n > 0 && strchr(" \t\r", cell[n - 1])) {
        cell[--n] = '\0';
    }
}

enum { MOST_COLUMNS = 256 };

/* The rows of a text whose first line may hold names. */
static soa_status read_rows(soa_scenario *s, char *text, const char *path, soa_table *table, soa_error *error)
{
    int lines = 1, line = 0;
    for (const char *c = text; *c; c++) {
        lines += *c == '\n';
    }
    double *number = NULL;
    for (char *next = text; next && *next;) {
        char *cell[MOST_COLUMNS], *begin = next, *end = strchr(next, '\n');
        double x;
        next = end ? end + 1 : NULL;
        if (end) {
            *end = '\0';
        }
        line++;
        if (begin[strspn(begin, " \t\r")] == '\0' || begin[0] == '#') {
            continue;
        }
        const int count = cut(begin, cell, MOST_COLUMNS);
        if (!number) {
            table->columns = count;
            number = soa_scenario_take(s, (size_t)lines * (size_t)count, sizeof *number, error);
            table->name = soa_scenario_take(s, (size_t)count, sizeof *table->name, error);
            if (!number || !table->name) {
                return SOA_E_MEMORY;
            }
            table->number = number;
            if (!is_number(cell[0], &x)) {
                for (int i = 0; i < count; i++) {
                    trim(cell[i]);
                    table->name[i] = cell[i];
                }
                continue;
            }
            table->name = NULL;
        }
        if (count != table->columns) {
            return soa_fail_at(
                error, SOA_E_SYNTAX, path, line, "this row has %d cells, the first %d", count, table->columns);
        }
        for (int i = 0; i < count; i++) {
            if (!is_number(cell[i], &number[(size_t)i * (size_t)lines + (size_t)table->rows])) {
                return soa_fail_at(error, SOA_E_NUMBER, path, line, "cell %d is not a finite number", i + 1);
            }
        }
        table->rows++;
        if (table->rows > 1 && !(number[table->rows - 1] > number[table->rows - 2])) {
            return soa_fail_at(error, SOA_E_NUMBER, path, line, "times in the first column must rise");
        }
    }
    table->stride = lines;
    return table->rows > 0 ? SOA_OK : soa_fail_at(error, SOA_E_SYNTAX, path, 0, "the table has no rows of numbers");
}

soa_status soa_scenario_table(soa_scenario *scenario, const soa_yaml *value, soa_table *table, soa_error *error)
{
    const char *name;
    char *text;
    size_t length;
    *table = (soa_table){ 0 };
    soa_status status = soa_yaml_as_text(value, &name, error);
    if (status != SOA_OK) {
        return status;
    }
    const char *path = soa_file_beside(&scenario->arena, scenario->path, name);
    if (!path) {
        return soa_fail_memory(error);
    }
    if (!soa_file_exists(path)) {
        return soa_yaml_fail(value, SOA_E_FILE, error, "the table '%.200s' does not exist", name);
    }
    status = soa_file_read(&scenario->arena, path, &text, &length, error);
    return status == SOA_OK ? read_rows(scenario, text, path, table, error) : status;
}

/* ---- elements ------------------------------------------------------------------------------ */

soa_status soa_scenario_point(
    soa_scenario *s, const soa_yaml *node, const char *key, soa_point *point, soa_error *error)
{
    static const char *const keys[] = { "link", "at", "rpy", NULL };
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
        status = soa_yaml_expect(value, NULL, keys, error);
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

/* Where the number of each key goes, and which kinds have it. */
static const struct {
    const char *key;
    size_t offset;
    unsigned kinds;
} NUMBER[] = {
#define BIT(kind) (1u << SOA_FORCE_##kind)
    { "stiffness", offsetof(soa_force, stiffness), BIT(JOINT_SPRING) | BIT(JOINT_LIMIT) | BIT(SPRING) | BIT(CONTACT) },
    { "damping", offsetof(soa_force, damping), BIT(JOINT_DAMPER) | BIT(JOINT_LIMIT) | BIT(SPRING) | BIT(DRAG) },
    { "dissipation", offsetof(soa_force, damping), BIT(CONTACT) },
    { "reference", offsetof(soa_force, reference), BIT(JOINT_SPRING) },
    { "length", offsetof(soa_force, length), BIT(SPRING) },
    { "radius", offsetof(soa_force, length), BIT(CONTACT) },
    { "value", offsetof(soa_force, value), BIT(TORQUE) },
    { "force", offsetof(soa_force, value), BIT(JOINT_FRICTION) },
    { "friction", offsetof(soa_force, value), BIT(CONTACT) },
    { "quadratic", offsetof(soa_force, value), BIT(DRAG) },
    { "speed", offsetof(soa_force, speed), BIT(JOINT_FRICTION) | BIT(CONTACT) | BIT(JOINT_STOP) },
    { "holding", offsetof(soa_force, holding), BIT(JOINT_FRICTION) },
    { "restitution", offsetof(soa_force, restitution), BIT(JOINT_STOP) },
    { "exponent", offsetof(soa_force, exponent), BIT(CONTACT) },
    { "lower", offsetof(soa_force, lower), BIT(JOINT_LIMIT) | BIT(JOINT_STOP) },
    { "upper", offsetof(soa_force, upper), BIT(JOINT_LIMIT) | BIT(JOINT_STOP) },
    { "from", offsetof(soa_force, from), ~0u },
    { "to", offsetof(soa_force, to), ~0u },
};

/* Lists of numbers: key, where, how many. */
static const struct {
    const char *key;
    size_t offset;
    int count;
    unsigned kinds;
} VECTOR[] = {
    { "moment", offsetof(soa_force, wrench), 3, BIT(WRENCH) },
    { "force", offsetof(soa_force, wrench) + 3 * sizeof(double), 3, BIT(WRENCH) },
    { "rotational_stiffness", offsetof(soa_force, hold), 3, BIT(BUSHING) },
    { "stiffness", offsetof(soa_force, hold) + 3 * sizeof(double), 3, BIT(BUSHING) },
    { "rotational_damping", offsetof(soa_force, damp), 3, BIT(BUSHING) },
    { "damping", offsetof(soa_force, damp) + 3 * sizeof(double), 3, BIT(BUSHING) },
};

enum { NUMBERS = sizeof NUMBER / sizeof *NUMBER, VECTORS = sizeof VECTOR / sizeof *VECTOR };

/* Every key must be one of the kind. */
static soa_status check_keys(soa_yaml *node, const soa_force *e, soa_error *error)
{
    const char *keys[NUMBERS + VECTORS + 10];
    int count = 0;
    keys[count++] = "kind";
    keys[count++] = "name";
    keys[count++] = "active";
    if (soa_force_kind_at_joint(e->kind)) {
        keys[count++] = "joint";
    } else {
        const bool pair = soa_force_kind_pair(e->kind);
        keys[count++] = pair ? "a" : "link";
        keys[count++] = pair ? "b" : "at";
    }
    if (e->kind == SOA_FORCE_TORQUE) {
        keys[count++] = "table";
    }
    if (e->kind == SOA_FORCE_WRENCH) {
        keys[count++] = "axes";
    }
    if (e->kind == SOA_FORCE_JOINT_FRICTION) {
        keys[count++] = "stick";
    }
    for (int i = 0; i < NUMBERS; i++) {
        if (NUMBER[i].kinds >> e->kind & 1u) {
            keys[count++] = NUMBER[i].key;
        }
    }
    for (int i = 0; i < VECTORS; i++) {
        if (VECTOR[i].kinds >> e->kind & 1u) {
            keys[count++] = VECTOR[i].key;
        }
    }
    keys[count] = NULL;
    return soa_yaml_expect(node, "force", keys, error);
}

static soa_status read_numbers(const soa_yaml *node, soa_force *e, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int i = 0; i < NUMBERS && status == SOA_OK; i++) {
        if (NUMBER[i].kinds >> e->kind & 1u) {
            status = soa_yaml_number(node, NUMBER[i].key, (double *)(void *)((char *)e + NUMBER[i].offset), error);
        }
    }
    for (int i = 0; i < VECTORS && status == SOA_OK; i++) {
        if (VECTOR[i].kinds >> e->kind & 1u) {
            status = soa_yaml_numbers(
                node, VECTOR[i].key, VECTOR[i].count, (double *)(void *)((char *)e + VECTOR[i].offset), error);
        }
    }
    return status;
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
    status = status == SOA_OK && file ? soa_scenario_table(s, file, &table, error) : status;
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
    status = check_keys(node, e, error);
    status = status == SOA_OK ? soa_yaml_text(node, "name", &e->name, error) : status;
    status = status == SOA_OK ? read_place(s, node, e, error) : status;
    status = status == SOA_OK ? read_numbers(node, e, error) : status;
    status = status == SOA_OK ? read_words(s, node, e, error) : status;
    if (status == SOA_OK) {
        status = soa_scenario_place(node, soa_forces_new(s->model, 1, e, &s->allocator, &checked, error), error);
        soa_forces_free(checked);
    }
    if (status == SOA_OK && e->kind == SOA_FORCE_JOINT_STOP) {
        soa_sim_setup setup = soa_sim_setup_default();
        soa_sim *sim = NULL;
        setup.q = s->setup.q;
        setup.open = setup.bare = true;
        setup.forces = 1;
        setup.force = e;
        status = soa_scenario_place(node, soa_sim_new(s->model, &setup, &s->allocator, &sim, error), error);
        soa_sim_free(sim);
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
