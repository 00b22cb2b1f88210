/* io/mjcf.h - what the files of the MJCF reader share. What fails is kept in the outcome of the kit.
 *
 * MJCF in one paragraph: a tree of <body> elements under <worldbody>; each has
 * its joints, geoms and sites as children, wrapped in any number of <frame>.
 * Attributes that are not written are looked up in default classes. The
 * semantics are those of MuJoCo 3. */
#ifndef SOA_IO_MJCF_H
#define SOA_IO_MJCF_H

#include "io/reader.h"
#include "io/xml.h"
#include "model/kit.h"

/* Elements that have defaults. */
typedef enum mjcf_kind { MJCF_JOINT, MJCF_GEOM, MJCF_SITE, MJCF_MESH, MJCF_EQUALITY, MJCF_KINDS } mjcf_kind;

typedef struct mjcf_class {
    const soa_xml *newest[MJCF_KINDS]; /* goes on with `older`, at last with those of the parent class */
    int layers;                        /* of all kinds, those of the parent class included */
} mjcf_class;

/* ---- the reader's state ------------------------------------------------------------ */

typedef enum mjcf_from_geom { MJCF_INERTIA_AUTO, MJCF_INERTIA_FROM_GEOMS, MJCF_INERTIA_AS_WRITTEN } mjcf_from_geom;

/* <compiler> */
typedef struct mjcf_compiler {
    bool degree, autolimits, strip_path, balance_inertia, exact_mesh;
    mjcf_from_geom from_geom;
    double group[2]; /* geoms of these groups count for inertia */
    double bound_mass, bound_inertia, total_mass;
    const char *mesh_folder; /* "" if none */
    char euler[4];
} mjcf_compiler;

typedef enum mjcf_mesh_state { MJCF_MESH_UNREAD, MJCF_MESH_KNOWN, MJCF_MESH_UNKNOWN } mjcf_mesh_state;

/* A solid of density 1 in the frame its file or geom is written in; a shell has
 * its area for its mass. */
typedef struct mjcf_mesh {
    const soa_xml *element;
    mjcf_mesh_state state;
    soa_inertia solid;
} mjcf_mesh;

typedef struct mjcf_site {
    int link;
    soa_pose at;
} mjcf_site;

/* What is known of an included file: it lies outside of the folder of the file that includes it. */
enum { MJCF_OUTSIDE = 1 };

/* What is counted and told at the end: name, words after the number. */
#define MJCF_REMARK_LIST(X)                                                                                         \
    X(UNKNOWN_MOMENT, "mesh geoms have a known mass but unknown moments: they are read as point masses; add their " \
                      "mesh files, or an <inertial>")                                                               \
    X(STRANGER, "unknown attributes skipped; the first is")                                                         \
    X(SPRINGDAMPER, "springdamper of joints skipped; write stiffness and damping")                                  \
    X(POLYNOMIAL, "stiffness or damping of joints read to first order only")                                        \
    X(FORCE_RANGE, "force ranges of joints skipped: they are not symmetric")                                        \
    X(GRAVITY_COMPENSATION, "gravcomp of bodies skipped: gravity acts on them in full")                             \
    X(STRANGE_GEOMETRY, "geoms cannot be kept as shapes: height fields, fitted or incomplete ones")                 \
    X(PLUGIN, "plugins skipped")                                                                                    \
    X(INACTIVE_COUPLING, "inactive joint equalities skipped")                                                       \
    X(OTHER_EQUALITY, "tendon or flex equalities skipped")

typedef enum mjcf_remark {
#define MJCF_REMARK_NAME(name, words) MJCF_##name,
    MJCF_REMARK_LIST(MJCF_REMARK_NAME)
#undef MJCF_REMARK_NAME
        MJCF_REMARKS
} mjcf_remark;

typedef struct mjcf {
    soa_kit kit;
    soa_arena arena;
    const char *path; /* of the main file; NULL: other files are refused */

    mjcf_compiler compiler;
    double gravity[3];
    soa_names included;    /* files, to 0 or MJCF_OUTSIDE */
    soa_names class_names; /* to index in classes */
    soa_array classes;     /* mjcf_class; the first is main */
    soa_names mesh_names;
    soa_array meshes; /* mjcf_mesh */
    soa_names site_names;
    soa_array sites; /* mjcf_site */
    soa_names link_names, joint_names;
    int bodies;    /* so far, numbered as MuJoCo does: 1 is the first */
    int keyframes; /* so far */

    soa_names material_names; /* to index in materials */
    soa_array materials;      /* const soa_xml * */
    soa_xml_tally unknown_mass, unknown_links;
    soa_xml_tally met[MJCF_REMARKS];
} mjcf;

static inline bool soa_mjcf_ok(const mjcf *m)
{
    return soa_ok(&m->kit.outcome);
}

/* ---- mjcf_include.c ---------------------------------------------------------------- */

/* Puts the elements of included files where the <include> elements stand. */
void soa_mjcf_include(mjcf *m, soa_xml *root);

/* ---- mjcf_default.c ---------------------------------------------------------------- */

void soa_mjcf_read_default(mjcf *m, soa_xml *section);

/* The class an attribute (class, childclass) names; `usual` if it is not there. */
int soa_mjcf_class(mjcf *m, const soa_xml *element, const char *attribute, int usual);

/* Lets the class say what the element does not. */
void soa_mjcf_dress(mjcf *m, soa_xml *element, int class_index);

/* Counts the attributes of an element in a body that are unknown. */
void soa_mjcf_check_attributes(mjcf *m, const soa_xml *x);

/* ---- mjcf_orient.c ----------------------------------------------------------------- */

void soa_mjcf_turn(const soa_pose *pose, const double v[3], double result[3]); /* rotation * v */
double soa_mjcf_length(const double v[3]);

/* pos and one of quat, axisangle, xyaxes, zaxis, euler. */
soa_pose soa_mjcf_pose(const mjcf *m, const soa_xml *x);

/* pos and an orientation, or fromto: the middle of the two points, z from the second to the
 * first; *half is half the distance, 0 if there is no fromto. */
soa_pose soa_mjcf_pose_fromto(const mjcf *m, const soa_xml *x, double *half);

/* ---- mjcf_mesh.c, mjcf_mesh_file.c ------------------------------------------------- */

void soa_mjcf_read_asset(mjcf *m, soa_xml *section);

/* Reads the mesh's file when it is first asked for. NULL: it is refused. */
const mjcf_mesh *soa_mjcf_mesh(mjcf *m, const soa_xml *geom, const char *name);

/* The mesh of <asset> by name, its file not read; NULL: none. */
mjcf_mesh *soa_mjcf_find_mesh(const mjcf *m, const char *name);

/* The file of a mesh as it is written there, its folder before it. NULL: it has none. */
const char *soa_mjcf_mesh_name(mjcf *m, const soa_xml *mesh);

/* Triangles, three corners of three numbers each, appended. */
void soa_mjcf_mesh_file(mjcf *m, const soa_xml *element, const char *path, soa_array *triangles);

/* ---- mjcf_geom.c, mjcf_inertial.c -------------------------------------------------- */

/* Mass and moment of a geom added to the sum, which is in the frame of the link;
 * at places the frame in which the geom is given. */
typedef struct mjcf_sum {
    soa_inertia inertia;
    int no_mass, no_moment; /* geoms of which these are unknown: they depend on absent files */
} mjcf_sum;

void soa_mjcf_add_geom(mjcf *m, const soa_xml *geom, const soa_pose *at, mjcf_sum *sum);

/* Shape, sizes and place of a geom, in the frame it is given in; SOA_SHAPES: of a kind that models do not have. */
void soa_mjcf_geom_shape(mjcf *m, const soa_xml *geom, soa_geometry *geometry);

/* <inertial> */
soa_inertia soa_mjcf_inertial(const mjcf *m, const soa_xml *element);

/* The bounds of <compiler>. */
void soa_mjcf_bound_inertia(const mjcf_compiler *compiler, soa_inertia *inertia);

/* ---- mjcf_item.c, mjcf_geometry.c --------------------------------------------------- */

/* A child of a body. */
typedef struct mjcf_item {
    const soa_xml *element;
    soa_pose at; /* of the frame it is given in, in that of the body */
    int class_index;
} mjcf_item;

/* The children of a body (or the world) in the order of the document, appended. */
void soa_mjcf_collect(mjcf *m, const soa_xml *body, bool world, int class_index, soa_array *items);

/* A geom as what a link (or the world) looks like. One that is not understood is left out and counted. */
void soa_mjcf_read_geometry(mjcf *m, const mjcf_item *item, int link);

/* ---- mjcf_body.c, mjcf_joint.c ------------------------------------------------------ */

void soa_mjcf_read_world(mjcf *m, soa_xml *section);

/* One joint of a body: kind, axis, anchor, limits and so on; at places the frame
 * (of <frame>) in which it is given in that of the body. joint->at and ->child
 * are left to the caller, who moves them to the anchor. */
soa_joint soa_mjcf_joint(mjcf *m, const soa_xml *x, const soa_pose *at, double anchor[3]);

/* ---- mjcf_equality.c, mjcf_key.c ---------------------------------------------------- */

void soa_mjcf_read_equality(mjcf *m, soa_xml *section);
void soa_mjcf_read_keyframe(mjcf *m, soa_xml *section);

#endif
