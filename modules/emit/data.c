/* emit/data.c - a model as a constant of C, which the library uses in place.
 *
 * The fields are those of model/model.h by name, so the file fits machines with other pointers and another order of bytes. */
#include <math.h>

#include "core/number.h"
#include "emit/job.h"
#include "model/model.h"

/* ---- values ------------------------------------------------------------------------------------- */

static void put_number(text *to, double x)
{
    char digits[SOA_NUMBER_SIZE];
    put(to, "%s", isinf(x) ? x < 0.0 ? "-INFINITY" : "INFINITY" : soa_number_write(digits, x));
}

/* ".name = { 1, 2 }, ", n numbers. */
static void put_numbers(text *to, const char *name, int n, const double *x)
{
    put(to, ".%s = { ", name);
    for (int i = 0; i < n; i++) {
        put_number(to, x[i]);
        put(to, i + 1 < n ? ", " : " }, ");
    }
}

static void put_field(text *to, const char *name, double x)
{
    put(to, ".%s = ", name);
    put_number(to, x);
    put(to, ", ");
}

/* ".name = "left \"arm\"", " */
static void put_text(text *to, const char *name, const char *x)
{
    put(to, ".%s = ", name);
    put(to, x == NULL ? "NULL" : "\"");
    for (const char *c = x; x != NULL && *c != '\0'; c++) {
        const unsigned char byte = (unsigned char)*c;
        if (byte < ' ' || byte > '~' || byte == '"' || byte == '\\' || byte == '?') {
            put(to, "\\%03o", byte);
        } else {
            put(to, "%c", *c);
        }
    }
    put(to, x == NULL ? ", " : "\", ");
}

static void put_pose(text *to, const char *name, const soa_pose *pose)
{
    put(to, ".%s = { { ", name);
    for (int i = 0; i < 9; i++) {
        put(to, i % 3 == 0 ? "{ " : "");
        put_number(to, pose->rotation[i / 3][i % 3]);
        put(to, i % 3 < 2 ? ", " : i < 8 ? " }, " : " } }, { ");
    }
    for (int i = 0; i < 3; i++) {
        put_number(to, pose->position[i]);
        put(to, i < 2 ? ", " : " } }, ");
    }
}

static void put_inertia(text *to, const char *name, const soa_inertia *inertia)
{
    put(to, ".%s = { ", name);
    put_field(to, "mass", inertia->mass);
    put_numbers(to, "com", 3, inertia->com);
    put_numbers(to, "moment", 6, inertia->moment);
    put(to, "}, ");
}

static void put_ints(text *to, const char *name, int n, const int *x)
{
    if (x == NULL) {
        return;
    }
    put(to, "static const int %s[] = { ", name);
    for (int i = 0; i < n; i++) {
        put(to, "%d, ", x[i]);
    }
    put(to, n == 0 ? "0 };\n" : "};\n");
}

/* ---- bodies ----------------------------------------------------------------------------------------- */

static void put_rest(text *to, const soa_body_rest *r)
{
    put(to, "    { .shape = { .kind = %d, .reversed = %d, ", (int)r->shape.kind, r->shape.reversed);
    put_field(to, "pitch", r->shape.pitch);
    put_numbers(to, "axis1", 3, r->shape.axis1);
    put(to, "}, ");
    put_numbers(to, "gear", 3, r->gear);
    put_pose(to, "at", &r->at);
    put(to, ".link = %d, .nq = %d, .links = %d, ", r->link, r->nq, r->links);
    put_pose(to, "frame", &r->frame);
    put_inertia(to, "link_inertia", &r->link_inertia);
    put(to, ".node = %d, .port = %d },\n", r->node, r->port);
}

static void put_body(text *to, const soa_body_data *b, int k)
{
    const soa_screw *s = &b->screw;
    put(to, "    { .parent = %d, .q = %d, .v = %d, .slot = %d, .joint_class = %d, .kind = %d, .nv = %d, ", b->parent,
        b->q, b->v, b->slot, b->joint_class, b->kind, b->nv);
    put(to, ".aligned = %d, .leaf = %d, .last = %d, .keeps = %d, .motor = %d, .geared = %d, ", b->aligned, b->leaf,
        b->last, b->keeps, b->motor, b->geared);
    if (soa_is_screw(b)) {
        put(to, ".screw = { ");
        put_numbers(to, "l", 3, s->l);
        put_field(to, "cos_alpha", s->cos_alpha), put_field(to, "sin_alpha", s->sin_alpha);
        put_field(to, "cos_gamma", s->cos_gamma), put_field(to, "sin_gamma", s->sin_gamma);
        put_field(to, "cos_theta", s->cos_theta), put_field(to, "sin_theta", s->sin_theta);
        put_field(to, "theta", s->theta);
        put(to, "}, ");
    } else {
        put_pose(to, "at", &b->at);
    }
    put_field(to, "armature", b->armature);
    put_numbers(to, "inertia", 10, b->inertia);
    put(to, ".rest = (soa_body_rest *)&rest[%d], ", k);
    put_field(to, "pitch", b->pitch);
    put_numbers(to, "axis", 3, b->axis);
    put(to, "},\n");
}

static void put_bodies(text *to, const soa_model *m)
{
    const int angles = m->bodies + SOA_ANGLES_AT_ONCE;
    put(to, "static const soa_body_rest rest[] = {\n");
    for (int k = 0; k < m->bodies; k++) {
        put_rest(to, &m->rest[k]);
    }
    put(to, "};\n\nstatic const soa_body_data body[] = {\n");
    for (int k = 0; k < m->bodies; k++) {
        put_body(to, &m->body[k], k);
    }
    put(to, "};\n\nstatic const soa_link_place place[] = {\n");
    for (int i = 0; i < m->description.link.count; i++) {
        put(to, "    { .body = %d, ", m->place[i].body);
        put_pose(to, "at", &m->place[i].at);
        put(to, "},\n");
    }
    put(to, "};\n\n");
    put_ints(to, "quaternion", m->quaternions, m->quaternion);
    put_ints(to, "angle", angles, m->angle);
    put(to, "static const double angle_zero[] = { ");
    for (int k = 0; k < angles; k++) {
        put_number(to, m->angle_zero[k]);
        put(to, ", ");
    }
    put(to, "};\n");
    put_ints(to, "order", m->bodies, m->order);
}

/* ---- what the user said ------------------------------------------------------------------------------- */

static void put_joint(text *to, const soa_joint *j)
{
    put(to, ".joint = { ");
    put_text(to, "name", j->name);
    put(to, ".kind = %d, .reversed = %d, ", (int)j->kind, j->reversed);
    put_pose(to, "at", &j->at), put_pose(to, "child", &j->child);
    put_numbers(to, "axis", 3, j->axis), put_numbers(to, "axis2", 3, j->axis2);
    put_field(to, "pitch", j->pitch), put_field(to, "reference", j->reference);
    put_numbers(to, "neutral", SOA_JOINT_MAX_NQ, j->neutral);
    put_numbers(to, "lower", SOA_JOINT_MAX_NV, j->lower), put_numbers(to, "upper", SOA_JOINT_MAX_NV, j->upper);
    put_numbers(to, "velocity", SOA_JOINT_MAX_NV, j->velocity), put_numbers(to, "effort", SOA_JOINT_MAX_NV, j->effort);
    put_field(to, "damping", j->damping), put_field(to, "friction", j->friction);
    put_field(to, "stiffness", j->stiffness), put_field(to, "spring_reference", j->spring_reference);
    put(to, ".rotor = { ");
    put_field(to, "armature", j->rotor.armature), put_field(to, "ratio", j->rotor.ratio);
    put_numbers(to, "axis", 3, j->rotor.axis);
    put_field(to, "spin", j->rotor.spin), put_field(to, "transverse", j->rotor.transverse);
    put_field(to, "mass", j->rotor.mass);
    put_numbers(to, "com", 3, j->rotor.com);
    put(to, "} }, ");
}

static void put_links(text *to, const soa_model *m)
{
    put(to, "\nstatic const soa_link link[] = {\n");
    for (int i = 0; i < m->description.link.count; i++) {
        const soa_link *link = soa_model_link(m, i);
        put(to, "    { ");
        put_text(to, "name", link->name);
        put(to, ".parent = %d, .node = %d, .flags = %u, ", link->parent, link->node, link->flags);
        put_joint(to, &link->joint);
        put_inertia(to, "inertia", &link->inertia);
        put(to, "},\n");
    }
    put(to, "};\n");
    if (m->description.frame.count > 0) {
        put(to, "\nstatic const soa_frame frame[] = {\n");
    }
    for (int i = 0; i < m->description.frame.count; i++) {
        const soa_frame *frame = soa_model_frame(m, i);
        put(to, "    { ");
        put_text(to, "name", frame->name);
        put(to, ".link = %d, .node = %d, ", frame->link, frame->node);
        put_pose(to, "at", &frame->at);
        put(to, "},\n");
    }
    put(to, m->description.frame.count > 0 ? "};\n" : "");
}

static void put_couplings(text *to, const soa_model *m)
{
    const int count = m->description.coupling.count;
    put(to, count > 0 ? "\nstatic const soa_coupling coupling[] = {\n" : "");
    for (int i = 0; i < count; i++) {
        const soa_coupling *c = soa_model_coupling(m, i);
        put(to, "    { ");
        put_text(to, "name", c->name);
        put(to, ".link = %d, .driver = %d, ", c->link, c->driver);
        put_numbers(to, "coefficient", SOA_COUPLING_TERMS, c->coefficient);
        put(to, "},\n");
    }
    put(to, count > 0 ? "};\n\nstatic const soa_coupled coupled[] = {\n" : "");
    for (int i = 0; i < count; i++) {
        const soa_coupled *c = &m->coupled[i];
        put(to, "    { .body = %d, .q = %d, .v = %d, .from_q = %d, .from_v = %d, ", c->body, c->q, c->v, c->from_q,
            c->from_v);
        put_numbers(to, "coefficient", SOA_COUPLING_TERMS, c->coefficient);
        put(to, "},\n");
    }
    put(to, count > 0 ? "};\n" : "");
}

static void put_closures(text *to, const soa_model *m)
{
    const int count = m->description.closure.count;
    put(to, count > 0 ? "\nstatic const soa_closure closure[] = {\n" : "");
    for (int i = 0; i < count; i++) {
        const soa_closure *c = soa_model_closure(m, i);
        put(to, "    { ");
        put_text(to, "name", c->name);
        put(to, ".kind = %d, .a = %d, .b = %d, .node_a = %d, .node_b = %d, ", (int)c->kind, c->a, c->b, c->node_a,
            c->node_b);
        put_pose(to, "at_a", &c->at_a), put_pose(to, "at_b", &c->at_b);
        put_field(to, "friction", c->friction), put_field(to, "distance", c->distance);
        put_field(to, "twist", c->twist);
        put_numbers(to, "slip", 3, c->slip);
        put(to, ".one_sided = %d, .nonholonomic = %d, .inactive = %d, .rows = %d, .Q = { ", c->one_sided,
            c->nonholonomic, c->inactive, c->rows);
        for (int e = 0; e < 36; e++) {
            put(to, e % 6 == 0 ? "{ " : "");
            put_number(to, c->Q[e / 6][e % 6]);
            put(to, e % 6 < 5 ? ", " : " }, ");
        }
        put(to, "} },\n");
    }
    put(to, count > 0 ? "};\n" : "");
}

/* The numbers of a configuration: letter q or v. */
static void put_positions(text *to, char letter, int configuration, int n, const double *x)
{
    put(to, "\nstatic const double configuration_%c%d[] = { ", letter, configuration);
    for (int k = 0; k < n; k++) {
        put_number(to, x[k]);
        put(to, ", ");
    }
    put(to, "};");
}

static void put_configurations(text *to, const soa_model *m)
{
    const int count = m->description.configuration.count;
    for (int i = 0; i < count; i++) {
        const soa_configuration *c = soa_model_configuration(m, i);
        put_positions(to, 'q', i, m->nq, c->q);
        if (c->v != NULL) {
            put_positions(to, 'v', i, m->nv, c->v);
        }
    }
    put(to, count > 0 ? "\n\nstatic const soa_configuration configuration[] = {\n" : "");
    for (int i = 0; i < count; i++) {
        put(to, "    { ");
        put_text(to, "name", soa_model_configuration(m, i)->name);
        put(to, ".q = configuration_q%d, ", i);
        if (soa_model_configuration(m, i)->v != NULL) {
            put(to, ".v = configuration_v%d, ", i);
        }
        put(to, "},\n");
    }
    put(to, count > 0 ? "};\n" : "");
}

/* ---- the model -------------------------------------------------------------------------------------------- */

static void put_array(text *to, const char *name, int count)
{
    if (count > 0) {
        put(to, "        .%s = { .items = (void *)%s, .item_size = sizeof %s[0], .count = %d, .capacity = %d },\n",
            name, name, name, count, count);
    }
}

static void put_model(text *to, const soa_model *m, const char *name)
{
    const soa_description *d = &m->description;
    put(to,
        "\n/* The model owns nothing and gives nothing: who needs memory brings an allocator. */\n"
        "static void *no_memory(void *context, size_t size)\n{\n    (void)context, (void)size;\n    return NULL;\n}\n\n"
        "static void no_release(void *context, void *block)\n{\n    (void)context, (void)block;\n}\n\n"
        "extern const soa_model %s;\nconst soa_model %s = {\n"
        "    .allocator = { .allocate = no_memory, .release = no_release },\n    .description = {\n        ",
        name, name);
    put_text(to, "name", d->name);
    put_numbers(to, "gravity", 3, d->gravity);
    put(to, "\n");
    put_array(to, "link", d->link.count), put_array(to, "frame", d->frame.count);
    put_array(to, "coupling", d->coupling.count), put_array(to, "closure", d->closure.count);
    put_array(to, "configuration", d->configuration.count);
    put(to, "    },\n    .bodies = %d, .nq = %d, .nv = %d, .slots = %d, .quaternions = %d,\n    ", m->bodies, m->nq,
        m->nv, m->slots, m->quaternions);
    put_field(to, "mass", m->mass);
    put(to, "\n    .quaternion = (int *)quaternion, .angle = (int *)angle, .angle_zero = (double *)angle_zero,\n"
            "    .body = (soa_body_data *)body, .rest = (soa_body_rest *)rest, .place = (soa_link_place *)place,\n");
    put(to, m->order != NULL ? "    .order = (int *)order,\n" : "");
    put(to, d->coupling.count > 0 ? "    .coupled = (soa_coupled *)coupled,\n" : "");
    put(to, "};\n");
}

void emit_data(text *to, const emit_job *job, const char *name)
{
    const soa_model *m = job->request->model;
    put(to, "/* The model '");
    emit_clean(to, m->description.name != NULL ? m->description.name : "");
    put(to, "' (");
    emit_clean(to, job->request->source);
    put(to,
        ") as a constant, written by soa %s.\n *\n *     extern const soa_model %s;\n *\n"
        " * Calls of the library take its address. There is nothing to load or to release, and no heap: a workspace "
        "takes\n"
        " * the allocator that it is given. Links, joints and frames are those of the file, in its order; they are "
        "asked for\n"
        " * by number, not by name. Shapes, warnings and places in files are left out.\n"
        " * Build it with the folders include and src of soa %s among those of headers. Model %016llx.\n */\n"
        "#include <math.h>\n\n#include \"model/model.h\"\n\n",
        SOA_VERSION, name, SOA_VERSION, job->request->hash);
    put_bodies(to, m);
    put_links(to, m);
    put_couplings(to, m);
    put_closures(to, m);
    put_configurations(to, m);
    put_model(to, m, name);
}
