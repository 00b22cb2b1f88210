/* emit/push.c - the forces that a model describes, as part of tau: those of joints and the elastic ones of flexible links. */
#include "emit/job.h"
#include "emit/trace_forces.h"
#include "soa/force.h"

/* Adds the force of an element of the model to push. */
static bool add_force(emit_job *j, const soa_force *e, double *push)
{
    const soa_model *m = j->model;
    const bool elastic = e->kind == SOA_FORCE_ELASTIC;
    const soa_body_data *body = &m->body[elastic ? m->place[e->link].body : soa_joint_body(m, e->link)];
    const double *q = j->in[IN_Q] + body->q, *v = j->in[IN_V] + body->v;
    if (e->kind == SOA_FORCE_JOINT_SPRING && body->nv != 1) {
        return emit_refuse(j, "joint '%s' has a spring and %d velocities; springs of joints with one are emitted",
            soa_description_link(&m->description, e->link)->joint.name, body->nv);
    }
    for (int i = 0; i < body->nv; i++) {
        double force;
        if (elastic) {
            force = trace_elastic_force(&j->t, body->rest->modal->given, i, q, v);
        } else {
            const double x =
                e->kind == SOA_FORCE_JOINT_SPRING ? tape_apply(&j->t, TAPE_SUB, q[0], e->reference, 0.0) : 0.0;
            force = trace_joint_force(&j->t, e, x, v[i]);
        }
        push[body->v + i] = tape_apply(&j->t, TAPE_ADD, push[body->v + i], force, 0.0);
    }
    return true;
}

bool emit_push(emit_job *j)
{
    const int count = j->request->forces ? soa_forces_of_model(j->model, 0, NULL) : 0, nv = j->model->nv;
    if (count == 0) {
        return true;
    }
    soa_force *force = calloc((size_t)count, sizeof *force);
    j->push = calloc((size_t)nv + 1, sizeof *j->push);
    bool good = force != NULL && j->push != NULL;
    if (good) {
        (void)soa_forces_of_model(j->model, count, force);
    }
    for (int i = 0; good && i < count; i++) {
        good = add_force(j, &force[i], j->push);
    }
    for (int i = 0; good && i < nv; i++) {
        j->push[i] = tape_apply(&j->t, TAPE_ADD, j->in[IN_U][i], j->push[i], 0.0);
    }
    free(force);
    return good;
}

/* ---- the library ------------------------------------------------------------------------------- */

bool emit_push_begin(const emit_job *j, emit_reference *r)
{
    const int count = soa_forces_of_model(r->model, 0, NULL);
    soa_force *force = calloc((size_t)count + 1, sizeof *force);
    r->pushed = calloc((size_t)r->model->nv + 1, sizeof *r->pushed);
    bool good = force != NULL && r->pushed != NULL;
    if (good && j->request->forces) {
        (void)soa_forces_of_model(r->model, count, force);
        good = soa_forces_new(r->model, count, force, NULL, &r->forces, &r->error) == SOA_OK;
    }
    free(force);
    return good;
}

bool emit_push_state(emit_reference *r)
{
    if (r->forces == NULL) {
        return true;
    }
    const double *tau = r->in[IN_U];
    memset(r->pushed, 0, (size_t)r->model->nv * sizeof *r->pushed);
    const bool good =
        soa_forces_apply(r->forces, 0.0, r->in[IN_Q], r->in[IN_V], r->pushed, NULL, NULL, &r->error) == SOA_OK;
    for (int i = 0; i < r->model->nv; i++) {
        r->pushed[i] = tau[i] + r->pushed[i];
    }
    r->in[IN_U] = r->pushed;
    return good;
}

void emit_push_end(emit_reference *r)
{
    soa_forces_free(r->forces);
    free(r->pushed);
}
