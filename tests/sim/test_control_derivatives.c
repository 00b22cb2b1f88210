/* The derivatives that implicit steps take of controllers, beside differences of their forces by extrapolation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "flex/particles.h"
#include "sim/sim_system.h"

enum { MOST = 32, ROUNDS = 6 };

/* A simulation by the implicit method with one controller, at a state in motion. */
static soa_sim *sim_of(const soa_model *model, const soa_controller *c)
{
    static double q[MOST + 8], v[MOST];
    soa_sim *sim = NULL;
    soa_error error;
    double change[MOST];
    soa_sim_setup setup = soa_sim_setup_default();
    for (int i = 0; i < soa_model_nv(model); i++) {
        change[i] = 0.4 * sin(1.0 + 3.0 * i);
        v[i] = cos(2.0 + 5.0 * i);
    }
    double neutral[MOST + 8];
    soa_model_neutral(model, neutral);
    soa_integrate(model, neutral, change, 1.0, q);
    setup.method = SOA_IMPLICIT;
    setup.q = q;
    setup.v = v;
    setup.controllers = 1;
    setup.controller = c;
    if (soa_sim_new(model, &setup, NULL, &sim, &error) != SOA_OK) {
        fail_msg("%s", error.text);
    }
    return sim;
}

static void forces_at(soa_sim *sim, double t, const double *q, const double *v, double *T)
{
    static double z[MOST];
    memset(sim->control, 0, (size_t)sim->nv * sizeof(double));
    assert_int_equal(sim_control(sim, sim->controller, t, q, v, z, NULL, NULL), SOA_OK);
    memcpy(T, sim->control, (size_t)sim->nv * sizeof(double));
}

/* The derivative along velocity k by Richardson's extrapolation of central differences. */
static void slope(soa_sim *sim, double t, const double *q, const double *v, int k, bool position, double *out)
{
    const int n = sim->nv;
    double table[ROUNDS][ROUNDS][MOST];
    for (int r = 0; r < ROUNDS; r++) {
        const double h = 0.1 / (1 << r);
        double T[2][MOST], near[MOST + 8], moved[MOST], change[MOST] = { 0.0 };
        for (int side = 0; side < 2; side++) {
            const double step = side == 0 ? h : -h;
            change[k] = step;
            memcpy(near, q, (size_t)sim->nq * sizeof *q);
            memcpy(moved, v, (size_t)n * sizeof *v);
            if (position) {
                soa_integrate(sim->model, q, change, 1.0, near);
            } else {
                moved[k] += step;
            }
            forces_at(sim, t, near, moved, T[side]);
        }
        for (int i = 0; i < n; i++) {
            table[r][0][i] = (T[0][i] - T[1][i]) / (2.0 * h);
            for (int m = 1; m <= r; m++) {
                const double w = pow(4.0, m);
                table[r][m][i] = (w * table[r][m - 1][i] - table[r - 1][m - 1][i]) / (w - 1.0);
            }
        }
    }
    memcpy(out, table[ROUNDS - 1][ROUNDS - 1], (size_t)n * sizeof *out);
}

/* Largest difference beside the largest derivative. */
static double difference(soa_sim *sim, double t)
{
    const int n = sim->nv;
    static double by_q[MOST * MOST], by_v[MOST * MOST], z[MOST];
    double q[MOST + 8], v[MOST], column[MOST], most = 1e-6, off = 0.0;
    memcpy(q, soa_sim_q(sim), (size_t)sim->nq * sizeof *q);
    memcpy(v, soa_sim_v(sim), (size_t)n * sizeof *v);
    memset(by_q, 0, sizeof by_q);
    memset(by_v, 0, sizeof by_v);
    assert_int_equal(sim_control_derivatives(sim, t, q, v, z, by_q, by_v, NULL), SOA_OK);
    for (int k = 0; k < 2 * n; k++) {
        const double *exact = k < n ? by_q : by_v;
        slope(sim, t, q, v, k % n, k < n, column);
        for (int i = 0; i < n; i++) {
            most = fmax(most, fabs(column[i]));
            off = fmax(off, fabs(exact[i * n + k % n] - column[i]));
        }
    }
    return off / most;
}

static const double kp[8] = { 30, 40, 50, 20, 10, 5, 2, 1 }, kd[8] = { 3, 4, 5, 2, 1, 0.5, 0.2, 0.1 };

static soa_status drag(void *context, double t, const double *q, const double *v, double *T, soa_error *error)
{
    (void)context;
    (void)t;
    (void)error;
    T[0] += -v[0] * v[0] * v[0] + sin(q[1]);
    return SOA_OK;
}

static void check_model(const char *name, soa_model *model, soa_controller c, int joints)
{
    int link[8];
    int found = 0;
    for (int k = 0; k < soa_model_bodies(model) && found < joints; k++) {
        const soa_body body = soa_model_body(model, k);
        if (body.nv == 1 && !body.flexible) {
            link[found++] = body.link;
        }
    }
    c.joints = found;
    c.link = link;
    c.kp = kp;
    c.kd = kd;
    soa_sim *sim = sim_of(model, &c);
    const double off = difference(sim, 0.1);
    print_message("%s of %s, %d joints: %.1e\n", soa_controller_kind_text(c.kind), name, found, off);
    assert_true(off < 1e-9);
    soa_sim_free(sim);
    soa_model_free(model);
}

static void check(const char *builtin, soa_controller c, int joints)
{
    soa_model *model;
    assert_int_equal(soa_model_builtin(builtin, NULL, &model, NULL), SOA_OK);
    check_model(builtin, model, c, joints);
}

static void by_every_kind(void **state)
{
    (void)state;
    static const double ki[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    for (int joints = 3; joints <= 7; joints += 4) {
        check("arm7", (soa_controller){ .kind = SOA_CONTROL_PD }, joints);
        check("arm7", (soa_controller){ .kind = SOA_CONTROL_PID, .ki = ki }, joints);
        check("arm7", (soa_controller){ .kind = SOA_CONTROL_GRAVITY }, joints);
        check("arm7", (soa_controller){ .kind = SOA_CONTROL_COMPUTED_TORQUE }, joints);
        check("quadruped", (soa_controller){ .kind = SOA_CONTROL_COMPUTED_TORQUE }, joints);
        check("arm7",
            (soa_controller){ .kind = SOA_CONTROL_EXPRESSION, .expression = "Mass (qdd_ref - 100 e - 20 edot) + C" },
            joints);
        check("arm7", (soa_controller){ .kind = SOA_CONTROL_CALLBACK, .function = drag }, joints);
    }
}

/* A point led in place alone and with its rotation; joints that are not driven, and a base that moves. */
static void of_led_points(void **state)
{
    (void)state;
    static const double t[2] = { 0.0, 1.0 }, x[6][2] = { { 0.3, 0.5 }, { 0.1, 0.2 }, { 0.6, 0.4 }, { 0.2, 0.9 },
        { 0.3, -0.4 }, { 0.1, 1.0 } };
    static soa_path path[6];
    for (int i = 0; i < 6; i++) {
        path[i] = (soa_path){ { 2, t, x[i] }, SOA_TIMING_QUINTIC };
    }
    static const char *const model[] = { "arm7", "arm7", "arm7", "quadruped" };
    static const int joints[] = { 7, 7, 5, 7 };
    for (int i = 0; i < 4; i++) {
        soa_model *m;
        assert_int_equal(soa_model_builtin(model[i], NULL, &m, NULL), SOA_OK);
        soa_led_point point = { .path = path, .kp = 100, .kd = 20 };
        point.at = (soa_point){ i == 3 ? 3 : 6, soa_pose_identity(), SOA_LINK_FRAME };
        point.at.at.position[0] = 0.1;
        point.turn_kp = i == 1 ? 80 : 0;
        point.turn_kd = i == 1 ? 18 : 0;
        soa_model_free(m);
        check(model[i], (soa_controller){ .kind = SOA_CONTROL_POINT, .point = &point }, joints[i]);
    }
}

/* A point beyond flexible links, whose modes no motor drives. */
static void with_flexible_links(void **state)
{
    (void)state;
    int checked = 0;
    for (unsigned long long seed = 1; seed < 200; seed++) {
        const tree t = tree_make(seed, false, 20.0);
        int motors = 0; /* on the way to the last link: three of them can lead it */
        for (int k = soa_model_bodies(t.model) - 1; k >= 0; k = soa_model_body(t.model, k).parent) {
            const soa_body body = soa_model_body(t.model, k);
            motors += body.flexible ? 0 : body.nv == 1 ? 1 : -MOST;
        }
        if (soa_model_nv(t.model) > 16 || motors < 3) {
            soa_model_free(t.model);
            continue;
        }
        soa_led_point point = { .kp = 100, .kd = 20 };
        point.at = (soa_point){ soa_model_links(t.model) - 1, soa_pose_identity(), SOA_LINK_FRAME };
        check_model("a tree", t.model, (soa_controller){ .kind = SOA_CONTROL_POINT, .point = &point }, 8);
        checked++;
    }
    assert_true(checked > 2);
}

/* A force at its limit does not change; without the limit it does. */
static void not_beyond_limits(void **state)
{
    (void)state;
    static const double most[2] = { 1e-3, 1e3 };
    static const int link[2] = { 1, 2 };
    soa_model *model;
    double z[MOST] = { 0.0 }, by_q[49] = { 0.0 }, by_v[49] = { 0.0 };
    assert_int_equal(soa_model_builtin("arm7", NULL, &model, NULL), SOA_OK);
    const soa_controller c = { .kind = SOA_CONTROL_PD, .joints = 2, .link = link, .kp = kp, .kd = kd, .limit = most };
    soa_sim *sim = sim_of(model, &c);
    assert_int_equal(sim_control_derivatives(sim, 0.0, soa_sim_q(sim), soa_sim_v(sim), z, by_q, by_v, NULL), SOA_OK);
    const int first = sim->controller->at_v[0] * 8, second = sim->controller->at_v[1] * 8;
    assert_true(by_q[first] == 0.0 && by_v[first] == 0.0);
    assert_true(by_q[second] == -kp[1] && by_v[second] == -kd[1]);
    soa_sim_free(sim);
    soa_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_every_kind),
        cmocka_unit_test(of_led_points),
        cmocka_unit_test(with_flexible_links),
        cmocka_unit_test(not_beyond_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
