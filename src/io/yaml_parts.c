/* io/yaml_parts.c - frames, couplings and closures in a native YAML file. */
#include <string.h>

#include "io/yaml_flexible.h"
#include "model/model.h"

/* A name that may be absent, in its scope. */
static bool read_name(soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, const char **name)
{
    if (!soa_yaml_text(node, "name", name)) {
        return false;
    }
    const char *full = *name ? soa_yaml_full_name(reader, scope, *name) : NULL;
    const bool ok = !*name || soa_yaml_got(node, full);
    *name = full;
    return ok;
}

/* ---- frames --------------------------------------------------------------------- */

bool soa_yaml_frame(soa_yaml_reader *reader, soa_yaml *node, const soa_yaml_scope *scope, int owner)
{
    static const char *const keys[] = { "name", "at", "node", "link", NULL }, *const own_keys[] = { "name", "at",
        "node", NULL };
    soa_frame frame = soa_frame_default(NULL, owner);
    frame.source = soa_yaml_source(node);
    return soa_yaml_expect(node, "frame", owner >= 0 ? own_keys : keys) &&
           read_name(reader, node, scope, &frame.name) &&
           (owner >= 0 || soa_yaml_link_or_world(reader, scope, soa_yaml_get(node, "link"), &frame.link)) &&
           soa_yaml_node(reader, node, "node", frame.link, &frame.node) && soa_yaml_pose(node, "at", &frame.at) &&
           soa_yaml_ok(node, soa_builder_add_frame(reader->builder, &frame, NULL, reader->error));
}

static bool read_frame(soa_yaml_reader *reader, soa_yaml *node, const soa_yaml_scope *scope)
{
    return soa_yaml_frame(reader, node, scope, SOA_WORLD);
}

/* ---- couplings ------------------------------------------------------------------ */

/* The joint named by key, or carrying the link named by link_key; -1 if neither is there. */
static bool find_coupled(soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, const char *key,
    const char *link_key, int *link)
{
    const soa_yaml *joint = soa_yaml_get(node, key), *carried = soa_yaml_get(node, link_key);
    *link = -1;
    if (joint && carried) {
        return soa_yaml_fail(carried, SOA_E_COUPLING, "has both '%s' and '%s'; give one of them", key, link_key);
    }
    return (!joint && !carried) || soa_yaml_find(reader, scope, joint ? joint : carried, joint != NULL, link);
}

static bool read_coefficients(const soa_yaml *node, double *coefficient)
{
    const soa_yaml *value = soa_yaml_get(node, "coefficients");
    if (!value || value->kind != SOA_YAML_SEQUENCE || value->count < 1 || value->count > SOA_COUPLING_TERMS) {
        return soa_yaml_fail(value ? value : node, SOA_E_COUPLING,
            "'coefficients' must be a list of 1 to %d numbers: offset, ratio, ...", SOA_COUPLING_TERMS);
    }
    return soa_yaml_as_numbers(value, value->count, coefficient);
}

static bool read_coupling(soa_yaml_reader *reader, soa_yaml *node, const soa_yaml_scope *scope)
{
    static const char *const keys[] = { "name", "joint", "link", "driver", "driver_link", "coefficients", NULL };
    soa_coupling coupling = { .source = soa_yaml_source(node) };
    if (!soa_yaml_expect(node, "coupling", keys) || !read_name(reader, node, scope, &coupling.name) ||
        !find_coupled(reader, node, scope, "joint", "link", &coupling.link) ||
        !find_coupled(reader, node, scope, "driver", "driver_link", &coupling.driver) ||
        !read_coefficients(node, coupling.coefficient)) {
        return false;
    }
    if (coupling.link < 0) {
        return soa_yaml_fail(node, SOA_E_COUPLING, "'joint' is missing; name the joint that follows");
    }
    return soa_yaml_ok(node, soa_builder_add_coupling(reader->builder, &coupling, NULL, reader->error));
}

/* ---- closures ------------------------------------------------------------------- */

/* Where one side of a closure stands. */
typedef struct side {
    int *link, *node;
    soa_pose *at;
} side;

/* One side: a link, a frame (then the pose is in it), or the world. */
static bool find_side(
    soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, const char *const keys[3], side *s)
{
    const soa_yaml *value = soa_yaml_get(node, keys[0]);
    if (!soa_yaml_pose(node, keys[1], s->at)) {
        return false;
    }
    if (!value || value->kind != SOA_YAML_SCALAR) {
        return soa_yaml_link_or_world(reader, scope, value, s->link);
    }
    const char *name = soa_yaml_full_name(reader, scope, value->text);
    if (!soa_yaml_got(node, name)) {
        return false;
    }
    const int found = soa_builder_find_frame(reader->builder, name);
    if (found < 0 || soa_builder_find_link(reader->builder, name) >= 0) {
        return soa_yaml_link_or_world(reader, scope, value, s->link);
    }
    const soa_frame *frame = soa_array_at(&reader->builder->description.frame, found);
    *s->link = frame->link;
    *s->node = frame->node;
    *s->at = soa_yaml_get(node, keys[1]) ? soa_pose_compose(&frame->at, s->at) : frame->at;
    return true;
}

static bool read_side(
    soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, const char *const keys[3], side s)
{
    return find_side(reader, node, scope, keys, &s) && soa_yaml_node(reader, node, keys[2], *s.link, s.node);
}

/* The rows of a general closure: a list of lists of six numbers. */
static bool read_rows(const soa_yaml *node, soa_closure *closure)
{
    const soa_yaml *value = soa_yaml_get(node, "Q");
    if (!value) {
        return true;
    }
    if (value->kind != SOA_YAML_SEQUENCE || value->count < 1 || value->count > 6) {
        return soa_yaml_fail(value, SOA_E_CLOSURE, "'Q' must be a list of 1 to 6 rows");
    }
    bool ok = true;
    for (const soa_yaml *row = value->child; row && ok; row = row->next) {
        if (row->kind != SOA_YAML_SEQUENCE || row->count != 6) {
            return soa_yaml_fail(row, SOA_E_CLOSURE, "a row of 'Q' must be a list of 6 numbers: angular, linear");
        }
        ok = soa_yaml_as_numbers(row, 6, closure->Q[closure->rows++]);
    }
    return ok;
}

static bool read_closure(soa_yaml_reader *reader, soa_yaml *node, const soa_yaml_scope *scope)
{
    static const char *const kinds[] = {
#define KIND_TEXT(name, text, rows) text,
        SOA_CLOSURE_LIST(KIND_TEXT)
#undef KIND_TEXT
            NULL
    };
    static const soa_yaml_field fields[] = { SOA_YAML_KEY("name"), SOA_YAML_KEY("kind"), SOA_YAML_KEY("a"),
        SOA_YAML_KEY("b"), SOA_YAML_KEY("at_a"), SOA_YAML_KEY("at_b"),
        SOA_YAML_INTO("friction", NUMBERS, soa_closure, friction),
        SOA_YAML_INTO("distance", NUMBERS, soa_closure, distance), SOA_YAML_INTO("twist", NUMBERS, soa_closure, twist),
        SOA_YAML_INTO("slip", NUMBERS, soa_closure, slip), SOA_YAML_INTO("one_sided", YES, soa_closure, one_sided),
        SOA_YAML_INTO("nonholonomic", YES, soa_closure, nonholonomic), SOA_YAML_KEY("Q"),
        SOA_YAML_INTO("inactive", YES, soa_closure, inactive), SOA_YAML_KEY("node_a"), SOA_YAML_KEY("node_b"),
        SOA_YAML_END };
    static const char *const keys_a[] = { "a", "at_a", "node_a" }, *const keys_b[] = { "b", "at_b", "node_b" };
    soa_closure closure = soa_closure_default(NULL, SOA_CLOSE_RIGID, SOA_WORLD, SOA_WORLD);
    const side a = { &closure.a, &closure.node_a, &closure.at_a }, b = { &closure.b, &closure.node_b, &closure.at_b };
    const char *text;
    int kind = SOA_CLOSE_RIGID;
    closure.source = soa_yaml_source(node);
    if (!soa_yaml_fields(node, "closure", fields, &closure) || !soa_yaml_need_text(node, "kind", &text) ||
        !soa_yaml_word(node, "kind", kinds, &kind) || !read_name(reader, node, scope, &closure.name)) {
        return false;
    }
    closure.kind = (soa_closure_kind)kind;
    return read_side(reader, node, scope, keys_a, a) && read_side(reader, node, scope, keys_b, b) &&
           read_rows(node, &closure) &&
           soa_yaml_ok(node, soa_builder_add_closure(reader->builder, &closure, NULL, reader->error));
}

/* ---- the lists ------------------------------------------------------------------ */

bool soa_yaml_parts(soa_yaml_reader *reader, const soa_yaml *mapping, const soa_yaml_scope *scope)
{
    static const struct {
        const char *key;
        bool (*read)(soa_yaml_reader *reader, soa_yaml *node, const soa_yaml_scope *scope);
    } list[] = { { "frames", read_frame }, { "geometry", soa_yaml_geometry }, { "couplings", read_coupling },
        { "closures", read_closure } };
    bool ok = true;
    for (size_t i = 0; i < sizeof list / sizeof list[0] && ok; i++) {
        soa_yaml *node;
        ok = soa_yaml_items(mapping, list[i].key, &node);
        for (; ok && node; node = node->next) {
            ok = list[i].read(reader, node, scope);
        }
    }
    return ok;
}
