/* io/scenario_keys.c - the keys of a scenario as a table, and what the readers ask of it. */
#include "io/scenario_keys.h"

#include <stddef.h>

#include "io/scenario.h"

const soa_scenario_key SOA_SCENARIO_KEY[SOA_SCENARIO_KEYS] = {
#define ROW(section, key, form, needed, kinds, into, meaning) \
    { SOA_SECTION_##section, key, SOA_FORM_##form, needed, kinds, into, meaning },
    SOA_SCENARIO_KEY_LIST(ROW)
#undef ROW
};

const char *const *soa_form_words(soa_form form)
{
    enum { MOST_WORDS = 5 };
    static const char *const words[SOA_FORMS][MOST_WORDS] = {
#define ROW(name, ...) [SOA_FORM_##name] = { __VA_ARGS__, NULL },
        SOA_WORDS_LIST(ROW)
#undef ROW
    };
    return words[form][0] ? words[form] : NULL;
}

/* ---- sections ------------------------------------------------------------------------------------ */

static const struct {
    const char *text;
    int kinds;
} SECTION[] = {
#define ROW(name, text, kinds) { text, kinds },
    SOA_SECTION_LIST(ROW)
#undef ROW
};

const char *soa_section_text(soa_section section)
{
    return SECTION[section].text;
}

int soa_section_kinds(soa_section section)
{
    return SECTION[section].kinds;
}

const char *soa_section_kind(soa_section section, int kind)
{
    switch (section) {
    case SOA_SECTION_FORCE:
        return soa_force_kind_text((soa_force_kind)kind);
    case SOA_SECTION_SENSOR:
        return soa_sensor_kind_text((soa_sensor_kind)kind);
    case SOA_SECTION_CONTROLLER:
        return soa_controller_kind_text((soa_controller_kind)kind);
    default:
        return soa_actuator_kind_text((soa_actuator_kind)kind);
    }
}

int soa_scenario_kind(soa_yaml *node, soa_section section)
{
    const char *list[SOA_FORCE_KINDS + 1] = { NULL };
    for (int i = 0; i < SECTION[section].kinds; i++) {
        list[i] = soa_section_kind(section, i);
    }
    node->what = SECTION[section].text;
    if (node->kind != SOA_YAML_MAPPING) {
        soa_yaml_fail(
            node, SOA_E_SYNTAX, "each %s is a mapping such as {kind: %s, ...}", SECTION[section].text, list[0]);
    }
    soa_yaml_need_text(node, "kind");
    return soa_yaml_word(node, "kind", list, 0);
}

/* ---- mappings ------------------------------------------------------------------------------------ */

static bool has(int key, soa_section section, int kind)
{
    return SOA_SCENARIO_KEY[key].section == section && (SOA_SCENARIO_KEY[key].kinds >> kind & 1u) != 0;
}

void soa_scenario_expect(soa_yaml *mapping, soa_section section, int kind)
{
    const bool nameless = section == SOA_SECTION_PLACE || section == SOA_SECTION_WHEN || section == SOA_SECTION_ACTION;
    const char *keys[SOA_SCENARIO_KEYS + 1];
    int count = 0;
    for (int i = 0; i < SOA_SCENARIO_KEYS; i++) {
        if (has(i, section, kind)) {
            keys[count++] = SOA_SCENARIO_KEY[i].key;
        }
    }
    keys[count] = NULL;
    soa_yaml_expect(mapping, nameless ? NULL : SECTION[section].text, keys);
}

static void read_positive(const soa_yaml *mapping, const char *key, double *x)
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    soa_yaml_number(mapping, key, x);
    if (value && !(*x > 0.0)) {
        soa_yaml_fail(value, SOA_E_NUMBER, "'%s' must be positive", key);
    }
}

/* A number for both, or two. */
static void read_pair(const soa_yaml *mapping, const char *key, double x[2])
{
    const soa_yaml *value = soa_yaml_get(mapping, key);
    if (value && value->kind == SOA_YAML_SCALAR) {
        soa_yaml_as_number(value, &x[0]);
        x[1] = x[0];
    } else {
        soa_yaml_numbers(mapping, key, 2, x);
    }
}

static void read_key(const soa_yaml *mapping, const soa_scenario_key *k, void *member)
{
    switch (k->form) {
    case SOA_FORM_TEXT:
        if (k->needed) {
            soa_yaml_need_text(mapping, k->key);
        }
        soa_yaml_text(mapping, k->key, member);
        break;
    case SOA_FORM_POSITIVE:
        read_positive(mapping, k->key, member);
        break;
    case SOA_FORM_YES:
        soa_yaml_boolean(mapping, k->key, member);
        break;
    case SOA_FORM_PAIR:
        read_pair(mapping, k->key, member);
        break;
    case SOA_FORM_THREE:
        soa_yaml_numbers(mapping, k->key, 3, member);
        break;
    default:
        soa_yaml_number(mapping, k->key, member);
    }
}

void soa_scenario_read(soa_yaml *mapping, soa_section section, int kind, void *to)
{
    soa_scenario_expect(mapping, section, kind);
    for (int i = 0; i < SOA_SCENARIO_KEYS; i++) {
        const soa_scenario_key *k = &SOA_SCENARIO_KEY[i];
        if (has(i, section, kind) && k->into != SOA_NOWHERE) {
            read_key(mapping, k, (char *)to + k->into);
        }
    }
}
