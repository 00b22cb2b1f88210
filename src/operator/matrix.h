/* operator/matrix.h - dense matrices for the oracle: short rather than fast.
 *
 * Numbers are long double so that the oracle's own rounding stays far below that
 * of what it checks. Matrices live in an arena. A matrix that could not be made
 * (no memory, or the inverse of a singular one) has no numbers, and so has every
 * result made from it: one check at the end is enough. */
#ifndef SOA_OPERATOR_MATRIX_H
#define SOA_OPERATOR_MATRIX_H

#include "core/memory.h"

typedef long double soa_number;

typedef struct soa_matrix {
    int rows, cols;
    soa_number *at; /* row by row */
} soa_matrix;

soa_matrix soa_matrix_zero(soa_arena *arena, int rows, int cols);
soa_matrix soa_matrix_identity(soa_arena *arena, int n);
soa_matrix soa_matrix_transpose(soa_arena *arena, soa_matrix a);
soa_matrix soa_matrix_mul(soa_arena *arena, soa_matrix a, soa_matrix b);

/* a + s b */
soa_matrix soa_matrix_add(soa_arena *arena, soa_matrix a, soa_number s, soa_matrix b);

/* The inverse, by elimination with pivots. *singular is set if there is none. */
soa_matrix soa_matrix_inverse(soa_arena *arena, soa_matrix given, bool *singular);

/* The rows and cols listed. */
soa_matrix soa_matrix_part(soa_arena *arena, soa_matrix a, int rows, const int *row, int cols, const int *col);

static inline soa_number *soa_matrix_entry(soa_matrix a, int i, int j)
{
    return a.at + (size_t)i * (size_t)a.cols + (size_t)j;
}

#endif
