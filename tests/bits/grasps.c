/* tests/bits/grasps.c - arms that hold one object. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"

/* Two arms that hold one object, by every method. */
static void arm_rows(void)
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
        double acceleration[7];
        const soa_grasp_motion motion = { y + 2 * nv, y + 3 * nv, acceleration };
        const double was = bits_mark(acceleration + 6);
        const soa_status status =
            soa_grasp_forward_dynamics(m, w, (soa_grasp_method)method, &grasp, 1, q, y, y + nv, &motion, NULL);
        bits_unmark(acceleration + 6, was);
        (void)snprintf(name, sizeof name, "grasp_forward_dynamics [%d]", method - SOA_RCCFD1 + 1);
        const hash h = hash_numbers(hash_begin(status), (size_t)nv + 12, y + 2 * nv);
        print_single("dual-arm", name, status, hash_numbers(h, 6, acceleration));
    }
    soa_workspace_free(w);
    soa_model_free(m);
    bits_free(q);
    bits_free(y);
}

/* A box in the hand: points with friction press it from all sides, and the squeeze that they can give. */
static void squeeze_rows(void)
{
    enum { FINGERS = 4 };
    static const soa_closure_kind KIND[3] = { SOA_CLOSE_POINT, SOA_CLOSE_SOFT_FINGER, SOA_CLOSE_PLANE };
    for (int k = 0; k < 3; k++) {
        soa_builder *b = soa_builder_new(NULL);
        soa_link box = soa_link_default("box", SOA_WORLD, SOA_FREE);
        soa_model *model = NULL;
        soa_closures *set = NULL;
        box.inertia = (soa_inertia){ 1.0, { 0.01, 0.0, 0.02 }, { 0.01, 0.0, 0.0, 0.01, 0.0, 0.01 } };
        (void)soa_builder_add_link(b, &box, NULL, NULL);
        for (int i = 0; i < FINGERS; i++) { /* z of the world's frame points into the box */
            static const double IN[FINGERS][3] = { { 1.0, 0.1, 0.0 }, { -1.0, 0.0, 0.2 }, { 0.0, 1.0, 0.3 },
                { 0.1, -1.0, 0.0 } };
            const double turn[4] = { 1.0 + IN[i][2], -IN[i][1], IN[i][0], 0.0 };
            soa_closure c = soa_closure_default(NULL, KIND[k], 0, SOA_WORLD);
            c.at_b = soa_pose_from_quaternion((double[3]){ -0.1 * IN[i][0], -0.1 * IN[i][1], -0.1 * IN[i][2] }, turn);
            memcpy(c.at_a.position, c.at_b.position, sizeof c.at_a.position);
            c.friction = 0.6 + 0.1 * i, c.twist = 0.02 * k;
            (void)soa_builder_add_closure(b, &c, NULL, NULL);
        }
        (void)soa_builder_finish(b, &model, NULL);
        (void)soa_closures_new(1, (const soa_model *const[]){ model }, NULL, NULL, &set, NULL);
        double q[7], lambda[6 * FINGERS] = { 0.0 };
        bool closed = false;
        soa_model_neutral(model, q);
        for (int edges = 4; edges <= 16; edges += 3) {
            const soa_status status = soa_force_closure(set, 0, 0, edges, 1, q, &closed, lambda, NULL);
            const hash h = hash_rounded(hash_begin(status), (size_t)soa_closures_rows(set), lambda);
            print_single("box", closed ? "force_closure [held]" : "force_closure", status, h);
        }
        soa_closures_free(set);
        soa_model_free(model);
        soa_builder_free(b);
    }
}

void bits_grasps(void)
{
    arm_rows();
    squeeze_rows();
}
