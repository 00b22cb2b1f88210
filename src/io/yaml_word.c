/* io/yaml_word.c - names as YAML scalars. */
#include "io/yaml_word.h"

#include <string.h>
#include <strings.h>

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

/* Reads one character of UTF-8; its length in bytes, 0 if it is not one. */
static int decode(const unsigned char *s, unsigned *code)
{
    static const unsigned least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const int length = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc0 ? 2 : 0;
    if (length <= 1) {
        *code = s[0];
        return length;
    }
    *code = s[0] & (0x7fu >> length);
    for (int i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
        *code = *code << 6 | (s[i] & 0x3fu);
    }
    const bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < least[length] || *code > 0x10ffff || surrogate || s[0] >= 0xf8 ? 0 : length;
}

/* Control characters, other spaces and line ends than ' ', and what readers refuse. */
static bool needs_escape(unsigned code)
{
    return code < 0x20 || (code >= 0x7f && code <= 0xa0) || code == 0x2028 || code == 0x2029 || code == 0xfeff ||
           (code & 0xfffe) == 0xfffe;
}

bool soa_yaml_word(soa_text *text, const char *word)
{
    if (is_plain(word)) {
        soa_text_add(text, "%s", word);
        return true;
    }
    soa_text_add(text, "\"");
    for (const unsigned char *s = (const unsigned char *)word; *s;) {
        unsigned code;
        const int length = decode(s, &code);
        if (length == 0) {
            return false;
        }
        if (code == '"' || code == '\\') {
            soa_text_add(text, "\\%c", (char)code);
        } else if (needs_escape(code)) {
            soa_text_add(text, code < 0x100 ? "\\x%02x" : code < 0x10000 ? "\\u%04x" : "\\U%08x", code);
        } else {
            soa_text_add(text, "%.*s", length, (const char *)s);
        }
        s += length;
    }
    soa_text_add(text, "\"");
    return true;
}
