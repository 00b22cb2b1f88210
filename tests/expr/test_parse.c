/* The parser: every identity reads and has one type on both sides, spellings of all
 * alphabets agree, and what is wrong is said in words at its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "expr/parse.h"

static soa_terms *pool_of(int most)
{
    soa_terms *pool = NULL;
    assert_int_equal(soa_terms_new(NULL, most, &pool, NULL), SOA_OK);
    return pool;
}

static const soa_term *parse(soa_terms *pool, const char *text)
{
    const soa_term *term = NULL;
    soa_error error;
    if (soa_parse_term(pool, text, &term, &error) != SOA_OK) {
        print_error("%s: %d: %s\n", text, error.column, error.text);
        fail();
    }
    return term;
}

/* ---- what is read -------------------------------------------------------------------------- */

static void identities_have_a_type(void **state)
{
    (void)state;
    soa_terms *pool = pool_of(SOA_TERMS_MOST);
    static const char *const text[] = {
#define X(label, condition, role, equation) equation,
#include "operator/identities.def"
#undef X
    };
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        const soa_term *left, *right;
        soa_error error;
        if (soa_parse_equation(pool, text[i], &left, &right, &error) != SOA_OK) {
            print_error("%s: %d: %s\n", text[i], error.column, error.text);
            fail();
        }
        assert_true(soa_type_equal(left->type, right->type));
    }
    soa_terms_free(pool);
}

/* Each pair is one term. */
static void spellings_agree(void **state)
{
    (void)state;
    static const char *const pair[][2] = {
        { "H phi M phi' H'", "H phi M phi* H*" },
        { "H phi M phi' H'", "H φ M φᵀ Hᵀ" },
        { "H phi M phi' H'", "HφMφ'H'" },
        { "H phi M phi' H'", "H \\phi M \\phi^{T} H^*" },
        { "H phi M phi' H'", "$H\\varphi M\\phi^{\\top}H^\\ast$" },
        { "H phi M phi' H'", "H * phi * M * phi' * H'" },
        { "H phi M phi' H'", "H·φ·M·φ′·H^T" },
        { "Mass^-1 T", "𝓜⁻¹ T" },
        { "Mass^-1 T", "\\mathcal{M}^{-1} T" },
        { "Mass^-1 T", "inv(Mass) T" },
        { "Mass^-1", "Mass^(-1)" },
        { "E_phi P E_phi'", "E_φ P E_φ*" },
        { "E_phi P E_phi'", "\\mathcal{E}_{\\phi} P \\mathcal{E}_\\phi^*" },
        { "phi~ R + psi~ R", "φ~ R + \\tilde{\\psi} R" },
        { "phi~ R", "φ\xcc\x83 R" },
        { "taubar P", "\\bar{\\tau} P" },
        { "taubar P", "τ\xcc\x84 P" },
        { "Mass betadot", "𝓜 β\xcc\x87" },
        { "B f_c", "B f_{c}" },
        { "Ups + Omega + X", "Υ + Ω + X" },
        { "Lambda f_c", "Λ f_c" },
        { "D^(-1/2) H psi", "D^-1/2 H ψ" },
        { "D^(-1/2) H psi", "D^{-1/2} H \\psi" },
        { "D^(-1/2) H psi", "D⁻½ H ψ" },
        { "D^(-1/2) H psi", "inv(sqrt(D)) H psi" },
        { "D^(1/2) betadot", "D^½ betadot" },
        { "0.5 Mass", "½ Mass" },
        { "0.5 Mass", "1/2 Mass" },
        { "0.5 Mass", "Mass / 2" },
        { "0.5 Mass", "\\frac{1}{2} \\mathcal{M}" },
        { "2 Mass - 2 D", "2*Mass - 2*D" },
        { "E_phi E_phi E_phi", "E_phi^3" },
        { "(I - H psi K)' D^-1 (I - H psi K) T", "[I - H psi K]' D^-1 {I - H psi K} T # a comment" },
        { "phi (M alpha + b)", "phi (M alpha\n + b)" },
        { "-T", "- - - T" },
        { "phi''", "phi" },
        { "T - C", "T + -C" },
        { "H phi", "H*phi" },    /* H' phi does not fit */
        { "phi' H'", "phi*H*" }, /* phi H' does not fit */
        { "D betadot", "D*betadot" },
        { "(phi^-1)' V", "phi^-T V" },
    };
    soa_terms *pool = pool_of(SOA_TERMS_MOST);
    for (size_t i = 0; i < sizeof pair / sizeof pair[0]; i++) {
        if (parse(pool, pair[i][0]) != parse(pool, pair[i][1])) {
            print_error("%s is not %s\n", pair[i][0], pair[i][1]);
            fail();
        }
    }
    soa_terms_free(pool);
}

static void types_follow(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        soa_place from, to;
    } table[] = {
        { "H phi", { SOA_SPACE_BODY, SOA_SIDE_FORCE }, { SOA_SPACE_JOINT, SOA_SIDE_FORCE } },
        { "I - H psi K", { SOA_SPACE_JOINT, SOA_SIDE_FORCE }, { SOA_SPACE_JOINT, SOA_SIDE_FORCE } },
        { "(I - H psi K)'", { SOA_SPACE_JOINT, SOA_SIDE_MOTION }, { SOA_SPACE_JOINT, SOA_SIDE_MOTION } },
        { "beta' Mass beta / 2", { SOA_SPACE_ONE, SOA_SIDE_ANY }, { SOA_SPACE_ONE, SOA_SIDE_ANY } },
        { "J", { SOA_SPACE_JOINT, SOA_SIDE_MOTION }, { SOA_SPACE_POINT, SOA_SIDE_MOTION } },
        { "0 T + J' f_c", { SOA_SPACE_ONE, SOA_SIDE_ANY }, { SOA_SPACE_JOINT, SOA_SIDE_FORCE } },
        { "D^(-1/2)", { SOA_SPACE_JOINT, SOA_SIDE_FORCE }, { SOA_SPACE_JOINT, SOA_SIDE_ANY } },
        { "D^(1/2) D^(1/2) betadot", { SOA_SPACE_ONE, SOA_SIDE_ANY }, { SOA_SPACE_JOINT, SOA_SIDE_FORCE } },
        { "d(Mass, q_2)", { SOA_SPACE_JOINT, SOA_SIDE_MOTION }, { SOA_SPACE_JOINT, SOA_SIDE_FORCE } },
        { "I[body force]", { SOA_SPACE_BODY, SOA_SIDE_FORCE }, { SOA_SPACE_BODY, SOA_SIDE_FORCE } },
        { "0[body force -> joint force]", { SOA_SPACE_BODY, SOA_SIDE_FORCE }, { SOA_SPACE_JOINT, SOA_SIDE_FORCE } },
        { "I", { SOA_SPACE_ANY, SOA_SIDE_ANY }, { SOA_SPACE_ANY, SOA_SIDE_ANY } },
    };
    soa_terms *pool = pool_of(SOA_TERMS_MOST);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const soa_term *term = parse(pool, table[i].text);
        if (!soa_place_equal(term->type.from, table[i].from) || !soa_place_equal(term->type.to, table[i].to)) {
            print_error("%s\n", table[i].text);
            fail();
        }
    }
    soa_terms_free(pool);
}

/* ---- what is refused ---------------------------------------------------------------------------- */

typedef struct refusal {
    const char *text;
    soa_status status;
    int column;
    const char *words; /* part of what is said */
} refusal;

static const refusal REFUSED[] = {
    { "phi beta", SOA_E_SYNTAX, 5, "phi takes a body force; beta is a joint velocity (did you mean H' beta?)" },
    { "phi V", SOA_E_SYNTAX, 5, "phi takes a body force; V is a body velocity (did you mean phi' V or M V?)" },
    { "H T", SOA_E_SYNTAX, 3, "H takes a body force; T is a joint force" },
    { "T + beta", SOA_E_SYNTAX, 5, "T is a joint force; beta is a joint velocity: they cannot be added" },
    { "M + phi", SOA_E_SYNTAX, 5, "they cannot be added" },
    { "T H", SOA_E_SYNTAX, 3, "T is a vector and cannot be applied" },
    { "I + T", SOA_E_SYNTAX, 5, "they cannot be added" },
    { "2 + M", SOA_E_SYNTAX, 5, "they cannot be added" },
    { "phi (H' beta", SOA_E_SYNTAX, 5, "never closed" },
    { "H phi)", SOA_E_SYNTAX, 6, "never opened" },
    { "(H phi]", SOA_E_SYNTAX, 7, "another kind" },
    { "", SOA_E_SYNTAX, 1, "ends where an operand" },
    { "H +", SOA_E_SYNTAX, 4, "ends where an operand" },
    { "H + * phi", SOA_E_SYNTAX, 5, "an operand was expected" },
    { "2T", SOA_E_SYNTAX, 2, "need a space or a sign between them" },
    { "0.5T", SOA_E_SYNTAX, 4, "need a space or a sign between them" },
    { ".5T", SOA_E_SYNTAX, 3, "need a space or a sign between them" },
    { "T + 9(T + C)", SOA_E_SYNTAX, 6, "need a space or a sign between them" },
    { "(T + C)0", SOA_E_SYNTAX, 8, "need a space or a sign between them" },
    { "Hphi", SOA_E_NAME, 1, "did you mean H phi?" },
    { "H psi Kk", SOA_E_NAME, 7, "'Kk' is unknown; did you mean K?" },
    { "taubr P", SOA_E_NAME, 1, "did you mean taubar?" },
    { "zzzzzz", SOA_E_NAME, 1, "declared by its type" },
    { "H^-1", SOA_E_SYNTAX, 1, "not square" },
    { "E_phi^-1", SOA_E_SYNTAX, 1, "nilpotent" },
    { "inv(phi~)", SOA_E_SYNTAX, 5, "nilpotent" },
    { "(E_phi phi)^-1", SOA_E_SYNTAX, 1, "nilpotent" },
    { "taubar^-1", SOA_E_SYNTAX, 1, "no inverse" },
    { "(psi' H' D^-1 H psi)^-1", SOA_E_SYNTAX, 1, "no inverse" },
    { "T^-1", SOA_E_SYNTAX, 1, "a vector has no inverse" },
    { "inv(0)", SOA_E_SYNTAX, 5, "0 has no inverse" },
    { "phi^(1/2)", SOA_E_SYNTAX, 1, "memoryless positive definite" },
    { "Mass^(1/2)", SOA_E_SYNTAX, 1, "memoryless positive definite" },
    { "D^x", SOA_E_SYNTAX, 3, "after ^" },
    { "M^2", SOA_E_SYNTAX, 1, "takes what it gives" },
    { "D^(1/3)", SOA_E_SYNTAX, 4, "a power is" },
    { "phi^(3e30/2)", SOA_E_SYNTAX, 6, "a power is" },
    { "phi^0", SOA_E_SYNTAX, 5, "a power is" },
    { "1e999 T", SOA_E_NUMBER, 1, "too large" },
    { "1e300 1e300 T", SOA_E_NUMBER, 1, "too large" },
    { "1e-999 T", SOA_E_NUMBER, 1, "too small" },
    { "J[2]", SOA_E_SYNTAX, 1, "only what is of bodies or joints" },
    { "V[1,2]", SOA_E_SYNTAX, 1, "blocks of one body" },
    { "2 trace(J)", SOA_E_SYNTAX, 3, "has a diagonal" },
    { "trace(I)", SOA_E_SYNTAX, 1, "any type" },
    { "sum(k, P[k] phi' M^-1 P[k])", SOA_E_SYNTAX, 1, "one block" },
    { "sum(k, P)", SOA_E_SYNTAX, 1, "one block" },
    { "sum(P[k])", SOA_E_SYNTAX, 6, "names them first" },
    { "d(C, x_1)", SOA_E_SYNTAX, 6, "by q_, beta_ or T_" },
    { "1.2.3 T", SOA_E_NUMBER, 1, "two points" },
    { "1.2345678901234567890123 T", SOA_E_NUMBER, 1, "18 digits" },
    { "T / 0", SOA_E_NUMBER, 5, "divides by zero" },
    { "T / D", SOA_E_SYNTAX, 5, "only numbers divide" },
    { "(M phi')*V", SOA_E_SYNTAX, 9, "adjoint or a product" },
    { "phi * - psi", SOA_E_SYNTAX, 5, "adjoint or a product" },
    { "a @ b", SOA_E_SYNTAX, 3, "means nothing" },
    { "T~", SOA_E_SYNTAX, 2, "only after phi and psi" },
    { "\\foo T", SOA_E_SYNTAX, 1, "no command" },
    { "\xff", SOA_E_SYNTAX, 1, "UTF-8" },
    { "d(H, q_\xcf\x88\xcc\x83 3)", SOA_E_SYNTAX, 6, "means nothing" },
    { "d(H, q_3phi~)", SOA_E_SYNTAX, 12, "only after phi and psi" },
    { "d(Mass)", SOA_E_SYNTAX, 7, "needs a coordinate" },
    { "d(Mass, x)", SOA_E_SYNTAX, 9, "a derivative is by" },
    { "Mass = T", SOA_E_SYNTAX, 6, "only a name can be defined" },
    { "T; beta", SOA_E_SYNTAX, 2, "a second begins" },
    { "φ φ beta", SOA_E_SYNTAX, 5, "beta is a joint velocity" },
    { ")", SOA_E_SYNTAX, 1, "this parenthesis was never opened" },
    { "()", SOA_E_SYNTAX, 2, "an operand is missing before this" },
    { "2^(1/2) T", SOA_E_NUMBER, 1, "the root of this number is no fraction" },
    { "I[body force -> body motion] f", SOA_E_SYNTAX, 3, "I gives what it takes: I[body force]" },
    { "P[abcdefghijklmnopqrstuvwxyzabcdefghijklmnop/abcdefghijklmnopqrstuvwxyz]", SOA_E_SYNTAX, 46,
        "the name of this body is too long" },
    { "J'*J*J'*J*J'*J*J'*J*J'*J*J'*J*J'*J*J'*J*beta", SOA_E_SYNTAX, 23, "write ' for the adjoint" },
};

static void errors_are_at_their_place(void **state)
{
    (void)state;
    soa_terms *pool = pool_of(SOA_TERMS_MOST);
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++) {
        const refusal *r = &REFUSED[i];
        const soa_term *term;
        soa_error error = { 0 };
        const soa_status status = soa_parse_term(pool, r->text, &term, &error);
        if (status != r->status || error.status != status || error.column != r->column ||
            !strstr(error.text, r->words) || term) {
            print_error("%s: status %d, column %d: %s\n", r->text, (int)status, error.column, error.text);
            fail();
        }
    }
    soa_terms_free(pool);
}

static void equations_need_two_sides(void **state)
{
    (void)state;
    soa_terms *pool = pool_of(SOA_TERMS_MOST);
    const soa_term *left, *right;
    soa_error error;
    assert_int_equal(soa_parse_equation(pool, "Mass", &left, &right, &error), SOA_E_SYNTAX);
    assert_non_null(strstr(error.text, "needs a ="));
    assert_int_equal(soa_parse_equation(pool, "Mass = D^-1", &left, &right, &error), SOA_E_SYNTAX);
    assert_int_equal(error.column, 8);
    assert_non_null(strstr(error.text, "they cannot be equal"));
    assert_int_equal(soa_parse_equation(pool, "D D^-1 = I", &left, &right, &error), SOA_OK);
    assert_int_equal(right->type.to.space, SOA_SPACE_JOINT);
    assert_int_equal(soa_parse_equation(pool, "H 0 = 0", &left, &right, &error), SOA_OK);
    assert_ptr_equal(left, right);
    soa_terms_free(pool);
}

/* ---- sizes -------------------------------------------------------------------------------------------- */

static char *repeated(const char *before, const char *middle, const char *after, int times)
{
    static char text[1 << 19];
    char *at = text;
    for (int i = 0; i < times; i++) {
        at += sprintf(at, "%s", before);
    }
    at += sprintf(at, "%s", middle);
    for (int i = 0; i < times; i++) {
        at += sprintf(at, "%s", after);
    }
    return text;
}

static soa_status status_of(soa_terms *pool, const char *text, soa_error *error)
{
    const soa_term *term;
    return soa_parse_term(pool, text, &term, error);
}

static void sizes_are_limited(void **state)
{
    (void)state;
    soa_terms *pool = pool_of(SOA_TERMS_MOST);
    soa_error error;
    assert_int_equal(status_of(pool, repeated("(", "phi", ")", SOA_PARSE_DEPTH), &error), SOA_OK);
    assert_int_equal(status_of(pool, repeated("(", "phi", ")", SOA_PARSE_DEPTH + 1), &error), SOA_E_LIMIT);
    assert_non_null(strstr(error.text, "nested"));
    assert_int_equal(status_of(pool, repeated("((((", "phi", "))))", 20000), &error), SOA_E_LIMIT);
    assert_int_equal(status_of(pool, repeated("(", "", "", 20000), &error), SOA_E_LIMIT);
    assert_int_equal(status_of(pool, repeated("- ", "phi", "'", 20000), &error), SOA_E_LIMIT);
    assert_int_equal(status_of(pool, repeated("- ", "phi", "'", 5000), &error), SOA_E_LIMIT);
    assert_int_equal(status_of(pool, repeated("- ", "phi", "'", 900), &error), SOA_OK);
    assert_int_equal(status_of(pool, repeated("phi ", "phi", "", 5000), &error), SOA_OK);
    assert_int_equal(status_of(pool, repeated("phi ", "phi", "", 30000), &error), SOA_E_LIMIT);
    assert_non_null(strstr(error.text, "too large"));
    assert_int_equal(status_of(pool, repeated("phi + ", "phi", "", 80000), &error), SOA_E_LIMIT);
    assert_int_equal(status_of(pool, repeated("\\tilde{", "\\phi", "}", 1000), &error), SOA_E_SYNTAX);
    assert_int_equal(status_of(pool, repeated("x", "", "", 100), &error), SOA_E_LIMIT);
    soa_terms_free(pool);
}

/* ---- memory --------------------------------------------------------------------------------------------- */

static void every_allocation_may_fail(void **state)
{
    (void)state;
    bool done = false;
    for (int n = 0; !done; n++) {
        counting c;
        const soa_allocator allocator = counting_lack(&c, n);
        soa_terms *pool = NULL;
        soa_error error;
        soa_status status = soa_terms_new(&allocator, SOA_TERMS_MOST, &pool, &error);
        if (status == SOA_OK) {
            const soa_term *term;
            status =
                soa_parse_term(pool, "D^(-1/2) (I - H psi K)' D^-1 (T - H phi (M phi* a + 2 b)) + x", &term, &error);
            done = status == SOA_E_NAME;
        }
        assert_true(done || (status == SOA_E_MEMORY && error.status == SOA_E_MEMORY));
        assert_int_equal(done, c.refused == 0);
        soa_terms_free(pool);
        assert_int_equal(c.open, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identities_have_a_type),
        cmocka_unit_test(spellings_agree),
        cmocka_unit_test(types_follow),
        cmocka_unit_test(errors_are_at_their_place),
        cmocka_unit_test(equations_need_two_sides),
        cmocka_unit_test(sizes_are_limited),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
