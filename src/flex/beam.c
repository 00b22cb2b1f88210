/* flex/beam.c - straight beams of 12-dof elements, Euler-Bernoulli or Timoshenko.
 *
 * In the axes of the beam a section at s (0..1 of an element of length h) moves by v and turns by theta; in the plane of x
 * and y with Phi = 12 E Iz / (shear G A h^2), which is 0 without shear,
 *
 *     v = (1 - 3 s^2 + 2 s^3 + Phi (1 - s)) / (1 + Phi) v1 + h (s - 2 s^2 + s^3 + Phi (s - s^2) / 2) / (1 + Phi) theta1 + ...
 *
 * the exact deflection of an element that is loaded at its ends (Przemieniecki, Theory of Matrix Structural Analysis, 5.6 and
 * 11.4). Each section is four particles that have its mass and second moments, so the inertia of sections that turn is
 * in. Everything is integrated by five Gauss points. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "flex/fe.h"

enum { WIDTH = 12, SECTION_POINTS = 4 };
enum { TURN_X, TURN_Y, TURN_Z, MOVE_X, MOVE_Y, MOVE_Z }; /* dofs of an element's first node; + 6: of its second */

/* ---- what the user gives ---------------------------------------------------------------------------------- */

soa_beam soa_beam_default(void)
{
    return (soa_beam){ .axis = { 1.0, 0.0, 0.0 }, .elements = 16, .stations = 1 };
}

static soa_status check_sections(const soa_beam *beam, soa_error *error)
{
    if (beam->stations < 1 || beam->stations > SOA_MAX_STATIONS) {
        return soa_fail(
            error, SOA_E_LIMIT, -1, "a beam has %d stations; give 1 to %d", beam->stations, SOA_MAX_STATIONS);
    }
    soa_status status = SOA_OK;
    for (int i = 0; i < beam->stations && status == SOA_OK; i++) {
        const soa_beam_section *s = &beam->section[i];
        status = soa_positive(s->A, "A", error);
        SOA_NEXT(status, soa_positive(s->Iy, "Iy", error));
        SOA_NEXT(status, soa_positive(s->Iz, "Iz", error));
        SOA_NEXT(status, soa_positive(s->J, "J", error));
    }
    return status;
}

static soa_status check_beam(const void *shape, soa_error *error)
{
    const soa_beam *beam = shape;
    const double length = hypot(hypot(beam->axis[0], beam->axis[1]), beam->axis[2]);
    soa_status status = soa_positive(beam->length, "length", error);
    SOA_NEXT(status, soa_positive(beam->E, "E", error));
    SOA_NEXT(status, soa_positive(beam->G, "G", error));
    SOA_NEXT(status, soa_positive(beam->rho, "rho", error));
    SOA_NEXT(status, check_sections(beam, error));
    if (status != SOA_OK) {
        return status;
    }
    if (beam->elements < 1 || beam->elements > SOA_MAX_ELEMENTS) {
        return soa_fail(error, SOA_E_LIMIT, -1, "'elements' is %d; give 1 to %d", beam->elements, SOA_MAX_ELEMENTS);
    }
    if (!(beam->shear >= 0.0 && beam->shear <= 1.0)) {
        return soa_fail(error, SOA_E_NUMBER, -1,
            "'shear' is %g; give the shear coefficient of the section, such as 0.83, or leave it out", beam->shear);
    }
    if (!(length > 0.0) || !isfinite(length)) {
        return soa_fail(
            error, SOA_E_NUMBER, -1, "the axis of the beam is zero; give a direction such as x or [1, 0, 0]");
    }
    return SOA_OK;
}

/* The shortest rotation that takes x to the axis; about z if the axis is -x. */
static void turn_to(const double axis[3], double R[9])
{
    const double length = hypot(hypot(axis[0], axis[1]), axis[2]);
    const double a = axis[0] / length, b = axis[1] / length, c = axis[2] / length;
    if (a < 0.0 && b == 0.0 && c == 0.0) {
        memcpy(R, (const double[9]){ -1, 0, 0, 0, -1, 0, 0, 0, 1 }, 9 * sizeof *R);
        return;
    }
    const double t = 1.0 / (1.0 + a);
    memcpy(R, (const double[9]){ a, -b, -c, b, 1.0 - b * b * t, -b * c * t, c, -b * c * t, 1.0 - c * c * t },
        9 * sizeof *R);
}

/* The section at x, a share of the length. */
static soa_beam_section section_at(const soa_beam *beam, double x)
{
    if (beam->stations == 1) {
        return beam->section[0];
    }
    const double at = x * (beam->stations - 1);
    const int i = at >= beam->stations - 1 ? beam->stations - 2 : (int)at;
    const soa_beam_section *a = &beam->section[i], *b = a + 1;
    const double t = at - i, r = 1.0 - t;
    return (soa_beam_section){ r * a->A + t * b->A, r * a->Iy + t * b->Iy, r * a->Iz + t * b->Iz, r * a->J + t * b->J };
}

/* ---- an element ------------------------------------------------------------------------------------------- */

/* What bending does at s, for the dofs (v1, theta1, v2, theta2): displacement, its slope, rotation, curvature. */
typedef struct bending {
    double v[4], slope[4], theta[4], curvature[4];
} bending;

static bending bend(double s, double h, double Phi)
{
    const double s2 = s * s, s3 = s2 * s, c = 1.0 / (1.0 + Phi);
    return (bending){
        { c * (1.0 - 3.0 * s2 + 2.0 * s3 + Phi * (1.0 - s)), c * h * (s - 2.0 * s2 + s3 + 0.5 * Phi * (s - s2)),
            c * (3.0 * s2 - 2.0 * s3 + Phi * s), c * h * (s3 - s2 - 0.5 * Phi * (s - s2)) },
        { c / h * (6.0 * s2 - 6.0 * s - Phi), c * (1.0 - 4.0 * s + 3.0 * s2 + 0.5 * Phi * (1.0 - 2.0 * s)),
            c / h * (6.0 * s - 6.0 * s2 + Phi), c * (3.0 * s2 - 2.0 * s - 0.5 * Phi * (1.0 - 2.0 * s)) },
        { c / h * (6.0 * s2 - 6.0 * s), c * (1.0 - 4.0 * s + 3.0 * s2 + Phi * (1.0 - s)), c / h * (6.0 * s - 6.0 * s2),
            c * (3.0 * s2 - 2.0 * s + Phi * s) },
        { c / h / h * (12.0 * s - 6.0), c / h * (6.0 * s - 4.0 - Phi), c / h / h * (6.0 - 12.0 * s),
            c / h * (6.0 * s - 2.0 + Phi) },
    };
}

/* What the 12 dofs do at s: rows of displacement and rotation of the section, slopes, strains. */
typedef struct rows {
    double move[3][WIDTH], turn[3][WIDTH];
    double slope[2][WIDTH];                                               /* of v, of w */
    double stretch[WIDTH], twist[WIDTH], bend[2][WIDTH], shear[2][WIDTH]; /* strains; 0: in x and y, 1: in x and z */
} rows;

static const int in_xy[4] = { MOVE_Y, TURN_Z, MOVE_Y + 6, TURN_Z + 6 },
                 in_xz[4] = { MOVE_Z, TURN_Y, MOVE_Z + 6, TURN_Y + 6 };

static rows rows_at(double s, double h, const double Phi[2])
{
    rows r = { 0 };
    const bending xy = bend(s, h, Phi[0]), xz = bend(s, h, Phi[1]);
    r.move[0][MOVE_X] = r.turn[0][TURN_X] = 1.0 - s;
    r.move[0][MOVE_X + 6] = r.turn[0][TURN_X + 6] = s;
    r.stretch[MOVE_X] = r.twist[TURN_X] = -1.0 / h;
    r.stretch[MOVE_X + 6] = r.twist[TURN_X + 6] = 1.0 / h;
    for (int i = 0; i < 4; i++) {
        const double sign = i % 2 ? -1.0 : 1.0; /* w' = -theta_y */
        r.move[1][in_xy[i]] = xy.v[i];
        r.turn[2][in_xy[i]] = xy.theta[i];
        r.slope[0][in_xy[i]] = xy.slope[i];
        r.bend[0][in_xy[i]] = xy.curvature[i];
        r.shear[0][in_xy[i]] = xy.slope[i] - xy.theta[i];
        r.move[2][in_xz[i]] = sign * xz.v[i];
        r.turn[1][in_xz[i]] = -sign * xz.theta[i];
        r.slope[1][in_xz[i]] = sign * xz.slope[i];
        r.bend[1][in_xz[i]] = sign * xz.curvature[i];
        r.shear[1][in_xz[i]] = sign * (xz.slope[i] - xz.theta[i]);
    }
    return r;
}

/* K += weight strain* strain */
static void add_strain(double weight, const double *strain, double *K)
{
    for (int i = 0; i < WIDTH; i++) {
        for (int j = 0; j <= i; j++) {
            K[i * WIDTH + j] += weight * strain[i] * strain[j];
        }
    }
}

static void add_stiffness(
    const soa_beam *beam, const soa_beam_section *section, double length, const rows *r, double *K)
{
    const double E = beam->E * length, G = beam->G * length;
    add_strain(E * section->A, r->stretch, K);
    add_strain(G * section->J, r->twist, K);
    add_strain(E * section->Iz, r->bend[0], K);
    add_strain(E * section->Iy, r->bend[1], K);
    if (beam->shear > 0.0) {
        add_strain(beam->shear * G * section->A, r->shear[0], K);
        add_strain(beam->shear * G * section->A, r->shear[1], K);
    }
}

/* A particle at (y, z) of the section moves by u + theta cross (0, y, z); N in the axes of the link. */
static void add_particle(soa_generated *model, const rows *r, double mass, const double at[3], const int *dof)
{
    const double *R = model->turn;
    double position[3];
    for (int i = 0; i < 3; i++) {
        position[i] = R[3 * i] * at[0] + R[3 * i + 1] * at[1] + R[3 * i + 2] * at[2];
    }
    double *N = soa_particles_add(&model->particles, mass, position, dof);
    for (int k = 0; k < WIDTH; k++) {
        const double u[3] = { r->move[0][k] + r->turn[1][k] * at[2] - r->turn[2][k] * at[1],
            r->move[1][k] - r->turn[0][k] * at[2], r->move[2][k] + r->turn[0][k] * at[1] };
        for (int i = 0; i < 3; i++) {
            N[i * WIDTH + k] = R[3 * i] * u[0] + R[3 * i + 1] * u[1] + R[3 * i + 2] * u[2];
        }
    }
}

static void shear_factors(const soa_beam *beam, const soa_beam_section *section, double h, double Phi[2])
{
    const double by = beam->shear > 0.0 ? 12.0 * beam->E / (beam->shear * beam->G * section->A * h * h) : 0.0;
    Phi[0] = by * section->Iz;
    Phi[1] = by * section->Iy;
}

static void add_element(soa_generated *model, const soa_beam *beam, int element)
{
    const double h = beam->length / beam->elements;
    const soa_beam_section middle = section_at(beam, (element + 0.5) / beam->elements);
    const int *dof = model->dof + (size_t)element * SOA_NODE_DOFS;
    int dofs[WIDTH];
    double K[WIDTH * WIDTH] = { 0.0 }, Phi[2];
    memcpy(dofs, dof, 6 * sizeof *dofs);
    memcpy(dofs + 6, dof + SOA_NODE_DOFS, 6 * sizeof *dofs);
    shear_factors(beam, &middle, h, Phi);
    for (int g = 0; g < SOA_GAUSS; g++) {
        const double s = soa_gauss_point[g], length = h * soa_gauss_weight[g], x = h * (element + s);
        const soa_beam_section section = section_at(beam, (element + s) / beam->elements);
        const rows r = rows_at(s, h, Phi);
        const double mass = beam->rho * section.A * length / SECTION_POINTS;
        const double y = sqrt(2.0 * section.Iz / section.A), z = sqrt(2.0 * section.Iy / section.A);
        add_stiffness(beam, &section, length, &r, K);
        add_particle(model, &r, mass, (const double[3]){ x, y, 0.0 }, dofs);
        add_particle(model, &r, mass, (const double[3]){ x, -y, 0.0 }, dofs);
        add_particle(model, &r, mass, (const double[3]){ x, 0.0, z }, dofs);
        add_particle(model, &r, mass, (const double[3]){ x, 0.0, -z }, dofs);
    }
    soa_triplets_add(&model->K, WIDTH, dofs, K);
}

/* ---- foreshortening ----------------------------------------------------------------------------------------
 * A beam that bends and does not stretch comes closer to its root: S_ij(x) = -integral of (v_i' v_j' + w_i' w_j'),
 * along the axis. */

/* Slopes of all modes at s of an element: m x 2. */
static void slopes_at(const soa_generated *model, const rows *r, int element, int m, const double *Pi, double *slope)
{
    const int *dof = model->dof + (size_t)element * SOA_NODE_DOFS;
    for (int i = 0; i < 2 * m; i++) {
        slope[i] = 0.0;
        for (int k = 0; k < WIDTH; k++) {
            const int at = dof[k < 6 ? k : k - 6 + SOA_NODE_DOFS];
            slope[i] += at < 0 ? 0.0 : r->slope[i % 2][k] * Pi[(size_t)(i / 2) * (size_t)model->dofs + (size_t)at];
        }
    }
}

/* sum += the integral from 0 to s of an element, m x m. */
static void shorten(
    soa_generated *model, const soa_beam *beam, int element, double s, int m, const double *Pi, double *sum)
{
    const double h = beam->length / beam->elements;
    const soa_beam_section middle = section_at(beam, (element + 0.5) / beam->elements);
    double Phi[2], slope[2 * SOA_MAX_MODES] = { 0.0 };
    shear_factors(beam, &middle, h, Phi);
    for (int g = 0; g < SOA_GAUSS; g++) {
        const rows r = rows_at(s * soa_gauss_point[g], h, Phi);
        const double length = s * h * soa_gauss_weight[g];
        slopes_at(model, &r, element, m, Pi, slope);
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < m; j++) {
                sum[i * m + j] -= length * (slope[2 * i] * slope[2 * j] + slope[2 * i + 1] * slope[2 * j + 1]);
            }
        }
    }
}

/* Along the axis, in the axes of the link. */
static void put_axial(const soa_generated *model, size_t pairs, const double *sum, double *S)
{
    for (size_t ij = 0; ij < pairs; ij++) {
        for (size_t d = 0; d < 3; d++) {
            S[3 * ij + d] = sum[ij] * model->turn[3 * d];
        }
    }
}

static soa_status foreshorten(
    soa_generated *model, const void *context, int m, const double *Pi, soa_flexible_block *block, soa_error *error)
{
    const soa_beam *beam = context;
    const size_t pairs = (size_t)m * (size_t)m;
    double *S = soa_arena_take(&model->arena, (size_t)model->particles.count * pairs * 3, sizeof *S);
    double *sum = soa_arena_take(&model->arena, pairs, sizeof *sum),
           *at = soa_arena_take(&model->arena, pairs, sizeof *at);
    if (model->arena.failed) {
        return soa_fail_memory(error);
    }
    model->S = S;
    for (int element = 0; element < beam->elements; element++) {
        for (int g = 0; g < SOA_GAUSS; g++) {
            memcpy(at, sum, pairs * sizeof *at);
            shorten(model, beam, element, soa_gauss_point[g], m, Pi, at);
            for (int point = 0; point < SECTION_POINTS; point++, S += pairs * 3) {
                put_axial(model, pairs, at, S);
            }
        }
        shorten(model, beam, element, 1.0, m, Pi, sum);
        put_axial(model, pairs, sum, soa_numbers_of(block->data.shape2) + (size_t)(element + 1) * pairs * 3);
    }
    return SOA_OK;
}

/* ---- the beam ---------------------------------------------------------------------------------------------- */

static void number_nodes(soa_generated *model, const soa_beam *beam)
{
    for (int node = 0; node < model->nodes; node++) {
        const double x = node == beam->elements ? beam->length : beam->length / beam->elements * node;
        for (int d = 0; d < 3; d++) {
            model->position[3 * node + d] = x * model->turn[3 * d];
        }
        for (int d = 0; d < SOA_NODE_DOFS; d++) {
            model->dof[(size_t)node * SOA_NODE_DOFS + (size_t)d] = node == 0 || d >= 6 ? -1 : model->dofs++;
        }
    }
}

static void fill_beam(soa_generated *model, const void *shape)
{
    const soa_beam *beam = shape;
    const int elements = beam->elements;
    model->turn = soa_arena_take(&model->arena, 9, sizeof(double));
    if (soa_generated_take(model, elements + 1, elements, WIDTH, SOA_GAUSS * SECTION_POINTS)) {
        turn_to(beam->axis, model->turn);
        number_nodes(model, beam);
        for (int i = 0; i < elements; i++) {
            add_element(model, beam, i);
        }
    }
}

soa_status soa_flexible_beam(const soa_beam *beam, const soa_reduction *reduction, const soa_allocator *allocator,
    soa_flexible **flexible, soa_error *error)
{
    const soa_generator beams = { "the beam", check_beam, fill_beam, beam && beam->stiffening ? foreshorten : NULL };
    return soa_generate(&beams, beam, reduction, allocator, flexible, error);
}
