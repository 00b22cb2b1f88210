/* core/pool.c - threads that wait for work and do it together.
 *
 * Each helper waits for its own `turn` to change, looking for a moment before it goes to
 * sleep, so that works that follow each other closely start without the kernel. */
#include "core/pool.h"

#include "core/error.h"
#include "core/memory.h"

#if defined(SOA_THREADS)

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

/* How long to look before sleeping, and how often to look between two views of the clock. */
enum { PATIENCE_NS = 20000, LOOKS = 32 };

/* A place to wait for a number to change. */
typedef struct post {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool asleep; /* under lock */
    atomic_uint number;
} post;

typedef struct helper {
    _Alignas(SOA_ALIGNMENT) post turn; /* changes when there is work */
    struct soa_pool *pool;
    pthread_t thread;
    int member;
} helper;

struct soa_pool {
    soa_allocator allocator;
    int threads;
    helper *help; /* threads - 1 */
    soa_pool_work *work;
    void *context;
    bool stop;
    _Alignas(SOA_ALIGNMENT) atomic_int running; /* helpers that have not ended their part */
    post ended;                                 /* changes when the last of them ends */
};

/* ---- posts ------------------------------------------------------------------------------ */

static void post_open(post *p)
{
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    p->asleep = false;
    atomic_init(&p->number, 0);
}

static void post_close(post *p)
{
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->changed);
}

static void post_change(post *p)
{
    pthread_mutex_lock(&p->lock);
    atomic_fetch_add_explicit(&p->number, 1, memory_order_release);
    const bool asleep = p->asleep;
    pthread_mutex_unlock(&p->lock);
    if (asleep) {
        pthread_cond_signal(&p->changed);
    }
}

static bool post_changed(const post *p, unsigned seen)
{
    return atomic_load_explicit(&p->number, memory_order_acquire) != seen;
}

static inline void look_away(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1000000000LL * t.tv_sec + t.tv_nsec;
}

static void post_wait(post *p, unsigned seen)
{
    const long long end = now_ns() + PATIENCE_NS;
    do {
        for (int i = 0; i < LOOKS; i++) {
            if (post_changed(p, seen)) {
                return;
            }
            look_away();
        }
    } while (now_ns() < end);
    pthread_mutex_lock(&p->lock);
    p->asleep = true;
    while (!post_changed(p, seen)) {
        pthread_cond_wait(&p->changed, &p->lock);
    }
    p->asleep = false;
    pthread_mutex_unlock(&p->lock);
}

/* ---- helpers ---------------------------------------------------------------------------- */

static void *help(void *context)
{
    helper *me = context;
    soa_pool *pool = me->pool;
    for (unsigned seen = 0;; seen++) {
        post_wait(&me->turn, seen);
        if (pool->stop) {
            return NULL;
        }
        pool->work(pool->context, me->member);
        if (atomic_fetch_sub_explicit(&pool->running, 1, memory_order_acq_rel) == 1) {
            post_change(&pool->ended);
        }
    }
}

/* The signals of the program are for its own threads. */
static bool start(helper *h)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&h->thread, NULL, help, h);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed == 0;
}

static int processors(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > SOA_MAX_THREADS ? SOA_MAX_THREADS : (int)n;
}

/* Starts helpers until there are `threads` members or one cannot be started. */
static void start_helpers(soa_pool *pool, int threads)
{
    while (pool->threads < threads) {
        helper *h = &pool->help[pool->threads - 1];
        h->pool = pool;
        h->member = pool->threads;
        post_open(&h->turn);
        if (!start(h)) {
            post_close(&h->turn);
            return;
        }
        pool->threads++;
    }
}

/* ---- the pool --------------------------------------------------------------------------- */

soa_status soa_pool_new(int threads, const soa_allocator *allocator, soa_pool **pool, soa_error *error)
{
    *pool = NULL;
    if (threads < 0 || threads > SOA_MAX_THREADS) {
        return soa_fail(
            error, SOA_E_ARGUMENT, -1, "%d threads; give 0 (one per processor) to %d", threads, SOA_MAX_THREADS);
    }
    const int wanted = threads > 0 ? threads : processors();
    soa_pool *p = soa_allocate(allocator, 1, sizeof *p);
    helper *helpers = p && wanted > 1 ? soa_allocate(allocator, (size_t)wanted - 1, sizeof *helpers) : NULL;
    if (!p || (wanted > 1 && !helpers)) {
        soa_release(allocator, p);
        return soa_fail_memory(error);
    }
    *p = (soa_pool){ .allocator = *allocator, .threads = 1, .help = helpers };
    atomic_init(&p->running, 0);
    post_open(&p->ended);
    start_helpers(p, wanted);
    if (p->threads < wanted) {
        const int started = p->threads;
        soa_pool_free(p);
        return soa_fail(
            error, SOA_E_LIMIT, -1, "the system starts no more than %d of %d threads; ask for fewer", started, wanted);
    }
    *pool = p;
    return SOA_OK;
}

void soa_pool_free(soa_pool *pool)
{
    if (!pool) {
        return;
    }
    const soa_allocator allocator = pool->allocator;
    pool->stop = true;
    for (int i = 0; i < pool->threads - 1; i++) {
        post_change(&pool->help[i].turn);
    }
    for (int i = 0; i < pool->threads - 1; i++) {
        pthread_join(pool->help[i].thread, NULL);
        post_close(&pool->help[i].turn);
    }
    post_close(&pool->ended);
    soa_release(&allocator, pool->help);
    soa_release(&allocator, pool);
}

void soa_pool_run(soa_pool *pool, int members, soa_pool_work *work, void *context)
{
    const unsigned seen = atomic_load_explicit(&pool->ended.number, memory_order_relaxed);
    pool->work = work;
    pool->context = context;
    atomic_store_explicit(&pool->running, members - 1, memory_order_relaxed);
    for (int i = 0; i < members - 1; i++) {
        post_change(&pool->help[i].turn);
    }
    work(context, 0);
    if (members > 1) {
        post_wait(&pool->ended, seen);
    }
}

#else /* one thread */

struct soa_pool {
    soa_allocator allocator;
    int threads;
};

soa_status soa_pool_new(int threads, const soa_allocator *allocator, soa_pool **pool, soa_error *error)
{
    *pool = NULL;
    if (threads < 0 || threads > SOA_MAX_THREADS) {
        return soa_fail(
            error, SOA_E_ARGUMENT, -1, "%d threads; give 0 (one per processor) to %d", threads, SOA_MAX_THREADS);
    }
    soa_pool *p = soa_allocate(allocator, 1, sizeof *p);
    if (!p) {
        return soa_fail_memory(error);
    }
    *p = (soa_pool){ *allocator, 1 };
    *pool = p;
    return SOA_OK;
}

void soa_pool_free(soa_pool *pool)
{
    if (pool) {
        const soa_allocator allocator = pool->allocator;
        soa_release(&allocator, pool);
    }
}

void soa_pool_run(soa_pool *pool, int members, soa_pool_work *work, void *context)
{
    (void)pool;
    for (int i = 0; i < members; i++) {
        work(context, i);
    }
}

#endif

int soa_pool_threads(const soa_pool *pool)
{
    return pool->threads;
}
