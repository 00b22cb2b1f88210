/* Derivatives by several threads, in any number of lanes: the bits of one state at a time. */
#include "sens/differences.h"

#include "soa/sens_batch.h"

enum { STATES = 37, POINTS = 2, MOST_OUTPUTS = 4 };

/* Inputs of all states. */
typedef struct inputs {
    kit *k;
    soa_point point[POINTS];
    double *q, *v, *vdot, *T, *x, *y, *f, *g;
} inputs;

/* Outputs in the order of the arguments. */
typedef struct outputs {
    const inputs *in;
    int count;
    double *at[MOST_OUTPUTS];
    long long size[MOST_OUTPUTS]; /* numbers per state */
} outputs;

/* The next output, with room for all states. */
static double *next_output(outputs *o, long long size)
{
    const int i = o->count++;
    assert_true(i < MOST_OUTPUTS);
    if (!o->at[i]) {
        o->size[i] = size;
        o->at[i] = numbers((int)(STATES * size));
        memset(o->at[i], 0xff, (size_t)(STATES * size) * sizeof(double));
    }
    return o->at[i];
}

static void outputs_free(outputs *o)
{
    for (int i = 0; i < MOST_OUTPUTS; i++) {
        free(o->at[i]);
    }
}

/* ---- every function, made from the list of them ------------------------------------------------ */

typedef struct function_of_states {
    const char *name;
    /* states from `first` on, by one call; and all by a batch */
    soa_status (*one)(const inputs *in, soa_workspace *w, int first, int states, outputs *o, soa_error *error);
    soa_status (*many)(const inputs *in, soa_batch *batch, outputs *o, soa_error *error);
} function_of_states;

#define arg_points           POINTS
#define arg_point            in->point
#define arg_velocity         (int)(nv / 2)
#define PASS_ARG(type, name) arg_##name,
#define PASS_STATES          states,
#define PASS_IN(name, n)     (strstr(#n, "points") ? in->g : in->name) + (long long)first *(n),
#define PASS_OUT(name, n)    next_output(o, n) + (long long)first *(n),
#define SIZES(k)                                                                                           \
    const soa_model *m = (k)->m;                                                                           \
    const long long nq = (k)->nq, nv = (k)->nv, bodies = (k)->bodies, links = (k)->links, points = POINTS; \
    (void)m, (void)nq, (void)nv, (void)bodies, (void)links, (void)points;                                  \
    o->count = 0
#define WRAPPER(name)                                                                                     \
    static soa_status one_##name(                                                                         \
        const inputs *in, soa_workspace *w, int first, int states, outputs *o, soa_error *error)          \
    {                                                                                                     \
        SIZES(in->k);                                                                                     \
        return soa_##name(m, w, SOA_BATCH_##name(PASS_ARG, PASS_STATES, PASS_IN, PASS_OUT) error);        \
    }                                                                                                     \
    static soa_status many_##name(const inputs *in, soa_batch *batch, outputs *o, soa_error *error)       \
    {                                                                                                     \
        const int first = 0, states = STATES;                                                             \
        SIZES(in->k);                                                                                     \
        return soa_batch_##name(batch, SOA_BATCH_##name(PASS_ARG, PASS_STATES, PASS_IN, PASS_OUT) error); \
    }
SOA_SENS_BATCH_LIST(WRAPPER)

#define WRAPPER_ROW(name) { #name, one_##name, many_##name },
static const function_of_states FUNCTION[] = { SOA_SENS_BATCH_LIST(WRAPPER_ROW) };
enum { FUNCTIONS = sizeof FUNCTION / sizeof FUNCTION[0] };

/* ---- comparison ------------------------------------------------------------------------------------ */

static inputs inputs_of(kit *k)
{
    inputs in = { .k = k };
    random_points(k, POINTS, in.point);
    in.q = numbers(STATES * k->nq);
    for (int s = 0; s < STATES; s++) {
        soa_random_configuration(k->m, &k->seed, in.q + s * k->nq);
    }
    double **array[] = { &in.v, &in.vdot, &in.T, &in.x, &in.y };
    for (int i = 0; i < 5; i++) {
        *array[i] = numbers(STATES * k->nv);
        random_numbers(&k->seed, STATES * k->nv, *array[i]);
    }
    in.f = numbers(STATES * 6 * k->bodies);
    in.g = numbers(STATES * 6 * POINTS);
    random_numbers(&k->seed, STATES * 6 * k->bodies, in.f);
    random_numbers(&k->seed, STATES * 6 * POINTS, in.g);
    return in;
}

static void inputs_free(inputs *in)
{
    double *const all[] = { in->q, in->v, in->vdot, in->T, in->x, in->y, in->f, in->g };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        free(all[i]);
    }
}

static void same_outputs(const char *name, const outputs *x, const outputs *expected)
{
    for (int i = 0; i < expected->count; i++) {
        if (memcmp(x->at[i], expected->at[i], (size_t)(STATES * expected->size[i]) * sizeof(double)) != 0) {
            fail_msg("%s: output %d has other bits", name, i);
        }
    }
}

/* One state at a time in one lane is what all else must give. */
static void check_function(kit *k, const function_of_states *f)
{
    inputs in = inputs_of(k);
    outputs expected = { .in = &in };
    OK(k, soa_workspace_set_lanes(k->w, 1, &k->error));
    for (int s = 0; s < STATES; s++) {
        OK(k, f->one(&in, k->w, s, 1, &expected, &k->error));
    }
    for (int lanes = 1; lanes <= 8; lanes *= 2) {
        if (soa_workspace_set_lanes(k->w, lanes, NULL) != SOA_OK) {
            continue;
        }
        outputs y = { .in = &in };
        OK(k, f->one(&in, k->w, 0, STATES, &y, &k->error));
        same_outputs(f->name, &y, &expected);
        outputs_free(&y);
        for (int threads = 1; threads <= 4; threads += 3) {
            soa_batch *batch;
            outputs z = { .in = &in };
            OK(k, soa_batch_new(k->m, threads, NULL, &batch, &k->error));
            OK(k, soa_batch_reserve(batch, POINTS, &k->error));
            OK(k, soa_batch_set_lanes(batch, lanes, &k->error));
            OK(k, f->many(&in, batch, &z, &k->error));
            same_outputs(f->name, &z, &expected);
            outputs_free(&z);
            soa_batch_free(batch);
        }
    }
    outputs_free(&expected);
    inputs_free(&in);
}

static void the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < FUNCTIONS; i++) {
        for (int seed = 3; seed < 24; seed += 10) {
            kit k = kit_random_tree(seed);
            check_function(&k, &FUNCTION[i]);
            kit_close(&k);
        }
        kit k = kit_open("quadruped", 3);
        check_function(&k, &FUNCTION[i]);
        kit_close(&k);
    }
    print_message("%d functions\n", (int)FUNCTIONS);
}

/* A state that is refused is named by its number among all, whichever thread has it. */
static void one_bad_state(void **state)
{
    (void)state;
    const int bad = 29;
    kit k = kit_open("arm7", 3);
    inputs in = inputs_of(&k);
    in.q[bad * k.nq] = NAN;
    for (int i = 0; i < FUNCTIONS; i++) {
        soa_batch *batch;
        outputs y = { .in = &in };
        OK(&k, soa_batch_new(k.m, 3, NULL, &batch, &k.error));
        OK(&k, soa_batch_reserve(batch, POINTS, &k.error));
        assert_int_equal(FUNCTION[i].many(&in, batch, &y, &k.error), SOA_E_NUMBER);
        assert_int_equal(k.error.state, bad);
        outputs_free(&y);
        soa_batch_free(batch);
    }
    inputs_free(&in);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_bits),
        cmocka_unit_test(one_bad_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
