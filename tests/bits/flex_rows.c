/* tests/bits/flex_rows.c - the data of flexible links: beams, plates, and a model of finite elements. */
#include <stdio.h>
#include <string.h>

#include "bits.h"
#include "flex/cube.h"

static const char *const FIRST_LAST[] = { "last", "first" }, *const TOP[] = { "top" },
                         *const CORNER[] = { "top", "base" };

/* ---- one link ------------------------------------------------------------------------------------------ */

static hash hash_array(hash h, size_t n, const double *x)
{
    return x ? hash_rounded(h, n, x) : h;
}

/* Every array of the data, and the frequencies. */
static void flexible_row(const char *name, const char *algorithm, soa_status status, soa_flexible *f)
{
    hash h = hash_begin(status);
    if (f) {
        const size_t m = (size_t)f->modes, n = (size_t)f->nodes;
        double frequency[SOA_MAX_MODES], effective[6 * SOA_MAX_MODES];
        const double numbers[] = { f->modes, f->nodes, f->mass };
        h = hash_rounded(hash_rounded(hash_rounded(h, 3, numbers), 3, f->first), 6, f->second);
        h = hash_array(hash_array(h, 3 * n, f->position), 6 * n * m, f->shape);
        h = hash_array(hash_array(h, 3 * n * m * m, f->shape2), m * m, f->ee);
        h = hash_array(hash_array(h, 3 * m, f->ef), 3 * m, f->en);
        h = hash_array(hash_array(h, 3 * m * m, f->en1), 3 * m * m, f->ef1);
        h = hash_array(hash_array(h, 6 * m, f->second1), 6 * m * m, f->second2);
        h = hash_array(hash_array(h, m * m, f->stiffness), m * m, f->damping);
        h += (hash)soa_flexible_frequencies(f, frequency, effective, NULL);
        h = hash_array(hash_array(h, m, frequency), 6 * m, effective);
    }
    print_single(name, algorithm, status, h);
    soa_flexible_free(NULL, f);
}

/* ---- rows ------------------------------------------------------------------------------------------------ */

/* Beams with and without shear, foreshortening, taper and an axis of their own. */
static void beam_rows(void)
{
    for (int i = 0; i < 16; i++) {
        soa_beam beam = soa_beam_default();
        const soa_reduction wish = {
            .modes = 1 + i % 5, .damping = i % 3 == 1 ? 0.01 : 0.0, .interfaces = i / 4 % 2, .interface = FIRST_LAST
        };
        soa_flexible *f = NULL;
        beam.length = 1.5, beam.elements = 3 + i % 3, beam.E = 7e10, beam.G = 2.6e10, beam.rho = 2700.0;
        beam.stations = 1 + i % 4, beam.shear = i % 2 == 1 ? 0.85 : 0.0, beam.stiffening = i >= 8;
        for (int s = 0; s < beam.stations; s++) {
            const double thick = 1.0 - 0.1 * s;
            beam.section[s] = (soa_beam_section){ 2e-4 * thick, 4e-9 * thick, 9e-9 * thick, 5e-9 * thick };
        }
        if (i % 4 >= 2) {
            beam.axis[0] = i == 6 ? -1.0 : 0.3, beam.axis[1] = i == 6 ? 0.0 : -2.0, beam.axis[2] = i == 6 ? 0.0 : 0.7;
        }
        const soa_status status = soa_flexible_beam(&beam, &wish, NULL, &f, NULL);
        flexible_row("beams", beam.stiffening ? "flexible_beam [stiffening]" : "flexible_beam", status, f);
    }
}

/* Beams that are not slender: shear counts, and how much depends on where along the taper. */
static void stubby_rows(void)
{
    for (int i = 0; i < 6; i++) {
        soa_beam beam = soa_beam_default();
        const soa_reduction wish = { .modes = 4 + i % 2 };
        soa_flexible *f = NULL;
        beam.length = 0.4, beam.elements = 2 + i, beam.E = 7e10, beam.G = 2.6e10, beam.rho = 2700.0;
        beam.stations = 2 + i % 3, beam.shear = 0.85, beam.stiffening = i % 2 == 0;
        for (int s = 0; s < beam.stations; s++) {
            const double h = 0.12 - 0.02 * s, b = 0.08;
            beam.section[s] =
                (soa_beam_section){ b * h, b * h * h * h / 12.0, h * b * b * b / 12.0, 0.1 * b * h * h * h };
        }
        const soa_status status = soa_flexible_beam(&beam, &wish, NULL, &f, NULL);
        flexible_row("stubby beams", "flexible_beam of a stubby beam", status, f);
    }
}

static void plate_rows(void)
{
    for (int i = 0; i < 4; i++) {
        soa_plate plate = soa_plate_default();
        const soa_reduction wish = {
            .modes = 3, .interfaces = i / 2, .interface = FIRST_LAST, .outputs = i % 2, .output = FIRST_LAST
        };
        soa_flexible *f = NULL;
        plate.length = 1.0, plate.width = 0.6, plate.thickness = 0.003, plate.E = 7e10, plate.rho = 2700.0;
        plate.elements[0] = 3, plate.elements[1] = 2, plate.at_point = i % 2 == 1;
        const soa_status status = soa_flexible_plate(&plate, &wish, NULL, &f, NULL);
        flexible_row("plates", "flexible_plate", status, f);
    }
}

static void cube_rows(void)
{
    cube c;
    make_cube(&c);
    for (int i = 0; i < 4; i++) {
        const soa_reduction wish = { .modes = 2 + i,
            .damping = 0.02,
            .clamp = "base",
            .interfaces = i % 2,
            .interface = TOP,
            .outputs = i / 2,
            .output = CORNER };
        soa_flexible *f = NULL;
        const soa_status status = soa_flexible_reduce(&c.fe, &wish, NULL, &f, NULL);
        flexible_row("cubes", "flexible_reduce", status, f);
    }
    for (int i = 0; i < 2; i++) { /* held at its last numbers instead of its first */
        const soa_reduction wish = { .modes = 3, .clamp = "top", .interfaces = i, .interface = CORNER + 1 };
        soa_flexible *f = NULL;
        const soa_status status = soa_flexible_reduce(&c.fe, &wish, NULL, &f, NULL);
        flexible_row("hanging cubes", "flexible_reduce of a hanging cube", status, f);
    }
}

void bits_flex(void)
{
    beam_rows();
    stubby_rows();
    plate_rows();
    cube_rows();
}
