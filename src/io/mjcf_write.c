/* io/mjcf_write.c - a model as MJCF: bodies, inertias, sites.
 *
 * Everything is written out: no default classes, radians, explicit inertias and
 * limits, so that MuJoCo 2 and 3 read the same. Bodies are written without
 * recursion: a chain of links may be long. */
#include "io/mjcf_write.h"

#include <string.h>

void soa_mjcf_refuse(mjcf_writer *w, const char *what, const char *name, const char *why)
{
    soa_halt(&w->outcome, SOA_E_UNSUPPORTED, NULL, 0, "%s '%s': %s; MJCF cannot say it, write YAML", what,
        name ? name : "(unnamed)", why);
}

/* ---- attributes -------------------------------------------------------------------------- */

void soa_mjcf_write_pose(mjcf_writer *w, const soa_pose *pose)
{
    double wxyz[4];
    soa_pose_quaternion(pose, wxyz);
    const bool turned = wxyz[1] != 0.0 || wxyz[2] != 0.0 || wxyz[3] != 0.0;
    soa_xml_write(w->text, turned ? " pos=$3 quat=$4" : " pos=$3", pose->position, wxyz);
}

const char *soa_mjcf_joint_name(const mjcf_writer *w, int link, char buffer[SOA_WRITTEN_NAME])
{
    return soa_written_joint(w->model, link, "/joint", buffer);
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
static int written_parent(mjcf_writer *w, int link)
{
    const soa_link *l = soa_model_link(w->model, link);
    const bool lifted = l->joint.kind == SOA_FREE && l->parent != SOA_WORLD;
    if (lifted && soa_model_link_body(w->model, l->parent, NULL) != SOA_WORLD) {
        soa_mjcf_refuse(w, "joint", l->joint.name, "is free and hangs on a link that moves");
    }
    return l->parent == SOA_WORLD || lifted ? w->links : l->parent;
}

static void list_children(mjcf_writer *w)
{
    for (int i = 0; i <= w->links; i++) {
        w->first[i] = -1;
    }
    for (int i = w->links - 1; i >= 0; i--) {
        const int parent = written_parent(w, i);
        w->next[i] = w->first[parent];
        w->first[parent] = i;
    }
}

/* ---- bodies ------------------------------------------------------------------------------ */

/* A matrix without products is written as such: MuJoCo wants fullinertia to be positive definite. */
static void write_inertial(mjcf_writer *w, const soa_inertia *inertia)
{
    const double *I = inertia->moment;
    const double full[6] = { I[0], I[3], I[5], I[1], I[2], I[4] };
    const bool diagonal = full[3] == 0.0 && full[4] == 0.0 && full[5] == 0.0;
    soa_xml_write(w->text,
        diagonal ? "<inertial pos=$3 mass=$1 diaginertia=$3/>\n" : "<inertial pos=$3 mass=$1 fullinertia=$6/>\n",
        inertia->com, &inertia->mass, full);
}

static void write_sites(mjcf_writer *w, int place)
{
    for (int i = w->frame.first[place]; i >= 0; i = w->frame.next[i]) {
        const soa_frame *frame = soa_model_frame(w->model, i);
        soa_xml_write(w->text, "<site name=$s", frame->name);
        soa_mjcf_write_pose(w, &frame->at);
        soa_text_add(w->text, "/>\n");
    }
}

static void open_body(mjcf_writer *w, int link)
{
    const soa_link *l = soa_model_link(w->model, link);
    w->order[w->written++] = link;
    if (soa_mjcf_is_carrier(w, link)) {
        return;
    }
    const soa_pose at = stand_in_body(w, link);
    soa_xml_write(w->text, "<body name=$s", soa_mjcf_body_name(w, link));
    soa_mjcf_write_pose(w, &at);
    soa_text_add(w->text, ">\n");
    if (++w->depth > SOA_MAX_DEPTH - 1) {
        soa_mjcf_refuse(w, "link", l->name, "too many bodies hang on one another, and files may not be so deep");
    }
    write_inertial(w, &l->inertia);
    write_sites(w, link);
    soa_mjcf_write_geoms(w, link);
    soa_mjcf_write_joints(w, link);
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

/* ---- file -------------------------------------------------------------------------------- */

static void write_head(mjcf_writer *w)
{
    double gravity[3];
    int massless = 0;
    soa_model_gravity(w->model, gravity);
    for (int i = 0; i < w->links; i++) {
        massless += soa_model_link(w->model, i)->inertia.mass == 0.0 && !soa_mjcf_is_carrier(w, i);
    }
    soa_xml_write(w->text, "<mujoco model=$s>\n<!-- Written by soa $t. Limits of velocity and force are left out.",
        soa_model_name(w->model), soa_version());
    if (soa_model_find_link(w->model, "world") >= 0) {
        soa_xml_write(w->text, "\n     The body 'world' is called $t here: the word means the world.",
            soa_free_name(w->model, soa_model_find_link, "world", "_link", w->made_name));
    }
    if (massless > 0) {
        soa_text_add(w->text, "\n     %d bodies have no mass; MuJoCo refuses a body that moves no mass.", massless);
    }
    soa_xml_write(w->text,
        " -->\n<compiler angle=\"radian\" inertiafromgeom=\"false\" balanceinertia=\"false\" boundmass=\"0\" "
        "boundinertia=\"0\"/>\n<option gravity=$3/>\n",
        gravity);
}

static void write_all(mjcf_writer *w)
{
    list_children(w);
    write_head(w);
    soa_mjcf_write_assets(w);
    soa_text_add(w->text, "<worldbody>\n");
    w->depth = 2;
    write_sites(w, w->links);
    soa_mjcf_write_geoms(w, w->links);
    for (int link = w->first[w->links]; link >= 0 && soa_ok(&w->outcome);) {
        open_body(w, link);
        link = w->first[link] >= 0 ? w->first[link] : after(w, link);
    }
    soa_text_add(w->text, "</worldbody>\n");
    soa_mjcf_write_equality(w);
    if (soa_ok(&w->outcome)) {
        soa_mjcf_write_keyframe(w);
    }
    soa_text_add(w->text, "</mujoco>\n");
}

/* The arrays and lists of a writer. */
static void prepare(mjcf_writer *w)
{
    const soa_description *d = &w->model->description;
    const size_t n = (size_t)w->links + 1;
    w->first = soa_arena_take(&w->arena, 3 * n, sizeof *w->first);
    w->mesh = soa_arena_take(&w->arena, (size_t)d->geometry.count + 1, sizeof *w->mesh);
    soa_by_link_make(&w->frame, w->model, &d->frame, offsetof(soa_frame, link), &w->arena, &w->outcome);
    soa_by_link_make(&w->geometry, w->model, &d->geometry, offsetof(soa_geometry, link), &w->arena, &w->outcome);
    if (soa_got(&w->outcome, w->first) && soa_got(&w->outcome, w->mesh)) {
        w->next = w->first + n;
        w->order = w->next + n;
    }
}

soa_status soa_mjcf_write(const soa_model *model, soa_text *text, soa_error *error)
{
    const soa_allocator *allocator = text->allocator;
    mjcf_writer w = { .model = model,
        .text = text,
        .outcome = { error, SOA_OK },
        .links = soa_model_links(model),
        .arena = soa_arena_on(allocator) };
    prepare(&w);
    if (soa_ok(&w.outcome)) {
        write_all(&w);
    }
    soa_names_free(&w.mesh_names, allocator);
    soa_names_free(&w.material_names, allocator);
    soa_names_free(&w.geom_names, allocator);
    soa_arena_free(&w.arena);
    return w.outcome.status;
}
