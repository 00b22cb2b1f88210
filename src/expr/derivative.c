/* expr/derivative.c - what derivatives are by, and texts of the list in which q_i stands for a coordinate. */
#include "expr/derivative.h"

#include <stdio.h>
#include <string.h>

#include "expr/parse.h"

soa_by soa_derivative_by(const char *name)
{
    return strncmp(name, "q_", 2) == 0      ? SOA_BY_POSITION
           : strncmp(name, "beta_", 5) == 0 ? SOA_BY_VELOCITY
           : strncmp(name, "T_", 2) == 0    ? SOA_BY_FORCE
           : strcmp(name, SOA_TIME) == 0    ? SOA_BY_TIME
                                            : SOA_BY_NOTHING;
}

bool soa_derivative_moves(const char *name)
{
    const soa_by by = soa_derivative_by(name);
    return by == SOA_BY_POSITION || by == SOA_BY_TIME;
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
