/* closure/sample.c - singular values of the rows in several configurations that satisfy them. */
#include <math.h>
#include <string.h>

#include "closure/spectrum.h"

enum { SAMPLES = 5, MORE_SAMPLES = 10, MOST_STEPS = 40 };

#define LONGEST_STEP  0.5  /* radians or lengths l */
#define NEARLY_CLOSED 3e-3 /* rows missed by more are not satisfied, whatever the rounding, unless more is allowed */

bool soa_sampling_take(soa_closures *set, soa_sampling *a)
{
    const size_t rows = (size_t)set->rows;
    soa_stack *stack = &set->stack;
    if (!soa_spectrum_take(set, &a->s)) {
        return false;
    }
    a->q = soa_stack_take(stack, (size_t)set->nq, sizeof(double));
    a->start = soa_stack_take(stack, (size_t)set->nq, sizeof(double));
    a->d = soa_stack_take(stack, (size_t)set->nv, sizeof(double));
    a->e = soa_stack_take(stack, rows, sizeof(double));
    a->y = soa_stack_take(stack, rows, sizeof(double));
    a->most = soa_stack_take(stack, rows, sizeof(double));
    a->missed = soa_stack_take(stack, rows, sizeof(double));
    a->seed = 20;
    a->samples = a->tries = 0;
    return !stack->overflow;
}

/* ---- configurations that satisfy the rows --------------------------------------------------------- */

/* Try n begins where every link stands as placed, at the configurations that come with the models, or anywhere. */
void soa_sampling_begin(const soa_closures *set, soa_sampling *a, int n)
{
    for (int s = 0; s < set->systems; s++) {
        const soa_model *m = set->part[s].model;
        double *q = a->q + set->part[s].q;
        if (n > 0 && n <= soa_model_configurations(m) && soa_model_configuration(m, n - 1)->q) {
            memcpy(q, soa_model_configuration(m, n - 1)->q, (size_t)m->nq * sizeof *q);
        } else if (n <= 1) {
            soa_model_neutral(m, q);
        } else {
            soa_random_configuration(m, &a->seed, q);
        }
    }
}

/* Some way off, in any direction. */
void soa_sampling_go_off(const soa_closures *set, soa_sampling *a)
{
    for (int i = 0; i < set->nv; i++) {
        a->d[i] = 0.4 * soa_model_random_number(&a->seed);
    }
    soa_closures_move(set, a->q, a->d, 1.0, a->q);
}

/* The size of the next step toward rows that are satisfied, without what does not count; *left: by how much they are
 * missed, both in units of the loops. */
static double next_step(soa_closures *set, soa_sampling *a, double *left)
{
    const soa_closed_input in = { .q = a->q };
    double size = 0.0;
    *left = 0.0;
    set->table->locate(set, &in);
    soa_spectrum_make(set, true, &a->s);
    soa_spectrum_keep(set, true, &a->s);
    for (int i = 0; i < set->rows; i++) {
        a->e[i] = set->row[i].rolls ? 0.0 : set->row[i].position;
        *left += a->s.R[i] * a->s.R[i] * a->e[i] * a->e[i];
    }
    *left = sqrt(*left);
    soa_spectrum_divide(set, &a->s, a->e, a->y);
    soa_spectrum_motion(set, &a->s, a->y, a->d);
    for (int i = 0; i < set->nv; i++) {
        size = fmax(size, fabs(a->d[i]) / a->s.S[i]);
    }
    return size;
}

/* Whether the rows can be satisfied from here. */
static bool settle(soa_closures *set, soa_sampling *a)
{
    const double enough = fmax(NEARLY_CLOSED, set->tolerance.contradiction);
    double left = 0.0, before = INFINITY;
    for (int n = 0; n < MOST_STEPS; n++) {
        const double size = next_step(set, a, &left);
        if (!isfinite(size)) {
            return false;
        }
        if (size < 1e-6 && !(size < 0.1 * before)) { /* no better in double precision */
            return left < enough;
        }
        soa_closures_move(set, a->q, a->d, size > LONGEST_STEP ? -LONGEST_STEP / size : -1.0, a->q);
        before = size;
    }
    return false;
}

/* ---- singular values there ------------------------------------------------------------------------------ */

static void take_values(soa_closures *set, soa_sampling *a)
{
    const soa_closed_input in = { .q = a->q };
    set->table->locate(set, &in);
    soa_spectrum_make(set, false, &a->s);
    for (int i = 0; i < set->rows; i++) {
        const int j = a->s.order[i];
        const double *u = a->s.Q + (size_t)j * (size_t)set->rows;
        double left = 0.0;
        for (int r = 0; r < set->rows; r++) {
            left += u[r] * a->s.R[r] * set->row[r].position;
        }
        a->most[i] = fmax(a->samples == 0 ? 0.0 : a->most[i], a->s.sigma[j]);
        a->missed[i] = fmax(a->samples == 0 ? 0.0 : a->missed[i], fabs(left));
    }
    a->samples++;
}

/* Steps leave directions below the limit alone. */
static void set_limits(soa_closures *set, double limit)
{
    for (int k = 0; k < set->ranks.loops; k++) {
        set->ranks.loop[k] = (soa_loop){ .limit = limit };
    }
}

/* A step of the tree, on the memory that the samples leave; false: it cannot be made. */
static bool tree_step(soa_closures *set, const soa_sampling *a)
{
    const soa_closed_input in = { .q = a->q, .vdot = a->d, .mode = SOA_SOLVE_STEP, .target = a->e, .positions = true };
    const soa_stack all = set->stack;
    int body = -1;
    set->stack.at += all.used;
    set->stack.size -= all.used;
    const bool made = set->table->solve(set, &in, &body) < 0 && !set->stack.overflow;
    set->stack = all;
    return made;
}

bool soa_settle_tree(soa_closures *set, soa_sampling *a)
{
    const double least_pivot = set->least_pivot;
    double size = INFINITY, before = INFINITY;
    bool good = true;
    set->least_pivot = fmax(least_pivot, SOA_NEVER_COUNTS * SOA_NEVER_COUNTS);
    for (int n = 0; good && n < MOST_STEPS && (size > 1e-9 || size < 0.1 * before); n++) {
        const soa_closed_input in = { .q = a->q };
        set->table->locate(set, &in);
        for (int i = 0; i < set->rows; i++) {
            a->e[i] = set->row[i].position;
        }
        before = size;
        good = tree_step(set, a);
        size = 0.0;
        for (int i = 0; good && i < set->nv; i++) {
            size = isfinite(a->d[i]) ? fmax(size, fabs(a->d[i])) : INFINITY;
        }
        good = good && isfinite(size);
        if (good) {
            soa_closures_move(set, a->q, a->d, size > LONGEST_STEP ? LONGEST_STEP / size : 1.0, a->q);
        }
    }
    set->least_pivot = least_pivot;
    return good && size < 1e-6;
}

/* Moves q to where the rows are satisfied: all of them, or all but those that may be rounded. The tree comes near at little cost. */
static bool settle_somehow(soa_closures *set, soa_sampling *a)
{
    memcpy(a->start, a->q, (size_t)set->nq * sizeof *a->q);
    set_limits(set, SOA_NEVER_COUNTS);
    if (soa_settle_tree(set, a) && settle(set, a)) {
        return true;
    }
    memcpy(a->q, a->start, (size_t)set->nq * sizeof *a->q);
    if (settle(set, a)) {
        return true;
    }
    memcpy(a->q, a->start, (size_t)set->nq * sizeof *a->q);
    set_limits(set, fmax(SOA_CLOSURE_ACCURACY, set->tolerance.rank));
    return settle(set, a);
}

/* Goes from each start to where the rows are satisfied, and from there to two more places. */
static void take_samples(soa_closures *set, soa_sampling *a, int samples)
{
    for (int n = 0; n < 16 && a->samples < samples; n++, a->tries++) {
        soa_sampling_begin(set, a, a->tries);
        for (int more = 0; more < 3 && settle_somehow(set, a); more++) {
            take_values(set, a);
            soa_sampling_go_off(set, a);
        }
    }
}

/* Whether a value is neither clearly one that counts nor clearly none. */
static bool has_doubtful(const soa_closures *set, const soa_sampling *a)
{
    bool doubtful = false;
    for (int i = 0; a->samples > 0 && i < set->rows; i++) {
        doubtful = doubtful || (a->most[i] >= SOA_NEVER_COUNTS && a->most[i] < SOA_CLOSURE_ACCURACY);
    }
    return doubtful;
}

void soa_sample(soa_closures *set, soa_sampling *a)
{
    take_samples(set, a, SAMPLES);
    if (has_doubtful(set, a)) { /* what counts may have been near a singular position each time */
        take_samples(set, a, MORE_SAMPLES);
    }
}
