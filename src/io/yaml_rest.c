/* io/yaml_rest.c - frames, couplings, closures and configurations in a native YAML file. */
#include <string.h>

#include "core/error.h"
#include "io/yaml_flexible.h"
#include "model/model.h"

/* A name that may be absent, in its scope. */
static soa_status read_name(
    soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, const char **name)
{
    const soa_status status = soa_yaml_text(node, "name", name, reader->error);
    if (status == SOA_OK && *name) {
        *name = soa_yaml_full_name(reader, scope, *name);
        return *name ? SOA_OK : soa_fail_memory(reader->error);
    }
    return status;
}

soa_status soa_yaml_link_or_world(
    soa_yaml_reader *reader, const soa_yaml_scope *scope, const soa_yaml *value, int *link)
{
    *link = SOA_WORLD;
    if (!value) {
        return SOA_OK;
    }
    const bool world = value->kind == SOA_YAML_SCALAR && strcmp(value->text, "world") == 0;
    if (world) {
        const char *name = soa_yaml_full_name(reader, scope, "world");
        if (!name) {
            return soa_fail_memory(reader->error);
        }
        const int found = soa_builder_find_link(reader->builder, name);
        *link = found >= 0 ? found : SOA_WORLD;
        return SOA_OK;
    }
    return soa_yaml_find(reader, scope, value, false, link);
}

/* ---- frames --------------------------------------------------------------------- */

soa_status soa_yaml_frame(soa_yaml_reader *reader, soa_yaml *node, const soa_yaml_scope *scope, int owner)
{
    static const char *const keys[] = { "name", "at", "node", "link", NULL }, *const own_keys[] = { "name", "at",
        "node", NULL };
    soa_frame frame = soa_frame_default(NULL, owner);
    frame.source = soa_yaml_source(node);
    soa_status status = soa_yaml_expect(node, "frame", owner >= 0 ? own_keys : keys, reader->error);
    status = status == SOA_OK ? read_name(reader, node, scope, &frame.name) : status;
    if (status == SOA_OK && owner < 0) {
        status = soa_yaml_link_or_world(reader, scope, soa_yaml_get(node, "link"), &frame.link);
    }
    status = status == SOA_OK ? soa_yaml_node(reader, node, "node", frame.link, &frame.node) : status;
    status = status == SOA_OK ? soa_yaml_pose(node, "at", &frame.at, reader->error) : status;
    return status == SOA_OK ? soa_builder_add_frame(reader->builder, &frame, NULL, reader->error) : status;
}

soa_status soa_yaml_frames(soa_yaml_reader *reader, const soa_yaml *mapping, const soa_yaml_scope *scope)
{
    soa_yaml *node;
    soa_status status = soa_yaml_items(mapping, "frames", &node, reader->error);
    for (; status == SOA_OK && node; node = node->next) {
        status = soa_yaml_frame(reader, node, scope, SOA_WORLD);
    }
    return status;
}

/* ---- couplings ------------------------------------------------------------------ */

/* The joint named by key, or carrying the link named by link_key; -1 if neither is there. */
static soa_status find_coupled(soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope,
    const char *key, const char *link_key, int *link)
{
    const soa_yaml *joint = soa_yaml_get(node, key), *carried = soa_yaml_get(node, link_key);
    *link = -1;
    if (joint && carried) {
        return soa_yaml_fail(
            carried, SOA_E_COUPLING, reader->error, "has both '%s' and '%s'; give one of them", key, link_key);
    }
    if (!joint && !carried) {
        return SOA_OK;
    }
    return soa_yaml_find(reader, scope, joint ? joint : carried, joint != NULL, link);
}

static soa_status read_coefficients(const soa_yaml *node, double *coefficient, soa_error *error)
{
    const soa_yaml *value = soa_yaml_get(node, "coefficients");
    if (!value || value->kind != SOA_YAML_SEQUENCE || value->count < 1 || value->count > SOA_COUPLING_TERMS) {
        return soa_yaml_fail(value ? value : node, SOA_E_COUPLING, error,
            "'coefficients' must be a list of 1 to %d numbers: offset, ratio, ...", SOA_COUPLING_TERMS);
    }
    return soa_yaml_numbers(node, "coefficients", value->count, coefficient, error);
}

static soa_status read_coupling(soa_yaml_reader *reader, soa_yaml *node, const soa_yaml_scope *scope)
{
    static const char *const keys[] = { "name", "joint", "link", "driver", "driver_link", "coefficients", NULL };
    soa_coupling coupling = { .source = soa_yaml_source(node) };
    soa_status status = soa_yaml_expect(node, "coupling", keys, reader->error);
    status = status == SOA_OK ? read_name(reader, node, scope, &coupling.name) : status;
    status = status == SOA_OK ? find_coupled(reader, node, scope, "joint", "link", &coupling.link) : status;
    status = status == SOA_OK ? find_coupled(reader, node, scope, "driver", "driver_link", &coupling.driver) : status;
    status = status == SOA_OK ? read_coefficients(node, coupling.coefficient, reader->error) : status;
    if (status == SOA_OK && coupling.link < 0) {
        return soa_yaml_fail(node, SOA_E_COUPLING, reader->error, "'joint' is missing; name the joint that follows");
    }
    return status == SOA_OK ? soa_builder_add_coupling(reader->builder, &coupling, NULL, reader->error) : status;
}

soa_status soa_yaml_couplings(soa_yaml_reader *reader, const soa_yaml *mapping, const soa_yaml_scope *scope)
{
    soa_yaml *node;
    soa_status status = soa_yaml_items(mapping, "couplings", &node, reader->error);
    for (; status == SOA_OK && node; node = node->next) {
        status = read_coupling(reader, node, scope);
    }
    return status;
}

/* ---- closures ------------------------------------------------------------------- */

static soa_status read_closure_kind(const soa_yaml *node, soa_closure_kind *kind, soa_error *error)
{
    static const char *const texts[] = {
#define KIND_TEXT(name, text, rows) text,
        SOA_CLOSURE_LIST(KIND_TEXT)
#undef KIND_TEXT
            NULL
    };
    const char *text = NULL;
    const soa_status status = soa_yaml_need_text(node, "kind", &text, error);
    if (status != SOA_OK) {
        return status;
    }
    *kind = soa_closure_kind_find(text);
    if (*kind != SOA_CLOSURE_KINDS) {
        return SOA_OK;
    }
    const char *nearest = soa_yaml_nearest(text, texts);
    return soa_yaml_fail(soa_yaml_get(node, "kind"), SOA_E_CLOSURE, error, "unknown kind of closure '%.80s'; %s%s%s",
        text, nearest ? "did you mean '" : "the kinds are rigid, revolute, prismatic, cylindrical, universal, ",
        nearest ? nearest : "spherical, soft-finger, point, plane, distance, line, sliding, general",
        nearest ? "'?" : "");
}

/* Where one side of a closure stands. */
typedef struct side {
    int *link, *node;
    soa_pose *at;
} side;

/* One side: a link, a frame (then the pose is in it), or the world. */
static soa_status find_side(
    soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, const char *const keys[3], side *s)
{
    const soa_yaml *value = soa_yaml_get(node, keys[0]);
    const soa_status status = soa_yaml_pose(node, keys[1], s->at, reader->error);
    if (status != SOA_OK || !value || value->kind != SOA_YAML_SCALAR) {
        return status == SOA_OK ? soa_yaml_link_or_world(reader, scope, value, s->link) : status;
    }
    const char *name = soa_yaml_full_name(reader, scope, value->text);
    if (!name) {
        return soa_fail_memory(reader->error);
    }
    const int found = soa_builder_find_frame(reader->builder, name);
    if (found < 0 || soa_builder_find_link(reader->builder, name) >= 0) {
        return soa_yaml_link_or_world(reader, scope, value, s->link);
    }
    const soa_frame *frame = soa_array_at(&reader->builder->description.frame, found);
    *s->link = frame->link;
    *s->node = frame->node;
    *s->at = soa_yaml_get(node, keys[1]) ? soa_pose_compose(&frame->at, s->at) : frame->at;
    return SOA_OK;
}

static soa_status read_side(
    soa_yaml_reader *reader, const soa_yaml *node, const soa_yaml_scope *scope, const char *const keys[3], side s)
{
    const soa_status status = find_side(reader, node, scope, keys, &s);
    return status == SOA_OK ? soa_yaml_node(reader, node, keys[2], *s.link, s.node) : status;
}

/* The rows of a general closure: a list of lists of six numbers. */
static soa_status read_rows(const soa_yaml *node, soa_closure *closure, soa_error *error)
{
    const soa_yaml *value = soa_yaml_get(node, "Q");
    if (!value) {
        return SOA_OK;
    }
    if (value->kind != SOA_YAML_SEQUENCE || value->count < 1 || value->count > 6) {
        return soa_yaml_fail(value, SOA_E_CLOSURE, error, "'Q' must be a list of 1 to 6 rows");
    }
    for (const soa_yaml *row = value->child; row; row = row->next) {
        if (row->kind != SOA_YAML_SEQUENCE || row->count != 6) {
            return soa_yaml_fail(
                row, SOA_E_CLOSURE, error, "a row of 'Q' must be a list of 6 numbers: angular, linear");
        }
        double *to = closure->Q[closure->rows++];
        for (const soa_yaml *number = row->child; number; number = number->next) {
            const soa_status status = soa_yaml_as_number(number, to++, error);
            if (status != SOA_OK) {
                return status;
            }
        }
    }
    return SOA_OK;
}

static soa_status read_details(const soa_yaml *node, soa_closure *closure, soa_error *error)
{
    soa_status status = soa_yaml_number(node, "friction", &closure->friction, error);
    status = status == SOA_OK ? soa_yaml_number(node, "distance", &closure->distance, error) : status;
    status = status == SOA_OK ? soa_yaml_number(node, "twist", &closure->twist, error) : status;
    status = status == SOA_OK ? soa_yaml_numbers(node, "slip", 3, closure->slip, error) : status;
    status = status == SOA_OK ? soa_yaml_boolean(node, "one_sided", &closure->one_sided, error) : status;
    status = status == SOA_OK ? soa_yaml_boolean(node, "nonholonomic", &closure->nonholonomic, error) : status;
    status = status == SOA_OK ? soa_yaml_boolean(node, "inactive", &closure->inactive, error) : status;
    return status == SOA_OK ? read_rows(node, closure, error) : status;
}

static soa_status read_closure(soa_yaml_reader *reader, soa_yaml *node, const soa_yaml_scope *scope)
{
    static const char *const keys[] = { "name", "kind", "a", "b", "at_a", "at_b", "friction", "distance", "twist",
        "slip", "one_sided", "nonholonomic", "Q", "inactive", "node_a", "node_b", NULL };
    static const char *const keys_a[] = { "a", "at_a", "node_a" }, *const keys_b[] = { "b", "at_b", "node_b" };
    soa_closure closure = soa_closure_default(NULL, SOA_CLOSE_RIGID, SOA_WORLD, SOA_WORLD);
    soa_error *error = reader->error;
    const side a = { &closure.a, &closure.node_a, &closure.at_a }, b = { &closure.b, &closure.node_b, &closure.at_b };
    closure.source = soa_yaml_source(node);
    soa_status status = soa_yaml_expect(node, "closure", keys, error);
    status = status == SOA_OK ? read_name(reader, node, scope, &closure.name) : status;
    status = status == SOA_OK ? read_closure_kind(node, &closure.kind, error) : status;
    status = status == SOA_OK ? read_side(reader, node, scope, keys_a, a) : status;
    status = status == SOA_OK ? read_side(reader, node, scope, keys_b, b) : status;
    status = status == SOA_OK ? read_details(node, &closure, error) : status;
    return status == SOA_OK ? soa_builder_add_closure(reader->builder, &closure, NULL, error) : status;
}

soa_status soa_yaml_closures(soa_yaml_reader *reader, const soa_yaml *mapping, const soa_yaml_scope *scope)
{
    soa_yaml *node;
    soa_status status = soa_yaml_items(mapping, "closures", &node, reader->error);
    for (; status == SOA_OK && node; node = node->next) {
        status = read_closure(reader, node, scope);
    }
    return status;
}
