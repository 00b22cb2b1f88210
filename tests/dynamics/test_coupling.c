/* Coupled joints against Lagrange's multipliers, densely, and by differences. */
#include "dynamics/kit.h"

/* arm with: 3 follows 1 by a polynomial, 6 follows 3 (a chain), 4 follows 2 linearly, the last stands still. */
static soa_model *coupled(const char *name)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *part = builtin(name), *model;
    soa_error error;
    const soa_pose here = soa_pose_identity();
    double g[3];
    int joint[64], joints = 0;
    soa_model_gravity(part, g);
    soa_builder_set_gravity(b, g);
    ok_at(__FILE__, __LINE__, soa_builder_attach(b, part, NULL, SOA_WORLD, &here, &error), &error);
    for (int l = 0; l < soa_builder_links(b); l++) {
        if (soa_joint_kind_nq(soa_builder_link(b, l)->joint.kind) == 1 && joints < 64) {
            joint[joints++] = l;
        }
    }
    assert_true(joints >= 7);
    const soa_coupling couplings[] = {
        { .name = "a", .link = joint[5], .driver = joint[2], .coefficient = { 0.1, -0.7, 0.3, 0.2, -0.1 } },
        { .name = "b", .link = joint[3], .driver = joint[1], .coefficient = { 0.2, 1.5 } },
        { .name = "c", .link = joint[2], .driver = joint[0], .coefficient = { 0.0, 0.5, 0.4 } },
        { .name = "d", .link = joint[6], .driver = -1, .coefficient = { 0.3 } },
    };
    for (int i = 0; i < 4; i++) {
        ok_at(__FILE__, __LINE__, soa_builder_add_coupling(b, &couplings[i], NULL, &error), &error);
    }
    ok_at(__FILE__, __LINE__, soa_builder_finish(b, &model, &error), &error);
    soa_builder_free(b);
    soa_model_free(part);
    return model;
}

static const char *const MODELS[] = { "arm7", "humanoid", "chain:12", "tree:25,6", "tree:33,12" };
enum { COUNT = 5 };

static kit kit_number(int i)
{
    kit k = kit_of(coupled(MODELS[i]), 80 + (unsigned)i);
    soa_couple(k.m, k.q, k.v);
    return k;
}

typedef struct joint_at {
    int q, v;
} joint_at;

static joint_at place(const soa_model *m, int link)
{
    const soa_body body = soa_model_body(m, soa_model_link_body(m, link, NULL));
    return (joint_at){ body.q, body.v };
}

/* Residual, slope and curvature of coupling c at q, from the description. */
static void coupling_terms(const kit *k, int i, num *residual, num *slope, num *curvature)
{
    const soa_coupling *c = soa_model_coupling(k->m, i);
    const num x = c->driver < 0 ? 0 : k->q[place(k->m, c->driver).q];
    *residual = k->q[place(k->m, c->link).q];
    *slope = *curvature = 0;
    for (int p = 0; p < SOA_COUPLING_TERMS; p++) {
        *residual -= c->coefficient[p] * powl(x, p);
        *slope += p < 1 ? 0 : p * c->coefficient[p] * powl(x, p - 1);
        *curvature += p < 2 ? 0 : p * (p - 1) * c->coefficient[p] * powl(x, p - 2);
    }
}

/* q and v satisfy every coupling; what is independent has not moved. */
static void couple_sets_what_follows(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        kit k = kit_of(coupled(MODELS[i]), 60 + (unsigned)i);
        double *v = numbers(k.nv), *q = numbers(k.nq);
        int *velocity = calloc((size_t)k.nv, sizeof *velocity);
        memcpy(v, k.v, (size_t)k.nv * sizeof *v);
        memcpy(q, k.q, (size_t)k.nq * sizeof *q);
        soa_couple(k.m, q, NULL);
        soa_couple(k.m, k.q, k.v);
        SAME(k.nq, k.q, q);
        assert_int_equal(soa_independent(k.m), k.nv - 4);
        soa_independent_velocities(k.m, velocity);
        for (int j = 0; j < soa_independent(k.m); j++) {
            assert_true(j == 0 || velocity[j] > velocity[j - 1]);
            assert_true(k.v[velocity[j]] == v[velocity[j]]);
        }
        for (int c = 0; c < 4; c++) {
            const soa_coupling *coupling = soa_model_coupling(k.m, c);
            num residual, slope, curvature;
            coupling_terms(&k, c, &residual, &slope, &curvature);
            const num driver = coupling->driver < 0 ? 0 : k.v[place(k.m, coupling->driver).v];
            assert_true(fabsl(residual) < 1e-14L);
            assert_true(fabsl(k.v[place(k.m, coupling->link).v] - slope * driver) < 1e-14L);
        }
        free(velocity);
        free(v);
        free(q);
        kit_close(&k);
    }
}

static void coupled_velocity_at(void *context, double t, double *x)
{
    kit *k = context;
    double *q = numbers(k->nq), *v = numbers(k->nv);
    moved(k, t, q, v);
    soa_couple(k->m, q, v);
    memcpy(x, v, (size_t)k->nv * sizeof *v);
    free(q);
    free(v);
}

/* v = G v_i, and vdot = G vdot_i + bias is the rate of the coupled velocities along the motion. */
static void matrix_and_its_rate(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        kit k = kit_number(i);
        const int m = soa_independent(k.m);
        double *G = numbers(k.nv * m), *bias = numbers(k.nv), *x = numbers(k.nv), *y = numbers(k.nv);
        double *measured = numbers(k.nv);
        int *velocity = calloc((size_t)k.nv, sizeof *velocity);
        soa_independent_velocities(k.m, velocity);
        OK(&k, soa_coupling_matrix(k.m, k.w, 1, k.q, k.v, G, bias, &k.error));
        for (int r = 0; r < k.nv; r++) {
            x[r] = 0.0;
            y[r] = bias[r];
            for (int c = 0; c < m; c++) {
                x[r] += G[r * m + c] * k.v[velocity[c]];
                y[r] += G[r * m + c] * k.a[velocity[c]];
            }
        }
        NEAR(k.nv, x, k.v, 1e-14);
        rate_of(coupled_velocity_at, &k, 4e-3, k.nv, measured);
        NEAR(k.nv, y, measured, 1e-10);
        free(velocity);
        free(G);
        free(bias);
        free(x);
        free(y);
        free(measured);
        kit_close(&k);
    }
}

/* Mass vdot + C - J* f = T + A* lambda, A vdot = c: rows of the couplings, from the description. */
static void multipliers(const kit *k, double *vdot)
{
    const int n = k->nv, rows = soa_model_couplings(k->m), all = n + rows;
    num *K = calloc((size_t)(all * all), sizeof *K), *x = calloc((size_t)all, sizeof *x);
    num *M = calloc((size_t)(n * n), sizeof *M);
    double *C = numbers(n);
    oracle o = oracle_at(k->m, k->q, k->v, NULL);
    oracle_mass(&o, M);
    oracle_inverse_dynamics(&o, k->v, NULL, k->f, C);
    for (int i = 0; i < n; i++) {
        x[i] = (num)k->T[i] - C[i];
        for (int j = 0; j < n; j++) {
            K[i * all + j] = M[i * n + j];
        }
    }
    for (int r = 0; r < rows; r++) {
        const soa_coupling *c = soa_model_coupling(k->m, r);
        const int at = place(k->m, c->link).v;
        num residual, slope, curvature;
        coupling_terms(k, r, &residual, &slope, &curvature);
        K[(n + r) * all + at] = K[at * all + n + r] = 1;
        if (c->driver >= 0) {
            const int driver = place(k->m, c->driver).v;
            K[(n + r) * all + driver] = K[driver * all + n + r] = -slope;
            x[n + r] = curvature * k->v[driver] * k->v[driver];
        }
    }
    assert_true(dense_gauss(all, K, x));
    for (int i = 0; i < n; i++) {
        vdot[i] = (double)x[i];
    }
    oracle_free(&o);
    free(K);
    free(x);
    free(M);
    free(C);
}

static void reduced_dynamics_obeys_the_couplings(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        for (int trial = 0; trial < 4; trial++) {
            kit k = kit_number(i);
            for (int skip = 0; skip < trial; skip++) {
                kit_random(&k);
                soa_couple(k.m, k.q, k.v);
            }
            double *vdot = numbers(k.nv), *expected = numbers(k.nv), *again = numbers(k.nv);
            multipliers(&k, expected);
            OK(&k, soa_reduced_forward_dynamics(k.m, k.w, 1, k.q, k.v, k.T, k.f, vdot, &k.error));
            NEAR(k.nv, vdot, expected, 1e-10);
            for (int c = 0; c < 4; c++) { /* what v says of coupled joints is not read */
                k.v[place(k.m, soa_model_coupling(k.m, c)->link).v] = 7.0;
            }
            OK(&k, soa_reduced_forward_dynamics(k.m, k.w, 1, k.q, k.v, k.T, k.f, again, &k.error));
            SAME(k.nv, again, vdot);
            free(vdot);
            free(expected);
            free(again);
            kit_close(&k);
        }
    }
}

/* G* Mass G, G from the differences of coupled velocities: v = G v_i is linear in v_i. */
static void reduced_mass(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        kit k = kit_number(i);
        const int m = soa_independent(k.m), n = k.nv;
        double *A = numbers(m * m), *expected = numbers(m * m), *G = numbers(m * n), *q = numbers(k.nq);
        num *M = calloc((size_t)(n * n), sizeof *M);
        int *velocity = calloc((size_t)n, sizeof *velocity);
        soa_independent_velocities(k.m, velocity);
        for (int c = 0; c < m; c++) { /* row c: the velocities that independent velocity c makes */
            G[c * n + velocity[c]] = 1.0;
            memcpy(q, k.q, (size_t)k.nq * sizeof *q);
            soa_couple(k.m, q, G + c * n);
        }
        oracle o = oracle_at(k.m, k.q, NULL, NULL);
        oracle_mass(&o, M);
        for (int r = 0; r < m; r++) {
            for (int c = 0; c < m; c++) {
                num sum = 0;
                for (int x = 0; x < n; x++) {
                    for (int y = 0; G[r * n + x] != 0.0 && y < n; y++) {
                        sum += G[r * n + x] * M[x * n + y] * G[c * n + y];
                    }
                }
                expected[r * m + c] = (double)sum;
            }
        }
        OK(&k, soa_reduced_mass_matrix(k.m, k.w, 1, k.q, A, &k.error));
        NEAR(m * m, A, expected, 1e-12);
        for (int r = 0; r < m; r++) {
            for (int c = 0; c < m; c++) {
                assert_memory_equal(&A[r * m + c], &A[c * m + r], sizeof *A);
            }
        }
        oracle_free(&o);
        free(A);
        free(expected);
        free(G);
        free(q);
        free(M);
        free(velocity);
        kit_close(&k);
    }
}

/* Without couplings: the identity, the mass matrix, forward dynamics. */
static void nothing_coupled(void **state)
{
    (void)state;
    kit k = kit_open("arm7", 2);
    double G[49], M[49], expected[49], bias[7], vdot[7], free_vdot[7];
    int velocity[7];
    assert_int_equal(soa_independent(k.m), 7);
    soa_independent_velocities(k.m, velocity);
    OK(&k, soa_coupling_matrix(k.m, k.w, 1, k.q, k.v, G, bias, &k.error));
    for (int i = 0; i < 49; i++) {
        assert_true(G[i] == (i % 8 == 0 ? 1.0 : 0.0));
    }
    for (int i = 0; i < 7; i++) {
        assert_true(velocity[i] == i && bias[i] == 0.0);
    }
    OK(&k, soa_reduced_mass_matrix(k.m, k.w, 1, k.q, M, &k.error));
    OK(&k, soa_mass_matrix(k.m, k.w, 1, k.q, expected, &k.error));
    SAME(49, M, expected);
    OK(&k, soa_reduced_forward_dynamics(k.m, k.w, 1, k.q, k.v, k.T, k.f, vdot, &k.error));
    OK(&k, soa_forward_dynamics(k.m, k.w, 1, k.q, k.v, k.T, k.f, free_vdot, &k.error));
    SAME(7, vdot, free_vdot);
    kit_close(&k);
}

/* q that misses a coupling, a bad number, a singular state: that state alone is refused. */
static void refusals(void **state)
{
    (void)state;
    kit k = kit_number(0);
    double q[21], v[21], T[21], vdot[21], clean[21], G[3 * 7 * 3], bias[21], A[3 * 9];
    const joint_at last = place(k.m, soa_model_coupling(k.m, 3)->link);
    const char *name = soa_model_link(k.m, soa_model_coupling(k.m, 3)->link)->name;
    for (int s = 0; s < 3; s++) {
        memcpy(q + 7 * s, k.q, 7 * sizeof *q);
        memcpy(v + 7 * s, k.v, 7 * sizeof *v);
        memcpy(T + 7 * s, k.T, 7 * sizeof *T);
    }
    OK(&k, soa_reduced_forward_dynamics(k.m, k.w, 3, q, v, T, NULL, clean, &k.error));
    q[7 + last.q] += 1e-4;
    assert_int_equal(soa_reduced_forward_dynamics(k.m, k.w, 3, q, v, T, NULL, vdot, &k.error), SOA_E_CONFIGURATION);
    assert_int_equal(k.error.state, 1);
    assert_non_null(strstr(k.error.text, name));
    SAME(7, vdot, clean);
    SAME(7, vdot + 14, clean + 14);
    assert_true(isnan(vdot[7]) && isnan(vdot[13]));
    assert_int_equal(soa_coupling_matrix(k.m, k.w, 3, q, v, G, bias, &k.error), SOA_E_CONFIGURATION);
    assert_true(isnan(G[21]) && isnan(bias[7]) && isfinite(G[0]) && isfinite(bias[20]));
    assert_int_equal(soa_reduced_mass_matrix(k.m, k.w, 3, q, A, &k.error), SOA_E_CONFIGURATION);
    assert_true(isnan(A[9]) && isfinite(A[0]) && isfinite(A[26]));
    q[7 + last.q] -= 1e-4;
    soa_couple(k.m, q + 7, NULL);
    T[14] = NAN;
    assert_int_equal(soa_reduced_forward_dynamics(k.m, k.w, 3, q, v, T, NULL, vdot, &k.error), SOA_E_NUMBER);
    assert_int_equal(k.error.state, 2);
    assert_non_null(strstr(k.error.text, "T[0]"));
    const double none[21] = { 0.0 };
    OK(&k, soa_reduced_forward_dynamics(k.m, k.w, 3, q, v, none, NULL, clean, &k.error));
    OK(&k, soa_reduced_forward_dynamics(k.m, k.w, 3, q, v, NULL, NULL, vdot, &k.error));
    SAME(21, vdot, clean);
    assert_int_equal(soa_reduced_forward_dynamics(k.m, k.w, 3, q, v, T, NULL, NULL, &k.error), SOA_E_ARGUMENT);
    kit_close(&k);
}

/* An arm and two massless links that follow it. */
static soa_model *arm_and_followers(double mass)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model;
    soa_error error;
    const char *const names[] = { "arm", "left", "right" };
    for (int i = 0; i < 3; i++) {
        soa_link link = soa_link_default(names[i], i == 0 ? SOA_WORLD : 0, SOA_REVOLUTE);
        link.inertia.mass = i == 0 ? mass : 0.0;
        link.inertia.com[0] = i == 0 && mass > 0.0 ? 0.5 : 0.0;
        const soa_coupling c = { .link = i, .driver = 0, .coefficient = { 0.0, i } };
        ok_at(__FILE__, __LINE__, soa_builder_add_link(b, &link, NULL, &error), &error);
        if (i > 0) {
            ok_at(__FILE__, __LINE__, soa_builder_add_coupling(b, &c, NULL, &error), &error);
        }
    }
    ok_at(__FILE__, __LINE__, soa_builder_finish(b, &model, &error), &error);
    soa_builder_free(b);
    return model;
}

/* Massless links coupled to one that has mass can be solved, though each alone could not be. */
static void massless_followers(void **state)
{
    (void)state;
    kit k = kit_of(arm_and_followers(1.0), 1);
    double q[3] = { 0.2, 0.2, 0.4 }, T[3] = { 0.1, 0.2, 0.3 }, vdot[3];
    const double expected[3] = { 0.9 / 0.25, 0.9 / 0.25, 1.8 / 0.25 };
    assert_int_equal(soa_forward_dynamics(k.m, k.w, 1, q, NULL, T, NULL, vdot, &k.error), SOA_E_SINGULAR);
    OK(&k, soa_reduced_forward_dynamics(k.m, k.w, 1, q, NULL, T, NULL, vdot, &k.error));
    NEAR(3, vdot, expected, 1e-14);
    kit_close(&k);
    k = kit_of(arm_and_followers(0.0), 1); /* and with no mass at all nothing can be */
    soa_error_clear(&k.error);
    assert_int_equal(soa_reduced_forward_dynamics(k.m, k.w, 1, q, NULL, T, NULL, vdot, &k.error), SOA_E_SINGULAR);
    assert_int_equal(k.error.body, 0);
    assert_int_equal(k.error.state, 0);
    assert_non_null(strstr(k.error.text, "'arm'"));
    assert_true(isnan(vdot[0]) && isnan(vdot[1]) && isnan(vdot[2]));
    kit_close(&k);
}

/* The body named is that of the independent velocity that moves nothing, not the one before or after it. */
static void names_the_independent_joint(void **state)
{
    (void)state;
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model;
    soa_error error;
    const char *const names[] = { "heavy", "idle", "follower", "last" };
    for (int i = 0; i < 4; i++) {
        soa_link link = soa_link_default(names[i], i == 2 ? 1 : SOA_WORLD, SOA_REVOLUTE);
        const bool massive = i == 0 || i == 3;
        link.inertia = (soa_inertia){ .mass = massive ? 1.0 : 0.0, .com = { massive ? 0.5 : 0.0, 0.0, 0.0 } };
        ok_at(__FILE__, __LINE__, soa_builder_add_link(b, &link, NULL, &error), &error);
    }
    const soa_coupling c = { .link = 2, .driver = 1, .coefficient = { 0.0, 1.0 } };
    ok_at(__FILE__, __LINE__, soa_builder_add_coupling(b, &c, NULL, &error), &error);
    ok_at(__FILE__, __LINE__, soa_builder_finish(b, &model, &error), &error);
    soa_builder_free(b);
    kit k = kit_of(model, 1);
    double q[4] = { 0.2, 0.2, 0.2, 0.2 }, T[4] = { 0.0 }, vdot[4];
    assert_int_equal(soa_reduced_forward_dynamics(k.m, k.w, 1, q, NULL, T, NULL, vdot, &k.error), SOA_E_SINGULAR);
    assert_non_null(strstr(k.error.text, "'idle'"));
    assert_string_equal(soa_model_link(k.m, soa_model_body(k.m, k.error.body).link)->name, "idle");
    kit_close(&k);
}

/* Couplings are reduced up to a size; beyond it the matrix of couplings still is to be had. */
static void too_many_velocities(void **state)
{
    (void)state;
    char name[32];
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model, *chain;
    soa_error error;
    snprintf(name, sizeof name, "chain:%d", SOA_MAX_REDUCED + 2);
    chain = builtin(name);
    const soa_coupling c = { .link = 1, .driver = 0, .coefficient = { 0.0, 1.0 } };
    ok_at(__FILE__, __LINE__, soa_builder_attach(b, chain, NULL, SOA_WORLD, NULL, &error), &error);
    ok_at(__FILE__, __LINE__, soa_builder_add_coupling(b, &c, NULL, &error), &error);
    ok_at(__FILE__, __LINE__, soa_builder_finish(b, &model, &error), &error);
    soa_builder_free(b);
    soa_model_free(chain);
    kit k = kit_of(model, 1);
    soa_couple(k.m, k.q, k.v);
    double *vdot = numbers(k.nv);
    vdot[0] = 7.0;
    assert_int_equal(soa_reduced_forward_dynamics(k.m, k.w, 1, k.q, k.v, k.T, NULL, vdot, &k.error), SOA_E_LIMIT);
    assert_int_equal(soa_reduced_mass_matrix(k.m, k.w, 1, k.q, vdot, &k.error), SOA_E_LIMIT);
    assert_true(vdot[0] == 7.0);
    free(vdot);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(couple_sets_what_follows),
        cmocka_unit_test(matrix_and_its_rate),
        cmocka_unit_test(reduced_dynamics_obeys_the_couplings),
        cmocka_unit_test(reduced_mass),
        cmocka_unit_test(nothing_coupled),
        cmocka_unit_test(refusals),
        cmocka_unit_test(massless_followers),
        cmocka_unit_test(names_the_independent_joint),
        cmocka_unit_test(too_many_velocities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
