/* model/finish.c - from a description to a model. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "model/model.h"

static soa_model *model_new(const soa_allocator *allocator)
{
    soa_model *model = soa_allocate(allocator, 1, sizeof *model);
    if (model) {
        memset(model, 0, sizeof *model);
        model->allocator = *allocator;
        model->arena = soa_arena_on(&model->allocator);
        model->description = soa_description_empty();
        model->description.configuration = soa_array_of(sizeof(soa_configuration));
    }
    return model;
}

void soa_model_free(soa_model *model)
{
    if (model) {
        const soa_allocator allocator = model->allocator;
        soa_description_free(&model->description, &allocator);
        soa_release(&allocator, model->body);
        soa_release(&allocator, model->rest);
        soa_release(&allocator, model->place);
        soa_arena_free(&model->arena);
        soa_release(&allocator, model);
    }
}

/* ---- configurations: from the order of the links to the order of the bodies ---------- */

static void reorder(const soa_model *m, const int *first, bool velocities, const double *from, double *to)
{
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        const int at = velocities ? body->v : body->q, n = velocities ? body->nv : body->rest->nq;
        const soa_joint_kind kind = soa_description_link(&m->description, body->rest->link)->joint.kind;
        const int joint = velocities ? soa_joint_kind_nv(kind) : soa_joint_kind_nq(kind);
        const int skipped = body->joint_class == SOA_CLASS_MODAL ? joint : 0; /* its modes come after the joint */
        memcpy(to + at, from + first[body->rest->link] + skipped, (size_t)n * sizeof *to);
    }
}

/* first[link] = number of the first coordinate (or velocity) of its joint in the order of the links. */
static void number_by_link(const soa_description *d, bool velocities, int *first)
{
    int next = 0;
    for (int i = 0; i < d->link.count; i++) {
        const soa_link *link = soa_description_link(d, i);
        const soa_joint_kind kind = link->joint.kind;
        first[i] = next;
        next += velocities ? soa_joint_kind_nv(kind) : soa_joint_kind_nq(kind);
        next += link->flexible ? link->flexible->modes : 0;
    }
}

static soa_status add_configuration(soa_model *m, const soa_raw_configuration *raw, int *first, soa_error *error)
{
    if (raw->nq != m->nq || (raw->v && raw->nv != m->nv)) {
        return soa_fail(error, SOA_E_CONFIGURATION, -1,
            "configuration '%s': has %d coordinates and %d velocities; the model has %d and %d", raw->name, raw->nq,
            raw->nv, m->nq, m->nv);
    }
    double *q = soa_arena_take(&m->arena, (size_t)m->nq, sizeof *q);
    double *v = raw->v ? soa_arena_take(&m->arena, (size_t)m->nv, sizeof *v) : NULL;
    const char *name = soa_arena_text(&m->arena, raw->name);
    soa_configuration *item = soa_array_push(&m->description.configuration, &m->allocator);
    if (!q || (raw->v && !v) || !name || !item) {
        return soa_fail_memory(error);
    }
    number_by_link(&m->description, false, first);
    reorder(m, first, false, raw->q, q);
    if (v) {
        number_by_link(&m->description, true, first);
        reorder(m, first, true, raw->v, v);
    }
    *item = (soa_configuration){ name, q, v };
    for (int i = 0; v && i < m->nv; i++) {
        if (!isfinite(v[i])) {
            return soa_fail(error, SOA_E_NUMBER, -1, "configuration '%s': velocity %d is not finite", name, i);
        }
    }
    soa_status status = soa_normalize(m, q, error);
    if (status != SOA_OK && error) {
        char text[SOA_ERROR_TEXT];
        memcpy(text, error->text, sizeof text);
        status = soa_fail(error, status, error->body, "configuration '%s': %.300s", name, text);
    }
    return status;
}

static soa_status add_configurations(soa_model *m, const soa_description *from, int *first, soa_error *error)
{
    soa_status status = SOA_OK;
    for (int i = 0; status == SOA_OK && i < from->configuration.count; i++) {
        status = add_configuration(m, soa_array_at(&from->configuration, i), first, error);
    }
    return status;
}

/* ---- finish -------------------------------------------------------------------------- */

static soa_status make(soa_model *m, const soa_description *from, int *order, soa_error *error)
{
    m->given_warnings = m->description.warning.count;
    soa_status status = soa_check_links(m, error);
    SOA_NEXT(status, soa_check_rest(m, error));
    SOA_NEXT(status, soa_tree_order(m, order, error));
    SOA_NEXT(status, soa_make_bodies(m, order, error));
    SOA_NEXT(status, soa_check_moments(m, error));
    SOA_NEXT(status, soa_make_order(m, error));
    SOA_NEXT(status, soa_make_coupled(m, error));
    SOA_NEXT(status, soa_check_massless(m, error));
    return status == SOA_OK ? add_configurations(m, from, order, error) : status;
}

soa_status soa_builder_finish(const soa_builder *builder, soa_model **model, soa_error *error)
{
    soa_error_clear(error);
    if (!builder || !model) {
        return soa_fail_null(error, builder ? "the place of the model" : "the builder");
    }
    *model = NULL;
    const soa_description *from = &builder->description;
    if (from->link.count == 0) {
        return soa_fail(error, SOA_E_TREE, -1, "the model has no links; add at least one");
    }
    soa_model *m = model_new(&builder->allocator);
    int *order = soa_allocate(&builder->allocator, (size_t)from->link.count, sizeof *order);
    soa_status status = SOA_E_MEMORY;
    if (!m || !order || !soa_description_copy(&m->description, from, &m->allocator, &m->arena)) {
        soa_fail_memory(error);
    } else {
        status = make(m, from, order, error);
    }
    soa_release(&builder->allocator, order);
    if (status != SOA_OK) {
        soa_model_free(m);
        return status;
    }
    *model = m;
    return SOA_OK;
}
