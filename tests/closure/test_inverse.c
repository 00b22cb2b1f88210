/* Inverse dynamics of closed systems and effective inertia, against definitions. */
#include "closure/kinds.h"

/* false: the random rows contradict each other. */
static bool begin(closed_kit *kit, int n)
{
    *kit = (closed_kit){ .seed = 800ull + (unsigned)n, .systems = 1 + n % 2 };
    for (int s = 0; s < kit->systems; s++) {
        make_tree(kit, s, 16);
    }
    kit_begin(kit, NULL);
    kit_state(kit);
    for (int i = 0; i < 2; i++) {
        add_some(kit, (soa_closure_kind)((n + 5 * i) % SOA_CLOSE_SLIDING));
    }
    return soa_closed_forward_dynamics(kit->set, 1, kit->q, kit->v, kit->T, NULL, kit->vdot, NULL, NULL, &kit->error) ==
           SOA_OK;
}

/* The T found gives the vdot, and no admissible change of it makes it smaller: T W J* n = 0 for all n. */
static void least_forces(void **state)
{
    (void)state;
    int used = 0;
    for (int n = 0; n < 40; n++) {
        closed_kit kit;
        if (!begin(&kit, n)) {
            kit_end(&kit);
            continue;
        }
        used++;
        const int nv = kit.nv, rows = soa_closures_rows(kit.set);
        double *T = calloc((size_t)(5 * nv + rows * nv) + 1, sizeof *T), *vdot = T + nv, *weight = vdot + nv;
        double *J = weight + nv;
        for (int i = 0; i < nv; i++) {
            weight[i] = 0.5 + fabs(some(&kit));
        }
        OK(&kit, soa_closed_inverse_dynamics(kit.set, 1, kit.q, kit.v, kit.vdot, NULL, weight, T, NULL, &kit.error));
        OK(&kit, soa_closure_jacobian(kit.set, 1, kit.q, J, &kit.error));
        for (int r = 0; r < rows; r++) {
            double along = 0.0, scale = 1.0;
            for (int i = 0; i < nv; i++) {
                along += J[r * nv + i] * weight[i] * T[i];
                scale += fabs(J[r * nv + i] * weight[i] * T[i]);
            }
            assert_true(fabs(along) < 1e-8 * scale);
        }
        OK(&kit, soa_closed_forward_dynamics(kit.set, 1, kit.q, kit.v, T, NULL, vdot, NULL, NULL, &kit.error));
        NEAR(nv, vdot, kit.vdot, 1e-7);
        free(T);
        kit_end(&kit);
    }
    assert_true(used > 20);
}

/* A four-bar has one dof: one driven joint does it, the others are passive. Forces of no joint: refused. */
static soa_model *four_bar(closed_kit *kit, double quarter)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model = NULL;
    const double length[3] = { 0.4, 1.0, 0.7 };
    for (int i = 0; i < 3; i++) {
        char name[16], joint[16];
        (void)snprintf(name, sizeof name, "bar%d", i);
        (void)snprintf(joint, sizeof joint, "pin%d", i);
        soa_link link = soa_link_default(name, i - 1, SOA_REVOLUTE);
        link.joint.name = joint;
        link.joint.axis[0] = 0.0, link.joint.axis[1] = 1.0, link.joint.axis[2] = 0.0;
        link.joint.at.position[0] = i == 0 ? 0.0 : length[i - 1];
        link.inertia = (soa_inertia){ 1.0 + i, { 0.5 * length[i], 0.0, 0.0 }, { 0.01, 0.0, 0.0, 0.1, 0.0, 0.1 } };
        OK(kit, soa_builder_add_link(b, &link, NULL, &kit->error));
    }
    soa_closure c = soa_closure_default("ground", SOA_CLOSE_REVOLUTE, 2, SOA_WORLD);
    const double turn[3] = { 1.0, 0.0, 0.0 }, end[3] = { length[2], 0.0, 0.0 }, ground[3] = { 0.9, 0.0, 0.0 };
    c.at_a = soa_pose_from_axis_angle(end, turn, -1.5707963267948966);
    c.at_b = soa_pose_from_axis_angle(ground, turn, -quarter);
    OK(kit, soa_builder_add_closure(b, &c, NULL, &kit->error));
    OK(kit, soa_builder_finish(b, &model, &kit->error));
    soa_builder_free(b);
    return model;
}

static void drive_one_joint(double quarter, double tolerance)
{
    closed_kit kit = { .seed = 1, .systems = 1 };
    kit.model[0] = four_bar(&kit, quarter);
    kit_begin(&kit, NULL);
    soa_projection p;
    kit.q[0] = -0.8, kit.q[1] = 0.4, kit.q[2] = 1.2;
    kit.v[0] = 1.5;
    OK(&kit, soa_closure_project(kit.set, SOA_METRIC_IDENTITY, 0.0, 1, kit.q, kit.v, &p, &kit.error));
    assert_int_equal(p.rank, 2); /* of five rows: planar in space */
    kit.T[0] = 2.5;
    soa_closed closed;
    OK(&kit, soa_closed_forward_dynamics(kit.set, 1, kit.q, kit.v, kit.T, NULL, kit.vdot, NULL, &closed, &kit.error));
    assert_int_equal(closed.rank, 2);
    assert_int_equal(closed.rows, 5);
    double T[3];
    const double passive[3] = { 1.0, INFINITY, INFINITY };
    OK(&kit, soa_closed_inverse_dynamics(kit.set, 1, kit.q, kit.v, kit.vdot, NULL, passive, T, NULL, &kit.error));
    NEAR(3, T, kit.T, tolerance);
    const double none[3] = { INFINITY, INFINITY, INFINITY };
    assert_int_equal(soa_closed_inverse_dynamics(kit.set, 1, kit.q, kit.v, kit.vdot, NULL, none, T, NULL, &kit.error),
        SOA_E_CLOSURE);
    kit.vdot[0] += 1.0;
    assert_int_equal(
        soa_closed_inverse_dynamics(kit.set, 1, kit.q, kit.v, kit.vdot, NULL, passive, T, NULL, &kit.error),
        SOA_E_CLOSURE);
    assert_non_null(strstr(kit.error.text, "ground"));
    kit_end(&kit);
}

static void one_driven_joint(void **state)
{
    (void)state;
    drive_one_joint(1.5707963267948966, 1e-9);
    drive_one_joint(1.5708, 1e-4); /* rounded: the rows depend on each other up to that */
}

/* A contact whose direction of sliding is changed is one that was added with it. */
static void slip_can_change(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 31, .systems = 1 };
    double before[64], after[64];
    make_tree(&kit, 0, 16);
    kit_begin(&kit, NULL);
    kit_state(&kit);
    const int contact = add_some(&kit, SOA_CLOSE_SLIDING), hinge = add_some(&kit, SOA_CLOSE_SPHERICAL);
    soa_closure c = *soa_closure_get(kit.set, contact);
    const double turned[3] = { -c.slip[1], c.slip[0], 0.0 }, out[3] = { 0.0, 0.0, 1.0 };
    assert_true(contact >= 0 && hinge >= 0 && kit.nv <= 64 && c.friction > 0.0);
    OK(&kit, soa_closed_forward_dynamics(kit.set, 1, kit.q, kit.v, kit.T, NULL, before, NULL, NULL, &kit.error));
    OK(&kit, soa_closure_set_slip(kit.set, contact, turned, &kit.error));
    OK(&kit, soa_closed_forward_dynamics(kit.set, 1, kit.q, kit.v, kit.T, NULL, kit.vdot, NULL, NULL, &kit.error));
    assert_memory_not_equal(before, kit.vdot, (size_t)kit.nv * sizeof *before);
    memcpy(c.slip, turned, sizeof turned);
    OK(&kit, soa_closure_remove(kit.set, contact, &kit.error));
    OK(&kit, soa_closure_add(kit.set, &c, 0, 0, NULL, &kit.error));
    OK(&kit, soa_closed_forward_dynamics(kit.set, 1, kit.q, kit.v, kit.T, NULL, after, NULL, NULL, &kit.error));
    NEAR(kit.nv, after, kit.vdot, 1e-9);
    assert_int_not_equal(soa_closure_set_slip(kit.set, contact, out, &kit.error), SOA_OK);
    assert_int_not_equal(soa_closure_set_slip(kit.set, contact, NULL, &kit.error), SOA_OK);
    assert_int_not_equal(soa_closure_set_slip(kit.set, hinge, turned, &kit.error), SOA_OK);
    assert_int_not_equal(soa_closure_set_slip(NULL, contact, turned, &kit.error), SOA_OK);
    kit_end(&kit);
}

/* A force at a point changes the accelerations there by Lambda of the closed system. */
static void effective_inertia(void **state)
{
    (void)state;
    int used = 0;
    for (int n = 0; n < 30; n++) {
        closed_kit kit;
        if (!begin(&kit, n)) {
            kit_end(&kit);
            continue;
        }
        used++;
        const int s = some_of(&kit, kit.systems), link = soa_model_links(kit.model[s]) - 1;
        const soa_closed_point point[1] = { { s, { link, soa_pose_identity() } } };
        double lambda[36], inertia[36];
        const soa_status status =
            soa_closed_operational_inertia(kit.set, 1, point, 1, kit.q, lambda, inertia, &kit.error);
        assert_true(status == SOA_OK || status == SOA_E_SINGULAR);
        const int body = soa_model_link_body(kit.model[s], link, NULL);
        if (body == SOA_WORLD) {
            kit_end(&kit);
            continue;
        }
        int nodes = 0, first = 0, q = 0, v = 0;
        for (int i = 0; i < kit.systems; i++) {
            first = i < s ? first + soa_model_bodies(kit.model[i]) : first;
            q += i < s ? soa_model_nq(kit.model[i]) : 0;
            v += i < s ? soa_model_nv(kit.model[i]) : 0;
            nodes += soa_model_bodies(kit.model[i]);
        }
        double *f = calloc((size_t)(6 * nodes + kit.nv), sizeof *f), *vdot = f + 6 * nodes, a[2][6], pose[2][12];
        const soa_point points[2] = { point[0].point,
            { soa_model_body(kit.model[s], body).link, soa_pose_identity() } };
        soa_workspace *w = NULL;
        OK(&kit, soa_workspace_new(kit.model[s], NULL, &w, &kit.error));
        OK(&kit, soa_point_kinematics(
                     kit.model[s], w, 2, points, 1, kit.q + q, NULL, NULL, pose[0], NULL, NULL, &kit.error));
        double wrench[6], at[6], l[3];
        for (int i = 0; i < 6; i++) {
            wrench[i] = at[i] = some(&kit);
            l[i % 3] = pose[0][9 + i % 3] - pose[1][9 + i % 3];
        }
        for (int i = 0; i < 3; i++) {
            at[i] += l[(i + 1) % 3] * wrench[3 + (i + 2) % 3] - l[(i + 2) % 3] * wrench[3 + (i + 1) % 3];
        }
        memcpy(f + 6 * (first + body), at, sizeof at);
        OK(&kit, soa_closed_forward_dynamics(kit.set, 1, kit.q, kit.v, kit.T, f, vdot, NULL, NULL, &kit.error));
        for (int i = 0; i < 2; i++) {
            OK(&kit, soa_point_kinematics(kit.model[s], w, 1, points, 1, kit.q + q, kit.v + v,
                         (i == 0 ? kit.vdot : vdot) + v, NULL, NULL, a[i], &kit.error));
        }
        double change[6], expected[6] = { 0.0 };
        for (int i = 0; i < 36; i++) {
            expected[i / 6] += lambda[i] * wrench[i % 6];
        }
        for (int i = 0; i < 6; i++) {
            change[i] = a[1][i] - a[0][i];
        }
        NEAR(6, change, expected, 1e-7);
        for (int i = 0; status == SOA_OK && i < 36; i++) {
            double sum = 0.0;
            for (int k = 0; k < 6; k++) {
                sum += inertia[6 * (i / 6) + k] * lambda[6 * k + i % 6];
            }
            assert_true(fabs(sum - (i / 6 == i % 6)) < 1e-5);
        }
        soa_workspace_free(w);
        free(f);
        kit_end(&kit);
    }
    assert_true(used > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_forces),
        cmocka_unit_test(one_driven_joint),
        cmocka_unit_test(slip_can_change),
        cmocka_unit_test(effective_inertia),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
