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
    while (element && strcmp(element->name, name) != 0) {
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

const char *soa_xml_get(const soa_xml *element, const char *attribute)
{
    for (int i = 0; i < element->attributes; i++) {
        if (strcmp(element->attribute[i].name, attribute) == 0) {
            return element->attribute[i].value;
        }
    }
    return NULL;
}

soa_source soa_xml_source(const soa_xml *element)
{
    return (soa_source){ element->file, element->line };
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

soa_status soa_xml_fail(const soa_xml *element, soa_status status, soa_error *error, const char *format, ...)
{
    char place[256];
    char text[SOA_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    describe(element, place, sizeof place);
    return soa_fail_at(error, status, element->file, element->line, "%s: %s", place, text);
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

static soa_status fail_word(const soa_xml *element, const char *attribute, const char *word, soa_error *error)
{
    const int length = (int)strcspn(word, " \t\n\r");
    const int n = length <= SHOWN_VALUE ? length : shown(word, SHOWN_VALUE);
    return soa_xml_fail(
        element, SOA_E_NUMBER, error, "%s=\"%.*s%s\" %s", attribute, n, word, n < length ? "..." : "", reason(word));
}

/* How many numbers there are; those beyond `most` are counted, not kept. */
static soa_status read_numbers(
    const soa_xml *element, const char *attribute, int most, double *values, int *count, soa_error *error)
{
    *count = 0;
    const char *text = soa_xml_get(element, attribute);
    for (const char *s = skip_space(text ? text : ""); *s; s = skip_space(s)) {
        double value;
        const char *end = soa_number_read(s, &value);
        if (!end || (*end && !is_space(*end))) {
            return fail_word(element, attribute, s, error);
        }
        if (*count < most) {
            values[*count] = value;
        }
        ++*count;
        s = end;
    }
    return SOA_OK;
}

soa_status soa_xml_numbers(
    const soa_xml *element, const char *attribute, int count, double *values, bool *found, soa_error *error)
{
    const bool there = soa_xml_get(element, attribute) != NULL;
    if (found) {
        *found = there;
    }
    if (!there) {
        return SOA_OK;
    }
    int n;
    const soa_status status = read_numbers(element, attribute, count, values, &n, error);
    if (status == SOA_OK && n != count) {
        return soa_xml_fail(element, SOA_E_SYNTAX, error, "%s: %d number%s wanted, %d found", attribute, count,
            count == 1 ? "" : "s", n);
    }
    return status;
}

soa_status soa_xml_number(const soa_xml *element, const char *attribute, double *value, bool *found, soa_error *error)
{
    return soa_xml_numbers(element, attribute, 1, value, found, error);
}

soa_status soa_xml_numbers_up_to(
    const soa_xml *element, const char *attribute, int most, double *values, int *count, soa_error *error)
{
    const soa_status status = read_numbers(element, attribute, most, values, count, error);
    if (status == SOA_OK && *count > most) {
        return soa_xml_fail(
            element, SOA_E_SYNTAX, error, "%s: at most %d numbers wanted, %d found", attribute, most, *count);
    }
    return status;
}

soa_status soa_xml_boolean(const soa_xml *element, const char *attribute, bool *value, bool *found, soa_error *error)
{
    const char *text = soa_xml_get(element, attribute);
    if (found) {
        *found = text != NULL;
    }
    if (!text) {
        return SOA_OK;
    }
    if (strcmp(text, "true") == 0 || strcmp(text, "1") == 0) {
        *value = true;
    } else if (strcmp(text, "false") == 0 || strcmp(text, "0") == 0) {
        *value = false;
    } else {
        return soa_xml_fail(element, SOA_E_SYNTAX, error, "%s=\"%.*s\" is neither true nor false", attribute,
            shown(text, SHOWN_VALUE), text);
    }
    return SOA_OK;
}
