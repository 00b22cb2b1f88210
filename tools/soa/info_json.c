/* info_json.c - a model as JSON. */
#include <string.h>

#include "compute.h"
#include "json.h"

/* ---- joints ------------------------------------------------------------------------ */

/* The coupling that drives the joint of each link, or -1. */
static int *coupling_of_link(const soa_model *model)
{
    const int n = soa_model_links(model);
    int *coupling = tool_take((size_t)n + 1, sizeof *coupling);
    for (int k = 0; k < n; k++) {
        coupling[k] = -1;
    }
    for (int i = 0; i < soa_model_couplings(model); i++) {
        coupling[soa_model_coupling(model, i)->link] = i;
    }
    return coupling;
}

static json_t *coupling_json(const soa_model *model, const soa_coupling *c)
{
    const soa_link *link = soa_model_link(model, c->link);
    const soa_link *driver = c->driver < 0 ? NULL : soa_model_link(model, c->driver);
    return json_pack("{s:o, s:o, s:o, s:o}", "name", json_text(c->name), "joint", json_text(link->joint.name), "driver",
        json_text(driver != NULL ? driver->joint.name : NULL), "coefficients",
        json_numbers(c->coefficient, SOA_COUPLING_TERMS));
}

static json_t *limits_json(const soa_joint *joint)
{
    const int n = soa_joint_kind_nv(joint->kind);
    return json_pack("{s:o, s:o, s:o, s:o}", "lower", json_numbers(joint->lower, n), "upper",
        json_numbers(joint->upper, n), "velocity", json_numbers(joint->velocity, n), "effort",
        json_numbers(joint->effort, n));
}

static bool is_identity(const soa_pose *pose)
{
    const soa_pose identity = soa_pose_identity();
    return memcmp(pose, &identity, sizeof identity) == 0;
}

/* null where there is no motor to speak of. */
static json_t *rotor_json(const soa_rotor *r)
{
    if (r->armature == 0.0 && r->ratio == 0.0 && r->spin == 0.0 && r->mass == 0.0 && r->transverse == 0.0) {
        return json_null();
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "armature", json_number(r->armature), "ratio",
        json_number(r->ratio), "axis", json_numbers(r->axis, 3), "spin", json_number(r->spin), "transverse",
        json_number(r->transverse), "mass", json_number(r->mass), "com", json_numbers(r->com, 3));
}

static void set_dynamics(json_t *object, const soa_joint *joint)
{
    json_set(object, "limits", limits_json(joint));
    json_set(object, "damping", json_number(joint->damping));
    json_set(object, "friction", json_number(joint->friction));
    json_set(object, "stiffness", json_number(joint->stiffness));
    json_set(object, "spring_reference", json_number(joint->spring_reference));
    json_set(object, "rotor", rotor_json(&joint->rotor));
}

static void set_geometry(json_t *object, const soa_joint *joint)
{
    const bool axis = tool_has_axis(joint->kind);
    json_set(object, "axis", axis ? json_numbers(joint->axis, 3) : json_null());
    if (joint->kind == SOA_UNIVERSAL) {
        json_set(object, "axis2", json_numbers(joint->axis2, 3));
    }
    if (joint->kind == SOA_HELICAL) {
        json_set(object, "pitch", json_number(joint->pitch));
    }
    json_set(object, "at", json_pose(&joint->at));
    json_set(object, "child_at", is_identity(&joint->child) ? json_null() : json_pose(&joint->child));
    const int nq = soa_joint_kind_nq(joint->kind);
    json_set(object, "neutral", nq == 1 ? json_numbers(&joint->reference, 1) : json_numbers(joint->neutral, nq));
    json_set(object, "reversed", json_boolean(joint->reversed));
}

/* Name, kind, both links and the numbers of a joint. */
static json_t *joint_begin(const char *name, const char *kind, const char *parent, const char *child, soa_body body)
{
    json_t *object = json_object();
    json_set(object, "name", json_text(name));
    json_set(object, "type", json_text(kind));
    json_set(object, "parent", json_text(parent));
    json_set(object, "child", json_text(child));
    json_set(object, "q", json_pair(body.q, body.nq));
    json_set(object, "v", json_pair(body.v, body.nv));
    return object;
}

static json_t *joint_json(const soa_model *model, const tool_tree *tree, int link, int coupling)
{
    const soa_joint *joint = &soa_model_link(model, link)->joint;
    soa_body body = { 0 };
    if (joint->kind != SOA_FIXED) {
        body = soa_model_body(model, soa_model_joint_body(model, link));
    }
    const int owner = tree->owner[link] < 0 ? link : tree->owner[link];
    const int parent = tree->owner[link] < 0 ? soa_model_link(model, link)->parent : tree->parent[owner];
    json_t *object = joint_begin(joint->name, soa_joint_kind_text(joint->kind), tool_link_name(model, parent),
        tool_link_name(model, owner), body);
    set_geometry(object, joint);
    set_dynamics(object, joint);
    const soa_coupling *driven = coupling < 0 ? NULL : soa_model_coupling(model, coupling);
    json_set(object, "mimic", driven != NULL ? coupling_json(model, driven) : json_null());
    return object;
}

static void put_joints(json_writer *writer, const soa_model *model, const tool_tree *tree)
{
    int *coupling = coupling_of_link(model);
    json_list(writer, "joints");
    for (int k = 0; k < soa_model_links(model); k++) {
        if (tool_is_joint(soa_model_link(model, k))) {
            json_item(writer, joint_json(model, tree, k, coupling[k]));
        }
        if (soa_model_link(model, k)->flexible != NULL) {
            const char *name = tool_link_name(model, k);
            const soa_body body = soa_model_body(model, soa_model_link_body(model, k, NULL));
            json_item(writer, joint_begin(tool_body_joint(model, &body), "flexible", name, name, body));
        }
    }
    json_list_end(writer);
}

/* ---- bodies and links ------------------------------------------------------------------ */

static const char *body_name(const soa_model *model, int body)
{
    return body == SOA_WORLD ? "world" : tool_link_name(model, soa_model_body(model, body).link);
}

static void set_inertia(json_t *object, const soa_inertia *inertia)
{
    json_set(object, "mass", json_number(inertia->mass));
    json_set(object, "com", json_numbers(inertia->com, 3));
    json_set(object, "inertia", json_numbers(inertia->moment, 6));
}

/* first[b] is the first link of body b, next[k] the link after k in its body. */
static json_t *body_json(const soa_model *model, int index, const int *first, const int *next)
{
    const soa_body body = soa_model_body(model, index);
    json_t *object = json_object();
    json_t *links = json_array();
    for (int k = first[index]; k >= 0; k = next[k]) {
        json_array_append_new(links, json_text(tool_link_name(model, k)));
    }
    json_set(object, "name", json_text(body_name(model, index)));
    json_set(object, "parent", json_text(body_name(model, body.parent)));
    const bool modes = body.flexible && body.nv > 0, holds = body.links + body.nv == 0; /* holds: a rotor */
    const char *joint = holds ? NULL : soa_model_link(model, body.link)->joint.name;
    json_set(object, "joint", json_text(modes ? tool_body_joint(model, &body) : joint));
    json_set(object, "type", json_text(modes ? "flexible" : soa_joint_kind_text(body.kind)));
    set_inertia(object, &body.inertia);
    json_set(object, "links", links);
    return object;
}

static void put_bodies(json_writer *writer, const soa_model *model)
{
    const int bodies = soa_model_bodies(model), links = soa_model_links(model);
    int *first = tool_take((size_t)bodies + (size_t)links + 1, sizeof *first);
    int *next = first + bodies;
    for (int b = 0; b < bodies; b++) {
        first[b] = -1;
    }
    for (int k = links - 1; k >= 0; k--) {
        const int body = soa_model_link_body(model, k, NULL);
        if (body != SOA_WORLD) {
            next[k] = first[body];
            first[body] = k;
        }
    }
    json_list(writer, "bodies");
    for (int b = 0; b < bodies; b++) {
        json_item(writer, body_json(model, b, first, next));
    }
    json_list_end(writer);
}

static json_t *flexible_json(const soa_flexible *f)
{
    double frequency[SOA_MAX_MODES];
    const bool known = soa_flexible_frequencies(f, frequency, NULL, NULL) == SOA_OK;
    return json_pack("{s:i, s:i, s:o}", "modes", f->modes, "nodes", f->nodes, "frequencies",
        known ? json_numbers(frequency, f->modes) : json_null());
}

/* The node of a flexible link that carries something, where one does. */
static void set_node(json_t *object, const char *key, int node)
{
    if (node != SOA_LINK_FRAME) {
        json_set(object, key, json_integer(node));
    }
}

static json_t *link_json(const soa_model *model, const tool_tree *tree, int index)
{
    const soa_link *link = soa_model_link(model, index);
    json_t *object = json_object();
    json_set(object, "name", json_text(link->name));
    json_set(object, "parent", json_text(tool_link_name(model, tree->parent[index])));
    json_set(object, "body", json_text(body_name(model, soa_model_link_body(model, index, NULL))));
    set_inertia(object, &link->inertia);
    set_node(object, "node", link->node);
    json_set(object, "has_inertia", json_boolean((link->flags & SOA_LINK_NO_INERTIA) == 0));
    json_set(object, "mass_known", json_boolean((link->flags & SOA_LINK_UNKNOWN_MASS) == 0));
    if (link->flexible != NULL) {
        json_set(object, "flexible", flexible_json(link->flexible));
    }
    return object;
}

static void put_links(json_writer *writer, const soa_model *model, const tool_tree *tree)
{
    json_list(writer, "links");
    for (int k = 0; k < soa_model_links(model); k++) {
        if (!tool_is_virtual(model, k)) {
            json_item(writer, link_json(model, tree, k));
        }
    }
    json_list_end(writer);

    json_list(writer, "merged");
    for (int k = 0; k < soa_model_links(model); k++) {
        if (!tool_is_virtual(model, k) && tool_is_merged(model, k)) {
            json_item(writer, json_text(tool_link_name(model, k)));
        }
    }
    json_list_end(writer);
}

/* ---- the rest --------------------------------------------------------------------------- */

static json_t *closure_json(const soa_model *model, const soa_closure *c)
{
    json_t *object = json_object();
    json_set(object, "name", json_text(c->name));
    json_set(object, "kind", json_text(soa_closure_kind_text(c->kind)));
    json_set(object, "rows", json_integer(soa_closure_kind_rows(c->kind)));
    json_set(object, "a", json_text(tool_link_name(model, c->a)));
    json_set(object, "b", json_text(tool_link_name(model, c->b)));
    json_set(object, "at_a", json_pose(&c->at_a));
    json_set(object, "at_b", json_pose(&c->at_b));
    set_node(object, "node_a", c->node_a);
    set_node(object, "node_b", c->node_b);
    json_set(object, "friction", json_number(c->friction));
    json_set(object, "distance", json_number(c->distance));
    json_set(object, "active", json_boolean(!c->inactive));
    return object;
}

static void put_constraints(json_writer *writer, const soa_model *model)
{
    json_list(writer, "mimics");
    for (int i = 0; i < soa_model_couplings(model); i++) {
        json_item(writer, coupling_json(model, soa_model_coupling(model, i)));
    }
    json_list_end(writer);

    json_list(writer, "closures");
    for (int i = 0; i < soa_model_closures(model); i++) {
        json_item(writer, closure_json(model, soa_model_closure(model, i)));
    }
    json_list_end(writer);
}

static void put_frames(json_writer *writer, const soa_model *model)
{
    json_list(writer, "frames");
    for (int i = 0; i < soa_model_frames(model); i++) {
        const soa_frame *frame = soa_model_frame(model, i);
        json_t *object = json_pack("{s:o, s:o, s:o}", "name", json_text(frame->name), "link",
            json_text(tool_link_name(model, frame->link)), "at", json_pose(&frame->at));
        set_node(object, "node", frame->node);
        json_item(writer, object);
    }
    json_list_end(writer);

    json_list(writer, "configurations");
    for (int i = 0; i < soa_model_configurations(model); i++) {
        const soa_configuration *c = soa_model_configuration(model, i);
        json_item(writer,
            json_pack("{s:o, s:o, s:o}", "name", json_text(c->name), "q", json_numbers(c->q, soa_model_nq(model)), "v",
                c->v == NULL ? json_null() : json_numbers(c->v, soa_model_nv(model))));
    }
    json_list_end(writer);
}

static void put_warnings(json_writer *writer, const soa_model *model)
{
    json_list(writer, "warnings");
    for (int i = 0; i < soa_model_warnings(model); i++) {
        json_item(writer, json_text(tool_warning(model, i)));
    }
    json_list_end(writer);
}

void tool_info_json(const tool_call *call, const soa_model *model, const tool_tree *tree)
{
    double gravity[3];
    json_writer writer = json_begin(call->out);
    soa_model_gravity(model, gravity);
    json_field(&writer, "name", json_text(soa_model_name(model)));
    json_field(&writer, "source", json_text(call->operand[0]));
    json_field(&writer, "nq", json_integer(soa_model_nq(model)));
    json_field(&writer, "nv", json_integer(soa_model_nv(model)));
    json_field(&writer, "mass", json_number(soa_model_mass(model)));
    json_field(&writer, "mass_known", json_boolean(tool_unknown_masses(model) == 0));
    json_field(&writer, "gravity", json_numbers(gravity, 3));
    put_bodies(&writer, model);
    put_joints(&writer, model, tree);
    put_links(&writer, model, tree);
    put_constraints(&writer, model);
    put_frames(&writer, model);
    put_warnings(&writer, model);
    json_end(&writer);
}
