/* io/scenario_events.c - the events of a scenario. */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "io/scenario.h"

static soa_status read_direction(const soa_yaml *when, int *direction, soa_error *error)
{
    const char *text = "both";
    const soa_status status = soa_yaml_text(when, "direction", &text, error);
    *direction = strcmp(text, "rising") == 0 ? 1 : strcmp(text, "falling") == 0 ? -1 : 0;
    return status != SOA_OK || *direction != 0 || strcmp(text, "both") == 0
               ? status
               : soa_yaml_fail(soa_yaml_get(when, "direction"), SOA_E_SYNTAX, error,
                     "direction '%.40s' does not exist; take rising, falling or both", text);
}

static soa_status read_when(const soa_yaml *node, soa_event *e, soa_error *error)
{
    static const char *const keys[] = { "time", "signal", "crosses", "direction", NULL };
    soa_yaml *when = soa_yaml_get(node, "when");
    if (!when) {
        return soa_yaml_fail(
            node, SOA_E_SYNTAX, error, "'when' is missing; give {time: 3.0} or {signal: q.elbow, crosses: 1.2}");
    }
    soa_status status = soa_yaml_expect(when, NULL, keys, error);
    if (status == SOA_OK && !soa_yaml_get(when, "time") == !soa_yaml_get(when, "signal")) {
        return soa_yaml_fail(when, SOA_E_SYNTAX, error, "'when' needs either 'time' or 'signal' with 'crosses'");
    }
    status = status == SOA_OK ? soa_yaml_number(when, "time", &e->value, error) : status;
    status = status == SOA_OK ? soa_yaml_text(when, "signal", &e->signal, error) : status;
    status = status == SOA_OK ? soa_yaml_number(when, "crosses", &e->value, error) : status;
    return status == SOA_OK ? read_direction(when, &e->direction, error) : status;
}

/* The number of the closure, force, controller or joint that an action names. */
static soa_status find_target(const soa_scenario *s, const soa_yaml *value, soa_event *e, soa_error *error)
{
    const char *name;
    const soa_status status = soa_yaml_as_text(value, &name, error);
    const char *what = "closure";
    e->target = -1;
    if (status != SOA_OK) {
        return status;
    }
    if (e->action == SOA_ACTION_IMPULSE) {
        soa_body body;
        const soa_status found = soa_scenario_joint(s, value, &body, error);
        e->target = found == SOA_OK ? body.link : -1;
        return found;
    }
    if (e->action <= SOA_ACTION_DETACH) {
        for (int i = 0; i < soa_model_closures(s->model); i++) {
            const char *own = soa_model_closure(s->model, i)->name;
            e->target = own && strcmp(own, name) == 0 ? i : e->target;
        }
    } else if (e->action <= SOA_ACTION_DISABLE) {
        what = "force";
        for (int i = 0; i < s->setup.forces; i++) {
            const char *own = s->setup.force[i].name;
            e->target = own && strcmp(own, name) == 0 ? i : e->target;
        }
    } else {
        what = "controller";
        for (int i = 0; i < s->setup.controllers; i++) {
            const char *own = s->setup.controller[i].name;
            e->target = own && strcmp(own, name) == 0 ? i : e->target;
        }
    }
    return e->target >= 0 ? SOA_OK
                          : soa_yaml_fail(value, SOA_E_NAME, error, "there is no %s named '%.80s'", what, name);
}

static soa_status read_action(const soa_scenario *s, const soa_yaml *node, soa_event *e, soa_error *error)
{
    soa_yaml *action = soa_yaml_get(node, "do");
    const char *keys[SOA_ACTIONS + 2] = { NULL };
    for (int i = 0; i < SOA_ACTIONS; i++) {
        keys[i] = soa_action_text((soa_action_kind)i);
    }
    keys[SOA_ACTIONS] = "value";
    if (!action) {
        return soa_yaml_fail(node, SOA_E_SYNTAX, error, "'do' is missing; give {stop: true} or {detach: CLOSURE}");
    }
    soa_status status = soa_yaml_expect(action, NULL, keys, error);
    const soa_yaml *value = status == SOA_OK ? action->child : NULL;
    while (value && strcmp(value->key, "value") == 0) {
        value = value->next;
    }
    if (status != SOA_OK || !value) {
        return status != SOA_OK ? status : soa_yaml_fail(action, SOA_E_SYNTAX, error, "'do' names no action");
    }
    e->action = soa_action_find(value->key);
    if (e->action == SOA_ACTION_STOP || e->action == SOA_ACTION_RECORD) {
        return SOA_OK;
    }
    status = soa_yaml_number(action, "value", &e->impulse, error);
    return status == SOA_OK ? find_target(s, value, e, error) : status;
}

/* Its name, or what it waits for. */
static const char *event_name(soa_scenario *s, const soa_event *e, soa_error *error)
{
    char text[160];
    if (e->name) {
        return e->name;
    }
    if (e->signal) {
        snprintf(text, sizeof text, "%.100s crosses %g", e->signal, e->value);
    } else {
        snprintf(text, sizeof text, "time %g", e->value);
    }
    char *name = soa_scenario_take(s, strlen(text) + 1, 1, error);
    return name ? strcpy(name, text) : NULL;
}

static soa_status read_event(soa_scenario *s, soa_yaml *node, int i, soa_event *e, soa_error *error)
{
    static const char *const keys[] = { "name", "when", "do", "once", NULL };
    *e = (soa_event){ 0 };
    soa_status status = soa_yaml_expect(node, "event", keys, error);
    status = status == SOA_OK ? soa_yaml_text(node, "name", &e->name, error) : status;
    status = status == SOA_OK ? soa_yaml_boolean(node, "once", &e->once, error) : status;
    status = status == SOA_OK ? read_when(node, e, error) : status;
    status = status == SOA_OK ? read_action(s, node, e, error) : status;
    if (status == SOA_OK) {
        s->event_name[i] = event_name(s, e, error);
        status = s->event_name[i] ? SOA_OK : SOA_E_MEMORY;
    }
    return status;
}

soa_status soa_scenario_events(soa_scenario *scenario, const soa_yaml *root, soa_error *error)
{
    soa_yaml *first;
    soa_status status = soa_yaml_items(root, "events", &first, error);
    const int count = first ? first->parent->count : 0;
    soa_event *event = soa_scenario_take(scenario, (size_t)count, sizeof *event, error);
    scenario->event_name = soa_scenario_take(scenario, (size_t)count, sizeof *scenario->event_name, error);
    if (status != SOA_OK || !event || !scenario->event_name) {
        return status != SOA_OK ? status : SOA_E_MEMORY;
    }
    scenario->setup.event = event;
    for (soa_yaml *node = first; node && status == SOA_OK; node = node->next) {
        status = read_event(scenario, node, scenario->setup.events, &event[scenario->setup.events], error);
        scenario->setup.events++;
        soa_sim *sim = NULL;
        if (status == SOA_OK) {
            status = soa_scenario_place(
                node, soa_sim_new(scenario->model, &scenario->setup, &scenario->allocator, &sim, error), error);
        }
        soa_sim_free(sim);
    }
    return status;
}
