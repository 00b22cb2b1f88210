/* expr/program_read.c - statements read into a program: declarations, definitions, expressions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "expr/derivative.h"
#include "expr/names.h"
#include "expr/program.h"
#include "expr/scope.h"
#include "expr/words.h"

/* ---- statements ------------------------------------------------------------------------------- */

typedef struct reader {
    soa_program *program;
    soa_parser p;
    soa_reading reading;
} reader;

static const soa_token *token_at(const reader *r, int at)
{
    return soa_array_at(&r->p.tokens, at < r->p.tokens.count ? at : r->p.tokens.count - 1);
}

static bool ends_statement(soa_token_kind kind)
{
    return kind == SOA_TOKEN_END || kind == SOA_TOKEN_SEMICOLON || kind == SOA_TOKEN_NEWLINE;
}

static bool fail_at(reader *r, const soa_token *token, soa_status status, const char *what)
{
    return soa_parser_fail(
               &r->p, status, token->begin, "'%s' %s", token->kind == SOA_TOKEN_NAME ? token->name : "", what) > 0;
}

static const soa_definition *find_definition(const soa_scope *scope, const char *name)
{
    for (int i = 0; i < scope->definitions.count; i++) {
        const soa_definition *definition = soa_array_at(&scope->definitions, i);
        if (strcmp(definition->name, name) == 0) {
            return definition;
        }
    }
    return NULL;
}

/* A name that the user may give a meaning. */
static bool is_free(reader *r, const soa_token *name)
{
    static const char *const word[] = { "I", "d", "dot", "inv", "sqrt", "sum", "let", "assume",
#define MEASURE(id, text) text,
        SOA_MEASURE_LIST(MEASURE)
#undef MEASURE
    };
    for (size_t i = 0; i < sizeof word / sizeof word[0]; i++) {
        if (strcmp(name->name, word[i]) == 0) {
            return fail_at(r, name, SOA_E_NAME, "is a word of the language; choose another name");
        }
    }
    if (soa_operator_find(name->name) != SOA_OPERATORS) {
        return fail_at(r, name, SOA_E_NAME, "is an operator; choose another name");
    }
    if (soa_derivative_by(name->name) == SOA_BY_POSITION) {
        return fail_at(r, name, SOA_E_NAME, "is a coordinate; choose another name");
    }
    if (r->reading != SOA_READ_AGAIN && find_definition(&r->program->scope, name->name)) {
        return fail_at(r, name, SOA_E_NAME, "is defined already");
    }
    return true;
}

static soa_statement *new_statement(reader *r, soa_statement_kind kind, const char *name, int first_token)
{
    const soa_token *first = token_at(r, first_token), *last = token_at(r, r->p.at - 1);
    soa_arena *arena = &r->program->scope.arena;
    const char *copy = soa_arena_text(arena, name);
    const char *text = soa_arena_text_n(arena, r->p.text + first->begin, (size_t)(last->end - first->begin));
    soa_statement *made = copy && text ? soa_array_push(&r->program->statements, &r->program->allocator) : NULL;
    if (!made) {
        (void)soa_parser_fail(&r->p, SOA_E_MEMORY, first->begin, "out of memory");
        return NULL;
    }
    made->kind = kind;
    made->name = copy;
    made->text = text;
    made->line = 1;
    for (int i = 0; i < first->begin; i++) {
        made->line += r->p.text[i] == '\n';
    }
    return made;
}

/* ---- declarations ------------------------------------------------------------------------------ */

static bool read_trait(reader *r, soa_variable *about)
{
    static const struct {
        const char *word;
        soa_kind kind;
    } list[] = { { "memoryless", SOA_KIND_MEMORYLESS }, { "causal", SOA_KIND_CAUSAL },
        { "anticausal", SOA_KIND_ANTICAUSAL }, { "full", SOA_KIND_FULL } };
    const soa_token *token = soa_parser_token(&r->p);
    const char *word = token->kind == SOA_TOKEN_NAME ? token->name : "";
    r->p.at += token->kind == SOA_TOKEN_NAME;
    if (strcmp(word, "symmetric") == 0 || strcmp(word, "positive") == 0) {
        about->symmetric = true;
        about->positive = about->positive || word[0] == 'p';
        return true;
    }
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        if (strcmp(word, list[i].word) == 0) {
            about->causality = list[i].kind;
            return true;
        }
    }
    return soa_parser_fail(&r->p, SOA_E_SYNTAX, token->begin,
               "here stands symmetric, positive, memoryless, causal, anticausal or full") > 0;
}

static bool read_number(reader *r, soa_array *numbers)
{
    const bool minus = soa_parser_accept(&r->p, SOA_TOKEN_MINUS);
    const soa_token *token = soa_parser_token(&r->p);
    double *number = soa_array_push(numbers, &r->program->allocator);
    if (!number) {
        return soa_parser_fail(&r->p, SOA_E_MEMORY, token->begin, "out of memory") > 0;
    }
    if (!soa_parser_accept(&r->p, SOA_TOKEN_NUMBER)) {
        return soa_parser_fail(&r->p, SOA_E_SYNTAX, token->begin, "a number was expected here") > 0;
    }
    *number = minus ? -token->number : token->number;
    return true;
}

/* "=" number { "," number }, kept in the arena of the program. */
static bool read_values(reader *r, int *count, const double **values)
{
    soa_array numbers = soa_array_of(sizeof(double));
    bool fine = true;
    do {
        fine = read_number(r, &numbers);
    } while (fine && soa_parser_accept(&r->p, SOA_TOKEN_COMMA));
    double *kept = fine ? soa_arena_take(&r->program->scope.arena, (size_t)numbers.count, sizeof *kept) : NULL;
    if (kept) {
        memcpy(kept, numbers.items, (size_t)numbers.count * sizeof *kept);
        *count = numbers.count;
        *values = kept;
    } else if (fine) {
        fine = soa_parser_fail(&r->p, SOA_E_MEMORY, 0, "out of memory") > 0;
    }
    soa_array_free(&numbers, &r->program->allocator);
    return fine;
}

/* The variable of a declaration: new, or known with this type. */
static const soa_term *declare(reader *r, const soa_token *name, const soa_variable *about)
{
    const soa_vector_id vector = soa_vector_find(name->name);
    const soa_vector_info info = soa_vector_about(vector);
    const int known = soa_terms_find_variable(r->program->terms, name->name);
    const soa_type listed = { { SOA_SPACE_ONE, SOA_SIDE_ANY }, { info.space, info.side } };
    if ((vector != SOA_VECTORS && !soa_type_equal(listed, about->type)) ||
        (known >= 0 && !soa_type_equal(soa_terms_about(r->program->terms, known)->type, about->type))) {
        (void)fail_at(r, name, SOA_E_NAME, "is known with another type; choose another name");
        return NULL;
    }
    const soa_term *term = soa_term_variable(r->program->terms, soa_terms_variable(r->program->terms, about));
    if (!term) {
        (void)soa_parser_fail(&r->p, soa_terms_status(r->program->terms), name->begin, "no room for the variable");
    }
    return term;
}

/* name ":" type { "," trait } [ "=" numbers ] */
static bool read_declaration(reader *r)
{
    const int first = r->p.at;
    const soa_token *name = soa_parser_token(&r->p);
    soa_variable about = { .name = name->name, .causality = SOA_KIND_FULL };
    if (!is_free(r, name)) {
        return false;
    }
    r->p.at += 2;
    if (!soa_parser_type(&r->p, &about.type)) {
        return false;
    }
    const bool is_vector = about.type.from.space == SOA_SPACE_ONE;
    about.causality = is_vector ? SOA_KIND_MEMORYLESS : SOA_KIND_FULL;
    while (!is_vector && soa_parser_accept(&r->p, SOA_TOKEN_COMMA)) {
        if (!read_trait(r, &about)) {
            return false;
        }
    }
    if (about.symmetric && !soa_place_equal(about.type.from, soa_place_dual(about.type.to))) {
        return fail_at(r, name, SOA_E_SYNTAX, "cannot be symmetric: it must go between a motion and its force");
    }
    int count = 0;
    const double *values = NULL;
    if (soa_parser_accept(&r->p, SOA_TOKEN_EQUAL) && !read_values(r, &count, &values)) {
        return false;
    }
    const soa_term *term = declare(r, name, &about);
    soa_statement *made = term ? new_statement(r, SOA_STATEMENT_DECLARATION, name->name, first) : NULL;
    if (made) {
        made->term = term;
        made->values = count;
        made->value = values;
    }
    return made != NULL;
}

/* ---- definitions and expressions -------------------------------------------------------------------- */

static bool add_definition(reader *r, const soa_token *name, const soa_term *term)
{
    soa_scope *scope = &r->program->scope;
    const soa_vector_id vector = soa_vector_find(name->name);
    const soa_vector_info info = soa_vector_about(vector);
    const soa_type listed = { { SOA_SPACE_ONE, SOA_SIDE_ANY }, { info.space, info.side } };
    const int variable = soa_terms_find_variable(r->program->terms, name->name);
    const soa_type *known = vector != SOA_VECTORS ? &listed
                            : variable >= 0       ? &soa_terms_about(r->program->terms, variable)->type
                                                  : NULL;
    if (known && !soa_type_equal(*known, term->type)) {
        char is[SOA_WORDS], was[SOA_WORDS];
        (void)soa_parser_fail(&r->p, SOA_E_NAME, name->begin, "'%s' is %s, and this is %s; choose another name",
            name->name, soa_words_type(was, *known), soa_words_type(is, term->type));
        return false;
    }
    if (term->type.from.space == SOA_SPACE_ANY || term->type.to.space == SOA_SPACE_ANY) {
        return fail_at(r, name, SOA_E_SYNTAX, "could have any type; say which, as in I[joint force]");
    }
    const char *copy = soa_arena_text(&scope->arena, name->name);
    soa_definition *made = copy ? soa_array_push(&scope->definitions, &r->program->allocator) : NULL;
    if (!made) {
        return soa_parser_fail(&r->p, SOA_E_MEMORY, name->begin, "out of memory") > 0;
    }
    *made = (soa_definition){ copy, term };
    return true;
}

static bool read_definition(reader *r)
{
    const int first = r->p.at;
    const soa_token *name = soa_parser_token(&r->p);
    soa_sides sides = { 0 };
    if (!is_free(r, name)) {
        return false;
    }
    r->p.at += 2;
    if (soa_parser_sides(&r->p, false, &sides) != SOA_OK || !add_definition(r, name, sides.left)) {
        return false;
    }
    soa_statement *made = new_statement(r, SOA_STATEMENT_DEFINITION, name->name, first);
    if (made) {
        made->term = sides.left;
    }
    return made != NULL;
}

static bool read_expression(reader *r, bool equation)
{
    const int first = r->p.at;
    soa_sides sides = { 0 };
    if (soa_parser_sides(&r->p, equation, &sides) != SOA_OK) {
        return false;
    }
    soa_statement *made = new_statement(r, equation ? SOA_STATEMENT_EQUATION : SOA_STATEMENT_EXPRESSION, "", first);
    if (made) {
        made->term = sides.left;
        made->right = sides.right;
    }
    return made != NULL;
}

/* ---- all ---------------------------------------------------------------------------------------------- */

/* Whether no other statement follows the one looked at. */
static bool is_last(const reader *r)
{
    int i = r->p.at;
    while (!ends_statement(token_at(r, i)->kind)) {
        i++;
    }
    while (token_at(r, i)->kind == SOA_TOKEN_SEMICOLON || token_at(r, i)->kind == SOA_TOKEN_NEWLINE) {
        i++;
    }
    return token_at(r, i)->kind == SOA_TOKEN_END;
}

/* ---- let, assume ---------------------------------------------------------------------------------------- */

static bool is_word(const reader *r, int at, const char *word)
{
    const soa_token *token = token_at(r, at);
    return token->kind == SOA_TOKEN_NAME && strcmp(token->name, word) == 0;
}

/* let name(parameter) = body, or let name = expression, at the name. */
static bool read_let(reader *r)
{
    const soa_token *name = soa_parser_token(&r->p);
    if (name->kind != SOA_TOKEN_NAME) {
        return soa_parser_fail_token(&r->p, "let defines a name: let osc(F) = J' Lambda^-1 F") > 0;
    }
    return soa_parser_after(&r->p)->kind != SOA_TOKEN_OPEN
               ? read_definition(r)
               : is_free(r, name) && soa_parser_function(&r->p, &r->program->scope);
}

static bool keep_assumption(reader *r, const soa_assumption *like, int first)
{
    const soa_token *from = token_at(r, first), *last = token_at(r, r->p.at - 1);
    soa_arena *arena = &r->program->scope.arena;
    char label[32];
    (void)snprintf(label, sizeof label, "assumption %d", r->program->assumptions.count + 1);
    const char *kept = soa_arena_text(arena, label);
    const char *text = soa_arena_text_n(arena, r->p.text + from->begin, (size_t)(last->end - from->begin));
    soa_assumption *made = kept && text ? soa_array_push(&r->program->assumptions, &r->program->allocator) : NULL;
    if (!made) {
        return soa_parser_fail(&r->p, SOA_E_MEMORY, from->begin, "out of memory") > 0;
    }
    *made = (soa_assumption){ like->left, like->right, kept, text };
    return true;
}

/* no rotors | name constant | A = B */
static bool read_assumption(reader *r)
{
    const int first = r->p.at;
    soa_assumption made = { 0 };
    if (is_word(r, first, "no") && is_word(r, first + 1, "rotors")) {
        r->p.at += 2;
    } else if (is_word(r, first + 1, "constant")) {
        made.left = soa_names_term(&r->p, soa_parser_token(&r->p));
        r->p.at += 2;
        if (!made.left) {
            return false;
        }
    } else {
        soa_sides sides = { 0 };
        if (soa_parser_sides(&r->p, true, &sides) != SOA_OK) {
            return false;
        }
        made.left = sides.left;
        made.right = sides.right;
    }
    return keep_assumption(r, &made, first);
}

/* Whether the word begins a statement: something other than a sign follows it. */
static bool begins(reader *r, const char *word)
{
    const soa_token_kind next = token_at(r, r->p.at + 1)->kind;
    const bool is = is_word(r, r->p.at, word) && next != SOA_TOKEN_EQUAL && next != SOA_TOKEN_COLON;
    r->p.at += is;
    return is;
}

static bool read_statement(reader *r)
{
    if (begins(r, "let")) {
        return read_let(r);
    }
    if (begins(r, "assume")) {
        return read_assumption(r);
    }
    const soa_token_kind next = token_at(r, r->p.at + 1)->kind;
    const bool named = soa_parser_looks_at(&r->p, SOA_TOKEN_NAME);
    bool fine;
    if (named && next == SOA_TOKEN_COLON) {
        fine = read_declaration(r);
    } else if (r->reading == SOA_READ_EQUATION && is_last(r)) {
        fine = read_expression(r, true);
    } else if (named && next == SOA_TOKEN_EQUAL) {
        fine = read_definition(r);
    } else {
        fine = read_expression(r, false);
    }
    if (fine && !ends_statement(soa_parser_token(&r->p)->kind)) {
        fine =
            soa_parser_fail(&r->p, SOA_E_SYNTAX, soa_parser_token(&r->p)->begin, "the statement should end here") > 0;
    }
    return fine;
}

static bool read_all(reader *r)
{
    soa_parser_join_lines(&r->p, false);
    while (!soa_parser_looks_at(&r->p, SOA_TOKEN_END)) {
        if (soa_parser_accept(&r->p, SOA_TOKEN_SEMICOLON) || soa_parser_accept(&r->p, SOA_TOKEN_NEWLINE)) {
            continue;
        }
        if (!read_statement(r)) {
            return false;
        }
    }
    return true;
}

soa_status soa_program_read(soa_program *program, const char *text, soa_reading reading, soa_error *error)
{
    if (!program || !text) {
        return soa_fail_null(error, "the program or the text");
    }
    reader r = { .program = program, .reading = reading };
    const int statements = program->statements.count, definitions = program->scope.definitions.count;
    const int functions = program->scope.functions.count, assumptions = program->assumptions.count;
    soa_status status = soa_parser_begin(&r.p, program->terms, &program->scope, text, error);
    if (status == SOA_OK && !read_all(&r)) {
        status = r.p.status;
    }
    for (int i = statements; status == SOA_OK && i < program->statements.count; i++) {
        soa_statement *made = soa_array_at(&program->statements, i);
        made->traits = soa_term_traits(program->terms, made->term);
    }
    if (status == SOA_OK && reading == SOA_READ_EQUATION &&
        (program->statements.count == statements ||
            soa_program_at(program, program->statements.count - 1)->kind != SOA_STATEMENT_EQUATION)) {
        status = soa_fail_text(error, SOA_E_SYNTAX, text, (int)strlen(text), "an equation was expected: A = B");
    }
    status = soa_terms_settle(program->terms, status, error);
    if (status != SOA_OK) {
        program->statements.count = statements;
        program->scope.definitions.count = definitions;
        program->scope.functions.count = functions;
        program->assumptions.count = assumptions;
    }
    soa_parser_end(&r.p);
    return status;
}
