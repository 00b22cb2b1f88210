/* sens/christoffel.kernel.h - Christoffel symbols of one state.  [CHR]
 *
 * For x <= y <= c on a path (tensor.kernel.h), E = tr(J)/2 - J of the composite R(c), U_c = (n; f):
 *     C_c(x,y) =  z . w_x,  z = E (w_y x w_c) + v_y x f - v_c x (w_y x h)
 *     C_y(x,c) = -z . w_x                                     since Mass(c,y) does not depend on x
 *     C_x(y,c) =  X . J_x,  X = S[J_y] U_c - (z; 0)           since dMass(x,c)/dq_y = J_x . S[J_y] U_c
 * and C_i(j,k) = C_i(k,j). A rotor at c adds its moment gear to n, and w_y x gear / 2 to z.  [GEAR]
 * With quasi-velocities: C_i(j,k) += Mass(i, L), where dJ_k/dq_j has one L more (the Koszul
 * terms), so that C_i(j,k) v_j sums to the Coriolis matrix; then armature. */
#ifndef SOA_SENS_CHRISTOFFEL_KERNEL_H
#define SOA_SENS_CHRISTOFFEL_KERNEL_H

#include "sens/tensor.kernel.h"

/* soa_call.option: where the symbols go */
enum { CHRISTOFFEL_DENSE = 0, CHRISTOFFEL_PACKED = 1 };

/* z and X (PATH_FIRST, PATH_SECOND) of velocity c, for all y up to it: count places. */
static inline void christoffel_columns(
    const soa_call *call, const path_rows *p, const soa_body_data *body, int c, int count)
{
    const double *own = fields_of(call, (size_t)c);
    const rigid R = field_one_rigid(own, FIELD_inertia);
    const motion J = field_one_motion(own, FIELD_J);
    const force U = field_one_force(own, FIELD_U);
    const real half = 0.5 * (R.J.xx + R.J.yy + R.J.zz);
    const sym3 E = { half - R.J.xx, -R.J.xy, -R.J.xz, half - R.J.yy, -R.J.yz, half - R.J.zz };
    const vec3 gear = body->geared ? gear_in_world(call, body) : vec3_zero();
    for (int spot = 0; spot < count; spot += LANES) {
        const motion y = path_motion(p, PATH_J, spot);
        const vec3 pushed = vec3_cross(y.v, U.f);
        const vec3 turned = vec3_cross(J.v, vec3_cross(y.w, R.h));
        vec3 z = vec3_sub(sym3_mul_vec_add(E, vec3_cross(y.w, J.w), pushed), turned), n = U.n;
        if (body->geared) {
            z = vec3_add(z, vec3_scale(real_set(0.5), vec3_cross(y.w, gear)));
            n = vec3_add(n, gear);
        }
        path_put_vec3(p, PATH_FIRST, spot, z);
        path_put_vec3(p, PATH_SECOND, spot, vec3_sub(vec3_cross_add(y.w, n, pushed), z));
        path_put_vec3(p, PATH_SECOND + 3, spot, vec3_cross(y.w, U.f));
    }
    /* y = c: z is zero, and there is no rotor between */
    const force X = force_cross(J, U);
    const real last[9] = { real_set(0.0), real_set(0.0), real_set(0.0), X.n.x, X.n.y, X.n.z, X.f.x, X.f.y, X.f.z };
    for (int f = 0; f < 9; f++) {
        path_row(p, f < 3 ? PATH_FIRST + f : PATH_SECOND + f - 3)[count - 1] = real_get(last[f], 0);
    }
}

/* PATH_ROW = C_c(r,s), PATH_OTHER = C_r(s,c) for all s up to c. */
KERNEL void christoffel_row(const path_rows *p, int r, int count)
{
    const motion J_r = path_one_motion(p, PATH_J, r);
    const vec3 z_r = path_one_vec3(p, PATH_FIRST, r);
    const real o = real_set(0.0);
    for (int s = 0; s < count; s += LANES) {
        real own = vec3_dot(z_r, path_vec3(p, PATH_J, s)), other = o - own;
        if (s + LANES > r) {
            const real beyond = vec3_dot(path_vec3(p, PATH_FIRST, s), J_r.w);
            const force X = { path_vec3(p, PATH_SECOND, s), path_vec3(p, PATH_SECOND + 3, s) };
            const real_int before = real_less(real_count(s), real_set(r));
            own = real_select(before, own, beyond);
            other = real_select(before, other, power(X, J_r));
        }
        real_store(path_row(p, PATH_ROW) + s, own);
        real_store(path_row(p, PATH_OTHER) + s, other);
    }
}

static inline void put_plain(const double *from, int count, double *y, size_t step)
{
    for (int s = 0; s < count; s++) {
        y[(size_t)s * step] = from[s];
    }
}

/* All symbols of which c is the last velocity, into the whole tensor. */
static inline void put_symbols(const soa_call *call, const path_rows *p, int c, int count)
{
    const size_t n = (size_t)call->model->nv, step = call->step, last = (size_t)c;
    for (int r = 0; r < count; r++) {
        const size_t at_r = (size_t)path_row(p, PATH_INDEX)[r];
        christoffel_row(p, r, count);
        put_along(p, path_row(p, PATH_ROW), count, call->y.at + (last * n + at_r) * n * step, step);
        if (r < count - 1) {
            double *y = call->y.at + at_r * n * n * step;
            put_along(p, path_row(p, PATH_OTHER), count, y + last * n * step, step);
            put_along(p, path_row(p, PATH_OTHER), count - 1, y + last * step, n * step);
        }
    }
}

/* The packed symbols of which c is the last velocity: C_c(r,s), then C_r(c,s), then C_r(s,c). They stand behind those of
 * velocity c - 1; where, and the place of c on its path, is kept. */
static inline void put_symbols_packed(const soa_call *call, const path_rows *p, int c, int count)
{
    double *place = path_row(p, PATH_PLACE) + c, *block = path_row(p, PATH_BLOCK) + c;
    *place = count - 1;
    *block = c == 0 ? 0.0 : block[-1] + 3.0 * (place[-1] + 1.0) * place[-1] + 1.0;
    const size_t step = call->step, d = (size_t)count;
    double *own = call->y.at + (size_t)*block * step, *first = own + d * d * step, *second = first + (d - 1) * d * step;
    for (int r = 0; r < count; r++) {
        christoffel_row(p, r, count);
        put_plain(path_row(p, PATH_ROW), count, own + (size_t)r * d * step, step);
        if (r < count - 1) {
            put_plain(path_row(p, PATH_OTHER), count, first + (size_t)r * d * step, step);
            put_plain(path_row(p, PATH_OTHER), count - 1, second + (size_t)r * (d - 1) * step, step);
        }
    }
}

/* ---- quasi-velocities ---------------------------------------------------------------------------------- */

/* Where packed C_i(j,k) stands, given the places of all velocities (PATH_PLACE) and the beginnings of
 * their blocks (PATH_BLOCK). */
static inline size_t packed_index(const path_rows *p, int i, int j, int k)
{
    const int c = i > j ? (i > k ? i : k) : (j > k ? j : k);
    const double *places = path_row(p, PATH_PLACE);
    const size_t d = (size_t)places[c] + 1, base = (size_t)path_row(p, PATH_BLOCK)[c];
    if (i == c) {
        return base + (size_t)places[j] * d + (size_t)places[k];
    }
    const size_t at = base + d * d + (size_t)places[i] * d;
    return j == c ? at + (size_t)places[k] : at + (d - 1) * d - (size_t)places[i] + (size_t)places[j];
}

/* C_i(j,k), wherever it stands. */
static inline void christoffel_add(const soa_call *call, int i, int j, int k, double x)
{
    const size_t n = (size_t)call->model->nv;
    const path_rows p = path_begin(call);
    const size_t at =
        call->option == CHRISTOFFEL_PACKED ? packed_index(&p, i, j, k) : ((size_t)i * n + (size_t)j) * n + (size_t)k;
    call->y.at[at * call->step] += x;
}

/* What armature adds where beta is given in axes that turn: its Coriolis matrix for v = e_j. */
static inline void christoffel_armature(const soa_call *call, const soa_body_data *body)
{
    for (int j = 0; body->armature != 0.0 && j < body->nv; j++) {
        real beta[SOA_JOINT_MAX_NV];
        armature_entry entry[12];
        for (int c = 0; c < body->nv; c++) {
            beta[c] = real_set(c == j ? 1.0 : 0.0);
        }
        const int count = armature_entries(body, beta, entry);
        for (int e = 0; e < count; e++) {
            const double x = real_get(entry[e].x, 0);
            if (x != 0.0) {
                christoffel_add(call, body->v + entry[e].row, body->v + j, body->v + entry[e].column, x);
            }
        }
    }
}

/* The symbols, all or packed (option), from R and l. */
static void christoffel_rows(const soa_call *call)
{
    if (call->option == CHRISTOFFEL_PACKED) {
        tensor_rows(call, (tensor_rule){ christoffel_columns, put_symbols_packed, christoffel_add });
    } else {
        tensor_rows(call, (tensor_rule){ christoffel_columns, put_symbols, christoffel_add });
    }
    for (int k = 0; k < call->model->bodies; k++) {
        if (call->model->body[k].nv > 1) {
            christoffel_armature(call, &call->model->body[k]);
        }
    }
}

#if LANES == 1
/* q; y = the symbols, into the places of all that are not zero. */
static void christoffel_packed(soa_call *call)
{
    const vars w = fields_begin(call);
    call->option = CHRISTOFFEL_PACKED;
    fields_outward(call, &w);
    ((const soa_sens_context *)call->lanes_above)->lanes->christoffel_rows(call);
}

/* q; y = the symbols, nv^3 numbers. */
static void christoffel(soa_call *call)
{
    const vars w = fields_begin(call);
    call->option = CHRISTOFFEL_DENSE;
    out_zero(call, call->y, (size_t)call->model->nv * (size_t)call->model->nv * (size_t)call->model->nv);
    fields_outward(call, &w);
    ((const soa_sens_context *)call->lanes_above)->lanes->christoffel_rows(call);
}
#endif

#endif
