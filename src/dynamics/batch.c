/* dynamics/batch.c - the API of soa/batch.h: states divided among threads. */
#include "soa/batch.h"

#include <stdatomic.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/pool.h"
#include "dynamics/batch.h"

/* What one thread has for itself. */
typedef struct member {
    _Alignas(SOA_ALIGNMENT) soa_workspace *workspace;
    soa_status status;
    soa_error error;
} member;

struct soa_batch {
    soa_allocator allocator;
    const soa_model *model;
    soa_pool *pool;
    member *member; /* one per thread */
    int threads;
    atomic_flag busy;
};

/* ---- life ------------------------------------------------------------------------------- */

static soa_status fill(soa_batch *b, int threads, soa_error *error)
{
    soa_status status = soa_pool_new(threads, &b->allocator, &b->pool, error);
    if (status != SOA_OK) {
        return status;
    }
    const int n = soa_pool_threads(b->pool);
    b->member = soa_allocate(&b->allocator, (size_t)n, sizeof *b->member);
    if (!b->member) {
        return soa_fail_memory(error);
    }
    for (; b->threads < n && status == SOA_OK; b->threads++) {
        status = soa_workspace_new(b->model, &b->allocator, &b->member[b->threads].workspace, error);
    }
    return status;
}

soa_status soa_batch_new(
    const soa_model *model, int threads, const soa_allocator *allocator, soa_batch **batch, soa_error *error)
{
    if (batch) {
        *batch = NULL;
    }
    if (!model || !batch) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "a batch needs a model and a place for its address");
    }
    const soa_allocator *from = allocator ? allocator : &model->allocator;
    soa_batch *b = soa_allocate(from, 1, sizeof *b);
    if (!b) {
        return soa_fail_memory(error);
    }
    *b = (soa_batch){ .allocator = *from, .model = model, .busy = ATOMIC_FLAG_INIT };
    const soa_status status = fill(b, threads, error);
    if (status != SOA_OK) {
        soa_batch_free(b);
        return status;
    }
    *batch = b;
    return SOA_OK;
}

void soa_batch_free(soa_batch *batch)
{
    if (batch) {
        const soa_allocator allocator = batch->allocator;
        soa_pool_free(batch->pool);
        for (int i = 0; i < batch->threads; i++) {
            soa_workspace_free(batch->member[i].workspace);
        }
        soa_release(&allocator, batch->member);
        soa_release(&allocator, batch);
    }
}

int soa_batch_threads(const soa_batch *batch)
{
    return batch ? batch->threads : 0;
}

int soa_batch_lanes(const soa_batch *batch)
{
    return batch ? soa_workspace_lanes(batch->member[0].workspace) : 0;
}

/* ---- settings --------------------------------------------------------------------------- */

static bool enter(soa_batch *batch, soa_status *status, soa_error *error)
{
    if (!batch) {
        *status = soa_fail(error, SOA_E_ARGUMENT, -1, "the batch is missing");
        return false;
    }
    const bool busy = atomic_flag_test_and_set_explicit(&batch->busy, memory_order_acquire);
    *status = busy ? soa_fail(error, SOA_E_ARGUMENT, -1,
                         "the batch is in use; let one thread at a time call it, and no task of its own")
                   : SOA_OK;
    return !busy;
}

static void leave(soa_batch *batch)
{
    atomic_flag_clear_explicit(&batch->busy, memory_order_release);
}

typedef soa_status set_workspace(soa_workspace *workspace, int value, soa_error *error);

/* Sets a value in every workspace of the batch, until one refuses. */
static soa_status set_all(soa_batch *batch, set_workspace *set, int value, soa_error *error)
{
    soa_status status;
    if (!enter(batch, &status, error)) {
        return status;
    }
    for (int i = 0; i < batch->threads && status == SOA_OK; i++) {
        status = set(batch->member[i].workspace, value, error);
    }
    leave(batch);
    return status;
}

soa_status soa_batch_reserve(soa_batch *batch, int points, soa_error *error)
{
    return set_all(batch, soa_workspace_reserve, points, error);
}

soa_status soa_batch_set_lanes(soa_batch *batch, int lanes, soa_error *error)
{
    return set_all(batch, soa_workspace_set_lanes, lanes, error);
}

static soa_status set_layout(soa_workspace *workspace, int layout, soa_error *error)
{
    return soa_workspace_set_layout(workspace, (soa_layout)layout, error);
}

soa_status soa_batch_set_layout(soa_batch *batch, soa_layout layout, soa_error *error)
{
    return set_all(batch, set_layout, (int)layout, error);
}

/* ---- running ---------------------------------------------------------------------------- */

typedef struct job {
    soa_batch *batch;
    soa_batch_task *task;
    void *context;
    int states, members;
} job;

/* The first state of a member, or where the last one ends: whole blocks of lanes, as equal in number as can be. */
static int first_of(const job *j, int i)
{
    if (i == 0 || i == j->members) {
        return i == 0 ? 0 : j->states;
    }
    const int lanes = soa_batch_lanes(j->batch);
    const long long blocks = j->states / lanes + (j->states % lanes > 0);
    return (int)(blocks * i / j->members * lanes);
}

static void run_member(void *context, int i)
{
    const job *j = context;
    member *m = &j->batch->member[i];
    const int first = first_of(j, i);
    m->workspace->first = first;
    m->status = j->task(j->context, m->workspace, first, first_of(j, i + 1) - first, &m->error);
    m->workspace->first = 0;
}

soa_status soa_batch_run(soa_batch *batch, int states, soa_batch_task *task, void *context, soa_error *error)
{
    soa_status status;
    if (!task) {
        return soa_fail_null(error, "the task");
    }
    if (!enter(batch, &status, error)) {
        return status;
    }
    const int lanes = soa_batch_lanes(batch);
    const int blocks = states < 1 ? 1 : states / lanes + (states % lanes > 0);
    job j = { batch, task, context, states, blocks < batch->threads ? blocks : batch->threads };
    soa_pool_run(batch->pool, j.members, run_member, &j);
    for (int i = 0; i < j.members && status == SOA_OK; i++) {
        status = batch->member[i].status;
        if (status != SOA_OK && error) {
            *error = batch->member[i].error;
        }
    }
    leave(batch);
    return status;
}

double *soa_batch_from(const double *array, int first, ptrdiff_t numbers)
{
    return (double *)(array && numbers > 0 ? array + first * numbers : array);
}

/* ---- the functions of soa/dynamics.h ---------------------------------------------------- */

SOA_BATCH_LIST(SOA_BATCH_FUNCTION)
