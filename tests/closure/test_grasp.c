/* Grasps: contacts and their cones, internal forces, shares of a load, force closure, sliding. */
#include "closure/kit.h"
#include "closure/nonnegative.h"

#define PI 3.14159265358979323846

/* A free ball held by n fingers: massive points in the world on sliders towards its centre would do; here the closures
 * join it to the world, so that all forces follow from statics. */
static void begin(closed_kit *kit, int fingers, soa_closure_kind kind, double friction, bool opposed)
{
    *kit = (closed_kit){ .seed = 5, .systems = 1 };
    soa_builder *b = soa_builder_new(NULL);
    soa_link ball = soa_link_default("ball", SOA_WORLD, SOA_FREE);
    ball.inertia = (soa_inertia){ 2.0, { 0.0, 0.0, 0.0 }, { 0.02, 0.0, 0.0, 0.02, 0.0, 0.02 } };
    OK(kit, soa_builder_add_link(b, &ball, NULL, &kit->error));
    OK(kit, soa_builder_finish(b, &kit->model[0], &kit->error));
    soa_builder_free(b);
    kit_begin(kit, NULL);
    soa_model_neutral(kit->model[0], kit->q);
    for (int i = 0; i < fingers; i++) {
        const double angle = opposed ? 2.0 * PI * i / fingers : 0.2 * i;
        const double p[3] = { 0.1 * cos(angle), 0.1 * sin(angle), 0.0 }, z[3] = { -sin(angle), cos(angle), 0.0 };
        static const char *const name[] = { "thumb", "index", "middle", "ring" };
        soa_closure c = soa_closure_default(name[i], kind, SOA_WORLD, 0);
        c.at_b = soa_pose_from_axis_angle(p, z, PI / 2); /* z outwards */
        c.at_a = c.at_b;
        c.friction = friction;
        OK(kit, soa_closure_add(kit->set, &c, 0, 0, NULL, &kit->error));
    }
}

/* Three fingers carry the weight; split and balance add up; the squeeze does nothing. */
static void internal_forces(void **state)
{
    (void)state;
    closed_kit kit;
    begin(&kit, 3, SOA_CLOSE_POINT, 0.6, true);
    soa_closed closed;
    OK(&kit, soa_closed_forward_dynamics(kit.set, 1, kit.q, NULL, NULL, NULL, kit.vdot, NULL, &closed, &kit.error));
    assert_int_equal(closed.rank, 6);
    assert_int_equal(closed.rows, 9);
    assert_true(largest(6, kit.vdot) < 1e-12);
    assert_int_equal(closed.broken, 3); /* without a squeeze no finger presses */
    double lambda[9], motion[9], internal[9], again[9], wrench[6];
    memcpy(lambda, soa_closure_multipliers(kit.set), sizeof lambda);
    for (int i = 0; i < 3; i++) {
        lambda[3 * i + 2] += 40.0; /* squeeze */
    }
    OK(&kit, soa_grasp_split(kit.set, 0, 0, 1, kit.q, NULL, lambda, motion, internal, wrench, &kit.error));
    assert_true(fabs(wrench[5] - 2.0 * 9.81) < 1e-9); /* the weight is carried */
    for (int i = 0; i < 9; i++) {
        assert_true(fabs(internal[i] - (i % 3 == 2 ? 40.0 : 0.0)) < 1e-9);
        assert_true(fabs(motion[i] + internal[i] - lambda[i]) < 1e-12);
    }
    OK(&kit, soa_grasp_balance(kit.set, 0, 0, 1, kit.q, NULL, wrench, again, &kit.error));
    NEAR(9, again, motion, 1e-12);
    const double weight[3] = { 4.0, 1.0, 1.0 }, across[6] = { 0.0, 0.0, 0.0, 0.0, 10.0, 0.0 };
    double share[2] = { 0.0 }; /* of the thumb, which is weak: it carries less */
    for (int k = 0; k < 2; k++) {
        OK(&kit, soa_grasp_balance(kit.set, 0, 0, 1, kit.q, k == 0 ? NULL : weight, across, again, &kit.error));
        share[k] = fabs(again[0]) + fabs(again[1]) + fabs(again[2]);
    }
    assert_true(share[1] < 0.8 * share[0]);
    kit_end(&kit);
}

/* A ball hangs on one rigid closure, whose first or second end it is: the wrench on it is its weight either way. */
static void either_end(void **state)
{
    (void)state;
    for (int end = 0; end < 2; end++) {
        closed_kit kit;
        begin(&kit, 0, SOA_CLOSE_RIGID, 0.0, true);
        const soa_closure c =
            soa_closure_default("string", SOA_CLOSE_RIGID, end == 0 ? 0 : SOA_WORLD, end == 0 ? SOA_WORLD : 0);
        OK(&kit, soa_closure_add(kit.set, &c, 0, 0, NULL, &kit.error));
        double lambda[6], motion[6], internal[6], wrench[6];
        OK(&kit, soa_closed_forward_dynamics(kit.set, 1, kit.q, NULL, NULL, NULL, kit.vdot, lambda, NULL, &kit.error));
        OK(&kit, soa_grasp_split(kit.set, 0, 0, 1, kit.q, NULL, lambda, motion, internal, wrench, &kit.error));
        NEAR(6, wrench, ((const double[6]){ 0.0, 0.0, 0.0, 0.0, 0.0, 2.0 * 9.81 }), 1e-12);
        NEAR(6, motion, lambda, 1e-12);
        kit_end(&kit);
    }
}

/* Least squares with signs: no x is negative, nothing left is along a column that is used, and no other column would
 * lessen it. The columns end where their memory does. */
static void nonnegative_is_least(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 7 };
    const soa_allocator memory = soa_allocator_default();
    int used[7] = { 0 };
    for (int round = 0; round < 200; round++) {
        const int n = 1 + round % 12;
        double *A = memory.allocate(memory.context, 6 * (size_t)n * sizeof *A), b[6], x[12], square = 0.0;
        int count = 0;
        for (int i = 0; i < 6 * n; i++) {
            A[i] = some(&kit);
        }
        for (int i = 0; i < 6; i++) {
            b[i] = some(&kit);
        }
        const double left = soa_nonnegative(n, A, b, x);
        for (int c = 0; c < n; c++) {
            for (int i = 0; i < 6; i++) {
                b[i] -= A[6 * c + i] * x[c];
            }
        }
        for (int c = 0; c < n; c++) {
            double along = 0.0;
            for (int i = 0; i < 6; i++) {
                along += A[6 * c + i] * b[i];
            }
            assert_true(x[c] >= 0.0 && (x[c] > 0.0 ? fabs(along) : along) < 1e-11);
            count += x[c] > 0.0;
        }
        for (int i = 0; i < 6; i++) {
            square += b[i] * b[i];
        }
        assert_true(fabs(left - sqrt(square)) < 1e-12);
        used[count]++;
        memory.release(memory.context, A);
    }
    assert_true(used[1] > 0 && used[3] > 0 && used[5] > 0 && used[6] > 0);
}

static void cones_and_loads(void **state)
{
    (void)state;
    closed_kit kit;
    begin(&kit, 2, SOA_CLOSE_SOFT_FINGER, 0.6, true);
    /* push the ball onto the thumb, along +x: it presses there and pulls at the other */
    double f[6] = { 0.0, 0.0, 0.0, 30.0, 0.0, 0.0 };
    soa_closed closed;
    OK(&kit, soa_closed_forward_dynamics(kit.set, 1, kit.q, NULL, NULL, f, kit.vdot, NULL, &closed, &kit.error));
    soa_closure_load thumb, index;
    OK(&kit, soa_closure_force(kit.set, 0, &thumb, &kit.error));
    OK(&kit, soa_closure_force(kit.set, 1, &index, &kit.error));
    assert_true(thumb.contact && thumb.normal > 0.0 && index.normal < 0.0 && !index.holds);
    assert_true(fabs(thumb.normal - index.normal - 30.0) < 1e-9);
    assert_true(fabs(thumb.tangential + index.tangential - 2.0 * 9.81) < 1e-9);
    assert_true(fabs(thumb.cone_margin - (0.6 * thumb.normal - thumb.tangential)) < 1e-12);
    assert_int_equal(thumb.holds, thumb.cone_margin >= 0.0);
    assert_int_equal(closed.broken, 1 + !thumb.holds);
    kit_end(&kit);
}

static void force_closure(void **state)
{
    (void)state;
    const struct {
        int fingers;
        soa_closure_kind kind;
        double friction;
        bool opposed, closed;
    } cases[] = {
        { 3, SOA_CLOSE_POINT, 0.6, true, true },
        { 3, SOA_CLOSE_POINT, 0.6, false, false },     /* all on one side */
        { 3, SOA_CLOSE_POINT, 0.0, true, false },      /* no friction */
        { 2, SOA_CLOSE_POINT, 0.6, true, false },      /* turns about the line of the two */
        { 2, SOA_CLOSE_SOFT_FINGER, 0.6, true, true }, /* does not */
        { 2, SOA_CLOSE_SPHERICAL, 0.0, false, false }, /* turns about the line of the two */
        { 3, SOA_CLOSE_SPHERICAL, 0.0, false, true },  /* two-sided */
        { 1, SOA_CLOSE_RIGID, 0.0, true, true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        closed_kit kit;
        begin(&kit, cases[i].fingers, cases[i].kind, cases[i].friction, cases[i].opposed);
        bool closed = !cases[i].closed;
        double lambda[24] = { 0.0 }, motion[24], internal[24], wrench[6];
        OK(&kit, soa_force_closure(kit.set, 0, 0, 8, 1, kit.q, &closed, lambda, &kit.error));
        for (int wrong = 0; wrong < 4; wrong++) { /* no such system, or no such link of one */
            const int system = wrong == 0 ? -1 : wrong == 1 ? kit.systems : 0;
            const int link = wrong == 2 ? -1 : wrong == 3 ? soa_model_links(kit.model[0]) : 0;
            bool never;
            assert_int_equal(
                soa_force_closure(kit.set, system, link, 8, 1, kit.q, &never, internal, &kit.error), SOA_E_ARGUMENT);
        }
        assert_int_equal(closed, cases[i].closed);
        if (closed) {
            OK(&kit, soa_grasp_split(kit.set, 0, 0, 1, kit.q, NULL, lambda, motion, internal, wrench, &kit.error));
            assert_true(largest(6, wrench) < 1e-8 * fmax(1.0, largest(24, lambda)));
        }
        for (int c = 0; closed && cases[i].kind == SOA_CLOSE_POINT && c < cases[i].fingers; c++) {
            assert_true(lambda[3 * c + 2] > 0.0);
            assert_true(hypot(lambda[3 * c], lambda[3 * c + 1]) < cases[i].friction * lambda[3 * c + 2]);
        }
        kit_end(&kit);
    }
}

/* A block slides on feet on a plane under gravity and a push along x: a = (push - mu m g) / m; it must not turn. Of four feet
 * one is redundant. */
static void slide_on(int feet)
{
    closed_kit kit = { .seed = 5, .systems = 1 };
    soa_builder *b = soa_builder_new(NULL);
    soa_link block = soa_link_default("block", SOA_WORLD, SOA_FREE);
    block.inertia = (soa_inertia){ 2.0, { 0.0, 0.0, 0.0 }, { 0.02, 0.0, 0.0, 0.02, 0.0, 0.02 } };
    OK(&kit, soa_builder_add_link(b, &block, NULL, &kit.error));
    OK(&kit, soa_builder_finish(b, &kit.model[0], &kit.error));
    soa_builder_free(b);
    kit_begin(&kit, NULL);
    soa_model_neutral(kit.model[0], kit.q);
    const double corner[4][2] = { { 0.2, feet == 3 ? 0.0 : 0.15 }, { -0.2, 0.15 }, { -0.2, -0.15 }, { 0.2, -0.15 } };
    for (int i = 0; i < feet; i++) {
        soa_closure c = soa_closure_default("foot", SOA_CLOSE_SLIDING, 0, SOA_WORLD);
        c.at_a.position[0] = corner[i][0], c.at_a.position[1] = corner[i][1], c.at_a.position[2] = -0.05;
        c.at_b.position[2] = -0.05;
        c.friction = 0.3;
        c.slip[0] = 2.0;
        OK(&kit, soa_closure_add(kit.set, &c, 0, 0, NULL, &kit.error));
    }
    const double f[6] = { 0.0, 0.0, 0.0, 10.0, 0.0, 0.0 };
    kit.v[3] = 0.5;
    soa_closed closed;
    OK(&kit, soa_closed_forward_dynamics(kit.set, 1, kit.q, kit.v, NULL, f, kit.vdot, NULL, &closed, &kit.error));
    const double expected[6] = { 0.0, 0.0, 0.0, (10.0 - 0.3 * 2.0 * 9.81) / 2.0, 0.0, 0.0 };
    NEAR(6, kit.vdot, expected, 1e-12);
    assert_int_equal(closed.rank, 3);
    double normal = 0.0, friction = 0.0, moment = 0.0;
    for (int i = 0; i < feet; i++) {
        soa_closure_load load;
        OK(&kit, soa_closure_force(kit.set, i, &load, &kit.error));
        assert_true(load.holds && load.normal > 0.0);
        assert_true(fabs(load.wrench_on_a[3] + 0.3 * load.normal) < 1e-12);
        normal += load.normal;
        friction += load.tangential;
        moment += -corner[i][0] * load.normal + 0.05 * 0.3 * load.normal; /* about y: balanced */
    }
    assert_true(fabs(normal - 2.0 * 9.81) < 1e-10 && fabs(friction - 0.3 * normal) < 1e-10 && fabs(moment) < 1e-10);
    assert_int_equal(closed.broken, 0);
    kit_end(&kit);
}

static void sliding(void **state)
{
    (void)state;
    slide_on(3);
    slide_on(4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(internal_forces),
        cmocka_unit_test(either_end),
        cmocka_unit_test(nonnegative_is_least),
        cmocka_unit_test(cones_and_loads),
        cmocka_unit_test(force_closure),
        cmocka_unit_test(sliding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
