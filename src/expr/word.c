/* expr/word.c - letters and words of an algebra. */
#include <stdint.h>
#include <string.h>

#include "expr/algebra.h"

/* ---- the algebra ------------------------------------------------------------------------ */

void soa_algebra_init(soa_algebra *algebra, soa_terms *terms)
{
    *algebra = (soa_algebra){ .terms = terms, .allocator = terms->allocator };
    algebra->arena = soa_arena_on(&algebra->allocator);
    algebra->scratch = soa_algebra_take(algebra, SOA_WORD_LENGTH, sizeof *algebra->scratch);
    algebra->one = soa_word_of(algebra, 0, NULL);
}

void soa_algebra_clear(soa_algebra *algebra)
{
    soa_arena_free(&algebra->arena);
}

void *soa_algebra_fail(soa_algebra *algebra, soa_status status)
{
    algebra->status = soa_algebra_ok(algebra) ? status : algebra->status;
    return NULL;
}

const char *soa_algebra_text(soa_algebra *algebra, const char *text)
{
    const char *copy = soa_arena_text(&algebra->arena, text);
    return copy ? copy : soa_algebra_fail(algebra, SOA_E_MEMORY);
}

bool soa_algebra_add(soa_algebra *algebra, soa_array *list, const void *item, size_t size)
{
    if (soa_algebra_ok(algebra) && !soa_arena_add(&algebra->arena, list, item, size)) {
        soa_algebra_fail(algebra, SOA_E_MEMORY);
    }
    return soa_algebra_ok(algebra);
}

const soa_term *soa_algebra_made(soa_algebra *algebra, const soa_term *term)
{
    return term ? term : soa_algebra_fail(algebra, algebra->terms->status);
}

/* ---- letters ---------------------------------------------------------------------------- */

const soa_letter_info *soa_algebra_about(const soa_algebra *algebra, soa_letter letter)
{
    return soa_array_at(&algebra->letters, letter);
}

soa_letter soa_algebra_letter(soa_algebra *algebra, const soa_term *term, int weight, bool symmetric)
{
    const int count = algebra->letters.count;
    for (int i = 0; i < count; i++) {
        if (soa_algebra_about(algebra, (soa_letter)i)->term == term) {
            return (soa_letter)i;
        }
    }
    const soa_term *adjoint = soa_algebra_made(algebra, symmetric ? term : soa_term_adjoint(algebra->terms, term));
    if (!adjoint || count + 2 > SOA_WORD_LENGTH) {
        soa_algebra_fail(algebra, SOA_E_LIMIT);
        return 0;
    }
    const soa_letter_info made[] = { { (soa_letter)(count + (adjoint != term)), weight, term, 0, 0 },
        { (soa_letter)count, weight, adjoint, 0, 0 } };
    for (int i = 0; i < 1 + (adjoint != term); i++) {
        (void)soa_algebra_add(algebra, &algebra->letters, &made[i], sizeof made[i]);
    }
    return (soa_letter)(soa_algebra_ok(algebra) ? count : 0);
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

static bool same(const void *first, const void *second)
{
    const soa_word *a = first, *b = second;
    return a->hash == b->hash && a->length == b->length &&
           (a->length == 0 || memcmp(a->at, b->at, (size_t)a->length * sizeof *a->at) == 0);
}

static const soa_word *new_word(soa_algebra *algebra, soa_word like)
{
    const int length = like.length;
    soa_word *made = soa_algebra_take(algebra, 1, sizeof *made);
    soa_letter *letters = length ? soa_algebra_take(algebra, (size_t)length, sizeof *letters) : NULL;
    if (!made || (length && !letters)) {
        return NULL;
    }
    *made = (soa_word){ .length = length, .hash = like.hash, .at = letters };
    for (int i = 0; i < length; i++) {
        letters[i] = like.at[i];
        made->weight += soa_algebra_about(algebra, like.at[i])->weight;
    }
    algebra->table.count++;
    return made;
}

const soa_word *soa_word_of(soa_algebra *algebra, int length, const soa_letter *at)
{
    if (++algebra->asked % 512 == 0 && soa_algebra_ok(algebra) && soa_terms_expired(algebra->terms)) {
        return soa_algebra_fail(algebra, SOA_E_LIMIT);
    }
    if (!soa_algebra_ok(algebra)) {
        return NULL;
    }
    const soa_word like = { .hash = hash_of(length, at), .length = length, .at = at };
    const void **slot = soa_once_find(&algebra->table, &algebra->arena, &like, same);
    if (!slot || (!*slot && algebra->table.count >= SOA_ALGEBRA_WORDS)) {
        return soa_algebra_fail(algebra, slot ? SOA_E_LIMIT : SOA_E_MEMORY);
    }
    if (!*slot) {
        *slot = new_word(algebra, like);
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
            return soa_algebra_fail(algebra, SOA_E_LIMIT);
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

/* ---- numbers in words ------------------------------------------------------------------- */

/* The most numbers in a word that are put in order. */
enum { NUMBERS_MOST = 16 };

/* Whether a letter comes from ONE, or goes to it. */
static bool touches_one(const soa_algebra *algebra, soa_letter letter, bool from)
{
    const soa_type type = soa_algebra_about(algebra, letter)->term->type;
    return (from ? type.from : type.to).space == SOA_SPACE_ONE;
}

/* The lesser of a word and its adjoint. */
static const soa_word *lesser(soa_algebra *algebra, const soa_word *word)
{
    const soa_word *adjoint = soa_word_adjoint(algebra, word);
    return adjoint && soa_word_compare(adjoint, word) < 0 ? adjoint : word;
}

/* The parts of the word between places of ONE; count > NUMBERS_MOST: too many. */
static int parts_of(soa_algebra *algebra, const soa_word *word, const soa_word *part[NUMBERS_MOST])
{
    int count = 0, begin = 0;
    for (int i = 1; i <= word->length && count <= NUMBERS_MOST; i++) {
        if (i == word->length || touches_one(algebra, word->at[i - 1], true)) {
            if (count < NUMBERS_MOST) {
                part[count] = soa_word_part(algebra, word, begin, i - begin);
            }
            count++;
            begin = i;
        }
    }
    return count;
}

static const soa_word *ordered(soa_algebra *algebra, const soa_word *word)
{
    const soa_word *part[NUMBERS_MOST];
    const int count = parts_of(algebra, word, part);
    const int first = !touches_one(algebra, word->at[0], false);
    const int end = count - !touches_one(algebra, word->at[word->length - 1], true);
    if (count > NUMBERS_MOST || first >= end || !soa_algebra_ok(algebra)) {
        return word;
    }
    for (int i = first; i < end && soa_algebra_ok(algebra); i++) { /* inserted where it belongs */
        const soa_word *number = lesser(algebra, part[i]);
        int at = i;
        for (; at > first && soa_word_compare(number, part[at - 1]) < 0; at--) {
            part[at] = part[at - 1];
        }
        part[at] = number;
    }
    const soa_word *made = part[0];
    for (int i = 1; i < count; i++) {
        made = soa_word_join(algebra, made, part[i], NULL);
    }
    return made;
}

const soa_word *soa_word_commuted(soa_algebra *algebra, const soa_word *word)
{
    if (!word || word->commuted || word->length == 0) {
        return word && word->commuted ? word->commuted : word;
    }
    const soa_word *made = ordered(algebra, word);
    ((soa_word *)(uintptr_t)word)->commuted = made; /* words are made here: none is constant memory */
    return made;
}

int soa_word_compare(const soa_word *a, const soa_word *b)
{
    if (a == b) {
        return 0;
    }
    const int order = a->weight != b->weight ? a->weight - b->weight : a->length - b->length;
    int i = 0;
    while (order == 0 && a->at[i] == b->at[i]) { /* of one length, and not the same word: some letters differ */
        i++;
    }
    return order ? order : a->at[i] - b->at[i];
}
