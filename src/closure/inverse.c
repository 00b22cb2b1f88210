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
    double *J; /* rows x nv */
    double *A, *b, *x, *work;
    double *tau, *first; /* lambda that passive joints ask for */
    double *Z;           /* Q of the passive columns */
    size_t *column;
} dense;

static bool take_dense(soa_closures *set, dense *z)
{
    const size_t rows = (size_t)set->rows + 1, nv = (size_t)set->nv + 1, n = rows + nv;
    soa_stack *s = &set->stack;
    z->J = soa_stack_take(s, rows * nv, sizeof(double));
    z->A = soa_stack_take(s, n * n, sizeof(double));
    z->Z = soa_stack_take(s, rows * nv, sizeof(double));
    z->work = soa_stack_take(s, n * (n + 4), sizeof(double));
    z->b = soa_stack_take(s, n, sizeof(double));
    z->x = soa_stack_take(s, 2 * n, sizeof(double));
    z->tau = soa_stack_take(s, n, sizeof(double));
    z->first = soa_stack_take(s, n, sizeof(double));
    z->column = soa_stack_take(s, n, sizeof(size_t));
    return !s->overflow;
}

static bool is_passive(const double *weight, int i)
{
    return weight && isinf(weight[i]);
}

/* lambda that gives the passive joints what they need, into first; the rank of their columns, which are left factored
 * in Z (rows x passive), or -1: impossible. */
static int passive_part(const soa_closures *set, const dense *z, const double *weight, const double *T0)
{
    const int rows = set->rows, nv = set->nv;
    int passive = 0;
    for (int i = 0; i < nv; i++) {
        passive += is_passive(weight, i);
    }
    memset(z->first, 0, (size_t)rows * sizeof(double));
    if (passive == 0) {
        return 0;
    }
    double scale = 0.0;
    for (int i = 0, p = 0; i < nv; i++) {
        scale = fmax(scale, fabs(T0[i]));
        for (int r = 0; is_passive(weight, i) && r < rows; r++) {
            z->A[p * rows + r] = z->Z[r * passive + p] = z->J[r * nv + i];
        }
        if (is_passive(weight, i)) {
            z->b[p++] = T0[i];
        }
    }
    soa_least_squares((size_t)passive, (size_t)rows, z->A, z->b, z->first, z->work, SOA_COMPUTED);
    for (int i = 0; i < nv; i++) {
        double left = T0[i];
        for (int r = 0; r < rows; r++) {
            left -= z->J[r * nv + i] * z->first[r];
        }
        if (is_passive(weight, i) && fabs(left) > 1e-8 * fmax(1.0, scale)) {
            return -1;
        }
    }
    return (int)soa_qr((size_t)rows, (size_t)passive, z->Z, z->tau, z->column, SOA_COMPUTED).rank;
}

static int count_passive(const soa_closures *set, const double *weight)
{
    int passive = 0;
    for (int i = 0; i < set->nv; i++) {
        passive += is_passive(weight, i);
    }
    return passive;
}

/* Column k of the multipliers that leave the passive joints alone, into x. */
static void free_direction(const soa_closures *set, const dense *z, int passive, int rank, int k, double *x)
{
    memset(x, 0, (size_t)set->rows * sizeof *x);
    x[rank + k] = 1.0;
    if (passive > 0) {
        soa_qr_apply((size_t)set->rows, (size_t)passive, (size_t)rank, z->Z, z->tau, x);
    }
}

/* The rest of lambda: least weighted squares of the driven forces. */
static void driven_part(const soa_closures *set, const dense *z, const double *weight, const double *T0, int rank)
{
    const int rows = set->rows, nv = set->nv, left = rows - rank, passive = count_passive(set, weight);
    double top = 0.0;
    for (int i = 0; i < rows * nv; i++) {
        top = fmax(top, fabs(z->J[i]));
    }
    for (int k = 0; k < left; k++) {
        free_direction(set, z, passive, rank, k, z->x);
        for (int i = 0; i < nv; i++) {
            const double w = !weight ? 1.0 : is_passive(weight, i) ? 0.0 : sqrt(weight[i]);
            double sum = 0.0;
            for (int r = 0; r < rows; r++) {
                sum += z->J[r * nv + i] * z->x[r];
            }
            z->A[i * left + k] = fabs(sum) > SOA_COMPUTED * top ? w * sum : 0.0; /* rounding is no direction */
        }
    }
    for (int i = 0; i < nv; i++) {
        const double w = !weight ? 1.0 : is_passive(weight, i) ? 0.0 : sqrt(weight[i]);
        double sum = T0[i];
        for (int r = 0; r < rows; r++) {
            sum -= z->J[r * nv + i] * z->first[r];
        }
        z->b[i] = w * sum;
    }
    double *y = z->x + rows; /* as many numbers follow */
    if (left > 0) {
        soa_least_squares((size_t)nv, (size_t)left, z->A, z->b, y, z->work, SOA_COMPUTED);
    }
    for (int k = 0; k < left; k++) {
        free_direction(set, z, passive, rank, k, z->x);
        for (int r = 0; r < rows; r++) {
            z->first[r] += y[k] * z->x[r];
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
    status = status == SOA_OK ? open_forces(set, in, vdot, T, error) : status;
    if (status != SOA_OK || set->rows == 0) {
        return status;
    }
    dense z;
    soa_spectrum rows;
    soa_find_ranks(set);
    soa_stack_begin(&set->stack);
    if ((set->ranks.found.rounded && !soa_spectrum_take(set, &rows)) || !take_dense(set, &z)) {
        return soa_fail(error, SOA_E_LIMIT, -1,
            "inverse dynamics needs more than %zu bytes; ask soa_closures_new for more", set->stack.size);
    }
    set->table->locate(set, in);
    set->table->jacobian(set, z.J);
    if (set->ranks.found
            .rounded) { /* rows that depend on each other but for rounding carry no forces against each other */
        soa_spectrum_make(set, false, &rows);
        soa_spectrum_keep(set, false, &rows);
        soa_spectrum_truncate(set, &rows, z.J);
    }
    const int rank = passive_part(set, &z, weight, T);
    if (rank < 0) {
        return soa_fail(error, SOA_E_CLOSURE, -1,
            "the driven joints cannot give this vdot: passive joints would need forces that no closure carries");
    }
    driven_part(set, &z, weight, T, rank);
    for (int i = 0; i < set->nv; i++) {
        for (int r = 0; r < set->rows; r++) {
            T[i] -= z.J[r * set->nv + i] * z.first[r];
        }
        T[i] = is_passive(weight, i) ? 0.0 : T[i];
    }
    memcpy(set->last.lambda, z.first, (size_t)set->rows * sizeof *set->last.lambda);
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
