/* Regressor, derivatives by inertial parameters and by where joints are: against the dynamics of changed models. */
#include "sens/differences.h"

#include "soa/parameters.h"

/* ---- the regressor ----------------------------------------------------------------------------------- */

/* y = A x */
static void times(int rows, int columns, const double *A, const double *x, double *y)
{
    for (int i = 0; i < rows; i++) {
        y[i] = 0.0;
        for (int j = 0; j < columns; j++) {
            y[i] += A[i * columns + j] * x[j];
        }
    }
}

/* T = Y pi where there are no rotors. */
static void makes_the_forces(void **state)
{
    (void)state;
    for (int seed = 0; seed < 150; seed++) {
        const tree t = tree_new(1 + seed % 24, seed % 5 ? TREE_BUSHY : TREE_CHAIN, false, (unsigned long long)seed);
        kit k = kit_of(t.model, (unsigned long long)seed);
        const int columns = SOA_PARAMETERS * k.links;
        double *Y = numbers(k.nv * columns), *pi = numbers(columns), *T = numbers(k.nv), *sum = numbers(k.nv);
        OK(&k, soa_regressor(k.m, k.w, 1, k.q, k.v, k.a, Y, &k.error));
        OK(&k, soa_inverse_dynamics(k.m, k.w, 1, k.q, k.v, k.a, NULL, T, &k.error));
        soa_model_parameters(k.m, pi);
        times(k.nv, columns, Y, pi, sum);
        NEAR(k.nv, sum, T, 1e-12);
        free(Y);
        free(pi);
        free(T);
        free(sum);
        kit_close(&k);
    }
}

static void goes_back_and_forth(void **state)
{
    (void)state;
    unsigned long long seed = 4;
    const soa_inertia I = tree_inertia(&seed);
    double p[SOA_PARAMETERS];
    soa_inertia_parameters(&I, p);
    const soa_inertia J = soa_inertia_from_parameters(p);
    assert_true(fabs(I.mass - J.mass) < 1e-15);
    NEAR(3, J.com, I.com, 1e-14);
    NEAR(6, J.moment, I.moment, 1e-14);
}

/* ---- changed models -------------------------------------------------------------------------------------- */

/* A model with one link changed. */
static soa_model *with_link(kit *k, int link, const soa_link *value)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *model;
    double gravity[3];
    soa_model_gravity(k->m, gravity);
    soa_builder_set_gravity(b, gravity);
    for (int l = 0; l < k->links; l++) {
        OK(k, soa_builder_add_link(b, l == link ? value : soa_model_link(k->m, l), NULL, &k->error));
    }
    OK(k, soa_builder_finish(b, &model, &k->error));
    soa_builder_free(b);
    return model;
}

/* Of a parameter for t = 1: inertias stay physical. */
#define SMALL 2e-3

/* What is changed by t, and of which the rate is taken. */
typedef struct change {
    kit *k;
    int link, number; /* parameter, or displacement */
    bool place, forward;
    const soa_point *point; /* forces there alone, if there is one */
    const double *g;
} change;

static soa_pose displacement(int number, double t)
{
    double at[3] = { 0.0 }, axis[3] = { 0.0 };
    if (number >= 3) {
        at[number - 3] = t;
        axis[0] = 1.0;
        return soa_pose_from_axis_angle(at, axis, 0.0);
    }
    axis[number] = 1.0;
    return soa_pose_from_axis_angle(at, axis, t);
}

static void changed(void *context, double t, double *y)
{
    const change *c = context;
    kit *k = c->k;
    soa_link link = *soa_model_link(k->m, c->link);
    if (c->place) {
        const soa_pose moved_by = displacement(c->number, t);
        link.joint.at = soa_pose_compose(&link.joint.at, &moved_by);
    } else {
        double p[SOA_PARAMETERS];
        soa_inertia_parameters(&link.inertia, p);
        p[c->number] += SMALL * t;
        link.inertia = soa_inertia_from_parameters(p);
    }
    soa_model *model = with_link(k, c->link, &link);
    soa_workspace *w;
    OK(k, soa_workspace_new(model, NULL, &w, &k->error));
    if (c->point) {
        double *J = numbers(6 * k->nv);
        OK(k, soa_workspace_reserve(w, 1, &k->error));
        OK(k, soa_jacobian(model, w, 1, c->point, SOA_AXES_MIXED, 1, k->q, J, &k->error));
        for (int i = 0; i < k->nv; i++) {
            y[i] = 0.0;
            for (int r = 0; r < 6; r++) {
                y[i] -= J[r * k->nv + i] * c->g[r];
            }
        }
        free(J);
    } else if (c->forward) {
        OK(k, soa_forward_dynamics(model, w, 1, k->q, k->v, k->T, NULL, y, &k->error));
    } else {
        OK(k, soa_inverse_dynamics(model, w, 1, k->q, k->v, k->a, NULL, y, &k->error));
    }
    soa_workspace_free(w);
    soa_model_free(model);
}

/* Column `column` of columns of A is the rate of what changes; scale: of t. */
static void check_column(change *c, const double *A, int columns, int column, double scale)
{
    const int n = c->k->nv;
    double *rate = numbers(n), *own = numbers(n);
    double *now = numbers(n), size = 1.0;
    changed(c, 0.0, now);
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(now[i])); /* whose rounding the differences magnify */
    }
    free(now);
    best_rate_of(changed, c, 0.012, n, rate);
    for (int i = 0; i < n; i++) {
        own[i] = scale * A[i * columns + column];
    }
    NEAR(n, own, rate, 1e-9 * (c->forward ? size : 1.0));
    free(rate);
    free(own);
}

static void check_inertias(kit *k)
{
    const int columns = SOA_PARAMETERS * k->links;
    double *Y = numbers(k->nv * columns), *d = numbers(k->nv * columns);
    OK(k, soa_regressor(k->m, k->w, 1, k->q, k->v, k->a, Y, &k->error));
    OK(k, soa_forward_dynamics_parameters(k->m, k->w, 1, k->q, k->v, k->T, d, &k->error));
    for (int link = 0; link < k->links; link += 1 + k->links / 2) {
        for (int e = 0; e < SOA_PARAMETERS; e++) {
            change c = { k, link, e, false, false, NULL, NULL };
            check_column(&c, Y, columns, SOA_PARAMETERS * link + e, SMALL);
            c.forward = true;
            check_column(&c, d, columns, SOA_PARAMETERS * link + e, SMALL);
        }
    }
    free(Y);
    free(d);
}

static void check_places(kit *k)
{
    const int columns = 6 * k->bodies;
    double *T = numbers(k->nv * columns), *vdot = numbers(k->nv * columns);
    OK(k, soa_inverse_dynamics_placement(k->m, k->w, 1, k->q, k->v, k->a, T, &k->error));
    OK(k, soa_forward_dynamics_placement(k->m, k->w, 1, k->q, k->v, k->T, vdot, &k->error));
    for (int body = 0; body < k->bodies; body += 1 + k->bodies / 2) {
        for (int e = 0; e < 6; e++) {
            change c = { k, soa_model_body(k->m, body).link, e, true, false, NULL, NULL };
            check_column(&c, T, columns, 6 * body + e, 1.0);
            c.forward = true;
            check_column(&c, vdot, columns, 6 * body + e, 1.0);
        }
    }
    free(T);
    free(vdot);
}

/* Of -J* f, by all joints on the way to the point and others. */
static void check_forces(kit *k)
{
    const int columns = 6 * k->bodies;
    double *T = numbers(k->nv * columns), g[6];
    soa_point point;
    random_points(k, 1, &point);
    random_numbers(&k->seed, 6, g);
    OK(k, soa_workspace_reserve(k->w, 1, &k->error));
    OK(k, soa_point_force_placement(k->m, k->w, 1, &point, 1, k->q, g, T, &k->error));
    for (int column = 0; column < columns; column++) {
        change c = { k, soa_model_body(k->m, column / 6).link, column % 6, true, false, &point, g };
        check_column(&c, T, columns, column, 1.0);
    }
    free(T);
}

static void trees(void (*check)(kit *k))
{
    for (int seed = 0; seed < 150; seed++) {
        kit k = kit_random_tree(seed);
        check(&k);
        kit_close(&k);
    }
    static const char *const robot[] = { "arm7", "quadruped", "humanoid" };
    for (size_t i = 0; i < 3; i++) {
        kit k = kit_open(robot[i], i + 1);
        check(&k);
        kit_close(&k);
    }
}

static void differentiates_by_inertias(void **state)
{
    (void)state;
    trees(check_inertias);
}

static void differentiates_forces_by_places(void **state)
{
    (void)state;
    for (int seed = 0; seed < 60; seed++) {
        kit k = kit_random_tree(seed);
        check_forces(&k);
        kit_close(&k);
    }
}

static void differentiates_by_places(void **state)
{
    (void)state;
    trees(check_places);
}

/* ---- lanes and refusals --------------------------------------------------------------------------------- */

static void has_the_same_bits(void **state)
{
    (void)state;
    enum { STATES = 5 };
    kit k = kit_open("quadruped", 3);
    const int size = k.nv * SOA_PARAMETERS * k.links, most = soa_workspace_lanes(k.w);
    double *q = numbers(STATES * k.nq), *x = numbers(STATES * k.nv), *one = numbers(size),
           *many = numbers(STATES * size);
    for (int s = 0; s < STATES; s++) {
        soa_random_configuration(k.m, &k.seed, q + s * k.nq);
    }
    random_numbers(&k.seed, STATES * k.nv, x);
    for (int lanes = 1; lanes <= most; lanes = lanes == 1 ? 4 : 2 * lanes) {
        OK(&k, soa_workspace_set_lanes(k.w, lanes, &k.error));
        OK(&k, soa_forward_dynamics_parameters(k.m, k.w, STATES, q, x, x, many, &k.error));
        for (int s = 0; s < STATES; s++) {
            const double *y = x + s * k.nv;
            OK(&k, soa_workspace_set_lanes(k.w, 1, &k.error));
            OK(&k, soa_forward_dynamics_parameters(k.m, k.w, 1, q + s * k.nq, y, y, one, &k.error));
            SAME(size, one, many + s * size);
        }
    }
    free(q);
    free(x);
    free(one);
    free(many);
    kit_close(&k);
}

static void refuses(void **state)
{
    (void)state;
    kit k = kit_open("arm7", 1);
    double *Y = numbers(k.nv * SOA_PARAMETERS * k.links);
    k.a[2] = INFINITY;
    assert_int_equal(soa_regressor(k.m, k.w, 1, k.q, k.v, k.a, Y, &k.error), SOA_E_NUMBER);
    assert_true(isnan(Y[0]));
    free(Y);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_the_forces),
        cmocka_unit_test(goes_back_and_forth),
        cmocka_unit_test(differentiates_by_inertias),
        cmocka_unit_test(differentiates_by_places),
        cmocka_unit_test(differentiates_forces_by_places),
        cmocka_unit_test(has_the_same_bits),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
