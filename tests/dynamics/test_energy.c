/* Energy, momentum and the centroidal matrix against sums over the links. */
#include "dynamics/kit.h"

static const char *const MODELS[] = { "pendulum", "arm7", "quadruped", "humanoid", "satellite", "hexapod" };
enum { NAMED = sizeof MODELS / sizeof MODELS[0], TREES = 20 };

static kit kit_number(int i)
{
    return i < NAMED ? kit_open(MODELS[i], 500 + (unsigned)i) : kit_tree(1 + (i - NAMED) * 2, 500 + i);
}

/* Kinetic and potential energy. */
static void oracle_energy(const oracle *o, const double *v, double *energy)
{
    num kinetic = 0, potential = 0;
    for (int n = 0; n < o->elements; n++) {
        const moving x = element_motion(o, &o->element[n]);
        kinetic += (dot3(x.p, x.v) + dot3(x.L, x.w)) / 2;
        potential -= o->element[n].m * dot3(o->g, x.c);
    }
    for (int n = 0; n < o->spins; n++) {
        const spinning x = spin_motion(o, &o->spin[n], v, NULL);
        const num rate = o->spin[n].ratio * v[o->spin[n].dof];
        kinetic += o->spin[n].spin * rate * rate / 2 + dot3(x.h, x.w);
    }
    for (int i = 0; i < o->nv; i++) {
        kinetic += o->armature[i] * v[i] * v[i] / 2;
    }
    energy[0] = (double)kinetic;
    energy[1] = (double)potential;
}

static void energy_is_the_sum_over_links(void **state)
{
    (void)state;
    for (int i = 0; i < NAMED + TREES; i++) {
        kit k = kit_number(i);
        double energy[2], expected[2], rest[2], product = 0.0, *Mv = numbers(k.nv);
        oracle o = oracle_at(k.m, k.q, k.v, NULL);
        oracle_energy(&o, k.v, expected);
        OK(&k, soa_energy(k.m, k.w, 1, k.q, k.v, energy, &k.error));
        NEAR(1, energy, expected, 1e-12);
        NEAR(1, energy + 1, expected + 1, 1e-12);
        OK(&k, soa_energy(k.m, k.w, 1, k.q, NULL, rest, &k.error));
        assert_true(rest[0] == 0.0);
        NEAR(1, rest + 1, expected + 1, 1e-12);
        OK(&k, soa_mass_multiply(k.m, k.w, 1, k.q, k.v, Mv, &k.error));
        for (int j = 0; j < k.nv; j++) {
            product += 0.5 * Mv[j] * k.v[j];
        }
        NEAR(1, &product, expected, 1e-11);
        oracle_free(&o);
        free(Mv);
        kit_close(&k);
    }
}

static void energy_at(void *context, double t, double *x)
{
    kit *k = context;
    double *q = numbers(k->nq), *v = numbers(k->nv), energy[2];
    moved(k, t, q, v);
    OK(k, soa_energy(k->m, k->w, 1, q, v, energy, &k->error));
    x[0] = energy[0] + energy[1];
    free(q);
    free(v);
}

/* d/dt (kinetic + potential) = T . v + f . V along forward dynamics. */
static void power_raises_energy(void **state)
{
    (void)state;
    for (int i = 0; i < NAMED + TREES; i++) {
        kit k = kit_number(i);
        double rate, power = 0.0, *pose = numbers(12 * k.links), *V = numbers(6 * k.links), fastest = 1.0;
        OK(&k, soa_forward_dynamics(k.m, k.w, 1, k.q, k.v, k.T, k.f, k.a, &k.error));
        OK(&k, soa_kinematics(k.m, k.w, 1, k.q, k.v, NULL, pose, V, NULL, &k.error));
        for (int j = 0; j < k.nv; j++) {
            power += k.T[j] * k.v[j];
            fastest = fmax(fastest, fabs(k.a[j]));
        }
        for (int b = 0; b < k.bodies; b++) {
            for (int c = 0; c < 6; c++) {
                power += k.f[6 * b + c] * V[6 * soa_model_body(k.m, b).link + c];
            }
        }
        rate_of(energy_at, &k, 4e-3 / sqrt(fastest), 1, &rate);
        NEAR(1, &rate, &power, 1e-8);
        free(pose);
        free(V);
        kit_close(&k);
    }
}

/* ---- momentum ---------------------------------------------------------------------------- */

/* Centre of mass, its velocity, momentum and its rate (both about the centre). */
static void oracle_momentum(const oracle *o, const double *v, const double *vd, double *momentum, double *rate)
{
    num mass = 0, com[3] = { 0 }, h[6] = { 0 }, h_dot[6] = { 0 }, r[3], x[3];
    for (int n = 0; n < o->elements; n++) {
        const moving e = element_motion(o, &o->element[n]);
        mass += o->element[n].m;
        for (int c = 0; c < 3; c++) {
            com[c] += o->element[n].m * e.c[c];
            h[3 + c] += e.p[c];
            h_dot[3 + c] += e.p_dot[c];
        }
    }
    for (int n = 0; n < o->elements; n++) {
        const moving e = element_motion(o, &o->element[n]);
        for (int c = 0; c < 3; c++) {
            r[c] = e.c[c] - com[c] / mass;
        }
        cross3(r, e.p, x);
        for (int c = 0; c < 3; c++) {
            h[c] += x[c] + e.L[c];
        }
        cross3(r, e.p_dot, x);
        for (int c = 0; c < 3; c++) {
            h_dot[c] += x[c] + e.L_dot[c];
        }
    }
    for (int n = 0; n < o->spins; n++) {
        if (o->spin[n].link != SOA_WORLD && soa_model_link_body(o->m, o->spin[n].link, NULL) != SOA_WORLD) {
            const spinning s = spin_motion(o, &o->spin[n], v, vd);
            for (int c = 0; c < 3; c++) {
                h[c] += s.h[c];
                h_dot[c] += s.h_dot[c];
            }
        }
    }
    for (int c = 0; c < 6; c++) {
        momentum[c] = (double)((c < 3 ? com[c] : h[c]) / mass);
        momentum[6 + c] = (double)h[c];
        rate[c] = (double)h_dot[c];
    }
}

static void momentum_is_the_sum_over_links(void **state)
{
    (void)state;
    for (int i = 0; i < NAMED + TREES; i++) {
        kit k = kit_number(i);
        double momentum[12], rate[6], expected[12], expected_rate[6], product[6] = { 0 }, *A = numbers(6 * k.nv);
        oracle o = oracle_at(k.m, k.q, k.v, NULL);
        oracle_momentum(&o, k.v, NULL, expected, expected_rate);
        OK(&k, soa_momentum(k.m, k.w, 1, k.q, k.v, momentum, rate, &k.error));
        NEAR(12, momentum, expected, 1e-12);
        NEAR(6, rate, expected_rate, 1e-12);
        OK(&k, soa_centroidal_matrix(k.m, k.w, 1, k.q, A, &k.error));
        for (int r = 0; r < 6; r++) {
            for (int j = 0; j < k.nv; j++) {
                product[r] += A[r * k.nv + j] * k.v[j];
            }
        }
        NEAR(6, product, expected + 6, 1e-12);
        double rest[12], still[6], zero[9] = { 0 };
        OK(&k, soa_momentum(k.m, k.w, 1, k.q, NULL, rest, still, &k.error));
        SAME(3, rest, momentum);
        NEAR(9, rest + 3, zero, 0.0);
        NEAR(6, still, zero, 0.0);
        OK(&k, soa_momentum(k.m, k.w, 1, k.q, k.v, rest, NULL, &k.error));
        SAME(12, rest, momentum);
        oracle_free(&o);
        free(A);
        kit_close(&k);
    }
}

static void matrix_at(void *context, double t, double *A)
{
    kit *k = context;
    double *q = numbers(k->nq), *v = numbers(k->nv);
    moved(k, t, q, v);
    OK(k, soa_centroidal_matrix(k->m, k->w, 1, q, A, &k->error));
    free(q);
    free(v);
}

/* rate = (dA/dt) v, dA/dt by differences. */
static void bias_is_the_rate_of_the_matrix(void **state)
{
    (void)state;
    for (int i = 0; i < NAMED + TREES; i++) {
        kit k = kit_number(i);
        double *A_dot = numbers(6 * k.nv), momentum[12], rate[6], product[6] = { 0 };
        rate_of(matrix_at, &k, 4e-3, 6 * k.nv, A_dot);
        OK(&k, soa_momentum(k.m, k.w, 1, k.q, k.v, momentum, rate, &k.error));
        for (int r = 0; r < 6; r++) {
            for (int j = 0; j < k.nv; j++) {
                product[r] += A_dot[r * k.nv + j] * k.v[j];
            }
        }
        NEAR(6, rate, product, 1e-9);
        free(A_dot);
        kit_close(&k);
    }
}

static void momentum_at(void *context, double t, double *x)
{
    kit *k = context;
    double *q = numbers(k->nq), *v = numbers(k->nv), momentum[12];
    moved(k, t, q, v);
    OK(k, soa_momentum(k->m, k->w, 1, q, v, momentum, NULL, &k->error));
    memcpy(x, momentum + 6, 6 * sizeof *x);
    free(q);
    free(v);
}

/* A satellite in free fall, no force on its bus: torques at the panels change no momentum. */
static void internal_forces_keep_momentum(void **state)
{
    (void)state;
    for (int trial = 0; trial < 10; trial++) {
        kit k = kit_open("satellite", 600 + (unsigned)trial);
        double rate[6], zero[6] = { 0 }, fastest = 1.0;
        assert_int_equal(soa_model_body(k.m, 0).kind, SOA_FREE);
        memset(k.T, 0, 6 * sizeof *k.T);
        OK(&k, soa_forward_dynamics(k.m, k.w, 1, k.q, k.v, k.T, NULL, k.a, &k.error));
        for (int j = 0; j < k.nv; j++) {
            fastest = fmax(fastest, fabs(k.a[j]));
        }
        rate_of(momentum_at, &k, 4e-3 / sqrt(fastest), 6, rate);
        double momentum[12], size = 1.0;
        OK(&k, soa_momentum(k.m, k.w, 1, k.q, k.v, momentum, NULL, &k.error));
        for (int j = 0; j < 6; j++) {
            size = fmax(size, fabs(momentum[6 + j]));
        }
        assert_true(size > 10.0); /* there is something to keep */
        NEAR(6, rate, zero, 1e-8 * size);
        kit_close(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_the_sum_over_links),
        cmocka_unit_test(power_raises_energy),
        cmocka_unit_test(momentum_is_the_sum_over_links),
        cmocka_unit_test(bias_is_the_rate_of_the_matrix),
        cmocka_unit_test(internal_forces_keep_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
