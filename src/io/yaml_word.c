/* io/yaml_word.c - names as YAML scalars. */
#include "io/yaml_word.h"

#include <string.h>
#include <strings.h>

#include "core/error.h"

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* A letter, then letters, digits, and . / - ; and not what YAML takes for something else. */
static bool is_plain(const char *word)
{
    static const char *const taken[] = { "true", "false", "yes", "no", "on", "off", "null", "none", "y", "n" };
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        if (strcasecmp(word, taken[i]) == 0) {
            return false;
        }
    }
    if (!is_letter(*word)) {
        return false;
    }
    for (; *word; word++) {
        if (!is_letter(*word) && !(*word >= '0' && *word <= '9') && !strchr("./-", *word)) {
            return false;
        }
    }
    return true;
}

/* Control characters, other spaces and line ends than ' ', and what readers refuse. */
static bool needs_escape(unsigned code)
{
    return code < 0x20 || (code >= 0x7f && code <= 0xa0) || code == 0x2028 || code == 0x2029 || code == 0xfeff ||
           (code & 0xfffe) == 0xfffe;
}

void soa_yaml_word(soa_text *text, const char *word)
{
    if (is_plain(word)) {
        soa_text_add(text, "%s", word);
        return;
    }
    soa_text_add(text, "\"");
    for (const char *s = word; *s;) {
        unsigned code;
        const int length = soa_utf8_decode(s, &code);
        if (length == 0) {
            soa_text_cannot(text, word);
            return;
        }
        if (code == '"' || code == '\\') {
            soa_text_add(text, "\\%c", (char)code);
        } else if (needs_escape(code)) {
            soa_text_add(text, code < 0x100 ? "\\x%02x" : code < 0x10000 ? "\\u%04x" : "\\U%08x", code);
        } else {
            soa_text_add(text, "%.*s", length, s);
        }
        s += length;
    }
    soa_text_add(text, "\"");
}
