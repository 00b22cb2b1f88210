/* json.c - JSON output, one item of a list at a time. */
#include <math.h>
#include <string.h>

#include "json.h"
#include "tool.h"

#define FORM (JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY)

json_writer json_begin(FILE *out)
{
    fputc('{', out);
    return (json_writer){ .out = out };
}

/* A full disk is no failure here: who closes the file says it. */
static void put_value(json_writer *writer, json_t *value)
{
    (void)json_dumpf(value, writer->out, FORM);
    json_decref(value);
}

/* `name` is one of ours and needs no escapes. */
void json_field(json_writer *writer, const char *name, json_t *value)
{
    fprintf(writer->out, "%s\n  \"%s\": ", writer->item ? "," : "", name);
    put_value(writer, value);
    writer->item = true;
}

void json_list(json_writer *writer, const char *name)
{
    fprintf(writer->out, "%s\n  \"%s\": [", writer->item ? "," : "", name);
    writer->item = false;
}

void json_item(json_writer *writer, json_t *value)
{
    fprintf(writer->out, "%s\n    ", writer->item ? "," : "");
    put_value(writer, value);
    writer->item = true;
}

void json_list_end(json_writer *writer)
{
    fputs(writer->item ? "\n  ]" : "]", writer->out);
    writer->item = true;
}

void json_end(json_writer *writer)
{
    fputs("\n}\n", writer->out);
}

void json_set(json_t *object, const char *name, json_t *value)
{
    (void)json_object_set_new(object, name, value);
}

void json_add(json_t *list, json_t *value)
{
    (void)json_array_append_new(list, value);
}

json_t *json_text(const char *text)
{
    if (text == NULL) {
        return json_null();
    }
    json_t *value = json_string(text);
    char *ascii = value == NULL ? tool_copy(text) : NULL;
    for (char *c = ascii; c != NULL && *c != '\0'; c++) {
        *c = (unsigned char)*c < 0x80 ? *c : '?';
    }
    return value == NULL ? json_string(ascii) : value;
}

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_numbers(const double *value, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        json_add(list, json_number(value[i]));
    }
    return list;
}

json_t *json_pair(int first, int count)
{
    return json_pack("[i, i]", first, count);
}

json_t *json_pose(const soa_pose *pose)
{
    return json_pack("{s:o, s:[o, o, o]}", "position", json_numbers(pose->position, 3), "rotation",
        json_numbers(pose->rotation[0], 3), json_numbers(pose->rotation[1], 3), json_numbers(pose->rotation[2], 3));
}
