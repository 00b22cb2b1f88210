/* The recursions that explain prints, read and executed literally, compute what the expression is.
 *
 * The reader knows the printed text alone: lines NAME(k) = terms and NAME(k,j) = terms, where a term is a product of blocks
 * A(k), A(k,j), A*(p,k), D(k)^-1, of values x(k), x(j), x(p), and of sums in brackets; what has j in it is summed over the
 * bodies on k, what has p in it is zero at the base. P, D, K, psi, G are those that the lines make: of the system it
 * knows phi, H, M, R, Arm and Gamma. */
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/random.h"
#include "expr/dense_value.h"
#include "expr/program.h"

enum { NAMES = 40, BODIES = 8, LINES = 60 };

/* A block: a matrix of at most six rows and columns; a vector has one column. rows 0: a sum over no bodies. */
typedef struct value {
    int rows, cols;
    soa_number at[6][6];
} value;

typedef struct machine {
    const soa_sample *sample;
    char name[NAMES][24];
    value of[NAMES][BODIES]; /* of what has two indices, k and j: at j */
    int names;
    int k, j; /* the body in turn; the one on it that is summed */
    const char *at;
} machine;

static int parent_of(const machine *m, int k)
{
    return soa_model_body(m->sample->model, k).parent;
}

static int find(const machine *m, const char *name)
{
    int i = 0;
    while (i < m->names && strcmp(m->name[i], name) != 0) {
        i++;
    }
    return i;
}

static value *slot(machine *m, const char *name, int body)
{
    const int i = find(m, name);
    if (i == m->names) {
        assert_true(m->names < NAMES);
        (void)snprintf(m->name[m->names++], sizeof m->name[0], "%s", name);
    }
    return &m->of[i][body];
}

/* The rows or columns of an operator that belong to a body. */
static void range_of(const machine *m, soa_space space, int body, int *from, int *count)
{
    const soa_body b = soa_model_body(m->sample->model, body);
    *from = space == SOA_SPACE_BODY ? 6 * body : b.v;
    *count = space == SOA_SPACE_BODY ? 6 : b.nv;
}

/* ---- blocks ------------------------------------------------------------------------------------------------- */

/* phi with two indices is the shift from one body to the next. */
static value of_system(const machine *m, const char *name, int row, int col, bool two)
{
    const soa_operator found = soa_operator_find(name);
    const soa_operator op = two && found == SOA_OP_PHI ? SOA_OP_E_PHI : found;
    if (op != SOA_OP_E_PHI && op != SOA_OP_H && op != SOA_OP_M && op != SOA_OP_R && op != SOA_OP_ARM &&
        op != SOA_OP_GAMMA) {
        fail_msg("no line makes %s", name);
    }
    const soa_operator_info about = soa_operator_about(op, false);
    const soa_matrix A = m->sample->dense->op[op];
    int r, c;
    value y = { 0 };
    range_of(m, about.codomain_space, row, &r, &y.rows);
    range_of(m, about.domain_space, col, &c, &y.cols);
    for (int i = 0; i < y.rows; i++) {
        for (int j = 0; j < y.cols; j++) {
            y.at[i][j] = *soa_matrix_entry(A, r + i, c + j);
        }
    }
    return y;
}

static value transposed(value a)
{
    value y = { .rows = a.cols, .cols = a.rows };
    for (int i = 0; i < y.rows; i++) {
        for (int j = 0; j < y.cols; j++) {
            y.at[i][j] = a.at[j][i];
        }
    }
    return y;
}

static value multiplied(value a, value b)
{
    value y = { 0 };
    if (a.rows == 0 || b.rows == 0) { /* a sum over no bodies */
        return y;
    }
    assert_int_equal(a.cols, b.rows);
    y.rows = a.rows;
    y.cols = b.cols;
    for (int i = 0; i < y.rows; i++) {
        for (int j = 0; j < y.cols; j++) {
            for (int k = 0; k < a.cols; k++) {
                y.at[i][j] += a.at[i][k] * b.at[k][j];
            }
        }
    }
    return y;
}

/* By elimination: D is positive definite. */
static value inverted(value a)
{
    value y = { .rows = a.rows, .cols = a.rows };
    for (int i = 0; i < a.rows; i++) {
        y.at[i][i] = 1;
    }
    for (int p = 0; p < a.rows; p++) {
        const soa_number pivot = a.at[p][p];
        for (int j = 0; j < a.rows; j++) {
            a.at[p][j] /= pivot;
            y.at[p][j] /= pivot;
        }
        for (int i = 0; i < a.rows; i++) {
            const soa_number factor = i == p ? 0 : a.at[i][p];
            for (int j = 0; j < a.rows; j++) {
                a.at[i][j] -= factor * a.at[p][j];
                y.at[i][j] -= factor * y.at[p][j];
            }
        }
    }
    return y;
}

static void add(value *to, soa_number factor, value a)
{
    if (to->rows == 0) {
        to->rows = a.rows;
        to->cols = a.cols;
    }
    for (int i = 0; i < a.rows; i++) {
        for (int j = 0; j < a.cols; j++) {
            to->at[i][j] += factor * a.at[i][j];
        }
    }
}

/* ---- reading ------------------------------------------------------------------------------------------------- */

static void accept(machine *m, const char *text)
{
    if (strncmp(m->at, text, strlen(text)) != 0) {
        fail_msg("%s was expected at '%s'", text, m->at);
    }
    m->at += strlen(text);
}

static bool looks(const machine *m, const char *text)
{
    return strncmp(m->at, text, strlen(text)) == 0;
}

static value sum(machine *m, char end);

static int body_at(const machine *m, char index)
{
    return index == 'k' ? m->k : index == 'j' ? m->j : parent_of(m, m->k);
}

static value factor(machine *m)
{
    if (looks(m, "[")) {
        m->at++;
        return sum(m, ']');
    }
    char name[24];
    int length = 0;
    while (isalnum((unsigned char)m->at[length]) || m->at[length] == '_' || m->at[length] == '~') {
        name[length] = m->at[length];
        assert_true(++length < 23);
    }
    name[length] = '\0';
    m->at += length;
    if (strcmp(name, "I") == 0) {
        value one = { .rows = 6, .cols = 6 };
        for (int i = 0; i < 6; i++) {
            one.at[i][i] = 1;
        }
        return one;
    }
    const bool adjoint = looks(m, "*");
    m->at += adjoint;
    accept(m, "(");
    const char first = *m->at++, second = (char)(looks(m, ",") ? m->at[1] : '\0');
    m->at += second ? 2 : 0;
    accept(m, ")");
    const bool inverse = looks(m, "^-1");
    m->at += inverse ? 3 : 0;
    const int row = body_at(m, first), col = body_at(m, second ? second : first);
    value y = find(m, name) < m->names ? *slot(m, name, col) : of_system(m, name, row, col, second != '\0');
    y = inverse ? inverted(y) : y;
    return adjoint ? transposed(y) : y;
}

static value product(machine *m)
{
    value y = factor(m);
    while (*m->at == ' ' && (isalpha((unsigned char)m->at[1]) || m->at[1] == '[')) {
        m->at++;
        y = multiplied(y, factor(m));
    }
    return y;
}

/* The term up to the next sign, once, or for each body on k; of a line about k and j for that j alone. */
static value term(machine *m)
{
    const char *begin = m->at;
    int depth = 0;
    bool inward = false, outward = false;
    const char *end = m->at;
    for (; *end && *end != '\n' && !(depth == 0 && (*end == ']' || (*end == ' ' && strchr("+-", end[1])))); end++) {
        depth += (*end == '[') - (*end == ']');
        inward = inward || strncmp(end, "j)", 2) == 0 || strncmp(end, ",j)", 3) == 0;
        outward = outward || strncmp(end, "(p", 2) == 0;
    }
    value total = { 0 };
    const int before = m->j;
    inward = inward && before < 0;
    for (int j = 0; j < (inward ? m->sample->bodies : 1); j++) {
        if ((inward && parent_of(m, j) != m->k) || (outward && parent_of(m, m->k) < 0)) {
            continue;
        }
        m->j = inward ? j : m->j;
        m->at = begin;
        add(&total, 1, product(m));
    }
    m->j = before;
    m->at = end;
    return total;
}

static value sum(machine *m, char end)
{
    value total = { 0 };
    soa_number sign = 1;
    while (*m->at != end) {
        while (*m->at == ' ' || *m->at == '+' || *m->at == '-') {
            sign = *m->at == '-' ? -1 : *m->at == '+' ? 1 : sign;
            m->at++;
        }
        if (looks(m, "sum_j ")) {
            m->at += 6;
        }
        if (isdigit((unsigned char)*m->at)) {
            char *rest;
            sign *= strtold(m->at, &rest);
            m->at = rest + 1;
        }
        add(&total, sign, term(m));
    }
    m->at++;
    return total;
}

static void run_line(machine *m, const char *line, int body)
{
    char name[24];
    assert_int_equal(sscanf(line, " %23[^(](k", name), 1);
    m->at = strchr(line, '=') + 2;
    const value y = sum(m, '\n');
    *slot(m, name, body) = y;
}

/* All lines of one sweep at each body. */
static void run_sweep(machine *m, const char *const *line, int lines, bool inward)
{
    for (int i = 0; i < m->sample->bodies; i++) {
        m->k = inward ? m->sample->bodies - 1 - i : i;
        for (int l = 0; l < lines; l++) {
            const bool two = strncmp(strchr(line[l], '('), "(k,j)", 5) == 0;
            for (int j = 0; two && j < m->sample->bodies; j++) {
                m->j = j;
                if (parent_of(m, j) == m->k) {
                    run_line(m, line[l], j);
                }
            }
            m->j = -1;
            if (!two) {
                run_line(m, line[l], m->k);
            }
        }
    }
}

static void run_text(machine *m, const char *text)
{
    const char *line[LINES];
    int lines = 0;
    bool inward = false;
    for (const char *at = text; *at; at = strchr(at, '\n') + 1) {
        if (*at == ' ') {
            assert_true(lines < LINES);
            line[lines++] = at;
        } else {
            run_sweep(m, line, lines, inward);
            lines = 0;
            inward = strncmp(at, "inward", 6) == 0;
        }
    }
    run_sweep(m, line, lines, inward);
}

/* ---- expressions ------------------------------------------------------------------------------------------- */

static value part_of(const machine *m, soa_space space, int body, const soa_number *x)
{
    value v = { .cols = 1 };
    int from;
    range_of(m, space, body, &from, &v.rows);
    for (int i = 0; i < v.rows; i++) {
        v.at[i][0] = x[from + i];
    }
    return v;
}

/* An operator that takes or gives points is nothing for this machine; neither is a dense matrix. */
static void executed(const soa_sample *sample, const char *text)
{
    static machine m;
    soa_program *program = NULL;
    soa_error error;
    char *said = NULL;
    soa_arena arena = soa_arena_on(&sample->dense->allocator);
    soa_matrix A;
    soa_number largest, rounding, x[6 * BODIES];
    unsigned long long seed = 7;
    assert_int_equal(soa_program_new(NULL, &program, &error), SOA_OK);
    if (soa_program_read(program, text, SOA_READ_PROGRAM, &error) != SOA_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    assert_int_equal(soa_program_explain(program, 0, SOA_ASCII, SOA_EXPLAIN_SWEEPS, &said, &error), SOA_OK);
    const soa_term *term_ = soa_program_at(program, 0)->term;
    const soa_status status = soa_dense_value(sample, program->terms, term_, &arena, &A, &largest, &rounding);
    assert_int_equal(status, SOA_OK);
    m = (machine){ .sample = sample, .j = -1 };
    for (int i = 0; i < A.cols; i++) {
        x[i] = soa_random_next(&seed);
    }
    for (int k = 0; k < sample->bodies; k++) {
        *slot(&m, "x", k) = part_of(&m, term_->type.from.space, k, x);
    }
    run_text(&m, strchr(said, '\n') + 1);
    for (int k = 0, row = 0; k < sample->bodies; k++) {
        int from, count;
        range_of(&m, term_->type.to.space, k, &from, &count);
        for (int i = 0; i < count; i++, row++) {
            soa_number y = 0;
            for (int j = 0; j < A.cols; j++) {
                y += *soa_matrix_entry(A, from + i, j) * x[j];
            }
            const value *got = slot(&m, "y", k);
            if (!(fabsl((i < got->rows ? got->at[i][0] : 0) - y) <= 1e-9L * (1 + largest))) {
                fail_msg("%s: body %d is %Lg, should be %Lg:\n%s", text, k + 1, got->at[i][0], y, said);
            }
        }
    }
    soa_arena_free(&arena);
    soa_program_text_free(program, said);
    soa_program_free(program);
}

static soa_sample sample_of(unsigned long long seed, bool rotors)
{
    soa_sample sample;
    soa_error error;
    const soa_allocator allocator = soa_allocator_default();
    assert_int_equal(soa_sample_new(&sample, &seed, rotors, &allocator, &error), SOA_OK);
    assert_true(sample.bodies <= BODIES);
    return sample;
}

static void known_expressions(void **state)
{
    (void)state;
    static const char *const list[] = { "H K", "H E_phi", "D^-1 H E_psi", "H psi K", "K' psi' H'", "tau E_phi",
        "P E_phi' M^-1", "Mass^-1", "Mass", "(I - H psi K) D", "taubar E_phi taubar E_phi", "K H K H", "E_phi P E_phi'",
        "K D K'", "phi M phi'", "psi~ P", "H phi~ P H'", "H (2 K - E_phi G + 0.5 psi K)", "E_phi (phi K + psi K)" };
    for (unsigned long long seed = 5; seed < 200; seed += 60) {
        soa_sample sample = sample_of(seed, false);
        for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
            if (!strstr(list[i], "M^-1")) {
                executed(&sample, list[i]);
            }
        }
        soa_sample_free(&sample);
    }
}

/* Where there are rotors the printed filter is that of the system too. */
static void with_rotors(void **state)
{
    (void)state;
    static const char *const list[] = { "H K", "H psi K", "Mass^-1", "psi' H' D^-1 H psi", "K D K'", "P", "D", "G",
        "taubar", "E_psi psi", "E_phi P H' - K D" };
    for (unsigned long long seed = 5; seed < 100; seed += 30) {
        soa_sample sample = sample_of(seed, true);
        for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
            executed(&sample, list[i]);
        }
        soa_sample_free(&sample);
    }
}

/* Products of random operators that fit. */
static void random_products(void **state)
{
    (void)state;
    static const soa_operator pick[] = { SOA_OP_H, SOA_OP_M, SOA_OP_E_PHI, SOA_OP_PHI, SOA_OP_P, SOA_OP_D, SOA_OP_D_INV,
        SOA_OP_G, SOA_OP_K, SOA_OP_TAUBAR, SOA_OP_E_PSI, SOA_OP_PSI, SOA_OP_PSI_STRICT };
    enum { PICK = sizeof pick / sizeof pick[0], PRODUCTS = 300 };
    unsigned long long seed = 1;
    soa_sample sample = sample_of(65, false);
    for (int n = 0; n < PRODUCTS; n++) {
        char text[200] = "";
        soa_operator_info last = { 0 };
        const int wanted = 2 + (int)(soa_random_bits(&seed) % 5);
        for (int count = 0, tries = 0; count < wanted && tries < 1000; tries++) {
            const soa_operator op = pick[soa_random_bits(&seed) % PICK];
            const bool adjoint = soa_random_bits(&seed) % 2 && !soa_operator_about(op, false).symmetric;
            const soa_operator_info next = soa_operator_about(op, adjoint);
            if (count == 0 || (next.codomain_space == last.domain_space && next.codomain_side == last.domain_side)) {
                const size_t used = strlen(text);
                (void)snprintf(
                    text + used, sizeof text - used, "%s%s%s", count ? " " : "", next.text, adjoint ? "'" : "");
                last = next;
                count++;
            }
        }
        executed(&sample, text);
    }
    soa_sample_free(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_expressions),
        cmocka_unit_test(with_rotors),
        cmocka_unit_test(random_products),
    };
    return cmocka_run_group_tests_name("recursions", tests, NULL, NULL);
}
