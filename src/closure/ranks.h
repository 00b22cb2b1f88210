/* closure/ranks.h - what is known of the rows of closures wherever they are: which of them count.
 *
 * rank.c finds it out, once after closures have changed, and nobody else writes to it but sample.c, for its own steps. */
#ifndef SOA_CLOSURE_RANKS_H
#define SOA_CLOSURE_RANKS_H

#include "soa/closure.h"

/* Closures that share joints, and what is known of their rows wherever they are: soa_find_ranks. */
typedef struct soa_loop {
    int rank;             /* of the rows at a general configuration that satisfies them */
    double kept, dropped; /* smallest and largest singular value there of what counts and of what does not */
    double limit;         /* a direction beyond the rank counts above this */
} soa_loop;

/* What was found. */
typedef struct soa_rank_found {
    bool rounded;   /* rows depend on each other but for the rounding of the numbers that describe them */
    bool undecided; /* whether they do cannot be told */
    bool unmet;     /* no configuration that satisfies them was found */
    bool large;     /* loop systems are too large for their singular values */
    bool clear;     /* if large: pivots tell, all the same, that no row depends on others nearly */
    char nearly[SOA_CLOSURE_NOTE]; /* the closures whose rows do, or may */
} soa_rank_found;

/* What was found of a choice of enabled closures, kept for when it comes again. */
enum { SOA_RANK_NOTES = 8, SOA_NOTE_LOOPS = 32 };
typedef struct soa_rank_note {
    unsigned long long key; /* 0: none */
    soa_rank_found found;
    soa_loop loop[SOA_NOTE_LOOPS];
} soa_rank_note;

typedef struct soa_ranks {
    bool made;
    soa_rank_found found;
    int loops;
    int *loop_of;   /* by tie: the loop system that it belongs to */
    soa_loop *loop; /* by loop system */
    soa_rank_note note[SOA_RANK_NOTES];
    unsigned next_note;
    unsigned long long geometry; /* changes with closures and tolerances */
} soa_ranks;

/* Closures are others, or changed themselves. */
void soa_forget_ranks(soa_ranks *ranks, bool changed);

/* Finds out, once after closures have changed, which rows depend on each other but for rounding: rank.c. */
void soa_find_ranks(soa_closures *set);

/* The largest singular value that does not count in general configurations; 0 if none is known. */
double soa_rounding(const soa_ranks *ranks);

#endif
