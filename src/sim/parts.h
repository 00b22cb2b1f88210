/* sim/parts.h - the parts of a simulation made ready: controllers, actuators, sensors, events, signals, holds. */
#ifndef SOA_SIM_PARTS_H
#define SOA_SIM_PARTS_H

#include "soa/expr.h"
#include "soa/sim.h"

/* A controller made ready. */
typedef struct sim_controller {
    soa_controller setup;
    bool enabled;
    int *at_q, *at_v;     /* of each joint */
    int integral;         /* first of its numbers in z, from the start of z */
    double *reference;    /* of each joint, if the setup has none: the initial q */
    soa_program *program; /* of an expression */
    soa_compiled *compiled;
    soa_runner *runner;
    double *e, *edot, *qd_ref, *qdd_ref, *value; /* nv numbers each: what the expression sees and gives */
    struct sim_led *led;                         /* of operational-space and computed-torque */
} sim_controller;

/* A motor made ready. */
typedef struct sim_actuator {
    soa_actuator setup;
    int at_q, at_v;
    int state;        /* its torque in z; -1: it has no lag */
    double reference; /* if the setup has none */
} sim_actuator;

/* A sensor made ready. */
typedef struct sim_sensor {
    soa_sensor setup;
    int body;     /* of the joint */
    int channels; /* numbers of a sample */
    int room;     /* samples that wait at most */
    size_t memory;
} sim_sensor;

/* An event, and on which side of its value the signal was. */
typedef struct sim_event {
    soa_event setup;
    int signal; /* -1: time */
    double before;
    bool done;
} sim_event;

/* A signal: where its number is. */
typedef enum sim_source {
    SIM_TIME,
    SIM_Q,
    SIM_V,
    SIM_VDOT,
    SIM_TAU,
    SIM_KINETIC,
    SIM_POTENTIAL,
    SIM_POWER,
    SIM_WORK,
    SIM_NORMAL,
    SIM_MARGIN,
    SIM_FORCE,
    SIM_MOMENT,
    SIM_MOTOR,
    SIM_SENSED,
    SIM_DEPTH,
    SIM_PRESS,
    SIM_FORMULA,
} sim_source;

/* A step of a formula: a function of what is on the stack (function >= 0), a signal (signal >= 0) or a number. */
typedef struct sim_formula_step {
    int function, signal;
    double number;
} sim_formula_step;

typedef struct sim_formula {
    int steps;
    sim_formula_step *step;
} sim_formula;

typedef struct sim_signal {
    const char *name;
    sim_source source;
    int index;
} sim_signal;

/* A joint with dry friction that sticks, or with a hard stop. */
typedef struct sim_hold {
    int element, at_q, at_v;
    bool stop;
} sim_hold;

#endif
