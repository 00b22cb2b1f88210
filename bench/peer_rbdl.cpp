// peer_rbdl.cpp - RBDL.
#include <cmath>
#include <rbdl/rbdl.h>

#include "peer.hpp"

namespace
{

namespace rbd = RigidBodyDynamics;
using rbd::Math::Matrix3d;
using rbd::Math::MatrixNd;
using rbd::Math::SpatialTransform;
using rbd::Math::SpatialVector;
using rbd::Math::Vector3d;
using rbd::Math::VectorNd;

rbd::Body body_of(const soa_inertia &i)
{
    const double *m = i.moment;
    return rbd::Body(
        i.mass, Vector3d(i.com[0], i.com[1], i.com[2]), Matrix3d(m[0], m[1], m[2], m[1], m[3], m[4], m[2], m[4], m[5]));
}

// The joints with an axis of their own are RBDL's fast ones.
rbd::Joint joint_of(const bench_body &body)
{
    const Vector3d axis(body.axis[0], body.axis[1], body.axis[2]);
    if (body.joint == BENCH_FREE) {
        return rbd::Joint(rbd::JointTypeFloatingBase);
    }
    if (body.joint == BENCH_PRISMATIC) {
        return rbd::Joint(rbd::JointTypePrismatic, axis);
    }
    if (axis == Vector3d(1., 0., 0.)) {
        return rbd::Joint(rbd::JointTypeRevoluteX);
    }
    if (axis == Vector3d(0., 1., 0.)) {
        return rbd::Joint(rbd::JointTypeRevoluteY);
    }
    return axis == Vector3d(0., 0., 1.) ? rbd::Joint(rbd::JointTypeRevoluteZ)
                                        : rbd::Joint(rbd::JointTypeRevolute, axis);
}

// E turns from the axes in which the pose is given to its own.
SpatialTransform transform(const soa_pose &p)
{
    Matrix3d E;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            E(i, j) = p.rotation[j][i];
        }
    }
    return SpatialTransform(E, Vector3d(p.position[0], p.position[1], p.position[2]));
}

struct Rbdl {
    const bench_robot &robot;
    rbd::Model model;
    std::vector<unsigned> id;
    std::vector<VectorNd> q, v, vdot, T;
    VectorNd y;
    MatrixNd M, J;
    rbd::ConstraintSet loops;

    Rbdl(const bench_robot &r, int *)
        : robot(r), y(VectorNd::Zero(r.nv)), M(MatrixNd::Zero(r.nv, r.nv)), J(MatrixNd::Zero(6, r.nv))
    {
        model.gravity = Vector3d(r.gravity[0], r.gravity[1], r.gravity[2]);
        for (int k = 0; k < r.bodies; k++) {
            const bench_body &b = r.body[k];
            const unsigned parent = b.parent < 0 ? 0 : id[b.parent];
            id.push_back(model.AddBody(parent, transform(b.at), joint_of(b), body_of(b.inertia), b.name));
        }
        close_loops();
    }

    void close_loops()
    {
        for (int i = 0; i < robot.closures; i++) {
            const bench_closure &c = robot.closure[i];
            for (int row = 0; row < 6; row++) {
                SpatialVector axis = SpatialVector::Zero();
                axis[row] = 1.;
                loops.AddLoopConstraint(
                    c.a < 0 ? 0 : id[c.a], c.b < 0 ? 0 : id[c.b], transform(c.at_a), transform(c.at_b), axis);
            }
        }
        loops.Bind(model);
    }

    void set(const bench_states &s)
    {
        const int base = robot.body[0].joint == BENCH_FREE ? 7 : 0;
        for (int i = 0; i < s.count; i++) {
            const double *in = s.q + i * robot.nq;
            VectorNd out = VectorNd::Zero(model.q_size);
            if (base != 0) { // px py pz qx qy qz, joints, qw
                out.head(3) << in[4], in[5], in[6];
                out.segment(3, 3) << in[1], in[2], in[3];
                out[model.multdof3_w_index[id[0]]] = in[0];
            }
            for (int k = base; k < robot.nq; k++) {
                out[k - (base != 0)] = in[k];
            }
            q.push_back(out);
            v.push_back(Eigen::Map<const Eigen::VectorXd>(s.v + i * robot.nv, robot.nv));
            vdot.push_back(Eigen::Map<const Eigen::VectorXd>(s.vdot + i * robot.nv, robot.nv));
            T.push_back(Eigen::Map<const Eigen::VectorXd>(s.T + i * robot.nv, robot.nv));
        }
    }

    void run(bench_algorithm algorithm, int s)
    {
        switch (algorithm) {
        case BENCH_INVERSE_DYNAMICS:
            rbd::InverseDynamics(model, q[s], v[s], vdot[s], y);
            break;
        case BENCH_FORWARD_DYNAMICS:
            rbd::ForwardDynamics(model, q[s], v[s], T[s], y);
            break;
        case BENCH_MASS_MATRIX:
            rbd::CompositeRigidBodyAlgorithm(model, q[s], M);
            break;
        case BENCH_KINEMATICS:
            rbd::UpdateKinematicsCustom(model, &q[s], nullptr, nullptr);
            break;
        case BENCH_JACOBIAN:
            rbd::CalcPointJacobian6D(model, q[s], id.back(), Vector3d(0., 0., 0.), J, true);
            break;
        case BENCH_CLOSED_DYNAMICS: // the fastest of its three
            rbd::ForwardDynamicsConstraintsRangeSpaceSparse(model, q[s], v[s], T[s], loops, y);
            break;
        default:
            break;
        }
    }

    void get(bench_algorithm algorithm, double *result) const
    {
        if (algorithm == BENCH_MASS_MATRIX) {
            copy_matrix(M, robot.nv, robot.nv, result);
        } else if (algorithm == BENCH_JACOBIAN) {
            copy_matrix(J, 6, robot.nv, result);
        } else if (algorithm == BENCH_KINEMATICS) {
            for (int k = 0; k < robot.bodies; k++) {
                const SpatialTransform &X = model.X_base[id[k]];
                copy_matrix(X.E.transpose(), 3, 3, result + 12 * k);
                copy_vector(X.r, 3, result + 12 * k + 9);
            }
        } else {
            copy_vector(y, robot.nv, result);
        }
    }
};

// Linear in the world, angular in the body.
const bench_convention convention = { true, false, true, false };
const unsigned algorithms = 1u << BENCH_INVERSE_DYNAMICS | 1u << BENCH_FORWARD_DYNAMICS | 1u << BENCH_MASS_MATRIX |
                            1u << BENCH_KINEMATICS | 1u << BENCH_JACOBIAN | 1u << BENCH_CLOSED_DYNAMICS;

} // namespace

BENCH_PEER(Rbdl, "RBDL", BENCH_PEER_VERSION, convention, algorithms)
