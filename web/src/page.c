/* page.c - the model on the page and its state: loading, poses, loops kept closed. */
#include "page.h"

#include <stdlib.h>
#include <string.h>

page the_page = { .dragged = SOA_NONE };

/* ---- messages ------------------------------------------------------------------------ */

int page_end(soa_status status)
{
    page *p = &the_page;
    if (status == SOA_OK) {
        return 0;
    }
    soa_error_message(&p->error, p->message, sizeof p->message);
    return 1;
}

int page_fail(const char *text)
{
    page *p = &the_page;
    strncpy(p->message, text, sizeof p->message - 1);
    return 1;
}

const char *PAGE(page_message)(void)
{
    return the_page.message;
}

const char *PAGE(page_text)(void)
{
    return the_page.text;
}

/* ---- loading ---------------------------------------------------------------------------- */

/* What make_tools makes. */
static void free_tools(page *p)
{
    soa_closures_free(p->closures);
    soa_forces_free(p->forces);
    free(p->stored);
    soa_workspace_free(p->workspace);
    soa_workspace_free(p->aux);
    p->closures = NULL;
    p->forces = NULL;
    p->stored = NULL;
    p->workspace = p->aux = NULL;
}

static void forget(void)
{
    page *p = &the_page;
    page_sim_forget();
    page_contacts_forget();
    free_tools(p);
    soa_scenario_free(p->scenario);
    soa_model_free(p->own);
    for (int i = 0; i < PAGE_ARRAYS; i++) {
        free(p->number[i]);
    }
    free(p->jacobian);
    free(p->point);
    char *text = p->text;
    *p = (page){ .dragged = SOA_NONE, .text = text };
}

static soa_status make_arrays(page *p)
{
#define PAGE_ARRAY_MAKE(name, count) p->number[PAGE_##name] = calloc((size_t)(count) + 1, sizeof(double));
    PAGE_ARRAY_LIST(PAGE_ARRAY_MAKE)
#undef PAGE_ARRAY_MAKE
    p->jacobian = calloc(6 * (size_t)soa_model_nv(p->model) + 1, sizeof(double));
    for (int i = 0; i < PAGE_ARRAYS; i++) {
        if (!p->number[i] || !p->jacobian) {
            p->error.status = SOA_E_MEMORY;
            strcpy(p->error.text, "out of memory");
            return SOA_E_MEMORY;
        }
    }
    return SOA_OK;
}

/* Workspaces and closures for the model. */
static soa_status make_tools(page *p)
{
    soa_status status = soa_workspace_new(p->model, NULL, &p->workspace, &p->error);
    if (status == SOA_OK) {
        status = soa_workspace_new(p->model, NULL, &p->aux, &p->error);
    }
    if (status == SOA_OK) {
        status = soa_closures_new(1, &p->model, NULL, NULL, &p->closures, &p->error);
    }
    if (status == SOA_OK) {
        status = page_forces_make(p);
    }
    free(p->point);
    return status == SOA_OK ? page_points_make(p) : status;
}

static void first_state(page *p)
{
    const soa_configuration *first = soa_model_configuration(p->model, 0);
    const soa_sim_setup *setup = p->scenario ? soa_scenario_setup(p->scenario) : NULL;
    soa_model_neutral(p->model, p->number[PAGE_Q]);
    if (setup && setup->q) {
        memcpy(p->number[PAGE_Q], setup->q, (size_t)soa_model_nq(p->model) * sizeof(double));
    } else if (first) {
        memcpy(p->number[PAGE_Q], first->q, (size_t)soa_model_nq(p->model) * sizeof(double));
    }
    if (setup && setup->v) {
        memcpy(p->number[PAGE_V], setup->v, (size_t)soa_model_nv(p->model) * sizeof(double));
    }
}

/* A model by path or "builtin:NAME", or a scenario. The page keeps what it had if that fails. */
int PAGE(page_load)(const char *path, int is_scenario)
{
    page fresh = { .dragged = SOA_NONE };
    soa_error_clear(&the_page.error);
    soa_status status;
    if (is_scenario) {
        status = soa_scenario_load(path, NULL, &fresh.scenario, &the_page.error);
        fresh.model = status == SOA_OK ? soa_scenario_model(fresh.scenario) : NULL;
    } else {
        status = strncmp(path, "builtin:", 8) == 0 ? soa_model_builtin(path + 8, NULL, &fresh.own, &the_page.error)
                                                   : soa_load(path, NULL, &fresh.own, &the_page.error);
        fresh.model = fresh.own;
    }
    if (status != SOA_OK) {
        return page_end(status);
    }
    forget();
    the_page.model = fresh.model;
    the_page.own = fresh.own;
    the_page.scenario = fresh.scenario;
    status = make_arrays(&the_page);
    if (status == SOA_OK) {
        status = make_tools(&the_page);
    }
    if (status == SOA_OK) {
        first_state(&the_page);
    }
    return page_end(status);
}

/* The same model with another gravity. */
int PAGE(page_gravity)(double x, double y, double z)
{
    page *p = &the_page;
    soa_model *other = NULL;
    soa_status status = soa_model_with_gravity(p->model, (double[]){ x, y, z }, &other, &p->error);
    if (status != SOA_OK || p->scenario) {
        soa_model_free(other);
        return status != SOA_OK ? page_end(status) : page_fail("a scenario keeps its gravity");
    }
    page_sim_forget();
    free_tools(p);
    soa_model_free(p->own);
    p->model = p->own = other;
    return page_end(make_tools(p));
}

double *PAGE(page_numbers)(int array)
{
    return array >= 0 && array < PAGE_ARRAYS ? the_page.number[array] : NULL;
}

/* ---- the state ---------------------------------------------------------------------------- */

/* Poses of all links, centre of mass and energy at q and v. */
int PAGE(page_update)(void)
{
    page *p = &the_page;
    double *const *n = p->number;
    const double *q = page_drawn(p);
    soa_status status = soa_kinematics(p->model, p->workspace, 1, q, NULL, NULL, n[PAGE_POSE], NULL, NULL, &p->error);
    if (status == SOA_OK) {
        status = page_points_update(p, q);
    }
    if (status == SOA_OK && soa_model_bodies(p->model) > 0) {
        status = soa_energy(p->model, p->workspace, 1, n[PAGE_Q], n[PAGE_V], n[PAGE_ENERGY], &p->error);
        if (status == SOA_OK) {
            status = page_forces_update(p);
        }
        if (soa_momentum(p->model, p->workspace, 1, n[PAGE_Q], n[PAGE_V], n[PAGE_COM], NULL, NULL) != SOA_OK) {
            memset(n[PAGE_COM], 0, 12 * sizeof(double)); /* nothing that moves has mass */
        }
    }
    return page_end(status);
}

int PAGE(page_neutral)(void)
{
    page *p = &the_page;
    soa_model_neutral(p->model, p->number[PAGE_Q]);
    memset(p->number[PAGE_V], 0, (size_t)soa_model_nv(p->model) * sizeof(double));
    return 0;
}

int PAGE(page_random)(double seed)
{
    page *p = &the_page;
    unsigned long long state = (unsigned long long)seed;
    soa_random_configuration(p->model, &state, p->number[PAGE_Q]);
    return 0;
}

/* q moved along v of one velocity: sliders of joints whose q is a quaternion. */
int PAGE(page_nudge)(int velocity, double amount)
{
    page *p = &the_page;
    double *v = calloc((size_t)soa_model_nv(p->model) + 1, sizeof *v);
    if (!v || velocity < 0 || velocity >= soa_model_nv(p->model)) {
        free(v);
        return page_fail("there is no such velocity");
    }
    v[velocity] = 1.0;
    soa_integrate(p->model, p->number[PAGE_Q], v, amount, p->number[PAGE_Q]);
    free(v);
    return 0;
}

/* ---- loops --------------------------------------------------------------------------------- */

int page_project_added(page *p, int added)
{
    const size_t bytes = (size_t)soa_model_nq(p->model) * sizeof(double);
    double *before = malloc(bytes + 1);
    soa_status status = SOA_E_MEMORY;
    if (before) {
        memcpy(before, p->number[PAGE_Q], bytes);
        if (p->dragged == SOA_NONE) { /* the mouse may bend what it pulls */
            page_close_by_joints(p);
        }
        status =
            soa_closure_project(p->closures, SOA_METRIC_IDENTITY, 1e-11, 1, p->number[PAGE_Q], NULL, NULL, &p->error);
        if (status != SOA_OK) {
            memcpy(p->number[PAGE_Q], before, bytes);
        }
    }
    free(before);
    if (added >= 0) {
        soa_closure_remove(p->closures, added, NULL);
    }
    return page_end(status);
}

int PAGE(page_project)(void)
{
    return soa_closures_rows(the_page.closures) > 0 ? page_project_added(&the_page, -1) : 0;
}

/* Sets a coordinate of a body's joint, or of its modes, and moves the others so that the loops stay closed; coordinates that
 * couplings determine follow. A joint with one coordinate is held meanwhile. */
int PAGE(page_set)(int number, int coordinate, double value)
{
    page *p = &the_page;
    const soa_body body = soa_model_body(p->model, number);
    if (body.link < 0 || coordinate < 0 || coordinate >= body.nq) {
        return page_fail("there is no such coordinate");
    }
    double *q = &p->number[PAGE_Q][body.q + coordinate];
    const double before = *q;
    *q = value;
    if (soa_closures_rows(p->closures) == 0) {
        return 0;
    }
    int added = -1;
    if (body.nq == 1 && !body.flexible) {
        const soa_coupling hold = { .link = body.link, .driver = -1, .coefficient = { value } };
        const soa_status status = soa_closure_add_coupling(p->closures, &hold, 0, 0, &added, &p->error);
        if (status != SOA_OK) {
            return page_end(status);
        }
    }
    const int failed = page_project_added(p, added);
    if (failed) {
        *q = before;
    }
    return failed;
}
