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
static bool take_model(soa_scenario *s, const soa_yaml *node, soa_status status, soa_model *made)
{
    if (status == SOA_OK) {
        soa_model_free(s->model);
        s->model = made;
    }
    return soa_yaml_place(node, status);
}

bool soa_scenario_read_model(soa_scenario *s, const soa_yaml *root)
{
    const soa_yaml *gravity = soa_yaml_get(root, "gravity");
    soa_error *error = root->file->error;
    const char *name;
    int base = 0;
    double g[3];
    soa_model *made = NULL;
    if (!soa_yaml_need_text(root, "model", &name)) {
        return false;
    }
    const soa_status status = load_named(s, name, error);
    if (!(error && error->file[0] ? soa_yaml_ok(root, status) : soa_yaml_place(soa_yaml_get(root, "model"), status)) ||
        !soa_yaml_word(root, "base", soa_form_words(SOA_FORM_BASE), &base) ||
        !soa_yaml_numbers(root, "gravity", 3, g)) {
        return false;
    }
    const soa_status freed = base == 1 ? soa_model_free_base(s->model, &made, error) : SOA_OK;
    if (base == 1 && !take_model(s, soa_yaml_get(root, "base"), freed, made)) {
        return false;
    }
    const soa_status pulled = gravity ? soa_model_with_gravity(s->model, g, &made, error) : SOA_OK;
    return !gravity || take_model(s, gravity, pulled, made);
}

/* ---- how it begins --------------------------------------------------------------------------- */

static bool read_joint_numbers(const soa_scenario *s, const soa_yaml *value, bool velocity, double *x)
{
    soa_body body;
    if (!soa_yaml_place(value, soa_model_find_body(s->model, value->key, &body, value->file->error))) {
        return false;
    }
    const int count = velocity ? body.nv : body.nq;
    double *at = x + (velocity ? body.v : body.q);
    return count == 1 && value->kind == SOA_YAML_SCALAR ? soa_yaml_as_number(value, at)
                                                        : soa_yaml_as_numbers(value, count, at);
}

/* q or v: a list in the order of the model, or a mapping by joint names. */
static bool read_state(const soa_scenario *s, const soa_yaml *initial, const char *key, int count, double *x)
{
    const soa_yaml *value = soa_yaml_get(initial, key);
    if (!value || value->kind == SOA_YAML_SEQUENCE) {
        return soa_yaml_numbers(initial, key, count, x);
    }
    if (value->kind != SOA_YAML_MAPPING) {
        return soa_yaml_fail(value, SOA_E_SYNTAX, "'%s' must be a list of numbers or a mapping by joints", key);
    }
    bool ok = true;
    for (const soa_yaml *n = value->child; n && ok; n = n->next) {
        ok = read_joint_numbers(s, n, key[0] == 'v', x);
    }
    return ok;
}

static bool read_configuration(const soa_scenario *s, const soa_yaml *initial, double *q, double *v)
{
    const char *name = NULL;
    if (!soa_yaml_text(initial, "configuration", &name)) {
        return false;
    }
    for (int i = 0; name && i < soa_model_configurations(s->model); i++) {
        const soa_configuration *c = soa_model_configuration(s->model, i);
        if (strcmp(c->name, name) == 0) {
            memcpy(q, c->q, (size_t)soa_model_nq(s->model) * sizeof *q);
            if (c->v) {
                memcpy(v, c->v, (size_t)soa_model_nv(s->model) * sizeof *v);
            }
            return true;
        }
    }
    return !name || soa_yaml_fail(soa_yaml_get(initial, "configuration"), SOA_E_NAME,
                        "the model has no configuration '%.80s'; 'soa info' lists them", name);
}

bool soa_scenario_read_initial(soa_scenario *s, const soa_yaml *root)
{
    const int nq = soa_model_nq(s->model), nv = soa_model_nv(s->model);
    soa_yaml *initial = soa_yaml_get(root, "initial");
    double *q = soa_scenario_take(s, root, (size_t)(nq + nv), sizeof *q);
    if (!q) {
        return false;
    }
    soa_model_neutral(s->model, q);
    s->setup.q = q;
    s->setup.v = q + nq;
    return !initial ||
           (soa_scenario_read(initial, SOA_SECTION_INITIAL, 0, s) && read_configuration(s, initial, q, q + nq) &&
               read_state(s, initial, "q", nq, q) && read_state(s, initial, "v", nv, q + nq) &&
               soa_yaml_place(initial, soa_check_configuration(s->model, q, initial->file->error)));
}
