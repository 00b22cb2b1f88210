/* closure/inverse.c - inverse dynamics of closed systems: of all forces that do it the smallest.
 *
 *     T = T0 - J* lambda,   T0 the inverse dynamics of the open system, lambda free
 * Passive joints ask J_p* lambda = T0_p; what lambda is then left is chosen so that the weighted squares of the
 * driven forces are least. */
#include <math.h>
#include <string.h>

#include "closure/closure.h"
#include "closure/spectrum.h"
#include "core/dense.h"
#include "core/error.h"

/* Dense scratch, on the stack of the fronts. */
typedef struct dense {
    size_t rows, nv, passive;
    double *J;      /* rows x nv */
    double *root;   /* by velocity: of its weight; 0: passive */
    double *lambda; /* by row */
    double *Z;      /* rows x passive: Q R of the passive columns of J */
    double *tau;
    size_t *column;
    double *A, *b, *x, *y, *work; /* of least squares, and vectors */
} dense;

static bool is_passive(const double *weight, size_t i)
{
    return weight && isinf(weight[i]);
}

static bool take_dense(soa_closures *set, const double *weight, dense *z)
{
    const size_t rows = (size_t)set->rows + 1, nv = (size_t)set->nv + 1, n = rows + nv;
    soa_stack *s = &set->stack;
    z->rows = rows - 1, z->nv = nv - 1, z->passive = 0;
    z->J = soa_stack_take(s, rows * nv, sizeof(double));
    z->A = soa_stack_take(s, n * n, sizeof(double));
    z->Z = soa_stack_take(s, rows * nv, sizeof(double));
    z->work = soa_stack_take(s, n * (n + 4), sizeof(double));
    double *vector = soa_stack_take(s, 6 * n, sizeof(double));
    z->column = soa_stack_take(s, n, sizeof(size_t));
    if (s->overflow) {
        return false;
    }
    z->b = vector, z->x = vector + n, z->y = vector + 2 * n;
    z->tau = vector + 3 * n, z->lambda = vector + 4 * n, z->root = vector + 5 * n;
    for (size_t i = 0; i < z->nv; i++) {
        z->root[i] = !weight ? 1.0 : is_passive(weight, i) ? 0.0 : sqrt(weight[i]);
        z->passive += is_passive(weight, i);
    }
    return true;
}

/* y = T0 - J* lambda: the forces that are left to the joints. */
static void forces_left(const dense *z, const double *T0)
{
    memcpy(z->y, T0, z->nv * sizeof *z->y);
    soa_add_transposed(z->rows, z->nv, -1.0, z->J, z->lambda, z->y);
}

/* lambda gives the passive joints what they need, J_p* lambda = T0_p; the rank of their columns, which are left factored
 * in Z, or -1: impossible. */
static int passive_part(const dense *z, const double *weight, const double *T0)
{
    double scale = 0.0;
    memset(z->lambda, 0, z->rows * sizeof *z->lambda);
    if (z->passive == 0) {
        return 0;
    }
    for (size_t i = 0, p = 0; i < z->nv; i++) {
        scale = fmax(scale, fabs(T0[i]));
        for (size_t r = 0; is_passive(weight, i) && r < z->rows; r++) {
            z->A[p * z->rows + r] = z->Z[r * z->passive + p] = z->J[r * z->nv + i];
        }
        if (is_passive(weight, i)) {
            z->b[p++] = T0[i];
        }
    }
    soa_least_squares(z->passive, z->rows, z->A, z->b, z->lambda, z->work, SOA_COMPUTED);
    forces_left(z, T0);
    for (size_t i = 0; i < z->nv; i++) {
        if (is_passive(weight, i) && fabs(z->y[i]) > 1e-8 * fmax(1.0, scale)) {
            return -1;
        }
    }
    return (int)soa_qr(z->rows, z->passive, z->Z, z->tau, z->column, SOA_COMPUTED).rank;
}

/* x = column k of the multipliers that leave the passive joints alone. */
static void free_direction(const dense *z, size_t rank, size_t k)
{
    memset(z->x, 0, z->rows * sizeof *z->x);
    z->x[rank + k] = 1.0;
    if (z->passive > 0) {
        soa_qr_apply(z->rows, z->passive, rank, z->Z, z->tau, z->x);
    }
}

/* lambda gains what makes the weighted squares of the driven forces least. */
static void driven_part(const dense *z, const double *T0, size_t rank)
{
    const size_t left = z->rows - rank;
    double top = 0.0;
    for (size_t i = 0; i < z->rows * z->nv; i++) {
        top = fmax(top, fabs(z->J[i]));
    }
    for (size_t k = 0; k < left; k++) {
        free_direction(z, rank, k);
        memset(z->y, 0, z->nv * sizeof *z->y);
        soa_add_transposed(z->rows, z->nv, 1.0, z->J, z->x, z->y);
        for (size_t i = 0; i < z->nv; i++) { /* rounding is no direction */
            z->A[i * left + k] = fabs(z->y[i]) > SOA_COMPUTED * top ? z->root[i] * z->y[i] : 0.0;
        }
    }
    forces_left(z, T0);
    for (size_t i = 0; i < z->nv; i++) {
        z->b[i] = z->root[i] * z->y[i];
    }
    if (left > 0) {
        soa_least_squares(z->nv, left, z->A, z->b, z->y, z->work, SOA_COMPUTED);
    }
    for (size_t k = 0; k < left; k++) {
        free_direction(z, rank, k);
        for (size_t r = 0; r < z->rows; r++) {
            z->lambda[r] += z->y[k] * z->x[r];
        }
    }
}

/* vdot must satisfy the closures. */
static soa_status check_vdot(soa_closures *set, const soa_closed_input *in, const double *vdot, soa_error *error)
{
    double *missed = set->scratch.vector, scale = 1.0;
    const double part = SOA_CONTRADICTION + 100.0 * soa_rounding(&set->ranks);
    set->table->locate(set, in);
    set->table->accelerate(set, in, vdot, missed);
    for (int i = 0; vdot && i < set->nv; i++) {
        scale = fmax(scale, fabs(vdot[i]));
    }
    for (int i = 0; i < set->rows; i++) {
        if (!(fabs(missed[i]) <= part * (scale + fabs(set->row[i].bias)))) {
            char label[SOA_CLOSURE_LABEL];
            return soa_fail(error, SOA_E_CLOSURE, -1, "vdot misses closure '%s' by %.3g; give one that satisfies it",
                soa_closure_label(set, set->row[i].tie, label, sizeof label), missed[i]);
        }
    }
    return SOA_OK;
}

static soa_status open_forces(
    soa_closures *set, const soa_closed_input *in, const double *vdot, double *T, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int s = 0; status == SOA_OK && s < set->systems; s++) {
        const soa_part *part = &set->part[s];
        status = soa_inverse_dynamics(part->model, part->workspace, 1, in->q + part->q, in->v ? in->v + part->v : NULL,
            vdot ? vdot + part->v : NULL, in->f ? in->f + 6 * part->node : NULL, T + part->v, error);
    }
    for (int i = 0; in->T && i < set->nv; i++) {
        T[i] -= in->T[i];
    }
    return status;
}

static soa_status check(soa_closures *set, const soa_closed_input *in, const double *vdot, const double *weight,
    const double *T, soa_error *error)
{
    soa_status status = soa_check_closed(set, in, error);
    if (status == SOA_OK && !T && set->nv > 0) {
        status = soa_fail_null(error, "T");
    }
    for (int i = 0; status == SOA_OK && i < set->nv; i++) {
        if ((vdot && !isfinite(vdot[i])) || (weight && !(weight[i] > 0.0))) {
            status =
                soa_fail(error, SOA_E_NUMBER, -1, "vdot[%d] must be finite and weight[%d] positive or infinite", i, i);
        }
    }
    return status == SOA_OK ? check_vdot(set, in, vdot, error) : status;
}

static soa_status drive(soa_closures *set, const soa_closed_input *in, const double *vdot, const double *weight,
    double *T, soa_error *error)
{
    soa_status status = check(set, in, vdot, weight, T, error);
    SOA_NEXT(status, open_forces(set, in, vdot, T, error));
    if (status != SOA_OK || set->rows == 0) {
        return status;
    }
    dense z;
    soa_spectrum rows;
    soa_find_ranks(set);
    soa_stack_begin(&set->stack);
    if ((set->ranks.found.rounded && !soa_spectrum_take(set, &rows)) || !take_dense(set, weight, &z)) {
        return soa_fail_room(set, "inverse dynamics", error);
    }
    set->table->locate(set, in);
    set->table->jacobian(set, z.J);
    if (set->ranks.found
            .rounded) { /* rows that depend on each other but for rounding carry no forces against each other */
        soa_spectrum_make(set, false, &rows);
        soa_spectrum_keep(set, false, &rows);
        soa_spectrum_truncate(set, &rows, z.J);
    }
    const int rank = passive_part(&z, weight, T);
    if (rank < 0) {
        return soa_fail(error, SOA_E_CLOSURE, -1,
            "the driven joints cannot give this vdot: passive joints would need forces that no closure carries");
    }
    driven_part(&z, T, (size_t)rank);
    soa_add_transposed(z.rows, z.nv, -1.0, z.J, z.lambda, T);
    for (size_t i = 0; i < z.nv; i++) {
        T[i] = is_passive(weight, i) ? 0.0 : T[i];
    }
    memcpy(set->last.lambda, z.lambda, z.rows * sizeof *set->last.lambda);
    return SOA_OK;
}

soa_status soa_closed_drive(soa_closures *set, const soa_closed_input *in, const double *vdot, const double *weight,
    double *T, soa_error *error)
{
    const soa_status status = drive(set, in, vdot, weight, T, error);
    const soa_closed_result result[] = { { "lambda", set->last.lambda, 1, SOA_BY_ROW },
        { "T", T, 1, SOA_BY_VELOCITY } };
    return soa_closed_done(set, status, 2, result, error);
}

soa_status soa_closed_inverse_dynamics(soa_closures *set, int states, const double *q, const double *v,
    const double *vdot, const double *f, const double *weight, double *T, double *lambda, soa_error *error)
{
    soa_each each = soa_each_state(set, states, (soa_closed_input){ .q = q, .v = v, .f = f }, error);
    while (soa_each_next(&each)) {
        double *T_at = soa_result_at(T, set->nv, each.state), *to = soa_result_at(lambda, set->rows, each.state);
        const double *vdot_at = soa_given_at(vdot, set->nv, each.state);
        soa_each_done(&each, soa_closed_drive(set, &each.in, vdot_at, weight, T_at, each.error));
        if (to) {
            memcpy(to, set->last.lambda, (size_t)set->rows * sizeof *to);
        }
    }
    return each.status;
}
