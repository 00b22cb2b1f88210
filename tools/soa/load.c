/* load.c - the model a command is about, and questions about its links. */
#include <string.h>

#include "compute.h"
#include "soa/io.h"

#define BUILTIN "builtin:"

/* Whoever forgets "builtin:" is told so. */
static void hint_builtin(const char *name)
{
    soa_model *model;
    if (strpbrk(name, "/.") == NULL && soa_model_builtin(name, &TOOL_MEMORY, &model, NULL) == SOA_OK) {
        fprintf(stderr, "Did you mean '" BUILTIN "%s'?\n", name);
    }
}

soa_model *tool_load(const char *name)
{
    soa_model *model = NULL;
    tool_set_subject(name);
    const bool builtin = strncmp(name, BUILTIN, strlen(BUILTIN)) == 0;
    const soa_status status = builtin ? soa_model_builtin(name + strlen(BUILTIN), &TOOL_MEMORY, &model, tool_error())
                                      : soa_load(name, &TOOL_MEMORY, &model, tool_error());
    if (status != SOA_OK) {
        tool_say_error();
        if (!builtin) {
            hint_builtin(name);
        }
        tool_end(TOOL_FAILED);
    }
    return model;
}

/* ---- bases and constraints ---------------------------------------------------------- */

void tool_note_open(tool_call *call, const soa_model *model, const char *what)
{
    const char *list = tool_constraints_text(model);
    if (list[0] != '\0') {
        tool_note(call, "%s: %s left out, as of the open tree", what, list);
    }
}

const char *tool_forces_text(const soa_model *model)
{
    static const char *const NAME[] = { "springs", "damping", "dry friction", "elastic forces" };
    const char *text = "";
    int count[4] = { 0 };
    for (int k = 0; k < soa_model_links(model); k++) {
        const soa_flexible *flexible = soa_model_link(model, k)->flexible;
        const soa_joint *joint = &soa_model_link(model, k)->joint;
        count[3] += flexible != NULL && flexible->modes > 0;
        count[0] += joint->kind != SOA_FIXED && joint->stiffness != 0.0;
        count[1] += joint->kind != SOA_FIXED && joint->damping != 0.0;
        count[2] += joint->kind != SOA_FIXED && joint->friction != 0.0;
    }
    for (int i = 0; i < 4; i++) {
        if (count[i] > 0) {
            text = tool_text("%s%s%s of %d %s%s", text, text[0] != '\0' ? ", " : "", NAME[i], count[i],
                i < 3 ? "joint" : "link", count[i] > 1 ? "s" : "");
        }
    }
    return text;
}

void tool_note_forces(tool_call *call, const soa_model *model)
{
    const char *list = tool_forces_text(model);
    if (list[0] != '\0') {
        tool_note(call, "left out: %s; no force but gravity and tau acts", list);
    }
}

void tool_note_forces_act(tool_call *call, const soa_model *model)
{
    const char *list = tool_forces_text(model);
    if (list[0] != '\0') {
        tool_note(call, "acting: %s; --no-forces leaves them out", list);
    }
}

json_t *tool_notes_json(const tool_call *call)
{
    json_t *list = json_array();
    for (int i = 0; i < call->notes; i++) {
        json_add(list, json_text(call->note[i]));
    }
    return list;
}

soa_model *tool_load_based(const tool_call *call, const char *name)
{
    const char *base = tool_value(call, "base");
    const bool afloat = base != NULL && strcmp(base, "free") == 0;
    if (base != NULL && !afloat && strcmp(base, "fixed") != 0) {
        tool_wrong_usage(call->command, "--base '%s' is not known; write fixed or free", base);
    }
    soa_model *model = tool_load(name);
    if (afloat) {
        tool_must(soa_model_free_base(model, &model, tool_error()));
    }
    return model;
}

/* ---- links and joints ----------------------------------------------------------------- */

const char *tool_joint_name(const soa_model *model, int link)
{
    const soa_link *l = soa_model_link(model, link);
    return l->joint.name != NULL ? l->joint.name : l->name;
}

const char *tool_body_joint(const soa_model *model, const soa_body *body)
{
    return body->flexible ? tool_text("%s/flex", soa_model_link(model, body->link)->name)
                          : tool_joint_name(model, body->link);
}

json_t *tool_joints_json(const soa_model *model)
{
    json_t *list = json_array();
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_body body = soa_model_body(model, k);
        if (body.flexible && body.nv == 0) { /* a link that is welded to a flexible one */
            continue;
        }
        json_t *joint = json_object();
        json_set(joint, "name", json_text(tool_body_joint(model, &body)));
        json_set(joint, "type", json_text(body.flexible ? "flexible" : soa_joint_kind_text(body.kind)));
        json_set(joint, "q", json_pair(body.q, body.nq));
        json_set(joint, "v", json_pair(body.v, body.nv));
        json_add(list, joint);
    }
    return list;
}

const char *tool_link_name(const soa_model *model, int link)
{
    return link == SOA_WORLD ? "world" : soa_model_link(model, link)->name;
}

bool tool_is_joint(const soa_link *link)
{
    return link->joint.kind != SOA_FIXED || link->joint.name != NULL;
}

bool tool_is_virtual(const soa_model *model, int link)
{
    return link != SOA_WORLD && (soa_model_link(model, link)->flags & SOA_LINK_VIRTUAL) != 0;
}

bool tool_has_axis(soa_joint_kind kind)
{
    return kind != SOA_FIXED && kind != SOA_SPHERICAL && kind != SOA_FREE;
}

bool tool_is_merged(const soa_model *model, int link)
{
    const int body = soa_model_link_body(model, link, NULL);
    return soa_model_link(model, link)->joint.kind == SOA_FIXED &&
           (body == SOA_WORLD || soa_model_body(model, body).link != link);
}

/* ---- tree ------------------------------------------------------------------------- */

static int real_parent(const soa_model *model, int link)
{
    int parent = soa_model_link(model, link)->parent;
    while (tool_is_virtual(model, parent)) {
        parent = soa_model_link(model, parent)->parent;
    }
    return parent;
}

static void own_virtual(const soa_model *model, tool_tree *tree, int link)
{
    int above = soa_model_link(model, link)->parent;
    while (tool_is_virtual(model, above)) {
        tree->owner[above] = link;
        above = soa_model_link(model, above)->parent;
    }
}

/* Backwards, so that children come in the order of the file. */
static void hang_links(const soa_model *model, tool_tree *tree)
{
    tree->root = -1;
    for (int k = tree->links - 1; k >= 0; k--) {
        if (tool_is_virtual(model, k)) {
            continue;
        }
        const int parent = real_parent(model, k);
        int *first = parent == SOA_WORLD ? &tree->root : &tree->child[parent];
        own_virtual(model, tree, k);
        tree->owner[k] = k;
        tree->parent[k] = parent;
        tree->sibling[k] = *first;
        *first = k;
    }
}

tool_tree tool_tree_make(const soa_model *model)
{
    const int n = soa_model_links(model);
    int *block = tool_take(4 * (size_t)n + 1, sizeof *block);
    tool_tree tree = { n, block, block + n, block + 2 * n, block + 3 * n, -1 };
    for (int k = 0; k < 4 * n; k++) {
        block[k] = -1;
    }
    hang_links(model, &tree);
    return tree;
}
