/* Elements, attributes and refusals of the XML layer; whole files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "counting.h"
#include "io/reader.h"
#include "io/whole_file.h"
#include "io/xml.h"
#include "io/xml_write.h"

typedef struct fixture {
    soa_allocator allocator;
    soa_arena arena;
    soa_error error;
    soa_outcome outcome;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->allocator = soa_allocator_default();
    f->arena = soa_arena_on(&f->allocator);
    f->outcome.error = &f->error;
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    soa_arena_free(&f->arena);
    free(f);
    return 0;
}

static soa_xml *parse(fixture *f, const char *text)
{
    soa_forgive(&f->outcome);
    soa_xml *root = soa_xml_parse(&f->arena, text, strlen(text), "f.xml", false, &f->outcome);
    assert_int_equal(f->outcome.status, SOA_OK);
    return root;
}

static void assert_refused(fixture *f, const char *text, size_t length, int line, const char *words)
{
    soa_forgive(&f->outcome);
    assert_null(soa_xml_parse(&f->arena, text, length, "f.xml", false, &f->outcome));
    assert_int_not_equal(f->outcome.status, SOA_OK);
    assert_string_equal(f->error.file, "f.xml");
    assert_int_equal(f->error.line, line);
    if (!strstr(f->error.text, words)) {
        fail_msg("'%s' is not in '%s'", words, f->error.text);
    }
}

static void elements_are_a_tree(void **state)
{
    fixture *f = *state;
    const soa_xml *root = parse(f, "<?xml version='1.0'?>\n<r a='1' b='x &amp; y'>\n<c/>\n<d>\n<e/></d><c k=''/></r>");
    assert_string_equal(root->name, "r");
    assert_int_equal(root->line, 2);
    assert_int_equal(root->attributes, 2);
    assert_string_equal(soa_xml_get(root, "b"), "x & y");
    assert_null(soa_xml_get(root, "c"));
    assert_null(root->parent);
    const soa_xml *c = soa_xml_child(root, "c");
    assert_ptr_equal(c, root->child);
    assert_int_equal(c->line, 3);
    const soa_xml *c2 = soa_xml_next(c, "c");
    assert_string_equal(soa_xml_get(c2, "k"), "");
    assert_null(soa_xml_next(c2, "c"));
    const soa_xml *e = soa_xml_child(soa_xml_child(root, "d"), "e");
    assert_int_equal(e->line, 5);
    assert_string_equal(e->parent->name, "d");
    assert_string_equal(e->file, "f.xml");
}

static void text_is_joined(void **state)
{
    fixture *f = *state;
    const soa_xml *root = parse(f, "<r>\n <a>one &lt; <b/><![CDATA[two]]>\nthree</a><c>\n\n</c></r>");
    assert_string_equal(soa_xml_child(root, "a")->text, "one < two\nthree");
    assert_string_equal(soa_xml_child(root, "c")->text, "");
    assert_string_equal(root->text, "");
}

static void root_alone(void **state)
{
    fixture *f = *state;
    const char *text = "<!-- first -->\n<robot name='r'><unclosed>";
    const soa_xml *root = soa_xml_parse(&f->arena, text, strlen(text), "f", true, &f->outcome);
    assert_int_equal(f->outcome.status, SOA_OK);
    assert_string_equal(root->name, "robot");
    assert_string_equal(soa_xml_get(root, "name"), "r");
    assert_null(root->child);
}

static void bad_documents(void **state)
{
    static const struct {
        const char *text;
        int line;
        const char *words;
    } bad[] = {
        { "", 1, "the document is empty" },
        { " \n\n", 3, "the document is empty" },
        { "hello", 1, "not an XML document" },
        { "<r>\n<a>\n", 3, "ends inside <a> of line 2" },
        { "<r>\n<a x='", 2, "XML: " },
        { "<r>\n<a></b></r>", 2, "</a> is wanted, for line 2" },
        { "<r a='1'\n a='2'/>", 2, "duplicate attribute" },
        { "<!DOCTYPE r>\n<r/>", 1, "DOCTYPE" },
        { "\n<!DOCTYPE r [<!ENTITY e 'x'>]><r>&e;</r>", 2, "DOCTYPE" },
        { "<r>&nothing;</r>", 1, "undefined entity" },
        { "<r/><r/>", 1, "junk" },
        { "<?xml version='1.0' encoding='ISO-8859-1'?><r/>", 1, "\"ISO-8859-1\" is not supported" },
        { "<?xml version='1.0' encoding='EBCDIC'?><r/>", 1, "\"EBCDIC\" is not supported" },
        { "<r a='\xff'/>", 1, "XML: " },
        { "<r a='\x01'/>", 1, "XML: " },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_refused(*state, bad[i].text, strlen(bad[i].text), bad[i].line, bad[i].words);
    }
    assert_refused(*state, "<r>\n<a x='b\0c'/></r>", 19, 2, "NUL byte");
    assert_refused(*state, "<\0r\0/\0>\0", 8, 1, "NUL byte");
}

/* Depth elements, one in the other. */
static char *nested(int depth)
{
    char *text = malloc((size_t)depth * 7 + 1);
    text[0] = '\0';
    char *end = text;
    for (int i = 0; i < depth; i++) {
        end = strcpy(end, "<a>") + 3;
    }
    for (int i = 0; i < depth; i++) {
        end = strcpy(end, "</a>") + 4;
    }
    return text;
}

static void depth_is_bounded(void **state)
{
    fixture *f = *state;
    char *text = nested(SOA_MAX_DEPTH);
    parse(f, text);
    free(text);
    text = nested(SOA_MAX_DEPTH + 1);
    assert_refused(f, text, strlen(text), 1, "deeper than 256");
    assert_int_equal(f->error.status, SOA_E_LIMIT);
    free(text);
}

static void utf16_is_read(void **state)
{
    fixture *f = *state;
    const char text[] = "\xff\xfe<\0r\0 \0a\0=\0'\0\xe9\0'\0/\0>";
    const soa_xml *root = soa_xml_parse(&f->arena, text, sizeof text, "f.xml", false, &f->outcome);
    assert_int_equal(f->outcome.status, SOA_OK);
    assert_string_equal(soa_xml_get(root, "a"), "\xc3\xa9");
}

static void numbers(void **state)
{
    fixture *f = *state;
    const soa_xml *root = parse(f, "<r one=' 1.5 ' three='1 -2e-3\n+3.' none='' yes='true' no='0'/>");
    double x[3] = { 7, 7, 7 };
    bool flag = false;
    assert_true(soa_xml_number(root, "one", x));
    assert_true(x[0] == 1.5);
    assert_false(soa_xml_number(root, "absent", x));
    assert_true(x[0] == 1.5);
    assert_true(soa_xml_numbers(root, "three", 3, x));
    assert_true(x[0] == 1.0 && x[1] == -2e-3 && x[2] == 3.0);
    assert_int_equal(soa_xml_numbers_up_to(root, "one", 3, x), 1);
    assert_int_equal(soa_xml_numbers_up_to(root, "absent", 3, x), 0);
    assert_true(soa_xml_boolean(root, "yes", &flag));
    assert_true(flag);
    assert_true(soa_xml_boolean(root, "no", &flag));
    assert_false(flag);
    assert_int_equal(f->outcome.status, SOA_OK);
    soa_xml_numbers_up_to(root, "three", 2, x);
    assert_int_equal(f->outcome.status, SOA_E_SYNTAX);
    soa_forgive(&f->outcome);
    soa_xml_boolean(root, "one", &flag);
    assert_int_equal(f->outcome.status, SOA_E_SYNTAX);
}

/* What an element does not say, older ones say; the first failure is kept. */
static void older_elements(void **state)
{
    static const char *const words[] = { "a", "b", NULL };
    fixture *f = *state;
    soa_xml *root = parse(f, "<r size='1 2 3' type='b'><old size='4 5 6'/><new name='n' size='7' kind='x'/></r>");
    soa_xml *new = root->child->next;
    double x[3] = { 0, 0, 0 };
    new->older = root->child;
    root->child->older = root;
    assert_int_equal(soa_xml_numbers_up_to(new, "size", 3, x), 3);
    assert_true(x[0] == 7.0 && x[1] == 5.0 && x[2] == 6.0);
    assert_int_equal(soa_xml_word(new, "type", words, 0), 1);
    assert_string_equal(soa_xml_text(new, "type"), "b");
    assert_null(soa_xml_get(new, "type"));
    assert_int_equal(f->outcome.status, SOA_OK);
    assert_int_equal(soa_xml_word(new, "kind", words, 0), 0);
    assert_string_equal(f->error.text, "new 'n': kind=\"x\" is none of its values (such as \"a\")");
    soa_xml_fail(root, SOA_E_NAME, "something else");
    assert_int_equal(f->outcome.status, SOA_E_SYNTAX);
    assert_non_null(strstr(f->error.text, "none of its values"));
}

static void bad_numbers(void **state)
{
    static const struct {
        const char *value;
        const char *message;
    } bad[] = {
        { "nan", "link 'b': mass: v=\"nan\" is not a plain decimal number" },
        { "inf", "link 'b': mass: v=\"inf\" is not a plain decimal number" },
        { "0x10", "link 'b': mass: v=\"0x10\" is not a plain decimal number" },
        { "1,5", "link 'b': mass: v=\"1,5\" is not a number; write a decimal point, and spaces between numbers" },
        { "1e400", "link 'b': mass: v=\"1e400\" is out of range" },
        { "1.2.3", "link 'b': mass: v=\"1.2.3\" is not a number" },
        { "${m}", "link 'b': mass: v=\"${m}\" is not a number; this looks like xacro: expand it first" },
        { "", "link 'b': mass: v: 1 number wanted, 0 found" },
        { "1 2", "link 'b': mass: v: 1 number wanted, 2 found" },
        { "-", "link 'b': mass: v=\"-\" is not a plain decimal number" },
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[256];
        double value = 0.0;
        snprintf(
            text, sizeof text, "<robot name='r'>\n<link name='b'><i>\n<mass v='%s'/></i></link></robot>", bad[i].value);
        const soa_xml *mass = parse(f, text)->child->child->child;
        soa_xml_number(mass, "v", &value);
        assert_int_not_equal(f->outcome.status, SOA_OK);
        assert_string_equal(f->error.text, bad[i].message);
        assert_string_equal(f->error.file, "f.xml");
        assert_int_equal(f->error.line, 3);
    }
}

static void long_names_are_cut_between_characters(void **state)
{
    fixture *f = *state;
    char text[256] = "<r><a name='";
    for (int i = 0; i < 50; i++) {
        strcat(text, i == 0 ? "x" : "\xc3\xa9");
    }
    const soa_xml *a = parse(f, strcat(text, "'/></r>"))->child;
    soa_xml_fail(a, SOA_E_NAME, "no %d", 1);
    assert_int_equal(f->outcome.status, SOA_E_NAME);
    assert_int_equal(strlen(f->error.text), strlen("a '...': no 1") + 59);
    assert_non_null(strstr(f->error.text, "\xc3\xa9...': no 1"));
}

/* Whichever request for memory fails, the parse says so and gives all back. */
static void no_memory(void **state)
{
    (void)state;
    const char *text = "<r a='1'><b>x<c/>y</b></r>";
    soa_status status = SOA_E_MEMORY;
    for (int n = 0; status != SOA_OK; n++) {
        assert_true(n < 50);
        counting c;
        const soa_allocator allocator = counting_on(&c, n);
        soa_arena arena = soa_arena_on(&allocator);
        soa_outcome outcome = { NULL, SOA_OK };
        soa_xml_parse(&arena, text, strlen(text), "f", false, &outcome);
        status = outcome.status;
        assert_true(status == SOA_OK || (status == SOA_E_MEMORY && c.left == 0));
        soa_arena_free(&arena);
        assert_int_equal(c.open, 0);
    }
}

static void text_grows(void **state)
{
    fixture *f = *state;
    soa_text text = soa_text_on(&f->allocator);
    char big[5000];
    memset(big, 'x', sizeof big);
    big[sizeof big - 1] = '\0';
    for (int i = 0; i < 100; i++) {
        soa_text_add(&text, "%d,", i);
    }
    soa_text_add(&text, "%s", big);
    soa_xml_write(&text, " a=$s b=$3", "<&\">\n", (const double[]){ -0.0, 0.1, -1e300 });
    assert_false(text.failed);
    assert_int_equal(text.length, 290 + 4999 + strlen(" a=\"&#60;&#38;&#34;&#62;&#10;\" b=\"0 0.1 -1e+300\""));
    assert_memory_equal(text.bytes, "0,1,2,", 6);
    assert_string_equal(text.bytes + 290 + 4999, " a=\"&#60;&#38;&#34;&#62;&#10;\" b=\"0 0.1 -1e+300\"");
    soa_text_free(&f->allocator, text.bytes);
}

static void files(void **state)
{
    fixture *f = *state;
    char folder[] = "soa-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_string_equal(soa_file_beside(&f->arena, "a/b/robot.urdf", "../c"), "a/b/../c");
    assert_string_equal(soa_file_beside(&f->arena, "robot.urdf", "b/c"), "b/c");
    assert_string_equal(soa_file_beside(&f->arena, "a/robot.urdf", "/b/c"), "/b/c");
    char path[64];
    snprintf(path, sizeof path, "%s/new", folder);
    char *text;
    size_t length;
    assert_false(soa_file_exists(path));
    assert_int_equal(soa_file_read(&f->arena, path, &text, &length, &f->error), SOA_E_FILE);
    assert_string_equal(f->error.file, path);
    assert_non_null(strstr(f->error.text, "No such file"));
    assert_int_equal(soa_file_read(&f->arena, folder, &text, &length, &f->error), SOA_E_FILE);
    assert_non_null(strstr(f->error.text, "folder"));
    assert_int_equal(soa_file_write(path, "first", 5, &f->allocator, &f->error), SOA_OK);
    assert_int_equal(soa_file_write(path, "a\0b", 3, &f->allocator, &f->error), SOA_OK);
    assert_int_equal(soa_file_read(&f->arena, path, &text, &length, &f->error), SOA_OK);
    assert_int_equal(length, 3);
    assert_memory_equal(text, "a\0b", 4);
    assert_int_equal(soa_file_write(folder, "x", 1, &f->allocator, &f->error), SOA_E_FILE);
    snprintf(path, sizeof path, "%s/no/where", folder);
    assert_int_equal(soa_file_write(path, "x", 1, &f->allocator, &f->error), SOA_E_FILE);
    assert_string_equal(f->error.file, path);
    snprintf(path, sizeof path, "%s/new", folder);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* no temporary file is left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(elements_are_a_tree, set_up, tear_down),
        cmocka_unit_test_setup_teardown(text_is_joined, set_up, tear_down),
        cmocka_unit_test_setup_teardown(root_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_documents, set_up, tear_down),
        cmocka_unit_test_setup_teardown(depth_is_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(utf16_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(older_elements, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_names_are_cut_between_characters, set_up, tear_down),
        cmocka_unit_test(no_memory),
        cmocka_unit_test_setup_teardown(text_grows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
