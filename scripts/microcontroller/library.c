/* library.c - the library on a microcontroller: forward and inverse dynamics of a built-in model, and a hash of the bits. */
#include <stdio.h>
#include <string.h>

#include "soa/soa.h"

enum { STATES = 8, MOST = 64 };

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

int main(void)
{
    static double q[MOST], v[MOST], T[MOST], y[MOST];
    static const char *const NAME[] = { "arm7", "quadruped" };
    unsigned long long seed = 1, hash = 0xcbf29ce484222325u;
    for (int i = 0; i < 2; i++) {
        soa_model *model;
        soa_workspace *workspace;
        soa_error error;
        if (soa_model_builtin(NAME[i], NULL, &model, &error) != SOA_OK ||
            soa_workspace_new(model, NULL, &workspace, &error) != SOA_OK) {
            printf("%s\n", error.text);
            return 1;
        }
        for (int s = 0; s < STATES; s++) {
            soa_random_configuration(model, &seed, q);
            for (int k = 0; k < soa_model_nv(model); k++) {
                v[k] = soa_model_random_number(&seed), T[k] = soa_model_random_number(&seed);
            }
            if (soa_forward_dynamics(model, workspace, 1, q, v, T, NULL, y, &error) != SOA_OK) {
                return 1;
            }
            hash = hash_of(hash, soa_model_nv(model), y);
            if (soa_inverse_dynamics(model, workspace, 1, q, v, T, NULL, y, &error) != SOA_OK) {
                return 1;
            }
            hash = hash_of(hash, soa_model_nv(model), y);
        }
        soa_workspace_free(workspace);
        soa_model_free(model);
    }
    printf("bits %016llx\n", hash);
    return 0;
}
