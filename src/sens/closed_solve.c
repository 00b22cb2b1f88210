/* sens/closed_solve.c - the inverse of the equations of a closed system, in blocks: sens/closed.c has the symbols. */
#include <math.h>
#include <string.h>

#include "sens/closed.h"

void soa_multiply_add(size_t rows, double factor, soa_matrix_view a, soa_matrix_view b, soa_matrix_view y)
{
    for (size_t i = 0; i < rows; i++) {
        double *to = y.at + i * y.columns;
        for (size_t c = 0; c < a.columns; c++) {
            const double x = factor * a.at[i * a.columns + c], *from = b.at + c * b.columns;
            for (size_t j = 0; x != 0.0 && j < b.columns; j++) {
                to[j] += x * from[j];
            }
        }
    }
}

void soa_set_zero(double *x, size_t n)
{
    memset(x, 0, n * sizeof *x);
}

/* Row and column of S by the size of the row; rows that depend on others become those of the identity. */
static void scale_rows(const soa_closed_scratch *s, double *scale)
{
    const size_t r = s->r;
    for (size_t i = 0; i < r; i++) {
        const double size = fabs(s->S[i * r + i]);
        scale[i] = s->depends[i] ? 0.0 : size > 0.0 ? 1.0 / sqrt(size) : 1.0;
    }
    for (size_t row = 0; row < r; row++) {
        for (size_t column = 0; column < r; column++) {
            double *x = &s->S[row * r + column];
            *x = s->depends[row] && row == column ? 1.0 : *x * scale[row] * scale[column];
        }
    }
}

static void swap_numbers(double *a, double *b, size_t n, size_t step)
{
    for (size_t i = 0; i < n * step; i += step) {
        const double x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}

/* S becomes its inverse by Gauss and Jordan, the largest pivot of each column; order: r numbers. */
static void invert(const soa_closed_scratch *s, double *order)
{
    const size_t r = s->r;
    for (size_t k = 0; k < r; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < r; i++) {
            best = fabs(s->S[i * r + k]) > fabs(s->S[best * r + k]) ? i : best;
        }
        swap_numbers(s->S + k * r, s->S + best * r, r, 1);
        order[k] = (double)best;
        double *own = s->S + k * r;
        const double inv = 1.0 / own[k];
        own[k] = 1.0;
        for (size_t j = 0; j < r; j++) {
            own[j] *= inv;
        }
        for (size_t i = 0; i < r; i++) {
            double *to = s->S + i * r;
            const double share = to[k];
            for (size_t j = 0; i != k && share != 0.0 && j < r; j++) {
                to[j] = (j == k ? 0.0 : to[j]) - share * own[j];
            }
        }
    }
    for (size_t k = r; k-- > 0;) {
        swap_numbers(s->S + k, s->S + (size_t)order[k], r, r);
    }
}

void soa_closed_factor(const soa_closed_scratch *s)
{
    const size_t n = s->n, r = s->r;
    double *scale = s->r2, *order = s->r2 + r;
    soa_set_zero(s->AF, n * r);
    soa_set_zero(s->L, r * n);
    soa_set_zero(s->S, r * r);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < r; k++) {
            for (size_t c = 0; c < n; c++) {
                s->AF[i * r + k] += s->P[i * n + c] * s->F[k * n + c];
            }
        }
    }
    soa_multiply_add(r, 1.0, (soa_matrix_view){ s->J, n }, (soa_matrix_view){ s->AF, r }, (soa_matrix_view){ s->S, r });
    scale_rows(s, scale);
    invert(s, order);
    for (size_t row = 0; row < r; row++) {
        for (size_t column = 0; column < r; column++) {
            s->S[row * r + column] *= scale[row] * scale[column];
        }
    }
    soa_set_zero(s->E, n * r);
    soa_multiply_add(n, 1.0, (soa_matrix_view){ s->AF, r }, (soa_matrix_view){ s->S, r }, (soa_matrix_view){ s->E, r });
    double *JA = s->r1;
    soa_set_zero(JA, r * n);
    soa_multiply_add(r, 1.0, (soa_matrix_view){ s->J, n }, (soa_matrix_view){ s->P, n }, (soa_matrix_view){ JA, n });
    soa_multiply_add(r, -1.0, (soa_matrix_view){ s->S, r }, (soa_matrix_view){ JA, n }, (soa_matrix_view){ s->L, n });
    soa_multiply_add(n, -1.0, (soa_matrix_view){ s->E, r }, (soa_matrix_view){ JA, n }, (soa_matrix_view){ s->P, n });
}
