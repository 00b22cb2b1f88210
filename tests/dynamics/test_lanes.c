/* The bits of a state depend on nothing else: not on lanes, neighbours, or what the memory held.
 * And nothing is allocated at run time. */
#include "counting.h"
#include "dynamics/calls.h"

enum { STATES = 19 };

/* ---- an allocator that counts and fills blocks with ones -------------------------------------- */

typedef struct junk {
    soa_allocator below;
    int asked, released;
    unsigned char fill;
} junk;

static void *junk_allocate(void *context, size_t size)
{
    junk *j = context;
    void *block = j->below.allocate(j->below.context, size);
    j->asked++;
    return block ? memset(block, j->fill, size) : NULL;
}

static void junk_release(void *context, void *block)
{
    junk *j = context;
    j->released += block != NULL;
    j->below.release(j->below.context, block);
}

static soa_workspace *junk_workspace(const soa_model *m, junk *j, unsigned char fill)
{
    soa_workspace *w;
    soa_error error;
    *j = (junk){ soa_allocator_default(), 0, 0, fill };
    const soa_allocator allocator = { junk_allocate, junk_release, j };
    ok_at(__FILE__, __LINE__, soa_workspace_new(m, &allocator, &w, &error), &error);
    return w;
}

/* ---- models --------------------------------------------------------------------------------------- */

static soa_model *model_number(int i)
{
    const char *const names[] = { "arm7", "humanoid", "satellite", "tree:9,2", "tree:25,6", "pendulum" };
    return i < 6 ? builtin(names[i]) : coupled_arm();
}
enum { MODELS = 7 };

/* ---- tests ------------------------------------------------------------------------------------------ */

/* One state at a time, in a fresh workspace of zeros for each. */
static outputs singly(const api_call *call, const batch *b)
{
    outputs out = outputs_of(call, b);
    soa_error error;
    for (int s = 0; s < b->states; s++) {
        junk j;
        soa_workspace *w = junk_workspace(b->m, &j, 0);
        (void)run_states(call, b, w, s, 1, &out, &error);
        soa_workspace_free(w);
    }
    return out;
}

/* 1 .. 19 states in one call, in any lanes, in memory full of NaNs, allocating nothing. */
static void bits_of_any_number_of_states(void **state)
{
    (void)state;
    for (int model = 0; model < MODELS; model++) {
        kit k = kit_of(model_number(model), 31 + (unsigned)model);
        batch b = batch_of(&k, STATES);
        for (int c = 0; c < API_CALLS; c++) {
            outputs expected = singly(&CALLS[c], &b);
            for (int lanes = 1; lanes <= 8; lanes *= 2) {
                junk j;
                soa_workspace *w = junk_workspace(k.m, &j, 0xff);
                const int asked = j.asked;
                for (int n = 1; n <= STATES && soa_workspace_set_lanes(w, lanes, NULL) == SOA_OK; n++) {
                    outputs out = outputs_of(&CALLS[c], &b);
                    assert_int_equal(soa_workspace_lanes(w), lanes);
                    (void)run_states(&CALLS[c], &b, w, 0, n, &out, &k.error);
                    same_outputs(&CALLS[c], &out, &expected, 0, n);
                    outputs_free(&out);
                }
                assert_int_equal(j.asked, asked);
                assert_int_equal(j.released, 0);
                soa_workspace_free(w);
                assert_int_equal(j.released, j.asked);
            }
            outputs_free(&expected);
        }
        batch_free(&b);
        kit_close(&k);
    }
}

/* What one call leaves in the workspace is nothing to the next. */
static void calls_do_not_disturb_each_other(void **state)
{
    (void)state;
    kit k = kit_open("tree:25,6", 5);
    batch b = batch_of(&k, 5);
    outputs expected[API_CALLS];
    for (int c = 0; c < API_CALLS; c++) {
        expected[c] = singly(&CALLS[c], &b);
    }
    for (int trial = 0; trial < 300; trial++) {
        const int c = (int)((soa_model_random_number(&k.seed) + 1.0) / 2.0 * API_CALLS);
        const int s = (int)((soa_model_random_number(&k.seed) + 1.0) / 2.0 * 5), n = 1 + trial % (5 - s);
        outputs out = outputs_of(&CALLS[c], &b);
        (void)run_states(&CALLS[c], &b, k.w, s, n, &out, &k.error);
        same_outputs(&CALLS[c], &out, &expected[c], s, n);
        outputs_free(&out);
    }
    for (int c = 0; c < API_CALLS; c++) {
        outputs_free(&expected[c]);
    }
    batch_free(&b);
    kit_close(&k);
}

static void lanes_that_do_not_exist(void **state)
{
    (void)state;
    kit k = kit_open("arm7", 1);
    const int refused[] = { -1, 0, 2, 3, 5, 6, 7, 9, 16 };
    const int lanes = soa_workspace_lanes(k.w);
    for (unsigned i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_int_equal(soa_workspace_set_lanes(k.w, refused[i], &k.error), SOA_E_UNSUPPORTED);
        assert_int_equal(soa_workspace_lanes(k.w), lanes);
    }
    assert_true(lanes == 1 || lanes == 4 || lanes == 8);
    kit_close(&k);
}

/* Every allocation of a workspace may fail; then it is refused and all is given back. */
static void workspaces_without_memory(void **state)
{
    (void)state;
    soa_model *m = coupled_arm();
    soa_status status = SOA_E_MEMORY;
    int needed = 0;
    for (; status != SOA_OK; needed++) {
        counting c;
        const soa_allocator allocator = counting_on(&c, needed);
        soa_workspace *w;
        soa_error error;
        status = soa_workspace_new(m, &allocator, &w, &error);
        if (status == SOA_OK) { /* one block more is not to be had: the old one stays usable */
            assert_int_equal(soa_workspace_reserve(w, 9, &error), SOA_E_MEMORY);
            double q[7] = { 0 }, energy[2];
            assert_int_equal(soa_energy(m, w, 1, q, NULL, energy, &error), SOA_OK);
        } else {
            assert_null(w);
            assert_int_equal(status, SOA_E_MEMORY);
        }
        soa_workspace_free(w);
        assert_int_equal(c.open, 0);
    }
    assert_true(needed > 3);
    soa_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_of_any_number_of_states),
        cmocka_unit_test(calls_do_not_disturb_each_other),
        cmocka_unit_test(lanes_that_do_not_exist),
        cmocka_unit_test(workspaces_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
