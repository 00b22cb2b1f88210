/* core/kind_words.h - the two functions that every list of kinds has: its word, and the kind of a word. */
#ifndef SOA_CORE_KIND_WORDS_H
#define SOA_CORE_KIND_WORDS_H

#include <string.h>

/* NAME_text(kind) is WORD[kind], "unknown" if there is none; NAME_find(text) is the kind, `count` if there is none. */
#define SOA_WORDS(NAME, type, count, WORD)                                   \
    const char *NAME##_text(type kind)                                       \
    {                                                                        \
        return (unsigned)kind < (count) ? WORD[kind] : "unknown";            \
    }                                                                        \
    type NAME##_find(const char *text)                                       \
    {                                                                        \
        int kind = 0;                                                        \
        while (kind < (count) && (!text || strcmp(WORD[kind], text) != 0)) { \
            kind++;                                                          \
        }                                                                    \
        return (type)kind;                                                   \
    }

/* Columns of a list: { SOA_JOINT_LIST(SOA_SECOND) } are the words of the kinds of joints. */
#define SOA_SECOND(a, b, ...)   b,
#define SOA_THIRD(a, b, c, ...) c,

#endif
