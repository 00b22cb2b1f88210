/* io/urdf_write.h - the parts of the URDF writer. */
#ifndef SOA_IO_URDF_WRITE_H
#define SOA_IO_URDF_WRITE_H

#include "io/write.h"

/* SOA_E_UNSUPPORTED names the first item that URDF cannot say. */
soa_status soa_urdf_check(const soa_model *model, soa_error *error);

/* <origin>, unless it is the identity. */
void soa_urdf_write_origin(soa_text *text, const char *indent, const soa_pose *pose);

/* <visual> and <collision> of a shape that URDF has; inside places the model's link in the written one. */
bool soa_urdf_has_shape(soa_shape shape);
void soa_urdf_write_geometry(soa_text *text, const soa_geometry *geometry, const soa_pose *inside);

#endif
