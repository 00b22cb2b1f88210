/* expr/derive.h - derivatives along a coordinate: the rule of products.
 *
 * Operators are meant as their matrices in the frames of the links, where M is constant. The
 * derivatives of E_phi, H, P, R, B, ... are letters; those of all others follow:
 *     d phi = phi dE_phi phi,  d psi = psi dE_psi psi,  d X^-1 = -X^-1 dX X^-1
 * Given vectors and operators of the user do not depend on q. */
#ifndef SOA_EXPR_DERIVE_H
#define SOA_EXPR_DERIVE_H

#include "expr/theory.h"

/* d a / d coordinate, multiplied out. */
soa_poly soa_theory_derivative(soa_theory *theory, soa_poly a, const soa_term *coordinate);

#endif
