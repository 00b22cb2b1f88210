/* emitted.c - emitted functions beside the library's calls, in one run. Usage: emitted MODEL.
 *
 * bench/emitted.sh emits, compiles and runs it: one function per algorithm and width. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "soa/soa.h"

enum { STATES = 64, ROUNDS = 9 };

void id_1(const double *, const double *, const double *, double *);
void fd_1(const double *, const double *, const double *, double *);
void id_8(const double *, const double *, const double *, double *);
void fd_8(const double *, const double *, const double *, double *);
void id_16(const float *, const float *, const float *, float *);
void fd_16(const float *, const float *, const float *, float *);

static double q[STATES * 128], v[STATES * 128], u[STATES * 128], y[STATES * 128];
static float qf[STATES * 128], vf[STATES * 128], uf[STATES * 128], yf[STATES * 128];
static soa_model *model;
static soa_workspace *workspace;
static int nq, nv;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef void job(int way, int fd);

static void library_one(int way, int fd)
{
    (void)way;
    for (int s = 0; s < STATES; s++) {
        (fd ? soa_forward_dynamics : soa_inverse_dynamics)(
            model, workspace, 1, q + s * nq, v + s * nv, u + s * nv, NULL, y + s * nv, NULL);
    }
}

static void library_many(int way, int fd)
{
    (void)way;
    (fd ? soa_forward_dynamics : soa_inverse_dynamics)(model, workspace, STATES, q, v, u, NULL, y, NULL);
}

static void emitted(int way, int fd)
{
    for (int s = 0; s < STATES; s += way) {
        if (way == 16) {
            (fd ? fd_16 : id_16)(qf + s * nq, vf + s * nv, uf + s * nv, yf + s * nv);
        } else {
            (way == 1 ? fd ? fd_1 : id_1 : fd ? fd_8 : id_8)(q + s * nq, v + s * nv, u + s * nv, y + s * nv);
        }
    }
}

/* ns per state, the least of several rounds. */
static double measure(job *run, int way, int fd)
{
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        int times = 0;
        const double begin = now();
        double end;
        do {
            run(way, fd);
            times++;
        } while ((end = now()) - begin < 0.02);
        const double ns = (end - begin) / times / STATES * 1e9;
        best = ns < best ? ns : best;
    }
    return best;
}

int main(int count, char **word)
{
    if (count < 2 || soa_model_builtin(word[1], NULL, &model, NULL) != SOA_OK ||
        soa_workspace_new(model, NULL, &workspace, NULL) != SOA_OK) {
        return 1;
    }
    unsigned long long seed = 1;
    nq = soa_model_nq(model), nv = soa_model_nv(model);
    for (int s = 0; s < STATES; s++) {
        soa_random_configuration(model, &seed, q + s * nq);
    }
    for (int i = 0; i < STATES * nv; i++) {
        v[i] = soa_model_random_number(&seed), u[i] = soa_model_random_number(&seed);
        vf[i] = (float)v[i], uf[i] = (float)u[i];
    }
    for (int i = 0; i < STATES * nq; i++) {
        qf[i] = (float)q[i];
    }
    for (int fd = 0; fd < 2; fd++) {
        const double one = measure(library_one, 1, fd), many = measure(library_many, 8, fd);
        soa_workspace_set_layout(workspace, SOA_LAYOUT_BLOCKED, NULL);
        const double lanes = measure(library_many, 8, fd);
        soa_workspace_set_layout(workspace, SOA_LAYOUT_STATES, NULL);
        const double e1 = measure(emitted, 1, fd), e8 = measure(emitted, 8, fd), e16 = measure(emitted, 16, fd);
        printf(
            "%-10s %s  library: one %7.1f ns, many %6.1f, in lanes %6.1f   emitted: one %7.1f (%.2fx), 8 lanes %6.1f "
            "(%.2fx), 16 float %6.1f\n",
            word[1], fd ? "fd" : "id", one, many, lanes, e1, one / e1, e8, lanes / e8, e16);
    }
    soa_workspace_free(workspace);
    soa_model_free(model);
    return 0;
}
