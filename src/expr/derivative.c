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

typedef struct line {
    int of; /* soa_operator, soa_vector_id */
    needs rotors;
    const char *text;
} line;

#define VECTOR_DERIVATIVE(vector, needs, text)
#define DERIVATIVE(op, needs, text) { SOA_OP_##op, needs, text },
static const line operators[] = {
#include "expr/derivatives.def"
};
#undef DERIVATIVE
#undef VECTOR_DERIVATIVE

#define VECTOR_DERIVATIVE(vector, needs, text) { SOA_VECTOR_##vector, needs, text },
#define DERIVATIVE(op, needs, text)
static const line vectors[] = {
#include "expr/derivatives.def"
};
#undef DERIVATIVE
#undef VECTOR_DERIVATIVE

static const char *text_of(size_t count, const line *list, int of, bool rotors)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].of == of && list[i].rotors != (rotors ? WITHOUT : WITH)) {
            return list[i].text;
        }
    }
    return "0";
}

static const char *operator_text(soa_operator op, bool rotors)
{
    return text_of(sizeof operators / sizeof operators[0], operators, (int)op, rotors);
}

static const char *vector_text(soa_vector_id vector, bool rotors)
{
    return text_of(sizeof vectors / sizeof vectors[0], vectors, (int)vector, rotors);
}

soa_by soa_derivative_by(const char *name)
{
    return strncmp(name, "q_", 2) == 0      ? SOA_BY_POSITION
           : strncmp(name, "beta_", 5) == 0 ? SOA_BY_VELOCITY
           : strncmp(name, "T_", 2) == 0    ? SOA_BY_FORCE
           : strcmp(name, SOA_TIME) == 0    ? SOA_BY_TIME
                                            : SOA_BY_NOTHING;
}

static soa_derivative_kind kind_of(const char *text)
{
    return text[0] == '\0' ? SOA_DERIVATIVE_ELEMENTARY : text[0] == '0' ? SOA_DERIVATIVE_ZERO : SOA_DERIVATIVE_EXPANDS;
}

soa_derivative_kind soa_derivative_of(soa_operator op, bool rotors)
{
    return kind_of(operator_text(op, rotors));
}

soa_derivative_kind soa_derivative_of_vector(soa_vector_id vector, bool rotors)
{
    return kind_of(vector_text(vector, rotors));
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

soa_status soa_derivative_read(
    soa_terms *terms, soa_operator op, bool rotors, const soa_term *coordinate, const soa_term **term)
{
    return soa_derivative_parse(terms, operator_text(op, rotors), coordinate, term);
}

soa_status soa_derivative_read_vector(
    soa_terms *terms, soa_vector_id vector, bool rotors, const soa_term *coordinate, const soa_term **term)
{
    return soa_derivative_parse(terms, vector_text(vector, rotors), coordinate, term);
}
