/* sweep_work.c - the runs of a block: numbers drawn, simulations made, moved together, asked. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

bool sweep_block_make(const sweep_job *j, long first, long count, sweep_block *block)
{
    *block = (sweep_block){ .first = first, .count = count };
    block->number = calloc((size_t)count * (size_t)j->columns + 1, sizeof *block->number);
    block->failure = calloc((size_t)count + 1, sizeof *block->failure);
    return block->number != NULL && block->failure != NULL;
}

void sweep_block_free(sweep_block *block)
{
    free(block->number);
    free(block->failure);
    *block = (sweep_block){ 0 };
}

/* Runs that are moved at once. */
typedef struct group {
    const sweep_job *job;
    int count;
    double *row;                     /* of the first */
    char (*failure)[SOA_ERROR_TEXT]; /* of the first */
    varied varied[SWEEP_TOGETHER];
    soa_sim *sim[SWEEP_TOGETHER];
    soa_sim *good[SWEEP_TOGETHER]; /* those that could be made */
    int run[SWEEP_TOGETHER];       /* which they are */
    soa_status status[SWEEP_TOGETHER];
    soa_error error[SWEEP_TOGETHER];
} group;

static void note(char *failure, const soa_error *error)
{
    snprintf(failure, SOA_ERROR_TEXT, "%s", error->text[0] != '\0' ? error->text : "out of memory");
}

static void make_one(group *g, int i)
{
    const sweep_job *j = g->job;
    soa_error *error = &g->error[i];
    varied *v = &g->varied[i];
    const soa_model *model = soa_scenario_model(j->scenario);
    soa_error_clear(error);
    soa_status status = varied_new(j->scenario, v) ? SOA_OK : SOA_E_MEMORY;
    status = status == SOA_OK ? varied_set(j->scenario, j->parameters, j->parameter,
                                    g->row + (size_t)i * (size_t)j->columns, v, error)
                              : status;
    v->setup.forward = v->model != NULL ? NULL : j->forward;
    status = status == SOA_OK ? soa_sim_new(v->model != NULL ? v->model : model, &v->setup, NULL, &g->sim[i], error)
                              : status;
    if (status != SOA_OK) {
        note(g->failure[i], error);
    }
}

/* What the run shows at its end. */
static void ask(group *g, soa_sim *sim, int i, soa_status status, soa_error *error)
{
    const sweep_job *j = g->job;
    double *row = g->row + (size_t)i * (size_t)j->columns;
    const double *value = status == SOA_OK ? soa_sim_signal_values(sim, error) : NULL;
    if (value == NULL) {
        note(g->failure[i], error);
        return;
    }
    for (int k = 0; k < j->signals; k++) {
        row[j->parameters + k] = value[j->signal[k]];
    }
    row[j->columns - 1] = soa_sim_time(sim);
}

static void run_group(group *g)
{
    int good = 0;
    for (int i = 0; i < g->count; i++) {
        make_one(g, i);
        if (g->sim[i] != NULL) {
            g->run[good] = i;
            g->good[good++] = g->sim[i];
        }
    }
    (void)soa_sim_advance_all(good, g->good, soa_scenario_duration(g->job->scenario), g->status, g->error);
    for (int i = 0; i < good; i++) {
        ask(g, g->good[i], g->run[i], g->status[i], &g->error[i]);
    }
    for (int i = 0; i < g->count; i++) {
        soa_sim_free(g->sim[i]);
        varied_free(&g->varied[i]);
    }
}

/* ---- threads ------------------------------------------------------------------------------------------ */

typedef struct team {
    const sweep_job *job;
    sweep_block *block;
    pthread_mutex_t lock;
    long next, together;
} team;

static void draw(const sweep_job *j, long run, double *row)
{
    for (int i = 0; i < j->columns; i++) {
        row[i] = i < j->parameters ? vary_number(&j->parameter[i], j->seed, run, i) : NAN;
    }
}

static void *work(void *context)
{
    team *t = context;
    const sweep_job *j = t->job;
    group *g = malloc(sizeof *g);
    for (;;) {
        pthread_mutex_lock(&t->lock);
        const long at = t->next;
        t->next += t->together;
        pthread_mutex_unlock(&t->lock);
        if (at >= t->block->count) {
            break;
        }
        const long count = t->block->count - at < t->together ? t->block->count - at : t->together;
        for (long i = at; i < at + count; i++) {
            draw(j, t->block->first + i, t->block->number + (size_t)i * (size_t)j->columns);
            snprintf(t->block->failure[i], SOA_ERROR_TEXT, "%s", g != NULL ? "" : "out of memory");
        }
        if (g != NULL) {
            memset(g, 0, sizeof *g);
            g->job = j;
            g->count = (int)count;
            g->row = t->block->number + (size_t)at * (size_t)j->columns;
            g->failure = t->block->failure + at;
            run_group(g);
        }
    }
    free(g);
    return NULL;
}

void sweep_block_run(const sweep_job *j, sweep_block *block)
{
    enum { MOST = 256 };
    pthread_t thread[MOST];
    int started = 0;
    const long share = (block->count + j->threads - 1) / j->threads;
    team t = { .job = j, .block = block, .together = share < SWEEP_TOGETHER ? share : SWEEP_TOGETHER };
    pthread_mutex_init(&t.lock, NULL);
    while (started < j->threads - 1 && started < MOST && pthread_create(&thread[started], NULL, work, &t) == 0) {
        started++;
    }
    work(&t);
    for (int i = 0; i < started; i++) {
        pthread_join(thread[i], NULL);
    }
    pthread_mutex_destroy(&t.lock);
}
