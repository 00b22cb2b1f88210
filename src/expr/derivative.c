/* expr/derivative.c - what the derivatives of single operators are. */
#include "expr/derivative.h"

#include <stdio.h>
#include <string.h>

#include "expr/parse.h"

typedef enum needs {
    ANY,
    WITH,
    WITHOUT,
} needs;

static const struct {
    soa_operator op;
    needs rotors;
    const char *text;
} list[] = {
#define DERIVATIVE(op, needs, text) { SOA_OP_##op, needs, text },
#include "expr/derivatives.def"
#undef DERIVATIVE
};

static const char *text_of(soa_operator op, bool rotors)
{
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        if (list[i].op == op && list[i].rotors != (rotors ? WITHOUT : WITH)) {
            return list[i].text;
        }
    }
    return "0";
}

soa_derivative_kind soa_derivative_of(soa_operator op, bool rotors)
{
    const char *text = text_of(op, rotors);
    return text[0] == '\0' ? SOA_DERIVATIVE_ELEMENTARY : text[0] == '0' ? SOA_DERIVATIVE_ZERO : SOA_DERIVATIVE_EXPANDS;
}

soa_status soa_derivative_read(
    soa_terms *terms, soa_operator op, bool rotors, const soa_term *coordinate, const soa_term **term)
{
    static const char q_i[] = "q_i";
    const char *name = soa_terms_about(terms, coordinate->variable)->name;
    const size_t length = strlen(name), most = 16 * (length + sizeof q_i) + 64;
    char *text = soa_allocate(soa_terms_allocator(terms), most, 1);
    if (!text) {
        return SOA_E_MEMORY;
    }
    size_t used = 0;
    for (const char *at = text_of(op, rotors); *at && used + length + 1 < most;) {
        const bool coordinate_here = strncmp(at, q_i, sizeof q_i - 1) == 0;
        const char *from = coordinate_here ? name : at;
        const size_t count = coordinate_here ? length : 1;
        memcpy(text + used, from, count);
        used += count;
        at += coordinate_here ? sizeof q_i - 1 : 1;
    }
    text[used] = '\0';
    const soa_status status = soa_parse_term(terms, text, term, NULL);
    soa_release(soa_terms_allocator(terms), text);
    return status;
}
