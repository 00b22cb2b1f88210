/* Systems with numbers that are not finite or too large: success means that every number of the result is finite. */
#include "system/reduction.h"

#define GUARD 12345.0

typedef struct scene {
    soa_system *system;
    size_t n, nv; /* independent velocities, and all */
    double vdot[MOST], T[MOST], out[8 * CUBE];
    size_t outs, end[4]; /* end: of each result */
    int results;
    soa_error error;
} scene;

/* Room for a result, with guards behind it. */
static double *take(scene *s, size_t n)
{
    double *y = s->out + s->outs;
    s->end[s->results++] = s->outs + n;
    s->outs += n + MOST;
    assert_true(s->outs <= sizeof s->out / sizeof *s->out);
    for (size_t i = 0; i < n + MOST; i++) {
        y[i] = GUARD;
    }
    return y;
}

#define SQUARE_OF(s) ((s)->n * (s)->n)

static soa_status forward(scene *s)
{
    return soa_system_forward_dynamics(s->system, s->T, NULL, take(s, s->nv), NULL, &s->error);
}

static soa_status inverse(scene *s)
{
    return soa_system_inverse_dynamics(s->system, s->vdot, NULL, NULL, take(s, s->nv), &s->error);
}

static soa_status acceleration(scene *s)
{
    return soa_system_acceleration(s->system, s->vdot, take(s, s->nv), &s->error);
}

static soa_status jacobian(scene *s)
{
    const soa_point point = { 0, soa_pose_identity() };
    return soa_system_jacobian(s->system, 1, &point, take(s, 6 * s->n), &s->error);
}

static soa_status derivatives(scene *s)
{
    double *by_q = take(s, SQUARE_OF(s)), *by_v = take(s, SQUARE_OF(s));
    return soa_system_inverse_dynamics_derivatives(s->system, s->vdot, by_q, by_v, &s->error);
}

static soa_status minimal(scene *s)
{
    double *A = take(s, 4 * SQUARE_OF(s)), *B = take(s, 2 * s->n * s->nv);
    double *C = take(s, 6 * s->nv * s->n), *D = take(s, 3 * s->nv * s->nv);
    return soa_system_minimal_model(s->system, s->T, NULL, A, B, C, D, &s->error);
}

#define ALONE(name, numbers)                                                \
    static soa_status name(scene *s)                                        \
    {                                                                       \
        return soa_system_##name(s->system, take(s, (numbers)), &s->error); \
    }
ALONE(mass_matrix, SQUARE_OF(s))
ALONE(mass_inverse, SQUARE_OF(s))
ALONE(bias_force, s->n)
ALONE(gravity_force, s->n)
ALONE(coriolis_matrix, SQUARE_OF(s))
ALONE(christoffel, s->n *SQUARE_OF(s))
ALONE(mass_derivatives, s->n *SQUARE_OF(s))

static const struct function {
    const char *name;
    soa_status (*run)(scene *s);
    bool reads_vdot, reads_T;
} FUNCTIONS[] = {
    { "forward_dynamics", forward, false, true },
    { "inverse_dynamics", inverse, true, false },
    { "acceleration", acceleration, true, false },
    { "mass_matrix", mass_matrix, false, false },
    { "mass_inverse", mass_inverse, false, false },
    { "bias_force", bias_force, false, false },
    { "gravity_force", gravity_force, false, false },
    { "coriolis_matrix", coriolis_matrix, false, false },
    { "christoffel", christoffel, false, false },
    { "mass_derivatives", mass_derivatives, false, false },
    { "jacobian", jacobian, false, false },
    { "inverse_dynamics_derivatives", derivatives, true, false },
    { "minimal_model", minimal, false, true },
};
enum { COUNT = sizeof FUNCTIONS / sizeof *FUNCTIONS };

static soa_status run(scene *s, const struct function *f, const char *what, double size)
{
    s->outs = 0, s->results = 0;
    soa_error_clear(&s->error);
    const soa_status status = f->run(s);
    for (size_t i = 0; status == SOA_OK && i < s->outs; i++) {
        if (!isfinite(s->out[i])) {
            fail_msg("soa_system_%s, %s times %g: success, and number %zu is not finite", f->name, what, size, i);
        }
    }
    for (int k = 0; k < s->results; k++) {
        for (size_t i = 0; i < MOST; i++) {
            if (s->out[s->end[k] + i] != GUARD) {
                fail_msg("soa_system_%s writes behind result %d", f->name, k);
            }
        }
    }
    assert_true(status == SOA_OK || s->error.text[0] != '\0');
    return status;
}

/* Velocities, vdot and T of this size; those of joint `alone`, or of all if it is -1. */
static void check_size(scene *s, const double *q, double size, int alone)
{
    double v[MOST];
    for (size_t i = 0; i < s->nv; i++) {
        v[i] = 0.3 + 0.1 * (double)i;
        s->vdot[i] = s->T[i] = v[i] * (alone < 0 || (int)i == alone ? size : 1.0);
    }
    OK(soa_system_set(s->system, q, v, &s->error));
    s->n = (size_t)soa_system_dofs(s->system);
    for (int f = 0; f < COUNT; f++) {
        (void)run(s, &FUNCTIONS[f], "vdot and T", size);
        assert_true(size > 1.0 || s->error.status != SOA_E_NUMBER);
    }
    const soa_status status = soa_system_set(s->system, q, s->T, &s->error);
    for (int f = 0; f < COUNT && status == SOA_OK; f++) {
        (void)run(s, &FUNCTIONS[f], "v", size);
    }
}

/* Velocities, vdot and T of every size, and not finite. */
static void check(soa_model *model)
{
    enum { SIZES = 186 }; /* in fine steps where some numbers of a result overflow and others do not */
    double size[SIZES] = { 1.0, 1e100, 1e200, 1e300, 1e-160, 1e-310 };
    for (int z = 6; z < SIZES; z++) {
        size[z] =
            z % 2 == 0 ? pow(10.0, 150.0 + 0.05 * (z / 2)) : pow(10.0, 300.0 + 0.1 * (z / 2)); /* squared, and not */
    }
    scene s = { .nv = (size_t)soa_model_nv(model) };
    double q[MOST], v[MOST];
    OK(soa_system_new(model, NULL, &s.system, NULL));
    soa_model_neutral(model, q);
    for (size_t i = 0; i < s.nv; i++) {
        q[i] += 0.4 - 0.2 * (double)(i % 3);
    }
    OK(soa_closure_project(soa_system_closures(s.system), SOA_METRIC_IDENTITY, 0.0, 1, q, NULL, NULL, &s.error));
    for (int z = 0; z < SIZES; z++) {
        for (int alone = -1; alone < (int)s.nv; alone++) {
            check_size(&s, q, size[z], alone);
        }
    }
    for (size_t i = 0; i < s.nv; i++) {
        v[i] = 0.3 + 0.1 * (double)i;
    }
    OK(soa_system_set(s.system, q, v, &s.error));
    const size_t free = (size_t)soa_system_independent(s.system)[0];
    for (int f = 0; f < COUNT; f++) {
        for (size_t i = 0; i < s.nv; i++) {
            s.vdot[i] = s.T[i] = 1.0;
        }
        s.vdot[free] = FUNCTIONS[f].reads_vdot ? NAN : 1.0;
        s.T[free] = FUNCTIONS[f].reads_T ? INFINITY : 1.0;
        const bool bad = FUNCTIONS[f].reads_vdot || FUNCTIONS[f].reads_T;
        const soa_status status = run(&s, &FUNCTIONS[f], "NaN", 1.0); /* the lightest gripper has no linear model */
        if (bad ? status != SOA_E_NUMBER && status != SOA_E_SINGULAR : status == SOA_E_NUMBER) {
            fail_msg("soa_system_%s: %s", FUNCTIONS[f].name, s.error.text);
        }
    }
    v[free] = NAN;
    assert_int_equal(soa_system_set(s.system, q, v, &s.error), SOA_E_NUMBER);
    soa_system_free(s.system);
    soa_model_free(model);
}

/* Two arms, and one whose second joint follows by a steep square, so that the last of its derivatives overflow first. */
static soa_model *steep_arms(void)
{
    soa_builder *b = soa_builder_new(NULL);
    const double at[3] = { 0.3, 0.0, 0.0 };
    (void)add_link(b, "a", SOA_WORLD, SOA_REVOLUTE, 1, at);
    (void)add_link(b, "b", SOA_WORLD, SOA_REVOLUTE, 1, at);
    const int c = add_link(b, "c", SOA_WORLD, SOA_REVOLUTE, 1, at), d = add_link(b, "d", c, SOA_REVOLUTE, 1, at);
    couple(b, d, c, 0.1, 0.5, 1e3, 0.0);
    return finish(b);
}

static void finite_or_an_error(void **state)
{
    (void)state;
    soa_model *(*const make[])(void) = { gripper, light_gripper, light_first, hand, telescope, linkage, steep_arms };
    for (size_t i = 0; i < sizeof make / sizeof *make; i++) {
        check(make[i]());
    }
}

/* The second of two points lies so far away that what joints which move together do to it has no number. */
static void points_may_be_too_far(void **state)
{
    (void)state;
    soa_model *model = hand();
    soa_system *s = NULL;
    soa_error error;
    double q[MOST], J[12 * MOST];
    int refused = 0;
    OK(soa_system_new(model, NULL, &s, NULL));
    soa_model_neutral(model, q);
    OK(soa_closure_project(soa_system_closures(s), SOA_METRIC_MASS, 0.0, 1, q, NULL, NULL, NULL));
    OK(soa_system_set(s, q, NULL, NULL));
    for (int link = 2; link < 9; link += 3) {
        for (double far = 1e307; far < 1.7e308; far *= 1.1) {
            soa_point point[2] = { { link, soa_pose_identity() }, { link, soa_pose_identity() } };
            point[1].at.position[link / 3] = far;
            const soa_status status = soa_system_jacobian(s, 2, point, J, &error);
            assert_true(status == SOA_OK || status == SOA_E_NUMBER);
            refused += status == SOA_E_NUMBER;
            for (int i = 0; i < 12 * soa_system_dofs(s); i++) {
                assert_int_equal(isfinite(J[i]) != 0, status == SOA_OK);
            }
        }
    }
    assert_true(refused > 0);
    soa_system_free(s);
    soa_model_free(model);
}

/* A result that is missing is refused. */
static void nothing_for_results(void **state)
{
    (void)state;
    soa_model *model = gripper();
    soa_system *s = NULL;
    soa_error error;
    double q[MOST], x[CUBE];
    OK(soa_system_new(model, NULL, &s, NULL));
    soa_model_neutral(model, q);
    OK(soa_system_set(s, q, NULL, NULL));
    const soa_status bad[] = {
        soa_system_acceleration(s, NULL, NULL, &error),
        soa_system_forward_dynamics(s, NULL, NULL, NULL, NULL, &error),
        soa_system_inverse_dynamics(s, NULL, NULL, NULL, NULL, &error),
        soa_system_mass_matrix(s, NULL, &error),
        soa_system_mass_inverse(s, NULL, &error),
        soa_system_bias_force(s, NULL, &error),
        soa_system_gravity_force(s, NULL, &error),
        soa_system_coriolis_matrix(s, NULL, &error),
        soa_system_christoffel(s, NULL, &error),
        soa_system_mass_derivatives(s, NULL, &error),
        soa_system_jacobian(s, 1, NULL, x, &error),
        soa_system_jacobian(s, 1, &(soa_point){ 0, soa_pose_identity() }, NULL, &error),
        soa_system_jacobian(s, -1, NULL, x, &error),
        soa_system_inverse_dynamics_derivatives(s, NULL, NULL, x, &error),
        soa_system_inverse_dynamics_derivatives(s, NULL, x, NULL, &error),
        soa_system_linear_model(s, NULL, NULL, NULL, x, NULL, NULL, &error),
        soa_system_minimal_model(s, NULL, NULL, x, NULL, NULL, NULL, &error),
        soa_system_set(s, NULL, NULL, &error),
        soa_system_new(NULL, NULL, &s, &error),
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (bad[i] != SOA_E_ARGUMENT) {
            fail_msg("call %zu: %s", i, soa_status_text(bad[i]));
        }
    }
    assert_int_equal(soa_system_jacobian(s, 0, NULL, NULL, &error), SOA_OK);
    soa_system_free(s);
    soa_model_free(model);
}

/* Pairs of bodies, one of which follows the other; one does so by so large a factor that its number of the mass matrix is not finite: it
 * is refused wherever it stands. */
static void every_number_is_looked_at(void **state)
{
    (void)state;
    enum { PAIRS = 5 };
    for (int fast = -1; fast < PAIRS; fast++) {
        soa_builder *b = soa_builder_new(NULL);
        soa_system *s = NULL;
        const double q[2 * PAIRS] = { 0.0 };
        double mass[PAIRS * PAIRS];
        for (int i = 0; i < 2 * PAIRS; i++) {
            char name[16];
            snprintf(name, sizeof name, "l%d", i);
            (void)add_link(b, name, SOA_WORLD, SOA_REVOLUTE, 2, (double[3]){ 0 });
        }
        for (int i = 0; i < PAIRS; i++) {
            couple(b, 2 * i + 1, 2 * i, 0.0, i == fast ? 1e160 : 1.0, 0.0, 0.0);
        }
        soa_model *model = finish(b);
        OK(soa_system_new(model, NULL, &s, NULL));
        OK(soa_system_set(s, q, NULL, NULL));
        assert_int_equal(soa_system_dofs(s), PAIRS);
        assert_int_equal(soa_system_mass_matrix(s, mass, NULL), fast < 0 ? SOA_OK : SOA_E_NUMBER);
        soa_system_free(s);
        soa_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_is_looked_at),
        cmocka_unit_test(finite_or_an_error),
        cmocka_unit_test(points_may_be_too_far),
        cmocka_unit_test(nothing_for_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
