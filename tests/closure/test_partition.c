/* Primary and secondary systems step by step, and arms with an object by three groupings: all agree with the whole. */
#include "closure/kinds.h"

static void begin(closed_kit *kit, int n, int arms)
{
    *kit = (closed_kit){ .seed = 400ull + (unsigned)n, .systems = arms + 1 };
    for (int s = 0; s < arms; s++) {
        OK(kit, soa_model_builtin("arm7", NULL, &kit->model[s], &kit->error));
    }
    soa_builder *b = soa_builder_new(NULL);
    soa_link object = soa_link_default("object", SOA_WORLD, SOA_FREE);
    object.inertia = (soa_inertia){ 3.0, { 0.02, -0.01, 0.03 }, { 0.2, 0.01, -0.02, 0.3, 0.03, 0.25 } };
    OK(kit, soa_builder_add_link(b, &object, NULL, &kit->error));
    OK(kit, soa_builder_finish(b, &kit->model[arms], &kit->error));
    soa_builder_free(b);
    kit_begin(kit, NULL);
    kit_state(kit);
}

static void compute_systems(closed_kit *kit, soa_partition *p)
{
    int q = 0, v = 0;
    for (int s = 0; s < kit->systems; s++) {
        OK(kit, soa_partition_system(p, s, kit->q + q, kit->v + v, kit->T + v, NULL, &kit->error));
        q += soa_model_nq(kit->model[s]);
        v += soa_model_nv(kit->model[s]);
    }
}

static void compare(closed_kit *kit, soa_partition *p)
{
    const int rows = soa_closures_rows(kit->set);
    double *vdot = calloc((size_t)(kit->nv + rows) + 1, sizeof *vdot), *lambda = vdot + kit->nv;
    soa_closed whole, steps;
    OK(kit, soa_partition_closures(p, &steps, &kit->error));
    memcpy(lambda, soa_closure_multipliers(kit->set), (size_t)rows * sizeof *lambda);
    for (int s = 0, v = 0; s < kit->systems; s++) {
        OK(kit, soa_partition_correct(p, s, vdot + v, &kit->error));
        v += soa_model_nv(kit->model[s]);
    }
    OK(kit,
        soa_closed_forward_dynamics(kit->set, 1, kit->q, kit->v, kit->T, NULL, kit->vdot, NULL, &whole, &kit->error));
    assert_int_equal(whole.rank, steps.rank);
    NEAR(kit->nv, vdot, kit->vdot, 1e-8);
    NEAR(rows, lambda, soa_closure_multipliers(kit->set), 1e-8);
    free(vdot);
}

/* What is enabled changes (D) alone; a system changes its own (A) to (C) alone. */
static void steps_and_their_work(void **state)
{
    (void)state;
    for (int n = 0; n < 20; n++) {
        const int arms = 2 + n % 3;
        closed_kit kit;
        begin(&kit, n, arms);
        int index[8];
        for (int s = 0; s < arms; s++) {
            const soa_closure_kind kind = (soa_closure_kind)((n + s) % SOA_CLOSE_SLIDING);
            soa_closure c = soa_closure_default("grip", kind, soa_model_links(kit.model[s]) - 1, 0);
            c.at_a = some_pose(&kit, 0.1);
            c.at_b = some_pose(&kit, 0.3);
            c.distance = 0.2;
            OK(&kit, soa_closure_add(kit.set, &c, s, arms, &index[s], &kit.error));
        }
        soa_partition *p = NULL;
        OK(&kit, soa_partition_new(kit.set, &p, &kit.error));
        assert_int_equal(soa_partition_closures(p, NULL, &kit.error), SOA_E_ARGUMENT);
        compute_systems(&kit, p);
        assert_int_equal(soa_partition_work_done(p).systems, kit.systems);
        compare(&kit, p);
        const soa_partition_work before = soa_partition_work_done(p);
        OK(&kit, soa_closure_enable(kit.set, index[0], false, &kit.error));
        compare(&kit, p);
        const soa_partition_work after = soa_partition_work_done(p);
        assert_int_equal(after.systems, before.systems);
        assert_int_equal(after.solutions, before.solutions + 1);
        OK(&kit, soa_closure_enable(kit.set, index[0], true, &kit.error));
        const int q = kit.nq - 7, v = kit.nv - 6; /* the object moves on */
        kit.v[v] += 0.3;
        kit.q[q + 4] += 0.1;
        OK(&kit, soa_partition_system(p, arms, kit.q + q, kit.v + v, kit.T + v, NULL, &kit.error));
        assert_int_equal(soa_partition_work_done(p).systems, after.systems + 1);
        compare(&kit, p);
        soa_partition_free(p);
        kit_end(&kit);
    }
}

/* One model with l arms; the object apart, as the second system of a set, and by soa_grasp_forward_dynamics. */
static soa_model *arms_of(closed_kit *kit, int arms)
{
    soa_model *arm = NULL, *all = NULL;
    soa_builder *b = soa_builder_new(NULL);
    OK(kit, soa_model_builtin("arm7", NULL, &arm, &kit->error));
    for (int i = 0; i < arms; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "arm%d", i);
        const soa_pose at = some_pose(kit, 1.0);
        OK(kit, soa_builder_attach(b, arm, name, SOA_WORLD, &at, &kit->error));
    }
    OK(kit, soa_builder_finish(b, &all, &kit->error));
    soa_builder_free(b);
    soa_model_free(arm);
    return all;
}

static void three_groupings(void **state)
{
    (void)state;
    for (int n = 0; n < 9; n++) {
        const int arms = 1 + n / 3, method = n % 3;
        closed_kit kit;
        begin(&kit, n, 1);
        kit_end(&kit); /* for its seed; now with l arms in one model */
        kit = (closed_kit){ .seed = 50ull + (unsigned)n, .systems = 2 };
        kit.model[0] = arms_of(&kit, arms);
        closed_kit object;
        begin(&object, n, 1);
        kit.model[1] = object.model[1];
        object.model[1] = NULL;
        object.systems = 1;
        kit_end(&object);
        kit_begin(&kit, NULL);
        kit_state(&kit);
        const int nv = kit.nv - 6, per = soa_model_links(kit.model[0]) / arms;
        soa_point tip[4];
        soa_object thing = { .velocity = { 0.0 } };
        const soa_grasp g = { .tips = arms, .tip = tip, .object = &thing };
        thing.inertia = soa_model_body(kit.model[1], 0).inertia;
        thing.pose = soa_pose_from_quaternion(kit.q + kit.nq - 3, kit.q + kit.nq - 7);
        for (int i = 0; i < 3; i++) { /* the free joint's velocity is in the body's axes */
            for (int j = 0; j < 3; j++) {
                thing.velocity[i] += thing.pose.rotation[i][j] * kit.v[nv + j];
                thing.velocity[3 + i] += thing.pose.rotation[i][j] * kit.v[nv + 3 + j];
            }
        }
        for (int i = 0; i < arms; i++) { /* the tip moves with the object: a closure that holds where it is */
            int index = -1;
            const soa_closure c = soa_closure_default("grip", SOA_CLOSE_RIGID, per * (i + 1) - 1, 0);
            OK(&kit, soa_closure_add(kit.set, &c, 0, 1, &index, &kit.error));
            OK(&kit, soa_closure_hold_here(kit.set, index, kit.q, &kit.error));
            tip[i] = (soa_point){ c.a, soa_closure_get(kit.set, index)->at_a };
        }
        soa_projection projection;
        OK(&kit, soa_closure_project_velocity(kit.set, SOA_METRIC_MASS, 1, kit.q, kit.v, &projection, &kit.error));
        memset(thing.velocity, 0, sizeof thing.velocity);
        for (int i = 0; i < 9; i++) {
            thing.velocity[i / 3] += thing.pose.rotation[i / 3][i % 3] * kit.v[nv + i % 3];
            thing.velocity[3 + i / 3] += thing.pose.rotation[i / 3][i % 3] * kit.v[nv + 3 + i % 3];
        }
        for (int i = 0; i < 6; i++) {
            kit.T[nv + i] = 0.0;
        }
        soa_workspace *w = NULL;
        OK(&kit, soa_workspace_new(kit.model[0], NULL, &w, &kit.error));
        OK(&kit, soa_workspace_reserve(w, arms + 4, &kit.error));
        OK(&kit, soa_workspace_reserve_grasp(w, arms, &kit.error));
        assert_int_equal(soa_workspace_reserve_grasp(w, 0, NULL), SOA_E_ARGUMENT);
        assert_int_equal(soa_workspace_reserve_grasp(w, SOA_MAX_ARMS + 1, NULL), SOA_E_ARGUMENT);
        OK(&kit,
            soa_workspace_reserve_grasp(w, n % 2 == 0 ? arms : SOA_MAX_ARMS, &kit.error)); /* just enough, or plenty */
        double vdot[64], contact[24];
        const soa_grasp_motion motion = { .vdot = vdot, .contact = contact };
        OK(&kit, soa_grasp_forward_dynamics(
                     kit.model[0], w, (soa_grasp_method)method, &g, 1, kit.q, kit.v, kit.T, &motion, &kit.error));
        OK(&kit, soa_closed_forward_dynamics(kit.set, 1, kit.q, kit.v, kit.T, NULL, kit.vdot, NULL, NULL, &kit.error));
        NEAR(nv, vdot, kit.vdot, 1e-9);
        for (int i = 0; i < arms; i++) {
            soa_closure_load load;
            OK(&kit, soa_closure_force(kit.set, i, &load, &kit.error));
            assert_true(load.holds && !load.contact);
            for (int k = 0; k < 6; k++) { /* what the arm exerts is opposite to what acts on it */
                load.wrench_on_a[k] = -load.wrench_on_a[k];
            }
            NEAR(6, contact + 6 * i, load.wrench_on_a, 1e-8);
        }
        soa_workspace_free(w);
        kit_end(&kit);
    }
}

/* Rows that depend on each other but for rounding are one, as in the solver: taken as they are they would lock the mechanism. */
static void rounded_rows(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 9, .systems = 1 };
    soa_builder *b = soa_builder_new(NULL);
    for (int i = 0; i < 3; i++) { /* a four-bar in the plane; its pin is a hinge whose axis is off by 4e-6 */
        soa_link link = soa_link_default(i == 0   ? "crank"
                                         : i == 1 ? "coupler"
                                                  : "rocker",
            i == 1 ? 0 : SOA_WORLD, SOA_REVOLUTE);
        link.joint.at.position[0] = i == 0 ? 0.0 : i == 1 ? 0.3 : 1.0;
        link.inertia = (soa_inertia){ 1.0, { 0.2, 0.0, 0.0 }, { 0.01, 0.0, 0.0, 0.02, 0.0, 0.03 } };
        OK(&kit, soa_builder_add_link(b, &link, NULL, &kit.error));
    }
    soa_closure hinge = soa_closure_default("hinge", SOA_CLOSE_REVOLUTE, 1, 2);
    const double a[3] = { 0.9, 0.0, 0.0 }, c[3] = { 0.6, 0.0, 0.0 }, tilt[3] = { 4e-6, 3e-6, 0.0 };
    hinge.at_a = soa_pose_from_rpy(a, tilt);
    hinge.at_b = soa_pose_from_rpy(c, tilt);
    OK(&kit, soa_builder_add_closure(b, &hinge, NULL, &kit.error));
    OK(&kit, soa_builder_finish(b, &kit.model[0], &kit.error));
    soa_builder_free(b);
    kit_begin(&kit, NULL);
    soa_model_neutral(kit.model[0], kit.q);
    memset(kit.v, 0, (size_t)kit.nv * sizeof *kit.v);
    memset(kit.T, 0, (size_t)kit.nv * sizeof *kit.T);
    kit.q[0] = 0.4, kit.q[1] = -0.3, kit.q[2] = 0.2;
    OK(&kit, soa_closure_project(kit.set, SOA_METRIC_MASS, 0.0, 1, kit.q, NULL, NULL, &kit.error));
    kit.T[0] = 1.0;
    soa_partition *p;
    OK(&kit, soa_partition_new(kit.set, &p, &kit.error));
    OK(&kit, soa_partition_system(p, 0, kit.q, kit.v, kit.T, NULL, &kit.error));
    soa_closed closed, expected;
    double vdot[3];
    OK(&kit, soa_partition_closures(p, &closed, &kit.error));
    OK(&kit, soa_partition_correct(p, 0, vdot, &kit.error));
    OK(&kit, soa_closed_forward_dynamics(kit.set, 1, kit.q, kit.v, kit.T, NULL, kit.vdot, NULL, &expected, &kit.error));
    assert_true(closed.rounded && expected.rounded && closed.rank == 2 && expected.rank == 2);
    assert_true(fabs(kit.vdot[0]) > 1e-3); /* it is not locked */
    NEAR(3, vdot, kit.vdot, 1e-9);
    soa_partition_free(p);
    kit_end(&kit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_and_their_work),
        cmocka_unit_test(three_groupings),
        cmocka_unit_test(rounded_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
