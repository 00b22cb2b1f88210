/* expr/word.c - letters and words of an algebra. */
#include <string.h>

#include "expr/algebra.h"

/* ---- the algebra ------------------------------------------------------------------------ */

void soa_algebra_init(soa_algebra *algebra, soa_terms *terms)
{
    *algebra = (soa_algebra){
        .terms = terms, .allocator = *soa_terms_allocator(terms), .letters = soa_array_of(sizeof(soa_letter_info))
    };
    algebra->arena = soa_arena_on(&algebra->allocator);
    algebra->scratch = soa_arena_take(&algebra->arena, SOA_WORD_LENGTH, sizeof *algebra->scratch);
    if (!algebra->scratch) {
        algebra->status = SOA_E_MEMORY;
    }
    algebra->one = soa_word_of(algebra, 0, NULL);
}

void soa_algebra_clear(soa_algebra *algebra)
{
    soa_release(&algebra->allocator, (void *)algebra->table);
    soa_array_free(&algebra->letters, &algebra->allocator);
    soa_arena_free(&algebra->arena);
    algebra->table = NULL;
}

/* ---- letters ---------------------------------------------------------------------------- */

const soa_letter_info *soa_algebra_about(const soa_algebra *algebra, soa_letter letter)
{
    return soa_array_at(&algebra->letters, letter);
}

static soa_letter fail_letter(soa_algebra *algebra, soa_status status)
{
    algebra->status = soa_algebra_ok(algebra) ? status : algebra->status;
    return 0;
}

static bool push_letter(soa_algebra *algebra, const soa_term *term, int adjoint, int weight)
{
    soa_letter_info *made = soa_array_push(&algebra->letters, &algebra->allocator);
    if (made) {
        *made = (soa_letter_info){ (soa_letter)adjoint, weight, term };
    }
    return made != NULL;
}

soa_letter soa_algebra_letter(soa_algebra *algebra, const soa_term *term, int weight, bool symmetric)
{
    if (!term) {
        return fail_letter(algebra, soa_terms_status(algebra->terms));
    }
    const int count = algebra->letters.count;
    for (int i = 0; i < count; i++) {
        if (soa_algebra_about(algebra, (soa_letter)i)->term == term) {
            return (soa_letter)i;
        }
    }
    const soa_term *adjoint = symmetric ? term : soa_term_adjoint(algebra->terms, term);
    if (!adjoint) {
        return fail_letter(algebra, soa_terms_status(algebra->terms));
    }
    if (count + 2 > SOA_WORD_LENGTH) {
        return fail_letter(algebra, SOA_E_LIMIT);
    }
    if (!push_letter(algebra, term, adjoint == term ? count : count + 1, weight) ||
        (adjoint != term && !push_letter(algebra, adjoint, count, weight))) {
        return fail_letter(algebra, SOA_E_MEMORY);
    }
    return (soa_letter)count;
}

/* ---- words ------------------------------------------------------------------------------ */

static unsigned hash_of(int length, const soa_letter *at)
{
    unsigned hash = 2166136261U;
    for (int i = 0; i < length; i++) {
        hash = (hash ^ at[i]) * 16777619U;
    }
    return hash ^ (hash >> 15);
}

static const soa_word **slot_of(const soa_algebra *algebra, unsigned hash, int length, const soa_letter *at)
{
    unsigned i = hash & (algebra->capacity - 1);
    const soa_word *there;
    while ((there = algebra->table[i]) != NULL) {
        if (there->hash == hash && there->length == length &&
            (length == 0 || memcmp(there->at, at, (size_t)length * sizeof *at) == 0)) {
            break;
        }
        i = (i + 1) & (algebra->capacity - 1);
    }
    return &algebra->table[i];
}

static bool grow(soa_algebra *algebra)
{
    const soa_word **old = algebra->table;
    const unsigned before = algebra->capacity, capacity = before ? 2 * before : 1024;
    const soa_word **table = soa_allocate(&algebra->allocator, capacity, sizeof *table);
    if (!table) {
        return false;
    }
    memset((void *)table, 0, capacity * sizeof *table);
    algebra->table = table;
    algebra->capacity = capacity;
    for (unsigned i = 0; i < before; i++) {
        if (old[i]) {
            *slot_of(algebra, old[i]->hash, old[i]->length, old[i]->at) = old[i];
        }
    }
    soa_release(&algebra->allocator, (void *)old);
    return true;
}

static const soa_word *fail_word(soa_algebra *algebra, soa_status status)
{
    algebra->status = soa_algebra_ok(algebra) ? status : algebra->status;
    return NULL;
}

static const soa_word *new_word(soa_algebra *algebra, unsigned hash, int length, const soa_letter *at)
{
    soa_word *made = soa_arena_take(&algebra->arena, 1, sizeof *made);
    soa_letter *letters = length ? soa_arena_take(&algebra->arena, (size_t)length, sizeof *letters) : NULL;
    if (!made || (length && !letters)) {
        return fail_word(algebra, SOA_E_MEMORY);
    }
    *made = (soa_word){ length, 0, hash, letters };
    for (int i = 0; i < length; i++) {
        letters[i] = at[i];
        made->weight += soa_algebra_about(algebra, at[i])->weight;
    }
    algebra->words++;
    return made;
}

const soa_word *soa_word_of(soa_algebra *algebra, int length, const soa_letter *at)
{
    if (!soa_algebra_ok(algebra)) {
        return NULL;
    }
    if (2 * (unsigned)algebra->words >= algebra->capacity && !grow(algebra)) {
        return fail_word(algebra, SOA_E_MEMORY);
    }
    const unsigned hash = hash_of(length, at);
    const soa_word **slot = slot_of(algebra, hash, length, at);
    if (!*slot && algebra->words >= SOA_ALGEBRA_WORDS) {
        return fail_word(algebra, SOA_E_LIMIT);
    }
    if (!*slot) {
        *slot = new_word(algebra, hash, length, at);
    }
    return *slot;
}

const soa_word *soa_word_join(
    soa_algebra *algebra, const soa_word *before, const soa_word *middle, const soa_word *after)
{
    const soa_word *part[] = { before, middle, after };
    int length = 0;
    for (int i = 0; i < 3; i++) {
        if (part[i] && length + part[i]->length > SOA_WORD_LENGTH) {
            return fail_word(algebra, SOA_E_LIMIT);
        }
        if (part[i] && part[i]->length && soa_algebra_ok(algebra)) {
            memcpy(algebra->scratch + length, part[i]->at, (size_t)part[i]->length * sizeof *algebra->scratch);
            length += part[i]->length;
        }
    }
    return soa_word_of(algebra, length, algebra->scratch);
}

const soa_word *soa_word_part(soa_algebra *algebra, const soa_word *word, int from, int length)
{
    return word ? soa_word_of(algebra, length, length ? word->at + from : NULL) : NULL;
}

const soa_word *soa_word_adjoint(soa_algebra *algebra, const soa_word *word)
{
    if (!word || !soa_algebra_ok(algebra)) {
        return NULL;
    }
    for (int i = 0; i < word->length; i++) {
        algebra->scratch[i] = soa_algebra_about(algebra, word->at[word->length - 1 - i])->adjoint;
    }
    return soa_word_of(algebra, word->length, algebra->scratch);
}

int soa_word_compare(const soa_word *a, const soa_word *b)
{
    if (a == b) {
        return 0;
    }
    if (a->weight != b->weight) {
        return a->weight < b->weight ? -1 : 1;
    }
    if (a->length != b->length) {
        return a->length < b->length ? -1 : 1;
    }
    for (int i = 0; i < a->length; i++) {
        if (a->at[i] != b->at[i]) {
            return a->at[i] < b->at[i] ? -1 : 1;
        }
    }
    return 0;
}
