/* soa/scenario.h - simulations described in files. Library soa_io; docs/scenario-format.md shows the format.
 *
 *     soa_scenario_load("slew.yaml", NULL, &scenario, &error);
 *     soa_sim_new(soa_scenario_model(scenario), soa_scenario_setup(scenario), NULL, &sim, &error);
 *
 * A scenario that loads can be simulated: everything in it has been checked, and errors have said file and line. A method from
 * outside needs soa_scenario_use first. */
#ifndef SOA_SCENARIO_H
#define SOA_SCENARIO_H

#include "soa/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct soa_scenario soa_scenario;

SOA_API soa_status soa_scenario_load(
    const char *path, const soa_allocator *allocator, soa_scenario **scenario, soa_error *error);
SOA_API void soa_scenario_free(soa_scenario *scenario);

SOA_API const char *soa_scenario_name(const soa_scenario *scenario);
SOA_API const soa_model *soa_scenario_model(const soa_scenario *scenario);
SOA_API const soa_sim_setup *soa_scenario_setup(const soa_scenario *scenario);
SOA_API double soa_scenario_duration(const soa_scenario *scenario);

/* Sets the integrator of a scenario whose method is from outside (soa_sim_method_outside). */
SOA_API void soa_scenario_use(soa_scenario *scenario, const soa_integrator *integrator);

/* Seconds between rows of a recording, and which signals: full names, or the first words of several ("q", "energy"). */
SOA_API double soa_scenario_every(const soa_scenario *scenario);
SOA_API int soa_scenario_signals(const soa_scenario *scenario);
SOA_API const char *soa_scenario_signal(const soa_scenario *scenario, int signal);

/* A JSON schema of scenario files, for editors; to be freed by soa_text_free. */
SOA_API soa_status soa_scenario_schema(const soa_allocator *allocator, char **schema, soa_error *error);

/* What to call an event: its name, or what it waits for. */
SOA_API const char *soa_scenario_event_name(const soa_scenario *scenario, int event);

/* ---- recordings ------------------------------------------------------------------------------
 * A table of numbers below a line of names, in a CSV file as 'soa sim' and 'soa sweep' write it. A row that a killed run has
 * left half written does not count; an empty cell is NaN. */

typedef struct soa_recording soa_recording;

SOA_API soa_status soa_recording_load(
    const char *path, const soa_allocator *allocator, soa_recording **recording, soa_error *error);
SOA_API void soa_recording_free(soa_recording *recording);
SOA_API int soa_recording_rows(const soa_recording *recording);
SOA_API int soa_recording_columns(const soa_recording *recording);
SOA_API const char *soa_recording_name(const soa_recording *recording, int column);
SOA_API const double *soa_recording_column(const soa_recording *recording, int column); /* `rows` numbers */

#ifdef __cplusplus
}
#endif
#endif
