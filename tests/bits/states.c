/* tests/bits/states.c - every function that takes states, expanded from the lists of soa/batch.h and soa/sens_batch.h. */
#include "bits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 11, POINTS = 3, OUTPUTS = 4 };

/* Models whose outputs of all states are more numbers than this have no row. */
#define MOST_NUMBERS 4000000u

typedef enum input_id {
    INPUT_q,
    INPUT_v,
    INPUT_vdot,
    INPUT_f,
    INPUT_T,
    INPUT_x,
    INPUT_y,
    INPUT_inertia,
    INPUTS
} input_id;

typedef struct work {
    const soa_model *m;
    soa_workspace *w;
    soa_batch *batch; /* NULL: by the workspace */
    soa_error error;
    double *input[INPUTS];
    bool rest;   /* v, vdot and f are left out */
    bool rested; /* and the function would have read one of them */
    int first, states;
    double *out[OUTPUTS], *at[OUTPUTS]; /* all states, and from `first` on */
    size_t size[OUTPUTS];
    int outputs;
    int variants; /* how many values of its other arguments a function is run with */
    /* other arguments */
    soa_method method;
    soa_axes axes;
    int velocity, points;
    const soa_point *point;
    const bool *prescribed;
} work;

enum {
    VARIANTS_method = 5,
    VARIANTS_axes = 3,
    VARIANTS_velocity = 3,
    VARIANTS_points = 1,
    VARIANTS_point = 1,
    VARIANTS_prescribed = 1
};

/* Input `id` from state `first` on, n numbers per state; NULL if it is left out. */
static const double *input(work *x, input_id id, size_t n)
{
    const bool optional = id == INPUT_v || id == INPUT_vdot || id == INPUT_f;
    x->rested = x->rested || optional;
    return x->rest && optional ? NULL : x->input[id] + (size_t)x->first * n;
}

/* ---- the functions, from their lists --------------------------------------------------------------- */

#define NO_STATES
#define NOTHING(a, b)
#define VARY(type, name)        x->variants = x->variants > VARIANTS_##name ? x->variants : VARIANTS_##name;
#define SIZE(name, numbers)     x->size[x->outputs++] = (size_t)(numbers);
#define AIM(name, numbers)      double *const out_##name = x->at[o++];
#define PASS(type, name)        x->name,
#define PASS_STATES             x->states,
#define PASS_IN(name, numbers)  input(x, INPUT_##name, (size_t)(numbers)),
#define PASS_OUT(name, numbers) out_##name,
#define SIZES(x)                                                                                                   \
    const soa_model *const m = x->m;                                                                               \
    const size_t nq = (size_t)soa_model_nq(m), nv = (size_t)soa_model_nv(m), bodies = (size_t)soa_model_bodies(m), \
                 links = (size_t)soa_model_links(m), independent = (size_t)soa_independent(m), points = POINTS;    \
    (void)m, (void)nq, (void)nv, (void)bodies, (void)links, (void)independent, (void)points

#define FUNCTION(name)                                                                                             \
    static void size_##name(work *x)                                                                               \
    {                                                                                                              \
        SIZES(x);                                                                                                  \
        x->outputs = 0, x->variants = 1;                                                                           \
        SOA_BATCH_##name(VARY, NO_STATES, NOTHING, SIZE)                                                           \
    }                                                                                                              \
    static soa_status run_##name(work *x)                                                                          \
    {                                                                                                              \
        SIZES(x);                                                                                                  \
        int o = 0;                                                                                                 \
        SOA_BATCH_##name(NOTHING, NO_STATES, NOTHING, AIM);                                                        \
        return x->batch                                                                                            \
                   ? soa_batch_##name(x->batch, SOA_BATCH_##name(PASS, PASS_STATES, PASS_IN, PASS_OUT) & x->error) \
                   : soa_##name(m, x->w, SOA_BATCH_##name(PASS, PASS_STATES, PASS_IN, PASS_OUT) & x->error);       \
    }
SOA_BATCH_LIST(FUNCTION)
SOA_SENS_BATCH_LIST(FUNCTION)

typedef struct function {
    const char *name;
    void (*size)(work *x);
    soa_status (*run)(work *x);
} function;

static const function FUNCTIONS[] = {
#define ENTRY(name) { #name, size_##name, run_##name },
    SOA_BATCH_LIST(ENTRY) SOA_SENS_BATCH_LIST(ENTRY)
};
enum { COUNT = sizeof FUNCTIONS / sizeof FUNCTIONS[0] };

/* ---- running ------------------------------------------------------------------------------------------ */

/* Some functions read their outputs (hybrid dynamics): these hold the same numbers before every run. */
static void fill_outputs(work *x)
{
    unsigned long long seed = 77;
    for (int o = 0; o < x->outputs; o++) {
        bits_random(&seed, STATES * x->size[o], x->out[o]);
    }
}

/* `states` states from `first` on in one call. */
static soa_status run_part(const function *f, work *x, int first, int states)
{
    x->first = first, x->states = states;
    for (int o = 0; o < x->outputs; o++) {
        x->at[o] = x->out[o] + (size_t)first * x->size[o];
    }
    return f->run(x);
}

/* All states with one set of other arguments; goes on with the hash. The first status that is not success. */
static soa_status run_variant(const function *f, work *x, const way *w, int variant, hash *h)
{
    soa_status status = SOA_OK;
    x->method = (soa_method)(variant % VARIANTS_method);
    x->axes = (soa_axes)(variant % VARIANTS_axes);
    x->velocity = variant * (soa_model_nv(x->m) - 1) / VARIANTS_velocity;
    fill_outputs(x);
    for (int s = 0; s < STATES; s += w->singly ? 1 : STATES) {
        const soa_status one = run_part(f, x, s, w->singly ? 1 : STATES);
        status = status == SOA_OK ? one : status;
    }
    for (int o = 0; o < x->outputs; o++) {
        *h = hash_numbers(*h, STATES * x->size[o], x->out[o]);
    }
    return status;
}

static void row_of(const char *model, const function *f, work *x, soa_batch *batch)
{
    hash h[WAYS];
    bool done[WAYS] = { false };
    soa_status status[WAYS] = { SOA_OK };
    char name[80];
    const int widest = soa_workspace_lanes(x->w);
    for (int i = 0; i < WAYS; i++) {
        x->batch = WAY[i].threads ? batch : NULL;
        done[i] = soa_workspace_set_lanes(x->w, WAY[i].lanes ? WAY[i].lanes : widest, NULL) == SOA_OK;
        h[i] = hash_begin(SOA_OK);
        for (int variant = 0; done[i] && variant < x->variants; variant++) {
            const soa_status one = run_variant(f, x, &WAY[i], variant, &h[i]);
            status[i] = status[i] == SOA_OK ? one : status[i];
        }
        h[i] += (hash)status[i];
    }
    (void)soa_workspace_set_lanes(x->w, widest, NULL);
    (void)snprintf(name, sizeof name, "%s%s", f->name, x->rest ? ", rest" : "");
    print_row(model, name, done, h, status[0]);
}

/* The rows of a function, with all inputs and with those that may be left out left out. */
static void rows_of(const char *model, const function *f, work *x, soa_batch *batch)
{
    size_t numbers = 0;
    f->size(x);
    for (int o = 0; o < x->outputs; o++) {
        numbers += STATES * x->size[o];
    }
    if (numbers > MOST_NUMBERS) {
        return;
    }
    for (int o = 0; o < x->outputs; o++) {
        x->out[o] = bits_numbers(STATES * x->size[o]);
    }
    x->rest = x->rested = false;
    row_of(model, f, x, batch);
    if (x->rested) {
        x->rest = true;
        row_of(model, f, x, batch);
    }
    for (int o = 0; o < x->outputs; o++) {
        free(x->out[o]);
    }
}

void bits_states(const char *name, const soa_model *model)
{
    unsigned long long seed = 5;
    work x = { .m = model, .points = POINTS };
    soa_batch *batch = NULL;
    soa_point point[POINTS];
    const size_t nq = (size_t)soa_model_nq(model), nv = (size_t)soa_model_nv(model);
    const size_t most = nq + 6 * (size_t)soa_model_bodies(model) + (size_t)(36 * POINTS * POINTS);
    bool *prescribed = calloc(nv + 1, sizeof *prescribed);
    if (!prescribed || soa_workspace_new(model, NULL, &x.w, &x.error) != SOA_OK ||
        soa_batch_new(model, 3, NULL, &batch, &x.error) != SOA_OK) {
        (void)fprintf(stderr, "soa_bits: out of memory\n");
        exit(1);
    }
    for (int i = 0; i < INPUTS; i++) {
        x.input[i] = bits_numbers(STATES * most);
        bits_random(&seed, STATES * most, x.input[i]);
    }
    for (size_t s = 0; s < STATES; s++) {
        soa_random_configuration(model, &seed, x.input[INPUT_q] + s * nq);
        soa_couple(model, x.input[INPUT_q] + s * nq, x.input[INPUT_v] + s * nv);
    }
    bits_points(model, &seed, POINTS, point);
    for (int i = 0; i < soa_model_bodies(model); i++) {
        const soa_body body = soa_model_body(model, i);
        memset(prescribed + body.v, i % 3 == 1, (size_t)body.nv);
    }
    x.point = point, x.prescribed = prescribed;
    for (int f = 0; f < COUNT; f++) {
        rows_of(name, &FUNCTIONS[f], &x, batch);
    }
    for (int i = 0; i < INPUTS; i++) {
        free(x.input[i]);
    }
    free(prescribed);
    soa_batch_free(batch);
    soa_workspace_free(x.w);
}
