/* closure/nonnegative.h - least squares with signs. */
#ifndef SOA_CLOSURE_NONNEGATIVE_H
#define SOA_CLOSURE_NONNEGATIVE_H

/* x >= 0 that makes |A x - b| least, A 6 x n column by column (Lawson and Hanson). What is left of |b - A x|. */
double soa_nonnegative(int n, const double *A, const double b[6], double *x);

#endif
