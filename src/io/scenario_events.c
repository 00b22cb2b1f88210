/* io/scenario_events.c - the events of a scenario. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/scenario.h"

/* ---- formulas ------------------------------------------------------------------------------------- */

/* A signal with this name and formula. */
static bool add_formula(soa_scenario *s, const soa_yaml *node, const char *name, const char *text)
{
    for (int i = 0; i < s->setup.signals; i++) {
        if (strcmp(s->formula[i].name, name) == 0 && strcmp(s->formula[i].formula, text) == 0) {
            return true;
        }
    }
    s->formula[s->setup.signals++] = (soa_signal){ name, text };
    return soa_scenario_try(s, node, s->setup, NULL);
}

bool soa_scenario_formulas(soa_scenario *scenario, const soa_yaml *root)
{
    const soa_yaml *signals = soa_yaml_get(root, "signals"), *events = soa_yaml_get(root, "events");
    const int most = (signals ? signals->count : 0) + (events ? events->count : 0);
    scenario->formula = soa_scenario_take(scenario, root, (size_t)most, sizeof *scenario->formula);
    scenario->setup.signal = scenario->formula;
    scenario->event_name =
        soa_scenario_take(scenario, root, events ? (size_t)events->count : 0, sizeof *scenario->event_name);
    if (!scenario->formula || !scenario->event_name) {
        return false;
    }
    bool ok = !signals || soa_yaml_as_mapping(signals, "{NAME: FORMULA}");
    for (const soa_yaml *n = signals ? signals->child : NULL; n && ok; n = n->next) {
        const char *text;
        ok = soa_yaml_as_text(n, &text) && add_formula(scenario, n, n->key, text);
    }
    return ok;
}

/* ---- when ----------------------------------------------------------------------------------------- */

/* The signal WORD.NAME.END, in the memory of the scenario. */
static bool name_signal(
    soa_scenario *s, const soa_yaml *when, const char *word, const char *name, const char *ending, soa_event *e)
{
    const size_t room = strlen(word) + strlen(name) + strlen(ending) + 3;
    char *text = soa_scenario_take(s, when, room, 1);
    e->signal = text;
    if (text) {
        snprintf(text, room, "%s.%s%s%s", word, name, *ending ? "." : "", ending);
    }
    return text;
}

/* Words for a direction: the first is rising, the second falling, the third both, which is usual if `usual` is 2. */
static bool read_direction(const soa_yaml *when, const char *key, soa_form form, int usual, int *direction)
{
    static const int sign[] = { 1, -1, 0 };
    const bool ok = soa_yaml_word(when, key, soa_form_words(form), &usual);
    *direction = sign[usual];
    return ok;
}

/* A contact is made where its depth becomes positive. */
static bool read_contact(soa_scenario *s, const soa_yaml *when, soa_event *e)
{
    const char *name;
    if (!soa_yaml_need_text(when, "contact", &name) ||
        !read_direction(when, "change", SOA_FORM_CHANGE, 0, &e->direction) ||
        !name_signal(s, when, "contact", name, "depth", e)) {
        return false;
    }
    for (int i = 0; i < s->setup.forces; i++) {
        const soa_force *f = &s->setup.force[i];
        if (f->kind == SOA_FORCE_CONTACT && f->name && strcmp(f->name, name) == 0) {
            return true;
        }
    }
    return soa_yaml_fail(
        soa_yaml_get(when, "contact"), SOA_E_NAME, "there is no force of kind contact named '%.80s'", name);
}

/* A joint reaches its limit in the model. */
static bool read_limit(soa_scenario *s, const soa_yaml *when, soa_event *e)
{
    const soa_yaml *joint = soa_yaml_get(when, "limit");
    int upper = 1;
    soa_body body;
    if (!soa_yaml_word(when, "side", soa_form_words(SOA_FORM_SIDE), &upper) ||
        !soa_scenario_joint(s, when, joint, &body) || !name_signal(s, when, "q", joint->text, "", e)) {
        return false;
    }
    const soa_joint *own = &soa_model_link(s->model, body.link)->joint;
    e->direction = upper ? 1 : -1;
    e->value = upper ? own->upper[0] : own->lower[0];
    return (body.nv == 1 && isfinite(e->value)) ||
           soa_yaml_fail(joint, SOA_E_JOINT, "joint '%.80s' has no such limit", joint->text);
}

/* The force of a closure leaves its cone where its margin becomes negative. */
static bool read_cone(soa_scenario *s, const soa_yaml *when, soa_event *e)
{
    const char *name;
    e->direction = -1;
    return soa_yaml_need_text(when, "cone", &name) && name_signal(s, when, "closure", name, "margin", e);
}

/* A formula of an event is a signal named by it in parentheses, so that no word of a recording means it. */
static bool read_formula(soa_scenario *s, const soa_yaml *when, soa_event *e)
{
    const char *text;
    if (!soa_yaml_need_text(when, "formula", &text)) {
        return false;
    }
    const size_t room = strlen(text) + 3;
    char *name = soa_scenario_take(s, when, room, 1);
    if (!name) {
        return false;
    }
    snprintf(name, room, "(%s)", text);
    e->signal = name;
    return add_formula(s, soa_yaml_get(when, "formula"), name, text);
}

static bool read_crossing(soa_scenario *s, const soa_yaml *when, soa_event *e)
{
    return (!soa_yaml_get(when, "formula") || read_formula(s, when, e)) &&
           read_direction(when, "direction", SOA_FORM_DIRECTION, 2, &e->direction);
}

/* What is waited for: its key, the keys that go with it, and what reads it beside numbers and texts. */
static const struct way {
    const char *key, *more[2];
    bool (*read)(soa_scenario *s, const soa_yaml *when, soa_event *e);
} WAY[] = { { "time", { NULL, NULL }, NULL }, { "signal", { "crosses", "direction" }, read_crossing },
    { "formula", { "crosses", "direction" }, read_crossing }, { "contact", { "change", NULL }, read_contact },
    { "limit", { "side", NULL }, read_limit }, { "cone", { NULL, NULL }, read_cone } };

/* Exactly one of the keys that say what is waited for; keys that belong to another one are refused. */
static bool find_way(const soa_yaml *when, const struct way **chosen)
{
    int count = 0;
    for (size_t i = 0; i < sizeof WAY / sizeof *WAY; i++) {
        if (soa_yaml_get(when, WAY[i].key)) {
            *chosen = &WAY[i];
            count++;
        }
    }
    if (count != 1) {
        return soa_yaml_fail(when, SOA_E_SYNTAX,
            "'when' needs either 'time' or 'signal' with 'crosses', or one of 'formula', 'contact', 'limit' and "
            "'cone'");
    }
    const struct way *way = *chosen;
    for (const soa_yaml *n = when->child; n; n = n->next) {
        if (strcmp(n->key, way->key) != 0 && !(way->more[0] && strcmp(n->key, way->more[0]) == 0) &&
            !(way->more[1] && strcmp(n->key, way->more[1]) == 0)) {
            return soa_yaml_fail(n, SOA_E_SYNTAX, "'%.40s' does not go with '%s'", n->key, way->key);
        }
    }
    return true;
}

static bool read_when(soa_scenario *s, const soa_yaml *node, soa_event *e)
{
    soa_yaml *when = soa_yaml_get(node, "when");
    const struct way *way = NULL;
    if (!when) {
        return soa_yaml_fail(
            node, SOA_E_SYNTAX, "'when' is missing; give {time: 3.0} or {signal: q.elbow, crosses: 1.2}");
    }
    return soa_scenario_expect(when, SOA_SECTION_WHEN, 0) && find_way(when, &way) &&
           soa_scenario_read(when, SOA_SECTION_WHEN, 0, e) && (!way->read || way->read(s, when, e));
}

/* ---- do ------------------------------------------------------------------------------------------- */

/* The number of the closure, force, controller or joint that an action names. */
static bool find_target(const soa_scenario *s, const soa_yaml *value, soa_event *e)
{
    if (e->action == SOA_ACTION_IMPULSE) {
        soa_body body = { .link = -1 };
        const bool ok = soa_scenario_joint(s, value, value, &body);
        e->target = body.link;
        return ok;
    }
    return soa_scenario_find(s, value,
        e->action <= SOA_ACTION_DETACH    ? "closure"
        : e->action <= SOA_ACTION_DISABLE ? "force"
                                          : "controller",
        &e->target);
}

static bool read_action(const soa_scenario *s, const soa_yaml *node, soa_event *e)
{
    soa_yaml *action = soa_yaml_get(node, "do");
    if (!action) {
        return soa_yaml_fail(node, SOA_E_SYNTAX, "'do' is missing; give {stop: true} or {detach: CLOSURE}");
    }
    if (!soa_scenario_read(action, SOA_SECTION_ACTION, 0, e)) {
        return false;
    }
    const soa_yaml *value = NULL;
    for (const soa_yaml *n = action->child; n; n = n->next) {
        if (strcmp(n->key, "value") != 0) {
            if (value) {
                return soa_yaml_fail(n, SOA_E_SYNTAX, "'do' takes one action; write another event for '%s'", n->key);
            }
            value = n;
        }
    }
    if (!value) {
        return soa_yaml_fail(action, SOA_E_SYNTAX, "'do' names no action");
    }
    e->action = soa_action_find(value->key);
    if (e->action != SOA_ACTION_IMPULSE && soa_yaml_get(action, "value")) {
        return soa_yaml_fail(soa_yaml_get(action, "value"), SOA_E_SYNTAX, "'value' goes with 'impulse' alone");
    }
    return e->action == SOA_ACTION_STOP || e->action == SOA_ACTION_RECORD || find_target(s, value, e);
}

/* Its name, or what it waits for. */
static const char *event_name(soa_scenario *s, const soa_yaml *node, const soa_event *e)
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
    char *name = soa_scenario_take(s, node, strlen(text) + 1, 1);
    return name ? strcpy(name, text) : NULL;
}

bool soa_scenario_event(soa_scenario *s, soa_yaml *node, void *to)
{
    soa_event *e = to;
    *e = (soa_event){ 0 };
    if (!soa_scenario_read(node, SOA_SECTION_EVENT, 0, e) || !read_when(s, node, e) || !read_action(s, node, e)) {
        return false;
    }
    const char *name = event_name(s, node, e);
    s->event_name[s->setup.events] = name;
    return name;
}
