/* io/urdf_write.h - the parts of the URDF writer. */
#ifndef SOA_IO_URDF_WRITE_H
#define SOA_IO_URDF_WRITE_H

#include "io/write.h"

typedef struct urdf_writer {
    const soa_model *model;
    soa_text *text;
    const char *world; /* name of the link that stands for the world; NULL: none */
    soa_by_link coupling, geometry;
} urdf_writer;

/* SOA_E_UNSUPPORTED names the first item that URDF cannot say. */
soa_status soa_urdf_check(const soa_model *model, soa_error *error);

/* <origin>, unless it is the identity. */
void soa_urdf_write_origin(soa_text *text, const char *indent, const soa_pose *pose);

/* Places the model's link in the written one, which stands at the moving side of its joint. A weld has no moving
 * side: its written link stands where the model's does. */
soa_pose soa_urdf_inside(const soa_model *model, int link);

/* The joint of a link; a frame as a link on a weld; the transmission of a joint that has a ratio. */
void soa_urdf_write_joint(const urdf_writer *w, int link);
void soa_urdf_write_frame(const urdf_writer *w, const soa_frame *frame);
void soa_urdf_write_transmission(const urdf_writer *w, int link);

/* <visual> and <collision> of a shape that URDF has; inside places the model's link in the written one. */
bool soa_urdf_has_shape(soa_shape shape);
void soa_urdf_write_geometry(soa_text *text, const soa_geometry *geometry, const soa_pose *inside);

#endif
