/* io/mjcf_write.h - what the files of the MJCF writer share. What MJCF cannot say fails the outcome. */
#ifndef SOA_IO_MJCF_WRITE_H
#define SOA_IO_MJCF_WRITE_H

#include "core/names.h"
#include "io/write.h"

typedef struct mjcf_writer {
    const soa_model *model;
    soa_text *text;
    soa_outcome outcome;
    int links;
    int *first; /* first child of each link as written; first[links]: of the world */
    int *next;  /* next child of the same parent */
    soa_by_link frame, geometry;
    soa_arena arena;
    soa_names mesh_names, material_names, geom_names;
    int *mesh;  /* by geometry: the one whose mesh in <asset> it shares */
    int *order; /* links in the order of the file */
    int written;
    int depth;                        /* of elements that are open */
    char made_name[SOA_WRITTEN_NAME]; /* of a body that is called "world", which means the world there */
} mjcf_writer;

void soa_mjcf_refuse(mjcf_writer *w, const char *what, const char *name, const char *why);

/* pos, and quat if it turns. */
void soa_mjcf_write_pose(mjcf_writer *w, const soa_pose *pose);

/* A link that only carries a joint of the body below it: its joint is written there. */
bool soa_mjcf_is_carrier(const mjcf_writer *w, int link);

/* Where a link stands in the world at the reference. */
soa_pose soa_mjcf_stand_in_world(const mjcf_writer *w, int link);

/* The joints of a body, its carriers' first. */
void soa_mjcf_write_joints(mjcf_writer *w, int link);

/* The name of a body; "world" for SOA_WORLD. */
const char *soa_mjcf_body_name(const mjcf_writer *w, int link);

/* The name of a link's joint. */
const char *soa_mjcf_joint_name(const mjcf_writer *w, int link, char buffer[SOA_WRITTEN_NAME]);

/* <asset>, and the geoms of a link (the number of links: of the world). */
void soa_mjcf_write_assets(mjcf_writer *w);
void soa_mjcf_write_geoms(mjcf_writer *w, int place);

/* <equality>, <keyframe> */
void soa_mjcf_write_equality(mjcf_writer *w);
void soa_mjcf_write_keyframe(mjcf_writer *w);

/* y = y0 + sum a_i (x - x0)^i as sum c_j x^j. */
void soa_mjcf_shift(const double a[SOA_COUPLING_TERMS], double y0, double x0, double c[SOA_COUPLING_TERMS]);

#endif
