/* tests/expr/approved_program.h - what the language says of programs, beside what was approved. */
#ifndef SOA_TESTS_EXPR_APPROVED_PROGRAM_H
#define SOA_TESTS_EXPR_APPROVED_PROGRAM_H

#include "approved.h"
#include "counting.h"
#include "expr/print.h"
#include "soa/expr.h"

#define COUNT_OF(list) ((int)(sizeof(list) / sizeof(list)[0]))

static const char *const EXPRESSIONS[] = {
#define EXPRESSION(text) text,
#include "expr/expressions.def"
#undef EXPRESSION
};

/* What programs take and give back. */
static counting program_blocks;

/* An empty program whose searches end by their budgets alone, whatever else the machine does. */
static inline soa_program *empty_program(void)
{
    soa_program *program = NULL;
    const soa_allocator memory = { counting_allocate, counting_release, &program_blocks };
    assert_int_equal(program_blocks.open, 0); /* of the program before */
    program_blocks.left = COUNTING_PLENTY;
    program_blocks.below = soa_allocator_default();
    assert_int_equal(soa_program_new(&memory, &program, NULL), SOA_OK);
    soa_program_limit(program, 0.0, NULL, NULL);
    return program;
}

static inline soa_program *program_of(const char *text, soa_reading reading)
{
    soa_program *program = empty_program();
    soa_error error;
    if (soa_program_read(program, text, reading, &error) != SOA_OK) {
        fail_msg("%s: %d:%d: %s", text, error.line, error.column, error.text);
    }
    return program;
}

static inline void put_error(soa_page *page, const soa_error *error)
{
    soa_page_format(page, "%d %d:%d: %s\n", (int)error->status, error->line, error->column, error->text);
}

/* Puts a text that the program made, or why it did not, and frees it. */
static inline void put_made(
    soa_page *page, soa_program *program, const char *what, soa_status status, char *text, const soa_error *error)
{
    soa_page_put(page, what);
    soa_page_put(page, "\n");
    if (status == SOA_OK) {
        soa_page_put(page, text);
        soa_page_put(page, "\n");
    } else {
        put_error(page, error);
    }
    soa_program_text_free(program, status == SOA_OK ? text : NULL);
}

/* A part of the case: what is on the page, which is cleared. */
static inline void approve_page(approved *a, const char *part, soa_page *page)
{
    approved_text(a, part, soa_page_text(page));
    soa_page_clear(page);
}

#endif
