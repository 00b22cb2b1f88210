/* closure/locate.kernel.h - the rows without the dynamics: at a state, their Jacobian and accelerations. */
#ifndef SOA_CLOSURE_LOCATE_KERNEL_H
#define SOA_CLOSURE_LOCATE_KERNEL_H

#include "closure/rows.kernel.h"

/* ---- kinematics alone ------------------------------------------------------------------------------- */

/* The call of a system: inputs in its part of the arrays. */
static void open_call(soa_part *part, const soa_closed_input *in)
{
    part->call.q.at = in->q + part->q;
    part->call.v.at = in->v ? in->v + part->v : NULL;
    part->call.u.at = in->T ? in->T + part->v : NULL;
    part->call.f.at = in->f ? in->f + 6 * part->node : NULL;
    part->call.y.at = in->vdot ? in->vdot + part->v : NULL;
    part->call.keeps = true;
    call_begin(&part->call);
}

static void locate(soa_closures *set, const soa_closed_input *in)
{
    for (int s = 0; s < set->systems; s++) {
        soa_part *part = &set->part[s];
        open_call(part, in);
        const vars w = vars_of(&part->call);
        crossings_begin(&part->call, &w);
        for (int k = 0; k < part->model->bodies; k++) {
            if (set->node[part->node + k].placed) {
                body_placement(&part->call, &w, k);
                if (in->v) {
                    body_velocity_across(&part->call, &w, k);
                }
            }
        }
    }
    make_rows(set, in->v != NULL, true);
}

/* W of a row at p, on a body at X, in the body's frame, times sign. */
KERNEL force row_at(pose X, vec3 p, double sign, const soa_row *row)
{
    const vec3 l = vec3_sub(p, X.l), f = vec3_scale(sign, vec3_set(row->W + 3));
    const vec3 n = vec3_cross_add(l, f, vec3_scale(sign, vec3_set(row->W)));
    return (force){ mat3_t_mul_vec(X.R, n), mat3_t_mul_vec(X.R, f) };
}

/* W of a row in the frame of the body of one end: with its own sign on a, against it on b. */
static force row_on_body(const soa_closures *set, const soa_tie *tie, const soa_row *row, int side)
{
    const soa_end *end = &tie->end[side];
    const pose X = part_vars(&set->part[end->system].call)->W[end->body];
    return row_at(X, vec3_set(set->place[row->tie].p), side == 0 ? 1.0 : -1.0, row);
}

static void row_jacobian(const soa_closures *set, const soa_tie *tie, const soa_row *row, double *J)
{
    for (int side = 0; side < 2; side++) {
        const soa_end *end = &tie->end[side];
        if (end->node == SOA_NO_NODE) {
            continue;
        }
        const soa_part *part = &set->part[end->system];
        if (tie->coupling) {
            J[part->v + end->v] += row->W[side];
            continue;
        }
        const vars w = vars_of(&part->call);
        force y = row_on_body(set, tie, row, side);
        for (int k = end->body; k >= 0; k = part->model->body[k].parent) {
            const soa_body_data *body = &part->model->body[k];
            double Hy[SOA_JOINT_MAX_NV];
            joint_force(&w, body, y, Hy);
            for (int i = 0; i < body->nv; i++) {
                J[part->v + body->v + i] += Hy[i];
            }
            y = across_inward(&w, body, k, y);
        }
    }
}

static void jacobian_rows(soa_closures *set, double *J)
{
    memset(J, 0, (size_t)set->rows * (size_t)set->nv * sizeof *J);
    for (int i = 0; i < set->rows; i++) {
        const soa_row *row = &set->row[i];
        row_jacobian(set, &set->tie[row->tie], row, J + (size_t)i * (size_t)set->nv);
    }
}

static void pull_joints(const soa_closures *set, int tie, const double wrench[6], double *y)
{
    soa_row row = { .tie = tie };
    memcpy(row.W, wrench, sizeof row.W);
    row_jacobian(set, &set->tie[tie], &row, y);
}

static void joint_sizes(const soa_closures *set, double *turn, double *shift)
{
    for (int s = 0; s < set->systems; s++) {
        const soa_part *part = &set->part[s];
        const vars w = vars_of(&part->call);
        for (int k = 0; k < part->model->bodies; k++) {
            const soa_body_data *body = &part->model->body[k];
            const bool reached = set->node[part->node + k].carries;
            for (int i = 0; i < body->nv; i++) {
                double unit[SOA_JOINT_MAX_NV] = { 0.0 };
                unit[i] = 1.0;
                const motion V = reached ? joint_motion(&w, body, unit) : motion_zero();
                turn[part->v + body->v + i] = sqrt(vec3_dot(V.w, V.w));
                shift[part->v + body->v + i] = sqrt(vec3_dot(V.v, V.v));
            }
        }
    }
}

static void multiply_rows(soa_closures *set, bool transposed, const double *x, double *J, double *y)
{
    for (int i = 0; i < set->rows; i++) {
        memset(J, 0, (size_t)set->nv * sizeof *J);
        row_jacobian(set, &set->tie[set->row[i].tie], &set->row[i], J);
        double sum = 0.0;
        for (int k = 0; k < set->nv; k++) {
            if (transposed) {
                y[k] += J[k] * x[i];
            } else {
                sum += J[k] * x[k];
            }
        }
        if (!transposed) {
            y[i] = sum;
        }
    }
}

/* alpha of all bodies on the way to ends, without gravity. */
static void accelerate_bodies(soa_closures *set, const soa_closed_input *in, const double *vdot)
{
    for (int s = 0; s < set->systems; s++) {
        const soa_part *part = &set->part[s];
        const vars w = vars_of(&part->call);
        for (int k = 0; k < part->model->bodies; k++) {
            if (!set->node[part->node + k].placed) {
                continue;
            }
            const soa_body_data *body = &part->model->body[k];
            motion alpha = body->parent < 0 ? motion_zero() : across_outward(&w, body, k, w.alpha[body->parent]);
            alpha = in->v ? motion_add(alpha, w.a[k]) : alpha;
            if (vdot) {
                alpha = motion_add(alpha, joint_motion(&w, body, vdot + part->v + body->v));
            }
            w.alpha[k] = alpha;
        }
    }
}

/* out = W (alpha_a - alpha_b) + bias of every row, after locate. */
static void accelerate(soa_closures *set, const soa_closed_input *in, const double *vdot, double *out)
{
    accelerate_bodies(set, in, vdot);
    for (int i = 0; i < set->rows; i++) {
        const soa_row *row = &set->row[i];
        const soa_tie *tie = &set->tie[row->tie];
        out[i] = row->bias;
        for (int side = 0; side < 2; side++) {
            const soa_end *end = &tie->end[side];
            if (end->node == SOA_NO_NODE) {
                continue;
            }
            const soa_part *part = &set->part[end->system];
            if (tie->coupling) {
                out[i] += vdot ? row->W[side] * vdot[part->v + end->v] : 0.0;
            } else {
                out[i] += power(row_on_body(set, tie, row, side), part_vars(&part->call)->alpha[end->body]);
            }
        }
    }
}

#endif
