/* Expressions run: random ones and matrices, against dense matrices from the definitions. */
#include "expr/run_job.h"

/* ---- random expressions against dense matrices ------------------------------------------------------------- */

/* The numbers of a term on the sample, in double. */
static double *dense_numbers(
    const soa_sample *sample, soa_terms *terms, const soa_term *term, soa_status *status, double *largest)
{
    soa_arena arena = soa_arena_on(&terms->allocator);
    soa_matrix value;
    soa_number big = 0.0L, rounding = 0.0L;
    *status = soa_dense_value(sample, terms, term, &arena, &value, &big, &rounding);
    double *made = NULL;
    if (*status == SOA_OK) {
        const int n = value.rows * value.cols;
        made = calloc((size_t)n + 1, sizeof *made);
        for (int i = 0; i < n; i++) {
            made[i] = (double)value.at[i];
            big = fabsl(value.at[i]) > big ? fabsl(value.at[i]) : big;
        }
    }
    *largest = (double)big;
    soa_arena_free(&arena);
    return made;
}

/* Runs the text on the sample and compares; 0: there is no value here; else 1. */
static int compare_text(const soa_sample *sample, const char *text, double *worst)
{
    job j = job_new(sample->model, text, false, SOA_SAMPLE_POINTS, sample->point);
    soa_terms *terms = j.program->terms;
    const soa_term *term = soa_program_at(j.program, soa_program_statements(j.program) - 1)->term;
    soa_status status;
    double largest, unused, *bound[RANDOM_VECTORS] = { NULL };
    double *expected = dense_numbers(sample, terms, term, &status, &largest);
    const int has = status == SOA_OK;
    assert_true(has || status == SOA_E_SINGULAR);
    double *A = dense_numbers(sample, terms, soa_term_operator(terms, SOA_OP_A), &status, &unused);
    OK(soa_runner_set_constraints(j.runner, SOA_SAMPLE_CONSTRAINTS, A, &job_error));
    const int n = soa_runner_numbers(j.runner, "y");
    double *y = calloc((size_t)n + 1, sizeof *y);
    for (int i = 0; i <= n; i++) {
        y[i] = i < n ? NAN : 12345.0;
    }
    for (int i = 0; i < RANDOM_VECTORS; i++) {
        const int variable = soa_terms_find_variable(terms, random_vector[i].name);
        bound[i] = dense_numbers(sample, terms, soa_term_variable(terms, variable), &status, &unused);
        (void)soa_runner_bind(j.runner, random_vector[i].name, bound[i], NULL);
    }
    OK(soa_runner_bind_output(j.runner, "y", y, &job_error));
    status = soa_runner_run(j.runner, 1, sample->q, &job_error);
    assert_int_equal(status, has ? SOA_OK : SOA_E_SINGULAR);
    assert_true(y[n] == 12345.0);
    for (int i = 0; has && i < n; i++) {
        const double e = fabs(y[i] - expected[i]) / fmax(1.0, largest);
        *worst = e <= *worst ? *worst : e;
        if (!(e <= 1e-10)) {
            fail_msg("%s\nat %d: %.17g instead of %.17g, relative error %g", text, i, y[i], expected[i], e);
        }
    }
    for (int i = 0; i < RANDOM_VECTORS; i++) {
        free(bound[i]);
    }
    free(y), free(A), free(expected);
    job_free(&j);
    return has;
}

static random_text drawn;

static void random_vectors_equal_dense(void **state)
{
    (void)state;
    const soa_allocator plain = soa_allocator_default();
    unsigned long long seed = 2024;
    double worst = 0.0;
    int found = 0;
    for (int i = 0; i < 500; i++) {
        soa_sample sample;
        OK(soa_sample_new(&sample, &seed, i % 3 == 0, &plain, &job_error));
        drawn.used = 0;
        drawn.seed = (unsigned)i + 1;
        random_declarations(&drawn);
        random_vector_text(&drawn, random_vector[i % RANDOM_VECTORS].place, 1 + i % 5);
        found += compare_text(&sample, drawn.text, &worst);
        soa_sample_free(&sample);
    }
    print_message("%d expressions with a value, worst relative error %.1e\n", found, worst);
    assert_true(found >= 480);
}

static void random_operators_equal_dense(void **state)
{
    (void)state;
    const soa_allocator plain = soa_allocator_default();
    unsigned long long seed = 4711;
    double worst = 0.0;
    int found = 0;
    for (int i = 0; i < 150; i++) {
        soa_sample sample;
        OK(soa_sample_new(&sample, &seed, i % 3 == 0, &plain, &job_error));
        drawn.seed = (unsigned)i + 5001;
        do { /* what a root maps to is seen only beside something of a known place */
            drawn.used = 0;
            random_declarations(&drawn);
            random_product(&drawn, random_vector[i % (RANDOM_VECTORS - 1)].place, 1 + i % 4);
        } while (strstr(drawn.text, "^("));
        found += compare_text(&sample, drawn.text, &worst);
        soa_sample_free(&sample);
    }
    print_message("%d operators with a value, worst relative error %.1e\n", found, worst);
    assert_true(found >= 130);
}

/* Matrices that have a structured algorithm, alone and between rows of constraints. */
static void structured_matrices(void **state)
{
    (void)state;
    const soa_allocator plain = soa_allocator_default();
    static const struct {
        const char *text;
        soa_matrix_kind kind;
        soa_expr_kernel kernel;
    } list[] = { { "Mass", SOA_MATRIX_KERNEL, SOA_BY_MASS }, { "H phi M phi' H'", SOA_MATRIX_KERNEL, SOA_BY_MASS },
        { "Mass^-1", SOA_MATRIX_KERNEL, SOA_BY_MASS_INV },
        { "inv(H phi M phi' H')", SOA_MATRIX_KERNEL, SOA_BY_MASS_INV },
        { "(I - H psi K)' D^-1 (I - H psi K)", SOA_MATRIX_KERNEL, SOA_BY_MASS_INV },
        { "J", SOA_MATRIX_KERNEL, SOA_BY_JACOBIAN }, { "H phi B", SOA_MATRIX_KERNEL, SOA_BY_JACOBIAN_T },
        { "B' phi' H'", SOA_MATRIX_KERNEL, SOA_BY_JACOBIAN }, { "J Mass^-1 J'", SOA_MATRIX_KERNEL, SOA_BY_LAMBDA },
        { "B' psi' H' D^-1 H psi B", SOA_MATRIX_KERNEL, SOA_BY_LAMBDA },
        { "B' Omega B", SOA_MATRIX_KERNEL, SOA_BY_LAMBDA }, { "Lambda", SOA_MATRIX_KERNEL, SOA_BY_LAMBDA },
        { "A Lambda A'", SOA_MATRIX_PRODUCT, 0 }, { "A J Mass^-1 J' A'", SOA_MATRIX_PRODUCT, 0 },
        { "A J", SOA_MATRIX_PRODUCT, 0 }, { "Mass + 2 H phi M phi' H'", SOA_MATRIX_SUM, 0 },
        { "phi M phi'", SOA_MATRIX_COLUMNS, 0 }, { "Omega", SOA_MATRIX_COLUMNS, 0 },
        { "psi' H' D^-1 H psi", SOA_MATRIX_COLUMNS, 0 }, { "phi P phi'", SOA_MATRIX_COLUMNS, 0 },
        { "Mass^-1 J'", SOA_MATRIX_COLUMNS, 0 } };
    job_writing = SOA_SIMPLIFIED;
    for (int rotors = 0; rotors < 2; rotors++) {
        unsigned long long seed = 99;
        double worst = 0.0;
        for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
            soa_sample sample;
            OK(soa_sample_new(&sample, &seed, rotors, &plain, &job_error));
            drawn.used = 0;
            random_declarations(&drawn);
            random_put(&drawn, list[i].text);
            assert_true(compare_text(&sample, drawn.text, &worst));
            if (!rotors) {
                job j = job_new(sample.model, list[i].text, false, 0, NULL);
                const soa_graph_matrix *matrix = soa_compiled_output_at(j.compiled, 0)->matrix;
                assert_int_equal(matrix->kind, list[i].kind);
                assert_true(matrix->kind != SOA_MATRIX_KERNEL || matrix->kernel == list[i].kernel);
                job_free(&j);
            }
            soa_sample_free(&sample);
        }
    }
    job_writing = SOA_AS_WRITTEN;
}

/* Closed chains: [CC], the correction [TIP], and a block equation with its multipliers. */
static void closed_chains_equal_dense(void **state)
{
    (void)state;
    static const char *const text[] = {
        "bb = D^(-1/2) H psi B A'; (I - H psi K)' D^(-1/2) (I - bb inv(A Lambda A') bb') D^(-1/2) (I - H psi K) u_jf",
        "Mass^-1 (u_jf - J' A' inv(A J Mass^-1 J' A') (A J Mass^-1 u_jf - u_cm))",
        "-(I - H psi K)' D^-1 H psi B A' u_cf",
        "A J Mass^-1 (u_jf - J' A' inv(A Lambda A') A J Mass^-1 u_jf)",
    };
    const soa_allocator plain = soa_allocator_default();
    unsigned long long seed = 31;
    double worst = 0.0;
    int found = 0;
    for (int i = 0; i < 40; i++) {
        soa_sample sample;
        OK(soa_sample_new(&sample, &seed, i % 2, &plain, &job_error));
        drawn.used = 0;
        random_declarations(&drawn);
        random_put(&drawn, text[i % 4]);
        job_writing = i < 20 ? SOA_SIMPLIFIED : SOA_AS_WRITTEN;
        found += compare_text(&sample, drawn.text, &worst);
        soa_sample_free(&sample);
    }
    print_message("%d with a value, worst relative error %.1e\n", found, worst);
    assert_true(found >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_vectors_equal_dense),
        cmocka_unit_test(random_operators_equal_dense),
        cmocka_unit_test(structured_matrices),
        cmocka_unit_test(closed_chains_equal_dense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
