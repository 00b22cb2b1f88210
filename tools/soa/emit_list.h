/* emit_list.h - what `soa emit` can write for one robot.
 *
 * Of each: its name, as in `soa compute`; in words, as in `soa bench`; how many of q, v and a third input it takes; what
 * the third one is called; its outputs with their sizes; and its equation. */
#ifndef SOA_TOOL_EMIT_LIST_H
#define SOA_TOOL_EMIT_LIST_H

/* clang-format off */
#define EMIT_LIST(X)                                                                                                             \
    X(id,             "inverse-dynamics",             3, "vdot", "tau[nv]",            "tau = Mass vdot + C(q, v)")              \
    X(fd,             "forward-dynamics",             3, "tau",  "vdot[nv]",           "vdot = Mass^-1 (tau - C(q, v))")         \
    X(closed-fd,      "closed-forward-dynamics",      3, "tau",  "vdot[nv], status[1]", "Mass vdot + C(q, v) = tau + J* lambda, J vdot + J' v = 0") \
    X(bias,           "bias-force",                   2, "",     "tau[nv]",            "tau = C(q, v), gravity included")        \
    X(gravity,        "gravity-force",                1, "",     "tau[nv]",            "tau = C(q, 0)")                          \
    X(mass,           "mass-matrix",                  1, "",     "mass[nv][nv]",       "Mass = H phi M phi* H*")                 \
    X(massinv,        "mass-inverse",                 1, "",     "massinv[nv][nv]",    "Mass^-1 = (I - H psi K)* D^-1 (I - H psi K)") \
    X(coriolis,       "coriolis-matrix",              2, "",     "coriolis[nv][nv]",   "coriolis v = C(q, v) without gravity")   \
    X(kinematics,     "kinematics",                   3, "vdot", "pose[items][12], velocity[items][6], acceleration[items][6]", "pose: rotation by rows, position; of the points --at, or of all links") \
    X(jacobian,       "jacobian",                     1, "",     "jacobian[6 points][nv]", "J: velocity of the points --at = J v") \
    X(osim,           "operational-inertia",          1, "",     "inverse[6 points][6 points], inertia[6 points][6 points]", "inverse = J Mass^-1 J*, inertia = (J Mass^-1 J*)^-1") \
    X(energy,         "energy",                       2, "",     "energy[2]",          "kinetic, potential")                     \
    X(momentum,       "momentum",                     2, "",     "momentum[12]",       "centre of mass, its velocity, momentum (angular; linear)") \
    X(centroidal,     "centroidal-matrix",            1, "",     "matrix[6][nv]",      "momentum about the centre of mass = A v") \
    X(id-derivatives, "inverse-dynamics-derivatives", 3, "vdot", "dtau_dq[nv][nv], dtau_dv[nv][nv]", "of tau = Mass vdot + C, along the velocities") \
    X(fd-derivatives, "forward-dynamics-derivatives", 3, "tau",  "vdot[nv], dvdot_dq[nv][nv], dvdot_dv[nv][nv], dvdot_dtau[nv][nv]", "of vdot = Mass^-1 (tau - C), along the velocities") \
    X(regressor,      "regressor",                    3, "vdot", "regressor[nv][10 links]", "tau = Y(q, v, vdot) pi, ten inertial parameters per link")
/* clang-format on */

#endif
