/* model/configuration.c - configurations q of a whole model. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/random.h"
#include "model/model.h"

static const soa_link *link_of(const soa_model *m, const soa_body_data *body)
{
    return soa_description_link(&m->description, body->rest->link);
}

void soa_model_neutral(const soa_model *model, double *q)
{
    if (!model || !q) {
        return;
    }
    for (int k = 0; k < model->bodies; k++) {
        const soa_body_data *body = &model->body[k];
        const soa_joint *joint = &link_of(model, body)->joint;
        if (body->joint_class == SOA_CLASS_MODAL) {
            for (int i = 0; i < body->nv; i++) {
                q[body->q + i] = 0.0;
            }
        } else if (body->rest->nq == 1) {
            q[body->q] = joint->reference;
        } else {
            memcpy(q + body->q, joint->neutral, (size_t)body->rest->nq * sizeof *q);
        }
    }
}

static soa_status fail_body(const soa_model *m, int k, soa_status status, soa_error *error)
{
    const soa_link *link = link_of(m, &m->body[k]);
    const bool modal = m->body[k].joint_class == SOA_CLASS_MODAL;
    char name[SOA_ERROR_TEXT / 2];
    snprintf(name, sizeof name, modal ? "%s/flex" : "%s", modal || !link->joint.name ? link->name : link->joint.name);
    if (status == SOA_E_NUMBER) {
        return soa_fail(error, status, k, "joint '%s': q is not finite; give finite numbers", name);
    }
    if (modal) {
        return soa_fail(error, status, k, "joint '%s': a node of the link turns by more than pi; deform it less", name);
    }
    return soa_fail(
        error, status, k, "joint '%s': its quaternion is not of unit length; normalise it (soa_normalize)", name);
}

/* Modal coordinates: finite, and no node turns by more than pi, where rotation vectors end. */
static soa_status check_modes(const soa_body_data *body, const double *eta)
{
    const soa_flexible *f = body->rest->modal ? body->rest->modal->given : NULL;
    for (int i = 0; i < body->nv; i++) {
        if (!isfinite(eta[i])) {
            return SOA_E_NUMBER;
        }
    }
    for (int t = 0; f && t < f->nodes; t++) {
        const double *shape = f->shape + 6 * (size_t)t * (size_t)f->modes;
        double turn[3] = { 0.0, 0.0, 0.0 };
        for (int i = 0; i < f->modes; i++) {
            for (int e = 0; e < 3; e++) {
                turn[e] += shape[6 * i + e] * eta[i];
            }
        }
        if (turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] > SOA_MOST_NODE_TURN) {
            return SOA_E_CONFIGURATION;
        }
    }
    return SOA_OK;
}

static soa_status check_body(const soa_body_data *body, const double *q)
{
    return body->joint_class == SOA_CLASS_MODAL ? check_modes(body, q) : soa_joint_check(&body->rest->shape, q);
}

soa_status soa_check_configuration(const soa_model *model, const double *q, soa_error *error)
{
    if (!model || (model->nq > 0 && !q)) {
        return soa_fail_null(error, model ? "the configuration" : "the model");
    }
    for (int k = 0; k < model->bodies; k++) {
        const soa_status status = check_body(&model->body[k], q + model->body[k].q);
        if (status != SOA_OK) {
            return fail_body(model, k, status, error);
        }
    }
    return SOA_OK;
}

soa_status soa_normalize(const soa_model *model, double *q, soa_error *error)
{
    if (!model || (model->nq > 0 && !q)) {
        return soa_fail_null(error, model ? "the configuration" : "the model");
    }
    for (int k = 0; k < model->bodies; k++) {
        const soa_body_data *body = &model->body[k];
        const soa_status status = body->joint_class == SOA_CLASS_MODAL
                                      ? check_body(body, q + body->q)
                                      : soa_joint_normalize(&body->rest->shape, q + body->q);
        if (status != SOA_OK) {
            return fail_body(model, k, status, error);
        }
    }
    return SOA_OK;
}

void soa_integrate(const soa_model *model, const double *q, const double *v, double dt, double *q_out)
{
    if (!model || !q || !v || !q_out) {
        return;
    }
    for (int k = 0; k < model->bodies; k++) {
        const soa_body_data *body = &model->body[k];
        for (int i = 0; body->joint_class == SOA_CLASS_MODAL && i < body->nv; i++) {
            q_out[body->q + i] = q[body->q + i] + dt * v[body->v + i];
        }
        soa_joint_integrate(&body->rest->shape, q + body->q, v + body->v, dt, q_out + body->q);
    }
}

void soa_model_rates(const soa_model *model, const double *q, const double *v, double *rate)
{
    for (int k = 0; k < model->bodies; k++) {
        const soa_body_data *body = &model->body[k];
        for (int i = 0; body->joint_class == SOA_CLASS_MODAL && i < body->nv; i++) {
            rate[body->q + i] = v[body->v + i];
        }
        soa_joint_rates(&body->rest->shape, q + body->q, v + body->v, rate + body->q);
    }
}

void soa_difference(const soa_model *model, const double *q0, const double *q1, double *v)
{
    if (!model || !q0 || !q1 || !v) {
        return;
    }
    for (int k = 0; k < model->bodies; k++) {
        const soa_body_data *body = &model->body[k];
        for (int i = 0; body->joint_class == SOA_CLASS_MODAL && i < body->nv; i++) {
            v[body->v + i] = q1[body->q + i] - q0[body->q + i];
        }
        soa_joint_difference(&body->rest->shape, q0 + body->q, q1 + body->q, v + body->v);
    }
}

void soa_random_configuration(const soa_model *model, unsigned long long *seed, double *q)
{
    if (!model || !seed || !q) {
        return;
    }
    for (int k = 0; k < model->bodies; k++) {
        const soa_body_data *body = &model->body[k];
        const soa_joint *joint = &link_of(model, body)->joint;
        for (int i = 0; body->joint_class == SOA_CLASS_MODAL && i < body->nv; i++) {
            q[body->q + i] = body->rest->modal->scale[i] * soa_random_next(seed);
        }
        soa_joint_random(&body->rest->shape, joint->lower, joint->upper, seed, q + body->q);
    }
}

double soa_model_random_number(unsigned long long *seed)
{
    if (!seed) {
        return 0.0;
    }
    return soa_random_next(seed);
}
