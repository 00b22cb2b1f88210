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
static void take_model(soa_scenario *s, const soa_yaml *node, soa_status status, soa_model *const *made)
{
    if (status == SOA_OK) {
        soa_model_free(s->model);
        s->model = *made;
    }
    soa_yaml_place(node, status);
}

void soa_scenario_read_model(soa_scenario *s, const soa_yaml *root)
{
    const soa_yaml *gravity = soa_yaml_get(root, "gravity");
    const char *name = soa_yaml_need_text(root, "model");
    double g[3] = { 0.0 };
    soa_model *made = NULL;
    if (!soa_yaml_ok(root)) {
        return;
    }
    soa_error *error = soa_yaml_error(root);
    const soa_status status = load_named(s, name, error);
    if (error && error->file[0]) {
        soa_yaml_step(root, status);
    } else {
        soa_yaml_place(soa_yaml_get(root, "model"), status);
    }
    const int base = soa_yaml_word(root, "base", soa_form_words(SOA_FORM_BASE), 0);
    soa_yaml_numbers(root, "gravity", 3, g);
    if (base == 1 && soa_yaml_ok(root)) {
        take_model(s, soa_yaml_get(root, "base"), soa_model_free_base(s->model, &made, error), &made);
    }
    if (gravity && soa_yaml_ok(root)) {
        take_model(s, gravity, soa_model_with_gravity(s->model, g, &made, error), &made);
    }
}

/* ---- how it begins --------------------------------------------------------------------------- */

/* q or v: a list in the order of the model, or a mapping by joint names. */
static void read_state(const soa_scenario *s, const soa_yaml *initial, const char *key, int count, double *x)
{
    const soa_yaml *value = soa_yaml_get(initial, key);
    const bool velocity = key[0] == 'v';
    if (!value || value->kind == SOA_YAML_SEQUENCE) {
        soa_yaml_numbers(initial, key, count, x);
        return;
    }
    if (value->kind != SOA_YAML_MAPPING) {
        soa_yaml_fail(value, SOA_E_SYNTAX, "'%s' must be a list of numbers or a mapping by joints", key);
    }
    for (const soa_yaml *n = value->child; n && soa_yaml_ok(n); n = n->next) {
        soa_body body;
        soa_yaml_place(n, soa_model_find_body(s->model, n->key, &body, soa_yaml_error(n)));
        if (soa_yaml_ok(n)) {
            soa_yaml_as_few(n, velocity ? body.nv : body.nq, x + (velocity ? body.v : body.q));
        }
    }
}

static void read_configuration(const soa_scenario *s, const soa_yaml *initial, double *q, double *v)
{
    const char *name = NULL;
    soa_yaml_text(initial, "configuration", &name);
    for (int i = 0; name && i < soa_model_configurations(s->model); i++) {
        const soa_configuration *c = soa_model_configuration(s->model, i);
        if (strcmp(c->name, name) == 0) {
            memcpy(q, c->q, (size_t)soa_model_nq(s->model) * sizeof *q);
            if (c->v) {
                memcpy(v, c->v, (size_t)soa_model_nv(s->model) * sizeof *v);
            }
            return;
        }
    }
    if (name) {
        soa_yaml_fail(soa_yaml_get(initial, "configuration"), SOA_E_NAME,
            "the model has no configuration '%.80s'; 'soa info' lists them", name);
    }
}

void soa_scenario_read_initial(soa_scenario *s, const soa_yaml *root)
{
    const int nq = soa_model_nq(s->model), nv = soa_model_nv(s->model);
    soa_yaml *initial = soa_yaml_get(root, "initial");
    double *q = soa_scenario_take(s, root, (size_t)(nq + nv), sizeof *q);
    if (!q || !soa_yaml_ok(root)) {
        return;
    }
    soa_model_neutral(s->model, q);
    s->setup.q = q;
    s->setup.v = q + nq;
    if (initial) {
        soa_scenario_read(initial, SOA_SECTION_INITIAL, 0, s);
        read_configuration(s, initial, q, q + nq);
        read_state(s, initial, "q", nq, q);
        read_state(s, initial, "v", nv, q + nq);
        soa_yaml_place(initial, soa_check_configuration(s->model, q, soa_yaml_error(initial)));
    }
}
