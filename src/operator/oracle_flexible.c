/* operator/oracle_flexible.c - flexible links of the oracle, from their data: soa/flexible.h. */
#include "operator/oracle_frames.h"

/* ---- nodes ----------------------------------------------------------------------------- */

/* B = (1 - cos a) / a^2, C = (a - sin a) / a^3 with s = a^2; of small angles by their series. */
static void turn_factors(number s, number *B, number *C)
{
    const number a = sqrtl(s);
    if (s < 1e-4L) {
        *B = 1 / 2.0L - s / 24 + s * s / 720 - s * s * s / 40320;
        *C = 1 / 6.0L - s / 120 + s * s / 5040 - s * s * s / 362880;
    } else {
        *B = (1 - cosl(a)) / s;
        *C = (a - sinl(a)) / (a * s);
    }
}

/* Pi(i) = (Jr rotation(i); R* dx/deta(i)), in the axes of the node. */
static void put_motion(
    const number Jr[3][3], const number R[3][3], const double *rotation, const number *dx, number *Pi)
{
    for (int i = 0; i < 3; i++) {
        Pi[i] = Pi[3 + i] = 0;
        for (int j = 0; j < 3; j++) {
            Pi[i] += Jr[i][j] * rotation[j];
            Pi[3 + i] += R[j][i] * dx[j];
        }
    }
}

frame soa_oracle_node(const soa_flexible *f, int node, const double *eta, number Pi[][6])
{
    const size_t m = (size_t)f->modes, t = (size_t)node - 1;
    const double *shape = f->shape + 6 * m * t;
    number theta[3] = { 0 }, dx[SOA_MAX_MODES][3], B, C, Jr[3][3];
    frame N = frame_identity();
    for (int e = 0; e < 3; e++) {
        N.p[e] = f->position[3 * t + (size_t)e];
        for (size_t i = 0; i < m; i++) {
            number second = 0;
            for (size_t j = 0; f->shape2 && j < m; j++) {
                second += f->shape2[3 * ((t * m + i) * m + j) + (size_t)e] * eta[j];
            }
            const number first = shape[6 * i + 3 + (size_t)e];
            theta[e] += shape[6 * i + (size_t)e] * eta[i];
            N.p[e] += eta[i] * (first + second / 2);
            dx[i][e] = first + second;
        }
    }
    const number s = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2];
    turn_factors(s, &B, &C);
    turn_by(theta, 1 - s * C, B, N.R);
    turn_by(theta, -B, C, Jr);
    for (size_t i = 0; i < m; i++) {
        put_motion(Jr, N.R, shape + 6 * i, dx[i], Pi[i]);
    }
    return N;
}

/* ---- inertia ------------------------------------------------------------------------------ */

/* x + sum_i y_i eta_i, with z also + 1/2 sum_ij z_ij eta_i eta_j; number e of `size` each. */
static number expand(double x, const double *y, const double *z, int m, int size, int e, const double *eta)
{
    number sum = x;
    for (int i = 0; i < m; i++) {
        sum += y ? (number)y[size * i + e] * eta[i] : 0;
        for (int j = 0; z && j < m; j++) {
            sum += (number)z[size * (m * i + j) + e] * eta[i] * eta[j] / 2;
        }
    }
    return sum;
}

void soa_oracle_modal_inertia(const soa_flexible *f, const double *eta, soa_matrix M)
{
    const int m = f->modes;
    number h[3], H[3][3];
    for (int e = 0; e < 3; e++) {
        h[e] = expand(f->first[e], f->ef, f->ef1, m, 3, e, eta);
    }
    tilde(h, H);
    for (int i = 0; i < 3; i++) {
        *soa_matrix_entry(M, 3 + i, 3 + i) = f->mass;
        for (int j = 0; j < 3; j++) {
            *soa_matrix_entry(M, i, j) = expand(f->second[sixth[i][j]], f->second1, f->second2, m, 6, sixth[i][j], eta);
            *soa_matrix_entry(M, i, 3 + j) = *soa_matrix_entry(M, 3 + j, i) = H[i][j];
        }
    }
    for (int i = 0; i < m; i++) {
        for (int e = 0; e < 3; e++) {
            const double *en1 = f->en1 ? f->en1 + 3 * m * i : NULL, *ef1 = f->ef1 ? f->ef1 + 3 * m * i : NULL;
            const number n = expand(f->en[3 * i + e], en1, NULL, m, 3, e, eta);
            const number l = expand(f->ef[3 * i + e], ef1, NULL, m, 3, e, eta);
            *soa_matrix_entry(M, e, 6 + i) = *soa_matrix_entry(M, 6 + i, e) = n;
            *soa_matrix_entry(M, 3 + e, 6 + i) = *soa_matrix_entry(M, 6 + i, 3 + e) = l;
        }
        for (int j = 0; j < m; j++) {
            *soa_matrix_entry(M, 6 + i, 6 + j) = f->ee[m * i + j];
        }
    }
}
