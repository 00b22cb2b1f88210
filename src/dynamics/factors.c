/* dynamics/factors.c - where the factors of the mass matrix stand. */
#include <string.h>

#include "dynamics/factors.h"

/* The longest way, in velocities; more than SOA_FACTORS_WAY: longer than wanted. */
static int longest_way(const soa_model *m)
{
    int depth[SOA_FACTORS_MOST], longest = 0; /* by body: the velocities from the root to it */
    for (int k = 0; k < m->bodies && longest <= SOA_FACTORS_WAY; k++) {
        const soa_body_data *body = &m->body[k];
        depth[k] = (body->parent < 0 ? 0 : depth[body->parent]) + body->nv;
        longest = depth[k] > longest ? depth[k] : longest;
    }
    return longest;
}

/* The arrays one after another from block on; NULL: only the size is wanted. */
static size_t place_arrays(soa_factors *f, char *block)
{
    const size_t nv = f->rows;
    size_t used = 0;
#define PLACE(field, count)                           \
    f->field = block ? (void *)(block + used) : NULL; \
    used += (count) * sizeof *f->field;               \
    used = (used + SOA_ALIGNMENT - 1) / SOA_ALIGNMENT * SOA_ALIGNMENT
    PLACE(order, nv);
    PLACE(depth, nv);
    PLACE(end, nv);
    PLACE(way, nv * SOA_FACTORS_WAY);
    PLACE(mass, nv * SOA_FACTORS_WAY);
    PLACE(scale, nv);
    PLACE(minus_D_inv, nv);
    PLACE(N, nv * f->span);
#undef PLACE
    return used;
}

/* way, depth: velocity by velocity, each after the one inboard of it. */
static void find_ways(const soa_model *m, const soa_factors *f)
{
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        const soa_body_data *parent = body->parent < 0 ? NULL : &m->body[body->parent];
        int inboard = parent ? parent->v + parent->nv - 1 : -1;
        for (int i = body->v; i < body->v + body->nv; inboard = i, i++) {
            unsigned char *way = f->way + i * SOA_FACTORS_WAY;
            f->depth[i] = 0;
            if (inboard >= 0) {
                f->depth[i] = f->depth[inboard] + 1;
                memcpy(way, f->way + inboard * SOA_FACTORS_WAY, (size_t)f->depth[i] * sizeof *way);
            }
            way[f->depth[i]] = (unsigned char)i;
        }
    }
}

static void find_ends(const soa_model *m, const soa_factors *f)
{
    for (int k = m->nv - 1; k >= 0; k--) {
        const int inboard = f->depth[k] > 0 ? f->way[k * SOA_FACTORS_WAY + f->depth[k] - 1] : -1;
        f->end[k] = f->end[k] > k ? f->end[k] : k + 1;
        if (inboard >= 0 && f->end[inboard] < f->end[k]) {
            f->end[inboard] = f->end[k];
        }
    }
}

/* The longest way first: so limbs take turns, and one does not wait for the other. */
static void find_order(const soa_model *m, const soa_factors *f)
{
    int *to = f->order;
    for (int depth = SOA_FACTORS_WAY - 1; depth >= 0; depth--) {
        for (int k = m->nv - 1; k >= 0; k--) {
            if (f->depth[k] == depth) {
                *to++ = k;
            }
        }
    }
}

/* Whether one joint with SOA_TRUNK velocities is inboard of all others. */
static bool has_trunk(const soa_model *m)
{
    for (int k = 1; k < m->bodies; k++) {
        if (m->body[k].parent < 0) {
            return false;
        }
    }
    return m->body[0].nv == SOA_TRUNK;
}

bool soa_factors_new(const soa_model *model, const soa_allocator *allocator, soa_factors **factors)
{
    *factors = NULL;
    const size_t nv = (size_t)model->nv;
    if (nv == 0 || nv > SOA_FACTORS_MOST || model->flexible || longest_way(model) > SOA_FACTORS_WAY) {
        return true;
    }
    soa_factors at = { .rows = nv, .span = (nv + SOA_GROUP - 1) / SOA_GROUP * SOA_GROUP };
    at.trunk = has_trunk(model) ? SOA_TRUNK : 0;
    at.before = at.span - nv;
    const size_t header = (sizeof at + SOA_ALIGNMENT - 1) / SOA_ALIGNMENT * SOA_ALIGNMENT;
    const size_t size = header + place_arrays(&at, NULL);
    char *block = soa_allocate(allocator, 1, size);
    if (!block) {
        return false;
    }
    memset(block, 0, size);
    place_arrays(&at, block + header);
    find_ways(model, &at);
    find_ends(model, &at);
    find_order(model, &at);
    *factors = (soa_factors *)block;
    **factors = at;
    return true;
}
