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

/* Memory of the scenario, NULL after a failure at node. */
void *soa_scenario_take(soa_scenario *scenario, const soa_yaml *node, size_t count, size_t size);

/* The model with its base and gravity; the state in which it begins. */
void soa_scenario_read_model(soa_scenario *scenario, const soa_yaml *root);
void soa_scenario_read_initial(soa_scenario *scenario, const soa_yaml *root);

/* One force, sensor, controller, actuator or event of a scenario whose model is loaded. `to` is a soa_force and so on. */
typedef void soa_scenario_reader(soa_scenario *scenario, soa_yaml *node, void *to);
soa_scenario_reader soa_scenario_force, soa_scenario_sensor, soa_scenario_controller, soa_scenario_actuator,
    soa_scenario_event;
void soa_scenario_formulas(soa_scenario *scenario, const soa_yaml *root);

/* Refuses events that attach what is attached, detach what is not, or enable a closure that contradicts the others. */
void soa_scenario_check_attach(const soa_scenario *scenario, const soa_yaml *root);

/* The number of the closure of the model, or of the force or controller so far, that a value names. */
int soa_scenario_find(const soa_scenario *scenario, const soa_yaml *value, const char *what);

/* A number for all joints, or a list with one for each; NULL if the key is not there. */
const double *soa_scenario_gains(soa_scenario *scenario, const soa_yaml *node, const char *key, int joints);

/* Which joint of the controller a key names; -1: none. */
int soa_scenario_own_joint(
    const soa_scenario *scenario, const soa_controller *c, const soa_yaml *node, const char *name);

/* The reference of c, whose joints are known: target, waypoints with timing, or table. */
void soa_scenario_reference(soa_scenario *scenario, const soa_yaml *node, soa_controller *c);

/* Numbers over time {t: [...], NAME: [...]} under a key: the path of each name goes where `find` says. */
typedef soa_path *soa_path_finder(void *context, const soa_yaml *node, const char *name);
void soa_scenario_lists(
    soa_scenario *scenario, const soa_yaml *node, const char *key, soa_path_finder *find, void *context);

/* The point under a key: {link: NAME, node: NODE, at: [x, y, z], rpy: [...]}, or the name of a link or frame. */
soa_point soa_scenario_point(const soa_scenario *scenario, const soa_yaml *node, const char *key);

/* The body that the joint named by a value moves, or that of the modes named so; NULL is refused at node. After a failure its
 * link is SOA_NONE. */
soa_body soa_scenario_coordinates(const soa_scenario *scenario, const soa_yaml *node, const soa_yaml *value);

/* The body that the joint named by a value moves; modes are refused too. */
soa_body soa_scenario_joint(const soa_scenario *scenario, const soa_yaml *node, const soa_yaml *value);

/* Makes a simulation with a setup and frees it: what it refuses is refused at the place of node. Methods from outside are
 * not asked for. Keeps it instead of freeing it if `kept` is not NULL. */
void soa_scenario_try(const soa_scenario *scenario, const soa_yaml *node, soa_sim_setup setup, soa_sim **kept);

/* The table in a CSV file beside the scenario that a value names; rising: the first column must be times. */
soa_table soa_scenario_table(soa_scenario *scenario, const soa_yaml *value, bool rising);

#endif
