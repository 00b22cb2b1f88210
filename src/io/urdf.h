/* io/urdf.h - the parts of the URDF reader. */
#ifndef SOA_IO_URDF_H
#define SOA_IO_URDF_H

#include "core/names.h"
#include "io/reader.h"
#include "io/xml.h"

/* A file on its way into the builder. Links and joints are numbered as they stand
 * in the file; `index` is the number of a link in the builder. */
typedef struct urdf_link {
    soa_xml *element;
    const char *name;
    int joint; /* whose child it is; -1: none */
    int index;
} urdf_link;

typedef struct urdf_joint {
    soa_xml *element;
    const char *name;
    int parent; /* link, or SOA_WORLD for a world that the file does not declare */
    int child;
    double reduction; /* of its transmission; 0 if none */
    bool unlimited;   /* although its type has limits */
} urdf_joint;

/* How often something was met, and where first. */
typedef struct urdf_tally {
    const soa_xml *first;
    int count;
} urdf_tally;

typedef struct urdf {
    soa_builder *builder;
    const soa_allocator *allocator;
    soa_xml *root;
    urdf_link *link;
    urdf_joint *joint;
    int links, joints;
    int base; /* the root link; -1: the world that the file does not declare */
    soa_names link_names, joint_names;
    soa_xml **material; /* of <robot> */
    soa_names material_names;
} urdf;

/* urdf_element.c - what every element is asked. */

/* A name: there, not empty, not longer than SOA_MAX_NAME, no unexpanded xacro. */
soa_status soa_urdf_name(const soa_xml *element, const char *attribute, const char **name, soa_error *error);

/* The child of that name, NULL if there is none; refused if there are two. */
soa_status soa_urdf_only(const soa_xml *element, const char *name, soa_xml **child, soa_error *error);

/* xyz and rpy (or quat_xyzw) of an element; of its <origin>, identity if none. */
soa_status soa_urdf_placement(const soa_xml *element, soa_pose *pose, soa_error *error);
soa_status soa_urdf_origin(const soa_xml *element, soa_pose *pose, soa_error *error);

/* urdf_link.c - inertia and flags of a link from its <inertial>. */
soa_status soa_urdf_inertial(soa_builder *builder, const soa_xml *element, soa_link *link, soa_error *error);

/* urdf_joint.c - a joint but for its parent and child (from->unlimited is set); and the coupling of <mimic>. */
soa_status soa_urdf_joint(soa_builder *builder, urdf_joint *from, soa_joint *joint, soa_error *error);
soa_status soa_urdf_mimic(const urdf *u, const urdf_joint *joint, soa_error *error);

/* urdf_tree.c - numbers links and joints of the file and resolves their names. */
soa_status soa_urdf_tree(urdf *u, soa_arena *arena, soa_error *error);

/* urdf_geometry.c - <visual> and <collision> of the links, once these are in the builder. */
soa_status soa_urdf_geometry(urdf *u, soa_arena *arena, soa_error *error);

/* urdf_extra.c - transmissions, named frames, and what is left out. */
soa_status soa_urdf_transmissions(urdf *u, soa_error *error);
soa_status soa_urdf_frames(const urdf *u, soa_error *error);
soa_status soa_urdf_remarks(const urdf *u, soa_error *error);

#endif
