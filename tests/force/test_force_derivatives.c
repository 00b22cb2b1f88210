/* Force elements: derivatives against differences, energy against power, power against forces. */
#include "force_kit.h"

/* dQ_dq and dQ_dv against central differences. */
static void check_derivatives(kit *k, const char *what)
{
    const double h = 1e-6;
    double by_q[MOST * MOST], by_v[MOST * MOST];
    assert_int_equal(soa_forces_derivatives(k->forces, 0.0, k->q, k->v, by_q, by_v, &k->error), SOA_OK);
    const double scale = 1.0 + largest(k->nv * k->nv, by_q) + largest(k->nv * k->nv, by_v);
    for (int c = 0; c < k->nv; c++) {
        double e[MOST] = { 0.0 }, q[2][MOST], v[2][MOST], Q[4][MOST];
        for (int side = 0; side < 2; side++) {
            e[c] = side == 0 ? h : -h;
            soa_integrate(k->model, k->q, e, 1.0, q[side]);
            memcpy(v[side], k->v, sizeof k->v);
            v[side][c] += e[c];
            generalized(k, q[side], k->v, Q[side]);
            generalized(k, k->q, v[side], Q[2 + side]);
        }
        for (int i = 0; i < k->nv; i++) {
            const double dq = (Q[0][i] - Q[1][i]) / (2 * h), dv = (Q[2][i] - Q[3][i]) / (2 * h);
            if (fabs(dq - by_q[i * k->nv + c]) > 1e-6 * scale || fabs(dv - by_v[i * k->nv + c]) > 1e-6 * scale) {
                fail_msg(
                    "%s: (%d, %d) dq %g %g dv %g %g", what, i, c, dq, by_q[i * k->nv + c], dv, by_v[i * k->nv + c]);
            }
        }
    }
}

static const char *const MODELS[] = { "arm7", "quadruped", "tree:9,3", "tree:12,5", "tree:10,11",
    "flexible-chain:3,2" };

static void derivatives_are_exact(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof MODELS / sizeof *MODELS; m++) {
        for (int kind = 0; kind < SOA_FORCE_ELASTIC; kind++) { /* of flexible links: tests/flex */
            for (int other = -1; other < 2; other++) {
                kit k;
                begin(&k, MODELS[m], 17 * m + (unsigned)kind + 5);
                const soa_force e = random_force(&k, (soa_force_kind)kind, other);
                if (e.link != SOA_WORLD || !soa_force_kind_at_joint(e.kind)) {
                    make(&k, 1, &e);
                    check_derivatives(&k, soa_force_kind_text(e.kind));
                }
                end(&k);
            }
        }
    }
}

/* Springs in spherical joints, whose displacement is no difference of coordinates. */
static void derivatives_of_ball_springs_are_exact(void **state)
{
    (void)state;
    int found = 0;
    for (size_t m = 0; m < sizeof MODELS / sizeof *MODELS; m++) {
        kit k;
        begin(&k, MODELS[m], 40 + m);
        for (int b = 0; b < soa_model_bodies(k.model); b++) {
            soa_force spring = soa_force_default("ball", SOA_FORCE_JOINT_SPRING);
            spring.stiffness = 30.0;
            spring.link = soa_model_body(k.model, b).link;
            soa_force both[] = { spring, spring };
            both[1].kind = SOA_FORCE_JOINT_DAMPER;
            both[1].damping = 4.0;
            if (soa_model_body(k.model, b).kind == SOA_SPHERICAL) {
                make(&k, 2, both);
                check_derivatives(&k, MODELS[m]);
                soa_forces_free(k.forces);
                k.forces = NULL;
                found++;
            }
        }
        end(&k);
    }
    assert_true(found > 0);
}

/* Of every shape, on the plane and on hills. */
static void derivatives_of_contacts_are_exact(void **state)
{
    (void)state;
    static const soa_shape SHAPE[] = { SOA_SHAPE_SPHERE, SOA_SHAPE_CAPSULE, SOA_SHAPE_BOX };
    make_hills(0.3);
    for (int i = 0; i < 6; i++) {
        kit k;
        begin(&k, "tree:12,5", 40u + (unsigned)i);
        soa_force e = random_force(&k, SOA_FORCE_CONTACT, i % 3 - 1);
        e.shape = SHAPE[i / 2];
        e.field = i % 2 == 1 ? &HILLS : NULL;
        e.size[0] = 0.4;
        e.size[1] = 0.5;
        e.size[2] = 0.6;
        make(&k, 1, &e);
        check_derivatives(&k, soa_shape_text(e.shape));
        end(&k);
    }
}

/* A_v += B_v (dQ_dq dQ_dv), and the rows of dvdot in C are those of A. */
static void linear_models_take_the_derivatives(void **state)
{
    (void)state;
    enum { NV = 7, N = 2 * NV };
    kit k;
    begin(&k, "arm7", 5);
    const soa_force e = random_force(&k, SOA_FORCE_BUSHING, SOA_WORLD);
    make(&k, 1, &e);
    double A[N * N], was[N * N], B[N * NV], C[(N + NV) * N] = { 0 }, dQ[2 * NV * NV];
    for (int i = 0; i < N * N; i++) {
        was[i] = A[i] = random_between(&k, -1, 1);
    }
    for (int i = 0; i < N * NV; i++) {
        B[i] = random_between(&k, -1, 1);
    }
    assert_int_equal(soa_forces_linear(k.forces, 0.0, k.q, k.v, A, B, C, dQ, &k.error), SOA_OK);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double sum = was[i * N + j];
            for (int n = 0; n < NV && i >= NV; n++) {
                sum += B[i * NV + n] * dQ[(j < NV ? n : NV + n) * NV + j % NV];
            }
            assert_true(fabs(A[i * N + j] - sum) < 1e-11 * (1.0 + fabs(sum)));
            assert_true(i < NV || C[(NV + i) * N + j] == A[i * N + j]);
        }
    }
    end(&k);
}

/* Without damping and friction dE/dt + power = 0 along any motion: the energy is what the force follows from. */
static void energy_and_power_agree(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof MODELS / sizeof *MODELS; m++) {
        for (int kind = 0; kind < SOA_FORCE_ELASTIC; kind++) { /* of flexible links: tests/flex */
            kit k;
            begin(&k, MODELS[m], 91 * m + (unsigned)kind);
            soa_force e = random_force(&k, (soa_force_kind)kind, 0);
            e.damping = e.value = 0.0;
            memset(e.damp, 0, sizeof e.damp);
            if (e.link != SOA_WORLD || !soa_force_kind_at_joint(e.kind)) {
                make(&k, 1, &e);
                if (soa_forces_conservative(k.forces, 0)) {
                    const double h = 1e-6;
                    double q[MOST], power, ignored;
                    soa_integrate(k.model, k.q, k.v, h, q);
                    const double after = apply(&k, q, k.v, &ignored);
                    soa_integrate(k.model, k.q, k.v, -h, q);
                    const double before = apply(&k, q, k.v, &ignored), now = apply(&k, k.q, k.v, &power);
                    assert_true(now > 0.0);
                    assert_true(fabs((after - before) / (2 * h) + power) < 1e-7 * (1.0 + now));
                }
            }
            end(&k);
        }
    }
}

/* Power is Q . v, whatever the element. */
static void power_is_that_of_the_forces(void **state)
{
    (void)state;
    kit k;
    soa_force force[KINDS];
    begin(&k, "tree:12,5", 3);
    int count = 0;
    for (int kind = 0; kind < SOA_FORCE_ELASTIC; kind++) { /* of flexible links: tests/flex */
        force[count] = random_force(&k, (soa_force_kind)kind, 0);
        count += force[count].link != SOA_WORLD || !soa_force_kind_at_joint(force[count].kind) ? 1 : 0;
    }
    make(&k, count, force);
    double power, sum = 0.0;
    apply(&k, k.q, k.v, &power);
    generalized(&k, k.q, k.v, k.Q);
    for (int i = 0; i < k.nv; i++) {
        sum += k.Q[i] * k.v[i];
    }
    assert_true(fabs(sum - power) < 1e-11 * (1.0 + fabs(power)));
    end(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_exact),
        cmocka_unit_test(derivatives_of_ball_springs_are_exact),
        cmocka_unit_test(derivatives_of_contacts_are_exact),
        cmocka_unit_test(linear_models_take_the_derivatives),
        cmocka_unit_test(energy_and_power_agree),
        cmocka_unit_test(power_is_that_of_the_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
