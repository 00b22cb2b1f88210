/* core/pool.h - threads that wait for work and do it together.
 *
 * A pool has `threads` members: the thread that calls soa_pool_run is member 0, the
 * others sleep in between. Built without threads (SOA_THREADS off) a pool has one
 * member. One thread at a time may use a pool. */
#ifndef SOA_CORE_POOL_H
#define SOA_CORE_POOL_H

#include "soa/core.h"

/* More threads than this are refused. */
#define SOA_MAX_THREADS 1024

typedef struct soa_pool soa_pool;

/* The part of a work that member `member` does. */
typedef void soa_pool_work(void *context, int member);

/* threads 0: one per processor. */
soa_status soa_pool_new(int threads, const soa_allocator *allocator, soa_pool **pool, soa_error *error);
void soa_pool_free(soa_pool *pool);
int soa_pool_threads(const soa_pool *pool);

/* work(context, i) for i = 0 .. members - 1, each in its own thread; returns when all
 * have ended, and what they wrote can be read. members: 1 .. soa_pool_threads. */
void soa_pool_run(soa_pool *pool, int members, soa_pool_work *work, void *context);

#endif
