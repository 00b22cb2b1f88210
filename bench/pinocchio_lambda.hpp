// pinocchio_lambda.hpp - operational inertias in Pinocchio, by its fastest way.
#ifndef SOA_BENCH_PINOCCHIO_LAMBDA_HPP
#define SOA_BENCH_PINOCCHIO_LAMBDA_HPP

#include <pinocchio/multibody/model.hpp>
// model.hpp comes first.
#include <chrono>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/contact-cholesky.hpp>
#include <pinocchio/algorithm/contact-info.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/delassus.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/multibody/data.hpp>

#include "peer.hpp"

namespace
{

namespace pin = pinocchio;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::VectorXd;

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

} // namespace

#endif
