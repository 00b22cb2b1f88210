/* tests/bits/sim_rows.c - simulations: every method, controller, actuator, sensor, event and force, a few steps each. */
#include <stdlib.h>
#include <string.h>

#include "bits.h"

enum { JOINTS = 8 };

/* ---- parts of setups --------------------------------------------------------------------------------------- */

static const double WHEN[] = { 0.0, 0.02, 0.05 }, WHERE[] = { 0.1, 0.11, 0.09 };

static soa_status push(void *context, double t, const double *q, const double *v, double *T, soa_error *error)
{
    (void)context, (void)error;
    T[0] += 2.0 * t - 3.0 * q[0] - 0.5 * v[0];
    return SOA_OK;
}

/* A model at a state, with all that a setup may point to. */
typedef struct stage {
    const char *name;
    soa_model *model;
    soa_sim_setup setup;
    double *q, *v;
    int joints, link[JOINTS];
    double kp[JOINTS], ki[JOINTS], kd[JOINTS], limit[JOINTS];
    int sensor_of[JOINTS];
    soa_path path[JOINTS];
    soa_led_point point;
    soa_controller controller;
    soa_actuator actuator[JOINTS];
    soa_sensor sensor[SOA_SENSOR_KINDS + 1];
    soa_force force[SOA_FORCE_KINDS];
    soa_event event[SOA_ACTIONS];
} stage;

static void stage_open(stage *s, const char *name)
{
    unsigned long long seed = 40;
    *s = (stage){ .name = name, .model = bits_model(name), .setup = soa_sim_setup_default() };
    const size_t nq = (size_t)soa_model_nq(s->model), nv = (size_t)soa_model_nv(s->model);
    s->q = bits_numbers(nq), s->v = bits_numbers(nv);
    bits_random(&seed, nv, s->v);
    soa_model_neutral(s->model, s->q);
    soa_integrate(s->model, s->q, s->v, strncmp(name, "flex", 4) == 0 ? 1e-3 : 0.2, s->q);
    s->setup.q = s->q, s->setup.v = s->v, s->setup.consistent = true, s->setup.step = 0.002;
    s->setup.rtol = 1e-7, s->setup.atol = 1e-9;
    for (int k = 0; k < soa_model_bodies(s->model); k++) {
        const soa_body body = soa_model_body(s->model, k);
        if (body.nv == 1 && !body.flexible && s->joints < JOINTS) {
            const int i = s->joints++;
            s->link[i] = body.link, s->kp[i] = 2.0, s->ki[i] = 5.0, s->kd[i] = 0.05, s->limit[i] = 0.1 + 0.1 * i;
            s->sensor_of[i] = i == 0 ? 0 : -1;
        }
    }
}

static void stage_close(stage *s)
{
    soa_model_free(s->model);
    bits_free(s->q);
    bits_free(s->v);
}

/* ---- rows of methods ------------------------------------------------------------------------------------------ */

static void method_rows(const char *model)
{
    const bool stiff = strcmp(model, "odd") == 0 || strncmp(model, "flex", 4) == 0;
    for (int method = 0; method < SOA_METHODS; method++) {
        stage s;
        if (soa_sim_method_outside((soa_sim_method)method) || (stiff && method == SOA_VARIATIONAL)) {
            continue;
        }
        stage_open(&s, model);
        s.setup.method = (soa_sim_method)method;
        bits_run(model, soa_sim_method_text(s.setup.method), s.model, &s.setup, 0.04);
        s.setup.stick = s.setup.open = true, s.setup.largest = 0.004;
        bits_run(model, soa_sim_method_text(s.setup.method), s.model, &s.setup, 0.03);
        stage_close(&s);
    }
}

/* ---- rows of controllers, actuators and sensors ----------------------------------------------------------------- */

/* Paths without corners where steps have to find them. */
static void add_controller(stage *s, soa_controller_kind kind)
{
    const bool adaptive = soa_sim_method_adaptive(s->setup.method);
    for (int i = 0; i < s->joints; i++) {
        s->path[i] = (soa_path){ { 3, WHEN, WHERE }, adaptive ? SOA_TIMING_QUINTIC : (soa_timing)(i % 4) };
    }
    s->point = (soa_led_point){ { s->link[s->joints - 1], soa_pose_identity(), 0 }, NULL, 30.0, 8.0, 10.0, 4.0 };
    s->controller = (soa_controller){ .name = "c",
        .kind = kind,
        .joints = s->joints,
        .link = s->link,
        .kp = s->kp,
        .ki = s->ki,
        .kd = s->kd,
        .reference = kind == SOA_CONTROL_POINT || kind == SOA_CONTROL_PRESCRIBED ? NULL : s->path,
        .expression = kind == SOA_CONTROL_EXPRESSION ? "Mass (qdd_ref - 2 e - edot) + C" : NULL,
        .point = kind == SOA_CONTROL_POINT ? &s->point : NULL,
        .function = kind == SOA_CONTROL_CALLBACK ? push : NULL };
    s->setup.controllers = 1, s->setup.controller = &s->controller;
}

static void controller_rows(const char *model, soa_sim_method method)
{
    for (int kind = 0; kind < SOA_CONTROLLER_KINDS; kind++) {
        stage s;
        stage_open(&s, model);
        s.setup.method = method;
        add_controller(&s, (soa_controller_kind)kind);
        if (kind == SOA_CONTROL_PRESCRIBED) { /* the others move */
            memset(s.v, 0, (size_t)soa_model_nv(s.model) * sizeof *s.v);
            s.controller.joints = s.joints > 1 ? s.joints / 2 : 1;
        }
        bits_run(model, soa_controller_kind_text((soa_controller_kind)kind), s.model, &s.setup, 0.04);
        s.controller.limit = soa_sim_method_adaptive(method) ? NULL : s.limit;
        bits_run(model, soa_controller_kind_text((soa_controller_kind)kind), s.model, &s.setup, 0.04);
        stage_close(&s);
    }
}

static void add_sensors(stage *s)
{
    for (int kind = 0; kind < SOA_SENSOR_KINDS; kind++) {
        soa_sensor x = soa_sensor_default(soa_sensor_kind_text((soa_sensor_kind)kind), (soa_sensor_kind)kind);
        x.link = x.at.link = s->link[0], x.closure = x.force = 0, x.at.at = soa_pose_identity();
        x.at.at.position[1] = 0.2, x.rate = 300.0 + 100.0 * kind, x.delay = kind % 2 == 1 ? 0.004 : 0.0;
        x.bias[0] = 0.1, x.bias[1] = -0.2, x.noise[0] = 0.01, x.noise[1] = 0.3, x.resolution = 1e-3;
        x.seed = 5 + (unsigned)kind;
        const bool there = kind == SOA_SENSOR_CLOSURE   ? soa_model_closures(s->model) > 0
                           : kind == SOA_SENSOR_CONTACT ? s->setup.forces > 0
                                                        : true;
        if (there) {
            s->sensor[s->setup.sensors++] = x;
        }
    }
    s->setup.sensor = s->sensor;
}

static void actuator_rows(const char *model, soa_sim_method method)
{
    for (int variant = 0; variant < 4 * SOA_ACTUATOR_KINDS; variant++) {
        stage s;
        const soa_actuator_kind kind = (soa_actuator_kind)(variant % SOA_ACTUATOR_KINDS);
        stage_open(&s, model);
        s.setup.method = method;
        for (int i = 0; i < s.joints; i++) {
            soa_actuator *a = &s.actuator[i];
            *a = soa_actuator_default(NULL, kind);
            a->link = s.link[i], a->gear = 1.0 + i, a->kp = 3.0, a->kd = 0.05;
            a->limit = variant / 3 % 2 ? 0.2 : a->limit, a->speed = variant / 3 % 2 ? 3.0 : a->speed;
            a->lag = variant / 6 ? 0.01 * i : 0.0, a->reference = i % 2 == 0 ? &s.path[i] : NULL;
        }
        s.setup.actuators = s.joints, s.setup.actuator = s.actuator;
        add_sensors(&s);
        add_controller(&s, SOA_CONTROL_PD);
        s.controller.sensor = variant % 2 == 1 ? s.sensor_of : NULL;
        bits_run(model, soa_actuator_kind_text(kind), s.model, &s.setup, 0.04);
        stage_close(&s);
    }
}

/* ---- rows of forces and events ------------------------------------------------------------------------------------- */

static soa_force force_of(const stage *s, soa_force_kind kind)
{
    soa_force x = soa_force_default("f", kind);
    x.link = x.a.link = s->link[s->joints > 1 ? 1 : 0], x.b.link = SOA_WORLD;
    x.a.at = x.b.at = soa_pose_identity(), x.a.at.position[0] = 0.1, x.b.at.position[2] = 0.3;
    x.stiffness = kind == SOA_FORCE_CONTACT ? 1e5 : 200.0, x.damping = 1.0,
    x.value = kind == SOA_FORCE_JOINT_FRICTION ? 4.0 : 0.6, x.speed = 0.01, x.length = 0.05;
    x.lower = -0.15, x.upper = 0.21, x.restitution = 0.4,
    x.stick = kind == SOA_FORCE_JOINT_FRICTION || kind == SOA_FORCE_JOINT_STOP, x.holding = 4.5, x.wrench[3] = 5.0;
    for (int i = 0; i < 6; i++) {
        x.hold[i] = 100.0, x.damp[i] = 2.0;
    }
    if (kind == SOA_FORCE_CONTACT) { /* ground under the point, which moves over it */
        soa_workspace *w = NULL;
        double pose[12];
        (void)soa_workspace_new(s->model, NULL, &w, NULL);
        (void)soa_point_kinematics(s->model, w, 1, &x.a, 1, s->q, NULL, NULL, pose, NULL, NULL, NULL);
        soa_workspace_free(w);
        memcpy(x.b.at.position, pose + 9, sizeof x.b.at.position);
        x.b.at.position[2] -= x.length - 1e-3;
    }
    return x;
}

static void force_rows(const char *model, soa_sim_method method)
{
    for (int kind = 0; kind < SOA_FORCE_KINDS; kind++) {
        stage s;
        stage_open(&s, model);
        s.force[0] = force_of(&s, (soa_force_kind)kind);
        s.setup.forces = 1, s.setup.force = s.force, s.setup.method = method;
        if (kind == SOA_FORCE_CONTACT) {
            add_sensors(&s);
        }
        if (kind != SOA_FORCE_ELASTIC) {
            bits_run(
                model, soa_force_kind_text((soa_force_kind)kind), s.model, &s.setup, s.force[0].stick ? 0.4 : 0.05);
        }
        stage_close(&s);
    }
}

static void event_rows(const char *model)
{
    static const soa_signal SIGNAL[] = { { "half", "t / 2 + abs(-0.25) - sqrt(0.0625)" },
        { "mixed", "max(half, 2 * t) ^ 2 - min(t, 1) * (3 - half) + atan2(t, hypot(1, half))" },
        { "curves", "sin(t) + cos(half) * exp(-t) + log(1 + t) - tan(half)" } };
    for (int action = 0; action < SOA_ACTIONS; action++) {
        stage s;
        stage_open(&s, model);
        s.force[0] = force_of(&s, SOA_FORCE_SPRING);
        s.setup.forces = 1, s.setup.force = s.force, s.setup.signals = 3, s.setup.signal = SIGNAL;
        add_controller(&s, SOA_CONTROL_PD);
        s.setup.stick = true;
        s.controller.inactive = action == SOA_ACTION_START, s.force[0].inactive = action == SOA_ACTION_ENABLE;
        const soa_event first = { .name = "e",
            .signal = "mixed",
            .value = -0.02,
            .direction = -1,
            .once = action % 2 == 0,
            .action = (soa_action_kind)action,
            .target = action == SOA_ACTION_IMPULSE ? s.link[0] : 0,
            .impulse = 0.1 };
        const soa_event again = { .signal = NULL, .value = 0.021, .direction = 1, .action = SOA_ACTION_RECORD };
        s.event[0] = first, s.event[1] = again, s.event[2] = first;
        s.event[2].signal = "half", s.event[2].value = 0.013, s.event[2].direction = 0;
        s.event[2].action = action == SOA_ACTION_DETACH ? SOA_ACTION_ATTACH : SOA_ACTION_RECORD;
        s.setup.events = 3, s.setup.event = s.event;
        bits_run(model, soa_action_text((soa_action_kind)action), s.model, &s.setup, 0.05);
        stage_close(&s);
    }
}

/* Several simulations in lanes if there are some, of models that differ in gravity. Breaks of the paths of controllers keep them apart. */
static void together_row(const char *name, bool apart)
{
    enum { MANY = 5 };
    stage s;
    soa_sim *sim[MANY] = { NULL };
    soa_model *model[MANY] = { NULL };
    soa_status status[MANY];
    stage_open(&s, name);
    s.setup.method = SOA_RK4;
    if (apart) {
        add_controller(&s, SOA_CONTROL_PD);
    }
    for (int i = 0; i < MANY; i++) {
        (void)soa_model_with_gravity(s.model, (double[3]){ 0.5, 0.1 * i, -9.0 }, &model[i], NULL);
        (void)soa_sim_new(model[i], &s.setup, NULL, &sim[i], NULL);
    }
    hash h = hash_begin(soa_sim_advance_all(MANY, sim, 0.03, status, NULL));
    for (int i = 0; i < MANY; i++) {
        h = hash_sim(h, model[i], sim[i]);
        soa_sim_free(sim[i]);
        soa_model_free(model[i]);
    }
    print_single(name, "sim_advance_all", SOA_OK, h);
    stage_close(&s);
}

void bits_simulation(void)
{
    static const char *const models[] = { "double-pendulum", "tree:9,2", "satellite", "hexapod", "ladder:1,1",
        "coupled-arm", "odd", "flexible-chain:1,2", "particles:2" };
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        method_rows(models[i]);
    }
}

void bits_events(void)
{
    together_row("arm7", true);
    together_row("arm7", false);
    together_row("tree:9,2", false);
    force_rows("double-pendulum", SOA_STIFF);
    force_rows("coupled-arm", SOA_RK4);
    event_rows("ladder:1,1");
    event_rows("arm7");
    event_rows("odd");
}

void bits_control(void)
{
    controller_rows("arm7", SOA_RK45);
    controller_rows("arm7", SOA_IMPLICIT);
    controller_rows("coupled-arm", SOA_STIFF);
    controller_rows("satellite", SOA_RK4);
    actuator_rows("arm7", SOA_RK45);
    actuator_rows("ladder:1,1", SOA_IMPLICIT);
}
