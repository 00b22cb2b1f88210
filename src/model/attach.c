/* model/attach.c - a model as part of another. */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "model/kit.h"
#include "model/model.h"

typedef struct attachment {
    soa_kit kit;
    const soa_description *part;
    const char *prefix;
    int link; /* where the part hangs */
    soa_pose at;
    int first_link; /* number of the part's first link in the builder */
} attachment;

/* "prefix/name" in the builder's arena; name unchanged without a prefix or a name. */
static const char *prefixed(attachment *t, const char *name)
{
    if (!t->prefix || !name) {
        return name;
    }
    const size_t size = strlen(t->prefix) + strlen(name) + 2;
    char *text = soa_arena_take(&t->kit.builder->arena, size, 1);
    if (soa_got(&t->kit.outcome, text)) {
        snprintf(text, size, "%s/%s", t->prefix, name);
    }
    return text;
}

/* What hung on the world hangs where the part does, and stands there too. */
static void move(const attachment *t, int *link, soa_pose *at)
{
    if (*link == SOA_WORLD) {
        *at = soa_pose_compose(&t->at, at);
    }
    *link = *link < 0 ? t->link : *link + t->first_link;
}

static void attach_links(attachment *t)
{
    for (int i = 0; i < t->part->link.count; i++) {
        soa_link link = *soa_description_link(t->part, i);
        move(t, &link.parent, &link.joint.at);
        link.name = prefixed(t, link.name);
        link.joint.name = prefixed(t, link.joint.name);
        soa_kit_link(&t->kit, &link);
    }
}

static void attach_rest(attachment *t)
{
    for (int i = 0; i < t->part->frame.count; i++) {
        soa_frame frame = *(const soa_frame *)soa_array_at(&t->part->frame, i);
        move(t, &frame.link, &frame.at);
        frame.name = prefixed(t, frame.name);
        soa_kit_frame(&t->kit, &frame);
    }
    for (int i = 0; i < t->part->geometry.count; i++) {
        soa_geometry geometry = *(const soa_geometry *)soa_array_at(&t->part->geometry, i);
        move(t, &geometry.link, &geometry.at);
        soa_kit_geometry(&t->kit, &geometry);
    }
    for (int i = 0; i < t->part->coupling.count; i++) {
        soa_coupling coupling = *(const soa_coupling *)soa_array_at(&t->part->coupling, i);
        coupling.link += t->first_link;
        coupling.driver += coupling.driver < 0 ? 0 : t->first_link;
        coupling.name = prefixed(t, coupling.name);
        soa_kit_coupling(&t->kit, &coupling);
    }
    for (int i = 0; i < t->part->closure.count; i++) {
        soa_closure closure = *(const soa_closure *)soa_array_at(&t->part->closure, i);
        move(t, &closure.a, &closure.at_a);
        move(t, &closure.b, &closure.at_b);
        closure.name = prefixed(t, closure.name);
        soa_kit_closure(&t->kit, &closure);
    }
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
    attachment t = { .kit = { { error, SOA_OK }, builder, &builder->allocator },
        .part = &part->description,
        .prefix = prefix,
        .link = link,
        .at = at ? *at : soa_pose_identity(),
        .first_link = builder->description.link.count };
    attach_links(&t);
    attach_rest(&t);
    for (int i = 0; i < part->given_warnings; i++) { /* of its reader; what validation said will be said again */
        const soa_warning *warning = soa_array_at(&part->description.warning, i);
        soa_kit_warn(&t.kit, warning->source, "%s", warning->text);
    }
    return t.kit.outcome.status;
}
