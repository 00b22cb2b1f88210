/* What every function refuses, what it says, and that other states are not touched. */
#include "dynamics/calls.h"

enum { STATES = 11, BAD = 6 };

/* The state BAD is NaN in every output, all others have the bits of the clean run. */
static void check_spoiled(const api_call *call, const outputs *out, const outputs *clean)
{
    same_outputs(call, out, clean, 0, BAD);
    same_outputs(call, out, clean, BAD + 1, STATES - BAD - 1);
    for (int i = 0; i < OUTPUTS; i++) {
        for (int j = 0; j < out->size[i]; j++) {
            assert_true(isnan(out->y[i][BAD * out->size[i] + j]));
        }
    }
}

/* Calls that report at the third of three outputs alone stop at the first failure. */
static bool stops(const api_call *call)
{
    return call->run == run_jacobian || call->run == run_jacobian_rate;
}

static void check_refused(
    kit *k, const batch *b, const api_call *call, const outputs *clean, soa_status status, int body, const char *word)
{
    for (int lanes = 1; lanes <= 8; lanes *= 2) {
        if (soa_workspace_set_lanes(k->w, lanes, NULL) != SOA_OK) {
            continue;
        }
        outputs out = outputs_of(call, b);
        soa_error_clear(&k->error);
        const soa_status got = run_states(call, b, k->w, 0, STATES, &out, &k->error);
        if (got != status || k->error.state != BAD || (body >= 0 && k->error.body != body) ||
            !strstr(k->error.text, word) || k->error.status != got) {
            print_error("%s: status %d, state %d, body %d: %s; expected status %d, body %d, '%s'\n", call->name,
                (int)got, k->error.state, k->error.body, k->error.text, (int)status, body, word);
            fail();
        }
        assert_int_equal(run_states(call, b, k->w, 0, STATES, &out, NULL), status);
        if (!stops(call)) {
            check_spoiled(call, &out, clean);
        }
        outputs_free(&out);
    }
}

/* One number of one state is bad; the calls that read it refuse, the others do not care. */
static void spoil_number(kit *k, batch *b, double *x, int reads, int body, const char *word)
{
    const double bad[] = { NAN, INFINITY, -INFINITY };
    for (int c = 0; c < API_CALLS; c++) {
        if ((CALLS[c].reads & reads) != reads || CALLS[c].run == run_lambda) {
            continue;
        }
        outputs clean = outputs_of(&CALLS[c], b);
        OK(k, run_states(&CALLS[c], b, k->w, 0, STATES, &clean, &k->error));
        for (int i = 0; i < 3; i++) {
            const double good = *x;
            *x = bad[i];
            check_refused(k, b, &CALLS[c], &clean, SOA_E_NUMBER, body, word);
            *x = good;
        }
        outputs_free(&clean);
    }
}

static void numbers_that_are_none(void **state)
{
    (void)state;
    kit k = kit_open("tree:14,3", 9);
    batch b = batch_of(&k, STATES);
    const int body = 7;
    const soa_body at = soa_model_body(k.m, body);
    const char *name = soa_model_link(k.m, at.link)->name;
    for (int i = 0; i < k.nv; i++) {
        b.prescribed[i] = i == at.v;
    }
    for (int i = 0; i < at.nv; i++) {
        b.prescribed[at.v + i] = true;
    }
    spoil_number(&k, &b, &b.q[BAD * k.nq + at.q + at.nq - 1], 0, body, name);
    spoil_number(&k, &b, &b.v[BAD * k.nv + at.v], READS_V, body, name);
    spoil_number(&k, &b, &b.a[BAD * k.nv + at.v], READS_A, body, "vdot");
    spoil_number(&k, &b, &b.f[BAD * 6 * k.bodies + 6 * body + 4], READS_F, body, "f[46]");
    spoil_number(&k, &b, &b.g[BAD * 6 * POINTS + 1], READS_G, -1, "point");
    memset(b.prescribed, 0, (size_t)k.nv * sizeof *b.prescribed);
    spoil_number(&k, &b, &b.T[BAD * k.nv + at.v], READS_T, body, name);
    batch_free(&b);
    kit_close(&k);
}

static void quaternions_of_another_length(void **state)
{
    (void)state;
    kit k = kit_open("tree:14,3", 9);
    batch b = batch_of(&k, STATES);
    int body = 0;
    while (soa_model_body(k.m, body).kind != SOA_SPHERICAL) {
        body++;
    }
    double *q = b.q + BAD * k.nq + soa_model_body(k.m, body).q;
    for (int c = 0; c < API_CALLS; c++) {
        if (CALLS[c].run == run_lambda) {
            continue;
        }
        outputs clean = outputs_of(&CALLS[c], &b);
        OK(&k, run_states(&CALLS[c], &b, k.w, 0, STATES, &clean, &k.error));
        for (int i = 0; i < 4; i++) {
            q[i] *= 1.0 + 1e-5;
        }
        check_refused(&k, &b, &CALLS[c], &clean, SOA_E_CONFIGURATION, body, "quaternion");
        for (int i = 0; i < 4; i++) {
            q[i] /= 1.0 + 1e-5;
        }
        q[0] = q[0] < 0.0 ? -sqrt(1.0 - q[1] * q[1] - q[2] * q[2] - q[3] * q[3])
                          : sqrt(1.0 - q[1] * q[1] - q[2] * q[2] - q[3] * q[3]);
        outputs_free(&clean);
    }
    batch_free(&b);
    kit_close(&k);
}

/* ---- singular ------------------------------------------------------------------------------------- */

/* A point mass at the end of two turns about z and y: singular where the first turn's axis goes through it. */
static soa_model *gimbal(void)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model;
    soa_error error;
    soa_link yaw = soa_link_default("yaw", SOA_WORLD, SOA_REVOLUTE), pitch = soa_link_default("pitch", 0, SOA_REVOLUTE);
    pitch.joint.axis[1] = 1.0;
    pitch.joint.axis[2] = 0.0;
    pitch.inertia = (soa_inertia){ .mass = 1.0, .com = { 0.0, 0.0, 1.0 } };
    ok_at(__FILE__, __LINE__, soa_builder_add_link(b, &yaw, NULL, &error), &error);
    ok_at(__FILE__, __LINE__, soa_builder_add_link(b, &pitch, NULL, &error), &error);
    ok_at(__FILE__, __LINE__, soa_builder_finish(b, &model, &error), &error);
    soa_builder_free(b);
    return model;
}

/* Some states of a batch cannot be solved. */
static void singular_states(void **state)
{
    (void)state;
    kit k = kit_of(gimbal(), 4);
    batch b = batch_of(&k, STATES);
    for (int s = 0; s < STATES; s++) {
        b.q[2 * s + 1] = 0.5 + 0.1 * s;
    }
    memset(b.prescribed, 0, 2 * sizeof *b.prescribed);
    for (int c = 0; c < API_CALLS; c++) {
        if (!(CALLS[c].reads & SOLVES) || CALLS[c].run == run_lambda) {
            continue;
        }
        outputs clean = outputs_of(&CALLS[c], &b);
        OK(&k, run_states(&CALLS[c], &b, k.w, 0, STATES, &clean, &k.error));
        b.q[2 * BAD + 1] = 0.0; /* upright */
        check_refused(&k, &b, &CALLS[c], &clean, SOA_E_SINGULAR, 0, "'yaw'");
        b.q[2 * BAD + 1] = 0.5 + 0.1 * BAD;
        outputs_free(&clean);
    }
    /* a singular state comes before one with a bad number, in the same lanes and not */
    double vdot[2 * STATES];
    for (int gap = 1; gap < STATES - 1; gap++) {
        b.q[2 + 1] = 0.0;
        b.q[2 * (1 + gap)] = NAN;
        assert_int_equal(soa_forward_dynamics(k.m, k.w, STATES, b.q, b.v, b.T, NULL, vdot, &k.error), SOA_E_SINGULAR);
        assert_int_equal(k.error.state, 1);
        b.q[2 + 1] = 0.6;
        assert_int_equal(soa_forward_dynamics(k.m, k.w, STATES, b.q, b.v, b.T, NULL, vdot, &k.error), SOA_E_NUMBER);
        assert_int_equal(k.error.state, 1 + gap);
        b.q[2 * (1 + gap)] = 0.3;
    }
    batch_free(&b);
    kit_close(&k);
}

static void massless_leaf(int link, soa_link *value)
{
    if (strcmp(value->name, "link5") == 0) {
        memset(&value->inertia, 0, sizeof value->inertia);
    }
    (void)link;
}

static void massless(int link, soa_link *value)
{
    memset(&value->inertia, 0, sizeof value->inertia);
    (void)link;
}

/* Nothing outboard has mass: every way to solve refuses and names the link; what needs no inverse works. */
static void bodies_without_mass(void **state)
{
    (void)state;
    kit k = kit_of(edited(builtin("chain:5"), massless_leaf), 3);
    double vdot[5], inverse[25], rate[6];
    for (int method = SOA_FD_FASTEST; method <= SOA_FD4; method++) {
        assert_int_equal(soa_forward_dynamics_by(k.m, k.w, (soa_method)method, 1, k.q, k.v, k.T, NULL, vdot, &k.error),
            SOA_E_SINGULAR);
        assert_int_equal(k.error.body, 4);
        assert_non_null(strstr(k.error.text, "'link5'"));
        assert_true(isnan(vdot[0]) && isnan(vdot[4]));
    }
    assert_int_equal(soa_mass_inverse(k.m, k.w, 1, k.q, inverse, &k.error), SOA_E_SINGULAR);
    OK(&k, soa_inverse_dynamics(k.m, k.w, 1, k.q, k.v, k.a, NULL, vdot, &k.error));
    OK(&k, soa_mass_matrix(k.m, k.w, 1, k.q, inverse, &k.error));
    kit_close(&k);
    k = kit_of(edited(builtin("chain:5"), massless), 3);
    double momentum[12], A[30];
    assert_int_equal(soa_momentum(k.m, k.w, 1, k.q, k.v, momentum, rate, &k.error), SOA_E_SINGULAR);
    assert_int_equal(soa_centroidal_matrix(k.m, k.w, 1, k.q, A, &k.error), SOA_E_SINGULAR);
    kit_close(&k);
}

/* ---- arguments -------------------------------------------------------------------------------------- */

/* The outputs of a refused call stay as they were. */
static void check_untouched(const outputs *out, int states)
{
    for (int i = 0; i < OUTPUTS; i++) {
        for (int j = 0; j < states * out->size[i]; j++) {
            double ones;
            memset(&ones, 0xff, sizeof ones);
            assert_memory_equal(&out->y[i][j], &ones, sizeof ones);
        }
    }
}

static void wrong_workspace_and_states(void **state)
{
    (void)state;
    kit k = kit_open("arm7", 1), other = kit_open("arm7", 1);
    batch b = batch_of(&k, 2);
    for (int c = 0; c < API_CALLS; c++) {
        if (CALLS[c].run == run_hybrid) {
            continue; /* its outputs are inputs */
        }
        outputs out = outputs_of(&CALLS[c], &b);
        assert_int_equal(run_states(&CALLS[c], &b, other.w, 0, 1, &out, &k.error), SOA_E_ARGUMENT);
        assert_int_equal(k.error.status, SOA_E_ARGUMENT);
        assert_int_equal(run_states(&CALLS[c], &b, other.w, 0, 2, &out, NULL), SOA_E_ARGUMENT);
        assert_int_equal(run_states(&CALLS[c], &b, k.w, 0, -1, &out, &k.error), SOA_E_ARGUMENT);
        double *q = b.q;
        b.q = NULL;
        assert_int_equal(run_states(&CALLS[c], &b, k.w, 0, 1, &out, &k.error), SOA_E_ARGUMENT);
        b.q = q;
        OK(&k, run_states(&CALLS[c], &b, k.w, 0, 0, &out, &k.error));
        check_untouched(&out, 2);
        outputs_free(&out);
    }
    batch_free(&b);
    kit_close(&k);
    kit_close(&other);
}

static soa_status lambda_of(kit *k, int points, const soa_point *point, double *lambda, double *inertia)
{
    return soa_operational_inertia(k->m, k->w, points, point, 1, k->q, lambda, inertia, &k->error);
}

static void points_that_are_none(void **state)
{
    (void)state;
    kit k = kit_open("arm7", 1);
    soa_point point[6];
    static double y[3][36 * 36];
    random_points(&k, 6, point);
    assert_int_equal(lambda_of(&k, 5, point, y[0], y[1]), SOA_E_LIMIT);
    assert_non_null(strstr(k.error.text, "soa_workspace_reserve"));
    assert_int_equal(lambda_of(&k, -1, point, y[0], y[1]), SOA_E_ARGUMENT);
    assert_int_equal(lambda_of(&k, 1, NULL, y[0], y[1]), SOA_E_ARGUMENT);
    OK(&k, soa_workspace_reserve(k.w, 6, &k.error));
    OK(&k, lambda_of(&k, 6, point, y[0], NULL));
    point[1].link = k.links;
    assert_int_equal(lambda_of(&k, 2, point, y[0], y[1]), SOA_E_ARGUMENT);
    assert_non_null(strstr(k.error.text, "point 1"));
    point[1].link = -2;
    assert_int_equal(soa_jacobian(k.m, k.w, 2, point, SOA_AXES_BODY, 1, k.q, y[0], &k.error), SOA_E_ARGUMENT);
    point[1].link = 1;
    point[1].at.rotation[0][0] += 0.1;
    assert_int_equal(soa_point_correction(k.m, k.w, 2, point, 1, k.q, y[1], y[0], &k.error), SOA_E_ARGUMENT);
    point[1].at = soa_pose_identity();
    point[1].at.position[2] = NAN;
    assert_int_equal(
        soa_point_kinematics(k.m, k.w, 2, point, 1, k.q, NULL, NULL, y[0], NULL, NULL, &k.error), SOA_E_ARGUMENT);
    assert_int_equal(
        soa_point_kinematics(k.m, k.w, 0, NULL, 1, k.q, NULL, NULL, y[0], NULL, NULL, &k.error), SOA_E_ARGUMENT);
    point[1].at = soa_pose_identity();
    assert_int_equal(soa_jacobian(k.m, k.w, 2, point, (soa_axes)3, 1, k.q, y[0], &k.error), SOA_E_ARGUMENT);
    assert_int_equal(
        soa_operational_bias(k.m, k.w, 65, point, 1, k.q, k.v, y[0], y[1], y[2], &k.error), SOA_E_ARGUMENT);
    assert_int_equal(
        soa_operational_bias(k.m, k.w, -1, point, 1, k.q, k.v, y[0], y[1], y[2], &k.error), SOA_E_ARGUMENT);
    assert_int_equal(soa_point_correction(k.m, k.w, 2, point, 1, k.q, NULL, y[0], &k.error), SOA_E_ARGUMENT);
    kit_close(&k);
}

/* An inertia of NaNs, as soa_operational_inertia leaves for a singular state, is told and not passed on. */
static void inertia_that_is_none(void **state)
{
    (void)state;
    kit k = kit_open("arm7", 1);
    const soa_point tool = { k.links - 1, soa_pose_identity() };
    double q[14] = { 0 }, v[14] = { 0 }, lambda[72], inertia[72], coriolis[12], gravity[12];
    memcpy(q, k.q, 7 * sizeof *q);
    assert_int_equal(soa_operational_inertia(k.m, k.w, 1, &tool, 2, q, lambda, inertia, &k.error), SOA_E_SINGULAR);
    assert_int_equal(
        soa_operational_bias(k.m, k.w, 1, &tool, 2, q, v, inertia, coriolis, gravity, &k.error), SOA_E_SINGULAR);
    assert_int_equal(k.error.state, 1);
    for (int i = 0; i < 6; i++) {
        assert_true(isfinite(coriolis[i]) && isfinite(gravity[i]));
        assert_true(isnan(coriolis[6 + i]) && isnan(gravity[6 + i]));
    }
    kit_close(&k);
}

static void missing_arguments(void **state)
{
    (void)state;
    kit k = kit_open("humanoid", 1);
    bool *prescribed = calloc((size_t)k.nv, sizeof *prescribed);
    double *y = numbers(k.nv);
    assert_int_equal(
        soa_forward_dynamics_by(k.m, k.w, (soa_method)9, 1, k.q, k.v, k.T, NULL, y, &k.error), SOA_E_ARGUMENT);
    assert_int_equal(soa_mass_solve(k.m, k.w, 1, k.q, NULL, y, &k.error), SOA_E_ARGUMENT);
    assert_int_equal(soa_mass_multiply(k.m, k.w, 1, k.q, NULL, y, &k.error), SOA_E_ARGUMENT);
    assert_int_equal(soa_hybrid_dynamics(k.m, k.w, NULL, 1, k.q, k.v, NULL, k.T, y, &k.error), SOA_E_ARGUMENT);
    assert_int_equal(soa_hybrid_dynamics(k.m, k.w, prescribed, 1, k.q, k.v, NULL, NULL, y, &k.error), SOA_E_ARGUMENT);
    prescribed[2] = true; /* of the six of the free joint */
    assert_int_equal(soa_hybrid_dynamics(k.m, k.w, prescribed, 1, k.q, k.v, NULL, k.T, y, &k.error), SOA_E_ARGUMENT);
    assert_int_equal(k.error.body, 0);
    free(prescribed);
    free(y);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_are_none),
        cmocka_unit_test(quaternions_of_another_length),
        cmocka_unit_test(singular_states),
        cmocka_unit_test(bodies_without_mass),
        cmocka_unit_test(wrong_workspace_and_states),
        cmocka_unit_test(points_that_are_none),
        cmocka_unit_test(inertia_that_is_none),
        cmocka_unit_test(missing_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
