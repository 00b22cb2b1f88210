/* Memory ends at each place where the libraries take some.
 *
 * An arena hands out many pieces of one block and an array doubles, so an allocator that fails meets few of the places that
 * ask. Here the functions that they ask fail themselves (ld --wrap): each job runs with its 1st, 2nd, ... piece refused, and
 * that piece alone. It must end with SOA_E_MEMORY and leave no block behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/memory.h"
#include "core/names.h"
#include "counting.h"
#include "io/rich_texts.h"
#include "soa/soa.h"

#include "soa/io.h"
#include "soa/scenario.h"

/* ---- pieces that are refused ---------------------------------------------------------------------------------- */

static struct {
    long left; /* pieces before the one that is refused */
    bool refused;
    counting *count;
} piece;

/* Whether the next piece is given. If not, the allocator refuses a block, as it would: pools watch theirs. */
static bool may_take(const soa_allocator *allocator)
{
    if (piece.left-- != 0) {
        return true;
    }
    piece.refused = true;
    piece.count->left = 0;
    piece.count->once = true;
    assert_null(allocator->allocate(allocator->context, 64));
    return false;
}

/* An arena remembers what it could not give. */
static void *refused_by(soa_arena *arena)
{
    arena->failed = true;
    return NULL;
}

#define WRAPPED(type, name, none, from, given, passed)       \
    type __real_##name given;                                \
    type __wrap_##name given;                                \
    type __wrap_##name given                                 \
    {                                                        \
        return may_take(from) ? __real_##name passed : none; \
    }

WRAPPED(void *, soa_allocate, NULL, a, (const soa_allocator *a, size_t count, size_t size), (a, count, size))
WRAPPED(void *, soa_array_push, NULL, a, (soa_array * array, const soa_allocator *a), (array, a))
WRAPPED(void *, soa_arena_take, refused_by(arena), arena->allocator, (soa_arena * arena, size_t count, size_t size),
    (arena, count, size))
WRAPPED(char *, soa_arena_text_n, refused_by(arena), arena->allocator,
    (soa_arena * arena, const char *text, size_t length), (arena, text, length))
WRAPPED(bool, soa_names_add, false, a, (soa_names * names, const soa_allocator *a, const char *name, int number),
    (names, a, name, number))

/* A text that is not there gives NULL by itself. */
char *__real_soa_arena_text(soa_arena *arena, const char *text);
char *__wrap_soa_arena_text(soa_arena *arena, const char *text);
char *__wrap_soa_arena_text(soa_arena *arena, const char *text)
{
    return !text || may_take(arena->allocator) ? __real_soa_arena_text(arena, text) : refused_by(arena);
}

typedef soa_status job(const char *what, const soa_allocator *allocator, soa_error *error);

/* Every piece of the job is refused once, after the first `fine` some are left out, and it succeeds at last. */
static void ends_well(job *work, const char *what, int fine)
{
    long n = 0;
    for (bool done = false; !done; n += 1 + n / fine) {
        counting count;
        const soa_allocator allocator = counting_on(&count, COUNTING_PLENTY);
        soa_error error = { .status = SOA_OK };
        piece.left = n;
        piece.refused = false;
        piece.count = &count;
        const soa_status status = work(what, &allocator, &error);
        done = !piece.refused;
        piece.left = -1;
        if (count.open != 0 || status != (done ? SOA_OK : SOA_E_MEMORY)) {
            fail_msg("%.60s, piece %ld: status %d (%s), %d blocks left", what, n, (int)status, error.text, count.open);
        }
    }
    assert_true(n > 5);
}

/* ---- models ------------------------------------------------------------------------------------------------------ */

/* What is computed with a model takes its memory before. */
static soa_status use(const soa_model *model, const soa_allocator *allocator, soa_error *error)
{
    soa_workspace *workspace = NULL;
    soa_operators *operators = NULL;
    soa_closures *closures = NULL;
    soa_system *system = NULL;
    soa_forces *forces = NULL;
    soa_linear_workspace *linear = NULL;
    soa_status status = soa_workspace_new(model, allocator, &workspace, error);
    status = status == SOA_OK ? soa_operators_new(model, 2, allocator, &operators, error) : status;
    status = status == SOA_OK ? soa_closures_new(1, &model, NULL, allocator, &closures, error) : status;
    status = status == SOA_OK ? soa_system_new(model, allocator, &system, error) : status;
    status = status == SOA_OK ? soa_forces_new(model, 0, NULL, allocator, &forces, error) : status;
    status = status == SOA_OK ? soa_linear_workspace_new(4, allocator, &linear, error) : status;
    soa_linear_workspace_free(linear);
    soa_forces_free(forces);
    soa_system_free(system);
    soa_closures_free(closures);
    soa_operators_free(operators);
    soa_workspace_free(workspace);
    return status;
}

static soa_status write(const soa_model *model, soa_format format, const soa_allocator *allocator, soa_error *error)
{
    char *text = NULL;
    size_t length;
    const soa_status status = soa_write(model, format, allocator, &text, &length, error);
    soa_text_free(allocator, text);
    return status;
}

/* The text of a model, whose first character tells the format; written in that format and in the native one. */
static soa_status load_text(const char *text, const soa_allocator *allocator, soa_error *error)
{
    const soa_format format = text[0] == 's' ? SOA_YAML : text[1] == '?' ? SOA_URDF : SOA_MJCF;
    soa_model *model = NULL;
    soa_status status = soa_load_text(format, text, strlen(text), NULL, allocator, &model, error);
    status = status == SOA_OK ? write(model, format, allocator, error) : status;
    status = status == SOA_OK ? write(model, SOA_YAML, allocator, error) : status;
    soa_model_free(model);
    return status;
}

static soa_status load(const char *path, const soa_allocator *allocator, soa_error *error)
{
    soa_model *model = NULL;
    soa_status status = strchr(path, '/') ? soa_load(path, allocator, &model, error)
                                          : soa_model_builtin(path, allocator, &model, error);
    status = status == SOA_OK ? use(model, allocator, error) : status;
    status = status == SOA_OK ? write(model, SOA_YAML, allocator, error) : status;
    soa_model_free(model);
    return status;
}

static void models(void **state)
{
    (void)state;
    static const char *const path[] = { "arm7", "humanoid", "satellite", "tree:9,2", "flexible-chain:2,3",
        SOA_SOURCE "/examples/models/gears.yaml", SOA_SOURCE "/examples/models/flexible-four-bar.yaml",
        SOA_SOURCE "/examples/models/crane-boom.yaml", SOA_SOURCE "/examples/models/two-arms-box.yaml" };
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
        ends_well(load, path[i], 400);
    }
    ends_well(load_text, RICH_URDF, 400);
    ends_well(load_text, RICH_MJCF, 400);
    ends_well(load_text, RICH_YAML, 400);
    ends_well(load_text, ODD_YAML, 400);
}

/* ---- scenarios --------------------------------------------------------------------------------------------------- */

static soa_status run(const char *path, const soa_allocator *allocator, soa_error *error)
{
    soa_scenario *scenario = NULL;
    soa_sim *sim = NULL;
    soa_status status = soa_scenario_load(path, allocator, &scenario, error);
    status = status == SOA_OK
                 ? soa_sim_new(soa_scenario_model(scenario), soa_scenario_setup(scenario), allocator, &sim, error)
                 : status;
    soa_sim_free(sim);
    soa_scenario_free(scenario);
    return status;
}

static void scenarios(void **state)
{
    (void)state;
    static const char *const name[] = { "carry", "fall", "four-bar-crank", "gears", "satellite-turn", "crane-slew" };
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/examples/scenarios/%s.yaml", SOA_SOURCE, name[i]);
        ends_well(run, path, 400);
    }
}

static soa_status schema(const char *what, const soa_allocator *allocator, soa_error *error)
{
    (void)what;
    char *text = NULL;
    const soa_status status = soa_scenario_schema(allocator, &text, error);
    soa_text_free(allocator, text);
    return status;
}

static soa_status record(const char *path, const soa_allocator *allocator, soa_error *error)
{
    soa_recording *recording = NULL;
    const soa_status status = soa_recording_load(path, allocator, &recording, error);
    soa_recording_free(recording);
    return status;
}

static void schema_and_recording(void **state)
{
    (void)state;
    FILE *file = fopen("memory-ends.csv", "w");
    assert_non_null(file);
    assert_true(fputs("t,x,y\n0,1,2\n1,,3\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    ends_well(schema, "schema", 400);
    ends_well(record, "memory-ends.csv", 400);
    remove("memory-ends.csv");
}

/* ---- finite elements --------------------------------------------------------------------------------------------- */

static soa_status reduce(const char *path, const soa_allocator *allocator, soa_error *error)
{
    static const char *const tip[] = { "TIP" };
    const soa_reduction wish = { .modes = 2, .clamp = "ROOT", .outputs = 1, .output = tip };
    soa_fe *fe = NULL;
    soa_flexible *flexible = NULL;
    char *text = NULL;
    size_t length;
    soa_status status = soa_fe_load(path, allocator, &fe, error);
    status = status == SOA_OK ? soa_flexible_reduce(fe, &wish, allocator, &flexible, error) : status;
    status = status == SOA_OK ? soa_flexible_write(flexible, allocator, &text, &length, error) : status;
    soa_text_free(allocator, text);
    soa_flexible_free(allocator, flexible);
    soa_fe_free(fe);
    return status;
}

/* ---- the language ------------------------------------------------------------------------------------------------ */

typedef struct saying {
    soa_program *program;
    int last; /* statement */
    soa_notation notation;
} saying;

/* Whether all was well so far; the text that was made is freed. */
static bool made(const saying *s, soa_status *all, soa_status status, char **text)
{
    *all = status;
    soa_program_text_free(s->program, *text);
    *text = NULL;
    return status == SOA_OK;
}

static soa_status say(const saying *s, soa_error *error)
{
    soa_program *p = s->program;
    char *text = NULL, *more = NULL;
    soa_verdict verdict = SOA_OPEN;
    soa_status all;
    bool good = made(s, &all, soa_program_print(p, s->last, s->notation, &text, error), &text);
    good = good && made(s, &all, soa_program_type(p, s->last, &text, error), &text);
    const bool equation = good && soa_program_statement(p, s->last).kind == SOA_STATEMENT_EQUATION;
    for (int i = 0; i < SOA_EXPLANATIONS && good && !equation; i++) {
        good = made(s, &all, soa_program_explain(p, s->last, s->notation, (soa_explanation)i, &text, error), &text);
    }
    if (good && equation) {
        good = made(s, &all, soa_program_prove(p, s->last, s->notation, &verdict, &text, error), &text);
        good = good && verdict == SOA_PROVED && made(s, &all, soa_program_certificate(p, s->last, &text, error), &text);
    } else if (good) {
        good = made(s, &all, soa_program_simplify(p, s->last, s->notation, &text, &more, error), &text);
        soa_program_text_free(p, more);
        good = good && made(s, &all, soa_program_derive(p, s->last, s->notation, &text, error), &text);
    }
    return all;
}

static soa_status speak(const char *text, const soa_allocator *allocator, soa_error *error)
{
    saying s = { .notation = strlen(text) % 2 ? SOA_LATEX : SOA_UNICODE };
    soa_status status = soa_program_new(allocator, &s.program, error);
    status = status == SOA_OK
                 ? soa_program_read(s.program, text, strstr(text, " = ") ? SOA_READ_EQUATION : SOA_READ_PROGRAM, error)
                 : status;
    if (status == SOA_OK) {
        s.last = soa_program_statements(s.program) - 1;
        soa_program_limit(s.program, 0.0, NULL, NULL);
        status = say(&s, error);
    }
    soa_program_free(s.program);
    return status;
}

static void language(void **state)
{
    (void)state;
    static const char *const text[] = { "J Mass^-1 J'", "Mass^-1 (T - C)", "(I - H psi K) H phi = H psi", "phi = psi",
        "trace(tau) = trace(H G)", "P[2]", "c: number; c Mass beta" };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        ends_well(speak, text[i], 50);
    }
}

static soa_status compile(const char *text, const soa_allocator *allocator, soa_error *error)
{
    static const double rows[12] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1 };
    const soa_point point[] = { { 2, soa_pose_identity() } };
    soa_model *model = NULL;
    soa_program *program = NULL;
    soa_status status = soa_model_builtin("tree:5,3", allocator, &model, error);
    status = status == SOA_OK ? soa_program_new(allocator, &program, error) : status;
    status = status == SOA_OK ? soa_program_read(program, text, SOA_READ_PROGRAM, error) : status;
    for (int i = 0; i < 2 && status == SOA_OK; i++) {
        soa_compiled *compiled = NULL;
        soa_runner *runner = NULL;
        status = soa_compile(model, program, (soa_writing)i, 0, NULL, &compiled, error);
        status = status == SOA_OK ? soa_runner_new(compiled, 1, point, allocator, &runner, error) : status;
        status = status == SOA_OK ? soa_runner_set_constraints(runner, 2, rows, error) : status;
        soa_runner_free(runner);
        soa_compiled_free(compiled);
    }
    soa_program_free(program);
    soa_model_free(model);
    return status;
}

static void finite_elements(void **state)
{
    (void)state;
    ends_well(reduce, SOA_SOURCE "/examples/flex/blade.inp", 400);
}

static void compiled(void **state)
{
    (void)state;
    static const char *const text[] = { "Mass^-1 (T - C)", "d(Mass^-1 T, q_2)", "dot(Mass) beta", "P[2]; J; Mass^-1",
        "(A Lambda A')^-1 A J beta", "S: point motion -> point force, symmetric, positive; J' S J beta",
        "D^(1/2)' D^-1 H psi b; logdet(Mass); trace(Mass)", "x: joint force; Mass^-1 x; d(Mass^-1 (T - C), beta_2)",
        "w: joint velocity = 0.1, 0, -2, 1, 1; Mass w" };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        ends_well(compile, text[i], 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models),
        cmocka_unit_test(scenarios),
        cmocka_unit_test(schema_and_recording),
        cmocka_unit_test(finite_elements),
        cmocka_unit_test(language),
        cmocka_unit_test(compiled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
