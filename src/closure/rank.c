/* closure/rank.c - which rows depend on each other, but for the rounding of the numbers that describe them.
 *
 * Where a mechanism is near a singular position a row is nearly dependent on others too, and yet counts. So the question
 * is asked in several configurations that satisfy the closures, and of each singular value the largest counts: that of
 * a singular position grows elsewhere, what comes of rounding does not. */
#include <math.h>
#include <string.h>

#include "closure/spectrum.h"
#include "core/error.h"

enum { SAMPLES = 5, MORE_SAMPLES = 10, MOST_STEPS = 40 };

#define LONGEST_STEP  0.5   /* radians or lengths l */
#define SMALLEST_GAP  8.0   /* between what counts and what does not */
#define CLEARER       3.0   /* the widest gap over the next */
#define NEVER         1e-4  /* in a general configuration nothing below it counts */
#define EXACTLY       1e-6  /* a gap down to less is no wider */
#define NEARLY_CLOSED 3e-3  /* rows that are missed by more cannot be satisfied, as rounding alone would allow */
#define EXACT         1e-12 /* singular values below it are rounding here, not in the file */
#define SATISFIED     1e-13 /* rows missed by less are satisfied */

typedef struct sampling {
    soa_spectrum s;
    double *q, *d;  /* the configuration, and a step */
    double *start;  /* where it began */
    double *e, *y;  /* by row, by direction */
    double *most;   /* by place in s.order: largest of the singular values found */
    double *missed; /* by place in s.order: by how much positions are missed in that direction, at most */
    unsigned long long seed;
    int samples, tries;
} sampling;

static bool take_sampling(soa_closures *set, sampling *a)
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
static void begin_try(const soa_closures *set, sampling *a, int n)
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

static void step_by(const soa_closures *set, sampling *a, double by)
{
    for (int s = 0; s < set->systems; s++) {
        const soa_part *part = &set->part[s];
        soa_integrate(part->model, a->q + part->q, a->d + part->v, by, a->q + part->q);
    }
}

/* Some way off, in any direction. */
static void go_off(const soa_closures *set, sampling *a)
{
    for (int i = 0; i < set->nv; i++) {
        a->d[i] = 0.4 * soa_model_random_number(&a->seed);
    }
    step_by(set, a, 1.0);
}

/* The size of the next step toward rows that are satisfied, without what does not count; *left: by how much they are
 * missed, both in units of the loops. */
static double next_step(soa_closures *set, sampling *a, double *left)
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
static bool settle(soa_closures *set, sampling *a, double enough)
{
    double left = 0.0, before = INFINITY;
    for (int n = 0; n < MOST_STEPS; n++) {
        const double size = next_step(set, a, &left);
        if (!isfinite(size)) {
            return false;
        }
        if (size < 1e-6 && !(size < 0.1 * before)) { /* no better in double precision */
            return left < enough;
        }
        step_by(set, a, size > LONGEST_STEP ? -LONGEST_STEP / size : -1.0);
        before = size;
    }
    return false;
}

/* ---- singular values there ------------------------------------------------------------------------------ */

static void take_values(soa_closures *set, sampling *a)
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
    for (int k = 0; k < set->loops; k++) {
        set->loop[k] = (soa_loop){ .limit = limit };
    }
}

/* To where the rows are satisfied: all of them, or all but those that may be rounded. */
static bool settle_somehow(soa_closures *set, sampling *a)
{
    memcpy(a->start, a->q, (size_t)set->nq * sizeof *a->q);
    set_limits(set, NEVER);
    if (settle(set, a, NEARLY_CLOSED)) {
        return true;
    }
    memcpy(a->q, a->start, (size_t)set->nq * sizeof *a->q);
    set_limits(set, SOA_CLOSURE_ACCURACY);
    return settle(set, a, NEARLY_CLOSED);
}

/* From each start to where the rows are satisfied, and from there to two more places. */
static void take_samples(soa_closures *set, sampling *a, int samples)
{
    for (int n = 0; n < 16 && a->samples < samples; n++, a->tries++) {
        begin_try(set, a, a->tries);
        for (int more = 0; more < 3 && settle_somehow(set, a); more++) {
            take_values(set, a);
            go_off(set, a);
        }
    }
}

/* Whether a value is neither clearly one that counts nor clearly none. */
static bool has_doubtful(const soa_closures *set, const sampling *a)
{
    bool doubtful = false;
    for (int i = 0; a->samples > 0 && i < set->rows; i++) {
        doubtful = doubtful || (a->most[i] >= NEVER && a->most[i] < SOA_CLOSURE_ACCURACY);
    }
    return doubtful;
}

/* ---- what counts --------------------------------------------------------------------------------------------- */

/* How accurate the file is, as far as it shows: by how much rows are missed that depend on others beyond doubt. */
static double find_accuracy(const soa_closures *set, const sampling *a)
{
    double accuracy = EXACTLY;
    for (int i = 0; i < set->rows; i++) {
        accuracy = a->most[i] < NEVER ? fmax(accuracy, a->missed[i]) : accuracy;
    }
    return accuracy;
}

/* How many of `count` falling values count; -1: that is not clear. In a file that is seen to be rounded two gaps may tell
 * different things, or none does; in another a direction that is small and yet satisfied may be meant. */
static int find_gap(int count, const double *value, const double *missed, double accuracy)
{
    int best = count;
    double widest = SMALLEST_GAP, next = 1.0;
    for (int i = 1; i < count && value[i - 1] >= NEVER; i++) {
        const double gap = value[i - 1] / fmax(value[i], accuracy);
        if (value[i] < SOA_CLOSURE_ACCURACY && gap > widest) {
            next = best < count ? widest : next;
            best = i;
            widest = gap;
        } else if (value[i] < SOA_CLOSURE_ACCURACY) {
            next = fmax(next, gap);
        }
    }
    const bool small = best == count && count > 0 && value[count - 1] < SOA_CLOSURE_ACCURACY;
    const bool unclear = small || (best < count && widest < CLEARER * next);
    const bool meant = best < count && value[best] >= NEVER && missed[best] < EXACTLY;
    return accuracy > EXACTLY ? (unclear ? -1 : best) : (meant ? -1 : best);
}

/* How many values may count: those that exceed a tolerance, or stand before a gap. Beyond the number of velocities all
 * are zero, whatever the accuracy. */
static int find_rank(const soa_closures *set, const sampling *a, int loop, double accuracy)
{
    const double *value = a->most + a->s.first[loop], *missed = a->missed + a->s.first[loop];
    int velocities = 0, rank = 0, count = a->s.first[loop + 1] - a->s.first[loop];
    for (int k = 0; k < set->nodes; k++) {
        const soa_node *node = &set->node[k];
        velocities += node->loop == loop ? set->part[node->part].model->body[node->body].nv : 0;
    }
    count = count < velocities ? count : velocities;
    while (rank < count && value[rank] > set->tolerance.rank) {
        rank++;
    }
    return set->tolerance.rank > 0.0 || rank == 0 ? rank : find_gap(count, value, missed, accuracy);
}

static void rate_loop(soa_closures *set, const sampling *a, int k, double accuracy)
{
    soa_loop *loop = &set->loop[k];
    const double *value = a->most + a->s.first[k], *missed = a->missed + a->s.first[k];
    const int count = a->s.first[k + 1] - a->s.first[k], rank = find_rank(set, a, k, accuracy);
    set->undecided = set->undecided || rank < 0;
    loop->rank = rank < 0 ? count : rank;
    loop->kept = loop->rank > 0 ? value[loop->rank - 1] : 1.0;
    loop->dropped = loop->rank < count ? value[loop->rank] : 0.0;
    loop->limit = loop->rank < count ? sqrt(loop->kept * fmax(loop->dropped, 1e-13)) : EXACT;
    set->rounded = set->rounded || loop->dropped > EXACT;
    for (int i = loop->rank; i < count; i++) {
        set->rounded = set->rounded || missed[i] > SATISFIED;
    }
}

/* Notes the closures whose rows make up what does not count, or what it is undecided about. */
static void name_closures(soa_closures *set, sampling *a)
{
    memset(set->contrary, 0, (size_t)set->rows * sizeof *set->contrary);
    for (int k = 0; k < set->loops; k++) {
        for (int i = a->s.first[k]; i < a->s.first[k + 1]; i++) {
            const double *u = a->s.Q + (size_t)a->s.order[i] * (size_t)set->rows;
            const bool counts =
                a->most[i] >= SOA_CLOSURE_ACCURACY || (!set->undecided && i - a->s.first[k] < set->loop[k].rank);
            for (int r = 0; !counts && r < set->rows; r++) {
                set->contrary[r] = set->contrary[r] || fabs(u[r]) > 0.1;
            }
        }
    }
    (void)soa_list_closures(set, set->contrary, set->nearly, sizeof set->nearly);
}

/* The most rows of one loop system whose singular values are looked for: these cost the cube. */
enum { MOST_ROWS = 60 };

static bool has_large_loops(const soa_closures *set)
{
    for (int k = 0; k < set->loops; k++) {
        int rows = 0;
        for (int i = 0; i < set->rows; i++) {
            rows += set->loop_of[set->row[i].tie] == k;
        }
        if (rows > MOST_ROWS) {
            return true;
        }
    }
    return (long)set->rows * set->nv > 100000;
}

void soa_find_ranks(soa_closures *set)
{
    sampling a;
    if (set->ranked) {
        return;
    }
    soa_find_loops(set);
    set->ranked = true;
    set->rounded = set->undecided = false;
    set->nearly[0] = '\0';
    set->large = has_large_loops(set);
    if (set->rows == 0 || set->large || !take_sampling(set, &a)) {
        return;
    }
    take_samples(set, &a, SAMPLES);
    if (has_doubtful(set, &a)) { /* what counts may have been near a singular position each time */
        take_samples(set, &a, MORE_SAMPLES);
    }
    for (int k = 0; a.samples == 0 && k < set->loops; k++) { /* nothing satisfies them: all count */
        set->loop[k] = (soa_loop){ .rank = a.s.first[k + 1] - a.s.first[k], .kept = 1.0, .limit = EXACT };
    }
    const double accuracy = a.samples > 0 ? find_accuracy(set, &a) : EXACTLY;
    for (int k = 0; a.samples > 0 && k < set->loops; k++) {
        rate_loop(set, &a, k, accuracy);
    }
    if (set->rounded || set->undecided) {
        name_closures(set, &a);
    }
}

double soa_rounding(const soa_closures *set)
{
    double most = 0.0;
    for (int k = 0; set->rounded && k < set->loops; k++) {
        most = fmax(most, set->loop[k].dropped);
    }
    return most;
}

/* ---- asked ----------------------------------------------------------------------------------------------------- */

soa_status soa_closures_set_tolerances(soa_closures *set, const soa_closure_tolerances *tolerances, soa_error *error)
{
    const soa_closure_tolerances t = tolerances ? *tolerances : (soa_closure_tolerances){ 0.0, 0.0, 0.0 };
    if (!set || !(t.rank >= 0.0 && t.rank < 1.0) || !(t.contradiction >= 0.0 && t.contradiction < 1.0) ||
        !(t.velocity >= 0.0 && t.velocity < 1.0)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the tolerances of a set of closures lie between 0 and 1");
    }
    set->tolerance = t;
    set->least_pivot = t.rank > 0.0 ? fmax(t.rank * t.rank, 1e-15) : SOA_LEAST_PIVOT;
    set->ranked = set->rounded = set->undecided = set->large = false;
    return SOA_OK;
}

soa_status soa_closures_redundancy(soa_closures *set, soa_redundancy *r, soa_error *error)
{
    if (!set || !r) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the set or the result is missing");
    }
    if (!set->planned) {
        soa_plan(set);
    }
    set->solved = false;
    soa_find_ranks(set);
    *r = (soa_redundancy){ .rows = set->rows, .rounded = set->rounded, .undecided = set->undecided, .kept = 1.0 };
    for (int k = 0; k < set->loops; k++) {
        r->rank += set->loop[k].rank;
        r->kept = fmin(r->kept, set->loop[k].kept);
        r->dropped = fmax(r->dropped, set->loop[k].dropped);
    }
    memcpy(r->closures, set->nearly, sizeof r->closures);
    return SOA_OK;
}
