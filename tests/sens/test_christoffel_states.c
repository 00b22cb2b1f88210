/* Christoffel symbols and derivatives of the mass matrix of many states: lanes, threads, refusals. */
#include "sens/differences.h"

#include "soa/batch.h"
#include "soa/christoffel.h"

static void has_the_same_bits(void **state)
{
    (void)state;
    enum { STATES = 5 };
    for (int seed = 0; seed < 12; seed++) {
        kit k = kit_random_tree(seed);
        const int n = k.nv, size = n * n * n;
        double *q = numbers(STATES * k.nq), *one = numbers(size * STATES), *many = numbers(size * STATES * 2);
        for (int s = 0; s < STATES; s++) {
            soa_random_configuration(k.m, &k.seed, q + s * k.nq);
        }
        const int most = soa_workspace_lanes(k.w);
        OK(&k, soa_workspace_set_lanes(k.w, 1, &k.error));
        for (int what = 0; what < 2; what++) {
            soa_status (*call)(const soa_model *, soa_workspace *, int, const double *, double *, soa_error *) =
                what == 0 ? soa_christoffel : soa_mass_derivatives;
            OK(&k, soa_workspace_set_lanes(k.w, 1, &k.error));
            OK(&k, call(k.m, k.w, STATES, q, one, &k.error));
            for (int lanes = 4; lanes <= most; lanes *= 2) {
                OK(&k, soa_workspace_set_lanes(k.w, lanes, &k.error));
                OK(&k, call(k.m, k.w, STATES, q, many, &k.error));
                SAME(size * STATES, many, one);
                for (int s = 0; s < STATES; s++) {
                    OK(&k, call(k.m, k.w, 1, q + s * k.nq, many, &k.error));
                    SAME(size, many, one + s * size);
                }
            }
        }
        free(q);
        free(one);
        free(many);
        kit_close(&k);
    }
}

typedef struct many {
    kit *k;
    const double *q;
    double *C;
} many;

static soa_status some_symbols(void *context, soa_workspace *workspace, int first, int count, soa_error *error)
{
    const many *x = context;
    const size_t n = (size_t)x->k->nv, at = (size_t)first;
    return soa_christoffel(x->k->m, workspace, count, x->q + at * (size_t)x->k->nq, x->C + at * n * n * n, error);
}

static void has_the_same_bits_in_threads(void **state)
{
    (void)state;
    enum { STATES = 37 };
    kit k = kit_open("arm7", 2);
    const int size = k.nv * k.nv * k.nv;
    double *q = numbers(STATES * k.nq), *one = numbers(STATES * size), *C = numbers(STATES * size);
    for (int s = 0; s < STATES; s++) {
        soa_random_configuration(k.m, &k.seed, q + s * k.nq);
    }
    soa_batch *batch;
    OK(&k, soa_batch_new(k.m, 3, NULL, &batch, &k.error));
    many x = { &k, q, C };
    OK(&k, soa_batch_run(batch, STATES, some_symbols, &x, &k.error));
    OK(&k, soa_christoffel(k.m, k.w, STATES, q, one, &k.error));
    SAME(STATES * size, C, one);
    soa_batch_free(batch);
    free(q);
    free(one);
    free(C);
    kit_close(&k);
}

static void refuses(void **state)
{
    (void)state;
    kit k = kit_open("quadruped", 1);
    const int n = k.nv;
    double *y = numbers(n * n * n);
    k.q[8] = NAN;
    assert_int_equal(soa_christoffel(k.m, k.w, 1, k.q, y, &k.error), SOA_E_NUMBER);
    assert_true(isnan(y[0]) && isnan(y[n * n * n - 1]));
    k.q[8] = 0.0;
    assert_int_equal(soa_mass_derivative(k.m, k.w, n, 1, k.q, y, &k.error), SOA_E_ARGUMENT);
    assert_int_equal(soa_mass_rate(k.m, k.w, 1, k.q, NULL, y, &k.error), SOA_E_ARGUMENT);
    assert_int_equal(soa_christoffel_product(k.m, k.w, 1, k.q, k.v, NULL, y, &k.error), SOA_E_ARGUMENT);
    for (int i = 0; i < 3; i++) { /* a velocity that is none, in each place */
        for (int none = -1; none <= n; none += n + 1) {
            const int at[3] = { i == 0 ? none : 0, i == 1 ? none : 0, i == 2 ? none : 0 };
            assert_true(soa_christoffel_index(k.m, at[0], at[1], at[2]) == -1);
        }
    }
    free(y);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_same_bits),
        cmocka_unit_test(has_the_same_bits_in_threads),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
