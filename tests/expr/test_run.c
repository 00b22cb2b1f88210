/* Expressions run: against dense matrices from the definitions, and against the named algorithms. */
#include "random_run.h"

#include <stdlib.h>

#include "expr/compile.h"
#include "expr/dense_value.h"
#include "expr/parse.h"
#include "model/model.h"
#include "soa/soa.h"
#include "spatial/check.h"

/* ---- texts of the algorithms ------------------------------------------------------------------------ */

static const char FD1[] = "Tp = T - H phi (M phi' a + b + B f_c); "
                          "betadot = (I - H psi K)' D^-1 (I - H psi K) Tp";
static const char FD2[] = "Tp = T - H phi (M phi' a + b + B f_c); nu = D^-1 (I - H psi K) Tp; "
                          "betadot = (I - H psi K)' nu; acc = psi' H' nu + phi' a";
static const char FD3[] = "zeta = M phi' a + b + B f_c; eps = T - H psi (K T + zeta); "
                          "betadot = (I - H psi K)' D^-1 eps";
static const char FD4[] = "nu = D^-1 ((I - H psi K) T - H psi (b + B f_c) - H psi~ P a); "
                          "betadot = (I - H psi K)' nu - K' psi' taubar' a - G' a";

/* The same without forces at points, and the result alone. */
static const char FD1_BARE[] = "Tp = T - H phi (M phi' a + b); betadot = (I - H psi K)' D^-1 (I - H psi K) Tp";
static const char FD3_BARE[] = "zeta = M phi' a + b; eps = T - H psi (K T + zeta); betadot = (I - H psi K)' D^-1 eps";
static const char FD4_BARE[] = "nu = D^-1 ((I - H psi K) T - H psi b - H psi~ P a); "
                               "betadot = (I - H psi K)' nu - K' psi' taubar' a - G' a";

/* ---- a program at work ---------------------------------------------------------------------------------- */

typedef struct job {
    soa_program *program;
    soa_compiled *compiled;
    soa_runner *runner;
} job;

#define OK(call)                                       \
    do {                                               \
        if ((call) != SOA_OK) {                        \
            fail_msg("%s: %s", #call, job_error.text); \
        }                                              \
    } while (0)

static soa_error job_error;

/* The last statement of a text, or all of them. */
static job job_new(const soa_model *model, const char *text, bool all, int points, const soa_point *point)
{
    job j;
    OK(soa_program_new(NULL, &j.program, &job_error));
    OK(soa_program_read(j.program, text, SOA_READ_PROGRAM, &job_error));
    const int last = soa_program_statements(j.program) - 1;
    OK(soa_compile(model, j.program, all ? 0 : 1, all ? NULL : &last, &j.compiled, &job_error));
    OK(soa_runner_new(j.compiled, points, point, NULL, &j.runner, &job_error));
    return j;
}

static void job_free(job *j)
{
    soa_runner_free(j->runner);
    soa_compiled_free(j->compiled);
    soa_program_free(j->program);
}

typedef struct states {
    int count, nq, nv;
    double *q, *v, *T, *y, *z;
} states;

static states states_new(const soa_model *model, int count, unsigned long long seed)
{
    states s = { count, soa_model_nq(model), soa_model_nv(model), NULL, NULL, NULL, NULL, NULL };
    const size_t n = (size_t)count * (size_t)s.nv + 1;
    s.q = calloc((size_t)count * (size_t)s.nq + 1, sizeof(double));
    s.v = calloc(n, sizeof(double));
    s.T = calloc(n, sizeof(double));
    s.y = calloc(n, sizeof(double));
    s.z = calloc(n, sizeof(double));
    for (int i = 0; i < count; i++) {
        soa_random_configuration(model, &seed, s.q + i * s.nq);
    }
    random_fill(&seed, count * s.nv, s.v);
    random_fill(&seed, count * s.nv, s.T);
    return s;
}

static void states_free(states *s)
{
    free(s->q), free(s->v), free(s->T), free(s->y), free(s->z);
}

static soa_model *model_of(const char *name)
{
    soa_model *model;
    OK(soa_model_builtin(name, NULL, &model, &job_error));
    return model;
}

static void bind_state(const job *j, const states *s)
{
    OK(soa_runner_bind(j->runner, "T", s->T, &job_error));
    OK(soa_runner_bind(j->runner, "beta", s->v, &job_error));
    OK(soa_runner_bind_output(j->runner, "betadot", s->y, &job_error));
}

/* ---- sweeps --------------------------------------------------------------------------------------------- */

/* [FD1] has four sweeps as written, [FD3] and [FD4] three; fused, all have three. */
static void sweeps_of_the_algorithms(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int written, fused;
    } list[] = { { FD1, 4, 3 }, { FD2, 4, 3 }, { FD3, 3, 3 }, { FD4, 3, 3 }, { "Mass^-1 T", 2, 2 },
        { "Mass betadot", 2, 2 }, { "J Mass^-1 J' f_c", 4, 2 }, { "B' psi' H' D^-1 H psi B f_c", 2, 2 }, { "V", 1, 1 },
        { "H f", 2, 2 }, { "M V", 1, 1 }, { "M alpha", 1, 1 }, { "phi phi T1", 2, 1 } };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        soa_program *program;
        soa_compiled *compiled;
        OK(soa_program_new(NULL, &program, &job_error));
        OK(soa_program_read(program, "T1: body force", SOA_READ_PROGRAM, &job_error));
        OK(soa_program_read(program, list[i].text, SOA_READ_PROGRAM, &job_error));
        const int last = soa_program_statements(program) - 1;
        OK(soa_compile(NULL, program, 1, &last, &compiled, &job_error));
        assert_int_equal(soa_compiled_sweeps_written(compiled), list[i].written);
        assert_int_equal(soa_compiled_sweeps(compiled), list[i].fused);
        soa_compiled_free(compiled);
        soa_program_free(program);
    }
}

/* ---- the same bits as the hand-written algorithms -------------------------------------------------------- */

static void same_bits(const soa_model *model, const char *text, soa_method method, int count, unsigned long long seed)
{
    states s = states_new(model, count, seed);
    soa_workspace *w;
    job j = job_new(model, text, false, 0, NULL);
    bind_state(&j, &s);
    OK(soa_workspace_new(model, NULL, &w, &job_error));
    OK(soa_forward_dynamics_by(model, w, method, count, s.q, s.v, s.T, NULL, s.z, &job_error));
    for (int lanes = 1; lanes <= 8; lanes *= 2) {
        if (soa_runner_set_lanes(j.runner, lanes, NULL) == SOA_OK) {
            memset(s.y, 0xff, (size_t)(count * s.nv) * sizeof(double));
            OK(soa_runner_run(j.runner, count, s.q, &job_error));
            assert_memory_equal(s.y, s.z, (size_t)(count * s.nv) * sizeof(double));
        }
    }
    soa_workspace_free(w);
    job_free(&j);
    states_free(&s);
}

static void bits_of_forward_dynamics(void **state)
{
    (void)state;
    static const char *const name[] = { "humanoid", "quadruped", "arm7", "chain:40" };
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        soa_model *model = NULL;
        if (soa_model_builtin(name[i], NULL, &model, &job_error) != SOA_OK) {
            continue;
        }
        same_bits(model, FD4_BARE, SOA_FD_FASTEST, 19, 5 + i);
        same_bits(model, FD1_BARE, SOA_FD1, 9, 6 + i);
        same_bits(model, FD3_BARE, SOA_FD3, 10, 7 + i);
        soa_model_free(model);
    }
    for (int i = 0; i < 12; i++) { /* all joints; with rotors [FD4] alone is theirs */
        char text[32];
        snprintf(text, sizeof text, "tree:%d,%d", 3 + 2 * i, i);
        soa_model *model = model_of(text);
        bool turning = false;
        for (int k = 0; k < soa_model_bodies(model); k++) {
            const soa_joint_kind kind = model->body[k].rest->shape.kind;
            turning = turning || (model->body[k].armature != 0.0 && (kind == SOA_PLANAR || kind == SOA_FREE));
        }
        if (!turning) {
            same_bits(model, FD4_BARE, SOA_FD_FASTEST, 11, 50 + (unsigned)i);
        }
        soa_model_free(model);
    }
}

/* Mass^-1 x is soa_mass_solve bit by bit. */
static void bits_of_mass_solve(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        char name[32];
        snprintf(name, sizeof name, "tree:%d,%d", 2 + 4 * i, 90 + i);
        soa_model *model = model_of(name);
        states s = states_new(model, 9, 3);
        soa_workspace *w;
        job j = job_new(model, "Mass^-1 T", false, 0, NULL);
        OK(soa_runner_bind(j.runner, "T", s.T, &job_error));
        OK(soa_runner_bind_output(j.runner, "y", s.y, &job_error));
        OK(soa_workspace_new(model, NULL, &w, &job_error));
        OK(soa_runner_run(j.runner, s.count, s.q, &job_error));
        OK(soa_mass_solve(model, w, s.count, s.q, s.T, s.z, &job_error));
        assert_memory_equal(s.y, s.z, (size_t)(s.count * s.nv) * sizeof(double));
        soa_workspace_free(w);
        job_free(&j);
        states_free(&s);
        soa_model_free(model);
    }
}

/* With forces at points the four algorithms agree, and FD2 gives the accelerations on the way. */
static void algorithms_agree(void **state)
{
    (void)state;
    soa_model *model = model_of("humanoid");
    const soa_point point[] = { { 5, soa_pose_identity() }, { 9, soa_pose_identity() } };
    states s = states_new(model, 5, 77);
    double f_c[5 * 12];
    unsigned long long seed = 4;
    random_fill(&seed, 60, f_c);
    static const char *const text[] = { FD1, FD2, FD3, FD4 };
    for (int i = 0; i < 4; i++) {
        job j = job_new(model, text[i], true, 2, point);
        bind_state(&j, &s);
        OK(soa_runner_bind(j.runner, "f_c", f_c, &job_error));
        OK(soa_runner_bind_output(j.runner, "betadot", i == 0 ? s.z : s.y, &job_error));
        OK(soa_runner_run(j.runner, s.count, s.q, &job_error));
        for (int k = 0; i > 0 && k < s.count * s.nv; k++) {
            assert_true(fabs(s.y[k] - s.z[k]) <= 1e-10 * (1.0 + fabs(s.z[k])));
        }
        job_free(&j);
    }
    states_free(&s);
    soa_model_free(model);
}

/* H f is inverse dynamics, and C its part without betadot. */
static void inverse_dynamics_agrees(void **state)
{
    (void)state;
    soa_model *model = model_of("humanoid");
    states s = states_new(model, 9, 12);
    soa_workspace *w;
    job j = job_new(model, "tau_all = H f; rest = Mass betadot + C - tau_all", true, 0, NULL);
    double *rest = calloc((size_t)(s.count * s.nv), sizeof *rest);
    OK(soa_runner_bind(j.runner, "betadot", s.T, &job_error));
    OK(soa_runner_bind(j.runner, "beta", s.v, &job_error));
    OK(soa_runner_bind_output(j.runner, "tau_all", s.y, &job_error));
    OK(soa_runner_bind_output(j.runner, "rest", rest, &job_error));
    OK(soa_runner_run(j.runner, s.count, s.q, &job_error));
    OK(soa_workspace_new(model, NULL, &w, &job_error));
    OK(soa_inverse_dynamics(model, w, s.count, s.q, s.v, s.T, NULL, s.z, &job_error));
    for (int i = 0; i < s.count * s.nv; i++) {
        assert_true(fabs(s.y[i] - s.z[i]) <= 1e-10 * (1.0 + fabs(s.z[i])));
        assert_true(fabs(rest[i]) <= 1e-9);
    }
    free(rest);
    soa_workspace_free(w);
    job_free(&j);
    states_free(&s);
    soa_model_free(model);
}

/* ---- random expressions against dense matrices ------------------------------------------------------------- */

/* The numbers of a term on the sample, in double. */
static double *dense_numbers(
    const soa_sample *sample, soa_terms *terms, const soa_term *term, soa_status *status, double *largest)
{
    soa_arena arena = soa_arena_on(soa_terms_allocator(terms));
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
    soa_terms *terms = soa_program_terms(j.program);
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
    y[n] = 12345.0;
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
        soa_maker_kind kind;
    } list[] = { { "Mass", SOA_MAKE_MASS }, { "H phi M phi' H'", SOA_MAKE_MASS }, { "Mass^-1", SOA_MAKE_MASS_INV },
        { "(I - H psi K)' D^-1 (I - H psi K)", SOA_MAKE_MASS_INV }, { "J", SOA_MAKE_JACOBIAN },
        { "H phi B", SOA_MAKE_JACOBIAN }, { "B' phi' H'", SOA_MAKE_JACOBIAN }, { "J Mass^-1 J'", SOA_MAKE_LAMBDA },
        { "B' psi' H' D^-1 H psi B", SOA_MAKE_LAMBDA }, { "B' Omega B", SOA_MAKE_LAMBDA },
        { "Lambda", SOA_MAKE_LAMBDA }, { "A Lambda A'", SOA_MAKE_PRODUCT }, { "A J Mass^-1 J' A'", SOA_MAKE_PRODUCT },
        { "A J", SOA_MAKE_PRODUCT }, { "Mass + 2 H phi M phi' H'", SOA_MAKE_SUM }, { "phi M phi'", SOA_MAKE_RIGID },
        { "Omega", SOA_MAKE_OMEGA }, { "psi' H' D^-1 H psi", SOA_MAKE_OMEGA }, { "phi P phi'", SOA_MAKE_COLUMNS },
        { "Mass^-1 J'", SOA_MAKE_COLUMNS } };
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
                assert_int_equal(soa_compiled_output_at(j.compiled, 0)->maker->kind, list[i].kind);
                job_free(&j);
            }
            soa_sample_free(&sample);
        }
    }
}

/* ---- lanes, memory, refusals ---------------------------------------------------------------------------------- */

/* The bits do not depend on lanes. */
static void lanes_agree(void **state)
{
    (void)state;
    soa_model *model = model_of("tree:12,5");
    const soa_point point[] = { { 3, soa_pose_identity() }, { 7, soa_pose_identity() } };
    enum { STATES = 13 };
    for (int i = 0; i < 60; i++) {
        drawn.used = 0;
        drawn.seed = (unsigned)i + 900;
        random_declarations(&drawn);
        random_vector_text(&drawn, random_vector[i % 6].place, 2 + i % 3);
        if (strstr(drawn.text, "A")) {
            continue;
        }
        job j = job_new(model, drawn.text, false, 2, point);
        states s = states_new(model, STATES, 8);
        double *bound[RANDOM_VECTORS] = { NULL };
        unsigned long long seed = 5;
        for (int k = 0; k < RANDOM_VECTORS; k++) {
            const int n = soa_runner_numbers(j.runner, random_vector[k].name);
            bound[k] = n > 0 ? calloc((size_t)(STATES * n), sizeof(double)) : NULL;
            random_fill(&seed, n > 0 ? STATES * n : 0, bound[k]);
            (void)soa_runner_bind(j.runner, random_vector[k].name, bound[k], NULL);
        }
        const size_t n = (size_t)(STATES * soa_runner_numbers(j.runner, "y"));
        double *one = calloc(n + 1, sizeof *one), *many = calloc(n + 1, sizeof *many);
        OK(soa_runner_set_lanes(j.runner, 1, &job_error));
        OK(soa_runner_bind_output(j.runner, "y", one, &job_error));
        OK(soa_runner_run(j.runner, STATES, s.q, &job_error));
        for (int lanes = 4; lanes <= 8; lanes *= 2) {
            if (soa_runner_set_lanes(j.runner, lanes, NULL) == SOA_OK) {
                OK(soa_runner_bind_output(j.runner, "y", many, &job_error));
                OK(soa_runner_run(j.runner, STATES, s.q, &job_error));
                if (memcmp(one, many, n * sizeof(double)) != 0) {
                    fail_msg("%d lanes differ: %s", lanes, drawn.text);
                }
            }
        }
        for (int k = 0; k < RANDOM_VECTORS; k++) {
            free(bound[k]);
        }
        free(one), free(many);
        states_free(&s);
        job_free(&j);
    }
    soa_model_free(model);
}

typedef struct counter {
    int taken, alive, left;
} counter;

static void *count_allocate(void *context, size_t size)
{
    counter *c = context;
    if (c->left-- <= 0) {
        return NULL;
    }
    const soa_allocator from = soa_allocator_default();
    void *block = from.allocate(from.context, size);
    c->taken++;
    c->alive += block != NULL;
    return block;
}

static void count_release(void *context, void *block)
{
    counter *c = context;
    const soa_allocator from = soa_allocator_default();
    c->alive -= block != NULL;
    from.release(from.context, block);
}

static const char WHOLE[] = "betadot = Mass^-1 (T - C); r = inv(A Lambda A') A J betadot; e = D^(1/2) betadot; Mass; "
                            "A J Mass^-1 J' A'; phi M phi'";

/* A run takes no memory. */
static void running_allocates_nothing(void **state)
{
    (void)state;
    counter c = { 0, 0, 1 << 30 };
    const soa_allocator allocator = { count_allocate, count_release, &c };
    soa_model *model = model_of("humanoid");
    const soa_point point[] = { { 5, soa_pose_identity() }, { 9, soa_pose_identity() } };
    states s = states_new(model, 5, 7);
    soa_program *program;
    soa_compiled *compiled;
    soa_runner *runner;
    double A[3 * 12];
    unsigned long long seed = 2;
    random_fill(&seed, 36, A);
    OK(soa_program_new(&allocator, &program, &job_error));
    OK(soa_program_read(program, WHOLE, SOA_READ_PROGRAM, &job_error));
    OK(soa_compile(model, program, 0, NULL, &compiled, &job_error));
    OK(soa_runner_new(compiled, 2, point, &allocator, &runner, &job_error));
    OK(soa_runner_set_constraints(runner, 3, A, &job_error));
    OK(soa_runner_bind(runner, "T", s.T, &job_error));
    OK(soa_runner_bind(runner, "beta", s.v, &job_error));
    double *out[8];
    assert_int_equal(soa_compiled_outputs(compiled), 6);
    for (int i = 0; i < 6; i++) {
        const char *name = soa_compiled_output_info(compiled, i).name;
        out[i] = calloc((size_t)(5 * soa_runner_numbers(runner, name)), sizeof(double));
        OK(soa_runner_bind_output(runner, name, out[i], &job_error));
    }
    const int taken = c.taken;
    c.left = 0;
    OK(soa_runner_run(runner, 5, s.q, &job_error));
    assert_int_equal(c.taken, taken);
    for (int i = 0; i < 6; i++) {
        free(out[i]);
    }
    soa_runner_free(runner);
    soa_compiled_free(compiled);
    soa_program_free(program);
    assert_int_equal(c.alive, 0);
    states_free(&s);
    soa_model_free(model);
}

/* Each allocation of compiling and of making a runner fails once: SOA_E_MEMORY, and nothing leaks. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    soa_model *model = model_of("arm7");
    const soa_point point[] = { { 3, soa_pose_identity() } };
    soa_status status = SOA_E_MEMORY;
    int n = 0;
    for (; status == SOA_E_MEMORY; n++) {
        counter c = { 0, 0, 1 << 30 };
        const soa_allocator allocator = { count_allocate, count_release, &c };
        soa_program *program;
        soa_compiled *compiled = NULL;
        soa_runner *runner = NULL;
        OK(soa_program_new(&allocator, &program, &job_error));
        OK(soa_program_read(program, WHOLE, SOA_READ_PROGRAM, &job_error));
        c.left = n;
        status = soa_compile(model, program, 0, NULL, &compiled, &job_error);
        status = status == SOA_OK ? soa_runner_new(compiled, 1, point, &allocator, &runner, &job_error) : status;
        c.left = 1 << 30;
        soa_runner_free(runner);
        soa_compiled_free(compiled);
        soa_program_free(program);
        assert_int_equal(c.alive, 0);
    }
    assert_int_equal(status, SOA_OK);
    print_message("%d allocations\n", n);
    soa_model_free(model);
}

static void bad_calls_are_refused(void **state)
{
    (void)state;
    soa_model *model = model_of("arm7");
    states s = states_new(model, 3, 7);
    job j = job_new(model, FD4_BARE, false, 0, NULL);
    OK(soa_runner_bind(j.runner, "T", s.T, &job_error));
    OK(soa_runner_bind_output(j.runner, "betadot", s.y, &job_error));
    assert_int_equal(soa_runner_run(j.runner, 1, s.q, &job_error), SOA_E_ARGUMENT);
    assert_non_null(strstr(job_error.text, "beta"));
    OK(soa_runner_bind(j.runner, "beta", s.v, &job_error));
    assert_int_equal(soa_runner_bind(j.runner, "U", s.v, &job_error), SOA_E_NAME);
    assert_int_equal(soa_runner_bind_output(j.runner, "U", s.y, &job_error), SOA_E_NAME);
    assert_int_equal(soa_runner_run(j.runner, -1, s.q, &job_error), SOA_E_ARGUMENT);
    assert_int_equal(soa_runner_run(j.runner, 1, NULL, &job_error), SOA_E_ARGUMENT);
    OK(soa_runner_run(j.runner, 3, s.q, &job_error));
    memcpy(s.z, s.y, (size_t)(3 * s.nv) * sizeof(double));
    s.T[s.nv + 2] = NAN;
    assert_int_equal(soa_runner_run(j.runner, 3, s.q, &job_error), SOA_E_NUMBER);
    assert_int_equal(job_error.state, 1);
    assert_memory_equal(s.y, s.z, (size_t)s.nv * sizeof(double));
    assert_true(isnan(s.y[s.nv]));
    assert_memory_equal(s.y + 2 * s.nv, s.z + 2 * s.nv, (size_t)s.nv * sizeof(double));
    job_free(&j);
    const soa_point twice[] = { { 3, soa_pose_identity() }, { 3, soa_pose_identity() } };
    j = job_new(model, "y = inv(Lambda) J beta", false, 2, twice); /* one point twice */
    OK(soa_runner_bind(j.runner, "beta", s.v, &job_error));
    assert_int_equal(soa_runner_run(j.runner, 1, s.q, &job_error), SOA_E_SINGULAR);
    job_free(&j);
    states_free(&s);
    soa_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_of_the_algorithms),
        cmocka_unit_test(bits_of_forward_dynamics),
        cmocka_unit_test(bits_of_mass_solve),
        cmocka_unit_test(algorithms_agree),
        cmocka_unit_test(inverse_dynamics_agrees),
        cmocka_unit_test(random_vectors_equal_dense),
        cmocka_unit_test(random_operators_equal_dense),
        cmocka_unit_test(structured_matrices),
        cmocka_unit_test(lanes_agree),
        cmocka_unit_test(running_allocates_nothing),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(bad_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
