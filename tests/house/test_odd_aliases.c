/* An output may be the same array as an input of that size. Whatever the numbers are, ordinary, too large or not finite, the function
 * then says and gives what it does with arrays of their own. */
#include "house/odd_models.h"

#include <math.h>
#include <stdlib.h>

#include "listed.h"

enum { STATES = 9, BAD = 4 };

/* What the numbers of a case are. */
typedef enum numbers { ORDINARY, NOT_FINITE, TOO_LARGE, CASES } numbers;

static double *room(size_t n)
{
    double *x = calloc(n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

/* All inputs; the last number of input `odd` is not finite in one state. */
static void fill(const listed_call *c, double *input[INPUTS], int odd, numbers kind)
{
    unsigned long long seed = 6;
    for (int i = 0; i < INPUTS; i++) {
        for (size_t k = 0; k < STATES * c->reads[i]; k++) {
            input[i][k] = soa_model_random_number(&seed) * (kind == TOO_LARGE && i == odd ? 1e300 : 1.0);
        }
    }
    for (size_t s = 0; s < STATES && c->reads[INPUT_q] > 0; s++) {
        soa_random_configuration(c->m, &seed, input[INPUT_q] + s * c->reads[INPUT_q]);
    }
    if (kind == NOT_FINITE) {
        input[odd][(BAD + 1) * c->reads[odd] - 1] = NAN;
    }
}

/* Runs with output o in the array `into`, the others in their own. */
static soa_status run(
    const listed_function *f, listed_call *c, double *input[INPUTS], double **output, int o, double *into)
{
    soa_error_clear(&c->error);
    for (int i = 0; i < INPUTS; i++) {
        c->input[i] = input[i];
    }
    for (int i = 0; i < c->outputs; i++) {
        c->output[i] = i == o ? into : output[i];
    }
    return f->run(c);
}

static void check_pair(const char *model, const listed_function *f, listed_call *c, int o, int i)
{
    double *input[INPUTS], *output[LISTED_OUTPUTS], *expected = room(STATES * c->writes[o]);
    for (int k = 0; k < INPUTS; k++) {
        input[k] = room(STATES * c->reads[k]);
    }
    for (int k = 0; k < c->outputs; k++) {
        output[k] = room(STATES * c->writes[k]);
    }
    for (int kind = 0; kind < CASES; kind++) {
        fill(c, input, i, (numbers)kind);
        const soa_status status = run(f, c, input, output, o, expected);
        const soa_error error = c->error;
        const bool written = status == SOA_OK || error.state >= 0; /* else the call is refused as a whole */
        const soa_status same = run(f, c, input, output, o, input[i]);
        if (same != status || c->error.body != error.body || c->error.state != error.state ||
            strcmp(c->error.text, error.text) != 0 ||
            (written && memcmp(expected, input[i], STATES * c->writes[o] * sizeof *expected) != 0)) {
            fail_msg("soa_%s on %s, output %d is input %d, numbers %d: '%s' instead of '%s', or other numbers", f->name,
                model, o, i, kind, c->error.text, error.text);
        }
    }
    for (int k = 0; k < INPUTS; k++) {
        free(input[k]);
    }
    for (int k = 0; k < c->outputs; k++) {
        free(output[k]);
    }
    free(expected);
}

/* Every output that has as many numbers as an input. Hybrid dynamics reads its outputs. */
static int check_function(const char *model, const listed_function *f, listed_call *c)
{
    int pairs = 0;
    f->measure(c);
    for (int o = 0; o < c->outputs && !strstr(f->name, "hybrid"); o++) {
        for (int i = 0; i < INPUTS; i++) {
            if (c->writes[o] > 0 && c->writes[o] == c->reads[i]) {
                check_pair(model, f, c, o, i);
                pairs++;
            }
        }
    }
    return pairs;
}

static void outputs_may_be_inputs(void **state)
{
    (void)state;
    static const int number[] = { ODD_CHAIN, ODD_FLEXIBLE, ODD_KINDS + SOA_PRISMATIC, ODD_KINDS + SOA_FREE };
    int pairs = 0;
    for (size_t n = 0; n < sizeof number / sizeof *number; n++) {
        char name[64];
        soa_model *m = odd_model(number[n]);
        soa_point point[LISTED_POINTS];
        listed_call c = { .m = m, .points = LISTED_POINTS, .states = STATES, .point = point };
        bool *prescribed = calloc((size_t)soa_model_nv(m) + 1, sizeof *prescribed);
        odd_name(number[n], name);
        for (int i = 0; i < LISTED_POINTS; i++) {
            point[i] = (soa_point){ i % soa_model_links(m), soa_pose_identity() };
        }
        c.prescribed = prescribed;
        assert_int_equal(soa_workspace_new(m, NULL, &c.w, NULL), SOA_OK);
        const int widest = soa_workspace_lanes(c.w);
        for (int lanes = 1; lanes <= widest; lanes += widest > 1 ? widest - 1 : 1) {
            assert_int_equal(soa_workspace_set_lanes(c.w, lanes, NULL), SOA_OK);
            for (int f = 0; f < LISTED_COUNT; f++) {
                pairs += check_function(name, &LISTED[f], &c);
            }
        }
        soa_workspace_free(c.w);
        free(prescribed);
        soa_model_free(m);
    }
    assert_true(pairs > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(outputs_may_be_inputs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
