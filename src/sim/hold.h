/* sim/hold.h - what the files about holds share. */
#ifndef SOA_SIM_HOLD_H
#define SOA_SIM_HOLD_H

#include <math.h>

#include "force/force_set.h"
#include "sim/sim_system.h"

#define SIM_AT_REST 1e-9 /* velocities, and distances from stops */

static inline const soa_force *sim_force_of(const soa_sim *sim, int i)
{
    return soa_forces_get(sim->forces, sim->hold[i].element);
}

/* What friction can hold. */
static inline double sim_holding_of(const soa_force *e)
{
    return fmax(e->holding, e->value);
}

static inline bool sim_is_held(const soa_sim *sim, int i)
{
    return sim->hold_on[i] != 0.0 && sim->hold[i].stop == (sim->hold_mode[i] != 0.0);
}

/* Beside the closures vdot is still that of independent rows. */
static inline bool sim_is_hard(soa_status status)
{
    return status != SOA_OK && status != SOA_E_CLOSURE;
}

/* The velocities that are held or prescribed at time t, each once, into hold_row, with their accelerations; how many. */
int sim_hold_rows(soa_sim *sim, double t);

/* vdot for sim->T and sim->f as if nothing were held. */
soa_status sim_accelerate_free(soa_sim *sim, const double *q, const double *v, double *vdot, soa_error *error);

/* Column r of hold_columns: what a unit force at row r does to vdot. */
soa_status sim_hold_columns(
    soa_sim *sim, const double *q, const double *v, const double *vdot, int rows, soa_error *error);

#endif
