/* io/xml_value.c - asking an element for its children and the values of its
 * attributes. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/number.h"
#include "io/xml.h"

enum { SHOWN_NAME = 60, SHOWN_VALUE = 40 };

/* ---- children and attributes ------------------------------------------------------ */

static soa_xml *first_named(soa_xml *element, const char *name)
{
    while (element && !soa_xml_is(element, name)) {
        element = element->next;
    }
    return element;
}

soa_xml *soa_xml_child(const soa_xml *element, const char *name)
{
    return first_named(element->child, name);
}

soa_xml *soa_xml_next(const soa_xml *child, const char *name)
{
    return first_named(child->next, name);
}

int soa_xml_children(const soa_xml *element, const char *name)
{
    int n = 0;
    for (const soa_xml *e = soa_xml_child(element, name); e; e = soa_xml_next(e, name)) {
        n++;
    }
    return n;
}

bool soa_is_one_of(const char *name, const char *const *list)
{
    while (*list && strcmp(name, *list) != 0) {
        list++;
    }
    return *list != NULL;
}

bool soa_is_word_of(const char *name, const char *words)
{
    const size_t n = strlen(name);
    while (*words && !(strncmp(words, name, n) == 0 && words[n] == ' ')) {
        words += strcspn(words, " ") + 1;
    }
    return *words != '\0';
}

const char *soa_xml_get(const soa_xml *element, const char *attribute)
{
    for (int i = 0; i < element->attributes; i++) {
        if (strcmp(element->attribute[i].name, attribute) == 0) {
            return element->attribute[i].value;
        }
    }
    return NULL;
}

const soa_xml *soa_xml_where(const soa_xml *element, const char *attribute)
{
    while (element && !soa_xml_get(element, attribute)) {
        element = element->older;
    }
    return element;
}

const char *soa_xml_text(const soa_xml *element, const char *attribute)
{
    const soa_xml *x = soa_xml_where(element, attribute);
    return x ? soa_xml_get(x, attribute) : NULL;
}

soa_source soa_xml_source(const soa_xml *element)
{
    return (soa_source){ element->file, element->line };
}

void soa_xml_count(soa_xml_tally *tally, const soa_xml *element)
{
    tally->first = tally->count++ == 0 ? element : tally->first;
}

void soa_xml_strangers(const soa_xml *element, const soa_xml_known *known, bool prefixed, soa_xml_tally *tally)
{
    while (known->element && !soa_xml_is(element, known->element)) {
        known++;
    }
    for (int i = 0; known->element && i < element->attributes; i++) {
        const char *name = element->attribute[i].name;
        if (!(prefixed && strchr(name, ':')) && !soa_is_word_of(name, known->attributes)) {
            tally->attribute = tally->count == 0 ? name : tally->attribute;
            soa_xml_count(tally, element);
        }
    }
}

/* ---- failures --------------------------------------------------------------------- */

/* Bytes of text to show: at most `most`, whole UTF-8 characters. */
static int shown(const char *text, int most)
{
    const size_t length = strlen(text);
    if (length <= (size_t)most) {
        return (int)length;
    }
    int n = most;
    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) {
        n--;
    }
    return n;
}

static const char *ellipsis(const char *text, int most)
{
    return strlen(text) > (size_t)most ? "..." : "";
}

/* "joint 'elbow'", or "joint 'elbow': axis" for an element without a name. */
static void describe(const soa_xml *element, char *buffer, size_t size)
{
    const soa_xml *named = element;
    while (named->parent && named->parent->parent && !soa_xml_get(named, "name")) {
        named = named->parent;
    }
    const char *name = soa_xml_get(named, "name");
    const int element_n = shown(element->name, SHOWN_NAME);
    if (!name) {
        snprintf(buffer, size, "<%.*s>", element_n, element->name);
        return;
    }
    const int written = snprintf(buffer, size, "%.*s '%.*s%s'", shown(named->name, SHOWN_NAME), named->name,
        shown(name, SHOWN_NAME), name, ellipsis(name, SHOWN_NAME));
    if (named != element && written > 0 && (size_t)written < size) {
        snprintf(buffer + written, size - (size_t)written, ": %.*s", element_n, element->name);
    }
}

void soa_xml_fail(const soa_xml *element, soa_status status, const char *format, ...)
{
    char place[256];
    char text[SOA_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    describe(element, place, sizeof place);
    soa_halt(element->outcome, status, element->file, element->line, "%s: %s", place, text);
}

/* ---- numbers ---------------------------------------------------------------------- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_space(const char *text)
{
    while (is_space(*text)) {
        text++;
    }
    return text;
}

/* Why the word at `word` is no number. */
static const char *reason(const char *word)
{
    const size_t length = strcspn(word, " \t\n\r");
    if (memchr(word, '$', length)) {
        return "is not a number; this looks like xacro: expand it first";
    }
    if (memchr(word, ',', length)) {
        return "is not a number; write a decimal point, and spaces between numbers";
    }
    if (strspn(word, "+-.0123456789eE") == length && strcspn(word, "0123456789") < length && length > 1) {
        double value;
        return soa_number_read(word, &value) ? "is not a number" : "is out of range";
    }
    return "is not a plain decimal number";
}

static void fail_word(const soa_xml *element, const char *attribute, const char *word)
{
    const int length = (int)strcspn(word, " \t\n\r");
    const int n = length <= SHOWN_VALUE ? length : shown(word, SHOWN_VALUE);
    soa_xml_fail(element, SOA_E_NUMBER, "%s=\"%.*s%s\" %s", attribute, n, word, n < length ? "..." : "", reason(word));
}

/* How many numbers there are in the element itself, -1: what is there is none. Those from the number `from` on and up to `most`
 * are kept. */
static int read_numbers(const soa_xml *element, const char *attribute, int from, int most, double *values)
{
    int count = 0;
    const char *text = soa_xml_get(element, attribute);
    for (const char *s = skip_space(text ? text : ""); *s; s = skip_space(s)) {
        double value;
        const char *end = soa_number_read(s, &value);
        if (!end || (*end && !is_space(*end))) {
            fail_word(element, attribute, s);
            return -1;
        }
        if (count >= from && count < most) {
            values[count] = value;
        }
        count++;
        s = end;
    }
    return count;
}

bool soa_xml_numbers(const soa_xml *element, const char *attribute, int count, double *values)
{
    const soa_xml *x = soa_xml_where(element, attribute);
    const int n = x ? read_numbers(x, attribute, 0, count, values) : count;
    if (n != count && n >= 0) {
        soa_xml_fail(x, SOA_E_SYNTAX, "%s: %d number%s wanted, %d found", attribute, count, count == 1 ? "" : "s", n);
    }
    return x != NULL;
}

bool soa_xml_number(const soa_xml *element, const char *attribute, double *value)
{
    return soa_xml_numbers(element, attribute, 1, value);
}

int soa_xml_numbers_up_to(const soa_xml *element, const char *attribute, int most, double *values)
{
    int count = 0;
    for (const soa_xml *x = element; x && (count < most || x == element); x = x->older) {
        const int n = read_numbers(x, attribute, count, most, values);
        if (n > most) {
            soa_xml_fail(x, SOA_E_SYNTAX, "%s: at most %d numbers wanted, %d found", attribute, most, n);
        }
        count = n > count ? n : count;
    }
    return count;
}

bool soa_xml_boolean(const soa_xml *element, const char *attribute, bool *value)
{
    const soa_xml *x = soa_xml_where(element, attribute);
    const char *text = x ? soa_xml_get(x, attribute) : NULL;
    if (x && strcmp(text, "true") != 0 && strcmp(text, "1") != 0 && strcmp(text, "false") != 0 &&
        strcmp(text, "0") != 0) {
        soa_xml_fail(
            x, SOA_E_SYNTAX, "%s=\"%.*s\" is neither true nor false", attribute, shown(text, SHOWN_VALUE), text);
    } else if (x) {
        *value = text[0] == 't' || text[0] == '1';
    }
    return x != NULL;
}

int soa_xml_word(const soa_xml *element, const char *attribute, const char *const *words, int usual)
{
    const soa_xml *x = soa_xml_where(element, attribute);
    const char *text = x ? soa_xml_get(x, attribute) : NULL;
    for (int i = 0; x && words[i]; i++) {
        if (strcmp(words[i], text) == 0) {
            return i;
        }
    }
    if (x) {
        soa_xml_fail(x, SOA_E_SYNTAX, "%s=\"%.60s\" is none of its values (such as \"%s\")", attribute, text, words[0]);
    }
    return usual;
}
