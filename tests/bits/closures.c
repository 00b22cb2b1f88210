/* tests/bits/closures.c - closed systems: random trees and flexible links joined by closures of every kind, the hexapod, and
 * ladders, whose rows depend on each other. */
#include "bits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYSTEMS = 3, POINTS = 2, STATES = 2 };

typedef struct closed_system {
    char name[32];
    unsigned long long seed;
    int systems, nq, nv, rows, system, link; /* system and link: one that is closed */
    soa_model *model[SYSTEMS];
    soa_closures *set;
    bool bends;                /* it has flexible links */
    double near;               /* how far from neutral; 0: anywhere */
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
        const soa_flexible *bends = soa_model_link(c->model[a], link_a)->flexible;
        x.node_a = bends ? bends->nodes : SOA_LINK_FRAME;
        x.distance = 0.4, x.friction = 0.5, x.slip[0] = 1.0, x.slip[1] = -0.3, x.twist = some_of(c, 2) * 0.1;
        x.one_sided = (kind == SOA_CLOSE_RIGID || kind == SOA_CLOSE_LINE) && some_of(c, 2) == 1;
        x.nonholonomic = kind == SOA_CLOSE_GENERAL && some_of(c, 2) == 1;
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

/* Configurations of all systems: random ones or, if the models describe closures, near neutral and moved onto them. */
static void make_configurations(closed_system *c)
{
    for (int n = 0; n < STATES; n++) {
        double *q = c->q + n * c->nq, *v = c->v + n * c->nv;
        for (int s = 0; s < c->systems; q += soa_model_nq(c->model[s]), v += soa_model_nv(c->model[s]), s++) {
            soa_random_configuration(c->model[s], &c->seed, q);
            if (c->near > 0.0) {
                soa_model_neutral(c->model[s], q);
                soa_integrate(c->model[s], q, v, c->near, q);
            }
        }
        if (c->near > 0.0 && n > 0) {
            (void)soa_closure_project(c->set, SOA_METRIC_MASS, 0.0, 1, c->q + n * c->nq, c->v + n * c->nv, NULL, NULL);
        }
    }
}

/* Two states, and room for outputs. */
static void make_state(closed_system *c)
{
    int bodies = 0, links = 0;
    c->rows = soa_closures_rows(c->set);
    for (int s = 0; s < c->systems; s++) {
        bodies += soa_model_bodies(c->model[s]);
        links += soa_model_links(c->model[s]);
    }
    const size_t nv = STATES * (size_t)c->nv, forces = STATES * 6 * (size_t)bodies;
    c->q = bits_numbers(STATES * (size_t)c->nq);
    c->v = bits_numbers(nv), c->T = bits_numbers(nv), c->f = bits_numbers(forces);
    bits_random(&c->seed, nv, c->v);
    bits_random(&c->seed, nv, c->T);
    bits_random(&c->seed, forces, c->f);
    make_configurations(c);
    for (int i = 0; i < POINTS; i++) {
        c->point[i].system = some_of(c, c->systems);
        bits_points(c->model[c->point[i].system], &c->seed, 1, &c->point[i].point);
    }
    const int columns = 20 * c->nv + 10 * links + 6 * bodies + 100;
    const size_t room = STATES * (size_t)(c->nv + c->rows) * (size_t)columns + 2000;
    c->y = bits_numbers(room);
    bits_random(&c->seed, room, c->y); /* what is not written shows */
}

static void closed_free(closed_system *c)
{
    soa_closures_free(c->set);
    for (int s = 0; s < c->systems; s++) {
        soa_model_free(c->model[s]);
    }
    bits_free(c->q);
    bits_free(c->v);
    bits_free(c->T);
    bits_free(c->f);
    bits_free(c->y);
}

/* ---- rows ------------------------------------------------------------------------------------------------ */

static void print_closed(const closed_system *c, const char *algorithm, soa_status status, int n, const double *y)
{
    print_single(c->name, algorithm, status, hash_numbers(hash_begin(status), (size_t)n, y));
}

/* The call writes n numbers into y and none behind them. */
#define row(c, algorithm, call, n, y)                        \
    do {                                                     \
        double *const end = (y) + (n), was = bits_mark(end); \
        const soa_status said = (call);                      \
        bits_unmark(end, was);                               \
        print_closed(c, algorithm, said, n, y);              \
    } while (0)

static void projection_rows(closed_system *c, soa_metric metric)
{
    static const char *const NAME[2][3] = {
        { "closure_project", "closure_project_velocity", "closure_project_from" },
        { "closure_project [identity]", "closure_project_velocity [identity]", "closure_project_from [identity]" },
    };
    const char *const *name = NAME[metric == SOA_METRIC_IDENTITY];
    const size_t nq = STATES * (size_t)c->nq, nv = STATES * (size_t)c->nv;
    double *q = c->y, *v = q + nq, *told = v + nv;
    soa_projection x[STATES] = { { 0 } };
    for (int i = 0; i < 3; i++) {
        memcpy(q, c->q, nq * sizeof *q);
        memcpy(v, c->v, nv * sizeof *v);
        const soa_status status =
            i == 0   ? soa_closure_project(c->set, metric, 0.0, STATES, q, v, x, NULL)
            : i == 1 ? soa_closure_project_velocity(c->set, metric, STATES, c->q, v, x, NULL)
                     : soa_closure_project_from(c->set, metric, 1e-9, STATES - 1, c->q + c->nq, q, v, x, NULL);
        for (int n = 0; n < STATES; n++) {
            const double numbers[] = { x[n].iterations, x[n].rank, x[n].position, x[n].velocity, x[n].rounded,
                x[n].branch_kept, x[n].branch_changed };
            memcpy(told + 7 * n, numbers, sizeof numbers);
        }
        row(c, name[i], status, (int)(nq + nv) + 7 * STATES, q);
    }
}

static void kinematics_rows(closed_system *c)
{
    const int rows = STATES * c->rows, matrix = rows * c->nv, points = soa_closure_points(c->set, NULL);
    double *y = c->y;
    row(c, "closure_violation", soa_closure_violation(c->set, STATES, c->q, c->v, y, y + rows, NULL), 2 * rows, y);
    row(c, "closure_jacobian", soa_closure_jacobian(c->set, STATES, c->q, y, NULL), matrix, y);
    row(c, "closure_jacobian_rate", soa_closure_jacobian_rate(c->set, STATES, c->q, c->v, y, NULL), matrix, y);
    row(c, "closure_bias", soa_closure_bias(c->set, STATES, c->q, c->v, y, NULL), rows, y);
    double *A = bits_numbers((size_t)(6 * points * rows));
    row(c, "closure_operator", soa_closure_operator(c->set, STATES, c->q, A, NULL), 6 * points * rows, A);
    bits_free(A);
    projection_rows(c, SOA_METRIC_MASS);
    projection_rows(c, SOA_METRIC_IDENTITY);
}

/* How a solution came about, and the force of each closure. */
static void solution_row(closed_system *c, soa_status status, const soa_closed *x)
{
    hash h = hash_begin(status);
    soa_redundancy r = { 0 };
    for (int n = 0; n < STATES; n++) {
        const double numbers[] = { x[n].rows, x[n].rank, x[n].eliminated, x[n].condition, x[n].kept, x[n].dropped,
            x[n].rounded, x[n].position, x[n].velocity, x[n].inconsistency, x[n].broken };
        h = hash_numbers(h, sizeof numbers / sizeof numbers[0], numbers);
    }
    for (int i = 0; i < soa_closures_count(c->set); i++) {
        soa_closure_load load = { .contact = false };
        h += (hash)soa_closure_force(c->set, i, &load, NULL);
        const double numbers[] = { load.contact, load.normal, load.tangential, load.twist, load.cone_margin,
            load.holds };
        h = hash_numbers(hash_numbers(hash_numbers(h, 3, load.point), 6, load.wrench_on_a), 6, numbers);
    }
    h += (hash)soa_closures_redundancy(c->set, &r, NULL);
    const double numbers[] = { r.rows, r.rank, r.rounded, r.undecided, r.unmet, r.kept, r.dropped };
    print_single(c->name, "closure_force", status, hash_numbers(h, sizeof numbers / sizeof numbers[0], numbers));
}

static void dynamics_rows(closed_system *c)
{
    const int rows = STATES * c->rows, nv = STATES * c->nv, square = STATES * 36 * POINTS * POINTS;
    double *vdot = c->y, *lambda = vdot + nv, *split = lambda + rows, wrench[6 * STATES];
    soa_closed closed[STATES] = { { 0 } };
    bool holds[STATES] = { false };
    soa_status status = soa_closed_forward_dynamics(c->set, STATES, c->q, c->v, c->T, c->f, vdot, lambda, closed, NULL);
    row(c, "closed_forward_dynamics", status, nv + rows, vdot);
    solution_row(c, status, closed);
    status = soa_grasp_split(c->set, c->system, c->link, STATES, c->q, NULL, lambda, split, split + rows, wrench, NULL);
    row(c, "grasp_split", status, 2 * rows, split);
    status = soa_grasp_balance(c->set, c->system, c->link, STATES, c->q, NULL, c->f, split, NULL);
    row(c, "grasp_balance", status, rows, split);
    status = soa_force_closure(c->set, c->system, c->link, 8, STATES, c->q, holds, split, NULL);
    row(c, "force_closure", status, rows, split);
    status = soa_closed_inverse_dynamics(c->set, STATES, c->q, c->v, vdot, c->f, NULL, split, split + nv, NULL);
    row(c, "closed_inverse_dynamics", status, nv + rows, split);
    status = soa_closed_forward_dynamics(c->set, STATES, c->q, NULL, c->T, NULL, vdot, NULL, closed, NULL);
    row(c, "closed_forward_dynamics [rest]", status, nv, vdot);
    status = soa_closed_operational_inertia(c->set, POINTS, c->point, STATES, c->q, c->y, c->y + square, NULL);
    row(c, "closed_operational_inertia", status, 2 * square, c->y);
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
    double *y = c->y, *q = c->q + (STATES - 1) * c->nq, *v = c->v + (STATES - 1) * c->nv;
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
    if (!c->bends) {
        d.vdot_parameters = place(&y, nv * 10 * links), d.lambda_parameters = place(&y, rows * 10 * links);
        d.vdot_placement = place(&y, nv * 6 * bodies), d.lambda_placement = place(&y, rows * 6 * bodies);
    }
    d.vdot_f = place(&y, nv * 6 * POINTS), d.lambda_f = place(&y, rows * 6 * POINTS);
    soa_status status = soa_closed_forward_dynamics_derivatives(c->set, 1, q, v, c->T, c->f, &d, NULL);
    row(c, "closed_forward_dynamics_derivatives", status, (int)(y - c->y), c->y);
    y = c->y;
    double *A = place(&y, 4 * nv * nv), *B = place(&y, 2 * nv * nv), *C = place(&y, 6 * nv * nv);
    double *D = place(&y, 3 * nv * nv);
    status = soa_closed_linear_model(c->set, 1, q, v, c->T, c->f, A, B, C, D, NULL);
    row(c, "closed_linear_model", status, (int)(y - c->y), c->y);
}

/* Closures that come and go, hold where they are, slip, and count their ranks otherwise; each time the motion. */
static void change_rows(closed_system *c)
{
    const double *q = c->q + (STATES - 1) * c->nq, *v = c->v + (STATES - 1) * c->nv, slip[3] = { 0.2, 1.0, 0.0 };
    const soa_closure_tolerances tolerances = { 1e-6, 1e-3, 1e-6 };
    for (int i = 0; i < 6; i++) {
        soa_status status = i == 0   ? soa_closure_hold_here(c->set, 0, q, NULL)
                            : i == 1 ? soa_closure_set_slip(c->set, 0, slip, NULL)
                            : i == 2 ? soa_closures_set_tolerances(c->set, &tolerances, NULL)
                            : i == 3 ? soa_closure_enable(c->set, 0, false, NULL)
                            : i == 4 ? soa_closure_enable(c->set, 0, true, NULL)
                                     : soa_closure_remove(c->set, 0, NULL);
        const hash h = hash_begin(status);
        status = soa_closed_forward_dynamics(c->set, 1, q, v, c->T, c->f, c->y, NULL, NULL, NULL);
        print_single(c->name, "closures that change", status, hash_numbers(h, (size_t)c->nv, c->y));
    }
}

static void rows_of(closed_system *c)
{
    make_state(c);
    kinematics_rows(c);
    dynamics_rows(c);
    partition_row(c);
    derivative_rows(c);
    change_rows(c);
    closed_free(c);
}

/* Closures of the kinds k, k + 1, ... between random links of the systems. */
static void tied_rows(closed_system *c, int kind, int closures)
{
    make_set(c);
    for (int i = 0; i < closures; i++) {
        add_kind(c, (soa_closure_kind)((kind + i) % SOA_CLOSURE_KINDS));
    }
    rows_of(c);
}

void bits_closures(void)
{
    static const char *const described[] = { "hexapod", "ladder:1,1", "ladder:2,5", "ladder:6,1", "ladder:14,12" };
    for (size_t i = 0; i < sizeof described / sizeof described[0]; i++) {
        closed_system c = {
            .seed = 20, .systems = 1, .model = { bits_model(described[i]) }, .near = i > 0 ? 0.05 : 0.0
        };
        (void)snprintf(c.name, sizeof c.name, "%s", described[i]);
        make_set(&c);
        rows_of(&c);
    }
    bits_grasps();
    for (int n = 0; n < 2 * SOA_CLOSURE_KINDS; n++) {
        closed_system c = { .seed = 300 + (unsigned)n, .systems = 1 + n % SYSTEMS };
        (void)snprintf(c.name, sizeof c.name, "closed:%d", n);
        for (int s = 0; s < c.systems; s++) {
            char name[32];
            const int seed = 1 + some_of(&c, 1000), bodies = 3 + some_of(&c, 12 / c.systems);
            (void)snprintf(name, sizeof name, "tree:%d,%d", bodies, seed);
            c.model[s] = bits_model(name);
        }
        tied_rows(&c, n, n < SOA_CLOSURE_KINDS ? 1 : 2);
    }
}

void bits_flexible_closures(void)
{
    for (int n = 0; n < SOA_CLOSURE_KINDS; n++) {
        closed_system c = { .seed = 400 + (unsigned)n, .systems = 1 + n % 2, .bends = true, .near = 1e-3 };
        (void)snprintf(c.name, sizeof c.name, "closed:%d", n);
        c.model[0] = bits_model(n % 3 == 0 ? "flexible-chain:2,2" : n % 3 == 1 ? "particles:4" : "particles:3");
        c.model[1] = c.systems > 1 ? bits_model("tree:5,4") : NULL;
        tied_rows(&c, n, 1);
    }
}
