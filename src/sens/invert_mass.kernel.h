/* sens/invert_mass.kernel.h - Mass^-1 of a small model, from what its derivatives have made already, and accelerations.
 *
 *     Mass(i,k) = S(i) U(k), i not outboard of k
 *
 * The rows of Mass are eliminated as dynamics/inverse_factors.kernel.h does it. */
#ifndef SOA_SENS_INVERT_MASS_KERNEL_H
#define SOA_SENS_INVERT_MASS_KERNEL_H

#include "dynamics/factors.h"
#include "sens/inverse_derivatives.kernel.h"
#include "sens/multiply_inverse.kernel.h"

/* ---- what vdot is, and adds ---------------------------------------------------------------- */

/* BIAS = S F */
static void joint_bias_forces(const soa_call *call)
{
    for (size_t c = 0; c < (size_t)call->model->nv; c += LANES) {
        double *here = fields_of(call, c);
        const force F = field_force(here, FIELD_F);
        real_store(row_of(call, ROW_BIAS) + c, power(F, field_motion(here, FIELD_J)));
    }
}

/* VDOT = Mass^-1 BIAS */
static void joint_accelerations(const soa_call *call)
{
    const size_t nv = (size_t)call->model->nv;
    const double *bias = row_of(call, ROW_BIAS), *inverse = inverse_of(call);
    for (size_t c = 0; c < nv; c += LANES) {
        real sum = real_set(0.0);
        for (size_t k = 0; k < nv; k++) {
            sum = real_fma(real_set(bias[k]), real_load(inverse + k * nv + c), sum);
        }
        real_store(row_of(call, ROW_VDOT) + c, sum);
    }
}

/* F gains R A1 + G, S2 gains A2 x S. */
static void add_accelerations(const soa_call *call)
{
    for (size_t c = 0; c < (size_t)call->model->nv; c += LANES) {
        double *here = fields_of(call, c);
        const rigid R = field_rigid(here, FIELD_inertia);
        const force more = force_add(rigid_mul(R, field_motion(here, FIELD_A1)), field_force(here, FIELD_G));
        field_put_force(here, FIELD_F, force_add(field_force(here, FIELD_F), more));
        const motion turned = motion_cross(field_motion(here, FIELD_A2), field_motion(here, FIELD_J));
        field_put_motion(here, FIELD_S2, motion_add(field_motion(here, FIELD_S2), turned));
    }
}

#if LANES == 1
/* ---- Mass^-1 --------------------------------------------------------------------------------- */

/* Row k of Mass up to its diagonal, packed as factors.h says, from a row with a number for each velocity. */
KERNEL void pack_row(const soa_factors *f, int k, const double *from)
{
    const unsigned char *way = f->way + k * SOA_FACTORS_WAY;
    double *to = f->mass + k * SOA_FACTORS_WAY;
    memset(to + f->depth[k] / SOA_GROUP * SOA_GROUP, 0, SOA_GROUP * sizeof *to);
    for (int p = 0; p <= f->depth[k]; p++) {
        to[p] = from[way[p]];
    }
}

/* How large the numbers of which D of a joint is made may be: the inertia about its frame that turns, and that slides. */
static inline void put_scales(const soa_call *call, const soa_body_data *body)
{
    const double *x = fields_of(call, (size_t)body->v);
    const rigid R = field_rigid(x, FIELD_inertia);
    const vec3 l = field_vec3(x, FIELD_l), h = vec3_scale_add(-R.m, l, vec3_add(R.h, R.h));
    const double trace = R.J.xx + R.J.yy + R.J.zz - 2.0 * vec3_dot(h, l);
    for (int i = body->v; i < body->v + body->nv; i++) {
        const motion S = field_motion(fields_of(call, (size_t)i), FIELD_J);
        const vec3 v = vec3_cross_add(S.w, l, S.v);
        call->factors->scale[i] = vec3_dot(S.w, S.w) * trace + vec3_dot(v, v) * R.m + body->armature;
    }
}

/* Mass^-1 from S and U; false: digits would be lost. */
static inline bool invert_mass(const soa_call *call)
{
    const soa_model *m = call->model;
    const soa_factors *f = call->factors;
    soa_call part = *call;
    part.spacing = 1;
    part.pitch = soa_square_stride(m);
    part.y.at = part.y2.at = NULL;
    part.y3.at = inverse_of(call); /* Mass, at first */
    sens_lanes(call)->mass_rows(&part);
    joint_blocks(&part, 0, m->nv);
    for (int k = 0; k < m->nv; k++) {
        pack_row(f, k, part.y3.at + (size_t)k * part.pitch);
    }
    for (int k = 0; k < m->bodies; k++) {
        put_scales(call, &m->body[k]);
    }
    part.y.at = part.y3.at;
    return call->lanes->inverse_factors(&part);
}
#endif

#endif
