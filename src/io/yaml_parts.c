/* io/yaml_parts.c - frames, couplings and closures in a native YAML file. */
#include <string.h>

#include "core/kind_words.h"
#include "io/yaml_flexible.h"
#include "model/model.h"

/* A name that may be absent, in its scope. */
static const char *read_name(soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope)
{
    const char *name = NULL;
    soa_yaml_text(node, "name", &name);
    const char *full = name ? soa_yaml_full_name(reader, scope, name) : NULL;
    if (name) {
        soa_yaml_got(node, full);
    }
    return full;
}

/* ---- frames --------------------------------------------------------------------- */

void soa_yaml_frame(soa_yaml_reader *reader, soa_yaml *node, const soa_yaml_scope *scope, int owner)
{
    static const char *const keys[] = { "name", "at", "node", "link", NULL }, *const own_keys[] = { "name", "at",
        "node", NULL };
    soa_frame frame = soa_frame_default(NULL, owner);
    frame.source = soa_yaml_source(node);
    soa_yaml_expect(node, "frame", owner >= 0 ? own_keys : keys);
    frame.name = read_name(reader, node, scope);
    if (owner < 0) {
        frame.link = soa_yaml_link_or_world(reader, scope, soa_yaml_get(node, "link"));
    }
    soa_yaml_node(node, "node", soa_builder_link(reader->kit.builder, frame.link), &frame.node);
    soa_yaml_pose(node, "at", &frame.at);
    soa_kit_frame(&reader->kit, &frame);
}

static void read_frame(soa_yaml_reader *reader, soa_yaml *node, const soa_yaml_scope *scope)
{
    soa_yaml_frame(reader, node, scope, SOA_WORLD);
}

/* ---- couplings ------------------------------------------------------------------ */

/* The joint named by key, or carrying the link named by link_key; -1 if neither is there. */
static int find_coupled(
    soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, const char *key, const char *link_key)
{
    const soa_yaml *joint = soa_yaml_get(node, key), *carried = soa_yaml_get(node, link_key);
    if (joint && carried) {
        soa_yaml_fail(carried, SOA_E_COUPLING, "has both '%s' and '%s'; give one of them", key, link_key);
    }
    return joint || carried ? soa_yaml_find(reader, scope, joint ? joint : carried, joint != NULL) : -1;
}

static void read_coupling(soa_yaml_reader *reader, soa_yaml *node, const soa_yaml_scope *scope)
{
    static const char *const keys[] = { "name", "joint", "link", "driver", "driver_link", "coefficients", NULL };
    const soa_yaml *list = soa_yaml_get(node, "coefficients");
    soa_coupling coupling = { .source = soa_yaml_source(node) };
    soa_yaml_expect(node, "coupling", keys);
    coupling.name = read_name(reader, node, scope);
    coupling.link = find_coupled(reader, node, scope, "joint", "link");
    coupling.driver = find_coupled(reader, node, scope, "driver", "driver_link");
    if (!list || list->kind != SOA_YAML_SEQUENCE || list->count < 1 || list->count > SOA_COUPLING_TERMS) {
        soa_yaml_fail(list ? list : node, SOA_E_COUPLING,
            "'coefficients' must be a list of 1 to %d numbers: offset, ratio, ...", SOA_COUPLING_TERMS);
    } else {
        soa_yaml_as_numbers(list, list->count, coupling.coefficient);
    }
    if (coupling.link < 0) {
        soa_yaml_fail(node, SOA_E_COUPLING, "'joint' is missing; name the joint that follows");
    }
    soa_kit_coupling(&reader->kit, &coupling);
}

/* ---- closures ------------------------------------------------------------------- */

/* Where one side of a closure stands. */
typedef struct side {
    const char *keys[3];
    int *link, *node;
    soa_pose *at;
} side;

/* One side: a link, a frame (then the pose is in it), or the world. */
static void read_side(soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, side s)
{
    const soa_yaml *value = soa_yaml_get(node, s.keys[0]);
    const soa_builder *builder = reader->kit.builder;
    soa_yaml_pose(node, s.keys[1], s.at);
    const bool scalar = value && value->kind == SOA_YAML_SCALAR;
    const char *name = scalar ? soa_yaml_full_name(reader, scope, value->text) : NULL;
    if (scalar) {
        soa_yaml_got(node, name);
    }
    const int found = name ? soa_builder_find_frame(builder, name) : -1;
    if (found < 0 || soa_builder_find_link(builder, name) >= 0) {
        *s.link = soa_yaml_link_or_world(reader, scope, value);
    } else {
        const soa_frame *frame = soa_array_at(&builder->description.frame, found);
        *s.link = frame->link;
        *s.node = frame->node;
        *s.at = soa_yaml_get(node, s.keys[1]) ? soa_pose_compose(&frame->at, s.at) : frame->at;
    }
    soa_yaml_node(node, s.keys[2], soa_builder_link(builder, *s.link), s.node);
}

/* The rows of a general closure: a list of lists of six numbers. */
static void read_rows(const soa_yaml *node, soa_closure *closure)
{
    const soa_yaml *value = soa_yaml_get(node, "Q");
    if (!value) {
        return;
    }
    if (value->kind != SOA_YAML_SEQUENCE || value->count < 1 || value->count > 6) {
        soa_yaml_fail(value, SOA_E_CLOSURE, "'Q' must be a list of 1 to 6 rows");
        return;
    }
    for (const soa_yaml *row = value->child; row; row = row->next) {
        if (row->kind != SOA_YAML_SEQUENCE || row->count != 6) {
            soa_yaml_fail(row, SOA_E_CLOSURE, "a row of 'Q' must be a list of 6 numbers: angular, linear");
        }
        soa_yaml_as_numbers(row, 6, closure->Q[closure->rows++]);
    }
}

static void read_closure(soa_yaml_reader *reader, soa_yaml *node, const soa_yaml_scope *scope)
{
    static const char *const kinds[] = { SOA_CLOSURE_LIST(SOA_SECOND) NULL };
    static const soa_yaml_field fields[] = { SOA_YAML_KEY("name"), SOA_YAML_KEY("kind"), SOA_YAML_KEY("a"),
        SOA_YAML_KEY("b"), SOA_YAML_KEY("at_a"), SOA_YAML_KEY("at_b"),
        SOA_YAML_INTO("friction", NUMBERS, soa_closure, friction),
        SOA_YAML_INTO("distance", NUMBERS, soa_closure, distance), SOA_YAML_INTO("twist", NUMBERS, soa_closure, twist),
        SOA_YAML_INTO("slip", NUMBERS, soa_closure, slip), SOA_YAML_INTO("one_sided", YES, soa_closure, one_sided),
        SOA_YAML_INTO("nonholonomic", YES, soa_closure, nonholonomic), SOA_YAML_KEY("Q"),
        SOA_YAML_INTO("inactive", YES, soa_closure, inactive), SOA_YAML_KEY("node_a"), SOA_YAML_KEY("node_b"),
        SOA_YAML_END };
    soa_closure closure = soa_closure_default(NULL, SOA_CLOSE_RIGID, SOA_WORLD, SOA_WORLD);
    const side a = { { "a", "at_a", "node_a" }, &closure.a, &closure.node_a, &closure.at_a };
    const side b = { { "b", "at_b", "node_b" }, &closure.b, &closure.node_b, &closure.at_b };
    closure.source = soa_yaml_source(node);
    soa_yaml_fields(node, "closure", fields, &closure);
    soa_yaml_need_text(node, "kind");
    closure.kind = (soa_closure_kind)soa_yaml_word(node, "kind", kinds, SOA_CLOSE_RIGID);
    closure.name = read_name(reader, node, scope);
    read_side(reader, node, scope, a);
    read_side(reader, node, scope, b);
    read_rows(node, &closure);
    soa_kit_closure(&reader->kit, &closure);
}

/* ---- the lists ------------------------------------------------------------------ */

void soa_yaml_parts(soa_yaml_reader *reader, const soa_yaml *mapping, const soa_yaml_scope *scope)
{
    static const struct {
        const char *key;
        void (*read)(soa_yaml_reader *reader, soa_yaml *node, const soa_yaml_scope *scope);
    } list[] = { { "frames", read_frame }, { "geometry", soa_yaml_geometry }, { "couplings", read_coupling },
        { "closures", read_closure } };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        for (soa_yaml *node = soa_yaml_items(mapping, list[i].key); node && soa_yaml_ok(node); node = node->next) {
            list[i].read(reader, node, scope);
        }
    }
}
