/* sens/closed_solve.c - the inverse of the equations of a closed system, in blocks: sens/closed.c has the symbols. */
#include <math.h>
#include <string.h>

#include "sens/closed.h"

void soa_set_zero(double *x, size_t n)
{
    memset(x, 0, n * sizeof *x);
}

/* S becomes its inverse. Rows and columns are first divided by the root of their diagonal; rows that depend on others
 * become those of the identity, and their multipliers zero. */
static bool invert_compliance(const soa_closed_scratch *s)
{
    const size_t r = s->r;
    double *scale = s->r2, *scaled = s->r2 + r;
    size_t *order = (size_t *)(void *)s->order;
    for (size_t i = 0; i < r; i++) {
        const double size = fabs(s->S[i * r + i]);
        scale[i] = s->depends[i] ? 0.0 : size > 0.0 ? 1.0 / sqrt(size) : 1.0;
    }
    for (size_t i = 0; i < r; i++) {
        for (size_t j = 0; j < r; j++) {
            scaled[i * r + j] = s->depends[i] && i == j ? 1.0 : s->S[i * r + j] * scale[i] * scale[j];
        }
    }
    if (soa_lu(r, scaled, order, 0.0).rank < r) {
        return false;
    }
    soa_lu_solve(r, scaled, order, r, NULL, s->S);
    for (size_t i = 0; i < r; i++) {
        for (size_t j = 0; j < r; j++) {
            s->S[i * r + j] *= scale[i] * scale[j];
        }
    }
    return true;
}

bool soa_closed_factor(const soa_closed_scratch *s)
{
    const size_t n = s->n, r = s->r;
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
    if (!invert_compliance(s)) {
        return false;
    }
    soa_set_zero(s->E, n * r);
    soa_multiply_add(n, 1.0, (soa_matrix_view){ s->AF, r }, (soa_matrix_view){ s->S, r }, (soa_matrix_view){ s->E, r });
    double *JA = s->r1;
    soa_set_zero(JA, r * n);
    soa_multiply_add(r, 1.0, (soa_matrix_view){ s->J, n }, (soa_matrix_view){ s->P, n }, (soa_matrix_view){ JA, n });
    soa_multiply_add(r, -1.0, (soa_matrix_view){ s->S, r }, (soa_matrix_view){ JA, n }, (soa_matrix_view){ s->L, n });
    soa_multiply_add(n, -1.0, (soa_matrix_view){ s->E, r }, (soa_matrix_view){ JA, n }, (soa_matrix_view){ s->P, n });
    return true;
}

double soa_closed_weigh(const soa_closed_scratch *s, double *room)
{
    const size_t n = s->n;
    double mass = 0.0, rows = 0.0;
    for (size_t i = 0; i < n; i++) {
        mass = fmax(mass, s->P[i * n + i]);
        for (size_t k = 0; k < s->r; k++) {
            rows = fmax(rows, s->J[k * n + i] * s->J[k * n + i]);
        }
    }
    const double w = rows > 0.0 ? mass / rows : 0.0;
    double *unit = room + n * n;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < s->r; k++) {
                sum += s->F[k * n + i] * s->J[k * n + j];
            }
            room[i * n + j] = s->P[i * n + j] + w * sum;
            unit[i * n + j] = i == j;
        }
    }
    size_t *order = (size_t *)(void *)s->r1; /* n columns at least */
    if (soa_lu(n, room, order, SOA_ROUNDED).rank < n) {
        return 0.0;
    }
    soa_lu_solve(n, room, order, n, unit, s->P);
    return w;
}
