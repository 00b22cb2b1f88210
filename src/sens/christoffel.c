/* sens/christoffel.c - where packed Christoffel symbols stand. */
#include "soa/christoffel.h"
#include "model/model.h"

static int body_of(const soa_model *m, int velocity)
{
    int low = 0, high = m->bodies - 1; /* velocities rise with the number of the body */
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (m->body[middle].v <= velocity) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* Velocities on the path from the base that come before those of the body. */
static int before(const soa_model *m, int body)
{
    int count = 0;
    for (int k = m->body[body].parent; k >= 0; k = m->body[k].parent) {
        count += m->body[k].nv;
    }
    return count;
}

static bool on_path(const soa_model *m, int last, int body)
{
    int k = last;
    while (k > body) {
        k = m->body[k].parent;
    }
    return k == body;
}

/* Numbers of a velocity with d of them up to it. */
static long long block(long long d)
{
    return 3 * d * (d - 1) + 1;
}

/* Numbers of all velocities before this one. */
static long long blocks_before(const soa_model *m, int velocity)
{
    long long sum = 0;
    for (int k = 0; k < m->bodies && m->body[k].v < velocity; k++) {
        const int d = before(m, k);
        for (int c = 0; c < m->body[k].nv && m->body[k].v + c < velocity; c++) {
            sum += block(d + c + 1);
        }
    }
    return sum;
}

long long soa_christoffel_size(const soa_model *model)
{
    return model ? blocks_before(model, model->nv) : 0;
}

/* The place of a velocity on its path. */
static size_t place(const soa_model *m, int velocity)
{
    const int k = body_of(m, velocity);
    return (size_t)(before(m, k) + velocity - m->body[k].v);
}

/* Where C_i(j,k) stands if i, j, k are on one path. */
static size_t packed_index(const soa_model *m, int i, int j, int k)
{
    const int c = i > j ? (i > k ? i : k) : (j > k ? j : k);
    const size_t d = place(m, c) + 1, base = (size_t)blocks_before(m, c);
    if (i == c) {
        return base + place(m, j) * d + place(m, k);
    }
    if (j == c) {
        return base + d * d + place(m, i) * d + place(m, k);
    }
    return base + d * d + (d - 1) * d + place(m, i) * (d - 1) + place(m, j);
}

long long soa_christoffel_index(const soa_model *model, int i, int j, int k)
{
    const int n = model ? model->nv : 0;
    if (i < 0 || j < 0 || k < 0 || i >= n || j >= n || k >= n) {
        return -1;
    }
    const int c = i > j ? (i > k ? i : k) : (j > k ? j : k), last = body_of(model, c);
    const bool related = on_path(model, last, body_of(model, i)) && on_path(model, last, body_of(model, j)) &&
                         on_path(model, last, body_of(model, k));
    return related ? (long long)packed_index(model, i, j, k) : -1;
}
