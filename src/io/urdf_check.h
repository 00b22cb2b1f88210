/* io/urdf_check.h - whether URDF can say what a model is. */
#ifndef SOA_IO_URDF_CHECK_H
#define SOA_IO_URDF_CHECK_H

#include "soa/model.h"

/* SOA_E_UNSUPPORTED names the first item that URDF cannot say. */
soa_status soa_urdf_check(const soa_model *model, soa_error *error);

#endif
