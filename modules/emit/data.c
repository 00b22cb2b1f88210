/* emit/data.c - a model as a constant of C, which the library uses in place.
 *
 * The fields are those of model/model.h by name, so the file fits machines with other pointers and another order of bytes. */
#include "emit/data.h"

#include <math.h>

#include "core/number.h"

/* ---- fields ------------------------------------------------------------------------------------- */

/* What a field holds: a whole number of one byte or four, numbers, a text, or fields of its own. */
typedef enum holds { WHOLE, NUMBERS, TEXT, FIELDS } holds;

/* A field of a structure; the last one of a list has no name. */
typedef struct field {
    const char *name;
    holds holds;
    size_t at, size;
    size_t row; /* of a matrix: how long its rows are; else 0 */
    const struct field *inside;
} field;

#define AT(type, name) offsetof(type, name), sizeof(((type *)0)->name)
#define A_WHOLE(type, name)                   \
    {                                         \
#name, WHOLE, AT(type, name), 0, NULL \
    }
#define A_NUMBER(type, name)                    \
    {                                           \
#name, NUMBERS, AT(type, name), 0, NULL \
    }
#define A_MATRIX(type, name, row)                 \
    {                                             \
#name, NUMBERS, AT(type, name), row, NULL \
    }
#define A_TEXT(type, name)                   \
    {                                        \
#name, TEXT, AT(type, name), 0, NULL \
    }
#define SOME(type, name, inside)                 \
    {                                            \
#name, FIELDS, AT(type, name), 0, inside \
    }
#define A_POSE(type, name) SOME(type, name, POSE)
#define END                        \
    {                              \
        NULL, WHOLE, 0, 0, 0, NULL \
    }

static const field POSE[] = { A_MATRIX(soa_pose, rotation, 3), A_NUMBER(soa_pose, position), END };

static void put_number(text *to, double x)
{
    char digits[SOA_NUMBER_SIZE];
    put(to, "%s", isinf(x) ? x < 0.0 ? "-INFINITY" : "INFINITY" : soa_number_write(digits, x));
}

void data_numbers(text *to, size_t n, size_t row, const double *x)
{
    for (size_t i = 0; i < n; i++) {
        put(to, row > 0 && i % row == 0 ? "{ " : "");
        put_number(to, x[i]);
        put(to, row > 0 && i % row == row - 1 ? " }" : "");
        put(to, i + 1 < n ? ", " : "");
    }
}

void data_text(text *to, const char *x)
{
    put(to, x == NULL ? "NULL" : "\"");
    for (const char *c = x; x != NULL && *c != '\0'; c++) {
        const unsigned char byte = (unsigned char)*c;
        if (byte < ' ' || byte > '~' || byte == '"' || byte == '\\' || byte == '?') {
            put(to, "\\%03o", byte);
        } else {
            put(to, "%c", *c);
        }
    }
    put(to, x == NULL ? "" : "\"");
}

/* ".name = value, " of every field of a structure. */
static void put_fields(text *to, const field *f, const void *structure)
{
    for (; f->name != NULL; f++) {
        const void *x = (const char *)structure + f->at;
        put(to, ".%s = ", f->name);
        if (f->holds == WHOLE) {
            put(to, "%d", f->size == 1 ? *(const unsigned char *)x : *(const int *)x);
        } else if (f->holds == TEXT) {
            data_text(to, *(const char *const *)x);
        } else if (f->holds == NUMBERS && f->size == sizeof(double)) {
            put_number(to, *(const double *)x);
        } else {
            put(to, "{ ");
            if (f->holds == FIELDS) {
                put_fields(to, f->inside, x);
            } else {
                data_numbers(to, f->size / sizeof(double), f->row, x);
            }
            put(to, f->holds == FIELDS ? "}" : " }");
        }
        put(to, ", ");
    }
}

/* An item of an array: a line with all its fields. */
static void put_item(text *to, const field *f, const void *structure)
{
    put(to, "    { ");
    put_fields(to, f, structure);
    put(to, "},\n");
}

/* "static const TYPE NAME[] = { 1, 2, };" */
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

static void put_doubles(text *to, const char *name, int n, const double *x)
{
    put(to, "static const double %s[] = { ", name);
    data_numbers(to, (size_t)n, 0, x);
    put(to, n > 0 ? ", };\n" : "};\n");
}

/* ---- bodies ----------------------------------------------------------------------------------------- */

static const field INERTIA[] = { A_NUMBER(soa_inertia, mass), A_NUMBER(soa_inertia, com), A_NUMBER(soa_inertia, moment),
    END };

static const field SHAPE[] = { A_WHOLE(soa_joint_shape, kind), A_WHOLE(soa_joint_shape, reversed),
    A_NUMBER(soa_joint_shape, pitch), A_NUMBER(soa_joint_shape, axis1), END };

static const field REST[] = { SOME(soa_body_rest, shape, SHAPE), A_NUMBER(soa_body_rest, gear),
    A_POSE(soa_body_rest, at), A_WHOLE(soa_body_rest, link), A_WHOLE(soa_body_rest, nq), A_WHOLE(soa_body_rest, links),
    A_POSE(soa_body_rest, frame), SOME(soa_body_rest, link_inertia, INERTIA), END };

/* Of models with flexible links, beside what data_flexible_body writes. */
static const field FLEXIBLE_REST[] = { A_POSE(soa_body_rest, on_node), A_WHOLE(soa_body_rest, first),
    A_WHOLE(soa_body_rest, square), A_WHOLE(soa_body_rest, port_square), A_WHOLE(soa_body_rest, node),
    A_WHOLE(soa_body_rest, port), A_WHOLE(soa_body_rest, carries), A_WHOLE(soa_body_rest, carried),
    A_WHOLE(soa_body_rest, beside), A_WHOLE(soa_body_rest, seat), A_WHOLE(soa_body_rest, massless),
    A_WHOLE(soa_body_rest, hands_on), A_WHOLE(soa_body_rest, in_place), END };

static const field PLACE[] = { A_WHOLE(soa_link_place, body), A_POSE(soa_link_place, at), END };

static const field SCREW[] = { A_NUMBER(soa_screw, l), A_NUMBER(soa_screw, cos_alpha), A_NUMBER(soa_screw, sin_alpha),
    A_NUMBER(soa_screw, cos_gamma), A_NUMBER(soa_screw, sin_gamma), A_NUMBER(soa_screw, cos_theta),
    A_NUMBER(soa_screw, sin_theta), A_NUMBER(soa_screw, theta), END };

/* A body has a screw or a pose. */
static const field BODY[] = { A_WHOLE(soa_body_data, parent), A_WHOLE(soa_body_data, q), A_WHOLE(soa_body_data, v),
    A_WHOLE(soa_body_data, slot), A_WHOLE(soa_body_data, joint_class), A_WHOLE(soa_body_data, kind),
    A_WHOLE(soa_body_data, nv), A_WHOLE(soa_body_data, aligned), A_WHOLE(soa_body_data, leaf),
    A_WHOLE(soa_body_data, last), A_WHOLE(soa_body_data, keeps), A_WHOLE(soa_body_data, motor),
    A_WHOLE(soa_body_data, geared), A_NUMBER(soa_body_data, armature), A_NUMBER(soa_body_data, inertia),
    A_NUMBER(soa_body_data, pitch), A_NUMBER(soa_body_data, axis), END };
static const field BY_SCREW[] = { SOME(soa_body_data, screw, SCREW), END };
static const field BY_POSE[] = { A_POSE(soa_body_data, at), END };

static void put_bodies(text *to, const soa_model *m)
{
    const int angles = m->bodies + SOA_ANGLES_AT_ONCE;
    put(to, "static const soa_body_rest rest[] = {\n");
    for (int k = 0; k < m->bodies; k++) {
        put(to, "    { ");
        put_fields(to, REST, &m->rest[k]);
        if (m->flexible) {
            put_fields(to, FLEXIBLE_REST, &m->rest[k]);
            data_flexible_body(to, m, k);
        }
        put(to, "},\n");
    }
    put(to, "};\n\nstatic const soa_body_data body[] = {\n");
    for (int k = 0; k < m->bodies; k++) {
        put(to, "    { ");
        put_fields(to, BODY, &m->body[k]);
        put_fields(to, soa_is_screw(&m->body[k]) ? BY_SCREW : BY_POSE, &m->body[k]);
        put(to, ".rest = (soa_body_rest *)&rest[%d] },\n", k);
    }
    put(to, "};\n\nstatic const soa_link_place place[] = {\n");
    for (int i = 0; i < m->description.link.count; i++) {
        put_item(to, PLACE, &m->place[i]);
    }
    put(to, "};\n\n");
    put_ints(to, "quaternion", m->quaternions, m->quaternion);
    put_ints(to, "angle", angles, m->angle);
    put_doubles(to, "angle_zero", angles, m->angle_zero);
    put_ints(to, "order", m->bodies, m->order);
}

/* ---- what the user said ------------------------------------------------------------------------------- */

static const field ROTOR[] = { A_NUMBER(soa_rotor, armature), A_NUMBER(soa_rotor, ratio), A_NUMBER(soa_rotor, axis),
    A_NUMBER(soa_rotor, spin), A_NUMBER(soa_rotor, transverse), A_NUMBER(soa_rotor, mass), A_NUMBER(soa_rotor, com),
    END };

static const field JOINT[] = { A_TEXT(soa_joint, name), A_WHOLE(soa_joint, kind), A_WHOLE(soa_joint, reversed),
    A_POSE(soa_joint, at), A_POSE(soa_joint, child), A_NUMBER(soa_joint, axis), A_NUMBER(soa_joint, axis2),
    A_NUMBER(soa_joint, pitch), A_NUMBER(soa_joint, reference), A_NUMBER(soa_joint, neutral),
    A_NUMBER(soa_joint, lower), A_NUMBER(soa_joint, upper), A_NUMBER(soa_joint, velocity), A_NUMBER(soa_joint, effort),
    A_NUMBER(soa_joint, damping), A_NUMBER(soa_joint, friction), A_NUMBER(soa_joint, stiffness),
    A_NUMBER(soa_joint, spring_reference), SOME(soa_joint, rotor, ROTOR), END };

static const field LINK[] = { A_TEXT(soa_link, name), A_WHOLE(soa_link, parent), A_WHOLE(soa_link, node),
    A_WHOLE(soa_link, flags), SOME(soa_link, joint, JOINT), SOME(soa_link, inertia, INERTIA), END };

static const field FRAME[] = { A_TEXT(soa_frame, name), A_WHOLE(soa_frame, link), A_WHOLE(soa_frame, node),
    A_POSE(soa_frame, at), END };

static const field COUPLING[] = { A_TEXT(soa_coupling, name), A_WHOLE(soa_coupling, link),
    A_WHOLE(soa_coupling, driver), A_NUMBER(soa_coupling, coefficient), END };

static const field COUPLED[] = { A_WHOLE(soa_coupled, body), A_WHOLE(soa_coupled, q), A_WHOLE(soa_coupled, v),
    A_WHOLE(soa_coupled, from_q), A_WHOLE(soa_coupled, from_v), A_NUMBER(soa_coupled, coefficient), END };

static const field CLOSURE[] = { A_TEXT(soa_closure, name), A_WHOLE(soa_closure, kind), A_WHOLE(soa_closure, a),
    A_WHOLE(soa_closure, b), A_WHOLE(soa_closure, node_a), A_WHOLE(soa_closure, node_b), A_POSE(soa_closure, at_a),
    A_POSE(soa_closure, at_b), A_NUMBER(soa_closure, friction), A_NUMBER(soa_closure, distance),
    A_NUMBER(soa_closure, twist), A_NUMBER(soa_closure, slip), A_WHOLE(soa_closure, one_sided),
    A_WHOLE(soa_closure, nonholonomic), A_WHOLE(soa_closure, inactive), A_WHOLE(soa_closure, rows),
    A_MATRIX(soa_closure, Q, 6), END };

static void put_links(text *to, const soa_model *m)
{
    put(to, "\nstatic const soa_link link[] = {\n");
    for (int i = 0; i < m->description.link.count; i++) {
        const soa_link *link = soa_description_link(&m->description, i);
        put(to, "    { ");
        put_fields(to, LINK, link);
        if (link->flexible != NULL) {
            put(to, ".flexible = &flexible_%d, ", i);
        }
        put(to, "},\n");
    }
    put(to, "};\n");
}

/* "static const TYPE NAME[] = { ... };" of the items of a list, if there are some. */
static void put_list(text *to, const char *name, const field *f, const soa_array *list)
{
    if (list->count == 0) {
        return;
    }
    put(to, "\nstatic const soa_%s %s[] = {\n", name, name);
    for (int i = 0; i < list->count; i++) {
        put_item(to, f, (const char *)list->items + (size_t)i * list->item_size);
    }
    put(to, "};\n");
}

static void put_configurations(text *to, const soa_model *m)
{
    const int count = m->description.configuration.count;
    for (int i = 0; i < count; i++) {
        const soa_configuration *c = soa_model_configuration(m, i);
        char name[40];
        snprintf(name, sizeof name, "configuration_q%d", i);
        put_doubles(to, name, m->nq, c->q);
        snprintf(name, sizeof name, "configuration_v%d", i);
        if (c->v != NULL) {
            put_doubles(to, name, m->nv, c->v);
        }
    }
    put(to, count > 0 ? "\nstatic const soa_configuration configuration[] = {\n" : "");
    for (int i = 0; i < count; i++) {
        const soa_configuration *c = soa_model_configuration(m, i);
        put(to, "    { .name = ");
        data_text(to, c->name);
        put(to,
            c->v != NULL ? ", .q = configuration_q%d, .v = configuration_v%d },\n" : ", .q = configuration_q%d },\n", i,
            i);
    }
    put(to, count > 0 ? "};\n" : "");
}

/* ---- the model -------------------------------------------------------------------------------------------- */

static const field DESCRIPTION[] = { A_TEXT(soa_description, name), A_NUMBER(soa_description, gravity), END };

static const field MODEL[] = { A_WHOLE(soa_model, bodies), A_WHOLE(soa_model, nq), A_WHOLE(soa_model, nv),
    A_WHOLE(soa_model, slots), A_WHOLE(soa_model, quaternions), A_NUMBER(soa_model, mass), A_WHOLE(soa_model, flexible),
    A_WHOLE(soa_model, modes), A_WHOLE(soa_model, most_modes), A_WHOLE(soa_model, most_carried),
    A_WHOLE(soa_model, squares), A_WHOLE(soa_model, port_squares), A_WHOLE(soa_model, seats), A_WHOLE(soa_model, ports),
    END };

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
    put_fields(to, DESCRIPTION, d);
    put(to, "\n");
    put_array(to, "link", d->link.count), put_array(to, "frame", d->frame.count);
    put_array(to, "coupling", d->coupling.count), put_array(to, "closure", d->closure.count);
    put_array(to, "configuration", d->configuration.count);
    put(to, "    },\n    ");
    put_fields(to, MODEL, m);
    put(to, "\n    .quaternion = (int *)quaternion, .angle = (int *)angle, .angle_zero = (double *)angle_zero,\n"
            "    .body = (soa_body_data *)body, .rest = (soa_body_rest *)rest, .place = (soa_link_place *)place,\n");
    put(to, m->order != NULL ? "    .order = (int *)order,\n" : "");
    put(to, d->coupling.count > 0 ? "    .coupled = (soa_coupled *)coupled,\n" : "");
    put(to, "};\n");
}

void emit_data(text *to, const emit_job *job, const char *name)
{
    const soa_model *m = job->request->model;
    const soa_array coupled = { .items = m->coupled, .item_size = sizeof *m->coupled, .count = soa_model_couplings(m) };
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
    data_flexible(to, m);
    put_bodies(to, m);
    put_links(to, m);
    put_list(to, "frame", FRAME, &m->description.frame);
    put_list(to, "coupling", COUPLING, &m->description.coupling);
    put_list(to, "coupled", COUPLED, &coupled);
    put_list(to, "closure", CLOSURE, &m->description.closure);
    put_configurations(to, m);
    put_model(to, m, name);
}
