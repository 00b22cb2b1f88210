/* A passive damped chain over time, in soa and in MuJoCo: they agree to the order of MuJoCo's integrator. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mujoco_peer.h"
#include "soa/sim.h"

enum { LINKS = 4 };

static const char TEXT[] =
    "<mujoco><compiler angle='radian'/><option timestep='%g' integrator='%s' gravity='0 0 -9.81'>"
    "<flag constraint='disable'/></option><worldbody>"
    "<body><joint name='a' axis='0 1 0' damping='0.3'/><geom type='capsule' fromto='0 0 0 0.4 0 0' size='0.03'/>"
    "<body pos='0.4 0 0'><joint name='b' axis='0 0 1' damping='0.2' stiffness='3'/>"
    "<geom type='capsule' fromto='0 0 0 0.3 0 0' size='0.03'/>"
    "<body pos='0.3 0 0'><joint name='c' axis='0 1 0' damping='0.1' armature='0.01'/>"
    "<geom type='capsule' fromto='0 0 0 0.3 0 0' size='0.02'/>"
    "<body pos='0.3 0 0'><joint name='d' axis='1 0 0' damping='0.05'/>"
    "<geom type='box' size='0.1 0.05 0.02' pos='0.05 0.02 0'/></body></body></body></body>"
    "</worldbody></mujoco>";

static void text_of(double step, const char *integrator, char *text, size_t size)
{
    assert_true((size_t)snprintf(text, size, TEXT, step, integrator) < size);
}

/* Angles after one second, by soa with 11 digits. */
static void ours(double q[LINKS])
{
    char text[2048];
    soa_error error;
    soa_model *model = NULL;
    soa_sim *sim = NULL;
    soa_sim_setup setup = soa_sim_setup_default();
    text_of(0.001, "Euler", text, sizeof text);
    setup.method = SOA_RK853;
    setup.rtol = 1e-11;
    if (soa_load_text(SOA_MJCF, text, strlen(text), NULL, NULL, &model, &error) != SOA_OK ||
        soa_sim_new(model, &setup, NULL, &sim, &error) != SOA_OK || soa_sim_advance(sim, 1.0, &error) != SOA_OK) {
        fail_msg("%s", error.text);
    }
    memcpy(q, soa_sim_q(sim), LINKS * sizeof *q);
    soa_sim_free(sim);
    soa_model_free(model);
}

/* How far MuJoCo is from that with a step. */
static double error_of(double step, const char *integrator, const double q[LINKS])
{
    char text[2048], reason[256];
    double most = 0.0;
    text_of(step, integrator, text, sizeof text);
    mjModel *m = mujoco_load_text(text, strlen(text), reason, sizeof reason);
    if (!m) {
        fail_msg("%s", reason);
    }
    mjData *d = mj_makeData(m);
    for (int i = 0; i < (int)lround(1.0 / step); i++) {
        mj_step(m, d);
    }
    for (int i = 0; i < LINKS; i++) {
        most = fmax(most, fabs(d->qpos[i] - q[i]));
    }
    mj_deleteData(d);
    mj_deleteModel(m);
    return most;
}

static void chains_agree(void **state)
{
    (void)state;
    static const struct {
        const char *integrator;
        double order, step, most;
    } way[] = { { "RK4", 4.0, 0.004, 1e-6 }, { "Euler", 1.0, 0.001, 1e-2 } };
    double q[LINKS];
    ours(q);
    assert_true(fabs(q[0]) > 0.2); /* it has moved */
    for (int i = 0; i < 2; i++) {
        const double coarse = error_of(way[i].step, way[i].integrator, q);
        const double fine = error_of(0.5 * way[i].step, way[i].integrator, q);
        print_message("%s: %.2e, with half the step %.2e\n", way[i].integrator, coarse, fine);
        assert_true(coarse < way[i].most);
        assert_true(fabs(log2(coarse / fine) - way[i].order) < 0.25);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(chains_agree) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
