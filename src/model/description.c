/* model/description.c - the lists a user's description consists of. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "model/model.h"

/* Texts and numbers of the kinds of closures and of the shapes, from their lists. */
const char *soa_closure_kind_text(soa_closure_kind kind)
{
    static const char *const text[] = {
#define CLOSURE_TEXT(name, words, rows) words,
        SOA_CLOSURE_LIST(CLOSURE_TEXT)
#undef CLOSURE_TEXT
    };
    return (unsigned)kind < SOA_CLOSURE_KINDS ? text[kind] : "unknown closure";
}

int soa_closure_kind_rows(soa_closure_kind kind)
{
    static const int rows_of[] = {
#define CLOSURE_ROWS(name, words, rows) rows,
        SOA_CLOSURE_LIST(CLOSURE_ROWS)
#undef CLOSURE_ROWS
    };
    return (unsigned)kind < SOA_CLOSURE_KINDS ? rows_of[kind] : 0;
}

soa_closure_kind soa_closure_kind_find(const char *text)
{
    int kind = 0;
    while (kind < SOA_CLOSURE_KINDS && (!text || strcmp(text, soa_closure_kind_text((soa_closure_kind)kind)) != 0)) {
        kind++;
    }
    return (soa_closure_kind)kind;
}

const char *soa_shape_text(soa_shape shape)
{
    static const char *const text[] = {
#define SHAPE_TEXT(name, words, sizes, meaning) words,
        SOA_SHAPE_LIST(SHAPE_TEXT)
#undef SHAPE_TEXT
    };
    return (unsigned)shape < SOA_SHAPES ? text[shape] : "unknown shape";
}

int soa_shape_sizes(soa_shape shape)
{
    static const int sizes_of[] = {
#define SHAPE_SIZES(name, words, sizes, meaning) sizes,
        SOA_SHAPE_LIST(SHAPE_SIZES)
#undef SHAPE_SIZES
    };
    return (unsigned)shape < SOA_SHAPES ? sizes_of[shape] : 0;
}

soa_shape soa_shape_find(const char *text)
{
    int shape = 0;
    while (shape < SOA_SHAPES && (!text || strcmp(text, soa_shape_text((soa_shape)shape)) != 0)) {
        shape++;
    }
    return (soa_shape)shape;
}

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
        .link = soa_array_of(sizeof(soa_link)),
        .frame = soa_array_of(sizeof(soa_frame)),
        .coupling = soa_array_of(sizeof(soa_coupling)),
        .closure = soa_array_of(sizeof(soa_closure)),
        .geometry = soa_array_of(sizeof(soa_geometry)),
        .configuration = soa_array_of(sizeof(soa_raw_configuration)),
        .warning = soa_array_of(sizeof(soa_warning)),
    };
}

void soa_description_free(soa_description *d, const soa_allocator *allocator)
{
    soa_array_free(&d->link, allocator);
    soa_array_free(&d->frame, allocator);
    soa_array_free(&d->coupling, allocator);
    soa_array_free(&d->closure, allocator);
    soa_array_free(&d->geometry, allocator);
    soa_array_free(&d->configuration, allocator);
    soa_array_free(&d->warning, allocator);
    soa_names_free(&d->link_name, allocator);
    soa_names_free(&d->joint_name, allocator);
    soa_names_free(&d->frame_name, allocator);
}

const soa_link *soa_description_link(const soa_description *d, int link)
{
    return link >= 0 && link < d->link.count ? soa_array_at(&d->link, link) : NULL;
}

/* ---- copy ----------------------------------------------------------------------- */

/* Replaces *text by its copy. false: no memory. */
static bool own_text(soa_arena *arena, const char **text)
{
    if (*text) {
        *text = soa_arena_text(arena, *text);
        return *text != NULL;
    }
    return true;
}

/* Replaces a file name by its copy, which is the one made last if the name is the same. */
static bool own_file(soa_arena *arena, const char **last, const char **file)
{
    if (*file && *last && strcmp(*file, *last) == 0) {
        *file = *last;
        return true;
    }
    const bool done = own_text(arena, file);
    *last = *file ? *file : *last;
    return done;
}

static bool copy_items(soa_array *to, const soa_array *from, const soa_allocator *allocator)
{
    for (int i = 0; i < from->count; i++) {
        void *item = soa_array_push(to, allocator);
        if (!item) {
            return false;
        }
        memcpy(item, soa_array_at(from, i), from->item_size);
    }
    return true;
}

/* Names of links, joints and frames in the tables; the first of two equal ones stays. */
static bool index_names(soa_description *d, const soa_allocator *allocator)
{
    bool done = true;
    for (int i = 0; done && i < d->link.count; i++) {
        const soa_link *link = soa_array_at(&d->link, i);
        done = soa_names_add(&d->link_name, allocator, link->name, i) &&
               (!link->joint.name || soa_names_add(&d->joint_name, allocator, link->joint.name, i));
    }
    for (int i = 0; done && i < d->frame.count; i++) {
        const soa_frame *frame = soa_array_at(&d->frame, i);
        done = soa_names_add(&d->frame_name, allocator, frame->name, i);
    }
    return done;
}

static bool own_texts(soa_description *d, soa_arena *arena)
{
    const char *last = NULL;
    bool done = own_text(arena, &d->name);
    for (int i = 0; done && i < d->link.count; i++) {
        soa_link *link = soa_array_at(&d->link, i);
        done = own_text(arena, &link->name) && own_text(arena, &link->joint.name) &&
               own_file(arena, &last, &link->source.file) && own_file(arena, &last, &link->joint.source.file) &&
               own_file(arena, &last, &link->inertia_source.file) && soa_flexible_copy(arena, &link->flexible);
    }
    for (int i = 0; done && i < d->frame.count; i++) {
        soa_frame *frame = soa_array_at(&d->frame, i);
        done = own_text(arena, &frame->name) && own_file(arena, &last, &frame->source.file);
    }
    for (int i = 0; done && i < d->coupling.count; i++) {
        soa_coupling *coupling = soa_array_at(&d->coupling, i);
        done = own_text(arena, &coupling->name) && own_file(arena, &last, &coupling->source.file);
    }
    for (int i = 0; done && i < d->closure.count; i++) {
        soa_closure *closure = soa_array_at(&d->closure, i);
        done = own_text(arena, &closure->name) && own_file(arena, &last, &closure->source.file);
    }
    for (int i = 0; done && i < d->geometry.count; i++) {
        soa_geometry *geometry = soa_array_at(&d->geometry, i);
        done = own_text(arena, &geometry->name) && own_text(arena, &geometry->mesh) &&
               own_text(arena, &geometry->material) && own_file(arena, &last, &geometry->source.file);
    }
    for (int i = 0; done && i < d->warning.count; i++) {
        soa_warning *warning = soa_array_at(&d->warning, i);
        done = own_text(arena, &warning->text) && own_file(arena, &last, &warning->source.file);
    }
    return done;
}

bool soa_description_copy(
    soa_description *to, const soa_description *from, const soa_allocator *allocator, soa_arena *arena)
{
    to->name = from->name;
    memcpy(to->gravity, from->gravity, sizeof to->gravity);
    return copy_items(&to->link, &from->link, allocator) && copy_items(&to->frame, &from->frame, allocator) &&
           copy_items(&to->coupling, &from->coupling, allocator) &&
           copy_items(&to->closure, &from->closure, allocator) &&
           copy_items(&to->geometry, &from->geometry, allocator) &&
           copy_items(&to->warning, &from->warning, allocator) && own_texts(to, arena) && index_names(to, allocator);
}

/* ---- remarks ---------------------------------------------------------------------- */

static bool vwarn(soa_description *d, const soa_allocator *allocator, soa_arena *arena, soa_source source,
    const char *format, va_list arguments)
{
    char text[SOA_ERROR_TEXT];
    vsnprintf(text, sizeof text, format, arguments);
    soa_printable(text);
    soa_warning *warning = soa_array_push(&d->warning, allocator);
    if (!warning) {
        return false;
    }
    warning->source = source;
    warning->text = soa_arena_text(arena, text);
    return warning->text && own_text(arena, &warning->source.file);
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
