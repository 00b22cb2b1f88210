/* Every public function that returns a status, with odd arguments in turn: pointers that are NULL, texts that are empty or far too
 * long, numbers that are negative, too large or not finite, kinds that are none. None may crash, and what is said of each is as
 * approved (tests/approved/house-odd_calls.txt). The table of functions is made from the headers. Every call runs in a process of
 * its own. */
#include "house/odd_models.h"

#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "approved.h"
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

static int odd_argument = -1, oddity; /* the one that is odd, and which of its odd values it has */
static bool is_odd;                   /* there is such a value */
static double in[NUMBERS], out[NUMBERS], none[NUMBERS], large[NUMBERS], one[NUMBERS];
static long long scratch[NUMBERS]; /* zeros: structures, and where others are to be put */
static soa_status got;
static int answers[2]; /* a pipe */

/* What the process of a call says. */
static struct answer {
    bool is_odd, finite; /* all of `out` is */
    soa_status status;
    soa_error error;
} answer;

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
    soa_system *system;
    soa_forces *forces;
    soa_sim *sim;
    soa_linear_workspace *linear;
    soa_sim_setup setup;
    const soa_model *models[1];
    soa_point point;
    soa_link link;
} object;

static void make_objects(soa_model *model)
{
    static const char *const text = "y = Mass^-1 T";
    const soa_force spring = soa_force_default(NULL, SOA_FORCE_SPRING);
    unsigned long long seed = 3;
    object.model = model;
    object.models[0] = object.model;
    object.setup = soa_sim_setup_default();
    object.setup.consistent = true;
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
    assert_int_equal(soa_system_new(object.model, NULL, &object.system, NULL), SOA_OK);
    assert_int_equal(soa_forces_new(object.model, 1, &spring, NULL, &object.forces, NULL), SOA_OK);
    assert_int_equal(soa_sim_new(object.model, &object.setup, NULL, &object.sim, NULL), SOA_OK);
    assert_int_equal(soa_linear_workspace_new(2, NULL, &object.linear, NULL), SOA_OK);
    for (int i = 0; i < NUMBERS; i++) {
        in[i] = out[i] = soa_model_random_number(&seed);
        none[i] = NAN, large[i] = 1e300, one[i] = 1.0;
    }
    soa_random_configuration(object.model, &seed, in);
    if (soa_model_closures(object.model) > 0) {
        soa_model_neutral(object.model, in);
    }
    if (soa_closure_project(object.closures, SOA_METRIC_MASS, 0.0, 1, in, NULL, NULL, NULL) != SOA_OK) {
        fail_msg("the closures cannot be shut");
    }
    memcpy(out, in, sizeof out);
    assert_int_equal(soa_operators_set(object.operators, in, 1, &object.point, NULL), SOA_OK);
}

static void free_objects(void)
{
    soa_linear_workspace_free(object.linear);
    soa_sim_free(object.sim);
    soa_forces_free(object.forces);
    soa_system_free(object.system);
    soa_operators_free(object.operators);
    soa_runner_free(object.runner);
    soa_compiled_free(object.compiled);
    soa_program_free(object.program);
    soa_builder_free(object.builder);
    soa_partition_free(object.partition);
    soa_closures_free(object.closures);
    soa_batch_free(object.batch);
    soa_workspace_free(object.workspace);
    soa_model_free(object.model);
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
        { "soa_system *", object.system }, { "soa_forces *", object.forces }, { "soa_sim *", object.sim },
        { "soa_linear_workspace *", object.linear }, { "soa_sim_setup *", &object.setup },
        { "soa_error *", &answer.error }, { "soa_allocator *", NULL } };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(type, known[i].type) == 0) {
            return known[i].object;
        }
    }
    return scratch;
}

/* Whether this argument is to have its odd value of that number. */
static bool odd(int number, int value)
{
    const bool now = number >= 0 && number == odd_argument && value == oddity;
    is_odd = is_odd || now;
    return now;
}

static void *pointer(int number, const char *type, const char *name)
{
    static char text[] = "y", empty[] = "", ended[5000];
    const bool constant = strncmp(type, "const ", 6) == 0;
    if (odd(number, 0)) {
        return NULL;
    }
    if (strcmp(type, "const char *") == 0) {
        memset(ended, 'y', sizeof ended - 6);
        strcpy(ended + sizeof ended - 6, "/flex");
        return odd(number, 1) ? empty : odd(number, 2) ? ended : text;
    }
    if (strcmp(type, "double *") == 0) {
        return out;
    }
    if (strcmp(type, "const double *") == 0) {
        return odd(number, 1) ? none : odd(number, 2) ? large : strcmp(name, "weight") == 0 ? one : in;
    }
    return object_of(constant ? type + 6 : type);
}

/* Sizes are 1, all other numbers the first. */
static int whole(int number, const char *name)
{
    static const char *const sizes[] = { "states", "points", "systems", "threads", "lanes", "n", "m", "size", "rows",
        "nq", "nv", "count" };
    if (odd(number, 0)) {
        return -1;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (strcmp(name, sizes[i]) == 0) {
            return 1;
        }
    }
    return odd(number, 1) ? 1000000 : 0;
}

static double real(int number, const char *name)
{
    return odd(number, 0)   ? NAN
           : odd(number, 1) ? HUGE_VAL
           : odd(number, 2) ? -1.0
                            : (strcmp(name, "dt") == 0 ? 0.01 : 0.5);
}

static int kind(int number)
{
    return odd(number, 0) ? 99 : odd(number, 1) ? -1 : 0;
}

/* Calls with formats made by a script: they are not to be checked. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
#include "odd_calls.inc"
#pragma GCC diagnostic pop

enum { FUNCTIONS = sizeof PUBLIC / sizeof PUBLIC[0] };

/* ---- calling ------------------------------------------------------------------------------------------ */

/* Calls in this process, and says what came of it. */
static void call(const public_function *f)
{
    (void)alarm(60);
    (void)freopen("/dev/null", "w", stderr);
    memset(&answer, 0, sizeof answer);
    f->call();
    answer.finite = true;
    for (int i = 0; i < NUMBERS; i++) {
        answer.finite = answer.finite && isfinite(out[i]);
    }
    answer.is_odd = is_odd, answer.status = got;
    write_profile();
    _exit(write(answers[1], &answer, sizeof answer) != sizeof answer);
}

/* Whether the call comes back. */
static bool comes_back(const public_function *f, int argument, int value)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        odd_argument = argument, oddity = value;
        call(f);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
           read(answers[0], &answer, sizeof answer) == sizeof answer;
}

/* Every odd value of an argument, and what is said of it. */
static int call_odd(const public_function *f, int argument, approved *a)
{
    char said[4096] = "", part[16];
    for (int value = 0;; value++) {
        if (!comes_back(f, argument, value)) {
            print_error("%s crashes, argument %d odd (%d)\n", f->name, argument, value);
            return 1;
        }
        if (value > 0 && !answer.is_odd) {
            break;
        }
        char *error = approved_round(answer.error.text), *sign;
        while ((sign = strstr(error, "-nan"))) { /* processors differ in it */
            memmove(sign, sign + 1, strlen(sign));
        }
        (void)snprintf(said + strlen(said), sizeof said - strlen(said), "%s%s%s; body %d, state %d: %s\n",
            value > 0      ? ""
            : argument < 0 ? "as it is: "
                           : "",
            soa_status_text(answer.status), answer.finite ? "" : ", not finite", answer.error.body, answer.error.state,
            error);
        free(error);
    }
    (void)snprintf(part, sizeof part, "%d", argument);
    if (!strstr(f->name, "lanes")) { /* what lanes there are depends on the processor */
        approved_text(a, part, said);
    }
    return 0;
}

/* Every function, or with a model that has closures those that know of them. Returns how many calls crash. */
static int call_all(approved *a)
{
    int crashes = 0;
    char name[80];
    const bool loops = soa_model_closures(object.model) > 0;
    (void)fflush(NULL);
    for (int f = 0; f < FUNCTIONS; f++) {
        const char *of = PUBLIC[f].name;
        if (!PUBLIC[f].status || (loops && !strstr(of, "clos") && !strstr(of, "system") && !strstr(of, "sim_"))) {
            continue;
        }
        (void)snprintf(name, sizeof name, "%s %s", loops ? "loop" : "chain", of);
        approved_case(a, name);
        for (int argument = -1; argument < PUBLIC[f].arguments; argument++) {
            crashes += call_odd(&PUBLIC[f], argument, a);
        }
        approved_end(a);
    }
    return crashes;
}

static void no_argument_crashes(void **state)
{
    soa_model *model = NULL;
    (void)state;
    assert_true(FUNCTIONS > 300);
    approved a = approved_open("house-odd_calls");
    make_objects(odd_model(ODD_CHAIN));
    int crashes = call_all(&a);
    free_objects();
    assert_int_equal(soa_model_builtin("hexapod", NULL, &model, NULL), SOA_OK);
    make_objects(model);
    crashes += call_all(&a);
    free_objects();
    approved_close(&a);
    assert_int_equal(crashes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_argument_crashes) };
    return pipe(answers) != 0 || cmocka_run_group_tests(tests, NULL, NULL);
}
