/* tests/closure/kinds.h - closures of every kind between random frames. */
#ifndef SOA_TESTS_CLOSURE_KINDS_H
#define SOA_TESTS_CLOSURE_KINDS_H

#include "closure/kit.h"

/* A closure of some kind between two links of any systems, or the world. */
static inline soa_closure some_closure(closed_kit *kit, soa_closure_kind kind, int *a, int *b)
{
    *a = some_of(kit, kit->systems);
    *b = some_of(kit, kit->systems);
    const int link_a = some_of(kit, soa_model_links(kit->model[*a]));
    const int link_b = some_of(kit, soa_model_links(kit->model[*b]) + 1) - 1;
    soa_closure c = soa_closure_default("loop", kind, link_a, link_b);
    c.at_a = some_pose(kit, 0.3);
    c.at_b = some_pose(kit, 0.3);
    c.distance = 0.4;
    c.friction = 0.5;
    c.slip[0] = 1.0;
    c.rows = 1 + some_of(kit, 6);
    for (int i = 0; i < c.rows; i++) {
        for (int j = 0; j < 6; j++) {
            c.Q[i][j] = some(kit);
        }
    }
    return c;
}

/* Adds one; its number, or -1 if no two links were found that can move apart. */
static inline int add_some(closed_kit *kit, soa_closure_kind kind)
{
    for (int tries = 0; tries < 20; tries++) {
        int a = 0, b = 0, index = -1;
        const soa_closure c = some_closure(kit, kind, &a, &b);
        if (soa_closure_add(kit->set, &c, a, b, &index, &kit->error) == SOA_OK) {
            return index;
        }
    }
    return -1;
}

/* A prescribed motion. */
static inline void move_some(closed_kit *kit, int closure)
{
    double U[3][6];
    for (int i = 0; i < 18; i++) {
        U[i / 6][i % 6] = some(kit);
    }
    OK(kit, soa_closure_set_motion(kit->set, closure, U[0], U[1], U[2], &kit->error));
}

static inline void make_tree(closed_kit *kit, int s, int bodies)
{
    char name[64];
    (void)snprintf(name, sizeof name, "tree:%d,%d", bodies, 1 + some_of(kit, 100000));
    OK(kit, soa_model_builtin(name, NULL, &kit->model[s], &kit->error));
}

/* Couples some joint with one velocity to another; false: there are none. */
static inline bool couple_some(closed_kit *kit)
{
    for (int tries = 0; tries < 40; tries++) {
        const int s = some_of(kit, kit->systems), d = some_of(kit, kit->systems);
        soa_coupling c = { .name = "gear", .link = some_of(kit, soa_model_links(kit->model[s])) };
        c.driver = some_of(kit, soa_model_links(kit->model[d]) + 1) - 1;
        for (int i = 0; i < SOA_COUPLING_TERMS; i++) {
            c.coefficient[i] = some(kit);
        }
        if (soa_closure_add_coupling(kit->set, &c, s, d, NULL, &kit->error) == SOA_OK) {
            return true;
        }
    }
    return false;
}

#endif
