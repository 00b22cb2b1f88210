/* model/coupled.c - joints that follow others, in the order in which they can be evaluated.
 *
 *     q(d) = p(q(e)),  v(d) = p'(q(e)) v(e)          p: the polynomial of the coupling */
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
    if (c->driver >= 0) {
        const soa_body_data *driver = body_of(m, c->driver);
        item->from_q = driver->q;
        item->from_v = driver->v;
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
    if (count == 0) {
        return SOA_OK;
    }
    m->coupled = soa_arena_take(&m->arena, (size_t)count, sizeof *m->coupled);
    int *of = soa_allocate(&m->allocator, (size_t)links, sizeof *of);
    int *walk = soa_allocate(&m->allocator, (size_t)count, sizeof *walk);
    const bool room = m->coupled && of && walk;
    if (room) {
        for (int l = 0; l < links; l++) {
            of[l] = -1;
        }
        for (int i = 0; i < count; i++) {
            of[((const soa_coupling *)soa_array_at(&m->description.coupling, i))->link] = i;
        }
        sort(m, of, walk);
    }
    soa_release(&m->allocator, of);
    soa_release(&m->allocator, walk);
    return room ? SOA_OK : soa_fail_memory(error);
}

void soa_couple(const soa_model *model, double *q, double *v)
{
    for (int i = 0; i < model->description.coupling.count; i++) {
        const soa_coupled *c = &model->coupled[i];
        const double x = c->from_q < 0 ? 0.0 : q[c->from_q];
        double value = 0.0, slope = 0.0;
        for (int k = SOA_COUPLING_TERMS - 1; k >= 0; k--) {
            slope = slope * x + value;
            value = value * x + c->coefficient[k];
        }
        q[c->q] = value;
        if (v) {
            v[c->v] = c->from_v < 0 ? 0.0 : slope * v[c->from_v];
        }
    }
}
