/* model/bodies.c - bodies and inertias from a description.
 *
 * A link with a joint that moves starts a body; a welded link joins the body of its parent. */
#include <string.h>

#include "core/error.h"
#include "model/model.h"

/* ---- bodies ----------------------------------------------------------------------- */

/* The placement of a parent: body and pose of the link frame in the body frame. */
static soa_link_place parent_place(const soa_model *m, const soa_link *link)
{
    if (link->parent == SOA_WORLD) {
        return (soa_link_place){ SOA_WORLD, soa_pose_identity() };
    }
    return m->place[link->parent];
}

static void weld(soa_model *m, int l)
{
    const soa_link *link = soa_description_link(&m->description, l);
    const soa_link_place parent = parent_place(m, link);
    const soa_pose in_parent = soa_pose_compose(&link->joint.at, &link->joint.child);
    m->place[l] = (soa_link_place){ parent.body, soa_pose_compose(&parent.at, &in_parent) };
    if (parent.body != SOA_WORLD) {
        m->body[parent.body].rest->links++;
    }
}

static soa_joint_class class_of(const soa_joint *joint)
{
    switch (joint->kind) {
    case SOA_REVOLUTE:
    case SOA_CONTINUOUS:
        return SOA_CLASS_REVOLUTE;
    case SOA_PRISMATIC:
        return SOA_CLASS_PRISMATIC;
    case SOA_FREE:
        return joint->reversed ? SOA_CLASS_GENERAL : SOA_CLASS_FREE;
    default:
        return SOA_CLASS_GENERAL;
    }
}

/* One more body, whose joint stands at `at` in its parent link or in a node of it. */
static soa_body_data *add_body(soa_model *m, int l, const soa_pose *at)
{
    const soa_link *link = soa_description_link(&m->description, l);
    const soa_link_place parent = parent_place(m, link);
    const int k = m->bodies++;
    soa_body_data *body = &m->body[k];
    memset(body, 0, sizeof *body);
    memset(&m->rest[k], 0, sizeof *m->rest);
    body->rest = &m->rest[k];
    body->parent = parent.body;
    body->q = m->nq;
    body->v = m->nv;
    body->rest->link = l;
    body->rest->links = 1;
    body->rest->node = link->node;
    body->rest->at = link->node > 0 ? *at : soa_pose_compose(&parent.at, at);
    return body;
}

/* The velocities of the body are those of modes; none: it is welded to a flexible link. */
static void set_modal(soa_model *m, soa_body_data *body, int modes)
{
    body->kind = SOA_FIXED;
    body->rest->shape.kind = SOA_FIXED;
    body->joint_class = SOA_CLASS_MODAL;
    body->nv = (unsigned char)modes;
    body->rest->nq = modes;
    m->nq += modes;
    m->nv += modes;
    m->flexible = true;
}

/* A body for the modes of a flexible link, or for a link that is welded to one. */
static void start_modal(soa_model *m, int l)
{
    const soa_link *link = soa_description_link(&m->description, l);
    const soa_pose in_parent = soa_pose_compose(&link->joint.at, &link->joint.child);
    soa_body_data *body = add_body(m, l, &in_parent);
    body->rest->frame = soa_pose_identity();
    if (link->joint.kind != SOA_FIXED) { /* it moves with the body that the joint moves, in the same frame */
        soa_body_data *hinge = &m->body[m->place[l].body];
        hinge->rest->links = 0;
        body->parent = m->place[l].body;
        body->rest->node = 0;
        body->rest->at = soa_pose_identity();
        body->rest->in_place = true;
        body->rest->frame = hinge->rest->frame;
    }
    set_modal(m, body, link->flexible ? link->flexible->modes : 0);
    m->place[l] = (soa_link_place){ m->bodies - 1, body->rest->frame };
}

/* Whether the joint of a link has a rotor that moves with a flexible link: a body before the joint then holds it. */
static bool is_held(const soa_model *m, const soa_link *link)
{
    const soa_link *parent = soa_description_link(&m->description, link->parent);
    const soa_rotor *rotor = &link->joint.rotor;
    const bool carried = rotor->mass > 0.0 || rotor->transverse > 0.0 || rotor->ratio * rotor->spin != 0.0;
    return parent && parent->flexible && link->joint.kind != SOA_FIXED && carried;
}

/* The body that holds the rotor, where the joint is placed: in the frame of a node or of the parent. */
static void start_holder(soa_model *m, int l)
{
    const soa_pose there = soa_pose_identity();
    soa_body_data *body = add_body(m, l, &there);
    body->rest->frame = there;
    body->rest->links = 0;
    set_modal(m, body, 0);
}

static void start_body(soa_model *m, int l)
{
    const soa_link *link = soa_description_link(&m->description, l);
    soa_joint_shape shape;
    const soa_pose C = soa_canonical_turn(&link->joint, &shape);
    const soa_pose C_inv = soa_pose_inverse(&C);
    const soa_pose fixed = soa_pose_compose(&link->joint.at, &C);
    const soa_pose reference = soa_reference_pose(&link->joint);
    const soa_pose fixed_ref = soa_pose_compose(&fixed, &reference);
    if (is_held(m, link)) {
        start_holder(m, l);
    }
    soa_body_data *body = add_body(m, l, &fixed_ref);
    if (is_held(m, link)) {
        body->parent = m->bodies - 2;
        body->rest->node = SOA_LINK_FRAME;
        body->rest->at = fixed_ref;
    }
    body->rest->shape = shape;
    body->joint_class = (unsigned char)class_of(&link->joint);
    body->rest->nq = soa_joint_kind_nq(link->joint.kind);
    body->nv = (unsigned char)soa_joint_kind_nv(link->joint.kind);
    m->nq += body->rest->nq;
    m->nv += body->nv;
    body->kind = (unsigned char)(body->rest->shape.reversed ? SOA_JOINT_KINDS : link->joint.kind);
    body->pitch = body->rest->shape.pitch;
    body->rest->frame = soa_pose_compose(&C_inv, &link->joint.child);
    m->place[l] = (soa_link_place){ m->bodies - 1, body->rest->frame };
    if (link->flexible) {
        start_modal(m, l);
    }
}

/* Whether a welded link is a body of its own: it is flexible, or moves with a flexible one. */
static bool stands_alone(const soa_model *m, const soa_link *link)
{
    const soa_link *parent = soa_description_link(&m->description, link->parent);
    return link->flexible || (parent && parent->flexible);
}

/* The rotor of a joint as a body in the parent link's frame: moments transverse
 * across the axis, spin along it. */
static soa_inertia rotor_inertia(const soa_rotor *rotor)
{
    double u[3];
    soa_unit_vector(rotor->axis, u);
    const double t = rotor->transverse, s = rotor->spin - rotor->transverse;
    soa_inertia inertia = { .mass = rotor->mass,
        .moment = { t + s * u[0] * u[0], s * u[0] * u[1], s * u[0] * u[2], t + s * u[1] * u[1], s * u[1] * u[2],
            t + s * u[2] * u[2] } };
    memcpy(inertia.com, rotor->com, sizeof inertia.com);
    return inertia;
}

/* Adds an inertia given in a link's frame to the body the link belongs to. */
static void add_inertia(soa_model *m, int l, const soa_inertia *inertia)
{
    m->mass += inertia->mass;
    if (l == SOA_WORLD || m->place[l].body == SOA_WORLD) {
        return;
    }
    soa_body_data *body = &m->body[m->place[l].body];
    if (body->rest->link == l) {
        body->rest->link_inertia = soa_inertia_add(&body->rest->link_inertia, inertia);
        return;
    }
    const soa_pose frame_inv = soa_pose_inverse(&body->rest->frame);
    const soa_pose in_link = soa_pose_compose(&frame_inv, &m->place[l].at);
    const soa_inertia moved = soa_inertia_transform(&in_link, inertia);
    body->rest->link_inertia = soa_inertia_add(&body->rest->link_inertia, &moved);
}

/* The parts of [GEAR] that are constant: what the rotor adds to D, and its
 * momentum per joint rate in the parent's body frame. */
static void set_rotor(soa_model *m, soa_body_data *body)
{
    const soa_link *link = soa_description_link(&m->description, body->rest->link);
    const soa_rotor *rotor = &link->joint.rotor;
    if (body->joint_class == SOA_CLASS_MODAL) {
        return;
    }
    body->armature = rotor->armature + rotor->ratio * rotor->ratio * rotor->spin;
    body->motor = body->armature != 0.0;
    if (rotor->mass > 0.0 || rotor->transverse > 0.0) {
        const soa_inertia inertia = rotor_inertia(rotor);
        soa_inertia *held = is_held(m, link) ? &m->rest[body->parent].link_inertia : NULL;
        add_inertia(m, held ? SOA_WORLD : link->parent, &inertia);
        if (held) {
            *held = inertia;
        }
    }
    const double momentum = rotor->ratio * rotor->spin;
    if (momentum != 0.0 && body->parent != SOA_WORLD) {
        const soa_pose at = is_held(m, link) ? soa_pose_identity() : m->place[link->parent].at;
        double u[3];
        soa_unit_vector(rotor->axis, u);
        for (int i = 0; i < 3; i++) {
            body->rest->gear[i] =
                momentum * (at.rotation[i][0] * u[0] + at.rotation[i][1] * u[1] + at.rotation[i][2] * u[2]);
        }
        body->geared = true;
    }
}

/* m; m p; J about the origin of the body frame. */
static void set_inertia(soa_body_data *body)
{
    const soa_inertia I = soa_inertia_transform(&body->rest->frame, &body->rest->link_inertia);
    const double m = I.mass, *p = I.com;
    body->inertia[0] = m;
    for (int i = 0; i < 3; i++) {
        body->inertia[1 + i] = m * p[i];
    }
    const double pp = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
    int e = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++, e++) {
            body->inertia[4 + e] = I.moment[e] + m * ((i == j ? pp : 0.0) - p[i] * p[j]);
        }
    }
}

/* The bodies whose q begins with a quaternion. false: no memory. */
static bool list_quaternions(soa_model *m)
{
    m->quaternion = soa_arena_take(&m->arena, (size_t)m->bodies, sizeof *m->quaternion);
    if (!m->quaternion) {
        return false;
    }
    for (int k = 0; k < m->bodies; k++) {
        if (m->body[k].rest->nq > m->body[k].nv) {
            m->quaternion[m->quaternions++] = k;
        }
    }
    return true;
}

static void mark_keepers(soa_model *m)
{
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        if (body->parent >= 0 && (body->parent != k - 1 || !soa_is_screw(body) || body->armature != 0.0)) {
            m->body[body->parent].keeps = true;
        }
    }
}

/* Where the angles of joints about z are. false: no memory. */
static bool list_angles(soa_model *m)
{
    const size_t n = (size_t)m->bodies + SOA_ANGLES_AT_ONCE;
    m->angle = soa_arena_take(&m->arena, n, sizeof *m->angle);
    m->angle_zero = soa_arena_take(&m->arena, n, sizeof *m->angle_zero);
    if (!m->angle || !m->angle_zero) {
        return false;
    }
    memset(m->angle, 0, n * sizeof *m->angle);
    memset(m->angle_zero, 0, n * sizeof *m->angle_zero);
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        if (soa_has_angle(body)) {
            m->angle[k] = body->kind == SOA_PLANAR ? body->q + 2 : body->q;
            m->angle_zero[k] = body->joint_class == SOA_CLASS_REVOLUTE ? body->screw.theta : 0.0;
        }
    }
    return true;
}

soa_status soa_make_bodies(soa_model *m, const int *order, soa_error *error)
{
    const int links = m->description.link.count;
    int moving = 0;
    for (int i = 0; i < links; i++) {
        const soa_link *link = soa_description_link(&m->description, i);
        moving += (link->joint.kind != SOA_FIXED) + stands_alone(m, link) + is_held(m, link);
    }
    m->place = soa_allocate(&m->allocator, (size_t)links + 1, sizeof *m->place);
    m->body = soa_allocate(&m->allocator, (size_t)moving + 1, sizeof *m->body);
    m->rest = soa_allocate(&m->allocator, (size_t)moving + 1, sizeof *m->rest);
    if (!m->place || !m->body || !m->rest) {
        return soa_fail_memory(error);
    }
    for (int i = 0; i < links; i++) {
        const soa_link *link = soa_description_link(&m->description, order[i]);
        const bool fixed = link->joint.kind == SOA_FIXED;
        (!fixed ? start_body : stands_alone(m, link) ? start_modal : weld)(m, order[i]);
    }
    if (!soa_align_frames(m)) {
        return soa_fail_memory(error);
    }
    for (int i = 0; i < links; i++) {
        add_inertia(m, i, &soa_description_link(&m->description, i)->inertia);
    }
    for (int k = 0; k < m->bodies; k++) {
        set_rotor(m, &m->body[k]);
    }
    for (int k = 0; k < m->bodies; k++) {
        set_inertia(&m->body[k]);
    }
    mark_keepers(m);
    return soa_make_modal(m) && soa_assign_slots(m) && list_quaternions(m) && list_angles(m) ? SOA_OK
                                                                                             : soa_fail_memory(error);
}
