/* io/urdf_write.c - a model as URDF, if URDF can say it.
 *
 * The frame of a URDF link is the moving side of its joint. A model's link may be
 * placed elsewhere in it (joint.child): then the written link stands at the joint
 * and its inertia, the joints it carries and its frames are given from there. A
 * frame becomes a massless link on a weld. What hangs on the world hangs on a
 * link `world`, unless it is one link, welded where the world is. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "io/urdf_write.h"
#include "io/write.h"

typedef struct writer {
    const soa_model *model;
    soa_text *text;
    const char *world; /* name of the link that stands for the world; NULL: none */
    int *coupling;     /* of the joint of each link; -1: none */
    soa_by_link geometry;
} writer;

/* ---- placements ------------------------------------------------------------------- */

void soa_urdf_write_origin(soa_text *text, const char *indent, const soa_pose *pose)
{
    if (soa_is_identity(pose)) {
        return;
    }
    double rpy[3];
    soa_pose_rpy(pose, rpy);
    soa_text_add(text, "%s<origin", indent);
    soa_xml_write_numbers(text, "xyz", 3, pose->position);
    soa_xml_write_numbers(text, "rpy", 3, rpy);
    soa_text_add(text, "/>\n");
}

static bool is_weld(const soa_joint *joint)
{
    return joint->kind == SOA_FIXED;
}

/* Places the model's link in the written one. A weld has no moving side: its
 * written link stands where the model's does. */
static soa_pose inside(const soa_model *model, int link)
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
    const soa_pose parent = inside(model, l->parent);
    const soa_pose at = is_weld(&l->joint) ? soa_compose_exactly(&l->joint.at, &l->joint.child) : at_zero(&l->joint);
    return soa_compose_exactly(&parent, &at);
}

/* ---- names ------------------------------------------------------------------------ */

static void add_joint_name(soa_text *text, const soa_model *model, int link)
{
    char buffer[SOA_WRITTEN_NAME];
    soa_xml_write_text(text, soa_written_joint(model, link, "_joint", buffer));
}

/* ---- links ------------------------------------------------------------------------ */

static void add_inertial(soa_text *text, const soa_inertia *inertia)
{
    static const char *const name[6] = { "ixx", "ixy", "ixz", "iyy", "iyz", "izz" };
    soa_pose at = soa_pose_identity();
    memcpy(at.position, inertia->com, sizeof at.position);
    soa_text_add(text, "    <inertial>\n");
    soa_urdf_write_origin(text, "      ", &at);
    soa_text_add(text, "      <mass");
    soa_xml_write_numbers(text, "value", 1, &inertia->mass);
    soa_text_add(text, "/>\n      <inertia");
    for (int i = 0; i < 6; i++) {
        soa_xml_write_numbers(text, name[i], 1, &inertia->moment[i]);
    }
    soa_text_add(text, "/>\n    </inertial>\n");
}

/* What a link looks like; the number of links stands for the world. */
static void add_geometry(const writer *w, int link, const soa_pose *place)
{
    for (int i = w->geometry.first[link]; i >= 0; i = w->geometry.next[i]) {
        const soa_geometry *g = soa_model_geometry(w->model, i);
        if (soa_urdf_has_shape(g->shape)) {
            soa_urdf_write_geometry(w->text, g, place);
        }
    }
}

static void add_link(const writer *w, int link)
{
    const soa_link *l = soa_model_link(w->model, link);
    const soa_pose place = inside(w->model, link);
    const soa_inertia inertia = soa_is_identity(&place) ? l->inertia : soa_inertia_transform(&place, &l->inertia);
    soa_text_add(w->text, "  <link");
    soa_xml_write_attribute(w->text, "name", l->name);
    const bool massless = (l->flags & SOA_LINK_NO_INERTIA) && inertia.mass == 0.0;
    if (massless && w->geometry.first[link] < 0) {
        soa_text_add(w->text, "/>\n");
        return;
    }
    soa_text_add(w->text, ">\n");
    if (!massless) {
        add_inertial(w->text, &inertia);
    }
    add_geometry(w, link, &place);
    soa_text_add(w->text, "  </link>\n");
}

/* ---- joints ----------------------------------------------------------------------- */

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

static void add_mimic(const writer *w, int link)
{
    if (w->coupling[link] < 0) {
        return;
    }
    const soa_coupling *coupling = soa_model_coupling(w->model, w->coupling[link]);
    soa_text_add(w->text, "    <mimic joint=\"");
    add_joint_name(w->text, w->model, coupling->driver);
    soa_text_add(w->text, "\"");
    soa_xml_write_numbers(w->text, "multiplier", 1, &coupling->coefficient[1]);
    soa_xml_write_numbers(w->text, "offset", 1, &coupling->coefficient[0]);
    soa_text_add(w->text, "/>\n");
}

static void add_ends(const writer *w, int parent, const char *child)
{
    soa_text_add(w->text, "    <parent");
    soa_xml_write_attribute(w->text, "link", parent < 0 ? w->world : soa_model_link(w->model, parent)->name);
    soa_text_add(w->text, "/>\n    <child");
    soa_xml_write_attribute(w->text, "link", child);
    soa_text_add(w->text, "/>\n");
}

static void add_joint(const writer *w, int link)
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

static void add_transmission(const writer *w, int link)
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

/* ---- the whole -------------------------------------------------------------------- */

static void add_frame(const writer *w, const soa_frame *frame)
{
    const soa_pose parent = inside(w->model, frame->link);
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

/* Whether the world needs a link: it carries anything but one welded link that
 * stands where it does. */
static bool needs_world(const soa_model *model)
{
    int roots = 0;
    for (int k = 0; k < soa_model_links(model); k++) {
        const soa_link *link = soa_model_link(model, k);
        if (link->parent == SOA_WORLD) {
            roots++;
            if (!is_weld(&link->joint) || link->joint.name || !soa_is_identity(&link->joint.at) ||
                !soa_is_identity(&link->joint.child)) {
                return true;
            }
        }
    }
    for (int k = 0; k < soa_model_frames(model); k++) {
        if (soa_model_frame(model, k)->link == SOA_WORLD) {
            return true;
        }
    }
    return roots != 1;
}

/* The coupling of each joint; NULL: no memory. */
static int *couplings_of_links(const soa_model *model, const soa_allocator *allocator)
{
    const int links = soa_model_links(model);
    int *coupling = soa_allocate(allocator, (size_t)links, sizeof *coupling);
    for (int k = 0; k < links && coupling; k++) {
        coupling[k] = -1;
    }
    for (int i = 0; i < soa_model_couplings(model) && coupling; i++) {
        coupling[soa_model_coupling(model, i)->link] = i;
    }
    return coupling;
}

/* A comment on the shapes that are left out: those URDF does not have, and those of a world that is no link. */
static void add_unsaid(const writer *w)
{
    int unsaid = 0;
    for (int i = 0; i < soa_model_geometries(w->model); i++) {
        const soa_geometry *g = soa_model_geometry(w->model, i);
        unsaid += !soa_urdf_has_shape(g->shape) || (g->link == SOA_WORLD && !w->world);
    }
    if (unsaid > 0) {
        soa_text_add(w->text, "  <!-- %d shapes are left out: URDF has no planes and ellipsoids. -->\n", unsaid);
    }
}

static void add_robot(const writer *w)
{
    const char *name = soa_model_name(w->model);
    const int links = soa_model_links(w->model);
    soa_text_add(w->text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<robot");
    soa_xml_write_attribute(w->text, "name", name && *name ? name : "robot");
    soa_text_add(w->text, ">\n");
    add_unsaid(w);
    if (w->world) {
        const soa_pose none = soa_pose_identity();
        soa_text_add(w->text, "  <link name=\"world\">\n");
        add_geometry(w, links, &none);
        soa_text_add(w->text, "  </link>\n");
    }
    for (int k = 0; k < links; k++) {
        add_link(w, k);
    }
    for (int k = 0; k < links; k++) {
        if (w->world || soa_model_link(w->model, k)->parent != SOA_WORLD) {
            add_joint(w, k);
        }
    }
    for (int k = 0; k < soa_model_frames(w->model); k++) {
        add_frame(w, soa_model_frame(w->model, k));
    }
    for (int k = 0; k < links; k++) {
        add_transmission(w, k);
    }
    soa_text_add(w->text, "</robot>\n");
}

soa_status soa_urdf_write(const soa_model *model, soa_text *text, soa_error *error)
{
    const soa_status status = soa_urdf_check(model, error);
    if (status != SOA_OK) {
        return status;
    }
    writer w = { .model = model, .text = text, .world = needs_world(model) ? "world" : NULL };
    if (w.world && (soa_model_find_link(model, w.world) >= 0 || soa_model_find_frame(model, w.world) >= 0)) {
        return soa_fail(error, SOA_E_UNSUPPORTED, -1,
            "URDF needs a link 'world' for what hangs on the world, but the name is taken; rename that link");
    }
    const soa_allocator *allocator = text->allocator;
    w.coupling = couplings_of_links(model, allocator);
    const bool room = w.coupling && soa_by_link_make(&w.geometry, model, soa_model_geometries(model),
                                        soa_link_of_geometry, allocator);
    if (room) {
        add_robot(&w);
    }
    soa_release(allocator, w.coupling);
    soa_by_link_free(&w.geometry, allocator);
    return room ? SOA_OK : soa_fail_memory(error);
}
