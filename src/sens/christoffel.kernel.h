/* sens/christoffel.kernel.h - Christoffel symbols of one state.  [CHR]
 *
 * For x <= y <= c on a path (paths.kernel.h), E = tr(J)/2 - J of the composite R(c), U_c = (n; f):
 *     C_c(x,y) =  z . w_x,  z = E (w_y x w_c) + v_y x f - v_c x (w_y x h)
 *     C_y(x,c) = -z . w_x                                     since Mass(c,y) does not depend on x
 *     C_x(y,c) =  X . J_x,  X = S[J_y] U_c - (z; 0)           since dMass(x,c)/dq_y = J_x . S[J_y] U_c
 * and C_i(j,k) = C_i(k,j). A rotor at c adds its moment gear to n, and w_y x gear / 2 to z.  [GEAR]
 * When q moves along y all columns after y turn with J_y. Joints with several velocities are at first taken as if each
 * velocity had a joint of its own; what they then lack is
 *     dJ_k/dq_j = J_j x J_k  instead of  0 (or the other way round),   j, k in one joint,
 * one more column L = +- J_j x J_k, so that C_i(j,k) += Mass(i, L) (the Koszul terms). C_i(j,k) v_j sums to the Coriolis
 * matrix; armature comes last. */
#ifndef SOA_SENS_CHRISTOFFEL_KERNEL_H
#define SOA_SENS_CHRISTOFFEL_KERNEL_H

#include "sens/paths.kernel.h"

/* soa_call.option: where the symbols go */
enum {
    CHRISTOFFEL_DENSE = 0, /* C_i(j,k) at (i, j, k) */
    CHRISTOFFEL_SLICES,    /* at (j, i, k) */
    CHRISTOFFEL_PACKED,
};

/* C_i(j,0) in the whole tensor. */
KERNEL double *symbols_at(const soa_call *call, size_t i, size_t j)
{
    const size_t n = (size_t)call->model->nv;
    return call->y.at + (call->option == CHRISTOFFEL_SLICES ? j * n + i : i * n + j) * n * call->spacing;
}

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
            const real_int before = real_less_equal(real_count(s), real_set(r));
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
    const size_t spacing = call->spacing, last = (size_t)c;
    for (int r = 0; r < count; r++) {
        const size_t at_r = (size_t)path_row(p, PATH_INDEX)[r];
        christoffel_row(p, r, count);
        put_along(p, path_row(p, PATH_ROW), count, symbols_at(call, last, at_r), spacing);
        if (r < count - 1) {
            const size_t next = (size_t)(symbols_at(call, 0, 1) - symbols_at(call, 0, 0));
            put_along(p, path_row(p, PATH_OTHER), count, symbols_at(call, at_r, last), spacing);
            put_along(p, path_row(p, PATH_OTHER), count - 1, symbols_at(call, at_r, 0) + last * spacing, next);
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
    const size_t spacing = call->spacing, d = (size_t)count;
    double *own = call->y.at + (size_t)*block * spacing, *first = own + d * d * spacing,
           *second = first + (d - 1) * d * spacing;
    for (int r = 0; r < count; r++) {
        christoffel_row(p, r, count);
        put_plain(path_row(p, PATH_ROW), count, own + (size_t)r * d * spacing, spacing);
        if (r < count - 1) {
            put_plain(path_row(p, PATH_OTHER), count, first + (size_t)r * d * spacing, spacing);
            put_plain(path_row(p, PATH_OTHER), count - 1, second + (size_t)r * (d - 1) * spacing, spacing);
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
    if (call->option == CHRISTOFFEL_PACKED) {
        const path_rows p = path_begin(call);
        call->y.at[packed_index(&p, i, j, k) * call->spacing] += x;
    } else {
        symbols_at(call, (size_t)i, (size_t)j)[(size_t)k * call->spacing] += x;
    }
}

/* dJ_k/dq_j = L more than if j and k had joints of their own. */
typedef struct joint_turn {
    int j, k;
    double L[6], RL[6]; /* R(joint) L */
} joint_turn;

/* Whether there is any between velocities j and k of the joint (not the same). */
KERNEL bool turn_of(const soa_call *call, const soa_body_data *body, int j, int k, joint_turn *t)
{
    const int sign = (column_inboard(body, k) ? 0 : 1) - (j < k ? 1 : 0);
    if (sign == 0 || body->rest->shape.kind == SOA_CYLINDRICAL) {
        return false;
    }
    const double *x = fields_of(call, (size_t)(body->v + j)), *y = fields_of(call, (size_t)(body->v + k));
    const motion J = field_one_motion(x, FIELD_J);
    const motion L = motion_scale(real_set(sign), motion_cross(J, field_one_motion(y, FIELD_J)));
    const force RL = rigid_mul(field_one_rigid(x, FIELD_inertia), L);
    const real l[6] = { L.w.x, L.w.y, L.w.z, L.v.x, L.v.y, L.v.z };
    const real r[6] = { RL.n.x, RL.n.y, RL.n.z, RL.f.x, RL.f.y, RL.f.z };
    t->j = body->v + j;
    t->k = body->v + k;
    for (int f = 0; f < 6; f++) {
        t->L[f] = real_get(l[f], 0);
        t->RL[f] = real_get(r[f], 0);
    }
    return true;
}

KERNEL double dot6(const double *a, const double *x)
{
    double sum = a[0] * x[0];
    for (int f = 1; f < 6; f++) {
        sum = double_fma(a[f], x[f * FIELD_STEP], sum);
    }
    return sum;
}

/* Mass(i, L), i of a body inboard of the joint, outboard of it, or its own. */
KERNEL double turn_mass(const soa_call *call, const joint_turn *t, int body, int i, bool outboard)
{
    const double *x = fields_of(call, (size_t)i);
    if (!outboard) {
        return dot6(t->RL, x + FIELD_J * FIELD_STEP);
    }
    const double mass = dot6(t->L, x + FIELD_U * FIELD_STEP);
    if (!call->model->body[body].geared) {
        return mass;
    }
    const vec3 gear = gear_in_world(call, &call->model->body[body]);
    return mass + t->L[0] * real_get(gear.x, 0) + t->L[1] * real_get(gear.y, 0) + t->L[2] * real_get(gear.z, 0);
}

/* Mass(i, L) for all velocities i on one path with body b. */
static inline void add_turn(const soa_call *call, int b, const joint_turn *t)
{
    const soa_model *m = call->model;
    const double *own = constants_of(call, (size_t)m->body[b].v);
    for (int j = b; j >= 0; j = m->body[j].parent) {
        for (int i = m->body[j].v; i < m->body[j].v + m->body[j].nv; i++) {
            christoffel_add(call, i, t->j, t->k, turn_mass(call, t, j, i, false));
        }
    }
    for (int j = b + 1; j < m->bodies; j++) {
        const double enter = constants_of(call, (size_t)m->body[j].v)[CONSTANT_ENTER * FIELD_STEP];
        const bool outboard = enter > own[CONSTANT_ENTER * FIELD_STEP] && enter < own[CONSTANT_LEAVE * FIELD_STEP];
        for (int i = m->body[j].v; outboard && i < m->body[j].v + m->body[j].nv; i++) {
            christoffel_add(call, i, t->j, t->k, turn_mass(call, t, j, i, true));
        }
    }
}

/* Mass(i, L) for all pairs of velocities of the joint of body b. */
static inline void add_turns(const soa_call *call, int b)
{
    const soa_body_data *body = &call->model->body[b];
    for (int j = 0; j < body->nv; j++) {
        for (int k = 0; k < body->nv; k++) {
            joint_turn t;
            if (j != k && turn_of(call, body, j, k, &t)) {
                add_turn(call, b, &t);
            }
        }
    }
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
    const soa_model *m = call->model;
    path_rows p = path_begin(call);
    composites_begin(call);
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        path_move(call, &p, k);
        for (int c = 0; c < body->nv; c++) {
            const int count = p.count - body->nv + c + 1;
            christoffel_columns(call, &p, body, body->v + c, count);
            if (call->option == CHRISTOFFEL_PACKED) {
                put_symbols_packed(call, &p, body->v + c, count);
            } else {
                put_symbols(call, &p, body->v + c, count);
            }
        }
    }
    for (int k = 0; k < m->bodies; k++) {
        if (m->body[k].nv > 1) {
            add_turns(call, k);
            christoffel_armature(call, &m->body[k]);
        }
    }
}

#if LANES == 1
/* A becomes A + A*, n x n, symmetric to the bit. */
static inline void add_transposed(size_t n, size_t step, double *A)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            double *a = A + (i * n + j) * step, *b = A + (j * n + i) * step;
            *a = *b = *a + *b;
        }
    }
}

/* q; y = the symbols, where the option says. */
static inline void make_symbols(soa_call *call, int option, size_t zeros)
{
    const vars w = fields_begin(call);
    call->option = option;
    out_zero(call, call->y, zeros);
    fields_outward(call, &w);
    ((const soa_sens_context *)call->lanes_above)->lanes->christoffel_rows(call);
}

/* q; y = the symbols that are not zero for all q. */
static void christoffel_packed(soa_call *call)
{
    make_symbols(call, CHRISTOFFEL_PACKED, 0);
}

/* q; y = the symbols, nv^3 numbers. */
static void christoffel(soa_call *call)
{
    const size_t n = (size_t)call->model->nv;
    make_symbols(call, CHRISTOFFEL_DENSE, n * n * n);
}

/* q; y = dMass/dq, nv x nv for each velocity: dMass(i,k)/dq_j = C_i(j,k) + C_k(j,i).  [DM] */
static void mass_derivatives(soa_call *call)
{
    const size_t n = (size_t)call->model->nv;
    make_symbols(call, CHRISTOFFEL_SLICES, n * n * n);
    for (size_t j = 0; j < n; j++) {
        add_transposed(n, call->spacing, symbols_at(call, 0, j));
    }
}
#endif

#endif
