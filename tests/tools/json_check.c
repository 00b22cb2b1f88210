/* Reads one JSON text strictly from standard input and compares parts of it:
 *
 *     json_check bodies=7 mass~25 name:arm7 joints.0.name:joint1
 *
 * PATH=N    the list at PATH has N items, or the integer there is N
 * PATH~X    the number there is X to a part in 1000
 * PATH:TEXT the text there is TEXT ("null" for null)
 * Prints what differs and exits 1; 2 when the text is not JSON. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const json_t *follow(const json_t *at, char *path)
{
    for (char *step = strtok(path, "."); step != NULL && at != NULL; step = strtok(NULL, ".")) {
        at = json_is_array(at) ? json_array_get(at, strtoul(step, NULL, 10)) : json_object_get(at, step);
    }
    return at;
}

static int agrees(const json_t *at, char relation, const char *value)
{
    if (at == NULL) {
        return 0;
    }
    if (relation == '=') {
        const long found = json_is_array(at) ? (long)json_array_size(at) : (long)json_integer_value(at);
        return (json_is_array(at) || json_is_integer(at)) && found == strtol(value, NULL, 10);
    }
    if (relation == '~') {
        const double x = strtod(value, NULL);
        return json_is_number(at) && fabs(json_number_value(at) - x) <= 1e-3 * fabs(x);
    }
    return json_is_null(at) ? strcmp(value, "null") == 0
                            : json_is_string(at) && strcmp(json_string_value(at), value) == 0;
}

static int check(const json_t *root, const char *claim)
{
    char path[256];
    const size_t length = strcspn(claim, "=~:");
    if (length >= sizeof path || claim[length] == '\0') {
        fprintf(stderr, "json_check: '%s' is no claim\n", claim);
        return 0;
    }
    memcpy(path, claim, length);
    path[length] = '\0';
    const json_t *at = follow(root, path);
    if (agrees(at, claim[length], claim + length + 1)) {
        return 1;
    }
    char *text = at == NULL ? NULL : json_dumps(at, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    fprintf(stderr, "json_check: %s does not hold: ", claim);
    if (json_is_array(at)) {
        fprintf(stderr, "%zu items\n", json_array_size(at));
    } else {
        fprintf(stderr, "%.200s\n", text == NULL ? "nothing there" : text);
    }
    free(text);
    return 0;
}

int main(int count, char **claim)
{
    json_error_t error;
    json_t *root = json_loadf(stdin, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL) {
        fprintf(stderr, "json_check: line %d: %s\n", error.line, error.text);
        return 2;
    }
    int failures = 0;
    for (int i = 1; i < count; i++) {
        failures += !check(root, claim[i]);
    }
    json_decref(root);
    return failures > 0;
}
