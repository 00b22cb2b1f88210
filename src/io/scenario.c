/* io/scenario.c - a scenario file as a whole: how it is integrated and recorded, and what it is asked. */
#include "io/scenario.h"

#include <string.h>

#include "core/error.h"
#include "io/reader.h"

void *soa_scenario_take(soa_scenario *scenario, const soa_yaml *node, size_t count, size_t size)
{
    void *memory = soa_arena_take(&scenario->arena, count + 1, size);
    return soa_yaml_got(node, memory) ? memory : NULL;
}

void soa_scenario_try(const soa_scenario *scenario, const soa_yaml *node, soa_sim_setup setup, soa_sim **kept)
{
    soa_sim *sim = NULL;
    setup.method = soa_sim_method_outside(setup.method) ? SOA_RK45 : setup.method;
    if (soa_yaml_ok(node)) {
        soa_yaml_place(node, soa_sim_new(scenario->model, &setup, &scenario->allocator, &sim, soa_yaml_error(node)));
    }
    if (kept) {
        *kept = sim;
    } else {
        soa_sim_free(sim);
    }
}

soa_body soa_scenario_coordinates(const soa_scenario *scenario, const soa_yaml *node, const soa_yaml *value)
{
    soa_body body = soa_model_body(NULL, SOA_NONE);
    if (!value) {
        soa_yaml_fail(node, SOA_E_SYNTAX, "'joint' is missing; name the joint");
        return body;
    }
    const char *name = soa_yaml_as_text(value);
    soa_yaml_place(value, soa_model_find_body(scenario->model, name, &body, soa_yaml_error(value)));
    return body;
}

soa_body soa_scenario_joint(const soa_scenario *scenario, const soa_yaml *node, const soa_yaml *value)
{
    const soa_body body = soa_scenario_coordinates(scenario, node, value);
    if (!body.flexible) {
        return body;
    }
    soa_yaml_fail(
        value, SOA_E_JOINT, "'%.80s' are the modes of a flexible link; name a joint", soa_yaml_as_text(value));
    return soa_model_body(NULL, SOA_NONE);
}

/* The name of a closure, force or controller. */
static const char *name_of(const soa_scenario *s, const char *what, int i)
{
    return what[1] == 'l'   ? soa_model_closure(s->model, i)->name
           : what[0] == 'f' ? s->setup.force[i].name
                            : s->setup.controller[i].name;
}

int soa_scenario_find(const soa_scenario *s, const soa_yaml *value, const char *what)
{
    const int count = what[1] == 'l'   ? soa_model_closures(s->model)
                      : what[0] == 'f' ? s->setup.forces
                                       : s->setup.controllers;
    const char *name = soa_yaml_as_text(value);
    int found = -1;
    for (int i = 0; i < count; i++) {
        const char *own = name_of(s, what, i);
        found = own && strcmp(own, name) == 0 ? i : found;
    }
    if (found < 0) {
        soa_yaml_fail(value, SOA_E_NAME, "there is no %s named '%.80s'", what, name);
    }
    return found;
}

/* ---- how it is integrated and recorded ----------------------------------------------------------- */

/* Seconds must divide the duration into no more parts than a run could ever end with. */
static void check_interval(const soa_scenario *s, const soa_yaml *mapping, const char *key, double x)
{
    const double most = 1e12;
    if (soa_yaml_get(mapping, key) && !(s->duration / x <= most)) {
        soa_yaml_fail(soa_yaml_get(mapping, key), SOA_E_LIMIT,
            "'%s' divides the duration into more than %g parts; give more seconds", key, most);
    }
}

static void read_integrator(soa_scenario *s, const soa_yaml *root)
{
    soa_yaml *integrator = soa_yaml_get(root, "integrator");
    const char *methods[SOA_METHODS + 1] = { NULL };
    for (int i = 0; i < SOA_METHODS; i++) {
        methods[i] = soa_sim_method_text((soa_sim_method)i);
    }
    if (!integrator) {
        return;
    }
    soa_scenario_read(integrator, SOA_SECTION_INTEGRATOR, 0, s);
    check_interval(s, integrator, "step", s->setup.step);
    const int method = soa_yaml_word(integrator, "method", methods, (int)s->setup.method);
    s->setup.method = (soa_sim_method)method;
    if (!soa_sim_method_adaptive(s->setup.method) && !soa_yaml_get(integrator, "step")) {
        soa_yaml_fail(integrator, SOA_E_SYNTAX, "method %s needs a 'step' in seconds", methods[method]);
    }
}

/* Each word must be a signal or the beginning of some. */
static void check_signal(const soa_sim *sim, const soa_yaml *value, const char *word)
{
    const size_t n = strlen(word);
    for (int i = 0; i < soa_sim_signals(sim); i++) {
        const char *name = soa_sim_signal_name(sim, i);
        if (strncmp(name, word, n) == 0 && (name[n] == '\0' || name[n] == '.')) {
            return;
        }
    }
    soa_yaml_fail(value, SOA_E_NAME,
        "there is no signal '%.80s'; signals begin with q, v, vdot, tau, energy, power, work, actuator, sensor, "
        "contact or closure, or are those of 'signals'",
        word);
}

static void read_record(soa_scenario *s, soa_yaml *root, const soa_sim *sim)
{
    static const char *const usual[] = { "q", "v", "energy" };
    soa_yaml *record = soa_yaml_get(root, "record");
    const soa_yaml *list = record ? soa_yaml_get(record, "signals") : NULL;
    s->every = 0.01;
    if (record) {
        soa_scenario_read(record, SOA_SECTION_RECORD, 0, s);
        check_interval(s, record, "every", s->every);
    }
    s->signals = list && soa_yaml_as_sequence(list) ? list->count : 3;
    s->signal = soa_scenario_take(s, root, (size_t)s->signals, sizeof *s->signal);
    if (!s->signal || !soa_yaml_ok(root)) {
        return;
    }
    memcpy(s->signal, usual, list ? 0 : sizeof usual);
    int i = 0;
    for (const soa_yaml *n = list ? list->child : NULL; n; n = n->next, i++) {
        s->signal[i] = soa_yaml_as_text(n);
        check_signal(sim, n, s->signal[i]);
    }
}

/* ---- the lists ------------------------------------------------------------------------------------- */

/* Makes a simulation with all sensors or events so far. */
static void try_all(const soa_scenario *s, const soa_yaml *node)
{
    soa_scenario_try(s, node, s->setup, NULL);
}

/* Makes a simulation with the actuators so far. */
static void try_actuators(const soa_scenario *s, const soa_yaml *node)
{
    soa_sim_setup setup = soa_sim_setup_default();
    setup.q = s->setup.q;
    setup.open = true;
    setup.method = s->setup.method;
    setup.step = s->setup.step;
    setup.actuators = s->setup.actuators;
    setup.actuator = s->setup.actuator;
    soa_scenario_try(s, node, setup, NULL);
}

/* Lists of the setup: key, array, count, how an item is read, and how it is tried; what is refused then is refused with its
 * line. */
#define SETUP_LIST(X)                                                         \
    X("forces", force, forces, soa_scenario_force, NULL)                      \
    X("sensors", sensor, sensors, soa_scenario_sensor, try_all)               \
    X("controllers", controller, controllers, soa_scenario_controller, NULL)  \
    X("actuators", actuator, actuators, soa_scenario_actuator, try_actuators) \
    X("events", event, events, soa_scenario_event, try_all)

static const struct setup_list {
    const char *key;
    size_t array, count, size;
    soa_scenario_reader *read;
    void (*try)(const soa_scenario *s, const soa_yaml *node);
} SETUP[] = {
#define ROW(key, array, count, read, try)                                                                             \
    { key, offsetof(soa_sim_setup, array), offsetof(soa_sim_setup, count), sizeof *((soa_sim_setup *)0)->array, read, \
        try },
    SETUP_LIST(ROW)
#undef ROW
};

static void read_list(soa_scenario *s, const soa_yaml *root, const struct setup_list *list)
{
    soa_yaml *first = soa_yaml_items(root, list->key);
    char *item = soa_scenario_take(s, root, first ? (size_t)first->parent->count : 0, list->size);
    int *count = (int *)(void *)((char *)&s->setup + list->count);
    memcpy((char *)&s->setup + list->array, &item, sizeof item);
    for (soa_yaml *node = first; node && soa_yaml_ok(node); node = node->next) {
        list->read(s, node, item + (size_t)*count * list->size);
        ++*count;
        if (list->try) {
            list->try(s, node);
        }
    }
}

/* ---- the whole file -------------------------------------------------------------------------------- */

static void read_root(soa_scenario *s, soa_yaml *root)
{
    double version = 0.0;
    soa_scenario_read(root, SOA_SECTION_ROOT, 0, s);
    soa_yaml_number(root, "soa", &version);
    s->setup.stick = soa_yaml_word(root, "joint_friction", soa_form_words(SOA_FORM_FRICTION), 0) == 1;
    if (version != 1.0) {
        soa_yaml_fail(root, SOA_E_UNSUPPORTED, "a scenario begins with 'soa: 1', the version of the format");
    } else if (!soa_yaml_get(root, "duration")) {
        soa_yaml_fail(root, SOA_E_SYNTAX, "'duration' is missing; give seconds");
    }
    soa_scenario_read_model(s, root);
    soa_scenario_read_initial(s, root);
    if (soa_yaml_ok(root)) {
        read_integrator(s, root);
    }
    for (size_t i = 0; i < sizeof SETUP / sizeof *SETUP && soa_yaml_ok(root); i++) {
        if (SETUP[i].read == soa_scenario_event) {
            soa_scenario_formulas(s, root);
        }
        read_list(s, root, &SETUP[i]);
    }
    soa_sim *sim = NULL;
    soa_scenario_check_attach(s, root);
    soa_scenario_try(s, root, s->setup, &sim);
    if (sim) {
        read_record(s, root, sim);
    }
    soa_sim_free(sim);
}

soa_status soa_scenario_load(
    const char *path, const soa_allocator *allocator, soa_scenario **scenario, soa_error *error)
{
    soa_error_clear(error);
    if (!path || !scenario) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "a scenario needs a path");
    }
    const soa_allocator memory = allocator ? *allocator : soa_allocator_default();
    soa_scenario *s = soa_allocate(&memory, 1, sizeof *s);
    *scenario = NULL;
    if (!s) {
        return soa_fail_memory(error);
    }
    *s = (soa_scenario){ .allocator = memory, .setup = soa_sim_setup_default() };
    s->arena = soa_arena_on(&s->allocator);
    soa_outcome outcome = { error, SOA_OK };
    char *text;
    size_t length;
    s->path = soa_arena_text(&s->arena, path);
    soa_yaml *root = NULL;
    if (soa_got(&outcome, s->path) && soa_keep(&outcome, soa_file_read(&s->arena, path, &text, &length, error))) {
        root = soa_yaml_parse(&s->arena, text, length, s->path, &outcome);
    }
    if (root) {
        read_root(s, root);
    }
    if (soa_ok(&outcome)) {
        *scenario = s;
    } else {
        soa_scenario_free(s);
    }
    return outcome.status;
}

void soa_scenario_free(soa_scenario *scenario)
{
    if (scenario) {
        const soa_allocator allocator = scenario->allocator;
        soa_model_free(scenario->model);
        soa_arena_free(&scenario->arena);
        soa_release(&allocator, scenario);
    }
}

/* ---- asked ----------------------------------------------------------------------------------------------- */

const char *soa_scenario_name(const soa_scenario *scenario)
{
    return scenario->name;
}

const soa_model *soa_scenario_model(const soa_scenario *scenario)
{
    return scenario->model;
}

const soa_sim_setup *soa_scenario_setup(const soa_scenario *scenario)
{
    return &scenario->setup;
}

void soa_scenario_use(soa_scenario *scenario, const soa_integrator *integrator)
{
    scenario->setup.integrator = integrator;
}

double soa_scenario_duration(const soa_scenario *scenario)
{
    return scenario->duration;
}

double soa_scenario_every(const soa_scenario *scenario)
{
    return scenario->every;
}

int soa_scenario_signals(const soa_scenario *scenario)
{
    return scenario->signals;
}

const char *soa_scenario_signal(const soa_scenario *scenario, int signal)
{
    return signal >= 0 && signal < scenario->signals ? scenario->signal[signal] : "";
}

const char *soa_scenario_event_name(const soa_scenario *scenario, int event)
{
    return event >= 0 && event < scenario->setup.events ? scenario->event_name[event] : "";
}
