/* expr/spell.h - alphabets: characters of UTF-8, commands of TeX, and names that look alike. */
#ifndef SOA_EXPR_SPELL_H
#define SOA_EXPR_SPELL_H

#include "soa/core.h"

/* The first character of a text and its bytes; 0xfffd and 1 where it is not UTF-8. */
unsigned soa_character(const char *text, int *bytes);

/* "phi" for φ; NULL for a character that is no letter beyond ASCII. */
const char *soa_spell_character(unsigned character);

/* What a superscript stands for: '1' for ¹, '-' for ⁻, 'T' for ᵀ, '/' for its slash; 0 for others. */
char soa_spell_superscript(unsigned character);

/* "~" for a tilde above, "bar", "dot", "hat"; NULL for others. */
const char *soa_spell_mark(unsigned character);

/* "phi" for the TeX command \phi, given without its backslash; NULL if it is no letter. */
const char *soa_spell_command(const char *name, int length);

/* "~" for \tilde, "bar" for \bar, \overline, ...; NULL if it is no accent. */
const char *soa_spell_accent(const char *name, int length);

#endif
