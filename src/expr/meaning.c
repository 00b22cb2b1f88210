/* expr/meaning.c - what names mean: operators, vectors of the list, coordinates, and what a program defines. */
#include "expr/parse.h"

#include <string.h>

#include "core/edits.h"
#include "expr/syntax.h"
#include "soa/expr.h"

/* ---- the list of vectors ------------------------------------------------------------------------- */

static const soa_vector_info list[SOA_VECTORS] = {
#define ENTRY(name, text, space, side, noun, source, definition, with_rotors, meaning) \
    { text, SOA_SPACE_##space, SOA_SIDE_##side, noun, SOA_ORIGIN_##source, definition, with_rotors, meaning },
    SOA_VECTOR_LIST(ENTRY)
#undef ENTRY
};

soa_vector_info soa_vector_about(soa_vector_id vector)
{
    return list[(unsigned)vector < SOA_VECTORS ? vector : SOA_VECTOR_T];
}

soa_vector_id soa_vector_find(const char *text)
{
    int i = 0;
    while (i < SOA_VECTORS && (!text || strcmp(list[i].text, text) != 0)) {
        i++;
    }
    return (soa_vector_id)i;
}

const char *soa_vector_definition(soa_vector_id vector, bool rotors)
{
    const soa_vector_info about = soa_vector_about(vector);
    return vector == SOA_VECTORS ? "" : rotors && about.with_rotors[0] ? about.with_rotors : about.definition;
}

/* ---- terms ------------------------------------------------------------------------------------ */

const soa_term *soa_names_vector(soa_terms *pool, soa_vector_id vector)
{
    const soa_vector_info info = soa_vector_about(vector);
    const soa_variable about = { .name = info.text,
        .type = { { SOA_SPACE_ONE, SOA_SIDE_ANY }, { info.space, info.side } },
        .causality = SOA_KIND_MEMORYLESS };
    return soa_term_variable(pool, soa_terms_variable(pool, &about));
}

const soa_term *soa_names_coordinate(soa_terms *pool, const char *name)
{
    const soa_place one = { SOA_SPACE_ONE, SOA_SIDE_ANY };
    const soa_variable about = { .name = name, .type = { one, one }, .causality = SOA_KIND_MEMORYLESS };
    return soa_term_variable(pool, soa_terms_variable(pool, &about));
}

const soa_definition *soa_scope_find(const soa_scope *scope, const char *name)
{
    return scope ? soa_array_named(&scope->definitions, name) : NULL;
}

/* ---- coordinates ---------------------------------------------------------------------------------- */

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

/* ---- the nearest known name ---------------------------------------------------------------------- */

typedef struct nearest {
    const char *name;
    int edits;
} nearest;

static void compare(nearest *best, const char *wanted, const char *known)
{
    const int edits = soa_edits(wanted, known);
    if (edits < best->edits) {
        *best = (nearest){ known, edits };
    }
}

static const char *find_nearest(const soa_parser *p, const char *name)
{
    nearest best = { NULL, strlen(name) > 3 ? 3 : 2 };
    for (int i = 0; i < SOA_OPERATORS; i++) {
        compare(&best, name, soa_operator_text((soa_operator)i));
    }
    for (int i = 0; i < SOA_VECTORS; i++) {
        compare(&best, name, soa_vector_about((soa_vector_id)i).text);
    }
    for (int i = 0; i < p->pool->variables.count; i++) {
        compare(&best, name, soa_terms_about(p->pool, i)->name);
    }
    for (int i = 0; p->scope && i < p->scope->definitions.count; i++) {
        compare(&best, name, ((const soa_definition *)soa_array_at(&p->scope->definitions, i))->name);
    }
    return best.name && best.edits < (int)strlen(name) ? best.name : NULL;
}

/* "H phi" of "Hphi": known operators without a space between them, the longest first; false if it is no such thing. */
static bool split(const char *name, char *spaced, size_t size)
{
    size_t used = 0;
    while (*name) {
        size_t longest = 0;
        for (int i = 0; i < SOA_OPERATORS; i++) {
            const char *text = soa_operator_text((soa_operator)i);
            const size_t length = strlen(text);
            longest = length > longest && strncmp(name, text, length) == 0 ? length : longest;
        }
        if (longest == 0 || used + longest + 2 > size) {
            return false;
        }
        memcpy(spaced + used, name, longest);
        used += longest;
        name += longest;
        spaced[used++] = *name ? ' ' : '\0';
    }
    return true;
}

bool soa_names_reserved(const char *name)
{
    static const char *const word[] = { "I", "d", "dot", "inv", "sqrt", "sum", "let", "assume",
#define MEASURE(id, text) text,
        SOA_MEASURE_LIST(MEASURE)
#undef MEASURE
    };
    size_t i = 0;
    while (i < sizeof word / sizeof word[0] && strcmp(name, word[i]) != 0) {
        i++;
    }
    return i < sizeof word / sizeof word[0];
}

static const soa_term *fail_unknown(soa_parser *p, const soa_token *token)
{
    char spaced[2 * 64];
    if (soa_names_reserved(token->name)) {
        return soa_parser_fail(p, SOA_E_SYNTAX, token->begin,
            "'%s' is a word of the language, and no name; what it takes stands in parentheses behind it", token->name);
    }
    const char *name = token->name, *near = split(name, spaced, sizeof spaced) ? spaced : find_nearest(p, name);
    return near ? soa_parser_fail(p, SOA_E_NAME, token->begin, "'%s' is unknown; did you mean %s?", name, near)
                : soa_parser_fail(p, SOA_E_NAME, token->begin,
                      "'%s' is unknown; a vector of your own is declared by its type: %s: joint force", name, name);
}

/* ---- vectors defined anew -------------------------------------------------------------------------- */

/* A vector of the list where the scope defines others anew: what it is made of them, or NULL and no error if none of
 * them is in it. a, b and b_Arm follow from the beta of the state and have no expression. */
static const soa_term *made_anew(soa_parser *p, soa_vector_id vector, const soa_token *token)
{
    const soa_vector_info info = soa_vector_about(vector);
    const bool from_beta = vector == SOA_VECTOR_A || vector == SOA_VECTOR_B || vector == SOA_VECTOR_B_ARM;
    const char *text = soa_vector_definition(vector, true);
    const soa_term *here = NULL, *listed = NULL;
    if (from_beta && soa_scope_find(p->scope, "beta")) {
        return soa_parser_fail(p, SOA_E_NAME, token->begin,
            "%s follows from the beta of the state, and beta is defined anew; define %s too", info.text, info.text);
    }
    if (!text[0]) {
        return NULL;
    }
    soa_error error;
    const soa_status status = soa_parse_term_in(p->pool, p->scope, text, &here, &error);
    if (status != SOA_OK) {
        return soa_parser_fail(p, status, token->begin, "%s", error.text);
    }
    return soa_parse_term(p->pool, text, &listed, NULL) == SOA_OK && here != listed ? here : NULL;
}

/* J_2, B_2, Lambda_2, f_c_2: what concerns one of the points; NULL: it is no such name. */
static const soa_term *of_point(soa_parser *p, const char *name)
{
    const char *digits = strrchr(name, '_');
    char base[64];
    if (!digits || digits[1] == '\0' || strspn(digits + 1, "0123456789") != strlen(digits + 1) ||
        (size_t)(digits - name) >= sizeof base) {
        return NULL;
    }
    memcpy(base, name, (size_t)(digits - name));
    base[digits - name] = '\0';
    const soa_operator op = soa_operator_find(base);
    const soa_vector_id vector = soa_vector_find(base);
    const soa_term *term = op != SOA_OPERATORS     ? soa_term_operator(p->pool, op)
                           : vector != SOA_VECTORS ? soa_names_vector(p->pool, vector)
                                                   : NULL;
    if (!term || (term->type.from.space != SOA_SPACE_POINT && term->type.to.space != SOA_SPACE_POINT)) {
        return NULL;
    }
    return soa_term_block(p->pool, term, term->type.to.space == SOA_SPACE_POINT ? digits + 1 : NULL,
        term->type.from.space == SOA_SPACE_POINT ? digits + 1 : NULL);
}

const soa_term *soa_names_term(soa_parser *p, const soa_token *token)
{
    const soa_definition *defined = soa_scope_find(p->scope, token->name);
    const soa_vector_id vector = soa_vector_find(token->name);
    const soa_operator op = soa_operator_find(token->name);
    const int variable = soa_terms_find_variable(p->pool, token->name);
    const bool anew = !defined && vector != SOA_VECTORS && p->scope && p->scope->definitions.count > 0;
    const soa_term *made = defined ? defined->term : anew ? made_anew(p, vector, token) : NULL;
    if (made || p->status != SOA_OK) {
        return made;
    }
    if (op == SOA_OPERATORS && variable < 0 && vector == SOA_VECTORS) {
        const soa_term *block = of_point(p, token->name);
        return block ? block : fail_unknown(p, token);
    }
    const soa_term *term = op != SOA_OPERATORS ? soa_term_operator(p->pool, op)
                           : variable >= 0     ? soa_term_variable(p->pool, variable)
                                               : soa_names_vector(p->pool, vector);
    return term ? term : soa_parser_fail(p, p->pool->status, token->begin, "no room for the expression");
}
