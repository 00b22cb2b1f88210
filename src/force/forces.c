/* force/forces.c - a set of force elements: made, asked, switched. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "force/force_set.h"
#include "sens/sens_kernels.h"

/* ---- made ------------------------------------------------------------------------------------- */

static int add_point(soa_forces *s, soa_point point)
{
    s->point[s->points] = point;
    s->place[s->points] = (soa_force_point){ soa_model_link_body(s->model, point.link, NULL), s->points };
    s->nodes = s->nodes || point.node != SOA_LINK_FRAME;
    return s->points++;
}

/* The point, and the origin of the link that carries its body. */
static int add_place(soa_forces *s, soa_point point)
{
    const int added = add_point(s, point), body = s->place[added].body;
    if (body != SOA_WORLD) {
        s->place[added].origin = add_point(s, (soa_point){ soa_model_body(s->model, body).link, soa_pose_identity() });
    }
    return added;
}

static soa_status add_element(soa_forces *s, const soa_force *force, soa_element *element, soa_error *error)
{
    *element = (soa_element){ .force = *force, .enabled = !force->inactive, .body = -1 };
    if ((unsigned)force->kind >= SOA_FORCE_KINDS) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "force kind %d does not exist", (int)force->kind);
    }
    const soa_status status = soa_force_check(s->model, force, &element->body, error);
    if (status == SOA_OK && element->body < 0) {
        element->point_a = add_place(s, force->a);
        element->point_b = add_place(s, soa_force_kind_pair(force->kind) ? force->b : force->a);
    }
    return status;
}

/* J and column are large, and only derivatives write to them. */
static bool make_room(soa_forces *s)
{
    const size_t points = 4 * (size_t)s->count, nv = (size_t)soa_model_nv(s->model);
    const size_t bodies = (size_t)soa_model_bodies(s->model);
    s->element = soa_arena_take(&s->arena, (size_t)s->count, sizeof *s->element);
    s->point = soa_arena_take(&s->arena, points, sizeof *s->point);
    s->place = soa_arena_take(&s->arena, points, sizeof *s->place);
    s->pose = soa_arena_take(&s->arena, 12 * points, sizeof *s->pose);
    s->velocity = soa_arena_take(&s->arena, 6 * points, sizeof *s->velocity);
    s->wrench = soa_arena_take(&s->arena, 6 * points, sizeof *s->wrench);
    s->neutral = soa_arena_take(&s->arena, (size_t)soa_model_nq(s->model), sizeof *s->neutral);
    s->J = soa_allocate(&s->allocator, points * nv + 1, 6 * sizeof *s->J);
    s->column = soa_allocate(&s->allocator, SOA_MOVING_COLUMN * nv + SOA_MOVING_BODY * bodies + 1, sizeof *s->column);
    return s->J && s->column && !s->arena.failed;
}

static soa_status fill(soa_forces *s, const soa_force *force, soa_error *error)
{
    if (!make_room(s)) {
        return soa_fail_memory(error);
    }
    soa_model_neutral(s->model, s->neutral);
    soa_status status = SOA_OK;
    for (int i = 0; i < s->count && status == SOA_OK; i++) {
        status = add_element(s, &force[i], &s->element[i], error);
    }
    SOA_NEXT(status, soa_workspace_new(s->model, &s->allocator, &s->workspace, error));
    return status == SOA_OK && s->points > 0 ? soa_workspace_reserve(s->workspace, s->points, error) : status;
}

soa_status soa_forces_new(const soa_model *model, int count, const soa_force *force, const soa_allocator *allocator,
    soa_forces **forces, soa_error *error)
{
    soa_error_clear(error);
    if (!model || !forces || count < 0 || (count > 0 && !force)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "a set of forces needs a model and its elements");
    }
    const soa_allocator memory = allocator ? *allocator : soa_allocator_default();
    soa_forces *s = soa_allocate(&memory, 1, sizeof *s);
    *forces = NULL;
    if (!s) {
        return soa_fail_memory(error);
    }
    *s = (soa_forces){ .model = model, .allocator = memory, .count = count, .judged = NAN };
    s->arena = soa_arena_on(&s->allocator);
    const soa_status status = fill(s, force, error);
    if (status != SOA_OK) {
        soa_forces_free(s);
        return status;
    }
    *forces = s;
    return SOA_OK;
}

void soa_forces_free(soa_forces *forces)
{
    if (forces) {
        const soa_allocator allocator = forces->allocator;
        soa_workspace_free(forces->workspace);
        soa_arena_free(&forces->arena);
        soa_release(&allocator, forces->J);
        soa_release(&allocator, forces->column);
        soa_release(&allocator, forces);
    }
}

/* ---- asked ------------------------------------------------------------------------------------ */

static bool is_element(const soa_forces *forces, int element)
{
    return forces && element >= 0 && element < forces->count;
}

int soa_forces_count(const soa_forces *forces)
{
    return forces ? forces->count : 0;
}

const soa_force *soa_forces_get(const soa_forces *forces, int element)
{
    return is_element(forces, element) ? &forces->element[element].force : NULL;
}

int soa_forces_find(const soa_forces *forces, const char *name)
{
    for (int i = 0; i < soa_forces_count(forces); i++) {
        const char *own = forces->element[i].force.name;
        if (own && name && strcmp(own, name) == 0) {
            return i;
        }
    }
    return -1;
}

soa_status soa_forces_enable(soa_forces *forces, int element, bool enabled, soa_error *error)
{
    soa_error_clear(error);
    if (!is_element(forces, element)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "force %d does not exist", element);
    }
    forces->element[element].enabled = enabled;
    return SOA_OK;
}

bool soa_forces_enabled(const soa_forces *forces, int element)
{
    return is_element(forces, element) && forces->element[element].enabled;
}

bool soa_forces_conservative(const soa_forces *forces, int element)
{
    const soa_force *e = soa_forces_get(forces, element);
    if (!e) {
        return false;
    }
    const bool always = e->from == -HUGE_VAL && e->to == HUGE_VAL;
    bool damped = e->damping > 0.0 || (e->kind == SOA_FORCE_CONTACT && e->value > 0.0);
    for (int i = 0; i < 6; i++) {
        damped = damped || (e->kind == SOA_FORCE_BUSHING && e->damp[i] != 0.0);
    }
    if (e->kind == SOA_FORCE_ELASTIC) {
        const soa_flexible *f = soa_model_link(forces->model, e->link)->flexible;
        for (int i = 0; f->damping && i < f->modes * f->modes; i++) {
            damped = damped || f->damping[i] != 0.0;
        }
    }
    const bool stores = e->kind == SOA_FORCE_ELASTIC || e->kind == SOA_FORCE_JOINT_SPRING ||
                        e->kind == SOA_FORCE_JOINT_LIMIT || e->kind == SOA_FORCE_SPRING ||
                        e->kind == SOA_FORCE_BUSHING || e->kind == SOA_FORCE_CONTACT;
    return stores && always && !damped && !e->field;
}

bool soa_forces_stores(const soa_forces *forces, int element)
{
    const soa_force *e = soa_forces_get(forces, element);
    return e && (e->kind == SOA_FORCE_ELASTIC || soa_forces_conservative(forces, element));
}

double soa_forces_work_rate(const soa_forces *forces, int element, const double *v, double power)
{
    const soa_force *e = soa_forces_get(forces, element);
    if (!e || e->kind != SOA_FORCE_ELASTIC) {
        return soa_forces_conservative(forces, element) ? 0.0 : power;
    }
    const soa_flexible *f = soa_model_link(forces->model, e->link)->flexible;
    const double *rate = v + soa_model_body(forces->model, forces->element[element].body).v;
    double work = 0.0;
    for (int i = 0; f->damping && forces->element[element].enabled && i < f->modes * f->modes; i++) {
        work -= rate[i / f->modes] * f->damping[i] * rate[i % f->modes];
    }
    return work;
}

/* ---- switched --------------------------------------------------------------------------------- */

bool soa_element_acts(const soa_forces *forces, const soa_element *element, double t)
{
    const double when = isnan(forces->judged) ? t : forces->judged;
    return element->enabled && !element->left && when >= element->force.from && when < element->force.to;
}

bool soa_forces_acts(const soa_forces *forces, int i, double t)
{
    soa_element element = forces->element[i];
    element.left = false;
    return soa_element_acts(forces, &element, t);
}

void soa_forces_leave(soa_forces *forces, int i)
{
    forces->element[i].left = true;
}

void soa_forces_judge(soa_forces *forces, double t)
{
    forces->judged = t;
}

void soa_forces_pass(soa_forces *forces, soa_state *state)
{
    soa_state_pass(state, &forces->judged, sizeof forces->judged);
    for (int i = 0; i < forces->count; i++) {
        soa_state_pass(state, &forces->element[i].enabled, sizeof forces->element[i].enabled);
    }
}
