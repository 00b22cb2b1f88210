/* core/eigen.h - eigenvalues and eigenvectors of a dense symmetric matrix. */
#ifndef SOA_CORE_EIGEN_H
#define SOA_CORE_EIGEN_H

#include <stdbool.h>
#include <stddef.h>

/* A = W* diag(value) W. A (n x n, row by row) must be symmetric and becomes W, whose rows are orthonormal eigenvectors;
 * values ascend. work: n numbers. false: it does not converge, which happens only if numbers are not finite. */
bool soa_eigen(size_t n, double *A, double *value, double *work);

/* Why a pencil has no result: A is not positive definite, or numbers are not finite. */
typedef enum soa_pencil_result { SOA_PENCIL_OK, SOA_PENCIL_INDEFINITE, SOA_PENCIL_NOT_FINITE } soa_pencil_result;

/* B x = value A x with x* A x = 1, for symmetric B and positive definite A = L L*. Rows of B become the vectors x, values
 * ascend; A becomes L. work: n numbers. */
soa_pencil_result soa_pencil(size_t n, double *A, double *B, double *value, double *work);

#endif
