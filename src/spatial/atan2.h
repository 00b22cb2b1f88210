/* spatial/atan2.h - the angle of (x, y), the same bits on every machine. */
#ifndef SOA_SPATIAL_ATAN2_H
#define SOA_SPATIAL_ATAN2_H

/* In [-pi, pi], the quadrant by the signs as in the C library; error below 2
 * units in the last place. NaN if a number is NaN. */
double soa_atan2(double y, double x);

#endif
