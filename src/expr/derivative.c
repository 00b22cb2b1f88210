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
    soa_vector_id vector;
    needs rotors;
    const char *text;
} list[] = {
#define DERIVATIVE(op, needs, text)            { SOA_OP_##op, SOA_VECTORS, needs, text },
#define VECTOR_DERIVATIVE(vector, needs, text) { SOA_OPERATORS, SOA_VECTOR_##vector, needs, text },
#include "expr/derivatives.def"
#undef DERIVATIVE
#undef VECTOR_DERIVATIVE
};

const char *soa_derivative_text(soa_operator op, soa_vector_id vector, bool rotors)
{
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        if (list[i].op == op && (op != SOA_OPERATORS || list[i].vector == vector) &&
            list[i].rotors != (rotors ? WITHOUT : WITH)) {
            return list[i].text;
        }
    }
    return "0";
}

soa_by soa_derivative_by(const char *name)
{
    return strncmp(name, "q_", 2) == 0      ? SOA_BY_POSITION
           : strncmp(name, "beta_", 5) == 0 ? SOA_BY_VELOCITY
           : strncmp(name, "T_", 2) == 0    ? SOA_BY_FORCE
           : strcmp(name, SOA_TIME) == 0    ? SOA_BY_TIME
                                            : SOA_BY_NOTHING;
}

soa_status soa_derivative_parse(
    soa_terms *terms, const char *from_list, const soa_term *coordinate, const soa_term **term)
{
    static const char q_i[] = "q_i";
    const char *given = coordinate ? soa_terms_about(terms, coordinate->variable)->name : q_i;
    const char *name = soa_derivative_by(given) == SOA_BY_TIME ? "t" : given;
    const size_t length = strlen(name), most = 16 * (length + sizeof q_i) + 64;
    char *text = soa_allocate(soa_terms_allocator(terms), most, 1);
    if (!text) {
        return SOA_E_MEMORY;
    }
    size_t used = 0;
    for (const char *at = from_list; *at && used + length + 1 < most;) {
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
