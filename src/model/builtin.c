/* model/builtin.c - the models that need no file: their names, and making one. */
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "model/builtin.h"

#define MAX_ARGUMENTS 2
#define MAX_BODIES    1000000ull

typedef struct builtin {
    const char *name; /* a colon is followed by the arguments */
    const char *text;
    soa_builtin_maker *make;
    int arguments;
    const char *example;
} builtin;

static const builtin BUILTIN[] = {
    { "pendulum", "a rod swinging about a horizontal axis", soa_build_pendulum, 0, "" },
    { "double-pendulum", "two rods, the second hung on the first", soa_build_double_pendulum, 0, "" },
    { "arm6", "an industrial arm with six revolute joints, fixed base", soa_build_arm6, 0, "" },
    { "arm7", "an arm with seven revolute joints and a frame 'tool', fixed base", soa_build_arm7, 0, "" },
    { "dual-arm", "a turning torso with two arm7, left/... and right/...", soa_build_dual_arm, 0, "" },
    { "quadruped", "a free trunk on four legs of three joints, feet as frames", soa_build_quadruped, 0, "" },
    { "humanoid", "a free body of 70 kg with 30 joints, hands and feet as frames", soa_build_humanoid, 0, "" },
    { "satellite", "a free bus with two folding solar arrays, no gravity", soa_build_satellite, 0, "" },
    { "hexapod", "a Stewart platform: six legs closed by spherical joints", soa_build_hexapod, 0, "" },
    { "chain:N", "N links hung on each other by revolute joints of alternating axes", soa_build_chain, 1, "chain:100" },
    { "flexible-chain:N,MODES", "N beams that bend, hung on each other in the same way, MODES modes each",
        soa_build_flexible_chain, 2, "flexible-chain:20,6" },
    { "tree:N,SEED", "N bodies on random joints of every kind, the same for the same SEED", soa_build_tree, 2,
        "tree:40,7" },
};

#define BUILTINS ((int)(sizeof BUILTIN / sizeof BUILTIN[0]))

int soa_builtins(void)
{
    return BUILTINS;
}

const char *soa_builtin_name(int index)
{
    return index >= 0 && index < BUILTINS ? BUILTIN[index].name : NULL;
}

const char *soa_builtin_text(int index)
{
    return index >= 0 && index < BUILTINS ? BUILTIN[index].text : NULL;
}

/* Up to and without the colon. */
static size_t stem(const char *name)
{
    return strcspn(name, ":");
}

static const builtin *find(const char *name)
{
    for (int i = 0; i < BUILTINS; i++) {
        const size_t length = stem(BUILTIN[i].name);
        if (stem(name) == length && strncmp(name, BUILTIN[i].name, length) == 0) {
            return &BUILTIN[i];
        }
    }
    return NULL;
}

/* Decimal digits up to 2^64 - 1; NULL if there are none or too many. */
static const char *read_count(const char *text, unsigned long long *value)
{
    const char *p = text;
    *value = 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        const unsigned long long digit = (unsigned long long)(*p - '0');
        if (*value > (~0ull - digit) / 10) {
            return NULL;
        }
        *value = *value * 10 + digit;
    }
    return p == text ? NULL : p;
}

/* count [, count]... to the end of the text. */
static bool read_arguments(const char *text, int count, unsigned long long *argument)
{
    for (int i = 0; i < count && text != NULL; i++) {
        if (i > 0) {
            if (*text != ',') {
                return false;
            }
            text++;
        }
        text = read_count(text, &argument[i]);
    }
    return text != NULL && *text == '\0';
}

static soa_status check_arguments(
    const builtin *which, const char *name, unsigned long long *argument, soa_error *error)
{
    const char *colon = name[stem(name)] == ':' ? name + stem(name) + 1 : NULL;
    if (which->arguments == 0) {
        return colon == NULL
                   ? SOA_OK
                   : soa_fail(error, SOA_E_NAME, -1, "built-in model '%.80s': '%s' takes no numbers; write '%s'", name,
                         which->name, which->name);
    }
    if (colon == NULL || !read_arguments(colon, which->arguments, argument)) {
        return soa_fail(error, SOA_E_NAME, -1, "built-in model '%.80s' is not of the form '%s'; write for example '%s'",
            name, which->name, which->example);
    }
    if (argument[0] < 1 || argument[0] > MAX_BODIES) {
        return soa_fail(error, SOA_E_LIMIT, -1,
            "built-in model '%.80s': N must be from 1 to %llu; write for example '%s'", name, MAX_BODIES,
            which->example);
    }
    return SOA_OK;
}

static soa_status fail_unknown(const char *name, soa_error *error)
{
    char names[320] = "";
    for (int i = 0; i < BUILTINS; i++) {
        strncat(names, i == 0 ? "" : ", ", sizeof names - strlen(names) - 1);
        strncat(names, BUILTIN[i].name, sizeof names - strlen(names) - 1);
    }
    return soa_fail(error, SOA_E_NAME, -1, "there is no built-in model '%.80s'; choose from %s", name, names);
}

soa_status soa_model_builtin(const char *name, const soa_allocator *allocator, soa_model **model, soa_error *error)
{
    const double gravity[3] = { 0.0, 0.0, -9.81 };
    unsigned long long argument[MAX_ARGUMENTS] = { 0 };
    if (!name || !model) {
        return soa_fail_null(error, name ? "the place of the model" : "the name");
    }
    *model = NULL;

    const builtin *which = find(name);
    if (which == NULL) {
        return fail_unknown(name, error);
    }
    const soa_status status = check_arguments(which, name, argument, error);
    if (status != SOA_OK) {
        return status;
    }
    soa_kit kit = { { error, SOA_OK }, soa_builder_new(allocator), allocator };
    if (kit.builder == NULL) {
        return soa_fail_memory(error);
    }
    soa_builder_set_gravity(kit.builder, gravity);
    soa_kit_name(&kit, name);
    which->make(&kit, argument);
    if (soa_ok(&kit.outcome)) {
        soa_keep(&kit.outcome, soa_builder_finish(kit.builder, model, error));
    }
    soa_builder_free(kit.builder);
    return kit.outcome.status;
}
