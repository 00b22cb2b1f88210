/* expr/lex.h - a text as tokens, whatever alphabet it is typed in.
 *
 *     phi  φ  \phi  \varphi            one name: phi
 *     phi~  φ̃  \tilde{\phi}             phi~
 *     Mass  𝓜  ℳ  \mathcal{M}          Mass
 *     E_phi  E_φ  \mathcal{E}_{\phi}    E_phi
 *     ᵀ  ⁻¹  ½                          ^T  ^-1  0.5
 *     ( [ { \left(                      open
 * Comments go from # (or % as in TeX) to the end of the line. */
#ifndef SOA_EXPR_LEX_H
#define SOA_EXPR_LEX_H

#include "core/list.h"
#include "core/ratio.h"

typedef enum soa_token_kind {
    SOA_TOKEN_END,
    SOA_TOKEN_NAME,
    SOA_TOKEN_NUMBER,
    SOA_TOKEN_PLUS,
    SOA_TOKEN_MINUS,
    SOA_TOKEN_STAR,
    SOA_TOKEN_DOT, /* a product that no one takes for an adjoint */
    SOA_TOKEN_SLASH,
    SOA_TOKEN_PRIME,
    SOA_TOKEN_CARET,
    SOA_TOKEN_OPEN,
    SOA_TOKEN_CLOSE,
    SOA_TOKEN_EQUAL,
    SOA_TOKEN_COMMA,
    SOA_TOKEN_COLON,
    SOA_TOKEN_ARROW,
    SOA_TOKEN_SEMICOLON,
    SOA_TOKEN_NEWLINE,
} soa_token_kind;

typedef struct soa_token {
    soa_token_kind kind;
    int begin, end;    /* bytes of the text */
    bool space_before; /* white space, or the start, stands before it */
    char bracket;      /* OPEN, CLOSE: one of ( [ { */
    double number;     /* NUMBER */
    soa_ratio ratio;   /* the same, exact */
    const char *name;  /* NAME: as typed in ASCII */
} soa_token;

/* The most bytes of a text. */
enum { SOA_TEXT_MOST = 1 << 18 };

/* All tokens of a text, the last one END, into `tokens` (of soa_token); names live in
 * the arena. SOA_E_SYNTAX, SOA_E_NUMBER, SOA_E_LIMIT with line and column. */
soa_status soa_lex(const char *text, soa_arena *arena, soa_array *tokens, soa_error *error);

/* A failure at a byte of the text: fills line and column (characters, from 1). */
soa_status soa_fail_text(soa_error *error, soa_status status, const char *text, int at, const char *format, ...)
    SOA_PRINTF(5, 6);

/* The most bytes of a name in ASCII, with its end. */
enum { SOA_NAME_MOST = 64 };

/* The name that the text begins with: its bytes in the text; 0: none; -1: too long. */
int soa_name_read(const char *text, char name[SOA_NAME_MOST]);

/* ---- alphabets: what is written in ASCII, in characters of UTF-8 and as commands of TeX (spell.c) ---------- */

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
