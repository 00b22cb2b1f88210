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

static void add_joint_name(soa_text *text, const soa_model *model, int link)
{
    char buffer[SOA_WRITTEN_NAME];
    soa_xml_write_text(text, soa_written_joint(model, link, "_joint", buffer));
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
static void add_bound(soa_text *text, const char *name, double value)
{
    const double bound = isinf(value) ? copysign(DBL_MAX, value) : value;
    soa_xml_write_numbers(text, name, 1, &bound);
}

static void add_limit(soa_text *text, const soa_joint *joint)
{
    const bool ranged = joint->kind == SOA_PRISMATIC || has_range(joint);
    if (soa_joint_kind_nv(joint->kind) != 1 || (!ranged && isinf(joint->velocity[0]) && isinf(joint->effort[0]))) {
        return;
    }
    soa_text_add(text, "    <limit");
    if (ranged) {
        add_bound(text, "lower", joint->lower[0]);
        add_bound(text, "upper", joint->upper[0]);
    }
    add_bound(text, "effort", joint->effort[0]);
    add_bound(text, "velocity", joint->velocity[0]);
    soa_text_add(text, "/>\n");
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
        soa_text_add(text, "    <axis");
        soa_xml_write_numbers(text, "xyz", 3, axis);
        soa_text_add(text, "/>\n");
    }
    add_limit(text, joint);
    if (joint->damping != 0.0 || joint->friction != 0.0) {
        soa_text_add(text, "    <dynamics");
        soa_xml_write_numbers(text, "damping", 1, &joint->damping);
        soa_xml_write_numbers(text, "friction", 1, &joint->friction);
        soa_text_add(text, "/>\n");
    }
}

static void add_mimic(const urdf_writer *w, int link)
{
    const soa_coupling *coupling = soa_model_coupling(w->model, w->coupling.first[link]);
    if (!coupling) {
        return;
    }
    soa_text_add(w->text, "    <mimic joint=\"");
    add_joint_name(w->text, w->model, coupling->driver);
    soa_text_add(w->text, "\"");
    soa_xml_write_numbers(w->text, "multiplier", 1, &coupling->coefficient[1]);
    soa_xml_write_numbers(w->text, "offset", 1, &coupling->coefficient[0]);
    soa_text_add(w->text, "/>\n");
}

static void add_ends(const urdf_writer *w, int parent, const char *child)
{
    soa_text_add(w->text, "    <parent");
    soa_xml_write_attribute(w->text, "link", parent < 0 ? w->world : soa_model_link(w->model, parent)->name);
    soa_text_add(w->text, "/>\n    <child");
    soa_xml_write_attribute(w->text, "link", child);
    soa_text_add(w->text, "/>\n");
}

void soa_urdf_write_joint(const urdf_writer *w, int link)
{
    const soa_link *l = soa_model_link(w->model, link);
    const soa_pose origin = joint_origin(w->model, link);
    soa_text_add(w->text, "  <joint name=\"");
    add_joint_name(w->text, w->model, link);
    soa_text_add(w->text, "\" type=\"%s\">\n", type_of(&l->joint));
    soa_urdf_write_origin(w->text, "    ", &origin);
    add_ends(w, l->parent, l->name);
    add_motion(w->text, &l->joint);
    add_mimic(w, link);
    soa_text_add(w->text, "  </joint>\n");
}

void soa_urdf_write_transmission(const urdf_writer *w, int link)
{
    const double ratio = soa_model_link(w->model, link)->joint.rotor.ratio;
    if (ratio == 0.0) {
        return;
    }
    soa_text_add(w->text, "  <transmission name=\"");
    add_joint_name(w->text, w->model, link);
    soa_text_add(w->text, "_transmission\">\n    <joint name=\"");
    add_joint_name(w->text, w->model, link);
    soa_text_add(w->text, "\"/>\n    <actuator name=\"");
    add_joint_name(w->text, w->model, link);
    soa_text_add(w->text, "_motor\">\n      <mechanicalReduction>");
    soa_text_number(w->text, ratio);
    soa_text_add(w->text, "</mechanicalReduction>\n    </actuator>\n  </transmission>\n");
}

void soa_urdf_write_frame(const urdf_writer *w, const soa_frame *frame)
{
    const soa_pose parent = soa_urdf_inside(w->model, frame->link);
    const soa_pose at = soa_compose_exactly(&parent, &frame->at);
    char buffer[SOA_WRITTEN_NAME];
    soa_text_add(w->text, "  <link");
    soa_xml_write_attribute(w->text, "name", frame->name);
    soa_text_add(w->text, "/>\n  <joint");
    soa_xml_write_attribute(w->text, "name", soa_free_joint_name(w->model, frame->name, "_frame", buffer));
    soa_text_add(w->text, " type=\"fixed\">\n");
    soa_urdf_write_origin(w->text, "    ", &at);
    add_ends(w, frame->link, frame->name);
    soa_text_add(w->text, "  </joint>\n");
}
