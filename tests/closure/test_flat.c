/* Singular positions, come upon, passed through and stayed in: always a rank, never a NaN. */
#include "closure/linkage.h"

/* A parallelogram through its flat position: the rank falls there from 2 to 1 and comes back. */
static void flat_four_bar(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 2, .systems = 1 };
    const double length[3] = { 0.5, 1.0, 0.5 };
    kit.model[0] = linkage(&kit, 3, length, 1.0);
    kit_begin(&kit, NULL);
    int least = 5;
    for (int k = -400; k <= 400; k++) {
        const double angle = k * 1e-3; /* flat at 0 */
        kit.q[0] = angle, kit.q[1] = -angle, kit.q[2] = angle + 3.14159265358979323846;
        kit.v[0] = 1.0, kit.v[1] = -1.0, kit.v[2] = 1.0;
        soa_closed closed;
        const soa_status status =
            soa_closed_forward_dynamics(kit.set, 1, kit.q, kit.v, kit.T, NULL, kit.vdot, NULL, &closed, &kit.error);
        assert_true(status == SOA_OK || status == SOA_E_CLOSURE);
        assert_int_equal(closed.rank, k == 0 ? 1 : 2);
        assert_true(isfinite(largest(3, kit.vdot)));
        assert_true(isfinite(largest(5, soa_closure_multipliers(kit.set))));
        assert_true(closed.position < 1e-12 && closed.velocity < 1e-12);
        least = closed.rank < least ? closed.rank : least;
        if (k != 0) {
            OK(&kit, status);
            double bias[5], J[15], miss[5];
            OK(&kit, soa_closure_bias(kit.set, 1, kit.q, kit.v, bias, &kit.error));
            OK(&kit, soa_closure_jacobian(kit.set, 1, kit.q, J, &kit.error));
            for (int i = 0; i < 5; i++) {
                miss[i] = bias[i];
                for (int j = 0; j < 3; j++) {
                    miss[i] += J[3 * i + j] * kit.vdot[j];
                }
            }
            assert_true(largest(5, miss) < 1e-8);
        }
    }
    assert_int_equal(least, 1);
    kit_end(&kit);
}

/* Two arms stretched out towards each other, joined rigidly: fewer independent rows, never a NaN. */
static void straight_arms(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 2, .systems = 1 };
    const double length[6] = { 0.5, 0.4, 0.3, 0.3, 0.4, 0.5 };
    kit.model[0] = linkage(&kit, 6, length, 2.4);
    kit_begin(&kit, NULL); /* q = 0: all in one line, exactly as long as the gap */
    soa_closed closed;
    OK(&kit, soa_closed_forward_dynamics(kit.set, 1, kit.q, kit.v, kit.T, NULL, kit.vdot, NULL, &closed, &kit.error));
    assert_int_equal(closed.rank, 1);
    assert_int_equal(closed.rows, 5);
    assert_true(isfinite(largest(6, kit.vdot)) && isfinite(closed.condition));
    kit.v[2] = 1.0, kit.v[3] = -2.0; /* moving: the line would have to stretch */
    const soa_status status =
        soa_closed_forward_dynamics(kit.set, 1, kit.q, kit.v, kit.T, NULL, kit.vdot, NULL, &closed, &kit.error);
    assert_int_equal(status, SOA_E_CLOSURE);
    assert_non_null(strstr(kit.error.text, "ground"));
    assert_true(isfinite(largest(6, kit.vdot)));
    kit_end(&kit);
}

/* ---- finely ------------------------------------------------------------------------------------------ */

/* What must hold of every solution, wherever it is: numbers, a rank that is one, and no contradiction but of rows that
 * depend on others. */
static soa_closed solve_somewhere(closed_kit *kit)
{
    soa_closed closed;
    const soa_status status =
        soa_closed_forward_dynamics(kit->set, 1, kit->q, kit->v, kit->T, NULL, kit->vdot, NULL, &closed, &kit->error);
    assert_true(status == SOA_OK || (status == SOA_E_CLOSURE && closed.rank < closed.rows));
    assert_true(closed.rank >= 0 && closed.rank <= closed.rows);
    assert_int_equal(closed.rows, soa_closures_rows(kit->set));
    assert_true(isfinite(largest(kit->nv, kit->vdot)));
    assert_true(isfinite(largest(closed.rows, soa_closure_multipliers(kit->set))));
    assert_true(isfinite(closed.condition) && closed.condition >= 1.0 && isfinite(closed.inconsistency));
    return closed;
}

/* The parallelogram from 1 rad down to less than a rounding error from flat, on both sides, at rest and moving. */
static void towards_flat(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 2, .systems = 1 };
    const double length[3] = { 0.5, 1.0, 0.5 };
    kit.model[0] = linkage(&kit, 3, length, 1.0);
    kit_begin(&kit, NULL);
    for (int k = 0; k < 2000; k++) {
        const double angle = (k % 2 == 0 ? 1.0 : -1.0) * pow(10.0, -(double)(k / 2) / 50.0),
                     speed = k % 4 < 2 ? 0.0 : 1.0;
        kit.q[0] = angle, kit.q[1] = -angle, kit.q[2] = angle + 3.14159265358979323846;
        kit.v[0] = speed, kit.v[1] = -speed, kit.v[2] = speed;
        const soa_closed closed = solve_somewhere(&kit);
        assert_true(closed.rank == 1 || closed.rank == 2);
        if (fabs(angle) > 1e-5) {
            assert_int_equal(closed.rank, 2);
        }
        if (fabs(angle) < 1e-8) { /* beside the tolerance of pivots, 1e-12, nothing: the square of the angle counts */
            assert_int_equal(closed.rank, 1);
        }
    }
    kit_end(&kit);
}

static void rate_at(closed_kit *kit, const double *q, const double *v, double *vdot)
{
    double kept[3], speed[3];
    memcpy(kept, kit->q, sizeof kept), memcpy(speed, kit->v, sizeof speed);
    memcpy(kit->q, q, sizeof kept), memcpy(kit->v, v, sizeof speed);
    (void)solve_somewhere(kit);
    memcpy(vdot, kit->vdot, sizeof kept);
    memcpy(kit->q, kept, sizeof kept), memcpy(kit->v, speed, sizeof speed);
}

/* One step of Runge and Kutta, and back onto the closure. */
static void step(closed_kit *kit, double h)
{
    double q[4][3], v[4][3], a[4][3];
    for (int s = 0; s < 4; s++) {
        const double part = s == 0 ? 0.0 : s == 3 ? h : 0.5 * h;
        for (int i = 0; i < 3; i++) {
            q[s][i] = kit->q[i] + (s == 0 ? 0.0 : part * v[s - 1][i]);
            v[s][i] = kit->v[i] + (s == 0 ? 0.0 : part * a[s - 1][i]);
        }
        rate_at(kit, q[s], v[s], a[s]);
    }
    for (int i = 0; i < 3; i++) {
        kit->q[i] += h / 6.0 * (v[0][i] + 2.0 * v[1][i] + 2.0 * v[2][i] + v[3][i]);
        kit->v[i] += h / 6.0 * (a[0][i] + 2.0 * a[1][i] + 2.0 * a[2][i] + a[3][i]);
    }
    soa_projection done;
    (void)soa_closure_project(kit->set, SOA_METRIC_MASS, 0.0, 1, kit->q, kit->v, &done, &kit->error);
    assert_true(done.position < 1e-9);
}

/* The crank turned by a force, through flat, by steps that do not know of it. */
static void driven_through_flat(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 2, .systems = 1 };
    const double length[3] = { 0.5, 1.0, 0.5 };
    kit.model[0] = linkage(&kit, 3, length, 1.0);
    kit_begin(&kit, NULL);
    kit.q[0] = -0.3, kit.q[1] = 0.3, kit.q[2] = -0.3 + 3.14159265358979323846;
    kit.v[0] = 2.0, kit.v[1] = -2.0, kit.v[2] = 2.0;
    kit.T[0] = 5.0;
    int n = 0;
    while (kit.q[0] < 0.3 && n < 4000) {
        step(&kit, 1.7e-4);
        assert_true(isfinite(largest(3, kit.q)) && isfinite(largest(3, kit.v)));
        n++;
    }
    assert_true(kit.q[0] >= 0.3);
    kit_end(&kit);
}

/* Two arms of seven joints on the world, stretched out, their hands joined: through many positions near to and at the
 * straight one, from which they lose rows one after the other. */
static void arms_towards_straight(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 5, .systems = 2 };
    OK(&kit, soa_model_builtin("arm7", NULL, &kit.model[0], &kit.error));
    OK(&kit, soa_model_builtin("arm7", NULL, &kit.model[1], &kit.error));
    kit_begin(&kit, NULL);
    const int hand = soa_model_links(kit.model[0]) - 1;
    const soa_closure grip = soa_closure_default("grip", SOA_CLOSE_RIGID, hand, hand);
    int index = -1, most = 0, least = 6;
    OK(&kit, soa_closure_add(kit.set, &grip, 0, 1, &index, &kit.error));
    for (int k = 0; k <= 600; k++) {
        const double bent = k == 600 ? 0.0 : pow(10.0, -(double)k / 30.0);
        for (int i = 0; i < kit.nv; i++) {
            kit.q[i] = bent * some(&kit);
            kit.T[i] = some(&kit);
        }
        OK(&kit, soa_closure_hold_here(kit.set, index, kit.q, &kit.error));
        const soa_closed closed = solve_somewhere(&kit);
        assert_true(closed.position < 1e-12);
        most = closed.rank > most ? closed.rank : most;
        least = closed.rank < least ? closed.rank : least;
        assert_true(k > 30 || closed.rank == 6);
    }
    assert_int_equal(most, 6);
    assert_true(least < 6);
    kit_end(&kit);
}

/* Single rows between bars of a planar linkage: those that leave the plane say nothing, alone as well, and to move one is a
 * contradiction of just that acceleration. */
static void single_rows(void **state)
{
    (void)state;
    const double length[4] = { 0.5, 0.6, 0.7, 0.8 }, moved = 1.5;
    for (int k = 0; k < 6; k++) {
        closed_kit kit = { .seed = 2, .systems = 1 };
        kit.model[0] = linkage(&kit, 4, length, 1.0);
        kit_begin(&kit, NULL);
        kit_state(&kit);
        memset(kit.v, 0, 4 * sizeof *kit.v);
        soa_closure c = soa_closure_default("row", SOA_CLOSE_GENERAL, 3, k % 2 ? 0 : SOA_WORLD);
        c.rows = 1;
        c.Q[0][k] = 1.0;
        int index = -1;
        OK(&kit, soa_closure_remove(kit.set, 0, &kit.error));
        OK(&kit, soa_closure_add(kit.set, &c, 0, 0, &index, &kit.error));
        OK(&kit, soa_closure_set_motion(kit.set, index, NULL, NULL, &moved, &kit.error));
        soa_closed closed;
        const soa_status status =
            soa_closed_forward_dynamics(kit.set, 1, kit.q, kit.v, kit.T, NULL, kit.vdot, NULL, &closed, &kit.error);
        const bool in_plane = k == 1 || k == 3 || k == 5; /* turns about y, shifts along x and z */
        assert_int_equal(status, in_plane ? SOA_OK : SOA_E_CLOSURE);
        assert_int_equal(closed.rank, in_plane);
        assert_true(fabs(closed.inconsistency - (in_plane ? 0.0 : moved)) < 1e-12);
        kit_end(&kit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_four_bar),
        cmocka_unit_test(straight_arms),
        cmocka_unit_test(towards_flat),
        cmocka_unit_test(driven_through_flat),
        cmocka_unit_test(arms_towards_straight),
        cmocka_unit_test(single_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
