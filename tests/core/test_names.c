/* The table from names to numbers, against a search through a list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/edits.h"
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

/* The published vectors: key 00 01 .. 0f, message 00 01 .. (length - 1). */
static void hash_is_siphash(void **state)
{
    (void)state;
    const uint64_t key[2] = { 0x0706050403020100u, 0x0f0e0d0c0b0a0908u };
    unsigned char message[16];
    for (int i = 0; i < 16; i++) {
        message[i] = (unsigned char)i;
    }
    assert_true(soa_siphash(key, message, 0) == 0x726fdb47dd0e0e31u);
    assert_true(soa_siphash(key, message, 1) == 0x74f839c593dc67fdu);
    assert_true(soa_siphash(key, message, 8) == 0x93f5f5799a932462u);
    assert_true(soa_siphash(key, message, 15) == 0xa129ca6149be45e5u);
}

/* Names that all collide in one table are scattered in the next: nobody can choose them beforehand. */
static void each_table_has_its_own_key(void **state)
{
    (void)state;
    enum { BUCKETS = 1024 };
    const soa_allocator a = soa_allocator_default();
    soa_names first = { 0 }, second = { 0 };
    assert_true(soa_names_add(&first, &a, "x", 0) && soa_names_add(&second, &a, "x", 0));
    int colliding = 0, still = 0;
    for (int i = 0; i < 200 * BUCKETS; i++) {
        char name[16];
        const int length = snprintf(name, sizeof name, "n%d", i);
        if (soa_siphash(first.key, name, (size_t)length) % BUCKETS == 0) {
            colliding++;
            still += soa_siphash(second.key, name, (size_t)length) % BUCKETS == 0;
        }
    }
    assert_true(colliding > 100);
    assert_true(still < 10);
    soa_names_free(&first, &a);
    soa_names_free(&second, &a);
}

/* Words apart by known numbers of letters, and how far away a word may be to be meant. */
static void words_are_apart(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        int edits;
        bool near;
    } row[] = { { "", "", 0, true }, { "kitten", "sitting", 3, false }, { "elbow", "elbov", 1, true },
        { "abcd", "bacd", 2, true }, { "q", "v", 1, false }, { "q", "q", 0, true }, { "arm", "am", 1, true },
        { "arm", "a", 2, false }, { "x", "0123456789012345678901234567890123456789012345678", SOA_EDITS_WORD, false },
        { "0123456789012345678901234567890123456789012345678", "x", SOA_EDITS_WORD, false } };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        soa_nearest nearest = soa_nearest_to(row[i].a);
        assert_int_equal(soa_edits(row[i].a, row[i].b), row[i].edits);
        soa_nearest_offer(&nearest, row[i].b);
        assert_int_equal(nearest.found != NULL, row[i].near);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_table_finds_nothing),
        cmocka_unit_test(every_name_keeps_its_number),
        cmocka_unit_test(first_number_stays),
        cmocka_unit_test(failure_leaves_the_table),
        cmocka_unit_test(hash_is_siphash),
        cmocka_unit_test(each_table_has_its_own_key),
        cmocka_unit_test(words_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
