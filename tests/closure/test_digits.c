/* Closed accelerations and multipliers have the digits that the condition of the equations leaves: errors beside a solution
 * in long double, in units of the condition.
 *
 *     D [ Mass J* ] D = A scaled until the largest number of every row is about 1
 *       [ J    0  ]
 * and both errors and solutions are measured in the scaled unknowns. */
#include "closure/kinds.h"

enum { SYSTEMS = 5000 };

/* d: the scale of each row and column of A, n x n; A becomes D A D. */
static void scale_equations(int n, wide *A, wide *d)
{
    for (int i = 0; i < n; i++) {
        d[i] = 1.0L;
    }
    for (int round = 0; round < 8; round++) {
        for (int i = 0; i < n; i++) {
            wide most = 0.0L;
            for (int j = 0; j < n; j++) {
                most = fmaxl(most, fabsl(A[i * n + j]) * d[i] * d[j]);
            }
            d[i] /= most > 0.0L ? sqrtl(most) : 1.0L;
        }
    }
    for (int i = 0; i < n * n; i++) {
        A[i] *= d[i / n] * d[i % n];
    }
}

static wide norm(int n, const wide *A)
{
    wide most = 0.0L;
    for (int i = 0; i < n; i++) {
        wide sum = 0.0L;
        for (int j = 0; j < n; j++) {
            sum += fabsl(A[i * n + j]);
        }
        most = fmaxl(most, sum);
    }
    return most;
}

/* A becomes its inverse, by Gauss and Jordan with the largest pivot of each column. */
static void invert(int n, wide *A)
{
    int *from = calloc((size_t)n, sizeof *from);
    for (int c = 0; c < n; c++) {
        int p = c;
        for (int i = c; i < n; i++) {
            p = fabsl(A[i * n + c]) > fabsl(A[p * n + c]) ? i : p;
        }
        from[c] = p;
        for (int j = 0; j < n; j++) {
            const wide t = A[c * n + j];
            A[c * n + j] = A[p * n + j], A[p * n + j] = t;
        }
        const wide d = 1.0L / A[c * n + c];
        A[c * n + c] = 1.0L;
        for (int j = 0; j < n; j++) {
            A[c * n + j] *= d;
        }
        for (int i = 0; i < n; i++) {
            const wide l = A[i * n + c];
            A[i * n + c] = i == c ? l : 0.0L;
            for (int j = 0; i != c && j < n; j++) {
                A[i * n + j] -= l * A[c * n + j];
            }
        }
    }
    for (int c = n - 1; c >= 0; c--) {
        for (int i = 0; i < n; i++) {
            const wide t = A[i * n + c];
            A[i * n + c] = A[i * n + from[c]], A[i * n + from[c]] = t;
        }
    }
    free(from);
}

/* The condition of the equations at the state of the kit; d as above. */
static double condition(closed_kit *kit, wide *d)
{
    const int nv = kit->nv, rows = soa_closures_rows(kit->set), n = nv + rows;
    double *mass = calloc((size_t)(nv * nv + nv + rows * nv) + 1, sizeof *mass), *C = mass + nv * nv, *J = C + nv;
    wide *A = calloc((size_t)n * (size_t)n, sizeof *A);
    dense_dynamics(kit, mass, C);
    OK(kit, soa_closure_jacobian(kit->set, kit->q, J, &kit->error));
    for (int i = 0; i < nv; i++) {
        for (int j = 0; j < nv; j++) {
            A[i * n + j] = mass[i * nv + j];
        }
        for (int r = 0; r < rows; r++) {
            A[i * n + nv + r] = A[(nv + r) * n + i] = J[r * nv + i];
        }
    }
    scale_equations(n, A, d);
    const wide size = norm(n, A);
    invert(n, A);
    const double result = (double)(size * norm(n, A));
    free(mass);
    free(A);
    return result;
}

/* The error of the solution as part of the condition; -1: rows depend on each other, or there are none. */
static double error_of(closed_kit *kit)
{
    const int nv = kit->nv, rows = soa_closures_rows(kit->set), n = nv + rows;
    double *x = calloc((size_t)n + 1, sizeof *x), result = -1.0;
    wide *d = calloc((size_t)n + 1, sizeof *d);
    if (rows > 0 && dense_solve(kit, x, x + nv) == rows) {
        double off = 0.0, scale = 0.0;
        const soa_status status =
            soa_closed_forward_dynamics(kit->set, kit->q, kit->v, kit->T, NULL, kit->vdot, NULL, &kit->error);
        const double limit = condition(kit, d), *lambda = soa_closure_multipliers(kit->set);
        if (status == SOA_E_CLOSURE) { /* a singular position, or rows that are nearly dependent everywhere */
            assert_true(limit > 1e8 || strstr(kit->error.text, "not clear") != NULL);
            free(x);
            free(d);
            return -1.0;
        }
        OK(kit, status);
        for (int i = 0; i < n; i++) {
            const double got = i < nv ? kit->vdot[i] : lambda[i - nv];
            off = fmax(off, fabs(got - x[i]) / (double)d[i]);
            scale = fmax(scale, fabs(x[i]) / (double)d[i]);
        }
        result = off / (scale * limit);
    }
    free(x);
    free(d);
    return result;
}

static void as_many_digits_as_there_are(void **state)
{
    (void)state;
    int systems = 0;
    for (int n = 0; n < SYSTEMS; n++) {
        closed_kit kit = { .seed = 77000ull + (unsigned)n, .systems = 1 + n % 4 };
        for (int s = 0; s < kit.systems; s++) {
            make_tree(&kit, s, 2 + some_of(&kit, 12 / kit.systems));
        }
        kit_begin(&kit, NULL);
        kit_state(&kit);
        const int closures = 1 + some_of(&kit, 5);
        for (int i = 0; i < closures; i++) {
            const soa_closure_kind kind = (soa_closure_kind)((n + i) % SOA_CLOSURE_KINDS);
            if (soa_closures_rows(kit.set) + 7 < kit.nv) {
                (void)add_some(&kit, kind == SOA_CLOSE_SLIDING ? SOA_CLOSE_PLANE : kind);
            }
        }
        const double error = error_of(&kit);
        if (error > 1e-12) {
            print_error("system %d: %.3g of the condition\n", n, error);
            fail();
        }
        systems += error >= 0.0;
        kit_end(&kit);
    }
    assert_true(systems > SYSTEMS / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_digits_as_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
