/* Every public function that returns a status, with odd arguments: each pointer NULL in turn, each number -1, each kind one that
 * is none. None may crash; the table of functions is made from the headers. Every call runs in a process of its own. */
#include "house/odd_models.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile.h"
#include "soa/io.h"

enum { NUMBERS = 65536 };

typedef struct public_function {
    const char *name;
    void (*call)(void);
    int arguments;
    bool status; /* it returns one */
} public_function;

/* ---- what arguments are ------------------------------------------------------------------------------- */

static int odd_argument = -1; /* the one that is odd */
static double in[NUMBERS], out[NUMBERS];
static long long scratch[NUMBERS]; /* zeros: structures, and where others are to be put */
static struct objects {
    soa_model *model;
    soa_workspace *workspace;
    soa_batch *batch;
    soa_closures *closures;
    soa_partition *partition;
    soa_builder *builder;
    soa_program *program;
    soa_compiled *compiled;
    soa_runner *runner;
    soa_operators *operators;
    const soa_model *models[1];
    soa_point point;
    soa_link link;
} object;

static void make_objects(void)
{
    static const char *const text = "y = Mass^-1 T";
    unsigned long long seed = 3;
    object.model = odd_model(ODD_CHAIN);
    object.models[0] = object.model;
    object.point = (soa_point){ 0, soa_pose_identity() };
    object.link = soa_link_default("new", SOA_WORLD, SOA_REVOLUTE);
    assert_int_equal(soa_workspace_new(object.model, NULL, &object.workspace, NULL), SOA_OK);
    assert_int_equal(soa_batch_new(object.model, 1, NULL, &object.batch, NULL), SOA_OK);
    assert_int_equal(soa_closures_new(1, object.models, NULL, NULL, &object.closures, NULL), SOA_OK);
    assert_int_equal(soa_partition_new(object.closures, &object.partition, NULL), SOA_OK);
    object.builder = soa_builder_new(NULL);
    assert_int_equal(soa_builder_add_link(object.builder, &object.link, NULL, NULL), SOA_OK);
    object.link.name = "newer";
    assert_int_equal(soa_program_new(NULL, &object.program, NULL), SOA_OK);
    assert_int_equal(soa_program_read(object.program, text, SOA_READ_PROGRAM, NULL), SOA_OK);
    assert_int_equal(
        soa_compile(object.model, object.program, SOA_AS_WRITTEN, 0, NULL, &object.compiled, NULL), SOA_OK);
    assert_int_equal(soa_runner_new(object.compiled, 1, &object.point, NULL, &object.runner, NULL), SOA_OK);
    assert_int_equal(soa_operators_new(object.model, 1, NULL, &object.operators, NULL), SOA_OK);
    for (int i = 0; i < NUMBERS; i++) {
        in[i] = out[i] = soa_model_random_number(&seed);
    }
    soa_random_configuration(object.model, &seed, in);
    memcpy(out, in, sizeof out);
    assert_int_equal(soa_operators_set(object.operators, in, 1, &object.point, NULL), SOA_OK);
}

/* An object of the type; structures of other types are zeros, and opaque types that are not here are NULL. */
static void *object_of(const char *type)
{
    const struct {
        const char *type;
        void *object;
    } known[] = { { "soa_model *", object.model }, { "soa_workspace *", object.workspace },
        { "soa_batch *", object.batch }, { "soa_closures *", object.closures }, { "soa_partition *", object.partition },
        { "soa_builder *", object.builder }, { "soa_program *", object.program }, { "soa_compiled *", object.compiled },
        { "soa_runner *", object.runner }, { "soa_operators *", object.operators }, { "soa_point *", &object.point },
        { "soa_link *", &object.link }, { "soa_model *const *", object.models }, { "double *", in },
        { "soa_allocator *", NULL }, { "soa_system *", NULL }, { "soa_sim *", NULL }, { "soa_forces *", NULL } };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(type, known[i].type) == 0) {
            return known[i].object;
        }
    }
    return scratch;
}

static void *pointer(int number, const char *type, const char *name)
{
    (void)name;
    static char text[] = "y";
    const bool constant = strncmp(type, "const ", 6) == 0;
    if (number == odd_argument) {
        return NULL;
    }
    if (strcmp(type, "const char *") == 0) {
        return text;
    }
    if (strcmp(type, "double *") == 0) {
        return out;
    }
    return object_of(constant ? type + 6 : type);
}

/* Sizes are 1, all other numbers the first. */
static int whole(int number, const char *name)
{
    static const char *const sizes[] = { "states", "points", "systems", "threads", "lanes", "n", "m", "size", "rows" };
    if (number >= 0 && number == odd_argument) {
        return -1;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (strcmp(name, sizes[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

static double real(const char *name)
{
    return strcmp(name, "dt") == 0 ? 0.01 : 0.5;
}

static int kind(int number)
{
    return number == odd_argument ? 99 : 0;
}

/* Calls with formats made by a script: they are not to be checked. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
#include "odd_calls.inc"
#pragma GCC diagnostic pop

enum { FUNCTIONS = sizeof PUBLIC / sizeof PUBLIC[0] };

/* ---- calling ------------------------------------------------------------------------------------------ */

/* Whether the call comes back. */
static bool comes_back(const public_function *f, int odd)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(60);
        (void)freopen("/dev/null", "w", stderr);
        odd_argument = odd;
        f->call();
        write_profile();
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void no_argument_crashes(void **state)
{
    (void)state;
    int crashes = 0;
    make_objects();
    (void)fflush(NULL);
    for (int f = 0; f < FUNCTIONS; f++) {
        for (int odd = -1; PUBLIC[f].status && odd < PUBLIC[f].arguments; odd++) {
            if (!comes_back(&PUBLIC[f], odd)) {
                print_error("%s crashes, argument %d odd\n", PUBLIC[f].name, odd);
                crashes++;
            }
        }
    }
    assert_true(FUNCTIONS > 300);
    assert_int_equal(crashes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_argument_crashes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
