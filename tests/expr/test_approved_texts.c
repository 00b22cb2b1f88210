/* Programs of the language as text in every notation, with their types and explanations, and the refusals of texts that one
 * change made wrong, beside what was approved. */
#include "expr/approved_program.h"

static soa_allocator allocator;

static void print_all(soa_program *program, int statement, soa_page *page)
{
    const soa_statement_info s = soa_program_statement(program, statement);
    char *text = NULL;
    soa_error error;
    soa_page_format(page, "%d '%s' '%s' line %d, %d %d -> %d %d, kind %d, traits %d%d%d%d, uses %d%d, block %d\n",
        (int)s.kind, s.name, s.text, s.line, (int)s.from_space, (int)s.from_side, (int)s.to_space, (int)s.to_side,
        (int)s.causality, s.number, s.symmetric, s.semidefinite, s.positive, s.points, s.constraints, s.block);
    for (int i = 0; i < s.values; i++) {
        soa_page_format(page, "%g ", s.value[i]);
    }
    for (soa_notation notation = SOA_ASCII; notation <= SOA_LATEX; notation++) {
        const soa_status status = soa_program_print(program, statement, notation, &text, &error);
        put_made(page, program, "print", status, text, &error);
    }
    const soa_status status = soa_program_type(program, statement, &text, &error);
    put_made(page, program, "type", status, text, &error);
}

static void explain(approved *a, soa_program *program)
{
    static const char *const part[] = { "sweeps", "levels", "dot", "svg" };
    for (soa_explanation what = SOA_EXPLAIN_SWEEPS; what < SOA_EXPLANATIONS; what++) {
        soa_page page = soa_page_on(&allocator);
        for (soa_notation notation = SOA_ASCII; notation <= SOA_LATEX; notation++) {
            char *text = NULL;
            soa_error error;
            const soa_status status =
                soa_program_explain(program, soa_program_statements(program) - 1, notation, what, &text, &error);
            put_made(&page, program, part[what], status, text, &error);
        }
        approve_page(a, part[what], &page);
    }
}

static void programs_are_said(void **state)
{
    (void)state;
    approved a = approved_open("expr-programs");
    for (int i = 0; i < COUNT_OF(EXPRESSIONS); i++) {
        soa_program *program = program_of(EXPRESSIONS[i], SOA_READ_PROGRAM);
        soa_page page = soa_page_on(&allocator);
        approved_case(&a, EXPRESSIONS[i]);
        for (int s = 0; s < soa_program_statements(program); s++) {
            print_all(program, s, &page);
        }
        approve_page(&a, "text", &page);
        explain(&a, program);
        approved_end(&a);
        soa_program_free(program);
    }
    approved_close(&a);
}

/* ---- wrong texts ------------------------------------------------------------------------------------------------ */

/* What becomes of a text: its statements, or why it is refused and where. */
static void put_reading(soa_page *page, const char *text, soa_reading reading)
{
    soa_program *program = empty_program();
    soa_error error;
    char caret[512];
    soa_page_put(page, text);
    soa_page_put(page, "\n");
    if (soa_program_read(program, text, reading, &error) == SOA_OK) {
        for (int s = 0; s < soa_program_statements(program); s++) {
            print_all(program, s, page);
        }
    } else {
        put_error(page, &error);
        soa_page_format(page, "%s\n", soa_error_caret(&error, text, caret, sizeof caret));
    }
    soa_program_free(program);
}

/* Where the token ends that begins at the text: a word, a blank, or one byte. */
static int token_at(const char *text)
{
    int length = 0;
    while (
        isalnum((unsigned char)text[length]) || text[length] == '_' || (text[length] & 0x80) || text[length] == '\\') {
        length++;
    }
    return length > 0 ? length : 1;
}

/* The text with each of its tokens in turn left out, or with something in front of it. */
static void put_edits(soa_page *page, const char *text)
{
    static const char *const before[] = { "", ")", "(", "[2]", "' ", "^", "^-1 ", ", ", " = ", "+", "*", "/", " 0 ",
        "3.1.", " Qx ", " beta ", " H ", "~", "; " };
    for (int at = 0, length; text[at]; at += length) {
        length = token_at(text + at);
        for (int i = 0; i < COUNT_OF(before); i++) {
            char edited[1024];
            snprintf(edited, sizeof edited, "%.*s%s%s", at, text, before[i], text + at + (i == 0 ? length : 0));
            put_reading(page, edited, SOA_READ_PROGRAM);
        }
    }
}

static void wrong_texts_are_refused(void **state)
{
    (void)state;
    enum { EVERY = 7 };
    static const char *const others[] = {
#define WRONG(text) text,
#include "expr/wrong.def"
#undef WRONG
    };
    approved a = approved_open("expr-refusals");
    for (int i = 0; i < COUNT_OF(others); i++) {
        soa_page page = soa_page_on(&allocator);
        soa_program *program = empty_program();
        soa_error error;
        approved_case(&a, others[i]);
        if (soa_program_read(program, others[i], strstr(others[i], " == ") ? SOA_READ_EQUATION : SOA_READ_PROGRAM,
                &error) == SOA_OK) {
            soa_page_put(&page, "is read");
        } else {
            soa_page_format(&page, "%d:%d: %s", error.line, error.column, error.text);
        }
        approve_page(&a, NULL, &page);
        approved_end(&a);
        soa_program_free(program);
    }
    for (int i = 0; i < COUNT_OF(EXPRESSIONS); i += EVERY) {
        soa_page page = soa_page_on(&allocator);
        approved_case(&a, EXPRESSIONS[i]);
        put_edits(&page, EXPRESSIONS[i]);
        approve_page(&a, "edits", &page);
        approved_end(&a);
    }
    approved_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_said),
        cmocka_unit_test(wrong_texts_are_refused),
    };
    allocator = soa_allocator_default();
    return cmocka_run_group_tests_name("approved_texts", tests, NULL, NULL);
}
