/* core/kind_words.h - what every list of kinds has: the word of a kind, the kind of a word, other columns. */
#ifndef SOA_CORE_KIND_WORDS_H
#define SOA_CORE_KIND_WORDS_H

#include <string.h>

/* Columns of a list: { SOA_JOINT_LIST(SOA_SECOND) } are the words of the kinds of joints. */
#define SOA_SECOND(a, b, ...)         b,
#define SOA_THIRD(a, b, c, ...)       c,
#define SOA_FOURTH(a, b, c, d, ...)   d,
#define SOA_FIFTH(a, b, c, d, e, ...) e,

/* A function of a kind: its number or text in a column of the list, `none` of what is no kind. */
#define SOA_COLUMN(result, NAME, type, count, LIST, WHICH, none) \
    result NAME(type kind)                                       \
    {                                                            \
        static result const column[] = { LIST(WHICH) };          \
        return (unsigned)kind < (count) ? column[kind] : (none); \
    }

/* NAME_text(kind) is the second column, `none` if there is none; NAME_find(text) is the kind, `count` if there is none. */
#define SOA_WORDS(NAME, type, count, LIST, none)                                          \
    SOA_COLUMN(const char *, NAME##_text, type, count, LIST, SOA_SECOND, none)            \
    type NAME##_find(const char *text)                                                    \
    {                                                                                     \
        int kind = 0;                                                                     \
        while (kind < (count) && (!text || strcmp(NAME##_text((type)kind), text) != 0)) { \
            kind++;                                                                       \
        }                                                                                 \
        return (type)kind;                                                                \
    }

#endif
