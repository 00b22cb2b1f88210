/* Threads share a model, each with a workspace of its own, and get the same bits. */
#include "dynamics/calls.h"

#include <pthread.h>

enum { THREADS = 8, STATES = 11, ROUNDS = 5 };

typedef struct worker {
    pthread_t thread;
    const batch *b;
    outputs out[API_CALLS];
} worker;

static void *work(void *context)
{
    worker *me = context;
    soa_workspace *w;
    soa_error error;
    if (soa_workspace_new(me->b->m, NULL, &w, &error) != SOA_OK) {
        return me;
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int c = 0; c < API_CALLS; c++) {
            (void)run_states(&CALLS[c], me->b, w, 0, STATES, &me->out[c], &error);
        }
    }
    soa_workspace_free(w);
    return NULL;
}

static void threads_share_a_model(void **state)
{
    const char *const models[] = { "humanoid", "tree:20,5", "arm7" };
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        kit k = kit_open(models[i], i);
        batch b = batch_of(&k, STATES);
        worker workers[THREADS + 1];
        for (int t = 0; t <= THREADS; t++) {
            workers[t].b = &b;
            for (int c = 0; c < API_CALLS; c++) {
                workers[t].out[c] = outputs_of(&CALLS[c], &b);
            }
        }
        assert_null(work(&workers[THREADS])); /* alone */
        for (int t = 0; t < THREADS; t++) {
            assert_int_equal(pthread_create(&workers[t].thread, NULL, work, &workers[t]), 0);
        }
        for (int t = 0; t < THREADS; t++) {
            void *failed;
            assert_int_equal(pthread_join(workers[t].thread, &failed), 0);
            assert_null(failed);
        }
        for (int t = 0; t <= THREADS; t++) {
            for (int c = 0; c < API_CALLS && t < THREADS; c++) {
                same_outputs(&CALLS[c], &workers[t].out[c], &workers[THREADS].out[c], 0, STATES);
                outputs_free(&workers[t].out[c]);
            }
        }
        for (int c = 0; c < API_CALLS; c++) {
            outputs_free(&workers[THREADS].out[c]);
        }
        batch_free(&b);
        kit_close(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(threads_share_a_model) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
