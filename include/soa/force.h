/* soa/force.h - force elements: what pushes on a model besides gravity.
 *
 *     soa_force spring = soa_force_default(NULL, SOA_FORCE_SPRING);
 *     spring.a = (soa_point){ soa_model_find_link(model, "fore"), soa_pose_identity() };
 *     spring.stiffness = 4530.0;
 *     soa_forces_new(model, 1, &spring, NULL, &forces, &error);
 *     soa_forces_apply(forces, t, q, v, T, f, NULL, &error);        T and f go into soa_forward_dynamics
 *
 * An element is a law from the state to forces. Elements at a joint add to T; elements at points add wrenches to f
 * (moment; force, world axes, at the frame of each body's link, as in soa/dynamics.h), those at nodes of flexible links also
 * the forces on their modes to T. Conservative elements have an
 * energy, all have a power. A set of elements holds its scratch memory: it belongs to one thread at a time, and only
 * soa_forces_new allocates. */
#ifndef SOA_FORCE_H
#define SOA_FORCE_H

#include "soa/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every kind: name, text, whether it acts at a joint, whether it takes a second point, meaning. */
#define SOA_FORCE_LIST(X)                                                                                             \
    X(SOA_FORCE_TORQUE, "torque", true, false, "T = value, or a table over time")                                     \
    X(SOA_FORCE_JOINT_SPRING, "joint-spring", true, false, "T = -stiffness (q - reference)")                          \
    X(SOA_FORCE_JOINT_DAMPER, "joint-damper", true, false, "T = -damping v")                                          \
    X(SOA_FORCE_JOINT_FRICTION, "joint-friction", true, false, "T = -force v / sqrt(v^2 + speed^2)")                  \
    X(SOA_FORCE_JOINT_LIMIT, "joint-limit", true, false, "beyond lower and upper: a spring, damped while it yields")  \
    X(SOA_FORCE_JOINT_STOP, "joint-stop", true, false, "hard: impacts at lower and upper; acts in simulations alone") \
    X(SOA_FORCE_SPRING, "spring", false, true, "along the line between a and b: stiffness (distance - length)")       \
    X(SOA_FORCE_BUSHING, "bushing", false, true, "holds frame a at frame b by springs and dampers in six directions") \
    X(SOA_FORCE_WRENCH, "wrench", false, false, "a moment and a force at a, in axes of the world or of a")            \
    X(SOA_FORCE_DRAG, "drag", false, false, "against the velocity of a: damping v + quadratic |v| v")                 \
    X(SOA_FORCE_CONTACT, "contact", false, true, "a shape at a against the ground of b, Hunt-Crossley, friction")     \
    X(SOA_FORCE_ELASTIC, "elastic", true, false, "of a flexible link: T = -K eta - C etadot, K and C those of its data")

typedef enum soa_force_kind {
#define SOA_FORCE_NAME(name, text, joint, pair, meaning) name,
    SOA_FORCE_LIST(SOA_FORCE_NAME)
#undef SOA_FORCE_NAME
        SOA_FORCE_KINDS
} soa_force_kind;

SOA_API const char *soa_force_kind_text(soa_force_kind kind);
SOA_API const char *soa_force_kind_meaning(soa_force_kind kind);
SOA_API bool soa_force_kind_at_joint(soa_force_kind kind);    /* else at points */
SOA_API bool soa_force_kind_pair(soa_force_kind kind);        /* it takes point b */
SOA_API soa_force_kind soa_force_kind_find(const char *text); /* SOA_FORCE_KINDS: none */

/* Numbers over time, joined by straight lines and constant beyond both ends. */
typedef struct soa_series {
    int count;
    const double *t; /* rising */
    const double *x;
} soa_series;

SOA_API double soa_series_at(const soa_series *series, double t);

/* Ground z = height(x, y): smooth through a grid of heights (bicubic), level beyond its edges. */
typedef struct soa_height_field {
    int columns, rows;     /* along x and y, at least 2 each */
    double x, y;           /* of the first height */
    double step_x, step_y; /* between heights */
    const double *height;  /* row after row */
} soa_height_field;

/* Returns the height at (x, y), and gives its slopes along x and y if slope is not NULL. */
SOA_API double soa_height_field_at(const soa_height_field *field, double x, double y, double slope[2]);

/* One element. Fields that a kind does not name are not read. */
typedef struct soa_force {
    const char *name; /* may be NULL; must live as long as the set */
    soa_force_kind kind;
    int link;         /* joint kinds: the link that the joint carries */
    soa_point a, b;   /* others: where they act; b may be on the world */
    double stiffness; /* joint-spring, joint-limit, spring; contact: of the Hertz law, N/m^exponent */
    double damping;   /* joint-damper, joint-limit, spring, drag; contact: dissipation in s/m */
    double reference; /* joint-spring: q without load, of joints with one coordinate; others: their neutral q */
    double length;    /* spring: without load; contact: radius of the ball, of the ends or of the corners */
    double value;     /* torque; friction: its force; contact: coefficient of friction; drag: quadratic */
    double speed;     /* friction and contact: below about this speed friction falls to zero smoothly */
    double exponent;  /* contact: 1.5 for a ball */
    soa_shape shape;  /* contact: sphere, capsule (along z of a) or box: what touches, ... */
    double size[3];   /* ... capsule: [2] is the length of its line; box: its edges */
    const soa_height_field *field; /* contact: the ground in the axes of b; NULL: its plane z = 0. Must live on */
    double lower, upper;           /* joint-limit, joint-stop */
    double restitution; /* joint-stop: part of the velocity that comes back, of impacts faster than `speed` */
    bool stick;         /* joint-friction in simulations: T = -value sign(v), and at v = 0 what holds the joint... */
    double holding;     /* ... up to this force; less than value: value */
    double wrench[6];   /* wrench: moment; force */
    bool in_body;       /* wrench: in the axes of a, else of the world */
    double hold[6];     /* bushing: stiffness, rotations xyz then translations xyz of b */
    double damp[6];     /* bushing: damping in the same directions */
    soa_series table;   /* torque: replaces value if count > 0; must live as long as the set */
    double from, to;    /* acts while from <= t < to; infinities at first */
    bool inactive;
} soa_force;

/* Returns an element without stiffness and force that always acts, with speed 1e-3 and exponent 1.5. */
SOA_API soa_force soa_force_default(const char *name, soa_force_kind kind);

typedef struct soa_forces soa_forces;

/* Checks the elements and makes a set of them in the same order. allocator NULL means that of the model. */
SOA_API soa_status soa_forces_new(const soa_model *model, int count, const soa_force *force,
    const soa_allocator *allocator, soa_forces **forces, soa_error *error);
SOA_API void soa_forces_free(soa_forces *forces);

/* Writes the elements that the joints and flexible links of the model describe (stiffness, damping, dry friction; elastic forces),
 * at most `room` of them, and returns how many there are. Limits are not among them. */
SOA_API int soa_forces_of_model(const soa_model *model, int room, soa_force *force);

SOA_API int soa_forces_count(const soa_forces *forces);
SOA_API const soa_force *soa_forces_get(const soa_forces *forces, int element); /* NULL: there is none */
SOA_API int soa_forces_find(const soa_forces *forces, const char *name);        /* -1: none */
SOA_API soa_status soa_forces_enable(soa_forces *forces, int element, bool enabled, soa_error *error);
SOA_API bool soa_forces_enabled(const soa_forces *forces, int element);

/* Returns whether the element's force follows from an energy alone. */
SOA_API bool soa_forces_conservative(const soa_forces *forces, int element);

/* What the elements do at one state. Each array may be NULL. */
typedef struct soa_force_report {
    double *energy; /* stored in each element */
    double *power;  /* that each element gives to the model; negative: takes from it */
    double *wrench; /* of each element at points: moment, force on a, world axes; 6 numbers each */
    double *depth;  /* of each contact: how deep its deepest point is in the ground; negative: above it */
} soa_force_report;

/* Adds the forces of all enabled elements at time t to T (nv numbers) and f (6 per body; NULL where no element is at
 * points). report may be NULL. It fails with SOA_E_SINGULAR if the points of a spring coincide, because its direction is then
 * unknown. */
SOA_API soa_status soa_forces_apply(soa_forces *forces, double t, const double *q, const double *v, double *T,
    double *f, const soa_force_report *report, soa_error *error);

/* Computes the exact derivatives of the generalized forces Q = T + J* f of all enabled elements: dQ_dq (along the
 * velocities, as everywhere) and dQ_dv, nv x nv numbers each, row by row. It fails with SOA_E_LIMIT if elements at points
 * act on a model with more than 4096 velocities. */
SOA_API soa_status soa_forces_derivatives(
    soa_forces *forces, double t, const double *q, const double *v, double *dQ_dq, double *dQ_dv, soa_error *error);

/* Adds to a linear model (soa/linear.h) about T + Q what the elements change with the state: with B_v the last nv rows
 * of B, A_v += B_v (dQ_dq dQ_dv), and the rows of dvdot in C (NULL: none) likewise. dQ takes dQ_dq, then dQ_dv: 2 nv^2
 * numbers. */
SOA_API soa_status soa_forces_linear(soa_forces *forces, double t, const double *q, const double *v, double *A,
    const double *B, double *C, double *dQ, soa_error *error);

#ifdef __cplusplus
}
#endif
#endif
