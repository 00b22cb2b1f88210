/* What is said of equations that are neither proved nor refuted, for every outcome of the search: the prover is replaced (ld --wrap), since
 * some outcomes take a long search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "expr/prove.h"
#include "soa/soa.h"

static soa_proof outcome;

soa_status __wrap_soa_prove(
    soa_terms *terms, const soa_term *left, const soa_term *right, soa_proof *proof, soa_error *error);

soa_status __wrap_soa_prove(
    soa_terms *terms, const soa_term *left, const soa_term *right, soa_proof *proof, soa_error *error)
{
    (void)terms, (void)left, (void)right, (void)error;
    *proof = outcome;
    return SOA_OK;
}

static void check(bool assumed)
{
    soa_program *program = NULL;
    char *text = NULL, expected[512], more[200] = "", first[200];
    soa_verdict verdict;
    assert_int_equal(soa_program_new(NULL, &program, NULL), SOA_OK);
    assert_int_equal(
        soa_program_read(program, assumed ? "assume no rotors; T = C" : "T = C", SOA_READ_EQUATION, NULL), SOA_OK);
    const int last = soa_program_statements(program) - 1;
    assert_int_equal(soa_program_prove(program, last, SOA_ASCII, &verdict, &text, NULL), SOA_OK);
    assert_int_equal(verdict, SOA_OPEN);
    if (outcome.systems > 0) {
        snprintf(first, sizeof first, "not proved; holds %s on %d random systems\n",
            outcome.exact ? "exactly" : "in doubles", outcome.systems);
    } else if (outcome.singular > 0) {
        snprintf(first, sizeof first, "not proved; %s on none of %d random systems\n",
            assumed ? "an inverse exists and the assumptions hold" : "an inverse in it exists", outcome.singular);
    } else {
        snprintf(first, sizeof first, "not proved; it could not be evaluated on any of the random systems tried\n");
    }
    if (outcome.systems > 0 && outcome.singular > 0) {
        snprintf(more, sizeof more, "%d more systems were left out: an inverse does not exist there%s\n",
            outcome.singular, assumed ? ", or an assumption does not hold" : "");
    }
    snprintf(expected, sizeof expected, "%s%s%s", first, more,
        outcome.budget_spent ? "The search for a proof gave up: it was too long, or took too much time.\n" : "");
    if (strncmp(text, expected, strlen(expected)) != 0) {
        fail_msg("is\n%sexpected\n%s", text, expected);
    }
    soa_program_text_free(program, text);
    soa_program_free(program);
}

static void every_outcome_is_told(void **state)
{
    (void)state;
    for (int i = 0; i < 72; i++) {
        outcome = (soa_proof){
            .verdict = SOA_OPEN, .systems = i % 3, .singular = i / 3 % 3, .exact = i / 9 % 2, .budget_spent = i / 18 % 2
        };
        check(i / 36);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_outcome_is_told) };
    return cmocka_run_group_tests_name("open_reports", tests, NULL, NULL);
}
