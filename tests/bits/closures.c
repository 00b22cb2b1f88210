/* tests/bits/closures.c - closed systems: random trees joined by closures of every kind, and the hexapod. */
#include "bits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYSTEMS = 3, POINTS = 2 };

typedef struct closed_system {
    char name[32];
    unsigned long long seed;
    int systems, nq, nv, rows, system, link; /* system and link: one that is closed */
    soa_model *model[SYSTEMS];
    soa_closures *set;
    double *q, *v, *T, *f, *y; /* y: for outputs, room enough */
    soa_closed_point point[POINTS];
} closed_system;

static int some_of(closed_system *c, int n)
{
    return (int)((soa_model_random_number(&c->seed) + 1.0) / 2.0 * n);
}

/* ---- making them -------------------------------------------------------------------------------------- */

static void make_set(closed_system *c)
{
    const soa_model *model[SYSTEMS];
    memcpy(model, c->model, sizeof model);
    if (soa_closures_new(c->systems, model, NULL, NULL, &c->set, NULL) != SOA_OK) {
        bits_fail("out of memory");
    }
    c->nq = soa_closures_nq(c->set);
    c->nv = soa_closures_nv(c->set);
}

/* Tries a closure of the kind between random links; they may be ones that cannot move apart. */
static void add_kind(closed_system *c, soa_closure_kind kind)
{
    soa_status status = SOA_E_CLOSURE;
    for (int tries = 0; tries < 20 && status != SOA_OK; tries++) {
        const int a = some_of(c, c->systems), b = some_of(c, c->systems);
        const int link_b = some_of(c, soa_model_links(c->model[b]) + 1) - 1;
        const int link_a = some_of(c, soa_model_links(c->model[a]));
        soa_closure x = soa_closure_default("loop", kind, link_a, link_b);
        x.at_a = bits_pose(&c->seed, 0.3);
        x.at_b = bits_pose(&c->seed, 0.3);
        x.distance = 0.4, x.friction = 0.5, x.slip[0] = 1.0;
        x.rows = 1 + some_of(c, 6);
        bits_random(&c->seed, 36, &x.Q[0][0]);
        int index = -1;
        status = soa_closure_add(c->set, &x, a, b, &index, NULL);
        if (status == SOA_OK) {
            double motion[18];
            bits_random(&c->seed, 18, motion);
            (void)soa_closure_set_motion(c->set, index, motion, motion + 6, motion + 12, NULL);
            c->system = a, c->link = x.a;
        }
    }
}

/* A random state of all systems, and room for outputs. */
static void make_state(closed_system *c)
{
    int bodies = 0, links = 0;
    c->rows = soa_closures_rows(c->set);
    c->q = bits_numbers((size_t)c->nq);
    for (int s = 0, q = 0; s < c->systems; q += soa_model_nq(c->model[s]), s++) {
        soa_random_configuration(c->model[s], &c->seed, c->q + q);
        bodies += soa_model_bodies(c->model[s]);
        links += soa_model_links(c->model[s]);
    }
    c->v = bits_numbers((size_t)c->nv), c->T = bits_numbers((size_t)c->nv), c->f = bits_numbers(6 * (size_t)bodies);
    bits_random(&c->seed, (size_t)c->nv, c->v);
    bits_random(&c->seed, (size_t)c->nv, c->T);
    bits_random(&c->seed, 6 * (size_t)bodies, c->f);
    for (int i = 0; i < POINTS; i++) {
        c->point[i].system = some_of(c, c->systems);
        bits_points(c->model[c->point[i].system], &c->seed, 1, &c->point[i].point);
    }
    c->y = bits_numbers((size_t)(c->nv + c->rows) * (size_t)(20 * c->nv + 10 * links + 6 * bodies + 100) + 1000);
}

static void closed_free(closed_system *c)
{
    soa_closures_free(c->set);
    for (int s = 0; s < c->systems; s++) {
        soa_model_free(c->model[s]);
    }
    free(c->q);
    free(c->v);
    free(c->T);
    free(c->f);
    free(c->y);
}

/* ---- rows ------------------------------------------------------------------------------------------------ */

static void row(const closed_system *c, const char *algorithm, soa_status status, int n, const double *y)
{
    print_single(c->name, algorithm, status, hash_numbers(hash_begin(status), (size_t)n, y));
}

static void kinematics_rows(closed_system *c)
{
    const int matrix = c->rows * c->nv;
    double *y = c->y;
    row(c, "closure_violation", soa_closure_violation(c->set, 1, c->q, c->v, y, y + c->rows, NULL), 2 * c->rows, y);
    row(c, "closure_jacobian", soa_closure_jacobian(c->set, 1, c->q, y, NULL), matrix, y);
    row(c, "closure_jacobian_rate", soa_closure_jacobian_rate(c->set, 1, c->q, c->v, y, NULL), matrix, y);
    row(c, "closure_bias", soa_closure_bias(c->set, 1, c->q, c->v, y, NULL), c->rows, y);
    for (int metric = SOA_METRIC_MASS; metric <= SOA_METRIC_IDENTITY; metric++) {
        soa_projection projection;
        memcpy(y, c->q, (size_t)c->nq * sizeof *y);
        memcpy(y + c->nq, c->v, (size_t)c->nv * sizeof *y);
        row(c, metric == SOA_METRIC_MASS ? "closure_project" : "closure_project [identity]",
            soa_closure_project(c->set, (soa_metric)metric, 0.0, 1, y, y + c->nq, &projection, NULL), c->nq + c->nv, y);
        memcpy(y, c->v, (size_t)c->nv * sizeof *y);
        row(c, metric == SOA_METRIC_MASS ? "closure_project_velocity" : "closure_project_velocity [identity]",
            soa_closure_project_velocity(c->set, (soa_metric)metric, 1, c->q, y, &projection, NULL), c->nv, y);
    }
}

static void dynamics_rows(closed_system *c)
{
    double *y = c->y, *lambda = y + 2 * c->nv;
    soa_closed closed;
    soa_status status = soa_closed_forward_dynamics(c->set, 1, c->q, c->v, c->T, c->f, y, NULL, &closed, NULL);
    memcpy(y + c->nv, soa_closure_multipliers(c->set), (size_t)c->rows * sizeof *y);
    row(c, "closed_forward_dynamics", status, c->nv + c->rows, y);
    memcpy(lambda, y + c->nv, (size_t)c->rows * sizeof *y);
    double *split = lambda + c->rows, wrench[6];
    status = soa_grasp_split(c->set, c->system, c->link, 1, c->q, NULL, lambda, split, split + c->rows, wrench, NULL);
    row(c, "grasp_split", status, 2 * c->rows, split);
    status = soa_grasp_balance(c->set, c->system, c->link, 1, c->q, NULL, c->f, split, NULL);
    row(c, "grasp_balance", status, c->rows, split);
    bool holds = false;
    status = soa_force_closure(c->set, c->system, c->link, 8, 1, c->q, &holds, split, NULL);
    row(c, "force_closure", status, c->rows, split);
    status = soa_closed_inverse_dynamics(c->set, 1, c->q, c->v, y, c->f, NULL, lambda, NULL, NULL);
    row(c, "closed_inverse_dynamics", status, c->nv, lambda);
    status = soa_closed_forward_dynamics(c->set, 1, c->q, NULL, c->T, NULL, y, NULL, &closed, NULL);
    row(c, "closed_forward_dynamics [rest]", status, c->nv, y);
    const int square = 36 * POINTS * POINTS;
    status = soa_closed_operational_inertia(c->set, POINTS, c->point, 1, c->q, y, y + square, NULL);
    row(c, "closed_operational_inertia", status, 2 * square, y);
}

static void partition_row(closed_system *c)
{
    soa_partition *partition = NULL;
    soa_status status = soa_partition_new(c->set, &partition, NULL);
    soa_closed closed;
    const double *q = c->q, *v = c->v, *T = c->T, *f = c->f;
    for (int s = 0; status == SOA_OK && s < c->systems; s++) {
        status = soa_partition_system(partition, s, q, v, T, f, NULL);
        q += soa_model_nq(c->model[s]), v += soa_model_nv(c->model[s]);
        T += soa_model_nv(c->model[s]), f += 6 * soa_model_bodies(c->model[s]);
    }
    status = status == SOA_OK ? soa_partition_closures(partition, &closed, NULL) : status;
    double *y = c->y;
    for (int s = 0; status == SOA_OK && s < c->systems; y += soa_model_nv(c->model[s]), s++) {
        status = soa_partition_correct(partition, s, y, NULL);
    }
    row(c, "partition", status, c->nv, c->y);
    soa_partition_free(partition);
}

/* Lays out an output of n numbers and returns where it begins. */
static double *place(double **y, int n)
{
    double *at = *y;
    *y += n;
    return at;
}

static void derivative_rows(closed_system *c)
{
    double *y = c->y;
    (void)soa_closures_reserve_derivatives(c->set, NULL);
    const int nv = c->nv, rows = c->rows;
    int links = 0, bodies = 0;
    for (int s = 0; s < c->systems; s++) {
        links += soa_model_links(c->model[s]);
        bodies += soa_model_bodies(c->model[s]);
    }
    soa_closed_derivatives d = { .points = POINTS, .point = c->point };
    d.vdot_q = place(&y, nv * nv), d.lambda_q = place(&y, rows * nv);
    d.vdot_v = place(&y, nv * nv), d.lambda_v = place(&y, rows * nv);
    d.vdot_T = place(&y, nv * nv), d.lambda_T = place(&y, rows * nv);
    d.vdot_g = place(&y, nv * 3), d.lambda_g = place(&y, rows * 3);
    d.vdot_parameters = place(&y, nv * 10 * links), d.lambda_parameters = place(&y, rows * 10 * links);
    d.vdot_placement = place(&y, nv * 6 * bodies), d.lambda_placement = place(&y, rows * 6 * bodies);
    d.vdot_f = place(&y, nv * 6 * POINTS), d.lambda_f = place(&y, rows * 6 * POINTS);
    soa_status status = soa_closed_forward_dynamics_derivatives(c->set, 1, c->q, c->v, c->T, c->f, &d, NULL);
    row(c, "closed_forward_dynamics_derivatives", status, (int)(y - c->y), c->y);
    y = c->y;
    double *A = place(&y, 4 * nv * nv), *B = place(&y, 2 * nv * nv), *C = place(&y, 6 * nv * nv);
    double *D = place(&y, 3 * nv * nv);
    status = soa_closed_linear_model(c->set, 1, c->q, c->v, c->T, c->f, A, B, C, D, NULL);
    row(c, "closed_linear_model", status, (int)(y - c->y), c->y);
}

static void rows_of(closed_system *c)
{
    make_state(c);
    kinematics_rows(c);
    dynamics_rows(c);
    partition_row(c);
    derivative_rows(c);
    closed_free(c);
}

/* Two arms that hold one object, by every method. */
static void grasp_rows(void)
{
    soa_model *m = bits_model("dual-arm");
    soa_workspace *w = NULL;
    unsigned long long seed = 21;
    const int nv = soa_model_nv(m);
    const soa_point tip[2] = { { 7, soa_pose_identity() }, { 14, soa_pose_identity() } };
    double *q = bits_numbers((size_t)nv), *y = bits_numbers((size_t)(3 * nv) + 12);
    (void)soa_workspace_new(m, NULL, &w, NULL);
    (void)soa_workspace_reserve_grasp(w, 2, NULL);
    soa_random_configuration(m, &seed, q);
    bits_random(&seed, (size_t)(2 * nv), y);
    const soa_object object = { { 2.0, { 0.1, 0.0, 0.2 }, { 0.1, 0.0, 0.0, 0.2, 0.0, 0.3 } }, bits_pose(&seed, 1.0),
        { 0.1 } };
    const soa_grasp grasp = { .tips = 2, .tip = tip, .object = &object };
    for (int method = SOA_RCCFD1; method <= SOA_RCCFD3; method++) {
        char name[40];
        double acceleration[6];
        const soa_grasp_motion motion = { y + 2 * nv, y + 3 * nv, acceleration };
        const soa_status status =
            soa_grasp_forward_dynamics(m, w, (soa_grasp_method)method, &grasp, 1, q, y, y + nv, &motion, NULL);
        (void)snprintf(name, sizeof name, "grasp_forward_dynamics [%d]", method - SOA_RCCFD1 + 1);
        const hash h = hash_numbers(hash_begin(status), (size_t)nv + 12, y + 2 * nv);
        print_single("dual-arm", name, status, hash_numbers(h, 6, acceleration));
    }
    soa_workspace_free(w);
    soa_model_free(m);
    free(q);
    free(y);
}

void bits_closures(void)
{
    closed_system hexapod = { .name = "hexapod", .seed = 20, .systems = 1, .model = { bits_model("hexapod") } };
    make_set(&hexapod);
    rows_of(&hexapod);
    grasp_rows();
    for (int n = 0; n < 2 * SOA_CLOSURE_KINDS; n++) {
        closed_system c = { .seed = 300 + (unsigned)n, .systems = 1 + n % SYSTEMS };
        (void)snprintf(c.name, sizeof c.name, "closed:%d", n);
        for (int s = 0; s < c.systems; s++) {
            char name[32];
            const int seed = 1 + some_of(&c, 1000), bodies = 3 + some_of(&c, 12 / c.systems);
            (void)snprintf(name, sizeof name, "tree:%d,%d", bodies, seed);
            c.model[s] = bits_model(name);
        }
        make_set(&c);
        add_kind(&c, (soa_closure_kind)(n % SOA_CLOSURE_KINDS));
        if (n >= SOA_CLOSURE_KINDS) {
            add_kind(&c, (soa_closure_kind)((n + 1) % SOA_CLOSURE_KINDS));
        }
        rows_of(&c);
    }
}
