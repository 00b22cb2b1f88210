/* closure/flexible_rows.c - the rows of closures where models have flexible links.
 *
 * All that the kernels of closures know of a system goes through points here: pose, velocity, acceleration and Jacobian
 * of the frames of the closures, at nodes where these are on flexible links. The equations are then solved as a whole
 * (nullspace.c), in O(n^3): fronts do not cross modes. */
#include <math.h>
#include <string.h>

#include "closure/closure.h"
#include "core/error.h"

static const soa_part *part_of(const soa_closures *set, const soa_end *end)
{
    return &set->part[end->system];
}

static const soa_end *end_at(const soa_closures *set, int i)
{
    return &set->tie[i / 2].end[i % 2];
}

soa_point soa_end_point(const soa_closures *set, int end)
{
    const soa_closure *c = &set->tie[end / 2].closure;
    return end % 2 == 0 ? (soa_point){ c->a, c->at_a, c->node_a } : (soa_point){ c->b, c->at_b, c->node_b };
}

/* ---- at a state --------------------------------------------------------------------------- */

static void locate_end(const soa_closures *set, const soa_closed_input *in, int i, double pose[12], double V[6])
{
    const soa_end *end = end_at(set, i);
    memset(V, 0, 6 * sizeof *V);
    if (end->node == SOA_NO_NODE) {
        memcpy(pose, end->at.rotation, 9 * sizeof *pose);
        memcpy(pose + 9, end->at.position, 3 * sizeof *pose);
        return;
    }
    const soa_part *part = part_of(set, end);
    const soa_point point = soa_end_point(set, i);
    const soa_status status = soa_point_kinematics(part->model, part->workspace, 1, &point, 1, in->q + part->q,
        in->v ? in->v + part->v : NULL, NULL, pose, V, NULL, NULL);
    for (int k = 0; status != SOA_OK && k < 12; k++) {
        pose[k] = NAN; /* numbers that are too large: the results say so */
    }
}

/* Jacobians are asked for at this q. */
static void locate(soa_closures *set, const soa_closed_input *in)
{
    memmove(set->scratch.located, in->q, (size_t)set->nq * sizeof *in->q);
    for (int i = 0; i < set->ties; i++) {
        double pose[2][12], V[2][6];
        if (!set->tie[i].enabled) {
            continue;
        }
        if (set->tie[i].coupling) {
            set->table->coupling_at(set, i, in);
            continue;
        }
        locate_end(set, in, 2 * i, pose[0], V[0]);
        locate_end(set, in, 2 * i + 1, pose[1], V[1]);
        set->table->rows_at(set, i, pose[0], V[0], pose[1], V[1]);
    }
}

/* ---- Jacobians ---------------------------------------------------------------------------- */

/* The Jacobian (6 x nv of its system) of a point at the q located; NaN where it cannot be made. */
static const double *point_jacobian(const soa_closures *set, const soa_part *part, const soa_point *point)
{
    double *J = set->scratch.located + set->nq;
    const size_t n = 6 * (size_t)part->model->nv;
    if (soa_jacobian(part->model, part->workspace, 1, point, SOA_AXES_MIXED, 1, set->scratch.located + part->q, J,
            NULL) != SOA_OK) {
        soa_spoil((soa_state_out){ J, 1 }, n);
    }
    return J;
}

/* Whether an end belongs to a closure that is enabled, and to something that moves. */
static bool end_acts(const soa_closures *set, int i)
{
    return set->tie[i / 2].enabled && end_at(set, i)->node != SOA_NO_NODE;
}

/* What is added up over the ends of a closure: y = J x, y += J* x of all its rows, or the rows of J. */
typedef struct product {
    const double *x;
    double *y;
    enum { ROWS, TIMES, TRANSPOSED } what;
} product;

static void add_row(const soa_closures *set, const product *p, int row, int v, double part)
{
    if (p->what == ROWS) {
        p->y[(size_t)row * (size_t)set->nv + (size_t)v] += part;
    } else if (p->what == TIMES) {
        p->y[row] += part * p->x[v];
    } else {
        p->y[v] += part * p->x[row];
    }
}

/* One end of a closure: J of a row = A J of the point. */
static void add_end(const soa_closures *set, const product *p, int i)
{
    const soa_tie *tie = &set->tie[i / 2];
    const soa_end *end = end_at(set, i);
    const soa_part *part = part_of(set, end);
    if (tie->coupling) {
        add_row(set, p, tie->first, part->v + end->v, set->row[tie->first].W[i % 2]);
        return;
    }
    const int n = part->model->nv;
    const soa_point point = soa_end_point(set, i);
    const double *J = point_jacobian(set, part, &point);
    for (int r = tie->first; r < tie->first + tie->rows; r++) {
        double A[6];
        soa_row_at_end(set->row[r].W, set->place[i / 2].r, i % 2, A);
        for (int c = 0; c < n; c++) {
            double sum = 0.0;
            for (int k = 0; k < 6; k++) {
                sum += A[k] * J[k * n + c];
            }
            add_row(set, p, r, part->v + c, sum);
        }
    }
}

static void add_all(const soa_closures *set, const product *p)
{
    for (int i = 0; i < 2 * set->ties; i++) {
        if (end_acts(set, i)) {
            add_end(set, p, i);
        }
    }
}

static void jacobian(soa_closures *set, double *J)
{
    memset(J, 0, (size_t)set->rows * (size_t)set->nv * sizeof *J);
    add_all(set, &(product){ .y = J, .what = ROWS });
}

static void multiply(soa_closures *set, bool transposed, const double *x, double *row, double *y)
{
    (void)row;
    if (!transposed) {
        memset(y, 0, (size_t)set->rows * sizeof *y);
    }
    add_all(set, &(product){ .x = x, .y = y, .what = transposed ? TRANSPOSED : TIMES });
}

static void pull(const soa_closures *set, int tie, const double wrench[6], double *y)
{
    for (int side = 0; side < 2; side++) {
        const soa_end *end = end_at(set, 2 * tie + side);
        if (end->node == SOA_NO_NODE) {
            continue;
        }
        const soa_part *part = part_of(set, end);
        const int n = part->model->nv;
        const soa_point point = soa_end_point(set, 2 * tie + side);
        const double *J = point_jacobian(set, part, &point);
        double A[6];
        soa_row_at_end(wrench, set->place[tie].r, side, A);
        for (int i = 0; i < 6 * n; i++) {
            y[part->v + i % n] += A[i / n] * J[i];
        }
    }
}

/* How far a unit of a mode moves the link: its largest displacement at a node, and its slope there times the reach. */
static double mode_size(const soa_flexible *f, int mode)
{
    double reach = 0.0, most = 0.0;
    for (int t = 0; t < f->nodes; t++) {
        const double *x = f->position + 3 * t;
        reach = fmax(reach, sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
    }
    for (int t = 0; t < f->nodes; t++) {
        const double *s = f->shape + 6 * ((size_t)t * (size_t)f->modes + (size_t)mode);
        const double slope = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
        most = fmax(most, sqrt(s[3] * s[3] + s[4] * s[4] + s[5] * s[5]) + reach * slope);
    }
    return most;
}

static double column_size(const double *J, int n, int c)
{
    return sqrt(J[c] * J[c] + J[n + c] * J[n + c] + J[2 * n + c] * J[2 * n + c]);
}

static void joint_sizes(const soa_closures *set, double *turn, double *shift)
{
    for (int k = 0; k < set->nodes; k++) {
        const soa_node *node = &set->node[k];
        const soa_part *part = &set->part[node->part];
        const soa_body_data *body = &part->model->body[node->body];
        const int n = part->model->nv;
        const bool modes = body->joint_class == SOA_CLASS_MODAL, joint = !modes && body->nv > 0 && node->carries;
        const soa_point origin = { body->rest->link, soa_pose_identity(), SOA_LINK_FRAME };
        const double *J = joint ? point_jacobian(set, part, &origin) : NULL;
        for (int c = body->v; c < body->v + body->nv; c++) {
            turn[part->v + c] = J ? column_size(J, n, c) : 0.0;
            shift[part->v + c] = J       ? column_size(J + (size_t)3 * (size_t)n, n, c)
                                 : modes ? mode_size(body->rest->modal->given, c - body->v)
                                         : 0.0;
        }
    }
}

/* ---- accelerations ------------------------------------------------------------------------ */

/* Adds the part of an end's acceleration to its rows. */
static void accelerate_end(const soa_closures *set, const soa_closed_input *in, const double *vdot, int i, double *out)
{
    const soa_tie *tie = &set->tie[i / 2];
    const soa_end *end = end_at(set, i);
    const soa_part *part = part_of(set, end);
    if (tie->coupling) {
        out[tie->first] += vdot ? set->row[tie->first].W[i % 2] * vdot[part->v + end->v] : 0.0;
        return;
    }
    double V[6], a[6];
    const soa_point point = soa_end_point(set, i);
    if (soa_point_kinematics(part->model, part->workspace, 1, &point, 1, in->q + part->q,
            in->v ? in->v + part->v : NULL, vdot ? vdot + part->v : NULL, NULL, V, a, NULL) != SOA_OK) {
        soa_spoil((soa_state_out){ a, 1 }, 6);
    }
    for (int r = tie->first; r < tie->first + tie->rows; r++) {
        double A[6];
        soa_row_at_end(set->row[r].W, set->place[i / 2].r, i % 2, A);
        out[r] += soa_end_acceleration(A, V, a);
    }
}

static void accelerate(soa_closures *set, const soa_closed_input *in, const double *vdot, double *out)
{
    for (int i = 0; i < set->rows; i++) {
        out[i] = set->row[i].bias;
    }
    for (int i = 0; i < 2 * set->ties; i++) {
        if (end_acts(set, i)) {
            accelerate_end(set, in, vdot, i, out);
        }
    }
}

/* ---- the dynamics ------------------------------------------------------------------------- */

/* Fronts do not cross modes, so nothing is solved inside the tree. */
static int solve(soa_closures *set, const soa_closed_input *in, int *body)
{
    (void)set, (void)in;
    *body = 0;
    return 0;
}

static soa_status solve_free(const soa_closures *set, const soa_closed_input *in, soa_error *error)
{
    soa_status status = SOA_OK;
    memset(in->vdot, 0, (size_t)set->nv * sizeof *in->vdot);
    for (int s = 0; status == SOA_OK && s < set->systems; s++) {
        const soa_part *part = &set->part[s];
        if (in->mode == SOA_SOLVE_STEP) { /* neither velocities nor gravity count */
            status = in->T ? soa_mass_solve(part->model, part->workspace, 1, in->q + part->q, in->T + part->v,
                                 in->vdot + part->v, error)
                           : SOA_OK;
            continue;
        }
        status = soa_forward_dynamics(part->model, part->workspace, 1, in->q + part->q, in->v ? in->v + part->v : NULL,
            in->T ? in->T + part->v : NULL, in->f ? in->f + 6 * part->node : NULL, in->vdot + part->v, error);
    }
    return status;
}

soa_status soa_solve_flexible(soa_closures *set, const soa_closed_input *in, soa_error *error)
{
    if (set->rows == 0) {
        return solve_free(set, in, error);
    }
    soa_find_ranks(set);
    if (set->ranks.found.large) {
        return soa_fail(error, SOA_E_LIMIT, -1,
            "%d rows of closures and %d velocities are too many for a model with flexible links; its closed loops are "
            "solved as a whole",
            set->rows, set->nv);
    }
    if (set->ranks.found.undecided && in->mode == SOA_SOLVE_MOTION) {
        return soa_fail_undecided(set, error);
    }
    switch (soa_solve_dense(set, in, error)) {
    case SOA_DENSE_SOLVED:
        return SOA_OK;
    case SOA_DENSE_NO_ROOM:
        return soa_fail_room(set, "closed loops of a model with flexible links", error);
    default:
        return soa_fail(error, SOA_E_SINGULAR, -1,
            "the closures leave a motion free that moves nothing that has inertia; give its links a mass");
    }
}

void soa_closures_by_points(soa_closures *set)
{
    set->by_points = *set->table;
    set->by_points.locate = locate;
    set->by_points.accelerate = accelerate;
    set->by_points.joint_sizes = joint_sizes;
    set->by_points.jacobian = jacobian;
    set->by_points.multiply = multiply;
    set->by_points.pull = pull;
    set->by_points.solve = solve;
    set->table = &set->by_points;
}
