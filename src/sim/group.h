/* sim/group.h - the group of the motions of joints: what the chart q = q0 moved by x does to rates and momenta.
 *
 * [a, b] is the bracket of each joint's velocities: the cross product for spherical joints, that of twists for free ones,
 * zero where motions commute. ad_a b = [a, b]. */
#ifndef SOA_SIM_GROUP_H
#define SOA_SIM_GROUP_H

#include "soa/model.h"

/* r = v + [x, v]/2 + [x, [x, v]]/12 - [x, [x, [x, [x, v]]]]/720 of every joint: the rate of x. */
void sim_chart_rate(const soa_model *model, const double *x, const double *v, double *r);

/* r = W x = h g (x + h g G x + (h g G)^2 x + ...), G = [., v]/2, cut where h^4 begins. */
void sim_chart_solve(const soa_model *model, double hg, const double *v, const double *x, double *r);

/* r = ad_x* m, that is r.b = m.[x, b] for every b. */
void sim_dual_bracket(const soa_model *model, const double *x, const double *m, double *r);

/* r = sum over n of (ad_x*)^n m / ((1 + shift)(2 + shift) ... (n + shift)): of shift 0 the dual of Ad(exp x), of shift 1
 * that of dexp(x) = (exp(ad_x) - I)/ad_x. r must not be m. */
void sim_dual_series(const soa_model *model, int shift, const double *x, const double *m, double *r);

#endif
