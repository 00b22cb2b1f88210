/* Derivatives of many states: the bits are those of one state at a time, whatever the lanes and the layout. */
#include "sens/differences.h"

#include "soa/sens_batch.h"

enum { STATES = 11, POINTS = 2, OUTPUTS = 4 };

/* Many states, and one output array for each output of a call. */
typedef struct many {
    kit *k;
    soa_point point[POINTS];
    double *q, *v, *u, *x, *f, *g;
} many;

typedef soa_status call_of(const many *m, int states, double *const *y, soa_error *error);

static soa_status inverse(const many *m, int n, double *const *y, soa_error *e)
{
    return soa_inverse_dynamics_derivatives(m->k->m, m->k->w, n, m->q, m->v, m->u, m->f, y[0], y[1], y[2], e);
}

static soa_status forward(const many *m, int n, double *const *y, soa_error *e)
{
    return soa_forward_dynamics_derivatives(m->k->m, m->k->w, n, m->q, m->v, m->u, m->f, y[0], y[1], y[2], y[3], e);
}

static soa_status second(const many *m, int n, double *const *y, soa_error *e)
{
    return soa_inverse_dynamics_second_derivatives(
        m->k->m, m->k->w, n, m->q, m->v, m->u, m->x, y[0], y[1], y[2], y[3], e);
}

static soa_status pushed(const many *m, int n, double *const *y, soa_error *e)
{
    return soa_point_force_derivatives(m->k->m, m->k->w, POINTS, m->point, n, m->q, m->g, y[0], y[1], e);
}

static soa_status pushed_away(const many *m, int n, double *const *y, soa_error *e)
{
    return soa_point_acceleration_derivatives(m->k->m, m->k->w, POINTS, m->point, n, m->q, y[0], e);
}

static soa_status fallen(const many *m, int n, double *const *y, soa_error *e)
{
    return soa_gravity_derivatives(m->k->m, m->k->w, n, m->q, y[0], y[1], e);
}

static soa_status rates(const many *m, int n, double *const *y, soa_error *e)
{
    return soa_articulated_rates(m->k->m, m->k->w, n, m->q, m->v, y[0], y[1], y[2], e);
}

static soa_status diagonal(const many *m, int n, double *const *y, soa_error *e)
{
    return soa_diagonal_equations(m->k->m, m->k->w, n, m->q, m->v, m->u, y[0], y[1], y[2], e);
}

/* Numbers per state of each output, in nv and bodies. */
typedef struct function_of {
    const char *name;
    call_of *call;
    struct {
        int nv_nv, nv, bodies;
    } size[OUTPUTS];
} function_of;

static const function_of FUNCTION[] = {
    { "inverse", inverse, { { 1, 0, 0 }, { 1, 0, 0 }, { 1, 0, 0 } } },
    { "forward", forward, { { 1, 0, 0 }, { 1, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } } },
    { "second", second, { { 1, 0, 0 }, { 1, 0, 0 }, { 1, 0, 0 }, { 1, 0, 0 } } },
    { "pushed", pushed, { { 1, 0, 0 }, { 0, 6 * POINTS, 0 } } },
    { "pushed away", pushed_away, { { 0, 6 * POINTS, 0 } } },
    { "fallen", fallen, { { 0, 3, 0 }, { 0, 3, 0 } } },
    { "rates", rates, { { 0, 0, 36 }, { 0, 6, 0 }, { 0, 6, 0 } } },
    { "diagonal", diagonal, { { 0, 1, 0 }, { 0, 1, 0 }, { 0, 1, 0 } } },
};

enum { FUNCTIONS = sizeof FUNCTION / sizeof FUNCTION[0] };

static int size_of(const kit *k, const function_of *f, int output)
{
    return f->size[output].nv_nv * k->nv * k->nv + f->size[output].nv * k->nv + f->size[output].bodies * k->bodies;
}

static many many_of(kit *k)
{
    many m = { .k = k };
    random_points(k, POINTS, m.point);
    m.q = numbers(STATES * k->nq);
    for (int s = 0; s < STATES; s++) {
        soa_random_configuration(k->m, &k->seed, m.q + s * k->nq);
    }
    double **array[] = { &m.v, &m.u, &m.x };
    for (int i = 0; i < 3; i++) {
        *array[i] = numbers(STATES * k->nv);
        random_numbers(&k->seed, STATES * k->nv, *array[i]);
    }
    m.f = numbers(STATES * 6 * k->bodies);
    m.g = numbers(STATES * 6 * POINTS);
    random_numbers(&k->seed, STATES * 6 * k->bodies, m.f);
    random_numbers(&k->seed, STATES * 6 * POINTS, m.g);
    return m;
}

static void many_free(many *m)
{
    free(m->q);
    free(m->v);
    free(m->u);
    free(m->x);
    free(m->f);
    free(m->g);
}

static many state_of(const many *m, int s)
{
    many one = *m;
    one.q += s * m->k->nq;
    one.v += s * m->k->nv;
    one.u += s * m->k->nv;
    one.x += s * m->k->nv;
    one.f += s * 6 * m->k->bodies;
    one.g += s * 6 * POINTS;
    return one;
}

/* Each state of n numbers, one after another, in blocks of that many states, or back. */
static double *in_blocks(const double *x, int n, int lanes, bool back)
{
    const int blocks = (STATES + lanes - 1) / lanes;
    double *y = numbers(blocks * lanes * n);
    for (int s = 0; s < STATES; s++) {
        for (int i = 0; i < n; i++) {
            const int plain = s * n + i, block = (s / lanes) * n * lanes + i * lanes + s % lanes;
            y[back ? plain : block] = x[back ? block : plain];
        }
    }
    return y;
}

static many blocks_of(const many *m, int lanes)
{
    many b = *m;
    const kit *k = m->k;
    b.q = in_blocks(m->q, k->nq, lanes, false);
    b.v = in_blocks(m->v, k->nv, lanes, false);
    b.u = in_blocks(m->u, k->nv, lanes, false);
    b.x = in_blocks(m->x, k->nv, lanes, false);
    b.f = in_blocks(m->f, 6 * k->bodies, lanes, false);
    b.g = in_blocks(m->g, 6 * POINTS, lanes, false);
    return b;
}

/* Expected: one state at a time, one lane. */
static void one_by_one(const many *m, const function_of *f, double **y)
{
    for (int s = 0; s < STATES; s++) {
        const many one = state_of(m, s);
        double *at[OUTPUTS];
        for (int i = 0; i < OUTPUTS; i++) {
            at[i] = y[i] + s * size_of(m->k, f, i);
        }
        OK(m->k, f->call(&one, 1, at, &m->k->error));
    }
}

static void compare(const many *m, const function_of *f, double *const *expected, int lanes, bool blocked)
{
    kit *k = m->k;
    const many b = blocked ? blocks_of(m, lanes) : *m;
    double *y[OUTPUTS];
    for (int i = 0; i < OUTPUTS; i++) {
        y[i] = numbers((STATES + lanes) * size_of(k, f, i));
    }
    OK(k, f->call(&b, STATES, y, &k->error));
    for (int i = 0; i < OUTPUTS; i++) {
        const int n = size_of(k, f, i);
        double *plain = blocked ? in_blocks(y[i], n, lanes, true) : y[i];
        SAME(STATES * n, plain, expected[i]);
        if (blocked) {
            free(plain);
        }
        free(y[i]);
    }
    if (blocked) {
        many copy = b;
        many_free(&copy);
    }
}

static void check_lanes(kit *k, const function_of *f)
{
    many m = many_of(k);
    double *expected[OUTPUTS];
    for (int i = 0; i < OUTPUTS; i++) {
        expected[i] = numbers(STATES * size_of(k, f, i));
    }
    OK(k, soa_workspace_set_lanes(k->w, 1, &k->error));
    one_by_one(&m, f, expected);
    for (int lanes = 1; lanes <= 8; lanes *= 2) {
        if (soa_workspace_set_lanes(k->w, lanes, NULL) == SOA_OK) {
            compare(&m, f, expected, lanes, false);
            OK(k, soa_workspace_set_layout(k->w, SOA_LAYOUT_BLOCKED, &k->error));
            compare(&m, f, expected, lanes, true);
            OK(k, soa_workspace_set_layout(k->w, SOA_LAYOUT_STATES, &k->error));
        }
    }
    for (int i = 0; i < OUTPUTS; i++) {
        free(expected[i]);
    }
    many_free(&m);
}

static void the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < FUNCTIONS; i++) {
        for (int seed = 4; seed < 24; seed += 6) {
            kit k = kit_random_tree(seed);
            check_lanes(&k, &FUNCTION[i]);
            kit_close(&k);
        }
        kit k = kit_open("humanoid", 3);
        check_lanes(&k, &FUNCTION[i]);
        kit_close(&k);
    }
}

/* Models with so many velocities that columns are solved by sweeps. */
static void the_same_bits_of_large_models(void **state)
{
    (void)state;
    kit k = kit_tree(70, 5);
    assert_true(k.nv > 128);
    for (int i = 0; i < FUNCTIONS; i++) {
        check_lanes(&k, &FUNCTION[i]);
    }
    kit_close(&k);
}

/* A state that is refused is NaN; the others have the bits they have alone. */
static void one_bad_state(void **state)
{
    (void)state;
    const int bad = 4;
    for (int i = 0; i < FUNCTIONS; i++) {
        kit k = kit_tree(9, 3);
        many m = many_of(&k);
        const function_of *f = &FUNCTION[i];
        double *expected[OUTPUTS], *y[OUTPUTS];
        for (int o = 0; o < OUTPUTS; o++) {
            expected[o] = numbers(STATES * size_of(&k, f, o));
            y[o] = numbers(STATES * size_of(&k, f, o));
        }
        one_by_one(&m, f, expected);
        m.q[bad * k.nq] = NAN;
        assert_int_equal(f->call(&m, STATES, y, &k.error), SOA_E_NUMBER);
        assert_int_equal(k.error.state, bad);
        for (int o = 0; o < OUTPUTS; o++) {
            const int n = size_of(&k, f, o);
            SAME(bad * n, y[o], expected[o]);
            SAME((STATES - bad - 1) * n, y[o] + (bad + 1) * n, expected[o] + (bad + 1) * n);
            for (int j = 0; j < n; j++) {
                assert_true(isnan(y[o][bad * n + j]));
            }
            free(expected[o]);
            free(y[o]);
        }
        many_free(&m);
        kit_close(&k);
    }
}

/* Outputs that are not wanted change nothing in the others. */
static void outputs_left_out(void **state)
{
    (void)state;
    for (int i = 0; i < FUNCTIONS; i++) {
        kit k = kit_open("quadruped", 3);
        many m = many_of(&k);
        const function_of *f = &FUNCTION[i];
        double *all[OUTPUTS];
        for (int o = 0; o < OUTPUTS; o++) {
            all[o] = numbers(STATES * size_of(&k, f, o));
        }
        OK(&k, f->call(&m, 2, all, &k.error));
        for (int o = 0; o < OUTPUTS && size_of(&k, f, o) > 0; o++) {
            double *y[OUTPUTS] = { NULL }, *one = numbers(STATES * size_of(&k, f, o));
            y[o] = one;
            OK(&k, f->call(&m, 2, y, &k.error));
            SAME(2 * size_of(&k, f, o), one, all[o]);
            free(one);
        }
        for (int o = 0; o < OUTPUTS; o++) {
            free(all[o]);
        }
        many_free(&m);
        kit_close(&k);
    }
}

/* ---- threads ----------------------------------------------------------------------------------- */

typedef struct shared_work {
    const many *m;
    double *y[OUTPUTS];
} shared_work;

static soa_status forward_part(void *context, soa_workspace *w, int first, int count, soa_error *error)
{
    const shared_work *x = context;
    const kit *k = x->m->k;
    const many at = state_of(x->m, first);
    const size_t n = (size_t)k->nv, square = n * n * (size_t)first;
    return soa_forward_dynamics_derivatives(k->m, w, count, at.q, at.v, at.u, at.f, x->y[0] + square, x->y[1] + square,
        x->y[2] + square, x->y[3] + n * (size_t)first, error);
}

/* soa_batch_run takes derivatives as it takes the dynamics. */
static void the_same_bits_by_threads(void **state)
{
    (void)state;
    kit k = kit_open("quadruped", 5);
    many m = many_of(&k);
    const function_of *f = &FUNCTION[1];
    double *expected[OUTPUTS];
    shared_work x = { .m = &m };
    soa_batch *batch;
    for (int i = 0; i < OUTPUTS; i++) {
        expected[i] = numbers(STATES * size_of(&k, f, i));
        x.y[i] = numbers(STATES * size_of(&k, f, i));
    }
    one_by_one(&m, f, expected);
    OK(&k, soa_batch_new(k.m, 3, NULL, &batch, &k.error));
    OK(&k, soa_batch_run(batch, STATES, forward_part, &x, &k.error));
    for (int i = 0; i < OUTPUTS; i++) {
        SAME(STATES * size_of(&k, f, i), x.y[i], expected[i]);
        free(expected[i]);
        free(x.y[i]);
    }
    soa_batch_free(batch);
    many_free(&m);
    kit_close(&k);
}

/* Without a model, a workspace, q or any output every function has a status for it. */
static void missing_arguments(void **state)
{
    (void)state;
    kit k = kit_open("quadruped", 2);
    double *y = numbers(k.nv * k.nv * k.nv);
#define ZERO(type, name)         0,
#define ONE_STATE                1,
#define NO_ARRAY(name, numbers)  NULL,
#define SOME_ARRAY(name, number) y,
#define REFUSES(name)                                                                                           \
    assert_int_equal(                                                                                           \
        soa_##name(NULL, NULL, SOA_BATCH_##name(ZERO, ONE_STATE, NO_ARRAY, NO_ARRAY) NULL), SOA_E_ARGUMENT);    \
    assert_int_equal(                                                                                           \
        soa_##name(NULL, k.w, SOA_BATCH_##name(ZERO, ONE_STATE, SOME_ARRAY, SOME_ARRAY) NULL), SOA_E_ARGUMENT); \
    assert_int_equal(                                                                                           \
        soa_##name(k.m, NULL, SOA_BATCH_##name(ZERO, ONE_STATE, SOME_ARRAY, SOME_ARRAY) NULL), SOA_E_ARGUMENT); \
    assert_int_equal(                                                                                           \
        soa_##name(k.m, k.w, SOA_BATCH_##name(ZERO, ONE_STATE, SOME_ARRAY, NO_ARRAY) NULL), SOA_E_ARGUMENT);    \
    assert_int_equal(                                                                                           \
        soa_##name(k.m, k.w, SOA_BATCH_##name(ZERO, ONE_STATE, NO_ARRAY, SOME_ARRAY) NULL), SOA_E_ARGUMENT);
    SOA_SENS_BATCH_LIST(REFUSES)
    assert_int_equal(soa_christoffel_size(NULL), 0);
    assert_int_equal(soa_christoffel_index(NULL, 0, 0, 0), -1);
    assert_int_equal(soa_closures_reserve_derivatives(NULL, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_closed_forward_dynamics_derivatives(NULL, 1, y, y, y, y, NULL, NULL), SOA_E_ARGUMENT);
    assert_int_equal(soa_closed_linear_model(NULL, 1, y, y, y, y, y, y, y, y, NULL), SOA_E_ARGUMENT);
    free(y);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_arguments),
        cmocka_unit_test(the_same_bits),
        cmocka_unit_test(the_same_bits_of_large_models),
        cmocka_unit_test(one_bad_state),
        cmocka_unit_test(outputs_left_out),
        cmocka_unit_test(the_same_bits_by_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
