/* expr/spell.c - alphabets. */
#include "expr/spell.h"

#include <string.h>

/* ---- UTF-8 ------------------------------------------------------------------------------ */

unsigned soa_character(const char *text, int *bytes)
{
    const unsigned char *at = (const unsigned char *)text;
    static const unsigned least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const int count = at[0] < 0x80             ? 1
                      : (at[0] & 0xe0) == 0xc0 ? 2
                      : (at[0] & 0xf0) == 0xe0 ? 3
                      : (at[0] & 0xf8) == 0xf0 ? 4
                                               : 0;
    unsigned character = count == 1 ? at[0] : at[0] & (0x7fU >> count);
    *bytes = 1;
    for (int i = 1; i < count; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0xfffd;
        }
        character = character << 6 | (at[i] & 0x3fU);
    }
    if (count == 0 || character < least[count] || character > 0x10ffff) {
        return 0xfffd;
    }
    *bytes = count;
    return character;
}

/* ---- letters ------------------------------------------------------------------------------ */

typedef struct letter {
    unsigned character;
    const char *name;
} letter;

static const char *find_letter(const letter *list, size_t count, unsigned character)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].character == character) {
            return list[i].name;
        }
    }
    return NULL;
}

#define FIND(list, character) find_letter(list, sizeof(list) / sizeof(list)[0], character)

const char *soa_spell_character(unsigned character)
{
    static const letter list[] = {
        { 0x3b1, "alpha" },
        { 0x3b2, "beta" },
        { 0x3b3, "gamma" },
        { 0x3b4, "delta" },
        { 0x3b5, "epsilon" },
        { 0x3f5, "epsilon" },
        { 0x3b6, "zeta" },
        { 0x3b7, "eta" },
        { 0x3b8, "theta" },
        { 0x3d1, "theta" },
        { 0x3b9, "iota" },
        { 0x3ba, "kappa" },
        { 0x3bb, "lambda" },
        { 0x3bc, "mu" },
        { 0xb5, "mu" },
        { 0x3bd, "nu" },
        { 0x3be, "xi" },
        { 0x3c0, "pi" },
        { 0x3c1, "rho" },
        { 0x3c3, "sigma" },
        { 0x3c4, "tau" },
        { 0x3c5, "upsilon" },
        { 0x3c6, "phi" },
        { 0x3d5, "phi" },
        { 0x3c7, "chi" },
        { 0x3c8, "psi" },
        { 0x3c9, "omega" },
        { 0x393, "Gamma" },
        { 0x394, "Delta" },
        { 0x398, "Theta" },
        { 0x39b, "Lambda" },
        { 0x3a0, "Pi" },
        { 0x3a3, "Sigma" },
        { 0x3a5, "Ups" },
        { 0x3d2, "Ups" },
        { 0x3a6, "Phi" },
        { 0x3a8, "Psi" },
        { 0x3a9, "Omega" },
        { 0x2126, "Omega" },
        { 0x1d4dc, "Mass" },
        { 0x2133, "Mass" },
        { 0x1d4d4, "E" },
        { 0x2130, "E" },
    };
    return FIND(list, character);
}

const char *soa_spell_mark(unsigned character)
{
    static const letter list[] = {
        { 0x303, "~" },
        { 0x304, "bar" },
        { 0x305, "bar" },
        { 0x307, "dot" },
        { 0x302, "hat" },
        { 0x308, "ddot" },
    };
    return FIND(list, character);
}

char soa_spell_superscript(unsigned character)
{
    static const letter list[] = {
        { 0x1d40, "T" },
        { 0x207b, "-" },
        { 0x2070, "0" },
        { 0xb9, "1" },
        { 0xb2, "2" },
        { 0xb3, "3" },
        { 0x2074, "4" },
        { 0x2075, "5" },
        { 0x2076, "6" },
        { 0x2077, "7" },
        { 0x2078, "8" },
        { 0x2079, "9" },
        { 0x141f, "/" },
    };
    const char *found = FIND(list, character);
    return (char)(found ? found[0] : 0);
}

/* ---- TeX ------------------------------------------------------------------------------------ */

static bool is_word(const char *word, const char *name, int length)
{
    return strlen(word) == (size_t)length && strncmp(word, name, (size_t)length) == 0;
}

static const char *find_word(const char *const (*list)[2], const char *name, int length)
{
    while ((*list)[0] && !is_word((*list)[0], name, length)) {
        list++;
    }
    return (*list)[1];
}

const char *soa_spell_command(const char *name, int length)
{
    static const char *const list[][2] = {
        { "alpha", "alpha" },
        { "beta", "beta" },
        { "gamma", "gamma" },
        { "delta", "delta" },
        { "epsilon", "epsilon" },
        { "varepsilon", "epsilon" },
        { "zeta", "zeta" },
        { "eta", "eta" },
        { "theta", "theta" },
        { "vartheta", "theta" },
        { "iota", "iota" },
        { "kappa", "kappa" },
        { "lambda", "lambda" },
        { "mu", "mu" },
        { "nu", "nu" },
        { "xi", "xi" },
        { "pi", "pi" },
        { "rho", "rho" },
        { "sigma", "sigma" },
        { "tau", "tau" },
        { "upsilon", "upsilon" },
        { "phi", "phi" },
        { "varphi", "phi" },
        { "chi", "chi" },
        { "psi", "psi" },
        { "omega", "omega" },
        { "Gamma", "Gamma" },
        { "Delta", "Delta" },
        { "Theta", "Theta" },
        { "Lambda", "Lambda" },
        { "Pi", "Pi" },
        { "Sigma", "Sigma" },
        { "Upsilon", "Ups" },
        { "Phi", "Phi" },
        { "Psi", "Psi" },
        { "Omega", "Omega" },
        { NULL, NULL },
    };
    return find_word(list, name, length);
}

const char *soa_spell_accent(const char *name, int length)
{
    static const char *const list[][2] = {
        { "tilde", "~" },
        { "widetilde", "~" },
        { "bar", "bar" },
        { "overline", "bar" },
        { "dot", "dot" },
        { "ddot", "ddot" },
        { "hat", "hat" },
        { "widehat", "hat" },
        { NULL, NULL },
    };
    return find_word(list, name, length);
}
