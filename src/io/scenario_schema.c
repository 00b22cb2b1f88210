/* io/scenario_schema.c - a JSON schema of scenario files, for editors: written from the keys that the readers know. */
#include "core/error.h"
#include "io/reader.h"
#include "io/scenario_keys.h"
#include "soa/scenario.h"

static const char *const FORM[SOA_FORMS] = {
#define ROW(name, schema) [SOA_FORM_##name] = (schema),
    SOA_FORM_LIST(ROW)
#undef ROW
};

static void put_form(soa_text *text, soa_form form)
{
    const char *const *words = soa_form_words(form);
    if (!words) {
        soa_text_add(text, "%s}", FORM[form]);
        return;
    }
    for (int i = 0; words[i]; i++) {
        soa_text_add(text, "%s\"%s\"", i == 0 ? "\"enum\": [" : ", ", words[i]);
    }
    soa_text_add(text, "]}");
}

static bool has(int i, soa_section section, int kind)
{
    return SOA_SCENARIO_KEY[i].section == section && (SOA_SCENARIO_KEY[i].kinds >> kind & 1u) != 0;
}

/* The properties of a mapping; of one kind if it has kinds. */
static void put_mapping(soa_text *text, soa_section section, int kind, const char *indent)
{
    const char *comma = "";
    soa_text_add(text, "\"type\": \"object\", \"additionalProperties\": false, \"required\": [");
    for (int i = 0; i < SOA_SCENARIO_KEYS; i++) {
        if (has(i, section, kind) && SOA_SCENARIO_KEY[i].needed) {
            soa_text_add(text, "%s\"%s\"", comma, SOA_SCENARIO_KEY[i].key);
            comma = ", ";
        }
    }
    soa_text_add(text, "],\n%s\"properties\": {", indent);
    comma = "";
    for (int i = 0; i < SOA_SCENARIO_KEYS; i++) {
        const soa_scenario_key *k = &SOA_SCENARIO_KEY[i];
        if (!has(i, section, kind)) {
            continue;
        }
        soa_text_add(text, "%s\n%s  \"%s\": {\"description\": \"%s\", ", comma, indent, k->key, k->meaning);
        if (k->form == SOA_FORM_KIND) {
            soa_text_add(text, "\"const\": \"%s\"}", soa_section_kind(section, kind));
        } else {
            put_form(text, k->form);
        }
        comma = ",";
    }
    soa_text_add(text, "}");
}

static void put_section(soa_text *text, soa_section section)
{
    if (section == SOA_SECTION_PLACE) {
        soa_text_add(text, "{\"anyOf\": [{\"type\": \"string\"}, {");
        put_mapping(text, section, 0, "      ");
        soa_text_add(text, "}]}");
        return;
    }
    soa_text_add(text, "{");
    if (soa_section_kinds(section) == 0) {
        put_mapping(text, section, 0, "      ");
    } else {
        soa_text_add(text, "\"oneOf\": [");
        for (int k = 0; k < soa_section_kinds(section); k++) {
            soa_text_add(text, "%s\n      {", k == 0 ? "" : ",");
            put_mapping(text, section, k, "       ");
            soa_text_add(text, "}");
        }
        soa_text_add(text, "]");
    }
    soa_text_add(text, "}");
}

soa_status soa_scenario_schema(const soa_allocator *allocator, char **schema, soa_error *error)
{
    soa_error_clear(error);
    if (!schema) {
        return soa_fail_null(error, "the schema");
    }
    const soa_allocator memory = allocator ? *allocator : soa_allocator_default();
    soa_text text = soa_text_on(&memory);
    *schema = NULL;
    soa_text_add(&text, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                        "  \"title\": \"soa scenario\",\n  ");
    put_mapping(&text, SOA_SECTION_ROOT, 0, "  ");
    soa_text_add(&text, ",\n  \"$defs\": {\n    \"method\": {\"enum\": [");
    for (int i = 0; i < SOA_METHODS; i++) {
        soa_text_add(&text, "%s\"%s\"", i == 0 ? "" : ", ", soa_sim_method_text((soa_sim_method)i));
    }
    soa_text_add(&text, "]}");
    for (int s = SOA_SECTION_ROOT + 1; s < SOA_SECTIONS; s++) {
        soa_text_add(&text, ",\n    \"%s\": ", soa_section_text((soa_section)s));
        put_section(&text, (soa_section)s);
    }
    soa_text_add(&text, "\n  }\n}\n");
    size_t length;
    return soa_text_give(&text, SOA_OK, schema, &length, error);
}
