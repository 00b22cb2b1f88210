/* Models with flexible links against the mechanics of their particles (particles.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "flex/sample.h"

enum { TREES = 100 };

/* Inverse and forward dynamics in all variants, Mass, its products and its inverse. */
static void dynamics_of_particles(void **state)
{
    (void)state;
    for (int i = 0; i < TREES; i++) {
        sample s = sample_open(1000u + (unsigned)i, i % 3 == 0);
        soa_model *m = s.t.model;
        double y[MOST * MOST], z[MOST * MOST], one[MOST * MOST];
        OK(soa_inverse_dynamics(m, s.w, 1, s.q, s.v, s.vd, NULL, y, &s.error));
        near_all("T", i, s.nv, y, s.T, 1e-11);
        for (int method = SOA_FD_FASTEST; method <= SOA_FD4; method++) {
            OK(soa_forward_dynamics_by(m, s.w, (soa_method)method, 1, s.q, s.v, s.T, NULL, y, &s.error));
            near_all("vdot", i, s.nv, y, s.vd, 1e-9);
        }
        OK(soa_mass_matrix(m, s.w, 1, s.q, y, &s.error));
        near_all("Mass", i, s.nv * s.nv, y, s.mass, 1e-12);
        OK(soa_mass_inverse(m, s.w, 1, s.q, y, &s.error));
        for (int r = 0; r < s.nv * s.nv; r++) {
            z[r] = 0.0;
            for (int k = 0; k < s.nv; k++) {
                z[r] += y[r / s.nv * s.nv + k] * s.mass[k * s.nv + r % s.nv];
            }
            one[r] = r / s.nv == r % s.nv;
        }
        near_all("Mass^-1 Mass", i, s.nv * s.nv, z, one, 1e-9);
        sample_close(&s);
    }
}

/* Kinetic energy, energy balance, hybrid dynamics, the Coriolis matrix. */
static void energies_of_particles(void **state)
{
    (void)state;
    for (int i = 0; i < TREES; i++) {
        sample s = sample_open(2000u + (unsigned)i, i % 3 == 0);
        soa_model *m = s.t.model;
        double energy[2], kinetic = 0.0, y[MOST * MOST], T[MOST], vd[MOST], C[MOST];
        bool given[MOST];
        for (int r = 0; r < s.nv; r++) {
            for (int k = 0; k < s.nv; k++) {
                kinetic += 0.5 * s.mass[r * s.nv + k] * s.v[r] * s.v[k];
            }
        }
        OK(soa_energy(m, s.w, 1, s.q, s.v, energy, &s.error));
        near_all("kinetic energy", i, 1, energy, &kinetic, 1e-12);
        for (int k = 0; k < soa_model_bodies(m); k++) {
            const soa_body body = soa_model_body(m, k);
            for (int r = 0; r < body.nv; r++) {
                given[body.v + r] = (k + i) % 2 == 0;
                T[body.v + r] = given[body.v + r] ? 0.0 : s.T[body.v + r];
                vd[body.v + r] = given[body.v + r] ? s.vd[body.v + r] : 0.0;
            }
        }
        OK(soa_hybrid_dynamics(m, s.w, given, 1, s.q, s.v, NULL, T, vd, &s.error));
        near_all("hybrid T", i, s.nv, T, s.T, 1e-9);
        near_all("hybrid vdot", i, s.nv, vd, s.vd, 1e-9);
        soa_model *still;
        double none[3] = { 0.0 };
        OK(soa_model_with_gravity(m, none, &still, &s.error));
        soa_workspace *w;
        OK(soa_workspace_new(still, NULL, &w, &s.error));
        OK(soa_inverse_dynamics(still, w, 1, s.q, s.v, NULL, NULL, C, &s.error));
        OK(soa_coriolis_matrix(still, w, 1, s.q, s.v, y, &s.error));
        const double h = 1e-5;
        double q2[MOST], ahead[MOST * MOST], behind[MOST * MOST], skew[MOST * MOST], zero[MOST * MOST] = { 0.0 };
        soa_integrate(m, s.q, s.v, h, q2);
        OK(soa_mass_matrix(m, s.w, 1, q2, ahead, &s.error));
        soa_integrate(m, s.q, s.v, -h, q2);
        OK(soa_mass_matrix(m, s.w, 1, q2, behind, &s.error));
        for (int r = 0; r < s.nv; r++) {
            T[r] = 0.0;
            for (int k = 0; k < s.nv; k++) {
                const int a = r * s.nv + k, b = k * s.nv + r;
                T[r] += y[a] * s.v[k];
                skew[a] = (ahead[a] - behind[a]) / (2.0 * h) - y[a] - y[b];
            }
        }
        near_all("C v", i, s.nv, T, C, 1e-11);
        near_all("dMass/dt - C - C*", i, s.nv * s.nv, skew, zero, 1e-5);
        soa_workspace_free(w);
        soa_model_free(still);
        sample_close(&s);
    }
}

/* Nodes and links: poses, velocities, accelerations, Jacobians and their rates, operational inertia. */
static void points_of_particles(void **state)
{
    (void)state;
    for (int i = 0; i < TREES; i++) {
        sample s = sample_open(3000u + (unsigned)i, i % 3 == 0);
        soa_model *m = s.t.model;
        soa_point point[2] = { { s.t.links - 1, soa_pose_identity() }, { 1, soa_pose_identity(), 1 + i % NODES } };
        double pose[24], velocity[12], acceleration[12], J[12 * MOST], Jd[12 * MOST], ahead[12 * MOST],
            behind[12 * MOST];
        OK(soa_point_kinematics(m, s.w, 2, point, 1, s.q, s.v, s.vd, pose, velocity, acceleration, &s.error));
        for (int p = 0; p < 2; p++) {
            const motionless now = { s.q, s.v, s.vd };
            place3 at = link_place(&s.t, point[p].link, &now);
            if (point[p].node > 0) {
                const place3 node = node_place3(&s.t, point[p].link, point[p].node, &now);
                at = place_then(&at, &node);
            }
            const double expected[3][3] = { { at.p[0].x, at.p[1].x, at.p[2].x }, { at.p[0].d, at.p[1].d, at.p[2].d },
                { at.p[0].dd, at.p[1].dd, at.p[2].dd } };
            near_all("position", i, 3, pose + 12 * p + 9, expected[0], 1e-12);
            near_all("velocity", i, 3, velocity + 6 * p + 3, expected[1], 1e-12);
            near_all("acceleration", i, 3, acceleration + 6 * p + 3, expected[2], 1e-11);
            double w[3] = { 0.0 }; /* R_dot R* = w~ */
            for (int k = 0; k < 3; k++) {
                w[0] += at.R[2][k].d * at.R[1][k].x;
                w[1] += at.R[0][k].d * at.R[2][k].x;
                w[2] += at.R[1][k].d * at.R[0][k].x;
            }
            near_all("angular velocity", i, 3, velocity + 6 * p, w, 1e-12);
        }
        for (int axes = SOA_AXES_MIXED; axes <= SOA_AXES_WORLD; axes++) {
            const double h = 1e-5;
            double q2[MOST];
            OK(soa_jacobian(m, s.w, 2, point, (soa_axes)axes, 1, s.q, J, &s.error));
            OK(soa_jacobian_rate(m, s.w, 2, point, (soa_axes)axes, 1, s.q, s.v, Jd, &s.error));
            soa_integrate(m, s.q, s.v, h, q2);
            OK(soa_jacobian(m, s.w, 2, point, (soa_axes)axes, 1, q2, ahead, &s.error));
            soa_integrate(m, s.q, s.v, -h, q2);
            OK(soa_jacobian(m, s.w, 2, point, (soa_axes)axes, 1, q2, behind, &s.error));
            for (int r = 0; r < 12 * s.nv; r++) {
                ahead[r] = (ahead[r] - behind[r]) / (2.0 * h);
            }
            near_all("dJ/dt", i, 12 * s.nv, Jd, ahead, 1e-6);
            for (int r = 0; axes == SOA_AXES_MIXED && r < 12; r++) {
                double sum = 0.0;
                for (int k = 0; k < s.nv; k++) {
                    sum += J[r * s.nv + k] * s.v[k];
                }
                near_all("J v", i, 1, &sum, &velocity[r], 1e-11);
            }
        }
        OK(soa_jacobian(m, s.w, 2, point, SOA_AXES_MIXED, 1, s.q, J, &s.error));
        double lambda[144], inverse[MOST * MOST], expected[144];
        OK(soa_mass_inverse(m, s.w, 1, s.q, inverse, &s.error));
        OK(soa_operational_inertia(m, s.w, 2, point, 1, s.q, lambda, NULL, &s.error));
        for (int r = 0; r < 144; r++) {
            expected[r] = 0.0;
            for (int a = 0; a < s.nv; a++) {
                for (int b = 0; b < s.nv; b++) {
                    expected[r] += J[r / 12 * s.nv + a] * inverse[a * s.nv + b] * J[r % 12 * s.nv + b];
                }
            }
        }
        near_all("Lambda", i, 144, lambda, expected, 1e-10);
        sample_close(&s);
    }
}

/* The equation of motion at points of flexible links, and what forces there change: with vdot, T and Mass of the particles
 *     inertia (J vdot + Jdot v) + coriolis + gravity = inertia J Mass^-1 T,   Mass vdot_change = -J* f. */
static void operational_space_of_particles(void **state)
{
    (void)state;
    for (int i = 0; i < TREES / 4; i++) {
        sample s = sample_open(5000u + (unsigned)i, true);
        soa_model *m = s.t.model;
        const int last = soa_model_links(m) - 1;
        const soa_point point = { last, soa_pose_identity(), soa_model_link(m, last)->flexible ? 1 : 0 };
        double J[6 * MOST], bias[6], lambda[36], inertia[36], coriolis[6], gravity[6], free[MOST], change[MOST];
        double left[6], right[6] = { 0.0 }, force[MOST], J_f[MOST];
        const double f[6] = { 1.0, -2.0, 0.5, 3.0, 1.5, -1.0 };
        OK(soa_jacobian(m, s.w, 1, &point, SOA_AXES_MIXED, 1, s.q, J, &s.error));
        OK(soa_jacobian_bias(m, s.w, 1, &point, 1, s.q, s.v, bias, &s.error));
        OK(soa_operational_inertia(m, s.w, 1, &point, 1, s.q, lambda, inertia, &s.error));
        OK(soa_operational_bias(m, s.w, 1, &point, 1, s.q, s.v, inertia, coriolis, gravity, &s.error));
        OK(soa_mass_solve(m, s.w, 1, s.q, s.T, free, &s.error));
        OK(soa_point_correction(m, s.w, 1, &point, 1, s.q, f, change, &s.error));
        for (int r = 0; r < 6; r++) {
            left[r] = coriolis[r] + gravity[r];
            for (int c = 0; c < 6; c++) {
                double moves = bias[c], pushed = 0.0;
                for (int k = 0; k < s.nv; k++) {
                    moves += J[c * s.nv + k] * s.vd[k];
                    pushed += J[c * s.nv + k] * free[k];
                }
                left[r] += inertia[6 * r + c] * moves;
                right[r] += inertia[6 * r + c] * pushed;
            }
        }
        near_all("operational space", i, 6, left, right, 1e-8);
        for (int k = 0; k < s.nv; k++) {
            force[k] = J_f[k] = 0.0;
            for (int r = 0; r < s.nv; r++) {
                force[k] -= s.mass[k * s.nv + r] * change[r];
            }
            for (int r = 0; r < 6; r++) {
                J_f[k] += J[r * s.nv + k] * f[r];
            }
        }
        near_all("J* f", i, s.nv, force, J_f, 1e-9);
        sample_close(&s);
    }
}

/* Rows of modes are taken in packs of four, of which few or many are full: with any number of modes T = Mass vdot + C,
 * vdot follows from T, the kinetic energy is that of Mass, and one state has the bits of states in lanes. */
static void any_number_of_modes(void **state)
{
    (void)state;
    static const int modes[] = { 1, 2, 3, 4, 5, 8, 9, 12, 13, 16, 17, 20, 33 };
    enum { ROOM = 2 * 34, STATES = 8 };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        char name[32];
        soa_model *m;
        soa_workspace *w;
        soa_error error;
        static double q[STATES * ROOM], v[STATES * ROOM], a[STATES * ROOM], T[STATES * ROOM], one[ROOM], C[ROOM];
        static double back[STATES * ROOM], mass[ROOM * ROOM];
        double energy[2], kinetic = 0.0;
        unsigned long long seed = 50 + i;
        snprintf(name, sizeof name, "flexible-chain:2,%d", modes[i]);
        OK(soa_model_builtin(name, NULL, &m, &error));
        OK(soa_workspace_new(m, NULL, &w, &error));
        const int nq = soa_model_nq(m), nv = soa_model_nv(m);
        assert_true(nq <= ROOM && nv <= ROOM);
        for (int k = 0; k < STATES; k++) {
            soa_random_configuration(m, &seed, q + k * nq);
            for (int r = 0; r < nv; r++) {
                v[k * nv + r] = rnd(&seed);
                a[k * nv + r] = rnd(&seed);
            }
        }
        OK(soa_inverse_dynamics(m, w, STATES, q, v, a, NULL, T, &error));
        OK(soa_forward_dynamics(m, w, STATES, q, v, T, NULL, back, &error));
        near_all("vdot", modes[i], STATES * nv, back, a, 1e-3); /* the condition of Mass with 33 modes is 1e11 */
        OK(soa_inverse_dynamics(m, w, 1, q, v, a, NULL, one, &error));
        assert_memory_equal(one, T, (size_t)nv * sizeof *T);
        OK(soa_forward_dynamics(m, w, 1, q, v, T, NULL, one, &error));
        assert_memory_equal(one, back, (size_t)nv * sizeof *back);
        OK(soa_mass_matrix(m, w, 1, q, mass, &error));
        OK(soa_inverse_dynamics(m, w, 1, q, v, NULL, NULL, C, &error));
        for (int r = 0; r < nv; r++) {
            for (int k = 0; k < nv; k++) {
                C[r] += mass[r * nv + k] * a[k];
                kinetic += 0.5 * v[r] * mass[r * nv + k] * v[k];
            }
        }
        near_all("Mass vdot + C", modes[i], nv, C, T, 1e-11);
        OK(soa_energy(m, w, 1, q, v, energy, &error));
        near_all("kinetic energy", modes[i], 1, energy, &kinetic, 1e-12);
        soa_workspace_free(w);
        soa_model_free(m);
    }
}

/* Products with Mass and Mass^-1, and forces on bodies: T with them is T - J* f. */
static void forces_and_products(void **state)
{
    (void)state;
    int held = 0;
    for (int i = 0; i < TREES / 4; i++) {
        sample s = sample_open(4000u + (unsigned)i, i % 3 == 0);
        soa_model *m = s.t.model;
        double y[MOST], expected[MOST], f[6 * MOST], J[6 * MOST];
        OK(soa_mass_multiply(m, s.w, 1, s.q, s.v, y, &s.error));
        for (int r = 0; r < s.nv; r++) {
            expected[r] = 0.0;
            for (int k = 0; k < s.nv; k++) {
                expected[r] += s.mass[r * s.nv + k] * s.v[k];
            }
        }
        near_all("Mass v", i, s.nv, y, expected, 1e-12);
        OK(soa_mass_solve(m, s.w, 1, s.q, expected, y, &s.error));
        near_all("Mass^-1 Mass v", i, s.nv, y, s.v, 1e-9);
        memcpy(expected, s.T, sizeof expected);
        const int bodies = soa_model_bodies(m);
        for (int k = 0; k < bodies; k++) {
            const soa_body body = soa_model_body(m, k);
            const soa_link *link = soa_model_link(m, body.link);
            soa_point origin = { body.link, soa_pose_identity(), SOA_LINK_FRAME };
            if (body.links + body.nv == 0) { /* it holds a rotor */
                origin = (soa_point){ link->parent, soa_pose_identity(), link->node };
                held++;
            }
            OK(soa_jacobian(m, s.w, 1, &origin, SOA_AXES_MIXED, 1, s.q, J, &s.error));
            for (int r = 0; r < 6; r++) {
                f[6 * k + r] = sin(1.0 + 7.0 * k + 3.0 * r + i);
                for (int c = 0; c < s.nv; c++) {
                    expected[c] -= J[r * s.nv + c] * f[6 * k + r];
                }
            }
        }
        OK(soa_inverse_dynamics(m, s.w, 1, s.q, s.v, s.vd, f, y, &s.error));
        near_all("T - J* f", i, s.nv, y, expected, 1e-10);
        OK(soa_forward_dynamics(m, s.w, 1, s.q, s.v, expected, f, y, &s.error));
        near_all("vdot with f", i, s.nv, y, s.vd, 1e-9);
        sample_close(&s);
    }
    assert_true(held > 2);
}

/* At rest the force at the one joint on the world bears the weight of all that is not welded to the world. */
static void joints_bear_the_weight(void **state)
{
    (void)state;
    int seen = 0;
    for (int i = 0; i < TREES / 4; i++) {
        sample s = sample_open(5000u + (unsigned)i, false);
        double f[6 * MOST], gravity[3], square = 0.0, weight = 0.0;
        int roots = 0, root = 0;
        for (int k = 0; k < soa_model_bodies(s.t.model); k++) {
            roots += soa_model_body(s.t.model, k).parent == SOA_WORLD;
            root = soa_model_body(s.t.model, k).parent == SOA_WORLD ? k : root;
        }
        OK(soa_joint_forces(s.t.model, s.w, 1, s.q, NULL, NULL, NULL, f, &s.error));
        soa_model_gravity(s.t.model, gravity);
        for (int r = 0; r < 3; r++) {
            square += f[6 * root + 3 + r] * f[6 * root + 3 + r];
            weight += gravity[r] * gravity[r];
        }
        double moving = soa_model_mass(s.t.model);
        for (int l = 0; l < soa_model_links(s.t.model); l++) {
            const bool still = soa_model_link_body(s.t.model, l, NULL) == SOA_WORLD;
            moving -= still ? soa_model_link(s.t.model, l)->inertia.mass : 0.0;
        }
        weight = sqrt(weight) * moving;
        square = sqrt(square);
        if (roots == 1) {
            near_all("weight", i, 1, &square, &weight, 1e-11);
            seen++;
        }
        sample_close(&s);
    }
    assert_true(seen > 5);
}

/* Rotors on rigid links and a planar joint, then one flexible link; or a rigid link of the same inertia in its place. */
static soa_model *geared(bool flexible)
{
    static const soa_joint_kind kind[] = { SOA_REVOLUTE, SOA_PLANAR, SOA_REVOLUTE, SOA_HELICAL };
    static const char *const name[] = { "base", "cart", "arm", "screw" };
    soa_model *chain, *model;
    soa_error error;
    soa_builder *b = soa_builder_new(NULL);
    for (int k = 0; k < 4; k++) {
        soa_link link = soa_link_default(name[k], k - 1, kind[k]);
        link.inertia = (soa_inertia){ 1.0 + k, { 0.1, 0.2, -0.1 * k }, { 0.3, 0.01, 0.02, 0.4, -0.03, 0.5 } };
        link.joint.axis[0] = 0.5, link.joint.pitch = 0.2, link.joint.at.position[0] = 0.4;
        link.joint.rotor = (soa_rotor){ .armature = 0.05, .axis = { 0.3, -0.5, 1.0 } };
        if (k >= 2) {
            link.joint.rotor =
                (soa_rotor){ .ratio = 9.0, .axis = { 0.3, -0.5, 1.0 }, .spin = 2e-2, .mass = 0.1, .transverse = 0.015 };
        }
        OK(soa_builder_add_link(b, &link, NULL, &error));
    }
    OK(soa_model_builtin("flexible-chain:1,3", NULL, &chain, &error));
    soa_link link = *soa_model_link(chain, 0);
    link.parent = 3;
    if (!flexible) {
        const double m = link.flexible->mass, *h = link.flexible->first, *J = link.flexible->second;
        const double c[3] = { h[0] / m, h[1] / m, h[2] / m };
        link.inertia = (soa_inertia){ m, { c[0], c[1], c[2] },
            { J[0] - m * (c[1] * c[1] + c[2] * c[2]), J[1] + m * c[0] * c[1], J[2] + m * c[0] * c[2],
                J[3] - m * (c[0] * c[0] + c[2] * c[2]), J[4] + m * c[1] * c[2],
                J[5] - m * (c[0] * c[0] + c[1] * c[1]) } };
        link.flexible = NULL;
    }
    OK(soa_builder_add_link(b, &link, NULL, &error));
    OK(soa_builder_finish(b, &model, &error));
    soa_builder_free(b);
    soa_model_free(chain);
    return model;
}

/* While the modes are at rest, the first nv velocities of the flexible model move as those of the rigid one. */
static void rotors_beside_flexible_links(void **state)
{
    (void)state;
    soa_model *m[2] = { geared(false), geared(true) };
    const int nv = soa_model_nv(m[0]), all = soa_model_nv(m[1]);
    double q[MOST] = { 0 }, v[MOST] = { 0 }, vdot[MOST] = { 0 }, x[2][3][MOST * 6], back[MOST], Cv[MOST] = { 0 };
    double mass[2][MOST * MOST], C[MOST * MOST];
    unsigned long long seed = 12;
    assert_int_equal(all, nv + 3);
    soa_random_configuration(m[0], &seed, q);
    for (int i = 0; i < nv; i++) {
        v[i] = soa_model_random_number(&seed), vdot[i] = soa_model_random_number(&seed);
    }
    for (int k = 0; k < 2; k++) {
        soa_workspace *w;
        soa_error error;
        OK(soa_workspace_new(m[k], NULL, &w, &error));
        OK(soa_inverse_dynamics(m[k], w, 1, q, v, vdot, NULL, x[k][0], &error));
        OK(soa_momentum(m[k], w, 1, q, v, x[k][1], x[k][2], &error));
        OK(soa_mass_matrix(m[k], w, 1, q, mass[k], &error));
        for (soa_method method = SOA_FD_FASTEST; method <= SOA_FD4; method++) {
            OK(soa_forward_dynamics_by(m[k], w, method, 1, q, v, x[k][0], NULL, back, &error));
            near_all("vdot", (int)method, soa_model_nv(m[k]), back, vdot, 1e-9);
        }
        if (k == 1) {
            OK(soa_coriolis_matrix(m[k], w, 1, q, v, C, &error));
            OK(soa_coriolis_force(m[k], w, 1, q, v, back, &error));
        }
        soa_workspace_free(w);
    }
    near_all("T", 0, nv, x[1][0], x[0][0], 1e-12);
    near_all("momentum", 0, 12, x[1][1], x[0][1], 1e-12);
    near_all("rate of momentum", 0, 6, x[1][2], x[0][2], 1e-12);
    for (int r = 0; r < nv; r++) {
        near_all("Mass", r, nv, mass[1] + r * all, mass[0] + r * nv, 1e-12);
    }
    for (int i = 0; i < all * all; i++) {
        Cv[i / all] += C[i] * v[i % all];
    }
    near_all("C v", 0, all, Cv, back, 1e-12);
    soa_model_free(m[0]);
    soa_model_free(m[1]);
}

/* momentum = A v, with every velocity moving. */
static void centroidal_matrix_of_rotors(void **state)
{
    (void)state;
    soa_model *m = geared(true);
    soa_workspace *w;
    soa_error error;
    double q[MOST] = { 0 }, v[MOST], A[6 * MOST], h[12], rate[6], Av[6] = { 0 };
    const int nv = soa_model_nv(m);
    unsigned long long seed = 13;
    OK(soa_workspace_new(m, NULL, &w, &error));
    soa_random_configuration(m, &seed, q);
    for (int i = 0; i < nv; i++) {
        v[i] = soa_model_random_number(&seed);
    }
    OK(soa_momentum(m, w, 1, q, v, h, rate, &error));
    OK(soa_centroidal_matrix(m, w, 1, q, A, &error));
    for (int i = 0; i < 6 * nv; i++) {
        Av[i / nv] += A[i] * v[i % nv];
    }
    near_all("A v", 0, 6, Av, h + 6, 1e-12);
    soa_workspace_free(w);
    soa_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dynamics_of_particles),
        cmocka_unit_test(energies_of_particles),
        cmocka_unit_test(points_of_particles),
        cmocka_unit_test(operational_space_of_particles),
        cmocka_unit_test(any_number_of_modes),
        cmocka_unit_test(forces_and_products),
        cmocka_unit_test(joints_bear_the_weight),
        cmocka_unit_test(rotors_beside_flexible_links),
        cmocka_unit_test(centroidal_matrix_of_rotors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
