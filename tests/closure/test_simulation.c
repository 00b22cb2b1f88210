/* A minute of closed systems that keep their energy, by plain Runge-Kutta steps each followed by the projection: loops
 * stay shut and energy stays. */
#include "closure/kit.h"
#include "soa/io.h"

#ifndef SECONDS
#define SECONDS 60.0
#endif
#define STEP 1e-3

enum { MOST = 64, STAGES = 4 };

/* A system with springs at its joints. */
typedef struct driver {
    closed_kit kit;
    soa_workspace *workspace;
    double stiffness[MOST]; /* per velocity */
    double rest[MOST];      /* q without load; the joints with springs have one coordinate */
    bool projected;
} driver;

/* What a run has shown. */
typedef struct course {
    double position, velocity; /* largest violation at the end of a step */
    double drift;              /* largest change of the energy */
    double scale;              /* largest kinetic energy */
    int rank;
} course;

/* ---- motion ------------------------------------------------------------------------------------------ */

/* dq/dt of a free joint: of its quaternion, which need not be of unit length, and its position. */
static void free_rate(const double *q, const double *v, double *rate)
{
    const double w = q[0], x = q[1], y = q[2], z = q[3], s = 2.0 / (w * w + x * x + y * y + z * z);
    const double *u = v + 3, t[3] = { s * (y * u[2] - z * u[1]), s * (z * u[0] - x * u[2]), s * (x * u[1] - y * u[0]) };
    rate[0] = 0.5 * (-x * v[0] - y * v[1] - z * v[2]);
    rate[1] = 0.5 * (w * v[0] + y * v[2] - z * v[1]);
    rate[2] = 0.5 * (w * v[1] + z * v[0] - x * v[2]);
    rate[3] = 0.5 * (w * v[2] + x * v[1] - y * v[0]);
    rate[4] = u[0] + w * t[0] + y * t[2] - z * t[1];
    rate[5] = u[1] + w * t[1] + z * t[0] - x * t[2];
    rate[6] = u[2] + w * t[2] + x * t[1] - y * t[0];
}

static void coordinate_rates(const soa_model *model, const double *q, const double *v, double *rate)
{
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_body body = soa_model_body(model, k);
        if (body.kind == SOA_FREE) {
            free_rate(q + body.q, v + body.v, rate + body.q);
        } else {
            assert_int_equal(body.nq, 1);
            rate[body.q] = v[body.v];
        }
    }
}

/* Springs pull towards rest; returns their energy. */
static double springs(const driver *d, const double *q, double *T)
{
    double energy = 0.0;
    for (int k = 0; k < soa_model_bodies(d->kit.model[0]); k++) {
        const soa_body body = soa_model_body(d->kit.model[0], k);
        for (int i = 0; i < body.nv; i++) {
            const double stretch = q[body.q + i] - d->rest[body.q + i], stiffness = d->stiffness[body.v + i];
            T[body.v + i] = stiffness > 0.0 ? -stiffness * stretch : 0.0;
            energy += 0.5 * stiffness * stretch * stretch;
        }
    }
    return energy;
}

static double energy_of(const driver *d, double *kinetic)
{
    double energy[2], T[MOST];
    assert_int_equal(soa_energy(d->kit.model[0], d->workspace, 1, d->kit.q, d->kit.v, energy, NULL), SOA_OK);
    *kinetic = energy[0];
    return energy[0] + energy[1] + springs(d, d->kit.q, T);
}

/* ---- a run ------------------------------------------------------------------------------------------- */

static void runge_kutta(driver *d, double h)
{
    static const double reach[STAGES] = { 0.0, 0.5, 0.5, 1.0 }, weight[STAGES] = { 1.0, 2.0, 2.0, 1.0 };
    closed_kit *kit = &d->kit;
    double q[MOST], v[MOST], T[MOST], rate[MOST] = { 0.0 }, vdot[MOST] = { 0.0 }, dq[MOST] = { 0.0 },
                                      dv[MOST] = { 0.0 };
    for (int stage = 0; stage < STAGES; stage++) {
        for (int i = 0; i < kit->nq; i++) {
            q[i] = kit->q[i] + h * reach[stage] * rate[i];
        }
        for (int i = 0; i < kit->nv; i++) {
            v[i] = kit->v[i] + h * reach[stage] * vdot[i];
        }
        coordinate_rates(kit->model[0], q, v, rate);
        OK(kit, soa_normalize(kit->model[0], q, &kit->error));
        springs(d, q, T);
        OK(kit, soa_closed_forward_dynamics(kit->set, 1, q, v, T, NULL, vdot, NULL, NULL, &kit->error));
        for (int i = 0; i < kit->nq; i++) {
            dq[i] += h / 6.0 * weight[stage] * rate[i];
        }
        for (int i = 0; i < kit->nv; i++) {
            dv[i] += h / 6.0 * weight[stage] * vdot[i];
        }
    }
    for (int i = 0; i < kit->nq; i++) {
        kit->q[i] += dq[i];
    }
    for (int i = 0; i < kit->nv; i++) {
        kit->v[i] += dv[i];
    }
    OK(kit, soa_normalize(kit->model[0], kit->q, &kit->error));
}

static void step(driver *d, course *c)
{
    closed_kit *kit = &d->kit;
    double position[MOST], velocity[MOST];
    runge_kutta(d, STEP);
    if (d->projected) {
        soa_projection p;
        OK(kit, soa_closure_project(kit->set, SOA_METRIC_MASS, 0.0, 1, kit->q, kit->v, &p, &kit->error));
        c->rank = p.rank;
    }
    OK(kit, soa_closure_violation(kit->set, 1, kit->q, kit->v, position, velocity, &kit->error));
    c->position = fmax(c->position, largest(soa_closures_rows(kit->set), position));
    c->velocity = fmax(c->velocity, largest(soa_closures_rows(kit->set), velocity));
}

static course run(driver *d, double seconds)
{
    course c = { 0 };
    double kinetic;
    const double begin = energy_of(d, &kinetic);
    const long steps = lround(seconds / STEP);
    for (long n = 0; n < steps; n++) {
        step(d, &c);
        c.drift = fmax(c.drift, fabs(energy_of(d, &kinetic) - begin));
        c.scale = fmax(c.scale, kinetic);
    }
    print_message("%s, %g s: violation %.1e, %.1e/s; energy %.1e of %.2g J\n", soa_model_name(d->kit.model[0]), seconds,
        c.position, c.velocity, c.drift, c.scale);
    return c;
}

/* At rest, loops shut. */
static void begin(driver *d, soa_model *model)
{
    d->kit.model[0] = model;
    d->kit.systems = 1;
    kit_begin(&d->kit, NULL);
    assert_true(d->kit.nq <= MOST && soa_closures_rows(d->kit.set) <= MOST);
    OK(&d->kit, soa_workspace_new(model, NULL, &d->workspace, &d->kit.error));
    if (soa_model_configurations(model) > 0) {
        memcpy(d->kit.q, soa_model_configuration(model, 0)->q, (size_t)d->kit.nq * sizeof(double));
    } else {
        soa_model_neutral(model, d->kit.q);
    }
    OK(&d->kit, soa_closure_project(d->kit.set, SOA_METRIC_MASS, 0.0, 1, d->kit.q, d->kit.v, NULL, &d->kit.error));
}

static void end(driver *d)
{
    soa_workspace_free(d->workspace);
    kit_end(&d->kit);
}

/* ---- systems ----------------------------------------------------------------------------------------- */

static soa_model *four_bar_model(closed_kit *kit)
{
    soa_model *model = NULL;
    OK(kit, soa_load(SOA_SOURCE "/examples/models/four-bar.yaml", NULL, &model, &kit->error));
    return model;
}

static void four_bar(void **state)
{
    (void)state;
    driver d = { .projected = true };
    begin(&d, four_bar_model(&d.kit));
    const course c = run(&d, SECONDS);
    assert_int_equal(c.rank, 2);
    assert_true(c.position < 1e-9);
    assert_true(c.velocity < 1e-9);
    assert_true(c.scale > 1.0); /* it swings */
    assert_true(c.drift < 1e-6 * c.scale);
    end(&d);
}

/* The same without the projection: the loop opens. */
static void loops_open_without_projection(void **state)
{
    (void)state;
    driver d = { .projected = false };
    begin(&d, four_bar_model(&d.kit));
    const course c = run(&d, 3.0);
    assert_true(c.position > 1e-9);
    end(&d);
}

/* Two arms with springs in their joints hold a swing by an axle: a hinge in one hand, a ball in the other. */
static const char swing[] =
    "soa: 1\n"
    "name: swing\n"
    "systems:\n"
    "  - {name: left,  builtin: arm7, at: {xyz: [0, 0.6, 0], rpy: [0, 0, -1.5707963267948966]}}\n"
    "  - {name: right, builtin: arm7, at: {xyz: [0, -0.6, 0], rpy: [0, 0, 1.5707963267948966]}}\n"
    "  - name: swing\n"
    "    free: true\n"
    "    at: {xyz: [0.4, 0, 0.6]}\n"
    "    bodies:\n"
    "      - {name: seat, mass: 4, com: [0.1, 0, -0.3], inertia: [0.12, 0, 0, 0.004, 0, 0.12]}\n"
    "closures:\n"
    "  - {name: hinge, kind: revolute, a: left/tool, b: swing/seat, at_b: {xyz: [0, 0.3, 0], rpy: [1.5708, 0, 0]}}\n"
    "  - {name: ball, kind: spherical, a: right/tool, b: swing/seat, at_b: {xyz: [0, -0.3, 0]}}\n";

/* Springs that let each joint of the arms, by itself, swing with 8 rad/s. */
static void add_springs(driver *d)
{
    double mass[MOST * MOST];
    const soa_model *model = d->kit.model[0];
    OK(&d->kit, soa_mass_matrix(model, d->workspace, 1, d->kit.q, mass, &d->kit.error));
    memcpy(d->rest, d->kit.q, (size_t)d->kit.nq * sizeof(double));
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_body body = soa_model_body(model, k);
        if (body.kind == SOA_REVOLUTE) {
            d->stiffness[body.v] = 64.0 * mass[body.v * d->kit.nv + body.v];
        }
    }
}

static void swing_in_two_arms(void **state)
{
    (void)state;
    driver d = { .projected = true };
    soa_model *model = NULL;
    OK(&d.kit, soa_load_text(SOA_YAML, swing, strlen(swing), "swing.yaml", NULL, &model, &d.kit.error));
    begin(&d, model);
    add_springs(&d);
    const course c = run(&d, SECONDS);
    assert_int_equal(c.rank, 8);
    assert_true(c.position < 1e-9);
    assert_true(c.velocity < 1e-9);
    assert_true(c.scale > 5.0);
    assert_true(c.drift < 1e-6 * c.scale);
    end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_bar),
        cmocka_unit_test(loops_open_without_projection),
        cmocka_unit_test(swing_in_two_arms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
