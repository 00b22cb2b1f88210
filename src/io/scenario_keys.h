/* io/scenario_keys.h - every key of a scenario file, once: the readers refuse what is not here, and the schema for editors is
 * written from here. */
#ifndef SOA_IO_SCENARIO_KEYS_H
#define SOA_IO_SCENARIO_KEYS_H

#include "io/yaml_tree.h"
#include "soa/sim.h"

/* Values that are one of some words: name, words. */
#define SOA_WORDS_LIST(X)                                   \
    X(BASE, "fixed", "free")                                \
    X(FRICTION, "smooth", "stick")                          \
    X(AXES, "world", "body")                                \
    X(SHAPE, "sphere", "capsule", "box")                    \
    X(TIMING, "linear", "quintic", "trapezoidal", "smooth") \
    X(DIRECTION, "rising", "falling", "both")               \
    X(CHANGE, "made", "lost", "both")                       \
    X(SIDE, "lower", "upper")

/* What any other value is: name, JSON schema. */
#define SOA_FORM_LIST(X)                                                                                        \
    X(TEXT, "\"type\": \"string\"")                                                                             \
    X(NUMBER, "\"type\": \"number\"")                                                                           \
    X(POSITIVE, "\"type\": \"number\", \"exclusiveMinimum\": 0")                                                \
    X(WHOLE, "\"type\": \"integer\", \"minimum\": 0")                                                           \
    X(NODE, "\"type\": [\"string\", \"integer\"]")                                                              \
    X(YES, "\"type\": \"boolean\"")                                                                             \
    X(ONE, "\"const\": 1")                                                                                      \
    X(PAIR, "\"type\": [\"number\", \"array\"], \"items\": {\"type\": \"number\"}, \"maxItems\": 2")            \
    X(TWO, "\"type\": \"array\", \"items\": {\"type\": \"number\"}, \"minItems\": 2, \"maxItems\": 2")          \
    X(THREE, "\"type\": \"array\", \"items\": {\"type\": \"number\"}, \"minItems\": 3, \"maxItems\": 3")        \
    X(GAINS, "\"type\": [\"number\", \"array\"], \"items\": {\"type\": \"number\"}")                            \
    X(STATE, "\"type\": [\"object\", \"array\"], \"items\": {\"type\": \"number\"}, \"additionalProperties\": " \
             "{\"type\": [\"number\", \"array\"]}")                                                             \
    X(BY_NAME, "\"type\": \"object\", \"additionalProperties\": {\"type\": \"number\"}")                        \
    X(LISTS, "\"type\": \"object\", \"required\": [\"t\"], \"additionalProperties\": {\"type\": \"array\", "    \
             "\"items\": {\"type\": \"number\"}}")                                                              \
    X(WORDS_BY_NAME, "\"type\": \"object\", \"additionalProperties\": {\"type\": \"string\"}")                  \
    X(NAMES, "\"type\": \"array\", \"items\": {\"type\": \"string\"}")                                          \
    X(METHOD, "\"$ref\": \"#/$defs/method\"")                                                                   \
    X(KIND, "")                                                                                                 \
    X(PLACE, "\"$ref\": \"#/$defs/place\"")                                                                     \
    X(INITIAL_MAP, "\"$ref\": \"#/$defs/initial\"")                                                             \
    X(INTEGRATOR_MAP, "\"$ref\": \"#/$defs/integrator\"")                                                       \
    X(RECORD_MAP, "\"$ref\": \"#/$defs/record\"")                                                               \
    X(WHEN_MAP, "\"$ref\": \"#/$defs/when\"")                                                                   \
    X(ACTION_MAP, "\"$ref\": \"#/$defs/action\"")                                                               \
    X(FORCES, "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/force\"}")                                  \
    X(SENSORS, "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/sensor\"}")                                \
    X(CONTROLLERS, "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/controller\"}")                        \
    X(ACTUATORS, "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/actuator\"}")                            \
    X(EVENTS, "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/event\"}")

typedef enum soa_form {
#define SOA_FORM_NAME(name, ...) SOA_FORM_##name,
    SOA_FORM_LIST(SOA_FORM_NAME) SOA_WORDS_LIST(SOA_FORM_NAME)
#undef SOA_FORM_NAME
        SOA_FORMS
} soa_form;

/* Mappings of a scenario: name, what it is called in messages and in the schema, how many kinds it has (0: none). */
#define SOA_SECTION_LIST(X)                           \
    X(ROOT, "scenario", 0)                            \
    X(INITIAL, "initial", 0)                          \
    X(INTEGRATOR, "integrator", 0)                    \
    X(FORCE, "force", SOA_FORCE_KINDS)                \
    X(PLACE, "place", 0)                              \
    X(SENSOR, "sensor", SOA_SENSOR_KINDS)             \
    X(CONTROLLER, "controller", SOA_CONTROL_CALLBACK) \
    X(ACTUATOR, "actuator", SOA_ACTUATOR_KINDS)       \
    X(EVENT, "event", 0)                              \
    X(WHEN, "when", 0)                                \
    X(ACTION, "action", 0)                            \
    X(RECORD, "record", 0)

typedef enum soa_section {
#define SOA_SECTION_NAME(name, text, kinds) SOA_SECTION_##name,
    SOA_SECTION_LIST(SOA_SECTION_NAME)
#undef SOA_SECTION_NAME
        SOA_SECTIONS
} soa_section;

#define SOA_KEY_ALL  (~0u)
#define SOA_KEY_F(k) (1u << SOA_FORCE_##k)
#define SOA_KEY_S(k) (1u << SOA_SENSOR_##k)
#define SOA_KEY_C(k) (1u << SOA_CONTROL_##k)
#define SOA_KEY_A(k) (1u << SOA_ACTUATOR_##k)
#define SOA_KEY_AT_JOINT                                                                                 \
    (SOA_KEY_F(TORQUE) | SOA_KEY_F(JOINT_SPRING) | SOA_KEY_F(JOINT_DAMPER) | SOA_KEY_F(JOINT_FRICTION) | \
        SOA_KEY_F(JOINT_LIMIT) | SOA_KEY_F(JOINT_STOP))
#define SOA_KEY_AT_PAIR (SOA_KEY_F(SPRING) | SOA_KEY_F(BUSHING) | SOA_KEY_F(CONTACT))
#define SOA_KEY_GAINED  (SOA_KEY_C(PD) | SOA_KEY_C(PID) | SOA_KEY_C(COMPUTED_TORQUE) | SOA_KEY_C(POINT))
#define SOA_KEY_LED     (SOA_KEY_GAINED | SOA_KEY_C(EXPRESSION) | SOA_KEY_C(PRESCRIBED))
#define SOA_KEY_SERVO   (SOA_KEY_A(VELOCITY) | SOA_KEY_A(POSITION))

/* Where a value goes by itself: structure and member; or nowhere, if it is read by other means. */
#define SOA_INTO(structure, member) ((int)offsetof(structure, member))
#define SOA_NOWHERE                 (-1)

/* Every key: section, key, form, whether it must be there, kinds, where its value goes, meaning. Values of ROOT, INITIAL,
 * INTEGRATOR and RECORD go into the scenario, of WHEN and ACTION into the event, of others into what they describe. */
#define SOA_SCENARIO_KEY_LIST(X)                                                                                       \
    X(ROOT, "soa", ONE, true, SOA_KEY_ALL, SOA_NOWHERE, "version of the format")                                       \
    X(ROOT, "scenario", TEXT, true, SOA_KEY_ALL, SOA_INTO(soa_scenario, name), "its name")                             \
    X(ROOT, "model", TEXT, true, SOA_KEY_ALL, SOA_NOWHERE,                                                             \
        "a .urdf, .xml (MJCF) or native .yaml file, or builtin:NAME")                                                  \
    X(ROOT, "base", BASE, false, SOA_KEY_ALL, SOA_NOWHERE, "whether the base of the model floats")                     \
    X(ROOT, "gravity", THREE, false, SOA_KEY_ALL, SOA_NOWHERE, "replaces that of the model, m/s^2")                    \
    X(ROOT, "initial", INITIAL_MAP, false, SOA_KEY_ALL, SOA_NOWHERE, "how it begins")                                  \
    X(ROOT, "duration", POSITIVE, true, SOA_KEY_ALL, SOA_INTO(soa_scenario, duration), "seconds")                      \
    X(ROOT, "integrator", INTEGRATOR_MAP, false, SOA_KEY_ALL, SOA_NOWHERE, "how it is integrated")                     \
    X(ROOT, "forces", FORCES, false, SOA_KEY_ALL, SOA_NOWHERE, "what pushes besides gravity")                          \
    X(ROOT, "sensors", SENSORS, false, SOA_KEY_ALL, SOA_NOWHERE, "what is measured")                                   \
    X(ROOT, "controllers", CONTROLLERS, false, SOA_KEY_ALL, SOA_NOWHERE, "what drives the joints")                     \
    X(ROOT, "actuators", ACTUATORS, false, SOA_KEY_ALL, SOA_NOWHERE, "motors between controllers and joints")          \
    X(ROOT, "signals", WORDS_BY_NAME, false, SOA_KEY_ALL, SOA_NOWHERE, "signals made of others: NAME: FORMULA")        \
    X(ROOT, "events", EVENTS, false, SOA_KEY_ALL, SOA_NOWHERE, "what happens when")                                    \
    X(ROOT, "record", RECORD_MAP, false, SOA_KEY_ALL, SOA_NOWHERE, "what is recorded")                                 \
    X(ROOT, "open", YES, false, SOA_KEY_ALL, SOA_INTO(soa_scenario, setup.open), "leave out closures and couplings")   \
    X(ROOT, "bare", YES, false, SOA_KEY_ALL, SOA_INTO(soa_scenario, setup.bare),                                       \
        "leave out springs, damping and friction of the joints")                                                       \
    X(ROOT, "joint_friction", FRICTION, false, SOA_KEY_ALL, SOA_NOWHERE, "dry friction of the joints of the model")    \
    X(INITIAL, "configuration", TEXT, false, SOA_KEY_ALL, SOA_NOWHERE, "a configuration of the model")                 \
    X(INITIAL, "q", STATE, false, SOA_KEY_ALL, SOA_NOWHERE, "coordinates by joints, or all of them")                   \
    X(INITIAL, "v", STATE, false, SOA_KEY_ALL, SOA_NOWHERE, "velocities by joints, or all of them")                    \
    X(INITIAL, "consistent", YES, false, SOA_KEY_ALL, SOA_INTO(soa_scenario, setup.consistent),                        \
        "move the state onto the closures first")                                                                      \
    X(INTEGRATOR, "method", METHOD, false, SOA_KEY_ALL, SOA_NOWHERE, "rk45 if absent")                                 \
    X(INTEGRATOR, "step", POSITIVE, false, SOA_KEY_ALL, SOA_INTO(soa_scenario, setup.step),                            \
        "seconds, of methods with a fixed step")                                                                       \
    X(INTEGRATOR, "rtol", POSITIVE, false, SOA_KEY_ALL, SOA_INTO(soa_scenario, setup.rtol),                            \
        "relative tolerance of adaptive methods")                                                                      \
    X(INTEGRATOR, "atol", POSITIVE, false, SOA_KEY_ALL, SOA_INTO(soa_scenario, setup.atol),                            \
        "absolute tolerance of adaptive methods")                                                                      \
    X(INTEGRATOR, "largest", POSITIVE, false, SOA_KEY_ALL, SOA_INTO(soa_scenario, setup.largest),                      \
        "longest step of adaptive methods, s")                                                                         \
    X(INTEGRATOR, "closure_tolerance", POSITIVE, false, SOA_KEY_ALL, SOA_INTO(soa_scenario, setup.shut),               \
        "how far closures are open after a step at most")                                                              \
    X(FORCE, "kind", KIND, true, SOA_KEY_ALL, SOA_NOWHERE, "what it is")                                               \
    X(FORCE, "name", TEXT, false, SOA_KEY_ALL, SOA_INTO(soa_force, name), "what events and signals call it")           \
    X(FORCE, "active", YES, false, SOA_KEY_ALL, SOA_NOWHERE, "false: an event may enable it")                          \
    X(FORCE, "joint", TEXT, true, SOA_KEY_AT_JOINT, SOA_NOWHERE, "the joint it acts at")                               \
    X(FORCE, "a", PLACE, true, SOA_KEY_AT_PAIR, SOA_NOWHERE, "where it acts")                                          \
    X(FORCE, "b", PLACE, true, SOA_KEY_AT_PAIR, SOA_NOWHERE, "against what")                                           \
    X(FORCE, "link", TEXT, true, SOA_KEY_F(WRENCH) | SOA_KEY_F(DRAG), SOA_NOWHERE, "a link or frame")                  \
    X(FORCE, "node", NODE, false, SOA_KEY_F(WRENCH) | SOA_KEY_F(DRAG), SOA_NOWHERE, "of a flexible link")              \
    X(FORCE, "at", THREE, false, SOA_KEY_F(WRENCH) | SOA_KEY_F(DRAG), SOA_NOWHERE, "a point of it")                    \
    X(FORCE, "table", TEXT, false, SOA_KEY_F(TORQUE), SOA_NOWHERE, "CSV file: time, force")                            \
    X(FORCE, "axes", AXES, false, SOA_KEY_F(WRENCH), SOA_NOWHERE, "in which the wrench is given")                      \
    X(FORCE, "stick", YES, false, SOA_KEY_F(JOINT_FRICTION), SOA_INTO(soa_force, stick), "hold the joint at rest")     \
    X(FORCE, "shape", SHAPE, false, SOA_KEY_F(CONTACT), SOA_NOWHERE, "what touches: a sphere if absent")               \
    X(FORCE, "field", TEXT, false, SOA_KEY_F(CONTACT), SOA_NOWHERE,                                                    \
        "CSV file of heights: a row for each y, from lower to upper")                                                  \
    X(FORCE, "spacing", TWO, false, SOA_KEY_F(CONTACT), SOA_NOWHERE,                                                   \
        "between heights along x and y of b, m; the field lies about b")                                               \
    X(PLACE, "link", TEXT, true, SOA_KEY_ALL, SOA_NOWHERE, "a link or frame, or world")                                \
    X(PLACE, "node", NODE, false, SOA_KEY_ALL, SOA_NOWHERE, "of a flexible link")                                      \
    X(PLACE, "at", THREE, false, SOA_KEY_ALL, SOA_NOWHERE, "a point of it, m")                                         \
    X(PLACE, "rpy", THREE, false, SOA_KEY_ALL, SOA_NOWHERE, "its axes: roll, pitch, yaw, rad")                         \
    X(SENSOR, "kind", KIND, true, SOA_KEY_ALL, SOA_NOWHERE, "what it is")                                              \
    X(SENSOR, "name", TEXT, true, SOA_KEY_ALL, SOA_INTO(soa_sensor, name), "its signals are sensor.NAME.0 and so on")  \
    X(SENSOR, "joint", TEXT, true, SOA_KEY_S(ENCODER) | SOA_KEY_S(JOINT), SOA_NOWHERE, "where it is")                  \
    X(SENSOR, "at", PLACE, true, SOA_KEY_S(IMU), SOA_NOWHERE, "where it is")                                           \
    X(SENSOR, "closure", TEXT, true, SOA_KEY_S(CLOSURE), SOA_NOWHERE, "where it is")                                   \
    X(SENSOR, "force", TEXT, true, SOA_KEY_S(CONTACT), SOA_NOWHERE, "a force of the scenario at points")               \
    X(SENSOR, "rate", POSITIVE, false, SOA_KEY_ALL, SOA_INTO(soa_sensor, rate), "samples per second")                  \
    X(SENSOR, "delay", NUMBER, false, SOA_KEY_ALL, SOA_INTO(soa_sensor, delay), "until a sample is shown, s")          \
    X(SENSOR, "noise", PAIR, false, SOA_KEY_ALL, SOA_INTO(soa_sensor, noise),                                          \
        "standard deviation, of all channels or of each half")                                                         \
    X(SENSOR, "bias", PAIR, false, SOA_KEY_ALL, SOA_INTO(soa_sensor, bias), "of all channels or of each half")         \
    X(SENSOR, "resolution", NUMBER, false, SOA_KEY_ALL, SOA_INTO(soa_sensor, resolution),                              \
        "of the first half of the channels")                                                                           \
    X(SENSOR, "seed", WHOLE, false, SOA_KEY_ALL, SOA_NOWHERE, "of the noise")                                          \
    X(CONTROLLER, "kind", KIND, true, SOA_KEY_ALL, SOA_NOWHERE, "what it is")                                          \
    X(CONTROLLER, "name", TEXT, false, SOA_KEY_ALL, SOA_INTO(soa_controller, name), "what events and signals call it") \
    X(CONTROLLER, "active", YES, false, SOA_KEY_ALL, SOA_NOWHERE, "false: an event may start it")                      \
    X(CONTROLLER, "joints", NAMES, false, SOA_KEY_ALL, SOA_NOWHERE, "that it drives")                                  \
    X(CONTROLLER, "kp", GAINS, false, SOA_KEY_GAINED, SOA_NOWHERE, "of the error, one for all joints or one for each") \
    X(CONTROLLER, "ki", GAINS, false, SOA_KEY_C(PID), SOA_NOWHERE, "of its integral")                                  \
    X(CONTROLLER, "kd", GAINS, false, SOA_KEY_GAINED, SOA_NOWHERE, "of its rate")                                      \
    X(CONTROLLER, "limit", GAINS, false, SOA_KEY_ALL & ~SOA_KEY_C(PRESCRIBED), SOA_NOWHERE, "largest forces")          \
    X(CONTROLLER, "target", BY_NAME, false, SOA_KEY_LED, SOA_NOWHERE, "where the joints are to be")                    \
    X(CONTROLLER, "waypoints", LISTS, false, SOA_KEY_LED, SOA_NOWHERE, "t: [...], JOINT: [...]")                       \
    X(CONTROLLER, "table", TEXT, false, SOA_KEY_LED, SOA_NOWHERE, "CSV file with the columns t, JOINT, ...")           \
    X(CONTROLLER, "timing", TIMING, false, SOA_KEY_LED, SOA_NOWHERE, "between waypoints")                              \
    X(CONTROLLER, "torque", TEXT, true, SOA_KEY_C(EXPRESSION), SOA_INTO(soa_controller, expression),                   \
        "an expression of the operator language")                                                                      \
    X(CONTROLLER, "measured", WORDS_BY_NAME, false, SOA_KEY_LED & ~SOA_KEY_C(PRESCRIBED) & ~SOA_KEY_C(POINT),          \
        SOA_NOWHERE, "JOINT: the encoder that shows it")                                                               \
    X(CONTROLLER, "at", PLACE, true, SOA_KEY_C(POINT), SOA_NOWHERE, "the point that is led")                           \
    X(CONTROLLER, "position", THREE, false, SOA_KEY_C(POINT), SOA_NOWHERE,                                             \
        "where it is to be, world axes; where it begins if absent")                                                    \
    X(CONTROLLER, "rpy", THREE, false, SOA_KEY_C(POINT), SOA_NOWHERE, "how it is to be turned, world axes")            \
    X(CONTROLLER, "path", LISTS, false, SOA_KEY_C(POINT), SOA_NOWHERE,                                                 \
        "t: [...], and some of x, y, z, roll, pitch, yaw")                                                             \
    X(CONTROLLER, "point_kp", NUMBER, false, SOA_KEY_C(POINT), SOA_NOWHERE, "of its place, 1/s^2")                     \
    X(CONTROLLER, "point_kd", NUMBER, false, SOA_KEY_C(POINT), SOA_NOWHERE, "of its velocity, 1/s")                    \
    X(CONTROLLER, "turn_kp", NUMBER, false, SOA_KEY_C(POINT), SOA_NOWHERE,                                             \
        "of its rotation, 1/s^2; orientation is free without")                                                         \
    X(CONTROLLER, "turn_kd", NUMBER, false, SOA_KEY_C(POINT), SOA_NOWHERE, "of its angular velocity, 1/s")             \
    X(ACTUATOR, "kind", KIND, true, SOA_KEY_ALL, SOA_NOWHERE, "what it is")                                            \
    X(ACTUATOR, "name", TEXT, false, SOA_KEY_ALL, SOA_INTO(soa_actuator, name), "that of its joint if absent")         \
    X(ACTUATOR, "joint", TEXT, true, SOA_KEY_ALL, SOA_NOWHERE, "that it drives")                                       \
    X(ACTUATOR, "gear", NUMBER, false, SOA_KEY_ALL, SOA_INTO(soa_actuator, gear),                                      \
        "turns of the motor per turn of the joint")                                                                    \
    X(ACTUATOR, "limit", NUMBER, false, SOA_KEY_ALL, SOA_INTO(soa_actuator, limit), "largest torque of the motor")     \
    X(ACTUATOR, "speed", NUMBER, false, SOA_KEY_ALL, SOA_INTO(soa_actuator, speed),                                    \
        "of the motor, at which it has no torque left")                                                                \
    X(ACTUATOR, "lag", NUMBER, false, SOA_KEY_ALL, SOA_INTO(soa_actuator, lag), "time constant, s")                    \
    X(ACTUATOR, "kp", NUMBER, false, SOA_KEY_SERVO, SOA_INTO(soa_actuator, kp), "of the error")                        \
    X(ACTUATOR, "kd", NUMBER, false, SOA_KEY_SERVO, SOA_INTO(soa_actuator, kd), "of its rate")                         \
    X(ACTUATOR, "target", BY_NAME, false, SOA_KEY_SERVO, SOA_NOWHERE, "where the joint is to be")                      \
    X(ACTUATOR, "waypoints", LISTS, false, SOA_KEY_SERVO, SOA_NOWHERE, "t: [...], JOINT: [...]")                       \
    X(ACTUATOR, "table", TEXT, false, SOA_KEY_SERVO, SOA_NOWHERE, "CSV file with the columns t, JOINT")                \
    X(ACTUATOR, "timing", TIMING, false, SOA_KEY_SERVO, SOA_NOWHERE, "between waypoints")                              \
    X(EVENT, "name", TEXT, false, SOA_KEY_ALL, SOA_INTO(soa_event, name), "what the summary calls it")                 \
    X(EVENT, "when", WHEN_MAP, true, SOA_KEY_ALL, SOA_NOWHERE, "what it waits for")                                    \
    X(EVENT, "do", ACTION_MAP, true, SOA_KEY_ALL, SOA_NOWHERE, "what is done")                                         \
    X(EVENT, "once", YES, false, SOA_KEY_ALL, SOA_INTO(soa_event, once), "only the first time")                        \
    X(WHEN, "time", NUMBER, false, SOA_KEY_ALL, SOA_INTO(soa_event, value), "seconds")                                 \
    X(WHEN, "signal", TEXT, false, SOA_KEY_ALL, SOA_INTO(soa_event, signal), "a signal that crosses a value")          \
    X(WHEN, "formula", TEXT, false, SOA_KEY_ALL, SOA_NOWHERE, "a formula of signals that crosses a value")             \
    X(WHEN, "crosses", NUMBER, false, SOA_KEY_ALL, SOA_INTO(soa_event, value), "the value; 0 if absent")               \
    X(WHEN, "direction", DIRECTION, false, SOA_KEY_ALL, SOA_NOWHERE, "both if absent")                                 \
    X(WHEN, "contact", TEXT, false, SOA_KEY_ALL, SOA_NOWHERE, "a force of kind contact that touches or lets go")       \
    X(WHEN, "change", CHANGE, false, SOA_KEY_ALL, SOA_NOWHERE, "of the contact: made, lost or both")                   \
    X(WHEN, "limit", TEXT, false, SOA_KEY_ALL, SOA_NOWHERE, "a joint that reaches its limit in the model")             \
    X(WHEN, "side", SIDE, false, SOA_KEY_ALL, SOA_NOWHERE, "which limit; upper if absent")                             \
    X(WHEN, "cone", TEXT, false, SOA_KEY_ALL, SOA_NOWHERE, "a closure whose force leaves its friction cone")           \
    X(ACTION, "record", YES, false, SOA_KEY_ALL, SOA_NOWHERE, "notes the time")                                        \
    X(ACTION, "stop", YES, false, SOA_KEY_ALL, SOA_NOWHERE, "ends the simulation")                                     \
    X(ACTION, "attach", TEXT, false, SOA_KEY_ALL, SOA_NOWHERE, "a closure, where its frames are now")                  \
    X(ACTION, "enable-closure", TEXT, false, SOA_KEY_ALL, SOA_NOWHERE, "a closure, as the model describes it")         \
    X(ACTION, "detach", TEXT, false, SOA_KEY_ALL, SOA_NOWHERE, "a closure")                                            \
    X(ACTION, "enable", TEXT, false, SOA_KEY_ALL, SOA_NOWHERE, "a force of the scenario")                              \
    X(ACTION, "disable", TEXT, false, SOA_KEY_ALL, SOA_NOWHERE, "a force of the scenario")                             \
    X(ACTION, "start", TEXT, false, SOA_KEY_ALL, SOA_NOWHERE, "a controller of the scenario")                          \
    X(ACTION, "halt", TEXT, false, SOA_KEY_ALL, SOA_NOWHERE, "a controller of the scenario")                           \
    X(ACTION, "impulse", TEXT, false, SOA_KEY_ALL, SOA_NOWHERE, "a joint")                                             \
    X(ACTION, "value", NUMBER, false, SOA_KEY_ALL, SOA_INTO(soa_event, impulse), "of the impulse, N s or N m s")       \
    X(RECORD, "every", POSITIVE, false, SOA_KEY_ALL, SOA_INTO(soa_scenario, every), "seconds between rows")            \
    X(RECORD, "signals", NAMES, false, SOA_KEY_ALL, SOA_NOWHERE, "full names, or first words of several")              \
    X(FORCE, "stiffness", NUMBER, false,                                                                               \
        SOA_KEY_F(JOINT_SPRING) | SOA_KEY_F(JOINT_LIMIT) | SOA_KEY_F(SPRING) | SOA_KEY_F(CONTACT),                     \
        SOA_INTO(soa_force, stiffness), "N/m or N m/rad; of a contact N/m^exponent")                                   \
    X(FORCE, "damping", NUMBER, false,                                                                                 \
        SOA_KEY_F(JOINT_DAMPER) | SOA_KEY_F(JOINT_LIMIT) | SOA_KEY_F(SPRING) | SOA_KEY_F(DRAG),                        \
        SOA_INTO(soa_force, damping), "force per velocity")                                                            \
    X(FORCE, "dissipation", NUMBER, false, SOA_KEY_F(CONTACT), SOA_INTO(soa_force, damping),                           \
        "of Hunt and Crossley, s/m")                                                                                   \
    X(FORCE, "reference", NUMBER, false, SOA_KEY_F(JOINT_SPRING), SOA_INTO(soa_force, reference),                      \
        "coordinate without load")                                                                                     \
    X(FORCE, "length", NUMBER, false, SOA_KEY_F(SPRING), SOA_INTO(soa_force, length), "without load, m")               \
    X(FORCE, "radius", NUMBER, false, SOA_KEY_F(CONTACT), SOA_INTO(soa_force, length),                                 \
        "of the sphere, the capsule or the corners, m")                                                                \
    X(FORCE, "height", NUMBER, false, SOA_KEY_F(CONTACT), SOA_INTO(soa_force, size[2]),                                \
        "of a capsule: between the centres of its ends, along z of a")                                                 \
    X(FORCE, "size", THREE, false, SOA_KEY_F(CONTACT), SOA_INTO(soa_force, size[0]), "of a box: its edges, m")         \
    X(FORCE, "value", NUMBER, false, SOA_KEY_F(TORQUE), SOA_INTO(soa_force, value), "N m or N")                        \
    X(FORCE, "force", NUMBER, false, SOA_KEY_F(JOINT_FRICTION), SOA_INTO(soa_force, value),                            \
        "of dry friction, N m or N")                                                                                   \
    X(FORCE, "friction", NUMBER, false, SOA_KEY_F(CONTACT), SOA_INTO(soa_force, value), "coefficient")                 \
    X(FORCE, "quadratic", NUMBER, false, SOA_KEY_F(DRAG), SOA_INTO(soa_force, value), "force per velocity squared")    \
    X(FORCE, "speed", NUMBER, false, SOA_KEY_F(JOINT_FRICTION) | SOA_KEY_F(CONTACT) | SOA_KEY_F(JOINT_STOP),           \
        SOA_INTO(soa_force, speed), "below about this speed friction falls to zero; slower than this a stop holds")    \
    X(FORCE, "holding", NUMBER, false, SOA_KEY_F(JOINT_FRICTION), SOA_INTO(soa_force, holding),                        \
        "what sticking friction bears at most")                                                                        \
    X(FORCE, "restitution", NUMBER, false, SOA_KEY_F(JOINT_STOP), SOA_INTO(soa_force, restitution),                    \
        "part of the velocity that comes back, 0 to 1")                                                                \
    X(FORCE, "exponent", NUMBER, false, SOA_KEY_F(CONTACT), SOA_INTO(soa_force, exponent),                             \
        "of the depth; 1.5 if absent")                                                                                 \
    X(FORCE, "lower", NUMBER, false, SOA_KEY_F(JOINT_LIMIT) | SOA_KEY_F(JOINT_STOP), SOA_INTO(soa_force, lower),       \
        "that of the joint if absent")                                                                                 \
    X(FORCE, "upper", NUMBER, false, SOA_KEY_F(JOINT_LIMIT) | SOA_KEY_F(JOINT_STOP), SOA_INTO(soa_force, upper),       \
        "that of the joint if absent")                                                                                 \
    X(FORCE, "from", NUMBER, false, SOA_KEY_ALL, SOA_INTO(soa_force, from), "time from which it acts, s")              \
    X(FORCE, "to", NUMBER, false, SOA_KEY_ALL, SOA_INTO(soa_force, to), "time until which it acts, s")                 \
    X(FORCE, "moment", THREE, false, SOA_KEY_F(WRENCH), SOA_INTO(soa_force, wrench[0]), "N m")                         \
    X(FORCE, "force", THREE, false, SOA_KEY_F(WRENCH), SOA_INTO(soa_force, wrench[3]), "N")                            \
    X(FORCE, "rotational_stiffness", THREE, false, SOA_KEY_F(BUSHING), SOA_INTO(soa_force, hold[0]),                   \
        "N m/rad, about x, y, z of b")                                                                                 \
    X(FORCE, "stiffness", THREE, false, SOA_KEY_F(BUSHING), SOA_INTO(soa_force, hold[3]), "N/m, along x, y, z of b")   \
    X(FORCE, "rotational_damping", THREE, false, SOA_KEY_F(BUSHING), SOA_INTO(soa_force, damp[0]), "N m s/rad")        \
    X(FORCE, "damping", THREE, false, SOA_KEY_F(BUSHING), SOA_INTO(soa_force, damp[3]), "N s/m")

typedef struct soa_scenario_key {
    soa_section section;
    const char *key;
    soa_form form;
    bool needed;
    unsigned kinds; /* a bit for each kind that has it */
    int into;       /* offset in the structure, or SOA_NOWHERE */
    const char *meaning;
} soa_scenario_key;

enum {
#define SOA_COUNT_KEY(...) +1
    SOA_SCENARIO_KEYS = 0 SOA_SCENARIO_KEY_LIST(SOA_COUNT_KEY)
#undef SOA_COUNT_KEY
};

extern const soa_scenario_key SOA_SCENARIO_KEY[SOA_SCENARIO_KEYS];

/* The words of a form that has some; else NULL. */
const char *const *soa_form_words(soa_form form);

/* What a section is called, how many kinds it has, and what they are called. */
const char *soa_section_text(soa_section section);
int soa_section_kinds(soa_section section);
const char *soa_section_kind(soa_section section, int kind);

/* Which kind of force, sensor, controller or actuator a mapping is. */
int soa_scenario_kind(soa_yaml *node, soa_section section);

/* Every key of the mapping must be one of the section, and of the kind (0 where it has none), and every value what its
 * form says. soa_scenario_read also puts those into `to` that have a place there. */
void soa_scenario_expect(soa_yaml *mapping, soa_section section, int kind);
void soa_scenario_read(soa_yaml *mapping, soa_section section, int kind, void *to);

#endif
