/* The identities on random trees, and the misprints of the papers: what is printed
 * fails, what is right holds. Sources are numbered as in docs/theory.md. */
#include "random_tree.h"

#include <stdlib.h>
#include <string.h>

/* ---- every identity ---------------------------------------------------------------------- */

/* The worst relative error of each identity, and on how many trees it was tried. */
typedef struct record {
    double *worst;
    int *tried;
} record;

static void check_tree(const tree *t, soa_evaluation evaluation, record *r)
{
    soa_error error;
    soa_identity_result *results = calloc((size_t)soa_identities(), sizeof *results);
    if (soa_check_identities(t->model, t->q, t->points, t->point, evaluation, results, &error) != SOA_OK) {
        fail_msg("%s", error.text);
    }
    for (int i = 0; i < soa_identities(); i++) {
        if (results[i].applies && !(results[i].error <= 1e-11)) {
            fail_msg("[%s] %s: relative error %g", results[i].label, results[i].text, results[i].error);
        }
        r->tried[i] += results[i].applies;
        r->worst[i] = fmax(r->worst[i], results[i].error);
    }
    free(results);
}

/* Mostly small, now and then 40 links; every fifth a chain, every second with rotors. */
static tree any_tree(int i)
{
    const int links = i % 250 == 249 ? 40 : i % 50 == 49 ? 20 : 1 + i % 9;
    return tree_new(links, i % 5 == 0 ? TREE_CHAIN : TREE_BUSHY, i % 2 == 0, 77ull + (unsigned)i);
}

static void check_trees(int trees, soa_evaluation evaluation)
{
    const size_t n = (size_t)soa_identities();
    record r = { calloc(n, sizeof *r.worst), calloc(n, sizeof *r.tried) };
    for (int i = 0; i < trees; i++) {
        const tree t = any_tree(i);
        check_tree(&t, evaluation, &r);
        soa_model_free(t.model);
    }
    double worst = 0.0;
    for (size_t i = 0; i < n; i++) {
        assert_true(r.tried[i] >= trees / 2);
        worst = fmax(worst, r.worst[i]);
    }
    print_message("%d trees, %zu identities: worst relative error %.1e\n", trees, n, worst);
    free(r.worst);
    free(r.tried);
}

static void identities_hold_by_sweeps(void **state)
{
    (void)state;
    check_trees(500, SOA_BY_SWEEPS);
}

static void identities_hold_by_definitions(void **state)
{
    (void)state;
    check_trees(500, SOA_BY_DENSE);
}

/* ---- misprints that are equations ----------------------------------------------------------- */

static double error_of(const tree *t, soa_evaluation evaluation, const char *equation)
{
    double e = NAN;
    soa_error error;
    if (soa_check_equation(t->model, t->q, t->points, t->point, evaluation, equation, &e, &error) != SOA_OK) {
        fail_msg("%s", error.text);
    }
    return e;
}

static void holds(const tree *t, const char *equation)
{
    CHECK_NEAR(error_of(t, SOA_BY_SWEEPS, equation), 0.0, 1e-11);
    CHECK_NEAR(error_of(t, SOA_BY_DENSE, equation), 0.0, 1e-11);
}

static void fails(const tree *t, const char *equation)
{
    assert_true(error_of(t, SOA_BY_SWEEPS, equation) > 1e-6);
    assert_true(error_of(t, SOA_BY_DENSE, equation) > 1e-6);
}

/* A chain of revolute and prismatic joints that carries two more from its last link. */
static tree forked_arm(int chain, bool forked)
{
    unsigned long long seed = 5;
    tree t = { .points = forked ? 2 : 1 };
    soa_error error;
    soa_builder *builder = soa_builder_new(NULL);
    const int links = forked ? chain + 2 : chain;
    for (int i = 0; i < links; i++) {
        char name[32];
        snprintf(name, sizeof name, "link%d", i);
        soa_link link =
            soa_link_default(name, i < chain ? i - 1 : chain - 1, i % 3 == 2 ? SOA_PRISMATIC : SOA_REVOLUTE);
        link.joint.at = tree_pose(&seed);
        link.inertia = tree_inertia(&seed);
        assert_int_equal(soa_builder_add_link(builder, &link, NULL, &error), SOA_OK);
    }
    assert_int_equal(soa_builder_finish(builder, &t.model, &error), SOA_OK);
    soa_builder_free(builder);
    soa_random_configuration(t.model, &seed, t.q);
    for (int i = 0; i < t.points; i++) {
        t.point[i] = (soa_point){ links - 1 - i, tree_pose(&seed) };
    }
    return t;
}

/* source 4, A.4, A.5: without X only for chains.  [I11] */
static void omega_needs_the_branches(void **state)
{
    (void)state;
    const tree chain = forked_arm(5, false), forked = forked_arm(5, true);
    holds(&chain, "Omega = Ups + psi~* Ups + Ups psi~");
    fails(&forked, "Omega = Ups + psi~* Ups + Ups psi~");
    holds(&forked, "Omega = Ups + psi~* Ups + Ups psi~ + X");
    fails(&forked, "Lambda = B* Ups B + B* psi~* Ups B + B* Ups psi~ B");
    holds(&forked, "Lambda = B* Ups B + B* psi~* Ups B + B* Ups psi~ B + B* X B");
    soa_model_free(chain.model);
    soa_model_free(forked.model);
}

/* S0 section 6 prints phi for psi in eps = D^-1/2 (I - H psi K) T.  [DIAG] */
static void diagonal_form_needs_psi(void **state)
{
    (void)state;
    const tree t = forked_arm(5, true);
    holds(&t, "Mass^-1 = (I - H psi K)* D^-1 (I - H psi K)");
    fails(&t, "Mass^-1 = (I - H phi K)* D^-1 (I - H phi K)");
    holds(&t, "(I + H phi K) (I - H psi K) = I");
    fails(&t, "(I + H phi K) (I - H phi K) = I");
    soa_model_free(t.model);
}

/* source 4, A.2 lacks H*, source 4, A.6 has K for what takes a body force, source 1, 65 subtracts zeta
 * from a joint force: the spaces do not fit. */
static void misprints_that_have_no_type(void **state)
{
    (void)state;
    static const char *const printed[] = {
        "phi* H* Mass^-1 = psi* D^-1 (I - H psi K)",
        "Mass^-1 J* = (I - H psi K)* D^-1 H psi K B",
        "(I - H psi K) H phi = H psi~ + I",
    };
    static const char *const right[] = {
        "phi* H* Mass^-1 = psi* H* D^-1 (I - H psi K)",
        "Mass^-1 J* = (I - H psi K)* D^-1 H psi B",
        "(I - H psi K) H phi = H psi~ + H",
    };
    const tree t = forked_arm(4, true);
    for (int i = 0; i < 3; i++) {
        double e;
        soa_error error;
        assert_int_equal(
            soa_check_equation(t.model, t.q, t.points, t.point, SOA_BY_SWEEPS, printed[i], &e, &error), SOA_E_SYNTAX);
        holds(&t, right[i]);
    }
    soa_model_free(t.model);
}

/* ---- misprints in recursions ------------------------------------------------------------------- */

enum { MOST = 64 };

/* y = A x of a tree whose operators are set. */
static void apply(soa_operators *ops, soa_operator op, bool adjoint, const double *x, double *y)
{
    soa_error error;
    double out[MOST];
    if (soa_operators_apply(ops, op, adjoint, x, out, &error) != SOA_OK) {
        fail_msg("%s", error.text);
    }
    memcpy(y, out, (size_t)soa_operator_rows(ops, op, adjoint) * sizeof *y);
}

static soa_operators *operators_of(const tree *t)
{
    soa_operators *ops;
    soa_error error;
    assert_int_equal(soa_operators_new(t->model, t->points, NULL, &ops, &error), SOA_OK);
    assert_int_equal(soa_operators_set(ops, t->q, t->points, t->point, &error), SOA_OK);
    return ops;
}

/* y += s x */
static void add(int n, double s, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] += s * x[i];
    }
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* y = (I - H psi K)* x */
static void smooth(soa_operators *ops, int nv, const double *x, double *y)
{
    double t[MOST];
    apply(ops, SOA_OP_H, true, x, t);
    apply(ops, SOA_OP_PSI, true, t, t);
    apply(ops, SOA_OP_K, true, t, t);
    memcpy(y, x, (size_t)nv * sizeof *y);
    add(nv, -1.0, t, y);
}

/* H psi (K T + zeta) */
static void filtered(soa_operators *ops, int nb, const double *T, const double *zeta, double *y)
{
    double t[MOST];
    apply(ops, SOA_OP_K, false, T, t);
    add(nb, 1.0, zeta, t);
    apply(ops, SOA_OP_PSI, false, t, t);
    apply(ops, SOA_OP_H, false, t, y);
}

/* |Mass (I - H psi K)* D^-1 eps + J* f - T|: what is missing in the equation of motion. */
static double residual(soa_operators *ops, int nv, const double *eps, const double *T, const double *f)
{
    double x[MOST], y[MOST];
    apply(ops, SOA_OP_D_INV, false, eps, x);
    smooth(ops, nv, x, x);
    apply(ops, SOA_OP_MASS, false, x, x);
    apply(ops, SOA_OP_J, true, f, y);
    add(nv, 1.0, y, x);
    add(nv, -1.0, T, x);
    return sqrt(dot(nv, x, x));
}

/* source 1, 63 starts the filter with f(0) though zeta has B f(0) in it; source 1, 65 must take off H zeta.  [FD3] */
static void tip_force_counts_once(void **state)
{
    (void)state;
    const tree t = forked_arm(5, true);
    soa_operators *ops = operators_of(&t);
    const int nv = soa_model_nv(t.model), nb = 6 * soa_model_bodies(t.model);
    unsigned long long seed = 3;
    double T[MOST], f[MOST], zeta[MOST], Hz[MOST], eps[MOST], none[MOST] = { 0 };
    random_fill(&seed, nv, T);
    random_fill(&seed, 12, f);
    apply(ops, SOA_OP_B, false, f, zeta);

    filtered(ops, nb, T, zeta, Hz); /* right: once */
    memcpy(eps, T, sizeof eps);
    add(nv, -1.0, Hz, eps);
    CHECK_NEAR(residual(ops, nv, eps, T, f), 0.0, 1e-11);

    double twice[MOST];
    memcpy(twice, zeta, sizeof twice);
    add(nb, 1.0, zeta, twice);
    filtered(ops, nb, T, twice, Hz); /* printed: f(0) again */
    memcpy(eps, T, sizeof eps);
    add(nv, -1.0, Hz, eps);
    assert_true(residual(ops, nv, eps, T, f) > 1e-3);

    double z[MOST], H_zeta[MOST]; /* z without zeta(k) itself, as source 1, 64 has it */
    apply(ops, SOA_OP_PSI_STRICT, false, zeta, z);
    apply(ops, SOA_OP_H, false, z, z);
    filtered(ops, nb, T, none, Hz);
    apply(ops, SOA_OP_H, false, zeta, H_zeta);
    memcpy(eps, T, sizeof eps);
    add(nv, -1.0, z, eps);
    add(nv, -1.0, Hz, eps);
    assert_true(residual(ops, nv, eps, T, f) > 1e-3); /* T - H z */
    add(nv, -1.0, H_zeta, eps);
    CHECK_NEAR(residual(ops, nv, eps, T, f), 0.0, 1e-11); /* T - H z - H zeta */
    soa_operators_free(ops);
    soa_model_free(t.model);
}

/* source 4, 3.13 omits D^-1/2 in b: a constraint a* J betadot = 0 at the tip is then not kept.  [CC]
 * All joints have one dof, so D is diagonal. */
static void constraint_needs_the_root_of_D(void **state)
{
    (void)state;
    const tree t = forked_arm(6, false);
    soa_operators *ops = operators_of(&t);
    const int nv = soa_model_nv(t.model), nb = 6 * soa_model_bodies(t.model);
    unsigned long long seed = 9;
    double T[MOST], a[6], x[MOST], y[MOST], Hw[MOST], D_inv[MOST], one[MOST], eps[MOST], none[MOST] = { 0 };
    random_fill(&seed, nv, T);
    random_fill(&seed, 6, a);
    for (int i = 0; i < nv; i++) {
        one[i] = 1.0;
    }
    apply(ops, SOA_OP_D_INV, false, one, D_inv);
    apply(ops, SOA_OP_B, false, a, x);
    apply(ops, SOA_OP_PSI, false, x, x);
    apply(ops, SOA_OP_H, false, x, Hw); /* H psi B a */
    filtered(ops, nb, T, none, x);
    memcpy(eps, T, sizeof eps);
    add(nv, -1.0, x, eps); /* (I - H psi K) T */
    apply(ops, SOA_OP_LAMBDA, false, a, x);
    const double lambda = dot(6, a, x);
    for (int printed = 0; printed < 2; printed++) {
        double b[MOST], e[MOST], nu[MOST];
        for (int i = 0; i < nv; i++) {
            e[i] = sqrt(D_inv[i]) * eps[i];
            b[i] = printed ? Hw[i] : sqrt(D_inv[i]) * Hw[i];
        }
        const double along = dot(nv, b, e) / lambda;
        for (int i = 0; i < nv; i++) {
            nu[i] = sqrt(D_inv[i]) * (e[i] - along * b[i]);
        }
        smooth(ops, nv, nu, x);
        apply(ops, SOA_OP_J, false, x, y);
        const double slip = fabs(dot(6, a, y));
        assert_true(printed ? slip > 1e-3 : slip < 1e-11);
    }
    soa_operators_free(ops);
    soa_model_free(t.model);
}

/* source 4, 2.1 shifts f(k-1) by phi(k+1,k); right is phi(k,k-1). On a chain the child of k is k + 1 here. */
static void forces_shift_from_their_own_body(void **state)
{
    (void)state;
    const tree t = forked_arm(5, false);
    soa_operators *ops = operators_of(&t);
    const int n = soa_model_bodies(t.model), nb = 6 * n;
    unsigned long long seed = 4;
    double x[MOST], y[MOST];
    random_fill(&seed, nb, x);
    apply(ops, SOA_OP_PHI, false, x, y);
    for (int printed = 0; printed < 2; printed++) {
        double f[MOST], shifted[MOST], difference = 0.0;
        memcpy(f, x, sizeof f);
        for (int k = n - 2; k >= 1; k--) {
            double at[MOST] = { 0 };
            const int from = printed ? k : k + 1; /* E_phi takes the block `from` to from - 1 */
            memcpy(at + (size_t)(6 * from), f + (size_t)(6 * (k + 1)), 6 * sizeof *at);
            apply(ops, SOA_OP_E_PHI, false, at, shifted);
            add(6, 1.0, shifted + (size_t)(6 * (from - 1)), f + (size_t)(6 * k));
        }
        for (int i = 6; i < nb; i++) {
            difference = fmax(difference, fabs(f[i] - y[i]));
        }
        assert_true(printed ? difference > 1e-3 : difference < 1e-12);
    }
    soa_operators_free(ops);
    soa_model_free(t.model);
}

/* source 3, 2.31 prints w(p) x h thetadot once; on a turning arm it counts twice, and the slide is
 * part of l.  [A-pri] A mass m at distance s, both at rates w and sdot, no gravity. */
static void slide_on_a_turning_arm(void **state)
{
    (void)state;
    const double m = 1.5, s = 0.7, w = 1.3, sdot = -0.4, none[3] = { 0.0, 0.0, 0.0 };
    soa_error error;
    soa_builder *builder = soa_builder_new(NULL);
    soa_builder_set_gravity(builder, none);
    soa_link arm = soa_link_default("arm", SOA_WORLD, SOA_REVOLUTE);
    arm.inertia = (soa_inertia){ 1.0, { 0.0, 0.0, 0.0 }, { 1.0, 0.0, 0.0, 1.0, 0.0, 1.0 } };
    soa_link slider = soa_link_default("slider", 0, SOA_PRISMATIC);
    memcpy(slider.joint.axis, (double[3]){ 1.0, 0.0, 0.0 }, sizeof slider.joint.axis);
    slider.inertia = (soa_inertia){ m, { 0.0, 0.0, 0.0 }, { 0.1, 0.0, 0.0, 0.1, 0.0, 0.1 } };
    assert_int_equal(soa_builder_add_link(builder, &arm, NULL, &error), SOA_OK);
    assert_int_equal(soa_builder_add_link(builder, &slider, NULL, &error), SOA_OK);
    soa_model *model;
    soa_workspace *workspace;
    assert_int_equal(soa_builder_finish(builder, &model, &error), SOA_OK);
    assert_int_equal(soa_workspace_new(model, NULL, &workspace, &error), SOA_OK);
    const double q[2] = { 0.3, s }, v[2] = { w, sdot };
    double T[2];
    assert_int_equal(soa_inverse_dynamics(model, workspace, 1, q, v, NULL, NULL, T, &error), SOA_OK);
    CHECK_NEAR(T[0], 2.0 * m * s * sdot * w, 1e-13);
    CHECK_NEAR(T[1], -m * s * w * w, 1e-13);
    soa_workspace_free(workspace);
    soa_model_free(model);
    soa_builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identities_hold_by_sweeps),
        cmocka_unit_test(identities_hold_by_definitions),
        cmocka_unit_test(omega_needs_the_branches),
        cmocka_unit_test(diagonal_form_needs_psi),
        cmocka_unit_test(misprints_that_have_no_type),
        cmocka_unit_test(tip_force_counts_once),
        cmocka_unit_test(constraint_needs_the_root_of_D),
        cmocka_unit_test(forces_shift_from_their_own_body),
        cmocka_unit_test(slide_on_a_turning_arm),
    };
    return cmocka_run_group_tests_name("identities", tests, NULL, NULL);
}
