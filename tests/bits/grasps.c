/* tests/bits/grasps.c - arms that hold one object. */
#include <stdio.h>
#include <stdlib.h>

#include "bits.h"

/* Two arms that hold one object, by every method. */
void bits_grasps(void)
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
