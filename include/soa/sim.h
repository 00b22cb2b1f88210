/* soa/sim.h - simulation: a model, its forces, controllers and closures, moved through time.
 *
 *     soa_sim_setup setup = soa_sim_setup_default();
 *     setup.q = q;
 *     soa_sim_new(model, &setup, NULL, &sim, &error);
 *     while (soa_sim_time(sim) < 10.0) {
 *         soa_sim_advance(sim, soa_sim_time(sim) + 0.01, &error);      (soa_sim_q, soa_sim_v, soa_sim_signal ...)
 *     }
 *
 * The state is q, v and what controllers and the account of energy add. Closures and couplings of the model act; after
 * each step the state is projected onto them in the metric of the mass matrix. Only soa_sim_new allocates. A simulation
 * belongs to one thread at a time; the model may be shared. The same setup gives the same bits. */
#ifndef SOA_SIM_H
#define SOA_SIM_H

#include "soa/closure.h"
#include "soa/force.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- integrators ----------------------------------------------------------------------- */

/* Every method: name, text, order, whether it chooses its step, meaning. */
#define SOA_METHOD_LIST(X)                                                                                      \
    X(SOA_RK45, "rk45", 5, true, "Dormand and Prince 5(4), adaptive")                                           \
    X(SOA_RK853, "rk853", 8, true, "Dormand and Prince 8(5,3), adaptive: for small tolerances")                 \
    X(SOA_RK4, "rk4", 4, false, "the classical Runge-Kutta method, fixed step")                                 \
    X(SOA_IMPLICIT, "implicit", 3, false,                                                                       \
        "linearly implicit (Rodas3) with exact derivatives, fixed step: for stiff forces")                      \
    X(SOA_STIFF, "stiff", 3, true, "the same, adaptive: for contacts and friction")                             \
    X(SOA_VARIATIONAL, "variational", 2, false, "symplectic, keeps momenta, fixed step: for very long motions") \
    X(SOA_CVODE, "cvode", 5, true, "BDF of CVODE (SUNDIALS), adaptive: for stiff forces")                       \
    X(SOA_CVODE_ADAMS, "cvode-adams", 12, true, "Adams methods of CVODE (SUNDIALS), adaptive")                  \
    X(SOA_ARKODE, "arkode", 4, true, "diagonally implicit Runge-Kutta of ARKODE (SUNDIALS), adaptive")          \
    X(SOA_IDA, "ida", 5, true, "BDF of IDA (SUNDIALS), adaptive")

typedef enum soa_sim_method {
#define SOA_METHOD_NAME(name, text, order, adaptive, meaning) name,
    SOA_METHOD_LIST(SOA_METHOD_NAME)
#undef SOA_METHOD_NAME
        SOA_METHODS
} soa_sim_method;

SOA_API const char *soa_sim_method_text(soa_sim_method method);
SOA_API const char *soa_sim_method_meaning(soa_sim_method method);
SOA_API bool soa_sim_method_adaptive(soa_sim_method method);
SOA_API bool soa_sim_method_outside(
    soa_sim_method method); /* it needs an integrator from outside: see soa_integrator */
SOA_API soa_sim_method soa_sim_method_find(const char *text); /* SOA_METHODS: none */

/* The rate of the state y at time t. */
typedef soa_status soa_rate_function(void *context, double t, const double *y, double *rate, soa_error *error);

/* The task of an integrator from outside. */
typedef struct soa_integration {
    soa_sim_method method;
    const char *name;
    int size; /* numbers of y */
    double rtol, atol;
    double largest; /* step; 0: no bound */
    soa_rate_function *rate;
    soa_rate_function *project; /* out: y moved onto the closures; NULL: there are none */
    void *context;
} soa_integration;

/* An integrator from outside libsoa, such as those of SUNDIALS (modules/sundials.c). */
typedef struct soa_integrator {
    soa_status (*make)(const soa_integration *task, void **self, soa_error *error);
    void (*free)(void *self);
    soa_status (*begin)(void *self, double t, const double *y, soa_error *error); /* anew from there */
    /* One step of a length of its own, but not beyond `until`. */
    soa_status (*step)(void *self, double until, double *t, double *y, soa_error *error);
    soa_status (*at)(void *self, double t, double *y, soa_error *error); /* the state inside the last step */
} soa_integrator;

/* ---- paths ------------------------------------------------------------------------------- */

typedef enum soa_timing {
    SOA_TIMING_LINEAR,      /* straight lines between the points */
    SOA_TIMING_QUINTIC,     /* each stretch starts and ends at rest, smooth in acceleration */
    SOA_TIMING_TRAPEZOIDAL, /* each stretch: a quarter speeding up, half at constant speed, a quarter slowing down */
    SOA_TIMING_SMOOTH,      /* cubic, at each point with the slope of a parabola through it and its neighbours */
} soa_timing;

/* A number over time through points; constant beyond both ends. */
typedef struct soa_path {
    soa_series points;
    soa_timing timing;
} soa_path;

/* Gives the value of the path at t, its rate and its second rate. */
SOA_API void soa_path_at(const soa_path *path, double t, double x[3]);

/* ---- controllers -------------------------------------------------------------------------- */

/* Every kind: name, text, meaning; e = reference - q. */
#define SOA_CONTROLLER_LIST(X)                                                                                     \
    X(SOA_CONTROL_PD, "pd", "T = kp e + kd de/dt")                                                                 \
    X(SOA_CONTROL_PID, "pid", "T = kp e + ki (integral of e) + kd de/dt")                                          \
    X(SOA_CONTROL_GRAVITY, "gravity", "T = what holds its joints against gravity")                                 \
    X(SOA_CONTROL_COMPUTED_TORQUE, "computed-torque", "T = inverse dynamics of reference'' + kp e + kd de/dt")     \
    X(SOA_CONTROL_POINT, "operational-space", "leads a point; what is free then leads the joints: see below")      \
    X(SOA_CONTROL_PRESCRIBED, "prescribed", "the joints move as their reference does, whatever force it takes")    \
    X(SOA_CONTROL_EXPRESSION, "expression", "T = an expression of the operator language; e = q - reference there") \
    X(SOA_CONTROL_CALLBACK, "callback", "T = what a function of the user's says")

typedef enum soa_controller_kind {
#define SOA_CONTROLLER_NAME(name, text, meaning) name,
    SOA_CONTROLLER_LIST(SOA_CONTROLLER_NAME)
#undef SOA_CONTROLLER_NAME
        SOA_CONTROLLER_KINDS
} soa_controller_kind;

SOA_API const char *soa_controller_kind_text(soa_controller_kind kind);
SOA_API soa_controller_kind soa_controller_kind_find(const char *text); /* SOA_CONTROLLER_KINDS: none */

/* A function that adds forces to T (nv numbers). Its result must depend on its arguments alone. */
typedef soa_status soa_control_function(
    void *context, double t, const double *q, const double *v, double *T, soa_error *error);

/* The point of an operational-space controller, and its path. The controller asks for the acceleration
 *     a = reference'' + kp (reference - x) + kd (reference' - x'),
 * x the place and, if turn_kp or turn_kd is not zero, the rotation. Of all vdot with J vdot + J' v = a that leave the joints
 * which it does not drive without force, it takes the nearest (in the metric of the mass matrix) to that of its joint gains
 * kp, kd about `reference`, and T = Mass vdot + C. It knows gravity, but no closures and no force elements. */
typedef struct soa_led_point {
    soa_point at;
    const soa_path
        *path;     /* x, y, z and roll, pitch, yaw in the world, 6; points.count 0: as it begins; NULL: all of them */
    double kp, kd; /* 1/s^2, 1/s */
    double turn_kp, turn_kd;
} soa_led_point;

/* One controller. Its joints have one coordinate each. Arrays have one item per joint and must live as long as the
 * simulation. kp, ki and kd may be NULL, which means zeros; reference NULL means the initial q. */
typedef struct soa_controller {
    const char *name; /* may be NULL */
    soa_controller_kind kind;
    int joints;
    const int *link; /* the links that the joints carry */
    const double *kp, *ki, *kd;
    const soa_path *reference;
    const int *sensor;          /* of each joint the encoder that tells q and v, -1: they are known; NULL: all are */
    const double *limit;        /* largest force of each joint; NULL: none */
    const char *expression;     /* of type joint force; it may use e, edot, q_ref' ' as qd_ref, and qdd_ref */
    const soa_led_point *point; /* of operational-space */
    soa_control_function *function;
    void *context;
    bool inactive;
} soa_controller;

/* ---- actuators ----------------------------------------------------------------------------- */

/* Every kind: name, text, meaning. */
#define SOA_ACTUATOR_LIST(X)                                                                    \
    X(SOA_ACTUATOR_TORQUE, "torque", "passes on the forces that controllers want at its joint") \
    X(SOA_ACTUATOR_VELOCITY, "velocity", "kd (reference - v)")                                  \
    X(SOA_ACTUATOR_POSITION, "position", "kp (reference - q) + kd (reference' - v)")

typedef enum soa_actuator_kind {
#define SOA_ACTUATOR_NAME(name, text, meaning) name,
    SOA_ACTUATOR_LIST(SOA_ACTUATOR_NAME)
#undef SOA_ACTUATOR_NAME
        SOA_ACTUATOR_KINDS
} soa_actuator_kind;

SOA_API const char *soa_actuator_kind_text(soa_actuator_kind kind);
SOA_API soa_actuator_kind soa_actuator_kind_find(const char *text); /* SOA_ACTUATOR_KINDS: none */

/* A motor at a joint with one coordinate. Its own torque m is bounded by `limit`, while it drives by
 * limit (1 - |gear v| / speed); it follows with m' = (wanted - m) / lag. The joint feels gear m. */
typedef struct soa_actuator {
    const char *name; /* may be NULL */
    soa_actuator_kind kind;
    int link;                  /* that the joint carries */
    double gear;               /* turns of the motor per turn of the joint */
    double limit;              /* largest torque of the motor */
    double speed;              /* of the motor, at which it has no torque left to drive */
    double lag;                /* seconds; 0: none */
    double kp, kd;             /* of servos: force of the joint per coordinate and velocity of the joint */
    const soa_path *reference; /* of servos; NULL: the initial q, or rest. Must live as long as the simulation */
} soa_actuator;

/* Returns an actuator with gear 1, without limits, lag and gains. */
SOA_API soa_actuator soa_actuator_default(const char *name, soa_actuator_kind kind);

/* ---- sensors ------------------------------------------------------------------------------- */

/* Every kind: name, text, channels, meaning. Half of the channels has bias[0] and noise[0], the other half the second. */
#define SOA_SENSOR_LIST(X)                                                                                           \
    X(SOA_SENSOR_ENCODER, "encoder", 2, "q; v of a joint with one coordinate")                                       \
    X(SOA_SENSOR_IMU, "imu", 6, "angular velocity; acceleration less gravity, of a point in its axes")               \
    X(SOA_SENSOR_JOINT, "joint-force", 6, "moment; force of the parent on the link of a joint, in the link's frame") \
    X(SOA_SENSOR_CLOSURE, "closure-force", 6, "moment; force on a of a closure, world axes")                         \
    X(SOA_SENSOR_CONTACT, "contact-force", 6, "moment; force on a of a force element at points, world axes")

typedef enum soa_sensor_kind {
#define SOA_SENSOR_NAME(name, text, channels, meaning) name,
    SOA_SENSOR_LIST(SOA_SENSOR_NAME)
#undef SOA_SENSOR_NAME
        SOA_SENSOR_KINDS
} soa_sensor_kind;

SOA_API const char *soa_sensor_kind_text(soa_sensor_kind kind);
SOA_API soa_sensor_kind soa_sensor_kind_find(const char *text); /* SOA_SENSOR_KINDS: none */
SOA_API int soa_sensor_kind_channels(soa_sensor_kind kind);

typedef struct soa_sensor {
    const char *name; /* may be NULL */
    soa_sensor_kind kind;
    int link;           /* encoder, joint-force: that the joint carries */
    soa_point at;       /* imu */
    int closure, force; /* closure-force: number of the closure; contact-force: of the element */
    double rate;        /* samples per second, from t = 0 on */
    double delay;       /* seconds until a sample is shown; the first is shown at once */
    double bias[2];
    double noise[2];   /* standard deviation; sum of twelve uniform numbers */
    double resolution; /* encoder: of q; others: of the first half. 0: none */
    unsigned long long seed;
} soa_sensor;

/* Returns a sensor with 1000 samples per second, exact and without delay. */
SOA_API soa_sensor soa_sensor_default(const char *name, soa_sensor_kind kind);

/* ---- signals of the user's ------------------------------------------------------------------- */

/* A signal made of others (soa_sim_signals), such as "q.elbow - 2 * q.wrist": numbers, names of signals before it,
 * + - * / ^ ( ), abs sqrt exp log sin cos tan, atan2 hypot min max of two. A value that is not finite is an error. */
typedef struct soa_signal {
    const char *name, *formula;
} soa_signal;

/* ---- events -------------------------------------------------------------------------------- */

/* Every action: name, text, meaning. */
#define SOA_ACTION_LIST(X)                                                                                      \
    X(SOA_ACTION_RECORD, "record", "notes the time")                                                            \
    X(SOA_ACTION_STOP, "stop", "ends the simulation")                                                           \
    X(SOA_ACTION_ATTACH, "attach", "enables a closure where its frames are now; velocities jump inelastically") \
    X(SOA_ACTION_ENABLE_CLOSURE, "enable-closure", "enables a closure as described; the state must be near it") \
    X(SOA_ACTION_DETACH, "detach", "disables a closure")                                                        \
    X(SOA_ACTION_ENABLE, "enable", "enables a force")                                                           \
    X(SOA_ACTION_DISABLE, "disable", "disables a force")                                                        \
    X(SOA_ACTION_START, "start", "starts a controller")                                                         \
    X(SOA_ACTION_HALT, "halt", "halts a controller")                                                            \
    X(SOA_ACTION_IMPULSE, "impulse", "an impulse at a joint")

typedef enum soa_action_kind {
#define SOA_ACTION_NAME(name, text, meaning) name,
    SOA_ACTION_LIST(SOA_ACTION_NAME)
#undef SOA_ACTION_NAME
        SOA_ACTIONS
} soa_action_kind;

SOA_API const char *soa_action_text(soa_action_kind action);
SOA_API soa_action_kind soa_action_find(const char *text); /* SOA_ACTIONS: none */

/* When a signal crosses a value, the event acts. signal NULL means time. The interpolant of the step locates the event. */
typedef struct soa_event {
    const char *name; /* may be NULL */
    const char *signal;
    double value;
    int direction; /* 1: rising, -1: falling, 0: both */
    bool once;     /* after the first time it is not looked at again */
    soa_action_kind action;
    int target;     /* number of the closure, force, controller or (impulse) the link that the joint carries */
    double impulse; /* N s or N m s */
} soa_event;

/* One event that has happened. */
typedef struct soa_event_record {
    double t;
    int event;
    double energy; /* that the action has added; negative: lost */
} soa_event_record;

/* ---- a simulation ---------------------------------------------------------------------------- */

typedef struct soa_sim soa_sim;

typedef struct soa_sim_setup {
    const double *q, *v; /* NULL: neutral, at rest */
    bool consistent;     /* project q and v onto the closures first; else a violation beyond `shut` is refused */
    soa_sim_method method;
    const soa_integrator *integrator; /* of methods from outside; must live as long as the simulation */
    double step;                      /* of methods with a fixed step */
    double rtol, atol;                /* of adaptive ones */
    double largest;                   /* step; 0: no bound */
    double shut; /* after each step closures are violated by at most this: metres, radians, and per second */
    bool open;   /* leave out closures and couplings */
    bool bare;   /* leave out the springs, damping and friction of the joints */
    bool stick;  /* dry friction of the joints holds them at rest, else it is smooth about zero */
    int forces, controllers, actuators, sensors, signals, events;
    const soa_force *force;
    const soa_controller *controller;
    const soa_actuator *actuator;
    const soa_sensor *sensor;
    const soa_signal *signal;
    const soa_event *event;
    /* Code for the one model, such as `soa emit fd` writes: vdot = Mass^-1 (T - C) of the open tree, and NaN where it has no
     * answer. It stands for soa_forward_dynamics where neither closures nor forces at points act. NULL: there is none. */
    void (*forward)(const double *q, const double *v, const double *T, double *vdot);
} soa_sim_setup;

/* Returns a setup with rk45, rtol 1e-9, atol 1e-12, step 1e-3 and shut 1e-10, and nothing else. */
SOA_API soa_sim_setup soa_sim_setup_default(void);

/* Makes a simulation. allocator NULL means the default one. The force elements of the joints (soa_forces_of_model) come
 * after those of the setup. */
SOA_API soa_status soa_sim_new(const soa_model *model, const soa_sim_setup *setup, const soa_allocator *allocator,
    soa_sim **sim, soa_error *error);
SOA_API void soa_sim_free(soa_sim *sim);

/* Moves to time t, or to the event that stops it (soa_sim_stopped). Methods with a fixed step shorten their last step. */
SOA_API soa_status soa_sim_advance(soa_sim *sim, double t, soa_error *error);

/* Moves several simulations to time t with the bits of soa_sim_advance for each; status and error (or NULL) have a place
 * for each. Returns the first that is not SOA_OK. Those with method rk4, one step and one time, without closures and events,
 * whose models differ in inertias and gravity at most, go in lanes, many times as fast; `exchanged` of their reports
 * then does not look at single steps. Allocates its scratch memory. */
SOA_API soa_status soa_sim_advance_all(int count, soa_sim *const *sim, double t, soa_status *status, soa_error *error);

/* Makes one step of the length dt, whatever the method: for control loops. */
SOA_API soa_status soa_sim_step(soa_sim *sim, double dt, soa_error *error);

SOA_API double soa_sim_time(const soa_sim *sim);
SOA_API bool soa_sim_stopped(const soa_sim *sim); /* by an event */
SOA_API const double *soa_sim_q(const soa_sim *sim);
SOA_API const double *soa_sim_v(const soa_sim *sim);
SOA_API soa_closures *soa_sim_closures(soa_sim *sim); /* NULL: the model has none */
SOA_API soa_forces *soa_sim_forces(soa_sim *sim);

/* Signals: t, q.JOINT, v.JOINT, vdot.JOINT, tau.JOINT (all that elements and controllers do at joints),
 * energy.kinetic, energy.potential (gravity, springs without damping, strain of flexible links), power.FORCE, work.FORCE, work.CONTROLLER, work.ACTUATOR,
 * sensor.NAME.0 and so on (the channels), actuator.NAME.torque (that the joint feels), actuator.NAME.command (torque wanted of the motor),
 * contact.NAME.depth (negative: above the ground) and contact.NAME.force of force elements, closure.NAME.normal,
 * closure.NAME.margin, closure.NAME.force, closure.NAME.moment, then those of the setup. Of a joint with several numbers
 * q.JOINT.0, ... */
SOA_API int soa_sim_signals(const soa_sim *sim);
SOA_API const char *soa_sim_signal_name(const soa_sim *sim, int signal);
SOA_API int soa_sim_signal_find(const soa_sim *sim, const char *name); /* -1: none */

/* Returns what a sensor shows: the last sample whose delay has passed. It is constant during a step, so that functions of
 * controllers may read it. It is NULL if there is no such sensor. */
SOA_API int soa_sim_sensors(const soa_sim *sim);
SOA_API const double *soa_sim_sensor(const soa_sim *sim, int sensor);

/* Computes all signals at the present time. The array belongs to the simulation. It returns NULL after a failure. */
SOA_API const double *soa_sim_signal_values(soa_sim *sim, soa_error *error);

/* The account of a simulation up to now. */
typedef struct soa_sim_report {
    long steps, rejected, evaluations;
    double initial, final;     /* energy: kinetic, gravity, springs, flexible links */
    double work;               /* done by controllers and by elements that do not store energy, and by events */
    double drift;              /* final - initial - work */
    double exchanged;          /* the largest energy or work that was in play: what drift is to be compared with */
    double position, velocity; /* largest violation of the closures at the end of a step */
    int branches_kept;         /* dead points that were passed on the branch on which the mechanism came */
    int branches_changed;      /* steps after which the mechanism is on another branch: dead points passed too fast */
    long impacts;              /* on stops */
    double impact_energy;      /* that they have added: not above zero; part of work */
    int spun_link; /* 1 + the first flexible link that turned faster than data without stiffening can bear */
    double spun_time,
        spun_rate; /* when it first did, and how fast it turned, in rad/s; results after that are not to be trusted */
    int events;
    const soa_event_record *event;
} soa_sim_report;

SOA_API soa_status soa_sim_report_get(soa_sim *sim, soa_sim_report *report, soa_error *error);

/* ---- checkpoints ---------------------------------------------------------------------------------
 * A simulation made anew with the same model and setup, and restored, goes on with the same bits as the one that was
 * saved. What is saved is for this build of the library on this kind of machine. Integrators from outside cannot be saved:
 * SOA_E_UNSUPPORTED. */

SOA_API size_t soa_sim_saved_size(soa_sim *sim);

/* Writes soa_sim_saved_size bytes. */
SOA_API soa_status soa_sim_save(soa_sim *sim, void *saved, soa_error *error);

/* Takes up a saved state. It fails with SOA_E_ARGUMENT if the bytes are not those of a simulation of this kind and size;
 * the simulation then stays as it was. */
SOA_API soa_status soa_sim_restore(soa_sim *sim, const void *saved, size_t size, soa_error *error);

#ifdef __cplusplus
}
#endif
#endif
