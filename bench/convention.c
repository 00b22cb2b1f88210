/* convention.c - between the velocities of soa and those of a peer. */
#include <stdlib.h>
#include <string.h>

#include "convention.h"

bool bench_map_new(int nv, bench_map *map)
{
    const size_t n = (size_t)nv;
    const size_t wide = n < 6 ? 6 * n : n * n;
    *map = (bench_map){ .nv = nv, .X = calloc(2 * n * n + n + wide, sizeof(double)) };
    if (map->X != NULL) {
        map->X_inv = map->X + n * n;
        map->b = map->X_inv + n * n;
        map->scratch = map->b + n;
    }
    return map->X != NULL;
}

void bench_map_free(bench_map *map)
{
    free(map->X);
}

/* ---- small vectors --------------------------------------------------------------------- */

static void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* y = A x, or A* x. */
static void turn(double A[3][3], bool transposed, const double *x, double *y)
{
    for (int i = 0; i < 3; i++) {
        y[i] = 0.0;
        for (int j = 0; j < 3; j++) {
            y[i] += (transposed ? A[j][i] : A[i][j]) * x[j];
        }
    }
}

/* ---- the base -------------------------------------------------------------------------- */

typedef struct base_map {
    double A[3][3], L[3][3]; /* what turns the angular and the linear part */
    double c[3];             /* where the linear velocity is measured */
    int angular, linear;     /* first rows of the two parts */
} base_map;

static base_map base_of(const bench_robot *robot, const bench_convention *convention, const double *q)
{
    const soa_pose identity = soa_pose_identity(), pose = soa_pose_from_quaternion(q + 4, q);
    base_map m = { .angular = convention->linear_first ? 3 : 0, .linear = convention->linear_first ? 0 : 3 };
    memcpy(m.A, convention->angular_in_world ? pose.rotation : identity.rotation, sizeof m.A);
    memcpy(m.L, convention->linear_in_world ? pose.rotation : identity.rotation, sizeof m.L);
    for (int i = 0; convention->at_com && i < 3; i++) {
        m.c[i] = robot->body[0].inertia.com[i];
    }
    return m;
}

/* w' = A w, v' = L (v + w x c). */
static void base_forth(base_map *m, const double *in, double *out)
{
    double at_c[3];
    cross(in, m->c, at_c);
    for (int i = 0; i < 3; i++) {
        at_c[i] += in[3 + i];
    }
    turn(m->A, false, in, out + m->angular);
    turn(m->L, false, at_c, out + m->linear);
}

static void base_back(base_map *m, const double *in, double *out)
{
    double at_c[3];
    turn(m->A, true, in + m->angular, out);
    turn(m->L, true, in + m->linear, out + 3);
    cross(out, m->c, at_c);
    for (int i = 0; i < 3; i++) {
        out[3 + i] -= at_c[i];
    }
}

/* L w x (v + w x c): what the turning of the axes adds to the derivative of v'. */
static void base_bias(base_map *m, const bench_convention *convention, const double *v, double *b)
{
    double at_c[3], rate[3];
    cross(v, m->c, at_c);
    for (int i = 0; i < 3; i++) {
        at_c[i] += v[3 + i];
    }
    cross(v, at_c, rate);
    if (convention->linear_in_world) {
        turn(m->L, false, rate, b + m->linear);
        return;
    }
    /* vdot' = vdot + wdot x c: no axes turn. */
    memset(b + m->linear, 0, 3 * sizeof *b);
}

void bench_map_set(bench_map *map, const bench_robot *robot, const bench_peer_info *peer, const int *order,
    const double *q, const double *v)
{
    const int nv = map->nv;
    memset(map->X, 0, ((size_t)nv * (size_t)nv * 2 + (size_t)nv) * sizeof(double));
    for (int i = 0; i < nv; i++) {
        map->X[order[i] * nv + i] = 1.0;
        map->X_inv[i * nv + order[i]] = 1.0;
    }
    if (robot->body[0].joint != BENCH_FREE) {
        return;
    }
    base_map m = base_of(robot, &peer->convention, q);
    double b[6] = { 0.0 };
    base_bias(&m, &peer->convention, v, b);
    for (int j = 0; j < 6; j++) {
        double unit[6] = { 0.0 }, forth[6], back[6];
        unit[j] = 1.0;
        base_forth(&m, unit, forth);
        base_back(&m, unit, back);
        map->b[order[j]] = b[j];
        for (int i = 0; i < 6; i++) {
            map->X[order[i] * nv + j] = forth[i];
            map->X_inv[i * nv + order[j]] = back[i];
        }
    }
}

/* ---- vectors and matrices -------------------------------------------------------------- */

/* C = A B (rows x n, n x n), with A or B transposed as told. */
static void multiply(int rows, int n, const double *A, bool A_t, const double *B, bool B_t, double *C)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++) {
                sum += (A_t ? A[k * n + i] : A[i * n + k]) * (B_t ? B[j * n + k] : B[k * n + j]);
            }
            C[i * n + j] = sum;
        }
    }
}

/* y = A x: the product x* A* of one row. */
static void apply(int n, const double *A, bool transposed, const double *x, double *y)
{
    multiply(1, n, x, false, A, !transposed, y);
}

void bench_map_velocity(const bench_map *map, const double *v, double *out)
{
    apply(map->nv, map->X, false, v, out);
}

void bench_map_acceleration(const bench_map *map, const double *vdot, double *out)
{
    apply(map->nv, map->X, false, vdot, out);
    for (int i = 0; i < map->nv; i++) {
        out[i] += map->b[i];
    }
}

void bench_map_force(const bench_map *map, const double *T, double *out)
{
    apply(map->nv, map->X_inv, true, T, out);
}

/* A = left A right. */
static void map_matrix(
    const bench_map *map, const double *left, bool left_t, const double *right, bool right_t, double *A)
{
    multiply(map->nv, map->nv, left, left_t, A, false, map->scratch);
    multiply(map->nv, map->nv, map->scratch, false, right, right_t, A);
}

void bench_map_result(const bench_map *map, bench_algorithm algorithm, double *result)
{
    const int n = map->nv;
    const size_t row = (size_t)n * sizeof(double);
    switch (algorithm) {
    case BENCH_INVERSE_DYNAMICS: /* T = X* T' */
        memcpy(map->scratch, result, row);
        apply(n, map->X, true, map->scratch, result);
        break;
    case BENCH_CLOSED_DYNAMICS:
    case BENCH_FORWARD_DYNAMICS: /* vdot = X^-1 (vdot' - b) */
        for (int i = 0; i < n; i++) {
            map->scratch[i] = result[i] - map->b[i];
        }
        apply(n, map->X_inv, false, map->scratch, result);
        break;
    case BENCH_CORIOLIS_MATRIX: /* where X is the same for all q and v */
    case BENCH_MASS_MATRIX:     /* X* Mass' X */
        map_matrix(map, map->X, true, map->X, false, result);
        break;
    case BENCH_MASS_INVERSE: /* X^-1 Mass'^-1 X^-* */
        map_matrix(map, map->X_inv, false, map->X_inv, true, result);
        break;
    case BENCH_INVERSE_DERIVATIVES: /* where X is the same for all q and v */
        for (size_t i = 0; i < 3; i++) {
            map_matrix(map, map->X, true, map->X, false, result + i * (size_t)n * (size_t)n);
        }
        break;
    case BENCH_FORWARD_DERIVATIVES:
        for (size_t i = 0; i < 3; i++) {
            map_matrix(map, map->X_inv, false, i < 2 ? map->X : map->X_inv, i == 2, result + i * (size_t)n * (size_t)n);
        }
        break;
    case BENCH_JACOBIAN: /* J' X */
        memcpy(map->scratch, result, 6 * row);
        multiply(6, n, map->scratch, false, map->X, false, result);
        break;
    default: /* no velocities in it */
        break;
    }
}
