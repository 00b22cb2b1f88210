/* tests/joint/lanes.h - the kernels of spatial and joint as built for some lane width and profile. */
#ifndef SOA_TEST_LANES_H
#define SOA_TEST_LANES_H

#define LANES_IN  64   /* numbers per state that the kernels take */
#define LANES_OUT 1024 /* and at most give */

/* Applies every kernel to one block of states; number i of a lane at [i * width + lane].
 * Returns how many numbers it gives. */
typedef int lanes_run(const double *in, double *out);
typedef void lanes_sincos(const double *x, double *s, double *c);

typedef struct lanes_unit {
    const char *name;
    int width;
    int fma; /* the profile that the unit was compiled for */
    lanes_run *run;
    lanes_sincos *sincos;
} lanes_unit;

extern const lanes_unit lanes_plain_1, lanes_plain_4, lanes_plain_8;
extern const lanes_unit lanes_fma_1, lanes_fma_4, lanes_fma_8;

#endif
