/* Derivatives in expressions, run: against differences, and against the derivatives of soa/sens.h. */
#include "expr/derivative_job.h"

/* ---- against differences -------------------------------------------------------------------------------- */

static void is_derivative(const bench *b, const char *expression, int velocity, double tolerance, double *worst)
{
    const double error = bench_error(b, expression, velocity);
    *worst = fmax(*worst, error);
    if (!(error <= tolerance)) {
        fail_msg("d(%s, q_%d): relative error %g", expression, velocity + 1, error);
    }
}

/* The vector that an operator (or its adjoint) takes. */
static const char *argument_of(soa_operator_info about)
{
    for (int i = 0; i < RANDOM_VECTORS; i++) {
        if (random_vector[i].place.space == about.domain_space && random_vector[i].place.side == about.domain_side) {
            return random_vector[i].name;
        }
    }
    return NULL;
}

/* Every operator and its adjoint, on vectors; with rotors and without, along any velocity. */
static void of_every_operator(void **state)
{
    (void)state;
    double worst = 0.0;
    for (int seed = 1; seed <= 150; seed++) {
        bench *b = bench_moving(2 + seed % 12, seed % 2, (unsigned)seed);
        const int nv = soa_model_nv(b->t.model);
        for (int op = SOA_OP_I + 1; op < 2 * SOA_OPERATORS; op++) {
            const soa_operator_info about = soa_operator_about((soa_operator)(op % SOA_OPERATORS), op >= SOA_OPERATORS);
            char text[64];
            snprintf(text, sizeof text, "%s%s %s", about.text, op >= SOA_OPERATORS ? "'" : "", argument_of(about));
            if (op != SOA_OPERATORS) {
                is_derivative(b, text, (seed * 7 + op) % nv, 1e-9, &worst);
            }
        }
        bench_free(b);
    }
    print_message("operators: worst relative error %.1e\n", worst);
}

static const char *const vectors[] = { "V", "a", "b", "g", "alpha", "f", "C", "H f", "beta' Mass beta", "V' M V",
    "Mass^-1 (T - C - J' f_c)", "T - H phi (M phi' a + b + B f_c)", "J betadot (T' betadot)",
    "inv(A Lambda A') A J Mass^-1 T", "inv(I + H phi K) T", "inv(psi') V", "inv(P + R) f", "2 C - 3 T",
    "(I - H psi K)' D^-1 (I - H psi K) T", "K' psi' taubar' a + G' a", "Mass^-1 d(C, q_1)",
    "d(Mass, q_1) betadot + H d(psi, q_1) M V", "D^(1/2) beta", "(P + R)^(1/2) V", "D^(-1/2) (T - C)",
    "(P^(1/2))' (M^(1/2) V)", "trace((P^-1)^(1/2)) T" };

/* Of the last ones, with derivatives or roots in them, there are no second derivatives. */
enum { FIRST_ORDER = 7 };

static void of_vectors_and_programs(void **state)
{
    (void)state;
    double worst = 0.0;
    for (int seed = 1001; seed <= 1075; seed++) {
        bench *b = bench_moving(3 + seed % 9, seed % 2, (unsigned)seed);
        const int nv = soa_model_nv(b->t.model);
        for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
            is_derivative(b, vectors[i], (seed * 5 + (int)i) % nv, 1e-9, &worst);
        }
        bench_free(b);
    }
    print_message("vectors: worst relative error %.1e\n", worst);
}

/* Second derivatives, against differences of first ones. */
static void of_second_order(void **state)
{
    (void)state;
    double worst = 0.0;
    for (int seed = 2001; seed <= 2075; seed++) {
        bench *b = bench_moving(2 + seed % 8, seed % 2, (unsigned)seed);
        const int nv = soa_model_nv(b->t.model);
        for (int op = SOA_OP_I + 1; op < 2 * SOA_OPERATORS; op++) {
            const soa_operator_info about = soa_operator_about((soa_operator)(op % SOA_OPERATORS), op >= SOA_OPERATORS);
            char text[96];
            /* the other velocity is often one of the same joint, or the same */
            const int velocity = (seed * 3 + op) % nv, other = (velocity + (seed + op) % 3) % nv;
            snprintf(text, sizeof text, "d(%s%s, q_%d) %s", about.text, op >= SOA_OPERATORS ? "'" : "", other + 1,
                argument_of(about));
            if (op != SOA_OPERATORS) {
                is_derivative(b, text, velocity, 1e-9, &worst);
            }
        }
        for (size_t i = 0; i < sizeof vectors / sizeof vectors[0] - FIRST_ORDER; i++) {
            char text[256];
            snprintf(text, sizeof text, "d(%s, q_%d)", vectors[i], (seed + (int)i) % nv + 1);
            is_derivative(b, text, (seed * 3 + (int)i) % nv, 1e-9, &worst);
        }
        bench_free(b);
    }
    print_message("second order: worst relative error %.1e\n", worst);
}

/* Random expressions; those without a value are left out. */
static void of_random_expressions(void **state)
{
    (void)state;
    static random_text drawn;
    double worst = 0.0;
    int found = 0;
    for (int i = 0; i < 200; i++) {
        bench *b = bench_moving(2 + i % 9, i % 2, (unsigned)i + 301);
        drawn.used = 0;
        drawn.seed = (unsigned)i + 77;
        random_vector_text(&drawn, random_vector[i % RANDOM_VECTORS].place, 1 + i % 4);
        const double error = bench_error(b, drawn.text, i % soa_model_nv(b->t.model));
        found += error >= 0.0;
        worst = fmax(worst, error);
        if (!(error <= 1e-8)) {
            fail_msg("%s: relative error %g", drawn.text, error);
        }
        bench_free(b);
    }
    print_message("%d random expressions, worst relative error %.1e\n", found, worst);
    assert_true(found >= 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_every_operator),
        cmocka_unit_test(of_vectors_and_programs),
        cmocka_unit_test(of_second_order),
        cmocka_unit_test(of_random_expressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
