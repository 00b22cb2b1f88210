/* io/xml_write.c - attributes of XML elements as text. */
#include "io/xml_write.h"

#include <string.h>

void soa_xml_write_text(soa_text *text, const char *value)
{
    static const char special[] = "&<>\"\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13"
                                  "\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f";
    while (*value) {
        const size_t plain = strcspn(value, special);
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
