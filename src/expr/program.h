/* expr/program.h - programs: declarations, definitions and expressions, one after another. */
#ifndef SOA_EXPR_PROGRAM_H
#define SOA_EXPR_PROGRAM_H

#include "expr/print.h"
#include "expr/syntax.h"
#include "expr/term.h"

typedef struct soa_statement {
    soa_statement_kind kind;
    const char *name;      /* of a declaration or a definition; "" for none */
    const soa_term *term;  /* declared, defined, evaluated, or the left side */
    const soa_term *right; /* EQUATION */
    soa_traits traits;     /* of the term */
    int line;
    const char *text; /* as written */
    int values;       /* numbers given with a declaration */
    const double *value;
    soa_ratio number; /* the last of them, exactly */
} soa_statement;

/* Whether it declares a number and says which. */
static inline bool soa_statement_is_number(const soa_statement *s)
{
    return s->kind == SOA_STATEMENT_DECLARATION && s->values == 1 && s->term->type.from.space == SOA_SPACE_ONE &&
           s->term->type.to.space == SOA_SPACE_ONE;
}

struct soa_program {
    soa_terms *terms; /* and all that is read */
    soa_scope scope;
    soa_array statements; /* of soa_statement */
    soa_limits limits;
    soa_array assumptions; /* of soa_assumption */
};

static inline const soa_statement *soa_program_at(const soa_program *program, int statement)
{
    return (const soa_statement *)program->statements.items + statement;
}

typedef enum soa_wanted { SOA_ANY_STATEMENT, SOA_AN_EXPRESSION, SOA_AN_EQUATION } soa_wanted;

/* A text about a statement, while it is written: proofs and simplifications keep to the limits of the program and may use what
 * it assumes. */
typedef struct soa_telling {
    soa_program *program;
    soa_terms *pool;
    const soa_statement *s; /* NULL: there is none */
    soa_notation notation;
    soa_page out;
    char **text;
    soa_error *error;
    soa_status status;
} soa_telling;

/* Begins the text about the statement of that number; *text is NULL until it is given. SOA_E_ARGUMENT: there is none of that
 * number and kind, no such notation, or program or text is NULL. */
soa_telling soa_telling_begin(
    soa_program *program, int statement, soa_wanted wanted, soa_notation notation, char **text, soa_error *error);

/* Hands the text over if the status is SOA_OK and no allocation failed on the way. The status. */
soa_status soa_telling_end(soa_telling *telling);

#endif
