/* The changes of articulated quantities, and the diagonal equations of motion.  [DIAG] */
#include "sens/differences.h"

#include "soa/sens.h"

/* ---- changes along a motion ----------------------------------------------------------------- */

typedef struct operators {
    kit *k;
    soa_operators *op;
    double *q, *x, *y;
} operators;

static void apply(operators *o, soa_operator op)
{
    OK(o->k, soa_operators_apply(o->op, op, false, o->x, o->y, &o->k->error));
}

/* P of every body (6 x 6, by columns), then D and G of every velocity, as the operators have them at time t. */
static void articulated_at(void *context, double t, double *out)
{
    operators *o = context;
    kit *k = o->k;
    soa_integrate(k->m, k->q, k->v, t, o->q);
    OK(k, soa_operators_set(o->op, o->q, 0, NULL, &k->error));
    double *D = out + 36 * k->bodies, *G = D + k->nv * k->nv;
    for (int j = 0; j < 6; j++) {
        for (int b = 0; b < 6 * k->bodies; b++) {
            o->x[b] = b % 6 == j ? 1.0 : 0.0;
        }
        apply(o, SOA_OP_P);
        for (int b = 0; b < 6 * k->bodies; b++) {
            out[36 * (b / 6) + 6 * (b % 6) + j] = o->y[b];
        }
    }
    for (int j = 0; j < k->nv; j++) {
        memset(o->x, 0, (size_t)k->nv * sizeof *o->x);
        o->x[j] = 1.0;
        apply(o, SOA_OP_D);
        for (int i = 0; i < k->nv; i++) {
            D[i * k->nv + j] = o->y[i];
        }
        apply(o, SOA_OP_G);
        memcpy(G + 6 * k->bodies * j, o->y, 6 * (size_t)k->bodies * sizeof *G);
    }
}

static void check_rates(kit *k, const double *expected)
{
    double *P = numbers(36 * k->bodies), *D = numbers(6 * k->nv), *G = numbers(6 * k->nv);
    double *all_D = numbers(k->nv * k->nv), *all_G = numbers(6 * k->bodies * k->nv);
    OK(k, soa_articulated_rates(k->m, k->w, 1, k->q, k->v, P, D, G, &k->error));
    NEAR(36 * k->bodies, P, expected, 1e-9);
    for (int b = 0; b < k->bodies; b++) {
        const soa_body body = soa_model_body(k->m, b);
        for (int i = 0; i < body.nv; i++) {
            for (int j = 0; j < body.nv; j++) {
                all_D[(body.v + i) * k->nv + body.v + j] = D[6 * (body.v + i) + j];
            }
            memcpy(all_G + 6 * k->bodies * (body.v + i) + 6 * b, G + 6 * (body.v + i), 6 * sizeof *G);
        }
    }
    NEAR(k->nv * k->nv, all_D, expected + 36 * k->bodies, 1e-9);
    NEAR(6 * k->bodies * k->nv, all_G, expected + 36 * k->bodies + k->nv * k->nv, 1e-9);
    free(P);
    free(D);
    free(G);
    free(all_D);
    free(all_G);
}

static void rates_are_differences(void **state)
{
    (void)state;
    for (int seed = 0; seed < 200; seed++) {
        kit k = kit_random_tree(seed);
        const int most = 6 * k.bodies + k.nv, n = 36 * k.bodies + k.nv * k.nv + 6 * k.bodies * k.nv;
        operators o = { .k = &k, .q = numbers(k.nq), .x = numbers(most), .y = numbers(most) };
        double *expected = numbers(n);
        OK(&k, soa_operators_new(k.m, 0, NULL, &o.op, &k.error));
        rate_of(articulated_at, &o, 0.005, n, expected);
        check_rates(&k, expected);
        soa_operators_free(o.op);
        free(o.q);
        free(o.x);
        free(o.y);
        free(expected);
        kit_close(&k);
    }
}

/* ---- diagonal equations ------------------------------------------------------------------------ */

typedef struct motion_of {
    kit *k;
    double *q, *v;
} motion_of;

static void nu_at(void *context, double t, double *nu)
{
    motion_of *m = context;
    kit *k = m->k;
    moved(k, t, m->q, m->v);
    OK(k, soa_diagonal_equations(k->m, k->w, 1, m->q, m->v, NULL, nu, NULL, NULL, &k->error));
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* nu' + mu = eps along the motion that T makes. */
static void check_diagonal(kit *k)
{
    motion_of m = { k, numbers(k->nq), numbers(k->nv) };
    double *nu = numbers(k->nv), *eps = numbers(k->nv), *mu = numbers(k->nv), *rate = numbers(k->nv);
    OK(k, soa_forward_dynamics(k->m, k->w, 1, k->q, k->v, k->T, NULL, k->a, &k->error));
    OK(k, soa_diagonal_equations(k->m, k->w, 1, k->q, k->v, k->T, nu, eps, mu, &k->error));
    best_rate_of(nu_at, &m, 3e-3, k->nv, rate);
    for (int i = 0; i < k->nv; i++) {
        rate[i] += mu[i];
    }
    double scale = fmax(1.0, sqrt(dot(k->nv, mu, mu)));
    for (int i = 0; i < k->nv; i++) {
        if (!(fabs(rate[i] - eps[i]) <= 1e-9 * scale)) {
            fail_msg("velocity %d: nu' + mu = %.15g, eps = %.15g", i, rate[i], eps[i]);
        }
    }
    double energy[2], *x = numbers(k->nv);
    OK(k, soa_energy(k->m, k->w, 1, k->q, k->v, energy, &k->error));
    OK(k, soa_mass_solve(k->m, k->w, 1, k->q, k->T, x, &k->error));
    assert_true(fabs(dot(k->nv, nu, nu) - 2.0 * energy[0]) <= 1e-12 * (1.0 + energy[0]));
    assert_true(fabs(dot(k->nv, eps, eps) - dot(k->nv, x, k->T)) <= 1e-11 * (1.0 + fabs(dot(k->nv, x, k->T))));
    free(m.q);
    free(m.v);
    free(nu);
    free(eps);
    free(mu);
    free(rate);
    free(x);
}

static void equations_are_diagonal(void **state)
{
    (void)state;
    for (int seed = 0; seed < 200; seed++) {
        kit k = kit_random_tree(seed);
        check_diagonal(&k);
        kit_close(&k);
    }
    kit k = kit_open("humanoid", 2);
    check_diagonal(&k);
    kit_close(&k);
}

/* The outputs may take the places of v and T, in states after one another and in lanes of them. */
static void may_overwrite_inputs(void **state)
{
    (void)state;
    enum { STATES = 11 };
    kit k = kit_open("quadruped", 2);
    const int n = k.nv * STATES;
    double *q = numbers(k.nq * STATES), *v = numbers(n), *T = numbers(n), *in = numbers(n), *out = numbers(n);
    double *result[3] = { numbers(n), numbers(n), numbers(n) };
    for (int s = 0; s < STATES; s++) {
        soa_random_configuration(k.m, &k.seed, q + s * k.nq);
    }
    random_numbers(&k.seed, n, v);
    random_numbers(&k.seed, n, T);
    for (int most = soa_workspace_lanes(k.w), lanes = 1; lanes <= most; lanes = lanes == 1 ? 4 : 2 * lanes) {
        OK(&k, soa_workspace_set_lanes(k.w, lanes, &k.error));
        OK(&k, soa_diagonal_equations(k.m, k.w, STATES, q, v, T, result[0], result[1], result[2], &k.error));
        for (int as = 0; as < 6; as++) { /* which output is which input */
            const bool is_v = as < 3;
            double *to[3] = { NULL, NULL, NULL };
            memcpy(in, is_v ? v : T, (size_t)n * sizeof *in);
            to[as % 3] = in;
            to[(as + 1) % 3] = out;
            OK(&k, soa_diagonal_equations(
                       k.m, k.w, STATES, q, is_v ? in : v, is_v ? T : in, to[0], to[1], to[2], &k.error));
            SAME(n, in, result[as % 3]);
            SAME(n, out, result[(as + 1) % 3]);
        }
    }
    double *all[] = { q, v, T, in, out, result[0], result[1], result[2] };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_differences),
        cmocka_unit_test(equations_are_diagonal),
        cmocka_unit_test(may_overwrite_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
