/* core/spd.h - small dense matrices that are symmetric and positive definite. */
#ifndef SOA_CORE_SPD_H
#define SOA_CORE_SPD_H

/* A = L L*, L into the lower triangle of A (n x n, row by row). The row at which A is not positive definite, or -1. */
int soa_factor_spd(int n, double *A);

/* x = A^-1 x for the factored A. */
void soa_solve_spd(int n, const double *L, double *x);

#endif
