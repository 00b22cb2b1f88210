/* Blocks of states give the bits, the refusals and the NaNs of states one after another. */
#include "dynamics/calls.h"

enum { STATES = 21 };

static int places(int states, int lanes)
{
    return (states + lanes - 1) / lanes * lanes;
}

/* Where number i of state s, of n per state, is. */
static int place(int s, int i, int n, int lanes)
{
    return s / lanes * lanes * n + i * lanes + s % lanes;
}

/* The same states in blocks; places without a state hold what must not be read. */
static double *blocked(const double *x, int n, int states, int lanes)
{
    double *y = numbers(n * places(states, lanes));
    for (int j = 0; j < n * places(states, lanes); j++) {
        y[j] = NAN;
    }
    for (int s = 0; s < states; s++) {
        for (int i = 0; i < n; i++) {
            y[place(s, i, n, lanes)] = x[s * n + i];
        }
    }
    return y;
}

static batch blocked_batch(const batch *b, int states, int lanes)
{
    const int rows = 6 * POINTS;
    batch c = *b;
    c.states = places(states, lanes);
    c.block = lanes;
    c.q = blocked(b->q, b->nq, states, lanes);
    c.v = blocked(b->v, b->nv, states, lanes);
    c.a = blocked(b->a, b->nv, states, lanes);
    c.T = blocked(b->T, b->nv, states, lanes);
    c.f = blocked(b->f, 6 * b->bodies, states, lanes);
    c.g = blocked(b->g, rows, states, lanes);
    c.inertia = blocked(b->inertia, rows * rows, states, lanes);
    c.prescribed = calloc((size_t)b->nv + 1, sizeof *c.prescribed);
    memcpy(c.prescribed, b->prescribed, (size_t)b->nv * sizeof *c.prescribed);
    return c;
}

/* Every state in its place, and nothing written where there is none. */
static void check_outputs(const batch *c, const api_call *call, const outputs *out, const outputs *expected, int states)
{
    outputs got = outputs_of(call, c);
    const bool in_place = call->run == run_hybrid; /* the outputs are inputs: the test itself filled them */
    for (int j = 0; j < OUTPUTS; j++) {
        const int n = out->size[j];
        for (int s = 0; s < c->states; s++) {
            for (int i = 0; i < n; i++) {
                const double *x = &out->y[j][place(s, i, n, c->block)];
                const unsigned char untouched[sizeof(double)] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
                got.y[j][s * n + i] = *x;
                assert_true(s < states || in_place || memcmp(x, untouched, sizeof untouched) == 0);
            }
        }
    }
    same_outputs(call, &got, expected, 0, states);
    outputs_free(&got);
}

/* One call on `states` states of b in both layouts. */
static void compare(kit *k, const batch *b, const api_call *call, int states)
{
    const int lanes = soa_workspace_lanes(k->w);
    batch c = blocked_batch(b, states, lanes);
    outputs expected = outputs_of(call, b), out = outputs_of(call, &c);
    soa_error error;
    soa_error_clear(&k->error);
    soa_error_clear(&error);
    assert_int_equal(soa_workspace_set_layout(k->w, SOA_LAYOUT_STATES, NULL), SOA_OK);
    const soa_status status = run_states(call, b, k->w, 0, states, &expected, &k->error);
    assert_int_equal(soa_workspace_set_layout(k->w, SOA_LAYOUT_BLOCKED, NULL), SOA_OK);
    assert_int_equal(run_states(call, &c, k->w, 0, states, &out, &error), status);
    assert_int_equal(error.state, k->error.state);
    assert_int_equal(error.body, k->error.body);
    assert_string_equal(error.text, k->error.text);
    check_outputs(&c, call, &out, &expected, states);
    outputs_free(&expected);
    outputs_free(&out);
    batch_free(&c);
}

static void compare_all(kit *k, const batch *b, int states)
{
    for (int c = 0; c < API_CALLS; c++) {
        compare(k, b, &CALLS[c], states);
    }
}

/* Plain joints, joints of every kind, quaternions, one velocity alone, couplings. */
static soa_model *model_number(int i)
{
    const char *const names[] = { "arm7", "humanoid", "tree:25,6", "pendulum" };
    return i < 4 ? builtin(names[i]) : coupled_arm();
}
enum { MODELS = 5 };

static void same_bits(void **state)
{
    (void)state;
    for (int model = 0; model < MODELS; model++) {
        kit k = kit_of(model_number(model), 3 + (unsigned)model);
        batch b = batch_of(&k, STATES);
        for (int lanes = 1; lanes <= 8; lanes *= 2) {
            const int counts[] = { 0, 1, 3, 8, 9, STATES };
            for (int i = 0; i < 6 && soa_workspace_set_lanes(k.w, lanes, NULL) == SOA_OK; i++) {
                compare_all(&k, &b, counts[i]);
            }
        }
        batch_free(&b);
        kit_close(&k);
    }
}

/* The same words about the same state, wherever the bad number is. */
static void same_refusals(void **state)
{
    (void)state;
    for (int model = 0; model < MODELS; model++) {
        kit k = kit_of(model_number(model), 17 + (unsigned)model);
        batch b = batch_of(&k, STATES);
        const int bad[] = { 0, 5, STATES - 1 };
        for (int i = 0; i < 3; i++) {
            double *const x[] = { b.q + (bad[i] + 1) * b.nq - 1, b.q + bad[i] * b.nq, b.v + bad[i] * b.nv,
                b.T + (bad[i] + 1) * b.nv - 1, b.a + bad[i] * b.nv, b.f + bad[i] * 6 * b.bodies + 4,
                b.g + bad[i] * 6 * POINTS + 7 };
            for (int j = 0; j < 7; j++) {
                const double good = *x[j];
                *x[j] = j == 1 ? 7.0 : (double)INFINITY; /* no unit quaternion, where there is one */
                compare_all(&k, &b, STATES);
                *x[j] = good;
            }
        }
        batch_free(&b);
        kit_close(&k);
    }
}

static void layouts_that_do_not_exist(void **state)
{
    (void)state;
    kit k = kit_open("arm7", 1);
    assert_int_equal(soa_workspace_set_layout(k.w, (soa_layout)2, &k.error), SOA_E_ARGUMENT);
    assert_int_equal(soa_workspace_set_layout(k.w, (soa_layout)-1, NULL), SOA_E_ARGUMENT);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits),
        cmocka_unit_test(same_refusals),
        cmocka_unit_test(layouts_that_do_not_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
