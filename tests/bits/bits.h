/* tests/bits/bits.h - hashes of what every algorithm computes, one row per model and algorithm.
 *
 * An algorithm is run in several ways (lanes, states one by one, threads) that promise the same bits. A row has the hash of the
 * first way and names the ways that differ from it. Rows belong to areas. */
#ifndef SOA_TESTS_BITS_H
#define SOA_TESTS_BITS_H

#include <stdbool.h>
#include <stddef.h>

#include "soa/soa.h"

/* ---- ways to run ------------------------------------------------------------------------------ */

typedef struct way {
    const char *name;
    int lanes;
    bool singly;  /* one call per state */
    bool threads; /* by a batch of three threads */
} way;

enum { WAYS = 6 };
extern const way WAY[WAYS];

/* Whether an algorithm is run this way: large models leave out ways that show little that others do not. */
bool way_counts(const soa_model *model, const way *w, int widest);

/* ---- hashes ----------------------------------------------------------------------------------- */

typedef unsigned long long hash;

/* Where a hash begins: with the status of the call. */
hash hash_begin(soa_status status);

/* Hashes numbers too. All NaNs count as one, since processors differ in their signs. */
hash hash_numbers(hash h, size_t n, const double *x);

/* Hashes numbers rounded to about six digits of the largest: what functions of libm take part in, whose last bits differ between
 * machines. */
hash hash_rounded(hash h, size_t n, const double *x);

/* ---- rows ------------------------------------------------------------------------------------- */

/* One row, of the ways for which done is true. A status that is no result (neither success nor singular nor rows that contradict) stands in place of the
 * hash. */
void print_row(const char *model, const char *algorithm, const bool *done, const hash *h, soa_status status);

/* A row of an algorithm that runs in one way. */
void print_single(const char *model, const char *algorithm, soa_status status, hash h);

/* Makes the rows of an area; they are printed if `shown`. */
void rows_begin(const char *area, bool shown);

/* The rows of the area so far, in two hashes each: one of their model, one of their algorithm. */
int rows_count(void);

/* Writes the hashes of the area. */
void rows_write(void *file);

/* Compares the hashes of the area with those in a file, and names those that differ. Returns how many do. */
int rows_compare(void *file);

/* ---- numbers ------------------------------------------------------------------------------------ */

/* Ends the program. */
void bits_fail(const char *text);

/* n numbers, set to zero; the program ends if there is no memory. */
double *bits_numbers(size_t n);

/* Ends the program if what stands behind the numbers was written. */
void bits_free(double *x);

/* Puts a mark behind a result that is to be made in a larger array, and looks for it afterwards. */
double bits_mark(double *x);
void bits_unmark(double *x, double kept);
void bits_random(unsigned long long *seed, size_t n, double *x);
soa_pose bits_pose(unsigned long long *seed, double far);
soa_model *bits_model(const char *name);
void bits_points(const soa_model *model, unsigned long long *seed, int points, soa_point *point);

/* ---- simulations --------------------------------------------------------------------------------- */

/* Hashes where a simulation has arrived: q, v and signals, rounded. */
hash hash_sim(hash h, const soa_model *model, soa_sim *sim);

/* A row of a simulation that is saved half way, taken up by a second one and ends at `end`. */
void bits_run(const char *name, const char *algorithm, const soa_model *model, const soa_sim_setup *setup, double end);

/* ---- the rows of a model -------------------------------------------------------------------------- */

void bits_dynamics(const char *name, const soa_model *model);
void bits_derivatives(const char *name, const soa_model *model);
void bits_operators(const char *name, const soa_model *model);
void bits_expressions(const char *name, const soa_model *model);
void bits_models(const char *name, const soa_model *model);
void bits_forces(const char *name, const soa_model *model);
void bits_system(const char *name, const soa_model *model);

/* ---- the rows of an area ---------------------------------------------------------------------------- */

void bits_spatial(void);
void bits_closures(void);
void bits_grasps(void);
void bits_flexible_closures(void);
void bits_flex(void);
void bits_errors(void);
void bits_singular(void);
void bits_simulation(void);
void bits_control(void);
void bits_events(void);

#endif
