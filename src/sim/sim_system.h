/* sim/sim_system.h - the inside of a simulation.
 *
 * The state y is q (nq numbers), v (nv), then z: the work of every element and every controller, and the integrals of the
 * controllers that have one. sim_system.c makes dy/dt of it, stepper.c and implicit.c make steps, sim.c makes time pass.
 * What a simulation consists of is in parts.h. */
#ifndef SOA_SIM_SIM_SYSTEM_H
#define SOA_SIM_SIM_SYSTEM_H

#include <math.h>

#include "core/memory.h"
#include "sim/parts.h"

enum { SIM_STAGES = 16, SIM_DENSE = 7, SIM_CHECKS = 4 };

/* The last step, so that the state can be had anywhere in it. */
typedef struct sim_step {
    double t, h;
    double *y0, *y1, *k[SIM_STAGES], *dense[SIM_DENSE];
    bool dense_ready;
    bool coasted; /* over a dead point: coast.c */
} sim_step;

/* Numbers of a simulation that change while it runs. */
typedef struct sim_numbers {
    double *at;
    size_t count;
} sim_numbers;

/* What is known of a dead point that comes or was passed; in numbers, so that a checkpoint keeps them. */
typedef struct sim_dead_point {
    double known;  /* 1: there is a last state before it */
    double inside; /* 1: and states near the dead point came since */
    double time, rank;
    double falls; /* the smallest singular value of the closures at the last front, 0: not known; and the time */
    double falls_at, falls_rank;
    double tried; /* that from which the way over a dead point was last tried, 0: none; and its error */
    double off;
    double nears; /* so often steps were made shorter since one was not */
    double tries; /* so many have failed since singular values began to fall */
    double least; /* the smallest one since it was last set */
} sim_dead_point;

enum { SIM_COAST_NODES = 6, SIM_COASTED = 13 };

/* The last state before a dead point: y, accelerations and their rate; y on its branch behind the dead point. */
typedef struct sim_passage {
    sim_dead_point *point;
    double *y, *a, *jerk, *on, *w;
    double *rates; /* coast.c: dy/dt at SIM_COAST_NODES times */
} sim_passage;

enum { SIM_NUMBERS = 96 };

/* What changes after soa_sim_new must be in `where it is`, among the numbers of sim_numbers_take, in a pass function of
 * its part, or be made anew by every step: checkpoint.c saves and loads it. */
struct soa_sim {
    /* set when it is made */
    const soa_model *model;
    soa_allocator allocator;
    soa_arena arena;
    soa_sim_setup setup;
    soa_workspace *workspace;
    soa_closures *closures; /* NULL: none */
    soa_forces *forces;
    int nq, nv, nz, ny;
    bool loaded; /* some elements act at points, so f is not always zero */
    int controllers, events, signals;
    sim_controller *controller;
    sim_event *event;
    sim_signal *signal;
    sim_formula *formula;       /* of the last setup.signals signals */
    int holds, actuators, lags; /* lags: numbers at the end of z */
    sim_hold *hold;
    sim_actuator *actuator;
    int sensors;
    sim_sensor *sensor;
    bool *driven; /* by velocity: controllers act there by way of an actuator */
    void *outer;  /* an integrator from outside */
    sim_numbers block[SIM_NUMBERS];
    int blocks;
    /* where it is: y at time t, which lies in the last step; the integrator itself has come to `front` */
    double t, front, h;
    double *y, *y_front, *f_front;
    bool f_ready;
    bool at_break; /* forces may jump at the front */
    bool stopped;
    bool due;                        /* an event has been found, and is at the front */
    double *sensed;                  /* what sensors remember */
    double *hold_mode, *hold_before; /* modes of holds, and their sides when they were last looked at */
    sim_step step;
    sim_passage passage;
    /* scratch of an evaluation */
    double *q, *T, *f, *vdot, *y_stage, *y_try, *change;
    double *control;        /* forces of one controller */
    double *command;        /* what controllers want where an actuator passes it on, nv numbers */
    double *control_work;   /* implicit: of the derivatives of controllers: 6 nv nv + 25 nv + 27 per body */
    double *lag_rows;       /* implicit: derivatives of lags, and of vdot by them, 3 nv numbers each */
    double *motor;          /* torque at the joint and command of each actuator */
    double *energy, *power; /* of each element */
    double *wrench;         /* of each element at points, on a, 6 numbers */
    double *depth;          /* of each contact */
    double *loads;          /* of the joints, for sensors: 12 numbers per body */
    double *spin;           /* of links, for sim_spin_look; NULL: there is nothing to look at */
    double *value;          /* of each signal */
    double *A, *lu;         /* implicit: derivatives, and the matrix of its stages */
    size_t *pivot;
    double *hold_on, *hold_force; /* whether holds act; what holds those that are held */
    double *hold_columns, *hold_work;
    double *hold_goal; /* the acceleration of each row */
    int *hold_row;
    bool *prescribed;
    int leads; /* joints of controllers of kind prescribed */
    /* what has happened */
    soa_sim_report report;
    soa_event_record *record;
    int record_room;
};

/* Whether rows of closures hold the system now. */
static inline bool sim_is_closed(const soa_sim *sim)
{
    return sim->closures && soa_closures_rows(sim->closures) > 0;
}

/* ---- sim_new.c, sim.c ---- */

/* Takes `count` numbers, zero at first, which a checkpoint keeps; without memory the arena has failed. */
double *sim_numbers_take(soa_sim *sim, size_t count);

/* The next time at which a force starts or ends, a table or path has a corner or an event is due, but not beyond t. */
double sim_next_break(const soa_sim *sim, double t);

/* ---- spin.c ---- */

/* Takes the memory of sim_spin_look, if the model has flexible links without stiffening. */
void sim_spin_take(soa_sim *sim);

/* Notes in the report the first flexible link without stiffening that turns faster at the front than its data can bear. */
soa_status sim_spin_look(soa_sim *sim, soa_error *error);

/* ---- sim_system.c ---- */

/* The body that the joint of a link moves with one velocity; -1: none. */
int sim_joint_of(const soa_sim *sim, int link);

/* dy/dt at a state whose quaternions need not be of unit length. */
soa_status sim_rate(soa_sim *sim, double t, const double *y, double *rate, soa_error *error);

/* The forces of elements and controllers at a state with valid q, into sim->T and sim->f; rates of z if not NULL. */
soa_status sim_forces(
    soa_sim *sim, double t, const double *q, const double *v, const double *z, double *z_rate, soa_error *error);

/* vdot for sim->T and sim->f; forces of joints that are held are added to sim->T. hold.c */
soa_status sim_accelerate(soa_sim *sim, double t, const double *q, const double *v, double *vdot, soa_error *error);

/* vdot at a state that may lie a little beside the closures, inside a step, where redundant rows contradict each other:
 * vdot satisfies those that are independent. Whether the closures can be satisfied is asked at the end of the step. */
soa_status sim_accelerate_near(
    soa_sim *sim, double t, const double *q, const double *v, double *vdot, soa_error *error);

/* sim_forces, then sim_accelerate into sim->vdot, at y. */
soa_status sim_accelerate_at(soa_sim *sim, double t, const double *y, soa_error *error);

/* The velocities `out` of the front after an impulse at a velocity, v + Mass^-1 impulse e_at, moved onto the closures. */
soa_status sim_strike(soa_sim *sim, int at, double impulse, double *out, soa_error *error);

/* At the front, when closures have come or gone: which of their rows are redundant. */
soa_status sim_judge_redundancy(soa_sim *sim, soa_error *error);

/* Energy of the model (kinetic, gravity) and of elements at y: energy[0] kinetic, energy[1] potential. */
soa_status sim_energy(soa_sim *sim, double t, const double *y, double energy[2], soa_error *error);

/* Quaternions of y to unit length; then, if closures are violated by more than `shut`, y onto them. *moved: by the
 * projection. */
soa_status sim_settle(soa_sim *sim, double *y, bool *moved, soa_error *error);

/* ---- hold.c, hold_switch.c ---- */
soa_status sim_holds_make(soa_sim *sim, soa_error *error);
soa_status sim_holds_start(soa_sim *sim, soa_error *error);

/* Adds friction that slips to sim->T, and its power. */
void sim_hold_forces(soa_sim *sim, double t, const double *v);

/* Derivatives of vdot, nv rows of so many columns, become those while joints are held. */
void sim_hold_derivatives(soa_sim *sim, const double *vdot_T, size_t columns, double *vdot_x);

/* Gives for each hold a number that is negative while its mode lasts; sim_accelerate has been called at y. */
void sim_hold_sides(const soa_sim *sim, const double *y, double *side);
bool sim_hold_crosses(double before, double after);

/* Velocities of y that are held become zero; whether one was not. */
bool sim_holds_pin(const soa_sim *sim, double *y);

/* ---- prescribe.c: joints that move as they are told ---- */

/* Prescribed joints of y are where their references are at the front; whether one was not. */
bool sim_leads_pin(const soa_sim *sim, double *y);

/* Adds the rows of prescribed joints to hold_row, with their accelerations at time t; how many rows there are then. */
int sim_lead_rows(soa_sim *sim, double t, int rows);

/* The power of the controllers whose joints are prescribed, into the rates of z. force: of each velocity. */
void sim_lead_powers(const soa_sim *sim, const double *v, const double *force, double *z_rate);

/* Counts the joints that controllers prescribe; a controller that cannot prescribe its joints is refused. */
soa_status sim_leads_count(soa_sim *sim, soa_error *error);

/* At the start, or when the controller is started: whether the joints are where they are to be. */
soa_status sim_lead_check(const soa_sim *sim, const sim_controller *c, double t, const double *y, soa_error *error);

/* At the front: impacts, then modes. side: those of sim_hold_sides there; NULL: look at the state alone. */
soa_status sim_holds_switch(soa_sim *sim, const double *side, soa_error *error);

/* ---- controller.c, control.c ---- */
soa_status sim_control_refuse(const sim_controller *c, soa_status status, soa_error *error, const char *why);
soa_status sim_controller_make(soa_sim *sim, sim_controller *c, const double *q0, soa_error *error);
void sim_controller_free(sim_controller *c);
soa_status sim_control(soa_sim *sim, const sim_controller *c, double t, const double *q, const double *v,
    const double *z, double *z_rate, soa_error *error);

/* The gain of joint number i; zero if it was not given. */
static inline double sim_gain(const double *k, int i)
{
    return k ? k[i] : 0.0;
}

/* Whether the controller knows the state of joint number i itself: what an encoder shows is constant during a step. */
static inline bool sim_controller_knows(const sim_controller *c, int i)
{
    return !c->setup.sensor || c->setup.sensor[i] < 0;
}

/* The acceleration that the gains of joint number i ask for: reference'' - kp e - kd de/dt. */
double sim_asked(const sim_controller *c, int i);

/* Where joint number i of the controller is to be at time t, with two derivatives. */
void sim_reference_at(const sim_controller *c, int i, double t, double x[3]);

/* ---- control_derivatives.c ---- */

/* The derivatives of the forces of all controllers by q and v, nv x nv each, added. */
soa_status sim_control_derivatives(soa_sim *sim, double t, const double *q, const double *v, const double *z,
    double *by_q, double *by_v, soa_error *error);

/* ---- led_point.c ---- */
soa_status sim_led_make(soa_sim *sim, sim_controller *c, const double *q0, soa_error *error);
soa_status sim_led_run(
    soa_sim *sim, const sim_controller *c, double t, const double *q, const double *v, soa_error *error);

/* ---- actuator.c ---- */
soa_status sim_actuators_count(soa_sim *sim, soa_error *error);
soa_status sim_actuators_make(soa_sim *sim, const double *q0, soa_error *error);

/* Adds what the actuators do for sim->command to sim->T; rates of z if not NULL. */
void sim_actuate(soa_sim *sim, double t, const double *q, const double *v, const double *z, double *z_rate);

/* Lags after dt, what is wanted staying as it was at y0, into y; and at the end of a step whose rates are known at both
 * ends and in the middle (k[0], k[1], k[2]). For steps that do not integrate z as they do q and v. */
void sim_lags_ahead(const soa_sim *sim, const double *y0, const double *rate, double dt, double *y);
void sim_lags_finish(const soa_sim *sim, const double *y_middle);

/* The derivatives of the forces of controllers become those of what comes through actuators, and those of servos. lag:
 * derivatives of the rates of torques with a lag by q, then by v, nv numbers each. */
void sim_actuator_derivatives(
    soa_sim *sim, double t, const double *q, const double *v, double *by_q, double *by_v, double *lag);

/* The lag of number l among those that are not zero; derivatives of vdot by their torques, nv x lags numbers. */
double sim_lag_of(const soa_sim *sim, int l);
void sim_lag_columns(const soa_sim *sim, const double *vdot_T, double *columns);

/* ---- sensor.c ---- */
soa_status sim_sensors_make(soa_sim *sim, soa_error *error);

/* The next time after the front at which a sample is taken or shown, but not beyond `next`. */
double sim_sensors_next(const soa_sim *sim, double next);

/* Takes and shows the samples whose time has come at the front. */
soa_status sim_sensors_update(soa_sim *sim, soa_error *error);
const double *sim_sensor_shown(const soa_sim *sim, int sensor);

/* ---- stepper.c ---- */

/* How much sums of steps may miss a time. */
static inline double sim_rounding(double t)
{
    return 1e-15 * fmax(1.0, fabs(t));
}

/* The fixed step where `most` is left of the way: all of it if that is one step but for rounding. */
static inline double sim_fixed_step(const soa_sim *sim, double most)
{
    return most <= (1.0 + 1e-9) * sim->setup.step ? most : sim->setup.step;
}

/* One step from front of at most sim->h (and at most `most`), accepted; sets sim->step and sim->h for the next. */
soa_status sim_step_once(soa_sim *sim, double most, soa_error *error);

/* The state at time t of the last step, quaternions of unit length. */
soa_status sim_interpolate(soa_sim *sim, double t, double *y, soa_error *error);

/* ---- implicit.c, variational.c: the state at the end of the step in y1, its rate in k[1] ---- */
soa_status sim_step_implicit(soa_sim *sim, soa_error *error);

/* implicit_derivatives.c: vdot_q and vdot_v of everything that acts, into the first two of the five matrices of sim->A. */
soa_status sim_derivatives(soa_sim *sim, double t, const double *y, soa_error *error);

/* The error of the last implicit step beside what is allowed: up to 1 is good. */
double sim_error_implicit(const soa_sim *sim);

static inline bool sim_is_implicit(const soa_sim *sim)
{
    return sim->setup.method == SOA_IMPLICIT || sim->setup.method == SOA_STIFF;
}

soa_status sim_step_variational(soa_sim *sim, soa_error *error);

/* The rate at the end of the step; then the work and the integrals, by the rule of Simpson on the step that was made. */
soa_status sim_finish_account(soa_sim *sim, soa_error *error);

/* ---- outer.c: integrators from outside ---- */
soa_status sim_outer_make(soa_sim *sim, soa_error *error);

/* One step from the front, not beyond `most`; f_ready says whether the integrator may go on from its own state. */
soa_status sim_outer_step(soa_sim *sim, double most, soa_error *error);

/* Whether y, which was moved onto the closures, is still the state of the integrator within its tolerances. */
bool sim_outer_agrees(const soa_sim *sim, const double *y);

/* ---- signals.c, events.c ---- */
soa_status sim_signals_make(soa_sim *sim, soa_error *error);
soa_status sim_signals_at(soa_sim *sim, double t, const double *y, soa_error *error);
soa_status sim_events_make(soa_sim *sim, soa_error *error);

/* Looks for events in the last step. If there is one, the front goes back to it, and it is due. */
soa_status sim_events_look(soa_sim *sim, soa_error *error);

/* Does what is due at the front. */
soa_status sim_events_do(soa_sim *sim, soa_error *error);

#endif
