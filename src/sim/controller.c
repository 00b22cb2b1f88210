/* sim/controller.c - what controllers do to the joints. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/kind_words.h"
#include "sim/system.h"

static const char *const KIND[] = {
#define ROW(name, text, meaning) text,
    SOA_CONTROLLER_LIST(ROW)
#undef ROW
};

SOA_WORDS(soa_controller_kind, soa_controller_kind, SOA_CONTROLLER_KINDS, KIND)

/* ---- paths ------------------------------------------------------------------------------- */

/* The part s of a stretch, 0 to 1, that is done after the part u of its time, with two derivatives by u. */
static void timing(soa_timing kind, double u, double s[3])
{
    if (kind == SOA_TIMING_QUINTIC) {
        s[0] = u * u * u * (10.0 + u * (6.0 * u - 15.0));
        s[1] = 30.0 * u * u * (1.0 - u) * (1.0 - u);
        s[2] = 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u);
    } else if (kind == SOA_TIMING_TRAPEZOIDAL) {
        const double peak = 4.0 / 3.0, rest = 1.0 - u, slope = peak / 0.25;
        const bool first = u < 0.25, last = rest < 0.25;
        s[0] = first ? 0.5 * slope * u * u : last ? 1.0 - 0.5 * slope * rest * rest : peak * (u - 0.125);
        s[1] = first ? slope * u : last ? slope * rest : peak;
        s[2] = first ? slope : last ? -slope : 0.0;
    } else {
        s[0] = u;
        s[1] = 1.0;
        s[2] = 0.0;
    }
}

/* The slope at point i: that of a parabola through it and its neighbours, 0 at both ends. */
static double slope_at(const soa_series *p, int i)
{
    if (i == 0 || i == p->count - 1) {
        return 0.0;
    }
    const double before = p->t[i] - p->t[i - 1], after = p->t[i + 1] - p->t[i];
    const double in = (p->x[i] - p->x[i - 1]) / before, out = (p->x[i + 1] - p->x[i]) / after;
    return (after * in + before * out) / (before + after);
}

/* The cubic of stretch i with these slopes, at the part u of its time. */
static void smooth_at(const soa_series *p, int i, double u, double x[3])
{
    const double h = p->t[i + 1] - p->t[i], change = p->x[i + 1] - p->x[i];
    const double a = h * slope_at(p, i), b = h * slope_at(p, i + 1);
    const double c2 = 3.0 * change - 2.0 * a - b, c3 = a + b - 2.0 * change;
    x[0] = p->x[i] + u * (a + u * (c2 + u * c3));
    x[1] = (a + u * (2.0 * c2 + u * 3.0 * c3)) / h;
    x[2] = (2.0 * c2 + u * 6.0 * c3) / (h * h);
}

void soa_path_at(const soa_path *path, double t, double x[3])
{
    const soa_series *p = &path->points;
    int i = 0;
    x[1] = x[2] = 0.0;
    if (!(t > p->t[0]) || !(t < p->t[p->count - 1])) {
        x[0] = soa_series_at(p, t);
        return;
    }
    for (int last = p->count - 1; last - i > 1;) {
        const int middle = i + (last - i) / 2;
        *(p->t[middle] <= t ? &i : &last) = middle;
    }
    if (path->timing == SOA_TIMING_SMOOTH) {
        smooth_at(p, i, (t - p->t[i]) / (p->t[i + 1] - p->t[i]), x);
        return;
    }
    double s[3];
    const double span = p->t[i + 1] - p->t[i], change = p->x[i + 1] - p->x[i];
    timing(path->timing, (t - p->t[i]) / span, s);
    x[0] = p->x[i] + change * s[0];
    x[1] = change * s[1] / span;
    x[2] = change * s[2] / (span * span);
}

/* ---- made ------------------------------------------------------------------------------- */

static soa_status refuse(const sim_controller *c, soa_status status, soa_error *error, const char *why)
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

/* The body that the joint number i of the controller moves, with one velocity; -1: none. */
static int body_of(const soa_sim *sim, const sim_controller *c, int i)
{
    for (int k = 0; k < soa_model_bodies(sim->model); k++) {
        const soa_body body = soa_model_body(sim->model, k);
        if (body.link == c->setup.link[i]) {
            return body.nv == 1 ? k : -1;
        }
    }
    return -1;
}

static soa_status check(const soa_sim *sim, const sim_controller *c, soa_error *error)
{
    const soa_controller *s = &c->setup;
    if ((unsigned)s->kind >= SOA_CONTROLLER_KINDS) {
        return refuse(c, SOA_E_ARGUMENT, error, "its kind does not exist");
    }
    if (s->joints < 0 || (s->joints > 0 && !s->link)) {
        return refuse(c, SOA_E_ARGUMENT, error, "its joints are missing");
    }
    for (int i = 0; i < s->joints; i++) {
        if (body_of(sim, c, i) < 0) {
            return refuse(c, SOA_E_JOINT, error, "each of its joints must move and have one coordinate");
        }
    }
    if (!finite_or_none(s->joints, s->kp) || !finite_or_none(s->joints, s->ki) || !finite_or_none(s->joints, s->kd)) {
        return refuse(c, SOA_E_NUMBER, error, "a gain is not finite");
    }
    for (int i = 0; s->sensor && i < s->joints; i++) {
        const int sensor = s->sensor[i];
        if (sensor >= sim->setup.sensors || (sensor >= 0 && sim->setup.sensor[sensor].kind != SOA_SENSOR_ENCODER)) {
            return refuse(c, SOA_E_NAME, error, "a sensor of its joints is no encoder");
        }
    }
    if (s->kind == SOA_CONTROL_POINT && !s->point) {
        return refuse(c, SOA_E_ARGUMENT, error, "its point is missing");
    }
    if (s->kind == SOA_CONTROL_EXPRESSION && !s->expression) {
        return refuse(c, SOA_E_ARGUMENT, error, "its expression is missing");
    }
    if (s->kind == SOA_CONTROL_CALLBACK && !s->function) {
        return refuse(c, SOA_E_ARGUMENT, error, "its function is missing");
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
    status = status == SOA_OK ? soa_program_read(c->program, inputs, SOA_READ_PROGRAM, error) : status;
    status = status == SOA_OK ? soa_program_read(c->program, c->setup.expression, SOA_READ_PROGRAM, error) : status;
    if (status != SOA_OK) {
        return status;
    }
    const int last = soa_program_statements(c->program) - 1;
    const soa_statement_info info = soa_program_statement(c->program, last);
    if (info.kind != SOA_STATEMENT_EXPRESSION || info.from_space != SOA_SPACE_ONE || info.to_space != SOA_SPACE_JOINT ||
        info.to_side != SOA_SIDE_FORCE) {
        return refuse(c, SOA_E_SYNTAX, error, "its expression must be a joint force, such as \"Mass qdd_ref + C\"");
    }
    status = soa_compile(sim->model, c->program, SOA_SIMPLIFIED, 1, &last, &c->compiled, error);
    status = status == SOA_OK ? soa_runner_new(c->compiled, 0, NULL, &sim->allocator, &c->runner, error) : status;
    status = status == SOA_OK ? bind(c, "e", c->e, error) : status;
    status = status == SOA_OK ? bind(c, "edot", c->edot, error) : status;
    status = status == SOA_OK ? bind(c, "qd_ref", c->qd_ref, error) : status;
    status = status == SOA_OK ? bind(c, "qdd_ref", c->qdd_ref, error) : status;
    status = status == SOA_OK ? bind(c, "T", sim->T, error) : status;
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
    c->at_q = soa_arena_take(&sim->arena, 2 * (size_t)c->setup.joints + 1, sizeof *c->at_q);
    c->reference = soa_arena_take(&sim->arena, (size_t)c->setup.joints + 5 * nv + 1, sizeof *c->reference);
    if (!c->reference || !c->at_q) {
        return soa_fail_memory(error);
    }
    c->at_v = c->at_q + c->setup.joints;
    for (int i = 0; i < c->setup.joints; i++) {
        const soa_body body = soa_model_body(sim->model, body_of(sim, c, i));
        c->at_q[i] = body.q;
        c->at_v[i] = body.v;
    }
    c->e = c->reference + c->setup.joints;
    c->edot = c->e + nv;
    c->qd_ref = c->edot + nv;
    c->qdd_ref = c->qd_ref + nv;
    c->value = c->qdd_ref + nv;
    for (int i = 0; i < c->setup.joints; i++) {
        c->reference[i] = q0[c->at_q[i]];
    }
    if (c->setup.kind == SOA_CONTROL_POINT) {
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

/* ---- run ---------------------------------------------------------------------------------- */

void sim_reference_at(const sim_controller *c, int i, double t, double x[3])
{
    if (c->setup.reference) {
        soa_path_at(&c->setup.reference[i], t, x);
    } else {
        x[0] = c->reference[i];
        x[1] = x[2] = 0.0;
    }
}

/* q and v of joint number i, as its encoder shows them if it has one. */
static void state_of(const soa_sim *sim, const sim_controller *c, int i, const double *q, const double *v, double x[2])
{
    const int sensor = c->setup.sensor ? c->setup.sensor[i] : -1;
    x[0] = sensor < 0 ? q[c->at_q[i]] : sim_sensor_shown(sim, sensor)[0];
    x[1] = sensor < 0 ? v[c->at_v[i]] : sim_sensor_shown(sim, sensor)[1];
}

static double gain(const double *k, int i)
{
    return k ? k[i] : 0.0;
}

/* [pd] [pid] T = kp e + ki z + kd de/dt, e = reference - q, dz/dt = e. */
static void run_pid(
    soa_sim *sim, const sim_controller *c, double t, const double *q, const double *v, const double *z, double *z_rate)
{
    for (int i = 0; i < c->setup.joints; i++) {
        const int at = c->at_v[i];
        double x[3], seen[2];
        sim_reference_at(c, i, t, x);
        state_of(sim, c, i, q, v, seen);
        const double e = x[0] - seen[0];
        double T = gain(c->setup.kp, i) * e + gain(c->setup.kd, i) * (x[1] - seen[1]);
        if (c->setup.kind == SOA_CONTROL_PID) {
            T += gain(c->setup.ki, i) * z[c->integral + i];
            if (z_rate) {
                z_rate[c->integral + i] = e;
            }
        }
        sim->control[at] = T;
    }
}

/* e = q - reference and its rate for expressions; the accelerations that computed torque asks for in qdd_ref. */
static void errors_at(const soa_sim *sim, const sim_controller *c, double t, const double *q, const double *v)
{
    for (int i = 0; i < c->setup.joints; i++) {
        const int at = c->at_v[i];
        double x[3], seen[2];
        sim_reference_at(c, i, t, x);
        state_of(sim, c, i, q, v, seen);
        c->e[at] = seen[0] - x[0];
        c->edot[at] = seen[1] - x[1];
        c->qd_ref[at] = x[1];
        c->qdd_ref[at] = x[2];
    }
}

/* [computed-torque] T such that the joints accelerate as asked while all others bear no force of it. */
static soa_status run_computed_torque(
    soa_sim *sim, const sim_controller *c, const double *q, const double *v, soa_error *error)
{
    bool prescribed[SOA_MAX_REDUCED];
    if (sim->nv > SOA_MAX_REDUCED) {
        return refuse(c, SOA_E_LIMIT, error, "the model has too many velocities for it");
    }
    memset(prescribed, 0, (size_t)sim->nv * sizeof *prescribed);
    for (int i = 0; i < c->setup.joints; i++) {
        const int at = c->at_v[i];
        prescribed[at] = true;
        c->value[at] = c->qdd_ref[at] - gain(c->setup.kp, i) * c->e[at] - gain(c->setup.kd, i) * c->edot[at];
    }
    return soa_hybrid_dynamics(sim->model, sim->workspace, prescribed, 1, q, v, NULL, sim->control, c->value, error);
}

static soa_status run_gravity(soa_sim *sim, const sim_controller *c, const double *q, soa_error *error)
{
    const soa_status status = soa_gravity_force(sim->model, sim->workspace, 1, q, c->value, error);
    for (int i = 0; i < c->setup.joints && status == SOA_OK; i++) {
        const int at = c->at_v[i];
        sim->control[at] = c->value[at];
    }
    return status;
}

static soa_status run_expression(
    soa_sim *sim, const sim_controller *c, const double *q, const double *v, soa_error *error)
{
    soa_status status =
        soa_runner_numbers(c->runner, "beta") < 0 ? SOA_OK : soa_runner_bind(c->runner, "beta", v, error);
    status = status == SOA_OK ? soa_runner_run(c->runner, 1, q, error) : status;
    if (status == SOA_OK && c->setup.joints == 0) {
        memcpy(sim->control, c->value, (size_t)sim->nv * sizeof *c->value);
    }
    for (int i = 0; i < c->setup.joints && status == SOA_OK; i++) {
        const int at = c->at_v[i];
        sim->control[at] = c->value[at];
    }
    return status;
}

static void limit(soa_sim *sim, const sim_controller *c)
{
    for (int i = 0; c->setup.limit && i < c->setup.joints; i++) {
        double *T = &sim->control[c->at_v[i]];
        *T = fmin(fmax(*T, -c->setup.limit[i]), c->setup.limit[i]);
    }
}

soa_status sim_control(soa_sim *sim, const sim_controller *c, double t, const double *q, const double *v,
    const double *z, double *z_rate, soa_error *error)
{
    soa_status status = SOA_OK;
    switch (c->setup.kind) {
    case SOA_CONTROL_PD:
    case SOA_CONTROL_PID:
        run_pid(sim, c, t, q, v, z, z_rate);
        break;
    case SOA_CONTROL_GRAVITY:
        status = run_gravity(sim, c, q, error);
        break;
    case SOA_CONTROL_COMPUTED_TORQUE:
        errors_at(sim, c, t, q, v);
        status = run_computed_torque(sim, c, q, v, error);
        break;
    case SOA_CONTROL_POINT:
        errors_at(sim, c, t, q, v);
        status = sim_led_run(sim, c, t, q, v, error);
        break;
    case SOA_CONTROL_PRESCRIBED: /* prescribe.c */
        break;
    case SOA_CONTROL_EXPRESSION:
        errors_at(sim, c, t, q, v);
        status = run_expression(sim, c, q, v, error);
        break;
    default:
        status = c->setup.function(c->setup.context, t, q, v, sim->control, error);
    }
    limit(sim, c);
    return status;
}
