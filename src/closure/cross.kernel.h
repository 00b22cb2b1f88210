/* closure/cross.kernel.h - the columns of a front cross a joint, several in lanes.
 *
 * With N = H Y (to which couplings add what they do to the joint itself), eps and nu = D^-1 eps of the
 * free system and alpha = phi* alpha(p) + a + H* (nu + D^-1 N* lambda - G* ...):
 *     c += N* nu + (Y - G N)* a,   L += N* D^-1 N,   Y = phi (Y - G N) */
#ifndef SOA_CLOSURE_CROSS_KERNEL_H
#define SOA_CLOSURE_CROSS_KERNEL_H

#include "closure/closure.h"
#include "dynamics/columns.kernel.h"

KERNEL force front_load(const soa_cross_call *x, int at)
{
    const double *Y = x->Y + at;
    const size_t w = (size_t)x->width;
    return (force){
        { real_load(Y), real_load(Y + w), real_load(Y + 2 * w) },
        { real_load(Y + 3 * w), real_load(Y + 4 * w), real_load(Y + 5 * w) },
    };
}

KERNEL void front_store(const soa_cross_call *x, int at, force f)
{
    double *Y = x->Y + at;
    const size_t w = (size_t)x->width;
    real_store(Y, f.n.x), real_store(Y + w, f.n.y), real_store(Y + 2 * w, f.n.z);
    real_store(Y + 3 * w, f.f.x), real_store(Y + 4 * w, f.f.y), real_store(Y + 5 * w, f.f.z);
}

/* L += N* x for the columns of one vector. */
KERNEL void add_compliance(const soa_cross_call *x, int at, int i, real image)
{
    const double *N = x->N + (size_t)i * (size_t)x->width;
    double *L = x->L + at;
    for (int j = 0; j < x->rows; j++, L += x->width) {
        real_store(L, real_fma(real_set(N[j]), image, real_load(L)));
    }
}

/* A plain joint: H picks a component. */
KERNEL void cross_plain(const soa_cross_call *x, const column_body *b, motion a)
{
    const force G = force_of(b->G);
    const real nu = real_set(x->nu[0]), D_inv = real_set(x->D_inv);
    for (int at = 0; at < x->rows; at += LANES) {
        force f = front_load(x, at);
        const real N = x->projected ? real_load(x->N + at) : column_force(b, f, 0);
        real_store(x->N + at, N);
        f = force_sub(f, (force){ vec3_scale(N, G.n), vec3_scale(N, G.f) });
        real_store(x->c + at, real_fma(N, nu, power(f, a) + real_load(x->c + at)));
        front_store(x, at, cross_inward(b->body, b->x, f));
    }
    for (int at = 0; at < x->rows; at += LANES) {
        add_compliance(x, at, 0, D_inv * real_load(x->N + at));
    }
}

/* L += N* D^-1 N */
KERNEL void add_compliances(const soa_cross_call *x, const column_body *b)
{
    const int nv = b->body->nv;
    const size_t width = (size_t)x->width;
    for (int at = 0; at < x->rows; at += LANES) {
        for (int i = 0; i < nv; i++) {
            real image = real_set(b->D_inv[6 * i]) * real_load(x->N + at);
            for (int j = 1; j < nv; j++) {
                image = real_fma(real_set(b->D_inv[6 * i + j]), real_load(x->N + (size_t)j * width + at), image);
            }
            add_compliance(x, at, i, image);
        }
    }
}

/* Any other joint. nu holds -G* a already. */
KERNEL void cross_other(const soa_cross_call *x, const column_body *b, motion a)
{
    const int nv = b->body->nv;
    const size_t width = (size_t)x->width;
    for (int at = 0; at < x->rows; at += LANES) {
        force f = front_load(x, at);
        real N[SOA_JOINT_MAX_NV], c = power(f, a) + real_load(x->c + at);
        for (int i = 0; i < nv; i++) {
            N[i] = x->projected ? real_load(x->N + (size_t)i * width + at) : column_force(b, f, i);
            real_store(x->N + (size_t)i * width + at, N[i]);
            c = real_fma(N[i], real_set(x->nu[i]), c);
        }
        real_store(x->c + at, c);
        for (int i = 0; i < nv; i++) {
            if (!b->body->geared) {
                f = force_sub(f,
                    (force){ vec3_scale(N[i], vec3_set(b->G + 6 * i)), vec3_scale(N[i], vec3_set(b->G + 6 * i + 3)) });
            }
        }
        f = phi(pose_of(b->X), f);
        if (b->body->geared) {
            const real image = real_set(b->D_inv[0]) * N[0];
            f = force_sub(f, (force){ vec3_scale(image, vec3_set(x->gear)), vec3_scale(image, vec3_set(x->gear + 3)) });
        }
        front_store(x, at, f);
    }
}

/* N = H Y */
static void front_project(const soa_cross_call *x)
{
    const column_body b = column_body_of(x->call, &x->state, x->body);
    for (int at = 0; at < x->rows; at += LANES) {
        const force f = front_load(x, at);
        for (int i = 0; i < b.body->nv; i++) {
            real_store(x->N + (size_t)i * (size_t)x->width + at, column_force(&b, f, i));
        }
    }
}

static void front_cross(const soa_cross_call *x)
{
    const column_body b = column_body_of(x->call, &x->state, x->body);
    const motion a = motion_of(x->a);
    if (is_plain(b.body)) {
        cross_plain(x, &b, a);
    } else {
        cross_other(x, &b, a);
        add_compliances(x, &b);
    }
}

/* ---- a row taken out of the others ---------------------------------------------------------------------- */

/* x -= s y */
KERNEL void subtract_row(real s, real y, double *x)
{
    real_store(x, real_fnma(s, y, real_load(x)));
}

/* Of a front `width` columns wide: notes the pivot's row of L, as far as its columns are not gone, and takes it out of
 * Y, c and L. (No column is set to zero there: a vector read where a number has just been written waits.) */
KERNEL void subtract_columns(soa_front *front, const soa_pivot *pivot, const double *stays, int width)
{
    const double *own = front->L + (size_t)pivot->at * (size_t)width;
    for (int at = 0; at < width; at += LANES) {
        real_store(pivot->L + at, real_load(stays + at) * real_load(own + at));
    }
    for (int at = 0; at < width; at += LANES) {
        const real L = pivot->inverse * real_load(pivot->L + at);
        for (int i = 0; i < 6; i++) {
            subtract_row(real_set(pivot->Y[i]), L, front->Y + i * width + at);
        }
        subtract_row(real_set(pivot->c), L, front->c + at);
        double *row = front->L + at;
        for (int j = 0; j < front->rows; j++, row += width) {
            subtract_row(real_set(pivot->L[j]), L, row);
        }
    }
}

static void front_subtract(soa_front *front, const soa_pivot *pivot, const double *stays)
{
    if (front->width == SOA_MAX_LANES) { /* one closure: known length */
        subtract_columns(front, pivot, stays, SOA_MAX_LANES);
    } else {
        subtract_columns(front, pivot, stays, front->width);
    }
}

#endif
