/* closure/insert.kernel.h - rows of a closure come into a front at one of its ends, as columns. */
#ifndef SOA_CLOSURE_INSERT_KERNEL_H
#define SOA_CLOSURE_INSERT_KERNEL_H

#include "closure/cross.kernel.h"

KERNEL void add_columns(cell *to, real x)
{
    cell_store(to, cell_load(to) + x);
}

/* Puts columns into a front in which nothing is. (Numbers are not read where others have just been written: vectors would wait.) */
KERNEL void put_alone(soa_front *front, int at, force f, real compliance, real c)
{
    front_store(front, at, f);
    cell_store(cells(front->scale) + at, compliance);
    cell_store(cells(front->came) + at, compliance);
    cell_store(cells(front->c) + at, c);
    for (int j = 0; j < front->rows; j++) {
        cell_store(cells(front->L) + (size_t)j * (size_t)front->width + at, real_set(0.0));
    }
}

/* Component c of W of column i, and of what follows it. */
KERNEL real inserted(const soa_insertion *from, int c, int i)
{
    return cell_load(cells_in(from->W) + c * SOA_MAX_LANES + i);
}

/* W of a closure in the frame of the body, and what goes with it: row_at in locate.kernel.h. In lanes whole vectors of columns
 * are written. */
static void front_insert_columns(soa_front *front, const soa_insertion *from)
{
    const cell *yields = cells_in(from->yields);
    const mat3 X = rotation_of(cells_in(from->R));
    const vec3 l = mat3_t_mul_vec(X, vec3_sub(vec3_shared(cells_in(from->p)), vec3_shared(cells_in(from->l))));
    const int count = HAS_STATES ? from->rows : SOA_MAX_LANES;
    for (int i = 0; i < count; i += COLUMNS) {
        const vec3 W_n = { inserted(from, 0, i), inserted(from, 1, i), inserted(from, 2, i) };
        const vec3 W_f = { inserted(from, 3, i), inserted(from, 4, i), inserted(from, 5, i) };
        const real sign = real_set(from->sign);
        const vec3 f = mat3_t_mul_vec(X, vec3_scale(sign, W_f));
        const vec3 n = vec3_cross_add(l, f, mat3_t_mul_vec(X, vec3_scale(sign, W_n)));
        const real compliance = yields[0] * vec3_dot(n, n) + yields[1] * vec3_dot(f, f);
        /* alpha counts gravity as an acceleration of the base: take it off */
        const real c = -sign * vec3_dot(W_f, vec3_shared(cells_in(from->base)));
        const int at = from->at + i;
        if (from->alone) {
            put_alone(front, at, (force){ n, f }, compliance, cell_load(cells_in(from->bias) + i) + c);
            continue;
        }
        front_store(front, at, force_add(front_load(front, at), (force){ n, f }));
        add_columns(cells(front->scale) + at, compliance);
        add_columns(cells(front->came) + at, compliance);
        add_columns(cells(front->c) + at, c);
    }
}

#endif
