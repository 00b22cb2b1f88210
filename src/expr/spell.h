/* expr/spell.h - alphabets: what is written in ASCII, in characters of UTF-8 and as commands of TeX. */
#ifndef SOA_EXPR_SPELL_H
#define SOA_EXPR_SPELL_H

#include "expr/lex.h"

typedef enum soa_spelling_kind {
    SOA_SPELL_LETTER,      /* phi */
    SOA_SPELL_MARK,        /* over a letter: ~, bar, dot */
    SOA_SPELL_FONT,        /* of TeX */
    SOA_SPELL_BLANK,       /* means nothing */
    SOA_SPELL_SIGN,        /* a token */
    SOA_SPELL_WORD,        /* a name that is no letter */
    SOA_SPELL_FRACTION,    /* of TeX */
    SOA_SPELL_SUPERSCRIPT, /* a digit, - / or T */
} soa_spelling_kind;

typedef struct soa_spelling {
    soa_spelling_kind kind;
    const char *name;       /* in ASCII; of a parenthesis, which */
    const char *characters; /* of UTF-8, each of which is it; the first is written */
    const char *commands;   /* of TeX, alike */
    soa_token_kind token;   /* SIGN */
} soa_spelling;

/* The spelling of a kind that the text begins with, and its bytes there; NULL: it begins with none. */
const soa_spelling *soa_spelling_at(soa_spelling_kind kind, const char *text, int *bytes);

/* The first character of a text and its bytes; 0xfffd and 1 where it is not UTF-8. */
unsigned soa_character(const char *text, int *bytes);

#endif
