/* What the language says besides operators and vectors: numbers that scale, functions, hypotheses; what is refused of them;
 * the inversion lemma; all forms of an expression. Values are compared with those of the same things written out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "expr/simplify.h"
#include "soa/soa.h"

static soa_status read_text(const char *text, soa_reading reading, soa_program **program, soa_error *error)
{
    assert_int_equal(soa_program_new(NULL, program, error), SOA_OK);
    soa_program_limit(*program, 0.0, NULL, NULL); /* whatever else the machine does */
    return soa_program_read(*program, text, reading, error);
}

static soa_verdict verdict_of(const char *text, char *said, size_t size)
{
    soa_program *program = NULL;
    soa_error error;
    soa_verdict verdict = SOA_OPEN;
    char *report = NULL;
    if (read_text(text, SOA_READ_EQUATION, &program, &error) != SOA_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    assert_int_equal(
        soa_program_prove(program, soa_program_statements(program) - 1, SOA_ASCII, &verdict, &report, &error), SOA_OK);
    snprintf(said, size, "%s", report);
    soa_program_text_free(program, report);
    soa_program_free(program);
    return verdict;
}

static void proofs_and_counterexamples(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        soa_verdict verdict;
        const char *says; /* part of the report */
    } list[] = {
        { "c: number; c T = T c", SOA_PROVED, "proved" },
        { "c: number; e: number; c e Mass beta = Mass beta e c", SOA_PROVED, "proved" },
        { "c: number; c T = T", SOA_REFUTED, "false" },
        { "c: number = 2; c T = T + T", SOA_PROVED, "proved" },
        { "c: number = 0.1; c T = T / 10", SOA_PROVED, "proved" }, /* no double is 0.1 */
        { "c: number = -3; c T = 3 T", SOA_REFUTED, "\"-3 T - 3 T\"" },
        { "c: number = 0; c T = 0", SOA_PROVED, "proved" },
        { "x: joint force = 1, 2; x = 2 x", SOA_REFUTED, "The numbers of x are not used" },
        { "(T' beta) T = T T' beta", SOA_PROVED, "proved" },
        { "(T' beta) T = (beta' T) T", SOA_PROVED, "proved" },
        { "(T' beta) T = 2 (beta' T) T", SOA_REFUTED, "false" },
        { "let sq(x) = x' Mass x; sq(beta + betadot) - sq(beta - betadot) = 4 beta' Mass betadot", SOA_PROVED, NULL },
        { "let g(x) = x + x + x + x + x + x + x + x; let h(x) = g(x) + g(x) + g(x) + g(x); z = h(h(T)); z = 1024 T",
            SOA_PROVED, NULL }, /* a definition whose tokens move while it is read */
        { "let f(x, y) = x + H phi y; let g(x) = f(T, b + x); g(b) = T + 2 H phi b", SOA_PROVED, NULL },
        { "let osc(F) = J' Lambda^-1 F; J Mass^-1 osc(J beta) = J beta", SOA_PROVED, "proved" },
        { "let w(F) = J' F; w(f_c) = 2 J' f_c", SOA_REFUTED, "false" },
        { "S: body motion -> joint force; assume S H' = 0; S phi' H' = S E_phi' phi' H'", SOA_PROVED,
            "It uses assumption 1: S H' = 0" },
        { "S: body motion -> joint force; S phi' H' = S E_phi' phi' H'", SOA_REFUTED, "false" },
        { "S: body motion -> joint force; assume S H' = 0; S phi' H' = 0", SOA_OPEN, "assumptions hold" },
        { "S: body motion -> joint force; assume S H' = 0; Mass = H phi M phi' H'", SOA_PROVED, "proved" },
        { "assume no rotors; D = H P H' + Arm", SOA_PROVED, "It uses assumption 1: no rotors" },
        { "assume no rotors; Arm = 0", SOA_PROVED, NULL },
        { "assume no rotors; Mass = D", SOA_REFUTED, "false" },
        { "assume H constant; d(H phi, q_1) = H phi d(E_phi, q_1) phi", SOA_PROVED,
            "It uses assumption 1: H constant" },
        { "assume H constant; d(H phi, q_1) = 0", SOA_REFUTED, "false" },
        { "assume H constant; dot(H) = 0", SOA_PROVED, "It uses assumption 1: H constant" },
        { "d(H phi, q_1) = H phi d(E_phi, q_1) phi", SOA_REFUTED, "false" },
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        char said[4096];
        const soa_verdict verdict = verdict_of(list[i].text, said, sizeof said);
        if (verdict != list[i].verdict || (list[i].says && !strstr(said, list[i].says))) {
            fail_msg("%s: %s", list[i].text, said);
        }
    }
    char said[4096];
    (void)verdict_of("S: body motion -> joint force; assume S H' = 0; Mass = H phi M phi' H'", said, sizeof said);
    assert_null(strstr(said, "It uses")); /* what is not needed is not named */
}

static void refused_in_words(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int column;
        const char *says;
    } list[] = {
        { "2T", 2, "a space or a sign" },
        { "2(T + C)", 2, "a space or a sign" },
        { "c: number; c Mass", 12, "multiplies vectors, not operators" },
        { "(T' beta) Mass", 1, "multiplies vectors, not operators" },
        { "c: number; Mass + c I", 19, "c I is a number" },
        { "let f(x) = f(x)", 12, "made of itself" },
        { "let f() = T", 7, "1 to 8 parameters" },
        { "let f(x) T", 10, "defined by =" },
        { "let f(x) =", 11, "no body" },
        { "let x", 5, "let defines a name" },
        { "let x + 3", 5, "let defines a name" },
        { "let T(x) = x; let phi(x) = x", 19, "is an operator" },
        { "let f(x) = x; f T", 15, "is a function" },
        { "let f(x) = x; f(T, C)", 15, "takes 1 argument, and here are 2" },
        { "let f(x) = x; f(T", 16, "never closed" },
        { "let f(x) = g(x); let g(x) = f(x); f(T)", 35, "nested" },
        { "let f(x) = M x; f(T)", 17, "takes a body motion" },
        { "assume T", 9, "needs a =" },
        { "assume Q constant", 8, "unknown" },
        { "assume = 1; T", 1, "is a word of the language" },
        { "assume (T = C)", 8, "never closed" },
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        soa_program *program = NULL;
        soa_error error;
        const soa_status status = read_text(list[i].text, SOA_READ_PROGRAM, &program, &error);
        if (status == SOA_OK || error.column != list[i].column || !strstr(error.text, list[i].says)) {
            fail_msg("%s: column %d: %s", list[i].text, error.column, status == SOA_OK ? "read" : error.text);
        }
        soa_program_free(program);
    }
}

/* ---- values --------------------------------------------------------------------------------------------------- */

enum { NV = 7, OUTPUTS = 8 };

/* The outputs of a program at one state of arm7, one point at its tool. */
static int run(const char *text, soa_writing writing, double value[OUTPUTS][NV])
{
    soa_program *program = NULL;
    soa_model *model = NULL;
    soa_compiled *compiled = NULL;
    soa_runner *runner = NULL;
    soa_error error;
    soa_point tool;
    static const double q[NV] = { 0.1, 0.4, -0.2, 1.3, 0.3, 0.9, 0.2 }, v[NV] = { 1, -2, 0.5, 1, 2, -1, 0.3 };
    if (read_text(text, SOA_READ_PROGRAM, &program, &error) != SOA_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    assert_int_equal(soa_model_builtin("arm7", NULL, &model, &error), SOA_OK);
    assert_int_equal(soa_model_find_point(model, "tool", &tool, &error), SOA_OK);
    if (soa_compile(model, program, writing, 0, NULL, &compiled, &error) != SOA_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    assert_int_equal(soa_runner_new(compiled, 1, &tool, NULL, &runner, &error), SOA_OK);
    for (int i = 0; i < soa_compiled_inputs(compiled); i++) {
        const char *name = soa_compiled_input_info(compiled, i).name;
        const bool listed = soa_vector_find(name) != SOA_VECTORS;
        assert_true(!listed || soa_runner_bind(runner, name, v, &error) == SOA_OK);
    }
    const int outputs = soa_compiled_outputs(compiled);
    assert_true(outputs <= OUTPUTS);
    for (int i = 0; i < outputs; i++) {
        assert_int_equal(
            soa_runner_bind_output(runner, soa_compiled_output_info(compiled, i).name, value[i], &error), SOA_OK);
    }
    if (soa_runner_run(runner, 1, q, &error) != SOA_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    soa_runner_free(runner);
    soa_compiled_free(compiled);
    soa_model_free(model);
    soa_program_free(program);
    return outputs;
}

static void compare(const double a[NV], const double b[NV], const char *text)
{
    for (int i = 0; i < NV; i++) {
        if (fabs(a[i] - b[i]) > 1e-9 * (1 + fabs(b[i]))) {
            fail_msg("%s: number %d is %g, not %g", text, i + 1, a[i], b[i]);
        }
    }
}

#define SIX  "2,0,0,0,0,0, 0,3,0,0,0,0, 0,0,1,0,0,0, 0,0,0,5,0,0, 0,0,0,0,4,0, 0,0,0,0,0,1"
#define S_IS "S: point motion -> point force, symmetric, positive = " SIX "; "

static void values(void **state)
{
    (void)state;
    static const char *const pair[] = {
        /* two outputs that are equal */
        "c: number = 2; c T; 2 T",
        "c: number = 2; c c Mass beta; 4 Mass beta",
        "(T' beta) T; T T' beta",
        "Q: joint motion -> joint force, memoryless = 1, 2, 3, 4, 5, 6, 7; (D + Q)^-1 (D + Q) beta; beta",
        "Q: joint motion -> joint force, memoryless = 1, 2, 3, 4, 5, 6, 7; F: joint motion -> joint force = "
        "1,0,0,0,0,0,0, "
        "0,2,0,0,0,0,0, 0,0,3,0,0,0,0, 0,0,0,4,0,0,0, 0,0,0,0,5,0,0, 0,0,0,0,0,6,0, 0,0,0,0,0,0,7; Q beta; F beta",
        "let pull(F) = J' Lambda^-1 F; pull(J beta); J' Lambda^-1 J beta",
        "let e(x, y) = x + Mass y; e(T, beta + Mass^-1 e(T, beta)); 2 T + 2 Mass beta",
    };
    for (size_t i = 0; i < sizeof pair / sizeof pair[0]; i++) {
        double value[OUTPUTS][NV] = { { 0 } };
        assert_int_equal(run(pair[i], SOA_SIMPLIFIED, value), 2);
        compare(value[0], value[1], pair[i]);
    }
}

static void inversion_lemma(void **state)
{
    (void)state;
    static const char text[] = S_IS "(Mass + J' S J)^-1 T; (Mass - 0.1 J' S J + J' S Lambda S J)^-1 T";
    double cheap[OUTPUTS][NV] = { { 0 } }, written[OUTPUTS][NV] = { { 0 } };
    assert_int_equal(run(text, SOA_SIMPLIFIED, cheap), 2);
    assert_int_equal(run(text, SOA_AS_WRITTEN, written), 2);
    compare(cheap[0], written[0], text);
    compare(cheap[1], written[1], text);
    soa_program *program = NULL;
    soa_error error;
    char *cheapest = NULL, *report = NULL;
    assert_int_equal(read_text(S_IS "(Mass + J' S J)^-1 T", SOA_READ_PROGRAM, &program, &error), SOA_OK);
    assert_int_equal(soa_program_simplify(program, 1, SOA_ASCII, &cheapest, &report, &error), SOA_OK);
    assert_non_null(strstr(report, "after   O(N), 4 sweeps"));
    assert_non_null(strstr(report, "by [inversion lemma]"));
    char *table = NULL;
    assert_int_equal(soa_program_derive(program, 1, SOA_ASCII, &table, &error), SOA_OK);
    assert_non_null(strstr(table, "(I + S B' psi' H' D^-1 H psi B)^-1"));
    soa_program_text_free(program, table);
    soa_program_text_free(program, cheapest);
    soa_program_text_free(program, report);
    soa_program_free(program);
}

/* Every form of the table is proved to equal the expression, and none is there twice. */
static void forms(void **state)
{
    (void)state;
    static const char *const list[] = { "Mass^-1 (T - C)", "J Mass^-1 J' f_c", "phi M phi' H' beta" };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        soa_program *program = NULL;
        soa_error error;
        char *table = NULL;
        assert_int_equal(read_text(list[i], SOA_READ_PROGRAM, &program, &error), SOA_OK);
        assert_int_equal(soa_program_derive(program, 0, SOA_ASCII, &table, &error), SOA_OK);
        char *known[256];
        int rows = 0;
        for (char *line = strtok(table, "\n"); line; line = strtok(NULL, "\n")) {
            char text[2048], said[8192], *by = strstr(line, "    by [");
            if (line[0] != ' ' && (line[0] < '0' || line[0] > '9')) {
                continue;
            }
            if (strstr(line, "sweeps  flops") || strstr(line, "not shown")) {
                continue;
            }
            *(by ? by : line + strlen(line)) = '\0';
            snprintf(text, sizeof text, "%s = %s", list[i], line + 18);
            if (verdict_of(text, said, sizeof said) != SOA_PROVED) {
                fail_msg("%s: %s", text, said);
            }
            for (int k = 0; k < rows; k++) {
                assert_string_not_equal(known[k], line + 18);
            }
            known[rows++] = line + 18;
        }
        assert_true(rows > 0 && (i > 0 || rows > 5));
        soa_program_text_free(program, table);
        soa_program_free(program);
    }
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

static void survives_failed_allocations(void **state)
{
    (void)state;
    static const char text[] =
        "c: number; let f(x, y) = c x + y; assume no rotors; assume H constant; f(T, T) = T + c T";
    for (int n = 0; n < 1000000; n += 1 + n / 10) {
        counting c;
        const soa_allocator allocator = counting_on(&c, n);
        soa_program *program = NULL;
        soa_error error;
        char *report = NULL;
        soa_verdict verdict;
        soa_status status = soa_program_new(&allocator, &program, &error);
        if (status == SOA_OK) {
            status = soa_program_read(program, text, SOA_READ_EQUATION, &error);
            const int last = soa_program_statements(program) - 1;
            status = status ? status : soa_program_prove(program, last, SOA_ASCII, &verdict, &report, &error);
            soa_program_text_free(program, report);
        }
        soa_program_free(program);
        assert_int_equal(c.open, 0);
        if (status == SOA_OK) {
            return;
        }
        assert_int_equal(status, SOA_E_MEMORY);
    }
    fail();
}

static bool after_so_many(void *context)
{
    return (*(int *)context)-- <= 0;
}

/* A search that is stopped says so, wherever that is: before it begins, or with nothing proved; else it ends as ever. */
static void stopped_proofs_say_so(void **state)
{
    (void)state;
#define PAIR  "(I + H phi K) (I - H psi K) "
#define PAIRS PAIR PAIR PAIR PAIR PAIR PAIR
    static const char law[] = PAIRS PAIRS PAIRS PAIRS "= I";
    int met[3] = { 0 };
    for (int asked = 0; met[SOA_PROVED] == 0; asked += 1 + asked / 4) {
        soa_program *program = NULL;
        soa_error error;
        soa_verdict verdict = SOA_OPEN;
        char *text = NULL;
        int left = asked;
        assert_int_equal(read_text(law, SOA_READ_EQUATION, &program, &error), SOA_OK);
        soa_program_limit(program, 0.0, after_so_many, &left);
        const soa_status status = soa_program_prove(program, 0, SOA_ASCII, &verdict, &text, &error);
        if (status == SOA_E_LIMIT) {
            assert_non_null(strstr(error.text, "the search was stopped before it began; give it more time"));
            assert_null(text);
        } else {
            assert_int_equal(status, SOA_OK);
            met[verdict]++;
            assert_true(verdict == SOA_PROVED || (verdict == SOA_OPEN && strstr(text, "not proved;") &&
                                                     strstr(text, "The search for a proof gave up")));
        }
        soa_program_text_free(program, text);
        soa_program_free(program);
    }
    assert_true(met[SOA_OPEN] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stopped_proofs_say_so),
        cmocka_unit_test(proofs_and_counterexamples),
        cmocka_unit_test(refused_in_words),
        cmocka_unit_test(values),
        cmocka_unit_test(inversion_lemma),
        cmocka_unit_test(forms),
        cmocka_unit_test(survives_failed_allocations),
    };
    return cmocka_run_group_tests_name("said", tests, NULL, NULL);
}
