/* closure/spectrum.h - the singular values of the rows, in physical units, and what follows from them.
 *
 * Closures that share joints form a loop system; loop systems have nothing to do with each other. With l the longest
 * lever in a loop system, rows are taken in units of l (metres over l, radians) and so are velocities:
 *     R J S = U Sigma V*
 * A geometry that is written to a relative accuracy has Sigma to that accuracy. Directions U that are dropped count as
 * zero; what is left is R^-1 U_k Sigma_k V_k* S^-1, the nearest rows that depend on each other exactly. */
#ifndef SOA_CLOSURE_SPECTRUM_H
#define SOA_CLOSURE_SPECTRUM_H

#include "closure/closure.h"

typedef struct soa_spectrum {
    double *G;          /* rows x nv: sigma_j v_j*, where the rows of R J S were */
    double *Q;          /* rows x rows: row j is the left vector u_j */
    double *sigma;      /* by j, as part of the largest of its loop system */
    double *size;       /* by j, the norm of row j of G */
    double *R, *S;      /* by row, by velocity */
    double *length;     /* by loop system: l */
    bool *kept;         /* by j */
    int *order;         /* j by falling sigma, loop system after loop system */
    int *first;         /* by loop system, and one more: its first place in order */
    int count;          /* kept */
    double least, most; /* smallest kept, largest dropped sigma */
} soa_spectrum;

/* Which closures share joints; called when they have changed. */
void soa_find_loops(soa_closures *set);

/* Takes the room of a spectrum: all that is left on the stack of the fronts; false: too little. */
bool soa_spectrum_take(soa_closures *set, soa_spectrum *s);

/* The spectrum at the state that `locate` has seen. positions: rows that have none count as zero. */
void soa_spectrum_make(soa_closures *set, bool positions, soa_spectrum *s);

/* Which directions are kept, by what soa_find_ranks found. positions: rows that have none count as zero. */
void soa_spectrum_keep(const soa_closures *set, bool positions, soa_spectrum *s);

/* x (by row) becomes U_k* R x by kept direction over sigma, zero for the others. */
void soa_spectrum_divide(const soa_closures *set, const soa_spectrum *s, const double *x, double *y);

/* d (nv) = S V_k y */
void soa_spectrum_motion(const soa_closures *set, const soa_spectrum *s, const double *y, double *d);

/* J (rows x nv) becomes the nearest that has the directions kept alone. */
void soa_spectrum_truncate(const soa_closures *set, const soa_spectrum *s, double *J);

/* ---- sample.c ---------------------------------------------------------------------------------- */

/* In a general configuration no singular value below this counts. */
#define SOA_NEVER_COUNTS 1e-4

typedef struct soa_sampling {
    soa_spectrum s;
    double *q, *d;  /* the configuration, and a step */
    double *start;  /* where it began */
    double *e, *y;  /* by row, by direction */
    double *most;   /* by place in s.order: largest of the singular values found */
    double *missed; /* by place in s.order: by how much positions are missed in that direction, at most */
    unsigned long long seed;
    int samples, tries;
} soa_sampling;

/* Takes the room of a sampling from the stack of the fronts; false: too little. */
bool soa_sampling_take(soa_closures *set, soa_sampling *a);

/* Configurations that satisfy the rows, and the singular values there. */
void soa_sample(soa_closures *set, soa_sampling *a);

/* a->q: where try n begins; some way off, in any direction; to where the rows are satisfied, by the tree, which leaves out
 * rows that never count: false if it does not come there. Of a only q, d, e and the seed are used. */
void soa_sampling_begin(const soa_closures *set, soa_sampling *a, int n);
void soa_sampling_go_off(const soa_closures *set, soa_sampling *a);
bool soa_settle_tree(soa_closures *set, soa_sampling *a);

#endif
