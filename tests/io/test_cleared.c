/* An error that was there before is gone after a call that succeeds: forces, flexible links, simulations, files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "soa/force.h"
#include "soa/io.h"
#include "soa/scenario.h"

static soa_error error;

/* An error as another call has left it. */
static soa_error *old(void)
{
    error = (soa_error){ .status = SOA_E_NUMBER, .line = 3, .body = 1, .state = 2, .text = "old", .file = "old" };
    return &error;
}

static void succeeds(soa_status status)
{
    soa_error none;
    soa_error_clear(&none);
    if (status != SOA_OK) {
        fail_msg("%s", error.text);
    }
    assert_memory_equal(&error, &none, sizeof none);
}

static void forces(void **state)
{
    (void)state;
    soa_model *model = NULL;
    soa_forces *forces = NULL;
    double q[7] = { 0.0 }, T[7] = { 0.0 }, dq[49], dv[49];
    assert_int_equal(soa_model_builtin("arm7", NULL, &model, NULL), SOA_OK);
    soa_force damper = soa_force_default("damper", SOA_FORCE_JOINT_DAMPER);
    damper.link = 1;
    succeeds(soa_forces_new(model, 1, &damper, NULL, &forces, old()));
    succeeds(soa_forces_apply(forces, 0.0, q, q, T, NULL, NULL, old()));
    succeeds(soa_forces_derivatives(forces, 0.0, q, q, dq, dv, old()));
    succeeds(soa_forces_enable(forces, 0, false, old()));
    soa_forces_free(forces);
    soa_model_free(model);
}

static void flexible_links(void **state)
{
    (void)state;
    const soa_reduction two = { .modes = 2 };
    const soa_reduction blade = { .modes = 2, .clamp = "ROOT" };
    soa_plate plate = soa_plate_default();
    soa_flexible *f = NULL;
    soa_fe *fe = NULL;
    double frequency[2];
    char *text = NULL;
    size_t length;
    plate.length = plate.width = 1.0;
    plate.thickness = 0.01;
    plate.E = 7e10;
    plate.rho = 2700.0;
    succeeds(soa_flexible_plate(&plate, &two, NULL, &f, old()));
    succeeds(soa_flexible_frequencies(f, frequency, NULL, old()));
    succeeds(soa_flexible_write(f, NULL, &text, &length, old()));
    soa_text_free(NULL, text);
    soa_flexible_free(NULL, f);
    succeeds(soa_fe_load(SOA_SOURCE "/examples/flex/blade.inp", NULL, &fe, old()));
    succeeds(soa_flexible_reduce(fe, &blade, NULL, &f, old()));
    soa_flexible_free(NULL, f);
    soa_fe_free(fe);
}

static void simulations(void **state)
{
    (void)state;
    soa_model *model = NULL;
    soa_sim *sim = NULL;
    soa_status status;
    const soa_sim_setup setup = soa_sim_setup_default();
    assert_int_equal(soa_model_builtin("pendulum", NULL, &model, NULL), SOA_OK);
    succeeds(soa_sim_new(model, &setup, NULL, &sim, old()));
    succeeds(soa_sim_advance(sim, 0.01, old()));
    succeeds(soa_sim_step(sim, 0.01, old()));
    succeeds(soa_sim_advance_all(1, &sim, 0.03, &status, old()));
    const size_t size = soa_sim_saved_size(sim);
    void *saved = malloc(size);
    assert_non_null(saved);
    succeeds(soa_sim_save(sim, saved, old()));
    succeeds(soa_sim_restore(sim, saved, size, old()));
    free(saved);
    soa_sim_free(sim);
    soa_model_free(model);
}

static void files(void **state)
{
    (void)state;
    char folder[] = "soa-cleared-XXXXXX", path[64], *text = NULL;
    soa_model *model = NULL, *again = NULL;
    soa_scenario *scenario = NULL;
    soa_recording *recording = NULL;
    size_t length;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    succeeds(soa_load(SOA_SOURCE "/examples/models/four-bar.yaml", NULL, &model, old()));
    succeeds(soa_write(model, SOA_YAML, NULL, &text, &length, old()));
    succeeds(soa_load_text(SOA_YAML, text, length, NULL, NULL, &again, old()));
    soa_text_free(NULL, text);
    succeeds(soa_save(model, SOA_YAML, path, old()));
    succeeds(soa_scenario_load(SOA_SOURCE "/examples/benchmarks/a01-pendulum.yaml", NULL, &scenario, old()));
    succeeds(soa_scenario_schema(NULL, &text, old()));
    soa_text_free(NULL, text);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("t,x\n0,1\n1,2\n", file);
    fclose(file);
    succeeds(soa_recording_load(path, NULL, &recording, old()));
    unlink(path);
    rmdir(folder);
    soa_recording_free(recording);
    soa_scenario_free(scenario);
    soa_model_free(model);
    soa_model_free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces),
        cmocka_unit_test(flexible_links),
        cmocka_unit_test(simulations),
        cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
