/* io/mjcf.h - what the files of the MJCF reader share.
 *
 * A function that returns bool returns false after it has stored m->status and
 * filled m->error; whoever called it returns false at once.
 *
 * MJCF in one paragraph: a tree of <body> elements under <worldbody>; each has
 * its joints, geoms and sites as children, wrapped in any number of <frame>.
 * Attributes that are not written are looked up in default classes. The
 * semantics are those of MuJoCo 3. */
#ifndef SOA_IO_MJCF_H
#define SOA_IO_MJCF_H

#include "core/names.h"
#include "io/reader.h"
#include "io/xml.h"

/* ---- default classes -------------------------------------------------------------- */

typedef enum mjcf_kind { MJCF_JOINT, MJCF_GEOM, MJCF_SITE, MJCF_MESH, MJCF_EQUALITY, MJCF_KINDS } mjcf_kind;

/* An element and, behind it, the elements that say what it does not. */
typedef struct mjcf_layer {
    const soa_xml *element;
    const struct mjcf_layer *older;
} mjcf_layer;

typedef struct mjcf_class {
    const mjcf_layer *layer[MJCF_KINDS];
    int layers; /* of all kinds, those of the parent class included */
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
    mjcf_layer view;
    mjcf_mesh_state state;
    soa_inertia solid;
} mjcf_mesh;

typedef struct mjcf_site {
    int link;
    soa_pose at;
} mjcf_site;

/* What is known of an included file: it lies outside of the folder of the file that includes it. */
enum { MJCF_OUTSIDE = 1 };

/* How often something was met, and where first. */
typedef struct mjcf_tally {
    int count;
    const soa_xml *first;
} mjcf_tally;

typedef struct mjcf {
    soa_builder *builder;
    const soa_allocator *allocator;
    soa_arena arena;
    const char *path; /* of the main file; NULL: other files are refused */
    soa_error *error;
    soa_status status;

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
    mjcf_tally strange_geometry;
    mjcf_tally unknown_mass, unknown_links, unknown_moment;
    mjcf_tally springdamper, polynomial, force_range, gravity_compensation, plugin;
    mjcf_tally inactive_coupling, other_equality;
    mjcf_tally strangers; /* unknown attributes */
    const char *stranger; /* the first of them */
} mjcf;

/* Stores the status; true if it is SOA_OK. */
bool soa_mjcf_ok(mjcf *m, soa_status status);
void soa_mjcf_count(mjcf_tally *tally, const soa_xml *element);

/* ---- mjcf_include.c ---------------------------------------------------------------- */

/* Puts the elements of included files where the <include> elements stand. */
bool soa_mjcf_include(mjcf *m, soa_xml *root);

/* ---- mjcf_default.c ---------------------------------------------------------------- */

bool soa_mjcf_read_default(mjcf *m, const soa_xml *section);

/* The class an attribute (class, childclass) names; `usual` if it is not there. */
bool soa_mjcf_class(mjcf *m, const soa_xml *element, const char *attribute, int usual, int *result);

/* An element seen through a class; an element that has no defaults. */
mjcf_layer soa_mjcf_view(const mjcf *m, const soa_xml *element, mjcf_kind kind, int class_index);
mjcf_layer soa_mjcf_plain(const soa_xml *element);

/* The nearest element that has the attribute, or NULL. */
const soa_xml *soa_mjcf_where(const mjcf_layer *view, const char *attribute);
const char *soa_mjcf_text(const mjcf_layer *view, const char *attribute);

/* Values stay as they are where nothing is written. found may be NULL. */
bool soa_mjcf_numbers(mjcf *m, const mjcf_layer *view, const char *attribute, int count, double *values, bool *found);
bool soa_mjcf_number(mjcf *m, const mjcf_layer *view, const char *attribute, double *value);
bool soa_mjcf_boolean(mjcf *m, const mjcf_layer *view, const char *attribute, bool *value);

/* Fewer than `most` numbers leave the others as the older layers say. *count: how many are known. */
bool soa_mjcf_numbers_up_to(
    mjcf *m, const mjcf_layer *view, const char *attribute, int most, double *values, int *count);

/* The index of the attribute's value in words (ended by NULL), `usual` if it is not there. */
bool soa_mjcf_word(
    mjcf *m, const mjcf_layer *view, const char *attribute, const char *const *words, int usual, int *index);

/* ---- mjcf_attribute.c --------------------------------------------------------------- */

/* Counts the attributes of an element in a body that are unknown. */
void soa_mjcf_check_attributes(mjcf *m, const soa_xml *x);

/* ---- mjcf_orient.c ----------------------------------------------------------------- */

void soa_mjcf_turn(const soa_pose *pose, const double v[3], double result[3]); /* rotation * v */
double soa_mjcf_length(const double v[3]);

/* pos and one of quat, axisangle, xyaxes, zaxis, euler. */
bool soa_mjcf_pose(mjcf *m, const mjcf_layer *view, soa_pose *pose);

/* pos and an orientation, or fromto: the middle of the two points, z from the second to the
 * first; *half is half the distance, 0 if there is no fromto. */
bool soa_mjcf_pose_fromto(mjcf *m, const mjcf_layer *view, soa_pose *pose, double *half);

/* ---- mjcf_mesh.c, mjcf_mesh_file.c ------------------------------------------------- */

bool soa_mjcf_read_asset(mjcf *m, const soa_xml *section);

/* Reads the mesh's file when it is first asked for. */
bool soa_mjcf_mesh(mjcf *m, const soa_xml *geom, const char *name, const mjcf_mesh **mesh);

/* The mesh of <asset> by name, its file not read; NULL: none. */
const mjcf_mesh *soa_mjcf_find_mesh(const mjcf *m, const char *name);

/* The file of a mesh as it is written there, its folder before it. NULL in *file: it has none. */
bool soa_mjcf_mesh_name(mjcf *m, const soa_xml *mesh, const char **file);

/* Triangles, three corners of three numbers each, appended. */
bool soa_mjcf_mesh_file(mjcf *m, const soa_xml *element, const char *path, soa_array *triangles);

/* ---- mjcf_geom.c, mjcf_inertial.c -------------------------------------------------- */

/* Mass and moment of a geom added to the sum, which is in the frame of the link;
 * at places the frame in which the geom is given. */
typedef struct mjcf_sum {
    soa_inertia inertia;
    int no_mass, no_moment; /* geoms of which these are unknown: they depend on absent files */
} mjcf_sum;

bool soa_mjcf_add_geom(mjcf *m, const mjcf_layer *geom, const soa_pose *at, mjcf_sum *sum);

/* Shape, sizes and place of a geom, in the frame it is given in; SOA_SHAPES: of a kind that models do not have. */
bool soa_mjcf_geom_shape(mjcf *m, const mjcf_layer *view, soa_geometry *geometry);

/* ---- mjcf_geometry.c ---------------------------------------------------------------- */

/* A geom as what a link (or the world) looks like. One that is not understood is left out and counted. */
struct mjcf_item;
bool soa_mjcf_read_geometry(mjcf *m, const struct mjcf_item *item, int link);

/* <inertial> */
bool soa_mjcf_inertial(mjcf *m, const soa_xml *element, soa_inertia *inertia);

/* The bounds of <compiler>. */
void soa_mjcf_bound_inertia(const mjcf_compiler *compiler, soa_inertia *inertia);

/* ---- mjcf_item.c -------------------------------------------------------------------- */

/* A child of a body. */
typedef struct mjcf_item {
    const soa_xml *element;
    soa_pose at; /* of the frame it is given in, in that of the body */
    int class_index;
} mjcf_item;

/* The children of a body (or the world) in the order of the document, appended. */
bool soa_mjcf_collect(mjcf *m, const soa_xml *body, bool world, int class_index, soa_array *items);

/* ---- mjcf_body.c, mjcf_joint.c ------------------------------------------------------ */

bool soa_mjcf_read_world(mjcf *m, const soa_xml *section);

/* One joint of a body: kind, axis, anchor, limits and so on; at places the frame
 * (of <frame>) in which it is given in that of the body. joint->at and ->child
 * are left to the caller, who moves them to the anchor. */
bool soa_mjcf_joint(mjcf *m, const mjcf_layer *view, const soa_pose *at, soa_joint *joint, double anchor[3]);

/* ---- mjcf_equality.c, mjcf_key.c ---------------------------------------------------- */

bool soa_mjcf_read_equality(mjcf *m, const soa_xml *section);
bool soa_mjcf_read_keyframe(mjcf *m, const soa_xml *section);

#endif
