/* tests/fuzz/fuzz_expr.c - any bytes as a program of the operator language.
 *
 * It may be refused, with a place. What is read must have a type in words, and be
 * printed in every notation such that it reads back to the same text. */
#include "fuzz/bounded.h"
#include "soa/expr.h"

/* Declarations of the first program, for the second one. */
static void declare_again(const soa_program *from, soa_program *to)
{
    soa_error error;
    for (int i = 0; i < soa_program_statements(from); i++) {
        const soa_statement_info info = soa_program_statement(from, i);
        if (info.kind == SOA_STATEMENT_DECLARATION &&
            soa_program_read(to, info.text, SOA_READ_PROGRAM, &error) != SOA_OK && error.status != SOA_E_MEMORY) {
            stop("declared again", error.text, info.text);
        }
    }
}

/* What is printed reads back to what is printed so. */
static void check_text(soa_program *program, int statement, soa_notation notation, soa_program *again)
{
    char *first = NULL, *second = NULL;
    soa_error error;
    const soa_statement_kind kind = soa_program_statement(program, statement).kind;
    if (soa_program_print(program, statement, notation, &first, &error) != SOA_OK) {
        return;
    }
    const soa_status status =
        soa_program_read(again, first, kind == SOA_STATEMENT_EQUATION ? SOA_READ_EQUATION : SOA_READ_PROGRAM, &error);
    if (status != SOA_OK && status != SOA_E_MEMORY && status != SOA_E_LIMIT) {
        stop("read back", error.text, first);
    }
    if (status == SOA_OK &&
        soa_program_print(again, soa_program_statements(again) - 1, notation, &second, &error) == SOA_OK &&
        strcmp(first, second) != 0) {
        stop("read back", first, second);
    }
    soa_program_text_free(again, second);
    soa_program_text_free(program, first);
}

static void check_statements(soa_program *program, const soa_allocator *allocator)
{
    soa_program *again = NULL;
    soa_error error;
    if (soa_program_new(allocator, &again, &error) != SOA_OK) {
        return;
    }
    declare_again(program, again);
    for (int i = 0; i < soa_program_statements(program) && i < 20; i++) {
        char *type = NULL;
        (void)soa_program_type(program, i, &type, &error);
        soa_program_text_free(program, type);
        for (soa_notation notation = SOA_ASCII; notation <= SOA_LATEX; notation++) {
            check_text(program, i, notation, again);
        }
    }
    soa_program_free(again);
}

static void check(const char *text, soa_reading reading, const soa_allocator *allocator)
{
    soa_program *program = NULL;
    soa_error error;
    if (soa_program_new(allocator, &program, &error) != SOA_OK) {
        return;
    }
    const soa_status status = soa_program_read(program, text, reading, &error);
    if (status == SOA_OK) {
        check_statements(program, allocator);
    } else if (error.status != status || error.text[0] == '\0' || soa_program_statements(program) != 0) {
        stop("refused", "without a message, or statements stayed", text);
    } else {
        char caret[4096];
        (void)soa_error_caret(&error, text, caret, sizeof caret);
    }
    soa_program_free(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t left = MEMORY_LIMIT;
    const soa_allocator allocator = { bounded_allocate, bounded_release, &left };
    char *text = malloc(size + 1);
    if (text) {
        memcpy(text, data, size);
        text[size] = '\0';
        check(text, SOA_READ_PROGRAM, &allocator);
        check(text, SOA_READ_EQUATION, &allocator);
        free(text);
    }
    if (left != MEMORY_LIMIT) {
        stop("memory", "not all was released", NULL);
    }
    return 0;
}
