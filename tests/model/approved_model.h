/* tests/model/approved_model.h - models from inside as text. */
#ifndef SOA_TESTS_MODEL_APPROVED_MODEL_H
#define SOA_TESTS_MODEL_APPROVED_MODEL_H

#include "approved.h"
#include "model/modal.h"
#include "model/model.h"

#define COUNT_OF(list) ((int)(sizeof(list) / sizeof(list)[0]))

static inline void put(FILE *out, const char *what, int count, const double *x)
{
    fprintf(out, " %s", what);
    for (int i = 0; i < count; i++) {
        fprintf(out, " %.5g", isnan(x[i]) ? (double)NAN : fabs(x[i]) < 1e-9 ? 0.0 : x[i]);
    }
}

static inline void put_pose(FILE *out, const char *what, const soa_pose *at)
{
    put(out, what, 3, at->position);
    put(out, "turned", 9, at->rotation[0]);
}

/* A table by its blocks, each with its rows and columns and the sum of its numbers by their places. */
static inline void put_table(FILE *out, const char *what, const soa_modal_table *t)
{
    fprintf(out, " %s %d", what, t->blocks);
    for (int i = -1; i < t->blocks; i++) {
        const soa_modal_block *b = i < 0 ? &t->whole : &t->block[i];
        double sum = 0.0;
        for (int k = 0; k < b->rows * b->columns; k++) {
            sum += (k % 7 + 1) * b->x[k];
        }
        fprintf(out, ", %d x %d", b->rows, b->columns);
        put(out, "sum", 1, &sum);
    }
}

static inline void put_parts(FILE *out, const char *what, const soa_modal_parts *p)
{
    fprintf(out, " %s %d", what, p->count);
    for (int i = 0; i < p->count; i++) {
        fprintf(out, " %d", p->part[i]);
        put_table(out, "part", &p->x[i]);
    }
}

static inline void put_modal(FILE *out, const soa_body_rest *r)
{
    const soa_modal *m = r->modal;
    const soa_modal_ports *p = r->ports;
    fprintf(out, "\n modes %d from %d, unit %d, parts %d %d", m->modes, r->first, m->unit, m->parts, m->linear);
    for (int i = 0; i < m->parts; i++) {
        fprintf(out, " %d", m->part[i]);
    }
    put(out, "er", 6 * m->modes, m->er);
    put(out, "scale", m->modes, m->scale);
    put_table(out, "constant", &m->constant);
    put_table(out, "adjoint", &m->constant_t);
    put_table(out, "bent", &m->bent);
    put_table(out, "mass", &m->mass);
    put_parts(out, "turned", &m->turned);
    put_parts(out, "quadratic", &m->quadratic);
    for (int t = 0; t < m->given->nodes; t++) {
        put(out, "\n node", 3, m->node[t].position);
        put_table(out, "shape", &m->node[t].shape);
        put_table(out, "adjoint", &m->node[t].shape_t);
        put_parts(out, "second", &m->node[t].second);
    }
    fprintf(out, "\n ports %d bent %d", p ? p->modes : -1, p ? p->bent : -1);
    if (p) {
        put(out, "inertia", SOA_ARTICULATED_NUMBERS, p->inertia);
        put_table(out, "by eta", &p->by_eta);
        put_table(out, "by force", &p->by_force);
        put_table(out, "by motion", &p->by_motion);
    }
}

static inline void put_body(FILE *out, const soa_model *m, int k)
{
    const soa_body_data *b = &m->body[k];
    const soa_body_rest *r = b->rest;
    const soa_body info = soa_model_body(m, k);
    fprintf(out,
        "body %d on %d: q %d v %d nq %d nv %d, slot %d, class %d kind %d, %d%d%d%d%d%d, link %d of %d, node %d, port "
        "%d, "
        "carries %d, carried %d, beside %d, %d%d%d, square %d, angle %d",
        k, b->parent, b->q, b->v, r->nq, b->nv, b->slot, b->joint_class, b->kind, b->aligned, b->leaf, b->last,
        b->keeps, b->motor, b->geared, r->link, r->links, r->node, r->port, r->carries, r->carried, r->beside,
        r->massless, r->hands_on, r->in_place, r->square, soa_has_angle(b) ? m->angle[k] : 0);
    fprintf(out, "; %d %d %d %d %d %d %d %d %d", info.parent, info.link, (int)info.kind, info.q, info.v, info.nq,
        info.nv, info.links, info.flexible);
    put(out, "armature", 1, &b->armature);
    put(out, "pitch", 1, &b->pitch);
    put(out, "gear", 3, r->gear);
    put(out, "inertia", 10, b->inertia);
    put(out, "mass", 1, &info.inertia.mass);
    put(out, "com", 3, info.inertia.com);
    put(out, "moment", 6, info.inertia.moment);
    put_pose(out, "at", &r->at);
    put_pose(out, "frame", &r->frame);
    if (r->modal) {
        put_modal(out, r);
    }
    fprintf(out, "\n");
}

static inline void put_model(FILE *out, const soa_model *m)
{
    fprintf(out,
        "%s: %d bodies, nq %d, nv %d, slots %d, modes %d %d %d, squares %d, ports %d, quaternions %d, mass %.6g\n",
        soa_model_name(m), m->bodies, m->nq, m->nv, m->slots, m->modes, m->most_modes, m->most_carried, m->squares,
        m->ports, m->quaternions, m->mass);
    for (int k = 0; k < m->bodies; k++) {
        put_body(out, m, k);
    }
    for (int i = 0; i < soa_model_links(m); i++) {
        soa_pose at;
        fprintf(out, "link %d %s: body %d, flags %u", i, soa_model_link(m, i)->name, soa_model_link_body(m, i, &at),
            soa_model_link(m, i)->flags);
        put_pose(out, "at", &at);
        fprintf(out, "\n");
    }
    for (int i = 0; i < soa_model_couplings(m); i++) {
        const soa_coupled *c = &m->coupled[i];
        fprintf(out, "coupled %d: %d %d from %d %d\n", c->body, c->q, c->v, c->from_q, c->from_v);
    }
    for (int i = 0; i < soa_model_configurations(m); i++) {
        const soa_configuration *c = soa_model_configuration(m, i);
        put(out, c->name, m->nq, c->q);
        put(out, "v", c->v ? m->nv : 0, c->v);
    }
    for (int i = 0; i < soa_model_warnings(m); i++) {
        const soa_warning *w = soa_model_warning(m, i);
        fprintf(out, "\nwarning %s:%d: %s", w->source.file ? w->source.file : "", w->source.line, w->text);
    }
    fprintf(out, "\n");
}

static inline void put_error(FILE *out, const soa_error *e)
{
    fprintf(out, "%d body %d %s:%d: %s\n", (int)e->status, e->body, e->file, e->line, e->text);
}

/* The model, or why there is none; frees it. */
static inline void put_made(FILE *out, soa_status status, soa_model *model, const soa_error *error)
{
    if (status == SOA_OK) {
        put_model(out, model);
        soa_model_free(model);
    } else {
        put_error(out, error);
    }
}

/* Configurations: neutral, random, moved, coupled, and what is said of odd numbers in them. */
static inline void put_states(FILE *out, const soa_model *m)
{
    enum { MOST = 512 };
    static double q[MOST], p[MOST], v[MOST], rate[MOST];
    unsigned long long seed = 9;
    soa_error error;
    assert_true(m->nq < MOST);
    soa_model_neutral(m, q);
    put(out, "neutral", m->nq, q);
    soa_random_configuration(m, &seed, q);
    put(out, "random", m->nq, q);
    for (int i = 0; i < m->nv; i++) {
        v[i] = soa_model_random_number(&seed);
    }
    soa_integrate(m, q, v, 0.3, p);
    put(out, "moved", m->nq, p);
    soa_model_rates(m, q, v, rate);
    put(out, "rate", m->nq, rate);
    soa_difference(m, q, p, rate);
    put(out, "difference", m->nv, rate);
    soa_couple(m, p, v);
    put(out, "coupled", m->nq, p);
    put(out, "with", m->nv, v);
    fprintf(out, "\nwithout numbers: %d %d\n", (int)soa_check_configuration(m, NULL, &error),
        (int)soa_normalize(m, NULL, &error));
    for (int i = 0; i < m->nq; i++) {
        static const double odd[] = { NAN, INFINITY, 3.0, 0.0 };
        for (int o = 0; o < COUNT_OF(odd); o++) {
            memcpy(p, q, sizeof p);
            p[i] = odd[o];
            fprintf(out, "\nq[%d] = %g: ", i, odd[o]);
            if (soa_check_configuration(m, p, &error) != SOA_OK) {
                put_error(out, &error);
            }
            if (soa_normalize(m, p, &error) != SOA_OK) {
                put_error(out, &error);
            } else {
                put(out, "normal", 1, &p[i]);
            }
        }
    }
    fprintf(out, "\n");
}

/* A part of the case: what was put, which is freed. */
static inline void approve(approved *a, const char *part, FILE *out, char **text)
{
    fclose(out);
    approved_text(a, part, *text);
    free(*text);
}

#endif
