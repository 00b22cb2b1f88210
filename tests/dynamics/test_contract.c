/* What holds for every function of soa/dynamics.h, whatever it is given: a result is finite or an error, a missing array
 * is a status, a result may be written over an input, models without bodies are models. */
#include "dynamics/calls.h"

enum { STATES = 11, BAD = 6 };

/* Whether the outputs of a state are finite. */
static bool finite_state(const outputs *out, int s)
{
    bool finite = true;
    for (int i = 0; i < OUTPUTS; i++) {
        for (int j = 0; j < out->size[i]; j++) {
            finite = finite && isfinite(out->y[i][s * out->size[i] + j]);
        }
    }
    return finite;
}

/* Every call on STATES states: the error names the first state that is not finite, and there is one if one is not. */
static void check_finite(kit *k, const batch *b, bool refused, int reads)
{
    for (int lanes = 1; lanes <= 8; lanes *= 2) {
        for (int c = 0; c < API_CALLS && soa_workspace_set_lanes(k->w, lanes, NULL) == SOA_OK; c++) {
            if ((CALLS[c].reads & reads) != reads || CALLS[c].run == run_lambda) {
                continue;
            }
            outputs out = outputs_of(&CALLS[c], b);
            soa_error_clear(&k->error);
            const soa_status status = run_states(&CALLS[c], b, k->w, 0, STATES, &out, &k->error);
            const bool finite = finite_state(&out, BAD);
            const bool stops = CALLS[c].run == run_jacobian || CALLS[c].run == run_jacobian_rate;
            if ((refused && status == SOA_OK) || (!stops && finite != (status == SOA_OK)) ||
                (status != SOA_OK && (status != SOA_E_NUMBER || k->error.state != BAD))) {
                print_error("%s, %d lanes: status %d, state %d, finite %d: %s\n", CALLS[c].name, lanes, (int)status,
                    k->error.state, finite, k->error.text);
                fail();
            }
            for (int s = 0; s < STATES && !stops; s++) {
                assert_true(s == BAD || finite_state(&out, s));
            }
            outputs_free(&out);
        }
    }
}

/* A velocity, an acceleration, a force so large that squares and sums of it are not numbers. */
static void results_too_large(void **state)
{
    (void)state;
    static const char *const NAMES[] = { "arm7", "humanoid", "tree:14,3", "pendulum" };
    for (int n = 0; n < 4; n++) {
        kit k = kit_open(NAMES[n], 5);
        batch b = batch_of(&k, STATES);
        double *const x[] = { b.v, b.a, b.T };
        const int reads[] = { READS_V, READS_A, READS_T };
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < k.nv; j += 3) {
                double *at = x[i] + BAD * k.nv + j;
                const double good = *at;
                *at = i == 0 ? 1e160 : 1e308;
                check_finite(&k, &b, false, reads[i]);
                *at = good;
            }
        }
        batch_free(&b);
        kit_close(&k);
    }
}

/* Two links that turn fast: the squares of the velocities are not numbers, and the message names the link. */
static void overflow_names_the_body(void **state)
{
    (void)state;
    kit k = kit_open("chain:3", 5);
    double q[3] = { 0.3, 0.2, 0.1 }, v[3] = { 1e160, 1e160, 1e160 }, y[3];
    assert_int_equal(soa_bias_force(k.m, k.w, 1, q, v, y, &k.error), SOA_E_NUMBER);
    assert_int_equal(k.error.state, 0);
    assert_int_equal(k.error.body, 0);
    assert_non_null(strstr(k.error.text, "'link1'"));
    assert_true(isnan(y[0]) && isnan(y[1]) && isnan(y[2]));
    assert_int_equal(soa_forward_dynamics(k.m, k.w, 1, q, v, NULL, NULL, y, &k.error), SOA_E_NUMBER);
    double energy[2];
    assert_int_equal(soa_energy(k.m, k.w, 1, q, v, energy, &k.error), SOA_E_NUMBER);
    kit_close(&k);
}

/* A velocity that is not a number is refused also where no force depends on it. */
static void velocity_of_a_slide(void **state)
{
    (void)state;
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model;
    soa_error error;
    soa_link cart = soa_link_default("cart", SOA_WORLD, SOA_PRISMATIC);
    cart.inertia = (soa_inertia){ .mass = 1.0, .moment = { 1.0, 0.0, 0.0, 1.0, 0.0, 1.0 } };
    ok_at(__FILE__, __LINE__, soa_builder_add_link(b, &cart, NULL, &error), &error);
    ok_at(__FILE__, __LINE__, soa_builder_finish(b, &model, &error), &error);
    soa_builder_free(b);
    kit k = kit_of(model, 5);
    batch all = batch_of(&k, STATES);
    all.v[BAD] = NAN;
    check_finite(&k, &all, true, READS_V);
    batch_free(&all);
    kit_close(&k);
}

/* NaN in any coordinate is refused by every call, also where a free body stands. */
static void coordinates_that_are_none(void **state)
{
    (void)state;
    static const char *const NAMES[] = { "humanoid", "tree:14,3" };
    for (int n = 0; n < 2; n++) {
        kit k = kit_open(NAMES[n], 5);
        batch b = batch_of(&k, STATES);
        for (int i = 0; i < k.nq && i < 9; i++) {
            double *at = b.q + BAD * k.nq + i;
            const double good = *at;
            *at = i % 2 == 0 ? NAN : INFINITY;
            check_finite(&k, &b, true, 0);
            *at = good;
        }
        batch_free(&b);
        kit_close(&k);
    }
}

/* ---- arguments that are missing ----------------------------------------------------------------- */

static void nothing_at_all(void **state)
{
    (void)state;
    kit k = kit_of(coupled_arm(), 5);
    batch b = batch_of(&k, 2);
    soa_model *m = k.m;
    for (int c = 0; c < API_CALLS; c++) {
        outputs out = outputs_of(&CALLS[c], &b);
        outputs none = out;
        memset(none.y, 0, sizeof none.y);
        for (int states = 1; states <= 2; states++) {
            b.m = NULL;
            assert_int_equal(run_states(&CALLS[c], &b, k.w, 0, states, &out, &k.error), SOA_E_ARGUMENT);
            b.m = m;
            assert_int_equal(run_states(&CALLS[c], &b, NULL, 0, states, &out, &k.error), SOA_E_ARGUMENT);
            if (CALLS[c].run != run_hybrid) { /* the test writes its outputs */
                assert_int_equal(run_states(&CALLS[c], &b, k.w, 0, states, &none, &k.error), SOA_E_ARGUMENT);
            }
        }
        outputs_free(&out);
    }
    batch_free(&b);
    kit_close(&k);
    soa_workspace *w = NULL;
    soa_error error;
    assert_int_equal(soa_workspace_new(NULL, NULL, &w, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_workspace_reserve(NULL, 9, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_workspace_set_lanes(NULL, 1, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_workspace_set_layout(NULL, SOA_LAYOUT_STATES, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_workspace_lanes(NULL), 0);
}

/* T, v and vdot that are missing are zero. */
static void missing_is_zero(void **state)
{
    (void)state;
    kit k = kit_open("humanoid", 5);
    double *zero = numbers(k.nv), *x = numbers(k.nv * k.nv), *y = numbers(k.nv * k.nv);
    for (int method = SOA_FD_FASTEST; method <= SOA_FD4; method++) {
        const soa_method by = (soa_method)method;
        OK(&k, soa_forward_dynamics_by(k.m, k.w, by, 1, k.q, k.v, NULL, NULL, x, &k.error));
        OK(&k, soa_forward_dynamics_by(k.m, k.w, by, 1, k.q, k.v, zero, NULL, y, &k.error));
        NEAR(k.nv, x, y, 1e-13);
    }
    OK(&k, soa_coriolis_matrix(k.m, k.w, 1, k.q, NULL, x, &k.error));
    OK(&k, soa_coriolis_matrix(k.m, k.w, 1, k.q, zero, y, &k.error));
    NEAR(k.nv * k.nv, x, y, 1e-15);
    const soa_point hand = { k.links - 1, soa_pose_identity() };
    OK(&k, soa_jacobian_rate(k.m, k.w, 1, &hand, SOA_AXES_BODY, 1, k.q, NULL, x, &k.error));
    OK(&k, soa_jacobian_rate(k.m, k.w, 1, &hand, SOA_AXES_BODY, 1, k.q, zero, y, &k.error));
    NEAR(6 * k.nv, x, y, 1e-15);
    free(zero);
    free(x);
    free(y);
    kit_close(&k);
}

/* ---- results over inputs ------------------------------------------------------------------------- */

/* The bits of a call that writes its first output over an input are those of one that does not. */
static void check_over_input(kit *k, const batch *b, const api_call *call, int layout)
{
    const int inputs = 3;
    OK(k, soa_workspace_set_layout(k->w, (soa_layout)layout, &k->error));
    for (int i = 0; i < inputs; i++) {
        batch over = batch_of(k, STATES + 5);
        const size_t n = (size_t)(over.states * k->nv) * sizeof(double);
        memcpy(over.q, b->q, (size_t)(over.states * k->nq) * sizeof(double));
        memcpy(over.v, b->v, n);
        memcpy(over.a, b->a, n);
        memcpy(over.T, b->T, n);
        memcpy(over.f, b->f, 6 * (size_t)(over.states * k->bodies) * sizeof(double));
        over.block = layout == SOA_LAYOUT_BLOCKED ? soa_workspace_lanes(k->w) : 1;
        double *const input[] = { over.v, over.a, over.T };
        if (call->run == run_hybrid) { /* T, where the output goes, is an input too */
            memcpy(over.T, input[i], n);
        }
        outputs apart = outputs_of(call, &over), in_place = apart;
        OK(k, call->run(&over, k->w, 0, STATES, apart.y, &k->error));
        in_place.y[0] = input[i];
        OK(k, call->run(&over, k->w, 0, STATES, in_place.y, &k->error));
        const int lanes = soa_workspace_lanes(k->w);
        for (int j = 0; j < STATES / lanes * lanes * k->nv; j++) {
            if (memcmp(&in_place.y[0][j], &apart.y[0][j], sizeof(double)) != 0) {
                print_error("%s over input %d, layout %d, number %d\n", call->name, i, layout, j);
                fail();
            }
        }
        outputs_free(&apart);
        batch_free(&over);
    }
}

static void armature_everywhere(int link, soa_link *value)
{
    (void)link;
    value->joint.rotor.armature = 0.3;
}

/* In blocks the numbers of a state are any others: a model without quaternions takes them all. */
static void results_over_inputs(void **state)
{
    (void)state;
    for (int run = 0; run < 8; run++) {
        const int lanes = 1 << run / 2, layout = run % 2;
        kit k = kit_of(edited(builtin(layout == 0 ? "tree:14,3" : "chain:5"), armature_everywhere), 5);
        batch b = batch_of(&k, STATES + 5);
        if (soa_workspace_set_lanes(k.w, lanes, NULL) == SOA_OK) {
            for (int c = 0; c < API_CALLS; c++) {
                int size[OUTPUTS];
                CALLS[c].size(&b, size);
                if (size[0] == k.nv && CALLS[c].reads) {
                    check_over_input(&k, &b, &CALLS[c], layout);
                }
            }
        }
        batch_free(&b);
        kit_close(&k);
    }
}

/* ---- nothing moves ------------------------------------------------------------------------------------ */

static soa_model *still_model(void)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model;
    soa_error error;
    soa_link base = soa_link_default("base", SOA_WORLD, SOA_FIXED);
    base.inertia = (soa_inertia){ .mass = 1.0, .moment = { 1.0, 0.0, 0.0, 1.0, 0.0, 1.0 } };
    ok_at(__FILE__, __LINE__, soa_builder_add_link(b, &base, NULL, &error), &error);
    ok_at(__FILE__, __LINE__, soa_builder_finish(b, &model, &error), &error);
    soa_builder_free(b);
    return model;
}

/* No function fails for it but those that ask for a centre of mass, and they say what is missing. */
static void models_without_bodies(void **state)
{
    (void)state;
    kit k = kit_of(still_model(), 5);
    batch b = batch_of(&k, STATES);
    for (int i = 0; i < POINTS; i++) {
        b.point[i] = (soa_point){ SOA_WORLD, soa_pose_identity() };
    }
    for (int lanes = 1; lanes <= 8; lanes *= 2) {
        for (int c = 0; c < API_CALLS && soa_workspace_set_lanes(k.w, lanes, NULL) == SOA_OK; c++) {
            outputs out = outputs_of(&CALLS[c], &b);
            const bool centre = CALLS[c].run == run_momentum || CALLS[c].run == run_centroidal;
            const bool singular = centre || CALLS[c].run == run_lambda;
            assert_int_equal(
                run_states(&CALLS[c], &b, k.w, 0, STATES, &out, &k.error), singular ? SOA_E_SINGULAR : SOA_OK);
            assert_true(!centre || strstr(k.error.text, "mass"));
            outputs_free(&out);
        }
    }
    batch_free(&b);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_too_large),
        cmocka_unit_test(overflow_names_the_body),
        cmocka_unit_test(velocity_of_a_slide),
        cmocka_unit_test(coordinates_that_are_none),
        cmocka_unit_test(nothing_at_all),
        cmocka_unit_test(missing_is_zero),
        cmocka_unit_test(results_over_inputs),
        cmocka_unit_test(models_without_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
