/* operator/body_numbers.h - where the numbers of a body are in a vector of all bodies.
 *
 * Six numbers per body come first, then one per mode of the flexible links, in the order of the model. Of a rigid model
 * there are the six alone. */
#ifndef SOA_OPERATOR_BODY_NUMBERS_H
#define SOA_OPERATOR_BODY_NUMBERS_H

#include "model/model.h"
#include "soa/operator.h"

/* How many modes body k has. */
static inline int soa_body_modes(const soa_model *m, int k)
{
    return m->body[k].joint_class == SOA_CLASS_MODAL ? m->body[k].nv : 0;
}

/* How many numbers body k has, and all bodies together. */
static inline int soa_body_numbers(const soa_model *m, int k)
{
    return 6 + soa_body_modes(m, k);
}

static inline int soa_all_body_numbers(const soa_model *m)
{
    return 6 * m->bodies + m->modes;
}

/* The place of number i of body k. */
static inline int soa_body_index(const soa_model *m, int k, int i)
{
    return i < 6 ? 6 * k + i : 6 * m->bodies + m->body[k].rest->first + i - 6;
}

/* How many numbers a row of the block of a memoryless operator has at body k: velocities of its joint, or numbers of the body. */
static inline int soa_block_numbers(const soa_model *m, soa_space space, int k)
{
    return space == SOA_SPACE_JOINT ? m->body[k].nv : soa_body_numbers(m, k);
}

static inline int soa_block_index(const soa_model *m, soa_space space, int k, int i)
{
    return space == SOA_SPACE_JOINT ? m->body[k].v + i : soa_body_index(m, k, i);
}

/* The most numbers that a block has: how far its rows are apart. */
static inline int soa_block_stride(const soa_model *m)
{
    return 6 + m->most_modes;
}

#endif
