/* closure/add.c - closures come, go, rest and move; nothing is allocated. */
#include <math.h>
#include <string.h>

#include "closure/closure.h"
#include "core/error.h"
#include "spatial/pose.h"

/* Numbers the rows of one closure, behind all that have numbers. */
static void number_rows(soa_closures *set, int closure)
{
    soa_tie *tie = &set->tie[closure];
    tie->first = tie->enabled ? set->rows : -1;
    for (int r = 0; tie->enabled && r < tie->rows; r++) {
        set->row[set->rows].tie = closure;
        set->last.lambda[set->rows++] = 0.0;
    }
    set->plan.made = false;
    soa_forget_ranks(&set->ranks, false);
}

void soa_number_rows(soa_closures *set)
{
    set->rows = 0;
    set->plan.made = false;
    for (int i = 0; i < set->ties; i++) {
        number_rows(set, i);
    }
}

soa_status soa_fail_tie(soa_error *error, const soa_closures *set, int closure, const char *what)
{
    const char *name = soa_closure_name(set, closure);
    return soa_fail(error, SOA_E_CLOSURE, -1, "closure '%s' (number %d): %s", name, closure, what);
}

/* ---- adding ---------------------------------------------------------------------------------- */

/* The first free place; -1: none. */
static int free_place(const soa_closures *set)
{
    for (int i = 0; set->gaps > 0 && i < set->ties; i++) {
        if (!set->tie[i].used) {
            return i;
        }
    }
    return set->ties < set->capacity ? set->ties : -1;
}

static bool is_system(const soa_closures *set, int system)
{
    return system >= 0 && system < set->systems;
}

static bool make_end(const soa_closures *set, int system, int link, const soa_pose *at, soa_end *end)
{
    *end = (soa_end){ .system = system, .body = SOA_WORLD, .node = SOA_NO_NODE, .at = *at };
    if (link == SOA_WORLD) {
        return true;
    }
    const soa_model *m = is_system(set, system) ? set->part[system].model : NULL;
    if (!m || link < 0 || link >= soa_model_links(m)) {
        return false;
    }
    const soa_link_place *place = &m->place[link];
    end->body = place->body;
    end->at = soa_pose_compose(&place->at, at);
    end->node = place->body == SOA_WORLD ? SOA_NO_NODE : set->part[system].node + place->body;
    return true;
}

/* Puts a checked tie into the set. */
static soa_status put(soa_closures *set, const soa_tie *tie, int *index, soa_error *error)
{
    const int at = free_place(set);
    if (at < 0 || (tie->enabled && set->rows + tie->rows > set->max_rows)) {
        return soa_fail(error, SOA_E_LIMIT, -1,
            "the set has room for %d closures with %d rows in all; ask soa_closures_new for more", set->capacity,
            set->max_rows);
    }
    set->tie[at] = *tie;
    set->tie[at].used = true;
    memset(&set->place[at], 0, sizeof set->place[at]);
    if (at < set->ties) {
        set->gaps--;
        soa_number_rows(set);
    } else { /* its rows are the last ones */
        set->ties = at + 1;
        number_rows(set, at);
    }
    if (index) {
        *index = at;
    }
    return SOA_OK;
}

soa_status soa_closure_add(
    soa_closures *set, const soa_closure *closure, int system_a, int system_b, int *index, soa_error *error)
{
    if (!set || !closure) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the set or the closure is missing");
    }
    const char *name = closure->name ? closure->name : "";
    soa_tie tie = { .enabled = !closure->inactive, .closure = *closure };
    if ((unsigned)closure->kind >= SOA_CLOSURE_KINDS || !soa_pose_valid(&closure->at_a) ||
        !soa_pose_valid(&closure->at_b) || !isfinite(closure->friction) || closure->friction < 0.0) {
        return soa_fail(error, SOA_E_CLOSURE, -1, "closure '%s': kind, placements or friction are not valid", name);
    }
    const soa_status status = soa_check_closure_rows(closure, error);
    if (status != SOA_OK) {
        return status;
    }
    if (!make_end(set, system_a, closure->a, &closure->at_a, &tie.end[0]) ||
        !make_end(set, system_b, closure->b, &closure->at_b, &tie.end[1])) {
        return soa_fail(error, SOA_E_CLOSURE, -1,
            "closure '%s': link %d of system %d or %d of system %d does not exist", name, closure->a, system_a,
            closure->b, system_b);
    }
    if (tie.end[0].node == tie.end[1].node) {
        return soa_fail(
            error, SOA_E_CLOSURE, -1, "closure '%s': both frames are on one body; join two that can move apart", name);
    }
    tie.rows = soa_closure_row_count(closure);
    return put(set, &tie, index, error);
}

/* The end of a coupling at the joint of a link with one velocity. */
static bool make_joint_end(const soa_closures *set, int system, int link, soa_end *end)
{
    const soa_pose identity = soa_pose_identity();
    if (link < 0 || !make_end(set, system, link, &identity, end) || end->node == SOA_NO_NODE) {
        return false;
    }
    const soa_model *m = set->part[system].model;
    end->body = soa_joint_body(m, link);
    end->node = set->part[system].node + end->body;
    const soa_body_data *body = &m->body[end->body];
    end->v = body->v;
    return body->rest->link == link && body->nv == 1;
}

soa_status soa_closure_add_coupling(
    soa_closures *set, const soa_coupling *coupling, int system_link, int system_driver, int *index, soa_error *error)
{
    if (!set || !coupling) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "the set or the coupling is missing");
    }
    const char *name = coupling->name ? coupling->name : "";
    soa_tie tie = { .enabled = true, .coupling = true, .rows = 1, .joint = *coupling };
    bool good = make_joint_end(set, system_link, coupling->link, &tie.end[0]);
    tie.end[1] = (soa_end){ .system = system_driver, .body = SOA_WORLD, .node = SOA_NO_NODE };
    if (coupling->driver >= 0) {
        good = good && make_joint_end(set, system_driver, coupling->driver, &tie.end[1]);
    }
    for (int i = 0; i < SOA_COUPLING_TERMS; i++) {
        good = good && isfinite(coupling->coefficient[i]);
    }
    if (!good || tie.end[0].node == tie.end[1].node) {
        return soa_fail(error, SOA_E_COUPLING, -1,
            "coupling '%s': name two joints with one velocity each, and finite coefficients", name);
    }
    return put(set, &tie, index, error);
}

/* ---- changing ---------------------------------------------------------------------------------- */

static soa_status fail_number(int closure, soa_error *error)
{
    return soa_fail(error, SOA_E_ARGUMENT, -1, "the set is missing, or it has no such closure: number %d", closure);
}

soa_status soa_closure_remove(soa_closures *set, int closure, soa_error *error)
{
    soa_tie *tie = soa_tie_at(set, closure);
    if (!tie) {
        return fail_number(closure, error);
    }
    *tie = (soa_tie){ .used = false };
    set->gaps++;
    while (set->ties > 0 && !set->tie[set->ties - 1].used) {
        set->ties--;
        set->gaps--;
    }
    soa_number_rows(set);
    soa_forget_ranks(&set->ranks, true);
    return SOA_OK;
}

soa_status soa_closure_enable(soa_closures *set, int closure, bool enabled, soa_error *error)
{
    soa_tie *tie = soa_tie_at(set, closure);
    if (!tie) {
        return fail_number(closure, error);
    }
    if (enabled && !tie->enabled && set->rows + tie->rows > set->max_rows) {
        return soa_fail(
            error, SOA_E_LIMIT, -1, "the set has room for %d rows; ask soa_closures_new for more", set->max_rows);
    }
    if (tie->enabled != enabled) {
        tie->enabled = enabled;
        soa_number_rows(set);
    }
    return SOA_OK;
}

soa_status soa_closure_set_slip(soa_closures *set, int closure, const double slip[3], soa_error *error)
{
    soa_tie *tie = soa_tie_at(set, closure);
    if (!tie || tie->coupling || tie->closure.kind != SOA_CLOSE_SLIDING) {
        return fail_number(closure, error);
    }
    if (!slip) {
        return soa_fail_tie(error, set, closure, "the direction in which it slides is missing");
    }
    soa_closure changed = tie->closure;
    memcpy(changed.slip, slip, sizeof changed.slip);
    const soa_status status = soa_check_closure_rows(&changed, error);
    if (status == SOA_OK) {
        tie->closure = changed;
    }
    return status;
}

static bool copy_rows(int rows, const double *from, double *to)
{
    bool good = true;
    for (int i = 0; i < rows; i++) {
        to[i] = from ? from[i] : 0.0;
        good = good && isfinite(to[i]);
    }
    return good;
}

soa_status soa_closure_set_motion(soa_closures *set, int closure, const double *position, const double *velocity,
    const double *acceleration, soa_error *error)
{
    soa_tie *tie = soa_tie_at(set, closure);
    if (!tie) {
        return fail_number(closure, error);
    }
    soa_tie moved = *tie;
    if (!copy_rows(tie->rows, position, moved.position) || !copy_rows(tie->rows, velocity, moved.velocity) ||
        !copy_rows(tie->rows, acceleration, moved.acceleration)) {
        return soa_fail_tie(error, set, closure, "a prescribed motion must be finite");
    }
    *tie = moved;
    return SOA_OK;
}

soa_status soa_closure_hold_here(soa_closures *set, int closure, const double *q, soa_error *error)
{
    soa_tie *tie = soa_tie_at(set, closure);
    if (!tie || tie->coupling) {
        return fail_number(closure, error);
    }
    if (!q) {
        return soa_fail_tie(error, set, closure, "q is missing");
    }
    soa_pose world[2];
    for (int side = 0; side < 2; side++) {
        const soa_end *end = &tie->end[side];
        const soa_part *part = &set->part[end->body == SOA_WORLD ? 0 : end->system];
        soa_point point = soa_end_point(set, 2 * closure + side);
        point.at = side == 0 ? soa_pose_identity() : point.at;
        const soa_status status = soa_point_kinematics(part->model, part->workspace, 1, &point, 1, q + part->q, NULL,
            NULL, &world[side].rotation[0][0], NULL, NULL, error);
        if (status != SOA_OK) {
            return status;
        }
    }
    /* at_a such that frame a coincides with frame b: link a's inverse times frame b */
    const soa_pose inverse = soa_pose_inverse(&world[0]);
    tie->closure.at_a = soa_pose_compose(&inverse, &world[1]);
    const bool made = make_end(set, tie->end[0].system, tie->closure.a, &tie->closure.at_a, &tie->end[0]);
    memset(tie->position, 0, sizeof tie->position);
    soa_forget_ranks(&set->ranks, true);
    return made ? SOA_OK : fail_number(closure, error);
}
