/* live.c - the simulation on the page: started from the state that is shown,
 * advanced frame by frame. */
#include <stdlib.h>
#include <string.h>

#include "page.h"

void page_sim_forget(void)
{
    page *p = &the_page;
    soa_sim_free(p->sim);
    free(p->force);
    free(p->controller);
    p->sim = NULL;
    p->force = NULL;
    p->controller = NULL;
}

/* A damper at every joint, beside what the scenario has. */
static soa_status add_dampers(page *p, double damping)
{
    const int bodies = soa_model_bodies(p->model);
    const int before = p->setup.forces;
    p->force = calloc((size_t)(before + bodies) + 1, sizeof *p->force);
    if (!p->force) {
        return SOA_E_MEMORY;
    }
    if (before > 0) {
        memcpy(p->force, p->setup.force, (size_t)before * sizeof *p->force);
    }
    for (int k = 0; k < bodies && damping > 0.0; k++) {
        soa_force *damper = &p->force[p->setup.forces++];
        *damper = soa_force_default(NULL, SOA_FORCE_JOINT_DAMPER);
        damper->link = soa_model_body(p->model, k).link;
        damper->damping = damping;
    }
    p->setup.force = p->force;
    return SOA_OK;
}

/* The mouse, behind the controllers of the scenario. */
static soa_status add_mouse(page *p)
{
    const int before = p->setup.controllers;
    p->controller = calloc((size_t)before + 1, sizeof *p->controller);
    if (!p->controller) {
        return SOA_E_MEMORY;
    }
    if (before > 0) {
        memcpy(p->controller, p->setup.controller, (size_t)before * sizeof *p->controller);
    }
    p->controller[before] =
        (soa_controller){ .name = "mouse", .kind = SOA_CONTROL_CALLBACK, .function = page_drag_force, .context = p };
    p->setup.controllers++;
    p->setup.controller = p->controller;
    return SOA_OK;
}

/* From the state that is shown. mouse: links may be pulled; without it, and
 * without damping, the simulation is that of `soa sim`. */
int PAGE(page_sim_start)(double damping, int mouse)
{
    page *p = &the_page;
    page_sim_forget();
    p->setup = p->scenario ? *soa_scenario_setup(p->scenario) : soa_sim_setup_default();
    if (!p->scenario) { /* as the scenario says that the page exports: frames of
                         any length give the same motion to 1e-10 */
        p->setup.method = SOA_RK853;
        p->setup.rtol = 1e-10;
        p->setup.atol = 1e-12;
    }
    p->setup.q = p->number[PAGE_Q];
    p->setup.v = p->number[PAGE_V];
    p->setup.consistent = true;
    soa_status status = add_dampers(p, damping);
    if (status == SOA_OK && mouse) {
        status = add_mouse(p);
    }
    if (status == SOA_OK) {
        status = soa_sim_new(p->model, &p->setup, NULL, &p->sim, &p->error);
    }
    return status == SOA_E_MEMORY ? page_fail("out of memory") : page_end(status);
}

int PAGE(page_sim_stop)(void)
{
    page_sim_forget();
    return 0;
}

/* Moves on to time t; q and v become those of the simulation. */
int PAGE(page_sim_advance)(double t)
{
    page *p = &the_page;
    if (!p->sim) {
        return page_fail("no simulation runs");
    }
    const soa_status status = soa_sim_advance(p->sim, t, &p->error);
    if (status == SOA_OK) {
        memcpy(p->number[PAGE_Q], soa_sim_q(p->sim), (size_t)soa_model_nq(p->model) * sizeof(double));
        memcpy(p->number[PAGE_V], soa_sim_v(p->sim), (size_t)soa_model_nv(p->model) * sizeof(double));
    }
    return page_end(status);
}

double PAGE(page_sim_time)(void)
{
    return the_page.sim ? soa_sim_time(the_page.sim) : 0.0;
}

int PAGE(page_sim_stopped)(void)
{
    return the_page.sim && soa_sim_stopped(the_page.sim);
}

double PAGE(page_duration)(void)
{
    return the_page.scenario ? soa_scenario_duration(the_page.scenario) : 0.0;
}

/* Names of all signals. */
int PAGE(page_signals)(void)
{
    page *p = &the_page;
    page_writer w = { 0 };
    page_write(&w, "[");
    for (int i = 0; p->sim && i < soa_sim_signals(p->sim); i++) {
        page_write(&w, i > 0 ? "," : "");
        page_write_string(&w, soa_sim_signal_name(p->sim, i));
    }
    page_write(&w, "]");
    return page_give(&w);
}

/* Their values now; NULL if that fails. */
const double *PAGE(page_signal_values)(void)
{
    page *p = &the_page;
    const double *values = p->sim ? soa_sim_signal_values(p->sim, &p->error) : NULL;
    if (!values) {
        page_end(p->sim ? p->error.status : SOA_E_ARGUMENT);
    }
    return values;
}

/* Contacts of the scenario that press: where, and with which wrench on a.
 * Returns how many there are after `written`. */
static int contact_loads(page *p, int written)
{
    soa_forces *set = soa_sim_forces(p->sim);
    const int count = soa_forces_count(set), nv = soa_model_nv(p->model), bodies = soa_model_bodies(p->model);
    double *wrench = calloc(6 * (size_t)count + (size_t)nv + 6 * (size_t)bodies + 1, sizeof *wrench);
    double *T = wrench + 6 * (size_t)count, *f = T + nv, pose[12];
    const soa_force_report report = { .wrench = wrench };
    const bool known = wrench && soa_forces_apply(set, soa_sim_time(p->sim), p->number[PAGE_Q], p->number[PAGE_V], T, f,
                                     &report, NULL) == SOA_OK;
    for (int i = 0; known && i < count && written < PAGE_CLOSURES; i++) {
        const soa_force *element = soa_forces_get(set, i);
        const double *w = wrench + 6 * i;
        if (element->kind == SOA_FORCE_CONTACT && (w[3] != 0.0 || w[4] != 0.0 || w[5] != 0.0) &&
            soa_point_kinematics(p->model, p->workspace, 1, &element->a, 1, p->number[PAGE_Q], NULL, NULL, pose, NULL,
                NULL, NULL) == SOA_OK) {
            double *to = p->number[PAGE_LOAD] + 9 * written++;
            memcpy(to, pose + 9, 3 * sizeof(double));
            memcpy(to + 3, w, 6 * sizeof(double));
        }
    }
    free(wrench);
    return written;
}

/* Where closures (and contacts of a scenario) act and with which wrench, at q
 * and v without joint forces, or as the simulation has it. Returns how many are
 * written to PAGE_LOAD, -1 after a failure. */
int PAGE(page_loads)(void)
{
    page *p = &the_page;
    soa_closures *set = p->sim ? soa_sim_closures(p->sim) : p->closures;
    double *vdot = calloc((size_t)soa_model_nv(p->model) + 1, sizeof *vdot);
    int written = 0;
    if (!vdot || !set || soa_closures_rows(set) == 0) {
        free(vdot);
        return p->sim ? contact_loads(p, 0) : 0;
    }
    if (!p->sim && /* a simulation has just been asked for its signals */
        soa_closed_forward_dynamics(set, p->number[PAGE_Q], p->number[PAGE_V], NULL, NULL, vdot, NULL, &p->error) !=
            SOA_OK) {
        free(vdot);
        page_end(p->error.status);
        return -1;
    }
    for (int i = 0; i < soa_closures_count(set) && written < PAGE_CLOSURES; i++) {
        soa_closure_load load;
        if (soa_closure_get(set, i) && soa_closure_rows(set, i) > 0 &&
            soa_closure_force(set, i, &load, NULL) == SOA_OK) {
            double *to = p->number[PAGE_LOAD] + 9 * written++;
            memcpy(to, load.point, 3 * sizeof(double));
            memcpy(to + 3, load.wrench_on_a, 6 * sizeof(double));
        }
    }
    free(vdot);
    return p->sim ? contact_loads(p, written) : written;
}
