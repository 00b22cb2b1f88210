/* model/description.c - the lists a user's description consists of. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/kind_words.h"
#include "model/description.h"

/* Texts and numbers of the kinds of closures and of the shapes, from their lists. */
SOA_WORDS(soa_closure_kind, soa_closure_kind, SOA_CLOSURE_KINDS, SOA_CLOSURE_LIST, "unknown closure")
SOA_COLUMN(int, soa_closure_kind_rows, soa_closure_kind, SOA_CLOSURE_KINDS, SOA_CLOSURE_LIST, SOA_THIRD, 0)
SOA_WORDS(soa_shape, soa_shape, SOA_SHAPES, SOA_SHAPE_LIST, "unknown shape")
SOA_COLUMN(int, soa_shape_sizes, soa_shape, SOA_SHAPES, SOA_SHAPE_LIST, SOA_THIRD, 0)

soa_joint soa_joint_default(const char *name, soa_joint_kind kind)
{
    soa_joint joint = { .name = name, .kind = kind, .axis = { 0, 0, 1 }, .axis2 = { 1, 0, 0 } };
    joint.at = soa_pose_identity();
    joint.child = soa_pose_identity();
    if (kind == SOA_SPHERICAL || kind == SOA_FREE) {
        joint.neutral[0] = 1.0;
    }
    for (int i = 0; i < SOA_JOINT_MAX_NV; i++) {
        joint.lower[i] = -INFINITY;
        joint.upper[i] = INFINITY;
        joint.velocity[i] = INFINITY;
        joint.effort[i] = INFINITY;
    }
    joint.rotor.axis[2] = 1.0;
    return joint;
}

soa_link soa_link_default(const char *name, int parent, soa_joint_kind kind)
{
    return (soa_link){ .name = name, .parent = parent, .joint = soa_joint_default(NULL, kind) };
}

soa_frame soa_frame_default(const char *name, int link)
{
    return (soa_frame){ .name = name, .link = link, .at = soa_pose_identity() };
}

soa_closure soa_closure_default(const char *name, soa_closure_kind kind, int a, int b)
{
    return (soa_closure){
        .name = name, .kind = kind, .a = a, .b = b, .at_a = soa_pose_identity(), .at_b = soa_pose_identity()
    };
}

soa_geometry soa_geometry_default(int link, soa_shape shape)
{
    soa_geometry geometry = { .link = link, .shape = shape, .at = soa_pose_identity() };
    for (int i = 0; i < soa_shape_sizes(shape); i++) {
        geometry.size[i] = 1.0;
    }
    geometry.visual = geometry.collision = true;
    return geometry;
}

soa_description soa_description_empty(void)
{
    return (soa_description){
        .name = "model",
        .gravity = { 0.0, 0.0, -9.81 },
#define LIST(list, plural, type) .list = soa_array_of(sizeof(type)),
        SOA_ITEM_LIST(LIST)
#undef LIST
            .configuration = soa_array_of(sizeof(soa_raw_configuration)),
    };
}

void soa_description_free(soa_description *d, const soa_allocator *allocator)
{
#define LIST(list, plural, type) soa_array_free(&d->list, allocator);
    SOA_ITEM_LIST(LIST)
#undef LIST
    soa_array_free(&d->configuration, allocator);
    soa_names_free(&d->link_name, allocator);
    soa_names_free(&d->joint_name, allocator);
    soa_names_free(&d->frame_name, allocator);
}

const soa_link *soa_description_link(const soa_description *d, int link)
{
    return link >= 0 && link < d->link.count ? soa_array_at(&d->link, link) : NULL;
}

/* ---- copy ----------------------------------------------------------------------- */

/* Texts of items, and names of files, which repeat: list, member. */
#define TEXT_LIST(X)                    \
    X(link, soa_link, name)             \
    X(link, soa_link, joint.name)       \
    X(frame, soa_frame, name)           \
    X(coupling, soa_coupling, name)     \
    X(closure, soa_closure, name)       \
    X(geometry, soa_geometry, name)     \
    X(geometry, soa_geometry, mesh)     \
    X(geometry, soa_geometry, material) \
    X(warning, soa_warning, text)
#define FILE_LIST(X)                       \
    X(link, soa_link, source.file)         \
    X(link, soa_link, joint.source.file)   \
    X(link, soa_link, inertia_source.file) \
    X(frame, soa_frame, source.file)       \
    X(coupling, soa_coupling, source.file) \
    X(closure, soa_closure, source.file)   \
    X(geometry, soa_geometry, source.file) \
    X(warning, soa_warning, source.file)

static const struct text_member {
    size_t list, member;
    bool file;
} TEXT[] = {
#define ROW(list, type, member) { offsetof(soa_description, list), offsetof(type, member), false },
    TEXT_LIST(ROW)
#undef ROW
#define ROW(list, type, member) { offsetof(soa_description, list), offsetof(type, member), true },
        FILE_LIST(ROW)
#undef ROW
};

/* Replaces *text by its copy, which for a file is the one made last if the name is the same. false: no memory. */
static bool own_text(soa_keeper keeper, bool file, const char **text)
{
    const char **last = keeper.last_file;
    if (!*text || (file && *last && strcmp(*text, *last) == 0)) {
        *text = *text ? *last : NULL;
        return true;
    }
    *text = soa_arena_text(keeper.arena, *text);
    *last = file ? *text : *last;
    return *text != NULL;
}

static bool own_item(const soa_description *d, const soa_array *list, void *item, soa_keeper keeper)
{
    const size_t at = (size_t)((const char *)list - (const char *)d);
    bool done = list != &d->link || soa_flexible_copy(keeper.arena, &((soa_link *)item)->flexible);
    for (size_t i = 0; done && i < sizeof TEXT / sizeof *TEXT; i++) {
        if (TEXT[i].list == at) {
            done = own_text(keeper, TEXT[i].file, (const char **)(void *)((char *)item + TEXT[i].member));
        }
    }
    return done;
}

/* The first of two equal names stays in the table. */
static bool index_item(soa_description *d, const soa_array *list, const void *item, const soa_allocator *allocator)
{
    const int number = list->count - 1;
    if (list == &d->link) {
        const soa_link *link = item;
        return soa_names_add(&d->link_name, allocator, link->name, number) &&
               (!link->joint.name || soa_names_add(&d->joint_name, allocator, link->joint.name, number));
    }
    return list != &d->frame || soa_names_add(&d->frame_name, allocator, ((const soa_frame *)item)->name, number);
}

bool soa_description_add(soa_description *to, soa_array *list, const void *item, soa_keeper keeper)
{
    void *copy = soa_array_push(list, keeper.allocator);
    if (!copy) {
        return false;
    }
    memcpy(copy, item, list->item_size);
    if (!own_item(to, list, copy, keeper) || !index_item(to, list, copy, keeper.allocator)) {
        list->count--;
        return false;
    }
    return true;
}

bool soa_description_set_link(soa_description *d, int link, const soa_link *value, soa_keeper keeper)
{
    soa_link copy = *value;
    const bool done = own_item(d, &d->link, &copy, keeper);
    if (done) {
        memcpy(soa_array_at(&d->link, link), &copy, sizeof copy);
    }
    return done;
}

bool soa_description_copy(
    soa_description *to, const soa_description *from, const soa_allocator *allocator, soa_arena *arena)
{
    soa_array *const lists[] = {
#define LIST(list, plural, type) &to->list,
        SOA_ITEM_LIST(LIST)
#undef LIST
    };
    const char *last_file = NULL;
    const soa_keeper keeper = { allocator, arena, &last_file };
    to->name = from->name;
    memcpy(to->gravity, from->gravity, sizeof to->gravity);
    bool done = own_text(keeper, false, &to->name);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const soa_array *items = (const void *)((const char *)from + ((char *)lists[i] - (char *)to));
        for (int k = 0; done && k < items->count; k++) {
            done = soa_description_add(to, lists[i], soa_array_at(items, k), keeper);
        }
    }
    return done;
}

/* ---- remarks ---------------------------------------------------------------------- */

static bool vwarn(soa_description *d, const soa_allocator *allocator, soa_arena *arena, soa_source source,
    const char *format, va_list arguments)
{
    char text[SOA_ERROR_TEXT];
    vsnprintf(text, sizeof text, format, arguments);
    soa_printable(text);
    const soa_warning warning = { source, text };
    const char *last_file = NULL;
    return soa_description_add(d, &d->warning, &warning, (soa_keeper){ allocator, arena, &last_file });
}

bool soa_description_warn(
    soa_description *d, const soa_allocator *allocator, soa_arena *arena, soa_source source, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const bool done = vwarn(d, allocator, arena, source, format, arguments);
    va_end(arguments);
    return done;
}

soa_status soa_builder_warn(soa_builder *builder, soa_source source, soa_error *error, const char *format, ...)
{
    if (!builder || !format) {
        return soa_fail_null(error, "the builder or the format");
    }
    va_list arguments;
    va_start(arguments, format);
    const bool done = vwarn(&builder->description, &builder->allocator, &builder->arena, source, format, arguments);
    va_end(arguments);
    return done ? SOA_OK : soa_fail_memory(error);
}

soa_status soa_fail_source(soa_error *error, soa_status status, soa_source source, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    soa_vfail_at(error, status, source.file, source.line, format, arguments);
    va_end(arguments);
    return status;
}
