/* sim/controller.c - controllers checked and made ready. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/kind_words.h"
#include "sim/sim_system.h"

SOA_WORDS(soa_controller_kind, soa_controller_kind, SOA_CONTROLLER_KINDS, SOA_CONTROLLER_LIST, "unknown")

/* ---- made ------------------------------------------------------------------------------- */

soa_status sim_control_refuse(const sim_controller *c, soa_status status, soa_error *error, const char *why)
{
    const soa_controller *s = &c->setup;
    return soa_fail(
        error, status, -1, "controller '%s' (%s): %s", s->name ? s->name : "", soa_controller_kind_text(s->kind), why);
}

static bool finite_or_none(int n, const double *x)
{
    bool finite = true;
    for (int i = 0; x && i < n; i++) {
        finite = finite && isfinite(x[i]);
    }
    return finite;
}

static soa_status check(const soa_sim *sim, const sim_controller *c, soa_error *error)
{
    const soa_controller *s = &c->setup;
    if ((unsigned)s->kind >= SOA_CONTROLLER_KINDS) {
        return sim_control_refuse(c, SOA_E_ARGUMENT, error, "its kind does not exist");
    }
    if (s->joints < 0 || (s->joints > 0 && !s->link)) {
        return sim_control_refuse(c, SOA_E_ARGUMENT, error, "its joints are missing");
    }
    for (int i = 0; i < s->joints; i++) {
        if (sim_joint_of(sim, s->link[i]) < 0) {
            return sim_control_refuse(c, SOA_E_JOINT, error, "each of its joints must move and have one coordinate");
        }
    }
    if (!finite_or_none(s->joints, s->kp) || !finite_or_none(s->joints, s->ki) || !finite_or_none(s->joints, s->kd)) {
        return sim_control_refuse(c, SOA_E_NUMBER, error, "a gain is not finite");
    }
    for (int i = 0; s->sensor && i < s->joints; i++) {
        const int sensor = s->sensor[i];
        if (sensor >= sim->setup.sensors || (sensor >= 0 && sim->setup.sensor[sensor].kind != SOA_SENSOR_ENCODER)) {
            return sim_control_refuse(c, SOA_E_NAME, error, "a sensor of its joints is no encoder");
        }
    }
    if (s->kind == SOA_CONTROL_POINT && !s->point) {
        return sim_control_refuse(c, SOA_E_ARGUMENT, error, "its point is missing");
    }
    if (s->kind == SOA_CONTROL_EXPRESSION && !s->expression) {
        return sim_control_refuse(c, SOA_E_ARGUMENT, error, "its expression is missing");
    }
    if (s->kind == SOA_CONTROL_CALLBACK && !s->function) {
        return sim_control_refuse(c, SOA_E_ARGUMENT, error, "its function is missing");
    }
    return SOA_OK;
}

static soa_status bind(sim_controller *c, const char *name, const double *numbers, soa_error *error)
{
    return soa_runner_numbers(c->runner, name) < 0 ? SOA_OK : soa_runner_bind(c->runner, name, numbers, error);
}

/* What the expression may use besides the language: e, edot, qd_ref, qdd_ref. */
static soa_status make_expression(soa_sim *sim, sim_controller *c, soa_error *error)
{
    static const char inputs[] = "e: joint acceleration\nedot: joint acceleration\n"
                                 "qd_ref: joint velocity\nqdd_ref: joint acceleration\n";
    soa_status status = soa_program_new(&sim->allocator, &c->program, error);
    SOA_NEXT(status, soa_program_read(c->program, inputs, SOA_READ_PROGRAM, error));
    SOA_NEXT(status, soa_program_read(c->program, c->setup.expression, SOA_READ_PROGRAM, error));
    if (status != SOA_OK) {
        return status;
    }
    const int last = soa_program_statements(c->program) - 1;
    const soa_statement_info info = soa_program_statement(c->program, last);
    if (info.kind != SOA_STATEMENT_EXPRESSION || info.from_space != SOA_SPACE_ONE || info.to_space != SOA_SPACE_JOINT ||
        info.to_side != SOA_SIDE_FORCE) {
        return sim_control_refuse(
            c, SOA_E_SYNTAX, error, "its expression must be a joint force, such as \"Mass qdd_ref + C\"");
    }
    status = soa_compile(sim->model, c->program, SOA_SIMPLIFIED, 1, &last, &c->compiled, error);
    SOA_NEXT(status, soa_runner_new(c->compiled, 0, NULL, &sim->allocator, &c->runner, error));
    SOA_NEXT(status, bind(c, "e", c->e, error));
    SOA_NEXT(status, bind(c, "edot", c->edot, error));
    SOA_NEXT(status, bind(c, "qd_ref", c->qd_ref, error));
    SOA_NEXT(status, bind(c, "qdd_ref", c->qdd_ref, error));
    SOA_NEXT(status, bind(c, "T", sim->T, error));
    return status == SOA_OK ? soa_runner_bind_output(c->runner, "y", c->value, error) : status;
}

soa_status sim_controller_make(soa_sim *sim, sim_controller *c, const double *q0, soa_error *error)
{
    const size_t nv = (size_t)sim->nv;
    soa_status status = check(sim, c, error);
    if (status != SOA_OK) {
        return status;
    }
    c->enabled = !c->setup.inactive;
    c->at_q = soa_arena_take(&sim->arena, (size_t)c->setup.joints, sizeof *c->at_q);
    c->at_v = soa_arena_take(&sim->arena, (size_t)c->setup.joints, sizeof *c->at_v);
    c->reference = soa_arena_take(&sim->arena, (size_t)c->setup.joints, sizeof *c->reference);
    c->e = soa_arena_take(&sim->arena, nv, sizeof *c->e);
    c->edot = soa_arena_take(&sim->arena, nv, sizeof *c->edot);
    c->qd_ref = soa_arena_take(&sim->arena, nv, sizeof *c->qd_ref);
    c->qdd_ref = soa_arena_take(&sim->arena, nv, sizeof *c->qdd_ref);
    c->value = soa_arena_take(&sim->arena, nv, sizeof *c->value);
    if (sim->arena.failed) {
        return soa_fail_memory(error);
    }
    for (int i = 0; i < c->setup.joints; i++) {
        const soa_body body = soa_model_body(sim->model, sim_joint_of(sim, c->setup.link[i]));
        c->at_q[i] = body.q;
        c->at_v[i] = body.v;
    }
    for (int i = 0; i < c->setup.joints; i++) {
        c->reference[i] = q0[c->at_q[i]];
    }
    if (c->setup.kind == SOA_CONTROL_POINT || c->setup.kind == SOA_CONTROL_COMPUTED_TORQUE) {
        return sim_led_make(sim, c, q0, error);
    }
    return c->setup.kind == SOA_CONTROL_EXPRESSION ? make_expression(sim, c, error) : SOA_OK;
}

void sim_controller_free(sim_controller *c)
{
    soa_runner_free(c->runner);
    soa_compiled_free(c->compiled);
    soa_program_free(c->program);
}
