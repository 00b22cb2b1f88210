/* tests/flex/beam_particles.h - the kinetic energy of a deformed beam by many particles between its nodes, an oracle for the modal
 * integrals. The deflection between nodes is Hermite's; sections are 4 particles at other places than the library's. */
#ifndef SOA_TESTS_BEAM_PARTICLES_H
#define SOA_TESTS_BEAM_PARTICLES_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "soa/flex.h"
#include "soa/model.h"

enum { FINE = 400 };

static inline void cross3(const double *a, const double *b, double *c)
{
    for (int i = 0; i < 3; i++) {
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

static inline double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The frame of the beam: columns of the shortest rotation that takes x to the axis, by Rodrigues. */
static inline void beam_axes(const soa_beam *beam, double e[3][3])
{
    const double length = sqrt(dot3(beam->axis, beam->axis)), x[3] = { 1, 0, 0 };
    double a[3], k[3], s[3], t[3];
    for (int i = 0; i < 3; i++) {
        a[i] = beam->axis[i] / length;
    }
    cross3(x, a, k);
    for (int c = 0; c < 3; c++) {
        const double unit[3] = { c == 0, c == 1, c == 2 };
        cross3(k, unit, s);
        cross3(k, s, t);
        for (int i = 0; i < 3; i++) {
            e[c][i] = unit[i] + s[i] + t[i] / (1.0 + a[0]);
        }
    }
}

/* Displacement, slope in the axes of the beam at s of element n, for modal coordinates eta: u (3), theta (3). */
static inline void section_motion(const soa_flexible *f, const soa_beam *beam, double e[3][3], int n, double s,
    const double *eta, double u[3], double theta[3])
{
    const double h = beam->length / beam->elements;
    double d[2][6];
    for (int end = 0; end < 2; end++) {
        double shape[6] = { 0 };
        for (int i = 0; i < f->modes; i++) {
            for (int c = 0; c < 6; c++) {
                shape[c] += eta[i] * f->shape[((n + end) * f->modes + i) * 6 + c];
            }
        }
        for (int c = 0; c < 3; c++) {
            d[end][c] = dot3(e[c], shape);
            d[end][3 + c] = dot3(e[c], shape + 3);
        }
    }
    const double N[4] = { 1 - 3 * s * s + 2 * s * s * s, h * (s - 2 * s * s + s * s * s), 3 * s * s - 2 * s * s * s,
        h * (s * s * s - s * s) };
    const double D[4] = { (6 * s * s - 6 * s) / h, 1 - 4 * s + 3 * s * s, (6 * s - 6 * s * s) / h, 3 * s * s - 2 * s };
    u[0] = (1 - s) * d[0][3] + s * d[1][3];
    u[1] = N[0] * d[0][4] + N[1] * d[0][2] + N[2] * d[1][4] + N[3] * d[1][2];
    u[2] = N[0] * d[0][5] - N[1] * d[0][1] + N[2] * d[1][5] - N[3] * d[1][1];
    theta[0] = (1 - s) * d[0][0] + s * d[1][0];
    theta[2] = D[0] * d[0][4] + D[1] * d[0][2] + D[2] * d[1][4] + D[3] * d[1][2];
    theta[1] = -(D[0] * d[0][5] - D[1] * d[0][1] + D[2] * d[1][5] - D[3] * d[1][1]);
}

/* 2 T of the beam: particles at eta, moved by etadot and (w; v); the shortening of its axis by the sum so far. */
static inline double particles_energy(const soa_flexible *f, const soa_beam *beam, const double *eta,
    const double *etadot, const double *w, const double *v)
{
    double e[3][3], T = 0.0, shorter = 0.0, shorter_dot = 0.0;
    const soa_beam_section *section = &beam->section[0];
    const double y = sqrt(section->Iz / section->A), z = sqrt(section->Iy / section->A);
    const double h = beam->length / beam->elements, dx = h / FINE, mass = beam->rho * section->A * dx / 4.0;
    beam_axes(beam, e);
    for (int n = 0; n < beam->elements; n++) {
        for (int k = 0; k < FINE; k++) {
            const double s = (k + 0.5) / FINE;
            double u[3], theta[3], du[3], dtheta[3];
            section_motion(f, beam, e, n, s, eta, u, theta);
            section_motion(f, beam, e, n, s, etadot, du, dtheta);
            const double rate = theta[1] * theta[1] + theta[2] * theta[2];
            const double rate_dot = theta[1] * dtheta[1] + theta[2] * dtheta[2];
            const double axial = beam->stiffening ? shorter - 0.25 * dx * rate : 0.0;
            const double axial_dot = beam->stiffening ? shorter_dot - 0.5 * dx * rate_dot : 0.0;
            shorter -= 0.5 * dx * rate;
            shorter_dot -= dx * rate_dot;
            for (int p = 0; p < 4; p++) { /* (+-y, +-z): second moments A y^2, A z^2 */
                const double at[3] = { 0.0, p & 1 ? y : -y, p & 2 ? z : -z };
                double turned[3], dturned[3], r[3] = { 0 }, rate_r[3], local[3], dlocal[3];
                cross3(theta, at, turned);
                cross3(dtheta, at, dturned);
                for (int c = 0; c < 3; c++) {
                    local[c] = at[c] + u[c] + turned[c] + (c == 0 ? h * (n + s) + axial : 0.0);
                    dlocal[c] = du[c] + dturned[c] + (c == 0 ? axial_dot : 0.0);
                }
                for (int i = 0; i < 3; i++) {
                    r[i] = e[0][i] * local[0] + e[1][i] * local[1] + e[2][i] * local[2];
                }
                cross3(w, r, rate_r);
                for (int i = 0; i < 3; i++) {
                    rate_r[i] += v[i] + e[0][i] * dlocal[0] + e[1][i] * dlocal[1] + e[2][i] * dlocal[2];
                }
                T += mass * dot3(rate_r, rate_r);
            }
        }
    }
    return T;
}

/* 2 T of the polynomials of soa/flexible.h. */
static inline double polynomial_energy(
    const soa_flexible *f, const double *eta, const double *etadot, const double *w, const double *v)
{
    const int m = f->modes;
    double first[3], J[6], T = f->mass * dot3(v, v), wv[3];
    memcpy(first, f->first, sizeof first);
    memcpy(J, f->second, sizeof J);
    for (int i = 0; i < m; i++) {
        double en[3], ef[3];
        memcpy(en, f->en + 3 * i, sizeof en);
        memcpy(ef, f->ef + 3 * i, sizeof ef);
        for (int c = 0; c < 3; c++) {
            first[c] += ef[c] * eta[i];
        }
        for (int e = 0; e < 6; e++) {
            J[e] += f->second1[6 * i + e] * eta[i];
        }
        for (int j = 0; j < m; j++) {
            T += etadot[i] * f->ee[i * m + j] * etadot[j];
            for (int c = 0; c < 3; c++) {
                en[c] += f->en1[3 * (i * m + j) + c] * eta[j];
                if (f->ef1) {
                    ef[c] += f->ef1[3 * (i * m + j) + c] * eta[j];
                    first[c] += 0.5 * f->ef1[3 * (i * m + j) + c] * eta[i] * eta[j];
                }
            }
            for (int e = 0; e < 6; e++) {
                J[e] += 0.5 * f->second2[6 * (i * m + j) + e] * eta[i] * eta[j];
            }
        }
        T += 2.0 * etadot[i] * (dot3(en, w) + dot3(ef, v));
    }
    cross3(w, first, wv);
    T += 2.0 * dot3(wv, v) + J[0] * w[0] * w[0] + J[3] * w[1] * w[1] + J[5] * w[2] * w[2] +
         2.0 * (J[1] * w[0] * w[1] + J[2] * w[0] * w[2] + J[4] * w[1] * w[2]);
    return T;
}

/* Both energies as polynomials of eta: the part of order k by differences of the energy at 0, +-1, to second order; what is
 * beyond is small, since eta is. */
static inline void energy_orders(double (*energy)(const soa_flexible *, const soa_beam *, const double *,
                                     const double *, const double *, const double *),
    const soa_flexible *f, const soa_beam *beam, const double *eta, const double *const motion[3], double order[3])
{
    double at[3], scaled[SOA_MAX_MODES];
    for (int k = -1; k <= 1; k++) {
        for (int i = 0; i < f->modes; i++) {
            scaled[i] = k * eta[i];
        }
        at[k + 1] = energy(f, beam, scaled, motion[0], motion[1], motion[2]);
    }
    order[0] = at[1];
    order[1] = 0.5 * (at[2] - at[0]);
    order[2] = 0.5 * (at[2] + at[0]) - at[1];
}

static inline double polynomial_energy_of_beam(const soa_flexible *f, const soa_beam *beam, const double *eta,
    const double *etadot, const double *w, const double *v)
{
    (void)beam;
    return polynomial_energy(f, eta, etadot, w, v);
}

/* Orders 0, 1 and 2 in eta of the energies, for random motions. Terms that the polynomials leave out are of order two in eta and
 * in etadot both, so order 2 is looked at without etadot. */
static inline void check_integrals(const soa_flexible *f, const soa_beam *beam)
{
    unsigned long long seed = 11;
    for (int round = 0; round < 6; round++) {
        double eta[SOA_MAX_MODES], etadot[SOA_MAX_MODES], w[3], v[3], exact[3], got[3];
        for (int i = 0; i < f->modes; i++) {
            eta[i] = 0.002 * soa_model_random_number(&seed);
            etadot[i] = soa_model_random_number(&seed);
        }
        for (int i = 0; i < 3; i++) {
            w[i] = soa_model_random_number(&seed);
            v[i] = soa_model_random_number(&seed);
        }
        const double zero[SOA_MAX_MODES] = { 0.0 };
        const double *const moving[3] = { etadot, w, v }, *const rigid[3] = { zero, w, v };
        energy_orders(particles_energy, f, beam, eta, moving, exact);
        energy_orders(polynomial_energy_of_beam, f, beam, eta, moving, got);
        const double scale = fabs(exact[0]);
        assert_true(fabs(got[0] - exact[0]) < 1e-5 * scale);
        if (!(fabs(got[1] - exact[1]) < 1e-5 * fabs(exact[1]) + 1e-9 * scale)) {
            fail_msg("order 1: %.12g, particles %.12g", got[1], exact[1]);
        }
        energy_orders(particles_energy, f, beam, eta, rigid, exact);
        energy_orders(polynomial_energy_of_beam, f, beam, eta, rigid, got);
        if (!(fabs(got[2] - exact[2]) < 1e-4 * fabs(exact[2]) + 1e-12 * scale)) {
            fail_msg("order 2: %.12g, particles %.12g", got[2], exact[2]);
        }
    }
}

#endif
