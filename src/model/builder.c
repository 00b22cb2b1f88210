/* model/builder.c - collecting a description.
 *
 * Nothing is judged here but what would make the lists themselves unusable: an
 * empty or used name. soa_builder_finish judges the rest. */
#include <string.h>

#include "core/error.h"
#include "model/description.h"

soa_builder *soa_builder_new(const soa_allocator *allocator)
{
    const soa_allocator chosen = allocator ? *allocator : soa_allocator_default();
    soa_builder *builder = soa_allocate(&chosen, 1, sizeof *builder);
    if (builder) {
        memset(builder, 0, sizeof *builder);
        builder->allocator = chosen;
        builder->arena = soa_arena_on(&builder->allocator);
        builder->description = soa_description_empty();
    }
    return builder;
}

void soa_builder_free(soa_builder *builder)
{
    if (builder) {
        const soa_allocator allocator = builder->allocator;
        soa_description_free(&builder->description, &allocator);
        soa_arena_free(&builder->arena);
        soa_release(&allocator, builder);
    }
}

static soa_status check_name(const char *what, const char *name, soa_source source, soa_error *error)
{
    if (!name || !name[0]) {
        return soa_fail_source(error, SOA_E_NAME, source, "a %s has no name; give it one", what);
    }
    if (strlen(name) > SOA_MAX_NAME) {
        return soa_fail_source(
            error, SOA_E_NAME, source, "the name of a %s is longer than %d bytes; shorten it", what, SOA_MAX_NAME);
    }
    return SOA_OK;
}

static soa_status check_new_name(
    const soa_names *names, const char *what, const char *name, soa_source source, soa_error *error)
{
    const soa_status status = check_name(what, name, source, error);
    if (status == SOA_OK && soa_names_find(names, name) >= 0) {
        return soa_fail_source(
            error, SOA_E_NAME, source, "%s '%s': another %s has this name; rename one", what, name, what);
    }
    return status;
}

soa_status soa_builder_set_name(soa_builder *builder, const char *name, soa_error *error)
{
    if (!builder) {
        return soa_fail_null(error, "the builder");
    }
    const soa_status status = check_name("model", name, (soa_source){ NULL, 0 }, error);
    if (status != SOA_OK) {
        return status;
    }
    const char *copy = soa_arena_text(&builder->arena, name);
    builder->description.name = copy ? copy : builder->description.name;
    return copy ? SOA_OK : soa_fail_memory(error);
}

void soa_builder_set_gravity(soa_builder *builder, const double gravity[3])
{
    if (!builder || !gravity) {
        return;
    }
    memcpy(builder->description.gravity, gravity, sizeof builder->description.gravity);
}

static soa_keeper keeper_of(soa_builder *b)
{
    return (soa_keeper){ &b->allocator, &b->arena, &b->last_file };
}

/* Appends *item to a list of the description; its index in *index. */
static soa_status append(soa_builder *b, soa_array *list, const void *item, int *index, soa_error *error)
{
    if (!soa_description_add(&b->description, list, item, keeper_of(b))) {
        return soa_fail_memory(error);
    }
    if (index) {
        *index = list->count - 1;
    }
    return SOA_OK;
}

soa_status soa_builder_add_link(soa_builder *builder, const soa_link *link, int *index, soa_error *error)
{
    if (!builder || !link) {
        return soa_fail_null(error, builder ? "the link" : "the builder");
    }
    soa_description *d = &builder->description;
    soa_status status = check_new_name(&d->link_name, "link", link->name, link->source, error);
    if (status == SOA_OK && link->joint.name) {
        status = check_new_name(&d->joint_name, "joint", link->joint.name, link->joint.source, error);
    }
    if (status == SOA_OK && d->link.count >= SOA_MAX_LINKS) {
        return soa_fail_source(error, SOA_E_LIMIT, link->source, "more than %d links; split the system", SOA_MAX_LINKS);
    }
    return status == SOA_OK ? append(builder, &d->link, link, index, error) : status;
}

soa_status soa_builder_set_link(soa_builder *builder, int link, const soa_link *value, soa_error *error)
{
    if (!builder || !value) {
        return soa_fail_null(error, builder ? "the link" : "the builder");
    }
    soa_description *d = &builder->description;
    const soa_link *old = soa_description_link(d, link);
    if (!old || !value->name || strcmp(old->name, value->name) != 0) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "link %d is not '%s'; give the number and name of a link", link,
            value->name ? value->name : "");
    }
    const char *name = value->joint.name;
    const bool renamed = name && (!old->joint.name || strcmp(old->joint.name, name) != 0);
    const soa_status status =
        renamed ? check_new_name(&d->joint_name, "joint", name, value->joint.source, error) : SOA_OK;
    if (status != SOA_OK) {
        return status;
    }
    const bool done = soa_description_set_link(d, link, value, keeper_of(builder)) &&
                      (!renamed || soa_names_add(&d->joint_name, &builder->allocator, old->joint.name, link));
    return done ? SOA_OK : soa_fail_memory(error);
}

soa_status soa_builder_add_frame(soa_builder *builder, const soa_frame *frame, int *index, soa_error *error)
{
    if (!builder || !frame) {
        return soa_fail_null(error, builder ? "the frame" : "the builder");
    }
    soa_description *d = &builder->description;
    const soa_status status = check_new_name(&d->frame_name, "frame", frame->name, frame->source, error);
    return status == SOA_OK ? append(builder, &d->frame, frame, index, error) : status;
}

#define ADD(list)                                                                                                 \
    soa_status soa_builder_add_##list(soa_builder *builder, const soa_##list *item, int *index, soa_error *error) \
    {                                                                                                             \
        return builder && item ? append(builder, &builder->description.list, item, index, error)                  \
                               : soa_fail_null(error, builder ? "the " #list : "the builder");                    \
    }
ADD(coupling)
ADD(closure)
ADD(geometry)

/* A copy of n numbers in the arena; n 0 gives a pointer that is not NULL. */
static const double *own_numbers(soa_builder *b, int n, const double *values)
{
    double *copy = soa_arena_take(&b->arena, (size_t)n, sizeof *copy);
    if (copy && n > 0) {
        memcpy(copy, values, (size_t)n * sizeof *copy);
    }
    return copy;
}

soa_status soa_builder_add_configuration(
    soa_builder *builder, const char *name, int nq, const double *q, int nv, const double *v, soa_error *error)
{
    if (!builder) {
        return soa_fail_null(error, "the builder");
    }
    const soa_status status = check_name("configuration", name, (soa_source){ NULL, 0 }, error);
    if (status != SOA_OK) {
        return status;
    }
    if (nq < 0 || (nq > 0 && !q) || (v && nv < 0)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "configuration '%s': %d coordinates; give nq numbers", name, nq);
    }
    soa_raw_configuration item = { .name = soa_arena_text(&builder->arena, name), .nq = nq, .nv = v ? nv : 0 };
    item.q = own_numbers(builder, nq, q);
    item.v = v ? own_numbers(builder, nv, v) : NULL;
    if (!item.q || (v && !item.v) || !item.name) {
        return soa_fail_memory(error);
    }
    return append(builder, &builder->description.configuration, &item, NULL, error);
}

int soa_builder_links(const soa_builder *builder)
{
    return builder ? builder->description.link.count : 0;
}

const soa_link *soa_builder_link(const soa_builder *builder, int link)
{
    return builder ? soa_description_link(&builder->description, link) : NULL;
}
