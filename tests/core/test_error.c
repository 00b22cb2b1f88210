/* Status texts, errors and their messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/error.h"

#define SIZE 1024

static void version_matches_its_parts(void **state)
{
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", SOA_VERSION_MAJOR, SOA_VERSION_MINOR, SOA_VERSION_PATCH);
    assert_string_equal(text, SOA_VERSION);
    assert_string_equal(text, soa_version());
}

static void every_status_has_its_own_text(void **state)
{
    (void)state;
    static const soa_status all[] = {
#define STATUS(name, text) name,
        SOA_STATUS_LIST(STATUS)
#undef STATUS
    };
    const int n = (int)(sizeof all / sizeof all[0]);
    assert_int_equal(SOA_OK, 0);
    for (int i = 0; i < n; i++) {
        assert_int_equal((int)all[i], i);
        assert_true(strlen(soa_status_text(all[i])) > 5);
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(soa_status_text(all[i]), soa_status_text(all[j]));
        }
    }
    assert_string_equal(soa_status_text((soa_status)n), "unknown status");
    assert_string_equal(soa_status_text((soa_status)-1), "unknown status");
}

static void clear_leaves_no_place(void **state)
{
    (void)state;
    soa_error error;
    memset(&error, 0x5a, sizeof error);
    soa_error_clear(&error);
    assert_int_equal(error.status, SOA_OK);
    assert_int_equal(error.body, -1);
    assert_int_equal(error.state, -1);
    assert_int_equal(error.line, 0);
    assert_int_equal(error.column, 0);
    assert_string_equal(error.file, "");
    assert_string_equal(error.text, "");
    soa_error_clear(NULL);
}

static void fail_fills_everything(void **state)
{
    (void)state;
    soa_error error;
    memset(&error, 0x5a, sizeof error);
    assert_int_equal(soa_fail(&error, SOA_E_TREE, 7, "parent %d of '%s'", 3, "arm"), SOA_E_TREE);
    assert_int_equal(error.status, SOA_E_TREE);
    assert_int_equal(error.body, 7);
    assert_int_equal(error.state, -1);
    assert_int_equal(error.line, 0);
    assert_string_equal(error.file, "");
    assert_string_equal(error.text, "parent 3 of 'arm'");

    assert_int_equal(soa_fail_at(&error, SOA_E_SYNTAX, "a.urdf", 41, "axis is %s", "zero"), SOA_E_SYNTAX);
    assert_int_equal(error.body, -1);
    assert_int_equal(error.line, 41);
    assert_string_equal(error.file, "a.urdf");
    assert_string_equal(error.text, "axis is zero");

    assert_int_equal(soa_fail_memory(&error), SOA_E_MEMORY);
    assert_int_equal(error.status, SOA_E_MEMORY);
    assert_string_equal(error.file, "");
}

static void error_may_be_null(void **state)
{
    (void)state;
    assert_int_equal(soa_fail(NULL, SOA_E_TREE, 1, "%d", 1), SOA_E_TREE);
    assert_int_equal(soa_fail_at(NULL, SOA_E_FILE, "f", 1, "%d", 1), SOA_E_FILE);
    assert_int_equal(soa_fail_memory(NULL), SOA_E_MEMORY);
}

static void message_says_what_is_known(void **state)
{
    (void)state;
    soa_error error;
    char text[SIZE];
    soa_fail_at(&error, SOA_E_SYNTAX, "a.urdf", 41, "wrong");
    assert_string_equal(soa_error_message(&error, text, sizeof text), "a.urdf:41: wrong");
    soa_fail_at(&error, SOA_E_FILE, "a.urdf", 0, "wrong");
    assert_string_equal(soa_error_message(&error, text, sizeof text), "a.urdf: wrong");
    soa_fail_at(&error, SOA_E_SYNTAX, "-", 41, "wrong"); /* a name of one letter is a name */
    assert_string_equal(soa_error_message(&error, text, sizeof text), "-:41: wrong");
    soa_fail_at(&error, SOA_E_SYNTAX, "-", 0, "wrong");
    assert_string_equal(soa_error_message(&error, text, sizeof text), "-: wrong");
    soa_fail_at(&error, SOA_E_SYNTAX, "-", 1, "wrong");
    assert_string_equal(soa_error_message(&error, text, sizeof text), "-:1: wrong");
    soa_fail_at(&error, SOA_E_FILE, NULL, 5, "wrong");
    assert_string_equal(soa_error_message(&error, text, sizeof text), "wrong");
}

static void message_fits_its_buffer(void **state)
{
    (void)state;
    soa_error error;
    char text[8] = "unmoved";
    soa_fail_at(&error, SOA_E_SYNTAX, "a.urdf", 41, "wrong");
    soa_error_message(&error, text, 0);
    assert_string_equal(text, "unmoved");
    soa_error_message(&error, text, 1);
    assert_string_equal(text, "");
    assert_string_equal(text + 1, "nmoved");
    assert_string_equal(soa_error_message(&error, text, 4), "a.u");
    assert_string_equal(text + 4, "ved");
}

static void long_texts_are_cut(void **state)
{
    (void)state;
    char longer[2000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    soa_error error;
    soa_fail_at(&error, SOA_E_NAME, longer, 1, "%s", longer);
    assert_int_equal(strlen(error.file), SOA_ERROR_FILE - 1);
    assert_int_equal(strlen(error.text), SOA_ERROR_TEXT - 1);
}

/* A name with a line feed or an escape sequence must not break the one line. */
static void message_is_one_line(void **state)
{
    (void)state;
    soa_error error;
    char text[SIZE];
    soa_fail_at(&error, SOA_E_NAME, "a\nb.urdf", 3, "link '%s'", "x\n\r\t\x1b[31m\x7f");
    assert_string_equal(error.text, "link 'x    [31m '");
    assert_string_equal(error.file, "a\nb.urdf");
    assert_string_equal(soa_error_message(&error, text, sizeof text), "a b.urdf:3: link 'x    [31m '");
    soa_fail(&error, SOA_E_NAME, -1, "gr\xc3\xbc\xc3\x9f");
    assert_string_equal(error.text, "gr\xc3\xbc\xc3\x9f");
}

/* What a terminal would act on, or what would let a name look like another one, is not shown. */
static void text_is_safe_to_show(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
    } row[] = {
        { "plain", "plain" }, { "a\x1b[2Jb", "a [2Jb" },
        { "a\xc2\x9b"
          "2Jb",
            "a?2Jb" }, /* U+009B, the control sequence introducer of 8 bits */
        { "a\x9b"
          "2Jb",
            "a?2Jb" }, /* the same as a single byte */
        { "x\xe2\x80\xae"
          "fdru",
            "x?fdru" },                                /* U+202E, right-to-left override */
        { "\xe2\x81\xa6l\xe2\x81\xa9", "?l?" },        /* U+2066, U+2069, isolates */
        { "\xe2\x80\xa8\xd8\x9c\xef\xbb\xbf", "???" }, /* U+2028, U+061C, U+FEFF */
        { "gr\xc3\xbc\xc3\x9f \xf0\x9f\xa6\xbe", "gr\xc3\xbc\xc3\x9f \xf0\x9f\xa6\xbe" },
        { "\xe2\x80\x8e\xe2\x80\x8f\xef\xbf\xbe", "???" }, /* U+200E, U+200F, U+FFFE */
        { "\xf4\x90\x80\x80", "????" },                    /* beyond U+10FFFF */
        { "cut\xf0\x9f\xa6", "cut???" },
        { "\xc0\xaf\xed\xa0\x80\xff", "??????" }, /* overlong, half of a pair, never a byte */
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char text[64];
        strcpy(text, row[i].from);
        assert_string_equal(soa_printable(text), row[i].to);
    }
}

/* Adding context: the new error quotes the old one. */
static void error_may_quote_itself(void **state)
{
    (void)state;
    soa_error error;
    soa_fail_at(&error, SOA_E_SYNTAX, "inner.urdf", 12, "mass is negative");
    soa_fail_at(&error, SOA_E_FILE, error.file, error.line, "system 'left': %s", error.text);
    assert_string_equal(error.file, "inner.urdf");
    assert_int_equal(error.line, 12);
    assert_string_equal(error.text, "system 'left': mass is negative");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_matches_its_parts),
        cmocka_unit_test(every_status_has_its_own_text),
        cmocka_unit_test(clear_leaves_no_place),
        cmocka_unit_test(fail_fills_everything),
        cmocka_unit_test(error_may_be_null),
        cmocka_unit_test(message_says_what_is_known),
        cmocka_unit_test(message_fits_its_buffer),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(message_is_one_line),
        cmocka_unit_test(text_is_safe_to_show),
        cmocka_unit_test(error_may_quote_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
