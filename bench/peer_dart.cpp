// peer_dart.cpp - DART.
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include "peer.hpp"

namespace
{

using namespace dart::dynamics;
using Eigen::Vector3d;
using Eigen::VectorXd;

Vector3d vector(const double *x)
{
    return Vector3d(x[0], x[1], x[2]);
}

Eigen::Isometry3d pose(const soa_pose &p)
{
    Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
    for (int i = 0; i < 9; i++) {
        T.linear()(i / 3, i % 3) = p.rotation[i / 3][i % 3];
    }
    T.translation() = vector(p.position);
    return T;
}

BodyNode::Properties body_of(const bench_body &b)
{
    const double *m = b.inertia.moment;
    Eigen::Matrix3d I;
    I << m[0], m[1], m[2], m[1], m[3], m[4], m[2], m[4], m[5];
    return BodyNode::Properties(BodyNode::AspectProperties(b.name, Inertia(b.inertia.mass, vector(b.inertia.com), I)));
}

struct Dart {
    const bench_robot &robot;
    SkeletonPtr skeleton;
    std::vector<BodyNode *> body;
    std::vector<VectorXd> q, v, vdot, T;
    Eigen::MatrixXd M;
    dart::math::Jacobian J;

    Dart(const bench_robot &r, int *) : robot(r), skeleton(Skeleton::create(r.name))
    {
        skeleton->setGravity(vector(r.gravity));
        for (int k = 0; k < r.bodies; k++) {
            add(r.body[k]);
        }
    }

    template <class Kind> void add_joint(const bench_body &b, typename Kind::Properties properties)
    {
        properties.mName = b.joint_name;
        properties.mT_ParentBodyToJoint = pose(b.at);
        BodyNode *parent = b.parent < 0 ? nullptr : body[b.parent];
        body.push_back(skeleton->createJointAndBodyNodePair<Kind>(parent, properties, body_of(b)).second);
    }

    void add(const bench_body &b)
    {
        if (b.joint == BENCH_FREE) {
            add_joint<FreeJoint>(b, FreeJoint::Properties());
        } else if (b.joint == BENCH_REVOLUTE) {
            RevoluteJoint::Properties properties;
            properties.mAxis = vector(b.axis);
            add_joint<RevoluteJoint>(b, properties);
        } else {
            PrismaticJoint::Properties properties;
            properties.mAxis = vector(b.axis);
            add_joint<PrismaticJoint>(b, properties);
        }
    }

    VectorXd positions(const double *in) const
    {
        const int base = robot.body[0].joint == BENCH_FREE ? 7 : 0;
        VectorXd out(robot.nv);
        if (base != 0) {
            Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
            X.linear() = Eigen::Quaterniond(in[0], in[1], in[2], in[3]).toRotationMatrix();
            X.translation() = vector(in + 4);
            out.head<6>() = FreeJoint::convertToPositions(X);
        }
        for (int i = base; i < robot.nq; i++) {
            out[i - (base != 0)] = in[i];
        }
        return out;
    }

    void set(const bench_states &s)
    {
        for (int i = 0; i < s.count; i++) {
            q.push_back(positions(s.q + i * robot.nq));
            v.push_back(Eigen::Map<const VectorXd>(s.v + i * robot.nv, robot.nv));
            vdot.push_back(Eigen::Map<const VectorXd>(s.vdot + i * robot.nv, robot.nv));
            T.push_back(Eigen::Map<const VectorXd>(s.T + i * robot.nv, robot.nv));
        }
    }

    void run(bench_algorithm algorithm, int s)
    {
        skeleton->setPositions(q[s]);
        switch (algorithm) {
        case BENCH_INVERSE_DYNAMICS:
            skeleton->setVelocities(v[s]);
            skeleton->setAccelerations(vdot[s]);
            skeleton->computeInverseDynamics();
            break;
        case BENCH_FORWARD_DYNAMICS:
            skeleton->setVelocities(v[s]);
            skeleton->setForces(T[s]);
            skeleton->computeForwardDynamics();
            break;
        case BENCH_MASS_MATRIX:
            skeleton->getMassMatrix();
            break;
        case BENCH_MASS_INVERSE:
            skeleton->getInvMassMatrix();
            break;
        case BENCH_KINEMATICS: // computed when asked for
            for (BodyNode *b : body) {
                b->getWorldTransform();
            }
            break;
        case BENCH_JACOBIAN:
            J = skeleton->getJacobian(body.back(), Frame::World());
            break;
        default:
            break;
        }
    }

    void get(bench_algorithm algorithm, double *result) const
    {
        const int nv = robot.nv;
        switch (algorithm) {
        case BENCH_INVERSE_DYNAMICS:
            copy_vector(skeleton->getForces(), nv, result);
            break;
        case BENCH_FORWARD_DYNAMICS:
            copy_vector(skeleton->getAccelerations(), nv, result);
            break;
        case BENCH_MASS_MATRIX:
            copy_matrix(skeleton->getMassMatrix(), nv, nv, result);
            break;
        case BENCH_MASS_INVERSE:
            copy_matrix(skeleton->getInvMassMatrix(), nv, nv, result);
            break;
        case BENCH_KINEMATICS:
            for (size_t k = 0; k < body.size(); k++) {
                const Eigen::Isometry3d &X = body[k]->getWorldTransform();
                copy_matrix(X.linear(), 3, 3, result + 12 * k);
                copy_vector(X.translation(), 3, result + 12 * k + 9);
            }
            break;
        default:
            copy_matrix(J, 6, nv, result);
            break;
        }
    }
};

const bench_convention convention = { false, false, false, false };

} // namespace

BENCH_PEER(Dart, "DART", BENCH_PEER_VERSION, convention, BENCH_COMMON)
