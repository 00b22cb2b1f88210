// peer_pinocchio.cpp - Pinocchio, from its headers alone.
#include <pinocchio/multibody/model.hpp>
// model.hpp comes first.
#include <chrono>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/contact-cholesky.hpp>
#include <pinocchio/algorithm/contact-info.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/delassus.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody/data.hpp>

#include "peer.hpp"

namespace
{

namespace pin = pinocchio;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

Vector3d vector(const double *x)
{
    return Vector3d(x[0], x[1], x[2]);
}

pin::SE3 pose(const soa_pose &p)
{
    Matrix3d R;
    for (int i = 0; i < 9; i++) {
        R(i / 3, i % 3) = p.rotation[i / 3][i % 3];
    }
    return pin::SE3(R, vector(p.position));
}

pin::Inertia inertia(const soa_inertia &i)
{
    const double *m = i.moment;
    Matrix3d I;
    I << m[0], m[1], m[2], m[1], m[3], m[4], m[2], m[4], m[5];
    return pin::Inertia(i.mass, vector(i.com), I);
}

// The joints about a coordinate axis are Pinocchio's fast ones.
pin::JointModel joint_of(const bench_body &body)
{
    const Vector3d a = vector(body.axis);
    if (body.joint == BENCH_FREE) {
        return pin::JointModelFreeFlyer();
    }
    if (body.joint == BENCH_REVOLUTE) {
        if (a == Vector3d::UnitX()) {
            return pin::JointModelRX();
        }
        if (a == Vector3d::UnitY()) {
            return pin::JointModelRY();
        }
        return a == Vector3d::UnitZ() ? pin::JointModel(pin::JointModelRZ())
                                      : pin::JointModel(pin::JointModelRevoluteUnaligned(a));
    }
    if (a == Vector3d::UnitX()) {
        return pin::JointModelPX();
    }
    if (a == Vector3d::UnitY()) {
        return pin::JointModelPY();
    }
    return a == Vector3d::UnitZ() ? pin::JointModel(pin::JointModelPZ())
                                  : pin::JointModel(pin::JointModelPrismaticUnaligned(a));
}

pin::Model model_of(const bench_robot &robot, std::vector<pin::JointIndex> &id, pin::FrameIndex &tip)
{
    pin::Model model;
    for (int k = 0; k < robot.bodies; k++) {
        const bench_body &b = robot.body[k];
        id.push_back(model.addJoint(b.parent < 0 ? 0 : id[b.parent], joint_of(b), pose(b.at), b.joint_name));
        model.appendBodyToJoint(id[k], inertia(b.inertia), pin::SE3::Identity());
    }
    tip = model.addFrame(pin::Frame("tip", id.back(), pin::SE3::Identity(), pin::OP_FRAME));
    model.gravity.linear() = vector(robot.gravity);
    return model;
}

typedef PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(pin::RigidConstraintModel) Constraints;
typedef PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(pin::RigidConstraintData) ConstraintData;

ConstraintData data_of(const Constraints &constraints)
{
    ConstraintData out;
    for (const auto &c : constraints) {
        out.emplace_back(c);
    }
    return out;
}

// J Mass^-1 J* of some points, by the fastest of these ways: sweeps, the points being held; U D U* = Mass;
// the same with the rows of J in it.
class Lambda
{
    enum Way { SWEEPS, MASS, ROWS, WAYS };

    const pin::Model &model;
    pin::Data data;
    std::vector<pin::JointIndex> point;
    const Constraints constraints;
    ConstraintData constraint_data;
    pin::ContactCholeskyDecomposition cholesky;
    pin::Data::Matrix6x J;
    MatrixXd lambda, X, Y;
    int way = SWEEPS;

    static Constraints hold(const pin::Model &model, const std::vector<pin::JointIndex> &points)
    {
        Constraints out;
        for (pin::JointIndex joint : points) {
            out.emplace_back(pin::CONTACT_6D, model, joint, pin::SE3::Identity(), pin::LOCAL);
        }
        return out;
    }

    double seconds(const std::vector<VectorXd> &q)
    {
        double best = 1e9;
        for (int i = 0; i < 20; i++) {
            const auto start = std::chrono::steady_clock::now();
            for (const VectorXd &x : q) {
                run(x);
            }
            best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
        return best;
    }

    void by_mass(const VectorXd &q)
    {
        pin::crba(model, data, q, pin::Convention::WORLD); // the Jacobians of the joints as well
        pin::cholesky::decompose(model, data);
        for (size_t i = 0; i < point.size(); i++) {
            J.setZero();
            pin::getJointJacobian(model, data, point[i], pin::LOCAL_WORLD_ALIGNED, J);
            X.middleCols<6>(6 * Eigen::Index(i)) = J.transpose();
        }
        pin::cholesky::Uiv(model, data, X);
        Y.noalias() = data.Dinv.asDiagonal() * X;
        lambda.noalias() = X.transpose() * Y;
    }

  public:
    Lambda(const pin::Model &m, const std::vector<pin::JointIndex> &points)
        : model(m), data(m), point(points), constraints(hold(m, points)), constraint_data(data_of(constraints)),
          cholesky(m, constraints), J(pin::Data::Matrix6x::Zero(6, m.nv))
    {
        const Eigen::Index n = 6 * Eigen::Index(points.size());
        lambda.resize(n, n);
        X.resize(m.nv, n);
        Y.resize(m.nv, n);
        pin::initPvDelassus(model, data, constraints);
    }

    void choose(const std::vector<VectorXd> &q)
    {
        int best = SWEEPS;
        double least = 1e9;
        for (way = SWEEPS; way < WAYS; way++) {
            const double time = seconds(q);
            if (time < least) {
                least = time;
                best = way;
            }
        }
        way = best;
    }

    void run(const VectorXd &q)
    {
        switch (way) {
        case SWEEPS:
            pin::computeDelassusMatrix(model, data, q, constraints, constraint_data, lambda, 0.);
            break;
        case MASS:
            by_mass(q);
            break;
        default:
            pin::crba(model, data, q, pin::Convention::WORLD);
            cholesky.compute(model, data, constraints, constraint_data, 0.);
            cholesky.getInverseOperationalSpaceInertiaMatrix(lambda);
            break;
        }
    }

    // From (linear; angular), upper triangle, in the axes of the points unless made by the mass matrix.
    void get(double *result) const
    {
        const Eigen::Index n = lambda.rows();
        MatrixXd turn = MatrixXd::Zero(n, n);
        for (Eigen::Index i = 0; i < n; i += 6) {
            Matrix3d R = Matrix3d::Identity();
            if (way != MASS) {
                R = data.oMi[point[size_t(i / 6)]].rotation();
            }
            turn.block<3, 3>(i, i + 3) = R;
            turn.block<3, 3>(i + 3, i) = R;
        }
        const MatrixXd full = lambda.selfadjointView<Eigen::Upper>();
        copy_matrix(MatrixXd(turn * full * turn.transpose()), int(n), int(n), result);
    }
};

// Forward dynamics with closures.
class Closed
{
    const pin::Model &model;
    pin::Data data;
    Constraints constraints;
    ConstraintData constraint_data;

  public:
    Closed(const pin::Model &m, const bench_robot &robot, const std::vector<pin::JointIndex> &id) : model(m), data(m)
    {
        for (int i = 0; i < robot.closures; i++) {
            const bench_closure &c = robot.closure[i];
            constraints.emplace_back(pin::CONTACT_6D, model, c.a < 0 ? 0 : id[size_t(c.a)], pose(c.at_a),
                c.b < 0 ? 0 : id[size_t(c.b)], pose(c.at_b), pin::LOCAL);
        }
        constraint_data = data_of(constraints);
        pin::initConstraintDynamics(model, data, constraints);
    }

    void run(const VectorXd &q, const VectorXd &v, const VectorXd &T)
    {
        pin::constraintDynamics(model, data, q, v, T, constraints, constraint_data);
    }

    void get(double *result) const
    {
        copy_vector(data.ddq, model.nv, result);
    }
};

struct Pinocchio {
    std::vector<pin::JointIndex> id;
    pin::FrameIndex tip;
    const pin::Model model;
    pin::Data data;
    std::vector<VectorXd> q, v, vdot, T;
    pin::Data::Matrix6x J;
    Lambda one, two, four; // points
    Closed closed;

    static std::vector<pin::JointIndex> points(
        const bench_robot &robot, const std::vector<pin::JointIndex> &id, int count)
    {
        std::vector<pin::JointIndex> out;
        for (int i = 0; i < count; i++) {
            out.push_back(id[size_t(robot.point[i])]);
        }
        return out;
    }

    Pinocchio(const bench_robot &robot, int *)
        : model(model_of(robot, id, tip)), data(model), J(pin::Data::Matrix6x::Zero(6, model.nv)),
          one(model, points(robot, id, 1)), two(model, points(robot, id, 2)), four(model, points(robot, id, 4)),
          closed(model, robot, id)
    {
    }

    static void fill(std::vector<VectorXd> &out, const double *x, int n, int count)
    {
        for (int i = 0; i < count; i++) {
            out.push_back(Eigen::Map<const VectorXd>(x + i * n, n));
        }
    }

    void set(const bench_states &s)
    {
        fill(q, s.q, model.nq, s.count);
        fill(v, s.v, model.nv, s.count);
        fill(vdot, s.vdot, model.nv, s.count);
        fill(T, s.T, model.nv, s.count);
        for (VectorXd &x : q) {
            if (model.nq != model.nv) { // w x y z p to p x y z w
                const VectorXd in = x;
                x.head<3>() = in.segment<3>(4);
                x.segment<3>(3) = in.segment<3>(1);
                x[6] = in[0];
            }
        }
        one.choose(q);
        two.choose(q);
        four.choose(q);
    }

    void run(bench_algorithm algorithm, int s)
    {
        switch (algorithm) {
        case BENCH_INVERSE_DYNAMICS:
            pin::rnea(model, data, q[s], v[s], vdot[s]);
            break;
        case BENCH_FORWARD_DYNAMICS:
            pin::aba(model, data, q[s], v[s], T[s], pin::Convention::LOCAL);
            break;
        case BENCH_MASS_MATRIX:
            pin::crba(model, data, q[s], pin::Convention::LOCAL);
            break;
        case BENCH_MASS_INVERSE:
            pin::computeMinverse(model, data, q[s]);
            break;
        case BENCH_KINEMATICS:
            pin::forwardKinematics(model, data, q[s]);
            break;
        case BENCH_JACOBIAN:
            pin::computeFrameJacobian(model, data, q[s], tip, pin::LOCAL_WORLD_ALIGNED, J);
            break;
        case BENCH_OPERATIONAL_INERTIA:
            one.run(q[s]);
            break;
        case BENCH_OPERATIONAL_INERTIA_2:
            two.run(q[s]);
            break;
        case BENCH_OPERATIONAL_INERTIA_4:
            four.run(q[s]);
            break;
        case BENCH_INVERSE_DERIVATIVES:
            pin::computeRNEADerivatives(model, data, q[s], v[s], vdot[s]);
            break;
        case BENCH_FORWARD_DERIVATIVES:
            pin::computeABADerivatives(model, data, q[s], v[s], T[s]);
            break;
        case BENCH_CORIOLIS_MATRIX:
            pin::computeCoriolisMatrix(model, data, q[s], v[s]);
            break;
        case BENCH_CLOSED_DYNAMICS:
            closed.run(q[s], v[s], T[s]);
            break;
        default:
            break;
        }
    }

    void get(bench_algorithm algorithm, double *result) const
    {
        const int nv = model.nv;
        switch (algorithm) {
        case BENCH_INVERSE_DYNAMICS:
            copy_vector(data.tau, nv, result);
            break;
        case BENCH_FORWARD_DYNAMICS:
            copy_vector(data.ddq, nv, result);
            break;
        case BENCH_MASS_MATRIX: // upper triangle
            copy_matrix(MatrixXd(data.M.selfadjointView<Eigen::Upper>()), nv, nv, result);
            break;
        case BENCH_MASS_INVERSE:
            copy_matrix(MatrixXd(data.Minv.selfadjointView<Eigen::Upper>()), nv, nv, result);
            break;
        case BENCH_KINEMATICS:
            for (size_t k = 0; k < id.size(); k++) {
                copy_matrix(data.oMi[id[k]].rotation(), 3, 3, result + 12 * k);
                copy_vector(data.oMi[id[k]].translation(), 3, result + 12 * k + 9);
            }
            break;
        case BENCH_JACOBIAN:
            copy_swapped(J, nv, result);
            break;
        case BENCH_INVERSE_DERIVATIVES:
            copy_matrix(data.dtau_dq, nv, nv, result);
            copy_matrix(data.dtau_dv, nv, nv, result + nv * nv);
            copy_matrix(MatrixXd(data.M.selfadjointView<Eigen::Upper>()), nv, nv, result + 2 * nv * nv);
            break;
        case BENCH_FORWARD_DERIVATIVES:
            copy_matrix(data.ddq_dq, nv, nv, result);
            copy_matrix(data.ddq_dv, nv, nv, result + nv * nv);
            copy_matrix(MatrixXd(data.Minv.selfadjointView<Eigen::Upper>()), nv, nv, result + 2 * nv * nv);
            break;
        case BENCH_CORIOLIS_MATRIX:
            copy_matrix(data.C, nv, nv, result);
            break;
        case BENCH_OPERATIONAL_INERTIA_2:
            two.get(result);
            break;
        case BENCH_OPERATIONAL_INERTIA_4:
            four.get(result);
            break;
        case BENCH_CLOSED_DYNAMICS:
            closed.get(result);
            break;
        default:
            one.get(result);
            break;
        }
    }
};

const bench_convention convention = { true, false, false, false };

} // namespace

BENCH_PEER(Pinocchio, "Pinocchio", PINOCCHIO_VERSION, convention, (1u << BENCH_ALGORITHMS) - 1)
