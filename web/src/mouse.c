/* mouse.c - links pulled by the mouse: their joints follow, or a spring pulls while a simulation runs. */
#include <string.h>

#include "page.h"

static void clamp_to_limits(const soa_model *model, double *q)
{
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const soa_body body = soa_model_body(model, k);
        const soa_joint *joint = &soa_model_link(model, body.link)->joint;
        if (body.nq == 1 && !body.flexible && joint->lower[0] <= joint->upper[0]) {
            q[body.q] = q[body.q] < joint->lower[0] ? joint->lower[0] : q[body.q];
            q[body.q] = q[body.q] > joint->upper[0] ? joint->upper[0] : q[body.q];
        }
    }
}

static soa_point grip(const page *p)
{
    soa_point point = { p->dragged, soa_pose_identity(), p->dragged_node };
    memcpy(point.at.position, p->number[PAGE_GRIP], sizeof point.at.position);
    return point;
}

/* The link at whose grip (PAGE_GRIP) the mouse pulls, SOA_NONE: none; node: of a flexible one. It feels 3 / trace of
 * J Mass^-1 J* there. */
int PAGE(page_drag)(int link, int node)
{
    page *p = &the_page;
    p->dragged = link;
    p->dragged_node = node;
    p->felt = soa_model_mass(p->model);
    if (link < 0) {
        return 0;
    }
    const soa_point at = grip(p);
    double lambda[36];
    if (soa_operational_inertia(p->model, p->workspace, 1, &at, 1, p->number[PAGE_Q], lambda, NULL, NULL) == SOA_OK) {
        const double trace = lambda[21] + lambda[28] + lambda[35];
        p->felt = trace > 3.0 / p->felt ? 3.0 / trace : p->felt;
    }
    return 0;
}

/* The grip is moved to the target by the joints, as far as they and the loops allow. */
int PAGE(page_reach)(void)
{
    page *p = &the_page;
    enum { TRIES = 4 };
    soa_closure hold = soa_closure_default("grip", SOA_CLOSE_SPHERICAL, p->dragged, SOA_WORLD);
    const soa_point at = grip(p);
    double pose[12];
    soa_status status = soa_point_kinematics(
        p->model, p->workspace, 1, &at, 1, p->number[PAGE_Q], NULL, NULL, pose, NULL, NULL, &p->error);
    double part = 1.0;
    for (int i = 0; i < TRIES && status == SOA_OK; i++, part *= 0.4) {
        hold.at_a = at.at;
        hold.node_a = at.node;
        for (int k = 0; k < 3; k++) {
            hold.at_b.position[k] = pose[9 + k] + part * (p->number[PAGE_TARGET][k] - pose[9 + k]);
        }
        int added = -1;
        status = soa_closure_add(p->closures, &hold, 0, 0, &added, &p->error);
        if (status == SOA_OK && page_project_added(p, added) == 0) {
            clamp_to_limits(p->model, p->number[PAGE_Q]);
            return page_project();
        }
    }
    return page_end(status);
}

/* T += J* m (w^2 (target - x) - 1.4 w xdot), m the mass felt at the grip: a spring of w = 15 rad/s whatever is pulled. */
soa_status page_drag_force(void *context, double t, const double *q, const double *v, double *T, soa_error *error)
{
    (void)t;
    page *p = context;
    if (p->dragged < 0) {
        return SOA_OK;
    }
    const soa_point at = grip(p);
    const int nv = soa_model_nv(p->model);
    const double w = 15.0, stiffness = p->felt * w * w, damping = 1.4 * p->felt * w;
    double pose[12], velocity[6];
    soa_status status = soa_point_kinematics(p->model, p->aux, 1, &at, 1, q, v, NULL, pose, velocity, NULL, error);
    if (status == SOA_OK) {
        status = soa_jacobian(p->model, p->aux, 1, &at, SOA_AXES_MIXED, 1, q, p->jacobian, error);
    }
    for (int k = 0; k < 3 && status == SOA_OK; k++) {
        const double f = stiffness * (p->number[PAGE_TARGET][k] - pose[9 + k]) - damping * velocity[3 + k];
        for (int i = 0; i < nv; i++) {
            T[i] += p->jacobian[(3 + k) * nv + i] * f;
        }
    }
    return status;
}
