/* Derivatives by forces at points and by gravity. */
#include "sens/differences.h"

#include "soa/sens.h"

enum { POINTS = 4, ROWS = 6 * POINTS };

typedef struct loads {
    soa_point point[POINTS];
    double f[ROWS];
} loads;

static loads *the_loads; /* of `pushed`, which is called through a pointer to a function */

/* -J* f */
static void pushed(kit *k, const double *q, const double *v, const double *u, double *T)
{
    double *J = numbers(ROWS * k->nv);
    (void)v, (void)u;
    OK(k, soa_jacobian(k->m, k->w, POINTS, the_loads->point, SOA_AXES_MIXED, 1, q, J, &k->error));
    for (int i = 0; i < k->nv; i++) {
        T[i] = 0.0;
        for (int r = 0; r < ROWS; r++) {
            T[i] -= J[r * k->nv + i] * the_loads->f[r];
        }
    }
    free(J);
}

/* dT_df = -J*, and Mass dvdot_df = J*. */
static void check_forces(kit *k, const loads *l)
{
    double *J = numbers(ROWS * k->nv), *dT = numbers(ROWS * k->nv), *da = numbers(ROWS * k->nv);
    double *column = numbers(k->nv), *force = numbers(k->nv), *product = numbers(k->nv);
    OK(k, soa_jacobian(k->m, k->w, POINTS, l->point, SOA_AXES_MIXED, 1, k->q, J, &k->error));
    OK(k, soa_point_force_derivatives(k->m, k->w, POINTS, l->point, 1, k->q, NULL, NULL, dT, &k->error));
    OK(k, soa_point_acceleration_derivatives(k->m, k->w, POINTS, l->point, 1, k->q, da, &k->error));
    for (int r = 0; r < ROWS; r++) {
        for (int i = 0; i < k->nv; i++) {
            force[i] = J[r * k->nv + i];
            column[i] = -dT[i * ROWS + r];
        }
        NEAR(k->nv, column, force, 1e-13);
        for (int i = 0; i < k->nv; i++) {
            column[i] = da[i * ROWS + r];
        }
        OK(k, soa_mass_multiply(k->m, k->w, 1, k->q, column, product, &k->error));
        NEAR(k->nv, product, force, 1e-11);
    }
    free(J);
    free(dT);
    free(da);
    free(column);
    free(force);
    free(product);
}

static void forces_at_points(void **state)
{
    (void)state;
    for (int seed = 0; seed < 100; seed++) {
        kit k = kit_random_tree(seed);
        loads l;
        random_points(&k, POINTS, l.point);
        random_numbers(&k.seed, ROWS, l.f);
        the_loads = &l;
        double *y = numbers(k.nv * k.nv), *expected = differences(&k, pushed, BY_Q, k.a, k.nv);
        OK(&k, soa_point_force_derivatives(k.m, k.w, POINTS, l.point, 1, k.q, l.f, y, NULL, &k.error));
        NEAR(k.nv * k.nv, y, expected, 1e-10);
        OK(&k, soa_point_force_derivatives(k.m, k.w, POINTS, l.point, 1, k.q, NULL, y, NULL, &k.error));
        for (int i = 0; i < k.nv * k.nv; i++) {
            assert_true(y[i] == 0.0);
        }
        check_forces(&k, &l);
        free(y);
        free(expected);
        kit_close(&k);
    }
}

/* The same links under another gravity. */
static soa_model *with_gravity(const soa_model *from, const double *g)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model;
    soa_error error = { .status = SOA_OK };
    soa_builder_set_gravity(b, g);
    for (int l = 0; l < soa_model_links(from); l++) {
        ok_at(__FILE__, __LINE__, soa_builder_add_link(b, soa_model_link(from, l), NULL, &error), &error);
    }
    ok_at(__FILE__, __LINE__, soa_builder_finish(b, &model, &error), &error);
    soa_builder_free(b);
    return model;
}

/* Both are linear in gravity: a difference of any size is the derivative. */
static void check_gravity(kit *k, int axis, const double *dT, const double *da)
{
    double g[3], *T[2], *a[2];
    soa_model_gravity(k->m, g);
    for (int s = 0; s < 2; s++) {
        soa_workspace *w;
        g[axis] += s;
        soa_model *m = with_gravity(k->m, g);
        OK(k, soa_workspace_new(m, NULL, &w, &k->error));
        T[s] = numbers(k->nv);
        a[s] = numbers(k->nv);
        OK(k, soa_inverse_dynamics(m, w, 1, k->q, k->v, k->a, k->f, T[s], &k->error));
        OK(k, soa_forward_dynamics(m, w, 1, k->q, k->v, k->T, k->f, a[s], &k->error));
        soa_workspace_free(w);
        soa_model_free(m);
    }
    double *got_T = numbers(k->nv), *got_a = numbers(k->nv);
    for (int i = 0; i < k->nv; i++) {
        got_T[i] = T[0][i] + dT[3 * i + axis];
        got_a[i] = a[0][i] + da[3 * i + axis];
    }
    NEAR(k->nv, got_T, T[1], 1e-12);
    NEAR(k->nv, got_a, a[1], 1e-11);
    for (int s = 0; s < 2; s++) {
        free(T[s]);
        free(a[s]);
    }
    free(got_T);
    free(got_a);
}

static void gravity(void **state)
{
    (void)state;
    for (int seed = 0; seed < 60; seed++) {
        kit k = kit_random_tree(seed);
        double *dT = numbers(3 * k.nv), *da = numbers(3 * k.nv);
        OK(&k, soa_gravity_derivatives(k.m, k.w, 1, k.q, dT, da, &k.error));
        for (int axis = 0; axis < 3; axis++) {
            check_gravity(&k, axis, dT, da);
        }
        free(dT);
        free(da);
        kit_close(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_at_points),
        cmocka_unit_test(gravity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
