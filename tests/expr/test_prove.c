/* Every rule is proved from the defining relations alone, with a certificate that is multiplied
 * out, and holds on numbers; its mutations are refuted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "expr/parse.h"
#include "expr/prove.h"
#include "expr/rules.h"
#include "expr/theory.h"

/* ---- proofs --------------------------------------------------------------------------------- */

typedef struct statement {
    soa_terms *terms;
    const soa_term *left, *right;
} statement;

static bool statement_read(statement *s, const char *text, soa_error *error)
{
    *s = (statement){ 0 };
    assert_int_equal(soa_terms_new(NULL, SOA_TERMS_MOST, &s->terms, error), SOA_OK);
    return soa_parse_equation(s->terms, text, &s->left, &s->right, error) == SOA_OK;
}

static soa_proof prove(const char *text, statement *s)
{
    soa_error error = { 0 };
    soa_proof proof = { 0 };
    if (!statement_read(s, text, &error) || soa_prove(s->terms, s->left, s->right, &proof, &error) != SOA_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    return proof;
}

static soa_verdict verdict_of(const char *text)
{
    statement s;
    soa_proof proof = prove(text, &s);
    const soa_verdict verdict = proof.verdict;
    soa_terms_free(s.terms);
    return verdict;
}

/* [V] .. [CC]: proved, with a certificate; with rotors too unless the rule says otherwise. */
static void every_rule_is_proved(void **state)
{
    (void)state;
    for (int i = 0; i < RULES; i++) {
        statement s;
        soa_proof proof = prove(rule_texts[i].text, &s);
        if (proof.verdict != SOA_PROVED || !proof.checked) {
            fail_msg("[%s] %s: %s", rule_texts[i].label, rule_texts[i].text,
                proof.verdict == SOA_PROVED ? "the certificate is not right" : "not proved");
        }
        if (proof.with_rotors == rule_texts[i].without) {
            fail_msg("[%s] %s: rotors", rule_texts[i].label, rule_texts[i].text);
        }
        assert_true(proof.steps == 0 || proof.step[proof.steps - 1].term == s.right);
        soa_terms_free(s.terms);
    }
}

/* Each step of a proof is equal to the one before it, on numbers, and written otherwise. Some proofs have several. */
static void steps_hold_on_numbers(void **state)
{
    (void)state;
    int most = 0;
    for (int i = 0; i < RULES; i++) {
        statement s;
        soa_proof proof = prove(rule_texts[i].text, &s);
        const bool rotors = soa_term_has_rotors(s.terms, s.left) || soa_term_has_rotors(s.terms, s.right);
        const soa_term *before = s.left;
        for (int j = 0; j < proof.steps; j++) {
            soa_proof numbers = { 0 };
            soa_refute(s.terms, before, proof.step[j].term, 2, rotors, &numbers);
            if (numbers.verdict != SOA_OPEN || numbers.systems == 0) {
                fail_msg("[%s] %s: step %d is not equal", rule_texts[i].label, rule_texts[i].text, j + 1);
            }
            assert_true(j + 1 == proof.steps || proof.step[j].term != before);
            before = proof.step[j].term;
        }
        most = proof.steps > most ? proof.steps : most;
        soa_terms_free(s.terms);
    }
    assert_true(most > 1);
}

/* Each rule is a test by itself: both sides, from the definitions, on random trees. */
static void every_rule_holds_on_numbers(void **state)
{
    (void)state;
    for (int i = 0; i < RULES; i++) {
        for (int rotors = 0; rotors < 2; rotors++) {
            statement s;
            soa_error error = { 0 };
            if (!statement_read(&s, rule_texts[i].text, &error)) {
                fail_msg("%s: %s", rule_texts[i].text, error.text);
            }
            soa_proof proof = { 0 };
            soa_refute(s.terms, s.left, s.right, 6, rotors == 1, &proof);
            if (proof.verdict != SOA_OPEN && !(rotors && rule_texts[i].without)) {
                fail_msg("[%s] %s: the sides differ", rule_texts[i].label, rule_texts[i].text);
            }
            assert_true(proof.systems + proof.singular > 0);
            soa_terms_free(s.terms);
        }
    }
}

/* A rule that says it needs a system without rotors does: it is false with some. */
static void rules_without_rotors_need_that(void **state)
{
    (void)state;
    for (int i = 0; i < RULES; i++) {
        if (rule_texts[i].without) {
            statement s;
            soa_error error = { 0 };
            assert_true(statement_read(&s, rule_texts[i].text, &error));
            soa_proof proof = { 0 };
            soa_refute(s.terms, s.left, s.right, 40, true, &proof);
            if (proof.verdict != SOA_REFUTED) {
                fail_msg("[%s] %s holds with rotors", rule_texts[i].label, rule_texts[i].text);
            }
            soa_terms_free(s.terms);
        }
    }
}

/* ---- mutations ------------------------------------------------------------------------------- */

enum { TEXT_MOST = 512 };

/* text with the `length` bytes at `at` replaced. */
static void replaced(const char *text, int at, int length, const char *by, char out[TEXT_MOST])
{
    snprintf(out, TEXT_MOST, "%.*s%s%s", at, text, by, text + at + length);
}

/* A sign flipped, psi for phi and phi for psi, an adjoint taken away. false: nothing to change at this place. */
static bool mutate(const char *text, int at, int kind, char out[TEXT_MOST])
{
    const char *here = text + at;
    if (kind == 0 && (strncmp(here, " + ", 3) == 0 || strncmp(here, " - ", 3) == 0)) {
        replaced(text, at, 3, here[1] == '+' ? " - " : " + ", out);
        return true;
    }
    if (kind == 1 && (strncmp(here, "phi", 3) == 0 || strncmp(here, "psi", 3) == 0)) {
        replaced(text, at, 3, here[1] == 'h' ? "psi" : "phi", out);
        return true;
    }
    if (kind == 2 && (*here == '\'' || *here == '*')) {
        replaced(text, at, 1, "", out);
        return true;
    }
    return false;
}

typedef struct tally {
    int refuted, still_true, ill_typed;
} tally;

/* A mutation is refuted; or it is ill-typed; or it happens to be true, and then it is proved. */
static void judge(const char *text, tally *t)
{
    statement s;
    soa_error error = { 0 };
    if (!statement_read(&s, text, &error)) {
        t->ill_typed++;
        soa_terms_free(s.terms);
        return;
    }
    soa_proof proof;
    assert_int_equal(soa_prove(s.terms, s.left, s.right, &proof, &error), SOA_OK);
    if (proof.verdict == SOA_OPEN) {
        fail_msg("%s: neither proved nor refuted", text);
    }
    if (proof.verdict == SOA_REFUTED) {
        const soa_counterexample *c = &proof.counterexample;
        assert_true(!c->system[0] || (c->left != c->right && strncmp(c->system, "builtin:", 8) == 0));
        t->refuted++;
    } else {
        soa_proof numbers = { 0 };
        const bool rotors = soa_term_has_rotors(s.terms, s.left) || soa_term_has_rotors(s.terms, s.right);
        soa_refute(s.terms, s.left, s.right, 5, rotors, &numbers);
        assert_int_equal(numbers.verdict, SOA_OPEN);
        t->still_true++;
    }
    soa_terms_free(s.terms);
}

static void mutations_are_refuted(void **state)
{
    (void)state;
    tally t[3] = { { 0 } };
    for (int i = 0; i < RULES; i++) {
        const char *text = rule_texts[i].text;
        for (int kind = 0; kind < 3; kind++) {
            char out[TEXT_MOST];
            for (int at = 0; text[at]; at++) {
                if (mutate(text, at, kind, out)) {
                    judge(out, &t[kind]);
                }
            }
        }
    }
    print_message("refuted: %d signs, %d psi for phi, %d adjoints (and %d ill-typed); still true: %d\n", t[0].refuted,
        t[1].refuted, t[2].refuted, t[2].ill_typed, t[0].still_true + t[1].still_true + t[2].still_true);
    assert_true(t[0].refuted >= 60);                  /* signs */
    assert_true(t[1].refuted >= 60);                  /* psi for phi */
    assert_true(t[2].ill_typed + t[2].refuted >= 60); /* an adjoint less: the types see it */
}

/* Misprints of the sources, and other things that look right. */
static void false_statements_are_refuted(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "Omega = Ups + psi~' Ups + Ups psi~",          /* source 2, A.4: without branches */
        "Omega = Ups + psi' Ups + Ups psi + X",        /* psi for psi~ */
        "Mass = H phi M phi' H' + D",                  /* D is not added */
        "Mass^-1 = (I + H phi K)' D^-1 (I + H phi K)", /* source 0: phi for psi */
        "beta' Mass beta = (D^(1/2) (I + H psi K)' beta)' D^(1/2) (I + H psi K)' beta", /* [DIAG], printed with psi */
        "Lambda = J D^-1 J'",
        "phi M phi' = R + phi R + R phi'",
        "H G = 2 I",
        "tau = taubar",
        "phi E_phi = E_phi psi",
        "P = R",
        "M = P",
        "T = 0",
        "V' M V = 2 beta' Mass beta",
        "phi psi = psi phi",
        "D^(1/2) D^(1/2) = D + D",
        "(Mass + J' Lambda^-1 J)^-1 = Mass^-1",
        "A J = A J Mass^-1 Mass Mass^-1 D",
        "Mass^-1 (T - H phi b) = (I - H psi K)' D^-1 (T - H phi b)",
        "E_phi E_phi = 0",
        "d(M, q_1) = M",
        "d(phi, q_4) = d(psi, q_4)",
        "d(Mass^-1, q_4) = Mass^-1 d(Mass, q_4) Mass^-1",
        "d(H phi, q_4) = d(H, q_4) phi + H phi d(E_phi, q_4)",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        statement s;
        soa_error error = { 0 };
        if (!statement_read(&s, wrong[i], &error)) {
            fail_msg("%s: %s", wrong[i], error.text);
        }
        soa_terms_free(s.terms);
        if (verdict_of(wrong[i]) != SOA_REFUTED) {
            fail_msg("%s: not refuted", wrong[i]);
        }
    }
}

/* What follows beyond the list. */
static void other_statements_are_proved(void **state)
{
    (void)state;
    static const char *const right[] = {
        "T = T",
        "0 T = 0",
        "(phi M phi')^-1 = (I - E_phi)' M^-1 (I - E_phi)",
        "(Mass + D)^-1 = Mass^-1 - Mass^-1 (D^-1 + Mass^-1)^-1 Mass^-1", /* Woodbury */
        "(I + G H)^-1 G = G (I + H G)^-1",                               /* push-through */
        "(2 Mass)^-1 = 0.5 Mass^-1",
        "(A J Mass^-1 J' A')^-1 = (A Lambda A')^-1",
        "(A B' Omega B A')^-1 A J Mass^-1 = (A Lambda A')^-1 A B' psi' H' D^-1 (I - H psi K)",
        "T' beta = beta' T",
        "(T' Mass^-1 T) = T' (I - H psi K)' D^-1 (I - H psi K) T",
        "D^(1/2) D^(1/2) = D",
        "D^(1/2) D^(-1/2) = I",
        "D D^(-1/2) = D^(1/2)",
        "psi M psi' = P + psi~ P + P psi~'",
        "R - E_phi R E_phi' = P - E_psi P E_psi'",
        "(phi^-1)^-1 = phi",
        "Mass Mass^-1 Mass Mass^-1 = I",
        "0.1 T + 0.2 T = 0.3 T",
        "d((I - H psi K) (I + H phi K), q_2) = 0",
        "d((I - H psi K)' D^-1 (I - H psi K), q_2) = -Mass^-1 d(Mass, q_2) Mass^-1", /* through dP, which cancels */
        "d(T, q_2) = 0",
        "Ups G = H' D^-1",
        "X G = 0",
        "X tau = 0",
        "H psi R X G = 0",
        "tau' Ups tau = H' D^-1 H",
        "(phi^-1)' = (phi')^-1",
        "K' psi' H' = I - ((I + H phi K)^-1)'",
        "d(phi^-1, q_1) = -phi^-1 d(phi, q_1) phi^-1",
        "d((I + H phi K)^-1, q_2) = -(I + H phi K)^-1 d(H phi K, q_2) (I + H phi K)^-1",
        "d((Mass + D)^-1, q_1) = -(Mass + D)^-1 d(Mass + D, q_1) (Mass + D)^-1",
        "(M + P)^-1 = M^-1 - M^-1 (M^-1 + P^-1)^-1 M^-1",
        "(I + M P^-1)^-1 M = M (I + P^-1 M)^-1",
        "(H' D^-1 H + M^-1)^-1 = M - M H' (D + H M H')^-1 H M",
        "(H P H' + Arm)^-1 = D^-1",
        "d(R, q_2) - d(E_phi R E_phi', q_2) = 0",
    };
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        statement s;
        soa_proof proof = prove(right[i], &s);
        if (proof.verdict != SOA_PROVED || !proof.checked) {
            fail_msg("%s: not proved", right[i]);
        }
        soa_terms_free(s.terms);
    }
}

/* True, but not by these relations: said so, with what was tried. */
static void open_statements_say_so(void **state)
{
    (void)state;
    statement s;
    soa_proof proof = prove("d(V' b, q_1) = 0", &s);
    assert_int_equal(proof.verdict, SOA_OPEN);
    assert_true(proof.exact);
    assert_int_equal(proof.systems, SOA_PROVE_SYSTEMS);
    soa_terms_free(s.terms);
}

/* Statements that need care: with rotors, with rounding, with deep trees, with inverses that do not exist. */
static void careful_verdicts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        soa_verdict verdict;
    } list[] = {
        { "C + Arm beta = H phi (M phi' a + b) + Arm beta", SOA_REFUTED },
        { "C = H phi (M phi' a + b) + Gamma' phi' a + b_Arm", SOA_PROVED },
        { "C = H phi (M phi' a + b) + Gamma' phi' a", SOA_REFUTED }, /* a free base with armature */
        { "b_Arm = 0", SOA_PROVED },                                 /* without rotors */
        { "Arm beta + b_Arm = Arm beta", SOA_REFUTED },
        { "C = H phi (M phi' a + b)", SOA_PROVED },
        { "phi = I + E_phi + E_phi E_phi + E_phi E_phi E_phi", SOA_REFUTED },
        { "E_phi^8 = 0", SOA_REFUTED },
        { "(P Omega)^16 = 2 (P Omega)^16", SOA_REFUTED },
        { "phi = 1.00000000000001 phi", SOA_REFUTED },
        { "1e-300 phi = 0", SOA_REFUTED },
        { "2147483647 phi = 0", SOA_REFUTED },
        { "2147483648 phi = phi", SOA_REFUTED },
        { "0.1 phi + 0.2 phi = 0.3 phi", SOA_PROVED },
        { "phi/3 + 2/3 phi = phi", SOA_PROVED },
        { "(4 D)^(1/2) = 2 D^(1/2)", SOA_PROVED },
        { "Ups taubar = 0", SOA_REFUTED },
        { "X = 0", SOA_REFUTED },
        { "V' b = 0", SOA_PROVED },
        { "V' M a = 0", SOA_REFUTED },
        { "a = g", SOA_REFUTED },
        { "V = phi' H' beta + 0.000001 V", SOA_REFUTED },
        { "(T' beta) (beta' Mass beta) = (beta' Mass beta) (beta' T)", SOA_PROVED },
        { "T (T' beta) = T (betadot' T)", SOA_REFUTED },
        { "(D + D + D + D)^(1/2) D^(1/2) = 2 D", SOA_OPEN },
        { "(D + D + D + D)^(1/2) D^(1/2) = 3 D", SOA_REFUTED },
        { "Ups^-1 Ups = I", SOA_PROVED },
        { "(Omega + Ups - Ups)^-1 Omega = I", SOA_OPEN }, /* Omega has no inverse */
        { "d(H, q_1) = 0", SOA_REFUTED },
        { "d(Mass, q_1) = 0", SOA_REFUTED },
        { "d(M, q_1) = 0", SOA_PROVED },
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        statement s;
        soa_error error = { 0 };
        soa_proof proof;
        const bool read = statement_read(&s, list[i].text, &error);
        if (!read || soa_prove(s.terms, s.left, s.right, &proof, &error) != SOA_OK ||
            proof.verdict != list[i].verdict) {
            fail_msg("%s: verdict %d; %s", list[i].text, read ? (int)proof.verdict : -1, error.text);
        }
        soa_terms_free(s.terms);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_is_proved),
        cmocka_unit_test(steps_hold_on_numbers),
        cmocka_unit_test(every_rule_holds_on_numbers),
        cmocka_unit_test(rules_without_rotors_need_that),
        cmocka_unit_test(mutations_are_refuted),
        cmocka_unit_test(false_statements_are_refuted),
        cmocka_unit_test(other_statements_are_proved),
        cmocka_unit_test(open_statements_say_so),
        cmocka_unit_test(careful_verdicts),
    };
    return cmocka_run_group_tests_name("prove", tests, NULL, NULL);
}
