/* io/yaml_write.c - a model as a native YAML file.
 *
 * Only what differs from the default is written, by its bits, so that reading
 * gives every number back exactly. Parts that a kind of joint does not use (the
 * limits beyond its velocities, an axis that is not finite) say nothing and are
 * left out. */
#include <string.h>

#include "core/error.h"
#include "io/reader.h"
#include "io/yaml_flexible.h"
#include "io/yaml_flow.h"

typedef struct writer {
    const soa_model *model;
    soa_text *text;
    bool world; /* a link is named "world" */
    soa_yaml_flow flow;
} writer;

/* ---- links ---------------------------------------------------------------------- */

static void line_numbers(writer *w, const char *name, const double *x, int n)
{
    static const double zero[6] = { 0.0 };
    if (soa_same_bits(x, zero, n)) {
        return;
    }
    soa_text_add(w->text, "    %s: ", name);
    if (n == 1) {
        soa_text_number(w->text, *x);
    } else {
        soa_flow_numbers(&w->flow, x, n);
    }
    soa_text_add(w->text, "\n");
}

static soa_status flags(writer *w, const soa_link *link, soa_error *error)
{
    static const char *const words[] = { "virtual", "no-inertia", "unknown-mass" };
    const unsigned known = SOA_LINK_VIRTUAL | SOA_LINK_NO_INERTIA | SOA_LINK_UNKNOWN_MASS;
    if (link->flags & ~known) {
        return soa_fail(
            error, SOA_E_UNSUPPORTED, -1, "link '%s': its flags %u are not all known", link->name, link->flags);
    }
    const char *before = "    flags: [";
    for (int i = 0; i < 3; i++) {
        if (link->flags & (1u << i)) {
            soa_text_add(w->text, "%s%s", before, words[i]);
            before = ", ";
        }
    }
    soa_text_add(w->text, "%s", link->flags ? "]\n" : "");
    return SOA_OK;
}

/* A link welded on without any placement needs no joint: that is the default. */
static void joint_unless_default(writer *w, const soa_link *link)
{
    const size_t start = w->text->length;
    soa_text_add(w->text, "    joint: ");
    soa_flow_joint(&w->flow, &link->joint, link->node);
    soa_text_add(w->text, "\n");
    if (!w->text->failed && strcmp(w->text->bytes + start, "    joint: {type: fixed}\n") == 0) {
        w->text->length = start;
        w->text->bytes[start] = '\0';
    }
}

static soa_status links(writer *w, soa_error *error)
{
    soa_status status = SOA_OK;
    soa_text_add(w->text, "links:\n");
    for (int i = 0; status == SOA_OK && i < soa_model_links(w->model); i++) {
        const soa_link *link = soa_model_link(w->model, i);
        soa_text_add(w->text, "  - name: ");
        soa_flow_word(&w->flow, link->name);
        soa_text_add(w->text, "\n");
        if (link->parent != SOA_WORLD) {
            soa_text_add(w->text, "    parent: ");
            soa_flow_word(&w->flow, soa_model_link(w->model, link->parent)->name);
            soa_text_add(w->text, "\n");
        }
        joint_unless_default(w, link);
        line_numbers(w, "mass", &link->inertia.mass, 1);
        line_numbers(w, "com", link->inertia.com, 3);
        line_numbers(w, "inertia", link->inertia.moment, 6);
        status = flags(w, link, error);
        if (link->flexible) {
            soa_yaml_write_flexible(w->text, link->flexible, 4);
        }
    }
    return status;
}

/* ---- frames, couplings, closures ------------------------------------------------- */

/* The inertial frame is called world, or nothing if a link has that name. */
static void key_link(writer *w, const char *name, int link)
{
    if (link != SOA_WORLD) {
        soa_flow_key_word(&w->flow, name, soa_model_link(w->model, link)->name);
    } else if (!w->world) {
        soa_flow_key_word(&w->flow, name, "world");
    }
}

static void frames(writer *w)
{
    for (int i = 0; i < soa_model_frames(w->model); i++) {
        const soa_frame *frame = soa_model_frame(w->model, i);
        soa_flow_item(&w->flow, "frames", i);
        soa_flow_key_word(&w->flow, "name", frame->name);
        key_link(w, "link", frame->link);
        soa_flow_key_node(&w->flow, "node", frame->node);
        soa_flow_key_pose(&w->flow, "at", &frame->at);
        soa_flow_end(&w->flow);
        soa_text_add(w->text, "\n");
    }
}

static void geometries(writer *w)
{
    static const char *const role[] = { "none", "visual", "collision" };
    for (int i = 0; i < soa_model_geometries(w->model); i++) {
        const soa_geometry *g = soa_model_geometry(w->model, i);
        const soa_geometry usual = soa_geometry_default(g->link, g->shape);
        soa_flow_item(&w->flow, "geometry", i);
        soa_flow_key_word(&w->flow, "shape", soa_shape_text(g->shape));
        key_link(w, "link", g->link);
        soa_flow_key_word(&w->flow, "name", g->name);
        if (g->shape != SOA_SHAPE_MESH || !soa_same_bits(g->size, usual.size, 3)) {
            soa_flow_key_list(&w->flow, "size", g->size, soa_shape_sizes(g->shape));
        }
        soa_flow_key_pose(&w->flow, "at", &g->at);
        soa_flow_key_word(&w->flow, "mesh", g->mesh);
        soa_flow_key_word(&w->flow, "material", g->material);
        if (g->colored) {
            soa_flow_key_list(&w->flow, "color", g->color, 4);
        }
        if (!g->visual || !g->collision) {
            soa_flow_key_word(&w->flow, "role", role[g->visual + 2 * g->collision]);
        }
        soa_flow_end(&w->flow);
        soa_text_add(w->text, "\n");
    }
}

/* A joint by its name if it has one, else by the link it carries. */
static void key_joint(writer *w, const char *name, const char *link_name, int link)
{
    const soa_link *l = soa_model_link(w->model, link);
    soa_flow_key_word(&w->flow, l->joint.name ? name : link_name, l->joint.name ? l->joint.name : l->name);
}

static void couplings(writer *w)
{
    static const double zero = 0.0;
    for (int i = 0; i < soa_model_couplings(w->model); i++) {
        const soa_coupling *coupling = soa_model_coupling(w->model, i);
        int terms = SOA_COUPLING_TERMS;
        while (terms > 1 && soa_same_bits(&coupling->coefficient[terms - 1], &zero, 1)) {
            terms--;
        }
        soa_flow_item(&w->flow, "couplings", i);
        soa_flow_key_word(&w->flow, "name", coupling->name);
        key_joint(w, "joint", "link", coupling->link);
        if (coupling->driver >= 0) {
            key_joint(w, "driver", "driver_link", coupling->driver);
        }
        soa_flow_key(&w->flow, "coefficients");
        soa_flow_numbers(&w->flow, coupling->coefficient, terms);
        soa_flow_end(&w->flow);
        soa_text_add(w->text, "\n");
    }
}

static void key_rows(writer *w, const soa_closure *closure)
{
    if (closure->kind == SOA_CLOSE_GENERAL) {
        soa_flow_key(&w->flow, "Q");
        for (int i = 0; i < closure->rows; i++) {
            soa_text_add(w->text, i == 0 ? "[" : ", ");
            soa_flow_numbers(&w->flow, closure->Q[i], 6);
        }
        soa_text_add(w->text, "]");
    }
}

static void closures(writer *w)
{
    static const double zero[3] = { 0.0 };
    for (int i = 0; i < soa_model_closures(w->model); i++) {
        const soa_closure *closure = soa_model_closure(w->model, i);
        soa_flow_item(&w->flow, "closures", i);
        soa_flow_key_word(&w->flow, "name", closure->name);
        soa_flow_key_word(&w->flow, "kind", soa_closure_kind_text(closure->kind));
        key_link(w, "a", closure->a);
        key_link(w, "b", closure->b);
        soa_flow_key_node(&w->flow, "node_a", closure->node_a);
        soa_flow_key_node(&w->flow, "node_b", closure->node_b);
        soa_flow_key_pose(&w->flow, "at_a", &closure->at_a);
        soa_flow_key_pose(&w->flow, "at_b", &closure->at_b);
        soa_flow_key_numbers(&w->flow, "friction", &closure->friction, zero, 1);
        soa_flow_key_numbers(&w->flow, "distance", &closure->distance, zero, 1);
        soa_flow_key_numbers(&w->flow, "twist", &closure->twist, zero, 1);
        soa_flow_key_numbers(&w->flow, "slip", closure->slip, zero, 3);
        key_rows(w, closure);
        soa_flow_key_true(&w->flow, "one_sided", closure->one_sided);
        soa_flow_key_true(&w->flow, "nonholonomic", closure->nonholonomic);
        soa_flow_key_true(&w->flow, "inactive", closure->inactive);
        soa_flow_end(&w->flow);
        soa_text_add(w->text, "\n");
    }
}

/* ---- configurations --------------------------------------------------------------- */

/* The numbers of one body; whether none has been written yet. */
static bool body_coordinates(writer *w, const soa_body *body, const double *x, bool velocities, bool first)
{
    const int at = velocities ? body->v : body->q, n = velocities ? body->nv : body->nq;
    for (int c = at; c < at + n; c++) {
        soa_text_add(w->text, "%s", first ? "" : ", ");
        soa_text_number(w->text, x[c]);
        first = false;
    }
    return first;
}

/* From the order of the model to that of the links, joint by joint, modes after the joint of their link. */
static void key_coordinates(writer *w, const char *name, const double *x, bool velocities)
{
    bool first = true;
    soa_flow_key(&w->flow, name);
    soa_text_add(w->text, "[");
    for (int i = 0; i < soa_model_links(w->model); i++) {
        const int k = soa_model_link_body(w->model, i, NULL);
        if (k < 0 || soa_model_body(w->model, k).link != i) {
            continue;
        }
        const soa_body body = soa_model_body(w->model, k), joint = soa_model_body(w->model, body.parent);
        if (body.flexible && joint.link == i) {
            first = body_coordinates(w, &joint, x, velocities, first);
        }
        first = body_coordinates(w, &body, x, velocities, first);
    }
    soa_text_add(w->text, "]");
}

static void configurations(writer *w)
{
    for (int i = 0; i < soa_model_configurations(w->model); i++) {
        const soa_configuration *configuration = soa_model_configuration(w->model, i);
        soa_flow_item(&w->flow, "configurations", i);
        soa_flow_key_word(&w->flow, "name", configuration->name);
        key_coordinates(w, "q", configuration->q, false);
        if (configuration->v) {
            key_coordinates(w, "v", configuration->v, true);
        }
        soa_flow_end(&w->flow);
        soa_text_add(w->text, "\n");
    }
}

/* ---- the file --------------------------------------------------------------------- */

soa_status soa_yaml_write(const soa_model *model, soa_text *text, soa_error *error)
{
    writer w = {
        .model = model, .text = text, .flow = { .text = text }, .world = soa_model_find_link(model, "world") >= 0
    };
    double gravity[3];
    soa_model_gravity(model, gravity);
    soa_text_add(text, "soa: 1\nname: ");
    soa_flow_word(&w.flow, soa_model_name(model));
    soa_text_add(text, "\ngravity: ");
    soa_flow_numbers(&w.flow, gravity, 3);
    soa_text_add(text, "\n");
    const soa_status status = links(&w, error);
    if (status != SOA_OK) {
        return status;
    }
    frames(&w);
    geometries(&w);
    couplings(&w);
    closures(&w);
    configurations(&w);
    return SOA_OK;
}
