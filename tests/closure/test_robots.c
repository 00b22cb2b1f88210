/* Robots with loops: consistent positions by projection, forward dynamics equal to the dense equations. */
#include <unistd.h>

#include "closure/kit.h"
#include "soa/io.h"

static void one(const char *file)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", SOA_ROBOTS, file);
    if (access(path, R_OK) != 0) {
        skip();
    }
    closed_kit kit = { .seed = 12, .systems = 1 };
    OK(&kit, soa_load(path, NULL, &kit.model[0], &kit.error));
    kit_begin(&kit, NULL);
    const int rows = soa_closures_rows(kit.set);
    assert_true(rows > 0);
    double *vdot = calloc((size_t)(kit.nv + rows), sizeof *vdot), *lambda = vdot + kit.nv;
    for (int n = 0; n < 8; n++) {
        soa_projection p;
        double *step = vdot;
        soa_model_neutral(kit.model[0], kit.q);
        for (int i = 0; i < kit.nv; i++) {
            kit.v[i] = some(&kit);
            kit.T[i] = 5.0 * some(&kit);
            step[i] = 0.1 * some(&kit);
        }
        soa_integrate(kit.model[0], kit.q, step, 1.0, kit.q);
        OK(&kit, soa_closure_project(kit.set, n % 2 == 0 ? SOA_METRIC_MASS : SOA_METRIC_IDENTITY, 0.0, 1, kit.q, kit.v,
                     &p, &kit.error));
        assert_true(p.position < 1e-12 && p.velocity < 1e-10);
        soa_closed closed;
        OK(&kit,
            soa_closed_forward_dynamics(kit.set, 1, kit.q, kit.v, kit.T, NULL, kit.vdot, NULL, &closed, &kit.error));
        const int rank = dense_solve(&kit, vdot, lambda);
        assert_int_equal(closed.rank, rank);
        NEAR(kit.nv, kit.vdot, vdot, fmax(1e-9, 1e-15 * closed.condition));
        NEAR(rows, soa_closure_multipliers(kit.set), lambda, fmax(1e-9, 1e-15 * closed.condition));
    }
    free(vdot);
    kit_end(&kit);
}

/* Ten seconds from its keyframe under gravity, the motion damped: it stays closed, and what the closures carry is of the
 * size of its weight. */
static void falls(const char *file)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", SOA_ROBOTS, file);
    if (access(path, R_OK) != 0) {
        skip();
    }
    closed_kit kit = { .seed = 12, .systems = 1 };
    OK(&kit, soa_load(path, NULL, &kit.model[0], &kit.error));
    kit_begin(&kit, NULL);
    const soa_model *m = kit.model[0];
    soa_projection p;
    soa_closed closed;
    soa_workspace *w = NULL;
    OK(&kit, soa_workspace_new(m, NULL, &w, &kit.error));
    soa_model_neutral(m, kit.q);
    if (soa_model_configurations(m) > 0) {
        memcpy(kit.q, soa_model_configuration(m, 0)->q, (size_t)kit.nq * sizeof *kit.q);
    }
    OK(&kit, soa_closure_project(kit.set, SOA_METRIC_MASS, 0.0, 1, kit.q, kit.v, &p, &kit.error));
    const double step = 1e-3, weight = 9.81 * soa_model_mass(m) + 1.0;
    for (int n = 0; n < 10000; n++) {
        OK(&kit,
            soa_mass_multiply(m, w, 1, kit.q, kit.v, kit.T, &kit.error)); /* damped by twice the momentum per second */
        for (int i = 0; i < kit.nv; i++) {
            kit.T[i] *= -2.0;
        }
        OK(&kit,
            soa_closed_forward_dynamics(kit.set, 1, kit.q, kit.v, kit.T, NULL, kit.vdot, NULL, &closed, &kit.error));
        assert_true(largest(closed.rows, soa_closure_multipliers(kit.set)) < (n == 0 ? 20.0 : 200.0) * weight);
        for (int i = 0; i < kit.nv; i++) {
            kit.v[i] += step * kit.vdot[i];
        }
        soa_integrate(m, kit.q, kit.v, step, kit.q);
        OK(&kit, soa_normalize(m, kit.q, &kit.error));
        OK(&kit, soa_closure_project(kit.set, SOA_METRIC_MASS, 1e-9, 1, kit.q, kit.v, &p, &kit.error));
        assert_true(p.position < 1e-9 && isfinite(largest(kit.nv, kit.v)));
    }
    soa_workspace_free(w);
    kit_end(&kit);
}

static void all_fall(void **state)
{
    (void)state;
    static const char *const file[] = { "cassie/cassie.xml", "delta/robot.urdf", "five_bar/robot.urdf",
        "robotiq_2f85_mjcf/2f85.xml" };
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        falls(file[i]);
    }
}

static void cassie(void **state)
{
    (void)state;
    one("cassie/cassie.xml");
}

static void delta(void **state)
{
    (void)state;
    one("delta/robot.urdf");
}

static void five_bar(void **state)
{
    (void)state;
    one("five_bar/robot.urdf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cassie),
        cmocka_unit_test(delta),
        cmocka_unit_test(five_bar),
        cmocka_unit_test(all_fall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
