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

enum { ROOM = STATES * 128 };

/* State after state; number i of 8 states, then number i + 1; the same of 16 in float. */
static double q[ROOM], v[ROOM], u[ROOM], y[ROOM];
static double q8[ROOM], v8[ROOM], u8[ROOM];
static float qf[ROOM], vf[ROOM], uf[ROOM], yf[ROOM];
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

static void require(soa_status status)
{
    if (status != SOA_OK) {
        fprintf(stderr, "the library refuses a state\n");
        exit(1);
    }
}

static void library_one(int way, int fd)
{
    (void)way;
    for (int s = 0; s < STATES; s++) {
        require((fd ? soa_forward_dynamics : soa_inverse_dynamics)(
            model, workspace, 1, q + s * nq, v + s * nv, u + s * nv, NULL, y + s * nv, NULL));
    }
}

/* way: 1, state after state; 8, in lanes. */
static void library_many(int way, int fd)
{
    require((fd ? soa_forward_dynamics : soa_inverse_dynamics)(
        model, workspace, STATES, way == 1 ? q : q8, way == 1 ? v : v8, way == 1 ? u : u8, NULL, y, NULL));
}

static void emitted(int way, int fd)
{
    for (int s = 0; s < STATES; s += way) {
        if (way == 16) {
            (fd ? fd_16 : id_16)(qf + s * nq, vf + s * nv, uf + s * nv, yf + s * nv);
        } else if (way == 8) {
            (fd ? fd_8 : id_8)(q8 + s * nq, v8 + s * nv, u8 + s * nv, y + s * nv);
        } else {
            (fd ? fd_1 : id_1)(q + s * nq, v + s * nv, u + s * nv, y + s * nv);
        }
    }
}

/* n numbers of each state, for lanes. */
static void deal(int n, const double *from, double *to8, float *to16)
{
    for (int s = 0; s < STATES; s++) {
        for (int i = 0; i < n; i++) {
            to8[s / 8 * 8 * n + 8 * i + s % 8] = from[s * n + i];
            to16[s / 16 * 16 * n + 16 * i + s % 16] = (float)from[s * n + i];
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
    }
    deal(nq, q, q8, qf);
    deal(nv, v, v8, vf);
    deal(nv, u, u8, uf);
    for (int fd = 0; fd < 2; fd++) {
        const double one = measure(library_one, 1, fd), many = measure(library_many, 1, fd);
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
