/* csv.c - results of soa compute as lines of numbers with commas.
 *
 * A column per number: the field and where it stands in it, "mass.0.1"; numbers of joints by their names, "q.elbow". */
#include <string.h>

#include "compute.h"

/* What is written of a result: its names, or its values. */
typedef struct line {
    const tool_csv *csv;
    bool names;
    size_t columns;
} line;

/* In quotes where it needs them. */
static void put_text(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\n\r") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    }
    fputc('"', out);
}

static void put_cell(line *l, const char *name, const json_t *value)
{
    FILE *out = l->csv->out;
    fputs(l->columns++ > 0 ? "," : "", out);
    if (l->names) {
        put_text(out, name);
    } else if (json_is_integer(value)) {
        fprintf(out, "%lld", (long long)json_integer_value(value));
    } else if (json_is_real(value)) {
        fprintf(out, "%.17g", json_real_value(value));
    } else if (json_is_boolean(value)) {
        fputs(json_is_true(value) ? "1" : "0", out);
    } else if (json_is_string(value)) {
        put_text(out, json_string_value(value));
    }
}

/* Name of number i of q, or of a field with a number per velocity; NULL: it has none. */
static const char *joint_column(const line *l, const char *field, size_t count, int i)
{
    static const char *const BY_VELOCITY[] = { "v", "tau_in", "vdot_in", "vdot", "tau" };
    const soa_model *model = l->csv->model;
    if (strcmp(field, "q") == 0 && (int)count == soa_model_nq(model)) {
        for (int k = 0; k < soa_model_bodies(model); k++) {
            const soa_body body = soa_model_body(model, k);
            if (i >= body.q && i < body.q + body.nq) {
                const bool several = body.nq > 1 || body.flexible;
                const char *name = tool_body_joint(model, &body);
                return several ? tool_text("%s.%d", name, i - body.q) : name;
            }
        }
    }
    for (size_t k = 0; k < sizeof BY_VELOCITY / sizeof BY_VELOCITY[0]; k++) {
        if (strcmp(field, BY_VELOCITY[k]) == 0 && (int)count == soa_model_nv(model)) {
            return tool_velocity_name(model, i);
        }
    }
    return NULL;
}

/* Lists in lists are at most three deep: the depth of the recursion is that of our own results. */
static void put_value(line *l, const char *name, json_t *value)
{
    char text[2 * SOA_MAX_NAME];
    if (json_is_array(value)) {
        const size_t count = json_array_size(value);
        for (size_t i = 0; i < count; i++) {
            const char *column = joint_column(l, name, count, (int)i);
            snprintf(text, sizeof text, "%.900s.%s", name, column != NULL ? column : tool_text("%zu", i));
            put_value(l, text, json_array_get(value, i));
        }
    } else if (json_is_object(value)) {
        const char *key;
        json_t *member;
        json_object_foreach(value, key, member)
        {
            snprintf(text, sizeof text, "%.900s%s%.1000s", name, name[0] != '\0' ? "." : "", key);
            put_value(l, text, member);
        }
    } else {
        put_cell(l, name, value);
    }
}

void tool_csv_row(tool_csv *csv, json_t *result)
{
    line names = { csv, true, 0 }, values = { csv, false, 0 };
    if (csv->columns == 0) {
        put_value(&names, "", result);
        fputc('\n', csv->out);
        csv->columns = names.columns;
    }
    put_value(&values, "", result);
    fputc('\n', csv->out);
    json_decref(result);
    if (values.columns != csv->columns) {
        tool_fail("the states have different numbers of results, which a table cannot hold; write JSON");
    }
}
