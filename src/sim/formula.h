/* sim/formula.h - signals made of others: a text becomes steps on a stack. */
#ifndef SOA_SIM_FORMULA_H
#define SOA_SIM_FORMULA_H

#include "sim/sim_system.h"

/* Reads `text`; names are those of the first `signals` signals. The steps are memory of the simulation. */
soa_status sim_formula_read(soa_sim *sim, int signals, const char *text, sim_formula *formula, soa_error *error);

/* The value of a formula, from the values of the signals. */
double sim_formula_value(const sim_formula *formula, const double *signal);

#endif
