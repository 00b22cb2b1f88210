/* io/scenario_events.c - the events of a scenario. */
#include <math.h>
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

/* ---- formulas ------------------------------------------------------------------------------------- */

/* A signal with this name and formula. */
static soa_status add_formula(
    soa_scenario *s, const soa_yaml *node, const char *name, const char *text, soa_error *error)
{
    for (int i = 0; i < s->setup.signals; i++) {
        if (strcmp(s->formula[i].name, name) == 0 && strcmp(s->formula[i].formula, text) == 0) {
            return SOA_OK;
        }
    }
    s->formula[s->setup.signals++] = (soa_signal){ name, text };
    return soa_scenario_try(s, node, s->setup, NULL, error);
}

soa_status soa_scenario_formulas(soa_scenario *scenario, const soa_yaml *root, soa_error *error)
{
    const soa_yaml *signals = soa_yaml_get(root, "signals"), *events = soa_yaml_get(root, "events");
    const int most = (signals ? signals->count : 0) + (events ? events->count : 0);
    scenario->formula = soa_scenario_take(scenario, (size_t)most, sizeof *scenario->formula, error);
    scenario->setup.signal = scenario->formula;
    if (!scenario->formula) {
        return SOA_E_MEMORY;
    }
    if (signals && signals->kind != SOA_YAML_MAPPING) {
        return soa_yaml_fail(signals, SOA_E_SYNTAX, error, "'signals' must be a mapping {NAME: FORMULA}");
    }
    soa_status status = SOA_OK;
    for (const soa_yaml *n = signals ? signals->child : NULL; n && status == SOA_OK; n = n->next) {
        const char *text;
        status = soa_yaml_as_text(n, &text, error);
        status = status == SOA_OK ? add_formula(scenario, n, n->key, text, error) : status;
    }
    return status;
}

/* ---- when ----------------------------------------------------------------------------------------- */

/* The signal WORD.NAME.END, in the memory of the scenario. */
static soa_status name_signal(
    soa_scenario *s, const char *word, const char *name, const char *ending, soa_event *e, soa_error *error)
{
    const size_t room = strlen(word) + strlen(name) + strlen(ending) + 3;
    char *text = soa_scenario_take(s, room, 1, error);
    e->signal = text;
    if (text) {
        snprintf(text, room, "%s.%s%s%s", word, name, *ending ? "." : "", ending);
    }
    return text ? SOA_OK : SOA_E_MEMORY;
}

/* A contact is made where its depth becomes positive. */
static soa_status read_contact(soa_scenario *s, const soa_yaml *when, soa_event *e, soa_error *error)
{
    const char *name, *change = "made";
    soa_status status = soa_yaml_need_text(when, "contact", &name, error);
    status = status == SOA_OK ? soa_yaml_text(when, "change", &change, error) : status;
    status = status == SOA_OK ? name_signal(s, "contact", name, "depth", e, error) : status;
    if (status != SOA_OK) {
        return status;
    }
    e->direction = strcmp(change, "made") == 0 ? 1 : strcmp(change, "lost") == 0 ? -1 : 0;
    if (e->direction == 0 && strcmp(change, "both") != 0) {
        return soa_yaml_fail(
            soa_yaml_get(when, "change"), SOA_E_SYNTAX, error, "'change' is '%.40s'; write made, lost or both", change);
    }
    for (int i = 0; i < s->setup.forces; i++) {
        const soa_force *f = &s->setup.force[i];
        if (f->kind == SOA_FORCE_CONTACT && f->name && strcmp(f->name, name) == 0) {
            return SOA_OK;
        }
    }
    return soa_yaml_fail(
        soa_yaml_get(when, "contact"), SOA_E_NAME, error, "there is no force of kind contact named '%.80s'", name);
}

/* A joint reaches its limit in the model. */
static soa_status read_limit(soa_scenario *s, const soa_yaml *when, soa_event *e, soa_error *error)
{
    const char *side = "upper";
    const soa_yaml *joint = soa_yaml_get(when, "limit");
    soa_body body;
    soa_status status = soa_yaml_text(when, "side", &side, error);
    status = status == SOA_OK ? soa_scenario_joint(s, joint, &body, error) : status;
    status = status == SOA_OK ? name_signal(s, "q", joint->text, "", e, error) : status;
    if (status != SOA_OK) {
        return status;
    }
    const soa_joint *own = &soa_model_link(s->model, body.link)->joint;
    const bool upper = strcmp(side, "upper") == 0;
    e->direction = upper ? 1 : -1;
    e->value = upper ? own->upper[0] : own->lower[0];
    if (!upper && strcmp(side, "lower") != 0) {
        return soa_yaml_fail(
            soa_yaml_get(when, "side"), SOA_E_SYNTAX, error, "'side' is '%.40s'; write lower or upper", side);
    }
    return body.nv == 1 && isfinite(e->value)
               ? SOA_OK
               : soa_yaml_fail(joint, SOA_E_JOINT, error, "joint '%.80s' has no such limit", joint->text);
}

/* The force of a closure leaves its cone where its margin becomes negative. */
static soa_status read_cone(soa_scenario *s, const soa_yaml *when, soa_event *e, soa_error *error)
{
    const char *name;
    const soa_status status = soa_yaml_need_text(when, "cone", &name, error);
    e->direction = -1;
    return status == SOA_OK ? name_signal(s, "closure", name, "margin", e, error) : status;
}

/* A formula of an event is a signal named by it in parentheses, so that no word of a recording means it. */
static soa_status read_formula(soa_scenario *s, const soa_yaml *when, soa_event *e, soa_error *error)
{
    const char *text;
    soa_status status = soa_yaml_need_text(when, "formula", &text, error);
    char *name = status == SOA_OK ? soa_scenario_take(s, strlen(text) + 3, 1, error) : NULL;
    if (!name) {
        return status != SOA_OK ? status : SOA_E_MEMORY;
    }
    snprintf(name, strlen(text) + 3, "(%s)", text);
    e->signal = name;
    return add_formula(s, soa_yaml_get(when, "formula"), name, text, error);
}

static soa_status read_crossing(soa_scenario *s, const soa_yaml *when, soa_event *e, soa_error *error)
{
    soa_status status = soa_yaml_text(when, "signal", &e->signal, error);
    status = status == SOA_OK && soa_yaml_get(when, "formula") ? read_formula(s, when, e, error) : status;
    status = status == SOA_OK ? soa_yaml_number(when, "crosses", &e->value, error) : status;
    return status == SOA_OK ? read_direction(when, &e->direction, error) : status;
}

/* Exactly one of the keys that say what is waited for; keys that belong to another one are refused. */
static soa_status check_when(const soa_yaml *when, int *chosen, soa_error *error)
{
    static const struct {
        const char *key, *more[2];
    } way[] = { { "time", { NULL, NULL } }, { "signal", { "crosses", "direction" } },
        { "formula", { "crosses", "direction" } }, { "contact", { "change", NULL } }, { "limit", { "side", NULL } },
        { "cone", { NULL, NULL } } };
    int count = 0;
    *chosen = 0;
    for (int i = 0; i < 6; i++) {
        if (soa_yaml_get(when, way[i].key)) {
            *chosen = i;
            count++;
        }
    }
    if (count != 1) {
        return soa_yaml_fail(when, SOA_E_SYNTAX, error,
            "'when' needs either 'time' or 'signal' with 'crosses', or one of 'formula', 'contact', 'limit' and "
            "'cone'");
    }
    for (const soa_yaml *n = when->child; n; n = n->next) {
        const char *const *more = way[*chosen].more;
        if (strcmp(n->key, way[*chosen].key) != 0 && !(more[0] && strcmp(n->key, more[0]) == 0) &&
            !(more[1] && strcmp(n->key, more[1]) == 0)) {
            return soa_yaml_fail(n, SOA_E_SYNTAX, error, "'%.40s' does not go with '%s'", n->key, way[*chosen].key);
        }
    }
    return SOA_OK;
}

static soa_status read_when(soa_scenario *s, const soa_yaml *node, soa_event *e, soa_error *error)
{
    soa_yaml *when = soa_yaml_get(node, "when");
    int chosen = 0;
    if (!when) {
        return soa_yaml_fail(
            node, SOA_E_SYNTAX, error, "'when' is missing; give {time: 3.0} or {signal: q.elbow, crosses: 1.2}");
    }
    soa_status status = soa_scenario_expect(when, SOA_SECTION_WHEN, 0, error);
    status = status == SOA_OK ? check_when(when, &chosen, error) : status;
    if (status != SOA_OK) {
        return status;
    }
    switch (chosen) {
    case 0:
        return soa_yaml_number(when, "time", &e->value, error);
    case 3:
        return read_contact(s, when, e, error);
    case 4:
        return read_limit(s, when, e, error);
    case 5:
        return read_cone(s, when, e, error);
    default:
        return read_crossing(s, when, e, error);
    }
}

/* ---- do ------------------------------------------------------------------------------------------- */

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
    if (!action) {
        return soa_yaml_fail(node, SOA_E_SYNTAX, error, "'do' is missing; give {stop: true} or {detach: CLOSURE}");
    }
    soa_status status = soa_scenario_expect(action, SOA_SECTION_ACTION, 0, error);
    const soa_yaml *value = NULL;
    for (const soa_yaml *n = status == SOA_OK ? action->child : NULL; n; n = n->next) {
        if (strcmp(n->key, "value") != 0) {
            if (value) {
                return soa_yaml_fail(
                    n, SOA_E_SYNTAX, error, "'do' takes one action; write another event for '%s'", n->key);
            }
            value = n;
        }
    }
    if (status != SOA_OK || !value) {
        return status != SOA_OK ? status : soa_yaml_fail(action, SOA_E_SYNTAX, error, "'do' names no action");
    }
    e->action = soa_action_find(value->key);
    if (e->action != SOA_ACTION_IMPULSE && soa_yaml_get(action, "value")) {
        return soa_yaml_fail(soa_yaml_get(action, "value"), SOA_E_SYNTAX, error, "'value' goes with 'impulse' alone");
    }
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
    *e = (soa_event){ 0 };
    soa_status status = soa_scenario_expect(node, SOA_SECTION_EVENT, 0, error);
    status = status == SOA_OK ? soa_yaml_text(node, "name", &e->name, error) : status;
    status = status == SOA_OK ? soa_yaml_boolean(node, "once", &e->once, error) : status;
    status = status == SOA_OK ? read_when(s, node, e, error) : status;
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
        status = status == SOA_OK ? soa_scenario_try(scenario, node, scenario->setup, NULL, error) : status;
    }
    return status;
}
