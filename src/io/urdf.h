/* io/urdf.h - the parts of the URDF reader. What fails is kept in the outcome of the kit. */
#ifndef SOA_IO_URDF_H
#define SOA_IO_URDF_H

#include "io/reader.h"
#include "io/xml.h"
#include "model/kit.h"

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

typedef struct urdf {
    soa_kit kit;
    soa_arena arena;
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

/* A name: there, not empty, not longer than SOA_MAX_NAME, no unexpanded xacro. "" if it is refused. */
const char *soa_urdf_name(const soa_xml *element, const char *attribute);

/* The child of that name, NULL if there is none; refused if there are two. */
soa_xml *soa_urdf_only(const soa_xml *element, const char *name);

/* xyz and rpy (or quat_xyzw) of an element; of its <origin>, identity if none. */
soa_pose soa_urdf_placement(const soa_xml *element);
soa_pose soa_urdf_origin(const soa_xml *element);

/* urdf_link.c - inertia and flags of a link from its <inertial>. */
void soa_urdf_inertial(urdf *u, const soa_xml *element, soa_link *link);

/* urdf_joint.c - a joint but for its parent and child (from->unlimited is set); and the coupling of <mimic>. */
soa_joint soa_urdf_joint(urdf *u, urdf_joint *from);
void soa_urdf_mimic(urdf *u, const urdf_joint *joint);

/* urdf_tree.c - numbers links and joints of the file and resolves their names. */
void soa_urdf_tree(urdf *u);

/* urdf_geometry.c - <visual> and <collision> of the links, once these are in the builder. */
void soa_urdf_geometry(urdf *u);

/* urdf_extra.c - transmissions, named frames, and what is left out. */
void soa_urdf_transmissions(urdf *u);
void soa_urdf_frames(urdf *u);
void soa_urdf_remarks(urdf *u);

#endif
