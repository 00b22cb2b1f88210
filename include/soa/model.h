/* soa/model.h - describe a multibody system, then make an immutable model of it.
 *
 *     soa_builder *b = soa_builder_new(NULL);
 *     soa_link link = soa_link_default("arm", SOA_WORLD, SOA_REVOLUTE);
 *     link.joint.axis[2] = 1.0;
 *     link.inertia.mass = 2.0; ...
 *     soa_builder_add_link(b, &link, NULL, &error);
 *     soa_model *model;
 *     soa_builder_finish(b, &model, &error);
 *     soa_builder_free(b);
 *
 * A description is a list of links. Each link hangs on a parent link (or the
 * world) by one joint; a weld is a joint of kind SOA_FIXED. Links may be added
 * in any order. All validation is in soa_builder_finish.
 *
 * A model is constant: threads may share it. It keeps the whole description
 * (links, joints, frames, couplings, closures, geometry as given) and, made from it,
 * the bodies: links welded together are one body, bodies are numbered parents
 * before children, otherwise in the order of the joints in the description. */
#ifndef SOA_MODEL_H
#define SOA_MODEL_H

#include "soa/flexible.h"
#include "soa/joint.h"
#include "soa/spatial.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct soa_builder soa_builder;
typedef struct soa_model soa_model;

/* The parent of a link that hangs on the inertial frame. */
#define SOA_WORLD (-1)

/* A search returns this when nothing has the name. It is neither a link nor the world, and every function that takes a
 * link refuses it. */
#define SOA_NONE (-2)

/* ---- description --------------------------------------------------------------
 * Strings in a description given to a builder are copied; those in a description
 * got from a model live as long as the model. */

/* Where an item was written, for messages. file may be NULL, line 0. */
typedef struct soa_source {
    const char *file;
    int line;
} soa_source;

/* The motor of a joint.  [GEAR]
 * armature is a reflected inertia simply added to the joint's own (MJCF): armature
 * beta^2 / 2 of kinetic energy for every velocity of the joint.
 * The rotor is an axisymmetric body carried by the parent link, spinning about
 * `axis` at ratio times the joint's rate. If mass or transverse is positive the
 * rotor's own inertia is added to the parent link (give zero when the link's
 * figures already contain it); spin always enters through the spinning. */
typedef struct soa_rotor {
    double armature;
    double ratio;      /* rotor turns per joint turn (rad per joint unit) */
    double axis[3];    /* in the parent link's frame; on a node of it, in that of the node */
    double spin;       /* moment of inertia about the axis */
    double transverse; /* moment of inertia across the axis, about com */
    double mass;
    double com[3]; /* in the same frame */
} soa_rotor;

/* A joint. `at` places the joint's frame in the parent link's frame. The moving
 * side of the joint coincides with it when q = reference (1-dof kinds; neutral q
 * otherwise). `child` places the link's frame in the moving side. The axes are
 * given in the joint's frame; universal: axis is fixed inboard, axis2 outboard;
 * planar: axis is the normal, and x, y of the plane are the images of x, y under
 * the shortest rotation that takes z to the axis; spherical, free: none. */
typedef struct soa_joint {
    const char *name; /* NULL for a weld, or if the file had none */
    soa_joint_kind kind;
    soa_pose at;
    soa_pose child;
    double axis[3];
    double axis2[3];
    double pitch;     /* helical: metres per radian */
    double reference; /* 1-dof kinds: q at which the link stands as placed; it is their neutral q */
    /* Neutral q of the kinds with more dofs (soa_model_neutral gives it; a free body placed
     * in the world by its file keeps `at` the identity and stands at neutral). */
    double neutral[SOA_JOINT_MAX_NQ];
    bool reversed; /* q and beta are those of the parent relative to the link */
    /* Limits, one per velocity (spherical: upper[0] is the largest angle, the rest
     * unused); infinities where there is none. */
    double lower[SOA_JOINT_MAX_NV];
    double upper[SOA_JOINT_MAX_NV];
    double velocity[SOA_JOINT_MAX_NV];
    double effort[SOA_JOINT_MAX_NV];
    /* Force elements (soa/force.h) apply the next four; the functions of soa/dynamics.h compute without them. */
    double damping;   /* force per velocity */
    double friction;  /* dry friction force */
    double stiffness; /* spring force per displacement from spring_reference */
    double spring_reference;
    soa_rotor rotor;
    soa_source source;
} soa_joint;

typedef enum soa_link_flag {
    SOA_LINK_VIRTUAL = 1,      /* not in the file: carries one of several joints of a link */
    SOA_LINK_NO_INERTIA = 2,   /* the file gives no inertia */
    SOA_LINK_UNKNOWN_MASS = 4, /* part of the mass depends on absent files */
} soa_link_flag;

typedef struct soa_link {
    const char *name;
    int parent; /* index of a link, or SOA_WORLD */
    int node; /* of a flexible parent: the joint is placed in the frame of this node; SOA_LINK_FRAME: in that of the link */
    soa_joint joint;
    soa_inertia inertia;          /* of a flexible link: zero, or that of its data */
    const soa_flexible *flexible; /* NULL: rigid */
    unsigned flags;               /* of soa_link_flag */
    soa_source source;
    soa_source inertia_source; /* line 0: that of the link */
} soa_link;

/* A named frame on a link (a tool, a sensor, a foot). */
typedef struct soa_frame {
    const char *name;
    int link; /* or SOA_WORLD */
    int node; /* of a flexible link: `at` is in the frame of this node */
    soa_pose at;
    soa_source source;
} soa_frame;

#define SOA_COUPLING_TERMS 5

/* q(joint) = sum_i coefficient[i] q(driver)^i. Joints are those of links `link`
 * and `driver`, both with one coordinate; driver -1: q(joint) = coefficient[0].
 * A mimic joint has the terms { offset, ratio, 0, 0, 0 }. */
typedef struct soa_coupling {
    const char *name; /* may be NULL */
    int link;
    int driver;
    double coefficient[SOA_COUPLING_TERMS];
    soa_source source;
} soa_coupling;

/* Every kind of closure: name, text, rows removed from the relative motion. */
#define SOA_CLOSURE_LIST(X)                    \
    X(SOA_CLOSE_RIGID, "rigid", 6)             \
    X(SOA_CLOSE_REVOLUTE, "revolute", 5)       \
    X(SOA_CLOSE_PRISMATIC, "prismatic", 5)     \
    X(SOA_CLOSE_CYLINDRICAL, "cylindrical", 4) \
    X(SOA_CLOSE_UNIVERSAL, "universal", 4)     \
    X(SOA_CLOSE_SPHERICAL, "spherical", 3)     \
    X(SOA_CLOSE_SOFT_FINGER, "soft-finger", 4) \
    X(SOA_CLOSE_POINT, "point", 3)             \
    X(SOA_CLOSE_PLANE, "plane", 1)             \
    X(SOA_CLOSE_DISTANCE, "distance", 1)       \
    X(SOA_CLOSE_LINE, "line", 5)               \
    X(SOA_CLOSE_SLIDING, "sliding", 1)         \
    X(SOA_CLOSE_GENERAL, "general", 6)

typedef enum soa_closure_kind {
#define SOA_CLOSURE_NAME(name, text, rows) name,
    SOA_CLOSURE_LIST(SOA_CLOSURE_NAME)
#undef SOA_CLOSURE_NAME
        SOA_CLOSURE_KINDS
} soa_closure_kind;

SOA_API const char *soa_closure_kind_text(soa_closure_kind kind);
SOA_API int soa_closure_kind_rows(soa_closure_kind kind);
SOA_API soa_closure_kind soa_closure_kind_find(const char *text); /* SOA_CLOSURE_KINDS: none */

/* A loop closure between a frame on link a and a frame on link b. z of the frame
 * at_b is the axis or normal of the kinds that have one; soa/closure.h says what
 * each kind holds. */
typedef struct soa_closure {
    const char *name; /* may be NULL */
    soa_closure_kind kind;
    int a, b;           /* links, or SOA_WORLD */
    int node_a, node_b; /* of flexible links: at_a, at_b are in the frames of these nodes */
    soa_pose at_a, at_b;
    double friction;   /* one-sided kinds; 0 if none */
    double distance;   /* kind distance: between the two origins */
    double twist;      /* soft-finger: largest moment about the normal per normal force, in metres; 0: no bound */
    double slip[3];    /* sliding: direction in which a slides over b, axes of at_b */
    bool one_sided;    /* rigid and line: holds only while pressed; contact kinds are one-sided always */
    bool nonholonomic; /* general: holds velocities alone, so positions may drift (rolling) */
    int rows;          /* general: 1 .. 6 */
    double Q[6][6];    /* general: rows (angular; linear), axes of at_b */
    bool inactive;     /* described, but switched off */
    soa_source source;
} soa_closure;

/* Every shape: name, text, numbers of `size`, what they are. Shapes with an axis have it along z. */
#define SOA_SHAPE_LIST(X)                                                           \
    X(SOA_SHAPE_BOX, "box", 3, "edges along x, y, z")                               \
    X(SOA_SHAPE_SPHERE, "sphere", 1, "radius")                                      \
    X(SOA_SHAPE_CYLINDER, "cylinder", 2, "radius, length")                          \
    X(SOA_SHAPE_CAPSULE, "capsule", 2, "radius, length between the two half balls") \
    X(SOA_SHAPE_ELLIPSOID, "ellipsoid", 3, "half axes along x, y, z")               \
    X(SOA_SHAPE_PLANE, "plane", 2, "edges along x, y; 0: without end")              \
    X(SOA_SHAPE_MESH, "mesh", 3, "scale along x, y, z")

typedef enum soa_shape {
#define SOA_SHAPE_NAME(name, text, sizes, words) name,
    SOA_SHAPE_LIST(SOA_SHAPE_NAME)
#undef SOA_SHAPE_NAME
        SOA_SHAPES
} soa_shape;

SOA_API const char *soa_shape_text(soa_shape shape);
SOA_API int soa_shape_sizes(soa_shape shape);
SOA_API soa_shape soa_shape_find(const char *text); /* SOA_SHAPES: none */

/* What a link looks like, or where it may touch others: for whoever draws or seeks contacts. The dynamics do not
 * depend on it. */
typedef struct soa_geometry {
    const char *name; /* may be NULL; names need not differ */
    int link;         /* or SOA_WORLD */
    soa_shape shape;
    double size[3];
    soa_pose at;          /* in the frame of the link */
    const char *mesh;     /* its file as written, seen from the folder of source.file; else NULL */
    const char *material; /* its name, or NULL */
    bool colored;
    double color[4]; /* red, green, blue, alpha, 0 .. 1 */
    bool visual;     /* to be drawn */
    bool collision;  /* may touch others */
    soa_source source;
} soa_geometry;

/* A named configuration (a keyframe). q and v in the order of the model. */
typedef struct soa_configuration {
    const char *name;
    const double *q; /* nq */
    const double *v; /* nv, or NULL for rest */
} soa_configuration;

/* A remark about a description that is usable all the same. */
typedef struct soa_warning {
    soa_source source;
    const char *text;
} soa_warning;

/* Returns a link without mass at the parent's origin. Its joint of the given kind turns about or slides along z and has
 * no limits. You may change all of it afterwards. */
SOA_API soa_link soa_link_default(const char *name, int parent, soa_joint_kind kind);
SOA_API soa_joint soa_joint_default(const char *name, soa_joint_kind kind);
SOA_API soa_frame soa_frame_default(const char *name, int link);
SOA_API soa_geometry soa_geometry_default(int link, soa_shape shape); /* it is drawn, may touch, and has size 1 */
SOA_API soa_closure soa_closure_default(const char *name, soa_closure_kind kind, int a, int b);

/* ---- builder ------------------------------------------------------------------ */

/* The most links a description may have, and the most bytes of a name. */
#define SOA_MAX_LINKS 4000000
#define SOA_MAX_NAME  1024

/* Makes an empty builder; returns NULL when there is no memory. allocator NULL means that of the C library. */
SOA_API soa_builder *soa_builder_new(const soa_allocator *allocator);
SOA_API void soa_builder_free(soa_builder *builder);

SOA_API soa_status soa_builder_set_name(soa_builder *builder, const char *name, soa_error *error);
SOA_API void soa_builder_set_gravity(soa_builder *builder, const double gravity[3]);

/* Each of these adds one item. It stores the item's index in *index unless index is NULL. */
SOA_API soa_status soa_builder_add_link(soa_builder *builder, const soa_link *link, int *index, soa_error *error);
SOA_API soa_status soa_builder_add_frame(soa_builder *builder, const soa_frame *frame, int *index, soa_error *error);
SOA_API soa_status soa_builder_add_coupling(
    soa_builder *builder, const soa_coupling *coupling, int *index, soa_error *error);
SOA_API soa_status soa_builder_add_closure(
    soa_builder *builder, const soa_closure *closure, int *index, soa_error *error);

SOA_API soa_status soa_builder_add_geometry(
    soa_builder *builder, const soa_geometry *geometry, int *index, soa_error *error);

/* Adds a named configuration. q and v are given joint by joint, in the order of the links in this builder: nq and nv
 * numbers for each link's joint. soa_builder_finish checks their sizes. v may be NULL. */
SOA_API soa_status soa_builder_add_configuration(
    soa_builder *builder, const char *name, int nq, const double *q, int nv, const double *v, soa_error *error);

/* Adds a remark, written as for printf, that people who load the model will see. */
SOA_API soa_status soa_builder_warn(soa_builder *builder, soa_source source, soa_error *error, const char *format, ...)
    SOA_PRINTF(4, 5);

/* These return what has been added so far. Pointers stay valid until the next call that adds something. */
SOA_API int soa_builder_links(const soa_builder *builder);
SOA_API const soa_link *soa_builder_link(const soa_builder *builder, int link);
SOA_API int soa_builder_find_link(const soa_builder *builder, const char *name);  /* or SOA_NONE */
SOA_API int soa_builder_find_joint(const soa_builder *builder, const char *name); /* its link, or SOA_NONE */
SOA_API int soa_builder_find_frame(const soa_builder *builder, const char *name); /* or SOA_NONE */

/* Replaces a link that was added before; its name must stay. Readers use it when they learn of parents and joints
 * later than of links. */
SOA_API soa_status soa_builder_set_link(soa_builder *builder, int link, const soa_link *value, soa_error *error);

/* Copies everything that `part` describes into the builder. Names become "prefix/name"; they stay as they are if prefix
 * is NULL. Links of the part that hang on its world now hang on `link` (or SOA_WORLD), with the part's world placed at
 * `at`. Gravity and configurations of the part are dropped. If it fails, free the builder. */
SOA_API soa_status soa_builder_attach(
    soa_builder *builder, const soa_model *part, const char *prefix, int link, const soa_pose *at, soa_error *error);

/* Checks everything and makes the model. The builder does not change. If it fails, *model is NULL and the error names
 * the item, with file and line if it has them. */
SOA_API soa_status soa_builder_finish(const soa_builder *builder, soa_model **model, soa_error *error);

/* ---- model -------------------------------------------------------------------- */

SOA_API void soa_model_free(soa_model *model);

SOA_API const char *soa_model_name(const soa_model *model);
SOA_API void soa_model_gravity(const soa_model *model, double gravity[3]);
SOA_API double soa_model_mass(const soa_model *model);
SOA_API int soa_model_nq(const soa_model *model);     /* coordinates of all joints */
SOA_API int soa_model_nv(const soa_model *model);     /* velocities of all joints, coupled ones included */
SOA_API int soa_model_bodies(const soa_model *model); /* that move; links welded to the world are in none */
SOA_API int soa_model_links(const soa_model *model);
SOA_API int soa_model_frames(const soa_model *model);
SOA_API int soa_model_couplings(const soa_model *model);
SOA_API int soa_model_closures(const soa_model *model);
SOA_API int soa_model_geometries(const soa_model *model);
SOA_API int soa_model_configurations(const soa_model *model);
SOA_API int soa_model_warnings(const soa_model *model);

/* These return the description, item by item. They return NULL if the index does not exist. */
SOA_API const soa_link *soa_model_link(const soa_model *model, int link);
SOA_API const soa_frame *soa_model_frame(const soa_model *model, int frame);
SOA_API const soa_coupling *soa_model_coupling(const soa_model *model, int coupling);
SOA_API const soa_closure *soa_model_closure(const soa_model *model, int closure);
SOA_API const soa_geometry *soa_model_geometry(const soa_model *model, int geometry);
SOA_API const soa_configuration *soa_model_configuration(const soa_model *model, int configuration);
SOA_API const soa_warning *soa_model_warning(const soa_model *model, int warning);

/* Sets the coordinates of q that couplings determine, and those of v (may be NULL), from the others. */
SOA_API void soa_couple(const soa_model *model, double *q, double *v);

/* These find an item by its name. They return SOA_NONE if nothing has the name. */
SOA_API int soa_model_find_link(const soa_model *model, const char *name);
SOA_API int soa_model_find_joint(
    const soa_model *model, const char *name); /* returns the link that the joint carries */
SOA_API int soa_model_find_frame(const soa_model *model, const char *name);

/* A body is a group of links that are welded together and move as one. A flexible link is two bodies: the first is moved
 * by its joint, and the second, on the first, has its modes. A flexible link that is welded to its parent is only the
 * second. Before a joint on a flexible link whose rotor is carried along there is a body that holds it. */
typedef struct soa_body {
    int parent;          /* body, or SOA_WORLD */
    int link;            /* the link whose joint moves the body */
    soa_joint_kind kind; /* of that joint */
    int q, v;            /* first coordinate and velocity of the joint */
    int nq, nv;
    int links; /* how many links are welded into it */
    /* q and v are those of the modes of `link`, joint "LINK/flex". nv 0: a link welded to a flexible one; links 0: what
     * holds the rotor of `link`, in the frame in which its joint is placed, instead of that of `link` */
    bool flexible;
    soa_inertia inertia; /* of all of them, in the frame of `link`; of a flexible link when it is not deformed */
} soa_body;

SOA_API soa_body soa_model_body(
    const soa_model *model, int body); /* parent and link are SOA_NONE if there is no such body */

/* Finds the body that a joint moves. Its numbers in q begin at body->q, those in v at body->v. A joint without a name is
 * found by the name of its link. It fails with SOA_E_NAME if no joint has the name (the error names the nearest one) and
 * with SOA_E_JOINT if the joint is fixed. */
SOA_API soa_status soa_model_find_body(const soa_model *model, const char *joint, soa_body *body, soa_error *error);

/* A point of interest: the origin of the frame `at`, given in the frame of a link
 * (or of the world: a point that does not move), or of a node of a flexible link. */
typedef struct soa_point {
    int link;
    soa_pose at;
    int node; /* SOA_LINK_FRAME: none */
} soa_point;

/* Finds the point that a name means: the origin of the link, else of the frame of that name, else "world" itself. It
 * fails with SOA_E_NAME if nothing has the name; the error names the nearest one, and point->link is SOA_NONE. */
SOA_API soa_status soa_model_find_point(const soa_model *model, const char *name, soa_point *point, soa_error *error);

/* Returns the body that a link belongs to: SOA_WORLD if it is welded to the world, SOA_NONE if there is no such link. If
 * at is not NULL, it also gives the pose of the link's frame in the frame of the body's link, or in the world. */
SOA_API int soa_model_link_body(const soa_model *model, int link, soa_pose *at);

/* Returns the body that the joint of a link moves: SOA_NONE if the joint is fixed or there is no such link. A flexible link
 * belongs to the body of its modes, which is on this one. */
SOA_API int soa_model_joint_body(const soa_model *model, int link);

/* Makes the same system with its base afloat. The one link that is welded to the world then hangs on a free joint named
 * "base" ("base/free" if another joint has that name), which stands at neutral where the weld held it. A base that is
 * free already stays as it is. It fails with SOA_E_TREE if several links hang on the world, or one by another joint. */
SOA_API soa_status soa_model_free_base(const soa_model *model, soa_model **out, soa_error *error);

/* Makes the same system with another gravity, given in world axes. */
SOA_API soa_status soa_model_with_gravity(
    const soa_model *model, const double gravity[3], soa_model **out, soa_error *error);

/* ---- configurations ----------------------------------------------------------- */

/* Gives the configuration in which every link stands as placed. */
SOA_API void soa_model_neutral(const soa_model *model, double *q);

/* Checks that every number of q is finite (else SOA_E_NUMBER) and that every quaternion has unit length to 1e-6 (else
 * SOA_E_CONFIGURATION). The error names the body. */
SOA_API soa_status soa_check_configuration(const soa_model *model, const double *q, soa_error *error);

/* Scales the quaternions of q to unit length; w may stay negative. A quaternion that is zero or not finite is refused
 * as above and left unchanged. */
SOA_API soa_status soa_normalize(const soa_model *model, double *q, soa_error *error);

/* Moves q along v for the time dt, with v constant in the links' frames. q_out may be q. */
SOA_API void soa_integrate(const soa_model *model, const double *q, const double *v, double dt, double *q_out);

/* Computes rate = dq/dt at v, nq numbers. An integrator that takes q as plain numbers needs it. Quaternions need not
 * have unit length. */
SOA_API void soa_model_rates(const soa_model *model, const double *q, const double *v, double *rate);

/* Computes the v that moves q0 to q1 in the time 1. */
SOA_API void soa_difference(const soa_model *model, const double *q0, const double *q1, double *v);

/* Draws a random configuration inside the limits. Slides without limits stay within 1 m and angles within pi. It advances
 * *seed; the sequence is the same on every machine. */
SOA_API void soa_random_configuration(const soa_model *model, unsigned long long *seed, double *q);

/* Returns a number in [-1, 1), uniformly distributed, from the same generator. */
SOA_API double soa_model_random_number(unsigned long long *seed);

/* ---- built-in models ----------------------------------------------------------- */

SOA_API int soa_builtins(void);
SOA_API const char *soa_builtin_name(int builtin); /* "arm7", "chain:N" */
SOA_API const char *soa_builtin_text(int builtin); /* what it is, in one line */

/* Makes a built-in model. name is one of the names above with its numbers: "arm7", "chain:1000", "tree:40,7". */
SOA_API soa_status soa_model_builtin(
    const char *name, const soa_allocator *allocator, soa_model **model, soa_error *error);

#ifdef __cplusplus
}
#endif
#endif
