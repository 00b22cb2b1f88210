/* core/edits.h - how alike two words are. */
#ifndef SOA_CORE_EDITS_H
#define SOA_CORE_EDITS_H

/* Letters to change, insert or leave out to make b of a (Levenshtein); words of more than
 * SOA_EDITS_WORD bytes are SOA_EDITS_WORD apart. */
enum { SOA_EDITS_WORD = 48 };
int soa_edits(const char *a, const char *b);

#endif
