/* sens/flexible_closed.c - how the ends of closures change where models have flexible links.
 *
 * Pose, velocity, acceleration and Jacobian of an end come from the kernels of points, with their slopes
 * (flexible_sens.h); what rows and multipliers make of that is in closed_rows.c. With g the force on an end at its origin,
 *     d(F* lambda) = J* dg + dJ* g,   g_a = (n; f),  g_b = -(n + r x f; f). */
#include "sens/flexible_sens.h"
#include "sens/tie.h"

/* Where the outputs of the kinematics stand in soa_dual_scene.y. */
enum { POSE = 0, VELOCITY = 12, ACCELERATION = 18, KINEMATICS = 24 };

static soa_point point_of(const tie_motion *t, int side)
{
    return soa_end_point(t->state->set, 2 * (int)(t->tie - t->state->set->tie) + side);
}

static soa_dual_scene scene_of(const soa_closed_state *s, const soa_part *part)
{
    soa_dual_scene scene = {
        .w = part->workspace, .q = s->q + part->q, .v = s->v ? s->v + part->v : NULL, .u = s->vdot + part->v
    };
    soa_dual_begin(&scene);
    return scene;
}

static void run_kinematics(const soa_dual_scene *scene, const soa_point *point)
{
    soa_call call = { .point = point, .points = 1 };
    call.y.at = scene->y + 2 * POSE;
    call.y2.at = scene->y + 2 * VELOCITY;
    call.y3.at = scene->y + 2 * ACCELERATION;
    soa_dual_run(scene, SOA_KERNEL_kinematics, call);
}

/* Three numbers, or their slopes. */
static vec3 three(const soa_dual_scene *s, size_t at, bool slopes)
{
    double x[3];
    for (size_t i = 0; i < 3; i++) {
        x[i] = slopes ? soa_dual_slope(s->y, at + i) : s->y[2 * (at + i)];
    }
    return vec3_set(x);
}

void soa_flexible_end_motion(const soa_closed_state *s, const soa_point *point, end_motion *e)
{
    const soa_dual_scene scene = scene_of(s, e->part);
    run_kinematics(&scene, point);
    double R[9];
    for (size_t i = 0; i < 9; i++) {
        R[i] = scene.y[2 * (POSE + i)];
    }
    e->X = (pose){ mat3_set((const double(*)[3])R), three(&scene, POSE + 9, false) };
    e->V.w = three(&scene, VELOCITY, false);
    e->v = three(&scene, VELOCITY + 3, false);
    e->A.w = three(&scene, ACCELERATION, false);
    e->a = three(&scene, ACCELERATION + 3, false);
}

/* How the end changes, from the slopes of its kinematics: theta~ = dR R*. */
static end_change change_of(const soa_dual_scene *s)
{
    end_change d = { .p = three(s, POSE + 9, true), .w = three(s, VELOCITY, true), .v = three(s, VELOCITY + 3, true) };
    double theta[3];
    for (size_t i = 0; i < 3; i++) {
        const size_t j = (i + 1) % 3, k = (i + 2) % 3;
        theta[i] = vec3_dot(three(s, POSE + 3 * k, true), three(s, POSE + 3 * j, false));
    }
    d.theta = vec3_set(theta);
    d.dw = three(s, ACCELERATION, true);
    d.a = three(s, ACCELERATION + 3, true);
    return d;
}

/* ---- Jacobians --------------------------------------------------------------------------------- */

/* J of an end, 6 x nv of its system, in the scratch of the state; NULL: it does not move. */
static const double *jacobian_of(const tie_motion *t, int side)
{
    const soa_part *part = t->end[side].part;
    const soa_point point = point_of(t, side);
    double *J = t->state->scratch + (size_t)side * 6 * (size_t)t->state->set->nv;
    if (!part) {
        return NULL;
    }
    const size_t n = 6 * (size_t)part->model->nv;
    if (soa_jacobian(part->model, part->workspace, 1, &point, SOA_AXES_MIXED, 1, t->state->q + part->q, J, NULL) !=
        SOA_OK) {
        soa_spoil((soa_state_out){ J, 1 }, n);
    }
    return J;
}

/* A force at the origin of a, as it acts on an end at its own. */
static force on_end(const tie_motion *t, int side, force f)
{
    const force at_b = { vec3_cross_add(t->r, f.f, f.n), f.f };
    return side == 0 ? f : force_scale(-1.0, at_b);
}

/* y(i step) += J* f of all velocities i of the end's system. */
static void add_product(const soa_part *part, const double *J, force f, double *y, size_t step)
{
    const double x[6] = { f.n.x, f.n.y, f.n.z, f.f.x, f.f.y, f.f.z };
    const size_t n = (size_t)part->model->nv;
    for (size_t i = 0; i < 6 * n; i++) {
        y[((size_t)part->v + i % n) * step] += J[i] * x[i / n];
    }
}

void soa_flexible_tie_rows(const tie_motion *t, double *J, double *F)
{
    for (int side = 0; side < 2; side++) {
        const soa_part *part = t->end[side].part;
        const double *point = jacobian_of(t, side);
        for (int i = 0; point && i < t->tie->rows; i++) {
            const double *W = t->state->set->row[t->tie->first + i].W;
            const size_t at = (size_t)(t->tie->first + i) * (size_t)t->state->set->nv;
            add_product(part, point, on_end(t, side, (force){ vec3_set(W), vec3_set(W + 3) }), J + at, 1);
            add_product(part, point, on_end(t, side, soa_pushing_row(t->state, t->tie, i)), F + at, 1);
        }
    }
}

/* ---- sides --------------------------------------------------------------------------------------- */

/* r1 gains dJ* g of the end whose kinematics the scene has. */
static void turn_columns(
    const soa_dual_scene *scene, const soa_part *part, const soa_point *point, force g, double *r1, size_t columns)
{
    const double x[6] = { g.n.x, g.n.y, g.n.z, g.f.x, g.f.y, g.f.z };
    const size_t n = (size_t)part->model->nv;
    soa_dual_run(scene, SOA_KERNEL_jacobian,
        (soa_call){ .point = point, .points = 1, .option = SOA_AXES_MIXED, .y.at = scene->y });
    for (size_t i = 0; i < 6 * n; i++) {
        r1[((size_t)part->v + i % n) * columns] += soa_dual_slope(scene->y, i) * x[i / n];
    }
}

/* r1 of a column gains J* dg of both ends. */
static void spread(const tie_motion *t, const end_change *a, const end_change *b, double *r1, size_t columns)
{
    const force F = soa_force_on_a(t), dF = soa_force_change(t, a, b);
    for (int side = 0; side < 2; side++) {
        const soa_part *part = t->end[side].part;
        if (!part) {
            continue;
        }
        force dg = on_end(t, side, dF);
        if (side == 1) {
            dg.n = vec3_sub(dg.n, vec3_cross(vec3_sub(a->p, b->p), F.f));
        }
        add_product(part, t->state->scratch + (size_t)side * 6 * (size_t)t->state->set->nv, dg, r1, columns);
    }
}

static void rows_change(
    const tie_motion *t, const end_change *a, const end_change *b, soa_closed_sides to, size_t column)
{
    double change[SOA_CLOSURE_MAX_ROWS];
    soa_row_changes(t, a, b, change);
    for (int i = 0; i < t->tie->rows; i++) {
        to.r2[(size_t)(t->tie->first + i) * to.columns + column] -= change[i];
    }
}

void soa_flexible_end_by(const tie_motion *t, int side, bool by_v, soa_closed_sides to)
{
    const soa_part *part = t->end[side].part;
    if (!part || (by_v && !t->state->v)) {
        return;
    }
    const end_change still = { .theta = vec3_zero() };
    const soa_point point = point_of(t, side);
    const force g = on_end(t, side, soa_force_on_a(t));
    soa_dual_scene scene = scene_of(t->state, part);
    jacobian_of(t, 0);
    jacobian_of(t, 1);
    for (size_t i = 0; i < (size_t)part->model->nv; i++) {
        const size_t column = (size_t)part->v + i;
        soa_dual_along_one(&scene, by_v ? SOA_DUAL_BY_V : SOA_DUAL_BY_Q, i);
        run_kinematics(&scene, &point);
        const end_change moves = change_of(&scene);
        const end_change *a = side == 0 ? &moves : &still, *b = side == 0 ? &still : &moves;
        rows_change(t, a, b, to, column);
        if (!by_v) {
            spread(t, a, b, to.r1 + column, to.columns);
            turn_columns(&scene, part, &point, g, to.r1 + column, to.columns);
        }
    }
}
