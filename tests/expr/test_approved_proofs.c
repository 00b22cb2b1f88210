/* Proofs with their certificates, counterexamples, cheaper forms with their steps, and the rules of the theory, beside what was
 * approved. */
#include "expr/approved_program.h"
#include "expr/parse.h"
#include "expr/theory.h"

static soa_allocator allocator;

static const char *const STATEMENTS[] = {
#define STATED(text) text,
#include "expr/stated_true.def"
    "",
#include "expr/stated_false.def"
#undef STATED
};

/* Statements that no other list has: assumptions, numbers, functions, what stays open. */
static const char *const OTHERS[] = {
    "c: number; c T = T c",
    "c: number; c T = T",
    "(T' beta) T = 2 (beta' T) T",
    "let sq(x) = x' Mass x; sq(beta + betadot) - sq(beta - betadot) = 4 beta' Mass betadot",
    "let osc(F) = J' Lambda^-1 F; J Mass^-1 osc(J beta) = J beta",
    "S: body motion -> joint force; assume S H' = 0; S phi' H' = S E_phi' phi' H'",
    "S: body motion -> joint force; assume S H' = 0; S phi' H' = 0",
    "assume no rotors; D = H P H' + Arm",
    "assume no rotors; Mass = D",
    "assume H constant; d(H phi, q_1) = H phi d(E_phi, q_1) phi",
    "assume H constant; d(H phi, q_1) = 0",
    "assume I[joint force] = 0; T = C",
    "H = 0",
    "T = T",
    "V = 0",
    "phi = psi",
    "phi[2,1] = psi[2,1]",
    "Mass[1,2] = 0",
    "trace(Mass) = trace(D)",
    "logdet(Mass) = logdet(D) + 1/2 trace(tau)",
    "D^(1/2) (Mass + D)^-1 D^(1/2) = I",
    "J = 0",
    "A J = 0",
    "d(Mass, q_1) = 0",
    "dot(H) = 0",
    "b = 0",
    "a = 2 g",
    "beta' T = 3",
    "d(H, q_1) d(phi, q_2) = 0",
    "d(D, q_1) d(D^-1, q_1) = 0",
    "dot(beta) = betadot",
    "dot(beta) = 2 betadot",
    "dot(V) = dot(phi') H' beta",
    "dot(dot(H)) = 0",
    "d(trace(D[2]), q_1) = 0",
    "E_phi^14 = 0",
    "dot(H phi) = d(H phi, q_elbow)",
    "d(d(H phi, q_elbow), q_hand) = 0",
    "dot(d(H, q_elbow)) = d(H, beta_hand)",
};

/* What is said of the last statement, an equation: a proof, with its certificate, or a counterexample. */
static void approve_statement(approved *a, const char *text, soa_notation notation)
{
    soa_program *program = program_of(text, SOA_READ_EQUATION);
    const int last = soa_program_statements(program) - 1;
    soa_verdict verdict = SOA_OPEN;
    soa_error error;
    soa_page page = soa_page_on(&allocator);
    char *said = NULL;
    static const char *const word[] = { "proved", "false", "open" };
    soa_status status = soa_program_prove(program, last, notation, &verdict, &said, &error);
    approved_case(a, text);
    put_made(&page, program, "", status, said, &error);
    approve_page(a, status == SOA_OK ? word[verdict] : "refused", &page);
    if (status == SOA_OK && verdict == SOA_PROVED) {
        status = soa_program_certificate(program, last, &said, &error);
        put_made(&page, program, "", status, said, &error);
        approve_page(a, "certificate", &page);
    }
    approved_end(a);
    soa_program_free(program);
}

static void statements_are_proved_or_refuted(void **state)
{
    (void)state;
    enum { EVERY = 4 };
    approved a = approved_open("expr-proofs");
    for (int i = 0; i < COUNT_OF(OTHERS); i++) {
        approve_statement(&a, OTHERS[i], (soa_notation)(i % 3));
    }
    for (int i = 2; i < COUNT_OF(STATEMENTS); i += EVERY) {
        if (STATEMENTS[i][0]) {
            approve_statement(&a, STATEMENTS[i], (soa_notation)(i / EVERY % 3));
        }
    }
    approved_close(&a);
}

/* ---- the theory ------------------------------------------------------------------------------------------------- */

static void put_word(soa_page *page, const soa_theory *theory, const soa_word *word)
{
    for (int i = 0; i < word->length; i++) {
        soa_page_put(page, " ");
        soa_print_term(theory->algebra.terms, soa_algebra_about(&theory->algebra, word->at[i])->term, SOA_ASCII, page);
    }
    soa_page_put(page, word->length ? "" : " I");
}

static void rules_are_completed(void **state)
{
    (void)state;
    approved a = approved_open("expr-rules");
    for (int kind = 0; kind < 2; kind++) {
        soa_terms *terms = NULL;
        soa_theory theory;
        soa_error error;
        assert_int_equal(soa_terms_new(NULL, SOA_TERMS_MOST, &terms, &error), SOA_OK);
        assert_int_equal(soa_theory_init(&theory, (soa_theory_kind)kind, terms, &error), SOA_OK);
        for (int i = 0; i < theory.rules.count; i++) {
            const soa_rule *rule = soa_theory_rule(&theory, i);
            soa_page page = soa_page_on(&allocator);
            put_word(&page, &theory, rule->left);
            soa_page_put(&page, " =");
            for (int k = 0; k < rule->right.count; k++) {
                soa_page_format(&page, " %+g", soa_ratio_double(rule->right.at[k].factor));
                put_word(&page, &theory, rule->right.at[k].word);
            }
            soa_page_format(&page, "  [%s]%s%s because of %d", rule->label, rule->basic ? " basic" : "",
                rule->active ? "" : " not active", rule->because.count);
            char name[48];
            snprintf(name, sizeof name, "theory %d, rule %d", kind, i);
            approved_case(&a, name);
            approve_page(&a, NULL, &page);
            approved_end(&a);
        }
        soa_theory_clear(&theory);
        soa_terms_free(terms);
    }
    approved_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_are_proved_or_refuted),
        cmocka_unit_test(rules_are_completed),
    };
    allocator = soa_allocator_default();
    return cmocka_run_group_tests_name("approved_proofs", tests, NULL, NULL);
}
