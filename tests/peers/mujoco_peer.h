/* tests/peers/mujoco_peer.h - one model in soa and in MuJoCo.
 *
 * MuJoCo's coordinates differ from ours: joints are numbered as MuJoCo likes, a free
 * joint has q = (position, quaternion) and v = (linear in world axes, angular in body
 * axes), ours q = (quaternion, position) and v = (angular, linear), both in body axes.
 * With v' = T v (T orthogonal, ' MuJoCo's):
 *     Mass = T* Mass' T,   C = T* (C' + Mass' T_dot v),   vdot = T* (vdot' - T_dot v). */
#ifndef SOA_TESTS_PEERS_MUJOCO_PEER_H
#define SOA_TESTS_PEERS_MUJOCO_PEER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <mujoco/mujoco.h>

#include "soa/io.h"

/* MJCF text in MuJoCo; NULL and a reason if it refuses. */
mjModel *mujoco_load_text(const char *text, size_t length, char *reason, int size);

/* A file in MuJoCo, amended in memory where that cannot change a rigid body: what
 * a release does not know of actuators is blanked, and small tetrahedra stand for
 * meshes that are not there. */
mjModel *mujoco_load_file(const char *path, char *reason, int size);

/* Fails the test where the two differ by more than 1e-9 in masses, inertias, or,
 * at 20 random states, in poses, mass matrix, bias force or forward dynamics. */
void compare_models(const char *name, const soa_model *ours, mjModel *theirs);

/* Masses, centres of mass and moments of inertia. MuJoCo finds principal axes to
 * about 1e-6 only; where ours agree so far, it gets them from us to the last digit. */
void compare_inertias(const char *name, const soa_model *ours, mjModel *theirs);

/* Every named configuration has the same numbers in MuJoCo's keyframe of that name. */
void compare_keyframes(const char *name, const soa_model *ours, const mjModel *theirs);

#endif
