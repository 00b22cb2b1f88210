/* system/independent.c - which velocities are independent at a state, and how the others follow them.
 *
 *     R = E J with unit columns for the dependent velocities,   S = (I; -R_i)
 *
 * Rows of couplings come first and give their followers. Rows of closures are taken by size, so that the rank is that
 * of the solver of closures; of columns that do nearly as well the last is solved for. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "model/model.h"
#include "system/system.h"

#define NEARLY    0.1   /* a pivot this part of the largest will do */
#define POOR      1e-6  /* and this part too small to spare a velocity that is to stay independent */
#define TOLERANCE 1e-10 /* of pivots, where the solver cannot tell the rank */

/* Makes column `c` of R the unit vector of row `r`, by row operations that E remembers; the row is used then. */
static void eliminate(soa_system *s, size_t rows, size_t r, size_t c)
{
    const double pivot = s->R[r * s->nv + c];
    for (size_t j = 0; j < s->nv; j++) {
        s->R[r * s->nv + j] /= pivot;
    }
    for (size_t j = 0; j < rows; j++) {
        s->E[r * rows + j] /= pivot;
    }
    for (size_t k = 0; k < rows; k++) {
        const double part = k == r ? 0.0 : s->R[k * s->nv + c];
        for (size_t j = 0; j < s->nv && part != 0.0; j++) {
            s->R[k * s->nv + j] -= part * s->R[r * s->nv + j];
        }
        for (size_t j = 0; j < rows && part != 0.0; j++) {
            s->E[k * rows + j] -= part * s->E[r * rows + j];
        }
    }
    s->solved_by[c] = (int)r;
    s->y[r] = 1.0;
}

/* The rows of couplings, each for its follower; how many. */
static int solve_couplings(soa_system *s, size_t rows)
{
    int done = 0;
    for (int i = 0; i < soa_model_couplings(s->model); i++) {
        const int tie = soa_model_closures(s->model) + i, link = soa_model_coupling(s->model, i)->link;
        const int column = soa_model_body(s->model, soa_model_joint_body(s->model, link)).v;
        if (soa_closure_enabled(s->set, tie)) {
            eliminate(s, rows, (size_t)soa_closure_first_row(s->set, tie), (size_t)column);
            done++;
        }
    }
    return done;
}

/* A number of R where the row is not used and the velocity is independent, else 0. */
static double size_of(const soa_system *s, size_t r, size_t c)
{
    return s->solved_by[c] < 0 && s->y[r] == 0.0 ? fabs(s->R[r * s->nv + c]) : 0.0;
}

/* The largest number that is left in the columns that are, or are not, to stay independent. */
static double largest_of(const soa_system *s, size_t rows, bool preferred)
{
    double largest = 0.0;
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < s->nv; c++) {
            largest = s->preferred[c] == preferred ? fmax(largest, size_of(s, r, c)) : largest;
        }
    }
    return largest;
}

/* The next row and column; false: what is left is nothing but rounding. */
static bool choose(const soa_system *s, size_t rows, double tolerance, size_t *row, size_t *column)
{
    const double others = largest_of(s, rows, false), wanted = largest_of(s, rows, true);
    const bool preferred = others < POOR * wanted;
    const double largest = preferred ? wanted : others;
    double best = 0.0;
    for (size_t c = s->nv; c-- > 0 && best == 0.0;) {
        for (size_t r = 0; r < rows && s->preferred[c] == preferred; r++) {
            const double size = size_of(s, r, c);
            if (size >= NEARLY * largest && size > best) {
                best = size;
                *row = r;
                *column = c;
            }
        }
    }
    return best > tolerance;
}

/* How many rows are independent, as the solver of closures sees it; -1: it cannot tell. SOA_E_CLOSURE: it is undecided
 * which rows depend on others. */
static soa_status find_rank(soa_system *s, int *rank, soa_error *error)
{
    soa_closed solved;
    soa_error own;
    const soa_status status = soa_closed_forward_dynamics(s->set, 1, s->q, NULL, NULL, NULL, s->x, NULL, &solved, &own);
    *rank = status == SOA_OK || status == SOA_E_CLOSURE ? solved.rank : -1;
    if (status == SOA_E_CLOSURE && s->nv > 0 && isnan(s->x[0])) {
        if (error) {
            *error = own;
        }
        return status;
    }
    return SOA_OK;
}

static void fill_motion(soa_system *s)
{
    s->dofs = 0;
    for (size_t i = 0; i < s->nv; i++) {
        if (s->solved_by[i] < 0) {
            s->independent[s->dofs++] = (int)i;
        }
    }
    for (size_t i = 0; i < s->nv; i++) {
        for (size_t j = 0; j < s->dofs; j++) {
            const size_t column = (size_t)s->independent[j];
            const int row = s->solved_by[i];
            s->S[i * s->dofs + j] = row < 0 ? (i == column ? 1.0 : 0.0) : 0.0 - s->R[(size_t)row * s->nv + column];
        }
    }
}

/* R, E, S at q, whose J is made. */
soa_status soa_system_find_motion(soa_system *s, soa_error *error)
{
    const size_t rows = (size_t)soa_closures_rows(s->set);
    memcpy(s->R, s->J, rows * s->nv * sizeof *s->R);
    memset(s->E, 0, rows * rows * sizeof *s->E);
    for (size_t i = 0; i < rows; i++) {
        s->E[i * rows + i] = 1.0;
    }
    for (size_t i = 0; i < s->nv; i++) {
        s->solved_by[i] = -1;
    }
    int rank = 0;
    const soa_status status = rows > 0 ? find_rank(s, &rank, error) : SOA_OK;
    if (status != SOA_OK) {
        return status;
    }
    size_t row = 0, column = 0;
    memset(s->y, 0, rows * sizeof *s->y); /* 1: the row is used */
    int done = solve_couplings(s, rows);
    while (done < (rank < 0 ? (int)rows : rank) && choose(s, rows, rank < 0 ? TOLERANCE : 0.0, &row, &column)) {
        eliminate(s, rows, row, column);
        done++;
    }
    fill_motion(s);
    return SOA_OK;
}
