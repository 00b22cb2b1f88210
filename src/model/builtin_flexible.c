/* model/builtin_flexible.c - a chain of links that bend: chain:N with beams for links.
 *
 * A link is a beam along -z of SECTIONS sections, four particles each. Shape 2 n bends it along x, 2 n + 1 along y:
 *     u(s) = 1 - cos(k s),  k = (2 n + 1) pi / (2 length),   stiffness EI k^4 length / 2
 * which is at rest where it is clamped. Its integrals (soa/flexible.h) are sums over the particles. Modes are these shapes made
 * orthonormal one after another, as those of a reduced finite element model are: ee is the identity. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "core/error.h"
#include "core/memory.h"
#include "model/builtin.h"
#include "soa/flexible.h"
#include "spatial/sincos.h"

#define HALF_PI     1.5707963267948966
#define LINK_LENGTH 0.1
#define LINK_MASS   0.2
#define RADIUS      0.01
#define BENDING     0.25  /* EI, N m^2: 20 Hz */
#define DAMPING     0.002 /* s, of the stiffness */

enum { SECTIONS = 16, CORNERS = 4 };

/* Where the arrays of soa_flexible are, in one block. */
typedef struct beam_data {
    int modes;
    double *shape, *ee, *ef, *en, *en1, *second1, *second2, *stiffness, *damping;
} beam_data;

static size_t beam_place(int modes, double *block, beam_data *b)
{
    const size_t m = (size_t)modes;
    double **const array[] = { &b->shape, &b->ee, &b->ef, &b->en, &b->en1, &b->second1, &b->second2, &b->stiffness,
        &b->damping };
    const size_t size[] = { 6 * m, m * m, 3 * m, 3 * m, 3 * m * m, 6 * m, 6 * m * m, m * m, m * m };
    size_t used = 0;
    b->modes = modes;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        *array[i] = block ? block + used : NULL;
        used += size[i];
    }
    return used;
}

/* Modes come in pairs, one across each axis. */
static double wave_number(int mode)
{
    const int pair = mode / 2;
    return (2.0 * pair + 1.0) * HALF_PI / LINK_LENGTH;
}

/* Displacement of a particle at x, or with `turn` the rotation there, by mode i. */
static void mode_shape(int i, const double x[3], bool turn, double u[3])
{
    const double k = wave_number(i), s = -x[2];
    double sine, cosine;
    real_sincos(k * s, &sine, &cosine);
    const double along = 1.0 - cosine, slope = k * sine;
    const int plane = i % 2;
    u[0] = u[1] = u[2] = 0.0;
    if (turn) {
        u[1 - plane] = plane == 0 ? -slope : slope;
    } else {
        u[plane] = along;
        u[2] = slope * x[plane];
    }
}

static void add_cross(double m, const double *a, const double *b, double *y)
{
    y[0] += m * (a[1] * b[2] - a[2] * b[1]);
    y[1] += m * (a[2] * b[0] - a[0] * b[2]);
    y[2] += m * (a[0] * b[1] - a[1] * b[0]);
}

/* m (2 a . b - a b* - b a*) */
static void add_second(double m, const double *a, const double *b, double *J)
{
    const double ab = 2.0 * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    for (int i = 0, e = 0; i < 3; i++) {
        for (int j = i; j < 3; j++, e++) {
            J[e] += m * ((i == j ? ab : 0.0) - a[i] * b[j] - b[i] * a[j]);
        }
    }
}

static void add_particle(const beam_data *b, soa_flexible *f, double m, const double x[3])
{
    f->mass += m;
    add_second(0.5 * m, x, x, f->second);
    for (int e = 0; e < 3; e++) {
        f->first[e] += m * x[e];
    }
    for (int i = 0; i < b->modes; i++) {
        double u[3];
        mode_shape(i, x, false, u);
        add_cross(m, x, u, b->en + 3 * i);
        add_second(m, x, u, b->second1 + 6 * i);
        for (int e = 0; e < 3; e++) {
            b->ef[3 * i + e] += m * u[e];
        }
        for (int j = 0; j < b->modes; j++) {
            double v[3];
            mode_shape(j, x, false, v);
            b->ee[i * b->modes + j] += m * (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
            add_cross(m, v, u, b->en1 + 3 * (i * b->modes + j));
            add_second(m, u, v, b->second2 + 6 * (i * b->modes + j));
        }
    }
}

/* x = L^-1 x: `width` numbers x of each mode, `apart` from those of the next. */
static void to_modes(const beam_data *b, double *x, size_t width, size_t apart)
{
    const size_t n = (size_t)b->modes;
    for (size_t i = 0; i < n; i++) {
        for (size_t e = 0; e < width; e++) {
            for (size_t j = 0; j < i; j++) {
                x[i * apart + e] -= b->ee[i * n + j] * x[j * apart + e];
            }
            x[i * apart + e] /= b->ee[i * n + i];
        }
    }
}

/* From shapes to modes: all integrals. */
static void make_orthonormal(const beam_data *b)
{
    const size_t n = (size_t)b->modes;
    const struct {
        double *x;
        size_t width;
    } one[] = { { b->shape, 6 }, { b->ef, 3 }, { b->en, 3 }, { b->second1, 6 } },
      two[] = { { b->en1, 3 }, { b->second2, 6 }, { b->stiffness, 1 }, { b->damping, 1 } };
    (void)soa_cholesky(n, b->ee, 0.0); /* ee becomes L, L L* = ee */
    for (size_t t = 0; t < 4; t++) {
        to_modes(b, one[t].x, one[t].width, one[t].width);
        to_modes(b, two[t].x, n * two[t].width, n * two[t].width);
        for (size_t i = 0; i < n; i++) {
            to_modes(b, two[t].x + i * n * two[t].width, two[t].width, two[t].width);
        }
    }
    for (size_t i = 0; i < n * n; i++) {
        b->ee[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    }
}

static soa_flexible make_beam(const beam_data *b)
{
    static const double tip[3] = { 0.0, 0.0, -LINK_LENGTH };
    soa_flexible f = { .modes = b->modes,
        .nodes = 1,
        .position = tip,
        .shape = b->shape,
        .ee = b->ee,
        .ef = b->ef,
        .en = b->en,
        .en1 = b->en1,
        .second1 = b->second1,
        .second2 = b->second2,
        .stiffness = b->stiffness,
        .damping = b->damping };
    for (int p = 0; p < SECTIONS * CORNERS; p++) {
        const int corner = p % CORNERS, section = p / CORNERS;
        const double off = corner < 2 ? RADIUS : -RADIUS;
        const double x[3] = { corner % 2 == 0 ? off : 0.0, corner % 2 == 0 ? 0.0 : off,
            -LINK_LENGTH * (section + 0.5) / SECTIONS };
        add_particle(b, &f, LINK_MASS / (SECTIONS * CORNERS), x);
    }
    for (int i = 0; i < b->modes; i++) {
        const double k = wave_number(i);
        mode_shape(i, tip, true, b->shape + 6 * i);
        mode_shape(i, tip, false, b->shape + 6 * i + 3);
        b->stiffness[i * b->modes + i] = 0.5 * BENDING * k * k * k * k * LINK_LENGTH;
        b->damping[i * b->modes + i] = DAMPING * b->stiffness[i * b->modes + i];
    }
    make_orthonormal(b);
    return f;
}

static void add_links(soa_kit *kit, int count, const soa_flexible *beam)
{
    int parent = SOA_WORLD;
    for (int k = 1; k <= count && soa_ok(&kit->outcome); k++) {
        soa_link link = soa_link_default(NULL, parent, SOA_REVOLUTE);
        link.node = k == 1 ? 0 : 1;
        link.flexible = beam;
        parent = soa_kit_chain_link(kit, k, &link);
    }
    soa_frame tip = soa_frame_default("tip", parent);
    tip.node = 1;
    soa_kit_frame(kit, &tip);
}

void soa_build_flexible_chain(soa_kit *kit, const unsigned long long *argument)
{
    if (argument[1] < 1 || argument[1] > SOA_MAX_MODES) {
        soa_halt(&kit->outcome, SOA_E_LIMIT, NULL, 0,
            "built-in model 'flexible-chain:N,MODES': MODES must be from 1 to %d; write for example "
            "'flexible-chain:20,6'",
            SOA_MAX_MODES);
        return;
    }
    beam_data data;
    const soa_allocator own = kit->allocator ? *kit->allocator : soa_allocator_default();
    double *block = soa_allocate(&own, beam_place((int)argument[1], NULL, &data), sizeof *block);
    if (!block) {
        soa_halt_memory(&kit->outcome);
        return;
    }
    memset(block, 0, beam_place((int)argument[1], block, &data) * sizeof *block);
    const soa_flexible beam = make_beam(&data);
    add_links(kit, (int)argument[0], &beam);
    soa_release(&own, block);
}
