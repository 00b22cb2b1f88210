// peer_kdl.cpp - Orocos KDL: chains on a fixed base, which is where it has dynamics.
#include <algorithm>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/config.h>
#include <memory>
#include <string>

#include "peer.hpp"

namespace
{

KDL::Vector vector(const double *x)
{
    return KDL::Vector(x[0], x[1], x[2]);
}

KDL::RigidBodyInertia inertia(const soa_inertia &i)
{
    const double *m = i.moment; // xx xy xz yy yz zz
    return KDL::RigidBodyInertia(i.mass, vector(i.com), KDL::RotationalInertia(m[0], m[3], m[5], m[1], m[2], m[4]));
}

// A segment turns about an axis that is fixed inboard and ends in a frame placed by the
// segment: with the axis at the segment's base, `at` is part of the joint.
KDL::Segment segment(const bench_body &body)
{
    const auto &R = body.at.rotation;
    const KDL::Frame at(KDL::Rotation(R[0][0], R[0][1], R[0][2], R[1][0], R[1][1], R[1][2], R[2][0], R[2][1], R[2][2]),
        vector(body.at.position));
    const auto kind = body.joint == BENCH_REVOLUTE ? KDL::Joint::RotAxis : KDL::Joint::TransAxis;
    const KDL::Joint joint(body.joint_name, at.p, at.M * vector(body.axis), kind);
    return KDL::Segment(body.name, joint, at, inertia(body.inertia));
}

struct Kdl {
    KDL::Chain chain;
    int n;
    std::vector<KDL::JntArray> q, v, vdot, T;
    KDL::JntArray y;
    KDL::JntSpaceInertiaMatrix M;
    KDL::Jacobian J;
    KDL::Wrenches none;
    std::vector<KDL::Frame> frames;
    std::unique_ptr<KDL::ChainIdSolver_RNE> inverse;
    std::unique_ptr<KDL::ChainFdSolver_RNE> forward;
    std::unique_ptr<KDL::ChainDynParam> parameters;
    std::unique_ptr<KDL::ChainFkSolverPos_recursive> positions;
    std::unique_ptr<KDL::ChainJntToJacSolver> jacobian;

    Kdl(const bench_robot &robot, int *) : n(robot.nv), y(n), M(n), J(n), none(n), frames(n)
    {
        for (int k = 0; k < robot.bodies; k++) {
            if (robot.body[k].joint == BENCH_FREE || robot.body[k].parent != k - 1) {
                throw std::runtime_error("KDL has dynamics of chains on a fixed base only: " + std::string(robot.name));
            }
            chain.addSegment(segment(robot.body[k]));
        }
        const KDL::Vector g = vector(robot.gravity);
        inverse.reset(new KDL::ChainIdSolver_RNE(chain, g));
        forward.reset(new KDL::ChainFdSolver_RNE(chain, g));
        parameters.reset(new KDL::ChainDynParam(chain, g));
        positions.reset(new KDL::ChainFkSolverPos_recursive(chain));
        jacobian.reset(new KDL::ChainJntToJacSolver(chain));
        for (auto &f : none) {
            f = KDL::Wrench::Zero();
        }
    }

    std::vector<KDL::JntArray> arrays(int count, const double *x) const
    {
        std::vector<KDL::JntArray> out(count, KDL::JntArray(n));
        for (int i = 0; i < count * n; i++) {
            out[i / n](i % n) = x[i];
        }
        return out;
    }

    void set(const bench_states &s)
    {
        q = arrays(s.count, s.q);
        v = arrays(s.count, s.v);
        vdot = arrays(s.count, s.vdot);
        T = arrays(s.count, s.T);
    }

    void run(bench_algorithm algorithm, int s)
    {
        switch (algorithm) {
        case BENCH_INVERSE_DYNAMICS:
            inverse->CartToJnt(q[s], v[s], vdot[s], none, y);
            break;
        case BENCH_FORWARD_DYNAMICS:
            forward->CartToJnt(q[s], v[s], T[s], none, y);
            break;
        case BENCH_MASS_MATRIX:
            parameters->JntToMass(q[s], M);
            break;
        case BENCH_KINEMATICS:
            positions->JntToCart(q[s], frames);
            break;
        case BENCH_JACOBIAN:
            jacobian->JntToJac(q[s], J);
            break;
        default:
            break;
        }
    }

    void get(bench_algorithm algorithm, double *result) const
    {
        if (algorithm == BENCH_MASS_MATRIX) {
            copy_matrix(M, n, n, result);
        } else if (algorithm == BENCH_JACOBIAN) {
            copy_swapped(J, n, result);
        } else if (algorithm == BENCH_KINEMATICS) {
            for (int k = 0; k < n; k++) {
                copy_matrix(frames[k].M, 3, 3, result + 12 * k);
                std::copy(frames[k].p.data, frames[k].p.data + 3, result + 12 * k + 9);
            }
        } else {
            for (int i = 0; i < n; i++) {
                result[i] = y(i);
            }
        }
    }
};

const bench_convention convention = { false, false, false, false };
const unsigned algorithms = 1u << BENCH_INVERSE_DYNAMICS | 1u << BENCH_FORWARD_DYNAMICS | 1u << BENCH_MASS_MATRIX |
                            1u << BENCH_KINEMATICS | 1u << BENCH_JACOBIAN;

} // namespace

BENCH_PEER(Kdl, "KDL", KDL_VERSION_STRING, convention, algorithms)
