/* model/align.c - body frames turned about their joint axes.
 *
 * The frame of a body whose joint turns about or slides along z may be turned
 * about z by any constant angle. We choose it so that one child, the one that
 * carries most bodies, stands at Rx(alpha) Rz(theta) in it (gamma = 0). */
#include <math.h>
#include <string.h>

#include "model/model.h"
#include "spatial/atan2.h"

static soa_pose turn_z(double c, double s)
{
    soa_pose turn = soa_pose_identity();
    turn.rotation[0][0] = turn.rotation[1][1] = c;
    turn.rotation[1][0] = s;
    turn.rotation[0][1] = -s;
    return turn;
}

/* gamma: the angle about z by which the axis of the pose leans out of the plane of y and z. */
static void lean(const soa_pose *at, double *c, double *s)
{
    const double x = at->rotation[0][2], y = -at->rotation[1][2];
    const double n = sqrt(x * x + y * y);
    *c = n > 0.0 ? y / n : 1.0;
    *s = n > 0.0 ? x / n : 0.0;
}

static soa_screw screw_of(const soa_pose *at, bool aligned)
{
    soa_screw screw = { .cos_gamma = 1.0, .sin_gamma = 0.0 };
    if (!aligned) {
        lean(at, &screw.cos_gamma, &screw.sin_gamma);
    }
    const double(*R)[3] = at->rotation;
    const double cg = screw.cos_gamma, sg = screw.sin_gamma;
    const double s_alpha = sg * R[0][2] - cg * R[1][2], c_alpha = R[2][2];
    const double n = sqrt(s_alpha * s_alpha + c_alpha * c_alpha);
    screw.cos_alpha = c_alpha / n;
    screw.sin_alpha = s_alpha / n;
    const double c = cg * R[0][0] + sg * R[1][0], s = -(cg * R[0][1] + sg * R[1][1]); /* row x of Rz(-gamma) R */
    const double m = sqrt(c * c + s * s);
    screw.cos_theta = c / m;
    screw.sin_theta = s / m;
    screw.theta = soa_atan2(s, c);
    memcpy(screw.l, at->position, sizeof screw.l);
    return screw;
}

/* `at` as the sweeps need it. */
static void set_crossing(soa_body_data *body, bool aligned)
{
    const soa_pose *at = &body->rest->at;
    for (int i = 0; i < 3; i++) {
        body->axis[i] = body->kind == SOA_UNIVERSAL ? body->rest->shape.axis1[i] : at->rotation[i][2];
    }
    if (soa_is_screw(body)) {
        body->screw = screw_of(at, aligned);
        body->aligned = body->screw.sin_gamma == 0.0 && body->screw.cos_gamma > 0.0;
    } else {
        body->at = *at;
    }
}

/* The frame of body k turned about its z. */
static void turn_frame(soa_model *m, int k, double c, double s)
{
    soa_body_data *body = &m->body[k];
    const soa_pose turn = turn_z(c, s), back = turn_z(c, -s);
    body->rest->at = soa_pose_compose(&body->rest->at, &turn);
    body->rest->frame = soa_pose_compose(&back, &body->rest->frame);
}

/* The child about z that carries most bodies; -1: no child turns about z. */
static void choose_children(const soa_model *m, int *carried, int *chosen)
{
    for (int k = 0; k < m->bodies; k++) {
        carried[k] = 1;
        chosen[k] = -1;
    }
    for (int k = m->bodies - 1; k >= 0; k--) {
        const int p = m->body[k].parent;
        if (p >= 0) {
            carried[p] += carried[k];
            if (soa_is_screw(&m->body[k]) && (chosen[p] < 0 || carried[k] >= carried[chosen[p]])) {
                chosen[p] = k;
            }
        }
    }
}

static void mark_children(soa_model *m)
{
    for (int k = 0; k < m->bodies; k++) {
        m->body[k].leaf = true;
        m->body[k].last = true;
    }
    for (int k = m->bodies - 1; k >= 0; k--) {
        const int p = m->body[k].parent;
        if (p >= 0) {
            m->body[k].last = m->body[p].leaf;
            m->body[p].leaf = false;
        }
    }
}

/* A body needs its slot from when the first of its children comes inward (the last by number) until it has been passed itself;
 * on a node of a flexible link, until the link has been passed. */
bool soa_assign_slots(soa_model *m)
{
    int *free_slot = soa_allocate(&m->allocator, (size_t)m->bodies + 1, sizeof *free_slot), count = 0;
    if (!free_slot) {
        return false;
    }
    for (int k = m->bodies - 1; k >= 0; k--) {
        soa_body_data *body = &m->body[k];
        if (body->leaf) {
            body->slot = count > 0 ? free_slot[--count] : m->slots++;
        }
        if (body->parent >= 0 && body->last) {
            m->body[body->parent].slot = count > 0 ? free_slot[--count] : m->slots++;
        }
        if (body->rest->node == 0) {
            free_slot[count++] = body->slot;
        }
        for (int c = body->rest->carried; c > 0; c = m->rest[c].beside) {
            free_slot[count++] = m->body[c].slot;
        }
    }
    soa_release(&m->allocator, free_slot);
    return true;
}

bool soa_align_frames(soa_model *m)
{
    mark_children(m);
    int *carried = soa_allocate(&m->allocator, 2 * (size_t)m->bodies + 1, sizeof *carried);
    if (!carried) {
        return false;
    }
    int *chosen = carried + m->bodies;
    choose_children(m, carried, chosen);
    for (int k = 0; m->flexible && k < m->bodies; k++) {
        chosen[k] = -1; /* a child may stand on a node, which is not in the body frame */
    }
    double(*turn)[2] = soa_allocate(&m->allocator, (size_t)m->bodies + 1, sizeof *turn);
    if (!turn) {
        soa_release(&m->allocator, carried);
        return false;
    }
    for (int k = 0; k < m->bodies; k++) { /* parents are turned before their children are looked at */
        soa_body_data *body = &m->body[k];
        turn[k][0] = 1.0, turn[k][1] = 0.0;
        if (body->parent >= 0) {
            const soa_pose back = turn_z(turn[body->parent][0], -turn[body->parent][1]);
            body->rest->at = soa_pose_compose(&back, &body->rest->at);
        }
        if (soa_is_screw(body) && chosen[k] >= 0) {
            lean(&m->body[chosen[k]].rest->at, &turn[k][0], &turn[k][1]);
            turn_frame(m, k, turn[k][0], turn[k][1]);
        }
        set_crossing(body, body->parent >= 0 && chosen[body->parent] == k && soa_is_screw(&m->body[body->parent]));
    }
    for (int l = 0; l < m->description.link.count; l++) { /* links are placed in the turned frames */
        const int k = m->place[l].body;
        if (k >= 0) {
            const soa_pose back = turn_z(turn[k][0], -turn[k][1]);
            m->place[l].at = soa_pose_compose(&back, &m->place[l].at);
        }
    }
    soa_release(&m->allocator, turn);
    soa_release(&m->allocator, carried);
    return true;
}
