/* The rows of closures: positions, velocities, Jacobians and rates agree with each other by differences. */
#include "closure/kinds.h"

/* q moved along v by h into to. */
static void along(const closed_kit *kit, double h, double *to)
{
    int q = 0, v = 0;
    for (int s = 0; s < kit->systems; s++) {
        soa_integrate(kit->model[s], kit->q + q, kit->v + v, h, to + q);
        q += soa_model_nq(kit->model[s]);
        v += soa_model_nv(kit->model[s]);
    }
}

static void begin(closed_kit *kit, int n, int bodies)
{
    *kit = (closed_kit){ .seed = 7000ull + (unsigned)n, .systems = 1 + n % 3 };
    for (int s = 0; s < kit->systems; s++) {
        make_tree(kit, s, bodies);
    }
    kit_begin(kit, NULL);
    kit_state(kit);
}

/* velocity = J v, (J(h) - J(-h)) / 2h = dJ/dt, its product with v the bias. */
static void rates_are_differences(void **state)
{
    (void)state;
    const double h = 1e-5;
    for (int n = 0; n < 6 * SOA_CLOSURE_KINDS; n++) {
        closed_kit kit;
        begin(&kit, n, 7);
        add_some(&kit, (soa_closure_kind)(n % SOA_CLOSURE_KINDS));
        couple_some(&kit);
        const int rows = soa_closures_rows(kit.set), nv = kit.nv, size = rows * nv;
        double *J = calloc((size_t)(4 * size + 4 * rows + kit.nq), sizeof *J), *rate = J + size;
        double *J1 = J + 2 * size, *J2 = J + 3 * size, *velocity = J + 4 * size, *bias = velocity + rows;
        double *product = bias + rows, *curve = product + rows, *q = curve + rows;
        OK(&kit, soa_closure_violation(kit.set, 1, kit.q, kit.v, NULL, velocity, &kit.error));
        OK(&kit, soa_closure_jacobian(kit.set, 1, kit.q, J, &kit.error));
        OK(&kit, soa_closure_jacobian_rate(kit.set, 1, kit.q, kit.v, rate, &kit.error));
        OK(&kit, soa_closure_bias(kit.set, 1, kit.q, kit.v, bias, &kit.error));
        along(&kit, h, q);
        OK(&kit, soa_closure_jacobian(kit.set, 1, q, J1, &kit.error));
        along(&kit, -h, q);
        OK(&kit, soa_closure_jacobian(kit.set, 1, q, J2, &kit.error));
        for (int i = 0; i < size; i++) {
            J1[i] = (J1[i] - J2[i]) / (2.0 * h);
            product[i / nv] += J[i] * kit.v[i % nv];
            curve[i / nv] += rate[i] * kit.v[i % nv];
        }
        NEAR(rows, velocity, product, 1e-12);
        NEAR(rows, bias, curve, 1e-11);
        NEAR(size, rate, J1, 1e-7);
        free(J);
        kit_end(&kit);
    }
}

/* A, on the Jacobian of the points that it is of, is the Jacobian of the rows; several systems and couplings are refused. */
static void rows_are_an_operator_on_points(void **state)
{
    (void)state;
    for (int n = 0; n < 6 * SOA_CLOSURE_KINDS; n++) {
        closed_kit kit;
        begin(&kit, n, 7);
        add_some(&kit, (soa_closure_kind)(n % SOA_CLOSURE_KINDS));
        add_some(&kit, SOA_CLOSE_RIGID);
        soa_point point[8];
        const int rows = soa_closures_rows(kit.set), nv = kit.nv, points = soa_closure_points(kit.set, NULL);
        const int cols = 6 * points;
        assert_true(points <= 8 && soa_closure_points(kit.set, point) == points);
        double *J = calloc((size_t)(2 * rows * nv + rows * cols + cols * nv) + 1, sizeof *J), *A = J + rows * nv;
        double *J_points = A + rows * cols, *product = J_points + cols * nv;
        const soa_status status = soa_closure_operator(kit.set, 1, kit.q, A, &kit.error);
        assert_int_equal(status, kit.systems > 1 ? SOA_E_UNSUPPORTED : SOA_OK);
        if (status == SOA_OK) {
            soa_workspace *workspace = NULL;
            OK(&kit, soa_workspace_new(kit.model[0], NULL, &workspace, &kit.error));
            OK(&kit, soa_closure_jacobian(kit.set, 1, kit.q, J, &kit.error));
            OK(&kit,
                soa_jacobian(kit.model[0], workspace, points, point, SOA_AXES_MIXED, 1, kit.q, J_points, &kit.error));
            for (int i = 0; i < rows * nv; i++) {
                for (int k = 0; k < cols; k++) {
                    product[i] += A[i / nv * cols + k] * J_points[k * nv + i % nv];
                }
            }
            NEAR(rows * nv, J, product, 1e-12);
            soa_workspace_free(workspace);
            if (couple_some(&kit)) {
                assert_int_equal(soa_closure_operator(kit.set, 1, kit.q, A, NULL), SOA_E_UNSUPPORTED);
            }
        }
        free(J);
        kit_end(&kit);
    }
}

/* Where a closure is satisfied its position changes as its velocity says. */
static void positions_change_with_velocities(void **state)
{
    (void)state;
    const double h = 1e-5;
    for (int n = 0; n < 6 * SOA_CLOSURE_KINDS; n++) {
        closed_kit kit;
        begin(&kit, n, 7);
        const soa_closure_kind kind = (soa_closure_kind)(n % SOA_CLOSURE_KINDS);
        const int closure = add_some(&kit, kind);
        if (kind != SOA_CLOSE_DISTANCE) {
            OK(&kit, soa_closure_hold_here(kit.set, closure, kit.q, &kit.error));
        }
        const int rows = soa_closures_rows(kit.set);
        double *x = calloc((size_t)(4 * rows + kit.nq), sizeof *x), *after = x + rows, *before = after + rows;
        double *velocity = before + rows, *q = velocity + rows;
        OK(&kit, soa_closure_violation(kit.set, 1, kit.q, kit.v, x, velocity, &kit.error));
        along(&kit, h, q);
        OK(&kit, soa_closure_violation(kit.set, 1, q, NULL, after, NULL, &kit.error));
        along(&kit, -h, q);
        OK(&kit, soa_closure_violation(kit.set, 1, q, NULL, before, NULL, &kit.error));
        for (int i = 0; i < rows; i++) {
            after[i] = (after[i] - before[i]) / (2.0 * h);
            if (kind == SOA_CLOSE_UNIVERSAL && i == 0) {
                continue; /* z of b along x of a where the frames coincide: the row has no direction there */
            }
            if (kind != SOA_CLOSE_DISTANCE) {
                assert_true(fabs(x[i]) < 1e-12);
            }
            if (kind == SOA_CLOSE_SOFT_FINGER && i == 0) {
                assert_true(after[i] == 0.0); /* rolls: no position */
                continue;
            }
            assert_true(fabs(after[i] - velocity[i]) < 1e-8 * fmax(1.0, fabs(velocity[i])));
        }
        free(x);
        kit_end(&kit);
    }
}

/* From somewhere near, projection comes back to where the closures hold, in either metric. */
static void projection_closes(void **state)
{
    (void)state;
    for (int n = 0; n < 4 * SOA_CLOSURE_KINDS; n++) {
        closed_kit kit;
        begin(&kit, n, 9);
        const soa_closure_kind kind = (soa_closure_kind)(n % SOA_CLOSURE_KINDS);
        for (int i = 0; i < 2; i++) {
            const int closure = add_some(&kit, i == 0 ? kind : SOA_CLOSE_SPHERICAL);
            if (closure >= 0 && !(i == 0 && kind == SOA_CLOSE_DISTANCE)) {
                OK(&kit, soa_closure_hold_here(kit.set, closure, kit.q, &kit.error));
            } else if (closure >= 0) {
                OK(&kit, soa_closure_remove(kit.set, closure, &kit.error));
            }
        }
        double *q = calloc((size_t)(kit.nq + 2 * soa_closures_rows(kit.set)) + 1, sizeof *q);
        along(&kit, 0.05, q);
        soa_projection p;
        const soa_metric metric = n % 2 == 0 ? SOA_METRIC_MASS : SOA_METRIC_IDENTITY;
        OK(&kit, soa_closure_project(kit.set, metric, 0.0, 1, q, kit.v, &p, &kit.error));
        assert_true(p.position <= 1e-12 && p.velocity <= 1e-10);
        assert_true(p.iterations < 30);
        double *e = q + kit.nq, *u = e + soa_closures_rows(kit.set);
        OK(&kit, soa_closure_violation(kit.set, 1, q, kit.v, e, u, &kit.error));
        assert_true(largest(soa_closures_rows(kit.set), e) <= 1e-12);
        assert_true(largest(soa_closures_rows(kit.set), u) <= 1e-10);
        free(q);
        kit_end(&kit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_differences),
        cmocka_unit_test(rows_are_an_operator_on_points),
        cmocka_unit_test(positions_change_with_velocities),
        cmocka_unit_test(projection_closes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
