/* io/scenario.c - a scenario file as a whole: how it is integrated and recorded, and what it is asked. */
#include "io/scenario.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "io/reader.h"

void *soa_scenario_take(soa_scenario *scenario, size_t count, size_t size, soa_error *error)
{
    void *memory = soa_arena_take(&scenario->arena, count + 1, size);
    if (!memory) {
        soa_fail_memory(error);
    }
    return memory;
}

soa_status soa_scenario_place(const soa_yaml *node, soa_status status, soa_error *error)
{
    char text[SOA_ERROR_TEXT] = "";
    if (status == SOA_OK || status == SOA_E_MEMORY || !error) {
        return status;
    }
    memcpy(text, error->text, sizeof text);
    return soa_fail_at(error, status, node->file, node->line, "%s", text);
}

soa_status soa_scenario_try(
    const soa_scenario *scenario, const soa_yaml *node, soa_sim_setup setup, soa_sim **kept, soa_error *error)
{
    soa_sim *sim = NULL;
    setup.method = soa_sim_method_outside(setup.method) ? SOA_RK45 : setup.method;
    const soa_status status =
        soa_scenario_place(node, soa_sim_new(scenario->model, &setup, &scenario->allocator, &sim, error), error);
    if (kept) {
        *kept = sim;
    } else {
        soa_sim_free(sim);
    }
    return status;
}

soa_status soa_scenario_joint(const soa_scenario *scenario, const soa_yaml *value, soa_body *body, soa_error *error)
{
    const char *name;
    const soa_status status = soa_yaml_as_text(value, &name, error);
    return status != SOA_OK ? status
                            : soa_scenario_place(value, soa_model_find_body(scenario->model, name, body, error), error);
}

/* ---- how it is integrated and recorded ----------------------------------------------------------- */

static soa_status read_method(soa_scenario *s, const soa_yaml *integrator, soa_error *error)
{
    const char *text = soa_sim_method_text(s->setup.method);
    const char *list[SOA_METHODS + 1] = { NULL };
    const soa_status status = soa_yaml_text(integrator, "method", &text, error);
    for (int i = 0; i < SOA_METHODS; i++) {
        list[i] = soa_sim_method_text((soa_sim_method)i);
    }
    s->setup.method = soa_sim_method_find(text);
    if (status == SOA_OK && s->setup.method == SOA_METHODS) {
        const char *near = soa_yaml_nearest(text, list);
        char all[192] = "take one of";
        for (int i = 0; i < SOA_METHODS; i++) {
            const size_t used = strlen(all);
            snprintf(all + used, sizeof all - used, "%s %s", i == 0 ? "" : ",", list[i]);
        }
        return soa_yaml_fail(soa_yaml_get(integrator, "method"), SOA_E_NAME, error,
            "method '%.40s' does not exist; %s%s", text, near ? "did you mean " : all, near ? near : "");
    }
    return status;
}

static soa_status need_positive(const soa_yaml *mapping, const char *key, double *x, soa_error *error)
{
    const soa_status status = soa_yaml_number(mapping, key, x, error);
    if (status == SOA_OK && soa_yaml_get(mapping, key) && !(*x > 0.0)) {
        return soa_yaml_fail(soa_yaml_get(mapping, key), SOA_E_NUMBER, error, "'%s' must be positive", key);
    }
    return status;
}

/* Seconds that divide the duration into no more parts than a run could ever end with. */
static soa_status need_interval(
    const soa_scenario *s, const soa_yaml *mapping, const char *key, double *x, soa_error *error)
{
    const double most = 1e12;
    const soa_status status = need_positive(mapping, key, x, error);
    return status != SOA_OK || !soa_yaml_get(mapping, key) || s->duration / *x <= most
               ? status
               : soa_yaml_fail(soa_yaml_get(mapping, key), SOA_E_LIMIT, error,
                     "'%s' divides the duration into more than %g parts; give more seconds", key, most);
}

static soa_status read_integrator(soa_scenario *s, const soa_yaml *root, soa_error *error)
{
    soa_yaml *integrator = soa_yaml_get(root, "integrator");
    if (!integrator) {
        return SOA_OK;
    }
    soa_sim_setup *setup = &s->setup;
    soa_status status = soa_scenario_expect(integrator, SOA_SECTION_INTEGRATOR, 0, error);
    status = status == SOA_OK ? read_method(s, integrator, error) : status;
    status = status == SOA_OK ? need_interval(s, integrator, "step", &setup->step, error) : status;
    status = status == SOA_OK ? need_positive(integrator, "rtol", &setup->rtol, error) : status;
    status = status == SOA_OK ? need_positive(integrator, "atol", &setup->atol, error) : status;
    status = status == SOA_OK ? need_positive(integrator, "largest", &setup->largest, error) : status;
    status = status == SOA_OK ? need_positive(integrator, "closure_tolerance", &setup->shut, error) : status;
    if (status == SOA_OK && !soa_sim_method_adaptive(setup->method) && !soa_yaml_get(integrator, "step")) {
        return soa_yaml_fail(
            integrator, SOA_E_SYNTAX, error, "method %s needs a 'step' in seconds", soa_sim_method_text(setup->method));
    }
    return status;
}

/* Each word must be a signal or the beginning of some. */
static soa_status check_signal(const soa_sim *sim, const soa_yaml *value, const char *word, soa_error *error)
{
    const size_t n = strlen(word);
    for (int i = 0; i < soa_sim_signals(sim); i++) {
        const char *name = soa_sim_signal_name(sim, i);
        if (strncmp(name, word, n) == 0 && (name[n] == '\0' || name[n] == '.')) {
            return SOA_OK;
        }
    }
    return soa_yaml_fail(value, SOA_E_NAME, error,
        "there is no signal '%.80s'; signals begin with q, v, vdot, tau, energy, power, work, actuator, sensor, "
        "contact "
        "or closure, or are those of 'signals'",
        word);
}

static soa_status read_signals(soa_scenario *s, const soa_yaml *record, const soa_sim *sim, soa_error *error)
{
    static const char *const usual[] = { "q", "v", "energy" };
    const soa_yaml *list = soa_yaml_get(record, "signals");
    soa_status status = list ? soa_yaml_as_sequence(list, error) : SOA_OK;
    const int count = list && status == SOA_OK ? list->count : 3;
    s->signal = soa_scenario_take(s, (size_t)count, sizeof *s->signal, error);
    if (status != SOA_OK || !s->signal) {
        return status != SOA_OK ? status : SOA_E_MEMORY;
    }
    memcpy(s->signal, usual, list ? 0 : sizeof usual);
    s->signals = count;
    int i = 0;
    for (const soa_yaml *n = list ? list->child : NULL; n && status == SOA_OK; n = n->next, i++) {
        status = soa_yaml_as_text(n, &s->signal[i], error);
        status = status == SOA_OK ? check_signal(sim, n, s->signal[i], error) : status;
    }
    return status;
}

static soa_status read_record(soa_scenario *s, soa_yaml *root, const soa_sim *sim, soa_error *error)
{
    soa_yaml *record = soa_yaml_get(root, "record");
    s->every = 0.01;
    soa_status status = record ? soa_scenario_expect(record, SOA_SECTION_RECORD, 0, error) : SOA_OK;
    status = status == SOA_OK && record ? need_interval(s, record, "every", &s->every, error) : status;
    return status == SOA_OK ? read_signals(s, record ? record : root, sim, error) : status;
}

/* ---- the whole file -------------------------------------------------------------------------------- */

static soa_status read_duration(soa_scenario *s, const soa_yaml *root, soa_error *error)
{
    if (!soa_yaml_get(root, "duration")) {
        return soa_yaml_fail(root, SOA_E_SYNTAX, error, "'duration' is missing; give seconds");
    }
    return need_positive(root, "duration", &s->duration, error);
}

static soa_status read_version(const soa_yaml *root, soa_error *error)
{
    double version = 0.0;
    const soa_status status = soa_yaml_number(root, "soa", &version, error);
    return status != SOA_OK || version == 1.0 ? status
                                              : soa_yaml_fail(root, SOA_E_UNSUPPORTED, error,
                                                    "a scenario begins with 'soa: 1', the version of the format");
}

static soa_status read_joint_friction(soa_scenario *s, const soa_yaml *root, soa_error *error)
{
    const char *text = "smooth";
    const soa_status status = soa_yaml_text(root, "joint_friction", &text, error);
    s->setup.stick = strcmp(text, "stick") == 0;
    return status != SOA_OK || s->setup.stick || strcmp(text, "smooth") == 0
               ? status
               : soa_yaml_fail(soa_yaml_get(root, "joint_friction"), SOA_E_NAME, error,
                     "'joint_friction' is '%.40s'; write smooth or stick", text);
}

static soa_status read_root(soa_scenario *s, soa_yaml *root, soa_error *error)
{
    soa_status status = soa_scenario_expect(root, SOA_SECTION_ROOT, 0, error);
    status = status == SOA_OK ? read_version(root, error) : status;
    status = status == SOA_OK ? soa_yaml_need_text(root, "scenario", &s->name, error) : status;
    status = status == SOA_OK ? read_duration(s, root, error) : status;
    status = status == SOA_OK ? soa_scenario_read_model(s, root, error) : status;
    status = status == SOA_OK ? soa_yaml_boolean(root, "open", &s->setup.open, error) : status;
    status = status == SOA_OK ? soa_yaml_boolean(root, "bare", &s->setup.bare, error) : status;
    status = status == SOA_OK ? read_joint_friction(s, root, error) : status;
    status = status == SOA_OK ? soa_scenario_read_initial(s, root, error) : status;
    status = status == SOA_OK ? read_integrator(s, root, error) : status;
    status = status == SOA_OK ? soa_scenario_forces(s, root, error) : status;
    status = status == SOA_OK ? soa_scenario_sensors(s, root, error) : status;
    status = status == SOA_OK ? soa_scenario_controllers(s, root, error) : status;
    status = status == SOA_OK ? soa_scenario_actuators(s, root, error) : status;
    status = status == SOA_OK ? soa_scenario_formulas(s, root, error) : status;
    status = status == SOA_OK ? soa_scenario_events(s, root, error) : status;
    status = status == SOA_OK ? soa_scenario_check_attach(s, root, error) : status;
    if (status != SOA_OK) {
        return status;
    }
    soa_sim *sim = NULL;
    status = soa_scenario_try(s, root, s->setup, &sim, error);
    status = status == SOA_OK ? read_record(s, root, sim, error) : status;
    soa_sim_free(sim);
    return status;
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
    char *text;
    size_t length;
    soa_yaml *root;
    s->path = soa_arena_text(&s->arena, path);
    soa_status status = s->path ? soa_file_read(&s->arena, path, &text, &length, error) : soa_fail_memory(error);
    status = status == SOA_OK ? soa_yaml_parse(&s->arena, text, length, s->path, &root, error) : status;
    status = status == SOA_OK ? read_root(s, root, error) : status;
    if (status != SOA_OK) {
        soa_scenario_free(s);
        return status;
    }
    *scenario = s;
    return SOA_OK;
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
