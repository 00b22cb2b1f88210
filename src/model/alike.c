/* model/alike.c - whether models differ in numbers that kernels for lanes read state by state.
 *
 * Bytes are compared: they are equal only if the numbers are, and what differs without need costs speed alone. */
#include <stddef.h>
#include <string.h>

#include "model/model.h"

/* Whether two structs are equal before `from` and between `to` and `end`. */
static bool same_around(const void *a, const void *b, size_t from, size_t to, size_t end)
{
    const char *x = a, *y = b;
    return memcmp(x, y, from) == 0 && memcmp(x + to, y + to, end - to) == 0;
}

/* All but inertia, which stands beside the pointer to the rest. */
static bool bodies_alike(const soa_body_data *a, const soa_body_data *b)
{
    const soa_body_rest *x = a->rest, *y = b->rest;
    return same_around(a, b, offsetof(soa_body_data, inertia), offsetof(soa_body_data, pitch),
               offsetof(soa_body_data, geared) + sizeof a->geared) &&
           same_around(x, y, offsetof(soa_body_rest, link_inertia), offsetof(soa_body_rest, node),
               offsetof(soa_body_rest, in_place) + sizeof x->in_place) &&
           soa_flexible_same(x->modal ? x->modal->given : NULL, y->modal ? y->modal->given : NULL);
}

bool soa_model_alike(const soa_model *a, const soa_model *b)
{
    bool alike = a->bodies == b->bodies && a->nq == b->nq && a->nv == b->nv;
    for (int k = 0; a != b && alike && k < a->bodies; k++) {
        alike = bodies_alike(&a->body[k], &b->body[k]);
    }
    return alike;
}
