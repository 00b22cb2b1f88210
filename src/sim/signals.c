/* sim/signals.c - the numbers that a simulation shows: names once, values on demand. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "sim/formula.h"

/* ---- names ------------------------------------------------------------------------------ */

/* Adds "first.second", "first.second.third" or, if the third begins with '/', "first.second/third"; counts only while
 * sim->signal is NULL. */
static bool add(soa_sim *sim, sim_source source, int index, const char *first, const char *second, const char *third)
{
    const int at = sim->signals++;
    if (!sim->signal) {
        return true;
    }
    const size_t room = strlen(first) + strlen(second) + strlen(third) + 3;
    char *name = soa_arena_take(&sim->arena, room, 1);
    if (name) {
        snprintf(
            name, room, "%s%s%s%s%s", first, *second ? "." : "", second, *third && *third != '/' ? "." : "", third);
        sim->signal[at] = (sim_signal){ name, source, index };
    }
    return name;
}

/* The name of a joint, or of the link it carries; of modes that of their link. */
static const char *joint_name(const soa_sim *sim, const soa_body *body)
{
    const soa_link *link = soa_model_link(sim->model, body->link);
    return link->joint.name && !body->flexible ? link->joint.name : link->name;
}

static bool add_joints(soa_sim *sim, sim_source source, const char *word)
{
    bool good = true;
    for (int k = 0; k < soa_model_bodies(sim->model); k++) {
        const soa_body body = soa_model_body(sim->model, k);
        const int count = source == SIM_Q ? body.nq : body.nv, first = source == SIM_Q ? body.q : body.v;
        for (int i = 0; i < count; i++) {
            char number[24] = "";
            if (body.flexible) {
                snprintf(number, sizeof number, "/flex.%d", i);
            } else if (count > 1) {
                snprintf(number, sizeof number, "%d", i);
            }
            good = good && add(sim, source, first + i, word, joint_name(sim, &body), number);
        }
    }
    return good;
}

/* A name for item i: its own, or its number. */
static const char *name_or_number(const char *name, int i, char buffer[16])
{
    snprintf(buffer, 16, "%d", i);
    return name && *name ? name : buffer;
}

static bool add_elements(soa_sim *sim)
{
    const int elements = soa_forces_count(sim->forces);
    bool good = true;
    for (int i = 0; i < elements; i++) {
        const soa_force *force = soa_forces_get(sim->forces, i);
        char text[16];
        const char *name = name_or_number(force->name, i, text), *kind = soa_force_kind_text(force->kind);
        good = good && add(sim, SIM_POWER, i, "power", kind, name) && add(sim, SIM_WORK, i, "work", kind, name);
        if (force->kind == SOA_FORCE_CONTACT) {
            good = good && add(sim, SIM_DEPTH, i, "contact", name, "depth") &&
                   add(sim, SIM_PRESS, 6 * i + 3, "contact", name, "force");
        }
    }
    for (int i = 0; i < sim->controllers; i++) {
        const soa_controller *c = &sim->controller[i].setup;
        char text[16];
        good = good && add(sim, SIM_WORK, elements + i, "work", soa_controller_kind_text(c->kind),
                           name_or_number(c->name, i, text));
    }
    return good;
}

static bool add_actuators(soa_sim *sim)
{
    const int work = soa_forces_count(sim->forces) + sim->controllers;
    bool good = true;
    for (int i = 0; i < sim->actuators; i++) {
        char text[16];
        const char *name = name_or_number(sim->actuator[i].setup.name, i, text);
        good = good && add(sim, SIM_WORK, work + i, "work", "actuator", name) &&
               add(sim, SIM_MOTOR, 2 * i, "actuator", name, "torque") &&
               add(sim, SIM_MOTOR, 2 * i + 1, "actuator", name, "command");
    }
    return good;
}

static bool add_sensors(soa_sim *sim)
{
    bool good = true;
    for (int i = 0; i < sim->sensors; i++) {
        const int first = (int)(sim_sensor_shown(sim, i) - sim->sensed);
        char text[16];
        const char *name = name_or_number(sim->sensor[i].setup.name, i, text);
        for (int c = 0; c < sim->sensor[i].channels; c++) {
            char channel[16];
            snprintf(channel, sizeof channel, "%d", c);
            good = good && add(sim, SIM_SENSED, first + c, "sensor", name, channel);
        }
    }
    return good;
}

static bool add_closures(soa_sim *sim)
{
    bool good = true;
    for (int i = 0; sim->closures && i < soa_closures_count(sim->closures); i++) {
        char text[16];
        const char *name = name_or_number(soa_closure_name(sim->closures, i), i, text);
        if (!soa_closure_get(sim->closures, i)) { /* a coupling of joints */
            continue;
        }
        good = good && add(sim, SIM_NORMAL, i, "closure", name, "normal") &&
               add(sim, SIM_MARGIN, i, "closure", name, "margin") && add(sim, SIM_FORCE, i, "closure", name, "force") &&
               add(sim, SIM_MOMENT, i, "closure", name, "moment");
    }
    return good;
}

static bool add_formulas(soa_sim *sim)
{
    bool good = true;
    for (int i = 0; i < sim->setup.signals; i++) {
        good = good && add(sim, SIM_FORMULA, i, sim->setup.signal[i].name, "", "");
    }
    return good;
}

/* Formulas may use what stands before them. */
static soa_status read_formulas(soa_sim *sim, soa_error *error)
{
    const int own = sim->setup.signals, first = sim->signals - own;
    sim->formula = soa_arena_take(&sim->arena, (size_t)own, sizeof *sim->formula);
    soa_status status = sim->formula ? SOA_OK : soa_fail_memory(error);
    for (int i = 0; i < own && status == SOA_OK; i++) {
        const soa_signal *signal = &sim->setup.signal[i];
        if (soa_sim_signal_find(sim, signal->name) < first + i) {
            return soa_fail(error, SOA_E_NAME, -1, "the name of signal '%.80s' is taken", signal->name);
        }
        status = sim_formula_read(sim, first + i, signal->formula, &sim->formula[i], error);
    }
    return status;
}

static bool add_all(soa_sim *sim)
{
    sim->signals = 0;
    return add(sim, SIM_TIME, 0, "t", "", "") && add_joints(sim, SIM_Q, "q") && add_joints(sim, SIM_V, "v") &&
           add_joints(sim, SIM_VDOT, "vdot") && add_joints(sim, SIM_TAU, "tau") &&
           add(sim, SIM_KINETIC, 0, "energy", "kinetic", "") && add(sim, SIM_POTENTIAL, 0, "energy", "potential", "") &&
           add_elements(sim) && add_actuators(sim) && add_sensors(sim) && add_closures(sim) && add_formulas(sim);
}

soa_status sim_signals_make(soa_sim *sim, soa_error *error)
{
    for (int i = 0; i < sim->setup.signals; i++) {
        if (!sim->setup.signal || !sim->setup.signal[i].name || !sim->setup.signal[i].formula) {
            return soa_fail_null(error, "the name or the formula of a signal");
        }
    }
    add_all(sim);
    sim->signal = soa_arena_take(&sim->arena, (size_t)sim->signals, sizeof *sim->signal);
    sim->value = soa_arena_take(&sim->arena, (size_t)sim->signals, sizeof *sim->value);
    return sim->signal && sim->value && add_all(sim) ? read_formulas(sim, error) : soa_fail_memory(error);
}

int soa_sim_signals(const soa_sim *sim)
{
    return sim->signals;
}

const char *soa_sim_signal_name(const soa_sim *sim, int signal)
{
    return signal >= 0 && signal < sim->signals ? sim->signal[signal].name : "";
}

int soa_sim_signal_find(const soa_sim *sim, const char *name)
{
    for (int i = 0; i < sim->signals; i++) {
        if (strcmp(sim->signal[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* ---- values ------------------------------------------------------------------------------- */

static double length(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* Zero while the closure is disabled. */
static double closure_value(const soa_sim *sim, const sim_signal *signal)
{
    soa_closure_load load;
    if (!soa_closure_enabled(sim->closures, signal->index) ||
        soa_closure_force(sim->closures, signal->index, &load, NULL) != SOA_OK) {
        return 0.0;
    }
    switch (signal->source) {
    case SIM_NORMAL:
        return load.normal;
    case SIM_MARGIN:
        return load.cone_margin;
    case SIM_FORCE:
        return length(load.wrench_on_a + 3);
    default:
        return length(load.wrench_on_a);
    }
}

static double value_of(const soa_sim *sim, const sim_signal *signal, double t, const double *y, const double energy[2])
{
    const double *number[] = { [SIM_Q] = y,
        [SIM_V] = y + sim->nq,
        [SIM_VDOT] = sim->vdot,
        [SIM_TAU] = sim->T,
        [SIM_KINETIC] = energy,
        [SIM_POTENTIAL] = energy + 1,
        [SIM_POWER] = sim->power,
        [SIM_WORK] = y + sim->nq + sim->nv };
    return signal->source == SIM_TIME     ? t
           : signal->source == SIM_SENSED ? sim->sensed[signal->index]
           : signal->source == SIM_DEPTH  ? sim->depth[signal->index]
           : signal->source == SIM_PRESS  ? length(sim->wrench + signal->index)
           : signal->source == SIM_MOTOR  ? sim->motor[signal->index]
           : signal->source <= SIM_WORK   ? number[signal->source][signal->index]
                                          : closure_value(sim, signal);
}

soa_status sim_signals_at(soa_sim *sim, double t, const double *y, soa_error *error)
{
    const double *v = y + sim->nq;
    double energy[2];
    soa_status status = sim_energy(sim, t, y, energy, error);
    SOA_NEXT(status, sim_forces(sim, t, y, v, v + sim->nv, NULL, error));
    SOA_NEXT(status, sim_accelerate_near(sim, t, y, v, sim->vdot, error));
    for (int i = 0; i < sim->signals && status == SOA_OK; i++) {
        const sim_signal *s = &sim->signal[i];
        sim->value[i] = s->source == SIM_FORMULA ? sim_formula_value(&sim->formula[s->index], sim->value)
                                                 : value_of(sim, s, t, y, energy);
        if (!isfinite(sim->value[i])) {
            return soa_fail(error, SOA_E_NUMBER, -1, "signal '%.80s' is not finite at t = %.9g", s->name, t);
        }
    }
    return status;
}

const double *soa_sim_signal_values(soa_sim *sim, soa_error *error)
{
    return sim_signals_at(sim, sim->t, sim->y, error) == SOA_OK ? sim->value : NULL;
}
