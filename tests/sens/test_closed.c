/* Derivatives of closed systems against differences of their forward dynamics. */
#include "closure/kinds.h"
#include "soa/sens.h"

enum { BY_Q, BY_V, BY_T, BYS };

typedef struct closed_state {
    double *q, *v, *T;
} closed_state;

static double *numbers(int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

/* vdot, then lambda, with number j of q, v or T moved by t. */
static void at_step(closed_kit *kit, int by, int j, double t, double *out)
{
    closed_state s = { numbers(kit->nq), numbers(kit->nv), numbers(kit->nv) };
    double *e = numbers(kit->nv), *q = s.q, *at = kit->q;
    memcpy(s.v, kit->v, (size_t)kit->nv * sizeof *s.v);
    memcpy(s.T, kit->T, (size_t)kit->nv * sizeof *s.T);
    e[j] = by == BY_Q ? 1.0 : 0.0;
    for (int i = 0, v = 0; i < kit->systems; i++) {
        soa_integrate(kit->model[i], at, e + v, t, q);
        at += soa_model_nq(kit->model[i]);
        q += soa_model_nq(kit->model[i]);
        v += soa_model_nv(kit->model[i]);
    }
    s.v[j] += by == BY_V ? t : 0.0;
    s.T[j] += by == BY_T ? t : 0.0;
    OK(kit, soa_closed_forward_dynamics(kit->set, s.q, s.v, s.T, NULL, out, NULL, &kit->error));
    memcpy(out + kit->nv, soa_closure_multipliers(kit->set), (size_t)kit->rows * sizeof *out);
    free(s.q);
    free(s.v);
    free(s.T);
    free(e);
}

static void difference(closed_kit *kit, int by, int j, double h, double *slope)
{
    const double weight[4] = { 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280 };
    const int n = kit->nv + kit->rows;
    double *plus = numbers(n), *minus = numbers(n);
    memset(slope, 0, (size_t)n * sizeof *slope);
    for (int s = 1; s <= 4; s++) {
        at_step(kit, by, j, s * h, plus);
        at_step(kit, by, j, -s * h, minus);
        for (int i = 0; i < n; i++) {
            slope[i] += weight[s - 1] * (plus[i] - minus[i]) / h;
        }
    }
    free(plus);
    free(minus);
}

/* Returns whether the rows were independent enough to compare with differences. */
static bool check_derivatives(closed_kit *kit)
{
    soa_closed closed;
    kit->rows = soa_closures_rows(kit->set);
    const soa_status status =
        soa_closed_forward_dynamics(kit->set, kit->q, kit->v, kit->T, NULL, kit->vdot, &closed, &kit->error);
    if (status != SOA_OK || closed.rank < closed.rows || closed.condition > 1e3) {
        return false;
    }
    const int n = kit->nv, r = kit->rows;
    double *vdot[BYS], *lambda[BYS], *slope = numbers(n + r), *column = numbers(n + r);
    for (int i = 0; i < BYS; i++) {
        vdot[i] = numbers(n * n);
        lambda[i] = numbers(r * n);
    }
    const soa_closed_derivatives out = { vdot[0], vdot[1], vdot[2], lambda[0], lambda[1], lambda[2],
        numbers((int)soa_closed_derivatives_work(kit->set)) };
    OK(kit, soa_closed_forward_dynamics_derivatives(kit->set, kit->q, kit->v, kit->T, NULL, &out, &kit->error));
    at_step(kit, BYS, 0, 0.0, slope);
    const double size = 1.0 + largest(n + r, slope); /* whose rounding the differences magnify */
    for (int by = 0; by < BYS; by++) {
        for (int j = 0; j < n; j++) {
            difference(kit, by, j, 5e-4, slope);
            for (int i = 0; i < n + r; i++) {
                column[i] = i < n ? vdot[by][i * n + j] : lambda[by][(i - n) * n + j];
            }
            near_at(__FILE__, __LINE__, "column", n + r, column, slope, 1e-7, size);
        }
    }
    for (int i = 0; i < BYS; i++) {
        free(vdot[i]);
        free(lambda[i]);
    }
    free(out.work);
    free(slope);
    free(column);
    return true;
}

static void derivatives_are_differences(void **state)
{
    (void)state;
    int done = 0;
    for (int n = 0; n < 120; n++) {
        closed_kit kit = { .seed = 300ull + (unsigned)n, .systems = 1 + n % 3 };
        for (int s = 0; s < kit.systems; s++) {
            make_tree(&kit, s, 2 + some_of(&kit, 12 / kit.systems));
        }
        kit_begin(&kit, NULL);
        kit_state(&kit);
        for (int i = 0; i < 1 + n % 2; i++) {
            const soa_closure_kind kind = (soa_closure_kind)((n + i) % SOA_CLOSURE_KINDS);
            if (soa_closures_rows(kit.set) + 7 < kit.nv) {
                add_some(&kit, kind == SOA_CLOSE_SLIDING ? SOA_CLOSE_PLANE : kind);
            }
        }
        done += check_derivatives(&kit);
        kit_end(&kit);
    }
    print_message("%d closed systems\n", done);
    assert_true(done > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
