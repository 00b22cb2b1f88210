/* constant.c - the library on a microcontroller without a heap: the model is a constant that `soa emit --data` wrote, the
 * workspace stands in static memory. Prints a hash of the bits, and how much memory and stack the calls took. */
#include <stdio.h>
#include <string.h>

#include "soa/soa.h"

extern const soa_model robot;

enum { STATES = 8, MOST = 64, MEMORY = 1 << 17, STACK = 1 << 15 };

static _Alignas(SOA_ALIGNMENT) char memory[MEMORY];
static size_t used;

static void *take(void *context, size_t size)
{
    char *block = memory + used;
    const size_t whole = (size + SOA_ALIGNMENT - 1) / SOA_ALIGNMENT * SOA_ALIGNMENT;
    (void)context;
    if (whole > MEMORY - used) {
        return NULL;
    }
    used += whole;
    return block;
}

static void keep(void *context, void *block)
{
    (void)context, (void)block;
}

static unsigned long long hash_of(unsigned long long hash, int n, const double *x)
{
    unsigned char byte[sizeof *x];
    for (int i = 0; i < n; i++) {
        memcpy(byte, &x[i], sizeof byte);
        for (unsigned k = 0; k < sizeof byte; k++) {
            hash = (hash ^ byte[k]) * 0x100000001b3u;
        }
    }
    return hash;
}

/* Forward and inverse dynamics of random states. */
static __attribute__((noinline)) int work(soa_workspace *workspace)
{
    static double q[MOST], v[MOST], T[MOST], y[MOST];
    unsigned long long seed = 1, hash = 0xcbf29ce484222325u;
    const int nv = soa_model_nv(&robot);
    for (int s = 0; s < STATES; s++) {
        soa_random_configuration(&robot, &seed, q);
        for (int k = 0; k < nv; k++) {
            v[k] = soa_model_random_number(&seed), T[k] = soa_model_random_number(&seed);
        }
        if (soa_forward_dynamics(&robot, workspace, 1, q, v, T, NULL, y, NULL) != SOA_OK) {
            return 1;
        }
        hash = hash_of(hash, nv, y);
        if (soa_inverse_dynamics(&robot, workspace, 1, q, v, T, NULL, y, NULL) != SOA_OK) {
            return 1;
        }
        hash = hash_of(hash, nv, y);
    }
    printf("bits %016llx\n", hash);
    return 0;
}

#if defined(__arm__)
/* What lies below the stack is marked; afterwards one sees how far it went. */
static __attribute__((noinline)) void mark(void)
{
    volatile unsigned char here[STACK];
    for (int i = 0; i < STACK; i++) {
        here[i] = 0xa5;
    }
}

static __attribute__((noinline)) int marked(void)
{
    volatile unsigned char here[STACK];
    int n = 0;
    while (n < STACK && here[n] == 0xa5) {
        n++;
    }
    return STACK - n;
}
#endif

int main(void)
{
    const soa_allocator allocator = { .allocate = take, .release = keep };
    soa_workspace *workspace;
    if (soa_workspace_new(&robot, &allocator, &workspace, NULL) != SOA_OK) {
        return 1;
    }
#if defined(__arm__)
    mark();
#endif
    const int failed = work(workspace);
#if defined(__arm__)
    fprintf(stderr, "%d bytes of workspace, %d of stack\n", (int)used, marked());
#endif
    return failed;
}
