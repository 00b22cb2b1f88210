/* Armature of joints whose velocities are given in axes that turn: a planar joint
 * moves like two slides and a hinge with the same armature each, a free one like
 * three slides and a ball. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "soa/dynamics.h"

enum { MOST = 6 };

static const double armature = 0.7;

static const soa_inertia inertia = { 2.0, { 0.1, -0.2, 0.3 }, { 0.3, 0.02, -0.03, 0.4, 0.01, 0.5 } };

static int add(soa_builder *builder, const char *name, int parent, soa_joint_kind kind, int axis, bool heavy)
{
    soa_link link = soa_link_default(name, parent, kind);
    soa_error error;
    int index;
    link.joint.name = name;
    link.joint.rotor.armature = armature;
    for (int i = 0; i < 3; i++) {
        link.joint.axis[i] = i == axis ? 1.0 : 0.0;
    }
    if (heavy) {
        link.inertia = inertia;
    }
    assert_int_equal(soa_builder_add_link(builder, &link, &index, &error), SOA_OK);
    return index;
}

static soa_model *finish(soa_builder *builder)
{
    soa_model *model;
    soa_error error;
    if (soa_builder_finish(builder, &model, &error) != SOA_OK) {
        fail_msg("%s", error.text);
    }
    soa_builder_free(builder);
    return model;
}

static soa_model *one(soa_joint_kind kind)
{
    soa_builder *builder = soa_builder_new(NULL);
    add(builder, "one", SOA_WORLD, kind, 2, true);
    return finish(builder);
}

/* So many slides x, y, z, then the last joint, which carries the body. */
static soa_model *many(int slides, soa_joint_kind last)
{
    static const char *const name[] = { "x", "y", "z" };
    soa_builder *builder = soa_builder_new(NULL);
    int parent = SOA_WORLD;
    for (int i = 0; i < slides; i++) {
        parent = add(builder, name[i], parent, SOA_PRISMATIC, i, false);
    }
    add(builder, "turn", parent, last, 2, true);
    return finish(builder);
}

/* All ways to the accelerations that T causes. */
static void check_ways(const soa_model *model, const double *q, const double *v, const double *T, const double *wanted)
{
    soa_workspace *work;
    soa_error error;
    double got[MOST], back[MOST], force[MOST];
    const int nv = soa_model_nv(model);
    bool prescribed[MOST];
    assert_int_equal(soa_workspace_new(model, NULL, &work, &error), SOA_OK);
    for (soa_method method = SOA_FD_FASTEST; method <= SOA_FD4; method++) {
        assert_int_equal(soa_forward_dynamics_by(model, work, method, 1, q, v, T, NULL, got, &error), SOA_OK);
        for (int i = 0; i < nv; i++) {
            assert_true(fabs(got[i] - wanted[i]) <= 1e-12 * (1.0 + fabs(wanted[i])));
        }
    }
    assert_int_equal(soa_inverse_dynamics(model, work, 1, q, v, wanted, NULL, back, &error), SOA_OK);
    memset(force, 0, sizeof force);
    memcpy(got, wanted, (size_t)nv * sizeof *got);
    for (int i = 0; i < nv; i++) {
        prescribed[i] = true;
        assert_true(fabs(back[i] - T[i]) <= 1e-12 * (1.0 + fabs(T[i])));
    }
    assert_int_equal(soa_hybrid_dynamics(model, work, prescribed, 1, q, v, NULL, force, got, &error), SOA_OK);
    for (int i = 0; i < nv; i++) {
        assert_true(fabs(force[i] - T[i]) <= 1e-12 * (1.0 + fabs(T[i])));
    }
    soa_workspace_free(work);
}

static void accelerate(const soa_model *model, const double *q, const double *v, const double *T, double *vdot)
{
    soa_workspace *work;
    soa_error error;
    assert_int_equal(soa_workspace_new(model, NULL, &work, &error), SOA_OK);
    assert_int_equal(soa_forward_dynamics(model, work, 1, q, v, T, NULL, vdot, &error), SOA_OK);
    soa_workspace_free(work);
}

/* x' = R x and back, of the plane. */
static void turn(double angle, const double *x, double *y)
{
    y[0] = cos(angle) * x[0] - sin(angle) * x[1];
    y[1] = sin(angle) * x[0] + cos(angle) * x[1];
    y[2] = x[2];
}

static void planar(void **state)
{
    (void)state;
    const double q[] = { 0.3, -0.4, 0.8 }, v[] = { 1.1, -0.7, 1.9 }, T[] = { 3.0, 2.0, -1.0 };
    double V[3], F[3], A[3], wanted[3];
    soa_model *ours = one(SOA_PLANAR), *other = many(2, SOA_REVOLUTE);
    turn(q[2], v, V);
    turn(q[2], T, F);
    accelerate(other, q, V, F, A);
    /* A = R (vdot + w x v) */
    turn(-q[2], A, wanted);
    wanted[0] += v[2] * v[1];
    wanted[1] -= v[2] * v[0];
    check_ways(ours, q, v, T, wanted);
    soa_model_free(ours);
    soa_model_free(other);
}

static void multiply(const soa_pose *pose, const double *x, double *y)
{
    for (int i = 0; i < 3; i++) {
        const double *r = pose->rotation[i];
        y[i] = r[0] * x[0] + r[1] * x[1] + r[2] * x[2];
    }
}

static void free_body(void **state)
{
    (void)state;
    const double q[] = { 0.5, 0.5, -0.5, 0.5, 0.3, -0.4, 0.8 };
    const double v[] = { 1.1, -0.7, 1.9, 0.4, -1.3, 0.6 }, T[] = { 3.0, 2.0, -1.0, 5.0, -4.0, 2.5 };
    const soa_pose pose = soa_pose_from_quaternion(q + 4, q), inverse = soa_pose_inverse(&pose);
    double Q[7], V[6], F[6], A[6], wanted[6];
    soa_model *ours = one(SOA_FREE), *other = many(3, SOA_SPHERICAL);
    memcpy(Q, q + 4, 3 * sizeof *Q);
    memcpy(Q + 3, q, 4 * sizeof *Q);
    multiply(&pose, v + 3, V);
    multiply(&pose, T + 3, F);
    memcpy(V + 3, v, 3 * sizeof *V);
    memcpy(F + 3, T, 3 * sizeof *F);
    accelerate(other, Q, V, F, A);
    memcpy(wanted, A + 3, 3 * sizeof *wanted);
    multiply(&inverse, A, wanted + 3);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        wanted[3 + i] -= v[j] * v[3 + k] - v[k] * v[3 + j];
    }
    check_ways(ours, q, v, T, wanted);
    soa_model_free(ours);
    soa_model_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planar),
        cmocka_unit_test(free_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
