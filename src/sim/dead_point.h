/* sim/dead_point.h - how a mechanism passes positions in which branches of positions cross. */
#ifndef SOA_SIM_DEAD_POINT_H
#define SOA_SIM_DEAD_POINT_H

#include "sim/sim_system.h"

/* ---- dead_point.c ---- */
void sim_passage_make(soa_sim *sim);

/* At an event: velocities jump, closures come and go. */
void sim_passage_forget(soa_sim *sim);

/* At the front, whose rate is in f_front: where a dead point has been passed onto another branch, the front goes back to
 * the branch before; the rate is then made anew. Reported as a branch kept, or changed where that fails. */
soa_status sim_pass_dead_point(soa_sim *sim, soa_error *error);

/* ---- coast.c ---- */

/* After each evaluation: what the closures are like there. */
void sim_note_closures(soa_sim *sim);

/* When the front comes to a dead point, as far as it can be told; HUGE_VAL: none is near. Called once at each front. */
double sim_time_to_dead_point(soa_sim *sim);

/* From s->y0 at s->t over a dead point that is `ahead`, to s->y1 at s->t + s->h with its rate in k[SIM_COASTED]; false, and
 * nothing has happened: what the motion was before does not tell it well enough. */
bool sim_coast(soa_sim *sim, double ahead, double most);

/* What positions may miss at a state like that of the last evaluation: less than `shut` near a dead point. */
double sim_shut_tightly(const soa_sim *sim);

/* Whether the step that was tried may have come near a dead point, so that a shorter one is to be taken. */
bool sim_comes_near(soa_sim *sim);

/* ---- stepper.c ---- */

/* One step of rk45 from y0 (rate k[0]) to y1 (rate k[6]); its error beside what is allowed. */
soa_status sim_step_explicit(soa_sim *sim, double *off, soa_error *error);

#endif
