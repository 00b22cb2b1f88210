/* core/edits.h - how alike two words are. */
#ifndef SOA_CORE_EDITS_H
#define SOA_CORE_EDITS_H

/* Letters to change, insert or leave out to make b of a (Levenshtein); words of more than
 * SOA_EDITS_WORD bytes are SOA_EDITS_WORD apart. */
enum { SOA_EDITS_WORD = 48 };
int soa_edits(const char *a, const char *b);

/* For "did you mean": the known word nearest to a mistyped one. Offer all known words; found is NULL
 * while none is near enough: 0 letters away from one letter, 1 from two or three, else 2. */
typedef struct soa_nearest {
    const char *wanted, *found;
    int least;
} soa_nearest;

soa_nearest soa_nearest_to(const char *wanted);
void soa_nearest_offer(soa_nearest *nearest, const char *known);

#endif
