/* io/scenario_begin.c - the model of a scenario, and the state in which it begins. */
#include <string.h>

#include "core/error.h"
#include "io/reader.h"
#include "io/scenario.h"

/* ---- the model ---------------------------------------------------------------------------- */

static soa_status load_named(soa_scenario *s, const char *name, soa_error *error)
{
    static const char prefix[] = "builtin:";
    if (strncmp(name, prefix, sizeof prefix - 1) == 0) {
        return soa_model_builtin(name + sizeof prefix - 1, &s->allocator, &s->model, error);
    }
    const char *path = soa_file_beside(&s->arena, s->path, name);
    if (path && !soa_file_exists(path)) {
        return soa_fail(error, SOA_E_FILE, -1, "the model '%.200s' does not exist beside the scenario", name);
    }
    return path ? soa_load(path, &s->allocator, &s->model, error) : soa_fail_memory(error);
}

/* The model is replaced by what `made` holds. */
static soa_status take_model(
    soa_scenario *s, const soa_yaml *node, soa_status status, soa_model *made, soa_error *error)
{
    if (status == SOA_OK) {
        soa_model_free(s->model);
        s->model = made;
    }
    return soa_scenario_place(node, status, error);
}

static soa_status read_base(soa_scenario *s, const soa_yaml *root, soa_error *error)
{
    const soa_yaml *value = soa_yaml_get(root, "base");
    const char *base = "fixed";
    soa_model *made = NULL;
    const soa_status status = soa_yaml_text(root, "base", &base, error);
    if (status != SOA_OK || strcmp(base, "fixed") == 0) {
        return status;
    }
    if (strcmp(base, "free") != 0) {
        return soa_yaml_fail(value, SOA_E_SYNTAX, error, "'base' is '%.80s'; write fixed or free", base);
    }
    const soa_status freed = soa_model_free_base(s->model, &made, error);
    return take_model(s, value, freed, made, error);
}

static soa_status read_gravity(soa_scenario *s, const soa_yaml *root, soa_error *error)
{
    const soa_yaml *value = soa_yaml_get(root, "gravity");
    double gravity[3];
    soa_model *made = NULL;
    soa_status status = soa_yaml_numbers(root, "gravity", 3, gravity, error);
    if (status != SOA_OK || !value) {
        return status;
    }
    status = soa_model_with_gravity(s->model, gravity, &made, error);
    return take_model(s, value, status, made, error);
}

soa_status soa_scenario_read_model(soa_scenario *s, const soa_yaml *root, soa_error *error)
{
    const char *name;
    soa_status status = soa_yaml_need_text(root, "model", &name, error);
    status = status == SOA_OK ? load_named(s, name, error) : status;
    if (status != SOA_OK && error && !error->file[0]) {
        return soa_scenario_place(soa_yaml_get(root, "model") ? soa_yaml_get(root, "model") : root, status, error);
    }
    status = status == SOA_OK ? read_base(s, root, error) : status;
    return status == SOA_OK ? read_gravity(s, root, error) : status;
}

/* ---- how it begins --------------------------------------------------------------------------- */

static soa_status read_joint_numbers(
    const soa_scenario *s, const soa_yaml *value, bool velocity, double *x, soa_error *error)
{
    soa_body body;
    const soa_status status = soa_scenario_place(value, soa_model_find_body(s->model, value->key, &body, error), error);
    if (status != SOA_OK) {
        return status;
    }
    const int count = velocity ? body.nv : body.nq;
    double *at = x + (velocity ? body.v : body.q);
    return count == 1 && value->kind == SOA_YAML_SCALAR ? soa_yaml_as_number(value, at, error)
                                                        : soa_yaml_numbers(value->parent, value->key, count, at, error);
}

/* q or v: a list in the order of the model, or a mapping by joint names. */
static soa_status read_state(
    const soa_scenario *s, const soa_yaml *initial, const char *key, int count, double *x, soa_error *error)
{
    const soa_yaml *value = soa_yaml_get(initial, key);
    if (!value || value->kind == SOA_YAML_SEQUENCE) {
        return soa_yaml_numbers(initial, key, count, x, error);
    }
    if (value->kind != SOA_YAML_MAPPING) {
        return soa_yaml_fail(value, SOA_E_SYNTAX, error, "'%s' must be a list of numbers or a mapping by joints", key);
    }
    soa_status status = SOA_OK;
    for (const soa_yaml *n = value->child; n && status == SOA_OK; n = n->next) {
        status = read_joint_numbers(s, n, key[0] == 'v', x, error);
    }
    return status;
}

static soa_status read_configuration(
    const soa_scenario *s, const soa_yaml *initial, double *q, double *v, soa_error *error)
{
    const char *name = NULL;
    const soa_status status = soa_yaml_text(initial, "configuration", &name, error);
    for (int i = 0; i < soa_model_configurations(s->model) && status == SOA_OK && name; i++) {
        const soa_configuration *c = soa_model_configuration(s->model, i);
        if (strcmp(c->name, name) == 0) {
            memcpy(q, c->q, (size_t)soa_model_nq(s->model) * sizeof *q);
            if (c->v) {
                memcpy(v, c->v, (size_t)soa_model_nv(s->model) * sizeof *v);
            }
            return SOA_OK;
        }
    }
    return status != SOA_OK || !name ? status
                                     : soa_yaml_fail(soa_yaml_get(initial, "configuration"), SOA_E_NAME, error,
                                           "the model has no configuration '%.80s'; 'soa info' lists them", name);
}

soa_status soa_scenario_read_initial(soa_scenario *s, const soa_yaml *root, soa_error *error)
{
    const int nq = soa_model_nq(s->model), nv = soa_model_nv(s->model);
    soa_yaml *initial = soa_yaml_get(root, "initial");
    double *q = soa_scenario_take(s, (size_t)(nq + nv), sizeof *q, error);
    if (!q) {
        return SOA_E_MEMORY;
    }
    soa_model_neutral(s->model, q);
    s->setup.q = q;
    s->setup.v = q + nq;
    if (!initial) {
        return SOA_OK;
    }
    soa_status status = soa_scenario_expect(initial, SOA_SECTION_INITIAL, 0, error);
    status = status == SOA_OK ? read_configuration(s, initial, q, q + nq, error) : status;
    status = status == SOA_OK ? read_state(s, initial, "q", nq, q, error) : status;
    status = status == SOA_OK ? read_state(s, initial, "v", nv, q + nq, error) : status;
    status = status == SOA_OK ? soa_yaml_boolean(initial, "consistent", &s->setup.consistent, error) : status;
    return status != SOA_OK ? status : soa_scenario_place(initial, soa_check_configuration(s->model, q, error), error);
}
