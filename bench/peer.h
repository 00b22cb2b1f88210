/* peer.h - what the benchmark and the adapters of other libraries (peers) share.
 *
 * Each peer is a module with one function, bench_peer. The program gives it a robot
 * and random states, asks it to run an algorithm over states, and reads the last
 * result. Only run is timed.
 *
 * q is, of a free base, w x y z px py pz, then one number per joint, body by body. v,
 * vdot and T are in the peer's own convention: the program converts them, and the
 * results, so that no conversion is timed. */
#ifndef SOA_BENCH_PEER_H
#define SOA_BENCH_PEER_H

#include "soa/spatial.h"

#ifdef __cplusplus
extern "C" {
#endif

struct soa_model;

/* Every algorithm: name, text. */
#define BENCH_ALGORITHM_LIST(X)                                  \
    X(BENCH_INVERSE_DYNAMICS, "inverse-dynamics")                \
    X(BENCH_FORWARD_DYNAMICS, "forward-dynamics")                \
    X(BENCH_MASS_MATRIX, "mass-matrix")                          \
    X(BENCH_MASS_INVERSE, "mass-inverse")                        \
    X(BENCH_KINEMATICS, "kinematics")                            \
    X(BENCH_JACOBIAN, "jacobian")                                \
    X(BENCH_OPERATIONAL_INERTIA, "operational-inertia")          \
    X(BENCH_OPERATIONAL_INERTIA_2, "operational-inertia-2")      \
    X(BENCH_OPERATIONAL_INERTIA_4, "operational-inertia-4")      \
    X(BENCH_INVERSE_DERIVATIVES, "inverse-dynamics-derivatives") \
    X(BENCH_FORWARD_DERIVATIVES, "forward-dynamics-derivatives") \
    X(BENCH_CORIOLIS_MATRIX, "coriolis-matrix")                  \
    X(BENCH_CLOSED_DYNAMICS, "closed-forward-dynamics")

typedef enum bench_algorithm {
#define BENCH_NAME(name, text) name,
    BENCH_ALGORITHM_LIST(BENCH_NAME)
#undef BENCH_NAME
        BENCH_ALGORITHMS
} bench_algorithm;

/* Points of the largest operational inertia. */
enum { BENCH_POINTS = 4 };

/* The algorithms that many peers have: those before the operational inertias. */
#define BENCH_COMMON ((1u << BENCH_OPERATIONAL_INERTIA) - 1)

typedef enum bench_joint { BENCH_REVOLUTE, BENCH_PRISMATIC, BENCH_FREE } bench_joint;

/* A body. Its frame is on the joint's axis; at q = 0 it stands at `at` in the frame
 * of its parent (the world, if parent is -1). Only body 0 can be free. */
typedef struct bench_body {
    const char *name;
    const char *joint_name;
    int parent;
    bench_joint joint;
    double axis[3]; /* of unit length */
    soa_pose at;
    soa_inertia inertia;
    int number; /* of this body in the model */
} bench_body;

/* A rigid closure: the frame at_a of body a is the frame at_b of body b. */
typedef struct bench_closure {
    int a, b;
    soa_pose at_a, at_b;
} bench_closure;

/* Depth first: some peers want the bodies of every subtree together. The last body is the tip. */
typedef struct bench_robot {
    const char *name;
    int bodies, nq, nv;
    const bench_body *body;
    int point[BENCH_POINTS]; /* bodies of operational inertias: the ends of limbs, the tip first, then those inboard */
    int closures;            /* 0: a tree */
    const bench_closure *closure;
    double gravity[3];
    const char *mjcf;              /* the same robot as text; NULL: cannot be said in it */
    const struct soa_model *model; /* the same robot, for soa itself */
    const int *q_place, *v_place;  /* where in the order of the bodies each q and v of the model is */
} bench_robot;

typedef struct bench_states {
    int count;
    const double *q, *v, *vdot, *T;
} bench_states;

/* How a peer measures the velocity of a free base; all false is what soa does:
 * (angular; linear), axes of the body, at the origin of its frame. */
typedef struct bench_convention {
    bool linear_first;
    bool angular_in_world;
    bool linear_in_world; /* vdot is then the derivative of the components in the world */
    bool at_com;          /* the linear velocity is that of the centre of mass */
} bench_convention;

typedef struct bench_peer_info {
    const char *name;
    const char *version;
    bench_convention convention;
    unsigned algorithms; /* one bit each */

    /* A robot ready to run; NULL: the peer cannot have it. order[i] is the place in
     * the peer's v of what is i in the order of the bodies; it comes as the identity. */
    void *(*open)(const bench_robot *robot, int *order);
    void (*close)(void *peer);
    /* The states live until close. */
    void (*set)(void *peer, const bench_states *states);
    void (*run)(void *peer, bench_algorithm algorithm, int first, int count);
    /* The result for the last state run: nv numbers; nv x nv by rows, both triangles;
     * 12 per body (rotation by rows, position); 6 x nv (angular; linear), world axes
     * at the tip's origin, by rows; 6 x 6 per pair of points, one matrix by rows, the same axes; three
     * matrices nv x nv by rows: the derivatives by q, v and vdot or T. */
    void (*get)(void *peer, bench_algorithm algorithm, double *result);
} bench_peer_info;

typedef const bench_peer_info *bench_peer_function(void);

#ifdef __cplusplus
}
#endif
#endif
