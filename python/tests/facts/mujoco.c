/* mujoco.c - makes mujoco.json: what MuJoCo computes of robots that soa wrote as MJCF. Run by hand, once:
 *
 *     cc mujoco.c -lmujoco -lm -o facts
 *     for r in arm7 quadruped humanoid; do soa convert builtin:$r -o $r.xml; done
 *     ./facts arm7.xml quadruped.xml humanoid.xml >mujoco.json
 *
 * The state and the numbers are those of MuJoCo, in its own order and conventions; the test translates. */
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>

static void print(const char *name, int n, const double *x, const char *end)
{
    printf("   \"%s\": [", name);
    for (int i = 0; i < n; i++) {
        printf("%s%.17g", i > 0 ? ", " : "", x[i]);
    }
    printf("]%s\n", end);
}

/* A state that is easy to write down: no two numbers alike. */
static void choose(const mjModel *m, mjData *d, double *T)
{
    for (int j = 0; j < m->njnt; j++) {
        double *q = d->qpos + m->jnt_qposadr[j];
        if (m->jnt_type[j] == mjJNT_FREE) {
            const double free[7] = { 0.3, -0.2, 0.9, 0.8, 0.2, -0.4, 0.4 };
            mju_copy(q, free, 7);
            mju_normalize4(q + 3);
        } else {
            q[0] = 0.6 * sin(1.0 + 2.3 * j);
        }
    }
    for (int i = 0; i < m->nv; i++) {
        d->qvel[i] = 0.8 * cos(0.5 + 1.9 * i);
        T[i] = 3.0 * sin(0.3 + 1.1 * i);
        d->qfrc_applied[i] = T[i];
    }
}

static void robot(const char *path, int last)
{
    char error[500];
    mjModel *m = mj_loadXML(path, NULL, error, sizeof error);
    if (!m) {
        fprintf(stderr, "%s: %s\n", path, error);
        exit(1);
    }
    m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS | mjDSBL_ACTUATION | mjDSBL_PASSIVE;
    mjData *d = mj_makeData(m);
    double *T = calloc((size_t)m->nv, sizeof *T), *mass = calloc((size_t)m->nv * (size_t)m->nv, sizeof *mass);
    choose(m, d, T);
    mj_forward(m, d);
    mj_fullM(m, mass, d->qM);
    printf(" \"%s\": {\n   \"joints\": [", m->names);
    for (int j = 0; j < m->njnt; j++) {
        printf("%s[\"%s\", %d, %d]", j > 0 ? ", " : "", mj_id2name(m, mjOBJ_JOINT, j), m->jnt_qposadr[j], m->jnt_dofadr[j]);
    }
    printf("],\n");
    print("qpos", m->nq, d->qpos, ",");
    print("qvel", m->nv, d->qvel, ",");
    print("applied", m->nv, T, ",");
    print("qacc", m->nv, d->qacc, ",");
    print("bias", m->nv, d->qfrc_bias, ",");
    print("mass", m->nv * m->nv, mass, "");
    printf(" }%s\n", last ? "" : ",");
    free(T);
    free(mass);
    mj_deleteData(d);
    mj_deleteModel(m);
}

int main(int argc, char **argv)
{
    printf("{\n \"version\": \"MuJoCo %s\",\n", mj_versionString());
    for (int i = 1; i < argc; i++) {
        robot(argv[i], i + 1 == argc);
    }
    printf("}\n");
    return 0;
}
