/* peer_mujoco.c - MuJoCo, by the parts of its pipeline that each algorithm needs and no others. */
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

typedef struct peer {
    const bench_robot *robot;
    mjModel *m;
    mjData *d;
    bench_states states;
    double *q;      /* as MuJoCo measures it */
    double *M;      /* nv x nv */
    double *unit;   /* nv x nv */
    double *J, *JL; /* 6 x nv per point */
    double *lambda; /* 6 x 6 per pair of points */
    int point[BENCH_POINTS];
} peer;

static mjModel *load_text(const char *text)
{
    char reason[512] = "";
    mjVFS *files = malloc(sizeof *files);
    const size_t length = text != NULL ? strlen(text) : 0;
    mjModel *m = NULL;
    if (files == NULL || length == 0) {
        free(files);
        return NULL;
    }
    mj_defaultVFS(files);
    if (mj_makeEmptyFileVFS(files, "robot.xml", (int)length) == 0) {
        memcpy(files->filedata[mj_findFileVFS(files, "robot.xml")], text, length);
        m = mj_loadXML("robot.xml", files, reason, sizeof reason);
    }
    if (m == NULL) {
        fprintf(stderr, "MuJoCo: %s\n", reason);
    }
    mj_deleteVFS(files);
    free(files);
    return m;
}

static bool find_order(const bench_robot *robot, const mjModel *m, int *order)
{
    for (int k = 0, i = 0; k < robot->bodies; k++) {
        const bench_body *body = &robot->body[k];
        const int joint = mj_name2id(m, mjOBJ_JOINT, body->joint_name), n = body->joint == BENCH_FREE ? 6 : 1;
        if (joint < 0 || mj_name2id(m, mjOBJ_BODY, body->name) < 0) {
            return false;
        }
        for (int j = 0; j < n; j++) {
            order[i++] = m->jnt_dofadr[joint] + j;
        }
    }
    return true;
}

static void close_peer(void *self)
{
    peer *p = self;
    mj_deleteData(p->d);
    mj_deleteModel(p->m);
    free(p->q);
    free(p->M);
    free(p);
}

static void *open_peer(const bench_robot *robot, int *order)
{
    const size_t nv = (size_t)robot->nv;
    peer *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return NULL;
    }
    p->robot = robot;
    p->m = load_text(robot->mjcf);
    p->d = p->m != NULL ? mj_makeData(p->m) : NULL;
    p->M = calloc(2 * nv * nv + 12 * BENCH_POINTS * nv + 36 * BENCH_POINTS * BENCH_POINTS, sizeof(double));
    if (p->d == NULL || p->M == NULL || p->m->nv != robot->nv || !find_order(robot, p->m, order)) {
        close_peer(p);
        return NULL;
    }
    p->unit = p->M + nv * nv;
    p->J = p->unit + nv * nv;
    p->JL = p->J + 6 * BENCH_POINTS * nv;
    p->lambda = p->JL + 6 * BENCH_POINTS * nv;
    for (size_t i = 0; i < nv; i++) {
        p->unit[i * nv + i] = 1.0;
    }
    for (int i = 0; i < BENCH_POINTS; i++) {
        p->point[i] = mj_name2id(p->m, mjOBJ_BODY, robot->body[robot->point[i]].name);
    }
    return p;
}

static void set(void *self, const bench_states *states)
{
    peer *p = self;
    const size_t nq = (size_t)p->robot->nq;
    p->states = *states;
    p->q = malloc((size_t)states->count * nq * sizeof(double));
    if (p->q == NULL) {
        abort();
    }
    for (int s = 0; s < states->count; s++) {
        const double *q = states->q + (size_t)s * nq;
        double *out = p->q + (size_t)s * nq;
        for (int k = 0; k < p->robot->bodies; k++) {
            const int joint = mj_name2id(p->m, mjOBJ_JOINT, p->robot->body[k].joint_name);
            double *at = out + p->m->jnt_qposadr[joint];
            if (p->robot->body[k].joint == BENCH_FREE) {
                memcpy(at, q + 4, 3 * sizeof *q);
                memcpy(at + 3, q, 4 * sizeof *q);
                q += 7;
            } else {
                *at = *q++;
            }
        }
    }
}

static void place(peer *p, int s)
{
    memcpy(p->d->qpos, p->q + s * p->m->nq, (size_t)p->m->nq * sizeof(double));
    mj_kinematics(p->m, p->d);
    mj_comPos(p->m, p->d);
}

static void move(peer *p, int s)
{
    memcpy(p->d->qvel, p->states.v + s * p->m->nv, (size_t)p->m->nv * sizeof(double));
    mj_comVel(p->m, p->d);
}

static void forward(peer *p, int s)
{
    const double *T = p->states.T + s * p->m->nv;
    place(p, s);
    mj_crb(p->m, p->d);
    mj_factorM(p->m, p->d);
    move(p, s);
    mj_rne(p->m, p->d, 0, p->d->qfrc_bias);
    for (int i = 0; i < p->m->nv; i++) {
        p->d->qacc[i] = T[i] - p->d->qfrc_bias[i];
    }
    mj_solveM(p->m, p->d, p->d->qacc, p->d->qacc, 1);
}

static void jacobian(peer *p, int points)
{
    for (int i = 0; i < points; i++) {
        double *J = p->J + 6 * p->m->nv * i;
        mj_jac(p->m, p->d, J + 3 * p->m->nv, J, p->d->xpos + 3 * p->point[i], p->point[i]);
    }
}

/* (J L^-1 D^-1/2) (...)* */
static void operational_inertia(peer *p, int s, int points)
{
    place(p, s);
    mj_crb(p->m, p->d);
    mj_factorM(p->m, p->d);
    jacobian(p, points);
    mj_solveM2(p->m, p->d, p->JL, p->J, 6 * points);
    mju_mulMatMatT(p->lambda, p->JL, p->JL, 6 * points, p->m->nv, 6 * points);
}

static void run_one(peer *p, bench_algorithm algorithm, int s)
{
    mjModel *m = p->m;
    mjData *d = p->d;
    switch (algorithm) {
    case BENCH_INVERSE_DYNAMICS:
        place(p, s);
        move(p, s);
        memcpy(d->qacc, p->states.vdot + s * m->nv, (size_t)m->nv * sizeof(double));
        mj_rne(m, d, 1, d->qfrc_inverse);
        break;
    case BENCH_FORWARD_DYNAMICS:
        forward(p, s);
        break;
    case BENCH_MASS_MATRIX:
        place(p, s);
        mj_crb(m, d);
        mj_fullM(m, p->M, d->qM);
        break;
    case BENCH_MASS_INVERSE:
        place(p, s);
        mj_crb(m, d);
        mj_factorM(m, d);
        mj_solveM(m, d, p->M, p->unit, m->nv);
        break;
    case BENCH_KINEMATICS:
        memcpy(d->qpos, p->q + s * m->nq, (size_t)m->nq * sizeof(double));
        mj_kinematics(m, d);
        break;
    case BENCH_JACOBIAN:
        place(p, s);
        jacobian(p, 1);
        break;
    case BENCH_OPERATIONAL_INERTIA:
        operational_inertia(p, s, 1);
        break;
    case BENCH_OPERATIONAL_INERTIA_2:
        operational_inertia(p, s, 2);
        break;
    case BENCH_OPERATIONAL_INERTIA_4:
        operational_inertia(p, s, 4);
        break;
    default:
        break;
    }
}

static void run(void *self, bench_algorithm algorithm, int first, int count)
{
    for (int s = first; s < first + count; s++) {
        run_one(self, algorithm, s);
    }
}

static void get_poses(const peer *p, double *result)
{
    for (int k = 0; k < p->robot->bodies; k++) {
        const int body = mj_name2id(p->m, mjOBJ_BODY, p->robot->body[k].name);
        memcpy(result + 12 * k, p->d->xmat + 9 * body, 9 * sizeof(double));
        memcpy(result + 12 * k + 9, p->d->xpos + 3 * body, 3 * sizeof(double));
    }
}

static void get(void *self, bench_algorithm algorithm, double *result)
{
    const peer *p = self;
    const size_t nv = (size_t)p->m->nv;
    switch (algorithm) {
    case BENCH_INVERSE_DYNAMICS:
        memcpy(result, p->d->qfrc_inverse, nv * sizeof(double));
        break;
    case BENCH_FORWARD_DYNAMICS:
        memcpy(result, p->d->qacc, nv * sizeof(double));
        break;
    case BENCH_KINEMATICS:
        get_poses(p, result);
        break;
    case BENCH_JACOBIAN:
        memcpy(result, p->J, 6 * nv * sizeof(double));
        break;
    case BENCH_OPERATIONAL_INERTIA:
        memcpy(result, p->lambda, 36 * sizeof(double));
        break;
    case BENCH_OPERATIONAL_INERTIA_2:
        memcpy(result, p->lambda, 4 * 36 * sizeof(double));
        break;
    case BENCH_OPERATIONAL_INERTIA_4:
        memcpy(result, p->lambda, 16 * 36 * sizeof(double));
        break;
    default:
        memcpy(result, p->M, nv * nv * sizeof(double));
        break;
    }
}

const bench_peer_info *bench_peer(void);

__attribute__((visibility("default"))) const bench_peer_info *bench_peer(void)
{
    static bench_peer_info info = { .name = "MuJoCo",
        .convention = { .linear_first = true, .linear_in_world = true },
        .algorithms = BENCH_COMMON | 1u << BENCH_OPERATIONAL_INERTIA | 1u << BENCH_OPERATIONAL_INERTIA_2 |
                      1u << BENCH_OPERATIONAL_INERTIA_4,
        .open = open_peer,
        .close = close_peer,
        .set = set,
        .run = run,
        .get = get };
    info.version = mj_versionString();
    return &info;
}
