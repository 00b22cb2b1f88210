/* io/scenario.h - what the files that read scenarios offer each other. */
#ifndef SOA_IO_SCENARIO_H
#define SOA_IO_SCENARIO_H

#include "io/scenario_keys.h"
#include "io/table.h"
#include "soa/scenario.h"

struct soa_scenario {
    soa_allocator allocator;
    soa_arena arena;
    const char *path, *name;
    soa_model *model;
    soa_sim_setup setup;
    double duration, every;
    int signals;
    const char **signal;
    const char **event_name;
    soa_signal *formula; /* signals of the scenario and of its events */
};

/* Memory of the scenario; the error is filled if there is none. */
void *soa_scenario_take(soa_scenario *scenario, size_t count, size_t size, soa_error *error);

/* The model with its base and gravity; the state in which it begins. */
soa_status soa_scenario_read_model(soa_scenario *scenario, const soa_yaml *root, soa_error *error);
soa_status soa_scenario_read_initial(soa_scenario *scenario, const soa_yaml *root, soa_error *error);

/* The lists forces, sensors, controllers, actuators and events of a scenario whose model is loaded. */
soa_status soa_scenario_forces(soa_scenario *scenario, const soa_yaml *root, soa_error *error);
soa_status soa_scenario_controllers(soa_scenario *scenario, const soa_yaml *root, soa_error *error);
soa_status soa_scenario_sensors(soa_scenario *scenario, const soa_yaml *root, soa_error *error);
soa_status soa_scenario_actuators(soa_scenario *scenario, const soa_yaml *root, soa_error *error);
soa_status soa_scenario_formulas(soa_scenario *scenario, const soa_yaml *root, soa_error *error);
soa_status soa_scenario_events(soa_scenario *scenario, const soa_yaml *root, soa_error *error);

/* Refuses events that attach what is attached, detach what is not, or enable a closure that contradicts the others. */
soa_status soa_scenario_check_attach(const soa_scenario *scenario, const soa_yaml *root, soa_error *error);

/* A number for all joints, or a list with one for each; *out stays NULL if the key is not there. */
soa_status soa_scenario_gains(
    soa_scenario *scenario, const soa_yaml *node, const char *key, int joints, const double **out, soa_error *error);

/* Which joint of the controller a key names. */
soa_status soa_scenario_own_joint(const soa_scenario *scenario, const soa_controller *c, const soa_yaml *node,
    const char *name, int *joint, soa_error *error);

/* The reference of c, whose joints are known: target, waypoints with timing, or table. */
soa_status soa_scenario_reference(soa_scenario *scenario, const soa_yaml *node, soa_controller *c, soa_error *error);

/* Numbers over time {t: [...], NAME: [...]} under a key: the path of each name goes where `find` says. */
typedef soa_path *soa_path_finder(void *context, const soa_yaml *node, const char *name, soa_error *error);
soa_status soa_scenario_lists(soa_scenario *scenario, const soa_yaml *node, const char *key, soa_path_finder *find,
    void *context, soa_error *error);

/* The point under a key: {link: NAME, at: [x, y, z], rpy: [...]}, or the name of a link or frame. */
soa_status soa_scenario_point(
    soa_scenario *scenario, const soa_yaml *node, const char *key, soa_point *point, soa_error *error);

/* The body that the joint named by a value moves. */
soa_status soa_scenario_joint(const soa_scenario *scenario, const soa_yaml *value, soa_body *body, soa_error *error);

/* Makes a simulation with a setup and frees it: what it refuses is refused at the place of node. Methods from outside are
 * not asked for. Keeps it instead of freeing it if `kept` is not NULL. */
soa_status soa_scenario_try(
    const soa_scenario *scenario, const soa_yaml *node, soa_sim_setup setup, soa_sim **kept, soa_error *error);

/* `error` moved to the place of node. */
soa_status soa_scenario_place(const soa_yaml *node, soa_status status, soa_error *error);

/* The table in a CSV file beside the scenario that a value names; rising: the first column must be times. */
soa_status soa_scenario_table(
    soa_scenario *scenario, const soa_yaml *value, bool rising, soa_table *table, soa_error *error);

#endif
