/* What is said of a plan: recursions word by word, levels, LaTeX, graph and picture. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soa/soa.h"
#include "spatial/check.h"

static char *explained(const char *text, soa_notation notation, soa_explanation what)
{
    soa_error error;
    soa_program *program;
    char *made = NULL;
    assert_int_equal(soa_program_new(NULL, &program, &error), SOA_OK);
    if (soa_program_read(program, text, SOA_READ_PROGRAM, &error) != SOA_OK ||
        soa_program_explain(program, soa_program_statements(program) - 1, notation, what, &made, &error) != SOA_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    char *copy = malloc(strlen(made) + 1);
    memcpy(copy, made, strlen(made) + 1);
    soa_program_text_free(program, made);
    soa_program_free(program);
    return copy;
}

static void is_explained(const char *text, soa_notation notation, const char *expected)
{
    char *made = explained(text, notation, SOA_EXPLAIN_SWEEPS);
    assert_string_equal(made, expected);
    free(made);
}

static void has(const char *text, soa_notation notation, soa_explanation what, const char *part)
{
    char *made = explained(text, notation, what);
    if (!strstr(made, part)) {
        fail_msg("%s lacks\n%s\nin\n%s", text, part, made);
    }
    free(made);
}

/* ---- recursions ---------------------------------------------------------------------------------- */

static void recursions_of_the_inverse(void **state)
{
    (void)state;
    static const char expected[] = "cost    2 sweeps, O(N)\n"
                                   "inward  for k = tips .. base\n"
                                   "          K(k,j)   = [phi(k,j) P(j) H*(j) + Gamma(k,j)] D(j)^-1\n"
                                   "          psi(k,j) = phi(k,j) - K(k,j) H(j)\n"
                                   "          P(k)     = M(k) + sum_j [phi(k,j) P(j) phi*(k,j) - K(k,j) D(j) K*(k,j)]\n"
                                   "          D(k)     = H(k) P(k) H*(k) + Arm(k)\n"
                                   "          z(k)     = sum_j psi(k,j) z(j) + K(k,j) T(j)\n"
                                   "          eps(k)   = T(k) - H(k) z(k)\n"
                                   "          nu(k)    = D(k)^-1 eps(k)\n"
                                   "outward for k = base .. tips\n"
                                   "          lambda(k) = psi*(p,k) lambda(p) + H*(k) nu(k)\n"
                                   "          y(k)      = nu(k) - K*(p,k) lambda(p)\n";
    is_explained("(I - H psi K)' D^-1 (I - H psi K) T", SOA_ASCII, expected);
    is_explained("Mass^-1 T", SOA_ASCII, expected);
    is_explained("inv(H phi M phi' H') T", SOA_ASCII, expected);
    is_explained("Mass^-1 T", SOA_UNICODE,
        "cost    2 sweeps, O(N)\n"
        "inward  for k = tips .. base\n"
        "          K(k,j) = [φ(k,j) P(j) H*(j) + Γ(k,j)] D(j)⁻¹\n"
        "          ψ(k,j) = φ(k,j) - K(k,j) H(j)\n"
        "          P(k)   = M(k) + Σ_j [φ(k,j) P(j) φ*(k,j) - K(k,j) D(j) K*(k,j)]\n"
        "          D(k)   = H(k) P(k) H*(k) + Arm(k)\n"
        "          z(k)   = Σ_j ψ(k,j) z(j) + K(k,j) T(j)\n"
        "          ε(k)   = T(k) - H(k) z(k)\n"
        "          ν(k)   = D(k)⁻¹ ε(k)\n"
        "outward for k = base .. tips\n"
        "          λ(k) = ψ*(p,k) λ(p) + H*(k) ν(k)\n"
        "          y(k) = ν(k) - K*(p,k) λ(p)\n");
}

static void recursions_of_forward_dynamics(void **state)
{
    (void)state;
    static const char FD1[] = "Tp = T - H phi (M phi' a + b + B f_c); Mass^-1 Tp";
    static const char FD4[] = "nu = D^-1 ((I - H psi K) T - H psi (b + B f_c) - H psi~ P a);"
                              "betadot = (I - H psi K)' nu - K' psi' taubar' a - G' a";
    has(FD1, SOA_ASCII, SOA_EXPLAIN_SWEEPS, "cost    3 sweeps, O(N) (4 as written)\n");
    has(FD1, SOA_ASCII, SOA_EXPLAIN_SWEEPS, "f(k)     = sum_j phi(k,j) f(j) + M(k) alpha(k) + b(k) + B(k) f_c(k)\n");
    has(FD4, SOA_ASCII, SOA_EXPLAIN_SWEEPS, "cost    3 sweeps, O(N)\n");
    has(FD4, SOA_ASCII, SOA_EXPLAIN_SWEEPS,
        "z(k)      = sum_j psi(k,j) [z(j) + P(j) a(j)] + K(k,j) T(j) + b(k) + B(k) f_c(k)\n");
    has(FD4, SOA_ASCII, SOA_EXPLAIN_SWEEPS, "lambda(k)  = psi*(p,k) lambda(p) + H*(k) nu(k) + taubar*(k) a(k)\n");
    has(FD4, SOA_ASCII, SOA_EXPLAIN_SWEEPS, "betadot(k) = nu(k) - K*(p,k) lambda(p) - G*(k) a(k)\n");
}

static void recursions_of_others(void **state)
{
    (void)state;
    is_explained("M", SOA_ASCII, "cost    0 sweeps, O(N)\neach    k\n          y(k) = M(k) x(k)\n");
    is_explained("X", SOA_ASCII,
        "cost    2 sweeps, O(N)\n"
        "inward  for k = tips .. base\n"
        "          K(k,j)   = [phi(k,j) P(j) H*(j) + Gamma(k,j)] D(j)^-1\n"
        "          psi(k,j) = phi(k,j) - K(k,j) H(j)\n"
        "          P(k)     = M(k) + sum_j [phi(k,j) P(j) phi*(k,j) - K(k,j) D(j) K*(k,j)]\n"
        "          D(k)     = H(k) P(k) H*(k) + Arm(k)\n"
        "          z(k)     = sum_j psi(k,j) z(j) + x(k)\n"
        "          zeta(k)  = sum_j psi(k,j) z(j)\n"
        "outward for k = base .. tips\n"
        "          Ups(k) = psi*(p,k) Ups(p) psi(p,k) + H*(k) D(k)^-1 H(k)\n"
        "          y(k)   = psi*(p,k) [y(p) + Ups(p) (zeta(p) - psi(p,k) z(k))]\n");
    is_explained("inv(A Lambda A') A J betadot", SOA_ASCII,
        "cost    1 sweep, O(N)\n"
        "outward for k = base .. tips\n"
        "          alpha(k) = phi*(p,k) alpha(p) + H*(k) betadot(k)\n"
        "          w(k)     = B*(k) alpha(k)\n"
        "then\n"
        "          r = A w\n"
        "          y = (A Lambda A')^-1 r\n");
}

/* Blocks of each body alone: no sweep. */
static void roots_and_numbers(void **state)
{
    (void)state;
    is_explained("D^(1/2) beta", SOA_ASCII, "cost    0 sweeps, O(N)\neach    k\n          y(k) = D(k)^(1/2) beta(k)\n");
    is_explained("D^(-1/2) T", SOA_ASCII, "cost    0 sweeps, O(N)\neach    k\n          y(k) = D(k)^(-1/2) T(k)\n");
    is_explained("0[joint force]", SOA_ASCII, "cost    0 sweeps, O(N)\neach    k\n          y(k) = 0\n");
    is_explained("4^(1/2) T", SOA_ASCII, "cost    0 sweeps, O(N)\neach    k\n          y(k) = 2 T(k)\n");
}

static void recursions_of_derivatives(void **state)
{
    (void)state;
    is_explained("d(Mass, q_2) betadot", SOA_ASCII,
        "cost    2 sweeps, O(N) (5 as written)\n"
        "outward for k = base .. tips\n"
        "          alpha(k)  = phi*(p,k) alpha(p) + H*(k) betadot(k)\n"
        "          alpha2(k) = phi*(p,k) alpha2(p) + d(phi*(p,k), q_2) alpha(p) + d(H*(k), q_2) betadot(k)\n"
        "inward  for k = tips .. base\n"
        "          f(k)  = sum_j phi(k,j) f(j) + M(k) alpha(k)\n"
        "          f2(k) = sum_j phi(k,j) f2(j) + d(phi(k,j), q_2) f(j) + M(k) alpha2(k)\n"
        "          y(k)  = d(H(k), q_2) f(k) + H(k) f2(k)\n");
    is_explained("d(P, q_elbow)", SOA_UNICODE,
        "cost    1 sweep, O(N)\n"
        "inward  for k = tips .. base\n"
        "          K(k,j)           = [φ(k,j) P(j) H*(j) + Γ(k,j)] D(j)⁻¹\n"
        "          P(k)             = M(k) + Σ_j [φ(k,j) P(j) φ*(k,j) - K(k,j) D(j) K*(k,j)]\n"
        "          D(k)             = H(k) P(k) H*(k) + Arm(k)\n"
        "          d(P(k), q_elbow) = d(M(k) + Σ_j [φ(k,j) P(j) φ*(k,j) - K(k,j) D(j) K*(k,j)], q_elbow)\n"
        "          y(k)             = d(P(k), q_elbow) x(k)\n");
    has("d(d(J, q_1), q_2) beta", SOA_LATEX, SOA_EXPLAIN_SWEEPS,
        "d\\left(d\\left(\\phi^{*}(p,k), q_{1}\\right), q_{2}\\right) \\, \\alpha(p)");
    has("d(b, q_1)", SOA_ASCII, SOA_EXPLAIN_LEVELS, "d(phi(k,j), q_i) = phi(k,j) S[h_i]");
    has("d(Ups, q_1) f", SOA_ASCII, SOA_EXPLAIN_DOT, "d(Ups(k), q_1) = ");
    has("d(Ups, q_1) f", SOA_ASCII, SOA_EXPLAIN_SVG, "d(P, q_1)");
}

/* ---- levels, LaTeX, pictures ------------------------------------------------------------------------ */

static void seven_levels(void **state)
{
    (void)state;
    char *made = explained("Mass^-1 T", SOA_ASCII, SOA_EXPLAIN_LEVELS);
    const char *at = made;
    for (int level = 1; level <= 7; level++) {
        char title[24];
        snprintf(title, sizeof title, "level %d  ", level);
        at = strstr(at, title);
        assert_non_null(at);
    }
    assert_null(strstr(made, "level 8"));
    free(made);
    has("Mass^-1 T", SOA_ASCII, SOA_EXPLAIN_LEVELS, "psi(k,j) = phi(k,j) - K(k,j) H(j)");
    has("Mass^-1 T", SOA_ASCII, SOA_EXPLAIN_LEVELS, "D(k) = H(k) P(k) H*(k) + Arm(k)");
    has("Mass^-1 T", SOA_ASCII, SOA_EXPLAIN_LEVELS, "transition of the Kalman filter");
    has("Mass beta", SOA_ASCII, SOA_EXPLAIN_LEVELS, "Gamma*(p,k)");
    has("T - 2 C", SOA_ASCII, SOA_EXPLAIN_LEVELS,
        "Gamma(k,j): momentum of the rotor of joint j, on body k; 0 without rotors");
    has("T - 2 C", SOA_ASCII, SOA_EXPLAIN_LEVELS, "b_Arm");
}

static int count_of(const char *text, const char *part)
{
    int n = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) {
        n++;
    }
    return n;
}

/* Braces balance, and nothing stands there that only text mode knows. */
static void latex_is_balanced(void **state)
{
    (void)state;
    static const char *const text[] = { "Mass^-1 T", "C", "J Mass^-1 J'", "X", "Ups", "H f",
        "inv(A Lambda A') A J betadot", "beta' Mass beta" };
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        char *made = explained(text[i], SOA_LATEX, SOA_EXPLAIN_SWEEPS);
        int depth = 0;
        for (const char *at = made; *at; at++) {
            depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
            assert_true(depth >= 0);
        }
        assert_int_equal(depth, 0);
        assert_int_equal(count_of(made, "\\begin{align*}"), 1);
        assert_int_equal(count_of(made, "\\end{align*}"), 1);
        assert_int_equal(count_of(made, "\\left"), count_of(made, "\\right"));
        assert_null(strstr(made, "~"));
        free(made);
    }
    has("Mass^-1 T", SOA_LATEX, SOA_EXPLAIN_SWEEPS,
        "  \\lambda(k) &= \\psi^{*}(p,k) \\, \\lambda(p) + H^{*}(k) \\, \\nu(k) \\\\\n");
}

static void pictures_are_drawn(void **state)
{
    (void)state;
    char *dot = explained("Mass^-1 T", SOA_ASCII, SOA_EXPLAIN_DOT),
         *svg = explained("Mass^-1 (T - C)", SOA_UNICODE, SOA_EXPLAIN_SVG);
    assert_int_equal(count_of(dot, "subgraph cluster_"), 2);
    assert_int_equal(count_of(dot, " -> "), 11);
    assert_int_equal(count_of(dot, "{"), count_of(dot, "}"));
    assert_int_equal(count_of(svg, "<text"), count_of(svg, "</text>"));
    assert_int_equal(count_of(svg, "rx=\"8\""), 3); /* sweeps */
    assert_int_equal(count_of(svg, "<line"), 4);
    assert_int_equal(strncmp(svg, "<svg ", 5), 0);
    assert_non_null(strstr(svg, "</svg>\n"));
    free(dot);
    free(svg);
    has("4^(1/2) T", SOA_ASCII, SOA_EXPLAIN_DOT, "label=\"each body\"");
    has("phi f", SOA_ASCII, SOA_EXPLAIN_DOT, "label=\"inward: tips .. base\"");
    has("phi' V", SOA_ASCII, SOA_EXPLAIN_SVG, ">outward: base .. tips<");
}

static void bad_statements_are_refused(void **state)
{
    (void)state;
    soa_error error;
    soa_program *program;
    char *made;
    assert_int_equal(soa_program_new(NULL, &program, &error), SOA_OK);
    assert_int_equal(soa_program_explain(program, 0, SOA_ASCII, SOA_EXPLAIN_SWEEPS, &made, &error), SOA_E_ARGUMENT);
    assert_null(made);
    assert_int_equal(soa_program_read(program, "M V; H psi = (I - H psi K) H phi", SOA_READ_EQUATION, &error), SOA_OK);
    assert_int_equal(soa_program_explain(program, 1, SOA_ASCII, SOA_EXPLAIN_SWEEPS, &made, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_program_explain(program, 0, SOA_ASCII, SOA_EXPLANATIONS, &made, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_program_explain(program, 0, SOA_ASCII, SOA_EXPLAIN_SWEEPS, &made, &error), SOA_OK);
    soa_program_text_free(program, made);
    soa_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recursions_of_the_inverse),
        cmocka_unit_test(recursions_of_forward_dynamics),
        cmocka_unit_test(recursions_of_others),
        cmocka_unit_test(roots_and_numbers),
        cmocka_unit_test(recursions_of_derivatives),
        cmocka_unit_test(seven_levels),
        cmocka_unit_test(latex_is_balanced),
        cmocka_unit_test(pictures_are_drawn),
        cmocka_unit_test(bad_statements_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
