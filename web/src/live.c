/* live.c - the simulation on the page: started from the state that is shown,
 * advanced frame by frame. */
#include <stdlib.h>
#include <string.h>

#include "page.h"

/* How a model without a scenario is integrated. Without ground and bending frames of any length give the same motion to
 * 1e-10. Contacts are stiff and modes ring fast: there an eye sees less than the tolerance. */
static void choose_method(page *p)
{
    bool flexible = false;
    for (int k = 0; k < soa_model_bodies(p->model); k++) {
        flexible = flexible || soa_model_body(p->model, k).flexible;
    }
    p->setup.method = p->live.contacts > 0 ? SOA_RK45 : SOA_RK853;
    p->setup.rtol = p->live.contacts > 0 ? 1e-4 : flexible ? 1e-6 : 1e-10;
    p->setup.atol = p->live.contacts > 0 ? 1e-5 : flexible ? 1e-9 : 1e-12;
}

/* From the state that is shown. options: bits of PAGE_MOUSE (links may be pulled), PAGE_HOLD, PAGE_WEIGHT. Without them, ground
 * and damping the simulation is that of `soa sim`. */
int PAGE(page_sim_start)(double damping, int options)
{
    page *p = &the_page;
    page_sim_forget();
    p->setup = p->scenario ? *soa_scenario_setup(p->scenario) : soa_sim_setup_default();
    if (!p->scenario) {
        choose_method(p);
    }
    p->setup.q = p->number[PAGE_Q];
    p->setup.v = p->number[PAGE_V];
    p->setup.consistent = true;
    soa_status status = page_add_forces(p, damping);
    if (status == SOA_OK) {
        status = page_add_controllers(p, options);
    }
    if (status == SOA_OK) {
        status = soa_sim_new(p->model, &p->setup, NULL, &p->sim, &p->error);
    }
    return status == SOA_E_MEMORY ? page_fail("out of memory") : page_end(status);
}

/* The integrator that a simulation would have, as a scenario says it. */
int PAGE(page_integrator)(void)
{
    page *p = &the_page;
    page_writer w = { 0 };
    if (!p->scenario) {
        choose_method(p);
    }
    page_write(
        &w, "{method: %s, rtol: %g, atol: %g}", soa_sim_method_text(p->setup.method), p->setup.rtol, p->setup.atol);
    return page_give(&w);
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

/* ---- loads ------------------------------------------------------------------------------------------- */

static void put_load(page *p, int number, const double point[3], const double wrench[6], bool contact)
{
    double *to = p->number[PAGE_LOAD] + 10 * number;
    memcpy(to, point, 3 * sizeof(double));
    memcpy(to + 3, wrench, 6 * sizeof(double));
    to[9] = contact ? 1.0 : 0.0;
}

/* Where the force F of a wrench (N; F) at x meets the plane z = floor: x + F x N / F.F, moved along F. */
static void on_the_ground(const double x[3], const double w[6], double floor, double point[3])
{
    const double *N = w, *F = w + 3, square = F[0] * F[0] + F[1] * F[1] + F[2] * F[2];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        point[i] = x[i] + (F[j] * N[k] - F[k] * N[j]) / square;
    }
    const double along = F[2] != 0.0 ? (floor - point[2]) / F[2] : 0.0;
    for (int i = 0; i < 3; i++) {
        point[i] += along * F[i];
    }
}

/* Contacts that press: where, and with which wrench on a. Returns how many loads there are after `written`. */
static int contact_loads(page *p, int written)
{
    soa_forces *set = soa_sim_forces(p->sim);
    const int count = soa_forces_count(set), nv = soa_model_nv(p->model), bodies = soa_model_bodies(p->model);
    double *wrench = calloc(6 * (size_t)count + (size_t)nv + 6 * (size_t)bodies + 1, sizeof *wrench);
    double *T = wrench + 6 * (size_t)count, *f = T + nv, pose[12], point[3];
    const soa_force_report report = { .wrench = wrench };
    const bool known = wrench && soa_forces_apply(set, soa_sim_time(p->sim), p->number[PAGE_Q], p->number[PAGE_V], T, f,
                                     &report, NULL) == SOA_OK;
    for (int i = 0; known && i < count && written < PAGE_LOADS; i++) {
        const soa_force *element = soa_forces_get(set, i);
        const double *w = wrench + 6 * i;
        if (element->kind == SOA_FORCE_CONTACT && (w[3] != 0.0 || w[4] != 0.0 || w[5] != 0.0) &&
            soa_point_kinematics(p->model, p->workspace, 1, &element->a, 1, p->number[PAGE_Q], NULL, NULL, pose, NULL,
                NULL, NULL) == SOA_OK) {
            memcpy(point, pose + 9, sizeof point);
            if (element->b.link == SOA_WORLD && !element->field) {
                on_the_ground(pose + 9, w, element->b.at.position[2], point);
            }
            put_load(p, written++, point, w, true);
        }
    }
    free(wrench);
    return written;
}

/* Where closures (and contacts) act and with which wrench, at q and v without joint forces, or as the simulation has it.
 * Returns how many are written to PAGE_LOAD, -1 after a failure. */
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
        soa_closed_forward_dynamics(
            set, 1, p->number[PAGE_Q], p->number[PAGE_V], NULL, NULL, vdot, NULL, NULL, &p->error) != SOA_OK) {
        free(vdot);
        page_end(p->error.status);
        return -1;
    }
    for (int i = 0; i < soa_closures_count(set) && written < PAGE_LOADS; i++) {
        soa_closure_load load;
        if (soa_closure_get(set, i) && soa_closure_rows(set, i) > 0 &&
            soa_closure_force(set, i, &load, NULL) == SOA_OK) {
            put_load(p, written++, load.point, load.wrench_on_a, false);
        }
    }
    free(vdot);
    return p->sim ? contact_loads(p, written) : written;
}
