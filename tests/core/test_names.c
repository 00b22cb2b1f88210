/* The table from names to numbers, against a search through a list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/memory.h"
#include "core/names.h"
#include "counting.h"

enum { MANY = 5000 };

static char spelled[MANY][16];

/* Names that share beginnings, lengths and endings. */
static void spell(void)
{
    for (int i = 0; i < MANY; i++) {
        snprintf(spelled[i], sizeof spelled[i], i % 2 ? "link_%d" : "%d_joint", i / 2);
    }
}

static void empty_table_finds_nothing(void **state)
{
    (void)state;
    const soa_allocator a = soa_allocator_default();
    soa_names names = { 0 };
    assert_int_equal(soa_names_find(&names, "arm"), -1);
    assert_int_equal(soa_names_find(&names, ""), -1);
    assert_int_equal(soa_names_find(&names, NULL), -1);
    soa_names_free(&names, &a);
    assert_true(soa_names_add(&names, &a, "arm", 3));
    assert_int_equal(soa_names_find(&names, NULL), -1);
    soa_names_free(&names, &a);
    assert_int_equal(soa_names_find(&names, "arm"), -1);
}

static void every_name_keeps_its_number(void **state)
{
    (void)state;
    const soa_allocator a = soa_allocator_default();
    soa_names names = { 0 };
    spell();
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(soa_names_find(&names, spelled[i]), -1);
        assert_true(soa_names_add(&names, &a, spelled[i], 3 * i));
    }
    assert_int_equal(names.count, MANY);
    for (int i = 0; i < MANY; i++) {
        char other[16];
        strcpy(other, spelled[i]);
        assert_int_equal(soa_names_find(&names, other), 3 * i);
        other[strlen(other) - 1] = '\0';
        int expected = -1;
        for (int j = 0; j < MANY && expected < 0; j++) {
            expected = strcmp(spelled[j], other) == 0 ? 3 * j : -1;
        }
        assert_int_equal(soa_names_find(&names, other), expected);
    }
    soa_names_free(&names, &a);
}

static void first_number_stays(void **state)
{
    (void)state;
    const soa_allocator a = soa_allocator_default();
    soa_names names = { 0 };
    assert_true(soa_names_add(&names, &a, "arm", 0));
    assert_true(soa_names_add(&names, &a, "arm", 9));
    assert_true(soa_names_add(&names, &a, "", 5));
    assert_int_equal(names.count, 2);
    assert_int_equal(soa_names_find(&names, "arm"), 0);
    assert_int_equal(soa_names_find(&names, ""), 5);
    assert_int_equal(soa_names_find(&names, "Arm"), -1);
    soa_names_free(&names, &a);
}

/* The n-th growth fails: the names before it are all still found. */
static void failure_leaves_the_table(void **state)
{
    (void)state;
    spell();
    for (int growths = 0; growths < 5; growths++) {
        counting c;
        const soa_allocator a = counting_on(&c, growths);
        soa_names names = { 0 };
        int added = 0;
        while (added < MANY && soa_names_add(&names, &a, spelled[added], added)) {
            added++;
        }
        assert_true(added < MANY);
        assert_int_equal(names.count, added);
        assert_true(growths == 0 ? added == 0 : added >= 32);
        for (int i = 0; i < MANY; i++) {
            assert_int_equal(soa_names_find(&names, spelled[i]), i < added ? i : -1);
        }
        soa_names_free(&names, &a);
        assert_int_equal(c.open, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_table_finds_nothing),
        cmocka_unit_test(every_name_keeps_its_number),
        cmocka_unit_test(first_number_stays),
        cmocka_unit_test(failure_leaves_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
