/* model/builder.c - collecting a description.
 *
 * Nothing is judged here but what would make the lists themselves unusable: an
 * empty or used name. soa_builder_finish judges the rest. */
#include <string.h>

#include "core/error.h"
#include "model/model.h"

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

/* The builder's own copy of a text. false: no memory. */
static bool own(soa_builder *b, const char **text)
{
    if (*text) {
        *text = soa_arena_text(&b->arena, *text);
        return *text != NULL;
    }
    return true;
}

static bool own_source(soa_builder *b, soa_source *source)
{
    if (!source->file || (b->last_file && strcmp(source->file, b->last_file) == 0)) {
        source->file = source->file ? b->last_file : NULL;
        return true;
    }
    if (!own(b, &source->file)) {
        return false;
    }
    b->last_file = source->file;
    return true;
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
    const char *copy = name;
    if (!own(builder, &copy)) {
        return soa_fail_memory(error);
    }
    builder->description.name = copy;
    return SOA_OK;
}

void soa_builder_set_gravity(soa_builder *builder, const double gravity[3])
{
    if (!builder || !gravity) {
        return;
    }
    memcpy(builder->description.gravity, gravity, sizeof builder->description.gravity);
}

/* Appends *item (its texts already owned); its index in *index. */
static soa_status append(soa_builder *b, soa_array *array, const void *item, int *index, soa_error *error)
{
    void *place = soa_array_push(array, &b->allocator);
    if (!place) {
        return soa_fail_memory(error);
    }
    memcpy(place, item, array->item_size);
    if (index) {
        *index = array->count - 1;
    }
    return SOA_OK;
}

static bool own_link(soa_builder *b, soa_link *link)
{
    return own(b, &link->name) && own(b, &link->joint.name) && own_source(b, &link->source) &&
           own_source(b, &link->joint.source) && own_source(b, &link->inertia_source) &&
           soa_flexible_copy(&b->arena, &link->flexible);
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
    if (status != SOA_OK) {
        return status;
    }
    if (d->link.count >= SOA_MAX_LINKS) {
        return soa_fail_source(error, SOA_E_LIMIT, link->source, "more than %d links; split the system", SOA_MAX_LINKS);
    }
    soa_link copy = *link;
    const int number = d->link.count;
    if (!own_link(builder, &copy) || !soa_names_add(&d->link_name, &builder->allocator, copy.name, number) ||
        (copy.joint.name && !soa_names_add(&d->joint_name, &builder->allocator, copy.joint.name, number))) {
        return soa_fail_memory(error);
    }
    return append(builder, &d->link, &copy, index, error);
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
    soa_link copy = *value;
    const bool renamed = copy.joint.name && (!old->joint.name || strcmp(old->joint.name, copy.joint.name) != 0);
    if (renamed) {
        const soa_status status = check_new_name(&d->joint_name, "joint", copy.joint.name, copy.joint.source, error);
        if (status != SOA_OK) {
            return status;
        }
    }
    if (!own_link(builder, &copy) ||
        (renamed && !soa_names_add(&d->joint_name, &builder->allocator, copy.joint.name, link))) {
        return soa_fail_memory(error);
    }
    memcpy(soa_array_at(&d->link, link), &copy, sizeof copy);
    return SOA_OK;
}

soa_status soa_builder_add_frame(soa_builder *builder, const soa_frame *frame, int *index, soa_error *error)
{
    if (!builder || !frame) {
        return soa_fail_null(error, builder ? "the frame" : "the builder");
    }
    soa_description *d = &builder->description;
    const soa_status status = check_new_name(&d->frame_name, "frame", frame->name, frame->source, error);
    if (status != SOA_OK) {
        return status;
    }
    soa_frame copy = *frame;
    if (!own(builder, &copy.name) || !own_source(builder, &copy.source) ||
        !soa_names_add(&d->frame_name, &builder->allocator, copy.name, d->frame.count)) {
        return soa_fail_memory(error);
    }
    return append(builder, &d->frame, &copy, index, error);
}

soa_status soa_builder_add_coupling(soa_builder *builder, const soa_coupling *coupling, int *index, soa_error *error)
{
    if (!builder || !coupling) {
        return soa_fail_null(error, builder ? "the coupling" : "the builder");
    }
    soa_coupling copy = *coupling;
    if (!own(builder, &copy.name) || !own_source(builder, &copy.source)) {
        return soa_fail_memory(error);
    }
    return append(builder, &builder->description.coupling, &copy, index, error);
}

soa_status soa_builder_add_closure(soa_builder *builder, const soa_closure *closure, int *index, soa_error *error)
{
    if (!builder || !closure) {
        return soa_fail_null(error, builder ? "the closure" : "the builder");
    }
    soa_closure copy = *closure;
    if (!own(builder, &copy.name) || !own_source(builder, &copy.source)) {
        return soa_fail_memory(error);
    }
    return append(builder, &builder->description.closure, &copy, index, error);
}

soa_status soa_builder_add_geometry(soa_builder *builder, const soa_geometry *geometry, int *index, soa_error *error)
{
    if (!builder || !geometry) {
        return soa_fail_null(error, builder ? "the geometry" : "the builder");
    }
    soa_geometry copy = *geometry;
    if (!own(builder, &copy.name) || !own(builder, &copy.mesh) || !own(builder, &copy.material) ||
        !own_source(builder, &copy.source)) {
        return soa_fail_memory(error);
    }
    return append(builder, &builder->description.geometry, &copy, index, error);
}

/* A copy of n numbers in the arena; n 0 gives a pointer that is not NULL. */
static const double *own_numbers(soa_builder *b, int n, const double *values)
{
    double *copy = soa_arena_take(&b->arena, (size_t)n + 1, sizeof *copy);
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
    soa_raw_configuration item = { .name = name, .nq = nq, .nv = v ? nv : 0 };
    item.q = own_numbers(builder, nq, q);
    item.v = v ? own_numbers(builder, nv, v) : NULL;
    if (!item.q || (v && !item.v) || !own(builder, &item.name)) {
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
