/* io/scenario_keys.c - the keys of a scenario as a table, and what the readers ask of it. */
#include "io/scenario_keys.h"

#include <stddef.h>

const soa_scenario_key SOA_SCENARIO_KEY[SOA_SCENARIO_KEYS] = {
#define ROW(section, key, form, needed, kinds, meaning) \
    { SOA_SECTION_##section, key, SOA_FORM_##form, needed, kinds, meaning },
#define FORCE_ROW(key, form, field, kinds, meaning) { SOA_SECTION_FORCE, key, SOA_FORM_##form, false, kinds, meaning },
    SOA_SCENARIO_KEY_LIST(ROW) SOA_FORCE_KEY_LIST(FORCE_ROW)
#undef FORCE_ROW
#undef ROW
};

soa_status soa_scenario_expect(soa_yaml *mapping, soa_section section, int kind, soa_error *error)
{
    static const char *const word[] = {
#define ROW(name, text, kinds) text,
        SOA_SECTION_LIST(ROW)
#undef ROW
    };
    const bool nameless = section == SOA_SECTION_PLACE || section == SOA_SECTION_WHEN || section == SOA_SECTION_ACTION;
    const char *keys[SOA_SCENARIO_KEYS + 1];
    int count = 0;
    for (int i = 0; i < SOA_SCENARIO_KEYS; i++) {
        if (SOA_SCENARIO_KEY[i].section == section && (SOA_SCENARIO_KEY[i].kinds >> kind & 1u) != 0) {
            keys[count++] = SOA_SCENARIO_KEY[i].key;
        }
    }
    keys[count] = NULL;
    return soa_yaml_expect(mapping, nameless ? NULL : word[section], keys, error);
}
