/* Statements about inverses in general position: inversion lemmas, push-through, adjoints and derivatives of inverses, for
 * operators of the theory and such as are declared. At least 97 of 100 true ones are proved, and no false one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "soa/expr.h"

enum { TEXT = 1200 };

/* In a statement X, Y, U, W, Q stand for what is chosen; ~ is the sign that a false one has wrong. */
static const char *const statement[] = {
    "(X + U Q W)^-1 = X^-1 ~ X^-1 U (Q^-1 + W X^-1 U)^-1 W X^-1",
    "(X + U Q W)^-1 = X^-1 ~ X^-1 U (I + Q W X^-1 U)^-1 Q W X^-1",
    "(X + U Q W)^-1 = (I ~ X^-1 U (Q^-1 + W X^-1 U)^-1 W) X^-1",
    "2 (X + U Q W)^-1 U Q ~ X^-1 U (Q^-1 + W X^-1 U)^-1 = X^-1 U (Q^-1 + W X^-1 U)^-1",
    "(I + Q W X^-1 U)^-1 Q = Q ~ Q W X^-1 U (I + Q W X^-1 U)^-1 Q",
    "(X + Y)^-1 = X^-1 ~ X^-1 (X^-1 + Y^-1)^-1 X^-1",
    "(X^-1 + Y^-1)^-1 = Y ~ Y (X + Y)^-1 Y",
    "2 X (X + Y)^-1 Y ~ (X^-1 + Y^-1)^-1 = (X^-1 + Y^-1)^-1",
    "2 ((X + Y)^-1)' ~ (X + Y)^-1 = (X + Y)^-1",
    "X ((X + Y)^-1)' Y = X ~ X (X + Y)^-1 X",
    "2 ((I + Q W X^-1 U)^-1)' ~ (I + U' X^-1 W' Q)^-1 = (I + U' X^-1 W' Q)^-1",
    "d((X + Y)^-1, q_1) = (X + Y)^-1 d(X + Y, q_1) (X + Y)^-1 ~ 2 (X + Y)^-1 d(X + Y, q_1) (X + Y)^-1",
    "d(X^-1 U, q_1) = X^-1 d(U, q_1) ~ X^-1 d(X, q_1) X^-1 U",
    "d((Q^-1 + W X^-1 U)^-1, q_2) = 0 Q ~ (Q^-1 + W X^-1 U)^-1 d(Q^-1 + W X^-1 U, q_2) (Q^-1 + W X^-1 U)^-1",
};

/* Of X and Y, which are not the same, and of U, W, Q. */
static const char *const square[] = { "Mass", "D", "N", "(Mass + N)" };
static const char *const across[][3] = { { "J'", "J", "S" }, { "J'", "J", "(S + Lambda^-1)" }, { "F", "E", "S" } };

static const char declared[] = "S: point motion -> point force, symmetric, positive\n"
                               "N: joint motion -> joint force, symmetric, positive\n"
                               "F: point force -> joint force\nE: joint motion -> point motion\n";

enum {
    STATEMENTS = sizeof statement / sizeof statement[0],
    SQUARES = sizeof square / sizeof square[0],
    ACROSS = sizeof across / sizeof across[0]
};

static void write(const char *form, int x, int y, int u, bool wrong, char text[TEXT])
{
    size_t used = (size_t)snprintf(text, TEXT, "%s", declared);
    for (; *form; form++) {
        const char *put = *form == 'X'   ? square[x]
                          : *form == 'Y' ? square[y]
                          : *form == 'U' ? across[u][0]
                          : *form == 'W' ? across[u][1]
                          : *form == 'Q' ? across[u][2]
                          : *form == '~' ? (wrong ? "+" : "-")
                                         : NULL;
        used += (size_t)(put ? snprintf(text + used, TEXT - used, "%s", put)
                             : snprintf(text + used, TEXT - used, "%c", *form));
    }
}

static soa_verdict verdict_of(const char *text)
{
    soa_program *program = NULL;
    soa_error error;
    soa_verdict verdict = SOA_OPEN;
    char *report = NULL;
    assert_int_equal(soa_program_new(NULL, &program, &error), SOA_OK);
    soa_program_limit(program, 0.0, NULL, NULL); /* whatever else the machine does */
    if (soa_program_read(program, text, SOA_READ_EQUATION, &error) != SOA_OK ||
        soa_program_prove(program, soa_program_statements(program) - 1, SOA_ASCII, &verdict, &report, &error) !=
            SOA_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    soa_program_text_free(program, report);
    soa_program_free(program);
    return verdict;
}

static void nearly_all_are_proved_and_no_false_one(void **state)
{
    (void)state;
    int asked = 0, proved = 0;
    for (int s = 0; s < STATEMENTS; s++) {
        for (int x = 0; x < SQUARES; x++) {
            for (int u = 0; u < ACROSS; u++) {
                char text[TEXT];
                const int y = (x + 1 + u) % SQUARES == x ? (x + 1) % SQUARES : (x + 1 + u) % SQUARES;
                if (!strchr(statement[s], 'Q') && !strchr(statement[s], 'U') && u > 0) {
                    continue;
                }
                write(statement[s], x, y, u, false, text);
                const soa_verdict verdict = verdict_of(text);
                if (verdict == SOA_REFUTED) {
                    fail_msg("called false: %s", text);
                }
                asked++;
                proved += verdict == SOA_PROVED;
                if (verdict != SOA_PROVED) {
                    print_message("open: %s\n", text + sizeof declared - 1);
                }
                write(statement[s], x, y, u, true, text);
                const bool constant = statement[s][0] == 'd' && x == 2; /* both signs are right: d(N) = 0 */
                if ((s + x + u) % 2 == 0 && !constant && verdict_of(text) != SOA_REFUTED) {
                    fail_msg("not called false: %s", text);
                }
            }
        }
    }
    print_message("%d of %d proved\n", proved, asked);
    assert_true(100 * proved >= 97 * asked);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(nearly_all_are_proved_and_no_false_one) };
    return cmocka_run_group_tests_name("general", tests, NULL, NULL);
}
