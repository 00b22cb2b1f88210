/* closure/rank.c - which rows depend on each other, but for the rounding of the numbers that describe them.
 *
 * Where a mechanism is near a singular position a row is nearly dependent on others too, and yet counts. So the question
 * is asked in several configurations that satisfy the closures, and of each singular value the largest counts: that of
 * a singular position grows elsewhere, what comes of rounding does not. */
#include <math.h>
#include <string.h>

#include "closure/spectrum.h"
#include "core/error.h"

#define SMALLEST_GAP 8.0   /* between what counts and what does not */
#define CLEARER      3.0   /* the widest gap over the next */
#define EXACTLY      1e-6  /* a gap down to less is no wider */
#define EXACT        1e-12 /* singular values below it are rounding here, not in the file */
#define SATISFIED    1e-13 /* rows missed by less are satisfied */

/* ---- what counts --------------------------------------------------------------------------------------------- */

/* How accurate the file is, as far as it shows: by how much rows are missed that depend on others beyond doubt. */
static double find_accuracy(const soa_closures *set, const soa_sampling *a)
{
    double accuracy = EXACTLY;
    for (int i = 0; i < set->rows; i++) {
        accuracy = a->most[i] < SOA_NEVER_COUNTS ? fmax(accuracy, a->missed[i]) : accuracy;
    }
    return accuracy;
}

/* How many of `count` falling values count; -1: that is not clear. In a file that is seen to be rounded two gaps may tell
 * different things, or none does; in another a direction that is small and yet satisfied may be meant. */
static int find_gap(int count, const double *value, const double *missed, double accuracy)
{
    int best = count;
    double widest = SMALLEST_GAP, next = 1.0;
    for (int i = 1; i < count && value[i - 1] >= SOA_NEVER_COUNTS; i++) {
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
    const bool meant = best < count && value[best] >= SOA_NEVER_COUNTS && missed[best] < EXACTLY;
    return accuracy > EXACTLY ? (unclear ? -1 : best) : (meant ? -1 : best);
}

/* How many values may count: those that exceed a tolerance, or stand before a gap. Beyond the number of velocities all
 * are zero, whatever the accuracy. */
static int find_rank(const soa_closures *set, const soa_sampling *a, int loop, double accuracy)
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

static void rate_loop(soa_closures *set, const soa_sampling *a, int k, double accuracy)
{
    soa_loop *loop = &set->ranks.loop[k];
    const double *value = a->most + a->s.first[k], *missed = a->missed + a->s.first[k];
    const int count = a->s.first[k + 1] - a->s.first[k], rank = find_rank(set, a, k, accuracy);
    set->ranks.found.undecided = set->ranks.found.undecided || rank < 0;
    loop->rank = rank < 0 ? count : rank;
    loop->kept = loop->rank > 0 ? value[loop->rank - 1] : 1.0;
    loop->dropped = loop->rank < count ? value[loop->rank] : 0.0;
    loop->limit = loop->rank < count ? sqrt(loop->kept * fmax(loop->dropped, 1e-13)) : EXACT;
    set->ranks.found.rounded = set->ranks.found.rounded || loop->dropped > EXACT;
    for (int i = loop->rank; i < count; i++) {
        set->ranks.found.rounded = set->ranks.found.rounded || missed[i] > SATISFIED;
    }
}

/* Notes the closures whose rows make up what does not count, or what it is undecided about. */
static void name_closures(soa_closures *set, soa_sampling *a)
{
    memset(set->last.contrary, 0, (size_t)set->rows * sizeof *set->last.contrary);
    for (int k = 0; k < set->ranks.loops; k++) {
        for (int i = a->s.first[k]; i < a->s.first[k + 1]; i++) {
            const double *u = a->s.Q + (size_t)a->s.order[i] * (size_t)set->rows;
            const bool counts = a->most[i] >= SOA_CLOSURE_ACCURACY ||
                                (!set->ranks.found.undecided && i - a->s.first[k] < set->ranks.loop[k].rank);
            for (int r = 0; !counts && r < set->rows; r++) {
                set->last.contrary[r] = set->last.contrary[r] || fabs(u[r]) > 0.1;
            }
        }
    }
    (void)soa_list_closures(set, set->last.contrary, set->ranks.found.nearly, sizeof set->ranks.found.nearly);
}

/* ---- large systems ----------------------------------------------------------------------------------------- */

/* The most rows of one loop system whose singular values are looked for: these cost the cube. */
enum { MOST_ROWS = 60, TRIES = 8 };

static bool has_large_loops(const soa_closures *set)
{
    for (int k = 0; k < set->ranks.loops; k++) {
        int rows = 0;
        for (int i = 0; i < set->rows; i++) {
            rows += set->ranks.loop_of[set->row[i].tie] == k;
        }
        if (rows > MOST_ROWS) {
            return true;
        }
    }
    return (long)set->rows * set->nv > 100000;
}

/* What the last solution of the tree says of each loop system. */
static void rate_by_solution(soa_closures *set)
{
    soa_dependent_rows(set, set->last.depends);
    for (int k = 0; k < set->ranks.loops; k++) {
        set->ranks.loop[k] = (soa_loop){ .kept = sqrt(fmin(1.0, set->last.smallest_pivot)), .limit = EXACT };
    }
    for (int i = 0; i < set->rows; i++) {
        set->ranks.loop[set->ranks.loop_of[set->row[i].tie]].rank += !set->last.depends[i];
    }
}

/* Pivots are squares of singular values, about. If they are large in one configuration that satisfies the rows, or nothing
 * at all, it is clear what counts. */
static void rate_by_pivots(soa_closures *set)
{
    soa_sampling a = { .seed = 20 };
    soa_stack_begin(&set->stack);
    a.q = soa_stack_take(&set->stack, (size_t)set->nq, sizeof(double));
    a.d = soa_stack_take(&set->stack, (size_t)set->nv, sizeof(double));
    a.e = soa_stack_take(&set->stack, (size_t)set->rows, sizeof(double));
    for (int n = 0; n < TRIES && !set->stack.overflow && !set->ranks.found.clear; n++) {
        soa_sampling_begin(set, &a, n / 2);
        if (n % 2 == 1) {
            soa_sampling_go_off(set, &a);
        }
        if (soa_settle_tree(set, &a) && set->last.smallest_pivot > SOA_UNCLEAR_PIVOT &&
            set->last.dropped_pivot < SOA_DROPPED_PIVOT) {
            set->ranks.found.clear = true;
            rate_by_solution(set);
        }
    }
}

/* ---- all ---------------------------------------------------------------------------------------------------- */

static void rate_by_spectrum(soa_closures *set)
{
    soa_sampling a;
    if (!soa_sampling_take(set, &a)) {
        return;
    }
    soa_sample(set, &a);
    set->ranks.found.unmet = a.samples == 0;
    for (int k = 0; a.samples == 0 && k < set->ranks.loops; k++) { /* nothing satisfies them: all count */
        set->ranks.loop[k] = (soa_loop){ .rank = a.s.first[k + 1] - a.s.first[k], .kept = 1.0, .limit = EXACT };
    }
    const double accuracy = a.samples > 0 ? find_accuracy(set, &a) : EXACTLY;
    for (int k = 0; a.samples > 0 && k < set->ranks.loops; k++) {
        rate_loop(set, &a, k, accuracy);
    }
    if (set->ranks.found.rounded || set->ranks.found.undecided) {
        name_closures(set, &a);
    }
}

/* What was found out of these closures before; NULL: nothing. */
static const soa_rank_note *find_note(const soa_ranks *ranks, unsigned long long key)
{
    for (int i = 0; i < SOA_RANK_NOTES; i++) {
        if (ranks->note[i].key == key) {
            return &ranks->note[i];
        }
    }
    return NULL;
}

/* Names the enabled closures as they are. */
static unsigned long long key_of(const soa_closures *set)
{
    unsigned long long key = 14695981039346656037ull + set->ranks.geometry;
    for (int i = 0; i < set->ties; i++) {
        key = (key ^ (set->tie[i].enabled ? 2ull * (unsigned)i + 1 : 0)) * 1099511628211ull;
    }
    return key == 0 ? 1 : key;
}

static void take_note(soa_ranks *ranks, unsigned long long key)
{
    if (ranks->loops <= SOA_NOTE_LOOPS) {
        soa_rank_note *note = &ranks->note[ranks->next_note++ % SOA_RANK_NOTES];
        note->key = key;
        note->found = ranks->found;
        memcpy(note->loop, ranks->loop, (size_t)ranks->loops * sizeof *ranks->loop);
    }
}

void soa_forget_ranks(soa_ranks *ranks, bool changed)
{
    ranks->made = false;
    ranks->found = (soa_rank_found){ .rounded = false };
    ranks->geometry += changed;
}

void soa_find_ranks(soa_closures *set)
{
    soa_ranks *ranks = &set->ranks;
    if (ranks->made) {
        return;
    }
    soa_forget_ranks(ranks, false);
    soa_find_loops(set);
    ranks->made = true;
    const unsigned long long key = key_of(set);
    const soa_rank_note *note = find_note(ranks, key);
    if (note) {
        ranks->found = note->found;
        memcpy(ranks->loop, note->loop, (size_t)ranks->loops * sizeof *ranks->loop);
        return;
    }
    ranks->found.large = has_large_loops(set);
    if (set->rows > 0) {
        (ranks->found.large ? rate_by_pivots : rate_by_spectrum)(set);
    }
    take_note(ranks, key);
}

double soa_rounding(const soa_ranks *ranks)
{
    double most = 0.0;
    for (int k = 0; ranks->found.rounded && k < ranks->loops; k++) {
        most = fmax(most, ranks->loop[k].dropped);
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
    soa_forget_ranks(&set->ranks, true);
    return SOA_OK;
}

soa_status soa_closures_redundancy(soa_closures *set, soa_redundancy *r, soa_error *error)
{
    if (!set || !r) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the set or the result is missing");
    }
    if (!set->plan.made) {
        soa_plan_closures(set);
    }
    soa_find_ranks(set);
    *r = (soa_redundancy){ .rows = set->rows,
        .rounded = set->ranks.found.rounded,
        .undecided = set->ranks.found.undecided,
        .unmet = set->ranks.found.unmet,
        .kept = 1.0 };
    for (int k = 0; k < set->ranks.loops; k++) {
        r->rank += set->ranks.loop[k].rank;
        r->kept = fmin(r->kept, set->ranks.loop[k].kept);
        r->dropped = fmax(r->dropped, set->ranks.loop[k].dropped);
    }
    memcpy(r->closures, set->ranks.found.nearly, sizeof r->closures);
    return SOA_OK;
}
