/* Cheaper forms of expressions, with their steps and costs, and all forms of some, beside what was approved. */
#include "expr/approved_program.h"

static soa_allocator allocator;

static void approve_forms(approved *a, const char *text, soa_notation notation, bool all)
{
    soa_program *program = program_of(text, SOA_READ_PROGRAM);
    const int last = soa_program_statements(program) - 1;
    soa_error error;
    soa_page page = soa_page_on(&allocator);
    char *cheapest = NULL, *said = NULL;
    soa_status status = soa_program_simplify(program, last, notation, &cheapest, &said, &error);
    approved_case(a, text);
    put_made(&page, program, "cheapest", status, cheapest, &error);
    put_made(&page, program, "report", status, said, &error);
    approve_page(a, "simplified", &page);
    if (all) {
        status = soa_program_derive(program, last, notation, &said, &error);
        put_made(&page, program, "forms", status, said, &error);
        approve_page(a, "forms", &page);
    }
    approved_end(a);
    soa_program_free(program);
}

static void cheaper_forms_are_found(void **state)
{
    (void)state;
    approved a = approved_open("expr-forms");
    for (int i = 0; i < COUNT_OF(EXPRESSIONS); i++) {
        approve_forms(&a, EXPRESSIONS[i], (soa_notation)(i % 3), i % 16 == 7);
    }
    approved_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(cheaper_forms_are_found) };
    allocator = soa_allocator_default();
    return cmocka_run_group_tests_name("approved_forms", tests, NULL, NULL);
}
