/* The Coriolis matrix against inverse dynamics and differences of the mass matrix. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "soa/soa.h"

enum { LINKS = 14, MOST = 6 * LINKS, SEEDS = 40 };

typedef struct system {
    soa_model *model;
    soa_workspace *workspace;
    int nq, nv;
    double q[7 * LINKS], v[MOST];
} system_of;

static double between(unsigned long long *seed, double low, double high)
{
    return low + 0.5 * (high - low) * (soa_model_random_number(seed) + 1.0);
}

static soa_pose random_pose(unsigned long long *seed)
{
    const double at[3] = { soa_model_random_number(seed), soa_model_random_number(seed),
        soa_model_random_number(seed) };
    const double axis[3] = { soa_model_random_number(seed), soa_model_random_number(seed), 1.5 };
    return soa_pose_from_axis_angle(at, axis, between(seed, -3.0, 3.0));
}

static soa_rotor random_rotor(unsigned long long *seed)
{
    return (soa_rotor){ .armature = 0.05,
        .ratio = between(seed, 5.0, 20.0),
        .axis = { soa_model_random_number(seed), soa_model_random_number(seed), 1.2 },
        .spin = 2e-2,
        .mass = 0.1,
        .transverse = 0.015,
        .com = { 0.1, 0.0, 0.2 } };
}

/* A tree of joints of every kind, some of them reversed, some with rotors. */
static soa_link random_link(unsigned long long *seed, int k, bool simple, char *name)
{
    const int kinds = SOA_JOINT_KINDS - 1;
    const soa_joint_kind kind = (soa_joint_kind)(1 + (k + (int)(*seed % (unsigned)kinds)) % (simple ? 4 : kinds));
    soa_link link = soa_link_default(name, k == 0 ? SOA_WORLD : (int)between(seed, 0.4 * k, k), kind);
    link.joint.at = random_pose(seed);
    link.joint.child = random_pose(seed);
    link.joint.axis[0] = soa_model_random_number(seed);
    link.joint.axis2[1] = 1.0 + soa_model_random_number(seed);
    link.joint.pitch = 0.3;
    link.joint.reversed = k % 3 == 1;
    if (soa_joint_kind_nv(kind) == 1 && k > 0) {
        link.joint.rotor = random_rotor(seed);
    } else {
        link.joint.rotor.armature = k % 2 ? 0.4 : 0.0;
    }
    const soa_pose turn = random_pose(seed);
    const soa_inertia principal = { .mass = between(seed, 0.5, 2.0), .moment = { 0.5, 0.0, 0.0, 0.4, 0.0, 0.3 } };
    link.inertia = soa_inertia_transform(&turn, &principal);
    return link;
}

static system_of make_system(unsigned long long seed, bool simple)
{
    system_of s = { .model = NULL };
    soa_error error;
    soa_builder *builder = soa_builder_new(NULL);
    for (int k = 0; k < LINKS; k++) {
        char name[16];
        snprintf(name, sizeof name, "link%d", k);
        const soa_link link = random_link(&seed, k, simple, name);
        assert_int_equal(soa_builder_add_link(builder, &link, NULL, &error), SOA_OK);
    }
    if (soa_builder_finish(builder, &s.model, &error) != SOA_OK) {
        fail_msg("%s", error.text);
    }
    soa_builder_free(builder);
    assert_int_equal(soa_workspace_new(s.model, NULL, &s.workspace, &error), SOA_OK);
    s.nq = soa_model_nq(s.model);
    s.nv = soa_model_nv(s.model);
    soa_random_configuration(s.model, &seed, s.q);
    for (int i = 0; i < s.nv; i++) {
        s.v[i] = soa_model_random_number(&seed);
    }
    return s;
}

static void free_system(system_of *s)
{
    soa_workspace_free(s->workspace);
    soa_model_free(s->model);
}

static double largest(int n, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

/* dMass/dt along v by differences of fourth order. */
static void mass_rate(const system_of *s, const double *v, double *rate)
{
    static const double weight[4] = { 1.0, -8.0, 8.0, -1.0 }, step[4] = { -2.0, -1.0, 1.0, 2.0 };
    static double mass[MOST * MOST];
    const double h = 1e-3;
    memset(rate, 0, (size_t)(s->nv * s->nv) * sizeof *rate);
    for (int i = 0; i < 4; i++) {
        double q[7 * LINKS];
        soa_integrate(s->model, s->q, v, step[i] * h, q);
        assert_int_equal(soa_mass_matrix(s->model, s->workspace, 1, q, mass, NULL), SOA_OK);
        for (int e = 0; e < s->nv * s->nv; e++) {
            rate[e] += weight[i] * mass[e] / (12.0 * h);
        }
    }
}

/* C v = Coriolis force. */
static void gives_the_force(void **state)
{
    (void)state;
    static double C[MOST * MOST];
    for (unsigned long long seed = 1; seed <= SEEDS; seed++) {
        system_of s = make_system(seed, false);
        double force[MOST], scale;
        assert_int_equal(soa_coriolis_matrix(s.model, s.workspace, 1, s.q, s.v, C, NULL), SOA_OK);
        assert_int_equal(soa_coriolis_force(s.model, s.workspace, 1, s.q, s.v, force, NULL), SOA_OK);
        scale = largest(s.nv * s.nv, C);
        assert_true(largest(s.nv, force) > 1e-3);
        for (int i = 0; i < s.nv; i++) {
            double sum = 0.0;
            for (int j = 0; j < s.nv; j++) {
                sum += C[i * s.nv + j] * s.v[j];
            }
            assert_true(fabs(sum - force[i]) <= 1e-12 * scale);
        }
        free_system(&s);
    }
}

/* C + C* = dMass/dt. */
static void leaves_a_skew_matrix(void **state)
{
    (void)state;
    static double C[MOST * MOST], rate[MOST * MOST];
    for (unsigned long long seed = 1; seed <= SEEDS; seed++) {
        system_of s = make_system(seed, false);
        assert_int_equal(soa_coriolis_matrix(s.model, s.workspace, 1, s.q, s.v, C, NULL), SOA_OK);
        mass_rate(&s, s.v, rate);
        const double scale = largest(s.nv * s.nv, rate);
        for (int i = 0; i < s.nv; i++) {
            for (int j = 0; j < s.nv; j++) {
                const double sum = C[i * s.nv + j] + C[j * s.nv + i];
                assert_true(fabs(sum - rate[i * s.nv + j]) <= 1e-8 * scale);
            }
        }
        free_system(&s);
    }
}

/* With joints of one dof: C(i,j) = 1/2 sum_k (dM(i,j)/dq_k + dM(i,k)/dq_j - dM(j,k)/dq_i) v_k. */
static void is_made_of_christoffel_symbols(void **state)
{
    (void)state;
    static double C[LINKS * LINKS], dM[LINKS][LINKS * LINKS];
    for (unsigned long long seed = 1; seed <= SEEDS; seed++) {
        system_of s = make_system(seed, true);
        const int n = s.nv;
        assert_int_equal(n, LINKS);
        assert_int_equal(soa_coriolis_matrix(s.model, s.workspace, 1, s.q, s.v, C, NULL), SOA_OK);
        for (int k = 0; k < n; k++) {
            double along[MOST] = { 0.0 };
            along[k] = 1.0;
            mass_rate(&s, along, dM[k]);
        }
        const double scale = largest(n * n, C);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double sum = 0.0;
                for (int k = 0; k < n; k++) {
                    sum += 0.5 * (dM[k][i * n + j] + dM[j][i * n + k] - dM[i][j * n + k]) * s.v[k];
                }
                assert_true(fabs(sum - C[i * n + j]) <= 1e-7 * scale);
            }
        }
        free_system(&s);
    }
}

/* Lanes give the bits of single states. */
static void does_not_depend_on_lanes(void **state)
{
    (void)state;
    enum { STATES = 11 };
    static double q[STATES * 7 * LINKS], v[STATES * MOST], many[STATES * MOST * MOST], one[MOST * MOST];
    system_of s = make_system(7, false);
    unsigned long long seed = 3;
    for (int i = 0; i < STATES; i++) {
        soa_random_configuration(s.model, &seed, q + i * s.nq);
    }
    for (int i = 0; i < STATES * s.nv; i++) {
        v[i] = soa_model_random_number(&seed);
    }
    assert_int_equal(soa_coriolis_matrix(s.model, s.workspace, STATES, q, v, many, NULL), SOA_OK);
    for (int i = 0; i < STATES; i++) {
        assert_int_equal(soa_coriolis_matrix(s.model, s.workspace, 1, q + i * s.nq, v + i * s.nv, one, NULL), SOA_OK);
        const size_t size = (size_t)(s.nv * s.nv);
        assert_memory_equal(one, many + (size_t)i * size, size * sizeof *one);
    }
    free_system(&s);
}

/* Without v the system is at rest, and C is zero. */
static void rest_and_nan(void **state)
{
    (void)state;
    static double C[MOST * MOST];
    system_of s = make_system(2, false);
    soa_error error;
    assert_int_equal(soa_coriolis_matrix(s.model, s.workspace, 1, s.q, NULL, C, &error), SOA_OK);
    for (int i = 0; i < s.nv * s.nv; i++) {
        assert_true(C[i] == 0.0);
    }
    s.v[3] = NAN;
    assert_int_equal(soa_coriolis_matrix(s.model, s.workspace, 1, s.q, s.v, C, &error), SOA_E_NUMBER);
    assert_true(isnan(C[0]));
    free_system(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_force),
        cmocka_unit_test(leaves_a_skew_matrix),
        cmocka_unit_test(is_made_of_christoffel_symbols),
        cmocka_unit_test(does_not_depend_on_lanes),
        cmocka_unit_test(rest_and_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
