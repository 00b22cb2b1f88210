/* Closed forward dynamics against the dense equations, on random systems with every kind of closure. */
#include "closure/kit.h"

/* A closure of some kind between two links of any systems, or the world. */
static soa_closure some_closure(closed_kit *kit, soa_closure_kind kind, int *a, int *b)
{
    *a = some_of(kit, kit->systems);
    *b = some_of(kit, kit->systems);
    const int link_a = some_of(kit, soa_model_links(kit->model[*a]));
    const int link_b = some_of(kit, soa_model_links(kit->model[*b]) + 1) - 1;
    soa_closure c = soa_closure_default("loop", kind, link_a, link_b);
    c.at_a = some_pose(kit, 0.3);
    c.at_b = some_pose(kit, 0.3);
    c.distance = 0.4;
    c.slip[0] = 1.0;
    c.rows = 1 + some_of(kit, 6);
    for (int i = 0; i < c.rows; i++) {
        for (int j = 0; j < 6; j++) {
            c.Q[i][j] = some(kit);
        }
    }
    return c;
}

static void add_some(closed_kit *kit, soa_closure_kind kind)
{
    for (int tries = 0; tries < 20; tries++) {
        int a = 0, b = 0, index = -1;
        const soa_closure c = some_closure(kit, kind, &a, &b);
        if (soa_closure_add(kit->set, &c, a, b, &index, &kit->error) == SOA_OK) {
            double U[3][6];
            for (int i = 0; i < 18; i++) {
                U[i / 6][i % 6] = some(kit);
            }
            OK(kit, soa_closure_set_motion(kit->set, index, U[0], U[1], U[2], &kit->error));
            return;
        }
    }
}

static void compare(closed_kit *kit, double tolerance)
{
    const int rows = soa_closures_rows(kit->set);
    double *vdot = calloc((size_t)(kit->nv + rows) + 1, sizeof *vdot), *lambda = vdot + kit->nv;
    const int rank = dense_solve(kit, vdot, lambda);
    soa_closed closed;
    soa_status status =
        soa_closed_forward_dynamics(kit->set, kit->q, kit->v, kit->T, NULL, kit->vdot, &closed, &kit->error);
    assert_int_equal(closed.rank, rank);
    if (rank == rows) {
        OK(kit, status);
        NEAR(kit->nv, kit->vdot, vdot, tolerance);
        NEAR(rows, soa_closure_multipliers(kit->set), lambda, tolerance);
    }
    free(vdot);
}

static void make_model(closed_kit *kit, int s, int bodies)
{
    char name[64];
    (void)snprintf(name, sizeof name, "tree:%d,%d", bodies, 1 + some_of(kit, 100000));
    OK(kit, soa_model_builtin(name, NULL, &kit->model[s], &kit->error));
}

static void random_systems(void **state)
{
    (void)state;
    for (int n = 0; n < 500; n++) {
        closed_kit kit = { .seed = 100ull + (unsigned)n, .systems = 1 + n % 4 };
        for (int s = 0; s < kit.systems; s++) {
            make_model(&kit, s, 2 + some_of(&kit, 24 / kit.systems));
        }
        kit_begin(&kit, NULL);
        kit_state(&kit);
        const int closures = 1 + some_of(&kit, 5);
        for (int i = 0; i < closures; i++) {
            const soa_closure_kind kind = (soa_closure_kind)((n + i) % SOA_CLOSURE_KINDS);
            if (soa_closures_rows(kit.set) + 6 < kit.nv) {
                add_some(&kit, kind == SOA_CLOSE_SLIDING ? SOA_CLOSE_PLANE : kind);
            }
        }
        compare(&kit, 1e-9);
        kit_end(&kit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
