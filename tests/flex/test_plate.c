/* Plates against the frequencies that Leissa published, and their mass properties. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "flex/modal_mass.h"
#include "soa/flex.h"

static soa_plate thin(double length, double width, int along, int across)
{
    soa_plate plate = soa_plate_default();
    plate.length = length;
    plate.width = width;
    plate.thickness = 1e-3;
    plate.elements[0] = along;
    plate.elements[1] = across;
    plate.E = 7.0e10;
    plate.rho = 2700.0;
    return plate;
}

static soa_flexible *make_plate(const soa_plate *plate, int modes)
{
    const soa_reduction reduction = { .modes = modes };
    soa_flexible *flexible;
    soa_error error;
    if (soa_flexible_plate(plate, &reduction, NULL, &flexible, &error) != SOA_OK) {
        fail_msg("%s", error.text);
    }
    return flexible;
}

/* omega a^2 sqrt(rho h / D), a the length. */
static double parameter(const soa_plate *p, double value)
{
    const double D = p->E * pow(p->thickness, 3.0) / (12.0 * (1.0 - p->nu * p->nu));
    return sqrt(value * p->rho * p->thickness / D) * p->length * p->length;
}

/* A. W. Leissa, The free vibration of rectangular plates, J. Sound and Vibration 31 (1973), 257-293, nu = 0.3: upper bounds by
 * Ritz's method, up to 1 % high where edges are free, so ours must not lie above them. `converged` are the values on which
 * later work agrees to four digits (N. S. Bardell, J. Sound and Vibration 151 (1991), 263-289). */
static void check_parameters(
    const soa_plate *plate, const double *value, int count, const double *leissa, const double *converged)
{
    for (int i = 0; i < count; i++) {
        const double got = parameter(plate, value[i]);
        if (!(got < leissa[i] && got > 0.99 * leissa[i] && fabs(got / converged[i] - 1.0) < 3e-3)) {
            fail_msg("mode %d: %.6g, Leissa has %.6g, converged %.6g", i + 1, got, leissa[i], converged[i]);
        }
    }
}

static void clamped_at_an_edge(void **state)
{
    (void)state;
    static const double square[5] = { 3.4917, 8.5246, 21.429, 27.331, 31.111 };
    static const double converged[5] = { 3.4710, 8.5063, 21.284, 27.199, 30.955 };
    const soa_plate plate = thin(1.0, 1.0, 6, 6);
    soa_flexible *f = make_plate(&plate, 5);
    double value[5];
    for (int i = 0; i < 5; i++) {
        value[i] = f->stiffness[i * 5 + i];
    }
    check_parameters(&plate, value, 5, square, converged);
    soa_flexible_free(NULL, f);
}

/* All edges free: clamped at the middle of one and then let go; all modes of the elements are needed. */
static void free_plate(void **state)
{
    (void)state;
    static const double square[5] = { 13.489, 19.789, 24.432, 35.024, 35.024 };
    static const double converged[5] = { 13.468, 19.596, 24.270, 34.801, 34.801 };
    soa_plate plate = thin(1.0, 1.0, 4, 4);
    plate.at_point = true;
    soa_flexible *f = make_plate(&plate, 64);
    const bool all[6] = { 1, 1, 1, 1, 1, 1 };
    double value[FULL_MOST];
    assert_int_equal(free_values(f, all, 10.0, value), 70);
    for (int i = 0; i < 6; i++) {
        assert_true(fabs(parameter(&plate, fabs(value[i]))) < 1e-2);
    }
    check_parameters(&plate, value + 6, 5, square, converged);
    soa_flexible_free(NULL, f);
}

static void mass_properties(void **state)
{
    (void)state;
    const soa_plate plate = thin(2.0, 0.5, 4, 2);
    soa_flexible *f = make_plate(&plate, 3);
    const double m = 2700.0 * 1e-3 * 2.0 * 0.5, h2 = 1e-6 / 12.0;
    assert_true(fabs(f->mass / m - 1.0) < 1e-13);
    assert_true(fabs(f->first[0] / m - 1.0) < 1e-13 && fabs(f->first[1]) < 1e-13 && fabs(f->first[2]) < 1e-13);
    assert_true(fabs(f->second[0] / (m * (0.25 / 12.0 + h2)) - 1.0) < 1e-12);
    assert_true(fabs(f->second[3] / (m * (4.0 / 3.0 + h2)) - 1.0) < 1e-12);
    assert_true(fabs(f->second[5] / (m * (4.0 / 3.0 + 0.25 / 12.0)) - 1.0) < 1e-12);
    assert_int_equal(f->nodes, 15);
    for (int i = 0; i < 15; i++) { /* five times three nodes */
        assert_true(fabs(f->position[3 * i] - 0.5 * (i / 3)) < 1e-15);
        assert_true(fabs(f->position[3 * i + 1] - 0.25 * (i % 3 - 1)) < 1e-15);
        assert_true(f->position[3 * i + 2] == 0.0);
    }
    soa_flexible_free(NULL, f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clamped_at_an_edge),
        cmocka_unit_test(free_plate),
        cmocka_unit_test(mass_properties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
