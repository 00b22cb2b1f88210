/* expr/statement.c - what can be said of a statement. */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "expr/print.h"
#include "expr/program.h"
#include "expr/spell.h"
#include "expr/traits.h"
#include "expr/words.h"

static const soa_statement *find(const soa_program *program, int statement)
{
    return statement >= 0 && statement < soa_program_statements(program) ? soa_program_at(program, statement) : NULL;
}

soa_status soa_program_find(const soa_program *program, int statement, const soa_statement **found, soa_error *error)
{
    *found = find(program, statement);
    return *found ? SOA_OK : soa_fail(error, SOA_E_ARGUMENT, -1, "there is no statement number %d", statement);
}

/* Whether a part of the term goes from or to the space. */
static bool speaks_of(const soa_terms *terms, const soa_term *term, soa_space space)
{
    const soa_term *of = term->kind == SOA_TERM_VARIABLE ? soa_terms_about(terms, term->variable)->of : NULL;
    bool found = term->type.from.space == space || term->type.to.space == space || (of && speaks_of(terms, of, space));
    for (int i = 0; !found && i < term->count; i++) {
        found = speaks_of(terms, term->child[i], space);
    }
    return found;
}

soa_statement_info soa_program_statement(const soa_program *program, int statement)
{
    const soa_statement *s = find(program, statement);
    if (!s) {
        return (soa_statement_info){ .name = "", .text = "" };
    }
    const soa_traits traits = s->traits;
    const soa_type type = s->term->type;
    return (soa_statement_info){ .kind = s->kind,
        .name = s->name,
        .text = s->text,
        .line = s->line,
        .from_space = type.from.space,
        .to_space = type.to.space,
        .from_side = type.from.side,
        .to_side = type.to.side,
        .causality = s->term->causality,
        .number = traits.number,
        .symmetric = traits.symmetric,
        .semidefinite = traits.semidefinite,
        .positive = traits.positive,
        .points = speaks_of(program->terms, s->term, SOA_SPACE_POINT),
        .constraints = speaks_of(program->terms, s->term, SOA_SPACE_CONSTRAINT),
        .block = soa_term_is_block(program->terms, s->term).row &&
                 (soa_term_is_vector(s->term) || soa_term_is_block(program->terms, s->term).col),
        .values = s->values,
        .value = s->value };
}

/* ---- texts ------------------------------------------------------------------------------------- */

void soa_program_text_free(soa_program *program, char *text)
{
    soa_release(soa_terms_allocator(soa_program_terms(program)), text);
}

soa_status soa_program_give(soa_program *program, soa_status status, soa_page *page, char **text, soa_error *error)
{
    *text = NULL;
    status = status == SOA_OK ? soa_page_give(page, text, error) : status;
    soa_page_clear(page);
    status = soa_terms_settle(soa_program_terms(program), status, error);
    if (status != SOA_OK) {
        soa_program_text_free(program, *text);
        *text = NULL;
    }
    return status;
}

/* A page for what is said of the statement; the text is NULL until it is given. */
static soa_status begin_text(
    const soa_program *program, int statement, const soa_statement **s, soa_page *out, char **text, soa_error *error)
{
    *text = NULL;
    *out = soa_page_on(soa_terms_allocator(soa_program_terms(program)));
    return soa_program_find(program, statement, s, error);
}

soa_status soa_program_print(soa_program *program, int statement, soa_notation notation, char **text, soa_error *error)
{
    if (!program || !text) {
        return soa_fail_null(error, "the program or the text");
    }
    const soa_statement *s;
    soa_terms *pool = soa_program_terms(program);
    soa_page out;
    const soa_status status = begin_text(program, statement, &s, &out, text, error);
    if (status != SOA_OK) {
        return status;
    }
    soa_print_term(pool, s->term, notation, &out);
    if (s->right) {
        soa_page_put(&out, " = ");
        soa_print_term(pool, s->right, notation, &out);
    }
    return soa_program_give(program, SOA_OK, &out, text, error);
}

/* A vector that is an operator on a vector: the operator, and the vector. */
static const soa_term *operator_of(soa_terms *pool, const soa_term *term, const soa_term **on)
{
    *on = NULL;
    if (term->kind != SOA_TERM_PRODUCT || !soa_term_is_vector(term) || term->type.to.space == SOA_SPACE_ONE ||
        !soa_term_is_vector(term->child[term->count - 1])) {
        return term;
    }
    *on = term->child[term->count - 1];
    return soa_term_product(pool, term->count - 1, term->child);
}

/* "symmetric positive definite", "scalar multiple", ... */
static const char *trait_words(soa_traits traits)
{
    return traits.positive       ? "symmetric positive definite "
           : traits.semidefinite ? "symmetric positive semidefinite "
           : traits.symmetric    ? "symmetric "
                                 : "";
}

/* A vector of more terms is not written out after "operator on". */
enum { SHOWN = 8 };

/* "joint force -> joint acceleration, full   (symmetric positive definite operator on T)" */
static void put_type(soa_terms *pool, const soa_term *term, soa_page *out)
{
    const soa_term *on, *op = operator_of(pool, term, &on);
    if (!op) {
        out->failed = true;
        return;
    }
    char from[SOA_WORDS], to[SOA_WORDS];
    const soa_traits traits = soa_term_traits(pool, op);
    const bool vector = soa_term_is_vector(op);
    const soa_term *adjoint = vector ? NULL : soa_term_adjoint(pool, op);
    const char *noun = soa_words_noun(pool, term);
    const char *from_noun = on ? soa_words_noun(pool, on) : adjoint ? soa_words_domain(op) : NULL;
    (void)soa_words_place(to, term->type.to, noun);
    (void)soa_words_place(from, op->type.from, from_noun);
    soa_page_format(out, "%s%s%s", vector ? "" : from, vector ? "" : " -> ", to);
    if (!vector) {
        soa_page_format(out, ", %s", traits.number ? "scalar multiple" : soa_kind_text(op->causality));
        soa_page_put(out, "   (");
        soa_page_put(out, traits.number ? "" : trait_words(traits));
        soa_page_put(out, on ? "operator on " : "operator)");
        if (on && on->size <= SHOWN) {
            soa_print_term(pool, on, SOA_ASCII, out);
            soa_page_put(out, ")");
        } else if (on) {
            soa_page_format(out, "a %s)", from);
        }
    }
}

soa_status soa_program_type(soa_program *program, int statement, char **text, soa_error *error)
{
    if (!program || !text) {
        return soa_fail_null(error, "the program or the text");
    }
    const soa_statement *s;
    soa_page out;
    const soa_status status = begin_text(program, statement, &s, &out, text, error);
    if (status != SOA_OK) {
        return status;
    }
    put_type(soa_program_terms(program), s->term, &out);
    return soa_program_give(program, SOA_OK, &out, text, error);
}

/* ---- the caret -------------------------------------------------------------------------------------- */

char *soa_error_caret(const soa_error *error, const char *text, char *buffer, size_t size)
{
    if (size > 0) {
        buffer[0] = '\0';
    }
    if (!error || error->line < 1 || error->column < 1) {
        return buffer;
    }
    for (int line = 1; line < error->line && *text; text++) {
        line += *text == '\n';
    }
    const int length = (int)strcspn(text, "\n");
    int width = 0, bytes, column = 1;
    for (int i = 0; i < length && column < error->column; i += bytes, column++) {
        const bool mark = text[i] != '\\' && soa_spelling_at(SOA_SPELL_MARK, text + i, &bytes);
        (void)soa_character(text + i, &bytes);
        width += !mark;
    }
    if (size > (size_t)length + (size_t)width + 4) {
        (void)snprintf(buffer, size, "%.*s\n%*s^", length, text, width, "");
        for (int i = 0; i < length; i++) {
            buffer[i] = (char)((unsigned char)buffer[i] < 0x20 || buffer[i] == 0x7f ? ' ' : buffer[i]);
        }
    }
    return buffer;
}
