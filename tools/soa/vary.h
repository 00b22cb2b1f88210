/* vary.h - parameters of a scenario that differ from run to run: --vary PATH=DISTRIBUTION. */
#ifndef SOA_TOOL_VARY_H
#define SOA_TOOL_VARY_H

#include "soa/scenario.h"
#include "tool.h"

typedef enum vary_what { VARY_Q, VARY_V, VARY_MASS, VARY_GRAVITY, VARY_FORCE } vary_what;

/* One parameter. */
typedef struct vary {
    const char *text; /* its path */
    size_t length;
    vary_what what;
    int index;     /* number in q or v, link, axis of gravity, or force */
    size_t offset; /* of the number in soa_force */
    int other;     /* a force that has the name but not the word; -1: none */
    bool normal;   /* else uniform */
    double a, b;   /* mean and deviation, or both ends */
} vary;

/* What a run is made of: copies of what the scenario has, with the numbers of the run. */
typedef struct varied {
    soa_model *model; /* NULL: that of the scenario */
    soa_sim_setup setup;
    double *state; /* q, then v */
    soa_force *force;
} varied;

/* "q.elbow=normal(0,0.1)" and alike. */
void vary_read(const tool_call *call, const soa_scenario *scenario, const char *text, vary *out);

/* The number of parameter i in run `run`: it depends on the seed, the run and i alone. */
double vary_number(const vary *v, unsigned long long seed, long run, int i);

/* Whether the scenario records the signal. */
bool tool_is_recorded(const soa_scenario *scenario, const char *signal);

/* Room for runs; then one run with its numbers. NULL or not SOA_OK: no memory, or a number that is refused. */
bool varied_new(const soa_scenario *scenario, varied *out);
soa_status varied_set(
    const soa_scenario *scenario, int count, const vary *v, const double *number, varied *out, soa_error *error);
void varied_free(varied *out);

#endif
