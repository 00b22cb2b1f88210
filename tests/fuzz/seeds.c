/* tests/fuzz/seeds.c - the built-in models in every format that can say them, as seeds.
 *
 *     fuzz_seeds DIR    writes DIR/urdf/NAME, DIR/mjcf/NAME, DIR/yaml/NAME; the folders exist */
#include <stdio.h>
#include <string.h>

#include "soa/io.h"

/* "chain:N" is a family: a small member of it. */
static void member(const char *family, char *name, size_t size)
{
    const char *colon = strchr(family, ':');
    snprintf(name, size, "%.*s%s", colon ? (int)(colon - family) : 60, family,
        !colon               ? ""
        : strchr(colon, ',') ? ":6,7"
                             : ":4");
}

static void write_seed(const soa_model *model, soa_format format, const char *folder, const char *name)
{
    static const char *const folders[] = { "urdf", "mjcf", "yaml" };
    char path[1024];
    soa_error error;
    snprintf(path, sizeof path, "%s/%s/%s", folder, folders[format], name);
    const soa_status status = soa_save(model, format, path, &error);
    if (status != SOA_OK && status != SOA_E_UNSUPPORTED) {
        fprintf(stderr, "%s: %s\n", path, error.text);
    }
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: fuzz_seeds DIR\n");
        return 2;
    }
    for (int i = 0; i < soa_builtins(); i++) {
        char name[64];
        soa_model *model;
        soa_error error;
        member(soa_builtin_name(i), name, sizeof name);
        if (soa_model_builtin(name, NULL, &model, &error) != SOA_OK) {
            fprintf(stderr, "%s: %s\n", name, error.text);
            return 1;
        }
        for (soa_format format = SOA_URDF; format < SOA_FORMATS; format++) {
            write_seed(model, format, arguments[1], name);
        }
        soa_model_free(model);
    }
    return 0;
}
