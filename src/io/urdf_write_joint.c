/* io/urdf_write_joint.c - joints, frames and transmissions as URDF. */
#include <float.h>
#include <math.h>

#include "io/urdf_write.h"

static bool is_weld(const soa_joint *joint)
{
    return joint->kind == SOA_FIXED;
}

soa_pose soa_urdf_inside(const soa_model *model, int link)
{
    const soa_joint *joint = link < 0 ? NULL : &soa_model_link(model, link)->joint;
    return joint && !is_weld(joint) ? joint->child : soa_pose_identity();
}

/* The joint turned or pushed back to q = 0, where URDF places it. */
static soa_pose at_zero(const soa_joint *joint)
{
    const double zero[3] = { 0.0 };
    const double *a = joint->axis;
    soa_pose back = soa_pose_identity();
    const double q = joint->reversed ? joint->reference : -joint->reference;
    if (q == 0.0 || soa_joint_kind_nq(joint->kind) != 1) {
        return joint->at;
    }
    if (joint->kind == SOA_PRISMATIC) {
        const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        for (int i = 0; i < 3; i++) {
            back.position[i] = q * a[i] / length;
        }
    } else {
        back = soa_pose_from_axis_angle(zero, a, q);
    }
    return soa_compose_exactly(&joint->at, &back);
}

/* Places the written link's joint in the written parent. */
static soa_pose joint_origin(const soa_model *model, int link)
{
    const soa_link *l = soa_model_link(model, link);
    const soa_pose parent = soa_urdf_inside(model, l->parent);
    const soa_pose at = is_weld(&l->joint) ? soa_compose_exactly(&l->joint.at, &l->joint.child) : at_zero(&l->joint);
    return soa_compose_exactly(&parent, &at);
}

static const char *joint_name(const soa_model *model, int link, char buffer[SOA_WRITTEN_NAME])
{
    return soa_written_joint(model, link, "_joint", buffer);
}

static bool has_range(const soa_joint *joint)
{
    return isfinite(joint->lower[0]) || isfinite(joint->upper[0]);
}

/* A hinge without limits is called continuous there. */
static const char *type_of(const soa_joint *joint)
{
    switch (joint->kind) {
    case SOA_REVOLUTE:
    case SOA_CONTINUOUS:
        return has_range(joint) ? "revolute" : "continuous";
    case SOA_FREE:
        return "floating";
    default:
        return soa_joint_kind_text(joint->kind);
    }
}

/* URDF wants a number for every limit: none is the largest there is. */
static double bound(double value)
{
    return isinf(value) ? copysign(DBL_MAX, value) : value;
}

static void add_limit(soa_text *text, const soa_joint *joint)
{
    const bool ranged = joint->kind == SOA_PRISMATIC || has_range(joint);
    const double lower = bound(joint->lower[0]), upper = bound(joint->upper[0]);
    const double effort = bound(joint->effort[0]), velocity = bound(joint->velocity[0]);
    if (soa_joint_kind_nv(joint->kind) != 1 || (!ranged && isinf(joint->velocity[0]) && isinf(joint->effort[0]))) {
        return;
    }
    soa_text_add(text, "    <limit");
    if (ranged) {
        soa_xml_write(text, " lower=$1 upper=$1", &lower, &upper);
    }
    soa_xml_write(text, " effort=$1 velocity=$1/>\n", &effort, &velocity);
}

static void add_motion(soa_text *text, const soa_joint *joint)
{
    double axis[3];
    for (int i = 0; i < 3; i++) {
        axis[i] = joint->reversed ? -joint->axis[i] : joint->axis[i];
    }
    if (joint->kind == SOA_FIXED) {
        return;
    }
    if (joint->kind != SOA_FREE) {
        soa_xml_write(text, "    <axis xyz=$3/>\n", axis);
    }
    add_limit(text, joint);
    if (joint->damping != 0.0 || joint->friction != 0.0) {
        soa_xml_write(text, "    <dynamics damping=$1 friction=$1/>\n", &joint->damping, &joint->friction);
    }
}

static void add_ends(const urdf_writer *w, int parent, const char *child)
{
    soa_xml_write(w->text, "    <parent link=$s/>\n    <child link=$s/>\n",
        parent < 0 ? w->world : soa_model_link(w->model, parent)->name, child);
}

void soa_urdf_write_joint(const urdf_writer *w, int link)
{
    const soa_link *l = soa_model_link(w->model, link);
    const soa_pose origin = joint_origin(w->model, link);
    const soa_coupling *coupling = soa_model_coupling(w->model, w->coupling.first[link]);
    char buffer[SOA_WRITTEN_NAME];
    soa_xml_write(w->text, "  <joint name=$s type=$s>\n", joint_name(w->model, link, buffer), type_of(&l->joint));
    soa_urdf_write_origin(w->text, "    ", &origin);
    add_ends(w, l->parent, l->name);
    add_motion(w->text, &l->joint);
    if (coupling) {
        soa_xml_write(w->text, "    <mimic joint=$s multiplier=$1 offset=$1/>\n",
            joint_name(w->model, coupling->driver, buffer), &coupling->coefficient[1], &coupling->coefficient[0]);
    }
    soa_text_add(w->text, "  </joint>\n");
}

void soa_urdf_write_transmission(const urdf_writer *w, int link)
{
    const double ratio = soa_model_link(w->model, link)->joint.rotor.ratio;
    char buffer[SOA_WRITTEN_NAME];
    const char *name = joint_name(w->model, link, buffer);
    if (ratio != 0.0) {
        soa_xml_write(w->text,
            "  <transmission name=\"$t_transmission\">\n    <joint name=$s/>\n    <actuator name=\"$t_motor\">\n"
            "      <mechanicalReduction>$n</mechanicalReduction>\n    </actuator>\n  </transmission>\n",
            name, name, name, ratio);
    }
}

void soa_urdf_write_frame(const urdf_writer *w, const soa_frame *frame)
{
    const soa_pose parent = soa_urdf_inside(w->model, frame->link);
    const soa_pose at = soa_compose_exactly(&parent, &frame->at);
    char buffer[SOA_WRITTEN_NAME];
    soa_xml_write(w->text, "  <link name=$s/>\n  <joint name=$s type=\"fixed\">\n", frame->name,
        soa_free_name(w->model, soa_model_find_joint, frame->name, "_frame", buffer));
    soa_urdf_write_origin(w->text, "    ", &at);
    add_ends(w, frame->link, frame->name);
    soa_text_add(w->text, "  </joint>\n");
}
