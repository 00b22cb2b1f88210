/* controls.c - what the page adds to a simulation: dampers, ground under the feet, joints that hold themselves, the mouse. */
#include <stdlib.h>
#include <string.h>

#include "page.h"

void page_sim_forget(void)
{
    page *p = &the_page;
    soa_sim_free(p->sim);
    free(p->live.force);
    free(p->live.controller);
    free(p->live.goal);
    free(p->live.link);
    p->sim = NULL;
    p->live.force = NULL;
    p->live.controller = NULL;
    p->live.goal = NULL;
    p->live.link = NULL;
}

/* ---- the ground --------------------------------------------------------------------------------- */

void page_contacts_forget(void)
{
    free(the_page.live.contact);
    the_page.live.contact = NULL;
    the_page.live.contacts = 0;
}

int PAGE(page_contacts_clear)(void)
{
    page_contacts_forget();
    return 0;
}

/* One shape more (PAGE_SHAPE: edges or radius and length, pose in the frame of the link) that touches the plane
 * z = floor from the next start on. */
int PAGE(page_contact)(int link, int shape, double floor, double stiffness, double friction)
{
    page *p = &the_page;
    page_live *live = &p->live;
    const double *given = p->number[PAGE_SHAPE];
    soa_force *more = realloc(live->contact, ((size_t)live->contacts + 1) * sizeof *more);
    if (!more || live->contacts >= PAGE_LOADS) {
        live->contact = more ? more : live->contact;
        return page_fail(more ? "too many shapes for the ground" : "out of memory");
    }
    soa_force *contact = &more[live->contacts++];
    live->contact = more;
    *contact = soa_force_default(NULL, SOA_FORCE_CONTACT);
    contact->a.link = link;
    memcpy(&contact->a.at, given + 3, sizeof contact->a.at);
    contact->b = (soa_point){ .link = SOA_WORLD, .at = soa_pose_identity() };
    contact->b.at.position[2] = floor;
    contact->shape = (soa_shape)shape;
    if (contact->shape == SOA_SHAPE_BOX) {
        memcpy(contact->size, given, sizeof contact->size);
    } else {
        contact->length = given[0];
        contact->size[2] = given[1];
    }
    contact->stiffness = stiffness;
    contact->damping = 0.8;
    contact->value = friction;
    contact->speed = 0.1;
    return 0;
}

/* ---- forces ----------------------------------------------------------------------------------------- */

/* A damper at every joint and the ground, behind the forces of the scenario. */
soa_status page_add_forces(page *p, double damping)
{
    const int bodies = soa_model_bodies(p->model), before = p->setup.forces;
    soa_force *force = calloc((size_t)before + (size_t)bodies + (size_t)p->live.contacts + 1, sizeof *force);
    p->live.force = force;
    if (!force) {
        return SOA_E_MEMORY;
    }
    if (before > 0) {
        memcpy(force, p->setup.force, (size_t)before * sizeof *force);
    }
    for (int k = 0; k < bodies && damping > 0.0; k++) {
        const soa_body body = soa_model_body(p->model, k);
        if (!body.flexible) { /* modes have a damping of their own */
            soa_force *damper = &force[p->setup.forces++];
            *damper = soa_force_default(NULL, SOA_FORCE_JOINT_DAMPER);
            damper->link = body.link;
            damper->damping = damping;
        }
    }
    if (p->live.contacts > 0) {
        memcpy(force + p->setup.forces, p->live.contact, (size_t)p->live.contacts * sizeof *force);
        p->setup.forces += p->live.contacts;
    }
    p->setup.force = force;
    return SOA_OK;
}

/* ---- controllers ---------------------------------------------------------------------------------------- */

/* Links whose joints can hold themselves, those with one coordinate; their targets. Returns how many. */
static int holders(page *p)
{
    static const double start = 0.0;
    int count = 0;
    for (int k = 0; k < soa_model_bodies(p->model); k++) {
        const soa_body body = soa_model_body(p->model, k);
        if (body.nq == 1 && !body.flexible) {
            p->live.goal[count] = (soa_path){ { 1, &start, &p->number[PAGE_GOAL][count] }, SOA_TIMING_LINEAR };
            p->live.link[count++] = body.link;
        }
    }
    return count;
}

/* Behind the controllers of the scenario: joints that are held at PAGE_GOAL with PAGE_KP and PAGE_KD, which may change
 * while it runs; their weight taken; the mouse. */
soa_status page_add_controllers(page *p, int options)
{
    page_live *live = &p->live;
    const size_t before = (size_t)p->setup.controllers, bodies = (size_t)soa_model_bodies(p->model);
    live->controller = calloc(before + 3, sizeof *live->controller);
    live->goal = calloc(bodies + 1, sizeof *live->goal);
    live->link = calloc(bodies + 1, sizeof *live->link);
    if (!live->controller || !live->goal || !live->link) {
        return SOA_E_MEMORY;
    }
    if (before > 0) {
        memcpy(live->controller, p->setup.controller, before * sizeof *live->controller);
    }
    const int joints = holders(p);
    soa_controller *to = live->controller + before;
    if (options & PAGE_HOLD && joints > 0) {
        *to++ = (soa_controller){ .name = "hold",
            .kind = SOA_CONTROL_PD,
            .joints = joints,
            .link = live->link,
            .kp = p->number[PAGE_KP],
            .kd = p->number[PAGE_KD],
            .reference = live->goal };
    }
    if (options & PAGE_WEIGHT && joints > 0) {
        *to++ = (soa_controller){ .name = "weight", .kind = SOA_CONTROL_GRAVITY, .joints = joints, .link = live->link };
    }
    if (options & PAGE_MOUSE) {
        *to++ = (soa_controller){
            .name = "mouse", .kind = SOA_CONTROL_CALLBACK, .function = page_drag_force, .context = p
        };
    }
    p->setup.controller = live->controller;
    p->setup.controllers = (int)(to - live->controller);
    return SOA_OK;
}

/* Gains that give each joint alone the frequency (Hz) and the damping ratio, by the diagonal of the mass matrix at q; targets
 * where the joints are. */
int PAGE(page_tune)(double frequency, double ratio)
{
    page *p = &the_page;
    const int nv = soa_model_nv(p->model);
    const double w = 6.283185307179586 * frequency;
    double *mass = calloc((size_t)nv * (size_t)nv + 1, sizeof *mass);
    soa_status status =
        mass ? soa_mass_matrix(p->model, p->workspace, 1, p->number[PAGE_Q], mass, &p->error) : SOA_E_MEMORY;
    int count = 0;
    for (int k = 0; status == SOA_OK && k < soa_model_bodies(p->model); k++) {
        const soa_body body = soa_model_body(p->model, k);
        if (body.nq == 1 && !body.flexible) {
            const double inertia = mass[body.v * (nv + 1)];
            p->number[PAGE_KP][count] = w * w * inertia;
            p->number[PAGE_KD][count] = 2.0 * ratio * w * inertia;
            p->number[PAGE_GOAL][count++] = p->number[PAGE_Q][body.q];
        }
    }
    free(mass);
    return status == SOA_E_MEMORY ? page_fail("out of memory") : page_end(status);
}

/* The mass matrix at q, for models that the language refuses: nv x nv. NULL after a failure. */
int PAGE(page_mass)(void)
{
    page *p = &the_page;
    const int nv = soa_model_nv(p->model);
    page_writer w = { 0 };
    double *mass = calloc((size_t)nv * (size_t)nv + 1, sizeof *mass);
    const soa_status status =
        mass ? soa_mass_matrix(p->model, p->workspace, 1, p->number[PAGE_Q], mass, &p->error) : SOA_E_MEMORY;
    if (status == SOA_OK) {
        page_write_numbers(&w, nv * nv, mass);
    }
    free(mass);
    return status == SOA_OK ? page_give(&w) : status == SOA_E_MEMORY ? page_fail("out of memory") : page_end(status);
}

/* States that the library computes at a time. */
int PAGE(page_lanes)(void)
{
    return soa_workspace_lanes(the_page.workspace);
}
