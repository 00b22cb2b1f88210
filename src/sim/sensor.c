/* sim/sensor.c - sensors: sampled, delayed, with bias, noise and resolution.
 *
 * Sample n is taken at n / rate and shown from n / rate + delay on, until the next one is; before the first is due the
 * first is shown. What controllers and signals see is constant between: steps end where it changes. Noise of a sample is
 * made of the seed, the sensor, the sample and the channel alone. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/kind_words.h"
#include "core/random.h"
#include "sim/sim_system.h"

SOA_WORDS(soa_sensor_kind, soa_sensor_kind, SOA_SENSOR_KINDS, SOA_SENSOR_LIST, "unknown")
SOA_COLUMN(int, soa_sensor_kind_channels, soa_sensor_kind, SOA_SENSOR_KINDS, SOA_SENSOR_LIST, SOA_THIRD, 0)

soa_sensor soa_sensor_default(const char *name, soa_sensor_kind kind)
{
    return (soa_sensor){ .name = name,
        .kind = kind,
        .link = SOA_WORLD,
        .at = { SOA_WORLD, soa_pose_identity() },
        .closure = -1,
        .force = -1,
        .rate = 1000.0 };
}

/* ---- made ---------------------------------------------------------------------------------- */

static soa_status refuse(const soa_sensor *s, soa_status status, soa_error *error, const char *why)
{
    return soa_fail(
        error, status, -1, "sensor '%s' (%s): %s", s->name ? s->name : "", soa_sensor_kind_text(s->kind), why);
}

static soa_status check_place(const soa_sim *sim, sim_sensor *x, soa_error *error)
{
    const soa_sensor *s = &x->setup;
    const int links = soa_model_links(sim->model);
    if (s->kind == SOA_SENSOR_IMU) {
        return s->at.link >= 0 && s->at.link < links ? SOA_OK : refuse(s, SOA_E_NAME, error, "its link does not exist");
    }
    if (s->kind == SOA_SENSOR_CLOSURE) {
        return sim->closures && s->closure >= 0 && s->closure < soa_closures_count(sim->closures)
                   ? SOA_OK
                   : refuse(s, SOA_E_NAME, error, "its closure does not exist");
    }
    if (s->kind == SOA_SENSOR_CONTACT) {
        const soa_force *e = soa_forces_get(sim->forces, s->force);
        return e && !soa_force_kind_at_joint(e->kind) ? SOA_OK
                                                      : refuse(s, SOA_E_NAME, error, "it needs a force at points");
    }
    const int moved = soa_model_joint_body(sim->model, s->link);
    x->body = moved >= 0 ? moved : soa_model_link_body(sim->model, s->link, NULL);
    const soa_body body = soa_model_body(sim->model, x->body);
    if (x->body < 0 || body.link != s->link || (s->kind == SOA_SENSOR_ENCODER && (moved < 0 || body.nv != 1))) {
        return refuse(s, SOA_E_JOINT, error, "its joint must move, that of an encoder with one coordinate");
    }
    return SOA_OK;
}

static soa_status check(const soa_sim *sim, sim_sensor *x, soa_error *error)
{
    const soa_sensor *s = &x->setup;
    if ((unsigned)s->kind >= SOA_SENSOR_KINDS) {
        return refuse(s, SOA_E_ARGUMENT, error, "its kind does not exist");
    }
    if (!(s->rate > 0.0 && s->rate <= 1e9) || !(s->delay >= 0.0) || !(s->delay * s->rate < 1e6)) {
        return refuse(s, SOA_E_NUMBER, error,
            "rate must be positive and at most 1e9, delay not negative and below a million samples");
    }
    const bool finite = isfinite(s->bias[0]) && isfinite(s->bias[1]) && isfinite(s->noise[0]) && isfinite(s->noise[1]);
    if (!finite || !(s->noise[0] >= 0.0 && s->noise[1] >= 0.0 && s->resolution >= 0.0) || !isfinite(s->resolution)) {
        return refuse(s, SOA_E_NUMBER, error, "noise and resolution must not be negative, bias be finite");
    }
    return check_place(sim, x, error);
}

soa_status sim_sensors_make(soa_sim *sim, soa_error *error)
{
    soa_status status = SOA_OK;
    size_t numbers = 0;
    sim->sensors = sim->setup.sensors;
    sim->sensor = soa_arena_take(&sim->arena, (size_t)sim->sensors, sizeof *sim->sensor);
    for (int i = 0; sim->sensor && i < sim->sensors && status == SOA_OK; i++) {
        sim_sensor *x = &sim->sensor[i];
        x->setup = sim->setup.sensor[i];
        status = check(sim, x, error);
        x->channels = soa_sensor_kind_channels(x->setup.kind);
        x->room = status == SOA_OK ? (int)ceil(x->setup.delay * x->setup.rate) + 2 : 1;
        x->memory = numbers;
        numbers += 2 + (size_t)(x->room + 1) * (size_t)x->channels;
    }
    if (status != SOA_OK) {
        return status;
    }
    sim->sensed = sim_numbers_take(sim, numbers);
    sim->loads = sim_numbers_take(sim, 12 * (size_t)soa_model_bodies(sim->model));
    return sim->arena.failed ? soa_fail_memory(error) : SOA_OK;
}

/* What a sensor remembers: how many samples were taken and shown, what is shown, the samples in a ring. */
typedef struct memory {
    double *taken, *released, *shown, *ring;
} memory;

static memory memory_of(const soa_sim *sim, const sim_sensor *x)
{
    double *at = sim->sensed + x->memory;
    return (memory){ at, at + 1, at + 2, at + 2 + x->channels };
}

const double *sim_sensor_shown(const soa_sim *sim, int sensor)
{
    return memory_of(sim, &sim->sensor[sensor]).shown;
}

int soa_sim_sensors(const soa_sim *sim)
{
    return sim ? sim->sensors : 0;
}

const double *soa_sim_sensor(const soa_sim *sim, int sensor)
{
    return sim && sensor >= 0 && sensor < sim->sensors ? sim_sensor_shown(sim, sensor) : NULL;
}

/* ---- what they measure ------------------------------------------------------------------------- */

/* Angular velocity and acceleration less gravity of the point, in its axes. */
static soa_status measure_imu(soa_sim *sim, const sim_sensor *x, double *to, soa_error *error)
{
    double pose[12], V[6], a[6], g[3];
    const double *q = sim->y_front;
    soa_model_gravity(sim->model, g);
    const soa_status status = soa_point_kinematics(
        sim->model, sim->workspace, 1, &x->setup.at, 1, q, q + sim->nq, sim->vdot, pose, V, a, error);
    for (int i = 0; i < 3 && status == SOA_OK; i++) {
        to[i] = to[i + 3] = 0.0;
        for (int j = 0; j < 3; j++) {
            to[i] += pose[3 * j + i] * V[j];
            to[i + 3] += pose[3 * j + i] * (a[3 + j] - g[j]);
        }
    }
    return status;
}

/* f += the wrench of a closure, moved to the origin of the link of the body that it loads. */
static void add_load(const soa_sim *sim, int link, const soa_closure_load *load, double sign, double *f)
{
    double pose[12];
    const int body = link == SOA_WORLD ? SOA_WORLD : soa_model_link_body(sim->model, link, NULL);
    if (body == SOA_WORLD) {
        return;
    }
    const soa_point origin = { soa_model_body(sim->model, body).link, soa_pose_identity() };
    if (soa_point_kinematics(
            sim->model, sim->workspace, 1, &origin, 1, sim->y_front, NULL, NULL, pose, NULL, NULL, NULL) != SOA_OK) {
        return;
    }
    const double *F = load->wrench_on_a + 3;
    const double r[3] = { load->point[0] - pose[9], load->point[1] - pose[10], load->point[2] - pose[11] };
    const double moment[3] = { r[1] * F[2] - r[2] * F[1], r[2] * F[0] - r[0] * F[2], r[0] * F[1] - r[1] * F[0] };
    for (int i = 0; i < 3; i++) {
        f[6 * body + i] += sign * (load->wrench_on_a[i] + moment[i]);
        f[6 * body + 3 + i] += sign * F[i];
    }
}

/* The wrench of the parent on the body of the joint, in its axes; closures load bodies, too. */
static soa_status measure_joint(soa_sim *sim, const sim_sensor *x, double *to, soa_error *error)
{
    const size_t numbers = 6 * (size_t)soa_model_bodies(sim->model);
    double *f = sim->loads, *F = f + numbers;
    const double *q = sim->y_front;
    memcpy(f, sim->f, numbers * sizeof *f);
    for (int i = 0; sim->closures && i < soa_closures_count(sim->closures); i++) {
        const soa_closure *c = soa_closure_get(sim->closures, i);
        soa_closure_load load;
        if (c && soa_closure_enabled(sim->closures, i) && soa_closure_force(sim->closures, i, &load, NULL) == SOA_OK) {
            add_load(sim, c->a, &load, 1.0, f);
            add_load(sim, c->b, &load, -1.0, f);
        }
    }
    const soa_status status = soa_joint_forces(sim->model, sim->workspace, 1, q, q + sim->nq, sim->vdot, f, F, error);
    memcpy(to, F + 6 * (size_t)x->body, 6 * sizeof *to);
    return status;
}

static soa_status measure(soa_sim *sim, const sim_sensor *x, double *to, soa_error *error)
{
    soa_closure_load load;
    switch (x->setup.kind) {
    case SOA_SENSOR_ENCODER: {
        const soa_body body = soa_model_body(sim->model, x->body);
        to[0] = sim->y_front[body.q];
        to[1] = sim->y_front[sim->nq + body.v];
        return SOA_OK;
    }
    case SOA_SENSOR_IMU:
        return measure_imu(sim, x, to, error);
    case SOA_SENSOR_JOINT:
        return measure_joint(sim, x, to, error);
    case SOA_SENSOR_CLOSURE:
        memset(to, 0, 6 * sizeof *to);
        if (soa_closure_enabled(sim->closures, x->setup.closure) &&
            soa_closure_force(sim->closures, x->setup.closure, &load, NULL) == SOA_OK) {
            memcpy(to, load.wrench_on_a, 6 * sizeof *to);
        }
        return SOA_OK;
    default: /* SOA_SENSOR_CONTACT */
        memcpy(to, sim->wrench + 6 * x->setup.force, 6 * sizeof *to);
        return SOA_OK;
    }
}

/* ---- samples ------------------------------------------------------------------------------------ */

/* Mean 0, deviation 1: twelve uniform numbers; the same bits everywhere. */
static double normal(unsigned long long seed)
{
    double sum = 0.0;
    for (int i = 0; i < 12; i++) {
        sum += soa_random_next(&seed);
    }
    return 0.5 * sum;
}

static void spoil(const sim_sensor *x, int number, double sample, double *value)
{
    const soa_sensor *s = &x->setup;
    for (int c = 0; c < x->channels; c++) {
        const int half = c < x->channels / 2 ? 0 : 1;
        unsigned long long seed = s->seed ^ (unsigned long long)number << 56 ^ (unsigned long long)c << 48;
        seed = soa_random_bits(&seed) ^ (unsigned long long)sample;
        value[c] += s->bias[half] + (s->noise[half] > 0.0 ? s->noise[half] * normal(seed) : 0.0);
        if (s->resolution > 0.0 && half == 0) {
            value[c] = s->resolution * nearbyint(value[c] / s->resolution);
        }
    }
}

static double sample_time(const sim_sensor *x, double n)
{
    return n / x->setup.rate;
}

double sim_sensors_next(const soa_sim *sim, double next)
{
    for (int i = 0; i < sim->sensors; i++) {
        const sim_sensor *x = &sim->sensor[i];
        const memory m = memory_of(sim, x);
        next = fmin(next, sample_time(x, *m.taken));
        next = *m.released < *m.taken ? fmin(next, sample_time(x, *m.released) + x->setup.delay) : next;
    }
    return next;
}

/* Shows the samples whose time has come; whether one has. */
static bool release(const soa_sim *sim, const sim_sensor *x)
{
    const memory m = memory_of(sim, x);
    bool any = false;
    while (*m.released < *m.taken && sample_time(x, *m.released) + x->setup.delay <= sim->front) {
        const size_t at = (size_t)fmod(*m.released, x->room) * (size_t)x->channels;
        memcpy(m.shown, m.ring + at, (size_t)x->channels * sizeof *m.shown);
        *m.released += 1.0;
        any = true;
    }
    return any;
}

static soa_status take(soa_sim *sim, int i, soa_error *error)
{
    const sim_sensor *x = &sim->sensor[i];
    const memory m = memory_of(sim, x);
    double *to = m.ring + (size_t)fmod(*m.taken, x->room) * (size_t)x->channels;
    const soa_status status = measure(sim, x, to, error);
    spoil(x, i, *m.taken, to);
    if (*m.taken == 0.0) {
        memcpy(m.shown, to, (size_t)x->channels * sizeof *to);
    }
    *m.taken += 1.0;
    return status;
}

soa_status sim_sensors_update(soa_sim *sim, soa_error *error)
{
    soa_status status = SOA_OK;
    bool known = false, any = false;
    for (int i = 0; i < sim->sensors && status == SOA_OK; i++) {
        const sim_sensor *x = &sim->sensor[i];
        if (sample_time(x, *memory_of(sim, x).taken) > sim->front) {
            continue;
        }
        if (!known) {
            status = sim_accelerate_at(sim, sim->front, sim->y_front, error);
            known = true;
        }
        status = status == SOA_OK || status == SOA_E_CLOSURE ? take(sim, i, error) : status;
    }
    for (int i = 0; i < sim->sensors && status == SOA_OK; i++) {
        any = release(sim, &sim->sensor[i]) || any;
    }
    sim->f_ready = sim->f_ready && !any;
    return status;
}
