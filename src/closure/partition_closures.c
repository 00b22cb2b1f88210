/* closure/partition_closures.c - step (D) of a partition: the multipliers of the closures.
 *
 *     (D)  [sum over systems of A Lambda A*] lambda = -(sum of A alpha_f + bias)
 * Of rows that depend on each other but for rounding only the directions that count are solved, as nullspace.c does. */
#include <math.h>
#include <string.h>

#include "closure/partition.h"
#include "closure/spectrum.h"
#include "core/dense.h"
#include "core/error.h"

/* A part of A Lambda A* below this counts as zero: the row depends on others. */
#define RANK 1e-12

/* The pose and velocity of an end. */
static void end_state(const soa_partition *p, int i, double pose[12], double V[6])
{
    const soa_end *end = &p->set->tie[i / 2].end[i % 2];
    const int point = p->point_of[i];
    if (point >= 0) {
        memcpy(pose, p->part[end->system].pose + 12 * point, 12 * sizeof *pose);
        memcpy(V, p->part[end->system].velocity + 6 * point, 6 * sizeof *V);
        return;
    }
    memcpy(pose, end->at.rotation, 9 * sizeof *pose);
    memcpy(pose + 9, end->at.position, 3 * sizeof *pose);
    memset(V, 0, 6 * sizeof *V);
}

/* Free acceleration of a row. */
static double row_acceleration(const soa_partition *p, int r)
{
    const soa_closures *set = p->set;
    const int tie = set->row[r].tie;
    double sum = set->row[r].bias;
    for (int side = 0; side < 2; side++) {
        const int point = p->point_of[2 * tie + side];
        const soa_end *end = &set->tie[tie].end[side];
        if (point < 0) {
            continue;
        }
        const partition_part *part = &p->part[end->system];
        sum +=
            soa_end_acceleration(p->A + 12 * r + 6 * side, part->velocity + 6 * point, part->acceleration + 6 * point);
    }
    return sum;
}

/* A_i Lambda(x, y) A_j* of points x, y of one system. */
static double block_product(const partition_part *part, int x, int y, const double *A_i, const double *A_j)
{
    const int n = 6 * part->points;
    double sum = 0.0;
    for (int r = 0; r < 6; r++) {
        const double *row = part->lambda + (6 * x + r) * n + 6 * y;
        double inner = 0.0;
        for (int c = 0; c < 6; c++) {
            inner += row[c] * A_j[c];
        }
        sum += A_i[r] * inner;
    }
    return sum;
}

static double compliance(const soa_partition *p, int i, int j)
{
    const soa_closures *set = p->set;
    const int a = set->row[i].tie, b = set->row[j].tie;
    double sum = 0.0;
    for (int s = 0; s < 4; s++) {
        const int side = s / 2, other = s % 2;
        const int x = p->point_of[2 * a + side], y = p->point_of[2 * b + other];
        const soa_end *end = &set->tie[a].end[side];
        const soa_end *end_2 = &set->tie[b].end[other];
        if (x >= 0 && y >= 0 && end->system == end_2->system) {
            sum += block_product(&p->part[end->system], x, y, p->A + 12 * i + 6 * side, p->A + 12 * j + 6 * other);
        }
    }
    return sum;
}

static soa_status check_closures(const soa_partition *p, soa_error *error)
{
    if (!p) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the partition is missing");
    }
    const soa_closures *set = p->set;
    for (int s = 0; s < set->systems; s++) {
        if (!p->part[s].known) {
            return soa_fail(
                error, SOA_E_ARGUMENT, -1, "system %d has no state yet; call soa_partition_system first", s);
        }
    }
    for (int i = p->ties; i < set->ties; i++) {
        if (set->tie[i].enabled) {
            return soa_fail_tie(error, set, i, "was added after the partition was made");
        }
    }
    return SOA_OK;
}

/* p->U = U_k* R: the directions that count of rounded rows, one per row of U. Returns how many; -1: too little room. */
static int directions(soa_partition *p, soa_closed *found)
{
    soa_closures *set = p->set;
    soa_spectrum s;
    for (int i = 0; i < set->systems; i++) {
        memcpy(p->q + set->part[i].q, p->part[i].q, (size_t)set->part[i].model->nq * sizeof *p->q);
    }
    if (!soa_spectrum_take(set, &s)) {
        return -1;
    }
    set->table->locate(set, &(soa_closed_input){ .q = p->q });
    soa_spectrum_make(set, false, &s);
    soa_spectrum_keep(set, false, &s);
    int count = 0;
    for (int j = 0; j < set->rows; j++) {
        for (int i = 0; s.kept[j] && i < set->rows; i++) {
            p->U[count * set->rows + i] = s.Q[j * set->rows + i] * s.R[i];
        }
        count += s.kept[j];
    }
    *found =
        (soa_closed){ .rounded = true, .kept = s.least, .dropped = s.most, .condition = 1.0 / (s.least * s.least) };
    return count;
}

/* Whether rows depend on each other but for rounding, and then the directions that count. */
static soa_status look_at_rounding(soa_partition *p, int *count, soa_closed *found, soa_error *error)
{
    soa_redundancy known;
    const soa_status status = soa_closures_redundancy(p->set, &known, error);
    *count = p->set->rows;
    *found = (soa_closed){ .condition = NAN };
    if (status != SOA_OK || known.undecided) {
        return status != SOA_OK ? status : soa_fail_undecided(p->set, error);
    }
    *count = known.rounded ? directions(p, found) : *count;
    return *count >= 0 ? SOA_OK : soa_fail_room(p->set, "rows that depend on each other but for rounding", error);
}

/* The rows at the state, A and c. */
static void make_rows(soa_partition *p)
{
    soa_closures *set = p->set;
    for (int i = 0; i < p->ties; i++) {
        double pose[2][12], V[2][6];
        if (set->tie[i].enabled) {
            end_state(p, 2 * i, pose[0], V[0]);
            end_state(p, 2 * i + 1, pose[1], V[1]);
            set->table->rows_at(set, i, pose[0], V[0], pose[1], V[1]);
        }
    }
    for (int i = 0; i < set->rows; i++) {
        for (int side = 0; side < 2; side++) {
            soa_row_at_end(set->row[i].W, set->place[set->row[i].tie].r, side, p->A + 12 * i + 6 * side);
        }
        p->c[i] = -row_acceleration(p, i);
    }
}

static void make_compliance(soa_partition *p)
{
    const soa_closures *set = p->set;
    const int rows = set->rows;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j <= i; j++) {
            p->L[i * rows + j] = p->L[j * rows + i] = compliance(p, i, j);
            p->done.blocks += set->row[i].tie != set->row[j].tie || i == j;
        }
    }
}

/* L lambda = c in the sense of the least norm of lambda; what dependent rows miss. */
static double solve_rows(soa_partition *p, soa_closed *closed)
{
    const int rows = p->set->rows;
    const int rank = rows > 0 ? (int)soa_least_squares((size_t)rows, (size_t)rows, p->L, p->c, p->x, p->work, RANK) : 0;
    double left = 0.0;
    for (int i = rank; i < rows; i++) {
        left = fmax(left, fabs(p->c[i]));
    }
    closed->rank = rank;
    closed->condition = rank > 0 ? fabs(p->L[0] / p->L[(rank - 1) * rows + rank - 1]) : 1.0;
    return left;
}

/* (U L U*) mu = U c,  lambda = U* mu: of rounded rows those directions alone that count; what the others miss. */
static double solve_directions(soa_partition *p, int count, soa_closed *closed)
{
    const size_t rows = (size_t)p->set->rows, n = (size_t)count;
    double left = 0.0, *UL = p->work, *mu = p->LU + n * n; /* behind the matrix: count < rows */
    memset(UL, 0, n * rows * sizeof *UL);
    soa_multiply_add(
        n, (soa_matrix_view){ p->U, rows }, (soa_matrix_view){ p->L, rows }, (soa_matrix_view){ UL, rows });
    for (size_t a = 0; a < n; a++) {
        soa_multiply(n, rows, p->U, UL + a * rows, p->LU + a * n);
    }
    soa_multiply(n, rows, p->U, p->c, p->x);
    closed->rank = count > 0 ? (int)soa_least_squares(n, n, p->LU, p->x, mu, p->work, RANK) : 0;
    memset(p->x, 0, rows * sizeof *p->x);
    soa_add_transposed(n, rows, 1.0, p->U, mu, p->x);
    soa_multiply(rows, rows, p->L, p->x, p->work);
    for (size_t i = 0; i < rows; i++) {
        left = fmax(left, fabs(p->c[i] - p->work[i]));
    }
    return left;
}

soa_status soa_partition_closures(soa_partition *p, soa_closed *closed, soa_error *error)
{
    int count = 0;
    soa_closed found;
    soa_status status = check_closures(p, error);
    SOA_NEXT(status, look_at_rounding(p, &count, &found, error));
    if (status != SOA_OK) {
        return status;
    }
    soa_closures *set = p->set;
    make_rows(p);
    make_compliance(p);
    double scale = 1.0;
    for (int i = 0; i < set->rows; i++) {
        scale = fmax(scale, fabs(p->c[i]));
    }
    const double left = found.rounded ? solve_directions(p, count, &found) : solve_rows(p, &found);
    memcpy(set->last.lambda, p->x, (size_t)set->rows * sizeof *p->x);
    p->done.solutions++;
    found.rows = set->rows;
    found.inconsistency = left;
    soa_tell_missed(set, &found);
    if (closed) {
        *closed = found;
    }
    status = soa_closed_finite(set, (soa_closed_result){ "lambda", set->last.lambda, 1, SOA_BY_ROW }, error);
    if (status == SOA_OK && !found.rounded && left > SOA_CONTRADICTION * scale) {
        status = soa_fail(error, SOA_E_CLOSURE, -1, "the enabled closures contradict each other by %.3g", left);
    }
    return status;
}
