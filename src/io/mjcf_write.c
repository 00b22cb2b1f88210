/* io/mjcf_write.c - a model as MJCF: bodies, inertias, sites.
 *
 * Everything is written out: no default classes, radians, explicit inertias and
 * limits, so that MuJoCo 2 and 3 read the same. Bodies are written without
 * recursion: a chain of links may be long. */
#include "io/mjcf_write.h"

#include <string.h>

#include "core/error.h"

bool soa_mjcf_refuse(mjcf_writer *w, const char *what, const char *name, const char *why)
{
    w->status = soa_fail(w->error, SOA_E_UNSUPPORTED, -1, "%s '%s': %s; MJCF cannot say it, write YAML", what,
        name ? name : "(unnamed)", why);
    return false;
}

/* ---- attributes -------------------------------------------------------------------------- */

void soa_mjcf_write_pose(mjcf_writer *w, const soa_pose *pose)
{
    double wxyz[4];
    soa_pose_quaternion(pose, wxyz);
    soa_xml_write_numbers(w->text, "pos", 3, pose->position);
    if (wxyz[1] != 0.0 || wxyz[2] != 0.0 || wxyz[3] != 0.0) {
        soa_xml_write_numbers(w->text, "quat", 4, wxyz);
    }
}

void soa_mjcf_write_joint_name(mjcf_writer *w, const char *attribute, int link)
{
    char buffer[SOA_WRITTEN_NAME];
    soa_xml_write_attribute(w->text, attribute, soa_written_joint(w->model, link, "/joint", buffer));
}

const char *soa_mjcf_body_name(const mjcf_writer *w, int link)
{
    const char *name = link == SOA_WORLD ? "world" : soa_model_link(w->model, link)->name;
    return link != SOA_WORLD && strcmp(name, "world") == 0 ? w->made_name : name;
}

/* ---- places ------------------------------------------------------------------------------ */

/* Where a link stands in its parent at the reference. */
static soa_pose stand_of(const soa_link *link)
{
    soa_pose pose = link->joint.child;
    if (link->joint.kind == SOA_FREE) {
        const soa_pose moved = soa_pose_from_quaternion(link->joint.neutral + 4, link->joint.neutral);
        pose = soa_pose_compose(&moved, &pose);
    }
    return soa_pose_compose(&link->joint.at, &pose);
}

soa_pose soa_mjcf_stand_in_world(const mjcf_writer *w, int link)
{
    soa_pose pose = soa_pose_identity();
    while (link != SOA_WORLD) {
        const soa_link *l = soa_model_link(w->model, link);
        const soa_pose stand = stand_of(l);
        pose = soa_pose_compose(&stand, &pose);
        link = l->parent;
    }
    return pose;
}

bool soa_mjcf_is_carrier(const mjcf_writer *w, int link)
{
    if (link == SOA_WORLD) {
        return false;
    }
    const soa_link *l = soa_model_link(w->model, link);
    const int child = w->first[link];
    return (l->flags & SOA_LINK_VIRTUAL) && l->inertia.mass == 0.0 && child >= 0 && w->next[child] < 0 &&
           w->frame.first[link] < 0 && w->geometry.first[link] < 0 &&
           soa_model_link(w->model, child)->joint.kind != SOA_FIXED;
}

/* The body in the frame of the body it is written in. */
static soa_pose stand_in_body(const mjcf_writer *w, int link)
{
    const soa_link *l = soa_model_link(w->model, link);
    if (l->joint.kind == SOA_FREE) {
        return soa_mjcf_stand_in_world(w, link);
    }
    soa_pose pose = stand_of(l);
    for (int p = l->parent; soa_mjcf_is_carrier(w, p); p = soa_model_link(w->model, p)->parent) {
        const soa_pose stand = stand_of(soa_model_link(w->model, p));
        pose = soa_pose_compose(&stand, &pose);
    }
    return pose;
}

/* ---- order ------------------------------------------------------------------------------- */

/* A free body hangs on the world in MJCF; links welded to the world may stand between. */
static bool written_parent(mjcf_writer *w, int link, int *parent)
{
    const soa_link *l = soa_model_link(w->model, link);
    *parent = l->parent == SOA_WORLD ? w->links : l->parent;
    if (l->joint.kind != SOA_FREE || l->parent == SOA_WORLD) {
        return true;
    }
    if (soa_model_link_body(w->model, l->parent, NULL) != SOA_WORLD) {
        return soa_mjcf_refuse(w, "joint", l->joint.name, "is free and hangs on a link that moves");
    }
    *parent = w->links;
    return true;
}

static bool list_children(mjcf_writer *w)
{
    for (int i = 0; i <= w->links; i++) {
        w->first[i] = -1;
    }
    for (int i = w->links - 1; i >= 0; i--) {
        int parent;
        if (!written_parent(w, i, &parent)) {
            return false;
        }
        w->next[i] = w->first[parent];
        w->first[parent] = i;
    }
    return true;
}

/* ---- bodies ------------------------------------------------------------------------------ */

/* A matrix without products is written as such: MuJoCo wants fullinertia to be positive definite. */
static void write_inertial(mjcf_writer *w, const soa_inertia *inertia)
{
    const double *I = inertia->moment;
    const double full[6] = { I[0], I[3], I[5], I[1], I[2], I[4] };
    const bool diagonal = full[3] == 0.0 && full[4] == 0.0 && full[5] == 0.0;
    soa_text_add(w->text, "<inertial");
    soa_xml_write_numbers(w->text, "pos", 3, inertia->com);
    soa_xml_write_numbers(w->text, "mass", 1, &inertia->mass);
    soa_xml_write_numbers(w->text, diagonal ? "diaginertia" : "fullinertia", diagonal ? 3 : 6, full);
    soa_text_add(w->text, "/>\n");
}

static void write_sites(mjcf_writer *w, int place)
{
    for (int i = w->frame.first[place]; i >= 0; i = w->frame.next[i]) {
        const soa_frame *frame = soa_model_frame(w->model, i);
        soa_text_add(w->text, "<site");
        soa_xml_write_attribute(w->text, "name", frame->name);
        soa_mjcf_write_pose(w, &frame->at);
        soa_text_add(w->text, "/>\n");
    }
}

static bool open_body(mjcf_writer *w, int link)
{
    const soa_link *l = soa_model_link(w->model, link);
    w->order[w->written++] = link;
    if (soa_mjcf_is_carrier(w, link)) {
        return true;
    }
    const soa_pose at = stand_in_body(w, link);
    soa_text_add(w->text, "<body");
    soa_xml_write_attribute(w->text, "name", soa_mjcf_body_name(w, link));
    soa_mjcf_write_pose(w, &at);
    soa_text_add(w->text, ">\n");
    if (++w->depth > SOA_MAX_DEPTH - 1) {
        return soa_mjcf_refuse(w, "link", l->name, "too many bodies hang on one another, and files may not be so deep");
    }
    write_inertial(w, &l->inertia);
    write_sites(w, link);
    soa_mjcf_write_geoms(w, link);
    return soa_mjcf_write_joints(w, link);
}

static void close_body(mjcf_writer *w, int link)
{
    if (!soa_mjcf_is_carrier(w, link)) {
        soa_text_add(w->text, "</body>\n");
        w->depth--;
    }
}

/* Where we go after a link that has no children, closing on the way; -1: nowhere. */
static int after(mjcf_writer *w, int link)
{
    while (link >= 0) {
        close_body(w, link);
        if (w->next[link] >= 0) {
            return w->next[link];
        }
        const soa_link *l = soa_model_link(w->model, link);
        link = l->joint.kind == SOA_FREE ? SOA_WORLD : l->parent;
    }
    return -1;
}

static bool write_bodies(mjcf_writer *w)
{
    for (int link = w->first[w->links]; link >= 0;) {
        if (!open_body(w, link)) {
            return false;
        }
        link = w->first[link] >= 0 ? w->first[link] : after(w, link);
    }
    return true;
}

/* ---- file -------------------------------------------------------------------------------- */

static void write_head(mjcf_writer *w)
{
    double gravity[3];
    int massless = 0;
    soa_model_gravity(w->model, gravity);
    for (int i = 0; i < w->links; i++) {
        massless += soa_model_link(w->model, i)->inertia.mass == 0.0 && !soa_mjcf_is_carrier(w, i);
    }
    soa_text_add(w->text, "<mujoco");
    soa_xml_write_attribute(w->text, "model", soa_model_name(w->model));
    soa_text_add(w->text, ">\n<!-- Written by soa %s. Limits of velocity and force are left out.", soa_version());
    if (soa_model_find_link(w->model, "world") >= 0) {
        soa_free_link_name(w->model, "world", "_link", w->made_name);
        soa_text_add(w->text, "\n     The body 'world' is called ");
        soa_xml_write_text(w->text, w->made_name);
        soa_text_add(w->text, " here: the word means the world.");
    }
    if (massless > 0) {
        soa_text_add(w->text, "\n     %d bodies have no mass; MuJoCo refuses a body that moves no mass.", massless);
    }
    soa_text_add(w->text,
        " -->\n<compiler angle=\"radian\" inertiafromgeom=\"false\" balanceinertia=\"false\" boundmass=\"0\" "
        "boundinertia=\"0\"/>\n<option");
    soa_xml_write_numbers(w->text, "gravity", 3, gravity);
    soa_text_add(w->text, "/>\n");
}

static bool write_all(mjcf_writer *w)
{
    if (!list_children(w)) {
        return false;
    }
    write_head(w);
    if (!soa_mjcf_write_assets(w)) {
        return false;
    }
    soa_text_add(w->text, "<worldbody>\n");
    w->depth = 2;
    write_sites(w, w->links);
    soa_mjcf_write_geoms(w, w->links);
    if (!write_bodies(w)) {
        return false;
    }
    soa_text_add(w->text, "</worldbody>\n");
    if (!soa_mjcf_write_equality(w) || !soa_mjcf_write_keyframe(w)) {
        return false;
    }
    soa_text_add(w->text, "</mujoco>\n");
    return true;
}

/* The arrays and lists of a writer; false: no memory. */
static bool prepare(mjcf_writer *w)
{
    const soa_allocator *allocator = w->text->allocator;
    const size_t n = (size_t)w->links + 1;
    w->first = soa_arena_take(&w->arena, n, sizeof *w->first);
    w->next = soa_arena_take(&w->arena, n, sizeof *w->next);
    w->order = soa_arena_take(&w->arena, n, sizeof *w->order);
    w->mesh = soa_arena_take(&w->arena, (size_t)soa_model_geometries(w->model) + 1, sizeof *w->mesh);
    return w->first && w->next && w->order && w->mesh &&
           soa_by_link_make(&w->frame, w->model, soa_model_frames(w->model), soa_link_of_frame, allocator) &&
           soa_by_link_make(&w->geometry, w->model, soa_model_geometries(w->model), soa_link_of_geometry, allocator);
}

soa_status soa_mjcf_write(const soa_model *model, soa_text *text, soa_error *error)
{
    const soa_allocator *allocator = text->allocator;
    mjcf_writer w = {
        .model = model, .text = text, .error = error, .links = soa_model_links(model), .arena = soa_arena_on(allocator)
    };
    if (!prepare(&w) || (write_all(&w) && text->failed)) {
        w.status = soa_fail_memory(error);
    }
    soa_by_link_free(&w.frame, allocator);
    soa_by_link_free(&w.geometry, allocator);
    soa_names_free(&w.mesh_names, allocator);
    soa_names_free(&w.material_names, allocator);
    soa_names_free(&w.geom_names, allocator);
    soa_arena_free(&w.arena);
    return w.status;
}
