/* A batch gives the bits, the status and the error of one call, whatever the number of threads. */
#include <pthread.h>

#include "counting.h"
#include "dynamics/calls.h"
#include "soa/batch.h"

enum { STATES = 83, MOST_THREADS = 8 };

/* ---- every wrapper, made from the list of them ------------------------------------------------- */

/* Arrays by name, each with room for the most numbers a function can want. */
enum { SLOTS = 4 };

typedef struct slots {
    const batch *b;
    size_t size; /* numbers in each */
    const char *name[SLOTS];
    double *at[SLOTS];
} slots;

static double *slot(slots *o, const char *name)
{
    int i = 0;
    while (o->name[i] && strcmp(o->name[i], name) != 0) {
        i++;
    }
    assert_true(i < SLOTS - 1);
    if (!o->name[i]) {
        o->name[i] = name;
        o->at[i] = numbers((int)o->size);
        const double *given = strcmp(name, "T") == 0 ? o->b->T : strcmp(name, "vdot") == 0 ? o->b->a : NULL;
        memset(o->at[i], 0xff, o->size * sizeof(double));
        if (given) { /* an input too, in hybrid dynamics */
            memcpy(o->at[i], given, (size_t)(o->b->states * o->b->nv) * sizeof(double));
        }
    }
    return o->at[i];
}

static slots slots_of(const batch *b)
{
    const int squares = b->nv * b->nv + 36 * POINTS * POINTS + 6 * POINTS * b->nv, rows = 12 * b->links + 12;
    return (slots){ .b = b, .size = (size_t)(b->states * (squares + rows)) };
}

static void slots_free(slots *o)
{
    for (int i = 0; i < SLOTS; i++) {
        free(o->at[i]);
    }
}

static void same_slots(const char *what, slots *x, slots *expected)
{
    for (int i = 0; i < SLOTS && expected->name[i]; i++) {
        if (memcmp(slot(x, expected->name[i]), expected->at[i], expected->size * sizeof(double)) != 0) {
            print_error("%s: %s differs\n", what, expected->name[i]);
            fail();
        }
    }
}

static const double *input(const batch *b, const char *name, bool of_points)
{
    const struct {
        const char *name;
        const double *at;
    } all[] = { { "q", b->q }, { "v", b->v }, { "vdot", b->a }, { "T", b->T }, { "x", b->T },
        { "f", of_points ? b->g : b->f }, { "inertia", b->inertia } };
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strcmp(all[i].name, name) == 0) {
            return all[i].at;
        }
    }
    fail_msg("no input %s", name);
    return NULL;
}

typedef struct wrapper {
    const char *name;
    soa_status (*one_call)(const batch *b, int states, soa_workspace *w, slots *o, soa_error *error);
    soa_status (*by_batch)(const batch *b, int states, soa_batch *t, slots *o, soa_error *error);
} wrapper;

#define PASS_ARG(type, name)    arg_##name(b),
#define PASS_STATES             states,
#define PASS_IN(name, numbers)  input(b, #name, strstr(#numbers, "points") != NULL),
#define PASS_OUT(name, numbers) slot(o, #name),
#define arg_points(b)           POINTS
#define arg_point(b)            (b)->point
#define arg_axes(b)             SOA_AXES_BODY
#define arg_method(b)           SOA_FD3
#define arg_prescribed(b)       (b)->prescribed
#define WRAPPER(name)                                                                                      \
    static soa_status one_##name(const batch *b, int states, soa_workspace *w, slots *o, soa_error *error) \
    {                                                                                                      \
        return soa_##name(b->m, w, SOA_BATCH_##name(PASS_ARG, PASS_STATES, PASS_IN, PASS_OUT) error);      \
    }                                                                                                      \
    static soa_status many_##name(const batch *b, int states, soa_batch *t, slots *o, soa_error *error)    \
    {                                                                                                      \
        return soa_batch_##name(t, SOA_BATCH_##name(PASS_ARG, PASS_STATES, PASS_IN, PASS_OUT) error);      \
    }
SOA_BATCH_LIST(WRAPPER)

#define WRAPPER_ROW(name) { #name, one_##name, many_##name },
static const wrapper WRAPPERS[] = { SOA_BATCH_LIST(WRAPPER_ROW) };
enum { ALL_WRAPPERS = sizeof WRAPPERS / sizeof WRAPPERS[0] };

/* ---- helpers ----------------------------------------------------------------------------------- */

static soa_batch *batch_new(const soa_model *m, int threads)
{
    soa_batch *t;
    soa_error error;
    ok_at(__FILE__, __LINE__, soa_batch_new(m, threads, NULL, &t, &error), &error);
    return t;
}

static void same_error(const char *what, const soa_error *x, const soa_error *expected)
{
    if (x->status != expected->status || x->state != expected->state || x->body != expected->body ||
        strcmp(x->text, expected->text) != 0) {
        print_error(
            "%s: state %d: %s; expected state %d: %s\n", what, x->state, x->text, expected->state, expected->text);
        fail();
    }
}

/* All wrappers on so many states: as one call. */
static void compare(kit *k, const batch *b, soa_batch *t, int states)
{
    for (int i = 0; i < ALL_WRAPPERS; i++) {
        slots expected = slots_of(b), got = slots_of(b);
        soa_error error;
        soa_error_clear(&error);
        soa_error_clear(&k->error);
        const soa_status status = WRAPPERS[i].one_call(b, states, k->w, &expected, &k->error);
        assert_int_equal(WRAPPERS[i].by_batch(b, states, t, &got, &error), status);
        same_error(WRAPPERS[i].name, &error, &k->error);
        same_slots(WRAPPERS[i].name, &got, &expected);
        assert_int_equal(WRAPPERS[i].by_batch(b, states, t, &got, NULL), status);
        slots_free(&expected);
        slots_free(&got);
    }
}

static soa_model *model_number(int i)
{
    return i == 0 ? builtin("arm7") : i == 1 ? builtin("tree:9,2") : coupled_arm();
}

/* ---- tests ------------------------------------------------------------------------------------- */

static void bits_of_any_number_of_threads(void **state)
{
    (void)state;
    for (int model = 0; model < 3; model++) {
        kit k = kit_of(model_number(model), 5 + (unsigned)model);
        batch b = batch_of(&k, STATES);
        for (int threads = 1; threads <= MOST_THREADS; threads++) {
            soa_batch *t = batch_new(k.m, threads);
            assert_true(soa_batch_threads(t) == threads || soa_batch_threads(t) == 1);
            assert_int_equal(soa_batch_lanes(t), soa_workspace_lanes(k.w));
            const int counts[] = { 0, 1, 7, 17, STATES };
            for (int i = 0; i < 5; i++) {
                compare(&k, &b, t, counts[i]);
            }
            soa_batch_free(t);
        }
        batch_free(&b);
        kit_close(&k);
    }
}

/* Bad states in several threads: the lowest is told, all are NaN. */
static void lowest_failure(void **state)
{
    (void)state;
    for (int model = 0; model < 3; model++) {
        kit k = kit_of(model_number(model), 50 + (unsigned)model);
        batch b = batch_of(&k, STATES);
        const int bad[] = { 78, 60, 33, 9, 3 };
        for (int i = 0; i < 5; i++) {
            b.q[bad[i] * b.nq + b.nq - 1] = NAN;
            b.v[(bad[i] - 2) * b.nv] = INFINITY;
            for (int threads = 1; threads <= MOST_THREADS; threads += 3) {
                soa_batch *t = batch_new(k.m, threads);
                compare(&k, &b, t, STATES);
                soa_batch_free(t);
            }
        }
        batch_free(&b);
        kit_close(&k);
    }
}

/* Lanes and layouts are those of all workspaces. */
static void settings(void **state)
{
    (void)state;
    kit k = kit_open("arm7", 8);
    soa_batch *t = batch_new(k.m, 3);
    const int lanes = soa_batch_lanes(t), states = 5 * lanes, nv = k.nv; /* whole blocks */
    batch b = batch_of(&k, states);
    double *x = numbers(states * nv), *y = numbers(states * nv);
    assert_int_equal(soa_batch_set_layout(t, SOA_LAYOUT_BLOCKED, &k.error), SOA_OK);
    assert_int_equal(soa_workspace_set_layout(k.w, SOA_LAYOUT_BLOCKED, &k.error), SOA_OK);
    OK(&k, soa_inverse_dynamics(k.m, k.w, states, b.q, b.v, b.a, b.f, x, &k.error));
    OK(&k, soa_batch_inverse_dynamics(t, states, b.q, b.v, b.a, b.f, y, &k.error));
    SAME(states * nv, y, x);
    assert_int_equal(soa_batch_set_layout(t, (soa_layout)9, &k.error), SOA_E_ARGUMENT);
    assert_int_equal(soa_batch_set_lanes(t, 3, &k.error), SOA_E_UNSUPPORTED);
    OK(&k, soa_batch_set_lanes(t, 1, &k.error));
    assert_int_equal(soa_batch_lanes(t), 1);
    assert_int_equal(soa_batch_energy(t, -1, b.q, NULL, y, &k.error), SOA_E_ARGUMENT);
    OK(&k, soa_batch_reserve(t, 9, &k.error));
    soa_batch_free(t);
    free(x);
    free(y);
    batch_free(&b);
    kit_close(&k);
}

/* ---- tasks ------------------------------------------------------------------------------------- */

typedef struct marks {
    int seen[STATES];
    int lanes, fails_from;
    soa_batch *nested;
    soa_status nested_status;
} marks;

static soa_status mark(void *context, soa_workspace *workspace, int first, int count, soa_error *error)
{
    marks *m = context;
    assert_int_equal(first % m->lanes, 0);
    assert_int_equal(soa_workspace_lanes(workspace), m->lanes);
    for (int s = first; s < first + count; s++) {
        m->seen[s]++;
    }
    if (m->nested && first == 0) {
        m->nested_status = soa_batch_run(m->nested, 1, mark, context, error);
    }
    if (first + count > m->fails_from) {
        soa_error_clear(error);
        error->status = SOA_E_LIMIT;
        error->state = first > m->fails_from ? first : m->fails_from;
        return SOA_E_LIMIT;
    }
    return SOA_OK;
}

/* Every state once, in whole blocks; a batch within its own task is refused. */
static void tasks(void **state)
{
    (void)state;
    soa_model *model = builtin("arm7");
    for (int threads = 1; threads <= MOST_THREADS; threads++) {
        soa_batch *t = batch_new(model, threads);
        for (int states = 0; states <= STATES; states++) {
            marks m = { .lanes = soa_batch_lanes(t), .fails_from = states / 2, .nested = t };
            soa_error error;
            const soa_status status = soa_batch_run(t, states, mark, &m, &error);
            assert_int_equal(m.nested_status, SOA_E_ARGUMENT);
            assert_int_equal(status, states > 0 ? SOA_E_LIMIT : SOA_OK);
            assert_true(states == 0 || error.state == states / 2);
            for (int s = 0; s < STATES; s++) {
                assert_int_equal(m.seen[s], s < states);
            }
        }
        soa_batch_free(t);
    }
    soa_model_free(model);
}

/* Two threads at one batch: each call is served whole or refused. */
typedef struct rival {
    pthread_t thread;
    soa_batch *t;
    const batch *b;
    double energy[2 * STATES];
    int served, refused;
} rival;

static void *compete(void *context)
{
    rival *me = context;
    for (int i = 0; i < 300; i++) {
        const soa_status status = soa_batch_energy(me->t, STATES, me->b->q, me->b->v, me->energy, NULL);
        me->served += status == SOA_OK;
        me->refused += status == SOA_E_ARGUMENT;
    }
    return NULL;
}

static void rivals(void **state)
{
    (void)state;
    kit k = kit_open("arm7", 2);
    batch b = batch_of(&k, STATES);
    double expected[2 * STATES];
    static rival r[2];
    soa_batch *t = batch_new(k.m, 2);
    OK(&k, soa_energy(k.m, k.w, STATES, b.q, b.v, expected, &k.error));
    for (int i = 0; i < 2; i++) {
        r[i] = (rival){ .t = t, .b = &b };
        assert_int_equal(pthread_create(&r[i].thread, NULL, compete, &r[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(r[i].thread, NULL), 0);
        assert_int_equal(r[i].served + r[i].refused, 300);
        if (r[i].served > 0) {
            SAME(2 * STATES, r[i].energy, expected);
        }
    }
    assert_true(r[0].served + r[1].served > 0);
    soa_batch_free(t);
    batch_free(&b);
    kit_close(&k);
}

/* ---- life -------------------------------------------------------------------------------------- */

/* Every allocation may fail; none is made by a call. */
static void memory(void **state)
{
    (void)state;
    kit k = kit_of(coupled_arm(), 6);
    batch b = batch_of(&k, STATES);
    soa_status status = SOA_E_MEMORY;
    int needed = 0;
    for (; status != SOA_OK; needed++) {
        counting c;
        const soa_allocator allocator = counting_lack(&c, needed);
        soa_batch *t;
        soa_error error;
        status = soa_batch_new(k.m, 3, &allocator, &t, &error);
        assert_int_equal(status, c.refused == 0 ? SOA_OK : SOA_E_MEMORY);
        assert_int_equal(t != NULL, status == SOA_OK);
        if (t) {
            const int taken = c.taken;
            compare(&k, &b, t, STATES);
            assert_int_equal(c.taken, taken);
        }
        soa_batch_free(t);
        assert_int_equal(c.open, 0);
    }
    assert_true(needed > 12);
    batch_free(&b);
    kit_close(&k);
}

static void made_and_freed(void **state)
{
    (void)state;
    kit k = kit_open("pendulum", 4);
    batch b = batch_of(&k, STATES);
    double energy[2 * STATES];
    soa_batch *t;
    for (int i = 0; i < 100; i++) {
        t = batch_new(k.m, i % 4);
        assert_true(soa_batch_threads(t) >= 1);
        if (i % 2) { /* also without a call */
            OK(&k, soa_batch_energy(t, STATES, b.q, b.v, energy, &k.error));
        }
        soa_batch_free(t);
    }
    assert_int_equal(soa_batch_new(k.m, -1, NULL, &t, &k.error), SOA_E_ARGUMENT);
    assert_null(t);
    assert_int_equal(soa_batch_new(k.m, 100000, NULL, &t, &k.error), SOA_E_ARGUMENT);
    soa_batch_free(NULL);
    batch_free(&b);
    kit_close(&k);
}

/* The list has every function of soa/dynamics.h that takes states. */
static void nothing_left_out(void **state)
{
    (void)state;
    FILE *file = fopen(SOA_SOURCE "/include/soa/dynamics.h", "r");
    char text[65536];
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    int functions = 0;
    for (const char *at = strstr(text, "int states"); at; at = strstr(at + 1, "int states")) {
        functions++;
    }
    assert_int_equal(functions, ALL_WRAPPERS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_of_any_number_of_threads),
        cmocka_unit_test(lowest_failure),
        cmocka_unit_test(settings),
        cmocka_unit_test(tasks),
        cmocka_unit_test(rivals),
        cmocka_unit_test(memory),
        cmocka_unit_test(made_and_freed),
        cmocka_unit_test(nothing_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
