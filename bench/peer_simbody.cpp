// peer_simbody.cpp - Simbody, by the operators of its matter subsystem.
#include <Simbody.h>
#include <string>

#include "peer.hpp"

namespace
{

using namespace SimTK;

Vec3 vector(const double *x)
{
    return Vec3(x[0], x[1], x[2]);
}

Transform transform(const soa_pose &p)
{
    const auto &R = p.rotation;
    const Mat33 m(R[0][0], R[0][1], R[0][2], R[1][0], R[1][1], R[1][2], R[2][0], R[2][1], R[2][2]);
    return Transform(Rotation(m, true), vector(p.position));
}

// Simbody takes the inertia about the origin of the body's frame.
Body::Rigid body_of(const soa_inertia &i)
{
    const double *m = i.moment;
    const Inertia central(m[0], m[3], m[5], m[1], m[2], m[4]);
    return Body::Rigid(MassProperties(i.mass, vector(i.com), central.shiftFromMassCenter(-vector(i.com), i.mass)));
}

// Frames in which z (pin) or x (slider) is the axis.
Transform along(const double *axis, CoordinateAxis coordinate)
{
    return Transform(Rotation(UnitVec3(vector(axis)), coordinate));
}

struct SimbodyPeer {
    const bench_robot &robot;
    MultibodySystem system;
    SimbodyMatterSubsystem matter;
    State state;
    std::vector<MobilizedBodyIndex> id;
    std::vector<Vec3> com, weight;
    std::vector<Vector> q, v, vdot, T;
    Vector y, none;
    Vector_<SpatialVec> forces, accelerations;
    Matrix M, J;

    SimbodyPeer(const bench_robot &r, int *order) : robot(r), matter(system)
    {
        for (int k = 0; k < r.bodies; k++) {
            add(r.body[k]);
            com.push_back(vector(r.body[k].inertia.com));
            weight.push_back(r.body[k].inertia.mass * vector(r.gravity));
        }
        state = system.realizeTopology();
        system.realizeModel(state);
        for (int k = 0, i = 0; k < r.bodies; k++) {
            const MobilizedBody &body = matter.getMobilizedBody(id[k]);
            for (int j = 0; j < body.getNumU(state); j++) {
                order[i++] = int(body.getFirstUIndex(state)) + j;
            }
        }
        forces.resize(matter.getNumBodies());
    }

    void add(const bench_body &b)
    {
        MobilizedBody &parent = b.parent < 0 ? matter.updGround() : matter.updMobilizedBody(id[b.parent]);
        const Transform at = transform(b.at);
        MobilizedBody body;
        if (b.joint == BENCH_FREE) {
            body = MobilizedBody::Free(parent, at, body_of(b.inertia), Transform());
        } else if (b.joint == BENCH_REVOLUTE) {
            const Transform axis = along(b.axis, ZAxis);
            body = MobilizedBody::Pin(parent, at * axis, body_of(b.inertia), axis);
        } else {
            const Transform axis = along(b.axis, XAxis);
            body = MobilizedBody::Slider(parent, at * axis, body_of(b.inertia), axis);
        }
        id.push_back(body.getMobilizedBodyIndex());
    }

    void set(const bench_states &s)
    {
        for (int i = 0; i < s.count; i++) {
            const double *in = s.q + i * robot.nq;
            Vector out(robot.nq);
            for (int k = 0; k < robot.bodies; k++) { // the base is w x y z px py pz, too
                const MobilizedBody &body = matter.getMobilizedBody(id[k]);
                for (int j = 0; j < body.getNumQ(state); j++) {
                    out[int(body.getFirstQIndex(state)) + j] = *in++;
                }
            }
            q.push_back(out);
            v.push_back(Vector(robot.nv, s.v + i * robot.nv));
            vdot.push_back(Vector(robot.nv, s.vdot + i * robot.nv));
            T.push_back(Vector(robot.nv, s.T + i * robot.nv));
        }
    }

    void gravity()
    {
        forces.setToZero();
        for (size_t k = 0; k < id.size(); k++) {
            matter.addInStationForce(state, id[k], com[k], weight[k], forces);
        }
    }

    void realize(Stage stage, int s, bool moving)
    {
        state.updQ() = q[s];
        if (moving) {
            state.updU() = v[s];
        }
        system.realize(state, stage);
    }

    void run(bench_algorithm algorithm, int s)
    {
        switch (algorithm) {
        case BENCH_INVERSE_DYNAMICS:
            realize(Stage::Velocity, s, true);
            gravity();
            matter.calcResidualForceIgnoringConstraints(state, none, forces, vdot[s], y);
            break;
        case BENCH_FORWARD_DYNAMICS:
            realize(Stage::Dynamics, s, true);
            gravity();
            matter.calcAccelerationIgnoringConstraints(state, T[s], forces, y, accelerations);
            break;
        case BENCH_MASS_MATRIX:
            realize(Stage::Position, s, false);
            matter.calcM(state, M);
            break;
        case BENCH_MASS_INVERSE:
            realize(Stage::Position, s, false);
            matter.calcMInv(state, M);
            break;
        case BENCH_KINEMATICS:
            realize(Stage::Position, s, false);
            break;
        case BENCH_JACOBIAN:
            realize(Stage::Position, s, false);
            matter.calcFrameJacobian(state, id.back(), Vec3(0), J);
            break;
        default:
            break;
        }
    }

    void get(bench_algorithm algorithm, double *result) const
    {
        if (algorithm == BENCH_MASS_MATRIX || algorithm == BENCH_MASS_INVERSE) {
            copy_matrix(M, robot.nv, robot.nv, result);
        } else if (algorithm == BENCH_JACOBIAN) {
            copy_matrix(J, 6, robot.nv, result);
        } else if (algorithm == BENCH_KINEMATICS) {
            for (size_t k = 0; k < id.size(); k++) {
                const Transform &X = matter.getMobilizedBody(id[k]).getBodyTransform(state);
                copy_matrix(X.R().asMat33(), 3, 3, result + 12 * k);
                copy_vector(X.p(), 3, result + 12 * k + 9);
            }
        } else {
            copy_vector(y, robot.nv, result);
        }
    }
};

// (angular; linear), both in the world.
const bench_convention convention = { false, true, true, false };

} // namespace

BENCH_PEER(SimbodyPeer, "Simbody", BENCH_PEER_VERSION, convention, BENCH_COMMON)
