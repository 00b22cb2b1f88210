/* io/urdf_write.c - a model as URDF, if URDF can say it.
 *
 * The frame of a URDF link is the moving side of its joint. A model's link may be
 * placed elsewhere in it (joint.child): then the written link stands at the joint
 * and its inertia, the joints it carries and its frames are given from there. A
 * frame becomes a massless link on a weld. What hangs on the world hangs on a
 * link `world`, unless it is one link, welded where the world is. */
#include <string.h>

#include "core/error.h"
#include "io/urdf_write.h"
#include "io/write.h"

/* ---- placements ------------------------------------------------------------------- */

void soa_urdf_write_origin(soa_text *text, const char *indent, const soa_pose *pose)
{
    if (soa_is_identity(pose)) {
        return;
    }
    double rpy[3];
    soa_pose_rpy(pose, rpy);
    soa_xml_write(text, "$t<origin xyz=$3 rpy=$3/>\n", indent, pose->position, rpy);
}

/* ---- links ------------------------------------------------------------------------ */

static void add_inertial(soa_text *text, const soa_inertia *inertia)
{
    const double *I = inertia->moment;
    soa_pose at = soa_pose_identity();
    memcpy(at.position, inertia->com, sizeof at.position);
    soa_text_add(text, "    <inertial>\n");
    soa_urdf_write_origin(text, "      ", &at);
    soa_xml_write(text,
        "      <mass value=$1/>\n      <inertia ixx=$1 ixy=$1 ixz=$1 iyy=$1 iyz=$1 izz=$1/>\n    </inertial>\n",
        &inertia->mass, &I[0], &I[1], &I[2], &I[3], &I[4], &I[5]);
}

/* What a link looks like; the number of links stands for the world. */
static void add_geometry(const urdf_writer *w, int link, const soa_pose *place)
{
    for (int i = w->geometry.first[link]; i >= 0; i = w->geometry.next[i]) {
        const soa_geometry *g = soa_model_geometry(w->model, i);
        if (soa_urdf_has_shape(g->shape)) {
            soa_urdf_write_geometry(w->text, g, place);
        }
    }
}

static void add_link(const urdf_writer *w, int link)
{
    const soa_link *l = soa_model_link(w->model, link);
    const soa_pose place = soa_urdf_inside(w->model, link);
    const soa_inertia inertia = soa_is_identity(&place) ? l->inertia : soa_inertia_transform(&place, &l->inertia);
    const bool massless = (l->flags & SOA_LINK_NO_INERTIA) && inertia.mass == 0.0;
    const bool bare = massless && w->geometry.first[link] < 0;
    soa_xml_write(w->text, bare ? "  <link name=$s/>\n" : "  <link name=$s>\n", l->name);
    if (bare) {
        return;
    }
    if (!massless) {
        add_inertial(w->text, &inertia);
    }
    add_geometry(w, link, &place);
    soa_text_add(w->text, "  </link>\n");
}

/* ---- the whole -------------------------------------------------------------------- */

/* Whether the world needs a link: it carries anything but one welded link that
 * stands where it does. */
static bool needs_world(const soa_model *model)
{
    int roots = 0;
    for (int k = 0; k < soa_model_links(model); k++) {
        const soa_link *link = soa_model_link(model, k);
        if (link->parent == SOA_WORLD) {
            roots++;
            if (link->joint.kind != SOA_FIXED || link->joint.name || !soa_is_identity(&link->joint.at) ||
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

/* A comment on the shapes that are left out: those URDF does not have, and those of a world that is no link. */
static void add_unsaid(const urdf_writer *w)
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

static void add_robot(const urdf_writer *w)
{
    const char *name = soa_model_name(w->model);
    const int links = soa_model_links(w->model);
    soa_xml_write(
        w->text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<robot name=$s>\n", name && *name ? name : "robot");
    add_unsaid(w);
    if (w->world) {
        const soa_pose none = soa_pose_identity();
        const bool bare = w->geometry.first[links] < 0;
        soa_text_add(w->text, bare ? "  <link name=\"world\"/>\n" : "  <link name=\"world\">\n");
        add_geometry(w, links, &none);
        soa_text_add(w->text, "%s", bare ? "" : "  </link>\n");
    }
    for (int k = 0; k < links; k++) {
        add_link(w, k);
    }
    for (int k = 0; k < links; k++) {
        if (w->world || soa_model_link(w->model, k)->parent != SOA_WORLD) {
            soa_urdf_write_joint(w, k);
        }
    }
    for (int k = 0; k < soa_model_frames(w->model); k++) {
        soa_urdf_write_frame(w, soa_model_frame(w->model, k));
    }
    for (int k = 0; k < links; k++) {
        soa_urdf_write_transmission(w, k);
    }
    soa_text_add(w->text, "</robot>\n");
}

soa_status soa_urdf_write(const soa_model *model, soa_text *text, soa_error *error)
{
    const soa_status status = soa_urdf_check(model, error);
    if (status != SOA_OK) {
        return status;
    }
    urdf_writer w = { .model = model, .text = text, .world = needs_world(model) ? "world" : NULL };
    if (w.world && (soa_model_find_link(model, w.world) >= 0 || soa_model_find_frame(model, w.world) >= 0)) {
        return soa_fail(error, SOA_E_UNSUPPORTED, -1,
            "URDF needs a link 'world' for what hangs on the world, but the name is taken; rename that link");
    }
    soa_arena arena = soa_arena_on(text->allocator);
    soa_outcome outcome = { error, SOA_OK };
    const soa_description *d = &model->description;
    soa_by_link_make(&w.coupling, model, &d->coupling, offsetof(soa_coupling, link), &arena, &outcome);
    soa_by_link_make(&w.geometry, model, &d->geometry, offsetof(soa_geometry, link), &arena, &outcome);
    if (soa_ok(&outcome)) {
        add_robot(&w);
    }
    soa_arena_free(&arena);
    return outcome.status;
}
