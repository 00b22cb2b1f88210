/* expr/terms.c - the pool of terms: each term is made once. */
#include "expr/term.h"

#include <limits.h>
#include <string.h>

#include "core/clock.h"
#include "core/error.h"

/* ---- the pool --------------------------------------------------------------------------- */

static void *watched_allocate(void *context, size_t size)
{
    soa_terms *pool = context;
    void *block = pool->given.allocate(pool->given.context, size);
    pool->refused = pool->refused || !block;
    return block;
}

static void watched_release(void *context, void *block)
{
    const soa_terms *pool = context;
    pool->given.release(pool->given.context, block);
}

soa_status soa_terms_new(const soa_allocator *allocator, int most, soa_terms **pool, soa_error *error)
{
    const soa_allocator from = allocator ? *allocator : soa_allocator_default();
    soa_terms *made = soa_allocate(&from, 1, sizeof *made);
    if (!made) {
        return soa_fail_memory(error);
    }
    *made = (soa_terms){ .given = from, .most = most };
    made->allocator = (soa_allocator){ watched_allocate, watched_release, made };
    made->arena = soa_arena_on(&made->allocator);
    *pool = made;
    return SOA_OK;
}

void soa_terms_free(soa_terms *pool)
{
    if (pool) {
        const soa_allocator from = pool->given;
        soa_arena_free(&pool->arena);
        soa_release(&from, pool);
    }
}

soa_status soa_terms_settle(soa_terms *pool, soa_status status, soa_error *error)
{
    const bool refused = pool->refused;
    pool->refused = false;
    return refused ? soa_fail_memory(error) : status;
}

static double now(void)
{
    const struct timespec t = soa_clock();
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void soa_terms_limit(soa_terms *pool, const soa_limits *limits)
{
    pool->limits = limits ? *limits : (soa_limits){ 0 };
    pool->limits.seconds += pool->limits.seconds > 0.0 ? now() : 0.0; /* 0: no end */
}

int soa_terms_assumptions(const soa_terms *pool)
{
    return pool->assumptions ? pool->assumptions->count : 0;
}

const soa_assumption *soa_terms_assumption(const soa_terms *pool, int i)
{
    return soa_array_at(pool->assumptions, i);
}

bool soa_terms_without_rotors(const soa_terms *pool)
{
    bool found = false;
    for (int i = 0; i < soa_terms_assumptions(pool) && !found; i++) {
        found = !soa_terms_assumption(pool, i)->left;
    }
    return found;
}

bool soa_terms_expired(soa_terms *pool)
{
    const soa_limits *l = &pool->limits;
    return pool->refused || (l->stop && l->stop(l->context)) || (l->seconds > 0.0 && now() > l->seconds);
}

const soa_term *soa_terms_none(soa_terms *pool, soa_status why)
{
    pool->status = why;
    return NULL;
}

/* ---- variables ---------------------------------------------------------------------------- */

const soa_variable *soa_terms_about(const soa_terms *pool, int variable)
{
    return soa_array_at(&pool->variables, variable);
}

int soa_terms_find_variable(const soa_terms *pool, const char *name)
{
    const soa_variable *found = soa_array_named(&pool->variables, name);
    return found ? (int)(found - soa_terms_about(pool, 0)) : -1;
}

int soa_terms_variable(soa_terms *pool, const soa_variable *about)
{
    const int known = soa_terms_find_variable(pool, about->name);
    if (known >= 0) {
        return known;
    }
    soa_variable made = *about;
    made.name = soa_arena_text(&pool->arena, about->name);
    made.body = about->body ? soa_arena_text(&pool->arena, about->body) : NULL;
    if (!made.name || (about->body && !made.body) ||
        !soa_arena_add(&pool->arena, &pool->variables, &made, sizeof made)) {
        soa_terms_none(pool, SOA_E_MEMORY);
        return -1;
    }
    return pool->variables.count - 1;
}

/* ---- the table ------------------------------------------------------------------------------ */

static unsigned mix(unsigned hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ at[i]) * 16777619U; /* NOLINT(clang-analyzer-core.UndefinedBinaryOperatorResult) */
    }
    return hash;
}

static unsigned hash_of(const soa_term *term)
{
    const int head[] = { (int)term->kind, (int)term->op, term->variable, term->count, (int)term->type.from.space,
        (int)term->type.from.side, (int)term->type.to.space, (int)term->type.to.side };
    unsigned hash = mix(2166136261U, head, sizeof head);
    for (int i = 0; i < term->count; i++) {
        hash = mix(hash, &term->child[i]->number, sizeof term->child[i]->number);
    }
    for (int i = 0; term->ratio && i < term->count; i++) {
        const long long part[] = { term->ratio[i].num, term->ratio[i].den, term->ratio[i].power };
        hash = mix(hash, part, sizeof part);
    }
    return hash;
}

static bool same_ratios(int count, const soa_ratio *a, const soa_ratio *b)
{
    int i = 0;
    while (i < count && (!a || soa_ratio_equal(a[i], b[i]))) {
        i++;
    }
    return i == count;
}

static bool same(const void *first, const void *second)
{
    const soa_term *a = first, *b = second;
    const size_t count = (size_t)a->count;
    return a->hash == b->hash && a->kind == b->kind && a->op == b->op && a->variable == b->variable &&
           a->count == b->count && soa_type_equal(a->type, b->type) &&
           (!count || memcmp((const void *)a->child, (const void *)b->child, count * sizeof *a->child) == 0) &&
           same_ratios(a->count, a->ratio, b->ratio);
}

const soa_term *soa_terms_intern(soa_terms *pool, soa_term like)
{
    like.hash = hash_of(&like);
    const void **slot = soa_once_find(&pool->table, &pool->arena, &like, same);
    if (!slot || *slot) {
        return slot ? *slot : soa_terms_none(pool, SOA_E_MEMORY);
    }
    if (pool->table.count >= pool->most) {
        return soa_terms_none(pool, SOA_E_LIMIT);
    }
    const size_t count = (size_t)like.count;
    soa_term *made = soa_arena_take(&pool->arena, 1, sizeof *made);
    const soa_term **child = count ? soa_arena_take(&pool->arena, count, sizeof *child) : NULL;
    double *factor = like.ratio ? soa_arena_take(&pool->arena, count, sizeof *factor) : NULL;
    soa_ratio *ratio = like.ratio ? soa_arena_take(&pool->arena, count, sizeof *ratio) : NULL;
    if (!made || (count && !child) || (like.ratio && (!factor || !ratio))) {
        return soa_terms_none(pool, SOA_E_MEMORY);
    }
    like.size = like.size > 0 ? like.size : 1;
    like.derived = like.kind == SOA_TERM_DERIVATIVE;
    for (size_t i = 0; i < count; i++) {
        child[i] = like.child[i];
        like.size = child[i]->size < INT_MAX - like.size ? like.size + child[i]->size : INT_MAX;
        like.depth = child[i]->depth >= like.depth ? child[i]->depth + 1 : like.depth;
        like.derived = like.derived || child[i]->derived;
        if (ratio) {
            ratio[i] = like.ratio[i];
            factor[i] = soa_ratio_double(ratio[i]);
        }
    }
    *made = like;
    made->child = child;
    made->factor = factor;
    made->ratio = ratio;
    made->number = pool->table.count++;
    *slot = made;
    return made;
}
