/* flex/generated.c - links from elements that soa makes itself: particles and stiffness entries to modes and integrals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "flex/fe.h"

const double soa_gauss_point[SOA_GAUSS] = { 0.04691007703066800360, 0.23076534494715845448, 0.5, 0.76923465505284154552,
    0.95308992296933199640 };
const double soa_gauss_weight[SOA_GAUSS] = { 0.11846344252809454376, 0.23931433524968323402, 0.28444444444444444444,
    0.23931433524968323402, 0.11846344252809454376 };

/* ---- refusals ------------------------------------------------------------------------------------------- */

soa_status soa_reduction_check(const soa_reduction *reduction, soa_error *error)
{
    if (reduction->modes < 1 || reduction->modes > SOA_MAX_MODES) {
        return soa_fail(error, SOA_E_LIMIT, -1, "'modes' is %d; give 1 to %d clamped modes to keep", reduction->modes,
            SOA_MAX_MODES);
    }
    if (!(reduction->damping >= 0.0 && reduction->damping <= 1.0)) {
        return soa_fail(error, SOA_E_NUMBER, -1,
            "'damping' is %g; give the ratio to critical damping, 0 to 1, such as 0.005", reduction->damping);
    }
    return SOA_OK;
}

soa_status soa_positive(double value, const char *what, soa_error *error)
{
    return value > 0.0 && isfinite(value)
               ? SOA_OK
               : soa_fail(error, SOA_E_NUMBER, -1, "'%s' is %g; give a positive number", what, value);
}

/* ---- elements ------------------------------------------------------------------------------------------- */

static void take_particles(soa_arena *arena, soa_particles *particles, int capacity, int width)
{
    const size_t n = (size_t)capacity, w = (size_t)width;
    *particles = (soa_particles){ .capacity = capacity, .width = width };
    particles->mass = soa_arena_take(arena, n, sizeof(double));
    particles->position = soa_arena_take(arena, 3 * n, sizeof(double));
    particles->dof = soa_arena_take(arena, w * n, sizeof(int));
    particles->N = soa_arena_take(arena, 3 * w * n, sizeof(double));
}

double *soa_particles_add(soa_particles *particles, double mass, const double position[3], const int *dof)
{
    const size_t at = (size_t)particles->count++, w = (size_t)particles->width;
    particles->mass[at] = mass;
    memcpy(particles->position + 3 * at, position, 3 * sizeof *position);
    memcpy(particles->dof + w * at, dof, w * sizeof *dof);
    return particles->N + 3 * w * at;
}

static void take_triplets(soa_arena *arena, soa_triplets *triplets, int capacity)
{
    const size_t n = (size_t)capacity;
    *triplets = (soa_triplets){ .capacity = capacity };
    triplets->row = soa_arena_take(arena, n, sizeof(int));
    triplets->column = soa_arena_take(arena, n, sizeof(int));
    triplets->value = soa_arena_take(arena, n, sizeof(double));
}

bool soa_generated_take(soa_generated *model, int nodes, int elements, int width, int particles)
{
    const size_t n = (size_t)nodes;
    model->nodes = nodes;
    model->position = soa_arena_take(&model->arena, n * 3, sizeof(double));
    model->dof = soa_arena_take(&model->arena, n * SOA_NODE_DOFS, sizeof(int));
    take_triplets(&model->arena, &model->K, elements * width * (width + 1) / 2);
    take_particles(&model->arena, &model->particles, elements * particles, width);
    return !model->arena.failed;
}

void soa_triplets_add(soa_triplets *triplets, int width, const int *dof, const double *matrix)
{
    for (int i = 0; i < width; i++) {
        for (int j = 0; j <= i; j++) {
            const double value = matrix[i * width + j];
            if (dof[i] >= 0 && dof[j] >= 0 && value != 0.0) {
                triplets->row[triplets->count] = dof[i];
                triplets->column[triplets->count] = dof[j];
                triplets->value[triplets->count++] = value;
            }
        }
    }
}

/* ---- matrices ------------------------------------------------------------------------------------------- */

enum { MOST_WIDTH = 16 };

/* m += mass N* N of one particle */
static void add_particle(const soa_particles *p, int at, double *m)
{
    const double *N = p->N + (size_t)at * 3 * (size_t)p->width;
    for (int d = 0; d < 3; d++, N += p->width) {
        for (int i = 0; i < p->width; i++) {
            for (int j = 0; j <= i; j++) {
                m[i * p->width + j] += p->mass[at] * N[i] * N[j];
            }
        }
    }
}

/* M from the particles, element by element: those of one element follow each other and have the same dofs. */
static soa_status mass_matrix(soa_generated *model, soa_sparse *M, soa_error *error)
{
    const soa_particles *p = &model->particles;
    const size_t bytes = (size_t)p->width * sizeof(int);
    soa_triplets entries;
    double m[MOST_WIDTH * MOST_WIDTH];
    take_triplets(&model->arena, &entries, model->K.capacity);
    if (model->arena.failed) {
        return soa_fail_memory(error);
    }
    for (int i = 0; i < p->count;) {
        const int *dof = p->dof + (size_t)i * (size_t)p->width;
        memset(m, 0, sizeof m);
        for (; i < p->count && memcmp(dof, p->dof + (size_t)i * (size_t)p->width, bytes) == 0; i++) {
            add_particle(p, i, m);
        }
        soa_triplets_add(&entries, p->width, dof, m);
    }
    const soa_fe_matrix matrix = { entries.count, entries.row, entries.column, entries.value, false };
    return soa_sparse_make(&model->arena, &matrix, NULL, model->dofs, "mass", M, error);
}

/* ---- interfaces ------------------------------------------------------------------------------------------- */

/* The node (from 0) that a word means: first, last or a number from 1 on. -1: none. */
static int node_of(const soa_generated *model, const char *word)
{
    if (strcmp(word, "first") == 0 || strcmp(word, "last") == 0) {
        return word[0] == 'f' ? 0 : model->nodes - 1;
    }
    char *end;
    const long number = strtol(word, &end, 10);
    return *word && !*end && number >= 1 && number <= model->nodes ? (int)number - 1 : -1;
}

/* A unit load for each direction in which an interface can move. */
static soa_status interface_loads(
    soa_generated *model, const soa_reduction *reduction, soa_clamped *clamped, soa_error *error)
{
    const size_t n = (size_t)model->dofs;
    clamped->load = soa_arena_take(&model->arena, 6 * (size_t)reduction->interfaces * n, sizeof(double));
    if (!clamped->load) {
        return soa_fail_memory(error);
    }
    for (int i = 0; i < reduction->interfaces; i++) {
        const int node = node_of(model, reduction->interface[i]), before = clamped->loads;
        for (int d = 0; node >= 0 && d < 6; d++) {
            const int dof = model->dof[(size_t)node * SOA_NODE_DOFS + (size_t)d];
            if (dof >= 0) {
                clamped->load[(size_t)clamped->loads++ * n + (size_t)dof] = 1.0;
            }
        }
        if (clamped->loads == before) {
            return soa_fail(error, SOA_E_NAME, -1, "interface '%.80s' is %s; give a node from 1 to %d, or last",
                reduction->interface[i], node < 0 ? "no node" : "clamped", model->nodes);
        }
    }
    return SOA_OK;
}

/* ---- the link ------------------------------------------------------------------------------------------- */

/* to = turn x, or x */
static void turn(const double *turn, const double *x, double *to)
{
    for (int r = 0; r < 3; r++) {
        to[r] = turn ? turn[3 * r] * x[0] + turn[3 * r + 1] * x[1] + turn[3 * r + 2] * x[2] : x[r];
    }
}

static void node_shapes(const soa_generated *model, const double *Pi, soa_flexible *f)
{
    const size_t m = (size_t)f->modes;
    memcpy(soa_numbers_of(f->position), model->position, 3 * (size_t)model->nodes * sizeof(double));
    for (int node = 0; node < model->nodes; node++) {
        for (size_t i = 0; i < m; i++) {
            double x[6];
            for (int d = 0; d < 6; d++) {
                const int dof = model->dof[(size_t)node * SOA_NODE_DOFS + (size_t)d];
                x[d] = dof >= 0 ? Pi[i * (size_t)model->dofs + (size_t)dof] : 0.0;
            }
            double *shape = soa_numbers_of(f->shape) + ((size_t)node * m + i) * 6;
            turn(model->turn, x, shape);
            turn(model->turn, x + 3, shape + 3);
        }
    }
}

/* The particles as points of mass, with their displacements U = N Pi. */
static bool mass_points(soa_generated *model, int m, const double *Pi, soa_mass_points *points)
{
    const soa_particles *p = &model->particles;
    const size_t n = 3 * (size_t)p->count;
    soa_arena *arena = &model->arena;
    int *point = soa_arena_take(arena, n, sizeof *point), *direction = soa_arena_take(arena, n, sizeof *direction);
    int *start = soa_arena_take(arena, n + 1, sizeof *start), *column = soa_arena_take(arena, n, sizeof *column);
    double *mass = soa_arena_take(arena, n, sizeof *mass), *U = soa_arena_take(arena, n * (size_t)m, sizeof *U);
    if (arena->failed) {
        return false;
    }
    for (int c = 0; c < 3 * p->count; c++) {
        const double *N = p->N + (size_t)c * (size_t)p->width;
        const int *dof = p->dof + (size_t)(c / 3) * (size_t)p->width;
        point[c] = c / 3;
        direction[c] = 3 + c % 3;
        start[c] = column[c] = c;
        mass[c] = p->mass[c / 3];
        for (int k = 0; k < p->width; k++) {
            for (int i = 0; i < m && dof[k] >= 0 && N[k] != 0.0; i++) {
                U[(size_t)c * (size_t)m + (size_t)i] += N[k] * Pi[(size_t)i * (size_t)model->dofs + (size_t)dof[k]];
            }
        }
    }
    start[n] = (int)n;
    *points = (soa_mass_points){ p->count, (int)n, m, p->position, point, direction, { (int)n, start, column, mass }, U,
        model->S };
    return true;
}

/* A model and its modes. */
typedef struct reduced {
    soa_generated *model;
    const soa_generator *generator;
    const void *shape;
    const soa_reduction *wish;
    int m;
    double *value, *Pi; /* omega^2; m x dofs */
} reduced;

static soa_status find_modes(reduced *r, soa_error *error)
{
    soa_generated *model = r->model;
    const soa_fe_matrix K = { model->K.count, model->K.row, model->K.column, model->K.value, false };
    soa_clamped clamped = { .modes = r->wish->modes, .solver = r->wish->solver };
    soa_status status = soa_sparse_make(&model->arena, &K, NULL, model->dofs, "stiffness", &clamped.K, error);
    SOA_NEXT(status, mass_matrix(model, &clamped.M, error));
    SOA_NEXT(status, interface_loads(model, r->wish, &clamped, error));
    SOA_NEXT(status, soa_clamped_modes(&model->arena, &clamped, &r->m, &r->value, &r->Pi, error));
    return status;
}

static soa_status fill_link(const reduced *r, soa_flexible_block *block, soa_error *error)
{
    soa_generated *model = r->model;
    soa_mass_points points;
    soa_status status = SOA_OK;
    node_shapes(model, r->Pi, &block->data);
    if (r->generator->second_order) {
        status = r->generator->second_order(model, r->shape, r->m, r->Pi, block, error);
    }
    soa_flexible_springs(block, r->value, r->wish->damping);
    SOA_NEXT(status, mass_points(model, r->m, r->Pi, &points) ? SOA_OK : soa_fail_memory(error));
    SOA_NEXT(status, soa_modal_integrals(&model->arena, &points, block, error));
    return status;
}

static soa_status make_link(reduced *r, const soa_allocator *allocator, soa_flexible **flexible, soa_error *error)
{
    r->generator->fill(r->model, r->shape);
    soa_status status = r->model->arena.failed ? soa_fail_memory(error) : SOA_OK;
    SOA_NEXT(status, find_modes(r, error));
    if (status != SOA_OK) {
        return status;
    }
    soa_flexible_block *block = soa_flexible_new(allocator, r->m, r->model->nodes, r->generator->second_order != NULL);
    return soa_flexible_give(block, block ? fill_link(r, block, error) : SOA_OK, flexible, error);
}

soa_status soa_generate(const soa_generator *generator, const void *shape, const soa_reduction *reduction,
    const soa_allocator *allocator, soa_flexible **flexible, soa_error *error)
{
    const soa_allocator usual = soa_allocator_default();
    soa_error_clear(error);
    if (!shape || !reduction || !flexible) {
        return soa_fail_null(error, !shape ? generator->what : !reduction ? "the reduction" : "the place of the link");
    }
    *flexible = NULL;
    soa_generated model = { .arena = soa_arena_on(allocator ? allocator : &usual) };
    reduced r = { .model = &model, .generator = generator, .shape = shape, .wish = reduction };
    soa_status status = generator->check(shape, error);
    SOA_NEXT(status, soa_reduction_check(reduction, error));
    SOA_NEXT(status, make_link(&r, allocator, flexible, error));
    soa_arena_free(&model.arena);
    return status;
}
