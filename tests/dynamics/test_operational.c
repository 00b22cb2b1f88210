/* Operational space against dense J Mass^-1 J*, and against forward dynamics. */
#include "dynamics/kit.h"

enum { TREES = 20, MOST = 4 };

static num *square(int n)
{
    num *x = calloc((size_t)n * (size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

/* The oracle's Jacobian in mixed axes: 6 points rows, nv columns. */
static void oracle_jacobian(const oracle *o, int points, const soa_point *point, num *J)
{
    memset(J, 0, 6 * (size_t)points * (size_t)o->nv * sizeof *J);
    for (int p = 0; p < points; p++) {
        if (point[p].link == SOA_WORLD) {
            continue;
        }
        const jet *W = &o->W[point[p].link];
        num at[3], r[3], x[6];
        for (int c = 0; c < 3; c++) {
            at[c] = point[p].at.position[c];
        }
        for (int c = 0; c < 3; c++) {
            r[c] = dot3(W->x[0][c], at);
        }
        for (int i = 0; i < o->nv; i++) {
            memcpy(x, partial(o, point[p].link, i), 3 * sizeof *x);
            partial_point(o, point[p].link, i, r, x + 3);
            for (int c = 0; c < 6; c++) {
                J[(6 * p + c) * o->nv + i] = x[c];
            }
        }
    }
}

/* J Mass^-1 J*, densely. */
static void dense_lambda(const kit *k, int points, const soa_point *point, double *lambda)
{
    const int rows = 6 * points, nv = k->nv;
    num *M = square(nv), *J = calloc((size_t)(rows * nv) + 1, sizeof *J), *x = square(nv);
    oracle o = oracle_at(k->m, k->q, NULL, NULL);
    oracle_mass(&o, M);
    oracle_jacobian(&o, points, point, J);
    assert_true(dense_factor(nv, M));
    for (int c = 0; c < rows; c++) {
        memcpy(x, J + c * nv, (size_t)nv * sizeof *x);
        dense_solve(nv, M, x);
        for (int r = 0; r < rows; r++) {
            num sum = 0;
            for (int i = 0; i < nv; i++) {
                sum += J[r * nv + i] * x[i];
            }
            lambda[r * rows + c] = (double)sum;
        }
    }
    oracle_free(&o);
    free(M);
    free(J);
    free(x);
}

/* lambda without an inertia, for any points, some on one link, some on other branches, some fixed. */
static void lambda_of_any_points(void **state)
{
    (void)state;
    for (int i = 0; i < TREES; i++) {
        kit k = kit_tree(2 + 2 * i, 300 + i);
        soa_point point[MOST];
        double lambda[36 * MOST * MOST], expected[36 * MOST * MOST];
        random_points(&k, MOST, point);
        for (int points = 1; points <= MOST; points++) {
            const int rows = 6 * points;
            dense_lambda(&k, points, point, expected);
            OK(&k, soa_operational_inertia(k.m, k.w, points, point, 1, k.q, lambda, NULL, &k.error));
            NEAR(rows * rows, lambda, expected, 1e-11);
            for (int r = 0; r < rows; r++) {
                for (int c = 0; c < rows; c++) {
                    assert_memory_equal(&lambda[r * rows + c], &lambda[c * rows + r], sizeof *lambda);
                }
            }
        }
        kit_close(&k);
    }
}

/* Hands and feet: points on different branches that share the trunk. */
static int frame_points(const soa_model *m, int most, soa_point *point)
{
    int n = 0;
    for (int f = 0; f < soa_model_frames(m) && n < most; f++) {
        const soa_frame *frame = soa_model_frame(m, f);
        if (strstr(frame->name, "tool") || strstr(frame->name, "hand") || strstr(frame->name, "foot")) {
            point[n++] = (soa_point){ frame->link, frame->at };
        }
    }
    return n;
}

static const char *const LIMBED[] = { "arm7", "dual-arm", "humanoid" };

/* The coupling between branches is there [I11], and inertia inverts lambda. */
static void limbs_share_a_trunk(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        kit k = kit_open(LIMBED[i], 40 + (unsigned)i);
        soa_point point[MOST];
        const int points = frame_points(k.m, MOST, point), rows = 6 * points;
        double lambda[36 * MOST * MOST], inertia[36 * MOST * MOST], expected[36 * MOST * MOST], across = 0.0;
        dense_lambda(&k, points, point, expected);
        OK(&k, soa_operational_inertia(k.m, k.w, points, point, 1, k.q, lambda, inertia, &k.error));
        NEAR(rows * rows, lambda, expected, 1e-11);
        for (int r = 0; r < rows; r++) {
            double row[6 * MOST] = { 0 }, unit[6 * MOST] = { 0 };
            unit[r] = 1.0;
            for (int c = 0; c < rows; c++) {
                across = fmax(across, r / 6 != c / 6 ? fabs(lambda[r * rows + c]) : 0.0);
                for (int s = 0; s < rows; s++) {
                    row[c] += inertia[r * rows + s] * lambda[s * rows + c];
                }
                assert_memory_equal(&inertia[r * rows + c], &inertia[c * rows + r], sizeof *inertia);
            }
            NEAR(rows, row, unit, 1e-8);
        }
        assert_true(points == 1 || across > 1e-3);
        kit_close(&k);
    }
}

/* More rows than dofs: no inertia, but lambda; other states of the call are not touched. */
static void more_rows_than_dofs(void **state)
{
    (void)state;
    kit k = kit_open("arm6", 3);
    soa_point point[2];
    double lambda[144], inertia[144], expected[144];
    random_points(&k, 2, point);
    point[0].link = point[1].link = k.links - 1;
    dense_lambda(&k, 2, point, expected);
    assert_int_equal(soa_operational_inertia(k.m, k.w, 2, point, 1, k.q, lambda, inertia, &k.error), SOA_E_SINGULAR);
    assert_int_equal(k.error.state, 0);
    NEAR(144, lambda, expected, 1e-11);
    for (int i = 0; i < 144; i++) {
        assert_true(isnan(inertia[i]));
    }
    kit_close(&k);
    k = kit_open("arm7", 3);
    double q[3 * 7], three[3 * 36], three_inertia[3 * 36];
    const soa_point tool = { k.links - 1, soa_pose_identity() };
    for (int s = 0; s < 3; s++) {
        soa_random_configuration(k.m, &k.seed, q + 7 * s);
    }
    memset(q + 7, 0, 7 * sizeof *q); /* stretched out */
    assert_int_equal(soa_operational_inertia(k.m, k.w, 1, &tool, 3, q, three, three_inertia, &k.error), SOA_E_SINGULAR);
    assert_int_equal(k.error.state, 1);
    assert_non_null(strstr(k.error.text, "state 1"));
    for (int i = 0; i < 36; i++) {
        assert_true(isfinite(three[36 + i]) && isnan(three_inertia[36 + i]));
        assert_true(isfinite(three_inertia[i]) && isfinite(three_inertia[72 + i]));
    }
    kit_close(&k);
}

/* y = A x, A n x n. */
static void times(int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = 0.0;
        for (int j = 0; j < n; j++) {
            y[i] += A[i * n + j] * x[j];
        }
    }
}

/* inertia xddot + coriolis + gravity = inertia J Mass^-1 T, xddot from forward dynamics. */
static void operational_equation_of_motion(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        kit k = kit_open(LIMBED[i], 50 + (unsigned)i);
        soa_point point[MOST];
        const int points = frame_points(k.m, MOST, point), rows = 6 * points;
        double lambda[36 * MOST * MOST], inertia[36 * MOST * MOST], coriolis[6 * MOST], gravity[6 * MOST];
        double *vdot = numbers(k.nv), *J = numbers(rows * k.nv), pose[12 * MOST], xdot[6 * MOST], xddot[6 * MOST];
        double left[6 * MOST], pushed[6 * MOST], right[6 * MOST];
        OK(&k, soa_operational_inertia(k.m, k.w, points, point, 1, k.q, lambda, inertia, &k.error));
        OK(&k, soa_operational_bias(k.m, k.w, points, point, 1, k.q, k.v, inertia, coriolis, gravity, &k.error));
        OK(&k, soa_forward_dynamics(k.m, k.w, 1, k.q, k.v, k.T, NULL, vdot, &k.error));
        OK(&k, soa_point_kinematics(k.m, k.w, points, point, 1, k.q, k.v, vdot, pose, xdot, xddot, &k.error));
        OK(&k, soa_jacobian(k.m, k.w, points, point, SOA_AXES_MIXED, 1, k.q, J, &k.error));
        OK(&k, soa_mass_solve(k.m, k.w, 1, k.q, k.T, vdot, &k.error));
        for (int r = 0; r < rows; r++) {
            pushed[r] = 0.0;
            for (int j = 0; j < k.nv; j++) {
                pushed[r] += J[r * k.nv + j] * vdot[j];
            }
        }
        times(rows, inertia, xddot, left);
        times(rows, inertia, pushed, right);
        for (int r = 0; r < rows; r++) {
            left[r] += coriolis[r] + gravity[r];
        }
        NEAR(rows, left, right, 1e-8);
        /* at rest only gravity is left, and it does not depend on v */
        double none[6 * MOST], same[6 * MOST], zero[6 * MOST] = { 0 };
        OK(&k, soa_operational_bias(k.m, k.w, points, point, 1, k.q, NULL, inertia, none, same, &k.error));
        NEAR(rows, same, gravity, 0.0);
        NEAR(rows, none, zero, 0.0);
        free(vdot);
        free(J);
        kit_close(&k);
    }
}

/* [TIP]: what forward dynamics says of the same forces, put on the links by the oracle's arms. */
static void corrections_are_forward_dynamics(void **state)
{
    (void)state;
    for (int i = 0; i < TREES; i++) {
        kit k = kit_tree(2 + 2 * i, 400 + i);
        soa_point point[MOST];
        double g[6 * MOST], *change = numbers(k.nv), *with = numbers(k.nv), *without = numbers(k.nv);
        random_points(&k, MOST, point);
        random_numbers(&k.seed, 6 * MOST, g);
        oracle o = oracle_at(k.m, k.q, NULL, NULL);
        num *J = calloc((size_t)(6 * MOST * k.nv), sizeof *J);
        oracle_jacobian(&o, MOST, point, J);
        OK(&k, soa_forward_dynamics(k.m, k.w, 1, k.q, k.v, k.T, NULL, without, &k.error));
        for (int j = 0; j < k.nv; j++) { /* the system pushes with g: T loses J* g */
            for (int r = 0; r < 6 * MOST; r++) {
                k.T[j] -= (double)(J[r * k.nv + j] * g[r]);
            }
        }
        OK(&k, soa_forward_dynamics(k.m, k.w, 1, k.q, k.v, k.T, NULL, with, &k.error));
        OK(&k, soa_point_correction(k.m, k.w, MOST, point, 1, k.q, g, change, &k.error));
        for (int j = 0; j < k.nv; j++) {
            with[j] -= without[j];
        }
        NEAR(k.nv, change, with, 1e-10);
        /* the same as external forces on the bodies, where a point is the origin of a body's link */
        const soa_body body = soa_model_body(k.m, k.bodies - 1);
        const soa_point origin = { body.link, soa_pose_identity() };
        memset(k.f, 0, 6 * (size_t)k.bodies * sizeof *k.f);
        for (int c = 0; c < 6; c++) {
            k.f[6 * (k.bodies - 1) + c] = -g[c];
        }
        OK(&k, soa_forward_dynamics(k.m, k.w, 1, k.q, k.v, k.T, NULL, without, &k.error));
        OK(&k, soa_forward_dynamics(k.m, k.w, 1, k.q, k.v, k.T, k.f, with, &k.error));
        OK(&k, soa_point_correction(k.m, k.w, 1, &origin, 1, k.q, g, change, &k.error));
        for (int j = 0; j < k.nv; j++) {
            with[j] -= without[j];
        }
        NEAR(k.nv, change, with, 1e-10);
        oracle_free(&o);
        free(J);
        free(change);
        free(with);
        free(without);
        kit_close(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lambda_of_any_points),
        cmocka_unit_test(limbs_share_a_trunk),
        cmocka_unit_test(more_rows_than_dofs),
        cmocka_unit_test(operational_equation_of_motion),
        cmocka_unit_test(corrections_are_forward_dynamics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
