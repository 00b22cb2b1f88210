/* Beams against theory: frequencies, mass properties, modal integrals of a deformed beam, foreshortening. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "flex/beam_particles.h"
#include "flex/modal_mass.h"
#include "soa/flex.h"

/* Slender, and so much stiffer in other ways that its lowest modes bend it in the plane of x and y. */
static soa_beam slender(int elements)
{
    soa_beam beam = soa_beam_default();
    beam.length = 8.0;
    beam.elements = elements;
    beam.E = 7.0e10;
    beam.G = 2.7e10;
    beam.rho = 2700.0;
    beam.section[0] = (soa_beam_section){ 4.0e-4, 4.0e-8, 4.0e-14, 1.0e-7 };
    return beam;
}

static soa_flexible *make_beam(const soa_beam *beam, int modes)
{
    const soa_reduction reduction = { .modes = modes };
    soa_flexible *flexible;
    soa_error error;
    if (soa_flexible_beam(beam, &reduction, NULL, &flexible, &error) != SOA_OK) {
        fail_msg("%s", error.text);
    }
    return flexible;
}

static void check_frequencies(const double *value, const soa_beam *beam, const double expected[5], double near)
{
    const soa_beam_section *s = &beam->section[0];
    const double scale = sqrt(beam->E * s->Iz / (beam->rho * s->A)) / (beam->length * beam->length);
    for (int i = 0; i < 5; i++) {
        const double omega = sqrt(value[i]), theory = expected[i] * expected[i] * scale;
        if (!(fabs(omega / theory - 1.0) < near)) {
            fail_msg("mode %d: %.9g, theory %.9g", i + 1, omega, theory);
        }
    }
}

/* beta L of the textbooks, for instance Blevins, Formulas for Natural Frequency and Mode Shape, table 8-1. */
static const double clamped_free[5] = { 1.87510407, 4.69409113, 7.85475744, 10.99554073, 14.13716839 };
static const double free_free[5] = { 4.73004074, 7.85320462, 10.99560784, 14.13716549, 17.27875966 };
static const double pinned_free[5] = { 3.92660231, 7.06858275, 10.21017612, 13.35176878, 16.49336143 };

static void frequencies_on_supports(void **state)
{
    (void)state;
    const soa_beam beam = slender(24);
    soa_flexible *f = make_beam(&beam, 48);
    const bool none[6] = { false }, pinned[6] = { false, false, true, false, false, false },
               all[6] = { 1, 1, 1, 1, 1, 1 };
    double value[FULL_MOST];
    assert_int_equal(free_values(f, none, 0.0, value), 48);
    check_frequencies(value, &beam, clamped_free, 1e-3);
    for (int i = 0; i < 5; i++) {
        assert_true(fabs(f->stiffness[i * 48 + i] / value[i] - 1.0) < 1e-9);
    }
    assert_int_equal(free_values(f, pinned, 1e-3, value), 49);
    assert_true(fabs(value[0]) < 1e-8);
    check_frequencies(value + 1, &beam, pinned_free, 1e-3);
    assert_int_equal(free_values(f, all, 1e-3, value), 54);
    assert_true(fabs(value[5]) < 1e-6);
    check_frequencies(value + 6, &beam, free_free, 1e-3);
    soa_flexible_free(NULL, f);
}

static double timoshenko_determinant(double b, double r, double s)
{
    /* T. C. Huang, J. Applied Mechanics 28 (1961): b^2 = rho A L^4 omega^2 / (E I), r^2 = I/(A L^2), s^2 = E I/(k A G L^2);
     * clamped-free: 2 + [b^2 (r^2 - s^2)^2 + 2] cosh(b alpha) cos(b beta)
     *                 - b (r^2 + s^2) / sqrt(1 - b^2 r^2 s^2) sinh(b alpha) sin(b beta) = 0 */
    const double r2 = r * r, s2 = s * s, root = sqrt((r2 - s2) * (r2 - s2) + 4.0 / (b * b));
    const double alpha = sqrt(0.5 * (root - (r2 + s2))), beta = sqrt(0.5 * (root + r2 + s2));
    return 2.0 + (b * b * (r2 - s2) * (r2 - s2) + 2.0) * cosh(b * alpha) * cos(b * beta) -
           b * (r2 + s2) / sqrt(1.0 - b * b * r2 * s2) * sinh(b * alpha) * sin(b * beta);
}

static double next_root(double from, double r, double s)
{
    const double step = 0.01;
    double low = from + step;
    while ((timoshenko_determinant(low, r, s) < 0.0) == (timoshenko_determinant(low + step, r, s) < 0.0)) {
        low += step;
    }
    double high = low + step;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        if ((timoshenko_determinant(low, r, s) < 0.0) == (timoshenko_determinant(middle, r, s) < 0.0)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void timoshenko_frequencies(void **state)
{
    (void)state;
    soa_beam beam = soa_beam_default();
    beam.length = 1.0;
    beam.elements = 40;
    beam.E = 2.0e11;
    beam.G = 7.7e10;
    beam.rho = 7800.0;
    beam.shear = 0.85;
    beam.section[0] = (soa_beam_section){ 1.0e-2, 4.0e-3, 1.0e-2 * 0.05 * 0.05, 1.0 };
    soa_flexible *f = make_beam(&beam, 4);
    const double r = 0.05, s = sqrt(beam.E * 0.05 * 0.05 / (0.85 * beam.G));
    const double scale = sqrt(beam.E * beam.section[0].Iz / (beam.rho * beam.section[0].A));
    double b = 0.0;
    int found = 0;
    for (int i = 0; i < 4; i++) {
        if (fabs(f->shape[(40 * 4 + i) * 6 + 4]) < 1e-3) {
            continue; /* it bends in the other plane */
        }
        found++;
        b = next_root(b, r, s);
        const double omega = sqrt(f->stiffness[i * 4 + i]);
        if (!(fabs(omega / (b * scale) - 1.0) < 1e-3)) {
            fail_msg("mode %d: %.9g, theory %.9g", i + 1, omega, b * scale);
        }
    }
    assert_true(found >= 2);
    soa_flexible_free(NULL, f);
}

/* A beam bends in either plane alike: what is stiff along y with one section is so along z with the other, with shear too. */
static void planes_are_alike(void **state)
{
    (void)state;
    enum { MODES = 6 };
    double omega[2][MODES];
    for (int turned = 0; turned < 2; turned++) {
        soa_beam beam = slender(8);
        beam.length = 0.5;
        beam.shear = 0.85;
        beam.section[0] = (soa_beam_section){ 0.02, turned ? 2e-5 : 7e-5, turned ? 7e-5 : 2e-5, 1e-4 };
        soa_flexible *f = make_beam(&beam, MODES);
        for (int i = 0; i < MODES; i++) {
            omega[turned][i] = sqrt(f->stiffness[i * MODES + i]);
        }
        soa_flexible_free(NULL, f);
    }
    for (int i = 0; i < MODES; i++) {
        if (!(fabs(omega[1][i] / omega[0][i] - 1.0) < 1e-10)) {
            fail_msg("mode %d: %.9g and %.9g", i + 1, omega[0][i], omega[1][i]);
        }
    }
}

/* A cantilever whose height falls to half of it at the tip: omega L^2 sqrt(rho A / (E I)) = 3.82379 (Downs, J. Applied Mechanics
 * 1977). */
static void tapered_frequency(void **state)
{
    (void)state;
    soa_beam beam = slender(40);
    enum { STATIONS = 33 };
    beam.stations = STATIONS;
    for (int i = 0; i < STATIONS; i++) {
        const double h = 1.0 - 0.5 * i / (STATIONS - 1);
        beam.section[i] = (soa_beam_section){ 4.0e-4 * h, 4.0e-8, 4.0e-14 * h * h * h, 1.0e-7 };
    }
    soa_flexible *f = make_beam(&beam, 2);
    const double scale = sqrt(beam.E * 4.0e-14 / (beam.rho * 4.0e-4)) / (beam.length * beam.length);
    assert_true(fabs(sqrt(f->stiffness[0]) / (3.82379 * scale) - 1.0) < 1e-3);
    soa_flexible_free(NULL, f);
}

/* The first frequency of a stout cantilever whose height falls to a third of it at the tip. */
static double stout_frequency(int elements)
{
    enum { STATIONS = 33 };
    soa_beam beam = slender(elements);
    beam.length = 0.5;
    beam.shear = 0.85;
    beam.stations = STATIONS;
    for (int i = 0; i < STATIONS; i++) {
        const double h = 0.3 - 0.2 * i / (STATIONS - 1); /* and 1 m wide */
        beam.section[i] = (soa_beam_section){ h, h / 12.0, h * h * h / 12.0, 1.0 };
    }
    soa_flexible *f = make_beam(&beam, 1);
    const double square = f->stiffness[0];
    soa_flexible_free(NULL, f);
    return sqrt(square);
}

/* Sections are taken where they are: the error falls with the square of the length of the elements, at least. */
static void tapered_shear_converges(void **state)
{
    (void)state;
    const double coarse = stout_frequency(8), middle = stout_frequency(16), fine = stout_frequency(32);
    if (!(fabs(coarse - middle) > 3.5 * fabs(middle - fine))) {
        fail_msg("%.9g, %.9g, %.9g", coarse, middle, fine);
    }
}

/* Mass, first moment and second moments of a beam of any direction. */
static void mass_properties(void **state)
{
    (void)state;
    soa_beam beam = slender(5);
    beam.section[0] = (soa_beam_section){ 4.0e-4, 3.0e-8, 1.0e-8, 2.6e-8 };
    const double axis[3] = { 2.0, -1.0, 2.0 };
    memcpy(beam.axis, axis, sizeof axis);
    soa_flexible *f = make_beam(&beam, 6);
    const double m = 2700.0 * 4.0e-4 * 8.0, along = 2700.0 * 4.0e-8 * 8.0, mL2 = m * 64.0 / 3.0;
    assert_true(fabs(f->mass / m - 1.0) < 1e-14);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(f->first[i] - m * 4.0 * axis[i] / 3.0) < 1e-12 * m);
    }
    double u_J_u = 0.0;
    for (int i = 0, e = 0; i < 3; i++) {
        for (int j = i; j < 3; j++, e++) {
            u_J_u += (i == j ? 1.0 : 2.0) * f->second[e] * axis[i] * axis[j] / 9.0;
        }
    }
    assert_true(fabs(u_J_u / along - 1.0) < 1e-9);
    assert_true(fabs((f->second[0] + f->second[3] + f->second[5]) / (2.0 * mL2 + 2.0 * along) - 1.0) < 1e-12);
    soa_flexible_free(NULL, f);
}

/* T of the polynomials against T of particles that are moved. */
static void integrals_of_deformed_beams(void **state)
{
    (void)state;
    for (int stiffening = 0; stiffening < 2; stiffening++) {
        soa_beam beam = slender(6);
        beam.section[0] = (soa_beam_section){ 4.0e-4, 3.0e-8, 1.0e-8, 2.6e-8 };
        memcpy(beam.axis, (const double[3]){ 0.3, -0.5, 0.8 }, sizeof beam.axis);
        beam.stiffening = stiffening;
        soa_flexible *f = make_beam(&beam, 7);
        check_integrals(f, &beam);
        soa_flexible_free(NULL, f);
    }
}

/* Interfaces: the tip under a static load bends as the beam does, though one mode is kept. */
static void constraint_modes(void **state)
{
    (void)state;
    soa_beam beam = slender(8);
    beam.section[0] = (soa_beam_section){ 4.0e-4, 3.0e-8, 1.0e-8, 2.6e-8 };
    const char *const last[] = { "last" };
    const soa_reduction reduction = { .modes = 1, .interfaces = 1, .interface = last, .damping = 0.01 };
    soa_flexible *f;
    soa_error error;
    assert_int_equal(soa_flexible_beam(&beam, &reduction, NULL, &f, &error), SOA_OK);
    assert_int_equal(f->modes, 7);
    const double k[6] = { beam.G * 2.6e-8 / 8.0, beam.E * 3.0e-8 / 8.0, beam.E * 1.0e-8 / 8.0, beam.E * 4.0e-4 / 8.0,
        3.0 * beam.E * 1.0e-8 / 512.0, 3.0 * beam.E * 3.0e-8 / 512.0 };
    for (int d = 0; d < 6; d++) {
        double deflection = 0.0; /* Pi K^-1 Pi* at the tip */
        for (int i = 0; i < 7; i++) {
            const double shape = f->shape[(8 * 7 + i) * 6 + d];
            deflection += shape * shape / f->stiffness[i * 7 + i];
            for (int j = 0; j < i; j++) {
                assert_true(f->stiffness[i * 7 + j] == 0.0);
                assert_true(fabs(f->ee[i * 7 + j]) < 1e-9);
            }
            assert_true(fabs(f->ee[i * 7 + i] - 1.0) < 1e-9);
            assert_true(
                fabs(f->damping[i * 7 + i] - 0.02 * sqrt(f->stiffness[i * 7 + i])) < 1e-9 * f->damping[i * 7 + i]);
        }
        assert_true(fabs(deflection * k[d] - 1.0) < 1e-6);
    }
    soa_flexible_free(NULL, f);
}

/* A beam along -x is that along x turned half about z: its centre of mass is on the other side. */
static void beams_may_point_back(void **state)
{
    (void)state;
    soa_flexible *f[2];
    double frequency[2][3];
    for (int i = 0; i < 2; i++) {
        soa_beam beam = slender(8);
        beam.axis[0] = i == 0 ? 2.0 : -2.0;
        f[i] = make_beam(&beam, 3);
        assert_int_equal(soa_flexible_frequencies(f[i], frequency[i], NULL, NULL), SOA_OK);
        soa_flexible bad = *f[i];
        double none[9] = { 0.0 }, unused[3];
        bad.ee = none;
        assert_int_equal(soa_flexible_frequencies(&bad, unused, NULL, NULL), SOA_E_INERTIA);
    }
    assert_true(f[0]->first[0] > 0.0);
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(frequency[0][k] / frequency[1][k] - 1.0) < 1e-9);
        assert_true(fabs(f[0]->first[k] + f[1]->first[k]) < 1e-12 * f[0]->first[0]);
    }
    const double turned[6] = { -1.0, -1.0, 1.0, -1.0, -1.0, 1.0 }; /* by half a turn about z */
    for (int i = 0; i < 9 * 3 * 6; i++) {
        const double *x = f[0]->shape, *y = f[1]->shape;
        assert_true(fabs(fabs(x[i]) - fabs(y[i])) < 1e-9);
        assert_true(fabs(x[i] * x[i - i % 6 + 4] - turned[i % 6] * turned[4] * y[i] * y[i - i % 6 + 4]) < 1e-9);
        if (i < 9 * 3) {
            assert_true(fabs(f[0]->position[i] - turned[i % 3] * f[1]->position[i]) < 1e-12);
        }
    }
    soa_flexible_free(NULL, f[0]);
    soa_flexible_free(NULL, f[1]);
}

/* A quarter of a wave stands in a beam, of extension at sqrt(E / rho) and of torsion at sqrt(G J / (rho (Iy + Iz))): its nodes
 * move as sin(pi x / 2 L), the tip by sqrt(2 / inertia), since the modal mass is 1. */
static void beams_stretch_and_twist(void **state)
{
    (void)state;
    enum { MODES = 8, TIP = 20 };
    soa_beam beam = soa_beam_default();
    beam.length = 2.0;
    beam.elements = TIP;
    beam.E = 4.0e9;
    beam.G = 1.0e9;
    beam.rho = 1000.0;
    beam.section[0] = (soa_beam_section){ 0.01, 4.0e-4, 5.0e-4, 6.0e-4 };
    soa_flexible *f = make_beam(&beam, MODES);
    for (int d = 0; d < 6; d += 3) { /* turns about x, moves along x */
        const double inertia = beam.rho * beam.length * (d == 0 ? 9.0e-4 : 0.01), tip = sqrt(2.0 / inertia);
        const double speed = sqrt(d == 0 ? beam.G * 6.0e-4 / (beam.rho * 9.0e-4) : beam.E / beam.rho);
        int mode = 0;
        while (mode < MODES && fabs(f->shape[(TIP * MODES + mode) * 6 + d]) < 0.5 * tip) {
            mode++;
        }
        assert_true(mode < MODES);
        const double omega = sqrt(f->stiffness[mode * MODES + mode]), quarter = 0.5 * acos(-1.0);
        assert_true(fabs(omega * beam.length / (quarter * speed) - 1.0) < 1e-3);
        const double signed_tip = copysign(tip, f->shape[(TIP * MODES + mode) * 6 + d]);
        for (int node = 0; node <= TIP; node++) {
            for (int k = 0; k < 6; k++) {
                const double wanted = k == d ? signed_tip * sin(quarter * node / TIP) : 0.0;
                assert_true(fabs(f->shape[(node * MODES + mode) * 6 + k] - wanted) < 1e-3 * tip);
            }
        }
    }
    soa_flexible_free(NULL, f);
    f = make_beam(&beam, 1);
    double frequency;
    assert_int_equal(soa_flexible_frequencies(f, &frequency, NULL, NULL), SOA_OK);
    assert_true(fabs(frequency * 2.0 * acos(-1.0) / sqrt(f->stiffness[0]) - 1.0) < 1e-12);
    soa_flexible_free(NULL, f);
}

/* Sections change along straight lines: a station half way that says so changes nothing. */
static void stations_are_joined_by_lines(void **state)
{
    (void)state;
    soa_beam beam = slender(8), other;
    beam.stations = 2;
    beam.section[1] = (soa_beam_section){ 2.0e-4, 1.0e-8, 1.0e-14, 0.4e-7 };
    other = beam;
    other.stations = 3;
    other.section[2] = beam.section[1];
    other.section[1] = (soa_beam_section){ 3.0e-4, 2.5e-8, 2.5e-14, 0.7e-7 };
    soa_flexible *f = make_beam(&beam, 4), *g = make_beam(&other, 4);
    assert_true(fabs(f->mass / g->mass - 1.0) < 1e-13);
    assert_true(fabs(f->mass / (beam.rho * beam.length * 3.0e-4) - 1.0) < 1e-13);
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(f->stiffness[5 * i] / g->stiffness[5 * i] - 1.0) < 1e-9);
    }
    soa_flexible_free(NULL, f);
    soa_flexible_free(NULL, g);
}

/* What only rounding made is not there: numbers of one kind are zero or not far smaller than the largest. */
static void zeros_are_zero(void **state)
{
    (void)state;
    soa_beam beam = slender(8);
    const double axis[3] = { 0.6, 0.0, 0.8 };
    memcpy(beam.axis, axis, sizeof axis);
    beam.stiffening = true;
    soa_flexible *f = make_beam(&beam, 4);
    const int m = f->modes, nodes = f->nodes;
    const struct {
        int count;
        const double *number;
    } kind[] = { { 3, f->first }, { 6, f->second }, { 3 * m, f->ef }, { 3 * m, f->en }, { 3 * m * m, f->en1 },
        { 3 * m * m, f->ef1 }, { 6 * m, f->second1 }, { 6 * m * m, f->second2 }, { 6 * nodes * m, f->shape },
        { 3 * nodes * m * m, f->shape2 } };
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        double largest = 0.0;
        for (int i = 0; i < kind[k].count; i++) {
            largest = fmax(largest, fabs(kind[k].number[i]));
        }
        for (int i = 0; i < kind[k].count; i++) {
            assert_true(kind[k].number[i] == 0.0 || fabs(kind[k].number[i]) > 1e-13 * largest);
        }
    }
    for (int i = 0; i < m * m; i++) {
        assert_true(f->ee[i] == (i % (m + 1) == 0 ? 1.0 : 0.0));
    }
    soa_flexible_free(NULL, f);
}

static void bad_beams_are_refused(void **state)
{
    (void)state;
    static const struct {
        int stations, elements, modes;
        double shear;
        const char *words;
    } bad[] = { { 0, 4, 2, 0.0, "0 stations; give 1 to" }, { 1, 0, 2, 0.0, "'elements' is 0" },
        { 1, 4, 2, 1.5, "'shear' is 1.5" }, { 1, 16, 2000, 0.0, "modes" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        soa_beam beam = slender(8);
        soa_flexible *flexible = NULL;
        soa_error error;
        const soa_reduction reduction = { .modes = bad[i].modes };
        beam.stations = bad[i].stations, beam.elements = bad[i].elements, beam.shear = bad[i].shear;
        assert_int_not_equal(soa_flexible_beam(&beam, &reduction, NULL, &flexible, &error), SOA_OK);
        assert_null(flexible);
        assert_int_equal(error.body, -1);
        if (!strstr(error.text, bad[i].words)) {
            fail_msg("%s, not %s", error.text, bad[i].words);
        }
    }
    soa_plate plate = soa_plate_default();
    soa_flexible *flexible = NULL;
    soa_error error;
    const soa_reduction reduction = { .modes = 2 };
    plate.length = plate.width = plate.thickness = plate.E = plate.rho = 1.0, plate.elements[1] = 0;
    assert_int_equal(soa_flexible_plate(&plate, &reduction, NULL, &flexible, &error), SOA_E_LIMIT);
    assert_non_null(strstr(error.text, "0 along y"));
    assert_int_equal(error.body, -1);
    const soa_reduction damped = { .modes = 2, .damping = 1.5 };
    const soa_beam beam = slender(8);
    assert_int_equal(soa_flexible_beam(&beam, &damped, NULL, &flexible, &error), SOA_E_NUMBER);
    assert_non_null(strstr(error.text, "'damping' is 1.5; give the ratio"));
    static const char *const no_node[] = { "", "5x", "0", "10", "x" };
    for (size_t i = 0; i < sizeof no_node / sizeof *no_node; i++) {
        const soa_reduction nowhere = { .modes = 2, .interfaces = 1, .interface = &no_node[i] };
        assert_int_equal(soa_flexible_beam(&beam, &nowhere, NULL, &flexible, &error), SOA_E_NAME);
        assert_non_null(strstr(error.text, "is no node; give a node from 1 to 9, or last"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequencies_on_supports),
        cmocka_unit_test(timoshenko_frequencies),
        cmocka_unit_test(planes_are_alike),
        cmocka_unit_test(tapered_frequency),
        cmocka_unit_test(tapered_shear_converges),
        cmocka_unit_test(mass_properties),
        cmocka_unit_test(integrals_of_deformed_beams),
        cmocka_unit_test(constraint_modes),
        cmocka_unit_test(beams_may_point_back),
        cmocka_unit_test(beams_stretch_and_twist),
        cmocka_unit_test(stations_are_joined_by_lines),
        cmocka_unit_test(zeros_are_zero),
        cmocka_unit_test(bad_beams_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
