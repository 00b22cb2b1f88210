/* dynamics/operational.kernel.h - operational space: what forces at points do.
 *
 *     Lambda = J Mass^-1 J* = B* psi* H* D^-1 H psi B                       [I12] [OSI]
 *     dbetadot = -(I - H psi K)* D^-1 H psi B f                             [TIP]
 *
 * With N(i) the columns of H psi B of point i (six, held in lanes, along the path
 * from its body to the base), Lambda(i,j) = sum over the joints that both paths share of
 * N(i)* D^-1 N(j): that is B* Omega B with the coupling between branches [I11]. */
#ifndef SOA_DYNAMICS_OPERATIONAL_KERNEL_H
#define SOA_DYNAMICS_OPERATIONAL_KERNEL_H

#include "dynamics/inverse_columns.kernel.h"
#include "dynamics/jacobian.kernel.h"

/* ---- six columns in lanes ------------------------------------------------------------------- */

enum { SIX_PARTS = (6 + LANES - 1) / LANES }; /* vectors that hold six columns */

KERNEL force six_part(const soa_six z, int part)
{
    const int at = part * LANES;
    return (force){
        { real_load(z[0] + at), real_load(z[1] + at), real_load(z[2] + at) },
        { real_load(z[3] + at), real_load(z[4] + at), real_load(z[5] + at) },
    };
}

/* Inward from the body: N = H z, z = psi z. */
static void project_columns(
    const soa_call *call, const soa_articulated_state *state, int body, const soa_six six, double *N)
{
    force z[SIX_PARTS];
    for (int part = 0; part < SIX_PARTS; part++) {
        z[part] = six_part(six, part);
    }
    for (int k = body; k >= 0; k = call->model->body[k].parent) {
        const column_body b = column_body_of(call, state, k);
        for (int part = 0; part < SIX_PARTS; part++) {
            real minus[SOA_JOINT_MAX_NV];
            for (int i = 0; i < b.body->nv; i++) {
                const real Hz = column_force(&b, z[part], i);
                real_store(N + SOA_MAX_LANES * (size_t)(b.body->v + i) + (size_t)(part * LANES), Hz);
                minus[i] = -Hz;
            }
            if (b.body->parent >= 0) {
                z[part] = column_filter(&b, z[part], minus);
            }
        }
    }
}

/* sum of N_a* D^-1 N_b over the joints from the body to the base. */
static void gather_columns(const soa_call *call, const soa_articulated_state *state, int body, const double *N_a,
    const double *N_b, soa_six sum)
{
    real S[6][SIX_PARTS];
    for (int r = 0; r < 6; r++) {
        for (int part = 0; part < SIX_PARTS; part++) {
            S[r][part] = real_set(0.0);
        }
    }
    for (int k = body; k >= 0; k = call->model->body[k].parent) {
        const soa_body_data *data = &call->model->body[k];
        const size_t v = (size_t)data->v;
        for (int i = 0; i < data->nv; i++) {
            const double *row = N_a + SOA_MAX_LANES * (v + (size_t)i);
            for (int part = 0; part < SIX_PARTS; part++) {
                const double *D_inv = state->D_inv + 6 * (v + (size_t)i), *N = N_b + part * LANES;
                real x = real_set(D_inv[0]) * real_load(N + SOA_MAX_LANES * v);
                for (int j = 1; j < data->nv; j++) {
                    x = real_fma(real_set(D_inv[j]), real_load(N + SOA_MAX_LANES * (v + (size_t)j)), x);
                }
                for (int r = 0; r < 6; r++) {
                    S[r][part] = real_fma(real_set(row[r]), x, S[r][part]);
                }
            }
        }
    }
    for (int r = 0; r < 6; r++) {
        for (int part = 0; part < SIX_PARTS; part++) {
            real_store(sum[r] + part * LANES, S[r][part]);
        }
    }
}

#if LANES == 1
/* The nearest body inboard of both; SOA_WORLD if there is none. */
static inline int common_body(const soa_model *m, int a, int b)
{
    while (a != b) {
        if (a > b) {
            a = m->body[a].parent;
        } else {
            b = m->body[b].parent;
        }
    }
    return a;
}

/* The body that point i is on. */
static inline int point_body(const soa_call *call, int i)
{
    const int link = call->point[i].link;
    return link == SOA_WORLD ? SOA_WORLD : call->model->place[link].body;
}

/* W of the bodies from the base to that of point i; those of the points before it have theirs. */
static inline void place_point(const soa_call *call, const vars *w, int i)
{
    const int body = point_body(call, i);
    int nearest = SOA_WORLD;
    for (int j = 0; j < i; j++) {
        const int common = common_body(call->model, body, point_body(call, j));
        nearest = common > nearest ? common : nearest;
    }
    place_path_beyond(call, w, nearest, body);
}

/* Unit moments and forces in world axes at the point, as forces at its body's frame. */
static inline void unit_forces(const soa_call *call, const vars *w, int i, soa_six z)
{
    const soa_link_place *place = &call->model->place[call->point[i].link];
    const vec3 l = pose_point(pose_set(&place->at), vec3_set(call->point[i].at.position));
    const mat3 R = mat3_transpose(placed(w, place->body).R);
    const vec3 column[3] = { mat3_column_x(R), mat3_column_y(R), mat3_column_z(R) };
    memset(z, 0, sizeof(soa_six));
    for (int c = 0; c < 3; c++) {
        const vec3 e = column[c], n = vec3_cross(l, e);
        z[0][c] = e.x, z[1][c] = e.y, z[2][c] = e.z;
        z[0][c + 3] = n.x, z[1][c + 3] = n.y, z[2][c + 3] = n.z;
        z[3][c + 3] = e.x, z[4][c + 3] = e.y, z[5][c + 3] = e.z;
    }
}

/* A block and its mirror image, which begin at y and at y_t; on the diagonal both are the same. */
KERNEL void put_blocks(const soa_six sum, size_t row, size_t step, double *y, double *y_t)
{
    for (size_t r = 0; r < 6; r++) {
        for (size_t c = y == y_t ? r : 0; c < 6; c++) {
            y[r * row + c * step] = y_t[c * row + r * step] = sum[r][c];
        }
    }
}

/* Block (i, j) of Lambda and its mirror image. */
static inline void operational_block(
    const soa_call *call, const vars *w, const soa_articulated_state *state, int i, int j)
{
    const size_t spacing = call->spacing, row = 6 * (size_t)call->points * spacing, nv = (size_t)call->model->nv;
    double *y = call->y.at + 6 * ((size_t)i * row + (size_t)j * spacing);
    double *y_t = call->y.at + 6 * ((size_t)j * row + (size_t)i * spacing);
    soa_six sum;
    call->lanes->gather(call, state, common_body(call->model, point_body(call, i), point_body(call, j)),
        w->N + SOA_MAX_LANES * nv * (size_t)i, w->N + SOA_MAX_LANES * nv * (size_t)j, sum);
    if (spacing == 1) { /* the usual case for itself: without strides it is faster */
        put_blocks(sum, row, 1, y, y_t);
    } else {
        put_blocks(sum, row, spacing, y, y_t);
    }
}

/* q, points; y = Lambda, 6 points square: the inverse of the operational-space inertia. */
static void operational_inverse(soa_call *call)
{
    const vars w = vars_of(call);
    const size_t nv = (size_t)call->model->nv;
    call_begin(call);
    articulated_only(call, &w);
    const soa_articulated_state state = articulated_state(&w);
    for (int i = 0; i < call->points; i++) {
        const int body = point_body(call, i);
        if (body != SOA_WORLD) {
            soa_six z;
            place_point(call, &w, i);
            unit_forces(call, &w, i, z);
            call->lanes->project(call, &state, body, z, w.N + SOA_MAX_LANES * nv * (size_t)i);
        }
    }
    for (int i = 0; i < call->points; i++) {
        for (int j = 0; j <= i; j++) {
            operational_block(call, &w, &state, i, j);
        }
    }
}
#endif

/* q, v (or none), points; y = their acceleration under T = 0, gravity acting: 6 each, mixed axes. */
static void free_acceleration(soa_call *call)
{
    const vars w = vars_of(call);
    soa_call quiet = *call;
    quiet.y = (soa_out){ NULL, 0 };
    forward_dynamics(&quiet);
    memcpy(call->failed, quiet.failed, sizeof call->failed);
    position_sweep(call, &w);
    placement_sweep(call, &w);
    const motion base = base_acceleration(call);
    for (int i = 0; i < call->points; i++) {
        const item it = item_of(call, i);
        motion acceleration = motion_zero();
        if (it.body != SOA_WORLD) {
            const mat3 R = mat3_mul(w.W[it.body].R, it.at.R);
            const motion alpha = phi_t(it.at, w.alpha[it.body]);
            const motion V = call->v.at ? phi_t(it.at, w.V[it.body]) : motion_zero();
            acceleration.w = mat3_mul_vec(R, alpha.w);
            acceleration.v = vec3_sub(mat3_mul_vec(R, vec3_cross_add(V.w, V.v, alpha.v)), base.v);
        }
        out_vec3(call, call->y, 6 * (size_t)i, acceleration.w);
        out_vec3(call, call->y, 6 * (size_t)i + 3, acceleration.v);
    }
}

/* q, points; g = forces at the points, 6 each, world axes; y = -(I - H psi K)* D^-1 H psi B f.  [TIP] */
static void point_correction(soa_call *call)
{
    const vars w = vars_of(call);
    const soa_model *m = call->model;
    call_begin(call);
    position_sweep(call, &w);
    placement_sweep(call, &w);
    articulated_sweep(call, &w);
    for (int k = 0; k < m->bodies; k++) {
        w.b[k] = force_zero();
    }
    for (int i = 0; i < m->nv; i++) {
        w.x[i] = real_set(0.0);
    }
    for (int i = 0; i < call->points; i++) {
        const item it = item_of(call, i);
        if (it.body == SOA_WORLD) {
            continue;
        }
        const size_t at = 6 * (size_t)i;
        const mat3 R = w.W[it.body].R;
        const vec3 n = mat3_t_mul_vec(R, in_vec3(call, call->g, at));
        const vec3 f = mat3_t_mul_vec(R, in_vec3(call, call->g, at + 3));
        w.b[it.body] = force_add(w.b[it.body], (force){ vec3_cross_add(it.at.l, f, n), f });
    }
    filter_sweep(call, &w);
    smoother_sweep(call, &w);
}

#endif
