/* The system that a model describes against differences on the set of states that its couplings and closures allow. */
#include "system/reduction.h"

/* ---- tests ---------------------------------------------------------------------------------------------- */

static void check_motion(bench *b)
{
    double G[SQUARE], S[SQUARE], x_ddot[MOST] = { 0 }, given[MOST] = { 0 }, v[MOST], vdot[MOST], all[MOST];
    motion_at(b, b->q, G);
    soa_system_motion(b->system, S);
    NEAR(b->nv * b->n, S, G, 1e-8);
    NEAR(b->nv, soa_system_velocity(b->system), b->v, 1e-8);
    for (int j = 0; j < b->n; j++) {
        given[b->independent[j]] = x_ddot[j] = 0.3 - 0.2 * j;
    }
    motion_in_time(b, b->q, b->x_dot, x_ddot, v, vdot);
    OK(soa_system_acceleration(b->system, given, all, NULL));
    NEAR(b->nv, all, vdot, 1e-5);
}

static void check_equations(bench *b)
{
    const int n = b->n;
    double M[SQUARE], own[SQUARE], inverse[SQUARE], bias[MOST], own_bias[MOST], gravity[MOST], slope[MOST] = { 0 };
    const double rest[MOST] = { 0 };
    reduced_mass(b, b->q, M);
    OK(soa_system_mass_matrix(b->system, own, NULL));
    NEAR(n * n, own, M, 1e-8);
    OK(soa_system_mass_inverse(b->system, inverse, NULL));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++) {
                sum += inverse[i * n + k] * own[k * n + j];
            }
            assert_true(fabs(sum - (i == j)) < 1e-11);
        }
    }
    reduced_forces(b, b->q, b->x_dot, rest, false, bias);
    OK(soa_system_bias_force(b->system, own_bias, NULL));
    NEAR(n, own_bias, bias, 1e-5);
    for (int j = 0; j < n; j++) { /* the slope of the potential energy */
        double direction[MOST] = { 0 }, q[MOST], energy[2];
        direction[j] = 1.0;
        for (int k = 0; k < 4; k++) {
            moved(b, direction, WHERE[k] * STEP, q);
            OK(soa_energy(b->model, b->workspace, 1, q, rest, energy, NULL));
            slope[j] += WEIGHT[k] * energy[1] / (12.0 * STEP);
        }
    }
    OK(soa_system_gravity_force(b->system, gravity, NULL));
    NEAR(n, gravity, slope, 1e-7);
}

/* dmass by differences; the symbols from it; the Coriolis matrix from the symbols. */
static void check_symbols(bench *b)
{
    const int n = b->n;
    double dmass[CUBE] = { 0 }, own[CUBE], symbols[CUBE], C[SQUARE], bias[MOST], gravity[MOST], M[SQUARE];
    for (int j = 0; j < n; j++) {
        double direction[MOST] = { 0 }, q[MOST];
        direction[j] = 1.0;
        for (int k = 0; k < 4; k++) {
            moved(b, direction, WHERE[k] * 10.0 * STEP, q);
            reduced_mass(b, q, M);
            for (int i = 0; i < n * n; i++) {
                dmass[j * n * n + i] += WEIGHT[k] * M[i] / (120.0 * STEP);
            }
        }
    }
    OK(soa_system_mass_derivatives(b->system, own, NULL));
    NEAR(n * n * n, own, dmass, FINE);
    OK(soa_system_christoffel(b->system, symbols, NULL));
    OK(soa_system_coriolis_matrix(b->system, C, NULL));
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            double sum = 0.0;
            for (int j = 0; j < n; j++) {
                const double symbol =
                    0.5 * (dmass[(k * n + i) * n + j] + dmass[(j * n + i) * n + k] - dmass[(i * n + j) * n + k]);
                assert_true(fabs(symbols[(i * n + j) * n + k] - symbol) < 10.0 * FINE);
                sum += symbols[(i * n + j) * n + k] * b->x_dot[j];
            }
            assert_true(fabs(C[i * n + k] - sum) < 1e-12 * (1.0 + fabs(sum)));
        }
    }
    OK(soa_system_bias_force(b->system, bias, NULL));
    OK(soa_system_gravity_force(b->system, gravity, NULL));
    for (int i = 0; i < n; i++) {
        double sum = gravity[i];
        for (int k = 0; k < n; k++) {
            sum += C[i * n + k] * b->x_dot[k];
        }
        assert_true(fabs(sum - bias[i]) < 1e-11 * (1.0 + fabs(bias[i])));
    }
}

static void check_forces(bench *b)
{
    const int n = b->n;
    double M[SQUARE], S[SQUARE], bias[MOST], vdot[MOST], again[MOST], T[MOST], given[MOST] = { 0 };
    OK(soa_system_forward_dynamics(b->system, b->T, NULL, vdot, NULL, NULL));
    OK(soa_system_mass_matrix(b->system, M, NULL));
    OK(soa_system_bias_force(b->system, bias, NULL));
    soa_system_motion(b->system, S);
    const double *Q = soa_system_joint_forces(b->system);
    for (int i = 0; i < n; i++) { /* mass vdot_i + bias = S* (T + Q) */
        double left = bias[i], right = 0.0;
        for (int k = 0; k < n; k++) {
            left += M[i * n + k] * vdot[b->independent[k]];
        }
        for (int k = 0; k < b->nv; k++) {
            right += S[k * n + i] * (b->T[k] + Q[k]);
        }
        assert_true(fabs(left - right) < 1e-9 * (1.0 + fabs(left) + fabs(bias[i])));
    }
    OK(soa_system_acceleration(b->system, vdot, again, NULL));
    NEAR(b->nv, again, vdot, 1e-9);
    for (int i = 0; i < n; i++) {
        given[b->independent[i]] = vdot[b->independent[i]];
    }
    OK(soa_system_inverse_dynamics(b->system, given, NULL, NULL, T, NULL));
    for (int i = 0; i < soa_model_couplings(b->model); i++) {
        const int body = soa_model_link_body(b->model, soa_model_coupling(b->model, i)->link, NULL);
        assert_true(fabs(T[soa_model_body(b->model, body).v]) < 1e-9);
    }
    OK(soa_system_forward_dynamics(b->system, T, NULL, again, NULL, NULL));
    NEAR(b->nv, again, vdot, 1e-8);
}

static void check_jacobian(bench *b)
{
    const soa_point point = { soa_model_links(b->model) - 1, soa_pose_identity() };
    double J[6 * MOST], slope[3 * MOST] = { 0 }, linear[3 * MOST], pose[12];
    for (int j = 0; j < b->n; j++) {
        double direction[MOST] = { 0 }, q[MOST];
        direction[j] = 1.0;
        for (int k = 0; k < 4; k++) {
            moved(b, direction, WHERE[k] * STEP, q);
            OK(soa_point_kinematics(b->model, b->workspace, 1, &point, 1, q, NULL, NULL, pose, NULL, NULL, NULL));
            for (int i = 0; i < 3; i++) {
                slope[i * b->n + j] += WEIGHT[k] * pose[9 + i] / (12.0 * STEP);
            }
        }
    }
    OK(soa_system_jacobian(b->system, 1, &point, J, NULL));
    memcpy(linear, J + 3 * b->n, sizeof(double) * (size_t)(3 * b->n));
    NEAR(3 * b->n, linear, slope, 1e-8);
}

/* Accelerations of all joints at x + dx, x_dot + dv under T. */
static void accelerations(const bench *b, const double *dx, const double *dv, const double *T, double *vdot)
{
    double q[MOST], given[MOST] = { 0 };
    moved(b, dx, 1.0, q);
    for (int j = 0; j < b->n; j++) {
        given[b->independent[j]] = b->x_dot[j] + dv[j];
    }
    OK(soa_system_set(b->system, q, given, NULL));
    OK(soa_system_forward_dynamics(b->system, T, NULL, vdot, NULL, NULL));
}

/* Rows of vdot in the outputs C x + D u against slopes, those of dq and dv against S; A and B repeat rows of C and D. */
static void check_linear(bench *b)
{
    const int n = b->n, nv = b->nv;
    double A[4 * SQUARE], B[2 * SQUARE], C[6 * SQUARE], D[3 * SQUARE], S[SQUARE], given[MOST] = { 0 };
    for (int j = 0; j < n; j++) {
        given[b->independent[j]] = b->x_dot[j];
    }
    soa_system_motion(b->system, S);
    OK(soa_system_minimal_model(b->system, b->T, NULL, A, B, C, D, NULL));
    for (int j = 0; j < 2 * n + nv; j++) {
        double slope[MOST] = { 0 }, own[MOST], to[MOST];
        for (int k = 0; k < 4; k++) {
            double dx[MOST] = { 0 }, dv[MOST] = { 0 }, T[MOST];
            memcpy(T, b->T, sizeof T);
            *(j < n ? &dx[j] : j < 2 * n ? &dv[j - n] : &T[j - 2 * n]) += WHERE[k] * STEP;
            accelerations(b, dx, dv, T, to);
            for (int i = 0; i < nv; i++) {
                slope[i] += WEIGHT[k] * to[i] / (12.0 * STEP);
            }
        }
        const double *column = j < 2 * n ? C + j : D + j - 2 * n;
        const int width = j < 2 * n ? 2 * n : nv;
        for (int i = 0; i < nv; i++) {
            own[i] = column[(2 * nv + i) * width];
            assert_true(fabs(column[i * width] - (j < n ? S[i * n + j] : 0.0)) < 1e-12);
            assert_true(j < n || fabs(column[(nv + i) * width] - (j < 2 * n ? S[i * n + j - n] : 0.0)) < 1e-12);
        }
        NEAR(nv, own, slope, FINE);
        for (int i = 0; i < 2 * n; i++) {
            const double *row = j < 2 * n ? A + i * width + j : B + i * width + j - 2 * n;
            assert_true(i < n ? fabs(*row - (j == n + i)) < 1e-9 : *row == own[b->independent[i - n]]);
        }
    }
    OK(soa_system_set(b->system, b->q, given, NULL));
}

static void check_force_derivatives(bench *b)
{
    const int n = b->n;
    double dq[SQUARE], dv[SQUARE], x_ddot[MOST], given[MOST] = { 0 };
    for (int j = 0; j < n; j++) {
        given[b->independent[j]] = x_ddot[j] = 0.5 - 0.3 * j;
    }
    OK(soa_system_inverse_dynamics_derivatives(b->system, given, dq, dv, NULL));
    for (int j = 0; j < n; j++) {
        double by_q[MOST] = { 0 }, by_v[MOST] = { 0 }, own_q[MOST], own_v[MOST], F[MOST];
        for (int k = 0; k < 4; k++) {
            double direction[MOST] = { 0 }, x_dot[MOST], q[MOST];
            const double h = 20.0 * STEP;
            direction[j] = 1.0;
            moved(b, direction, WHERE[k] * h, q);
            reduced_forces(b, q, b->x_dot, x_ddot, true, F);
            memcpy(x_dot, b->x_dot, sizeof x_dot);
            x_dot[j] += WHERE[k] * h;
            for (int i = 0; i < n; i++) {
                by_q[i] += WEIGHT[k] * F[i] / (12.0 * h);
            }
            reduced_forces(b, b->q, x_dot, x_ddot, true, F);
            for (int i = 0; i < n; i++) {
                by_v[i] += WEIGHT[k] * F[i] / (12.0 * h);
            }
        }
        for (int i = 0; i < n; i++) {
            own_q[i] = dq[i * n + j];
            own_v[i] = dv[i * n + j];
        }
        NEAR(n, own_q, by_q, 1e-4);
        NEAR(n, own_v, by_v, 1e-4);
    }
}

static soa_model *(*const MODEL[])(void) = { gripper, hand, telescope, linkage, worm };
static const int DOFS[] = { 3, 3, 2, 2, 2 }, FIRST[] = { 0, 0, 0, 0, 1 }; /* FIRST: independent velocity */

static void all_quantities_follow_the_reduction(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof MODEL / sizeof MODEL[0]; i++) {
        for (unsigned long long seed = 1; seed <= 2; seed++) {
            bench b = bench_of(MODEL[i](), seed);
            assert_int_equal(b.n, DOFS[i]);
            assert_int_equal(b.independent[0], FIRST[i]); /* near the base, but where it follows */
            check_motion(&b);
            check_equations(&b);
            check_symbols(&b);
            check_forces(&b);
            check_jacobian(&b);
            check_linear(&b);
            check_force_derivatives(&b);
            bench_free(&b);
        }
    }
}

/* Springs, damping and friction that the joints describe act in everything that has forces. */
static void forces_of_joints_act(void **state)
{
    (void)state;
    sprung = true;
    for (size_t i = 0; i < sizeof MODEL / sizeof MODEL[0]; i++) {
        bench b = bench_of(MODEL[i](), 1);
        check_equations(&b);
        check_forces(&b);
        check_symbols(&b);
        check_linear(&b);
        check_force_derivatives(&b);
        for (int e = 0; e < soa_forces_count(soa_system_forces(b.system)); e++) {
            OK(soa_forces_enable(soa_system_forces(b.system), e, false, NULL));
        }
        OK(soa_system_set(b.system, b.q, b.v, NULL));
        for (int k = 0; k < b.nv; k++) {
            assert_true(soa_system_joint_forces(b.system)[k] == 0.0);
        }
        bench_free(&b);
    }
    sprung = false;
}

/* Without couplings and closures the system is the tree. */
static void a_tree_is_itself(void **state)
{
    (void)state;
    soa_model *model = NULL;
    soa_workspace *workspace;
    soa_system *system;
    double q[7], v[7], C[7], own[7], M[49], own_mass[49];
    unsigned long long seed = 3;
    OK(soa_model_builtin("arm7", NULL, &model, NULL));
    OK(soa_workspace_new(model, NULL, &workspace, NULL));
    OK(soa_system_new(model, NULL, &system, NULL));
    soa_random_configuration(model, &seed, q);
    for (int i = 0; i < 7; i++) {
        v[i] = soa_model_random_number(&seed);
    }
    OK(soa_system_set(system, q, v, NULL));
    assert_int_equal(soa_system_dofs(system), 7);
    OK(soa_mass_matrix(model, workspace, 1, q, M, NULL));
    OK(soa_system_mass_matrix(system, own_mass, NULL));
    NEAR(49, own_mass, M, 1e-14);
    OK(soa_mass_inverse(model, workspace, 1, q, M, NULL));
    OK(soa_system_mass_inverse(system, own_mass, NULL));
    NEAR(49, own_mass, M, 1e-12);
    OK(soa_bias_force(model, workspace, 1, q, v, C, NULL));
    OK(soa_system_bias_force(system, own, NULL));
    NEAR(7, own, C, 1e-14);
    soa_system_free(system);
    soa_workspace_free(workspace);
    soa_model_free(model);
}

/* Links without inertia that follow others: forward dynamics by the reduced equations, and the force of the coupling, which is all
 * that acts on the follower beside T. */
static void followers_may_be_light(void **state)
{
    (void)state;
    for (int follower = 0; follower < 3; follower += 2) {
        bench b = bench_of(with_light_finger(follower == 0), 1);
        double vdot[MOST], force[MOST];
        assert_int_equal(
            soa_forward_dynamics(b.model, b.workspace, 1, b.q, b.v, b.T, NULL, vdot, NULL), SOA_E_SINGULAR);
        assert_false(is_independent(&b, follower));
        check_motion(&b);
        check_equations(&b);
        check_symbols(&b);
        check_forces(&b);
        check_jacobian(&b);
        check_linear(&b);
        check_force_derivatives(&b);
        OK(soa_system_set(b.system, b.q, b.v, NULL));
        OK(soa_system_forward_dynamics(b.system, b.T, NULL, vdot, NULL, NULL));
        OK(soa_inverse_dynamics(b.model, b.workspace, 1, b.q, b.v, vdot, NULL, force, NULL));
        NEAR(1, soa_closure_multipliers(soa_system_closures(b.system)), &(double){ force[follower] - b.T[follower] },
            1e-9);
        bench_free(&b);
    }
}

/* Link and velocity of an arm and of its finger: the first finger stands on the world, before its arm. */
static int arm_of(int k)
{
    return k == 0 ? 1 : 2 * k;
}

static int finger_of(int k)
{
    return k == 0 ? 0 : 2 * k + 1;
}

/* A chain of arms, each with a finger that follows it; the fingers weigh so much each. */
static soa_model *many_fingers(int arms, double mass)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model = NULL;
    for (int i = 0; i < 2 * arms; i++) {
        const int k = i / 2;
        const bool finger = i == finger_of(k);
        char name[24];
        snprintf(name, sizeof name, "%s%d", finger ? "finger" : "arm", k);
        soa_link link = soa_link_default(name, k == 0 ? SOA_WORLD : arm_of(finger ? k : k - 1), SOA_REVOLUTE);
        link.joint.at.position[finger ? 1 : 0] = finger ? 0.2 : 0.1;
        link.inertia = finger ? (soa_inertia){ mass, { 0 }, { mass, 0.0, 0.0, mass, 0.0, mass } }
                              : (soa_inertia){ 1.0, { 0.05, 0.01, 0.0 }, { 0.1, 0.0, 0.0, 0.1, 0.0, 0.1 } };
        OK(soa_builder_add_link(b, &link, NULL, NULL));
    }
    for (int k = 0; k < arms; k++) {
        couple(b, finger_of(k), arm_of(k), 0.0, 2.0, 0.0, 0.0);
    }
    OK(soa_builder_finish(b, &model, NULL));
    soa_builder_free(b);
    return model;
}

/* So many light followers that no dense matrix of their rows is made: they move as followers that weigh next to nothing, and nothing
 * but the coupling holds them against T. */
static void many_followers_may_be_light(void **state)
{
    (void)state;
    enum { ARMS = 230, NV = 2 * ARMS };
    static double q[NV], v[NV], T[NV], vdot[2][NV], multiplier[2][ARMS];
    unsigned long long seed = 9;
    for (int k = 0; k < ARMS; k++) {
        const int arm = arm_of(k), finger = finger_of(k);
        q[arm] = 0.1 * soa_model_random_number(&seed), v[arm] = 0.1 * soa_model_random_number(&seed);
        q[finger] = 2.0 * q[arm], v[finger] = 2.0 * v[arm];
        T[arm] = soa_model_random_number(&seed), T[finger] = soa_model_random_number(&seed);
    }
    for (int i = 0; i < 2; i++) {
        soa_model *model = many_fingers(ARMS, i == 0 ? 0.0 : 1e-9);
        soa_system *s = NULL;
        OK(soa_system_new(model, NULL, &s, NULL));
        OK(soa_system_set(s, q, v, NULL));
        OK(soa_system_forward_dynamics(s, T, NULL, vdot[i], NULL, NULL));
        memcpy(multiplier[i], soa_closure_multipliers(soa_system_closures(s)), sizeof multiplier[i]);
        soa_system_free(s);
        soa_model_free(model);
    }
    NEAR(NV, vdot[0], vdot[1], 1e-5);
    NEAR(ARMS, multiplier[0], multiplier[1], 1e-5);
    for (int k = 0; k < ARMS; k++) {
        NEAR(1, &multiplier[0][k], &(double){ -T[finger_of(k)] }, 1e-9);
    }
}

/* A motion without inertia is refused where it is to be accelerated, and the joint is named; it does not stand in the way of
 * positions. */
static void massless_motions_are_named(void **state)
{
    (void)state;
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model = NULL;
    const int arm = add_link(b, "arm", SOA_WORLD, SOA_REVOLUTE, 2, (double[3]){ 0, 0, 0.2 });
    soa_link thumb = soa_link_default("thumb", arm, SOA_REVOLUTE),
             finger = soa_link_default("finger", arm, SOA_REVOLUTE);
    int index[2];
    finger.joint.name = "bend";
    finger.joint.damping = 0.1;
    OK(soa_builder_add_link(b, &thumb, &index[0], NULL));
    OK(soa_builder_add_link(b, &finger, &index[1], NULL));
    couple(b, index[0], index[1], 0.1, 2.0, 0.0, 0.0); /* the thumb follows the finger */
    OK(soa_builder_finish(b, &model, NULL));
    soa_builder_free(b);
    soa_system *s = NULL;
    soa_error error;
    double q[3] = { 0.3, 0.0, 0.2 }, v[3] = { 1.0, 0.0, 0.5 }, x[36], y[18];
    OK(soa_system_new(model, NULL, &s, NULL));
    OK(soa_closure_project(soa_system_closures(s), SOA_METRIC_MASS, 0.0, 1, q, v, NULL, NULL));
    assert_true(fabs(q[1] - (0.1 + 2.0 * q[2])) < 1e-12 && fabs(v[1] - 2.0 * v[2]) < 1e-12);
    OK(soa_system_set(s, q, v, NULL));
    OK(soa_system_mass_matrix(s, x, NULL));
    assert_true(x[0] > 0.0 && x[3] == 0.0);
    OK(soa_system_inverse_dynamics(s, NULL, NULL, NULL, x, NULL));
    assert_int_equal(soa_system_forward_dynamics(s, NULL, NULL, x, NULL, &error), SOA_E_SINGULAR);
    assert_non_null(strstr(error.text, "joint 'bend'"));
    assert_int_equal(soa_system_mass_inverse(s, x, &error), SOA_E_SINGULAR);
    assert_non_null(strstr(error.text, "joint 'bend'"));
    assert_int_equal(soa_system_minimal_model(s, NULL, NULL, x, x + 16, NULL, NULL, &error), SOA_E_SINGULAR);
    assert_non_null(strstr(error.text, "joint 'bend'"));
    assert_int_equal(soa_system_linear_model(s, NULL, NULL, x, y, NULL, NULL, &error), SOA_E_SINGULAR);
    soa_system_free(s);
    soa_model_free(model);
}

/* Six legs under a platform, 18 rows that depend on each other's joints: J v = 0 and J vdot + dJ/dt v = 0. */
static void many_rows_are_kept(void **state)
{
    (void)state;
    enum { NV = 24, NROWS = 18 };
    soa_model *model = NULL;
    soa_system *s = NULL;
    double q[NV + 1], v[NV], vdot[NV], all[NV], row[NROWS], J[NROWS * NV], bias[NROWS], inverse[36], mass[36];
    unsigned long long seed = 2;
    OK(soa_model_builtin("hexapod", NULL, &model, NULL));
    OK(soa_system_new(model, NULL, &s, NULL));
    soa_closures *set = soa_system_closures(s);
    soa_model_neutral(model, q);
    for (int i = 0; i < NV; i++) {
        v[i] = soa_model_random_number(&seed);
        vdot[i] = soa_model_random_number(&seed);
    }
    soa_integrate(model, q, v, 0.05, q);
    OK(soa_closure_project(set, SOA_METRIC_MASS, 0.0, 1, q, NULL, NULL, NULL));
    OK(soa_system_set(s, q, v, NULL));
    assert_int_equal(soa_system_dofs(s), 6);
    OK(soa_closure_violation(set, 1, q, soa_system_velocity(s), NULL, row, NULL));
    OK(soa_system_acceleration(s, vdot, all, NULL));
    OK(soa_closure_jacobian(set, 1, q, J, NULL));
    OK(soa_closure_bias(set, 1, q, soa_system_velocity(s), bias, NULL));
    for (int k = 0; k < NROWS; k++) {
        double sum = bias[k];
        for (int i = 0; i < NV; i++) {
            sum += J[k * NV + i] * all[i];
        }
        assert_true(fabs(row[k]) < 1e-12 && fabs(sum) < 1e-12);
    }
    for (int i = 0; i < 6; i++) {
        const int own = soa_system_independent(s)[i];
        assert_true(soa_system_velocity(s)[own] == v[own] && all[own] == vdot[own]);
    }
    OK(soa_system_mass_matrix(s, mass, NULL));
    OK(soa_system_mass_inverse(s, inverse, NULL));
    for (int i = 0; i < 36; i++) {
        double sum = i % 7 == 0 ? -1.0 : 0.0;
        for (int k = 0; k < 6; k++) {
            sum += mass[i / 6 * 6 + k] * inverse[6 * k + i % 6];
        }
        assert_true(fabs(sum) < 1e-10);
    }
    soa_system_free(s);
    soa_model_free(model);
}

/* Where nothing can move there is nothing to compute, and results may be missing. */
static void systems_without_motion(void **state)
{
    (void)state;
    for (int nv = 0; nv < 2; nv++) {
        soa_builder *b = soa_builder_new(NULL);
        soa_system *s = NULL;
        (void)add_link(b, "held", SOA_WORLD, nv == 0 ? SOA_FIXED : SOA_REVOLUTE, 0, (double[3]){ 0 });
        if (nv == 1) {
            couple(b, 0, -1, 0.3, 0.0, 0.0, 0.0);
        }
        soa_model *model = finish(b);
        const double q[1] = { 0.3 };
        double x[1] = { NAN };
        OK(soa_system_new(model, NULL, &s, NULL));
        OK(soa_system_set(s, q, NULL, NULL));
        assert_int_equal(soa_system_dofs(s), 0);
        OK(soa_system_mass_matrix(s, NULL, NULL));
        OK(soa_system_mass_inverse(s, NULL, NULL));
        OK(soa_system_bias_force(s, NULL, NULL));
        OK(soa_system_gravity_force(s, NULL, NULL));
        OK(soa_system_coriolis_matrix(s, NULL, NULL));
        OK(soa_system_christoffel(s, NULL, NULL));
        OK(soa_system_mass_derivatives(s, NULL, NULL));
        OK(soa_system_jacobian(s, 0, NULL, NULL, NULL));
        OK(soa_system_acceleration(s, NULL, nv == 0 ? NULL : x, NULL));
        OK(soa_system_forward_dynamics(s, NULL, NULL, nv == 0 ? NULL : x, NULL, NULL));
        assert_true(nv == 0 || fabs(x[0]) < 1e-14);
        soa_system_free(s);
        soa_model_free(model);
    }
}

/* Closures whose rows are nothing but rounding take no velocity: links that turn about parallel axes stay in their plane. */
static void closures_may_say_nothing(void **state)
{
    (void)state;
    unsigned long long seed = 4;
    double largest = 0.0;
    for (int trial = 0; trial < 10; trial++) {
        soa_builder *b = soa_builder_new(NULL);
        soa_system *s = NULL;
        double turn[4], J[2], mass[4], own[4];
        for (int i = 0; i < 4; i++) {
            turn[i] = soa_model_random_number(&seed);
        }
        const soa_pose tilted = soa_pose_from_quaternion((double[3]){ 0.1, 0.2, 0.3 }, turn);
        for (int i = 0; i < 2; i++) {
            soa_link link = soa_link_default(i == 0 ? "near" : "far", i - 1, SOA_REVOLUTE);
            link.joint.at = i == 0 ? tilted : soa_pose_identity();
            link.joint.at.position[0] += 0.7 * i;
            link.inertia = (soa_inertia){ 1.0, { 0.3, -0.1, 0.2 }, { 0.31, 0.01, -0.02, 0.32, 0.015, 0.23 } };
            OK(soa_builder_add_link(b, &link, NULL, NULL));
        }
        soa_closure c = soa_closure_default("plane", SOA_CLOSE_PLANE, 1, SOA_WORLD);
        c.at_b = tilted;
        OK(soa_builder_add_closure(b, &c, NULL, NULL));
        soa_model *model = finish(b);
        const double q[2] = { 0.4, -0.9 };
        OK(soa_system_new(model, NULL, &s, NULL));
        OK(soa_system_set(s, q, NULL, NULL));
        OK(soa_closure_jacobian(soa_system_closures(s), 1, q, J, NULL));
        largest = fmax(largest, fmax(fabs(J[0]), fabs(J[1])));
        assert_int_equal(soa_system_dofs(s), 2);
        OK(soa_system_mass_matrix(s, own, NULL));
        soa_workspace *w = NULL;
        OK(soa_workspace_new(model, NULL, &w, NULL));
        OK(soa_mass_matrix(model, w, 1, q, mass, NULL));
        NEAR(4, own, mass, 1e-14);
        soa_workspace_free(w);
        soa_system_free(s);
        soa_model_free(model);
    }
    assert_true(largest > 0.0 && largest < 1e-14); /* rounding, and not zero by itself */
}

/* What is to be independent is so, where it can be. */
static void preferred_velocities_are_independent(void **state)
{
    (void)state;
    bench b = bench_of(linkage(), 1);
    double mass[SQUARE], S[SQUARE], other[SQUARE], before[SQUARE];
    soa_system_motion(b.system, before);
    OK(soa_system_mass_matrix(b.system, mass, NULL));
    const bool rocker[MOST] = { [2] = true, [3] = true }; /* the arm follows the crank: it cannot */
    soa_system_prefer(b.system, rocker);
    OK(soa_system_set(b.system, b.q, b.v, NULL));
    assert_int_equal(soa_system_dofs(b.system), 2);
    assert_int_equal(soa_system_independent(b.system)[0], 2);
    assert_int_equal(soa_system_independent(b.system)[1], 4);
    soa_system_motion(b.system, S);
    NEAR(1, &S[0], &(double){ 1.0 / before[2 * 2] }, 1e-10);
    NEAR(b.nv, soa_system_velocity(b.system), b.v, 1e-7);
    OK(soa_system_mass_matrix(b.system, other, NULL)); /* the same energy */
    NEAR(1, &other[0], &(double){ mass[0] * S[0] * S[0] }, 1e-10);
    bench_free(&b);
}

/* Another unit of mass changes forces and not motions, also where links have none. */
static void units_of_mass_do_not_matter(void **state)
{
    (void)state;
    static const double UNIT[] = { 1.0, 1e-40, 1e30 };
    soa_model *(*const make[])(void) = { gripper, light_gripper, light_first, hand, telescope, worm, linkage };
    for (size_t i = 0; i < sizeof make / sizeof *make; i++) {
        double vdot[2][MOST], A[2][4 * SQUARE], B[2][2 * SQUARE], mass[2][SQUARE];
        for (int k = 0; k < 3; k++) {
            const int at = k > 0;
            unit_of_mass = UNIT[k];
            bench b = bench_of(make[i](), 1);
            const int n = b.n, nv = b.nv;
            for (int j = 0; j < nv; j++) {
                b.T[j] *= UNIT[k];
            }
            OK(soa_system_forward_dynamics(b.system, b.T, NULL, vdot[at], NULL, NULL));
            OK(soa_system_linear_model(b.system, b.T, NULL, A[at], B[at], NULL, NULL, NULL));
            OK(soa_system_mass_matrix(b.system, mass[at], NULL));
            for (int j = 0; j < 2 * nv * nv; j++) {
                B[at][j] *= UNIT[k];
            }
            for (int j = 0; j < n * n; j++) {
                mass[at][j] /= UNIT[k];
            }
            if (k > 0) {
                NEAR(nv, vdot[1], vdot[0], 1e-8);
                NEAR(4 * nv * nv, A[1], A[0], 1e-8);
                NEAR(2 * nv * nv, B[1], B[0], 1e-8);
                NEAR(n * n, mass[1], mass[0], 1e-8);
            }
            bench_free(&b);
        }
    }
    unit_of_mass = 1.0;
}

/* Two sliders in a plane that is nearly across the first: the first follows the second, unless it is to be independent. Each can be
 * the steep one. */
static void each_velocity_may_be_preferred(void **state)
{
    (void)state;
    for (int steep = 0; steep < 2; steep++) {
        soa_builder *b = soa_builder_new(NULL);
        soa_system *s = NULL;
        const int one = add_link(b, "one", SOA_WORLD, SOA_PRISMATIC, 0, (double[3]){ 0 });
        const int two = add_link(b, "two", one, SOA_PRISMATIC, 1, (double[3]){ 0 });
        soa_closure c = soa_closure_default("plane", SOA_CLOSE_PLANE, two, SOA_WORLD);
        const double part[2] = { steep == 0 ? 1.0 : 0.02, steep == 0 ? 0.02 : 1.0 }; /* of the normal */
        c.at_b = soa_pose_from_axis_angle((double[3]){ 0 },
            (double[3]){ -part[1] / hypot(part[0], part[1]), part[0] / hypot(part[0], part[1]), 0.0 },
            1.5707963267948966);
        OK(soa_builder_add_closure(b, &c, NULL, NULL));
        soa_model *model = finish(b);
        const double q[2] = { 0.0, 0.0 };
        OK(soa_system_new(model, NULL, &s, NULL));
        for (int turn = 0; turn < 2; turn++) {
            const bool wanted[2] = { turn == 1 && steep == 0, turn == 1 && steep == 1 };
            soa_system_prefer(s, wanted);
            OK(soa_system_set(s, q, NULL, NULL));
            assert_int_equal(soa_system_dofs(s), 1);
            assert_int_equal(soa_system_independent(s)[0], turn == 0 ? 1 - steep : steep);
        }
        soa_system_prefer(s, NULL); /* nothing is preferred any more */
        OK(soa_system_set(s, q, NULL, NULL));
        assert_int_equal(soa_system_independent(s)[0], 1 - steep);
        soa_system_free(s);
        soa_model_free(model);
    }
}

static void large_models_are_refused(void **state)
{
    (void)state;
    soa_model *model = NULL;
    soa_system *system;
    soa_error error;
    OK(soa_model_builtin("chain:3000", NULL, &model, NULL));
    assert_int_equal(soa_system_new(model, NULL, &system, &error), SOA_E_LIMIT);
    assert_null(system);
    soa_model_free(model);
}

static void memory_may_fail(void **state)
{
    (void)state;
    soa_model *model = linkage();
    int fails = 0;
    for (;; fails++) {
        counting c;
        const soa_allocator allocator = counting_lack(&c, fails);
        soa_system *system;
        const soa_status status = soa_system_new(model, &allocator, &system, NULL);
        assert_int_equal(status == SOA_OK, c.refused == 0);
        soa_system_free(system);
        assert_int_equal(c.open, 0);
        if (status == SOA_OK) {
            break;
        }
        assert_int_equal(status, SOA_E_MEMORY);
    }
    assert_true(fails > 3);
    soa_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_quantities_follow_the_reduction),
        cmocka_unit_test(forces_of_joints_act),
        cmocka_unit_test(a_tree_is_itself),
        cmocka_unit_test(followers_may_be_light),
        cmocka_unit_test(many_followers_may_be_light),
        cmocka_unit_test(massless_motions_are_named),
        cmocka_unit_test(many_rows_are_kept),
        cmocka_unit_test(systems_without_motion),
        cmocka_unit_test(closures_may_say_nothing),
        cmocka_unit_test(preferred_velocities_are_independent),
        cmocka_unit_test(units_of_mass_do_not_matter),
        cmocka_unit_test(each_velocity_may_be_preferred),
        cmocka_unit_test(large_models_are_refused),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
