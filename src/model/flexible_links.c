/* model/flexible_links.c - the data of flexible links: copied, compared, and judged.
 *
 * Refused: sizes beyond the limits, data that are missing or not finite, matrices that are not symmetric, a mass matrix of
 * the link that is not positive definite, stiffness or damping that are not positive semidefinite, mass properties that
 * contradict those of the link. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "model/judge.h"

#define SYMMETRY_TOLERANCE 1e-9 /* relative to the largest number of a matrix */
#define MASS_TOLERANCE     1e-6 /* between the link's mass properties and those of its data */

/* ---- copy, comparison ------------------------------------------------------------------------------- */

static bool copy_numbers(soa_arena *arena, size_t count, const double **values)
{
    if (!*values) {
        return true;
    }
    double *copy = soa_arena_take(arena, count + 1, sizeof *copy);
    if (copy) {
        memcpy(copy, *values, count * sizeof *copy);
    }
    *values = copy;
    return copy != NULL;
}

static bool copy_names(soa_arena *arena, int nodes, const char *const **names)
{
    if (!*names) {
        return true;
    }
    const char **copy = soa_arena_take(arena, (size_t)nodes + 1, sizeof *copy);
    bool done = copy != NULL;
    for (int i = 0; done && i < nodes; i++) {
        copy[i] = (*names)[i] ? soa_arena_text(arena, (*names)[i]) : NULL;
        done = copy[i] || !(*names)[i];
    }
    *names = copy;
    return done;
}

/* Whether arrays can be read at all. */
static bool sizes_valid(const soa_flexible *f)
{
    return f->modes >= 1 && f->modes <= SOA_MAX_MODES && f->nodes >= 0 && f->nodes <= SOA_MAX_NODES;
}

bool soa_flexible_copy(soa_arena *arena, const soa_flexible **flexible)
{
    if (!*flexible) {
        return true;
    }
    soa_flexible *copy = soa_arena_take(arena, 1, sizeof *copy);
    if (!copy) {
        return false;
    }
    *copy = **flexible;
    *flexible = copy;
    if (!sizes_valid(copy)) { /* refused at the end; nothing of it is read */
        return true;
    }
    const size_t m = (size_t)copy->modes, n = (size_t)copy->nodes;
    bool done = copy_names(arena, copy->nodes, &copy->node_name);
#define COPY(name, words, count, optional, block) done = done && copy_numbers(arena, count, &copy->name);
    SOA_FLEXIBLE_ARRAYS(COPY)
#undef COPY
    return done;
}

static bool same_numbers(size_t count, const double *a, const double *b)
{
    return a == b || (a && b && memcmp(a, b, count * sizeof *a) == 0);
}

bool soa_flexible_same(const soa_flexible *a, const soa_flexible *b)
{
    if (!a || !b || a->modes != b->modes || a->nodes != b->nodes) {
        return a == b;
    }
    const size_t m = (size_t)a->modes, n = (size_t)a->nodes;
    bool same = a->mass == b->mass && same_numbers(3, a->first, b->first) && same_numbers(6, a->second, b->second);
#define COMPARE(name, words, count, optional, block) same = same && same_numbers(count, a->name, b->name);
    SOA_FLEXIBLE_ARRAYS(COMPARE)
#undef COMPARE
    return same;
}

/* ---- validation --------------------------------------------------------------------------- */

typedef struct array {
    const char *words;
    const double *values;
    size_t count;
    bool optional;
    size_t block;
} array;

static double largest(const double *x, size_t n)
{
    double most = 0.0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

static bool is_symmetric(const double *x, size_t m, size_t block)
{
    const double most = largest(x, m * m * block);
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < i; j++) {
            for (size_t e = 0; e < block; e++) {
                const double difference = x[(i * m + j) * block + e] - x[(j * m + i) * block + e];
                if (!(fabs(difference) <= SYMMETRY_TOLERANCE * most)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static void check_array(soa_judge *judge, size_t modes, array a)
{
    bool finite = true;
    soa_require(judge, a.values || a.optional || a.count == 0, SOA_E_ARGUMENT, "its flexible data have no %s; give it",
        a.words);
    for (size_t i = 0; a.values && i < a.count; i++) {
        finite = finite && isfinite(a.values[i]);
    }
    soa_require(judge, finite, SOA_E_NUMBER, "the %s of its flexible data is not finite", a.words);
    soa_require(judge, !a.values || a.block == 0 || is_symmetric(a.values, modes, a.block), SOA_E_INERTIA,
        "the %s of its flexible data is not symmetric; correct the figures", a.words);
}

static void check_arrays(soa_judge *judge, const soa_flexible *f)
{
    const size_t m = (size_t)f->modes, n = (size_t)f->nodes;
    const array arrays[] = {
#define ARRAY(name, words, count, optional, block) { words, f->name, count, optional, block },
        SOA_FLEXIBLE_ARRAYS(ARRAY)
#undef ARRAY
            { "mass", &f->mass, 1, false, 0 },
        { "first moment", f->first, 3, false, 0 },
        { "second moment", f->second, 6, false, 0 },
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        check_array(judge, m, arrays[i]);
    }
    for (size_t i = 0; f->shape2 && i < n; i++) {
        soa_require(judge, is_symmetric(f->shape2 + i * m * m * 3, m, 3), SOA_E_INERTIA,
            "shape2 at node %zu of its flexible data is not symmetric", i + 1);
    }
}

enum { FULL = SOA_MAX_MODES + 6 };

/* [ ee er ; er* Mrr ] of the link that is not deformed, the lower triangle. */
static void mass_matrix(const soa_flexible *f, double *A)
{
    const int m = f->modes, n = m + 6;
    const double *J = f->second, *c = f->first;
    const double Mrr[6][6] = { { J[0] }, { J[1], J[3] }, { J[2], J[4], J[5] }, { 0.0, c[2], -c[1], f->mass },
        { -c[2], 0.0, c[0], 0.0, f->mass }, { c[1], -c[0], 0.0, 0.0, 0.0, f->mass } };
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            A[i * n + j] = i < m       ? f->ee[i * m + j]
                           : j >= m    ? Mrr[i - m][j - m]
                           : i < m + 3 ? f->en[3 * j + i - m]
                                       : f->ef[3 * j + i - m - 3];
        }
    }
}

/* Whether A + tolerance of its diagonal is positive definite; A is overwritten. */
static bool semidefinite(size_t n, double *A)
{
    double most = 0.0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(A[i * n + i]));
    }
    for (size_t i = 0; i < n; i++) {
        A[i * n + i] += SYMMETRY_TOLERANCE * (fabs(A[i * n + i]) + 1e-6 * most);
    }
    return most == 0.0 || soa_cholesky(n, A, 0.0).rank == n;
}

static void check_definite(soa_judge *judge, const soa_flexible *f)
{
    const size_t m = (size_t)f->modes, size = m * m * sizeof(double);
    const double *const forces[2] = { f->stiffness, f->damping };
    double A[FULL * FULL];
    if (!soa_ok(&judge->outcome)) {
        return;
    }
    memcpy(A, f->ee, size);
    soa_require(judge, soa_cholesky(m, A, SOA_ROUNDED).rank >= m, SOA_E_INERTIA,
        "its modal mass is not positive definite; remove modes that repeat others");
    mass_matrix(f, A);
    soa_require(judge, semidefinite(m + 6, A), SOA_E_INERTIA,
        "mass, moments and modal mass of its flexible data contradict each other (the kinetic energy of some motion is "
        "negative)");
    for (int i = 0; i < 2; i++) {
        soa_require(judge, !forces[i] || semidefinite(m, memcpy(A, forces[i], size)), SOA_E_ARGUMENT,
            "the %s of its flexible data is not positive semidefinite", i == 0 ? "stiffness" : "damping");
    }
}

static soa_inertia flexible_inertia(const soa_flexible *f)
{
    soa_inertia inertia = { .mass = f->mass };
    const double m = f->mass;
    double p[3] = { 0.0, 0.0, 0.0 };
    for (int i = 0; m > 0.0 && i < 3; i++) {
        p[i] = inertia.com[i] = f->first[i] / m;
    }
    const double pp = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
    int e = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++, e++) {
            inertia.moment[e] = f->second[e] - m * ((i == j ? pp : 0.0) - p[i] * p[j]);
        }
    }
    return inertia;
}

/* The link's inertia becomes that of its data; if one is given it must be the same. */
static void check_mass(soa_judge *judge, soa_link *link)
{
    const soa_inertia made = flexible_inertia(link->flexible), given = link->inertia;
    const double size = largest(made.com, 3) + sqrt(largest(made.moment, 6) / fmax(made.mass, 1e-300));
    bool same = fabs(given.mass - made.mass) <= MASS_TOLERANCE * made.mass;
    for (int i = 0; i < 3; i++) {
        same = same && fabs(given.com[i] - made.com[i]) <= MASS_TOLERANCE * size;
    }
    for (int i = 0; i < 6; i++) {
        same = same && fabs(given.moment[i] - made.moment[i]) <=
                           MASS_TOLERANCE * (largest(made.moment, 6) + made.mass * size * size);
    }
    const bool none = given.mass == 0.0 && largest(given.com, 3) == 0.0 && largest(given.moment, 6) == 0.0;
    soa_require(judge, same || none, SOA_E_INERTIA,
        "its inertia (mass %g) is not that of its flexible data (mass %g); leave it out or correct it", given.mass,
        made.mass);
    link->inertia = made;
}

soa_status soa_check_flexible(soa_link *link, soa_error *error)
{
    const soa_flexible *f = link->flexible;
    soa_judge judge = { { error, SOA_OK }, "link", link->name,
        link->inertia_source.line > 0 ? link->inertia_source : link->source };
    soa_require(&judge, sizes_valid(f), SOA_E_LIMIT, "%d modes and %d nodes; give 1 to %d modes and at most %d nodes",
        f->modes, f->nodes, SOA_MAX_MODES, SOA_MAX_NODES);
    if (sizes_valid(f)) {
        check_arrays(&judge, f);
        check_definite(&judge, f);
        check_mass(&judge, link);
    }
    return judge.outcome.status;
}

/* The nodes of a link: 0 if it is rigid or the world. */
static int link_nodes(const soa_description *d, int link)
{
    const soa_link *l = soa_description_link(d, link);
    return l && l->flexible ? l->flexible->nodes : 0;
}

soa_status soa_check_node(
    const soa_description *d, int link, int node, const char *item, soa_source source, soa_error *error)
{
    const int nodes = link_nodes(d, link);
    if (node >= 0 && node <= nodes) {
        return SOA_OK;
    }
    const soa_link *l = soa_description_link(d, link);
    return soa_fail_source(
        error, SOA_E_NAME, source, "%s: link '%s' has no node %d; it has %d", item, l ? l->name : "world", node, nodes);
}
