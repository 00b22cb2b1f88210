/* Poses, velocities, accelerations and Jacobians against the oracle's frames and by differences. */
#include "dynamics/kit.h"

static const char *const MODELS[] = { "arm7", "dual-arm", "humanoid", "hexapod" };
enum { NAMED = sizeof MODELS / sizeof MODELS[0], TREES = 16, POINTS = 5 };

static kit kit_number(int i)
{
    kit k = i < NAMED ? kit_open(MODELS[i], 200 + (unsigned)i) : kit_tree(1 + (i - NAMED) * 39 / (TREES - 1), 200 + i);
    OK(&k, soa_workspace_reserve(k.w, POINTS, &k.error));
    return k;
}

/* pose (12), velocity (6), acceleration (6) of a frame. */
static void jet_numbers(const jet *W, double *pose, double *velocity, double *acceleration)
{
    num w[3], wd[3];
    jet_angular(W, 1, w);
    jet_angular(W, 2, wd);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            pose[3 * i + j] = (double)W->x[0][i][j];
        }
        pose[9 + i] = (double)W->x[0][i][3];
        velocity[i] = (double)w[i];
        velocity[3 + i] = (double)W->x[1][i][3];
        acceleration[i] = (double)wd[i];
        acceleration[3 + i] = (double)W->x[2][i][3];
    }
}

static jet point_jet(const oracle *o, const soa_point *point)
{
    const jet at = jet_pose(&point->at);
    return point->link == SOA_WORLD ? at : jet_mul(&o->W[point->link], &at);
}

static void check_links(kit *k, const double *v, const double *a)
{
    double *x = numbers(24 * k->links), *expected = numbers(24 * k->links);
    double *velocity = x + 12 * k->links, *acceleration = x + 18 * k->links;
    oracle o = oracle_at(k->m, k->q, v, a);
    for (int l = 0; l < k->links; l++) {
        jet_numbers(&o.W[l], expected + 12 * l, expected + 12 * k->links + 6 * l, expected + 18 * k->links + 6 * l);
    }
    OK(k, soa_kinematics(k->m, k->w, 1, k->q, v, a, x, velocity, acceleration, &k->error));
    NEAR(12 * k->links, x, expected, 1e-12);
    NEAR(6 * k->links, velocity, expected + 12 * k->links, 1e-12);
    NEAR(6 * k->links, acceleration, expected + 18 * k->links, 1e-12);
    double *pose = numbers(12 * k->links);
    OK(k, soa_kinematics(k->m, k->w, 1, k->q, v, a, pose, NULL, NULL, &k->error));
    SAME(12 * k->links, pose, x);
    oracle_free(&o);
    free(pose);
    free(x);
    free(expected);
}

static void links_stand_and_move_as_described(void **state)
{
    (void)state;
    for (int i = 0; i < NAMED + TREES; i++) {
        kit k = kit_number(i);
        check_links(&k, k.v, k.a);
        check_links(&k, k.v, NULL);
        check_links(&k, NULL, k.a);
        check_links(&k, NULL, NULL);
        kit_close(&k);
    }
}

/* ---- by differences: neither jets nor sweeps -------------------------------------------------- */

typedef struct course {
    kit *k;
    int points;
    const soa_point *point;
    soa_axes axes;
} course;

static void pose_at(void *context, double t, double *x)
{
    const course *c = context;
    double *q = numbers(c->k->nq), *v = numbers(c->k->nv);
    moved(c->k, t, q, v);
    OK(c->k, soa_kinematics(c->k->m, c->k->w, 1, q, NULL, NULL, x, NULL, NULL, &c->k->error));
    free(q);
    free(v);
}

static void velocity_at(void *context, double t, double *x)
{
    const course *c = context;
    double *q = numbers(c->k->nq), *v = numbers(c->k->nv), *pose = numbers(12 * c->k->links);
    moved(c->k, t, q, v);
    OK(c->k, soa_kinematics(c->k->m, c->k->w, 1, q, v, NULL, pose, x, NULL, &c->k->error));
    free(q);
    free(v);
    free(pose);
}

/* (R1 R*, l1) are the velocity, and its rate the acceleration. */
static void velocities_are_rates_of_poses(void **state)
{
    (void)state;
    for (int i = 0; i < NAMED + TREES; i++) {
        kit k = kit_number(i);
        course c = { .k = &k };
        const int n = k.links;
        double *pose = numbers(12 * n), *rate = numbers(12 * n), *velocity = numbers(6 * n), *measured = numbers(6 * n);
        double *acceleration = numbers(6 * n);
        rate_of(pose_at, &c, 4e-3, 12 * n, rate);
        OK(&k, soa_kinematics(k.m, k.w, 1, k.q, k.v, k.a, pose, velocity, acceleration, &k.error));
        for (int l = 0; l < n; l++) {
            const double *R = pose + 12 * l, *D = rate + 12 * l;
            const int next[3] = { 1, 2, 0 }, last[3] = { 2, 0, 1 };
            for (int j = 0; j < 3; j++) {
                const double *a = D + 3 * last[j], *b = R + 3 * next[j];
                measured[6 * l + j] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
                measured[6 * l + 3 + j] = D[9 + j];
            }
        }
        NEAR(6 * n, velocity, measured, 1e-10);
        rate_of(velocity_at, &c, 4e-3, 6 * n, measured);
        NEAR(6 * n, acceleration, measured, 1e-10);
        free(pose);
        free(rate);
        free(velocity);
        free(measured);
        free(acceleration);
        kit_close(&k);
    }
}

/* ---- points ------------------------------------------------------------------------------------- */

static void points_with_offsets(void **state)
{
    (void)state;
    for (int i = 0; i < NAMED + TREES; i++) {
        kit k = kit_number(i);
        soa_point point[POINTS];
        double pose[12 * POINTS], velocity[6 * POINTS], acceleration[6 * POINTS], bias[6 * POINTS];
        double x[12 * POINTS], u[6 * POINTS], a[6 * POINTS];
        random_points(&k, POINTS, point);
        for (int pass = 0; pass < 2; pass++) {
            oracle o = oracle_at(k.m, k.q, k.v, pass ? NULL : k.a);
            for (int p = 0; p < POINTS; p++) {
                const jet W = point_jet(&o, &point[p]);
                jet_numbers(&W, x + 12 * p, u + 6 * p, a + 6 * p);
            }
            OK(&k, soa_point_kinematics(k.m, k.w, POINTS, point, 1, k.q, k.v, pass ? NULL : k.a, pose, velocity,
                       acceleration, &k.error));
            NEAR(12 * POINTS, pose, x, 1e-12);
            NEAR(6 * POINTS, velocity, u, 1e-12);
            NEAR(6 * POINTS, acceleration, a, 1e-12);
            oracle_free(&o);
        }
        OK(&k, soa_jacobian_bias(k.m, k.w, POINTS, point, 1, k.q, k.v, bias, &k.error));
        NEAR(6 * POINTS, bias, a, 1e-12);
        kit_close(&k);
    }
}

/* A column (mixed axes, at the point) in the other axes, from the definition. */
static void into_axes(soa_axes axes, const jet *W, const num *mixed, num *x)
{
    num l[3] = { W->x[0][0][3], W->x[0][1][3], W->x[0][2][3] }, shift[3];
    cross3(l, mixed, shift);
    for (int c = 0; c < 6; c++) {
        const num *from = mixed + c / 3 * 3;
        const num turned = W->x[0][0][c % 3] * from[0] + W->x[0][1][c % 3] * from[1] + W->x[0][2][c % 3] * from[2];
        x[c] = axes == SOA_AXES_BODY ? turned : mixed[c];
        x[c] += axes == SOA_AXES_WORLD && c >= 3 ? shift[c - 3] : 0;
    }
}

static void oracle_jacobian(const oracle *o, const soa_point *point, soa_axes axes, double *J)
{
    for (int p = 0; p < POINTS; p++) {
        const jet W = point_jet(o, &point[p]);
        for (int i = 0; i < o->nv; i++) {
            num mixed[6] = { 0 }, x[6], r[3];
            if (point[p].link != SOA_WORLD) {
                for (int c = 0; c < 3; c++) {
                    r[c] = W.x[0][c][3] - o->W[point[p].link].x[0][c][3];
                    mixed[c] = partial(o, point[p].link, i)[c];
                }
                partial_point(o, point[p].link, i, r, mixed + 3);
            }
            into_axes(axes, &W, mixed, x);
            for (int c = 0; c < 6; c++) {
                J[(6 * p + c) * o->nv + i] = (double)x[c];
            }
        }
    }
}

static void jacobian_at(void *context, double t, double *J)
{
    const course *c = context;
    double *q = numbers(c->k->nq), *v = numbers(c->k->nv);
    moved(c->k, t, q, v);
    OK(c->k, soa_jacobian(c->k->m, c->k->w, POINTS, c->point, c->axes, 1, q, J, &c->k->error));
    free(q);
    free(v);
}

/* J from partial velocities, dJ/dt by differences of J along the motion, dJ/dt v = the bias. */
static void jacobians_in_all_axes(void **state)
{
    (void)state;
    for (int i = 0; i < NAMED + TREES; i++) {
        kit k = kit_number(i);
        soa_point point[POINTS];
        const int n = 6 * POINTS * k.nv;
        double *J = numbers(n), *expected = numbers(n), *J_dot = numbers(n), bias[6 * POINTS], product[6 * POINTS];
        random_points(&k, POINTS, point);
        oracle o = oracle_at(k.m, k.q, k.v, NULL);
        OK(&k, soa_jacobian_bias(k.m, k.w, POINTS, point, 1, k.q, k.v, bias, &k.error));
        for (int axes = SOA_AXES_MIXED; axes <= SOA_AXES_WORLD; axes++) {
            course c = { &k, POINTS, point, (soa_axes)axes };
            oracle_jacobian(&o, point, (soa_axes)axes, expected);
            OK(&k, soa_jacobian(k.m, k.w, POINTS, point, (soa_axes)axes, 1, k.q, J, &k.error));
            NEAR(n, J, expected, 1e-12);
            rate_of(jacobian_at, &c, 4e-3, n, expected);
            OK(&k, soa_jacobian_rate(k.m, k.w, POINTS, point, (soa_axes)axes, 1, k.q, k.v, J_dot, &k.error));
            NEAR(n, J_dot, expected, 1e-10);
            for (int r = 0; r < 6 * POINTS; r++) {
                product[r] = 0.0;
                for (int j = 0; j < k.nv; j++) {
                    product[r] += J_dot[r * k.nv + j] * k.v[j];
                }
            }
            if (axes == SOA_AXES_MIXED) {
                NEAR(6 * POINTS, product, bias, 1e-12);
            }
        }
        oracle_free(&o);
        free(J);
        free(expected);
        free(J_dot);
        kit_close(&k);
    }
}

/* Links welded to the world, alone and under a moving one, and a model in which nothing moves. */
static void welded_links(void **state)
{
    (void)state;
    soa_builder *b = soa_builder_new(NULL);
    soa_error error;
    soa_link base = soa_link_default("base", SOA_WORLD, SOA_FIXED);
    base.joint.at = soa_pose_from_rpy((double[3]){ 1, 2, 3 }, (double[3]){ 0.1, 0.2, 0.3 });
    soa_link shelf = soa_link_default("shelf", 0, SOA_FIXED);
    shelf.joint.child = soa_pose_from_rpy((double[3]){ 0, 0.5, 0 }, (double[3]){ 1, 0, 0 });
    shelf.inertia.mass = 2.0;
    soa_model *model;
    assert_int_equal(soa_builder_add_link(b, &base, NULL, &error), SOA_OK);
    assert_int_equal(soa_builder_add_link(b, &shelf, NULL, &error), SOA_OK);
    assert_int_equal(soa_builder_finish(b, &model, &error), SOA_OK);
    kit still = kit_of(model, 1);
    check_links(&still, NULL, NULL);
    kit_close(&still);
    soa_link arm = soa_link_default("arm", 1, SOA_REVOLUTE);
    arm.inertia = (soa_inertia){ 1.0, { 0.1, 0, 0 }, { 0.1, 0, 0, 0.1, 0, 0.1 } };
    soa_link plate = soa_link_default("plate", 2, SOA_FIXED);
    plate.joint.at = base.joint.at;
    assert_int_equal(soa_builder_add_link(b, &arm, NULL, &error), SOA_OK);
    assert_int_equal(soa_builder_add_link(b, &plate, NULL, &error), SOA_OK);
    assert_int_equal(soa_builder_finish(b, &model, &error), SOA_OK);
    soa_builder_free(b);
    kit k = kit_of(model, 2);
    check_links(&k, k.v, k.a);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_stand_and_move_as_described),
        cmocka_unit_test(velocities_are_rates_of_poses),
        cmocka_unit_test(points_with_offsets),
        cmocka_unit_test(jacobians_in_all_axes),
        cmocka_unit_test(welded_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
