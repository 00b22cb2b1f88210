/* io/xml_write.c - attributes of XML elements as text. */
#include "io/xml_write.h"

#include <string.h>

#include "core/error.h"

/* XML 1.0 knows no control characters but tab and line end. */
static bool is_sayable(const char *value)
{
    int length;
    for (unsigned code; *value; value += length) {
        length = soa_utf8_decode(value, &code);
        if (length == 0 || (code < 0x20 && code != '\t' && code != '\n' && code != '\r') || code == 0xfffe ||
            code == 0xffff) {
            return false;
        }
    }
    return true;
}

void soa_xml_write_text(soa_text *text, const char *value)
{
    if (!is_sayable(value)) {
        soa_text_cannot(text, value);
        return;
    }
    while (*value) {
        const size_t plain = strcspn(value, "&<>\"\t\n\r");
        soa_text_add(text, "%.*s", (int)plain, value);
        value += plain;
        if (*value) {
            soa_text_add(text, "&#%d;", *value++);
        }
    }
}

void soa_xml_write_attribute(soa_text *text, const char *name, const char *value)
{
    soa_text_add(text, " %s=\"", name);
    soa_xml_write_text(text, value);
    soa_text_add(text, "\"");
}

void soa_xml_write_numbers(soa_text *text, const char *name, int count, const double *value)
{
    soa_text_add(text, " %s=\"", name);
    for (int i = 0; i < count; i++) {
        soa_text_add(text, "%s", i == 0 ? "" : " ");
        soa_text_number(text, value[i] == 0.0 ? 0.0 : value[i]);
    }
    soa_text_add(text, "\"");
}
