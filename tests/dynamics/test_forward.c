/* Forward and hybrid dynamics, the mass matrix and its inverse against dense algebra. */
#include "dynamics/kit.h"

static const char *const MODELS[] = { "pendulum", "double-pendulum", "arm6", "arm7", "dual-arm", "quadruped",
    "humanoid", "satellite", "hexapod", "chain:20" };
enum { NAMED = sizeof MODELS / sizeof MODELS[0], TREES = 24 };

static kit kit_number(int i)
{
    return i < NAMED ? kit_open(MODELS[i], 100 + (unsigned)i) : kit_tree(1 + (i - NAMED) * 39 / (TREES - 1), 100 + i);
}

static num *square(int n)
{
    num *x = calloc((size_t)n * (size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

/* ---- mass matrix ---------------------------------------------------------------------------- */

static void mass_is_that_of_the_kinetic_energy(void **state)
{
    (void)state;
    for (int i = 0; i < NAMED + TREES; i++) {
        kit k = kit_number(i);
        const int n = k.nv * k.nv;
        double *M = numbers(n), *expected = numbers(n), *column = numbers(k.nv), *e = numbers(k.nv), *g = numbers(k.nv);
        num *exact = square(k.nv);
        oracle o = oracle_at(k.m, k.q, NULL, NULL);
        oracle_mass(&o, exact);
        for (int j = 0; j < n; j++) {
            expected[j] = (double)exact[j];
        }
        OK(&k, soa_mass_matrix(k.m, k.w, 1, k.q, M, &k.error));
        NEAR(n, M, expected, 1e-12);
        OK(&k, soa_gravity_force(k.m, k.w, 1, k.q, g, &k.error));
        for (int c = 0; c < k.nv; c++) { /* columns by inverse dynamics and by products */
            e[c] = 1.0;
            OK(&k, soa_mass_multiply(k.m, k.w, 1, k.q, e, column, &k.error));
            NEAR(k.nv, column, M + c * k.nv, 1e-12);
            OK(&k, soa_inverse_dynamics(k.m, k.w, 1, k.q, NULL, e, NULL, column, &k.error));
            for (int r = 0; r < k.nv; r++) {
                column[r] -= g[r];
                assert_memory_equal(&M[r * k.nv + c], &M[c * k.nv + r], sizeof *M);
            }
            NEAR(k.nv, column, M + c * k.nv, 1e-11);
            e[c] = 0.0;
        }
        oracle_free(&o);
        free(M);
        free(expected);
        free(column);
        free(e);
        free(g);
        free(exact);
        kit_close(&k);
    }
}

/* Mass^-1 x by a dense factorization of the oracle's matrix. */
static void dense_inverse_times(const kit *k, const double *x, double *y)
{
    num *M = square(k->nv), *z = square(k->nv);
    oracle o = oracle_at(k->m, k->q, NULL, NULL);
    oracle_mass(&o, M);
    assert_true(dense_factor(k->nv, M));
    for (int i = 0; i < k->nv; i++) {
        z[i] = x[i];
    }
    dense_solve(k->nv, M, z);
    for (int i = 0; i < k->nv; i++) {
        y[i] = (double)z[i];
    }
    oracle_free(&o);
    free(M);
    free(z);
}

/* Mass^-1 from sweeps against the dense one; Mass^-1 Mass = I; symmetric to the bit. */
static void inverse_of_the_mass_matrix(void **state)
{
    (void)state;
    for (int i = 0; i < NAMED + TREES; i++) {
        kit k = kit_number(i);
        const int nv = k.nv;
        double *M = numbers(nv * nv), *inv = numbers(nv * nv), *y = numbers(nv), *expected = numbers(nv);
        OK(&k, soa_mass_matrix(k.m, k.w, 1, k.q, M, &k.error));
        OK(&k, soa_mass_inverse(k.m, k.w, 1, k.q, inv, &k.error));
        OK(&k, soa_mass_solve(k.m, k.w, 1, k.q, k.T, y, &k.error));
        dense_inverse_times(&k, k.T, expected);
        NEAR(nv, y, expected, 1e-11);
        for (int r = 0; r < nv; r++) {
            double row[2] = { 0 }, unit[2] = { 1.0, 0.0 };
            y[r] = 0.0;
            for (int c = 0; c < nv; c++) {
                assert_memory_equal(&inv[r * nv + c], &inv[c * nv + r], sizeof *inv);
                y[r] += inv[r * nv + c] * k.T[c];
                row[0] += inv[r * nv + c] * M[c * nv + r];
                row[1] += inv[r * nv + c] * M[c * nv + (r + 1) % nv];
            }
            NEAR(nv > 1 ? 2 : 1, row, unit, 1e-9);
        }
        NEAR(nv, y, expected, 1e-11);
        OK(&k, soa_mass_multiply(k.m, k.w, 1, k.q, y, expected, &k.error));
        NEAR(nv, expected, k.T, 1e-10);
        free(M);
        free(inv);
        free(y);
        free(expected);
        kit_close(&k);
    }
}

/* ---- forward dynamics ----------------------------------------------------------------------- */

static void check_methods(kit *k, const double *v, const double *f)
{
    const soa_method methods[] = { SOA_FD_FASTEST, SOA_FD1, SOA_FD2, SOA_FD3, SOA_FD4 };
    double *C = numbers(k->nv), *expected = numbers(k->nv), *vdot = numbers(k->nv);
    oracle o = oracle_at(k->m, k->q, v, NULL);
    oracle_inverse_dynamics(&o, v, NULL, f, C);
    for (int i = 0; i < k->nv; i++) {
        C[i] = k->T[i] - C[i];
    }
    dense_inverse_times(k, C, expected);
    for (int i = 0; i < 5; i++) {
        memset(vdot, 0xff, (size_t)k->nv * sizeof *vdot);
        OK(k, soa_forward_dynamics_by(k->m, k->w, methods[i], 1, k->q, v, k->T, f, vdot, &k->error));
        NEAR(k->nv, vdot, expected, 1e-11);
    }
    OK(k, soa_forward_dynamics(k->m, k->w, 1, k->q, v, k->T, f, vdot, &k->error));
    NEAR(k->nv, vdot, expected, 1e-11);
    oracle_free(&o);
    free(C);
    free(expected);
    free(vdot);
}

static void every_method_solves_the_equations(void **state)
{
    (void)state;
    for (int i = 0; i < NAMED + TREES; i++) {
        kit k = kit_number(i);
        check_methods(&k, k.v, k.f);
        check_methods(&k, k.v, NULL);
        check_methods(&k, NULL, k.f);
        check_methods(&k, NULL, NULL);
        kit_close(&k);
    }
}

/* A heavy rotor on every joint with one velocity, on the parent link, turning about another axis. */
static void heavy_rotor(int link, soa_link *value)
{
    if (soa_joint_kind_nv(value->joint.kind) == 1) {
        const soa_rotor rotor = { .armature = 0.02 * (link % 3),
            .ratio = link % 2 ? -30.0 : 50.0,
            .axis = { 1, 2, 3 },
            .spin = 2e-4,
            .transverse = 3e-4,
            .mass = 0.4,
            .com = { 0.1, 0.05, 0.02 * link } };
        value->joint.rotor = value->parent == SOA_WORLD ? (soa_rotor){ .armature = 0.3 } : rotor;
    }
}

static void with_and_without_motors(void **state)
{
    void (*const edits[])(int, soa_link *) = { no_rotor, heavy_rotor };
    (void)state;
    for (int i = 0; i < 2 * TREES; i++) {
        kit k = kit_of(edited(builtin(i < TREES ? "tree:15,3" : "tree:24,9"), edits[i % 2]), 7 + (unsigned)i);
        check_methods(&k, k.v, k.f);
        kit_close(&k);
    }
}

/* aba(rnea(a)) = a, external forces and all. */
static void forward_inverts_inverse(void **state)
{
    (void)state;
    for (int i = 0; i < NAMED + TREES; i++) {
        kit k = kit_number(i);
        double *T = numbers(k.nv), *vdot = numbers(k.nv);
        OK(&k, soa_inverse_dynamics(k.m, k.w, 1, k.q, k.v, k.a, k.f, T, &k.error));
        for (int method = SOA_FD_FASTEST; method <= SOA_FD4; method++) {
            OK(&k, soa_forward_dynamics_by(k.m, k.w, (soa_method)method, 1, k.q, k.v, T, k.f, vdot, &k.error));
            NEAR(k.nv, vdot, k.a, 1e-10);
        }
        free(T);
        free(vdot);
        kit_close(&k);
    }
}

/* ---- hybrid ------------------------------------------------------------------------------------ */

/* Solves the free rows of Mass vdot = T - C for the free accelerations, densely. */
static void dense_hybrid(const kit *k, const bool *prescribed, double *T, double *vdot)
{
    int *at = calloc((size_t)k->nv + 1, sizeof *at), n = 0;
    double *C = numbers(k->nv);
    num *M = square(k->nv), *A = square(k->nv), *x = square(k->nv);
    oracle o = oracle_at(k->m, k->q, k->v, NULL);
    oracle_mass(&o, M);
    oracle_inverse_dynamics(&o, k->v, NULL, k->f, C);
    for (int i = 0; i < k->nv; i++) {
        if (!prescribed[i]) {
            at[n++] = i;
        }
    }
    for (int i = 0; i < n; i++) {
        x[i] = (num)T[at[i]] - C[at[i]];
        for (int j = 0; j < k->nv; j++) {
            x[i] -= prescribed[j] ? M[at[i] * k->nv + j] * vdot[j] : 0;
        }
        for (int j = 0; j < n; j++) {
            A[i * n + j] = M[at[i] * k->nv + at[j]];
        }
    }
    assert_true(dense_factor(n, A));
    dense_solve(n, A, x);
    for (int i = 0; i < n; i++) {
        vdot[at[i]] = (double)x[i];
    }
    for (int i = 0; i < k->nv; i++) {
        num sum = C[i];
        for (int j = 0; j < k->nv; j++) {
            sum += M[i * k->nv + j] * vdot[j];
        }
        T[i] = prescribed[i] ? (double)sum : T[i];
    }
    oracle_free(&o);
    free(at);
    free(C);
    free(M);
    free(A);
    free(x);
}

static void choose_joints(kit *k, int trial, bool *prescribed)
{
    for (int b = 0; b < k->bodies; b++) {
        const soa_body body = soa_model_body(k->m, b);
        const bool yes = trial == 0 ? false : trial == 1 ? true : soa_model_random_number(&k->seed) > 0.0;
        for (int i = 0; i < body.nv; i++) {
            prescribed[body.v + i] = yes;
        }
    }
}

static void hybrid_joints(void **state)
{
    (void)state;
    for (int i = 0; i < NAMED + TREES; i++) {
        kit k = kit_number(i);
        bool *prescribed = calloc((size_t)k.nv + 1, sizeof *prescribed);
        double *T = numbers(k.nv), *vdot = numbers(k.nv), *back = numbers(k.nv);
        double *T_dense = numbers(k.nv), *vdot_dense = numbers(k.nv);
        for (int trial = 0; trial < 4; trial++) {
            choose_joints(&k, trial, prescribed);
            for (int j = 0; j < k.nv; j++) { /* what is to be computed begins as nonsense */
                T[j] = T_dense[j] = prescribed[j] ? (double)NAN : k.T[j];
                vdot[j] = vdot_dense[j] = prescribed[j] ? k.a[j] : (double)NAN;
            }
            dense_hybrid(&k, prescribed, T_dense, vdot_dense);
            OK(&k, soa_hybrid_dynamics(k.m, k.w, prescribed, 1, k.q, k.v, k.f, T, vdot, &k.error));
            NEAR(k.nv, vdot, vdot_dense, 1e-11);
            NEAR(k.nv, T, T_dense, 1e-11);
            OK(&k, soa_inverse_dynamics(k.m, k.w, 1, k.q, k.v, vdot, k.f, back, &k.error));
            NEAR(k.nv, back, T, 1e-10);
            OK(&k, soa_forward_dynamics(k.m, k.w, 1, k.q, k.v, T, k.f, back, &k.error));
            NEAR(k.nv, back, vdot, 1e-10);
        }
        free(prescribed);
        free(T);
        free(vdot);
        free(back);
        free(T_dense);
        free(vdot_dense);
        kit_close(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_is_that_of_the_kinetic_energy),
        cmocka_unit_test(inverse_of_the_mass_matrix),
        cmocka_unit_test(every_method_solves_the_equations),
        cmocka_unit_test(with_and_without_motors),
        cmocka_unit_test(forward_inverts_inverse),
        cmocka_unit_test(hybrid_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
