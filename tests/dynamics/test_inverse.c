/* Inverse dynamics and joint forces against Newton's and Euler's laws for every link. */
#include "dynamics/kit.h"

static const char *const MODELS[] = { "pendulum", "double-pendulum", "arm6", "arm7", "dual-arm", "quadruped",
    "humanoid", "satellite", "hexapod", "chain:20" };
enum { NAMED = sizeof MODELS / sizeof MODELS[0], TREES = 24 };

/* Every built-in model, then random trees of 1 .. 40 bodies. */
static kit kit_number(int i)
{
    return i < NAMED ? kit_open(MODELS[i], (unsigned)i) : kit_tree(1 + (i - NAMED) * 39 / (TREES - 1), i);
}

static void check_inverse(kit *k, const double *v, const double *a, const double *f, double tolerance)
{
    double *T = numbers(k->nv), *expected = numbers(k->nv);
    oracle o = oracle_at(k->m, k->q, v, a);
    oracle_inverse_dynamics(&o, v, a, f, expected);
    OK(k, soa_inverse_dynamics(k->m, k->w, 1, k->q, v, a, f, T, &k->error));
    NEAR(k->nv, T, expected, tolerance);
    oracle_free(&o);
    free(T);
    free(expected);
}

/* T = sum of (rates of momentum - gravity - f) . partial velocities; every choice of what is given. */
static void inverse_dynamics_is_virtual_power(void **state)
{
    (void)state;
    for (int i = 0; i < NAMED + TREES; i++) {
        kit k = kit_number(i);
        check_inverse(&k, k.v, k.a, k.f, 1e-12);
        check_inverse(&k, k.v, k.a, NULL, 1e-12);
        check_inverse(&k, k.v, NULL, NULL, 1e-12);
        check_inverse(&k, NULL, k.a, k.f, 1e-12);
        check_inverse(&k, NULL, NULL, NULL, 1e-12);
        for (int j = 0; j < k.nv; j++) {
            k.v[j] *= 20.0; /* velocity terms dominate */
        }
        check_inverse(&k, k.v, k.a, NULL, 1e-12);
        kit_close(&k);
    }
}

/* The bias at rest is gravity's; at v it is that and the Coriolis force, which is even in v and
 * of second degree. */
static void parts_of_the_bias(void **state)
{
    (void)state;
    for (int i = 0; i < NAMED + TREES; i += 3) {
        kit k = kit_number(i);
        double *C = numbers(k.nv), *g = numbers(k.nv), *c = numbers(k.nv), *c2 = numbers(k.nv), *x = numbers(k.nv);
        oracle o = oracle_at(k.m, k.q, NULL, NULL);
        oracle_inverse_dynamics(&o, NULL, NULL, NULL, x);
        OK(&k, soa_gravity_force(k.m, k.w, 1, k.q, g, &k.error));
        NEAR(k.nv, g, x, 1e-12);
        oracle_free(&o);
        o = oracle_at(k.m, k.q, k.v, NULL);
        oracle_inverse_dynamics(&o, k.v, NULL, NULL, x);
        OK(&k, soa_bias_force(k.m, k.w, 1, k.q, k.v, C, &k.error));
        NEAR(k.nv, C, x, 1e-12);
        memset(o.g, 0, sizeof o.g);
        oracle_inverse_dynamics(&o, k.v, NULL, NULL, x);
        OK(&k, soa_coriolis_force(k.m, k.w, 1, k.q, k.v, c, &k.error));
        NEAR(k.nv, c, x, 1e-12);
        for (int j = 0; j < k.nv; j++) {
            k.v[j] *= -2.0;
            x[j] = 4.0 * c[j];
        }
        OK(&k, soa_coriolis_force(k.m, k.w, 1, k.q, k.v, c2, &k.error));
        NEAR(k.nv, c2, x, 1e-13);
        oracle_free(&o);
        free(C);
        free(g);
        free(c);
        free(c2);
        free(x);
        kit_close(&k);
    }
}

/* ---- joint forces ------------------------------------------------------------------------ */

static bool is_outboard(const soa_model *m, int body, int of)
{
    while (body != SOA_WORLD && body != of) {
        body = soa_model_body(m, body).parent;
    }
    return body == of;
}

static int body_of_link(const soa_model *m, int link)
{
    return link == SOA_WORLD ? SOA_WORLD : soa_model_link_body(m, link, NULL);
}

/* Newton and Euler for all that is outboard of a joint, about the origin of its link: moment and force, world axes. */
static void outboard_force(const oracle *o, const kit *k, int body, num *F)
{
    const int link = soa_model_body(k->m, body).link;
    num r[3], moment[3], f[3];
    memset(F, 0, 6 * sizeof *F);
    for (int n = 0; n < o->elements; n++) {
        const element *e = &o->element[n];
        if (is_outboard(k->m, body_of_link(k->m, e->link), body)) {
            const moving x = element_motion(o, e);
            for (int c = 0; c < 3; c++) {
                f[c] = x.p_dot[c] - e->m * o->g[c];
                r[c] = x.c[c] - o->W[link].x[0][c][3];
            }
            cross3(r, f, moment);
            for (int c = 0; c < 3; c++) {
                F[c] += moment[c] + x.L_dot[c];
                F[3 + c] += f[c];
            }
        }
    }
    for (int n = 0; n < o->spins; n++) {
        if (is_outboard(k->m, body_of_link(k->m, o->spin[n].link), body)) {
            const spinning x = spin_motion(o, &o->spin[n], k->v, k->a);
            for (int c = 0; c < 3; c++) {
                F[c] += x.h_dot[c];
            }
        }
    }
    for (int b = 0; b < k->bodies; b++) {
        if (is_outboard(k->m, b, body)) {
            const int at = soa_model_body(k->m, b).link;
            for (int c = 0; c < 3; c++) {
                r[c] = o->W[at].x[0][c][3] - o->W[link].x[0][c][3];
                f[c] = k->f[6 * b + 3 + c];
            }
            cross3(r, f, moment);
            for (int c = 0; c < 3; c++) {
                F[c] -= moment[c] + k->f[6 * b + c];
                F[3 + c] -= f[c];
            }
        }
    }
}

/* What the joint's own motor gives: T = H F + this. */
static num motor_force(const oracle *o, const kit *k, int dof)
{
    num T = o->armature[dof] * k->a[dof];
    for (int n = 0; n < o->spins; n++) {
        if (o->spin[n].dof == dof) {
            const spinning x = spin_motion(o, &o->spin[n], k->v, k->a);
            T += o->spin[n].ratio * (dot3(x.h_dot, x.a) + o->spin[n].spin * dot3(x.wd, x.a));
        }
    }
    return T;
}

/* Its partial velocity relative to the parent, times F: the joint's force. */
static void check_projection(const oracle *o, const kit *k, int body, const num *F, const double *T)
{
    const soa_body b = soa_model_body(k->m, body);
    const int parent = soa_model_link(k->m, b.link)->parent;
    for (int i = b.v; i < b.v + b.nv; i++) {
        const num *J = partial(o, b.link, i);
        num sum = motor_force(o, k, i);
        assert_true(parent == SOA_WORLD || dot3(partial(o, parent, i), partial(o, parent, i)) == 0);
        for (int c = 0; c < 6; c++) {
            sum += J[c] * F[c];
        }
        const double expected = (double)sum;
        NEAR(1, &T[i], &expected, 1e-11);
    }
}

static void joint_forces_hold_what_is_outboard(void **state)
{
    (void)state;
    for (int i = 0; i < NAMED + TREES; i++) {
        kit k = kit_number(i);
        double *F = numbers(6 * k.bodies), *expected = numbers(6 * k.bodies), *T = numbers(k.nv);
        oracle o = oracle_at(k.m, k.q, k.v, k.a);
        OK(&k, soa_joint_forces(k.m, k.w, 1, k.q, k.v, k.a, k.f, F, &k.error));
        OK(&k, soa_inverse_dynamics(k.m, k.w, 1, k.q, k.v, k.a, k.f, T, &k.error));
        for (int b = 0; b < k.bodies; b++) {
            const jet *W = &o.W[soa_model_body(k.m, b).link];
            num world[6];
            outboard_force(&o, &k, b, world);
            for (int c = 0; c < 6; c++) { /* into the axes of the link */
                const num *f = world + c / 3 * 3;
                expected[6 * b + c] =
                    (double)(W->x[0][0][c % 3] * f[0] + W->x[0][1][c % 3] * f[1] + W->x[0][2][c % 3] * f[2]);
            }
            check_projection(&o, &k, b, world, T);
        }
        NEAR(6 * k.bodies, F, expected, 1e-12);
        oracle_free(&o);
        free(F);
        free(expected);
        free(T);
        kit_close(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inverse_dynamics_is_virtual_power),
        cmocka_unit_test(parts_of_the_bias),
        cmocka_unit_test(joint_forces_hold_what_is_outboard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
