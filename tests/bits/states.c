/* tests/bits/states.c - every function that takes states. */
#include "bits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "listed.h"

/* States of a call: a few if they run one by one, as those of large models and derivatives of flexible links do. */
enum { STATES = 11, FEW_STATES = 3, LARGE = 1000, BROKEN = 9 };

/* Models whose outputs of all states are more numbers than this have no row. */
#define MOST_NUMBERS 4000000u

typedef struct work {
    listed_call call;
    double *input[INPUTS], *out[LISTED_OUTPUTS]; /* of all states */
    int states;
    bool rest;   /* v, vdot and f are left out */
    bool broken; /* one number of q is none, and a first quaternion has not unit length */
} work;

/* Some functions read their outputs (hybrid dynamics): these hold the same numbers before every run. */
static void fill_outputs(work *x)
{
    unsigned long long seed = 77;
    for (int o = 0; o < x->call.outputs; o++) {
        bits_random(&seed, (size_t)x->states * x->call.writes[o], x->out[o]);
    }
}

/* `states` states from `first` on in one call. */
static soa_status run_part(const listed_function *f, work *x, int first, int states)
{
    listed_call *c = &x->call;
    c->first = first, c->states = states;
    for (int i = 0; i < INPUTS; i++) {
        c->input[i] = x->rest && (i == INPUT_v || i == INPUT_vdot || i == INPUT_f) ? NULL : x->input[i];
    }
    for (int o = 0; o < c->outputs; o++) {
        c->output[o] = x->out[o] + (size_t)first * c->writes[o];
    }
    return f->run(c);
}

/* All states with one set of other arguments; goes on with the hash. The first status that is not success. */
static soa_status run_variant(const listed_function *f, work *x, const way *w, int variant, hash *h)
{
    soa_status status = SOA_OK;
    x->call.method = (soa_method)(variant % VARIANTS_method);
    x->call.axes = (soa_axes)(variant % VARIANTS_axes);
    x->call.velocity = variant * (soa_model_nv(x->call.m) - 1) / VARIANTS_velocity;
    fill_outputs(x);
    for (int s = 0; s < x->states; s += w->singly ? 1 : x->states) {
        const soa_status one = run_part(f, x, s, w->singly ? 1 : x->states);
        status = status == SOA_OK ? one : status;
    }
    for (int o = 0; o < x->call.outputs; o++) {
        *h = hash_numbers(*h, (size_t)x->states * x->call.writes[o], x->out[o]);
    }
    return status;
}

static void row_of(const char *model, const listed_function *f, work *x, soa_batch *batch)
{
    hash h[WAYS];
    bool done[WAYS] = { false };
    soa_status status[WAYS] = { SOA_OK };
    char name[80];
    soa_workspace *w = x->call.w;
    const int widest = soa_workspace_lanes(w);
    for (int i = 0; i < WAYS; i++) {
        x->call.batch = WAY[i].threads ? batch : NULL;
        done[i] = way_counts(x->call.m, &WAY[i], widest) &&
                  soa_workspace_set_lanes(w, WAY[i].lanes ? WAY[i].lanes : widest, NULL) == SOA_OK;
        h[i] = hash_begin(SOA_OK);
        for (int variant = 0; done[i] && variant < x->call.variants; variant++) {
            const soa_status one = run_variant(f, x, &WAY[i], variant, &h[i]);
            status[i] = status[i] == SOA_OK ? one : status[i];
        }
        h[i] += (hash)status[i];
    }
    (void)soa_workspace_set_lanes(w, widest, NULL);
    (void)snprintf(name, sizeof name, "%s%s", f->name, x->rest ? " [rest]" : x->broken ? " [broken]" : "");
    print_row(model, name, done, h, status[0]);
}

/* The rows of a function, with all inputs and with those that may be left out left out. */
static void rows_of(const char *model, const listed_function *f, work *x, soa_batch *batch)
{
    listed_call *c = &x->call;
    size_t numbers = 0;
    f->measure(c);
    for (int o = 0; o < c->outputs; o++) {
        numbers += (size_t)x->states * c->writes[o];
    }
    if (numbers > MOST_NUMBERS) {
        return;
    }
    for (int o = 0; o < c->outputs; o++) {
        x->out[o] = bits_numbers((size_t)x->states * c->writes[o]);
    }
    x->rest = x->broken = false;
    row_of(model, f, x, batch);
    if (x->states > BROKEN && soa_model_bodies(c->m) <= 10) {
        double *q = x->input[INPUT_q] + BROKEN * soa_model_nq(c->m), *before = q - soa_model_nq(c->m);
        const double first = q[0], w = before[0];
        x->broken = true, q[0] = NAN, before[0] += 0.1;
        row_of(model, f, x, batch);
        x->broken = false, q[0] = first, before[0] = w;
    }
    if (c->reads[INPUT_v] > 0 || c->reads[INPUT_vdot] > 0 || c->reads[INPUT_f] > 0) {
        x->rest = true;
        row_of(model, f, x, batch);
    }
    for (int o = 0; o < c->outputs; o++) {
        bits_free(x->out[o]);
    }
}

/* States 1 to 4 are neutral, near it and half a turn away from it, the others random. Flexible links bend a little. */
static void fill_configurations(const soa_model *model, unsigned long long *seed, int states, double *q)
{
    static const double FAR[] = { 0.0, 1e-9, 1e-3, 3.14159265358979312 };
    enum { SPECIAL = sizeof FAR / sizeof FAR[0] };
    const int nq = soa_model_nq(model), nv = soa_model_nv(model);
    double *one = bits_numbers((size_t)nv);
    for (int i = 0; i < nv; i++) {
        one[i] = 1.0;
    }
    for (int s = 0; s < states; s++, q += nq) {
        soa_random_configuration(model, seed, q);
        if (s > 0 && s <= SPECIAL) {
            soa_model_neutral(model, q);
            soa_integrate(model, q, one, FAR[s - 1], q);
        }
        for (int k = 0; k < soa_model_bodies(model); k++) {
            const soa_body body = soa_model_body(model, k);
            for (int i = 0; body.flexible && i < body.nq; i++) {
                q[body.q + i] = 0.002 * soa_model_random_number(seed);
            }
        }
    }
    bits_free(one);
}

/* The functions from `first` to before `end` of the list. */
static void rows_from(const char *name, const soa_model *model, int states, int first, int end)
{
    unsigned long long seed = 5;
    work x = { .call = { .m = model, .points = LISTED_POINTS }, .states = states };
    soa_batch *batch = NULL;
    soa_point point[LISTED_POINTS];
    const size_t nq = (size_t)soa_model_nq(model), nv = (size_t)soa_model_nv(model);
    const size_t most = nq + 6 * (size_t)soa_model_bodies(model) + (size_t)(36 * LISTED_POINTS * LISTED_POINTS);
    bool *prescribed = calloc(nv + 1, sizeof *prescribed);
    if (!prescribed || soa_workspace_new(model, NULL, &x.call.w, NULL) != SOA_OK ||
        soa_batch_new(model, 3, NULL, &batch, NULL) != SOA_OK) {
        bits_fail("out of memory");
    }
    for (int i = 0; i < INPUTS; i++) {
        x.input[i] = bits_numbers((size_t)x.states * most);
        bits_random(&seed, (size_t)x.states * most, x.input[i]);
    }
    fill_configurations(model, &seed, x.states, x.input[INPUT_q]);
    for (size_t s = 0; s < (size_t)x.states; s++) {
        soa_couple(model, x.input[INPUT_q] + s * nq, x.input[INPUT_v] + s * nv);
    }
    bits_points(model, &seed, LISTED_POINTS, point);
    for (int i = 0; i < soa_model_bodies(model); i++) {
        const soa_body body = soa_model_body(model, i);
        memset(prescribed + body.v, i % 3 == 1, (size_t)body.nv);
    }
    x.call.point = point, x.call.prescribed = prescribed;
    for (int f = first; f < end; f++) {
        rows_of(name, &LISTED[f], &x, batch);
    }
    for (int i = 0; i < INPUTS; i++) {
        bits_free(x.input[i]);
    }
    free(prescribed);
    soa_batch_free(batch);
    soa_workspace_free(x.call.w);
}

void bits_dynamics(const char *name, const soa_model *model)
{
    rows_from(name, model, soa_model_bodies(model) > LARGE ? FEW_STATES : STATES, 0, LISTED_DYNAMICS);
}

void bits_derivatives(const char *name, const soa_model *model)
{
    bool bends = false;
    for (int i = 0; i < soa_model_bodies(model); i++) {
        bends = bends || soa_model_body(model, i).flexible;
    }
    rows_from(name, model, bends ? FEW_STATES : STATES, LISTED_DYNAMICS, LISTED_COUNT);
}
