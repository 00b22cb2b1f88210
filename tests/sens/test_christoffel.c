/* Derivatives of the mass matrix and Christoffel symbols: against differences of the mass matrix, the
 * operator form [DMO], and the rules they obey. */
#include "sens/differences.h"

#include "soa/christoffel.h"

enum { TREES = 300 };

/* ---- a tensor, and differences ------------------------------------------------------------------ */

static void mass(kit *k, const double *q, const double *v, const double *u, double *M)
{
    (void)v, (void)u;
    OK(k, soa_mass_matrix(k->m, k->w, 1, q, M, &k->error));
}

/* dMass(j,k)/dq_i at (i n + j) n + k. */
static double *mass_differences(kit *k)
{
    const int n = k->nv;
    double *by = differences(k, mass, BY_Q, k->a, n * n), *d = numbers(n * n * n);
    for (int i = 0; i < n; i++) {
        for (int e = 0; e < n * n; e++) {
            d[i * n * n + e] = by[e * n + i];
        }
    }
    free(by);
    return d;
}

/* Component l of the bracket of velocities a and b of a joint: that of left-invariant fields. */
static double bracket(soa_joint_kind kind, int a, int b, int l)
{
    static const int turn[3][3] = { { 0, 3, -2 }, { -3, 0, 1 }, { 2, -1, 0 } }; /* a x b = +- axis (1 ..) */
    if (kind == SOA_PLANAR) { /* vx, vy, w: [w, vx] = vy, [w, vy] = -vx */
        const int x[3][3] = { { 0, 0, -2 }, { 0, 0, 1 }, { 2, -1, 0 } };
        const int to = x[a][b];
        return to == 0 || abs(to) - 1 != l ? 0.0 : to > 0 ? 1.0 : -1.0;
    }
    if ((kind != SOA_FREE && kind != SOA_SPHERICAL) || (a > 2 && b > 2)) {
        return 0.0;
    }
    const int to = turn[a % 3][b % 3], base = a > 2 || b > 2 ? 3 : 0;
    return to == 0 || base + abs(to) - 1 != l ? 0.0 : to > 0 ? 1.0 : -1.0;
}

/* Mass([e_a, e_b], e_i). */
static double bracket_mass(kit *k, const int *body, const double *M, int a, int b, int i)
{
    const soa_body at = soa_model_body(k->m, body[a]);
    double sum = 0.0;
    for (int l = 0; body[a] == body[b] && l < at.nv; l++) {
        sum += bracket(at.kind, a - at.v, b - at.v, l) * M[(at.v + l) * k->nv + i];
    }
    return sum;
}

/* The formula of Koszul on differences d of the mass matrix M. */
static double *koszul(kit *k, const double *M, const double *d)
{
    const int n = k->nv;
    int body[6 * TREE_MAX_LINKS];
    double *C = numbers(n * n * n);
    for (int b = 0; b < k->bodies; b++) {
        const soa_body at = soa_model_body(k->m, b);
        for (int c = 0; c < at.nv; c++) {
            body[at.v + c] = b;
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int l = 0; l < n; l++) {
                const double half = d[(l * n + i) * n + j] + d[(j * n + i) * n + l] - d[(i * n + j) * n + l] +
                                    bracket_mass(k, body, M, j, l, i) - bracket_mass(k, body, M, l, i, j) +
                                    bracket_mass(k, body, M, i, j, l);
                C[(i * n + j) * n + l] = 0.5 * half;
            }
        }
    }
    return C;
}

/* ---- against differences ---------------------------------------------------------------------------- */

static void check_contracted(kit *k, const double *d, const double *C)
{
    const int n = k->nv;
    double *x = numbers(n * n), *y = numbers(n * n), *z = numbers(n);
    OK(k, soa_mass_rate(k->m, k->w, 1, k->q, k->v, x, &k->error));
    for (int e = 0; e < n * n; e++) {
        for (int i = 0; i < n; i++) {
            y[e] += d[i * n * n + e] * k->v[i];
        }
    }
    NEAR(n * n, x, y, 1e-11);
    OK(k, soa_mass_product_derivative(k->m, k->w, 1, k->q, k->v, x, &k->error));
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            y[j * n + i] = 0.0;
            for (int l = 0; l < n; l++) {
                y[j * n + i] += d[(i * n + j) * n + l] * k->v[l];
            }
        }
    }
    NEAR(n * n, x, y, 1e-11);
    const int i = n / 2;
    if (n > 0) {
        OK(k, soa_mass_derivative(k->m, k->w, i, 1, k->q, x, &k->error));
        NEAR(n * n, x, d + i * n * n, 1e-11);
    }
    OK(k, soa_christoffel_product(k->m, k->w, 1, k->q, k->v, k->a, z, &k->error));
    for (int a = 0; a < n; a++) {
        y[a] = 0.0;
        for (int e = 0; e < n * n; e++) {
            y[a] += C[a * n * n + e] * k->v[e / n] * k->a[e % n];
        }
    }
    NEAR(n, z, y, 1e-11);
    free(x);
    free(y);
    free(z);
}

/* The sums of the symbols with v are the Coriolis matrix and force; with pairs of them the derivatives. */
static void check_sums(kit *k, const double *d, const double *C)
{
    const int n = k->nv;
    double *matrix = numbers(n * n), *sum = numbers(n * n), *force = numbers(n), *total = numbers(n);
    OK(k, soa_coriolis_matrix(k->m, k->w, 1, k->q, k->v, matrix, &k->error));
    OK(k, soa_coriolis_force(k->m, k->w, 1, k->q, k->v, force, &k->error));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int l = 0; l < n; l++) {
                const double x = C[(i * n + j) * n + l];
                sum[i * n + l] += x * k->v[j];
                total[i] += x * k->v[j] * k->v[l];
                const double derivative = x + C[(l * n + j) * n + i];
                assert_true(fabs(derivative - d[(j * n + i) * n + l]) < 1e-10 * (1.0 + fabs(x)));
            }
        }
    }
    NEAR(n * n, matrix, sum, 1e-11);
    NEAR(n, force, total, 1e-10);
    free(matrix);
    free(sum);
    free(force);
    free(total);
}

static void check_packed(kit *k, const double *C)
{
    const int n = k->nv;
    const long long size = soa_christoffel_size(k->m);
    double *packed = numbers((int)size);
    long long found = 0;
    OK(k, soa_christoffel_packed(k->m, k->w, 1, k->q, packed, &k->error));
    for (int e = 0; e < n * n * n; e++) {
        const long long at = soa_christoffel_index(k->m, e / n / n, e / n % n, e % n);
        found += at >= 0;
        assert_true(at < size);
        SAME(1, C + e, at < 0 ? (const double[]){ 0.0 } : packed + at);
    }
    assert_true(found == size);
    free(packed);
}

static void check_model(kit *k, double tolerance)
{
    const int n = k->nv;
    double *d = numbers(n * n * n), *C = numbers(n * n * n), *M = numbers(n * n);
    double *expected = mass_differences(k);
    mass(k, k->q, NULL, NULL, M);
    OK(k, soa_mass_derivatives(k->m, k->w, 1, k->q, d, &k->error));
    NEAR(n * n * n, d, expected, tolerance);
    double *symbols = koszul(k, M, expected);
    OK(k, soa_christoffel(k->m, k->w, 1, k->q, C, &k->error));
    NEAR(n * n * n, C, symbols, tolerance);
    check_contracted(k, d, C);
    check_sums(k, d, C);
    check_packed(k, C);
    free(symbols);
    free(expected);
    free(d);
    free(C);
    free(M);
}

static void of_trees(void **state)
{
    (void)state;
    for (int seed = 0; seed < TREES; seed++) {
        kit k = kit_random_tree(seed);
        check_model(&k, 1e-9);
        kit_close(&k);
    }
}

static void armature(int link, soa_link *value)
{
    (void)link;
    if (value->joint.kind != SOA_FIXED) {
        value->joint.rotor = (soa_rotor){ .armature = 0.4 };
    }
}

static void with_armature(void **state)
{
    (void)state;
    for (int seed = 1; seed < 30; seed++) {
        const tree t = tree_new(1 + seed % 9, TREE_BUSHY, true, (unsigned long long)seed);
        kit k = kit_of(edited(t.model, armature), (unsigned long long)seed);
        check_model(&k, 1e-9);
        kit_close(&k);
    }
}

static void of_robots(void **state)
{
    (void)state;
    static const char *const name[] = { "arm7", "quadruped", "humanoid", "chain:12", "tree:20,3" };
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        kit k = kit_open(name[i], i + 1);
        check_model(&k, 1e-9);
        kit_close(&k);
    }
}

/* ---- the operator form --------------------------------------------------------------------------------- */

static double *operator_of(kit *k, soa_operator op, int rows, int columns)
{
    double *A = numbers(rows * columns);
    OK(k, soa_dense_operator(k->m, k->q, 0, NULL, op, false, A, &k->error));
    return A;
}

/* c = a b, r x s times s x t */
static double *product(int r, int s, int t, const double *a, const double *b)
{
    double *c = numbers(r * t);
    for (int i = 0; i < r; i++) {
        for (int l = 0; l < s; l++) {
            for (int j = 0; j < t && a[i * s + l] != 0.0; j++) {
                c[i * t + j] += a[i * s + l] * b[l * t + j];
            }
        }
    }
    return c;
}

static double *transposed(int r, int s, const double *a)
{
    double *b = numbers(r * s);
    for (int i = 0; i < r * s; i++) {
        b[i % s * r + i / s] = a[i];
    }
    return b;
}

/* Whether a column of the joint is fixed in the inboard body, as the joints are described. */
static bool inboard(const soa_joint *joint, int c)
{
    return (joint->kind == SOA_UNIVERSAL && c == 0) != joint->reversed;
}

/* (phi~ X + W) y: X = [w~ u~; 0 w~] of velocity i at its body, W = X for rows of H fixed inboard. */
static void cross_pick(const double *h, const double *y, double *z)
{
    const double a[3] = { h[0], h[1], h[2] }, b[3] = { h[3], h[4], h[5] };
    for (int e = 0; e < 3; e++) {
        const int f = (e + 1) % 3, g = (e + 2) % 3;
        z[e] = a[f] * y[g] - a[g] * y[f] + b[f] * y[3 + g] - b[g] * y[3 + f];
        z[3 + e] = a[f] * y[3 + g] - a[g] * y[3 + f];
    }
}

/* Z = H (phi~ X + W) phi M phi* H*; dMass/dq_i = Z + Z*. */
static void check_operator_form(kit *k)
{
    const int n = k->nv, s = 6 * k->bodies;
    double *H = operator_of(k, SOA_OP_H, n, s), *M = operator_of(k, SOA_OP_M, s, s);
    double *phi = operator_of(k, SOA_OP_PHI, s, s), *strict = operator_of(k, SOA_OP_PHI_STRICT, s, s);
    double *H_t = transposed(n, s, H), *phi_t = transposed(s, s, phi);
    double *a = product(s, s, n, phi_t, H_t), *b = product(s, s, n, M, a), *F = product(s, s, n, phi, b);
    double *H_strict = product(n, s, s, H, strict), *d = numbers(n * n * n);
    OK(k, soa_mass_derivatives(k->m, k->w, 1, k->q, d, &k->error));
    for (int body = 0; body < k->bodies; body++) {
        const soa_body at = soa_model_body(k->m, body);
        const soa_joint *joint = &soa_model_link(k->m, at.link)->joint;
        for (int i = at.v; i < at.v + at.nv; i++) {
            double *Z = numbers(n * n), *sum = numbers(n * n), y[6], z[6];
            for (int column = 0; column < n; column++) {
                for (int f = 0; f < 6; f++) {
                    y[f] = F[(6 * body + f) * n + column];
                }
                cross_pick(H + i * s + 6 * body, y, z);
                for (int row = 0; row < n; row++) {
                    const bool fixed = at.nv > 1 && row >= at.v && row < at.v + at.nv && inboard(joint, row - at.v);
                    for (int f = 0; f < 6; f++) {
                        const double h = H_strict[row * s + 6 * body + f] + (fixed ? H[row * s + 6 * body + f] : 0.0);
                        Z[row * n + column] += h * z[f];
                    }
                }
            }
            for (int e = 0; e < n * n; e++) {
                sum[e] = Z[e] + Z[e % n * n + e / n];
            }
            NEAR(n * n, d + i * n * n, sum, 1e-12);
            free(Z);
            free(sum);
        }
    }
    double *all[] = { H, M, phi, strict, H_t, phi_t, a, b, F, H_strict, d };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

static void is_the_operator_form(void **state)
{
    (void)state;
    for (int seed = 0; seed < 60; seed++) { /* without rotors */
        const tree t = tree_new(1 + seed % 14, seed % 3 ? TREE_BUSHY : TREE_CHAIN, false, (unsigned long long)seed);
        kit k = kit_of(t.model, (unsigned long long)seed);
        check_operator_form(&k);
        kit_close(&k);
    }
}

/* ---- rules: joints of one dof ------------------------------------------------------------------------ */

/* Whether velocity (= body) a is b or inboard of it. */
static bool inboard_of(kit *k, int a, int b)
{
    while (b > a) {
        b = soa_model_body(k->m, b).parent;
    }
    return a == b;
}

/* Every joint about, along or around one axis. */
static void one_dof(int link, soa_link *value)
{
    soa_joint *joint = &value->joint;
    if (soa_joint_kind_nv(joint->kind) > 1) {
        const soa_joint_kind kind[3] = { SOA_REVOLUTE, SOA_PRISMATIC, SOA_HELICAL };
        soa_joint plain = soa_joint_default(joint->name, kind[link % 3]);
        plain.at = joint->at;
        plain.child = joint->child;
        plain.axis[1] = 0.7;
        plain.pitch = 0.2;
        *joint = plain;
    }
}

/* Symmetry, zeros and signs of the symbols; inboard is towards the base. */
static void obeys_the_rules(void **state)
{
    (void)state;
    int simple_trees = 0;
    for (int seed = 1; seed < 40; seed++) {
        const tree t = tree_new(3 + seed % 12, TREE_BUSHY, seed % 2 == 0, (unsigned long long)seed);
        kit k = kit_of(edited(t.model, one_dof), (unsigned long long)seed);
        const int n = k.nv;
        double *C = numbers(n * n * n), *d = numbers(n * n * n);
        OK(&k, soa_christoffel(k.m, k.w, 1, k.q, C, &k.error));
        OK(&k, soa_mass_derivatives(k.m, k.w, 1, k.q, d, &k.error));
        const bool simple = n == k.bodies;
        simple_trees += simple;
        for (int e = 0; simple && e < n * n * n; e++) {
            const int i = e / n / n, j = e / n % n, l = e % n;
            SAME(1, C + e, C + (i * n + l) * n + j);
            if (inboard_of(&k, j, i) && inboard_of(&k, j, l)) {
                assert_true(fabs(C[e] + C[(l * n + j) * n + i]) < 1e-12);
                assert_true(d[(j * n + i) * n + l] == 0.0);
            }
            if (l == i && inboard_of(&k, j, i)) {
                assert_true(C[e] == 0.0);
            }
            if (!(inboard_of(&k, i, j) || inboard_of(&k, j, i)) || !(inboard_of(&k, i, l) || inboard_of(&k, l, i))) {
                assert_true(C[e] == 0.0 && d[e] == 0.0);
            }
        }
        free(C);
        free(d);
        kit_close(&k);
    }
    assert_true(simple_trees == 39);
}

/* Symbols do not depend on the innermost joint of those they belong to. */
static void do_not_depend_on_inner_joints(void **state)
{
    (void)state;
    kit k = kit_open("arm7", 5);
    const int n = k.nv;
    double *before = numbers(n * n * n), *after = numbers(n * n * n);
    OK(&k, soa_christoffel(k.m, k.w, 1, k.q, before, &k.error));
    const int moved_joint = 3;
    k.q[moved_joint] += 0.5;
    OK(&k, soa_christoffel(k.m, k.w, 1, k.q, after, &k.error));
    int changed = 0;
    for (int e = 0; e < n * n * n; e++) {
        const int i = e / n / n, j = e / n % n, l = e % n;
        const bool same = fabs(before[e] - after[e]) < 1e-12;
        changed += !same;
        assert_true(same || i < moved_joint || j < moved_joint || l < moved_joint);
    }
    assert_true(changed > 20);
    free(before);
    free(after);
    kit_close(&k);
}

/* ---- lanes, layouts, refusals -------------------------------------------------------------------------- */

static void has_the_same_bits(void **state)
{
    (void)state;
    enum { STATES = 5 };
    for (int seed = 0; seed < 12; seed++) {
        kit k = kit_random_tree(seed);
        const int n = k.nv, size = n * n * n;
        double *q = numbers(STATES * k.nq), *one = numbers(size * STATES), *many = numbers(size * STATES * 2);
        for (int s = 0; s < STATES; s++) {
            soa_random_configuration(k.m, &k.seed, q + s * k.nq);
        }
        const int most = soa_workspace_lanes(k.w);
        OK(&k, soa_workspace_set_lanes(k.w, 1, &k.error));
        for (int what = 0; what < 2; what++) {
            soa_status (*call)(const soa_model *, soa_workspace *, int, const double *, double *, soa_error *) =
                what == 0 ? soa_christoffel : soa_mass_derivatives;
            OK(&k, soa_workspace_set_lanes(k.w, 1, &k.error));
            OK(&k, call(k.m, k.w, STATES, q, one, &k.error));
            for (int lanes = 4; lanes <= most; lanes *= 2) {
                OK(&k, soa_workspace_set_lanes(k.w, lanes, &k.error));
                OK(&k, call(k.m, k.w, STATES, q, many, &k.error));
                SAME(size * STATES, many, one);
                for (int s = 0; s < STATES; s++) {
                    OK(&k, call(k.m, k.w, 1, q + s * k.nq, many, &k.error));
                    SAME(size, many, one + s * size);
                }
            }
        }
        free(q);
        free(one);
        free(many);
        kit_close(&k);
    }
}

static void refuses(void **state)
{
    (void)state;
    kit k = kit_open("quadruped", 1);
    const int n = k.nv;
    double *y = numbers(n * n * n);
    k.q[8] = NAN;
    assert_int_equal(soa_christoffel(k.m, k.w, 1, k.q, y, &k.error), SOA_E_NUMBER);
    assert_true(isnan(y[0]) && isnan(y[n * n * n - 1]));
    k.q[8] = 0.0;
    assert_int_equal(soa_mass_derivative(k.m, k.w, n, 1, k.q, y, &k.error), SOA_E_ARGUMENT);
    assert_int_equal(soa_mass_rate(k.m, k.w, 1, k.q, NULL, y, &k.error), SOA_E_ARGUMENT);
    assert_int_equal(soa_christoffel_product(k.m, k.w, 1, k.q, k.v, NULL, y, &k.error), SOA_E_ARGUMENT);
    assert_true(soa_christoffel_index(k.m, 0, 0, n) == -1);
    free(y);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_trees),
        cmocka_unit_test(with_armature),
        cmocka_unit_test(of_robots),
        cmocka_unit_test(is_the_operator_form),
        cmocka_unit_test(obeys_the_rules),
        cmocka_unit_test(do_not_depend_on_inner_joints),
        cmocka_unit_test(has_the_same_bits),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
