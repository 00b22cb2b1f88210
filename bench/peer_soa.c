/* peer_soa.c - soa itself: one state per call, or many. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "soa/closure.h"
#include "soa/sens.h"

typedef struct self {
    const soa_model *model;
    soa_workspace *workspace;
    bench_states states;
    const bench_robot *robot;
    soa_closures *closures;        /* NULL: a tree */
    soa_point point[BENCH_POINTS]; /* the tip is the first */
    double *result;                /* of one state, or of each */
    size_t last;                   /* where in it the last result begins */
} self;

static void *open_self(const bench_robot *robot, int *order)
{
    (void)order;
    self *s = calloc(1, sizeof *s);
    if (s == NULL || soa_workspace_new(robot->model, NULL, &s->workspace, NULL) != SOA_OK) {
        free(s);
        return NULL;
    }
    s->model = robot->model;
    s->robot = robot;
    for (int i = 0; i < BENCH_POINTS; i++) {
        const bench_body *body = &robot->body[robot->point[i]];
        s->point[i] = (soa_point){ soa_model_body(s->model, body->number).link, soa_pose_identity() };
    }
    if (robot->closures > 0 && soa_closures_new(1, &robot->model, NULL, NULL, &s->closures, NULL) != SOA_OK) {
        abort();
    }
    return s;
}

static void close_self(void *peer)
{
    self *s = peer;
    soa_closures_free(s->closures);
    soa_workspace_free(s->workspace);
    free(s->result);
    free(s);
}

static void set_states(self *s, const bench_states *states, size_t numbers)
{
    s->states = *states;
    free(s->result);
    s->result = malloc(numbers * sizeof(double));
    if (s->result == NULL) {
        abort();
    }
}

static void set_one(void *peer, const bench_states *states)
{
    self *s = peer;
    const size_t links = 12 * (size_t)soa_model_links(s->model), most = bench_most_outputs(s->robot);
    set_states(s, states, links > most ? links : most);
}

static void set_batch(void *peer, const bench_states *states)
{
    self *s = peer;
    set_states(s, states, (size_t)states->count * (size_t)s->robot->nv);
}

/* One or many states, results one after another. */
static void run_states(self *s, bench_algorithm algorithm, int first, int n)
{
    const soa_model *m = s->model;
    soa_workspace *w = s->workspace;
    const size_t at = (size_t)first, nq = (size_t)s->robot->nq, nv = (size_t)s->robot->nv;
    const double *q = s->states.q + at * nq, *v = s->states.v + at * nv;
    double *y = s->result;
    switch (algorithm) {
    case BENCH_INVERSE_DYNAMICS:
        soa_inverse_dynamics(m, w, n, q, v, s->states.vdot + at * nv, NULL, y, NULL);
        break;
    case BENCH_FORWARD_DYNAMICS:
        soa_forward_dynamics(m, w, n, q, v, s->states.T + at * nv, NULL, y, NULL);
        break;
    case BENCH_MASS_MATRIX:
        soa_mass_matrix(m, w, n, q, y, NULL);
        break;
    case BENCH_MASS_INVERSE:
        soa_mass_inverse(m, w, n, q, y, NULL);
        break;
    case BENCH_KINEMATICS:
        soa_kinematics(m, w, n, q, NULL, NULL, y, NULL, NULL, NULL);
        break;
    case BENCH_JACOBIAN:
        soa_jacobian(m, w, 1, s->point, SOA_AXES_MIXED, n, q, y, NULL);
        break;
    case BENCH_OPERATIONAL_INERTIA:
        soa_operational_inertia(m, w, 1, s->point, n, q, y, NULL, NULL);
        break;
    case BENCH_OPERATIONAL_INERTIA_2:
        soa_operational_inertia(m, w, 2, s->point, n, q, y, NULL, NULL);
        break;
    case BENCH_OPERATIONAL_INERTIA_4:
        soa_operational_inertia(m, w, 4, s->point, n, q, y, NULL, NULL);
        break;
    case BENCH_CLOSED_DYNAMICS: /* one state */
        soa_closed_forward_dynamics(s->closures, 1, q, v, s->states.T + at * nv, NULL, y, NULL, NULL, NULL);
        break;
    case BENCH_INVERSE_DERIVATIVES:
        soa_inverse_dynamics_derivatives(
            m, w, n, q, v, s->states.vdot + at * nv, NULL, y, y + nv * nv, y + 2 * nv * nv, NULL);
        break;
    case BENCH_FORWARD_DERIVATIVES:
        soa_forward_dynamics_derivatives(
            m, w, n, q, v, s->states.T + at * nv, NULL, y, y + nv * nv, y + 2 * nv * nv, NULL, NULL);
        break;
    case BENCH_CORIOLIS_MATRIX:
        soa_coriolis_matrix(m, w, n, q, v, y, NULL);
        break;
    default:
        break;
    }
}

static void run_one(void *peer, bench_algorithm algorithm, int first, int count)
{
    for (int i = first; i < first + count; i++) {
        run_states(peer, algorithm, i, 1);
    }
}

static void run_batch(void *peer, bench_algorithm algorithm, int first, int count)
{
    self *s = peer;
    run_states(s, algorithm, first, count);
    s->last = ((size_t)count - 1) * (size_t)s->robot->nv;
}

static void get(void *peer, bench_algorithm algorithm, double *result)
{
    const self *s = peer;
    const size_t outputs = bench_outputs(s->robot, algorithm);
    if (algorithm != BENCH_KINEMATICS) {
        memcpy(result, s->result + s->last, outputs * sizeof(double));
        return;
    }
    for (int k = 0; k < s->robot->bodies; k++) { /* of all links, those that begin a body */
        const size_t link = (size_t)soa_model_body(s->model, s->robot->body[k].number).link;
        memcpy(result + 12 * (size_t)k, s->result + 12 * link, 12 * sizeof(double));
    }
}

static const bench_peer_info one = { .name = "soa",
    .version = SOA_VERSION,
    .algorithms = (1u << BENCH_ALGORITHMS) - 1,
    .open = open_self,
    .close = close_self,
    .set = set_one,
    .run = run_one,
    .get = get };

static const bench_peer_info batch = { .name = "soa, batch",
    .version = SOA_VERSION,
    .algorithms = 1u << BENCH_INVERSE_DYNAMICS | 1u << BENCH_FORWARD_DYNAMICS,
    .open = open_self,
    .close = close_self,
    .set = set_batch,
    .run = run_batch,
    .get = get };

const bench_peer_info *bench_soa(void)
{
    return &one;
}

const bench_peer_info *bench_soa_batch(void)
{
    return &batch;
}
