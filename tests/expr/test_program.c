/* Programs: definitions, declarations, comments and lines; what is refused in them and where;
 * nothing stays of a text that is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "expr/program.h"

static soa_program *program_of(const char *text)
{
    soa_program *program = NULL;
    soa_error error;
    assert_int_equal(soa_program_new(NULL, &program, &error), SOA_OK);
    if (soa_program_read(program, text, SOA_READ_PROGRAM, &error) != SOA_OK) {
        print_error("%d:%d: %s\n", error.line, error.column, error.text);
        fail();
    }
    return program;
}

static const soa_term *term_of(soa_program *program, const char *text)
{
    const soa_term *term = NULL;
    assert_int_equal(soa_parse_term_in(program->terms, &program->scope, text, &term, NULL), SOA_OK);
    return term;
}

static void definitions_are_used(void **state)
{
    (void)state;
    soa_program *program = program_of("Tp = T - H phi (M phi' a + b + B f_c); betadot = Mass^-1 Tp");
    assert_int_equal(soa_program_statements(program), 2);
    assert_string_equal(soa_program_at(program, 1)->name, "betadot");
    assert_ptr_equal(soa_program_at(program, 1)->term, term_of(program, "Mass^-1 (T - H phi (M phi' a + b + B f_c))"));
    assert_ptr_equal(term_of(program, "Mass betadot"), term_of(program, "Mass Mass^-1 Tp"));
    soa_program_free(program);
}

static void lines_go_on(void **state)
{
    (void)state;
    soa_program *program = program_of("# forward dynamics\n"
                                      "\n"
                                      "zeta = M phi* a +   # forces\n"
                                      "       b\n"
                                      "eps = T - H psi (K T\n"
                                      "        + zeta)\n"
                                      "W = I\n"
                                      "  - H psi K\n"
                                      "x: joint force   % given\n"
                                      "W x; W* D^-1 eps\n");
    assert_int_equal(soa_program_statements(program), 6);
    assert_int_equal(soa_program_at(program, 1)->line, 5);
    assert_string_equal(soa_program_at(program, 4)->text, "W x");
    assert_ptr_equal(soa_program_at(program, 2)->term, term_of(program, "I - H psi K"));
    soa_program_free(program);
}

static void statements_are_told(void **state)
{
    (void)state;
    soa_program *program = program_of("x: joint force = 1, -2.5, 3e-1\n"
                                      "S: point motion -> point force, symmetric, positive\n"
                                      "J' S J\n"
                                      "y = Mass^-1 x");
    soa_statement_info info = soa_program_statement(program, 0);
    assert_int_equal(info.kind, SOA_STATEMENT_DECLARATION);
    assert_int_equal(info.values, 3);
    assert_true(info.value[1] == -2.5 && info.value[2] == 0.3);
    info = soa_program_statement(program, 2);
    assert_int_equal(info.kind, SOA_STATEMENT_EXPRESSION);
    assert_true(info.symmetric && info.semidefinite && !info.positive);
    assert_int_equal(info.line, 3);
    assert_string_equal(info.text, "J' S J");
    info = soa_program_statement(program, 3);
    assert_string_equal(info.name, "y");
    assert_int_equal(info.from_space, SOA_SPACE_ONE);
    assert_int_equal(info.to_side, SOA_SIDE_MOTION);
    assert_string_equal(soa_program_statement(program, 4).name, "");
    soa_program_free(program);
}

static void types_are_said(void **state)
{
    (void)state;
    static const struct {
        const char *text, *type;
    } table[] = {
        { "(I - H psi K)' D^-1 (I - H psi K) T",
            "joint force -> joint acceleration, full   (symmetric positive definite operator on T)" },
        { "Mass", "joint acceleration -> joint force, full   (symmetric positive definite operator)" },
        { "phi' H' beta", "joint velocity -> body velocity, anticausal   (operator on beta)" },
        { "H phi M phi' H'", "joint acceleration -> joint force, full   (symmetric positive definite operator)" },
        { "J Mass^-1 J'", "point force -> point acceleration, full   (symmetric positive semidefinite operator)" },
        { "psi~ P + P psi~'", "body acceleration -> body force, full   (symmetric operator)" },
        { "2 I[joint force]", "joint force -> joint force, scalar multiple   (operator)" },
        { "E_phi phi", "body force -> body force, strictly causal   (operator)" },
        { "H P H'", "joint acceleration -> joint force, memoryless   (symmetric positive definite operator)" },
        { "T - C", "joint force" },
        { "beta' Mass beta", "number" },
        { "(M + R)^-1", "body force -> body acceleration, memoryless   (symmetric positive definite operator)" },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        soa_program *program = program_of(table[i].text);
        char *text = NULL;
        assert_int_equal(soa_program_type(program, 0, &text, NULL), SOA_OK);
        assert_string_equal(text, table[i].type);
        soa_program_text_free(program, text);
        soa_program_free(program);
    }
}

static soa_verdict verdict_of(const char *text)
{
    soa_program *program;
    soa_error error;
    soa_verdict verdict = SOA_OPEN;
    char *said = NULL;
    assert_int_equal(soa_program_new(NULL, &program, &error), SOA_OK);
    if (soa_program_read(program, text, SOA_READ_EQUATION, &error) != SOA_OK ||
        soa_program_prove(program, soa_program_statements(program) - 1, SOA_ASCII, &verdict, &said, &error) != SOA_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    soa_program_text_free(program, said);
    soa_program_free(program);
    return verdict;
}

/* What is made of a vector that is defined anew is made of what it is now. */
static void vectors_follow_those_defined_anew(void **state)
{
    (void)state;
    soa_program *program;
    soa_error error;
    assert_int_equal(verdict_of("betadot = Mass^-1 (T - C); alpha = phi' H' betadot + phi' a"), SOA_PROVED);
    assert_int_equal(verdict_of("betadot = Mass^-1 (T - C); H phi (M alpha + b) = T"), SOA_PROVED);
    assert_int_equal(verdict_of("betadot = 2 Mass^-1 (T - C); H phi (M alpha + b) = T"), SOA_REFUTED);
    assert_int_equal(verdict_of("a = 2 g; alpha = phi' H' betadot + 2 phi' g"), SOA_PROVED);
    assert_int_equal(verdict_of("beta = 0.5 betadot; V = 0.5 phi' H' betadot"), SOA_PROVED);
    assert_int_equal(soa_program_new(NULL, &program, &error), SOA_OK);
    assert_int_equal(soa_program_read(program, "beta = 0.5 betadot; C", SOA_READ_PROGRAM, &error), SOA_E_NAME);
    assert_non_null(strstr(error.text, "defined anew"));
    soa_program_free(program);
}

static void wrong_programs_leave_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        soa_status status;
        int line, column;
        const char *words;
    } table[] = {
        { "x = T\ny = phi x", SOA_E_SYNTAX, 2, 9, "phi takes a body force" },
        { "x = T; x = C", SOA_E_NAME, 1, 8, "defined already" },
        { "Mass = D", SOA_E_NAME, 1, 1, "is an operator" },
        { "I = D", SOA_E_NAME, 1, 1, "word of the language" },
        { "q_1 = T", SOA_E_NAME, 1, 1, "coordinate" },
        { "b = D^(-1/2) H psi B", SOA_E_NAME, 1, 1, "choose another name" },
        { "T: joint velocity", SOA_E_NAME, 1, 1, "another type" },
        { "x: joint force; x: body force", SOA_E_NAME, 1, 17, "another type" },
        { "x: elbow force", SOA_E_SYNTAX, 1, 4, "a type begins with" },
        { "x: joint", SOA_E_SYNTAX, 1, 9, "which side" },
        { "x: joint force = 1, y", SOA_E_SYNTAX, 1, 21, "a number was expected" },
        { "S: joint force -> joint force, symmetric", SOA_E_SYNTAX, 1, 1, "cannot be symmetric" },
        { "S: joint force -> joint motion, big", SOA_E_SYNTAX, 1, 33, "here stands" },
        { "x = I", SOA_E_SYNTAX, 1, 1, "any type" },
        { "T = C = b", SOA_E_SYNTAX, 1, 7, "only a name can be defined" },
        { "x: joint force T", SOA_E_SYNTAX, 1, 16, "should end here" },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        soa_program *program = program_of("w = Mass^-1 T");
        soa_error error = { 0 };
        const soa_status status = soa_program_read(program, table[i].text, SOA_READ_PROGRAM, &error);
        if (status != table[i].status || error.line != table[i].line || error.column != table[i].column ||
            !strstr(error.text, table[i].words)) {
            print_error("%s: %d, %d:%d: %s\n", table[i].text, (int)status, error.line, error.column, error.text);
            fail();
        }
        assert_int_equal(soa_program_statements(program), 1);
        assert_int_equal(soa_program_read(program, "betadot = w", SOA_READ_PROGRAM, &error), SOA_OK);
        soa_program_free(program);
    }
}

static void equations_end_programs(void **state)
{
    (void)state;
    soa_program *program = program_of("");
    soa_error error;
    assert_int_equal(
        soa_program_read(program, "W = I - H psi K; Mass^-1 = W' D^-1 W", SOA_READ_EQUATION, &error), SOA_OK);
    assert_int_equal(soa_program_statement(program, 1).kind, SOA_STATEMENT_EQUATION);
    soa_verdict verdict;
    char *text = NULL;
    assert_int_equal(soa_program_prove(program, 1, SOA_ASCII, &verdict, &text, &error), SOA_OK);
    assert_int_equal(verdict, SOA_PROVED);
    assert_ptr_equal(strstr(text, "proved in "), text);
    soa_program_text_free(program, text);
    assert_int_equal(soa_program_prove(program, 0, SOA_ASCII, &verdict, &text, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_program_prove(program, 7, SOA_ASCII, &verdict, &text, &error), SOA_E_ARGUMENT);
    assert_int_equal(soa_program_read(program, "x: joint force", SOA_READ_EQUATION, &error), SOA_E_SYNTAX);
    assert_int_equal(soa_program_read(program, "", SOA_READ_EQUATION, &error), SOA_E_SYNTAX);
    assert_int_equal(soa_program_read(program, "V = C", SOA_READ_AGAIN, &error), SOA_E_NAME);
    assert_int_equal(soa_program_read(program, "W = T; W = C", SOA_READ_AGAIN, &error), SOA_OK);
    soa_program_free(program);
}

/* Definitions that double: the term as a tree would not fit anywhere. */
static void growth_is_limited(void **state)
{
    (void)state;
    soa_program *program = program_of("x0 = phi + psi");
    soa_error error;
    char line[64];
    soa_status status = SOA_OK;
    for (int i = 1; i < 100 && status == SOA_OK; i++) {
        (void)snprintf(line, sizeof line, "x%d = (x%d x%d)' + x%d'", i, i - 1, i - 1, i - 1);
        if (i % 2 == 0) {
            (void)snprintf(line, sizeof line, "x%d = x%d x%d + x%d", i, i - 1, i - 1, i - 1);
        }
        status = soa_program_read(program, line, SOA_READ_PROGRAM, &error);
    }
    assert_int_equal(status, SOA_E_LIMIT);
    soa_program_free(program);
}

static void the_caret_is_below(void **state)
{
    (void)state;
    static const char *const text = "x = T\nτ\xcc\x84 φ beta";
    soa_program *program = program_of("");
    soa_error error;
    char caret[200], small[4];
    assert_int_equal(soa_program_read(program, text, SOA_READ_PROGRAM, &error), SOA_E_SYNTAX);
    assert_string_equal(soa_error_caret(&error, text, caret, sizeof caret), "τ\xcc\x84 φ beta\n    ^");
    assert_string_equal(soa_error_caret(&error, text, small, sizeof small), "");
    soa_error_clear(&error);
    assert_string_equal(soa_error_caret(&error, text, caret, sizeof caret), "");
    soa_program_free(program);
}

/* ---- memory ------------------------------------------------------------------------------------- */

static soa_status use_all(soa_program *program, soa_error *error)
{
    char *text = NULL;
    soa_status status = soa_program_read(program,
        "x: joint force = 1, 2\nS: body motion -> body force, symmetric\nW = I - H psi K; W' D^-1 W x",
        SOA_READ_PROGRAM, error);
    for (int i = 0; i < 4 && status == SOA_OK; i++) {
        status = soa_program_print(program, i, SOA_LATEX, &text, error);
        soa_program_text_free(program, text);
        status = status == SOA_OK ? soa_program_type(program, i, &text, error) : status;
        soa_program_text_free(program, status == SOA_OK ? text : NULL);
    }
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    bool done = false;
    for (int n = 0; !done; n++) {
        counting c;
        const soa_allocator allocator = counting_lack(&c, n);
        soa_program *program = NULL;
        soa_error error;
        soa_status status = soa_program_new(&allocator, &program, &error);
        status = status == SOA_OK ? use_all(program, &error) : status;
        done = status == SOA_OK;
        assert_true(done || (status == SOA_E_MEMORY && error.status == SOA_E_MEMORY));
        assert_int_equal(done, c.refused == 0);
        soa_program_free(program);
        assert_int_equal(c.open, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions_are_used),
        cmocka_unit_test(lines_go_on),
        cmocka_unit_test(statements_are_told),
        cmocka_unit_test(types_are_said),
        cmocka_unit_test(vectors_follow_those_defined_anew),
        cmocka_unit_test(wrong_programs_leave_nothing),
        cmocka_unit_test(equations_end_programs),
        cmocka_unit_test(growth_is_limited),
        cmocka_unit_test(the_caret_is_below),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
