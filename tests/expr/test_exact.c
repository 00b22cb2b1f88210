/* Systems in exact arithmetic: laws of mechanics that the construction does not know of hold exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "expr/exact.h"

enum { SEEDS = 12, DEPTH = 3 };

typedef struct setting {
    soa_terms *terms;
    soa_arena arena;
} setting;

static int begin(void **state)
{
    static setting s;
    assert_int_equal(soa_terms_new(NULL, SOA_TERMS_MOST, &s.terms, NULL), SOA_OK);
    s.arena = soa_arena_on(&s.terms->allocator);
    *state = &s;
    return 0;
}

static int end(void **state)
{
    setting *s = *state;
    soa_arena_free(&s->arena);
    soa_terms_free(s->terms);
    return 0;
}

static bool is_zero(soa_exact a)
{
    for (int i = 0; i < a.rows * a.cols; i++) {
        if (a.at[i] != 0) {
            return false;
        }
    }
    return true;
}

static soa_exact_system system_of(setting *s, unsigned seed, int order, int moved)
{
    const soa_exact_choice choice = {
        .seed = seed, .depth = DEPTH, .rotors = seed % 2 == 1, .order = order, .moved = { moved }
    };
    return soa_exact_system_of(&s->arena, s->terms, &choice);
}

/* Power: sum_i beta_i beta* d(Mass, q_i) beta = 2 beta* (C - gravity), whatever the coordinates; rotors included. */
static void energy_is_kept(void **state)
{
    setting *s = *state;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        soa_exact_system y = system_of(s, seed, 0, 0);
        soa_field *f = &y.field;
        const soa_exact beta = soa_exact_vector(&y, SOA_VECTOR_BETA), beta_t = soa_exact_transpose(f, beta);
        uint64_t rate = 0;
        for (int i = 0; i < y.nv; i++) {
            soa_exact_system moved = system_of(s, seed, 1, i);
            const soa_exact Mass = soa_exact_operator(&moved, SOA_OP_MASS);
            const soa_exact dMass = { Mass.rows, Mass.cols, Mass.at + Mass.rows * Mass.cols };
            const soa_exact e = soa_exact_multiply(f, soa_exact_multiply(f, beta_t, dMass), beta);
            rate = (rate + (uint64_t)beta.at[i] * e.at[0]) % f->prime;
        }
        const soa_exact phi = soa_exact_operator(&y, SOA_OP_PHI), M = soa_exact_operator(&y, SOA_OP_M);
        const soa_exact a = soa_exact_add(
            f, soa_exact_vector(&y, SOA_VECTOR_A), (uint32_t)f->prime - 1, soa_exact_vector(&y, SOA_VECTOR_G));
        const soa_exact alpha = soa_exact_multiply(f, soa_exact_transpose(f, phi), a);
        const soa_exact force =
            soa_exact_add(f, soa_exact_multiply(f, M, alpha), 1, soa_exact_vector(&y, SOA_VECTOR_B));
        const soa_exact H_phi = soa_exact_multiply(f, soa_exact_operator(&y, SOA_OP_H), phi);
        soa_exact C = soa_exact_multiply(f, H_phi, force);
        const soa_exact Gamma_t = soa_exact_transpose(f, soa_exact_operator(&y, SOA_OP_GAMMA));
        C = soa_exact_add(f, C, 1, soa_exact_multiply(f, Gamma_t, alpha));
        const soa_exact power = soa_exact_multiply(f, beta_t, C);
        assert_int_equal(f->status, SOA_OK);
        assert_true(rate != 0);
        assert_int_equal(rate, 2 * (uint64_t)power.at[0] % f->prime);
    }
}

/* d(Mass^-1) Mass + Mass^-1 d(Mass) = 0: the inverse of a moved matrix is exact. */
static void inverses_are_exact(void **state)
{
    setting *s = *state;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        soa_exact_system y = system_of(s, seed, 1, 1);
        soa_field *f = &y.field;
        const soa_exact Mass = soa_exact_operator(&y, SOA_OP_MASS), inverse = soa_exact_operator(&y, SOA_OP_MASS_INV);
        const soa_exact product = soa_exact_multiply(f, Mass, inverse);
        const soa_exact rest = soa_exact_add(f, product, (uint32_t)f->prime - 1, soa_exact_identity(f, y.nv));
        assert_int_equal(f->status, SOA_OK);
        assert_true(is_zero(rest));
        assert_true(is_zero((soa_exact){ rest.rows, rest.cols, rest.at + rest.rows * rest.cols }));
    }
}

/* X and Ups are parts of Omega: Omega = Ups + psi~* Ups + Ups psi~ + X, which the construction does not use.  [I11] */
static void omega_has_its_parts(void **state)
{
    setting *s = *state;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        soa_exact_system y = system_of(s, seed, 0, 0);
        soa_field *f = &y.field;
        const soa_exact Ups = soa_exact_operator(&y, SOA_OP_UPS), psi = soa_exact_operator(&y, SOA_OP_PSI_STRICT);
        const soa_exact right = soa_exact_multiply(f, Ups, psi);
        soa_exact sum = soa_exact_add(f, soa_exact_add(f, Ups, 1, right), 1, soa_exact_transpose(f, right));
        sum = soa_exact_add(f, sum, 1, soa_exact_operator(&y, SOA_OP_BRANCH));
        assert_false(is_zero(sum));
        assert_true(is_zero(soa_exact_add(f, sum, (uint32_t)f->prime - 1, soa_exact_operator(&y, SOA_OP_OMEGA))));
    }
}

/* A singular matrix has no inverse, and that is said. */
static void singular_is_singular(void **state)
{
    setting *s = *state;
    soa_exact_system y = system_of(s, 1, 0, 0);
    (void)soa_exact_inverse(&y.field, soa_exact_operator(&y, SOA_OP_OMEGA));
    assert_int_equal(y.field.status, SOA_E_SINGULAR);
}

/* The root of the square of a diagonal matrix, and of what it changes by, squared is that again; -4 has none, nor has what
 * is not diagonal. */
static void roots_are_exact(void **state)
{
    setting *s = *state;
    for (int order = 0; order <= SOA_EXACT_ORDER; order++) {
        soa_exact_system y = system_of(s, 1, order, 1);
        soa_field *f = &y.field;
        soa_exact d = soa_exact_zero(f, 3, 3);
        for (int i = 0; i < 3; i++) {
            for (int plane = 0; plane < 1 << order; plane++) {
                *soa_exact_entry(d, plane, i, i) = (uint32_t)(2 + 5 * i + 11 * plane);
            }
        }
        const soa_exact square = soa_exact_multiply(f, d, d), root = soa_exact_root(f, square);
        const soa_exact rest = soa_exact_add(f, soa_exact_multiply(f, root, root), (uint32_t)f->prime - 1, square);
        assert_int_equal(f->status, SOA_OK);
        assert_true(is_zero((soa_exact){ 3, 3 << order, rest.at }));
        *soa_exact_entry(d, 0, 2, 2) = (uint32_t)f->prime - 4;
        (void)soa_exact_root(f, d);
        assert_int_equal(f->status, SOA_E_NUMBER);
        f->status = SOA_OK;
        *soa_exact_entry(d, 0, 1, 2) = 1;
        (void)soa_exact_root(f, d);
        assert_int_not_equal(f->status, SOA_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_kept),
        cmocka_unit_test(inverses_are_exact),
        cmocka_unit_test(omega_has_its_parts),
        cmocka_unit_test(singular_is_singular),
        cmocka_unit_test(roots_are_exact),
    };
    return cmocka_run_group_tests_name("exact", tests, begin, end);
}
