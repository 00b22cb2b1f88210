/* numbers.c - numbers of a state on the command line: --q 0.1,0.2 or --q JOINT=0.1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"

int tool_read_numbers(const char *option, const char *text, int most, double *to)
{
    int n = 0;
    for (const char *at = text; *at != '\0' || (n == 0 && most > 0); n++) {
        char *end;
        const double x = strtod(at, &end);
        if (end == at || !isfinite(x) || (*end != ',' && *end != '\0') || (*end == ',' && end[1] == '\0')) {
            tool_fail("--%s '%s': '%.*s' is not a number; write finite numbers with commas, such as 0,0.5,1", option,
                text, (int)strcspn(at, ","), at);
        }
        if (n < most) {
            to[n] = x;
        }
        at = *end == ',' ? end + 1 : end;
    }
    return n;
}

const soa_configuration *tool_find_configuration(const soa_model *model, const char *name)
{
    for (int i = 0; i < soa_model_configurations(model); i++) {
        if (strcmp(soa_model_configuration(model, i)->name, name) == 0) {
            return soa_model_configuration(model, i);
        }
    }
    return NULL;
}

/* JOINT=X, or JOINT=X:Y:Z for a joint with several numbers; with commas between them. */
static void read_named(const tool_states *s, int array, const char *text, double *to)
{
    while (*text != '\0') {
        char name[SOA_MAX_NAME + 1], value[SOA_MAX_NAME + 1];
        soa_error error;
        soa_body body;
        const size_t length = strcspn(text, "="), rest = strcspn(text + length, ",");
        if (text[length] == '\0' || length > SOA_MAX_NAME || rest > SOA_MAX_NAME) {
            tool_fail("--%s '%s': write JOINT=NUMBER with commas between them", TOOL_ARRAY[array], text);
        }
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        snprintf(value, sizeof value, "%.*s", (int)rest - 1, text + length + 1);
        if (soa_model_find_body(s->model, name, &body, &error) != SOA_OK) {
            tool_fail("--%s: %s", TOOL_ARRAY[array], error.text);
        }
        const int size = array == TOOL_Q ? body.nq : body.nv;
        for (char *c = value; *c != '\0'; c++) {
            *c = *c == ':' ? ',' : *c;
        }
        const int n = tool_read_numbers(TOOL_ARRAY[array], value, size, to + (array == TOOL_Q ? body.q : body.v));
        if (n != size) {
            const char *zeros = "0";
            for (int i = 1; i < size; i++) {
                zeros = tool_text("%s:0", zeros);
            }
            tool_fail(
                "--%s: joint '%s' has %d numbers; write them as %s=%s", TOOL_ARRAY[array], name, size, name, zeros);
        }
        text += length + rest;
        text += *text == ',';
    }
}

/* --q and the like: all numbers, or some by name. */
void tool_read_option(const tool_states *s, int array, double *to)
{
    const char *text = tool_value(s->call, TOOL_ARRAY[array]);
    const int size = tool_states_size(s, array);
    if (text != NULL && strchr(text, '=') != NULL) {
        read_named(s, array, text, to);
    }
    if (text == NULL || strchr(text, '=') != NULL) {
        return;
    }
    if (array == TOOL_Q && tool_find_configuration(s->model, text) != NULL) {
        tool_fail("--q '%s' is a configuration of the model; write --from %s", text, text);
    }
    if (size > 0 && strpbrk(text, "0123456789") == NULL) {
        tool_fail("--%s '%s' has no numbers; write %d numbers with commas, or JOINT=NUMBER for some%s",
            TOOL_ARRAY[array], text, size, array == TOOL_Q ? "; a named configuration is --from NAME" : "");
    }
    const int n = tool_read_numbers(TOOL_ARRAY[array], text, size, to);
    if (n != size) {
        tool_fail(
            "--%s has %d numbers; the model needs %d, or write JOINT=NUMBER for some", TOOL_ARRAY[array], n, size);
    }
}
