/* The elastic element of a flexible link whose stiffness and damping are full matrices. */
#include "force_kit.h"

#include "force/force_set.h"
#include "soa/flex.h"

enum { MODES = 3, SIZE = MODES * MODES };

/* x* A y */
static double product(const double *A, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < SIZE; i++) {
        sum += x[i / MODES] * A[i] * y[i % MODES];
    }
    return sum;
}

/* A beam on a hinge on a slide; its matrices become K and, if there is any, C. */
static soa_model *beam_with(const double *K, const double *C)
{
    soa_beam beam = soa_beam_default();
    beam.length = 1.0;
    beam.E = 7e10;
    beam.G = 2.6e10;
    beam.rho = 2700.0;
    beam.section[0] = (soa_beam_section){ 1e-4, 1e-9, 2e-9, 3e-9 };
    const soa_reduction reduction = { .modes = MODES };
    soa_flexible *f = NULL;
    soa_model *model = NULL;
    assert_int_equal(soa_flexible_beam(&beam, &reduction, NULL, &f, NULL), SOA_OK);
    soa_flexible mine = *f;
    mine.stiffness = K;
    mine.damping = C;
    soa_builder *builder = soa_builder_new(NULL);
    soa_link slide = soa_link_default("slide", SOA_WORLD, SOA_PRISMATIC),
             boom = soa_link_default("boom", 0, SOA_REVOLUTE);
    slide.inertia = (soa_inertia){ 1.0, { 0.0 }, { 1, 0, 0, 1, 0, 1 } };
    boom.flexible = &mine;
    assert_int_equal(soa_builder_add_link(builder, &slide, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_add_link(builder, &boom, NULL, NULL), SOA_OK);
    assert_int_equal(soa_builder_finish(builder, &model, NULL), SOA_OK);
    soa_builder_free(builder);
    soa_flexible_free(NULL, f);
    return model;
}

/* T = -K eta - C etadot, energy eta* K eta / 2, derivatives -K and -C, and what damping takes: etadot* C etadot. */
static void full_matrices_act(void **state)
{
    (void)state;
    const double K[SIZE] = { 50, 7, -4, 7, 60, 9, -4, 9, 70 }, C[SIZE] = { 3, 0.4, 0.5, 0.4, 2, -0.3, 0.5, -0.3, 4 };
    const double none[SIZE] = { 0.0 }, turns[SIZE] = { [1] = 0.1, [3] = 0.1 };
    const double *const damping[] = { NULL, none, turns, C };
    for (int d = 0; d < 4; d++) {
        soa_model *model = beam_with(K, damping[d]);
        const double *by = damping[d] ? damping[d] : none;
        const int nv = soa_model_nv(model), first = nv - MODES;
        soa_force e = soa_force_default("boom", SOA_FORCE_ELASTIC);
        e.link = 1;
        soa_forces *forces = NULL;
        double q[5], v[5], T[5] = { 0.0 }, energy, power, dq[25], dv[25];
        unsigned long long seed = 6;
        assert_int_equal(nv, 5);
        for (int i = 0; i < nv; i++) {
            q[i] = soa_model_random_number(&seed);
            v[i] = soa_model_random_number(&seed);
        }
        const double *eta = q + first, *rate = v + first;
        const soa_force_report report = { .energy = &energy, .power = &power };
        assert_int_equal(soa_forces_new(model, 1, &e, NULL, &forces, NULL), SOA_OK);
        assert_int_equal(soa_forces_apply(forces, 0.0, q, v, T, NULL, &report, NULL), SOA_OK);
        assert_int_equal(soa_forces_derivatives(forces, 0.0, q, v, dq, dv, NULL), SOA_OK);
        for (int i = 0; i < nv; i++) {
            double unit[MODES] = { 0.0 };
            const bool bends = i >= first;
            unit[bends ? i - first : 0] = bends;
            assert_true(fabs(T[i] + product(K, unit, eta) + product(by, unit, rate)) < 1e-13);
            for (int j = 0; j < nv; j++) {
                const int at = bends && j >= first ? (i - first) * MODES + j - first : -1;
                assert_true(dq[i * nv + j] == (at < 0 ? 0.0 : -K[at]));
                assert_true(dv[i * nv + j] == (at < 0 ? 0.0 : -by[at]));
            }
        }
        const double lost = product(by, rate, rate);
        assert_true(fabs(energy - 0.5 * product(K, eta, eta)) < 1e-13);
        assert_true(fabs(power + product(K, rate, eta) + lost) < 1e-13);
        assert_true(fabs(soa_forces_work_rate(forces, 0, v, power) + lost) < 1e-13);
        assert_int_equal(soa_forces_conservative(forces, 0), d < 2);
        soa_forces_free(forces);
        soa_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(full_matrices_act) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
