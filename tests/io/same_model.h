/* tests/io/same_model.h - whether two models have the same description, bit by bit.
 *
 * For tests of writing and reading back, and for the fuzzers. */
#ifndef SOA_TESTS_IO_SAME_MODEL_H
#define SOA_TESTS_IO_SAME_MODEL_H

#include <stdio.h>
#include <string.h>

#include "soa/model.h"

static bool same_bits(const double *a, const double *b, int n)
{
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_pose(const soa_pose *a, const soa_pose *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Each gives NULL, or the field that differs. */
static const char *joint_difference(const soa_joint *a, const soa_joint *b)
{
    const int nq = soa_joint_kind_nq(a->kind), nv = soa_joint_kind_nv(a->kind);
    const bool axes = a->kind != SOA_FIXED && a->kind != SOA_SPHERICAL && a->kind != SOA_FREE;
    const struct {
        const char *field;
        bool same;
    } fields[] = {
        { "joint name", same_text(a->name, b->name) },
        { "kind", a->kind == b->kind },
        { "at", same_pose(&a->at, &b->at) },
        { "child", same_pose(&a->child, &b->child) },
        { "axis", !axes || same_bits(a->axis, b->axis, 3) },
        { "axis2", !axes || same_bits(a->axis2, b->axis2, 3) },
        { "pitch", same_bits(&a->pitch, &b->pitch, 1) },
        { "reference", same_bits(&a->reference, &b->reference, 1) },
        { "neutral", nq < 2 || same_bits(a->neutral, b->neutral, nq) },
        { "reversed", a->reversed == b->reversed },
        { "lower", same_bits(a->lower, b->lower, nv) },
        { "upper", same_bits(a->upper, b->upper, nv) },
        { "velocity", same_bits(a->velocity, b->velocity, nv) },
        { "effort", same_bits(a->effort, b->effort, nv) },
        { "damping", same_bits(&a->damping, &b->damping, 1) },
        { "friction", same_bits(&a->friction, &b->friction, 1) },
        { "stiffness", same_bits(&a->stiffness, &b->stiffness, 1) },
        { "spring_reference", same_bits(&a->spring_reference, &b->spring_reference, 1) },
        { "rotor", memcmp(&a->rotor, &b->rotor, sizeof a->rotor) == 0 },
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (!fields[i].same) {
            return fields[i].field;
        }
    }
    return NULL;
}

static const char *link_difference(const soa_link *a, const soa_link *b)
{
    return !same_text(a->name, b->name)                               ? "name"
           : a->parent != b->parent                                   ? "parent"
           : a->flags != b->flags                                     ? "flags"
           : memcmp(&a->inertia, &b->inertia, sizeof a->inertia) != 0 ? "inertia"
                                                                      : joint_difference(&a->joint, &b->joint);
}

static const char *frame_difference(const soa_frame *a, const soa_frame *b)
{
    return !same_text(a->name, b->name) ? "name"
           : a->link != b->link         ? "link"
           : !same_pose(&a->at, &b->at) ? "at"
                                        : NULL;
}

static const char *coupling_difference(const soa_coupling *a, const soa_coupling *b)
{
    return !same_text(a->name, b->name)                                     ? "name"
           : a->link != b->link || a->driver != b->driver                   ? "joints"
           : !same_bits(a->coefficient, b->coefficient, SOA_COUPLING_TERMS) ? "coefficients"
                                                                            : NULL;
}

static const char *closure_difference(const soa_closure *a, const soa_closure *b)
{
    return !same_text(a->name, b->name)                                              ? "name"
           : a->kind != b->kind                                                      ? "kind"
           : a->a != b->a || a->b != b->b                                            ? "links"
           : !same_pose(&a->at_a, &b->at_a) || !same_pose(&a->at_b, &b->at_b)        ? "poses"
           : !same_bits(&a->friction, &b->friction, 1)                               ? "friction"
           : !same_bits(&a->distance, &b->distance, 1) || a->inactive != b->inactive ? "distance or inactive"
           : !same_bits(&a->twist, &b->twist, 1) || !same_bits(a->slip, b->slip, 3)  ? "twist or slip"
           : a->one_sided != b->one_sided || a->nonholonomic != b->nonholonomic      ? "one-sided or nonholonomic"
           : a->rows != b->rows || !same_bits(a->Q[0], b->Q[0], 36)                  ? "Q"
                                                                                     : NULL;
}

static const char *geometry_difference(const soa_geometry *a, const soa_geometry *b)
{
    return !same_text(a->name, b->name) || !same_text(a->mesh, b->mesh)       ? "name or mesh"
           : a->link != b->link || a->shape != b->shape                       ? "link or shape"
           : !same_pose(&a->at, &b->at) || !same_bits(a->size, b->size, 3)    ? "at or size"
           : !same_text(a->material, b->material) || a->colored != b->colored ? "material"
           : !same_bits(a->color, b->color, 4)                                ? "color"
           : a->visual != b->visual || a->collision != b->collision           ? "role"
                                                                              : NULL;
}

static const char *configuration_difference(const soa_model *m, const soa_configuration *a, const soa_configuration *b)
{
    return !same_text(a->name, b->name)                                          ? "name"
           : !same_bits(a->q, b->q, soa_model_nq(m))                             ? "q"
           : !a->v != !b->v || (a->v && !same_bits(a->v, b->v, soa_model_nv(m))) ? "v"
                                                                                 : NULL;
}

static const char *body_difference(soa_body a, soa_body b)
{
    return a.parent != b.parent || a.link != b.link || a.kind != b.kind ? "tree"
           : a.q != b.q || a.v != b.v || a.links != b.links             ? "numbering"
           : memcmp(&a.inertia, &b.inertia, sizeof a.inertia) != 0      ? "inertia"
                                                                        : NULL;
}

static const char *head_difference(const soa_model *a, const soa_model *b)
{
    double gravity_a[3], gravity_b[3];
    soa_model_gravity(a, gravity_a);
    soa_model_gravity(b, gravity_b);
    return !same_text(soa_model_name(a), soa_model_name(b))                                         ? "name"
           : !same_bits(gravity_a, gravity_b, 3)                                                    ? "gravity"
           : soa_model_nq(a) != soa_model_nq(b) || soa_model_nv(a) != soa_model_nv(b)               ? "nq, nv"
           : soa_model_links(a) != soa_model_links(b) || soa_model_bodies(a) != soa_model_bodies(b) ? "links"
           : soa_model_frames(a) != soa_model_frames(b)                                             ? "frames"
           : soa_model_couplings(a) != soa_model_couplings(b)                                       ? "couplings"
           : soa_model_closures(a) != soa_model_closures(b)                                         ? "closures"
           : soa_model_geometries(a) != soa_model_geometries(b)                                     ? "geometry"
           : soa_model_configurations(a) != soa_model_configurations(b)                             ? "configurations"
                                                                                                    : NULL;
}

/* false: what differs is in `where`. */
static bool same_model(const soa_model *a, const soa_model *b, char *where, size_t size)
{
    const char *field = head_difference(a, b);
    const char *list = "model";
    int item = 0;
#define COMPARE(name, count, difference)           \
    for (int i = 0; !field && i < count(a); i++) { \
        list = name;                               \
        item = i;                                  \
        field = difference;                        \
    }
    COMPARE("link", soa_model_links, link_difference(soa_model_link(a, i), soa_model_link(b, i)))
    COMPARE("frame", soa_model_frames, frame_difference(soa_model_frame(a, i), soa_model_frame(b, i)))
    COMPARE("coupling", soa_model_couplings, coupling_difference(soa_model_coupling(a, i), soa_model_coupling(b, i)))
    COMPARE("closure", soa_model_closures, closure_difference(soa_model_closure(a, i), soa_model_closure(b, i)))
    COMPARE("geometry", soa_model_geometries, geometry_difference(soa_model_geometry(a, i), soa_model_geometry(b, i)))
    COMPARE("configuration", soa_model_configurations,
        configuration_difference(a, soa_model_configuration(a, i), soa_model_configuration(b, i)))
    COMPARE("body", soa_model_bodies, body_difference(soa_model_body(a, i), soa_model_body(b, i)))
#undef COMPARE
    snprintf(where, size, "%s %d: %s", list, item, field ? field : "");
    return !field;
}

#endif
