/* operator/operator_kernels.h - the kernels behind soa_operators and their table. */
#ifndef SOA_OPERATOR_OPERATOR_KERNELS_H
#define SOA_OPERATOR_OPERATOR_KERNELS_H

#include "soa/operator.h"
#include "sweep/call.h"

/* What one unit offers. */
typedef struct soa_operator_table {
    size_t (*size)(const soa_model *model, int points); /* bytes of soa_call.work */
    /* q, and of models with flexible links the points: the variables at q. failed[0]: the body where D is not positive definite. */
    soa_kernel *set;
    /* u = x, y, option = operator * 2 + adjoint. */
    soa_kernel *apply;
} soa_operator_table;

const soa_operator_table *soa_operator_kernels(soa_cpu cpu);

#endif
