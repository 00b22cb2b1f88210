/* expr/program_read.c - statements read into a program: declarations, definitions, expressions. */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "expr/parse.h"
#include "expr/print.h"
#include "expr/program.h"

typedef struct reader {
    soa_parser p;
    soa_program *program;
    soa_reading reading;
} reader;

static const soa_token *token_at(const reader *r, int at)
{
    return soa_parser_token_at(&r->p, at);
}

static bool fail_name(reader *r, const soa_token *name, soa_status status, const char *what)
{
    return soa_parser_fail(&r->p, status, name->begin, "'%s' %s", name->name, what);
}

static bool is_word(const soa_token *token, const char *word)
{
    return token->kind == SOA_TOKEN_NAME && strcmp(token->name, word) == 0;
}

/* ---- names ------------------------------------------------------------------------------------ */

/* A name that the user may give a meaning. */
static bool is_free(reader *r, const soa_token *name)
{
    if (soa_names_reserved(name->name)) {
        return fail_name(r, name, SOA_E_NAME, "is a word of the language; choose another name");
    }
    if (soa_operator_find(name->name) != SOA_OPERATORS) {
        return fail_name(r, name, SOA_E_NAME, "is an operator; choose another name");
    }
    if (soa_derivative_by(name->name) == SOA_BY_POSITION) {
        return fail_name(r, name, SOA_E_NAME, "is a coordinate; choose another name");
    }
    const soa_scope *scope = &r->program->scope;
    const bool defined = soa_scope_find(scope, name->name) || soa_array_named(&scope->functions, name->name);
    return r->reading == SOA_READ_AGAIN || !defined || fail_name(r, name, SOA_E_NAME, "is defined already");
}

/* The type of a vector of the list, or of a variable, of that name; if there is none, the one given. */
static soa_type known_type(const reader *r, const char *name, soa_type given)
{
    const soa_vector_id vector = soa_vector_find(name);
    const soa_vector_info info = soa_vector_about(vector);
    const int variable = soa_terms_find_variable(r->program->terms, name);
    return vector != SOA_VECTORS ? (soa_type){ { SOA_SPACE_ONE, SOA_SIDE_ANY }, { info.space, info.side } }
           : variable >= 0       ? soa_terms_about(r->program->terms, variable)->type
                                 : given;
}

/* The text from a token up to the one looked at. */
static const char *text_from(reader *r, int first)
{
    const int begin = token_at(r, first)->begin, end = token_at(r, r->p.at - 1)->end;
    return soa_arena_text_n(&r->program->terms->arena, r->p.text + begin, (size_t)(end - begin));
}

/* Keeps a statement that began at a token. */
static bool keep_statement(reader *r, int first, soa_statement like)
{
    soa_program *program = r->program;
    like.name = soa_arena_text(&program->terms->arena, like.name);
    like.text = text_from(r, first);
    like.line = 1;
    for (int i = 0; i < token_at(r, first)->begin; i++) {
        like.line += r->p.text[i] == '\n';
    }
    return soa_parser_given(&r->p, like.name && like.text
                                       ? soa_arena_add(&program->terms->arena, &program->statements, &like, sizeof like)
                                       : NULL);
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
    r->p.at += token->kind == SOA_TOKEN_NAME;
    if (is_word(token, "symmetric") || is_word(token, "positive")) {
        about->symmetric = true;
        about->positive = about->positive || is_word(token, "positive");
        return true;
    }
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        if (is_word(token, list[i].word)) {
            about->causality = list[i].kind;
            return true;
        }
    }
    return soa_parser_fail(
        &r->p, SOA_E_SYNTAX, token->begin, "here stands symmetric, positive, memoryless, causal, anticausal or full");
}

/* number { "," number }, kept in the arena of the program. */
static bool read_values(reader *r, soa_statement *made)
{
    int most = 1;
    for (int i = r->p.at; !soa_token_ends(token_at(r, i)); i++) {
        most += token_at(r, i)->kind == SOA_TOKEN_COMMA;
    }
    double *value = soa_parser_given(&r->p, soa_arena_take(&r->program->terms->arena, (size_t)most, sizeof *value));
    made->value = value;
    do {
        const bool minus = soa_parser_accept(&r->p, SOA_TOKEN_MINUS);
        const soa_token *token = soa_parser_token(&r->p);
        if (!value || !soa_parser_accept(&r->p, SOA_TOKEN_NUMBER)) {
            return soa_parser_fail_token(&r->p, "a number was expected here");
        }
        made->number = minus ? soa_ratio_negative(token->ratio) : token->ratio;
        value[made->values++] = minus ? -token->number : token->number;
    } while (soa_parser_accept(&r->p, SOA_TOKEN_COMMA));
    return true;
}

/* name ":" type { "," trait } [ "=" numbers ] */
static bool read_declaration(reader *r)
{
    const int first = r->p.at;
    const soa_token *name = soa_parser_token(&r->p);
    soa_variable about = { .name = name->name };
    soa_statement made = { .kind = SOA_STATEMENT_DECLARATION, .name = name->name };
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
        return fail_name(r, name, SOA_E_SYNTAX, "cannot be symmetric: it must go between a motion and its force");
    }
    if (soa_parser_accept(&r->p, SOA_TOKEN_EQUAL) && !read_values(r, &made)) {
        return false;
    }
    if (is_vector && about.type.to.space == SOA_SPACE_ONE && made.values > 1) {
        return fail_name(r, name, SOA_E_SYNTAX, "is one number; several are given");
    }
    if (!soa_type_equal(known_type(r, name->name, about.type), about.type)) {
        return fail_name(r, name, SOA_E_NAME, "is known with another type; choose another name");
    }
    made.term = soa_term_variable(r->program->terms, soa_terms_variable(r->program->terms, &about));
    return made.term
               ? keep_statement(r, first, made)
               : soa_parser_fail(&r->p, r->program->terms->status, name->begin, "no room for the variable") != NULL;
}

/* ---- definitions and expressions -------------------------------------------------------------------- */

static bool define(reader *r, const soa_token *name, const soa_term *term)
{
    soa_scope *scope = &r->program->scope;
    const soa_type known = known_type(r, name->name, term->type);
    if (!soa_type_equal(known, term->type)) {
        char is[SOA_WORDS], was[SOA_WORDS];
        return soa_parser_fail(&r->p, SOA_E_NAME, name->begin, "'%s' is %s, and this is %s; choose another name",
            name->name, soa_words_type(was, known), soa_words_type(is, term->type));
    }
    if (term->type.from.space == SOA_SPACE_ANY || term->type.to.space == SOA_SPACE_ANY) {
        return fail_name(r, name, SOA_E_SYNTAX, "could have any type; say which, as in I[joint force]");
    }
    const soa_definition made = { soa_arena_text(&r->program->terms->arena, name->name), term };
    return soa_parser_given(
        &r->p, made.name ? soa_arena_add(&r->program->terms->arena, &scope->definitions, &made, sizeof made) : NULL);
}

/* sum "=" sum. A number of a known value is that value here; every other variable stands for all its values. */
static bool read_equation(reader *r, soa_sides *sides)
{
    soa_array *definitions = &r->program->scope.definitions;
    const int before = definitions->count;
    bool fine = true;
    for (int i = 0; i < r->program->statements.count && fine; i++) {
        const soa_statement *given = soa_program_at(r->program, i);
        if (soa_statement_is_number(given)) {
            const soa_definition made = { given->name, soa_term_number(r->p.pool, given->number, given->term->type) };
            fine = soa_parser_given(
                &r->p, made.term ? soa_arena_add(&r->p.pool->arena, definitions, &made, sizeof made) : NULL);
        }
    }
    fine = fine && soa_parser_sides(&r->p, true, sides) == SOA_OK;
    definitions->count = before;
    return fine;
}

/* [ name "=" ] sum, or an equation */
static bool read_sides(reader *r, soa_statement_kind kind)
{
    const int first = r->p.at;
    const soa_token *name = soa_parser_token(&r->p);
    const bool defines = kind == SOA_STATEMENT_DEFINITION;
    soa_sides sides = { 0 };
    if (defines && !is_free(r, name)) {
        return false;
    }
    r->p.at += defines ? 2 : 0;
    const soa_token kept = *name; /* calls of functions make the tokens anew */
    const bool fine =
        kind == SOA_STATEMENT_EQUATION ? read_equation(r, &sides) : soa_parser_sides(&r->p, false, &sides) == SOA_OK;
    if (!fine || (defines && !define(r, &kept, sides.left))) {
        return false;
    }
    const soa_statement made = {
        .kind = kind, .name = defines ? kept.name : "", .term = sides.left, .right = sides.right
    };
    return keep_statement(r, first, made);
}

/* ---- let, assume ---------------------------------------------------------------------------------------- */

/* let name(parameter) = body, or let name = expression, at the name. */
static bool read_let(reader *r)
{
    const soa_token *name = soa_parser_token(&r->p);
    const soa_token_kind next = soa_parser_after(&r->p)->kind;
    if (name->kind != SOA_TOKEN_NAME || (next != SOA_TOKEN_OPEN && next != SOA_TOKEN_EQUAL)) {
        return soa_parser_fail_token(&r->p, "let defines a name: let osc(F) = J' Lambda^-1 F");
    }
    return next == SOA_TOKEN_EQUAL ? read_sides(r, SOA_STATEMENT_DEFINITION)
                                   : is_free(r, name) && soa_parser_function(&r->p, &r->program->scope);
}

/* no rotors | name constant | A = B */
static bool read_assumption(reader *r)
{
    const int first = r->p.at;
    soa_sides sides = { 0 };
    bool fine = true;
    if (is_word(token_at(r, first), "no") && is_word(token_at(r, first + 1), "rotors")) {
        r->p.at += 2;
    } else if (is_word(token_at(r, first + 1), "constant")) {
        sides.left = soa_names_term(&r->p, soa_parser_token(&r->p));
        fine = sides.left != NULL;
        r->p.at += 2;
    } else {
        fine = read_equation(r, &sides);
    }
    if (!fine) {
        return false;
    }
    char label[32];
    (void)snprintf(label, sizeof label, "assumption %d", r->program->assumptions.count + 1);
    const char *kept = soa_arena_text(&r->program->terms->arena, label), *text = text_from(r, first);
    const soa_assumption made = { sides.left, sides.right, kept, text };
    return soa_parser_given(&r->p,
        kept && text ? soa_arena_add(&r->program->terms->arena, &r->program->assumptions, &made, sizeof made) : NULL);
}

/* ---- all ---------------------------------------------------------------------------------------------- */

/* Whether no other statement follows the one looked at. */
static bool is_last(const reader *r)
{
    int i = r->p.at;
    while (!soa_token_ends(token_at(r, i))) {
        i++;
    }
    while (soa_token_ends(token_at(r, i)) && token_at(r, i)->kind != SOA_TOKEN_END) {
        i++;
    }
    return token_at(r, i)->kind == SOA_TOKEN_END;
}

/* Whether the word begins a statement: something other than a sign follows it. */
static bool begins(reader *r, const char *word)
{
    const soa_token_kind next = soa_parser_after(&r->p)->kind;
    const bool is = is_word(soa_parser_token(&r->p), word) && next != SOA_TOKEN_EQUAL && next != SOA_TOKEN_COLON;
    r->p.at += is;
    return is;
}

static bool read_statement(reader *r)
{
    const bool let = begins(r, "let"), assume = !let && begins(r, "assume");
    const soa_token_kind next = soa_parser_after(&r->p)->kind;
    const bool named = soa_parser_looks_at(&r->p, SOA_TOKEN_NAME);
    const bool equation = r->reading == SOA_READ_EQUATION && is_last(r);
    const bool fine = let      ? read_let(r)
                      : assume ? read_assumption(r)
                      : named && next == SOA_TOKEN_COLON
                          ? read_declaration(r)
                          : read_sides(r, equation                           ? SOA_STATEMENT_EQUATION
                                          : named && next == SOA_TOKEN_EQUAL ? SOA_STATEMENT_DEFINITION
                                                                             : SOA_STATEMENT_EXPRESSION);
    return fine &&
           (soa_token_ends(soa_parser_token(&r->p)) || soa_parser_fail_token(&r->p, "the statement should end here"));
}

static bool read_all(reader *r)
{
    while (!soa_parser_looks_at(&r->p, SOA_TOKEN_END)) {
        if (!soa_parser_accept(&r->p, SOA_TOKEN_SEMICOLON) && !soa_parser_accept(&r->p, SOA_TOKEN_NEWLINE) &&
            !read_statement(r)) {
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
    if ((unsigned)reading > SOA_READ_AGAIN) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "there is no such reading");
    }
    reader r = { .program = program, .reading = reading };
    const int statements = program->statements.count, definitions = program->scope.definitions.count;
    const int functions = program->scope.functions.count, assumptions = program->assumptions.count;
    soa_status status = soa_parser_begin(&r.p, program->terms, &program->scope, text, false, error);
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
