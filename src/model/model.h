/* model/model.h - the inside of a builder and of a model.
 *
 * Frames of a body k:
 *     link frame   that of the link whose joint moves the body, as the user gave it
 *     body frame   at the joint point, turned so that the joint axis is z; all
 *                  kernels work in it. `frame` places the link frame in it.
 * The joint's fixed side stands at `at` in the parent's body frame (or in the
 * world), so body frame = at * joint pose(q), all constants folded into `at`. */
#ifndef SOA_MODEL_MODEL_H
#define SOA_MODEL_MODEL_H

#include "core/memory.h"
#include "core/names.h"
#include "joint/joint.h"
#include "model/modal.h"
#include "soa/model.h"

/* Everything the user said. Owned by an arena; grown by a builder, constant in a model. */
typedef struct soa_description {
    const char *name;
    double gravity[3];
    soa_array link;          /* soa_link */
    soa_array frame;         /* soa_frame */
    soa_array coupling;      /* soa_coupling */
    soa_array closure;       /* soa_closure */
    soa_array geometry;      /* soa_geometry */
    soa_array configuration; /* soa_raw_configuration in a builder, soa_configuration in a model */
    soa_array warning;       /* soa_warning */
    soa_names link_name, joint_name, frame_name;
} soa_description;

/* A configuration as added: joint by joint in the order of the links. */
typedef struct soa_raw_configuration {
    const char *name;
    int nq, nv; /* nv 0: at rest */
    const double *q, *v;
} soa_raw_configuration;

struct soa_builder {
    soa_allocator allocator;
    soa_arena arena;
    soa_description description;
    const char *last_file; /* the file name stored last: most items share it */
};

/* The square of the largest angle by which a node may be turned: pi. */
#define SOA_MOST_NODE_TURN 9.8696

/* How the kernels treat a joint. */
typedef enum soa_joint_class {
    SOA_CLASS_REVOLUTE,  /* about z: revolute, continuous */
    SOA_CLASS_PRISMATIC, /* along z */
    SOA_CLASS_FREE,      /* free, not reversed: H* is the identity */
    SOA_CLASS_GENERAL,   /* any other: H* is kept column by column */
    SOA_CLASS_MODAL, /* a flexible link on its joint, or clamped: its velocities are those of modes; none: a weld to one */
} soa_joint_class;

/* at.rotation = Rz(gamma) Rx(alpha) Rz(theta). The frames of bodies about or along
 * z are turned about z so that gamma is zero for one child of each. */
typedef struct soa_screw {
    double l[3]; /* the position of `at` */
    double cos_alpha, sin_alpha;
    double cos_gamma, sin_gamma;
    double cos_theta, sin_theta;
    double theta;
} soa_screw;

/* What few callers ask of a body. */
typedef struct soa_body_rest {
    _Alignas(64) soa_joint_shape shape;
    double gear[3]; /* ratio * spin * axis in the parent's body frame  [GEAR] */
    soa_pose at;
    soa_pose
        on_node; /* of a body on a node: `at` in the axes of the parent's body frame, where the node is not turned */
    int link, nq;
    int links; /* welded into this body */
    int first; /* modes of the bodies before it */
    soa_pose frame;
    soa_inertia link_inertia;     /* of the body in the link frame */
    const soa_modal *modal;       /* of a flexible link, or NULL */
    const soa_modal_ports *ports; /* of a flexible link; NULL: its modes are eliminated as they are */
    int square;                   /* of modes: where their matrix begins in the variables of the sweeps, ... */
    int port_square;              /* ... and where, if they are eliminated by `ports` */
    const double
        *port_rows; /* of a body on a node of a link with `ports`: six rows, the motion of the node by zeta, ... */
    const unsigned char *port_still; /* ... and by direction: bit e is set if component e of it is always zero */
    int node;      /* of the parent, a flexible link: `at` is in the frame of this node; 0: in its body frame */
    int port;      /* where the rows of this node begin in the variables of the sweeps: six times so many numbers */
    int carries;   /* of modes: how many bodies stand on nodes of the link */
    int carried;   /* the last of them; 0: none */
    int beside;    /* the body before this one that stands on a node of the same link; 0: none */
    int seat;      /* of models with flexible links: where sweeps keep its motion; in place that of the parent */
    bool massless; /* of models with flexible links: all of the inertia is zero */
    bool hands_on; /* the next body is in place on it, and nothing else stands on it */
    bool in_place; /* of modes: the frame is that of the parent, the body that the link's joint moves */
} soa_body_rest;

/* One body, as the kernels see it. The sweeps of a large model take as long as the
 * memory that they read, so what every sweep needs comes first: of a revolute joint with
 * gamma zero it fills one cache line, of any other joint two. */
typedef struct soa_body_data {
    _Alignas(64) int parent; /* body, or SOA_WORLD */
    int q, v;
    int slot;                  /* where sweeps keep P while they need it */
    unsigned char joint_class; /* soa_joint_class */
    unsigned char kind;        /* soa_joint_kind; SOA_JOINT_KINDS: of a joint that is reversed */
    unsigned char nv;
    bool aligned; /* gamma is zero */
    bool leaf;    /* no body hangs on it */
    bool last;    /* of the bodies on its parent, the one with the highest number */
    bool keeps;   /* its motion is asked for by another than the next body, or by one that is not plain */
    bool motor;   /* the armature is not zero */
    union {
        soa_screw screw; /* of joints about or along z: rest->at again */
        soa_pose at;     /* of all others */
    };
    double armature;    /* added to the diagonal of D: armature + ratio^2 spin */
    double inertia[10]; /* m; first moment x y z; about the origin xx xy xz yy yz zz */
    soa_body_rest *rest;
    double pitch;   /* of a helical joint */
    double axis[3]; /* z of rest->at, where a prismatic joint slides; of a universal one rest->shape.axis1 */
    bool geared;    /* the gear is not zero */
} soa_body_data;

/* About or along z: crossed by plane rotations (spatial/screw.h). */
static inline bool soa_is_screw(const soa_body_data *body)
{
    return body->joint_class <= SOA_CLASS_PRISMATIC;
}

/* On a flexible link, where a joint is placed: it holds the rotor of this joint. */
static inline bool soa_holds_rotor(const soa_body_data *body)
{
    return body->joint_class == SOA_CLASS_MODAL && body->rest->links == 0 && body->nv == 0;
}

/* Turns about z, perhaps sliding too. */
static inline bool soa_has_angle(const soa_body_data *body)
{
    return body->joint_class == SOA_CLASS_REVOLUTE || body->kind == SOA_HELICAL || body->kind == SOA_CYLINDRICAL ||
           body->kind == SOA_PLANAR;
}

/* Where a link is. */
typedef struct soa_link_place {
    int body;    /* or SOA_WORLD */
    soa_pose at; /* link frame in the body frame (or in the world) */
} soa_link_place;

/* A coupling as it is evaluated: q = sum of coefficient[i] q(from)^i. */
typedef struct soa_coupled {
    int body;
    int q, v;           /* of its joint */
    int from_q, from_v; /* of its driver, or -1 */
    double coefficient[SOA_COUPLING_TERMS];
} soa_coupled;

/* A model with more bodies is large: its states are run one by one, and sweeps mind the memory they read. */
enum { SOA_LARGE_BODIES = 4096 };

/* Sweeps over a large model may take its bodies in blocks of so many, each from a multiple of it on. */
enum { SOA_BLOCK_BODIES = 128 };

/* Sines of so many joints are taken together, at most. */
#define SOA_ANGLES_AT_ONCE 8

struct soa_model {
    soa_allocator allocator;
    soa_arena arena;
    soa_description description;
    int bodies, nq, nv;
    int slots;        /* of soa_body_data.slot */
    bool flexible;    /* some body is of SOA_CLASS_MODAL; a flexible link has it beside the body that its joint moves */
    int modes;        /* of all flexible links */
    int most_modes;   /* of one */
    int most_carried; /* bodies that stand on nodes of one */
    int squares;      /* numbers of all soa_body_rest.square */
    int port_squares; /* and of all soa_body_rest.port_square */
    int seats;        /* of soa_body_rest.seat */
    int ports;        /* of all soa_body_rest.port */
    int quaternions;  /* how many joints have one; each q begins with it */
    int *quaternion;  /* their bodies */
    /* By body, and on to a multiple of SOA_ANGLES_AT_ONCE: theta = q[angle] + angle_zero of joints that turn about
     * z (soa_has_angle), any number for others. */
    int *angle;
    double *angle_zero;
    double mass;
    int given_warnings; /* the first of the warnings: those of the builder */
    soa_body_data *body;
    soa_body_rest *rest; /* by body */
    int *order;          /* of a large model with joints of many kinds: each block of bodies sorted by kind; or NULL */
    soa_link_place *place; /* by link */
    soa_coupled *coupled;  /* by coupling, each after that of its driver; NULL if there are none */
};

soa_description soa_description_empty(void);
void soa_description_free(soa_description *description, const soa_allocator *allocator);

/* Copies everything but configurations (their form changes) into `to`, texts into
 * the arena. false: no memory. */
bool soa_description_copy(
    soa_description *to, const soa_description *from, const soa_allocator *allocator, soa_arena *arena);

const soa_link *soa_description_link(const soa_description *description, int link);

/* Appends a printf-like warning, its text in the arena. false: no memory. */
bool soa_description_warn(soa_description *description, const soa_allocator *allocator, soa_arena *arena,
    soa_source source, const char *format, ...) SOA_PRINTF(5, 6);

/* An error at a source. */
soa_status soa_fail_source(soa_error *error, soa_status status, soa_source source, const char *format, ...)
    SOA_PRINTF(4, 5);

/* ---- validation (check_*.c): every rule about a description, and nowhere else ----
 * Warnings go into the model. */
bool soa_pose_valid(const soa_pose *pose); /* finite, and a rotation to 1e-9 */
soa_status soa_check_links(soa_model *model, soa_error *error);
soa_status soa_check_rest(soa_model *model, soa_error *error);                   /* frames, couplings, closures */
soa_status soa_check_closure_rows(const soa_closure *closure, soa_error *error); /* what kinds need besides links */
soa_status soa_warn_closure(soa_model *model, const soa_closure *closure, soa_error *error); /* what they do not use */

/* The deep copy of the data of a flexible link in an arena; NULL stays. false: no memory. (flexible_links.c) */
bool soa_flexible_copy(soa_arena *arena, const soa_flexible **flexible);

/* Whether both are the same data, or both NULL. */
bool soa_flexible_same(const soa_flexible *a, const soa_flexible *b);

/* Refuses flexible data that are not physical; the link's inertia becomes that of the data. */
soa_status soa_check_flexible(soa_link *link, soa_error *error);

/* soa_body_rest.ports of the modes of body k, and port_rows of what they carry. false: no memory. */
bool soa_make_modal_ports(soa_model *model, int k);

/* soa_modal of every flexible link, once body frames stand (modal.c). false: no memory. */
bool soa_make_modal(soa_model *model);

/* The body that the joint of a link moves: not that of its modes. */
int soa_joint_body(const soa_model *model, int link);

/* SOA_E_UNSUPPORTED, naming the first flexible link, if the model has one: `what` cannot take it. */
soa_status soa_refuse_flexible(const soa_model *model, const char *what, soa_error *error);

/* Whether a link has the node; `item` names who asks for it, in the message. */
soa_status soa_check_node(
    const soa_description *description, int link, int node, const char *item, soa_source source, soa_error *error);

/* Link numbers, parents before children, lowest number first where the tree
 * leaves a choice. Refuses parents that do not exist and cycles. order: one int
 * per link. */
soa_status soa_tree_order(const soa_model *model, int *order, soa_error *error);

/* Bodies, frames and inertias from the checked description (bodies.c). */
soa_status soa_make_bodies(soa_model *model, const int *order, soa_error *error);

/* C, and the shape of the joint in the frames that C turns; joint(-r); v / |v| (canonical.c). */
soa_pose soa_canonical_turn(const soa_joint *joint, soa_joint_shape *shape);
soa_pose soa_reference_pose(const soa_joint *joint);
void soa_unit_vector(const double v[3], double u[3]);

/* Turns body frames about their joint axes and fills in `screw` (align.c). Before
 * inertias are computed. false: no memory. */
bool soa_align_frames(soa_model *model);

/* soa_body_data.slot of every body, once nodes are known. false: no memory. */
bool soa_assign_slots(soa_model *model);

/* soa_model.order (order.c). Needs the bodies. */
soa_status soa_make_order(soa_model *model, soa_error *error);

/* The order of the couplings (coupled.c). Needs the bodies. */
soa_status soa_make_coupled(soa_model *model, soa_error *error);

/* Whether the kernels see the same model but for inertias of bodies and gravity (alike.c). */
bool soa_model_alike(const soa_model *a, const soa_model *b);

/* Refuses bodies whose moments of inertia are not positive semidefinite, and warns of odd ones of links. */
soa_status soa_check_moments(soa_model *model, soa_error *error);

/* Warns of bodies that no force can hold: nothing outboard of the joint has inertia. */
soa_status soa_check_massless(soa_model *model, soa_error *error);

#endif
