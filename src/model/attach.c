/* model/attach.c - a model as part of another. */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "model/model.h"

/* "prefix/name" in the builder's arena; name unchanged without a prefix or a name. NULL with *failed: no memory. */
static const char *prefixed(soa_builder *b, const char *prefix, const char *name, bool *failed)
{
    if (!prefix || !name) {
        return name;
    }
    const size_t size = strlen(prefix) + strlen(name) + 2;
    char *text = soa_arena_take(&b->arena, size, 1);
    if (!text) {
        *failed = true;
        return NULL;
    }
    snprintf(text, size, "%s/%s", prefix, name);
    return text;
}

typedef struct attachment {
    soa_builder *builder;
    const soa_description *part;
    const char *prefix;
    int link; /* where the part hangs */
    soa_pose at;
    int first_link; /* number of the part's first link in the builder */
} attachment;

static int moved(const attachment *t, int link)
{
    return link < 0 ? t->link : link + t->first_link;
}

static soa_status attach_links(const attachment *t, soa_error *error)
{
    for (int i = 0; i < t->part->link.count; i++) {
        soa_link link = *soa_description_link(t->part, i);
        bool failed = false;
        if (link.parent == SOA_WORLD) {
            link.joint.at = soa_pose_compose(&t->at, &link.joint.at);
        }
        link.parent = moved(t, link.parent);
        link.name = prefixed(t->builder, t->prefix, link.name, &failed);
        link.joint.name = prefixed(t->builder, t->prefix, link.joint.name, &failed);
        const soa_status status =
            failed ? soa_fail_memory(error) : soa_builder_add_link(t->builder, &link, NULL, error);
        if (status != SOA_OK) {
            return status;
        }
    }
    return SOA_OK;
}

static soa_status attach_frames(const attachment *t, soa_error *error)
{
    for (int i = 0; i < t->part->frame.count; i++) {
        soa_frame frame = *(const soa_frame *)soa_array_at(&t->part->frame, i);
        bool failed = false;
        frame.at = frame.link == SOA_WORLD ? soa_pose_compose(&t->at, &frame.at) : frame.at;
        frame.link = moved(t, frame.link);
        frame.name = prefixed(t->builder, t->prefix, frame.name, &failed);
        const soa_status status =
            failed ? soa_fail_memory(error) : soa_builder_add_frame(t->builder, &frame, NULL, error);
        if (status != SOA_OK) {
            return status;
        }
    }
    return SOA_OK;
}

static soa_status attach_geometry(const attachment *t, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int i = 0; status == SOA_OK && i < t->part->geometry.count; i++) {
        soa_geometry geometry = *(const soa_geometry *)soa_array_at(&t->part->geometry, i);
        geometry.at = geometry.link == SOA_WORLD ? soa_pose_compose(&t->at, &geometry.at) : geometry.at;
        geometry.link = moved(t, geometry.link);
        status = soa_builder_add_geometry(t->builder, &geometry, NULL, error);
    }
    return status;
}

static soa_status attach_couplings(const attachment *t, soa_error *error)
{
    for (int i = 0; i < t->part->coupling.count; i++) {
        soa_coupling coupling = *(const soa_coupling *)soa_array_at(&t->part->coupling, i);
        bool failed = false;
        coupling.link += t->first_link;
        coupling.driver += coupling.driver < 0 ? 0 : t->first_link;
        coupling.name = prefixed(t->builder, t->prefix, coupling.name, &failed);
        const soa_status status =
            failed ? soa_fail_memory(error) : soa_builder_add_coupling(t->builder, &coupling, NULL, error);
        if (status != SOA_OK) {
            return status;
        }
    }
    return SOA_OK;
}

static soa_status attach_closures(const attachment *t, soa_error *error)
{
    for (int i = 0; i < t->part->closure.count; i++) {
        soa_closure closure = *(const soa_closure *)soa_array_at(&t->part->closure, i);
        bool failed = false;
        closure.at_a = closure.a == SOA_WORLD ? soa_pose_compose(&t->at, &closure.at_a) : closure.at_a;
        closure.at_b = closure.b == SOA_WORLD ? soa_pose_compose(&t->at, &closure.at_b) : closure.at_b;
        closure.a = moved(t, closure.a);
        closure.b = moved(t, closure.b);
        closure.name = prefixed(t->builder, t->prefix, closure.name, &failed);
        const soa_status status =
            failed ? soa_fail_memory(error) : soa_builder_add_closure(t->builder, &closure, NULL, error);
        if (status != SOA_OK) {
            return status;
        }
    }
    return SOA_OK;
}

/* What the part's reader said; what validation said of it will be said again. */
static soa_status attach_warnings(const attachment *t, int given, soa_error *error)
{
    for (int i = 0; i < given; i++) {
        const soa_warning *warning = soa_array_at(&t->part->warning, i);
        const soa_status status = soa_builder_warn(t->builder, warning->source, error, "%s", warning->text);
        if (status != SOA_OK) {
            return status;
        }
    }
    return SOA_OK;
}

soa_status soa_builder_attach(
    soa_builder *builder, const soa_model *part, const char *prefix, int link, const soa_pose *at, soa_error *error)
{
    if (!builder || !part) {
        return soa_fail_null(error, builder ? "the part" : "the builder");
    }
    if (link < SOA_WORLD || link >= builder->description.link.count) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "link %d does not exist; attach to a link or the world", link);
    }
    const attachment t = { .builder = builder,
        .part = &part->description,
        .prefix = prefix,
        .link = link,
        .at = at ? *at : soa_pose_identity(),
        .first_link = builder->description.link.count };
    soa_status status = attach_links(&t, error);
    status = status == SOA_OK ? attach_frames(&t, error) : status;
    status = status == SOA_OK ? attach_geometry(&t, error) : status;
    status = status == SOA_OK ? attach_couplings(&t, error) : status;
    status = status == SOA_OK ? attach_closures(&t, error) : status;
    return status == SOA_OK ? attach_warnings(&t, part->given_warnings, error) : status;
}
