/* io/yaml_flow.c - pieces of a YAML text: words, numbers and flow mappings {key: value, ...}. */
#include "io/yaml_flow.h"

#include <math.h>
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

void soa_flow_word(soa_yaml_flow *f, const char *word)
{
    soa_text *text = f->text;
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

/* ---- values and mappings ------------------------------------------------------------ */

bool soa_same_bits(const double *a, const double *b, int n)
{
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static bool all_finite(const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}

void soa_flow_numbers(soa_yaml_flow *f, const double *x, int n)
{
    soa_text_add(f->text, "[");
    for (int i = 0; i < n; i++) {
        soa_text_add(f->text, "%s", i > 0 ? ", " : "");
        soa_text_number(f->text, x[i]);
    }
    soa_text_add(f->text, "]");
}

void soa_flow_begin(soa_yaml_flow *f)
{
    soa_text_add(f->text, "{");
    f->first = true;
}

void soa_flow_end(soa_yaml_flow *f)
{
    soa_text_add(f->text, "}");
    f->first = false;
}

void soa_flow_key(soa_yaml_flow *f, const char *name)
{
    soa_text_add(f->text, "%s%s: ", f->first ? "" : ", ", name);
    f->first = false;
}

void soa_flow_key_word(soa_yaml_flow *f, const char *name, const char *value)
{
    if (value) {
        soa_flow_key(f, name);
        soa_flow_word(f, value);
    }
}

void soa_flow_key_list(soa_yaml_flow *f, const char *name, const double *x, int n)
{
    soa_flow_key(f, name);
    soa_flow_numbers(f, x, n);
}

void soa_flow_key_true(soa_yaml_flow *f, const char *name, bool flag)
{
    if (flag) {
        soa_flow_key(f, name);
        soa_text_add(f->text, "true");
    }
}

/* x if it is not the default and has a value. */
void soa_flow_key_numbers(soa_yaml_flow *f, const char *name, const double *x, const double *usual, int n)
{
    if (!soa_same_bits(x, usual, n) && all_finite(x, n)) {
        soa_flow_key(f, name);
        if (n == 1) {
            soa_text_number(f->text, *x);
        } else {
            soa_flow_numbers(f, x, n);
        }
    }
}

void soa_flow_key_pose(soa_yaml_flow *f, const char *name, const soa_pose *pose)
{
    const soa_pose identity = soa_pose_identity();
    if (memcmp(pose, &identity, sizeof identity) == 0) {
        return;
    }
    soa_flow_key(f, name);
    soa_flow_begin(f);
    soa_flow_key_numbers(f, "xyz", pose->position, identity.position, 3);
    soa_flow_key_numbers(f, "rotation", pose->rotation[0], identity.rotation[0], 9);
    soa_flow_end(f);
}

void soa_flow_key_node(soa_yaml_flow *f, const char *name, int node)
{
    if (node != SOA_LINK_FRAME) {
        soa_flow_key(f, name);
        soa_text_add(f->text, "%d", node);
    }
}

void soa_flow_item(soa_yaml_flow *f, const char *list, int i)
{
    if (i == 0) {
        soa_text_add(f->text, "%s:\n", list);
    }
    soa_text_add(f->text, "  - ");
    soa_flow_begin(f);
}
