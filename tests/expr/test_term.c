/* Terms: equal ones are one, products and sums are flat, kinds follow, and every
 * allocation may fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "expr/term.h"

static soa_terms *pool_of(int most)
{
    soa_terms *pool = NULL;
    assert_int_equal(soa_terms_new(NULL, most, &pool, NULL), SOA_OK);
    return pool;
}

static const soa_term *op(soa_terms *pool, soa_operator name)
{
    return soa_term_operator(pool, name);
}

/* I - H psi K */
static const soa_term *filter(soa_terms *pool)
{
    const soa_term *product[] = { op(pool, SOA_OP_H), op(pool, SOA_OP_PSI), op(pool, SOA_OP_K) };
    const soa_term *I = soa_term_identity(pool, (soa_place){ SOA_SPACE_JOINT, SOA_SIDE_FORCE });
    return soa_term_subtract(pool, I, soa_term_product(pool, 3, product));
}

/* (I - H psi K)' D^-1 (I - H psi K)  [I6] */
static const soa_term *inverse_of_mass(soa_terms *pool)
{
    const soa_term *W = filter(pool);
    const soa_term *product[] = { soa_term_adjoint(pool, W), op(pool, SOA_OP_D_INV), W };
    return soa_term_product(pool, 3, product);
}

static void equal_terms_are_one(void **state)
{
    (void)state;
    soa_terms *pool = pool_of(1000);
    const soa_term *first = inverse_of_mass(pool);
    const int count = pool->table.count;
    assert_ptr_equal(inverse_of_mass(pool), first);
    assert_int_equal(pool->table.count, count);
    assert_ptr_not_equal(filter(pool), first);
    soa_terms_free(pool);
}

static void types_and_kinds_follow(void **state)
{
    (void)state;
    soa_terms *pool = pool_of(1000);
    const soa_type inward = { { SOA_SPACE_JOINT, SOA_SIDE_FORCE }, { SOA_SPACE_JOINT, SOA_SIDE_FORCE } };
    const soa_type whole = { { SOA_SPACE_JOINT, SOA_SIDE_FORCE }, { SOA_SPACE_JOINT, SOA_SIDE_MOTION } };
    const soa_term *W = filter(pool);
    assert_true(soa_type_equal(W->type, inward));
    assert_int_equal(W->causality, SOA_KIND_CAUSAL);
    assert_int_equal(W->child[1]->causality, SOA_KIND_STRICTLY_CAUSAL);
    assert_int_equal(soa_term_adjoint(pool, W)->causality, SOA_KIND_ANTICAUSAL);
    assert_true(soa_type_equal(inverse_of_mass(pool)->type, whole));
    assert_int_equal(inverse_of_mass(pool)->causality, SOA_KIND_FULL);
    soa_terms_free(pool);
}

static void trivial_parts_go(void **state)
{
    (void)state;
    soa_terms *pool = pool_of(1000);
    const soa_term *phi = op(pool, SOA_OP_PHI), *E = op(pool, SOA_OP_E_PHI);
    const soa_term *I = soa_term_identity(pool, phi->type.to);
    const soa_term *zero = soa_term_zero(pool, phi->type);
    assert_ptr_equal(soa_term_multiply(pool, I, phi), phi);
    assert_ptr_equal(soa_term_multiply(pool, I, I), I);
    assert_ptr_equal(soa_term_add(pool, phi, zero), phi);
    assert_ptr_equal(soa_term_multiply(pool, phi, zero), zero);
    assert_ptr_equal(soa_term_adjoint(pool, soa_term_adjoint(pool, phi)), phi);
    assert_ptr_equal(soa_term_adjoint(pool, op(pool, SOA_OP_P)), op(pool, SOA_OP_P));
    assert_ptr_equal(soa_term_inverse(pool, op(pool, SOA_OP_D)), op(pool, SOA_OP_D_INV));
    assert_ptr_equal(soa_term_inverse(pool, op(pool, SOA_OP_MASS_INV)), op(pool, SOA_OP_MASS));
    assert_ptr_equal(soa_term_inverse(pool, soa_term_inverse(pool, phi)), phi);
    assert_ptr_equal(soa_term_multiply(pool, soa_term_multiply(pool, phi, E), phi),
        soa_term_multiply(pool, phi, soa_term_multiply(pool, E, phi)));
    assert_ptr_equal(soa_term_multiply(pool, phi, soa_term_scale(pool, soa_ratio_of(3), E)),
        soa_term_scale(pool, soa_ratio_of(3), soa_term_multiply(pool, phi, E)));
    assert_ptr_equal(soa_term_scale(pool, soa_ratio_read("0.5"), soa_term_scale(pool, soa_ratio_of(2), phi)), phi);
    assert_ptr_equal(soa_term_scale(pool, soa_ratio_read("0.5"), soa_term_inverse(pool, phi)),
        soa_term_inverse(pool, soa_term_scale(pool, soa_ratio_of(2), phi)));
    soa_terms_free(pool);
}

static void a_full_pool_says_so(void **state)
{
    (void)state;
    soa_terms *pool = pool_of(4);
    assert_null(inverse_of_mass(pool));
    assert_int_equal(pool->status, SOA_E_LIMIT);
    assert_non_null(op(pool, SOA_OP_PSI)); /* what is there stays */
    soa_terms_free(pool);
}

static void variables_have_one_number(void **state)
{
    (void)state;
    soa_terms *pool = pool_of(100);
    const soa_variable x = { "x", { { SOA_SPACE_ONE, SOA_SIDE_ANY }, { SOA_SPACE_JOINT, SOA_SIDE_FORCE } },
        SOA_KIND_MEMORYLESS, false, false };
    const int number = soa_terms_variable(pool, &x);
    assert_int_equal(soa_terms_variable(pool, &x), number);
    assert_int_equal(soa_terms_find_variable(pool, "x"), number);
    assert_int_equal(soa_terms_find_variable(pool, "y"), -1);
    assert_true(soa_term_is_vector(soa_term_variable(pool, number)));
    assert_int_equal(soa_term_variable(pool, number)->size, 1);
    assert_false(soa_term_is_vector(op(pool, SOA_OP_PHI)));
    soa_terms_free(pool);
}

/* A kind lets in what its letters say; the product of kinds lets in what chains of steps reach. */
static void kinds_combine(void **state)
{
    (void)state;
    assert_int_equal(soa_kind_product(SOA_KIND_CAUSAL, SOA_KIND_STRICTLY_CAUSAL), SOA_KIND_STRICTLY_CAUSAL);
    assert_int_equal(soa_kind_product(SOA_KIND_CAUSAL, SOA_KIND_ANTICAUSAL), SOA_KIND_FULL);
    assert_int_equal(soa_kind_sum(SOA_KIND_STRICTLY_CAUSAL, SOA_KIND_MEMORYLESS), SOA_KIND_CAUSAL);
    assert_int_equal(soa_kind_sum(SOA_KIND_CAUSAL, SOA_KIND_STRICTLY_ANTICAUSAL), SOA_KIND_FULL);
    for (int a = 0; a <= SOA_KIND_FULL; a++) {
        const soa_kind kind = (soa_kind)a;
        assert_int_equal(soa_kind_product(SOA_KIND_MEMORYLESS, kind), kind);
        assert_int_equal(soa_kind_adjoint(soa_kind_adjoint(kind)), kind);
        assert_int_equal(soa_kind_sum(kind, kind), kind);
    }
}

/* ---- allocation failure ---------------------------------------------------------------- */

static void every_allocation_may_fail(void **state)
{
    (void)state;
    bool made = false;
    for (int fail_at = 0; !made; fail_at++) {
        counting c;
        const soa_allocator allocator = counting_on(&c, fail_at);
        c.once = true;
        soa_terms *pool = NULL;
        if (soa_terms_new(&allocator, 1000, &pool, NULL) == SOA_OK) {
            made = inverse_of_mass(pool) != NULL;
            assert_int_equal(pool->status, made ? SOA_OK : SOA_E_MEMORY);
            soa_terms_free(pool);
        }
        assert_int_equal(c.open, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_terms_are_one),
        cmocka_unit_test(types_and_kinds_follow),
        cmocka_unit_test(trivial_parts_go),
        cmocka_unit_test(a_full_pool_says_so),
        cmocka_unit_test(variables_have_one_number),
        cmocka_unit_test(kinds_combine),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
