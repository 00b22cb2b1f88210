/* Every function with states on odd models and odd numbers. The contract: success means that every number of the result is
 * finite; else the status and the error say which state is wrong, that state is NaN, and the others have the bits they have without
 * it. Arrays are of the size that the list says, so that a sanitizer sees any step outside. */
#include "house/odd_models.h"

#include <math.h>
#include <stdlib.h>

#include "listed.h"

enum { STATES = 3, BAD = 1 };

typedef struct odd {
    char model[64];
    listed_call call;
    double *input[INPUTS], *output[LISTED_OUTPUTS], *expected[LISTED_OUTPUTS];
    soa_point point[LISTED_POINTS];
    bool *prescribed;
    soa_status status; /* of the run with ordinary numbers */
    int findings;
} odd;

static double *numbers(size_t n)
{
    double *x = malloc((n > 0 ? n : 1) * sizeof *x);
    assert_non_null(x);
    return x;
}

/* Says what is wrong; the test fails at its end, so that all findings are seen. */
static void finding(odd *x, const listed_function *f, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_error("soa_%s on %s: %s\n", f->name, x->model, text);
    x->findings++;
}

/* ---- a function on a model ------------------------------------------------------------------------- */

static odd odd_of(const char *name, const soa_model *m)
{
    odd x = { .call = { .m = m, .points = LISTED_POINTS, .states = STATES } };
    soa_error error;
    const int nv = soa_model_nv(m);
    (void)snprintf(x.model, sizeof x.model, "%s", name);
    if (soa_workspace_new(m, NULL, &x.call.w, &error) != SOA_OK) {
        fail_msg("%s: %s", name, error.text);
    }
    x.prescribed = calloc((size_t)nv + 1, sizeof *x.prescribed);
    for (int i = 0; i < LISTED_POINTS; i++) {
        x.point[i].link = soa_model_links(m) > 0 ? i % soa_model_links(m) : SOA_WORLD;
        x.point[i].at = soa_pose_identity();
    }
    return x;
}

/* Ordinary inputs, and outputs, of exactly the size that the function asks for. */
static void odd_open(odd *x, const listed_function *f)
{
    unsigned long long seed = 6;
    listed_call *c = &x->call;
    f->measure(c);
    c->point = x->point, c->prescribed = x->prescribed;
    for (int i = 0; i < INPUTS; i++) {
        x->input[i] = numbers(STATES * c->reads[i]);
        for (size_t k = 0; k < STATES * c->reads[i]; k++) {
            x->input[i][k] = soa_model_random_number(&seed);
        }
    }
    for (size_t s = 0; s < STATES; s++) {
        soa_random_configuration(c->m, &seed, x->input[INPUT_q] + s * c->reads[INPUT_q]);
    }
    for (int o = 0; o < c->outputs; o++) {
        x->output[o] = numbers(STATES * c->writes[o]);
        x->expected[o] = numbers(STATES * c->writes[o]);
    }
}

static void odd_close(odd *x)
{
    for (int i = 0; i < INPUTS; i++) {
        free(x->input[i]);
    }
    for (int o = 0; o < x->call.outputs; o++) {
        free(x->output[o]);
        free(x->expected[o]);
    }
}

/* Runs with the inputs as they are. Outputs that are also inputs (hybrid dynamics) begin as ones. */
static soa_status odd_run(odd *x, const listed_function *f)
{
    listed_call *c = &x->call;
    soa_error_clear(&c->error);
    for (int i = 0; i < INPUTS; i++) {
        c->input[i] = x->input[i];
    }
    for (int o = 0; o < c->outputs; o++) {
        c->output[o] = x->output[o];
        for (size_t k = 0; k < STATES * c->writes[o]; k++) {
            x->output[o][k] = 1.0;
        }
    }
    return f->run(c);
}

static bool all_finite(const odd *x, int state)
{
    for (int o = 0; o < x->call.outputs; o++) {
        for (size_t k = 0; k < x->call.writes[o]; k++) {
            if (!isfinite(x->output[o][(size_t)state * x->call.writes[o] + k])) {
                return false;
            }
        }
    }
    return true;
}

static void same_state(odd *x, const listed_function *f, const char *what, int state)
{
    for (int o = 0; o < x->call.outputs; o++) {
        const size_t n = x->call.writes[o], at = (size_t)state * n;
        if (n > 0 && memcmp(x->output[o] + at, x->expected[o] + at, n * sizeof(double)) != 0) {
            finding(x, f, "%s in state %d changes state %d", what, BAD, state);
        }
    }
}

/* What holds of every run: success with finite numbers, or an error that says something. */
static void check_contract(odd *x, const listed_function *f, const char *what, soa_status status)
{
    for (int s = 0; s < STATES && status == SOA_OK; s++) {
        if (!all_finite(x, s)) {
            finding(x, f, "%s gives success and a number that is not finite", what);
        }
    }
    if (status != SOA_OK && x->call.error.text[0] == '\0') {
        finding(x, f, "%s gives '%s' without a text", what, soa_status_text(status));
    }
}

/* ---- odd numbers -------------------------------------------------------------------------------------- */

/* A number that is not finite, at every place of every input of one state. */
static void check_not_finite(odd *x, const listed_function *f)
{
    for (int i = 0; i < INPUTS && x->status == SOA_OK; i++) {
        for (size_t k = 0; k < x->call.reads[i]; k++) {
            char what[80];
            double *place = &x->input[i][BAD * x->call.reads[i] + k];
            const double kept = *place;
            *place = k % 2 == 0 ? NAN : INFINITY;
            (void)snprintf(what, sizeof what, "number %zu of input %d not finite", k, i);
            const soa_status status = odd_run(x, f);
            *place = kept;
            check_contract(x, f, what, status);
            /* The inertia of a singular state is NaN: that state stays singular. */
            const soa_status wanted = i == INPUT_inertia ? SOA_E_SINGULAR : SOA_E_NUMBER;
            if (status != wanted || x->call.error.state != BAD) {
                finding(x, f, "%s gives '%s' for state %d", what, soa_status_text(status), x->call.error.state);
            }
            same_state(x, f, what, 0);
            same_state(x, f, what, 2);
        }
    }
}

/* All inputs but q become so large, or so small. */
static void check_scale(odd *x, const listed_function *f, double scale)
{
    char what[80];
    double *kept[INPUTS];
    (void)snprintf(what, sizeof what, "inputs of size %g", scale);
    for (int i = 0; i < INPUTS; i++) {
        kept[i] = numbers(STATES * x->call.reads[i]);
        memcpy(kept[i], x->input[i], STATES * x->call.reads[i] * sizeof(double));
        for (size_t k = 0; k < STATES * x->call.reads[i] && i != INPUT_q; k++) {
            x->input[i][k] *= scale;
        }
    }
    const soa_status status = odd_run(x, f);
    check_contract(x, f, what, status);
    if (scale < 1.0 && x->status == SOA_OK && status != SOA_OK) {
        finding(x, f, "%s are refused: %s", what, x->call.error.text);
    }
    for (int i = 0; i < INPUTS; i++) {
        memcpy(x->input[i], kept[i], STATES * x->call.reads[i] * sizeof(double));
        free(kept[i]);
    }
}

/* Each array left out in turn: refused or optional, never followed. */
static void check_absent(odd *x, const listed_function *f)
{
    listed_call *c = &x->call;
    for (int i = 0; i < INPUTS + c->outputs; i++) {
        (void)odd_run(x, f);
        if (i < INPUTS) {
            c->input[i] = NULL;
        } else {
            c->output[i - INPUTS] = NULL;
        }
        soa_error_clear(&c->error);
        const soa_status status = f->run(c);
        if (status != SOA_OK && c->error.text[0] == '\0') {
            finding(x, f, "array %d left out gives '%s' without a text", i, soa_status_text(status));
        }
    }
}

static void check_sizes(odd *x, const listed_function *f)
{
    listed_call *c = &x->call;
    c->states = 0;
    const soa_status none = odd_run(x, f);
    c->states = -1;
    const soa_status less = odd_run(x, f);
    c->states = STATES;
    if (none != SOA_OK && x->status == SOA_OK) {
        finding(x, f, "refuses 0 states: %s", c->error.text);
    }
    if (less != SOA_E_ARGUMENT) {
        finding(x, f, "-1 states give '%s'", soa_status_text(less));
    }
    for (int o = 0; o < c->outputs; o++) {
        for (size_t k = 0; k < STATES * c->writes[o]; k++) {
            assert_true(x->output[o][k] == 1.0);
        }
    }
}

/* ---- the table ------------------------------------------------------------------------------------------ */

static void check_function(odd *x, const listed_function *f)
{
    odd_open(x, f);
    x->status = odd_run(x, f);
    check_contract(x, f, "an ordinary state", x->status);
    for (int o = 0; o < x->call.outputs; o++) {
        memcpy(x->expected[o], x->output[o], STATES * x->call.writes[o] * sizeof(double));
    }
    check_not_finite(x, f);
    static const double scales[] = { 1e160, 1e300, 1e-160, 5e-324 };
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        check_scale(x, f, scales[i]);
    }
    check_absent(x, f);
    check_sizes(x, f);
    odd_close(x);
}

static void every_function_on_odd_models(void **state)
{
    const int number = *(int *)*state;
    soa_model *m = odd_model(number);
    char name[64];
    odd_name(number, name);
    odd x = odd_of(name, m);
    for (int f = 0; f < LISTED_COUNT; f++) {
        check_function(&x, &LISTED[f]);
    }
    soa_workspace_free(x.call.w);
    free(x.prescribed);
    soa_model_free(m);
    assert_int_equal(x.findings, 0);
}

/* 10^5 bodies: what needs O(n) numbers is computed or refused; a number that is not finite is found. */
static void every_function_on_a_large_model(void **state)
{
    (void)state;
    soa_model *m = NULL;
    assert_int_equal(soa_model_builtin("tree:100000,3", NULL, &m, NULL), SOA_OK);
    odd x = odd_of("tree:100000,3", m);
    for (int f = 0; f < LISTED_COUNT; f++) {
        size_t most = 0;
        LISTED[f].measure(&x.call);
        for (int o = 0; o < x.call.outputs; o++) {
            most = x.call.writes[o] > most ? x.call.writes[o] : most;
        }
        if (most < 10000000) {
            odd_open(&x, &LISTED[f]);
            x.status = odd_run(&x, &LISTED[f]);
            check_contract(&x, &LISTED[f], "an ordinary state", x.status);
            odd_close(&x);
        }
    }
    soa_workspace_free(x.call.w);
    free(x.prescribed);
    soa_model_free(m);
    assert_int_equal(x.findings, 0);
}

int main(void)
{
    struct CMUnitTest tests[ODD_MODELS + 1];
    static int number[ODD_MODELS];
    static void *start[ODD_MODELS];
    static char names[ODD_MODELS][64];
    for (int i = 0; i < ODD_MODELS; i++) {
        number[i] = i, start[i] = &number[i];
        odd_name(i, names[i]);
        tests[i] = (struct CMUnitTest){ names[i], every_function_on_odd_models, NULL, NULL, start[i] };
    }
    tests[ODD_MODELS] = (struct CMUnitTest)cmocka_unit_test(every_function_on_a_large_model);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
