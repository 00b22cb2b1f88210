/* joint/rotation.h - unit quaternions w x y z and rotation vectors. */
#ifndef SOA_JOINT_ROTATION_H
#define SOA_JOINT_ROTATION_H

#include "spatial/vec3.h"

/* r = a b; r may be a or b. */
void soa_quaternion_multiply(const double a[4], const double b[4], double r[4]);

/* a^-1 b for unit quaternions */
void soa_quaternion_between(const double a[4], const double b[4], double r[4]);

/* The rotation by |u| about u. */
void soa_quaternion_exp(vec3 u, double q[4]);

/* The shortest u with exp u = q or -q; |u| <= pi. q need not be of unit length. */
vec3 soa_quaternion_log(const double q[4]);

/* q v q^-1, and q^-1 v q */
vec3 soa_quaternion_turn(const double q[4], vec3 v);
vec3 soa_quaternion_turn_back(const double q[4], vec3 v);

/* To unit length; false, q unchanged, if it is zero or not finite. */
bool soa_quaternion_normalize(double q[4]);

/* c in the rate of a rotation vector x while what it describes turns with w: dx = w + x~ w / 2 + c x~ x~ w. */
double soa_log_curve(vec3 x);

/* sin x / x, also at zero */
double soa_sinc(double x);

#endif
