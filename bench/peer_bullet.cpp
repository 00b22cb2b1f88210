// peer_bullet.cpp - Bullet's btMultiBody, in double precision.
//
// It has forward dynamics; its inverse dynamics is a library that Debian does not
// build. Its frames stand at the centres of mass, along the principal axes.
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <cmath>
#include <memory>

#include "peer.hpp"

namespace
{

btVector3 vector(const double *x)
{
    return btVector3(x[0], x[1], x[2]);
}

btMatrix3x3 matrix(const double R[3][3])
{
    return btMatrix3x3(R[0][0], R[0][1], R[0][2], R[1][0], R[1][1], R[1][2], R[2][0], R[2][1], R[2][2]);
}

btQuaternion quaternion(const btMatrix3x3 &R)
{
    btQuaternion q;
    R.getRotation(q);
    return q;
}

// The principal axes of a body (columns, in its frame) and the moments about them.
struct Principal {
    btMatrix3x3 axes;
    btVector3 moments;

    explicit Principal(const soa_inertia &i) : axes(btMatrix3x3::getIdentity())
    {
        const double *m = i.moment;
        btMatrix3x3 I(m[0], m[1], m[2], m[1], m[3], m[4], m[2], m[4], m[5]);
        I.diagonalize(axes, 1e-15, 50);
        moments = btVector3(I[0][0], I[1][1], I[2][2]);
    }
};

struct Bullet {
    const bench_robot &robot;
    const bool free_base;
    std::vector<Principal> principal;
    std::unique_ptr<btMultiBody> body;
    bench_states states;
    std::vector<btTransform> base;
    btAlignedObjectArray<btScalar> scratch_r;
    btAlignedObjectArray<btVector3> scratch_v, origins;
    btAlignedObjectArray<btMatrix3x3> scratch_m;
    btAlignedObjectArray<btQuaternion> rotations;

    Bullet(const bench_robot &r, int *) : robot(r), free_base(r.body[0].joint == BENCH_FREE), states()
    {
        const soa_inertia &first = r.body[0].inertia;
        for (int k = 0; k < r.bodies; k++) {
            principal.emplace_back(r.body[k].inertia);
        }
        body.reset(free_base ? new btMultiBody(r.bodies - 1, first.mass, principal[0].moments, false, false)
                             : new btMultiBody(r.bodies, 0, btVector3(0, 0, 0), true, false));
        for (int k = free_base; k < r.bodies; k++) {
            add(k);
        }
        body->finalizeMultiDof();
        body->setLinearDamping(0);
        body->setAngularDamping(0);
        body->setUseGyroTerm(true);
        body->setMaxCoordinateVelocity(1e30);
        rotations.resize(r.bodies + 1);
        origins.resize(r.bodies + 1);
    }

    void add(int k)
    {
        const bench_body &b = robot.body[k];
        const bool on_world = b.parent < 0;
        const btMatrix3x3 parent_axes = on_world ? btMatrix3x3::getIdentity() : principal[b.parent].axes;
        const btVector3 parent_com = on_world ? btVector3(0, 0, 0) : vector(robot.body[b.parent].inertia.com);
        const btMatrix3x3 to_this = principal[k].axes.transpose() * matrix(b.at.rotation).transpose() * parent_axes;
        const btVector3 pivot = parent_axes.transpose() * (vector(b.at.position) - parent_com);
        const btVector3 com = principal[k].axes.transpose() * vector(b.inertia.com);
        const btVector3 axis = principal[k].axes.transpose() * vector(b.axis);
        const int link = k - free_base, parent = b.parent - free_base;
        if (b.joint == BENCH_REVOLUTE) {
            body->setupRevolute(link, b.inertia.mass, principal[k].moments, on_world ? -1 : parent, quaternion(to_this),
                axis, pivot, com, true);
        } else {
            body->setupPrismatic(link, b.inertia.mass, principal[k].moments, on_world ? -1 : parent,
                quaternion(to_this), axis, pivot, com, true);
        }
    }

    void set(const bench_states &s)
    {
        states = s;
        for (int i = 0; free_base && i < s.count; i++) {
            const double *q = s.q + i * robot.nq;
            const btMatrix3x3 R(btQuaternion(q[1], q[2], q[3], q[0]));
            base.emplace_back(R * principal[0].axes, vector(q + 4) + R * vector(robot.body[0].inertia.com));
        }
    }

    void place(int s)
    {
        const double *q = states.q + s * robot.nq + (free_base ? 7 : 0);
        if (free_base) {
            body->setBaseWorldTransform(base[s]);
        }
        for (int i = 0; i < body->getNumLinks(); i++) {
            body->setJointPosMultiDof(i, q + i);
        }
    }

    void push(int s)
    {
        const double *v = states.v + s * robot.nv, *T = states.T + s * robot.nv;
        const btVector3 g = vector(robot.gravity);
        body->clearForcesAndTorques();
        if (free_base) {
            body->setBaseOmega(vector(v));
            body->setBaseVel(vector(v + 3));
            body->addBaseTorque(vector(T));
            body->addBaseForce(vector(T + 3) + g * body->getBaseMass());
            v += 6;
            T += 6;
        }
        for (int i = 0; i < body->getNumLinks(); i++) {
            body->setJointVelMultiDof(i, v + i);
            body->addJointTorque(i, T[i]);
            body->addLinkForce(i, g * body->getLinkMass(i));
        }
    }

    void run(bench_algorithm algorithm, int s)
    {
        place(s);
        if (algorithm == BENCH_KINEMATICS) {
            body->forwardKinematics(rotations, origins);
        } else { // no time passes: base and joint accelerations are left in scratch_r, after one number per joint
            push(s);
            body->computeAccelerationsArticulatedBodyAlgorithmMultiDof(
                0, scratch_r, scratch_v, scratch_m, false, false, false);
        }
    }

    void get(bench_algorithm algorithm, double *result) const
    {
        if (algorithm == BENCH_FORWARD_DYNAMICS) {
            copy_vector(&scratch_r[body->getNumDofs() + (free_base ? 0 : 6)], robot.nv, result);
            return;
        }
        for (int k = 0; k < robot.bodies; k++) {
            const int at = k + !free_base; // entry 0 is the base
            const btMatrix3x3 R = btMatrix3x3(rotations[at].inverse()) * principal[k].axes.transpose();
            const btVector3 p = origins[at] - R * vector(robot.body[k].inertia.com);
            for (int i = 0; i < 9; i++) {
                result[12 * k + i] = R[i / 3][i % 3];
            }
            copy_vector(p, 3, result + 12 * k + 9);
        }
    }
};

// (angular; linear), both in the world, at the centre of mass.
const bench_convention convention = { false, true, true, true };

} // namespace

BENCH_PEER(Bullet, "Bullet", BENCH_PEER_VERSION, convention, 1u << BENCH_FORWARD_DYNAMICS | 1u << BENCH_KINEMATICS)
