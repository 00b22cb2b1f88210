/* model/coupled.c - couplings of joints in the order in which they can be evaluated. */
#include <string.h>

#include "core/error.h"
#include "model/model.h"

static const soa_body_data *body_of(const soa_model *m, int link)
{
    return &m->body[soa_joint_body(m, link)];
}

static void add(soa_model *m, const soa_coupling *c, int at)
{
    soa_coupled *item = &m->coupled[at];
    const soa_body_data *body = body_of(m, c->link);
    *item = (soa_coupled){ .body = soa_joint_body(m, c->link), .q = body->q, .v = body->v, .from_q = -1, .from_v = -1 };
    memcpy(item->coefficient, c->coefficient, sizeof item->coefficient);
    m->root[item->v] = -1;
    if (c->driver >= 0) {
        const soa_body_data *driver = body_of(m, c->driver);
        item->from_q = driver->q;
        item->from_v = driver->v;
        m->root[item->v] = m->root[driver->v];
    }
}

/* Each coupling after that of its driver: walks along the drivers, then back. of: the
 * coupling of each link or -1, -1 again once it is done; walk: room for one walk. */
static void sort(soa_model *m, int *of, int *walk)
{
    const soa_array *couplings = &m->description.coupling;
    int done = 0;
    for (int i = 0; i < couplings->count; i++) {
        int length = 0;
        int link = ((const soa_coupling *)soa_array_at(couplings, i))->link;
        while (link >= 0 && of[link] >= 0) {
            const soa_coupling *c = soa_array_at(couplings, of[link]);
            walk[length++] = of[link];
            link = c->driver;
        }
        while (length > 0) {
            const soa_coupling *c = soa_array_at(couplings, walk[--length]);
            add(m, c, done++);
            of[c->link] = -1;
        }
    }
}

soa_status soa_make_coupled(soa_model *m, soa_error *error)
{
    const int links = m->description.link.count, count = m->description.coupling.count;
    m->independent = m->nv - count;
    if (count == 0) {
        return SOA_OK;
    }
    m->coupled = soa_arena_take(&m->arena, (size_t)count, sizeof *m->coupled);
    m->root = soa_arena_take(&m->arena, (size_t)m->nv, sizeof *m->root);
    m->column = soa_arena_take(&m->arena, (size_t)m->nv, sizeof *m->column);
    int *of = soa_allocate(&m->allocator, (size_t)links, sizeof *of);
    int *walk = soa_allocate(&m->allocator, (size_t)count, sizeof *walk);
    const bool room = m->coupled && m->root && m->column && of && walk;
    if (room) {
        for (int l = 0; l < links; l++) {
            of[l] = -1;
        }
        for (int i = 0; i < count; i++) {
            of[((const soa_coupling *)soa_array_at(&m->description.coupling, i))->link] = i;
        }
        for (int i = 0; i < m->nv; i++) {
            m->root[i] = i;
        }
        sort(m, of, walk);
        int next = 0;
        for (int i = 0; i < m->nv; i++) {
            m->column[i] = m->root[i] == i ? next++ : -1;
        }
    }
    soa_release(&m->allocator, of);
    soa_release(&m->allocator, walk);
    return room ? SOA_OK : soa_fail_memory(error);
}
