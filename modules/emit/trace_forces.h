/* emit/trace_forces.h - forces of joints and of flexible links on a tape. */
#ifndef SOA_EMIT_TRACE_FORCES_H
#define SOA_EMIT_TRACE_FORCES_H

#include "emit/tape.h"

#ifdef __cplusplus
extern "C" {
#endif

struct soa_force;
struct soa_flexible;

/* The force of an element at a joint that is displaced by x and moves with v. */
double trace_joint_force(tape *t, const struct soa_force *element, double x, double v);

/* The elastic force on mode i. */
double trace_elastic_force(
    tape *t, const struct soa_flexible *flexible, int i, const double *eta, const double *etadot);

#ifdef __cplusplus
}
#endif
#endif
