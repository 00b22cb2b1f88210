/* Blocks, arrays and arenas: alignment, contents, and every allocation failing. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/list.h"
#include "counting.h"

static bool aligned(const void *block, size_t to)
{
    return (uintptr_t)block % to == 0;
}

static void default_blocks_are_aligned(void **state)
{
    (void)state;
    const soa_allocator a = soa_allocator_default();
    void *kept[200];
    for (size_t size = 0; size < 200; size++) {
        kept[size] = soa_allocate(&a, size, 1);
        assert_non_null(kept[size]);
        assert_true(aligned(kept[size], SOA_ALIGNMENT));
        memset(kept[size], (int)size, size);
    }
    for (size_t size = 0; size < 200; size++) {
        for (size_t i = 0; i < size; i++) {
            assert_int_equal(((unsigned char *)kept[size])[i], size);
        }
        soa_release(&a, kept[size]);
    }
    soa_release(&a, NULL);
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    const soa_allocator a = soa_allocator_default();
    assert_null(soa_allocate(&a, SIZE_MAX, 1));
    assert_null(soa_allocate(&a, SIZE_MAX - SOA_ALIGNMENT, 1));
    assert_null(soa_allocate(&a, SIZE_MAX / 2 + 1, 2)); /* the product is 0 */
    assert_null(soa_allocate(&a, SIZE_MAX / 8 + 2, 8)); /* the product is 8 */
    soa_arena arena = soa_arena_on(&a);
    assert_null(soa_arena_take(&arena, SIZE_MAX, 1));
    assert_null(soa_arena_take(&arena, SIZE_MAX - 40, 1));
    assert_null(soa_arena_take(&arena, SIZE_MAX / 2 + 1, 2));
    assert_null(soa_arena_text_n(&arena, "x", SIZE_MAX));
    assert_null(arena.chunk);
    soa_arena_free(&arena);
    soa_array full = { NULL, 1, INT_MAX / 2 + 1, INT_MAX / 2 + 1 };
    assert_null(soa_array_push(&full, &a));
    void *empty = soa_allocate(&a, 3, 0);
    assert_non_null(empty);
    soa_release(&a, empty);
}

/* Items that begin with their name: the last of a name is found, and a copy is what was added. */
static void items_are_added_and_found_by_name(void **state)
{
    (void)state;
    counting c;
    const soa_allocator a = counting_on(&c, COUNTING_PLENTY);
    typedef struct item {
        const char *name;
        int number;
    } item;
    soa_array array = soa_array_of(sizeof(item));
    const item given[] = { { "a", 1 }, { "b", 2 }, { "a", 3 } };
    assert_null(soa_array_named(&array, "a"));
    for (int i = 0; i < 3; i++) {
        const void *made = soa_array_add(&array, &a, &given[i]);
        assert_ptr_equal(made, soa_array_at(&array, i));
    }
    assert_int_equal(((const item *)soa_array_named(&array, "a"))->number, 3);
    assert_int_equal(((const item *)soa_array_named(&array, "b"))->number, 2);
    assert_null(soa_array_named(&array, "c"));
    soa_array_free(&array, &a);
    const soa_allocator none = counting_on(&c, 0);
    assert_null(soa_array_add(&array, &none, &given[0]));
}

/* An array that lives in an arena keeps its items when it grows, and where they were stays readable. */
static void arrays_live_in_arenas(void **state)
{
    (void)state;
    counting c;
    const soa_allocator a = counting_on(&c, COUNTING_PLENTY);
    soa_arena arena = soa_arena_on(&a);
    soa_array array = { 0 };
    const int *first = NULL;
    for (int i = 0; i < 1000; i++) {
        const int *made = soa_arena_add(&arena, &array, &i, sizeof i);
        assert_ptr_equal(made, soa_array_at(&array, i));
        first = i == 0 ? made : first;
    }
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(*(const int *)soa_array_at(&array, i), i);
    }
    assert_int_equal(*first, 0);
    soa_arena_free(&arena);
    const soa_allocator none = counting_on(&c, 0);
    arena = soa_arena_on(&none);
    array = (soa_array){ 0 };
    assert_null(soa_arena_add(&arena, &array, &(int){ 1 }, sizeof(int)));
    soa_array full = { NULL, 1, INT_MAX / 2 + 1, INT_MAX / 2 + 1 };
    assert_null(soa_arena_add(&arena, &full, "x", 1));
}

static void array_keeps_its_items(void **state)
{
    (void)state;
    counting c;
    const soa_allocator a = counting_on(&c, COUNTING_PLENTY);
    typedef struct item {
        int number;
        char fill[29];
    } item;
    soa_array array = soa_array_of(sizeof(item));
    for (int i = 0; i < 1000; i++) {
        item *p = soa_array_push(&array, &a);
        assert_non_null(p);
        assert_int_equal(p->number, 0);
        for (size_t j = 0; j < sizeof p->fill; j++) {
            assert_int_equal(p->fill[j], 0);
        }
        p->number = i * i;
        memset(p->fill, i & 0x7f, sizeof p->fill);
    }
    assert_int_equal(array.count, 1000);
    for (int i = 0; i < 1000; i++) {
        const item *p = soa_array_at(&array, i);
        assert_int_equal(p->number, i * i);
        assert_int_equal(p->fill[28], i & 0x7f);
    }
    assert_int_equal(c.open, 1);
    soa_array_free(&array, &a);
    assert_int_equal(c.open, 0);
    assert_int_equal(array.count, 0);
    assert_int_equal(array.item_size, sizeof(item));
    assert_non_null(soa_array_push(&array, &a));
    soa_array_free(&array, &a);
    soa_array_free(&array, &a);
    assert_int_equal(c.open, 0);
}

/* A push that fails leaves what was there, and the next one may succeed. */
static void array_survives_failure(void **state)
{
    (void)state;
    counting c;
    for (int fail_at = 0; fail_at < 6; fail_at++) {
        const soa_allocator a = counting_on(&c, fail_at);
        soa_array array = soa_array_of(sizeof(int));
        int pushed = 0;
        for (int *p; (p = soa_array_push(&array, &a)); pushed++) {
            *p = pushed;
        }
        assert_int_equal(pushed, fail_at ? 8 << (fail_at - 1) : 0);
        assert_int_equal(array.count, pushed);
        c.left = COUNTING_PLENTY;
        assert_non_null(soa_array_push(&array, &a));
        for (int i = 0; i < pushed; i++) {
            assert_int_equal(*(int *)soa_array_at(&array, i), i);
        }
        soa_array_free(&array, &a);
        assert_int_equal(c.open, 0);
    }
}

static void arena_blocks_are_zero_aligned_and_apart(void **state)
{
    (void)state;
    counting c;
    const soa_allocator a = counting_on(&c, COUNTING_PLENTY);
    soa_arena arena = soa_arena_on(&a);
    enum { BLOCKS = 3000 };
    static unsigned char *block[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        const size_t size = (size_t)(i * 37 % 301);
        block[i] = soa_arena_take(&arena, size, 1);
        assert_non_null(block[i]);
        assert_true(aligned(block[i], 16));
        for (size_t j = 0; j < size; j++) {
            assert_int_equal(block[i][j], 0);
        }
        memset(block[i], i & 0xff, size);
    }
    for (int i = 0; i < BLOCKS; i++) {
        for (size_t j = 0; j < (size_t)(i * 37 % 301); j++) {
            assert_int_equal(block[i][j], i & 0xff);
        }
    }
    assert_true(c.open > 1 && c.open < 20);
    soa_arena_free(&arena);
    assert_int_equal(c.open, 0);
    soa_arena_free(&arena);
}

static void arena_takes_large_blocks(void **state)
{
    (void)state;
    counting c;
    const soa_allocator a = counting_on(&c, COUNTING_PLENTY);
    soa_arena arena = soa_arena_on(&a);
    const size_t size = (size_t)5 << 20;
    char *large = soa_arena_take(&arena, size, 1);
    assert_non_null(large);
    assert_int_equal(large[size - 1], 0);
    large[size - 1] = 'x';
    assert_non_null(soa_arena_take(&arena, 100, 8));
    assert_int_equal(large[size - 1], 'x');
    soa_arena_free(&arena);
    assert_int_equal(c.open, 0);
}

static void arena_copies_texts(void **state)
{
    (void)state;
    counting c;
    const soa_allocator a = counting_on(&c, COUNTING_PLENTY);
    soa_arena arena = soa_arena_on(&a);
    char original[] = "elbow_joint";
    char *whole = soa_arena_text(&arena, original);
    char *part = soa_arena_text_n(&arena, original, 5);
    char *empty = soa_arena_text_n(&arena, original, 0);
    memset(original, '?', sizeof original - 1);
    assert_string_equal(whole, "elbow_joint");
    assert_string_equal(part, "elbow");
    assert_string_equal(empty, "");
    assert_null(soa_arena_text(&arena, NULL));
    assert_null(soa_arena_text_n(&arena, NULL, 3));
    soa_arena_free(&arena);
    assert_int_equal(c.open, 0);
}

/* The arena's n-th chunk fails: NULL, what was taken stays, nothing leaks. */
static void arena_survives_failure(void **state)
{
    (void)state;
    counting c;
    for (int fail_at = 0; fail_at < 8; fail_at++) {
        const soa_allocator a = counting_on(&c, fail_at);
        soa_arena arena = soa_arena_on(&a);
        char *first = NULL;
        int taken = 0;
        for (char *p; (p = soa_arena_text(&arena, "a name of some length")); taken++) {
            first = first ? first : p;
        }
        assert_int_equal(c.open, fail_at);
        assert_true(fail_at == 0 ? taken == 0 : taken > 100);
        if (first) {
            assert_string_equal(first, "a name of some length");
        }
        c.left = COUNTING_PLENTY;
        assert_non_null(soa_arena_take(&arena, 1, 1 << 16));
        soa_arena_free(&arena);
        assert_int_equal(c.open, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_blocks_are_aligned),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(items_are_added_and_found_by_name),
        cmocka_unit_test(arrays_live_in_arenas),
        cmocka_unit_test(array_keeps_its_items),
        cmocka_unit_test(array_survives_failure),
        cmocka_unit_test(arena_blocks_are_zero_aligned_and_apart),
        cmocka_unit_test(arena_takes_large_blocks),
        cmocka_unit_test(arena_copies_texts),
        cmocka_unit_test(arena_survives_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
