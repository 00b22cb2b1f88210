/* io/scenario_events.c - the events of a scenario. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/scenario.h"

/* ---- formulas ------------------------------------------------------------------------------------- */

/* A signal with this name and formula. */
static void add_formula(soa_scenario *s, const soa_yaml *node, const char *name, const char *text)
{
    for (int i = 0; i < s->setup.signals; i++) {
        if (strcmp(s->formula[i].name, name) == 0 && strcmp(s->formula[i].formula, text) == 0) {
            return;
        }
    }
    s->formula[s->setup.signals++] = (soa_signal){ name, text };
    soa_scenario_try(s, node, s->setup, NULL);
}

void soa_scenario_formulas(soa_scenario *scenario, const soa_yaml *root)
{
    const soa_yaml *signals = soa_yaml_get(root, "signals"), *events = soa_yaml_get(root, "events");
    const int most = (signals ? signals->count : 0) + (events ? events->count : 0);
    scenario->formula = soa_scenario_take(scenario, root, (size_t)most, sizeof *scenario->formula);
    scenario->setup.signal = scenario->formula;
    scenario->event_name =
        soa_scenario_take(scenario, root, events ? (size_t)events->count : 0, sizeof *scenario->event_name);
    if (signals) {
        soa_yaml_as_mapping(signals, "{NAME: FORMULA}");
    }
    for (const soa_yaml *n = signals ? signals->child : NULL; n && soa_yaml_ok(n); n = n->next) {
        add_formula(scenario, n, n->key, soa_yaml_as_text(n));
    }
}

/* ---- when ----------------------------------------------------------------------------------------- */

/* The event waits for the signal that the pattern calls, the name in place of its *. */
static void name_signal(soa_scenario *s, const soa_yaml *when, const char *pattern, const char *name, soa_event *e)
{
    const size_t room = strlen(pattern) + strlen(name) + 1;
    char *text = soa_scenario_take(s, when, room, 1);
    const size_t before = strcspn(pattern, "*");
    e->signal = text;
    if (text) {
        snprintf(text, room, "%.*s%s%s", (int)before, pattern, name, pattern + before + 1);
    }
}

/* Words for a direction: the first is rising, the second falling, the third both, which is usual if `usual` is 2. */
static int read_direction(const soa_yaml *when, const char *key, soa_form form, int usual)
{
    static const int sign[] = { 1, -1, 0 };
    return sign[soa_yaml_word(when, key, soa_form_words(form), usual)];
}

/* A contact is made where its depth becomes positive. */
static void read_contact(soa_scenario *s, const soa_yaml *when, soa_event *e)
{
    const char *name = soa_yaml_need_text(when, "contact");
    e->direction = read_direction(when, "change", SOA_FORM_CHANGE, 0);
    name_signal(s, when, "contact.*.depth", name, e);
    for (int i = 0; i < s->setup.forces; i++) {
        const soa_force *f = &s->setup.force[i];
        if (f->kind == SOA_FORCE_CONTACT && f->name && strcmp(f->name, name) == 0) {
            return;
        }
    }
    soa_yaml_fail(soa_yaml_get(when, "contact"), SOA_E_NAME, "there is no force of kind contact named '%.80s'", name);
}

/* A joint reaches its limit in the model. */
static void read_limit(soa_scenario *s, const soa_yaml *when, soa_event *e)
{
    const soa_yaml *joint = soa_yaml_get(when, "limit");
    const bool upper = soa_yaml_word(when, "side", soa_form_words(SOA_FORM_SIDE), 1);
    const soa_body body = soa_scenario_joint(s, when, joint);
    if (!soa_yaml_ok(when)) {
        return;
    }
    const soa_joint *own = &soa_model_link(s->model, body.link)->joint;
    name_signal(s, when, "q.*", joint->text, e);
    e->direction = upper ? 1 : -1;
    e->value = upper ? own->upper[0] : own->lower[0];
    if (body.nv != 1 || !isfinite(e->value)) {
        soa_yaml_fail(joint, SOA_E_JOINT, "joint '%.80s' has no such limit", joint->text);
    }
}

/* The force of a closure leaves its cone where its margin becomes negative. */
static void read_cone(soa_scenario *s, const soa_yaml *when, soa_event *e)
{
    e->direction = -1;
    name_signal(s, when, "closure.*.margin", soa_yaml_need_text(when, "cone"), e);
}

/* A formula of an event is a signal named by it in parentheses, so that no word of a recording means it. */
static void read_crossing(soa_scenario *s, const soa_yaml *when, soa_event *e)
{
    const soa_yaml *formula = soa_yaml_get(when, "formula");
    if (formula) {
        const char *text = soa_yaml_as_text(formula);
        name_signal(s, when, "(*)", text, e);
        if (soa_yaml_ok(when)) {
            add_formula(s, formula, e->signal, text);
        }
    }
    e->direction = read_direction(when, "direction", SOA_FORM_DIRECTION, 2);
}

/* What is waited for: its key, the keys that go with it, and what reads it beside numbers and texts. */
static const struct way {
    const char *key, *more[2];
    void (*read)(soa_scenario *s, const soa_yaml *when, soa_event *e);
} WAY[] = { { "time", { NULL, NULL }, NULL }, { "signal", { "crosses", "direction" }, read_crossing },
    { "formula", { "crosses", "direction" }, read_crossing }, { "contact", { "change", NULL }, read_contact },
    { "limit", { "side", NULL }, read_limit }, { "cone", { NULL, NULL }, read_cone } };

/* Exactly one of the keys that say what is waited for; keys that belong to another one are refused. */
static const struct way *find_way(const soa_yaml *when)
{
    const struct way *way = NULL;
    int count = 0;
    for (size_t i = 0; i < sizeof WAY / sizeof *WAY; i++) {
        if (soa_yaml_get(when, WAY[i].key)) {
            way = &WAY[i];
            count++;
        }
    }
    if (count != 1) {
        soa_yaml_fail(when, SOA_E_SYNTAX,
            "'when' needs either 'time' or 'signal' with 'crosses', or one of 'formula', 'contact', 'limit' and "
            "'cone'");
        return &WAY[0];
    }
    for (const soa_yaml *n = when->child; n; n = n->next) {
        if (strcmp(n->key, way->key) != 0 && !(way->more[0] && strcmp(n->key, way->more[0]) == 0) &&
            !(way->more[1] && strcmp(n->key, way->more[1]) == 0)) {
            soa_yaml_fail(n, SOA_E_SYNTAX, "'%.40s' does not go with '%s'", n->key, way->key);
        }
    }
    return way;
}

static void read_when(soa_scenario *s, const soa_yaml *node, soa_event *e)
{
    soa_yaml *when = soa_yaml_get(node, "when");
    if (!when) {
        soa_yaml_fail(node, SOA_E_SYNTAX, "'when' is missing; give {time: 3.0} or {signal: q.elbow, crosses: 1.2}");
        return;
    }
    soa_scenario_expect(when, SOA_SECTION_WHEN, 0);
    const struct way *way = find_way(when);
    soa_scenario_read(when, SOA_SECTION_WHEN, 0, e);
    if (way->read && soa_yaml_ok(when)) {
        way->read(s, when, e);
    }
}

/* ---- do ------------------------------------------------------------------------------------------- */

static void read_action(const soa_scenario *s, const soa_yaml *node, soa_event *e)
{
    soa_yaml *action = soa_yaml_get(node, "do");
    const soa_yaml *value = NULL;
    if (!action) {
        soa_yaml_fail(node, SOA_E_SYNTAX, "'do' is missing; give {stop: true} or {detach: CLOSURE}");
        return;
    }
    soa_scenario_read(action, SOA_SECTION_ACTION, 0, e);
    for (const soa_yaml *n = action->child; n; n = n->next) {
        if (n->key && strcmp(n->key, "value") != 0) {
            if (value) {
                soa_yaml_fail(n, SOA_E_SYNTAX, "'do' takes one action; write another event for '%s'", n->key);
            }
            value = n;
        }
    }
    if (!value) {
        soa_yaml_fail(action, SOA_E_SYNTAX, "'do' names no action");
        return;
    }
    e->action = soa_action_find(value->key);
    if (e->action != SOA_ACTION_IMPULSE && soa_yaml_get(action, "value")) {
        soa_yaml_fail(soa_yaml_get(action, "value"), SOA_E_SYNTAX, "'value' goes with 'impulse' alone");
    }
    if (e->action == SOA_ACTION_IMPULSE) {
        e->target = soa_scenario_joint(s, value, value).link;
    } else if (e->action != SOA_ACTION_STOP && e->action != SOA_ACTION_RECORD) {
        e->target = soa_scenario_find(s, value,
            e->action <= SOA_ACTION_DETACH    ? "closure"
            : e->action <= SOA_ACTION_DISABLE ? "force"
                                              : "controller");
    }
}

/* The name of an event, or what it waits for. */
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

void soa_scenario_event(soa_scenario *s, soa_yaml *node, void *to)
{
    soa_event *e = to;
    *e = (soa_event){ 0 };
    soa_scenario_read(node, SOA_SECTION_EVENT, 0, e);
    read_when(s, node, e);
    read_action(s, node, e);
    if (soa_yaml_ok(node)) {
        s->event_name[s->setup.events] = event_name(s, node, e);
    }
}
