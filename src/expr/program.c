/* expr/program.c - programs: statements, one after another, and what can be said of them. */
#include "expr/program.h"

#include <string.h>

#include "core/error.h"
#include "expr/print.h"

soa_status soa_program_new(const soa_allocator *allocator, soa_program **program, soa_error *error)
{
    if (!program) {
        return soa_fail_null(error, "the program");
    }
    const soa_allocator from = allocator ? *allocator : soa_allocator_default();
    *program = NULL;
    soa_program *made = soa_allocate(&from, 1, sizeof *made);
    if (!made) {
        return soa_fail_memory(error);
    }
    *made = (soa_program){ .limits = { .seconds = 10.0 } };
    const soa_status status = soa_terms_new(&from, SOA_TERMS_MOST, &made->terms, error);
    if (status != SOA_OK) {
        soa_release(&from, made);
        return status;
    }
    *program = made;
    return SOA_OK;
}

void soa_program_free(soa_program *program)
{
    if (program) {
        const soa_allocator from = program->terms->given;
        soa_terms_free(program->terms);
        soa_release(&from, program);
    }
}

void soa_program_limit(soa_program *program, double seconds, soa_stop *stop, void *context)
{
    program->limits = (soa_limits){ seconds, stop, context };
}

int soa_program_statements(const soa_program *program)
{
    return program->statements.count;
}

/* ---- statements ------------------------------------------------------------------------------------ */

static bool is_there(const soa_program *program, int statement)
{
    return statement >= 0 && statement < program->statements.count;
}

soa_statement_info soa_program_statement(const soa_program *program, int statement)
{
    if (!is_there(program, statement)) {
        return (soa_statement_info){ .name = "", .text = "" };
    }
    const soa_statement *s = soa_program_at(program, statement);
    const soa_block block = soa_term_is_block(program->terms, s->term);
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
        .points = soa_term_has_space(program->terms, s->term, SOA_SPACE_POINT),
        .constraints = soa_term_has_space(program->terms, s->term, SOA_SPACE_CONSTRAINT),
        .block = block.row && (soa_term_is_vector(s->term) || block.col),
        .values = s->values,
        .value = s->value };
}

/* ---- texts ------------------------------------------------------------------------------------- */

void soa_program_text_free(soa_program *program, char *text)
{
    soa_release(&program->terms->allocator, text);
}

static soa_status find(soa_program *program, int statement, soa_wanted wanted, soa_notation notation, char **text,
    const soa_statement **found, soa_error *error)
{
    if (!program || !text) {
        return soa_fail_null(error, "the program or the text");
    }
    *text = NULL;
    if (!is_there(program, statement)) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "there is no statement number %d", statement);
    }
    if ((unsigned)notation > SOA_LATEX) {
        return soa_fail(error, SOA_E_ARGUMENT, -1, "there is no such notation");
    }
    const bool equation = soa_program_at(program, statement)->right;
    *found = soa_program_at(program, statement);
    return wanted == SOA_AN_EQUATION && !equation
               ? soa_fail(error, SOA_E_ARGUMENT, -1, "this is no equation; write A = B")
           : wanted == SOA_AN_EXPRESSION && equation
               ? soa_fail(error, SOA_E_ARGUMENT, -1, "this is an equation; give an expression")
               : SOA_OK;
}

soa_telling soa_telling_begin(
    soa_program *program, int statement, soa_wanted wanted, soa_notation notation, char **text, soa_error *error)
{
    soa_telling t = { .program = program, .notation = notation, .text = text, .error = error };
    t.status = find(program, statement, wanted, notation, text, &t.s, error);
    if (t.status == SOA_OK) {
        t.pool = program->terms;
        t.out = soa_page_on(&t.pool->allocator);
        soa_terms_limit(t.pool, &program->limits);
        t.pool->assumptions = &program->assumptions;
    }
    return t;
}

soa_status soa_telling_end(soa_telling *t)
{
    if (!t->pool) {
        return t->status;
    }
    char *made = NULL;
    soa_terms_limit(t->pool, NULL);
    t->pool->assumptions = NULL;
    t->status = t->status == SOA_OK ? soa_page_give(&t->out, &made, t->error) : t->status;
    soa_page_clear(&t->out);
    t->status = soa_terms_settle(t->pool, t->status, t->error);
    if (t->status != SOA_OK) {
        soa_program_text_free(t->program, made);
        made = NULL;
    }
    *t->text = made;
    return t->status;
}

soa_status soa_program_print(soa_program *program, int statement, soa_notation notation, char **text, soa_error *error)
{
    soa_telling t = soa_telling_begin(program, statement, SOA_ANY_STATEMENT, notation, text, error);
    if (t.status == SOA_OK) {
        soa_print_term(t.pool, t.s->term, notation, &t.out);
    }
    if (t.status == SOA_OK && t.s->right) {
        soa_page_put(&t.out, " = ");
        soa_print_term(t.pool, t.s->right, notation, &t.out);
    }
    return soa_telling_end(&t);
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
    soa_telling t = soa_telling_begin(program, statement, SOA_ANY_STATEMENT, SOA_ASCII, text, error);
    if (t.status == SOA_OK) {
        put_type(t.pool, t.s->term, &t.out);
    }
    return soa_telling_end(&t);
}
