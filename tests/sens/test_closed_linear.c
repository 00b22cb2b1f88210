/* Linear models of closed systems: against motions near an equilibrium, and against those of trees. */
#include "closure/linkage.h"
#include "soa/linear.h"

static double *numbers(int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static void integrate(closed_kit *kit, const double *q, const double *v, double dt, double *moved)
{
    for (int i = 0; i < kit->systems; i++) {
        soa_integrate(kit->model[i], q, v, dt, moved);
        q += soa_model_nq(kit->model[i]);
        moved += soa_model_nq(kit->model[i]);
        v += soa_model_nv(kit->model[i]);
    }
}

static void difference(closed_kit *kit, const double *from, const double *to, double *d)
{
    for (int i = 0; i < kit->systems; i++) {
        soa_difference(kit->model[i], from, to, d);
        from += soa_model_nq(kit->model[i]);
        to += soa_model_nq(kit->model[i]);
        d += soa_model_nv(kit->model[i]);
    }
}

/* At rest, with forces that keep it so. */
static void kit_rest(closed_kit *kit)
{
    memset(kit->v, 0, (size_t)kit->nv * sizeof *kit->v);
    memset(kit->vdot, 0, (size_t)kit->nv * sizeof *kit->vdot);
    OK(kit, soa_closed_inverse_dynamics(kit->set, 1, kit->q, kit->v, kit->vdot, NULL, NULL, kit->T, NULL, &kit->error));
}

/* Joined by a rigid and a spherical closure where the systems happen to be, and held at rest. */
static void kit_held(closed_kit *kit, const char *first, const char *second)
{
    kit->systems = 2;
    kit->seed = 17;
    OK(kit, soa_model_builtin(first, NULL, &kit->model[0], &kit->error));
    OK(kit, soa_model_builtin(second, NULL, &kit->model[1], &kit->error));
    kit_begin(kit, NULL);
    kit_state(kit);
    const int links[2] = { soa_model_links(kit->model[0]), soa_model_links(kit->model[1]) };
    const soa_closure weld = soa_closure_default("weld", SOA_CLOSE_RIGID, links[0] - 1, links[1] - 1);
    const soa_closure ball = soa_closure_default("ball", SOA_CLOSE_SPHERICAL, links[1] - 2, SOA_WORLD);
    int closure[2];
    OK(kit, soa_closure_add(kit->set, &weld, 0, 1, &closure[0], &kit->error));
    OK(kit, soa_closure_add(kit->set, &ball, 1, 1, &closure[1], &kit->error));
    OK(kit, soa_closure_hold_here(kit->set, closure[0], kit->q, &kit->error));
    OK(kit, soa_closure_hold_here(kit->set, closure[1], kit->q, &kit->error));
    kit_rest(kit);
}

/* RK4 of the joint coordinates: the increments are small enough for one chart per step. */
static void move(closed_kit *kit, int steps, double dt, double *q, double *v)
{
    const double part[4] = { 0.0, 0.5, 0.5, 1.0 }, weight[4] = { 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 };
    const int n = kit->nv;
    double *at = numbers(kit->nq), *w = numbers(n), *a = numbers(n), *dq = numbers(n), *dv = numbers(n);
    for (int s = 0; s < steps; s++) {
        memset(dq, 0, (size_t)n * sizeof *dq);
        memset(dv, 0, (size_t)n * sizeof *dv);
        memcpy(w, v, (size_t)n * sizeof *w);
        for (int stage = 0; stage < 4; stage++) {
            integrate(kit, q, w, part[stage] * dt, at);
            for (int i = 0; i < n; i++) {
                w[i] = v[i] + part[stage] * dt * (stage > 0 ? a[i] : 0.0);
            }
            OK(kit, soa_closed_forward_dynamics(kit->set, 1, at, w, kit->T, NULL, a, NULL, NULL, &kit->error));
            for (int i = 0; i < n; i++) {
                dq[i] += weight[stage] * w[i];
                dv[i] += weight[stage] * a[i];
            }
        }
        integrate(kit, q, dq, dt, q);
        for (int i = 0; i < n; i++) {
            v[i] += dt * dv[i];
        }
    }
    free(at);
    free(w);
    free(a);
    free(dq);
    free(dv);
}

/* Half the difference of two motions that begin displaced along d and against it: x (dq; dv) before and after. */
static void displaced(closed_kit *kit, const double *d, double small, double time, double *before, double *after)
{
    const int n = kit->nv;
    double *q = numbers(kit->nq), *v = numbers(n), *x = numbers(n);
    memset(before, 0, 2 * (size_t)n * sizeof *before);
    memset(after, 0, 2 * (size_t)n * sizeof *after);
    for (int side = -1; side <= 1; side += 2) {
        integrate(kit, kit->q, d, side * small, q);
        memset(v, 0, (size_t)n * sizeof *v);
        OK(kit, soa_closure_project(kit->set, SOA_METRIC_IDENTITY, 1e-14, 1, q, v, NULL, &kit->error));
        difference(kit, kit->q, q, x);
        for (int i = 0; i < n; i++) {
            before[i] += 0.5 * side * x[i];
        }
        move(kit, 40, time / 40, q, v);
        difference(kit, kit->q, q, x);
        for (int i = 0; i < n; i++) {
            after[i] += 0.5 * side * x[i];
            after[n + i] += 0.5 * side * v[i];
        }
    }
    free(q);
    free(v);
    free(x);
}

static void check_motion(closed_kit *kit)
{
    const int n = kit->nv;
    const double time = 0.05, small = 1e-4;
    double *A = numbers(4 * n * n), *B = numbers(2 * n * n), *Ad = numbers(4 * n * n), *Bd = numbers(2 * n * n);
    soa_linear_workspace *steps = NULL;
    OK(kit, soa_linear_workspace_new(3 * n, NULL, &steps, &kit->error));
    OK(kit, soa_closures_reserve_derivatives(kit->set, &kit->error));
    double *d = numbers(n), *before = numbers(2 * n), *after = numbers(2 * n), *expected = numbers(2 * n);
    OK(kit, soa_closed_linear_model(kit->set, 1, kit->q, kit->v, kit->T, NULL, A, B, NULL, NULL, &kit->error));
    OK(kit, soa_linear_discrete(steps, 2 * n, n, A, B, time, Ad, Bd, &kit->error));
    soa_linear_workspace_free(steps);
    for (int trial = 0; trial < 5; trial++) {
        for (int i = 0; i < n; i++) {
            d[i] = some(kit);
        }
        OK(kit, soa_closure_project_velocity(kit->set, SOA_METRIC_IDENTITY, 1, kit->q, d, NULL, &kit->error));
        displaced(kit, d, small, time, before, after);
        for (int i = 0; i < 2 * n; i++) {
            expected[i] = 0.0;
            for (int j = 0; j < n; j++) {
                expected[i] += Ad[i * 2 * n + j] * before[j];
            }
        }
        near_at(__FILE__, __LINE__, "displacement", 2 * n, after, expected, 2e-6, small);
        assert_true(fabs(after[n] - before[n]) > 1e-3 * small); /* it did move */
    }
    double *all[] = { A, B, Ad, Bd, d, before, after, expected };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

static void tells_the_motion_near_an_equilibrium(void **state)
{
    (void)state;
    closed_kit kit = { .systems = 0 };
    kit_held(&kit, "arm7", "quadruped");
    check_motion(&kit);
    kit_end(&kit);
}

/* Three of five rows of a planar four-bar say nothing. */
static void knows_which_rows_depend(void **state)
{
    (void)state;
    closed_kit kit = { .seed = 3, .systems = 1 };
    const double length[3] = { 0.5, 1.0, 0.6 };
    kit.model[0] = linkage(&kit, 3, length, 0.9);
    kit_begin(&kit, NULL);
    kit_state(&kit);
    OK(&kit, soa_closure_project(kit.set, SOA_METRIC_MASS, 0.0, 1, kit.q, NULL, NULL, &kit.error));
    kit_rest(&kit);
    check_motion(&kit);
    kit_end(&kit);
}

/* Nothing closed: the model of each tree, side by side. */
static void is_that_of_the_trees_without_closures(void **state)
{
    (void)state;
    closed_kit kit = { .systems = 0 };
    kit_held(&kit, "tree:9,4", "quadruped");
    kit_state(&kit);
    OK(&kit, soa_closure_enable(kit.set, soa_closure_find(kit.set, "weld"), false, &kit.error));
    OK(&kit, soa_closure_enable(kit.set, soa_closure_find(kit.set, "ball"), false, &kit.error));
    const int n = kit.nv, size[4] = { 4, 2, 6, 3 };
    double *whole[4], *own[4];
    OK(&kit, soa_closures_reserve_derivatives(kit.set, &kit.error));
    for (int i = 0; i < 4; i++) {
        whole[i] = numbers(size[i] * n * n);
        own[i] = numbers(size[i] * n * n);
    }
    OK(&kit, soa_closed_linear_model(
                 kit.set, 1, kit.q, kit.v, kit.T, NULL, whole[0], whole[1], whole[2], whole[3], &kit.error));
    for (int s = 0, q = 0, v = 0; s < 2; s++) {
        const soa_model *model = kit.model[s];
        const int m = soa_model_nv(model);
        soa_workspace *w;
        OK(&kit, soa_workspace_new(model, NULL, &w, &kit.error));
        OK(&kit, soa_linear_model(
                     model, w, 1, kit.q + q, kit.v + v, kit.T + v, NULL, own[0], own[1], own[2], own[3], &kit.error));
        soa_workspace_free(w);
        for (int k = 0; k < 4; k++) {
            const int wide_blocks = k % 2 == 0 ? 2 : 1, rows = size[k] / wide_blocks * m;
            const double scale = 1.0 + largest(size[k] * m * m, own[k]);
            for (int i = 0; i < rows; i++) {
                for (int j = 0; j < wide_blocks * m; j++) {
                    const int row = i / m * n + v + i % m, column = j / m * n + v + j % m;
                    const double x = whole[k][row * wide_blocks * n + column];
                    const double y = own[k][i * wide_blocks * m + j];
                    assert_true(fabs(x - y) <= 1e-11 * scale);
                }
            }
        }
        q += soa_model_nq(model);
        v += m;
    }
    for (int i = 0; i < 4; i++) {
        free(whole[i]);
        free(own[i]);
    }
    kit_end(&kit);
}

static void refuses(void **state)
{
    (void)state;
    closed_kit kit = { .systems = 0 };
    kit_held(&kit, "arm7", "quadruped");
    double *B = numbers(2 * kit.nv * kit.nv), *A = numbers(4 * kit.nv * kit.nv);
    assert_int_equal(soa_closed_linear_model(kit.set, 1, kit.q, kit.v, kit.T, NULL, NULL, B, NULL, NULL, &kit.error),
        SOA_E_ARGUMENT);
    assert_int_equal(
        soa_closed_linear_model(kit.set, 1, kit.q, kit.v, kit.T, NULL, A, B, NULL, NULL, &kit.error), SOA_E_LIMIT);
    free(B);
    free(A);
    kit_end(&kit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_the_motion_near_an_equilibrium),
        cmocka_unit_test(knows_which_rows_depend),
        cmocka_unit_test(is_that_of_the_trees_without_closures),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
