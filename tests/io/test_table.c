/* Tables of numbers in CSV files: names with and without quotes, blanks, comments, empty cells. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "io/table.h"

static const char PATH[] = "table.csv";

static soa_status read_text(soa_arena *arena, const char *text, bool recording, soa_table *table, soa_error *error)
{
    FILE *file = fopen(PATH, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
    return soa_table_read(arena, PATH, recording, table, error);
}

/* Every way to write a name, at every place of the line, is the same name; the numbers below stay with it. */
static void names_may_be_quoted(void **state)
{
    (void)state;
    static const char *const WRITTEN[] = { "time", "\"time\"", " \t\"time\"", "  time \t", "\"time\" ", "\"a, b\"",
        "\"\"" };
    static const char *const NAME[] = { "time", "time", "time", "time", "time", "a, b", "" };
    enum { WAYS = sizeof WRITTEN / sizeof WRITTEN[0] };
    const soa_allocator allocator = soa_allocator_default();
    for (int i = 0; i < WAYS * WAYS * WAYS; i++) {
        const int way[3] = { i % WAYS, i / WAYS % WAYS, i / WAYS / WAYS };
        char text[200];
        soa_table table;
        soa_error error = { .text = "" };
        soa_arena arena = soa_arena_on(&allocator);
        snprintf(text, sizeof text, "# x\n\n%s,%s,%s\n1, 2,3 \n \n4,5e1,-6\n", WRITTEN[way[0]], WRITTEN[way[1]],
            WRITTEN[way[2]]);
        if (read_text(&arena, text, false, &table, &error) != SOA_OK) {
            fail_msg("%s: %s", text, error.text);
        }
        assert_true(table.columns == 3 && table.rows == 2 && table.name);
        for (int c = 0; c < 3; c++) {
            assert_string_equal(table.name[c], NAME[way[c]]);
        }
        static const double NUMBER[3][2] = { { 1.0, 4.0 }, { 2.0, 50.0 }, { 3.0, -6.0 } };
        for (int c = 0; c < 6; c++) {
            assert_true(table.number[c / 2 * table.stride + c % 2] == NUMBER[c / 2][c % 2]);
        }
        assert_true(table.line[0] == 4 && table.line[1] == 6);
        soa_arena_free(&arena);
    }
    (void)remove(PATH);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(names_may_be_quoted) };
    return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
